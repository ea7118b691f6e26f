"""Operands B of WGMMA that consumer warps compute, and write to shared memory themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import BarrierOp, FenceProxyOp
from tileiras_xdsl.dialects.nvvm import FragmentMmaOp
from tileiras_xdsl.interpreter import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.tileas.kernel_model.tcgen05_selection import why_not_writable
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.cases import covering
from ..harness.modules import context, parse
from .test_warpgroup_kernels import (
    ARCH,
    DTYPES,
    RANDOM,
    Array,
    Attention,
    View,
    as_arguments,
    check,
    count,
    kernel,
    lower,
    numbers,
)


def load_operand(view: View, value: str, row: str, column: str) -> str:
    """Loads a tile that is an operand; f32 is rounded to tf32."""
    if view.element != "f32":
        return view.load(value, row, column)
    loaded = f"{value}_f32"
    return f"""{view.load(loaded, row, column)}
      {value} = ftof {loaded} : {view.tile_type} -> {operand_type(view.tile_type)}"""


def operand_type(ty: str) -> str:
    """The type of an operand, where f32 is tf32."""
    return ty.replace("xf32>", "xtf32>")


@dataclass(frozen=True)
class Decoding:
    """Softmax of a few queries, as columns, over `%n` tiles of keys: weights are operands B."""

    element: str = "bf16"
    keys: int = 64
    width: int = 64
    queries: int = 8
    weights: str = ""
    """The type of the weights, and of the values."""

    @property
    def views(self) -> tuple[View, ...]:
        value = self.weights or self.element
        return (
            View("q", self.element, (self.width, self.queries), transposed=True),
            View("k", self.element, (self.keys, self.width)),
            # Only K-major where elements are narrow.
            View("w", value, (self.width, self.keys), transposed=not self.weights),
            View("o", "f32", (self.width, self.queries), pads=False),
        )

    def text(self) -> str:
        q, k, w, o = self.views
        row, scores = f"tile<{self.queries}xf32>", f"tile<{self.keys}x{self.queries}xf32>"
        operand = f"tile<{self.keys}x{self.queries}x{self.weights or self.element}>"
        line, single = f"tile<1x{self.queries}xf32>", "tile<f32>"

        def spread(result: str, value: str, ty: str) -> str:
            return f"""{result}_line = reshape {value} : {row} -> {line}
      {result} = broadcast {result}_line : {line} -> {ty}"""

        return kernel(
            self.views,
            f"""
    %low = constant <f32: -1.0e30> : {row}
    %none = constant <f32: 0.0> : {scores}
    %nothing = constant <f32: 0.0> : {o.tile_type}
    {q.load("%query", "%zero", "%i")}
    %top, %all, %sum = for %t in (%zero to %n, step %one) : tile<i32>
        iter_values(%m0 = %low, %l0 = %none, %o0 = %nothing) -> ({row}, {scores}, {o.tile_type}) {{
      {k.load("%key", "%t", "%zero")}
      %score = mmaf %key, %query, %none : {k.tile_type}, {q.tile_type}, {scores}
      %high = reduce %score dim=0 identities=[-1.0e30 : f32] : {scores} -> {row}
        (%x: {single}, %y: {single}) {{
          %z = maxf %x, %y : {single}
          yield %z : {single}
        }}
      %m1 = maxf %m0, %high : {row}
      {spread("%m1s", "%m1", scores)}
      %less = subf %score, %m1s : {scores}
      %p = exp2 %less : {scores}
      %change = subf %m0, %m1 : {row}
      %scale = exp2 %change : {row}
      {spread("%scales", "%scale", scores)}
      %l1 = fma %l0, %scales, %p : {scores}
      {spread("%factor", "%scale", o.tile_type)}
      %o1 = mulf %o0, %factor : {o.tile_type}
      %h = ftof %p : {scores} -> {operand}
      {w.load("%value", "%zero", "%t")}
      %o2 = mmaf %value, %h, %o1 : {w.tile_type}, {operand}, {o.tile_type}
      continue %m1, %l1, %o2 : {row}, {scores}, {o.tile_type}
    }}
    %total = reduce %all dim=0 identities=[0.0 : f32] : {scores} -> {row}
      (%x: {single}, %y: {single}) {{
        %z = addf %x, %y : {single}
        yield %z : {single}
      }}
    {spread("%alls", "%total", o.tile_type)}
    %result = divf %sum, %alls : {o.tile_type}
    {o.store("%result", "%zero", "%i")}""",
        )

    def arrays(self, trips: int) -> list[Array]:
        keys = self.keys * trips
        value = DTYPES[self.weights or self.element]
        shape = (self.width, keys) if self.weights else (keys, self.width)
        return [
            (RANDOM.standard_normal((self.queries, self.width)) / 4).astype(DTYPES[self.element]),
            RANDOM.standard_normal((keys, self.width)).astype(DTYPES[self.element]),
            RANDOM.standard_normal(shape).astype(value),
            np.zeros((self.width, self.queries), np.float32),
        ]

    def expected(self, arrays: Sequence[Array]) -> Array:
        q, k, w = (array.astype(np.float64) for array in arrays[:3])
        weights = np.exp2(k @ q.T)
        return (w if self.weights else w.T) @ weights / weights.sum(0)


@pytest.mark.part("kernels")
@pytest.mark.every(5, first=1)
@pytest.mark.parametrize(
    ("decoding", "trips", "levels"),
    [
        (Decoding(), 1, (2, 3)),
        (Decoding(), 3, (2, 3)),
        (Decoding("f16", 128, 64, 16), 2, (2, 3, 4)),
        (Decoding("f16", 64, 128, 32), 2, (3,)),
        # Accumulators of two warpgroups.
        (Decoding("bf16", 64, 512, 16), 2, (2, 3)),
        (Decoding("f16", 64, 64, 8, weights="f8E4M3FN"), 2, (2, 3)),
    ],
    ids=str,
)
def test_weights_of_columns(decoding: Decoding, trips: int, levels: Sequence[int]):
    arrays = decoding.arrays(trips)
    tolerance = 0.1 if decoding.weights else 0.03
    module = check(
        decoding.text(),
        arrays,
        decoding.expected(arrays),
        n=trips,
        levels=levels,
        tolerance=tolerance,
    )
    assert not count(module, FragmentMmaOp.name)


@dataclass(frozen=True)
class Chain:
    """`c = d @ relu(a @ b)`: the first product is operand B of the second one."""

    element: str
    rows: int = 64
    inner: int = 64
    columns: int = 32
    depth: int = 64
    in_loop: bool = False

    @property
    def views(self) -> tuple[View, ...]:
        narrow = self.element in ("f8E4M3FN", "i8", "f32") or self.columns < 16
        return (
            View("a", self.element, (self.inner, self.depth)),
            View("b", self.element, (self.depth, self.columns), transposed=narrow),
            View("d", self.element, (self.rows, self.inner)),
            View("c", "i32" if self.element == "i8" else "f32", (self.rows, self.columns)),
        )

    def text(self) -> str:
        a, b, d, c = self.views
        total = c.element
        first = f"tile<{self.inner}x{self.columns}x{total}>"
        operand = operand_type(f"tile<{self.inner}x{self.columns}x{self.element}>")
        zero = "0" if total == "i32" else "0.0"
        mma, signs = ("mmai", " signed signed") if total == "i32" else ("mmaf", "")
        if self.element == "i8":
            cast = f"%h = trunci %r : {first} -> {operand}"
        else:
            cast = f"%h = ftof %r : {first} -> {operand}"
        relu = "maxi %f, %none signed" if total == "i32" else "maxf %f, %none"
        start, end = "", ""
        row = "%i"
        if self.in_loop:
            row = "%t"
            start = "for %t in (%zero to %n, step %one) : tile<i32> {"
            end = "}"
        return kernel(
            self.views,
            f"""
    %none = constant <{total}: {zero}> : {first}
    %nothing = constant <{total}: {zero}> : {c.tile_type}
    {start}
    {load_operand(a, "%x", "%zero", "%zero")}
    {load_operand(b, "%y", "%zero", "%zero")}
    {load_operand(d, "%z", row, "%zero")}
    %f = {mma} %x, %y, %none{signs}
        : {operand_type(a.tile_type)}, {operand_type(b.tile_type)}, {first}
    %r = {relu} : {first}
    {cast}
    %e = {mma} %z, %h, %nothing{signs} : {operand_type(d.tile_type)}, {operand}, {c.tile_type}
    {c.store("%e", row, "%zero")}
    {end}""",
        )

    def arrays(self, trips: int = 1) -> list[Array]:
        a, b, _, c = self.views
        return [
            numbers(self.element, *a.tile),
            numbers(self.element, *(b.tile[::-1] if b.transposed else b.tile)),
            (RANDOM.integers(-1, 2, (self.rows * trips, self.inner))).astype(DTYPES[self.element]),
            np.zeros((self.rows * trips, self.columns), DTYPES[c.element]),
        ]

    def expected(self, arrays: Sequence[Array]) -> Array:
        a, b, d = (array.astype(np.float64) for array in arrays[:3])
        first = np.maximum(a @ (b.T if self.views[1].transposed else b), 0)
        if self.element == "i8":
            return d @ first.astype(np.int64).astype(np.int8).astype(np.float64)
        return d @ first.astype(DTYPES[self.element]).astype(np.float64)


@pytest.mark.every(8, first=6)
@pytest.mark.parametrize(
    "chain",
    [
        Chain("f16"),
        Chain("bf16", columns=128, inner=128),
        Chain("f16", columns=8, rows=128),
        Chain("f8E4M3FN", depth=32),
        Chain("i8", depth=32, columns=16),
        Chain("f16", in_loop=True),
        Chain("f32", depth=32),
        Chain("f32", columns=128, depth=32, in_loop=True),
    ],
    ids=str,
)
def test_products_of_products(chain: Chain):
    trips = 3 if chain.in_loop else 1
    arrays = chain.arrays(trips)
    tolerance = 200.0 if chain.element == "bf16" else 1e-6
    expected = chain.expected(arrays)
    if chain.element == "bf16":
        tolerance = 0.01 * float(np.abs(expected).max())
    module = check(chain.text(), arrays, expected, n=trips, tolerance=tolerance)
    assert not count(module, FragmentMmaOp.name)


@dataclass(frozen=True)
class State:
    """A matrix that a loop carries: `o = q @ s`, then `s = s / 2 + k' @ v`."""

    element: str
    size: int = 64
    steps: int = 64

    @property
    def views(self) -> tuple[View, ...]:
        return (
            View("q", self.element, (self.steps, self.size)),
            View("k", self.element, (self.size, self.steps), transposed=True),
            # K-major where elements are wide, as WGMMA reads them.
            View("w", self.element, (self.steps, self.size), transposed=self.element == "f32"),
            View("o", "f32", (self.steps, self.size), pads=False),
        )

    def text(self) -> str:
        q, k, w, o = self.views
        state = f"tile<{self.size}x{self.size}xf32>"
        operand = operand_type(f"tile<{self.size}x{self.size}x{self.element}>")
        return kernel(
            self.views,
            f"""
    %first = constant <f32: 1.0> : {state}
    %half = constant <f32: 0.5> : {state}
    %nothing = constant <f32: 0.0> : {o.tile_type}
    %last = for %t in (%zero to %n, step %one) : tile<i32> iter_values(%s = %first) -> ({state}) {{
      {load_operand(q, "%x", "%t", "%zero")}
      %h = ftof %s : {state} -> {operand}
      %y = mmaf %x, %h, %nothing : {operand_type(q.tile_type)}, {operand}, {o.tile_type}
      {o.store("%y", "%t", "%zero")}
      {load_operand(k, "%a", "%zero", "%t")}
      {load_operand(w, "%b", "%t", "%zero")}
      %less = mulf %s, %half : {state}
      %next = mmaf %a, %b, %less : {operand_type(k.tile_type)}, {operand_type(w.tile_type)}, {state}
      continue %next : {state}
    }}""",
        )

    def arrays(self, trips: int) -> list[Array]:
        shape = (self.steps * trips, self.size)
        # Sums that are exact in the narrow type.
        operands = [RANDOM.integers(-1, 2, shape) * (RANDOM.random(shape) < 0.2) for _ in range(3)]
        q, k, w = (each.astype(DTYPES[self.element]) for each in operands)
        if self.views[2].transposed:
            w = np.ascontiguousarray(w.T)
        return [q, k, w, np.zeros(shape, np.float32)]

    def expected(self, arrays: Sequence[Array]) -> Array:
        q, k, w = (array.astype(np.float64) for array in arrays[:3])
        if self.views[2].transposed:
            w = w.T
        results: list[Array] = []
        state = np.ones((self.size, self.size))
        for at in range(0, len(q), self.steps):
            rows = slice(at, at + self.steps)
            results.append(q[rows] @ state.astype(DTYPES[self.element]).astype(np.float64))
            state = state / 2 + k[rows].T @ w[rows]
        return np.concatenate(results)


@pytest.mark.every(5, first=1)
@pytest.mark.parametrize(
    "state", [State("f16"), State("f16", 128, 64), State("f32"), State("f32", 128, 64)], ids=str
)
def test_a_state_that_a_loop_carries(state: State):
    arrays = state.arrays(3)
    module = check(state.text(), arrays, state.expected(arrays), n=3, tolerance=0.05)
    assert not count(module, FragmentMmaOp.name)


# What is missing is noticed


def agents(text: str) -> ModuleOp:
    """A kernel as agents of tiles, with its barriers."""
    module = load(text)
    for step in select_steps(3, to="tileas"):
        make_pass(step, ARCH, "host-maps").apply(context(), module)
    return module


def run_decoding(module: ModuleOp, decoding: Decoding, trips: int = 3) -> None:
    arrays = decoding.arrays(trips)
    run(module, grid=(1,), args=as_arguments(arrays, trips), check=True)


def test_operands_are_published_before_they_are_read():
    decoding = Decoding()
    module = agents(decoding.text())
    run_decoding(module, decoding)
    (copy,) = (op for op in module.walk() if isinstance(op, CopyOp) and op.destination is not None)
    fence, barrier, dot = copy.next_op, copy.next_op and copy.next_op.next_op, None
    assert isinstance(fence, FenceProxyOp)
    assert fence.shared is not None
    assert isinstance(barrier, BarrierOp)
    dot = barrier.next_op
    assert isinstance(dot, AsyncDotOp)
    assert dot.b is copy.result


@pytest.mark.parametrize("missing", [FenceProxyOp, BarrierOp])
def test_a_missing_fence_or_barrier_is_noticed_by_tiles(missing: type[FenceProxyOp | BarrierOp]):
    decoding = Decoding()
    module = agents(decoding.text())
    dots = (op for op in module.walk() if isinstance(op, AsyncDotOp))
    (before,) = (
        op
        for dot in dots
        for op in (dot.prev_op, dot.prev_op and dot.prev_op.prev_op)
        if isinstance(op, missing)
    )
    before.detach()
    with pytest.raises(ExecutionError, match=missing.name):
        run_decoding(module, decoding)


def test_a_missing_fence_is_noticed_by_threads():
    decoding = Decoding()
    module = lower(decoding.text(), "host-maps", 3, 3)[3]
    fences = [
        op
        for op in module.walk()
        if op.name == "nvvm.fence.proxy" and "shared" in str(op.properties.get("kind"))
    ]
    for fence in fences:
        fence.detach()
    with pytest.raises(ExecutionError, match="proxy fence"):
        run_decoding(module, decoding)


@dataclass(frozen=True)
class Squaring:
    """Powers of a matrix, of which both operands are computed: `x = x @ x / 4`, then `a @ x`."""

    element: str
    size: int = 64

    @property
    def views(self) -> tuple[View, ...]:
        shape = (self.size, self.size)
        return (View("a", self.element, shape), View("c", "f32", shape, pads=False))

    def text(self) -> str:
        a, c = self.views
        operand, total = operand_type(a.tile_type), c.tile_type
        widened = f"ftof %x : {operand} -> {total}"
        return kernel(
            self.views,
            f"""
    %quarter = constant <f32: 0.25> : {total}
    %nothing = constant <f32: 0.0> : {total}
    {load_operand(a, "%x", "%zero", "%zero")}
    %first = {widened}
    %last = for %t in (%zero to %n, step %one) : tile<i32> iter_values(%s = %first) -> ({total}) {{
      %h = ftof %s : {total} -> {operand}
      %y = mmaf %h, %h, %nothing : {operand}, {operand}, {total}
      %z = mulf %y, %quarter : {total}
      continue %z : {total}
    }}
    {c.store("%last", "%zero", "%zero")}""",
        )


@pytest.mark.every(4, first=2)
@pytest.mark.parametrize(
    ("squaring", "trips"), covering([Squaring("f16"), Squaring("f32", 128)], [2, 1, 0]), ids=str
)
def test_operands_that_are_both_computed(squaring: Squaring, trips: int):
    """A is row-major and B column-major, both of the same values."""
    size = squaring.size
    rotation = np.roll(np.eye(size), 3, axis=1)
    rotation[:, :4] += RANDOM.integers(-2, 3, (size, 4))
    array = (2 * rotation).astype(DTYPES[squaring.element])
    expected = array.astype(np.float64)
    for _ in range(trips):
        expected = expected @ expected / 4
    arrays = [array, np.zeros((size, size), np.float32)]
    module = check(squaring.text(), arrays, expected, n=trips, tolerance=0.02)
    assert not count(module, FragmentMmaOp.name)


@dataclass(frozen=True)
class Scaled:
    """A product whose operand B is scaled in its loop, from a tile that is loaded ahead."""

    source: str
    element: str
    adds: bool = False
    """Whether the tile is loaded once more, and added to the sums."""

    @property
    def views(self) -> tuple[View, ...]:
        return (
            View("a", self.element, (64, 64)),
            View("b", self.source, (64, 64)),
            View("c", "f32", (64, 64), pads=False),
        )

    def text(self) -> str:
        a, b, c = self.views
        wide, operand = "tile<64x64xf32>", operand_type(a.tile_type)
        widen = f"%w = ftof %y : {b.tile_type} -> {wide}"
        if self.source == "i8":
            widen = f"%w = itof %y signed : {b.tile_type} -> {wide}"
        more = f"%e = addf %w, %d : {wide}" if self.adds else f"%e = addf %d, %none : {wide}"
        return kernel(
            self.views,
            f"""
    %none = constant <f32: 0.0> : {wide}
    %half = constant <f32: 0.5> : {wide}
    %sum = for %t in (%zero to %n, step %one) : tile<i32> iter_values(%s = %none) -> ({wide}) {{
      {load_operand(a, "%x", "%zero", "%t")}
      {b.load("%y", "%t", "%zero")}
      {widen}
      %z = mulf %w, %half : {wide}
      %h = ftof %z : {wide} -> {operand}
      %d = mmaf %x, %h, %s : {operand}, {operand}, {wide}
      {more}
      continue %e : {wide}
    }}
    {c.store("%sum", "%zero", "%zero")}""",
        )


@pytest.mark.every(6, first=3)
@pytest.mark.parametrize(
    ("scaled", "trips"),
    covering(
        [
            Scaled("f16", "f16"),
            Scaled("bf16", "f32"),
            Scaled("i8", "bf16"),
            Scaled("f16", "f16", adds=True),
            Scaled("bf16", "f32", adds=True),
        ],
        [3, 1],
    ),
    ids=str,
)
def test_tiles_that_operands_are_computed_from_are_loaded_ahead(scaled: Scaled, trips: int):
    a, b = numbers(scaled.element, 64, 64 * trips), numbers(scaled.source, 64 * trips, 64)
    expected = a.astype(np.float64) @ b.astype(np.float64) / 2
    if scaled.adds:
        expected += b.astype(np.float64).reshape(trips, 64, 64).sum(0)
    arrays = [a, b, np.zeros((64, 64), np.float32)]
    module = check(scaled.text(), arrays, expected, n=trips)
    assert count(module, "nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile") >= 2
    assert not count(module, FragmentMmaOp.name)


@pytest.mark.part("kernels")
@pytest.mark.every(3, first=2)
@pytest.mark.parametrize(
    ("attention", "trips"),
    [
        (Attention("f16", 16, 64, 64), 3),
        (Attention("bf16", 8, 64, 128), 2),
        (Attention("f16", 32, 128, 64), 2),
    ],
    ids=str,
)
def test_dots_of_few_rows_are_transposed(attention: Attention, trips: int):
    """Queries are columns of the first dot, and weights are of the second, as operand B."""
    keys = attention.keys * trips
    kind = DTYPES[attention.element]
    q = (RANDOM.standard_normal((attention.queries, attention.width)) / 4).astype(kind)
    k, w = (RANDOM.standard_normal((keys, attention.width)).astype(kind) for _ in range(2))
    weights = np.exp2(q.astype(np.float64) @ k.astype(np.float64).T)
    expected = weights @ w.astype(np.float64) / weights.sum(1, keepdims=True)
    module = check(
        attention.text(),
        [q, k, w, np.zeros(q.shape, np.float32)],
        expected,
        n=trips,
        tolerance=0.03 if attention.element == "bf16" else 0.004,
    )
    assert not count(module, FragmentMmaOp.name)


@pytest.mark.parametrize(("rows", "k", "columns"), [(128, 64, 32), (64, 16, 256), (128, 4, 16)])
def test_operands_that_threads_write_for_tcgen05(rows: int, k: int, columns: int):
    """A descriptor describes both operands, unless a row along K has less than 16 bytes."""
    types = f"tensor<{rows}x{k}xf16>", f"tensor<{k}x{columns}xf16>", f"tensor<{rows}x{columns}xf32>"
    module = parse(f"""
        func.func @f(%a: {types[0]}, %b: {types[1]}, %c: {types[2]}) {{
          %d = nv_tileas.dot %a, %b, %c : {", ".join(types)}
          func.return
        }}""")
    (dot,) = find_all(module, DotOp)
    for index, ty in enumerate(types[:2]):
        reason = None if k * 2 >= 16 else f"no descriptor can describe '{ty}'"
        assert why_not_writable(dot, index) == reason
