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
from _socket import CMSG_SPACE, MSG_CMSG_CLOEXEC, socket
from collections.abc import Callable, Iterator
from typing import Final, NoReturn

from tileiras_xdsl.driver.service.request import (
    EXITED,
    STARTED,
    Request,
    may_go,
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
READY: Final = b"r"
"""What a spare process says when it waits for a client."""
CLIENT: Final = b"c"
"""What comes with the client of a spare process."""

_POPULATE_WRITE: Final = 23
"""`MADV_POPULATE_WRITE` of Linux 5.14."""


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


def wait_for_job(server: socket, identity: str) -> NoReturn:
    """
    Prepares this process for a command that is yet to come, and runs it: starts the worker for LLVM
    and has it compile something, then takes a copy of all memory.
    """
    from tileiras_xdsl.backend import worker
    from tileiras_xdsl.driver.tools.tileiras_xdsl import finish

    worker.POOL.use_forks()
    worker.warm_up()
    unshare_memory()
    try:
        server.send(READY)
        connection = _receive_client(server)
    except OSError:
        connection = None
    if connection is None:
        finish()
        os._exit(0)
    run_job(connection, server, identity)


def _receive_client(server: socket) -> socket | None:
    """The client that the server sends; none if that ends."""
    data, rights, _, _ = server.recvmsg(len(CLIENT), CMSG_SPACE(4), MSG_CMSG_CLOEXEC)
    if not data or not rights:
        return None
    return socket(fileno=int.from_bytes(rights[0][2], sys.byteorder))


def unshare_memory() -> None:
    """
    Gives this process a copy of its own of the pages that it shares with the one that forked it. A
    process that writes to them one after the other is interrupted for each. Where the system cannot
    do that all at once, nothing happens.
    """
    import ctypes

    libc = ctypes.CDLL(None)
    for start, size in private_mappings():
        if libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), _POPULATE_WRITE) != 0:
            return


def private_mappings() -> Iterator[tuple[int, int]]:
    """Addresses and sizes of memory that is this process's to write, and that is mostly in use."""
    start = size = 0
    with open("/proc/self/smaps", "rb") as file:
        for line in file:
            name, *values = line.split()
            if not name.endswith(b":"):
                first, last = (int(number, 16) for number in name.split(b"-"))
                is_own = values[0].startswith(b"rw") and values[0].endswith(b"p")
                start, size = first, last - first if is_own else 0
            elif name == b"Anonymous:" and 2 * 1024 * int(values[0]) >= size > 0:
                yield start, size


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
    if not may_go(connection):
        os._exit(1)
    from tileiras_xdsl.driver.tools.tileiras_xdsl import clean_up_when_terminated, finish

    # So does the server end what runs for a client that is gone.
    clean_up_when_terminated()
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
    from tileiras_xdsl.driver.tools.tileiras_xdsl import main

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
    Makes the limits of the client those of this process and of workers that it has started: umask,
    priority, CPUs and resources. What the system does not allow, which is more than the server has,
    stays as it is.
    """
    from tileiras_xdsl.backend import worker

    os.umask(int(limits.pop("umask")))
    nice = int(limits.pop("nice"))
    cpus = {int(number) for number in limits.pop("cpus").split(",")}
    for pid in (0, *worker.POOL.idle_pids()):
        _attempt(lambda pid=pid: os.setpriority(os.PRIO_PROCESS, pid, nice))
        _attempt(lambda pid=pid: os.sched_setaffinity(pid, cpus))
        for name, value in limits.items():
            soft, hard = map(int, value.split(","))
            number = getattr(resource, f"RLIMIT_{name}")
            if resource.prlimit(pid, number) != (soft, hard):
                pair = (soft, hard)
                _attempt(lambda pid=pid, n=number, pair=pair: resource.prlimit(pid, n, pair))


def _attempt(change: Callable[[], object]) -> None:
    try:
        change()
    except (OSError, ValueError):
        return
