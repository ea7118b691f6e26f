"""
Inserts barriers, waits for bulk copies, and proxy fences.

Before:  %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : …
         %z = nv_tileas.reduce %y {nv_tileas.buffers = [#nv_tileas.buffer<0, 512>]} …
After:   %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<0, 4096>]} : …
         nv_tileas.barrier
         %z = nv_tileas.reduce %y {nv_tileas.buffers = [#nv_tileas.buffer<0, 512>]} …
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.nv_tileas.shared_memory import (
    get_buffers,
    set_buffers,
)
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels

from .kernel_model.allocation import AllocatedWalk, make_model, verify_shared_memory


@dataclass(frozen=True)
class TileasInsertBarriersPass(ModulePass):
    """
    Inserts CTA barriers where a thread may otherwise overwrite shared memory that another still
    reads, and around accesses with release or acquire semantics; waits for bulk copies, and proxy
    fences where copies have to see what threads wrote. An op that goes through scratch memory
    several times waits inside, as its buffers say. It relies on the allocation of
    `tileas-allocate-shared-memory`, and inserts nothing that is there already.

    Where there are neither bulk copies nor WGMMAs, branches and loops are followed path by path:
    two exchanges that take turns with two buffers need no barrier from iteration to iteration. A
    `gpu.barrier` goes there, if no memory was accessed since threads last waited for each other.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    """

    name = "tileas-insert-barriers"

    compute_capability: str | int | float | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        for function in kernels(op):
            insert_barriers(function, target)


def insert_barriers(function: FuncOp, target: Target) -> None:
    """Inserts the barriers, waits and fences of a kernel."""
    memory = verify_shared_memory(function)
    BarrierInsertion(make_model(function, target, memory.scratch, memory.limit)).run()


class BarrierInsertion(AllocatedWalk):
    """Inserts each wait that is missing."""

    def insert(self, op: Operation, waits: Sequence[Operation], *, after: bool = False) -> None:
        waits = self.missing(op, waits, after=after)
        for wait in waits:
            wait.location = op.location
        point = InsertPoint.after(op) if after else InsertPoint.before(op)
        Rewriter.insert_op(waits, point)

    def drop(self, op: gpu.BarrierOp) -> None:
        Rewriter.erase_op(op)

    def wait_inside(self, op: Operation, buffer_index: int, wait: str) -> None:
        buffers = list(get_buffers(op))
        buffers[buffer_index] = buffers[buffer_index].after(wait)
        set_buffers(op, buffers)
