"""`tileiras_xdsl.compile_many`: what it takes and streams, and what it survives."""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from importlib import import_module
from importlib.resources import files
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.driver.compiler import cache as disk
from tileiras_xdsl.driver.compiler import many
from tileiras_xdsl.driver.compiler.cache import CacheEntry
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.driver.compiler.many import Job, JobResult, ProgressBar, Variant, call_within
from tileiras_xdsl.driver.compiler.options import OptionError, Options
from tileiras_xdsl.driver.compiler.processes import LocalProcesses, LostProcessError

from ..harness.cases import every
from ..harness.commands import python

DEMOS = Path(str(files("tileiras_xdsl.driver.demos")))
ADD, MATMUL, SOFTMAX = (DEMOS / f"{name}.tileirbc" for name in ("vector_add", "matmul", "softmax"))
WRONG = """\
cuda_tile.module @kernels {
  cuda_tile.entry @wrong(%0: !cuda_tile.tile<f32>) {
    %1 = cuda_tile.addi %0, %0 : !cuda_tile.tile<f32>
    cuda_tile.return
  }
}
"""


class HereExecutor(Executor):
    """Runs everything at once in this thread."""

    def __init__(self):
        self.jobs: list[Job] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.jobs += [each for each in args if isinstance(each, Job)]
        future: Future[Any] = Future()
        # As far as other processes can be trusted to.
        call = pickle.loads(pickle.dumps((fn, args, kwargs)))
        try:
            future.set_result(pickle.loads(pickle.dumps(call[0](*call[1], **call[2]))))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.fixture
def here() -> HereExecutor:
    return HereExecutor()


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE", "1")
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE_DIR", str(folder))
    return folder


# What it takes and gives


VARIANTS: list[tuple[Path | Variant, Path, str, int]] = [
    (ADD, ADD, "sm_90", 3),
    (Variant(ADD, opt=0), ADD, "sm_90", 0),
    (Variant(ADD, gpu="sm_80"), ADD, "sm_80", 3),
    (SOFTMAX, SOFTMAX, "sm_90", 3),
]
"""Programs, and what they are compiled from and for."""


@pytest.mark.parametrize("count", every(2, [2, 4]))
def test_local_processes_give_what_compile_gives(count: int):
    programs = [program for program, *_ in VARIANTS[:count]]
    outcomes = tx.compile_many(programs, jobs=2, gpu="sm_90", cache=False).results()
    assert [outcome.index for outcome in outcomes] == list(range(count))
    for outcome, (_, source, gpu, opt) in zip(outcomes, VARIANTS, strict=False):
        single = tx.compile(source, gpu, opt=opt, cache=False)
        found = outcome.get()
        assert (found.cubin, found.ptx, found.records) == (single.cubin, single.ptx, single.records)
        assert (found.options, found.remarks) == (single.options, single.remarks)
        assert outcome.seconds > 0
        assert found.time
        assert "nvvm" in found.stages


def test_modules_travel_as_text(here: HereExecutor):
    (outcome,) = tx.compile_many([tx.load(ADD)], here, gpu="sm_90")
    assert outcome.get().cubin == tx.compile(ADD, "sm_90").cubin
    assert b"cuda_tile.entry" in here.jobs[0].data


def test_errors_are_collected(here: HereExecutor):
    stream = tx.compile_many(
        [WRONG, ADD, "no/such/file", Variant(ADD, gpu="sm_1")], here, gpu="sm_90"
    )
    outcomes = stream.results()
    assert [outcome.ok for outcome in outcomes] == [False, True, False, False]
    assert [outcome.index for outcome in stream.errors] == [0, 2, 3]
    assert all(len(repr(outcome)) < 140 for outcome in stream.results())
    assert repr(stream.errors[0]).startswith("Outcome(0: failed: ")
    wrong, _, missing, gpu = (outcome.error for outcome in outcomes)
    assert isinstance(wrong, CompileError)
    assert str(wrong).startswith("<text>:3:")
    assert wrong.report.place.line == 3
    assert isinstance(missing, FileNotFoundError)
    assert isinstance(gpu, OptionError)
    with pytest.raises(CompileError):
        outcomes[0].get()


def test_the_first_error_is_raised_if_asked_for(here: HereExecutor):
    with pytest.raises(CompileError):
        tx.compile_many([WRONG, ADD], here, gpu="sm_90", raise_errors=True).results()


