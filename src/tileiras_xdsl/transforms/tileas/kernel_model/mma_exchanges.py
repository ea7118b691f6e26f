"""
A kernel with dots by `tcgen05` as two agents: who has which tile in tensor memory, and what they
hand to each other.

The MMA agent *holds* accumulators as long as dots only add to them: results of dots, and what loops
carry of them. All other tiles in tensor memory are of the consumer, whose threads read and write
them. Where one agent uses a tile of the other, it goes through a pipeline, one for each place and
direction:

    MMA agent                               consumer
    acquire: threads have read the last     wait: MMAs are complete
    dots …                                  tensor_memory_load
    commit                                  release

    wait: threads have written              acquire: MMAs have read the last
    dot                                     tensor_memory_store
    release                                 commit

Tiles that MMAs write are received where threads first need them. Tiles that threads write are
received by the dot that reads them; each of them has to be read by one dot. Operands that threads
write to shared memory are handed over where the first dot that reads them is. Everything else is no
kernel for an MMA agent (`NotSeparable`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.dialects.gpu import BlockIdOp, DimensionEnum, FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue, Use

from tileiras_xdsl.analysis.axis_info_analysis import analyze
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import SharedOperand
from tileiras_xdsl.analysis.slices import reachable, sources_of
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects.arith import IndexCastOp
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.elementwise import DivIOp
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileaa.shape import ExpandDimsOperation, PermuteOp, ViewOperation
from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import (
    TensorMemoryScaleOp,
    TensorMemoryStoreOp,
    TensorMemoryWrite,
)
from tileiras_xdsl.dialects.nv_tileas.types import get_kernel_hint
from tileiras_xdsl.dialects.nvgpu.types import BLOCKS_ARE_CLUSTERS, get_cluster_ctas
from tileiras_xdsl.targets.tcgen05 import (
    ALLOCATED_COLUMNS,
    INSTRUCTION_ROWS,
    MOST_COLUMNS,
    PAIR_COLUMN_STEP,
    PAIR_CTAS,
)
from tileiras_xdsl.targets.warpgroups import MIN_STAGES
from tileiras_xdsl.transforms.common.kernel_spec import get_target
from tileiras_xdsl.xdsl_extras.walking import ancestor_in, find_all, integer_of, last_of, walk

from .dot_waits import kind_of_operands
from .scaled_tcgen05 import columns_of_scales
from .slicing import NotScalar, Slice, is_pure
from .staged_loads import find_loop, find_staged_loads, is_mma_operand
from .tensor_memory_webs import Web, Webs, columns_of, is_in_tensor_memory, place_apart
from .tma_loads import TileUse, find_load, find_uses, half_view
from .written_operands import B_INDEX, find_written_operands

FIRST_ITER_ARG = 3
"""Operands of a loop before what it carries: its bounds and step."""


class NotSeparable(Exception):
    """A kernel whose MMAs cannot be issued by an agent of their own; says why."""


@dataclass(eq=False)
class TileExchange:
    """Tiles of one place that one agent hands to the other."""

    place: SSAValue | None
    """
    The value that stands for the place in tensor memory (`Webs.root_of`); None for an operand in
    shared memory.
    """
    ty: TensorType
    to_mma: bool
    """Whether threads write the tiles, and MMAs read them."""
    is_fresh: bool = True
    """Whether nothing is left of the tile before when the next one is written."""
    is_repeated: bool = False
    """Whether it is in a loop."""
    scale_columns: int = 0
    """Of scales in shared memory: columns of tensor memory that MMAs copy a tile to."""
    stages: int = 1


@dataclass(frozen=True)
class Acquisition:
    """An agent is about to write a tile that it will hand to the other one."""

    exchange: TileExchange
    buffer: SSAValue | None
    """The place that it takes; None if it goes on with what is in a place already."""


@dataclass
class WrittenTile:
    """A tile that threads write to shared memory, for one dot or several of a block."""

    value: SSAValue
    exchange: TileExchange
    uses: list[tuple[DotOp, int]]
    """The dots, in their order, with the index of the operand."""


@dataclass
class MmaPartition:
    """What the MMA agent of a kernel does."""

    slice: Slice = field(default_factory=Slice)
    """The dots, loops and branches around them, and scalars."""
    held: set[SSAValue] = field(default_factory=set[SSAValue])
    """Tiles in tensor memory that no thread accesses."""
    exchanges: list[TileExchange] = field(default_factory=list[TileExchange])
    acquired: dict[Operation, Acquisition] = field(default_factory=dict[Operation, Acquisition])
    """By the first op that writes a tile."""
    sent: dict[SSAValue, TileExchange] = field(default_factory=dict[SSAValue, TileExchange])
    """Tiles that an agent hands over as soon as it has them."""
    received: dict[Operation, list[SSAValue]] = field(
        default_factory=dict[Operation, "list[SSAValue]"]
    )
    """By the op before which it is done: tiles of MMAs that threads wait for."""
    released: dict[Operation, list[SSAValue]] = field(
        default_factory=dict[Operation, "list[SSAValue]"]
    )
    """By the op after which it is done: tiles of MMAs that threads have read."""
    inputs: dict[Operation, list[tuple[SSAValue, TileExchange]]] = field(
        default_factory=dict[Operation, "list[tuple[SSAValue, TileExchange]]"]
    )
    """By dot, or loop: tiles of threads that MMAs wait for, and have read after it."""

    written: list[WrittenTile] = field(default_factory=list[WrittenTile])
    """Operands in shared memory."""
    local_places: set[Operation] = field(default_factory=set[Operation])
    """Places that threads write tiles to which they read themselves."""

    def exchanges_at(self, op: Operation) -> Iterator[tuple[TileExchange, bool]]:
        """The exchanges that go on to their next tile at an op, and whether MMAs do that."""
        for value in op.results:
            if (exchange := self.sent.get(value)) is not None:
                yield exchange, not exchange.to_mma
        for value in self.received.get(op, ()):
            yield self.sent[value], False
        for _, exchange in self.inputs.get(op, ()):
            yield exchange, True
        for tile in self.written_at(op):
            yield tile.exchange, True
            yield tile.exchange, False

    def written_at(self, op: Operation) -> list[WrittenTile]:
        """The operands that threads write to shared memory before a dot, which is the first."""
        return [tile for tile in self.written if tile.uses[0][0] is op]

    def read_by(self, op: Operation) -> list[WrittenTile]:
        """The operands in shared memory of which a dot is the last to read them."""
        return [tile for tile in self.written if tile.uses[-1][0] is op]


def partition(function: FuncOp) -> MmaPartition:
    """What the MMA agent of a kernel does; `NotSeparable` if there can be none."""
    return _Partitioning(function).run()


class _Partitioning:
    """Finds out what the MMA agent of a kernel does."""

    def __init__(self, function: FuncOp):
        self.function = function
        self.webs = Webs(function)
        self.dots = [dot for dot in find_all(function, DotOp) if is_tcgen05(dot)]
        self.result = MmaPartition()
        self._by_place: dict[tuple[SSAValue, bool], TileExchange] = {}
        self._covered: set[Operation] = set()
        self._stores: set[Operation] = set()
        self._escaping: list[TileExchange] = []
        """Those whose tiles threads read later than in the block of the MMA."""

    def run(self) -> MmaPartition:
        self._find_written()
        kinds: dict[SSAValue, object] = {}
        for dot in self.dots:
            self._reach(dot)
            kind = kinds.setdefault(self.webs.root_of(dot.result), kind_of_operands(dot))
            if kind != kind_of_operands(dot):
                raise NotSeparable("MMAs of different kinds add to one accumulator")
        self._find_held()
        for dot in self.dots:
            for index, value in enumerate(dot.operands):
                if is_in_tensor_memory(value):
                    self._use(dot, index, value)
        for loop in find_all(self.function, scf.ForOp):
            for index, value in enumerate(loop.results):
                if value in self.result.held:
                    self._use(loop, FIRST_ITER_ARG + index, loop.iter_args[index])
        for op in walk(self.function):
            for value in op.results:
                if value in self.result.held:
                    self._send(value)
        for value in [each for each in self.result.sent if each in self.result.held]:
            self._acquire(value)
        if not self._covered.issuperset(self.dots):
            raise NotSeparable("threads do not read the result of an MMA")
        self._find_local_stores()
        self._check_escapes()
        self._choose_stages()
        return self.result

    def _find_written(self) -> None:
        """
        Operands that threads write to shared memory. One that several dots of a block read is
        written once, unless another one comes between.
        """
        slots: dict[int, TileExchange] = {}
        contents: dict[int, WrittenTile] = {}
        for operand in find_written_operands(self.function):
            dot, value = operand.dot, operand.dot.operands[operand.index]
            exchange = slots.setdefault(operand.slot, TileExchange(None, operand.type, True))
            if exchange.ty != operand.type:
                raise NotSeparable("operands of different types share a buffer in shared memory")
            if isinstance(dot, ScaledDotOp) and operand.index >= dot.scale_index:
                exchange.scale_columns = columns_of_scales(operand.type)
                exchange.is_repeated |= find_loop(dot) is not None
            known = contents.get(operand.slot)
            if (
                known is not None
                and known.value is value
                and _is_next(known.uses[-1][0], dot, self.dots)
            ):
                if exchange.scale_columns:
                    raise NotSeparable("several MMAs copy the same scales to tensor memory")
                known.uses.append((dot, operand.index))
                continue
            contents[operand.slot] = WrittenTile(value, exchange, [(dot, operand.index)])
            self.result.written.append(contents[operand.slot])
        self.result.exchanges += slots.values()

    def _reach(self, dot: DotOp) -> None:
        try:
            self.result.slice.reach(dot)
            if dot.accumulate is not None:
                self.result.slice.need(dot.accumulate)
        except NotScalar as error:
            raise NotSeparable(f"a loop or branch around an MMA {error}") from error

    # Who has which tile

    def _find_held(self) -> None:
        """Begins with all that may be held, and drops what is not."""
        held = self.result.held
        for op in walk(self.function):
            for value in op.results:
                if is_in_tensor_memory(value):
                    if isinstance(op, scf.WhileOp):
                        raise NotSeparable("a while loop carries a tile in tensor memory")
                    if isinstance(op, scf.ForOp | scf.IfOp) or (
                        isinstance(op, DotOp) and is_tcgen05(op)
                    ):
                        held.add(value)
            if isinstance(op, scf.ForOp):
                held.update(x for x in op.body.block.args if is_in_tensor_memory(x))
        while dropped := [value for value in held if not self._may_hold(value)]:
            held.difference_update(dropped)

    def _may_hold(self, value: SSAValue) -> bool:
        held, owner = self.result.held, value.owner
        match owner:
            case DotOp():
                return True
            case scf.IfOp():
                index = _index_of(owner.results, value)
                yielded = [last_of(region.block).operands[index] for region in owner.regions]
                return any(each in held for each in yielded) and all(
                    each in held or _is_place(each) for each in yielded
                )
            case scf.ForOp():
                return owner.body.block.args[_index_of(owner.results, value) + 1] in held
            case Block() if isinstance(loop := owner.parent_op(), scf.ForOp):
                assert isinstance(value, BlockArgument)
                yielded = last_of(owner).operands[value.index - 1]
                return (
                    loop.results[value.index - 1] in held
                    and yielded in held
                    and all(map(self._is_of_mma, value.uses))
                )
            case _:
                return False

    def _is_of_mma(self, use: Use) -> bool:
        """Whether MMAs use a tile, or what they hold takes it over."""
        op = use.operation
        match op:
            case DotOp():
                return is_tcgen05(op)
            case scf.ForOp():
                index = use.index - FIRST_ITER_ARG
                return op.results[index] in self.result.held
            case scf.YieldOp():
                around = op.parent_op()
                assert around is not None
                return around.results[use.index] in self.result.held
            case _:
                return False

    # Tiles that threads write

    def _exchange(self, value: SSAValue, *, to_mma: bool) -> TileExchange:
        ty = value.type
        assert isinstance(ty, TensorType)
        key = self.webs.root_of(value), to_mma
        if key not in self._by_place:
            self._by_place[key] = TileExchange(key[0], ty, to_mma)
            self.result.exchanges.append(self._by_place[key])
        return self._by_place[key]

    def _use(self, op: Operation, index: int, value: SSAValue) -> None:
        """An MMA uses a tile: if threads wrote it, each of these tiles has to be used once."""
        if value in self.result.held or isinstance(value.owner, AllocTensorOp):
            return
        exchange = self._exchange(value, to_mma=True)
        for store in self._find_stores(value, set()):
            if store not in self._stores:
                self._stores.add(store)
                fresh = store.destination if _is_place(store.destination) else None
                exchange.is_fresh &= fresh is not None
                exchange.is_repeated |= find_loop(store) is not None
                self.result.acquired[store] = Acquisition(exchange, fresh)
                self.result.sent[store.result] = exchange
        self.result.inputs.setdefault(op, []).append((value, exchange))

    def _find_stores(self, value: SSAValue, seen: set[SSAValue]) -> Iterator[TensorMemoryWrite]:
        if value in seen:
            return
        seen.add(value)
        uses = [*value.uses]
        if len(uses) != 1 or uses[0].operation.parent_block() is not _block_of(value):
            raise NotSeparable("a tile that threads write is not used by one MMA")
        owner = value.owner
        match owner:
            case TensorMemoryStoreOp() | TensorMemoryScaleOp():
                yield owner
            case scf.ForOp():
                index = _index_of(owner.results, value)
                values = (
                    owner.iter_args[index],
                    owner.body.block.args[index + 1],
                    last_of(owner.body.block).operands[index],
                )
                for each in values:
                    yield from self._find_stores(each, seen)
            case scf.IfOp():
                index = _index_of(owner.results, value)
                for region in owner.regions:
                    yield from self._find_stores(last_of(region.block).operands[index], seen)
            case Block() if isinstance(loop := owner.parent_op(), scf.ForOp):
                assert isinstance(value, BlockArgument)
                yield from self._find_stores(loop.results[value.index - 1], seen)
            case _:
                raise NotSeparable("MMAs and threads write a tile in turn")

    # Tiles that MMAs write

    def _send(self, value: SSAValue) -> None:
        """Threads use a tile that MMAs hold."""
        uses = [use for use in value.uses if not self._is_of_mma(use)]
        if not uses:
            return
        exchange = self._exchange(value, to_mma=False)
        block, users, escapes = _block_of(value), set[Operation](), False
        assert block is not None
        values, seen = [value], set[SSAValue]()
        while values:
            each = values.pop()
            if each in seen:
                continue
            seen.add(each)
            for use in each.uses:
                if self._is_of_mma(use):
                    continue
                op = use.operation
                users.add(top := ancestor_in(block, op))
                around = op.parent_op()
                if isinstance(op, TensorMemoryWrite) and op.destination is each:
                    values.append(op.result)
                elif isinstance(op, scf.YieldOp) and isinstance(around, scf.IfOp):
                    escapes |= top is block.last_op
                    if top is not block.last_op:
                        values.append(around.results[use.index])
                elif isinstance(op, scf.YieldOp | scf.ForOp | scf.WhileOp):
                    escapes = True
        ordered = [op for op in block.ops if op in users]
        self.result.sent[value] = exchange
        self.result.received.setdefault(ordered[0], []).append(value)
        if escapes:
            # What is read later is overwritten only when threads have written it first.
            exchange.is_fresh = False
            self._escaping.append(exchange)
        else:
            self.result.released.setdefault(ordered[-1], []).append(value)

    def _acquire(self, value: SSAValue) -> None:
        """Finds the first op that writes a tile which MMAs hand over."""
        exchange = self.result.sent[value]
        first, source = self._walk_back(value)
        if first.parent_block() is not _block_of(value):
            raise NotSeparable("an accumulator begins in another block than it ends")
        inside = [
            each
            for op in walk(first)
            if op is not first
            for each in op.results
            if self.result.sent.get(each) is exchange
        ]
        if inside or first in self.result.acquired:
            raise NotSeparable("threads read an accumulator in a loop, and after it")
        fresh = source if _is_place(source) else None
        exchange.is_fresh &= fresh is not None
        exchange.is_repeated |= find_loop(first) is not None
        self.result.acquired[first] = Acquisition(exchange, fresh)

    def _walk_back(self, value: SSAValue) -> tuple[Operation, SSAValue]:
        """
        The first of the ops that write a tile one after the other, and what it begins with: a
        place, a tile of threads, one that was handed over already, or what a loop carries.
        """
        while True:
            op = value.owner
            match op:
                case DotOp():
                    self._covered.add(op)
                    before = op.accumulator
                case scf.ForOp():
                    index = _index_of(op.results, value)
                    yielded = last_of(op.body.block).operands[index]
                    argument = op.body.block.args[index + 1]
                    if yielded is not argument and yielded not in self.result.sent:
                        _, source = self._walk_back(yielded)
                        if source is not argument:
                            raise NotSeparable("a loop begins an accumulator that it ends with")
                    before = op.iter_args[index]
                case scf.IfOp():
                    return self._walk_back_branches(op, _index_of(op.results, value))
                case _:
                    raise NotSeparable("an accumulator comes from nowhere")
            is_end = before not in self.result.held or before in self.result.sent
            if is_end or isinstance(before, BlockArgument):
                return op, before
            value = before

    def _find_local_stores(self) -> None:
        """Tiles that threads write for themselves, also where MMAs add to them later."""
        for store in find_all(self.function, TensorMemoryStoreOp):
            if store in self._stores or not _is_place(store.destination):
                continue
            assert isinstance(store.destination.owner, AllocTensorOp)
            self.result.local_places.add(store.destination.owner)
            root = self.webs.root_of(store.result)
            found = [self._by_place.get((root, to_mma)) for to_mma in (False, True)]
            if found[0] is not None:
                found[0].is_fresh = False
                self._escaping.append(found[0])
            elif found[1] is not None:
                raise NotSeparable("threads overwrite an operand that MMAs may still read")

    def _walk_back_branches(self, op: scf.IfOp, index: int) -> tuple[Operation, SSAValue]:
        """The same for what a branch yields: both ways begin with the same place."""
        sources: set[SSAValue] = set()
        for region in op.regions:
            yielded = last_of(region.block).operands[index]
            if _is_place(yielded):
                sources.add(yielded)
                continue
            first, source = self._walk_back(yielded)
            if not op.is_ancestor(first):
                raise NotSeparable("a branch goes on with an accumulator")
            sources.add(source)
        if len(sources) != 1 or not all(map(_is_place, sources)):
            raise NotSeparable("a branch chooses an accumulator")
        return op, sources.pop()

    def _check_escapes(self) -> None:
        for exchange in self._escaping:
            for op, acquisition in self.result.acquired.items():
                if acquisition.exchange is not exchange:
                    continue
                if not any(
                    each.place is exchange.place for _, each in self.result.inputs.get(op, ())
                ):
                    raise NotSeparable("threads read an accumulator after MMAs may overwrite it")

    # Stages

    def _choose_stages(self) -> None:
        """
        Doubles the buffers of tiles that are written again while the last one may still be read,
        the smallest first, if there are columns for that.
        """
        exchanges = self.result.exchanges
        most = ALLOCATED_COLUMNS[-1] // max(1, get_kernel_hint(self.function, "occupancy"))
        scales = sum(exchange.scale_columns for exchange in exchanges)
        stages = {web: 1 for web in self.webs.webs.values()}
        if not _fits(stages, most - scales):
            raise NotSeparable(f"tiles take more than {most} columns of tensor memory")
        # MMAs wait less if there are two sets of scales than two accumulators.
        left = most
        most -= min(MIN_STAGES * scales, left - _columns(stages))
        placed = [(each, each.place) for each in exchanges if each.place is not None]
        for exchange, place in sorted(placed, key=lambda each: columns_of(each[1])):
            others = [each for each in exchanges if each.place is place]
            if len(others) > 1 or not exchange.is_fresh or not exchange.is_repeated:
                continue
            web = self.webs.of(place)
            if _fits(stages | {web: MIN_STAGES}, most):
                stages[web] = exchange.stages = MIN_STAGES
        if scales:
            left -= _columns(stages)
            for exchange in exchanges:
                if exchange.scale_columns and exchange.is_repeated:
                    exchange.stages = min(MIN_STAGES, left // scales)


def _is_next(first: DotOp, second: DotOp, dots: Sequence[DotOp]) -> bool:
    """Whether two dots are in one block, and no other dot is between them."""
    index = next(n for n, dot in enumerate(dots) if dot is first)
    is_next = first is second or dots[index + 1 : index + 2] == [second]
    return is_next and first.parent_block() is second.parent_block()


def _fits(stages: dict[Web, int], most: int) -> bool:
    return _columns(stages) <= most


def _columns(stages: dict[Web, int]) -> int:
    return place_apart([Web(columns=web.columns * count) for web, count in stages.items()])


def _is_place(value: SSAValue) -> bool:
    return isinstance(value.owner, AllocTensorOp)


def _index_of(values: Sequence[SSAValue], value: SSAValue) -> int:
    return next(n for n, each in enumerate(values) if each is value)


def _block_of(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent_block()


# Which kernels multiply by pairs of CTAs (`cta_group::2`).
#
# The CTAs of a cluster do neighbouring rows of a product (`split-tiles`). One of them issues MMAs
# for both: of 256 rows, of which each CTA has 128 in its tensor memory, and has loaded as many of
# A and half of the columns of B. Scales of block-scaled products are of a CTA: threads of each
# write those of its rows of A, and all of those of B. So whatever decides which MMAs there are has
# to be the same in both CTAs: tiles of B, how often loops run, which branch is taken, and whether
# an MMA adds.

COLUMNS = 1
"""The dimension of operand B that a pair shares."""
TOWARDS_ZERO = StringAttr("zero")


def is_pair_candidate(function: FuncOp) -> bool:
    """Whether the CTAs of a cluster share a tile block of dots, and could multiply together."""
    warpgroups = get_target(function).warpgroups
    return (
        BLOCKS_ARE_CLUSTERS.is_on(function)
        and get_cluster_ctas(function) == PAIR_CTAS
        and warpgroups is not None
        and warpgroups.pair_ctas == PAIR_CTAS
        and bool(find_all(function, DotOperation))
    )


def halves_or_reason(function: FuncOp) -> dict[TiledLoadOp, int] | str:
    """
    The loads of which each CTA of a pair does half, and the dimension of their tiles that is
    halved; or why no pair multiplies.
    """
    dots: list[DotOp] = []
    for op in find_all(function, DotOperation):
        if not isinstance(op, DotOp) or not is_tcgen05(op):
            return f"'{op.name}' is not done by tcgen05"
        dots.append(op)
    for op in dots:
        if (reason := _why_no_shape(op)) is not None:
            return reason
    halved: dict[TiledLoadOp, int] = {}
    staged = find_staged_loads(function, analyze(function))
    for op in dots:
        for name, value in (("A", op.a), ("B", op.b)):
            if find_load(value) not in staged:
                return f"operand {name} is not loaded by TMA"
    for load in staged:
        if not isinstance(load, TiledLoadOp):
            return "threads copy an operand"
        found = _halved_dim(load)
        if isinstance(found, str):
            return found
        if found is not None:
            halved[load] = found
    return _why_different(dots, halved) or halved


def _why_no_shape(op: DotOp) -> str | None:
    rows, columns = get_shape(op.result.type)
    if rows != INSTRUCTION_ROWS:
        return f"MMAs of a pair have {INSTRUCTION_ROWS} rows of each CTA, not {rows}"
    if columns > MOST_COLUMNS or columns % PAIR_COLUMN_STEP:
        return f"MMAs of a pair have no {columns} columns"
    return None


# Halves of tiles


def _halved_dim(load: TiledLoadOp) -> int | str | None:
    """
    The dimension of a tile along which CTAs load half of it each; None if each loads all of it, for
    it is operand A.
    """
    tiling = TmaTiling.of(load.view_type)
    assert tiling is not None
    dims: set[int | str | None] = set()
    for use in find_uses(load.result):
        if not is_mma_operand(use, tiling.layout):
            return "threads read a tile that TMA loads"
        dims.add(_find_half(load, use) if use.operand_index == B_INDEX else None)
    if len(dims) != 1:
        return "a tile is read in several ways"
    (dim,) = dims
    return dim


def _find_half(load: TiledLoadOp, use: TileUse) -> int | str:
    """The dimension of a tile that is the columns of operand B, if a descriptor has its half."""
    refusal = "no descriptor can describe half of operand B"
    dim: int | None = COLUMNS
    for op in reversed(use.chain):
        dim = _source_dim(op, dim)
        if dim is None:
            return refusal
    tiling = TmaTiling.of(half_view(load.view_type, dim))
    if tiling is None:
        return "TMA cannot load half of operand B"
    layout: LinearLayout | None = tiling.layout
    for op in use.chain:
        layout = _reshaped(op, layout)
    size = memory_bits(get_element(use.op.operands[B_INDEX].type)) // 8
    whole = SharedOperand.of(_layout_of(load, use), 0, size, transposes_bytes=True)
    half = SharedOperand.of(layout, 0, size, transposes_bytes=True)
    columns = get_shape(use.op.operands[B_INDEX].type)[COLUMNS]
    if whole is None or half is None or half != whole.half(columns):
        return refusal
    return dim


def _layout_of(load: TiledLoadOp, use: TileUse) -> LinearLayout:
    tiling = TmaTiling.of(load.view_type)
    assert tiling is not None
    layout = tiling.layout
    for op in use.chain:
        layout = _reshaped(op, layout)
    return layout


def _reshaped(op: Operation, layout: LinearLayout) -> LinearLayout:
    """The layout of a reshaped tile, or of half of one."""
    match op:
        case PermuteOp():
            return layout.permute(op.get_permutation())
        case ViewOperation() | ExpandDimsOperation():
            extents = iter([extent for extent in layout.shape if extent > 1])
            shape = [
                1 if extent == 1 else next(extents) for extent in get_shape(op.results[0].type)
            ]
            return layout.reshape(shape)
        case _:
            return layout


def _source_dim(op: Operation, dim: int) -> int | None:
    """The dimension of a tile that becomes one of its reshape; None if it is made of several."""
    match op:
        case PermuteOp():
            return op.get_permutation()[dim]
        case ViewOperation() | ExpandDimsOperation():
            shapes = [get_shape(value.type) for value in (op.operands[0], op.results[0])]
            places = [
                [index for index, extent in enumerate(shape) if extent > 1] for shape in shapes
            ]
            kept = [[shape[n] for n in place] for shape, place in zip(shapes, places, strict=True)]
            return places[0][places[1].index(dim)] if kept[0] == kept[1] else None
        case _:
            return dim


# What is the same in both CTAs


def _why_different(dots: Sequence[DotOp], halved: Collection[TiledLoadOp]) -> str | None:
    """Why CTAs of a cluster may not issue the same MMAs; None if they do."""
    for op in dots:
        if op.accumulate is not None and may_differ([op.accumulate]):
            return "CTAs may not agree whether an MMA adds"
        loads = [find_load(value) for value in op.operands[:2]]
        for each in (op, *(load for load in loads if load is not None)):
            if (reason := _why_different_paths(each)) is not None:
                return reason
    if any(may_differ(load.operands) for load in halved):
        return "CTAs may load different tiles of B"
    return None


def _why_different_paths(op: Operation) -> str | None:
    """Why CTAs may not both get to an op, equally often; None if they do."""
    around = op.parent_op()
    while around is not None and not isinstance(around, FuncOp):
        match around:
            case scf.ForOp():
                if may_differ([around.lb, around.ub, around.step]):
                    return "CTAs may run a loop of MMAs differently often"
            case scf.IfOp():
                if may_differ([around.cond]):
                    return "only one of the CTAs may multiply"
            case _:
                return f"'{around.name}' has MMAs in it"
        around = around.parent_op()
    return None


def may_differ(values: Iterable[SSAValue]) -> bool:
    """
    Whether values may not be the same in both CTAs of a cluster, whose indices differ in the last
    bit of their x.
    """
    return any(_is_own(each) for each in reachable(values, _inputs))


def _is_own(value: SSAValue) -> bool:
    """Whether a value is one that CTAs do not have in common."""
    owner = value.owner
    if isinstance(owner, Block):
        return not isinstance(owner.parent_op(), FuncOp | scf.ForOp)
    if isinstance(owner, BlockIdOp):
        return owner.dimension.data == DimensionEnum.X
    if isinstance(owner, scf.ForOp | scf.IfOp):
        return False
    return bool(owner.regions) or not is_pure(owner)


def _inputs(value: SSAValue) -> Collection[SSAValue]:
    """What a value depends on; nothing, if CTAs of a cluster have it in common."""
    owner = value.owner
    match owner:
        case Block():
            loop = owner.parent_op()
            if isinstance(loop, scf.ForOp) and value is owner.args[0]:
                return (loop.lb, loop.step)
            return sources_of(value)
        case scf.ForOp():
            return (owner.lb, owner.ub, owner.step, *sources_of(value))
        case scf.IfOp():
            return (owner.cond, *sources_of(value))
        case DivIOp() | arith.DivSIOp() if _is_cluster_index(owner):
            return ()
        case _:
            return owner.operands


def _is_cluster_index(op: Operation) -> bool:
    """
    Whether an op divides the index of a CTA by a number of CTAs, with both of a pair. Rounded away
    from zero, the quotients of a pair differ.
    """
    if isinstance(op, DivIOp) and op.rounding not in (None, TOWARDS_ZERO):
        return False
    number, by = op.operands
    divisor = integer_of(by)
    while isinstance(number.owner, IndexCastOp | arith.IndexCastOp):
        number = number.owner.operands[0]
    return isinstance(number.owner, BlockIdOp) and bool(divisor) and divisor % PAIR_CTAS == 0
