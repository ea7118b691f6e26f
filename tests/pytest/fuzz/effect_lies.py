"""
Lies about effects: ops that declare less than they do, and analyses that say an op may move where
it may not. Each comes with a pair of `strategies/order_pairs.py` or `order_gemms.py` that finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import pytest
from xdsl.ir import Operation
from xdsl.irdl import traits_def
from xdsl.traits import Pure

from tileiras_xdsl.analysis import memory_order as analysis
from tileiras_xdsl.analysis.memory_order import Ordering
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import memory_order as declared
from tileiras_xdsl.dialects.memory_order import Effect, Reads, is_plain_load
from tileiras_xdsl.dialects.nv_tileaa import memory as aa
from tileiras_xdsl.dialects.nv_tileaa import views as aa_views
from tileiras_xdsl.transforms.tileaa import discharge_mem_tokens
from tileiras_xdsl.transforms.tileas import (
    tileas_prepare_for_scheduling,
    tileas_unspecialized_pipeline,
)
from tileiras_xdsl.transforms.tileas.kernel_model import slicing, staged_loads, tma_loads
from tileiras_xdsl.transforms.tileas.schedule import stages

from ..strategies.order_gemms import GemmPair, GemmStory, Where
from ..strategies.order_gemms import Mover as GemmMover
from ..strategies.order_kinds import Kind
from ..strategies.order_pairs import Pair, Place, Story
from .order_pair_runs import AnyPair

Patch = pytest.MonkeyPatch


@dataclass(frozen=True)
class Lie:
    """Something untrue that passes are told."""

    name: str
    tell: Callable[[Patch], None]
    pair: AnyPair
    """The pair of ops that finds it."""

    def __str__(self) -> str:
        return self.name

    @contextmanager
    def told(self) -> Generator[None]:
        """Compiles with the lie."""
        with pytest.MonkeyPatch.context() as patch:
            self.tell(patch)
            yield


LIES: list[Lie] = []


def lies(pair: AnyPair) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    """Registers a function that tells a lie."""

    def register(tell: Callable[[Patch], None]) -> Callable[[Patch], None]:
        LIES.append(Lie(tell.__name__, tell, pair))
        return tell

    return register


def after(mover: str, anchor: str, story: Story, place: Place = "straight") -> Pair:
    """The first kind behind the second."""
    return Pair(Kind.parse(anchor), Kind.parse(mover), True, story, place)


def before(mover: str, anchor: str, story: Story, place: Place = "straight") -> Pair:
    """The first kind before the second."""
    return Pair(Kind.parse(anchor), Kind.parse(mover), False, story, place)


def product(
    mover: GemmMover, where: Where, anchor: str, story: GemmStory, *, is_after: bool = True
) -> GemmPair:
    """A part of a product behind an op, or before it."""
    return GemmPair(Kind.parse(anchor), mover, where, is_after, story)


def declare(patch: Patch, *ops: type[Operation], trait: Any) -> None:
    """Ops declare something else."""
    for op in ops:
        patch.setattr(op, "traits", traits_def(trait))


def replace_everywhere(patch: Patch, name: str, new: object, *modules: ModuleType) -> None:
    """A function of the analysis is another one for those who ask."""
    for module in (analysis, *modules):
        patch.setattr(module, name, new)


# Ops of level 0


@lies(after("load_ptr_tko scalar weak", "store_ptr_tko scalar weak", "same memory"))
def stores_of_level_0_are_pure(patch: Patch) -> None:
    declare(patch, ct.StorePtrOp, trait=Pure())


@lies(after("print_tko", "print_tko", "same memory"))
def prints_of_level_0_are_pure(patch: Patch) -> None:
    declare(patch, ct.PrintTkoOp, trait=Pure())


@lies(after("store_ptr_tko scalar weak", "assert", "same memory"))
def assertions_of_level_0_are_pure(patch: Patch) -> None:
    declare(patch, ct.AssertOp, trait=Pure())


@lies(after("load_ptr_tko scalar weak", "gdc_wait_tko", "previous grid"))
def grid_waits_of_level_0_are_pure(patch: Patch) -> None:
    declare(patch, ct.GdcWaitOp, trait=Pure())


@lies(
    after("load_ptr_tko scalar weak", "atomic_rmw_tko scalar relaxed gpu", "same memory", "twice")
)
def atomics_of_level_0_are_pure(patch: Patch) -> None:
    declare(patch, ct.AtomicRMWOp, trait=Pure())


@lies(after("load_ptr_tko scalar weak", "memory_fence_alias_tko", "same memory"))
def fences_of_level_0_are_pure(patch: Patch) -> None:
    declare(patch, ct.MemoryFenceAliasOp, trait=Pure())


# Ops of level 1


@lies(after("load_ptr_tko tile weak", "store_ptr_tko tile weak", "same memory"))
def stores_only_read(patch: Patch) -> None:
    declare(patch, aa.StoreOp, trait=Reads())


@lies(after("load_view_tko partition weak", "store_view_tko partition weak", "same memory"))
def stores_to_views_only_read(patch: Patch) -> None:
    declare(patch, aa_views.TiledStoreOp, trait=Reads())


@lies(after("load_ptr_tko tile weak", "atomic_rmw_tko scalar relaxed gpu", "same memory"))
def atomics_only_read(patch: Patch) -> None:
    declare(patch, aa.AtomicRMWOp, trait=Reads())


@lies(after("load_ptr_tko tile weak", "atomic_cas_tko scalar relaxed gpu", "same memory"))
def compare_and_swap_only_reads(patch: Patch) -> None:
    declare(patch, aa.AtomicCASOp, trait=Reads())


@lies(
    after(
        "load_view_tko partition weak", "atomic_red_view_tko partition relaxed gpu", "same memory"
    )
)
def atomics_on_views_only_read(patch: Patch) -> None:
    declare(patch, aa_views.TiledAtomicRMWOp, trait=Reads())


@lies(product("operand", "ahead", "gdc_wait_tko", "previous grid"))
def grid_waits_are_pure(patch: Patch) -> None:
    declare(patch, aa.GdcWaitOp, trait=Pure())


@lies(before("store_ptr_tko scalar weak", "gdc_launch_dependents_tko", "same memory"))
def grid_launches_are_pure(patch: Patch) -> None:
    declare(patch, aa.GdcLaunchDependentsOp, trait=Pure())


@lies(after("load_ptr_tko scalar weak", "memory_fence_alias_tko", "same memory"))
def fences_are_pure(patch: Patch) -> None:
    declare(patch, aa.MemoryFenceAliasOp, trait=Pure())


@lies(after("print", "print", "same memory"))
def prints_only_read(patch: Patch) -> None:
    declare(patch, aa.PrintOp, trait=Reads())


@lies(after("store_ptr_tko scalar weak", "assert", "same memory"))
def assertions_only_read(patch: Patch) -> None:
    declare(patch, aa.AssertOp, trait=Reads())


# Semantics


@lies(after("load_ptr_tko tile weak", "load_ptr_tko scalar acquire gpu", "awaited"))
def acquires_are_relaxed(patch: Patch) -> None:
    patch.setitem(declared.SEMANTICS, "acquire", Effect.ATOMIC)


@lies(before("store_ptr_tko tile weak", "store_ptr_tko scalar release gpu", "published"))
def releases_are_relaxed(patch: Patch) -> None:
    patch.setitem(declared.SEMANTICS, "release", Effect.ATOMIC)


@lies(before("store_ptr_tko tile weak", "atomic_rmw_tko scalar acq_rel sys", "published"))
def both_only_acquire(patch: Patch) -> None:
    patch.setitem(declared.SEMANTICS, "acq_rel", Effect.ATOMIC | Effect.ACQUIRE)


@lies(after("load_ptr_tko tile weak", "atomic_cas_tko scalar seq_cst gpu", "awaited"))
def sequential_consistency_only_releases(patch: Patch) -> None:
    patch.setitem(declared.SEMANTICS, "seq_cst", Effect.ATOMIC | Effect.RELEASE)


# Analyses


def _never(*_: object) -> bool:
    return False


def _nothing(*_: object) -> None:
    return None


@lies(before("load_ptr_tko tile weak", "store_ptr_tko tile weak", "same memory", "loop"))
def writes_may_overtake_reads(patch: Patch) -> None:
    ordering = analysis.ordering

    def free(first: Effect, second: Effect) -> Ordering:
        if first == Effect.READ and second == Effect.WRITE:
            return Ordering.FREE
        return ordering(first, second)

    replace_everywhere(patch, "ordering", free, discharge_mem_tokens)


@lies(product("operand", "ahead", "load_ptr_tko scalar acquire gpu", "awaited"))
def producers_overtake_all(patch: Patch) -> None:
    replace_everywhere(patch, "what_holds", _nothing, tma_loads)


@lies(product("operand", "ahead", "gdc_wait_tko", "previous grid"))
def producers_do_not_wait_for_grids(patch: Patch) -> None:
    def no_waits(_: Operation) -> list[Operation]:
        return []

    replace_everywhere(patch, "grid_waits_before", no_waits, slicing)


@lies(product("addend", "behind", "load_ptr_tko scalar acquire gpu", "awaited"))
def epilogue_loads_are_hoisted_above_all(patch: Patch) -> None:
    def may_move(load: Operation, _: Operation) -> bool:
        return is_plain_load(load)

    replace_everywhere(patch, "may_move_before", may_move, tileas_prepare_for_scheduling)


@lies(product("operand", "inside", "store_ptr_tko scalar release gpu", "published", is_after=False))
def nothing_follows_loads(patch: Patch) -> None:
    replace_everywhere(patch, "follows_loads", _never, staged_loads)


@lies(product("bound", "ahead", "store_ptr_tko scalar weak", "same memory", is_after=False))
def all_scalars_are_invariant(patch: Patch) -> None:
    def is_invariant(_: Operation) -> bool:
        return True

    replace_everywhere(patch, "is_invariant", is_invariant, slicing)


@lies(replace(product("operand", "inside", "store_ptr_tko tile weak", "same memory"), arch="sm_80"))
def all_loads_are_pipelined(patch: Patch) -> None:
    def may_be_pipelined(_: Operation, load: Operation) -> bool:
        return is_plain_load(load)

    replace_everywhere(
        patch, "may_be_pipelined_in", may_be_pipelined, stages, tileas_unspecialized_pipeline
    )
