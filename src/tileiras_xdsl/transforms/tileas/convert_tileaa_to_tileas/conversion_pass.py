"""
The second lowering: from the alias-aware dialect to the one that is scheduled.

Before:  %t = nv_tileaa.join_mem_token [%t0, %t1] : !nv_tileaa.mem_token
         %x, %t1 = nv_tileaa.load %p token(%t) : … -> i32, !nv_tileaa.mem_token
After:   (spin on the barrier of %t0) (spin on the barrier of %t1)
         %x = nv_tileas.load %p : … -> i32
         nvvm.mbarrier.arrive.shared %slot1 : !llvm.ptr<3> -> i64
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects.nv_tileaa.queues import QUEUE_OPS
from tileiras_xdsl.dialects.nv_tileaa.types import MEM_TOKEN
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.transforms.common.kernel_spec import attach_kernel_specs
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionTarget,
    PatternSet,
    TypeConverter,
    convert_in_place,
    replace_contents,
    working_copy,
)
from tileiras_xdsl.xdsl_extras.walking import walk

from ..kernel_model.resources import check_resources
from .arith import populate_arith
from .core import populate_core

FAILURE = "failed to convert nv_tileaa to nv_tileas"
LEGAL_DIALECTS = ("nv_tileas", "arith", "math", "func", "gpu", "scf")


def make_patterns(machine: Target) -> tuple[PatternSet, ConversionTarget]:
    """
    The patterns, those for `arith` first, and the conversion target. The ops of `math` take
    tensors of any layout as they are, so they need no patterns.
    """
    patterns, target = PatternSet(), ConversionTarget()
    target.add_legal_dialect(*LEGAL_DIALECTS)
    populate_arith(patterns, target)
    populate_core(patterns, target, machine)
    return patterns, target


def has_order_of_its_own(module: ModuleOp) -> bool:
    """
    Whether a program has tokens or queues. Our own pipeline leaves none: `discharge-mem-tokens`
    removes tokens, and bytecode has no queues.
    """
    for op in walk(module):
        if isinstance(op, QUEUE_OPS) or any(result.type == MEM_TOKEN for result in op.results):
            return True
        for region in op.regions:
            for block in region.blocks:
                if any(argument.type == MEM_TOKEN for argument in block.args):
                    return True
        signature = op.properties.get("function_type")
        if isinstance(signature, FunctionType) and MEM_TOKEN in (
            *signature.inputs,
            *signature.outputs,
        ):
            return True
    return False


@dataclass(frozen=True)
class ConvertTileaaToTileasPass(ModulePass):
    """
    Lowers memory tokens to mbarriers after checking that plugins get the resources they need,
    chooses the number of warps of kernels, turns queues into pipelines and executes into agents,
    and memory, shape, dot, reduction and scan ops into those of `nv_tileas`. No layouts are
    assigned here. If it fails, the module is unchanged.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    """

    name = "convert-tileaa-to-tileas"

    compute_capability: str | int | float | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = get_target(op, self.compute_capability)
        check_resources(op, machine)
        lowered = working_copy(op)
        attach_kernel_specs(lowered, machine)
        if has_order_of_its_own(lowered):
            from tileiras_xdsl.transforms.interop.queues import lower_queues
            from tileiras_xdsl.transforms.interop.tokens import lower_tokens

            lower_tokens(lowered)
            lower_queues(lowered)
        patterns, target = make_patterns(machine)
        convert_in_place(lowered, target, TypeConverter(), patterns, FAILURE)
        replace_contents(op, lowered)
