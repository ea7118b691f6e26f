# pyright: basic
"""
The process of the board that has one compiler: it makes inputs, calls and times, case by case.

A line of JSON on standard input names what to do, a line on standard output is the answer:

| request | answer |
| --- | --- |
| `["fill", name]` | compiles what the case needs |
| `["prepare", name]` | calls the case once; a digest of the results |
| `["time", calls]` | microseconds of each kernel in a call, over so many calls, by CUPTI |
| `["drop"]` | forgets the case |

The compiler is the `tileiras` that is first on the PATH.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import traceback
import zlib
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks/gpu"), str(Path(__file__).parent)]

BYTECODE = ROOT / "benchmarks/gpu/bytecode"
OWN = "own."
"""The first part of the names of cases whose kernels are in `benchmarks/gpu`."""
FOREIGN = re.compile(
    r"^(void |at::|Mem|cutlass|cublas|cudnn|ampere_|sm\d\d_|nvjet|_ZN|std::|fmha_cutlass|flash_"
    r"|triton_|\(anonymous|cub|thrust)"
)
"""Kernels of torch and of its libraries."""

MOST_LAUNCHES = 16
"""
How often a call may launch a kernel. What runs more often, or not as often in each call, belongs to
a tuner or to the case before.
"""


def own_cases() -> dict[str, tuple]:
    """The kernels of `benchmarks/gpu`, with the inputs that are timed there and with small ones."""
    from cases import CASES

    found: dict[str, tuple] = {}
    for case in CASES:
        if (BYTECODE / f"{case.kernel}.tileirbc").exists():
            found[f"{OWN}{case.name}"] = (case, case.make)
            if case.group in ("memory", "variants", "split"):
                found[f"{OWN}{case.name} small"] = (case, case.make.small())
    return found


def find_names() -> list[str]:
    """The names of all cases that this GPU can run."""
    import torch

    has_scales = torch.cuda.get_device_capability()[0] >= 10
    own = [
        name
        for name in own_cases()
        if has_scales or not any(word in name for word in ("mxf8", "mxf4", "nvf4"))
    ]
    return [*own, *foreign_cases()]


def foreign_cases() -> dict[str, Callable[[], Callable[[], object]]]:
    """The calls of another library: of TileGym, in C++ if there is bytecode, or of FlashInfer."""
    if "CPP_BYTECODE" in os.environ:
        from cpp_cases import find_cases

        return find_cases(Path(os.environ["CUDA_TILE_CACHE_DIR"]))
    if "FLASHINFER" in os.environ:
        from flashinfer_cases import CASES as found

        return {name: lambda make=make: make()[0] for name, make in found.items()}
    from tilegym_cases import CASES

    return CASES


def is_foreign(kernel: str) -> bool:
    """Whether a kernel is one of torch or of its libraries."""
    from cpp_cases import was_loaded

    return bool(FOREIGN.match(kernel)) and not was_loaded(kernel)


def compile_own(kernel: str) -> bytes:
    """The cubin of one of our kernels, compiled where the compiler's cache does not have it."""
    import torch

    major, minor = torch.cuda.get_device_capability()
    output = Path(os.environ["CUDA_TILE_CACHE_DIR"], f"{kernel}.cubin")
    if not output.exists():
        output.parent.mkdir(parents=True, exist_ok=True)
        command = [
            "tileiras",
            str(BYTECODE / f"{kernel}.tileirbc"),
            "-o",
            f"{output}.{os.getpid()}",
        ]
        result = subprocess.run(
            [*command, f"--gpu-name=sm_{major}{minor}", "-O3"],
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode != 0:
            raise RuntimeError(result.stderr.strip())
        Path(f"{output}.{os.getpid()}").rename(output)
    return output.read_bytes()


def prepare_own(name: str):
    """A call that launches one of our kernels, and its result."""
    import torch
    from run import replace_missing

    replace_missing()
    from tileiras_xdsl.backend import cuda
    from tileiras_xdsl.backend.launch_record import LaunchRecord, Parameter

    case, make = own_cases()[name]
    inputs = make("cuda")
    parameters: list[Parameter] = []
    values: list[int] = []
    for array in inputs.arrays:
        parameters += [Parameter("ptr"), *[Parameter("i32")] * (2 * array.dim())]
        values += [array.data_ptr(), *array.shape, *array.stride()]
    major, minor = torch.cuda.get_device_capability()
    # As cuTile launches: CTAs of one thread; the code requires as many as it needs.
    record = LaunchRecord(case.kernel, f"sm_{major}{minor}", tuple(parameters), (1, 1, 1))
    launch = cuda.load(compile_own(case.kernel), record).prepare((*inputs.grid, 1, 1)[:3], values)
    inputs.output.reset()

    def call() -> object:
        launch()
        # The launch has no reference to the arrays.
        return inputs.output.array if inputs else None

    return call


def digest(result: object, pieces: int) -> list[float]:
    """A few numbers that stand for each result: they are close where these are."""
    import torch

    numbers: list[float] = []
    todo = [result]
    while todo:
        value = todo.pop(0)
        if isinstance(value, (tuple, list)):
            todo = [*value, *todo]
        elif isinstance(value, torch.Tensor) and value.numel():
            wide = value.detach().float().flatten()
            wide = torch.nan_to_num(wide, posinf=0.0, neginf=0.0)
            numbers += [float(piece.norm()) for piece in wide.chunk(pieces)]
    return numbers


class Worker:
    """Does what it is told."""

    def __init__(self):
        self.call = None

    def fill(self, name: str) -> object:
        """Compiles, so that the cache has it."""
        if name.startswith(OWN):
            compile_own(own_cases()[name][0].kernel)
            return None
        self.prepare(name)
        return self.drop()

    def prepare(self, name: str) -> object:
        """Makes inputs, always the same ones, and calls once."""
        import torch

        torch.manual_seed(zlib.crc32(name.encode()))
        self.call = prepare_own(name) if name.startswith(OWN) else foreign_cases()[name]()
        result = self.call()
        torch.cuda.synchronize()
        return digest(result, 64 if name.startswith("cpp.") else 1)

    def time(self, calls: int) -> object:
        """Microseconds by kernel."""
        import torch
        from torch.profiler import ProfilerActivity, profile

        assert self.call is not None
        self.call()
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA]) as found:
            for _ in range(calls):
                self.call()
            torch.cuda.synchronize()
        times: dict[str, list[float]] = {}
        for event in found.events():
            if event.device_type.name == "CUDA" and not is_foreign(event.name):
                times.setdefault(event.name, []).append(event.device_time)
        return {
            name: sum(each) / calls
            for name, each in times.items()
            if len(each) % calls == 0 and len(each) <= MOST_LAUNCHES * calls
        }

    def drop(self) -> object:
        """Frees the memory of the case."""
        import torch

        self.call = None
        torch.cuda.empty_cache()
        return None


def main() -> None:
    """Answers requests until there are no more."""
    # Whatever the libraries print, answers go to what was standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker()
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        try:
            answer = {"ok": getattr(worker, what)(*arguments)}
        except Exception as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"[:400]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(find_names()))
    else:
        main()
