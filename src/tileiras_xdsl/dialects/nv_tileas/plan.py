"""
What a kernel is asked to be, before passes decide: its plan.

    gpu.func @k(…) kernel attributes
        {nv_tileas.kernel_plan = #nv_tileas.kernel_plan<warps = 8, stages = 3, persistent = 0>, …}

The pass `tileas-plan` writes it. Each decision is made in one place, which follows the plan where
it says something and that is legal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final

from xdsl.dialects.gpu import FuncOp
from xdsl.irdl import irdl_attr_definition

from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

from .decisions import FieldsAttr

YES_OR_NO: Final = ("persistent", "ping_pong")
"""Fields that are 1 or 0."""
POWERS_OF_TWO: Final = ("warps",)


@dataclass(frozen=True)
class Plan:
    """Decisions about a kernel; passes make those that are None."""

    warps: int | None = None
    """That compute on tiles; WGMMA has them by fours."""
    occupancy: int | None = None
    """CTAs per SM."""
    stages: int | None = None
    """Buffer stages of every load that is pipelined."""
    persistent: int | None = None
    """1 if CTAs stay for many tile blocks, 0 if each has one."""
    ping_pong: int | None = None
    """1 if warpgroups issue WGMMAs alternately, one computes while another multiplies."""
    cluster: int | None = None
    """CTAs of a cluster."""

    def get_fields(self) -> dict[str, int]:
        """What it says."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def __str__(self) -> str:
        """The fields as `tileas-plan` takes them."""
        return " ".join(f"{name}={value}" for name, value in self.get_fields().items())


class PlanError(ValueError):
    """A field that plans do not have, or a value that is none of it."""


def change_plan(plan: Plan, given: Mapping[str, int]) -> Plan:
    """A plan with other values of some fields, if they make sense."""
    known = [field.name for field in fields(Plan)]
    if unknown := [name for name in given if name not in known]:
        raise PlanError(f"a plan has no '{unknown[0]}', but {', '.join(known)}")
    changed = replace(plan, **given)
    if (problem := find_problem(changed)) is not None:
        raise PlanError(f"a plan {problem}")
    return changed


def find_problem(plan: Plan) -> str | None:
    """What is wrong with the values of a plan."""
    given: dict[str, object] = {**plan.get_fields()}
    for name, value in given.items():
        least = 0 if name in YES_OR_NO else 1
        if not isinstance(value, int):
            return f"has whole numbers, but got {name}={value!r}"
        if value < least:
            return f"needs {name} of at least {least}, but got {value}"
        if name in YES_OR_NO and value > 1:
            return f"has {name} of 0 or 1, but got {value}"
        if name in POWERS_OF_TWO and value & (value - 1):
            return f"needs a power of two for {name}, but got {value}"
    return None


@irdl_attr_definition
class PlanAttr(FieldsAttr[Plan]):
    """
    What a kernel is asked to be: `#nv_tileas.kernel_plan<warps = 8, stages = 3>` has 8 warps that
    compute and pipelines of 3 stages, if that can be had. Passes choose fields that are absent.
    """

    name = "nv_tileas.kernel_plan"
    FIELDS = Plan

    def problem(self) -> str | None:
        return find_problem(self.data)


PLAN: Final = DiscardableAttribute(
    "nv_tileas.kernel_plan",
    PlanAttr,
    "What a kernel is asked to be, before passes decide.",
    carriers=(FuncOp,),
    written_by=("tileas-plan",),
    read_by=(
        "unroll-loops",
        "hoist-loads",
        "split-tiles",
        "convert-tileaa-to-tileas",
        "tileas-assign-dot-layouts",
        "tileas-dynamic-persistent",
        "tileas-generate-schedule",
        "tileas-unspecialized-pipeline",
        "tileas-choose-occupancy",
    ),
)
NO_PLAN: Final = Plan()


def get_plan(function: FuncOp) -> Plan:
    """The plan of a kernel; one that says nothing, if it has none."""
    plan = PLAN.get(function)
    return NO_PLAN if plan is None else plan.data
