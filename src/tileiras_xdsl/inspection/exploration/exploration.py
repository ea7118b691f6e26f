"""`tileiras_xdsl.explore`, and what it returns."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileiras_xdsl.backend.launch_record import Abi
from tileiras_xdsl.driver.compiler.compiled import CompileError, gpu_of_module
from tileiras_xdsl.driver.compiler.cpu import FRONT_END_GPU, CompiledForCpu, compile_for_cpu
from tileiras_xdsl.driver.compiler.options import OptionError, Options
from tileiras_xdsl.driver.compiler.pass_plan import InsertedPass, PassPlan, as_list
from tileiras_xdsl.driver.compiler.remarks import Remark, Remarks
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL, MODULE_STAGES, find_stage
from tileiras_xdsl.targets.machine import DEFAULT_GPU, gpu_name
from tileiras_xdsl.xdsl_extras.public import CallerError, public

from .diff import Diff
from .provenance import Marks, get_marks
from .search import IrLine, IrLines, Provenance, places_in_text, places_of_marks, search_steps
from .steps import ModuleView, PassStep, Progress, Recorder
from .texts import CpuTexts, MarkedText, Texts

if TYPE_CHECKING:
    from tileiras_xdsl.checking.validation.validate import Validation
    from tileiras_xdsl.cost.model import Launch
    from tileiras_xdsl.dialects.nv_tileas.plan import Plan
    from tileiras_xdsl.driver.compiler.compiled import Compiled
    from tileiras_xdsl.driver.compiler.pass_plan import PassLike
    from tileiras_xdsl.frontend.load import Source
    from tileiras_xdsl.inspection.visual.picture import Pictures
    from tileiras_xdsl.interpreter.arguments import Grid
    from tileiras_xdsl.plan.candidates import Rule
    from tileiras_xdsl.plan.ranking import RankedPlan

    from .cost import Costs
    from .cpu import CpuResourcesTable
    from .resources import Plans, Predictions, Resources
    from .texts import Notes, SourceText

CPU: Final = "cpu"
"""What `gpu` is for this CPU."""

StepKey = str | int | PassStep | tuple[str, str]
"""
A step: by the name of a stage, whose last step it is; of a pass; of a pass and a stage; by its
number; or itself.
"""

Origin = Operation | IrLine | tuple[StepKey, int] | int
"""An op of a module that `Exploration` gave out, a line of a step or text, or a mark."""


class ExplorationError(CallerError, ValueError, KeyError):
    """A step, op or line that does not exist."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(eq=False, repr=False)
