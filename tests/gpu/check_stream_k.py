# pyright: basic
"""
Stream-K on the GPU: products of random sizes must be the same bit for bit, whether CTAs share tile
blocks or not, launch after launch in the same workspace, with other launches beside them, and in a
graph.

    python benchmarks/gpu/make.py FOLDER matmul_128 matmul_bf16 matmul_partial matmul_residual
    python tests/gpu/check_stream_k.py FOLDER [--count 200] [--seed 0]     # with the GPU

A launch that says that no CTA is idle divides nothing. It needs torch, not xDSL.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "gpu"))
sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

import torch
from cases import BF16, F16, Product
from run import replace_missing

POISON = float("nan")
KERNELS = ("matmul_128", "matmul_bf16_", "matmul_partial_", "matmul_residual")
"""What the names of kernels begin with for which there are arguments here."""


class Code:
    """A kernel of a bundle."""

    def __init__(self, folder: Path, name: str, code: dict):
        from tileiras_xdsl.backend import cuda
        from tileiras_xdsl.backend.launch_record import LaunchRecord

        self.name = name
        record = LaunchRecord.from_dict(code["record"])
        self.kernel = cuda.load((folder / code["file"]).read_bytes(), record)

    def launch(self, inputs, stream, *, shares: bool = True) -> None:
        """Launches it. On a GPU of one SM no CTA would be idle, so that they share nothing."""
        from tileiras_xdsl.backend.arguments import LaunchArguments

        kernel, handle = self.kernel, stream.cuda_stream
        device, record = kernel.device, kernel.record
        grid = (*inputs.grid, 1, 1)[:3]
        arguments = LaunchArguments(
            device.driver,
            record,
            arguments_of(inputs),
            handle,
            grid,
            workspace=kernel.get_workspace(handle),
            sm_count=device.sm_count if shares else 1,
        )
        with arguments as addresses:
            device.driver.call(
                "cuLaunchKernel",
                kernel.function,
                *record.launched_grid(grid, device.sm_count),
                *record.threads,
                record.shared,
                handle,
                ctypes.addressof(addresses),
                0,
            )


def find_codes(folder: Path) -> list[Code]:
    """The kernels of a bundle that have a workspace, of those that are known here."""
    kernels = json.loads((folder / "bundle.json").read_text())["kernels"]
    found = [(name, each["code"].get("host-maps")) for name, each in kernels.items()]
    return [
        Code(folder, name, code)
        for name, code in found
        if name.startswith(KERNELS) and code and code["record"]["workspace"]
    ]


def random_product(rng: random.Random, name: str) -> Product:
    """Sizes by which the last wave of tile blocks is full or not, and loops are long enough."""
    step = 8 if "partial" in name else 256
    while True:
        m, n = (step * rng.randint(1, 8192 // step) for _ in range(2))
        k = (8 if "partial" in name else 64) * rng.randint(1, 2048)
        k = min(k, 16384)
        if 2e9 < m * n * k < 4e11:
            epilogue = "residual" if "residual" in name else ""
            return Product(name, m, n, k, BF16 if "bf16" in name else F16, epilogue=epilogue)


def arguments_of(inputs) -> list[int]:
    values: list[int] = []
    for array in inputs.arrays:
        values += [array.data_ptr(), *array.shape, *array.stride()]
    return values


def check(code: Code, product: Product, streams) -> tuple[bool, bool]:
    """Whether a product is the same with and without sharing, and whether CTAs shared anything."""
    inputs = product("cuda")
    result = inputs.arrays[-1]
    current = torch.cuda.current_stream()
    result.fill_(POISON)
    code.launch(inputs, current, shares=False)
    expected = result.clone()
    is_right = not bool(expected.isnan().any())
    for stream in (current, *streams, current):
        stream.wait_stream(current)
        with torch.cuda.stream(stream):
            result.fill_(POISON)
            code.launch(inputs, stream)
            is_right &= torch.equal(result.view(torch.int16), expected.view(torch.int16))
        current.wait_stream(stream)
    kernel = code.kernel
    idle = kernel.record.idle_ctas((*inputs.grid, 1, 1)[:3], kernel.device.sm_count)
    return is_right, idle > 0


def check_side_by_side(code: Code, streams) -> bool:
    """Launches on two streams at the same time, each with a workspace of its own."""
    products = [Product(code.name, 2048, 2304, 8192, BF16 if "bf16" in code.name else F16)] * 2
    inputs = [product("cuda") for product in products]
    expected = []
    for each in inputs:
        code.launch(each, torch.cuda.current_stream(), shares=False)
        expected.append(each.arrays[-1].clone())
        each.arrays[-1].fill_(POISON)
    torch.cuda.synchronize()
    for _ in range(20):
        for each, stream in zip(inputs, streams, strict=True):
            code.launch(each, stream)
    torch.cuda.synchronize()
    return all(
        torch.equal(each.arrays[-1].view(torch.int16), wanted.view(torch.int16))
        for each, wanted in zip(inputs, expected, strict=True)
    )


def check_capture(code: Code) -> bool:
    """A launch that is captured on a stream of its own, after launches on others."""
    inputs = Product(code.name, 2048, 2304, 8192, BF16 if "bf16" in code.name else F16)("cuda")
    result = inputs.arrays[-1]
    code.launch(inputs, torch.cuda.current_stream())
    expected = result.clone()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.Stream()):
        code.launch(inputs, torch.cuda.current_stream())
    is_right = True
    for _ in range(3):
        result.fill_(POISON)
        graph.replay()
        is_right &= torch.equal(result.view(torch.int16), expected.view(torch.int16))
    return is_right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    replace_missing()
    codes = find_codes(options.folder)
    if not codes:
        sys.exit("no kernel of the folder has a workspace")
    rng, streams = random.Random(options.seed), [torch.cuda.Stream() for _ in range(2)]
    torch.manual_seed(options.seed)
    wrong, with_idle = 0, 0
    for number in range(options.count):
        code = codes[number % len(codes)]
        product = random_product(rng, code.name)
        is_right, has_idle = check(code, product, streams)
        with_idle += has_idle
        if not is_right:
            wrong += 1
            print(f"wrong: {product}")
    for code in codes:
        if "residual" not in code.name and not check_side_by_side(code, streams):
            wrong += 1
            print(f"wrong side by side: {code.name}")
        if "residual" not in code.name and not check_capture(code):
            wrong += 1
            print(f"wrong in a graph: {code.name}")
    print(
        f"{options.count} products of {len(codes)} kernels, {with_idle} with idle CTAs in the last "
        f"wave: {wrong} wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
