"""Ops of `cuda_tile` that make, move and choose elements, against index arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product

from .kernels import (
    INTEGERS,
    NUMBERS,
    Case,
    Tile,
    check,
    floats,
    ints,
    on_tiles,
    parametrize,
    raw,
    tile_type,
    width_of,
)

Place = tuple[int, ...]


def places(shape: Sequence[int]) -> Iterator[Place]:
    """All places of a tile in row-major order."""
    return product(*(range(size) for size in shape))


def number_of(place: Place, shape: Sequence[int]) -> int:
    """The number of a place in row-major order."""
    number = 0
    for index, size in zip(place, shape, strict=True):
        number = number * size + index
    return number


def moved(source: Tile, shape: Sequence[int], origin: Callable[[Place], Place]) -> Tile:
    """The tile whose elements come from the places that `origin` tells."""
    bits = [source.bits[number_of(origin(place), source.shape)] for place in places(shape)]
    return raw(source.element, bits, shape)


def counted(element: str, shape: Sequence[int]) -> Tile:
    """Different bit patterns, as far as there are enough."""
    mask = (1 << width_of(element)) - 1
    step = 0x9E3779B97F4A7C15
    bits = [
        number * step >> (64 - width_of(element)) & mask if mask > 255 else number & mask
        for number in range(math.prod(shape))
    ]
    return raw(element, bits, shape)


# All element types


def movement_cases() -> Iterator[Case]:
    """Ops that only move elements, on all element types."""
    for element in NUMBERS:
        source, other = counted(element, (2, 4, 8)), counted(element, (2, 4, 8))
        row = counted(element, (1, 4, 1))
        if element == "f4E2M1FN":
            row = counted(element, (1, 4, 2))
        wanted = {
            "permuted": moved(source, (8, 2, 4), lambda p: (p[1], p[2], p[0])),
            "reshaped": raw(element, source.bits, (4, 16)),
            "joined": moved(source, (2, 8, 8), lambda p: (p[0], p[1] % 4, p[2])),
            "part": moved(source, (1, 2, 8), lambda p: (p[0] + 1, p[1] + 2, p[2])),
        }
        body = f"""
        %one = constant <i32: 1> : tile<i32>
        %permuted = permute %x [2, 0, 1] : {source.type} -> {wanted["permuted"].type}
        %reshaped = reshape %x : {source.type} -> {wanted["reshaped"].type}
        %joined = cat %x, %y dim = 1 : {source.type}, {source.type} -> {wanted["joined"].type}
        %part = extract %x[%one, %one, %zero_index] : {source.type} -> {wanted["part"].type}
        %changed = insert %part, %y[%zero_index, %zero_index, %zero_index] :
            {wanted["part"].type}, {source.type}
        """
        wanted["changed"] = moved(
            source,
            source.shape,
            lambda p: (1, p[1] + 2, p[2]) if p[0] == 0 and p[1] < 2 else p,
        )
        if element != "f4E2M1FN":
            wanted["spread"] = moved(row, (2, 4, 8), lambda p: (0, p[1], 0))
            body += f"%spread = broadcast %row : {row.type} -> {wanted['spread'].type}\n"
            wanted["chosen"] = moved(source, source.shape, lambda p: p)
            mask = ints("i1", [place[2] % 2 for place in places(source.shape)], source.shape)
            given = {"x": source, "y": other, "row": row, "mask": mask}
            body += f"%chosen = select %mask, %x, %y : {mask.type}, {source.type}\n"
        else:
            given = {"x": source, "y": other}
        yield on_tiles(f"move-{element}", body, given, wanted)


# Ranks and words


def permute_cases() -> Iterator[Case]:
    orders = ((1, 0), (0, 1), (2, 0, 1), (1, 2, 0), (0, 2, 1), (3, 1, 0, 2), (1, 3, 2, 0))
    for order in orders:
        source = counted("i32", (2, 4, 8, 16)[: len(order)])
        shape = [source.shape[dim] for dim in order]

        def origin(place: Place, order: Place = order) -> Place:
            found = [0] * len(order)
            for index, dim in zip(place, order, strict=True):
                found[dim] = index
            return tuple(found)

        wanted = {"r": moved(source, shape, origin)}
        body = f"%r = permute %x {list(order)} : {source.type} -> {wanted['r'].type}"
        yield on_tiles(f"permute-{order}", body, {"x": source}, wanted)


def reshape_cases() -> Iterator[Case]:
    shapes: tuple[Place, ...] = ((16,), (4, 4), (2, 2, 4), (1, 16), (2, 2, 2, 2), (1, 2, 1, 8))
    for shape in shapes:
        source = counted("f16", shape)
        wanted = {f"r{n}": raw("f16", source.bits, target) for n, target in enumerate(shapes)}
        body = "\n".join(
            f"%{name} = reshape %x : {source.type} -> {tile.type}" for name, tile in wanted.items()
        )
        yield on_tiles(f"reshape-{shape}", body, {"x": source}, wanted)
    one = ints("i64", [-5], ())
    wanted = {"r": ints("i64", [-5], (1, 1, 1)), "back": one, "same": one}
    body = (
        "%r = reshape %x : tile<i64> -> tile<1x1x1xi64>\n"
        "%back = reshape %r : tile<1x1x1xi64> -> tile<i64>\n"
        "%same = broadcast %back : tile<i64> -> tile<i64>"
    )
    yield on_tiles("reshape-scalar", body, {"x": one}, wanted)


def broadcast_cases() -> Iterator[Case]:
    shapes: tuple[tuple[Place, Place], ...] = (
        ((1,), (8,)),
        ((4, 1), (4, 8)),
        ((1, 8), (4, 8)),
        ((1, 1), (2, 4)),
        ((2, 1, 4), (2, 8, 4)),
        ((1, 2, 1, 4), (2, 2, 4, 4)),
    )
    for small, large in shapes:
        source = counted("i16", small)

        def origin(place: Place, small: Place = small) -> Place:
            return tuple(0 if size == 1 else i for i, size in zip(place, small, strict=True))

        wanted = {"r": moved(source, large, origin)}
        body = f"%r = broadcast %x : {source.type} -> {wanted['r'].type}"
        yield on_tiles(f"broadcast-{small}-{large}", body, {"x": source}, wanted)


def cat_cases() -> Iterator[Case]:
    for rank in (1, 2, 3, 4):
        for dim in range(rank):
            shape = (2, 4, 2, 4)[:rank]
            x, y = counted("i32", shape), ints("i32", range(100, 100 + math.prod(shape)), shape)
            whole = tuple(2 * size if axis == dim else size for axis, size in enumerate(shape))
            bits: list[int | None] = []
            for place in places(whole):
                half, index = divmod(place[dim], shape[dim])
                inner = (*place[:dim], index, *place[dim + 1 :])
                bits.append((y if half else x).bits[number_of(inner, shape)])
            wanted = {"r": raw("i32", bits, whole)}
            body = f"%r = cat %x, %y dim = {dim} : {x.type}, {y.type} -> {wanted['r'].type}"
            yield on_tiles(f"cat-rank{rank}-dim{dim}", body, {"x": x, "y": y}, wanted)


def slice_cases() -> Iterator[Case]:
    """Indices of `extract` and `insert` count parts, not elements."""
    shapes: tuple[tuple[Place, Place], ...] = (
        ((8,), (2,)),
        ((8,), (8,)),
        ((4, 8), (2, 4)),
        ((4, 8), (1, 8)),
        ((2, 4, 8), (2, 2, 2)),
        ((2, 2, 2, 4), (1, 2, 1, 2)),
    )
    for whole, part in shapes:
        source = counted("i32", whole)
        counts = [size // step for size, step in zip(whole, part, strict=True)]
        lines: list[str] = []
        wanted: dict[str, Tile] = {}
        given = {"x": source, "p": ints("i32", range(500, 500 + math.prod(part)), part)}
        for index in range(max(counts)):
            lines.append(f"%i{index} = constant <i32: {index}> : tile<i32>")
        for number, slot in enumerate(places(counts)):
            starts = [index * step for index, step in zip(slot, part, strict=True)]

            def origin(place: Place, starts: Sequence[int] = starts) -> Place:
                return tuple(start + index for start, index in zip(starts, place, strict=True))

            indices = ", ".join(f"%i{index}" for index in slot)
            wanted[f"e{number}"] = moved(source, part, origin)
            bits = list(source.bits)
            for position, place in enumerate(places(part)):
                bits[number_of(origin(place), whole)] = given["p"].bits[position]
            wanted[f"n{number}"] = raw("i32", bits, whole)
            lines.append(
                f"%e{number} = extract %x[{indices}] : {source.type} -> {tile_type('i32', part)}"
            )
            lines.append(
                f"%n{number} = insert %p, %x[{indices}] : {tile_type('i32', part)}, {source.type}"
            )
        yield on_tiles(f"slices-{whole}-{part}", "\n".join(lines), given, wanted)
    scalar = ints("i32", [7], ())
    body = "%r = extract %x[] : tile<i32> -> tile<i32>\n%s = insert %x, %y[] : tile<i32>, tile<i32>"
    given = {"x": scalar, "y": ints("i32", [9], ())}
    yield on_tiles("slices-scalar", body, given, {"r": scalar, "s": scalar})


def iota_cases() -> Iterator[Case]:
    for element, width in INTEGERS.items():
        for size in (1, 2, 64, 256):
            if size <= 1 << width:
                wanted = {"r": ints(element, range(size))}
                body = f"%r = iota : tile<{size}x{element}>"
                yield on_tiles(f"iota-{element}-{size}", body, {}, wanted)


def select_cases() -> Iterator[Case]:
    x, y = floats("f32", [1.5], ()), floats("f32", [-0.0], ())
    for condition in (0, 1):
        given = {"c": ints("i1", [condition], ()), "x": x, "y": y}
        body = "%r = select %c, %x, %y : tile<i1>, tile<f32>"
        yield on_tiles(f"select-{condition}", body, given, {"r": x if condition else y})
    # Pointers are chosen as well.
    given = {"x": ints("i32", [11], ()), "y": ints("i32", [22], ()), "c": ints("i1", [0], ())}
    body = """
    %p = select %c, %x_memory, %y_memory : tile<i1>, tile<ptr<i32>>
    %r, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    """
    yield on_tiles("select-pointer", body, given, {"r": ints("i32", [22], ())})


# Constants and assumptions


def constant_cases() -> Iterator[Case]:
    integers = {
        "i1": ("[true, false, 1, 0]", [1, 0, 1, 0]),
        "i8": ("[-128, 127, 255, 0xFE]", [-128, 127, -1, -2]),
        "i16": ("[-32768, 65535, 1, 0]", [-32768, -1, 1, 0]),
        "i32": ("[-2147483648, 4294967295, 7, 0x10]", [-(1 << 31), -1, 7, 16]),
        "i64": ("[-9223372036854775808, 9223372036854775807, -1, 0]", [1 << 63, ~(1 << 63), -1, 0]),
    }
    for element, (text, values) in integers.items():
        wanted = {
            "r": ints(element, values),
            "splat": ints(element, values[:1] * 8, (2, 4)),
            "matrix": ints(element, values, (2, 2)),
            "scalar": ints(element, values[1:2], ()),
        }
        literals = [part.strip() for part in text[1:-1].split(",")]
        rows = f"[[{literals[0]}, {literals[1]}], [{literals[2]}, {literals[3]}]]"
        body = f"""
        %r = constant <{element}: {text}> : tile<4x{element}>
        %splat = constant <{element}: {literals[0]}> : tile<2x4x{element}>
        %matrix = constant <{element}: {rows}> : tile<2x2x{element}>
        %scalar = constant <{element}: {literals[1]}> : tile<{element}>
        """
        yield on_tiles(f"constant-{element}", body, {}, wanted)
    for element in (name for name in NUMBERS if name not in INTEGERS):
        is_signed = element not in ("f8E8M0FNU", "fnv8E5M3FNU")
        values = [1.0, 2.0, 4.0, -0.5 if is_signed else 0.5]
        text = ", ".join(str(value) for value in values)
        # Level 1 has no integer of 19 bits that it could make the bits of a NaN from.
        largest = 0x7FBFF if element == "tf32" else (1 << width_of(element)) - 2
        wanted = {
            "r": floats(element, values),
            "splat": floats(element, [2.0] * 8, (2, 4)),
            "bits": raw(element, [largest] * 2),
        }
        body = f"""
        %r = constant <{element}: [{text}]> : tile<4x{element}>
        %splat = constant <{element}: 2.0> : tile<2x4x{element}>
        %bits = constant <{element}: {largest:#X}> : tile<2x{element}>
        """.replace("0X", "0x")
        yield on_tiles(f"constant-{element}", body, {}, wanted)


def assume_cases() -> Iterator[Case]:
    given = {"x": ints("i32", [0, 16, 32, 48]), "s": ints("i64", [12], ())}
    body = """
    %r = assume div_by<16>, %x : tile<4xi32>
    %b = assume bounded<0, ?>, %s : tile<i64>
    %e = assume same_elements<[1]>, %x : tile<4xi32>
    %p = assume div_by<4>, %s_memory : tile<ptr<i64>>
    %l, %t = load_ptr_tko weak %p : tile<ptr<i64>> -> tile<i64>, token
    """
    wanted = {"r": given["x"], "b": given["s"], "e": given["x"], "l": given["s"]}
    yield on_tiles("assume", body, given, wanted)


CASES = [
    *movement_cases(),
    *permute_cases(),
    *reshape_cases(),
    *broadcast_cases(),
    *cat_cases(),
    *slice_cases(),
    *iota_cases(),
    *select_cases(),
    *constant_cases(),
    *assume_cases(),
]


@parametrize(CASES)
def test_shape_op(case: Case):
    """Every element comes from its place."""
    check(case)
