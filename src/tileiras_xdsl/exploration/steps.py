"""Runs the pipeline on a program and keeps the module after every pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException, ParseError

from tileiras_xdsl import pipeline
from tileiras_xdsl.compiler.compilation import Compilation
from tileiras_xdsl.compiler.compiled import CompileError, explain_error
from tileiras_xdsl.compiler.garbage import paused_collection
from tileiras_xdsl.compiler.options import OptionError, Options
from tileiras_xdsl.compiler.pass_plan import PassPlan
from tileiras_xdsl.compiler.remarks import Remark
from tileiras_xdsl.frontend import Program
from tileiras_xdsl.pipeline import MODULE_STAGES, ModuleStage, find_stage
from tileiras_xdsl.xdsl_extras.diagnostics import find_op
from tileiras_xdsl.xdsl_extras.walking import walk

from .listing import Listing
from .provenance import Marks, Tracker, get_marks, mark_branches

Progress = Callable[[str], None]

READ = "read"
"""The name of the first step, which no pass makes."""


@dataclass(eq=False)
class Snapshot:
    """An immutable copy of a module."""

    module: ModuleOp

    @cached_property
    def listing(self) -> Listing:
        """The text, made when first asked for."""
        return Listing.of(self.module)

    @cached_property
    def size(self) -> int:
        """How many ops there are."""
        return sum(1 for _ in walk(self.module))


@dataclass(frozen=True, eq=False)
class PassStep:
    """The module after a pass."""

    index: int
    name: str
    """The pass, or `read` for the input."""
    stage: ModuleStage
    """The stage that the pass belongs to."""
    time: float
    """Seconds that the pass took."""
    same_as: int
    """The first step with the same module: this one if it changed something."""
    snapshot: Snapshot = field(repr=False)
    pipeline_pass: pipeline.PipelinePass | None = field(default=None, repr=False)
    """The pass; none for the input."""

    @property
    def changed(self) -> bool:
        """Whether the pass changed anything."""
        return self.same_as == self.index

    @property
    def module(self) -> ModuleOp:
        """A copy of the module, to work on; `exploration.where` knows its ops."""
        return self.snapshot.module.clone()

    @property
    def ops(self) -> int:
        """How many ops the module has."""
        return self.snapshot.size

    @property
    def text(self) -> str:
        """The module as tools print it on a terminal."""
        return self.snapshot.listing.text

    @property
    def lines(self) -> tuple[str, ...]:
        """The same by lines."""
        return self.snapshot.listing.lines

    @property
    def marks(self) -> tuple[Marks, ...]:
        """For each line, which ops of the first module it came from."""
        return self.snapshot.listing.marks


def _marks_around(op: Operation | None) -> Marks:
    """Those of an op, or of the nearest around it that has some: a pass may just have made it."""
    while op is not None:
        if marks := get_marks(op):
            return marks
        op = op.parent_op()
    return ()


@dataclass
class Recorder:
    """Runs the pipeline; `steps` are those that went well."""

    program: Program
    options: Options
    plan: PassPlan | None = None
    progress: Progress | None = None
    """Told what is being done."""
    steps: list[PassStep] = field(default_factory=list[PassStep], init=False)
    error: CompileError | None = field(default=None, init=False)
    """Why there are no more steps."""
    error_marks: Marks = field(default=(), init=False)
    """The ops of the first module that the error is about."""
    remarks: Sequence[Remark] = field(default=(), init=False)
    """All remarks and warnings of passes."""
    _tracker: Tracker | None = field(default=None, init=False)

    def run(self) -> None:
        """Goes as far as it can; what is no program at all is a `CompileError`."""
        compilation = Compilation(self.program, self.options, explain=True, plan=self.plan)

        def keep(step: pipeline.PipelinePass | None, module: ModuleOp) -> None:
            name = READ if step is None else step.name
            times = [time.seconds for time in compilation.times if time.name == name]
            stage = find_stage(module) if step is None else step.stage
            self._keep(name, stage, times[-1], module, step)

        compilation.after_pass = keep
        try:
            with paused_collection():
                compilation.lower(MODULE_STAGES[-1])
        except OptionError:
            raise
        except (DiagnosticException, ParseError, RecursionError) as error:
            self.error = explain_error(compilation, error)
            if not self.steps:
                raise self.error from None
            self.error_marks = _marks_around(find_op(error))
        self.remarks = (*compilation.warnings, *compilation.remarks)

    def _keep(
        self,
        name: str,
        stage: ModuleStage,
        time: float,
        module: ModuleOp,
        made_by: pipeline.PipelinePass | None,
    ) -> None:
        index = len(self.steps)
        if self.progress is not None and (not self.steps or self.steps[-1].stage != stage):
            self.progress(f"passes of stage {stage}")
        snapshot = self._take_snapshot(module, has_tiles=stage == "tileas")
        if snapshot is None:
            last = self.steps[-1]
            step = PassStep(index, name, stage, time, last.same_as, last.snapshot, made_by)
        else:
            step = PassStep(index, name, stage, time, index, snapshot, made_by)
        self.steps.append(step)

    def _take_snapshot(self, module: ModuleOp, *, has_tiles: bool) -> Snapshot | None:
        """A copy of a module, unless it is what the last step left."""
        if self._tracker is None:
            self._tracker = Tracker(module)
        elif not self._tracker.follow():
            return None
        if has_tiles:
            mark_branches(module)
        copy = module.clone()
        # Some passes rebuild equal ops.
        if self.steps and copy.is_structurally_equivalent(self.steps[-1].snapshot.module):
            return None
        return Snapshot(copy)
