"""
Whether consumer warps beside an MMA agent keep what they do in memory behind loads.

A consumer warp that reads a tile has waited for its load. Beside an MMA agent it does not: it
learns of a load from the MMA agent, when that hands over the result of a dot that it has issued
after it. An op that may change what was loaded, or lets others do so, has to come after such a
result:

    %a = tiled_load …                 %a = tiled_load …
    %d = dot %a, …                    store release … token = %a's
    … threads receive %d …            %d = dot %a, …
    store release …                   no: the load may still run
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tileiras_xdsl.analysis.memory_order import follows_loads, is_invariant
from tileiras_xdsl.dialects.nv_tileas.decisions import get_pipeline_id
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .mma_exchanges import MmaPartition
from .staged_loads import first_and_last
from .wgmma import is_tcgen05


def find_unordered(function: FuncOp, partition: MmaPartition) -> Operation | None:
    """An op of consumer warps that would not be behind a load; `None` if there is none."""
    return _Walk(function, partition).run()


class _Walk:
    """Goes through a kernel in program order, loops twice."""

    def __init__(self, function: FuncOp, partition: MmaPartition):
        self.function = function
        self.partition = partition
        self.loads = {
            load
            for load in find_all(function, TiledLoadOp)
            if get_pipeline_id(load) is not None and not is_invariant(load)
        }
        self.positions = {op: number for number, op in enumerate(walk(function))}
        self.fresh: set[TiledLoadOp] = set()
        """Loads that threads know nothing of, of this iteration of the innermost loop."""
        self.old: set[TiledLoadOp] = set()
        """The same, of iterations before."""

    def run(self) -> Operation | None:
        if not self.loads:
            return None
        for block in self.function.body.blocks:
            if (found := self._visit(block)) is not None:
                return found
        return None

    def _visit(self, block: Block) -> Operation | None:
        for op in block.ops:
            self._receive(self.partition.received.get(op, ()))
            if isinstance(op, TiledLoadOp) and op in self.loads:
                self.fresh.add(op)
            elif any(region.blocks for region in op.regions) and not isinstance(op, DotOp):
                if (found := self._visit_body(op)) is not None:
                    return found
            elif (self.fresh or self.old) and follows_loads(op):
                return op
        return None

    def _visit_body(self, op: Operation) -> Operation | None:
        for _ in range(2):
            for region in op.regions:
                for block in region.blocks:
                    if (found := self._visit(block)) is not None:
                        return found
            self.old |= self.fresh
            self.fresh.clear()
        return None

    def _receive(self, values: Iterable[SSAValue]) -> None:
        """Threads learn of the loads that the MMA agent has waited for before a dot."""
        for value in values:
            last = self._last_dot(value)
            self.old = {load for load in self.old if self._is_awaited_after(load, last)}
            if not isinstance(value, BlockArgument):
                self.fresh = {load for load in self.fresh if self._is_awaited_after(load, last)}

    def _is_awaited_after(self, load: TiledLoadOp, last: int) -> bool:
        """Whether the MMA agent waits for a load after a dot: where the tile is first used."""
        return self.positions[first_and_last(load)[0]] > last

    def _last_dot(self, value: SSAValue) -> int:
        """The last dot behind a value, of which the MMA agent tells."""
        owner = value.owner
        inside = owner.walk() if isinstance(owner, Operation) else _ops_of(owner)
        dots = [each for each in inside if isinstance(each, DotOp) and is_tcgen05(each)]
        return max((self.positions[dot] for dot in dots), default=-1)


def _ops_of(block: Block) -> Iterable[Operation]:
    for op in block.ops:
        yield from op.walk()
