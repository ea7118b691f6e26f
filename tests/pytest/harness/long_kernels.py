"""
Kernels of many ops on small tiles, as text of `cuda_tile`, in the shapes that programs and their
generators write: each takes the number of ops.

`tests/pytest/compiler/test_long_kernels.py` counts the work that passes do for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .stress_kernels import Array, Builder, tile

SHAPE: Final = (128,)
FULL: Final = tile(SHAPE, "f32")


def _tile_block(kernel: Builder) -> str:
    """The first index of the tile block."""
    kernel.lines.append("%id0, %id1, %id2 = get_tile_block_id : tile<i32>")
    return "%id0"


def _store_row(kernel: Builder, number: str) -> None:
    """Stores to a row of an array."""
    view, ty = kernel.view(Array((64, 128), "f32", "zeros"), (1, 128))
    value = kernel.add("constant <f32: 1.0> : tile<1x128xf32>")
    kernel.add(
        f"store_view_tko weak {value}, {view}[{number}, %zero] token = %token : "
        f"tile<1x128xf32>, {ty}, tile<i32> -> token"
    )


def _store_at(kernel: Builder, value: str, shape: tuple[int, ...], at: tuple[str, ...]) -> None:
    """Stores a tile of an array."""
    view, ty = kernel.view(Array((4096, 4096), "f32", "zeros"), shape)
    kernel.add(
        f"store_view_tko weak {value}, {view}[{', '.join(at)}] token = %token : "
        f"{tile(shape, 'f32')}, {ty}, tile<i32> -> token"
    )


def floats(kernel: Builder, count: int) -> None:
    """A chain of `y = y * x + 1.0`, with a constant of its own each time."""
    x = y = kernel.load(SHAPE, "f32")
    for _ in range(count // 2):
        y = kernel.add(f"mulf {y}, {x} : {FULL}")
        y = kernel.add(f"addf {y}, {kernel.add(f'constant <f32: 1.0> : {FULL}')} : {FULL}")
    kernel.store(y, SHAPE, "f32")


def integers(kernel: Builder, count: int) -> None:
    """A chain of integer ops of five kinds."""
    ty = tile(SHAPE, "i32")
    x = y = kernel.load(SHAPE, "i32")
    ops = ("addi", "xori", "muli", "mini", "subi")
    for number in range(count):
        name = ops[number % len(ops)]
        y = kernel.add(f"{name} {y}, {x}{' signed' * (name == 'mini')} : {ty}")
    kernel.store(y, SHAPE, "i32")


def scalars(kernel: Builder, count: int) -> None:
    """A chain of integer ops on a number, which is the row that is stored."""
    number = pid = _tile_block(kernel)
    for each in range(count):
        number = kernel.add(f"{('addi', 'muli')[each % 2]} {number}, {pid} : tile<i32>")
    _store_row(kernel, number)


def reductions(kernel: Builder, count: int) -> None:
    """A chain in which every fourth op is a reduction, whose result is broadcast."""
    y = kernel.load(SHAPE, "f32")
    for _ in range(count // 4):
        total = kernel.add(
            f"reduce {y} dim=0 identities=[0.0 : f32] : {FULL} -> tile<f32> "
            "(%a: tile<f32>, %b: tile<f32>) {\n"
            "    %c = addf %a, %b : tile<f32>\n    yield %c : tile<f32>\n  }"
        )
        y = kernel.add(f"addf {y}, {kernel.splat(total, SHAPE, 'f32')} : {FULL}")
    kernel.store(y, SHAPE, "f32")


def joined(kernel: Builder, count: int) -> None:
    """Ops that do not depend on each other, and then the sum of all."""
    x = kernel.load(SHAPE, "f32")
    parts: list[str] = []
    for number in range(count // 2):
        other = kernel.add(f"constant <f32: {number}.5> : {FULL}")
        parts.append(kernel.add(f"mulf {x}, {other} : {FULL}"))
    total = x
    for part in parts:
        total = kernel.add(f"addf {total}, {part} : {FULL}")
    kernel.store(total, SHAPE, "f32")


def loop(kernel: Builder, count: int) -> None:
    """A chain in the body of a loop that carries its result."""
    x = kernel.load(SHAPE, "f32")
    end, one = (kernel.add(f"constant <i32: {number}> : tile<i32>") for number in (7, 1))
    lines: list[str] = []
    y = "%acc"
    for number in range(count):
        name = ("mulf", "addf")[number % 2]
        lines.append(f"    %y{number} = {name} {y}, {x} : {FULL}\n")
        y = f"%y{number}"
    result = kernel.add(
        f"for %i in (%zero to {end}, step {one}) : tile<i32> iter_values(%acc = {x}) -> ({FULL}) "
        f"{{\n{''.join(lines)}    continue {y} : {FULL}\n  }}"
    )
    kernel.store(result, SHAPE, "f32")


def loops(kernel: Builder, count: int) -> None:
    """Loops one after the other, each with what the one before it carried."""
    x = y = kernel.load(SHAPE, "f32")
    end, one = (kernel.add(f"constant <i32: {number}> : tile<i32>") for number in (7, 1))
    for _ in range(count // 4):
        y = kernel.add(
            f"for %i in (%zero to {end}, step {one}) : tile<i32> iter_values(%acc = {y}) -> "
            f"({FULL}) {{\n    %next = mulf %acc, {x} : {FULL}\n    continue %next : {FULL}\n  }}"
        )
    kernel.store(y, SHAPE, "f32")


def branches(kernel: Builder, count: int) -> None:
    """Conditionals one after the other, each with the result of the one before it."""
    x = y = kernel.load(SHAPE, "f32")
    pid = _tile_block(kernel)
    for number in range(count // 4):
        bound = kernel.add(f"constant <i32: {number}> : tile<i32>")
        flag = kernel.add(f"cmpi equal {pid}, {bound}, signed : tile<i32> -> tile<i1>")
        y = kernel.add(
            f"if {flag} -> ({FULL}) {{\n    %then = mulf {y}, {x} : {FULL}\n"
            f"    yield %then : {FULL}\n  }} else {{\n    yield {y} : {FULL}\n  }}"
        )
    kernel.store(y, SHAPE, "f32")


def conditions(kernel: Builder, count: int) -> None:
    """A conditional on a conjunction of comparisons of numbers."""
    x = kernel.load(SHAPE, "f32")
    pid = _tile_block(kernel)
    one = kernel.add("constant <i32: 1> : tile<i32>")
    number, flag = pid, kernel.add("constant <i1: 1> : tile<i1>")
    for _ in range(count // 3):
        number = kernel.add(f"addi {number}, {one} : tile<i32>")
        other = kernel.add(f"cmpi not_equal {number}, %zero, signed : tile<i32> -> tile<i1>")
        flag = kernel.add(f"andi {flag}, {other} : tile<i1>")
    y = kernel.add(
        f"if {flag} -> ({FULL}) {{\n    %then = mulf {x}, {x} : {FULL}\n"
        f"    yield %then : {FULL}\n  }} else {{\n    yield {x} : {FULL}\n  }}"
    )
    kernel.store(y, SHAPE, "f32")


def accesses(kernel: Builder, count: int) -> None:
    """Loads and stores of one array, each ordered behind the one before it."""
    view, ty = kernel.view(Array((64, 128), "f32", "zeros"), (1, 128))
    part = "tile<1x128xf32>"
    token = "%token"
    for number in range(count // 4):
        index = kernel.add(f"constant <i32: {number}> : tile<i32>")
        at = f"{view}[{index}, %zero]"
        kernel.lines.append(
            f"%t_{number}, %read{number} = load_view_tko weak {at} token = {token} : {ty}, "
            f"tile<i32> -> {part}, token"
        )
        value = kernel.add(f"addf %t_{number}, %t_{number} : {part}")
        token = kernel.add(
            f"store_view_tko weak {value}, {at} token = %read{number} : {part}, {ty}, tile<i32> "
            "-> token"
        )


def stores(kernel: Builder, count: int) -> None:
    """Stores of parts of a sum, in no order."""
    view, ty = kernel.view(Array((64, 128), "f32", "zeros"), (1, 128))
    x = kernel.load((1, 128), "f32")
    part = "tile<1x128xf32>"
    for number in range(count // 3):
        index = kernel.add(f"constant <i32: {number}> : tile<i32>")
        value = kernel.add(f"addf {x}, {x} : {part}")
        kernel.add(
            f"store_view_tko weak {value}, {view}[{index}, %zero] token = %token : {part}, {ty}, "
            "tile<i32> -> token"
        )


def dots(kernel: Builder, count: int) -> None:
    """Dots, each of which adds to the result of the one before it."""
    shape = (64, 64)
    a, b = kernel.load(shape, "f16"), kernel.load(shape, "f16")
    ty = tile(shape, "f32")
    result = kernel.add(f"constant <f32: 0.0> : {ty}")
    for _ in range(count):
        types = f"{tile(shape, 'f16')}, {tile(shape, 'f16')}, {ty}"
        result = kernel.add(f"mmaf {a}, {b}, {result} : {types}")
    kernel.store(result, shape, "f32")


def shapes(kernel: Builder, count: int) -> None:
    """A chain in which tiles are transposed and get other shapes."""
    ty, flat = "tile<16x16xf32>", "tile<256xf32>"
    y = kernel.load((16, 16), "f32")
    for _ in range(count // 5):
        turned = kernel.add(f"permute {y} [1, 0] : {ty} -> {ty}")
        y = kernel.add(f"addf {y}, {turned} : {ty}")
        y = kernel.add(f"reshape {y} : {ty} -> {flat}")
        y = kernel.add(f"exp {y} : {flat}")
        y = kernel.add(f"reshape {y} : {flat} -> {ty}")
    kernel.store(y, (16, 16), "f32")


def masks(kernel: Builder, count: int) -> None:
    """A chain of selections by comparisons of indices."""
    ty = tile(SHAPE, "i32")
    x = y = kernel.load(SHAPE, "f32")
    index = kernel.add(f"iota : {ty}")
    for number in range(count // 4):
        bound = kernel.add(f"constant <i32: {number}> : {ty}")
        index = kernel.add(f"addi {index}, {bound} : {ty}")
        flag = kernel.add(f"cmpi less_than {index}, {bound}, signed : {ty} -> tile<128xi1>")
        y = kernel.add(f"select {flag}, {x}, {y} : tile<128xi1>, {FULL}")
    kernel.store(y, SHAPE, "f32")


def gathers(kernel: Builder, count: int) -> None:
    """Loads through pointers, whose offsets are the elements of the load before."""
    ty, pointers = tile(SHAPE, "i32"), tile(SHAPE, "ptr<i32>")
    offsets = kernel.load(SHAPE, "i32", "offsets")
    base = "%base"
    kernel.arguments.append(Array(SHAPE, "i32", "offsets"))
    kernel.parameters.append(f"{base}: tile<ptr<i32>>")
    base = kernel.splat(base, SHAPE, "ptr<i32>")
    for number in range(count // 3):
        at = kernel.add(f"offset {base}, {offsets} : {pointers}, {ty} -> {pointers}")
        kernel.lines.append(
            f"%got_{number}, %got_token_{number} = load_ptr_tko weak {at} token=%token : "
            f"{pointers} -> {ty}, token"
        )
        offsets = kernel.add(f"addi %got_{number}, {offsets} : {ty}")
    kernel.store(offsets, SHAPE, "i32")


def tokens(kernel: Builder, count: int) -> None:
    """Stores, each ordered behind a join of all before it."""
    view, ty = kernel.view(Array((64, 128), "f32", "zeros"), (1, 128))
    part = "tile<1x128xf32>"
    value = kernel.add(f"constant <f32: 1.0> : {part}")
    behind = "%token"
    for number in range(count // 3):
        index = kernel.add(f"constant <i32: {number}> : tile<i32>")
        token = kernel.add(
            f"store_view_tko weak {value}, {view}[{index}, %zero] token = {behind} : {part}, {ty}, "
            "tile<i32> -> token"
        )
        behind = kernel.add(f"join_tokens {behind}, {token} : token")


def steps(kernel: Builder, count: int) -> None:
    """A chain of which every fourth result is stored."""
    view, ty = kernel.view(Array((64, 128), "f32", "zeros"), (1, 128))
    x = y = kernel.load((1, 128), "f32")
    part = "tile<1x128xf32>"
    for number in range(count // 5):
        for _ in range(3):
            y = kernel.add(f"mulf {y}, {x} : {part}")
        index = kernel.add(f"constant <i32: {number}> : tile<i32>")
        kernel.add(
            f"store_view_tko weak {y}, {view}[{index}, %zero] token = %token : {part}, {ty}, "
            "tile<i32> -> token"
        )


def products(kernel: Builder, count: int) -> None:
    """Dots of tiles of their own, each of which adds to the result of the one before it."""
    shape = (64, 64)
    views = [kernel.view(Array((4096, 4096), "f16"), shape) for _ in range(2)]
    ty, operand = tile(shape, "f32"), tile(shape, "f16")
    result = kernel.add(f"constant <f32: 0.0> : {ty}")
    for number in range(count // 4):
        index = kernel.add(f"constant <i32: {number}> : tile<i32>")
        for name, (view, view_type) in zip("ab", views, strict=True):
            kernel.lines.append(
                f"%{name}_{number}, %{name}_token_{number} = load_view_tko weak "
                f"{view}[%zero, {index}] token = %token : {view_type}, tile<i32> -> "
                f"{operand}, token"
            )
        result = kernel.add(f"mmaf %a_{number}, %b_{number}, {result} : {operand}, {operand}, {ty}")
    kernel.store(result, shape, "f32")


def epilogue(kernel: Builder, count: int) -> None:
    """A loop over K whose operand and whose result go through chains of ops."""
    shape = (64, 64)
    views = [kernel.view(Array((64, 4096), "f16"), shape) for _ in range(2)]
    ty, operand = tile(shape, "f32"), tile(shape, "f16")
    start = kernel.add(f"constant <f32: 0.0> : {ty}")
    end, one = (kernel.add(f"constant <i32: {number}> : tile<i32>") for number in (64, 1))
    lines = [
        f"    %{name}, %{name}_token = load_view_tko weak {view}[%zero, %i] token = %token : "
        f"{view_type}, tile<i32> -> {operand}, token\n"
        for name, (view, view_type) in zip("ab", views, strict=True)
    ]
    y = "%a"
    for number in range(count // 2):
        lines.append(f"    %y{number} = addf {y}, %a : {operand}\n")
        y = f"%y{number}"
    lines.append(f"    %next = mmaf {y}, %b, %acc : {operand}, {operand}, {ty}\n")
    result = kernel.add(
        f"for %i in (%zero to {end}, step {one}) : tile<i32> iter_values(%acc = {start}) -> ({ty}) "
        f"{{\n{''.join(lines)}    continue %next : {ty}\n  }}"
    )
    for _ in range(count // 2):
        result = kernel.add(f"mulf {result}, {result} : {ty}")
    kernel.store(result, shape, "f32")


def bounds(kernel: Builder, count: int) -> None:
    """A loop with a dot, whose bound and whose tiles are found by a chain of scalar ops."""
    pid = number = _tile_block(kernel)
    for each in range(count):
        number = kernel.add(
            f"{('addi', 'maxi')[each % 2]} {number}, {pid}{' signed' * (each % 2)} : tile<i32>"
        )
    shape = (128, 64)
    views = [kernel.view(Array((4096, 4096), "f16"), shape) for _ in range(2)]
    ty, operand = tile((128, 128), "f32"), tile(shape, "f16")
    start = kernel.add(f"constant <f32: 0.0> : {ty}")
    one = kernel.add("constant <i32: 1> : tile<i32>")
    lines = [
        f"    %{name}, %{name}_token = load_view_tko weak {view}[{index}, %i] token = %token : "
        f"{view_type}, tile<i32> -> {operand}, token\n"
        for name, index, (view, view_type) in zip("ab", (number, pid), views, strict=True)
    ]
    turned = tile((64, 128), "f16")
    result = kernel.add(
        f"for %i in (%zero to {number}, step {one}) : tile<i32> iter_values(%acc = {start}) -> "
        f"({ty}) {{\n{''.join(lines)}    %t = permute %b [1, 0] : {operand} -> {turned}\n"
        f"    %next = mmaf %a, %t, %acc : {operand}, {turned}, {ty}\n"
        f"    continue %next : {ty}\n  }}"
    )
    _store_at(kernel, result, (128, 128), (number, pid))


def guards(kernel: Builder, count: int) -> None:
    """
    A loop with a dot and masks: a conjunction of comparisons of indices, and a comparison of an
    index that is added to itself many times.
    """
    shape = (64, 64)
    ty, flags, wide = (tile(shape, element) for element in ("f32", "i1", "i32"))
    a, b = kernel.load(shape, "f16"), kernel.load(shape, "f16")
    zero, low = (kernel.add(f"constant <f32: {number}> : {ty}") for number in ("0.0", "-1.0e30"))
    end, one = (kernel.add(f"constant <i32: {number}> : tile<i32>") for number in (7, 1))
    row = kernel.add("iota : tile<64xi32>")
    row = kernel.add(f"reshape {row} : tile<64xi32> -> tile<1x64xi32>")
    row = kernel.add(f"broadcast {row} : tile<1x64xi32> -> {wide}")
    limits = [kernel.add(f"constant <i32: {number + 60}> : {wide}") for number in range(count // 2)]
    lines = [
        "%flat = reshape %i : tile<i32> -> tile<1x1xi32>",
        f"%wide = broadcast %flat : tile<1x1xi32> -> {wide}",
        f"%at0 = addi {row}, %wide : {wide}",
        *(f"%at{number + 1} = addi %at{number}, %at{number} : {wide}" for number in range(40)),
        f"%at = addi %at0, %wide : {wide}",
        f"%far = cmpi less_than %at40, {limits[0]}, signed : {wide} -> {flags}",
        f"%m0 = cmpi greater_than_or_equal %at, %wide, signed : {wide} -> {flags}",
    ]
    for number, limit in enumerate(limits):
        lines += [
            f"%c{number} = cmpi less_than %at, {limit}, signed : {wide} -> {flags}",
            f"%m{number + 1} = andi %m{number}, %c{number} : {flags}",
        ]
    operand = tile(shape, "f16")
    lines += [
        f"%s = mmaf {a}, {b}, {zero} : {operand}, {operand}, {ty}",
        f"%masked = select %m{len(limits)}, %s, {low} : {flags}, {ty}",
        f"%rest = select %far, %masked, {low} : {flags}, {ty}",
        f"%next = addf %acc, %rest : {ty}",
        f"continue %next : {ty}",
    ]
    body = "".join(f"    {line}\n" for line in lines)
    result = kernel.add(
        f"for %i in (%zero to {end}, step {one}) : tile<i32> iter_values(%acc = {zero}) -> ({ty}) "
        f"{{\n{body}  }}"
    )
    kernel.store(result, shape, "f32")


def histogram(kernel: Builder, count: int) -> None:
    """Atomics at indices that are a chain of ops, with a mask that is a conjunction."""
    ty, flags = tile(SHAPE, "i32"), tile(SHAPE, "i1")
    pid = _tile_block(kernel)
    wide = kernel.splat(pid, SHAPE, "i32")
    x = index = kernel.load(SHAPE, "i32")
    mask = kernel.add(f"cmpi less_than {x}, {wide}, unsigned : {ty} -> {flags}")
    for _ in range(count // 3):
        index = kernel.add(f"addi {index}, {x} : {ty}")
        less = kernel.add(f"cmpi less_than {index}, {wide}, unsigned : {ty} -> {flags}")
        mask = kernel.add(f"andi {mask}, {less} : {flags}")
    one = kernel.add(f"constant <i32: 1> : {ty}")
    at = kernel.pointers("i32", index, SHAPE, "zeros")
    kernel.lines.append(
        f"%old, %old_token = atomic_rmw_tko relaxed device {at}, add, {one}, {mask} token=%token : "
        f"{tile(SHAPE, 'ptr<i32>')}, {ty}, {flags} -> {ty}, token"
    )


def coordinates(kernel: Builder, count: int) -> None:
    """A large product, to which a tile is added that a chain of ops makes of an index."""
    shape, part = (256, 256), (256, 64)
    views = [kernel.view(Array((4096, 4096), "f16"), part) for _ in range(2)]
    ty, operand, turned = tile(shape, "f32"), tile(part, "f16"), tile(part[::-1], "f16")
    start = kernel.add(f"constant <f32: 0.0> : {ty}")
    end, one = (kernel.add(f"constant <i32: {number}> : tile<i32>") for number in (64, 1))
    row = kernel.add("iota : tile<256xi32>")
    row = kernel.add("reshape " + row + " : tile<256xi32> -> tile<256x1xi32>")
    index = other = kernel.add(f"broadcast {row} : tile<256x1xi32> -> {tile(shape, 'i32')}")
    for each in range(count):
        name = ("addi", "muli")[each % 2]
        index = kernel.add(f"{name} {index}, {other} : {tile(shape, 'i32')}")
    lines = [
        f"    %{name}, %{name}_token = load_view_tko weak {view}[%zero, %i] token = %token : "
        f"{view_type}, tile<i32> -> {operand}, token\n"
        for name, (view, view_type) in zip("ab", views, strict=True)
    ]
    result = kernel.add(
        f"for %i in (%zero to {end}, step {one}) : tile<i32> iter_values(%acc = {start}) -> "
        f"({ty}) {{\n{''.join(lines)}    %t = permute %b [1, 0] : {operand} -> {turned}\n"
        f"    %next = mmaf %a, %t, %acc : {operand}, {turned}, {ty}\n"
        f"    continue %next : {ty}\n  }}"
    )
    added = kernel.add(f"itof {index} signed : {tile(shape, 'i32')} -> {ty}")
    kernel.store(kernel.add(f"addf {result}, {added} : {ty}"), shape, "f32")


def turns(kernel: Builder, count: int) -> None:
    """A dot of tiles that are transposed and get other shapes many times before."""
    ty, flat = "tile<64x64xf16>", "tile<32x128xf16>"
    a, b = kernel.load((64, 64), "f16"), kernel.load((64, 64), "f16")
    for _ in range(count // 4):
        a = kernel.add(f"permute {a} [1, 0] : {ty} -> {ty}")
        a = kernel.add(f"reshape {a} : {ty} -> {flat}")
        a = kernel.add(f"permute {a} [1, 0] : {flat} -> tile<128x32xf16>")
        a = kernel.add(f"reshape {a} : tile<128x32xf16> -> {ty}")
    start = kernel.add("constant <f32: 0.0> : tile<64x64xf32>")
    result = kernel.add(f"mmaf {a}, {b}, {start} : {ty}, {ty}, tile<64x64xf32>")
    kernel.store(result, (64, 64), "f32")


KERNELS: Final[Mapping[str, Callable[[Builder, int], None]]] = {
    build.__name__: build
    for build in (
        floats,
        integers,
        scalars,
        reductions,
        joined,
        loop,
        loops,
        branches,
        conditions,
        accesses,
        stores,
        dots,
        shapes,
        masks,
        gathers,
        tokens,
        steps,
        products,
        epilogue,
        bounds,
        guards,
        histogram,
        coordinates,
        turns,
    )
}


def make(name: str, count: int) -> Builder:
    """The kernel of a name with about so many ops."""
    kernel = Builder()
    KERNELS[name](kernel, count)
    return kernel
