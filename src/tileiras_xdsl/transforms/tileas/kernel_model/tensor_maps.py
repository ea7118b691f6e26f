"""Which tensors can have a tensor map, which TMA needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FloatTF32Type,
    TensorType,
    f32,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue
from xdsl.traits import Pure

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.analysis.slices import operands_of, reachable
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, MakeMemrefOp
from tileiras_xdsl.dialects.nvgpu.types import HostMap, LaunchNumber
from tileiras_xdsl.dialects.nvvm.fragments import element_bits
from tileiras_xdsl.targets.tma import (
    MAX_RANK,
    find_map_element,
)

from .layout_rules import memory_type


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
