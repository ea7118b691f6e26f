"""
Spreads the CTAs of a grid over processes.

Memory moves into pages that the processes share, and back at the end. Processes take CTAs in
order, some at a time, and send back what they print. Each is a fork of this one, so what was
bound here is there.
"""

from __future__ import annotations

import mmap
import multiprocessing
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.sharedctypes import Synchronized
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.ir import Operation

from .errors import ExecutionError
from .memory import Bytes, Memory

if TYPE_CHECKING:
    # Not everywhere.
    from multiprocessing.context import ForkContext, ForkProcess

CtaIndex: TypeAlias = tuple[int, int, int]
PipeEnd: TypeAlias = Any
"""A connection; its class is another one on each platform."""
RunCta: TypeAlias = Callable[[CtaIndex, Callable[[str], object]], None]
"""Runs a CTA; what it prints goes to the function."""

PATIENCE = 2.0
"""This many seconds earlier CTAs have to end after an error; they may wait for the failed one."""
PARTS = 16
"""Into this many pieces of work the share of each process is cut."""


@dataclass(frozen=True)
class Failure:
    """An `ExecutionError` that can be sent: an op is named by its number in the kernel."""

    message: str
    op: int | None
    cta: tuple[int, ...] | None
    lane: tuple[int, ...] | None

    @staticmethod
    def of(error: ExecutionError, kernel: Operation) -> Failure:
        numbers = (number for number, op in enumerate(kernel.walk()) if op is error.op)
        return Failure(
            error.message,
            next(numbers, None),
            error.cta,
            error.lane,
        )

    def error(self, kernel: Operation) -> ExecutionError:
        op = next((op for number, op in enumerate(kernel.walk()) if number == self.op), None)
        return ExecutionError(self.message, op, self.cta, self.lane)


@dataclass(frozen=True)
class ChunkReport:
    """Some CTAs have been run: what they printed, and what went wrong in the last one."""

    first: int
    count: int
    text: str
    failure: Failure | None


def shared_bytes(size: int) -> Bytes:
    """Memory that forks of this process share with it."""
    return np.frombuffer(mmap.mmap(-1, max(size, 1)), np.uint8)[:size]


@contextmanager
def shared(memory: Memory) -> Generator[None]:
    """Moves memory to where processes share it, and copies it back at the end."""
    originals: list[Bytes] = []
    for allocation in memory:
        originals.append(allocation.data)
        allocation.replace(shared_bytes(len(allocation.data)))
        if allocation.initialized is not None:
            flags = shared_bytes(len(allocation.initialized)).view(np.bool_)
            flags[:] = allocation.initialized
            allocation.initialized = flags
    try:
        yield
    finally:
        for allocation, original in zip(memory, originals, strict=True):
            if allocation.writable:
                original[:] = allocation.data


def run_in_processes(
    count: int,
    ctas: Sequence[CtaIndex],
    run_cta: RunCta,
    kernel: Operation,
    memory: Memory,
    write: Callable[[str], object],
    advance: Callable[[int], None],
) -> None:
    """Runs CTAs; an error is that of the first CTA that has one."""
    if "fork" not in multiprocessing.get_all_start_methods():
        raise ExecutionError("CTAs can be spread over processes only where processes can fork")
    context = multiprocessing.get_context("fork")
    with shared(memory):
        memory.lock = context.RLock()
        pool = ProcessPool(context, min(count, len(ctas)), ctas, run_cta, kernel)
        try:
            pool.collect(write, advance)
        finally:
            pool.stop()


class ProcessPool:
    """Processes that run CTAs."""

    def __init__(
        self,
        context: ForkContext,
        count: int,
        ctas: Sequence[CtaIndex],
        run_cta: RunCta,
        kernel: Operation,
    ):
        self.ctas, self.run_cta, self.kernel = ctas, run_cta, kernel
        self.share = max(1, len(ctas) // (count * PARTS))
        self.next: Synchronized[int] = context.Value("q", 0)
        self.processes: list[ForkProcess] = []
        self.readers: list[PipeEnd] = []
        for _ in range(count):
            reader, writer = context.Pipe(duplex=False)
            process = context.Process(target=self._work, args=(writer,), daemon=True)
            with warnings.catch_warnings():
                # Python 3.12 warns of threads, such as those of a BLAS, which forks do not use.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
            writer.close()
            self.processes.append(process)
            self.readers.append(reader)

    def _take(self) -> range:
        """The numbers of the next CTAs to run."""
        with self.next.get_lock():
            first = self.next.value
            self.next.value = min(first + self.share, len(self.ctas))
            return range(first, self.next.value)

    def _work(self, writer: PipeEnd) -> None:
        """What a process does."""
        while numbers := self._take():
            printed: list[str] = []
            failure, done = None, 0
            for number in numbers:
                try:
                    self.run_cta(self.ctas[number], printed.append)
                except ExecutionError as error:
                    failure = Failure.of(error, self.kernel)
                    # Nobody begins with later CTAs.
                    with self.next.get_lock():
                        self.next.value = len(self.ctas)
                    break
                done += 1
            writer.send(ChunkReport(numbers.start, done, "".join(printed), failure))
        writer.close()

    def collect(self, write: Callable[[str], object], advance: Callable[[int], None]) -> None:
        """Writes what CTAs print in their order, until all are done or one has failed."""
        reports: dict[int, ChunkReport] = {}
        position = 0
        for report in self._receive():
            if report is None:
                break
            reports[report.first] = report
            advance(report.count)
            while position in reports:
                done = reports.pop(position)
                write(done.text)
                if done.failure is not None:
                    raise done.failure.error(self.kernel)
                position += done.count
        failures = [reports[first].failure for first in sorted(reports)]
        for failure in failures:
            if failure is not None:
                raise failure.error(self.kernel)
        if position < len(self.ctas):
            for process in self.processes:
                process.join()
            codes = {process.exitcode for process in self.processes} - {0}
            raise ExecutionError(
                f"a process ended while it ran CTAs, with code {', '.join(map(str, codes))}",
                self.kernel,
            )

    def _receive(self) -> Iterator[ChunkReport | None]:
        """What processes send, until all have ended; `None` if that takes long after an error."""
        readers = list(self.readers)
        deadline: float | None = None
        while readers:
            found = wait(readers, None if deadline is None else deadline - time.monotonic())
            if not found:
                yield None
            for ready in found:
                reader: PipeEnd = ready
                try:
                    report: ChunkReport = reader.recv()
                except EOFError:
                    readers.remove(reader)
                    continue
                if report.failure is not None and deadline is None:
                    deadline = time.monotonic() + PATIENCE
                yield report

    def stop(self) -> None:
        """Ends the processes."""
        for process, reader in zip(self.processes, self.readers, strict=True):
            reader.close()
            process.terminate()
            process.join()
