"""
Blocks that stay and do the work of many.

Before:  %x = gpu.block_id x
         … work of block %x …
After:   (%gx: i32, %gy: i32, %gz: i32 behind the other parameters)
         scf.for %n = block_id x to %gx * %gy * %gz step grid_dim x {
           %x = %n mod %gx
           … work of block %x …
         }
         and the kernel has {nvgpu.persistent = 1 : i32}, or what its hint `occupancy` says

With the hint `num_ctas = 2`, neighbouring blocks are in a cluster, so that one may load what both
need: {gpu.known_cluster_size = array<i32: 2, 1, 1>}, and {nv_tileas.cluster = 2 : i32} at the loop.
Both have to go round equally often, so the last may have nothing to do; it stores nothing. Where
there can be no cluster, the hint gives way to {nv_tileas.ignored_hint = …}, which says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    UnitAttr,
    i32,
)
from xdsl.dialects.gpu import (
    BlockIdOp,
    DimensionAttr,
    DimensionEnum,
    FuncOp,
    GridDimOp,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.facts import GRID_LIMITS
from tileiras_xdsl.analysis.memory_order import (
    AFTER_GRID_WAIT,
    INDEPENDENT,
    INVARIANT,
    is_independent,
    is_invariant,
    runs_ahead,
)
from tileiras_xdsl.dialects.arith import CmpiOp, IndexCastOp
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.memory_order import Effect, is_plain_load, own_effects
from tileiras_xdsl.dialects.nv_tileaa.attributes import BoundedAttr
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import AssumeOp
from tileiras_xdsl.dialects.nv_tileas.hints import (
    get_kernel_hint,
    ignore_cluster_hint,
    take_cluster_hint,
)
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nvgpu.persistence import (
    CLUSTER_SIZES,
    get_persistent_blocks,
    set_persistent_blocks,
)
from tileiras_xdsl.transforms.common.abi import OWN_LAUNCHES
from tileiras_xdsl.transforms.common.compute_capability import get_warpgroups
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from .kernel_model.slicing import QUERIES, is_pure, scalar_code, shared_code
from .kernel_model.tma_loads import find_load
from .kernel_model.warpgroup_mma import is_warpgroup_product
from .schedule.clusters import CLUSTER

SHARED_EFFECTS = Effect.ATOMIC | Effect.ACQUIRE | Effect.RELEASE | Effect.PRINT | Effect.UNKNOWN
"""Effects that other blocks may wait for, or see in the order of blocks."""
NOTICED_EFFECTS = Effect.WRITE | Effect.RELEASE | Effect.GRID_LAUNCH | Effect.PRINT | Effect.UNKNOWN
"""Effects that must not happen twice. A wait for other grids may: blocks load for each other."""
DIMENSIONS = (DimensionEnum.X, DimensionEnum.Y, DimensionEnum.Z)


@dataclass(frozen=True)
class TileasDynamicPersistentPass(ModulePass):
    """
    Lets the blocks of kernels with products by warpgroups stay, so that the tiles of the next
    block are loaded while the results of one are stored. The launcher has to know: it passes the
    grid, and launches fewer blocks. Kernels whose blocks take different times, wait for each
    other, or are in clusters already, are left to the hardware to distribute.

    - abi: with any but `host-maps` nothing happens, for launches are not ours.
    """

    name = "tileas-dynamic-persistent"

    abi: str = "host-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.abi != OWN_LAUNCHES:
            return
        for function in kernels(op):
            if function.kernel is None:
                continue
            refusal = why_not_persistent(function)
            if get_kernel_hint(function, "num_ctas") > 1:
                reason = refusal or why_no_cluster(function)
                if reason is not None:
                    ignore_cluster_hint(function, reason)
            if refusal is None:
                Persistence(function, get_kernel_hint(function, "num_ctas")).write()


def why_not_persistent(function: FuncOp) -> str | None:
    """Why blocks of a kernel do not stay; none if they are alike, and have work to overlap."""
    if get_persistent_blocks(function):
        return "they stay already"
    if not any(map(is_warpgroup_product, function.walk())):
        return "no warpgroups multiply"
    if CLUSTER_SIZES[0] in function.attributes:
        return "they are in clusters"
    if any(map(is_plain_load, shared_code(function.body.block))):
        # In a loop over blocks, warps would have to read it anew together.
        return "a scalar that may change is read by all warps before they part"
    for op in function.walk():
        if own_effects(op) & SHARED_EFFECTS:
            return f"others may wait for '{op.name}'"
        if isinstance(op, scf.WhileOp):
            return "a loop has no number of iterations that all have"
        if isinstance(op, scf.ForOp) and any(map(depends_on_block, (op.lb, op.ub, op.step))):
            return "the number of iterations of a loop depends on the block"
        if is_warpgroup_product(op) and not all(is_loaded_beside(op, v) for v in op.operands[:2]):
            return "a product has a factor that is not loaded in its loop"
    return None


def is_loaded_beside(product: Operation, factor: SSAValue) -> bool:
    """
    Whether a tile that is a factor is loaded where it is used. One that is loaded before the loop,
    gathered or computed keeps the next block waiting (654 instead of 687 TFLOP/s,
    `attention_d128`).
    """
    load = find_load(factor)
    return load is not None and load.parent_block() is product.parent_block()


def why_no_cluster(function: FuncOp) -> str | None:
    """Why blocks that stay cannot share what they load; none if they can."""
    blocks = get_warpgroups(function).cluster_blocks
    if get_kernel_hint(function, "num_ctas") != blocks:
        return f"clusters have {blocks} blocks"
    for op in function.walk():
        if is_noticed(op) and op.parent_block() is not function.body.block:
            # The grid may have one block less than clusters have: it must not store.
            return f"'{op.name}' is in a loop or a branch"
        if isinstance(op, scf.IfOp) and depends_on_block(op.cond):
            if any(isinstance(each, TiledLoadOp) for each in op.walk()):
                return "only some blocks load"
    written = {base for op in function.walk() if is_noticed(op) for base in _bases(op, function)}
    for op in function.walk():
        if own_effects(op) & Effect.READ and not written.isdisjoint(_bases(op, function)):
            # Who does the work of the last block once more would read what that one writes.
            return f"'{op.name}' reads what blocks write"
    return None


def _bases(op: Operation, function: FuncOp) -> set[SSAValue]:
    """The parameters of a kernel that the addresses of an access may be made of."""
    pending = [value for value in op.operands if not _is_number(value)]
    seen = set(pending)
    found: set[SSAValue] = set()
    while pending:
        value = pending.pop()
        if value.owner is function.body.block:
            found.add(value)
            continue
        sources = [each for each in _sources(value) if not _is_number(each)]
        if not sources:
            # An address out of a number may be any.
            found.update(function.body.block.args)
        fresh = [each for each in sources if each not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return found


def _is_number(value: SSAValue) -> bool:
    """Whether a value, or each element of a tile, is a number and no address."""
    element = value.type.get_element_type() if isinstance(value.type, TensorType) else value.type
    return isinstance(element, IntegerType | IndexType) or is_float(element)


def _sources(value: SSAValue) -> Iterator[SSAValue]:
    """What a value inside of a kernel may be made of."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    assert op is not None
    yield from op.operands
    for region in op.regions:
        for block in region.blocks:
            if block.last_op is not None:
                yield from block.last_op.operands


