"""
What floating-point ops mean: IEEE formats by the solver's theory.

Of a NaN only that it is one is kept. With `flush_to_zero`, denormal operands and results are zeros
of their sign. Ops that are rounded `approx` or `full`, and those of formats without infinities,
are functions that the solver knows nothing about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from itertools import product
from math import prod

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp

from .integers import as_bit, keyword
from .machine import (
    Lane,
    Machine,
    Tile,
    Unsupported,
    apply_unknown,
    element_of,
    elementwise,
    means,
    of_bits,
    opaque,
    strict,
    width_of,
)
from .smt import Term, z3

IS_EXACT: ContextVar[bool] = ContextVar("whether floats are those of the theory", default=True)
"""
Otherwise arithmetic is a function that the solver knows nothing about but that sums and products
commute. What holds then holds for every format and rounding; and it is much quicker to prove.
"""

IS_CONTRACTED: ContextVar[bool] = ContextVar("whether `fma` rounds its product", default=False)
"""
Then `fma` is a product and a sum, and a difference the sum with the negative: what is proven so
holds but for the rounding of products.
"""

COMMUTATIVE = ("addf", "mulf")

TF32 = (8, 11)

FORMATS: dict[type[Attribute], tuple[int, int]] = {
    Float16Type: (5, 11),
    BFloat16Type: (8, 8),
    Float32Type: (8, 24),
    Float64Type: (11, 53),
    FloatTF32Type: TF32,
}
"""Bits of the exponent and of the significand, the hidden one included."""


def sort_of(element: Attribute) -> Term | None:
    """The sort of a format; nothing if the theory has none."""
    found = FORMATS.get(type(element))
    return None if found is None else z3.FPSort(*found)


def rounding_of(op: Operation, name: str = "rounding_mode") -> Term | None:
    """The rounding mode of an op; nothing if it is approximate."""
    match keyword(op, name, "nearest_even"):
        case "nearest_even":
            return z3.RNE()
        case "zero":
            return z3.RTZ()
        case "negative_inf":
            return z3.RTN()
        case "positive_inf":
            return z3.RTP()
        case _:
            return None


def to_float(bits: Term, sort: Term) -> Term:
    """A float, by its bits."""
    return z3.fpBVToFP(bits, sort)


def to_bits(value: Term) -> Term:
    """The bits of a float; of a NaN, those of one of them."""
    sort = value.sort()
    ones = z3.BitVecVal((1 << sort.ebits() + 1) - 1, sort.ebits() + sort.sbits())
    quiet = ones << (sort.sbits() - 2)
    return z3.If(z3.fpIsNaN(value), quiet, z3.fpToIEEEBV(value))


def flush(value: Term) -> Term:
    """A zero of the same sign in place of a denormal."""
    sort = value.sort()
    zero = z3.If(z3.fpIsNegative(value), z3.fpMinusZero(sort), z3.fpPlusZero(sort))
    return z3.If(z3.fpIsSubnormal(value), zero, value)


def _arithmetic(names: Sequence[str], function: str) -> None:
    @of_bits(*names)
    def _(op: Operation, *bits: Term) -> Term:
        sort, mode = sort_of(element_of(op.results[0].type)), rounding_of(op)
        if not IS_EXACT.get() or sort is None or mode is None:
            return _abstract(op)(*bits)
        is_flushed = "flush_to_zero" in op.properties
        values = [to_float(each, sort) for each in bits]
        if is_flushed:
            values = [flush(value) for value in values]
        result = getattr(z3, function)(mode, *values)
        return to_bits(flush(result) if is_flushed else result)


def _abstract(op: Operation) -> Callable[..., Term]:
    """An op on elements of which only its name, type and modes are known."""
    name = op.name.rpartition(".")[2]
    modes = sorted(f"{key}={value}" for key, value in op.properties.items())
    element = element_of(op.results[0].type)

    def named(name: str, *bits: Term) -> Term:
        if name in COMMUTATIVE:
            first, second = bits
            is_less = z3.ULT(first, second)
            bits = z3.If(is_less, first, second), z3.If(is_less, second, first)
        return apply_unknown(f"{name} {element} {modes}", bits, bits[0].sort())

    def apply(*bits: Term) -> Term:
        if IS_CONTRACTED.get() and name == "fma":
            first, second, third = bits
            return named("addf", named("mulf", first, second), third)
        if IS_CONTRACTED.get() and name == "subf":
            first, second = bits
            return named("addf", first, second ^ _sign_bit(second))
        return named(name, *bits)

    return apply


for _name, _function in (
    *(("addf", "fpAdd"), ("subf", "fpSub"), ("mulf", "fpMul"), ("divf", "fpDiv")),
    *(("fma", "fpFMA"), ("sqrt", "fpSqrt")),
):
    _dialects = ("cuda_tile", "nv_tileaa", "math" if _name in ("fma", "sqrt") else "arith")
    _arithmetic([f"{dialect}.{_name}" for dialect in _dialects], _function)


@of_bits("cuda_tile.negf", "nv_tileaa.negf", "arith.negf")
def _negate(op: Operation, bits: Term) -> Term:
    return bits ^ _sign_bit(bits)


@of_bits("cuda_tile.absf", "nv_tileaa.absf", "math.absf")
def _absolute(op: Operation, bits: Term) -> Term:
    return bits & ~_sign_bit(bits)


def _sign_bit(bits: Term) -> Term:
    return z3.BitVecVal(1 << (bits.size() - 1), bits.size())


@means("cuda_tile.cmpf", "nv_tileaa.cmpf")
def _compare(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    sort = sort_of(element_of(op.operands[0].type))
    if sort is None:
        return opaque(machine, op, operands)
    relations: dict[str, Callable[[Term, Term], Term]] = {
        "equal": z3.fpEQ,
        "not_equal": lambda a, b: z3.Not(z3.fpEQ(a, b)),
        "less_than": z3.fpLT,
        "less_than_or_equal": z3.fpLEQ,
        "greater_than": z3.fpGT,
        "greater_than_or_equal": z3.fpGEQ,
    }
    relation = relations[keyword(op, "comparison_predicate", "equal")]
    is_ordered = keyword(op, "comparison_ordering", "ordered") == "ordered"

    def compute(lhs: Term, rhs: Term) -> Term:
        a, b = to_float(lhs, sort), to_float(rhs, sort)
        has_nan = z3.Or(z3.fpIsNaN(a), z3.fpIsNaN(b))
        return as_bit(z3.If(has_nan, z3.BoolVal(not is_ordered), relation(a, b)))

    return [elementwise(strict(compute), *operands)]


# Conversions and dots


@means("nv_tileaa.fp_to_fp", "cuda_tile.ftof")
def _to_format(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    source, target = (sort_of(element_of(value.type)) for value in (op.operands[0], op.results[0]))
    mode = rounding_of(op)
    if source is None or target is None or mode is None:
        return [elementwise(strict(_abstract_to(op)), *operands)]

    change = partial(convert, source=source, target=target, mode=mode)
    return [elementwise(strict(change), *operands)]


def _abstract_to(op: Operation) -> Callable[[Term], Term]:
    width = width_of(element_of(op.results[0].type))
    key = f"{op.name} {op.operands[0].type} {op.results[0].type} {op.properties}"
    return lambda bits: apply_unknown(key, [bits], z3.BitVecSort(width))


def convert(bits: Term, source: Term, target: Term, mode: Term | None = None) -> Term:
    """A float in another format."""
    if source == target:
        return bits
    mode = z3.RNE() if mode is None else mode
    return to_bits(z3.fpFPToFP(mode, to_float(bits, source), target))


@means("nv_tileaa.dot")
def _dot(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    assert isinstance(op, DotOp)
    a, b, c = operands
    *batch, rows, depth = a.shape
    columns = b.shape[-1]
    element = element_of(op.result.type)
    if isinstance(element, IntegerType):
        add_product = _integer_product(op)
    else:
        add_product = _float_product(op)
    lanes: list[Lane] = []
    for number, row, column in product(range(prod(batch)), range(rows), range(columns)):
        total = c.lanes[(number * rows + row) * columns + column]
        for k in range(depth):
            left = a.lanes[(number * rows + row) * depth + k]
            right = b.lanes[(number * depth + k) * columns + column]
            total = strict(add_product)(total, left, right)
        lanes.append(total)
    return [Tile(c.shape, tuple(lanes))]


def _integer_product(op: DotOp) -> Callable[[Term, Term, Term], Term]:
    def extended(bits: Term, width: int, side: str) -> Term:
        if bits.size() >= width:
            return z3.Extract(width - 1, 0, bits)
        extend = z3.SignExt if op.is_signed(side) else z3.ZeroExt
        return extend(width - bits.size(), bits)

    def add_product(total: Term, left: Term, right: Term) -> Term:
        width = total.size()
        return total + extended(left, width, "lhs") * extended(right, width, "rhs")

    return add_product


def _float_product(op: DotOp) -> Callable[[Term, Term, Term], Term]:
    """A product added to a total: operands in the accumulator's format, each step rounded."""
    sorts = [sort_of(element_of(value.type)) for value in (op.accumulator, op.a, op.b)]
    target, left_sort, right_sort = sorts
    if target is None or left_sort is None or right_sort is None:
        raise Unsupported(f"dot of {op.a.type}")
    modes = sorted(f"{key}={value}" for key, value in op.properties.items())

    def rounded(bits: Term, sort: Term, element: Attribute) -> Term:
        precision = op.input_precision
        if isinstance(element, Float32Type) and precision is not None and precision.data == "tf32":
            bits, sort = convert(bits, sort, z3.FPSort(*TF32)), z3.FPSort(*TF32)
        return convert(bits, sort, target)

    def add_product(total: Term, left: Term, right: Term) -> Term:
        left = rounded(left, left_sort, element_of(op.a.type))
        right = rounded(right, right_sort, element_of(op.b.type))
        if not IS_EXACT.get():
            return apply_unknown(f"dot {modes}", [total, left, right], total.sort())
        factors = [to_float(bits, target) for bits in (left, right)]
        return to_bits(z3.fpAdd(z3.RNE(), to_float(total, target), z3.fpMul(z3.RNE(), *factors)))

    return add_product


def is_same_float(first: Lane, second: Lane, element: Attribute) -> Term:
    """Whether two floats are the same, all NaNs being one."""
    sort = sort_of(element)
    if sort is None:
        return first.bits == second.bits
    nans = [z3.fpIsNaN(to_float(lane.bits, sort)) for lane in (first, second)]
    return z3.Or(first.bits == second.bits, z3.And(*nans))
