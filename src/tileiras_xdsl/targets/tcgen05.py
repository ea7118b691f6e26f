"""
`tcgen05`: what its MMAs multiply, the bits of their descriptors, and tensor memory.

An instruction computes `D[M, N] = A[M, K] * B[K, N] + D`. D is in tensor memory, B in shared
memory, A in either. A *kind* says what the operands are; an *instruction descriptor* of 32 bits has
their types and the shape, a *shared-memory descriptor* of 64 bits says where a matrix is and how
its rows are swizzled. Both are encoded and decoded here only: by verifiers, by the lowering, and by
the interpreter of threads.

    InstructionDescriptor("f16", 128, 128, "f16", "f16", "f32", trans_b=True).encode()   0x08210010

ptxas does not look into descriptors, so `why_not` is the only check that there is. Sources are
those of `target`; [T]: the number was read back from code that tileiras 13.4 wrote; [C]: CUTLASS
4.x demands it, where the PTX ISA allows more.

An SM has 128 lanes of tensor memory, of 512 columns of 32 bits. An address is `lane << 16 |
column`. Columns are allocated, all lanes of them; warp `w` of a warpgroup reaches lanes
`32 * (w % 4)` to `32 * (w % 4) + 31` [I].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final

from .machine import WARPGROUP_WARPS, Rates, RegisterFile, SharedMemory
from .warpgroups import MultiStageBuffer, Warpgroups, accumulator_registers

LANES: Final = 128
COLUMNS: Final = 512
COLUMN_BYTES: Final = 4
WARP_LANES: Final = 32
"""Lanes that a warp reaches."""
LANE_SHIFT: Final = 16
"""Where the lane of an address begins."""
LEAST_COLUMNS: Final = 32
"""Of an allocation, whose columns are a power of two."""


@dataclass(frozen=True)
class TensorMemory:
    """The tensor memory of an SM."""

    lanes: int = LANES
    columns: int = COLUMNS

    @property
    def bytes(self) -> int:
        return self.lanes * self.columns * COLUMN_BYTES

    def why_not_allocated(self, columns: int) -> str | None:
        """Why no allocation has this many columns; None if one does."""
        if LEAST_COLUMNS <= columns <= self.columns and columns & (columns - 1) == 0:
            return None
        return (
            f"columns of an allocation must be a power of two from {LEAST_COLUMNS} to "
            f"{self.columns}, but got {columns}"
        )


TENSOR_MEMORY: Final = TensorMemory()


@dataclass(frozen=True)
class AccessShape:
    """
    What `tcgen05.ld` and `tcgen05.st` of a shape move: of `num` repetitions, a thread holds
    `registers * num` registers. The formulas are Triton's, written out; 32x32b and 16x32bx2 were
    seen in code of tileiras, too.
    """

    name: str
    registers: int
    """For each repetition."""
    most: int
    """Repetitions, a power of two."""
    lanes: int
    """Of a warp, from the lane of the address on."""
    columns: int
    """For each repetition, from the column of the address on."""
    has_offset: bool = False
    """Whether the upper half of a warp is this many columns further on."""

    def why_not(self, num: int) -> str | None:
        """Why nothing moves this many repetitions; None if something does."""
        if 1 <= num <= self.most and num & (num - 1) == 0:
            return None
        return (
            f"num of shape {self.name} must be a power of two from 1 to {self.most}, but got {num}"
        )

    def place(self, register: int, thread: int, offset: int = 0) -> tuple[int, int]:
        """The lane, of those of its warp, and the column of a thread's register."""
        r, t = register, thread
        match self.name:
            case "32x32b":
                return t, r
            case "16x64b":
                return (t >> 2) + 8 * (t & 1), (t >> 1 & 1) + 2 * r
            case "16x128b":
                return (t >> 2) + 8 * (r & 1), (t & 3) + 4 * (r >> 1)
            case "16x256b":
                return (t >> 2) + 8 * (r >> 1 & 1), 2 * (t & 3) + (r & 1) + 8 * (r >> 2)
            case _:
                return t & 15, r + offset * (t >> 4)


