"""Programs compiled for the CPU of this machine: examples, random programs, the cache, errors."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.backend.host import host
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.driver.compiler.cpu import (
    Arguments,
    CompiledForCpu,
    CpuKernel,
    Launch,
    compile_for_cpu,
)
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.memory import PagedArray
from tileiras_xdsl.interpreter.run import entries_of
from tileiras_xdsl.targets.cpu import CPUS, CpuTarget

from ..strategies.programs import random_program


def described(array: np.ndarray[Any, Any]) -> list[Any]:
    """The arguments of an array: itself, its sizes, its strides."""
    return [array, *array.shape, *(stride // array.itemsize for stride in array.strides)]


def test_softmax():
    x = np.random.default_rng(0).standard_normal((40, 1000)).astype(np.float32)
    y = np.zeros_like(x)
    kernel = tx.compile(tx.examples["softmax"], "cpu")
    kernel.launch(3, [*described(x), *described(y)])
    wanted = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    wanted /= wanted.sum(1, keepdims=True)
    assert np.abs(y / wanted - 1).max() < 2e-6


@pytest.mark.parametrize("threads", [1, 2])
def test_gemm_of_tiles_that_are_cut(threads: int):
    rng = np.random.default_rng(1)
    a = rng.standard_normal((144, 80)).astype(np.float16)
    b = rng.standard_normal((80, 208)).astype(np.float16)
    c = np.zeros((144, 208), np.float16)
    args = [*described(a), *described(b), *described(c)]
    tx.compile(tx.examples["gemm"], "cpu").launch((2, 2), args, threads=threads)
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    # One rounding to f16 of a sum in f32.
    assert np.abs(c - wanted).max() <= 2**-11 * np.abs(wanted).max() + 1e-4


def test_attention():
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((128, 64)).astype(np.float16) for _ in range(3))
    o = np.zeros_like(q)
    args = [argument for each in (q, k, v, o) for argument in described(each)]
    tx.compile(tx.examples["attention"], "cpu").launch(2, args)
    scores = q.astype(np.float64) @ k.astype(np.float64).T / 8
    weights = np.exp(scores - scores.max(1, keepdims=True))
    wanted = weights @ v.astype(np.float64) / weights.sum(1, keepdims=True)
    assert np.abs(o - wanted).max() < 2e-3


V3 = CPUS["x86-64-v3"]
HAS_V3 = host().triple.startswith("x86_64") and all(
    each in host().features for each in V3.features.split(",")
)


@pytest.mark.skipif(not HAS_V3, reason="a CPU of less than x86-64-v3")
@pytest.mark.parametrize("name", ["softmax", "gemm"])
def test_registers_of_256_bits(name: str):
    example = tx.examples[name]
    args = example.make_args()
    compile_for_cpu(example, target=V3, cache=False).launch(example.grid, args)
    example.check(args)


SUPPORTED = (0, 1, 2, 3, 4, 5, 8, 17, 20, 24)
"""Seeds of random programs all of whose ops there are, atomics and globals among them."""


@pytest.mark.parametrize("seed", SUPPORTED)
def test_random_programs(seed: int):
    program = random_program(seed)
    wanted, found = program.arguments(), program.arguments()
    tx.run(program.module, program.grid, wanted, engine="interpreter")
    tx.compile(program.module, "cpu").launch(program.grid, found)
    for number, (x, y) in enumerate(zip(wanted, found, strict=True)):
        if isinstance(x, np.ndarray):
            assert np.asarray(x).tobytes() == np.asarray(y).tobytes(), number


REPORTS = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %i = iota : tile<4xi32>
    %j = reshape %i : tile<4xi32> -> tile<2x2xi32>
    %f = itof %j signed : tile<2x2xi32> -> tile<2x2xf16>
    %b, %c, %d = get_tile_block_id : tile<i32>
    print "%d: %.2f %x\\n", %b, %f, %i : tile<i32>, tile<2x2xf16>, tile<4xi32>
    %s1 = reshape %n : tile<i32> -> tile<1xi32>
    %s2 = broadcast %s1 : tile<1xi32> -> tile<4xi32>
    %ok = cmpi less_than %i, %s2, signed : tile<4xi32> -> tile<4xi1>
    assert %ok, "too small" : tile<4xi1>
    %t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}"""


