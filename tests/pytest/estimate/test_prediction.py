"""
Predictions of launches, in microseconds: they are within 15 % of what was measured on an H200,
which is kept as data (`benchmarks/gpu/measured.json`), and say what binds a kernel.

A change of the model that makes predictions worse fails here. So does a change of the compiler that
makes a kernel much faster or slower: then `run.py --measured` writes the data anew.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from functools import cache
from math import factorial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.cost import model
from tileiras_xdsl.cost.model import Launch, estimate_kernel, simulate_kernel
from tileiras_xdsl.cost.report import TOLERANCE, Estimate, Prediction, predict, why_not
from tileiras_xdsl.cost.work import SCATTERED_BANKS
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels

SCRIPTS = Path(__file__).parents[3] / "benchmarks" / "gpu"
QUICK = (
    *("gemm_f16_4096x4096x4096_128x256x64", "gemm_f16_2048x8192x1024_128x128x64"),
    *("gemm_f16_1000x1992x520_128x256x64", "split_128x256x64", "memory_histogram_4096"),
)
"""Cases of all kinds of limits that take little time."""
OPEN = ("attention_varlen_d128",)
"""Cases without predictions, as the data say how long loops are."""


@cache
def script() -> ModuleType:
    """`predict.py`, which imports others of its folder as it does when it is run."""
    saved = set(sys.modules), sys.path[:]
    sys.path.insert(0, str(SCRIPTS))
    try:
        found = importlib.import_module("predict")
        found.find_cases()
        return found
    finally:
        sys.path[:] = saved[1]
        for name in ("predict", "cases", "table", "meta_torch"):
            if name not in saved[0]:
                sys.modules.pop(name, None)


@cache
def schedule(kernel: str, abi: Any) -> ModuleOp:
    program = Program.of(SCRIPTS / f"bytecode/{kernel}.tileirbc")
    return Compilation(program, Options("sm_90a", abi=abi)).lower("tileas")


def measured() -> Any:
    return script().Measured.load()


def predicted(name: str, abi: str = "host-maps") -> Prediction:
    """The prediction of a case, for the registers that the measured code had."""
    case = script().find_launch(name)
    codes = measured().kernels[case.kernel]
    code = codes.get(abi) or codes["device-maps"]
    taken = script().Code(*(code[each] for each in ("threads", "registers", "shared")))
    found = script().predict_launch(schedule(case.kernel, abi), taken, case.launch)
    assert isinstance(found, Prediction)
    return found


def check(name: str) -> None:
    for abi, time in measured().microseconds[name].items():
        found = predicted(name, abi)
        assert abs(found.error(time)) <= TOLERANCE, found.describe(time)


@pytest.mark.parametrize("name", QUICK)
def test_within_15_percent(name: str) -> None:
    check(name)


@pytest.mark.long
def test_all_cases_are_within_15_percent() -> None:
    for name in measured().microseconds:
        if name not in OPEN:
            check(name)


# Four warpgroups that share schedulers


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("name", "microseconds"),
    [("attention_256x64_d64", 507.3), ("attention_causal_256x64_d64", 290.4)],
)
def test_four_warpgroups(name: str, microseconds: float) -> None:
    """
    No unit is busy most of the time, and neither tensor cores nor power take that long: warpgroups
    wait for the special functions and issue slots that others have.
    """
    case = script().find_launch(name)
    found = predict(estimate_of(case.kernel, case.launch))
    assert found is not None
    assert abs(found.error(microseconds)) <= TOLERANCE, found.describe(microseconds)
    assert found.microseconds > 1.4 * max(found.limits["power"], found.limits["tensor cores"])


# What binds kernels


def test_what_binds_kernels() -> None:
    product = predicted("gemm_f16_4096x4096x4096_128x256x64")
    assert product.bound == "power"
    assert 1.4 < product.gigahertz < 1.7
    assert product.limits["tensor cores"] < product.limits["power"] < product.microseconds
    size = 1 << 26
    add = predict(
        estimate_of("vector_add", Launch((size // 1024, 1, 1), [None, size, 1] * 3, 12.0 * size))
    )
    assert add is not None
    assert (add.bound, add.limit) == ("global memory", "global memory")
    assert add.gigahertz > 1.85
    values = [None, size, 1, None, 65536, 1]
    count = predict(estimate_of("histogram", Launch((size // 1024, 1, 1), values, 4.0 * size)))
    assert count is not None
    assert count.bound == "atomics"
    # Counts that fit in shared memory are updated there, and L2 only delivers numbers.
    few = predicted("memory_histogram_4096")
    assert few.limits["atomics"] < few.limits["L2"] < few.limits["shared memory"]
    # A wave of short CTAs, whose rows are not aligned.
    assert predicted("gemm_f16_1000x1992x520_128x128x64").bound == "latency"


def test_launches_that_overlap() -> None:
    """A kernel that starts while the one ahead of it ends."""
    name = "gemm_f16_1000x1992x520_128x256x64"
    assert predicted(name).launch == 0
    assert predicted(name, "device-maps").launch > 0.5


def estimate_of(kernel: str, launch: Launch | None = None) -> Estimate:
    module = schedule(kernel, "host-maps")
    (function,) = kernels(module)
    return estimate_kernel(function, get_target(module), launch)


def matmul_launch(m: int, n: int, k: int, width: int = 256) -> Launch:
    shapes = (m, k), (k, n), (m, n)
    values = [each for rows, columns in shapes for each in (None, rows, columns, columns, 1)]
    total = 2.0 * sum(rows * columns for rows, columns in shapes)
    return Launch((-(-m // 128) * -(-n // width), 1, 1), values, total)


def test_wave_quantisation() -> None:
    """133 tiles take as long as 264, on 132 SMs."""
    one, more, two = (
        predict(estimate_of("matmul_128x256x64", matmul_launch(128 * rows, 256, 4096)))
        for rows in (132, 133, 264)
    )
    assert one is not None
    assert more is not None
    assert two is not None
    assert more.microseconds > 1.7 * one.microseconds
    # The other SMs wait meanwhile, and draw less power.
    assert 0.85 * two.microseconds < more.microseconds < two.microseconds


@pytest.mark.parametrize(
    ("width", "k", "rounds"),
    [(256, 256, 8), (128, 1024, 8), (128, 4096, 8), (128, 4096, 5)],
    ids=["tiles", "no pairs, for the loop is short", "pairs", "pairs and a single tile"],
)
def test_some_tiles_stand_for_all(
    width: int, k: int, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a persistent kernel with the same work for each tile, three are simulated, or pairs."""

    kernel, launch = f"matmul_128x{width}x64", matmul_launch(132 * 128, rounds * width, k, width)
    some = estimate_of(kernel, launch)
    monkeypatch.setattr(model, "FEW_TILES", 100)
    every = estimate_of(kernel, launch)
    assert some.sm_clocks == pytest.approx(every.sm_clocks, rel=0.01)
    assert some.num_bytes == pytest.approx(every.num_bytes)
    assert some.multiply_adds == pytest.approx(every.multiply_adds)
    assert some.busy == pytest.approx(every.busy)


