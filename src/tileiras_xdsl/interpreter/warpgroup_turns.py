"""
Turns of warpgroups.

The consumer of a kernel is one program, so all warpgroups do the same things with their turns, one
after the other. They wait forever if one keeps its turn: until it waits for the next one, which
only those can give it that wait for this one, or at a barrier, to which they cannot come.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from tileiras_xdsl.dialects.nv_tileas import turns as tu

from .cta_state import CtaState
from .errors import ExecutionError
from .machine import TILES


@dataclass
class WarpgroupTurns:
    """The turns of the warpgroups of a CTA."""

    has_ended: bool = False


@TILES.runs(tu.TurnBeginOp)
def run_begin(cta: CtaState) -> WarpgroupTurns:
    """The first warpgroup has the first turn."""
    return WarpgroupTurns()


@TILES.runs(tu.TurnWaitOp)
def run_wait(cta: CtaState, turns: WarpgroupTurns, *, op: Operation) -> None:
    """Each warpgroup has its turn."""
    cta.check_turn("warpgroups wait for their next turns")
    if turns.has_ended:
        raise ExecutionError("deadlock: waits for a turn after the last one")
    cta.turn_taken = op


@TILES.runs(tu.TurnPassOp)
def run_pass(cta: CtaState, turns: WarpgroupTurns) -> None:
    """Each warpgroup passes its turn on."""
    if cta.turn_taken is None:
        raise ExecutionError("passes a turn on that it does not have")
    cta.turn_taken = None


@TILES.runs(tu.TurnEndOp)
def run_end(cta: CtaState, turns: WarpgroupTurns) -> None:
    """The last turn was passed on."""
    cta.check_turn("the first warpgroup waits for the last turn of the last one")
    turns.has_ended = True
