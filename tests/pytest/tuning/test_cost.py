"""
The cost model: what it counts, and how close it comes to what an H200 measures.

The rates are those of docs/performance.md, of kernels in `benchmarks/gpu/bytecode`.
"""

from __future__ import annotations

from math import ceil
from pathlib import Path

import pytest

from tileiras_xdsl.compiler.options import Options
from tileiras_xdsl.frontend import Program
from tileiras_xdsl.targets.machine import Rates
from tileiras_xdsl.targets.target import all_targets
from tileiras_xdsl.tuning.cost import Launch, Machine, Prediction, UnpredictableError, predict

BYTECODE = Path(__file__).parents[3] / "benchmarks" / "gpu" / "bytecode"
TOLERANCE = 1.15
"""A prediction may be off by so much, either way."""


def array(*shape: int) -> list[int | None]:
    """The parameters of a row-major array: pointer, sizes, strides."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return [None, *shape, *strides]


def predict_file(
    name: str, grid: tuple[int, int, int], arrays: list[tuple[int, ...]], size: int = 2
) -> Prediction:
    values = [value for shape in arrays for value in array(*shape)]
    num_bytes = size * sum(ceil(_count(shape)) for shape in arrays)
    program = Program.of(BYTECODE / f"{name}.tileirbc")
    launch = Launch(grid, tuple(values), num_bytes)
    return predict(program, Options("sm_90"), launch, Machine.of("sm_90a"))


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for each in shape:
        count *= each
    return count


def predict_matmul(m: int, n: int, k: int, tile: tuple[int, int, int]) -> Prediction:
    grid = (ceil(m / tile[0]) * ceil(n / tile[1]), 1, 1)
    name = f"matmul_{'x'.join(map(str, tile))}"
    return predict_file(name, grid, [(m, k), (k, n), (m, n)])


@pytest.mark.parametrize(
    ("sizes", "tile", "measured"),
    [
        ((8192, 8192, 8192), (128, 256, 64), 785),
        ((8192, 8192, 8192), (128, 128, 64), 733),
        ((4096, 4096, 4096), (128, 256, 64), 770),
        ((4096, 4096, 4096), (128, 128, 64), 735),
        ((2048, 8192, 1024), (128, 256, 64), 673),
        ((2048, 8192, 1024), (128, 128, 64), 664),
    ],
)
def test_matmuls_on_an_h200(
    sizes: tuple[int, int, int], tile: tuple[int, int, int], measured: float
):
    m, n, k = sizes
    predicted = 2 * m * n * k / 1e9 / predict_matmul(*sizes, tile).milliseconds
    assert measured / TOLERANCE < predicted < measured * TOLERANCE


@pytest.mark.parametrize(
    ("name", "depth", "share", "measured"),
    [
        ("attention_d128", 128, 1.0, 690),
        ("attention_d64", 64, 1.0, 467),
        ("attention_causal_d128", 128, 0.5, 596),
        ("attention_causal_d64", 64, 0.5, 351),
    ],
)
def test_attention_on_an_h200(name: str, depth: int, share: float, measured: float):
    """Causal: trip counts depend on the tile block."""
    prediction = predict_file(name, (32, 64, 1), [(64, 4096, depth)] * 4)
    predicted = share * 4 * 4096**2 * depth * 64 / 1e9 / prediction.milliseconds
    assert measured / TOLERANCE < predicted < measured * TOLERANCE


@pytest.mark.parametrize(
    ("name", "grid", "arrays", "size", "measured"),
    [
        ("softmax", (16384, 1, 1), [(16384, 4096)] * 2, 2, 3473),
        ("vector_add", (65536, 1, 1), [(1 << 26,)] * 3, 4, 4283),
        ("transpose", (128, 128, 1), [(8192, 8192)] * 2, 4, 4005),
    ],
)
def test_memory_on_an_h200(
    name: str,
    grid: tuple[int, int, int],
    arrays: list[tuple[int, ...]],
    size: int,
    measured: float,
):
    prediction = predict_file(name, grid, arrays, size)
    moved = size * sum(map(_count, arrays))
    assert prediction.limit == "memory"
    rate = moved / 1e6 / prediction.milliseconds
    assert measured / 1.4 < rate < measured * 1.4


def test_small_launches_prefer_small_tiles():
    """Where SMs are idle, waves count."""
    large = predict_matmul(1000, 1992, 520, (128, 256, 64))
    small = predict_matmul(1000, 1992, 520, (128, 128, 64))
    assert small.milliseconds < large.milliseconds


def test_more_sms_take_less_time():
    program = Program.of(BYTECODE / "matmul_128x128x64.tileirbc")
    values = [value for _ in range(3) for value in array(8192, 8192)]
    launch = Launch((4096, 1, 1), tuple(values), 3 * 2 * 8192**2)
    few, many = (
        predict(program, Options("sm_90"), launch, Machine.of("sm_90a", count)).milliseconds
        for count in (66, 132)
    )
    assert few == pytest.approx(2 * many, rel=0.05)


def kernel(body: str) -> Program:
    """A kernel with a pointer and an integer."""
    return Program.of(
        "cuda_tile.module @m {\n"
        "  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {\n"
        "    %zero = constant <i32: 0> : tile<i32>\n"
        "    %one = constant <i32: 1> : tile<i32>\n"
        "    %three = constant <i32: 3> : tile<i32>\n"
        "    %x = constant <f32: 1.0> : tile<1024xf32>\n"
        "    %q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
        "    %ps = broadcast %q : tile<1xptr<f32>> -> tile<1024xptr<f32>>\n"
        f"{body}\n    return\n  }}\n}}\n"
    )


def clocks(body: str, n: int | None = 10) -> float:
    """Clocks of one tile block, without those of a launch."""
    machine = Machine.of("sm_90a", 1, 1.0)
    prediction = predict(kernel(body), Options("sm_90"), Launch((1, 1, 1), (None, n), 0), machine)
    return (prediction.milliseconds - 2e-3) * 1e6


STORE = "store_ptr_tko weak %ps, %x : tile<1024xptr<f32>>, tile<1024xf32> -> token"
COST = 4096 / 64
"""Of the store, by the rate of L2."""
LOOP = f"for %i in (%zero to %UPPER, step %one) : tile<i32> {{\n {STORE}\n continue\n }}"


def test_trip_counts_of_arguments():
    loop = LOOP.replace("%UPPER", "%n")
    assert clocks(STORE) == pytest.approx(COST)
    assert clocks(loop, 10) == pytest.approx(10 * COST)
    assert clocks(loop, 0) == pytest.approx(0, abs=1e-6)
    assert clocks(loop, -3) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("addi %n, %one : tile<i32>", 11),
        ("muli %n, %n : tile<i32>", 100),
        ("mini %n, %three signed : tile<i32>", 3),
        ("maxi %n, %three signed : tile<i32>", 10),
        ("remi %n, %three signed : tile<i32>", 1),
        ("divi %n, %three signed : tile<i32>", 3),
        ("divi %n, %three signed rounding<positive_inf> : tile<i32>", 4),
        ("divi %n, %three signed rounding<negative_inf> : tile<i32>", 3),
        ("shri %n, %one signed : tile<i32>", 5),
        ("shli %n, %one : tile<i32>", 20),
        ("subi %n, %three : tile<i32>", 7),
    ],
)
def test_arithmetic_of_trip_counts(expression: str, value: int):
    body = f"%u = {expression}\n{LOOP.replace('%UPPER', '%u')}"
    assert clocks(body, 10) == pytest.approx(COST * value)


def test_iterations_of_outer_loops_count():
    inner = LOOP.replace("%UPPER", "%j")
    body = f"for %j in (%zero to %n, step %one) : tile<i32> {{\n {inner}\n continue\n }}"
    # Ten times what the iteration in the middle does.
    assert clocks(body, 10) == pytest.approx(10 * 5 * COST)


def test_branches():
    def branch(left: str, right: str) -> str:
        condition = f"%c = cmpi less_than {left}, {right}, signed : tile<i32> -> tile<i1>"
        return f"{condition}\nif %c {{\n {STORE}\n yield\n }}"

    assert clocks(branch("%n", "%zero")) == pytest.approx(0, abs=1e-6)
    assert clocks(branch("%zero", "%n")) == pytest.approx(COST)
    # What is not known counts as if it were taken.
    assert clocks(branch("%zero", "%n"), None) == pytest.approx(COST)


def test_thread_work():
    """Special functions run on an eighth of the lanes."""

    def after(op: str) -> float:
        load = "%t, %k = load_ptr_tko weak %ps : tile<1024xptr<f32>> -> tile<1024xf32>, token"
        store = STORE.replace("%x", "%y")
        return clocks(f"{load}\n%y = {op} %t : tile<1024xf32>\n{store}")

    assert after("exp") - after("negf") == pytest.approx(0.15 * (1024 / 16 - 1024 / 128))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (LOOP.replace("%UPPER", "%n"), "depends on what is in memory"),
        ("loop {\n break\n }", "has no trip count"),
    ],
)
def test_what_cannot_be_predicted(body: str, reason: str):
    with pytest.raises(UnpredictableError, match=reason):
        clocks(body, None)


def test_a_program_of_two_kernels():
    text = "cuda_tile.module @m {\n entry @a() {\n return\n }\n entry @b() {\n return\n }\n}\n"
    with pytest.raises(UnpredictableError, match="2 kernels"):
        predict(Program.of(text), Options("sm_90"), Launch((1, 1, 1), (), 0), Machine.of("sm_90a"))


def test_every_target_has_a_machine():
    for name, target in all_targets().items():
        rates: Rates = target.rates
        machine = Machine.of(name)
        assert machine.sm_count == rates.sm_count > 0
        assert 0.5 < machine.gigahertz < 4
