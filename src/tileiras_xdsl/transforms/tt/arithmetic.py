"""Rules for ops that work element by element: of `arith`, `math` and `tt`, and of libdevice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log10
from typing import Final

from xdsl.dialects.arith import IntegerOverflowAttr, MulfOp
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects import tt
from tileiras_xdsl.dialects.cuda_tile import (
    ComparisonOrdering,
    ComparisonPredicate,
    Overflow,
    Rounding,
    Signedness,
)
from tileiras_xdsl.dialects.cuda_tile.attributes import BoundedAttr, DivByAttr
from tileiras_xdsl.dialects.cuda_tile.directives import array_values
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.cuda_tile.types import is_float

from .affine import is_count
from .emitter import Emitter, Results, rule
from .masks import find_low_bits

SIGNED, UNSIGNED = Signedness.SIGNED, Signedness.UNSIGNED

# Constants


@rule("arith.constant")
def convert_constant(emitter: Emitter, op: Operation) -> Results:
    """A constant of any type."""
    ty, value = emitter.type(op.results[0].type), op.properties["value"]
    match value:
        case DenseIntOrFPElementsAttr():
            numbers = value.get_values()
            if value.is_splat():
                numbers = numbers[:1]
            return emitter.constant(ty, *numbers)  # pyright: ignore[reportArgumentType]
        case IntegerAttr() | FloatAttr():
            return emitter.constant(ty, value.value.data)
        case _:
            emitter.fail(f"has no conversion for the value '{value}'")


@rule("ub.poison")
def convert_poison(emitter: Emitter, op: Operation) -> Results:
    """Any value: zero."""
    ty = emitter.type(op.results[0].type)
    if not isinstance(ty.element_type, ct.PtrType):
        return emitter.constant(ty, 0)
    return ct.IntToPtrOp(emitter.constant(ty.with_element(i64), 0), ty)


# Integers

PLAIN: Final[dict[str, type[Operation]]] = {
    "arith.andi": ct.AndIOp,
    "arith.ori": ct.OrIOp,
    "arith.xori": ct.XOrIOp,
    "tt.mulhiui": ct.MulhiIOp,
    "arith.remf": ct.RemFOp,
    "arith.negf": ct.NegFOp,
    "math.absf": ct.AbsFOp,
    "math.absi": ct.AbsIOp,
    "math.ceil": ct.CeilOp,
    "math.floor": ct.FloorOp,
    "math.sin": ct.SinOp,
    "math.cos": ct.CosOp,
    "math.tan": ct.TanOp,
    "math.sinh": ct.SinHOp,
    "math.cosh": ct.CosHOp,
    "math.tanh": ct.TanHOp,
    "math.log": ct.LogOp,
    "math.log2": ct.Log2Op,
    "math.exp2": ct.Exp2Op,
    "math.rsqrt": ct.RsqrtOp,
    "math.atan2": ct.Atan2Op,
    "math.powf": ct.PowOp,
    "math.fma": ct.FmaOp,
    "arith.mulf": ct.MulFOp,
    "arith.maxnumf": ct.MaxFOp,
    "arith.minnumf": ct.MinFOp,
    "tt.precise_divf": ct.DivFOp,
    "tt.precise_sqrt": ct.SqrtOp,
}
"""Ops that have one to the same effect."""


@rule(*PLAIN)
def convert_plain(emitter: Emitter, op: Operation) -> Results:
    """The op of the same name."""
    return PLAIN[op.name](*emitter.list_values(op.operands))  # pyright: ignore[reportCallIssue]


@rule("arith.addf", "arith.subf")
def convert_sum(emitter: Emitter, op: Operation) -> Results:
    """
    %m = arith.mulf %a, %b : tensor<8xf32>
    %r = arith.subf %m, %c : tensor<8xf32>
    →
    %n = cuda_tile.negf %c : tile<8xf32>
    %r = cuda_tile.fma %a, %b, %n : tile<8xf32>

    with `tt.enable_fp_fusion`, for a product in the same block. Of two products, it is the one with
    fewer uses, or the first, as LLVM does it. Other uses of the product stay.
    """
    is_sum = op.name == "arith.addf"
    products = [
        (index, value.owner)
        for index, value in enumerate(op.operands)
        if isinstance(value.owner, MulfOp) and value.owner.parent is op.parent
    ]
    if not products or not emitter.fp_fusion:
        return (ct.AddFOp if is_sum else ct.SubFOp)(*emitter.list_values(op.operands))
    index, product = min(products, key=lambda each: each[1].result.uses.get_length())
    lhs, rhs, addend = emitter.list_values((*product.operands, op.operands[1 - index]))
    if not is_sum and index:
        lhs = emitter.one(ct.NegFOp(lhs))
    elif not is_sum:
        addend = emitter.one(ct.NegFOp(addend))
    return ct.FmaOp(lhs, rhs, addend)


OVERFLOWING: Final = {
    "arith.addi": ct.AddIOp,
    "arith.subi": ct.SubIOp,
    "arith.muli": ct.MulIOp,
    "arith.shli": ct.ShLIOp,
}


@rule(*OVERFLOWING)
def convert_overflowing(emitter: Emitter, op: Operation) -> Results:
    """With what is said of its overflow, and hints on its result."""
    flags = op.properties.get("overflowFlags")
    words: set[str] = set()
    if isinstance(flags, IntegerOverflowAttr):
        words = {flag.value for flag in flags.data}
    overflow = Overflow.NONE
    if words:
        overflow = Overflow.NO_WRAP
        if len(words) == 1:
            is_signed = words == {"nsw"}
            overflow = Overflow.NO_SIGNED_WRAP if is_signed else Overflow.NO_UNSIGNED_WRAP
    made = OVERFLOWING[op.name](*emitter.list_values(op.operands), overflow=overflow)
    return assume_hints(emitter, op, emitter.one(made))


def first_number(attribute: Attribute | None) -> tuple[int, ...]:
    """The numbers of an attribute of hints, one for each dimension."""
    match attribute:
        case IntegerAttr():
            return (attribute.value.data,)
        case DenseIntOrFPElementsAttr():
            return tuple(int(value) for value in attribute.get_values())  # pyright: ignore[reportArgumentType]
        case _:
            return ()


def assume_hints(emitter: Emitter, op: Operation, value: SSAValue) -> SSAValue:
    """
    What `tl.multiple_of` and `tl.max_contiguous` say: the first of each run of so many numbers
    along a dimension is a multiple, and the run counts up.
    """
    divisors = first_number(op.attributes.get("tt.divisibility"))
    runs = first_number(op.attributes.get("tt.contiguity"))
    shape = emitter.tile(value).get_shape()
    for axis, (divisor, extent) in enumerate(zip(divisors, shape, strict=False)):
        run = runs[axis] if axis < len(runs) else 1
        if divisor & -divisor > 1 and (run := run & -run) <= extent:
            predicate = DivByAttr((divisor & -divisor, run, axis))
            value = emitter.one(ct.AssumeOp(value, predicate))
    if not shape and divisors and divisors[0] & -divisors[0] > 1:
        predicate = DivByAttr((divisors[0] & -divisors[0], None, None))
        value = emitter.one(ct.AssumeOp(value, predicate))
    return value


BY_SIGN: Final[dict[str, tuple[type[Operation], Signedness]]] = {
    "arith.divsi": (ct.DivIOp, SIGNED),
    "arith.divui": (ct.DivIOp, UNSIGNED),
    "arith.remsi": (ct.RemIOp, SIGNED),
    "arith.remui": (ct.RemIOp, UNSIGNED),
    "arith.minsi": (ct.MinIOp, SIGNED),
    "arith.minui": (ct.MinIOp, UNSIGNED),
    "arith.maxsi": (ct.MaxIOp, SIGNED),
    "arith.maxui": (ct.MaxIOp, UNSIGNED),
    "arith.shrsi": (ct.ShRIOp, SIGNED),
    "arith.shrui": (ct.ShRIOp, UNSIGNED),
}


@rule(*BY_SIGN)
def convert_by_sign(emitter: Emitter, op: Operation) -> Results:
    """
    With its signedness, and hints on its result. Of what counts is said that it is not negative
    where it is divided: quotients and remainders then have runs, too. So have low bits.
    """
    made, signedness = BY_SIGN[op.name]
    operands = emitter.list_values(op.operands)
    if op.name == "arith.remsi" and (bits := find_low_bits(op)) is not None:
        low = emitter.constant(emitter.type(op.results[0].type), bits)
        return assume_hints(emitter, op, emitter.one(ct.AndIOp(operands[0], low)))
    is_division = op.name in ("arith.divsi", "arith.remsi")
    if is_division and tt.shape_of(op.operands[0].type) and is_count(op.operands[0]):
        operands[0] = emitter.one(ct.AssumeOp(operands[0], BoundedAttr((0, None))))
    result = emitter.one(made(*operands, signedness=signedness))  # pyright: ignore[reportCallIssue]
    return assume_hints(emitter, op, result)


RELATIONS: Final = {
    "e": ComparisonPredicate.EQUAL,
    "n": ComparisonPredicate.NOT_EQUAL,
    "lt": ComparisonPredicate.LESS_THAN,
    "le": ComparisonPredicate.LESS_THAN_OR_EQUAL,
    "gt": ComparisonPredicate.GREATER_THAN,
    "ge": ComparisonPredicate.GREATER_THAN_OR_EQUAL,
}
_INTEGER = ("e", "n", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
_FLOAT = ("", "e", "gt", "ge", "lt", "le", "n", "ord", "e", "gt", "ge", "lt", "le", "n", "uno", "")


def _predicate(op: Operation) -> int:
    attribute = op.properties["predicate"]
    assert isinstance(attribute, IntegerAttr)
    return attribute.value.data


@rule("arith.cmpi")
def convert_cmpi(emitter: Emitter, op: Operation) -> Results:
    """A comparison of integers."""
    number = _predicate(op)
    lhs, rhs = emitter.list_values(op.operands)
    return emitter.compare(RELATIONS[_INTEGER[number]], lhs, rhs, signed=number < 6)


@rule("arith.cmpf")
def convert_cmpf(emitter: Emitter, op: Operation) -> Results:
    """A comparison of floats; whether there is a NaN is whether one differs from itself."""
    number = _predicate(op)
    lhs, rhs = emitter.list_values(op.operands)
    word, is_ordered = _FLOAT[number], number < 8

    def compare(relation: ComparisonPredicate, left: SSAValue, right: SSAValue) -> SSAValue:
        ordering = ComparisonOrdering.ORDERED if is_ordered else ComparisonOrdering.UNORDERED
        return emitter.one(
            ct.CmpFOp(left, right, comparison_predicate=relation, comparison_ordering=ordering)
        )

    if not word:
        return emitter.constant(emitter.type(op.results[0].type), int(number == 15))
    if word in RELATIONS:
        return compare(RELATIONS[word], lhs, rhs)
    relation = RELATIONS["e" if is_ordered else "n"]
    combine = ct.AndIOp if is_ordered else ct.OrIOp
    return combine(compare(relation, lhs, lhs), compare(relation, rhs, rhs))


@rule("arith.select")
def convert_select(emitter: Emitter, op: Operation) -> Results:
    """One of two values."""
    return emitter.select(*emitter.list_values(op.operands))


# Conversions


@rule("arith.extsi", "arith.extui")
def convert_extension(emitter: Emitter, op: Operation) -> Results:
    """Integers in more bits."""
    ty = emitter.type(op.results[0].type)
    signedness = SIGNED if op.name == "arith.extsi" else UNSIGNED
    return ct.ExtIOp(emitter.value(op.operands[0]), ty, signedness=signedness)


@rule("arith.trunci")
def convert_truncation(emitter: Emitter, op: Operation) -> Results:
    """Integers in fewer bits."""
    return ct.TruncIOp(emitter.value(op.operands[0]), emitter.type(op.results[0].type))


@rule("arith.sitofp", "arith.uitofp")
def convert_to_float(emitter: Emitter, op: Operation) -> Results:
    """Integers as floats."""
    ty = emitter.type(op.results[0].type)
    signedness = SIGNED if op.name == "arith.sitofp" else UNSIGNED
    made = ct.IToFOp(
        emitter.value(op.operands[0]),
        ty,
        signedness=signedness,
        rounding_mode=Rounding.NEAREST_EVEN,
    )
    return made


@rule("arith.fptosi", "arith.fptoui")
def convert_to_integer(emitter: Emitter, op: Operation) -> Results:
    """Floats, cut to integers."""
    signedness = SIGNED if op.name == "arith.fptosi" else UNSIGNED
    source = emitter.value(op.operands[0])
    return ct.FToIOp(source, emitter.type(op.results[0].type), signedness=signedness)


@rule("arith.extf", "arith.truncf")
def convert_float(emitter: Emitter, op: Operation) -> Results:
    """Floats of another type."""
    ty = emitter.type(op.results[0].type)
    return emitter.to_float(emitter.value(op.operands[0]), ty.element_type)


@rule("tt.fp_to_fp")
def convert_fp_to_fp(emitter: Emitter, op: tt.FpToFpOp) -> Results:
    """Floats of another type, with a rounding mode."""
    source, ty = emitter.value(op.src), emitter.type(op.result.type)
    word = op.rounding
    is_cut = word is not None and word == tt.make_word(tt.RoundingMode.RTZ)
    bits = element_bit_width(ty.element_type)
    narrows = bits < element_bit_width(emitter.tile(source).element_type)
    if is_cut and narrows and isinstance(ty.element_type, Float8E5M2Type):
        return cut_to_e5m2(emitter, source)
    if is_cut and narrows and bits < 16:
        emitter.fail(f"cannot round towards zero to '{ty.element_type}'")
    if emitter.tile(source) == ty:
        return source
    if bits == element_bit_width(emitter.tile(source).element_type):
        source = emitter.to_float(source, f32)  # Neither has all values of the other.
    rounding = Rounding.ZERO if is_cut and narrows else Rounding.NEAREST_EVEN
    return ct.FToFOp(source, ty, rounding_mode=rounding)


def cut_to_e5m2(emitter: Emitter, source: SSAValue) -> SSAValue:
    """The upper half of floats of 16 bits, which are cut themselves."""
    ty = emitter.tile(source)
    if ty.element_type != f16:
        wide = emitter.to_float(source, f32)
        source = emitter.one(ct.FToFOp(wide, ty.with_element(f16), rounding_mode=Rounding.ZERO))
    bits = emitter.one(ct.BitcastOp(source, ty.with_element(i16)))
    upper = emitter.one(ct.ShRIOp(bits, emitter.like(bits, 8), signedness=UNSIGNED))
    cut = emitter.one(ct.TruncIOp(upper, ty.with_element(i8)))
    return emitter.one(ct.BitcastOp(cut, ty.with_element(Float8E5M2Type())))


@rule("tt.bitcast", "arith.bitcast")
def convert_bitcast(emitter: Emitter, op: Operation) -> Results:
    """The same bits; of pointers, to other values."""
    source, ty = emitter.value(op.operands[0]), emitter.type(op.results[0].type)
    if source.type == ty:
        return source
    is_pointer = isinstance(ty.element_type, ct.PtrType)
    return (ct.PtrToPtrOp if is_pointer else ct.BitcastOp)(source, ty)


@rule("tt.int_to_ptr")
def convert_int_to_ptr(emitter: Emitter, op: tt.IntToPtrOp) -> Results:
    """Addresses as pointers."""
    return ct.IntToPtrOp(emitter.value(op.src), emitter.type(op.result.type))


@rule("tt.ptr_to_int")
def convert_ptr_to_int(emitter: Emitter, op: tt.PtrToIntOp) -> Results:
    """Pointers as addresses."""
    return ct.PtrToIntOp(emitter.value(op.src), emitter.type(op.result.type))


# Floats


def is_single(emitter: Emitter, value: SSAValue) -> bool:
    """Whether a value has floats of 32 bits, of which there are approximate functions."""
    return isinstance(emitter.tile(value).element_type, Float32Type)


@rule("arith.divf", "tt.approx_divf")
def convert_division(emitter: Emitter, op: Operation) -> Results:
    """A quotient, as Triton has it: within 2 ulp of f32."""
    lhs, rhs = emitter.list_values(op.operands)
    rounding = Rounding.FULL if is_single(emitter, lhs) else Rounding.NEAREST_EVEN
    if op.name == "tt.approx_divf" and is_single(emitter, lhs):
        rounding = Rounding.APPROX
    return ct.DivFOp(lhs, rhs, rounding_mode=rounding)


@rule("math.sqrt")
def convert_sqrt(emitter: Emitter, op: Operation) -> Results:
    """A square root, as Triton has it: approximate for f32."""
    value = emitter.value(op.operands[0])
    rounding = Rounding.APPROX if is_single(emitter, value) else Rounding.NEAREST_EVEN
    return ct.SqrtOp(value, rounding_mode=rounding)


@rule("math.exp")
def convert_exp(emitter: Emitter, op: Operation) -> Results:
    """An exponential, as Triton has it: approximate for f32."""
    value = emitter.value(op.operands[0])
    rounding = Rounding.APPROX if is_single(emitter, value) else Rounding.FULL
    return ct.ExpOp(value, rounding_mode=rounding)


@rule("arith.maximumf", "arith.minimumf")
def convert_propagating(emitter: Emitter, op: Operation) -> Results:
    """An extremum, or NaN."""
    made = ct.MaxFOp if op.name == "arith.maximumf" else ct.MinFOp
    return made(*emitter.list_values(op.operands), propagate_nan=True)


@rule("tt.clampf")
def convert_clamp(emitter: Emitter, op: tt.ClampFOp) -> Results:
    """The larger one of a float and the lower limit, unless the upper one is smaller."""
    keeps_nan = op.propagate_nan == tt.make_word(tt.PropagateNan.ALL)
    x, low, high = emitter.list_values(op.operands)
    lower = emitter.one(ct.MaxFOp(x, low, propagate_nan=keeps_nan))
    return ct.MinFOp(lower, high, propagate_nan=keeps_nan)


ERF_NEAR: Final = (
    -9.673590284364764e-06,
    0.00011268253729213029,
    -0.0008484396385028958,
    0.005221053492277861,
    -0.026865437626838684,
    0.11283782869577408,
    -0.37612637877464294,
    1.128379225730896,
)
"""Of `erf(x) / x` for x up to one, powers of x²."""
ERF_FAR: Final = (
    2.328598611711641e-06,
    -6.577336171176285e-05,
    0.000855185673572123,
    -0.006838695146143436,
    0.038036245852708817,
    -0.15866507589817047,
    -0.9116925001144409,
    -1.6304858922958374,
    0.00043744384311139584,
)
"""Of `log2(1 - erf(x))` for x from one to four, powers of x."""


ERF_NEAR_F64: Final = (
    -7.795898827002142e-10,
    1.3720064546777686e-08,
    -1.6208483801871705e-07,
    1.6447424703317362e-06,
    -1.492473690741966e-05,
    0.00012055294904839707,
    -0.0008548325975389692,
    0.0052239776071164225,
    -0.02686617064323777,
    0.11283791670945006,
    -0.37612638903183543,
    1.1283791670955126,
)
"""The same as `ERF_NEAR`, for f64."""
ERF_FAR_F64: Final = (
    4.4133850329466983e-13,
    1.8386753405993422e-11,
    -7.45510449620631e-11,
    -2.6260417449824267e-10,
    2.6248030731791732e-09,
    -5.937642934649013e-10,
    -7.00535615043276e-08,
    1.6350179331888476e-07,
    1.9795619117948376e-06,
    -7.3405185545281365e-06,
    -8.079220427446309e-05,
    0.00019713917780504528,
    0.005588816281840148,
    0.03856057042517875,
    0.16189356804102498,
    0.22142954022993183,
)
"""Of `exp(x * x) * (1 - erf(x))` for x from one to six, powers of `(9.6 / (x + 2)) - 2.2`."""


def polynomial(emitter: Emitter, x: SSAValue, coefficients: Sequence[float]) -> SSAValue:
    """A polynomial by Horner's rule; coefficients from that of the highest power."""
    first, *rest = coefficients
    value = emitter.like(x, first)
    for coefficient in rest:
        value = emitter.one(ct.FmaOp(value, x, emitter.like(x, coefficient)))
    return value


