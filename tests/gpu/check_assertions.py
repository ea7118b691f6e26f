"""
Kernels with assertions that fail: what they print, where, and that the launch fails.

    python tests/gpu/check_assertions.py make FOLDER    # needs xDSL, LLVM and ptxas, and no GPU
    python tests/gpu/check_assertions.py run FOLDER     # needs a GPU and NumPy, not xDSL

Each launch is a process of its own, since a trap leaves a context that cannot be used any more. A
message may get lost only if other threads print one, so launches are repeated.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2] / "src"), str(Path(__file__).parent)]

PROGRAM = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<SIZExi32>
    %size = constant <i32: SIZE> : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %start = muli %x, %size : tile<i32>
    %own = offset %p, %start : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %i = iota : tile<SIZExi32>
    %r = reshape %own : tile<ptr<i32>> -> tile<1xptr<i32>>
    %b = broadcast %r : tile<1xptr<i32>> -> tile<SIZExptr<i32>>
    %q = offset %b, %i : tile<SIZExptr<i32>>, tile<SIZExi32> -> tile<SIZExptr<i32>>
    %v, %t = load_ptr_tko weak %q : tile<SIZExptr<i32>> -> tile<SIZExi32>, token
    %c = cmpi greater_than %v, %zero, signed : tile<SIZExi32> -> tile<SIZExi1>
    assert %c, "100% positive" : tile<SIZExi1> loc("kernel.py":12:3)
    %u = store_ptr_tko weak %q, %zero token=%t : tile<SIZExptr<i32>>, tile<SIZExi32> -> token
    return
  }
}
"""
SIZES = (1, 16, 128, 1024)
BLOCKS = 8
ROUNDS = 10
LINE = re.compile(
    r"kernel\.py:12: k: block: \[\d+,0,0\], thread: \[\d+,0,0\] Assertion `100% positive` failed\."
)


def make(folder: Path) -> None:
    """Writes cubins and launch records."""
    import tileiras_xdsl
    from tileiras_xdsl.backend.cuda import find_architecture

    gpu = find_architecture("sm_90")
    folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        for opt in (0, 3):
            text = PROGRAM.replace("SIZE", str(size))
            compiled = tileiras_xdsl.compile(text, gpu, opt=opt, cache=False)
            (folder / f"{size}_{opt}.cubin").write_bytes(compiled.cubin)
            (folder / f"{size}_{opt}.json").write_text(compiled.launch_record.to_json())


def launch(folder: Path, name: str, wrong: str) -> None:
    """Launches a kernel with no, one, or only wrong numbers; fails if the launch does."""
    from run_examples import replace_xdsl

    replace_xdsl()
    import numpy as np

    from tileiras_xdsl.backend import cuda
    from tileiras_xdsl.backend.launch_record import LaunchRecord

    record = LaunchRecord.from_json((folder / f"{name}.json").read_text())
    kernel = cuda.load((folder / f"{name}.cubin").read_bytes(), record)
    numbers = np.ones(int(name.split("_")[0]) * BLOCKS, np.int32)
    if wrong == "one":
        numbers[len(numbers) // 2] = -1
    elif wrong == "all":
        numbers[:] = -1
    kernel.launch(BLOCKS, [numbers])
    kernel.synchronize()
    if numbers.any():
        raise AssertionError("not all numbers were replaced")


def run(folder: Path) -> int:
    """Launches all kernels; returns how many of the launches went wrong."""
    faults = 0
    for path in sorted(folder.glob("*.cubin")):
        for wrong in ("none", "one", "all"):
            outcomes: Counter[str] = Counter()
            for _ in range(1 if wrong == "none" else ROUNDS):
                command = [sys.executable, __file__, "launch", str(folder), path.stem, wrong]
                result = subprocess.run(command, capture_output=True, text=True, check=False)
                lines = [line for line in result.stdout.splitlines() if line]
                expected = {"none": range(1), "one": range(1, 2), "all": range(1, 1 << 20)}[wrong]
                is_right = (
                    len(lines) in expected
                    and all(map(LINE.fullmatch, lines))
                    and (result.returncode != 0) == (wrong != "none")
                )
                faults += not is_right
                last = (result.stderr.splitlines() or [""])[-1]
                outcomes[f"{'ok' if is_right else 'WRONG'}: {len(lines)} lines, {last}"] += 1
            for outcome, count in outcomes.items():
                print(f"{path.stem} {wrong}: {count} times {outcome}", flush=True)
    return faults


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", folder]:
            make(Path(folder))
        case ["run", folder]:
            sys.exit(run(Path(folder)) > 0)
        case ["launch", folder, name, wrong]:
            launch(Path(folder), name, wrong)
        case _:
            sys.exit(__doc__)
