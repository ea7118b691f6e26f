# pyright: basic
"""
Random cuTile kernels, as `random_kernel_families.py` makes them, compiled by this compiler.

    python tests/gpu/random_kernels.py compile --count 200 [--jobs 2]      # needs no GPU
    python tests/gpu/random_kernels.py run --count 1000 --jobs 14          # on a machine with a GPU
    python tests/gpu/random_kernels.py run --first 17 --count 1            # one of them again
    options: --only FAMILY, --limit SECONDS for one case, --launcher (ours instead of cuTile's)

`compile` says which are refused, spill registers, or take long. `run` fills outputs, and memory
before and behind them, with poison, launches, and compares with float64 within the bound of each
element; every process works on its own cases, and one that a kernel keeps or brings down is
replaced. The exit code is 1 if anything is wrong, refused, or hangs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from random_kernel_families import Array, Case, make_case

MARGIN = 512
"""Elements of poison before and behind an output."""
BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "int32": 4}
SLOW = 20
"""Seconds that no kernel may take to compile."""


def describe(case: Case) -> str:
    constants = ", ".join(str(value) for value in case.constants)
    hints = "".join(f" {name}={value}" for name, value in case.hints.items())
    return f"{case.name} ({constants}) grid {'x'.join(map(str, case.grid))}{hints}"


# Without a GPU.


@cache
def architecture() -> str:
    """That of the GPU that is here, or of the one that most was tried on."""
    from tileiras_xdsl.backend.cuda import find_architecture

    return find_architecture("sm_90")


def constraint_of(array: Array) -> Any:
    """What cuTile knows of an array that torch has just allocated."""
    import cuda.tile as ct
    from cuda.tile.compilation import ArrayConstraint, ListConstraint

    rank = len(array.shape)
    # Strides that are multiples of 16 bytes are known to be.
    per_access = 16 // BYTES[array.dtype]
    stride, divisors = 1, []
    for size in reversed(array.shape):
        divisors.append(per_access if stride % per_access == 0 else 1)
        stride *= size
    found = ArrayConstraint(
        getattr(ct, array.dtype),
        rank,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=(*[None] * (rank - 1), 1),
        stride_divisible_by=(*reversed(divisors[1:]), 1),
        shape_divisible_by=tuple(16 if size % 16 == 0 else 1 for size in array.shape),
        base_addr_divisible_by=16,
    )
    if array.copies:
        return ListConstraint(found, alias_groups=(), elements_may_alias=False)
    return found


def compile_case(case: Case, folder: Path) -> str:
    """A line about what came out."""
    from cuda.tile.compilation import CallingConvention, KernelSignature, export_kernel

    import tileiras_xdsl as tx

    arrays = [constraint_of(array) for array in case.arrays]
    convention = CallingConvention.cutile_python_v2()
    signature = KernelSignature((*arrays, *case.constants), convention, "kernel")
    kernel = case.kernel.replace_hints(**case.hints)
    path = folder / "kernel.tileirbc"
    export_kernel(
        kernel,
        [signature],
        path,
        output_format="tileir_bytecode",
        bytecode_version="13.3",
    )
    start = time.process_time()
    compiled = tx.compile(path, gpu=architecture(), cache=False, explain=True)
    line = f"{time.process_time() - start:.1f} s"
    signs = {"WGMMA": "wgmma m64", "mma.sync": "mma.sync m", "parts": " parts"}
    line += "".join(f", {word}" for word, sign in signs.items() if sign in compiled.remarks.yaml)
    spilled = re.search(r"SpillStores: *'?(\d+)", compiled.remarks.yaml)
    if spilled is not None and int(spilled[1]):
        line += f", spills {spilled[1]} bytes"
    return ("slow " if time.process_time() - start > SLOW else "") + line


def check_compilation(seed: int, chosen: argparse.Namespace) -> tuple[str, str]:
    case = make_case(seed, chosen.only)
    with tempfile.TemporaryDirectory() as folder:
        try:
            line = compile_case(case, Path(folder))
        except Exception as error:
            # The front end of cuTile, and this compiler, have exceptions of their own.
            return "refused", f"{describe(case)}: {type(error).__name__}: {str(error)[:300]}"
    kind = "slow" if line.startswith("slow") else "spills" if "spills" in line else "compiled"
    return kind, f"{describe(case)}: {line}"


# With one.


def allocate(array: Array, generator: Any) -> tuple[Any, Any]:
    """An array, and the memory around it."""
    import torch

    dtype = getattr(torch, array.dtype)
    count = 1
    for size in array.shape:
        count *= size
    poison = float("nan") if dtype.is_floating_point else -777
    around = torch.full((count + 2 * MARGIN,), poison, dtype=dtype, device="cuda")
    inner = around[MARGIN : MARGIN + count].view(array.shape)
    if array.fill == "zero":
        inner.zero_()
    elif array.fill.startswith("below"):
        inner.random_(0, int(array.fill.split()[1]), generator=generator)
    elif array.fill != "output":
        values = torch.randn(array.shape, device="cuda", generator=generator)
        inner.copy_(values * (0.1 if array.fill == "small" else 1))
    return inner, around


def is_written(array: Array) -> bool:
    return array.fill in ("output", "zero", "in place")


def check_margins(around: Any) -> bool:
    """Whether the poison around an array is there."""
    import torch

    ends = torch.cat([around[:MARGIN], around[-MARGIN:]])
    is_poison = ends.isnan() if ends.dtype.is_floating_point else ends == -777
    return bool(is_poison.all())


def check_run(seed: int, chosen: argparse.Namespace) -> tuple[str, str]:
    import cuda.tile as ct
    import torch

    case = make_case(seed, chosen.only)
    generator = torch.Generator("cuda").manual_seed(seed)
    arguments, inputs, outputs, margins = [], [], [], []
    for array in case.arrays:
        made = [allocate(array, generator) for _ in range(array.copies or 1)]
        inner = [each for each, _ in made]
        margins += [around for _, around in made]
        arguments.append(inner if array.copies else inner[0])
        if array.fill != "output":
            wide = [each.double() for each in inner]
            inputs.append(wide if array.copies else wide[0])
        if is_written(array):
            outputs += inner
    expected = case.reference(*inputs)
    kernel = case.kernel.replace_hints(**case.hints)
    try:
        stream = torch.cuda.current_stream()
        ct.launch(stream, case.grid, kernel, (*arguments, *case.constants))
    except Exception as error:
        # As above; what a launch raises is cuTile's.
        return "refused", f"{describe(case)}: {type(error).__name__}: {str(error)[:300]}"
    torch.cuda.synchronize()
    for number, (found, (value, bound)) in enumerate(zip(outputs, expected, strict=True)):
        error = (found.double() - value).abs()
        bad = ~(error <= bound)
        if bad.any():
            where = tuple(int(index) for index in bad.nonzero()[0])
            line = (
                f"{describe(case)}: output {number}, {int(bad.sum())} of {bad.numel()} elements, "
                f"first {where}: {float(found[where])} instead of {float(value[where])}, "
                f"bound {float(bound[where]):.3g}"
            )
            return "wrong", line
    if not all(check_margins(around) for around in margins):
        return "wrong", f"{describe(case)}: writes outside of its arrays"
    return "right", describe(case)


def work(connection: Connection, chosen: argparse.Namespace) -> None:
    """Takes seeds and answers with kinds and lines."""
    if chosen.mode == "run":
        import tileiras_xdsl.cutile as open_tileiras

        open_tileiras.use(launcher=chosen.launcher)
    check = check_run if chosen.mode == "run" else check_compilation
    while (seed := connection.recv()) is not None:
        try:
            answer = check(seed, chosen)
        except Exception:
            # Whatever it is, it belongs to this case; after an error of CUDA the process is lost.
            answer = ("failed", traceback.format_exc(limit=3))
        connection.send(answer)
        if answer[0] == "failed":
            return


class Worker:
    """A process and the seed that it works on."""

    def __init__(self, chosen: argparse.Namespace):
        self.connection, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=work, args=(other, chosen), daemon=True)
        self.process.start()
        other.close()
        self.seed = -1
        self.start = 0.0

    def give(self, seed: int) -> None:
        self.seed, self.start = seed, time.monotonic()
        self.connection.send(seed)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def run_all(chosen: argparse.Namespace) -> dict[str, list[str]]:
    """Lines by kind."""
    left = list(range(chosen.first, chosen.first + chosen.count))[::-1]
    found: dict[str, list[str]] = {}
    workers: list[Worker] = []
    end = time.monotonic() + chosen.seconds

    def note(worker: Worker, kind: str, line: str) -> None:
        found.setdefault(kind, []).append(f"{worker.seed}: {line}")
        if kind not in ("right", "compiled") or chosen.verbose:
            print(f"{kind:9}{worker.seed}: {line}", flush=True)

    while True:
        while left and len(workers) < chosen.jobs and time.monotonic() < end:
            worker = Worker(chosen)
            worker.give(left.pop())
            workers.append(worker)
        if not workers:
            break
        ready = wait([worker.connection for worker in workers], timeout=1)
        for worker in list(workers):
            if worker.connection in ready:
                try:
                    kind, line = worker.connection.recv()
                except (EOFError, OSError):
                    kind, line = "failed", "the process ended"
                note(worker, kind, line)
                if kind != "failed" and left and time.monotonic() < end:
                    worker.give(left.pop())
                    continue
            elif time.monotonic() - worker.start > chosen.limit:
                note(worker, "hangs", f"more than {chosen.limit} s")
            else:
                continue
            worker.end()
            workers.remove(worker)
    if left:
        print(f"{len(left)} cases were not reached")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Random cuTile kernels.")
    parser.add_argument("mode", choices=("compile", "run"))
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="a family")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one case")
    parser.add_argument("--seconds", type=float, default=1e9, help="for all of them")
    parser.add_argument("--launcher", action="store_true", help="launch with our launcher")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    multiprocessing.set_start_method("spawn")
    found = run_all(chosen)
    counts = Counter({kind: len(lines) for kind, lines in found.items()})
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1))
    return int(bool(found.keys() - {"right", "compiled", "spills"}))


if __name__ == "__main__":
    raise SystemExit(main())
