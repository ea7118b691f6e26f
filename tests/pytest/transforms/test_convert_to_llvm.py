"""
What `convert-to-llvm` makes of ops computes what they mean: scalars and vectors are translated
to LLVM IR, run on this machine, and compared with NumPy and Python.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.transforms.nvvm.convert_to_llvm.conversion_pass import ConvertToLlvmPass

from ..harness.modules import context, parse
from .host_llvm import HostModule, convert

Array = np.ndarray[Any, Any]
Meaning = Callable[[Any, Any, int], Any]
"""What two values of a width become."""
LANES = 8

INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64}
FLOATS = {"f32": np.float32, "f64": np.float64}
DTYPES = INTEGERS | FLOATS


def get_width(ty: str) -> int:
    return 64 if ty == "index" else int(ty[1:])


def unsigned(value: int, width: int) -> int:
    return value % (1 << width)


def signed(value: int, width: int) -> int:
    value %= 1 << width
    return value - (1 << width) if value >> (width - 1) else value


@dataclass(frozen=True)
class Case:
    """
    An op on two values of a type. `text` has `{r}`, `{a}`, `{b}` for values and `{t}` for their
    type; `meaning` takes both values and the width, and is `None` where nothing is promised.
    """

    name: str
    text: str
    meaning: Meaning
    result: str | None = None
    """The type of the result, if it is another; `i1` is shown as `i8`."""


def truncated(a: int, b: int) -> int:
    """A quotient that is rounded to zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def signed_division(divide: Callable[[int, int], int]) -> Callable[[int, int, int], int | None]:
    """Division by zero, and the quotient that does not fit, mean nothing."""

    def meaning(a: int, b: int, width: int) -> int | None:
        return None if b == 0 or (b == -1 and a == -(1 << (width - 1))) else divide(a, b)

    return meaning


def unsigned_division(divide: Callable[[int, int], int]) -> Callable[[int, int, int], int | None]:
    def meaning(a: int, b: int, width: int) -> int | None:
        return None if b == 0 else divide(unsigned(a, width), unsigned(b, width))

    return meaning


def shift(move: Callable[[int, int, int], int]) -> Callable[[int, int, int], int | None]:
    def meaning(a: int, b: int, width: int) -> int | None:
        return move(a, b, width) if 0 <= b < width else None

    return meaning


