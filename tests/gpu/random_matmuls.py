"""
Compiles random programs of matrix products, and runs their threads, without a GPU: see README.md.

    python tests/gpu/random_matmuls.py check [--first 0] [--count 200] [--gpu-name sm_90a]
                                             [--jobs 1]
    python tests/gpu/random_matmuls.py run [--stage nvvm] [the same options]
    python tests/gpu/random_matmuls.py show SEED

`check` says of every seed whether it is compiled and assembled, which instructions it uses, how
many bytes of registers it spills and how long that took. `run` lowers programs to a stage, runs
them with the interpreter and compares what they leave in memory with what must be there. `show`
prints the program of a seed, its grid and
the scalars it is called with.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.pytest.strategies.error_bounds import expected_results
from tests.pytest.strategies.matmul_programs import SMALL, random_matmul

import tileiras_xdsl
from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.pipeline import MODULE_STAGES, make_pass, select_steps

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


def compile_seed(seed: int, chosen: argparse.Namespace) -> str:
    """Compiles a program; what is to be said of it."""
    program = random_matmul(seed, SMALL if chosen.small else None)
    start = time.perf_counter()
    try:
        compiled = tileiras_xdsl.compile(
            program.module,
            gpu=chosen.gpu_name,
            opt=chosen.opt,
            abi=chosen.abi,
            cache=False,
            isolate=False,
        )
    except Exception as error:
        return f"{program.family}: {describe(error)}"
    took = time.perf_counter() - start
    if chosen.keep:
        Path(chosen.keep, f"product{seed}.ptx").write_text(compiled.ptx)
        Path(chosen.keep, f"product{seed}.mlir").write_text(program.text)
    used = [name for name, text in INSTRUCTIONS.items() if re.search(text, compiled.ptx)]
    record = compiled.record()
    spills = f", spills {record.spill_stores} bytes" if record.spill_stores else ""
    warnings = "".join(f", warning: {text}" for text in compiled.warnings)
    return f"{program.family}: ok: {' '.join(used)}{spills}{warnings} ({took:.1f} s)"


def run_seed(seed: int, chosen: argparse.Namespace) -> str:
    """Runs a program at a stage; what is to be said of its results."""
    program = random_matmul(seed, SMALL if chosen.small else None)
    context, module, arguments = make_context(), program.module.clone(), program.arguments()
    start = time.perf_counter()
    try:
        for step in select_steps(chosen.opt, to=chosen.stage):
            make_pass(step, chosen.gpu_name, chosen.abi).apply(context, module)
        tileiras_xdsl.run(module, grid=program.grid, args=arguments)
    except Exception as error:
        return f"{program.family}: {describe(error)}"
    took = time.perf_counter() - start
    expected = expected_results(program.module, program.grid, program.arguments())
    for number, bounds in expected.items():
        array = arguments[number]
        assert isinstance(array, np.ndarray)
        wrong = np.flatnonzero(bounds.wrong_in(array))
        if len(wrong):
            first = int(wrong[0])
            return (
                f"{program.family}: {FAILED}: argument {number}: {len(wrong)} of {array.size} are "
                f"wrong; element {first} is {array.reshape(-1)[first]} instead of "
                f"{bounds.value[first]:.9g} ± {bounds.error[first]:.1e}"
            )
    return f"{program.family}: ok ({took:.1f} s)"


def describe(error: Exception) -> str:
    """An error, and where it comes from if it is no message for users."""
    text = " ".join(str(error).split())[:400] or "no message"
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    place = f" ({Path(last.filename).name}:{last.lineno})"
    return f"{FAILED}: {type(error).__name__}: {text}{place}"


def answer(connection: Connection, seed: int, chosen: argparse.Namespace) -> None:
    """Runs in a process of its own."""
    connection.send(chosen.job(seed, chosen))


def check_seed(seed: int, chosen: argparse.Namespace) -> str:
    """The same in a process that may die or be stopped."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=answer, args=(sender, seed, chosen))
    process.start()
    sender.close()
    try:
        if not receiver.poll(chosen.timeout):
            return f"{FAILED}: no result after {chosen.timeout:.0f} s"
        return str(receiver.recv())
    except EOFError:
        return f"{FAILED}: the process died"
    finally:
        process.kill()
        process.join()


def check(chosen: argparse.Namespace) -> int:
    """Does something with all programs; whether that failed for some."""
    if chosen.keep:
        Path(chosen.keep).mkdir(parents=True, exist_ok=True)
    seeds = range(chosen.first, chosen.first + chosen.count)
    failed: list[int] = []
    counts: Counter[str] = Counter()
    with ThreadPoolExecutor(chosen.jobs) as executor:
        found = executor.map(lambda seed: check_seed(seed, chosen), seeds)
        for seed, text in zip(seeds, found, strict=True):
            print(f"{seed} {text}", flush=True)
            if FAILED in text:
                failed.append(seed)
            counts.update(name for name in INSTRUCTIONS if re.search(rf"ok:.* {name}\b", text))
    print(f"{len(seeds) - len(failed)} of {len(seeds)} are right; {dict(counts)}; not: {failed}")
    return 1 if failed else 0


def show(chosen: argparse.Namespace) -> int:
    program = random_matmul(chosen.seed, SMALL if chosen.small else None)
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
    checking.set_defaults(run=check, job=compile_seed)
    checking.add_argument("--keep", default="", help="a folder for PTX and programs")
    running = commands.add_parser("run")
    running.set_defaults(run=check, job=run_seed, keep="")
    running.add_argument("--stage", choices=MODULE_STAGES, default="nvvm")
    for parser in (checking, running):
        parser.add_argument("--abi", choices=("device-maps", "host-maps"), default="device-maps")
        parser.add_argument("--first", type=int, default=0)
        parser.add_argument("--count", type=int, default=200)
        parser.add_argument("--gpu-name", default="sm_90a")
        parser.add_argument("--opt", type=int, default=3)
        parser.add_argument("--jobs", type=int, default=1)
        parser.add_argument("--timeout", type=float, default=120)
    showing = commands.add_parser("show")
    showing.add_argument("seed", type=int)
    showing.set_defaults(run=show)
    for parser in (checking, running, showing):
        parser.add_argument("--small", action="store_true", help="shapes for the CPU")
    chosen = options.parse_args()
    return chosen.run(chosen)


if __name__ == "__main__":
    sys.exit(main())
