# pyright: basic
"""
A kernel of the notebook on layouts, written in cuTile. Its bytecode lies next to this file, so that
only writing it anew needs the front end:

    python docs/notebooks/transpose.py
"""

from __future__ import annotations

from pathlib import Path

import cuda.tile as ct
from cuda.tile.compilation import CallingConvention, KernelSignature, export_kernel

from tileiras_xdsl.driver.demos.kernels import array, names_only

Const = ct.Constant[int]


@ct.kernel
def transpose(x, out, tile: Const):
    """One tile for each tile block, read by rows and written by columns."""
    row, column = ct.bid(0), ct.bid(1)
    ct.store(out, (column, row), ct.transpose(ct.load(x, (row, column), (tile, tile))))


def main() -> None:
    matrix = array(ct.float32, 2, 16)
    signature = KernelSignature(
        (matrix, matrix, 32), CallingConvention.cutile_python_v2(), "transpose"
    )
    with names_only():
        export_kernel(
            transpose,
            [signature],
            Path(__file__).with_suffix(".tileirbc"),
            output_format="tileir_bytecode",
            bytecode_version="13.3",
        )


if __name__ == "__main__":
    main()
