"""
What the code of a kernel will take of an SM, before ptxas has allocated registers: how many CTAs
share an SM, and what threads spill.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.cost.model import Launch, estimate_fitting
from tileiras_xdsl.cost.report import NO_SPILLS, Estimate, Spills
from tileiras_xdsl.dialects.nv_tileas.shared_memory import get_shared_memory
from tileiras_xdsl.dialects.nv_tileas.types import get_kernel_hint
from tileiras_xdsl.targets.choices import (
    LEAST_OTHER_REGISTERS,
    OTHER_REGISTERS,
    OVERLAPPED_REGISTERS,
)
from tileiras_xdsl.targets.machine import WARP_THREADS, WARPGROUP_WARPS, WORD_BITS
from tileiras_xdsl.targets.target import Target, find_occupancy
from tileiras_xdsl.transforms.common.kernel_spec import count_warps, get_warps

from .allocation import find_resources
from .registers import needed_beside_dots


@dataclass(frozen=True)
class ExpectedCode:
    """What code takes of an SM."""

    ctas: int
    """That fit on an SM."""
    spills: Spills


def expect_code(function: FuncOp, target: Target) -> ExpectedCode:
    """
    Of a kernel at the end of the stage `tileas`: threads take the registers of the tiles that are
    live at once and some more, up to what the occupancy of the kernel leaves them, and spill the
    rest.
    """
    warps, all_warps = get_warps(function), count_warps(function)
    have = target.registers.cap(max(1, get_kernel_hint(function, "occupancy")) * all_warps)
    memory, resources = get_shared_memory(function), find_resources(function, target)
    if resources is not None:
        taken = min(have, resources.registers + OTHER_REGISTERS)
        needed = resources.registers + LEAST_OTHER_REGISTERS
    else:
        # Registers of agents are for one CTA, or as many as they were made for.
        taken, needed = None, needed_beside_dots(function) - OVERLAPPED_REGISTERS
        if target.warpgroups is not None and all_warps == warps + WARPGROUP_WARPS:
            have = target.warpgroups.registers_of_consumers(warps)
    shared = 0 if memory is None else memory.size
    fits = find_occupancy(target, all_warps * WARP_THREADS, taken, shared)
    spilled = max(0, needed - have) * WORD_BITS // 8 * warps * WARP_THREADS
    spills = Spills(spilled, spilled) if spilled else NO_SPILLS
    return ExpectedCode(max(1, fits.ctas), spills)


def estimate_expected(function: FuncOp, target: Target, launch: Launch | None = None) -> Estimate:
    """Estimates a kernel with the code that is expected of it."""
    code = expect_code(function, target)
    return estimate_fitting(function, target, launch, code.ctas).with_spills(code.spills)
