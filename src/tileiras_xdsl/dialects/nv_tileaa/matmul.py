"""Dot: matrix multiplication with an accumulator, and packing of sub-byte operands."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
    UnitAttr,
    f16,
    f32,
    f64,
    i8,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import VarConstraint, operand_def, opt_prop_def, result_def, traits_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Word, diagnosed_op
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.cuda_tile.types import is_float

from .attributes import (
    SIGNEDNESS,
    TensorConstraint,
    TileaaOperation,
    get_element,
    get_shape,
    is_number,
    word,
)

INPUT_PRECISION = Word("input_precision", ("tf32", "ieee"))


class DotPatterns(HasCanonicalizationPatternsTrait):
    """The folds of dots."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tileiras_xdsl.transforms.tileaa.canonicalization import dot as patterns

        return patterns.DOT_PATTERNS


def verify_dot(a: Attribute, b: Attribute, c: Attribute) -> None:
    """Checks the shapes of `a * b + c`, with or without a batch dimension in front."""
    shape_a, shape_b, shape_c = get_shape(a), get_shape(b), get_shape(c)
    if len(shape_c) not in (2, 3):
        raise VerifyException(
            f"expects rank-2 or rank-3 tensor for result, but got ({len(shape_c)})"
        )
    if (
        len(shape_a) != len(shape_b)
        or len(shape_a) not in (2, 3)
        or shape_a[-1] != shape_b[-2]
        or shape_a[:-2] != shape_b[:-2]
    ):
        raise VerifyException("expects the shape of operand #A and #B to be compatible")
    if shape_c != (*shape_a[:-1], shape_b[-1]):
        raise VerifyException(
            "expects the shape of operand #C is compatible with operands #A and #B"
        )


def get_accumulators(element: Attribute) -> Sequence[Attribute]:
    """The accumulator types of a dot with float operands of some type."""
    if isinstance(element, Float64Type):
        return (f64,)
    if isinstance(element, BFloat16Type | FloatTF32Type | Float32Type):
        return (f32,)
    return (f32, f16)


def verify_accumulator(element: Attribute, accumulator: Attribute) -> None:
    """Checks that the accumulator type of float operands is wide enough."""
    allowed = get_accumulators(element)
    if accumulator in allowed:
        return
    names = " or ".join(str(ty) for ty in allowed)
    either = "either " if len(allowed) > 1 else ""
    raise VerifyException(f"expects #C element type to be {either}{names}, but got '{accumulator}'")


class DotOperation(TileaaOperation, ABC):
    """A dot: operands A and B, and an accumulator."""

    input_precision = opt_prop_def(INPUT_PRECISION)
    signedness_lhs = opt_prop_def(SIGNEDNESS)
    signedness_rhs = opt_prop_def(SIGNEDNESS)
    fast_acc = opt_prop_def(UnitAttr)

    def is_signed(self, which: str) -> bool:
        """Whether integers of operand `lhs` or `rhs` are signed."""
        attribute = self.signedness_lhs if which == "lhs" else self.signedness_rhs
        return word(attribute, "signed") == "signed"

    def get_types(self) -> list[Attribute]:
        """The types of operands A and B and of the accumulator."""
        return [value.type for value in self.operands[:3]]

    def verify_(self) -> None:
        types = self.get_types()
        a, b, c = map(get_element, types)
        if isinstance(a, IntegerType) and isinstance(b, IntegerType):
            if not isinstance(c, IntegerType):
                self._fail_kinds()
            if a.width != b.width:
                raise VerifyException(
                    "expects #A and #B have same bit width but got "
                    f"{a.width.data} vs {b.width.data}"
                )
        elif is_float(a) and is_float(b) and is_float(c):
            verify_accumulator(a, c)
            verify_accumulator(b, c)
        else:
            self._fail_kinds()
        verify_dot(*types)

    def _fail_kinds(self) -> None:
        raise VerifyException(
            "expected the element types of A, B, C, and D to be either all integers or all floats."
        )


