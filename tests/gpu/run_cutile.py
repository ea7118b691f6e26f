"""
Runs cuTile programs, unchanged, with this compiler in the place of `tileiras`.

    tileiras-xdsl --install-as-tileiras DIR
    PATH=DIR:$PATH python tests/gpu/run_cutile.py     # on a machine with a GPU

It needs torch and cuda-tile, and must not find NVIDIA's own `tileiras` package.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time

import cuda.tile as ct
import torch

Const = ct.Constant[int]
FAIL = "fail"


@ct.kernel
def vector_add(a, b, c, tile: Const):
    i = ct.bid(0)
    ct.store(c, i, ct.load(a, i, (tile,)) + ct.load(b, i, (tile,)))


@ct.kernel
def softmax(x, out, columns: Const):
    row = ct.bid(0)
    t = ct.load(x, (row, 0), (1, columns), padding_mode=ct.PaddingMode.NEG_INF)
    t = t.astype(ct.float32)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    ct.store(out, (row, 0), (e / ct.sum(e, axis=1, keepdims=True)).astype(out.dtype))


@ct.kernel
def matmul(a, b, c, m: Const, n: Const, k: Const):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (i, step), (m, k), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, (step, j), (k, n), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (i, j), total.astype(c.dtype))


@ct.kernel
def positive(x, tile: Const):
    """Fails where a number is not positive."""
    i = ct.bid(0)
    ct.assert_(ct.load(x, i, (tile,)) > 0, "numbers are positive")  # noqa: PT009


@ct.kernel
def sums(x, out, rows: Const, columns: Const):
    """Threads cannot hold the tile of a large configuration, and what is printed is not cut."""
    tile = ct.load(x, (0, 0), (rows, columns))
    if ct.bid(0) > 0:
        ct.printf("%f", tile)
    ct.store(out, (0, 0), tile)


def fail() -> None:
    """Launches a kernel whose assertion fails."""
    x = torch.ones(256, device="cuda")
    x[3] = -1
    ct.launch(torch.cuda.current_stream(), (2, 1, 1), positive, (x, 128))
    torch.cuda.synchronize()


def check_assertion() -> bool:
    """Whether a failed assertion is one line on standard output, and fails the program."""
    command = [sys.executable, __file__, FAIL]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in result.stdout.splitlines() if line]
    is_right = result.returncode != 0 and len(lines) == 1 and "`numbers are positive`" in lines[0]
    print(f"assertion: {lines}, {'right' if is_right else 'WRONG'}")
    return is_right


def check_tuner() -> bool:
    """Whether the tuner goes on where a configuration cannot be compiled."""
    x = torch.ones(4096, 4096, device="cuda")
    out = torch.empty_like(x)
    result = ct.tune.exhaustive_search(
        [(8, 8), (4096, 4096)],
        torch.cuda.current_stream(),
        lambda size: (1, 1, 1),
        sums,
        lambda size: (x, out, *size),
        quiet=True,
    )
    messages = [message for _, _, message in result.failures]
    is_right = result.best.config == (8, 8) and len(messages) == 1 and ": error: " in messages[0]
    print(f"tuner: {messages}, {'right' if is_right else 'WRONG'}")
    return is_right


def check(name: str, found: torch.Tensor, expected: torch.Tensor, seconds: float) -> bool:
    error = float((found.double() - expected.double()).norm() / expected.double().norm())
    is_right = error < 2e-3
    print(f"{name}: error {error:.2e}, {'right' if is_right else 'WRONG'}, {seconds:.1f} s")
    return is_right


def main() -> int:
    print("compiler:", shutil.which("tileiras"))
    stream = torch.cuda.current_stream()
    results: list[bool] = []

    def launch(grid: tuple[int, ...], kernel: object, arguments: tuple[object, ...]) -> float:
        start = time.perf_counter()
        ct.launch(stream, grid, kernel, arguments)
        torch.cuda.synchronize()
        return time.perf_counter() - start

    a, b = (torch.randn(100_000, device="cuda") for _ in range(2))
    c = torch.full_like(a, float("nan"))
    seconds = launch((98, 1, 1), vector_add, (a, b, c, 1024))
    results.append(check("vector_add", c, a + b, seconds))

    x = torch.randn(1000, 3000, device="cuda", dtype=torch.float16)
    y = torch.full_like(x, float("nan"))
    seconds = launch((1000, 1, 1), softmax, (x, y, 4096))
    results.append(check("softmax", y, torch.softmax(x.double(), 1), seconds))

    a = torch.randn(1000, 520, device="cuda", dtype=torch.float16)
    b = torch.randn(520, 1992, device="cuda", dtype=torch.float16)
    c = torch.full((1000, 1992), float("nan"), device="cuda", dtype=torch.float16)
    seconds = launch((8, 16, 1), matmul, (a, b, c, 128, 128, 64))
    results.append(check("matmul", c, a.double() @ b.double(), seconds))
    results += [check_assertion(), check_tuner()]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(fail() if sys.argv[1:] == [FAIL] else main())