def make_erf(emitter: Emitter, x: SSAValue) -> SSAValue:
    """The error function of f32, within 2e-7, or of f64, within 3e-16."""
    element = emitter.tile(x).element_type
    is_double = isinstance(element, Float64Type)
    x = x if is_double else emitter.to_float(x, f32)
    one, powers = emitter.like(x, 1.0), ERF_NEAR_F64 if is_double else ERF_NEAR
    near = emitter.one(ct.MulFOp(x, polynomial(emitter, emitter.one(ct.MulFOp(x, x)), powers)))
    size = emitter.one(ct.AbsFOp(x))
    limit = emitter.like(x, 6.0 if is_double else 4.0)
    limited = emitter.one(ct.MinFOp(size, limit, propagate_nan=True))
    if is_double:
        square = emitter.one(ct.MulFOp(limited, limited))
        scale = emitter.one(ct.ExpOp(emitter.one(ct.NegFOp(square))))
        moved = emitter.one(ct.AddFOp(limited, emitter.like(x, 2.0)))
        inverse = make_reciprocal(emitter, moved)
        # From 1/8 … 1/3 to -1 … 1.
        t = emitter.one(ct.FmaOp(inverse, emitter.like(x, 9.6), emitter.like(x, -2.2)))
        tail = emitter.one(ct.MulFOp(scale, polynomial(emitter, t, ERF_FAR_F64)))
    else:
        tail = emitter.one(ct.Exp2Op(polynomial(emitter, limited, ERF_FAR)))
    far = copy_sign(emitter, emitter.one(ct.SubFOp(one, tail)), x)
    is_near = emitter.compare(ComparisonPredicate.LESS_THAN, size, one)
    return emitter.to_float(emitter.select(is_near, near, far), element)


