"""
Small kernels whose threads exchange elements: scans, reductions, transpositions and slices of
tiles, in loops and branches, one after the other in the same memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ..harness.stress_kernels import (
    Build,
    Builder,
    arg_reduction,
    atomics,
    carried,
    chosen,
    concatenation,
    extraction,
    gather,
    permutation,
    reduction,
    repeated,
    reshaped,
    scan,
    shared_atomics,
    symmetric_rows,
    tile,
    transposed_in_place,
)


def scanned_twice(rows: int, columns: int) -> Build:
    """Running sums from the end along one axis, then from the start along the other, in a loop."""
    shape, element = (rows, columns), "i32"
    full = tile(shape, element)

    def running(result: str, value: str, axis: int, reverse: str) -> str:
        return (
            f"{result} = scan {value} dim={axis} reverse={reverse} identities=[0 : i32] "
            f": {full} -> {full} (%l: tile<i32>, %r: tile<i32>) {{\n"
            "      %s = addi %l, %r : tile<i32>\n      yield %s : tile<i32>\n    }\n"
        )

    def build(kernel: Builder) -> None:
        value = kernel.load(shape, element)
        one = kernel.add("constant <i32: 1> : tile<i32>")
        end = kernel.add("constant <i32: 3> : tile<i32>")
        result = kernel.add(
            f"for %i in (%zero to {end}, step {one}) : tile<i32> iter_values(%x = {value}) -> "
            f"({full}) {{\n    {running('%a', '%x', 0, 'true')}    "
            f"{running('%b', '%a', 1, 'false')}"
            f"    %d = subi %b, %x : {full}\n    continue %d : {full}\n  }}"
        )
        kernel.store(result, shape, element)

    return build


def last_scan(size: int) -> Build:
    """A scan that is not commutative: of two numbers and their positions the later one is taken."""
    full = tile((size,), "i32")

    def build(kernel: Builder) -> None:
        value = kernel.load((size,), "i32")
        at = kernel.add(f"iota : {full}")
        kernel.lines.append(
            f"%v, %p = scan {value}, {at} dim=0 reverse=false identities=[0 : i32, 0 : i32] "
            f": {full}, {full} -> {full}, {full} "
            "(%a: tile<i32>, %b: tile<i32>, %i: tile<i32>, %j: tile<i32>) {\n"
            "    %none = constant <i32: 0> : tile<i32>\n"
            "    %more = cmpi greater_than %b, %none, signed : tile<i32> -> tile<i1>\n"
            "    %s = select %more, %b, %a : tile<i1>, tile<i32>\n"
            "    %q = select %more, %j, %i : tile<i1>, tile<i32>\n"
            "    yield %s, %q : tile<i32>, tile<i32>\n  }"
        )
        kernel.store("%v", (size,), "i32")
        kernel.store("%p", (size,), "i32")

    return build


KERNELS: Mapping[str, Build] = {
    "scans in a loop": scanned_twice(16, 32),
    "a scan of many rows": scan((128, 2), 0, "i64", reverse=True),
    "a scan that keeps the last": last_scan(512),
    "the first of the largest": arg_reduction((16, 64), 1),
    "sums of bytes": reduction((64, 32), 0, "i8"),
    "a permutation of three": permutation((8, 4, 16), (2, 0, 1), "i16"),
    "a tile that a loop transposes": carried((32, 32), "i32", 3),
    "a loop until a sum is large": repeated((16, 16), "i32", 40),
    "a branch": chosen((32, 16), "i32"),
    "halves": concatenation((16, 8), 1, "i32"),
    "a slice": extraction((16, 32), (8, 8), "i16"),
    "another shape": reshaped((8, 32), (16, 16), "i32"),
    "a transposition in place": transposed_in_place(16),
    "rows and their transposes": symmetric_rows(16, "i32", 3),
    "scattered elements": gather((16, 32), "f16"),
    "old values of atomics": atomics((16, 32), "i32", "add"),
    "atomics behind atomics": shared_atomics((16, 16), "i32", "xor"),
}
NAMES = tuple(KERNELS)


@cache
def _built(name: str) -> Builder:
    builder = Builder()
    KERNELS[name](builder)
    return builder


def text_of(name: str) -> str:
    """A kernel by its name."""
    return _built(name).text()


def arguments_of(name: str, seed: int = 0) -> list[Any]:
    """What it is called with."""
    return _built(name).make_arguments(seed)
