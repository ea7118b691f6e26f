"""What kernels with products by warpgroups ask for: shared memory, registers, warps and blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileas.hints import get_kernel_hint
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.targets.warpgroups import Ring, StageClocks, Warpgroups
from tileiras_xdsl.transforms.common.access_hints import get_hint
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .conversions import Room
from .exchanges import KernelModel
from .layout_rules import memory_bits
from .registers import is_staged, needed_registers
from .shared_memory import BOX_ALIGNMENT
from .staged_loads import Pipe, find_loop, staged_bytes
from .tma_loads import is_change
from .tma_stores import TmaAccess, tma_store_bytes

RESERVED_BYTES = 1024
"""For barriers and maps."""
SCRATCH_BYTES = 1024
"""For exchanges between threads, at least."""
SMALL_STORE_BYTES = 16 * 1024
"""For stores of a kernel that has to save shared memory."""


@dataclass(frozen=True)
class KernelRequirements:
    """What a kernel asks for."""

    rings: Sequence[Ring]
    reserved: int
    """Bytes of shared memory beside rings."""
    registers: int
    """Of a thread, for tiles."""
    warps: int
    """Those that work on tiles."""
    blocks: int
    """Of a multiprocessor: what the hint `occupancy` says."""


def find_requirements(
    function: FuncOp, model: Warpgroups, pipelines: Sequence[Pipe], buffers: int, saving: int = 0
) -> KernelRequirements:
    """
    What a kernel asks for whose loads know their pipes, with so many bytes of buffers of stores: of
    shared memory less the more it has to save.
    """
    groups = [group for pipe in pipelines for group in pipe]
    rings = [make_buffer(pipe, groups, model) for pipe in pipelines]
    reserved = RESERVED_BYTES + buffers + scratch_bytes(function, saving)
    registers, warps = needed_registers(function), get_warps(function)
    return KernelRequirements(
        rings, reserved, registers, warps, get_kernel_hint(function, "occupancy")
    )


def make_buffer(pipe: Pipe, groups: Sequence[Sequence[TiledLoadOp]], model: Warpgroups) -> Ring:
    """The ring of a pipe, given all groups of loads; the loop with least to do says how deep."""
    size = staged_bytes(pipe[0])
    loops = [loop for group in pipe if (loop := find_loop(group[0])) is not None]
    if not loops:
        return Ring(size, None)
    hints = [hint for group in pipe for load in group if (hint := get_hint(load, "latency"))]
    clocks = max((loop_clocks(loop, groups, model) for loop in loops), key=model.needed_stages)
    return Ring(size, clocks, max(hints, default=None))


def loop_clocks(
    loop: Operation, groups: Sequence[Sequence[TiledLoadOp]], model: Warpgroups
) -> StageClocks:
    """How long an iteration of a loop takes; one with loops inside takes long."""
    products = find_all(loop, DotOp)
    tiles = sum(staged_bytes(group) for group in groups if find_loop(group[0]) is loop)
    work = [(multiply_adds(op), memory_bits(get_element(op.a.type))) for op in products]
    if any(find_loop(op) is not loop for op in products):
        return model.nesting_clocks
    return model.stage_clocks(work, tiles)


def multiply_adds(op: DotOp) -> int:
    """How many multiplications a product has."""
    return prod(get_shape(op.result.type)) * get_shape(op.a.type)[-1]


def scratch_bytes(function: FuncOp, saving: int = 0) -> int:
    """
    What the kernel needs of shared memory for exchanges and stores. It can store tiles in small
    parts. Tiles that are loaded into shared memory are not converted there.
    """
    target = get_target(function)
    model = KernelModel(function, get_warps(function), Room.of(target))
    exchanged = [
        exchange_bytes(model, op)
        for op in walk(function)
        if not isinstance(op, TmaAccess) and not (is_change(op) and is_staged(op.operands[0]))
    ]
    stores = tma_store_bytes(function)
    if saving > 1:
        stores = min(stores, SMALL_STORE_BYTES)
    return max([SCRATCH_BYTES, stores, *exchanged])


def exchange_bytes(model: KernelModel, op: Operation) -> int:
    """The scratch memory that an op has in use at once, with what alignment may cost."""
    return max(
        (
            sum(-(-size // BOX_ALIGNMENT) * BOX_ALIGNMENT for size in exchange.sizes)
            for exchange in model.exchanges(op)
        ),
        default=0,
    )
