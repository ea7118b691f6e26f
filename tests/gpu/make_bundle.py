"""
Prepares the comparison of the interpreter with a compiler on a GPU: see README.md.

    python tests/gpu/make_bundle.py FOLDER [--compiler ours] [--programs 1000] [--matmuls 200]
        [--gpu-name sm_100] [--abi device-maps]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import DiagnosticException

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.pytest.strategies.error_bounds import Approx, expected_results
from tests.pytest.strategies.matmul_programs import random_matmul, random_unrolled
from tests.pytest.strategies.programs import random_program

import tileiras_xdsl
from tileiras_xdsl import load
from tileiras_xdsl.backend.cuda import find_architecture
from tileiras_xdsl.backend.launch_record import Abi, LaunchRecord
from tileiras_xdsl.dialects.cuda_tile.types import PtrType
from tileiras_xdsl.frontend.bytecode import write
from tileiras_xdsl.interpreter.elements import dtype_of, round_to, to_bytes
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.run import entries_of, run
from tileiras_xdsl.interpreter.values import element_of

CORPUS = Path(__file__).parents[1] / "corpus" / "bytecode" / "13.3"
SIZES = {0: 4096, 1: 4096, 2: 64, 3: 16, 4: 8, 5: 4}
"""How large arrays are along each dimension, by rank."""
LEAST_ELEMENTS = 4096


@dataclass(frozen=True)
class Code:
    """What the driver loads."""

    image: bytes
    records: Sequence[LaunchRecord] = ()
    """Of kernels that take more than the parameters of their entries."""


Compiler = Callable[[bytes, str, Abi], Code]
"""Bytecode, the name of an architecture and how kernels are launched to code."""


class NotCompiled(Exception):
    """Why a program has no code."""


def compile_here(program: bytes, gpu: str, abi: Abi) -> Code:
    """With this project's compiler."""
    try:
        compiled = tileiras_xdsl.compile(program, gpu=gpu, abi=abi, cache=False)
        return Code(compiled.cubin, compiled.records)
    except Exception as error:
        raise NotCompiled(f"{type(error).__name__}: {error}") from error


def compile_there(program: bytes, gpu: str, abi: Abi) -> Code:
    """With NVIDIA's compiler."""
    import nvidia.cu13

    tileiras = Path(next(iter(nvidia.cu13.__path__))) / "bin" / "tileiras"
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "kernel.tileirbc"), Path(folder, "kernel.cubin")
        source.write_bytes(program)
        command = [tileiras, source, "--gpu-name", gpu, "-o", cubin]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            raise NotCompiled(done.stderr.decode())
        return Code(cubin.read_bytes())


def compile_to_ptx(program: bytes, gpu: str, abi: Abi) -> Code:
    """With this project's compiler, to PTX that the driver of any later GPU compiles."""
    try:
        compiled = tileiras_xdsl.compile(program, gpu=gpu, abi=abi, cache=False)
        return Code(compiled.ptx.encode() + b"\0", compiled.records)
    except Exception as error:
        raise NotCompiled(f"{type(error).__name__}: {error}") from error


COMPILERS: dict[str, Compiler] = {
    "ours": compile_here,
    "ours-ptx": compile_to_ptx,
    "tileiras": compile_there,
}


def parameters_of(entry: Operation) -> list[Attribute]:
    return [element_of(argument.type) for argument in entry.regions[0].block.args]


