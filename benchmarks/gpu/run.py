# pyright: basic
"""
Checks and times the kernels of a folder that `make.py` wrote, and prints a table: ours, NVIDIA's
compiler on the same bytecode, and torch, in one run. It needs torch and the CUDA driver only.

    python run.py FOLDER [NAME …]
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

DRIVER = ctypes.CDLL("libcuda.so.1")


def check(name: str, *arguments: Any) -> None:
    code = getattr(DRIVER, name)(*arguments)
    if code:
        text = ctypes.c_char_p()
        DRIVER.cuGetErrorString(code, ctypes.byref(text))
        raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")


class Kernel:
    """A kernel of a cubin."""

    def __init__(self, path: Path, name: str):
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        data = path.read_bytes()
        check("cuModuleLoadData", ctypes.byref(self.module), data)
        check("cuModuleGetFunction", ctypes.byref(self.function), self.module, name.encode())

    def bind(self, grid: tuple[int, ...], arrays: list[torch.Tensor]) -> Callable[[], None]:
        """A launch with block (1, 1, 1), as cuTile does it."""
        values: list[Any] = []
        for array in arrays:
            values.append(ctypes.c_uint64(array.data_ptr()))
            values.extend(ctypes.c_int32(size) for size in array.shape)
            values.extend(ctypes.c_int32(stride) for stride in array.stride())
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        sizes = [*grid, 1, 1][:3]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

        def launch(keep: Any = values) -> None:
            check("cuLaunchKernel", self.function, *sizes, 1, 1, 1, 0, stream, pointers, None)

        return launch


def median_time(launch: Callable[[], None], repeats: int, bursts: int = 5) -> float:
    """Milliseconds of a launch: the median of bursts with idle gaps between them."""
    times: list[float] = []
    for _ in range(3):
        launch()
    torch.cuda.synchronize()
    for _ in range(bursts):
        time.sleep(0.1)
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(repeats):
            launch()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / repeats)
    return sorted(times)[len(times) // 2]


@dataclass
class Case:
    """Arguments of a kernel, what it should give, and how much it does."""

    grid: tuple[int, ...]
    arrays: list[torch.Tensor]
    output: int
    expected: Callable[[], torch.Tensor]
    peer: Callable[[], Any]
    tolerance: float
    gigabytes: float = 0
    teraflops: float = 0
    repeats: int = 20
    reset: bool = False


def rand(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, device="cuda").to(dtype)


def make_case(name: str) -> Case:
    half = torch.float16
    if name == "vector_add":
        n = 1 << 26
        a, b, c = rand(n), rand(n), rand(n)
        return Case(
            (n // 1024,),
            [a, b, c],
            2,
            lambda: a + b,
            lambda: torch.add(a, b, out=c),
            0,
            3 * 4 * n / 1e9,
        )
    if name == "softmax":
        x, y = rand(16384, 4096, dtype=half), rand(16384, 4096, dtype=half)
        return Case(
            (16384,),
            [x, y],
            1,
            lambda: torch.softmax(x.double(), 1),
            lambda: torch.softmax(x, 1),
            2e-3,
            2 * 2 * x.numel() / 1e9,
        )
    if name == "layer_norm":
        x, y = rand(16384, 4096, dtype=half), rand(16384, 4096, dtype=half)
        w, b = rand(4096, dtype=half), rand(4096, dtype=half)
        norm = torch.nn.functional.layer_norm
        return Case(
            (16384,),
            [x, w, b, y],
            3,
            lambda: norm(x.double(), (4096,), w.double(), b.double(), 1e-5),
            lambda: norm(x, (4096,), w, b, 1e-5),
            2e-3,
            2 * 2 * x.numel() / 1e9,
        )
    if name == "transpose":
        x, y = rand(8192, 8192), rand(8192, 8192)
        return Case(
            (128, 128),
            [x, y],
            1,
            lambda: x.t(),
            lambda: x.t().contiguous(),
            0,
            2 * 4 * x.numel() / 1e9,
        )
    if name == "cumsum":
        x, y = rand(16384, 4096), rand(16384, 4096)
        return Case(
            (16384,),
            [x, y],
            1,
            lambda: torch.cumsum(x.double(), 1),
            lambda: torch.cumsum(x, 1),
            1e-5,
            2 * 4 * x.numel() / 1e9,
        )
    if name == "row_gather":
        x, y = rand(32768, 4096, dtype=half), rand(32768, 4096, dtype=half)
        index = torch.randint(0, 32768, (32768,), device="cuda", dtype=torch.int32)
        wide = index.long()
        return Case(
            (32768,), [x, index, y], 2, lambda: x[wide], lambda: x[wide], 0, 2 * 2 * x.numel() / 1e9
        )
    if name == "histogram":
        n = 1 << 26
        x = torch.randint(0, 65536, (n,), device="cuda", dtype=torch.int32)
        counts = torch.zeros(65536, device="cuda", dtype=torch.int32)
        return Case(
            (n // 1024,),
            [x, counts],
            1,
            lambda: torch.bincount(x, minlength=65536).int(),
            lambda: torch.bincount(x, minlength=65536),
            0,
            4 * n / 1e9,
            reset=True,
        )
    if name.startswith("matmul"):
        m, n, _ = (int(size) for size in name.split("_")[1].split("x"))
        a, b = rand(8192, 8192, dtype=half), rand(8192, 8192, dtype=half)
        c = rand(8192, 8192, dtype=half)
        return Case(
            ((8192 // m) * (8192 // n),),
            [a, b, c],
            2,
            lambda: a.float() @ b.float(),
            lambda: torch.matmul(a, b),
            2e-3,
            teraflops=2 * 8192**3 / 1e12,
            repeats=10,
        )
    raise ValueError(name)


def measure(folder: Path, name: str, record: dict[str, Any]) -> dict[str, Any]:
    torch.manual_seed(int(time.time()))
    case = make_case(name)
    expected = case.expected().double()
    output = case.arrays[case.output]
    result: dict[str, Any] = {"name": name, **record}
    work = case.gigabytes or case.teraflops
    unit = "GB/s" if case.gigabytes else "TFLOP/s"
    for who in ("ours", "tileiras"):
        path = folder / f"{name}.{who}.cubin"
        if not path.exists():
            continue
        launch = Kernel(path, name).bind(case.grid, case.arrays)
        if case.reset:
            output.zero_()
        else:
            output.fill_(float("nan") if output.is_floating_point() else -1)
        launch()
        torch.cuda.synchronize()
        error = (output.double() - expected).norm() / expected.norm()
        result[f"{who}_error"] = float(error)
        result[f"{who}_right"] = bool(error <= case.tolerance)
        milliseconds = median_time(launch, case.repeats)
        result[f"{who}_ms"] = milliseconds
        result[f"{who}_rate"] = work / milliseconds * 1e3
    milliseconds = median_time(case.peer, case.repeats)
    result["torch_ms"] = milliseconds
    result["torch_rate"] = work / milliseconds * 1e3
    result["unit"] = unit
    return result


def main() -> None:
    folder = Path(sys.argv[1])
    records = json.loads((folder / "records.json").read_text())
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.zeros(1, device="cuda")
    results = []
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    print(f"{'kernel':<20}{'ours':>9}{'tileiras':>9}{'torch':>9}  unit     right  ratio  error")
    for name, record in records.items():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        try:
            row = measure(folder, name, record)
        except Exception as error:
            print(f"{name:<20}{error}")
            continue
        results.append(row)
        peer = row.get("tileiras_rate", float("nan"))
        print(
            f"{name:<20}{row['ours_rate']:>9.0f}{peer:>9.0f}{row['torch_rate']:>9.0f}"
            f"  {row['unit']:<8} {row['ours_right']!s:<6} {row['ours_rate'] / peer:5.2f}  "
            f"{row['ours_error']:.2e}  {row['threads']} threads, {row['registers']} registers"
        )
    Path(folder, "results.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
