"""
LLVM IR text to PTX text in a process of its own, which LLVM may end without harm.

What LLVM says before it ends the process becomes a `BackendError`. A process costs a fifth of a
second, most of it for the start of Python and the import of llvmlite.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Final

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.target import NvptxTarget

_REFUSED: Final = 3
"""The exit code that says: standard output is the message of a `BackendError`."""

_FATAL = re.compile(r"^(?:LLVM ERROR|error|fatal error): (.*)$|^(.*\bAssertion .* failed.*)$", re.M)


def compile_to_ptx(
    source: str, target: NvptxTarget, level: int = 3, *, ftz: bool | None = None
) -> str:
    """The same as `nvptx.compile_to_ptx`, and survives whatever LLVM does."""
    request = {
        "source": source,
        "target": target.cpu,
        "ptx_version": target.ptx_version,
        "level": level,
        "ftz": ftz,
    }
    child = subprocess.run(
        [sys.executable, "-m", __name__],
        input=json.dumps(request).encode(),
        capture_output=True,
        check=False,
    )
    output = child.stdout.decode(errors="replace")
    if child.returncode == 0:
        return output
    if child.returncode == _REFUSED:
        raise BackendError(output)
    raise BackendError(
        f"LLVM cannot generate code for {target}: "
        + _reason(child.stderr.decode(errors="replace"), child.returncode)
    )


def _reason(log: str, code: int) -> str:
    """What LLVM said last, without its stack traces."""
    if (match := _FATAL.search(log)) is not None:
        return str(match[1] or match[2])
    lines = [line for line in log.splitlines() if line.strip()]
    ended = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
    return f"{lines[0]} ({ended})" if lines else ended


def _main() -> int:
    from tileiras_xdsl.backend import nvptx

    request = json.loads(sys.stdin.buffer.read())
    try:
        target = NvptxTarget.parse(request["target"], request["ptx_version"])
        output = nvptx.compile_to_ptx(
            request["source"], target, request["level"], ftz=request["ftz"]
        )
        code = 0
    except BackendError as error:
        output, code = str(error), _REFUSED
    sys.stdout.buffer.write(output.encode())
    return code


if __name__ == "__main__":
    sys.exit(_main())
