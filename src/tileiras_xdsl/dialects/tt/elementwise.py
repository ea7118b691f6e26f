"""Ops of `tt` that work element by element, on tensors or scalars, and those of the grid."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, IntegerType, StringAttr, i32
from xdsl.irdl import (
    AnyAttr,
    VarConstraint,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect

from tileiras_xdsl.dialects.building import define, diagnosed_op
from tileiras_xdsl.dialects.memory_order import Asserts, LaunchesGrids, Prints, WaitsForGrids

from .base import ConversionOperation, TritonOperation, UnknownUnlessPure, ViewLike
from .types import PtrType, element_of, is_integer, shape_of
from .words import (
    ProgramIDDim,
    RoundingMode,
    WordAxis,
    WordNan,
    WordRounding,
    find_word,
)


class GridOperation(TritonOperation):
    """A number of the grid, in one of its dimensions."""

    axis = prop_def(IntegerAttr)
    result = result_def(i32)

    traits = traits_def(Pure())
    custom_directives = (WordAxis,)
    assembly_format = "custom<WordProgramIDDim>($axis) attr-dict `:` type($result)"

    @property
    def dimension(self) -> int:
        """0, 1 or 2."""
        return int(find_word(self.axis, ProgramIDDim, "axis"))

    def verify_(self) -> None:
        find_word(self.axis, ProgramIDDim, "axis")


@diagnosed_op
class GetProgramIdOp(GridOperation):
    """Which program this is."""

    name = "tt.get_program_id"


@diagnosed_op
class GetNumProgramsOp(GridOperation):
    """How many programs there are."""

    name = "tt.get_num_programs"


class CastOperation(ConversionOperation):
    """A conversion of each element."""

    def verify_(self) -> None:
        self.verify_shape("the result", self.result.type, shape_of(self.src.type))


@diagnosed_op
class IntToPtrOp(CastOperation):
    """Addresses as pointers."""

    name = "tt.int_to_ptr"

    def verify_(self) -> None:
        super().verify_()
        if not is_integer(self.src.type, 64):
            self.fail(f"expects integers of 64 bits, but got '{self.src.type}'")
        if not isinstance(element_of(self.result.type), PtrType):
            self.fail(f"expects pointers as the result, but got '{self.result.type}'")


@diagnosed_op
class PtrToIntOp(CastOperation):
    """Pointers as addresses."""

    name = "tt.ptr_to_int"

    def verify_(self) -> None:
        super().verify_()
        if not isinstance(element_of(self.src.type), PtrType):
            self.fail(f"expects pointers, but got '{self.src.type}'")
        if not is_integer(self.result.type, 64):
            self.fail(f"expects integers of 64 bits as the result, but got '{self.result.type}'")


@diagnosed_op
class BitcastOp(CastOperation):
    """The same bits as another type, or pointers to one."""

    name = "tt.bitcast"

    traits = traits_def(ViewLike(), Pure())

    def verify_(self) -> None:
        super().verify_()
        kinds = {isinstance(element_of(v.type), PtrType) for v in (self.src, self.result)}
        if len(kinds) > 1:
            self.fail(f"cannot cast '{self.src.type}' to '{self.result.type}'")


@diagnosed_op
class FpToFpOp(CastOperation):
    """Floats of another type; a narrower one needs a rounding mode."""

    name = "tt.fp_to_fp"

    rounding = opt_prop_def(IntegerAttr)

    custom_directives = (WordRounding,)
    assembly_format = (
        "$src attr-dict custom<WordRoundingMode>($rounding) `:` type($src) `->` type($result)"
    )

    def verify_(self) -> None:
        super().verify_()
        if self.rounding is not None:
            find_word(self.rounding, RoundingMode, "rounding")
        for value in (self.src, self.result):
            if is_integer(value.type) or isinstance(element_of(value.type), PtrType):
                self.fail(f"expects floats, but got '{value.type}'")


@diagnosed_op
class ClampFOp(TritonOperation):
    """A float, or the limit that it is beyond."""

    name = "tt.clampf"

    T: ClassVar = VarConstraint("T", AnyAttr())
    x = operand_def(T)
    min = operand_def(T)
    max = operand_def(T)
    propagate_nan = prop_def(IntegerAttr, prop_name="propagateNan")
    result = result_def(T)

    traits = traits_def(Pure())
    custom_directives = (WordNan,)
    assembly_format = (
        "$x `,` $min `,` $max custom<WordPropagateNan>($propagateNan) attr-dict `:` type($result)"
    )


class UnaryOperation(TritonOperation):
    """One value to another of its type."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    x = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$x attr-dict `:` type($x)"


