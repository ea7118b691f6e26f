"""Views of `cuda_tile`, against index arithmetic on lists."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

import tileiras_xdsl as tx

from . import exact
from .kernels import (
    ELEMENTS,
    INTEGERS,
    NUMBERS,
    Case,
    Tile,
    check,
    floats,
    ints,
    lowered,
    parametrize,
    raw,
    tile_type,
    width_of,
)
from .test_ops_memory import MODES, atomic_values

Bits = list[int | None]
Places = list[int | None]
"""Elements of memory by number; `None` where a tile leaves the tensor."""


def joined(numbers: Sequence[object], separator: str = ", ") -> str:
    return separator.join("?" if number is None else str(number) for number in numbers)


@dataclass(frozen=True)
class View:
    """A tensor, how it is cut, and which tile is meant."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    tile: tuple[int, ...]
    index: tuple[int, ...]
    dim_map: tuple[int, ...] | None = None
    steps: tuple[int, ...] | None = None
    """Those of a strided view."""
    rows: tuple[int, ...] | None = None
    """Those that are gathered."""
    sparse_dim: int = 0
    padding: str | None = None
    dynamic: str | None = None
    """The type of sizes and strides, if they are operands."""
    base: int = 0
    """Where in memory the tensor begins."""
    index_type: str = "i32"

    @property
    def kind(self) -> str:
        if self.rows is not None:
            return "gather_scatter"
        return "partition" if self.steps is None else "strided"

    def tensor_type(self, element: str) -> str:
        is_dynamic = self.dynamic is not None
        sizes = ["?" if is_dynamic else size for size in self.sizes]
        strides = ["?" if is_dynamic else stride for stride in self.strides]
        return f"tensor_view<{joined([*sizes, element], 'x')}, strides=[{joined(strides, ',')}]>"

    def type(self, element: str) -> str:
        words = [f"tile=({joined(self.tile, 'x')})"]
        if self.steps is not None:
            words.append(f"traversal_strides=[{joined(self.steps, ',')}]")
        if self.padding is not None:
            words.append(f"padding_value = {self.padding}")
        words.append(self.tensor_type(element))
        if self.dim_map is not None:
            words.append(f"dim_map=[{joined(self.dim_map)}]")
        if self.rows is not None:
            words.append(f"sparse_dim={self.sparse_dim}")
        return f"{self.kind}_view<{', '.join(words)}>"

    def text(self, element: str, pointer: str = "%x") -> str:
        """Makes `%view` and the indices `%i0`, …"""
        lines = [f"%base_offset = constant <i64: {self.base}> : tile<i64>"]
        ty = f"tile<ptr<{element}>>"
        lines.append(f"%base = offset {pointer}, %base_offset : {ty}, tile<i64> -> {ty}")
        sizes, strides = joined(self.sizes), joined(self.strides)
        signature = ""
        if self.dynamic is not None:
            for name, numbers in (("size", self.sizes), ("stride", self.strides)):
                lines += [
                    f"%{name}{dim} = constant <{self.dynamic}: {number}> : tile<{self.dynamic}>"
                    for dim, number in enumerate(numbers)
                ]
            sizes = joined([f"%size{dim}" for dim in range(len(self.sizes))])
            strides = joined([f"%stride{dim}" for dim in range(len(self.strides))])
            signature = f"tile<{self.dynamic}> -> "
        lines.append(
            f"%tensor = make_tensor_view %base, shape = [{sizes}], strides = [{strides}] : "
            f"{signature}{self.tensor_type(element)}"
        )
        lines.append(f"%view = make_{self.kind}_view %tensor : {self.type(element)}")
        for dim, number in enumerate(self.index):
            if self.rows is not None and dim == self.sparse_dim:
                lines.append(
                    f"%i{dim} = constant <{self.index_type}: [{joined(self.rows)}]> : "
                    f"tile<{len(self.rows)}x{self.index_type}>"
                )
            else:
                lines.append(
                    f"%i{dim} = constant <{self.index_type}: {number}> : tile<{self.index_type}>"
                )
        return "\n".join(lines) + "\n"

    @property
    def indices(self) -> str:
        return joined([f"%i{dim}" for dim in range(len(self.index))])

    @property
    def index_types(self) -> str:
        if self.rows is None:
            return f"tile<{self.index_type}>"
        return joined(
            [
                tile_type(self.index_type, (len(self.rows),) if dim == self.sparse_dim else ())
                for dim in range(len(self.index))
            ]
        )

    def places(self) -> Places:
        """Where in memory the elements of the tile lie."""
        found: Places = []
        dim_map = self.dim_map or tuple(range(len(self.tile)))
        # Indices of gathered tiles count elements.
        steps = self.steps or (self.tile if self.rows is None else (1,) * len(self.tile))
        for lane in product(*(range(size) for size in self.tile)):
            place, inside = self.base, True
            for dim, number in enumerate(lane):
                if self.rows is not None and dim == self.sparse_dim:
                    position = self.rows[number]
                else:
                    position = self.index[dim] * steps[dim] + number
                inside = inside and 0 <= position < self.sizes[dim_map[dim]]
                place += position * self.strides[dim_map[dim]]
            found.append(place if inside else None)
        return found


