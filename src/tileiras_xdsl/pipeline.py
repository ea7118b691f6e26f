"""
The ordered list of passes, the one place where the pipeline is written down.

A program goes through the stages `cuda-tile`, `tileaa`, `tileas`, `nvgpu` and `nvvm` as a module,
and is then LLVM IR, PTX and a cubin. Each pass belongs to the stage that it leads to, has the
lowest optimization level that runs it (0 converts, 1 simplifies, 2 moves code and pipelines loops,
3 splits loops), and what an architecture needs to have for it to run.

Importing this imports neither passes nor dialects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, get_args

from tileiras_xdsl.targets.capability import ComputeCapability
from tileiras_xdsl.targets.target import Feature, target_of

if TYPE_CHECKING:
    from xdsl.ir import Operation
    from xdsl.passes import ModulePass

ModuleStage = Literal["cuda-tile", "tileaa", "tileas", "nvgpu", "nvvm"]
"""What a module can be, in the order in which it becomes that."""

Stage = Literal[ModuleStage, "llvm", "ptx", "cubin"]
"""What a program can be: a module, LLVM IR, PTX, or a cubin."""

MODULE_STAGES: Final[tuple[ModuleStage, ...]] = get_args(ModuleStage)
STAGES: Final[tuple[Stage, ...]] = (*MODULE_STAGES, "llvm", "ptx", "cubin")

OPT_LEVELS: Final = (0, 1, 2, 3)
DEFAULT_OPT_LEVEL: Final = 3
DEFAULT_ABI: Final = "device-maps"


@dataclass(frozen=True)
class Step:
    """A pass of the pipeline."""

    name: str
    stage: ModuleStage
    """What the pass leads to."""
    level: int = 0
    """The lowest optimization level that runs it."""
    options: str = ""
    """
    In braces, as `-p` takes them, with `{arch}` for the architecture and `{abi}` for how kernels
    are launched.
    """
    needs: Feature | None = None
    """What architectures have that run it; all run it without."""

    def spec(self, arch: str, abi: str = DEFAULT_ABI) -> str:
        """What `-p` takes."""
        return f"{self.name}{self.options.replace('{arch}', arch).replace('{abi}', abi)}"


_CAPABILITY: Final = "{compute-capability={arch}}"

PIPELINE: Final[tuple[Step, ...]] = (
    Step("verify-cuda-tile-input", "cuda-tile"),
    Step("canonicalize", "cuda-tile", level=1),
    Step("cse", "cuda-tile", level=1),
    Step("loop-split", "cuda-tile", level=3),
    Step("convert-cuda-tile-to-tileaa", "tileaa", options=_CAPABILITY),
    Step("verify-no-cuda-tile", "tileaa"),
    Step("canonicalize-tileaa", "tileaa", level=1),
    Step("cse", "tileaa", level=1),
    Step("uplift-while-to-for", "tileaa", level=2),
    Step("simplify-loops", "tileaa", level=2),
    Step("licm", "tileaa", level=2),
    Step("discharge-mem-tokens", "tileas"),
    Step("convert-tileaa-to-tileas", "tileas", options=_CAPABILITY),
    Step("tileas-assign-dot-layouts", "tileas"),
    Step("tileas-assign-load-store-layouts", "tileas"),
    Step("tileas-remove-layout-conversions", "tileas", level=2),
    Step("tileas-prepare-for-scheduling", "tileas", level=2, needs="wgmma"),
    Step("tileas-dynamic-persistent", "tileas", level=3, options="{abi={abi}}", needs="wgmma"),
    Step("tileas-resolve-cluster-hints", "tileas"),
    Step("tileas-generate-schedule", "tileas", needs="wgmma"),
    Step("tileas-materialize-schedule", "tileas", needs="wgmma"),
    Step(
        "tileas-unspecialized-pipeline",
        "tileas",
        level=2,
        options="{num-stages=4 abi={abi}}",
        needs="cp.async",
    ),
    Step("tileas-materialize-convert-layout", "tileas"),
    Step("tileas-allocate-shared-memory", "tileas", options="{abi={abi}}"),
    Step("tileas-insert-barriers", "tileas"),
    Step("convert-tileas-to-nvgpu", "nvgpu", options="{abi={abi}}"),
    Step("convert-scf-while-to-cf", "nvvm", options="{all=true}"),
    Step("convert-gpu-to-nvvm", "nvvm"),
    Step("convert-nvgpu-to-nvvm", "nvvm"),
    Step("convert-to-llvm", "nvvm"),
)
"""
Tokens are discharged on the way to `tileas`: up to `tileaa` they are the only order between
accesses. `fuse-fma` is not among the passes because it changes results.
"""

SCHEDULING: Final = "tileas-generate-schedule"
"""The pass after which most decisions can be seen."""


def select_steps(
    opt: int = DEFAULT_OPT_LEVEL,
    *,
    arch: str | None = None,
    after: ModuleStage | None = None,
    to: Stage = "nvvm",
) -> tuple[Step, ...]:
    """
    The passes that bring a program to a stage; those for a module that is at a stage already
    with `after`, of which none are left out that lead to later ones. For an architecture, those
    that it runs; the others would change nothing.
    """
    first = 0 if after is None else STAGES.index(after) + 1
    wanted = STAGES[first : STAGES.index(to) + 1]
    target = None if arch is None else target_of(ComputeCapability.parse(arch))
    return tuple(
        step
        for step in PIPELINE
        if step.stage in wanted
        and step.level <= opt
        and (target is None or step.needs is None or target.has(step.needs))
    )


def find_last_decision(steps: Sequence[Step]) -> Step | None:
    """
    The step after which most decisions can be seen: that which makes the schedule, or the last
    before its place where that does not run.
    """
    names = [step.name for step in PIPELINE]
    last = names.index(SCHEDULING)
    known = [step for step in steps if PIPELINE.index(step) <= last]
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


@lru_cache(maxsize=256)
def make_pass(step: Step, arch: str, abi: str = DEFAULT_ABI) -> ModulePass:
    """The pass of a step, for an architecture such as `sm_90`; passes have no state."""
    from xdsl.universe import XDSL_UNIVERSE
    from xdsl.utils.arg_spec import parse_spec
    from xdsl.utils.exceptions import DiagnosticException

    from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

    for universe in (TILEIRAS_UNIVERSE, XDSL_UNIVERSE):
        if (factory := universe.all_passes.get(step.name)) is not None:
            return factory().from_spec(parse_spec(step.spec(arch, abi)))
    before = STAGES[max(0, STAGES.index(step.stage) - 1)]
    raise DiagnosticException(
        f"there is no pass '{step.name}' yet: programs can be compiled up to the stage {before}"
    )


def find_stage(module: Operation) -> ModuleStage:
    """The stage that a module is at, by the dialects of its ops."""
    from tileiras_xdsl.xdsl_extras.walking import walk

    names = {op.name for op in walk(module)}
    dialects = {name.partition(".")[0] for name in names}
    stages: dict[str, ModuleStage] = {
        "cuda_tile": "cuda-tile",
        "nv_tileas": "tileas",
        "nv_tileaa": "tileaa",
    }
    for dialect, stage in stages.items():
        if dialect in dialects:
            return stage
    # The module that holds kernels stays to the end.
    others = {name for name in names - {"gpu.module"} if not name.startswith(_LAST_DIALECTS)}
    return "nvgpu" if others else "nvvm"


_LAST_DIALECTS: Final = ("builtin.", "llvm.", "nvvm.")
