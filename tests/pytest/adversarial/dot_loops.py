"""
Loops of dots that attack passes from `nv_tileas` on: what they carry swaps and rotates, operands
are shared, carried, computed or loaded in branches and inner loops, accumulators are used in
between.

Each program takes matrices A and B, and stores two matrices, C and D.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..transforms.test_warpgroup_kernels import View, as_arguments, kernel, numbers

INNER_TRIPS = 3


@dataclass(frozen=True)
class Shape:
    """The tiles of the dots."""

    m: int = 64
    n: int = 64
    k: int = 32

    @property
    def views(self) -> tuple[View, View, View, View]:
        return (
            View("a", "f16", (self.m, self.k)),
            View("b", "f16", (self.k, self.n)),
            View("c", "f32", (self.m, self.n), pads=False),
            View("d", "f32", (self.m, self.n), pads=False),
        )

    def arguments(self, trips: int, grid: tuple[int, int] = (1, 1)) -> list[Any]:
        """Small whole numbers, of which sums are exact, and matrices for results."""
        rows, columns, depth = grid[0] * self.m, grid[1] * self.n, self.k * max(trips, INNER_TRIPS)
        results = [np.full((rows, columns), 7, np.float32) for _ in range(2)]
        matrices = [numbers("f16", rows, depth), numbers("f16", depth, columns), *results]
        return as_arguments(matrices, trips)


SMALL = Shape()


@dataclass(frozen=True)
class Writer:
    """Writes loops of dots of a shape."""

    shape: Shape

    def load_a(self, name: str, row: str, column: str) -> str:
        return self.shape.views[0].load(name, row, column)

    def load_b(self, name: str, row: str, column: str) -> str:
        return self.shape.views[1].load(name, row, column)

    @property
    def types(self) -> tuple[str, str, str]:
        """Of tiles of A and B, and of accumulators."""
        a, b, c, _ = self.shape.views
        return a.tile_type, b.tile_type, c.tile_type

    def mma(self, result: str, a: str, b: str, c: str) -> str:
        return f"{result} = mmaf {a}, {b}, {c} : {', '.join(self.types)}"

    @property
    def batch(self) -> str:
        """The type of an accumulator of one batch."""
        return self.types[2].replace("<", "<1x")

    def batched_mma(self, result: str, c: str) -> str:
        """A product of one batch, of the operands of an iteration."""
        types = [each.replace("<", "<1x") for each in self.types]
        return f"""{result}_x = reshape %x : {self.types[0]} -> {types[0]}
      {result}_y = reshape %y : {self.types[1]} -> {types[1]}
      {result} = mmaf {result}_x, {result}_y, {c} : {", ".join(types)}"""

    @property
    def both(self) -> str:
        """Loads both operands of an iteration."""
        return f"{self.load_a('%x', '%i', '%k')}\n{self.load_b('%y', '%k', '%j')}"

    def inner(self, result: str, index: str, first: str, trips: str) -> str:
        """A loop that adds products to a tile."""
        return f"""{result} = for {index} in (%zero to {trips}, step %one) : tile<i32>
          iter_values({index}_p = {first}) -> ({self.types[2]}) {{
        {self.load_a(f"{index}_x", "%i", index)}
        {self.load_b(f"{index}_y", index, "%j")}
        {self.mma(f"{index}_n", f"{index}_x", f"{index}_y", f"{index}_p")}
        continue {index}_n : {self.types[2]}
      }}"""

    def aggregate(self, result: str, name: str, value: str, axis: int, options: str = "") -> str:
        """A sum or a running sum along an axis."""
        m, n = self.shape.m, self.shape.n
        tile = self.types[2]
        ty = tile if name == "scan" else f"tile<{n if axis == 0 else m}xf32>"
        return f"""{result} = {name} {value} dim={axis}{options} identities=[0.0 : f32]
        : {tile} -> {ty} (%e0: tile<f32>, %e1: tile<f32>) {{
      %e2 = addf %e0, %e1 : tile<f32>
      yield %e2 : tile<f32>
    }}"""

    def loop(
        self,
        body: str,
        carried: Sequence[tuple[str, str, str, str]] = (),
        yields: tuple[str, str] = ("%np", "%nq"),
        bounds: tuple[str, str, str] = ("%zero", "%n", "%one"),
        after: str = "",
        results: tuple[str, str] = ("%u#0", "%u#1"),
    ) -> str:
        """
        A kernel with a loop that carries two accumulators, `%p` and `%q`, and more: names, types,
        initial values and what the body makes of them.
        """
        a, b, t = self.types
        more = [f", {name} = {first}" for name, _, first, _ in carried]
        types = ", ".join([t, t, *(each[1] for each in carried)])
        values = ", ".join([*yields, *(each[3] for each in carried)])
        _, _, c, d = self.shape.views
        low, high, step = bounds
        text = f"""
    %z0 = constant <f32: 0.0> : {t}
    %z1 = constant <f32: 1.0> : {t}
    %z2 = constant <f32: 2.0> : {self.batch}
    %three = constant <i32: {INNER_TRIPS}> : tile<i32>
    %ones_a = constant <f16: 1.0> : {a}
    %ones_b = constant <f16: 1.0> : {b}
    %u:{2 + len(carried)} = for %k in ({low} to {high}, step {step}) : tile<i32>
        iter_values(%p = %z0, %q = %z1{"".join(more)}) -> ({types}) {{
      {body}
      continue {values} : {types}
    }}
    {after}
    %r0 = addf {results[0]}, %z1 : {t}
    %r1 = addf {results[1]}, %z1 : {t}
    {c.store("%r0", "%i", "%j")}
    {d.store("%r1", "%i", "%j")}"""
        return kernel(self.shape.views, text)


@cache
def programs(shape: Shape = SMALL) -> Mapping[str, str]:
    """All programs of a shape, by what is special about them."""
    w = Writer(shape)
    a, b, t = w.types
    m = shape.m
    first, second = w.mma("%np", "%x", "%y", "%p"), w.mma("%nq", "%x", "%y", "%q")
    return {
        "an operand that is carried as well": w.loop(
            f"{w.both}\n{first}\n{w.mma('%nq', '%x', '%old', '%q')}",
            [("%old", b, "%ones_b", "%y")],
        ),
        "operands of the iteration before": w.loop(
            f"{w.both}\n{w.mma('%np', '%old_a', '%y', '%p')}\n{w.mma('%nq', '%x', '%old_b', '%q')}",
            [("%old_b", b, "%ones_b", "%y"), ("%old_a", a, "%ones_a", "%x")],
        ),
        "operands of the iteration before only": w.loop(
            f"{w.both}\n{w.mma('%np', '%old_a', '%old_b', '%p')}\n%nq = addf %q, %z1 : {t}",
            [("%old_b", b, "%ones_b", "%y"), ("%old_a", a, "%ones_a", "%x")],
        ),
        "an accumulator that is carried twice": w.loop(f"{w.both}\n{first}", yields=("%np", "%np")),
        "accumulators that swap": w.loop(f"{w.both}\n{first}", yields=("%q", "%np")),
        "two dots whose accumulators swap": w.loop(
            f"{w.both}\n{first}\n%w = addf %q, %z1 : {t}\n{w.mma('%nq', '%x', '%y', '%w')}",
            yields=("%nq", "%np"),
        ),
        "three dots whose accumulators rotate": w.loop(
            f"{w.both}\n{first}\n{second}\n{w.mma('%nv', '%x', '%y', '%v')}",
            [("%v", t, "%z1", "%np")],
            yields=("%nq", "%nv"),
        ),
        "two dots in a row": w.loop(
            f"{w.both}\n{w.mma('%w', '%x', '%y', '%p')}\n{w.load_b('%y2', '%zero', '%j')}\n"
            f"{w.mma('%np', '%x', '%y2', '%w')}\n%nq = addf %q, %z1 : {t}"
        ),
        "two inner loops whose accumulators swap": w.loop(
            f"{w.inner('%np', '%e', '%p', '%k')}\n{w.inner('%nq', '%f', '%q', '%three')}",
            yields=("%nq", "%np"),
        ),
        "two inner loops in a row, and what was before": w.loop(
            f"{w.inner('%w', '%e', '%z0', '%three')}\n%nq = addf %p, %q : {t}\n"
            f"{w.inner('%np', '%f', '%w', '%k')}"
        ),
        "an accumulator that is used": w.loop(
            f"{w.both}\n%w = addf %p, %q : {t}\n{first}\n{w.mma('%nq', '%x', '%y', '%w')}"
        ),
        "a scan of an accumulator": w.loop(
            f"{w.both}\n{first}\n{w.aggregate('%w', 'scan', '%np', 0, ' reverse=true')}\n"
            f"%nq = subf %w, %q : {t}"
        ),
        "a sum of an accumulator": w.loop(
            f"{w.both}\n{first}\n{w.aggregate('%w', 'reduce', '%np', 1)}\n"
            f"%w1 = reshape %w : tile<{m}xf32> -> tile<{m}x1xf32>\n"
            f"%w2 = broadcast %w1 : tile<{m}x1xf32> -> {t}\n%nq = subf %w2, %q : {t}"
        ),
        "an inner loop": w.loop(
            f"""{w.load_a("%x", "%i", "%k")}
      %np = for %e in (%zero to %three, step %one) : tile<i32> iter_values(%s = %p) -> ({t}) {{
        {w.load_b("%y", "%e", "%j")}
        {w.mma("%ns", "%x", "%y", "%s")}
        continue %ns : {t}
      }}
      {w.load_b("%y2", "%k", "%j")}
      {w.mma("%nq", "%x", "%y2", "%q")}"""
        ),
        "loads in branches": w.loop(
            f"""{w.load_a("%x", "%i", "%k")}
      %odd = andi %k, %one : tile<i32>
      %even = cmpi equal %odd, %zero, signed : tile<i32> -> tile<i1>
      %np, %nq = if %even -> ({t}, {t}) {{
        {w.load_b("%y", "%k", "%j")}
        {w.mma("%i1", "%x", "%y", "%p")}
        yield %i1, %q : {t}, {t}
      }} else {{
        {w.load_b("%y3", "%zero", "%j")}
        {w.mma("%i2", "%x", "%y3", "%q")}
        yield %p, %i2 : {t}, {t}
      }}"""
        ),
        "operands that are computed": w.loop(
            f"{w.both}\n%ys = addf %y, %ones_b : {b}\n%xs = addf %x, %ones_a : {a}\n"
            f"{w.mma('%np', '%xs', '%y', '%p')}\n{w.mma('%nq', '%x', '%ys', '%q')}"
        ),
        "accumulators of one batch that swap": w.loop(
            f"{w.both}\n{first}\n%nq = addf %q, %z1 : {t}\n"
            f"{w.batched_mma('%nv', '%v')}\n{w.batched_mma('%nw', '%w')}",
            [("%v", w.batch, "%z2", "%nw"), ("%w", w.batch, "%z2", "%nv")],
            after=f"%r2 = reshape %u#2 : {w.batch} -> {t}\n%r3 = addf %r2, %u#0 : {t}",
            results=("%r3", "%u#1"),
        ),
        "an accumulator of one batch that is used": w.loop(
            f"{w.both}\n{w.batched_mma('%nv', '%v')}\n%s = reshape %v : {w.batch} -> {t}\n"
            f"%np = addf %s, %p : {t}\n%more = addf %v, %nv : {w.batch}\n"
            f"%nq = reshape %more : {w.batch} -> {t}",
            [("%v", w.batch, "%z2", "%nv")],
            after=f"%r2 = reshape %u#2 : {w.batch} -> {t}\n%r3 = addf %r2, %u#0 : {t}",
            results=("%r3", "%u#1"),
        ),
        "two loops in a row": w.loop(
            f"{w.both}\n{first}\n{second}",
            after=f"""
    %v:2 = for %k2 in (%one to %n, step %two) : tile<i32>
        iter_values(%p2 = %u#1, %q2 = %u#0) -> ({t}, {t}) {{
      {w.load_a("%x2", "%i", "%k2")}
      {w.load_b("%y2", "%k2", "%j")}
      {w.mma("%np2", "%x2", "%y2", "%p2")}
      continue %q2, %np2 : {t}, {t}
    }}""",
            results=("%v#0", "%v#1"),
        ),
    }


NAMES = tuple(programs())
