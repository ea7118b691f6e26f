# pyright: basic
"""
Rows have the same bits alone and in batches, compiled with `deterministic=True`.

    python tests/gpu/check_determinism.py

Each kernel runs on a batch and on parts of it, whose programs cuTile makes anew where sizes are
multiples of something else: alone, while products of torch take SMs away, and on two streams at
once. It needs a GPU, torch, cuda-tile and ptxas. The last line counts kernels with other bits.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).absolute().parents[2] / "src"))
sys.path.insert(0, str(Path(__file__).absolute().parents[2] / "benchmarks" / "gpu"))

import kernels
import torch

import tileiras_xdsl as tx

SCALE = math.log2(math.e) / 8
PARTS = ((0, 1), (5, 6), (3, 68), (128, 384), (1, 1000))
"""Rows, or heads, that run without the others."""
LAUNCHES = 10
"""Of each part, beside other work."""


def numbers(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    return torch.randn(shape, device="cuda").to(dtype)


def tiles(rows: int, columns: int) -> int:
    return -(-rows // 128) * -(-columns // 128)


def cases():
    """Name, kernel, the batch and its like, what is the same for all rows, grid, constants."""
    rows, n, k = 1024, 400, 336
    weights = numbers(k, n)
    yield "softmax", kernels.softmax, (numbers(rows, 1000),), (), lambda m: m, (1024,), rows, 1000
    yield (
        *("rms_norm", kernels.rms_norm, (numbers(rows, 4096),), (numbers(4096),)),
        *(lambda m: -(-m // 4), (4, 4096), rows, 4096),
    )
    for kernel, most in ((kernels.matmul, 1 << 20), (kernels.matmul_persistent, 9)):
        yield (
            *(kernel._pyfunc.__name__, kernel, (numbers(rows, k),), (weights,)),
            *(lambda m, most=most: min(most, tiles(m, n)), (128, 128, 64), rows, n),
        )
    heads = [numbers(rows, 256, 64, dtype=torch.bfloat16) for _ in range(3)]
    yield (
        *("attention", kernels.attention, heads, ()),
        *(lambda m: (2, m), (SCALE, 128, 64, 64), rows, (256, 64)),
    )


def check(case, abi: str, *, deterministic: bool) -> int:
    """How many runs of parts have other bits than those rows of the batch."""
    _, kernel, batches, shared, grid, constants, rows, columns = case
    shape = columns if isinstance(columns, tuple) else (columns,)
    noise = [torch.randn(4096, 4096, device="cuda", dtype=torch.float16) for _ in range(2)]
    streams = [torch.cuda.Stream() for _ in range(3)]

    def prepare(first: int, last: int):
        parts = [each[first:last].clone() for each in batches]
        outs = [torch.full((last - first, *shape), math.nan, device="cuda", dtype=batches[0].dtype)]
        outs.append(outs[0].clone())
        args = [[*parts, *shared, out, *constants] for out in outs]
        options = {"abi": abi, "deterministic": deterministic, "cache": False}
        compiled = tx.compile(kernel, "sm_90", args=args[0], **options)
        return compiled, grid(last - first), args, outs

    compiled, blocks, args, (whole, _) = prepare(0, rows)
    torch.cuda.synchronize()
    compiled.launch(blocks, args[0], stream=streams[0].cuda_stream)
    torch.cuda.synchronize()
    wrong = 0
    for first, last in PARTS:
        compiled, blocks, args, outs = prepare(first, last)
        torch.cuda.synchronize()
        for launch in range(LAUNCHES):
            for out in outs:
                out.fill_(math.nan)
            torch.cuda.synchronize()
            if launch:
                with torch.cuda.stream(streams[2]):
                    torch.mm(*noise)
            for stream, arguments in zip(streams, args, strict=False):
                compiled.launch(blocks, arguments, stream=stream.cuda_stream)
            torch.cuda.synchronize()
            for out in outs:
                wrong += not torch.equal(out.view(torch.int16), whole[first:last].view(torch.int16))
    return wrong


def main() -> int:
    wrong = 0
    runs = len(PARTS) * LAUNCHES * 2
    for case in cases():
        for abi in ("device-maps", "host-maps"):
            found = check(case, abi, deterministic=True)
            wrong += found != 0
            print(f"{case[0]:20}{abi:14}{found:4} of {runs} runs with other bits")
        found = check(case, "device-maps", deterministic=False)
        print(f"{case[0]:20}{'as usual':14}{found:4} of {runs} runs with other bits")
    print("determinism:", f"{wrong} kernels with other bits" if wrong else "all bits equal")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
