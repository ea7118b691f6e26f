"""Ops of threads, family by family, compared with NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from xdsl.universe import XDSL_UNIVERSE

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.interpreter.threads import run_threads
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

from ..harness.kernels import thread_kernel

Array = npt.NDArray[Any]
Inputs = Sequence[tuple[Array, str]]


def kernel(body: str, parameters: Sequence[str], threads: int = 32) -> str:
    """A kernel in which `%t` is the thread as an i32, `%i` as an i64, and `%s` shared memory."""
    return thread_kernel(body, parameters, threads, shared=8192)


def compute(body: str, output: tuple[Any, str], *inputs: tuple[Array, str]) -> Array:
    """
    What threads compute as `%r` of `%a`, `%b` …, of which each has a row; `output` is an example
    of one row, or its dtype, and its type.
    """
    example, ty = output
    row = example if isinstance(example, np.ndarray) else np.zeros((), example)
    threads = len(inputs[0][0]) if inputs else 32
    result = np.zeros((threads, *row.shape), row.dtype)
    lines: list[str] = []
    names = "abcdefgh"[: len(inputs)]
    for name, (_, given) in zip(names, inputs, strict=True):
        lines.append(f"%p{name} = llvm.getelementptr %x{name}[%i] : (!llvm.ptr<1>, i64) -> ")
        lines.append(f"!llvm.ptr<1>, {given}\n")
        lines.append(
            f"%{name} = llvm.load %p{name} {{alignment = 1 : i64}} : !llvm.ptr<1> -> {given}\n"
        )
    lines.append(body)
    lines.append(
        f"\n%pr = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, {ty}\n"
    )
    lines.append(f"llvm.store %r, %pr {{alignment = 1 : i64}} : {ty}, !llvm.ptr<1>")
    parameters = [*(f"%x{name}: !llvm.ptr<1>" for name in names), "%out: !llvm.ptr<1>"]
    text = kernel("".join(lines), parameters, threads)
    run_threads(load(text), 1, [*(array for array, _ in inputs), result], entry="k")
    return result


RANDOM = np.random.default_rng(7)


def floats(*shape: int, dtype: Any = np.float32) -> Array:
    """Random numbers."""
    return RANDOM.uniform(-4, 4, shape).astype(dtype)


def integers(*shape: int, dtype: Any = np.int32) -> Array:
    """Random integers of all sizes."""
    info = np.iinfo(dtype)
    return RANDOM.integers(info.min, info.max, shape, dtype, endpoint=True)


# Arithmetic


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("addi", np.add),
        ("subi", np.subtract),
        ("muli", np.multiply),
        ("andi", np.bitwise_and),
        ("ori", np.bitwise_or),
        ("xori", np.bitwise_xor),
        ("maxsi", np.maximum),
        ("minsi", np.minimum),
    ],
)
@pytest.mark.parametrize(("dtype", "ty"), [(np.int8, "i8"), (np.int32, "i32"), (np.int64, "i64")])
def test_integers(op: str, expected: Any, dtype: Any, ty: str) -> None:
    a, b = integers(64, dtype=dtype), integers(64, dtype=dtype)
    found = compute(f"%r = arith.{op} %a, %b : {ty}", (dtype, ty), (a, ty), (b, ty))
    assert (found == expected(a, b)).all()


def test_unsigned_and_shifts() -> None:
    a, b = integers(32), np.arange(1, 33, dtype=np.int32)
    i32 = (np.int32, "i32")
    found = compute("%r = arith.divui %a, %b : i32", i32, (a, "i32"), (b, "i32"))
    assert (found.view(np.uint32) == a.view(np.uint32) // b.view(np.uint32)).all()
    found = compute("%r = arith.remsi %a, %b : i32", i32, (a, "i32"), (b, "i32"))
    assert (found == np.fmod(a, b)).all()
    found = compute("%r = arith.shrsi %a, %b : i32", i32, (a, "i32"), (b, "i32"))
    assert (found == np.where(b < 32, a >> np.minimum(b, 31), a >> 31)).all()
    found = compute("%r = arith.cmpi ult, %a, %b : i32", (np.bool_, "i1"), (a, "i32"), (b, "i32"))
    assert (found == (a.view(np.uint32) < b.view(np.uint32))).all()


@pytest.mark.parametrize(
    ("op", "expected"),
    [("addf", np.add), ("subf", np.subtract), ("mulf", np.multiply), ("divf", np.divide)],
)
@pytest.mark.parametrize(
    ("dtype", "ty"),
    [(np.float16, "f16"), (np.float32, "f32"), (np.float64, "f64"), (ml_dtypes.bfloat16, "bf16")],
)
def test_floats_on_vectors(op: str, expected: Any, dtype: Any, ty: str) -> None:
    a, b = floats(32, 4, dtype=dtype), floats(32, 4, dtype=dtype)
    vector = f"vector<4x{ty}>"
    output = (np.zeros(4, dtype), vector)
    found = compute(f"%r = arith.{op} %a, %b : {vector}", output, (a, vector), (b, vector))
    assert (found == expected(a, b)).all()


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("math.sqrt", np.sqrt),
        ("math.exp", np.exp),
        ("math.exp2", np.exp2),
        ("math.log", np.log),
        ("math.sin", np.sin),
        ("math.tanh", np.tanh),
        ("math.floor", np.floor),
        ("math.absf", np.abs),
        ("math.roundeven", np.rint),
        ("llvm.intr.sqrt", np.sqrt),
        ("nvvm.ex2.approx.f", np.exp2),
        ("nvvm.rcp.approx.ftz.f", np.reciprocal),
    ],
)
def test_functions(op: str, expected: Any) -> None:
    a = np.abs(floats(32))
    call = f"{op}(%a) : (f32) -> f32" if op.startswith("llvm") else f"{op} %a : f32"
    found = compute(f"%r = {call}", (np.float32, "f32"), (a, "f32"))
    np.testing.assert_allclose(found, expected(a.astype(np.float64)), rtol=2e-7, atol=1e-7)


def test_fma_of_a_uniform_factor() -> None:
    a, b = floats(32, 2), floats(32, 2)
    vector = "vector<2xf32>"
    body = """
    %c = arith.constant dense<[2.0, 3.0]> : vector<2xf32>
    %r = math.fma %a, %c, %b : vector<2xf32>
    """
    found = compute(body, (np.zeros(2, np.float32), vector), (a, vector), (b, vector))
    assert (found == (a * np.array([2, 3], np.float64) + b).astype(np.float32)).all()


def test_conversions() -> None:
    a = floats(32)
    found = compute("%r = arith.truncf %a : f32 to f16", (np.float16, "f16"), (a, "f32"))
    assert (found == a.astype(np.float16)).all()
    found = compute("%r = arith.fptosi %a : f32 to i32", (np.int32, "i32"), (a, "f32"))
    assert (found == a.astype(np.int32)).all()
    b = integers(32)
    found = compute("%r = arith.uitofp %a : i32 to f32", (np.float32, "f32"), (b, "i32"))
    assert (found == b.view(np.uint32).astype(np.float32)).all()
    found = compute("%r = arith.bitcast %a : f32 to i32", (np.int32, "i32"), (a, "f32"))
    assert (found == a.view(np.int32)).all()
    body = "%r = nvvm.cvt.fptrunc.x2 %a {relu} : vector<2xf32> to vector<2xf8E4M3FN>"
    pairs = floats(32, 2)
    output = (np.zeros(2, ml_dtypes.float8_e4m3fn), "vector<2xf8E4M3FN>")
    found = compute(body, output, (pairs, "vector<2xf32>"))
    assert (found == np.maximum(pairs, 0).astype(ml_dtypes.float8_e4m3fn)).all()


def test_comparisons_of_nan_and_select() -> None:
    a, b = floats(32), floats(32)
    a[::3] = np.nan
    body = """
    %less = arith.cmpf ult, %a, %b : f32
    %r = arith.select %less, %a, %b : f32
    """
    found = compute(body, (np.float32, "f32"), (a, "f32"), (b, "f32"))
    np.testing.assert_array_equal(found, np.where(np.isnan(a) | (a < b), a, b))


def test_bits() -> None:
    a = integers(32)
    i32 = (np.int32, "i32")
    found = compute("%r = math.ctpop %a : i32", i32, (a, "i32"))
    assert (found == [bin(n).count("1") for n in a.view(np.uint32)]).all()
    found = compute("%r = math.ctlz %a : i32", i32, (a, "i32"))
    assert (found == [32 - int(n).bit_length() for n in a.view(np.uint32)]).all()
    body = "%c = arith.constant 0x3201 : i32\n%r = nvvm.prmt %a, %a, %c : i32"
    found = compute(body, i32, (a, "i32"))
    rows = a.view(np.uint8).reshape(32, 4)[:, [1, 0, 2, 3]]
    assert (found.view(np.uint8).reshape(32, 4) == rows).all()


# Vectors


def test_parts_of_vectors() -> None:
    a = floats(32, 4)
    body = """
    %e0, %e1, %e2, %e3 = vector.to_elements %a : vector<4xf32>
    %back = vector.from_elements %e3, %e2, %e1, %e0 : vector<4xf32>
    %low = vector.extract_strided_slice %back {offsets = [0], sizes = [2], strides = [1]}
      : vector<4xf32> to vector<2xf32>
    %both = vector.shuffle %low, %low [1, 0, 3, 2] : vector<2xf32>, vector<2xf32>
    %v = vector.insert_strided_slice %low, %both {offsets = [1], strides = [1]}
      : vector<2xf32> into vector<4xf32>
    %r = vector.insert %e0, %v[3] : f32 into vector<4xf32>
    """
    found = compute(body, (np.zeros(4, np.float32), "vector<4xf32>"), (a, "vector<4xf32>"))
    expected = np.stack([a[:, 2], a[:, 3], a[:, 2], a[:, 0]], axis=1)
    assert (found == expected).all()


def test_a_position_of_each_thread() -> None:
    a = floats(32, 4)
    body = """
    %c4 = arith.constant 4 : index
    %at = arith.remui %thread, %c4 : index
    %x = vector.extract %a[%at] : f32 from vector<4xf32>
    %zero = arith.constant 0.0 : f32
    %v = vector.insert %zero, %a[%at] : f32 into vector<4xf32>
    %sum = vector.reduction <add>, %v : vector<4xf32> into f32
    %r = arith.subf %sum, %x : f32
    """
    found = compute(body, (np.float32, "f32"), (a, "vector<4xf32>"))
    threads = np.arange(32)
    mine = a[threads, threads % 4]
    np.testing.assert_allclose(found, a.sum(axis=1) - 2 * mine, atol=1e-5)


def test_bitcasts_of_vectors_and_bits() -> None:
    a = integers(32, 4, dtype=np.int8)
    body = """
    %v = vector.bitcast %a : vector<4xi8> to vector<1xi32>
    %r = vector.extract %v[0] : i32 from vector<1xi32>
    """
    found = compute(body, (np.int32, "i32"), (a, "vector<4xi8>"))
    assert (found == a.view(np.int32)[:, 0]).all()
    b = integers(32)
    body = """
    %bits = llvm.bitcast %a : i32 to vector<32xi1>
    %true = arith.constant dense<true> : vector<32xi1>
    %not = arith.xori %bits, %true : vector<32xi1>
    %r = llvm.bitcast %not : vector<32xi1> to i32
    """
    assert (compute(body, (np.int32, "i32"), (b, "i32")) == ~b).all()


@pytest.mark.parametrize(
    ("ty", "count"),
    [("i1", 64), ("i4", 16), ("f4E2M1FN", 16), ("f8E4M3FN", 8), ("f8E8M0FNU", 8), ("bf16", 4)],
)
def test_narrow_elements_through_branches(ty: str, count: int) -> None:
    a = integers(32, 8, dtype=np.int8)
    vector = f"vector<{count}x{ty}>"
    back = ", ".join(str(count - 1 - at) for at in range(count))
    body = f"""
    %half = arith.constant 16 : i32
    %low = arith.cmpi slt, %t, %half : i32
    %v = vector.bitcast %a : vector<8xi8> to {vector}
    %w = vector.shuffle %v, %v [{back}] : {vector}, {vector}
    %x = arith.select %low, %v, %w : {vector}
    %y = scf.if %low -> ({vector}) {{
      scf.yield %x : {vector}
    }} else {{
      %z = vector.shuffle %x, %x [{back}] : {vector}, {vector}
      scf.yield %z : {vector}
    }}
    %r = vector.bitcast %y : {vector} to vector<8xi8>
    """
    found = compute(body, (np.zeros(8, np.int8), "vector<8xi8>"), (a, "vector<8xi8>"))
    assert (found == a).all()


# Lanes


@pytest.mark.parametrize(
    ("kind", "offset", "clamp", "source"),
    [
        ("bfly", 5, 31, [lane ^ 5 for lane in range(32)]),
        ("up", 3, 0, [max(lane - 3, lane if lane < 3 else 0) for lane in range(32)]),
        ("down", 3, 31, [lane + 3 if lane < 29 else lane for lane in range(32)]),
        ("idx", 7, 31, [7] * 32),
        ("bfly", 1, 0x1C03, [lane ^ 1 for lane in range(32)]),
        ("idx", 1, 0x1C03, [lane // 4 * 4 + 1 for lane in range(32)]),
    ],
)
def test_shuffles(kind: str, offset: int, clamp: int, source: list[int]) -> None:
    a = floats(64, 2)
    body = f"""
    %all = arith.constant -1 : i32
    %offset = arith.constant {offset} : i32
    %clamp = arith.constant {clamp} : i32
    %r = nvvm.shfl.sync {kind} %all, %a, %offset, %clamp : vector<2xf32> -> vector<2xf32>
    """
    found = compute(body, (np.zeros(2, np.float32), "vector<2xf32>"), (a, "vector<2xf32>"))
    expected = a.reshape(2, 32, 2)[:, source].reshape(64, 2)
    assert (found == expected).all()


def test_votes_and_reductions() -> None:
    a = integers(64) >> 8
    prefix = """
    %all = arith.constant -1 : i32
    %zero = arith.constant 0 : i32
    %p = arith.cmpi slt, %a, %zero : i32
    """
    i32 = (np.int32, "i32")
    found = compute(prefix + "%r = nvvm.vote.sync ballot %all, %p -> i32", i32, (a, "i32"))
    bits = np.packbits(a < 0, bitorder="little").view(np.int32)
    assert (found == np.repeat(bits, 32)).all()
    found = compute(prefix + "%r = nvvm.redux.sync max %a, %all : i32 -> i32", i32, (a, "i32"))
    assert (found == np.repeat(a.reshape(2, 32).max(axis=1), 32)).all()
    body = '%r = "gpu.subgroup_reduce"(%a) {op = #gpu<all_reduce_op add>} : (i32) -> i32'
    found = compute(body, i32, (a, "i32"))
    assert (found == np.repeat(a.reshape(2, 32).sum(axis=1), 32)).all()
    body = '%r = "gpu.all_reduce"(%a) ({}) {op = #gpu<all_reduce_op minsi>} : (i32) -> i32'
    assert (compute(body, i32, (a, "i32")) == a.min()).all()
    found = compute("%e = nvvm.elect.sync -> i1\n%r = arith.extui %e : i1 to i32", i32, (a, "i32"))
    assert (found == (np.arange(64) % 32 == 0)).all()


# Products


MMA = [
    ((16, 8, 16), "f16", np.float16, "f16", "f32"),
    ((16, 8, 8), "bf16", ml_dtypes.bfloat16, "bf16", "f32"),
    ((16, 8, 16), "f16", np.float16, "f16", "f16"),
    ((16, 8, 32), "f8E4M3FN", ml_dtypes.float8_e4m3fn, "e4m3", "f32"),
    ((16, 8, 8), "f32", np.float32, "tf32", "f32"),
    ((8, 8, 4), "f64", np.float64, "f64", "f64"),
    ((16, 8, 32), "i8", np.int8, "s8", "s32"),
    ((16, 8, 16), "i8", np.uint8, "u8", "s32"),
]
RESULTS = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "s32": np.int32}


def fragments(matrix: Array, what: str, width: int) -> Array:
    """What each lane holds of a matrix, written down from the tables of the PTX manual."""
    per_register = max(32 // width, 1)
    rows, columns = matrix.shape
    count = rows * columns // 32
    held = np.zeros((32, count), matrix.dtype)
    for lane in range(32):
        group, member = divmod(lane, 4)
        for i in range(count):
            register, j = divmod(i, per_register)
            if what == "B":
                at = (member * per_register + j + register * 4 * per_register, group)
            elif what == "C":
                at = (group + (8 if i >= 2 else 0), member * 2 + (i & 1))
            elif rows == 8:
                at = (group, member)
            else:
                column = member * per_register + j + (4 * per_register if register >= 2 else 0)
                at = (group + (8 if register in (1, 3) else 0), column)
            held[lane, i] = matrix[at]
    return held


@pytest.mark.parametrize(("shape", "ty", "dtype", "word", "acc"), MMA)
def test_mma_sync(shape: tuple[int, int, int], ty: str, dtype: Any, word: str, acc: str) -> None:
    m, n, k = shape
    if np.dtype(dtype).kind in "iu":
        a, b = integers(m, k, dtype=dtype), integers(k, n, dtype=dtype)
    else:
        a, b = (RANDOM.integers(-4, 5, size).astype(dtype) for size in ((m, k), (k, n)))
    c = RANDOM.integers(-9, 9, (m, n)).astype(RESULTS[acc])
    width = np.dtype(dtype).itemsize * 8
    parts = fragments(a, "A", width), fragments(b, "B", width), fragments(c, "C", 32)
    acc_type = {"s32": "i32"}.get(acc, acc)
    types = [f"vector<{p.shape[1]}x{t}>" for p, t in zip(parts, (ty, ty, acc_type), strict=True)]
    body = f"""
    %r = nvgpu.mma.sync(%a, %b, %c)
      {{mmaShape = [{m}, {n}, {k}], types = ["{acc}", "{word}", "{word}"]}}
      : ({", ".join(types)}) -> {types[2]}
    """
    found = compute(body, (parts[2][0], types[2]), *zip(parts, types, strict=True))
    expected = a.astype(np.float64) @ b.astype(np.float64) + c.astype(np.float64)
    assert (found == fragments(expected, "C", 32)).all()


@pytest.mark.parametrize("transpose", [False, True])
def test_matrices_through_shared_memory(transpose: bool) -> None:
    """`stmatrix` and `ldmatrix` of four matrices are inverse, and transpose."""
    a = integers(32, 4)
    flag = "true" if transpose else "false"
    body = f"""
    %c16 = arith.constant 16 : i64
    %at = arith.muli %i, %c16 : i64
    %p = llvm.getelementptr %s[%at] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
    %at_p = vector.from_elements %p : vector<1x!llvm.ptr<3>>
    nvvm.fragment.stmatrix %a, %at_p {{num = 4 : i64}} : vector<4xi32>, vector<1x!llvm.ptr<3>>
    gpu.barrier
    %r = nvgpu.ldmatrix %p {{num = 4 : i32, transpose = {flag}}} : !llvm.ptr<3> -> vector<4xi32>
    """
    found = compute(body, (np.zeros(4, np.int32), "vector<4xi32>"), (a, "vector<4xi32>"))
    halves = a.view(np.int16).reshape(32, 4, 2).swapaxes(0, 1).reshape(4, 8, 8)
    if transpose:
        halves = halves.swapaxes(1, 2)
    expected = np.ascontiguousarray(halves.reshape(4, 32, 2).swapaxes(0, 1))
    assert (found == expected.reshape(32, 8).view(np.int32)).all()


# Memory


def test_fragments_with_masks() -> None:
    x, out = np.arange(256, dtype=np.float32), np.full(256, -1, np.float32)
    body = """
    %offsets = arith.constant dense<[0, 128]> : vector<2xi64>
    %c4 = arith.constant 4 : i64
    %first = arith.muli %i, %c4 : i64
    %firsts = vector.broadcast %first : i64 to vector<2xi64>
    %at = arith.addi %firsts, %offsets : vector<2xi64>
    %from = llvm.getelementptr %x[%at]
      : (!llvm.ptr<1>, vector<2xi64>) -> vector<2x!llvm.ptr<1>>, f32
    %to = llvm.getelementptr %out[%at]
      : (!llvm.ptr<1>, vector<2xi64>) -> vector<2x!llvm.ptr<1>>, f32
    %limit = arith.constant dense<100> : vector<2xi64>
    %in = arith.cmpi slt, %at, %limit : vector<2xi64>
    %other = arith.constant dense<7.0> : vector<8xf32>
    %v = nvvm.fragment.load %from mask(%in : vector<2xi1>) other(%other : vector<8xf32>)
      : vector<2x!llvm.ptr<1>> -> vector<8xf32>
    %most = arith.constant dense<120> : vector<2xi64>
    %writes = arith.cmpi slt, %at, %most : vector<2xi64>
    nvvm.fragment.store %v, %to mask(%writes : vector<2xi1>) : vector<8xf32>, vector<2x!llvm.ptr<1>>
    """
    text = kernel(body, ["%x: !llvm.ptr<1>", "%out: !llvm.ptr<1>"])
    # What the mask leaves out need not exist.
    run_threads(load(text), 1, [x[:100].copy(), out], entry="k")
    assert (out[:100] == x[:100]).all()
    assert (out[100:120] == 7).all()
    assert (out[120:] == -1).all()


def test_atomics() -> None:
    counts = np.zeros(4, np.int32)
    body = """
    %c3 = arith.constant 3 : i64
    %at = arith.andi %i, %c3 : i64
    %p = llvm.getelementptr %counts[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %old = llvm.atomicrmw add %p, %t syncscope("device") monotonic : !llvm.ptr<1>, i32
    """
    run_threads(load(kernel(body, ["%counts: !llvm.ptr<1>"], 64)), 2, [counts], entry="k")
    assert (counts == [2 * sum(range(at, 64, 4)) for at in range(4)]).all()


def test_compare_and_exchange_finds_one_winner() -> None:
    lock, wins = np.zeros(1, np.int32), np.zeros(32, np.int32)
    body = """
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r = llvm.cmpxchg %lock, %zero, %one acq_rel monotonic : !llvm.ptr<1>, i32
    %won = llvm.extractvalue %r[1] : !llvm.struct<(i32, i1)>
    %n = arith.extui %won : i1 to i32
    %p = llvm.getelementptr %wins[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %n, %p : i32, !llvm.ptr<1>
    """
    run_threads(
        load(kernel(body, ["%lock: !llvm.ptr<1>", "%wins: !llvm.ptr<1>"])),
        1,
        [lock, wins],
        entry="k",
    )
    assert lock[0] == 1
    assert wins.sum() == 1


def test_variables_of_threads() -> None:
    body = """
    %n = arith.constant 4 : i32
    %v = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
    llvm.store %t, %v : i32, !llvm.ptr
    %x = llvm.load %v : !llvm.ptr -> i32
    %r = arith.addi %x, %t : i32
    """
    assert (compute(body, (np.int32, "i32")) == 2 * np.arange(32)).all()


def test_shared_memory_through_generic_pointers() -> None:
    body = """
    %g = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr
    %p = llvm.getelementptr %g[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    llvm.store %t, %p : i32, !llvm.ptr
    gpu.barrier
    %c31 = arith.constant 31 : i64
    %back = arith.subi %c31, %i : i64
    %q = llvm.getelementptr %s[%back] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
    %r = llvm.load %q : !llvm.ptr<3> -> i32
    """
    assert (compute(body, (np.int32, "i32")) == 31 - np.arange(32)).all()


# Control flow


def test_threads_leave_a_while_one_by_one() -> None:
    body = """
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %left, %r = scf.while (%n = %t, %turns = %zero) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi sgt, %n, %zero : i32
      scf.condition(%more) %n, %turns : i32, i32
    } do {
    ^body(%n: i32, %turns: i32):
      %half = arith.shrsi %n, %one : i32
      %next = arith.addi %turns, %one : i32
      scf.yield %half, %next : i32, i32
    }
    """
    found = compute(body, (np.int32, "i32"))
    assert (found == [n.bit_length() for n in range(32)]).all()


def test_branches_and_loops_with_bounds_of_threads() -> None:
    body = """
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %ten = arith.constant 10 : i32
    %small = arith.cmpi slt, %t, %ten : i32
    %r = scf.if %small -> (i32) {
      %sum = scf.for %j = %zero to %t step %one iter_args(%x = %zero) -> (i32) : i32 {
        %y = arith.addi %x, %j : i32
        scf.yield %y : i32
      }
      scf.yield %sum : i32
    } else {
      %n = arith.subi %zero, %t : i32
      scf.yield %n : i32
    }
    """
    found = compute(body, (np.int32, "i32"))
    assert (found == [sum(range(t)) if t < 10 else -t for t in range(32)]).all()


def test_blocks_with_branches() -> None:
    """Threads that leave a loop early keep what they had, and meet the others behind it."""
    text = """
    "gpu.module"() <{sym_name = "kernels"}> ({
      llvm.func @k(%out: !llvm.ptr<1>)
          attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
        %t = nvvm.read.ptx.sreg.tid.x : i32
        %zero = llvm.mlir.constant(0 : i32) : i32
        %one = llvm.mlir.constant(1 : i32) : i32
        llvm.br ^loop(%zero : i32)
      ^loop(%n: i32):
        %square = llvm.mul %n, %n : i32
        %next = llvm.add %n, %one : i32
        %more = llvm.icmp "slt" %n, %t : i32
        llvm.cond_br %more, ^loop(%next : i32), ^end
      ^end:
        nvvm.barrier0
        %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        llvm.store %square, %p : i32, !llvm.ptr<1>
        llvm.return
      }
    }) : () -> ()
    """
    out = np.zeros(32, np.int32)
    run(load(text), grid=1, args=[out])
    assert (out == np.arange(32) ** 2).all()


SWITCH = """
"gpu.module"() <{sym_name = "kernels"}> ({
  llvm.func @k(%out: !llvm.ptr<1>)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %kind = llvm.and %t, %three : i32
    "llvm.switch"(%kind, %t, %three, %kind)[^end, ^one, ^end] <{
      case_values = dense<[1, 2]> : vector<2xi32>, case_operand_segments = array<i32: 1, 1>,
      operandSegmentSizes = array<i32: 1, 1, 2>}> : (i32, i32, i32, i32) -> ()
  ^one(%x: i32):
    %y = llvm.mul %x, %t : i32
    llvm.br ^end(%y : i32)
  ^end(%r: i32):
    %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %r, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}) : () -> ()
"""


def test_switches() -> None:
    out = np.zeros(32, np.int32)
    run(load(SWITCH), grid=1, args=[out])
    threads = np.arange(32)
    expected = np.where(threads % 4 == 1, 3 * threads, np.where(threads % 4 == 2, 2, threads))
    assert (out == expected).all()
    body = """
    %c3 = arith.constant 3 : index
    %kind = arith.remui %thread, %c3 : index
    %c10 = arith.constant 10 : i32
    %r = scf.index_switch %kind -> i32
    case 0 {
      scf.yield %c10 : i32
    }
    case 2 {
      %x = arith.muli %t, %c10 : i32
      scf.yield %x : i32
    }
    default {
      scf.yield %t : i32
    }
    """
    found = compute(body, (np.int32, "i32"))
    expected = np.where(threads % 3 == 0, 10, np.where(threads % 3 == 2, 10 * threads, threads))
    assert (found == expected).all()


def test_reductions_of_vectors_and_structs() -> None:
    a = integers(32, 4)
    body = """
    %max = vector.reduction <maxsi>, %a : vector<4xi32> into i32
    %sum = llvm.intr.vector.reduce.add(%a) : (vector<4xi32>) -> i32
    %u = llvm.mlir.undef : !llvm.struct<(i32, struct<(i32, i1)>)>
    %v = llvm.insertvalue %max, %u[0] : !llvm.struct<(i32, struct<(i32, i1)>)>
    %w = llvm.insertvalue %sum, %v[1, 0] : !llvm.struct<(i32, struct<(i32, i1)>)>
    %x = llvm.extractvalue %w[0] : !llvm.struct<(i32, struct<(i32, i1)>)>
    %y = llvm.extractvalue %w[1, 0] : !llvm.struct<(i32, struct<(i32, i1)>)>
    %r = arith.xori %x, %y : i32
    """
    found = compute(body, (np.int32, "i32"), (a, "vector<4xi32>"))
    assert (found == a.max(axis=1) ^ a.sum(axis=1, dtype=np.int32)).all()


def test_memrefs_of_threads() -> None:
    body = """
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %m = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4x8xi32, 5>
    memref.store %t, %m[%c2, %c2] : memref<4x8xi32, 5>
    %v = memref.subview %m[2, 1] [1, 4] [1, 1]
      : memref<4x8xi32, 5> to memref<1x4xi32, strided<[8, 1], offset: 17>, 5>
    %w = vector.load %v[%c0, %c0]
      : memref<1x4xi32, strided<[8, 1], offset: 17>, 5>, vector<4xi32>
    %r = vector.extract %w[1] : i32 from vector<4xi32>
    """
    assert (compute(body, (np.int32, "i32")) == np.arange(32)).all()


# What cannot be run


def test_unknown_ops_are_named() -> None:
    body = "nvgpu.tma.rebind.descriptor %q, %i dims[%t] strides[] : !llvm.ptr, i64\n"
    cast = "%q = llvm.addrspacecast %s : !llvm.ptr<3> to !llvm.ptr\n"
    with pytest.raises(ExecutionError, match=r"'nvgpu.tma.rebind.descriptor' cannot be run on the"):
        compute(cast + body + "%r = arith.addi %t, %t : i32", (np.int32, "i32"))


MISSING = (
    *("vector.transfer_", "llvm.func", "llvm.mlir.global", "llvm.call_intrinsic"),
    *("llvm.intr.masked.store", "nvgpu.tma.create.", "nvgpu.tma.rebind.", "nvgpu.mma.sp.sync"),
)
"""Beginnings of the names of ops that cannot be run."""


@pytest.mark.parametrize("dialect", ["arith", "math", "vector", "llvm", "nvvm", "nvgpu"])
def test_all_other_ops_can_be_run(dialect: str) -> None:
    universe = XDSL_UNIVERSE.all_dialects | TILEIRAS_UNIVERSE.all_dialects
    unknown = [op.name for op in universe[dialect]().operations if op.name not in THREADS]
    assert [name for name in unknown if not name.startswith(MISSING)] == []


def test_threads_must_be_known() -> None:
    text = kernel("", ["%x: i32"]).replace(", gpu.known_block_size = array<i32: 32, 1, 1>", "")
    with pytest.raises(ExecutionError, match=r"does not say how many threads"):
        run_threads(load(text), 1, [1], entry="k")
    run_threads(load(text), 1, [1], entry="k", threads=(8, 4))


def tile_fragments(matrix: Array, what: str, shape: tuple[int, int], width: int) -> Array:
    """What each lane holds of a matrix of many tiles: one fragment after the other."""
    rows, columns = shape
    tiles = [
        [matrix[i : i + rows, j : j + columns] for j in range(0, matrix.shape[1], columns)]
        for i in range(0, matrix.shape[0], rows)
    ]
    if what == "B":
        tiles = [list(row) for row in zip(*tiles, strict=True)]
    held = [fragments(tile, what, width) for row in tiles for tile in row]
    return np.concatenate(held, axis=1)


@pytest.mark.parametrize(("ty", "dtype"), [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_matmuls_of_whole_fragments(ty: str, dtype: Any) -> None:
    m, n, k = 32, 16, 48
    a, b = (RANDOM.integers(-4, 5, size).astype(dtype) for size in ((m, k), (k, n)))
    c = RANDOM.integers(-9, 9, (m, n)).astype(np.float32)
    parts = (
        tile_fragments(a, "A", (16, 16), 16),
        tile_fragments(b, "B", (16, 8), 16),
        tile_fragments(c, "C", (16, 8), 32),
    )
    types = [
        f"vector<{part.shape[1]}x{name}>" for part, name in zip(parts, (ty, ty, "f32"), strict=True)
    ]
    body = f"""
    %r = nvvm.fragment.mma %a, %b, %c {{shape = #nvvm.shape<m = 16, n = 8, k = 16>,
      tiles = array<i64: 1, 2, 2, 3>, type_a = #nvvm.mma_type<{ty}>,
      type_b = #nvvm.mma_type<{ty}>}} : {", ".join(types)}
    """
    found = compute(body, (parts[2][0], types[2]), *zip(parts, types, strict=True))
    expected = a.astype(np.float32) @ b.astype(np.float32) + c
    assert (found == tile_fragments(expected, "C", (16, 8), 32)).all()
