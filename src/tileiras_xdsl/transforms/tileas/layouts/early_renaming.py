"""
Registers are renamed before elements are narrowed, and not taken out of words afterwards.

    %p = nv_tileaa.fp_to_fp %e : tensor<128x128xf32, #a> -> tensor<128x128xf8E4M3FN, #a>
    %q = nv_tileas.convert_layout %p : tensor<128x128xf8E4M3FN, #a> -> tensor<128x128xf8E4M3FN, #b>
    →
    %f = nv_tileas.convert_layout %e : tensor<128x128xf32, #a> -> tensor<128x128xf32, #b>
    %q = nv_tileaa.fp_to_fp %f : tensor<128x128xf32, #b> -> tensor<128x128xf8E4M3FN, #b>

An element of 32 bits has a register of its own, so a conversion that only renames registers costs
nothing. Four of 8 bits share one, and are packed as they are narrowed: bytes of one word that come
from several would be packed again.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.layout_conversion import Renaming, plan_conversion
from tileiras_xdsl.analysis.linear_layout import is_permutation_of_registers
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of, with_layout
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..kernel_model.layout_rules import is_cheap, is_elementwise, memory_bits, tensors


def rename_before_narrowing(function: FuncOp) -> None:
    """Moves conversions of a kernel that only rename registers before ops that narrow elements."""
    for conversion in find_all(function, ConvertLayoutOp):
        op = conversion.operands[0].owner
        if isinstance(op, Operation) and _is_narrowing(op) and _splits_words(conversion):
            _rename_first(op, conversion)


def _is_narrowing(op: Operation) -> bool:
    """Whether an op makes words of several elements of words of one, for one use."""
    if not (is_elementwise(op) and is_cheap(op) and len(op.operands) == len(op.results) == 1):
        return False
    if not tensors(op.operands) or not op.results[0].has_one_use():
        return False
    before, after = (memory_bits(get_element(each.type)) for each in (*op.operands, *op.results))
    return after < WORD_BITS <= before


def _splits_words(conversion: ConvertLayoutOp) -> bool:
    """Whether a conversion renames registers, but not whole words of elements."""
    source, result = conversion.operands[0], conversion.results[0]
    before, after = layout_of(source.type), layout_of(result.type)
    assert before is not None
    assert after is not None
    bits = memory_bits(get_element(result.type))
    if not is_permutation_of_registers(before, after):
        return False
    plan = plan_conversion(before, after, bits)
    if not isinstance(plan, Renaming):
        return False
    width = min(WORD_BITS // bits, len(plan.indices))
    return any(
        plan.indices[start] % width or plan.indices[start + i] != plan.indices[start] + i
        for start in range(0, len(plan.indices), width)
        for i in range(width)
    )


def _rename_first(op: Operation, conversion: ConvertLayoutOp) -> None:
    wide, result = op.operands[0].type, conversion.results[0]
    assert isinstance(wide, TensorType)
    renamed = ConvertLayoutOp(op.operands[0], with_layout(wide, layout_of(result.type)))
    renamed.location = conversion.location
    narrowed = type(op).create(
        operands=[renamed.results[0]],
        result_types=[result.type],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    narrowed.location = op.location
    narrowed.results[0].name_hint = op.results[0].name_hint
    Rewriter.insert_op([renamed, narrowed], InsertPoint.before(op))
    result.replace_all_uses_with(narrowed.results[0])
    Rewriter.erase_op(conversion)
    Rewriter.erase_op(op)
