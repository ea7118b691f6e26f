"""
LLVM IR to PTX in a worker process, which is kept for the next program and which LLVM may abort.

The code generator reports many failures by ending the process. `guard` refuses those that are
known; here the others end a worker, whose last words become a `BackendError`. A worker that is
warm costs a few milliseconds for a program, and one that starts while passes run costs nothing
on a machine with a second core: see `prepare`.

A request has the surroundings of the process that asks, as they are then: libdevice is found where
that process would find it, whenever the worker was started.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from tempfile import TemporaryFile
from time import perf_counter, sleep
from typing import IO, Any, Final, Protocol

from tileiras_xdsl.backend.errors import (
    BackendError,
    interpreter_command,
    read_message,
    write_message,
)
from tileiras_xdsl.backend.target import NvptxTarget

MAX_IDLE: Final = 4
"""This many workers wait for work, if this many were needed at once."""

_FATAL = re.compile(r"^(?:LLVM ERROR|error|fatal error): (.*)$|^(.*\bAssertion .* failed.*)$", re.M)

_SAMPLE: Final = """
define ptx_kernel void @square(ptr addrspace(1) %array, i32 %size) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %index = phi i32 [ %thread, %entry ], [ %next, %body ]
  %is_inside = icmp slt i32 %index, %size
  br i1 %is_inside, label %body, label %exit
body:
  %place = getelementptr float, ptr addrspace(1) %array, i32 %index
  %value = load float, ptr addrspace(1) %place, align 4
  %product = fmul float %value, %value
  store float %product, ptr addrspace(1) %place, align 4
  %next = add i32 %index, 128
  br label %head
exit:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""


@dataclass(frozen=True)
class Generated:
    """PTX, and the seconds that each step towards it took."""

    ptx: str
    seconds: Mapping[str, float]


class WorkerError(Exception):
    """What LLVM said before it ended the worker."""


class Worker(Protocol):
    """A process that compiles one program after the other."""

    @property
    def pid(self) -> int: ...

    def call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request; `WorkerError` if the worker ends instead."""
        ...

    def kill(self) -> None:
        """Ends the process, whatever it does; does not wait for that."""
        ...

    def close(self) -> None:
        """Ends the process and waits for its end."""
        ...


class SpawnedWorker:
    """A worker that is an interpreter of its own."""

    def __init__(self):
        self._log: IO[bytes] = TemporaryFile()
        self._process = subprocess.Popen(
            interpreter_command(__name__, serve.__name__),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            # An interrupt from the keyboard is for this process only, which ends its workers.
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        answer = _ask(stdin, stdout, request)
        if answer is None:
            raise WorkerError(_reason(self._log, self._process.wait()))
        return answer

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self.kill()
        self._process.communicate()
        self._log.close()


class ForkedWorker:
    """
    A worker that is a copy of this process, with LLVM in memory if it is here. For processes
    that have no threads which could be in the middle of something.
    """

    def __init__(self):
        self._log: IO[bytes] = TemporaryFile()
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        with warnings.catch_warnings():
            # The thread that waits for a compilation is the only other one.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if self._pid == 0:
            try:
                os.setsid()
                os.dup2(requests, 0)
                os.dup2(answers, 1)
                os.dup2(self._log.fileno(), 2)
                # Others notice that this process closes what they have in common.
                os.closerange(3, os.sysconf("SC_OPEN_MAX"))
                serve(os.fdopen(0, "rb", closefd=False))
            finally:
                os._exit(1)
        os.close(requests)
        os.close(answers)

    @property
    def pid(self) -> int:
        return self._pid

    def call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        with (
            os.fdopen(self._requests, "wb", closefd=False) as stdin,
            os.fdopen(self._answers, "rb", closefd=False) as stdout,
        ):
            answer = _ask(stdin, stdout, request)
        if answer is None:
            _, status = os.waitpid(self._pid, 0)
            self._pid = 0
            raise WorkerError(_reason(self._log, os.waitstatus_to_exitcode(status)))
        return answer

    def kill(self) -> None:
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)

    def close(self) -> None:
        self.kill()
        if self._pid:
            os.waitpid(self._pid, 0)
        os.close(self._requests)
        os.close(self._answers)
        self._log.close()


class WorkerPool:
    """Workers that wait for work. Threads share it, processes do not."""

    def __init__(self):
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._pid = os.getpid()
        self._start: Callable[[], Worker] = SpawnedWorker

    def use_forks(self) -> None:
        """Makes workers from now on copies of this process, see `ForkedWorker`."""
        self._start = ForkedWorker

    def prepare(self) -> None:
        """Starts a worker if none waits, so that it is warm when it is needed."""
        with self._lock:
            self._forget_after_fork()
            if not self._idle:
                self._idle.append(self._start())

    def call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of a worker to a request."""
        with self._lock:
            self._forget_after_fork()
            worker = self._idle.pop() if self._idle else None
        worker = worker or self._start()
        try:
            answer = worker.call(request)
        except BaseException:
            worker.close()
            raise
        with self._lock:
            if len(self._idle) < MAX_IDLE:
                self._idle.append(worker)
                return answer
        worker.close()
        return answer

    def idle_pids(self) -> tuple[int, ...]:
        """The processes of workers that wait."""
        with self._lock:
            self._forget_after_fork()
            return tuple(worker.pid for worker in self._idle)

    def close(self) -> None:
        """Ends the workers that wait."""
        for worker in self._take_idle():
            worker.close()

    def kill(self) -> None:
        """The same for a process that ends itself: it takes a while to take a worker apart."""
        for worker in self._take_idle():
            worker.kill()

    def _take_idle(self) -> list[Worker]:
        with self._lock:
            self._forget_after_fork()
            workers, self._idle = self._idle, []
        return workers

    def _forget_after_fork(self) -> None:
        """A process that was forked off must not talk to the workers of its parent."""
        if self._pid != os.getpid():
            self._pid, self._idle = os.getpid(), []


