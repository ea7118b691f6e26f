"""Ops of `tt` that make, arrange and combine tensors."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, IntegerAttr, UnitAttr
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    VarConstraint,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from tileiras_xdsl.dialects.building import diagnosed_op
from tileiras_xdsl.dialects.cuda_tile.directives import array_values

from .base import IN_DICT, ConversionOperation, TritonOperation, ViewLike
from .types import element_of, shape_of, with_element
from .words import (
    ElementTypes,
    HistogramTypes,
    InputPrecision,
    ScaleDotElemType,
    UnsplatTypes,
    WordPrecision,
    find_word,
    make_word,
)


class ArrangementOperation(ConversionOperation):
    """A value as a tensor of the same elements."""

    traits = traits_def(ViewLike(), Pure())

    def verify_(self) -> None:
        self.verify_element("the result", self.result.type, element_of(self.src.type))


@diagnosed_op
class SplatOp(ArrangementOperation):
    """A scalar as all elements of a tensor."""

    name = "tt.splat"

    def verify_(self) -> None:
        super().verify_()
        self.verify_shape("the operand", self.src.type, ())
        self.tensor("the result", self.result)


@diagnosed_op
class UnsplatOp(TritonOperation):
    """The element of a tensor that has only one."""

    name = "tt.unsplat"

    src = operand_def()
    result = result_def()

    traits = traits_def(Pure())
    custom_directives = (UnsplatTypes,)
    assembly_format = "$src attr-dict `:` custom<UnsplatTypes>(type($src), type($result))"

    def verify_(self) -> None:
        if prod(shape_of(self.src.type)) != 1:
            self.fail(f"expects a tensor of one element, but got '{self.src.type}'")


@diagnosed_op
class ExpandDimsOp(ArrangementOperation):
    """A tensor with one more dimension, of extent one."""

    name = "tt.expand_dims"

    axis = prop_def(IntegerAttr)
    irdl_options = (IN_DICT,)

    def verify_(self) -> None:
        super().verify_()
        shape, axis = shape_of(self.src.type), self.axis.value.data
        self.verify_axis(axis, len(shape) + 1)
        self.verify_shape("the result", self.result.type, (*shape[:axis], 1, *shape[axis:]))


@diagnosed_op
class ReshapeOp(ArrangementOperation):
    """A tensor in another shape; the order of its elements may be free."""

    name = "tt.reshape"

    allow_reorder = opt_prop_def(UnitAttr)
    efficient_layout = opt_prop_def(UnitAttr)

    assembly_format = (
        "$src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? "
        "attr-dict `:` type($src) `->` type($result)"
    )

    def verify_(self) -> None:
        super().verify_()
        source, result = shape_of(self.src.type), shape_of(self.result.type)
        if prod(source) != prod(result):
            self.fail(f"cannot reshape '{self.src.type}' to '{self.result.type}'")


@diagnosed_op
class BroadcastOp(ArrangementOperation):
    """Repeats dimensions of extent one."""

    name = "tt.broadcast"

    def verify_(self) -> None:
        super().verify_()
        source, result = shape_of(self.src.type), shape_of(self.result.type)
        if len(source) != len(result) or any(
            dim not in (1, wanted) for dim, wanted in zip(source, result, strict=True)
        ):
            self.fail(f"cannot broadcast '{self.src.type}' to '{self.result.type}'")


@diagnosed_op
class TransOp(ArrangementOperation):
    """Transposes: dimension i of the result is dimension `order[i]`."""

    name = "tt.trans"

    order = prop_def(DenseArrayBase)
    irdl_options = (IN_DICT,)

    def get_order(self) -> tuple[int, ...]:
        """Which dimension each one of the result is."""
        return array_values(self.order)

    def verify_(self) -> None:
        super().verify_()
        shape, order = shape_of(self.src.type), self.get_order()
        if sorted(order) != list(range(len(shape))):
            self.fail(f"expects a permutation of {len(shape)} dimensions, but got {list(order)}")
        self.verify_shape("the result", self.result.type, [shape[dim] for dim in order])


class PairOperation(TritonOperation):
    """Two tensors of one type as another."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def()

    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"


@diagnosed_op
class CatOp(PairOperation):
    """One tensor behind another, along the first dimension."""

    name = "tt.cat"

    def verify_(self) -> None:
        first, *rest = self.tensor("the operand", self.lhs).get_shape()
        self.verify_shape("the result", self.result.type, (2 * first, *rest))
        self.verify_element("the result", self.result.type, element_of(self.lhs.type))


@diagnosed_op
class JoinOp(PairOperation):
    """Two tensors as the halves of a new last dimension."""

    name = "tt.join"

    def verify_(self) -> None:
        self.verify_shape("the result", self.result.type, (*shape_of(self.lhs.type), 2))
        self.verify_element("the result", self.result.type, element_of(self.lhs.type))


@diagnosed_op
class SplitOp(TritonOperation):
    """The halves of the last dimension, which is of extent two."""

    name = "tt.split"

    T: ClassVar = VarConstraint("T", AnyAttr())
    src = operand_def()
    out_lhs = result_def(T)
    out_rhs = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$src attr-dict `:` type($src) `->` type($out_lhs)"

    def verify_(self) -> None:
        *rest, last = self.tensor("the operand", self.src).get_shape()
        if last != 2:
            self.fail(f"expects a last dimension of extent 2, but got '{self.src.type}'")
        self.verify_shape("the results", self.out_lhs.type, rest)
        self.verify_element("the results", self.out_lhs.type, element_of(self.src.type))


