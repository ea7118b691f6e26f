"""
Takes two kernels written in cuTile through every level down to PTX, shows them, runs each level on
the CPU, and compares the results with NumPy.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.backend.nvptx import compile_to_ptx
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.compiler.compilation import Compilation
from tileiras_xdsl.compiler.compiled import record_stages
from tileiras_xdsl.compiler.options import Options
from tileiras_xdsl.frontend import Program
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.xdsl_extras.aliases import print_ir

Array = npt.NDArray[Any]


LEVELS = {
    "cuda-tile": "cuda_tile, as cuTile exported it",
    "tileaa": "nv_tileaa, with views, pointers and tokens",
    "tileas": "nv_tileas, with a layout for every tile",
    "nvgpu": "the code of one thread",
}
GPU = "sm_90"
LINES = 60
"""So much is shown of each level."""


def compile_kernel(kernel: str) -> dict[str, ModuleOp]:
    """The kernel at each stage, from its bytecode on; no tool of NVIDIA is needed up to PTX."""
    data = (files("tileiras_xdsl.demos") / f"{kernel}.tileirbc").read_bytes()
    stages: dict[str, ModuleOp] = {}
    Compilation(Program.of(data), Options(GPU), after_stage=record_stages(stages)).lower("nvvm")
    return stages


def arguments(arrays: Sequence[Array]) -> list[Any]:
    """What cuTile passes for arrays: for each the pointer, sizes and strides."""
    flat: list[Any] = []
    for array in arrays:
        flat += [array, *array.shape, *(stride // array.itemsize for stride in array.strides)]
    return flat


def show(
    kernel: str, grid: Sequence[int], inputs: Sequence[Array], expected: Array, tolerance: float
) -> bool:
    """Shows and runs a kernel; returns whether all levels gave what was expected."""
    right = True
    stages = compile_kernel(kernel)
    for stage, level in LEVELS.items():
        module = stages[stage]
        print(f"// {kernel}: {level}\n{head(print_ir(module))}\n")
        result = np.full(expected.shape, np.nan, np.float32)
        start = time.perf_counter()
        run(module, grid=grid, args=arguments([*inputs, result]))
        spent = time.perf_counter() - start
        error = float(np.max(np.abs(result - expected)))
        right = right and error <= tolerance
        print(
            f"// {kernel} on a grid of {'x'.join(map(str, grid))} in {spent * 1e3:.0f} ms: "
            f"largest difference from NumPy {error:.1e} "
            f"({'right' if error <= tolerance else 'WRONG'}, at most {tolerance:.0e})\n"
        )
    target = NvptxTarget.parse(GPU)
    ptx = compile_to_ptx(translate_module(stages["nvvm"], target), target)
    print(f"// {kernel}: PTX\n{head(ptx)}\n")
    return right


def head(text: str) -> str:
    """The first lines of a text, and how many more there are."""
    lines = text.splitlines()
    if len(lines) <= LINES:
        return text
    return "\n".join([*lines[:LINES], f"// … and {len(lines) - LINES} more lines"])


def main() -> int:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((256, 256)).astype(np.float16) for _ in range(2))
    product = a.astype(np.float64) @ b.astype(np.float64)
    x = rng.standard_normal((32, 4096)).astype(np.float32)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    # Sums of 256 products of size about 1 in f32, and quotients of a few roundings.
    right = [
        show("matmul", (2, 2), [a, b], product, 1e-3),
        show("softmax", (2,), [x], shares, 1e-6),
    ]
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
