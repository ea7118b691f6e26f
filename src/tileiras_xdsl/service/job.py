"""
What a process that the server has forked does: it becomes the twin of a client, runs its command
line, and answers with the exit code.
"""

from __future__ import annotations

import io
import os
import resource
import select
import sys
import tempfile
from _socket import socket
from collections.abc import Callable
from typing import Final, NoReturn

from tileiras_xdsl.service.request import (
    EXITED,
    STARTED,
    Request,
    receive_request,
    send_answer,
)

MAX_WAIT: Final = 10.0
"""
Seconds that a job waits for a CPU before it goes on without. Jobs may wait for each other, as in
`tileiras-xdsl … | while read line; do tileiras-xdsl …; done`.
"""
WAIT: Final = b"w"
GRANT: Final = b"g"


class CpuSlot:
    """
    One of the server's CPU slots, of which there are as many as CPUs.

    A job waits for a slot after it has read its input, and gives it back before it writes its
    output: other jobs may be at the ends of its pipes.
    """

    def __init__(self, server: socket):
        self._server = server

    def acquire(self) -> None:
        """Waits until a slot is free."""
        try:
            self._server.send(WAIT)
        except OSError:
            return
        select.select([self._server.fileno()], [], [], MAX_WAIT)

    def release(self) -> None:
        """Gives the slot back; the server notices that the socket is closed."""
        self._server.close()


def run_job(connection: socket, server: socket, identity: str) -> NoReturn:
    """Runs the request of a client and ends the process."""
    connection.settimeout(MAX_WAIT)
    received = receive_request(connection)
    connection.settimeout(None)
    if received is None or received[0].identity != identity:
        os._exit(1)
    request, fds = received
    os.setpgid(0, 0)
    take_over(request, fds)
    send_answer(connection, STARTED, os.getpid())
    from tileiras_xdsl.tools.tileiras_xdsl import finish

    code = 1
    try:
        code = _run(CpuSlot(server))
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    finally:
        finish()
        send_answer(connection, EXITED, code)
        os._exit(code)


def _run(slot: CpuSlot) -> int:
    from tileiras_xdsl.backend import worker
    from tileiras_xdsl.tools.tileiras_xdsl import main

    worker.POOL.use_forks()
    return main(owns_process=True, cpu_slot=slot)


def take_over(request: Request, fds: list[int]) -> None:
    """Gives this process the surroundings of the client."""
    sys.argv[:] = request.arguments
    os.environ.clear()
    for entry in request.environment:
        name, _, value = entry.partition("=")
        os.environ[name] = value
    # Where temporary files go is found out once, by the environment.
    tempfile.tempdir = None
    folder = fds[0]
    os.fchdir(folder)
    os.close(folder)
    _take_fds(dict(zip(request.fds[1:], fds[1:], strict=True)))
    _open_streams()
    apply_limits(dict(entry.split("=", 1) for entry in request.limits))


def _take_fds(by_number: dict[int, int]) -> None:
    """Moves file descriptors to the numbers that they have in the client."""
    # First out of the way of each other.
    above = max(*by_number, 2) + 1 if by_number else 3
    moved: dict[int, int] = {}
    for number, fd in by_number.items():
        moved[number] = _duplicate(fd, above)
        os.close(fd)
    for number in (0, 1, 2):
        if number not in moved:
            os.close(number)
    for number, fd in moved.items():
        os.dup2(fd, number, inheritable=True)
        os.close(fd)


def _duplicate(fd: int, at_least: int) -> int:
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, at_least)


def _open_streams() -> None:
    """The standard streams of Python, as the interpreter would have opened them."""
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        stream = _open_stream(fd, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _open_stream(fd: int, like: io.TextIOWrapper) -> io.TextIOWrapper | None:
    """A text stream with the encoding of the one that the server had in its place."""
    try:
        is_terminal = os.isatty(fd)
        buffer = open(fd, "wb" if fd else "rb", closefd=False)
    except OSError:
        return None
    return io.TextIOWrapper(
        buffer,
        encoding=like.encoding,
        errors=like.errors,
        line_buffering=fd == 2 or is_terminal,
        write_through=like.write_through,
    )


def apply_limits(limits: dict[str, str]) -> None:
    """
    Makes the limits of the client those of this process: umask, priority, CPUs and resources. What
    the system does not allow, which is more than the server has, stays as it is.
    """
    os.umask(int(limits.pop("umask")))
    nice = int(limits.pop("nice")) - os.getpriority(os.PRIO_PROCESS, 0)
    cpus = {int(number) for number in limits.pop("cpus").split(",")}
    for change in (lambda: os.nice(nice), lambda: os.sched_setaffinity(0, cpus)):
        _attempt(change)
    for name, value in limits.items():
        soft, hard = map(int, value.split(","))
        number = getattr(resource, f"RLIMIT_{name}")
        if resource.getrlimit(number) != (soft, hard):
            _attempt(lambda number=number, pair=(soft, hard): resource.setrlimit(number, pair))


def _attempt(change: Callable[[], object]) -> None:
    try:
        change()
    except (OSError, ValueError):
        return
