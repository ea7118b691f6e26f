"""Block-scaled dots by `mma.sync` of bytes with two elements, and of parts of K."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import MmaFScaledOp, UnpackOp
from tileiras_xdsl.dialects.nv_tileas.matmul import ScaledDotOp
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import select_steps
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.passes import lower, verified_steps
from ..harness.remarks import asked, messages
from .test_scaled_dot import ARCH, E4M3, MXF4, NVF4, Format, arguments, in_memory, kernel, product
from .test_scaled_tcgen05 import Tile, packed_kernel
from .test_split_depth import bounded

CHECKED = ("tileas-insert-barriers", "convert-tileas-to-nvgpu")


def in_bytes(values: list[Any]) -> list[Any]:
    """What is given to a kernel that unpacks operands, with B stored as [N, K]."""
    given = [in_memory(value) for value in values]
    given[0] = given[0].view(np.int8)
    given[1] = in_memory(np.ascontiguousarray(values[1].T)).view(np.int8)
    return given


def check(text: str, tile: Tile, form: Format, trips: int, packed: bool) -> list[ScaledDotOp]:
    """Runs a kernel after some passes, and returns the dots that it has as tiles."""
    module = load(text)
    values = arguments(tile, form, 0, trips)
    expected = product(values, form, tile[2] * trips)
    found: list[ScaledDotOp] = []
    for step in verified_steps(module, select_steps(to="nvgpu", arch=ARCH), ARCH):
        if step.name in CHECKED:
            given = in_bytes(values) if packed else [in_memory(value) for value in values]
            run(module, grid=1, args=given, check=True)
            np.testing.assert_array_equal(given[4], expected, step.name)
        if step.name == CHECKED[0]:
            assert not find_all(module, UnpackOp)
            found = [op.clone() for op in find_all(module, ScaledDotOp)]
    return found


@pytest.mark.every(2)
@pytest.mark.parametrize(("tile", "form"), [((32, 16, 128), MXF4), ((16, 32, 64), NVF4)])
def test_bytes(tile: Tile, form: Format):
    """Elements of 4 bits that are unpacked from bytes are multiplied as these bytes."""
    m, n, k = tile
    (dot,) = check(packed_kernel(tile, form), tile, form, 3, packed=True)
    assert str(dot.packed) == "f4E2M1FN"
    assert [get_shape(value.type) for value in (dot.a, dot.b)] == [(m, k // 2), (k // 2, n)]


def crowded(text: str) -> str:
    """A kernel that shares an SM with three others, so that it has little shared memory."""
    start, end = bounded(text).split("%n: tile<i32>)", 1)
    hints = "optimization_hints=<sm_120 = {occupancy = 4}>"
    _, body = end.split("{\n", 1)
    return f"{start}%n: tile<i32>) {hints} {{\n{body}"


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("text", "tile", "form"),
    [
        (kernel((64, 32, 128), E4M3), (64, 32, 128), E4M3),
        (packed_kernel((64, 32, 256), NVF4), (64, 32, 256), NVF4),
    ],
    ids=["f8", "f4"],
)
def test_pieces_of_k(text: str, tile: Tile, form: Format):
    """Where two buffer stages would not fit, K is split, with scales and bytes."""
    packed = form is NVF4
    (dot,) = check(crowded(text), tile, form, 2, packed=packed)
    groups = tile[2] // form.block
    assert dot.k == tile[2] // 2
    assert [get_shape(scale.type) for scale in dot.scales] == [(64, groups // 2), (groups // 2, 32)]


def test_bytes_along_n():
    """Operand B that is unpacked along N is cut by its rows."""
    tile = (64, 32, 256)
    _, n, k = tile
    text = packed_kernel(tile, MXF4)
    for old, new in (
        (f"tile=({n}x{k // 2})", f"tile=({k}x{n // 2})"),
        (f"tile<{n}x{k // 2}xi8>", f"tile<{k}x{n // 2}xi8>"),
        (f"{n}x{k * 4}xi8, strides=[{k * 4},1]", f"{k * 8}x{n // 2}xi8, strides=[{n // 2},1]"),
        (f"shape = [{n}, {k * 4}]", f"shape = [{k * 8}, {n // 2}]"),
        ("%wb[%zero, %x]", "%wb[%x, %zero]"),
        (f"-> tile<{n}x{k}xf4E2M1FN>", f"-> tile<{k}x{n}xf4E2M1FN>"),
    ):
        assert old in text
        text = text.replace(old, new)
    start, rest = text.split("%vb = make_tensor_view", 1)
    rest = rest.replace(f"strides = [{k * 4}, 1]", f"strides = [{n // 2}, 1]", 1)
    lines = f"{start}%vb = make_tensor_view{rest}".replace("%tb,", "%rb,").split("\n")
    text = "\n".join(line for line in lines if "permute" not in line)
    module = lower(load(crowded(text)), "tileaa", arch=ARCH)
    (dot,) = find_all(module, MmaFScaledOp)
    assert get_shape(dot.rhs.type) == (k // 2, n)
    values = arguments(tile, MXF4, 0, 2)
    given = [in_memory(value) for value in values]
    given[:2] = (value.view(np.int8) for value in given[:2])
    run(module, grid=1, args=given)
    np.testing.assert_array_equal(given[4], product(values, MXF4, 2 * k))


@pytest.mark.parametrize(("arch", "k"), [("sm_120a", 64), ("sm_120", 128), ("sm_90a", 128)])
def test_where_k_is_split(arch: str, k: int):
    """Only dots that an instruction does are."""
    text = crowded(kernel((64, 32, 128), E4M3)).replace("sm_120 =", f"{arch.rstrip('a')} =")
    module = lower(asked(load(text)), "tileaa", arch=arch)
    (dot,) = find_all(module, MmaFScaledOp)
    assert get_shape(dot.lhs.type) == (64, k)
    remarks = messages(module, kind="Passed", category="Tiles")
    text = "buffer stages of 64x128 and 128x32 leave too little shared memory for others"
    assert remarks == ([f"{text}: K is split into 2 parts"] if k == 64 else [])
