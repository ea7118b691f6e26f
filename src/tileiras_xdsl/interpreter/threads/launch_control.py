"""
Cluster launch control: a cluster that runs takes over the work of one that has not begun.

An answer is 16 bytes that come to shared memory as those of a copy do: nobody may read them before
their barrier says so, and who read them must have fenced and arrived before the next ones come. Its
encoding is our own: whether a cluster was canceled, and the index of its first CTA. In a random run
requests are refused although there are clusters left, which begin later then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.interpreter.attributes import word
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS, BoundProgram, InCta
from tileiras_xdsl.interpreter.values import Array, Value

from .cluster import CTA_SPAN
from .pointers import memref_address
from .state import CtaThreads
from .tensor_copies import begin_load
from .tensor_maps import CHUNK

REFUSES: Final = 0.2
"""How likely a request is refused in a random run, though a cluster is left."""
QUERIES: Final = {
    "get_first_cta_id_x": 1,
    "get_first_cta_id_y": 2,
    "get_first_cta_id_z": 3,
}
"""Which word of an answer is asked for."""
REFUSED: Final = "refused"
"""Where a cluster keeps that it knows that nothing is left."""


@dataclass
class Launches:
    """The clusters of a grid that have not begun."""

    left: deque[tuple[int, int, int]]
    sizes: tuple[int, int, int]
    """CTAs of a cluster."""
    random: Random | None = None

    def begin(self, count: int) -> list[tuple[int, int, int]]:
        """Some of them begin."""
        return [self.left.popleft() for _ in range(min(count, len(self.left)))]

    def cancel(self) -> tuple[int, int, int] | None:
        """The index of the first CTA of one that will not begin; `None` if it is refused."""
        if not self.left or (self.random is not None and self.random.random() < REFUSES):
            return None
        x, y, z = (n * size for n, size in zip(self.left.popleft(), self.sizes, strict=True))
        return x, y, z


def _check_fenced(op: Operation, cta: CtaThreads, offset: int) -> None:
    """Raises if threads have read the answer before, and not fenced since."""
    clocks, shadow = cta.clocks, cta.shared.shadow
    reads: dict[Any, Any] = getattr(shadow, "last_reads", {})
    if clocks is None or shadow is None:
        return
    cells = shadow.cells(np.array([offset]), CHUNK)
    for (kind, _), stamps in reads.items():
        if kind != "warp":
            continue
        found = stamps[cells]
        parties = found & clocks.parties - 1
        hidden = found >> clocks.bits > clocks.fenced[cta.number, clocks.thread_of[parties]]
        if hidden.any():
            who = clocks.name(int(parties[hidden][0]))
            raise ExecutionError(
                f"overwrites an answer that {who} has read in "
                f"{shadow.log.other(offset, CHUNK)}, without a proxy fence in between"
            )


@THREADS.binds("nvvm.clusterlaunchcontrol.try.cancel")
def bind_try_cancel(op: nvvm.TryCancelOp, program: BoundProgram) -> InCta:
    """Asks for the work of a cluster that has not begun."""
    goes_to_all = op.multicast is not None

    def apply(cta: CtaThreads, address: Array, barrier: Value) -> None:
        rows = np.flatnonzero(cta.active_mask())
        if len(rows) != 1:
            raise ExecutionError(f"is issued by {len(rows)} threads, once for each")
        if cta.cluster.data.get(REFUSED):
            raise ExecutionError("asks again after it was refused")
        assert cta.launches is not None
        thread = int(cta.numbers[rows[0]])
        found = cta.launches.cancel()
        answer = np.array([[0, -1, -1, -1] if found is None else [1, *found]], np.int32)
        place = int(cta.full(address)[rows[0]])
        signal = int(cta.full(memref_address(barrier))[rows[0]])
        if place % CHUNK:
            raise ExecutionError(f"the answer at {place:#x} is not aligned to {CHUNK} bytes")
        targets: Sequence[CtaThreads] = cta.cluster.ctas if goes_to_all else [cta]
        for target in targets:
            offset = place % CTA_SPAN - target.shared.base % CTA_SPAN
            if not 0 <= offset <= len(target.shared.data) - CHUNK:
                raise ExecutionError(f"the answer at {place:#x} is not in shared memory")
            _check_fenced(op, target, offset)
            there = signal % CTA_SPAN + target.rank * CTA_SPAN
            data = answer.view(np.uint8)
            begin_load(op, target, there, np.array([offset]), data, thread)
        cta.happened()

    return InCta(apply)


@THREADS.runs("nvvm.clusterlaunchcontrol.query.cancel", query=word("query"))
def run_query_cancel(cta: CtaThreads, answer: Array, *, query: str) -> Array:
    """What an answer says."""
    words = np.ascontiguousarray(answer).view(np.int32).reshape(len(answer), 4)
    if query != "is_canceled":
        asked = words if len(words) == 1 else words[cta.active_mask()]
        if (asked[:, 0] == 0).any():
            raise ExecutionError("asks which CTA was canceled, but the request was refused")
        return words[:, QUERIES[query]]
    is_canceled = words[:, 0] != 0
    asked = is_canceled if len(words) == 1 else is_canceled[cta.active_mask()]
    if not asked.all():
        cta.cluster.data[REFUSED] = True
    return is_canceled
