"""
Which code of threads a single warp runs for the others: the producer, which loads tiles by TMA, and
the warp that issues `tcgen05.mma`.

    ^bb0:  llvm.cond_br %is_consumer, ^bb1, ^bb2
    ^bb1:  nvvm.wgmma.mma_async …                  all warps that work on tiles
           llvm.br ^bb3
    ^bb2:  nvvm.cp.async.bulk.tensor.2d.shared…    the producer, a warp
           llvm.br ^bb3
    ^bb3:  llvm.return

Those are blocks that reach, or are reached from, what a warp issues for all, but not what all warps
do to tiles: `wgmma`, `mma`, and loads and stores of tensor memory. Kernels without such work, or
whose warps load and multiply in turns, have none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region

from tileiras_xdsl.xdsl_extras.walking import walk

from .ptx import PtxKind
from .threads import kind_of_name

PRODUCER_WARPS: Final = 1
_ISSUED: Final = re.compile(
    r"tma\.(?:async\.load|gather)|bulk\.tensor.*shared(?:\.|::)cluster|tcgen05\.mma"
)
_SHARED_WORK: Final = re.compile(r"tcgen05\.(?:ld|st)\b")


def is_issued(name: str) -> bool:
    """Whether one warp issues an op or an instruction of PTX for all: TMA loads, `tcgen05.mma`."""
    return _ISSUED.search(name) is not None


def is_shared_work(name: str, kind: PtxKind) -> bool:
    """Whether all warps that work on tiles run an op or an instruction of PTX."""
    return kind == "tensor cores" or _SHARED_WORK.search(name) is not None


def find_producer_blocks(
    successors: Sequence[Sequence[int]], issued: Collection[int], shared: Collection[int]
) -> set[int]:
    """The blocks of one warp in a graph, given those with what it issues, and with shared work."""
    if not issued or not shared:
        return set()
    predecessors: list[list[int]] = [[] for _ in successors]
    for block, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(block)
    near = _reach(successors, issued) | _reach(predecessors, issued)
    return near - _reach(successors, shared) - _reach(predecessors, shared)


def _reach(edges: Sequence[Sequence[int]], starts: Collection[int]) -> set[int]:
    found, todo = set(starts), list(starts)
    while todo:
        for block in edges[todo.pop()]:
            if block not in found:
                found.add(block)
                todo.append(block)
    return found


def find_producers(module: ModuleOp) -> set[Block]:
    """The blocks of a module that one warp runs, with all that is nested in them."""
    issued, shared = set[Block](), set[Block]()
    for op in walk(module):
        if is_issued(op.name):
            issued.update(_blocks_around(op))
        elif is_shared_work(op.name, kind_of_name(op.name)):
            shared.update(_blocks_around(op))
    found = set[Block]()
    for region in {block.parent for block in issued} & {block.parent for block in shared}:
        if region is None or _is_in_loop(region):
            continue
        found |= _find_in_graph(region, issued, shared)
        for op in (op for block in region.blocks for op in block.ops):
            found |= _find_alternatives(op, issued, shared)
    return found


def _find_in_graph(region: Region, issued: set[Block], shared: set[Block]) -> set[Block]:
    blocks = list(region.blocks)
    places = {block: at for at, block in enumerate(blocks)}
    successors = [
        [] if block.last_op is None else [places[each] for each in block.last_op.successors]
        for block in blocks
    ]
    issuing, working = (
        [places[block] for block in blocks if block in kind] for kind in (issued, shared)
    )
    return {blocks[at] for at in find_producer_blocks(successors, issuing, working)}


def _find_alternatives(op: Operation, issued: set[Block], shared: set[Block]) -> set[Block]:
    """Of regions of which one is run, those with what a warp issues, if others have the work."""
    if not isinstance(op, scf.IfOp | scf.IndexSwitchOp):
        return set()
    regions = [set(region.blocks) for region in op.regions]
    if not any(region & shared for region in regions):
        return set()
    alone = (region for region in regions if region & issued and not region & shared)
    return set[Block]().union(*alone)


def _blocks_around(op: Operation) -> list[Block]:
    found: list[Block] = []
    while (block := op.parent) is not None and (parent := block.parent_op()) is not None:
        found.append(block)
        op = parent
    return found


def _is_in_loop(region: Region) -> bool:
    op = region.parent
    while op is not None:
        if isinstance(op, scf.ForOp | scf.WhileOp):
            return True
        op = op.parent_op()
    return False
