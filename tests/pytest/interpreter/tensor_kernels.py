"""
Kernels with tensor memory, made of parts that tests leave out, repeat or change.

`matmul_kernel` is one product: a warp allocates columns, one of its threads multiplies what is in
shared memory and commits, four warps wait, load what they reach, and store it. Parts are lines with
a name, such as `// proxy fence`, so that a test says which one its kernel lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from tileiras_xdsl import load
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.interpreter.threads.state import SHARED_BASE
from tileiras_xdsl.targets.tcgen05 import InstructionDescriptor, SharedDescriptor

from ..harness.kernels import block_size, gpu_kernel, gpu_module, i32_constants, shared_memory

Array = npt.NDArray[Any]

IMAGE_BYTES = 40960
"""Of shared memory, which threads copy from global memory first."""
RIGHT_AT = 16384
"""Where operand B is."""
BARRIERS = IMAGE_BYTES
SLOT = IMAGE_BYTES + 64
ANSWER = IMAGE_BYTES + 128
SHARED_BYTES = IMAGE_BYTES + 1024
CONSTANTS = (0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 48, 64, 96, 128, 256, 512, 2048)

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
    "s8": np.int8,
    "u8": np.uint8,
}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e2m3": 6, "e3m2": 6, "e2m1": 4}


# Matrices in shared memory


def packed_rows(matrix: Array, name: str, *, dense: bool = False) -> Array:
    """The bytes of rows of a matrix; small elements have 16 bytes for 16 of them, if not dense."""
    data = np.ascontiguousarray(matrix)
    bits = BITS.get(name, 8)
    if bits >= 8:
        return data.view(np.uint8).reshape(len(data), -1)
    codes = data.view(np.uint8).astype(object)
    rows: list[list[int]] = []
    for line in codes:
        row: list[int] = []
        step = 32 if dense else 16
        for start in range(0, len(line), step):
            whole = sum(int(code) << bits * i for i, code in enumerate(line[start : start + step]))
            row += whole.to_bytes(16, "little")
        rows.append(row)
    return np.array(rows, np.uint8)


def flip(address: int, swizzle: str) -> int:
    """The order of chunks of 16 bytes in lines of 128, which depends on the line."""
    if swizzle == "128B_atom_32B":
        return address ^ (address >> 7 & 3) << 5
    lines = address >> 7 & {"none": 0, "32B": 1, "64B": 3, "128B": 7}[swizzle]
    return address ^ lines << 4


WIDTHS = {"none": 16, "32B": 32, "64B": 64, "128B": 128, "128B_atom_32B": 128}


@dataclass
class Layout:
    """How a matrix is put into shared memory."""

    swizzle: str = "128B"
    trans: bool = False
    leading: int = 0
    stride: int = 0
    dense: bool = False

    def place(self, row: int, byte: int) -> int:
        """Where a byte of a row of storage is."""
        width, swizzle = WIDTHS[self.swizzle], self.swizzle
        if self.trans and swizzle == "none":
            return byte // 16 * self.stride + row // 8 * self.leading + row % 8 * 16 + byte % 16
        if self.trans:
            lines = 4 if swizzle == "128B_atom_32B" else 8
            inside = row // lines * self.stride + row % lines * width
            return flip(byte // width * self.leading + inside + byte % width, swizzle)
        if swizzle == "none":
            return row // 8 * self.stride + byte // 16 * self.leading + row % 8 * 16 + byte % 16
        return flip(row // 8 * self.stride + row % 8 * width + byte, swizzle)

    def put(self, image: Array, at: int, matrix: Array, name: str) -> int:
        """Puts a matrix [m or n, k] into shared memory; returns its descriptor."""
        rows = packed_rows(matrix.T if self.trans else matrix, name, dense=self.dense)
        for row, line in enumerate(rows):
            for byte in range(0, len(line), 16):
                place = at + self.place(row, byte)
                image[place : place + 16] = line[byte : byte + 16]
        return self.describe(at)

    def describe(self, at: int) -> int:
        bits = SharedDescriptor(
            SHARED_BASE + at, self.leading or 16, self.stride, self.swizzle
        ).encode()
        return bits - (1 << 64) if bits >> 63 else bits


K_MAJOR = Layout("128B", stride=1024)


def signed(bits: int) -> int:
    """Bits of an instruction descriptor as an i32."""
    return bits - (1 << 32) if bits >> 31 else bits


# Kernels


PROXY_FENCE = (
    "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}"
)
BEFORE = "nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<before>}"
AFTER = "nvvm.tcgen05.fence {kind = #nvvm.tcgen05_fence<after>}"
WAIT_LD = "nvvm.tcgen05.wait {kind = #nvvm.tcgen05_wait<load>}"
WAIT_ST = "nvvm.tcgen05.wait {kind = #nvvm.tcgen05_wait<store>}"


def meet(name: str) -> str:
    """Threads meet, and tensor memory is handed over."""
    return f"""
    {BEFORE} // {name}: before
    gpu.barrier // {name}
    {AFTER} // {name}: after
    """


def shape(name: str) -> str:
    return f"shape = #nvvm.tcgen05_ldst_shape<shape_{name}>"


def pointer(name: str, at: int, space: int = 3) -> str:
    """A pointer to bytes of shared memory."""
    return (
        f"%{name} = llvm.getelementptr %s[{at}] : (!llvm.ptr<{space}>) -> !llvm.ptr<{space}>, i8\n"
    )


def elected(body: str, warp: str = "%is_w0") -> str:
    """What one thread of a warp does."""
    return f"""
    scf.if {warp} {{
      %elected = nvvm.elect.sync -> i1
      scf.if %elected {{
        {body}
      }}
    }}
    """


def wait(barrier: str = "%bar", parity: str = "%even", name: str = "wait") -> str:
    """All threads wait for a phase of a barrier, and then use tensor memory."""
    done = name.replace(" ", "_")
    return f"""
    %{done}_ = nvvm.mbarrier.try_wait.parity.shared {barrier}, {parity}, %ticks \
