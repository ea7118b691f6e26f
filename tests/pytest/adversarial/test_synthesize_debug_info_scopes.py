"""Attacks on `synthesize-debug-info-scopes`: odd places, and code that stays the same."""

import pytest

from tileiras_xdsl.dialects.cuda_tile.debug_info import DILocAttr

from ..harness.modules import parse
from ..harness.passes import applied
from .attacks import make

PLACES = [
    "unknown",
    '"a.py":3:4',
    '"":0:0',
    '"name"("d/a.py":1:2)',
    'callsite("f" at "a.py":5:6)',
    'callsite("a.py":1:1 at callsite("b.py":2:2 at unknown))',
    'fused["a.py":1:1, "b.py":2:2]',
    'fused[unknown, "x"("y"(unknown))]',
]


@pytest.mark.parametrize("place", PLACES)
def test_places(place: str):
    # A function is at no call site.
    of_function = "unknown" if place.startswith("callsite") else place
    module = parse(f"""
cuda_tile.module @m {{
  entry @k(%x: tile<i32>) {{
    %y = addi %x, %x : tile<i32> loc({place})
    %c = cmpi equal %x, %y, signed : tile<i32> -> tile<i1>
    if %c {{
      print_tko "%i", %y : tile<i32> -> token loc({place})
    }}
    return
  }} loc({of_function})
}}""")
    after = applied(module, make("synthesize-debug-info-scopes"))
    assert after.is_structurally_equivalent(module)
    (inner,) = after.body.block.ops
    (entry,) = inner.regions[0].block.ops
    assert all(isinstance(op.location, DILocAttr) for op in entry.walk())
    again = applied(after, make("synthesize-debug-info-scopes"))
    before, behind = ([op.location for op in each.walk()] for each in (after, again))
    assert before == behind
