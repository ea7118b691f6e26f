# pyright: basic
"""
Stream-K on the GPU: products of random sizes must be the same bit for bit, whether CTAs share tile
blocks or not, launch after launch in the same workspace, with other launches beside them, and in
graphs. Kernels with different tiles take turns on streams, whose workspaces they share.

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


class Job:
    """A product that a kernel computes again and again, and what must come out."""

    def __init__(self, code: Code):
        self.code = code
        epilogue = "residual" if "residual" in code.name else ""
        ty = BF16 if "bf16" in code.name else F16
        self.inputs = Product(code.name, 2048, 2304, 8192, ty, epilogue=epilogue)("cuda")
        self.result = self.inputs.arrays[-1]
        code.launch(self.inputs, torch.cuda.current_stream(), shares=False)
        self.expected = self.result.clone()
        self.prepared = code.kernel.prepare(self.inputs.grid, arguments_of(self.inputs))
        self.launches = 0

    def launch(self, stream) -> None:
        """Every other time as it was prepared, for another stream."""
        self.launches += 1
        if self.launches % 2:
            self.code.launch(self.inputs, stream)
        else:
            self.prepared.on(stream)()

    def reset(self) -> None:
        self.result.fill_(POISON)

    def is_right(self) -> bool:
        return torch.equal(self.result.view(torch.int16), self.expected.view(torch.int16))


def capture(job: Job, stream) -> torch.cuda.CUDAGraph:
    """A graph of some launches."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(3):
            job.launch(torch.cuda.current_stream())
    return graph


def check_turns(codes: list[Code], streams, rng: random.Random, rounds: int = 20) -> list[str]:
    """All kernels by turns on each of several streams, of which each has one workspace for them."""
    jobs = [(Job(code), stream) for code in codes for stream in streams]
    wrong: list[str] = []
    for number in range(rounds):
        for job, _ in jobs:
            job.reset()
        torch.cuda.synchronize()
        rng.shuffle(jobs)
        for job, stream in jobs:
            for _ in range(rng.randint(1, 3)):
                job.launch(stream)
        torch.cuda.synchronize()
        wrong += [f"{job.code.name}, turn {number}" for job, _ in jobs if not job.is_right()]
    return wrong


def check_graphs(codes: list[Code], streams, rounds: int = 10) -> list[str]:
    """
    Graphs of two kernels, captured on the same stream, at the same time on two other streams, and
    beside launches on the one that was captured. Graphs of the same kernel must not be.
    """
    captured = torch.cuda.Stream()
    wrong: list[str] = []
    for number in range(len(codes)):
        indices = dict.fromkeys((number, (number + 1) % len(codes)))
        jobs = [Job(codes[index]) for index in indices]
        graphs = [capture(job, captured) for job in jobs]
        jobs.append(Job(codes[(number + 2) % len(codes)]))
        for _ in range(rounds):
            for job in jobs:
                job.reset()
            torch.cuda.synchronize()
            for graph, stream in zip(graphs, streams, strict=False):
                with torch.cuda.stream(stream):
                    graph.replay()
            for _ in range(3):
                jobs[-1].launch(captured)
            torch.cuda.synchronize()
            wrong += [f"{job.code.name}, round {number}" for job in jobs if not job.is_right()]
    return wrong


def find_workspaces(codes: list[Code]) -> set:
    return set().union(*(code.kernel.workspaces for code in codes))


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
    every = (torch.cuda.current_stream(), *streams)
    problems = [f"by turns: {text}" for text in check_turns(codes, every, rng)]
    shared = find_workspaces(codes)
    sizes = {code.kernel.record.workspace_bytes(code.kernel.device.sm_count) for code in codes}
    if len(shared) > len(every) * len(sizes):
        problems.append(f"{len(shared)} workspaces of {len(sizes)} sizes on {len(every)} streams")
    problems += [f"in graphs: {text}" for text in check_graphs(codes, streams)]
    for text in problems:
        print(f"wrong {text}")
    wrong += len(problems)
    megabytes = sum(each.size for each in shared) / 1e6
    print(
        f"{len(shared)} workspaces on {len(every)} streams, {megabytes:.1f} MB; for graphs "
        f"{len(find_workspaces(codes) - shared)}, of {len(codes)} kernels"
    )
    print(
        f"{options.count} products of {len(codes)} kernels, {with_idle} with idle CTAs in the last "
        f"wave: {wrong} wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