def test_launches_of_ctas() -> None:
    """CTAs begin one after the other, or where others end; a persistent kernel has few."""
    size = 1 << 20
    launch = Launch((1 << 20, 1, 1), [None, size, 1] * 3, 12.0 * size)
    many = predict(estimate_of("vector_add", launch))
    assert many is not None
    assert many.limits["launches of CTAs"] == pytest.approx(0.63e-3 * (1 << 20))
    assert estimate_of("matmul_128x256x64", matmul_launch(132 * 128, 1024, 256)).launched == 132
    board = estimate_of("vector_add", launch).target.board
    assert board is not None
    assert [board.launch_time(1000, each) for each in (1, 2, 32)] == [1.7, 0.85, 0.63]


def count_launch(grid: int, *, fits_l2: bool = False) -> Launch:
    """A histogram of 4096 counts."""
    size = grid * 1024
    values = [None, size, 1, None, 4096, 1]
    # As it was measured: all CTAs load the same 8 MiB, or each its own numbers.
    return Launch((grid, 1, 1), values, float(8 << 20) if fits_l2 else 4.0 * size)


def test_ctas_that_return_beside_others() -> None:
    """Two of each SM work; others return one after the other, faster when those are done."""
    found = estimate_of("histogram", count_launch(1 << 14))
    assert (found.launched, found.returning, found.free) == (1 << 14, (1 << 14) - 264, 1)
    assert found.balance == 1.0
    board = found.target.board
    assert board is not None
    assert [board.return_time(each) for each in (1, 2, 32)] == [2.45, 2.45 / 2, 0.63]
    made = predict(found)
    none = predict(replace(found, launched=264, returning=0, free=0))
    assert made is not None
    assert none is not None
    # 23.6 and 28.4 µs on an H200.
    assert none.microseconds == pytest.approx(23.6, rel=0.05)
    working = none.microseconds - none.launch
    left = found.returning - working * 1e3 / 2.45
    assert made.microseconds - none.microseconds == pytest.approx(left * 2.45e-3 / 3)
    # Others have work for all of their CTAs.
    assert estimate_of("vector_add", Launch((1 << 14, 1, 1), [None, 1 << 24, 1] * 3)).free == 0


