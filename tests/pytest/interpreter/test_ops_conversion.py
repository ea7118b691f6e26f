"""Conversions of `cuda_tile`: every pair of types, rounding mode and sign."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import cycle, islice

from . import exact
from .exact import Number, decode, encode, integer_samples, sample_bits, to_signed
from .kernels import (
    ELEMENTS,
    INTEGERS,
    NUMBERS,
    SHAPES,
    Case,
    Tile,
    check,
    ints,
    on_tiles,
    parametrize,
    raw,
    tile_type,
    width_of,
)

LANES = 64
LOW_PRECISION = ("f8E4M3FN", "f8E5M2", "f4E2M1FN", "fnv8E5M3FNU")
RANGES = {
    name: (spec.mantissa_bits, spec.exponent_bits, spec.signed)
    for name, element in ELEMENTS.items()
    for spec in (exact.SPECS[element],)
}


def take(values: Sequence[int], count: int = LANES) -> list[int]:
    return list(islice(cycle(values), count))


def widens(source: str, target: str) -> bool:
    """Whether every number of a type is one of another."""
    if source == "f8E8M0FNU":
        return target == "f64"
    if target in ("f8E8M0FNU", *LOW_PRECISION):
        return False
    a, b = RANGES[source], RANGES[target]
    fits = a[0] <= b[0] and a[1] <= b[1]
    return fits and not (source == "fnv8E5M3FNU" and target == "f16")


def modes(source: str, target: str) -> tuple[str, ...]:
    """The rounding modes that `ftof` takes."""
    if target == "f8E8M0FNU":
        return ("zero", "positive_inf")
    if target in LOW_PRECISION:
        return ("nearest_even",)
    if widens(source, target):
        return exact.MODES
    if (source, target) == ("f64", "f32"):
        return exact.IEEE_MODES
    if (source, target) == ("f32", "tf32"):
        return ("nearest_even", "zero", "nearest_away")
    return ("nearest_even", "zero")


def ftof_cases() -> Iterator[Case]:
    for number, source in enumerate(ELEMENTS):
        for target in ELEMENTS:
            if source != target:
                yield ftof_case(source, target, SHAPES[number % len(SHAPES)])


def ftof_case(source: str, target: str, shape: tuple[int, ...]) -> Case:
    """All modes of a conversion of floats."""
    bits = take(_interesting_bits(source, target))
    given = {"x": raw(source, bits, shape)}
    wanted: dict[str, Tile] = {}
    lines: list[str] = []
    for mode in modes(source, target):
        results = [encode(decode(b, ELEMENTS[source]), ELEMENTS[target], mode) for b in bits]
        wanted[mode] = raw(target, results, shape)
        words = "" if mode == "nearest_even" else f"rounding<{mode}>"
        lines.append(f"%{mode} = ftof %x {words} : {given['x'].type} -> {wanted[mode].type}")
    return on_tiles(f"ftof-{source}-{target}", "\n".join(lines), given, wanted)


def _interesting_bits(source: str, target: str) -> list[int]:
    """Numbers at and between those of the target, and samples of the source."""
    between: list[int] = []
    targets = sample_bits(ELEMENTS[target], 96, seed=1)
    for bits in targets[::3]:
        number = decode(bits, ELEMENTS[target])
        following = decode(min(bits + 1, (1 << width_of(target)) - 1), ELEMENTS[target])
        if number.is_finite and following.is_finite:
            middle = (number.value + following.value) / 2
            rounded = encode(Number(abs(middle), middle < 0), ELEMENTS[source], "nearest_even")
            between += [] if rounded is None else [rounded]
    return between[: LANES // 2] + sample_bits(ELEMENTS[source], LANES, seed=2)


# Integers and floats


def to_integer(number: Number, width: int, *, signed: bool) -> int:
    """Rounded to zero, and cut to the range; zero for NaN. One bit is whether there is any."""
    if width == 1:
        return not number.is_zero
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if number.is_nan:
        return 0
    if number.is_infinite:
        return low if number.negative else high
    return min(max(math.trunc(number.value), low), high)


def ftoi_cases() -> Iterator[Case]:
    for source, element in ELEMENTS.items():
        wanted: dict[str, Tile] = {}
        lines: list[str] = []
        bits = take(_around_integers(source))
        given = {"x": raw(source, bits, (8, 8))}
        for target, width in INTEGERS.items():
            for sign in ("signed", "unsigned"):
                name = f"{target}_{sign}"
                results = [
                    to_integer(decode(b, element), width, signed=sign == "signed") for b in bits
                ]
                wanted[name] = ints(target, results, (8, 8))
                lines.append(
                    f"%{name} = ftoi %x {sign} saturating : "
                    f"{given['x'].type} -> {wanted[name].type}"
                )
        # What is in range is the same without a word.
        numbers = [1, 2, 3, 4, 6, 1, 2, 4]
        small = [encode(Number(Fraction(n)), element, "nearest_even") for n in numbers]
        given["y"] = raw(source, small, (8,))
        rounded = [to_integer(decode(b or 0, element), 32, signed=True) for b in small]
        wanted["plain"] = ints("i32", rounded)
        lines.append(f"%plain = ftoi %y signed : {given['y'].type} -> tile<8xi32>")
        yield on_tiles(f"ftoi-{source}", "\n".join(lines), given, wanted)


def _around_integers(element: str) -> list[int]:
    """The ends of the ranges of integers, and samples."""
    attribute = ELEMENTS[element]
    found: list[int] = []
    for width in (1, 8, 16, 32, 64):
        for value in ((1 << width) - 1, 1 << width, 1 << (width - 1)):
            for half in (-1, 0, 1):
                middle = Fraction(2 * value + half, 2)
                for negative in (False, True):
                    bits = encode(Number(middle, negative), attribute, "zero")
                    found += [] if bits is None else [bits]
    return list(dict.fromkeys(found))[:48] + exact.special_bits(attribute)


def itof_cases() -> Iterator[Case]:
    for source, width in INTEGERS.items():
        bits = take(_around_floats(width))
        given = {"x": ints(source, bits, (4, 16))}
        wanted: dict[str, Tile] = {}
        lines: list[str] = []
        for target, element in ELEMENTS.items():
            if target == "f8E8M0FNU":
                continue
            for sign in ("signed", "unsigned"):
                name = f"{target}_{sign}"
                numbers = [to_signed(b, width) if sign == "signed" else b for b in bits]
                results = [
                    encode(Number(Fraction(abs(n)), n < 0), element, "nearest_even")
                    for n in numbers
                ]
                wanted[name] = raw(target, results, (4, 16))
                lines.append(f"%{name} = itof %x {sign} : {given['x'].type} -> {wanted[name].type}")
        yield on_tiles(f"itof-{source}", "\n".join(lines), given, wanted)


def _around_floats(width: int) -> list[int]:
    """Integers at ties of f64, f32, f16 and bf16, and samples."""
    ties = [
        (1 << high) + (1 << (high - bits)) + rest
        for high in (width - 1, width - 2)
        for bits in (8, 11, 24, 53)
        if high > bits
        for rest in (-1, 0, 1)
    ]
    return [tie % (1 << width) for tie in ties] + integer_samples(width, LANES - len(ties))


# Widths


def width_cases() -> Iterator[Case]:
    """`exti` and `trunci` between all widths; i4 has no memory, so it is packed."""
    wide = {**INTEGERS, "i4": 4}
    for source, width in wide.items():
        numbers = take(integer_samples(width, LANES))
        wanted: dict[str, Tile] = {}
        lines: list[str] = []
        if source == "i4":
            pairs = zip(numbers[0::2], numbers[1::2], strict=True)
            given = {"packed": ints("i8", [low | high << 4 for low, high in pairs])}
            lines.append("%x = unpack %packed : tile<32xi8> -> tile<64xi4>")
        else:
            given = {"x": ints(source, numbers)}
        for target, bits in wide.items():
            if bits > width:
                for sign in ("signed", "unsigned"):
                    name = f"{target}_{sign}"
                    values = [to_signed(n, width) if sign == "signed" else n for n in numbers]
                    lines.append(
                        f"%{name} = exti %x {sign} : tile<64x{source}> -> tile<64x{target}>"
                    )
                    _want(wanted, lines, name, target, values)
            elif bits < width:
                for words in ("", "overflow<no_signed_wrap>", "overflow<no_unsigned_wrap>"):
                    name = f"{target}{words[9:-1]}"
                    lines.append(
                        f"%{name} = trunci %x {words} : tile<64x{source}> -> tile<64x{target}>"
                    )
                    if not words:
                        _want(wanted, lines, name, target, numbers)
        yield on_tiles(f"widths-{source}", "\n".join(lines), given, wanted)


def _want(
    wanted: dict[str, Tile], lines: list[str], name: str, target: str, values: Sequence[int]
) -> None:
    if target != "i4":
        wanted[name] = ints(target, values)
        return
    lines.append(f"%{name}_bytes = pack %{name} : tile<64xi4> -> tile<32xi8>")
    pairs = zip(values[0::2], values[1::2], strict=True)
    wanted[f"{name}_bytes"] = ints("i8", [low & 15 | high << 4 for low, high in pairs])


def bitcast_cases() -> Iterator[Case]:
    """Types of one width keep their bits."""
    for source in NUMBERS:
        targets = [
            target
            for target in NUMBERS
            if width_of(target) == width_of(source) and target != source
        ]
        if not targets:
            continue
        width = width_of(source)
        bits = take(integer_samples(width, LANES))
        given = {"x": raw(source, bits, (8, 8)), "s": raw(source, bits[2:3], ())}
        wanted: dict[str, Tile] = {}
        lines: list[str] = []
        for target in targets:
            wanted[f"to_{target}"] = raw(target, bits, (8, 8))
            wanted[f"one_{target}"] = raw(target, bits[2:3], ())
            for result, operand in (("to", "x"), ("one", "s")):
                shape = given[operand].shape
                lines.append(
                    f"%{result}_{target} = bitcast %{operand} : "
                    f"{tile_type(source, shape)} -> {tile_type(target, shape)}"
                )
        yield on_tiles(f"bitcast-{source}", "\n".join(lines), given, wanted)


def pack_cases() -> Iterator[Case]:
    """`pack` and `unpack` are the bytes of memory; eight i1 make a byte."""
    for element in NUMBERS:
        width = 32 if element == "tf32" else width_of(element)
        if width == 8:
            continue
        count = 32
        bits = take(integer_samples(width_of(element), count), count)
        stored = [b << 13 for b in bits] if element == "tf32" else bits
        whole = sum(b << (width * lane) for lane, b in enumerate(stored))
        size = count * width // 8
        data = list(whole.to_bytes(size, "little"))
        given = {"x": raw(element, bits), "b": ints("i8", data)}
        wanted = {"packed": ints("i8", data), "unpacked": raw(element, bits)}
        body = (
            f"%packed = pack %x : {given['x'].type} -> {given['b'].type}\n"
            f"%unpacked = unpack %b : {given['b'].type} -> {given['x'].type}"
        )
        yield on_tiles(f"pack-{element}", body, given, wanted)


def pointer_cases() -> Iterator[Case]:
    """Addresses as integers and back, and as pointers to other types."""
    body = """
    %address = ptr_to_int %x_memory : tile<ptr<f32>> -> tile<i64>
    %four = constant <i64: 4> : tile<i64>
    %second = addi %address, %four : tile<i64>
    %pointer = int_to_ptr %second : tile<i64> -> tile<ptr<f32>>
    %r, %t0 = load_ptr_tko weak %pointer : tile<ptr<f32>> -> tile<f32>, token
    %halves = ptr_to_ptr %pointer : tile<ptr<f32>> -> tile<ptr<i16>>
    %one = constant <i32: 1> : tile<i32>
    %upper = offset %halves, %one : tile<ptr<i16>>, tile<i32> -> tile<ptr<i16>>
    %h, %t1 = load_ptr_tko weak %upper : tile<ptr<i16>> -> tile<i16>, token
    """
    given = {"x": raw("f32", [0x3F800000, 0x40490FDB])}
    wanted = {"r": raw("f32", [0x40490FDB], ()), "h": ints("i16", [0x4049], ())}
    yield on_tiles("pointers", body, given, wanted)


CASES = [
    *ftof_cases(),
    *ftoi_cases(),
    *itof_cases(),
    *width_cases(),
    *bitcast_cases(),
    *pack_cases(),
    *pointer_cases(),
]


@parametrize(CASES)
def test_conversion(case: Case):
    """Every pair of types and every mode."""
    check(case)
