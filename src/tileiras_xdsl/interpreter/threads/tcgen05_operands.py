"""
Operands of `tcgen05.mma` and `tcgen05.cp`: from the bytes of shared or tensor memory to numbers.

A descriptor says where 16-byte chunks of a matrix are, in the canonical layouts of the PTX ISA.
With `w` the bytes of a row of the swizzle, byte b of row r along K, or of row k along M or N, is at

| matrix | K-major | MN-major |
| --- | --- | --- |
| plain | r / 8 * stride + b / 16 * leading + r % 8 * 16 | b / 16 * stride + k / 8 * leading + … |
| swizzled | r / 8 * stride + r % 8 * w + b | b / w * leading + b % w + k / 8 * stride + k % 8 * w |

Then the bits of the address from bit 7 on flip those from bit 4 on. `128B_atom_32B` has patterns of
four K rows, and moves 32 bytes at a time. All bytes are looked up like this, so that a wrong stride
gives wrong numbers.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import ml_dtypes
import numpy as np

from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.values import Array, Bytes, Integers
from tileiras_xdsl.targets.tcgen05 import (
    STEP_BYTES,
    SWIZZLE_BYTES,
    TYPE_BITS,
    SharedDescriptor,
)

from .cluster import CTA_SPAN
from .state import CtaThreads
from .tensor_maps import CHUNK

FORMATS: Final[dict[str, Any]] = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
    "ue8m0": ml_dtypes.float8_e8m0fnu,
}
"""Types of at most 8 bits."""


@cache
def values_of(name: str) -> Array:
    """What the bits of a type of at most 8 bits stand for, as float32."""
    if name == "ue4m3":
        return np.tile(values_of("e4m3")[:128], 2)
    bits = np.arange(1 << TYPE_BITS[name], dtype=np.uint8)
    return bits.view(FORMATS[name]).astype(np.float32)


def numbers_of(chunks: Bytes, name: str, *, is_packed: bool) -> Array:
    """
    The elements of chunks of 16 bytes, in the last dimension. Types of 4 or 6 bits are packed
    densely, or they are 16 in the lower bits of each chunk, whose rest is padding.
    """
    chunks = np.ascontiguousarray(chunks)
    match name:
        case "f16":
            return chunks.view(np.float16).astype(np.float32)
        case "bf16":
            return (chunks.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)
        case "tf32":
            # The hardware looks at 19 bits only.
            return (chunks.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
        case "s8":
            return chunks.view(np.int8)
        case "u8":
            return chunks
        case _:
            pass
    bits = TYPE_BITS[name]
    if bits == 8:
        return values_of(name)[chunks]
    if bits == 4:
        data = chunks if is_packed else chunks[..., : CHUNK // 2]
        return values_of(name)[np.stack((data & 15, data >> 4), axis=-1)].reshape(
            *chunks.shape[:-1], -1
        )
    # Sixteen elements of 6 bits are 12 bytes: four are three bytes.
    triples = chunks[..., :12].reshape(*chunks.shape[:-1], 4, 3).astype(np.uint32)
    whole = triples[..., 0] | triples[..., 1] << 8 | triples[..., 2] << 16
    fields = whole[..., None] >> np.arange(0, 24, 6, dtype=np.uint32) & 63
    return values_of(name)[fields].reshape(*chunks.shape[:-1], 16)


def element_bytes(name: str, *, is_packed: bool) -> float:
    """Bytes of an element in shared memory."""
    return 0.5 if is_packed else max(8, TYPE_BITS[name]) / 8


# Shared memory


def decode_descriptor(bits: int, what: str, *, by_k: bool = True) -> SharedDescriptor:
    """
    What a descriptor says; raises if it is none, or its pattern does not begin at its boundary.
    `by_k`: rows are those of K-major matrices, of which an instruction reads 32 bytes.
    """
    try:
        found = SharedDescriptor.decode(bits)
    except ValueError as error:
        raise ExecutionError(f"{what}: {error}") from error
    if found.base_offset or found.is_leading_absolute:
        raise ExecutionError(f"{what}: a descriptor with a base offset cannot be run on the CPU")
    rows = {"128B": 8, "128B_atom_32B": 4, "64B": 4, "32B": 2, "none": 1}[found.swizzle]
    if found.address >> 7 & rows - 1:
        raise ExecutionError(
            f"{what}: the descriptor's address {found.address:#x} is not aligned to the "
            f"{rows * 128} bytes of the pattern of swizzle {found.swizzle}"
        )
    width = SWIZZLE_BYTES[found.swizzle]
    if by_k and found.swizzle != "none" and found.address % width + STEP_BYTES > width:
        raise ExecutionError(
            f"{what}: 32 bytes from address {found.address:#x} are not in one row of {width} bytes "
            f"of swizzle {found.swizzle}"
        )
    return found


@cache
def k_major_places(rows: int, row_bytes: int, leading: int, stride: int, swizzle: str) -> Integers:
    """Where chunks of rows are, by row and along K, counted from the address."""
    row, byte = np.arange(rows)[:, None], np.arange(0, row_bytes, CHUNK)[None]
    if swizzle == "none":
        return row // 8 * stride + byte // CHUNK * leading + row % 8 * CHUNK
    return row // 8 * stride + row % 8 * SWIZZLE_BYTES[swizzle] + byte


@cache
def mn_major_places(k: int, along: int, leading: int, stride: int, swizzle: str) -> Integers:
    """Where chunks of K rows are, by row and along M or N, of so many bytes."""
    row, byte = np.arange(k)[:, None], np.arange(0, along, CHUNK)[None]
    if swizzle == "none":
        return byte // CHUNK * stride + row // 8 * leading + row % 8 * CHUNK
    width, rows = SWIZZLE_BYTES[swizzle], 4 if swizzle == "128B_atom_32B" else 8
    return byte // width * leading + byte % width + row // rows * stride + row % rows * width


def flipped(addresses: Integers, swizzle: str) -> Integers:
    """Where chunks at addresses are, in a swizzle."""
    if swizzle == "none":
        return addresses
    if swizzle == "128B_atom_32B":
        return addresses ^ (addresses >> 2 & 0x60)
    return addresses ^ (addresses >> 3 & (SWIZZLE_BYTES[swizzle] - 1) & ~(CHUNK - 1))


def chunk_offsets(
    cta: CtaThreads, matrix: SharedDescriptor, places: Integers, what: str
) -> Integers:
    """Offsets in the shared memory of a CTA of the chunks of a matrix, which must be inside."""
    # A descriptor has no room for the rank of the CTA.
    offsets = flipped(matrix.address + places, matrix.swizzle) - cta.shared.base % CTA_SPAN
    low, high = int(offsets.min()), int(offsets.max()) + CHUNK
    if low < 0 or high > len(cta.shared.data):
        raise ExecutionError(
            f"{what}: reads bytes {low} to {high} of {cta.shared.name}, which has "
            f"{len(cta.shared.data)} bytes"
        )
    return offsets


def chunks_at(cta: CtaThreads, offsets: Integers) -> Bytes:
    """The chunks of shared memory at offsets, with their bytes last."""
    found = cta.shared.units(8).reshape(-1, 2)[offsets // CHUNK]
    return found.view(np.uint8)
