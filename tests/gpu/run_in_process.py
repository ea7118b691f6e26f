"""
Compiles and launches kernels of cuTile in this process, on a GPU, with NVIDIA's compiler and with
this one, by cuTile's launcher and by ours, alone and in CUDA graphs, and compares results.

    python tests/gpu/run_in_process.py

It needs torch, cuda-tile with a compiler of its own (`cuda-tile[tileiras]`), and all that this
compiler needs. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

import cuda.tile as ct
import torch

import tileiras_xdsl.cutile as open_tileiras

Const = ct.Constant[int]
Check = Callable[[], None]
CHECKS: list[Check] = []


@ct.kernel
def scale_and_add(a, b, out, factor, flag, tile: Const):
    i = ct.bid(0)
    x = ct.load(a, i, (tile,)) * factor
    ct.store(out, i, ct.where(flag, x, -x) + ct.load(b, i, (tile,)))


@ct.kernel
def matmul(a, b, c, tile: Const, depth: Const):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((tile, tile), ct.float32)
    for step in range(ct.num_tiles(a, 1, (tile, depth))):
        x = ct.load(a, (i, step), (tile, depth), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, (step, j), (depth, tile), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (i, j), total.astype(c.dtype))


def check(function: Check) -> Check:
    CHECKS.append(function)
    return function


def product(rows: int = 1000, inner: int = 520, columns: int = 1992) -> tuple[Any, Any, Any]:
    """Operands of a product with partial tiles, and room for it."""
    a = torch.randn(rows, inner, device="cuda", dtype=torch.float16)
    b = torch.randn(inner, columns, device="cuda", dtype=torch.float16)
    return a, b, torch.full((rows, columns), float("nan"), device="cuda", dtype=torch.float16)


def expect(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.cuda.synchronize()
    error = float((found.double() - expected.double()).norm() / expected.double().norm())
    assert error < 2e-3, f"error {error:.2e}"


def grid_of(c: torch.Tensor, tile: int = 128) -> tuple[int, int]:
    return -(-c.shape[0] // tile), -(-c.shape[1] // tile)


@check
def both_compilers_in_one_process() -> None:
    a, b, c = product()
    theirs, ours = matmul.replace_hints(), matmul.replace_hints()
    stream = torch.cuda.current_stream()
    ct.launch(stream, grid_of(c), theirs, (a, b, c, 128, 64))
    expect(c, a.double() @ b.double())
    before = open_tileiras.last
    with open_tileiras.use(only="matmul"):
        c.fill_(float("nan"))
        ct.launch(stream, grid_of(c), ours, (a, b, c, 128, 64))
    expect(c, a.double() @ b.double())
    last = open_tileiras.last
    assert last is not None
    assert last is not before
    assert last.options.abi == "device-maps"
    # The kernel that was launched before keeps NVIDIA's code, the other one ours.
    for kernel in (theirs, ours):
        c.fill_(float("nan"))
        ct.launch(stream, grid_of(c), kernel, (a, b, c, 128, 64))
        expect(c, a.double() @ b.double())
    assert open_tileiras.last is last


@check
def our_launcher() -> None:
    a, b, c = product()
    with open_tileiras.use(launcher=True):
        for _ in range(3):
            c.fill_(float("nan"))
            ct.launch(torch.cuda.current_stream(), grid_of(c), matmul, (a, b, c, 128, 64))
            expect(c, a.double() @ b.double())
        last = open_tileiras.last
        assert last is not None
        assert last.launch_record.tensor_maps, "this kernel should use tensor maps"
        # Other arrays, of other sizes.
        a, b, c = product(304, 256, 512)
        ct.launch(torch.cuda.current_stream(), grid_of(c), matmul, (a, b, c, 128, 64))
        expect(c, a.double() @ b.double())


@check
def numbers_and_unaligned_arrays() -> None:
    a, b = (torch.randn(1001, device="cuda")[1:] for _ in range(2))
    out = torch.empty_like(a)
    with open_tileiras.use(launcher=True):
        for factor, flag in ((2.5, True), (2.5, False), (3, True)):
            arguments = (a, b, out, factor, flag, 128)
            ct.launch(torch.cuda.current_stream(), (8,), scale_and_add, arguments)
            expect(out, a * (factor if flag else -factor) + b)


@check
def tensors_without_elements() -> None:
    """A product over no elements is zero."""
    a, b, c = product(256, 0, 256)
    with open_tileiras.use(launcher=True):
        ct.launch(torch.cuda.current_stream(), grid_of(c), matmul, (a, b, c, 128, 64))
    torch.cuda.synchronize()
    assert torch.count_nonzero(c) == 0


@check
def prepared_on_other_streams() -> None:
    a, b, c = product()
    stream = torch.cuda.Stream()
    launch = open_tileiras.prepare(stream, grid_of(c), matmul, (a, b, c, 128, 64))
    torch.cuda.synchronize()
    launch()
    stream.synchronize()
    expect(c, a.double() @ b.double())
    c.fill_(float("nan"))
    torch.cuda.synchronize()
    launch.on(torch.cuda.current_stream())()
    expect(c, a.double() @ b.double())
    # It reads what is in the arrays when it runs.
    a.mul_(2)
    c.fill_(float("nan"))
    launch.on(torch.cuda.current_stream())()
    expect(c, a.double() @ b.double())


@check
def prepared_in_a_graph() -> None:
    a, b, c = product()
    launch = open_tileiras.prepare(
        torch.cuda.current_stream(), grid_of(c), matmul, (a, b, c, 128, 64)
    )
    launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch.on(torch.cuda.current_stream())()
    for factor in (1, 2):
        a.mul_(factor)
        c.fill_(float("nan"))
        graph.replay()
        expect(c, a.double() @ b.double())


@check
def launches_in_a_graph() -> None:
    """`ct.launch` itself, once the kernel is compiled and its launch for that stream is not."""
    a, b, c = product()
    with open_tileiras.use(launcher=True):
        ct.launch(torch.cuda.current_stream(), grid_of(c), matmul, (a, b, c, 128, 64))
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            ct.launch(torch.cuda.current_stream(), grid_of(c), matmul, (a, b, c, 128, 64))
    c.fill_(float("nan"))
    torch.cuda.synchronize()
    graph.replay()
    expect(c, a.double() @ b.double())


@check
def other_threads() -> None:
    """A thread that has no context yet."""
    a, b, c = product()
    launch = open_tileiras.prepare(0, grid_of(c), matmul, (a, b, c, 128, 64))
    torch.cuda.synchronize()
    errors: list[BaseException] = []

    def work() -> None:
        try:
            launch()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not errors, errors
    expect(c, a.double() @ b.double())


@check
def lists_of_arrays() -> None:
    """What our launcher cannot pass, cuTile's launches."""

    parts = [torch.randn(1024, device="cuda") for _ in range(3)]
    out = torch.empty_like(parts[0])
    with open_tileiras.use(launcher=True):
        ct.launch(torch.cuda.current_stream(), (8,), add_all, (parts, out, 128))
    expect(out, sum(parts))


@ct.kernel
def add_all(arrays, out, tile: Const):
    i = ct.bid(0)
    total = ct.zeros((tile,), ct.float32)
    for index in range(len(arrays)):
        total += ct.load(arrays[index], (i,), (tile,))
    ct.store(out, (i,), total)


def main() -> int:
    failed = 0
    for each in CHECKS:
        try:
            each()
        except Exception as error:
            failed += 1
            print(f"{each.__name__}: {type(error).__name__}: {error}")
        else:
            print(f"{each.__name__}: right")
        finally:
            open_tileiras.restore()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
