"""Loops mean the same as blocks and branches, and none is left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.convert_scf_to_cf import ConvertScfToCf

from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.transforms.nvvm.convert_scf_while_to_cf import ConvertScfWhileToCfPass
from tileiras_xdsl.transforms.nvvm.convert_to_llvm.conversion_pass import ConvertToLlvmPass
from tileiras_xdsl.transforms.tileaa.convert_cuda_tile_to_tileaa.conversion_pass import (
    ConvertCudaTileToTileaaPass,
)
from tileiras_xdsl.xdsl_extras.dominance import verify_dominance

from ..harness.cases import every
from ..harness.modules import context, parse
from ..harness.passes import apply
from .host_llvm import HostModule

BYTECODE = Path(__file__).parents[2] / "corpus" / "bytecode" / "13.4"


def convert(text: str) -> ModuleOp:
    """What the three conversions make of a text, verified after each."""
    return apply(
        parse(text), ConvertScfWhileToCfPass(), ConvertScfToCf(), ConvertToLlvmPass(), check="each"
    )


COLLATZ = """
%r = scf.for %i = %c1 to %n step %c1 iter_args(%most = %c0) -> (index) {
  %last, %steps = scf.while (%x = %i, %k = %c0) : (index, index) -> (index, index) {
    %more = arith.cmpi ne, %x, %c1 : index
    scf.condition(%more) %x, %k : index, index
  } do {
  ^bb0(%x: index, %k: index):
    %bit = arith.andi %x, %c1 : index
    %odd = arith.cmpi eq, %bit, %c1 : index
    %next = scf.if %odd -> (index) {
      %three = arith.muli %x, %c3 : index
      %up = arith.addi %three, %c1 : index
      scf.yield %up : index
    } else {
      %down = arith.divui %x, %c2 : index
      scf.yield %down : index
    }
    %k1 = arith.addi %k, %c1 : index
    scf.yield %next, %k1 : index, index
  }
  %max = arith.maxsi %most, %steps : index
  scf.yield %max : index
}
"""


def collatz(n: int) -> int:
    most = 0
    for i in range(1, n):
        x, steps = i, 0
        while x != 1:
            x, steps = (3 * x + 1 if x % 2 else x // 2), steps + 1
        most = max(most, steps)
    return most


NESTED = """
%r = scf.while (%x = %n) : (index) -> index {
  // The condition has a loop of its own, and its results are others than its arguments.
  %down = scf.while (%y = %x) : (index) -> index {
    %rest = arith.remui %y, %c3 : index
    %goes_on = arith.cmpi ne, %rest, %c0 : index
    scf.condition(%goes_on) %y : index
  } do {
  ^bb0(%y: index):
    %less = arith.subi %y, %c1 : index
    scf.yield %less : index
  }
  %more = arith.cmpi sgt, %down, %c3 : index
  scf.condition(%more) %down : index
} do {
^bb0(%z: index):
  %even = arith.remui %z, %c2 : index
  %next = scf.index_switch %even -> index
  case 0 {
    %half = arith.divui %z, %c2 : index
    scf.yield %half : index
  }
  default {
    %w = scf.while (%v = %z) : (index) -> index {
      %less = arith.subi %v, %c2 : index
      %more = arith.cmpi sgt, %less, %c5 : index
      scf.condition(%more) %less : index
    } do {
    ^bb0(%v: index):
      scf.yield %v : index
    }
    scf.yield %w : index
  }
  scf.yield %next : index
}
"""


def nested(n: int) -> int:
    x = n
    while True:
        while x % 3:
            x -= 1
        if x <= 3:
            return x
        if x % 2 == 0:
            x //= 2
            continue
        while True:
            x -= 2
            if x <= 5:
                break


@pytest.mark.parametrize(
    ("body", "meaning"), [(COLLATZ, collatz), (NESTED, nested)], ids=["collatz", "nested"]
)
def test_loops_mean_the_same(body: str, meaning: Callable[[int], int]):
    constants = "\n".join(
        f"%c{value} = arith.constant {value} : index" for value in (0, 1, 2, 3, 5)
    )
    module = convert(f"""
func.func @f(%n: index, %out: memref<index>) {{
  {constants}
  {body}
  memref.store %r, %out[] : memref<index>
  func.return
}}
""")
    assert not any(op.name.startswith("scf.") for op in module.walk())
    function = HostModule(module).get("f")
    for n in (0, 1, 2, 3, 7, 12, 31, 45):
        result = np.zeros(1, np.int64)
        function(n, result)
        assert result[0] == meaning(n), n


def test_only_loops_and_what_is_around_them_go():
    """What holds no `scf.while`, and does not wrap around, is left to xDSL's conversion."""
    module = parse("""
func.func @f(%c: i1, %n: index) {
  %one = arith.constant 1 : index
  scf.for %i = %n to %n step %one {
    scf.if %c {
      scf.yield
    }
    scf.yield
  }
  scf.while () : () -> () {
    scf.condition(%c)
  } do {
    scf.if %c {
      scf.yield
    }
    scf.yield
  }
  func.return
}
""")
    apply(module, ConvertScfWhileToCfPass())
    left = [op.name for op in module.walk() if isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp)]
    assert left == ["scf.for", "scf.if", "scf.if"]


def has_loop(module: ModuleOp) -> bool:
    return any(op.name.startswith("scf.") for op in module.walk())


@pytest.mark.part("kernels")
@pytest.mark.parametrize("first", every(3, range(3)))
def test_loops_of_kernels_go(first: int):
    """The control flow of kernels of the corpus, with tokens as values of loops."""
    ctx, converted = context(), 0
    for path in sorted(BYTECODE.glob("*.tileirbc"))[first::3]:
        module = load(path)
        ConvertCudaTileToTileaaPass(compute_capability="sm_90").apply(ctx, module)
        if not has_loop(module):
            continue
        for conversion in (ConvertScfWhileToCfPass(), ConvertScfToCf()):
            conversion.apply(ctx, module)
            module.verify()
            verify_dominance(module)
        assert not has_loop(module), path.stem
        converted += 1
    assert converted >= 7
