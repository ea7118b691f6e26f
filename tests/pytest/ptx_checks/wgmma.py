"""
Registers of `wgmma.mma_async` that other instructions access at the wrong time, which PTX leaves
undefined ("Asynchronous warpgroup level matrix instructions", `wgmma.fence` and
`wgmma.wait_group`). LLVM does not know the rules, and no interpreter sees what it does with
registers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from .dataflow import forward_steps
from .program import Finding, Function, Instruction

MMA = "wgmma.mma_async"
OLDEST = 8
"""An age that no wait leaves in flight: it names 7 groups at most."""
START = "the start of the kernel"


@dataclass(frozen=True)
class Fragment:
    """Registers of an operand of WGMMAs in flight."""

    role: str
    shape: str
    registers: tuple[str, ...]


InFlight: TypeAlias = Mapping[Fragment, int]
"""The age of fragments: how many groups were committed since the youngest WGMMA that has them."""


def fragments_of(instruction: Instruction) -> list[Fragment]:
    """The accumulator of a WGMMA, and its operand A where that is in registers."""
    shape = next(part for part in instruction.opcode.split(".") if part.startswith("m64"))
    found = [Fragment("accumulator", shape, instruction.operands[0].registers)]
    left = instruction.operands[1]
    if left.text.startswith("{"):
        found.append(Fragment("operand A", shape, left.registers))
    return found


def find_early_accesses(function: Function) -> list[Finding]:
    """Accesses of registers of WGMMAs that no `wgmma.wait_group` has waited for."""

    def step(state: InFlight, instruction: Instruction) -> InFlight:
        opcode = instruction.opcode
        if not opcode.startswith("wgmma."):
            return state
        if opcode.startswith(MMA):
            return {**state, **dict.fromkeys(fragments_of(instruction), 0)}
        if opcode.startswith("wgmma.commit_group"):
            return {each: min(age + 1, OLDEST) for each, age in state.items()}
        if opcode.startswith("wgmma.wait_group") and instruction.guard is None:
            left = instruction.operands[0].number
            assert left is not None
            return {each: age for each, age in state.items() if age == 0 or age <= left}
        return state

    def join(a: InFlight, b: InFlight) -> InFlight:
        return {each: min(a.get(each, OLDEST), b.get(each, OLDEST)) for each in {**a, **b}}

    found: list[Finding] = []
    for instruction, state in forward_steps(function, {}, step, join):
        # WGMMAs of one shape run in order, so they may share an accumulator; both read A.
        own = fragments_of(instruction) if instruction.opcode.startswith(MMA) else ()
        for fragment in state:
            if fragment not in own and not instruction.registers.isdisjoint(fragment.registers):
                shared = min(instruction.registers.intersection(fragment.registers))
                what = f"{shared} is of an {fragment.role} of WGMMAs in flight"
                found.append(Finding(function.name, instruction, what))
    return found


def find_missing_fences(function: Function) -> list[Finding]:
    """WGMMAs on registers that others accessed since the last `wgmma.fence`; the first has one."""
    used = {
        register
        for instruction in function.instructions
        if instruction.opcode.startswith(MMA)
        for fragment in fragments_of(instruction)
        for register in fragment.registers
    }

    def step(state: frozenset[str], instruction: Instruction) -> frozenset[str]:
        if instruction.opcode.startswith("wgmma.fence") and instruction.guard is None:
            return frozenset()
        if instruction.opcode.startswith(MMA):
            return state
        return state | (instruction.registers & used)

    found: list[Finding] = []
    entry = frozenset({START})
    for instruction, state in forward_steps(function, entry, step, frozenset[str].union):
        if not instruction.opcode.startswith(MMA):
            continue
        own = {each for part in fragments_of(instruction) for each in part.registers}
        if START in state:
            what = f"no wgmma.fence since {START}"
        elif touched := state & own:
            what = f"no wgmma.fence since {min(touched)} was accessed"
        else:
            continue
        found.append(Finding(function.name, instruction, what))
    return found