POOL: Final = WorkerPool()
atexit.register(POOL.close)


def prepare() -> None:
    """Starts a worker if none waits; returns at once."""
    POOL.prepare()


def warm_up() -> None:
    """
    Has a worker generate code for a small kernel and wait for the next, so that what LLVM sets up
    when it is first used is there, and the memory of a process that was forked its own.
    """
    compile_to_ptx(_SAMPLE, NvptxTarget.parse("sm_90"))


def generate_sample() -> None:
    """The same in this process."""
    generate(_SAMPLE, NvptxTarget.parse("sm_90"))


def compile_to_ptx(source: str, target: NvptxTarget, level: int = 3) -> Generated:
    """The same as `nvptx.compile_to_ptx`, and survives whatever LLVM does."""
    try:
        folder = os.getcwd()
    except OSError:
        folder = None
    # What files are looked for by.
    surroundings = {"environment": dict(os.environ), "folder": folder, "path": sys.path}
    request = {
        "source": source,
        "target": target.cpu,
        "ptx_version": target.ptx_version,
        "level": level,
        "surroundings": surroundings,
    }
    try:
        answer = POOL.call(request)
    except WorkerError as error:
        raise BackendError(f"LLVM cannot generate code for {target}: {error}") from None
    if "error" in answer:
        raise BackendError(answer["error"])
    return Generated(answer["ptx"], answer["seconds"])


def _move_to(surroundings: Mapping[str, Any]) -> None:
    """Makes surroundings those of this process: environment, current folder, packages."""
    os.environ.clear()
    os.environ.update(surroundings["environment"])
    if surroundings["folder"] is not None:
        # One that is gone by now has no files either.
        with suppress(OSError):
            os.chdir(surroundings["folder"])
    sys.path[:] = surroundings["path"]


def _ask(stdin: IO[bytes], stdout: IO[bytes], request: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer to a request, `None` if the worker ends instead."""
    try:
        write_message(stdin, json.dumps(request).encode())
        return _read(stdout)
    except BrokenPipeError:
        return None


def _reason(stream: IO[bytes], code: int) -> str:
    """What LLVM said last, without its stack traces."""
    stream.seek(0)
    log = stream.read().decode(errors="replace")
    if (match := _FATAL.search(log)) is not None:
        return str(match[1] or match[2])
    lines = [line for line in log.splitlines() if line.strip()]
    ended = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
    return f"{lines[-1]} ({ended})" if lines else ended


def _read(stream: IO[bytes]) -> dict[str, Any] | None:
    """The next message, `None` at the end of the stream."""
    data = read_message(stream)
    return None if data is None else json.loads(data)


def serve(requests: IO[bytes] | None = None) -> None:
    """
    Answers requests, by default from standard input, until they end; this is what a worker runs.
    """
    from tileiras_xdsl.backend import llvmlite_binding as llvm

    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    # What anyone prints must not get between answers.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        llvm.create_target_machine(llvm.ANY_TARGET, 1)
        while (request := _read(requests or sys.stdin.buffer)) is not None:
            try:
                _move_to(request["surroundings"])
                generated = generate(
                    request["source"],
                    NvptxTarget.parse(request["target"], request["ptx_version"]),
                    request["level"],
                )
                answer = asdict(generated)
            except BackendError as error:
                answer = {"error": str(error)}
            write_message(answers, json.dumps(answer).encode())


def _end_with(parent: int) -> None:
    """Ends this process after its parent, which may have been killed while LLVM was busy here."""
    while os.getppid() == parent:
        sleep(1)
    os._exit(1)


def generate(source: str, target: NvptxTarget, level: int = 3) -> Generated:
    """PTX in this process, which LLVM may end."""
    from tileiras_xdsl.backend import nvptx

    start = perf_counter()
    compilation = nvptx.parse(source, target)
    parsed = perf_counter()
    nvptx.optimize(compilation, level)
    optimized = perf_counter()
    ptx = nvptx.emit(compilation, level)
    emitted = perf_counter()
    seconds = {
        "llvm-parse": parsed - start,
        "llvm-optimize": optimized - parsed,
        "llvm-codegen": emitted - optimized,
    }
    return Generated(ptx, seconds)