def copy_sign(emitter: Emitter, value: SSAValue, sign: SSAValue) -> SSAValue:
    """A float with the sign of another."""
    ty = emitter.tile(value)
    bits = element_bit_width(ty.element_type)
    integers = ty.with_element(IntegerType(bits))
    masks = ((1 << (bits - 1)) - 1, 1 << (bits - 1))
    parts = [
        emitter.one(
            ct.AndIOp(emitter.one(ct.BitcastOp(each, integers)), emitter.constant(integers, mask))
        )
        for each, mask in zip((value, sign), masks, strict=True)
    ]
    return emitter.one(ct.BitcastOp(emitter.one(ct.OrIOp(*parts)), ty))


@rule("math.erf")
def convert_erf(emitter: Emitter, op: Operation) -> Results:
    """The error function."""
    return make_erf(emitter, emitter.value(op.operands[0]))


# Functions of libdevice

Function = Callable[..., SSAValue]


def _op(made: type[Operation], **properties: object) -> Function:
    def build(emitter: Emitter, *operands: SSAValue) -> SSAValue:
        return emitter.one(made(*operands, **properties))  # pyright: ignore[reportCallIssue]

    return build


def make_round(emitter: Emitter, x: SSAValue) -> SSAValue:
    """To the nearest integer, half away from zero."""
    size = emitter.one(ct.AbsFOp(x))
    below = emitter.one(ct.FloorOp(size))
    rest = emitter.one(ct.SubFOp(size, below))
    above = emitter.one(ct.AddFOp(below, emitter.like(x, 1.0)))
    goes_up = emitter.compare(ComparisonPredicate.GREATER_THAN_OR_EQUAL, rest, emitter.like(x, 0.5))
    return copy_sign(emitter, emitter.select(goes_up, above, below), x)


