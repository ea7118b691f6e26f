"""
Dots by `mma.sync` whose operands producer warps load by TMA.

    nv_tileas.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm80>, nv_tileas.staged, …} : …

TMA fills the stages of a multi-stage buffer, and consumer warps read fragments from there by
`ldmatrix`: no thread spends registers or instructions on addresses in global memory. It is all or
nothing for a kernel: loads of other loops would not run ahead, for `cp.async` is by all threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileas.decisions import STAGED
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, PlainDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.warpgroups import Pipelining
from tileiras_xdsl.transforms.common.compute_capability import get_target, get_warpgroups
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all

from .staged_loads import staged_bytes
from .tma_loads import find_uses, tma_tiling_or_reason, why_not_scalar
from .wgmma import MMA_SYNC_ATOM, find_async_mmas

OTHER_BYTES = 4 * 1024
"""Shared memory beside operands, at least: barriers, tensor maps and scratch memory."""


def is_mma_sync(op: Operation) -> TypeGuard[PlainDotOp]:
    """Whether an op is a dot by `mma.sync`."""
    return isinstance(op, PlainDotOp) and op.atom is not None and op.atom.data == MMA_SYNC_ATOM


def find_staged_dots(function: Operation) -> list[DotOp]:
    """The dots by `mma.sync` whose operands are read from buffer stages."""
    return [op for op in find_all(function, DotOp) if STAGED.is_on(op)]


def get_pipelining(function: FuncOp) -> Pipelining:
    """The scheduling model of a kernel that has dots with operands in buffer stages."""
    dots = find_staged_dots(function)
    model = get_target(function).mma_pipelining if dots else None
    return get_warpgroups(function) if model is None else model


def loads_of_loops(function: FuncOp) -> list[Operation]:
    """The loads of tiles in the bodies of loops."""
    return [
        op
        for loop in find_all(function, scf.ForOp, scf.WhileOp)
        for region in loop.regions
        for block in region.blocks
        for op in block.ops
        if is_plain_load(op) and isinstance(op.results[0].type, TensorType)
    ]


def has_dots(op: Operation | None) -> bool:
    """Whether a dot by `mma.sync` is in the body of a loop, and not in one in it."""
    if not isinstance(op, scf.ForOp):
        return False
    return any(map(is_mma_sync, op.body.block.ops))


def is_around_dots(op: Operation | None) -> bool:
    """Whether dots by `mma.sync` are in loops in a loop only: threads load its own tiles."""
    return op is not None and not has_dots(op) and any(map(is_mma_sync, find_all(op, PlainDotOp)))


def why_not_staged(function: FuncOp, target: Target, axis_info: AxisInfoAnalysis) -> str | None:
    """Why TMA does not load the operands of a kernel's dots by `mma.sync`; None if it does."""
    model = target.mma_pipelining
    if model is None:
        return f"threads load operands of mma.sync on {target}"
    if find_async_mmas(function):
        return "another dot of the kernel is a WGMMA"
    warps = get_warps(function)
    if warps < model.min_warps:
        return f"threads load operands of mma.sync in CTAs of {warps} warps"
    loads = loads_of_loops(function)
    loads = [op for op in loads if not is_around_dots(op.parent_op())]
    for op in loads:
        if not has_dots(op.parent_op()):
            return "a loop without dots loads tiles, which only threads can load ahead"
        if not isinstance(op, TiledLoadOp):
            return f"TMA cannot do '{op.name}'"
        if isinstance(tiling := tma_tiling_or_reason(op, axis_info), str):
            return f"TMA cannot load a tile of the loop: {tiling}"
        if tiling.is_long_row:
            return "a tile of the loop is a row of more than 128 bytes"
        if (reason := why_not_scalar(op)) is not None:
            return reason
        if is_only_passed_on(op):
            return "a tile of the loop is used in later iterations only"
    staged = [op for op in loads if isinstance(op, TiledLoadOp)]
    if not staged:
        return "no loop of dots loads tiles"
    return _why_not_fitting(staged, model)


def is_only_passed_on(load: TiledLoadOp) -> bool:
    """Whether only the end of the block of a load uses its tile."""
    block = load.parent_block()
    return block is not None and all(use.op is block.last_op for use in find_uses(load.result))


def _why_not_fitting(loads: Sequence[TiledLoadOp], model: Pipelining) -> str | None:
    loops: dict[Operation | None, list[TiledLoadOp]] = {}
    for op in loads:
        loops.setdefault(op.parent_op(), []).append(op)
    needed = max(map(staged_bytes, loops.values())) + OTHER_BYTES
    limit = model.shared.limit(asks=False)
    if needed > limit:
        return f"a stage of its tiles takes {needed} of {limit} bytes of shared memory"
    return None
