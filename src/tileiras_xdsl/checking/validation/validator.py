"""
Runs kernels while they are compiled, and names the first pass after which one computes something
else.

The module as it was read is the reference. `full` runs every kernel after each pass that changes
something, `quick` at the end of each stage; if a stage is wrong, it is compiled again to find out
which of its passes is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import DiagnosticException, InterpretationError

from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import ValidationMode
from tileiras_xdsl.driver.compiler.remarks import Remark
from tileiras_xdsl.driver.compiler.reproducer import Reproducer, print_program
from tileiras_xdsl.frontend.cutile_kernels import ArrayList
from tileiras_xdsl.frontend.load import InputError, make_context
from tileiras_xdsl.interpreter.arguments import full_grid
from tileiras_xdsl.interpreter.errors import (
    ExecutionError,
    JitLaunchError,
    OutOfTimeError,
    TileBlocksError,
)
from tileiras_xdsl.interpreter.run import entries_of
from tileiras_xdsl.interpreter.threads.run import thread_kernels
from tileiras_xdsl.pipeline import (
    CPU_PIPELINE,
    MODULE_STAGES,
    PipelinePass,
    find_stage,
    make_pass,
    select_steps,
)

from .inputs import GIVEN, ArrayRecipe, Inputs, name_element, named_element
from .kernel_facts import KernelFacts, find_facts, make_parameters
from .runner import EXTRA_SECONDS, THREAD_STAGES, Bounds, KernelCase, KernelRunner
from .search import OUT_OF_TIME, PLANS, InputFinder

if TYPE_CHECKING:
    from tileiras_xdsl.interpreter.arguments import Grid


SECONDS: Final[dict[ValidationMode, float]] = {"quick": 6.0, "full": 600.0}
"""Processor time for the runs of a kernel."""
SOURCE_SHARE: Final = 0.25
"""How much of it the kernel as it was written may take."""
MOST_CTAS: Final[dict[ValidationMode, int]] = {"quick": 4, "full": 6}
"""Of a grid."""
THREAD_WEIGHT: Final = 4.0
"""How much longer a kernel runs as threads than as tiles."""
SOURCE_SECONDS: Final = 5.0
"""Of one run of the kernel as it was written; one that takes longer may never end."""
REQUIRED_SECONDS: Final = 5.0
"""Of the one run after a stage, or a pass, that is made in any case; there may be less left."""
OTHER_ORDER: Final = 17
"""The seed of another order of CTAs, in which inputs must give the same."""


COMPILED: Final = CPU_PIPELINE[-1][1]
"""Stands for all passes that make code for this CPU."""


class ValidationError(DiagnosticException):
    """A pass has changed what a kernel computes, or nobody can say whether one has."""

    finding: Finding | None = None

    @staticmethod
    def of(finding: Finding) -> ValidationError:
        """The error that reports what was found."""
        error = ValidationError(str(finding))
        error.finding = finding
        return error


@dataclass(frozen=True)
class Finding:
    """A pass after which a kernel does something else."""

    kernel: str
    step: PipelinePass
    what: str
    inputs: Inputs
    reproducer: str | None = None

    def __str__(self) -> str:
        if self.step is COMPILED:
            return (
                f"code for this CPU does not do with @{self.kernel} what the interpreter does: "
                f"{self.what}; with {self.inputs}"
            )
        return (
            f"pass '{self.step.name}' of stage {self.step.stage} changes what @{self.kernel} "
            f"computes: {self.what}; with {self.inputs}"
        )


@dataclass
class KernelCheck:
    """A kernel that is validated."""

    runner: KernelRunner
    cases: list[KernelCase] = field(default_factory=list[KernelCase])
    rejected: dict[str, str] = field(default_factory=dict[str, str])
    """Kinds of inputs that there are no valid ones of, and why."""
    redrawn: dict[str, str] = field(default_factory=dict[str, str])
    """Kinds of inputs that were drawn again, and why the first ones were not valid."""
    reason: str = ""
    """Why it cannot be run at all, or not any further."""
    checked: list[PipelinePass] = field(default_factory=list[PipelinePass])
    """The passes after which it was run."""
    runs: int = 0
    """After passes."""
    agreed: int = 0
    """Inputs of which code for this CPU makes what the interpreter does."""
    skipped: int = 0
    """Runs that there was no time for."""
    slowdown: dict[bool, float] = field(default_factory=lambda: {False: 1.0, True: THREAD_WEIGHT})
    """How much longer a run takes than of the kernel as it was written; as threads, if true."""

    @property
    def name(self) -> str:
        return self.runner.name

    @property
    def is_complete(self) -> bool:
        """Whether it was run wherever it had to be."""
        return bool(self.cases) and not self.reason

    def __str__(self) -> str:
        if not self.cases or (self.reason and not self.checked):
            return f"@{self.name} is not validated: {self.reason}"
        names = ", ".join(case.inputs.name for case in self.cases)
        kinds = "1 kind" if len(self.cases) == 1 else f"{len(self.cases)} kinds"
        if self.redrawn:
            kinds += f", {len(self.redrawn)} of them drawn again"
        rest = f"; code for this CPU agrees in {self.agreed}" if self.agreed else ""
        if self.reason:
            last = self.checked[-1]
            rest += f"; not after pass '{last.name}' of stage {last.stage}: {self.reason}"
        return (
            f"@{self.name} is validated after {len(self.checked)} passes, {self.runner.bounds}, "
            f"in {self.runs} of {self.runs + self.skipped} runs with inputs of {kinds} "
            f"({names}){rest}"
        )


@dataclass(frozen=True)
class _Wrong:
    """A kernel that does something else with some inputs."""

    check: KernelCheck
    case: KernelCase
    what: str


class Validator:
    """Watches a compilation."""

    def __init__(
        self,
        compilation: Compilation,
        mode: ValidationMode,
        *,
        arguments: Sequence[Any] | None = None,
        grid: Grid | None = None,
        entry: str | None = None,
        seconds: float | None = None,
    ):
        self.compilation = compilation
        self.mode: ValidationMode = mode
        self.arguments, self.grid, self.entry = arguments, grid, entry
        self.seconds = SECONDS[mode] if seconds is None else seconds
        self.kernels: list[KernelCheck] = []
        self.finding: Finding | None = None
        self._stage_steps: list[PipelinePass] = []
        self._before: ModuleOp | None = None
        """The last module that was run."""
        self._inner = compilation.after_pass
        compilation.after_pass = self.after_pass
        compilation.after_passes = self.finish

    def after_pass(self, step: PipelinePass | None, module: ModuleOp) -> None:
        """The module was read, or a pass has run; `ValidationError` if it was wrong."""
        if self._inner is not None:
            self._inner(step, module)
        if step is None:
            self._before = module.clone()
            self._find_inputs(self._before)
            if self.mode == "full" and find_stage(self._before) == MODULE_STAGES[0]:
                self._ask_compiled_code()
            return
        if not any(check.cases for check in self.kernels):
            return
        if step.instance is not None:
            # Ours leave valid IR, which the interpreter relies on.
            self.compilation.verify(step.name)
        assert self._before is not None
        self._stage_steps.append(step)
        if self.mode == "full":
            if module.is_structurally_equivalent(self._before):
                return
        elif step is not self._last_step(step):
            return
        after = module.clone()
        if (wrong := self._find_wrong(step, after)) is not None:
            self._find_pass(wrong)
        for check in self.kernels:
            if check.is_complete:
                check.checked.append(step)
        self._before = after
        self._stage_steps.clear()

    def _last_step(self, step: PipelinePass) -> PipelinePass:
        """The last step of the stage of a step."""
        steps = self.compilation.known_steps
        return next(each for each in reversed(steps) if each.stage == step.stage)

    def finish(self) -> None:
        """Says what was run. `full` has to have run everything: `ValidationError` if it has not."""
        for check in self.kernels:
            if self.mode == "full" and not check.is_complete:
                raise ValidationError(str(check))
            kind = "Passed" if check.is_complete else "Missed"
            arguments = {"Remark": str(check)}
            self.compilation.remarks.append(Remark(kind, "Validation", "", check.name, arguments))

    # Inputs

    def _find_inputs(self, module: ModuleOp) -> None:
        for name, kernel in {**entries_of(module), **thread_kernels(module)}.items():
            if self.entry is None or name == self.entry:
                self.kernels.append(self._make_check(name, kernel, module))

    def _make_check(self, name: str, kernel: Operation, module: ModuleOp) -> KernelCheck:
        is_source = find_stage(module) == MODULE_STAGES[0]
        if is_source:
            facts = find_facts(kernel)
        else:
            facts = KernelFacts(make_parameters(kernel), has_freedom=True, precision=8)
        elements = [parameter.element for parameter in facts.parameters]
        runner = KernelRunner(name, elements, Bounds.of(facts), module, self.seconds)
        check = KernelCheck(runner)
        if self.arguments is not None:
            self._add_given(check)
        elif is_source:
            self._add_made(check, facts)
        else:
            check.reason = f"inputs are made for programs of stage {MODULE_STAGES[0]} only"
        return check

    def _add_made(self, check: KernelCheck, facts: KernelFacts) -> None:
        """Inputs of all kinds that the kernel can be run with."""
        runner, made = check.runner, list[KernelCase]()
        share = SOURCE_SHARE * self.seconds
        most = min(share / 2, SOURCE_SECONDS)

        def attempt(inputs: Inputs) -> str | None:
            case = KernelCase(inputs)
            # What takes long with one CTA cannot be made shorter.
            count = prod(inputs.grid) if inputs.blocks is None else len(inputs.blocks)
            limit = max(most, share) if count == 1 and not check.cases else most
            try:
                runner.run_source(case, limit)
                other = KernelCase(replace(inputs, seed=OTHER_ORDER))
                again = runner.run(runner.source, other, limit=limit)[0]
            except OutOfTimeError:
                return OUT_OF_TIME
            except (InterpretationError, ValueError, OverflowError) as error:
                return str(error)
            if runner.difference(case, again) is not None:
                return "what it computes depends on the order of CTAs, or of accesses"
            made.append(case)
            return None

        finder = InputFinder(facts, attempt, most_ctas=MOST_CTAS[self.mode])
        for plan in PLANS:
            if runner.seconds < self.seconds - (share if check.cases else 2 * share):
                check.rejected[plan.name] = OUT_OF_TIME
            elif finder.find(plan) is not None:
                check.cases.append(made[-1])
        check.rejected |= finder.rejected
        check.redrawn |= finder.redrawn
        if not check.cases:
            check.reason = f"no valid inputs were found: {next(iter(check.rejected.values()))}"
        elif not any(case.has_effect for case in check.cases):
            check.reason = "it writes nothing with any of the inputs that were found"

    def _add_given(self, check: KernelCheck) -> None:
        """The arguments that the user has given."""
        assert self.arguments is not None
        flat = self.compilation.program.flatten(self.arguments)
        if any(isinstance(each, ArrayList) for each in flat):
            check.reason = "it takes a list of arrays"
            return
        grid = full_grid(1 if self.grid is None else self.grid)
        case = KernelCase(Inputs(GIVEN, grid, ()), given=flat)
        try:
            check.runner.run_source(case)
        except OutOfTimeError:
            check.reason = OUT_OF_TIME
        except InterpretationError as error:
            check.reason = f"it cannot be run as it was written: {error}"
        else:
            found = case if case.has_effect else self._change_given(check, case)
            check.cases.append(found or case)
            if found is None:
                check.reason = (
                    "it changes nothing: with the arguments that were given, and with other "
                    "numbers in any of the arrays, it writes nothing but what they hold already"
                )

    def _change_given(self, check: KernelCheck, case: KernelCase) -> KernelCase | None:
        """
        The given arguments with other numbers in one array, so that the kernel changes something:
        after a run its outputs hold the results already. Outputs are among the last.
        """
        for position in reversed(range(len(case.make_arguments(check.runner.elements)))):
            changed = check.runner.with_other_numbers(case, position)
            if changed is None:
                continue
            try:
                check.runner.run_source(changed)
            except (InterpretationError, OutOfTimeError):
                continue
            if changed.has_effect:
                return changed
        return None

    def _ask_compiled_code(self) -> None:
        """A second opinion on what is expected, by code that has nothing of the interpreter."""
        for check in self.kernels:
            for case in check.cases if check.is_complete else ():
                what = None
                try:
                    if (found := check.runner.run_compiled(case)) is None:
                        continue
                    if (difference := check.runner.difference(case, found)) is not None:
                        what = str(difference)
                except JitLaunchError:
                    continue
                except ExecutionError as error:
                    what = str(error)
                except DiagnosticException:
                    # There is no code for this CPU.
                    break
                if what is not None:
                    self.finding = Finding(check.name, COMPILED, what, case.inputs)
                    raise ValidationError.of(self.finding)
                check.agreed += 1

    # Passes

    def _find_wrong(self, step: PipelinePass, module: ModuleOp) -> _Wrong | None:
        """
        Runs all kernels with all inputs, or as many as the share of the time of a pass is enough
        for, and with one in any case.
        """
        for check in self.kernels:
            if not check.is_complete:
                continue
            wrong = self._find_wrong_of(check, step, module)
            if wrong is not None:
                return wrong
        return None

    def _find_wrong_of(
        self, check: KernelCheck, step: PipelinePass, module: ModuleOp
    ) -> _Wrong | None:
        runner = check.runner
        end = runner.seconds * (1 - self._share_of(step))
        kind = find_stage(module) in THREAD_STAGES
        telling = [case for case in check.cases if case.has_effect]
        cheapest = min(telling, key=lambda case: case.cost)
        runs = 0
        for case in check.cases:
            # What a run takes is told from those before it; one has to be made in any case.
            expected = check.slowdown[kind] * case.cost
            is_last_chance = not runs and case is check.cases[-1]
            if runner.seconds - expected < end:
                check.skipped += 1
                if not is_last_chance:
                    continue
                case = cheapest
            start = runner.seconds
            limit = None if runs else max(runner.seconds, REQUIRED_SECONDS)
            try:
                what = runner.compare(module, case, step, limit)
            except OutOfTimeError:
                check.skipped += 1
                if not runs:
                    check.reason = OUT_OF_TIME
                    return None
                continue
            except TileBlocksError as error:
                check.rejected[case.inputs.name] = str(error)
                check.skipped += 1
                continue
            check.slowdown[kind] = (start - runner.seconds) / max(case.cost, 1e-3)
            runs += 1
            check.runs += 1
            if what is not None:
                return _Wrong(check, case, what)
        if not runs and not check.reason:
            check.reason = "; ".join(check.rejected.values())
        return None

    def _share_of(self, step: PipelinePass) -> float:
        """How much of the time that is left runs after a pass may take."""
        steps = self.compilation.known_steps
        left = steps[steps.index(step) :]
        if self.mode == "quick":
            left = [each for each in left if each is self._last_step(each)]
        weights = [THREAD_WEIGHT if each.stage in THREAD_STAGES else 1.0 for each in left]
        return weights[0] / sum(weights)

    def _find_pass(self, wrong: _Wrong) -> NoReturn:
        """Runs the passes since the last good module again, and reports the one that is wrong."""
        assert self._before is not None
        runner, steps = wrong.check.runner, list(self._stage_steps)
        before, after = self._before, self._before.clone()
        for step in steps[:-1]:
            self._apply(step, after)
            runner.seconds = max(runner.seconds, EXTRA_SECONDS)
            try:
                what = runner.compare(after, wrong.case, step)
            except (OutOfTimeError, TileBlocksError):
                # What is wrong is known, only not since when.
                break
            if what is not None:
                self._report(_Wrong(wrong.check, wrong.case, what), step, before)
            before = after.clone()
        self._report(wrong, steps[-1], before)

    def _apply(self, step: PipelinePass, module: ModuleOp) -> None:
        options = self.compilation.options
        make_pass(step, options.arch, options.abi).apply(make_context(), module)

    def _report(self, wrong: _Wrong, step: PipelinePass, before: ModuleOp) -> NoReturn:
        """Writes a reproducer, and raises what is wrong."""
        finding = Finding(wrong.check.name, step, wrong.what, wrong.case.inputs)
        path, inputs = None, self._inputs_to_write(wrong, step, before)
        # What is not in the pipeline cannot be named in a file.
        if inputs is not None and not self.compilation.plan:
            options = self.compilation.options
            steps = select_steps(options.opt, arch=options.arch)
            path = Reproducer(
                print_program(before),
                options,
                steps[steps.index(step) :],
                step.name,
                validation={
                    "kernel": wrong.check.name,
                    "elements": [name_element(each) for each in wrong.check.runner.elements],
                    "inputs": inputs.to_json(),
                    "bounds": wrong.check.runner.bounds.relative,
                },
            ).write()
        self.finding = replace(finding, reproducer=path)
        self.compilation.activity = ""
        raise ValidationError.of(self.finding)

    def _inputs_to_write(
        self, wrong: _Wrong, step: PipelinePass, before: ModuleOp
    ) -> Inputs | None:
        """
        Inputs that show the same. Arrays that were given are somebody's data, which is not written
        to files: made ones take their place, if they show it too. Numbers are written.
        """
        case, runner = wrong.case, wrong.check.runner
        if case.given is None:
            return case.inputs
        recipes = [_recipe_like(each, number) for number, each in enumerate(case.given)]
        made = KernelCase(Inputs("like those given", case.inputs.grid, tuple(recipes)))
        after = before.clone()
        self._apply(step, after)
        try:
            runner.run_source(made)
            return None if runner.compare(after, made, step) is None else made.inputs
        except (InterpretationError, OutOfTimeError, ValueError):
            return None


def replay(reproducer: Reproducer, compilation: Compilation) -> None:
    """Runs a kernel before and after the pass of a reproducer; raises what is wrong, if it is."""
    data = reproducer.validation
    assert data is not None
    try:
        name, inputs = str(data["kernel"]), Inputs.from_json(data["inputs"])
        elements: list[Attribute] = [named_element(text) for text in data["elements"]]
        bounds = Bounds(float(data["bounds"]))
        inputs.check(len(elements))
        step = reproducer.steps[0]
    except (IndexError, KeyError, TypeError, ValueError):
        raise InputError("the reproducer has no inputs that can be read") from None
    module = compilation.read()
    runner = KernelRunner(name, elements, bounds, module.clone(), SECONDS["full"])
    case = KernelCase(inputs)
    runner.run_source(case)
    compilation.run_pass(step, module)
    compilation.activity = ""
    what = runner.compare(module, case, step)
    if what is not None:
        raise ValidationError.of(Finding(name, step, what, inputs))


def _recipe_like(argument: Any, number: int) -> ArrayRecipe | int | float:
    """What takes the place of an argument in a file."""
    if isinstance(argument, np.ndarray):
        return ArrayRecipe(argument.size, seed=number)
    return cast(Any, argument).item() if isinstance(argument, np.generic) else argument


# `tileiras_xdsl.validate`, and what it returns.
