"""Which tensors can have a tensor map, as copies by the tensor memory accelerator need one."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    FloatTF32Type,
    TensorType,
    f32,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.traits import Pure

from tileiras_xdsl.analysis.slices import operands_of, reachable
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, MakeMemrefOp
from tileiras_xdsl.targets.tma import (
    MAX_RANK,
    find_map_element,
)


def find_memref(view: SSAValue) -> MakeMemrefOp | None:
    """The op that makes the tensor behind a view."""
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
    Whether a map can be made of the tensor behind a view: it is made in the kernel's first block,
    of arguments, constants and arithmetic on such, and the hardware knows its rank and elements.
    Alignment and strides are not looked at.
    """
    op = find_memref(view)
    if op is None or op.parent is None or not is_first_block(op.parent):
        return False
    type = op.result.type
    assert isinstance(type, MemRefType)
    if not 1 <= len(type.shape.data) <= MAX_RANK:
        return False
    if find_map_element(str(stored_element(type.element_type))) is None:
        return False
    return all(_is_early(operand, op.parent) for operand in op.operands)


def map_dims(view: SSAValue) -> tuple[int, ...]:
    """
    The dimensions of the tensor behind a view in the order of its map and of the coordinates of
    copies: from the innermost outwards, which is the one whose stride is known to be 1 if that
    is not the last.
    """
    type = view.type.memref if isinstance(view.type, TiledViewType) else view.type
    assert isinstance(type, MemRefType)
    strides = type.strides.data
    dims = list(reversed(range(len(strides))))
    inner = next((dim for dim in dims if strides[dim] is not None and strides[dim] == 1), dims[0])
    return (inner, *(dim for dim in dims if dim != inner))


def is_first_block(block: Block) -> bool:
    """Whether a block is that where a kernel starts."""
    function = block.parent_op()
    return isinstance(function, FuncOp) and function.body.blocks.first is block


def _is_early(value: SSAValue, block: Block) -> bool:
    """Whether a scalar can be computed where the kernel starts."""

    def is_scalar(value: SSAValue) -> bool:
        if isinstance(value.type, TensorType):
            return False
        if isinstance(owner := value.owner, Block):
            return owner is block
        return owner.parent is block and not owner.regions and owner.has_trait(Pure)

    return all(map(is_scalar, reachable([value], operands_of)))


def stored_element(element: Attribute) -> Attribute:
    """The type that a map has for elements: a copy changes no bits of tf32."""
    return f32 if isinstance(element, FloatTF32Type) else element
