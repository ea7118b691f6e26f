"""Modules run on copies of arrays, and their results compared."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.interpreter.checks import OutsideWarning
from tileiras_xdsl.interpreter.run import run

from .passes import lower

Array: TypeAlias = npt.NDArray[Any]
Argument: TypeAlias = "Array | int | float"


def arrays_of(arguments: Sequence[Any]) -> list[Array]:
    """The arrays among arguments."""
    return [argument for argument in arguments if isinstance(argument, np.ndarray)]


def run_printing(
    module: ModuleOp,
    entry: str | None = None,
    *,
    grid: int | tuple[int, ...],
    args: Sequence[Argument],
    **options: Any,
) -> str:
    """Runs a kernel; returns what it prints. Tiles may be stored outside, which is legal."""
    printed = StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", OutsideWarning)
        run(module, entry=entry, grid=grid, args=args, **options)
    return printed.getvalue()


def run_copies(
    module: ModuleOp,
    arguments: Sequence[Any],
    *,
    grid: int | tuple[int, ...] = 1,
    **options: Any,
) -> list[Array]:
    """What a kernel makes of copies of its arguments."""
    copies = [np.array(argument) for argument in arguments]
    run(module, grid=grid, args=copies, **options)
    return copies


def run_both(
    text: str, arguments: Sequence[Array], *, arch: str = "sm_90", opt: int = 3
) -> tuple[list[Array], list[Array]]:
    """What arrays are after a kernel has run, as it is written and as threads."""
    module = load(text)
    threads = lower(module, arch=arch, opt=opt)
    return run_copies(module, arguments), run_copies(threads, arguments)


def assert_same_bits(
    expected: Sequence[Any], found: Sequence[Any], message: str = "a kernel"
) -> None:
    """Arrays are equal bit for bit, payloads of NaNs included."""
    pairs = zip(arrays_of(expected), arrays_of(found), strict=True)
    for number, (before, after) in enumerate(pairs):
        assert before.tobytes() == after.tobytes(), f"{message}: array {number} differs"
