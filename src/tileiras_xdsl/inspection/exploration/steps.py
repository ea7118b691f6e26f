"""Runs the pipeline on a program and keeps the module after every pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from io import StringIO
from itertools import takewhile
from time import perf_counter
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import DiagnosticException, ParseError

from tileiras_xdsl import pipeline
from tileiras_xdsl.driver.compiler.compilation import Compilation, paused_collection
from tileiras_xdsl.driver.compiler.compiled import CompileError, explain_error, report_error
from tileiras_xdsl.driver.compiler.cpu import lower_for_cpu
from tileiras_xdsl.driver.compiler.options import OptionError, Options
from tileiras_xdsl.driver.compiler.pass_plan import PassPlan
from tileiras_xdsl.driver.compiler.remarks import Remark
from tileiras_xdsl.frontend.load import Program, make_context, parse_bytes, print_bytes
from tileiras_xdsl.pipeline import MODULE_STAGES, PipelinePass, find_stage
from tileiras_xdsl.xdsl_extras.aliases import (
    AliasPrinter,
    assign_aliases,
    drop_unused,
    print_ir,
    wrap_line,
)
from tileiras_xdsl.xdsl_extras.deep_stack import call_with_deep_stack
from tileiras_xdsl.xdsl_extras.diagnostics import find_op
from tileiras_xdsl.xdsl_extras.reading import Reading
from tileiras_xdsl.xdsl_extras.walking import walk

from .provenance import Marks, Tracker, get_marks, mark_branches

# The text of a module, with the ops that begin on each line.


@dataclass(frozen=True)
class Listing:
    """A module as text, in the short form of `xdsl_extras.aliases`."""

    lines: tuple[str, ...]
    ops: dict[int, tuple[Operation, ...]] = field(repr=False)
    """By the number of a line, from 0, the ops that begin on it."""
    starts: tuple[int, ...] = field(repr=False)
    """The lines, from 0, that do not continue the one before them."""
    unwrapped: tuple[str, ...] = field(repr=False)
    """The lines as they are before they are wrapped: one for each of `starts`."""

    @staticmethod
    def of(module: ModuleOp) -> Listing:
        """The text that tools print."""
        output = StringIO()
        printer = _ListingPrinter(output, assign_aliases(module, short=True))
        printer.print_module(module)
        printed = output.getvalue().split("\n")
        unwrapped = tuple(drop_unused(printed))
        dropped = len(printed) - len(unwrapped)
        lines: list[str] = []
        starts: list[int] = []
        ops: dict[int, tuple[Operation, ...]] = {}
        for number, line in enumerate(unwrapped):
            if (starting := printer.starts.get(number + dropped)) is not None:
                ops[len(lines)] = tuple(starting)
            starts.append(len(lines))
            lines += wrap_line(line, stable=True)
        return Listing(tuple(lines), ops, tuple(starts), unwrapped)

    @property
    def definitions(self) -> tuple[str, ...]:
        """The lines that define aliases."""
        return tuple(takewhile(lambda line: line.startswith(("!", "#")), self.unwrapped))

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)

    def find(self, wanted: str | Operation) -> range | None:
        """
        The lines, of those that are not wrapped, of an op with all that is in it, or of the first
        line with a text.
        """
        if isinstance(wanted, Operation):
            numbers = (
                n
                for n, line in enumerate(self.starts)
                if any(op is wanted for op in self.ops.get(line, ()))
            )
        else:
            numbers = (
                n
                for n, line in enumerate(self.unwrapped)
                if wanted in line and self.starts[n] in self.ops
            )
        first = next(numbers, None)
        if first is None:
            return None
        indent = _indent(self.unwrapped[first])
        end = first + 1
        is_open = self.unwrapped[first].endswith("{")
        while is_open and end < len(self.unwrapped):
            line = self.unwrapped[end]
            end += 1
            is_open = _indent(line) > indent or line.endswith("{") or line.lstrip().startswith("^")
        return range(first, end)

    @cached_property
    def marks(self) -> tuple[Marks, ...]:
        """For each line, the marks of its ops."""
        marks: list[Marks] = [()] * len(self.lines)
        for line, ops in self.ops.items():
            marks[line] = tuple(sorted({mark for op in ops for mark in get_marks(op)}))
        return tuple(marks)

    @cached_property
    def lines_of_marks(self) -> dict[int, list[int]]:
        """The lines that have a mark."""
        found: dict[int, list[int]] = {}
        for line, marks in enumerate(self.marks):
            for mark in marks:
                found.setdefault(mark, []).append(line)
        return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class _ListingPrinter(AliasPrinter):
    """Notes on which line ops begin."""

    def __init__(self, output: StringIO, aliases: dict[Attribute, str]):
        super().__init__(output, aliases)
        self.starts: dict[int, list[Operation]] = {}

    def print_op(self, op: Operation) -> None:
        self.starts.setdefault(self._current_line, []).append(op)
        super().print_op(op)


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
    stage: str
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
            self._stop(error, explain_error(compilation, error))
        self.remarks = (*compilation.warnings, *compilation.remarks)

    def run_for_cpu(self) -> None:
        """The same with the passes for this CPU."""
        start = perf_counter()

        def keep(step: pipeline.PipelinePass | None, module: ModuleOp) -> None:
            nonlocal start
            name = READ if step is None else step.name
            stage = find_stage(module) if step is None else pipeline.cpu_stage(step)
            self._keep(name, stage, perf_counter() - start, module, step)
            start = perf_counter()

        try:
            with paused_collection():
                call_with_deep_stack(partial(lower_for_cpu, self.program, after_pass=keep))
        except (DiagnosticException, ParseError, RecursionError) as error:
            self._stop(error, CompileError(report_error(error, self.program.name)))

    def _stop(self, error: Exception, explained: CompileError) -> None:
        """There are no more steps."""
        if not self.steps:
            raise explained from None
        self.error = explained
        self.error_marks = _marks_around(find_op(error))

    def _keep(
        self,
        name: str,
        stage: str,
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


# Modules that explorations give out: they know where they are, and show themselves.


class ModuleView(ModuleOp):
    """
    The module after a pass, to work on. It is a module like any other; besides, it shows itself as
    IR in notebooks, `compile` and `explore` run exactly the passes on it that are left, and `run`
    checks the types of arrays, of which pointers say nothing any more.
    """

    after: PipelinePass | None
    """The pass that made it; none if it is what was read."""
    original: ModuleOp
    """What was read."""
    gpu: str
    """The architecture that the passes so far were run for."""

    @staticmethod
    def of(
        module: ModuleOp, after: PipelinePass | None, original: ModuleOp, gpu: str
    ) -> ModuleView:
        """A copy of a module."""
        view = module.clone()
        view.__class__ = ModuleView
        assert isinstance(view, ModuleView)
        view.after, view.original, view.gpu = after, original, gpu
        return view

    def clone(self, *args: Any, **options: Any) -> ModuleOp:
        """
        A copy, whose class is that of any module, as conversions look at classes. `compile` and
        the others know what is left to do for it, too.
        """
        copy = super().clone(*args, **options)
        copy.__class__ = ModuleOp  # pyright: ignore[reportAttributeAccessIssue]
        vars(copy).update(after=self.after, original=self.original, gpu=self.gpu)
        return copy

    def __reduce__(self):
        """As text: to follow uses from op to op takes a call for each."""
        texts = print_bytes(self), print_bytes(self.original)
        return _restore, (*texts, self.after, self.gpu)

    def show(
        self,
        what: str | Operation | None = None,
        *,
        lines: int | None = None,
        types: bool = False,
        assumes: bool = False,
        aliases: bool = False,
        wrap: bool = True,
    ) -> Reading:
        """
        The IR for somebody to read: all of it, an op, or the first op with a text on its line
        (`module.show("scf.for")`).

        - lines: how many lines, if not all;
        - types: with types of operands and results;
        - assumes, aliases: with assumptions in a row and definitions of aliases, which are folded
          otherwise;
        - wrap: lines are broken.
        """
        listing = Listing.of(self)
        shown = listing.unwrapped
        if what is not None:
            place = listing.find(what)
            if place is None:
                name = repr(what) if isinstance(what, str) else what.name
                raise KeyError(f"there is no {name} in the module")
            indent = len(shown[place.start]) - len(shown[place.start].lstrip())
            shown = tuple(shown[n][indent:] for n in place)
        return Reading(shown, types, assumes, aliases, wrap, lines, listing.definitions)

    def __str__(self) -> str:
        """All of it in a short form, which can be parsed."""
        return print_ir(self, short=True)

    def __repr__(self) -> str:
        return str(self.show())

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()  # pyright: ignore[reportPrivateUsage]


def _restore(text: bytes, original: bytes, after: PipelinePass | None, gpu: str) -> ModuleView:
    """A view that was pickled."""
    module, whole = (parse_bytes(make_context(), each, "<pickle>") for each in (text, original))
    return ModuleView.of(module, after, whole, gpu)
