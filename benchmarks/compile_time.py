"""
Milliseconds from bytecode to a cubin, ours and those of NVIDIA's `tileiras`, in the same run.

    python benchmarks/compile_time.py [FILE …] [--gpu sm_90] [--repeat 5] [--cpu] [--passes]
        [--warm]
    python benchmarks/compile_time.py [FILE …] --against OTHER/src [--gpu sm_90] [--repeat 5]

| column | is |
| --- | --- |
| warm | `tileiras_xdsl.compile` here: imports done, a worker for LLVM waiting, no cache |
| tileiras | the command `tileiras` on the same bytecode |
| ratio | of these two, at most 1 is wanted |
| cold | the command `tileiras-xdsl` on the same bytecode, without a server or a cached result |
| more | how much longer that takes than `tileiras`, at most 400 ms are wanted |

Each turn adds another constant to what the program stores first, so that nothing can be known from
an earlier turn. Wall time, the median of all turns; those of the three take place by turns. With
`--cpu`, the time that processors spent on all processes that take part, and the least of all turns:
that is what says something on a machine that does other things, too; LLVM is then run without a
worker. With `--warm`, nothing is started cold. Without a file, the kernels of the GPU benchmarks;
without `tileiras`, its columns are empty.

With `--against`, the warm time of this version and of the one in another checkout: a process for
each, which compile the same programs by turns; the least processor time of all turns, in
milliseconds, without what ptxas takes, and the passes that take longer than they did.
"""

from __future__ import annotations

import argparse
import json
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
from tileiras_xdsl.backend.libdevice import nvidia_package_folders
from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.cuda_tile.floating import AddFOp
from tileiras_xdsl.dialects.cuda_tile.integer import AddIOp
from tileiras_xdsl.dialects.cuda_tile.memory import AtomicRMWOp, StorePtrOp
from tileiras_xdsl.dialects.cuda_tile.symbols import ConstantOp
from tileiras_xdsl.dialects.cuda_tile.types import TileType
from tileiras_xdsl.dialects.cuda_tile.views import StoreViewOp
from tileiras_xdsl.driver.compiler import compilation
from tileiras_xdsl.driver.compiler.compilation import Time
from tileiras_xdsl.frontend.bytecode import write

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
        env={
            **os.environ,
            "TILEIRAS_XDSL_SERVER": "0",
            "TILEIRAS_XDSL_CACHE": "1",
            "TILEIRAS_XDSL_CACHE_DIR": str(folder / "cache"),
            "PYTHONDONTWRITEBYTECODE": "",
        },
    )


def measure_kernel(
    path: Path,
    gpu: str,
    repeat: int,
    tileiras: str | None,
    *,
    cpu: bool = False,
    cold: bool = True,
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Milliseconds by column, and of the warm turns by pass."""
    times: dict[str, list[float]] = defaultdict(list)
    passes: dict[str, list[float]] = defaultdict(list)
    first, *variants = make_variants(path, repeat + 1)
    clock = cpu_time if cpu else perf_counter

    def compile_warm(program: bytes) -> tuple[Time, ...]:
        return tileiras_xdsl.compile(program, gpu, cache=False, isolate=not cpu).time

    compile_warm(first)
    ours = [sys.executable, "-m", "tileiras_xdsl.driver.service.client"]
    with TemporaryDirectory() as name:
        folder = Path(name)
        # What Python compiles at the first start of all is no part of a cold start.
        if cold:
            run_command(ours, first, gpu, folder)
        for program in variants:
            start = clock()
            taken = compile_warm(program)
            times["warm"].append(1000 * (clock() - start))
            for time in taken:
                passes[time.name].append(1000 * time.seconds)
            if cold:
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


def serve(gpu: str) -> None:
    """Compiles the programs whose paths come in, one on a line, and answers with times by pass."""
    compilation.perf_counter = worker.perf_counter = cpu_time
    for line in sys.stdin:
        program = Path(line.strip()).read_bytes()
        times = tileiras_xdsl.compile(program, gpu, cache=False, isolate=False).time
        print(json.dumps({time.name: 1000 * time.seconds for time in times}), flush=True)


def compare(paths: list[Path], gpu: str, repeat: int, other: Path) -> None:
    """Prints the warm times of this version and of that whose sources are in `other`."""
    sources = (Path(tileiras_xdsl.__file__).parents[1], other)
    command = [sys.executable, __file__, "--serve", "--gpu", gpu]
    versions = [
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(source.resolve())},
            text=True,
        )
        for source in sources
    ]

    def ask(version: subprocess.Popen[str], path: Path) -> dict[str, float]:
        assert version.stdin is not None
        assert version.stdout is not None
        print(path, file=version.stdin, flush=True)
        return json.loads(version.stdout.readline())

    print(f"{'kernel':28} {'this':>9} {'other':>9} {'ratio':>9}")
    with TemporaryDirectory() as name:
        program = Path(name) / "kernel.tileirbc"
        for path in paths:
            answers: list[list[dict[str, float]]] = [[], []]
            for turn, variant in enumerate(make_variants(path, repeat + 1)):
                program.write_bytes(variant)
                for version, kept in zip(versions, answers, strict=True):
                    answer = ask(version, program)
                    if turn:
                        kept.append(answer)
            print_comparison(path.stem, *answers)
    for version in versions:
        version.communicate()


def print_comparison(
    kernel: str, ours: list[dict[str, float]], theirs: list[dict[str, float]]
) -> None:
    """A line for the kernel, and one for each pass that got slower."""

    def total(times: Mapping[str, float]) -> float:
        return sum(time for name, time in times.items() if name != "ptxas")

    this, other = (min(map(total, times)) for times in (ours, theirs))
    print(f"{kernel:28} {this:9.1f} {other:9.1f} {this / other:9.2f}", flush=True)
    for name in ours[0]:
        now, then = (min(times.get(name, 0.0) for times in version) for version in (ours, theirs))
        if now > then + 0.5 and name != "ptxas":
            print(f"    {name:40}{now:9.1f}{then:9.1f}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("files", nargs="*", type=Path)
    arguments.add_argument("--gpu", default="sm_90")
    arguments.add_argument("--repeat", type=int, default=5)
    arguments.add_argument("--passes", action="store_true", help="where the warm time goes")
    arguments.add_argument("--cpu", action="store_true", help="time of processors")
    arguments.add_argument("--warm", action="store_true", help="start nothing cold")
    arguments.add_argument("--against", type=Path, help="sources of another version")
    arguments.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.serve:
        return serve(options.gpu)
    if options.cpu:
        compilation.perf_counter = worker.perf_counter = cpu_time
    paths = options.files or sorted(KERNELS.glob("*.tileirbc"))
    if options.against is not None:
        return compare(paths, options.gpu, options.repeat, options.against)
    tileiras = find_tileiras()
    columns = ("warm", "tileiras", "ratio", "cold", "more")
    print(f"{'kernel':28}", *(f"{column:>9}" for column in columns))
    for path in paths:
        try:
            times, passes = measure_kernel(
                path,
                options.gpu,
                options.repeat,
                tileiras,
                cpu=options.cpu,
                cold=not options.warm,
            )
        except (DiagnosticException, subprocess.CalledProcessError, ValueError) as error:
            print(f"{path.stem:28} {error}")
            continue
        row = dict(times)
        if "tileiras" in times:
            row["ratio"] = times["warm"] / times["tileiras"]
            if "cold" in times:
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
