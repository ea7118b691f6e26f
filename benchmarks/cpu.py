# pyright: basic
"""
How fast compiled kernels are on this CPU, against NumPy, OpenBLAS and copies.

    python benchmarks/cpu.py [NAME …] [--rounds 15]

A row is a kernel of cuTile, compiled by `tx.compile(kernel, "cpu")`, and its peer. Both run on one
thread, by turns, so that other work on the machine hurts both; the least time of each counts: of
the thread on its processor, and wall time where there are two threads. The ratio is the time of the
peer divided by ours. Results are compared with those of f64, and the greatest error is printed, as
a part of the greatest result. `NAME` is the start of a row's name.

The last row is processor time of a fresh process: to compile attention, and to import what that
takes.
"""

from __future__ import annotations

import os

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

import argparse
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np

import tileiras_xdsl as tx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "gpu"))
kernels: Any = import_module("kernels")

Const = ct.Constant[int]
Run = Callable[[], object]


@ct.kernel
def gelu(x, out, tile: Const):
    block = ct.bid(0)
    t = ct.load(x, block, (tile,))
    ct.store(out, block, 0.5 * t * (1.0 + ct.tanh(0.7978845608 * (t + 0.044715 * t * t * t))))


@ct.kernel
def exp(x, out, tile: Const):
    ct.store(out, ct.bid(0), ct.exp(ct.load(x, ct.bid(0), (tile,))))


@ct.kernel
def tanh(x, out, tile: Const):
    ct.store(out, ct.bid(0), ct.tanh(ct.load(x, ct.bid(0), (tile,))))


@dataclass
class Row:
    """A kernel and its peer."""

    name: str
    peer: str
    wanted: float
    """The ratio to reach."""
    ours: Run
    theirs: Run
    error: Callable[[], float]
    """Of our result."""
    clock: Callable[[], float] = time.thread_time


def launcher(kernel: Any, grid: Any, args: list[Any], threads: int = 1) -> Run:
    compiled = tx.compile(kernel, "cpu", args=args)
    return lambda: compiled.launch(grid, args, threads=threads)


def distance(found: Any, wanted: Any) -> float:
    """The greatest error, as a part of the greatest result."""
    wanted = np.asarray(wanted).astype(np.float64)
    return float(np.abs(found.astype(np.float64) - wanted).max() / np.abs(wanted).max())


RNG = np.random.default_rng(0)


def normal(*shape: int, dtype: Any = np.float32) -> Any:
    return RNG.standard_normal(shape).astype(np.float32).astype(dtype)


