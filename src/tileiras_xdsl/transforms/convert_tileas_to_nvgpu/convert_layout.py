"""Conversions between layouts."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp

from .exchange import Places, element_of, read_tile, share_tile
from .thread_code import ThreadCode, lowers


def convert_value(
    code: ThreadCode, value: SSAValue, source: LinearLayout, target: LinearLayout
) -> SSAValue:
    """A fragment in another layout, through shared memory."""
    if source == target:
        return value
    scratch = share_tile(code, value, source)
    result = read_tile(code, scratch.address, element_of(value), Places.of(target))
    code.release(scratch)
    return result


@lowers("nv_tileas.convert_layout")
def lower_convert_layout(code: ThreadCode, op: ConvertLayoutOp) -> None:
    source, result = op.operands[0], op.results[0]
    value = convert_value(code, code.value(source), code.layout(source), code.layout(result))
    code.set(result, value)
