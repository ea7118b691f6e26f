"""Registers that `tcgen05.ld` fills, accessed before `tcgen05.wait::ld`, which PTX forbids."""

from __future__ import annotations

from .dataflow import forward_steps
from .program import Finding, Function, Instruction


def find_early_accesses(function: Function) -> list[Finding]:
    """Accesses of results of `tcgen05.ld` that nothing has waited for."""

    def step(state: frozenset[str], instruction: Instruction) -> frozenset[str]:
        if instruction.opcode.startswith("tcgen05.ld."):
            return state.union(instruction.writes)
        if instruction.opcode.startswith("tcgen05.wait::ld") and instruction.guard is None:
            return frozenset()
        return state

    found: list[Finding] = []
    entry = frozenset[str]()
    for instruction, state in forward_steps(function, entry, step, frozenset[str].union):
        if early := state & instruction.registers:
            what = f"{min(early)} is still being loaded from tensor memory"
            found.append(Finding(function.name, instruction, what))
    return found
