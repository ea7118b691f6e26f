"""
TMA, the tensor memory accelerator: what tensor maps, TMA tiles (boxes) and mbarriers can be.

Every number is written here once. The launcher encodes maps by them, kernels write maps
field by field, passes ask whether a copy can be, and the interpreter decodes maps and refuses what
the hardware refuses. The sources are the enumerations and the documentation of
`cuTensorMapEncodeTiled` in `cuda.h`, and `tensormap.replace`, `cp.async.bulk.tensor` and
`cp.reduce.async.bulk.tensor` of the PTX ISA; `tests/gpu/self_check_tma.py` asks an H200.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .hopper import SHARED

# Tensor maps

MAP_BYTES: Final = 128
"""Of a tensor map."""
MAP_ALIGNMENT: Final = 64
"""Of a tensor map in memory."""
MAX_RANK: Final = 5
ALIGNMENT: Final = 16
"""
Alignment in bytes of the address of a tensor, of its strides and of the rows of a TMA tile; also
the granularity of copies and swizzles.
"""
MAX_EXTENT: Final = 1 << 32
"""The largest size of a tensor along a dimension, in elements; the least is 1."""
STRIDE_LIMIT: Final = 1 << 40
"""Strides in bytes are less than that, and not negative."""
MAX_BOX: Final = 256
"""The largest size of a TMA tile along a dimension, in elements; the least is 1."""
MAX_ELEMENT_STRIDE: Final = 8
MAX_BOX_BYTES: Final = SHARED.opt_in
"""Size limit of a TMA tile: it lies in the shared memory of a CTA."""

SWIZZLES: Final = (0, 32, 64, 128)
"""Bytes per row within which 16-byte units are permuted, in the order of their map encoding."""
DESCRIPTOR_SWIZZLES: Final = (0, 128, 64, 32)
"""The same in the order of their encoding in the matrix descriptor of a WGMMA operand."""
INTERLEAVES: Final = (0, 16, 32)
"""Bytes of interleaved channels, in the order of their map encoding; only 0 is used."""
PROMOTIONS: Final = (0, 64, 128, 256)
"""L2 promotion: bytes that a miss brings into L2, in the order of the driver's encoding."""
FILLS: Final = ("zero", "nan")
"""What elements outside of a tensor read as, in the order of their map encoding."""


def size_words(sizes: Sequence[int], form: str = "{}") -> tuple[str, ...]:
    """Names of sizes in bytes in dialects and records, in that order: `none`, `32B` as `{}B`."""
    return tuple(form.format(size) if size else "none" for size in sizes)


EMPTY_SIZE: Final = 1
"""
The size along all dimensions in the map that stands for a tensor without elements, of which there
is no map: it is that of a zero, so that every load of it reads zeros. Stores must not use it.
"""
EMPTY_BYTES: Final = ALIGNMENT
"""Of the zeros."""

# Copies

COORDINATES: Final = (-(1 << 31), (1 << 31) - 1)
"""
The least and the greatest coordinate of a TMA tile. The innermost one, in bytes, is a multiple of
`ALIGNMENT`, also where it is outside of the tensor, and a tile that is stored, or reduced, has no
negative ones: else the instruction faults ("illegal instruction", seen on an H200).
"""
OUTSIDE: Final = COORDINATES[0]
"""A coordinate of TMA loads that is outside of every tensor."""
MAX_ADDRESSED_EXTENT: Final = COORDINATES[1]
"""
The largest size along a dimension such that a TMA tile can begin at every element; one that would
begin further away is outside. A map may have more.
"""
UNSWIZZLED_ALIGNMENT: Final = 128
"""Of a TMA tile in shared memory, in bytes, without a swizzle."""
SWIZZLE_ATOM_ROWS: Final = 8
"""Rows of a swizzle atom: the pattern repeats after them, and so does the tile's alignment."""

# Barriers in shared memory

MBARRIER_BYTES: Final = 8
MAX_MBARRIER_COUNT: Final = (1 << 20) - 1
"""Arrivals, and bytes of copies, that an mbarrier can count in a phase."""

# Element types


@dataclass(frozen=True)
class MapElement:
    """A type that elements have in a tensor map."""

    name: str
    """As PTX has it, without the dot: `u32`, `bf16`."""
    bytes: int
    driver: int
    """Its `CUtensorMapDataType`, which the launcher passes."""
    device: int
    """Its number in `tensormap.replace.elemtype`, which differs from float types on."""
    storage: str
    """The type of MLIR that elements have in memory; integers have no sign there."""
    reductions: frozenset[str] = frozenset()
    """What `cp.reduce.async.bulk.tensor` does with such elements."""

    @property
    def is_signed(self) -> bool:
        """Whether these are integers with a sign."""
        return self.name[0] == "s"

    @property
    def is_float(self) -> bool:
        """Whether these are floats, which can be filled with NaN."""
        return self.name[0] not in "us"


_BITS: Final = frozenset({"and", "or", "xor"})
_ORDER: Final = frozenset({"min", "max"})
_SUM: Final = frozenset({"add"})
_COUNT: Final = frozenset({"inc", "dec"})

