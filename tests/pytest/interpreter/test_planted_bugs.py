"""Bugs that are planted into the compiler, one at a time, are found by random programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.transforms.cuda_tile.loop_split import Split
from tileiras_xdsl.transforms.tileaa.canonicalization import memory as nv_tileaa_memory
from tileiras_xdsl.transforms.tileaa.canonicalization.memory import get_constant
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa import (
    control_flow,
    conversion_pass,
    types,
)
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa import control_flow as exits
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import BySignedness

from ..strategies.programs import random_program
from .differential import converted, differences, outcome

LIMIT = 220
"""Within how many programs a bug must be found: those of `test_differential.py`."""

Plant = Callable[[pytest.MonkeyPatch], None]


def signedness_is_dropped(patch: pytest.MonkeyPatch) -> None:
    """`maxi` of unsigned numbers compares signed ones."""

    right = BySignedness.convert

    def convert(self: Any, op: Operation, rewriter: Any) -> None:
        if isinstance(op, ct.MaxIOp):
            rewriter.replace(op, arith.MaxSIOp(rewriter.value(op.lhs), rewriter.value(op.rhs)))
        else:
            right(self, op, rewriter)

    patch.setattr(BySignedness, "convert", convert)


def mixed_masks_are_false(patch: pytest.MonkeyPatch) -> None:
    """A mask with a false lane is taken for one without a true lane."""

    def is_full_of(value: SSAValue, bits: int) -> bool:
        constant = get_constant(value)
        if constant is None:
            return False
        return (
            bits in constant.distinct_bits
            if bits == 0
            else constant.distinct_bits == frozenset((bits,))
        )

    patch.setattr(nv_tileaa_memory, "is_full_of", is_full_of)


def break_values_are_swapped(patch: pytest.MonkeyPatch) -> None:
    """A loop is left with the first two of its results exchanged, if types allow that."""
    slots = exits.LoopFrame.slots

    def swapped(
        self: exits.LoopFrame, exit_kind: exits.ExitKind, values: Sequence[SSAValue]
    ) -> list[exits.Slot]:
        if (
            exit_kind is exits.ExitKind.BREAK
            and len(values) > 1
            and values[0].type == values[1].type
        ):
            values = [values[1], values[0], *values[2:]]
        return slots(self, exit_kind, values)

    patch.setattr(exits.LoopFrame, "slots", swapped)


def units_are_mixed_up(patch: pytest.MonkeyPatch) -> None:
    """Offsets of elements of different sizes are added as they are."""

    def scale(rewriter: object, location: object, offset: SSAValue, unit: int) -> SSAValue:
        return offset

    patch.setattr(nv_tileaa_memory, "_scale", scale)


def loops_are_signed(patch: pytest.MonkeyPatch) -> None:
    """`for unsigned` compares signed numbers."""

    def compare(lhs: SSAValue, rhs: SSAValue, predicate: str) -> arith.CmpiOp:
        return arith.CmpiOp(lhs, rhs, "slt" if predicate == "ult" else predicate)

    class SignedArith:
        """`arith`, but for unsigned comparisons."""

        CmpiOp = staticmethod(compare)

        def __getattr__(self, name: str) -> Any:
            return getattr(arith, name)

    patch.setattr(control_flow, "arith", SignedArith())


def scans_run_along_the_first_dimension(patch: pytest.MonkeyPatch) -> None:
    """`scan` forgets its dimension."""
    convert = conversion_pass.AggregatePattern.convert

    def forgetful(self: Any, op: Any, rewriter: Any) -> None:
        if isinstance(op, ct.ScanOp):
            op.properties["dim"] = IntegerAttr(0, 32)
        convert(self, op, rewriter)

    patch.setattr(conversion_pass.AggregatePattern, "convert", forgetful)


def rounding_is_dropped(patch: pytest.MonkeyPatch) -> None:
    """Modes of rounding are lost in the conversion."""
    convert = types.convert_properties

    def without(op: Operation) -> dict[str, Attribute]:
        return {name: value for name, value in convert(op).items() if name != "rounding_mode"}

    patch.setattr(types, "convert_properties", without)


def loops_are_split_late(patch: pytest.MonkeyPatch) -> None:
    """A loop is split one round too late."""
    build = Split.build_split_point

    def late(self: Split) -> SSAValue:
        point = build(self)
        return self.build(ct.AddIOp(point, self.loop.step))

    patch.setattr(Split, "build_split_point", late)


@dataclass(frozen=True)
class Bug:
    """A bug, and the stage that has it."""

    plant: Plant
    stage: str
    program: int
    """One that shows it, tried before all others."""


BUGS = (
    Bug(signedness_is_dropped, "convert-cuda-tile-to-tileaa", 197),
    Bug(break_values_are_swapped, "convert-cuda-tile-to-tileaa", 79),
    Bug(loops_are_signed, "convert-cuda-tile-to-tileaa", 90),
    Bug(scans_run_along_the_first_dimension, "convert-cuda-tile-to-tileaa", 123),
    Bug(rounding_is_dropped, "convert-cuda-tile-to-tileaa", 6),
    Bug(mixed_masks_are_false, "canonicalize-tileaa", 40),
    Bug(units_are_mixed_up, "canonicalize-tileaa", 6),
    Bug(loops_are_split_late, "loop-split", 11),
)


def first_found(stage: str, likely: int) -> int | None:
    """The first program that differs at a stage, one of them tried before the others."""
    for seed in (likely, *range(LIMIT)):
        program = random_program(seed)
        found = differences(
            program.module, program.arguments, program.grid, stages=[stage], verify=False
        )
        if any(found):
            return seed
    return None


@pytest.mark.every(3)
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.plant.__name__)
def test_bug_is_found(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    bug.plant(monkeypatch)
    assert first_found(bug.stage, bug.program) is not None


@pytest.mark.part("kernels")
def test_lost_token_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that comes after nothing changes no result of a run in order, but is a race."""
    build = types.OneToOne.build

    def without_token(self: types.OneToOne, op: Operation, rewriter: Any) -> Operation:
        if isinstance(op, ct.StorePtrOp) and op.token is not None:
            mask = [] if op.mask is None else [rewriter.value(op.mask)]
            return self.op_class.build(  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
                operands=[rewriter.value(op.destination), rewriter.value(op.value), mask, []],
                result_types=[[rewriter.type(op.result_token.type)]],
                properties=types.convert_properties(op),
            )
        return build(self, op, rewriter)

    monkeypatch.setattr(types.OneToOne, "build", without_token)
    for seed in range(LIMIT):
        program = random_program(seed)
        try:
            outcome(converted(program.module), program.arguments(), program.grid, check=["races"])
        except ExecutionError:
            return
    pytest.fail("not found")
