"""Folds of `nv_tileaa.dot`, the only arithmetic whose constants are folded on whole tiles."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    FloatTF32Type,
    IntegerType,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileaa.shape import PermuteOp, ViewOp
from tileiras_xdsl.transforms.common.rewriting import replace_by

from .memory import Constant, get_constant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.floating]
    Integers = NDArray[np.uint64]

MAX_WORK = 1 << 20
"""The most multiply-adds that are folded, as of 128x64 times 64x128."""
MIN_STEP = 1 << 8
"""The least cost of one step along K, in multiply-adds."""
ACCUMULATORS: dict[Attribute, str] = {f16: "float16", f32: "float32", f64: "float64"}
"""The accumulator types of floats, by their NumPy names."""


def is_valid(op: DotOp) -> bool:
    """Whether the verifier accepts the op."""
    try:
        op.verify()
    except VerifyException:
        return False
    return True


class FoldZeroDot(RewritePattern):
    """
    A dot whose operand A or B is all zero is its accumulator. Zeros of floats may have either
    sign, and win even against infinities and NaNs.

    Before:  %z = arith.constant dense<0> : tensor<16x16xi8>
             %d = nv_tileaa.dot %z, %b, %c
                 : tensor<16x16xi8>, tensor<16x16xi8>, tensor<16x16xi32>
    After:   every use of %d is one of %c
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp, rewriter: PatternRewriter, /):
        for value in (op.a, op.b):
            constant = get_constant(value)
            if constant is not None and constant.is_zero and is_valid(op):
                rewriter.replace(op, [], [op.accumulator])
                return


class NarrowWidenedOperands(RewritePattern):
    """
    A dot of 16-bit floats that were widened to tf32 is a dot of the floats themselves: all of f16
    and bf16 are in tf32, and products of two of them in f32.

    Before:  %x = nv_tileaa.fp_to_fp %a : tensor<64x64xbf16> to tensor<64x64xtf32>
             %y = nv_tileaa.fp_to_fp %b : tensor<64x64xbf16> to tensor<64x64xtf32>
             %d = nv_tileaa.dot %x, %y, %c
                 : tensor<64x64xtf32>, tensor<64x64xtf32>, tensor<64x64xf32>
    After:   %d = nv_tileaa.dot %a, %b, %c
                 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>

    Permutations and views in between are done with the narrow tiles.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp, rewriter: PatternRewriter, /):
        if get_element(op.accumulator.type) != f32 or op.accumulator.type != op.result.type:
            return
        a, b = find_widened(op.a), find_widened(op.b)
        if a is None or b is None or get_element(a[0].type) != get_element(b[0].type):
            return
        operands: list[SSAValue] = []
        for source, chain in (a, b):
            value = source
            for each in chain:
                shape = TensorType(get_element(value.type), get_shape(each.results[0].type))
                copy = type(each).create(
                    operands=[value], result_types=[shape], properties=dict(each.properties)
                )
                copy.location = each.location
                rewriter.insert(copy)
                value = copy.results[0]
            operands.append(value)
        op.operands[0], op.operands[1] = operands
        rewriter.notify_op_modified(op)


def find_widened(value: SSAValue) -> tuple[SSAValue, list[Operation]] | None:
    """
    The tile of 16-bit floats that a tile of tf32 was converted from, and the reshapes in between;
    None if it was not.
    """
    chain: list[Operation] = []
    if get_element(value.type) != FloatTF32Type():
        return None
    while get_element(value.type) not in (f16, bf16):
        op = value.owner
        if isinstance(op, PermuteOp | ViewOp):
            chain.insert(0, op)
        elif not isinstance(op, FpToFpOp):
            return None
        value = op.operands[0]
        if get_element(value.type) not in (f16, bf16, f32, FloatTF32Type()):
            return None
    return value, chain


class FoldConstantDot(RewritePattern):
    """
    A dot of constants is a constant, `acc[m, n] + Σ_k a[m, k] * b[k, n]`.

    Before:  %a = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
             %b = arith.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi8>
             %c = arith.constant dense<1> : tensor<2x2xi32>
             %d = nv_tileaa.dot %a, %b, %c : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32>
    After:   %d = arith.constant dense<[[20, 23], [44, 51]]> : tensor<2x2xi32>

    Integers are extended as their operand's signedness says, and accumulators wrap around. Floats
    are converted to the accumulator type first; then every multiplication and addition, in the
    order of K, is rounded to it. Not folded: dots of more than about a million multiply-adds, and
    dots on f32 whose values rounding to tf32 would change.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp, rewriter: PatternRewriter, /):
        a, b, c = map(get_constant, op.operands)
        if a is None or b is None or c is None or not is_valid(op):
            return
        *batch, m, k = get_shape(op.a.type)
        n = get_shape(op.b.type)[-1]
        if k * max(prod(batch) * m * n, MIN_STEP) > MAX_WORK:
            return
        result = evaluate_dot(op, a, b, c)
        if result is not None:
            replace_by(rewriter, op, ConstantOp(result))


