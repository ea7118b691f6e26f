"""
The command `tileiras-xdsl`: hands itself over to a server, or compiles in this process.

The server is one of the same user with the same files, see `endpoint`. If there is none, this
process runs the command line by itself, and starts a server if it is to compile something.

    TILEIRAS_XDSL_SERVER=0        neither asks nor starts a server
    TILEIRAS_XDSL_SERVER=require  fails where no server can be had, and waits for one to start

A server must not be noticed: its process gets the file descriptors, folder, environment, limits and
umask of this one, and this one ends as that one ends. Python's own start is most of what is left,
so nothing is imported here that the interpreter does not have in memory or needs anyway.
"""

import os
import sys

from tileiras_xdsl.driver.service import endpoint
from tileiras_xdsl.driver.service.request import (
    EXITED,
    KILLED,
    SERVER_OPTION,
    STARTED,
    Request,
    receive_answer,
    send_go,
    send_request,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterator
    from typing import Final, NoReturn

PROGRAM: "Final" = "tileiras-xdsl"

TIMEOUT: "Final" = 10.0
"""
Seconds until a server has to begin, of which the imports of one that has just been started are one.
A command waits no longer for one that hangs.
"""

_FD_FOLDERS: "Final" = ("/dev/fd/", "/proc/self/fd/")
_LIMITS: "Final" = ("AS", "CORE", "CPU", "DATA", "FSIZE", "NOFILE", "STACK")


class LostServerError(Exception):
    """The server ended after it had begun, and its process with it."""


def main() -> "NoReturn":
    """Runs the command line of the process and ends it."""
    try:
        code = ask_server() if _can_be_served() else None
    except KeyboardInterrupt:
        # The server notices that this process is gone.
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        os._exit(130)
    if code is None:
        if endpoint.is_required() and not _is_about_servers():
            print(f"{PROGRAM}: there is no compile server", file=sys.stderr)
            os._exit(1)
        run_here()
    # Nothing is left to flush: this process has not written anything.
    os._exit(code)


def run_here() -> "NoReturn":
    """Runs the command line in this process, and starts a server for those that come later."""
    if sys.flags.no_site:
        import site

        site.main()
    from tileiras_xdsl.driver.tools.tileiras_xdsl import compiles, run_as_command

    if _can_be_served() and compiles(sys.argv[1:]):
        try:
            endpoint.start_server(
                endpoint.socket_path(endpoint.folder(), endpoint.identity(os.environ))
            )
        except (OSError, endpoint.EndpointError):
            # A command needs no server.
            pass
    run_as_command()


def ask_server() -> int | None:
    """The exit code of the command, `None` if no server took it."""
    own, is_required = endpoint.identity(os.environ), endpoint.is_required()
    # A server may end just then, or the process that it has forked in advance: this command did not
    # begin there, so where a server is required, it asks once more.
    for _ in range(2 if is_required else 1):
        try:
            path = endpoint.socket_path(endpoint.folder(), own)
            connection = endpoint.wait_for(path) if is_required else endpoint.connect(path)
            if connection is None:
                return None
        except (OSError, endpoint.EndpointError):
            return None
        try:
            if (code := _hand_over(connection, own)) is not None:
                return code
        except LostServerError:
            print(
                f"{PROGRAM}: the compile server was lost before the command ended", file=sys.stderr
            )
            return 1
        finally:
            connection.close()
    return None


def _hand_over(connection: "socket", own: str) -> int | None:
    """The exit code of the command in a process of the server; `None` if it did not begin."""
    fds = [fd for fd in _passed_fds() if _is_open(fd)]
    folder = os.open(".", os.O_PATH | os.O_DIRECTORY)
    request = Request(
        own,
        sys.argv,
        [f"{name}={value}" for name, value in os.environ.items()],
        [-1, *fds],
        list(_limits()),
    )
    connection.settimeout(endpoint.REQUIRED_TIMEOUT if endpoint.is_required() else TIMEOUT)
    interrupted = False
    try:
        send_request(connection, request, [folder, *fds])
        answer = receive_answer(connection)
    except OSError:
        return None
    finally:
        os.close(folder)
    if answer is None or answer[0] != STARTED:
        return None
    group = answer[1]
    connection.settimeout(None)
    send_go(connection)
    while True:
        try:
            answer = receive_answer(connection)
            break
        except KeyboardInterrupt:
            # The keyboard reaches this process only. The twin says what there is to be said.
            interrupted = True
            _interrupt(group)
    if answer is None:
        if interrupted:
            return 130
        raise LostServerError
    kind, number = answer
    if kind == KILLED:
        print(f"{PROGRAM}: the compilation was ended by signal {number}", file=sys.stderr)
        return 128 + number
    assert kind == EXITED
    return number


def _interrupt(group: int) -> None:
    """Sends SIGINT to a group of processes, as the keyboard would."""
    try:
        os.killpg(group, 2)
    except OSError:
        return


def _can_be_served() -> bool:
    """Whether a server may run this command: not if it names files that are this process's own."""
    return (
        endpoint.is_enabled()
        and not _is_about_servers()
        and not any(
            "/dev/tty" in argument
            or ("/proc/self/" in argument.replace("/proc/self/fd/", ""))
            or "/proc/thread-self/" in argument
            for argument in sys.argv[1:]
        )
    )


def _is_about_servers() -> bool:
    """Whether this command looks at servers, or ends them, and so may not be one's own job."""
    return any(each.lstrip("-").partition("=")[0] == SERVER_OPTION for each in sys.argv[1:])


def _passed_fds() -> "Iterator[int]":
    """The standard streams, and what the command line names, as shells do for `<(command)`."""
    yield from (0, 1, 2)
    for argument in sys.argv[1:]:
        for prefix in _FD_FOLDERS:
            number = argument.partition(prefix)[2]
            if number.isdecimal() and int(number) > 2:
                yield int(number)


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _limits() -> "Iterator[str]":
    """What `job.apply_limits` takes."""
    import resource

    umask = os.umask(0)
    os.umask(umask)
    yield f"umask={umask}"
    yield f"nice={os.getpriority(os.PRIO_PROCESS, 0)}"
    yield "cpus=" + ",".join(map(str, os.sched_getaffinity(0)))
    for name in _LIMITS:
        soft, hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
        yield f"{name}={soft},{hard}"


if __name__ == "__main__":
    main()
