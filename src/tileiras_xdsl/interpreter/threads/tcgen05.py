"""
Tensor memory and the instructions on it: allocation, loads and stores, copies, MMAs, and what
orders them.

What is checked where:

| file | checks |
| --- | --- |
| `tensor_memory` | columns that are owned, words that were written, lanes that a warp reaches |
| `tensor_order` | what comes after what: waits, commits, fences |
| `tcgen05_operands`, `tcgen05_mma` | descriptors, shapes, bytes of shared memory |
| here | who executes an instruction, and how columns are allocated |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal, TypeAlias, cast

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS, BoundProgram, InCta, slots
from tileiras_xdsl.interpreter.values import Array, Integers, Value, from_rows, to_rows, word
from tileiras_xdsl.targets.tcgen05 import COLUMNS, LANES, LEAST_COLUMNS, WARP_LANES

from . import accesses, tcgen05_mma
from .accesses import SHARED, How, lanes_for
from .cluster import CTA_SPAN, RANK_BIT
from .mbarriers import MBarrier, barrier_at
from .shadow import WARP, Touch
from .state import CtaThreads
from .tensor_cores import TensorCores
from .tensor_maps import CHUNK
from .tensor_memory import (
    Block,
    TensorMemory,
    access_places,
    check_warp_lanes,
    lane_and_column,
    moved,
)
from .warp import ALL_LANES

GroupOp: TypeAlias = Any
"""An op with a `cta_group`."""


def cores_of(cta: CtaThreads) -> TensorCores:
    """The tensor cores of a kernel that uses them."""
    assert cta.cores is not None
    return cta.cores


# Who executes


def one_warp(cta: CtaThreads) -> int:
    """The warp that executes, all of its lanes together."""
    here = cta.active_mask()
    if not here.all():
        raise ExecutionError(
            f"is executed by {int(here.sum())} of {len(here)} threads of "
            f"{cta.names.warp(int(cta.warps[0]))}, but all of a warp must"
        )
    cta.check_lanes(ALL_LANES)
    return int(cta.warps[0])


def one_thread(cta: CtaThreads) -> int:
    """Which of the threads that run together executes; raises if several do."""
    rows = np.flatnonzero(cta.active_mask())
    if len(rows) != 1:
        raise ExecutionError(
            f"is issued by {len(rows)} threads of {cta.names.warp(int(cta.warps[0]))}, once for "
            "each: one thread must be elected"
        )
    return int(rows[0])


def _number(cta: CtaThreads, value: Array, row: int) -> int:
    """What a thread holds."""
    return int(cta.full(value)[row])


def _warp_number(cta: CtaThreads) -> int:
    """The number of the warp that runs, in its CTA."""
    return (int(cta.numbers[0]) - cta.first) // WARP


# Allocation


@dataclass
class Meeting:
    """Warps of the two CTAs of a pair, which allocate or deallocate together."""

    came: dict[int, tuple[Operation, int, int, int]] = field(
        default_factory=dict[int, tuple[Operation, int, int, int]]
    )
    """By rank: the op, the number of the warp, columns, and the place in shared memory, or first
    column."""
    turns: int = 0


def _meet_pair(op: Operation, cta: CtaThreads, what: str, columns: int, place: int) -> None:
    """Waits for the other CTA of the pair, which must do the same."""
    meetings = cast(dict[Any, Meeting], cta.cluster.data.setdefault("pairs", {}))
    meeting = meetings.setdefault((what, cta.rank >> 1), Meeting())
    mine = (op, _warp_number(cta), columns, place)
    for rank, other in meeting.came.items():
        if rank == cta.rank:
            raise ExecutionError(f"is executed by two warps of rank {rank}")
        for name, a, b in zip(
            ("the warp", "the number of columns", "the place"), mine[1:], other[1:], strict=True
        ):
            if a != b:
                raise ExecutionError(
                    f"{name} is {a} in rank {cta.rank}, but {b} in rank {rank} of the pair"
                )
    meeting.came[cta.rank] = mine
    turns = meeting.turns
    if len(meeting.came) == 2:
        meeting.came = {}
        meeting.turns += 1
        cta.happened()
        return
    while meeting.turns == turns:
        cta.wait(f"for rank {cta.rank ^ 1}, which must {what} columns of tensor memory, too", op)


def _check_columns(memory: TensorMemory, cta: CtaThreads, count: int) -> None:
    """Raises if a CTA may not allocate this many columns."""
    if count not in (32, 64, 128, 256, 512):
        raise ExecutionError(
            f"allocates {count} columns of tensor memory, but these must be a power of two from "
            f"{LEAST_COLUMNS} to {COLUMNS}"
        )
    if cta.data.get("relinquished"):
        raise ExecutionError(
            "allocates tensor memory after the CTA has relinquished the permit to do so"
        )
    earlier = cast(list[int], cta.data.setdefault("allocations", []))
    if earlier and count > min(earlier):
        raise ExecutionError(
            f"allocates {count} columns of tensor memory, more than the {min(earlier)} that the "
            "CTA has allocated before"
        )
    left = sum(each.count for each in memory.allocations_of(cta.first))
    if left + count > COLUMNS:
        raise ExecutionError(
            f"allocates {count} columns of tensor memory, of which the CTA has {left} already"
        )
    earlier.append(count)


def allocate(op: GroupOp, cta: CtaThreads, slot: Array, count: int) -> None:
    """A warp allocates columns, and writes where they are to shared memory."""
    cores = cores_of(cta)
    warp = one_warp(cta)
    cores.check_group(op, op.cta_group)
    memory = cores.memory_of(cta)
    _check_columns(memory, cta, count)
    place = cta.uniform(slot, "where the address is written")
    if op.cta_group == 2:
        pair = tcgen05_mma.pair_of(cta, 2, int(cta.numbers[0]))
        _meet_pair(op, cta, "allocate", count, place % CTA_SPAN)
    else:
        pair = [cta]
    first = _free_columns(op, cta, pair, count)
    memory.allocate(first, count, cta.first, warp)
    cores.note("alloc", op, cta, [Block.of(0, LANES, first, count)])()
    data = np.array([[first]], np.uint32).view(np.uint8)
    thread = int(cta.numbers[0])
    accesses.store(How(op, SHARED), cta, lanes_for(thread, np.array([place])), data)
    cta.happened()


def _free_columns(op: GroupOp, cta: CtaThreads, pair: Sequence[CtaThreads], count: int) -> int:
    """The first of columns that are free in all CTAs of a pair, for which this one waits."""
    cores = cores_of(cta)
    memories = [cores.memory_of(each) for each in pair]
    chosen = cast(dict[Any, int], cta.cluster.data.setdefault("chosen columns", {}))
    turn = (cta.rank >> 1, len(cast(list[int], cta.data["allocations"])))
    while True:
        if turn in chosen:
            # The other CTA of the pair has found some for both.
            return chosen.pop(turn)
        is_held = any(
            memory.permit not in (None, each.first)
            for each, memory in zip(pair, memories, strict=True)
        )
        found = {memory.place_for(count) for memory in memories}
        first = found.pop() if len(found) == 1 and not is_held else None
        if first is not None:
            for each, memory in zip(pair, memories, strict=True):
                memory.permit = each.first
            if len(pair) == 2:
                chosen[turn] = first
                cta.happened()
            return first
        other = ", which another CTA has not relinquished the permit for" if is_held else ""
        cta.wait(f"for {count} columns of tensor memory{other}", op)


def deallocate(op: GroupOp, cta: CtaThreads, address: Array, count: int) -> None:
    """A warp gives columns back."""
    cores = cores_of(cta)
    one_warp(cta)
    cores.check_group(op, op.cta_group)
    memory = cores.memory_of(cta)
    lane, first = lane_and_column(cta.uniform(address, "the address"))
    found = memory.allocated.get(first)
    if found is None or lane or found.owner != cta.first or found.count != count:
        raise ExecutionError(
            f"deallocates {count} columns of tensor memory at lane {lane}, column {first}, which "
            "this CTA has not allocated"
        )
    if op.cta_group == 2:
        _meet_pair(op, cta, "deallocate", count, first)
    if cores.order is not None:
        access = cores.order.begin(op, "dealloc", int(cta.numbers[0]))
        cores.order.writes(memory, [Block.of(0, LANES, first, count)], access)
    memory.free(found)
    cores.note("dealloc", op, cta, [Block.of(0, LANES, first, count)])()
    cta.happened()


def relinquish(op: GroupOp, cta: CtaThreads) -> None:
    """Lets other CTAs of the SM allocate."""
    cores = cores_of(cta)
    one_warp(cta)
    cores.check_group(op, op.cta_group)
    cta.data["relinquished"] = True
    memory = cores.memory_of(cta)
    if memory.permit == cta.first:
        memory.permit = None
    cta.happened()


@THREADS.binds("nvvm.tcgen05.alloc")
def bind_alloc(op: nvvm.Tcgen05AllocOp, program: BoundProgram) -> InCta:
    """Allocates columns."""

    def apply(cta: CtaThreads, slot: Array, columns: Array) -> None:
        allocate(op, cta, slot, cta.uniform(columns, "the number of columns"))

    return InCta(apply)


@THREADS.binds("nvvm.tcgen05.dealloc")
def bind_dealloc(op: nvvm.Tcgen05DeallocOp, program: BoundProgram) -> InCta:
    """Gives columns back."""

    def apply(cta: CtaThreads, address: Array, columns: Array) -> None:
        deallocate(op, cta, address, cta.uniform(columns, "the number of columns"))

    return InCta(apply)


@THREADS.runs("nvvm.tcgen05.relinquish_alloc_permit")
def run_relinquish(cta: CtaThreads, *, op: Operation) -> None:
    """Lets others allocate."""
    relinquish(op, cta)


# Order


@THREADS.runs("nvvm.tcgen05.fence", kind=word("kind"))
def run_fence(cta: CtaThreads, *, kind: str) -> None:
    """Orders accesses to tensor memory with a synchronization that comes, or has been."""
    order = cores_of(cta).order
    if order is None:
        return
    for warp in np.unique(cta.warps[cta.active_mask()]):
        if kind == "before":
            order.fence_before(int(warp))
        else:
            order.fence_after(int(warp))


@THREADS.runs("nvvm.tcgen05.wait", kind=word("kind"))
def run_wait(cta: CtaThreads, *, kind: str) -> None:
    """A warp waits for its loads or stores."""
    cores = cores_of(cta)
    warp = one_warp(cta)
    what: Literal["ld", "st"] = "ld" if kind == "load" else "st"
    if what == "st":
        cores.finish_stores(warp)
    if cores.order is not None:
        cores.order.wait(what, warp)


@THREADS.binds("nvvm.tcgen05.commit")
def bind_commit(op: GroupOp, program: BoundProgram) -> InCta:
    """Arrives when what the thread has issued is complete."""

    def apply(cta: CtaThreads, address: Array, mask: Array | None) -> None:
        cores = cores_of(cta)
        row = one_thread(cta)
        cores.check_group(op, op.cta_group)
        place, thread = _number(cta, address, row), int(cta.numbers[row])
        ranks = [place >> RANK_BIT]
        if mask is not None:
            bits = _number(cta, mask, row) & 0xFFFF
            ranks = [rank for rank in range(16) if bits >> rank & 1]
        targets: list[tuple[MBarrier, int]] = []
        for rank in ranks:
            cta.cluster.check_rank(rank)
            there = place % CTA_SPAN + rank * CTA_SPAN
            barrier = barrier_at(cta, there, np.array([thread]))
            targets.append((barrier, cta.cluster.ctas[rank].first))
        cores.commit(op, thread, targets)
        cta.happened()

    return InCta(apply, slots(op, "address multicast_mask"))


# Loads and stores


@dataclass(frozen=True)
class TensorAccessOp:
    """A load or store of tensor memory by a warp."""

    op: Operation
    kind: Literal["ld", "st"]
    shape: str
    num: int
    offset: int
    pack: bool
    """Whether a word in registers is the lower halves of two in tensor memory."""

    @staticmethod
    def of(op: Any, kind: Literal["ld", "st"]) -> TensorAccessOp:
        packs = getattr(op, "pack" if kind == "ld" else "unpack", None) is not None
        offset = 0 if op.offset is None else op.offset.value.data
        return TensorAccessOp(op, kind, op.shape.data.ptx, op.num, offset, packs)

    def begin(
        self, cta: CtaThreads, address: Array
    ) -> tuple[TensorMemory, Integers, Integers, Callable[[], None]]:
        """Checks an access; yields where registers are, by thread, and what to do at the end."""
        cores = cores_of(cta)
        warp = one_warp(cta)
        memory = cores.memory_of(cta)
        lane, column = lane_and_column(cta.uniform(address, "the address"))
        check_warp_lanes(self.shape, lane, _warp_number(cta))
        places = access_places(self.shape, self.num, self.offset, self.pack)
        words = moved(places.words, lane, column)
        verb = "reads" if self.kind == "ld" else "writes"
        memory.check_owned(words, cta.first, verb)
        if self.kind == "ld":
            memory.check_defined(words, verb)
        if cores.order is not None:
            access = cores.order.begin(self.op, self.kind, warp * WARP)
            cores.touch([cta], access)
            if self.kind == "ld":
                cores.order.reads(memory, words, access)
            else:
                cores.order.writes(memory, words, access)
        if self.kind == "st":
            memory.define(words)
        ends = cores.note(self.kind, self.op, cta, words)
        return memory, places.lanes + lane, places.columns + column, ends

    def load(self, cta: CtaThreads, address: Array) -> Array:
        """The words that threads load."""
        memory, lanes, columns, ends = self.begin(cta, address)
        words = memory.words[lanes, columns]
        ends()
        if self.pack:
            words = words[:, ::2] & np.uint32(0xFFFF) | words[:, 1::2] << np.uint32(16)
        cores_of(cta).step()
        return words

    def store(self, cta: CtaThreads, address: Array, words: Array) -> None:
        """Stores the words of threads, some time until they wait for that."""
        memory, lanes, columns, ends = self.begin(cta, address)
        if self.pack:
            halves = (words & np.uint32(0xFFFF), words >> np.uint32(16))
            words = np.stack(halves, axis=-1).reshape(len(words), -1)

        def run() -> None:
            memory.words[lanes, columns] = words
            ends()

        cores_of(cta).store(int(cta.warps[0]), run)


@THREADS.binds("nvvm.tcgen05.ld")
def bind_ld(op: GroupOp, program: BoundProgram) -> InCta:
    """Loads a fragment."""
    access = TensorAccessOp.of(op, "ld")

    def apply(cta: CtaThreads, address: Array) -> Array:
        words = np.ascontiguousarray(access.load(cta, address))
        return from_rows(words.view(np.uint8), op.result.type)

    return InCta(apply)


@THREADS.binds("nvvm.tcgen05.ld.red")
def bind_ld_red(op: GroupOp, program: BoundProgram) -> InCta:
    """Loads a fragment, and finds the least or greatest of what a thread loads."""
    access = TensorAccessOp.of(op, "ld")
    is_greatest = op.op.data.value == "max"
    magnitudes, keeps_nan = op.abs is not None, op.nan is not None

    def apply(cta: CtaThreads, address: Array) -> tuple[Array, Array]:
        words = np.ascontiguousarray(access.load(cta, address))
        values = from_rows(words.view(np.uint8), op.result.type)
        compared = np.abs(values) if magnitudes else values
        if compared.dtype.kind == "f" and not keeps_nan:
            choose = np.fmax if is_greatest else np.fmin
        else:
            choose = np.maximum if is_greatest else np.minimum
        return values, choose.reduce(compared, axis=1)

    return InCta(apply)


@THREADS.binds("nvvm.tcgen05.st")
def bind_st(op: GroupOp, program: BoundProgram) -> InCta:
    """Stores a fragment."""
    access = TensorAccessOp.of(op, "st")

    def apply(cta: CtaThreads, address: Array, value: Value) -> None:
        rows = to_rows(cta.full(value), op.value.type)
        access.store(cta, address, np.ascontiguousarray(rows).view(np.uint32))

    return InCta(apply)


# Copies and shifts


COPY_ROWS: Final[dict[str, tuple[int, int]]] = {
    "128x256b": (128, 32),
    "4x256b": (4, 32),
    "128x128b": (128, 16),
    "64x128b": (64, 16),
    "32x128b": (32, 16),
}
"""Rows and bytes of each that a copy has."""
COPY_WARPS: Final[dict[str, tuple[tuple[int, ...], ...]]] = {
    "warpx4": ((0, 1, 2, 3),),
    "warpx2_02_13": ((0, 2), (1, 3)),
    "warpx2_01_23": ((0, 1), (2, 3)),
}
"""For each 32 rows the warps whose lanes get them."""


@dataclass(frozen=True)
class CopyPart:
    """Rows of a copy, and where they go."""

    rows: slice
    block: Block


def copy_parts(shape: str, multicast: str | None, lane: int, column: int) -> list[CopyPart]:
    """Where the rows of a copy to an address go."""
    rows, row_bytes = COPY_ROWS[shape]
    columns = row_bytes // 4
    if shape == "4x256b":
        # One row for each warp, at the same of its lanes.
        return [
            CopyPart(slice(row, row + 1), Block.of(lane + WARP_LANES * row, 1, column, columns))
            for row in range(rows)
        ]
    if lane:
        raise ExecutionError(f"copies to lane {lane} of tensor memory, but must begin at lane 0")
    if multicast is None:
        return [CopyPart(slice(0, rows), Block.of(0, rows, column, columns))]
    return [
        CopyPart(
            slice(WARP_LANES * part, WARP_LANES * (part + 1)),
            Block.of(WARP_LANES * warp, WARP_LANES, column, columns),
        )
        for part, warps in enumerate(COPY_WARPS[multicast])
        for warp in warps
    ]


@THREADS.binds("nvvm.tcgen05.cp")
def bind_cp(op: GroupOp, program: BoundProgram) -> InCta:
    """Copies a matrix from shared to tensor memory."""
    if op.src_format is not None:
        raise ExecutionError("a copy that expands elements to bytes cannot be run on the CPU")
    shape = op.shape.data.ptx
    multicast = None if op.multicast is None else op.multicast.data.value
    rows, row_bytes = COPY_ROWS[shape]

    def apply(cta: CtaThreads, address: Array, descriptor: Array) -> None:
        cores = cores_of(cta)
        row = one_thread(cta)
        cores.check_group(op, op.cta_group)
        thread = int(cta.numbers[row])
        lane, column = lane_and_column(_number(cta, address, row))
        parts = copy_parts(shape, multicast, lane, column)
        matrix = tcgen05_mma.decode_descriptor(
            _number(cta, descriptor, row), "the source", by_k=row_bytes == 32
        )
        places = tcgen05_mma.k_major_places(
            rows, row_bytes, matrix.leading, matrix.stride, matrix.swizzle
        )
        ctas = tcgen05_mma.pair_of(cta, op.cta_group, thread)
        offsets = [tcgen05_mma.chunk_offsets(each, matrix, places, "the source") for each in ctas]
        words = [part.block for part in parts]
        for each in ctas:
            cores.memory_of(each).check_owned(words, each.first, "copies to")
        access = None
        if cores.order is not None:
            access = cores.order.begin(op, "cp", thread, what=shape)
            cores.touch(ctas, access)
            for each, chunks in zip(ctas, offsets, strict=True):
                if each.shared.shadow is not None:
                    touch = Touch(op, chunks.reshape(-1), CHUNK, np.array([thread]))
                    each.shared.shadow.read_for(touch, access.party.complete)
                cores.order.writes(cores.memory_of(each), words, access)
        for each in ctas:
            cores.memory_of(each).define(words)
        ends = [cores.note("cp", op, each, words, thread) for each in ctas]

        def run() -> None:
            for end in ends:
                end()
            for each, chunks in zip(ctas, offsets, strict=True):
                data = tcgen05_mma.chunks_at(each, chunks).reshape(rows, row_bytes).view(np.uint32)
                memory = cores.memory_of(each)
                for part in parts:
                    memory.words[part.block] = data[part.rows]

        cores.issue(op, "cp", thread, run, access)

    return InCta(apply)


SHIFTED_COLUMNS: Final = 8
"""32 bytes."""


@THREADS.binds("nvvm.tcgen05.shift")
def bind_shift(op: GroupOp, program: BoundProgram) -> InCta:
    """Moves rows of a warp's lanes by one: all but the last get those of the next lane."""

    def apply(cta: CtaThreads, address: Array) -> None:
        cores = cores_of(cta)
        row = one_thread(cta)
        cores.check_group(op, op.cta_group)
        thread = int(cta.numbers[row])
        lane, column = lane_and_column(_number(cta, address, row))
        if lane % WARP_LANES:
            raise ExecutionError(f"shifts from lane {lane}, which is no multiple of {WARP_LANES}")
        ctas = tcgen05_mma.pair_of(cta, op.cta_group, thread)
        words = [Block.of(lane, WARP_LANES, column, SHIFTED_COLUMNS)]
        memories = [cores.memory_of(each) for each in ctas]
        for each, memory in zip(ctas, memories, strict=True):
            memory.check_owned(words, each.first, "shifts")
            memory.check_defined(words, "shifts")
        access = None
        if cores.order is not None:
            access = cores.order.begin(op, "shift", thread)
            cores.touch(ctas, access)
            for memory in memories:
                cores.order.writes(memory, words, access)
        ends = [cores.note("shift", op, each, words, thread) for each in ctas]

        def run() -> None:
            for end in ends:
                end()
            for memory in memories:
                part = memory.words[words[0]]
                part[:-1] = part[1:].copy()

        cores.issue(op, "shift", thread, run, access)

    return InCta(apply)


