"""
Attacks on `slice-fragments`: what lanes compute from constants, scalars, rows, masks and other
matrices, what is stored twice or used elsewhere, numbers that are not finite, and what is short.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tileiras_xdsl.dialects.nvvm import FragmentStMatrixOp, PMEventOp
from tileiras_xdsl.dialects.nvvm.fragments import FragmentStoreOp, count_lanes

from ..harness.modules import ops_of
from ..transforms.test_warpgroup_kernels import Gemm, View, as_arguments, kernel, numbers
from .attacks import Attack

ELEMENTS = 8
ATTACK = Attack(f"slice-fragments{{elements={ELEMENTS}}}", then=("nvvm",))
GEMM = Gemm("f16", 64, 64, 32)
A, B, _ = GEMM.views
T = "tile<64x64xf32>"
HALF = "tile<64x64xf16>"
ROW = View("e", "f16", (1, 64))
MATRIX = View("e", "f16", (64, 64))


@dataclass(frozen=True)
class Program:
    """What is computed of the product `%sum` and another matrix `%e`, and of which type it is."""

    body: str
    element: str = "f16"
    other: View = ROW
    slices: int = 4

    @property
    def text(self) -> str:
        c = View("c", self.element, (64, 64), pads=False)
        d = View("d", self.element, (64, 64), pads=False)
        begin = f"{GEMM.zero}\n{GEMM.loop('%i', '%j')}\n{self.other.load('%e', '%zero', '%zero')}"
        return kernel((A, B, c, d, self.other), f"{begin}\n{self.body}")

    def arguments(self, trips: int) -> list[Any]:
        depth = GEMM.k * max(trips, 1)
        matrices = [numbers("f16", 64, depth), numbers("f16", depth, 64)]
        results = [numbers(self.element, 64, 64) for _ in range(2)]
        other = numbers("f16", *self.other.tile)
        other.flat[:4] = np.inf, -np.inf, np.nan, -0.0
        return as_arguments([*matrices, *results, other], trips)


def stored(value: str, matrix: str = "c", element: str = "f16") -> str:
    view = View(matrix, element, (64, 64), pads=False)
    return view.store(value, "%zero", "%zero").replace(f"{value}_stored", f"%done_{matrix}")


ADDED = f"""
    %f = ftof %e : {ROW.tile_type} -> tile<1x64xf32>
    %g = broadcast %f : tile<1x64xf32> -> {T}
    %t = addf %sum, %g : {T}"""
NARROW = f"%h = ftof %r : {T} -> {HALF}"

PROGRAMS: Mapping[str, Program] = {
    "a row and constants": Program(
        f"""{ADDED}
    %c = constant <f32: 0.7> : {T}
    %u = mulf %t, %c : {T}
    %v = tanh %u : {T}
    %r = mulf %v, %t : {T}
    {NARROW}
    {stored("%h")}"""
    ),
    "a scalar of run time": Program(
        f"""{ADDED}
    %x = itof %n signed : tile<i32> -> tile<f32>
    %y = reshape %x : tile<f32> -> tile<1x1xf32>
    %z = broadcast %y : tile<1x1xf32> -> {T}
    %u = mulf %t, %z : {T}
    %r = exp %u : {T}
    {NARROW}
    {stored("%h")}"""
    ),
    "a mask, and what is not chosen": Program(
        f"""{ADDED}
    %c = constant <f32: 0.0> : {T}
    %mask = cmpf less_than ordered %t, %c : {T} -> tile<64x64xi1>
    %u = exp %t : {T}
    %v = subf %u, %c : {T}
    %r = select %mask, %v, %t : tile<64x64xi1>, {T}
    {NARROW}
    {stored("%h")}"""
    ),
    "numbers of columns": Program(
        f"""
    %range = iota : tile<64xi32>
    %along = reshape %range : tile<64xi32> -> tile<1x64xi32>
    %columns = broadcast %along : tile<1x64xi32> -> tile<64x64xi32>
    %x = itof %columns signed : tile<64x64xi32> -> {T}
    %u = mulf %sum, %x : {T}
    %r = tanh %u : {T}
    {NARROW}
    {stored("%h")}"""
    ),
    "another matrix": Program(
        f"""
    %f = ftof %e : {MATRIX.tile_type} -> {T}
    %t = addf %sum, %f : {T}
    %u = tanh %t : {T}
    %r = divf %u, %f : {T}
    {NARROW}
    {stored("%h")}""",
        other=MATRIX,
    ),
    "elements of 32 bits": Program(
        f"""{ADDED}
    %r = tanh %t : {T}
    {stored("%r", element="f32")}""",
        "f32",
    ),
    "what is stored twice": Program(
        f"""{ADDED}
    %r = tanh %t : {T}
    {NARROW}
    {stored("%h")}
    {stored("%h", "d")}""",
        slices=1,
    ),
    "what another store needs": Program(
        f"""{ADDED}
    %r = tanh %t : {T}
    {NARROW}
    %v = mulf %r, %t : {T}
    %w = ftof %v : {T} -> {HALF}
    {stored("%h")}
    {stored("%w", "d")}""",
        slices=1,
    ),
    "what takes few instructions": Program(
        f"""{ADDED}
    %r = mulf %t, %t : {T}
    {NARROW}
    {stored("%h")}""",
        slices=1,
    ),
}


@pytest.mark.part("kernels")
@pytest.mark.every(10)
@pytest.mark.parametrize("name", PROGRAMS)
def test_epilogues(name: str):
    """The same is stored to the same places, with an event before each slice but the first."""
    program = PROGRAMS[name]
    attack = ATTACK.but(fires=program.slices > 1)
    after = attack.run(program.text, map(program.arguments, (0, 2)))
    stores = [*ops_of(after, FragmentStMatrixOp), *ops_of(after, FragmentStoreOp)]
    small = [op for op in stores if count_lanes(op.value.type) == ELEMENTS]
    assert len(small) == (program.slices if program.slices > 1 else 0)
    assert len(list(ops_of(after, PMEventOp))) == program.slices - 1


@pytest.mark.part("kernels")
def test_predicates_pass_through_no_event():
    """Two stores need the same mask, which is outside of both chains, and has no registers."""
    program = Program(
        f"""{ADDED}
    %mask = cmpf less_than ordered %t, %sum : {T} -> tile<64x64xi1>
    %x = select %mask, %t, %sum : tile<64x64xi1>, {T}
    %r = tanh %x : {T}
    {NARROW}
    {stored("%h")}
    %y = select %mask, %sum, %t : tile<64x64xi1>, {T}
    %u = exp %y : {T}
    %v = tanh %u : {T}
    %w = ftof %v : {T} -> {HALF}
    {stored("%w", "d")}"""
    )
    after = ATTACK.run(program.text, map(program.arguments, (0, 2)))
    passed = [str(value.type) for op in ops_of(after, PMEventOp) for value in op.operands]
    assert passed
    assert not any("xi1" in each for each in passed)
