"""
Resource limits of a CTA, and the check that `execute` and `plugin` stay within them.

    "nv_tileaa.execute"() <{…, shared_memory_bytes = 1073741824 : i64, …}> : () -> ()
    error: 'nv_tileaa.execute' op needs 1073741824 bytes of shared memory, but sm_90 has 232448
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType
from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileaa.queues import PluginOp, ResourceOperation
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all


def available(target: Target) -> dict[str, int]:
    """The limits of a CTA for resources that plugins ask for, in the order of the checks."""
    return {
        "max_registers": target.registers.thread,
        "named_barriers": target.threads.barriers,
        "shared_memory_bytes": target.shared.opt_in,
        "tensor_memory_bytes": 0 if target.tensor_memory is None else target.tensor_memory.bytes,
    }


PHRASES = {
    "max_registers": "registers per thread",
    "named_barriers": "named barriers",
    "shared_memory_bytes": "bytes of shared memory",
    "tensor_memory_bytes": "bytes of tensor memory",
}


def check_resources(module: ModuleOp, target: Target) -> None:
    """Fails at the first op that exceeds a limit."""
    for op in find_all(module, ResourceOperation):
        _check(op, target)
        if isinstance(op, PluginOp):
            _check_plugin(op)


def _check(op: ResourceOperation, target: Target) -> None:
    for name, limit in available(target).items():
        needed = _get_amount(op, name)
        if needed > limit:
            fail(op, f"'{op.name}' op needs {needed} {PHRASES[name]}, but {target} has {limit}")


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
