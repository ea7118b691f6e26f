"""
`tileiras_xdsl.compile_many`: many programs, or variants of one, on any executor of
`concurrent.futures`.

What travels to another process is a `Job`, bytecode or text and options; what travels back is what
the cache would keep. Modules and cuTile kernels become programs in this process, where they are.
"""

from __future__ import annotations

import hashlib
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache as once
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Self, TextIO, TypeVar, cast

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.backend.launch_record import Abi
from tileiras_xdsl.frontend.load import Program, print_bytes
from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL
from tileiras_xdsl.targets.machine import gpu_name

from . import cache as disk
from .compilation import Compilation, Time
from .compiled import Compiled, CompileError, cache_key, explain_error, make_compiled, own_gpu, run
from .options import OptionError, Options, find_mode
from .pass_plan import position_of, step_at
from .processes import LocalProcesses

if TYPE_CHECKING:
    from tileiras_xdsl.frontend.load import Source

_BAR: Final = 30
"""Characters of a progress bar."""
_LONGEST: Final = 100
"""Characters of an error in a line."""

Item = TypeVar("Item")


class TooLongError(DiagnosticException):
    """A program that took longer to compile than it was given."""


class OtherCompilerError(DiagnosticException):
    """A process that has other files of this package than the one that sent it a program."""


@dataclass(frozen=True)
class Variant:
    """
    A program with options of its own; those that are none are the same for all programs.
    """

    program: Source
    args: Sequence[object] | None = None
    """Of a cuTile kernel, those that it is compiled for."""
    hints: Mapping[str, object] = field(default_factory=dict[str, object])
    """Of a cuTile kernel: `num_ctas`, `occupancy`, `num_worker_warps`, as its decorator has."""
    gpu: str | int | None = None
    opt: int | None = None
    abi: Abi | None = None
    lineinfo: bool | None = None
    device_debug: bool | None = None
    deterministic: bool | None = None

    def make_program(self, gpu: str) -> Program:
        """The program, with its hints."""
        program: Any = self.program
        if self.hints:
            from tileiras_xdsl.frontend.cutile_kernels import is_kernel

            if not is_kernel(program):
                raise DiagnosticException("hints are for cuTile kernels, which this is not")
            program = cast("Any", program).replace_hints(**self.hints)
        return Program.of(program, self.args, gpu)


@dataclass(frozen=True)
class Job:
    """A compilation in a form that goes to other processes."""

    name: str
    data: bytes = field(repr=False)
    options: Options
    explain: bool = False
    cache: bool = True
    isolate: bool = True
    timeout: float | None = None
    """Seconds."""
    compiler: str = ""
    """The digest of the files of the process that sends it, see `source_digest`."""
    position: int | None = None
    """How far the pipeline is, of a program between passes, see `pass_plan.position_of`."""


@dataclass(frozen=True)
class JobResult:
    """The result of a job: an entry of the cache, or what went wrong."""

    entry: disk.CacheEntry | None
    error: Exception | None = None
    times: tuple[Time, ...] = ()
    seconds: float = 0.0
    is_cached: bool = False


@dataclass(frozen=True, repr=False)
class Outcome:
    """What became of one of many programs."""

    index: int
    """Among the programs that were given."""
    variant: Variant
    compiled: Compiled | None
    error: Exception | None
    """A `CompileError` says where it is; anything else is about options, tools or processes."""
    seconds: float = 0.0
    """That the compilation took, where it was run."""
    is_cached: bool = False

    def __repr__(self) -> str:
        if self.error is not None:
            what = f"failed: {str(self.error).partition(chr(10))[0]}"
            what = what if len(what) <= _LONGEST else f"{what[: _LONGEST - 1]}…"
        elif self.is_cached:
            what = "found in the cache"
        else:
            what = f"compiled in {self.seconds:.2f} s"
        return f"Outcome({self.index}: {what})"

    @property
    def ok(self) -> bool:
        return self.error is None

    def get(self) -> Compiled:
        """The program that was compiled; raises what went wrong."""
        if self.error is not None:
            raise self.error
        assert self.compiled is not None
        return self.compiled


