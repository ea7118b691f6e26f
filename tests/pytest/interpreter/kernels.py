"""
Small kernels as text, what they are given and what they must leave behind.

A `Case` runs at level 0 and after `convert-cuda-tile-to-tileaa`: both must leave the wanted
bits, and the same bits where any NaN will do. Values are bit patterns, so that nothing of the
interpreter is needed to make or to compare them.
"""

from __future__ import annotations

import math
import re
import struct
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

import tileiras_xdsl as tx
from tileiras_xdsl.dialects.cuda_tile.types import fnv8E5M3FNU
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
    ConvertCudaTileToTileaaPass,
)
from tileiras_xdsl.transforms.tileaa.discharge_mem_tokens import DischargeMemTokensPass
from tileiras_xdsl.transforms.tileas.convert_tileaa_to_tileas import (
    ConvertTileaaToTileasPass,
)

from ..harness.passes import apply
from . import exact

Array: TypeAlias = npt.NDArray[Any]

ELEMENTS: dict[str, Attribute] = {
    "f16": exact.f16,
    "bf16": exact.bf16,
    "tf32": exact.tf32,
    "f32": exact.f32,
    "f64": exact.f64,
    "f8E4M3FN": exact.f8E4M3FN,
    "f8E5M2": exact.f8E5M2,
    "f8E8M0FNU": exact.f8E8M0FNU,
    "f4E2M1FN": exact.f4E2M1FN,
    "fnv8E5M3FNU": fnv8E5M3FNU,
}
INTEGERS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
BASE_FLOATS = ("f16", "bf16", "f32", "f64")
NUMBERS = (*INTEGERS, *ELEMENTS)
SHAPES: tuple[tuple[int, ...], ...] = ((64,), (8, 8), (4, 2, 8), (2, 4, 2, 4))
"""Shapes of 64 elements, of rank 1 to 4."""

VARIANT = re.compile(r"i\d+|f\d+\w*|bf16|tf32|fnv\w+|rank\d+|dim\d+|\d+|\(.*\)")
"""Parts of names that cases of one kind differ in."""
SAMPLE = 4
"""Of so many cases of a kind one is for every run."""

STORAGE: dict[str, npt.DTypeLike] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": np.uint8,
    "fnv8E5M3FNU": np.uint8,
}
"""What arrays hold each element type."""
RAW: dict[int, npt.DTypeLike] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
TF32_SPARE_BITS = 13


def width_of(element: str) -> int:
    """The bits of an element type."""
    return INTEGERS[element] if element in INTEGERS else exact.SPECS[ELEMENTS[element]].width


def tile_type(element: str, shape: Sequence[int]) -> str:
    """`tile<4x8xf32>`."""
    return f"tile<{'x'.join(str(part) for part in (*shape, element))}>"


def nan_bits(element: str) -> int:
    """A quiet NaN."""
    return exact.SPECS[ELEMENTS[element]].magnitude_mask


@dataclass(frozen=True)
class Tile:
    """Elements by their bit patterns, in row-major order; `None` is any NaN."""

    element: str
    shape: tuple[int, ...]
    bits: tuple[int | None, ...]
    ulps: int = 0
    """How far a result may be away, in units of the last place."""

    def __post_init__(self):
        assert len(self.bits) == math.prod(self.shape), (len(self.bits), self.shape)

    @property
    def type(self) -> str:
        return tile_type(self.element, self.shape)

    def to_memory(self) -> Array:
        """The array that holds the elements."""
        numbers = [nan_bits(self.element) if bits is None else bits for bits in self.bits]
        if self.element == "f4E2M1FN":
            pairs = zip(numbers[0::2], numbers[1::2], strict=True)
            return np.array([low | high << 4 for low, high in pairs], np.uint8)
        if self.element == "tf32":
            numbers = [bits << TF32_SPARE_BITS for bits in numbers]
        dtype = np.dtype(STORAGE[self.element])
        raw = np.array(numbers, RAW[dtype.itemsize])
        return raw.view(dtype).reshape(self.shape)

    def compare(self, memory: Array, name: str) -> None:
        """Fails unless memory holds the elements."""
        found = bits_in(memory, self.element)
        for lane, (wanted, bits) in enumerate(zip(self.bits, found, strict=True)):
            if not same_number(wanted, bits, self.element, self.ulps):
                wanted_text = "NaN" if wanted is None else show_bits(wanted, self.element)
                place = [int(index) for index in np.unravel_index(lane, self.shape or (1,))]
                pytest.fail(f"{name}{place} is {show_bits(bits, self.element)}, not {wanted_text}")


def bits_in(memory: Array, element: str) -> list[int]:
    """The bit patterns that an array holds."""
    raw = np.ascontiguousarray(memory).reshape(-1)
    numbers: list[int] = raw.view(RAW[raw.dtype.itemsize]).tolist()
    if element == "f4E2M1FN":
        return [half for byte in numbers for half in (byte & 15, byte >> 4)]
    if element == "tf32":
        assert all(bits % (1 << TF32_SPARE_BITS) == 0 for bits in numbers)
        return [bits >> TF32_SPARE_BITS for bits in numbers]
    return numbers