PADDINGS = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "nan": math.nan,
    "pos_inf": math.inf,
    "neg_inf": -math.inf,
}


def padding_bits(element: str, word: str | None) -> int | None:
    """The bits of what lies outside of a tensor."""
    if word in (None, "zero"):
        return 0
    return floats(element, [PADDINGS[word]]).bits[0]


def memory_for(element: str, count: int) -> Tile:
    """Different numbers as far as there are enough, and none of them zero."""
    mask = (1 << width_of(element)) - 1
    if element == "i1":
        return raw(element, [number % 3 != 0 for number in range(count)])
    if element in INTEGERS:
        return raw(element, [(number + 1) & mask for number in range(count)])
    return raw(element, [number % min(mask, 0x70) + 1 for number in range(count)])


def load_case(name: str, view: View, element: str, count: int) -> Case:
    """Reads a tile, and writes it to the beginning of other memory."""
    memory = memory_for(element, count)
    tile = tile_type(element, view.tile)
    flat = math.prod(view.tile)
    padding = padding_bits(element, view.padding)
    wanted = [padding if place is None else memory.bits[place] for place in view.places()]
    body = f"""
    {view.text(element)}
    %tile, %t0 = load_view_tko weak %view[{view.indices}] :
        {view.type(element)}, {view.index_types} -> {tile}, token
    %flat = reshape %tile : {tile} -> {tile_type(element, (flat,))}
    %zero = constant <i32: 0> : tile<i32>
    %out = make_tensor_view %r, shape = [{flat}], strides = [1] :
        tensor_view<{flat}x{element}, strides=[1]>
    %out_view = make_partition_view %out :
        partition_view<tile=({flat}), tensor_view<{flat}x{element}, strides=[1]>>
    %t1 = store_view_tko weak %flat, %out_view[%zero] : {tile_type(element, (flat,))},
        partition_view<tile=({flat}), tensor_view<{flat}x{element}, strides=[1]>>, tile<i32>
        -> token
    """
    blank = raw(element, [1] * flat)
    return Case(
        f"load-{name}-{element}",
        body,
        {"x": memory, "r": blank},
        {"x": memory, "r": raw(element, wanted)},
    )


