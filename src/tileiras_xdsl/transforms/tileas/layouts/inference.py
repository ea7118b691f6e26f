"""Layout propagation: the layout of every value of a kernel; `None` if it is flexible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue, Use

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.slices import reachable
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicRMWOp, OrderedAccess, PointerStore
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp, CatOp, ExtractOp, InsertOp
from tileiras_xdsl.dialects.nv_tileaa.views import TileStore, TileUpdate
from tileiras_xdsl.dialects.nv_tileas.atoms import is_async_mma
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    cat_layout,
    default_layout,
    extracted_layout,
    get_anchor_layout,
    is_cheap,
    is_elementwise,
    is_root,
    is_tensor,
    operand_layout,
    result_layout,
    tensors,
)
from tileiras_xdsl.xdsl_extras.walking import condition_of, last_of, walk

from ..kernel_model.exchanges import Axis
from .memory_layouts import with_runs_along

Layouts = dict[SSAValue, LinearLayout | None]

FIRST_CARRIED: Final = 3
"""Operands of `scf.for` before what it carries: the bounds and the step."""


@dataclass(eq=False)
class Inference:
    """
    Propagates layouts forwards. A loop-carried value takes the layout that the body yields, if
    that is not flexible, so that accumulators are not converted in the loop.

    A loop body is visited again when a carried value gets another layout. What is inferred in a
    loop depends on the layouts of values from outside only, so an inner loop is visited again only
    if one of these changed: otherwise each level of nesting would double the work.
    """

    warps: int
    is_lazy: bool = field(default=True, kw_only=True)
    """Whether cheap values are flexible; else each value has the layout that comes first."""
    layouts: Layouts = field(default_factory=Layouts, init=False)
    _accumulators: set[LinearLayout] = field(default_factory=set[LinearLayout], init=False)
    """Layouts of accumulators of WGMMA."""
    _inputs: dict[Operation, list[SSAValue]] = field(
        default_factory=dict[Operation, list[SSAValue]], init=False
    )
    _inferred: dict[Operation, list[LinearLayout | None]] = field(
        default_factory=dict[Operation, list[LinearLayout | None]], init=False
    )
    """For each loop, the layouts of its inputs at its last visit."""

    def run(self, block: Block) -> None:
        """Infers the layouts of a block."""
        for op in block.ops:
            if not isinstance(op, scf.ForOp | scf.WhileOp):
                self._infer(op)
                continue
            if op not in self._inputs:
                # The tensors from outside that the op, or one in it, uses.
                taken = {operand: None for each in walk(op) for operand in tensors(each.operands)}
                self._inputs[op] = [each for each in taken if not op.is_ancestor(each.owner)]
            inputs = [*map(self.layouts.get, self._inputs[op])]
            if self._inferred.get(op) != inputs:
                self._infer(op)
                self._inferred[op] = inputs

    def fixed(self, value: SSAValue) -> LinearLayout:
        """The layout of a value, or the default for a flexible one."""
        return self.layouts.get(value) or default_layout(value.type, self.warps)

    def _infer(self, op: Operation) -> None:
        match op:
            case scf.ForOp():
                self._infer_loop(op.iter_args, op.body.block.args[1:], op.body.block, op.results)
            case scf.WhileOp():
                self._infer_while(op)
            case scf.IfOp():
                self._infer_if(op)
            case ConvertLayoutOp():
                self.layouts[op.results[0]] = self.layouts.get(op.operands[0])
            case _:
                if tensors(op.results):
                    self._infer_results(op)

    def _infer_results(self, op: Operation) -> None:
        results = tensors(op.results)
        anchor = get_anchor_layout(op, LAYOUT, results[0].type)
        if anchor is not None and is_async_mma(op):
            self._accumulators.add(anchor)
        known = [layout for v in tensors(op.operands) if (layout := self.layouts.get(v))]
        if anchor is not None and not is_cheap(op):
            layouts: Sequence[LinearLayout | None] = [anchor] * len(results)
        elif is_root(op) or isinstance(op, BroadcastOp):
            layouts = [None]
        elif is_elementwise(op) or is_cheap(op):
            layouts = [result_layout(op, self._choose(known)) if known else None]
        elif isinstance(op, AggregateOperation):
            source = self.aggregate_layout(op)
            layout = source if is_scan(op) else self._reduced(op, source.slice(op.get_axis()))
            layouts = [layout] * len(results)
        elif isinstance(op, CatOp):
            layouts = [cat_layout(self.fixed(op.lhs), op.dim.value.data)]
        elif isinstance(op, InsertOp):
            layouts = [self.fixed(op.destination)]
        elif isinstance(op, ExtractOp):
            plain = default_layout(op.result.type, self.warps)
            layouts = [extracted_layout(op, self.fixed(op.source)) or plain]
        elif isinstance(op, OrderedAccess):
            layouts = [self.fixed(op.operands[0])] * len(results)
        else:
            layouts = [default_layout(result.type, self.warps) for result in results]
        for result, layout in zip(results, layouts, strict=True):
            if layout is None and not self.is_lazy:
                layout = default_layout(result.type, self.warps)
            self.layouts[result] = layout

    def _reduced(self, op: AggregateOperation, sliced: LinearLayout) -> LinearLayout:
        """
        The layout of the results of a reduction: the slice of the operand's, in which many threads
        have copies, or without these if the results are stored only. Where warps exchange elements,
        threads read just what they want; the others have to do nothing.
        """
        plain = default_layout(op.results[0].type, self.warps)
        is_smaller = plain.registers < sliced.registers
        if is_smaller and Axis(self.aggregate_layout(op), op.get_axis()).warp:
            return plain if all(map(is_only_stored, op.results)) else sliced
        return sliced

    def aggregate_layout(self, op: AggregateOperation) -> LinearLayout:
        """
        The layout in which a reduction or scan takes all its operands. If all are flexible, a scan
        has them in that which suits it: each thread has consecutive elements along its axis.
        """
        for operand in op.operands:
            if (layout := self.layouts.get(operand)) is not None:
                return layout
        plain = default_layout(op.operands[0].type, self.warps)
        return with_runs_along(plain, op.get_axis()) if is_scan(op) else plain

    def _choose(self, layouts: Sequence[LinearLayout]) -> LinearLayout:
        """
        The layout for an op whose operands have several: the one with fewest registers. That of
        accumulators of WGMMA is better than that of loads, which may come from a buffer stage, from
        where they can be read in any layout.
        """

        def cost(layout: LinearLayout) -> tuple[int, bool, int]:
            return layout.registers, layout not in self._accumulators, layouts.index(layout)

        return min(layouts, key=cost)

    # Regions

    def _infer_loop(
        self,
        inits: Sequence[SSAValue],
        arguments: Sequence[SSAValue],
        body: Block,
        results: Sequence[SSAValue],
    ) -> None:
        for init, argument in zip(inits, arguments, strict=True):
            if is_tensor(argument):
                self.layouts[argument] = self.layouts.get(init)
        self.run(body)
        if self.is_lazy and self._update(arguments, last_of(body).operands):
            self.run(body)
        if self._settle(arguments):
            self.run(body)
        for argument, result in zip(arguments, results, strict=True):
            if is_tensor(result):
                self.layouts[result] = self.layouts[argument]

    def _update(self, arguments: Sequence[SSAValue], yields: Sequence[SSAValue]) -> bool:
        changed = False
        for argument, value in zip(arguments, yields, strict=True):
            layout = self.layouts.get(value)
            if is_tensor(argument) and layout not in (None, self.layouts[argument]):
                self.layouts[argument] = layout
                changed = True
        return changed

    def _settle(self, values: Sequence[SSAValue]) -> bool:
        """
        Fixes the layout of flexible values that cross a region boundary, to that in which they are
        stored if they are; whether any did.
        """
        settles = False
        for value in tensors(values):
            if self.layouts.get(value) is None:
                self.layouts[value] = find_stored_layout(value, {value}) or self.fixed(value)
                settles = True
        return settles

    def _infer_while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        for init, argument in zip(op.arguments, before.args, strict=True):
            if is_tensor(argument):
                self.layouts[argument] = self.layouts.get(init)
        for is_last in (False, True):
            if is_last:
                self._settle(before.args)
            self.run(before)
            for value, argument in zip(condition_of(op).args, after.args, strict=True):
                if is_tensor(argument):
                    self.layouts[argument] = self.fixed(value)
            self.run(after)
            if self.is_lazy and not is_last:
                self._update(before.args, last_of(after).operands)
        for argument, result in zip(after.args, op.results, strict=True):
            if is_tensor(result):
                self.layouts[result] = self.layouts[argument]

    def _infer_if(self, op: scf.IfOp) -> None:
        arms = [region.block for region in op.regions if region.blocks]
        for arm in arms:
            self.run(arm)
        for number, result in enumerate(op.results):
            if not is_tensor(result):
                continue
            found = (self.layouts.get(last_of(arm).operands[number]) for arm in arms)
            self.layouts[result] = next((layout for layout in found if layout is not None), None)
        self._settle(op.results)


def is_scan(op: AggregateOperation) -> bool:
    """Whether results have the shape of the operands."""
    return get_shape(op.results[0].type) == get_shape(op.operands[0].type)


def find_stored_layout(value: SSAValue, seen: set[SSAValue]) -> LinearLayout | None:
    """The layout of a tile in which it, or what is computed of its elements, is stored first."""
    for use in value.uses:
        op = use.operation
        if isinstance(op, TileStore | PointerStore):
            if anchor := get_anchor_layout(op, LAYOUT, value.type):
                return anchor
            continue
        is_conversion = isinstance(op, ConvertLayoutOp)
        for result in op.results if is_conversion else _element_results(use):
            if result in seen:
                continue
            seen.add(result)
            layout = find_stored_layout(result, seen)
            if layout is not None:
                return operand_layout(op, value, layout) if is_cheap(op) else layout
    return None


def is_only_stored(value: SSAValue) -> bool:
    """Whether a tile, and all that is computed of it element by element, is stored only."""

    def following(value: SSAValue) -> list[SSAValue]:
        return [result for use in value.uses for result in _element_results(use)]

    return all(
        _element_results(use) or _is_store(use.operation)
        for each in reachable([value], following)
        for use in each.uses
    )


def _is_store(op: Operation) -> bool:
    """Whether an op stores tiles, or updates memory by them, and has no results."""
    is_access = isinstance(op, TileStore | TileUpdate | PointerStore | AtomicRMWOp)
    return is_access and all(result.first_use is None for result in op.results)


def _element_results(use: Use) -> list[SSAValue]:
    """The tiles that an op computes of the elements of another one, or passes it on as."""
    op = use.operation
    match op, op.parent_op():
        case scf.ForOp(), _ if use.index >= FIRST_CARRIED:
            index = use.index - FIRST_CARRIED
            return [op.results[index], op.body.block.args[index + 1]]
        case scf.YieldOp(), scf.ForOp() as loop:
            return [loop.results[use.index], loop.body.block.args[use.index + 1]]
        case scf.YieldOp(), scf.IfOp() as branch:
            return [branch.results[use.index]]
        case _ if op.results and is_cheap(op) and not is_root(op):
            return list(op.results)
        case _:
            return []
