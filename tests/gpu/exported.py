# pyright: basic
"""
Kernels exported by `tx.export`, launched from C and from Python on a GPU:

    python tests/gpu/exported.py make FOLDER  # needs the compiler, ptxas and cuTile
    python tests/gpu/exported.py run FOLDER  # needs a GPU, cc, torch, and nothing of this package

The program in C runs twice: by cubins, and by PTX that the driver compiles (`CUDA_FORCE_PTX_JIT=1`,
which torch has none for).
Results are compared with torch in double. Addresses and sizes that only the second version of a
kernel allows give the same result; a library without that version says so.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def make(folder: Path) -> None:
    """Exports the libraries that `run` and exported.c launch."""
    sys.path.insert(0, str(HERE.parents[1] / "benchmarks" / "gpu"))
    import kernels

    import tileiras_xdsl as tx

    def array(dtype: str, rank: int, *, any_alignment: bool = False):
        if not any_alignment:
            return tx.array(dtype, rank)
        return tx.array(dtype, rank, divisor=1, alignment={"float32": 4}.get(dtype, 2))

    def versions(dtype: str, rank: int, count: int, constants: list, *, both: bool):
        return [
            [array(dtype, rank, any_alignment=unaligned)] * count + constants
            for unaligned in (False, True)[: 1 + both]
        ]

    scale = math.log2(math.e) / 8
    libraries = {
        "vector_add": (kernels.vector_add, versions("float32", 1, 3, [1024], both=True)),
        "aligned_add": (kernels.vector_add, versions("float32", 1, 3, [1024], both=False)),
        "softmax": (kernels.softmax, versions("float16", 2, 2, [1024], both=True)),
        "gemm": (kernels.matmul, versions("float16", 2, 3, [128, 128, 64], both=True)),
        "attention": (
            kernels.attention,
            versions("bfloat16", 3, 4, [scale, 128, 64, 64], both=False),
        ),
    }
    for name, (kernel, signatures) in libraries.items():
        tx.export(kernel, signatures, gpus=["sm_90"], out=folder / name)


def run(folder: Path) -> int:
    """Builds the libraries and the program in C, and runs both on both kinds of code."""
    flags = ["-std=c11", "-O2", "-I", str(folder)]
    names = [each.stem for each in sorted(folder.glob("*.fatbin"))]
    for name in names:
        shared = ["-shared", "-fPIC", f"{name}.c", "-o", f"lib{name}.so"]
        subprocess.run(["cc", *flags, *shared], cwd=folder, check=True)
    # Two libraries have a kernel of one name: the program in C takes one of them.
    sources = [str(HERE / "exported.c"), "vector_add.c", "gemm.c", "softmax.c"]
    libraries = ["-o", "exported", "-ldl", "-lm"]
    subprocess.run(["cc", *flags, *sources, *libraries], cwd=folder, check=True)
    failed = 0
    from_python = [sys.executable, str(HERE / "exported.py"), "launch", "."]
    for text, variables, command in (
        ("C, cubins", {}, ["./exported"]),
        ("C, PTX", {"CUDA_FORCE_PTX_JIT": "1"}, ["./exported"]),
        ("Python, cubins", {}, from_python),
    ):
        print(f"from {text}", flush=True)
        failed += subprocess.run(command, cwd=folder, env=os.environ | variables).returncode
    print("exported:", f"{failed} wrong" if failed else "all right")
    return failed


def launch(folder: Path) -> int:
    """Launches all from Python, on arrays of torch."""
    sys.path.insert(0, str(folder))
    import aligned_add
    import attention
    import gemm
    import softmax
    import torch
    import vector_add

    wrong = 0
    stream = torch.cuda.Stream()
    torch.cuda.set_stream(stream)

    def check(name: str, function, grid, inputs: list, out, exact, limit: float) -> None:
        nonlocal wrong
        out.fill_(math.nan)
        function(grid, *inputs, out, stream=stream.cuda_stream)
        stream.synchronize()
        error = float((out.double() - exact).norm() / exact.norm())
        wrong += not error <= limit
        print(f"  {name:40}{'right' if error <= limit else 'WRONG'} {error:.1e}")

    def fresh(*shape: int, dtype=torch.float16, shift: int = 0):
        """Random numbers, at an address that is no multiple of 16 bytes if shifted."""
        count = math.prod(shape)
        values = torch.randn(count + shift, device="cuda").to(dtype)
        return values[shift:].view(shape)

    for shift, n in ((0, 1 << 20), (1, 99999)):
        a, b, c = (fresh(n, dtype=torch.float32, shift=shift) for _ in range(3))
        name = f"vector_add of {n}, shifted by {shift}"
        check(name, vector_add.vector_add, -(-n // 1024), [a, b], c, (a + b).double(), 0)
        try:
            aligned_add.vector_add(-(-n // 1024), a, b, c, stream=stream.cuda_stream)
            refused = 0
        except aligned_add.LaunchError as error:
            print(f"  aligned_add, shifted by {shift}: {error}")
            refused = error.code
        wrong += refused != (-7 if shift else 0)
    for shift, n in ((0, 1024), (0, 1000), (1, 999)):
        x, out = fresh(300, n, shift=shift), fresh(300, n, shift=shift)
        exact = x.double().softmax(1)
        check(f"softmax of {n}, shifted by {shift}", softmax.softmax, 300, [x], out, exact, 1e-3)
    for shift, (m, n, k) in ((0, (1024, 512, 768)), (0, (528, 400, 336)), (1, (300, 200, 101))):
        a, b, c = (fresh(*each, shift=shift) for each in ((m, k), (k, n), (m, n)))
        grid = -(-m // 128) * -(-n // 128)
        exact = a.double() @ b.double()
        name = f"gemm of {m} x {n} x {k}, shifted by {shift}"
        check(name, gemm.matmul, grid, [a, b], c, exact, 1e-3)
    q, k, v, out = (fresh(16, 1024, 64, dtype=torch.bfloat16) for _ in range(4))
    exact = (q.double() @ k.double().mT / 8).softmax(2) @ v.double()
    check("attention", attention.attention, (8, 16), [q, k, v], out, exact, 8e-3)
    ours = {"tileiras_xdsl", "xdsl", "llvmlite", "cuda.tile"} & sys.modules.keys()
    print("  imported:", ", ".join(sorted(ours)) or "nothing of a compiler")
    return wrong + len(ours)


if __name__ == "__main__":
    command, folder = sys.argv[1:]
    sys.exit({"make": make, "run": run, "launch": launch}[command](Path(folder).resolve()))
