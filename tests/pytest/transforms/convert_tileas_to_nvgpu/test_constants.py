"""Constants of any layout, scalars, and what has no lowering."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.utils.exceptions import PassFailedException

from tileiras_xdsl.analysis.linear_layout import LinearLayout, blocked
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.interpreter.elements import dtype_of
from tileiras_xdsl.interpreter.run import run

from .elementwise_kernels import IN_BOUNDS, Array, element, tile_type, view, view_type
from .memory_kernels import Kernel, compile_all, module_of, threads_of

SIZE = 64
LAYOUTS = {
    "one a thread": blocked([SIZE], 2),
    "vectors": blocked([SIZE], 1, vector=2),
    "in all lanes": blocked([SIZE], 1).replaced(register=[1, 2, 4, 8, 16, 32], lane=[0] * 5),
}
TABLES = {
    "i1": [index % 3 == 0 for index in range(SIZE)],
    "i8": list(range(-32, 32)),
    "i32": [index * index * 77777 for index in range(SIZE)],
    "i64": [index << 40 for index in range(SIZE)],
    "f16": [index / 8 - 2 for index in range(SIZE)],
    "bf16": [index / 8 - 2 for index in range(SIZE)],
    "f32": [index / 3 for index in range(SIZE)],
    "f64": [index / 7 for index in range(SIZE)],
    "f8E4M3FN": [float(index % 8) for index in range(SIZE)],
}


def constant_kernel(layout: LinearLayout, kinds: Sequence[str], warps: int) -> Kernel:
    """A kernel that stores constants."""
    lines = ["%zero = arith.constant 0 : i32"]
    for kind in kinds:
        numbers = ", ".join(str(number).lower() for number in TABLES[kind])
        ty = tile_type(kind, layout)
        lines.append(f"%y{kind} = arith.constant dense<[{numbers}]> : {ty}")
        lines += view(f"%p{kind}", kind, kind, SIZE)
        lines.append(
            f"nv_tileas.tiled_store %y{kind}, %v{kind}[%zero] {IN_BOUNDS} "
            f": {ty}, {view_type(kind, SIZE)}, i32"
        )
    parameters = ", ".join(f"%p{kind}: !llvm.ptr<1>" for kind in kinds)

    def arguments(rng: np.random.Generator) -> list[Array]:
        return [np.zeros(SIZE, dtype_of(element(kind))) for kind in kinds]

    return Kernel("k", parameters, "\n".join(lines), arguments, warps=warps)


@pytest.mark.parametrize("name", LAYOUTS)
def test_tables(name: str) -> None:
    layout = LAYOUTS[name]
    kernel = constant_kernel(layout, list(TABLES), 1 << len(layout.warp))
    module = threads_of(module_of([kernel]))
    arrays = kernel.arguments(np.random.default_rng(0))
    run(module, grid=(1,), args=arrays)
    for kind, array in zip(TABLES, arrays, strict=True):
        expected = np.array(TABLES[kind]).astype(dtype_of(element(kind)))
        assert np.asarray(array).tobytes() == expected.tobytes(), kind


def test_tables_assemble() -> None:
    kernel = constant_kernel(LAYOUTS["vectors"], list(TABLES), 1)
    ptx = compile_all([kernel], "sm_80", Ptxas.find())
    assert "ld.global.nc.v2" in ptx


SCALARS = """
%two = arith.constant 2 : i32
%half = arith.constant 5.000000e-01 : f32
%sum = nv_tileaa.addi %n, %two : i32
%wide = arith.sitofp %sum : i32 to f32
%less = nv_tileaa.mulf %wide, %half : f32
%root = nv_tileaa.exp2 %less : f32
%small = nv_tileaa.fp_to_fp %root : f32 to f8E4M3FN
%back = nv_tileaa.fp_to_fp %small : f8E4M3FN to f32
%far = nv_tileaa.cmpi %n, %two {comparison_predicate = "greater_than"} : i32 -> i1
%result = arith.select %far, %back, %x : f32
"""


@pytest.mark.parametrize("number", [1, 5])
def test_scalars(number: int) -> None:
    layout = LAYOUTS["vectors"]
    store = "\n".join(
        (
            "%zero = arith.constant 0 : i32",
            f"%tile = nv_tileaa.splat %result : f32 to {tile_type('f32', layout)}",
            *view("%p", "", "f32", SIZE),
            f"nv_tileas.tiled_store %tile, %v[%zero] {IN_BOUNDS} "
            f": {tile_type('f32', layout)}, {view_type('f32', SIZE)}, i32",
        )
    )
    kernel = Kernel(
        "k",
        "%p: !llvm.ptr<1>, %n: i32, %x: f32",
        SCALARS + store,
        lambda rng: [np.zeros(SIZE, np.float32), number, 3.0],
        warps=1,
    )
    module = module_of([kernel])
    results: list[Array] = []
    for each in (module, threads_of(module)):
        arguments = kernel.arguments(np.random.default_rng(0))
        run(each, grid=(1,), args=arguments)
        results.append(np.asarray(arguments[0]))
    assert results[0].tobytes() == results[1].tobytes()
    assert results[0][0] == (3.0 if number == 1 else np.float32(11.0))


def test_tf32_argument() -> None:
    """Whoever launches a kernel may pass any f32."""
    layout = LAYOUTS["vectors"]
    body = "\n".join(
        (
            "%wide = nv_tileaa.fp_to_fp %x : tf32 to f32",
            "%zero = arith.constant 0 : i32",
            f"%tile = nv_tileaa.splat %wide : f32 to {tile_type('f32', layout)}",
            *view("%p", "", "f32", SIZE),
            f"nv_tileas.tiled_store %tile, %v[%zero] {IN_BOUNDS} "
            f": {tile_type('f32', layout)}, {view_type('f32', SIZE)}, i32",
        )
    )
    kernel = Kernel("k", "%p: !llvm.ptr<1>, %x: tf32", body, lambda rng: [], warps=1)
    result = np.zeros(SIZE, np.float32)
    run(threads_of(module_of([kernel])), grid=(1,), args=[result, 1 + 2.0**-20])
    assert (result == 1).all()


POINTERS = """
%nothing = ub.poison : [!llvm.ptr<1>]
%other = ub.poison : !llvm.ptr<1>
%base = nv_tileaa.splat %p : !llvm.ptr<1> to [!llvm.ptr<1>]
%lost = nv_tileaa.splat %other : !llvm.ptr<1> to [!llvm.ptr<1>]
%all = arith.constant dense<true> : [i1]
%chosen = arith.select %all, %base, %lost : [i1], [!llvm.ptr<1>]
%start = arith.constant 0 : i32
%end = arith.constant 64 : i32
%numbers = nv_tileaa.make_range %start, %end : i32 to [i32]
%pointers = nv_tileaa.addptr %chosen, %numbers {elem_type = i32} : [!llvm.ptr<1>], [i32]
nv_tileas.store %pointers, %numbers : [!llvm.ptr<1>], [i32]
"""


def test_pointers() -> None:
    body = POINTERS
    for kind in ("!llvm.ptr<1>", "i1", "i32"):
        body = body.replace(f"[{kind}]", tile_type(kind, LAYOUTS["vectors"]))
    kernel = Kernel("k", "%p: !llvm.ptr<1>", body, lambda rng: [np.zeros(SIZE, np.int32)], warps=1)
    arguments = kernel.arguments(np.random.default_rng(0))
    run(threads_of(module_of([kernel])), grid=(1,), args=arguments)
    assert np.asarray(arguments[0]).tolist() == list(range(SIZE))
    compile_all([kernel], "sm_80", Ptxas.find())


FAILURES = {
    "nv_tileaa.addf %x, %x : [f8E4M3FN]": "has no arithmetic of 'f8E4M3FN'",
    'nv_tileaa.fp_to_fp %z {rounding_mode = "approx"} : [f32] to [f16]': "mode 'approx'",
}


@pytest.mark.parametrize("text", FAILURES)
def test_failures(text: str) -> None:
    layout = LAYOUTS["vectors"]
    lines = [
        "%x = ub.poison : [f8E4M3FN]",
        "%z = ub.poison : [f32]",
        f"%y = {text}",
    ]
    body = "\n".join(lines)
    for kind in ("f8E4M3FN", "f32", "f16"):
        body = body.replace(f"[{kind}]", tile_type(kind, layout))
    kernel = Kernel("k", "%p: !llvm.ptr<1>", body, lambda rng: [], warps=1)
    with pytest.raises(PassFailedException, match=FAILURES[text]):
        threads_of(module_of([kernel]))
