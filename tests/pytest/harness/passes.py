"""Passes on a module, and the compiler's steps down to a stage."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileiras_xdsl.pipeline import (
    DEFAULT_ABI,
    ModuleStage,
    Step,
    make_pass,
    select_steps,
)
from tileiras_xdsl.xdsl_extras.dominance import verify_dominance

from .modules import context


def apply(module: ModuleOp, *passes: ModulePass) -> ModuleOp:
    """Runs passes on a module, which has to be valid after each of them; returns it."""
    for each in passes:
        each.apply(context(), module)
        module.verify()
        verify_dominance(module)
    return module


def applied(module: ModuleOp, *passes: ModulePass) -> ModuleOp:
    """What passes make of a module, which stays as it is."""
    return apply(module.clone(), *passes)


def run_steps(
    module: ModuleOp, steps: Iterable[Step], arch: str = "sm_90", abi: str = DEFAULT_ABI
) -> ModuleOp:
    """Runs steps of the compiler on a module, which has to be valid in the end; returns it."""
    for step in steps:
        make_pass(step, arch, abi).apply(context(), module)
    module.verify()
    return module


def lower(
    module: ModuleOp,
    to: ModuleStage = "nvgpu",
    *,
    after: ModuleStage | None = None,
    arch: str = "sm_90",
    abi: str = DEFAULT_ABI,
    opt: int = 3,
) -> ModuleOp:
    """What the compiler makes of a module on the way to a stage; the module stays as it is."""
    return run_steps(module.clone(), select_steps(opt, after=after, to=to), arch, abi)