class Exploration:
    """
    A program after every pass. As a string, a table of the passes; in a notebook, a page.

        s = tileiras_xdsl.explore("matmul.tileirbc")
        s["tileas"]                              the module at the end of a stage
        s.after("tileas-assign-dot-layouts")     the module after a pass
        s.diff("canonicalize-tileaa")            what a pass changed
        s.search("wgmma")                        where something occurs
        s.where(op)                              the origin of an op, and what it was lowered to
        s.plans(grid, args)                      what a kernel could be instead, and at what cost
        s.check(grid, args)                      runs it after every pass, and compares
        s.run(grid, args, step="tileas")         runs a stage on NumPy arrays
        s.llvm, s.ptx, s.sass()                  what comes after
        s.save("report.html")                    the page
    """

    TEXTS: ClassVar[Mapping[str, str]] = {"llvm": "llvm", "ptx": "ptx", "sass": "sass"}
    """Code after the last stage by name, with the attribute of `Texts` that has it."""

    program: Program
    options: Options
    steps: tuple[PassStep, ...]
    error: CompileError | None = None
    """Why there are no more steps; `None` if the program went all the way."""
    entry: str | None = None
    """The kernel that is run."""
    grid: Grid | None = None
    args: Sequence[object] | None = None
    """What it runs on where nothing else is said; what a cuTile kernel was made for."""
    plan: PassPlan = field(default_factory=PassPlan)
    """The passes that are not ours."""
    error_marks: Marks = ()
    """The ops of the first module that the error is about."""
    remarks: Remarks = field(default_factory=Remarks)
    """What passes left behind in the IR, and what a plan asked for in vain; `notes` has more."""

    @property
    def title(self) -> str:
        """What the program is called."""
        kernel = self.program.kernel
        return os.path.basename(self.program.name) if kernel is None else kernel.name

    @property
    def is_complete(self) -> bool:
        """Whether the program went all the way to what LLVM takes."""
        return self.error is None and find_stage(self.steps[-1].snapshot.module) == "nvvm"

    # Steps and modules

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that the program went through."""
        found = {step.stage for step in self.steps}
        return tuple(stage for stage in MODULE_STAGES if stage in found)

    def step(self, key: StepKey) -> PassStep:
        """A step, by whatever names it."""
        match key:
            case PassStep():
                return key
            case int():
                if not -len(self.steps) <= key < len(self.steps):
                    raise ExplorationError(f"there is no step {key} of {len(self.steps)}")
                return self.steps[key]
            case str() if key in self.stages:
                return [step for step in self.steps if step.stage == key][-1]
            case str():
                found = [step for step in self.steps if step.name == key]
            case name, stage:
                found = [step for step in self.steps if (step.name, step.stage) == (name, stage)]
                key = f"{name} of {stage}"
            case _:  # pyright: ignore[reportUnnecessaryComparison]
                raise ExplorationError(
                    f"a step is a stage, a pass, a pass and a stage, or a number, not {key!r}"
                )
        if not found:
            raise ExplorationError(self._explain_missing(key))
        if len(found) > 1:
            ways = " or ".join(f"('{step.name}', '{step.stage}')" for step in found)
            raise ExplorationError(f"there are {len(found)} passes '{key}', say which: {ways}")
        return found[0]

    def _explain_missing(self, key: str) -> str:
        if self.error is not None:
            return f"the program does not reach '{key}': {self.error}"
        passes = list(dict.fromkeys(step.name for step in self.steps))
        close = get_close_matches(key, [*self.stages, *passes], 3)
        if close:
            names = " or ".join(f"'{name}'" for name in close)
            return f"there is no '{key}', did you mean {names}?"
        return (
            f"there is no '{key}' among the stages {', '.join(self.stages)} and passes "
            f"{', '.join(passes)}"
        )

    def __getitem__(self, stage: StepKey) -> ModuleView:
        """The module at the end of a stage, as a copy to work on."""
        return self._view(self.step(stage))

    def after(self, name: str, stage: str | None = None) -> ModuleView:
        """
        The module after a pass, as a copy to work on; the stage if there are two of the name.
        `compile` and `explore` run the passes on it that are left.
        """
        return self._view(self.step(name if stage is None else (name, stage)))

    def _view(self, step: PassStep) -> ModuleView:
        first = self.steps[0].snapshot.module
        return ModuleView.of(step.snapshot.module, step.pipeline_pass, first, self._gpu())

    def _gpu(self) -> str:
        return self.options.gpu

    @public
    def with_pass(self, given: PassLike | Sequence[PassLike], where: str) -> Exploration:
        """
        The same program, with another pass in the pipeline: `s.with_pass(MyPass(), "after:licm")`.
        """
        insert = {**(self.plan.insert or {})}
        if where in insert:
            both = [*as_list(insert[where]), *as_list(given)]
            insert[where] = cast("list[PassLike]", both)
        else:
            insert[where] = given
        plan = PassPlan(self.plan.passes, insert)
        return _explore(self.program, self.options, plan, self.entry, self.grid, self.args)

    # Editing

    @public
    def edit(
        self,
        step: StepKey,
        change: Callable[[ModuleOp], object] | str | None = None,
        **options: Any,
    ) -> Exploration:
        """
        The same program, changed after a step and taken through the passes that are left:

            s.edit("tileas-generate-schedule", stages=4, producer_warps=1)
            s.edit("tileas-assign-dot-layouts", layouts={66: "#nv_tileas.layout<…>"})
            s.edit("tileas", lambda module: …)
            s.edit("tileas", text)

        The edit is a pass of its own, see `exploration.edits`. What it made is verified; an edit
        that is wrong is a `CompileError` that names the op. What goes wrong later is the `error` of
        the result.
        """
        from .edits import make_edit

        found = self.step(step)
        made = make_edit(found.name, change, options)
        # Those that are not ours have no place of their own.
        anchor = next(
            each
            for each in reversed(self.steps[: found.index + 1])
            if not isinstance(each.pipeline_pass, InsertedPass)
        )
        where = f"after:{anchor.stage}/{anchor.name}"
        if anchor.pipeline_pass is None:
            following = self.steps[anchor.index + 1]
            where = f"before:{following.stage}/{following.name}"
        edited = self.with_pass(made, where)
        if edited.error is not None and len(edited.steps) <= found.index + 1:
            raise edited.error
        return edited

    @public
    def with_schedule(
        self,
        *,
        stages: int | Sequence[int] | None = None,
        producer_warps: int | None = None,
        mma_warps: int | None = None,
        ping_pong: int | None = None,
        exclusive: bool | None = None,
        registers: Sequence[int] | None = None,
        order: Sequence[int | IrLine] = (),
        pipelined: bool = True,
        entry: str | None = None,
    ) -> Exploration:
        """
        The same program with another schedule than `tileas-generate-schedule` chose:

        - stages: the number of buffer stages, of each pipeline or of all;
        - producer_warps, mma_warps: the number of warps of an agent; `mma_warps=0` for no MMA
          agent, which only kernels with `tcgen05` have;
        - ping_pong: the number of consumer warpgroups that issue WGMMAs alternately, 0 if
          they do not;
        - exclusive: whether a warpgroup keeps its turn until its WGMMAs are done;
        - registers: of a producer and of a consumer thread, `()` for no reallocation;
        - order: ops of a software-pipelined loop in their new order, by the lines of the step or
          as `search` found them;
        - pipelined: False for no software pipelining;
        - entry: the kernel to change (default: all).
        """
        given = {name: value for name, value in locals().items() if name != "self"}
        from .edits import EditSchedule

        default = EditSchedule()
        options = {k: value for k, value in given.items() if value != getattr(default, k)}
        return self.edit("tileas-generate-schedule", **options)

    @public
    def with_plan(
        self, plan: Plan | RankedPlan | None = None, *, entry: str | None = None, **fields: int
    ) -> Exploration:
        """
        The same program with a plan that passes follow where it is legal: `s.with_plan(warps=8,
        stages=3)`, or a row of the table that `plans` gives. Fields as `tileas-plan` has them; they
        change those of `plan`. `remarks.select(category="Plan")` says what is not followed.
        `compile` makes code of it.
        """
        from tileiras_xdsl.dialects.nv_tileas.plan import Plan, PlanError, change_plan
        from tileiras_xdsl.plan.ranking import PLACE
        from tileiras_xdsl.transforms.tileas.tileas_plan import TileasPlanPass

        given = Plan() if plan is None else getattr(plan, "plan", plan)
        if not isinstance(given, Plan):
            raise ExplorationError(
                "a plan is a row of the table of plans, a Plan, or fields such as warps=4, not "
                f"'{type(given).__name__}'"
            )
        try:
            made = change_plan(given, fields)
        except PlanError as error:
            raise ExplorationError(str(error)) from None
        return self.with_pass(TileasPlanPass.of(made, entry), PLACE)

    def compile(self, *, explain: bool = False) -> Compiled:
        """
        The program with the passes and the plan of this exploration, ready to be launched; as
        `tileiras_xdsl.compile`. With `explain`, it has remarks on all decisions.
        """
        from tileiras_xdsl.driver.compiler.compiled import compile

        return compile(
            self.program,
            self.options.gpu,
            opt=self.options.opt,
            abi=self.options.abi,
            passes=self.plan.passes,
            insert=self.plan.insert,
            explain=explain,
        )

    def replace(self, step: StepKey, text: str) -> Exploration:
        """The same program, whose module after a step is that of a text; see `edit`."""
        return self.edit(step, text)

    # Reading

    def diff(self, name: StepKey, stage: str | None = None) -> Diff:
        """What a pass changed."""
        after = self.step((str(name), stage) if stage is not None else name)
        return Diff(self.steps[max(0, after.index - 1)], after)

    def search(self, wanted: str | re.Pattern[str], step: StepKey | None = None) -> IrLines:
        """The lines with a text or a pattern, of a step or of all that changed something."""
        steps = self._distinct() if step is None else [self.step(step)]
        return IrLines(search_steps(steps, wanted))

    def where(self, what: Origin) -> Provenance:
        """The origin of an op or a line, and what it was lowered to."""
        marks = self._marks(what)
        steps = self._distinct()
        present = [step for step in steps if any(places_of_marks(step, marks))]
        gone = None
        if present and present[-1] is not steps[-1]:
            gone = steps[steps.index(present[-1]) + 1]
        became = {stage: self.became(what, stage) for stage in self.stages}
        return Provenance(marks, self.origins(what), became, gone)

    def origins(self, what: Origin) -> IrLines:
        """The lines of the input module that an op or a line originates from."""
        return self.became(what, 0)

    def became(self, what: Origin, step: StepKey = -1) -> IrLines:
        """
        What an op or a line was lowered to in a step, by default the last one; also in "llvm",
        "ptx" and "sass", or "llvm-ir" and "asm" for a CPU.
        """
        if isinstance(step, str) and (text := self._text(step)) is not None:
            return IrLines(places_in_text(text, self._marks(what)))
        return IrLines(places_of_marks(self.step(step), self._marks(what)))

    def _marks(self, what: Origin) -> Marks:
        match what:
            case int():
                return (what,)
            case Operation():
                return get_marks(what)
            case IrLine():
                return what.marks
            case "python", number if self.source is not None:
                # As lines are numbered in their file.
                line = self.source.index(number)
                if line is None:
                    raise ExplorationError(f"no function of the kernel has a line {number}")
                return self.source.marks[line]
            case key, line:
                found = self._text(key) if isinstance(key, str) else None
                found = found or self.step(key)
                if not 1 <= line <= len(found.lines):
                    raise ExplorationError(f"{found.name} has {len(found.lines)} lines, not {line}")
                return found.marks[line - 1]
            case _:  # pyright: ignore[reportUnnecessaryComparison]
                raise ExplorationError(
                    f"say an op, a line such as ('tileas', 97), or what search found, not {what!r}"
                )

    def _distinct(self) -> list[PassStep]:
        return [step for step in self.steps if step.changed]

    def pictures(self, step: StepKey) -> Pictures:
        """
        The pictures of a pass: layouts, tokens, schedules, shared memory. Most passes have none:
        what is shown then names those that have some.
        """
        from tileiras_xdsl.inspection.visual.collection import collect
        from tileiras_xdsl.inspection.visual.picture import Pictures

        found = self.step(step)
        name = found.name
        if isinstance(found.pipeline_pass, InsertedPass):
            # What was edited is shown as what it was before.
            before = self.steps[: found.index]
            name = next(
                each.name
                for each in reversed(before)
                if not isinstance(each.pipeline_pass, InsertedPass)
            )
        pictures = collect(name, found.snapshot.module, marks_of=get_marks)
        return Pictures(pictures, [] if pictures else self._with_pictures)

    @cached_property
    def _with_pictures(self) -> list[str]:
        """The passes that have pictures: to know that, some are drawn."""
        from tileiras_xdsl.inspection.visual.collection import has_pictures

        return [each.name for each in self.steps if has_pictures(each.name, each.snapshot.module)]

    # Running

    @public
    def run(
        self,
        grid: Grid | None = None,
        args: Sequence[Any] | None = None,
        *,
        step: StepKey,
        **options: Any,
    ) -> None:
        """
        Runs the module of a stage, or after a pass, on NumPy arrays; see `tileiras_xdsl.run` for
        the options. A cuTile kernel takes the arguments of its function. Grid and arguments are
        by default those that the program was explored with.
        """
        from tileiras_xdsl.interpreter.arguments import check_types
        from tileiras_xdsl.interpreter.run import choose_entry, run

        flat = self.program.flatten(self._args(args))
        first = self.steps[0].snapshot.module
        if find_stage(first) == MODULE_STAGES[0]:
            # Later, pointers do not say what they point to.
            check_types(choose_entry(first, self.entry), flat)
        module = self.step(step).snapshot.module
        run(module, self._grid(grid), flat, entry=self.entry, **options)

    @public
    def check(self, grid: Grid | None = None, args: Sequence[Any] | None = None) -> Validation:
        """
        Runs the kernel as it was written and after each pass that changes it, and compares: the
        result names the first pass after which it computes something else, the element, and the op
        that writes it. Arrays stay as they are. See `tileiras_xdsl.validate`.
        """
        from tileiras_xdsl.checking.validation.validate import validate_compilation
        from tileiras_xdsl.driver.compiler.compilation import Compilation

        compilation = Compilation(self.program, self.options, plan=self.plan)
        return validate_compilation(
            compilation, "full", args=self._args(args), grid=self._grid(grid), entry=self.entry
        )

    def _grid(self, grid: Grid | None) -> Grid:
        """A grid, or that which the program was explored with."""
        found = self.grid if grid is None else grid
        if found is None:
            raise ExplorationError("say how many CTAs run: grid=…")
        return found

    def _args(self, args: Sequence[Any] | None) -> Sequence[Any]:
        """The same for arguments."""
        found = self.args if args is None else args
        if found is None:
            raise ExplorationError("say what it runs on: args=[…]")
        return found

    # What comes before the first stage, and after the last

    @property
    def source(self) -> SourceText | None:
        """
        The Python functions that the program was made from: the kernel, and the helpers that it
        calls. None if its debug information names no file, or none that is there.
        """
        return self.source_text if self.source_text.lines else None

    @cached_property
    def source_text(self) -> SourceText:
        """The same, with what is wrong with the files if there are no lines."""
        from .texts import find_source

        program = None if self.program.kernel is not None else self.program.name
        return find_source(self.steps[0].snapshot.module, program)

    @cached_property
    def notes(self) -> Notes:
        """Remarks, errors, resources and estimates, with the ops that they are about."""
        from .texts import Notes, find_notes

        return Notes(find_notes(self, texts=True))

    @cached_property
    def texts(self) -> Texts:
        """LLVM IR, PTX and machine code."""
        if self.error is not None:
            raise self.error
        if not self.is_complete:
            raise ExplorationError(f"{self.plan.incomplete}, so there is no code")
        return Texts(self.step("nvvm").snapshot.module, self.options)

    @property
    def llvm(self) -> str:
        """The LLVM IR before any pass of LLVM."""
        return self.texts.llvm.text

    @property
    def ptx(self) -> str:
        """The PTX."""
        return self.texts.ptx.text

    def sass(self) -> str:
        """The machine code; `MissingToolError` if there is no ptxas or no disassembler."""
        return self.texts.sass.text

    def _text(self, name: str) -> MarkedText | None:
        if name == "python":
            return self.source
        return getattr(self.texts, self.TEXTS[name]) if name in self.TEXTS else None

    # Cost

    @public
    def resources(self, grid: Grid | None = None, args: Sequence[Any] | None = None) -> Resources:
        """
        Registers, shared memory, occupancy, instructions by kind and a static estimate of each
        kernel, as a table. With a grid and arguments the estimate is that of the launch.
        """
        from .resources import find_resources

        return find_resources(self, self._launch(grid, args))

    @public
    def predict(
        self,
        grid: Grid | None = None,
        args: Sequence[Any] | None = None,
        *,
        measured: Any = None,
    ) -> Predictions:
        """
        How long a launch takes in microseconds, what binds it (tensor cores, power, memory, L2,
        issue, special functions, shared memory, atomics or latency), and how far above that limit
        it is, as a table. With `measured`, microseconds or a `tx.profile`, that stands beside it.
        """
        from tileiras_xdsl.cost.report import predict, why_not

        from .resources import with_measured

        estimates = [each.estimate for each in self.resources(self._grid(grid), args)]
        made = [predict(each) for each in estimates if each is not None]
        known = [each for each in made if each is not None]
        if not known:
            reasons = [why_not(each) for each in estimates if each is not None]
            reason = next(iter(reasons), None) or "the model does not understand the kernel"
            raise ExplorationError(f"there is no prediction: {reason}")
        return with_measured(known, measured)

    @public
    def plans(
        self,
        grid: Grid | None = None,
        args: Sequence[Any] | None = None,
        *,
        entry: str | None = None,
        rules: Iterable[Rule] = (),
    ) -> Plans:
        """
        What a kernel could be instead: the plans that rules propose (`tileiras_xdsl.plan.rules`),
        what the model predicts for each, and why it is not chosen; the best first, as a table. With
        a grid and arguments, the prediction is that of the launch.
        `s.with_plan(s.plans(grid, args).best.plan)` takes the best one.

        - entry: the kernel, if the program has several;
        - rules: functions that propose plans, beside ours: of a `PlannedKernel`, they give `Plan`s.
        """
        from tileiras_xdsl.driver.compiler.options import OptionError
        from tileiras_xdsl.plan.ranking import Planner

        from .resources import Plans

        launch = self._launch(grid, args)
        planner = Planner(self.program, self.options, self.plan, launch, entry, tuple(rules))
        try:
            return Plans(planner.rank())
        except OptionError as error:
            raise ExplorationError(str(error)) from None

    @public
    def cost(
        self,
        grid: Grid | None = None,
        args: Sequence[Any] | None = None,
        *,
        step: StepKey = "tileas",
    ) -> Costs:
        """
        Clocks and bytes of each op of a step from the stage `tileas` on, or of each instruction of
        `"ptx"`: static, nothing is measured. With a grid and arguments, of the launch.
        """
        from .cost import CostModel

        model = CostModel(self, self._launch(grid, args))
        return model.of_ptx(self.texts.ptx) if step == "ptx" else model.of_step(self.step(step))

    @public
    def roofline(self, grid: Grid | None = None, args: Sequence[Any] | None = None) -> Pictures:
        """How far kernels are expected to be from what the GPU can do, and what limits them."""
        from tileiras_xdsl.inspection.visual.picture import Pictures
        from tileiras_xdsl.inspection.visual.roofline import roofline

        found = self.resources(grid, args)
        return Pictures(roofline(each.estimate) for each in found if each.estimate is not None)

    def _launch(self, grid: Grid | None, args: Sequence[Any] | None) -> Launch | None:
        """What an estimate is for; none for a CTA and loops of nominal trip counts."""
        if grid is None and self.grid is None:
            return None
        from tileiras_xdsl.cost.model import make_launch
        from tileiras_xdsl.interpreter.arguments import full_grid

        flat = self.program.flatten(self._args(args))
        return make_launch(full_grid(self._grid(grid)), flat)

    # Showing

    def to_data(
        self, *, texts: bool = True, pictures: bool = True, progress: Progress | None = None
    ) -> dict[str, Any]:
        """
        All of it as lists, strings and numbers, see `exploration.report`; `progress` is told what
        is being made.
        """
        from .report import make_data

        return make_data(self, texts=texts, pictures=pictures, progress=progress)

    def __str__(self) -> str:
        rows = [("stage", "pass", "ms", "ops", "")]
        stage = ""
        for step in self.steps:
            before = self.steps[max(0, step.index - 1)].ops
            grown = f"{step.ops - before:+}" if step.ops != before else ""
            ops = str(step.ops) if step.changed else "·"
            shown = step.stage if step.stage != stage else ""
            rows.append((shown, step.name, f"{step.time * 1e3:.1f}", ops, grown))
            stage = step.stage
        lines = [self.headline]
        lines += [f"{a:10} {b:35} {c:>8} {d:>7} {e:>6}".rstrip() for a, b, c, d, e in rows]
        lines += map(str, self.remarks.select("Missed", "Plan"))
        if self.error is not None:
            lines.append(str(self.error))
        return "\n".join(lines)

    @property
    def headline(self) -> str:
        """The program, and what it is compiled for."""
        return f"{self.title} for {self.options.gpu} at -O{self.options.opt}"

    def __repr__(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page, which needs nothing but itself, and returns where it is."""
        from .report import make_page

        output = Path(path)
        output.write_text(make_page(self.to_data()), encoding="utf-8")
        return output

    def _repr_html_(self) -> str:
        """The page, for notebooks."""
        from .report import make_frame

        return make_frame(self.to_data())


