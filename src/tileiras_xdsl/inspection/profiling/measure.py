"""
`tileiras_xdsl.profile`: what the warps of a kernel do, and when.

The kernel is compiled twice, as it is and with the marks of `tileas-insert-profiling`. Both are
timed in turn, then that with marks is launched once more on the arguments themselves, and its
buffer is read. The model of `cost` runs the same marks.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

import numpy as np
import numpy.typing as npt
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.backend import cuda
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.backend.launch_record import Abi, LaunchRecord
from tileiras_xdsl.cost.model import Launch, estimate_kernel, make_launch, simulate_kernel
from tileiras_xdsl.cost.report import predict
from tileiras_xdsl.cost.warpgroups import Agent, UnknownScheduleError
from tileiras_xdsl.dialects.nv_tileas import profiling
from tileiras_xdsl.dialects.nv_tileas.decisions import find_agent
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.driver.compiler.compiled import Compiled, compile, own_gpu
from tileiras_xdsl.driver.compiler.pass_plan import as_list
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.inspection.profiling import ProfileError
from tileiras_xdsl.interpreter.arguments import full_grid
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL
from tileiras_xdsl.targets.machine import WARPGROUP_WARPS, gpu_name
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.transforms.tileas.tileas_insert_profiling import TileasInsertProfilingPass
from tileiras_xdsl.xdsl_extras.diagnostics import first_file_location
from tileiras_xdsl.xdsl_extras.public import public
from tileiras_xdsl.xdsl_extras.walking import find_all

from .profile import Build, Event, Profile, Track

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

    from tileiras_xdsl.driver.compiler.pass_plan import PassLike
    from tileiras_xdsl.frontend.load import Source


# The events of a kernel with marks, and the tracks of the records in its buffer.


CLOCK_MASK = (1 << profiling.EVENT_SHIFT) - 1
"""`%clock` has this many bits, and begins again after the last."""

Words = npt.NDArray[np.int64]


def get_layout(function: FuncOp) -> profiling.ProfileLayout:
    """The layout of the buffer of a kernel with marks."""
    if (layout := profiling.PROFILE.get(function)) is None:
        raise ProfileError(f"the kernel @{function.sym_name.data} has no marks")
    return layout.data


def find_events(function: FuncOp) -> dict[int, Event]:
    """What the marks of a kernel are about."""
    return {
        op.event.value.data: Event(find_role(op), op.kind.data, op.label.data, find_place(op))
        for op in find_all(function, profiling.ProfileMarkOp)
    }


def find_role(op: Operation) -> str:
    """What the warps are that run an op."""
    return find_agent(op) or "threads"


def find_roles(function: FuncOp) -> dict[int, str]:
    """What each warp is that writes records."""
    return {
        warp: find_role(op)
        for op in find_all(function, profiling.ProfileMarkOp)
        for warp in op.get_warps()
    }


def find_place(op: Operation) -> str:
    """The line of the program that an op comes from."""
    place = first_file_location(op.location)
    if place is None:
        return ""
    return f"{place.filename.data.rpartition('/')[2]}:{place.line.data}"


def read_tracks(function: FuncOp, buffer: Words) -> list[Track]:
    """The tracks of all warps that wrote anything, with times from when their CTA began on."""
    layout, roles = get_layout(function), find_roles(function)
    rows = buffer.reshape(layout.ctas, layout.warps, layout.row)
    tracks: list[Track] = []
    for slot in range(layout.ctas):
        written = [warp for warp in roles if rows[slot, warp, profiling.HEADER.index("begin")]]
        if not written:
            continue
        entries = [int(rows[slot, warp, profiling.HEADER.index("entry")]) for warp in written]
        zero = _first(entries)
        tracks += (
            _read_track(rows[slot, warp], slot * layout.every, warp, roles[warp], zero)
            for warp in written
        )
    return sort_tracks(tracks)


def _read_track(row: Words, cta: int, warp: int, role: str, zero: int) -> Track:
    header = {name: int(word) for name, word in zip(profiling.HEADER, row, strict=False)}
    records = [int(word) for word in row[len(profiling.HEADER) :][: header["marks"]]]
    return Track(
        cta,
        warp,
        role,
        tuple(word >> profiling.EVENT_SHIFT for word in records),
        tuple(_since(word, zero) for word in records),
        _since(header["end"], zero),
        header["marks"],
        header["begin"] >> profiling.EVENT_SHIFT,
        header["begin time"],
    )


def measure_clock(buffer: Words, layout: profiling.ProfileLayout) -> float:
    """Gigahertz of the SMs: clocks for each nanosecond, of the warps that took longest."""
    rows = buffer.reshape(-1, layout.row)
    header = {name: rows[:, number] for number, name in enumerate(profiling.HEADER)}
    times = header["end time"] - header["begin time"]
    clocks = (header["end"] - header["begin"]) & CLOCK_MASK
    longest = int(np.argmax(np.where(header["begin"] != 0, times, 0)))
    return float(clocks[longest] / times[longest]) if times[longest] > 0 else 0.0


def _first(clocks: list[int]) -> int:
    """The earliest of some clocks, which may have begun again between them."""
    base = clocks[0]
    return min(clocks, key=lambda clock: _signed(clock - base))


def _signed(difference: int) -> int:
    difference &= CLOCK_MASK
    return difference - (CLOCK_MASK + 1) if difference > CLOCK_MASK // 2 else difference


def _since(word: int, zero: int) -> int:
    return (word - zero) & CLOCK_MASK


def sort_tracks(tracks: Iterable[Track]) -> list[Track]:
    """Producers first, then those who use what they load."""
    known = ("producer", "mma", "consumer", "threads")
    return sorted(tracks, key=lambda track: (track.cta, known.index(track.role), track.warp))


# The tracks that the model of `cost` expects, which runs the same kernel, with the same marks,
# for CTAs that share an SM; and how long it expects the launch to take.


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
            for warpgroup in range(agent.warpgroups):
                warp = firsts[agent.number] + warpgroup * WARPGROUP_WARPS
                tracks.append(_track(agent, warpgroup, warp, roles[warp], records))
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


def _track(agent: Agent, warpgroup: int, warp: int, role: str, records: int) -> Track:
    marks = [(event, round(time)) for number, event, time in agent.marks if number == warpgroup]
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


Where = Literal["gpu", "model", "cpu"]

LAST: Final = "after:tileas"
"""Where marks are put in: all waits are there."""
TURNS: Final = 2
"""How often the kernel is timed without marks and with them."""


@public
def profile(
    program: Source,
    grid: int | Sequence[int],
    args: Sequence[object],
    *,
    gpu: str | int | None = None,
    opt: int = DEFAULT_OPT_LEVEL,
    abi: Abi = "device-maps",
    entry: str | None = None,
    on: Where = "gpu",
    ctas: int = 4,
    every: int = 1,
    records: int = 1024,
    repeat: int = 10,
    stream: Any = None,
    device: int = 0,
    passes: Sequence[PassLike | EllipsisType] | None = None,
    insert: Mapping[str, PassLike | Sequence[PassLike]] | None = None,
) -> Profile:
    """
    Runs a kernel with clock reads where its warps begin to wait and go on, and says what they did.

    - program, grid, args: as for `compile(…).launch`; results are in the arrays afterwards;
    - gpu, opt, abi, passes, insert: those of `compile`;
    - entry: the kernel, if the program has several;
    - on: `"gpu"`; without one, `"model"` for what the model of the GPU predicts, or `"cpu"` for the
      order of events, as the interpreter runs them;
    - ctas: how many CTAs are recorded; every: 1 for the first ones, 10 for every tenth;
    - records: how many events of each warp there is room for;
    - repeat: how many launches are timed, on copies of the arrays, with and without marks each.

    What it shows includes its own cost: `p.overhead`, and the spills of both builds.
    """
    if on not in get_args(Where):
        raise ProfileError(f"on is one of {', '.join(get_args(Where))}, not {on!r}")
    if on == "gpu" and not cuda.is_available():
        raise MissingToolError(
            "there is no GPU here to run the kernel on: profile(…, gpu='sm_90', on='model') "
            "predicts what its warps do, and Profile.load(…) shows what was saved elsewhere"
        )
    arch = gpu_name(gpu or own_gpu())
    source = Program.of(program, args, arch)
    build = _Builder(source, arch, opt, abi, passes, insert)
    marked = build.compile(TileasInsertProfilingPass(ctas, every, records))
    function = _find_kernel(marked, entry)
    flat = list(args) if source.kernel is None else source.kernel.flatten(args)
    # The last one is the buffer.
    launch = make_launch(full_grid(grid), [*flat, None])
    shown = _predict(marked, function, launch)
    if on == "model":
        return shown
    buffer: Words = np.zeros(get_layout(function).words, np.int64)
    if on == "cpu":
        run(marked.stages["tileas"], grid, [*flat, buffer], entry=function.sym_name.data)
        tracks = tuple(read_tracks(function, buffer))
        return replace(
            shown, origin="CPU", tracks=tracks, predicted=(), gigahertz=0.0, prediction=""
        )
    builds = build.compile(), marked
    times = _time(builds, entry, device, grid, flat, buffer, repeat, stream)
    marked.kernel(entry, device).launch(grid, [*flat, buffer], stream)
    marked.kernel(entry, device).synchronize(stream)
    tracks = tuple(read_tracks(function, buffer))
    if not tracks:
        raise ProfileError(f"no CTA of {launch.grid} wrote a record: try another every={every}")
    plain, with_marks = (
        _describe(each.record(entry), median(milliseconds))
        for each, milliseconds in zip(builds, times, strict=True)
    )
    return replace(
        shown,
        origin="GPU",
        tracks=tracks,
        predicted=shown.tracks,
        device=cuda.Device.get(device).name,
        gigahertz=measure_clock(buffer, get_layout(function)),
        plain=plain,
        marked=with_marks,
        prediction=describe_limits(function, launch, plain.milliseconds),
    )


@dataclass(frozen=True)
class _Builder:
    """Compiles a kernel as it is, or with marks."""

    program: Program
    gpu: str
    opt: int
    abi: Abi
    passes: Sequence[PassLike | EllipsisType] | None
    insert: Mapping[str, PassLike | Sequence[PassLike]] | None

    def compile(self, marks: ModulePass | None = None) -> Compiled:
        insert: dict[str, Any] = dict(self.insert or {})
        if marks is not None:
            insert[LAST] = [*as_list(insert.pop(LAST, [])), marks]
        return compile(
            self.program,
            self.gpu,
            opt=self.opt,
            abi=self.abi,
            passes=self.passes,
            insert=insert or None,
        )


def _find_kernel(marked: Compiled, entry: str | None) -> FuncOp:
    """The kernel at the end of the stage `tileas`."""
    found = [each for each in kernels(marked.stages["tileas"]) if profiling.PROFILE.is_on(each)]
    names = ", ".join(each.sym_name.data for each in found)
    if entry is None and len(found) != 1:
        raise ProfileError(f"there are {len(found)} kernels, name one of them: {names}")
    for each in found:
        if entry in (None, each.sym_name.data):
            return each
    raise ProfileError(f"there is no kernel '{entry}' (expected one of {names})")


def _predict(marked: Compiled, function: FuncOp, launch: Launch) -> Profile:
    tracks, note = (), ""
    try:
        tracks = tuple(predict_tracks(function, launch))
    except ProfileError as error:
        note = str(error)
    return Profile(
        kernel=function.sym_name.data,
        gpu=marked.options.gpu,
        grid=launch.grid,
        origin="model",
        events=find_events(function),
        tracks=tracks,
        gigahertz=get_target(function).rates.gigahertz,
        note=note,
        prediction=describe_limits(function, launch),
    )


def _time(
    builds: Sequence[Compiled],
    entry: str | None,
    device: int,
    grid: int | Sequence[int],
    flat: Sequence[object],
    buffer: Words,
    repeat: int,
    stream: Any,
) -> list[list[float]]:
    """Milliseconds of launches without and with marks, in turn, on copies of the arrays."""
    arguments = [_copy(each) for each in flat]
    times: list[list[float]] = [[], []]
    for _ in range(TURNS):
        for number, each in enumerate(builds):
            given = [*arguments, buffer.copy()] if number else arguments
            kernel = each.kernel(entry, device)
            times[number] += kernel.time(grid, given, max(1, repeat // TURNS), stream=stream)
    return times


def _copy(argument: Any) -> Any:
    """
    An array of its own, with the same strides, which are arguments too: launches that are timed
    leave what they are given alone.
    """
    if isinstance(argument, np.ndarray):
        return _copy_numpy(cast("npt.NDArray[Any]", argument))
    if not hasattr(argument, "shape"):
        return argument
    if hasattr(argument, "as_strided"):
        sizes, strides = tuple(argument.shape), tuple(argument.stride())
        # All between the first element and the last, whoever it belongs to.
        count = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
        if 0 in sizes:
            return argument.clone()
        return argument.as_strided((count,), (1,)).clone().as_strided(sizes, strides)
    for name in ("copy", "clone"):
        if callable(method := getattr(argument, name, None)):
            made: Any = method()
            if getattr(made, "strides", None) == getattr(argument, "strides", None):
                return made
            raise ProfileError(
                f"a {type(argument).__name__} with strides {argument.strides} cannot be copied for "
                "launches that are timed: make it contiguous"
            )
    return argument


def _copy_numpy(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if not array.size:
        return array.copy()
    first, last = np.lib.array_utils.byte_bounds(array)
    there = memoryview((ctypes.c_char * (last - first)).from_address(first))
    memory = np.frombuffer(there, np.uint8).copy()
    return np.ndarray(array.shape, array.dtype, memory, array.ctypes.data - first, array.strides)


def _describe(record: LaunchRecord, milliseconds: float) -> Build:
    return Build(milliseconds, record.registers, record.spill_stores + record.spill_loads)