def show_bits(bits: int, element: str) -> str:
    """A bit pattern, and its value."""
    if element in INTEGERS:
        return f"{bits:#x}"
    number = exact.decode(bits, ELEMENTS[element])
    value = "NaN" if number.magnitude is None else float(number.magnitude)
    return f"{bits:#x} ({'-' * number.negative}{value})"


def same_number(wanted: int | None, bits: int, element: str, ulps: int) -> bool:
    """Whether bits are the wanted ones, or near them."""
    if wanted == bits:
        return True
    if element in INTEGERS:
        return False
    number = exact.decode(bits, ELEMENTS[element])
    if wanted is None or number.is_nan:
        return wanted is None and number.is_nan
    return abs(_ordered(wanted, element) - _ordered(bits, element)) <= ulps


def _ordered(bits: int, element: str) -> int:
    """A number that grows by one from a float to the next."""
    spec = exact.SPECS[ELEMENTS[element]]
    magnitude = bits & spec.magnitude_mask
    return -magnitude if magnitude != bits else magnitude


# Tiles of values


def ints(element: str, values: Iterable[int], shape: Sequence[int] | None = None) -> Tile:
    """Integers, cut to their width; by default in one dimension."""
    mask = (1 << INTEGERS[element]) - 1
    bits = tuple(value & mask for value in values)
    return Tile(element, (len(bits),) if shape is None else tuple(shape), bits)


def float_bits(value: float, element: str) -> int | None:
    """The bits of the number nearest to a value."""
    if math.isnan(value):
        number = exact.NAN
    elif math.isinf(value):
        number = exact.Number(math.inf, value < 0)
    else:
        number = exact.Number(abs(Fraction(value)), math.copysign(1.0, value) < 0)
    return exact.encode(number, ELEMENTS[element], "nearest_even", clamps=False)


def floats(
    element: str, values: Iterable[float], shape: Sequence[int] | None = None, *, ulps: int = 0
) -> Tile:
    """The floats nearest to some values; by default in one dimension."""
    bits = tuple(float_bits(value, element) for value in values)
    return Tile(element, (len(bits),) if shape is None else tuple(shape), bits, ulps)


def numbers(element: str, values: Iterable[float], shape: Sequence[int] | None = None) -> Tile:
    """Integers or floats."""
    if element in INTEGERS:
        return ints(element, [int(value) for value in values], shape)
    return floats(element, values, shape)


def raw(element: str, bits: Iterable[int | None], shape: Sequence[int] | None = None) -> Tile:
    """Elements by their bits; by default in one dimension."""
    found = tuple(bits)
    return Tile(element, (len(found),) if shape is None else tuple(shape), found)


def value_of(bits: int, element: str) -> float:
    """The value of a bit pattern as a Python float, which has all of them."""
    if element == "f64":
        return struct.unpack("<d", struct.pack("<Q", bits))[0]
    number = exact.decode(bits, ELEMENTS[element])
    if number.magnitude is None:
        return math.nan
    return math.copysign(float(number.magnitude), -1.0 if number.negative else 1.0)


# Kernels

Argument: TypeAlias = Tile | tuple[str, int | float]
"""Memory for a pointer, or an element type and a number for a scalar."""


@dataclass(frozen=True)
class Case:
    """A kernel, its arguments by name, and what its memory holds afterwards."""

    name: str
    body: str
    arguments: Mapping[str, Argument]
    wanted: Mapping[str, Tile] = field(default_factory=dict[str, Tile])
    grid: int | tuple[int, ...] = 1
    symbols: str = ""
    """Other symbols of the module."""

    @property
    def text(self) -> str:
        """The module."""
        return module_text(
            self.body,
            {name: _parameter_type(argument) for name, argument in self.arguments.items()},
            self.symbols,
        )

    def arrays(self) -> dict[str, Any]:
        """Fresh arguments."""
        return {
            name: argument.to_memory() if isinstance(argument, Tile) else argument[1]
            for name, argument in self.arguments.items()
        }


def _parameter_type(argument: Argument) -> str:
    if isinstance(argument, Tile):
        return f"tile<ptr<{argument.element}>>"
    return f"tile<{argument[0]}>"


def module_text(body: str, parameters: Mapping[str, str], symbols: str = "") -> str:
    """A module with one kernel, of parameters by name and type."""
    signature = ", ".join(f"%{name}: {ty}" for name, ty in parameters.items())
    return f"cuda_tile.module @m {{\n{symbols}\nentry @k({signature}) {{\n{body}\nreturn\n}}\n}}"


def view_of(name: str, pointer: str, tile: Tile) -> str:
    """A view of one tile over a whole array in row-major order."""
    sizes = ", ".join(str(size) for size in tile.shape)
    steps = [math.prod(tile.shape[dim + 1 :]) for dim in range(len(tile.shape))]
    strides = ",".join(str(step) for step in steps)
    shape = "x".join(str(size) for size in tile.shape)
    tensor = f"tensor_view<{shape}x{tile.element}, strides=[{strides}]>"
    return (
        f"%{name}_tensor = make_tensor_view {pointer}, shape = [{sizes}], "
        f"strides = [{strides}] : {tensor}\n"
        f"%{name}_view = make_partition_view %{name}_tensor : "
        f"partition_view<tile=({shape}), {tensor}>\n"
    )


