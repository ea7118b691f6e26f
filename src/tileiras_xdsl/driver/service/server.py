"""
The compile server: has everything imported and forks a process for every command.

    accept → is it the same user, are our files unchanged? → spare process, or fork → `job.run_job`

The server itself runs no command, so what a command does to its process, such as a crash of LLVM or
running out of memory, ends with that process. It is single-threaded, because it forks.

A process that has just been forked shares its memory with the server, and the system copies a page
when either writes to it, which is a tenth of what a command takes. So a server that has little to
do forks one process in advance, see `job.wait_for_job`; the next command to come is its.

It ends when it had nothing to do for some minutes (`TILEIRAS_XDSL_SERVER_IDLE`, in seconds), when a
file that it has imported or a file of the package changes, when its socket is replaced, and by
SIGTERM, which `tileiras-xdsl --server stop` sends. Commands that it runs are finished before. Its
standard streams are the log: what is in there, Python or LLVM have said when they failed.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tileiras_xdsl.driver.service import control, endpoint
from tileiras_xdsl.driver.service.job import CLIENT, GRANT, run_job, wait_for_job
from tileiras_xdsl.driver.service.request import EXITED, KILLED, send_answer

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tileiras_xdsl.pipeline import PipelinePass

IDLE_VARIABLE: Final = "TILEIRAS_XDSL_SERVER_IDLE"
IDLE_SECONDS: Final = 15 * 60.0
LOCK_FD: Final = 3
"""Where the client that starts the server puts the lock."""
CHECK_SECONDS: Final = 30.0
"""How often an idle server looks whether its socket and its files are still there."""

SPARE_SECONDS: Final = 0.02
"""After so long without anything to handle, a server makes a spare process."""
CPUS_FOR_ONE: Final = 4
"""A server with this many CPUs for each command that runs makes a spare process meanwhile."""
MAX_LOST_SPARES: Final = 3
"""When this many have ended by themselves, the server makes no more."""

GRACE_SECONDS: Final = 2.0
"""How long a command whose client is gone may take to remove its files."""

WARM_UP_ROUNDS: Final = 2

_BACKLOG: Final = 4096
_PACKAGE: Final = Path(__file__).parents[2]
_HANDLED: Final = (signal.SIGCHLD, signal.SIGTERM)
"""Signals that have handlers of the server."""
_HANGUP: Final = select.POLLRDHUP | select.POLLHUP | select.POLLERR


class FileWatch:
    """
    Notices when files that the compiler consists of change; those that do so after `since`, in
    nanoseconds, but before it looks, count as changed: what was imported may be what they were.
    """

    def __init__(self, since: int):
        self._since = since
        self._modules = len(sys.modules)
        self._seen = self._look()

    def extend(self) -> None:
        """Looks at the modules that have been imported since as well."""
        if len(sys.modules) != self._modules:
            self._modules = len(sys.modules)
            self._seen = self._look() | self._seen

    def has_changed(self) -> bool:
        """Whether any file differs from when it was first looked at."""
        return any(_stamp(path) != stamp for path, stamp in self._seen.items())

    def _look(self) -> dict[str, tuple[int, ...] | None]:
        files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
        paths = {path for path in files if isinstance(path, str)}
        # What is in there comes and goes when modules are compiled.
        paths |= {
            str(path)
            for path in (_PACKAGE, *_PACKAGE.rglob("*"))
            if "__pycache__" not in path.relative_to(_PACKAGE).parts
        }
        paths |= {sys.executable, os.path.join(sys.prefix, "pyvenv.cfg")}
        return {path: _stamp(path, self._since) for path in paths}


def _stamp(path: str, since: int | None = None) -> tuple[int, ...] | None:
    """What a file is known by; `None`, which no file is, if it is gone or was changed since."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    if status.st_mode & 0o040000:
        # The modules of a folder that is installed are compiled into it later.
        return (status.st_ino,)
    if since is not None and status.st_ctime_ns > since:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def started_at() -> int:
    """When this process was started, in nanoseconds since the epoch; not later than that."""
    with open("/proc/self/stat", "rb") as file:
        ticks = int(file.read().rpartition(b")")[2].split()[19])
    boot = time.time_ns() - time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    return boot + ticks * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass
class Child:
    """A process that runs the command of a client."""

    pid: int
    client: socket.socket
    control: socket.socket
    """Over which it asks for a CPU slot; closed when it needs none any more."""
    has_slot: bool = False
    kill_at: float = inf
    """When it is killed, if it was told to end."""


