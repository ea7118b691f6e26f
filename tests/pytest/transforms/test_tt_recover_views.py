"""Views that are found in the arithmetic of pointers are of the same elements."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.tt.convert_tt_to_cuda_tile import ConvertTtToCudaTilePass
from tileiras_xdsl.transforms.tt.tt_recover_views import TtRecoverViewsPass

from ..harness.modules import count, parse
from ..harness.passes import applied, apply
from ..harness.remarks import asked, told

M, N, K = 16, 32, 8
"""The extents of the tiles of a GEMM."""


def axis(name: str, extent: int, dim: int) -> str:
    """Indices along a dimension of a tile, with a size of one along the other."""
    shape = f"{extent}x1" if dim == 0 else f"1x{extent}"
    return (
        f"%{name} = tt.expand_dims %{name}_r {{axis = {1 - dim} : i32}} : "
        f"tensor<{extent}xi32> -> tensor<{shape}xi32>\n"
    )


def tile(
    name: str, rows: tuple[str, int], columns: tuple[str, int], stride: str, bounds: str
) -> str:
    """Pointers to a tile and a mask: `bounds` names what rows and columns are below."""
    (row, m), (column, n) = rows, columns
    ty = f"tensor<{m}x{n}xi32>"
    text = axis(f"{name}_row", m, 0).replace(f"%{name}_row_r", f"%{row}")
    text += axis(f"{name}_col", n, 1).replace(f"%{name}_col_r", f"%{column}")
    text += f"%{name}_s = tt.splat %{stride} : i32 -> tensor<{m}x1xi32>\n"
    text += f"%{name}_o = arith.muli %{name}_row, %{name}_s : tensor<{m}x1xi32>\n"
    text += f"%{name}_rb = tt.broadcast %{name}_o : tensor<{m}x1xi32> -> {ty}\n"
    text += f"%{name}_cb = tt.broadcast %{name}_col : tensor<1x{n}xi32> -> {ty}\n"
    text += f"%{name}_f = arith.addi %{name}_rb, %{name}_cb : {ty}\n"
    pointers = f"tensor<{m}x{n}x!tt.ptr<f32>>"
    text += f"%{name}_b = tt.splat %{name} : !tt.ptr<f32> -> {pointers}\n"
    text += f"%{name}_p = tt.addptr %{name}_b, %{name}_f : {pointers}, {ty}\n"
    return text + bounds


def bound(name: str, index: str, limit: str, dim: int, extents: tuple[int, int]) -> str:
    """A mask of a tile: an index along a dimension is below a limit."""
    m, n = extents
    small = f"{m}x1" if dim == 0 else f"1x{n}"
    return (
        f"%{name}_l = tt.splat %{limit} : i32 -> tensor<{small}xi32>\n"
        f"%{name}_c = arith.cmpi slt, %{index}, %{name}_l : tensor<{small}xi32>\n"
        f"%{name} = tt.broadcast %{name}_c : tensor<{small}xi1> -> tensor<{m}x{n}xi1>\n"
    )


def gemm(*, wraps: bool, masks: bool) -> str:
    """A GEMM with pointers that a loop moves on, whose rows and columns may wrap around."""
    text = "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
    for extent in (M, N, K):
        text += f"%c{extent} = arith.constant {extent} : i32\n"
        text += f"%r{extent} = tt.make_range {{end = {extent} : i32, start = 0 : i32}} : "
        text += f"tensor<{extent}xi32>\n"
    for name, extent, dim, size in (("i", M, "x", "m"), ("j", N, "y", "n")):
        ty = f"tensor<{extent}xi32>"
        text += f"%{name}_id = tt.get_program_id {dim} : i32\n"
        text += f"%{name}_0 = arith.muli %{name}_id, %c{extent} : i32\n"
        text += f"%{name}_s = tt.splat %{name}_0 : i32 -> {ty}\n"
        text += f"%{name} = arith.addi %{name}_s, %r{extent} : {ty}\n"
        text += f"%{name}_n = tt.splat %{size} : i32 -> {ty}\n"
        text += f"%{name}_w = arith.remsi %{name}, %{name}_n : {ty}\n"
    row, column = ("i_w", "j_w") if wraps else ("i", "j")
    text += tile("a", (row, M), (f"r{K}", K), "k", "")
    text += tile("b", (f"r{K}", K), (column, N), "n", "")
    text += f"""
