"""
Block-scaled dots: which of them an instruction does, and how all others are computed in f32.

Operands and scales, floats of at most 16 bits, are widened to f32, in which they and their products
are exact but for the range of f32:

    %d = nv_tileas.scaled_dot %a, %b, %c, %true scales(%sa, %sb) : tensor<64x64xf8E4M3FN>, …
    →
    %a32 = nv_tileaa.fp_to_fp %a …             %s32 = nv_tileaa.fp_to_fp %sa …
    %s1 = nv_tileas.expand_dims %s32 …         (tensor<64x2x1xf32>)
    %s2 = nv_tileaa.broadcast %s1 …            (tensor<64x2x32xf32>)
    %s3 = nv_tileas.view %s2 …                 (tensor<64x64xf32>)
    %x = nv_tileaa.mulf %a32, %s3 …            and the same for %b
    %d = nv_tileas.dot %x, %y, %c, %true {input_precision = "ieee",
        nv_tileas.emulated = "sm_90a has no block-scaled MMAs"} …
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, f32
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.mma_instructions import choose_scaled_instruction
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.nv_tileaa import elementwise, shape
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape, with_element
from tileiras_xdsl.dialects.nv_tileaa.matmul import MmaFScaledOp
from tileiras_xdsl.dialects.nv_tileas import shape as shapes
from tileiras_xdsl.dialects.nv_tileas.matmul import PlainDotOp, ScaledDotOp
from tileiras_xdsl.dialects.tileiras import explain
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tcgen05 import (
    COLUMN_STEP,
    INSTRUCTION_ROWS,
    STEP_BYTES,
    MmaKind,
    scaled_kind_of,
)

from .kernel_spec import get_target

TYPE_NAMES: Final = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2", "f4E2M1FN": "e2m1"}
"""Operands, and their names in PTX."""
SCALE_NAMES: Final = {"f8E8M0FNU": "ue8m0", "f8E4M3FN": "ue4m3"}
"""Scales, and their names in PTX; the sign of f8E4M3FN is not read."""


@dataclass(frozen=True)
class ScaledTypes:
    """The types of a block-scaled dot, and how many elements along K share a scale."""

    a: Attribute
    b: Attribute
    scale_a: Attribute
    scale_b: Attribute
    block: int

    @property
    def names(self) -> tuple[str, str, str]:
        """Of A, B and the scales in PTX; empty ones if they have none."""
        return (
            TYPE_NAMES.get(str(self.a), ""),
            TYPE_NAMES.get(str(self.b), ""),
            SCALE_NAMES.get(str(self.scale_a), ""),
        )

    @property
    def kind(self) -> MmaKind | None:
        """The kind of `tcgen05.mma` that multiplies such operands."""
        return None if self.scale_a != self.scale_b else scaled_kind_of(*self.names, self.block)

    def __str__(self) -> str:
        scales = dict.fromkeys(map(str, (self.scale_a, self.scale_b)))
        return f"{self.a} and {self.b} with {' and '.join(scales)} for {self.block} elements"


def types_of(op: ScaledDotOp) -> ScaledTypes:
    """The types of a block-scaled dot."""
    scale_a, scale_b = (get_element(value.type) for value in op.scales)
    return ScaledTypes(*op.elements, scale_a, scale_b, op.get_block())


def is_scaled_by_instruction(op: MmaFScaledOp, target: Target | None = None) -> bool:
    """Whether a target, that of the module if none is given, has an instruction for a dot."""
    return why_not_scaled(op, target) is None


def has_scaled_pieces(op: MmaFScaledOp, target: Target) -> bool:
    """Whether a target has an instruction for a dot, or for a part of it with fewer rows."""
    *batches, rows, columns = get_shape(op.acc.type)
    piece = (*batches, min(rows, INSTRUCTION_ROWS), columns)
    return why_not_scaled(op, target, piece) is None


def why_not_scaled(
    op: MmaFScaledOp, target: Target | None = None, result: Sequence[int] | None = None
) -> str | None:
    """Why a target has no instruction for a dot, or a part of a shape; None if it has one."""
    target = target or get_target(op)
    k = get_shape(op.lhs.type)[-1]
    block = k // get_shape(op.lhs_scale.type)[-1]
    types = ScaledTypes(
        get_element(op.lhs.type),
        get_element(op.rhs.type),
        get_element(op.lhs_scale.type),
        get_element(op.rhs_scale.type),
        block,
    )
    accumulator, result = get_element(op.acc.type), result or get_shape(op.acc.type)
    if accumulator != f32:
        return f"block-scaled MMAs have no accumulators of {accumulator}"
    if target.has("tcgen05"):
        return why_not_scaled_tcgen05(types, result, k)
    if not target.has("mma.block_scale"):
        return f"{target} has no block-scaled MMAs"
    if (types.a, types.scale_a) != (types.b, types.scale_b):
        return f"mma.sync has no {types}"
    sizes = (*result[-2:], k)
    if choose_scaled_instruction(types.a, types.scale_a, block, sizes, target) is None:
        return f"mma.sync has no {types}, or {'x'.join(map(str, sizes))} is too small"
    return None


def why_not_scaled_tcgen05(types: ScaledTypes, result: Sequence[int], k: int) -> str | None:
    """Why `tcgen05` has no instruction for operands with scales; None if it has one."""
    if types.kind is None:
        return f"tcgen05.mma has no {types}"
    if len(result) != 2:
        return f"tcgen05 has no batches, and there are {result[0]}"
    rows, columns = result
    if rows not in (INSTRUCTION_ROWS, 2 * INSTRUCTION_ROWS) or columns < COLUMN_STEP:
        return (
            f"no block-scaled MMAs of {INSTRUCTION_ROWS} rows and {COLUMN_STEP} columns make up "
            f"{rows}x{columns}"
        )
    if k * element_bit_width(types.a) < STEP_BYTES * 8:
        return f"K = {k} is less than {STEP_BYTES} bytes"
    return None


Insert = Callable[[Operation], object]
"""Inserts an op where the dot is."""


def explain_emulation(op: Operation, k: int, reason: str) -> None:
    """Tells that no instruction does a block-scaled dot, so that it is computed in f32."""
    sizes = "x".join(map(str, (*get_shape(op.results[0].type), k)))
    text = f"block-scaled dot {sizes}: FMAs of f32"
    explain(op, "Missed", "TensorCore", text, name="Emulated", reason=reason)


def emulate_scaled_dot(
    operands: Sequence[SSAValue],
    flag: SSAValue | None,
    attributes: Mapping[str, Attribute],
    insert: Insert,
) -> SSAValue:
    """
    The dot of f32 of A, B, the accumulator and scales. An accumulator of another type is converted.
    It is added to unless a flag is zero.
    """
    result_type = operands[2].type
    lhs, rhs, acc, lhs_scale, rhs_scale = (_widen(value, insert) for value in operands)
    rank = len(get_shape(lhs.type))
    a, b = _scale(lhs, lhs_scale, rank - 1, insert), _scale(rhs, rhs_scale, rank - 2, insert)
    if flag is None:
        flag = _insert(arith.ConstantOp(IntegerAttr.from_bool(True)), insert)
    dot = PlainDotOp(a, b, acc, flag, {"input_precision": StringAttr("ieee")})
    dot.attributes.update(attributes)
    result = _insert(dot, insert)
    if result.type != result_type:
        result = _insert(elementwise.FpToFpOp(result, result_type), insert)
    return result


def _insert(op: Operation, insert: Insert) -> SSAValue:
    insert(op)
    return op.results[0]


def _widen(value: SSAValue, insert: Insert) -> SSAValue:
    if get_element(value.type) == f32:
        return value
    return _insert(elementwise.FpToFpOp(value, with_element(value.type, f32)), insert)


def _scale(value: SSAValue, scale: SSAValue, dim: int, insert: Insert) -> SSAValue:
    """The elements times the scales of their groups along a dimension."""
    sizes, groups = get_shape(value.type), get_shape(scale.type)
    expanded = _insert(shapes.ExpandDimsOp(scale, dim + 1), insert)
    group = (*groups[: dim + 1], sizes[dim] // groups[dim], *groups[dim + 1 :])
    repeated = _insert(shape.BroadcastOp(expanded, TensorType(f32, group)), insert)
    scales = _insert(shapes.ViewOp(repeated, TensorType(f32, sizes)), insert)
    return _insert(elementwise.MulFOp(value, scales), insert)
