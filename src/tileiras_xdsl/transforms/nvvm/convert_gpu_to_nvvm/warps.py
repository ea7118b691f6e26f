"""What threads do together: barriers, shuffles, and reductions over a warp and a CTA."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.gpu import YieldOp
from xdsl.dialects.llvm import (
    AddOp,
    AndOp,
    BitcastOp,
    ExtractValueOp,
    FAddOp,
    FMulOp,
    ICmpPredicateFlag,
    LLVMArrayType,
    LShrOp,
    MulOp,
    OrOp,
    ShlOp,
    SubOp,
    TruncOp,
    VectorFMaxOp,
    VectorFMinOp,
    XOrOp,
    ZExtOp,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import gpu, nvvm
from tileiras_xdsl.dialects.gpu import Reduction, ShuffleMode
from tileiras_xdsl.dialects.llvm import (
    GEPOp,
    ICmpOp,
    LoadOp,
    MaximumOp,
    MinimumOp,
    SelectOp,
    SMaxOp,
    SMinOp,
    StoreOp,
    UMaxOp,
    UMinOp,
)
from tileiras_xdsl.dialects.nvvm import ReduxKind, ShuffleKind
from tileiras_xdsl.transforms.nvvm.llvm_types import RuntimeSymbols, address_of, constant, position
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)
from tileiras_xdsl.xdsl_extras.walking import integer_of

WARP_SIZE = 32
MAX_THREADS = 1024
ALL_LANES = -1
LESS = IntegerAttr(ICmpPredicateFlag("ult").to_int(), i64)

Combine = Callable[[SSAValue, SSAValue], SSAValue]


@dataclass(frozen=True)
class ConvertBarrier(ConversionPattern[gpu.BarrierOp]):
    """
    A barrier of all threads of the CTA.

        "gpu.barrier"() : () -> ()
        →
        %c0 = arith.constant 0 : i32
        nvvm.bar.sync.aligned %c0 : i32

    With the option `barrier0` of the pass: `nvvm.barrier0`, the same instruction.
    """

    barrier0: bool

    def convert(self, op: gpu.BarrierOp, rewriter: ConversionRewriter) -> None:
        if self.barrier0:
            rewriter.replace(op, nvvm.Barrier0Op())
        else:
            zero = arith.ConstantOp(IntegerAttr(0, i32))
            zero.result.name_hint = "c0"
            rewriter.replace(op, zero, nvvm.BarSyncAlignedOp(zero))


# Registers of 32 bits


def to_registers(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    """A value that can be shuffled; scalars of less than 32 bits are widened."""
    ty = value.type
    if isinstance(ty, VectorType) or not isinstance(ty, FixedBitwidthType):
        return value
    if ty.bitwidth % 32 == 0:
        return value
    if not isinstance(ty, IntegerType):
        value = rewriter.insert(BitcastOp(value, IntegerType(ty.bitwidth))).result
    return rewriter.insert(ZExtOp(value, i32)).res


def from_registers(rewriter: ConversionRewriter, value: SSAValue, ty: Attribute) -> SSAValue:
    """The opposite of `to_registers`."""
    if value.type == ty:
        return value
    assert isinstance(ty, FixedBitwidthType)
    narrow = rewriter.insert(TruncOp(value, IntegerType(ty.bitwidth))).res
    if narrow.type == ty:
        return narrow
    return rewriter.insert(BitcastOp(narrow, ty)).result


SHUFFLES = {
    ShuffleMode.XOR: ShuffleKind.BFLY,
    ShuffleMode.UP: ShuffleKind.UP,
    ShuffleMode.DOWN: ShuffleKind.DOWN,
    ShuffleMode.IDX: ShuffleKind.IDX,
}


class ConvertShuffle(ConversionPattern[gpu.ShuffleOp]):
    """
    The value of another lane. All lanes of the warp take part; the clamp is the last lane that
    may be read, `width - 1`, or for `up` the first one, 0.

        %r, %ok = "gpu.shuffle"(%x, %offset, %width) {mode = #gpu<shuffle_mode xor>}
            : (f32, i32, i32) -> (f32, i1)
        →
        %s = nvvm.shfl.sync bfly %mask, %x, %offset, %clamp {return_value_and_is_valid}
            : f32 -> !llvm.struct<(f32, i1)>
        %r = llvm.extractvalue %s[0] : !llvm.struct<(f32, i1)>
        %ok = llvm.extractvalue %s[1] : !llvm.struct<(f32, i1)>
    """

    def convert(self, op: gpu.ShuffleOp, rewriter: ConversionRewriter) -> None:
        offset, width = rewriter.value(op.offset), rewriter.value(op.width)
        mask = constant(rewriter, ALL_LANES)
        clamp = self.get_clamp(op.mode.data, width, rewriter)
        value = to_registers(rewriter, rewriter.value(op.value))
        is_valid = op.valid.first_use is not None
        kind = SHUFFLES[op.mode.data]
        shuffle = rewriter.insert(
            nvvm.ShflOp(kind, mask, value, offset, clamp, return_value_and_is_valid=is_valid)
        )
        result, valid = shuffle.result, None
        if is_valid:
            first = ExtractValueOp(position(0), shuffle.result, value.type)
            result = rewriter.insert(first).res
            valid = rewriter.insert(ExtractValueOp(position(1), shuffle.result, i1)).res
        rewriter.replace(op, [from_registers(rewriter, result, op.result.type), valid])

    @staticmethod
    def get_clamp(mode: ShuffleMode, width: SSAValue, rewriter: ConversionRewriter) -> SSAValue:
        if mode is ShuffleMode.UP:
            return constant(rewriter, 0)
        known = integer_of(width)
        if known is not None:
            return constant(rewriter, known - 1)
        return rewriter.insert(SubOp(width, constant(rewriter, 1))).res


# Reductions

INTEGER_COMBINERS: dict[Reduction, Callable[[SSAValue, SSAValue], Operation]] = {
    Reduction.ADD: AddOp,
    Reduction.MUL: MulOp,
    Reduction.MINUI: UMinOp,
    Reduction.MINSI: SMinOp,
    Reduction.MAXUI: UMaxOp,
    Reduction.MAXSI: SMaxOp,
    Reduction.MIN: SMinOp,
    Reduction.MAX: SMaxOp,
    Reduction.AND: AndOp,
    Reduction.OR: OrOp,
    Reduction.XOR: XOrOp,
}

FLOAT_COMBINERS: dict[Reduction, Callable[[SSAValue, SSAValue], Operation]] = {
    Reduction.ADD: FAddOp,
    Reduction.MUL: FMulOp,
    Reduction.MINNUMF: VectorFMinOp,
    Reduction.MAXNUMF: VectorFMaxOp,
    Reduction.MIN: VectorFMinOp,
    Reduction.MAX: VectorFMaxOp,
    Reduction.MINIMUMF: MinimumOp,
    Reduction.MAXIMUMF: MaximumOp,
}

REDUX: dict[Reduction, ReduxKind] = {
    Reduction.ADD: ReduxKind.ADD,
    Reduction.MINUI: ReduxKind.UMIN,
    Reduction.MINSI: ReduxKind.MIN,
    Reduction.MAXUI: ReduxKind.UMAX,
    Reduction.MAXSI: ReduxKind.MAX,
    Reduction.MIN: ReduxKind.MIN,
    Reduction.MAX: ReduxKind.MAX,
    Reduction.AND: ReduxKind.AND,
    Reduction.OR: ReduxKind.OR,
    Reduction.XOR: ReduxKind.XOR,
}
"""Reductions of `i32` over a warp that are one instruction."""


def get_combine(rewriter: ConversionRewriter, kind: Reduction, ty: Attribute) -> Combine:
    """How two values are combined."""
    element = ty.get_element_type() if isinstance(ty, VectorType) else ty
    combiners = INTEGER_COMBINERS if isinstance(element, IntegerType) else FLOAT_COMBINERS
    if kind not in combiners:
        raise ConversionError(f"cannot combine values of type '{ty}' by '{kind.value}'")
    make = combiners[kind]
    return lambda lhs, rhs: rewriter.insert(make(lhs, rhs)).results[0]


def shuffle(
    rewriter: ConversionRewriter, kind: ShuffleKind, value: SSAValue, offset: int
) -> SSAValue:
    """The value of another lane of the warp."""
    mask = constant(rewriter, ALL_LANES)
    registers = to_registers(rewriter, value)
    distance, last = constant(rewriter, offset), constant(rewriter, WARP_SIZE - 1)
    other = nvvm.ShflOp(kind, mask, registers, distance, last)
    return from_registers(rewriter, rewriter.insert(other).result, value.type)


def reduce_lanes(
    rewriter: ConversionRewriter, value: SSAValue, combine: Combine, size: int, stride: int
) -> SSAValue:
    """Combines the values of `size` lanes that are `stride` apart; all of them get the result."""
    distance = size * stride // 2
    while distance >= stride:
        value = combine(value, shuffle(rewriter, ShuffleKind.BFLY, value, distance))
        distance //= 2
    return value


class ConvertSubgroupReduce(ConversionPattern[gpu.SubgroupReduceOp]):
    """
    A reduction over a warp, or a part of it: one instruction if there is one, else exchanges
    with lanes at halving distances.

        %r = "gpu.subgroup_reduce"(%x) {op = #gpu<all_reduce_op add>, uniform} : (i32) -> i32
        →
        %r = nvvm.redux.sync add %x, %mask : i32 -> i32

        %r = "gpu.subgroup_reduce"(%x) {op = …, cluster_size = 2 : i32} : (f32) -> f32
        →
        %y = nvvm.shfl.sync bfly %mask, %x, %c1, %c31 : f32 -> f32
        %r = llvm.fadd %x, %y : f32
    """

    def convert(self, op: gpu.SubgroupReduceOp, rewriter: ConversionRewriter) -> None:
        value, kind = rewriter.value(op.value), op.op.data
        size = WARP_SIZE if op.cluster_size is None else op.cluster_size.value.data
        stride = 1 if op.cluster_stride is None else op.cluster_stride.value.data
        if size * stride > WARP_SIZE:
            raise ConversionError(
                f"has clusters of {size} lanes, {stride} apart, but a warp has {WARP_SIZE} lanes"
            )
        if value.type == i32 and size == WARP_SIZE and kind in REDUX:
            mask = constant(rewriter, ALL_LANES)
            rewriter.replace(op, nvvm.ReduxOp(value, mask, REDUX[kind]))
            return
        combine = get_combine(rewriter, kind, value.type)
        rewriter.replace(op, reduce_lanes(rewriter, value, combine, size, stride))


def read(rewriter: ConversionRewriter, register: str) -> SSAValue:
    """A special register."""
    return rewriter.insert(nvvm.read_register(register)).result


def get_linear_thread(rewriter: ConversionRewriter) -> SSAValue:
    """The linear thread index in the CTA, x fastest."""
    result = read(rewriter, "tid.z")
    for axis in "yx":
        scaled = rewriter.insert(MulOp(result, read(rewriter, f"ntid.{axis}"))).res
        result = rewriter.insert(AddOp(scaled, read(rewriter, f"tid.{axis}"))).res
    return result


def get_thread_count(rewriter: ConversionRewriter) -> SSAValue:
    """The threads of a CTA."""
    result = read(rewriter, "ntid.z")
    for axis in "yx":
        result = rewriter.insert(MulOp(result, read(rewriter, f"ntid.{axis}"))).res
    return result


def get_warp(
    rewriter: ConversionRewriter, threads: SSAValue, *, round_up: bool = False
) -> SSAValue:
    """The warp index, or the number of warps, from that of threads."""
    if round_up:
        threads = rewriter.insert(AddOp(threads, constant(rewriter, WARP_SIZE - 1))).res
    return rewriter.insert(LShrOp(threads, constant(rewriter, 5))).res


@dataclass(frozen=True)
class ConvertAllReduce(ConversionPattern[gpu.AllReduceOp]):
    """
    A reduction over a CTA. There are no branches: each warp combines its values, all its lanes
    store the result, each to a place of its own, and after a barrier each warp combines what the
    warps have stored. The threads of a CTA fill its warps.

        %r = "gpu.all_reduce"(%x) ({}) {op = #gpu<all_reduce_op add>} : (f32) -> f32
        →
        … five exchanges
        llvm.store %sum, %mine : f32, !llvm.ptr<3>
        nvvm.bar.sync.aligned %c0 : i32
        %part = llvm.load %other : !llvm.ptr<3> -> f32
        nvvm.bar.sync.aligned %c0 : i32
        … five exchanges among as many lanes as there are warps, and one with lane 0
    """

    def convert(self, op: gpu.AllReduceOp, rewriter: ConversionRewriter) -> None:
        value = rewriter.value(op.operand)
        ty = value.type
        combine = self.get_combine(op, rewriter)
        value = reduce_lanes(rewriter, value, combine, WARP_SIZE, 1)

        array = LLVMArrayType(MAX_THREADS, ty)
        storage = rewriter.state(RuntimeSymbols).add_global(
            op, "all_reduce_storage", array, space=nvvm.SHARED_SPACE, alignment=16
        )
        base = rewriter.insert(address_of(storage)).result
        lane = read(rewriter, "laneid")
        warp = get_warp(rewriter, get_linear_thread(rewriter))
        row = rewriter.insert(ShlOp(lane, constant(rewriter, 5))).res
        mine = rewriter.insert(AddOp(row, warp)).res
        rewriter.insert(StoreOp(value, self.get_address(rewriter, base, mine, ty)))
        zero = constant(rewriter, 0)
        rewriter.insert(nvvm.BarSyncAlignedOp(zero))
        address = self.get_address(rewriter, base, lane, ty)
        value = rewriter.insert(LoadOp(address, ty)).results[0]
        # The next reduction may store only after all have loaded.
        rewriter.insert(nvvm.BarSyncAlignedOp(zero))

        warps = get_warp(rewriter, get_thread_count(rewriter), round_up=True)
        distance = WARP_SIZE // 2
        while distance:
            other = shuffle(rewriter, ShuffleKind.DOWN, value, distance)
            combined = combine(value, other)
            source = rewriter.insert(AddOp(lane, constant(rewriter, distance))).res
            is_warp = rewriter.insert(ICmpOp(source, warps, LESS)).results[0]
            value = rewriter.insert(SelectOp(is_warp, combined, value)).results[0]
            distance //= 2
        rewriter.replace(op, shuffle(rewriter, ShuffleKind.IDX, value, 0))

    @staticmethod
    def get_address(
        rewriter: ConversionRewriter, base: SSAValue, index: SSAValue, ty: Attribute
    ) -> SSAValue:
        address = GEPOp.from_mixed_indices(base, [index], ty, result_type=nvvm.SHARED_POINTER)
        return rewriter.insert(address).results[0]

    @staticmethod
    def get_combine(op: gpu.AllReduceOp, rewriter: ConversionRewriter) -> Combine:
        """By the op's kind, or by its body, which is copied for each use."""
        if op.op is not None:
            return get_combine(rewriter, op.op.data, op.operand.type)
        if len(op.body.blocks) != 1:
            raise ConversionError("has a body of several blocks, which cannot be copied")
        body = op.body.block

        def combine(lhs: SSAValue, rhs: SSAValue) -> SSAValue:
            values: dict[SSAValue, SSAValue] = dict(zip(body.args, (lhs, rhs), strict=True))
            for inner in body.ops:
                if isinstance(inner, YieldOp):
                    result = inner.values[0]
                    return values.get(result, result)
                rewriter.insert(inner.clone(values))
            raise ConversionError("has a body that yields nothing")

        return combine


def populate_warps(patterns: PatternSet, *, barrier0: bool) -> None:
    patterns.add(gpu.BarrierOp, ConvertBarrier(barrier0=barrier0))
    patterns.add(gpu.ShuffleOp, ConvertShuffle())
    patterns.add(gpu.SubgroupReduceOp, ConvertSubgroupReduce())
    patterns.add(gpu.AllReduceOp, ConvertAllReduce())