def on_unsigned(compute: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    return lambda a, b, width: compute(unsigned(a, width), unsigned(b, width))


def binary(name: str, meaning: Meaning) -> Case:
    return Case(name, f"{{r}} = {name} {{a}}, {{b}} : {{t}}", meaning)


def unary(name: str, meaning: Callable[[Any, int], Any]) -> Case:
    return Case(name, f"{{r}} = {name} {{a}} : {{t}}", lambda a, b, width: meaning(a, width))


def comparison(predicate: str, meaning: Meaning) -> Case:
    text = f"{{r}} = arith.cmpi {predicate}, {{a}}, {{b}} : {{t}}"
    return Case(f"cmpi.{predicate}", text, meaning, "i1")


def float_comparison(predicate: str) -> Case:
    def meaning(a: float, b: float, width: int) -> bool:
        if math.isnan(a) or math.isnan(b):
            return predicate[0] == "u"
        order = {"eq": a == b, "gt": a > b, "ge": a >= b, "lt": a < b, "le": a <= b, "ne": a != b}
        return order[predicate[1:]]

    text = f"{{r}} = arith.cmpf {predicate}, {{a}}, {{b}} : {{t}}"
    return Case(f"cmpf.{predicate}", text, meaning, "i1")


def high(a: int, b: int, width: int) -> int:
    return (a * b) >> width


def leading_zeros(a: int, width: int) -> int:
    return width - unsigned(a, width).bit_length()


def trailing_zeros(a: int, width: int) -> int:
    return next((bit for bit in range(width) if a >> bit & 1), width)


INTEGER_CASES = (
    binary("arith.addi", lambda a, b, width: a + b),
    binary("arith.subi", lambda a, b, width: a - b),
    binary("arith.muli", lambda a, b, width: a * b),
    binary("arith.andi", lambda a, b, width: a & b),
    binary("arith.ori", lambda a, b, width: a | b),
    binary("arith.xori", lambda a, b, width: a ^ b),
    binary("arith.divsi", signed_division(truncated)),
    binary("arith.remsi", signed_division(lambda a, b: a - b * truncated(a, b))),
    binary("arith.floordivsi", signed_division(lambda a, b: a // b)),
    binary("arith.ceildivsi", signed_division(lambda a, b: -(-a // b))),
    binary("arith.divui", unsigned_division(lambda a, b: a // b)),
    binary("arith.remui", unsigned_division(lambda a, b: a % b)),
    binary("arith.ceildivui", unsigned_division(lambda a, b: -(-a // b))),
    binary("arith.shli", shift(lambda a, b, width: a << b)),
    binary("arith.shrsi", shift(lambda a, b, width: a >> b)),
    binary("arith.shrui", shift(lambda a, b, width: unsigned(a, width) >> b)),
    binary("arith.minsi", lambda a, b, width: min(a, b)),
    binary("arith.maxsi", lambda a, b, width: max(a, b)),
    binary("arith.minui", on_unsigned(min)),
    binary("arith.maxui", on_unsigned(max)),
    comparison("eq", lambda a, b, width: a == b),
    comparison("ne", lambda a, b, width: a != b),
    comparison("slt", lambda a, b, width: a < b),
    comparison("sle", lambda a, b, width: a <= b),
    comparison("sgt", lambda a, b, width: a > b),
    comparison("sge", lambda a, b, width: a >= b),
    comparison("ult", on_unsigned(lambda a, b: a < b)),
    comparison("ule", on_unsigned(lambda a, b: a <= b)),
    comparison("ugt", on_unsigned(lambda a, b: a > b)),
    comparison("uge", on_unsigned(lambda a, b: a >= b)),
    unary("math.absi", lambda a, width: abs(a)),
    unary("math.ctlz", leading_zeros),
    unary("math.cttz", trailing_zeros),
    unary("math.ctpop", lambda a, width: unsigned(a, width).bit_count()),
)

EXTENDED_CASES = (
    Case(
        "mulsi_extended.low",
        "{r}, {r}_x = arith.mulsi_extended {a}, {b} : {t}",
        lambda a, b, width: a * b,
    ),
    Case("mulsi_extended.high", "{r}_x, {r} = arith.mulsi_extended {a}, {b} : {t}", high),
    Case(
        "mului_extended.high",
        "{r}_x, {r} = arith.mului_extended {a}, {b} : {t}",
        lambda a, b, width: high(unsigned(a, width), unsigned(b, width), width),
    ),
    Case(
        "addui_extended",
        "{r}_x, {r} = arith.addui_extended {a}, {b} : {t}, {i1}",
        lambda a, b, width: unsigned(a, width) + unsigned(b, width) >= 1 << width,
        "i1",
    ),
)
"""These are not defined for `index` in xDSL, or would need 128 bits on this machine."""

Number = np.float32 | np.float64


def number_or(choose: Callable[[Any, Any], Any]) -> Meaning:
    """The other value if one is NaN."""

    def meaning(a: Number, b: Number, width: int) -> float:
        return float(b) if np.isnan(a) else float(a) if np.isnan(b) else choose(a, b)

    return meaning


def nan_or(choose: Callable[[Any, Any], Any]) -> Meaning:
    """NaN if a value is; zeros are ordered by their signs."""

    def meaning(a: Number, b: Number, width: int) -> float:
        if np.isnan(a) or np.isnan(b):
            return math.nan
        if a == b == 0:
            signs = (math.copysign(1, a), math.copysign(1, b))
            return math.copysign(0.0, choose(*signs))
        return choose(a, b)

    return meaning


def to_integer(a: float, b: float, width: int) -> int | None:
    fits = math.isfinite(a) and -(2**31) < a < 2**31
    return int(a) if fits else None


FLOAT_CASES = (
    binary("arith.addf", lambda a, b, width: a + b),
    binary("arith.subf", lambda a, b, width: a - b),
    binary("arith.mulf", lambda a, b, width: a * b),
    binary("arith.divf", lambda a, b, width: a / b),
    binary("arith.maximumf", nan_or(max)),
    binary("arith.minimumf", nan_or(min)),
    binary("arith.maxnumf", number_or(max)),
    binary("arith.minnumf", number_or(min)),
    binary("math.copysign", lambda a, b, width: np.copysign(a, b)),
    unary("arith.negf", lambda a, width: -a),
    unary("math.absf", lambda a, width: abs(a)),
    unary("math.ceil", lambda a, width: np.ceil(a)),
    unary("math.floor", lambda a, width: np.floor(a)),
    unary("math.trunc", lambda a, width: np.trunc(a)),
    unary("math.roundeven", lambda a, width: np.rint(a)),
    unary("math.sqrt", lambda a, width: np.sqrt(a)),
    *map(float_comparison, ("oeq", "ogt", "oge", "olt", "ole", "one")),
    *map(float_comparison, ("ueq", "ugt", "uge", "ult", "ule", "une")),
    Case("fptosi", "{r} = arith.fptosi {a} : {t} to {u}", to_integer, "i32"),
)

EDGES = {
    **{
        ty: [0, 1, -1, 2, 7, -(1 << (get_width(ty) - 1)), (1 << (get_width(ty) - 1)) - 1]
        for ty in INTEGERS
    },
    **{ty: [0.0, -0.0, 1.0, -1.5, 2.5, math.inf, -math.inf, math.nan, 1e-40] for ty in FLOATS},
}


def get_inputs(ty: str, count: int, seed: int) -> tuple[Array, Array]:
    """All pairs of edge cases, and random ones; small numbers are frequent."""
    generator = random.Random(seed)
    values = EDGES[ty]
    pairs: list[tuple[float, float]] = [(a, b) for a in values for b in values]
    while len(pairs) < count or len(pairs) % LANES:
        if ty in FLOATS:
            pair = [generator.uniform(-1, 1) * 10 ** generator.randint(-5, 12) for _ in "ab"]
        else:
            pair = [
                signed(generator.getrandbits(generator.randint(1, get_width(ty))), 64) for _ in "ab"
            ]
            pair = [signed(int(value), get_width(ty)) for value in pair]
        pairs.append((pair[0], pair[1]))
    first, second = zip(*pairs, strict=True)
    return np.array(first, DTYPES[ty]), np.array(second, DTYPES[ty])


def with_lanes(ty: str, is_vector: bool) -> str:
    return f"vector<{LANES}x{ty}>" if is_vector else ty


def write_function(case: Case, ty: str, is_vector: bool) -> str:
    """A function that computes a number, or a vector of them, of others in memory."""
    shown = {"i1": "i8"}.get(case.result or ty, case.result or ty)
    t, u = with_lanes(ty, is_vector), with_lanes(case.result or ty, is_vector)
    in_memory = with_lanes(shown, is_vector)
    op = case.text.format(r="%r", a="%a", b="%b", t=t, u=u, i1=with_lanes("i1", is_vector))
    name = get_name(case, ty, is_vector)
    lines = [
        f"func.func @{name}(%x: memref<?x{ty}>, %y: memref<?x{ty}>,"
        f" %z: memref<?x{shown}>, %i: index) {{",
    ]
    for value, memory in (("%a", "%x"), ("%b", "%y")):
        kind = f", {t}" if is_vector else ""
        dialect = "vector" if is_vector else "memref"
        lines.append(f"{value} = {dialect}.load {memory}[%i] : memref<?x{ty}>{kind}")
    lines.append(op)
    result = "%r"
    if case.result == "i1":
        lines.append(f"%s = arith.extui %r : {u} to {in_memory}")
        result = "%s"
    kind = f", {in_memory}" if is_vector else ""
    dialect = "vector" if is_vector else "memref"
    lines.append(f"{dialect}.store {result}, %z[%i] : memref<?x{shown}>{kind}")
    return "\n".join((*lines, "func.return", "}"))


def get_name(case: Case, ty: str, is_vector: bool) -> str:
    return f"{case.name.replace('.', '_')}_{ty}_{'vector' if is_vector else 'scalar'}"


def get_cases(ty: str) -> Sequence[Case]:
    if ty in FLOATS:
        return FLOAT_CASES
    # Ops of `math` take no `index` here.
    if ty == "index":
        return [case for case in INTEGER_CASES if not case.name.startswith("math")]
    return INTEGER_CASES if ty == "i64" else (*INTEGER_CASES, *EXTENDED_CASES)


@pytest.mark.every(7, first=4)
@pytest.mark.parametrize("ty", DTYPES)
def test_ops_mean_the_same(ty: str):
    """Every op, on scalars and on vectors, on edge cases and random numbers."""
    forms = [(case, is_vector) for case in get_cases(ty) for is_vector in (False, True)]
    text = "\n".join(write_function(case, ty, is_vector) for case, is_vector in forms)
    host = HostModule(convert(text))
    first, second = get_inputs(ty, 160, seed=len(ty))
    width = get_width(ty)
    for case, is_vector in forms:
        shown = {"i1": "i8"}.get(case.result or ty, case.result or ty)
        expected: list[Any] = []
        with np.errstate(all="ignore"):
            for a, b in zip(first, second, strict=True):
                values = (a, b) if ty in FLOATS else (int(a), int(b))
                expected.append(case.meaning(*values, width))
        known = np.array([value is not None for value in expected])
        # What means nothing must not run: a division by zero ends the process.
        safe = np.flatnonzero(known)
        result = np.zeros(len(first), DTYPES[shown])
        function = host.get(get_name(case, ty, is_vector))
        x, y = first.copy(), second.copy()
        x[~known], y[~known] = first[safe[0]], second[safe[0]]
        step = LANES if is_vector else 1
        for index in range(0, len(first), step):
            function(x, y, result, index)
        wanted = [expected[index] for index in safe]
        if np.dtype(DTYPES[shown]).kind == "i":
            bits = np.dtype(DTYPES[shown]).itemsize * 8
            wanted = [signed(int(value), bits) for value in wanted]
        with np.errstate(all="ignore"):
            target = np.array(wanted, DTYPES[shown])
        name = get_name(case, ty, is_vector)
        np.testing.assert_array_equal(result[safe], target, err_msg=name)
        if ty in FLOATS and shown == ty:
            numbers = ~np.isnan(target)
            signs = np.signbit(result[safe][numbers]) == np.signbit(target[numbers])
            assert "num" in case.name or signs.all(), name


TOTAL_CASES = [
    case
    for case in (*INTEGER_CASES, *EXTENDED_CASES)
    if not any(word in case.name for word in ("div", "rem", "sh"))
]


def write_program(generator: random.Random, is_vector: bool) -> tuple[str, Callable[..., int]]:
    """A random program on two numbers of 32 bits, and what it computes."""
    t, bit = with_lanes("i32", is_vector), with_lanes("i1", is_vector)
    lines: list[str] = []
    steps: list[tuple[Case, list[int]]] = []
    for number in range(2, 2 + generator.randint(5, 30)):
        case = generator.choice(TOTAL_CASES)
        operands = [generator.randrange(number) for _ in "ab"]
        a, b = (f"%v{operand}" for operand in operands)
        if case.result == "i1":
            lines.append(case.text.format(r=f"%c{number}", a=a, b=b, t=t, u=t, i1=bit))
            condition = f"{bit}, " if is_vector else ""
            lines.append(f"%v{number} = arith.select %c{number}, {a}, {b} : {condition}{t}")
        else:
            lines.append(case.text.format(r=f"%v{number}", a=a, b=b, t=t, u=t, i1=bit))
        steps.append((case, operands))

    def run(first: int, second: int) -> int:
        values = [first, second]
        for case, (a, b) in steps:
            value = case.meaning(values[a], values[b], 32)
            if case.result == "i1":
                value = values[a] if value else values[b]
            values.append(signed(int(value), 32))
        return values[-1]

    load, kind = ("vector", f", {t}") if is_vector else ("memref", "")
    text = [
        "func.func @f(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>, %i: index) {",
        f"%v0 = {load}.load %x[%i] : memref<?xi32>{kind}",
        f"%v1 = {load}.load %y[%i] : memref<?xi32>{kind}",
        *lines,
        f"{load}.store %v{1 + len(steps)}, %z[%i] : memref<?xi32>{kind}",
        "func.return",
        "}",
    ]
    return "\n".join(text), run


@pytest.mark.parametrize("is_vector", [False, True], ids=["scalars", "vectors"])
@pytest.mark.parametrize("seed", range(6))
def test_random_programs_mean_the_same(seed: int, is_vector: bool):
    """Chains of ops that are defined for all numbers."""
    text, run = write_program(random.Random(seed), is_vector)
    function = HostModule(convert(text)).get("f")
    first, second = get_inputs("i32", 80, seed)
    result = np.zeros_like(first)
    for index in range(0, len(first), LANES if is_vector else 1):
        function(first, second, result, index)
    expected = [run(int(a), int(b)) for a, b in zip(first, second, strict=True)]
    np.testing.assert_array_equal(result, np.array(expected, np.int32))


VECTOR_PROGRAMS: dict[str, tuple[str, Callable[[Array, Array], Array]]] = {
    "parts": (
        """
        %0 = vector.extract_strided_slice %a {offsets = [2], sizes = [4], strides = [1]}
            : vector<8xi32> to vector<4xi32>
        %1 = vector.insert_strided_slice %0, %b {offsets = [1], strides = [1]}
            : vector<4xi32> into vector<8xi32>
        %2 = vector.extract %a[%c5] : i32 from vector<8xi32>
        %r = vector.insert %2, %1[7] : i32 into vector<8xi32>
        """,
        lambda a, b: np.array([b[0], *a[2:6], b[5], b[6], a[5]]),
    ),
    "shuffles": (
        """
        %0 = vector.extract_strided_slice %b {offsets = [0], sizes = [2], strides = [1]}
            : vector<8xi32> to vector<2xi32>
        %r = vector.shuffle %0, %a[9, 1, 0, 2, 3, 8, 2, 1] : vector<2xi32>, vector<8xi32>
        """,
        lambda a, b: np.array([a[7], b[1], b[0], a[0], a[1], a[6], a[0], b[1]]),
    ),
    "ranks": (
        """
        %0 = vector.shape_cast %a : vector<8xi32> to vector<2x4xi32>
        %1 = vector.shape_cast %b : vector<8xi32> to vector<4x2xi32>
        %2 = vector.extract %1[2] : vector<2xi32> from vector<4x2xi32>
        %3 = vector.broadcast %2 : vector<2xi32> to vector<2x2xi32>
        %4 = vector.insert_strided_slice %3, %0 {offsets = [0, 1], strides = [1, 1]}
            : vector<2x2xi32> into vector<2x4xi32>
        %5 = vector.extract %0[%c1, 3] : i32 from vector<2x4xi32>
        %6 = vector.insert %5, %4[0, %c3] : i32 into vector<2x4xi32>
        %r = vector.shape_cast %6 : vector<2x4xi32> to vector<8xi32>
        """,
        lambda a, b: np.array([a[0], b[4], b[5], a[7], a[4], b[4], b[5], a[7]]),
    ),
    "rows": (
        """
        %0 = vector.shape_cast %a : vector<8xi32> to vector<4x2xi32>
        %1 = vector.extract_strided_slice %0 {offsets = [1], sizes = [2], strides = [1]}
            : vector<4x2xi32> to vector<2x2xi32>
        %2 = vector.shape_cast %b : vector<8xi32> to vector<4x2xi32>
        %3 = vector.shuffle %1, %2[1, 5, 2, 0] : vector<2x2xi32>, vector<4x2xi32>
        %r = vector.shape_cast %3 : vector<4x2xi32> to vector<8xi32>
        """,
        lambda a, b: np.array([a[4], a[5], b[6], b[7], b[0], b[1], a[2], a[3]]),
    ),
    "columns": (
        """
        %0 = vector.extract_strided_slice %a {offsets = [0], sizes = [2], strides = [1]}
            : vector<8xi32> to vector<2xi32>
        %1 = vector.shape_cast %0 : vector<2xi32> to vector<2x1xi32>
        %2 = vector.broadcast %1 : vector<2x1xi32> to vector<2x4xi32>
        %3 = vector.shape_cast %b : vector<8xi32> to vector<2x4xi32>
        %4 = arith.addi %2, %3 : vector<2x4xi32>
        %r = vector.shape_cast %4 : vector<2x4xi32> to vector<8xi32>
        """,
        lambda a, b: np.repeat(a[:2], 4) + b,
    ),
    "reductions": (
        """
        %0 = vector.reduction <add>, %a : vector<8xi32> into i32
        %1 = vector.reduction <maxsi>, %b, %0 : vector<8xi32> into i32
        %2 = vector.reduction <minui>, %a : vector<8xi32> into i32
        %3 = vector.reduction <xor>, %b, %2 : vector<8xi32> into i32
        %4 = vector.from_elements %0, %1, %2, %3, %0, %1, %2, %3 : vector<8xi32>
        %m = vector.create_mask %c3 : vector<8xi1>
        %s = vector.splat %3 : vector<8xi32>
        %r = arith.select %m, %4, %s : vector<8xi1>, vector<8xi32>
        """,
        lambda a, b: _reductions(a, b),
    ),
    "bits": (
        """
        %0 = vector.bitcast %a : vector<8xi32> to vector<16xi16>
        %1 = vector.shuffle %0, %0[1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]
            : vector<16xi16>, vector<16xi16>
        %2 = vector.bitcast %1 : vector<16xi16> to vector<8xi32>
        %e0, %e1, %e2, %e3, %e4, %e5, %e6, %e7 = vector.to_elements %2 : vector<8xi32>
        %r = vector.from_elements %e7, %e6, %e5, %e4, %e3, %e2, %e1, %e1 : vector<8xi32>
        """,
        lambda a, b: np.array(
            [a.view(np.int16)[[2 * i + 1, 2 * i]] for i in (7, 6, 5, 4, 3, 2, 1, 1)]
        ).view(np.int32)[:, 0],
    ),
}


def _reductions(a: Array, b: Array) -> Array:
    total = np.sum(a, dtype=np.int32)
    largest = max(total, np.max(b))
    least = np.min(a.view(np.uint32)).view(np.int32)
    parity = np.bitwise_xor.reduce(b) ^ least
    return np.array([total, largest, least, *[parity] * 5])


@pytest.mark.parametrize("name", VECTOR_PROGRAMS)
def test_vectors_mean_the_same(name: str):
    """Parts, shuffles, ranks and reductions."""
    body, meaning = VECTOR_PROGRAMS[name]
    text = f"""
func.func @f(%x: memref<8xi32>, %y: memref<8xi32>, %z: memref<8xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %a = vector.load %x[%c0] : memref<8xi32>, vector<8xi32>
  %b = vector.load %y[%c0] : memref<8xi32>, vector<8xi32>
  {body}
  vector.store %r, %z[%c0] : memref<8xi32>, vector<8xi32>
  func.return
}}
"""
    function = HostModule(convert(text)).get("f")
    generator = np.random.default_rng(len(name))
    for _ in range(4):
        a, b = generator.integers(-(2**31), 2**31, (2, 8)).astype(np.int32)
        result = np.zeros(8, np.int32)
        function(a, b, result)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(result, meaning(a, b).astype(np.int32))


def test_views_address_the_same_elements():
    """Offsets, strides and extents of views, static and dynamic."""
    text = """
func.func private @sum(%m: memref<?x2xi32, strided<[16, 2], offset: ?>>, %n: index)
    -> (i32, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  cf.br ^head(%c0, %zero : index, i32)
^head(%i: index, %s: i32):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %x = memref.load %m[%i, %c0] : memref<?x2xi32, strided<[16, 2], offset: ?>>
  %y = memref.load %m[%i, %c1] : memref<?x2xi32, strided<[16, 2], offset: ?>>
  %xy = arith.subi %x, %y : i32
  %next = arith.addi %s, %xy : i32
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %next : index, i32)
^end:
  func.return %s, %i : i32, index
}
func.func @f(%m: memref<8x8xi32>, %z: memref<2xi32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = memref.subview %m[1, 0] [6, 8] [1, 1]
      : memref<8x8xi32> to memref<6x8xi32, strided<[8, 1], offset: 8>>
  %t = memref.subview %s[%i, 3] [2, 2] [2, 2]
      : memref<6x8xi32, strided<[8, 1], offset: 8>> to memref<2x2xi32, strided<[16, 2], offset: ?>>
  %u = "memref.cast"(%t)
      : (memref<2x2xi32, strided<[16, 2], offset: ?>>)
      -> memref<?x2xi32, strided<[16, 2], offset: ?>>
  %a, %n = func.call @sum(%u, %c2)
      : (memref<?x2xi32, strided<[16, 2], offset: ?>>, index) -> (i32, index)
  %v = memref.reinterpret_cast %s to offset: [%i], sizes: [64], strides: [1]
      : memref<6x8xi32, strided<[8, 1], offset: 8>> to memref<64xi32, strided<[1], offset: ?>>
  %b = memref.load %v[%n] : memref<64xi32, strided<[1], offset: ?>>
  memref.store %a, %z[%c0] : memref<2xi32>
  memref.store %b, %z[%c1] : memref<2xi32>
  func.return
}
"""
    function = HostModule(convert(text)).get("f")
    matrix = np.arange(64, dtype=np.int32).reshape(8, 8) ** 2
    for i in range(3):
        result = np.zeros(2, np.int32)
        function(matrix, result, i)
        view = matrix[1 + i :: 2, 3::2][:2, :2]
        assert result[0] == np.sum(view[:, 0] - view[:, 1])
        assert result[1] == matrix.ravel()[i + 2]


def test_failures_leave_the_module_as_it_was():
    """Also if casts are found to be left when all else has been converted."""
    for last in (
        "%r = math.sin %x : f32",
        "%r = builtin.unrealized_conversion_cast %i : index to f32",
    ):
        module = parse(
            f"func.func @f(%x: f32, %i: index) -> f32 {{ {last}\nfunc.return %r : f32 }}"
        )
        before: ModuleOp = module.clone()
        with pytest.raises(PassFailedException):
            ConvertToLlvmPass().apply(context(), module)
        assert module.is_structurally_equivalent(before)
