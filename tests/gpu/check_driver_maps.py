# pyright: basic
"""
Cubins whose tensor maps the driver encodes, by code of the cubin (`--abi driver-maps`).

    python tests/gpu/check_driver_maps.py make FOLDER     # where the compiler is
    python tests/gpu/check_driver_maps.py run FOLDER      # where the GPU is; torch, no xDSL

A module with two GEMM kernels is loaded as a module and as a library, and launched with one thread
and with all of a CTA, as cuTile and C++ do: with other arrays each time, on several streams at
once, from several threads, in a graph whose nodes get other arrays before each replay, and with
tensors that are empty. Results are compared with float64, outputs begin as NaN.
"""

from __future__ import annotations

import ctypes
import json
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).parents[2]
BYTECODE = ROOT / "benchmarks/gpu/bytecode/matmul_128x128x64.tileirbc"
ENTRIES = ("matmul_128x128x64", "second")
TILE = 128
CLOSE = 2e-3
SHAPES = ((512, 512, 512), (1000, 520, 264), (256, 128, 64), (128, 136, 0), (8, 4096, 2048))


def make(folder: Path) -> None:
    sys.path.insert(0, str(ROOT / "src"))
    import tileiras_xdsl
    from tileiras_xdsl.dialects.cuda_tile.symbols import EntryOp
    from tileiras_xdsl.xdsl_extras.walking import find_all

    module = tileiras_xdsl.load(BYTECODE)
    (entry,) = find_all(module, EntryOp)
    other = entry.clone()
    other.sym_name = type(entry.sym_name)(ENTRIES[1])
    entry.parent.add_op(other)
    compiled = tileiras_xdsl.compile(module, "sm_90a", abi="driver-maps")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernels.cubin").write_bytes(compiled.cubin)
    (folder / "record.json").write_text(json.dumps({"threads": compiled.records[0].threads}))


class Kernels:
    """The functions of a cubin."""

    def __init__(self, image: bytes, *, as_library: bool):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.functions = []
        holder, function = ctypes.c_void_p(), ctypes.c_void_p()
        if as_library:
            nothing = (None, None, 0, None, None, 0)
            self.check(self.driver.cuLibraryLoadData(ctypes.byref(holder), image, *nothing))
            find = self.driver.cuLibraryGetKernel
        else:
            self.check(self.driver.cuModuleLoadData(ctypes.byref(holder), image))
            find = self.driver.cuModuleGetFunction
        for name in ENTRIES:
            function = ctypes.c_void_p()
            self.check(find(ctypes.byref(function), holder, name.encode()))
            self.functions.append(function)

    @staticmethod
    def check(status: int) -> None:
        if status:
            raise RuntimeError(f"the driver says {status}")

    def launch(self, which: int, arrays, threads: int, stream: int) -> None:
        values = []
        for array in arrays:
            values.append(ctypes.c_uint64(array.data_ptr()))
            values += map(ctypes.c_int32, (*array.shape, *array.stride()))
        pointers = [ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values]
        parameters = (ctypes.c_void_p * len(values))(*pointers)
        rows, columns = arrays[2].shape
        blocks = -(-rows // TILE) * -(-columns // TILE)
        call = self.driver.cuLaunchKernel
        shape = (blocks, 1, 1, threads, 1, 1, 0)
        self.check(call(self.functions[which], *shape, ctypes.c_void_p(stream), parameters, None))


def fresh(m: int, n: int, k: int):
    import torch

    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    b = torch.randn(k, n, device="cuda", dtype=torch.float16)
    return a, b, torch.full((m, n), float("nan"), device="cuda", dtype=torch.float16)


def is_right(arrays) -> bool:
    a, b, c = (array.double() for array in arrays)
    expected = a @ b
    error = (c - expected).norm() / max(expected.norm().item(), 1e-9)
    return bool(error < CLOSE)


def run(folder: Path) -> int:
    import torch

    torch.cuda.init()
    torch.zeros(1, device="cuda")
    image = (folder / "kernels.cubin").read_bytes()
    (threads, _, _) = json.loads((folder / "record.json").read_text())["threads"]
    wrong = checked = 0

    def count(name: str, results: list[bool]) -> None:
        nonlocal wrong, checked
        print(f"{name}: {results.count(False)} of {len(results)} wrong", flush=True)
        wrong += results.count(False)
        checked += len(results)

    for as_library in (False, True):
        kernels = Kernels(image, as_library=as_library)
        name = "library" if as_library else "module"
        main = torch.cuda.current_stream().cuda_stream
        for given in (1, threads):
            results = []
            for number in range(40):
                arrays = fresh(*SHAPES[number % len(SHAPES)])
                kernels.launch(number % 2, arrays, given, main)
                results.append(is_right(arrays))
            count(f"{name}, blocks of {given} threads", results)
        sets = [fresh(*SHAPES[number % 3]) for number in range(300)]
        streams = [torch.cuda.Stream() for _ in range(4)]
        torch.cuda.synchronize()
        for number, arrays in enumerate(sets):
            kernels.launch(number % 2, arrays, 1, streams[number % 4].cuda_stream)
        torch.cuda.synchronize()
        count(f"{name}, four streams", list(map(is_right, sets)))
        sets = [fresh(*SHAPES[number % 3]) for number in range(300)]
        torch.cuda.synchronize()

        def launch_some(first: int, sets=sets, kernels=kernels) -> None:
            torch.cuda.set_device(0)
            for number in range(first, len(sets), 3):
                kernels.launch(number % 2, sets[number], 1, streams[first].cuda_stream)

        workers = [threading.Thread(target=launch_some, args=(first,)) for first in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        torch.cuda.synchronize()
        count(f"{name}, three threads", list(map(is_right, sets)))
        graph, sets = torch.cuda.CUDAGraph(), [fresh(*SHAPES[number % 5]) for number in range(20)]
        with torch.cuda.graph(graph):
            stream = torch.cuda.current_stream().cuda_stream
            for number, arrays in enumerate(sets):
                kernels.launch(number % 2, arrays, 1, stream)
        results = []
        for _ in range(3):
            for a, b, c in sets:
                a.normal_()
                b.normal_()
                c.fill_(float("nan"))
            graph.replay()
            torch.cuda.synchronize()
            results += map(is_right, sets)
        count(f"{name}, a graph", results)
    print(f"{wrong} of {checked} wrong")
    return wrong


if __name__ == "__main__":
    command, place = sys.argv[1:]
    sys.exit(make(Path(place)) if command == "make" else min(run(Path(place)), 1))
