"""
Pairs of tile blocks that share operands.

A loop over tile blocks gives numbers to them. By how much a scalar changes from one number to
another is guessed: neither a quotient by a large number changes often, nor the remainder by what is
added. A tile whose coordinates rarely change is one that both tile blocks of most pairs need;
whether they do is a comparison at run time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerType, TensorType
from xdsl.dialects.gpu import BlockIdOp, DimensionEnum, FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import analyze
from tileiras_xdsl.analysis.scalar_evolution import (
    COMPARISONS,
    DIMENSIONS,
    QUOTIENTS,
    REMAINDERS,
    STAYS,
    Change,
    ScalarChanges,
    trip_direction,
    usual_value,
)
from tileiras_xdsl.analysis.slices import backward_slice, operands_of, reachable
from tileiras_xdsl.dialects.memory_order import is_plain_load, own_effects
from tileiras_xdsl.dialects.nv_tileas.atoms import is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import CLUSTER, PAIR
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp, TiledStoreOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import find_resident_ctas
from tileiras_xdsl.dialects.nv_tileas.types import get_kernel_hint
from tileiras_xdsl.dialects.nvgpu.types import get_cluster_ctas, get_persistent_ctas
from tileiras_xdsl.targets.choices import RESERVED_BYTES
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.transforms.common.kernel_spec import get_target, get_warpgroups, get_warps
from tileiras_xdsl.xdsl_extras.walking import find_all, last_of, walk

from .copied_loads import is_by_tma
from .exchanges import KernelModel
from .layout_rules import ScratchBudget
from .persistence import SHARED_EFFECTS, has_visible_effect
from .registers import consumer_registers, is_made, type_registers
from .slicing import is_pure
from .staged_loads import is_row, staged_bytes
from .tma_loads import find_load, find_tma_tiling
from .tma_stores import tma_store_bytes
from .wgmma import needs_accumulator_promotion, overwrites_accumulator

# In which order tile blocks should start: those with most iterations first.


@dataclass(frozen=True)
class BlockOrder:
    """How the trip counts of a kernel depend on the tile block."""

    along: DimensionEnum
    """The coordinate that they depend on."""
    is_reversed: bool
    """Whether they grow with it, so that the last have to be the first."""
    beside: DimensionEnum | None
    """The coordinate of neighbours that are taken together, if any."""

    @property
    def is_change(self) -> bool:
        """Whether tile blocks do not start in this order anyway."""
        return self.is_reversed or self.beside is not None


def choose_order(function: FuncOp) -> BlockOrder | str | None:
    """
    The order of tile blocks; a reason why there is none although trip counts differ; or None if
    they do not, as in persistent kernels.
    """
    if get_persistent_ctas(function) or find_resident_ctas(function) is not None:
        return None
    loops = [loop for loop in find_all(function, scf.ForOp) if find_all(loop, DotOp)]
    directions = {
        dimension: {trip_direction(loop, dimension) for loop in loops} - {0}
        for dimension in DIMENSIONS
    }
    along = [dimension for dimension, found in directions.items() if found]
    if not along:
        return None
    if len(along) > 1 or len(directions[along[0]]) > 1 or None in directions[along[0]]:
        return "it is not known which tile blocks have most iterations"
    if (reason := why_not_ordered(function)) is not None:
        return reason
    used = {op.dimension.data for op in find_all(function, BlockIdOp)}
    others = [dimension for dimension in DIMENSIONS if dimension in used - {along[0]}]
    beside = others[0] if others and along[0] is DIMENSIONS[0] else None
    return BlockOrder(along[0], directions[along[0]] == {1}, beside)


def why_not_ordered(function: FuncOp) -> str | None:
    """Why the order of tile blocks has to stay; None if nobody can tell."""
    if get_cluster_ctas(function) > 1:
        return "CTAs are in clusters"

    def forbids(op: Operation) -> bool:
        return bool(own_effects(op) & SHARED_EFFECTS) or isinstance(op, scf.WhileOp)

    for op in walk(function):
        if forbids(op):
            return f"other tile blocks may wait for '{op.name}', or see its order"
    return None


@dataclass(frozen=True)
class BlockPairs:
    """How two tile blocks are computed at once."""

    distance: int
    """Of the numbers of both."""
    persistent: scf.ForOp
    """The loop over tile blocks."""
    loop: scf.ForOp
    """The one in it with all dots."""
    scalars: Sequence[Operation]
    """The ops of the loop over tile blocks that compute scalars from its number alone."""
    work: Sequence[Operation]
    """The other ops of that loop."""
    compared: Sequence[SSAValue]
    """Scalars that have to be the same for both tile blocks."""
    shared: Sequence[TiledLoadOp]
    """The loads of operands that both need, if these scalars are the same."""


class NoPairs(Exception):
    """Why tile blocks are not computed in pairs."""


class LargeTiles(NoPairs):
    """They are so large that nothing is missed."""


def find_block_pairs(function: FuncOp, persistent: scf.ForOp) -> BlockPairs:
    """How tile blocks are computed in pairs; `NoPairs` if they are not."""
    if CLUSTER.is_on(persistent) or PAIR.is_on(function):
        raise NoPairs("CTAs of clusters share loads")
    if not depends_on_number_alone(persistent):
        raise NoPairs("the loop over tile blocks carries values")
    loop = find_main_loop(persistent)
    scalars = find_scalars(persistent.body.block)
    found: BlockPairs | None = None
    reason: NoPairs | None = None
    for distance in find_distances(scalars):
        try:
            pairs = find_pairs_at(distance, persistent, loop, scalars)
        except NoPairs as error:
            reason = reason or error
            continue
        if found is None or (shares_left(pairs) and not shares_left(found)):
            found = pairs
    if found is None:
        assert reason is not None
        raise reason
    check_resources(function, found)
    return found


def find_distances(scalars: Sequence[Operation]) -> list[int]:
    """How far apart tile blocks with equal coordinates may be: by divisors of their numbers."""
    divisors = (
        usual_value(op.operands[1]) for op in scalars if isinstance(op, QUOTIENTS + REMAINDERS)
    )
    return [1, *sorted({each for each in divisors if each is not None and each > 1})]


def shares_left(pairs: BlockPairs) -> bool:
    """Whether both share operand A of all dots: one WGMMA may then have the columns of both."""
    loop = pairs.loop
    return all(
        load in pairs.shared for dot in find_all(loop, DotOp) for load in loads_of(dot.a, loop)
    )


def find_pairs_at(
    distance: int, persistent: scf.ForOp, loop: scf.ForOp, scalars: Sequence[Operation]
) -> BlockPairs:
    """Pairs of tile blocks whose numbers are so far apart; `NoPairs` if they share nothing."""
    body = persistent.body.block
    changes = find_changes(persistent, distance)
    known = {result for op in scalars for result in op.results}
    compared: dict[SSAValue, None] = {}
    for bound in (loop.lb, loop.ub, loop.step):
        if changes[bound].amount != 0:
            raise NoPairs("the trip count of the loop depends on the tile block")
        if is_of(bound, body):
            compared[bound] = None
    if any(value not in known for value in compared):
        raise NoPairs("the trip count of the loop is loaded")
    shared: dict[TiledLoadOp, None] = {}
    operands = find_operands(loop)
    private = list(operands)
    for value in operands:
        leaves = find_leaves(value, persistent, loop)
        if leaves is None or any(leaf not in known or changes[leaf].amount != 0 for leaf in leaves):
            continue
        private.remove(value)
        shared.update(dict.fromkeys(loads_of(value, loop)))
        compared.update(dict.fromkeys(leaves))
    if len(private) == len(operands):
        raise NoPairs("tile blocks that follow each other have no operand in common")
    if not private:
        raise NoPairs("all operands are those of the next tile block")
    if any(is_made(dot) and dot.a in private for dot in find_all(loop, DotOp)):
        raise NoPairs("threads would make an operand of each")
    work = [op for op in body.ops if op not in scalars and op is not body.last_op]
    check_scalars(work, body)
    return BlockPairs(distance, persistent, loop, scalars, work, [*compared], [*shared])


def check_scalars(work: Sequence[Operation], body: Block) -> None:
    """
    `NoPairs` if some ops of a block need more than numbers of the others, which are computed again
    wherever they are used.
    """
    made = {result for op in work for result in op.results}
    used = (
        value
        for op in work
        for each in walk(op)
        for value in each.operands
        if is_of(value, body) and value not in made
    )
    if not all(isinstance(value.type, IntegerType | IndexType) for value in used):
        raise NoPairs("tensors depend on the tile block")


def find_main_loop(persistent: scf.ForOp) -> scf.ForOp:
    """The loop with all dots, which are WGMMAs."""
    loops = [op for op in persistent.body.block.ops if find_all(op, DotOp)]
    if len(loops) != 1 or not isinstance(loop := loops[0], scf.ForOp):
        raise NoPairs("dots are not in one loop")
    for op in walk(loop):
        if op is not loop and isinstance(op, scf.ForOp | scf.WhileOp | scf.IfOp):
            raise NoPairs("there are loops or branches in the loop of dots")
        if has_visible_effect(op):
            raise NoPairs(f"'{op.name}' is in the loop of dots")
        if isinstance(op, DotOp) and not is_wgmma(op):
            raise NoPairs("a dot is no WGMMA")
    return loop


def find_operands(loop: scf.ForOp) -> list[SSAValue]:
    """
    The operands of the dots of a loop: TMA loads them in the loop, or what threads make them of.
    """
    found = dict.fromkeys(value for dot in find_all(loop, DotOp) for value in (dot.a, dot.b))
    made = {dot.a for dot in find_all(loop, DotOp) if is_made(dot)}
    for value in found:
        load = find_load(value)
        if value not in made and (load is None or load.parent_op() is not loop):
            raise NoPairs("an operand of a dot is not loaded in its loop")
        loads = loads_of(value, loop)
        if not all(map(is_by_tma, [load, *loads] if load is not None else loads)):
            raise NoPairs("TMA does not load all operands")
    return [*found]


def loads_of(operand: SSAValue, loop: scf.ForOp) -> list[TiledLoadOp]:
    """The loads of views that an operand of a dot is, or is made of, in the loop of the dot."""
    block = loop.body.block
    ops = backward_slice([operand], lambda op: op.parent_block() is block)
    return [op for op in block.ops if op in ops and isinstance(op, TiledLoadOp)]


def find_scalars(body: Block) -> list[Operation]:
    """The ops of a loop that compute scalars from scalars without effects."""
    found: dict[Operation, None] = {}
    for op in body.ops:
        if op.regions or not is_pure(op) or op is body.last_op:
            continue
        values = (*op.operands, *op.results)
        if any(isinstance(value.type, TensorType) for value in values):
            continue
        if all(not is_of(v, body) or v.owner is body or v.owner in found for v in op.operands):
            found[op] = None
    return [*found]


def is_of(value: SSAValue, block: Block) -> bool:
    """Whether a value is an argument of a block, or the result of one of its ops."""
    owner = value.owner
    return owner is block or (isinstance(owner, Operation) and owner.parent_block() is block)


def depends_on_number_alone(persistent: scf.ForOp) -> bool:
    """Whether what the loop over tile blocks carries follows from the number of the tile block."""
    body = persistent.body.block
    scalars = {*find_scalars(body)}
    for each in reachable(last_of(body).operands, operands_of):
        if not is_of(each, body) or each is body.args[0]:
            continue
        if each.owner is body or each.owner not in scalars:
            return False
    return True


def find_leaves(operand: SSAValue, persistent: scf.ForOp, loop: scf.ForOp) -> list[SSAValue] | None:
    """
    The values of the loop over tile blocks that an operand of a dot depends on; None if it depends
    on more than these, the counter of its loop, and what is loaded.
    """
    body, inner = persistent.body.block, loop.body.block
    leaves: dict[SSAValue, None] = {}

    def inputs(value: SSAValue) -> Sequence[SSAValue]:
        return () if is_leaf(value) else list(operands_of(value))

    def is_leaf(value: SSAValue) -> bool:
        return is_of(value, body) and not isinstance(value.type, TensorType)

    for value in reachable([operand], inputs):
        op = value.owner
        if is_leaf(value):
            leaves[value] = None
        elif isinstance(value, BlockArgument):
            if value.owner is body or (value.owner is inner and value.index > 0):
                return None
        elif isinstance(op, Operation) and (is_of(value, inner) or is_of(value, body)):
            if op.regions or not (is_pure(op) or is_plain_load(op)):
                return None
    return [*leaves]


def find_changes(persistent: scf.ForOp, distance: int) -> ScalarChanges:
    """How scalars differ between two tile blocks of a pair, whose numbers differ so much."""
    body = persistent.body.block

    def given(value: SSAValue) -> Change | None:
        if value is body.args[0]:
            return Change.by(distance)
        is_fixed = not is_of(value, body) or isinstance(value.owner, COMPARISONS)
        return STAYS if is_fixed else None

    def inputs(value: SSAValue) -> Collection[SSAValue]:
        if isinstance(value, BlockArgument):
            return (last_of(body).operands[value.index - 1],)
        return operands_of(value)

    return ScalarChanges(given, inputs)


def check_resources(function: FuncOp, pairs: BlockPairs) -> None:
    """Raises `NoPairs` unless both tile blocks fit, and computing them at once is faster."""
    loop, dots = pairs.loop, find_all(pairs.loop, DotOp)
    axis_info = analyze(function)
    loads = dict.fromkeys(each for value in find_operands(loop) for each in loads_of(value, loop))
    by_tma = [load for load in loads if find_tma_tiling(load, axis_info) is not None]
    shared = [load for load in by_tma if load in pairs.shared]
    private = [load for load in by_tma if load not in pairs.shared]
    warpgroups, warps = get_warpgroups(function), get_warps(function)
    if warps < warpgroups.max_warpgroups * WARPGROUP_WARPS:
        raise NoPairs("one warpgroup suffices for a tile block")
    if get_kernel_hint(function, "occupancy") > 1:
        raise NoPairs("several CTAs share an SM")
    if any(map(needs_accumulator_promotion, dots)):
        raise NoPairs("partial sums of f8 need registers, too")
    # What threads make an operand of has rows, which they load themselves if TMA does not.
    if any(load not in by_tma and not is_row(load) for load in loads):
        raise NoPairs("TMA does not load all operands")
    model = KernelModel(function, warps, ScratchBudget.of(get_target(function)))
    if any(map(model.is_conditional, find_all(function, TiledStoreOp))):
        raise NoPairs("rows may end in the midst of 16 bytes, so that threads have to store")
    # Partial sums, such as those that are scaled, have registers beside the sums that are carried.
    partial = [dot.result for dot in dots if overwrites_accumulator(dot)]
    tiles = 2 * sum(type_registers(value.type) for value in (*loop.results, *partial))
    limit = warpgroups.max_accumulator_registers
    if tiles > limit:
        raise LargeTiles(f"both need {tiles} registers for accumulators, of {limit}")
    # Threads make those of the next iteration while WGMMAs of this one are in flight.
    made = {dot.a for dot in dots if is_made(dot)}
    tiles += 2 * sum(type_registers(value.type) for value in made)
    if tiles + warpgroups.overhead_registers > consumer_registers(dots[0]):
        raise NoPairs("operands that threads make need registers, too")
    stage = staged_bytes(shared) + 2 * staged_bytes(private)
    reserved = RESERVED_BYTES + tma_store_bytes(function)
    stages = (warpgroups.shared.per_cta(1) - reserved) // stage
    # What was measured is with the number (`targets.hopper`).
    is_launched_by_others = find_resident_ctas(function) is not None
    least = warpgroups.enough_stages if made or not is_launched_by_others else warpgroups.min_stages
    if stages < least:
        raise NoPairs(f"shared memory has room for {stages} buffer stages of both, not for {least}")


def find_carried(persistent: scf.ForOp) -> list[Operation]:
    """The ops that compute what the loop over tile blocks carries to its next iteration."""
    body = persistent.body.block
    wanted = {
        each.owner
        for each in reachable(last_of(body).operands, operands_of)
        if isinstance(each.owner, Operation) and each.owner.parent_block() is body
    }
    return [op for op in body.ops if op in wanted]
