# pyright: basic
"""
What the cases of the board launch, found without a GPU: their kernels as bytecode, grids, and the
sizes that decide how much work there is.

    python benchmarks/board/launches.py FOLDER [--only TEXT,…]

Ops run on torch's fake tensors, which have shapes and no elements, and cuTile's `launch` is
replaced by one that writes down what it is given. Kernels that cuTile would tune are left out, as
is what torch cannot run without elements. Launches behind a look at elements are marked. It needs
torch (any build), cuda-tile and tilegym; `accuracy.py` reads the folder.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.overrides import TorchFunctionMode

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(Path(__file__).parent)]

INDEX = "launches.json"
CAPABILITY = (9, 0)
GPU = SimpleNamespace(
    name="NVIDIA H200",
    major=9,
    minor=0,
    multi_processor_count=132,
    total_memory=141 << 30,
    shared_memory_per_block_optin=227 << 10,
    shared_memory_per_multiprocessor=228 << 10,
    max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=1 << 16,
    warp_size=32,
    L2_cache_size=50 << 20,
)
ADDRESSES = 1 << 36
"""What lies between the addresses of two arrays."""


class Recorder:
    """Writes down what is launched instead of launching it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.launches: list[dict[str, Any]] = []
        self.places: dict[int, int] = {}
        self.kept: list[object] = []
        self.is_guessed = False

    def guess(self) -> int:
        """Stands for a number that only elements would say."""
        self.is_guessed = True
        return 1

    def address(self, tensor: FakeTensor) -> int:
        """Where a tensor would be."""
        storage = tensor.untyped_storage()
        self.kept.append(storage)
        place = self.places.setdefault(storage._cdata, ADDRESSES * (len(self.places) + 1))
        return place + tensor.storage_offset() * tensor.element_size()

    def launch(self, stream: object, grid: Any, kernel: Any, arguments: Any, **_: object) -> None:
        """What cuTile's `launch` takes."""
        from tileiras_xdsl.frontend.cutile_kernels import export

        arguments = tuple(arguments)
        exported = export(kernel, arguments, "sm_90")
        name = hashlib.sha256(exported.bytecode).hexdigest()[:16]
        (self.folder / f"{name}.tileirbc").write_bytes(exported.bytecode)
        flat = exported.flatten(arguments)
        arrays = {
            number: each.numel() * each.element_size()
            for number, each in enumerate(flat)
            if torch.is_tensor(each)
        }
        self.launches.append(
            {
                "kernel": exported.name,
                "grid": [int(size) for size in (*grid, 1, 1)][:3],
                "values": [int(each) if isinstance(each, int) else None for each in flat],
                "arrays": arrays,
                "bytecode": name,
                "is_guessed": self.is_guessed,
            }
        )


def take_only(configurations: Any, *_: object, **__: object) -> Any:
    """The only configuration of a kernel that cuTile would tune."""
    (only, *others) = configurations
    if others:
        raise ValueError(f"the fastest of {1 + len(others)} configurations was timed")
    return SimpleNamespace(best=SimpleNamespace(config=only))


class OnCpu(TorchFunctionMode):
    """Makes tensors on the CPU: a torch without CUDA has no gradients of others."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        def place(value: object) -> object:
            return torch.device("cpu") if str(value).startswith("cuda") else value

        named = {name: place(value) for name, value in (kwargs or {}).items()}
        return func(*(place(x) if isinstance(x, str | torch.device) else x for x in args), **named)


def pretend_gpu() -> None:
    """Lets torch believe that there is an H200."""
    cuda: Any = torch.cuda
    cuda.is_available = lambda: True
    cuda.current_device = lambda: 0
    cuda.device_count = lambda: 1
    cuda.get_device_capability = lambda *_: CAPABILITY
    cuda.get_device_properties = lambda *_: GPU
    cuda.get_device_name = lambda *_: GPU.name
    cuda.current_stream = lambda *_: SimpleNamespace(cuda_stream=0)
    cuda.synchronize = lambda *_: None
    cuda._lazy_init = lambda: None


@contextmanager
def instead_of_a_gpu(recorder: Recorder) -> Iterator[None]:
    """Lets cuTile believe it as well, and writes down what it launches."""
    import cuda.tile as ct
    from cuda.tile import tune

    pretend_gpu()
    tensors: Any = FakeTensor
    tensors.data_ptr = lambda tensor: recorder.address(tensor)
    tensors.is_cuda = property(lambda _: True)
    tensors.item = lambda _: recorder.guess()
    torch.equal = lambda *_: False
    ct.launch = recorder.launch
    tune.exhaustive_search = take_only
    with FakeTensorMode(allow_non_fake_inputs=True), OnCpu():
        yield


def record(folder: Path, only: list[str]) -> dict[str, Any]:
    """By case, what it launches or why that is not known."""
    recorder = Recorder(folder)
    found: dict[str, Any] = {}
    with instead_of_a_gpu(recorder):
        from tilegym_cases import CASES

        for name, prepare in CASES.items():
            if only and not any(text in name for text in only):
                continue
            try:
                call = prepare()
                recorder.launches.clear()
                recorder.is_guessed = False
                call()
                found[name] = {"launches": [*recorder.launches]}
            except Exception as error:
                text = f"{type(error).__name__}: {error}".splitlines()[0][:200]
                found[name] = {"none": text}
            print(name, [each["kernel"] for each in found[name].get("launches", ())], flush=True)
            if "none" in found[name]:
                print(f"  left out: {found[name]['none']}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Finds what the cases of the board launch.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    os.environ["TILEGYM_DISABLE_AUTOTUNE"] = "1"
    given.folder.mkdir(parents=True, exist_ok=True)
    found = record(given.folder, [text for text in given.only.split(",") if text])
    (given.folder / INDEX).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