def make_rint(emitter: Emitter, x: SSAValue) -> SSAValue:
    """To the nearest integer, half to even."""
    half = emitter.like(x, 0.5)
    below = emitter.one(ct.FloorOp(x))
    rest = emitter.one(ct.SubFOp(x, below))
    above = emitter.one(ct.AddFOp(below, emitter.like(x, 1.0)))
    halved = emitter.one(ct.MulFOp(below, half))
    is_odd = emitter.compare(ComparisonPredicate.NOT_EQUAL, halved, emitter.one(ct.FloorOp(halved)))
    is_half = emitter.compare(ComparisonPredicate.EQUAL, rest, half)
    tie = emitter.one(ct.AndIOp(is_odd, is_half))
    more = emitter.compare(ComparisonPredicate.GREATER_THAN, rest, half)
    goes_up = emitter.one(ct.OrIOp(more, tie))
    return copy_sign(emitter, emitter.select(goes_up, above, below), x)


def make_trunc(emitter: Emitter, x: SSAValue) -> SSAValue:
    """Cut to an integer."""
    below = emitter.one(ct.FloorOp(emitter.one(ct.AbsFOp(x))))
    return copy_sign(emitter, below, x)


def make_log1p(emitter: Emitter, x: SSAValue) -> SSAValue:
    """`log(1 + x)`, exact for a small x: the error of the sum is divided out."""
    one = emitter.like(x, 1.0)
    u = emitter.one(ct.AddFOp(x, one))
    scale = emitter.one(ct.DivFOp(x, emitter.one(ct.SubFOp(u, one))))
    value = emitter.one(ct.MulFOp(emitter.one(ct.LogOp(u)), scale))
    infinity = emitter.compare(ComparisonPredicate.EQUAL, u, emitter.like(x, float("inf")))
    value = emitter.select(infinity, u, value)
    return emitter.select(emitter.compare(ComparisonPredicate.EQUAL, u, one), x, value)


