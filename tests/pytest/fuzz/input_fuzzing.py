"""
Coverage-guided damage of all that is read from outside: bytecode, text, schedules, launch records,
lists of programs, reproducers, and what reports are made of.

A target reads bytes, and may end in exceptions that users see as diagnostics. Anything else is a
failure, as are ten seconds and 500 MB. A mutant that reaches lines of this package or of xDSL that
none has reached is damaged further.
"""

from __future__ import annotations

import io
import json
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    contextmanager,
    redirect_stderr,
    redirect_stdout,
)
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Protocol, Self, cast

import xdsl
from xdsl.utils.exceptions import DiagnosticException, ParseError

import tileiras_xdsl
from tileiras_xdsl.backend.launch_record import (
    LaunchRecord,
    Parameter,
    Quantity,
    TensorMapRecord,
    records_from_json,
    records_to_json,
)
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.driver.compiler.reproducer import Reproducer
from tileiras_xdsl.driver.tools import tileiras_opt
from tileiras_xdsl.driver.tools.batch import BatchEntry, read_list
from tileiras_xdsl.frontend.bytecode import BytecodeError, read
from tileiras_xdsl.frontend.load import make_context, parse_bytes
from tileiras_xdsl.inspection.exploration.exploration import explore
from tileiras_xdsl.inspection.exploration.report import make_page
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.xdsl_extras.aliases import print_ir
from tileiras_xdsl.xdsl_extras.dominance import verify_module
from tileiras_xdsl.xdsl_extras.usage import UsageError

from ..bytecode.fuzzing import CORPUS, STRUCTURED, Damage, covering_seeds, damage_anything, trace
from ..harness.modules import print_module
from ..strategies.corruptions import corrupt
from ..strategies.draws import Draws
from ..strategies.matmul_programs import SMALL, random_matmul
from ..strategies.modules import random_module
from ..strategies.mutations import mutate

SECONDS = 10.0
MEGABYTES = 500
TRACE_EVERY = 8
"""One of so many mutants runs with a trace where that takes ten times as long."""
LARGEST = 20_000
"""Bytes of an input that is damaged: small ones are read faster."""
PACKAGES = tuple(f"{Path(str(package.__file__)).parent}/" for package in (tileiras_xdsl, xdsl))
"""Where the lines are that count."""
MAX_OPS = 30
"""Ops of a module that is corrupted: many small modules find more than a few large ones."""
ARCH = "sm_90a"
SCHEDULING = "tileas-materialize-schedule"

DIAGNOSTICS = (DiagnosticException, ParseError, UsageError)
"""What users see one line of."""


# Readers


def read_bytecode(data: bytes) -> None:
    """Errors say where they are."""
    try:
        read(data)
    except BytecodeError as error:
        if error.offset is None or error.section is None:
            raise AssertionError("the place is missing") from error
        raise


