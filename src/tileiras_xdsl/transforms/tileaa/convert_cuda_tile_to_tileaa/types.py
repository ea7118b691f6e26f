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


def convert_tile(type: TileType) -> Attribute:
    """A tensor, or a scalar for rank 0."""
    element = convert_element(type.element_type)
    return TensorType(element, type.get_shape()) if type.rank else element


def convert_tensor_view(type: TensorViewType) -> MemRefType:
    """Where a tensor lies."""
    return MemRefType(type.element_type, type.shape.data, type.strides.data)


def convert_tile_view(type: TileViewType) -> TiledViewType:
    """How a tensor is cut."""
    steps, sparse_dim = None, None
    if isinstance(type, StridedViewType):
        steps = type.get_traversal_strides()
    elif isinstance(type, GatherScatterViewType):
        # Where rows are given one by one, the other indices count elements too.
        steps, sparse_dim = (1,) * type.rank, type.sparse_dim
    return TiledViewType(
        type.get_tile_shape(),
        convert_tensor_view(type.tensor_view),
        type.get_dim_map(),
        steps,
        None if type.padding is None else type.padding.value,
        sparse_dim,
    )


def make_type_converter() -> TypeConverter:
    """The conversion of all types of the dialect."""
    converter = TypeConverter()
    converter.add_conversion(TileType, convert_tile)
    converter.add_conversion(PtrType, lambda type: POINTER)
    converter.add_conversion(TokenType, lambda type: MEM_TOKEN)
    converter.add_conversion(TensorViewType, convert_tensor_view)
    for view in (PartitionViewType, StridedViewType, GatherScatterViewType):
        converter.add_conversion(view, convert_tile_view)
    converter.add_conversion(StringType, lambda type: None)
    return converter


def get_pointee(type: Attribute) -> Attribute:
    """The pointee of a tile of pointers."""
    assert isinstance(type, TileType)
    assert isinstance(type.element_type, PtrType)
    return type.element_type.pointee
