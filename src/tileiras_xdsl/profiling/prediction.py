"""
The tracks that the model of `estimate` expects, which runs the same kernel, with the same marks,
for CTAs that share an SM; and how long it expects the launch to take.
"""

from __future__ import annotations

from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.estimate.model import Launch, estimate_kernel, simulate_kernel
from tileiras_xdsl.estimate.prediction import predict
from tileiras_xdsl.estimate.strands import Agent, UnknownScheduleError
from tileiras_xdsl.profiling import ProfileError
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.xdsl_extras.walking import find_all

from .profile import Track
from .records import find_roles, get_layout, sort_tracks


def predict_tracks(function: FuncOp, launch: Launch) -> list[Track]:
    """What the warps of the first CTA do; `ProfileError` if the model cannot follow the kernel."""
    try:
        simulation = simulate_kernel(function, get_target(function), launch).simulation
    except UnknownScheduleError as error:
        raise ProfileError(f"the model does not understand the kernel: {error}") from None
    roles, records = find_roles(function), get_layout(function).records
    firsts = _first_warps(function)
    seen: set[int] = set()
    tracks: list[Track] = []
    for agent in simulation.agents:
        if agent.marks and agent.number not in seen:
            seen.add(agent.number)
            for strand in range(agent.strands):
                warp = firsts[agent.number] + strand * WARPGROUP_WARPS
                tracks.append(_track(agent, strand, warp, roles[warp], records))
    return sort_tracks(tracks)


def describe_limits(function: FuncOp, launch: Launch, milliseconds: float | None = None) -> str:
    """The time of a launch, and what binds it, beside the time that was measured; or nothing."""
    try:
        made = predict(estimate_kernel(function, get_target(function), launch))
    except UnknownScheduleError:
        return ""
    if made is None:
        return ""
    return made.describe(None if milliseconds is None else 1e3 * milliseconds)


def _first_warps(function: FuncOp) -> dict[int, int]:
    """The first warp of each agent; without agents, of all threads."""
    for switch in find_all(function, AgentSwitchOp):
        if switch.warp_id is not None:
            return dict(enumerate(map(int, switch.warp_id.get_values())))
    return {-1: 0}


def _track(agent: Agent, strand: int, warp: int, role: str, records: int) -> Track:
    marks = [(event, round(time)) for number, event, time in agent.marks if number == strand]
    kept = marks[:records]
    return Track(
        0,
        warp,
        role,
        tuple(event for event, _ in kept),
        tuple(time for _, time in kept),
        marks[-1][1],
        len(marks),
    )
