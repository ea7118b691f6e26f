"""The target a program is compiled for, as pass options and module attributes give it."""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.decisions import COMPUTE_CAPABILITY, TARGET_SPEC
from tileiras_xdsl.targets.capability import CapabilityOption, ComputeCapability
from tileiras_xdsl.targets.hopper import WARPGROUPS
from tileiras_xdsl.targets.target import Target, UnknownTarget, target_of
from tileiras_xdsl.targets.warpgroups import Warpgroups
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

DEFAULT_CAPABILITY: Final = ComputeCapability(8, 0)
BAD_OPTION: Final = "invalid or missing --compute-capability option"


def get_target(op: Operation, option: CapabilityOption = None) -> Target:
    """
    The target that an option asks for, else that of the module that an op is in, else sm_80. The
    number in a module does not say which variant of an architecture it is, the name beside it does.
    """
    module = op.get_toplevel_object()
    if option is None and isinstance(module, ModuleOp):
        option = _given(module)
    if option is None:
        return target_of(DEFAULT_CAPABILITY)
    try:
        return target_of(ComputeCapability.parse(option))
    except UnknownTarget as error:
        fail(op, str(error))
    except ValueError as error:
        fail(op, f"{BAD_OPTION}: {error}")


def _given(module: ModuleOp) -> CapabilityOption:
    for given in (TARGET_SPEC, COMPUTE_CAPABILITY):
        match given.get(module):
            case None:
                pass
            case IntegerAttr() as number:
                return number.value.data
            case StringAttr() as text:
                return text.data
            case other:
                return str(other)
    return None


def get_warpgroups(op: Operation) -> Warpgroups:
    """
    The WGMMA scheduling parameters of the target of an op. If its module has no target, it is
    Hopper: no other architecture has WGMMA.
    """
    module = op.get_toplevel_object()
    if not isinstance(module, ModuleOp) or _given(module) is None:
        return WARPGROUPS
    target = get_target(op)
    if target.warpgroups is None:
        fail(op, f"'{op.name}' op needs WGMMA, which {target} does not have")
    return target.warpgroups
