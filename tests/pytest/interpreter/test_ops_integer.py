"""Integer ops of `cuda_tile` on all widths, against Python's integers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .exact import integer_samples, to_signed
from .kernels import INTEGERS, SHAPES, Case, Tile, check, ints, on_tiles, parametrize

Reference = Callable[[int, int, int], int | None]
"""Two bit patterns and their width, to the result; `None` if it is undefined."""


@dataclass(frozen=True)
class Form:
    """A way to write an op, and what it must yield."""

    words: str
    reference: Reference


def truncated(x: int, y: int) -> int:
    """The quotient rounded to zero."""
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def as_signed(function: Callable[[int, int], int]) -> Reference:
    """A function of signed numbers."""
    return lambda x, y, width: function(to_signed(x, width), to_signed(y, width))


def unsigned(function: Callable[[int, int], int]) -> Reference:
    """A function of unsigned numbers."""
    return lambda x, y, width: function(x, y)


def divides(function: Callable[[int, int], int], *, signed: bool) -> Reference:
    """A division, undefined by zero and of the smallest number by -1."""

    def divide(x: int, y: int, width: int) -> int | None:
        if y == 0:
            return None
        if not signed:
            return function(x, y)
        x, y = to_signed(x, width), to_signed(y, width)
        return None if (x, y) == (-(1 << (width - 1)), -1) else function(x, y)

    return divide


def unless_wrapped(
    function: Callable[[int, int], int], *, signed: bool = False, unsigned: bool = False
) -> Reference:
    """A result of unlimited width, undefined if it leaves the range that a word promises."""

    def compute(x: int, y: int, width: int) -> int | None:
        if unsigned and not 0 <= function(x, y) < 1 << width:
            return None
        result = function(to_signed(x, width), to_signed(y, width))
        half = 1 << (width - 1)
        return None if signed and not -half <= result < half else result

    return compute


def wrapping(function: Callable[[int, int], int]) -> list[Form]:
    """An op that may promise not to wrap."""
    return [
        Form("", as_signed(function)),
        Form("overflow<no_signed_wrap>", unless_wrapped(function, signed=True)),
        Form("overflow<no_unsigned_wrap>", unless_wrapped(function, unsigned=True)),
        Form("overflow<no_wrap>", unless_wrapped(function, signed=True, unsigned=True)),
    ]


def by_sign(function: Callable[[int, int], int]) -> list[Form]:
    """An op that reads its operands as signed or unsigned."""
    return [Form("signed", as_signed(function)), Form("unsigned", unsigned(function))]


def amount(y: int) -> int:
    """What an amount to shift by counts: on a GPU its low 32 bits."""
    return y % (1 << 32)


def shifted_left(x: int, y: int, width: int) -> int:
    return x << amount(y) if amount(y) < width else 0


def left_unless_wrapped(x: int, y: int, width: int) -> int | None:
    """Only shifts that lose neither bits nor the sign."""
    result = x << y if y < width else 1 << width
    return result if result < 1 << (width - 1) else None


def shifted_right(x: int, y: int, width: int) -> int:
    return x >> amount(y) if amount(y) < width else 0


def shifted_right_by_sign(x: int, y: int, width: int) -> int:
    return to_signed(x, width) >> min(amount(y), width)


BINARY: dict[str, list[Form]] = {
    "addi": wrapping(lambda x, y: x + y),
    "subi": wrapping(lambda x, y: x - y),
    "muli": wrapping(lambda x, y: x * y),
    "shli": [
        Form("", shifted_left),
        Form("overflow<no_signed_wrap>", left_unless_wrapped),
        Form("overflow<no_unsigned_wrap>", left_unless_wrapped),
        Form("overflow<no_wrap>", left_unless_wrapped),
    ],
    "shri": [Form("signed", shifted_right_by_sign), Form("unsigned", shifted_right)],
    "andi": [Form("", unsigned(lambda x, y: x & y))],
    "ori": [Form("", unsigned(lambda x, y: x | y))],
    "xori": [Form("", unsigned(lambda x, y: x ^ y))],
    "mulhii": [Form("", lambda x, y, width: x * y >> width)],
    "maxi": by_sign(max),
    "mini": by_sign(min),
    "remi": [
        Form("signed", divides(lambda x, y: x - y * truncated(x, y), signed=True)),
        Form("unsigned", divides(lambda x, y: x % y, signed=False)),
    ],
    "divi": [
        Form("signed", divides(truncated, signed=True)),
        Form("signed rounding<zero>", divides(truncated, signed=True)),
        Form("signed rounding<negative_inf>", divides(lambda x, y: x // y, signed=True)),
        Form("signed rounding<positive_inf>", divides(lambda x, y: -(-x // y), signed=True)),
        Form("unsigned", divides(lambda x, y: x // y, signed=False)),
        Form("unsigned rounding<positive_inf>", divides(lambda x, y: -(-x // y), signed=False)),
    ],
}

UNARY: dict[str, list[Form]] = {
    "absi": [Form("", lambda x, _, width: abs(to_signed(x, width)))],
    "negi": [
        Form("", lambda x, _, width: -x),
        Form("overflow<no_signed_wrap>", lambda x, _, width: None if 2 * x == 1 << width else -x),
        Form("overflow<no_wrap>", lambda x, _, width: None if 2 * x == 1 << width else -x),
    ],
}

RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y,
    "less_than": lambda x, y: x < y,
    "less_than_or_equal": lambda x, y: x <= y,
    "greater_than": lambda x, y: x > y,
    "greater_than_or_equal": lambda x, y: x >= y,
}

LANES = 64


def pairs(width: int) -> list[tuple[int, int]]:
    """Numbers near each other, at the ends of their ranges, equal, and small ones."""
    generator = random.Random(width)
    samples = integer_samples(width, LANES)
    found = [(x, generator.choice(samples)) for x in samples]
    found += [(x, x) for x in samples[:8]] + [(x, y) for x in samples[:4] for y in samples[-4:]]
    found += [(x, y) for x in (1, 2, 3) for y in range(min(width + 2, 9))]
    found += [(generator.choice(samples), generator.choice(samples)) for _ in range(4 * LANES)]
    return [(x % (1 << width), y % (1 << width)) for x, y in found]


def operands(form: Form, width: int) -> list[tuple[int, int]]:
    """Pairs for which an op is defined, among them some for which every one of its forms is."""
    defined = [pair for pair in pairs(width) if form.reference(pair[0], pair[1], width) is not None]
    chosen = list(dict.fromkeys(defined)) or [(0, 0)]
    return [chosen[lane % len(chosen)] for lane in range(LANES)]


def shapes_for(element: str) -> tuple[int, ...]:
    return SHAPES[list(INTEGERS).index(element) % len(SHAPES)]


def integer_cases() -> Iterator[Case]:
    for table in (BINARY, UNARY):
        for op, forms in table.items():
            for element, width in INTEGERS.items():
                yield arithmetic_case(op, forms, element, width, binary=table is BINARY)


def arithmetic_case(
    op: str, forms: Sequence[Form], element: str, width: int, *, binary: bool
) -> Case:
    """All forms of an op, each on operands of its own, and one of them on scalars."""
    shape = shapes_for(element)
    lines: list[str] = []
    given: dict[str, Tile] = {}
    wanted: dict[str, Tile] = {}
    for number, form in enumerate(forms):
        chosen = operands(form, width)
        results = [form.reference(x, y, width) or 0 for x, y in chosen]
        ranks = [(f"{number}", LANES, shape), ("scalar", 1, ())]
        for suffix, lanes, form_shape in ranks[: 1 if number else 2]:
            given[f"x{suffix}"] = ints(element, [x for x, _ in chosen[:lanes]], form_shape)
            given[f"y{suffix}"] = ints(element, [y for _, y in chosen[:lanes]], form_shape)
            wanted[f"r{suffix}"] = ints(element, results[:lanes], form_shape)
            values = f"%x{suffix}, %y{suffix}" if binary else f"%x{suffix}"
            ty = wanted[f"r{suffix}"].type
            lines.append(f"%r{suffix} = {op} {values} {form.words} : {ty}")
    return on_tiles(f"{op}-{element}", "\n".join(lines), given, wanted)


def comparison_cases() -> Iterator[Case]:
    for element, width in INTEGERS.items():
        shape = shapes_for(element)
        chosen = pairs(width)[-LANES // 2 :] + pairs(width)[: LANES // 2]
        given = {
            "x": ints(element, [x for x, _ in chosen], shape),
            "y": ints(element, [y for _, y in chosen], shape),
        }
        lines: list[str] = []
        wanted: dict[str, Tile] = {}
        for predicate, relation in RELATIONS.items():
            for form in by_sign(relation):
                name = f"{predicate}_{form.words}"
                results = [form.reference(x, y, width) or 0 for x, y in chosen]
                wanted[name] = ints("i1", results, shape)
                lines.append(
                    f"%{name} = cmpi {predicate} %x, %y, {form.words} : "
                    f"{given['x'].type} -> {wanted[name].type}"
                )
        yield on_tiles(f"cmpi-{element}", "\n".join(lines), given, wanted)


CASES = [*integer_cases(), *comparison_cases()]


@parametrize(CASES)
def test_integer_op(case: Case):
    """Every word of every op changes what it must."""
    check(case)