def evaluate_dot(
    op: DotOp, a: Constant, b: Constant, c: Constant
) -> DenseIntOrFPElementsAttr | None:
    """The elements of a valid dot of these constants, unless it cannot be evaluated exactly."""
    ty = op.result.type
    assert isinstance(ty, TensorType)
    element = ty.get_element_type()
    if isinstance(element, IntegerType):
        if element.width.data > 64:
            return None
        integers = _load_integers(c, op.accumulator.type, signed=True) + (
            _load_integers(a, op.a.type, signed=op.is_signed("lhs"))
            @ _load_integers(b, op.b.type, signed=op.is_signed("rhs"))
        )
        mask = (1 << element.width.data) - 1
        values = [bits & mask for bits in integers.ravel().tolist()]
        return DenseIntOrFPElementsAttr.from_list(cast("TensorType[IntegerType]", ty), values)
    dtype = ACCUMULATORS.get(element)
    if dtype is None or _loses_bits(op, a) or _loses_bits(op, b):
        return None
    total = _multiply_floats(
        _load_floats(a, op.a.type, dtype),
        _load_floats(b, op.b.type, dtype),
        _load_floats(c, op.accumulator.type, dtype),
    )
    return DenseIntOrFPElementsAttr.from_list(
        cast("TensorType[Float32Type]", ty), total.ravel().tolist()
    )


def _loses_bits(op: DotOp, constant: Constant) -> bool:
    """Whether an operand in f32 is to be rounded to tf32, and some element would change."""
    precision = op.input_precision
    if precision is None or precision.data != "tf32":
        return False
    if not isinstance(constant.element, Float32Type):
        return False
    # The last 13 bits of an f32 are those that tf32 lacks.
    return any(bits & 0x1FFF for bits in constant.distinct_bits)


def _load_integers(constant: Constant, ty: Attribute, *, signed: bool) -> Integers:
    """The elements modulo 2^64."""
    import numpy as np

    values = [int(value) & 0xFFFF_FFFF_FFFF_FFFF for value in constant.iter_values(signed=signed)]
    array = np.array(values, np.uint64)
    return np.broadcast_to(array, prod(get_shape(ty))).reshape(get_shape(ty))


def _load_floats(constant: Constant, ty: Attribute, dtype: str) -> Floats:
    """The elements, rounded to the type of the accumulator."""
    import numpy as np

    with np.errstate(over="ignore"):
        array = np.array(list(constant.iter_values()), np.float64).astype(dtype)
    return np.broadcast_to(array, prod(get_shape(ty))).reshape(get_shape(ty))


def _multiply_floats(a: Floats, b: Floats, total: Floats) -> Floats:
    """`total + a @ b`, every multiplication and addition rounded."""
    import numpy as np

    with np.errstate(all="ignore"):
        for k in range(a.shape[-1]):
            total = total + a[..., :, k, None] * b[..., None, k, :]
    return total


DOT_PATTERNS: tuple[RewritePattern, ...] = (
    FoldZeroDot(),
    NarrowWidenedOperands(),
    FoldConstantDot(),
)