def make_expm1(emitter: Emitter, x: SSAValue) -> SSAValue:
    """`exp(x) - 1`, exact for a small x in the same way."""
    one = emitter.like(x, 1.0)
    u = emitter.one(ct.ExpOp(x))
    rest = emitter.one(ct.SubFOp(u, one))
    scaled = emitter.one(ct.MulFOp(rest, emitter.one(ct.DivFOp(x, emitter.one(ct.LogOp(u))))))
    size = emitter.one(ct.AbsFOp(x))
    is_small = emitter.compare(ComparisonPredicate.LESS_THAN, size, one)
    value = emitter.select(is_small, scaled, rest)
    return emitter.select(emitter.compare(ComparisonPredicate.EQUAL, u, one), x, value)


def make_log10(emitter: Emitter, x: SSAValue) -> SSAValue:
    """The logarithm to base ten."""
    scale = emitter.like(x, log10(2.0))
    return emitter.one(ct.MulFOp(emitter.one(ct.Log2Op(x)), scale))


def make_arc(emitter: Emitter, x: SSAValue, *, is_sine: bool) -> SSAValue:
    """The arc sine or cosine: an angle of a triangle whose longest side is one."""
    one = emitter.like(x, 1.0)
    product = emitter.one(ct.MulFOp(emitter.one(ct.SubFOp(one, x)), emitter.one(ct.AddFOp(one, x))))
    other = emitter.one(ct.SqrtOp(product))
    return emitter.one(ct.Atan2Op(x, other) if is_sine else ct.Atan2Op(other, x))


