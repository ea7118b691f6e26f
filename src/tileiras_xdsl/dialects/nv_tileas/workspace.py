"""
Tiles that a CTA hands over to another one, through the workspace of a launch.

    // in one CTA, and in another
    nv_tileas.workspace_store %slot, %flags, %acc : !llvm.ptr<1>, !llvm.ptr<1>, tensor<…>
    %acc = nv_tileas.workspace_load %slot, %flags : !llvm.ptr<1>, !llvm.ptr<1> -> tensor<…>

The workspace is memory of the launch whose flags are zero before it, and again after it; tiles stay
where they were stored. Flags are apart from all slots, so that kernels whose slots have different
sizes may use the same workspace one after the other. Each slot is stored to once and loaded from
once: a load waits for the store. What threads hold of a tile is the same in all CTAs, as the
layouts are. So each thread stores what it holds, in the order of its registers, and then sets a
flag of its own, which the same thread of the other CTA waits for and clears: no barrier is needed,
and all accesses are coalesced.

What the first CTA has read comes before what the second one writes, which may be the same memory.
Nothing else is in order with these accesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.ir import Attribute
from xdsl.irdl import eq, operand_def, traits_def, var_operand_def, var_result_def

from tileiras_xdsl.dialects.building import Value
from tileiras_xdsl.dialects.diagnosed import diagnosed_op
from tileiras_xdsl.dialects.memory_order import Effect, FixedOrder
from tileiras_xdsl.dialects.nv_tileaa.base import TensorConstraint, TileaaOperation
from tileiras_xdsl.dialects.nvvm import GLOBAL_POINTER

FLAG_BYTES: Final = 4
"""Of the flag that a thread sets."""


class HandsOver(FixedOrder):
    """Writes what another CTA waits for."""

    EFFECT = Effect.WRITE | Effect.ATOMIC


class TakesOver(FixedOrder):
    """Waits for what another CTA writes, and clears its flags."""

    EFFECT = Effect.READ | Effect.WRITE | Effect.ATOMIC


@diagnosed_op
class WorkspaceStoreOp(TileaaOperation):
    """Stores tiles for the CTA that loads from the same slot."""

    name = "nv_tileas.workspace_store"

    slot = operand_def(eq(GLOBAL_POINTER))
    flags = operand_def(eq(GLOBAL_POINTER))
    values = var_operand_def(TensorConstraint())

    traits = traits_def(HandsOver())
    assembly_format = (
        "$slot `,` $flags `,` $values attr-dict `:` type($slot) `,` type($flags) `,` type($values)"
    )

    def __init__(self, slot: Value, flags: Value, values: Sequence[Value]):
        super().__init__(operands=[slot, flags, values])


@diagnosed_op
class WorkspaceLoadOp(TileaaOperation):
    """Waits until a CTA has stored tiles in a slot, and loads them."""

    name = "nv_tileas.workspace_load"

    slot = operand_def(eq(GLOBAL_POINTER))
    flags = operand_def(eq(GLOBAL_POINTER))
    values = var_result_def(TensorConstraint())

    traits = traits_def(TakesOver())
    assembly_format = (
        "$slot `,` $flags attr-dict `:` type($slot) `,` type($flags) `->` type($values)"
    )

    def __init__(self, slot: Value, flags: Value, types: Sequence[Attribute]):
        super().__init__(operands=[slot, flags], result_types=[types])