@once
def source_digest() -> str:
    """A hash of what is in the files of this package, which is the same on every machine."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[2]
    for path in sorted(root.rglob("*.py")):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def run_job(job: Job) -> JobResult:
    """Runs a job; whatever is wrong with it is part of the result."""
    start = perf_counter()
    if job.compiler != source_digest():
        return JobResult(
            None,
            OtherCompilerError(
                "the process that was to compile it has another version of tileiras-xdsl"
            ),
        )
    after = None if job.position is None else step_at(job.position)
    program = Program(job.name, job.data, after=after)
    compilation = Compilation(program, job.options, isolate=job.isolate, explain=job.explain)
    try:
        is_kept = job.cache and after is None
        key = cache_key(program, job.options, explain=job.explain) if is_kept else None
        mode = find_mode()
        entry = None if key is None or mode is not None else disk.load(key)
        is_cached = entry is not None
        if entry is None:
            if mode is not None:
                from tileiras_xdsl.checking.validation.validator import Validator

                Validator(compilation, mode)
            entry = call_within(job.timeout, lambda: run(compilation))
            if key is not None:
                disk.store(key, entry)
    except (CompileError, TooLongError) as error:
        return JobResult(None, error, seconds=perf_counter() - start)
    except Exception as error:
        # The other programs go on; what is our own fault is called an internal error.
        return JobResult(None, _explain(compilation, error), seconds=perf_counter() - start)
    times = tuple(compilation.times)
    return JobResult(entry, None, times, perf_counter() - start, is_cached)


def _explain(compilation: Compilation, error: Exception) -> Exception:
    from tileiras_xdsl.backend.errors import MissingToolError

    # Nothing is wrong with a program where ptxas is missing.
    return error if isinstance(error, MissingToolError) else explain_error(compilation, error)


def call_within(seconds: float | None, function: Callable[[], Item]) -> Item:
    """
    The result of a function; `TooLongError` if it takes longer. In a main thread a signal ends it.
    In others it is left to itself, as threads cannot be ended.
    """
    if seconds is None:
        return function()
    error = TooLongError(f"error: compilation took longer than {seconds:g} s")
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and hasattr(signal, "setitimer"):

        def give_up(*_: object) -> None:
            raise error

        before = signal.signal(signal.SIGALRM, give_up)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return function()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    future: Future[Item] = Future()

    def call() -> None:
        try:
            future.set_result(function())
        except BaseException as raised:
            future.set_exception(raised)

    threading.Thread(target=call, daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError:
        raise error from None


class ProgressBar:
    """A line at the bottom of a terminal that says how far things are."""

    def __init__(self, what: str, total: int | None, stream: TextIO | None = None):
        self.what = what
        self.total = total
        self.stream = sys.stderr if stream is None else stream

    @staticmethod
    def is_wanted(given: bool | None, stream: TextIO | None = None) -> bool:
        """Whether there is to be one: by default on terminals."""
        return (stream or sys.stderr).isatty() if given is None else given

    def show(self, done: int, failed: int) -> None:
        filled = _BAR * done // self.total if self.total else 0
        count = f"{done}/{self.total}" if self.total is not None else f"{done}"
        failures = f", {failed} failed" if failed else ""
        bar = "#" * filled + "-" * (_BAR - filled)
        self.stream.write(f"\r\033[K{self.what} [{bar}] {count}{failures}")
        self.stream.flush()

    def close(self) -> None:
        """Removes the line."""
        self.stream.write("\r\033[K")
        self.stream.flush()


@dataclass
class CompiledMany(Iterator[Outcome]):
    """
    What becomes of many programs, in the order in which they are ready. `results` has them in the
    order in which they were given.

    As a context manager it ends the processes that are its own when it is left early.
    """

    _outcomes: Generator[Outcome]
    _done: list[Outcome] = field(default_factory=list[Outcome])

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Outcome:
        outcome = next(self._outcomes)
        self._done.append(outcome)
        return outcome

    def results(self) -> list[Outcome]:
        """All outcomes, when all are there, in the order of the programs."""
        for _ in self:
            pass
        return sorted(self._done, key=lambda outcome: outcome.index)

    @property
    def errors(self) -> list[Outcome]:
        """The programs that could not be compiled, of those that are done."""
        return [outcome for outcome in self._done if not outcome.ok]

    def close(self) -> None:
        """Gives up what is not done."""
        self._outcomes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def compile_many(
    programs: Iterable[Source | Variant],
    executor: Executor | None = None,
    *,
    jobs: int | None = None,
    gpu: str | int | None = None,
    opt: int = DEFAULT_OPT_LEVEL,
    lineinfo: bool = False,
    device_debug: bool = False,
    abi: Abi = "device-maps",
    deterministic: bool = False,
    cache: bool | None = None,
    explain: bool = False,
    timeout: float | None = None,
    raise_errors: bool = False,
    progress: bool | None = None,
) -> CompiledMany:
    """
    Compiles programs, each of which is what `compile` takes, or a `Variant`. Results come as they
    are ready; an error is part of a result and ends nothing else.

    - executor: any of `concurrent.futures`; by default as many processes of this machine as `jobs`
      says, or one for each core. It stays open; the processes of the default end with the
      iteration;
    - gpu, opt, lineinfo, device_debug, abi, deterministic, cache, explain: as in `compile`, for
      programs that do not say it themselves;
    - timeout: seconds for each program;
    - raise_errors: whether the first error is raised;
    - progress: whether there is a progress bar on standard error; by default on terminals.
    """
    if isinstance(programs, str | bytes):
        raise OptionError("compile_many takes several programs, so give a list: [program]")
    count = len(programs) if isinstance(programs, Sequence) else None
    defaults = Variant(
        "",
        gpu=gpu,
        opt=opt,
        abi=abi,
        lineinfo=lineinfo,
        device_debug=device_debug,
        deterministic=deterministic,
    )
    stream = _Stream(
        defaults,
        explain=explain,
        cache=disk.is_enabled() if cache is None else cache,
        timeout=timeout,
    )
    bar = ProgressBar("compiling", count) if ProgressBar.is_wanted(progress) else None

    def iterate() -> Generator[Outcome]:
        if count == 0:
            return
        failed = 0
        if bar is not None:
            bar.show(0, 0)
        with use_executor(executor, jobs, count) as used:
            try:
                for done, outcome in enumerate(stream.run(programs, used), 1):
                    if outcome.error is not None and raise_errors:
                        raise outcome.error
                    failed += not outcome.ok
                    # What is printed about an outcome must not be in one line with the bar.
                    if bar is not None:
                        bar.close()
                    yield outcome
                    if bar is not None:
                        bar.show(done, failed)
            finally:
                if bar is not None:
                    bar.close()

    return CompiledMany(iterate())


@contextmanager
def use_executor(
    given: Executor | None, jobs: int | None, count: int | None
) -> Generator[Executor]:
    """The executor that was given, or processes of this machine that end with the context."""
    if given is not None:
        yield given
        return
    own = LocalProcesses(jobs, at_most=count)
    try:
        yield own
    finally:
        own.shutdown(wait=False, cancel_futures=True)


@dataclass
class _Stream:
    """Programs on their way through an executor."""

    defaults: Variant
    explain: bool
    cache: bool
    timeout: float | None

    def run(self, programs: Iterable[Source | Variant], executor: Executor) -> Generator[Outcome]:
        """Outcomes as they are ready; programs are exported while others are compiled."""
        pending: dict[Future[JobResult], tuple[int, Variant, Program, Options]] = {}
        try:
            for index, given in enumerate(programs):
                variant = given if isinstance(given, Variant) else Variant(given)
                submitted = self._submit(index, variant, executor)
                if isinstance(submitted, Outcome):
                    yield submitted
                else:
                    future, program, options = submitted
                    pending[future] = index, variant, program, options
                for future in [each for each in pending if each.done()]:
                    yield self._outcome(future, *pending.pop(future))
            while pending:
                done, _ = wait(list(pending), return_when=FIRST_COMPLETED)
                for future in done:
                    yield self._outcome(future, *pending.pop(future))
        finally:
            for future in pending:
                future.cancel()

    def _submit(
        self, index: int, variant: Variant, executor: Executor
    ) -> Outcome | tuple[Future[JobResult], Program, Options]:
        """Sends a program to the executor; its outcome if that is known already."""
        try:
            options = self._options(variant)
            program = variant.make_program(options.gpu)
            key = cache_key(program, options, explain=self.explain) if self.cache else None
            entry = None if key is None else disk.load(key)
            if entry is not None:
                compiled = make_compiled(program, options, entry)
                return Outcome(index, variant, compiled, None, is_cached=True)
            job = Job(
                program.name,
                _to_bytes(program),
                options,
                self.explain,
                self.cache,
                # Our own processes are expendable, those of others are not.
                not isinstance(executor, LocalProcesses),
                self.timeout,
                source_digest(),
                None if program.after is None else position_of(program.after),
            )
        except Exception as error:
            # The front end of cuTile has exceptions of its own for what it refuses.
            return Outcome(index, variant, None, error)
        return executor.submit(run_job, job), program, options

    def _options(self, variant: Variant) -> Options:
        def choose(name: str) -> Any:
            own = getattr(variant, name)
            return getattr(self.defaults, name) if own is None else own

        return Options(
            gpu_name(choose("gpu") or own_gpu()),
            choose("opt"),
            choose("lineinfo"),
            choose("device_debug"),
            choose("abi"),
            deterministic=choose("deterministic"),
        )

    def _outcome(
        self,
        future: Future[JobResult],
        index: int,
        variant: Variant,
        program: Program,
        options: Options,
    ) -> Outcome:
        error = future.exception()
        if error is not None:
            if not isinstance(error, Exception):
                raise error
            return Outcome(index, variant, None, error)
        result = future.result()
        if result.entry is None:
            return Outcome(index, variant, None, result.error, result.seconds)
        compiled = make_compiled(program, options, result.entry, result.times)
        return Outcome(index, variant, compiled, None, result.seconds, result.is_cached)


def _to_bytes(program: Program) -> bytes:
    """A program as bytecode or text."""
    if program.data is not None:
        return program.data
    assert program.module is not None
    return print_bytes(program.module)
