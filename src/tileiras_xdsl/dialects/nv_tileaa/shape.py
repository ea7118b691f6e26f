"""Operations that change shapes or pick parts, and `assume`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    VarConstraint,
    base,
    eq,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value, diagnosed_op, value_type

from .attributes import (
    ElementLike,
    PredicateAttribute,
    TensorConstraint,
    TileaaOperation,
    get_element,
    get_shape,
)


class ShapePatterns(HasCanonicalizationPatternsTrait):
    """The folds of shape operations."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tileiras_xdsl.transforms.tileaa.canonicalization import shape as patterns

        return patterns.SHAPE_PATTERNS


def _verify_same_element(*values: SSAValue) -> None:
    elements = {get_element(value.type) for value in values}
    if len(elements) > 1:
        listed = ", ".join(f"'{get_element(value.type)}'" for value in values)
        raise VerifyException(f"expects one element type, but got {listed}")


def _verify_same_count(source: SSAValue, result: SSAValue) -> None:
    if prod(get_shape(source.type)) != prod(get_shape(result.type)):
        raise VerifyException(
            f"expects as many elements as in '{source.type}', but got '{result.type}'"
        )


@diagnosed_op
class SplatOp(TileaaOperation):
    """A tensor all elements of which are one scalar: `splat %s : f32 to tensor<8xf32>`."""

    name = "nv_tileaa.splat"

    source = operand_def(ElementLike)
    result = result_def(TensorConstraint())

    traits = traits_def(Pure(), ShapePatterns())
    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def verify_(self) -> None:
        if isinstance(self.source.type, TensorType):
            raise VerifyException(f"expects a scalar, but got '{self.source.type}'")
        _verify_same_element(self.source, self.result)


class ViewOperation(TileaaOperation, ABC):
    """The same elements under another shape."""

    source = operand_def(TensorConstraint())
    result = result_def(ElementLike)

    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def verify_(self) -> None:
        _verify_same_element(self.source, self.result)
        _verify_same_count(self.source, self.result)


@diagnosed_op
class ViewOp(ViewOperation):
    """The same elements in row-major order under another shape."""

    name = "nv_tileaa.view"

    traits = traits_def(Pure(), ShapePatterns())


@diagnosed_op
class BroadcastOp(TileaaOperation):
    """Repeats the elements along dimensions of size one."""

    name = "nv_tileaa.broadcast"

    source = operand_def(TensorConstraint())
    result = result_def(TensorConstraint())

    traits = traits_def(Pure(), ShapePatterns())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def verify_(self) -> None:
        _verify_same_element(self.source, self.result)
        source, result = get_shape(self.source.type), get_shape(self.result.type)
        if len(source) != len(result) or any(
            old not in (1, new) for old, new in zip(source, result, strict=True)
        ):
            raise VerifyException(f"cannot broadcast '{self.source.type}' to '{self.result.type}'")


class ExpandDimsOperation(TileaaOperation, ABC):
    """One more dimension of size one."""

    source = operand_def(ElementLike)
    result = result_def(TensorConstraint())
    axis = prop_def(IntegerAttr.constr(type=eq(i32)))

    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: Value, axis: int):
        shape = list(get_shape(value_type(source)))
        shape.insert(axis, 1)
        super().__init__(
            operands=[source],
            result_types=[TensorType(get_element(value_type(source)), shape)],
            properties={"axis": IntegerAttr(axis, i32)},
        )

    def get_axis(self) -> int:
        return self.axis.value.data

    def verify_(self) -> None:
        _verify_same_element(self.source, self.result)
        shape, axis = get_shape(self.source.type), self.get_axis()
        if not 0 <= axis <= len(shape):
            raise VerifyException(f"axis {axis} is not within 0 and {len(shape)}")
        expected = (*shape[:axis], 1, *shape[axis:])
        if get_shape(self.result.type) != expected:
            raise VerifyException(
                f"expects a result of shape {list(expected)}, but got '{self.result.type}'"
            )