def run_driver(data: bytes, *args: str) -> tuple[int, bytes, str]:
    """Exit code, standard output and standard error of `tileiras-opt` on `data`."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    stdin = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = tileiras_opt.main(["-", *args])
    finally:
        sys.stdin = stdin
    out.flush()
    buffer = out.buffer
    assert isinstance(buffer, io.BytesIO)
    return code, buffer.getvalue(), err.getvalue()


DIAGNOSTIC = re.compile(r".*:\d+:\d+: error: \S.*\n")
OUTPUTS: tuple[tuple[str, ...], ...] = (
    (),
    ("--print-op-generic",),
    ("--print-debuginfo",),
    ("-t", "cuda-tile-public"),
    ("-t", "cuda-tile-public{module=true debuginfo=true}"),
)


def read_text(data: bytes) -> None:
    """The tool ends in success, or in one diagnostic and nothing else."""
    code, out, err = run_driver(data, *OUTPUTS[len(data) % len(OUTPUTS)])
    if code == 0:
        assert err == ""
    else:
        assert code == 1
        assert out == b""
        assert DIAGNOSTIC.fullmatch(err), err
        raise DiagnosticException(err)


def read_schedule(data: bytes) -> None:
    """A kernel with a schedule, and the passes that follow it."""
    ctx = make_context()
    module = parse_bytes(ctx, data, "input")
    verify_module(module)
    steps = select_steps(arch=ARCH, to="tileas")
    names = [step.name for step in steps]
    for step in steps[names.index(SCHEDULING) :]:
        make_pass(step, ARCH).apply(ctx, module)


def read_records(data: bytes) -> None:
    for record in records_from_json(data):
        assert LaunchRecord.from_json(record.to_json()) == record
        record.launched_grid((7, 5, 3), 132)


def _in_file(read_path: Callable[[str], object]) -> Callable[[bytes], None]:
    def read_data(data: bytes) -> None:
        with tempfile.NamedTemporaryFile() as stream:
            stream.write(data)
            stream.flush()
            read_path(stream.name)

    return read_data


def _read_batch(path: str) -> object:
    return read_list(path, BatchEntry("", "", "sm_90", 3, False, False, "device-maps", False))


def read_report(data: bytes) -> None:
    """A page about a program, whatever that is called and however far it comes."""
    make_page(explore(data, gpu="sm_90").to_data())


# Inputs


def _texts() -> list[bytes]:
    """Random modules in all forms, and texts of the public disassembler."""
    texts: list[bytes] = []
    for seed in range(6):
        module = random_module(f"mutated {seed}")
        texts.append(print_module(module, generic=False, debuginfo=seed % 2 == 0).encode())
        texts.append(print_module(module, generic=True, debuginfo=seed % 2 == 1).encode())
        stream = io.StringIO()
        printer = ct.PublicPrinter(stream, print_wrapper=True, print_debuginfo=True)
        printer.print_module(*(op for op in module.body.ops if isinstance(op, ct.ModuleOp)))
        texts.append(stream.getvalue().encode())
    return [*texts, *(path.read_bytes() for path in sorted(CORPUS.glob("text*/*/*.mlir")))]


def _schedules() -> list[bytes]:
    found: list[bytes] = []
    ctx = make_context()
    for seed in (2, 25, 33):
        module = random_matmul(seed, SMALL).module.clone()
        steps = select_steps(arch=ARCH, to="tileas")
        for step in steps[: [step.name for step in steps].index(SCHEDULING)]:
            make_pass(step, ARCH).apply(ctx, module)
        found.append(print_ir(module).encode())
    return found


RECORD = LaunchRecord(
    "kernel",
    "sm_90a",
    (Parameter("ptr", "a"), Parameter("i32", "n"), Parameter("bytes", "s", 24)),
    (128, 1, 1),
    cluster=(2, 1, 1),
    abi="host-maps",
    tensor_maps=(
        TensorMapRecord(
            "f16", 0, (Quantity(64), Quantity(2, 1)), (Quantity(128),), (64, 8), swizzle="128"
        ),
    ),
)
BATCH = [{"input": "a.tileirbc", "output": "a.cubin", "gpu-name": "sm_90", "opt-level": 3}]


def _reproducers() -> list[bytes]:
    about = {
        "format": 1,
        "gpu": "sm_90",
        "opt": 3,
        "lineinfo": False,
        "device_debug": False,
        "abi": "device-maps",
        "unsupported_hints": "ignore",
        "check": False,
        "pipeline": "",
        "failed": "x",
        "verify_each": False,
    }
    from tileiras_xdsl.driver.compiler import reproducer

    title: str = getattr(reproducer, "_TITLE")
    configuration: str = getattr(reproducer, "_CONFIGURATION")
    return [f"{title}\n{configuration}{json.dumps(about)}\nbuiltin.module {{}}\n".encode()]


# Damage


def damage_text(rng: random.Random, data: bytes, donor: bytes) -> bytes:
    return mutate(rng, data, donor)


def damage_module(rng: random.Random, data: bytes, donor: bytes) -> bytes:
    """Sometimes the generic text of a module that may be anything but valid."""
    if rng.random() < 0.75:
        return mutate(rng, data, donor)
    module = random_module(rng.randint(0, 2**64))
    while len(list(module.walk())) > MAX_OPS:
        module = random_module(rng.randint(0, 2**64))
    corrupt(Draws.from_seed(rng.randint(0, 2**64)), module)
    return print_module(module, generic=True, debuginfo=False).encode()


def damage_bytes(rng: random.Random, data: bytes, donor: bytes) -> bytes:
    return damage_anything(data, donor or b"\0", rng)


@cache
def _is_whole(data: bytes) -> bool:
    """Whether bytecode is undamaged, so that its fields can be told apart."""
    try:
        trace(data)
    except (BytecodeError, RecursionError):
        return False
    return True


def damage_bytecode(rng: random.Random, data: bytes, donor: bytes) -> bytes:
    """Of undamaged files every other one keeps a valid container."""
    if rng.random() < 0.5 or not _is_whole(data):
        return damage_bytes(rng, data, donor)
    others = [data, donor] if _is_whole(donor) else [data]
    return rng.choice(STRUCTURED)(Damage(data, rng, others))


ODD_VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1 << 31, 1 << 70, 0.5, 1e400, "", "\0", "x" * 300, [], {}),
    *([[]], [0], {"": 0}, "ptr", [1, 1, 1], -(1 << 70), float("nan")),
)


def damage_json(rng: random.Random, data: bytes, donor: bytes) -> bytes:
    """Replaces, drops or doubles a part of a value; sometimes just bytes."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return damage_bytes(rng, data, donor)
    if rng.random() < 0.2:
        return mutate(rng, data, donor)
    holders: list[Any] = [[value]]
    pending: list[Any] = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, dict | list) and current:
            holders.append(current)
            pending += current.values() if isinstance(current, dict) else current
    holder: Any = rng.choice(holders)
    keys = list(cast("dict[str, Any]", holder)) if isinstance(holder, dict) else range(len(holder))
    key = rng.choice(keys)
    match rng.randrange(4):
        case 0 if holder is not holders[0]:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[rng.choice(("", "entry", "x", "type"))] = rng.choice(ODD_VALUES)
        case 2:
            for _ in range(rng.choice((1, 3, 100, 3000))):
                holder[key] = [holder[key]]
        case _:
            holder[key] = rng.choice(ODD_VALUES)
    try:
        return json.dumps(holders[0][0]).encode()
    except (ValueError, RecursionError):
        return b"[" * 100_000