@diagnosed_op
class MakeRangeOp(TritonOperation):
    """The numbers from `start` on."""

    name = "tt.make_range"

    start = prop_def(IntegerAttr)
    end = prop_def(IntegerAttr)
    result = result_def()

    irdl_options = (IN_DICT,)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def verify_(self) -> None:
        length = self.end.value.data - self.start.value.data
        if length <= 0:
            self.fail("expects a start before the end")
        self.verify_shape("the result", self.result.type, [length])


@diagnosed_op
class GatherOp(TritonOperation):
    """Elements of a tensor at indices along an axis."""

    name = "tt.gather"

    src = operand_def()
    indices = operand_def()
    axis = prop_def(IntegerAttr)
    efficient_layout = opt_prop_def(UnitAttr)
    result = result_def()

    irdl_options = (IN_DICT,)
    traits = traits_def(Pure())
    assembly_format = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        shape, indices = shape_of(self.src.type), shape_of(self.indices.type)
        axis = self.axis.value.data
        self.verify_axis(axis, len(shape))
        self.verify_type(
            "the result",
            self.result.type,
            with_element(self.indices.type, element_of(self.src.type)),
        )
        if len(shape) != len(indices) or any(
            index != axis and dim != shape[index] for index, dim in enumerate(indices)
        ):
            self.fail("expects indices of the shape of the operand in all dimensions but the axis")


@diagnosed_op
class HistogramOp(TritonOperation):
    """How often each number occurs, of those that the mask takes."""

    name = "tt.histogram"

    src = operand_def()
    mask = opt_operand_def()
    result = result_def()

    traits = traits_def(Pure())
    custom_directives = (HistogramTypes,)
    assembly_format = (
        "$src (`,` $mask^)? attr-dict `:` custom<HistogramTypes>(type($src), type($mask)) "
        "`->` type($result)"
    )


class DotOperation(TritonOperation):
    """Checks of the shapes of dots."""

    def verify_shapes(self, depth: tuple[int, int]) -> None:
        """Checks rows and columns; `depth` is how many elements one of each operand is."""
        a, b = (shape_of(value.type) for value in self.operands[:2])
        result = shape_of(self.results[0].type)
        if len(a) not in (2, 3) or len(a) != len(b) or len(a) != len(result):
            self.fail("expects operands and a result of two or three dimensions")
        if a[-1] * depth[0] != b[-2] * depth[1]:
            self.fail(f"expects columns of a as many as rows of b, but got {a[-1]} and {b[-2]}")
        if (*a[:-1], b[-1]) != result or a[:-2] != b[:-2]:
            self.fail(f"cannot have a result of type '{self.results[0].type}'")


@diagnosed_op
class DotOp(DotOperation):
    """`d = a · b + c`."""

    name = "tt.dot"

    T: ClassVar = VarConstraint("T", AnyAttr())
    a = operand_def()
    b = operand_def()
    c = operand_def(T)
    input_precision = prop_def(
        IntegerAttr, prop_name="inputPrecision", default_value=make_word(InputPrecision.IEEE)
    )
    max_num_imprecise_acc = prop_def(
        IntegerAttr, prop_name="maxNumImpreciseAcc", default_value=IntegerAttr(0, 32)
    )
    d = result_def(T)

    irdl_options = (IN_DICT,)
    traits = traits_def(Pure())
    custom_directives = (WordPrecision,)
    assembly_format = (
        "$a `,` $b `,` $c custom<WordInputPrecision>($inputPrecision) attr-dict `:` type($a) `*` "
        "type($b) `->` type($d)"
    )

    def verify_(self) -> None:
        find_word(self.input_precision, InputPrecision, "inputPrecision")
        self.verify_shapes((1, 1))


@diagnosed_op
class DotScaledOp(DotOperation):
    """
    `d = a · b + c` of small floats, of which each 16 or 32 along K share a scale; those of four
    bits are packed in pairs, along K unless `lhs_k_pack` or `rhs_k_pack` is false.
    """

    name = "tt.dot_scaled"

    T: ClassVar = VarConstraint("T", AnyAttr())
    a = operand_def()
    b = operand_def()
    c = operand_def(T)
    a_scale = opt_operand_def()
    b_scale = opt_operand_def()
    a_elem_type = prop_def(IntegerAttr)
    b_elem_type = prop_def(IntegerAttr)
    fast_math = prop_def(BoolAttr, prop_name="fastMath")
    lhs_k_pack = prop_def(BoolAttr, default_value=BoolAttr.from_bool(True))
    rhs_k_pack = prop_def(BoolAttr, default_value=BoolAttr.from_bool(True))
    d = result_def(T)

    irdl_options = (IN_DICT, AttrSizedOperandSegments(as_property=True))
    traits = traits_def(Pure())
    custom_directives = (ElementTypes,)
    assembly_format = (
        "$a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c "
        "custom<ElementTypes>($a_elem_type, $b_elem_type) attr-dict "
        "`:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)"
    )

    def verify_(self) -> None:
        depth: list[int] = []
        for attribute, name, k_pack in (
            (self.a_elem_type, "a_elem_type", self.lhs_k_pack),
            (self.b_elem_type, "b_elem_type", self.rhs_k_pack),
        ):
            word = find_word(attribute, ScaleDotElemType, name)
            is_packed = word is ScaleDotElemType.E2M1
            if is_packed and not k_pack.value.data:
                return  # Packed along the other dimension.
            depth.append(2 if is_packed else 1)
        self.verify_shapes((depth[0], depth[1]))
