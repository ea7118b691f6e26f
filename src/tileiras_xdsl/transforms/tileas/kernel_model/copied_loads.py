"""
Operands of WGMMA that threads of producer warps copy to shared memory by `cp.async`, because TMA
cannot load them: rows that are gathered, any other tile that goes through pointers, or tiles of a
tensor whose rows are not multiples of 16 bytes.

    %p = nv_tileaa.addptr %base, %rows_and_columns : tensor<128x64x!llvm.ptr<1>>, …
    %a = nv_tileas.load %p mask(%m : …) other(%zero : …) {atom = #nv_tileas.atom<ldgsts>} : …
    %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>} : …

Each thread copies chunks of 4, 8 or 16 bytes to where WGMMA reads them, swizzled as TMA tiles are;
where only elements of 2 bytes are aligned, it loads these, and stores chunks of 4 bytes.
Addresses and masks are tiles of producer threads, which compute them for themselves: the slice of
the load is repeated in a layout of the producer warps (`schedule/producer_tiles.py`).
"""

from __future__ import annotations

from math import prod
from typing import Final, TypeGuard

from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Operation

from tileiras_xdsl.analysis.axis_info_analysis import (
    AxisInfoAnalysis,
    TileAxisInfo,
    max_vector_width,
)
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import coalesced
from tileiras_xdsl.analysis.memory_order import what_holds
from tileiras_xdsl.analysis.slices import backward_slice
from tileiras_xdsl.analysis.tma_tiles import swizzled_layout
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import is_positive_zero
from tileiras_xdsl.dialects.nv_tileaa.views import TileLoad
from tileiras_xdsl.dialects.nv_tileas.atoms import (
    CHUNK_BYTES,
    CopiedLoad,
    get_copied_bytes,
    is_copied,
)
from tileiras_xdsl.dialects.nv_tileas.decisions import COPY_ATOM, get_pipeline_id, get_vector
from tileiras_xdsl.dialects.nv_tileas.memory import LoadOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.types import AtomAttr
from tileiras_xdsl.targets.machine import WARP_THREADS, WARPGROUP_WARPS, WORD_BITS

from .layout_rules import is_root
from .slicing import NotScalar, Slice

ZERO_PADDING: Final = "zero"
STORED_BITS: Final = 16
"""Of elements that threads load one by one, at least."""
ROWS_AND_COLUMNS: Final = 2
"""Dimensions of a tile that is rows of a tensor, without those of extent 1."""
COPYING_WARPS: Final = WARPGROUP_WARPS
"""Producer warps that copy: registers are reallocated by warpgroups."""


def is_by_tma(op: object) -> TypeGuard[TiledLoadOp]:
    """Whether a load of a view is not copied by producer threads: they do it by TMA, if at all."""
    return isinstance(op, TiledLoadOp) and not is_copied(op)


def mark_copied(op: CopiedLoad) -> None:
    """Lets producer threads copy what a load reads."""
    op.properties["atom"] = AtomAttr(COPY_ATOM)


def unmark_copied(op: CopiedLoad) -> None:
    """Forgets that producer threads copy what a load reads."""
    if is_copied(op):
        del op.properties["atom"]


def why_not_copied(op: CopiedLoad, axis_info: AxisInfoAnalysis) -> str | None:
    """Why producer threads cannot copy what a load reads; None if they can."""
    dim = find_contiguous(op, axis_info)
    if isinstance(dim, str):
        return dim
    if not is_plain_load(op) or op.token is not None or op.result_token is not None:
        return "it is ordered with other accesses"
    if (holder := what_holds(op)) is not None:
        return f"'{holder.name}' may have to come before it"
    if not pads_with_zero(op):
        return "copies pad with zeros"
    try:
        Slice(tiles=True).add(op)
    except NotScalar as reason:
        return f"its address {reason}"
    return None


def held_registers(op: LoadOp, axis_info: AxisInfoAnalysis) -> int:
    """
    The registers of a producer thread for what addresses and masks of a load have in common in all
    iterations of its loop. What is the same for all rows is small.
    """
    block, contiguous = op.parent_block(), find_contiguous(op, axis_info)
    roots = [op.pointer] if op.mask is None else [op.pointer, op.mask]
    inside = backward_slice(roots, lambda each: each.parent_block() is block)
    values = {*roots, *(value for each in inside for value in each.operands)}
    words = 0
    for value in values:
        owner, ty = value.owner, value.type
        if not isinstance(ty, TensorType) or not isinstance(owner, Operation) or is_root(owner):
            continue
        constancy, shape = axis_info[value].constancy, get_shape(ty)
        is_one_row = all(
            constancy[dim] >= extent for dim, extent in enumerate(shape) if dim != contiguous
        )
        if owner.parent_block() is not block and not is_one_row:
            element = get_element(ty)
            is_word = isinstance(element, IntegerType) and element.bitwidth <= WORD_BITS
            words += 1 if is_word else 2
    return words * copied_bytes(op) // (CHUNK_BYTES[-1] * WARP_THREADS * COPYING_WARPS)


