"""
Layout conversions as steps, each with a plan that fits in shared memory.

A conversion is one step if its plan fits, in several rounds if need be. One that cannot be done in
rounds is done in two steps, by way of an intermediate layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tileiras_xdsl.analysis.intermediate_layout import intermediate_layout
from tileiras_xdsl.analysis.layout_conversion import Plan, ThroughShared, plan_conversion
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.targets.target import Target, ThreadLimits


@dataclass(frozen=True)
class ScratchBudget:
    """How much shared memory a CTA may take as scratch memory."""

    limit: int
    """Shared memory of the CTA, in bytes."""
    base: int
    """Offset of scratch memory, after permanent buffers."""
    limits: ThreadLimits
    ldmatrix: bool = True
    """Whether the target has `ldmatrix`."""
    stmatrix: bool = True
    """Whether the target has `stmatrix`."""

    @staticmethod
    def of(target: Target, base: int = 0, limit: int | None = None) -> ScratchBudget:
        """The shared memory of a target after an offset."""
        return ScratchBudget(
            target.shared.limit(asks=True) if limit is None else limit,
            base,
            target.limits,
            ldmatrix=target.has("ldmatrix"),
            stmatrix=target.has("stmatrix"),
        )

    @property
    def bytes(self) -> int:
        """The hard limit: all that permanent buffers leave."""
        return self.limit - self.base

    @property
    def soft_limit(self) -> int:
        """The size up to which scratch memory may grow to save barriers or rounds of exchanges."""
        return max(self.limits.scratch_least, min(self.limits.scratch_goal, self.bytes))


@dataclass(frozen=True)
class ConversionStep:
    """One step of a layout conversion."""

    source: LinearLayout
    target: LinearLayout
    plan: Plan


@lru_cache(maxsize=4096)
def conversion_steps(
    source: LinearLayout, target: LinearLayout, bits: int, budget: ScratchBudget
) -> Sequence[ConversionStep]:
    """The steps that convert a tile of elements of so many bits from one layout to another."""
    if source == target:
        return ()
    plan = _plan(source, target, bits, budget)
    if not _fits(plan, budget):
        assert isinstance(plan, ThroughShared)
        rounds = -(-plan.bytes // budget.soft_limit)
        middle = intermediate_layout(source, target, 1 << (rounds - 1).bit_length())
        halves = [] if middle is None else [(source, middle), (middle, target)]
        if halves and all(_fits(_plan(*half, bits, budget), budget) for half in halves):
            return tuple(step for half in halves for step in conversion_steps(*half, bits, budget))
    return (ConversionStep(source, target, plan),)


def _plan(source: LinearLayout, target: LinearLayout, bits: int, budget: ScratchBudget) -> Plan:
    return plan_conversion(
        source,
        target,
        max(8, bits),
        ldmatrix=budget.ldmatrix,
        stmatrix=budget.stmatrix,
        max_bytes=budget.soft_limit,
    )


def _fits(plan: Plan, budget: ScratchBudget) -> bool:
    return not isinstance(plan, ThroughShared) or plan.bytes <= budget.bytes
