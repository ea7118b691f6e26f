"""
Layout conversions of what is computed from a tile in a buffer stage.

Before:  %x = nv_tileas.tiled_load %v[%i] {nv_tileas.pipe = #nv_tileas.pipe<0>} : … -> T
         %w = nv_tileaa.fp_to_fp %x : T to U
         %y = nv_tileas.convert_layout %w : U -> V
After:   %x = nv_tileas.tiled_load %v[%i] {nv_tileas.pipe = #nv_tileas.pipe<0>} : … -> T
         %z = nv_tileas.convert_layout %x : T -> S
         %y = nv_tileaa.fp_to_fp %z : S to V

A tile in shared memory is read in any layout, so a conversion right after the load costs nothing.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.nv_tileas.decisions import STAGE, get_pipeline_id
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of, with_layout
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..kernel_model.layout_rules import is_elementwise, operand_layout, tensors
from ..kernel_model.tma_loads import is_view_like


def hoist_conversions(function: Operation) -> None:
    """Moves conversions up to the loads of pipelines that their tiles are computed from."""
    for op in find_all(function, ConvertLayoutOp):
        chain = find_chain(op)
        if chain:
            hoist(op, chain)


def find_chain(op: ConvertLayoutOp) -> list[Operation]:
    """
    The ops between a load of a pipeline and a conversion, if each has one tile as its operand, and
    nothing else uses its result; else none.
    """
    chain: list[Operation] = []
    value = op.operands[0]
    while True:
        owner = value.owner
        if isinstance(owner, TiledLoadOp):
            return chain if get_pipeline_id(owner) is not None else []
        if not isinstance(owner, Operation) or owner.parent_block() is not op.parent_block():
            return []
        tiles = tensors(owner.operands)
        is_unary = len(tiles) == 1 and (is_elementwise(owner) or is_view_like(owner))
        if not is_unary or isinstance(owner, ConvertLayoutOp) or not value.has_one_use():
            return []
        chain.insert(0, owner)
        value = tiles[0]


def hoist(op: ConvertLayoutOp, chain: list[Operation]) -> None:
    """Converts the tile that a chain of ops begins with, instead of what it ends with."""
    layout = layout_of(op.results[0].type)
    assert layout is not None
    types: list[TensorType] = []
    for each in reversed(chain):
        ty = each.results[0].type
        assert isinstance(ty, TensorType)
        types.insert(0, with_layout(ty, layout))
        layout = operand_layout(each, tensors(each.operands)[0], layout)
        if layout is None:
            return
    source = tensors(chain[0].operands)[0]
    assert isinstance(source.type, TensorType)
    conversion = ConvertLayoutOp.create(
        operands=[source], result_types=[with_layout(source.type, layout)]
    )
    conversion.location = op.location
    # Before pipelining, where it stands among ops of equal order decides: right before the chain.
    if (stage := STAGE.get(chain[0])) is not None:
        STAGE.set(conversion, stage)
    Rewriter.insert_op(conversion, InsertPoint.before(chain[0]))
    value = conversion.results[0]
    for each, ty in zip(chain, types, strict=True):
        (tile,) = tensors(each.operands)
        operands = [value if operand is tile else operand for operand in each.operands]
        clone = type(each).create(
            operands=operands,
            result_types=[ty],
            properties=dict(each.properties),
            attributes=dict(each.attributes),
        )
        clone.location = each.location
        Rewriter.insert_op(clone, InsertPoint.before(op))
        value = clone.results[0]
    op.results[0].replace_all_uses_with(value)
    Rewriter.erase_op(op)
    for each in reversed(chain):
        Rewriter.erase_op(each)
