"""Shape algebra, selection, pointer offsets and assumptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, Float4E2M1FNType, IntegerType, i32
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import VarConstraint, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value, value_type

from .attributes import AssumePredicate
from .base import (
    AnyTile,
    AnyType,
    AttributeKind,
    CudaTileOperation,
    I1Tile,
    I32Scalar,
    I64Attr,
    IntTile,
    OrderedEffects,
    PtrTile,
    attribute_of,
    same_element,
    same_rank,
    same_shape,
    same_type,
    tile_op,
)
from .directives import (
    AssumePredicateClause,
    ConversionTypes,
    I64Keyword,
    Permutation,
    ScalarI32Indices,
    array_values,
)
from .types import TileType, join_dims


def tile_type(value: SSAValue) -> TileType:
    """The type of a value known to be a tile."""
    assert isinstance(value.type, TileType)
    return value.type


class ReshapingOperation(CudaTileOperation):
    """One tile to another of the same elements: `op %x : T -> U`."""

    source = operand_def(AnyTile)
    result = result_def(AnyTile)

    traits = traits_def(Pure())
    custom_directives = (ConversionTypes,)
    assembly_format = "$source attr-dict `:` custom<ConversionTypes>(type($source), type($result))"

    def verify_op(self) -> None:
        if tile_type(self.source).element_type != tile_type(self.result).element_type:
            self.fail("requires the same element type for all operands and results")


@tile_op
class BroadcastOp(ReshapingOperation):
    """Repeats dimensions of extent one; the rank stays."""

    name = "cuda_tile.broadcast"
    TYPE_GROUPS: ClassVar = (same_rank("source", "result"),)
    RESULT_HINTS: ClassVar = ("bcast",)
    DEFAULT_HINT: ClassVar = "bcast"

    def verify_op(self) -> None:
        super().verify_op()
        source = tile_type(self.source).get_shape()
        result = tile_type(self.result).get_shape()
        if any(dim not in (1, target) for dim, target in zip(source, result, strict=True)):
            self.fail(
                "expects the shape of source tile to be compatible with that of the result "
                f"tile, but got: {join_dims(source)} and {join_dims(result)}"
            )


@tile_op
class ReshapeOp(ReshapingOperation):
    """The same elements, row-major, in another shape."""

    name = "cuda_tile.reshape"
    RESULT_HINTS: ClassVar = ("reshape",)

    def verify_op(self) -> None:
        super().verify_op()
        if tile_type(self.source).element_count() != tile_type(self.result).element_count():
            self.fail("expected source tile and result tile to have the same number of elements")


def _is_i32_array(attribute: Attribute) -> bool:
    return isinstance(attribute, DenseArrayBase) and attribute.elt_type == i32


I32ArrayKind = AttributeKind[DenseArrayBase](
    "i32 dense array attribute",
    _is_i32_array,
    lambda values: DenseArrayBase.from_list(i32, list(values)),
)


@tile_op
class PermuteOp(CudaTileOperation):
    """Transposes: result dimension i is source dimension `permutation[i]`."""

    name = "cuda_tile.permute"

    source = operand_def(AnyTile)
    permutation = prop_def(I32ArrayKind)
    result = result_def(AnyTile)

    TYPE_GROUPS: ClassVar = (same_element("source", "result"), same_rank("source", "result"))
    traits = traits_def(Pure())
    custom_directives = (Permutation, ConversionTypes)
    assembly_format = (
        "$source custom<Permutation>($permutation) attr-dict `:` "
        "custom<ConversionTypes>(type($source), type($result))"
    )

    def get_permutation(self) -> tuple[int, ...]:
        return array_values(self.permutation)

    def verify_op(self) -> None:
        source, result = tile_type(self.source), tile_type(self.result)
        permutation, rank = self.get_permutation(), source.rank
        if rank < 2:
            self.fail(f"expects at least rank 2, but got: {rank}")
        if len(permutation) != rank:
            self.fail(
                f"expect permutation size ({len(permutation)}) to equal the rank of the source "
                f"({rank})"
            )
        if len(set(permutation)) != rank:
            self.fail("expect permutation elements to be unique")
        for index, dim in enumerate(permutation):
            if not 0 <= dim < rank:
                self.fail(
                    f"permutation element at index {index} ({dim}) is out of bound [0, {rank})"
                )
        for index, dim in enumerate(permutation):
            expected, found = source.get_shape()[dim], result.get_shape()[index]
            if expected != found:
                self.fail(
                    f"result shape invalid at index {index}, expected: {expected}, but got: {found}"
                )


@tile_op
class CatOp(CudaTileOperation):
    """Joins two tiles along `dim`."""

    name = "cuda_tile.cat"

    lhs = operand_def(AnyTile)
    rhs = operand_def(AnyTile)
    dim = prop_def(I64Attr)
    result = result_def(AnyTile)

    TYPE_GROUPS: ClassVar = (
        same_rank("lhs", "rhs", "result"),
        same_element("lhs", "rhs", "result"),
    )
    traits = traits_def(Pure())
    custom_directives = (I64Keyword,)
    assembly_format = (
        "$lhs `,` $rhs `dim` `=` custom<I64Keyword>($dim) attr-dict `:` "
        "type($lhs) `,` type($rhs) `->` type($result)"
    )

    def get_dim(self) -> int:
        return self.dim.value.data

    def verify_op(self) -> None:
        lhs, rhs, result = (
            tile_type(value).get_shape() for value in (self.lhs, self.rhs, self.result)
        )
        cat = self.get_dim()
        if not 0 <= cat < len(lhs):
            self.fail(f"expect dim to be [0, {len(lhs)}), but got: {cat}")
        if lhs[cat] + rhs[cat] != result[cat]:
            self.fail(
                f"invalid concat at position {cat}, expected: {lhs[cat] + rhs[cat]} "
                f"but got: {result[cat]}"
            )
        for index, (left, right, joined) in enumerate(zip(lhs, rhs, result, strict=True)):
            if index == cat:
                continue
            for role, other in (("rhs", right), ("result", joined)):
                if left != other:
                    self.fail(
                        f"expect lhs and {role} shapes to match at non-concat position {index}, "
                        f"expected: {left} but got: {other}"
                    )


class SliceOperation(CudaTileOperation):
    """Checks shared by `extract` and `insert`; indices count whole slices."""

    def verify_slice(
        self, whole: TileType, part: TileType, whole_name: str, part_name: str, indices: int
    ) -> None:
        if whole.element_type != part.element_type:
            self.fail("source and result element type do not match")
        if whole.rank != part.rank:
            self.fail("source and result must have the same rank")
        pairs = zip(whole.get_shape(), part.get_shape(), strict=True)
        for index, (size, slice_size) in enumerate(pairs):
            if size % slice_size:
                self.fail(
                    f"{whole_name} dimension {index} size ({size}) must be evenly divisible by "
                    f"{part_name} dimension {index} size ({slice_size})"
                )
        if indices != whole.rank:
            self.fail(f"expected {whole.rank} indices, but got {indices}")


@tile_op
class ExtractOp(SliceOperation):
    """The slice of a tile at the given slice numbers (unsigned, not element offsets)."""

    name = "cuda_tile.extract"

    source = operand_def(AnyTile)
    indices = var_operand_def(I32Scalar)
    result = result_def(AnyTile)

    TYPE_GROUPS: ClassVar = (same_rank("source", "result"),)
    traits = traits_def(Pure())
    custom_directives = (ScalarI32Indices, ConversionTypes)
    assembly_format = (
        "$source `` custom<ScalarI32Indices>($indices, type($indices)) attr-dict `:` "
        "custom<ConversionTypes>(type($source), type($result))"
    )

    def verify_op(self) -> None:
        self.verify_slice(
            tile_type(self.source),
            tile_type(self.result),
            "source",
            "result",
            len(self.indices),
        )


@tile_op
class InsertOp(SliceOperation):
    """A tile with the slice at the given slice numbers replaced by `source` (13.4)."""

    name = "cuda_tile.insert"

    T: ClassVar = VarConstraint("T", AnyTile)
    source = operand_def(AnyTile)
    destination = operand_def(T)
    indices = var_operand_def(I32Scalar)
    result = result_def(T)

    SINCE: ClassVar = "13.4"
    traits = traits_def(Pure())
    custom_directives = (ScalarI32Indices,)
    assembly_format = (
        "$source `,` $destination `` custom<ScalarI32Indices>($indices, type($indices)) "
        "attr-dict `:` type($source) `,` type($destination)"
    )

    def verify_op(self) -> None:
        self.verify_slice(
            tile_type(self.result),
            tile_type(self.source),
            "result",
            "source",
            len(self.indices),
        )


@tile_op
class IotaOp(CudaTileOperation):
    """The numbers from 0 on."""

    name = "cuda_tile.iota"

    result = result_def(IntTile)

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def verify_op(self) -> None:
        ty = tile_type(self.result)
        if ty.rank != 1:
            self.fail("expects result type to be 1-d tile")
        assert isinstance(ty.element_type, IntegerType)
        if ty.element_count() > 1 << ty.element_type.width.data:
            self.fail(
                f"the number of elements {ty.element_count()} exceeds the maximum value of "
                f"element type '{ty.element_type}'"
            )


@tile_op
class SelectOp(CudaTileOperation, HasCanonicalizationPatternsInterface, HasFolderInterface):
    """Element-wise choice."""

    name = "cuda_tile.select"

    T: ClassVar = VarConstraint("T", AnyTile)
    cond = operand_def(I1Tile)
    val_if_true = operand_def(T)
    val_if_false = operand_def(T)
    result = result_def(T)

    TYPE_GROUPS: ClassVar = (same_shape("cond", "val_if_true", "val_if_false", "result"),)
    traits = traits_def(Pure())
    assembly_format = (
        "$cond `,` $val_if_true `,` $val_if_false attr-dict `:` type($cond) `,` type($result)"
    )

    def verify_op(self) -> None:
        if isinstance(tile_type(self.result).element_type, Float4E2M1FNType):
            self.fail("cannot operate on sub-byte type F4E2M1FN")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        from tileiras_xdsl.transforms.cuda_tile.canonicalization.patterns import fold_select

        return fold_select(self)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tileiras_xdsl.transforms.cuda_tile.canonicalization.patterns import SELECT_PATTERNS

        return SELECT_PATTERNS


@tile_op
class OffsetOp(CudaTileOperation):
    """Moves pointers by signed numbers of pointees."""

    name = "cuda_tile.offset"

    ptr = operand_def(PtrTile)
    offset = operand_def(IntTile)
    result = result_def(PtrTile)

    TYPE_GROUPS: ClassVar = (same_type("result", "ptr"),)
    traits = traits_def(Pure())
    custom_directives = (ConversionTypes,)
    assembly_format = (
        "$ptr `,` $offset attr-dict `:` type($ptr) `,` "
        "custom<ConversionTypes>(type($offset), type($result))"
    )

    def __init__(self, ptr: Value, offset: Value):
        super().__init__(operands=[ptr, offset], result_types=[value_type(ptr)])

    def verify_op(self) -> None:
        if tile_type(self.ptr).shape != tile_type(self.offset).shape:
            self.fail("requires the same shape for all operands and results")


@tile_op
class AssumeOp(CudaTileOperation, HasFolderInterface):
    """A value of which a predicate holds."""

    name = "cuda_tile.assume"

    T: ClassVar = VarConstraint("T", AnyType)
    value = operand_def(T)
    predicate = prop_def(attribute_of("assume predicate attribute", AssumePredicate))
    result = result_def(T)

    traits = traits_def(OrderedEffects())
    custom_directives = (AssumePredicateClause,)
    assembly_format = (
        "custom<AssumePredicateClause>($predicate) `,` $value attr-dict `:` type($result)"
    )

    def public_names(self) -> Sequence[str | None]:
        owner = self.value.owner
        if not isinstance(owner, CudaTileOperation) or not (names := owner.public_names()):
            return ("assume",)
        index = owner.results.index(self.value)  # pyright: ignore[reportArgumentType]
        hint = names[index] if index < len(names) else None
        return (f"assume_{hint or ''}",)

    def verify_op(self) -> None:
        try:
            self.predicate.verify_with_value_type(self.value.type)
        except VerifyException as error:
            self.fail(str(error))

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        from tileiras_xdsl.transforms.cuda_tile.canonicalization.patterns import fold_assume

        return fold_assume(self)
