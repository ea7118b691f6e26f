"""
What a block can have of each resource, and the check that `execute` and `plugin` stay within it.

    "nv_tileaa.execute"() <{…, shared_memory_bytes = 1073741824 : i64, …}> : () -> ()
    error: 'nv_tileaa.execute' op needs 1073741824 bytes of shared memory, but sm_90 has 232448
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.queues import PluginOp, ResourceOperation
from tileiras_xdsl.transforms.common.compute_capability import ComputeCapability
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail


@dataclass(frozen=True)
class Resources:
    """Amounts of what plugins ask for, in the order in which they are checked."""

    max_registers: int
    """Registers of a thread."""
    named_barriers: int
    shared_memory_bytes: int
    """With the opt-in to more than the 48 KiB that every device has."""
    tensor_memory_bytes: int


KIB = 1024

RESOURCES = {
    # registers, named barriers, shared memory, tensor memory
    "sm_80": Resources(255, 16, 163 * KIB, 0),
    "sm_86": Resources(255, 16, 99 * KIB, 0),
    "sm_87": Resources(255, 16, 163 * KIB, 0),
    "sm_89": Resources(255, 16, 99 * KIB, 0),
    "sm_90": Resources(255, 16, 227 * KIB, 0),
    "sm_100": Resources(255, 16, 227 * KIB, 256 * KIB),
    "sm_103": Resources(255, 16, 227 * KIB, 256 * KIB),
    "sm_110": Resources(255, 16, 227 * KIB, 256 * KIB),
    "sm_120": Resources(255, 16, 99 * KIB, 0),
    "sm_121": Resources(255, 16, 99 * KIB, 0),
}
"""By the name of the architecture without its suffix."""

STATIC_SHARED_BYTES = 48 * KIB
STATIC_SHARED_SINCE = 90
"""From here on variants with the suffix `a` may have all shared memory without being asked."""


def static_shared_bytes(capability: ComputeCapability) -> int:
    """
    What a kernel can have in shared memory without its launch asking for more, as launches do
    not: ptxas refuses more than 48 KiB before sm_90.
    """
    resources = RESOURCES.get(capability.base_name)
    if resources is None or capability.number < STATIC_SHARED_SINCE:
        return STATIC_SHARED_BYTES
    return resources.shared_memory_bytes


PHRASES = {
    "max_registers": "registers per thread",
    "named_barriers": "named barriers",
    "shared_memory_bytes": "bytes of shared memory",
    "tensor_memory_bytes": "bytes of tensor memory",
}


def check_resources(module: ModuleOp, capability: ComputeCapability) -> None:
    """Fails at the first op that needs more than there is, with the first resource of it."""
    for op in module.walk():
        if isinstance(op, ResourceOperation):
            _check(op, capability)
        if isinstance(op, PluginOp):
            _check_plugin(op)


def _check(op: ResourceOperation, capability: ComputeCapability) -> None:
    available = RESOURCES.get(capability.base_name)
    if available is None:
        known = ", ".join(RESOURCES)
        fail(op, f"'{op.name}' op needs resources of {capability.name}, but known are {known}")
    for resource in fields(Resources):
        needed, limit = _get_amount(op, resource.name), getattr(available, resource.name)
        if needed > limit:
            fail(
                op,
                f"'{op.name}' op needs {needed} {PHRASES[resource.name]}, "
                f"but {capability.name} has {limit}",
            )


def _check_plugin(op: PluginOp) -> None:
    """A plugin is known by name only, and has a layout for each of its tensors, or none."""
    if op.bodies:
        fail(op, f"'{op.name}' op has regions", "plugin has unsupported feature")
    for layouts, values in ((op.input_layouts, op.arguments), (op.output_layouts, op.values)):
        tensors = sum(isinstance(value.type, TensorType) for value in values)
        if layouts.data and len(layouts) != tensors:
            message = f"'{op.name}' op has {len(layouts)} layouts for {tensors} tensors"
            fail(op, message, "fails to assign layout")


def _get_amount(op: Operation, name: str) -> int:
    amount = op.properties[name]
    assert isinstance(amount, IntegerAttr)
    return amount.value.data