class BinaryOperation(TritonOperation):
    """Two values of a type to a third."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    x = operand_def(T)
    y = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$x `,` $y attr-dict `:` type($x)"


PreciseSqrtOp = define(
    UnaryOperation, "PreciseSqrtOp", "tt.precise_sqrt", "Square root, rounded to nearest even."
)
PreciseDivFOp = define(
    BinaryOperation, "PreciseDivFOp", "tt.precise_divf", "Quotient, rounded to nearest even."
)
ApproxDivFOp = define(
    BinaryOperation, "ApproxDivFOp", "tt.approx_divf", "Approximate quotient (Triton 3.9)."
)
MulhiUIOp = define(
    BinaryOperation, "MulhiUIOp", "tt.mulhiui", "Upper half of the product of unsigned integers."
)


class ElementwiseCall(TritonOperation):
    """Something of which only the name is known, element by element."""

    args = var_operand_def()
    pure = prop_def(BoolAttr)

    traits = traits_def(UnknownUnlessPure())

    def verify_(self) -> None:
        shapes = {shape_of(value.type) for value in (*self.args, *self.results)}
        if len(shapes) > 1:
            self.fail("expects operands and results of one shape")


@diagnosed_op
class ExternElementwiseOp(ElementwiseCall):
    """A function of a library, such as `__nv_tanhf` of libdevice, for each element."""

    name = "tt.extern_elementwise"

    libname = prop_def(StringAttr)
    libpath = prop_def(StringAttr)
    symbol = prop_def(StringAttr)
    result = result_def()

    assembly_format = "$args attr-dict `:` functional-type($args, results)"


@diagnosed_op
class ElementwiseInlineAsmOp(ElementwiseCall):
    """PTX for each element, or for each group of `packed_element` elements."""

    name = "tt.elementwise_inline_asm"

    asm_string = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    packed_element = prop_def(IntegerAttr)
    result = var_result_def()

    assembly_format = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)"


@diagnosed_op
class MapElementwiseOp(TritonOperation):
    """A region of scalar code for each element, or for each group of `pack` elements."""

    name = "tt.map_elementwise"

    srcs = var_operand_def()
    pack = prop_def(IntegerAttr)
    result = var_result_def()
    scalar_op = region_def()

    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        shapes = {shape_of(value.type) for value in (*self.srcs, *self.results)}
        if len(shapes) > 1:
            self.fail("expects operands and results of one shape")


@diagnosed_op
class MapElementwiseReturnOp(TritonOperation):
    """Ends the region of `map_elementwise` with its values."""

    name = "tt.map_elementwise.return"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"


@diagnosed_op
class PrintOp(TritonOperation):
    """Prints values behind a prefix."""

    name = "tt.print"

    args = var_operand_def()
    prefix = prop_def(StringAttr)
    hex = prop_def(BoolAttr)
    is_signed = opt_prop_def(prop_name="isSigned")

    traits = traits_def(Prints())
    assembly_format = "$prefix attr-dict (`:` $args^ `:` type($args))?"


@diagnosed_op
class AssertOp(TritonOperation):
    """Stops the program if an element is false."""

    name = "tt.assert"

    condition = operand_def()
    message = prop_def(StringAttr)

    traits = traits_def(Asserts())
    assembly_format = "$condition `,` $message attr-dict `:` type($condition)"

    def verify_(self) -> None:
        if not isinstance(element_of(self.condition.type), IntegerType):
            self.fail(f"expects integers, but got '{self.condition.type}'")


@diagnosed_op
class GridDependencyWaitOp(TritonOperation):
    """Waits for the grids that this one depends on (Triton 3.9)."""

    name = "tt.grid_dependency_wait"

    traits = traits_def(WaitsForGrids())
    assembly_format = "attr-dict"


@diagnosed_op
class GridDependencyLaunchDependentsOp(TritonOperation):
    """Lets the grids start that depend on this one (Triton 3.9)."""

    name = "tt.grid_dependency_launch_dependents"

    traits = traits_def(LaunchesGrids())
    assembly_format = "attr-dict"