def test_failures_inside_end_one_program_only(monkeypatch: pytest.MonkeyPatch):
    def fail(compilation: Any) -> CacheEntry:
        raise AssertionError("out of luck")

    monkeypatch.setattr(many, "run", fail)
    with ThreadPoolExecutor(1) as executor:
        (outcome,) = tx.compile_many([ADD], executor, gpu="sm_90")
    assert isinstance(outcome.error, CompileError)
    assert "internal error" in str(outcome.error)
    assert "out of luck" in str(outcome.error)


def test_nothing_to_do():
    assert tx.compile_many([], gpu="sm_90").results() == []


def test_variants_of_a_kernel_of_cutile(
    here: HereExecutor, oracle_module: Callable[[str], ModuleType]
):
    oracle_module("cuda.tile")
    scale_and_add: Any = import_module("..cutile_kernels", __package__).scale_and_add
    arrays = [tx.array("float32", 1)] * 3
    variants = [
        Variant(scale_and_add, [*arrays, 1.0, tile], {"occupancy": occupancy})
        for tile in (256, 512)
        for occupancy in (1, 2)
    ]
    outcomes = tx.compile_many(variants, here, gpu="sm_90").results()
    assert all(outcome.get().function is not None for outcome in outcomes)
    assert len({job.data for job in here.jobs}) == 4
    refused = tx.compile_many([Variant(ADD, hints={"occupancy": 1})], here, gpu="sm_90").results()
    assert "hints are for cuTile kernels" in str(refused[0].error)


# Streaming


class SlowExecutor(Executor):
    """Finishes calls only when it is told to."""

    def __init__(self):
        self.futures: list[Future[JobResult]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[JobResult] = Future()
        self.futures.append(future)
        return future


def test_results_come_as_they_are_ready():
    executor = SlowExecutor()
    single = tx.compile(ADD, "sm_90", cache=False)
    entry = CacheEntry(single.cubin, single.ptx, "[]")
    stream = tx.compile_many([ADD, SOFTMAX, MATMUL], executor, gpu="sm_90", cache=False)

    def finish() -> None:
        while len(executor.futures) < 3:
            time.sleep(0.001)
        executor.futures[2].set_result(JobResult(entry))

    thread = threading.Thread(target=finish)
    thread.start()
    assert next(stream).index == 2
    thread.join()
    executor.futures[0].set_result(JobResult(entry))
    assert next(stream).index == 0
    stream.close()
    assert executor.futures[1].cancelled()


def test_programs_are_taken_while_others_are_done(here: HereExecutor):
    taken: list[int] = []

    def programs() -> Any:
        for number in range(3):
            taken.append(number)
            yield ADD

    stream = tx.compile_many(programs(), here, gpu="sm_90")
    next(stream)
    assert taken == [0]
    assert len(stream.results()) == 3


def test_progress_bar():
    stream = StringIO()
    bar = ProgressBar("compiling", 4, stream)
    bar.show(2, 1)
    assert stream.getvalue().endswith(f"compiling [{'#' * 15}{'-' * 15}] 2/4, 1 failed")
    assert not ProgressBar.is_wanted(None, stream)
    assert ProgressBar.is_wanted(True, stream)
    bar.close()
    assert stream.getvalue().endswith("\r\033[K")


def test_the_bar_is_gone_while_an_outcome_is_looked_at(
    here: HereExecutor, capsys: pytest.CaptureFixture[str]
):
    for outcome in tx.compile_many([ADD, WRONG], here, gpu="sm_90", progress=True):
        assert capsys.readouterr().err.endswith("\r\033[K")
        assert outcome.index < 2
    assert capsys.readouterr().err == f"\r\033[Kcompiling [{'#' * 30}] 2/2, 1 failed\r\033[K"


# The cache


def test_what_the_cache_has_goes_nowhere(here: HereExecutor):
    (first,) = tx.compile_many([ADD], here, gpu="sm_90")
    assert (first.is_cached, len(here.jobs)) == (False, 1)
    (second,) = tx.compile_many([ADD], here, gpu="sm_90")
    assert (second.is_cached, len(here.jobs)) == (True, 1)
    assert second.get().cubin == first.get().cubin
    (third,) = tx.compile_many([ADD], here, gpu="sm_90", cache=False)
    assert (third.is_cached, len(here.jobs)) == (False, 2)


@pytest.mark.long
def test_processes_share_the_cache(own_cache: Path):
    outcomes = tx.compile_many([ADD] * 4, jobs=2, gpu="sm_90").results()
    assert len({outcome.get().cubin for outcome in outcomes}) == 1
    assert len(list(own_cache.glob("??/*.kernel"))) == 1
    assert not list(own_cache.glob("??/.*"))


def test_writers_and_readers_at_once_with_too_little_room(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
):
    """Every reader finds what was written under its key, or nothing."""
    monkeypatch.setenv(disk.LIMIT_VARIABLE, "20000")
    keys = [hashlib.sha256(bytes([number])).hexdigest() for number in range(16)]
    found: list[bool] = []

    def work(first: int) -> None:
        for turn in range(60):
            key = keys[(first + turn * 7) % len(keys)]
            disk.store(key, CacheEntry(key.encode() * 50, key, "[]"))
            other = keys[(first + turn * 3) % len(keys)]
            if (entry := disk.load(other)) is not None:
                found.append(entry == CacheEntry(other.encode() * 50, other, "[]"))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert found
    assert all(found)
    assert sum(path.stat().st_size for path in own_cache.glob("??/*")) <= 20_000 + 4 * 3500


def test_a_file_that_is_removed_while_it_is_read_counts(monkeypatch: pytest.MonkeyPatch):
    entry = CacheEntry(b"cubin", "ptx", "[]")
    disk.store("ab" * 32, entry)

    def remove(path: Path) -> None:
        path.unlink()
        raise FileNotFoundError

    monkeypatch.setattr(disk.os, "utime", remove)
    assert disk.load("ab" * 32) == entry
    assert disk.load("ab" * 32) is None


def test_what_killed_processes_were_writing_is_removed(own_cache: Path):
    left = own_cache / "ab" / ".cd.kernel.12345678"
    current = own_cache / "ab" / ".ef.kernel.12345678"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    current.write_bytes(b"half")
    os.utime(left, (0, 0))
    disk.store("ab" * 32, CacheEntry(b"cubin", "ptx", "[]"))
    assert (left.exists(), current.exists()) == (False, True)


# What it survives


def test_other_files_of_the_compiler_are_refused():
    result = many.run_job(Job("x", ADD.read_bytes(), Options("sm_90"), compiler="other"))
    assert "another version of tileiras-xdsl" in str(result.error)


@pytest.mark.long
def test_a_process_that_dies_fails_one_call():
    with LocalProcesses(1) as executor:
        lost = executor.submit(os._exit, 3)
        alive = executor.submit(os.getpid)
        with pytest.raises(LostProcessError, match="ended with exit code 3"):
            lost.result()
        assert alive.result() != os.getpid()


def test_exceptions_and_output_of_calls():
    with LocalProcesses(1) as executor:
        with pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 1, 0).result()
        assert executor.submit(print, "in between").result() is None
        assert executor.submit(len, b"x" * (1 << 20)).result() == 1 << 20


