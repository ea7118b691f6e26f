"""
Milliseconds from bytecode to a cubin, ours and those of NVIDIA's `tileiras`, in the same run.

    python benchmarks/compile_time.py [FILE …] [--gpu sm_90] [--repeat 5] [--cpu] [--passes]

| column | is |
| --- | --- |
| warm | `tileiras_xdsl.compile` here: imports done, a worker for LLVM waiting, no cache |
| tileiras | the command `tileiras` on the same bytecode |
| ratio | of these two, at most 1 is wanted |
| cold | the command `tileiras-xdsl` on the same bytecode, without a cache |
| more | how much longer that takes than `tileiras`, at most 800 ms are wanted |

Each turn adds another constant to what the program stores first, so that nothing can be known from
an earlier turn. Wall time, the median of all turns; those of the three take place by turns. With
`--cpu`, the time that processors spent on all processes that take part, and the least of all turns:
that is what says something on a machine that does other things, too; LLVM is then run without a
worker. Without a file, the kernels of the GPU benchmarks; without `tileiras`, its columns are
empty.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

import tileiras_xdsl
from tileiras_xdsl.backend import worker
from tileiras_xdsl.backend.search import nvidia_package_folders
from tileiras_xdsl.bytecode import write
from tileiras_xdsl.compiler import compilation
from tileiras_xdsl.compiler.compilation import Time
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.cuda_tile.floating import AddFOp
from tileiras_xdsl.dialects.cuda_tile.integer import AddIOp
from tileiras_xdsl.dialects.cuda_tile.memory import AtomicRMWOp, StorePtrOp
from tileiras_xdsl.dialects.cuda_tile.symbols import ConstantOp
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.dialects.cuda_tile.views import StoreViewOp

KERNELS = Path(__file__).parent / "gpu" / "bytecode"


def cpu_time() -> float:
    """Seconds that processors spent on this process and on those that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def find_tileiras() -> str | None:
    """That of NVIDIA's package, or the one on the PATH."""
    folders = [str(folder / "bin") for folder in nvidia_package_folders()]
    return shutil.which("tileiras", path=os.pathsep.join(folders)) or shutil.which("tileiras")


def add_constant(module: ModuleOp, number: int) -> None:
    """Adds a number to what the program stores first."""
    for op in module.walk():
        match op:
            case StoreViewOp():
                value = op.tile
            case StorePtrOp():
                value = op.value
            case AtomicRMWOp():
                value = op.arg
            case _:
                continue
        assert isinstance(value.type, TileType)
        is_integer = isinstance(value.type.element_type, IntegerType)
        constant = ConstantOp(DenseElementsAttr.from_values(value.type, [number]))
        addition = (AddIOp if is_integer else AddFOp).build(
            operands=[value, constant.result],
            result_types=[value.type],
            properties=addition_properties(is_integer),
        )
        insert_before(op, constant, addition)
        op.operands[op.operands.index(value)] = addition.results[0]
        return
    raise ValueError("the program stores nothing")


def addition_properties(is_integer: bool):
    from tileiras_xdsl.dialects.cuda_tile.enums import Rounding, RoundingAttr

    return {} if is_integer else {"rounding_mode": RoundingAttr(Rounding.NEAREST_EVEN)}


def insert_before(op: Operation, *new: Operation) -> None:
    assert op.parent is not None
    op.parent.insert_ops_before(new, op)


def make_variants(path: Path, count: int) -> list[bytes]:
    variants: list[bytes] = []
    for number in range(count):
        module = tileiras_xdsl.load(path)
        add_constant(module, number + 1)
        variants.append(write(module))
    return variants


def measure(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return 1000 * (clock() - start)


def run_command(command: list[str], program: bytes, gpu: str, folder: Path) -> None:
    source, output = folder / "kernel.tileirbc", folder / "kernel.cubin"
    source.write_bytes(program)
    subprocess.run(
        [*command, str(source), "--gpu-name", gpu, "-o", str(output)],
        check=True,
        capture_output=True,
        env={**os.environ, "TILEIRAS_XDSL_CACHE": "0"},
    )


def measure_kernel(
    path: Path, gpu: str, repeat: int, tileiras: str | None, *, cpu: bool = False
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Milliseconds by column, and of the warm turns by pass."""
    times: dict[str, list[float]] = defaultdict(list)
    passes: dict[str, list[float]] = defaultdict(list)
    first, *variants = make_variants(path, repeat + 1)
    clock = cpu_time if cpu else perf_counter

    def compile_warm(program: bytes) -> tuple[Time, ...]:
        return tileiras_xdsl.compile(program, gpu, cache=False, isolate=not cpu).time

    compile_warm(first)
    ours = [sys.executable, "-m", "tileiras_xdsl.tools.tileiras_xdsl"]
    with TemporaryDirectory() as name:
        folder = Path(name)
        for program in variants:
            start = clock()
            taken = compile_warm(program)
            times["warm"].append(1000 * (clock() - start))
            for time in taken:
                passes[time.name].append(1000 * time.seconds)
            times["cold"].append(
                measure(lambda program=program: run_command(ours, program, gpu, folder), clock)
            )
            if tileiras is None:
                continue
            theirs = [tileiras]
            times["tileiras"].append(
                measure(lambda program=program: run_command(theirs, program, gpu, folder), clock)
            )
    choose = min if cpu else median
    return (
        {name: choose(values) for name, values in times.items()},
        {name: sum(values) / repeat for name, values in passes.items()},
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("files", nargs="*", type=Path)
    arguments.add_argument("--gpu", default="sm_90")
    arguments.add_argument("--repeat", type=int, default=5)
    arguments.add_argument("--passes", action="store_true", help="where the warm time goes")
    arguments.add_argument("--cpu", action="store_true", help="time of processors")
    options = arguments.parse_args()
    if options.cpu:
        compilation.perf_counter = worker.perf_counter = cpu_time
    paths = options.files or sorted(KERNELS.glob("*.tileirbc"))
    tileiras = find_tileiras()
    columns = ("warm", "tileiras", "ratio", "cold", "more")
    print(f"{'kernel':28}", *(f"{column:>9}" for column in columns))
    for path in paths:
        try:
            times, passes = measure_kernel(
                path, options.gpu, options.repeat, tileiras, cpu=options.cpu
            )
        except (DiagnosticException, subprocess.CalledProcessError, ValueError) as error:
            print(f"{path.stem:28} {error}")
            continue
        row = dict(times)
        if "tileiras" in times:
            row["ratio"] = times["warm"] / times["tileiras"]
            row["more"] = times["cold"] - times["tileiras"]
        cells = (
            f"{row[column]:9.{2 if column == 'ratio' else 0}f}" if column in row else " " * 9
            for column in columns
        )
        print(f"{path.stem:28}", *cells)
        if options.passes:
            for name, milliseconds in sorted(passes.items(), key=lambda item: -item[1]):
                if milliseconds >= 1:
                    print(f"    {name:40}{milliseconds:9.1f}")


if __name__ == "__main__":
    main()
