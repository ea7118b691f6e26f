"""Numbers as sums with a constant: base and constant make the same number, for any input."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest
from xdsl.dialects import arith, llvm, test
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32, i64
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.backend.translate.constants import most_of, split_descriptor, split_sum

SEEDS = range(40)


def constant(number: int, ty: IntegerType) -> SSAValue:
    return arith.ConstantOp(IntegerAttr(number, ty)).result


def unknown() -> SSAValue:
    return test.TestOp(result_types=[i32]).results[0]


def shuffled(random: Random, left: SSAValue, right: SSAValue) -> tuple[SSAValue, SSAValue]:
    return (left, right) if random.random() < 0.5 else (right, left)


def evaluate(value: SSAValue, inputs: Mapping[SSAValue, int]) -> int:
    """What an integer is, without a sign."""
    if value in inputs:
        return inputs[value]
    owner = value.owner
    assert isinstance(value.type, IntegerType)
    width = value.type.width.data
    if isinstance(owner, arith.ConstantOp):
        assert isinstance(owner.value, IntegerAttr)
        return owner.value.value.data % (1 << width)
    assert isinstance(owner, Operation)
    numbers = [evaluate(each, inputs) for each in owner.operands]
    match owner:
        case llvm.AddOp() | arith.AddiOp():
            return sum(numbers) % (1 << width)
        case llvm.OrOp() | arith.OrIOp():
            return numbers[0] | numbers[1]
        case llvm.AndOp():
            return numbers[0] & numbers[1]
        case llvm.LShrOp():
            return numbers[0] >> numbers[1]
        case llvm.ZExtOp() | arith.ExtUIOp():
            return numbers[0]
        case _:
            raise AssertionError(str(owner))


def random_descriptor(random: Random, address: SSAValue) -> SSAValue:
    """A descriptor as it is made, or with fields that overlap."""
    mask = random.choice((0x3FFFF, 0xFFFFF, 0x7FFFFFFF))
    masked = llvm.AndOp(address, constant(mask, i32)).res
    shifted = llvm.LShrOp(masked, constant(random.choice((4, 4, 0)), i32)).res
    wide = llvm.ZExtOp(shifted, i64).results[0]
    fields = random.choice((0x4000404000010000, 0x4000404002000000, 0x4000404000010008))
    value: SSAValue = llvm.OrOp(*shuffled(random, constant(fields, i64), wide)).res
    for _ in range(random.randrange(3)):
        added = constant(random.choice((2, 128, -6, 1 << 14)), i64)
        left, right = shuffled(random, value, added)
        is_llvm = random.random() < 0.5
        value = llvm.AddOp(left, right).res if is_llvm else arith.AddiOp(left, right).result
    return value


@pytest.mark.parametrize("seed", SEEDS)
def test_descriptors(seed: int):
    random = Random(seed)
    address = unknown()
    value = random_descriptor(random, address)
    base, number = split_descriptor(value)
    for _ in range(4):
        inputs: dict[SSAValue, int] = {address: random.getrandbits(32)}
        assert evaluate(value, inputs) == (evaluate(base, inputs) + number) % (1 << 64)
        assert evaluate(base, inputs) & ~most_of(base) == 0


def test_descriptor_of_disjoint_fields():
    address = unknown()
    masked = llvm.AndOp(address, constant(0x3FFFF, i32)).res
    shifted = llvm.LShrOp(masked, constant(4, i32)).res
    fields = constant(0x4000404000010000, i64)
    value = llvm.OrOp(fields, llvm.ZExtOp(shifted, i64).results[0]).res
    assert split_descriptor(value) == (shifted, 0x4000404000010000)
    assert most_of(shifted) == 0x3FFF


def test_overlapping_fields_are_not_added():
    address = unknown()
    value = llvm.OrOp(constant(1, i64), llvm.ZExtOp(address, i64).results[0]).res
    assert split_descriptor(value) == (value, 0)


def test_sums():
    x = unknown()
    value = arith.AddiOp(constant(3, i32), llvm.AddOp(x, constant(64, i32)).res).result
    assert split_sum(value) == (x, 67)
    assert split_sum(x) == (x, 0)
    both = arith.AddiOp(x, x).result
    assert split_sum(both) == (both, 0)