def pads_with_zero(op: CopiedLoad) -> bool:
    """Whether a load yields zeros, or anything, for what it does not read."""
    if isinstance(op, LoadOp):
        return op.mask is None or op.other is None or is_positive_zero(op.other)
    padding = op.view_type.get_padding() if op.padding_value is None else op.padding_value.data
    return padding in (None, ZERO_PADDING)


def find_contiguous(op: CopiedLoad, axis_info: AxisInfoAnalysis) -> int | str:
    """The dimension along which chunks of a tile are contiguous, or why there is none."""
    ty = op.result.type
    if not isinstance(ty, TensorType):
        return "it loads no tile"
    bits, shape = memory_bits(get_element(ty)), get_shape(ty)
    if bits % 8:
        return f"elements of type {get_element(ty)} do not fill bytes"
    if isinstance(op, LoadOp):
        pointer = axis_info[op.pointer]
        mask = None if op.mask is None else axis_info[op.mask]
        widths = [max_vector_width(pointer, mask, dim, bits // 8) for dim in range(len(shape))]
    else:
        tile = TileAxisInfo.of(op.view, op.indices, axis_info, op.get_in_bounds())
        widths = [copied_width(op, tile, dim) for dim in range(len(shape))]
    widest = max(range(len(shape)), key=lambda dim: (widths[dim], dim))
    chunk = min(widths[widest] * bits // 8, CHUNK_BYTES[-1])
    if chunk < CHUNK_BYTES[0]:
        dim = find_stored(op, axis_info)
        if dim is None:
            return f"chunks of {CHUNK_BYTES[0]} bytes are not known to be contiguous and aligned"
        widest, chunk = dim, CHUNK_BYTES[0]
    threads = WARP_THREADS * COPYING_WARPS
    if prod(shape) * bits // 8 < chunk * threads:
        return f"it has fewer chunks than {threads} threads"
    return widest


def find_stored(op: CopiedLoad, axis_info: AxisInfoAnalysis) -> int | None:
    """
    The contiguous dimension of rows of a view whose chunks are not known to be aligned: threads
    load what is, and store whole chunks. `None` if there is none.
    """
    if not isinstance(op, TiledLoadOp) or memory_bits(get_element(op.result.type)) < STORED_BITS:
        return None
    tile = TileAxisInfo.of(op.view, op.indices, axis_info, op.get_in_bounds())
    dims = [dim for dim in range(len(get_shape(op.result.type))) if tile.extent(dim) > 1]
    if len(dims) != ROWS_AND_COLUMNS:
        return None
    return next((dim for dim in dims if tile.stride(dim).value == 1), None)


def copied_width(op: TileLoad, tile: TileAxisInfo, dim: int) -> int:
    """
    How many elements along a dimension of a view one copy may have. The last of them may be out of
    bounds if the tile is rows of a tensor: copies say how many bytes they read.
    """
    others = [each for each in range(len(get_shape(op.result.type))) if tile.extent(each) > 1]
    if op.SPARSE or len(others) != ROWS_AND_COLUMNS:
        return tile.vector_width(dim)
    return tile.aligned_width(dim)


def copied_bytes(op: CopiedLoad) -> int:
    """The bytes of a tile that is copied."""
    return prod(get_shape(op.result.type)) * memory_bits(get_element(op.result.type)) // 8


def shared_layout(op: CopiedLoad, dim: int) -> LinearLayout:
    """The layout in shared memory of a tile that is copied, contiguous along a dimension."""
    shape, size = get_shape(op.result.type), memory_bits(get_element(op.result.type)) // 8
    others = (each for each in reversed(range(len(shape))) if each != dim)
    return swizzled_layout(shape, (dim, *others), size)


def get_contiguous(op: CopiedLoad) -> int:
    """The dimension along which chunks are contiguous, of a load whose vectors are known."""
    vector = get_vector(op)
    assert vector is not None
    return vector.dim


def get_chunk_bytes(op: CopiedLoad) -> int:
    """What a thread writes at a time, of a load whose vectors are known."""
    return max(get_copied_bytes(op), CHUNK_BYTES[0])


def copying_layout(op: CopiedLoad) -> LinearLayout:
    """
    Which thread of the producer warps copies what: lanes have consecutive chunks, which are
    coalesced in global memory, and in different banks of shared memory.
    """
    size = memory_bits(get_element(op.result.type)) // 8
    chunk = get_chunk_bytes(op) // size
    return coalesced(get_shape(op.result.type), COPYING_WARPS, chunk, get_contiguous(op))


def find_copied_ops(root: Operation) -> set[Operation]:
    """
    What is done for loads of producer threads only, these loads included: consumer warps neither
    have registers for it nor exchange it.
    """
    found: set[Operation] = set()
    pending: list[Operation] = [
        op for op in root.walk() if is_copied(op) and get_pipeline_id(op) is not None
    ]
    loads = set(pending)
    while pending:
        op = pending.pop()
        if op in found:
            continue
        if op not in loads and not _is_only_for(op, found):
            continue
        found.add(op)
        for value in op.operands:
            if isinstance(value.type, TensorType) and isinstance(value.owner, Operation):
                pending.append(value.owner)
    return found


def _is_only_for(op: Operation, users: set[Operation]) -> bool:
    return all(use.operation in users for result in op.results for use in result.uses)
