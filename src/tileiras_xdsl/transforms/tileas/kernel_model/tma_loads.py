"""
Loads that producer warps can do by TMA, and how their tiles reach a dot, as those do that threads
of producer warps copy (`copied_loads`).

    %a = nv_tileas.tiled_load %v[%i, %k]       a tile, in the layout of its TMA tiles
    %t = nv_tileaa.permute %a [1, 0]           reshapes, which only change how it is read
    %d = nv_tileas.dot %t, …

TMA needs a tensor map: `can_map` says which tensors can have one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeGuard

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FloatTF32Type,
    TensorType,
    f32,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.traits import Pure

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import SharedOperand
from tileiras_xdsl.analysis.memory_order import what_holds
from tileiras_xdsl.analysis.slices import operands_of, reachable
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.analysis.tma_tiles import why_not_copied as why_no_tma
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    AssumeOp,
    ExpandDimsOperation,
    PermuteOp,
    ViewOperation,
)
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.atoms import StagedLoad, is_copied
from tileiras_xdsl.dialects.nv_tileas.decisions import HALVED, K_PERMUTATION
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nv_tileas.types import allows_tma
from tileiras_xdsl.dialects.nvgpu.types import HostMap, LaunchNumber
from tileiras_xdsl.dialects.nvvm.fragments import element_bits
from tileiras_xdsl.targets.tma import (
    MAX_RANK,
    find_map_element,
)

from .copied_loads import find_contiguous, is_by_tma, shared_layout, why_not_copied
from .layout_rules import memory_type, result_layout
from .slicing import NotScalar, Slice


def find_memref(view: SSAValue) -> MakeMemrefOp | None:
    """The op that defines the tensor of a view."""
    while True:
        match view.owner:
            case MakeMemrefOp() as op:
                return op
            case BlockTileOp() as op:
                view = op.memref
            case AssumeOp() as op:
                view = op.value
            case _:
                return None


def can_map(view: SSAValue) -> bool:
    """
    Whether the tensor of a view can have a tensor map: it is defined in the kernel's entry block,
    by parameters, constants and arithmetic on such, and TMA supports its rank and elements.
    Alignment and strides are not checked.
    """
    op = find_memref(view)
    if op is None or not is_at_start(op) or not _is_supported(op):
        return False

    def is_scalar(value: SSAValue) -> bool:
        if isinstance(value.type, TensorType):
            return False
        if isinstance(owner := value.owner, Block):
            return owner is op.parent
        return owner.parent is op.parent and not owner.regions and owner.has_trait(Pure)

    return all(map(is_scalar, reachable(op.operands, operands_of)))


def can_rebuild_map(view: SSAValue) -> bool:
    """
    Whether the tensor of a view can have a tensor map that is built inside of a loop or branch,
    where the tensor is defined.
    """
    op = find_memref(view)
    return op is not None and not is_at_start(op) and _is_supported(op)


def _is_supported(op: MakeMemrefOp) -> bool:
    """Whether TMA supports the rank and elements of a tensor."""
    ty = op.result.type
    assert isinstance(ty, MemRefType)
    if not 1 <= len(ty.shape.data) <= MAX_RANK:
        return False
    return find_map_element(str(stored_element(ty.element_type))) is not None


def map_dims(view: SSAValue) -> tuple[int, ...]:
    """
    The dimensions of the tensor of a view in the order of its map and of the coordinates of
    copies: innermost first, which is the one whose stride is known to be 1 if that is not the
    last.
    """
    ty = view.type.memref if isinstance(view.type, TiledViewType) else view.type
    assert isinstance(ty, MemRefType)
    strides = ty.strides.data
    dims = list(reversed(range(len(strides))))
    inner = next((dim for dim in dims if strides[dim] == 1), dims[0])
    dims.remove(inner)
    return (inner, *dims)


def is_at_start(op: MakeMemrefOp) -> bool:
    """Whether a tensor is defined in the entry block of a kernel, in no loop or branch."""
    return op.parent is not None and is_first_block(op.parent)


def is_first_block(block: Block) -> bool:
    """Whether a block is the entry block of a kernel."""
    function = block.parent_op()
    return isinstance(function, FuncOp) and function.body.blocks.first is block


def stored_element(element: Attribute) -> Attribute:
    """The element type in a map: a copy changes no bits of tf32."""
    return f32 if isinstance(element, FloatTF32Type) else element


@dataclass(frozen=True)
class MapKey:
    """The identity of a tensor map: equal keys share a map."""

    memref: SSAValue
    box: tuple[int, ...]
    """By dimension of the tensor, outermost first; with the elements that are not copied."""
    swizzle: int
    element: Attribute
    """The type that elements are copied as."""
    element_strides: tuple[int, ...] = ()
    """Every how many elements are copied, by dimension of the tensor; all of them if empty."""

    def strides_in(self, dims: Sequence[int]) -> tuple[int, ...]:
        """The element strides of dimensions in some order."""
        return tuple(map(self.element_strides.__getitem__, dims)) if self.element_strides else ()


def find_host_map(
    op: MakeMemrefOp, key: MapKey, axis_info: Callable[[], AxisInfoAnalysis]
) -> HostMap | None:
    """How a launcher makes a map, if it can; axis info is computed only if sizes are dynamic."""
    if op.offset is not None:
        return None
    ty = op.result.type
    assert isinstance(ty, MemRefType)
    base = _strip_assumptions(op.base)
    if not _is_parameter(base):
        return None
    width = element_bits(memory_type(ty.element_type)) // 8
    dynamic = iter((*op.sizes, *op.strides))
    sizes = [_launch_number(axis_info, each, dynamic, 1) for each in ty.shape.data]
    strides = [_launch_number(axis_info, each, dynamic, width) for each in ty.strides.data]
    dims = map_dims(op.result)
    known_sizes = [number for dim in dims if (number := sizes[dim]) is not None]
    known_strides = [number for dim in dims[1:] if (number := strides[dim]) is not None]
    if len(known_sizes) < len(dims) or len(known_strides) < len(dims) - 1:
        return None
    return HostMap(
        key.element,
        base.index,
        tuple(known_sizes),
        tuple(known_strides),
        tuple(key.box[dim] for dim in dims),
        key.swizzle,
        key.strides_in(dims),
    )


def _launch_number(
    axis_info: Callable[[], AxisInfoAnalysis],
    known: int | None,
    dynamic: Iterator[SSAValue],
    scale: int,
) -> LaunchNumber | None:
    """A size or stride times a scale, as a launcher knows it; `dynamic` has the ones to come."""
    if known is not None:
        return known * scale, None
    value = next(dynamic)
    info = axis_info()[value]
    if info.low == info.high:
        return int(info.low) * scale, None
    value = _strip_assumptions(value)
    return (scale, value.index) if _is_parameter(value) else None


def _strip_assumptions(value: SSAValue) -> SSAValue:
    """A value before `assume` and sign extension."""
    while isinstance(op := value.owner, AssumeOp | arith.ExtSIOp):
        value = op.operands[0]
    return value


def _is_parameter(value: SSAValue) -> TypeGuard[BlockArgument]:
    """Whether a value is an argument of the kernel."""
    return isinstance(value.owner, Block) and is_first_block(value.owner)


COPY_ALIGNMENT: Final = 128
"""Of a TMA tile in shared memory, in bytes."""

NEAREST: Final = "nearest_even"
"""How copies round."""


@cache
def _is_reshaping(kind: type[Operation]) -> bool:
    """Whether ops of a class change a shape or layout; cached, for every user is asked."""
    return issubclass(kind, (ViewOperation, ExpandDimsOperation, PermuteOp, ConvertLayoutOp))


def is_view_like(op: Operation) -> bool:
    """Whether an op only changes shape or layout of a tile, or rounds it to tf32 as TMA does."""
    return _is_reshaping(type(op)) or is_rounding(op)


def is_rounding(op: Operation) -> bool:
    """Whether an op rounds f32 to tf32 as copies do, to nearest."""
    if not isinstance(op, FpToFpOp) or get_element(op.operands[0].type) != f32:
        return False
    if op.rounding_mode is not None and op.rounding_mode.data != NEAREST:
        return False
    return isinstance(get_element(op.result.type), FloatTF32Type)


@dataclass(frozen=True)
class TileUse:
    """A use of a loaded tile, after reshapes."""

    op: Operation
    operand_index: int
    chain: Sequence[Operation]


def find_uses(value: SSAValue, chain: Sequence[Operation] = ()) -> Iterator[TileUse]:
    """All uses of a tile that are no reshapes or layout conversions."""
    pending = [(use, chain) for use in reversed([*value.uses])]
    while pending:
        use, chain = pending.pop()
        user = use.operation
        if isinstance(user, ConvertLayoutOp) or is_view_like(user):
            longer = chain if isinstance(user, ConvertLayoutOp) else (*chain, user)
            pending += [(each, longer) for each in reversed([*user.results[0].uses])]
        else:
            yield TileUse(user, use.index, chain)


def find_load(value: SSAValue) -> StagedLoad | None:
    """The load of a view, or one that is copied, that a value comes from, by reshapes only."""
    while True:
        op = value.owner
        if isinstance(op, TiledLoadOp) or is_copied(op):
            return op
        if not isinstance(op, Operation) or not is_view_like(op):
            return None
        value = op.operands[0]


@dataclass(frozen=True)
class SharedTile:
    """A tile that was loaded into shared memory, after some reshapes."""

    load: StagedLoad
    chain: Sequence[Operation]
    layout: LinearLayout


def find_tma_tiling(op: TiledLoadOp, axis_info: AxisInfoAnalysis) -> TmaTiling | None:
    """The TMA tiling of a load; None if TMA cannot do it."""
    tiling = tma_tiling_or_reason(op, axis_info)
    return tiling if isinstance(tiling, TmaTiling) else None


def tma_tiling_or_reason(op: TiledLoadOp, axis_info: AxisInfoAnalysis) -> TmaTiling | str:
    """The TMA tiling of a load, or why TMA cannot do it."""
    ty = op.view_type
    padding = ty.get_padding() if op.padding_value is None else op.padding_value.data
    if not allows_tma(op):
        return "its hints forbid TMA"
    if not is_plain_load(op) or op.token is not None or op.result_token is not None:
        return "it is ordered with other accesses"
    if (holder := what_holds(op)) is not None:
        return f"'{holder.name}' may have to come before it"
    if padding not in (None, "zero"):
        return f"TMA pads with zeros, not with {padding}"
    if (reason := why_no_tma(op.view, axis_info)) is not None:
        return reason
    return _tile_or_reason(op, ty)


def loaded_tiling(op: TiledLoadOp) -> TmaTiling | None:
    """
    How TMA copies what a CTA loads of a tile: all of it, or its half if it is one of a pair; None
    if it cannot.
    """
    dim = HALVED.get(op)
    view = op.view_type if dim is None else half_view(op.view_type, dim.data)
    tiling = _tile_or_reason(op, view)
    return tiling if isinstance(tiling, TmaTiling) else None


def whole_tiling(op: TiledLoadOp) -> TmaTiling | None:
    """How TMA copies the tile that both CTAs of a pair load; None if it cannot."""
    tiling = _tile_or_reason(op, op.view_type)
    return tiling if isinstance(tiling, TmaTiling) else None


def _tile_or_reason(op: TiledLoadOp, ty: TiledViewType) -> TmaTiling | str:
    """How TMA copies tiles of a view for a load, or why it cannot."""
    tiling, dim = TmaTiling.of_or_reason(ty), K_PERMUTATION.get(op)
    if isinstance(tiling, str) or dim is None:
        return tiling
    return tiling.k_permutation_or_reason(dim.data)


def why_not_scalar(op: Operation) -> str | None:
    """Why producer warps cannot compute the operands of an op by scalar code; None if they can."""
    try:
        Slice().add(op)
    except NotScalar as reason:
        return f"its address {reason}"
    return None


def tile_or_reason(value: SSAValue, axis_info: AxisInfoAnalysis) -> SharedTile | str:
    """
    The load that a value comes from, through reshapes only, or why there is no such load that
    producer warps can do.
    """
    chain: list[Operation] = []
    while True:
        op = value.owner
        if isinstance(op, TiledLoadOp) or is_copied(op):
            break
        if not isinstance(op, Operation):
            return "a loop carries it"
        if not is_view_like(op):
            return "it is computed"
        if not isinstance(op, ConvertLayoutOp):
            chain.insert(0, op)
        value = op.operands[0]
    layout = loaded_layout_or_reason(op, axis_info)
    if isinstance(layout, str):
        return layout
    for each in chain:
        changed = result_layout(each, layout)
        if changed is None:
            return f"'{each.name}' moves elements of the tile"
        layout = changed
    return SharedTile(op, chain, layout)


def loaded_layout_or_reason(op: StagedLoad, axis_info: AxisInfoAnalysis) -> LinearLayout | str:
    """The layout in shared memory of what a producer loads, or why it cannot load it."""
    if not is_by_tma(op):
        dim = find_contiguous(op, axis_info)
        if isinstance(dim, str):
            return dim
        return why_not_copied(op, axis_info) or shared_layout(op, dim)
    tiling = tma_tiling_or_reason(op, axis_info)
    if isinstance(tiling, str):
        return tiling
    return why_not_scalar(op) or tiling.layout


def operand_or_reason(
    value: SSAValue, summed: int, axis_info: AxisInfoAnalysis, *, transposes_bytes: bool = False
) -> SharedOperand | str:
    """How WGMMA, or `tcgen05`, can read an operand from shared memory, or why it cannot."""
    tile = tile_or_reason(value, axis_info)
    if isinstance(tile, str):
        return tile
    size = memory_bits(get_element(value.type)) // 8
    return SharedOperand.of_or_reason(tile.layout, summed, size, transposes_bytes=transposes_bytes)


def is_readable(value: SSAValue, summed: int) -> bool:
    """
    Whether WGMMA can read an operand from shared memory where TMA, or producer threads, have put
    the tile that it comes from by reshapes only.
    """
    chain: list[Operation] = []
    while isinstance(op := value.owner, Operation) and is_view_like(op):
        if not isinstance(op, ConvertLayoutOp):
            chain.insert(0, op)
        value = op.operands[0]
    if not is_by_tma(op):
        return is_copied(op)
    tiling = whole_tiling(op)
    layout = None if tiling is None else tiling.layout
    for each in chain:
        layout = None if layout is None else result_layout(each, layout)
    size = memory_bits(get_element(value.type)) // 8
    return layout is not None and SharedOperand.of(layout, summed, size) is not None


def half_view(ty: TiledViewType, dim: int) -> TiledViewType:
    """A view of the first half of each tile along a dimension."""
    shape = list(ty.get_tile_shape())
    shape[dim] //= 2
    return TiledViewType(
        shape, ty.memref, ty.get_dim_map(), ty.get_steps(), ty.get_padding(), ty.get_sparse_dim()
    )


def halve(tile: TmaTiling) -> TmaTiling | None:
    """
    A tiling of at least two TMA tiles, half of them for each CTA of a cluster. None if the second
    half would not lie after the first, and begin at a swizzle atom: a tile of 8 rows cannot be
    halved.
    """
    if len(list(tile.tma_tiles())) > 1:
        return tile
    half = tile.bytes // 2
    for dim, extent in enumerate(tile.box):
        if extent > 1 and half % COPY_ALIGNMENT == 0:
            cut = replace(tile, box=(*tile.box[:dim], extent // 2, *tile.box[dim + 1 :]))
            if [offset for _, offset in cut.tma_tiles()] == [0, half]:
                return cut
    return None
