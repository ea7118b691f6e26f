"""
The ordered list of passes, the single definition of the pipeline.

A program goes through the stages `cuda-tile`, `tileaa`, `tileas`, `nvgpu` and `nvvm` as a module,
and is then LLVM IR, PTX and a cubin. Each pass belongs to the stage that it leads to, has the
lowest optimization level that runs it (0 converts, 1 simplifies, 2 moves code and pipelines loops,
3 splits loops), and what an architecture needs to have for it to run.

Importing this imports neither passes nor dialects, nor what architectures are: `--help` needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from xdsl.ir import Operation
    from xdsl.passes import ModulePass

    from tileiras_xdsl.targets.target import Feature, Target

ModuleStage = Literal["cuda-tile", "tileaa", "tileas", "nvgpu", "nvvm"]
"""The levels of a module, in the order of lowering."""

Stage = Literal[ModuleStage, "llvm", "ptx", "cubin"]
"""The forms of a program: a module, LLVM IR, PTX, or a cubin."""

MODULE_STAGES: Final[tuple[ModuleStage, ...]] = get_args(ModuleStage)
STAGES: Final[tuple[Stage, ...]] = (*MODULE_STAGES, "llvm", "ptx", "cubin")

OPT_LEVELS: Final = (0, 1, 2, 3)
DEFAULT_OPT_LEVEL: Final = 3
DEFAULT_ABI: Final = "device-maps"


@dataclass(frozen=True)
class PipelinePass:
    """A pass of the pipeline, with the conditions under which it runs."""

    name: str
    stage: ModuleStage
    """The stage that the pass leads to."""
    level: int = 0
    """The lowest optimization level that runs it."""
    options: str = ""
    """
    Pass options in braces, as `-p` takes them, with `{arch}` for the architecture and `{abi}` for
    the launch ABI.
    """
    needs: Feature | tuple[Feature, ...] | None = None
    """The feature, or one of the features, that architectures need; all run it without."""
    instance: ModulePass | None = None
    """The pass itself, if it is not one of ours (`compiler.pass_plan`)."""

    def runs_on(self, target: Target) -> bool:
        """Whether an architecture has what the pass needs."""
        needed = (self.needs,) if isinstance(self.needs, str) else self.needs
        return needed is None or any(map(target.has, needed))

    def spec(self, arch: str, abi: str = DEFAULT_ABI) -> str:
        """The pass with its options, as `-p` takes it."""
        return f"{self.name}{self.options.replace('{arch}', arch).replace('{abi}', abi)}"


_CAPABILITY: Final = "{compute-capability={arch}}"
ASYNC_MMA: Final[tuple[Feature, ...]] = ("wgmma", "tcgen05")
"""MMAs that read multi-stage buffers in shared memory, while threads go on."""

PIPELINE: Final[tuple[PipelinePass, ...]] = (
    PipelinePass("verify-cuda-tile-input", "cuda-tile"),
    PipelinePass("canonicalize", "cuda-tile", level=1),
    PipelinePass("cse", "cuda-tile", level=1),
    PipelinePass("guard-masks", "cuda-tile", level=3),
    PipelinePass("loop-split", "cuda-tile", level=3),
    PipelinePass("convert-cuda-tile-to-tileaa", "tileaa", options=_CAPABILITY),
    PipelinePass("verify-no-cuda-tile", "tileaa"),
    PipelinePass("canonicalize-tileaa", "tileaa", level=1),
    PipelinePass("cse", "tileaa", level=1),
    PipelinePass("uplift-while-to-for", "tileaa", level=2),
    PipelinePass("simplify-loops", "tileaa", level=2),
    PipelinePass("licm", "tileaa", level=2),
    PipelinePass("recover-views", "tileaa", level=2, needs="tma"),
    PipelinePass("hoist-views", "tileaa", level=2, needs="tma"),
    PipelinePass("scalarize-loads", "tileaa", level=2),
    PipelinePass("merge-loads", "tileaa", level=2, needs=ASYNC_MMA),
    PipelinePass("split-operands", "tileaa", level=2, needs=ASYNC_MMA),
    PipelinePass("split-tiles", "tileaa", level=2, options="{abi={abi}}", needs="tma"),
    PipelinePass("strip-mine-tiles", "tileaa"),
    PipelinePass("privatize-atomics", "tileaa", level=2),
    PipelinePass("unroll-loops", "tileaa", level=2),
    PipelinePass("discharge-mem-tokens", "tileas"),
    PipelinePass("hoist-loads", "tileas", level=2),
    PipelinePass("convert-tileaa-to-tileas", "tileas", options=_CAPABILITY),
    PipelinePass("tileas-assign-dot-layouts", "tileas"),
    PipelinePass("tileas-slice-epilogues", "tileas", level=2, needs="tcgen05"),
    PipelinePass("tileas-assign-load-store-layouts", "tileas"),
    PipelinePass("tileas-remove-layout-conversions", "tileas", level=2),
    PipelinePass("tileas-assign-tensor-memory", "tileas", needs="tcgen05"),
    PipelinePass("tileas-prepare-for-scheduling", "tileas", level=2, needs=ASYNC_MMA),
    PipelinePass("tileas-pair-ctas", "tileas", level=2, needs="tcgen05"),
    PipelinePass(
        "tileas-dynamic-persistent", "tileas", level=3, options="{abi={abi}}", needs=ASYNC_MMA
    ),
    PipelinePass(
        "tileas-coarsen-thread-blocks", "tileas", level=3, options="{abi={abi}}", needs=ASYNC_MMA
    ),
    PipelinePass("tileas-order-tile-blocks", "tileas", level=3, needs=ASYNC_MMA),
    PipelinePass("tileas-resolve-cluster-hints", "tileas"),
    PipelinePass("tileas-generate-schedule", "tileas", needs="tma"),
    PipelinePass("tileas-materialize-schedule", "tileas", needs="tma"),
    PipelinePass("tileas-allocate-tensor-memory", "tileas", needs="tcgen05"),
    PipelinePass(
        "tileas-unspecialized-pipeline",
        "tileas",
        level=2,
        options="{num-stages=4 abi={abi}}",
        needs="cp.async",
    ),
    PipelinePass("tileas-materialize-convert-layout", "tileas"),
    PipelinePass("tileas-allocate-shared-memory", "tileas", options="{abi={abi}}"),
    PipelinePass("tileas-choose-occupancy", "tileas", level=2),
    PipelinePass("tileas-insert-barriers", "tileas"),
    PipelinePass(
        "tileas-overlap-launches",
        "tileas",
        level=2,
        options="{abi={abi}}",
        needs="griddepcontrol",
    ),
    PipelinePass("convert-tileas-to-nvgpu", "nvgpu", options="{abi={abi}}"),
    PipelinePass("sink-scalars", "nvgpu", level=2, needs="setmaxnreg"),
    PipelinePass("convert-scf-while-to-cf", "nvvm", options="{all=true}"),
    PipelinePass("convert-gpu-to-nvvm", "nvvm"),
    PipelinePass("convert-nvgpu-to-nvvm", "nvvm"),
    PipelinePass("convert-to-llvm", "nvvm"),
)
"""
Tokens are discharged on the way to `tileas`: up to `tileaa` they are the only order between
accesses. `fuse-fma` is not among the passes because it changes results.
"""

CPU_STAGES: Final = ("tileaa", "cpu", "llvm")
"""The forms of a program on its way to a CPU, up to LLVM."""

CPU_PIPELINE: Final[tuple[tuple[str, PipelinePass], ...]] = (
    ("tileaa", PipelinePass("verify-cuda-tile-input", "cuda-tile")),
    ("tileaa", PipelinePass("canonicalize", "cuda-tile")),
    ("tileaa", PipelinePass("cse", "cuda-tile")),
    (
        "tileaa",
        PipelinePass("convert-cuda-tile-to-tileaa", "tileaa", options="{{compute-capability=cpu}}"),
    ),
    ("tileaa", PipelinePass("canonicalize-tileaa", "tileaa")),
    ("tileaa", PipelinePass("cse", "tileaa")),
    ("tileaa", PipelinePass("uplift-while-to-for", "tileaa")),
    (
        "cpu",
        PipelinePass(
            "cpu-lower-tiles",
            "nvvm",
            options="{{vector-bits={bits} rows={rows} byte-dots={dots}}}",
        ),
    ),
    ("llvm", PipelinePass("convert-scf-while-to-cf", "nvvm", options="{{all=true}}")),
    ("llvm", PipelinePass("convert-to-llvm", "nvvm")),
)
"""The passes for a CPU, each with the stage of `CPU_STAGES` that it belongs to."""


def cpu_steps(stage: str = "llvm") -> list[PipelinePass]:
    """The passes that lead to a stage of `CPU_STAGES`."""
    last = CPU_STAGES.index(stage)
    return [step for each, step in CPU_PIPELINE if CPU_STAGES.index(each) <= last]


def cpu_stage(step: PipelinePass) -> str:
    """The stage that a pass for a CPU leads to, with `cuda-tile` before those of `CPU_STAGES`."""
    stage = next(stage for stage, each in CPU_PIPELINE if each is step)
    return step.stage if stage == "tileaa" else stage


SCHEDULING: Final = "tileas-generate-schedule"
"""The pass after which most decisions are in the IR."""


def select_steps(
    opt: int = DEFAULT_OPT_LEVEL,
    *,
    arch: str | None = None,
    after: ModuleStage | None = None,
    to: Stage = "nvvm",
) -> tuple[PipelinePass, ...]:
    """
    The passes that lower a program to a stage. With `after`, those for a module that is at that
    stage already. For an architecture, those that it runs; the others would change nothing.
    """
    first = 0 if after is None else STAGES.index(after) + 1
    wanted = STAGES[first : STAGES.index(to) + 1]
    target: Target | None = None
    if arch is not None:
        from tileiras_xdsl.targets.machine import ComputeCapability
        from tileiras_xdsl.targets.target import target_of

        target = target_of(ComputeCapability.parse(arch))
    return tuple(
        step
        for step in PIPELINE
        if step.stage in wanted and step.level <= opt and (target is None or step.runs_on(target))
    )


def find_last_stage(position: int) -> ModuleStage | None:
    """The last stage that a module has reached on which a pass of a number was the last to run."""
    if position < 0:
        return None
    stage = PIPELINE[position].stage
    if position + 1 == len(PIPELINE) or PIPELINE[position + 1].stage != stage:
        return stage
    before = MODULE_STAGES.index(stage)
    return MODULE_STAGES[before - 1] if before else None


def find_last_decision(steps: Sequence[PipelinePass]) -> PipelinePass | None:
    """
    The pass after which most decisions are in the IR: the one that makes the schedule, or the last
    before its place where that does not run.
    """
    names = [step.name for step in PIPELINE]
    until = frozenset(PIPELINE[: names.index(SCHEDULING) + 1])
    known = [step for step in steps if step in until]
    return known[-1] if known and known[-1].stage == "tileas" else None


def pipeline_spec(
    arch: str,
    opt: int = DEFAULT_OPT_LEVEL,
    *,
    after: ModuleStage | None = None,
    to: Stage = "nvvm",
    abi: str = DEFAULT_ABI,
) -> str:
    """The same passes as text that `tileiras-opt -p` takes."""
    steps = select_steps(opt, arch=arch, after=after, to=to)
    return ",".join(step.spec(arch, abi) for step in steps)


def make_pass(step: PipelinePass, arch: str, abi: str = DEFAULT_ABI) -> ModulePass:
    """The pass of a step, for an architecture such as `sm_90`; passes have no state."""
    from xdsl.utils.exceptions import DiagnosticException

    if step.instance is not None:
        return step.instance
    if step.name in _known_passes():
        return make_pass_of_spec(step.spec(arch, abi))
    before = STAGES[max(0, STAGES.index(step.stage) - 1)]
    raise DiagnosticException(
        f"there is no pass '{step.name}' yet: programs can be compiled up to the stage {before}"
    )


@cache
def _known_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    from xdsl.universe import XDSL_UNIVERSE

    from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

    return {**XDSL_UNIVERSE.all_passes, **TILEIRAS_UNIVERSE.all_passes}


@lru_cache(maxsize=256)
def make_pass_of_spec(spec: str) -> ModulePass:
    """The pass of ours or of xDSL that text names, with its options."""
    from xdsl.utils.arg_spec import parse_spec

    parsed = parse_spec(spec)
    return _known_passes()[parsed.name]().from_spec(parsed)


def find_stage(module: Operation) -> ModuleStage:
    """The stage that a module is at, by the dialects of its ops."""
    from tileiras_xdsl.xdsl_extras.walking import walk

    ops = walk(module)
    dialects = {op.name.partition(".")[0] for op in ops}
    stages: dict[str, ModuleStage] = {
        "cuda_tile": "cuda-tile",
        "nv_tileas": "tileas",
        "nv_tileaa": "tileaa",
    }
    for dialect, stage in stages.items():
        if dialect in dialects:
            return stage
    # The module that holds kernels stays to the end.
    names = {op.name for op in ops} - {"gpu.module"}
    others = {name for name in names if not name.startswith(_LAST_DIALECTS)}
    return "nvgpu" if others else "nvvm"


_LAST_DIALECTS: Final = ("builtin.", "llvm.", "nvvm.")