def _is(relation: ComparisonPredicate, number: float) -> Function:
    """A test of the size of a float, as an integer."""

    def build(emitter: Emitter, x: SSAValue) -> SSAValue:
        size = emitter.one(ct.AbsFOp(x))
        found = emitter.compare(relation, size, emitter.like(x, number))
        return emitter.extend(found, 32, signed=False)

    return build


def make_isnan(emitter: Emitter, x: SSAValue) -> SSAValue:
    """Whether a float is a NaN, as an integer."""
    found = emitter.one(
        ct.CmpFOp(
            x,
            x,
            comparison_predicate=ComparisonPredicate.NOT_EQUAL,
            comparison_ordering=ComparisonOrdering.UNORDERED,
        )
    )
    return emitter.extend(found, 32, signed=False)


def make_signbit(emitter: Emitter, x: SSAValue) -> SSAValue:
    """The sign of a float, as an integer."""
    ty = emitter.tile(x)
    bits = element_bit_width(ty.element_type)
    integers = ty.with_element(IntegerType(bits))
    shift = emitter.constant(integers, bits - 1)
    sign = emitter.one(
        ct.ShRIOp(emitter.one(ct.BitcastOp(x, integers)), shift, signedness=UNSIGNED)
    )
    if bits == 64:
        return emitter.one(ct.TruncIOp(sign, ty.with_element(i32)))
    return emitter.extend(sign, 32, signed=False)


def make_power(emitter: Emitter, x: SSAValue, exponent: SSAValue) -> SSAValue:
    """A power; an integer exponent is one of `fpowi`."""
    if isinstance(emitter.tile(exponent).element_type, IntegerType):
        return emitter.one(ct.FPowIOp(x, exponent))
    return emitter.one(ct.PowOp(x, exponent))


def make_acos(emitter: Emitter, x: SSAValue) -> SSAValue:
    """The arc cosine."""
    return make_arc(emitter, x, is_sine=False)


def make_asin(emitter: Emitter, x: SSAValue) -> SSAValue:
    """The arc sine."""
    return make_arc(emitter, x, is_sine=True)


def make_atan(emitter: Emitter, x: SSAValue) -> SSAValue:
    """The arc tangent."""
    return emitter.one(ct.Atan2Op(x, emitter.like(x, 1.0)))


def make_exp10(emitter: Emitter, x: SSAValue) -> SSAValue:
    """A power of ten."""
    scaled = emitter.one(ct.MulFOp(x, emitter.like(x, 1 / log10(2.0))))
    return emitter.one(ct.Exp2Op(scaled))


def make_reciprocal(emitter: Emitter, x: SSAValue) -> SSAValue:
    """The inverse."""
    return emitter.one(ct.DivFOp(emitter.like(x, 1.0), x))


def _bits(element: Attribute) -> Function:
    """The same bits as another type."""

    def build(emitter: Emitter, x: SSAValue) -> SSAValue:
        return emitter.one(ct.BitcastOp(x, emitter.tile(x).with_element(element)))

    return build


