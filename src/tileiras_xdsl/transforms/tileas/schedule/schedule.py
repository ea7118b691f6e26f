"""
The schedule of a kernel: what `tileas-generate-schedule` writes and others read.

    nv_tileas.schedule = {stages = [4 : i32], producer_warps = 1 : i32}      of the kernel
    nv_tileas.pipe = 0 : i32                                                 of a load
    nv_tileas.stage = 1 : i32, nv_tileas.order = 3 : i32                     of ops of a loop
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

SCHEDULE = "nv_tileas.schedule"
STAGE = "nv_tileas.stage"
ORDER = "nv_tileas.order"


@dataclass(frozen=True)
class Schedule:
    """How the agents of a kernel work together."""

    stages: Sequence[int]
    """Of each pipe."""
    producer_warps: int
    registers: tuple[int, int] | None = None
    """Of a thread of the producer and of the consumer, if they exchange some."""

    def attach(self, function: FuncOp) -> None:
        """Puts it into an attribute of a kernel."""
        fields = {
            "stages": ArrayAttr(IntegerAttr(number, i32) for number in self.stages),
            "producer_warps": IntegerAttr(self.producer_warps, i32),
        }
        if self.registers is not None:
            fields["registers"] = ArrayAttr(IntegerAttr(number, i32) for number in self.registers)
        function.attributes[SCHEDULE] = DictionaryAttr(fields)

    @staticmethod
    def of(function: FuncOp) -> Schedule | None:
        """The schedule of a kernel, if it has one."""
        attribute = function.attributes.get(SCHEDULE)
        if not isinstance(attribute, DictionaryAttr):
            return None
        warps = attribute.data.get("producer_warps")
        registers = _numbers(attribute, "registers", function)
        if not isinstance(warps, IntegerAttr) or warps.value.data < 1:
            fail(function, f"'{SCHEDULE}' needs producer_warps, a positive integer")
        if registers and len(registers) != 2:
            fail(function, f"'{SCHEDULE}' has registers of a producer and of a consumer")
        return Schedule(
            _numbers(attribute, "stages", function),
            warps.value.data,
            (registers[0], registers[1]) if registers else None,
        )

    def get_stages(self, number: int, load: Operation) -> int:
        """Those of the pipe that a load fills."""
        if not 0 <= number < len(self.stages):
            fail(load, f"'{SCHEDULE}' has no number of stages for pipe {number}")
        return self.stages[number]


def _numbers(attribute: DictionaryAttr, name: str, function: FuncOp) -> list[int]:
    """A list of numbers; empty if it is not there."""
    listed = attribute.data.get(name, ArrayAttr(()))
    numbers = list(listed) if isinstance(listed, ArrayAttr) else [listed]
    found = [each.value.data for each in numbers if isinstance(each, IntegerAttr)]
    if len(found) < len(numbers):
        fail(function, f"'{SCHEDULE}' needs integers as {name}")
    return found


def get_stage(op: Operation) -> int | None:
    """The stage that an op of a loop is in."""
    attribute = op.attributes.get(STAGE)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def get_order(op: Operation) -> int:
    """The place of an op in the body of its loop."""
    attribute = op.attributes.get(ORDER)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 0


def set_stage(op: Operation, stage: int, order: int) -> None:
    """Says in which stage, and where, an op is done."""
    op.attributes[STAGE] = IntegerAttr(stage, i32)
    op.attributes[ORDER] = IntegerAttr(order, i32)