@diagnosed_op
class ExpandDimsOp(ExpandDimsOperation):
    """Inserts a dimension of size one at `axis`."""

    name = "nv_tileaa.expand_dims"

    traits = traits_def(Pure(), ShapePatterns())


@diagnosed_op
class PermuteOp(TileaaOperation):
    """Dimension i of the result is dimension `permutation[i]` of the source."""

    name = "nv_tileaa.permute"

    source = operand_def(TensorConstraint())
    result = result_def(TensorConstraint())
    permutation = prop_def(DenseArrayBase.constr(i32))

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: Value, permutation: Sequence[int]):
        shape = get_shape(value_type(source))
        super().__init__(
            operands=[source],
            result_types=[
                TensorType(get_element(value_type(source)), [shape[dim] for dim in permutation])
            ],
            properties={"permutation": DenseArrayBase.from_list(i32, permutation)},
        )

    def get_permutation(self) -> tuple[int, ...]:
        return tuple(int(dim) for dim in self.permutation.get_values())

    def verify_(self) -> None:
        _verify_same_element(self.source, self.result)
        shape, permutation = get_shape(self.source.type), self.get_permutation()
        if sorted(permutation) != list(range(len(shape))):
            raise VerifyException(
                f"expects a permutation of {len(shape)} dimensions, but got {list(permutation)}"
            )
        if get_shape(self.result.type) != tuple(shape[dim] for dim in permutation):
            raise VerifyException(f"cannot permute '{self.source.type}' to '{self.result.type}'")


@diagnosed_op
class CatOp(TileaaOperation):
    """Two tensors concatenated along `dim`."""

    name = "nv_tileaa.cat"

    lhs = operand_def(TensorConstraint())
    rhs = operand_def(TensorConstraint())
    result = result_def(TensorConstraint())
    dim = prop_def(IntegerAttr.constr(type=eq(i64)))

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def verify_(self) -> None:
        _verify_same_element(self.lhs, self.rhs, self.result)
        lhs, rhs = get_shape(self.lhs.type), get_shape(self.rhs.type)
        dim = self.dim.value.data
        if not 0 <= dim < len(lhs) or len(lhs) != len(rhs):
            raise VerifyException(f"dimension {dim} is not one of both operands")
        expected = (*lhs[:dim], lhs[dim] + rhs[dim], *lhs[dim + 1 :])
        same = lhs[:dim] == rhs[:dim] and lhs[dim + 1 :] == rhs[dim + 1 :]
        if not same or get_shape(self.result.type) != expected:
            raise VerifyException(
                f"cannot concatenate '{self.lhs.type}' and '{self.rhs.type}' along dimension "
                f"{dim} to '{self.result.type}'"
            )


class SliceExtraction(TileaaOperation, ABC):
    """A slice of a tensor: `op %x[%i, %j] : (tensor<…>, i32, i32) -> tensor<…>`."""

    source = operand_def(TensorConstraint())
    indices = var_operand_def(IntegerType)

    traits = traits_def(Pure())
    assembly_format = "$source `[` $indices `]` attr-dict `:` functional-type(operands, results)"


class SliceInsertion(TileaaOperation, ABC):
    """The destination with one slice replaced: `op %s into %d[%i] : (…) -> tensor<…>`."""

    D: ClassVar = VarConstraint("D", TensorConstraint())
    source = operand_def(TensorConstraint())
    destination = operand_def(D)
    indices = var_operand_def(IntegerType)
    result = result_def(D)

    traits = traits_def(Pure())
    assembly_format = (
        "$source `into` $destination `[` $indices `]` attr-dict `:` "
        "functional-type(operands, results)"
    )


