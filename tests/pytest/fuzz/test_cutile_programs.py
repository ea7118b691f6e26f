"""
Random kernels of cuTile compute at every stage what their source does as Python over NumPy; and
tests like these find mistakes that are planted in the compiler, in the interpreter of all stages,
and in the model.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import elementwise

from ..strategies import cutile_model as model
from ..strategies import cutile_types as types
from ..strategies.cutile_programs import (
    EIGHT_BITS,
    FAMILIES,
    CutileProgram,
    family_of,
    random_cutile_program,
)
from .cutile_runs import STAGES, examine

COUNT = 10 * len(FAMILIES)


@pytest.fixture(autouse=True)
def cutile(oracle_module: Callable[[str], ModuleType]) -> ModuleType:
    return oracle_module("cuda.tile")


@pytest.mark.every(9)
@pytest.mark.parametrize("seed", range(COUNT))
def test_programs(seed: int):
    """Of every nine seeds one is in `make more`, so that each family is."""
    program = random_cutile_program(seed)
    verdict = examine(program)
    assert verdict.finding is None, f"{verdict.finding}\n{program}"
    assert not verdict.refusal, f"{verdict.refusal}\n{program}"
    assert verdict.exact + verdict.bounded > verdict.unknown, str(program)


def test_all_families_are_in_every_run():
    assert {family_of(seed) for seed in range(0, COUNT, 9)} == set(FAMILIES)


def program(body: str, *values: Any) -> CutileProgram:
    """A kernel of one block that writes its last array."""
    names = ", ".join(f"a{number}" for number in range(len(values)))
    lines = "".join(f"    {line.strip()}\n" for line in body.strip().splitlines())
    source = f"import cuda.tile as ct\n\n\n@ct.kernel\ndef kernel({names}):\n{lines}"
    outputs = (len(values) - 1,)
    return CutileProgram(-1, "test", source, (1,), values, outputs, "sm_90", 3, "device-maps")


NUMBERS = np.arange(-8, 8, dtype=np.int32)
QUOTIENTS = program("ct.store(a1, (0,), ct.load(a0, (0,), (16,)) // 3)", NUMBERS, NUMBERS)
ORDERED = program(
    "ct.store(a1, (0,), ct.maximum(ct.load(a0, (0,), (16,)), 9))",
    NUMBERS.astype(np.uint32),
    NUMBERS.astype(np.uint32),
)
REMAINDERS = program("ct.store(a1, (0,), ct.load(a0, (0,), (16,)) % 5)", NUMBERS, NUMBERS)


@pytest.mark.parametrize("each", [QUOTIENTS, ORDERED, REMAINDERS])
def test_nothing_is_wrong_as_it_is(each: CutileProgram):
    assert examine(each).finding is None


def test_a_mistake_of_a_lowering(monkeypatch: pytest.MonkeyPatch):
    """Quotients that are rounded to zero, not down, in the code of threads."""
    divide = elementwise.divide_signed

    def to_zero(lhs: Any, rhs: Any, rounding: str) -> Any:
        del rounding
        return divide(lhs, rhs, "zero")

    monkeypatch.setattr(elementwise, "divide_signed", to_zero)
    finding = examine(QUOTIENTS).finding
    assert finding is not None
    assert finding.stage == "nvgpu"
    assert "output 0[0] is -2, not -3" in finding.what


def test_a_mistake_that_all_stages_share(monkeypatch: pytest.MonkeyPatch):
    """An interpreter that takes unsigned numbers for signed ones agrees with itself."""

    def read_signed(array: Any, _is_signed: bool) -> Any:
        return numerics.signed(array)

    monkeypatch.setattr(numerics, "_read", read_signed)
    finding = examine(ORDERED, STAGES[:1]).finding
    assert finding is not None
    assert "output 0[0] is 9, not 4294967288" in finding.what


def test_a_mistake_of_the_model(monkeypatch: pytest.MonkeyPatch):
    """Remainders with the sign of the dividend."""

    def remainder(x: model.Tile, y: int) -> model.Tile:
        return model.Tile(x.dtype, np.fmod(x.value, y))

    monkeypatch.setattr(model, "mod", remainder)
    finding = examine(REMAINDERS, STAGES[:1]).finding
    assert finding is not None
    assert "output 0[0] is 2, not -3" in finding.what


# The model alone.


@pytest.mark.parametrize("dtype", [*types.FLOATS_BY_RANK[:3], *EIGHT_BITS], ids=str)
def test_rounding(dtype: types.DType):
    """As NumPy and ml_dtypes round what float32 has, which is the nearest number for all types."""
    random = np.random.default_rng(0)
    exponents = random.uniform(-30, 9, 4000)
    numbers = (random.standard_normal(4000) * 2.0**exponents).astype(np.float32)
    numbers = np.concatenate([numbers, np.array([0, 1, 2**-149], np.float32)])
    fits = np.abs(numbers) <= dtype.largest
    wanted = numbers[fits].astype(dtype.storage).astype(np.float64)
    found = dtype.round(numbers[fits].astype(np.float64))
    # Of numbers between the largest one and infinity, float8_e4m3fn makes NaN.
    assert np.array_equal(found[np.isfinite(wanted)], wanted[np.isfinite(wanted)])


def test_infinity_is_behind_the_largest_number():
    half = types.float16.round(np.array([65519.0, 65520.0, -65520.0]))
    assert list(half) == [65504.0, np.inf, -np.inf]


def test_promotion_is_that_of_cutile(oracle_module: Callable[[str], ModuleType]):
    datatypes = oracle_module("cuda.tile._datatype")
    failure = oracle_module("cuda.tile").TileTypeError
    for a in types.ALL.values():
        for b in types.ALL.values():
            theirs = [getattr(datatypes, each.name) for each in (a, b)]
            try:
                wanted = datatypes.promote_dtypes(*theirs).name
            except failure:
                wanted = None
            try:
                found = types.promote(a, b).name
            except TypeError:
                found = None
            assert found == wanted, (a, b)


def test_errors_of_results():
    """What is exact has none; what is rounded differently in another order has one."""
    small = model.Tile(types.float32, [1.0, 2.5, -3.0, 4.0])
    assert not model.sum_(small).error
    assert not (small * small).error.any()
    square, zeros = small.reshape((2, 2)), model.zeros((2, 2), types.float32)
    assert not model.mma(square, square, zeros).error.any()
    wild = model.Tile(types.float32, types.float32.round(np.array([0.1, 0.2, 0.3, 0.7])))
    total = model.sum_(wild)
    assert 0 < total.error < 1e-6
    assert (wild * wild).error.max() < 2**-24
    assert not (wild + wild).error.any()


def test_sums_have_no_order():
    wild = model.Tile(types.bfloat16, types.bfloat16.round(np.array([[0.1, 0.2, 0.3, 0.7]])))
    found = model.reduce_(wild, 1, model.add, 0.0)
    assert found.shape == (1,)
    assert 0 < found.error[0] < 0.2
    exact = model.Tile(types.bfloat16, [[1.0, 2.0, 3.0, 4.0]])
    assert not model.reduce_(exact, 1, model.add, 0.0).error.any()


def test_comparisons_that_errors_leave_open():
    x = model.Tile(types.float32, [1.0, 5.0], [0.5, 0.5])
    chosen = model.where(x < 1.25, 10.0, 20.0)
    assert list(chosen.value) == [10.0, 20.0]
    assert list(chosen.error) == [10.0, 0.0]
    with pytest.raises(model.OpenBranch):
        bool(model.Tile(types.float32, 1.0, 0.5) < 1.25)


def test_padding_that_is_not_determined_may_be_anything():
    memory = model.Memory.of(np.arange(5, dtype=ml_dtypes.bfloat16))
    tile = model.load(memory, (1,), (4,))
    assert list(np.isinf(tile.error)) == [False, True, True, True]
    tile = model.load(memory, (1,), (4,), padding_mode="NEG_INF")
    assert list(tile.value) == [4.0, -np.inf, -np.inf, -np.inf]
    assert not tile.error.any()
