"""
Attacks on `tileas-prepare-for-scheduling`: epilogue loads of what the loop before them stores, of
what nobody knows not to be that, and of what is something else; accumulators that depend on dots;
tiles that each warp loads itself, with padding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import f16, f32

from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp

from ..harness.modules import ops_of
from ..transforms.test_warpgroup_kernels import View, as_arguments, kernel, numbers
from .attacks import Attack

ATTACK = Attack("tileas-prepare-for-scheduling", arch="sm_90a", fires=None, then=("nvgpu",))
A, B = View("a", "f16", (64, 32)), View("b", "f16", (32, 64))
C, D = (View(name, "f32", (64, 64), pads=False) for name in "cd")
TYPES = f"{A.tile_type}, {B.tile_type}, {C.tile_type}"


def product(stored: str, loaded: View, token: str) -> str:
    """A loop of dots that stores, then a load from some matrix, ordered behind that or not."""
    tile = C.tile_type
    return kernel(
        (A, B, C, D),
        f"""
    %start = constant <f32: 1.0> : {tile}
    %t0 = make_token : token
    %sum, %t = for %k in (%zero to %n, step %one) : tile<i32>
        iter_values(%x = %start, %u = %t0) -> ({tile}, token) {{
      {A.load("%a0", "%zero", "%k")}
      {B.load("%b0", "%k", "%zero")}
      %y = mmaf %a0, %b0, %x : {TYPES}
      {stored}
      continue %y, %w : {tile}, token
    }}
    %e, %te = load_view_tko weak %v{loaded.name}[%zero, %zero] token = {token}
        : {loaded.type}, tile<i32> -> {tile}, token
    %r = addf %sum, %e : {tile}
    %done = store_view_tko weak %r, %vd[%zero, %zero] token = %te
        : {tile}, {D.type}, tile<i32> -> token""",
    )


STORE = (
    f"%w = store_view_tko weak %x, %vc[%zero, %zero] token = %u : {C.tile_type}, {C.type}, "
    "tile<i32> -> token"
)
PROGRAMS = {
    "what the loop stores": product(STORE, C, "%t"),
    "what it does not store": product("%w = join_tokens %u, %u : token", C, "%t0"),
    "what it is not ordered with": product(STORE, D, "%t0"),
}


@pytest.mark.every(4)
@pytest.mark.parametrize("name", PROGRAMS)
def test_epilogue_loads(name: str):
    def arguments(trips: int) -> list[Any]:
        depth = 32 * max(trips, 1)
        matrices = [numbers("f16", 64, depth), numbers("f16", depth, 64)]
        return as_arguments([*matrices, numbers("f32", 64, 64), numbers("f32", 64, 64)], trips)

    after = ATTACK.run(PROGRAMS[name], map(arguments, (0, 3)))
    (loop,) = ops_of(after, scf.ForOp)
    load = next(op for op in ops_of(after, TiledLoadOp) if op.parent_block() is loop.parent_block())
    assert load.is_before_in_block(loop) == (name != "what the loop stores")


def test_one_matrix_for_two():
    """Parameters may be the same matrix, with a token between."""
    both = np.zeros((64, 64), np.float32)
    arguments = as_arguments([numbers("f16", 64, 96), numbers("f16", 96, 64), both, both], 3)
    ATTACK.run(product(STORE, D, "%t"), [arguments])


WIDE_A, WIDE_B = View("a", "f16", (128, 32)), View("b", "f16", (32, 128))
WIDE_C = View("c", "f32", (128, 128), pads=False)


def biased(bias: View) -> str:
    """A product of two warpgroups, and a row or column that is added to it."""
    tile = WIDE_C.tile_type
    wide = bias.tile_type.replace("f16", "f32")
    return kernel(
        (WIDE_A, WIDE_B, WIDE_C, bias),
        f"""
    %start = constant <f32: 1.0> : {tile}
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%x = %start) -> ({tile}) {{
      {WIDE_A.load("%a0", "%zero", "%k")}
      {WIDE_B.load("%b0", "%k", "%zero")}
      %y = mmaf %a0, %b0, %x : {WIDE_A.tile_type}, {WIDE_B.tile_type}, {tile}
      continue %y : {tile}
    }}
    {bias.load("%e", "%zero", "%zero")}
    %f = ftof %e : {bias.tile_type} -> {wide}
    %g = broadcast %f : {wide} -> {tile}
    %r = addf %sum, %g : {tile}
    {WIDE_C.store("%r", "%zero", "%zero")}""",
    )


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("shape", "size", "is_whole"),
    [
        ((1, 128), (1, 128), True),
        # Elements that are padding.
        ((1, 128), (1, 112), True),
        # Accesses of two bytes: threads load each element once, and warps exchange them.
        ((128, 1), (128, 16), False),
    ],
)
def test_small_tiles_of_all_warps(shape: tuple[int, int], size: tuple[int, int], is_whole: bool):
    """
    Each warp loads a row that all of them add, instead of a share of it, and its lanes exchange
    elements before these become wider.
    """
    program = biased(View("e", "f16", shape))
    matrices = [numbers("f16", 128, 64), numbers("f16", 64, 128), numbers("f32", 128, 128)]
    after = ATTACK.run(program, [as_arguments([*matrices, numbers("f16", *size)], 2)])
    (loop,) = ops_of(after, scf.ForOp)
    load = next(op for op in ops_of(after, TiledLoadOp) if op.parent_block() is loop.parent_block())
    layout = layout_of(load.result.type)
    assert layout is not None
    assert layout.warps == 8
    assert not any(layout.warp) == is_whole
    conversions = ops_of(after, ConvertLayoutOp)
    (conversion,) = (op for op in conversions if op.parent_block() is loop.parent_block())
    assert get_element(conversion.result.type) == (f16 if is_whole else f32)
