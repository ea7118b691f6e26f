"""
Bounds of the indices of privatized atomics, for all values of few bits.

Words have six bits here instead of 32, so that all values of an index, of a limit and of another
scalar can be tried. The bound is what `privatize-atomics` emits, computed op by op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint

from tileiras_xdsl.analysis import privatization
from tileiras_xdsl.analysis.axis_info_analysis import analyze
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.transforms.tileaa.privatize_atomics import PrivateCopy
from tileiras_xdsl.xdsl_extras.walking import splat_of

from ..harness.modules import ops_of, parse_unverified

Numbers = npt.NDArray[np.int64]
Values = dict[SSAValue, Numbers]

WORD, NARROW, WIDE = 6, 4, 8
SIZE = 4
"""Elements of the copy: as for real words, sums and products of two indices in it do not wrap."""

INDICES = {
    "%v": "",
    "%n1": "",
    "%sum": "%sum = nv_tileaa.addi %v, %s1 : T",
    "%twice": "%twice = nv_tileaa.addi %v, %v : T",
    "%square": "%square = nv_tileaa.muli %v, %v : T",
    "%row": "%m1 = nv_tileaa.muli %v, %s1 : T\n%row = nv_tileaa.addi %m1, %v : T",
    "%low": "%three = arith.constant dense<3> : T\n%low = nv_tileaa.andi %v, %three : T",
    "%wide_u": "%wide_u = arith.extui %v : T to W",
    "%wide_s": "%wide_s = arith.extsi %v : T to W",
    "%wide_sum": "%w1 = arith.extui %v : T to W\n%w2 = arith.extsi %s1 : T to W\n"
    "%wide_sum = nv_tileaa.addi %w1, %w2 : W",
    "%from_u": "%from_u = arith.extui %x : N to T",
    "%from_s": "%from_s = arith.extsi %x : N to T",
    "%from_sum": "%x1 = nv_tileaa.addi %x, %x : N\n%from_sum = arith.extui %x1 : N to T",
    "%from_product": "%x2 = nv_tileaa.muli %x, %xs : N\n%from_product = arith.extui %x2 : N to T",
    "%from_scalar": "%from_scalar = arith.extui %xs : N to T",
}
MASKS = {
    "unsigned": ("%v", "%n1", "T", "unsigned"),
    "signed": ("%v", "%n1", "T", "signed"),
    "low": ("%v", "%s1", "T", "unsigned"),
    "narrow": ("%x", "%xs", "N", "unsigned"),
    "narrow, signed": ("%x", "%xs", "N", "signed"),
}


def text(index: str, mask: str) -> str:
    """Code that computes an index and a mask, of tiles with one element."""
    first, second, ty, sign = MASKS[mask]
    body = f"""
