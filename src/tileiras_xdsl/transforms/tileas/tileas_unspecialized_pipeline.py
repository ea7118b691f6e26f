"""
Multi-stage pipelines by `cp.async`, without warp specialization.

Before:  scf.for %k … iter_args(%acc = …) {
           %a = nv_tileas.tiled_load %v[%i, %k]
           %x = nv_tileas.convert_layout %a
           %d = nv_tileas.dot %x, …
         }
After:   %buffer = nv_tileas.alloc_tensor {memory = shared} : tensor<4x64x32xf16>
         scf.for %s = %c0 to %c3 … { nv_tileas.async.tiled_load %v[%i, %s] into … }
         scf.for %k … iter_args(%acc = …, %stage = %c0) {
           nvgpu.device_async_wait {numGroups = 2 : i32}
           gpu.barrier
           scf.if … { nv_tileas.async.tiled_load %v[%i, %k + 3] into … }
           nvgpu.device_async_create_group : () -> !nvgpu.token
           %a = nv_tileas.extract_slice %buffer[%stage, …] : … -> tensor<64x32xf16, #shared>
           %d = nv_tileas.dot %a, …
         }

A tile that each thread reads as it copied it needs no barrier: the thread waits for its own copies.

Before:  scf.for %i … {
           %x = nv_tileas.tiled_load %v[%i] : … -> tensor<4x1024xf32, #blocked>
         }
After:   scf.for %i … iter_args(%stage = %c0) {
           nvgpu.device_async_wait {numGroups = 1 : i32}
           scf.if … { nv_tileas.async.tiled_load %v[%i + 2] into … }
           nvgpu.device_async_create_group : () -> !nvgpu.token
           %a = nv_tileas.extract_slice %buffer[%stage, …] : … -> tensor<4x1024xf32, #shared>
           %x = nv_tileas.copy %a : … -> tensor<4x1024xf32, #blocked>
         }
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeGuard, TypeVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnknownLoc,
    i32,
    i64,
)
from xdsl.dialects.gpu import FuncOp, GridDimOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

from tileiras_xdsl.analysis.alias import get_roots
from tileiras_xdsl.analysis.counted_loops import find_trip_count
from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.matrix_layouts import CHUNK_BYTES, contiguous_run, swizzled
from tileiras_xdsl.analysis.memory_order import (
    Ordering,
    function_of,
    may_be_pipelined_in,
    ordering,
)
from tileiras_xdsl.analysis.slices import backward_slice, operands_first
from tileiras_xdsl.dialects.arith import CmpiOp, ExtSIOp, ExtUIOp, IndexCastOp, SelectOp, TruncIOp
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.gpu import BarrierOp
from tileiras_xdsl.dialects.memory_order import Effect, is_plain_load, own_effects
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.decisions import UNROLLED
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp, is_token
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    ExpandDimsOperation,
    PermuteOp,
    ViewOperation,
)
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncLoadOp, AsyncTiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT, VECTOR, get_vector
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of, with_layout
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import (
    AllocTensorOp,
    CopyOp,
    GatherLoadOp,
    LoadOp,
    PadOp,
    TiledLoadOp,
)
from tileiras_xdsl.dialects.nv_tileas.pipeline import ConsumerWaitOp
from tileiras_xdsl.dialects.nv_tileas.plan import get_plan
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp, ExtractSliceOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BUFFER_ALIGNMENT
from tileiras_xdsl.dialects.nv_tileas.types import get_hint, get_kernel_hint
from tileiras_xdsl.dialects.nvgpu import DeviceAsyncCreateGroupOp, DeviceAsyncWaitOp
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER
from tileiras_xdsl.dialects.tileiras import explains, remark
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tma import MAP_BYTES
from tileiras_xdsl.transforms.common.abi import HOST_MAPS_ABI
from tileiras_xdsl.transforms.common.kernel_spec import get_target, get_warps, kernels
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .kernel_model.allocation import PermanentBuffers, make_model, tile_bytes
from .kernel_model.copied_loads import pads_with_zero
from .kernel_model.layout_rules import get_anchor_layout, reshaped
from .kernel_model.remarks import explain_loads, explain_prefetches
from .kernel_model.requirements import exchange_bytes
from .kernel_model.tma_stores import TmaAccess, tma_store_bytes
from .kernel_model.wgmma import MMA_SYNC_ATOM

FAILURE = "Failed to pipeline loop"
COPY_BYTES = (4, 8, 16)
ZERO_PADDING = "zero"

OpT = TypeVar("OpT", bound=Operation)
PaddedT = TypeVar("PaddedT", PadOp, SelectOp)


@dataclass(frozen=True)
class TileasUnspecializedPipelinePass(ModulePass):
    """
    Makes loads of loops asynchronous: tiles of the next iterations are copied into multi-stage
    buffers in shared memory, from where MMAs read their operands, and threads their elements.

    A load may run ahead if it depends on no effect of the loop (`may_be_pipelined_in`): a store
    that no token orders before it does not hold it, nor one that does not alias. Its address must
    follow from the induction variable, maybe by loads that may run ahead, too. A loop whose loads
    cannot is left as it is, with a remark; so is one around a loop with copies,
    whose waits would be for all, and one without dots whose CTAs hide each other's loads.

    - num-stages: buffer stages at most for operands of dots; as many as fit. Loops without dots
      have as many as hide the latency of a load (`targets/target.py`, `Streaming`). A plan of the
      kernel (`tileas-plan`) comes before both.
    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    - abi: with `host-maps` launches are ours and ask for all shared memory available.
    """

    name = "tileas-unspecialized-pipeline"

    num_stages: int = 2
    compute_capability: str | int | float | None = None
    abi: str = "device-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        for function in kernels(op):
            buffers = StageBuffers(function, target, self.abi)
            # Loops of dots have the first choice of shared memory, then inner loops.
            loops = [
                loop
                for loop in find_all(function, scf.ForOp)
                if any(map(is_candidate, loop.body.block.ops))
            ]
            for loop in sorted(loops, key=lambda each: (not has_dots(each), -depth_of(each))):
                pipeline_loop(loop, get_plan(function).stages or self.num_stages, buffers)
            if explains(function):
                explain_loads(function)


def depth_of(op: Operation) -> int:
    """How many ops an op is in."""
    return 0 if (parent := op.parent_op()) is None else 1 + depth_of(parent)


def has_dots(loop: scf.ForOp) -> bool:
    """Whether a loop itself, and not one in it, has a dot."""
    return any(isinstance(op, Dot) for op in loop.body.block.ops)


@dataclass
class StageBuffers:
    """The multi-stage buffers of a kernel; consecutive loops share them."""

    function: FuncOp
    target: Target
    abi: str
    size: int = 0
    """Bytes of all multi-stage buffers."""
    buffers: list[tuple[Block, SSAValue, Sharing | None]] = field(
        default_factory=list[tuple[Block, SSAValue, "Sharing | None"]]
    )
    """Each with the block whose loops use it, and how threads do."""

    @cached_property
    def limit(self) -> int:
        """Shared memory of a CTA."""
        return self.target.shared.limit(asks=self.abi == HOST_MAPS_ABI)

    @cached_property
    def kept(self) -> PermanentBuffers:
        """The permanent buffers of the kernel, beside multi-stage buffers."""
        return PermanentBuffers.of(self.function, self.limit, self.abi)

    @cached_property
    def scratch(self) -> dict[Operation, int]:
        """Scratch memory that ops want, of the share of shared memory that it may have."""
        share = self.limit // self.target.limits.scratch_share
        model = make_model(self.function, self.target, self.limit - share, self.limit)
        wanted = {
            op: exchange_bytes(model, op)
            for op in walk(self.function)
            if not isinstance(op, TmaAccess)
        }
        # TMA stores go through scratch memory in parts, which may be larger than that share.
        stores, maps = tma_store_bytes(self.function), MAP_BYTES * self.kept.maps
        return {self.function: max(stores, maps), **wanted}

    def budget(self, loads: Sequence[PipelinedLoad]) -> int:
        """
        Bytes left for more buffers if some loads are pipelined. Layout conversions of tiles of
        earlier loops are gone from the kernel.
        """
        replaced = {op for load in loads for op in load.readers}
        scratch = max(
            size
            for op, size in self.scratch.items()
            if op.parent is not None and op not in replaced
        )
        return self.limit - self.kept.size - scratch - self.size

    def check_streaming(self, loads: Sequence[PipelinedLoad], size: int) -> None:
        """
        Raises if other CTAs, as many as the hint `occupancy` promises, load while one computes, and
        no hint says how far ahead.
        """
        ctas, streaming = get_kernel_hint(self.function, "occupancy"), self.target.streaming
        if any(get_hint(load.op, "latency") is not None for load in loads):
            return
        if streaming.hides_loads(self.target.rates, size, ctas):
            enough = streaming.latency_bytes(self.target.rates)
            raise NotPipelined(
                f"{ctas - 1} other CTAs per SM load {size} bytes each meanwhile, and {enough} "
                "suffice"
            )

    def streaming_stages(self, loop: scf.ForOp, loads: Sequence[PipelinedLoad], size: int) -> int:
        """The buffer stages that a loop without dots wants, of this many bytes each."""
        trips = find_trip_count(loop)
        hints = [hint for load in loads if (hint := get_hint(load.op, "latency")) is not None]
        warps, streaming = get_warps(self.function), self.target.streaming
        # A persistent kernel is launched with no more CTAs than its hint promises.
        ctas, least = get_kernel_hint(self.function, "occupancy"), 1
        if not is_persistent(loop):
            # Of a small grid, fewer are there.
            ctas, least = max(ctas, streaming.warps // warps), 2
        share = self.target.shared.per_cta(ctas)
        stages = streaming.stages(
            self.target.rates,
            size,
            ctas,
            min(share, self.limit) - (self.limit - self.budget(loads)),
            max(hints, default=None),
            least,
        )
        return stages if trips is None else min(stages, trips)

    def find(
        self, loop: scf.ForOp, loads: Sequence[PipelinedLoad], stages: int
    ) -> list[SSAValue | None] | None:
        """Existing buffers that loads of a loop can share; None if the others do not fit."""
        free = [
            (value, sharing)
            for block, value, sharing in self.buffers
            if block is loop.parent_block()
            and isinstance(value.owner, Operation)
            and value.owner.is_before_in_block(loop)
        ]
        found: list[SSAValue | None] = []
        needed = 0
        for load in loads:
            ty = buffer_type(load.op.result.type, stages)
            wanted = find_sharing(load, loads)
            known = next((each for each in free if each[0].type == ty and each[1] == wanted), None)
            if known is None:
                needed += buffer_bytes(ty)
            else:
                free.remove(known)
            found.append(None if known is None else known[0])
        return found if needed <= self.budget(loads) else None

    def add(self, block: Block, buffer: SSAValue, sharing: Sharing | None) -> None:
        """Records a new multi-stage buffer."""
        self.buffers.append((block, buffer, sharing))
        self.size += buffer_bytes(buffer.type)


def buffer_bytes(ty: Attribute) -> int:
    """The size of a buffer in shared memory, with padding for alignment."""
    return -(-tile_bytes(ty) // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT


def element_bytes(ty: Attribute) -> int:
    """The bytes of an element of a tensor."""
    bits = element_bit_width(get_element(ty))
    return 4 if bits == 19 else bits // 8


class NotPipelined(Exception):
    """Why a loop is not pipelined."""


def pipeline_loop(loop: scf.ForOp, max_stages: int, buffers: StageBuffers) -> None:
    """Pipelines a loop if possible, except one of a warp-specialized consumer."""
    candidates = [op for op in loop.body.block.ops if is_candidate(op)]
    if not candidates:
        return
    if find_all(loop, ConsumerWaitOp) or not is_run_by_all(loop) or UNROLLED.is_on(loop):
        return
    if find_trip_count(loop) in (0, 1) and not has_dots(loop):
        return
    try:
        if find_all(loop, DeviceAsyncWaitOp):
            raise NotPipelined("a loop in it waits for copies of its own")
        loads = find_loads(loop, candidates)
        size = sum(tile_bytes(load.op.result.type) for load in loads)
        planned = get_plan(buffers.function).stages
        if planned == 1:
            raise NotPipelined("its plan has one stage")
        if not has_dots(loop) and planned is None:
            buffers.check_streaming(loads, size)
            max_stages = buffers.streaming_stages(loop, loads, size)
        for stages in range(max_stages, 1, -1):
            found = buffers.find(loop, loads, stages)
            if found is not None:
                if planned is not None and stages < planned:
                    text, why = (
                        f"not the {planned} stages of the plan",
                        "no more fit into shared memory",
                    )
                    remark(loop, "Missed", "Pipeline", text, name="Stages", reason=why)
                if explains(loop):
                    explain_prefetches(loop, [load.op for load in loads], stages)
                LoopPipeliner(loop, loads, stages, buffers).build(found)
                return
        raise NotPipelined(f"two buffer stages of {size} bytes do not fit")
    except NotPipelined as reason:
        remark(loop, "Missed", "Pipeline", f"{FAILURE}: {reason}")


def is_persistent(loop: scf.ForOp) -> bool:
    """Whether a loop goes over the work of a kernel in steps of its grid."""
    return any(isinstance(op, GridDimOp) for op in backward_slice([loop.step]))


def is_run_by_all(loop: scf.ForOp) -> bool:
    """Whether all warps of a kernel run a loop, not those of an agent alone."""
    around = loop.parent_op()
    while isinstance(around, scf.ForOp | scf.WhileOp | scf.IfOp | scf.IndexSwitchOp):
        around = around.parent_op()
    return isinstance(around, FuncOp)


def buffer_type(tile: Attribute, stages: int) -> TensorType:
    """The type of a multi-stage buffer of a tile."""
    return TensorType(get_element(tile), (stages, *get_shape(tile)))


# Pipelined loads


Load = TiledLoadOp | LoadOp
Dot = DotOp | ScaledDotOp


@dataclass
class PipelinedLoad:
    """A load, and the slice that computes its indices from the induction variable."""

    op: Load
    slice: Sequence[Operation]
    layout: LinearLayout
    """Of the tile in shared memory."""
    operands: Sequence[tuple[Dot, int, Sequence[Operation]]] | None
    """The dots it is an operand of, with the reshapes on the way; None if it has other uses."""

    @property
    def readers(self) -> Iterator[Operation]:
        """Ops on the tile that are gone if MMAs read it from shared memory."""
        return (op for _, _, changes in self.operands or () for op in changes)


def needs_barriers(loads: Sequence[PipelinedLoad]) -> bool:
    """Whether threads read what others copied, as they do for MMAs."""
    return any(
        load.operands is not None
        or get_anchor_layout(load.op, LAYOUT, load.op.result.type) != layout_of(load.op.result.type)
        for load in loads
    )


Sharing = tuple[LinearLayout | None, LinearLayout]
"""Which thread has which elements of a tile, and where these are in shared memory."""


def find_sharing(load: PipelinedLoad, loads: Sequence[PipelinedLoad]) -> Sharing | None:
    """
    Which bytes of a buffer are those of a thread alone; none if barriers let threads read what
    others copied. Loops with different answers do not share a buffer.
    """
    return None if needs_barriers(loads) else (layout_of(load.op.result.type), load.layout)


def is_candidate(op: Operation) -> TypeGuard[Load | GatherLoadOp]:
    """Whether an op is a load of a tile that is not in shared memory already."""
    is_load = isinstance(op, Load | GatherLoadOp) and isinstance(op.result.type, TensorType)
    return is_load and not may_read_shared_memory(op)


def may_read_shared_memory(load: Operation) -> bool:
    """
    Whether a load may read memory of the CTA, from which `cp.async` cannot copy, or which makes all
    pointers generic.
    """
    memories = find_all(function_of(load), AllocaOp)
    roots = get_roots(load.operands[0]) if memories else ()
    return any(op.result.type != SHARED_POINTER or op in roots for op in memories)


def find_loads(loop: scf.ForOp, candidates: Sequence[Load | GatherLoadOp]) -> list[PipelinedLoad]:
    """The loads of a loop that can be pipelined; raises if none can."""
    loads: list[PipelinedLoad] = []
    reasons: list[NotPipelined] = []
    for op in candidates:
        try:
            if isinstance(op, GatherLoadOp):
                raise NotPipelined(f"'{op.name}' gathers rows")
            check_order(loop, op)
            layout, window = choose_layout(op), find_slice(loop, op)
            operands = find_operands(op.result, ()) if pads_with_zero(op) else None
            loads.append(PipelinedLoad(op, window, layout, operands))
        except NotPipelined as reason:
            reasons.append(reason)
    if not loads:
        raise reasons[0]
    return loads


def check_order(loop: scf.ForOp, load: Operation) -> None:
    """Raises if a load must stay behind effects of its loop."""
    has_token = any(is_token(value.type) for value in (*load.operands, *load.results))
    if not is_plain_load(load) or has_token:
        raise NotPipelined(f"'{load.name}' is ordered with other accesses")
    if may_be_pipelined_in(loop, load):
        return
    holding = {
        op: own_effects(op)
        for op in walk(loop.body)
        if ordering(own_effects(op), Effect.READ) is not Ordering.FREE
    }
    # A barrier is there because of something else.
    op = next((op for op in holding if holding[op] is not Effect.FENCE), next(iter(holding), loop))
    raise NotPipelined(f"'{load.name}' must not be hoisted above '{op.name}'")


def choose_layout(op: Load) -> LinearLayout:
    """The layout of a tile in shared memory; raises if `cp.async` cannot copy it."""
    ty = op.result.type
    vector, layout = get_vector(op), layout_of(ty)
    if vector is None or layout is None:
        raise NotPipelined(f"nothing is known of the vectors of '{op.name}'")
    size = element_bytes(ty)
    copied = min(vector.width, contiguous_run(layout, vector.dim)) * size
    if min(copied, CHUNK_BYTES) not in COPY_BYTES:
        raise NotPipelined(
            f"copies have at least 4 bytes, but '{op.name}' reads {copied} at a time"
        )
    if layout.free_bits("lane") or layout.free_bits("warp"):
        raise NotPipelined(f"several threads read the same elements of '{op.name}'")
    return swizzled(get_shape(ty), vector.dim, size)


def find_slice(loop: scf.ForOp, op: Load) -> list[Operation]:
    """
    The slice of a load within an iteration; raises if it depends on loop-carried values. Other
    loads in it, as of the number of a row, run ahead as well.
    """
    block = loop.body.block
    needed = backward_slice(op.operands, lambda each: each.parent_block() is block)
    for each in needed:
        if is_plain_load(each):
            check_order(loop, each)
        elif each.regions or not each.has_trait(Pure):
            raise NotPipelined(f"the address of '{op.name}' depends on '{each.name}'")
    if any(value in block.args[1:] for each in (op, *needed) for value in each.operands):
        raise NotPipelined(f"the address of '{op.name}' is loop-carried")
    return [each for each in block.ops if each in needed]


def find_operands(
    value: SSAValue, chain: Sequence[Operation]
) -> list[tuple[Dot, int, Sequence[Operation]]] | None:
    """The dots that a value is an operand of; None if it has other uses."""
    found: list[tuple[Dot, int, Sequence[Operation]]] = []
    pending = [(use, chain) for use in reversed([*value.uses])]
    while pending:
        use, chain = pending.pop()
        user = use.operation
        match user:
            case DotOp() | ScaledDotOp() if (
                use.index < 2 and user.atom is not None and user.atom.data == MMA_SYNC_ATOM
            ):
                found.append((user, use.index, chain))
            case ConvertLayoutOp() | ViewOperation() | ExpandDimsOperation() | PermuteOp():
                longer = (*chain, user)
                pending += [(each, longer) for each in reversed([*user.results[0].uses])]
            case _:
                return None
    return found or None


# The loop


@dataclass
class LoopPipeliner:
    """Pipelines one loop."""

    loop: scf.ForOp
    loads: Sequence[PipelinedLoad]
    stages: int
    kernel_buffers: StageBuffers
    buffers: list[SSAValue] = field(default_factory=list[SSAValue])

    def build(self, known: Sequence[SSAValue | None]) -> None:
        """Rewrites the loop, with some buffers that other loops use too."""
        old = self.loop
        block = old.parent_block()
        assert block is not None
        before = Builder(InsertPoint.before(old), old)
        for load, buffer in zip(self.loads, known, strict=True):
            if buffer is None:
                ty = buffer_type(load.op.result.type, self.stages)
                buffer = before.add(AllocTensorOp(ty, "shared")).result
                self.kernel_buffers.add(block, buffer, find_sharing(load, self.loads))
            self.buffers.append(buffer)
        is_repeated = not isinstance(old.parent_op(), FuncOp)
        if needs_barriers(self.loads) and (any(known) or is_repeated):
            # Threads may still be reading tiles of an earlier loop.
            before.add(BarrierOp())
        self._begin(before)
        block = old.body.block
        stage = block.insert_arg(i32, len(block.args))
        self._begin_body(block, stage)
        self._end_body(block, stage)
        zero = before.integer(0, i32)
        region = old.detach_region(old.body)
        new = scf.ForOp(old.lb, old.ub, old.step, [*old.iter_args, zero], region)
        new.attributes.update(old.attributes)
        before.add(new)
        for result, other in zip(old.results, new.results, strict=False):
            result.replace_all_uses_with(other)
        Rewriter.erase_op(old)

    def _begin(self, before: Builder) -> None:
        """Prologue: loads all buffer stages but one."""
        old = self.loop
        zero = before.integer(0, i32)
        if self.stages == 2:
            self._load(before, old.lb, before.integer(0, old.step.type), zero)
            return
        block = Block(arg_types=[i32])
        stage = block.args[0]
        inside = Builder(InsertPoint.at_end(block), old)
        self._load(inside, old.lb, inside.converted(stage, old.step.type), stage)
        inside.add(scf.YieldOp())
        bounds = before.integer(self.stages - 1, i32), before.integer(1, i32)
        before.add(scf.ForOp(zero, *bounds, [], Region(block)))

    def _begin_body(self, block: Block, stage: SSAValue) -> None:
        first = block.first_op
        assert first is not None
        start = Builder(InsertPoint.before(first), first)
        start.add(DeviceAsyncWaitOp(num_groups=self.stages - 2))
        if needs_barriers(self.loads):
            start.add(BarrierOp())
        # The stage of the iteration before is free: all threads that copy to it have read it, which
        # are all of the CTA, or each itself.
        zero, last = start.integer(0, i32), start.integer(self.stages - 1, i32)
        previous = start.add(arith.SubiOp(stage, start.integer(1, i32))).result
        is_first = start.add(CmpiOp(stage, zero, "eq")).result
        free = start.add(SelectOp(is_first, last, previous)).result
        ahead = start.integer(self.stages - 1, self.loop.step.type)
        self._load(start, block.args[0], ahead, free)
        uses = start
        if any(is_plain_load(op) for load in self.loads for op in load.slice):
            # Copies whose addresses are loaded wait for these: not before threads have their tiles.
            # They load addresses for themselves, not from tiles of this iteration.
            assert isinstance(ahead.owner, Operation)
            uses = Builder(InsertPoint.after(ahead.owner), first)
        for load, buffer in zip(self.loads, self.buffers, strict=True):
            self._use(uses, load, self._stage(uses, load, buffer, stage))
        for load in self.loads:
            erase_unused(load.op)
        for load in self.loads:
            for op in reversed(load.slice):
                if op.parent_block() is block and all(r.first_use is None for r in op.results):
                    Rewriter.erase_op(op)

    def _end_body(self, block: Block, stage: SSAValue) -> None:
        last = block.last_op
        assert isinstance(last, scf.YieldOp)
        end = Builder(InsertPoint.before(last), last)
        following = end.add(arith.AddiOp(stage, end.integer(1, i32))).result
        is_last = end.add(CmpiOp(following, end.integer(self.stages, i32), "eq")).result
        following = end.add(SelectOp(is_last, end.integer(0, i32), following)).result
        end.add(scf.YieldOp(*last.arguments, following))
        Rewriter.erase_op(last)

    def _stage(
        self, builder: Builder, load: PipelinedLoad, buffer: SSAValue, stage: SSAValue
    ) -> SSAValue:
        """A stage of a multi-stage buffer."""
        tile = load.op.result.type
        assert isinstance(tile, TensorType)
        zero = builder.integer(0, i32)
        indices = [stage, *[zero] * len(tile.get_shape())]
        return builder.add(ExtractSliceOp(buffer, indices, with_layout(tile, load.layout))).result

    def _load(self, builder: Builder, start: SSAValue, ahead: SSAValue, stage: SSAValue) -> None:
        """Issues the loads of a later iteration, if there is one, as one commit group."""
        loop = self.loop
        is_there = self._is_there(builder, start, ahead)
        block = Block()
        inside = Builder(InsertPoint.at_end(block), loop)
        added = inside.add(arith.MuliOp(loop.step, ahead)).result
        number = inside.add(arith.AddiOp(start, added)).result
        for load, buffer in zip(self.loads, self.buffers, strict=True):
            mapping: dict[SSAValue, SSAValue] = {self._number(): number}
            for op in load.slice:
                inside.add(op.clone(mapping))
            target = self._stage(inside, load, buffer, stage)
            copy = make_copy(load.op, target, mapping)
            copy.attributes.update(load.op.attributes)
            copy.location = load.op.location
            inside.add(copy)
        inside.add(scf.YieldOp())
        builder.add(scf.IfOp(is_there, [], Region(block)))
        builder.add(DeviceAsyncCreateGroupOp([]))

    def _is_there(self, builder: Builder, start: SSAValue, ahead: SSAValue) -> SSAValue:
        """
        Whether an iteration this many iterations later exists: `start + ahead * step < ub`, without
        overflow for any bounds and steps.
        """
        upper, step = self.loop.ub, self.loop.step
        if isinstance(step.type, IntegerType) and step.type.width.data <= i32.width.data:
            upper, start, step, ahead = map(builder.widened, (upper, start, step, ahead))
            left = builder.add(arith.SubiOp(upper, start)).result
            distance = builder.add(arith.MuliOp(step, ahead)).result
            return builder.add(CmpiOp(left, distance, "sgt")).result
        # No wider type holds the product, nor is the difference a signed number. So, all
        # unsigned: `ahead * step <= upper - start - 1`, divided by `ahead`.
        zero, one = builder.integer(0, step.type), builder.integer(1, step.type)
        is_before = builder.add(CmpiOp(start, upper, "slt")).result
        left = builder.add(arith.SubiOp(upper, start)).result
        rest = builder.add(arith.SubiOp(left, one)).result
        divisor = builder.add(arith.MaxUIOp(ahead, one)).result
        longest = builder.add(arith.DivUIOp(rest, divisor)).result
        is_near = builder.add(CmpiOp(step, longest, "ule")).result
        is_this = builder.add(CmpiOp(ahead, zero, "eq")).result
        is_reached = builder.add(arith.OrIOp(is_near, is_this)).result
        return builder.add(arith.AndIOp(is_before, is_reached)).result

    def _number(self) -> SSAValue:
        return self.loop.body.block.args[0]

    def _pad(self, op: Load, value: SSAValue) -> SSAValue:
        """What a load yields, given the tile with zeros for what it does not read."""
        builder = Builder(InsertPoint.before(op), op)
        if pads_with_zero(op):
            return value
        if isinstance(op, TiledLoadOp):
            pad = PadOp(value, op.view, op.indices, properties=dict(op.properties))
            return builder.add(with_vector(pad, op)).result
        assert op.mask is not None
        assert op.other is not None
        return builder.add(with_vector(SelectOp(op.mask, value, op.other), op)).result

    def _use(self, builder: Builder, load: PipelinedLoad, stage: SSAValue) -> None:
        """Replaces the result of a load by its buffer stage."""
        if load.operands is None:
            op = load.op
            value = builder.add(CopyOp(stage, result_type=op.result.type)).result
            op.result.replace_all_uses_with(self._pad(op, value))
            return
        for dot, number, chain in load.operands:
            value = stage
            for op in chain:
                if not isinstance(op, ConvertLayoutOp):
                    value = builder.add(reshaped(op, value)).results[0]
            dot.operands[number] = value


def make_copy(op: Load, target: SSAValue, mapping: dict[SSAValue, SSAValue]) -> Operation:
    """The copy into shared memory that does a load, of other operands; what is not read is zero."""
    operands = [mapping.get(operand, operand) for operand in op.operands]
    if isinstance(op, TiledLoadOp):
        properties = dict(op.properties)
        if not pads_with_zero(op):
            properties["padding_value"] = StringAttr(ZERO_PADDING)
        return AsyncTiledLoadOp(operands[0], operands[1:], target, properties=properties)
    mask = None if op.mask is None else mapping.get(op.mask, op.mask)
    return AsyncLoadOp(operands[0], target, mask)


def with_vector(op: PaddedT, load: Load) -> PaddedT:
    """An op whose vectors are in or out of bounds as those of a load are."""
    if (vector := VECTOR.get(load)) is not None:
        VECTOR.set(op, vector)
    return op


def erase_unused(op: Operation) -> None:
    """Erases an op with its users, which are used for nothing else."""
    users = operands_first(op, lambda op: [use.operation for it in op.results for use in it.uses])
    for user in users:
        Rewriter.erase_op(user)


@dataclass
class Builder:
    """Inserts ops at a point of a loop."""

    point: InsertPoint
    source: Operation

    def add(self, op: OpT) -> OpT:
        """Adds an op."""
        if isinstance(op.location, UnknownLoc):
            op.location = self.source.location
        Rewriter.insert_op(op, self.point)
        return op

    def integer(self, number: int, ty: Attribute) -> SSAValue:
        """A constant."""
        assert isinstance(ty, IntegerType | IndexType)
        return self.add(arith.ConstantOp(IntegerAttr(number, ty))).result

    def converted(self, value: SSAValue, ty: Attribute) -> SSAValue:
        """A small non-negative number, in another type."""
        if value.type == ty:
            return value
        if isinstance(ty, IndexType):
            return self.add(IndexCastOp(value, ty)).result
        assert isinstance(ty, IntegerType)
        is_wider = ty.width.data > i32.width.data
        return self.add((ExtUIOp if is_wider else TruncIOp)(value, ty)).result

    def widened(self, value: SSAValue) -> SSAValue:
        """A number sign-extended to 64 bits."""
        if not isinstance(value.type, IntegerType) or value.type == i64:
            return value
        return self.add(ExtSIOp(value, i64)).result