def make_hypot(emitter: Emitter, x: SSAValue, y: SSAValue) -> SSAValue:
    """The length of a vector; squares are of parts of the larger one, so none overflows."""
    x, y = (emitter.one(ct.AbsFOp(each)) for each in (x, y))
    large = emitter.one(ct.MaxFOp(x, y, propagate_nan=True))
    small = emitter.one(ct.MinFOp(x, y, propagate_nan=True))
    ratio = emitter.one(ct.DivFOp(small, large))
    one = emitter.like(x, 1.0)
    root = emitter.one(ct.SqrtOp(emitter.one(ct.FmaOp(ratio, ratio, one))))
    found = emitter.one(ct.MulFOp(large, root))
    # Zero and infinity have no ratio.
    is_plain = emitter.compare(ComparisonPredicate.LESS_THAN, small, large)
    is_equal = emitter.compare(ComparisonPredicate.EQUAL, small, large)
    diagonal = emitter.one(ct.MulFOp(large, emitter.like(x, 2.0**0.5)))
    found = emitter.select(is_plain, found, emitter.select(is_equal, diagonal, large))
    infinity = emitter.like(x, float("inf"))
    is_infinite = emitter.compare(ComparisonPredicate.EQUAL, large, infinity)
    return emitter.select(is_infinite, infinity, found)


def make_cbrt(emitter: Emitter, x: SSAValue) -> SSAValue:
    """The cubic root: a power, and a step of Newton's method."""
    size = emitter.one(ct.AbsFOp(x))
    third = emitter.like(x, 1 / 3)
    guess = emitter.one(ct.Exp2Op(emitter.one(ct.MulFOp(emitter.one(ct.Log2Op(size)), third))))
    square = emitter.one(ct.MulFOp(guess, guess))
    error = emitter.one(ct.SubFOp(guess, emitter.one(ct.DivFOp(size, square))))
    better = emitter.one(ct.SubFOp(guess, emitter.one(ct.MulFOp(error, third))))
    ends = [
        emitter.compare(ComparisonPredicate.EQUAL, size, emitter.like(x, end))
        for end in (0.0, float("inf"))
    ]
    is_end = emitter.one(ct.OrIOp(*ends))
    return copy_sign(emitter, emitter.select(is_end, size, better), x)


def make_saturate(emitter: Emitter, x: SSAValue) -> SSAValue:
    """A number between zero and one."""
    return emitter.one(
        ct.MinFOp(emitter.one(ct.MaxFOp(x, emitter.like(x, 0.0))), emitter.like(x, 1.0))
    )


def _rounded(made: Function, element: Attribute) -> Function:
    """A float, rounded to an integer in some way."""

    def build(emitter: Emitter, x: SSAValue) -> SSAValue:
        whole, ty = made(emitter, x), emitter.tile(x).with_element(element)
        return emitter.one(ct.FToIOp(whole, ty, signedness=SIGNED))

    return build


FUNCTIONS: Final[dict[str, Function]] = {
    "abs": _op(ct.AbsIOp),
    "acos": make_acos,
    "asin": make_asin,
    "atan": make_atan,
    "atan2": _op(ct.Atan2Op),
    "cbrt": make_cbrt,
    "ceil": _op(ct.CeilOp),
    "copysign": copy_sign,
    "cos": _op(ct.CosOp),
    "cosh": _op(ct.CosHOp),
    "div_rn": _op(ct.DivFOp),
    "div_rz": _op(ct.DivFOp, rounding_mode=Rounding.ZERO),
    "double2int_rz": _rounded(make_trunc, i32),
    "double_as_longlong": _bits(i64),
    "erf": make_erf,
    "exp": _op(ct.ExpOp),
    "exp10": make_exp10,
    "exp2": _op(ct.Exp2Op),
    "expm1": make_expm1,
    "fabs": _op(ct.AbsFOp),
    "fdivide": _op(ct.DivFOp, rounding_mode=Rounding.FULL),
    "finite": _is(ComparisonPredicate.LESS_THAN, float("inf")),
    "float2int_rd": _rounded(_op(ct.FloorOp), i32),
    "float2int_rn": _rounded(make_rint, i32),
    "float2int_ru": _rounded(_op(ct.CeilOp), i32),
    "float2int_rz": _rounded(make_trunc, i32),
    "float_as_int": _bits(i32),
    "float_as_uint": _bits(i32),
    "floor": _op(ct.FloorOp),
    "fma": _op(ct.FmaOp),
    "fma_rn": _op(ct.FmaOp),
    "fmax": _op(ct.MaxFOp),
    "fmin": _op(ct.MinFOp),
    "fmod": _op(ct.RemFOp),
    "hypot": make_hypot,
    "int_as_float": _bits(f32),
    "isfinited": _is(ComparisonPredicate.LESS_THAN, float("inf")),
    "isinf": _is(ComparisonPredicate.EQUAL, float("inf")),
    "isnan": make_isnan,
    "llrint": _rounded(make_rint, i64),
    "llround": _rounded(make_round, i64),
    "log": _op(ct.LogOp),
    "log10": make_log10,
    "log1p": make_log1p,
    "log2": _op(ct.Log2Op),
    "longlong_as_double": _bits(f64),
    "max": _op(ct.MaxIOp, signedness=SIGNED),
    "min": _op(ct.MinIOp, signedness=SIGNED),
    "nearbyint": make_rint,
    "pow": make_power,
    "powi": make_power,
    "rcp_rn": make_reciprocal,
    "rint": make_rint,
    "round": make_round,
    "rsqrt": _op(ct.RsqrtOp),
    "saturate": make_saturate,
    "signbit": make_signbit,
    "sin": _op(ct.SinOp),
    "sinh": _op(ct.SinHOp),
    "sqrt": _op(ct.SqrtOp),
    "sqrt_rn": _op(ct.SqrtOp),
    "tan": _op(ct.TanOp),
    "tanh": _op(ct.TanHOp),
    "trunc": make_trunc,
    "uint_as_float": _bits(f32),
    "ullmax": _op(ct.MaxIOp, signedness=UNSIGNED),
    "ullmin": _op(ct.MinIOp, signedness=UNSIGNED),
    "umax": _op(ct.MaxIOp, signedness=UNSIGNED),
    "umin": _op(ct.MinIOp, signedness=UNSIGNED),
    "umulhi": _op(ct.MulhiIOp),
}
"""Functions of libdevice, without `__nv_`, `fast_`, and the letters that say the type."""


