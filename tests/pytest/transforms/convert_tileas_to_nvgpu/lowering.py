"""Programs at level 0 and level 3, run on the same arguments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load, run
from tileiras_xdsl.frontend import make_context
from tileiras_xdsl.pipeline import make_pass, select_steps

Array = npt.NDArray[Any]


@cache
def context() -> Context:
    """The context of all programs."""
    return make_context()


def lower(module: ModuleOp, arch: str = "sm_90", opt: int = 3) -> ModuleOp:
    """The code of a thread of a program."""
    lowered = module.clone()
    for step in select_steps(opt, to="nvgpu"):
        make_pass(step, arch).apply(context(), lowered)
    lowered.verify()
    return lowered


def run_both(
    text: str, arguments: Sequence[Array], *, arch: str = "sm_90", opt: int = 3
) -> tuple[list[Array], list[Array]]:
    """What arrays are after a kernel has run, at level 0 and at level 3."""
    module = load(text)
    results: list[list[Array]] = []
    for each in (module, lower(module, arch, opt)):
        arrays = [np.array(argument) for argument in arguments]
        run(each, grid=(1, 1, 1), args=arrays)
        results.append(arrays)
    return results[0], results[1]
