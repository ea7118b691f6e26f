"""PTX to a cubin, by NVIDIA's assembler `ptxas`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import RLock
from typing import Final, Self

from tileiras_xdsl.backend.errors import BackendError, MissingToolError, excerpt
from tileiras_xdsl.backend.libdevice import find_program, finish_program, run_program, start_program
from tileiras_xdsl.backend.target import NvptxTarget

PTXAS_VARIABLE: Final = "TILEIRAS_XDSL_PTXAS"

SLOW_CODE: Final = re.compile(r"Potential Performance Loss|\bis injected\b")
"""
In remarks after which the code is right and slow: WGMMAs that are serialized, waits and arrivals
that were added to them, registers that are not exchanged. The compiler should have done better.
"""

_END_TIME: Final = 1.0
"""Seconds for a process that was killed to end; until then it may still write."""

_VERSION = re.compile(r"\bV(\d+(?:\.\d+)+)")
_BUILD = re.compile(rb"Cuda compilation tools, release [\d.]+, V(\d+(?:\.\d+)+)\0")
_MESSAGE = re.compile(
    r"^ptxas (?:(?P<file>\S+), line (?P<line>\d+); )?(?P<kind>info|warning|error|fatal)\s*:\s*"
    r"(?:\((?P<code>C\d+)\)\s*)?(?P<text>.*)$"
)
_ENTRY = re.compile(r"Compiling entry function '([^']*)'")
_PROPERTIES = re.compile(r"Function properties for (\S+)")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
_FUNCTION = re.compile(r"(?:\.\w+\s+)*\.(?:entry|func)\b")
_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"')


@dataclass(frozen=True)
class PtxasMessage:
    """Something that ptxas said, but for figures on functions."""

    kind: str
    """`warning`, `error`, `fatal`, or `info` for a remark."""
    text: str
    line: int | None = None
    """Of the PTX."""
    code: str | None = None
    """The number of a remark, such as C7512."""

    @property
    def is_slow(self) -> bool:
        """Whether the code is right and much slower than it was meant to be."""
        return SLOW_CODE.search(self.text) is not None


@dataclass(frozen=True)
class FunctionUsage:
    """What a function takes, in bytes but for registers and barriers."""

    registers: int = 0
    barriers: int = 0
    shared: int = 0
    """Static shared memory."""
    stack: int = 0
    spill_stores: int = 0
    spill_loads: int = 0


@dataclass(frozen=True)
class PtxasResult:
    """A cubin and what ptxas said about it."""

    cubin: bytes
    functions: dict[str, FunctionUsage]
    """Of all kernels, and of device functions that were not inlined."""
    messages: tuple[PtxasMessage, ...]
    log: str = field(repr=False)

    @property
    def spills(self) -> int:
        """Bytes that functions spill."""
        return sum(each.spill_stores + each.spill_loads for each in self.functions.values())

    @property
    def slow(self) -> tuple[PtxasMessage, ...]:
        """The remarks after which the code is much slower than it was meant to be."""
        return tuple(message for message in self.messages if message.is_slow)


class PtxasError(BackendError):
    """PTX that ptxas refused."""

    def __init__(
        self,
        text: str,
        messages: tuple[PtxasMessage, ...],
        line: int | None = None,
        origin: str | None = None,
    ):
        super().__init__(text if origin is None else f"{text}\nmade from {origin}")
        self.text = text
        """What is wrong, without where that came from."""
        self.messages = messages
        self.line = line
        """Of the PTX, where ptxas names one."""


@dataclass(frozen=True)
class Ptxas:
    """A `ptxas` on this machine."""

    path: Path

    @staticmethod
    def find() -> Ptxas:
        """
        The one that $TILEIRAS_XDSL_PTXAS names, that of the package `nvidia-cuda-nvcc`, of
        $CUDA_HOME, or on the PATH, in this order. `MissingToolError` if there is none.
        """
        return Ptxas(find_program("ptxas", PTXAS_VARIABLE, "makes a cubin of PTX", "cubin"))

    @property
    def version(self) -> str:
        """Such as `13.4.92`."""
        try:
            modified = self.path.stat().st_mtime_ns
        except OSError as error:
            raise MissingToolError(f"ptxas cannot be run: {error}") from None
        return _ask_version(self, modified)

    def version_of(self, result: PtxasResult) -> str:
        """The same, from a cubin that it made if that says so: no need to start it again."""
        return _version_in(result.cubin) or self.version

    def compile(
        self,
        ptx: str,
        target: NvptxTarget,
        level: int = 3,
        options: Sequence[str] = (),
        host_code: bytes | None = None,
    ) -> PtxasResult:
        """
        The cubin of PTX text, with object code for the CPU if that is given; `PtxasError` shows the
        line of PTX that is wrong.
        """
        with PtxasRun(self, target, level, options) as run:
            return run.finish(ptx, host_code)

    def run(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Runs it to its end, whatever it says."""
        return run_program(self.path, arguments)


_OPEN: Final[set[PtxasRun]] = set()


def abandon_runs() -> None:
    """
    Ends all runs of a process that ends itself, whatever its threads do with them: those never get
    to close what they have opened.
    """
    for run in tuple(_OPEN):
        run.abandon()


