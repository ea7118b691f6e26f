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

from collections.abc import Callable, Iterator
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.access_layouts import coordinate_layout
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT
from tileiras_xdsl.dialects.nv_tileas.layout import with_layout
from tileiras_xdsl.dialects.nv_tileas.memory import GatherLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp

from ..kernel_model.copied_loads import CopiedLoad, copying_layout
from ..kernel_model.layout_rules import is_tensor, operand_layout, set_anchor_layout
from ..kernel_model.slicing import is_tile_load

Tile = tuple[SSAValue, LinearLayout]
"""A tile of the kernel, in a layout of producer threads."""


class ProducerTiles:
    """The tiles that producer threads hold, by the layouts in which they do."""

    def __init__(self) -> None:
        self._layouts: dict[Operation, dict[LinearLayout, None]] = {}
        """By op, the layouts of its result."""
        self._made: dict[Tile, SSAValue] = {}

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
