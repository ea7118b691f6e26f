"""
What becomes of `cuda_tile` types:

    tile<8x64xf32>          tensor<8x64xf32>
    tile<f32>               f32
    tile<8xptr<f32>>        tensor<8x!llvm.ptr<1>>
    token                   !nv_tileaa.mem_token
    tensor_view<…>          !nv_tileaa.memref<…>
    partition_view<…>       !nv_tileaa.tiled_view<…>, as the other views
    string                  nothing
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntAttr, TensorType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.types import (
    GatherScatterViewType,
    PartitionViewType,
    PtrType,
    StridedViewType,
    StringType,
    TensorViewType,
    TileType,
    TileViewType,
    TokenType,
)
from tileiras_xdsl.dialects.nv_tileaa.types import (
    GLOBAL_SPACE,
    MEM_TOKEN,
    MemRefType,
    TiledViewType,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import TypeConverter

POINTER = LLVMPointerType(IntAttr(GLOBAL_SPACE))


def convert_element(element: Attribute) -> Attribute:
    """The element of a tensor: numbers stay, pointers lose their pointee."""
    return POINTER if isinstance(element, PtrType) else element


def convert_tile(ty: TileType) -> Attribute:
    """A tensor, or a scalar for rank 0."""
    element = convert_element(ty.element_type)
    return TensorType(element, ty.get_shape()) if ty.rank else element


def convert_tensor_view(ty: TensorViewType) -> MemRefType:
    """Where a tensor lies."""
    return MemRefType(ty.element_type, ty.shape.data, ty.strides.data)


def convert_tile_view(ty: TileViewType) -> TiledViewType:
    """How a tensor is cut."""
    steps, sparse_dim = None, None
    if isinstance(ty, StridedViewType):
        steps = ty.get_traversal_strides()
    elif isinstance(ty, GatherScatterViewType):
        # Where rows are given one by one, the other indices count elements too.
        steps, sparse_dim = (1,) * ty.rank, ty.sparse_dim
    return TiledViewType(
        ty.get_tile_shape(),
        convert_tensor_view(ty.tensor_view),
        ty.get_dim_map(),
        steps,
        None if ty.padding is None else ty.padding.value,
        sparse_dim,
    )


def make_type_converter() -> TypeConverter:
    """The conversion of all types of the dialect."""
    converter = TypeConverter()
    converter.add_conversion(TileType, convert_tile)
    converter.add_conversion(PtrType, lambda ty: POINTER)
    converter.add_conversion(TokenType, lambda ty: MEM_TOKEN)
    converter.add_conversion(TensorViewType, convert_tensor_view)
    for view in (PartitionViewType, StridedViewType, GatherScatterViewType):
        converter.add_conversion(view, convert_tile_view)
    converter.add_conversion(StringType, lambda ty: None)
    return converter


def get_pointee(ty: Attribute) -> Attribute:
    """The pointee of a tile of pointers."""
    assert isinstance(ty, TileType)
    assert isinstance(ty.element_type, PtrType)
    return ty.element_type.pointee