def test_shutdown_does_not_wait_for_calls():
    executor = LocalProcesses(1)
    future = executor.submit(time.sleep, 600)
    while not future.running():
        time.sleep(0.01)
    executor.shutdown(wait=False, cancel_futures=True)
    with pytest.raises(LostProcessError):
        future.result(60)


@pytest.mark.long
def test_scripts_without_a_guard_are_not_run_again(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(
        "import tileiras_xdsl as tx\n"
        f"outcomes = tx.compile_many([{str(ADD)!r}], gpu='sm_90').results()\n"
        "print('compiled', len(outcomes[0].get().cubin) > 0)\n"
    )
    assert python(str(script)).out == "compiled True\n"


def test_timeouts():
    def sleep() -> None:
        time.sleep(600)

    with pytest.raises(many.TooLongError, match=r"longer than 0\.05 s"):
        call_within(0.05, sleep)
    with ThreadPoolExecutor(1) as executor:
        ended = threading.Event()
        future = executor.submit(call_within, 0.05, lambda: ended.wait(60))
        with pytest.raises(many.TooLongError):
            future.result()
        ended.set()
    assert call_within(60, lambda: 3) == 3
    assert call_within(None, lambda: 3) == 3


@pytest.mark.long
def test_a_program_that_takes_too_long():
    with LocalProcesses(1) as executor:
        outcomes = tx.compile_many(
            [MATMUL, ADD], executor, gpu="sm_90", cache=False, timeout=1e-3
        ).results()
    assert all(isinstance(outcome.error, many.TooLongError) for outcome in outcomes)


def test_errors_keep_their_parts_on_the_way(here: HereExecutor):
    (outcome,) = tx.compile_many([WRONG], here, gpu="sm_90")
    error = outcome.error
    assert isinstance(error, CompileError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.report) == (str(error), error.report)
