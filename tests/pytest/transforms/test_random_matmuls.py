"""
Random programs of matrix products give what they must: as tiles, and as the code of threads
at levels 3 and 4.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f16

from tileiras_xdsl import load
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import make_pass, select_steps

from ..harness.modules import context
from ..strategies.error_bounds import Approx, expected_results, rounded
from ..strategies.matmul_programs import SMALL, MatmulProgram, random_matmul

THREADS = [
    *(("sm_80", seed) for seed in (4, 16, 45)),
    *(("sm_90a", seed) for seed in (2, 25, 33, 34, 45, 58, 117)),
]
"""
Persistent CTAs, two products that share an operand, sums of products, attention, a chain, one of
8-bit operands.
"""


def expected(program: MatmulProgram) -> dict[int, Approx]:
    return expected_results(program.module, program.grid, program.arguments())


def wrong_arrays(
    module: ModuleOp, program: MatmulProgram, results: dict[int, Approx], check: bool = False
) -> dict[int, int]:
    """Runs a program; how many elements are wrong, of each array in which some are."""
    arguments: list[Any] = program.arguments()
    run(module, grid=program.grid, args=arguments, check=check)
    wrong = {n: int(found.wrong_in(arguments[n]).sum()) for n, found in results.items()}
    return {number: count for number, count in wrong.items() if count}


@pytest.mark.part("kernels")
@pytest.mark.every(2)
@pytest.mark.parametrize("first", range(0, 40, 20))
def test_tiles_give_what_they_must(first: int):
    for seed in range(first, first + 20):
        program = random_matmul(seed, SMALL)
        assert not wrong_arrays(program.module, program, expected(program), check=True), seed


@pytest.mark.part("kernels")
@pytest.mark.every(10, first=7)
@pytest.mark.parametrize(("arch", "seed"), THREADS)
def test_threads_give_what_they_must(arch: str, seed: int):
    program = random_matmul(seed, SMALL)
    results = expected(program)
    module = program.module.clone()
    for level, steps in (
        (3, select_steps(to="nvgpu")),
        (4, select_steps(after="nvgpu", to="nvvm")),
    ):
        for step in steps:
            make_pass(step, arch).apply(context(), module)
        try:
            assert not wrong_arrays(module, program, results), f"at level {level}"
        except ExecutionError as error:
            if "cannot be run on the CPU" not in error.message:
                raise
            pytest.skip(str(error))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(200, 300))
def test_threads_of_more_programs(seed: int):
    test_threads_give_what_they_must("sm_90a", seed)


def test_all_is_the_same_for_the_same_seed():
    first, second = (random_matmul(7) for _ in range(2))
    assert first.text == second.text
    assert [np.asarray(value).tobytes() for value in first.values] == [
        np.asarray(value).tobytes() for value in second.values
    ]


def matmul_text() -> str:
    """A program that multiplies two matrices."""
    shapes = {"a": (16, 64), "b": (64, 16), "c": (16, 16)}
    lines = ["%zero = constant <i32: 0> : tile<i32>"]
    views: dict[str, str] = {}
    for name, (rows, columns) in shapes.items():
        tensor = f"tensor_view<{rows}x{columns}xf16, strides=[{columns},1]>"
        views[name] = f"partition_view<tile=({rows}x{columns}), {tensor}>"
        sizes = f"shape = [{rows}, {columns}], strides = [{columns}, 1]"
        lines.append(f"%tensor_{name} = make_tensor_view %{name}, {sizes} : {tensor}")
        lines.append(f"%view_{name} = make_partition_view %tensor_{name} : {views[name]}")
    for name, (rows, columns) in list(shapes.items())[:2]:
        lines.append(
            f"%tile_{name}, %token_{name} = load_view_tko weak %view_{name}[%zero, %zero] : "
            f"{views[name]}, tile<i32> -> tile<{rows}x{columns}xf16>, token"
        )
    lines += [
        "%first = constant <f32: 0.0> : tile<16x16xf32>",
        "%sum = mmaf %tile_a, %tile_b, %first : tile<16x64xf16>, tile<64x16xf16>, tile<16x16xf32>",
        "%result = ftof %sum : tile<16x16xf32> -> tile<16x16xf16>",
        "%done = store_view_tko weak %result, %view_c[%zero, %zero] : "
        f"tile<16x16xf16>, {views['c']}, tile<i32> -> token",
        "return",
    ]
    parameters = ", ".join(f"%{name}: tile<ptr<f16>>" for name in shapes)
    return f"entry @kernel({parameters}) {{\n" + "\n".join(lines) + "\n}"


def test_a_term_that_is_left_out_is_noticed():
    generator = np.random.default_rng(0)
    a, b = (generator.standard_normal(1024).astype(np.float16) for _ in range(2))
    found = expected_results(load(matmul_text()), (1, 1, 1), [a, b, np.zeros(256, np.float16)])[2]
    exact = a.reshape(16, 64).astype(np.float64) @ b.reshape(64, 16)
    np.testing.assert_allclose(found.value, exact.reshape(-1), 1e-12)
    assert not found.wrong_in(exact.astype(np.float16)).any()
    a[63::64] = 0
    less = a.reshape(16, 64).astype(np.float64) @ b.reshape(64, 16)
    assert found.wrong_in(less.astype(np.float16)).mean() > 0.95


def test_results_that_are_no_numbers_are_noticed():
    found = Approx(np.array([1.0, np.nan, 2.0]), np.array([0.5, 0.0, np.inf]))
    array = np.array([np.nan, np.nan, np.nan], np.float32)
    assert found.wrong_in(array).tolist() == [True, False, True]
    assert replace(found, value=found.value + 0.25).wrong_in(
        np.array([1.0, 1.0, 1e9], np.float32)
    ).tolist() == [False, True, False]


def test_bounds_of_what_a_type_cannot_hold():
    """Past the largest number of f16 there is infinity; close to it either is right."""
    found = rounded(np.array([6e4, 6.55e4, -7e4, np.inf]), np.array([1.0, 9.0, 9.0, 0.0]), f16)
    numbers = np.array([6e4, np.inf, -np.inf, np.inf], np.float16)
    assert not found.wrong_in(numbers).any()
    numbers = np.array([np.inf, 65504.0, -65504.0, 65504.0], np.float16)
    assert found.wrong_in(numbers).tolist() == [True, False, True, True]
