"""
Floating-point arithmetic and math functions, elementwise.

| what | how |
| --- | --- |
| `+`, `-`, `*`, `/`, sqrt, fma to nearest even | `arith`, LLVM's instructions: correctly rounded |
| the same in a directed mode, or flushing | `nvvm`; f16 and bf16 by way of f32 |
| approximations that an op asks for | one instruction |
| `exp2`, `rsqrt` of f32 and narrower types | one instruction of f32, within 2 ulp |
| other functions | libdevice, a call for each lane, of f32 for narrower types |

Two roundings in the same directed mode equal one, so narrower types are computed in f32. Functions
are the ones that NVIDIA's compiler takes, so that results are the same bit for bit
(docs/numerics.md).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, llvm, math, scf, vector
from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    Float8E5M2Type,
    FloatTF32Type,
    IntegerType,
    TensorType,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.arith import (
    CmpfOp,
    FPToSIOp,
    FPToUIOp,
    SIToFPOp,
    UIToFPOp,
)
from tileiras_xdsl.dialects.cuda_tile.elements import float_to_bits
from tileiras_xdsl.dialects.llvm import FPToSISatOp, FPToUISatOp
from tileiras_xdsl.dialects.nv_tileaa import elementwise as tileaa
from tileiras_xdsl.dialects.nv_tileaa.attributes import RELATIONS, get_element, get_shape, word
from tileiras_xdsl.dialects.nv_tileaa.elementwise import RoundedOperation
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp
from tileiras_xdsl.dialects.nv_tileas.types import get_memory
from tileiras_xdsl.dialects.nvvm import FragmentFptruncOp
from tileiras_xdsl.dialects.nvvm.base import RoundingMode
from tileiras_xdsl.dialects.nvvm.fragments import count_lanes
from tileiras_xdsl.dialects.vector import shuffle_lanes
from tileiras_xdsl.targets.choices import RECIPROCAL_USES
from tileiras_xdsl.targets.machine import BYTE_BITS
from tileiras_xdsl.transforms.common.expressions import Number
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import width_of
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .constants import TF32_SPARE_BITS
from .float_formats import converts_in_hardware, narrow, widen, widen_to_f16
from .lowering_registry import lowers
from .shapes import broadcast_indices
from .tcgen05 import is_narrowed_as_loaded
from .thread_builder import (
    ThreadBuilder,
    element_of,
    extract,
    select_registers,
    with_element,
)

# Division by a broadcast divisor, as in softmax, which divides rows by their sums.
#
# A correctly rounded division is a long sequence of instructions with a slow path. Here the
# reciprocal of a divisor is computed once, correctly rounded; then a multiplication and two
# Newton-Raphson corrections with FMAs give the correctly rounded quotient of each element
# (Markstein's theorem), as long as no intermediate result is subnormal or overflows. That holds if
# dividend and divisor are between 2^-62 and 2^62. One check of all elements of a thread decides;
# otherwise all elements are divided one by one.


MAGNITUDE = 0x7FFFFFFF
SMALLEST = 0x20800000
"""The bits of 2^-62."""
LARGEST = 0x5E800000
"""The bits of 2^62."""


def divide_by_broadcast(builder: ThreadBuilder, op: RoundedOperation) -> SSAValue | None:
    """The quotient of a fragment of f32 by a broadcast divisor; `None` if that does not pay."""
    broadcast = op.rhs.owner
    if not isinstance(broadcast, BroadcastOp) or not isinstance(op.result.type, TensorType):
        return None
    layout = builder.layout(op.result)
    source = layout.restricted(get_shape(broadcast.source.type))
    divisors = builder.lookup(broadcast.source)
    if (
        element_of(divisors.type) != f32
        or builder.layout(broadcast.source) != source
        or source.registers * RECIPROCAL_USES > layout.registers
    ):
        return None
    indices = broadcast_indices(layout, source)
    dividend = builder.lookup(op.lhs)
    is_normal = (_are_normal(builder, dividend) & _are_normal(builder, divisors)).value
    reciprocals = builder.emit(nvvm.RcpOp(divisors, RoundingMode.RN)).results[0]
    negated = builder.emit(arith.NegfOp(divisors)).result
    regions: list[Region] = []
    for is_fast in (True, False):
        block = Block()
        with builder.at_end_of(block):
            if is_fast:
                reciprocal = select_registers(builder, reciprocals, indices)
                divisor = select_registers(builder, negated, indices)
                quotient = builder.binary("fmul", dividend, reciprocal)
                # The residual is exact, as one FMA computes it without rounding the product.
                for _ in range(2):
                    rest = builder.emit(math.FmaOp(divisor, quotient, dividend)).result
                    quotient = builder.emit(math.FmaOp(rest, reciprocal, quotient)).result
            else:
                quotient = builder.binary("fdiv", dividend, builder.lookup(op.rhs))
            builder.emit(scf.YieldOp(quotient))
        regions.append(Region(block))
    return builder.emit(scf.IfOp(is_normal, [dividend.type], regions[0], regions[1])).results[0]


def _are_normal(builder: ThreadBuilder, value: SSAValue) -> Number:
    """
    Whether the magnitudes of all elements are between 2^-62 and 2^62, as an i1. Bits of positive
    floats compare like integers, and one unsigned comparison checks both limits, as values below
    the lower one wrap around. A tree of maxima leaves a single comparison.
    """
    count = count_lanes(value.type)
    magnitude = builder.number(value).bits(i32) & builder.constant_vector([MAGNITUDE] * count)
    beyond = (magnitude - builder.constant_vector([SMALLEST] * count)).value
    while count > 1:
        count //= 2
        halves = [
            select_registers(builder, beyond, range(start, 2 * count, 2)) for start in range(2)
        ]
        beyond = builder.binary("umax", *halves)
    return builder.number(extract(builder, beyond, 0)).compare("ule", LARGEST - SMALLEST)


ROUNDINGS = {
    "nearest_even": RoundingMode.RN,
    "zero": RoundingMode.RZ,
    "negative_inf": RoundingMode.RM,
    "positive_inf": RoundingMode.RP,
}
HALVES = (f16, bf16)
LOG2_E = 1.4426950408889634


def require_float(builder: ThreadBuilder, op: Operation) -> Attribute:
    """The element of an op on floats, which must be one that the hardware computes with."""
    element = element_of(op.results[0].type)
    if element not in (*HALVES, f32, f64):
        fail(op, f"'{op.name}' op has no arithmetic of '{element}': convert it to f32 first")
    return element


# Rounded arithmetic

Plain = Callable[..., Operation]

ROUNDED: dict[type[tileaa.RoundedOperation | tileaa.SqrtOp | tileaa.FmaOp], tuple[Plain, Plain]] = {
    tileaa.AddFOp: (arith.AddfOp, nvvm.AddOp),
    tileaa.SubFOp: (arith.SubfOp, nvvm.SubOp),
    tileaa.MulFOp: (arith.MulfOp, nvvm.MulOp),
    tileaa.DivFOp: (arith.DivfOp, nvvm.DivOp),
    tileaa.SqrtOp: (llvm.FSqrtOp, nvvm.SqrtOp),
    tileaa.FmaOp: (math.FmaOp, nvvm.FmaOp),
}
"""To nearest even, and in any mode."""

APPROXIMATED: dict[tuple[type[Operation], str], Plain] = {
    (tileaa.DivFOp, "approx"): nvvm.DivApproxOp,
    (tileaa.DivFOp, "full"): nvvm.DivFullOp,
    (tileaa.SqrtOp, "approx"): nvvm.SqrtApproxOp,
}


@lowers(*ROUNDED)
def lower_rounded(
    builder: ThreadBuilder, op: tileaa.RoundedOperation | tileaa.SqrtOp | tileaa.FmaOp
) -> None:
    element = require_float(builder, op)
    operands = [builder.lookup(operand) for operand in op.operands]
    mode = word(op.rounding_mode, "nearest_even")
    ftz = op.flush_to_zero is not None
    plain, rounded = ROUNDED[type(op)]
    approximated = APPROXIMATED.get((type(op), mode))
    if (ftz or approximated is not None) and element != f32:
        fail(op, f"'{op.name}' op flushes and approximates f32 only, not '{element}'")
    if approximated is not None:
        builder.map(op.result, builder.emit(approximated(*operands, ftz=ftz)))
    elif mode not in ROUNDINGS:
        fail(op, f"'{op.name}' op has no rounding mode '{mode}'")
    elif mode == "nearest_even" and not ftz:
        result = divide_by_broadcast(builder, op) if isinstance(op, tileaa.DivFOp) else None
        builder.map(op.result, builder.emit(plain(*operands)) if result is None else result)
    elif element in HALVES:
        wide = [widen(builder, value, element) for value in operands]
        result = builder.emit(rounded(*wide, ROUNDINGS[mode])).results[0]
        builder.map(op.result, narrow(builder, op, result, element, mode))
    else:
        builder.map(op.result, builder.emit(rounded(*operands, ROUNDINGS[mode], ftz=ftz)))


EXTREMA: dict[tuple[type[Operation], bool], Plain] = {
    (tileaa.MaxFOp, False): arith.MaxnumfOp,
    (tileaa.MaxFOp, True): arith.MaximumfOp,
    (tileaa.MinFOp, False): arith.MinnumfOp,
    (tileaa.MinFOp, True): arith.MinimumfOp,
}


@lowers(tileaa.MaxFOp, tileaa.MinFOp)
def lower_extremum(builder: ThreadBuilder, op: tileaa.ExtremumOperation) -> None:
    element = require_float(builder, op)
    operands = [builder.lookup(op.lhs), builder.lookup(op.rhs)]
    if op.flush_to_zero is not None:
        if element != f32:
            fail(op, f"'{op.name}' op flushes f32 only, not '{element}'")
        operands = [flush(builder, value) for value in operands]
    make = EXTREMA[type(op), op.propagate_nan is not None]
    builder.map(op.result, builder.emit(make(*operands)))


def flush(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """f32 with zeros for subnormal numbers."""
    one = builder.literal(1.0, value.type)
    return builder.emit(nvvm.MulOp(value, one, RoundingMode.RN, ftz=True)).results[0]


@lowers(tileaa.CmpFOp)
def lower_cmpf(builder: ThreadBuilder, op: tileaa.CmpFOp) -> None:
    element = element_of(op.lhs.type)
    if element not in (*HALVES, f32, f64):
        fail(op, f"'{op.name}' op compares no '{element}': convert it to f32 first")
    relation = RELATIONS[word(op.comparison_predicate, "equal")]
    letter = "o" if word(op.comparison_ordering, "ordered") == "ordered" else "u"
    compare = CmpfOp(builder.lookup(op.lhs), builder.lookup(op.rhs), f"{letter}{relation}")
    builder.map(op.result, builder.emit(compare))


# One instruction

SIMPLE: dict[type[tileaa.UnaryFloatOperation], Plain] = {
    tileaa.NegFOp: arith.NegfOp,
    tileaa.AbsFOp: math.AbsFOp,
    tileaa.CeilOp: math.CeilOp,
    tileaa.FloorOp: math.FloorOp,
}


@lowers(*SIMPLE)
def lower_simple(builder: ThreadBuilder, op: tileaa.UnaryFloatOperation) -> None:
    require_float(builder, op)
    builder.map(op.result, builder.emit(SIMPLE[type(op)](builder.lookup(op.source))))


# Functions

FUNCTIONS: dict[type[Operation], Plain] = {
    tileaa.RemFOp: llvm.FRemOp,
    **dict.fromkeys((tileaa.SinOp, math.SinOp), llvm.FSinOp),
    **dict.fromkeys((tileaa.CosOp, math.CosOp), llvm.FCosOp),
    **dict.fromkeys((tileaa.TanOp, math.TanOp), own_llvm.TanOp),
    **dict.fromkeys((tileaa.SinhOp, math.SinhOp), own_llvm.SinhOp),
    **dict.fromkeys((tileaa.CoshOp, math.CoshOp), own_llvm.CoshOp),
    **dict.fromkeys((tileaa.LogOp, math.LogOp), llvm.FLogOp),
    **dict.fromkeys((tileaa.Log2Op, math.Log2Op), llvm.FLog2Op),
    **dict.fromkeys((tileaa.Atan2Op, math.Atan2Op), own_llvm.ATan2Op),
    **dict.fromkeys((tileaa.PowOp, math.PowFOp), llvm.FPowOp),
    math.ExpOp: llvm.FExpOp,
    math.Exp2Op: llvm.FExp2Op,
    math.Log10Op: own_llvm.Log10Op,
    math.SqrtOp: llvm.FSqrtOp,
    math.TanhOp: own_llvm.TanhOp,
}
"""What libdevice has."""


@lowers(*FUNCTIONS)
def lower_function(builder: ThreadBuilder, op: Operation) -> None:
    require_float(builder, op)
    operands = [builder.lookup(operand) for operand in op.operands]
    builder.map(op.results[0], builder.emit(FUNCTIONS[type(op)](*operands)))


@lowers(tileaa.ExpOp)
def lower_exp(builder: ThreadBuilder, op: tileaa.ExpOp) -> None:
    source = builder.lookup(op.source)
    if is_approximate(builder, op):
        scaled = (builder.number(source) * LOG2_E).value
        builder.map(op.result, builder.emit(nvvm.Ex2ApproxOp(scaled)))
    else:
        builder.map(op.result, builder.emit(llvm.FExpOp(source)))


@lowers(tileaa.TanhOp)
def lower_tanh(builder: ThreadBuilder, op: tileaa.TanhOp) -> None:
    make = nvvm.TanhApproxOp if is_approximate(builder, op) else own_llvm.TanhOp
    builder.map(op.result, builder.emit(make(builder.lookup(op.source))))


def is_approximate(builder: ThreadBuilder, op: tileaa.ExpOp | tileaa.TanhOp) -> bool:
    """Whether an op asks for the approximation, which f32 has."""
    return require_float(builder, op) == f32 and word(op.rounding_mode, "full") == "approx"


ONE_INSTRUCTION: dict[type[tileaa.Exp2Op | tileaa.RsqrtOp], tuple[Plain, Plain]] = {
    tileaa.Exp2Op: (nvvm.Ex2ApproxOp, llvm.FExp2Op),
    tileaa.RsqrtOp: (nvvm.RsqrtApproxOp, math.RsqrtOp),
}
"""Of f32, within 2 ulp, and the function of f64."""


@lowers(*ONE_INSTRUCTION)
def lower_one_instruction(builder: ThreadBuilder, op: tileaa.Exp2Op | tileaa.RsqrtOp) -> None:
    element = require_float(builder, op)
    source = builder.lookup(op.source)
    instruction, function = ONE_INSTRUCTION[type(op)]
    ftz = op.flush_to_zero is not None
    if ftz and element != f32:
        fail(op, f"'{op.name}' op flushes f32 only, not '{element}'")
    if element == f64:
        builder.map(op.result, builder.emit(function(source)))
        return
    # An f16 is a normal f32, and results that are none become zero: instructions that flush, and
    # have less to do, give the same.
    value = widen(builder, source, element)
    value = builder.emit(instruction(value, ftz=ftz or element == f16)).results[0]
    builder.map(op.result, narrow(builder, op, value, element))


@lowers(tileaa.FPowIOp)
def lower_fpowi(builder: ThreadBuilder, op: tileaa.FPowIOp) -> None:
    require_float(builder, op)
    base, exponent = builder.lookup(op.source), builder.lookup(op.exponent)
    if width_of(element_of(exponent.type)) < 32:
        exponent = builder.cast("sext", exponent, i32)
    builder.map(op.result, builder.emit(math.FPowIOp(base, exponent)))


# Conversions between integer and floating-point types.
#
# Integers to floats: one instruction for f32 and f64. f16 and bf16 come from f32 if the integer is
# exact in that; otherwise through f64, or through f32 rounded to odd, so that the result is not
# rounded twice. tf32 is rounded twice, through f32, and so are types of 8 bits, through f16: the
# hardware has no other conversions, and NVIDIA's compiler does the same.
#
# Floats to integers: truncation and saturation, as the instructions do for i32 and i64; narrower
# integers are clamped again.

F16_EXACT_BITS = 11
"""Integers of this many bits are exact in f16."""
F32_EXACT_BITS = 24
"""The same of f32."""
F64_EXACT_BITS = 53
"""The same of f64."""
LAST_BITS: dict[Attribute, int] = {f16: 10, bf16: 7}
"""The bits after the point of the floats of 16 bits."""


@lowers(tileaa.FpToFpOp, arith.ExtFOp, arith.TruncFOp)
def lower_fp_to_fp(builder: ThreadBuilder, op: Operation) -> None:
    if get_memory(op.results[0].type) == "shared":
        # TMA has rounded the elements as it copied the tile.
        builder.map(op.results[0], builder.lookup(op.operands[0]))
        return
    if is_narrowed_as_loaded(op, builder.kernel.mapping):
        return
    source, result = get_element(op.operands[0].type), get_element(op.results[0].type)
    mode = "nearest_even"
    if isinstance(op, tileaa.FpToFpOp):
        mode = word(op.rounding_mode, mode)
    given = builder.lookup(op.operands[0])
    builder.map(op.results[0], convert_float(builder, op, given, source, result, mode))


def convert_float(
    builder: ThreadBuilder,
    op: Operation,
    given: SSAValue,
    source: Attribute,
    result: Attribute,
    mode: str = "nearest_even",
) -> SSAValue:
    """Floats of one type as another."""
    if result == f16 and converts_in_hardware(builder, given, source):
        return widen_to_f16(builder, given, source)
    if source == f16 and mode == "nearest_even" and converts_in_hardware(builder, given, result):
        held = with_element(given.type, i8)
        return builder.emit(FragmentFptruncOp(given, held, result)).result
    value = widen(builder, given, source)
    if isinstance(result, FloatTF32Type) and source not in (f32, f64):
        # A tf32 has all values of smaller floats.
        return value
    return narrow(builder, op, value, result, mode)


# Integers to floats


@lowers(SIToFPOp, UIToFPOp)
def lower_itof(builder: ThreadBuilder, op: SIToFPOp | UIToFPOp) -> None:
    value = builder.lookup(op.operands[0])
    is_signed = isinstance(op, SIToFPOp)
    target = get_element(op.results[0].type)
    width = width_of(element_of(value.type))
    if (number := _from_last_bits(builder, op, value)) is not None:
        builder.map(op.results[0], number)
        return
    word = "sitofp" if is_signed else "uitofp"
    if target in (f32, f64) or (target == f16 and width <= F16_EXACT_BITS):
        builder.map(op.results[0], builder.cast(word, value, target))
        return
    if isinstance(target, FloatTF32Type | Float8E4M3FNType | Float8E5M2Type):
        between = f32 if isinstance(target, FloatTF32Type) else f16
        rounded = builder.cast(word, value, between)
        builder.map(op.results[0], convert_float(builder, op, rounded, between, target))
        return
    if width <= F64_EXACT_BITS:
        wide = builder.cast(word, value, f32 if width <= F32_EXACT_BITS else f64)
    else:
        wide = round_integer_to_odd(builder.number(value), is_signed).value
    builder.map(op.results[0], narrow(builder, op, wide, target))


def _from_last_bits(
    builder: ThreadBuilder, op: SIToFPOp | UIToFPOp, value: SSAValue
) -> SSAValue | None:
    """
    Floats of 16 bits of integers that are close to 0: they become the last bits of a large number,
    which is subtracted. None if they may be too large, or the conversion of bytes is as fast.

        %1 = arith.addi %x, dense<8> : vector<2xi32>                 %x is -8 to 7
        %2 = arith.trunci %1 : vector<2xi32> to vector<2xi16>
        %3 = arith.ori %2, dense<0x6400> : vector<2xi16>
        %4 = vector.bitcast %3 : vector<2xi16> to vector<2xf16>
        %5 = arith.subf %4, dense<1032.0> : vector<2xf16>
    """
    ty, target = value.type, get_element(op.results[0].type)
    width, mantissa = width_of(element_of(ty)), LAST_BITS.get(target)
    if mantissa is None or not isinstance(ty, VectorType):
        return None
    if width < BYTE_BITS or (width == BYTE_BITS and target == f16):
        return None
    info, limit = builder.kernel.model.axis_info[op.operands[0]], 1 << mantissa
    low, high = info.low, info.high
    if isinstance(op, UIToFPOp) and low < 0:
        return None
    if low < -limit or high > limit or high - low >= limit or (width == BYTE_BITS and low):
        return None
    large = float_to_bits(float(limit), target)
    if width == BYTE_BITS:
        upper = builder.literal(large >> BYTE_BITS, ty)
        count = count_lanes(ty)
        places = [place for number in range(count) for place in (number, count)]
        bits = builder.emit(shuffle_lanes(value, upper, places)).result
    else:
        low_bits = builder.number(value)
        if low:
            low_bits = low_bits + -low
        if width > 2 * BYTE_BITS:
            low_bits = low_bits.cast("trunc", i16)
        bits = (low_bits | large).value
    number = builder.emit(vector.BitcastOp(bits, with_element(ty, target))).result
    return (builder.number(number) - float(limit - low)).value


def round_integer_to_odd(value: Number, is_signed: bool) -> Number:
    """
    f64 of i64. Numbers of more than 53 bits lose their lowest 11 bits; if there was one, the last
    bit of what is left is set.
    """
    has_low = (value & 0x7FF).compare("ne", 0)
    cut = value & -0x800
    joined = has_low.select(cut | 0x800, cut)
    small = (value + (1 << 52) if is_signed else value).compare("ult", 1 << 53)
    return small.select(value, joined).cast("sitofp" if is_signed else "uitofp", f64)


# Floats to integers


@lowers(FPToSIOp, FPToUIOp)
def lower_ftoi(builder: ThreadBuilder, op: FPToSIOp | FPToUIOp) -> None:
    source = get_element(op.operands[0].type)
    target = element_of(builder.converted_type(op.results[0]))
    assert isinstance(target, IntegerType)
    value = widen(builder, builder.lookup(op.operands[0]), source)
    if target == i1:
        builder.map(op.results[0], builder.number(value).compare("une", 0.0).value)
        return
    is_signed = isinstance(op, FPToSIOp)
    builder.map(op.results[0], saturate(builder, value, target, is_signed))


def saturate(
    builder: ThreadBuilder, value: SSAValue, target: IntegerType, is_signed: bool
) -> SSAValue:
    """An integer from a float, saturated to the range of its type; 0 for NaN."""
    width = target.width.data
    held = with_element(value.type, target)
    if width >= 32:
        make = FPToSISatOp if is_signed else FPToUISatOp
        return builder.emit(make(value, held)).res
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if is_signed else (0, (1 << width) - 1)
    wide = with_element(value.type, i32)
    number = builder.number(builder.emit(FPToSISatOp(value, wide)).res)
    return number.apply("smax", low).apply("smin", high).cast("trunc", target).value


# Bits

INTEGERS = {8: i8, 16: i16, 32: i32, 64: i64}


@lowers(tileaa.BitcastOp, arith.BitcastOp)
def lower_bitcast(builder: ThreadBuilder, op: tileaa.BitcastOp | arith.BitcastOp) -> None:
    value = builder.lookup(op.operands[0])
    source, result = get_element(op.operands[0].type), get_element(op.results[0].type)
    if isinstance(source, FloatTF32Type) != isinstance(result, FloatTF32Type):
        builder.map(op.results[0], cast_tf32(builder, value, isinstance(source, FloatTF32Type)))
        return
    ty = builder.converted_type(op.results[0])
    if value.type == ty:
        builder.map(op.results[0], value)
        return
    from_bits, to_bits = width_of(element_of(value.type)), width_of(element_of(ty))
    word = "zext" if from_bits < to_bits else "trunc" if from_bits > to_bits else "bitcast"
    builder.map(op.results[0], builder.cast(word, value, element_of(ty)))


def cast_tf32(builder: ThreadBuilder, value: SSAValue, is_source: bool) -> SSAValue:
    """Between a tf32, which is in an f32, and the integer of its 19 bits."""
    number, own = builder.number(value), IntegerType(32 - TF32_SPARE_BITS)
    if is_source:
        return (number.bits(i32) >> TF32_SPARE_BITS).cast("trunc", own).value
    return (number.cast("zext", i32) << TF32_SPARE_BITS).bits(f32).value