def _deep(reader: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """IR may be nested too deep, which commands say in one line, too."""

    def read_data(data: bytes) -> None:
        try:
            reader(data)
        except RecursionError as error:
            raise DiagnosticException("nesting is too deep") from error

    return read_data


@dataclass(frozen=True)
class Target:
    """Something that reads bytes."""

    read: Callable[[bytes], None]
    make_seeds: Callable[[], Sequence[bytes]]
    damage: Callable[[random.Random, bytes, bytes], bytes]
    share: int = 4
    """How much of the time it gets: what has few paths needs less."""


TARGETS: dict[str, Target] = {
    "bytecode": Target(_deep(read_bytecode), covering_seeds, damage_bytecode),
    "text": Target(read_text, _texts, damage_module),
    "schedule": Target(_deep(read_schedule), _schedules, damage_text),
    "launch record": Target(
        read_records, lambda: [records_to_json([RECORD, RECORD]).encode()], damage_json, 1
    ),
    "batch": Target(
        _in_file(_read_batch), lambda: [json.dumps(BATCH * 2).encode()], damage_json, 1
    ),
    "reproducer": Target(_in_file(Reproducer.read), _reproducers, damage_text, 1),
    "report": Target(_deep(read_report), lambda: _texts()[:3], damage_text),
}


@cache
def seeds_of(name: str) -> tuple[bytes, ...]:
    """The undamaged inputs of a target."""
    return tuple(data for data in TARGETS[name].make_seeds() if len(data) <= LARGEST)


# Lines that are reached

Line = tuple[str, int]


class Lines(Protocol):
    """Notices lines of our packages that run for the first time."""

    every: int
    """One of so many mutants can be watched."""
    slower: int
    """How many times as long one takes that is watched."""

    def watching(self, found: set[Line]) -> AbstractContextManager[None]:
        """Puts lines that run within it into `found`: at least those that are new."""
        ...


class TracedLines:
    """Lines by `sys.settrace`, which takes its time."""

    every = TRACE_EVERY
    slower = 10

    @contextmanager
    def watching(self, found: set[Line]) -> Generator[None]:
        wanted: dict[str, bool] = {}

        def trace_line(frame: FrameType, event: str, argument: object) -> Any:
            found.add((frame.f_code.co_filename, frame.f_lineno))
            return trace_line

        def trace_call(frame: FrameType, event: str, argument: object) -> Any:
            name = frame.f_code.co_filename
            is_wanted = wanted.get(name)
            if is_wanted is None:
                is_wanted = wanted[name] = name.startswith(PACKAGES)
            return trace_line if is_wanted else None

        old = sys.gettrace()
        sys.settrace(trace_call)
        try:
            yield
        finally:
            sys.settrace(old)


@contextmanager
def traced_lines() -> Generator[Lines]:
    yield TracedLines()


if sys.version_info >= (3, 12):

    class MonitoredLines:
        """Lines by `sys.monitoring`: once reported, a line is as fast as ever."""

        every = 1
        slower = 1

        def __init__(self):
            self.found: set[Line] = set()

        def notice(self, code: CodeType, line: int) -> object:
            name = code.co_filename
            if name.startswith(PACKAGES):
                self.found.add((name, line))
            return sys.monitoring.DISABLE

        @contextmanager
        def watching(self, found: set[Line]) -> Generator[None]:
            self.found = found
            yield

    @contextmanager
    def monitored_lines() -> Generator[Lines]:
        lines = MonitoredLines()
        monitoring, tool = sys.monitoring, 4
        event = monitoring.events.LINE
        monitoring.use_tool_id(tool, "fuzzing")
        monitoring.register_callback(tool, event, lines.notice)
        monitoring.set_events(tool, event)
        monitoring.restart_events()
        try:
            yield lines
        finally:
            monitoring.set_events(tool, monitoring.events.NO_EVENTS)
            monitoring.register_callback(tool, event, None)
            monitoring.free_tool_id(tool)

    watched_lines = monitored_lines
else:
    watched_lines = traced_lines


# Runs


class HangError(BaseException):
    """An input takes too long."""


@contextmanager
def limited_time(seconds: float) -> Generator[None]:
    """Ends what takes longer, counted in processor time."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise HangError

    old = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)


@dataclass(frozen=True)
class Failure:
    """An input that was not read as it should be."""

    target: str
    data: bytes
    what: str

    @property
    def kind(self) -> str:
        """The same for failures of one cause: where it was raised, without what it says."""
        *frames, last = self.what.splitlines()
        return "\n".join([*frames[-4:], last.partition(":")[0]])


@dataclass
class Fuzzing:
    """Mutants of one target, within `with`."""

    name: str
    rng: random.Random
    corpus: list[bytes] = field(default_factory=list[bytes])
    announce: Callable[[bytes], object] = field(default=len, repr=False)
    """Gets each input before it is read, for whoever asks after what ended the process."""
    lines: set[Line] = field(default_factory=set[Line])
    outcomes: Counter[str] = field(default_factory=Counter[str])
    failures: dict[str, Failure] = field(default_factory=dict[str, Failure])
    slowest: float = 0.0
    mutants: int = 0

    def __enter__(self) -> Self:
        self.target = TARGETS[self.name]
        if not self.corpus:
            self.corpus = list(seeds_of(self.name))
        self._undamaged = len(self.corpus)
        with ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            self._watched = stack.enter_context(watched_lines())
            for data in self.corpus[:50]:
                self.try_input(data, watched=True)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def step(self) -> None:
        """One more mutant."""
        data, donor = self._choose(), self.rng.choice(self.corpus)
        mutant = self.target.damage(self.rng, data, donor)[:LARGEST]
        self.mutants += 1
        if self.try_input(mutant, watched=self.mutants % self._watched.every == 0):
            self.corpus.append(mutant)

    def _choose(self) -> bytes:
        """Undamaged ones get furthest, the last reach what others do not, short ones are quick."""
        rng, corpus = self.rng, self.corpus
        match rng.randrange(3):
            case 0:
                return rng.choice(corpus[: self._undamaged])
            case 1:
                return rng.choice(corpus[-10:])
            case _:
                return min(rng.choice(corpus), rng.choice(corpus), key=len)

    def try_input(self, data: bytes, *, watched: bool = False) -> bool:
        """Reads an input; whether it reached lines that none has reached."""
        self.announce(data)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        found: set[Line] = set()
        slower = self._watched.slower if watched else 1
        try:
            with limited_time(SECONDS * slower):
                if watched:
                    with self._watched.watching(found):
                        self.target.read(data)
                else:
                    self.target.read(data)
            end = "read"
        except DIAGNOSTICS:
            end = "diagnostics"
        except HangError:
            end = ""
        except Exception:
            end = "failures"
            self._fail(data, traceback.format_exc(limit=-4))
        seconds = (time.process_time() - start) / slower
        self.slowest = max(self.slowest, seconds)
        if not end or seconds > SECONDS:
            end = "failures"
            self._fail(data, f"more than {SECONDS:g} s")
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10
        if grown > MEGABYTES:
            end = "failures"
            self._fail(data, f"{grown} MB")
        self.outcomes[end] += 1
        is_new = not found <= self.lines
        self.lines |= found
        return is_new

    def _fail(self, data: bytes, what: str) -> None:
        failure = Failure(self.name, data, what)
        self.failures.setdefault(failure.kind, failure)


def save(failures: Sequence[Failure], folder: Path) -> None:
    """Writes inputs that were not read as they should be, and what came of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, failure in enumerate(failures):
        path = folder / f"{failure.target.replace(' ', '-')}-{number}"
        path.write_bytes(failure.data)
        path.with_suffix(".txt").write_text(failure.what)
