"""How many registers are live: of tiles of data, wherever an op needs all of its operand first."""

from math import prod

import pytest
from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.analysis.live_tiles import LiveTiles
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.modules import parse

TILE = "tensor<16xf32>"


@pytest.mark.parametrize(
    ("used", "count"),
    [
        # What follows from no data is computed where it is used.
        (f"%c = arith.constant dense<1.0> : {TILE}", 16 + 16),
        # A view is no tile of its own.
        (f"%c = nv_tileaa.view %a : {TILE} -> {TILE}", 16 + 16),
        (f"%c = arith.mulf %a, %a : {TILE}", 16 + 16 + 16),
    ],
)
def test_across_an_exchange(used: str, count: int):
    """The sum is exchanged, while `%a` and what is used later stay."""
    module = parse(f"""
        gpu.module @m {{
          gpu.func @f(%a: {TILE}, %b: {TILE}) kernel {{
            {used}
            %sum = arith.addf %a, %b : {TILE}
            %moved = "test.op"(%sum) : ({TILE}) -> {TILE}
            %first = arith.addf %moved, %c : {TILE}
            %last = arith.addf %first, %a : {TILE}
            "test.op"(%last) : ({TILE}) -> ()
            gpu.return
          }}
        }}""")
    (function,) = find_all(module, FuncOp)
    tiles = LiveTiles(lambda tile: prod(get_shape(tile.type)), lambda op: op.name == "test.op")
    assert tiles.in_function(function) == count
