"""Messages between this process and interpreters that it starts: their length, then their bytes."""

from __future__ import annotations

import json
import sys
from typing import IO


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
