"""
Compiles random programs of matrix products, without a GPU: see README.md.

    python tests/gpu/products.py check [--first 0] [--count 200] [--gpu-name sm_90a] [--jobs 1]
    python tests/gpu/products.py show SEED

`check` says of every seed whether it is compiled and assembled, which instructions it uses, how
many registers it spills and how long that took. `show` prints the program of a seed, its grid and
the scalars it is called with.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.pytest.strategies.products import SMALL, random_product

import tileiras_xdsl

INSTRUCTIONS = {
    "wgmma": r"wgmma\.mma_async",
    "mma": r"\bmma\.sync",
    "tma-load": r"cp\.async\.bulk\.tensor\.\dd\.shared",
    "tma-store": r"cp\.async\.bulk\.tensor\.\dd\.global|cp\.reduce\.async\.bulk",
    "cp.async": r"cp\.async\.c[ag]\.",
    "setmaxnreg": r"setmaxnreg",
    "stmatrix": r"stmatrix",
}
"""What to look for in PTX."""
FAILED = "FAILED"


def compile_seed(seed: int, gpu: str, opt: int, small: bool, abi: str, folder: str) -> str:
    """Compiles a program; what is to be said of it."""
    program = random_product(seed, SMALL if small else None)
    start = time.perf_counter()
    try:
        compiled = tileiras_xdsl.compile(
            program.module, gpu=gpu, opt=opt, abi=abi, cache=False, isolate=False
        )
    except Exception as error:
        first = str(error).strip() or "no message"
        return f"{program.family}: {FAILED}: {type(error).__name__}: {first}"
    took = time.perf_counter() - start
    if folder:
        Path(folder, f"product{seed}.ptx").write_text(compiled.ptx)
        Path(folder, f"product{seed}.mlir").write_text(program.text)
    used = [name for name, text in INSTRUCTIONS.items() if re.search(text, compiled.ptx)]
    record = compiled.record()
    spills = f", spills {record.spill_stores} bytes" if record.spill_stores else ""
    warnings = "".join(f", warning: {text}" for text in compiled.warnings)
    return f"{program.family}: ok: {' '.join(used)}{spills}{warnings} ({took:.1f} s)"


def answer(connection: Connection, *arguments: object) -> None:
    """Runs in a process of its own."""
    connection.send(compile_seed(*arguments))  # pyright: ignore[reportArgumentType]


def check_seed(seed: int, timeout: float, *options: object) -> str:
    """The same in a process that may die or be stopped."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=answer, args=(sender, seed, *options))
    process.start()
    sender.close()
    try:
        if not receiver.poll(timeout):
            return f"{FAILED}: no result after {timeout:.0f} s"
        return str(receiver.recv())
    except EOFError:
        return f"{FAILED}: the process died"
    finally:
        process.kill()
        process.join()


def check(chosen: argparse.Namespace) -> int:
    """Compiles all; whether some failed."""
    if chosen.keep:
        os.makedirs(chosen.keep, exist_ok=True)
    options = (chosen.gpu_name, chosen.opt, chosen.small, chosen.abi, chosen.keep)
    seeds = range(chosen.first, chosen.first + chosen.count)
    failed: list[int] = []
    counts: Counter[str] = Counter()
    with ThreadPoolExecutor(chosen.jobs) as executor:
        found = executor.map(lambda seed: check_seed(seed, chosen.timeout, *options), seeds)
        for seed, text in zip(seeds, found, strict=True):
            print(f"{seed} {text}", flush=True)
            if FAILED in text:
                failed.append(seed)
            counts.update(name for name in INSTRUCTIONS if re.search(rf"ok:.* {name}\b", text))
    print(f"{len(seeds) - len(failed)} of {len(seeds)} compiled; {dict(counts)}; failed: {failed}")
    return 1 if failed else 0


def show(chosen: argparse.Namespace) -> int:
    program = random_product(chosen.seed, SMALL if chosen.small else None)
    print(program.text)
    print(f"// family {program.family}, grid {program.grid}")
    for number, value in enumerate(program.values):
        what = f"{value.dtype} * {value.size}" if isinstance(value, np.ndarray) else value
        print(f"// %p{number} = {what}")
    return 0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    commands = options.add_subparsers(required=True)
    checking = commands.add_parser("check")
    checking.add_argument("--first", type=int, default=0)
    checking.add_argument("--count", type=int, default=200)
    checking.add_argument("--gpu-name", default="sm_90a")
    checking.add_argument("--opt", type=int, default=3)
    checking.add_argument("--abi", choices=("device-maps", "host-maps"), default="device-maps")
    checking.add_argument("--jobs", type=int, default=1)
    checking.add_argument("--timeout", type=float, default=120)
    checking.add_argument("--keep", default="", help="a folder for PTX and programs")
    checking.set_defaults(run=check)
    showing = commands.add_parser("show")
    showing.add_argument("seed", type=int)
    showing.set_defaults(run=show)
    for parser in (checking, showing):
        parser.add_argument("--small", action="store_true", help="shapes for the CPU")
    chosen = options.parse_args()
    return chosen.run(chosen)


if __name__ == "__main__":
    sys.exit(main())
