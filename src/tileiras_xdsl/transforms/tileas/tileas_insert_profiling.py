"""
Records for a profile when warps begin and end to wait.

Before:  gpu.func @k(%a: !llvm.ptr<1>) kernel {
           …
           scf.for %i = … iter_args(%it = %first) {
             %w = nv_tileas.async.pipeline.consumer_wait %pipe[%it] : …
             %d = nv_tileas.async.dot %x, %y, %c, %true : …
After:   gpu.func @k(%a: !llvm.ptr<1>, %profile: !llvm.ptr<1>) kernel attributes {
             nv_tileas.profile = #nv_tileas.profile<ctas = 4, every = 1, warps = 9, records = 1024>}
         {
           …
           nv_tileas.profile.begin %profile {warps = array<i32: 0, 4>} : !llvm.ptr<1>
           scf.for %i = … iter_args(%it = %first, %n0 = %zero) {
             %n1 = nv_tileas.profile.mark %profile[%n0] {kind = "wait", label = "p0 full", …} : …
             %w = nv_tileas.async.pipeline.consumer_wait %pipe[%it] : …
             %n2 = nv_tileas.profile.mark %profile[%n1] {kind = "mma", label = "dot", …} : …
             %d = nv_tileas.async.dot %x, %y, %c, %true : …
             scf.yield %next, %n2
           }
           nv_tileas.profile.end %profile[%n3] {warps = array<i32: 0, 4>} : !llvm.ptr<1>

One thread of each agent, or of each of its warpgroups, writes a record at each mark: an event and
the clock of its SM (`dialects/nv_tileas/profiling.py`). What a mark names lasts until the next
mark: a wait for a buffer stage, for dots or for other threads; loads and dots, which are only
issued there; stores; whatever else threads compute. Of a kernel without agents all but waits and
dots is one activity, `work`: threads load, compute and store vector by vector there, and would keep
whole tiles in registers from one mark to the next.

The buffer is a parameter of the kernel, behind those of its entry, of as many 64-bit words as
`ProfileLayout.words` says. Nothing that the kernel computes or waits for changes. The pass belongs
at the end of the stage `tileas`, where all waits are; `tileiras_xdsl.profile` runs it there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    TensorType,
    i32,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicCASOp, AtomicRMWOp
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp, SplatOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import (
    AsyncFutureWaitOp,
    AsyncLoadOp,
    AsyncTiledLoadOp,
    ToAsyncOp,
)
from tileiras_xdsl.dialects.nv_tileas.memory import (
    AllocTensorOp,
    GatherLoadOp,
    LoadOp,
    ScatterStoreOp,
    StoreOp,
    TiledAtomicRMWOp,
    TiledLoadOp,
    TiledStoreOp,
)
from tileiras_xdsl.dialects.nv_tileas.ping_pong import PingPongWaitOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import (
    AgentSwitchOp,
    ConsumerReadOp,
    ConsumerWaitOp,
    CreatePipelineOp,
    ProducerAcquireOp,
    ProducerWriteOp,
)
from tileiras_xdsl.dialects.nv_tileas.profiling import (
    PROFILE,
    ProfileAttr,
    ProfileBeginOp,
    ProfileEndOp,
    ProfileLayout,
    ProfileMarkOp,
)
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BarrierOp, WaitCopiesOp
from tileiras_xdsl.dialects.nv_tileas.tensor_memory import WaitDotsOp
from tileiras_xdsl.dialects.nvgpu import DeviceAsyncWaitOp
from tileiras_xdsl.dialects.nvgpu.types import GRID_PARAMETERS, get_persistent_ctas
from tileiras_xdsl.dialects.nvvm import pointer_to
from tileiras_xdsl.dialects.scf import WhileOp
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.transforms.common.kernel_spec import count_warps, get_warps, kernels
from tileiras_xdsl.xdsl_extras.walking import condition_of, find_all, last_of, walk

from .kernel_model.tma_loads import is_view_like

POINTER: Final = pointer_to(1)
PARAMETER: Final = "profile"

OpT = TypeVar("OpT", bound=Operation)
Activity: TypeAlias = tuple[str, str]
"""What warps do: its kind, and a label."""


@dataclass(frozen=True)
class TileasInsertProfilingPass(ModulePass):
    """
    Marks where warps wait, and what they do in between, in a buffer that is one more parameter.

    - ctas: how many CTAs are recorded.
    - every: 1 for the first CTAs of the grid, 10 for every tenth.
    - records: how many marks of a warp there is room for; those that follow are only counted.
    """

    name = "tileas-insert-profiling"

    ctas: int = 4
    every: int = 1
    records: int = 1024

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(kernels(op)):
            if function.kernel is None:
                continue
            if PROFILE.is_on(function):
                raise PassFailedException(f"the kernel @{function.sym_name.data} has marks already")
            layout = ProfileLayout(self.ctas, self.every, count_warps(function), self.records)
            PROFILE.set(function, ProfileAttr(layout))
            _Marker(function, add_parameter(function)).run()


def add_parameter(function: FuncOp) -> BlockArgument:
    """Adds the buffer behind the parameters of the entry."""
    block = function.body.block
    index = len(block.args) - (GRID_PARAMETERS if get_persistent_ctas(function) else 0)
    buffer = block.insert_arg(POINTER, index)
    buffer.name_hint = PARAMETER
    function.function_type = FunctionType.from_lists(list(block.arg_types), [])
    if isinstance(attributes := function.properties.get("arg_attrs"), ArrayAttr):
        listed = [*attributes.data]
        function.properties["arg_attrs"] = ArrayAttr(
            [*listed[:index], DictionaryAttr({}), *listed[index:]]
        )
    return buffer


@dataclass
class _Marker:
    """Puts marks into a kernel."""

    function: FuncOp
    buffer: SSAValue
    warps: DenseArrayBase = field(init=False)
    """Those that record, in the agent that marks are put into."""
    has_agents: bool = False
    event: int = 0
    pipelines: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    dots: dict[Operation, str] = field(default_factory=dict[Operation, str])
    """The labels of dots; copies of one have the same."""

    def run(self) -> None:
        creates = find_all(self.function, CreatePipelineOp)
        self.pipelines = {op.results[0]: f"p{number}" for number, op in enumerate(creates)}
        self.dots = self._name_dots()
        switches = find_all(self.function, AgentSwitchOp)
        self.has_agents = bool(switches)
        for switch in switches:
            if switch.parent_block() is not self.function.body.block or len(switches) > 1:
                switch.emit_error(
                    "agents that begin more than once cannot be profiled",
                    PassFailedException("agents that begin more than once cannot be profiled"),
                )
        if not switches:
            self._mark_body(self.function.body.block, 0, get_warps(self.function))
        for switch in switches:
            assert switch.num_warps is not None
            assert switch.warp_id is not None
            numbers = (map(int, each.get_values()) for each in (switch.warp_id, switch.num_warps))
            for region, first, count in zip(switch.agents, *numbers, strict=True):
                self._mark_body(region.block, first, count)

    def _name_dots(self) -> dict[Operation, str]:
        """Dots by the pipelines of their operands, where these differ, and else by numbers."""
        dots = [op for op in walk(self.function) if is_dot(op)]
        keys = {op: (self._find_pipelines(op), op.location) for op in dots}
        known = list(dict.fromkeys(keys.values()))
        bases = [" ".join(("dot", *pipelines)) for pipelines, _ in known]
        names: dict[object, str] = {}
        for number, (key, base) in enumerate(zip(known, bases, strict=True)):
            same = [each for each in range(len(bases)) if bases[each] == base]
            name = base if len(same) == 1 else f"{base} #{same.index(number)}"
            names[key] = name if len(known) > 1 else "dot"
        return {op: names[key] for op, key in keys.items()}

    def _find_pipelines(self, op: Operation) -> tuple[str, ...]:
        """The pipelines that operands A and B of a dot come from."""
        reads = (_find_source(value).owner for value in op.operands[:2])
        return tuple(
            self.pipelines[read.operands[0]]
            for read in reads
            if isinstance(read, ConsumerReadOp) and read.operands[0] in self.pipelines
        )

    def _mark_body(self, block: Block, first: int, count: int) -> None:
        """All that some warps do, from their begin to their end."""
        self.warps = DenseArrayBase.from_list(i32, range(first, first + count, WARPGROUP_WARPS))
        before = block.first_op
        assert before is not None
        begin = _at(ProfileBeginOp(self.buffer, self.warps), self.function)
        zero = _at(arith.ConstantOp(IntegerAttr(0, i32)), self.function)
        Rewriter.insert_op([begin, zero], InsertPoint.before(before))
        number = self._insert(zero.result, ("start", "start"), before)
        number = self._mark_block(block, number, before)
        last = last_of(block)
        number = self._insert(number, ("end", "end"), last)
        end = _at(ProfileEndOp(self.buffer, number, self.warps), last)
        Rewriter.insert_op(end, InsertPoint.before(last))

    def _insert(self, number: SSAValue, activity: Activity, before: Operation) -> SSAValue:
        self.event += 1
        mark = ProfileMarkOp(self.buffer, number, self.event, *activity, self.warps)
        Rewriter.insert_op(_at(mark, before), InsertPoint.before(before))
        return mark.result

    def _mark_block(
        self, block: Block, number: SSAValue, first: Operation | None = None
    ) -> SSAValue:
        """Marks a block from an op on; how many marks there were before, and then after it."""
        ops = list(block.ops)
        now: Activity | None = None
        for op in ops[0 if first is None else ops.index(first) :]:
            if isinstance(op, scf.ForOp | scf.WhileOp | scf.IfOp):
                activities = set(self._find_all(op))
                if activities and not (isinstance(op, scf.IfOp) and activities == {now}):
                    number, now = self._mark_region_op(op, number), None
            elif (activity := self._find(op)) is not None and activity != now:
                number, now = self._insert(number, activity, op), activity
        return number

    def _find_all(self, op: Operation) -> Iterator[Activity]:
        for each in walk(op):
            if each is not op and (activity := self._find(each)) is not None:
                yield activity

    # Control flow

    def _mark_region_op(self, op: Operation, number: SSAValue) -> SSAValue:
        """Marks what is in a loop or branch, which carries how many marks there were."""
        match op:
            case scf.ForOp():
                block = op.body.block
                self._end(last_of(block), self._mark_block(block, _add_argument(block)))
                carried, (body,) = [*op.iter_args, number], _detach_regions(op)
                new = scf.ForOp(op.lb, op.ub, op.step, carried, body)
            case scf.WhileOp():
                before, after = op.before_region.block, op.after_region.block
                self._end(condition_of(op), self._mark_block(before, _add_argument(before)))
                self._end(last_of(after), self._mark_block(after, _add_argument(after)))
                types = [*(result.type for result in op.results), i32]
                new = WhileOp([*op.arguments, number], types, *_detach_regions(op))
            case _:
                assert isinstance(op, scf.IfOp)
                if not op.false_region.blocks:
                    op.false_region.add_block(Block([_at(scf.YieldOp(), op)]))
                for region in (op.true_region, op.false_region):
                    self._end(last_of(region.block), self._mark_block(region.block, number))
                types = [*(result.type for result in op.results), i32]
                then, otherwise = _detach_regions(op)
                new = scf.IfOp(op.cond, types, then, otherwise)
        new.attributes.update(op.attributes)
        results = list(new.results)
        for result, old in zip(results, op.results):
            result.name_hint = old.name_hint
        Rewriter.replace_op(op, _at(new, op), results[:-1])
        return results[-1]

    def _end(self, terminator: Operation, number: SSAValue) -> None:
        terminator.operands = [*terminator.operands, number]

    # What ops do

    def _find(self, op: Operation) -> Activity | None:
        """What warps do at an op; nothing that is worth a mark if that takes no time."""
        activity = self._find_in_agent(op)
        if self.has_agents or activity is None or activity[0] in ("wait", "mma"):
            return activity
        return "compute", "work"

    def _find_in_agent(self, op: Operation) -> Activity | None:
        match op:
            case ProducerAcquireOp():
                return "wait", f"{self.pipelines.get(op.operands[0], 'stage')} empty"
            case ConsumerWaitOp():
                return "wait", f"{self.pipelines.get(op.operands[0], 'stage')} full"
            case AsyncFutureWaitOp():
                return "wait", self._label(op.operands[0])
            case WaitDotsOp():
                return "wait", "dots"
            case WaitCopiesOp() | DeviceAsyncWaitOp():
                return "wait", "copies"
            case BarrierOp():
                return "wait", "threads"
            case PingPongWaitOp():
                return "wait", "ping-pong"
            case DotOperation():
                return "mma", self._label(op.results[0])
            case ProducerWriteOp():
                return "load", self.pipelines.get(op.operands[0], "stage")
            case TiledStoreOp() | ScatterStoreOp() | StoreOp():
                return "store", "store"
            case TiledAtomicRMWOp() | AtomicRMWOp() | AtomicCASOp():
                return "store", "atomic"
            case TiledLoadOp() | GatherLoadOp() | LoadOp() | AsyncTiledLoadOp() | AsyncLoadOp() if (
                not isinstance(op.parent_op(), ProducerWriteOp)
            ):
                return "load", "load"
            case _:
                return ("compute", "compute") if is_computation(op) else None

    def _label(self, value: SSAValue, seen: Sequence[SSAValue] = ()) -> str:
        """Which dot makes a value, as far as loops tell."""
        owner = value.owner
        if isinstance(owner, Operation) and is_dot(owner):
            return self.dots[owner]
        if value not in seen and len(seen) < 8 and (before := _find_carried(value)) is not None:
            return self._label(before, [*seen, value])
        return "dots"


def is_dot(op: Operation) -> bool:
    return isinstance(op, DotOperation)


def is_computation(op: Operation) -> bool:
    """Whether threads compute elements of a tile by an op."""
    if isinstance(op.parent_op(), ProducerWriteOp | ConsumerReadOp) or is_view_like(op):
        return False
    free = (SplatOp, BroadcastOp, AllocTensorOp, ToAsyncOp, ConsumerReadOp, scf.YieldOp)
    if isinstance(op, (*free, scf.ForOp, scf.WhileOp, scf.IfOp)) or op.has_trait(ConstantLike):
        return False
    return any(isinstance(result.type, TensorType) for result in op.results)


def _find_carried(value: SSAValue) -> SSAValue | None:
    """What a loop carries from one iteration to the next, or out of it, as a value."""
    match value.owner:
        case Block() as block if isinstance(loop := block.parent_op(), scf.ForOp):
            assert isinstance(value, BlockArgument)
            return last_of(block).operands[value.index - 1] if value.index else None
        case scf.ForOp() as loop:
            assert isinstance(value, OpResult)
            return last_of(loop.body.block).operands[value.index]
        case ToAsyncOp() as op:
            return op.operands[0]
        case _:
            return None


def _find_source(value: SSAValue) -> SSAValue:
    """The tile that a value is another shape of."""
    while isinstance(owner := value.owner, Operation) and is_view_like(owner):
        value = owner.operands[0]
    return value


def _detach_regions(op: Operation) -> list[Region]:
    return [op.detach_region(region) for region in list(op.regions)]


def _add_argument(block: Block) -> BlockArgument:
    return block.insert_arg(i32, len(block.args))


def _at(op: OpT, place: Operation) -> OpT:
    op.location = place.location
    return op