@diagnosed_op
class DotOp(DotOperation):
    """
    `accumulator + a * b`, computed in the type of the accumulator:

        %d = nv_tileaa.dot %a, %b, %c {input_precision = "tf32"}
            : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>

    `input_precision` says how f32 operands are multiplied: rounded to tf32, or as they are
    (`ieee`). Integer operands are signed unless `signedness_lhs` or `signedness_rhs` says
    otherwise. `fast_acc` allows FP8 products to be accumulated with fewer bits.
    """

    name = "nv_tileaa.dot"

    C: ClassVar = VarConstraint("C", TensorConstraint())
    a = operand_def(TensorConstraint())
    b = operand_def(TensorConstraint())
    accumulator = operand_def(C)
    result = result_def(C)

    traits = traits_def(Pure(), DotPatterns())
    assembly_format = (
        "$a `,` $b `,` $accumulator attr-dict `:` type($a) `,` type($b) `,` type($result)"
    )


def verify_scaled_dot(operands: Sequence[SSAValue], scales: Sequence[SSAValue]) -> None:
    """Checks A, B and the accumulator of a block-scaled dot, and the scales of A and B."""
    if not all(is_float(get_element(value.type)) for value in (*operands, *scales)):
        raise VerifyException("expects operands, accumulator and scales to be floats")
    a, b, accumulator = (value.type for value in operands)
    verify_dot(a, b, accumulator)
    lhs, rhs = get_shape(a), get_shape(b)
    lhs_scale, rhs_scale = (get_shape(scale.type) for scale in scales)
    groups = lhs_scale[-1] if lhs_scale else 0
    if (
        not groups
        or lhs[-1] % groups
        or lhs_scale != (*lhs[:-1], groups)
        or rhs_scale != (*rhs[:-2], groups, rhs[-1])
    ):
        raise VerifyException(
            f"scales '{scales[0].type}' and '{scales[1].type}' do not fit '{a}' and '{b}'"
        )


@diagnosed_op
class MmaFScaledOp(TileaaOperation):
    """
    A block-scaled dot, `acc + (lhs * scales) * (rhs * scales)`: each group of elements along K has
    a scale.
    """

    name = "nv_tileaa.mmaf_scaled"

    C: ClassVar = VarConstraint("C", TensorConstraint())
    lhs = operand_def(TensorConstraint())
    rhs = operand_def(TensorConstraint())
    acc = operand_def(C)
    lhs_scale = operand_def(TensorConstraint())
    rhs_scale = operand_def(TensorConstraint())
    result = result_def(C)

    traits = traits_def(Pure())
    assembly_format = (
        "$lhs `,` $rhs `,` $acc `,` $lhs_scale `,` $rhs_scale attr-dict `:` type($lhs) `,` "
        "type($rhs) `,` type($acc) `,` type($lhs_scale) `,` type($rhs_scale)"
    )

    def verify_(self) -> None:
        verify_scaled_dot(self.operands[:3], self.operands[3:])


class PackingOperation(TileaaOperation, ABC):
    """The same bits in a tensor of rank 1 with elements of another width."""

    source = operand_def(TensorConstraint())
    result = result_def(TensorConstraint())

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def verify_packed(self, packed: SSAValue) -> None:
        """Checks that `packed`, the operand or the result, holds the bits as bytes."""
        if get_element(packed.type) != i8:
            raise VerifyException(f"expects bytes of type 'i8', but got '{packed.type}'")
        source, result = self.source.type, self.result.type
        if not (is_number(get_element(source)) and is_number(get_element(result))):
            raise VerifyException(f"expects numbers, but got '{source}' and '{result}'")
        if len(get_shape(source)) != 1 or len(get_shape(result)) != 1:
            raise VerifyException("expects source and result of rank 1")
        if _bit_count(source) != _bit_count(result):
            raise VerifyException(f"'{source}' and '{result}' have different sizes in bits")


def _bit_count(ty: Attribute) -> int:
    """Bits of a tensor in memory, where a tf32 takes a whole word."""
    element = get_element(ty)
    width = 32 if isinstance(element, FloatTF32Type) else element_bit_width(element)
    return prod(get_shape(ty)) * width


@diagnosed_op
class PackOp(PackingOperation):
    """The bytes of a tensor of rank 1."""

    name = "nv_tileaa.pack"

    def verify_(self) -> None:
        self.verify_packed(self.result)


@diagnosed_op
class UnpackOp(PackingOperation):
    """The tensor of rank 1 that bytes hold."""

    name = "nv_tileaa.unpack"

    def verify_(self) -> None:
        self.verify_packed(self.source)
