"""
How fast tile programs run on the CPU, against plain NumPy on whole arrays in the same run.

    python benchmarks/interpreter.py [--repeat 5]

A 512×512×512 f16 product in tiles of 128×128×64, a softmax of 1024×4096 in tiles of 16×4096,
and the sum of two vectors of 4M elements in tiles of 65,536, at both levels. Each has to be
within 20 times of NumPy. The fastest of several turns; threads of BLAS spin, so not CPU time.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import make_pass, select_steps

LIMIT = 20.0
PASSES = ("convert-cuda-tile-to-tileaa", "canonicalize-tileaa")
Array = npt.NDArray[Any]


@dataclass
class Case:
    """A kernel, its arguments, and the same in NumPy."""

    name: str
    grid: Sequence[int]
    arrays: list[Array]
    reference: Callable[[], Array]
    tolerance: float

    def arguments(self) -> list[Any]:
        """What cuTile passes for arrays: pointer, sizes, strides."""
        flat: list[Any] = []
        for array in self.arrays:
            strides = [stride // array.itemsize for stride in array.strides]
            flat += [array, *array.shape, *strides]
        return flat


def cases() -> list[Case]:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((512, 512)).astype(np.float16) for _ in range(2))
    x = rng.standard_normal((1024, 4096)).astype(np.float32)
    u, v = (rng.standard_normal(1 << 22).astype(np.float32) for _ in range(2))

    def softmax() -> Array:
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def product() -> Array:
        return a.astype(np.float32) @ b.astype(np.float32)

    return [
        Case("matmul", (4, 4), [a, b, np.empty((512, 512), np.float32)], product, 1e-3),
        Case("softmax", (64,), [x, np.empty_like(x)], softmax, 1e-6),
        Case("vector_add", (64,), [u, v, np.empty_like(u)], lambda: u + v, 0.0),
    ]


def fastest(action: Callable[[], object], repeat: int) -> float:
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def levels(name: str) -> dict[str, ModuleOp]:
    """The kernel at every level that can be run."""
    module = load(str(files("tileiras_xdsl.driver.demos") / f"{name}.tileirbc"))
    lowered = module.clone()
    ctx = make_context()
    for step in select_steps(1, to="tileaa"):
        if step.name in PASSES:
            make_pass(step, "sm_90").apply(ctx, lowered)
    return {"cuda_tile": module, "nv_tileaa": lowered}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeat", type=int, default=5)
    options = arguments.parse_args()
    worst = 0.0
    for case in cases():
        numpy_time = fastest(case.reference, options.repeat)
        expected = case.reference()
        for level, module in levels(case.name).items():
            args = case.arguments()
            case.arrays[-1].fill(np.nan)
            spent = fastest(lambda: run(module, grid=case.grid, args=args), options.repeat)
            error = float(np.max(np.abs(case.arrays[-1] - expected)))
            assert error <= case.tolerance, f"{case.name} is wrong by {error}"
            ratio = spent / numpy_time
            worst = max(worst, ratio)
            print(
                f"{case.name:11} {level:10} {spent * 1e3:8.2f} ms, "
                f"{ratio:5.1f} times NumPy's {numpy_time * 1e3:.2f} ms"
            )
    print(f"worst ratio {worst:.1f} (at most {LIMIT})")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
