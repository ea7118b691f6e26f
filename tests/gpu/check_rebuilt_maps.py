# pyright: basic
"""
Tensor maps that loops build anew, on the GPU: grouped products of a Triton kernel.

    python tests/gpu/check_rebuilt_maps.py make FOLDER              # needs xDSL, ptxas and Triton
    python tests/gpu/check_rebuilt_maps.py run FOLDER [SECONDS]     # needs an H200 and torch

Every launch is of a module that was just loaded, or its second one, with poison in the shared
memory of all SMs and in the results; some launches run side by side on three streams, and some find
nothing in L2. The result is compared with float64. A launch that takes eight seconds hangs. The
exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import ctypes
import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
GRID = 84
PLANS = {"chosen": {}, "four_warps": {"warps": 4}}
LIMIT = 8
"""Seconds that a launch may take."""
SHARED = 227 << 10
"""Bytes of shared memory that a CTA can have."""
SMS = 132
POISONS = (0x7BFF7BFF, 0x7E007E00, 0xFFFFFFFF, 0)
"""Pairs of f16: the largest ones, two kinds of NaN, zeros."""
LARGEST_ATTRIBUTE = 8
"""CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES."""
POISON = f""".version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 memory[];
.visible .entry poison(.param .u32 value) {{
  .reg .b32 %v, %o, %a; .reg .pred %p;
  ld.param.u32 %v, [value]; mov.u32 %o, %tid.x; shl.b32 %o, %o, 2;
  mov.u32 %a, memory; add.u32 %a, %a, %o;
again:
  st.volatile.shared.u32 [%a], %v;
  add.u32 %a, %a, 4096; add.u32 %o, %o, 4096;
  setp.lt.u32 %p, %o, {SHARED};
  @%p bra again;
  ret;
}}"""
FOUR = [(1024, 1024, 1024), (512, 512, 512), (256, 2048, 256), (128, 128, 128)]
"""M, N and K of groups."""
CASES = [
    ("four groups", FOUR, 1),
    ("four groups", FOUR, 3),
    ("short groups", [(256, 256, 32 * (1 + i % 5)) for i in range(64)], 1),
    ("many groups", [(128, 256, 64)] * 300, 1),
    ("many groups", [(128, 256, 64)] * 300, 3),
]


def make(folder: Path) -> None:
    """Machine code of both plans, and how many threads they have."""
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks" / "triton")]
    import triton
    from cases import grouped_kernel

    import tileiras_xdsl as tx

    folder.mkdir(parents=True, exist_ok=True)
    tables, sizes = [tx.array("int64", 1)] * 3, tx.array("int32", 1)
    arguments = (*tables, sizes, 4, GRID, 128, 128, 32)
    stages = tx.explore(triton.jit(grouped_kernel), GRID, arguments, gpu="sm_90")
    for name, plan in PLANS.items():
        compiled = stages.with_plan(**plan).compile()
        threads = compiled.record().threads[0]
        (folder / f"{name}.{threads}.cubin").write_bytes(compiled.cubin)


class Driver:
    """What is needed of the driver's API."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")

    def call(self, name: str, *arguments: object) -> None:
        code = getattr(self.cuda, name)(*arguments)
        if code:
            sys.exit(f"{name}: {code}")

    def load(self, image: bytes) -> ctypes.c_void_p:
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), image)
        return module

    def function(self, module: ctypes.c_void_p, name: bytes, shared: int = 0) -> ctypes.c_void_p:
        found = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(found), module, name)
        if shared:
            self.call("cuFuncSetAttribute", found, LARGEST_ATTRIBUTE, shared)
        return found

    def launch(self, function, grid: int, threads: int, arguments, shared=0, stream=0) -> None:
        pointers = [ctypes.cast(ctypes.pointer(each), ctypes.c_void_p) for each in arguments]
        values = (ctypes.c_void_p * len(pointers))(*pointers)
        shape = (grid, 1, 1, threads, 1, 1, shared)
        self.call("cuLaunchKernel", function, *shape, ctypes.c_void_p(stream), values, None)


