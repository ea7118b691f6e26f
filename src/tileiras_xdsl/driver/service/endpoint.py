"""
Where the socket of a server is, whether client and server can trust each other, and how a server is
started.

A server serves the commands that would have imported the same files in the same way: those of one
interpreter and one package, with the same `PYTHON…`, `LD_…` and locale variables, in the same
namespaces of the kernel. That is its identity, a hash of which is the name of its socket.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Mapping
    from typing import Final

ENABLE_VARIABLE: "Final" = "TILEIRAS_XDSL_SERVER"
_OFF: "Final" = ("0", "off", "false", "no")
_PREFIXES: "Final" = ("PYTHON", "LD_", "LC_", "MALLOC_", "GLIBC_")
_NAMES: "Final" = ("LANG", "LANGUAGE", "VIRTUAL_ENV")
_MAX_FOLDER: "Final" = 107 - len("/0123456789abcdef.new")
"""Bytes; the address of a Unix socket has room for 107."""


REQUIRED_TIMEOUT: "Final" = 60.0
"""Seconds until a server has to begin where a command does not run without one."""


class EndpointError(Exception):
    """There is no folder for sockets that only this user can write to."""


def is_enabled() -> bool:
    """Whether this system can have a server, and the environment does not object."""
    return (
        sys.platform == "linux"
        and os.environ.get(ENABLE_VARIABLE, "").lower() not in _OFF
        # Who runs a command with the rights of another user wants it to run by itself.
        and os.getuid() == os.geteuid()
    )


def is_required() -> bool:
    """Whether a command may not do without a server."""
    return os.environ.get(ENABLE_VARIABLE, "").lower() == "require"


def identity(environment: "Mapping[str, str]") -> str:
    """What commands that can share a server have in common."""
    variables = sorted(
        f"{name}={value}"
        for name, value in environment.items()
        if name.startswith(_PREFIXES) or name in _NAMES
    )
    namespaces = [_link(f"/proc/self/ns/{name}") for name in ("mnt", "pid", "user")]
    parts = (sys.executable, sys.version, __file__, *namespaces, *variables)
    return "\n".join(parts)


def environment() -> str:
    """The interpreter and the package, by which users know a server as theirs."""
    parent = os.path.abspath(__file__)
    for _ in range(4):
        parent = os.path.dirname(parent)
    return f"{sys.executable}\n{parent}"


def folder() -> str:
    """
    The folder of the sockets, made if it is missing: in `$XDG_RUNTIME_DIR`, or one in /tmp.
    `EndpointError` if others may have written to it.
    """
    uid = os.getuid()
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    path = f"{runtime}/tileiras-xdsl"
    if not (os.path.isabs(runtime) and len(path) <= _MAX_FOLDER and _is_private(runtime, uid)):
        path = f"/tmp/tileiras-xdsl-{uid}"
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise EndpointError(f"'{path}' cannot be made: {error.strerror}") from None
    if not _is_private(path, uid):
        raise EndpointError(f"'{path}' is not a folder that only its user can write to")
    return path


def socket_path(parent: str, identity: str) -> str:
    """The address of the server with this identity."""
    from zlib import adler32, crc32

    data = identity.encode(errors="surrogateescape")
    return f"{parent}/{crc32(data):08x}{adler32(data):08x}"


def peer(connection: "socket") -> tuple[int, int]:
    """The process at the other end, and its user."""
    from _socket import SO_PEERCRED, SOL_SOCKET

    # struct ucred: the process, its user and its group.
    credentials = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)
    process, user = credentials[:4], credentials[4:8]
    return int.from_bytes(process, sys.byteorder), int.from_bytes(user, sys.byteorder)


def is_own_peer(connection: "socket") -> bool:
    """Whether the process at the other end belongs to this user."""
    return peer(connection)[1] == os.getuid()


def connect(path: str) -> "socket | None":
    """A connection to the server at an address; `None` if there is none that can be trusted."""
    from _socket import AF_UNIX, SOCK_CLOEXEC, SOCK_STREAM, socket

    connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        return None
    if not is_own_peer(connection):
        connection.close()
        raise EndpointError(f"'{path}' belongs to another user")
    return connection


def wait_for(path: str) -> "socket | None":
    """A connection to a server, which is started if there is none."""
    from time import monotonic, sleep

    end = monotonic() + REQUIRED_TIMEOUT
    while (connection := connect(path)) is None and monotonic() < end:
        start_server(path)
        sleep(0.01)
    return connection


def start_server(path: str) -> None:
    """
    Starts a server in the background, unless another command is about to. The lock goes to the
    server, which holds it as long as it lives.
    """
    import fcntl

    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # A server that ends removes its lock.
        is_there = os.path.samestat(os.fstat(lock), os.stat(f"{path}.lock"))
    except OSError:
        is_there = False
    if not is_there:
        os.close(lock)
        return
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        try:
            _become_server(path, lock)
        finally:
            os._exit(1)
    os.close(lock)
    os.waitpid(child, 0)


def _write_state(lock: int) -> None:
    """Writes into the lock what `control.State` reads; the server keeps the first line current."""
    from time import time

    counts = f"{0:>9} {0:>9}"
    os.ftruncate(lock, 0)
    os.write(lock, f"{counts}\n{os.getpid()}\n{time()}\n{environment()}\n".encode())


def _become_server(path: str, lock: int) -> None:
    """Starts the server as a process that has nothing to do with this one."""
    import fcntl

    if os.fork():
        os._exit(0)
    os.setsid()
    os.umask(0o077)
    _write_state(lock)
    log = os.open(f"{path}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    # Copies, because a file descriptor that has its number already would be closed by `execv`.
    sources = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (null, log, log, lock)]
    for target, source in enumerate(sources):
        os.dup2(source, target)
    os.closerange(len(sources), os.sysconf("SC_OPEN_MAX"))
    os.chdir("/")
    parent = environment().partition("\n")[2]
    # The package that this file belongs to, whatever else `site` finds; modules of others not.
    code = (
        f"import sys; sys.path.insert(0, {parent!r}); import tileiras_xdsl; "
        "sys.path.append(sys.path.pop(0)); "
        "from tileiras_xdsl.driver.service.server import main; main()"
    )
    os.execv(sys.executable, [sys.executable, "-c", code, path])


def _is_private(path: str, uid: int) -> bool:
    """Whether a path is a folder of this user in which nobody else may write; links are not."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    is_folder = status.st_mode & 0o170000 == 0o040000
    return is_folder and status.st_uid == uid and not status.st_mode & 0o077


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
