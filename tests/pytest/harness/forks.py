"""A tool in forks of a process that has imported it: each is fresh, none pays for imports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

SERVER: Final = """\
import gc, importlib, json, os, resource, signal, sys, traceback

main = importlib.import_module(sys.argv[1]).main
if sys.argv[2:]:
    main(sys.argv[2:])
gc.collect()
gc.freeze()

def become(request):
    os.chdir(request["directory"])
    for number, name in ((1, "out"), (2, "err")):
        descriptor = os.open(name, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(descriptor, number)
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_AS, (request["memory"],) * 2)
    signal.alarm(request["seconds"])
    sys.argv = ["tool", *request["arguments"]]
    try:
        code = main()
    except BaseException:
        traceback.print_exc()
        code = 70
    sys.stdout.flush()
    sys.stderr.flush()
    return code

for line in sys.stdin:
    if child := os.fork():
        _, status, usage = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        print(json.dumps([code, usage.ru_utime + usage.ru_stime]), flush=True)
    else:
        code = 70
        try:
            code = become(json.loads(line))
        finally:
            os._exit(code)
"""


@dataclass(frozen=True)
class Ended:
    """How a fork ended: by its exit code, or by the negative number of a signal."""

    code: int
    out: str
    err: str
    seconds: float
    """Processor time."""


class ForkServer:
    """
    Runs the `main` of a module; `with ForkServer(module) as server:` ends it. What a first run
    makes, such as parsers of types, is there in every fork if there are arguments to run it with
    before; it must not print.
    """

    def __init__(self, module: str, *first: str | Path):
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER, module, *map(str, first)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()

    def run(self, directory: Path, arguments: Sequence[str], *, memory: int, seconds: int) -> Ended:
        """
        Runs the tool in a directory, in which it leaves what it prints, with so many bytes of
        address space; after so many seconds a signal ends it.
        """
        request = {
            "directory": os.fspath(directory),
            "arguments": arguments,
            "memory": memory,
            "seconds": seconds,
        }
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()
        code, used = json.loads(stdout.readline())
        assert code != -signal.SIGALRM, f"not finished after {seconds} seconds"
        texts = (directory / name for name in ("out", "err"))
        out, err = (text.read_text() if text.exists() else "" for text in texts)
        return Ended(code, out, err, used)
