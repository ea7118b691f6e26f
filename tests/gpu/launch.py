"""
Compiles the hand-written kernels of tests/pytest/backend, launches them and checks the results.

    python tests/gpu/launch.py compile FOLDER    # needs LLVM and ptxas, and no GPU
    python tests/gpu/launch.py run FOLDER        # needs a GPU, and neither LLVM nor ptxas
    python tests/gpu/launch.py                   # both; does nothing without a GPU

The steps are apart so that they can run on two machines. Arrays of PyTorch and CuPy are used where
those are installed.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "src"))
sys.path.insert(0, str(ROOT / "tests" / "pytest" / "backend"))


def compile_all(folder: Path) -> None:
    """Writes a cubin, PTX and a launch record for each kernel."""
    from kernels import RECORDS, kernel

    from tileiras_xdsl.backend import nvptx
    from tileiras_xdsl.backend.cuda import find_architecture
    from tileiras_xdsl.backend.ptxas import Ptxas
    from tileiras_xdsl.backend.target import NvptxTarget

    ptxas, target = Ptxas.find(), NvptxTarget.parse(find_architecture("sm_90"))
    folder.mkdir(parents=True, exist_ok=True)
    for name, record in RECORDS.items():
        ptx = nvptx.compile_to_ptx(kernel(name), target)
        result = ptxas.compile(ptx, target)
        usage = result.functions[name]
        record = replace(
            record,
            arch=target.cpu,
            registers=usage.registers,
            ptxas_version=ptxas.version,
        )
        (folder / f"{name}.ptx").write_text(ptx)
        (folder / f"{name}.cubin").write_bytes(result.cubin)
        (folder / f"{name}.json").write_text(record.to_json())
        print(f"compiled {name}: {usage.registers} registers, ptxas {ptxas.version}")


def run_all(folder: Path) -> None:
    """Checks every kernel, from cubin and from PTX."""

    for suffix in ("cubin", "ptx"):
        check_kernels(folder, suffix)
        print(f"right: all kernels from {suffix}")
    check_devices(folder)
    check_errors(folder)


def load(folder: Path, name: str, suffix: str) -> Any:
    from tileiras_xdsl.backend import cuda
    from tileiras_xdsl.backend.launch_record import LaunchRecord

    data = (folder / f"{name}.{suffix}").read_bytes()
    record = LaunchRecord.from_json((folder / f"{name}.json").read_text())
    return cuda.load(data if suffix == "cubin" else data.decode(), record)


def check_kernels(folder: Path, suffix: str) -> None:
    import numpy as np

    random = np.random.default_rng(0)
    x, y = random.random((2, 1000), np.float32)
    expected = np.float32(1.5) * x + y
    with load(folder, "saxpy", suffix) as kernel:
        kernel.launch(8, [1.5, x, y, 1000])
    np.testing.assert_allclose(y, expected, rtol=1e-6)

    x = random.random(128, np.float32) * 1000
    expected = np.sin(x.astype(np.float64))
    with load(folder, "sine", suffix) as kernel:
        kernel.launch(1, [x])
    np.testing.assert_allclose(x, expected, atol=2e-7)

    x = np.arange(128, dtype=np.int32)
    with load(folder, "reverse", suffix) as kernel:
        kernel.launch(1, [x])
    assert x.tolist() == list(range(127, -1, -1))

    a, b = random.random((16, 16)), random.random((16, 8))
    a, b = a.astype(np.float16), b.astype(np.float16)
    lane, group = np.arange(32) % 4, np.arange(32) // 4
    pairs = [(0, 0), (8, 0), (0, 8), (8, 8)]
    fa = np.stack([a[group + r, 2 * lane + c + k] for r, c in pairs for k in (0, 1)], axis=1).copy()
    fb = np.stack([b[2 * lane + r + k, group] for r in (0, 8) for k in (0, 1)], axis=1).copy()
    fc = np.zeros((32, 4), np.float32)
    with load(folder, "mma", suffix) as kernel:
        kernel.launch(1, [fa, fb, fc])
    c = a.astype(np.float32) @ b.astype(np.float32)
    expected = np.stack([c[group + r, 2 * lane + k] for r in (0, 8) for k in (0, 1)], axis=1)
    np.testing.assert_allclose(fc, expected, rtol=1e-5)

    width, height = 80, 20
    x = random.random((height, width), np.float32)
    boxes = np.full((3, 3, 8, 32), np.nan, np.float32)
    with load(folder, "tma", suffix) as kernel:
        kernel.launch((3, 3), [x, boxes, width, height])
    padded = np.zeros((24, 96), np.float32)
    padded[:height, :width] = x
    expected = padded.reshape(3, 8, 3, 32).transpose(0, 2, 1, 3)
    np.testing.assert_array_equal(boxes, expected)


def check_devices(folder: Path) -> None:
    """Arrays that are on the GPU already, other streams, and times."""
    if importlib.util.find_spec("torch") is not None:
        import torch

        x = torch.rand(1 << 24, device="cuda")
        y = torch.rand(1 << 24, device="cuda")
        expected = 1.5 * x + y
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with load(folder, "saxpy", "cubin") as kernel:
            kernel.launch((1 << 24) // 128, [1.5, x, y, 1 << 24], stream)
            stream.synchronize()
            assert torch.allclose(y, expected)
            # PyTorch has no array interface for what needs a gradient; DLPack serves.
            needs = torch.ones(128, device="cuda", requires_grad=True)
            kernel.launch(1, [1.0, x, needs, 128])
            kernel.synchronize()
            assert torch.allclose(needs, 1 + x[:128])
            times = kernel.time((1 << 24) // 128, [1.5, x, y, 1 << 24], repeat=20)
        rate = 12 * (1 << 24) / min(times) / 1e9
        print(f"right: PyTorch; saxpy {min(times):.4f} ms, {rate:.2f} TB/s")
    if importlib.util.find_spec("cupy") is not None:
        import cupy

        z = cupy.arange(128, dtype=cupy.int32)
        with load(folder, "reverse", "cubin") as kernel:
            kernel.launch(1, [z], cupy.cuda.get_current_stream())
            kernel.synchronize()
        assert z.get().tolist() == list(range(127, -1, -1))
        print("right: CuPy")


def check_errors(folder: Path) -> None:
    from tileiras_xdsl.backend.errors import BackendError

    with load(folder, "saxpy", "cubin") as kernel:
        try:
            kernel.launch(1, [1.0, "x", None, 1])
        except BackendError as error:
            print(f"refused: {error}")
        else:
            raise AssertionError("a string is no pointer")


def main() -> None:
    arguments = sys.argv[1:]
    match arguments:
        case ["compile", folder]:
            compile_all(Path(folder))
        case ["run", folder]:
            run_all(Path(folder))
        case []:
            from tileiras_xdsl.backend import cuda

            if not cuda.is_available():
                print("skipped: there is no GPU")
                return
            with TemporaryDirectory() as folder:
                compile_all(Path(folder))
                run_all(Path(folder))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
