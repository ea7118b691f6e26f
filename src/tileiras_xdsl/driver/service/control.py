"""
`tileiras-xdsl --server start`, `status` and `stop`, for the servers of this environment: those that
this interpreter runs with this package.

A server keeps a lock as long as it lives, and writes into the file of that lock what `State` has.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tileiras_xdsl.driver.service import endpoint
from tileiras_xdsl.xdsl_extras.usage import UsageError


@dataclass(frozen=True)
class State:
    """A server and what it does."""

    path: Path
    """Its socket."""
    pid: int
    since: float
    """Seconds since the epoch."""
    running: int
    """Jobs; a job is one command."""
    done: int
    environment: str

    def __str__(self) -> str:
        log = Path(f"{self.path}.log")
        size = log.stat().st_size if log.exists() else 0
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.since))
        processes = _processes(self.pid)
        memory = sum(map(_memory, processes)) >> 20
        plural = "es" if len(processes) != 1 else ""
        return "\n".join(
            (
                f"server {self.pid}, since {since}",
                f"  jobs    {self.running} running, {self.done} done",
                f"  memory  {memory} MiB in {len(processes)} process{plural}",
                f"  socket  {self.path}",
                f"  log     {log} ({size} bytes)",
            )
        )


def write_state(lock: int, running: int, done: int) -> None:
    """Writes how many jobs a server has into its lock, whose first line has room for it."""
    os.pwrite(lock, f"{running:>9} {done:>9}\n".encode(), 0)


def status() -> str:
    """What `--server status` prints."""
    with _servers() as servers:
        return "\n".join(map(str, servers)) or "no server runs for this environment"


def start() -> str:
    """
    Starts the server that commands in these surroundings ask, if there is none, and waits for it;
    returns its address and what it is known by, for clients that are not this command.
    """
    if not endpoint.is_enabled():
        raise UsageError("there can be no compile server here")
    own = endpoint.identity(os.environ)
    try:
        path = endpoint.socket_path(endpoint.folder(), own)
        connection = endpoint.wait_for(path)
    except (OSError, endpoint.EndpointError) as error:
        raise UsageError(f"the compile server cannot be started: {error}") from None
    if connection is None:
        raise UsageError("the compile server did not start")
    connection.close()
    return f"{path}\n{own}"


def stop() -> str:
    """Ends the servers of this environment, when the commands that they run are done."""
    with _servers() as servers:
        import fcntl

        for server in servers:
            with suppress(FileNotFoundError), open(f"{server.path}.lock", "rb") as lock:
                with suppress(ProcessLookupError):
                    os.kill(server.pid, 15)
                fcntl.flock(lock, fcntl.LOCK_EX)
    return f"{len(servers) or 'no'} server{'s' if len(servers) != 1 else ''} stopped"


def remove_files(path: str | Path) -> None:
    """Removes what a server that ends, or has ended, leaves; a log only if nothing is in it."""
    log = Path(f"{path}.log")
    with suppress(OSError):
        if not log.stat().st_size:
            log.unlink()
    for name in (f"{path}.new", str(path), f"{path}.lock"):
        with suppress(FileNotFoundError):
            os.unlink(name)


def remove_leftovers(parent: str) -> None:
    """Removes the files of servers that were killed."""
    import fcntl

    for path in Path(parent).glob("*.lock"):
        with suppress(OSError), open(path, "rb") as lock:
            # That of a server that lives is not to be had.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_files(path.with_suffix(""))


@contextmanager
def _servers() -> Generator[list[State]]:
    """The servers of this environment that live."""
    if sys.platform != "linux":
        raise UsageError("compile servers need Linux: each command compiles by itself here")
    try:
        parent = endpoint.folder()
        remove_leftovers(parent)
        found = (_read(path) for path in sorted(Path(parent).glob("*.lock")))
        yield [each for each in found if each and each.environment == endpoint.environment()]
    except endpoint.EndpointError as error:
        raise UsageError(str(error)) from None


def _read(lock: Path) -> State | None:
    """What the server with this lock says of itself; nothing if it is about to start or gone."""
    try:
        counts, pid, since, *environment = lock.read_text().splitlines()
        running, done = map(int, counts.split())
        path = lock.with_suffix("")
        return State(path, int(pid), float(since), running, done, "\n".join(environment))
    except (OSError, ValueError):
        return None


def _processes(pid: int) -> list[int]:
    """A process and all that it has started."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found


def _memory(pid: int) -> int:
    """Bytes of a process; of memory that it shares with others, its part."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0
