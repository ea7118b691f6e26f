"""
The pass. For now it lowers tokens and checks resources; everything else is left as it is.

Before:  %t = nv_tileaa.join_mem_token [%t0, %t1] : !nv_tileaa.mem_token
         %x, %t1 = nv_tileaa.load %p token(%t) : … -> i32, !nv_tileaa.mem_token
After:   (spin on the barrier of %t0) (spin on the barrier of %t1)
         %x = nv_tileaa.load %p : … -> i32
         nvvm.mbarrier.arrive.shared %slot1 : !llvm.ptr<3> -> i64
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass

from tileiras_xdsl.xdsl_extras.dialect_conversion import fail, replace_contents

from ..compute_capability import CapabilityOption, ComputeCapability
from .resources import check_resources
from .tokens import lower_tokens

CAPABILITY = "nv_tileaa.compute_capability"
DEFAULT_CAPABILITY = ComputeCapability(8, 0)


def get_capability(module: ModuleOp, option: CapabilityOption) -> ComputeCapability:
    """The architecture that an option asks for, else that of the module, else sm_80."""
    if option is None:
        match module.attributes.get(CAPABILITY):
            case None:
                return DEFAULT_CAPABILITY
            case IntegerAttr() as number:
                option = number.value.data
            case StringAttr() as name:
                option = name.data
            case other:
                option = str(other)
    try:
        return ComputeCapability.parse(option)
    except ValueError as error:
        fail(module, f"invalid or missing --compute-capability option: {error}")


@dataclass(frozen=True)
class ConvertTileaaToTileasPass(ModulePass):
    """
    Lowers memory tokens to barriers after checking that plugins get what they need. If it
    fails, the module is as it was.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    """

    name = "convert-tileaa-to-tileas"

    compute_capability: str | int | float | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_resources(op, get_capability(op, self.compute_capability))
        lowered = op.clone()
        lower_tokens(lowered)
        replace_contents(op, lowered)
