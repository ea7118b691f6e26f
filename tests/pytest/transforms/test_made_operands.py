"""Operands B that threads make in registers, as operands A of transposed WGMMAs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from xdsl.dialects import scf

from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp
from tileiras_xdsl.xdsl_extras.walking import find_all

from .test_warpgroup_kernels import RANDOM, Array, View, check, kernel, lower, numbers


@dataclass(frozen=True)
class Made:
    """A product whose operand B is made of the tiles of a view, in each iteration."""

    element: str
    stored: str
    """The type in memory."""
    tile: tuple[int, int]
    """Of what is stored."""
    steps: str
    """From `%y` to `%b`."""
    transposed: bool = False
    m: int = 64
    n: int = 64
    k: int = 64
    scaled: bool = False
    """Whether the results of an iteration are multiplied by a number for each row, and added."""
    ahead: bool = True
    """Whether there are registers for the operand of the next iteration."""
    paired: bool = False
    """Whether a CTA computes two tile blocks at once."""
    unrolled: bool = True
    """Whether WGMMAs are in flight across iterations, two of which are one."""

    @property
    def views(self) -> tuple[View, View, View]:
        a = "f32" if self.element == "tf32" else self.element
        total = "i32" if self.element == "i8" else "f32"
        return (
            View("a", a, (self.m, self.k)),
            View("b", self.stored, self.tile, self.transposed),
            View("c", total, (self.m, self.n), pads=False),
        )

    def text(self) -> str:
        a, b, c = self.views
        left = f"tile<{self.m}x{self.k}x{self.element}>"
        right = f"tile<{self.k}x{self.n}x{self.element}>"
        name, signs = ("mmai", " signed signed") if self.element == "i8" else ("mmaf", "")
        rounded = f"%x = ftof %x0 : {a.tile_type} -> {left}" if self.element == "tf32" else ""
        column = f"tile<{self.m}x1xf32>"
        added = f"%next = {name} %x, %b, %s{signs} : {left}, {right}, {c.tile_type}"
        if self.scaled:
            added = f"""
      %d = {name} %x, %b, %nothing{signs} : {left}, {right}, {c.tile_type}
      %ids = iota : tile<{self.m}xi32>
      %floats = itof %ids signed : tile<{self.m}xi32> -> tile<{self.m}xf32>
      %line = reshape %floats : tile<{self.m}xf32> -> {column}
      %rows = broadcast %line : {column} -> {c.tile_type}
      %scaled = mulf %d, %rows : {c.tile_type}
      %next = addf %s, %scaled : {c.tile_type}"""
        return kernel(
            self.views,
            f"""
    %nothing = constant <{c.element}: {"0" if c.element == "i32" else "0.0"}> : {c.tile_type}
    %sum = for %t in (%zero to %n, step %one) : tile<i32>
        iter_values(%s = %nothing) -> ({c.tile_type}) {{
      {a.load("%x0" if rounded else "%x", "%i", "%t")}
      {rounded}
      {b.load("%y", "%t", "%j")}
      {self.steps}
      {added}
      continue %next : {c.tile_type}
    }}
    {c.store("%sum", "%i", "%j")}""",
        )

    def right(self, stored: Array) -> Array:
        """Operand B, of all iterations."""
        if self.stored not in ("i8", "i32") or self.element == "i8":
            return stored.astype(np.float64)
        if self.tile[0] == self.k:
            return stored.astype(np.float64)
        if self.stored == "i32":
            parts = [(stored >> 4 * part & 15) - 8 for part in range(8)]
            return np.stack(parts, 1).reshape(-1, stored.shape[1]).astype(np.float64)
        bits = stored.astype(np.uint8)
        halves = bits & 15, bits >> 4
        if "cat" not in self.steps:
            return np.stack(halves, 1).reshape(-1, stored.shape[1]).astype(np.float64)
        tiles = [half.reshape(-1, 1, *self.tile[:1], stored.shape[1]) for half in halves]
        return np.concatenate(tiles, 1).reshape(-1, stored.shape[1]).astype(np.float64)


def converted(element: str, n: int = 64) -> str:
    """Integers of 8 bits as floats."""
    return f"%b = itof %y signed : tile<64x{n}xi8> -> tile<64x{n}x{element}>"


HALVES = """%low = constant <i8: 15> : tile<32x64xi8>
      %four = constant <i8: 4> : tile<32x64xi8>
      %u = andi %y, %low : tile<32x64xi8>
      %v = shri %y, %four unsigned : tile<32x64xi8>
      %w = cat %u, %v dim = 0 : tile<32x64xi8>, tile<32x64xi8> -> tile<64x64xi8>
      %b = itof %w unsigned : tile<64x64xi8> -> tile<64x64xf16>"""
PAIRS = """%ids = iota : tile<2xi8>
      %four = constant <i8: 4> : tile<2xi8>
      %step = muli %ids, %four : tile<2xi8>
      %shape = reshape %step : tile<2xi8> -> tile<1x2x1xi8>
      %shifts = broadcast %shape : tile<1x2x1xi8> -> tile<32x2x64xi8>
      %low = constant <i8: 15> : tile<32x2x64xi8>
      %flat = reshape %y : tile<32x64xi8> -> tile<32x1x64xi8>
      %twice = broadcast %flat : tile<32x1x64xi8> -> tile<32x2x64xi8>
      %u = shri %twice, %shifts unsigned : tile<32x2x64xi8>
      %v = andi %u, %low : tile<32x2x64xi8>
      %w = reshape %v : tile<32x2x64xi8> -> tile<64x64xi8>
      %b = itof %w unsigned : tile<64x64xi8> -> tile<64x64xf16>"""
WORDS = """%ids = iota : tile<8xi32>
      %four = constant <i32: 4> : tile<8xi32>
      %step = muli %ids, %four : tile<8xi32>
      %shape = reshape %step : tile<8xi32> -> tile<1x8x1xi32>
      %shifts = broadcast %shape : tile<1x8x1xi32> -> tile<8x8x64xi32>
      %low = constant <i32: 15> : tile<8x8x64xi32>
      %flat = reshape %y : tile<8x64xi32> -> tile<8x1x64xi32>
      %all = broadcast %flat : tile<8x1x64xi32> -> tile<8x8x64xi32>
      %u = shri %all, %shifts signed : tile<8x8x64xi32>
      %v = andi %u, %low : tile<8x8x64xi32>
      %w = reshape %v : tile<8x8x64xi32> -> tile<64x64xi32>
      %eight = constant <i32: 8> : tile<64x64xi32>
      %x8 = subi %w, %eight : tile<64x64xi32>
      %b = itof %x8 signed : tile<64x64xi32> -> tile<64x64xf16>"""

MADE = {
    "converted": Made("f16", "i8", (64, 64), converted("f16")),
    "wide": Made("bf16", "i8", (64, 128), converted("bf16", 128), m=128, n=128, paired=True),
    "scaled": Made("f16", "i8", (64, 64), converted("f16"), scaled=True, unrolled=False),
    "halves": Made("f16", "i8", (32, 64), HALVES),
    "pairs": Made("f16", "i8", (32, 64), PAIRS),
    "brain": Made("bf16", "i8", (32, 64), PAIRS.replace("xf16", "xbf16")),
    "words": Made("f16", "i32", (8, 64), WORDS),
    "long": Made("f16", "i8", (64, 256), converted("f16", 256), m=128, n=256),
    "narrowed": Made("f16", "f32", (64, 64), "%b = ftof %y : tile<64x64xf32> -> tile<64x64xf16>"),
    "f8": Made("f8E4M3FN", "f8E4M3FN", (64, 64), "", unrolled=False),
    "f8 and partial sums": Made(
        "f8E4M3FN", "f8E4M3FN", (128, 256), "", m=128, n=256, k=128, ahead=False, unrolled=False
    ),
    "i8": Made("i8", "i8", (64, 64), "", unrolled=False),
    "tf32": Made(
        "tf32",
        "f32",
        (32, 64),
        "%b = ftof %y : tile<32x64xf32> -> tile<32x64xtf32>",
        k=32,
        unrolled=False,
    ),
    "long tf32": Made(
        "tf32",
        "f32",
        (32, 256),
        "%b = ftof %y : tile<32x256xf32> -> tile<32x256xtf32>",
        m=128,
        n=256,
        k=32,
        unrolled=False,
    ),
}


def check_product(made: Made, trips: int) -> str:
    """The text of a kernel whose results are right, with this many iterations."""
    text = made.text() if made.steps else made.text().replace("%b, ", "%y, ")
    a, b, c = made.views
    depth = made.tile[0] * trips
    stored = numbers(b.element, depth, made.n)
    if b.element in ("i8", "i32") and made.element != "i8":
        limits = np.iinfo(b.element.replace("i", "int"))
        size = (depth, made.n)
        stored = RANDOM.integers(limits.min, limits.max, size, limits.dtype, endpoint=True)
    left = numbers(a.element, made.m, made.k * trips)
    expected = left.astype(np.float64) @ made.right(stored)
    if made.scaled:
        expected *= np.arange(made.m)[:, None]
    result = np.zeros((made.m, made.n), np.int32 if c.element == "i32" else np.float32)
    check(text, [left, stored, result], expected, n=trips)
    return text


@pytest.mark.parametrize(
    ("name", "fences"), [("long tf32", 1), ("converted", 2), ("f8 and partial sums", 0)]
)
def test_loads_are_there_before_stages_are_filled_again(name: str, fences: int):
    """
    Copies may overtake loads that wait behind WGMMAs. Those of an operand that the next WGMMA needs
    are there before it is issued.
    """
    made = MADE[name]
    text = made.text() if made.steps else made.text().replace("%b, ", "%y, ")
    found = [
        [op.name for op in loop.body.block.ops].count("nvvm.fence.proxy")
        for loop in find_all(lower(text, "host-maps", 3, 3)[3], scf.ForOp)
        if any(op.name == "nvvm.wgmma.mma_async" for op in loop.body.block.ops)
    ]
    assert found[0] == fences


@pytest.mark.part("kernels")
@pytest.mark.every(3, first=1)
@pytest.mark.parametrize("trips", [1, 3, 2, 4, 5])
@pytest.mark.parametrize("name", MADE)
def test_operands_made_in_registers(name: str, trips: int):
    made = MADE[name]
    text = check_product(made, trips)
    stages = lower(text, "host-maps", 3, 3)
    agents = stages[2]
    # Two iterations and a last one, and what is behind the loop.
    dots = 4 if made.unrolled else 1 + made.ahead
    assert len(find_all(agents, AsyncDotOp)) == dots * (3 if made.paired else 1)
    assert not any(copy.destination for copy in find_all(agents, CopyOp))
    for loop in find_all(stages[3], scf.ForOp):
        names = {op.name for op in loop.body.block.ops}
        assert not {"nvvm.wgmma.mma_async", "nvvm.barrier"} <= names, "warps wait for each other"
