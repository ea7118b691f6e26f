"""
Processes of this machine as an executor of `concurrent.futures`.

Python's own process pool imports the main script again in every process, which runs scripts that
have no `if __name__ == "__main__"` once more, and all that waits is lost when a process dies. Here
a process is an interpreter that imports the compiler and nothing else, and one that dies fails the
call that it was busy with: the next call gets a new process.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from typing import Any, ParamSpec, TypeVar, cast

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.backend.errors import interpreter_command, read_message, write_message

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class LostProcessError(DiagnosticException):
    """A process that died, by a signal or for want of memory, before it had answered."""


class _Process:
    """An interpreter that makes one call after the other."""

    def __init__(self):
        self._process = subprocess.Popen(
            interpreter_command(__name__, serve.__name__),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # An interrupt from the keyboard is for this process only, which ends the others.
            start_new_session=True,
        )

    def call(self, request: bytes) -> Any:
        """The result of a pickled call, or the exception that it raised."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with suppress(BrokenPipeError):
            write_message(stdin, request)
        answer = read_message(stdout)
        if answer is None:
            code = self._process.wait()
            ended = f"by signal {-code}" if code < 0 else f"with exit code {code}"
            raise LostProcessError(f"the process ended {ended} before it had a result")
        return pickle.loads(answer)

    def kill(self) -> None:
        """Ends the process; a thread that waits for its answer gets an error."""
        self._process.kill()

    def close(self) -> None:
        """Ends the process, for which nobody waits."""
        self._process.kill()
        self._process.communicate()


class LocalProcesses(Executor):
    """This many processes of this machine: one for each core by default, and no more than calls."""

    def __init__(self, jobs: int | None = None, *, at_most: int | None = None):
        number = jobs or core_count()
        self.jobs = max(1, number if at_most is None else min(number, at_most))
        self._threads = ThreadPoolExecutor(self.jobs, "tileiras-xdsl")
        self._lock = threading.Lock()
        self._is_closed = False
        # All at once: they import the compiler while this process still prepares the calls.
        self._idle = [_Process() for _ in range(self.jobs)]
        self._busy: set[_Process] = set()

    def submit(
        self,
        fn: Callable[Parameters, Result],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Future[Result]:
        """Makes a call in one of the processes; function and arguments are pickled."""
        request = pickle.dumps((fn, args, kwargs))
        return self._threads.submit(self._call, request)

    def _call(self, request: bytes) -> Any:
        process = self._take()
        try:
            is_result, value = process.call(request)
        except BaseException:
            self._drop(process)
            raise
        with self._lock:
            self._busy.discard(process)
            is_kept = not self._is_closed
            if is_kept:
                self._idle.append(process)
        if not is_kept:
            process.close()
        if not is_result:
            raise cast(BaseException, value)
        return value

    def _take(self) -> _Process:
        with self._lock:
            if self._is_closed:
                raise LostProcessError("the executor was shut down")
            process = self._idle.pop() if self._idle else _Process()
            self._busy.add(process)
            return process

    def _drop(self, process: _Process) -> None:
        with self._lock:
            self._busy.discard(process)
        process.close()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the processes; what they are busy with only if nobody waits for it."""
        if wait:
            self._threads.shutdown(wait=True, cancel_futures=cancel_futures)
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
            for process in self._busy:
                process.kill()
        for process in idle:
            process.close()
        if not wait:
            self._threads.shutdown(wait=False, cancel_futures=cancel_futures)


def core_count() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def serve() -> None:
    """Makes the calls that come on standard input, until it ends; this is what a process runs."""
    # What anyone prints must not get between answers.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        import_compiler()
        while (request := read_message(sys.stdin.buffer)) is not None:
            try:
                function, arguments, keywords = pickle.loads(request)
                answer = pickle.dumps((True, function(*arguments, **keywords)))
            except Exception as error:
                # Whoever made the call gets what it raised.
                answer = _pickle_error(error)
            write_message(answers, answer)


def import_compiler() -> None:
    """Imports what compilations need, for processes that run many of them."""
    for name in ("nvptx", "ptxas", "entries", "translate", "worker"):
        import_module(f"tileiras_xdsl.backend.{name}")

    from tileiras_xdsl.pipeline import PIPELINE, make_pass

    from .options import Options

    options = Options("sm_90")
    for step in PIPELINE:
        make_pass(step, options.arch, options.abi)


def _pickle_error(error: Exception) -> bytes:
    """An exception; of one that cannot be pickled, what it says."""
    try:
        data = pickle.dumps((False, error))
        pickle.loads(data)
    except Exception:
        # Pickling runs the code of the exception's class.
        text = f"{type(error).__name__}: {error}"
        return pickle.dumps((False, LostProcessError(text)))
    return data
