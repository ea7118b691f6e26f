"""
Passes that move any op ask what it declares: every registered op of levels 1 to 4, as the FileCheck
tests of its dialect have it, is put between two equal loads, twice in a row, into a loop, and where
nobody uses what it yields.

CSE, LICM and dead code elimination keep each op that declares more than to read, and merge no loads
across one that may write; they do merge, hoist and remove pure ones. That ops declare what they do
is tested elsewhere: `test_order_pairs.py` (level 1), `test_declared_effects.py` (by running
programs), `test_llvm_order.py` (by LLVM's optimizer).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Dialect, Operation, Region, SSAValue
from xdsl.irdl import traits_def
from xdsl.passes import ModulePass
from xdsl.traits import (
    IsTerminator,
    MemoryEffectKind,
    Pure,
    get_effects,
    is_side_effect_free,
    is_speculatable,
)
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.transforms.dead_code_elimination import DeadCodeElimination
from xdsl.transforms.loop_invariant_code_motion import LoopInvariantCodeMotionPass

from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nv_tileaa import NvTileaa
from tileiras_xdsl.dialects.nv_tileas import NvTileas
from tileiras_xdsl.dialects.nvgpu import Nvgpu
from tileiras_xdsl.dialects.nvvm import Nvvm
from tileiras_xdsl.frontend.load import make_context

from ..harness.modules import context, parse_unverified

DIALECTS: tuple[Dialect, ...] = (NvTileaa, NvTileas, Nvgpu, Nvvm)
TEXTS = Path(__file__).parents[2] / "filecheck" / "dialects"


@cache
def instances() -> dict[str, Operation]:
    """An op of each name."""
    ctx = make_context()
    ctx.allow_unregistered = True
    found: dict[str, Operation] = {}
    for dialect in DIALECTS:
        for path in sorted((TEXTS / dialect.name).glob("*.mlir")):
            if "invalid" in path.name:
                continue
            for part in path.read_text().split("// -----"):
                for op in parse_unverified(part, path.name, ctx=ctx).walk():
                    found.setdefault(op.name, op)
    return found


def registered() -> dict[str, type[Operation]]:
    return {op.name: op for dialect in DIALECTS for op in dialect.operations}


@cache
def movable() -> dict[str, Operation]:
    """Those that can stand anywhere: no terminators, and nothing that is not in a block."""
    names = registered()
    return {
        name: op
        for name, op in instances().items()
        if name in names
        and not op.has_trait(IsTerminator)
        and op.parent_block() is not None
        and not op.successors
    }


def readers() -> dict[str, Operation]:
    """Ops that only read."""
    return {
        name: op for name, op in movable().items() if own_effects(op) == Effect.READ and op.results
    }


def may_write(op: Operation) -> bool:
    effects = get_effects(op)
    return effects is None or any(each.kind is MemoryEffectKind.WRITE for each in effects)


class Program:
    """A module with copies of ops, on operands that are defined first."""

    def __init__(self) -> None:
        self.block = Block()
        self.module = ModuleOp(Region(self.block))
        self.operands: dict[SSAValue, SSAValue] = {}

    def operands_of(self, op: Operation) -> None:
        """Defines what an op, or one in it, uses."""
        inside = {each for inner in op.walk() for each in inner.results}
        for inner in op.walk():
            for value in inner.operands:
                is_argument = (
                    isinstance(value.owner, Block) and value.owner is not op.parent_block()
                )
                if value in inside or value in self.operands or (inner is not op and is_argument):
                    continue
                source = AnyOp(result_types=[value.type])
                self.block.add_op(source)
                self.operands[value] = source.results[0]

    def copy(self, op: Operation, into: Block | None = None) -> Operation:
        new = op.clone(dict(self.operands))
        (into or self.block).add_op(new)
        return new

    def use(self, *ops: Operation) -> None:
        self.block.add_op(AnyOp([value for op in ops for value in op.results]))

    def run(self, made: ModulePass) -> None:
        made.apply(context(), self.module)

    def count(self, name: str) -> int:
        return sum(op.name == name for op in self.module.walk())


def is_merged_across(anchor: Operation, reader: Operation) -> bool:
    """Whether CSE merges two equal loads around an op."""
    program = Program()
    for op in (anchor, reader):
        program.operands_of(op)
    first = program.copy(reader)
    program.copy(anchor)
    second = program.copy(reader)
    program.use(first, second)
    before = program.count(reader.name)
    program.run(CommonSubexpressionElimination())
    return program.count(reader.name) < before


def is_merged(op: Operation) -> bool:
    """Whether CSE merges an op with an equal one."""
    program = Program()
    program.operands_of(op)
    program.use(program.copy(op), program.copy(op))
    program.run(CommonSubexpressionElimination())
    return program.count(op.name) < 2


def is_hoisted(op: Operation) -> bool:
    """Whether LICM hoists an op out of a loop."""
    program = Program()
    program.operands_of(op)
    bounds = [AnyOp(result_types=[IndexType()]) for _ in range(3)]
    program.block.add_ops(bounds)
    body = Block(arg_types=[IndexType()])
    inner = program.copy(op, body)
    body.add_ops([AnyOp(list(inner.results)), scf.YieldOp()])
    low, high, step = (each.results[0] for each in bounds)
    program.block.add_op(scf.ForOp(low, high, step, [], body))
    program.run(LoopInvariantCodeMotionPass())
    return any(each.name == op.name for each in program.block.ops)


def is_removed(op: Operation) -> bool:
    """Whether an op goes away whose results nobody uses."""
    program = Program()
    program.operands_of(op)
    program.copy(op)
    program.run(DeadCodeElimination())
    return not program.count(op.name)


def test_every_op_has_an_instance() -> None:
    assert not registered().keys() - instances().keys()
    assert len(movable()) > 350


READERS = (
    *("nv_tileaa.load", "nv_tileaa.tiled_load", "nv_tileaa.gather_load"),
    *("nv_tileas.load", "nv_tileas.tiled_load", "nv_tileas.gather_load"),
    *("nvgpu.ldmatrix", "nvvm.fragment.ldmatrix", "nvvm.ldmatrix.sync", "nvvm.fragment.load"),
)


def test_all_readers_are_known() -> None:
    assert set(READERS) == readers().keys()


@pytest.mark.part("kernels")
@pytest.mark.every(11)
@pytest.mark.parametrize("name", READERS)
def test_loads_are_not_merged_across_effects(name: str) -> None:
    """A load of some level, and each op of all levels."""
    wrong: list[str] = []
    merged, reader = 0, readers()[name]
    for other, anchor in movable().items():
        is_moved = is_merged_across(anchor, reader)
        merged += is_moved
        if is_moved and may_write(anchor):
            wrong.append(f"two {name} around {other} are merged")
        if not is_moved and is_side_effect_free(anchor):
            wrong.append(f"two {name} around {other}, which is pure, are not merged")
    assert not wrong, "\n".join(wrong)
    assert 150 < merged < len(movable()) - 150


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "is_moved", [is_merged, is_hoisted, is_removed], ids=["cse", "licm", "dce"]
)
def test_ops_with_effects_stay(is_moved: Callable[[Operation], bool]) -> None:
    moved = {name for name, op in movable().items() if is_moved(op)}
    stays = {name for name, op in movable().items() if may_write(op)}
    assert not moved & stays
    assert len(stays) > 150
    free = {
        name
        for name, op in movable().items()
        if is_side_effect_free(op) and is_speculatable(op) and op.results
    }
    assert len(free) > 150
    assert not free - moved


def test_allocations_are_not_merged() -> None:
    """Memory of its own; one that nobody uses may go."""
    op = movable()["nv_tileas.alloc_tensor"]
    assert not is_merged(op)
    assert not is_hoisted(op)


LIES = (
    *("nv_tileaa.gdc_wait_tko", "nv_tileaa.memory_fence_alias_tko", "nv_tileas.barrier"),
    *("nv_tileas.async.pipeline.consumer_wait", "nv_tileas.fence_proxy"),
    *("nvvm.mbarrier.try_wait.parity.shared", "nvvm.cp.async.bulk.wait_group", "nvvm.fence.proxy"),
    *("nvvm.barrier0", "nvvm.griddepcontrol.wait", "nvvm.fence.acq_rel"),
)
"""Ops of each level that order much."""


@pytest.mark.parametrize("name", LIES)
def test_an_op_that_declares_nothing_is_moved(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So these programs would show it."""
    op = movable()[name]
    reader = next(iter(readers().values()))
    assert not is_merged_across(op, reader)
    assert not is_removed(op)
    monkeypatch.setattr(type(op), "traits", traits_def(Pure()))
    assert is_merged_across(op, reader)
    assert is_removed(op)
