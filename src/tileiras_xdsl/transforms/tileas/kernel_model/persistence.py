"""Which kernels can be persistent, and multicast loads within clusters."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerType, TensorType
from xdsl.dialects.gpu import BlockIdOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue

from tileiras_xdsl.analysis.scalar_evolution import trip_directions
from tileiras_xdsl.analysis.slices import backward_slice, operands_of, reachable
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.memory_order import Effect, is_plain_load, own_effects
from tileiras_xdsl.dialects.nv_tileas.atoms import find_async_mmas, is_async_mma, is_copied
from tileiras_xdsl.dialects.nv_tileas.decisions import EARLY_RETURN
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import find_resident_ctas
from tileiras_xdsl.dialects.nv_tileas.plan import get_plan
from tileiras_xdsl.dialects.nv_tileas.types import get_kernel_hint
from tileiras_xdsl.dialects.nvgpu.types import (
    BLOCKS_ARE_CLUSTERS,
    CLUSTER_SIZES,
    NO_WRAP,
    get_persistent_ctas,
)
from tileiras_xdsl.transforms.common.kernel_spec import get_warpgroups, get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .requirements import alternates
from .slicing import is_pure, unspecialized_code
from .staged_loads import find_loop
from .tma_loads import find_load

SHARED_EFFECTS = Effect.ATOMIC | Effect.ACQUIRE | Effect.RELEASE | Effect.PRINT | Effect.UNKNOWN
"""Effects that other tile blocks may wait for, or whose order between tile blocks shows."""
VISIBLE_EFFECTS = Effect.WRITE | Effect.RELEASE | Effect.GRID_LAUNCH | Effect.PRINT | Effect.UNKNOWN
"""Effects that must not happen twice. A wait for other grids may: CTAs load for each other."""


def why_not_persistent(function: FuncOp) -> str | None:
    """Why a kernel is not made persistent; None if its tile blocks are alike, and overlap pays."""
    if get_persistent_ctas(function) or find_resident_ctas(function) is not None:
        return "it is persistent already"
    if not find_async_mmas(function):
        return "it has no asynchronous MMA"
    wanted = get_plan(function).persistent
    if wanted == 0:
        return "its plan says so"
    shares = get_warpgroups(function).default_occupancy(get_warps(function)) > 1
    if wanted is None and get_kernel_hint(function, "num_ctas") == 1:
        # Threads compute an operand, and do so for one CTA while another one multiplies.
        if shares and any(find_load(op.a) is None for op in find_async_mmas(function)):
            return "CTAs of one warpgroup share an SM: one starts while another computes"
        if get_plan(function).occupancy != 1 and alternates(function):
            return "CTAs of two warpgroups share an SM: one starts while another computes"
    if CLUSTER_SIZES[0] in function.attributes and not BLOCKS_ARE_CLUSTERS.is_on(function):
        return "its CTAs are in clusters"
    if any(map(is_plain_load, unspecialized_code(function.body.block))):
        # In a persistent loop, all warps would have to synchronize to read it again.
        return "all warps read a scalar that may change before they specialize"
    for op in walk(function):
        if own_effects(op) & SHARED_EFFECTS:
            return f"other tile blocks may wait for '{op.name}'"
        if isinstance(op, scf.WhileOp):
            return "the trip count of a while loop is unknown"
        if isinstance(op, scf.ForOp) and differs_between_blocks(op):
            if None in trip_directions(op):
                return "the trip count of a loop depends on the tile block"
        if is_async_mma(op) and any(is_gathered(op, value) for value in op.operands[:2]):
            return "threads load an operand of an MMA"
        if is_async_mma(op) and find_loop(op) is None:
            if not all(is_loaded_in_block_of(op, value) for value in op.operands[:2]):
                return "an operand of an MMA that is in no loop is not loaded"
    return None


def is_gathered(dot: Operation, operand: SSAValue) -> bool:
    """
    Whether threads load what an operand of an MMA is computed from, such as rows that they gather:
    they would not do that for the next output tile before they are done with this one.
    """
    if is_copied(find_load(operand)):
        return False
    block = dot.parent_block()
    ops = backward_slice([operand], lambda op: op.parent_block() is block)
    return any(
        is_plain_load(op)
        and not isinstance(op, TiledLoadOp)
        and isinstance(op.results[0].type, TensorType)
        for op in ops
    )


def is_loaded_in_block_of(dot: Operation, operand: SSAValue) -> bool:
    """
    Whether an operand of an MMA is loaded in the block that uses it. Without a loop, there is
    nothing to load ahead for one that is not.
    """
    load = find_load(operand)
    return load is not None and load.parent_block() is dot.parent_block()


def needs_mirroring(function: FuncOp) -> bool:
    """Whether tile blocks take longer the larger one of their coordinates is, or the smaller."""
    loops = filter(differs_between_blocks, find_all(function, scf.ForOp))
    return any(trip_directions(op) != {0} for op in loops)


def differs_between_blocks(loop: scf.ForOp) -> bool:
    """Whether the trip count of a loop may differ between tile blocks."""
    return any(map(depends_on_block, (loop.lb, loop.ub, loop.step)))


def find_persistent_loop(function: FuncOp) -> scf.ForOp | None:
    """The loop over tile blocks that `tileas-dynamic-persistent` made."""
    for op in function.body.block.ops:
        if isinstance(op, scf.ForOp):
            if EARLY_RETURN.is_on(op) or (get_persistent_ctas(function) and NO_WRAP.is_on(op)):
                return op
    return None


def why_no_cluster(function: FuncOp) -> str | None:
    """Why CTAs of a persistent kernel cannot be in clusters; None if they can."""
    ctas = get_warpgroups(function).cluster_ctas
    if get_kernel_hint(function, "num_ctas") != ctas:
        return f"clusters have {ctas} CTAs"
    if any(map(is_copied, walk(function))):
        return "threads copy an operand of an MMA"
    for op in walk(function):
        if has_visible_effect(op) and op.parent_block() is not function.body.block:
            # The last CTA of a cluster may have no tile block: it must not store.
            return f"'{op.name}' is in a loop or a branch"
        if isinstance(op, scf.IfOp) and depends_on_block(op.cond):
            if find_all(op, TiledLoadOp):
                return "only some CTAs load"
    written = {
        base for op in walk(function) if has_visible_effect(op) for base in _bases(op, function)
    }
    for op in walk(function):
        if own_effects(op) & Effect.READ and not written.isdisjoint(_bases(op, function)):
            # A CTA without work repeats the last tile block, and would read what that one writes.
            return f"'{op.name}' reads what the kernel writes"
    return None


def _bases(op: Operation, function: FuncOp) -> set[SSAValue]:
    """The kernel parameters that the addresses of an access may be derived from."""
    block = function.body.block

    def sources(value: SSAValue) -> list[SSAValue]:
        made_of = () if value.owner is block else _sources(value)
        return [each for each in made_of if not _is_number(each)]

    addresses = (value for value in op.operands if not _is_number(value))
    found: set[SSAValue] = set()
    for value in reachable(addresses, sources):
        if value.owner is block:
            found.add(value)
        elif not sources(value):
            # An address computed from an integer may point anywhere.
            found.update(block.args)
    return found


def _is_number(value: SSAValue) -> bool:
    """Whether a value, or each element of a tile, is a number rather than a pointer."""
    element = value.type.get_element_type() if isinstance(value.type, TensorType) else value.type
    return isinstance(element, IntegerType | IndexType) or is_float(element)


def _sources(value: SSAValue) -> Iterator[SSAValue]:
    """The values that a value inside of a kernel may be derived from."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    assert op is not None
    yield from op.operands
    for region in op.regions:
        for block in region.blocks:
            if block.last_op is not None:
                yield from block.last_op.operands


def has_visible_effect(op: Operation) -> bool:
    """Whether an op itself has effects that are visible outside, and must not happen twice."""
    return bool(own_effects(op) & VISIBLE_EFFECTS)


def depends_on_block(value: SSAValue) -> bool:
    """Whether a number may differ between tile blocks."""
    for each in reachable([value], operands_of):
        owner = each.owner
        if isinstance(owner, Block):
            if not isinstance(owner.parent_op(), FuncOp):
                return True
        elif isinstance(owner, BlockIdOp) or not is_pure(owner):
            return True
    return False