def make_array(element: Attribute, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random elements; integers small enough to be indices."""
    dtype = dtype_of(element)
    if dtype == np.bool_:
        return rng.integers(0, 2, count).astype(np.bool_)
    if isinstance(element, IntegerType):
        return rng.integers(0, 50, count).astype(dtype)
    return round_to(rng.standard_normal(count), element)


def make_arguments(parameters: list[Attribute], rng: np.random.Generator) -> list[Any]:
    """
    A pointer and the integers behind it are an array as cuTile passes it, with sizes and
    strides; other integers are small numbers.
    """
    arguments: list[Any] = []
    while len(arguments) < len(parameters):
        first = len(arguments)
        element = parameters[first]
        if isinstance(element, PtrType):
            last = first + 1
            while last < len(parameters) and isinstance(parameters[last], IntegerType):
                last += 1
            rank = (last - first - 1) // 2
            shape = [SIZES.get(rank, 2)] * rank
            strides = [SIZES.get(rank, 2) ** power for power in reversed(range(rank))]
            count = max(int(np.prod(shape)), LEAST_ELEMENTS)
            arguments += [make_array(element.pointee, count, rng), *shape, *strides]
            arguments += [int(rng.choice([2, 4, 8])) for _ in range(last - len(arguments))]
        elif isinstance(element, IntegerType):
            arguments.append(int(rng.choice([2, 4, 8])))
        else:
            arguments.append(float(rng.standard_normal()))
    return arguments


def scalar_bytes(element: Attribute, value: Any) -> bytes:
    """A scalar argument as a kernel takes it, rounded to its type."""
    if isinstance(element, IntegerType):
        scalar = np.array([value]).astype(dtype_of(element))
    else:
        scalar = round_to(np.array([value], np.float64), element)
    return to_bytes(scalar, element).tobytes()


def make_record(parameters: list[Attribute], arguments: Sequence[Any]) -> list[dict[str, Any]]:
    """What the other machine has to know of the arguments."""
    record: list[dict[str, Any]] = []
    for element, argument in zip(parameters, arguments, strict=True):
        if isinstance(element, PtrType):
            record.append({"kind": "array", "element": str(element.pointee)})
        else:
            record.append({"kind": "scalar", "bytes": scalar_bytes(element, argument).hex()})
    return record


class Case:
    """A program, the bytecode of it, and arguments for each of its kernels."""

    def __init__(
        self,
        name: str,
        module: ModuleOp,
        bytecode: bytes,
        grid: Sequence[int],
        arguments: Callable[[Operation], list[Any]],
        bounds: Callable[[], dict[int, Approx]] | None = None,
    ):
        self.name = name
        self.module = module
        self.bytecode = bytecode
        self.grid = grid
        self.arguments = arguments
        self.bounds = bounds
        """Numbers that arrays have to hold in the end, and how far off they may be."""


def corpus(grid: Sequence[int]) -> Iterator[Case]:
    """The exported kernels."""

    def arguments(entry: Operation) -> list[Any]:
        return make_arguments(parameters_of(entry), np.random.default_rng(7))

    for path in sorted(CORPUS.glob("*.tileirbc")):
        yield Case(path.stem, load(path), path.read_bytes(), grid, arguments)


def programs(first: int, count: int) -> Iterator[Case]:
    """Random programs, but for those that bytecode cannot hold."""
    for seed in range(first, first + count):
        program = random_program(seed)
        try:
            bytecode = write(program.module)
        except DiagnosticException:
            continue
        yield Case(
            f"program{seed}",
            program.module,
            bytecode,
            program.grid,
            lambda _, program=program: list(program.arguments()),
        )


def matmuls(first: int, count: int) -> Iterator[Case]:
    """Random programs of matrix products, with bounds of the errors of their results."""
    seeds = range(first, first + count)
    for name, program in chain(
        ((f"product{seed}", random_matmul(seed)) for seed in seeds),
        ((f"unrolled{seed}", random_unrolled(seed)) for seed in seeds[::10]),
    ):
        yield Case(
            name,
            program.module,
            write(program.module),
            program.grid,
            lambda _, program=program: list(program.arguments()),
            lambda program=program: expected_results(
                program.module, program.grid, program.arguments()
            ),
        )


def memory_of(array: np.ndarray) -> np.ndarray:
    """The bytes of an array."""
    return np.ascontiguousarray(array).view(np.uint8).ravel()


def bounded_arrays(number: int, found: Approx) -> dict[str, np.ndarray]:
    """Numbers and bounds in few bytes, the bounds rounded up."""
    with np.errstate(over="ignore"):
        value = found.value.astype(np.float32)
        error = (found.error + np.abs(np.nan_to_num(found.value - value))).astype(np.float32)
    bits = error.view(np.uint32)
    rounded = ((bits + np.uint32(0xFFFF)) & np.uint32(0xFFFF0000)).view(np.float32)
    return {f"value{number}": value, f"error{number}": np.where(error < np.inf, rounded, error)}


def add_case(
    case: Case, compiler: Compiler, gpu: str, abi: Abi, folder: Path, skipped: Counter[str]
) -> list[dict[str, Any]]:
    """Compiles a program, runs it with the interpreter, and writes what the GPU has to do."""
    try:
        code = compiler(case.bytecode, gpu, abi)
    except NotCompiled as error:
        skipped["not compiled"] += 1
        print(f"{case.name}: {error}")
        return []
    cubin = folder / f"{case.name}.cubin"
    cubin.write_bytes(code.image)
    launches = {each.entry: each.to_dict() for each in code.records if each.abi == "host-maps"}
    records: list[dict[str, Any]] = []
    for name, entry in entries_of(case.module).items():
        parameters = parameters_of(entry)
        before = case.arguments(entry)
        after = [a.copy() if isinstance(a, np.ndarray) else a for a in before]
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                run(case.module, tuple(case.grid), after, entry=name, check=True)
        except ExecutionError as error:
            skipped["undefined, or an assert"] += 1
            print(f"{case.name}: {error}")
            continue
        arrays: dict[str, np.ndarray] = {}
        for number, (old, new) in enumerate(zip(before, after, strict=True)):
            if isinstance(old, np.ndarray):
                arrays[f"in{number}"], changed = memory_of(old), memory_of(new)
                if not np.array_equal(arrays[f"in{number}"], changed):
                    arrays[f"out{number}"] = changed
        for number, found in ({} if case.bounds is None else case.bounds()).items():
            if found.wrong_in(after[number]).any():
                print(f"{case.name}: argument {number}: the interpreter is wrong, or the bounds")
            if found.error.any():
                arrays |= bounded_arrays(number, found)
                arrays.pop(f"out{number}", None)
        data = f"{case.name}.{name}.npz"
        np.savez_compressed(folder / data, **arrays)
        records.append(
            {
                "name": f"{case.name}.{name}",
                "cubin": cubin.name,
                "entry": name,
                "grid": list(case.grid),
                "data": data,
                "args": make_record(parameters, before),
                "launch": launches.get(name),
            }
        )
    return records


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--compiler", choices=sorted(COMPILERS), default="ours")
    options.add_argument("--programs", type=int, default=0, help="so many random programs")
    options.add_argument(
        *("--matmuls", "--products"),
        type=int,
        default=0,
        help="so many programs of matrix products",
    )
    options.add_argument("--first", type=int, default=0, help="the seed of the first of them")
    options.add_argument("--no-corpus", action="store_true")
    options.add_argument("--grid", type=int, nargs=3, default=(2, 1, 1))
    options.add_argument("--gpu-name", help="default: the GPU that is here, or sm_90")
    options.add_argument("--abi", choices=("device-maps", "host-maps"), default="device-maps")
    chosen = options.parse_args()
    if chosen.compiler == "tileiras" and chosen.abi != "device-maps":
        options.error("NVIDIA's compiler leaves nothing to our launcher")
    gpu_name = chosen.gpu_name or find_architecture("sm_90")
    chosen.folder.mkdir(parents=True, exist_ok=True)
    compiler = COMPILERS[chosen.compiler]
    records: list[dict[str, Any]] = []
    skipped: Counter[str] = Counter()
    cases = [] if chosen.no_corpus else [corpus(chosen.grid)]
    cases.append(programs(chosen.first, chosen.programs))
    cases.append(matmuls(chosen.first, chosen.matmuls))
    for each in cases:
        for case in each:
            records += add_case(case, compiler, gpu_name, chosen.abi, chosen.folder, skipped)
    (chosen.folder / "records.json").write_text(json.dumps(records))
    print(f"{len(records)} kernels; left out: {dict(skipped)}")


if __name__ == "__main__":
    main()