def gemms() -> Iterator[Row]:
    size, m, n, k = 1024, 128, 128, 64
    a, b = normal(size, size), normal(size, size)
    product = np.empty((size, size), np.float32)

    def blas() -> None:
        np.matmul(a, b, out=product)

    for name, dtype, wanted in (
        ("f32", np.float32, 0.7),
        ("f16", np.float16, 0.6),
        ("bf16", ml_dtypes.bfloat16, 0.6),
        ("e4m3", ml_dtypes.float8_e4m3fn, 0.6),
        ("e5m2", ml_dtypes.float8_e5m2, 0.6),
    ):
        x, y, c = a.astype(dtype), b.astype(dtype), np.empty((size, size), np.float32)
        run = launcher(kernels.matmul, (size // m) * (size // n), [x, y, c, m, n, k])

        def error(x: Any = x, y: Any = y, c: Any = c) -> float:
            return distance(c, x.astype(np.float64) @ y.astype(np.float64))

        yield Row(f"gemm {name}", "OpenBLAS f32", wanted, run, blas, error)
    x = RNG.integers(-128, 128, (size, size), np.int8)
    y = RNG.integers(-128, 128, (size, size), np.int8)
    for name, kernel, right in (
        ("i8", kernels.matmul_i8, y),
        ("i8 row-major", matmul_i8_rows, np.ascontiguousarray(y.T)),
    ):
        total = np.empty((size, size), np.int32)
        run = launcher(kernel, (size // m) * (size // n), [x, right, total, m, n, k])
        yield Row(
            f"gemm {name}",
            "OpenBLAS f32",
            1.5,
            run,
            blas,
            lambda total=total: distance(total, x.astype(np.float64) @ y.astype(np.float64).T),
        )


@ct.kernel
def matmul_i8_rows(a, b, c, m: Const, n: Const, k: Const):
    row, column = kernels.place(ct.bid(0), ct.cdiv(c.shape[0], m), ct.cdiv(c.shape[1], n))
    total = ct.zeros((m, n), ct.int32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        total = ct.mma(ct.load(a, (row, step), (m, k)), ct.load(b, (step, column), (k, n)), total)
    ct.store(c, (row, column), total)


def numpy_attention(q: Any, k: Any, v: Any, out: Any, m: int, n: int) -> None:
    """The online softmax of the kernel, tile by tile."""
    heads, length, d = q.shape
    scale = np.float32(1 / math.sqrt(d) / math.log(2))
    for head in range(heads):
        for row in range(0, length, m):
            query = q[head, row : row + m]
            largest = np.full((m, 1), -np.inf, np.float32)
            weights, total = np.zeros((m, 1), np.float32), np.zeros((m, d), np.float32)
            for step in range(0, length, n):
                scores = query @ k[head, step : step + n].T
                new = np.maximum(largest, scores.max(1, keepdims=True) * scale)
                scores *= scale
                scores -= new
                np.exp2(scores, out=scores)
                fade = np.exp2(largest - new)
                weights = weights * fade + scores.sum(1, keepdims=True)
                total *= fade
                total += scores @ v[head, step : step + n]
                largest = new
            out[head, row : row + m] = total / weights


def attentions() -> Iterator[Row]:
    heads, length, d, m, n = 4, 2048, 64, 128, 64
    q, k, v = (normal(heads, length, d) for _ in range(3))
    theirs = np.empty_like(q)
    for name, dtype in (("f32", np.float32), ("f16", np.float16)):
        x, y, z = (each.astype(dtype) for each in (q, k, v))
        out = np.empty((heads, length, d), dtype)
        scale = 1 / math.sqrt(d) / math.log(2)
        run = launcher(kernels.attention, (length // m, heads), [x, y, z, out, scale, m, n, d])

        def error(x: Any = x, y: Any = y, z: Any = z, out: Any = out) -> float:
            x, y, z = (each.astype(np.float64) for each in (x, y, z))
            scores = x @ y.transpose(0, 2, 1) / math.sqrt(d)
            weights = np.exp(scores - scores.max(2, keepdims=True))
            return distance(out, weights @ z / weights.sum(2, keepdims=True))

        yield Row(
            f"attention {name}",
            "NumPy f32",
            1.5,
            run,
            lambda: numpy_attention(q, k, v, theirs, 2 * m, 4 * n),
            error,
        )


def numpy_softmax(x: Any, out: Any) -> None:
    np.subtract(x, x.max(1, keepdims=True), out=out)
    np.exp(out, out=out)
    out /= out.sum(1, keepdims=True)


def numpy_layer_norm(x: Any, weight: Any, bias: Any, out: Any) -> None:
    np.subtract(x, x.mean(1, keepdims=True), out=out)
    out *= 1 / np.sqrt((out * out).mean(1, keepdims=True) + np.float32(1e-5))
    out *= weight
    out += bias


def rows() -> Iterator[Row]:
    """Kernels that do a row for each CTA."""
    count, columns = 1024, 4096
    x, out = normal(count, columns), np.empty((count, columns), np.float32)
    other, weight, bias = np.empty_like(x), normal(columns), normal(columns)
    wide = x.astype(np.float64)

    def error(function: Callable[..., Any], *more: Any) -> Callable[[], float]:
        def compare() -> float:
            wanted = np.empty_like(wide)
            function(wide, *more, wanted)
            return distance(out, wanted)

        return compare

    run = launcher(kernels.softmax, count, [x, out, columns])
    check = error(numpy_softmax)
    yield Row("softmax", "NumPy", 2, run, lambda: numpy_softmax(x, other), check)
    run = launcher(kernels.layer_norm, count, [x, weight, bias, out, columns])

    def layer_norm() -> None:
        numpy_layer_norm(x, weight, bias, other)

    check = error(numpy_layer_norm, weight, bias)
    yield Row("layer norm", "NumPy", 4, run, layer_norm, check)
    run = launcher(kernels.cumsum, count, [x, out, columns])
    check = error(lambda x, out: np.cumsum(x, 1, out=out))
    yield Row("cumsum", "NumPy", 4, run, lambda: np.cumsum(x, 1, out=other), check)


def copies() -> Iterator[Row]:
    size, tile = 1 << 24, 1024
    a, b = normal(size), normal(size)
    c, source, target = np.empty_like(a), normal(3 * size // 2), np.empty(3 * size // 2, np.float32)
    run = launcher(kernels.vector_add, size // tile, [a, b, c, tile])

    def copy() -> None:
        np.copyto(target, source)

    def error() -> float:
        return distance(c, a.astype(np.float64) + b)

    yield Row("vector add", "copy", 0.6, run, copy, error)
    side, tile = 4096, 64
    x, out = normal(side, side), np.empty((side, side), np.float32)
    other = np.empty_like(x)
    run = launcher(kernels.transpose, (side // tile, side // tile), [x, out, tile])
    yield Row(
        "transpose", "copy", 0.6, run, lambda: np.copyto(other, x), lambda: distance(out, x.T)
    )


def elementwise() -> Iterator[Row]:
    size, tile = 1 << 22, 1024
    x = normal(size)
    out, other, wide = np.empty_like(x), np.empty_like(x), x.astype(np.float64)

    def numpy_gelu(x: Any, out: Any) -> None:
        np.multiply(x, x, out=out)
        out *= x
        out *= 0.044715
        out += x
        out *= 0.7978845608
        np.tanh(out, out=out)
        out += 1
        out *= x
        out *= 0.5

    def error(function: Callable[..., Any]) -> Callable[[], float]:
        def compare() -> float:
            wanted = np.empty_like(wide)
            function(wide, wanted)
            return distance(out, wanted)

        return compare

    for name, kernel, function in (
        ("exp", exp, np.exp),
        ("tanh", tanh, np.tanh),
        ("gelu", gelu, numpy_gelu),
    ):
        run = launcher(kernel, size // tile, [x, out, tile])

        def theirs(function: Callable[..., Any] = function) -> None:
            function(x, other)

        yield Row(name, "NumPy", 1.0, run, theirs, error(function))


def scaling() -> Iterator[Row]:
    """Two threads against one."""
    size, m, n, k = 1024, 128, 128, 64
    x, y, c = normal(size, size), normal(size, size), np.empty((size, size), np.float32)
    args = [x, y, c, m, n, k]
    both, one = (
        launcher(kernels.matmul, (size // m) * (size // n), args, threads) for threads in (2, 1)
    )

    def error() -> float:
        return distance(c, x.astype(np.float64) @ y)

    yield Row("two threads, gemm f32", "one thread", 1.8, both, one, error, time.perf_counter)


def interpreter() -> Iterator[Row]:
    size, m, n, k = 512, 128, 128, 64
    x, y, c = normal(size, size), normal(size, size), np.empty((size, size), np.float32)
    args, grid = [x, y, c, m, n, k], (size // m) * (size // n)
    run = launcher(kernels.matmul, grid, args)

    def error() -> float:
        return distance(c, x.astype(np.float64) @ y)

    def interpreted() -> None:
        tx.run(kernels.matmul, grid, args, engine="interpreter")

    yield Row("interpreter, gemm f32 512", "interpreter", 200, run, interpreted, error)


COMPILE = """
import sys, time
start = time.process_time()
import tileiras_xdsl as tx
program = tx.load(sys.argv[1])
tx.compile("cuda_tile.module @m { entry @k() { return } }", "cpu", cache=False)
ready = time.process_time()
tx.compile(program, "cpu", cache=False)
print(time.process_time() - ready, ready - start)
"""


def print_compile_time(rounds: int, wanted: float = 1.0) -> None:
    """Of a process that has compiled an empty kernel before, and so has imported all."""
    command = [sys.executable, "-c", COMPILE, str(HERE / "gpu/bytecode/attention_d64.tileirbc")]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    turns: list[list[float]] = []
    for _ in range(rounds):
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        turns.append([*map(float, run.stdout.split())])
    ours, imports = map(min, zip(*turns, strict=True))
    print(
        f"{'compile attention':26}{1e3 * ours:9.0f}{'':25}{1e3 * wanted:8.0f}  "
        f"{verdict(ours <= wanted):8}and {1e3 * imports:.0f} for imports",
        flush=True,
    )


def verdict(is_met: bool) -> str:
    return "met" if is_met else "missed"


GROUPS = {
    ("gemm",): gemms,
    ("attention",): attentions,
    ("softmax", "layer norm", "cumsum"): rows,
    ("vector add", "transpose"): copies,
    ("exp", "tanh", "gelu"): elementwise,
    ("two threads",): scaling,
    ("interpreter",): interpreter,
}


def measure(row: Row, rounds: int) -> None:
    times: tuple[list[float], list[float]] = ([], [])
    row.ours()
    error = row.error()
    if row.peer != "interpreter":
        row.theirs()
    for _ in range(1 if row.peer == "interpreter" else rounds):
        for run, found in zip((row.ours, row.theirs), times, strict=True):
            start = row.clock()
            run()
            found.append(row.clock() - start)
    ours, theirs = map(min, times)
    middle = statistics.median(y / x for x, y in zip(*times, strict=True))
    print(
        f"{row.name:26}{1e3 * ours:9.2f}{1e3 * theirs:9.2f}{theirs / ours:8.2f}{middle:8.2f}"
        f"{row.wanted:8.1f}  {verdict(theirs / ours >= row.wanted):8}{row.peer:14}{error:.1e}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    names = tuple(options.names)

    def is_asked(name: str) -> bool:
        return not names or name.startswith(names)

    columns = f"{'':26}{'ms':>9}{'peer ms':>9}{'ratio':>8}{'median':>8}{'wanted':>8}  "
    print(f"{columns}{'':8}{'peer':14}error")
    for starts, group in GROUPS.items():
        if names and not any(x.startswith(y) or y.startswith(x) for x in starts for y in names):
            continue
        for row in group():
            if is_asked(row.name):
                measure(row, options.rounds)
    if is_asked("compile attention"):
        print_compile_time(3)


if __name__ == "__main__":
    main()