def test_print(capsys: pytest.CaptureFixture[str]):
    kernel = tx.compile(REPORTS, "cpu", cache=False)
    out = np.zeros(1, np.int32)
    kernel.launch(2, [out, 4], threads=1)
    assert out[0] == 4, "what comes after an assertion that holds is done"
    lines = [f"{number}: [[0.00, 1.00], [2.00, 3.00]] [0, 1, 2, 3]\n" for number in range(2)]
    assert capsys.readouterr().out == "".join(lines)


@pytest.mark.parametrize("cache", [True, False])
def test_what_comes_after_an_assertion_that_fails_is_not_done(cache: bool):
    for _ in range(2):
        out = np.zeros(1, np.int32)
        message = r"assertion failed: too small \(CTA \(0, 0, 0\), lane \(2\)\)"
        with pytest.raises(ExecutionError, match=message):
            tx.compile(REPORTS, "cpu", cache=cache).launch(1, [out, 2])
        assert out[0] == 0


def test_the_cache_gives_back_what_was_compiled():
    first = tx.compile(tx.examples["vector_add"], "cpu", cache=True)
    second = tx.compile(tx.examples["vector_add"], "cpu", cache=True)
    assert (first.object, first.asm, first.llvm) == (second.object, second.asm, second.llvm)
    assert first.kernels == second.kernels


def test_what_is_compiled_can_be_looked_at():
    kernel = tx.compile(tx.examples["vector_add"], "cpu")
    assert isinstance(kernel, CompiledForCpu)
    assert "@vector_add(" in kernel.llvm
    assert "vector_add:" in kernel.asm


def test_arguments_that_do_not_fit():
    kernel = tx.compile(tx.examples["vector_add"], "cpu")
    array = np.zeros(8, np.float32)
    args = [*described(array), *described(array), *described(array)]
    read_only = array.view()
    read_only.flags.writeable = False
    for wrong in (
        *(args[:1], [1.0, *args[1:]], [array.astype(np.float64), *args[1:]]),
        *([*args[:1], 2.5, *args[2:]], [array.astype(">f4"), *args[1:]]),
    ):
        with pytest.raises(ExecutionError) as found:
            kernel.launch(1, wrong)
        with pytest.raises(ExecutionError) as wanted:
            tx.run(tx.examples["vector_add"], 1, wrong, engine="interpreter")
        assert str(found.value) == str(wanted.value)
    kernel.launch(1, [read_only, *args[1:]])
    with pytest.raises(ExecutionError, match=r"writes to 'argument 6 .*', which is read-only"):
        kernel.launch(1, [*args[:6], read_only, *args[7:]])
    with pytest.raises(ExecutionError, match="argument 0 is not all in memory"):
        kernel.launch(1, [PagedArray(np.float32, 8, np.zeros_like), *args[1:]])
    with pytest.raises(ExecutionError, match="a grid has one to three positive sizes"):
        kernel.launch(0, args)
    with pytest.raises(ExecutionError, match="there is no kernel @other, but @vector_add"):
        kernel.launch(1, args, entry="other")
    with pytest.raises(ExecutionError, match="expected at least one thread, but got 0"):
        kernel.launch(1, args, threads=0)


class OnlyDlpack:
    """A tensor of the CPU as other libraries have it."""

    def __init__(self, array: np.ndarray[Any, Any]):
        self.array = array

    def __dlpack__(self, **options: Any) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def test_tensors_of_other_libraries():
    a, b, c = (np.full(100, value, np.float32) for value in (1, 2, 0))
    args = [argument for each in (a, b, c) for argument in (OnlyDlpack(each), *described(each)[1:])]
    tx.compile(tx.examples["vector_add"], "cpu").launch(1, args)
    assert (c == 3).all()