# MMAs


MmaOp: TypeAlias = nvvm.Tcgen05MmaOp | nvvm.Tcgen05MmaBlockScaleOp


def _issue_mma(
    op: MmaOp,
    make: Callable[..., tcgen05_mma.MmaOperands],
    idesc_step: int,
    cta: CtaThreads,
    values: Sequence[Array | None],
) -> None:
    """A thread issues an MMA, or several that go on along K."""
    cores = cores_of(cta)
    row = one_thread(cta)
    cores.check_group(op, op.cta_group)
    thread = int(cta.numbers[row])
    d, a, b, enable, idesc, left_scales, right_scales, mask = values
    assert d is not None
    assert a is not None
    assert b is not None
    assert enable is not None
    assert idesc is not None
    left, right = _number(cta, a, row), _number(cta, b, row)
    instruction = _number(cta, idesc, row)
    steps = op.steps
    for step in range(steps):
        collector = "discard" if op.collector_op is None else op.collector_op.data.value
        given = make(
            accumulator=_number(cta, d, row) & 0xFFFFFFFF,
            left=left + step * _step(op.a_step),
            right=right + step * _step(op.b_step),
            instruction=instruction + step * idesc_step & 0xFFFFFFFF,
            accumulates=step > 0 or bool(cta.full(enable)[row]),
            left_scales=0 if left_scales is None else _number(cta, left_scales, row),
            right_scales=0 if right_scales is None else _number(cta, right_scales, row),
            kept=() if mask is None else [int(word) for word in cta.full(mask)[row]],
            collector=collector,
        )
        tcgen05_mma.Mma(cta, thread, given).issue()


def _step(step: Any) -> int:
    return 0 if step is None else step.value.data


@THREADS.binds("nvvm.tcgen05.mma", "nvvm.tcgen05.mma.block_scale")
def bind_mma(op: MmaOp, program: BoundProgram) -> InCta:
    """Issues MMAs."""
    idesc_step, downscale, shifts_left, block = 0, 0, False, None
    if isinstance(op, nvvm.Tcgen05MmaBlockScaleOp):
        idesc_step, block = _step(op.idesc_step), op.block_size
    else:
        downscale = 0 if op.scale_input_d is None else op.scale_input_d.value.data
        shifts_left = op.a_shift is not None
    make = partial(
        tcgen05_mma.MmaOperands,
        op=op,
        kind=op.kind.data.value,
        group=op.cta_group,
        is_left_in_tensor_memory=op.is_a_in_tensor_memory,
        block=block,
        downscale=downscale,
        shifts_left=shifts_left,
    )

    def apply(cta: CtaThreads, *values: Array | None) -> None:
        _issue_mma(op, make, idesc_step, cta, values)

    return InCta(apply, slots(op, "d a b enable_input_d idesc scale_a scale_b mask"))