def test_few_ctas_that_return_take_no_time() -> None:
    """They are gone before the others are done."""
    found = estimate_of("histogram", count_launch(1 << 14))
    made, few = (predict(replace(found, returning=each)) for each in (1000, 2000))
    assert made is not None
    assert few is not None
    assert made.microseconds == few.microseconds


def test_loads_from_memory_take_longer() -> None:
    """An iteration takes 2066 clocks on an H200, and 1391 if its numbers are in L2."""
    for fits_l2, clocks in ((False, 2066), (True, 1391)):
        found = estimate_of("histogram", count_launch(1 << 14, fits_l2=fits_l2))
        loop = found.main_loop
        assert loop is not None
        assert loop.clocks == pytest.approx(clocks, rel=0.05)
    # Rows of scales are read again and again, and stay in L2 however large the matrices are.
    sizes = [None, 8192, 8192, 8192, 1] * 3
    assert not is_from_memory("matmul_128x256x64", Launch((1, 1, 1), sizes, 1e12))
    assert is_from_memory("vector_add", Launch((1, 1, 1), [None, 1 << 28, 1] * 3, 1e12))


def is_from_memory(kernel: str, launch: Launch) -> bool:
    module = schedule(kernel, "host-maps")
    (function,) = kernels(module)
    return simulate_kernel(function, get_target(module), launch).simulation.sm.in_l2 is not None


def test_random_banks() -> None:
    """The mean of the fullest bank, from how likely it is that none has more than so many."""
    mean = 0.0
    for most in range(32):
        series = [1.0] + [0.0] * 32
        for _ in range(32):
            series = [
                sum(series[total - n] / factorial(n) for n in range(min(most, total) + 1))
                for total in range(33)
            ]
        mean += 1 - series[32] * factorial(32) / 32**32
    assert pytest.approx(mean, abs=0.005) == SCATTERED_BANKS


def test_power_lowers_the_clock() -> None:
    launch = matmul_launch(4096, 4096, 4096)
    found = estimate_of("matmul_128x256x64", launch)
    board = found.target.board
    assert board is not None
    assert found.clock_for(1e12) == pytest.approx(board.gigahertz, abs=1e-3)
    assert found.clock_for(found.sm_clocks) < found.clock_for(2 * found.sm_clocks)
    assert estimate_of("matmul_bf16_128x256x64", launch).gigahertz > found.gigahertz


def test_rows_that_are_not_aligned_take_twice_the_sectors() -> None:
    aligned, other = (
        estimate_of("matmul_partial_128x256x64", matmul_launch(2048, 2048 + n, 512 + n))
        for n in (0, 8)
    )
    assert other.busy["L2"] > 1.8 * aligned.busy["L2"]


def test_no_prediction_without_a_launch_or_a_gpu() -> None:
    found = estimate_of("vector_add")
    assert predict(found) is None
    launch = Launch((1024, 1, 1), [None, 1 << 20, 1] * 3, 3.0 * 4 * (1 << 20))
    found = estimate_of("vector_add", launch)
    assert predict(found) is not None
    assert predict(replace(found, target=replace(found.target, board=None))) is None


def test_trip_counts_that_depend_on_data() -> None:
    """Nothing says how long a loop over K takes if K is not known."""
    launch = matmul_launch(1024, 1024, 1024)
    unknown = replace(launch, values=[None] * len(launch.values))
    found = estimate_of("matmul_128x256x64", unknown)
    assert predict(found) is None
    assert "loops have trip counts that depend on data" in (why_not(found) or "")
    assert why_not(estimate_of("matmul_128x256x64", launch)) is None


def test_words() -> None:
    made = Prediction("k", "H200", 100.0, 1.0, 1.5, {"power": 80.0, "L2": 50.0, "ALU": 1.0})
    assert made.describe() == (
        "predicted 100 µs, bound by power, 25% above the limit at 1.50 GHz: power 80%, L2 50%"
    )
    assert made.describe(200.0) == (
        "predicted 100 µs, measured 200 µs (-50% off), bound by power, 150% above the limit at "
        "1.50 GHz: power 40%, L2 25%"
    )
    assert Prediction.from_dict(made.to_dict()) == made
    assert replace(made, microseconds=200.0).bound == "latency"