def store_case(name: str, view: View, element: str, count: int, *, masked: bool = False) -> Case:
    """Writes a tile of different numbers; what lies outside of the tensor is dropped."""
    flat = math.prod(view.tile)
    source = memory_for(element, flat)
    before = raw(element, [0] * count)
    mask = [lane % 3 != 1 for lane in range(flat)]
    after: Bits = [0] * count
    for lane, place in enumerate(view.places()):
        if place is not None and (mask[lane] or not masked):
            after[place] = source.bits[lane]
    tile = tile_type(element, view.tile)
    in_view = f"partition_view<tile=({flat}), tensor_view<{flat}x{element}, strides=[1]>>"
    body = f"""
    {view.text(element)}
    %zero = constant <i32: 0> : tile<i32>
    %in = make_tensor_view %s, shape = [{flat}], strides = [1] :
        tensor_view<{flat}x{element}, strides=[1]>
    %in_view = make_partition_view %in : {in_view}
    %flat, %t0 = load_view_tko weak %in_view[%zero] :
        {in_view}, tile<i32> -> {tile_type(element, (flat,))}, token
    %tile = reshape %flat : {tile_type(element, (flat,))} -> {tile}
    """
    if masked:
        mask_type = tile_type("i1", view.tile)
        literal = ", ".join("true" if bit else "false" for bit in mask)
        body += f"""
        %bits = constant <i1: [{literal}]> : tile<{flat}xi1>
        %mask = reshape %bits : tile<{flat}xi1> -> {mask_type}
        %t1 = store_view_tko weak %view[{view.indices}], %tile, %mask :
            {view.type(element)}, {tile}, {mask_type}, {view.index_types} -> token
        """
    else:
        body += f"""
        %t1 = store_view_tko weak %tile, %view[{view.indices}] :
            {tile}, {view.type(element)}, {view.index_types} -> token
        """
    suffix = "-masked" if masked else ""
    return Case(
        f"store-{name}-{element}{suffix}",
        body,
        {"x": before, "s": source},
        {"x": raw(element, after), "s": source},
    )


ROWS = (3, 0, 5, 1)

VIEWS: dict[str, tuple[View, int]] = {
    "whole": (View((8,), (1,), (8,), (0,)), 8),
    "second": (View((16,), (1,), (4,), (2,)), 16),
    "edge": (View((10,), (1,), (4,), (2,), padding="zero"), 16),
    "outside": (View((10,), (1,), (4,), (5,), padding="zero"), 16),
    "before": (View((10,), (1,), (4,), (-1,), padding="zero", base=8), 24),
    "matrix": (View((8, 8), (8, 1), (4, 2), (1, 3)), 64),
    "corner": (View((6, 7), (8, 1), (4, 4), (1, 1), padding="zero"), 64),
    "columns": (View((8, 8), (1, 8), (4, 2), (1, 3)), 64),
    "mapped": (View((8, 4), (4, 1), (2, 4), (1, 1), dim_map=(1, 0)), 32),
    "mapped-edge": (View((7, 3), (4, 1), (2, 4), (1, 1), dim_map=(1, 0), padding="zero"), 32),
    "mapped-3d": (View((2, 4, 8), (32, 8, 1), (4, 2, 2), (1, 0, 1), dim_map=(2, 0, 1)), 64),
    "rank-3": (View((2, 3, 4), (12, 4, 1), (1, 2, 4), (1, 1, 0), padding="zero"), 24),
    "rank-4": (View((2, 3, 2, 3), (18, 6, 3, 1), (2, 2, 2, 2), (0, 1, 0, 1), padding="zero"), 36),
    "gaps": (View((4, 4), (16, 2), (2, 4), (1, 0)), 64),
    "dynamic": (View((6, 7), (8, 1), (4, 4), (1, 1), padding="zero", dynamic="i32"), 64),
    "dynamic-64": (View((6, 7), (8, 1), (4, 4), (1, 0), padding="zero", dynamic="i64"), 64),
    "dynamic-8": (View((6, 7), (8, 1), (4, 4), (0, 1), padding="zero", dynamic="i8"), 64),
    "index-64": (View((16,), (1,), (4,), (3,), index_type="i64"), 16),
    "backwards": (View((8,), (-1,), (4,), (1,), dynamic="i64", base=7), 8),
    "backwards-rows": (View((3, 4), (-4, 1), (2, 4), (1, 0), None, dynamic="i64", base=8), 12),
    "strided": (View((16,), (1,), (4,), (2,), steps=(3,)), 16),
    "strided-edge": (View((10,), (1,), (4,), (3,), steps=(3,), padding="zero"), 16),
    "strided-matrix": (
        View((8, 8), (8, 1), (4, 2), (1, 2), steps=(2, 3), dim_map=(1, 0), padding="zero"),
        64,
    ),
    "gather": (View((8, 4), (4, 1), (4, 4), (0, 0), rows=ROWS), 32),
    "gather-edge": (
        View((5, 6), (8, 1), (4, 4), (0, 1), rows=(4, 7, -1, 0), padding="zero"),
        48,
    ),
    "gather-columns": (View((4, 8), (8, 1), (4, 4), (0, 0), rows=ROWS, sparse_dim=1), 32),
    "gather-64": (View((8, 4), (4, 1), (4, 4), (0, 0), rows=ROWS, index_type="i64"), 32),
}