class PtxasRun:
    """One run of ptxas, whose files are removed by `close`."""

    def __init__(
        self, ptxas: Ptxas, target: NvptxTarget, level: int = 3, options: Sequence[str] = ()
    ):
        self.ptxas = ptxas
        self._process: subprocess.Popen[str] | None = None
        # Held while a process is started: until then nobody else could end it. A handler of signals
        # may run in the thread that holds it.
        self._starting = RLock()
        self._is_abandoned = False
        self._owner = os.getpid()
        self._folder = TemporaryDirectory(prefix="tileiras-")
        _OPEN.add(self)
        self._source = Path(self._folder.name, "kernel.ptx")
        self._cubin = Path(self._folder.name, "kernel.cubin")
        self._host_code = Path(self._folder.name, "kernel.o")
        self._arguments = [
            *(f"-arch={target.cpu}", f"-O{level}", "-v", *options),
            *(str(self._source), "-o", str(self._cubin)),
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start_process(self) -> subprocess.Popen[str]:
        with self._starting:
            if self._is_abandoned:
                raise KeyboardInterrupt
            self._process = start_program(self.ptxas.path, self._arguments)
        return self._process

    def finish(self, ptx: str, host_code: bytes | None = None) -> PtxasResult:
        """
        The cubin of PTX text, with object code for the CPU if that is given; `PtxasError` shows the
        line of PTX that is wrong.
        """
        self._source.write_text(ptx)
        if host_code is not None:
            self._host_code.write_bytes(host_code)
            self._arguments.append(f"--nv-host={self._host_code}")
        try:
            child = finish_program(self._start_process())
        finally:
            self._process = None
        log = (child.stdout + child.stderr).replace(str(self._source), "kernel.ptx")
        messages, functions = parse_log(log)
        if child.returncode != 0 or not self._cubin.is_file():
            raise _make_error(messages, ptx, log, child.returncode)
        return PtxasResult(self._cubin.read_bytes(), functions, messages, log)

    def close(self) -> None:
        """Removes all files."""
        _OPEN.discard(self)
        self._folder.cleanup()

    def abandon(self) -> None:
        """The same while another thread uses it, which must not go on for long."""
        # One that was forked off has those of its parent.
        if self._owner != os.getpid():
            return
        self._is_abandoned = True
        if self._starting.acquire(timeout=_END_TIME):
            self._starting.release()
        if (process := self._process) is not None:
            process.kill()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_TIME)
        shutil.rmtree(self._folder.name, ignore_errors=True)


def _version_in(cubin: bytes) -> str | None:
    """Since CUDA 13, a note of a cubin has what `ptxas --version` prints."""
    match = _BUILD.search(cubin)
    return None if match is None else match[1].decode()


@lru_cache(maxsize=16)
def _ask_version(ptxas: Ptxas, modified: int) -> str:
    """`modified` is there for the cache."""
    del modified
    output = ptxas.run(["--version"]).stdout
    if (match := _VERSION.search(output)) is None:
        raise MissingToolError(f"{ptxas.path} is not ptxas, its version cannot be read")
    return match[1]


def parse_log(log: str) -> tuple[tuple[PtxasMessage, ...], dict[str, FunctionUsage]]:
    """What ptxas says with the option `-v`."""
    messages: list[PtxasMessage] = []
    figures: dict[str, dict[str, int]] = {}
    entry = function = ""
    for line in log.splitlines():
        if (match := _STACK.search(line)) is not None:
            stack, stores, loads = map(int, match.groups())
            figures.setdefault(function, {}).update(
                stack=stack, spill_stores=stores, spill_loads=loads
            )
        if (match := _MESSAGE.match(line)) is None:
            continue
        kind, text, code = match["kind"], match["text"].strip(), match["code"]
        if kind != "info" or code is not None:
            number = match["line"]
            messages.append(PtxasMessage(kind, text, None if number is None else int(number), code))
        elif (found := _ENTRY.search(text)) is not None:
            entry = function = found[1]
        elif (found := _PROPERTIES.search(text)) is not None:
            function = found[1]
        elif text.startswith("Used "):
            # Figures of an entry may come after those of the functions that it calls.
            figures.setdefault(entry or function, {}).update(
                registers=_figure(text, r"Used (\d+) registers"),
                barriers=_figure(text, r"used (\d+) barriers"),
                shared=_figure(text, r"(\d+) bytes smem"),
            )
    return tuple(messages), {name: FunctionUsage(**values) for name, values in figures.items()}


def _figure(text: str, pattern: str) -> int:
    match = re.search(pattern, text)
    return 0 if match is None else int(match[1])


def _make_error(messages: tuple[PtxasMessage, ...], ptx: str, log: str, code: int) -> PtxasError:
    """The first errors, the first with the PTX that it is about and where that came from."""
    errors = [message for message in messages if message.kind == "error"]
    errors = errors or [message for message in messages if message.kind == "fatal"]
    if not errors:
        said = log.strip() or "it said nothing"
        return PtxasError(f"ptxas failed with exit code {code}: {said}", messages)
    # What ptxas says later about a line is more to the point than what it says first.
    first = next((message.line for message in errors if message.line is not None), None)
    if first is None:
        said = "; ".join(message.text for message in errors[:3])
        return PtxasError(f"ptxas refused the PTX: {said}", messages)
    about = [message.text for message in errors if message.line == first]
    parts = [f"ptxas refused the PTX, line {first}: {'; '.join(about)}", excerpt(ptx, first)]
    if others := len(errors) - len(about):
        parts.append(f"({others} more errors)")
    return PtxasError("\n".join(parts), messages, first, source_location(ptx, first))


def source_location(ptx: str, line: int) -> str | None:
    """Where a line of PTX came from, as its line tables say: `file:line:column`."""
    lines = ptx.splitlines()
    for text in reversed(lines[:line]):
        if (match := _LOC.match(text)) is not None:
            break
        if _FUNCTION.match(text) is not None:
            return None
    else:
        return None
    for text in lines:
        if (file := _FILE.match(text)) is not None and file[1] == match[1]:
            return f"{file[2]}:{match[2]}:{match[3]}"
    return None
