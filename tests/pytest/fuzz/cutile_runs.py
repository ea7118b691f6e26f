"""
Runs programs of `strategies/cutile_programs.py` as Python over NumPy, by the model of
`strategies/cutile_model.py`, and compiled, at every stage; and compares: elements without an error
are equal, others differ by no more than their error.
"""

from __future__ import annotations

import linecache
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.driver.compiler.compilation import Compilation, paused_collection
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.pipeline import ModuleStage

from ..strategies import cutile_model as model
from ..strategies.cutile_programs import CutileProgram
from .wide_runs import Finding

MODEL = "model"
FRONT_END = "front end"
THREADS = ("nvgpu", "nvvm")
STAGES: tuple[ModuleStage, ...] = ("cuda-tile", "tileaa", "tileas", "nvgpu", "nvvm")
LIMITED = "cannot be run on the CPU"
LIMIT = 60
"""Seconds of the processor for threads of a program; without an end, it is said."""


@dataclass
class Verdict:
    """What became of a program."""

    finding: Finding | None = None
    refusal: str = ""
    """Why the compiler, or the interpreter, does not take the program."""
    exact: int = 0
    """Elements of outputs that have to be equal, that may differ by an error, and any others."""
    bounded: int = 0
    unknown: int = 0


def kernel_of(program: CutileProgram) -> Any:
    """The kernel as a function of cuTile, which reads its source."""
    name = f"<cutile program {program.seed}>"
    lines = program.source.splitlines(keepends=True)
    linecache.cache[name] = (len(program.source), None, lines, name)
    scope: dict[str, Any] = {}
    exec(compile(program.source, name, "exec"), scope)
    return scope["kernel"]


def expected(program: CutileProgram) -> list[model.Memory]:
    """What the outputs have to be, by the model."""
    arguments = [
        model.Memory.of(value) if isinstance(value, np.ndarray) else model.scalar(value)
        for value in program.arguments()
    ]
    model.run(program.source, "kernel", program.grid, arguments)
    outputs = [arguments[number] for number in program.outputs]
    return [each for each in outputs if isinstance(each, model.Memory)]


def difference(wanted: Sequence[model.Memory], found: Sequence[Any]) -> str | None:
    """Where results are further off than they may be."""
    for number, (memory, array) in enumerate(zip(wanted, found, strict=True)):
        old, new = memory.data, np.asarray(array)
        with np.errstate(all="ignore"):
            same = (old == new) | (old != old) & (new != new)
            if memory.dtype.is_float:
                apart = np.abs(old.astype(np.float64) - new.astype(np.float64))
                same |= (memory.error > 0) & (apart <= memory.error)
            same |= memory.error == np.inf
        if not same.all():
            place = tuple(int(each) for each in np.argwhere(~same)[0])
            return (
                f"output {number}{list(place)} is {new[place]}, not {old[place]} "
                f"± {memory.error[place]:.2g} ({int((~same).sum())} of {same.size} differ)"
            )
    return None


def examine(program: CutileProgram, stages: Sequence[ModuleStage] = STAGES) -> Verdict:
    """Executes a program in all ways, and compares."""
    verdict = Verdict()
    with paused_collection():
        verdict.finding = next(_findings(program, stages, verdict), None)
    return verdict


def _findings(
    program: CutileProgram, stages: Sequence[ModuleStage], verdict: Verdict
) -> Iterator[Finding]:
    try:
        wanted = expected(program)
    except Exception as error:
        yield Finding(MODEL, _describe(error))
        return
    for memory in wanted:
        verdict.unknown += int(np.isinf(memory.error).sum())
        verdict.exact += int((memory.error == 0).sum())
    verdict.bounded = sum(each.data.size for each in wanted) - verdict.exact - verdict.unknown
    arguments = program.arguments()
    try:
        source = Program.of(kernel_of(program), arguments, program.gpu)
    except Exception as error:
        # Exceptions of cuTile are its own.
        yield Finding(FRONT_END, _describe(error))
        return
    options = Options(program.gpu, program.opt, abi=program.abi)
    compilation = Compilation(source, options, isolate=False)
    for stage in stages:
        try:
            lowered = compilation.lower(stage)
        except DiagnosticException as error:
            verdict.refusal = f"{stage}: {error}{compilation.activity}"
            return
        except Exception as error:
            yield Finding(stage, f"{_describe(error)}{compilation.activity}")
            return
        arguments = program.arguments()
        flat = compilation.program.flatten(arguments)
        try:
            if stage in THREADS:
                deadline = time.process_time() + LIMIT
                run_threads(lowered, program.grid, flat, deadline=deadline)
            else:
                run(lowered, grid=program.grid, args=flat, check=stage == STAGES[0])
        except Exception as error:
            if LIMITED in str(error):
                verdict.refusal = f"{stage}: {error}"
                return
            yield Finding(stage, _describe(error))
            return
        what = difference(wanted, [arguments[number] for number in program.outputs])
        if what is not None:
            yield Finding(stage, what)
            return


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