def find_function(symbol: str) -> Function | None:
    """What a symbol of libdevice stands for."""
    name = symbol.removeprefix("__nv_").removeprefix("fast_")
    plain = name[1:] if "_r" in name and name not in FUNCTIONS else name
    for each in (plain, plain.removesuffix("f"), plain.removesuffix("d"), plain.removeprefix("ll")):
        if (found := FUNCTIONS.get(each)) is not None:
            return found
    return None


@rule("tt.extern_elementwise")
def convert_extern(emitter: Emitter, op: tt.ExternElementwiseOp) -> Results:
    """A function of libdevice."""
    found = find_function(op.symbol.data)
    if found is None:
        emitter.fail(f"has no conversion for the function '{op.symbol.data}'")
    return found(emitter, *emitter.list_values(op.args))


# The grid, hints and output


@rule("tt.get_program_id")
def convert_program_id(emitter: Emitter, op: tt.GetProgramIdOp) -> Results:
    """A coordinate of the tile block."""
    return emitter.emit(ct.GetTileBlockIdOp()).results[op.dimension]


@rule("tt.get_num_programs")
def convert_num_programs(emitter: Emitter, op: tt.GetNumProgramsOp) -> Results:
    """An extent of the grid."""
    return emitter.emit(ct.GetNumTileBlocksOp()).results[op.dimension]


@rule("llvm.intr.assume")
def convert_assume(emitter: Emitter, op: Operation) -> Results:
    """
    What is assumed of an integer that is compared with a constant holds for what comes after it;
    all else is dropped.
    """
    compared = op.operands[0].owner
    if not isinstance(compared, Operation) or compared.name != "arith.cmpi":
        return None
    bounded, limit = compared.operands
    constant = limit.owner
    if not isinstance(constant, Operation) or constant.name != "arith.constant":
        return None
    number = constant.properties["value"]
    word, value = _predicate(compared), emitter.value(bounded)
    if not isinstance(number, IntegerAttr) or emitter.tile(value).rank or not 2 <= word <= 5:
        return None
    edge = number.value.data
    # Signed: less, less or equal, greater, greater or equal.
    bounds = ((None, edge - 1), (None, edge), (edge + 1, None), (edge, None))[word - 2]
    emitter.values[bounded] = emitter.one(ct.AssumeOp(value, BoundedAttr(bounds)))
    return None


@rule("tt.assert")
def convert_assert(emitter: Emitter, op: tt.AssertOp) -> Results:
    """The same; a number counts as true if it is not zero."""
    condition = emitter.value(op.condition)
    if emitter.tile(condition).element_type != IntegerType(1):
        zero = emitter.like(condition, 0)
        condition = emitter.compare(ComparisonPredicate.NOT_EQUAL, condition, zero)
    return ct.AssertOp(condition, message=op.message.data)


@rule("tt.print")
def convert_print(emitter: Emitter, op: tt.PrintOp) -> Results:
    """The prefix, and each value in a format that its type has."""
    signs = array_values(op.is_signed) if isinstance(op.is_signed, DenseArrayBase) else ()
    is_hex = op.hex == BoolAttr.from_bool(True)
    text, values = op.prefix.data.replace("%", "%%"), list[SSAValue]()
    for index, value in enumerate(emitter.list_values(op.args)):
        element = emitter.tile(value).element_type
        if isinstance(element, ct.PtrType):
            value = emitter.one(ct.PtrToIntOp(value, emitter.tile(value).with_element(i64)))
            conversion = "%llx"
        elif is_float(element):
            if not isinstance(element, Float16Type | Float32Type | Float64Type):
                value = emitter.to_float(value, f32)
            conversion = "%f"
        else:
            is_signed = index >= len(signs) or bool(signs[index])
            value = emitter.extend(value, 32, signed=is_signed and element != IntegerType(1))
            letter = "x" if is_hex else "d" if is_signed else "u"
            conversion = f"%ll{letter}" if element == i64 else f"%{letter}"
        values.append(value)
        text += ("" if len(values) == 1 else ", ") + conversion
    emitter.write(lambda token: ct.PrintTkoOp(StringAttr(f"{text}\n"), values, token))
    return None
