# pyright: basic
"""
The kernels of the notebooks, written in cuTile. Their bytecode lies next to this file, so that
only writing it anew needs the front end:

    python docs/notebooks/kernels.py
"""

from __future__ import annotations

import math
from pathlib import Path

import cuda.tile as ct
from cuda.tile.compilation import CallingConvention, KernelSignature, export_kernel

from tileiras_xdsl.demos.kernels import HALF, array, attention, matmul, names_only, softmax

Const = ct.Constant[int]


@ct.kernel
def transpose(x, out, tile: Const):
    """One tile for each tile block, read by rows and written by columns."""
    row, column = ct.bid(0), ct.bid(1)
    ct.store(out, (column, row), ct.transpose(ct.load(x, (row, column), (tile, tile))))


FLOAT = array(ct.float32, 2, 16)

KERNELS = {
    "softmax": (softmax, [FLOAT, FLOAT], [8, 128]),
    "transpose": (transpose, [FLOAT, FLOAT], [32]),
    "gemm": (matmul, [HALF, HALF, HALF], [128, 128, 64]),
    # The scale makes exp2 out of exp.
    "attention": (attention, [HALF] * 4, [math.log2(math.e) / math.sqrt(64), 64, 64, 64]),
}
"""The kernels by name, with their parameters: arrays, and constants."""


def main() -> None:
    for name, (kernel, arrays, constants) in KERNELS.items():
        signature = KernelSignature(
            (*arrays, *constants), CallingConvention.cutile_python_v2(), name
        )
        with names_only():
            export_kernel(
                kernel,
                [signature],
                Path(__file__).with_name(f"{name}.tileirbc"),
                output_format="tileir_bytecode",
                bytecode_version="13.3",
            )


if __name__ == "__main__":
    main()
