"""
Milliseconds of processor time that the command `tileiras-xdsl` takes without a server.

    python benchmarks/cold_start.py [FILE …] [--gpu sm_90] [--repeat 5] [--against OTHER/src]

| column | is |
| --- | --- |
| first pass | until the program is read and verified, start of Python included |
| total | until the process ends, without those that it starts: the worker for LLVM, and ptxas |

The least of all turns, each in a process of its own, after one that is not measured and compiles
modules to bytecode. With `--against`, the same of another checkout, by turns.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

KERNELS = Path(__file__).parent / "gpu" / "bytecode"
DEFAULT = ("vector_add", "softmax", "matmul_128x256x64", "attention_d128")
OWN = Path(__file__).parents[1] / "src"

COMMAND = """
import os, sys, time
from tileiras_xdsl.driver.service import client

class Finder:
    # Looks at the clock when the first pass is about to be imported.
    def find_spec(self, name, path=None, target=None):
        if name == "tileiras_xdsl.transforms.cuda_tile.verify_cuda_tile_input":
            times.append(time.process_time())
            sys.meta_path.remove(self)

def finish(code):
    times.append(time.process_time())
    with open(os.environ["TIMES"], "w") as file:
        print(*times, file=file)
    leave(code)

times = []
sys.meta_path.insert(0, Finder())
leave, os._exit = os._exit, finish
client.run_here()
"""
"""The first pass is noticed by its import, so that nothing is imported for this."""


def measure(source: Path, kernel: Path, gpu: str, folder: str) -> tuple[float, float]:
    """Milliseconds until the first pass and until the end, of a process."""
    times = os.path.join(folder, "times")
    environment = {
        **os.environ,
        "PYTHONPATH": str(source.resolve()),
        "PYTHONDONTWRITEBYTECODE": "",
        "TILEIRAS_XDSL_SERVER": "0",
        "TILEIRAS_XDSL_CACHE": "1",
        "TILEIRAS_XDSL_CACHE_DIR": folder,
        "TIMES": times,
    }
    output = os.path.join(folder, "kernel.cubin")
    arguments = [str(kernel), f"--gpu-name={gpu}", "--no-cache", "-o", output]
    subprocess.run([sys.executable, "-c", COMMAND, *arguments], env=environment, check=True)
    first, end = (float(text) * 1e3 for text in Path(times).read_text().split())
    return first, end


def main() -> None:
    parser = argparse.ArgumentParser(description="measures the start of the command")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--gpu", default="sm_90")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--against", type=Path, help="the sources of another checkout")
    given = parser.parse_args()
    kernels = given.files or [KERNELS / f"{name}.tileirbc" for name in DEFAULT]
    sources = [path for path in (given.against, OWN) if path is not None]
    width = max(len(kernel.stem) for kernel in kernels)
    print(" " * width + "".join(f"{'first pass':>12}{'total':>8}" for _ in sources))
    with TemporaryDirectory() as folder:
        for kernel in kernels:
            turns: list[list[tuple[float, float]]] = [[] for _ in sources]
            for turn in range(given.repeat + 1):
                for source, found in zip(sources, turns, strict=True):
                    measured = measure(source, kernel, given.gpu, folder)
                    if turn:
                        found.append(measured)
            least = [tuple(map(min, zip(*found, strict=True))) for found in turns]
            columns = (f"{first:12.0f}{end:8.0f}" for first, end in least)
            print(f"{kernel.stem:{width}}" + "".join(columns), flush=True)


if __name__ == "__main__":
    main()
