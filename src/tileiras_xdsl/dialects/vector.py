"""
xDSL's `vector` with what it lacks: `from_elements`, `to_elements`, `splat`, slices of vectors,
`shape_cast`; and elements of any type, pointers among them, in `extract` and `insert`.

The dialect takes the place of xDSL's in every context (see `universe.py`). Each op that replaces
one is a subclass of it, so that passes and patterns of xDSL find it.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects import vector
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    ArrayAttr,
    DenseArrayBase,
    IndexTypeConstr,
    IntegerAttr,
    VectorType,
    i64,
)
from xdsl.dialects.utils import (
    DynamicIndexList,
    split_dynamic_index_list,
    verify_dynamic_index_list,
)
from xdsl.dialects.vector import CombiningKindAttr
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import (
    BuiltOperation,
    OpMeta,
    Value,
    dense_array,
    value_type,
    vector_of,
)

from .llvm import OwnFormat


@irdl_op_definition
class FromElementsOp(BuiltOperation):
    """
    A vector of all its elements, in row-major order.

        %v = vector.from_elements %a, %b, %c, %d : vector<2x2xf32>
    """

    name = "vector.from_elements"

    elements = var_operand_def()
    dest = result_def(VectorType)

    traits = traits_def(Pure())

    def __init__(self, elements: Sequence[Value], result_type: VectorType | None = None):
        values = [SSAValue.get(element) for element in elements]
        if result_type is None:
            result_type = VectorType(values[0].type, [len(values)])
        super().__init__(operands=[values], result_types=[result_type])

    def verify_(self) -> None:
        ty = self.dest.type
        if len(self.elements) != prod(ty.get_shape()):
            raise VerifyException(
                f"expects {prod(ty.get_shape())} elements for '{ty}', but got {len(self.elements)}"
            )
        for element in self.elements:
            if element.type != ty.get_element_type():
                raise VerifyException(
                    f"expects elements of type '{ty.get_element_type()}', but got '{element.type}'"
                )

    def print(self, printer: Printer) -> None:
        if self.elements:
            printer.print_string(" ")
            printer.print_list(self.elements, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.dest.type)

    @classmethod
    def parse(cls, parser: Parser) -> FromElementsOp:
        elements = (
            parser.parse_optional_undelimited_comma_separated_list(
                parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
            )
            or []
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        ty = parser.parse_type()
        if not isinstance(ty, VectorType):
            parser.raise_error(f"expected a vector type, but got '{ty}'", position)
        element_type = ty.get_element_type()
        op = cls([parser.resolve_operand(element, element_type) for element in elements], ty)
        op.attributes = attributes
        return op


@irdl_op_definition
class ToElementsOp(BuiltOperation):
    """
    All elements of a vector, in row-major order.

        %a, %b = vector.to_elements %v : vector<2xf32>
    """

    name = "vector.to_elements"

    source = operand_def(VectorType)
    elements = var_result_def()

    traits = traits_def(Pure())

    def __init__(self, source: Value):
        ty = value_type(source)
        assert isinstance(ty, VectorType)
        super().__init__(
            operands=[source],
            result_types=[[ty.get_element_type()] * prod(ty.get_shape())],
        )

    def verify_(self) -> None:
        ty = self.source.type
        assert isinstance(ty, VectorType)
        if [element.type for element in self.elements] != [ty.get_element_type()] * prod(
            ty.get_shape()
        ):
            raise VerifyException(
                f"expects {prod(ty.get_shape())} results of type '{ty.get_element_type()}'"
            )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.source)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)

    @classmethod
    def parse(cls, parser: Parser) -> ToElementsOp:
        source = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        ty = parser.parse_type()
        if not isinstance(ty, VectorType):
            parser.raise_error(f"expected a vector type, but got '{ty}'", position)
        op = cls(parser.resolve_operand(source, ty))
        op.attributes = attributes
        return op


@irdl_op_definition
class SplatOp(BuiltOperation):
    """A vector of equal elements: `%v = vector.splat %x : vector<4xf32>`."""

    name = "vector.splat"

    T: ClassVar = VarConstraint("T", AnyAttr())

    input = operand_def(T)
    aggregate = result_def(VectorType.constr(T))

    traits = traits_def(Pure())

    assembly_format = "$input attr-dict `:` type($aggregate)"


@irdl_op_definition
class ShapeCastOp(BuiltOperation):
    """
    The same elements, in the same order, as a vector of another shape.

        %w = vector.shape_cast %v : vector<4x2xf16> to vector<8xf16>
    """

    name = "vector.shape_cast"

    source = operand_def(VectorType)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def verify_(self) -> None:
        source, result = self.source.type, self.result.type
        assert isinstance(source, VectorType)
        if source.get_element_type() != result.get_element_type():
            raise VerifyException(f"'{source}' and '{result}' have different elements")
        if prod(source.get_shape()) != prod(result.get_shape()):
            raise VerifyException(f"'{source}' and '{result}' have different numbers of elements")


class StridedSliceOperation(BuiltOperation, ABC):
    """A part of a vector, `{offsets = […], sizes = […], strides = […]}`."""

    offsets = prop_def(ArrayAttr[IntegerAttr[I64]])
    strides = prop_def(ArrayAttr[IntegerAttr[I64]])

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())

    def verify_slice(self, whole: VectorType, sizes: Sequence[int]) -> None:
        """Raises if a part does not lie in the vector."""
        offsets = [offset.value.data for offset in self.offsets]
        strides = [stride.value.data for stride in self.strides]
        if not len(offsets) == len(sizes) == len(strides) <= len(whole.get_shape()):
            raise VerifyException(
                f"expects as many offsets, sizes and strides, at most {len(whole.get_shape())}, "
                f"but got {len(offsets)}, {len(sizes)} and {len(strides)}"
            )
        if any(stride != 1 for stride in strides):
            raise VerifyException(f"strides must be 1, but got {strides}")
        for axis, (offset, size, extent) in enumerate(
            zip(offsets, sizes, whole.get_shape(), strict=False)
        ):
            if offset < 0 or size < 1 or offset + size > extent:
                raise VerifyException(
                    f"elements {offset} to {offset + size} of dimension {axis} are not all in "
                    f"'{whole}'"
                )


def shuffle_lanes(first: SSAValue, second: SSAValue, lanes: Sequence[int]) -> vector.ShuffleOp:
    """Some lanes of the concatenation of two vectors of rank 1."""
    assert isinstance(first.type, VectorType)
    return vector.ShuffleOp.create(
        operands=[first, second],
        result_types=[vector_of(first.type.get_element_type(), len(lanes))],
        properties={"mask": dense_array(i64, tuple(lanes))},
    )


def _i64s(values: Sequence[int]) -> ArrayAttr[IntegerAttr]:
    return ArrayAttr(IntegerAttr(value, i64) for value in values)


@irdl_op_definition
class ExtractStridedSliceOp(StridedSliceOperation):
    """
    A part of a vector.

        %w = vector.extract_strided_slice %v {offsets = [4], sizes = [2], strides = [1]}
            : vector<8xf32> to vector<2xf32>
    """

    name = "vector.extract_strided_slice"

    source = operand_def(VectorType)
    sizes = prop_def(ArrayAttr[IntegerAttr[I64]])
    result = result_def(VectorType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def __init__(
        self,
        source: Value,
        offsets: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int] | None = None,
    ):
        ty = value_type(source)
        assert isinstance(ty, VectorType)
        shape = (*sizes, *ty.get_shape()[len(sizes) :])
        super().__init__(
            operands=[source],
            properties={
                "offsets": _i64s(offsets),
                "sizes": _i64s(sizes),
                "strides": _i64s(strides or [1] * len(sizes)),
            },
            result_types=[VectorType(ty.get_element_type(), shape)],
        )

    def verify_(self) -> None:
        ty = self.source.type
        assert isinstance(ty, VectorType)
        sizes = [size.value.data for size in self.sizes]
        self.verify_slice(ty, sizes)
        shape = (*sizes, *ty.get_shape()[len(sizes) :])
        expected = VectorType(ty.get_element_type(), shape)
        if self.result.type != expected:
            raise VerifyException(
                f"expects a result of type '{expected}', but got '{self.result.type}'"
            )


@irdl_op_definition
class InsertStridedSliceOp(StridedSliceOperation):
    """
    A vector with a part of it replaced.

        %w = vector.insert_strided_slice %u, %v {offsets = [4], strides = [1]}
            : vector<2xf32> into vector<8xf32>
    """

    name = "vector.insert_strided_slice"

    T: ClassVar = VarConstraint("T", AnyAttr())

    source = operand_def(VectorType)
    dest = operand_def(T)
    result = result_def(T)

    assembly_format = "$source `,` $dest attr-dict `:` type($source) `into` type($dest)"

    def __init__(
        self,
        source: Value,
        dest: Value,
        offsets: Sequence[int],
        strides: Sequence[int] | None = None,
    ):
        super().__init__(
            operands=[source, dest],
            properties={
                "offsets": _i64s(offsets),
                "strides": _i64s(strides or [1] * len(offsets)),
            },
            result_types=[value_type(dest)],
        )

    def verify_(self) -> None:
        source, dest = self.source.type, self.dest.type
        assert isinstance(source, VectorType)
        if not isinstance(dest, VectorType):
            raise VerifyException(f"operand #1 must be a vector, but got '{dest}'")
        if source.get_element_type() != dest.get_element_type():
            raise VerifyException(f"'{source}' and '{dest}' have different elements")
        if len(source.get_shape()) != len(dest.get_shape()):
            raise VerifyException(f"'{source}' and '{dest}' have different ranks")
        self.verify_slice(dest, source.get_shape())


class PositionOperation(IRDLOperation, metaclass=OpMeta):
    """An operation at a position of a vector, static or dynamic."""

    static_position = prop_def(DenseArrayBase.constr(i64))

    traits = traits_def(Pure())

    def verify_position(
        self, whole: Attribute, part: Attribute, dynamic: Sequence[SSAValue]
    ) -> None:
        """Raises if a position is not in the vector, or if something else is there."""
        positions = self.static_position.get_values()
        verify_dynamic_index_list(positions, dynamic, DYNAMIC_INDEX)
        assert isinstance(whole, VectorType)
        shape = whole.get_shape()
        if len(positions) > len(shape):
            raise VerifyException(f"{len(positions)} positions are more than the rank of '{whole}'")
        for position, extent in zip(positions, shape, strict=False):
            if position != DYNAMIC_INDEX and not -1 <= position < extent:
                raise VerifyException(f"position {position} is not in '{whole}'")
        rest = shape[len(positions) :]
        element = whole.get_element_type()
        expected = VectorType(element, rest) if rest else element
        if part != expected:
            raise VerifyException(f"'{expected}' is at this position, not '{part}'")


@irdl_op_definition
class ExtractOp(PositionOperation, OwnFormat, vector.ExtractOp):
    """
    An element, or a part of higher rank, of a vector.

        %x = vector.extract %v[1, %i] : f32 from vector<4x4xf32>
    """

    name = "vector.extract"

    vector = operand_def(VectorType)
    dynamic_position = var_operand_def(IndexTypeConstr)
    result = result_def()

    custom_directives = (DynamicIndexList,)
    assembly_format = (
        "$vector `` custom<DynamicIndexList>($dynamic_position, $static_position) "
        "attr-dict `:` type($result) `from` type($vector)"
    )

    def __init__(
        self,
        vector: Value,
        positions: Sequence[SSAValue | int],
        result_type: Attribute | None = None,
    ):
        value = SSAValue.get(vector)
        if result_type is None:
            ty = value.type
            assert isinstance(ty, VectorType)
            rest = ty.get_shape()[len(positions) :]
            element = ty.get_element_type()
            result_type = VectorType(element, rest) if rest else element
        static, dynamic = split_dynamic_index_list(positions, DYNAMIC_INDEX)
        IRDLOperation.__init__(
            self,
            operands=[value, dynamic],
            result_types=[result_type],
            properties={"static_position": DenseArrayBase.from_list(i64, static)},
        )

    def verify_(self) -> None:
        self.verify_position(self.vector.type, self.result.type, self.dynamic_position)


@irdl_op_definition
class InsertOp(PositionOperation, OwnFormat, vector.InsertOp):
    """
    A vector with an element, or a part of higher rank, replaced.

        %w = vector.insert %x, %v[1, %i] : f32 into vector<4x4xf32>
    """

    name = "vector.insert"

    T: ClassVar = VarConstraint("V", AnyAttr())

    source = operand_def()
    dest = operand_def(T)
    dynamic_position = var_operand_def(IndexTypeConstr)
    result = result_def(T)

    custom_directives = (DynamicIndexList,)
    assembly_format = (
        "$source `,` $dest `` custom<DynamicIndexList>($dynamic_position, $static_position) "
        "attr-dict `:` type($source) `into` type($dest)"
    )

    def verify_(self) -> None:
        if not isinstance(self.dest.type, VectorType):
            raise VerifyException(f"operand #1 must be a vector, but got '{self.dest.type}'")
        self.verify_position(self.dest.type, self.source.type, self.dynamic_position)


@irdl_op_definition
class ReductionOp(OwnFormat, vector.ReductionOp):
    """
    Combines the elements of a vector.

        %r = vector.reduction <add>, %v, %acc : vector<4xf32> into f32
    """

    name = "vector.reduction"

    T: ClassVar = VarConstraint("T", AnyAttr())

    vector = operand_def(VectorType.constr(T))
    acc = opt_operand_def(T)
    kind = prop_def(CombiningKindAttr)
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))
    dest = result_def(T)

    traits = traits_def(Pure())

    assembly_format = (
        "$kind `,` $vector (`,` $acc^)? (`fastmath` `` $fastmath^)? attr-dict `:` "
        "type($vector) `into` type($dest)"
    )

    def __init__(
        self,
        vector: Value,
        kind: CombiningKindAttr,
        acc: Value | None = None,
        fastmath: FastMathFlagsAttr | None = None,
    ):
        value = SSAValue.get(vector)
        ty = value.type
        assert isinstance(ty, VectorType)
        IRDLOperation.__init__(
            self,
            operands=[value, acc],
            result_types=[ty.get_element_type()],
            properties={"kind": kind, "fastmath": fastmath},
        )

    def verify_(self) -> None:
        ty = self.vector.type
        assert isinstance(ty, VectorType)
        if len(ty.get_shape()) > 1:
            raise VerifyException(f"expects a vector of rank 0 or 1, but got '{ty}'")


ADDITIONS: tuple[type[IRDLOperation], ...] = (
    *(FromElementsOp, ToElementsOp, SplatOp, ShapeCastOp),
    *(ExtractStridedSliceOp, InsertStridedSliceOp),
)

REPLACEMENTS: dict[str, type[Operation]] = {
    op.name: op for op in (ExtractOp, InsertOp, ReductionOp)
}

Vector = Dialect(
    vector.Vector.name,
    [*(REPLACEMENTS.get(op.name, op) for op in vector.Vector.operations), *ADDITIONS],
    list(vector.Vector.attributes),
)
