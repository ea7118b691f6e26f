"""
Which tiles are live at once in a kernel without dots, and how many registers they take.

Chains of elementwise ops are computed vector by vector, so that what they compute on the way takes
a few registers only. Whole tiles are live where something stands between:

    %x = load …            loads are all under way at once
    %m = reduce %x …       all of a tile is reduced before anything else is done with it
    %y = subf %x, %m       %x is live across the reduction

So they are for ops that become branches or calls, such as a division that is rounded correctly: all
elements of one op are computed before those of the next.

Tiles that are computed from indices alone, such as pointers and masks, are computed where they are
used; a broadcast takes as much as what it repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import StringAttr, TensorType, f64
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tileiras_xdsl.analysis.slices import operands_first, operands_of
from tileiras_xdsl.dialects.memory_order import own_effects
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    BroadcastOp,
    ExpandDimsOperation,
    PermuteOp,
    SplatOp,
    ViewOperation,
)
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp, PadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp

STREAMED: Final = frozenset(
    f"nv_tileaa.{name}"
    for name in (
        *("addf", "subf", "mulf", "fma", "negf", "absf", "maxf", "minf", "cmpf", "fp_to_fp"),
        *("addi", "subi", "muli", "negi", "absi", "cmpi", "andi", "ori", "xori", "shli", "shri"),
        *("trunci", "bitcast", "splat", "broadcast", "assume", "make_range", "addptr"),
        *("exp", "exp2", "log", "log2", "ceil", "floor"),
    )
)
"""Ops on tiles that become a few instructions for each element."""
FAST: Final = ("approx", "full")
"""Rounding modes with which all ops do that have one."""
BRANCHING: Final = ("arith.divf", "arith.divsi", "arith.divui", "arith.remsi", "arith.remui")
RESHAPING: Final = (ViewOperation, ExpandDimsOperation, PermuteOp, ConvertLayoutOp)
CONTROL_FLOW: Final = (scf.ForOp, scf.WhileOp, scf.IfOp, scf.IndexSwitchOp)


def is_streamed(op: Operation) -> bool:
    """Whether an op becomes a few instructions for each element, without branches."""
    if any(get_element(result.type) == f64 for result in op.results):
        return op.name.startswith(("arith.", "nv_tileaa.add", "nv_tileaa.sub", "nv_tileaa.mul"))
    mode = op.properties.get("rounding_mode")
    if isinstance(mode, StringAttr) and mode.data in FAST:
        return True
    if isinstance(op, PadOp):
        return True
    return op.name in STREAMED or (op.name.startswith("arith.") and op.name not in BRANCHING)


def is_cut(op: Operation) -> bool:
    """Whether something stands between what an op uses and what it makes."""
    return bool(op.regions) or not (is_streamed(op) or isinstance(op, RESHAPING) or is_source(op))


def is_source(op: Operation) -> bool:
    """Whether an op gets tiles from memory."""
    return isinstance(op, CopyOp) or bool(own_effects(op))


class LiveTiles:
    """
    The live tiles of a kernel, given how many registers a tile takes, and which ops exchange
    elements between threads.

    - loads: Tiles count from where their loads begin; else only where something stands between, as
      loads can wait for each other.
    - carried: Tiles that a loop carries count beside those that it loads.
    """

    def __init__(
        self,
        registers: Callable[[SSAValue], int],
        exchanges: Callable[[Operation], bool] = lambda op: False,
        *,
        carried: bool = True,
        loads: bool = True,
    ):
        self._registers = registers
        self._exchanges = exchanges
        self._carried = carried
        self._loads = loads
        self._origins: dict[SSAValue, SSAValue | None] = {}

    def in_function(self, function: FuncOp) -> int:
        """The largest number of registers at any point."""
        return max(map(self.in_block, function.body.blocks), default=0)

    def in_block(self, block: Block) -> int:
        """The same in a block, beside tiles of the blocks around it."""
        ops = list(block.ops)
        ends = self._last_uses(block, ops)
        most = 0
        live: dict[SSAValue, int] = {
            origin: ends[origin]
            for argument in block.args
            if (origin := self.origin(argument)) is not None and origin in ends
        }
        loading = sum(self._registers(tile) for tile in live) if self._carried else 0
        for number, op in enumerate(ops):
            if self._is_cut(op):
                # What a reduction uses last it uses up vector by vector, but a loop keeps it.
                first = number if isinstance(op, CONTROL_FLOW) else number + 1
                across = sum(self._registers(tile) for tile, end in live.items() if end >= first)
                inside = max(
                    (self.in_block(each) for region in op.regions for each in region.blocks),
                    default=0,
                )
                if not op.regions:
                    inside = max(
                        sum(self._registers(tile) for tile in tiles)
                        for tiles in (self._ending(op, live, number), op.results)
                    )
                most = max(most, across + inside)
                live = {tile: end for tile, end in live.items() if end > number}
                carried = [tile for tile in block.args if tile in live] if self._carried else []
                loading = sum(self._registers(tile) for tile in carried)
            is_load = is_source(op)
            for result in op.results:
                if self.origin(result) is result and result in ends:
                    live[result] = ends[result]
                    loading += self._registers(result) if is_load else 0
            most = max(most, loading if self._loads else 0)
        return most

    def _ending(self, op: Operation, live: dict[SSAValue, int], number: int) -> Sequence[SSAValue]:
        """The tiles that an op uses and no later one does, computed or loaded."""
        used = {self.origin(operand) for operand in op.operands}
        return [tile for tile in live if tile in used and live[tile] <= number]

    def _last_uses(self, block: Block, ops: Sequence[Operation]) -> dict[SSAValue, int]:
        """For each tile the number of the op of a block that uses it last, itself or inside."""
        numbers = {op: number for number, op in enumerate(ops)}
        ends: dict[SSAValue, int] = {}
        for op in ops:
            for inner in op.walk():
                for operand in inner.operands:
                    if (origin := self.origin(operand)) is not None:
                        ends[origin] = numbers[op]
        return ends

    def _is_cut(self, op: Operation) -> bool:
        return is_cut(op) or self._exchanges(op)

    def origin(self, value: SSAValue) -> SSAValue | None:
        """The tile that a value is a view of; none if it follows from indices."""
        for each in operands_first(value, operands_of, self._origins):
            self._origins[each] = self._find_origin(each)
        return self._origins[value]

    def _find_origin(self, value: SSAValue) -> SSAValue | None:
        if not isinstance(value.type, TensorType):
            return None
        if isinstance(value, BlockArgument):
            return value
        op = value.owner
        assert isinstance(op, Operation)
        if is_source(op) or op.regions:
            return value
        if isinstance(op, (BroadcastOp, SplatOp, *RESHAPING)):
            return self._origins[op.operands[0]]
        has_data = any(self._origins[operand] is not None for operand in op.operands)
        return value if has_data else None
