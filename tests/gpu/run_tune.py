"""
Tunes kernels of cuTile on a GPU: results are checked and measured, and found again.

    python tests/gpu/run_tune.py     # on a machine with a GPU, torch and cuda-tile

What it measures does not matter here; see `benchmarks/gpu/tune.py` for that.
"""

from __future__ import annotations

import os
import sys
import tempfile

import cuda.tile as ct
import torch

import tileiras_xdsl as tx
from tileiras_xdsl.driver.tuning.result import TuneResult

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def matmul(a, b, c, m: Const, n: Const, k: Const):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (i, step), (m, k), padding_mode=ZERO)
        y = ct.load(b, (step, j), (k, n), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, (i, j), total.astype(c.dtype))


@ct.kernel
def wrong_for_64(a, b, c, m: Const, n: Const, k: Const):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((m, n), ct.float32)
    for step in range(ct.num_tiles(a, 1, (m, k))):
        x = ct.load(a, (i, step), (m, k), padding_mode=ZERO)
        y = ct.load(b, (step, j), (k, n), padding_mode=ZERO)
        total = ct.mma(x, y, total)
    if m == 64:
        total = total + 100.0
    ct.store(c, (i, j), total.astype(c.dtype))


def main() -> int:
    size = 2048
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty_like(a)
    expected = (a.float() @ b.float()).half()
    problems: list[str] = []

    def check(what: str, is_right: bool) -> None:
        print(f"{what}: {'right' if is_right else 'WRONG'}")
        if not is_right:
            problems.append(what)

    def tune(kernel: object, **options: object) -> TuneResult:
        return tx.tune(
            kernel,
            lambda config: (size // config["m"], size // config["n"]),
            [a, b, c],
            {"m": (64, 128), "n": (64, 128), "k": (64,), "occupancy": (1, 2)},
            reference=lambda _: {"c": expected},
            rtol=2e-2,
            atol=0.1,
            **options,
        )

    for abi in ("device-maps", "host-maps"):
        result = tune(matmul, abi=abi, margin=None)
        print(result)
        check(f"all configurations were measured, {abi}", len(result.of("measured")) == 8)
        best = result.best
        c.fill_(float("nan"))
        best.compiled.launch(best.grid, best.arguments, stream=torch.cuda.current_stream())
        torch.cuda.synchronize()
        error = float((c.double() - expected.double()).norm() / expected.double().norm())
        check(f"the best one computes what it should, {abi}", error < 2e-3)
        again = tune(matmul, abi=abi, margin=None)
        check(f"the database knows all, {abi}", len(again.of("known")) == 8)
        check(f"the best one is the same, {abi}", again.best.config == best.config)

    result = tune(wrong_for_64, margin=None)
    print(result)
    check("wrong results fail", {row.config["m"] for row in result.of("failed")} == {64})
    check("others do not", {row.config["m"] for row in result.of("measured")} == {128})
    return 1 if problems else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TILEIRAS_XDSL_CACHE"] = "1"
        os.environ["TILEIRAS_XDSL_CACHE_DIR"] = folder
        sys.exit(main())