NOT_FOR_CPUS = (
    *("with_pass", "edit", "with_schedule", "with_plan", "replace", "compile", "check"),
    *("ptx", "sass", "plans"),
)
"""What only explorations for GPUs have."""


@dataclass(eq=False, repr=False)
class CpuExploration(Exploration):
    """
    A program after every pass for this CPU, `tileiras_xdsl.explore(program, gpu="cpu")`. It has the
    steps, differences and origins of any exploration, `run` up to the stage `tileaa`, costs at that
    stage, and the page; of code it has `llvm` and `asm`.
    """

    TEXTS = {"llvm-ir": "llvm_ir", "asm": "asm"}

    def __getattribute__(self, name: str) -> Any:
        if name in NOT_FOR_CPUS:
            raise ExplorationError(f"'{name}' is for GPUs only")
        return super().__getattribute__(name)

    @property
    def is_complete(self) -> bool:
        return self.error is None

    @property
    def stages(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(step.stage for step in self.steps))

    @cached_property
    def compiled(self) -> CompiledForCpu:
        """The program, ready to be launched."""
        if self.error is not None:
            raise self.error
        return compile_for_cpu(self.program)

    @cached_property
    def texts(self) -> Texts:
        return CpuTexts(self.steps[-1].snapshot.module, self.options, code=self.compiled)

    @property
    def llvm(self) -> str:
        """The LLVM IR after LLVM's passes."""
        return self.compiled.llvm

    @property
    def asm(self) -> str:
        """The assembly."""
        return self.compiled.asm

    @public
    def resources(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, grid: Grid | None = None, args: Sequence[Any] | None = None
    ) -> CpuResourcesTable:
        """Scratch memory, instructions, and a static estimate of each kernel, as a table."""
        from .cpu import find_resources

        return find_resources(self, self._launch(grid, args))

    @public
    def predict(
        self,
        grid: Grid | None = None,
        args: Sequence[Any] | None = None,
        *,
        measured: float | None = None,
    ) -> Predictions:
        """
        How long a launch takes on this CPU in microseconds, and what limits it: dots, arithmetic,
        functions, cache or memory, whose speed is measured once, and kept in the cache.
        """
        from .cpu import find_estimates, predict_on_cpu
        from .resources import with_measured

        launch = self._launch(self._grid(grid), args)
        found = [predict_on_cpu(each) for each in find_estimates(self, launch)]
        return with_measured(found, measured)

    @public
    def cost(
        self,
        grid: Grid | None = None,
        args: Sequence[Any] | None = None,
        *,
        step: StepKey = "tileaa",
    ) -> Costs:
        """Nanoseconds and bytes of each op of a step of the stage `tileaa`: static."""
        from .cpu import find_costs

        return find_costs(self, self._launch(grid, args), self.step(step))

    @public
    def roofline(self, grid: Grid | None = None, args: Sequence[Any] | None = None) -> Pictures:
        """How far kernels are expected to be from what this CPU can do."""
        from tileiras_xdsl.inspection.visual.picture import Pictures
        from tileiras_xdsl.inspection.visual.roofline import roofline

        from .cpu import find_estimates

        return Pictures(map(roofline, find_estimates(self, self._launch(grid, args))))

    @cached_property
    def notes(self) -> Notes:
        from .texts import Notes, find_notes

        return Notes(find_notes(self, texts=False))

    def to_data(
        self, *, texts: bool = True, pictures: bool = True, progress: Progress | None = None
    ) -> dict[str, Any]:
        data = super().to_data(texts=texts, pictures=pictures, progress=progress)
        data["options"]["gpu"] = CPU
        return data

    @property
    def headline(self) -> str:
        """The program, and what it is compiled for."""
        return f"{self.title} for this CPU"

    def _gpu(self) -> str:
        return CPU


