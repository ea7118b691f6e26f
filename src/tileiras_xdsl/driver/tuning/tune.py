"""
`tileiras_xdsl.tune`: the fastest configuration of a cuTile kernel.

Configurations are exported here, one after the other; predicted and compiled on an executor, the
best predictions first; and measured on GPUs as soon as they are compiled.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from math import prod
from pathlib import Path
from queue import SimpleQueue
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Protocol, TypedDict, Unpack, cast

import numpy as np
from xdsl.utils.exceptions import DiagnosticException, ParseError

from tileiras_xdsl.backend.driver import CudaError
from tileiras_xdsl.backend.launch_record import Abi
from tileiras_xdsl.cost.model import Launch, estimate_fitting
from tileiras_xdsl.cost.report import predict, why_not
from tileiras_xdsl.cost.warpgroups import UnknownScheduleError
from tileiras_xdsl.driver.compiler import cache as disk
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.compiled import own_gpu
from tileiras_xdsl.driver.compiler.many import ProgressBar, compile_many, use_executor
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL
from tileiras_xdsl.targets.machine import ComputeCapability, gpu_name
from tileiras_xdsl.targets.target import find_occupancy, target_of
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.xdsl_extras.public import choose_options, public, with_options

from .result import (
    Arguments,
    Candidate,
    Config,
    Database,
    Grid,
    Key,
    Prediction,
    Row,
    Space,
    Stored,
    TunedKernel,
    TuneError,
    TuneResult,
    list_configs,
)

if TYPE_CHECKING:
    from tileiras_xdsl.driver.compiler.compiled import Compiled


# Measures launches: on GPUs, or by whatever else stands in for them.
#
# Launches come in bursts, each behind a flush of L2, and the median counts: first a short burst of
# each configuration, then longer ones, by turns, of those that are close to the best.


FIRST_BURST: Final = 5
"""Launches of each configuration."""
CLOSE: Final = 1.1
"""How close to the best a configuration has to come to be measured again."""
TURNS: Final = 3
LAST_BURST: Final = 10
"""Launches in each of this many turns."""
WARM_UP: Final = 2


class Timer(Protocol):
    """What measures launches."""

    def identify(self, device: int) -> str:
        """The GPU, its driver, and how it is measured: what results depend on."""
        ...

    def time(
        self,
        compiled: Compiled,
        grid: tuple[int, int, int],
        arguments: Sequence[Any],
        *,
        device: int,
        repeat: int,
    ) -> Sequence[float]:
        """The milliseconds of each of this many launches, after some that do not count."""
        ...

    def launch(
        self,
        compiled: Compiled,
        grid: tuple[int, int, int],
        arguments: Sequence[Any],
        *,
        device: int,
    ) -> None:
        """Launches once, to see what comes out, and waits for it."""
        ...


class GpuTimer:
    """Measures on GPUs, by CUDA events."""

    def __init__(self, *, flush_l2: bool = True):
        self.flush_l2 = flush_l2
        self._moved: dict[tuple[int, int], tuple[Any, Any]] = {}
        """Arrays by their identity and a GPU, with their copies there."""

    def identify(self, device: int) -> str:
        from tileiras_xdsl.backend.cuda import Device

        gpu = Device.get(device)
        flushed = ", L2 flushed" if self.flush_l2 else ""
        return f"{gpu.name}, {gpu.sm_count} SMs, driver {gpu.driver_version}{flushed}"

    def time(
        self,
        compiled: Compiled,
        grid: tuple[int, int, int],
        arguments: Sequence[Any],
        *,
        device: int,
        repeat: int,
    ) -> Sequence[float]:
        kernel, flat = compiled.kernel(device=device), self._flatten(compiled, arguments, device)
        return kernel.time(grid, flat, repeat, WARM_UP, flush_l2=self.flush_l2)

    def launch(
        self,
        compiled: Compiled,
        grid: tuple[int, int, int],
        arguments: Sequence[Any],
        *,
        device: int,
    ) -> None:
        for argument in arguments:
            if self._move(argument, device) is not argument:
                raise TuneError(f"what a reference checks is in arrays of NumPy or on GPU {device}")
        compiled.launch(grid, arguments, device=device)
        compiled.kernel(device=device).synchronize()

    def _flatten(self, compiled: Compiled, arguments: Sequence[Any], device: int) -> Sequence[Any]:
        there = [self._move(argument, device) for argument in arguments]
        return there if compiled.function is None else compiled.function.flatten(there)

    def _move(self, argument: Any, device: int) -> Any:
        """An argument on a GPU: PyTorch's tensors are copied there once, NumPy's at each launch."""
        if isinstance(argument, tuple):
            parts = cast("tuple[Any, ...]", argument)
            moved = tuple(self._move(each, device) for each in parts)
            is_same = all(a is b for a, b in zip(moved, parts, strict=True))
            return parts if is_same else moved
        if isinstance(argument, np.ndarray | np.generic | int | float):
            return argument
        place: Any = getattr(argument, "device", None)
        if getattr(place, "type", None) == "cuda" and place.index == device:
            return argument
        if not callable(getattr(argument, "to", None)):
            if device == 0:
                return argument
            raise TuneError("arrays for several GPUs are those of NumPy or PyTorch")
        key = id(argument), device
        if key not in self._moved:
            self._moved[key] = argument, argument.to(f"cuda:{device}")
        return self._moved[key][1]


@dataclass
class Samples:
    """What was measured of a configuration."""

    milliseconds: list[float] = field(default_factory=list[float])

    @property
    def median(self) -> float:
        return median(self.milliseconds)


def poison(outputs: Mapping[str, Any]) -> None:
    """Fills arrays with what no kernel should leave there."""
    for array in outputs.values():
        is_torch = hasattr(array, "fill_")
        is_float = array.is_floating_point() if is_torch else array.dtype.kind not in "iub"
        value = float("nan") if is_float else 1
        if is_torch:
            array.fill_(value)
        else:
            array.fill(value)


def why_wrong(
    outputs: Mapping[str, Any], expected: Mapping[str, Any], rtol: float, atol: float
) -> str | None:
    """Why outputs are not what is expected; none if they are."""
    for name, wanted in expected.items():
        found = outputs[name]
        if tuple(found.shape) != tuple(wanted.shape):
            return f"'{name}' has shape {tuple(found.shape)}, not {tuple(wanted.shape)}"
        right = _count_close(found, wanted, rtol, atol)
        size = prod(found.shape)
        if right != size:
            return f"{size - right} of {size} elements of '{name}' are wrong"
    return None


def _count_close(found: Any, wanted: Any, rtol: float, atol: float) -> int:
    """How many elements are what they should be; arrays of PyTorch are compared where they are."""
    if hasattr(found, "isclose"):
        there = wanted.to(found.device).double()
        return int(found.double().isclose(there, rtol, atol, equal_nan=True).sum())
    one, other = (np.asarray(array).astype(np.float64) for array in (found, wanted))
    return int(np.isclose(one, other, rtol, atol, equal_nan=True).sum())


MARGIN: Final = 1.5
"""
Configurations that are predicted to take this many times as long as the best are dropped.
Predictions of one kernel for one launch have been off by up to 1.3 of each other (docs/tuning.md).
"""
KEEP: Final = 4
"""This many configurations are never dropped."""
WORKING: Final = ("measured", "known", "predicted")
"""What becomes of configurations that can be compiled."""
FATAL: Final = frozenset(
    f"CUDA_ERROR_{name}"
    for name in (
        *("ILLEGAL_ADDRESS", "MISALIGNED_ADDRESS", "INVALID_ADDRESS_SPACE", "INVALID_PC"),
        *("ILLEGAL_INSTRUCTION", "HARDWARE_STACK_ERROR", "LAUNCH_FAILED", "LAUNCH_TIMEOUT"),
        "ASSERT",
    )
)
"""Errors after which nothing can be launched in this process."""


@dataclass(frozen=True, kw_only=True)
class TuneOptions:
    """The options of `tileiras_xdsl.tune`, each of which is also a keyword of it."""

    constraint: Callable[[Config], bool] | None = None
    """Whether a configuration makes sense."""
    reference: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    """
    A function of the arguments by name that gives what some of them should contain after a launch,
    also by name. A configuration that leaves something else there fails.
    """
    rtol: float = 1e-2
    """How far from the reference elements may be, as in NumPy."""
    atol: float = 1e-2
    opt: int = DEFAULT_OPT_LEVEL
    """As in `CompileOptions`."""
    abi: Abi = "device-maps"
    devices: Sequence[int] | None = None
    """The numbers of the GPUs to measure on, all of one kind; by default the first."""
    timer: Timer | None = None
    """What measures, in place of `GpuTimer`."""
    executor: Executor | None = None
    """As in `compile_many`."""
    jobs: int | None = None
    timeout: float | None = None
    progress: bool | None = None
    margin: float | None = MARGIN
    """
    Configurations that the cost model predicts to take this many times as long as the best are
    dropped; `None` drops nothing.
    """
    database: bool | Path | None = None
    """Whether measurements are kept, or in which file; by default with the cache."""
    refresh: bool = False
    """Whether what the database knows is measured again."""

    def __post_init__(self):
        if self.margin is not None and not self.margin >= 1:
            raise TuneError(f"a margin is a number from 1 on, not {self.margin:g}")


class TuneKeywords(TypedDict, total=False):
    """The fields of `TuneOptions` as keywords."""

    constraint: Callable[[Config], bool] | None
    reference: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None
    rtol: float
    atol: float
    opt: int
    abi: Abi
    devices: Sequence[int] | None
    timer: Timer | None
    executor: Executor | None
    jobs: int | None
    timeout: float | None
    progress: bool | None
    margin: float | None
    database: bool | Path | None
    refresh: bool


@public
@with_options(TuneOptions)
def tune(
    program: Callable[..., object],
    grid: Grid,
    args: Arguments,
    space: Space,
    *,
    gpu: str | int | None = None,
    options: TuneOptions | None = None,
    **keywords: Unpack[TuneKeywords],
) -> TuneResult:
    """
    Finds the fastest configuration of a cuTile kernel.

    - grid: of the launch, or a function of a configuration that gives it;
    - args: of the function, without what is in the space: in order or by name. Or a function
      of a configuration that gives all of them in order, as in cuTile's own search. Arrays are
      those of NumPy, or of PyTorch;
    - space: values to try for constants of the kernel, and for its hints `num_ctas`, `occupancy`
      and `num_worker_warps`, by name; or a sequence of such configurations;
    - gpu: as in `compile`;
    - options: all others, as a `TuneOptions`, which says what they mean; or each as a keyword.

    Where there is no GPU, or one of another architecture, the cost model ranks alone.
    """
    start = perf_counter()
    chosen = choose_options(TuneOptions, options, keywords)
    gpu = None if gpu is None else gpu_name(gpu)
    configs = list_configs(space, chosen.constraint)
    measuring = find_devices(gpu, chosen.devices, chosen.timer)
    resolved = Options(gpu or own_gpu(), chosen.opt, abi=chosen.abi)
    tuned = TunedKernel(program, args, grid, resolved)
    tuned.check(configs)
    reference = chosen.reference
    session = Session(
        tuned,
        [Row(config) for config in configs],
        measuring,
        chosen.margin,
        None if chosen.database is False else _open_database(chosen.database),
        chosen.refresh,
        None if reference is None else _Checker(tuned, reference, chosen.rtol, chosen.atol),
    )
    with use_executor(chosen.executor, chosen.jobs, len(configs)) as used:
        session.predict(used)
        session.drop()
        session.run(used, chosen.timeout, chosen.progress)
    session.finish()
    result = TuneResult(
        tuned.name,
        session.rows,
        measuring.gpu,
        tuned.options.gpu,
        chosen.margin,
        perf_counter() - start,
        measuring.note,
    )
    # After a fault nothing can be unloaded.
    with suppress(CudaError):
        for row in result.rows[1:]:
            row.unload()
    return result


def _open_database(given: bool | Path | None) -> Database | None:
    if isinstance(given, Path):
        return Database(given)
    return Database() if given or disk.is_enabled() else None


@dataclass(frozen=True)
class Devices:
    """What launches are measured on."""

    timer: Timer | None
    """None where nothing can be measured."""
    numbers: Sequence[int] = (0,)
    gpu: str = ""
    note: str = ""
    sm_count: int | None = None


def find_devices(gpu: str | None, devices: Sequence[int] | None, timer: Timer | None) -> Devices:
    """What to measure on; asks for GPUs only where no timer is given."""
    numbers = (0,) if devices is None else tuple(devices)
    if not numbers:
        raise TuneError("there is no device to measure on")
    if timer is not None:
        return Devices(timer, numbers, _describe(timer, numbers))
    from tileiras_xdsl.backend.cuda import Device
    from tileiras_xdsl.backend.errors import BackendError, MissingToolError

    try:
        found = [Device.get(number) for number in numbers]
    except MissingToolError as error:
        if devices is not None:
            raise
        return Devices(None, note=f"Nothing was measured, as there is no GPU here ({error})")
    if gpu is not None:
        arch = Options(gpu).arch
        try:
            for device in found:
                device.check_runs(arch, is_ptx=False)
        except BackendError as error:
            if devices is not None:
                raise
            return Devices(None, note=f"Nothing was measured: {error}")
    timer = GpuTimer()
    return Devices(timer, numbers, _describe(timer, numbers), sm_count=found[0].sm_count)


def _describe(timer: Timer, numbers: Sequence[int]) -> str:
    """The GPU that all numbers are of."""
    names = dict.fromkeys(timer.identify(number) for number in numbers)
    if len(names) != 1:
        raise TuneError(f"the devices differ: {'; '.join(names)}")
    return next(iter(names))


@dataclass(frozen=True)
class PredictionJob:
    """What the cost model has to know, in a form that goes to other processes."""

    name: str
    data: bytes = field(repr=False)
    options: Options
    launch: Launch
    sm_count: int | None
    fitting: int | None = None
    """CTAs per SM that its code leaves room for, if that is known."""


def run_prediction(job: PredictionJob) -> Prediction | str:
    """A prediction from the schedule of a program, or why there is none."""
    try:
        module = Compilation(Program(job.name, job.data), job.options).lower("tileas")
        (function,), target = kernels(module), get_target(module)
        if job.sm_count is not None:
            target = replace(target, rates=replace(target.rates, sm_count=job.sm_count))
        estimate = estimate_fitting(function, target, job.launch, job.fitting)
    except (DiagnosticException, ParseError, RecursionError, UnknownScheduleError) as error:
        # What is wrong with the program, compiling it will tell.
        return f"no prediction: {error}"
    if estimate.guessed:
        return f"no prediction: {why_not(estimate)}"
    if (made := predict(estimate)) is None:
        return Prediction(estimate.milliseconds, False, estimate.limit, estimate.occupancy)
    return Prediction(made.microseconds / 1e3, True, made.bound, estimate.occupancy)


@dataclass(frozen=True)
class _Checker:
    """Compares what kernels compute with a reference."""

    tuned: TunedKernel
    reference: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    rtol: float
    atol: float
    _expected: dict[str, Any] = field(default_factory=dict[str, Any])

    def prepare(self, candidate: Candidate) -> None:
        """Asks the reference, which is the same for all configurations."""
        named = dict(zip(self.tuned.parameters, candidate.arguments, strict=True))
        self._expected.update(self.reference(named))
        if unknown := sorted(set(self._expected) - set(named)):
            raise TuneError(f"the reference names '{unknown[0]}', which is no parameter")

    def why_wrong(
        self, timer: Timer, compiled: Compiled, candidate: Candidate, device: int
    ) -> str | None:
        """Why the result of a launch is wrong; none if it is right."""
        named = dict(zip(self.tuned.parameters, candidate.arguments, strict=True))
        outputs = {name: named[name] for name in self._expected}
        poison(outputs)
        timer.launch(compiled, candidate.grid, candidate.arguments, device=device)
        return why_wrong(outputs, self._expected, self.rtol, self.atol)


@dataclass
class Session:
    """The configurations on their way."""

    tuned: TunedKernel
    rows: list[Row]
    devices: Devices
    margin: float | None
    database: Database | None
    refresh: bool
    checker: _Checker | None
    samples: dict[int, Samples] = field(default_factory=dict[int, Samples])
    """By the index of the row."""
    lost: str = ""
    """Why the CUDA context of this process is lost; empty as long as it is not."""
    check_lock: threading.Lock = field(default_factory=threading.Lock)
    free: SimpleQueue[int] = field(default_factory=SimpleQueue[int])
    """Devices that measure nothing at the moment."""

    def __post_init__(self):
        for number in self.devices.numbers:
            self.free.put(number)

    # Before anything is compiled

    def predict(self, executor: Executor) -> None:
        """Exports all configurations, and predicts them; looks up what is known of them."""
        pending: list[tuple[Row, Future[Prediction | str]]] = []
        for row in self.rows:
            try:
                row.candidate = self.tuned.make(row.config)
            except TuneError:
                raise
            except Exception as error:
                # The front end of cuTile has exceptions of its own for what it refuses.
                row.reason = f"{type(error).__name__}: {error}"
                continue
            row.status = "predicted"
            self._look_up(row, row.candidate)
            pending.append((row, executor.submit(run_prediction, self._job(row.candidate))))
        for row, future in pending:
            result = future.result()
            if isinstance(result, Prediction):
                row.prediction = result
            else:
                row.reason = result

    def _job(self, candidate: Candidate, fitting: int | None = None) -> PredictionJob:
        program = candidate.program
        assert program.data is not None
        return PredictionJob(
            *(program.name, program.data, candidate.options, candidate.launch),
            *(self.devices.sm_count, fitting),
        )

    def _predict_again(self, row: Row, executor: Executor) -> Future[Prediction | str] | None:
        """Predicts a compiled configuration whose code has room for fewer CTAs than expected."""
        if row.prediction is None or row.candidate is None:
            return None
        record = row.compiled.launch_record
        shared = max(record.static_shared, record.shared or 0)
        target = target_of(ComputeCapability.parse(record.arch))
        fits = find_occupancy(target, prod(record.threads or (1,)), record.registers, shared)
        if fits.ctas >= row.prediction.occupancy:
            return None
        return executor.submit(run_prediction, self._job(row.candidate, fits.ctas))

    def drop(self) -> None:
        """Drops what the cost model says cannot win, but never the few best."""
        predicted = [row for row in self.rows if row.prediction is not None]
        predicted.sort(key=lambda row: row.predicted or 0.0)
        if self.margin is None or not predicted:
            return
        best = predicted[0].predicted or 0.0
        for row in predicted[KEEP:]:
            assert row.predicted is not None
            if row.status == "predicted" and row.predicted > self.margin * best:
                row.status = "dropped"
                row.reason = f"predicted {row.predicted / best:.2f} times the best"

    # Compiling and measuring

    def run(self, executor: Executor, timeout: float | None, progress: bool | None) -> None:
        """Compiles and measures what is left; what was dropped only if nothing else works."""
        self._compile_and_measure(executor, timeout, progress)
        dropped = [row for row in self.rows if row.status == "dropped"]
        if dropped and not any(row.status in WORKING for row in self.rows):
            for row in dropped:
                row.status, row.reason = "predicted", ""
            self._compile_and_measure(executor, timeout, progress)

    def _compile_and_measure(
        self, executor: Executor, timeout: float | None, progress: bool | None
    ) -> None:
        """
        The best predictions first, each measured as soon as it is compiled; those only, if nothing
        can be measured: what others are worth is known without.
        """
        left = [index for index, row in enumerate(self.rows) if row.status == "predicted"]
        left.sort(key=lambda index: self.rows[index].predicted or 0.0)
        if self.devices.timer is None:
            left = left[:KEEP]
        if not left:
            return
        if left and self.checker is not None and self.devices.timer is not None:
            self.checker.prepare(self._candidate(left[0]))
        options = self.tuned.options
        bar = ProgressBar("tuning", len(left)) if ProgressBar.is_wanted(progress) else None
        with ExitStack() as stack:
            if bar is not None:
                stack.callback(bar.close)
            threads = stack.enter_context(ThreadPoolExecutor(len(self.devices.numbers)))
            outcomes = stack.enter_context(
                compile_many(
                    [self._candidate(index).program for index in left],
                    executor,
                    gpu=options.gpu,
                    opt=options.opt,
                    abi=options.abi,
                    timeout=timeout,
                    progress=False,
                )
            )
            measuring: list[Future[None]] = []
            predicting: list[tuple[Row, Future[Prediction | str]]] = []
            for done, outcome in enumerate(outcomes, 1):
                row = self.rows[left[outcome.index]]
                if outcome.error is not None:
                    row.status, row.reason = "failed", str(outcome.error)
                else:
                    row.keep(outcome.compiled)
                    if (again := self._predict_again(row, executor)) is not None:
                        predicting.append((row, again))
                    measuring.append(threads.submit(self._measure_first, left[outcome.index]))
                if bar is not None:
                    bar.show(done, sum(row.status == "failed" for row in self.rows))
            for each in measuring:
                each.result()
            for row, again in predicting:
                if isinstance(found := again.result(), Prediction):
                    row.prediction = found
        self._measure_close()
        if self.devices.timer is None and not any(self.rows[index].is_compiled for index in left):
            # The next best ones.
            self._compile_and_measure(executor, timeout, progress)

    def _measure_first(self, index: int) -> None:
        """Checks and measures a configuration for the first time, on a GPU that is free."""
        timer, row = self.devices.timer, self.rows[index]
        if timer is None:
            return
        device = self.free.get()
        try:
            if self.lost:
                raise TuneError(f"not measured, because the GPU was lost: {self.lost}")
            if self.checker is not None:
                with self.check_lock:
                    # References are where the arguments are.
                    first = self.devices.numbers[0]
                    candidate = self._candidate(index)
                    reason = self.checker.why_wrong(timer, row.compiled, candidate, first)
                if reason is not None:
                    row.status, row.reason = "failed", reason
                    return
            self.samples[index] = Samples(self._time(index, device, FIRST_BURST))
            row.status, row.reason = "measured", ""
        except DiagnosticException as error:
            self._fail(index, error)
        finally:
            self.free.put(device)

    def _measure_close(self) -> None:
        """
        Measures again, by turns and on one GPU, what is close to the best; what was measured while
        others were compiled does not count then.
        """
        times = {index: samples.median for index, samples in self.samples.items()}
        best = min(times.values(), default=0.0)
        close = [index for index, time in times.items() if time <= CLOSE * best]
        again = {index: Samples() for index in close}
        for _ in range(TURNS if len(close) > 1 else 0):
            for index in list(again):
                try:
                    times_again = self._time(index, self.devices.numbers[0], LAST_BURST)
                except DiagnosticException as error:
                    del again[index]
                    self._fail(index, error)
                else:
                    again[index].milliseconds += times_again
        self.samples |= {index: samples for index, samples in again.items() if samples.milliseconds}

    def _time(self, index: int, device: int, repeat: int) -> list[float]:
        timer, candidate, row = self.devices.timer, self._candidate(index), self.rows[index]
        assert timer is not None
        arguments = candidate.arguments
        return list(
            timer.time(row.compiled, candidate.grid, arguments, device=device, repeat=repeat)
        )

    def _fail(self, index: int, error: DiagnosticException) -> None:
        """Says why a configuration cannot be measured; after some faults no other can either."""
        self.samples.pop(index, None)
        row = self.rows[index]
        row.status, row.reason = "failed", str(error)
        if isinstance(error, CudaError) and error.name in FATAL:
            self.lost = f"{dict(row.config)} failed with {error.name}"

    def finish(self) -> None:
        """Writes what was measured into the table and the database."""
        for index, samples in self.samples.items():
            row = self.rows[index]
            row.milliseconds, row.samples = samples.median, len(samples.milliseconds)
            if self.database is not None:
                key = self._key(self._candidate(index))
                stored = Stored(row.milliseconds, row.samples)
                config = json.dumps(dict(row.config), default=str)
                self.database.store(key, stored, self.tuned.name, config)

    # What is known

    def _candidate(self, index: int) -> Candidate:
        candidate = self.rows[index].candidate
        assert candidate is not None
        return candidate

    def _look_up(self, row: Row, candidate: Candidate) -> None:
        if self.database is None or self.refresh or self.devices.timer is None:
            return
        stored = self.database.load(self._key(candidate))
        if stored is not None:
            row.status = "known"
            row.milliseconds, row.samples = stored.milliseconds, stored.samples

    def _key(self, candidate: Candidate) -> Key:
        assert candidate.program.data is not None
        what = {
            **asdict(candidate.options),
            "grid": candidate.grid,
            "values": candidate.launch.values,
            "bytes": candidate.launch.array_bytes,
        }
        digest = hashlib.sha256(json.dumps(what, sort_keys=True).encode())
        digest.update(candidate.program.data)
        return Key(digest.hexdigest(), self.devices.gpu, compiler_key())


@cache
def compiler_key() -> str:
    """A hash of all that takes part in compiling."""
    from tileiras_xdsl.backend.errors import MissingToolError
    from tileiras_xdsl.backend.libdevice import find_libdevice
    from tileiras_xdsl.backend.ptxas import Ptxas

    try:
        tools = (Ptxas.find().path, find_libdevice())
    except MissingToolError:
        tools = ()
    return disk.make_key(b"", {}, tools)
