"""
xDSL's `arith` with the ops it restricts to scalars defined on tensors and vectors too, as
upstream does: `select`, comparisons, and the conversions between integers, and between integers
and floats; and `index_castui` and `remf`, which it lacks.

The dialect takes the place of xDSL's in every context (see `universe.py`). Each op is a
subclass of the one it replaces, so that passes and patterns of xDSL find it.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import BuiltOperation, Value, init_plain, value_type

from .cuda_tile.types import is_float


def _element(ty: Attribute) -> Attribute:
    return ty.get_element_type() if isinstance(ty, TensorType | VectorType) else ty


def _is_float(element: Attribute) -> bool:
    return isinstance(element, AnyFloat) or is_float(element)


def _container(ty: Attribute) -> tuple[object, ...]:
    """Whether a type is a scalar, a vector or a tensor, and of which shape and layout."""
    if isinstance(ty, TensorType):
        return ty.name, ty.get_shape(), ty.encoding
    return (ty.name, ty.get_shape()) if isinstance(ty, VectorType) else ()


@irdl_op_definition
class SelectOp(arith.SelectOp):
    """
    One of two values by a condition, which is an i1, or a tensor of as many i1 as the values
    have elements: `arith.select %c, %a, %b : tensor<8xi1>, tensor<8xf32>`.
    """

    name = "arith.select"

    T: ClassVar = VarConstraint("T", AnyAttr())
    cond = operand_def()
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    assembly_format: ClassVar = None  # replaced by methods

    def __init__(self, cond: Value, lhs: Value, rhs: Value):
        init_plain(self, [cond, lhs, rhs], [value_type(lhs)])

    def verify_(self) -> None:
        ty = self.cond.type
        if _element(ty) != i1:
            raise VerifyException(f"expects an i1 or a tensor of i1, but got '{ty}'")
        if ty != i1 and _container(ty) != _container(self.result.type):
            raise VerifyException(f"'{ty}' has not the shape of '{self.result.type}'")

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        cond = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        cond_type, ty = i1, parser.parse_type()
        if parser.parse_optional_punctuation(",") is not None:
            cond_type, ty = ty, parser.parse_type()
        op = cls(
            parser.resolve_operand(cond, cond_type),
            parser.resolve_operand(lhs, ty),
            parser.resolve_operand(rhs, ty),
        )
        op.attributes = attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)


def _comparison_type(ty: Attribute) -> Attribute:
    """An i1, or as many as a tensor or vector has elements."""
    if isinstance(ty, VectorType):
        return VectorType(i1, ty.get_shape(), ty.scalable_dims)
    if isinstance(ty, TensorType):
        return TensorType(i1, ty.get_shape(), ty.encoding)
    return i1


def _verify_comparison(op: CmpiOp | CmpfOp) -> None:
    expected = _comparison_type(op.lhs.type)
    if op.lhs.type != op.rhs.type or op.result.type != expected:
        raise VerifyException(
            f"expects operands of one type and a result of type '{expected}', but got "
            f"'{op.lhs.type}', '{op.rhs.type}' and '{op.result.type}'"
        )


@irdl_op_definition
class CmpiOp(arith.CmpiOp):
    """A comparison of integers, lane by lane: `arith.cmpi slt, %a, %b : vector<4xi32>`."""

    name = "arith.cmpi"

    predicate = prop_def(IntegerAttr)
    lhs = operand_def(arith.signlessIntegerLike)
    rhs = operand_def(arith.signlessIntegerLike)
    result = result_def()

    def __init__(self, operand1: Value, operand2: Value, arg: int | str):
        lhs, rhs = SSAValue.get(operand1), SSAValue.get(operand2)
        self._validate_operand_types(lhs, rhs)
        number = arith.CMPI_COMPARISON_OPERATIONS.index(arg) if isinstance(arg, str) else arg
        predicate = {"predicate": IntegerAttr(number, i64)}
        init_plain(self, [lhs, rhs], [_comparison_type(lhs.type)], predicate)

    def verify_(self) -> None:
        _verify_comparison(self)


@irdl_op_definition
class CmpfOp(arith.CmpfOp):
    """A comparison of floats, lane by lane: `arith.cmpf olt, %a, %b : vector<4xf32>`."""

    name = "arith.cmpf"

    predicate = prop_def(IntegerAttr)
    lhs = operand_def(arith.floatingPointLike)
    rhs = operand_def(arith.floatingPointLike)
    fastmath = prop_def(arith.FastMathFlagsAttr, default_value=arith.FastMathFlagsAttr("none"))
    result = result_def()

    def __init__(
        self,
        operand1: Value,
        operand2: Value,
        arg: int | str,
        fastmath: arith.FastMathFlagsAttr = arith.FastMathFlagsAttr("none"),
    ):
        lhs = SSAValue.get(operand1)
        self._validate_operand_types(lhs, SSAValue.get(operand2))
        number = arith.CMPF_COMPARISON_OPERATIONS.index(arg) if isinstance(arg, str) else arg
        IRDLOperation.__init__(
            self,
            operands=[lhs, operand2],
            result_types=[_comparison_type(lhs.type)],
            properties={"predicate": IntegerAttr(number, i64), "fastmath": fastmath},
        )

    def verify_(self) -> None:
        _verify_comparison(self)


class CastOperation(BuiltOperation, ABC):
    """`op %x : T to U`, lane by lane."""

    input = operand_def()
    result = result_def()

    FROM_FLOAT: ClassVar[bool] = False
    TO_FLOAT: ClassVar[bool] = False

    traits = traits_def(Pure())
    assembly_format: ClassVar = None  # inherited as methods

    def __init__(self, source: Value, result_type: Attribute):
        init_plain(self, [source], [result_type])

    def verify_(self) -> None:
        source, result = self.input.type, self.result.type
        if _container(source) != _container(result):
            raise VerifyException(f"'{source}' and '{result}' have different shapes")
        for ty, wants_float in ((source, self.FROM_FLOAT), (result, self.TO_FLOAT)):
            element = _element(ty)
            is_right = _is_float(element) if wants_float else isinstance(element, IntegerType)
            if not is_right:
                kind = "floats" if wants_float else "integers"
                raise VerifyException(f"expects {kind}, but got '{ty}'")


class ExtensionOperation(CastOperation, ABC):
    """An integer in more bits."""

    def verify_(self) -> None:
        super().verify_()
        source, result = _element(self.input.type), _element(self.result.type)
        assert isinstance(source, IntegerType)
        assert isinstance(result, IntegerType)
        if result.width.data <= source.width.data:
            raise VerifyException("Destination bit-width must be larger than the input bit-width")


@irdl_op_definition
class ExtSIOp(ExtensionOperation, arith.ExtSIOp):
    """A signed integer in more bits."""

    name = "arith.extsi"


@irdl_op_definition
class ExtUIOp(ExtensionOperation, arith.ExtUIOp):
    """An unsigned integer in more bits."""

    name = "arith.extui"


@irdl_op_definition
class TruncIOp(CastOperation, arith.TruncIOp):
    """An integer in fewer bits."""

    name = "arith.trunci"

    def verify_(self) -> None:
        super().verify_()
        source, result = _element(self.input.type), _element(self.result.type)
        assert isinstance(source, IntegerType)
        assert isinstance(result, IntegerType)
        if result.width.data >= source.width.data:
            raise VerifyException("Destination bit-width must be smaller than the input bit-width")


class IndexCastOperation(CastOperation, ABC):
    """A cast between `index` and integers."""

    def verify_(self) -> None:
        source, result = self.input.type, self.result.type
        kinds = {type(_element(source)), type(_element(result))}
        if _container(source) != _container(result) or kinds != {IndexType, IntegerType}:
            raise VerifyException(f"'{source}' and '{result}' are cast incompatible")


@irdl_op_definition
class IndexCastOp(IndexCastOperation, arith.IndexCastOp):
    """A signed integer as an index, or the opposite."""

    name = "arith.index_cast"


@irdl_op_definition
class IndexCastUIOp(IndexCastOperation):
    """An unsigned integer as an index, or the opposite."""

    name = "arith.index_castui"

    assembly_format: ClassVar = "$input attr-dict `:` type($input) `to` type($result)"


@irdl_op_definition
class SIToFPOp(CastOperation, arith.SIToFPOp):
    """A signed integer as a float."""

    name = "arith.sitofp"
    TO_FLOAT: ClassVar = True


@irdl_op_definition
class UIToFPOp(CastOperation, arith.UIToFPOp):
    """An unsigned integer as a float."""

    name = "arith.uitofp"
    TO_FLOAT: ClassVar = True


@irdl_op_definition
class FPToSIOp(CastOperation, arith.FPToSIOp):
    """A float, cut to a signed integer."""

    name = "arith.fptosi"
    FROM_FLOAT: ClassVar = True


@irdl_op_definition
class FPToUIOp(CastOperation, arith.FPToUIOp):
    """A float, cut to an unsigned integer."""

    name = "arith.fptoui"
    FROM_FLOAT: ClassVar = True


@irdl_op_definition
class RemFOp(arith.FloatingPointLikeBinaryOperation):
    """The remainder of a division of floats, with the sign of the left operand."""

    name = "arith.remf"

    traits = traits_def(Pure())


REPLACEMENTS = {
    op.name: op
    for op in (
        *(SelectOp, CmpiOp, CmpfOp, ExtSIOp, ExtUIOp, TruncIOp, IndexCastOp),
        *(SIToFPOp, UIToFPOp, FPToSIOp, FPToUIOp),
    )
}

Arith = Dialect(
    arith.Arith.name,
    [*(REPLACEMENTS.get(op.name, op) for op in arith.Arith.operations), IndexCastUIOp, RemFOp],
    list(arith.Arith.attributes),
    [arith.ArithConstantMaterializationInterface()],
)