@dataclass
class Spare:
    """A process that waits for a command."""

    pid: int
    control: socket.socket
    """Over which it says that it is ready, and gets a client; then it is that of a `Child`."""
    is_ready: bool = False


class Server:
    """Accepts commands at a socket and forks a process for each."""

    def __init__(self, path: str, identity: str, idle_seconds: float):
        self.path = path
        self.identity = identity
        self.idle_seconds = idle_seconds
        self.listener: socket.socket | None = bind(path)
        self.inode = os.stat(path).st_ino
        self.poll = select.poll()
        self.poll.register(self.listener, select.POLLIN)
        self.wake, wake = socket.socketpair()
        for end in (self.wake, wake):
            end.setblocking(False)
        self._wake_end = wake
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.signal(signal.SIGTERM, lambda number, frame: self.retire())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.poll.register(self.wake, select.POLLIN)
        self.children: dict[int, Child] = {}
        self.by_fd: dict[int, Child] = {}
        self.waiting: deque[Child] = deque()
        self.slots = self.free_slots = len(os.sched_getaffinity(0))
        self.watch: FileWatch | None = None
        self.done = 0
        self.last_use = time.monotonic()
        self.spare: Spare | None = None
        self.lost_spares = 0

    def serve(self, warm_up: Iterator[None]) -> None:
        """Runs until there is a reason to end. Between requests the server warms up."""
        self.watch = FileWatch(started_at())
        is_warm = False
        while self.listener is not None or self.children:
            timeout = CHECK_SECONDS
            if not self.children:
                until_idle = self.last_use + self.idle_seconds - time.monotonic()
                timeout = min(timeout, max(0.01, until_idle)) if is_warm else 0.0
            if is_warm and self._wants_spare():
                timeout = min(timeout, SPARE_SECONDS)
            for child in self.children.values():
                timeout = min(timeout, max(0.0, child.kill_at - time.monotonic()))
            if not self.attend(timeout) and is_warm and self._wants_spare():
                self._make_spare()
            self._kill_overdue()
            if self.children or self.listener is None:
                continue
            if not is_warm:
                is_warm = next(warm_up, self) is self
                self.watch.extend()
            if time.monotonic() - self.last_use >= self.idle_seconds or not self._owns_socket():
                self.retire()

    def attend(self, seconds: float = 0.0) -> bool:
        """
        Handles what there is to handle, or comes in some seconds; whether there was anything. To be
        called now and then by whatever takes long.
        """
        events = self.poll.poll(seconds * 1000)
        for fd, event in events:
            if self._handle(fd, event):
                self.last_use = time.monotonic()
        return bool(events)

    def retire(self) -> None:
        """Accepts no more commands. The next client finds no socket and starts another server."""
        if self.listener is None:
            return
        with suppress(OSError):
            if self._owns_socket():
                os.unlink(self.path)
        with suppress(KeyError):
            self.poll.unregister(self.listener)
        self.listener.close()
        self.listener = None
        self._forget_spare()

    def _owns_socket(self) -> bool:
        try:
            return os.stat(self.path).st_ino == self.inode
        except OSError:
            return False

    def _handle(self, fd: int, events: int) -> bool:
        """Does what there is to do; whether that has to do with a command."""
        if fd == self.wake.fileno():
            with suppress(BlockingIOError):
                self.wake.recv(4096)
            return self._reap()
        if self.spare is not None and fd == self.spare.control.fileno():
            self._handle_spare(self.spare)
            return False
        if self.listener is not None and fd == self.listener.fileno():
            self._accept()
        elif (child := self.by_fd.get(fd)) is None:
            return False
        elif fd == child.control.fileno():
            self._handle_control(child)
        elif events & _HANGUP:
            # The client was killed, or it ended as soon as it was answered.
            self._forget_client(child)
            child.kill_at = time.monotonic() + GRACE_SECONDS
            with suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGTERM)
        return True

    def _kill_overdue(self) -> None:
        """Ends children that should have ended by themselves, with what they have started."""
        now = time.monotonic()
        for child in self.children.values():
            if child.kill_at <= now:
                child.kill_at = inf
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)

    def _accept(self) -> None:
        assert self.listener is not None
        assert self.watch is not None
        try:
            client, _ = self.listener.accept()
        except OSError:
            return
        if not endpoint.is_own_peer(client):
            client.close()
        elif self.watch.has_changed():
            client.close()
            self.retire()
        elif (found := self._use_spare(client) or self._fork(client)) is None:
            # The client does without.
            client.close()
        else:
            pid, control = found
            child = Child(pid, client, control)
            self.children[pid] = child
            self._write_state()
            self.by_fd[client.fileno()] = self.by_fd[control.fileno()] = child
            self.poll.register(client, _HANGUP)
            self.poll.register(control, select.POLLIN)

    def _fork(self, client: socket.socket | None) -> tuple[int, socket.socket] | None:
        """
        A process that runs the command of a client, or of one that it will be sent, and the socket
        that it has the other end of; none if there can be no process.
        """
        control, end = socket.socketpair()
        # A child that is told to end before it has handlers of its own must not end the server.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
        try:
            pid = os.fork()
            if pid != 0:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        except OSError:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            control.close()
            end.close()
            return None
        if pid == 0:
            try:
                self._forget_in_child()
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                control.close()
                if client is None:
                    wait_for_job(end, self.identity)
                else:
                    run_job(client, end, self.identity)
            finally:
                os._exit(1)
        end.close()
        with suppress(OSError):
            os.setpgid(pid, pid)
        return pid, control

    def _wants_spare(self) -> bool:
        """
        Whether to make a spare process: not if it would take CPU time from commands, which have
        LLVM and ptxas beside them.
        """
        return (
            self.spare is None
            and self.listener is not None
            and self.lost_spares < MAX_LOST_SPARES
            and CPUS_FOR_ONE * len(self.children) <= self.slots
        )

    def _make_spare(self) -> None:
        if (forked := self._fork(None)) is None:
            self.lost_spares += 1
            return
        self.spare = Spare(*forked)
        self.poll.register(self.spare.control, select.POLLIN)

    def _handle_spare(self, spare: Spare) -> None:
        try:
            spare.is_ready = bool(spare.control.recv(16, socket.MSG_DONTWAIT))
        except BlockingIOError:
            return
        except OSError:
            spare.is_ready = False
        if not spare.is_ready:
            self.lost_spares += 1
            self._forget_spare()

    def _use_spare(self, client: socket.socket) -> tuple[int, socket.socket] | None:
        """Sends a client to the spare process, if there is one that is ready."""
        spare = self.spare
        if spare is None or not spare.is_ready:
            return None
        try:
            socket.send_fds(spare.control, [CLIENT], [client.fileno()], socket.MSG_NOSIGNAL)
        except OSError:
            self._forget_spare()
            return None
        self.poll.unregister(spare.control)
        self.spare = None
        return spare.pid, spare.control

    def _forget_spare(self) -> None:
        """Lets the spare process end, which notices that the socket is closed."""
        if self.spare is not None:
            self.poll.unregister(self.spare.control)
            self.spare.control.close()
            self.spare = None

    def _forget_in_child(self) -> None:
        """Takes signal handlers and sockets of the server from a process that it has forked."""
        signal.set_wakeup_fd(-1)
        for number in _HANDLED:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for each in (self.listener, self.wake, self._wake_end):
            if each is not None:
                each.close()
        for child in self.children.values():
            child.client.close()
            child.control.close()
        if self.spare is not None:
            self.spare.control.close()
        with suppress(OSError):
            os.close(LOCK_FD)

    def _handle_control(self, child: Child) -> None:
        try:
            asks = bool(child.control.recv(16, socket.MSG_DONTWAIT))
        except BlockingIOError:
            return
        except OSError:
            asks = False
        if asks:
            self.waiting.append(child)
        else:
            self._release(child)
        self._grant()

    def _release(self, child: Child) -> None:
        """Frees what a child has of CPU slots."""
        if child.control.fileno() < 0:
            return
        self.poll.unregister(child.control)
        del self.by_fd[child.control.fileno()]
        child.control.close()
        self.free_slots += child.has_slot
        child.has_slot = False

    def _grant(self) -> None:
        """Hands free slots to those that have waited longest."""
        while self.free_slots > 0 and self.waiting:
            child = self.waiting.popleft()
            if child.control.fileno() < 0:
                continue
            self.free_slots -= 1
            child.has_slot = True
            with suppress(OSError):
                child.control.send(GRANT, socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT)

    def _reap(self) -> bool:
        """
        Answers for the children that have ended; most have done so themselves. Whether there were
        any, other than spare processes.
        """
        found = False
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return found
            if pid == 0:
                return found
            if (child := self.children.pop(pid, None)) is None:
                continue
            found = True
            self.done += 1
            self._write_state()
            self._release(child)
            # What it had started ends with it.
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(status)
            if child.client.fileno() >= 0:
                kind, number = (EXITED, code) if code >= 0 else (KILLED, -code)
                send_answer(child.client, kind, number)
                self._forget_client(child)
            self._grant()

    def _write_state(self) -> None:
        # A full disk is no reason to end.
        with suppress(OSError):
            control.write_state(LOCK_FD, len(self.children), self.done)

    def _forget_client(self, child: Child) -> None:
        self.poll.unregister(child.client)
        del self.by_fd[child.client.fileno()]
        child.client.close()


