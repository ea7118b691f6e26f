"""Random programs compiled for the CPU of this machine, beside the interpreter."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import tileiras_xdsl as tx
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.interpreter.errors import ExecutionError

from ..strategies.wide_programs import random_wide_program
from .wide_runs import Outcome, arguments_of, difference, execute


def examine(seed: int) -> str:
    """What is wrong with a program; it begins with `refused: ` if it is only not compiled."""
    program = random_wide_program(seed)
    module = program.module
    arguments = arguments_of(program, module, "cuda-tile")
    try:
        kernel = tx.compile(module.clone(), "cpu", cache=False)
    except CompileError as error:
        return f"refused: {error}"
    # What is printed is in the order of tile blocks.
    prints = any(isinstance(op, ct.PrintTkoOp) for op in module.walk())
    text = StringIO()
    with redirect_stdout(text):
        kernel.launch(program.grid, arguments, threads=1 if prints else 2)
    found = Outcome(arguments, text.getvalue())
    try:
        expected = execute(program, module, module, "cuda-tile")
    except ExecutionError as error:
        return f"the interpreter fails: {error}"
    return difference(program, module, expected, found) or ""