@public
def explore(
    program: Source,
    grid: Grid | None = None,
    args: Sequence[object] | None = None,
    *,
    gpu: str | int | None = None,
    opt: int = DEFAULT_OPT_LEVEL,
    abi: Abi = "device-maps",
    entry: str | None = None,
    passes: Sequence[PassLike | EllipsisType] | None = None,
    insert: Mapping[str, PassLike | Sequence[PassLike]] | None = None,
    progress: Progress | None = None,
) -> Exploration:
    """
    Runs all passes on a program and keeps the IR after each: Tile IR bytecode as bytes, text, the
    path of a file with either, a module of any stage, or a cuTile kernel.

    - grid, args: what to run on, and to estimate; a cuTile kernel is made for its arguments;
    - gpu: such as `sm_90`, `90` or `"H200"` (default: that of a module of an exploration, or
      `sm_90`); `"cpu"` for this CPU, with no option but `entry` and `progress`: the result is a
      `CpuExploration`;
    - opt, abi: as for `tileiras_xdsl.compile`;
    - entry: the kernel that is run, if there are several;
    - passes, insert: passes in place of those of the pipeline, or among them, as for `compile`;
    - progress: called with what is being done, in words.

    A program that cannot be compiled is explored as far as it goes, see `Exploration.error`; what
    is no program is a `CompileError`.
    """
    if gpu == CPU:
        if (opt, abi) != (DEFAULT_OPT_LEVEL, "device-maps") or passes or insert:
            raise OptionError("opt, abi, passes and insert are for GPUs only")
        source = Program.of(program, args, FRONT_END_GPU)
        return _explore_for_cpu(source, entry, grid, args, progress)
    arch = gpu_name(gpu or gpu_of_module(program) or DEFAULT_GPU)
    options = Options(arch, opt, abi=abi)
    source = Program.of(program, args, options.gpu)
    return _explore(source, options, PassPlan(passes, insert), entry, grid, args, progress)