def bind(path: str) -> socket.socket:
    """A socket that listens at a path, in the place of one that a dead server left there."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    temporary = f"{path}.new"
    with suppress(FileNotFoundError):
        os.unlink(temporary)
    listener.bind(temporary)
    listener.listen(_BACKLOG)
    listener.setblocking(False)
    os.rename(temporary, path)
    return listener


def import_command() -> None:
    """Imports all that a command may need."""
    from importlib import import_module

    from tileiras_xdsl.driver.compiler.processes import import_compiler

    import_compiler()
    for name in (
        "driver.tools.tileiras_xdsl",
        "driver.compiler.compiled",
        "xdsl_extras.aliases",
        "xdsl_extras.diagnostics",
    ):
        import_module(f"tileiras_xdsl.{name}")
    from tileiras_xdsl.driver.compiler.cache import fingerprint
    from tileiras_xdsl.driver.tools.tileiras_xdsl import make_parser

    # Both stay as they are as long as no file changes.
    fingerprint()
    make_parser()


def warm_up(attend: Callable[[], object]) -> Iterator[None]:
    """
    Compiles kernels, a step at a time, so that what is computed once is computed and Python has
    specialized its bytecode, and lets the garbage collector leave alone what is there then. The
    demos go one way through the compiler, what is in `kernels` the way of WGMMA and TMA. LLVM comes
    first: a command that does not find it in memory would load it.

    Steps take up to some hundred milliseconds, so `attend` is called within them: a process may be
    forked at any of these places.
    """
    from importlib.resources import files

    from tileiras_xdsl.backend import nvptx, worker
    from tileiras_xdsl.driver.compiler.compilation import Compilation
    from tileiras_xdsl.driver.compiler.options import Options
    from tileiras_xdsl.frontend.load import Program
    from tileiras_xdsl.pipeline import MODULE_STAGES

    driver = files("tileiras_xdsl.driver")
    folders = (driver.joinpath("demos"), driver.joinpath("service", "kernels"))
    kernels = [
        path
        for folder in folders
        for path in sorted(folder.iterdir(), key=lambda path: path.name)
        if path.name.endswith(".tileirbc")
    ]

    def after_pass(step: PipelinePass | None, module: ModuleOp) -> None:
        attend()

    options = Options("sm_90")
    worker.generate_sample()
    yield
    for number, path in enumerate(WARM_UP_ROUNDS * kernels):
        compilation = Compilation(
            Program.of(path.read_bytes()),
            options,
            isolate=False,
            after_pass=after_pass,
        )
        for stage in MODULE_STAGES:
            compilation.lower(stage)
            yield
        llvm_ir = compilation.translate()
        yield
        if number >= len(kernels):
            # Only Python gets faster the second time.
            continue
        generated = nvptx.parse(llvm_ir, options.target)
        yield
        nvptx.optimize(generated, options.opt)
        yield
        nvptx.emit(generated, options.opt)
        yield
    gc.collect()
    gc.freeze()


def main() -> None:
    """Runs the server at the address on the command line."""
    (path,) = sys.argv[1:]
    identity = endpoint.identity(os.environ)
    gc.disable()
    # A process with threads cannot be forked safely, and compilations do no linear algebra.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    server = Server(path, identity, float(os.environ.get(IDLE_VARIABLE) or IDLE_SECONDS))
    control.remove_leftovers(os.path.dirname(path))
    import_command()
    server.serve(warm_up(server.attend))
    control.remove_files(path)