@diagnosed_op
class ExtractOp(SliceExtraction):
    """
    One slice of a tensor. The shape of the result divides that of the source, and the
    indices count such slices along each dimension; a scalar result is one element.
    """

    name = "nv_tileaa.extract"

    result = result_def(ElementLike)

    traits = traits_def(ShapePatterns())

    def verify_(self) -> None:
        _verify_same_element(self.source, self.result)
        source, result = get_shape(self.source.type), get_shape(self.result.type)
        if len(self.indices) != len(source):
            raise VerifyException(f"expects {len(source)} indices, but got {len(self.indices)}")
        if isinstance(self.result.type, TensorType) and (
            len(result) != len(source)
            or any(whole % part for whole, part in zip(source, result, strict=True))
        ):
            raise VerifyException(f"'{self.result.type}' is not a slice of '{self.source.type}'")


@diagnosed_op
class InsertOp(SliceInsertion):
    """The destination with one slice replaced; indices count slices as in `extract`."""

    name = "nv_tileaa.insert"

    def verify_(self) -> None:
        _verify_same_element(self.source, self.destination)
        part, whole = get_shape(self.source.type), get_shape(self.destination.type)
        if len(self.indices) != len(whole):
            raise VerifyException(f"expects {len(whole)} indices, but got {len(self.indices)}")
        if len(part) != len(whole) or any(
            size % step for size, step in zip(whole, part, strict=True)
        ):
            raise VerifyException(
                f"'{self.source.type}' is not a slice of '{self.destination.type}'"
            )


@diagnosed_op
class MakeRangeOp(TileaaOperation):
    """
    The integers from `start` up to `end`, cut to the elements of the result:
    `make_range %c0, %c8 : i32 to tensor<8xi32>`.
    """

    name = "nv_tileaa.make_range"

    T: ClassVar = VarConstraint("T", base(IntegerType))
    start = operand_def(T)
    end = operand_def(T)
    result = result_def(TensorConstraint())

    traits = traits_def(Pure())
    assembly_format = "$start `,` $end attr-dict `:` type($start) `to` type($result)"

    def verify_(self) -> None:
        if len(get_shape(self.result.type)) != 1:
            raise VerifyException(f"expects a result of rank 1, but got '{self.result.type}'")
        if not isinstance(get_element(self.result.type), IntegerType):
            raise VerifyException(f"expects integers, but got '{self.result.type}'")


@diagnosed_op
class AssumeOp(TileaaOperation):
    """The operand, for which a predicate holds: `assume %x {predicate = #nv_tileaa.div_by<16>}`."""

    name = "nv_tileaa.assume"

    T: ClassVar = VarConstraint("T", AnyAttr())
    value = operand_def(T)
    result = result_def(T)
    predicate = prop_def(AnyAttr())

    traits = traits_def(Pure(), ShapePatterns())
    assembly_format = "$value attr-dict `:` type($result)"

    def verify_(self) -> None:
        if not isinstance(self.predicate, PredicateAttribute):
            raise VerifyException(
                "expects one of the predicates div_by, bounded, same_elements, but got "
                f"{self.predicate}"
            )
        self.predicate.verify_value(self.value.type)


# Tiles that are known to be zero.


def is_zero(value: SSAValue) -> bool:
    """Whether a tile is known to be all zeros."""
    owner = value.owner
    if isinstance(owner, SplatOp):
        owner = owner.operands[0].owner
    if not isinstance(owner, arith.ConstantOp):
        return False
    match owner.value:
        case FloatAttr() | IntegerAttr() as number:
            return number.value.data == 0
        case DenseIntOrFPElementsAttr() as numbers:
            return numbers.is_splat() and numbers.get_values()[0] == 0
        case _:
            return False


def is_positive_zero(value: SSAValue) -> bool:
    """Whether all elements of a tile are zeros as memory holds them: no bit is set."""
    match value.owner:
        case SplatOp() as splat:
            return is_positive_zero(splat.operands[0])
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data == 0
        case arith.ConstantOp(value=FloatAttr() as number):
            return str(number.value.data) == "0.0"
        case _:
            return False
