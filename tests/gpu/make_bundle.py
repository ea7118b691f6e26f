"""
Prepares the comparison of the interpreter with NVIDIA's compiler on a GPU: see README.md.

    python tests/gpu/make_bundle.py FOLDER [--grid 2 1 1] [--gpu-name sm_90]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import nvidia.cu13
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation

from tileiras_xdsl import load, run
from tileiras_xdsl.dialects.cuda_tile.types import PtrType
from tileiras_xdsl.interpreter.elements import dtype_of, round_to
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.run import entries_of
from tileiras_xdsl.interpreter.types import element_of

CORPUS = Path(__file__).parents[1] / "corpus" / "bytecode" / "13.3"
TILEIRAS = Path(next(iter(nvidia.cu13.__path__))) / "bin" / "tileiras"
SIZES = {0: 4096, 1: 4096, 2: 64, 3: 16, 4: 8, 5: 4}
"""How large arrays are along each dimension, by rank."""
LEAST_ELEMENTS = 4096


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


def make_record(parameters: list[Attribute], arguments: list[Any]) -> list[dict[str, Any]]:
    """What the other machine has to know of the arguments."""
    record: list[dict[str, Any]] = []
    for element, argument in zip(parameters, arguments, strict=True):
        if isinstance(element, PtrType):
            record.append({"kind": "array", "element": str(element.pointee)})
        else:
            kind = "int" if isinstance(element, IntegerType) else "float"
            record.append({"kind": kind, "element": str(element), "value": argument})
    return record


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--grid", type=int, nargs=3, default=(2, 1, 1))
    options.add_argument("--gpu-name", default="sm_90")
    chosen = options.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    records: list[dict[str, Any]] = []
    skipped: Counter[str] = Counter()
    for path in sorted(CORPUS.glob("*.tileirbc")):
        cubin = chosen.folder / f"{path.stem}.cubin"
        command = [TILEIRAS, path, "--gpu-name", chosen.gpu_name, "-o", cubin]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            skipped["not for this architecture"] += 1
            continue
        module = load(path)
        for name, entry in entries_of(module).items():
            parameters = parameters_of(entry)
            before = make_arguments(parameters, np.random.default_rng(7))
            after = [a.copy() if isinstance(a, np.ndarray) else a for a in before]
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    run(module, name, grid=chosen.grid, args=after, check=True)
            except ExecutionError as error:
                skipped["undefined, or an assert"] += 1
                print(f"{path.stem}: {error}")
                continue
            arrays = {
                f"{when}{number}": value.view(np.uint8)
                for when, values in (("in", before), ("out", after))
                for number, value in enumerate(values)
                if isinstance(value, np.ndarray)
            }
            data = f"{path.stem}.{name}.npz"
            np.savez_compressed(chosen.folder / data, **arrays)
            records.append(
                {
                    "name": f"{path.stem}.{name}",
                    "cubin": cubin.name,
                    "entry": name,
                    "grid": list(chosen.grid),
                    "data": data,
                    "args": make_record(parameters, before),
                }
            )
    (chosen.folder / "records.json").write_text(json.dumps(records))
    print(f"{len(records)} kernels; left out: {dict(skipped)}")


if __name__ == "__main__":
    main()
