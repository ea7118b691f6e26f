"""
`tileiras_xdsl.profile`: what the warps of a kernel do, and when.

The kernel is compiled twice, as it is and with the marks of `tileas-insert-profiling`. Both are
timed in turn, then that with marks is launched once more on the arguments themselves, and its
buffer is read. The model of `estimate` runs the same marks.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

import numpy as np
import numpy.typing as npt
from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.backend import cuda
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.backend.launch_record import Abi, LaunchRecord
from tileiras_xdsl.compiler.compiled import Compiled, compile, own_gpu
from tileiras_xdsl.compiler.pass_plan import as_list
from tileiras_xdsl.dialects.nv_tileas.profiling import PROFILE
from tileiras_xdsl.estimate.launches import make_launch
from tileiras_xdsl.frontend import Program
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL
from tileiras_xdsl.profiling import ProfileError
from tileiras_xdsl.targets.gpu_names import gpu_name
from tileiras_xdsl.transforms.common.compute_capability import get_target
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.transforms.tileas.tileas_insert_profiling import TileasInsertProfilingPass
from tileiras_xdsl.xdsl_extras.public import public

from .prediction import describe_limits, predict_tracks
from .profile import Build, Profile
from .records import Words, find_events, get_layout, measure_clock, read_tracks

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

    from tileiras_xdsl.compiler.pass_plan import PassLike
    from tileiras_xdsl.estimate.model import Launch
    from tileiras_xdsl.frontend import Source

Where = Literal["gpu", "model", "cpu"]

LAST: Final = "after:tileas"
"""Where marks are put in: all waits are there."""
TURNS: Final = 2
"""How often the kernel is timed without marks and with them."""


@public(arguments="args")
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
    launch = make_launch(grid, [*flat, None])
    shown = _predict(marked, function, launch)
    if on == "model":
        return shown
    buffer: Words = np.zeros(get_layout(function).words, np.int64)
    if on == "cpu":
        run(marked.stages["tileas"], function.sym_name.data, grid=grid, args=[*flat, buffer])
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
            self.opt,
            abi=self.abi,
            passes=self.passes,
            insert=insert or None,
        )


def _find_kernel(marked: Compiled, entry: str | None) -> FuncOp:
    """The kernel at the end of the stage `tileas`."""
    found = [each for each in kernels(marked.stages["tileas"]) if PROFILE.is_on(each)]
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