MAP_ELEMENTS: Final = (
    MapElement("u8", 1, driver=0, device=0, storage="i8"),
    MapElement("u16", 2, driver=1, device=1, storage="i16"),
    MapElement("u32", 4, 2, 2, "i32", _SUM | _ORDER | _BITS | _COUNT),
    MapElement("s32", 4, 3, 3, "i32", _SUM | _ORDER | _BITS),
    MapElement("u64", 8, 4, 4, "i64", _SUM | _ORDER | _BITS),
    MapElement("s64", 8, 5, 5, "i64", _ORDER),
    MapElement("f16", 2, 6, 6, "f16", _SUM | _ORDER),
    MapElement("f32", 4, 7, 7, "f32", _SUM),
    MapElement("f64", 8, driver=8, device=9, storage="f64"),
    MapElement("bf16", 2, 9, 10, "bf16", _SUM | _ORDER),
    MapElement("f32.ftz", 4, driver=10, device=8, storage="f32"),
    MapElement("tf32", 4, driver=11, device=11, storage="tf32"),
    MapElement("tf32.ftz", 4, driver=12, device=12, storage="tf32"),
)

_BY_NAME: Final = {element.name: element for element in MAP_ELEMENTS}
_NAMES: Final = {
    **{"i8": "u8", "i16": "u16", "i32": "u32", "i64": "u64"},
    **{"ui8": "u8", "ui16": "u16", "ui32": "u32", "ui64": "u64"},
    **{"si32": "s32", "si64": "s64"},
    **{"f8E4M3FN": "u8", "f8E5M2": "u8"},
    **{name: name for name in ("f16", "bf16", "f32", "f64", "tf32")},
}
"""
The element of a map for each type of MLIR. Integers without a sign are unsigned: so are the
reductions that ask (`umax`, `umin`), and 64-bit integers are added only then.
"""


def find_map_element(ty: str) -> MapElement | None:
    """The map element for a type of MLIR; None if a tensor map cannot have it."""
    name = _NAMES.get(ty)
    return None if name is None else _BY_NAME[name]


def map_element(ty: str) -> MapElement:
    """The same for a type that is known to have one."""
    return _BY_NAME[_NAMES[ty]]


def by_name(name: str) -> MapElement | None:
    """The element of a name in PTX."""
    return _BY_NAME.get(name)


def by_device_number(number: int) -> MapElement | None:
    """The element of an encoding in `tensormap.replace.elemtype`."""
    return next((each for each in MAP_ELEMENTS if each.device == number), None)


TYPES: Final = tuple(_NAMES)
"""The types of MLIR that elements of a tensor map can have."""

# Encoding
#
# The first 64 of the 128 bytes of a map, in words of 64 bits; the others may be anything. Read off
# maps of `cuTensorMapEncodeTiled` that differ in one argument each (H200, driver 580.159,
# 2026-11-19); `tileiras` writes the same words for sm_90, sm_100 and sm_120.
#
# | word | bits | have |
# | --- | --- | --- |
# | 0 | all | the address |
# | 1 | 4-6; 7-10 | rank - 1; element as in `tensormap.replace`, of tf32 that of f32 |
# | 1 | 13-14; 15; 16; 17-18 | swizzle; NaN as fill; rounding to tf32; L2 promotion |
# | 1; 2; 2; 3 | 32-63; 0-31; 32-63; 0-31 | strides 1 to 4 in units of 16 bytes, the low 32 bits |
# | 3 | 32-47 | bits 32 to 35 of those, 4 for each |
# | 4, 5, 6 | 0-31, 32-63, … | sizes 0 to 4, less 1 |
# | 6 | 32-46; 56-63 | element strides 0 to 4, 3 bits for each, less 1; box size 0, less 1 |
# | 7 | 0-7, 8-15, … | box sizes 1 to 4, less 1 |

ENCODED_WORDS: Final = 8
"""Of 64 bits, which hardware reads."""
STRIDE_UNIT_BITS: Final = 4
_TF32: Final = {"tf32": "f32", "tf32.ftz": "f32.ftz"}


def encode_layout(element: MapElement, rank: int, swizzle: int, promotion: int) -> int:
    """The low half of word 1: what does not depend on a launch; fill is zero."""
    stored = _BY_NAME[_TF32.get(element.name, element.name)]
    return (
        (rank - 1) << 4
        | stored.device << 7
        | SWIZZLES.index(swizzle) << 13
        | (element.name in _TF32) << 16
        | PROMOTIONS.index(promotion) << 17
    )


def encode_box(box: Sequence[int], element_strides: Sequence[int]) -> tuple[int, int]:
    """The high half of word 6, in its place, and word 7."""
    gaps = sum(step - 1 << 3 * dim for dim, step in enumerate(element_strides))
    others = sum(size - 1 << 8 * dim for dim, size in enumerate(box[1:]))
    return gaps << 32 | box[0] - 1 << 56, others