def repeated() -> View:
    """A tensor whose rows are all the same memory."""
    return View((4, 8), (0, 1), (4, 8), (0, 0), dynamic="i32")


def kind_cases() -> Iterator[Case]:
    for name, (view, count) in VIEWS.items():
        yield load_case(name, view, "i32", count)
        yield store_case(name, view, "i32", count)
        yield store_case(name, view, "i32", count, masked=True)
    yield load_case("repeated", repeated(), "i32", 8)


def type_cases() -> Iterator[Case]:
    """All element types, in a tile that hangs over an edge."""
    for element in NUMBERS:
        # Elements of four bits lie in whole bytes here.
        view = View((6, 6), (8, 1), (4, 4), (1, 1), padding="zero")
        yield load_case("type", view, element, 64)
        yield store_case("type", view, element, 64)
        yield store_case("type", view, element, 64, masked=True)
        gather = View((5, 6), (8, 1), (4, 4), (0, 1), rows=(4, 7, 2, 0), padding="zero")
        yield load_case("type-gather", gather, element, 48)
        yield store_case("type-gather", gather, element, 48)
    # Odd elements of four bits.
    odd = View((7,), (2,), (4,), (1,), padding="zero", base=2)
    yield load_case("odd", odd, "f4E2M1FN", 20)
    yield store_case("odd", odd, "f4E2M1FN", 20)


def padding_cases() -> Iterator[Case]:
    """Every value that a type has."""
    for word in PADDINGS:
        for element, attribute in ELEMENTS.items():
            spec = exact.SPECS[attribute]
            exists = {
                "zero": spec.mantissa_bits > 0,
                "neg_zero": spec.signed,
                "nan": spec.top != "none",
                "pos_inf": spec.top == "ieee",
                "neg_inf": spec.top == "ieee",
            }[word]
            if exists:
                view = View((6,), (1,), (4,), (1,), padding=word)
                yield load_case(f"padding-{word}", view, element, 8)


def update_cases() -> Iterator[Case]:
    """`atomic_red_view_tko` in every mode; what lies outside of the tensor is dropped."""
    for mode, (elements, combine) in MODES.items():
        if mode == "xchg":
            continue
        for element in elements:
            view = View((3, 3), (4, 1), (2, 4), (1, 0))
            values = [bits or 0 for bits in atomic_values(element)]
            before = [bits or 0 for bits in atomic_values(element)] * 2
            after: Bits = list(before)
            for lane, place in enumerate(view.places()):
                if place is not None:
                    after[place] = combine(before[place], values[lane], element)
            literal = "tile<2x4x" + element + ">"
            body = f"""
            {view.text(element)}
            %zero = constant <i32: 0> : tile<i32>
            %in = make_tensor_view %s, shape = [2, 4], strides = [4, 1] :
                tensor_view<2x4x{element}, strides=[4,1]>
            %in_view = make_partition_view %in :
                partition_view<tile=(2x4), tensor_view<2x4x{element}, strides=[4,1]>>
            %v, %t0 = load_view_tko weak %in_view[%zero, %zero] :
                partition_view<tile=(2x4), tensor_view<2x4x{element}, strides=[4,1]>>, tile<i32>
                -> {literal}, token
            %t1 = atomic_red_view_tko relaxed device %view[{view.indices}], {mode}, %v token = %t0 :
                {literal}, {view.type(element)}, {view.index_types} -> token
            """
            yield Case(
                f"update-{mode}-{element}",
                body,
                {"x": raw(element, before), "s": raw(element, values)},
                {"x": raw(element, after)},
            )