def is_noticed(op: Operation) -> bool:
    """Whether others notice what an op itself does, so that it must not happen twice."""
    return bool(own_effects(op) & NOTICED_EFFECTS)


def depends_on_block(value: SSAValue) -> bool:
    """Whether a number may be different in other blocks."""
    pending, seen = [value], {value}
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Block):
            if not isinstance(owner.parent_op(), FuncOp):
                return True
            continue
        if isinstance(owner, BlockIdOp) or not is_pure(owner):
            return True
        fresh = [operand for operand in owner.operands if operand not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return False


class Persistence:
    """A kernel that is being rewritten."""

    def __init__(self, function: FuncOp, cluster: int = 1):
        self.function = function
        self.block = function.body.block
        self.cluster = cluster

    def write(self) -> None:
        """Puts all that depends on the block into a loop."""
        for op in self.function.walk():
            # Stores of one block do not come before loads of another, even if they do now.
            if is_independent(op):
                op.attributes[INDEPENDENT] = UnitAttr()
            elif runs_ahead(op):
                op.attributes[AFTER_GRID_WAIT] = UnitAttr()
            if is_plain_load(op) and not get_shape(op.results[0].type) and is_invariant(op):
                op.attributes[INVARIANT] = UnitAttr()
        block, last = self.block, self.block.last_op
        assert last is not None
        outside = scalar_code(block, excluded=QUERIES)
        inside = [op for op in block.ops if op not in outside and op is not last]
        grid = [self._add_size(dimension, last) for dimension in DIMENSIONS]
        body = Block(arg_types=[i32])
        for op in inside:
            op.detach()
        body.add_ops(inside)
        first = self._add(BlockIdOp(DimensionAttr(DimensionEnum.X)), last)
        step = self._add(GridDimOp(DimensionAttr(DimensionEnum.X)), last)
        total = self._add(arith.MuliOp(grid[0], grid[1]), last)
        total = self._add(arith.MuliOp(total, grid[2]), last)
        end_number = total
        if self.cluster > 1:
            # All blocks of a cluster do equally much; what is too much is not stored.
            end_number = self._round_up(total, last)
            self._guard_writes(body, total)
        numbers = self._decode(body, grid, total)
        end = scf.YieldOp()
        end.location = self.function.location
        body.add_op(end)
        for op in [*body.walk()]:
            self._replace(op, numbers, grid)
        bounds = [self._add(IndexCastOp(value, i32), last) for value in (first, step)]
        loop = scf.ForOp(bounds[0], end_number, bounds[1], [], Region(body))
        if self.cluster > 1:
            loop.attributes[CLUSTER] = IntegerAttr(self.cluster, i32)
            self._put_into_clusters()
        loop.location = self.function.location
        Rewriter.insert_op(loop, InsertPoint.before(last))
        self.function.function_type = FunctionType.from_lists(list(block.arg_types), [])
        set_persistent_blocks(self.function, get_kernel_hint(self.function, "occupancy"))

    def _put_into_clusters(self) -> None:
        """Clusters of blocks, in place of the hint."""
        sizes = [take_cluster_hint(self.function), 1, 1]
        self.function.attributes[CLUSTER_SIZES[0]] = DenseArrayBase.from_list(i32, sizes)

    def _add_size(self, dimension: DimensionEnum, before: Operation) -> SSAValue:
        """Adds a parameter for a size of the grid; as much is known of it as without it."""
        argument = self.block.insert_arg(i32, len(self.block.args))
        argument.name_hint = f"grid_{dimension}"
        bounds = BoundedAttr((1, GRID_LIMITS[str(dimension)]))
        size = self._add(AssumeOp(argument, bounds), before)
        size.name_hint = argument.name_hint
        return size

    def _add(self, op: Operation, before: Operation) -> SSAValue:
        op.location = self.function.location
        Rewriter.insert_op(op, InsertPoint.before(before))
        return op.results[0]

    def _round_up(self, total: SSAValue, before: Operation) -> SSAValue:
        """The next multiple of the size of a cluster."""
        rest = self._add(arith.ConstantOp(IntegerAttr(self.cluster - 1, i32)), before)
        mask = self._add(arith.ConstantOp(IntegerAttr(-self.cluster, i32)), before)
        more = self._add(arith.AddiOp(total, rest), before)
        return self._add(arith.AndIOp(more, mask), before)

    def _guard_writes(self, body: Block, total: SSAValue) -> None:
        """Lets blocks write only for numbers that the grid has."""
        first = body.first_op
        assert first is not None
        is_there = self._add(CmpiOp(body.args[0], total, "slt"), first)
        for op in [each for each in body.ops if is_noticed(each)]:
            block = Block()
            branch = scf.IfOp(is_there, [], Region(block))
            branch.location = op.location
            Rewriter.insert_op(branch, InsertPoint.before(op))
            op.detach()
            block.add_ops([op, scf.YieldOp()])

    def _decode(
        self, body: Block, grid: Sequence[SSAValue], total: SSAValue
    ) -> dict[DimensionEnum, SSAValue]:
        """The place in the grid of the block whose work is done."""
        number: SSAValue = body.args[0]
        first = body.first_op
        assert first is not None
        if self.cluster > 1:
            one = self._add(arith.ConstantOp(IntegerAttr(1, i32)), first)
            least = self._add(arith.SubiOp(total, one), first)
            number = self._add(arith.MinSIOp(number, least), first)
        x = self._add(arith.RemSIOp(number, grid[0]), first)
        number = self._add(arith.DivSIOp(number, grid[0]), first)
        y = self._add(arith.RemSIOp(number, grid[1]), first)
        z = self._add(arith.DivSIOp(number, grid[1]), first)
        return dict(zip(DIMENSIONS, (x, y, z), strict=True))

    def _replace(
        self, op: Operation, numbers: dict[DimensionEnum, SSAValue], grid: Sequence[SSAValue]
    ) -> None:
        """Takes the place of a block, or the size of the grid, from where it is now."""
        match op:
            case BlockIdOp():
                value = numbers[op.dimension.data]
            case GridDimOp():
                value = grid[DIMENSIONS.index(op.dimension.data)]
            case _:
                return
        cast = IndexCastOp(value, IndexType())
        cast.location = op.location
        cast.result.name_hint = op.results[0].name_hint
        Rewriter.insert_op(cast, InsertPoint.before(op))
        op.results[0].replace_all_uses_with(cast.result)
        Rewriter.erase_op(op)
