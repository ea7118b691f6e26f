"""
Repairs of the memory order, each of which can be undone: what the compiler did before, put back in
its place while kernels are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis import tma_tiles
from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.memory_order import Ordering
from tileiras_xdsl.dialects.memory_order import Effect, is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.decisions import INDEPENDENT
from tileiras_xdsl.dialects.nvvm import MBarrierArriveSharedOp
from tileiras_xdsl.targets import tma
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import pipelines
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.accesses import (
    Order,
    VectorAccess,
    load_vectors,
)
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.thread_builder import ThreadBuilder
from tileiras_xdsl.transforms.tileaa import discharge_mem_tokens
from tileiras_xdsl.transforms.tileaa.discharge_mem_tokens import Conflicts
from tileiras_xdsl.transforms.tileas.kernel_model.scratch_use import ScratchUse

TRANSFORMS = "tileiras_xdsl.transforms"
TO_NVGPU = f"{TRANSFORMS}.nvgpu.convert_tileas_to_nvgpu"
SCHEDULE = f"{TRANSFORMS}.tileas.schedule"
MODEL = f"{TRANSFORMS}.tileas.kernel_model"

Patch = pytest.MonkeyPatch


@dataclass(frozen=True)
class Revert:
    """A repair that can be undone."""

    name: str
    themes: tuple[str, ...]
    """The themes of kernels that show it."""
    undo: Callable[[Patch], None]
    orders: int = 1
    """In how many orders of warps and others each kernel has to be run."""
    begin: int = 0
    """The seed of a kernel that has shown it: the search begins there."""

    def __str__(self) -> str:
        return self.name

    @contextmanager
    def planted(self) -> Generator[None]:
        """Compiles without the repair."""
        with pytest.MonkeyPatch.context() as patch:
            self.undo(patch)
            yield


REVERTS: list[Revert] = []


def reverts(
    *themes: str, orders: int = 1, begin: int = 0
) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    """Registers a function that undoes a repair, which kernels of some themes show."""

    def register(undo: Callable[[Patch], None]) -> Callable[[Patch], None]:
        REVERTS.append(Revert(undo.__name__, themes, undo, orders, begin))
        return undo

    return register


# What ops did to memory was found out by their names

WORDS = ("store", "atomic", "print", "execute", "plugin")


def is_named_like_a_write(op: Operation) -> bool:
    """Whether the name of an op, or of one in it, says that it writes."""
    return any(word in each.name for each in op.walk() for word in WORDS)


def follows_named_writes(load: Operation) -> bool:
    """Whether an op with such a name can come before a load; acquires and waits have none."""
    top = load
    while (parent := top.parent_op()) is not None and not isinstance(parent, FuncOp):
        top = parent
    if top is not load and is_named_like_a_write(top):
        return True
    before = top.prev_op
    while before is not None:
        if is_named_like_a_write(before):
            return True
        before = before.prev_op
    return False


def was_independent(load: Operation, *_: Operation) -> bool:
    """Whether a load was taken for one that may be done before all else."""
    return is_plain_load(load) and (INDEPENDENT.is_on(load) or not follows_named_writes(load))


def what_held(load: Operation) -> Operation | None:
    """Something, if a load was not independent."""
    return None if was_independent(load) else load


# Bulk copies


@reverts("rewritten", "published", begin=3)
def copies_that_have_read_have_written(patch: Patch) -> None:
    """Who waits until bulk copies have read shared memory forgets that they are still writing."""
    wait = ScratchUse.wait_for_copies

    def wait_for_copies(self: ScratchUse, *, written: bool = False) -> None:
        wait(self, written=True)

    patch.setattr(ScratchUse, "wait_for_copies", wait_for_copies)


# Warp specialization


@reverts("awaited_operands", begin=7)
def producers_overtake_acquires(patch: Patch) -> None:
    """A producer warp copies tiles before an acquire of other warps that they are behind."""
    patch.setattr(f"{MODEL}.tma_loads.what_holds", what_held)


@reverts("awaited_bounds", begin=7)
def producers_read_scalars_before_acquires(patch: Patch) -> None:
    """A producer warp reads scalars, such as bounds of loops, before such an acquire."""
    patch.setattr(f"{MODEL}.slicing.may_be_hoisted_across", was_independent)
    patch.setattr(f"{MODEL}.slicing.what_holds", what_held)


@reverts("awaited_bounds", "awaited_operands", begin=2)
def producers_overtake_grid_waits(patch: Patch) -> None:
    """A producer warp does not wait for the previous grid."""
    patch.setattr(f"{MODEL}.slicing.grid_waits_before", no_waits)


def no_waits(_: Operation) -> list[Operation]:
    return []


@reverts("overwritten_bounds", begin=5)
def producers_read_overwritten_scalars(patch: Patch) -> None:
    """A producer warp reads scalars that other warps may have overwritten by then."""

    def is_invariant(_: Operation) -> bool:
        return True

    patch.setattr(f"{MODEL}.slicing.is_invariant", is_invariant)
    patch.setattr(f"{TRANSFORMS}.tileas.tileas_dynamic_persistent.is_invariant", is_invariant)


@reverts("given_bounds", begin=2)
def releases_do_not_hold_scalars(patch: Patch) -> None:
    """A producer warp reads a scalar for itself, behind the release that lets others change it."""
    having = Conflicts.having

    def all_but_releases(self: Conflicts, effects: Effect) -> int:
        return 0 if effects is Effect.RELEASE else having(self, effects)

    patch.setattr(Conflicts, "having", all_but_releases)


@reverts("given_away", begin=4)
def consumers_give_tiles_away_before_they_are_there(patch: Patch) -> None:
    """Consumers wait for a tile where they use it, behind a release or a store to its memory."""

    def follows_loads(_: Operation) -> bool:
        return False

    patch.setattr(f"{SCHEDULE}.agents.follows_loads", follows_loads)


@reverts("awaited_bounds", "awaited_operands", begin=4)
def persistent_kernels_overtake_grid_waits(patch: Patch) -> None:
    """As a kernel becomes persistent, its loads are marked as if they waited for no other grid."""
    patch.setattr(f"{TRANSFORMS}.tileas.tileas_dynamic_persistent.is_independent", was_independent)


@reverts("clustered")
def stages_are_released_for_ones_own_cta(patch: Patch) -> None:
    """Consumers tell their own CTA twice that they have read a stage, and the other one never."""

    def arrive_at_home(
        builder: ThreadBuilder, barrier: SSAValue, rank: SSAValue, scope: object
    ) -> None:
        builder.emit(MBarrierArriveSharedOp(barrier))

    patch.setattr(pipelines, "arrive_remotely", arrive_at_home)


# Hoisting


@reverts("awaited_addend")
def loads_are_hoisted_above_waits(patch: Patch) -> None:
    """Loads of an epilogue move above the main loop, and above an acquire or grid wait too."""
    preparing = f"{TRANSFORMS}.tileas.tileas_prepare_for_scheduling"
    patch.setattr(f"{preparing}.may_move_before", was_independent)


# Tensors


@reverts("empty_tensors")
def empty_tensors_are_stored_to(patch: Patch) -> None:
    """A TMA store to an empty tensor overwrites the zeros that stand for it."""

    @contextmanager
    def if_in_bounds(*_: Any) -> Generator[None]:
        yield

    for module in ("tma_stores", "warpgroup_stores"):
        patch.setattr(f"{TO_NVGPU}.{module}.if_in_bounds", if_in_bounds)


@reverts("huge_tensors", begin=8)
def huge_tensors_are_copied(patch: Patch) -> None:
    """A TMA load of a tensor that is larger than its coordinates can say."""

    def why_not_copied(view: SSAValue, axis_info: AxisInfoAnalysis) -> str | None:
        with pytest.MonkeyPatch.context() as limits:
            limits.setattr(tma_tiles, "STRIDE_LIMIT", 1 << 80)
            limits.setattr(tma_tiles, "MAX_ADDRESSED_EXTENT", 1 << 80)
            return tma_tiles.why_not_copied(view, axis_info)

    patch.setattr(f"{MODEL}.tma_loads.why_not_copied", why_not_copied)


@reverts("summed_up", begin=2)
def integers_of_maps_have_a_sign(patch: Patch) -> None:
    """Tensor maps have signed integers, though integers of a tile are compared unsigned."""
    names: dict[str, str] = vars(tma)["_NAMES"]
    patch.setitem(names, "i32", "s32")
    patch.setitem(names, "i64", "s64")


# Strong reads


@reverts("coherent", orders=6, begin=6)
def strong_reads_are_not_in_order(patch: Patch) -> None:
    """Nothing is between strong reads of one place by different threads."""
    needs_cta_barrier = discharge_mem_tokens.needs_cta_barrier

    def must_meet_for_writes(
        earlier: discharge_mem_tokens.OrderedEffect, later: discharge_mem_tokens.OrderedEffect
    ) -> Ordering:
        found = needs_cta_barrier(earlier, later)
        is_write = (earlier.effects | later.effects) & Effect.WRITE
        return found if is_write or found is not Ordering.SAME_MEMORY else Ordering.FREE

    patch.setattr(discharge_mem_tokens, "needs_cta_barrier", must_meet_for_writes)


@reverts("diverging")
def threads_read_flags_for_themselves(patch: Patch) -> None:
    """Every thread that holds an element of a tile does the strong read of it for itself."""

    def load_for_oneself(
        builder: ThreadBuilder,
        pieces: VectorAccess,
        layout: object,
        element: Any,
        order: Order,
        other: SSAValue | None = None,
    ) -> SSAValue:
        return load_vectors(builder, pieces, element, order, other)

    def keep(builder: ThreadBuilder, value: SSAValue, *_: object) -> SSAValue:
        return value

    def leave(self: ThreadBuilder) -> None:
        """Buffers that nobody uses are no error."""

    for module in ("memory", "views"):
        patch.setattr(f"{TO_NVGPU}.{module}.load_consistent", load_for_oneself)
    patch.setattr(f"{TO_NVGPU}.views.make_consistent", keep)
    patch.setattr(ThreadBuilder, "check_buffers", leave)