%a_z = arith.constant dense<0.0> : tensor<{M}x{K}xf32>
%b_z = arith.constant dense<0.0> : tensor<{K}x{N}xf32>
%z = arith.constant dense<0.0> : tensor<{M}x{N}xf32>
%a_step = arith.constant dense<{K}> : tensor<{M}x{K}xi32>
%b_step0 = arith.muli %n, %c{K} : i32
%b_step = tt.splat %b_step0 : i32 -> tensor<{K}x{N}xi32>
%up = arith.constant {K - 1} : i32
%k_up = arith.addi %k, %up : i32
%trips = arith.divsi %k_up, %c{K} : i32
%acc, %pa, %pb = scf.for %t = %c0 to %trips step %c1 iter_args(%s = %z, %pa0 = %a_p, %pb0 = %b_p) \
-> (tensor<{M}x{N}xf32>, tensor<{M}x{K}x!tt.ptr<f32>>, tensor<{K}x{N}x!tt.ptr<f32>>) : i32 {{
%done = arith.muli %t, %c{K} : i32
%left = arith.subi %k, %done : i32
""".replace("\\\n", "")
    text += bound("am", "a_col", "left", 1, (M, K)) + bound("bm", "b_row", "left", 0, (K, N))
    text += f"""
%x = tt.load %pa0, %am, %a_z : tensor<{M}x{K}x!tt.ptr<f32>>
%y = tt.load %pb0, %bm, %b_z : tensor<{K}x{N}x!tt.ptr<f32>>
%d = tt.dot %x, %y, %s : tensor<{M}x{K}xf32> * tensor<{K}x{N}xf32> -> tensor<{M}x{N}xf32>
%pa1 = tt.addptr %pa0, %a_step : tensor<{M}x{K}x!tt.ptr<f32>>, tensor<{M}x{K}xi32>
%pb1 = tt.addptr %pb0, %b_step : tensor<{K}x{N}x!tt.ptr<f32>>, tensor<{K}x{N}xi32>
scf.yield %d, %pa1, %pb1 : tensor<{M}x{N}xf32>, tensor<{M}x{K}x!tt.ptr<f32>>, \
tensor<{K}x{N}x!tt.ptr<f32>>
}}
""".replace("\\\n", "")
    text += tile("c", ("i", M), ("j", N), "n", "")
    text += bound("cm", "c_row", "m", 0, (M, N)) + bound("cn", "c_col", "n", 1, (M, N))
    text += f"%mask = arith.andi %cm, %cn : tensor<{M}x{N}xi1>\n"
    text += f"tt.store %c_p, %acc{', %mask' if masks else ''} : tensor<{M}x{N}x!tt.ptr<f32>>\n"
    arguments = "%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %m: i32, %n: i32, %k: i32"
    return f"tt.func public @gemm({arguments}) {{\n{text}tt.return\n}}\n"


@pytest.mark.parametrize(
    ("wraps", "masks", "sizes"),
    [
        (False, True, (32, 64, 24)),
        (True, True, (32, 64, 24)),
        (True, True, (23, 45, 13)),
        (True, False, (32, 64, 24)),
    ],
)
def test_gemm(wraps: bool, masks: bool, sizes: tuple[int, int, int]):
    m, n, k = sizes
    module = applied(parse(gemm(wraps=wraps, masks=masks)), TtRecoverViewsPass())
    # Elements that wrap around must be masked out where they are stored.
    assert count(module, "tt.descriptor_load") == (0 if wraps and not masks else 2)
    assert count(module, "tt.descriptor_store") == 1
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(m, k)), rng.normal(size=(k, n))
    c = np.full((m, n), 7, np.float32)
    arguments = [a.astype(np.float32), b.astype(np.float32), c, m, n, k]
    run(applied(module, ConvertTtToCudaTilePass()), (-(-m // M), -(-n // N)), arguments)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)


def test_remarks_say_what_is_missing():
    module = asked(parse(gemm(wraps=True, masks=False)), explain=True)
    apply(module, TtRecoverViewsPass())
    reasons = {each.reason for each in told(module, kind="Missed")}
    assert reasons == {"a store does not mask out the elements that wrap around"}


def copy(name: str, kind: tuple[str, bool, bool, bool]) -> str:
    """Copies a tile of a matrix whose indices begin at 3 and 5, maybe transposed."""
    stride, is_bound, is_transposed, from_loop = kind
    m, n = (N, M) if is_transposed else (M, N)
    steps = "" if stride == "s" else f"%s = arith.constant {stride} : i32\n"
    text = f"%s0 = arith.constant 3 : i32\n%s1 = arith.constant 5 : i32\n{steps}"
    for dim, extent in enumerate((m, n)):
        ty = f"tensor<{extent}xi32>"
        text += f"%r{dim} = tt.make_range {{end = {extent} : i32, start = 0 : i32}} : {ty}\n"
        text += f"%q{dim} = tt.splat %s{dim} : i32 -> {ty}\n"
        text += f"%i{dim} = arith.addi %q{dim}, %r{dim} : {ty}\n"
    text += tile("p", ("i0", m), ("i1", n), "s", "")
    if is_transposed:
        # Rows lie without gaps, columns do not.
        text = text.replace(
            f"%p_o = arith.muli %p_row, %p_s : tensor<{m}x1xi32>",
            f"%p_o = arith.addi %p_row, %p_zero : tensor<{m}x1xi32>",
        ).replace(f"%p_cb = tt.broadcast %p_col : tensor<1x{n}xi32>",
                  f"%p_cs = tt.splat %s : i32 -> tensor<1x{n}xi32>\n"
                  f"%p_cm = arith.muli %p_col, %p_cs : tensor<1x{n}xi32>\n"
                  f"%p_cb = tt.broadcast %p_cm : tensor<1x{n}xi32>")  # fmt: skip
        text = f"%p_zero = arith.constant dense<0> : tensor<{m}x1xi32>\n{text}"
    mask = ""
    if is_bound:
        text += bound("mr", "p_row", "m", 0, (m, n)) + bound("mc", "p_col", "n", 1, (m, n))
        text += f"%mask = arith.andi %mr, %mc : tensor<{m}x{n}xi1>\n"
        mask = ", %mask"
    pointers = f"tensor<{m}x{n}x!tt.ptr<f32>>"
    loaded = f"%x = tt.load %p_p{mask} : {pointers}\n"
    if from_loop:
        text += f"""%c0 = arith.constant 0 : i32
