"""
Determinism on request: kernels that give the same bits whatever the grid, the GPU's number of SMs,
and what else runs.

Before:  entry @k(%x: tile<ptr<f32>>, %m: tile<i32>)
             optimization_hints=<default = {deterministic = true}> {
           %n = assume div_by<16>, %m : tile<i32>
           %v = make_tensor_view %x, shape = [%n, 64], strides = [64, 1] : …
After:   entry @k(…) attributes {tileiras.deterministic} {
           %n = assume div_by<16>, %m : tile<i32>
           %v = make_tensor_view %x, shape = [%m, 64], strides = [64, 1] : …

Atomics that add floats are refused: they do so in whatever order tile blocks come. All other
results of a tile block follow from the program and the plan, which is made here and not when the
kernel runs. cuTile makes a program for each divisibility of sizes, and what that changes could be
the plan; so it is forgotten, and the programs for all sizes have one plan.

Not seen: atomics on integers whose old value decides what is done, compare-and-swap loops that add
floats, races, and what is assumed of sizes that masks of gathers compare with, not views.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.cuda_tile.attributes import DivByAttr, OptimizationHintsAttr
from tileiras_xdsl.dialects.cuda_tile.enums import AtomicMode
from tileiras_xdsl.dialects.cuda_tile.memory import AtomicRMWOp
from tileiras_xdsl.dialects.cuda_tile.shape import AssumeOp
from tileiras_xdsl.dialects.cuda_tile.symbols import EntryOp
from tileiras_xdsl.dialects.cuda_tile.views import AtomicRedViewOp, MakeTensorViewOp
from tileiras_xdsl.dialects.tileiras import DETERMINISTIC
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import walk

HINT = "deterministic"
"""The optimization hint of a kernel that asks for it."""


@dataclass(frozen=True)
class RequireDeterminismPass(ModulePass):
    """
    Refuses kernels whose results may differ from launch to launch, and forgets what would make
    different plans for different sizes; see the module.

    Options:

    - compute-capability: the architecture, whose hints count;
    - all: whether all kernels are to be deterministic, or those only that have the hint.
    """

    name = "require-determinism"

    compute_capability: str = "sm_80"
    all: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arch = ComputeCapability.parse(self.compute_capability).base_name
        members = (each for top in op.ops for region in top.regions for each in region.ops)
        for entry in [each for each in members if isinstance(each, EntryOp)]:
            if self.all or asks_for_determinism(entry, arch):
                make_deterministic(entry)


def asks_for_determinism(entry: EntryOp, arch: str) -> bool:
    """Whether a kernel has the hint, for an architecture."""
    hints = entry.optimization_hints
    found = hints.lookup(arch, HINT) if isinstance(hints, OptimizationHintsAttr) else None
    return isinstance(found, IntegerAttr) and bool(found.value.data)


def make_deterministic(entry: EntryOp) -> None:
    """Refuses a kernel, or gives it one plan for all sizes, and a mark for its launch record."""
    for op in tuple(walk(entry)):
        match op:
            case AtomicRMWOp() | AtomicRedViewOp() if op.atomic_mode is AtomicMode.ADDF:
                fail(
                    op,
                    f"'{op.name}' op adds floats in the order in which tile blocks come, but the "
                    "kernel has to be deterministic: store partial sums, and add them in a second "
                    "kernel",
                )
            case MakeTensorViewOp():
                # The sizes follow the base.
                for index, size in enumerate(op.dynamic_shape, 1):
                    op.operands[index] = without_divisors(size)
            case _:
                pass
    DETERMINISTIC.set(entry, UnitAttr())


def without_divisors(value: SSAValue) -> SSAValue:
    """A value with all that is assumed of it, but for what it is a multiple of."""
    op = value.owner
    if not isinstance(op, AssumeOp):
        return value
    inner = without_divisors(op.value)
    if isinstance(op.predicate, DivByAttr):
        return inner
    if inner is op.value:
        return value
    new = op.clone({op.value: inner})
    Rewriter.insert_op(new, InsertPoint.after(op))
    return new.result