def shape_cases() -> Iterator[Case]:
    """Sizes of tensors, and how many tiles they have."""
    views: dict[str, tuple[View, list[int]]] = {
        "partition": (View((6, 7), (8, 1), (4, 4), (0, 0)), [2, 2]),
        "mapped": (View((9, 2), (8, 1), (2, 4), (0, 0), dim_map=(1, 0)), [1, 3]),
        "strided": (View((10,), (1,), (4,), (0,), steps=(3,)), [4]),
        "strided-mapped": (
            View((10, 3), (4, 1), (2, 4), (0, 0), steps=(1, 7), dim_map=(1, 0)),
            [3, 2],
        ),
        "dynamic": (View((6, 17), (32, 1), (4, 4), (0, 0), dynamic="i64"), [2, 5]),
        "empty": (View((0, 17), (32, 1), (4, 4), (0, 0), dynamic="i32"), [0, 5]),
    }
    for name, (view, counts) in views.items():
        for ty in ("i32", "i64", "i8"):
            rank = len(view.sizes)
            lines = [view.text("f32")]
            for op, operand, operand_type in (
                ("get_tensor_shape", "%tensor", view.tensor_type("f32")),
                ("get_index_space_shape", "%view", view.type("f32")),
            ):
                lines.append(
                    f"%{op}:{rank} = {op} {operand} : {operand_type} -> tile<{ty}>"
                    if rank > 1
                    else f"%{op} = {op} {operand} : {operand_type} -> tile<{ty}>"
                )
            wanted: list[int] = []
            for op, numbers in (
                ("get_tensor_shape", view.sizes),
                ("get_index_space_shape", counts),
            ):
                for dim, number in enumerate(numbers):
                    slot = len(wanted)
                    value = f"%{op}#{dim}" if rank > 1 else f"%{op}"
                    lines.append(
                        f"%o{slot} = constant <i32: {slot}> : tile<i32>\n"
                        f"%p{slot} = offset %r, %o{slot} : "
                        f"tile<ptr<{ty}>>, tile<i32> -> tile<ptr<{ty}>>\n"
                        f"%t{slot} = store_ptr_tko weak %p{slot}, {value} : "
                        f"tile<ptr<{ty}>>, tile<{ty}> -> token"
                    )
                    wanted.append(number)
            yield Case(
                f"shape-{name}-{ty}",
                "\n".join(lines),
                {"x": floats("f32", [0.0]), "r": ints(ty, [99] * len(wanted))},
                {"r": ints(ty, wanted)},
            )


def ordering_cases() -> Iterator[Case]:
    """Orders, scopes, hints and promises change nothing here."""
    view = View((16,), (1,), (4,), (2,))
    ty = view.type("f32")
    body = f"""
    {view.text("f32")}
    %a, %t0 = load_view_tko acquire device %view[%i0] optimization_hints =
        <sm_90 = {{allow_tma = false, latency = 5}}> inbounds = [true] :
        {ty}, tile<i32> -> tile<4xf32>, token
    %b = addf %a, %a : tile<4xf32>
    %t1 = store_view_tko release sys %b, %view[%i0] token = %t0 inbounds = [true] :
        tile<4xf32>, {ty}, tile<i32> -> token
    """
    before = [float(number) for number in range(16)]
    after = [2 * value if 8 <= number < 12 else value for number, value in enumerate(before)]
    yield Case("ordering", body, {"x": floats("f32", before)}, {"x": floats("f32", after)})


CASES = [
    *kind_cases(),
    *type_cases(),
    *padding_cases(),
    *update_cases(),
    *shape_cases(),
    *ordering_cases(),
]


@parametrize(CASES)
def test_view_op(case: Case):
    """A tile is made of the elements of its places."""
    check(case)


@pytest.mark.parametrize("level", [0, 1])
def test_scalar_tensor(level: int):
    """A tensor of rank 0 has no sizes."""
    module = tx.load(
        "cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>) {\n"
        "%t = make_tensor_view %x, shape = [], strides = [] : tensor_view<f32>\n"
        "return } }"
    )
    if level:
        lowered(module)
    tx.run(module, grid=1, args=[np.zeros(1, np.float32)], engine="interpreter")
