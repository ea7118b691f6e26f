"""Ops of `tt` declare what they do to memory; one that does not may do anything."""

from __future__ import annotations

from typing import Final

import pytest
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def
from xdsl.traits import MemoryEffect

from tileiras_xdsl.dialects import tt
from tileiras_xdsl.dialects.memory_order import STRUCTURAL, Effect, MemoryOrder, own_effects
from tileiras_xdsl.dialects.tt.ttg import Ttg
from tileiras_xdsl.transforms.tt.memory import find_ordered, find_read_only

from ..harness.modules import parse

STRONG: Final = Effect.READ | Effect.WRITE | Effect.ATOMIC
EFFECTS: Final = {
    "tt.load": Effect.READ,
    "tt.store": Effect.WRITE,
    "tt.atomic_rmw": STRONG,
    "tt.atomic_cas": STRONG,
    "tt.atomic_load": Effect.READ,
    "tt.atomic_store": Effect.WRITE,
    "tt.descriptor_load": Effect.READ,
    "tt.descriptor_store": Effect.WRITE,
    "tt.descriptor_reduce": STRONG,
    "tt.descriptor_gather": Effect.READ,
    "tt.descriptor_scatter": Effect.WRITE,
    "tt.call": Effect.UNKNOWN,
    "tt.extern_elementwise": Effect.UNKNOWN,
    "tt.elementwise_inline_asm": Effect.UNKNOWN,
    "tt.print": Effect.PRINT,
    "tt.assert": Effect.ASSERT,
    "tt.grid_dependency_wait": Effect.GRID_WAIT,
    "tt.grid_dependency_launch_dependents": Effect.GRID_LAUNCH,
    "ttg.barrier": Effect.FENCE,
}
"""What ops do that have no attributes that say more."""
KERNEL = """
tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %d: !tt.tensordesc<8x8xf32>) {{
  %i = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %c = arith.constant true
  {}
  tt.return
}}
"""


@pytest.mark.parametrize("op", [*tt.Tt.operations, *Ttg.operations], ids=lambda op: op.name)
def test_declared(op: type[Operation]):
    traits = op.get_traits_of_type(MemoryEffect)
    is_structural = any(map(op.has_trait, STRUCTURAL))
    assert traits or is_structural, "declares no effects"
    effect = own_effects(op.create())
    assert effect == EFFECTS.get(op.name, Effect.NONE)
    assert not effect or isinstance(traits[0], MemoryOrder), "declares effects without an order"


@pytest.mark.parametrize(
    ("text", "needs", "free"),
    [
        ("%a = tt.load %x : !tt.ptr<f32>", Effect.NONE, "xyd"),
        ("%a = tt.load %x {isVolatile = true} : !tt.ptr<f32>", Effect.WRITE, ""),
        ("%a = tt.atomic_load relaxed, gpu, %x : (!tt.ptr<f32>) -> f32", Effect.WRITE, ""),
        ("tt.store %x, %f : !tt.ptr<f32>", Effect.WRITE, "yd"),
        ("%a = tt.addptr %x, %i : !tt.ptr<f32>, i32\ntt.store %a, %f : !tt.ptr<f32>",
         Effect.WRITE, "yd"),
        ("%t = tt.bitcast %y : !tt.ptr<f32> -> !tt.ptr<i64>\n%a = tt.load %t : !tt.ptr<i64>\n"
         "%p = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>\ntt.store %p, %f : !tt.ptr<f32>",
         Effect.WRITE, "xd"),
        ("%a = arith.extsi %i : i32 to i64\n%p = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>\n"
         "tt.store %p, %f : !tt.ptr<f32>", Effect.WRITE, ""),
        ("%a = tt.atomic_rmw fadd, relaxed, gpu, %y, %f : (!tt.ptr<f32>, f32) -> f32",
         Effect.WRITE, "xd"),
        ("%a = tt.atomic_rmw fadd, acquire, gpu, %y, %f : (!tt.ptr<f32>, f32) -> f32",
         Effect.WRITE, ""),
        ("tt.atomic_store release, gpu, %y, %f : !tt.ptr<f32>", Effect.WRITE, ""),
        ("%a = arith.constant dense<0.0> : tensor<8x8xf32>\n"
         "tt.descriptor_store %d[%i, %i], %a : !tt.tensordesc<8x8xf32>, tensor<8x8xf32>",
         Effect.WRITE, "xy"),
        ("%a = arith.remui %i, %i : i32\ntt.assert %c, \"\" : i1", Effect.NONE, "xyd"),
        ("llvm.intr.assume %c : i1", Effect.NONE, "xyd"),
        ("tt.print \"x\" {hex = false} : %i : i32", Effect.WRITE, "xyd"),
        ("ttg.barrier all", Effect.WRITE, ""),
        ("tt.grid_dependency_wait", Effect.WRITE, ""),
    ],
)  # fmt: skip
def test_kernels(text: str, needs: Effect, free: str):
    """What needs an order in a kernel, and through which of its arguments nothing is stored."""
    (function,) = parse(KERNEL.format(text)).body.block.ops
    assert isinstance(function, tt.FuncOp)
    names = dict(zip("xyd", function.body.block.args, strict=True))
    read_only = frozenset(names.values())
    assert find_read_only(function) == {names[name] for name in free}
    assert find_ordered(function, read_only) == needs


@irdl_op_definition
class UndeclaredOp(IRDLOperation):
    """An op that says nothing of its effects."""

    name = "test.undeclared"

    of = operand_def()


def test_undeclared():
    """What declares nothing may store through any argument, and stays in its place."""
    (function,) = parse(KERNEL.format("")).body.block.ops
    assert isinstance(function, tt.FuncOp)
    block = function.body.block
    assert block.last_op is not None
    op = UndeclaredOp(operands=[block.args[0]])
    block.insert_op_before(op, block.last_op)
    assert find_read_only(function) == frozenset()
    assert find_ordered(function, frozenset(block.args)) == Effect.WRITE
