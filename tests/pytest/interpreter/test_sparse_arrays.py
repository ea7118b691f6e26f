"""Arguments of more elements than memory has room for."""

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError, SparseArray
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import ModuleStage, select_steps

from ..harness.passes import run_steps
from ..harness.running import Array

KERNEL = """
cuda_tile.module @m {
  entry @kernel(%in: tile<ptr<i16>>, %out: tile<ptr<i16>>, %rows: tile<i64>, %cols: tile<i64>,
                %r: tile<i32>, %c: tile<i32>) {
    %v = make_tensor_view %in, shape = [%rows, %cols], strides = [%cols, 1]
        : tile<i64> -> tensor_view<?x?xi16, strides=[?,1]>
    %p = make_partition_view %v
        : partition_view<tile=(4x16), padding_value = zero, tensor_view<?x?xi16, strides=[?,1]>>
    %t, %k = load_view_tko weak %p[%r, %c]
        : partition_view<tile=(4x16), padding_value = zero, tensor_view<?x?xi16, strides=[?,1]>>,
          tile<i32> -> tile<4x16xi16>, token
    %w = make_tensor_view %out, shape = [4, 16], strides = [16, 1]
        : tensor_view<4x16xi16, strides=[16,1]>
    %q = make_partition_view %w
        : partition_view<tile=(4x16), tensor_view<4x16xi16, strides=[16,1]>>
    %z = constant <i32: 0> : tile<i32>
    %d = store_view_tko weak %t, %q[%z, %z] : tile<4x16xi16>,
        partition_view<tile=(4x16), tensor_view<4x16xi16, strides=[16,1]>>, tile<i32> -> token
    return
  }
}
"""
ROWS, COLUMNS = 70_002, 1 << 20
"""More than 2^36 elements; the last tile has two rows."""


def last_tile() -> SparseArray:
    parts = {
        row * COLUMNS + COLUMNS - 16: np.arange(row, row + 16).astype(np.int16)
        for row in (ROWS - 2, ROWS - 1)
    }
    return SparseArray(np.int16, ROWS * COLUMNS, parts)


@pytest.mark.parametrize("stage", ["cuda-tile", "tileaa", "nvvm"])
def test_last_tile(stage: ModuleStage):
    module = run_steps(load(KERNEL), select_steps(to=stage))
    out = np.full((4, 16), -1, np.int16)
    arguments = [last_tile(), out, ROWS, COLUMNS, ROWS // 4, COLUMNS // 16 - 1]
    run(module, grid=1, args=arguments, check=True)
    expected = np.zeros((4, 16), np.int16)
    expected[:2] = [np.arange(row, row + 16).astype(np.int16) for row in (ROWS - 2, ROWS - 1)]
    assert (out == expected).all()


def test_between_parts():
    arguments = [last_tile(), np.zeros((4, 16), np.int16), ROWS, COLUMNS, ROWS // 4, 0]
    with pytest.raises(ExecutionError, match=r"outside|bounds"):
        run(load(KERNEL), grid=1, args=arguments, check=True)


@pytest.mark.parametrize(
    ("size", "parts", "message"),
    [
        (10, {8: np.zeros(3, np.int16)}, "ends at 11, beyond the size 10"),
        (10, {0: np.zeros(3, np.int16), 2: np.zeros(1, np.int16)}, "at 2 begins before 3"),
        (10, {0: np.zeros(3, np.int8)}, "contiguous rows of int16"),
    ],
)
def test_mistakes(size: int, parts: dict[int, Array], message: str):
    with pytest.raises(ValueError, match=message):
        SparseArray(np.int16, size, parts)
