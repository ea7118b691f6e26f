"""The plans that rules propose for a kernel."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias, cast

from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.cost.model import count_persistent, find_occupancy
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp, AsyncLoadOp, AsyncTiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp
from tileiras_xdsl.dialects.nv_tileas.ping_pong import PingPongBeginOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import CreatePipelineOp
from tileiras_xdsl.dialects.nv_tileas.plan import Plan, find_problem
from tileiras_xdsl.dialects.nvgpu.types import get_cluster_ctas
from tileiras_xdsl.driver.compiler.options import OptionError
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import find_resources
from tileiras_xdsl.xdsl_extras.walking import find_all

from . import rules


@dataclass(frozen=True)
class PlannedKernel:
    """What rules know of a kernel."""

    chosen: Plan
    """What passes decided."""
    target: Target
    has_wgmma: bool
    """Whether warpgroups multiply."""
    host_maps: bool
    """Whether launches are ours, so that CTAs can be in clusters."""


Rule: TypeAlias = Callable[[PlannedKernel], Iterator[Plan]]


@dataclass(frozen=True)
class Candidate:
    """A plan, and the rule that proposed it."""

    plan: Plan
    rule: str


@cache
def find_rules() -> dict[str, Rule]:
    """The rules by the names of their files."""
    names = sorted(each.name for each in pkgutil.iter_modules(rules.__path__))
    modules = {name: cast("Any", import_module(f"{rules.__name__}.{name}")) for name in names}
    return {name: module.propose for name, module in modules.items()}


def propose(kernel: PlannedKernel, more: Sequence[Rule] = ()) -> list[Candidate]:
    """What all rules propose, each plan once, without the chosen one."""
    found: dict[Plan, str] = {}
    for name, rule in {**find_rules(), **{each.__name__: each for each in more}}.items():
        for plan in _ask(name, rule, kernel):
            if plan != kernel.chosen:
                found.setdefault(plan, name)
    return [Candidate(plan, rule) for plan, rule in found.items()]


def _ask(name: str, rule: Callable[[PlannedKernel], object], kernel: PlannedKernel) -> list[Plan]:
    """The plans of a rule, which anybody may have written."""
    plans = rule(kernel)
    if not isinstance(plans, Iterable):
        raise OptionError(f"the rule '{name}' has to yield plans, but it returned {plans!r}")
    found: list[Plan] = []
    for plan in plans:
        if not isinstance(plan, Plan):
            raise OptionError(f"the rule '{name}' has to yield plans, but it yielded {plan!r}")
        if (problem := find_problem(plan)) is not None:
            raise OptionError(f"the rule '{name}' yielded a plan that {problem}")
        found.append(plan)
    return found


def read_kernel(function: FuncOp, target: Target, *, host_maps: bool) -> PlannedKernel:
    """A kernel at the end of the stage `tileas`."""
    return PlannedKernel(
        read_plan(function, target), target, bool(find_all(function, AsyncDotOp)), host_maps
    )


def read_plan(function: FuncOp, target: Target) -> Plan:
    """What passes made of a kernel, at the end of the stage `tileas`."""
    persistent = count_persistent(function)
    return Plan(
        warps=get_warps(function),
        occupancy=_find_occupancy(function, target),
        stages=max(_count_stages(function), default=None),
        persistent=int(persistent > 0),
        ping_pong=int(bool(find_all(function, PingPongBeginOp))),
        cluster=get_cluster_ctas(function),
    )


def _find_occupancy(function: FuncOp, target: Target) -> int:
    """CTAs per SM; one if passes looked for registers for more, and found none."""
    spec = KERNEL_SPEC.get(function)
    is_open = spec is None or "occupancy" not in spec.get_fields()
    if is_open and not count_persistent(function) and find_resources(function, target) is not None:
        return 1
    return find_occupancy(function, target)


def _count_stages(function: FuncOp) -> Iterator[int]:
    """The stages of multi-stage buffers that TMA or `cp.async` fills, and that are several."""
    for op in find_all(function, CreatePipelineOp):
        if op.get_num_stages() > 1:
            yield op.get_num_stages()
    copies: list[Operation] = find_all(function, AsyncLoadOp, AsyncTiledLoadOp)
    for op in copies:
        assert isinstance(op, AsyncLoadOp | AsyncTiledLoadOp)
        for maker in backward_slice([op.destination]):
            if isinstance(maker, AllocTensorOp):
                yield get_shape(maker.result.type)[0]
