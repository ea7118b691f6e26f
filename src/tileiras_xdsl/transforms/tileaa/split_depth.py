"""
Splits K of dots whose operands leave room for few buffer stages.

Before:  %d = scf.for %k = %c0 to %n step %c1 iter_args(%c = %zero) -> (tensor<128x256xf32>) : i32 {
           %x = nv_tileaa.tiled_load %a[%i, %k] : … -> tensor<128x128xf16>
           %y = nv_tileaa.tiled_load %b[%k, %j] : … -> tensor<128x256xf16>
           %e = nv_tileaa.dot %x, %y, %c : …
           scf.yield %e : tensor<128x256xf32>
         }
After:   %m = %n * 2
         %d = scf.for %h = %c0 to %m step %c1 iter_args(%c = %zero) -> (tensor<128x256xf32>) : i32 {
           %x = nv_tileaa.tiled_load %a[%i, %h] : … -> tensor<128x64xf16>
           %y = nv_tileaa.tiled_load %b[%h, %j] : … -> tensor<64x256xf16>
           %e = nv_tileaa.dot %x, %y, %c : …
           scf.yield %e : tensor<128x256xf32>
         }

While tensor cores work on one buffer stage, others are filled. Of large stages shared memory has
room for two, and the one that is free is filled again only when all of it has been read: loads have
less time than their latency. Half of K takes half a stage, and the same MMAs in the same order.

Block-scaled dots by `mma.sync` are split, with their scales, where two stages do not fit at all:
threads would load a tile into registers, write it to shared memory and read all fragments of the
tile from there before the first MMA, for which they have too few registers. Operands of 4 bits are
cut as the bytes that they are unpacked from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from typing_extensions import override
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.memory_order import is_plain_load, own_effects
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AndIOp, DivIOp, MulIOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp, MmaFScaledOp, UnpackOp
from tileiras_xdsl.dialects.nv_tileaa.shape import ViewOp
from tileiras_xdsl.dialects.nv_tileaa.views import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.types import get_kernel_hint
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.warpgroups import MIN_STAGES, WGMMA_M, Pipelining
from tileiras_xdsl.transforms.common.scaled_dots import is_scaled_by_instruction
from tileiras_xdsl.xdsl_extras.walking import find_all, find_in_block, integer_of, last_of

from .tile_slices import NotSliced, SlicePlan
from .tiling import PieceBuilder, add_op, copy_with, piece_type
from .uplift_while_to_for import erase_dead

Dot = DotOp | MmaFScaledOp


def split_depths(function: FuncOp, model: Pipelining, target: Target) -> None:
    """Splits K of all dots of a kernel whose operands take too much shared memory."""
    limit = model.shared.per_cta(get_kernel_hint(function, "occupancy"))
    axis_info: AxisInfoAnalysis | None = None
    scratch = limit // target.limits.scratch_share
    for loop in find_all(function, scf.ForOp):
        if limit - scratch >= max(model.enough_stages, MIN_STAGES) * loaded_bytes(loop):
            continue
        deep = DeepDot.of(loop)
        if deep is None:
            continue
        room, stages = limit, model.enough_stages
        if isinstance(deep.dot, MmaFScaledOp):
            if not target.has("mma.block_scale") or not is_scaled_by_instruction(deep.dot, target):
                continue
            # Threads load by `cp.async`, and layout conversions have their share.
            room, stages = limit - scratch, MIN_STAGES
        if room >= stages * deep.bytes:
            continue
        pieces = 2
        while (
            room * pieces < stages * deep.bytes
            and deep.row_bytes // (2 * pieces) >= model.min_row_bytes
        ):
            pieces *= 2
        axis_info = axis_info or analyze(function)
        bound = axis_info[loop.ub]
        least = model.min_row_bytes
        reason = deep.why_not_split(pieces, range(bound.low, bound.high), least)
        if reason is None:
            deep.split(pieces)
            axis_info = None
        else:
            text = f"{deep.describe()}: K is not split, {reason}"
            remark(deep.dot, "Missed", "Tiles", text)


@dataclass(frozen=True)
class DeepDot:
    """A loop that only adds products of tiles which it loads to an accumulator."""

    loop: scf.ForOp
    dot: Dot

    @staticmethod
    def of(loop: scf.ForOp) -> DeepDot | None:
        """The dot of a loop over all of K, from 0 in steps of 1."""
        body = loop.body.block
        dots = find_all(loop, DotOp, MmaFScaledOp)
        if len(dots) != 1 or dots[0].parent_block() is not body or len(loop.iter_args) != 1:
            return None
        (dot,) = dots
        is_added = dot.operands[2] is body.args[1] and last_of(body).operands[0] is dot.result
        if not is_added or len([*dot.result.uses]) != 1 or len([*body.args[1].uses]) != 1:
            return None
        if integer_of(loop.lb) != 0 or integer_of(loop.step) != 1:
            return None
        shape = get_shape(dot.result.type)
        if len(shape) != 2 or shape[0] < WGMMA_M or not _is_narrow(dot):
            return None
        found = DeepDot(loop, dot)
        for op in body.ops:
            if op.regions or (own_effects(op) and not is_plain_load(op)):
                return None
        return found if len(found.loads) == len(found.factors) else None

    @property
    def factors(self) -> list[tuple[SSAValue, int]]:
        """Operands and scales, each with its dimension that is along K."""
        a, b, _, *scales = self.dot.operands
        return [(a, 1), (b, 0), *zip(scales, (1, 0), strict=False)]

    @property
    def bytes(self) -> int:
        """Of the tiles that an iteration loads."""
        return loaded_bytes(self.loop)

    @property
    def row_bytes(self) -> int:
        """Of the elements of operand A along K."""
        a, b, *_ = self.dot.operands
        if isinstance(self.dot, MmaFScaledOp):
            return get_shape(a.type)[1] * element_bit_width(get_element(a.type)) // 8
        return get_shape(a.type)[1] * min(map(_bits, (a, b))) // 8

    @property
    def loads(self) -> list[TiledLoadOp]:
        return find_in_block(self.loop.body.block, TiledLoadOp)

    def describe(self) -> str:
        """What a remark says of the operands."""
        shapes = ("x".join(map(str, get_shape(value.type))) for value in self.dot.operands[:2])
        return f"buffer stages of {' and '.join(shapes)} leave too little shared memory for others"

    def why_not_split(self, pieces: int, bounds: range, least: int) -> str | None:
        """
        Why K is not split, given what the end of the loop may be, and the least bytes of a row;
        `None` if it can be.
        """
        if self.row_bytes // pieces < least:
            return f"rows of a part have less than {least} bytes"
        if self._find_plan(pieces) is None:
            return "an operand cannot be cut along it"
        if bounds.stop * pieces >= 2**31 or bounds.start * pieces < -(2**31):
            return "the trip count of the loop may be too large for it"
        return None

    def _find_plan(self, pieces: int) -> DepthPlan | None:
        """How parts of the operands are computed, if all that the loop loads is cut for them."""
        try:
            plan = DepthPlan(self.dot, dict(self.factors), pieces, body=self.loop.body.block).find()
        except NotSliced:
            return None
        users = {use.operation for op in plan.ops for value in op.results for use in value.uses}
        is_closed = users <= {self.dot, *plan.ops}
        return plan if is_closed and all(op in plan.ops for op in self.loads) else None

    def split(self, pieces: int) -> None:
        """Replaces the loop by one over parts of K."""
        loop = self.loop
        plan = self._find_plan(pieces)
        assert plan is not None
        old = loop.body.block
        ty = old.args[0].type
        assert isinstance(ty, IntegerType)
        before: list[Operation] = []
        factor = add_op(before, arith.ConstantOp(IntegerAttr(pieces, ty))).result
        end = add_op(before, MulIOp(loop.ub, factor)).result
        mask = add_op(before, arith.ConstantOp(IntegerAttr(pieces - 1, ty))).result
        body = Block(arg_types=[arg.type for arg in old.args])
        ops: list[Operation] = []
        part = body.args[0]
        step = DivIOp.create(
            operands=[part, factor],
            result_types=[ty],
            properties={"signedness": StringAttr("signed")},
        )
        number = AndIOp(part, mask)
        ops += [step, number]
        values: dict[SSAValue, SSAValue] = {old.args[0]: step.results[0], old.args[1]: body.args[1]}
        builder = PieceBuilder(
            pieces, number.result, before, ops, plan.dims, values, combined=(old.args[0], part)
        )
        for op in old.ops:
            if op in plan.ops:
                plan.build_op(op, builder, ops)
            else:
                new = add_op(ops, op.clone(values))
                values.update(zip(op.results, new.results, strict=True))
        body.add_ops(ops)
        made = scf.ForOp(loop.lb, end, loop.step, list(loop.iter_args), Region(body))
        made.attributes.update(loop.attributes)
        made.location = loop.location
        text = f"{self.describe()}: K is split into {pieces} parts"
        remark(loop, "Passed", "Tiles", text)
        for op in (*before, *ops):
            op.location = op.location or loop.location
        Rewriter.insert_op(before, InsertPoint.before(loop))
        Rewriter.replace_op(loop, made)
        erase_dead(body.ops)


@dataclass
class DepthPlan(SlicePlan):
    """How parts of the operands of a dot are computed by ops of its loop."""

    body: Block | None = None
    unpacking: set[Operation] = field(default_factory=set[Operation])
    """Ops that unpack a tile from bytes; vectors between them have as many elements as a part."""

    @override
    def require(self, value: SSAValue, dim: int) -> Sequence[tuple[SSAValue, int]]:
        op = value.owner
        if not isinstance(op, Operation) or op.parent_block() is not self.body:
            raise NotSliced("an operand is not computed in the loop")
        if any(result is not value and [*result.uses] for result in op.results):
            raise NotSliced(f"'{op.name}' has other results")
        chain = _find_unpacking(op, dim)
        if chain is None:
            return super().require(value, dim)
        for each in chain:
            self.add(each, 0)
        self.add(op, dim)
        self.unpacking.update((op, *chain))
        packed = chain[0].source
        return [(packed, len(get_shape(packed.type)) - 1)]

    @override
    def build_op(self, op: Operation, builder: PieceBuilder, ops: list[Operation]) -> None:
        if op not in self.unpacking:
            super().build_op(op, builder, ops)
            return
        (ty,) = op.result_types
        types = [piece_type(ty, self.dim_of(op), self.pieces)]
        new = add_op(ops, copy_with(op, [builder.values[op.operands[0]]], types))
        new.location = op.location
        builder.values[op.results[0]] = new.results[0]


def _find_unpacking(op: Operation, dim: int) -> tuple[ViewOp, UnpackOp] | None:
    """The ops that unpack a tile from bytes along a dimension, its last; None if none do."""
    if not isinstance(op, ViewOp) or not isinstance(unpack := op.source.owner, UnpackOp):
        return None
    flat, shape = unpack.source.owner, get_shape(op.result.type)
    if not isinstance(flat, ViewOp) or dim != len(shape) - 1:
        return None
    return (flat, unpack) if get_shape(flat.source.type)[:-1] == shape[:-1] else None


def loaded_bytes(loop: scf.ForOp) -> int:
    """Of the tiles that an iteration of a loop loads, without loops in it."""
    loads = find_in_block(loop.body.block, TiledLoadOp)
    return sum(prod(get_shape(op.result.type)) * _bits(op.result) // 8 for op in loads)


def _bits(value: SSAValue) -> int:
    """Of an element in memory."""
    return max(8, element_bit_width(get_element(value.type)))


def _is_narrow(dot: Dot) -> bool:
    """Whether tensor cores may multiply the operands."""
    if isinstance(dot, MmaFScaledOp):
        return True
    precision = dot.input_precision
    is_rounded = precision is not None and precision.data == "tf32"
    return is_rounded or all(_bits(value) <= 16 for value in (dot.a, dot.b))