def make_launch(
    call: Callable[[int, int], None], grid: tuple[int, int, int], progress: bool | None = None
) -> Launch:
    """A launch of a function of the first CTA of a range and the one after its last."""
    kernel = CpuKernel("k", 0, ())

    def function(_: int, first: int, end: int, *rest: int) -> None:
        call(first, end)

    linked: Any = SimpleNamespace(function=function)
    entry = entries_of(tx.load("cuda_tile.module @m { entry @k() { return } }"))["k"]
    return Launch(
        kernel, linked, grid, Arguments(entry, [], ()).packed, progress, [], range(prod(grid))
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_each_cta_runs_once(threads: int, capsys: pytest.CaptureFixture[str]):
    found: list[int] = []
    launch = make_launch(lambda first, end: found.extend(range(first, end)), (50, 20, 3), True)
    launch.run(threads)
    assert sorted(found) == list(range(3000))
    assert "3000/3000 CTAs" in capsys.readouterr().err


def test_waits_go_on_while_other_threads_run():
    """Tile blocks that other threads run when the first is done are not told to stop."""
    main, stopped = threading.get_ident(), list[bool]()

    def call(first: int, end: int) -> None:
        time.sleep(0.02)
        if threading.get_ident() != main:
            time.sleep(0.05)
            stopped.append(bool(launch._arguments._words[1]))  # pyright: ignore[reportPrivateUsage]

    launch = make_launch(call, (4, 1, 1))
    launch.run(2)
    assert stopped
    assert not any(stopped)


def test_errors_of_helpers_are_raised_and_end_the_launch():
    calls: list[int] = []
    main = threading.get_ident()

    def call(first: int, end: int) -> None:
        calls.append(first)
        if threading.get_ident() != main:
            raise MemoryError("of a helper")
        time.sleep(0.02)

    with pytest.raises(MemoryError, match="of a helper"):
        make_launch(call, (1000, 1, 1)).run(2)
    assert len(calls) < 100


def test_a_key_ends_a_long_launch():
    # What runs in the background may have been told to ignore keys.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    calls: list[int] = []

    def call(first: int, end: int) -> None:
        calls.append(first)
        time.sleep(0.02)
        if threading.current_thread() is threading.main_thread():
            signal.raise_signal(signal.SIGINT)

    try:
        with pytest.raises(KeyboardInterrupt):
            make_launch(call, (1000, 1, 1)).run(2)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(calls) < 100


@pytest.mark.parametrize(
    ("triple", "features", "bits", "rows"),
    [
        ("x86_64-unknown-linux-gnu", "avx2 avx512f avx512bw avx512dq avx512vl", 512, 8),
        ("x86_64-unknown-linux-gnu", "avx2 avx512f", 256, 4),
        ("x86_64-unknown-linux-gnu", "", 128, 4),
        ("aarch64-unknown-linux-gnu", "neon", 128, 8),
    ],
)
def test_registers_by_features(triple: str, features: str, bits: int, rows: int):
    target = CpuTarget.of(triple, "generic", dict.fromkeys(features.split(), True))
    assert (target.vector_bits, target.rows) == (bits, rows)


@pytest.mark.parametrize(
    ("parameter", "body", "message"),
    [
        ("token", "", "parameters of type '!nv_tileaa.mem_token' are not supported on a CPU"),
        ("tile<i32>", "%1 = alloca num_elem = 9223372036854775807, alignment = 8 : "
         "tile<ptr<i64>>", "'nv_tileaa.alloca' op is not supported on a CPU: 7378"),
    ],
)  # fmt: skip
def test_kernels_that_are_refused(parameter: str, body: str, message: str):
    text = f"cuda_tile.module @m {{ entry @k(%0: {parameter}) {{ {body}\nreturn }} }}"
    with pytest.raises(CompileError, match=message):
        tx.compile(text, "cpu")
