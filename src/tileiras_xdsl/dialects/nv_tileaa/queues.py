"""Queues between agents, plugins with the resources they need, and pragmas."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i32, i64
from xdsl.ir import Operation, Region
from xdsl.irdl import (
    eq,
    lazy_traits_def,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, HasParent, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value, diagnosed_op
from tileiras_xdsl.dialects.memory_order import UnknownEffects

from .aggregate import YIELD_PARENTS, Yield, YieldOp
from .attributes import TileaaOperation
from .types import QueueType


class PruningPatterns(HasCanonicalizationPatternsTrait):
    """Results nobody uses are removed."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tileiras_xdsl.transforms.tileaa import canonicalize_tileaa as patterns

        return patterns.PRUNING_PATTERNS


def verify_yield(op: Operation, region: Region, terminator: type[Operation]) -> None:
    """The region must end in `terminator`, with values of the types of the op's results."""
    last = region.block.last_op
    if not isinstance(last, terminator):
        raise VerifyException(f"expects regions to end with '{terminator.name}'")
    found = [value.type for value in last.operands]
    if found != list(op.result_types):
        expected, got = (", ".join(str(ty) for ty in types) for types in (op.result_types, found))
        raise VerifyException(f"expects the region to yield ({expected}), but got ({got})")


@diagnosed_op
class CreateQueueOp(TileaaOperation):
    """A new queue."""

    name = "nv_tileaa.create_queue"

    result = result_def(QueueType)

    traits = traits_def(UnknownEffects())
    assembly_format = "attr-dict `:` type($result)"


@diagnosed_op
class QueueYieldOp(TileaaOperation):
    """Ends the region of `queue.get` with its values."""

    name = "nv_tileaa.queue.yield"

    arguments = var_operand_def()

    traits = lazy_traits_def(lambda: (IsTerminator(), Pure(), HasParent(QueueGetOp)))
    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"

    def __init__(self, *arguments: Value):
        super().__init__(operands=[arguments])


@diagnosed_op
class QueueGetOp(TileaaOperation):
    """Takes an entry of a queue, and yields what its region makes of it."""

    name = "nv_tileaa.queue.get"

    queue = opt_operand_def(QueueType)
    values = var_result_def()
    body = region_def("single_block")
    consumer_idx = opt_prop_def(IntegerAttr.constr(type=eq(i32)))

    traits = traits_def(UnknownEffects(), PruningPatterns())

    def verify_(self) -> None:
        verify_yield(self, self.body, QueueYieldOp)


@diagnosed_op
class QueuePutOp(TileaaOperation):
    """Puts values into a queue."""

    name = "nv_tileaa.queue.put"

    queue = operand_def(QueueType)
    values = var_operand_def()

    traits = traits_def(UnknownEffects())
    assembly_format = "$queue (`,` $values^)? attr-dict `:` type($queue) (`,` type($values)^)?"

    def verify_(self) -> None:
        ty = self.queue.type
        assert isinstance(ty, QueueType)
        expected = ty.element_types.data
        found = tuple(value.type for value in self.values)
        if expected and found != expected:
            raise VerifyException(
                f"expects values ({', '.join(map(str, expected))}), "
                f"but got ({', '.join(map(str, found))})"
            )


@diagnosed_op
class MarkForReuseOp(TileaaOperation):
    """Tells the allocation of buffers that queues outlive their last use."""

    name = "nv_tileaa.mark_for_reuse"

    queues = var_operand_def()

    traits = traits_def(UnknownEffects())
    assembly_format = "$queues attr-dict `:` type($queues)"

    def verify_(self) -> None:
        if not all(isinstance(queue.type, QueueType) for queue in self.queues):
            raise VerifyException("expect operands with queue types")


class Pragma(TileaaOperation, ABC):
    """Instructions about a region."""

    YIELD: ClassVar[type[Yield]] = YieldOp

    arguments = var_operand_def()
    values = var_result_def()
    body = region_def("single_block")
    payload_results = opt_prop_def(ArrayAttr)

    def get_payload_results(self) -> list[int]:
        """The numbers of results that attributes refer to."""
        listed = () if self.payload_results is None else self.payload_results
        return [item.value.data for item in listed if isinstance(item, IntegerAttr)]

    def verify_(self) -> None:
        verify_yield(self, self.body, self.YIELD)
        numbers = self.get_payload_results()
        if self.payload_results is not None and len(numbers) != len(self.payload_results):
            raise VerifyException(
                f"payload_results must list integers, but got {self.payload_results}"
            )
        for number in numbers:
            if not 0 <= number < len(self.results):
                raise VerifyException(
                    f"payload_results names result {number}, but there are {len(self.results)}"
                )


@diagnosed_op
class PragmaOp(Pragma):
    """
    Instructions for later passes about a region, in attributes of any name. `payload_results`
    lists the results these refer to by number.
    """

    name = "nv_tileaa.pragma"

    traits = traits_def(UnknownEffects(), PruningPatterns())


class ResourceOperation(TileaaOperation):
    """Code that needs resources: registers of a thread, barriers, scratch memory, layouts."""

    arguments = var_operand_def()
    values = var_result_def()
    bodies = var_region_def()
    max_registers = prop_def(IntegerAttr.constr(type=eq(i32)))
    named_barriers = prop_def(IntegerAttr.constr(type=eq(i32)))
    shared_memory_bytes = prop_def(IntegerAttr.constr(type=eq(i64)))
    tensor_memory_bytes = prop_def(IntegerAttr.constr(type=eq(i64)))
    input_layouts = prop_def(ArrayAttr)
    output_layouts = prop_def(ArrayAttr)

    traits = traits_def(UnknownEffects())

    def verify_(self) -> None:
        for name in RESOURCES:
            amount = self.properties[name]
            assert isinstance(amount, IntegerAttr)
            if amount.value.data < 0:
                raise VerifyException(f"{name} must not be negative")


RESOURCES = ("max_registers", "named_barriers", "shared_memory_bytes", "tensor_memory_bytes")


@diagnosed_op
class ExecuteOp(ResourceOperation):
    """Runs its regions as agents, if there are enough resources."""

    name = "nv_tileaa.execute"


@diagnosed_op
class PluginOp(ResourceOperation):
    """A fragment of code from elsewhere, known by name."""

    name = "nv_tileaa.plugin"

    plugin_name = opt_prop_def(StringAttr)


YIELD_PARENTS.extend((PragmaOp, ExecuteOp, PluginOp))

QUEUE_OPS = (CreateQueueOp, ExecuteOp, MarkForReuseOp, QueueGetOp, QueuePutOp)
"""The ops of agents and the queues between them."""