def _view_type(tile: Tile) -> str:
    shape = "x".join(str(size) for size in tile.shape)
    steps = [math.prod(tile.shape[dim + 1 :]) for dim in range(len(tile.shape))]
    strides = ",".join(str(step) for step in steps)
    return (
        f"partition_view<tile=({shape}), tensor_view<{shape}x{tile.element}, strides=[{strides}]>>"
    )


def load_text(name: str, tile: Tile) -> str:
    """Loads `%name` from `%name_memory`."""
    if not tile.shape:
        return (
            f"%{name}, %{name}_read = load_ptr_tko weak %{name}_memory : "
            f"tile<ptr<{tile.element}>> -> {tile.type}, token\n"
        )
    index = ", ".join(["%zero_index"] * len(tile.shape))
    return view_of(name, f"%{name}_memory", tile) + (
        f"%{name}, %{name}_read = load_view_tko weak %{name}_view[{index}] : "
        f"{_view_type(tile)}, tile<i32> -> {tile.type}, token\n"
    )


def store_text(name: str, tile: Tile) -> str:
    """Stores `%name` to `%name_memory`."""
    if not tile.shape:
        return (
            f"%{name}_written = store_ptr_tko weak %{name}_memory, %{name} : "
            f"tile<ptr<{tile.element}>>, {tile.type} -> token\n"
        )
    index = ", ".join(["%zero_index"] * len(tile.shape))
    return view_of(name, f"%{name}_memory", tile) + (
        f"%{name}_written = store_view_tko weak %{name}, %{name}_view[{index}] : "
        f"{tile.type}, {_view_type(tile)}, tile<i32> -> token\n"
    )


def on_tiles(
    name: str,
    body: str,
    given: Mapping[str, Tile],
    wanted: Mapping[str, Tile],
    symbols: str = "",
) -> Case:
    """A case whose body makes the wanted tiles of the given ones, all by name."""
    loads = "".join(load_text(key, tile) for key, tile in given.items())
    stores = "".join(store_text(key, tile) for key, tile in wanted.items())
    arguments = {f"{key}_memory": tile for key, tile in given.items()}
    outputs = {f"{key}_memory": tile for key, tile in wanted.items()}
    blank = {key: _garbage(tile) for key, tile in outputs.items()}
    return Case(
        name,
        f"%zero_index = constant <i32: 0> : tile<i32>\n{loads}{body}\n{stores}",
        {**arguments, **blank},
        {**arguments, **outputs},
        symbols=symbols,
    )


def _garbage(tile: Tile) -> Tile:
    """Memory that surely is not what is wanted."""
    mask = (1 << width_of(tile.element)) - 1
    return Tile(
        tile.element, tile.shape, tuple(1 if bits is None else ~bits & mask for bits in tile.bits)
    )


def lowered(module: ModuleOp) -> ModuleOp:
    """The module at level 1; it is changed in place."""
    return apply(module, ConvertCudaTileToTileaaPass(compute_capability="sm_90"), check="never")


def run_case(case: Case, module: ModuleOp | str, **options: Any) -> dict[str, Any]:
    """Runs a case; returns its arguments afterwards."""
    arrays = case.arrays()
    tx.run(module, grid=case.grid, args=list(arrays.values()), **options, engine="interpreter")
    return arrays


def scheduled(module: ModuleOp) -> ModuleOp:
    """A module of level 1 at level 2; it is changed in place."""
    return apply(module, DischargeMemTokensPass(), ConvertTileaaToTileasPass(), check="never")


def check(case: Case) -> None:
    """Runs a case at all levels."""
    module = tx.load(case.text)
    before = run_case(case, module)
    for name, tile in case.wanted.items():
        tile.compare(before[name], f"%{name}")
    for level, lower in enumerate((lowered, scheduled), 1):
        after = run_case(case, lower(module))
        for name, array in before.items():
            if isinstance(array, np.ndarray):
                same = array.tobytes() == after[name].tobytes()
                assert same, f"level {level} leaves another %{name}"


def kind_of(name: str) -> str:
    """The name of a case without types, ranks, places and numbers."""
    return "-".join(part for part in name.split("-") if VARIANT.fullmatch(part) is None)


def parametrize(cases: Sequence[Case]) -> pytest.MarkDecorator:
    """A test for each case. One at least of each kind is for every run, the others are long."""
    kinds: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        kinds[kind_of(case.name)].append(case)
    kept = {
        case.name
        for first, same in enumerate(kinds.values())
        for number, case in enumerate(same)
        if (number - first) % min(len(same), SAMPLE) == 0
    }
    return pytest.mark.parametrize(
        "case",
        [
            pytest.param(case, id=case.name, marks=() if case.name in kept else pytest.mark.long)
            for case in cases
        ],
    )
