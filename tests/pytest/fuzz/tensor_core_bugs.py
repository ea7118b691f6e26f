"""
Bugs to plant in the lowering to `tcgen05`: each is a patch of one of our functions, after which
kernels are compiled as if the mistake were in our code.

Most change what the code of threads is made of, op by op, where it is emitted; the others forget a
wait, or give out columns, where tensor memory is allocated.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias
from unittest.mock import patch

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.analysis.matrix_layouts import SharedOperand
from tileiras_xdsl.dialects.nv_tileas.pipeline import ProducerAcquireOp
from tileiras_xdsl.dialects.nvvm import (
    FenceProxyOp,
    MBarrierArriveSharedOp,
    MBarrierTryWaitParitySharedOp,
    Tcgen05CommitOp,
    Tcgen05DeallocOp,
    Tcgen05FenceOp,
    Tcgen05MmaOp,
    Tcgen05WaitOp,
)
from tileiras_xdsl.dialects.nvvm.tcgen05 import Tcgen05Fence, Tcgen05Wait
from tileiras_xdsl.targets.tcgen05 import SharedDescriptor
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import pipelines, tcgen05
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.thread_builder import ThreadBuilder
from tileiras_xdsl.transforms.tileas.kernel_model import tensor_memory_webs
from tileiras_xdsl.transforms.tileas.kernel_model.dot_waits import DotWaits

Emit: TypeAlias = Callable[[ThreadBuilder, Operation], Operation]
Change: TypeAlias = Callable[[ThreadBuilder, Operation, Emit], Operation | None]
"""What to emit in the place of an op; None for nothing."""


@dataclass(frozen=True)
class Bug:
    """A mistake, and what has to be patched for it."""

    owner: Any
    attribute: str
    make: Callable[[Any], Any]
    """What takes the place of a function."""

    @contextmanager
    def planted(self) -> Generator[None]:
        """Compiles with the mistake, in the body of a `with`."""
        made = self.make(getattr(self.owner, self.attribute))
        with patch.object(self.owner, self.attribute, made):
            yield


def emitting(change: Change) -> Bug:
    """A mistake in the code of threads."""

    def make(emit: Emit) -> Emit:
        def planted(builder: ThreadBuilder, op: Operation) -> Operation:
            changed = change(builder, op, emit)
            return op if changed is None else emit(builder, changed)

        return planted

    return Bug(ThreadBuilder, "emit", make)


def without(matches: Callable[[Operation], bool]) -> Bug:
    """An op that is forgotten."""
    return emitting(lambda builder, op, emit: None if matches(op) else op)


def is_fence(kind: Tcgen05Fence) -> Callable[[Operation], bool]:
    return lambda op: isinstance(op, Tcgen05FenceOp) and op.kind.data == kind


def is_wait(kind: Tcgen05Wait) -> Callable[[Operation], bool]:
    return lambda op: isinstance(op, Tcgen05WaitOp) and op.kind.data == kind


def inverted(builder: ThreadBuilder, value: SSAValue, emit: Emit) -> SSAValue:
    return emit(builder, arith.XOrIOp(value, builder.constant(1, i1))).results[0]


def wrong_phase(builder: ThreadBuilder, op: Operation, emit: Emit) -> Operation:
    """Waits for the other parity."""
    if isinstance(op, MBarrierTryWaitParitySharedOp):
        op.operands[1] = inverted(builder, op.phase, emit)
    return op


def early_release(builder: ThreadBuilder, op: Operation, emit: Emit) -> Operation:
    """A stage is released by the thread that issues MMAs, and not when these have read it."""
    if isinstance(op, Tcgen05CommitOp) and not is_waited_for(op):
        return MBarrierArriveSharedOp(op.address)
    return op


def is_waited_for(op: Tcgen05CommitOp) -> bool:
    """Whether threads wait for a commit; the barriers of stages are at computed addresses."""
    pointer = op.address.owner
    return isinstance(pointer, Operation) and any(
        isinstance(each.owner, arith.ConstantOp) for each in pointer.operands
    )


def always_adds(builder: ThreadBuilder, op: Operation, emit: Emit) -> Operation:
    """The first MMA adds to what is in tensor memory, too."""
    if isinstance(op, Tcgen05MmaOp):
        op.operands[4] = builder.constant(1, i1)
    return op


def never_adds(builder: ThreadBuilder, op: Operation, emit: Emit) -> Operation:
    """Each MMA overwrites what those before it have computed."""
    if isinstance(op, Tcgen05MmaOp):
        op.operands[4] = builder.constant(0, i1)
    return op


def wrong_stride() -> Bug:
    """Eight rows are half as far apart as they are."""

    def make(describe: Callable[[ThreadBuilder, SSAValue, SharedDescriptor], SSAValue]) -> Any:
        def planted(builder: ThreadBuilder, base: SSAValue, matrix: SharedDescriptor) -> SSAValue:
            return describe(builder, base, replace(matrix, stride=matrix.stride // 2))

        return planted

    return Bug(tcgen05, "_describe_matrix", make)


def to_the_wrong_barrier() -> Bug:
    """All commits that threads wait for arrive where the first one does."""

    def make(find: Callable[[ThreadBuilder, Operation], SSAValue]) -> Any:
        first: list[Operation] = []

        def planted(builder: ThreadBuilder, op: Operation) -> SSAValue:
            first.append(op)
            return find(builder, first[0] if is_committing(builder) else op)

        return planted

    return Bug(tcgen05, "_barrier", make)


def is_committing(builder: ThreadBuilder) -> bool:
    """Whether `commit_dots` is being lowered, and not a wait or the start of a kernel."""
    return builder.op.name == "nv_tileas.commit_dots"


def overlapping_columns() -> Bug:
    """All tiles are in the first columns."""

    def make(place: Any) -> Any:
        def planted(webs: Any, *, shares: bool) -> int:
            total = place(webs, shares=shares)
            for web in webs:
                web.column = 0
            return total

        return planted

    return Bug(tensor_memory_webs, "_place", make)


def does_not_wait(name: str) -> Bug:
    """An op of tiles that waits for no MMA and no thread."""

    def make(visit: Any) -> Any:
        def planted(self: DotWaits, op: Operation) -> None:
            wait, self._wait = self._wait, lambda *_: None  # pyright: ignore
            try:
                visit(self, op)
            finally:
                self._wait = wait  # pyright: ignore

        return planted

    return Bug(DotWaits, name, make)


def does_not_wait_at(name: str) -> Bug:
    """An op of a pipeline in tensor memory that does not wait for the other agent."""

    def make(wait: Callable[[ThreadBuilder, SSAValue, SSAValue], None]) -> Any:
        def planted(builder: ThreadBuilder, barrier: SSAValue, parity: SSAValue) -> None:
            if builder.op.name == name:
                tcgen05.fence(builder, Tcgen05Fence.AFTER)
            else:
                wait(builder, barrier, parity)

        return planted

    return Bug(pipelines, "wait_for_tile", make)


def overwritten_operand() -> Bug:
    """Threads write the next operand to shared memory before MMAs have read the last one."""

    def make(wait: Callable[..., None]) -> Any:
        def planted(builder: ThreadBuilder, *values: Any) -> None:
            op = builder.op
            if not isinstance(op, ProducerAcquireOp) or not pipelines.is_handed_over(op.pipeline):
                wait(builder, *values)

        return planted

    return Bug(pipelines, "wait", make)


def wrong_lanes() -> Bug:
    """Warps access lanes 16 apart."""
    return Bug(tcgen05, "LANE_STEP", lambda step: step // 2)


def wrong_k_step() -> Bug:
    """The next K step of an operand is half as far as it is."""

    def make(step: property) -> property:
        return property(lambda operand: step.__get__(operand) // 2)

    return Bug(SharedOperand, "step", make)


BUGS: dict[str, Bug] = {
    "no fence after a wait": without(is_fence(Tcgen05Fence.AFTER)),
    "no fence before a barrier": without(is_fence(Tcgen05Fence.BEFORE)),
    "no proxy fence": without(lambda op: isinstance(op, FenceProxyOp)),
    "wrong phase": emitting(wrong_phase),
    "overlapping columns": overlapping_columns(),
    "wrong descriptor stride": wrong_stride(),
    "a stage is released too early": emitting(early_release),
    "an operand is overwritten too early": overwritten_operand(),
    "a result is read too early": does_not_wait("_visit_load"),
    "a tile is taken too early": does_not_wait_at("nv_tileas.async.pipeline.consumer_wait"),
    "a tile is replaced too early": does_not_wait_at("nv_tileas.async.pipeline.producer_acquire"),
    "commits to the wrong barrier": to_the_wrong_barrier(),
    "the first MMA adds": emitting(always_adds),
    "no MMA adds": emitting(never_adds),
    "wrong lanes": wrong_lanes(),
    "no wait for stores": without(is_wait(Tcgen05Wait.STORE)),
    "no wait for loads": without(is_wait(Tcgen05Wait.LOAD)),
    "tensor memory is not freed": without(lambda op: isinstance(op, Tcgen05DeallocOp)),
    "wrong K step": wrong_k_step(),
}