ACCESS_SHAPES: Final[Mapping[str, AccessShape]] = {
    shape.name: shape
    for shape in (
        AccessShape("32x32b", 1, 128, 32, 1),
        AccessShape("16x64b", 1, 128, 16, 2),
        AccessShape("16x128b", 2, 64, 16, 4),
        AccessShape("16x256b", 4, 32, 16, 8),
        AccessShape("16x32bx2", 1, 128, 16, 1, has_offset=True),
    )
}
"""The shapes of accesses, by their names in PTX."""

CP_MULTICASTS: Final[Mapping[str, tuple[str, ...]]] = {
    "128x256b": ("none",),
    "4x256b": ("none",),
    "128x128b": ("none",),
    "64x128b": ("warpx2_02_13", "warpx2_01_23"),
    "32x128b": ("warpx4",),
}
"""The shapes of `tcgen05.cp`, and the warps whose lanes each may be repeated for."""


ADDRESS_MASK: Final = 0x3FFFF
"""The bits of an address that a descriptor has; higher ones are the CTA's rank in its cluster."""
UNIT: Final = 16
"""Bytes that addresses and offsets in descriptors count in."""
STEP_BYTES: Final = 32
"""What one instruction reads of a row along K."""

SMALL_FLOATS: Final = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")

TYPE_BITS: Final[Mapping[str, int]] = {
    **{"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "s8": 8, "u8": 8},
    **{"e4m3": 8, "e5m2": 8, "e2m3": 6, "e3m2": 6, "e2m1": 4, "ue8m0": 8, "ue4m3": 8},
}


@dataclass(frozen=True)
class MmaKind:
    """What MMAs of a kind multiply."""

    name: str
    """As in `kind::f16`."""
    operands: Mapping[str, int]
    """Types of A and B, and their numbers in instruction descriptors [I]."""
    results: tuple[str, ...]
    """Types of D, the usual one first."""
    k: int
    """K of one instruction: 32 bytes, of elements as they are in shared memory [I]."""
    mixes: bool = False
    """Whether A and B may have different types."""
    blocks: Mapping[int, tuple[str, ...]] | None = None
    """
    Of block-scaled products: how many elements along K share a scale factor, and the types that it
    may have then.
    """

    @property
    def is_scaled(self) -> bool:
        """Whether A and B have scale factors."""
        return self.blocks is not None

    @property
    def is_packed(self) -> bool:
        """
        Whether elements of less than 8 bits are next to each other in shared memory; otherwise each
        is in a byte of its own.
        """
        return self.name in ("mxf4", "mxf4nvf4")


_SMALL: Final[Mapping[str, int]] = dict(zip(SMALL_FLOATS, (0, 1, 3, 4, 5), strict=True))

KINDS: Final[Mapping[str, MmaKind]] = {
    kind.name: kind
    for kind in (
        MmaKind("f16", {"f16": 0, "bf16": 1}, ("f32", "f16"), 16),
        MmaKind("tf32", {"tf32": 2}, ("f32",), 8),
        MmaKind("f8f6f4", _SMALL, ("f32", "f16"), 32, mixes=True),
        MmaKind("i8", {"u8": 0, "s8": 1}, ("s32",), 32, mixes=True),
        MmaKind("mxf8f6f4", _SMALL, ("f32",), 32, mixes=True, blocks={32: ("ue8m0",)}),
        MmaKind("mxf4", {"e2m1": 1}, ("f32",), 64, blocks={32: ("ue8m0",)}),
        MmaKind("mxf4nvf4", {"e2m1": 1}, ("f32",), 64, blocks={32: ("ue8m0",), 16: ("ue4m3",)}),
    )
}
"""The kinds, by their names in PTX."""

RESULTS: Final = ("f16", "f32", "s32")
"""Types of D, in the order of their numbers [I]."""

LONG_K: Final = 96
"""K of packed kinds where `tcgen05.k96` exists, with M = 256 [I]."""


def kind_of(a: str, b: str) -> MmaKind | None:
    """The kind of products without scale factors of some types."""
    for kind in KINDS.values():
        if not kind.is_scaled and {a, b} <= kind.operands.keys() and (a == b or kind.mixes):
            return kind
    return None


def scaled_kind_of(a: str, b: str, scale: str, block: int) -> MmaKind | None:
    """
    The kind of products with scale factors of some types, one for this many elements along K; None
    if there is none whose elements fill the bytes that they have in shared memory.
    """
    for kind in KINDS.values():
        if kind.blocks is None or not {a, b} <= kind.operands.keys():
            continue
        fills = kind.is_packed or TYPE_BITS[a] == TYPE_BITS[b] == 8
        if fills and (a == b or kind.mixes) and scale in kind.blocks.get(block, ()):
            return kind
    return None


def why_not_shape(kind: MmaKind, cta_group: int, m: int, n: int) -> str | None:
    """
    Why there is no instruction of a shape; None if there is one.

    | | M | N |
    | --- | --- | --- |
    | cta_group::1 | 64, not of scaled kinds | a multiple of 8 up to 256, of i8 8, 24 or one of 16 |
    | cta_group::1 | 128 | a multiple of 16 up to 256 [C] |
    | cta_group::2 | 128, 256 | a multiple of 16 up to 256, of f8f6f4 and i8 one of 32 [C] |
    """
    if cta_group not in (1, 2):
        return f"cta_group must be 1 or 2, but got {cta_group}"
    rows = (128, 256) if cta_group == 2 else (128,) if kind.is_scaled else (64, 128)
    if m not in rows:
        wanted = " or ".join(map(str, rows))
        return f"M must be {wanted} for kind::{kind.name} with cta_group::{cta_group}, but got {m}"
    if cta_group == 2:
        step = 32 if kind.name in ("f8f6f4", "i8") else 16
    elif kind.name == "i8" and n not in (8, 24):
        step = 16
    else:
        step = 8 if m == 64 else 16
    if not step <= n <= 256 or n % step:
        return (
            f"N must be a multiple of {step} from {step} to 256 for kind::{kind.name} with "
            f"M = {m} and cta_group::{cta_group}, but got {n}"
        )
    return None


@dataclass(frozen=True)
class InstructionDescriptor:
    """
    The type and shape of an MMA, 32 bits [I].

    | bits | f16, tf32, f8f6f4, i8 | mxf8f6f4, mxf4, mxf4nvf4 |
    | --- | --- | --- |
    | 0-1, 2 | sparsity selector, sparse | 0, sparse |
    | 3 | saturate, of i8 | 0 |
    | 4-5 | type of D | which byte of a word has B's scale factors |
    | 7-9, 10-12 | types of A and B | types of A and B |
    | 13, 14 | negate A, B | negate A, B |
    | 15, 16 | A, B are MN-major | A, B are MN-major |
    | 17-22 | N / 8 | N / 8 |
    | 23 | 0 | type of scale factors: 1 for ue8m0 |
    | 24-28 | M / 16 | M / 16 |
    | 29-30 | 0 | which byte of a word has A's scale factors |
    | 31 | 0 | K = 96, of packed kinds |
    """

    kind: str
    m: int
    n: int
    a: str
    b: str
    d: str = "f32"
    trans_a: bool = False
    """A is stored with M innermost."""
    trans_b: bool = False
    """B is stored with N innermost."""
    negate_a: bool = False
    negate_b: bool = False
    saturate: bool = False
    """Sums of i8 stop at the ends of s32."""
    scale: str | None = None
    """The type of scale factors."""
    scale_a_id: int = 0
    scale_b_id: int = 0
    long_k: bool = False
    """K is 96 instead of 64."""

    @property
    def k(self) -> int:
        return LONG_K if self.long_k else KINDS[self.kind].k

    def why_not(self, cta_group: int) -> str | None:
        """Why there is no such instruction; None if there is one."""
        kind = KINDS.get(self.kind)
        if kind is None:
            return f"there is no kind::{self.kind}"
        for name, ty in (("A", self.a), ("B", self.b)):
            if ty not in kind.operands:
                words = ", ".join(kind.operands)
                return f"{name} of kind::{kind.name} must be one of {words}, but got {ty}"
        if self.a != self.b and not kind.mixes:
            return f"A and B of kind::{kind.name} must have one type, but got {self.a}, {self.b}"
        results = ("f32",) if self.a == "bf16" else kind.results
        if self.d not in results:
            words = " or ".join(results)
            return f"D of kind::{kind.name} of {self.a} must be {words}, but got {self.d}"
        if self.saturate and kind.name != "i8":
            return f"only sums of kind::i8 saturate, not of kind::{kind.name}"
        if kind.name == "i8" and (self.negate_a or self.negate_b):
            return "operands of kind::i8 cannot be negated"
        if kind.is_packed and (self.trans_a or self.trans_b):
            return f"operands of kind::{kind.name} must be K-major"
        if self.long_k and not (kind.is_packed and self.m == 256):
            return f"K = {LONG_K} is for kind::mxf4 and kind::mxf4nvf4 with M = 256"
        if self.trans_b and TYPE_BITS[self.b] < 16 and self.n % 16:
            return f"N must be a multiple of 16 if B of {self.b} is MN-major, but got {self.n}"
        return self._why_not_scale(kind) or why_not_shape(kind, cta_group, self.m, self.n)

    def _why_not_scale(self, kind: MmaKind) -> str | None:
        if kind.blocks is None:
            if self.scale is not None or self.scale_a_id or self.scale_b_id:
                return f"kind::{kind.name} has no scale factors"
            return None
        types = [ty for each in kind.blocks.values() for ty in each]
        if self.scale not in types:
            words = " or ".join(dict.fromkeys(types))
            return f"scale factors of kind::{kind.name} must be {words}, but got {self.scale}"
        # Scales of an instruction are the bytes of a word from `id` on.
        step = 1 if not kind.is_packed else 4 if self.scale == "ue4m3" else 2
        for ident in (self.scale_a_id, self.scale_b_id):
            if not 0 <= ident <= 3 or ident % step:
                words = " or ".join(map(str, range(0, 4, step)))
                return (
                    f"scale factors of kind::{kind.name} begin at byte {words} of a word, "
                    f"but got {ident}"
                )
        return None

    def encode(self) -> int:
        """The bits, as an unsigned number."""
        kind = KINDS[self.kind]
        bits = (
            kind.operands[self.a] << 7
            | kind.operands[self.b] << 10
            | self.negate_a << 13
            | self.negate_b << 14
            | self.trans_a << 15
            | self.trans_b << 16
            | self.n >> 3 << 17
            | self.m >> 4 << 24
        )
        if not kind.is_scaled:
            return bits | self.saturate << 3 | RESULTS.index(self.d) << 4
        return (
            bits
            | self.scale_b_id << 4
            | (self.scale == "ue8m0") << 23
            | self.scale_a_id << 29
            | self.long_k << 31
        )

    @staticmethod
    def decode(kind_name: str, bits: int) -> InstructionDescriptor:
        """What bits say; `ValueError` if they mean nothing."""
        kind = KINDS[kind_name]
        bits &= 0xFFFFFFFF
        names = {number: name for name, number in kind.operands.items()}
        a, b = names.get(bits >> 7 & 7), names.get(bits >> 10 & 7)
        if a is None or b is None:
            raise ValueError(
                f"instruction descriptor {bits:#010x} has types of A and B that kind::{kind_name} "
                "does not have"
            )
        if bits & 7:
            raise ValueError(f"instruction descriptor {bits:#010x} is one of a sparse product")
        result = bits >> 4 & 3
        if not kind.is_scaled and result >= len(RESULTS):
            raise ValueError(f"instruction descriptor {bits:#010x} has an unknown type of D")
        found = InstructionDescriptor(
            kind_name,
            m=(bits >> 24 & 31) << 4,
            n=(bits >> 17 & 63) << 3,
            a=a,
            b=b,
            d="f32" if kind.is_scaled else RESULTS[result],
            trans_a=bool(bits >> 15 & 1),
            trans_b=bool(bits >> 16 & 1),
            negate_a=bool(bits >> 13 & 1),
            negate_b=bool(bits >> 14 & 1),
            saturate=not kind.is_scaled and bool(bits >> 3 & 1),
            scale=None if not kind.is_scaled else "ue8m0" if bits >> 23 & 1 else "ue4m3",
            scale_a_id=bits >> 29 & 3 if kind.is_scaled else 0,
            scale_b_id=result if kind.is_scaled else 0,
            long_k=kind.is_scaled and bool(bits >> 31),
        )
        if found.encode() != bits:
            raise ValueError(
                f"instruction descriptor {bits:#010x} has bits that kind::{kind_name} reserves"
            )
        return found


SWIZZLES: Final[Mapping[str, int]] = {
    "none": 0,
    "128B_atom_32B": 1,
    "128B": 2,
    "64B": 4,
    "32B": 6,
}
"""
Swizzles of a matrix in shared memory, by their number in a descriptor [I]. They are those of TMA;
`128B_atom_32B` moves 32 bytes at a time, and is the only one for MN-major tf32.
"""
SWIZZLE_BYTES: Final = {"none": 16, "128B_atom_32B": 128, "128B": 128, "64B": 64, "32B": 32}
"""Bytes of a row of the pattern, which repeats after 8 rows."""


@dataclass(frozen=True)
class SharedDescriptor:
    """
    A matrix in shared memory, 64 bits [I]. As WGMMA's but for bits 46 and 61 to 63.

    | bits | field |
    | --- | --- |
    | 0-13 | address / 16 |
    | 16-29 | leading-dimension byte offset / 16 |
    | 32-45 | stride-dimension byte offset / 16 |
    | 46-48 | 1 |
    | 49-51 | base offset: 0 if the pattern of the swizzle begins on its boundary |
    | 52 | the leading-dimension offset is an address, of K = 96 |
    | 61-63 | swizzle |

    With a swizzle of 128 bytes and 16-bit elements [T]:

    | matrix | stored as | stride | leading | next K step |
    | --- | --- | --- | --- | --- |
    | K-major | rows of 128 bytes | 1024 | 16 (unused) | + 32 bytes |
    | MN-major | columns in chunks of 64, each K rows of 128 bytes | 1024 | K * 128 | + 2048 bytes |
    """

    address: int = 0
    leading: int = 16
    stride: int = 0
    swizzle: str = "128B"
    base_offset: int = 0
    is_leading_absolute: bool = False

    def why_not(self) -> str | None:
        """Why no descriptor says this; None if one does."""
        for name, value in (
            ("the address", self.address & ADDRESS_MASK),
            ("leading_byte_offset", self.leading),
            ("stride_byte_offset", self.stride),
        ):
            if not 0 <= value <= ADDRESS_MASK or value % UNIT:
                return f"{name} must be a multiple of 16 bytes below 262144, but got {value}"
        if self.swizzle not in SWIZZLES:
            return f"there is no swizzle '{self.swizzle}' (expected {', '.join(SWIZZLES)})"
        if not 0 <= self.base_offset <= 7:
            return f"the base offset must be from 0 to 7, but got {self.base_offset}"
        return None

    def encode(self) -> int:
        """The bits, as an unsigned number."""
        return (
            (self.address & ADDRESS_MASK) // UNIT
            | self.leading // UNIT << 16
            | self.stride // UNIT << 32
            | 1 << 46
            | self.base_offset << 49
            | self.is_leading_absolute << 52
            | SWIZZLES[self.swizzle] << 61
        )

    @staticmethod
    def decode(bits: int) -> SharedDescriptor:
        """What bits say; `ValueError` if they mean nothing."""
        bits &= (1 << 64) - 1
        if bits >> 46 & 7 != 1:
            raise ValueError(
                f"shared-memory descriptor {bits:#018x} has {bits >> 46 & 7} in bits 46-48, "
                "where those of tcgen05 have 1"
            )
        names = {number: name for name, number in SWIZZLES.items()}
        if bits >> 61 not in names:
            raise ValueError(f"shared-memory descriptor {bits:#018x} has an unknown swizzle")
        found = SharedDescriptor(
            address=(bits & 0x3FFF) * UNIT,
            leading=(bits >> 16 & 0x3FFF) * UNIT,
            stride=(bits >> 32 & 0x3FFF) * UNIT,
            swizzle=names[bits >> 61],
            base_offset=bits >> 49 & 7,
            is_leading_absolute=bool(bits >> 52 & 1),
        )
        if found.encode() != bits:
            raise ValueError(f"shared-memory descriptor {bits:#018x} has bits that are reserved")
        return found


# How fast `tcgen05` is: what passes and cost estimates ask before they choose shapes.
#
# Nobody here has run it. Every number says where it is from, and how far to trust it: [A] NVIDIA
# publishes it, or what it follows from; [B] others measured it, and agree; [C] it is computed from
# those; [G] a guess.

FULL_ROWS: Final = 128
"""Rows of D in one CTA that keep all of the data path busy; 64 take as long [A]."""


@dataclass(frozen=True)
class Tcgen05Rates:
    """Throughput of the tensor cores of an SM, per cycle."""

    multiply_adds: Mapping[str, int]
    """Multiply-adds by kind: what 148 SMs at 1.85 GHz need for the peaks in data sheets [A]."""
    long_k_multiply_adds: int | None = None
    """The same of 4-bit operands with K = 96, where that exists [B]."""
    exponentials: int = 16
    """Exponentials of all threads, which attention needs as many of as it has scores [A]."""

    def cycles(
        self, kind: str, m: int, n: int, k: int, cta_group: int = 1, *, long_k: bool = False
    ) -> float:
        """
        How long the tensor cores of an SM work on a product [C]. Half of a pair has half of M; if
        that is 64 rows, D fills all lanes, with half of the columns [G].
        """
        rows = m / cta_group if cta_group == 2 else max(m, FULL_ROWS)
        rate = self.multiply_adds[kind]
        if long_k and self.long_k_multiply_adds is not None:
            rate = self.long_k_multiply_adds
        return rows * n * k / rate

    def operand_bytes(
        self, kind: str, m: int, n: int, k: int, cta_group: int = 1, *, a_is_shared: bool = True
    ) -> float:
        """
        Bytes of shared memory that an SM reads for a product [C]: its rows of A, and of B what it
        has itself, half of it in a pair. Each instruction reads 32 bytes of each row.
        """
        steps = k / KINDS[kind].k
        rows = (m / cta_group if a_is_shared else 0) + n / cta_group
        return rows * STEP_BYTES * steps


def rates(names: tuple[str, ...], *, long_k: bool = False, exponentials: int = 16) -> Tcgen05Rates:
    """Rates of an architecture that has these kinds. All read 32 bytes of K in the same time."""
    base = {"tf32": 2048, "f16": 4096, "f8f6f4": 8192, "i8": 8192, "mxf8f6f4": 8192}
    base |= {"mxf4": 16384, "mxf4nvf4": 16384}
    return Tcgen05Rates(
        {name: base[name] for name in names}, 24576 if long_k else None, exponentials=exponentials
    )


# `tcgen05`: the scheduling model of kernels whose accumulators are in tensor memory.
#
# Multi-stage buffers are filled and chosen as those of WGMMA (`warpgroups`). What differs is where
# accumulators are: in tensor memory, from where consumer warps read one at a time into registers,
# so registers limit the largest accumulator, not their sum, and columns limit the sum. Nothing
# here was measured: the numbers follow from the sizes of the hardware, or are those of an H200, as
# said.

INSTRUCTION_ROWS: Final = 128
"""Rows of tensor memory, and M of the MMAs that use all of it [I]."""
COLUMN_STEP: Final = 16
"""N of an MMA is a multiple of it."""
MOST_COLUMNS: Final = 256
"""N of an MMA."""
SLICE_REGISTERS: Final = 64
"""
Of an accumulator, in a thread that stores it by itself: with addresses and masks beside them, 128
do not fit in the 168 registers of nine warps.
"""
PAIR_CTAS: Final = 2
"""CTAs of `cta_group::2` [I]."""
PAIR_COLUMN_STEP: Final = 32
"""N of an MMA of a pair is a multiple of it, for all kinds; CTAs have half of B's columns each."""
ALLOCATED_COLUMNS: Final = (32, 64, 128, 256, 512)
"""What `tcgen05.alloc` gives out [I]."""


def accumulator_columns(shape: Sequence[int]) -> int:
    """Columns of tensor memory for 32-bit accumulators of a shape, each with all its rows."""
    *batches, rows, columns = shape
    return prod(batches) * max(1, rows // INSTRUCTION_ROWS) * columns


@dataclass(frozen=True)
class TensorMemoryWarpgroups(Warpgroups):
    """The scheduling model of kernels with `tcgen05`."""

    columns: int = ALLOCATED_COLUMNS[-1]
    """Columns of tensor memory of an SM."""
    pair_ctas: int = field(default=PAIR_CTAS, kw_only=True)
    row_overhead_registers: int = 40
    """Registers of a thread beside a row of an accumulator: so attention does not spill [P]."""
    pipelined_overhead_registers: int = 64
    """The same if loops are software-pipelined."""

    def why_not_two_ctas(
        self,
        warps: int,
        row_registers: int,
        buffers: Sequence[MultiStageBuffer],
        reserved: int,
    ) -> str | None:
        """
        Why there cannot be two CTAs per SM with this many consumer warps, of which threads hold
        rows of this many registers, and a producer warp; None if there can.
        """
        needed = row_registers + self.row_overhead_registers
        limit = self.registers.cap(2 * (warps + 1))
        if needed > limit:
            return f"threads need about {needed} registers and would have {limit}"
        if self.choose_stages(buffers, reserved, 2) is None:
            return "a stage of each multi-stage buffer does not fit in half of the shared memory"
        return None

    def registers_of_two_ctas(self, warps: int, row_registers: int) -> tuple[int, int] | None:
        """
        Registers of producer and consumer threads of two CTAs per SM whose loops are
        software-pipelined: a warpgroup loads and issues MMAs, and leaves to this many consumer
        warps what it does not need. None if rows of this many registers fit without that.
        """
        needed = row_registers + self.pipelined_overhead_registers
        if needed <= self.registers.cap(2 * (warps + 2)) or warps % WARPGROUP_WARPS:
            return None
        all_warps = warps + WARPGROUP_WARPS
        total = self.registers.cap(2 * all_warps) * all_warps
        left = (total - self.producer_registers * WARPGROUP_WARPS) // warps
        return self.producer_registers, left // self.registers.step * self.registers.step

    def default_occupancy(self, warps: int) -> int:
        """One: a warp of its own issues MMAs while the others compute."""
        return 1

    def choose_num_warpgroups(
        self,
        live: Sequence[Sequence[Sequence[int]]],
        words: int = 0,
        operand_words: int | None = None,
    ) -> int | None:
        """
        The number of consumer warpgroups, given the shapes of accumulators that are live together:
        one for each 128 rows, and twice as many if a thread could not hold its part of a row. None
        if accumulators do not fit in tensor memory, or one of them never does in registers.
        """
        if any(sum(map(accumulator_columns, each)) > self.columns for each in live):
            return None
        shapes = [shape for each in live for shape in each]
        rows = max((shape[-2] for shape in shapes), default=INSTRUCTION_ROWS)
        num_warpgroups = max(1, rows // INSTRUCTION_ROWS)
        while num_warpgroups <= self.max_warpgroups:
            limit = (
                self.max_accumulator_registers
                if num_warpgroups > 1
                else self.max_single_warpgroup_accumulator_registers
            )
            if all(accumulator_registers(each, num_warpgroups) <= limit for each in shapes):
                return num_warpgroups
            num_warpgroups *= 2
        return None

    def reallocates_registers(
        self, warps: int, needed: int, occupancy: int = 1, *, alternates: bool = False
    ) -> bool:
        """
        As with WGMMA, unless consumer warps have as many registers without that, beside a producer
        warp and one that issues MMAs.
        """
        cap = self.registers.cap(warps + 2)
        if cap >= self.consumer_registers or warps % WARPGROUP_WARPS:
            return False
        return occupancy == 1 and needed + self.overhead_registers > cap


def tensor_memory_warpgroups(
    shared: SharedMemory, registers: RegisterFile, rates: Rates
) -> TensorMemoryWarpgroups:
    """
    The model of an architecture:

    - consumer_registers, producer_registers: the most that consumer threads have, and what those of
      a producer warpgroup keep (with 24, producers of grouped products spill), which leaves 224 to
      two consumer warpgroups;
    - max_accumulator_registers, max_single_warpgroup_accumulator_registers: half of what a thread
      has, as it holds what it computes of an accumulator beside it (128x128 by one warpgroup,
      128x256 by two);
    - load_cycles: as on an H200, whose memory is as far away;
    - min_stages, max_stages: as many buffer stages as fit, whatever loops take, as CUTLASS has them
      (`StageCountAuto`).
    """
    return TensorMemoryWarpgroups(
        shared=shared,
        registers=registers,
        rates=rates,
        max_warpgroups=2,
        consumer_registers=232,
        producer_registers=48,
        overhead_registers=32,
        max_accumulator_registers=128,
        high_pressure_accumulator_registers=128,
        max_single_warpgroup_accumulator_registers=128,
        interleaved_warpgroups=2,
        load_cycles=1600,
        min_stages=12,
        max_stages=12,
        enough_stages=3,
        cluster_ctas=2,
    )