: !llvm.ptr<3>, i1, i32 -> i1 // {name}
    {AFTER} // {name}: after
    """


def start(image: bool = True) -> str:
    """Where threads are, and what they need; `%image` comes to shared memory."""
    text = """
    %all = arith.constant -1 : i32
    %ticks = arith.constant 1000 : i32
    %even = arith.constant false
    %odd = arith.constant true
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %i = arith.extui %t : i32 to i64
    %w = arith.divui %t, %c32 : i32
    %four = arith.constant 4 : i32
    %quarter = arith.remui %w, %four : i32
    %twenty_one = arith.constant 21 : i32
    %mylane = arith.shli %quarter, %twenty_one : i32
    %is_w0 = arith.cmpi eq, %w, %c0 : i32
    %is_w1 = arith.cmpi eq, %w, %c1 : i32
    %is_t0 = arith.cmpi eq, %t, %c0 : i32
    %s = llvm.mlir.addressof @shared : !llvm.ptr<3>
    """
    text += (
        pointer("bar", BARRIERS) + pointer("bar2", BARRIERS + 8) + pointer("bar3", BARRIERS + 16)
    )
    text += pointer("slot", SLOT) + pointer("slot2", SLOT + 4) + pointer("answer", ANSWER)
    if not image:
        return text
    return (
        text
        + f"""
    %bytes = arith.constant {IMAGE_BYTES} : i32
    %from = arith.muli %t, %c64 : i32
    %ntid = nvvm.read.ptx.sreg.ntid.x : i32
    %line = arith.muli %ntid, %c64 : i32
    scf.for %at = %from to %bytes step %line : i32 {{
      %p = llvm.getelementptr %image[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
      %q = llvm.getelementptr %s[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %v = llvm.load %p {{alignment = 16 : i64}} : !llvm.ptr<1> -> vector<16xi32>
      llvm.store %v, %q {{alignment = 16 : i64}} : vector<16xi32>, !llvm.ptr<3>
    }}
    {PROXY_FENCE} // proxy fence
    """
    )


def setup(columns: int = 64, group: str = "", arrivals: str = "%c1") -> str:
    """Barriers, and columns of tensor memory, of which `%d` is the address."""
    return f"""
    scf.if %is_t0 {{
      nvvm.mbarrier.init.shared %bar, {arrivals} : !llvm.ptr<3>, i32
      nvvm.mbarrier.init.shared %bar2, %c1 : !llvm.ptr<3>, i32
      nvvm.mbarrier.init.shared %bar3, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
    }}
    %columns = arith.constant {columns} : i32
    scf.if %is_w0 {{
      nvvm.bar.warp.sync %all : i32
      nvvm.tcgen05.alloc %slot, %columns {group} : !llvm.ptr<3>, i32 // alloc
      nvvm.tcgen05.relinquish_alloc_permit {group} // relinquish
    }}
    {meet("start")}
    %base = llvm.load %slot : !llvm.ptr<3> -> i32
    %d = llvm.inttoptr %base : i32 to !llvm.ptr<6>
    %mine = arith.addi %base, %mylane : i32
    %dm = llvm.inttoptr %mine : i32 to !llvm.ptr<6>
    """


def mma(
    d: str = "%d",
    a: str = "%a",
    b: str = "%b",
    idesc: str = "%idesc",
    enable: str = "%even",
    kind: str = "f16",
    more: str = "",
    a_type: str = "i64",
) -> str:
    return (
        f"nvvm.tcgen05.mma {d}, {a}, {b}, {idesc}, {enable} {{kind = #nvvm.tcgen05_mma_kind<{kind}>"
        f"{more}}} : !llvm.ptr<6>, {a_type}\n"
    )


def commit(barrier: str = "%bar") -> str:
    return f"nvvm.tcgen05.commit {barrier} : !llvm.ptr<3> // commit\n"


def store_out(
    columns: int, shape_name: str = "32x32b", registers: int | None = None, more: str = ""
) -> str:
    """Each warp loads what it reaches, and each thread stores that to a row of `%out`."""
    count = registers or columns
    return f"""
    %v = nvvm.tcgen05.ld %dm {{{shape(shape_name)}{more}}} \
: !llvm.ptr<6> -> vector<{count}xi32> // load
    {WAIT_LD} // wait ld
    %po = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<{count}xi32>
    llvm.store %v, %po {{alignment = 4 : i64}} : vector<{count}xi32>, !llvm.ptr<1>
    """


def end(group: str = "") -> str:
    return f"""
    {meet("end")}
    scf.if %is_w0 {{
      nvvm.bar.warp.sync %all : i32
      nvvm.tcgen05.dealloc %d, %columns {group} : !llvm.ptr<6>, i32 // dealloc
    }}
    """


def kernel(
    body: str, parameters: Sequence[str], threads: int = 128, attributes: Sequence[str] = ()
) -> str:
    """A module with a kernel of a CTA."""
    function = gpu_kernel(
        i32_constants(CONSTANTS) + body,
        parameters,
        attributes=[block_size(threads), *attributes],
    )
    return gpu_module(shared_memory(SHARED_BYTES) + function)


def without(text: str, *names: str) -> str:
    """A kernel without the lines of some names."""
    kept: list[str] = []
    missing = set(names)
    for line in text.split("\n"):
        name = line.partition("// ")[2].strip()
        if name in names:
            missing.discard(name)
        else:
            kept.append(line)
    assert not missing, f"there is no line {missing}"
    return "\n".join(kept)


IMAGE_PARAMETERS = (
    "%image: !llvm.ptr<1>",
    "%out: !llvm.ptr<1>",
    "%a: i64",
    "%b: i64",
    "%idesc: i32",
)


def matmul_kernel(n: int, *, columns: int = 64, multiply: str | None = None) -> str:
    """The product of what is in shared memory, by one instruction or by others."""
    body = start() + setup(columns)
    body += elected((multiply or mma()) + commit())
    body += wait() + store_out(n) + end()
    return kernel(body, IMAGE_PARAMETERS)


def fresh_image() -> Array:
    return np.zeros(IMAGE_BYTES, np.uint8)


RANDOM = np.random.default_rng(7)


def numbers(name: str, *dims: int) -> Array:
    """Small numbers, of which sums are exact."""
    low = 0 if name == "u8" else -2
    return RANDOM.integers(low, 3, dims).astype(DTYPES[name])


@dataclass
class Problem:
    """A product of 128 rows: what is in shared memory, and what it should give."""

    image: Array
    a: int
    b: int
    idesc: int
    expected: Array
    n: int

    def run(self, text: str, **options: Any) -> Array:
        out = np.full((128, self.n), -1, np.int32)
        arguments = [self.image, out, self.a, self.b, signed(self.idesc)]
        run_threads(load(text), 1, arguments, entry="k", **options)
        return out.view(np.float32)


def problem(n: int = 16, k: int = 16, m: int = 128) -> Problem:
    """A product of f16, both operands K-major."""
    image = fresh_image()
    a, b = numbers("f16", m, k), numbers("f16", n, k)
    left, right = K_MAJOR.put(image, 0, a, "f16"), K_MAJOR.put(image, RIGHT_AT, b, "f16")
    idesc = InstructionDescriptor("f16", m, n, "f16", "f16").encode()
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    return Problem(image, left, right, idesc, expected, n)
