"""
Regions of several blocks, with branches between them. Threads may go different ways, and meet
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Block, Operation, Region

from .attributes import integers_of, property_of
from .values import Array, Mask, Value, merge

if TYPE_CHECKING:
    from .machine import Body, CallFrame, Signal


@dataclass
class BranchGraph:
    """Blocks with branches between them."""

    bodies: list[Body]
    branches: list[Branch]

    def run(self, frame: CallFrame, values: Sequence[Value] = ()) -> Signal:
        """
        Always runs the earliest block that threads wait at, so that those that went different
        ways meet again where the ways do.
        """
        state = frame.cta
        threads: int = state.threads
        entered: Mask | None = state.active
        place = np.full(threads, len(self.bodies), np.int64)
        place[... if entered is None else entered] = 0
        for register, value in zip(self.bodies[0].arguments, values, strict=True):
            frame.registers[register] = value
        left: Signal | None = None
        while (number := int(place.min())) < len(self.bodies):
            here = place == number
            state.active = None if here.all() else here
            branch = self.branches[number]
            signal = self._run_body(frame, self.bodies[number], here)
            operands = signal.values
            if branch.leaves:
                merged = operands if left is None else merge_all(here, operands, left.values)
                left = signal._replace(values=merged)
                place[here] = len(self.bodies)
                continue
            chosen = branch.choose(operands, threads)
            for position, target in enumerate(branch.targets):
                going = here & (chosen == position)
                if going.any():
                    self._enter(frame, target, [operands[i] for i in target.operands], going)
                    place[going] = target.body
        state.active = entered
        assert left is not None, "who enters a region leaves it"
        return left

    def _run_body(self, frame: CallFrame, body: Body, here: Mask) -> Signal:
        """Runs a block for some threads; what it defines stays as it was for the others."""
        registers = frame.registers
        arguments = [registers[register] for register in body.arguments]
        if frame.cta.active is None:
            return body.run(frame, arguments)
        before = [registers[register] for register in body.defined]
        signal = body.run(frame, arguments)
        for register, value in zip(body.defined, before, strict=True):
            registers[register] = merge(here, registers[register], value)
        return signal._replace(values=[registers[register] for register in body.operands])

    def _enter(
        self, frame: CallFrame, target: BranchTarget, values: list[Value], going: Mask
    ) -> None:
        registers = frame.registers
        arguments = self.bodies[target.body].arguments
        everyone = bool(going.all())
        for register, value in zip(arguments, values, strict=True):
            registers[register] = value if everyone else merge(going, value, registers[register])


def merge_all(mask: Mask, new: Sequence[Value], old: Sequence[Value]) -> list[Value]:
    """The new values for the threads of a mask, the old ones for the others."""
    return [merge(mask, a, b) for a, b in zip(new, old, strict=True)]


@dataclass(frozen=True)
class BranchTarget:
    """A block that a branch can go to, and which of its operands that block is given."""

    body: int
    operands: list[int]


@dataclass(frozen=True)
class Branch:
    """How a block ends: by leaving the region, or by going to one of some blocks."""

    targets: list[BranchTarget]
    cases: list[int] | None = None
    """The values of a switch that stand for the targets starting at the second."""

    @property
    def leaves(self) -> bool:
        return not self.targets

    def choose(self, operands: list[Value], threads: int) -> Array:
        """The number of the target of each thread."""
        if len(self.targets) == 1 and self.cases is None:
            return np.zeros(threads, np.int64)
        flag = np.broadcast_to(operands[0], (threads,))
        if self.cases is None:
            return np.where(flag, 0, 1)
        chosen = np.zeros(threads, np.int64)
        for position, case in enumerate(self.cases):
            chosen[flag == case] = position + 1
        return chosen


def in_order(region: Region) -> list[Block]:
    """Blocks in an order in which the targets of a branch come after it, except for loops."""
    seen: set[Block] = set()
    order: list[Block] = []
    stack: list[tuple[Block, int]] = [(region.blocks[0], 0)]
    seen.add(region.blocks[0])
    while stack:
        block, position = stack.pop()
        successors = () if block.last_op is None else block.last_op.successors
        if position < len(successors):
            stack.append((block, position + 1))
            following = successors[len(successors) - 1 - position]
            if following not in seen:
                seen.add(following)
                stack.append((following, 0))
        else:
            order.append(block)
    return order[::-1]


def branch_of(op: Operation | None, numbers: dict[Block, int]) -> Branch:
    """Where the terminator of a block goes."""
    if op is None or not op.successors:
        return Branch([])
    if op.name in ("cf.br", "llvm.br"):
        return Branch([BranchTarget(numbers[op.successors[0]], list(range(len(op.operands))))])
    sizes = integers_of(op, "operandSegmentSizes")
    cases: list[int] | None = None
    if op.name.endswith("switch"):
        cases = integers_of(op, "case_values") if property_of(op, "case_values") else []
        sizes = [1, sizes[1], *integers_of(op, "case_operand_segments")]
    targets: list[BranchTarget] = []
    at = 1
    for block, size in zip(op.successors, sizes[1:], strict=True):
        targets.append(BranchTarget(numbers[block], list(range(at, at + size))))
        at += size
    return Branch(targets, cases)
