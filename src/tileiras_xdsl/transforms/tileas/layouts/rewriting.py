"""
Rewrites a kernel with a layout on every tensor.

Flexible values are rematerialized where they are defined, once for each layout that a user needs;
other values are converted once for each other layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.layout_conversion import Renaming, plan_conversion
from tileiras_xdsl.analysis.linear_layout import LinearLayout, is_permutation_of_registers
from tileiras_xdsl.analysis.matrix_layouts import coordinate_layout, is_coalesced
from tileiras_xdsl.analysis.slices import operands_first
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicRMWOp, OrderedAccess, PointerStore
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp, CatOp, ExtractOp, InsertOp
from tileiras_xdsl.dialects.nv_tileaa.views import TileLoad, TileStore, TileUpdate
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    LAYOUT,
    LAYOUT_A,
    LAYOUT_B,
    LAYOUT_SCALE_A,
    LAYOUT_SCALE_B,
    get_vector,
)
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of, with_layout
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.scf import WhileOp
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    default_layout,
    get_anchor_layout,
    is_cheap,
    is_elementwise,
    is_tensor,
    operand_layout,
    tensors,
)
from tileiras_xdsl.xdsl_extras.walking import find_all

from .inference import Inference
from .memory_layouts import (
    anchor_broadcast_loads,
    anchor_equal_vectors,
    anchor_loads_beside_mmas,
    anchor_made_operands,
    anchor_scanned_loads,
)


@dataclass(eq=False)
class Scope:
    """A block that is being written, and the values rematerialized or converted in it."""

    block: Block
    made: dict[tuple[SSAValue, LinearLayout], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, LinearLayout], SSAValue]
    )


class LayoutRewriter:
    """Writes a copy of a function with layouts; the original is left as it is."""

    def __init__(self, inference: Inference):
        self._inference = inference
        self._layouts = inference.layouts
        self._warps = inference.warps
        self._scopes: list[Scope] = []
        self._scope_of: dict[SSAValue, Scope] = {}
        self._values: dict[SSAValue, SSAValue] = {}

    def rewrite(self, block: Block, types: Sequence[Attribute]) -> Block:
        """A copy of a block, with arguments of some types."""
        new = Block(arg_types=types)
        scope = Scope(new)
        self._scopes.append(scope)
        for old_argument, new_argument in zip(block.args, new.args, strict=True):
            new_argument.name_hint = old_argument.name_hint
            self._define(old_argument, new_argument)
        for op in block.ops:
            self._rewrite_op(op)
        self._scopes.pop()
        return new

    # Values

    def _define(self, old: SSAValue, new: SSAValue) -> None:
        self._values[old] = new
        self._scope_of[old] = self._scopes[-1]
        if new.name_hint is None:
            new.name_hint = old.name_hint

    def _get(self, value: SSAValue, layout: LinearLayout | None = None) -> SSAValue:
        """A value, in a layout if it is a tensor; by default in its own."""
        if not is_tensor(value):
            return self._values[value]
        own = self._layouts.get(value)
        layout = layout or own or default_layout(value.type, self._warps)
        if own == layout:
            return self._values[value]
        made = self._scope_of[value].made
        if (value, layout) not in made:
            for each, wanted in operands_first((value, layout), self._made_of):
                scope = self._scope_of[each]
                if (each, wanted) not in scope.made:
                    new = self._make(each, wanted, scope)
                    new.name_hint = each.name_hint
                    scope.made[each, wanted] = new
        return made[value, layout]

    def _made_of(
        self, wanted: tuple[SSAValue, LinearLayout]
    ) -> list[tuple[SSAValue, LinearLayout]]:
        """The tiles in new layouts that one is made of, and that are not there yet."""
        value, layout = wanted
        op = value.owner
        if not isinstance(op, Operation) or self._layouts.get(value) is not None:
            return []
        found: list[tuple[SSAValue, LinearLayout]] = []
        for operand in filter(is_tensor, op.operands):
            own = self._layouts.get(operand)
            is_same = isinstance(op, ConvertLayoutOp)
            needed = layout if is_same else operand_layout(op, operand, layout)
            needed = needed or own or default_layout(operand.type, self._warps)
            if needed != own and (operand, needed) not in self._scope_of[operand].made:
                found.append((operand, needed))
        return found

    def _make(self, value: SSAValue, layout: LinearLayout, scope: Scope) -> SSAValue:
        """A value in a new layout: rematerialized, or converted."""
        op = value.owner
        ty = value.type
        assert isinstance(ty, TensorType)
        if isinstance(op, ConvertLayoutOp) and self._layouts.get(value) is None:
            return self._get(op.operands[0], layout)
        if isinstance(op, Operation) and self._layouts.get(value) is None:
            operands = [self._get(v, operand_layout(op, v, layout)) for v in op.operands]
            return self._copy(op, operands, [with_layout(ty, layout)], scope).results[0]
        conversion = ConvertLayoutOp(self._values[value], with_layout(ty, layout))
        source = op if isinstance(op, Operation) else op.parent_op()
        if source is not None:
            conversion.location = source.location
        scope.block.add_op(conversion)
        return conversion.results[0]

    def _copy(
        self,
        op: Operation,
        operands: Sequence[SSAValue],
        types: Sequence[Attribute],
        scope: Scope | None = None,
    ) -> Operation:
        regions = [*map(self._copy_region, op.regions)]
        properties = dict(op.properties)
        if isinstance(op, arith.ConstantOp) and isinstance(types[0], TensorType):
            properties["value"] = _retype(op.value, types[0])
        copy = type(op).create(
            operands=operands,
            result_types=types,
            properties=properties,
            attributes=dict(op.attributes),
            regions=regions,
        )
        copy.location = op.location
        (scope or self._scopes[-1]).block.add_op(copy)
        return copy

    def _copy_region(self, region: Region) -> Region:
        """A copy of the scalar code in an op, which may use values from outside."""
        outside = {
            operand: self._get(operand)
            for op in region.walk()
            for operand in op.operands
            if operand in self._values
        }
        copy = Region()
        region.clone_into(copy, value_mapper=outside)
        for old, new in zip(region.walk(), copy.walk(), strict=True):
            new.location = old.location
        return copy

    # Ops

    def _rewrite_op(self, op: Operation) -> None:
        match op:
            case scf.ForOp():
                self._rewrite_for(op)
            case scf.WhileOp():
                self._rewrite_while(op)
            case scf.IfOp():
                self._rewrite_if(op)
            case scf.YieldOp():
                self._rewrite_yield(op)
            case ConvertLayoutOp():
                # A conversion of an earlier run, which is decided again, stands for its operand.
                source, result = op.operands[0], op.results[0]
                if self._layouts.get(source) is None:
                    self._scope_of[result] = self._scope_of[source]
                else:
                    self._define(result, self._values[source])
            case _:
                self._rewrite_plain(op)

    def _rewrite_plain(self, op: Operation) -> None:
        results = tensors(op.results)
        is_flexible = is_cheap(op) or isinstance(op, BroadcastOp)
        if results and self._layouts.get(results[0]) is None and is_flexible:
            for result in op.results:
                self._scope_of[result] = self._scopes[-1]
            return
        layouts = self._operand_layouts(op)
        operands = [self._get(v, layouts.get(n)) for n, v in enumerate(op.operands)]
        types: list[Attribute] = []
        for result in op.results:
            ty = result.type
            if isinstance(ty, TensorType):
                layout = self._inference.fixed(result)
                self._layouts[result] = layout
                ty = with_layout(ty, layout)
            types.append(ty)
        copy = self._copy(op, operands, types)
        for old, new in zip(op.results, copy.results, strict=True):
            self._define(old, new)

    def _operand_layouts(self, op: Operation) -> Mapping[int, LinearLayout | None]:
        """The layouts in which an op takes its tensors, by number of the operand."""
        numbers = [n for n, value in enumerate(op.operands) if is_tensor(value)]
        if not numbers:
            return {}
        match op:
            case DotOp() | ScaledDotOp():
                return self._dot_layouts(op)
            case AggregateOperation():
                layout = self._inference.aggregate_layout(op)
                return dict.fromkeys(numbers, layout)
            case CatOp():
                layout = self._inference.fixed(op.lhs)
                return dict.fromkeys(numbers, layout)
            case InsertOp() | ExtractOp():
                return {n: self._inference.fixed(op.operands[n]) for n in numbers}
            case TileLoad() | TileStore() | TileUpdate():
                return self._access_layouts(op)
            case _ if tensors(op.results) and (
                is_elementwise(op) or is_cheap(op) or isinstance(op, BroadcastOp)
            ):
                result = self._inference.fixed(tensors(op.results)[0])
                return {n: operand_layout(op, op.operands[n], result) for n in numbers}
            case _:
                return self._anchored_layouts(op, numbers)

    def _anchored_layouts(self, op: Operation, numbers: Sequence[int]) -> dict[int, LinearLayout]:
        """All tensors of one shape in the anchor layout of an op, or else in their own."""
        first = tensors(op.results)[0] if tensors(op.results) else op.operands[numbers[0]]
        anchor = get_anchor_layout(op, LAYOUT, first.type)
        if anchor is None and isinstance(op, OrderedAccess):
            return dict.fromkeys(numbers, self._inference.fixed(first))
        if anchor is None:
            return {n: self._inference.fixed(op.operands[n]) for n in numbers}
        if isinstance(op, AtomicRMWOp) and not any(True for _ in op.result.uses):
            anchor = self._accept(op, op.value, anchor)
            self._layouts[op.result] = anchor
        elif isinstance(op, PointerStore):
            anchor = self._accept(op, op.value, anchor)
        return dict.fromkeys(numbers, anchor)

    def _access_layouts(self, op: TileLoad | TileStore | TileUpdate) -> dict[int, LinearLayout]:
        """The tile in the layout of the access, indices in the layout that follows from it."""
        result = tensors(op.results)
        if result:
            tile = self._inference.fixed(result[0])
        else:
            value = op.operands[0] if is_tensor(op.operands[0]) else tensors(op.operands)[-1]
            anchor = get_anchor_layout(op, LAYOUT, value.type)
            tile = self._inference.fixed(value) if anchor is None else anchor
            tile = self._accept(op, value, tile)
        layouts: dict[int, LinearLayout] = {}
        sparse = op.view_type.get_sparse_dim()
        for number, operand in enumerate(op.operands):
            if not is_tensor(operand):
                continue
            if operand in op.indices:
                assert sparse is not None
                layouts[number] = coordinate_layout(tile, sparse)
            else:
                layouts[number] = tile
        return layouts

    def _accept(self, op: Operation, value: SSAValue, wanted: LinearLayout) -> LinearLayout:
        """The own layout of a stored value if it coalesces as well as the anchor."""
        own = self._layouts.get(value)
        vector = get_vector(op)
        is_lazy = self._inference.is_lazy
        if own is None or not is_lazy or vector is None:
            return wanted
        assert isinstance(value.type, TensorType)
        bits = max(8, memory_bits(value.type.get_element_type()))
        return own if is_coalesced(own, vector.dim, bits) else wanted

    def _dot_layouts(self, op: DotOp | ScaledDotOp) -> dict[int, LinearLayout]:
        layouts: dict[int, LinearLayout] = {}
        for index, attribute in enumerate((LAYOUT_A, LAYOUT_B, LAYOUT)):
            operand = op.operands[index]
            layout = get_anchor_layout(op, attribute, operand.type)
            layouts[index] = layout or self._inference.fixed(operand)
        layouts[2] = self._inference.fixed(op.results[0])
        if isinstance(op, ScaledDotOp):
            for index, attribute in enumerate((LAYOUT_SCALE_A, LAYOUT_SCALE_B), op.scale_index):
                operand = op.operands[index]
                layout = get_anchor_layout(op, attribute, operand.type)
                layouts[index] = layout or self._inference.fixed(operand)
        return layouts

    # Regions

    def _types(self, values: Sequence[SSAValue]) -> list[Attribute]:
        types: list[Attribute] = []
        for value in values:
            ty = value.type
            if isinstance(ty, TensorType):
                ty = with_layout(ty, self._inference.fixed(value))
            types.append(ty)
        return types

    def _in_layouts_of(
        self, values: Sequence[SSAValue], targets: Sequence[SSAValue]
    ) -> list[SSAValue]:
        return [
            self._get(value, self._inference.fixed(target) if is_tensor(target) else None)
            for value, target in zip(values, targets, strict=True)
        ]

    def _emit_region_op(self, op: Operation, copy: Operation) -> None:
        copy.attributes.update(op.attributes)
        copy.location = op.location
        self._scopes[-1].block.add_op(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            if is_tensor(old):
                self._layouts[old] = self._inference.fixed(old)
            self._define(old, new)

    def _rewrite_for(self, op: scf.ForOp) -> None:
        arguments = op.body.block.args
        inits = self._in_layouts_of(op.iter_args, arguments[1:])
        lower, upper, step = map(self._get, (op.lb, op.ub, op.step))
        body = self.rewrite(op.body.block, self._types(arguments))
        self._emit_region_op(op, scf.ForOp(lower, upper, step, inits, Region(body)))

    def _rewrite_while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        inits = self._in_layouts_of(op.arguments, before.args)
        regions = [
            Region(self.rewrite(block, self._types(block.args))) for block in (before, after)
        ]
        copy = WhileOp(inits, self._types(op.results), regions[0], regions[1])
        self._emit_region_op(op, copy)

    def _rewrite_if(self, op: scf.IfOp) -> None:
        condition = self._get(op.cond)
        regions = [
            Region(self.rewrite(region.block, [])) if region.blocks else Region()
            for region in op.regions
        ]
        self._emit_region_op(
            op, scf.IfOp(condition, self._types(op.results), regions[0], regions[1])
        )

    def _rewrite_yield(self, op: scf.YieldOp) -> None:
        parent = op.parent_op()
        match parent:
            case scf.ForOp():
                targets: Sequence[SSAValue] = parent.body.block.args[1:]
            case scf.WhileOp():
                targets = parent.before_region.block.args
            case _:
                assert parent is not None
                targets = parent.results
        self._copy(op, self._in_layouts_of(op.arguments, targets), [])


def _retype(value: Attribute, ty: TensorType) -> Attribute:
    """A constant for a tensor with a layout."""
    assert isinstance(value, DenseIntOrFPElementsAttr)
    return DenseIntOrFPElementsAttr(cast(TensorType[Any], ty), value.data)


# Registers are renamed before elements are narrowed, and not taken out of words afterwards.
#
#  %p = nv_tileaa.fp_to_fp %e : tensor<128x128xf32, #a> -> tensor<128x128xf8E4M3FN, #a>
#  %q = nv_tileas.convert_layout %p : tensor<128x128xf8E4M3FN, #a> -> tensor<128x128xf8E4M3FN, #b>
#  →
#  %f = nv_tileas.convert_layout %e : tensor<128x128xf32, #a> -> tensor<128x128xf32, #b>
#  %q = nv_tileaa.fp_to_fp %f : tensor<128x128xf32, #b> -> tensor<128x128xf8E4M3FN, #b>
#
# An element of 32 bits has a register of its own, so a conversion that only renames registers
# costs nothing. Four of 8 bits share one, and are packed as they are narrowed: bytes of one word
# that come from several would be packed again.


def _is_narrowing(op: Operation) -> bool:
    """Whether an op makes words of several elements of words of one, for one use."""
    if not (is_elementwise(op) and is_cheap(op) and len(op.operands) == len(op.results) == 1):
        return False
    if not tensors(op.operands) or not op.results[0].has_one_use():
        return False
    before, after = get_element(op.operands[0].type), get_element(op.results[0].type)
    return memory_bits(after) < WORD_BITS <= memory_bits(before)


def _splits_words(conversion: ConvertLayoutOp) -> bool:
    """Whether a conversion renames registers, but not whole words of elements."""
    source, result = conversion.operands[0], conversion.results[0]
    before, after = layout_of(source.type), layout_of(result.type)
    assert before is not None
    assert after is not None
    bits = memory_bits(get_element(result.type))
    if not is_permutation_of_registers(before, after):
        return False
    plan = plan_conversion(before, after, bits)
    if not isinstance(plan, Renaming):
        return False
    width = min(WORD_BITS // bits, len(plan.indices))
    return any(
        plan.indices[start] % width or plan.indices[start + i] != plan.indices[start] + i
        for start in range(0, len(plan.indices), width)
        for i in range(width)
    )


def _rename_first(op: Operation, conversion: ConvertLayoutOp) -> None:
    wide, result = op.operands[0].type, conversion.results[0]
    assert isinstance(wide, TensorType)
    renamed = ConvertLayoutOp(op.operands[0], with_layout(wide, layout_of(result.type)))
    renamed.location = conversion.location
    narrowed = type(op).create(
        operands=[renamed.results[0]],
        result_types=[result.type],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    narrowed.location = op.location
    narrowed.results[0].name_hint = op.results[0].name_hint
    Rewriter.insert_op([renamed, narrowed], InsertPoint.before(op))
    result.replace_all_uses_with(narrowed.results[0])
    Rewriter.erase_op(conversion)
    Rewriter.erase_op(op)


# Layout assignment, which the passes that assign layouts share.


def apply_layouts(function: FuncOp, *, is_lazy: bool) -> None:
    """Rewrites a kernel with a layout on every tensor."""
    _rewrite(function, is_lazy=is_lazy)
    if not is_lazy:
        return
    if find_all(function, DotOp, ScaledDotOp):
        is_changed = any([anchor_made_operands(function), anchor_loads_beside_mmas(function)])
    else:
        anchors = anchor_scanned_loads, anchor_broadcast_loads, anchor_equal_vectors
        is_changed = any([anchor(function) for anchor in anchors])
    if is_changed:
        _rewrite(function, is_lazy=is_lazy)
    for conversion in find_all(function, ConvertLayoutOp):
        op = conversion.operands[0].owner
        if isinstance(op, Operation) and _is_narrowing(op) and _splits_words(conversion):
            _rename_first(op, conversion)


def _rewrite(function: FuncOp, *, is_lazy: bool) -> None:
    block = function.body.block
    inference = Inference(get_warps(function), is_lazy=is_lazy)
    inference.run(block)
    new = LayoutRewriter(inference).rewrite(block, block.arg_types)
    function.detach_region(function.body)
    function.add_region(Region(new))
