"""Reductions and scans of several operands, in many types, and with bodies of all kinds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ...harness.cases import covering
from .tile_kernels import Kernel, tile

LEVELS = (0, 2, 3)
SHAPES: Sequence[tuple[tuple[int, ...], int]] = (((2,), 0), ((8, 16), 0), ((4, 64), 1), ((512,), 0))

LARGEST = """
    %c = cmpf greater_than ordered %p, %q : tile<f32> -> tile<i1>
    %e = cmpf equal ordered %p, %q : tile<f32> -> tile<i1>
    %l = cmpi less_than %k, %n, signed : tile<i32> -> tile<i1>
    %el = andi %e, %l : tile<i1>
    %t = ori %c, %el : tile<i1>
    %s = select %t, %p, %q : tile<i1>, tile<f32>
    %m = select %t, %k, %n : tile<i1>, tile<i32>
    yield %s, %m : tile<f32>, tile<i32>
"""
"""The largest element and the first of its places."""


def aggregate(
    kernel: Kernel,
    op: str,
    operands: Sequence[tuple[str, str]],
    shape: Sequence[int],
    axis: int,
    body: str,
    arguments: Sequence[str],
) -> None:
    """Adds a reduction or scan of operands and their element types, and stores all results."""
    kept = [size for dim, size in enumerate(shape) if dim != axis or op == "scan"]
    identities = [f"{'0.0' if 'f' in element else '0'} : {element}" for _, element in operands]
    identities = ["false" if each == "0 : i1" else each for each in identities]
    options = " reverse=true" if op == "scan" else ""
    pairs = zip(arguments, (element for _, element in operands for _ in range(2)), strict=True)
    results = kernel.add_all(
        f"{op} {', '.join(name for name, _ in operands)} dim={axis}{options} "
        f"identities=[{', '.join(identities)}] : "
        f"{', '.join(tile(shape, element) for _, element in operands)} -> "
        f"{', '.join(tile(kept, element) for _, element in operands)} "
        f"({', '.join(f'{name}: tile<{element}>' for name, element in pairs)}) {{{body}}}",
        len(operands),
    )
    for result, (_, element) in zip(results, operands, strict=True):
        kernel.store(result, kept, element)


@pytest.mark.every(4, first=2)
@pytest.mark.parametrize(("op", "opt"), covering(["reduce", "scan"], LEVELS))
def test_types(op: str, opt: int):
    bodies = {
        "i1": "xori %p, %q",
        "i8": "addi %p, %q",
        "i16": "maxi %p, %q signed",
        "i64": "muli %p, %q",
        "f16": "maxf %p, %q",
        "f64": "minf %p, %q",
    }
    kernel = Kernel()
    for number, (element, text) in enumerate(bodies.items()):
        shape, axis = SHAPES[number % len(SHAPES)]
        body = f"%s = {text} : tile<{element}>\nyield %s : tile<{element}>"
        operands = [(kernel.values(shape, element), element)]
        aggregate(kernel, op, operands, shape, axis, body, ["%p", "%q"])
    kernel.check(opt)


@pytest.mark.every(4, first=2)
@pytest.mark.parametrize(("op", "opt"), covering(["reduce", "scan"], LEVELS))
def test_the_largest_and_its_place(op: str, opt: int):
    kernel = Kernel()
    for shape, axis in SHAPES:
        numbers = kernel.values(shape, "f32")
        places = kernel.values(shape, "i32", np.arange(np.prod(shape)))
        operands = [(numbers, "f32"), (places, "i32")]
        aggregate(kernel, op, operands, shape, axis, LARGEST, ["%p", "%q", "%k", "%n"])
    kernel.check(opt)


@pytest.mark.parametrize(("op", "opt"), covering(["reduce", "scan"], LEVELS))
def test_bodies_with_branches(op: str, opt: int):
    """Branches that go either way for elements of one thread."""
    body = """
        %c = cmpi greater_than %p, %q, signed : tile<i16> -> tile<i1>
        %s = if %c -> (tile<i16>) {
          yield %p : tile<i16>
        } else {
          yield %q : tile<i16>
        }
        yield %s : tile<i16>
    """
    kernel = Kernel()
    for shape, axis in SHAPES[:3]:
        operands = [(kernel.values(shape, "i16"), "i16")]
        aggregate(kernel, op, operands, shape, axis, body, ["%p", "%q"])
    kernel.check(opt)


@pytest.mark.parametrize("opt", LEVELS)
def test_all_threads_get_the_same(opt: int):
    """
    The body always takes its first element. All threads take the same one, or they would not
    agree which slice to extract.
    """
    kernel = Kernel()
    numbers = kernel.values([64], "i32", np.arange(64))
    (first,) = kernel.add_all(
        f"reduce {numbers} dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32> "
        "(%p: tile<i32>, %q: tile<i32>) {\nyield %p : tile<i32>\n}",
        1,
    )
    many = kernel.add(f"reshape {first} : tile<i32> -> tile<1xi32>")
    many = kernel.add(f"broadcast {many} : tile<1xi32> -> tile<64xi32>")
    kernel.store(many, [64], "i32")
    found = kernel.check(opt)
    assert len(set(found[-1].tolist())) == 1


@pytest.mark.parametrize("opt", LEVELS)
def test_tiles_in_bodies(opt: int):
    """A tile that does not depend on elements is computed before the reduction."""
    body = """
        %three = constant <i32: 3> : tile<4xi32>
        %product = muli %three, %three : tile<4xi32>
        %one = constant <i32: 1> : tile<i32>
        %part = extract %product[%one] : tile<4xi32> -> tile<1xi32>
        %nine = reshape %part : tile<1xi32> -> tile<i32>
        %t = addi %p, %nine : tile<i32>
        %m = maxi %t, %q signed : tile<i32>
        %o = subi %m, %nine : tile<i32>
        %s = maxi %o, %p signed : tile<i32>
        yield %s : tile<i32>
    """
    kernel = Kernel()
    # All that differ do so by more than nine, so that elements may be combined in any order.
    numbers = np.random.default_rng(1).integers(0, 8, 64) * 10
    operands = [(kernel.values([64], "i32", numbers), "i32")]
    aggregate(kernel, "reduce", operands, [64], 0, body, ["%p", "%q"])
    kernel.check(opt)
