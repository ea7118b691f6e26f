"""
Kernels compiled with `check=True`: what is out of bounds fails, and says so; what is not, runs.

    python tests/gpu/check_bounds.py        # needs a GPU, NumPy, and the compiler

Each launch is a process of its own, since a trap leaves a context that cannot be used any more.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / "src")]

PROGRAM = """
cuda_tile.module @m {
  entry @k(%a: tile<ptr<i32>>, %n: tile<i32>) {
    %lanes = iota : tile<128xi32>
    %r = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
    %w = broadcast %r : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %nr = reshape %n : tile<i32> -> tile<1xi32>
    %nw = broadcast %nr : tile<1xi32> -> tile<128xi32>
    %o = addi %lanes, %nw : tile<128xi32>
    %p = offset %w, %o : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
    %t = store_ptr_tko weak %p, %lanes : tile<128xptr<i32>>, tile<128xi32> -> token
    return
  }
}
"""

CASES = [(512, 0, True), (512, 384, True), (512, 385, False), (512, -1, False), (512, 900, False)]
"""Sizes of the array, where the kernel starts to write, and whether that is inside."""


def launch(size: int, start: int) -> None:
    """One launch, in this process."""
    import numpy as np

    import tileiras_xdsl as tx

    data = np.full(size, -1, np.int32)
    tx.compile(PROGRAM, check=True).launch(1, [data, start])
    expected = np.full(size, -1, np.int32)
    expected[start : start + 128] = np.arange(128)
    assert (data == expected).all()


def main() -> int:
    """All launches; the number of those that did not do what is expected."""
    wrong = 0
    for size, start, is_inside in CASES:
        command = [sys.executable, __file__, str(size), str(start)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        first = start if start < 0 else max(start, size)
        line = f"is out of bounds: byte {4 * first} of 'a', which has 0 bytes before it and "
        is_said = line in result.stdout
        is_right = (result.returncode == 0) == is_inside and is_said != is_inside
        wrong += not is_right
        said = result.stdout.strip().splitlines()[:1]
        print("right" if is_right else "WRONG", size, start, result.returncode, *said)
        if not is_right:
            print(result.stdout[-500:], result.stderr[-500:])
    return wrong


if __name__ == "__main__":
    if len(sys.argv) == 3:
        launch(int(sys.argv[1]), int(sys.argv[2]))
    else:
        sys.exit(main())
