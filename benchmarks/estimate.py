"""
Static estimates of kernels of `benchmarks/gpu` for launches of their benchmarks.

    python benchmarks/estimate.py [NAME …] [--gpu sm_100,sm_103] [--abi device-maps] [--verbose]

Kernels are compiled to the stage `tileas`, and their schedules are run on a model of an SM
(`tileiras_xdsl.cost`): nothing is measured, and nothing is run on a GPU.

| column | is |
| --- | --- |
| of peak | of the tensor cores, at the clock of `targets` |
| main loop | how much of its time tensor cores work there |
| clocks | of an iteration of the main loop, and of tensor cores in it |
| limited by | the unit that is busy nearly all the time, or how the critical path is spent |
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tileiras_xdsl.cost.model import Launch, estimate_module
from tileiras_xdsl.cost.report import LABEL, Estimate
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program

FOLDER: Final = Path(__file__).parent / "gpu/bytecode"


def matrices(*shapes: tuple[int, ...], element: int = 2) -> tuple[list[int | None], float]:
    """The parameters of arrays, in C order, and their bytes."""
    values: list[int | None] = []
    total = 0
    for shape in shapes:
        strides = [1]
        for size in reversed(shape[1:]):
            strides.insert(0, strides[0] * size)
        values += [None, *shape, *strides]
        total += strides[0] * shape[0] * element
    return values, float(total)


def product(m: int, n: int, size: int = 8192, element: int = 2) -> Launch:
    """A product of square matrices, by tiles of m×n."""
    values, total = matrices(*[(size, size)] * 3, element=element)
    return Launch((-(-size // m) * -(-size // n), 1, 1), values, total)


def scaled(m: int, n: int, *, per_byte: int = 1, block: int = 32, size: int = 8192) -> Launch:
    """A product of block-scaled square matrices: elements of a byte, or two of them in one."""
    operand, scales = (size, size // per_byte), (size, size // block)
    values, total = matrices(*[operand, scales] * 2, element=1)
    result, more = matrices((size, size))
    return Launch((-(-size // m) * -(-size // n), 1, 1), values + result, total + more)


def attention(depth: int, heads: int = 64, length: int = 4096) -> Launch:
    """Attention, by tiles of 128 queries."""
    values, total = matrices(*[(heads, length, depth)] * 4)
    return Launch((length // 128, heads, 1), values, total)


LAUNCHES: Final[Mapping[str, Launch]] = {
    "matmul_256x256x64": product(256, 256),
    "matmul_128x256x64": product(128, 256),
    "matmul_128x128x64": product(128, 128),
    "matmul_bf16_128x256x64": product(128, 256),
    "matmul_gelu_128x256x64": product(128, 256),
    "matmul_f8_128x256x128": product(128, 256, element=1),
    "matmul_f8_128x128x128": product(128, 128, element=1),
    "matmul_tf32_128x256x32": product(128, 256, element=4),
    "matmul_tf32_128x128x32": product(128, 128, element=4),
    "matmul_i8_128x256x128": product(128, 256, element=1),
    "matmul_i8_128x128x128": product(128, 128, element=1),
    "matmul_mxf8_256x256x128": scaled(256, 256),
    "matmul_mxf8_128x256x128": scaled(128, 256),
    "matmul_mxf8_128x128x128": scaled(128, 128),
    "matmul_mxf4_256x256x256": scaled(256, 256, per_byte=2),
    "matmul_mxf4_128x256x256": scaled(128, 256, per_byte=2),
    "matmul_mxf4_128x128x256": scaled(128, 128, per_byte=2),
    "matmul_nvf4_256x256x256": scaled(256, 256, per_byte=2, block=16),
    "matmul_nvf4_128x256x256": scaled(128, 256, per_byte=2, block=16),
    "matmul_nvf4_128x128x256": scaled(128, 128, per_byte=2, block=16),
    "attention_d128": attention(128),
    "attention_d64": attention(64),
    "attention_causal_d128": attention(128),
    "attention_causal_d64": attention(64),
}
"""8192³, and 64 heads of 4096 queries and keys."""


def estimate(name: str, gpu: str, abi: str) -> Estimate:
    """The estimate of a kernel."""
    options = Options(gpu, abi="host-maps" if abi == "host-maps" else "device-maps")
    module = Compilation(Program.of(FOLDER / f"{name}.tileirbc"), options).lower("tileas")
    (found,) = estimate_module(module, LAUNCHES[name])
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=LABEL)
    parser.add_argument("names", nargs="*", default=[*LAUNCHES])
    parser.add_argument("--gpu", default="sm_100")
    parser.add_argument("--abi", default="device-maps")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    print(f"{LABEL}\n\n| kernel | GPU | of peak | main loop | clocks | limited by |")
    print("| --- | --- | --- | --- | --- | --- |")
    for gpu in options.gpu.split(","):
        for name in options.names:
            found = estimate(name, gpu, options.abi)
            loop = found.main_loop
            cells = [name, gpu, f"{found.share:.0%}", "", "", found.limit]
            if loop is not None:
                tensor = loop.busy["tensor cores"]
                cells[3:5] = f"{loop.share:.0%}", f"{loop.clocks:.0f}, {tensor:.0f}"
            print(f"| {' | '.join(cells)} |", flush=True)
            if options.verbose:
                print(f"  {found.summary()[1]}\n  {found.describe_path(8)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
