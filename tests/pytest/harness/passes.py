"""Passes on a module, and the compiler's steps down to a stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.driver.compiler.compilation import paused_collection
from tileiras_xdsl.pipeline import (
    DEFAULT_ABI,
    ModuleStage,
    PipelinePass,
    make_pass,
    select_steps,
)
from tileiras_xdsl.xdsl_extras.dominance import verify_dominance

from .modules import context

Check: TypeAlias = Literal["each", "end", "never"]
"""When a module is verified, dominance included."""


def apply(module: ModuleOp, *passes: ModulePass, check: Check = "end") -> ModuleOp:
    """Runs passes on a module, which has to be valid then, or after each of them; returns it."""
    for number, each in enumerate(passes, 1):
        each.apply(context(), module)
        if check == "each" or (check == "end" and number == len(passes)):
            module.verify()
            verify_dominance(module)
    return module


def applied(module: ModuleOp, *passes: ModulePass, check: Check = "end") -> ModuleOp:
    """What passes make of a module, which stays as it is."""
    return apply(module.clone(), *passes, check=check)


def run_steps(
    module: ModuleOp, steps: Iterable[PipelinePass], arch: str = "sm_90", abi: str = DEFAULT_ABI
) -> ModuleOp:
    """Runs steps of the compiler on a module, as the compiler does; returns it."""
    with paused_collection():
        for step in steps:
            make_pass(step, arch, abi).apply(context(), module)
    return module


def verified_steps(
    module: ModuleOp, steps: Iterable[PipelinePass], arch: str = "sm_90", abi: str = DEFAULT_ABI
) -> Iterator[PipelinePass]:
    """
    Runs steps of the compiler on a module, which has to be valid after each; gives each when it is
    done. A module that a step has left as it was, as most do, is not verified again.
    """
    seen = list[Any]()
    for step in steps:
        make_pass(step, arch, abi).apply(context(), module)
        now = _state_of(module)
        if now != seen:
            module.verify()
        seen = now
        yield step


def _state_of(module: ModuleOp) -> list[Any]:
    """All that verifiers look at, by the objects that it consists of."""
    return [
        (
            *(op, op.parent, *op.operands, *op.successors, *(result.type for result in op.results)),
            *(op.properties.copy(), op.attributes.copy()),
            *((block, *block.arg_types) for region in op.regions for block in region.blocks),
        )
        for op in module.walk()
    ]


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
    lowered = run_steps(module.clone(), select_steps(opt, after=after, to=to), arch, abi)
    lowered.verify()
    return lowered


def lower_through(
    module: ModuleOp,
    *stages: ModuleStage,
    after: ModuleStage | None = None,
    arch: str = "sm_90",
    abi: str = DEFAULT_ABI,
    opt: int = 3,
) -> dict[ModuleStage, ModuleOp]:
    """A module at some stages, in their order, each made of the one before."""
    found: dict[ModuleStage, ModuleOp] = {}
    for stage in stages:
        module = lower(module, stage, after=after, arch=arch, abi=abi, opt=opt)
        found[stage] = module
        after = stage
    return found


def compile_threads(module: ModuleOp, arch: str, opt: int = 3) -> str:
    """The PTX of the code of a thread, which stays as it is."""
    target = NvptxTarget.parse(arch)
    lowered = lower(module, "nvvm", after="nvgpu", arch=arch, opt=opt)
    return nvptx.compile_to_ptx(translate_module(lowered, target), target)