"gpu.module"() <{{sym_name = "m"}}> ({{
  "gpu.func"() <{{function_type = (i{WORD}, i{WORD}, i{NARROW}, T, N) -> (), kernel}}> ({{
  ^bb0(%n: i{WORD}, %s: i{WORD}, %z: i{NARROW}, %v: T, %x: N):
    %n1 = nv_tileaa.splat %n : i{WORD} to T
    %s1 = nv_tileaa.splat %s : i{WORD} to T
    %xs = nv_tileaa.splat %z : i{NARROW} to N
    {INDICES[index]}
    %mask = nv_tileaa.cmpi {first}, {second}
        {{comparison_predicate = "less_than", signedness = "{sign}"}} : {ty} -> tensor<1xi1>
    "test.op"({index}, %mask) : (I, tensor<1xi1>) -> ()
    "gpu.return"() : () -> ()
  }}) {{sym_name = "k"}} : () -> ()
}}) : () -> ()"""
    result = "W" if "wide" in index else "T"
    for short, bits in (("I", None), ("T", WORD), ("N", NARROW), ("W", WIDE)):
        full = f"tensor<1xi{ {'W': WIDE, 'T': WORD}[result] if bits is None else bits }>"
        body = body.replace(f" {short} ", f" {full} ").replace(f" {short}\n", f" {full}\n")
        body = body.replace(f"({short},", f"({full},").replace(f" {short},", f" {full},")
        body = body.replace(f" {short})", f" {full})")
    return body


def width_of(value: SSAValue) -> int:
    return int(get_element(value.type).width.data)  # pyright: ignore


def wrapped(numbers: Numbers, bits: int) -> Numbers:
    """Signed numbers of some bits."""
    if bits == 64:
        return numbers
    return (numbers + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def unsigned(value: SSAValue, values: Values) -> npt.NDArray[Any]:
    bits = width_of(value)
    numbers = values[value]
    return numbers.view(np.uint64) if bits == 64 else numbers % (1 << bits)


BINARY: Mapping[str, Callable[[Numbers, Numbers], Numbers]] = {
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "andi": np.bitwise_and,
    "maxui": np.maximum,
}


def constant_of(op: arith.ConstantOp) -> int:
    """An integer, or the one that all elements are."""
    if isinstance(op.value, IntegerAttr):
        return op.value.value.data
    assert isinstance(op.value, DenseIntOrFPElementsAttr)
    data = splat_of(op.value)
    assert data is not None
    return int.from_bytes(data, "little", signed=True)


def evaluate(block: Block, values: Values) -> None:
    """Computes what the ops of a block do, on all numbers at once."""
    for op in block.ops:
        if not op.results:
            continue
        (result,) = op.results
        name = op.name.partition(".")[2]
        match name:
            case "constant":
                assert isinstance(op, arith.ConstantOp)
                values[result] = np.full_like(next(iter(values.values())), constant_of(op))
            case "splat" | "extsi":
                values[result] = values[op.operands[0]]
            case "extui":
                values[result] = unsigned(op.operands[0], values).astype(np.int64)
            case "cmpi":
                first, second = op.operands
                is_signed = "signed" in str(op.properties.get("signedness", ""))
                if is_signed and "unsigned" not in str(op.properties["signedness"]):
                    values[result] = (values[first] < values[second]).astype(np.int64)
                else:
                    less = unsigned(first, values) < unsigned(second, values)
                    values[result] = less.astype(np.int64)
            case _:
                first, second = (values[operand] for operand in op.operands)
                values[result] = wrapped(BINARY[name](first, second), width_of(result))


def all_values(function: FuncOp) -> Values:
    """All values of a word and of two scalars, or of narrow ones."""
    n, s, z, v, x = function.body.block.args
    words = np.arange(-(1 << WORD - 1), 1 << WORD - 1)
    grids = np.meshgrid(words, words, words, indexing="ij")
    flat = [grid.reshape(-1) for grid in grids]
    narrow = [wrapped(each, NARROW) for each in flat]
    return {n: flat[0], s: flat[1], v: flat[2], z: narrow[0], x: narrow[1]}


def emit(bound: privatization.Bound, at: Any) -> tuple[Block, SSAValue, list[SSAValue]]:
    """The ops that compute a bound, as the pass emits them, and what has to hold for it."""
    block = Block()
    copy = object.__new__(PrivateCopy)
    copy.builder = Builder(InsertPoint.at_end(block))
    copy.size, copy.checks = SIZE, []
    copy.atomics = SimpleNamespace(ops=[at])  # pyright: ignore[reportAttributeAccessIssue]
    value = copy._emit(bound)  # pyright: ignore[reportPrivateUsage]
    return block, value, copy.checks


def test_all_values(monkeypatch: pytest.MonkeyPatch):
    """An index whose mask is true is at least zero, and at most what is emitted as its bound."""
    monkeypatch.setattr(privatization, "ELEMENT_BITS", WORD)
    bounded = 0
    for index, mask in product(INDICES, MASKS):
        (function,) = ops_of(parse_unverified(text(index, mask)), FuncOp)
        (end,) = (op for op in function.walk() if op.name in ("test.op", "builtin.unregistered"))
        bounds = privatization._Bounds(  # pyright: ignore[reportPrivateUsage]
            end.operands[1],
            analyze(function),
            privatization.find_uniform_scalars(function),
            SIZE,
        )
        bound = bounds.of(end.operands[0])
        if bound is None:
            continue
        bounded += 1
        values = all_values(function)
        evaluate(function.body.block, values)
        block, limit, checks = emit(bound, end)
        evaluate(block, values)
        holds = values[end.operands[1]] != 0
        for check in checks:
            holds &= values[check] != 0
        found = values[end.operands[0]][holds]
        wrong = (found < 0) | (found > values[limit][holds]) | (found >= SIZE)
        assert not wrong.any(), f"{index} where {mask}: {bound}, {found[wrong][:3]}"
    assert bounded > 20
