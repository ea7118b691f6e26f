"""
Tiles of producer threads: addresses and masks of what they copy by `cp.async`.

Before:  %i = nv_tileas.tiled_load %rows[%b] : … -> tensor<128xi32, #of_8_warps>
         %c = nv_tileas.convert_layout %i : … -> tensor<128xi32, #slice_of_8_warps>
         …
         %a = nv_tileas.load %p : tensor<128x64x!llvm.ptr<1>, #blocked_of_8_warps> -> …
After:   %i = nv_tileas.tiled_load %rows[%b] : … -> tensor<128xi32, #slice_of_4_warps>
         …
         %a = nv_tileas.load %p : tensor<128x64x!llvm.ptr<1>, #blocked_of_4_warps> -> …

Each op of the slice of a load is repeated in the layouts that its users in the producer need: no
data moves between threads, so that producer warps need neither scratch memory nor barriers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    i1,
    i32,
)
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import coordinate_layout
from tileiras_xdsl.analysis.slices import (
    operands_first,
    operands_of,
    reachable,
    reaching,
    sources_of,
)
from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.nv_tileas.atoms import CopiedLoad
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT
from tileiras_xdsl.dialects.nv_tileas.layout import with_layout
from tileiras_xdsl.dialects.nv_tileas.memory import GatherLoadOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    is_tensor,
    operand_layout,
    set_anchor_layout,
)

from ..kernel_model.copied_loads import copying_layout
from ..kernel_model.slicing import is_pure, is_tile_load
from ..kernel_model.tma_loads import halve, whole_tiling

Tile = tuple[SSAValue, LinearLayout]
"""A tile of the kernel, in a layout of producer threads."""


@dataclass(eq=False)
class ProducerTiles:
    """The tiles that producer threads hold, by the layouts in which they do."""

    _layouts: dict[Operation, dict[LinearLayout, None]] = field(
        default_factory=dict[Operation, dict[LinearLayout, None]], init=False
    )
    """By op, the layouts of its result."""
    _made: dict[Tile, SSAValue] = field(default_factory=dict[Tile, SSAValue], init=False)

    def add(self, load: CopiedLoad) -> None:
        """Plans the tiles that a load of producer threads needs."""
        for value in _tiles(load):
            self._need(value, _layout_of(load, value, copying_layout(load)))

    def emit(
        self,
        op: Operation,
        scalar: Callable[[SSAValue], SSAValue],
        put: Callable[[Operation], object],
    ) -> bool:
        """
        Repeats an op that makes a tile, once for each layout; False if producer threads hold no
        tile of it.
        """
        if op not in self._layouts:
            return False
        (result,) = op.results
        ty = result.type
        assert isinstance(ty, TensorType)
        for layout in self._layouts[op]:
            if isinstance(op, ConvertLayoutOp):
                self._made[result, layout] = self._made[op.operands[0], layout]
                continue
            operands = [
                self._get(op, value, layout) if is_tensor(value) else scalar(value)
                for value in op.operands
            ]
            made = with_layout(ty, layout)
            properties = dict(op.properties)
            if isinstance(op, arith.ConstantOp) and isinstance(op.value, DenseIntOrFPElementsAttr):
                properties["value"] = DenseIntOrFPElementsAttr(
                    cast(TensorType[Any], made), op.value.data
                )
            copy = type(op).create(
                operands=operands,
                result_types=[made],
                properties=properties,
                attributes=dict(op.attributes),
            )
            copy.location = op.location
            if is_tile_load(op):
                set_anchor_layout(copy, LAYOUT, layout)
            put(copy)
            copy.results[0].name_hint = result.name_hint
            self._made[result, layout] = copy.results[0]
        return True

    def of_load(self, load: CopiedLoad, value: SSAValue) -> SSAValue:
        """A tile that a load of producer threads takes."""
        return self._get(load, value, copying_layout(load))

    def _need(self, value: SSAValue, layout: LinearLayout) -> None:
        pending = [(value, layout)]
        while pending:
            value, layout = pending.pop()
            op = value.owner
            assert isinstance(op, Operation)
            known = self._layouts.setdefault(op, {})
            if layout in known:
                continue
            known[layout] = None
            pending += [(operand, _layout_of(op, operand, layout)) for operand in _tiles(op)]

    def _get(self, op: Operation, operand: SSAValue, layout: LinearLayout) -> SSAValue:
        return self._made[operand, _layout_of(op, operand, layout)]


def _tiles(op: Operation) -> Iterator[SSAValue]:
    return (value for value in op.operands if is_tensor(value))


def _layout_of(op: Operation, operand: SSAValue, layout: LinearLayout) -> LinearLayout:
    """The layout of an operand of an op whose result has a layout."""
    if isinstance(op, GatherLoadOp):
        sparse = op.view_type.get_sparse_dim()
        assert sparse is not None
        return coordinate_layout(layout, sparse)
    if is_tile_load(op) or isinstance(op, ConvertLayoutOp):
        return layout
    found = operand_layout(op, operand, layout)
    assert found is not None
    return found


# Tiles that the CTAs of a cluster multicast to each other.
#
# Neighbouring CTAs often need the same tile: all output tiles of a row read the same tiles of A,
# all of a column those of B. Each CTA then loads half of it, multicast to both. Whether they do is
# not known at compile time: a CTA computes its peer's coordinates as well as its own, once for
# each output tile, and compares them.

OpT = TypeVar("OpT", bound=Operation)


class PeerCta:
    """What the peer CTA of a cluster computes in an iteration of the persistent loop."""

    def __init__(self, loop: scf.ForOp, get: Callable[[SSAValue], SSAValue]):
        self._loop = loop
        self._get = get
        self._number = loop.body.block.args[0]
        self._values: dict[SSAValue, SSAValue | None] = {}
        """What values are in the peer CTA, None if that cannot be computed."""
        self._differing: dict[SSAValue, int] = {}
        """Whether values may differ in the peer CTA."""
        self.ops: list[Operation] = []
        """The ops that compute it, to be inserted where the CTA's own values dominate."""

    def shares(self, load: TiledLoadOp) -> SSAValue | None:
        """Whether both CTAs load the same tile, as an i1; None if it cannot be computed."""
        tiling = whole_tiling(load)
        if tiling is None or halve(tiling) is None or self._may_differ(load.view):
            return None
        same: SSAValue | None = None
        for index in load.indices:
            if not self._may_differ(index):
                continue
            other = self._value_in_peer(index)
            if other is None:
                return None
            test = self._add(CmpiOp(self._get(index), other, "eq")).result
            same = test if same is None else self._add(arith.AndIOp(same, test)).result
        if same is None:
            same = self._add(arith.ConstantOp(IntegerAttr(1, i1))).result
        return same

    def _add(self, op: OpT) -> OpT:
        op.location = self._loop.location
        self.ops.append(op)
        return op

    def _may_differ(self, value: SSAValue) -> bool:
        """Whether a value may differ in the peer CTA."""
        if value not in self._differing:
            found = [*reachable([value], self._unknown_inputs)]
            edges = [(source, each) for each in found for source in self._unknown_inputs(each)]
            seeds = {each: self._differing.get(each, self._is_other(each)) for each in found}
            self._differing |= reaching(edges, seeds)
        return bool(self._differing[value])

    def _is_other(self, value: SSAValue) -> bool:
        """Whether a value differs whatever it is computed from."""
        owner = value.owner
        return value is self._number or (isinstance(owner, Operation) and bool(owner.regions))

    def _unknown_inputs(self, value: SSAValue) -> Collection[SSAValue]:
        is_known = value is self._number or value in self._differing
        return () if is_known else _inputs(value)

    def _value_in_peer(self, value: SSAValue) -> SSAValue | None:
        """The value in the peer CTA, if scalar code outside of inner loops computes it."""
        for each in operands_first(value, self._cloned_operands, self._values):
            self._values[each] = self._compute_in_peer(each)
        return self._values[value]

    def _compute_in_peer(self, value: SSAValue) -> SSAValue | None:
        """The value in the peer CTA, if its operands there are known."""
        if value is self._number:
            one = self._add(arith.ConstantOp(IntegerAttr(1, i32))).result
            return self._add(arith.XOrIOp(self._get(value), one)).result
        if not self._may_differ(value):
            return self._get(value)
        operands = self._cloned_operands(value)
        found = [other for each in operands if (other := self._values[each]) is not None]
        if not operands or len(found) < len(operands):
            return None
        assert isinstance(value, OpResult)
        clone = value.op.clone()
        clone.operands = found
        return self._add(clone).results[value.index]

    def _cloned_operands(self, value: SSAValue) -> Collection[SSAValue]:
        """The operands of an op that is repeated for the peer CTA."""
        op = value.owner
        if not isinstance(op, Operation) or op.parent_block() is not self._loop.body.block:
            return ()
        if op.regions or not is_pure(op) or not isinstance(value.type, IntegerType | IndexType):
            return ()
        return op.operands if self._may_differ(value) else ()


def _inputs(value: SSAValue) -> Collection[SSAValue]:
    """What a value depends on: operands of its op, or what a block argument is given."""
    if not isinstance(value, BlockArgument):
        return operands_of(value)
    op = value.owner.parent_op()
    if isinstance(op, scf.ForOp):
        return (op.lb, op.step) if value.index == 0 else sources_of(value)
    return () if op is None else op.operands
