"""What happened to tensor memory during a run, for pictures of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from .tensor_memory import Words


@dataclass
class TensorEvent:
    """An allocation or an access, in steps of the run."""

    kind: str
    """`alloc`, `dealloc`, `mma`, `cp`, `shift`, `ld` or `st`."""
    op: Operation
    who: str
    """The thread or warp, in words."""
    memory: int
    """The number of the SM."""
    columns: range
    lanes: range
    issued: int
    ran: int | None = None
    """When it read and wrote; not known of one that did not run."""


@dataclass
class TensorTrace:
    """The events of a run: `run_threads(…, trace=trace)`."""

    events: list[TensorEvent] = field(default_factory=list[TensorEvent])
    step: int = 0

    def add(self, kind: str, op: Operation, who: str, memory: int, words: Words) -> TensorEvent:
        """Something is issued."""
        self.step += 1
        columns = range(
            min(block.columns.start for block in words), max(block.columns.stop for block in words)
        )
        lanes = range(
            min(block.lanes.start for block in words), max(block.lanes.stop for block in words)
        )
        event = TensorEvent(kind, op, who, memory, columns, lanes, self.step)
        self.events.append(event)
        return event

    def run(self, event: TensorEvent) -> None:
        """Something runs."""
        self.step += 1
        event.ran = self.step
