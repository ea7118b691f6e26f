"""Floating-point ops of `cuda_tile`, against fractions and Python's `math`."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from . import exact
from .exact import IEEE_MODES, NAN, Number, compute, decode, flush, sample_pairs, special_bits
from .kernels import (
    BASE_FLOATS,
    ELEMENTS,
    SHAPES,
    Case,
    Tile,
    check,
    floats,
    ints,
    on_tiles,
    parametrize,
    raw,
    value_of,
)

LANES = 64


def shape_for(element: str) -> tuple[int, ...]:
    return SHAPES[BASE_FLOATS.index(element)]


def samples(element: str, count: int, operands: int) -> list[tuple[int, ...]]:
    """Special numbers, and numbers near each other."""
    attribute = ELEMENTS[element]
    generator = random.Random(f"{element}{count}")
    special = special_bits(attribute)
    pairs = sample_pairs(attribute, len(special) ** 2 + count)
    half = generator.sample(pairs[: len(special) ** 2], count // 2)
    chosen = half + pairs[-(count - count // 2) :]
    return [(x, y, generator.choice((x, y, 0, *special)))[:operands] for x, y in chosen]


def columns(element: str, rows: Sequence[tuple[int, ...]], shape: Sequence[int]) -> dict[str, Tile]:
    """The operands `%x`, `%y`, `%z`."""
    return {
        name: raw(element, column, shape)
        for name, column in zip("xyz", zip(*rows, strict=True), strict=False)
    }


# Ops that are rounded

ROUNDED: dict[str, tuple[exact.Operation, int]] = {
    "addf": (exact.add, 2),
    "subf": (exact.sub, 2),
    "mulf": (exact.mul, 2),
    "divf": (exact.div, 2),
    "fma": (exact.fma, 3),
    "sqrt": (exact.sqrt, 1),
}
APPROXIMATE = {"divf": ("approx", "full"), "sqrt": ("approx",)}


def rounded_cases() -> Iterator[Case]:
    for op, (operation, operands) in ROUNDED.items():
        for element in BASE_FLOATS:
            yield rounded_case(op, operation, operands, element)


def rounded_case(op: str, operation: exact.Operation, operands: int, element: str) -> Case:
    """All rounding modes of an op, without and with flushing of subnormal numbers."""
    shape = shape_for(element)
    rows = samples(element, LANES, operands)
    given = columns(element, rows, shape)
    values = ", ".join(f"%{name}" for name in given)
    wanted: dict[str, Tile] = {}
    lines: list[str] = []

    def add(name: str, words: str, mode: str, *, flushes: bool = False, ulps: int = 0) -> None:
        results = [
            compute(operation, ELEMENTS[element], row, mode, flush_to_zero=flushes) for row in rows
        ]
        wanted[name] = Tile(element, tuple(shape), tuple(results), ulps)
        lines.append(f"%{name} = {op} {values} {words} : {wanted[name].type}")

    add("default", "", "nearest_even")
    for mode in IEEE_MODES:
        add(mode, f"rounding<{mode}>", mode)
        if element == "f32":
            add(f"{mode}_ftz", f"rounding<{mode}> flush_to_zero", mode, flushes=True)
    if element == "f32":
        for mode in APPROXIMATE.get(op, ()):
            add(mode, f"rounding<{mode}>", "nearest_even", ulps=2)
            add(
                f"{mode}_ftz",
                f"rounding<{mode}> flush_to_zero",
                "nearest_even",
                flushes=True,
                ulps=2,
            )
    return on_tiles(f"{op}-{element}", "\n".join(lines), given, wanted)


# Ops that are exact


def extremum(is_max: bool, propagates: bool) -> Callable[[Number, Number], Number]:
    """The larger or smaller of two numbers; -0 lies below +0."""

    def choose(x: Number, y: Number) -> Number:
        if x.is_nan or y.is_nan:
            if propagates or (x.is_nan and y.is_nan):
                return NAN
            return y if x.is_nan else x
        low, high = sorted((x, y), key=order)
        return high if is_max else low

    return choose


def order(number: Number) -> tuple[float | Fraction, bool]:
    assert number.magnitude is not None
    return (-number.magnitude if number.negative else number.magnitude, not number.negative)


def extremum_cases() -> Iterator[Case]:
    for op in ("maxf", "minf"):
        for element in BASE_FLOATS:
            shape = shape_for(element)
            rows = samples(element, LANES, 2)
            given = columns(element, rows, shape)
            wanted: dict[str, Tile] = {}
            lines: list[str] = []
            for propagates in (False, True):
                for flushes in (False, True) if element == "f32" else (False,):
                    name = f"r{propagates:d}{flushes:d}"
                    choose = extremum(op == "maxf", propagates)
                    results = [extremum_bits(choose, row, element, flushes) for row in rows]
                    wanted[name] = raw(element, results, shape)
                    words = "flush_to_zero " * flushes + "propagate_nan" * propagates
                    lines.append(f"%{name} = {op} %x, %y {words} : {wanted[name].type}")
            yield on_tiles(f"{op}-{element}", "\n".join(lines), given, wanted)


def extremum_bits(
    choose: Callable[[Number, Number], Number],
    row: tuple[int, ...],
    element: str,
    flushes: bool,
) -> int | None:
    attribute = ELEMENTS[element]
    found = [flush(bits, attribute) if flushes else bits for bits in row]
    x, y = (decode(bits, attribute) for bits in found if bits is not None)
    return exact.encode(choose(x, y), attribute, "nearest_even")


RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y,
    "less_than": lambda x, y: x < y,
    "less_than_or_equal": lambda x, y: x <= y,
    "greater_than": lambda x, y: x > y,
    "greater_than_or_equal": lambda x, y: x >= y,
}


def comparison_cases() -> Iterator[Case]:
    for element in BASE_FLOATS:
        shape = shape_for(element)
        rows = samples(element, LANES - 4, 2)
        rows += [(x, x) for x in (0, 1, *special_bits(ELEMENTS[element])[-2:])]
        given = columns(element, rows, shape)
        values = [(value_of(x, element), value_of(y, element)) for x, y in rows]
        wanted: dict[str, Tile] = {}
        lines: list[str] = []
        for predicate, relation in RELATIONS.items():
            for ordering in ("ordered", "unordered"):
                name = f"{predicate}_{ordering}"
                results = [
                    ordering == "unordered" if math.isnan(x) or math.isnan(y) else relation(x, y)
                    for x, y in values
                ]
                wanted[name] = ints("i1", results, shape)
                lines.append(
                    f"%{name} = cmpf {predicate} {ordering} %x, %y : "
                    f"{given['x'].type} -> {wanted[name].type}"
                )
        yield on_tiles(f"cmpf-{element}", "\n".join(lines), given, wanted)


def whole(function: Callable[[float], float]) -> Callable[[float], float]:
    """A rounding to whole numbers that keeps the sign of zeros."""

    def apply(x: float) -> float:
        if not math.isfinite(x):
            return x
        return math.copysign(abs(float(function(x))), x)

    return apply


def exact_cases() -> Iterator[Case]:
    """Signs, whole numbers, remainders."""
    for element in BASE_FLOATS:
        shape = shape_for(element)
        rows = samples(element, LANES, 2)
        small = [0.5, -0.5, 1.5, -1.5, 2.5, 0.25, -0.75, 7.0, -7.0, 1e-3, -1e-3, 100.25]
        quotients = [(5.5, 2.0), (-5.5, 2.0), (5.5, -2.0), (1.0, 0.0), (math.inf, 1.0)]
        quotients += [(1.0, math.inf), (-4.0, 2.0), (0.0, 3.0), (-0.0, 3.0), (math.nan, 1.0)]
        numbers = floats(element, (small * LANES)[:LANES], shape)
        x = floats(element, [x for x, _ in (quotients * LANES)[:LANES]], shape)
        y = floats(element, [y for _, y in (quotients * LANES)[:LANES]], shape)
        given = {"b": raw(element, [row[0] for row in rows], shape), "s": numbers, "x": x, "y": y}
        sign = 1 << (exact.SPECS[ELEMENTS[element]].width - 1)
        values = [value_of(bits or 0, element) for bits in numbers.bits]
        bits = [row[0] for row in rows]
        remainders = [remainder(*pair) for pair in (quotients * LANES)[:LANES]]
        wanted = {
            "abs": raw(element, [value & ~sign for value in bits], shape),
            "neg": raw(element, [value ^ sign for value in bits], shape),
            "up": floats(element, [whole(math.ceil)(value) for value in values], shape),
            "down": floats(element, [whole(math.floor)(value) for value in values], shape),
            "rem": floats(element, remainders, shape),
        }
        ty = numbers.type
        body = (
            f"%abs = absf %b : {ty}\n%neg = negf %b : {ty}\n%up = ceil %s : {ty}\n"
            f"%down = floor %s : {ty}\n%rem = remf %x, %y : {ty}"
        )
        yield on_tiles(f"exact-{element}", body, given, wanted)


def remainder(x: float, y: float) -> float:
    try:
        return math.fmod(x, y)
    except ValueError:
        return math.nan


# Functions

FUNCTIONS: dict[str, tuple[Callable[[float], float], Sequence[float]]] = {
    "sin": (math.sin, (0.0, -0.0, 0.5, 1.0, -2.0, 3.25, 100.0, math.inf, math.nan)),
    "cos": (math.cos, (0.0, -0.0, 0.5, 1.0, -2.0, 3.25, 100.0, -math.inf, math.nan)),
    "tan": (math.tan, (0.0, -0.0, 0.5, 1.0, -1.25, 3.25, math.inf, math.nan)),
    "sinh": (math.sinh, (0.0, -0.0, 0.5, -1.0, 5.0, -3.0, math.inf, -math.inf, math.nan)),
    "cosh": (math.cosh, (0.0, 0.5, -1.0, 5.0, math.inf, -math.inf, math.nan)),
    "tanh": (math.tanh, (0.0, -0.0, 0.5, -1.0, 5.0, 20.0, math.inf, -math.inf, math.nan)),
    "exp": (math.exp, (0.0, -0.0, 1.0, -1.0, 5.5, -8.0, math.inf, -math.inf, math.nan)),
    "exp2": (lambda x: 2.0**x, (0.0, 1.0, -1.0, 3.5, 10.0, -7.0, math.inf, -math.inf, math.nan)),
    "log": (math.log, (0.0, 0.5, 1.0, 2.0, 10.0, -1.0, math.inf, math.nan)),
    "log2": (math.log2, (0.0, 0.5, 1.0, 2.0, 8.0, 10.0, -1.0, math.inf, math.nan)),
    "rsqrt": (lambda x: 1 / math.sqrt(x), (0.25, 1.0, 2.0, 3.0, 9.0, -1.0, math.inf, math.nan)),
}
POLES = {"log": -math.inf, "log2": -math.inf, "rsqrt": math.inf}
"""What functions are at zero."""
WORDS = {
    "exp": ("rounding<full>", "rounding<approx>"),
    "tanh": ("rounding<full>", "rounding<approx>"),
}


def evaluate(op: str, function: Callable[..., float], *operands: float) -> float:
    """A function where Python raises."""
    if op in POLES and operands[0] == 0:
        return POLES[op]
    try:
        return function(*operands)
    except ValueError:
        return math.nan


def function_cases() -> Iterator[Case]:
    for op, (function, points) in FUNCTIONS.items():
        for element in BASE_FLOATS:
            shape = shape_for(element)
            given = {
                "x": floats(element, (list(points) * LANES)[:LANES], shape),
                "s": floats(element, points[1:2], ()),
            }
            # The point may not be a number of the type.
            values = [value_of(bits or 0, element) for bits in given["x"].bits]
            values = [
                math.nan if bits is None else value
                for value, bits in zip(values, given["x"].bits, strict=True)
            ]
            results = [evaluate(op, function, value) for value in values]
            wanted = {
                "r": floats(element, results, shape, ulps=2 if element == "f64" else 1),
                "t": floats(element, [results[1]], (), ulps=2),
            }
            body = f"%r = {op} %x : {given['x'].type}\n%t = {op} %s : {given['s'].type}"
            for number, words in enumerate(WORDS.get(op, ()) if element == "f32" else ()):
                wanted[f"w{number}"] = wanted["r"]
                body += f"\n%w{number} = {op} %x {words} : {given['x'].type}"
            yield on_tiles(f"{op}-{element}", body, given, wanted)


def flush_function_cases() -> Iterator[Case]:
    """Subnormal operands and results of functions become zeros."""
    given = {"x": raw("f32", [1, 0x007FFFFF, 0x80000001, 0x00800000]), "e": floats("f32", [-130.0])}
    wanted = {
        "kept": Tile("f32", (4,), _rsqrt_bits([1, 0x007FFFFF, 0x80000001, 0x00800000]), 1),
        "flushed": raw("f32", [0x7F800000, 0x7F800000, 0xFF800000, 0x5F000000]),
        "small": floats("f32", [2.0**-130]),
        "zero": raw("f32", [0]),
    }
    body = (
        "%kept = rsqrt %x : tile<4xf32>\n%flushed = rsqrt %x flush_to_zero : tile<4xf32>\n"
        "%small = exp2 %e : tile<1xf32>\n%zero = exp2 %e flush_to_zero : tile<1xf32>"
    )
    yield on_tiles("flush-rsqrt-exp2", body, given, wanted)


def _rsqrt_bits(bits: Sequence[int]) -> tuple[int | None, ...]:
    values = [value_of(pattern, "f32") for pattern in bits]
    return floats("f32", [1 / math.sqrt(x) if x > 0 else math.nan for x in values]).bits


POWERS = ((2.0, 3.0), (2.0, -1.0), (3.0, 0.5), (-2.0, 3.0), (0.0, 0.0), (0.5, 4.0))
ANGLES = (
    *((x, y) for x in (0.0, -0.0, 3.0, -3.0) for y in (1.0, -1.0)),
    *((x, y) for x in (1.0, -1.0, math.inf) for y in (0.0, -0.0, math.inf, -math.inf)),
    (math.nan, 1.0),
)
BINARY_FUNCTIONS: dict[
    str, tuple[Callable[[float, float], float], Sequence[tuple[float, float]]]
] = {"atan2": (math.atan2, ANGLES), "pow": (math.pow, POWERS), "fpowf": (math.pow, POWERS)}


def binary_function_cases() -> Iterator[Case]:
    for op, (function, points) in BINARY_FUNCTIONS.items():
        for element in BASE_FLOATS:
            shape = shape_for(element)
            rows = (list(points) * LANES)[:LANES]
            given = {
                "x": floats(element, [x for x, _ in rows], shape),
                "y": floats(element, [y for _, y in rows], shape),
            }
            results = [function(x, y) for x, y in rows]
            wanted = {"r": floats(element, results, shape, ulps=1)}
            body = f"%r = {op} %x, %y : {given['x'].type}"
            yield on_tiles(f"{op}-{element}", body, given, wanted)


def integer_power_cases() -> Iterator[Case]:
    for element in BASE_FLOATS:
        for exponent in ("i1", "i8", "i16", "i32"):
            # One bit is 0 or -1.
            powers = [0, -1, -1, 0] if exponent == "i1" else [0, 3, -2, 1]
            bases = [0.0, -2.0, 0.5, -4.0]
            given = {"x": floats(element, bases, (2, 2)), "n": ints(exponent, powers, (2, 2))}
            wanted = {
                "r": floats(element, [b**p for b, p in zip(bases, powers, strict=True)], (2, 2))
            }
            body = f"%r = fpowi %x, %n : {given['x'].type}, {given['n'].type}"
            yield on_tiles(f"fpowi-{element}-{exponent}", body, given, wanted)


CASES = [
    *rounded_cases(),
    *extremum_cases(),
    *comparison_cases(),
    *exact_cases(),
    *function_cases(),
    *flush_function_cases(),
    *binary_function_cases(),
    *integer_power_cases(),
]


@parametrize(CASES)
def test_float_op(case: Case):
    """Every rounding mode and flag changes what it must."""
    check(case)
