"""
Compiles the kernels of examples/level3, launches them and checks the results.

    python tests/gpu/run_examples.py compile FOLDER    # needs xDSL, LLVM and ptxas, and no GPU
    python tests/gpu/run_examples.py run FOLDER        # needs a GPU, NumPy and PyTorch, not xDSL
    python tests/gpu/run_examples.py check FOLDER NAME [--small]    # one kernel; small: NumPy only

The steps are apart so that they can run on two machines. Inputs are random each time, outputs are
NaN before a launch. Each kernel runs in a process of its own.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
PATHS = [str(ROOT / "src"), str(ROOT), str(ROOT / "examples" / "interop")]
sys.path[:0] = PATHS
os.environ["PYTHONPATH"] = os.pathsep.join(PATHS)

PASSES = (
    "convert-scf-while-to-cf,convert-scf-to-cf,convert-gpu-to-nvvm,convert-nvgpu-to-nvvm,"
    "convert-to-llvm"
)


def compile_all(folder: Path) -> None:
    """Writes a cubin and a launch record for each kernel."""
    from tests.pytest.backend.level3 import EXAMPLES

    from tileiras_xdsl.backend.ptxas import Ptxas
    from tileiras_xdsl.backend.target import NvptxTarget

    ptxas = Ptxas.find()
    folder.mkdir(parents=True, exist_ok=True)
    for name, example in EXAMPLES.items():
        command = ["tileiras-opt", str(example.path), "-p", PASSES, "-t", "ptx{arch=sm_90a}"]
        ptx = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        result = ptxas.compile(ptx, NvptxTarget.parse("sm_90a"))
        usage = result.functions[name]
        record = replace(
            example.record,
            registers=usage.registers,
            static_shared=usage.shared,
            ptxas_version=ptxas.version,
        )
        (folder / f"{name}.cubin").write_bytes(result.cubin)
        (folder / f"{name}.json").write_text(record.to_json())
        print(f"{name}: {usage.registers} registers, {usage.shared} bytes of shared memory")


def replace_xdsl() -> None:
    """Where xDSL is not installed: the one class of it that launching needs."""
    if importlib.util.find_spec("xdsl") is not None:
        return
    names = ("xdsl", "xdsl.utils", "xdsl.utils.exceptions")
    modules = {name: ModuleType(name) for name in names}
    vars(modules[names[-1]])["DiagnosticException"] = type("DiagnosticException", (Exception,), {})
    sys.modules.update(modules)


class Check:
    """Runs one kernel. With `small`, on arrays of NumPy and for parts of the grid only."""

    def __init__(self, folder: Path, name: str, *, small: bool):
        import numpy as np

        from tileiras_xdsl.backend import cuda
        from tileiras_xdsl.backend.launch_record import LaunchRecord

        self.np = np
        self.random = np.random.default_rng()
        self.small = small
        self.name = name
        self.torch: Any = None
        if not small:
            self.torch = importlib.import_module("torch")
        record = LaunchRecord.from_json((folder / f"{name}.json").read_text())
        self.kernel = cuda.load((folder / f"{name}.cubin").read_bytes(), record)

    def normal(self, *shape: int, dtype: str = "float32") -> Any:
        """A random array, on the GPU unless `small`."""
        values = self.random.standard_normal(shape, "float32").astype(dtype)
        return values if self.torch is None else self.torch.from_numpy(values).cuda()

    def poison(self, *shape: int) -> Any:
        """NaN, on the GPU unless `small`."""
        values = self.np.full(shape, self.np.nan, "float32")
        return values if self.torch is None else self.torch.from_numpy(values).cuda()

    def host(self, array: Any) -> Any:
        return array if self.torch is None else array.cpu().numpy()

    def product(self, a: Any, b: Any) -> Any:
        """A product in f64, or on the GPU in f32."""
        if self.torch is None:
            return a.astype("float64") @ b.astype("float64")
        self.torch.backends.cuda.matmul.allow_tf32 = False
        return a.float() @ b.float()

    def launch(self, grid: int | Sequence[int], arguments: Sequence[object]) -> None:
        self.kernel.launch(grid, arguments)
        self.kernel.synchronize()

    def compare(self, found: Any, expected: Any, tolerance: float) -> None:
        """By the norm of the difference; every element must have been written."""
        found = self.host(found).astype("float64")
        if not isinstance(expected, self.np.ndarray):
            expected = self.host(expected)
        error = self.np.linalg.norm(found - expected) / self.np.linalg.norm(expected)
        print(f"{self.name}: error {error:.1e}", flush=True)
        if not error <= tolerance:
            raise AssertionError(f"{self.name} is wrong")

    def time(
        self, grid: int | Sequence[int], arguments: Sequence[object], amount: float, unit: str
    ) -> None:
        """The median of many launches; not of `small` ones."""
        if self.small:
            return
        first, second = (
            statistics.median(self.kernel.time(grid, arguments, repeat=50)) for _ in range(2)
        )
        rate = amount / min(first, second) / 1e9
        print(f"{self.name}: {first:.4f} and {second:.4f} ms, {rate:.3g} {unit}", flush=True)


def check_saxpy(check: Check) -> None:
    for size in (1, 3, 4, 1023, 100_000):
        x, y = check.normal(size), check.normal(size)
        before = check.host(y).copy()
        check.launch(7, [1.5, x, y, size])
        check.compare(y, 1.5 * check.host(x).astype("float64") + before, 1e-6)
    if not check.small:
        size = 1 << 28
        x = check.torch.randn(size, device="cuda")
        y = check.torch.randn(size, device="cuda")
        expected = check.torch.add(y, x, alpha=1.5)
        check.launch(132 * 32, [1.5, x, y, size])
        assert check.torch.allclose(y, expected)
        check.time(132 * 32, [1.5, x, y, size], 12 * size, "TB/s")


def check_block_reduction(check: Check) -> None:
    for size, blocks in ((1, 1), (1000, 3), (100_003, 17)):
        x, sums = check.normal(size), check.poison(blocks)
        check.launch(blocks, [x, sums, size])
        values, vectors = check.host(x).astype("float64"), size // 4
        padded = check.np.zeros(-(-size // (1024 * blocks)) * 1024 * blocks)
        padded[: 4 * vectors] = values[: 4 * vectors]
        expected = padded.reshape(-1, blocks, 1024).sum(axis=(0, 2))
        expected[0] += values[4 * vectors :].sum()
        check.compare(sums, expected, 1e-5)
    if not check.small:
        size, blocks = 1 << 28, 132 * 8
        x, sums = check.torch.rand(size, device="cuda"), check.poison(blocks)
        check.launch(blocks, [x, sums, size])
        total = check.host(x.sum(dtype=check.torch.float64))
        check.compare(sums.double().sum(), total, 1e-6)
        check.time(blocks, [x, sums, size], 4 * size, "TB/s")


def check_mma_matmul(check: Check) -> None:
    a = check.normal(2048, 2048, dtype="float16")
    b = check.normal(2048, 2048, dtype="float16")
    c = check.poison(2048, 2048)
    size = 128 if check.small else 2048
    check.launch((size // 64, size // 64), [a, b, c])
    check.compare(c[:size, :size], check.product(a[:size], b[:, :size]), 1e-5)
    check.time((32, 32), [a, b, c], 2 * 2048**3, "TFLOP/s")


def check_tma_copy(check: Check) -> None:
    shapes = [(32, 64), (1, 4), (77, 100), (200, 516)]
    for height, width in shapes if check.small else [*shapes, (16384, 8192)]:
        x, out = check.normal(height, width), check.poison(height, width)
        grid = -(-height // 32)
        check.launch(grid, [x, out, width, height, 2.5])
        check.compare(out, check.host(x) * check.np.float32(2.5), 0)
        if height > 1000:
            check.time(grid, [x, out, width, height, 2.5], 8 * height * width, "TB/s")


def check_wgmma_matmul(check: Check) -> None:
    size = 256 if check.small else 4096
    for k in (64, 192) if check.small else (64, 128, 192, 4096):
        a = check.normal(4096, k, dtype="float16")
        b = check.normal(k, 4096, dtype="float16")
        c = check.poison(4096, 4096)
        check.launch((size // 128, size // 128), [a, b, c, k])
        check.compare(c[:size, :size], check.product(a[:size], b[:, :size]), 1e-5)
        if k == 4096:
            check.time((32, 32), [a, b, c, k], 2 * 4096**3, "TFLOP/s")


def check_cp_async_stencil(check: Check) -> None:
    cases = [(1, 1), (3, 5), (2, 4)]
    for blocks, tiles in cases if check.small else [*cases, (4224, 64)]:
        size = blocks * tiles * 512
        x, out = check.normal(size + 8), check.poison(size)
        check.launch(blocks, [x, out, tiles])
        values = check.host(x).astype("float64")
        check.compare(out, (values[3:-5] + values[4:-4] + values[5:-3]) / 3, 1e-6)
        if blocks > 1000:
            check.time(blocks, [x, out, tiles], 8 * size, "TB/s")


def check_assert_printf(check: Check) -> None:
    """Prints what must be read from the output, see `run_all`."""
    x = abs(check.normal(200))
    check.launch(4, [x, 200])
    for block in range(4):
        value = check.host(x)[64 * block]
        print(f"expected: block {block} of 200 elements begins with {value:.3f}", flush=True)


def check_failing_assert(check: Check) -> None:
    from tileiras_xdsl.backend.driver import CudaError

    x = abs(check.normal(200))
    x[130] = -1
    with contextlib.suppress(CudaError):
        check.launch(4, [x, 200])
        raise AssertionError("no assertion failed")


CHECKS: dict[str, Callable[[Check], None]] = {
    "saxpy": check_saxpy,
    "block_reduction": check_block_reduction,
    "mma_matmul": check_mma_matmul,
    "tma_copy": check_tma_copy,
    "wgmma_matmul": check_wgmma_matmul,
    "cp_async_stencil": check_cp_async_stencil,
    "assert_printf": check_assert_printf,
    "failing_assert": check_failing_assert,
}

FAILURE = re.compile(
    r"assert_printf\.mlir:\d+: .*assert_printf.*block: \[2,0,0\], thread: \[2,0,0\] "
    r"Assertion `elements must not be negative` failed"
)


def run_one(folder: Path, name: str, *, small: bool) -> None:
    replace_xdsl()
    kernel = "assert_printf" if name == "failing_assert" else name
    CHECKS[name](Check(folder, kernel, small=small))


def run_all(folder: Path) -> bool:
    """Whether all kernels are right."""
    wrong: list[str] = []
    for name in CHECKS:
        command = [sys.executable, __file__, "check", str(folder), name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        is_right = done.returncode == 0
        if name == "assert_printf":
            expected = {line[10:] for line in lines if line.startswith("expected: ")}
            is_right &= len(expected) == 4 and expected <= set(lines)
        elif name == "failing_assert":
            text = done.stdout + done.stderr
            # The end of a process whose context is lost may be an error of its own.
            is_right = FAILURE.search(text) is not None and "no assertion failed" not in text
            print(next((line for line in text.splitlines() if "Assertion" in line), text))
        print(done.stdout, end="")
        print(f"{name}: {'right' if is_right else 'WRONG'}", flush=True)
        if not is_right:
            wrong.append(name)
            print(done.stderr)
    print("all kernels are right" if not wrong else f"wrong: {', '.join(wrong)}")
    return not wrong


def main() -> None:
    match sys.argv[1:]:
        case ["compile", folder]:
            compile_all(Path(folder))
        case ["run", folder]:
            sys.exit(not run_all(Path(folder)))
        case ["check", folder, name, *options] if options in ([], ["--small"]):
            run_one(Path(folder), name, small=bool(options))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
