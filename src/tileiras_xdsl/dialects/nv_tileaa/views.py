"""Strided tensors in memory, tiles cut from them, and accesses to those tiles."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, IntegerType, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value, diagnosed_op
from tileiras_xdsl.dialects.memory_order import Reads, Updates, Writes

from .attributes import (
    PADDING,
    RMW_MODE,
    BoolLike,
    IntegerLike,
    NumberLike,
    PointerLike,
    TileaaOperation,
    get_element,
    get_shape,
)
from .memory import (
    ATOMIC_SEMANTIC,
    LOAD_SEMANTIC,
    STORE_SEMANTIC,
    TOKEN,
    OrderedAccess,
    verify_order,
    verify_rmw,
)
from .types import MEM_TOKEN, MemRefType, TiledViewType, verify_padding


@diagnosed_op
class MakeMemrefOp(TileaaOperation):
    """
    A strided tensor at a pointer; operands are its dynamic sizes and strides.

        %m = nv_tileaa.make_memref %p sizes(%n : i32) strides(%s : i32)
            : !llvm.ptr<1> -> !nv_tileaa.memref<?x64xf32, strides = [?, 1]>
    """

    name = "nv_tileaa.make_memref"

    base = operand_def(PointerLike)
    offset = opt_operand_def(IntegerType)
    sizes = var_operand_def(IntegerType)
    strides = var_operand_def(IntegerType)
    result = result_def(MemRefType)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(Pure())
    assembly_format = (
        "$base (`offset` `(` $offset^ `:` type($offset) `)`)? "
        "(`sizes` `(` $sizes^ `:` type($sizes) `)`)? "
        "(`strides` `(` $strides^ `:` type($strides) `)`)? "
        "attr-dict `:` type($base) `->` type($result)"
    )

    def __init__(
        self, base: Value, sizes: Sequence[Value], strides: Sequence[Value], result_type: Attribute
    ):
        super().__init__(operands=[base, [], sizes, strides], result_types=[result_type])

    def verify_(self) -> None:
        ty = self.result.type
        for what, values, dims in (
            ("sizes", self.sizes, ty.shape.data),
            ("strides", self.strides, ty.strides.data),
        ):
            expected = dims.count(None)
            if len(values) != expected:
                raise VerifyException(f"expects {expected} dynamic {what}, but got {len(values)}")


@diagnosed_op
class BlockTileOp(TileaaOperation):
    """
    Cuts a tensor into tiles of `tileSizes`; dimension i of a tile runs along the dimensions
    of the tensor in `dimGroups[i]`.

        %v = nv_tileaa.block_tile %m {tileSizes = array<i64: 8, 64>, dimGroups = [[0], [1]]}
            : !nv_tileaa.memref<…> -> !nv_tileaa.tiled_view<8x64, !nv_tileaa.memref<…>>
    """

    name = "nv_tileaa.block_tile"

    memref = operand_def(MemRefType)
    result = result_def(TiledViewType)
    tile_sizes = prop_def(DenseArrayBase.constr(i64), prop_name="tileSizes")
    dim_groups = prop_def(ArrayAttr, prop_name="dimGroups")

    traits = traits_def(Pure())
    assembly_format = "$memref attr-dict `:` type($memref) `->` type($result)"

    def __init__(self, memref: Value, result_type: TiledViewType):
        super().__init__(
            operands=[memref],
            result_types=[result_type],
            properties={
                "tileSizes": DenseArrayBase.from_list(i64, result_type.get_tile_shape()),
                "dimGroups": ArrayAttr(
                    ArrayAttr([IntegerAttr(dim, i64)]) for dim in result_type.get_dim_map()
                ),
            },
        )

    def get_dim_groups(self) -> list[list[int]]:
        groups: list[list[int]] = []
        for group in self.dim_groups:
            if not isinstance(group, ArrayAttr):
                raise VerifyException(f"expects a list of dimensions, but got {group}")
            dims = [dim.value.data for dim in group if isinstance(dim, IntegerAttr)]
            if len(dims) != len(group):
                raise VerifyException(f"expects a list of dimensions, but got {group}")
            groups.append(dims)
        return groups

    def verify_(self) -> None:
        sizes = [int(each) for each in self.tile_sizes.get_values()]
        groups = self.get_dim_groups()
        if not sizes:
            raise VerifyException("expects non-empty tileSizes")
        if not groups:
            raise VerifyException("expects non-empty dimGroups")
        if len(sizes) != len(groups):
            raise VerifyException(
                "expects rank of tileSizes be equal to rank of dimGroups, but got "
                f"{len(sizes)} vs {len(groups)}"
            )
        if any(size <= 0 for size in sizes):
            raise VerifyException("expects all tile size bigger than zero")
        dims = [dim for group in groups for dim in group]
        for dim in dims:
            if dims.count(dim) > 1:
                raise VerifyException(
                    f"expects dim is being tiled only one time, but got {dims.count(dim)}"
                )
        view = self.result.type
        if view.memref != self.memref.type:
            raise VerifyException(
                f"expects a view of '{self.memref.type}', but got '{view.memref}'"
            )
        if view.get_tile_shape() != tuple(sizes):
            raise VerifyException("requires the same size for tileSize and tensor")
        if groups != [[dim] for dim in view.get_dim_map()]:
            raise VerifyException(f"dimGroups {groups} disagree with the dim_map of '{view}'")


class TiledAccess(OrderedAccess, ABC):
    """An access to one tile of a view."""

    in_bounds = opt_prop_def(DenseArrayBase.constr(i1))
    padding_value = opt_prop_def(PADDING)
    addr_space = opt_prop_def(IntegerAttr)
    align = opt_prop_def(IntegerAttr)

    @property
    def view_type(self) -> TiledViewType:
        """The type of the view that it accesses."""
        return next(ty for ty in self.operand_types if isinstance(ty, TiledViewType))

    def get_in_bounds(self) -> list[bool]:
        """Along which dimensions the access has `in_bounds`."""
        flags = () if self.in_bounds is None else self.in_bounds.get_values()
        return [bool(each) for each in flags]

    def verify_tile(
        self, view: SSAValue, indices: Sequence[SSAValue], tile: SSAValue | None
    ) -> None:
        """Checks coordinates and tile against the view."""
        ty = view.type
        assert isinstance(ty, TiledViewType)
        if len(indices) != ty.rank:
            raise VerifyException(f"expects {ty.rank} coordinates, but got {len(indices)}")
        if tile is not None:
            if len(get_shape(tile.type)) != ty.rank:
                raise VerifyException("requires the same size for tileSize and tensor")
            if get_shape(tile.type) != ty.get_tile_shape():
                raise VerifyException("requires the same shape for tileSize and tensor value")
            if get_element(tile.type) != ty.element_type:
                raise VerifyException(
                    f"view elementType not equal with tensor element type: '{ty.element_type}'"
                    f" vs '{get_element(tile.type)}'"
                )
        if self.in_bounds is not None and len(self.in_bounds) != ty.rank:
            raise VerifyException(
                f"incorrect number of in_bounds elements: expected {ty.rank}, got "
                f"{len(self.in_bounds)}"
            )
        if self.padding_value is not None:
            verify_padding(self.padding_value.data, ty.element_type)
        sparse = ty.get_sparse_dim()
        for dim, index in enumerate(indices):
            expected = () if dim != sparse else (ty.get_tile_shape()[dim],)
            if get_shape(index.type) != expected:
                raise VerifyException(
                    f"expects coordinate {dim} of shape {list(expected)}, but got '{index.type}'"
                )

    @staticmethod
    def verify_coordinates(indices: Sequence[SSAValue]) -> None:
        """Checks that the scalars among the coordinates have one type."""
        scalars = [index.type for index in indices if not get_shape(index.type)]
        for ty in scalars:
            if ty != scalars[0]:
                raise VerifyException(
                    f"expects CoordType is same as memref index type, but got '{ty}' and "
                    f"'{scalars[0]}'"
                )

    @staticmethod
    def verify_sparse(view: SSAValue, *, is_sparse: bool) -> None:
        """Checks that gather and scatter, and these only, access views with a sparse dimension."""
        ty = view.type
        assert isinstance(ty, TiledViewType)
        if (ty.get_sparse_dim() is not None) != is_sparse:
            raise VerifyException(
                f"expects a view {'with' if is_sparse else 'without'} sparse_dim, but got '{ty}'"
            )


class TileLoad(TiledAccess, ABC):
    """Reads a tile."""

    SPARSE: ClassVar[bool] = False

    view = operand_def(TiledViewType)
    indices = var_operand_def(IntegerLike)
    token = opt_operand_def(TOKEN)
    result = result_def(NumberLike)
    result_token = opt_result_def(TOKEN)
    mem_semantic = opt_prop_def(LOAD_SEMANTIC)

    traits = traits_def(Reads())
    assembly_format = (
        "$view `[` $indices `]` (`token` `(` $token^ `)`)? attr-dict `:` type($view) "
        "(`,` type($indices)^)? `->` type($result) (`,` type($result_token)^)?"
    )

    DEFAULTS: ClassVar = {"result_token_type": (MEM_TOKEN,)}

    def verify_(self) -> None:
        verify_order(self.mem_semantic, self.mem_scope)
        self.verify_tile(self.view, self.indices, self.result)
        self.verify_coordinates(self.indices)
        self.verify_sparse(self.view, is_sparse=self.SPARSE)


@diagnosed_op
class TiledLoadOp(TileLoad):
    """
    Reads the tile at some coordinates of a view, padded where it leaves the tensor.

        %x, %t1 = nv_tileaa.tiled_load %v[%i, %j] token(%t0)
            : !nv_tileaa.tiled_view<…>, i32, i32 -> tensor<8x64xf32>, !nv_tileaa.mem_token
    """

    name = "nv_tileaa.tiled_load"


@diagnosed_op
class GatherLoadOp(TileLoad):
    """Reads a tile whose rows along the sparse dimension are given by a tensor."""

    name = "nv_tileaa.gather_load"
    SPARSE: ClassVar = True


class TileStore(TiledAccess, ABC):
    """Writes a tile."""

    SPARSE: ClassVar[bool] = False

    value = operand_def(NumberLike)
    view = operand_def(TiledViewType)
    indices = var_operand_def(IntegerLike)
    mask = opt_operand_def(BoolLike)
    token = opt_operand_def(TOKEN)
    result_token = opt_result_def(TOKEN)
    mem_semantic = opt_prop_def(STORE_SEMANTIC)

    traits = traits_def(Writes())
    assembly_format = (
        "$value `,` $view `[` $indices `]` (`mask` `(` $mask^ `:` type($mask) `)`)? "
        "(`token` `(` $token^ `)`)? attr-dict `:` type($value) `,` type($view) "
        "(`,` type($indices)^)? (`->` type($result_token)^)?"
    )

    DEFAULTS: ClassVar = {"result_token_type": (MEM_TOKEN,)}

    def verify_(self) -> None:
        verify_order(self.mem_semantic, self.mem_scope)
        self.verify_tile(self.view, self.indices, self.value)
        self.verify_coordinates(self.indices)
        self.verify_sparse(self.view, is_sparse=self.SPARSE)
        if self.mask is not None and get_shape(self.mask.type) != get_shape(self.value.type):
            raise VerifyException(
                f"expects the shape of '{self.value.type}', but got '{self.mask.type}'"
            )


@diagnosed_op
class TiledStoreOp(TileStore):
    """
    Writes the part of a tile that lies in the tensor, in the lanes whose mask is true.

        %t1 = nv_tileaa.tiled_store %x, %v[%i, %j] token(%t0)
            : tensor<8x64xf32>, !nv_tileaa.tiled_view<…>, i32, i32 -> !nv_tileaa.mem_token
    """

    name = "nv_tileaa.tiled_store"


@diagnosed_op
class ScatterStoreOp(TileStore):
    """Writes a tile whose rows along the sparse dimension are given by a tensor."""

    name = "nv_tileaa.scatter_store"
    SPARSE: ClassVar = True


class TileUpdate(TiledAccess, ABC):
    """Combines a tile in memory with a value."""

    view = operand_def(TiledViewType)
    indices = var_operand_def(IntegerLike)
    value = operand_def(NumberLike)
    token = opt_operand_def(TOKEN)
    result_token = opt_result_def(TOKEN)
    rmw_mode = prop_def(RMW_MODE)
    mem_semantic = prop_def(ATOMIC_SEMANTIC)

    traits = traits_def(Updates())
    assembly_format = (
        "$view `[` $indices `]` `,` $value (`token` `(` $token^ `)`)? attr-dict `:` "
        "type($view) `,` type($value) (`,` type($indices)^)? "
        "(`->` type($result_token)^)?"
    )

    DEFAULTS: ClassVar = {"result_token_type": (MEM_TOKEN,)}

    def verify_(self) -> None:
        verify_order(self.mem_semantic, self.mem_scope)
        self.verify_tile(self.view, self.indices, self.value)
        self.verify_sparse(self.view, is_sparse=False)
        if self.rmw_mode.data == "xchg":
            raise VerifyException("rmw_mode xchg is not supported on tiles of a view")
        verify_rmw(self.rmw_mode.data, get_element(self.value.type))


@diagnosed_op
class TiledAtomicRMWOp(TileUpdate):
    """An atomic read-modify-write of each element of a tile of a view, by `rmw_mode`."""

    name = "nv_tileaa.tiled_atomic_rmw"


@diagnosed_op
class GetTensorShapeOp(TileaaOperation):
    """The sizes of a tensor in memory."""

    name = "nv_tileaa.get_tensor_shape"

    source = operand_def(MemRefType)
    sizes = var_result_def(IntegerType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($sizes)"

    def verify_(self) -> None:
        ty = self.source.type
        assert isinstance(ty, MemRefType)
        if len(self.sizes) != ty.rank:
            raise VerifyException(f"expects {ty.rank} results, but got {len(self.sizes)}")


@diagnosed_op
class GetIndexSpaceShapeOp(TileaaOperation):
    """The number of tiles of a view along each of its dimensions."""

    name = "nv_tileaa.get_index_space_shape"

    source = operand_def(TiledViewType)
    counts = var_result_def(IntegerType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($counts)"

    def verify_(self) -> None:
        ty = self.source.type
        assert isinstance(ty, TiledViewType)
        if len(self.counts) != ty.rank:
            raise VerifyException(f"expects {ty.rank} results, but got {len(self.counts)}")