def _explore(
    program: Program,
    options: Options,
    plan: PassPlan,
    entry: str | None,
    grid: Grid | None,
    args: Sequence[object] | None,
    progress: Progress | None = None,
) -> Exploration:
    recorder = Recorder(program, options, plan, progress)
    recorder.run()
    remarks = [*recorder.remarks, *_find_unfollowed(recorder)]
    return Exploration(
        program,
        options,
        tuple(recorder.steps),
        recorder.error,
        entry,
        grid,
        args,
        plan,
        recorder.error_marks,
        Remarks(remarks),
    )


def _explore_for_cpu(
    program: Program,
    entry: str | None,
    grid: Grid | None,
    args: Sequence[object] | None,
    progress: Progress | None,
) -> CpuExploration:
    options, plan = Options(FRONT_END_GPU), PassPlan()
    recorder = Recorder(program, options, plan, progress)
    recorder.run_for_cpu()
    found = (tuple(recorder.steps), recorder.error, entry, grid, args, plan, recorder.error_marks)
    return CpuExploration(program, options, *found)


def _find_unfollowed(recorder: Recorder) -> Iterable[Remark]:
    """What kernels have that their plans did not ask for."""
    steps = [step for step in recorder.steps if step.stage == "tileas"]
    if not steps or steps[-1] is recorder.steps[-1]:
        # What is decided last may be missing.
        return ()
    from tileiras_xdsl.plan.ranking import find_unfollowed

    return find_unfollowed(steps[-1].snapshot.module, recorder.remarks)
