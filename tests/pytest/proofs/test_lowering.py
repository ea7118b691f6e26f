"""Integer ops mean the same after lowering, for all values."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from xdsl.ir import SSAValue

from tileiras_xdsl.pipeline import ModuleStage
from tileiras_xdsl.transforms.common.expressions import Number
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import elementwise
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu.thread_builder import ThreadBuilder

from .lowering import STAGES, WIDTHS, Case, cases, constant_divisions, prove_lowering
from .solver import needs_solver


def check(chosen: Iterable[Case], stage: ModuleStage) -> None:
    for case in chosen:
        verdict = prove_lowering(case, stage)
        assert verdict.answer != "refuted", f"{case}: {verdict.counterexample}"


@needs_solver
def test_ops_of_eight_bits():
    """Of each op some modes; products and quotients for all pairs of numbers."""
    check(list(cases(("i8",)))[::3], "nvvm")


@needs_solver
@pytest.mark.long
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stage", STAGES)
def test_every_op(width: str, stage: ModuleStage):
    check(cases((width,)), stage)


@needs_solver
@pytest.mark.long
@pytest.mark.parametrize("width", WIDTHS)
def test_constants(width: str):
    check(constant_divisions((width,)), "nvvm")


@needs_solver
def test_a_wrong_division_is_found(monkeypatch: pytest.MonkeyPatch):
    """A quotient that is rounded up without a look at the signs."""

    def step_if_inexact(
        lhs: Number, rhs: Number, quotient: Number, step: int, applies: Number | None
    ) -> Number:
        return original(lhs, rhs, quotient, step, None)

    original = elementwise.step_if_inexact
    monkeypatch.setattr(elementwise, "step_if_inexact", step_if_inexact)
    case = Case("divi", "i8", "divi %a, %b signed rounding<positive_inf> : T", "i8")
    assert prove_lowering(case, "nvgpu").answer == "refuted"


@needs_solver
def test_a_shift_that_is_poison_is_found(monkeypatch: pytest.MonkeyPatch):
    """An amount of 64 bits of which only half counts."""

    def low_half(builder: ThreadBuilder, amount: SSAValue) -> Number:
        return builder.number(builder.literal(1, amount.type))

    monkeypatch.setattr(elementwise, "low_half", low_half)
    case = Case("shli", "i64", "shli %a, %b : T", "i64")
    assert prove_lowering(case, "nvgpu").answer == "refuted"
