"""
What each plan of a kernel would cost, by the model.

A program is lowered to the end of the stage `tileas` for each plan; nothing is compiled further.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.cost.model import Launch
from tileiras_xdsl.cost.report import Estimate, predict, why_not
from tileiras_xdsl.cost.warpgroups import UnknownScheduleError
from tileiras_xdsl.dialects.nv_tileas.plan import NO_PLAN, Plan, get_plan
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import OptionError, Options
from tileiras_xdsl.driver.compiler.pass_plan import PassPlan
from tileiras_xdsl.driver.compiler.remarks import Remark
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.abi import HOST_MAPS_ABI
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels
from tileiras_xdsl.transforms.tileas.kernel_model.expected_code import estimate_expected
from tileiras_xdsl.transforms.tileas.tileas_plan import TileasPlanPass

from .candidates import Rule, propose, read_kernel, read_plan

if TYPE_CHECKING:
    from tileiras_xdsl.driver.compiler.pass_plan import PassLike

PLACE = "after:verify-no-cuda-tile"
"""Where plans are written: before any pass that decides."""


def passes_for(plan: Plan, kernel: str | None = None) -> dict[str, PassLike]:
    """What to insert into the pipeline so that a kernel, or all of them, have a plan."""
    return {PLACE: TileasPlanPass.of(plan, kernel)}


@dataclass(frozen=True)
class RankedPlan:
    """A plan, what came of it, and what it would cost."""

    plan: Plan
    """What kernels have in the end; what was asked for, if that failed."""
    rule: str
    """That proposed it; empty for the chosen one."""
    microseconds: float | None
    clocks: float | None
    """Of the busiest SM."""
    limit: str
    why: str
    """Why it is not chosen; empty for the chosen one."""

    @property
    def is_chosen(self) -> bool:
        return not self.rule

    @property
    def cost(self) -> float | None:
        """Microseconds, or clocks where nothing was measured of the GPU."""
        return self.clocks if self.microseconds is None else self.microseconds


@dataclass(frozen=True)
class Planner:
    """Lowers and prices plans of one kernel of a program."""

    program: Program
    options: Options
    passes: PassPlan
    launch: Launch | None
    kernel: str | None = None
    """Its name; the only one if it is left out."""
    rules: Sequence[Rule] = ()
    """Beside those of the folder `rules`."""

    def rank(self) -> list[RankedPlan]:
        """The chosen plan, and what rules propose, the best first."""
        function, target, _ = self._lower(None)
        known = read_kernel(function, target, host_maps=self.options.abi == HOST_MAPS_ABI)
        chosen = self._price(function, target, known.chosen, "")
        found = {known.chosen: chosen}
        failed: list[RankedPlan] = []
        for candidate in propose(known, self.rules):
            try:
                function, target, remarks = self._lower(candidate.plan)
            except (DiagnosticException, OptionError) as error:
                reason = f"refused: {error}".splitlines()[0]
                failed.append(RankedPlan(candidate.plan, candidate.rule, None, None, "", reason))
                continue
            became = read_plan(function, target)
            if became not in found:
                found[became] = self._price(function, target, became, candidate.rule)
            elif reason := why_not_followed(candidate.plan, became, remarks):
                failed.append(RankedPlan(candidate.plan, candidate.rule, None, None, "", reason))
        # If nothing is predicted, the passes know best.
        first = chosen if chosen.why else None
        priced = sorted(
            found.values(),
            key=lambda each: (each is not first, each.cost is None, each.cost or 0.0),
        )
        return [_judge(each, chosen) for each in priced] + failed

    def price(self, plan: Plan | None) -> RankedPlan:
        """What came of a plan, or of what the passes choose without one, and what it would cost."""
        function, target, _ = self._lower(plan)
        return self._price(function, target, read_plan(function, target), "")

    def _lower(self, plan: Plan | None) -> tuple[FuncOp, Target, Sequence[Remark]]:
        """The kernel at the end of the stage `tileas`, and what passes say of it."""
        passes = self.passes
        if plan is not None:
            passes = PassPlan(
                passes.passes, {**(passes.insert or {}), **passes_for(plan, self.kernel)}
            )
        compilation = Compilation(self.program, self.options, explain=True, plan=passes)
        module = compilation.lower("tileas")
        return self._find(module), get_target(module), compilation.remarks + compilation.warnings

    def _find(self, module: ModuleOp) -> FuncOp:
        found = {each.sym_name.data: each for each in kernels(module) if each.kernel is not None}
        if self.kernel is None and len(found) == 1:
            return next(iter(found.values()))
        if self.kernel not in found:
            raise OptionError(f"plans are those of one kernel: name one of {', '.join(found)}")
        return found[self.kernel]

    def _price(self, function: FuncOp, target: Target, plan: Plan, rule: str) -> RankedPlan:
        try:
            estimate = estimate_expected(function, target, self.launch)
        except UnknownScheduleError as error:
            return RankedPlan(plan, rule, None, None, "", f"no prediction: {error}")
        return _describe(estimate, plan, rule)


def why_not_followed(asked: Plan, became: Plan, remarks: Iterable[Remark]) -> str:
    """
    What passes made of a plan that they could not follow, and why, if a remark that has the name of
    a field (`PingPong` for `ping_pong`) says so; empty if they followed it.
    """
    reasons = {each.name.lower(): f" ({each.reason})" for each in remarks if each.reason}
    got = became.get_fields()
    other = [
        f"{name}={got.get(name, 'none')}{reasons.get(name.replace('_', ''), '')}"
        for name, value in asked.get_fields().items()
        if got.get(name) != value
    ]
    return f"becomes {', '.join(other)}" if other else ""


def find_unfollowed(module: ModuleOp, remarks: Sequence[Remark]) -> Iterator[Remark]:
    """What kernels have that their plans did not ask for, at the end of the stage `tileas`."""
    for function in kernels(module):
        asked = get_plan(function)
        if function.kernel is None or asked == NO_PLAN:
            continue
        mine = [each for each in remarks if each.function == function.sym_name.data]
        if reason := why_not_followed(asked, read_plan(function, get_target(module)), mine):
            text = f"plan {asked} is not followed"
            yield Remark.at(function, "Missed", "Plan", text, name="Plan", reason=reason)


def _describe(estimate: Estimate, plan: Plan, rule: str) -> RankedPlan:
    made = predict(estimate)
    if made is not None:
        return RankedPlan(plan, rule, made.microseconds, estimate.sm_clocks, made.bound, "")
    reason = why_not(estimate) if estimate.guessed else None
    why = f"no prediction: {reason}" if reason else ""
    return RankedPlan(plan, rule, None, estimate.sm_clocks, estimate.limit, why)


def _judge(row: RankedPlan, chosen: RankedPlan) -> RankedPlan:
    """The same, with why it is not chosen."""
    if row is chosen or row.why or row.cost is None or not chosen.cost:
        return row
    if chosen.why:
        # Without a prediction of it, there is nothing to compare with.
        return replace(row, why=chosen.why)
    percent = round(100 * (row.cost / chosen.cost - 1))
    if percent > 0:
        return replace(row, why=f"{percent}% slower, limited by {row.limit}")
    if percent < 0:
        return replace(row, why=f"predicted {-percent}% faster")
    return replace(row, why="predicted as fast")
