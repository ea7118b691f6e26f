"""
Arithmetic of `nvvm`: approximations, rounded arithmetic, packed conversions and packed `f32`.

All of it is lane by lane and pure. `ftz` flushes denormal operands and results to zero.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    AnyFloat,
    Float8E4M3FNType,
    Float8E5M2Type,
    UnitAttr,
    VectorType,
    f16,
    f32,
    i8,
    i32,
)
from xdsl.ir import Attribute
from xdsl.irdl import VarConstraint, eq, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import define, diagnosed_op

from .base import FloatLike, NvvmOperation, RoundingMode, RoundingModeAttr

Approximated = FloatLike(("f32", "f16", "bf16"))
Rounded = FloatLike(("f32", "f64"))
F32X2 = VectorType(f32, [2])


class FlushingOperation(NvvmOperation, ABC):
    """An operation that can flush denormals to zero."""

    ftz = opt_prop_def(UnitAttr)

    traits = traits_def(Pure())


# Approximations


class UnaryApproxOp(FlushingOperation, ABC):
    """An approximation of a function: `%r = nvvm.ex2.approx.f %x {ftz} : f32`."""

    T: ClassVar = VarConstraint("T", Approximated)

    arg = operand_def(T)
    result = result_def(T)

    assembly_format = "$arg attr-dict `:` type($arg)"


class BinaryApproxOp(FlushingOperation, ABC):
    """An approximation of a quotient: `%r = nvvm.div.approx.f %x, %y {ftz} : f32`."""

    T: ClassVar = VarConstraint("T", FloatLike(("f32",)))

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs)"


def _unary(class_name: str, name: str, what: str) -> type[UnaryApproxOp]:
    return define(UnaryApproxOp, class_name, name, f"{what}: `%r = {name} %x {{ftz}} : f32`.")


def _binary(class_name: str, name: str, what: str) -> type[BinaryApproxOp]:
    return define(BinaryApproxOp, class_name, name, f"{what}: `%r = {name} %x, %y {{ftz}} : f32`.")


Ex2ApproxOp = _unary("Ex2ApproxOp", "nvvm.ex2.approx.f", "2 to the power of x")
Lg2ApproxOp = _unary("Lg2ApproxOp", "nvvm.lg2.approx.f", "The logarithm to base 2")
RsqrtApproxOp = _unary("RsqrtApproxOp", "nvvm.rsqrt.approx.f", "The reciprocal square root")
SqrtApproxOp = _unary("SqrtApproxOp", "nvvm.sqrt.approx.f", "The square root")
SinApproxOp = _unary("SinApproxOp", "nvvm.sin.approx.f", "The sine")
CosApproxOp = _unary("CosApproxOp", "nvvm.cos.approx.f", "The cosine")
TanhApproxOp = _unary("TanhApproxOp", "nvvm.tanh.approx.f", "The hyperbolic tangent")
DivApproxOp = _binary("DivApproxOp", "nvvm.div.approx.f", "The quotient, within 2 ulp")
DivFullOp = _binary("DivFullOp", "nvvm.div.full.f", "The quotient, for all ranges within 2 ulp")


@diagnosed_op
class RcpApproxFtzOp(NvvmOperation):
    """The reciprocal, flushing denormals: `%r = nvvm.rcp.approx.ftz.f %x : f32`."""

    name = "nvvm.rcp.approx.ftz.f"

    T: ClassVar = VarConstraint("T", FloatLike(("f32",)))

    arg = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$arg attr-dict `:` type($arg)"


# Rounded arithmetic


class RoundedOperation(FlushingOperation, ABC):
    """Arithmetic that says how it rounds."""

    T: ClassVar = VarConstraint("T", Rounded)

    rnd = prop_def(RoundingModeAttr)

    def verify_(self) -> None:
        if self.rnd.data is RoundingMode.RNA:
            raise VerifyException("rounding 'rna' is for conversions only")
        ty = self.results[0].type
        element = ty.get_element_type() if isinstance(ty, VectorType) else ty
        if self.ftz is not None and element != f32:
            raise VerifyException(f"ftz is for f32 only, but got '{ty}'")


class UnaryRoundedOp(RoundedOperation, ABC):
    """`%r = nvvm.sqrt.f %x {rnd = #nvvm.fp_rnd_mode<rz>, ftz} : f32`"""

    arg = operand_def(RoundedOperation.T)
    result = result_def(RoundedOperation.T)

    assembly_format = "$arg attr-dict `:` type($arg)"


class BinaryRoundedOp(RoundedOperation, ABC):
    """`%r = nvvm.add.f %x, %y {rnd = #nvvm.fp_rnd_mode<rz>, ftz} : f32`"""

    lhs = operand_def(RoundedOperation.T)
    rhs = operand_def(RoundedOperation.T)
    result = result_def(RoundedOperation.T)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs)"


def _unary_rounded(class_name: str, name: str, what: str) -> type[UnaryRoundedOp]:
    form = f"%r = {name} %x {{rnd = #nvvm.fp_rnd_mode<rz>}} : f32"
    return define(UnaryRoundedOp, class_name, name, f"{what}, rounded: `{form}`.")


def _binary_rounded(class_name: str, name: str, what: str) -> type[BinaryRoundedOp]:
    form = f"%r = {name} %x, %y {{rnd = #nvvm.fp_rnd_mode<rz>}} : f32"
    return define(BinaryRoundedOp, class_name, name, f"{what}, rounded: `{form}`.")


SqrtOp = _unary_rounded("SqrtOp", "nvvm.sqrt.f", "The square root")
RcpOp = _unary_rounded("RcpOp", "nvvm.rcp.f", "The reciprocal")
AddOp = _binary_rounded("AddOp", "nvvm.add.f", "The sum")
SubOp = _binary_rounded("SubOp", "nvvm.sub.f", "The difference")
MulOp = _binary_rounded("MulOp", "nvvm.mul.f", "The product")
DivOp = _binary_rounded("DivOp", "nvvm.div.f", "The quotient")


@diagnosed_op
class FmaOp(RoundedOperation):
    """Fused multiply-add: `%r = nvvm.fma.f %x, %y, %z {rnd = …} : f32`."""

    name = "nvvm.fma.f"

    a = operand_def(RoundedOperation.T)
    b = operand_def(RoundedOperation.T)
    c = operand_def(RoundedOperation.T)
    result = result_def(RoundedOperation.T)

    assembly_format = "$a `,` $b `,` $c attr-dict `:` type($a)"


# Conversions


class PackedConversionOp(NvvmOperation, ABC):
    """A conversion of two floats: `%r = nvvm.cvt.… %x : vector<2xT> to vector<2xU>`."""

    NARROWS: ClassVar[bool]

    arg = operand_def(VectorType)
    result = result_def(VectorType)

    traits = traits_def(Pure())

    assembly_format = "$arg attr-dict `:` type($arg) `to` type($result)"

    def verify_(self) -> None:
        verify_packed_conversion(self.arg.type, self.result.type, self.NARROWS)


def verify_packed_conversion(source: Attribute, result: Attribute, narrows: bool) -> None:
    """Raises if types are not those of two floats that get narrower, or wider."""
    widths: list[int] = []
    for ty in (source, result):
        element = ty.get_element_type() if isinstance(ty, VectorType) else None
        if (
            not isinstance(ty, VectorType)
            or ty.get_shape() != (2,)
            or not isinstance(element, AnyFloat)
        ):
            raise VerifyException(f"expects a vector of 2 floats, but got '{ty}'")
        widths.append(element.bitwidth)
    if (widths[0] > widths[1]) != narrows or widths[0] == widths[1]:
        raise VerifyException(
            f"'{result}' must be {'narrower' if narrows else 'wider'} than '{source}'"
        )


@diagnosed_op
class CvtFptruncX2Op(PackedConversionOp):
    """
    Narrows two floats; rounds to nearest even unless it says otherwise. `relu` makes negative
    results zero, `satfinite` makes infinite ones the largest number.

        %r = nvvm.cvt.fptrunc.x2 %x {rnd = #nvvm.fp_rnd_mode<rn>, relu}
            : vector<2xf32> to vector<2xf16>
    """

    name = "nvvm.cvt.fptrunc.x2"

    NARROWS: ClassVar = True

    rnd = opt_prop_def(RoundingModeAttr)
    relu = opt_prop_def(UnitAttr)
    satfinite = opt_prop_def(UnitAttr)


@diagnosed_op
class CvtFpextX2Op(PackedConversionOp):
    """Widens two floats: `%r = nvvm.cvt.fpext.x2 %x : vector<2xf16> to vector<2xf32>`."""

    name = "nvvm.cvt.fpext.x2"

    NARROWS: ClassVar = False


class FragmentConversionOp(NvvmOperation, ABC):
    """A conversion of a fragment from or to floats of 8 bits, which are bytes in registers."""

    arg = operand_def(VectorType)
    format = prop_def()
    """The type of these floats, `f8E4M3FN` or `f8E5M2`."""
    result = result_def(VectorType)

    traits = traits_def(Pure())

    assembly_format = "$arg `as` $format attr-dict `:` type($arg) `to` type($result)"

    def verify_types(
        self, floats: Attribute, allowed: tuple[Attribute, ...], packed: Attribute
    ) -> None:
        """Checks the floats and bytes of a conversion."""
        assert isinstance(floats, VectorType)
        assert isinstance(packed, VectorType)
        if not isinstance(self.format, Float8E4M3FNType | Float8E5M2Type):
            raise VerifyException(f"format must be f8E4M3FN or f8E5M2, but got '{self.format}'")
        shape = floats.get_shape()
        if len(shape) != 1 or shape[0] % 2 or shape != packed.get_shape():
            raise VerifyException(
                f"expects vectors of an even number of elements, but got '{floats}' and '{packed}'"
            )
        if floats.get_element_type() not in allowed or packed.get_element_type() != i8:
            words = " or ".join(map(str, allowed))
            raise VerifyException(f"converts {words} and bytes, not '{floats}' and '{packed}'")


@diagnosed_op
class FragmentFptruncOp(FragmentConversionOp):
    """
    Rounds to nearest even; what is too large becomes the largest number.

        %r = nvvm.fragment.fptrunc %x as f8E4M3FN : vector<8xf32> to vector<8xi8>
    """

    name = "nvvm.fragment.fptrunc"

    def verify_(self) -> None:
        self.verify_types(self.arg.type, (f32, f16), self.result.type)


@diagnosed_op
class FragmentFpextOp(FragmentConversionOp):
    """The same values: `%r = nvvm.fragment.fpext %x as f8E5M2 : vector<8xi8> to vector<8xf16>`."""

    name = "nvvm.fragment.fpext"

    def verify_(self) -> None:
        self.verify_types(self.result.type, (f16,), self.arg.type)


@diagnosed_op
class ConvertFloatToTF32Op(NvvmOperation):
    """
    The bits of a `tf32`, as an `i32`; or those of a fragment.

        %r = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rna>} : f32 -> i32
    """

    name = "nvvm.convert.float.to.tf32"

    arg = operand_def(FloatLike(("f32",)))
    rnd = prop_def(RoundingModeAttr)
    relu = opt_prop_def(UnitAttr)
    result = result_def()

    traits = traits_def(Pure())

    assembly_format = "$arg attr-dict `:` type($arg) `->` type($result)"

    DEFAULTS: ClassVar = {"rnd": RoundingMode.RNA}

    def verify_(self) -> None:
        if self.rnd.data not in (RoundingMode.RNA, RoundingMode.RN, RoundingMode.RZ):
            raise VerifyException(f"rounding must be rna, rn or rz, but got '{self.rnd.data}'")
        source = self.arg.type
        bits = VectorType(i32, source.get_shape()) if isinstance(source, VectorType) else i32
        if self.result.type != bits:
            raise VerifyException(f"the bits of '{source}' are '{bits}', not '{self.result.type}'")


# Packed arithmetic


class PackedF32x2Operation(FlushingOperation, ABC):
    """Arithmetic on two `f32`; rounds to nearest even unless it says otherwise."""

    rnd = opt_prop_def(RoundingModeAttr)


@diagnosed_op
class FmaPackedF32x2Op(PackedF32x2Operation):
    """`a * b + c` of two `f32`: `%r = nvvm.fma.packed.f32x2 %a, %b, %c : vector<2xf32>`."""

    name = "nvvm.fma.packed.f32x2"

    a = operand_def(eq(F32X2))
    b = operand_def(eq(F32X2))
    c = operand_def(eq(F32X2))
    result = result_def(eq(F32X2))

    assembly_format = "$a `,` $b `,` $c attr-dict `:` type($result)"


@diagnosed_op
class MulPackedF32x2Op(PackedF32x2Operation):
    """`a * b` of two `f32`: `%r = nvvm.mul.packed.f32x2 %a, %b : vector<2xf32>`."""

    name = "nvvm.mul.packed.f32x2"

    a = operand_def(eq(F32X2))
    b = operand_def(eq(F32X2))
    result = result_def(eq(F32X2))

    assembly_format = "$a `,` $b attr-dict `:` type($result)"
