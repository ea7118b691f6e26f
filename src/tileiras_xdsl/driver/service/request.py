"""
What a client sends to a server, and what it is answered.

A request is its length in 8 bytes, with the file descriptors, and then fields that end in NUL. The
answer is one byte and a number in 4 bytes, see `STARTED` and the others. A process that has sent
`STARTED` waits for `GO`: a client that has waited too long runs its command by itself, and nobody
else may run it as well.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Sequence
    from typing import Final

STARTED: "Final" = b"A"
"""The number is that of the process group which does the work."""
GO: "Final" = b"G"
"""What the client sends then."""
EXITED: "Final" = b"X"
"""The number is the exit code."""
KILLED: "Final" = b"K"
"""The number is that of the signal."""

ANSWER_SIZE: "Final" = 5

SERVER_OPTION: "Final" = "server"
"""The option, without its dashes, of a command that is about servers and asks none."""

_FD_SIZE: "Final" = 4
_MAX_FDS: "Final" = 250
"""The kernel passes 253 at once."""


class Request:
    """
    What makes up the surroundings of a command.

    - identity: the one the client expects the server to have;
    - arguments: with the name of the program;
    - environment: as `NAME=value`;
    - fds: the numbers that the file descriptors that come along have in the client. The folder it
      is in comes first, as -1;
    - limits: `name=soft,hard` of resources, umask and CPUs, see `job`.
    """

    def __init__(
        self,
        identity: str,
        arguments: "Sequence[str]",
        environment: "Sequence[str]",
        fds: "Sequence[int]",
        limits: "Sequence[str]",
    ):
        self.identity = identity
        self.arguments = arguments
        self.environment = environment
        self.fds = fds
        self.limits = limits

    def encode(self) -> bytes:
        """The fields as bytes."""
        lists = (self.arguments, self.environment, [str(fd) for fd in self.fds], self.limits)
        fields = [self.identity]
        for items in lists:
            fields.append(str(len(items)))
            fields += items
        return "\0".join(fields).encode(errors="surrogateescape")

    @staticmethod
    def decode(data: bytes) -> "Request":
        """The request that `encode` made bytes of."""
        identity, *fields = data.decode(errors="surrogateescape").split("\0")
        lists: list[list[str]] = []
        while fields:
            count = int(fields[0])
            lists.append(fields[1 : count + 1])
            del fields[: count + 1]
        arguments, environment, fds, limits = lists
        return Request(identity, arguments, environment, [int(fd) for fd in fds], limits)


def send_request(connection: "socket", request: Request, fds: "Sequence[int]") -> None:
    """Sends a request with file descriptors."""
    from _socket import SCM_RIGHTS, SOL_SOCKET

    data = request.encode()
    assert len(fds) <= _MAX_FDS
    numbers = b"".join(fd.to_bytes(_FD_SIZE, sys.byteorder) for fd in fds)
    rights = [(SOL_SOCKET, SCM_RIGHTS, numbers)] if fds else []
    connection.sendmsg([len(data).to_bytes(8, "little")], rights)
    connection.sendall(data)


def receive_request(connection: "socket") -> tuple[Request, list[int]] | None:
    """A request and the file descriptors that came with it; `None` if the client is gone."""
    from _socket import CMSG_SPACE, MSG_CMSG_CLOEXEC

    space = CMSG_SPACE(_MAX_FDS * _FD_SIZE)
    head, rights, _, _ = connection.recvmsg(8, space, MSG_CMSG_CLOEXEC)
    fds = [
        int.from_bytes(numbers[start : start + _FD_SIZE], sys.byteorder)
        for _, _, numbers in rights
        for start in range(0, len(numbers), _FD_SIZE)
    ]
    head += _receive(connection, 8 - len(head))
    size = int.from_bytes(head, "little")
    data = _receive(connection, size) if len(head) == 8 else b""
    if len(head) < 8 or len(data) < size:
        for fd in fds:
            os.close(fd)
        return None
    return Request.decode(data), fds


def send_answer(connection: "socket", kind: bytes, number: int) -> None:
    """Sends an answer; a client that is gone needs none."""
    from _socket import MSG_NOSIGNAL

    try:
        connection.send(kind + number.to_bytes(4, "little"), MSG_NOSIGNAL)
    except OSError:
        return


def receive_answer(connection: "socket") -> tuple[bytes, int] | None:
    """The next answer; `None` if the server is gone."""
    data = _receive(connection, ANSWER_SIZE)
    if len(data) < ANSWER_SIZE:
        return None
    return data[:1], int.from_bytes(data[1:], "little")


def send_go(connection: "socket") -> None:
    """Lets the process that has sent `STARTED` begin; whether it is gone is known by its answer."""
    from _socket import MSG_NOSIGNAL

    try:
        connection.send(GO, MSG_NOSIGNAL)
    except OSError:
        return


def may_go(connection: "socket") -> bool:
    """Waits for the client; false if it is gone."""
    return _receive(connection, len(GO)) == GO


def _receive(connection: "socket", size: int) -> bytes:
    """This many bytes, or fewer if the other end closes."""
    data = b""
    while len(data) < size:
        try:
            more = connection.recv(size - len(data))
        except ConnectionResetError:
            break
        if not more:
            break
        data += more
    return data
