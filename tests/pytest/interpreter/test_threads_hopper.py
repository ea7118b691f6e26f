"""What threads of Hopper have: products of four warps, copies of TMA tiles, warps with roles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import Float16Type, Float32Type, FloatTF32Type, IntegerType
from xdsl.ir import Attribute

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nvgpu.types import HostMap
from tileiras_xdsl.interpreter import ExecutionError, Uninitialized
from tileiras_xdsl.interpreter.environment import Add, OtherBlock, Read
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.interpreter.threads.state import SHARED_BASE

from ..harness.kernels import thread_kernel

Array = npt.NDArray[Any]
RANDOM = np.random.default_rng(5)
SHARED_BYTES = 65536
CONSTANTS = (0, 1, 2, 3, 4, 5, 16, 31, 32, 64, 96, 128, 1024, 2048)


def aligned_zeros(size: int) -> Array:
    """Zeros at a multiple of 256 bytes, where a launcher allocates memory."""
    whole = np.zeros(size + 256, np.uint8)
    start = -whole.ctypes.data % 256
    return whole[start : start + size]


def kernel(body: str, parameters: Sequence[str], threads: int) -> str:
    """A kernel of Hopper: `thread_kernel` with the constants that its parts need."""
    start = """
    %all = arith.constant -1 : i32
    %ticks = arith.constant 1000 : i32
    %even = arith.constant false
    %odd = arith.constant true
    """
    return thread_kernel(
        start + body, parameters, threads, shared=SHARED_BYTES, constants=CONSTANTS
    )


PROXY_FENCE = (
    "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}"
)

# Products of four warps

COPY_IN = f"""
%bytes = arith.constant {SHARED_BYTES // 2} : i32
%line = arith.constant 16 : i32
%from = arith.muli %t, %line : i32
scf.for %at = %from to %bytes step %c2048 : i32 {{
  %p = llvm.getelementptr %image[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
  %q = llvm.getelementptr %s[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %v = llvm.load %p : !llvm.ptr<1> -> vector<4xi32>
  llvm.store %v, %q : vector<4xi32>, !llvm.ptr<3>
}}
{PROXY_FENCE}
gpu.barrier
"""
"""128 threads copy half of shared memory from `%image`."""

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "s8": np.int8,
    "u8": np.uint8,
    "f32": np.float32,
    "s32": np.int32,
}
CODES = {0: 0, 128: 1, 64: 2, 32: 3}


def place(row: int, byte: int, swizzle: int, leading: int, stride: int) -> int:
    """Where a byte along k of a row of m or n is, in a matrix with k innermost."""
    span = swizzle or 16
    atom = byte // span if not swizzle else 0
    inside = byte % span if not swizzle else byte
    address = row // 8 * stride + atom * leading + row % 8 * span + inside
    return flip(address, swizzle)


def place_transposed(k: int, byte: int, swizzle: int, leading: int, stride: int) -> int:
    """Where a byte along m or n of a row of k is, in a matrix with m or n innermost."""
    if not swizzle:
        return byte // 16 * stride + k // 8 * leading + k % 8 * 16 + byte % 16
    address = byte // swizzle * leading + k // 8 * stride + k % 8 * swizzle + byte % swizzle
    return flip(address, swizzle)


def flip(address: int, swizzle: int) -> int:
    """The order of chunks of 16 bytes in lines of 128, which depends on the line."""
    lines = address >> 7 & {0: 0, 32: 1, 64: 3, 128: 7}[swizzle]
    return address ^ lines << 4


def descriptor(address: int, swizzle: int, leading: int, stride: int) -> int:
    """The bits of a descriptor, as a signed number."""
    bits = address >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | CODES[swizzle] << 62
    return bits - (1 << 64) if bits >> 63 else bits


def put(
    image: Array, at: int, matrix: Array, swizzle: int, offsets: tuple[int, int], trans: bool
) -> int:
    """Puts a matrix [m or n, k] into an image of shared memory; returns its descriptor."""
    rows = np.ascontiguousarray(matrix.T if trans else matrix)
    data = rows.view(np.uint8).reshape(len(rows), -1)
    where = place_transposed if trans else place
    for row, line in enumerate(data):
        for byte, value in enumerate(line):
            image[at + where(row, byte, swizzle, *offsets)] = value
    return descriptor(SHARED_BASE + at, swizzle, *offsets)


def numbers(dtype: Any, *shape: int) -> Array:
    """Small whole numbers, of which sums are exact."""
    low = 0 if dtype == np.uint8 else -4
    return RANDOM.integers(low, 5, shape).astype(dtype)


def to_matrix(fragments: Array) -> Array:
    """The matrix [64, n] that 128 threads hold."""
    matrix = np.zeros((64, fragments.shape[1] * 2), fragments.dtype)
    for thread in range(128):
        for i, value in enumerate(fragments[thread]):
            row = thread // 32 * 16 + thread % 32 // 4 + 8 * (i // 2 % 2)
            matrix[row, 8 * (i // 4) + 2 * (thread % 4) + i % 2] = value
    return matrix


WGMMA = """
%pc = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, TYPE
%c = llvm.load %pc {alignment = 4 : i64} : !llvm.ptr<1> -> TYPE
nvvm.wgmma.fence.aligned
%d = nvvm.wgmma.mma_async %a, %b, %c {ATTRIBUTES} : LEFT, i64, TYPE
nvvm.wgmma.commit.group.sync.aligned
%r = nvvm.wgmma.wait.group.sync.aligned 0, %d : TYPE
llvm.store %r, %pc {alignment = 4 : i64} : TYPE, !llvm.ptr<1>
"""


def run_wgmma(
    image: Array, a: Any, b: int, c: Array, types: Sequence[str], k: int, more: str = ""
) -> Array:
    """What 128 threads get of a product, to which they add `c`."""
    n = c.shape[1] * 2
    words = ", ".join(f'"{ty}"' for ty in types)
    attributes = f"shape = #nvvm.shape<m = 64, n = {n}, k = {k}>, types = [{words}]{more}"
    element = {"s32": "i32"}.get(types[0], types[0])
    left, before = "i64", ""
    parameters = ["%image: !llvm.ptr<1>", "%out: !llvm.ptr<1>", "%a: i64", "%b: i64"]
    if isinstance(a, np.ndarray):
        left, parameters[2] = f"vector<{a.shape[1]}x{types[1]}>", "%left: !llvm.ptr<1>"
        before = f"%pa = llvm.getelementptr %left[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {left}"
        before += f"\n%a = llvm.load %pa {{alignment = 4 : i64}} : !llvm.ptr<1> -> {left}\n"
    body = WGMMA.replace("TYPE", f"vector<{n // 2}x{element}>").replace("LEFT", left)
    text = kernel(COPY_IN + before + body.replace("ATTRIBUTES", attributes), parameters, 128)
    result = c.copy()
    run_threads(load(text), 1, [image, result, a, b], entry="k")
    return to_matrix(result)


def fresh_image() -> Array:
    return np.zeros(SHARED_BYTES // 2, np.uint8)


@pytest.mark.every(3)
@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
@pytest.mark.parametrize("trans", [(False, False), (True, False), (False, True), (True, True)])
def test_how_operands_are_stored(swizzle: int, trans: tuple[bool, bool]) -> None:
    image, n = fresh_image(), 24
    a, b = numbers(np.float16, 64, 16), numbers(np.float16, n, 16)
    bits: list[int] = []
    for at, matrix, is_transposed in zip((0, 16384), (a, b), trans, strict=True):
        if not swizzle:
            offsets = (4096, 256) if is_transposed else (2048, 128)
        else:
            offsets = (2048, 8 * swizzle)
        bits.append(put(image, at, matrix, swizzle, offsets, is_transposed))
    c = numbers(np.float32, 128, n // 2)
    flags = "".join(f", trans_{name}" for name, flag in zip("ab", trans, strict=True) if flag)
    found = run_wgmma(image, bits[0], bits[1], c, ("f32", "f16", "f16"), 16, flags)
    assert (found == a.astype(np.float32) @ b.T.astype(np.float32) + to_matrix(c)).all()


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "types",
    [
        *(("f32", "bf16", "bf16"), ("f32", "tf32", "tf32"), ("f16", "f16", "f16")),
        *(("f32", "e4m3", "e4m3"), ("f32", "e5m2", "e4m3"), ("f32", "e4m3", "e5m2")),
        *(("s32", "s8", "s8"), ("s32", "u8", "s8"), ("s32", "s8", "u8"), ("s32", "u8", "u8")),
    ],
)
def test_types_of_matmuls(types: tuple[str, str, str]) -> None:
    image, n = fresh_image(), 8
    d, left, right = (DTYPES[ty] for ty in types)
    k = 32 // np.dtype(left).itemsize
    a, b = numbers(left, 64, k), numbers(right, n, k)
    if types[1] == "tf32":
        # The hardware takes no notice of the last bits.
        a = (a.view(np.uint32) | np.uint32(0x1FFF)).view(np.float32)
    bits = [put(image, at, m, 128, (16, 1024), False) for at, m in ((0, a), (16384, b))]
    c = numbers(d, 128, n // 2)
    found = run_wgmma(image, bits[0], bits[1], c, types, k)
    if types[1] == "tf32":
        a = (a.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    wide = np.int32 if types[0] == "s32" else np.float32
    expected = a.astype(wide) @ b.T.astype(wide) + to_matrix(c).astype(wide)
    np.testing.assert_allclose(found.astype(wide), expected, atol=1e-5)


def test_steps_along_k() -> None:
    """Four steps in a line of 128 bytes, and 16 rows each of a matrix with n innermost."""
    image, n = fresh_image(), 128
    a, b = numbers(np.float16, 64, 64), numbers(np.float16, n, 64)
    left = put(image, 0, a, 128, (16, 1024), False)
    right = put(image, 8192, b, 128, (8192, 1024), True)
    c = np.zeros((128, n // 2), np.float32)
    more = ", trans_b, k_steps = 4 : i32, a_step = 2 : i64, b_step = 128 : i64"
    found = run_wgmma(image, left, right, c, ("f32", "f16", "f16"), 16, more)
    assert (found == a.astype(np.float32) @ b.T.astype(np.float32)).all()


@pytest.mark.parametrize("ty", ["f16", "bf16"])
def test_left_operands_in_registers(ty: str) -> None:
    image, n, dtype = fresh_image(), 16, DTYPES[ty]
    a, b = numbers(dtype, 64, 32), numbers(dtype, n, 32)
    right = put(image, 0, b, 128, (16, 1024), False)
    held = np.zeros((128, 16), dtype)
    for thread in range(128):
        group, member = thread % 32 // 4, thread % 4
        for i in range(16):
            step, register, within = i // 8, i % 8 // 2, i % 2
            row = thread // 32 * 16 + group + 8 * (register % 2)
            held[thread, i] = a[row, 16 * step + 8 * (register // 2) + 2 * member + within]
    c = np.full((128, n // 2), np.float32(np.nan))
    more = ", k_steps = 2 : i32, b_step = 2 : i64, scale_d = false"
    found = run_wgmma(image, held, right, c, ("f32", ty, ty), 16, more)
    assert (found == a.astype(np.float32) @ b.T.astype(np.float32)).all()


SMALL_WGMMA = COPY_IN + WGMMA.replace("TYPE", "vector<4xf32>").replace("LEFT", "i64").replace(
    "ATTRIBUTES", 'shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "f16", "f16"]'
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (PROXY_FENCE, "", r"reads byte 0 .* written by thread 0 in 'llvm.store'.* a proxy fence"),
        ("gpu.barrier", "", r"race: thread .* reads byte .* written by thread"),
        ("nvvm.wgmma.fence.aligned", "", r"'nvvm.wgmma.fence.aligned' must come first"),
        (
            "%r = nvvm.wgmma.wait.group.sync.aligned 0, %d : vector<4xf32>\nllvm.store %r",
            "llvm.store %d",
            r"'llvm.store' op uses the result of 'nvvm.wgmma.mma_async' .* nobody has waited for",
        ),
        ("aligned 0, %d", "aligned 1, %d", r"'llvm.store' op uses the result of"),
        ("nvvm.wgmma.commit.group.sync.aligned", "", r"'llvm.store' op uses the result of"),
        (
            "nvvm.wgmma.commit.group.sync.aligned",
            "nvvm.wgmma.commit.group.sync.aligned\nllvm.store %c, %s : vector<4xf32>, !llvm.ptr<3>",
            r"race: thread .* writes byte 0 .* read by WGMMAs of warps 0 to 3 in 'nvvm.wgmma",
        ),
    ],
)
def test_bugs_of_a_matmul(old: str, new: str, message: str) -> None:
    c = np.zeros((128, 4), np.float32)
    parameters = ["%image: !llvm.ptr<1>", "%out: !llvm.ptr<1>", "%a: i64", "%b: i64"]
    assert SMALL_WGMMA.count(old) == 1
    module = load(kernel(SMALL_WGMMA.replace(old, new), parameters, 128))
    bits = descriptor(SHARED_BASE, 128, 16, 1024)
    with pytest.raises(ExecutionError, match=message):
        run_threads(module, 1, [fresh_image(), c, bits, bits], entry="k")


def test_matmuls_need_four_warps() -> None:
    parameters = ["%image: !llvm.ptr<1>", "%out: !llvm.ptr<1>", "%a: i64", "%b: i64"]
    c, bits = np.zeros((128, 4), np.float32), descriptor(SHARED_BASE, 128, 16, 1024)
    module = load(kernel(SMALL_WGMMA, parameters, 96))
    with pytest.raises(ExecutionError, match=r"needs four warps, but the CTA has 96 threads"):
        run_threads(module, 1, [fresh_image(), c, bits, bits], entry="k")
    only_three = SMALL_WGMMA.replace("%pc =", "%in = arith.cmpi slt, %t, %c96 : i32\n%pc =")
    head, _, tail = only_three.partition("nvvm.wgmma.fence")
    text = f"{head} scf.if %in {{ nvvm.wgmma.fence{tail} }}"
    with pytest.raises(
        ExecutionError, match=r"deadlock: .* its group of four warps, of which 0, 1"
    ):
        run_threads(
            load(kernel(text, parameters, 128)), 1, [fresh_image(), c, bits, bits], entry="k"
        )


def test_descriptors_must_be_the_same_for_all_threads() -> None:
    parameters = ["%image: !llvm.ptr<1>", "%out: !llvm.ptr<1>", "%a: i64", "%b: i64"]
    text = SMALL_WGMMA.replace("%a, %b, %c {", "%i, %b, %c {")
    bits = descriptor(SHARED_BASE, 128, 16, 1024)
    arguments = [fresh_image(), np.zeros((128, 4), np.float32), bits, bits]
    with pytest.raises(ExecutionError, match=r"the descriptor of a matrix differs"):
        run_threads(load(kernel(text, parameters, 128)), 1, arguments, entry="k")


# Copies of TMA tiles

BARRIER = """
%pb = llvm.getelementptr %s[49152] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%first = arith.cmpi eq, %t, %c0 : i32
scf.if %first {
  nvvm.mbarrier.init.shared %pb, %c1 : !llvm.ptr<3>, i32
  nvvm.fence.mbarrier.init
}
gpu.barrier
"""
WAIT = (
    "%done = nvvm.mbarrier.try_wait.parity.shared %pb, %even, %ticks : !llvm.ptr<3>, i1, i32 -> i1"
)
LOAD_TMA_TILE = """
scf.if %first {
  nvvm.mbarrier.arrive.expect_tx.shared %pb, %size : !llvm.ptr<3>, i32
  nvvm.cp.async.bulk.tensor.RANKd.shared.cluster.global.tile %s, %map, AT, %pb : !llvm.ptr<3>,
    !llvm.ptr, TYPES, !llvm.ptr<3>
}
"""
COPY_OUT = """
%chunk = arith.constant 16 : i32
%lines = arith.muli %t, %chunk : i32
scf.for %at = %lines to %size step %lines_step : i32 {
  %p = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
  %q = llvm.getelementptr %s[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %v = llvm.load %q : !llvm.ptr<3> -> vector<4xi32>
  llvm.store %v, %p : vector<4xi32>, !llvm.ptr<1>
}
"""


def tma_load_kernel(rank: int, at: Sequence[int]) -> str:
    """64 threads load a TMA tile at constant coordinates, and copy it out as it is."""
    names = [f"%x{n}" for n in range(rank)]
    constants = "".join(f"{n} = arith.constant {x} : i32\n" for n, x in zip(names, at, strict=True))
    load_it = LOAD_TMA_TILE.replace("RANK", str(rank)).replace("AT", ", ".join(names))
    load_it = load_it.replace("TYPES", ", ".join(["i32"] * rank))
    step = "%lines_step = arith.constant 1024 : i32\n"
    body = BARRIER + constants + load_it + WAIT + step + COPY_OUT
    parameters = ["%x: !llvm.ptr<1>", "%out: !llvm.ptr<1>", "%size: i32", "%map: !llvm.ptr"]
    return kernel(body, parameters, 64)


def map_of(x: Array, box: Sequence[int], swizzle: int = 0, base: int = 0) -> HostMap:
    """The map of an array; the box has the outermost dimension first."""
    elements: dict[Any, Attribute] = {
        np.dtype(np.float16): Float16Type(),
        np.dtype(np.float32): Float32Type(),
        np.dtype(np.uint8): IntegerType(8),
    }
    return HostMap(
        elements[x.dtype],
        base,
        tuple((size, None) for size in x.shape[::-1]),
        tuple((stride, None) for stride in x.strides[-2::-1]),
        tuple(box[::-1]),
        swizzle,
    )


def expected_box(x: Array, box: Sequence[int], at: Sequence[int]) -> Array:
    """The box at coordinates, the outermost first; zeros outside."""
    result = np.zeros(box, x.dtype)
    for place in np.ndindex(*box):
        source = tuple(p + start for p, start in zip(place, at, strict=True))
        if all(0 <= p < size for p, size in zip(source, x.shape, strict=True)):
            result[place] = x[source]
    return result


@pytest.mark.parametrize(
    ("shape", "box", "at"),
    [
        ((40,), (16,), (8,)),
        ((40,), (16,), (32,)),
        ((10, 24), (4, 16), (3, -8)),
        ((10, 24), (4, 16), (-2, 16)),
        ((10, 24), (4, 8), (10, 0)),
        ((3, 5, 8), (2, 3, 8), (2, 1, 0)),
        ((2, 3, 2, 16), (2, 2, 2, 16), (0, 2, 1, 8)),
        ((2, 2, 2, 3, 8), (2, 1, 2, 2, 8), (1, 1, 0, 1, 0)),
    ],
)
def test_loads_of_tma_tiles(
    shape: tuple[int, ...], box: tuple[int, ...], at: tuple[int, ...]
) -> None:
    x, out = numbers(np.float16, *shape), np.zeros(box, np.float16)
    module = load(tma_load_kernel(len(shape), at[::-1]))
    run_threads(module, 1, [x, out, out.nbytes], entry="k", tensor_maps=[map_of(x, box)])
    assert (out == expected_box(x, box, at)).all()


@pytest.mark.parametrize("at", [(3, -5), (-2, 20), (0, 2**31 - 1)])
def test_loads_begin_at_units_of_16_bytes(at: tuple[int, ...]) -> None:
    """On an H200 others are illegal instructions, also where all of the box is outside."""
    x, out = numbers(np.float16, 10, 24), np.zeros((4, 8), np.float16)
    module = load(tma_load_kernel(2, at[::-1]))
    with pytest.raises(ExecutionError, match=r"no multiple of 16 bytes: an illegal instruction"):
        run_threads(module, 1, [x, out, out.nbytes], entry="k", tensor_maps=[map_of(x, (4, 8))])


def test_loads_that_round() -> None:
    """Copies by a map of tf32 round to ten bits of mantissa, ties to even."""
    x, out = np.empty(32, np.float32), np.zeros(32, np.float32)
    x[:] = 1 + np.arange(32) / 2**13
    x[-2:] = np.inf, np.nan
    tensor_map = replace(map_of(x, (32,)), element=FloatTF32Type())
    run_threads(
        load(tma_load_kernel(1, (0,))), 1, [x, out, out.nbytes], entry="k", tensor_maps=[tensor_map]
    )
    assert ((out[:-2] - 1) * 2**10).tolist() == [round(n / 8) for n in range(30)]
    assert np.isposinf(out[-2])
    assert np.isnan(out[-1])


@pytest.mark.parametrize("is_early", [True, False])
def test_what_copies_read_may_be_written_behind_them(is_early: bool) -> None:
    """Even the thread that has begun a copy has to wait before it writes what is read."""
    x, out = numbers(np.float32, 32), np.zeros(32, np.float32)
    write = "scf.if %first { llvm.store %t, %x : i32, !llvm.ptr<1> }\n"
    text = tma_load_kernel(1, (0,))
    assert WAIT in text
    text = text.replace(WAIT, f"{write}{WAIT}" if is_early else f"{WAIT}\n{write}")
    arguments = [x, out, out.nbytes]
    maps = [map_of(x, (32,))]
    if not is_early:
        before = x.copy()
        run_threads(load(text), 1, arguments, entry="k", tensor_maps=maps)
        assert (out == before).all()
        assert x.view(np.uint32)[0] == 0
        return
    with pytest.raises(ExecutionError, match=r"race: thread 0 writes .* read by copies to the"):
        run_threads(load(text), 1, arguments, entry="k", tensor_maps=maps)


@pytest.mark.parametrize("swizzle", [32, 64, 128])
def test_swizzled_tma_tiles(swizzle: int) -> None:
    x, box = numbers(np.float16, 32, 64), (32, swizzle // 2)
    out = np.zeros(box, np.float16)
    module = load(tma_load_kernel(2, (0, 0)))
    run_threads(module, 1, [x, out, out.nbytes], entry="k", tensor_maps=[map_of(x, box, swizzle)])
    data, found = x[:, : box[1]].tobytes(), out.tobytes()
    for at in range(0, len(data), 16):
        to = flip(at, swizzle)
        assert data[at : at + 16] == found[to : to + 16]


STORE_TMA_TILE = """
%ps = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
%v = arith.sitofp %t : i32 to f32
llvm.store %v, %ps : f32, !llvm.ptr<3>
FENCE
gpu.barrier
scf.if %first {
  nvvm.cp.async.bulk.tensor.STORE
  nvvm.cp.async.bulk.commit.group
  nvvm.cp.async.bulk.wait_group 0 {read}
}
""".replace("FENCE", PROXY_FENCE)
STORE = "2d.global.shared.cta.tile %map, %c4, %c2, %s : !llvm.ptr, i32, i32, !llvm.ptr<3>"
REDUCE = (
    "reduce %map, %c4, %c2, %s {red_op = #nvvm.tma_redux_kind<add>} " + STORE[STORE.index(":") :]
)
STORE_PARAMETERS = ["%x: !llvm.ptr<1>", "%map: !llvm.ptr"]


def run_store(text: str) -> Array:
    """What 64 threads store of a TMA tile of 8 x 8 numbers."""
    x = np.full((7, 12), 100, np.float32)
    module = load(kernel(BARRIER + text, STORE_PARAMETERS, 64))
    run_threads(module, 1, [x], entry="k", tensor_maps=[map_of(x, (8, 8))])
    return x


def test_stores_of_tma_tiles() -> None:
    expected = np.full((7, 12), 100, np.float32)
    expected[2:, 4:] = np.arange(64).reshape(8, 8)[:5]
    assert (run_store(STORE_TMA_TILE.replace("STORE", STORE)) == expected).all()
    found = run_store(STORE_TMA_TILE.replace("STORE", REDUCE))
    expected[2:, 4:] += 100
    assert (found == expected).all()


def run_reductions(
    text: str, others: Callable[[Array], Sequence[OtherBlock]], grid: int = 1, seed: int = 0
) -> Array:
    """What CTAs that reduce a TMA tile at once, and others, make of numbers."""
    x = np.full((7, 12), 100, np.float32)
    module = load(kernel(BARRIER + text, STORE_PARAMETERS, 64))
    run_threads(
        module,
        grid,
        [x],
        entry="k",
        tensor_maps=[map_of(x, (8, 8))],
        others=others(x),
        side_by_side=True,
        seed=seed,
    )
    return x


def test_reductions_are_atomic() -> None:
    """Those of several CTAs, and atomics of others, do not race; ordinary accesses do."""
    text = STORE_TMA_TILE.replace("STORE", REDUCE)
    # With some of these others add between the two CTAs, or while one of them reduces.
    for seed in (0, 16, 25, 46):
        found = run_reductions(text, lambda x: [OtherBlock([Add(x, (2, 4), 7)] * 3)], 2, seed)
        assert found[2, 4] == 100 + 3 * 7
        assert found[3, 5] == 100 + 2 * 9
    with pytest.raises(ExecutionError, match=r"race: .* byte 164 of x, .*another CTA|by the"):
        run_reductions(text, lambda x: [OtherBlock([Read(x, (3, 5))])])
    with pytest.raises(ExecutionError, match=r"race: thread 0 of CTA \d writes .* of CTA \d"):
        run_reductions(STORE_TMA_TILE.replace("STORE", STORE), lambda x: [], grid=2)


def test_reduction_of_what_was_never_written() -> None:
    x = np.zeros((7, 12), np.float32)
    module = load(kernel(BARRIER + STORE_TMA_TILE.replace("STORE", REDUCE), STORE_PARAMETERS, 64))
    for check_races in (False, True):
        with pytest.raises(ExecutionError, match="changes x, which was never written"):
            run_threads(
                module,
                1,
                [Uninitialized(x)],
                entry="k",
                tensor_maps=[map_of(x, (8, 8))],
                check_races=check_races,
            )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (PROXY_FENCE, "", r"written by thread 0 in 'llvm.store' .* without a proxy fence"),
        ("gpu.barrier\nscf.if", "scf.if", r"race: thread 0 reads byte .*, written by thread"),
        ("wait_group 0 {read}", "wait_group 1 {read}", r"ends without waiting until its copy"),
        ("nvvm.cp.async.bulk.commit.group", "", r"ends without waiting until its copy"),
        (
            "nvvm.cp.async.bulk.wait_group 0",
            "llvm.store %v, %s : f32, !llvm.ptr<3>\nnvvm.cp.async.bulk.wait_group 0",
            r"race: thread 0 writes byte 0 of shared memory, read by a store that thread 0 has iss",
        ),
        (
            "wait_group 0 {read}",
            "wait_group 0 {read}\n%q = llvm.getelementptr %x[28] : (!llvm.ptr<1>) -> !llvm.ptr<1>, "
            "f32\n%w = llvm.load %q : !llvm.ptr<1> -> f32",
            r"race: thread 0 reads byte 112 of x, written by the store of thread 0",
        ),
        ("%c4, %c2, %s", "%c4, %c2, %ps", None),
    ],
)
def test_bugs_of_a_store(old: str, new: str, message: str | None) -> None:
    text = STORE_TMA_TILE.replace("STORE", STORE)
    assert text.count(old) == 1
    if message is None:
        run_store(text.replace(old, new))
    else:
        with pytest.raises(ExecutionError, match=message):
            run_store(text.replace(old, new))


def test_a_store_that_was_waited_for_can_be_read() -> None:
    read = """wait_group 0
    %q = llvm.getelementptr %x[28] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %w = llvm.load %q : !llvm.ptr<1> -> f32"""
    run_store(STORE_TMA_TILE.replace("STORE", STORE).replace("wait_group 0 {read}", read))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"box": (4, 6)}, r"the innermost extent of the TMA tile is 12 bytes, no multiple of 16"),
        (
            {"swizzle": 32, "box": (4, 64)},
            r"the innermost extent of the TMA tile is 128 bytes, more than a swizzle",
        ),
        ({"box": (300, 8)}, r"an extent of the TMA tile is 300"),
        ({"columns": 20}, r"a stride is 40 bytes"),
        ({"rank": 1}, r"uses a tensor map of rank 2 with 1 coordinates"),
        ({"size": 32}, r"32 bytes more have come than a barrier .* expects in phase 0"),
    ],
)
def test_maps_that_cannot_be(change: dict[str, Any], message: str) -> None:
    x = numbers(np.float16, 10, change.get("columns", 24))
    box = change.get("box", (4, 8))
    out, rank = np.zeros(1 << 14, np.float16), change.get("rank", 2)
    module = load(tma_load_kernel(rank, (0, 0)[:rank]))
    tensor_map = map_of(x, box, change.get("swizzle", 0))
    size = change.get("size", 2 * box[0] * box[1])
    with pytest.raises(ExecutionError, match=message):
        run_threads(module, 1, [x, out, size], entry="k", tensor_maps=[tensor_map])


@pytest.mark.every(3)
@pytest.mark.parametrize(("swizzle", "alignment"), [(0, 128), (32, 256), (64, 512), (128, 1024)])
def test_where_tma_tiles_may_be(swizzle: int, alignment: int) -> None:
    x, out = numbers(np.float16, 8, 16), np.zeros((8, 16), np.float16)
    text = tma_load_kernel(2, (0, 0)).replace(
        "scf.if %first {\n  nvvm.mbarrier.arr",
        "%ps = llvm.getelementptr %s[OFFSET] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
        "scf.if %first {\n  nvvm.mbarrier.arr",
    )
    text = text.replace("tile %s,", "tile %ps,").replace(
        "%q = llvm.getelementptr %s[", "%q = llvm.getelementptr %ps["
    )
    arguments = [x, out, out.nbytes]
    tensor_map = map_of(x, (8, 16), swizzle)
    run_threads(
        load(text.replace("OFFSET", str(alignment))),
        1,
        arguments,
        entry="k",
        tensor_maps=[tensor_map],
    )
    module = load(text.replace("OFFSET", str(alignment // 2)))
    with pytest.raises(ExecutionError, match=rf"is not aligned to {alignment} bytes"):
        run_threads(module, 1, arguments, entry="k", tensor_maps=[tensor_map])


def test_barriers_are_no_memory() -> None:
    body = BARRIER + "llvm.store %t, %pb : i32, !llvm.ptr<3>\n"
    parameters = ["%x: i32"]
    with pytest.raises(ExecutionError, match=r"writes shared memory where a barrier is, at byte"):
        run_threads(load(kernel(body + WAIT, parameters, 1)), 1, [1], entry="k")
    ended = "nvvm.mbarrier.inval.shared %pb : !llvm.ptr<3>\nllvm.store %t, %pb"
    body += "scf.if %even { " + WAIT + " }\n"
    run_threads(
        load(kernel(body.replace("llvm.store %t, %pb", ended), parameters, 1)), 1, [1], entry="k"
    )


def test_bytes_that_are_copied() -> None:
    body = BARRIER + """
    %size = arith.constant 256 : i32
    scf.if %first {
      nvvm.mbarrier.arrive.expect_tx.shared %pb, %size : !llvm.ptr<3>, i32
      nvvm.cp.async.bulk.shared.cluster.global %s, %x, %pb, %size
        : !llvm.ptr<3>, !llvm.ptr<1>, !llvm.ptr<3>, i32
    }
    """ + WAIT + """
    scf.if %first {
      nvvm.cp.async.bulk.global.shared.cta %out, %s, %size : !llvm.ptr<1>, !llvm.ptr<3>, i32
      nvvm.cp.async.bulk.commit.group
      nvvm.cp.async.bulk.wait_group 0
    }
    """  # fmt: skip
    x, out = numbers(np.float32, 64), np.zeros(64, np.float32)
    parameters = ["%x: !llvm.ptr<1>", "%out: !llvm.ptr<1>"]
    run_threads(load(kernel(body, parameters, 32)), 1, [x, out], entry="k")
    assert (x == out).all()
    with pytest.raises(ExecutionError, match=r"whose size 0xfa is no multiple of 16"):
        run_threads(
            load(kernel(body.replace("256", "250"), parameters, 32)), 1, [x, out], entry="k"
        )


MAKE_MAP = """
%pm = llvm.getelementptr %s[32768] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%word = llvm.getelementptr %pm[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
%c6 = arith.constant 6 : i32
%c8 = arith.constant 8 : i32
%c10 = arith.constant 10 : i32
%c24 = arith.constant 24 : i32
%step = arith.constant 48 : i64
%address = llvm.ptrtoint %x : !llvm.ptr<1> to i64
llvm.store %c0, %word : i32, !llvm.ptr<3>
nvvm.bar.warp.sync %all : i32
scf.if %first {
"""
ACQUIRE = "nvvm.fence.proxy.acquire %map, %c128 {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr, i32"
FIELDS = (
    *(("global_address", None, "%address"), ("rank", None, "%c1")),
    *(("box_dim", 0, "%c8"), ("box_dim", 1, "%c4")),
    *(("global_dim", 0, "%c24"), ("global_dim", 1, "%c10")),
    *(("element_stride", 0, "%c1"), ("element_stride", 1, "%c1"), ("global_stride", 0, "%step")),
    *(("elemtype", None, "%c6"), ("swizzle_mode", None, "%c0"), ("interleave_layout", None, "%c0")),
    ("fill_mode", None, "FILL"),
)


@pytest.mark.parametrize("fill", [0, 1])
def test_maps_that_kernels_make(fill: int) -> None:
    body = BARRIER + MAKE_MAP
    for name, dimension, value in FIELDS:
        order_ = "" if dimension is None else f", ord = {dimension} : i32"
        ty = "i64" if value in ("%address", "%step") else "i32"
        body += f"nvvm.tensormap.replace %pm, {value.replace('FILL', f'%c{fill}')} "
        body += f"{{field = #nvvm.tensormap_field<{name}>{order_}}} : !llvm.ptr<3>, {ty}\n"
    body += f"""}}
    nvvm.bar.warp.sync %all : i32
    nvvm.tensormap.cp_fenceproxy %slot, %pm {{scope = #nvvm.mem_scope<gpu>}}
      : !llvm.ptr<1>, !llvm.ptr<3>
    %map = llvm.addrspacecast %slot : !llvm.ptr<1> to !llvm.ptr
    {ACQUIRE}
    """
    at = LOAD_TMA_TILE.replace("RANK", "2").replace("AT", "%c16, %c8").replace("TYPES", "i32, i32")
    body += at + WAIT + "%lines_step = arith.constant 512 : i32\n" + COPY_OUT
    parameters = [f"%{name}: !llvm.ptr<1>" for name in ("x", "out", "slot")] + ["%size: i32"]
    x, out = numbers(np.float16, 10, 24), np.zeros((4, 8), np.float16)
    slot = aligned_zeros(128)
    run_threads(load(kernel(body, parameters, 32)), 1, [x, out, slot, 64], entry="k")
    assert (out[:2] == x[8:, 16:]).all()
    assert (np.isnan(out[2:]) if fill else out[2:] == 0).all()
    for missing, message in (
        (
            "llvm.store %c0, %word : i32, !llvm.ptr<3>",
            r"reads shared memory, which was never written",
        ),
        (ACQUIRE, r"uses a tensor map .* without 'nvvm.fence.proxy.acquire' in between"),
    ):
        assert missing in body
        module = load(kernel(body.replace(missing, ""), parameters, 32))
        with pytest.raises(ExecutionError, match=message):
            run_threads(module, 1, [x, out, aligned_zeros(128), 64], entry="k")


# Warps with roles

STAGES = 2
STAGE_BYTES = 16384

ROLES = f"""
%full = llvm.getelementptr %s[{STAGES * STAGE_BYTES}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%empty = llvm.getelementptr %s[{STAGES * STAGE_BYTES + 64}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
%stages = arith.constant {STAGES} : i32
%stage_bytes = arith.constant {STAGE_BYTES} : i32
%groups = arith.constant 2 : i32
%half = arith.constant {STAGE_BYTES // 2} : i32
%first = arith.cmpi eq, %t, %c0 : i32
scf.if %first {{
  scf.for %n = %c0 to %stages step %c1 : i32 {{
    %f = llvm.getelementptr %full[%n] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    %e = llvm.getelementptr %empty[%n] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    nvvm.mbarrier.init.shared %f, %c1 : !llvm.ptr<3>, i32
    nvvm.mbarrier.init.shared %e, %groups : !llvm.ptr<3>, i32
  }}
  nvvm.fence.mbarrier.init
}}
gpu.barrier // after init
%is_consumer = arith.cmpi slt, %i, %consumers : i64
scf.if %is_consumer {{
  nvvm.setmaxregister increase 232
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %sum, %last_stage, %last_phase = scf.for %n = %c0 to %steps step %c1
      iter_args(%c = %zero, %stage = %c0, %phase = %even) -> (vector<32xf32>, i32, i1) : i32 {{
    %f = llvm.getelementptr %full[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    scf.while () : () -> () {{ // wait for full
      %done = nvvm.mbarrier.try_wait.parity.shared %f, %phase, %ticks : !llvm.ptr<3>, i1, i32 -> i1
      %again = arith.xori %done, %odd : i1
      scf.condition(%again)
    }} do {{
      scf.yield
    }}
    %at = arith.muli %stage, %stage_bytes : i32
    %pa = llvm.getelementptr %s[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %at64 = arith.extui %at : i32 to i64
    %c4_64 = arith.constant 4 : i64
    %unit = arith.shrui %at64, %c4_64 : i64
    %a = arith.addi %desc_a, %unit : i64
    %b = arith.addi %desc_b, %unit : i64
    nvvm.wgmma.fence.aligned
    %d = nvvm.wgmma.mma_async %a, %b, %c {{shape = #nvvm.shape<m = 64, n = 64, k = 16>,
      types = ["f32", "f16", "f16"], trans_b, k_steps = 4 : i32, a_step = 2 : i64,
      b_step = 128 : i64}} : i64, i64, vector<32xf32>
    nvvm.wgmma.commit.group.sync.aligned
    %r = nvvm.wgmma.wait.group.sync.aligned 0, %d : vector<32xf32> // before arrival
    %c127 = arith.constant 127 : i32
    %in_group = arith.andi %t, %c127 : i32
    %speaks = arith.cmpi eq, %in_group, %c0 : i32
    scf.if %speaks {{
      %e = llvm.getelementptr %empty[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
      %state = nvvm.mbarrier.arrive.shared %e : !llvm.ptr<3> -> i64
    }}
    %next = arith.addi %stage, %c1 : i32
    %wraps = arith.cmpi eq, %next, %stages : i32
    %new_stage = arith.select %wraps, %c0, %next : i32
    %new_phase = arith.xori %phase, %wraps : i1
    scf.yield %r, %new_stage, %new_phase : vector<32xf32>, i32, i1
  }}
  %id = arith.constant 1 : i32
  %members = arith.constant 256 : i32
  nvvm.barrier id = %id number_of_threads = %members
  %po = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<32xf32>
  llvm.store %sum, %po : vector<32xf32>, !llvm.ptr<1>
}} else {{
  nvvm.setmaxregister decrease 40
  %is_elected = nvvm.elect.sync -> i1
  scf.if %is_elected {{
    %last_stage, %last_phase = scf.for %n = %c0 to %steps step %c1
        iter_args(%stage = %c0, %phase = %odd) -> (i32, i1) : i32 {{
      %f = llvm.getelementptr %full[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
      %e = llvm.getelementptr %empty[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
      scf.while () : () -> () {{ // wait for empty
        %done = nvvm.mbarrier.try_wait.parity.shared %e, %phase, %ticks
          : !llvm.ptr<3>, i1, i32 -> i1
        %again = arith.xori %done, %odd : i1
        scf.condition(%again)
      }} do {{
        scf.yield
      }}
      %at = arith.muli %stage, %stage_bytes : i32
      %pa = llvm.getelementptr %s[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %pb = llvm.getelementptr %pa[%half] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %k = arith.muli %n, %c64 : i32
      nvvm.mbarrier.arrive.expect_tx.shared %f, %stage_bytes : !llvm.ptr<3>, i32
      nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %pa, %map_a, %k, %c0, %f
        : !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>
      nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %pb, %map_b, %c0, %k, %f
        : !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>
      %next = arith.addi %stage, %c1 : i32
      %wraps = arith.cmpi eq, %next, %stages : i32
      %new_stage = arith.select %wraps, %c0, %next : i32
      %new_phase = arith.xori %phase, %wraps : i1
      scf.yield %new_stage, %new_phase : i32, i1
    }}
  }}
}}
"""
"""Two groups of four warps multiply what the first thread of a ninth warp has brought."""

ROLE_PARAMETERS = [
    *("%a_: !llvm.ptr<1>", "%b_: !llvm.ptr<1>", "%out: !llvm.ptr<1>", "%steps: i32"),
    *("%consumers: i64", "%desc_a: i64", "%desc_b: i64", "%map_a: !llvm.ptr", "%map_b: !llvm.ptr"),
]


def run_roles(text: str, steps: int = 5, *, check_races: bool = True) -> tuple[Array, Array]:
    """What the warps compute, and what they should."""
    a, b = numbers(np.float16, 64, 64 * steps), numbers(np.float16, 64 * steps, 64)
    out = np.zeros((256, 32), np.float32)
    bits = (
        descriptor(SHARED_BASE, 128, 16, 1024),
        descriptor(SHARED_BASE + STAGE_BYTES // 2, 128, 8192, 1024),
    )
    maps = [map_of(a, (64, 64), 128), map_of(b, (64, 64), 128, base=1)]
    module = load(kernel(text, ROLE_PARAMETERS, 288))
    arguments = [a, b, out, steps, 256, *bits]
    run_threads(module, 1, arguments, entry="k", tensor_maps=maps, check_races=check_races)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    return np.concatenate((to_matrix(out[:128]), to_matrix(out[128:]))), np.tile(expected, (2, 1))


@pytest.mark.parametrize("check_races", [False, True])
def test_warps_with_roles(check_races: bool) -> None:
    found, expected = run_roles(ROLES, check_races=check_races)
    assert (found == expected).all()


def test_warps_with_roles_in_clusters() -> None:
    """Nine warps a CTA, so that groups of four begin again in the second one."""
    steps = 3
    a, b = numbers(np.float16, 64, 64 * steps), numbers(np.float16, 64 * steps, 64)
    out = np.zeros((2, 256, 32), np.float32)
    bits = (
        descriptor(SHARED_BASE, 128, 16, 1024),
        descriptor(SHARED_BASE + STAGE_BYTES // 2, 128, 8192, 1024),
    )
    maps = [map_of(a, (64, 64), 128), map_of(b, (64, 64), 128, base=1)]
    text = ROLES.replace("%po = llvm.getelementptr %out[%i]", """
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %shift = arith.muli %rank, %members : i32
    %line = arith.addi %shift, %t : i32
    %po = llvm.getelementptr %out[%line]""").replace(
        "%out[%line] : (!llvm.ptr<1>, i64)", "%out[%line] : (!llvm.ptr<1>, i32)"
    )  # fmt: skip
    text = kernel(text, ROLE_PARAMETERS, 288).replace(
        "gpu.known_block_size", "gpu.known_cluster_size = array<i32: 2>, gpu.known_block_size"
    )
    run_threads(load(text), 2, [a, b, out, steps, 256, *bits], entry="k", tensor_maps=maps)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    for part in out.reshape(4, 128, 32):
        assert (to_matrix(part) == expected).all()


def without(text: str, start: str, end: str) -> str:
    """A text without one of its parts."""
    head, found, rest = text.partition(start)
    assert found
    return head + rest.partition(end)[2]


END_OF_WAIT = "scf.yield\n      }\n"


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ROLES.replace("gpu.barrier // after init", ""),
            r"there is no barrier at|uses a barrier in shared memory that thread 0 has set up",
        ),
        (
            without(ROLES, "scf.while () : () -> () { // wait for full", "scf.yield\n    }\n"),
            r"reads shared memory that an asynchronous copy, .* still writes|never written",
        ),
        (
            without(ROLES, "scf.while () : () -> () { // wait for empty", END_OF_WAIT),
            r"thread 256 arrives on a barrier .* that expects 1 arrivals, all of which have come",
        ),
        (
            ROLES.replace(
                "%r = nvvm.wgmma.wait.group.sync.aligned 0, %d",
                "%r = nvvm.wgmma.wait.group.sync.aligned 1, %d",
            ),
            r"race: thread 256 copies to byte 0 .* read by WGMMAs of warps",
        ),
        (
            ROLES.replace("expect_tx.shared %f, %stage_bytes", "expect_tx.shared %f, %half"),
            r"8192 bytes more have come than a barrier in shared memory expects",
        ),
        (
            ROLES.replace("%stage = %c0, %phase = %odd", "%stage = %c0, %phase = %even"),
            r"deadlock: threads 0, 32, .* wait for parity 0 .*; thread 256 waits .* lacks 2 of 2",
        ),
        (
            ROLES.replace("%groups = arith.constant 2", "%groups = arith.constant 3"),
            r"deadlock: .*thread 256 waits for parity 0 .* lacks 1 of 3 arrivals",
        ),
        (
            ROLES.replace("%groups = arith.constant 2", "%groups = arith.constant 1"),
            r"deadlock: .*thread 256 waits for parity 0 .* in phase 2",
        ),
        (
            ROLES.replace("%members = arith.constant 256", "%members = arith.constant 288"),
            r"deadlock: threads 0, 32, .*, 224 wait at barrier 1, where 256 of 288 threads are",
        ),
    ],
)  # fmt: skip
def test_bugs_of_roles(text: str, message: str) -> None:
    assert text != ROLES
    with pytest.raises(ExecutionError, match=message):
        run_roles(text)