def check(driver: Driver, poison, image: bytes, threads: int, case, seconds: float) -> str:
    """Launches for a while; says how many were wrong, and where the first of them."""
    import torch

    _, shapes, streams = case
    a = [torch.randn(m, k, device="cuda").half() for m, _, k in shapes]
    b = [torch.randn(k, n, device="cuda").half() for _, n, k in shapes]
    expected = torch.cat([(x.double() @ y.double()).flatten() for x, y in zip(a, b)])
    bound = torch.cat(
        [
            ((x.double().abs() @ y.double().abs()) * (x.shape[1] * 2.0**-22)).flatten()
            for x, y in zip(a, b)
        ]
    )
    bound = (bound + (expected.abs() + bound) * 2.0**-11 + 2.0**-24).float()
    expected = expected.float()
    tables = [torch.tensor([e.data_ptr() for e in group], device="cuda") for group in (a, b)]
    sizes = torch.tensor(shapes, dtype=torch.int32, device="cuda")
    outputs = []
    for _ in range(streams):
        c = torch.empty_like(expected, dtype=torch.float16)
        places, at = [], c.data_ptr()
        for m, n, _ in shapes:
            places.append(at)
            at += 2 * m * n
        outputs.append((c, torch.tensor(places, device="cuda"), torch.cuda.Stream()))
    wrong, count, first, end = 0, 0, "", time.monotonic() + seconds
    while time.monotonic() < end:
        module = driver.load(image)
        function = driver.function(module, b"grouped_kernel")
        for _ in range(1 + count % 2):
            for c, _, _ in outputs:
                c.fill_(float("nan"))
            value = [ctypes.c_uint32(random.choice(POISONS))]
            driver.launch(poison, SMS, 1024, value, SHARED)
            if count % 3 == 0:
                torch.empty(64 << 20, device="cuda", dtype=torch.uint8).fill_(1)
            torch.cuda.synchronize()
            for c, places, stream in outputs:
                pointers = [each.data_ptr() for each in (*tables, places, sizes)]
                arguments = [*map(ctypes.c_uint64, pointers), ctypes.c_int32(len(shapes))]
                driver.launch(function, GRID, threads, arguments, stream=stream.cuda_stream)
                torch.cuda.current_stream().wait_stream(stream)
            event, late = torch.cuda.Event(), time.monotonic() + LIMIT
            event.record()
            while not event.query():
                if time.monotonic() > late:
                    return f"hangs, after {count} launches"
            for c, _, _ in outputs:
                count += 1
                places = (~((c.float() - expected).abs() <= bound)).nonzero()
                if len(places):
                    wrong += 1
                    first = first or f"; launch {count}: {len(places)}, {c[places[:4, 0]].tolist()}"
        torch.cuda.synchronize()
        driver.call("cuModuleUnload", module)
    return f"{wrong} of {count} wrong{first}"


def run(folder: Path, seconds: float) -> int:
    import torch

    torch.zeros(1, device="cuda")
    driver = Driver()
    poison = driver.function(driver.load(POISON.encode() + b"\0"), b"poison", SHARED)
    faults = 0
    for path in sorted(folder.glob("*.cubin")):
        plan, threads, _ = path.name.split(".")
        for case in CASES:
            share = seconds / len(CASES) / len(PLANS)
            found = check(driver, poison, path.read_bytes(), int(threads), case, share)
            print(f"{plan}, {case[0]}, {case[2]} streams: {found}", flush=True)
            faults += not found.startswith("0 of")
            if found.startswith("hangs"):
                return 1
    return int(faults > 0)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", folder]:
            make(Path(folder))
        case ["run", folder, *rest]:
            sys.exit(run(Path(folder), float(rest[0]) if rest else 60))
        case _:
            sys.exit(__doc__)
