"""All static checks of PTX."""

from __future__ import annotations

from collections.abc import Callable

from . import convergence, tensor_memory, wgmma
from .program import Finding, Function, parse

CHECKS: tuple[Callable[[Function], list[Finding]], ...] = (
    wgmma.find_early_accesses,
    wgmma.find_missing_fences,
    tensor_memory.find_early_accesses,
    convergence.find_divergent,
)


def check(text: str) -> list[Finding]:
    """What is wrong with a PTX module."""
    return [finding for function in parse(text) for each in CHECKS for finding in each(function)]
