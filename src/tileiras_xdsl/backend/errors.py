"""What the back end reports to its user."""

from __future__ import annotations

import json
import sys
from typing import IO

from xdsl.utils.exceptions import DiagnosticException


class BackendError(DiagnosticException):
    """Something that the user can change: the program, an option, or what is installed."""


class MissingToolError(BackendError):
    """A program or library that the back end needs was not found."""


def excerpt(text: str, line: int, context: int = 2) -> str:
    """
    Lines of `text` around number `line` (from 1), that one marked; empty if there is no such line.
    """
    lines = text.splitlines()
    if not 1 <= line <= len(lines):
        return ""
    numbers = range(max(1, line - context), min(len(lines), line + context) + 1)
    width = len(str(numbers[-1]))
    return "\n".join(
        f"{'>' if number == line else ' '} {number:{width}} | {lines[number - 1]}"
        for number in numbers
    )


# Messages between this process and interpreters that it starts: their length, then their bytes.


def interpreter_command(module: str, function: str) -> list[str]:
    """A command that calls a function of this package, found where this process found it."""
    code = (
        "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
        f"from {module} import {function}; {function}()"
    )
    return [sys.executable, "-c", code, json.dumps(sys.path)]


def write_message(stream: IO[bytes], data: bytes) -> None:
    """Sends a message."""
    stream.write(len(data).to_bytes(8, "little"))
    stream.write(data)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes | None:
    """The next message, `None` at the end of the stream."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    return data if len(data) == size else None