%c2 = arith.constant 2 : i32
%c4 = arith.constant 4 : i32
%sum0 = arith.constant dense<0.0> : tensor<{m}x{n}xf32>
%step = arith.constant dense<2> : tensor<{m}x{n}xi32>
%x, %end = scf.for %t = %c0 to %c4 step %c2 iter_args(%s_ = %sum0, %p_ = %p_p) -> \
(tensor<{m}x{n}xf32>, {pointers}) : i32 {{
%y = tt.load %p_{mask} : {pointers}
%z = arith.addf %s_, %y : tensor<{m}x{n}xf32>
%next = tt.addptr %p_, %step : {pointers}, tensor<{m}x{n}xi32>
scf.yield %z, %next : tensor<{m}x{n}xf32>, {pointers}
}}
""".replace("\\\n", "")
    else:
        text += loaded
    flat = f"tensor<{m * n}xi32>"
    text += f"""%f_r = tt.make_range {{end = {m * n} : i32, start = 0 : i32}} : {flat}
%f = tt.reshape %f_r : {flat} -> tensor<{m}x{n}xi32>
%o_b = tt.splat %o : !tt.ptr<f32> -> {pointers}
%o_p = tt.addptr %o_b, %f : {pointers}, tensor<{m}x{n}xi32>
tt.store %o_p, %x : {pointers}
"""
    size = "%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %m: i32, %n: i32"
    arguments = size + (", %s: i32" if stride == "s" else "")
    return f"tt.func public @{name}({arguments}) {{\n{text}tt.return\n}}\n"


KINDS = list(product(("s", "64"), (True, False), (True, False), (True, False)))


def test_copies():
    """Every kind of stride, mask, order and loop: the same elements with and without views."""
    text = "".join(copy(f"k{index}", kind) for index, kind in enumerate(KINDS))
    plain = applied(parse(text), ConvertTtToCudaTilePass())
    found = applied(parse(text), TtRecoverViewsPass())
    assert count(found, "tt.descriptor_load") >= len(KINDS) * 3 // 4
    views = applied(found, ConvertTtToCudaTilePass())
    source = np.random.default_rng(0).normal(size=(70, 64)).astype(np.float32)
    for index, (stride, *_) in enumerate(KINDS):
        sizes = [21, 30] + ([64] if stride == "s" else [])
        results = list[np.ndarray]()
        for module in (plain, views):
            out = np.zeros(M * N, np.float32)
            run(module, 1, [source, out, *sizes], entry=f"k{index}")
            results.append(out)
        np.testing.assert_array_equal(*results, err_msg=str(KINDS[index]))
