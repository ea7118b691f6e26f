"""Runs programs of `strategies/order_pairs.py` after each pass of the pipeline, and compares."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from typing import Final, TypeAlias

import numpy as np
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl import load
from tileiras_xdsl.analysis.memory_order import Ordering, ordering
from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.driver.compiler.compilation import paused_collection
from tileiras_xdsl.interpreter import ExecutionError, environment
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import PipelinePass, make_pass, select_steps

from ..harness.modules import context
from ..strategies.order_gemms import GemmPair, GemmProgram, write_gemm
from ..strategies.order_kinds import Kind, meaning
from ..strategies.order_pairs import Pair, PairProgram, write_pair

AnyPair: TypeAlias = Pair | GemmPair
AnyProgram: TypeAlias = PairProgram | GemmProgram

ARCH: Final = "sm_90a"
LEVEL_1: Final = "convert-cuda-tile-to-tileaa"
UNFINISHED: Final = ("tileas-allocate-shared-memory", "tileas-choose-occupancy")
"""Passes after which memory is shared, and barriers are not there yet."""


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind."""

    arrays: tuple[bytes, ...]
    reads: tuple[bytes, ...]
    printed: str
    stopped: bool = False
    """Whether an assertion failed."""
    wrong: str | None = None
    """A race, or another error."""


def outcome(program: AnyProgram, module: ModuleOp, seed: int | None) -> Outcome:
    """Runs a program with all checks."""
    setting = program.setting()
    printed = StringIO()
    stopped, wrong = False, None
    with redirect_stdout(printed):
        try:
            run(
                module,
                grid=program.grid,
                sm_count=1,
                args=setting.arguments,
                check=True,
                seed=seed,
                others=setting.others,
            )
        except ExecutionError as error:
            stopped = bool(re.search("[Aa]ssert", str(error)))
            wrong = None if stopped else str(error)
    return Outcome(
        tuple(setting.arguments[number].tobytes() for number in setting.compared),
        tuple(np.asarray(value).tobytes() for value in setting.reads),
        "".join(line for line in printed.getvalue().splitlines(True) if "Assertion `" not in line),
        stopped,
        wrong,
    )


# Where ops are


@dataclass(frozen=True)
class Position:
    """An op of a pair with effects, and the loops around it."""

    mark: str
    depth: int


def positions(program: AnyProgram, module: ModuleOp) -> list[Position]:
    """Where the ops of a pair have come to be, or what became of them."""
    return list(_positions(program, module, 0))


def _positions(program: AnyProgram, op: Operation, depth: int) -> Iterator[Position]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                mark = _mark(program.lines, inner)
                if mark is not None and _counts(program, mark, inner):
                    yield Position(mark, depth)
                is_loop = inner.name.endswith((".for", ".while", ".loop"))
                yield from _positions(program, inner, depth + is_loop)


def _counts(program: AnyProgram, mark: str, op: Operation) -> bool:
    """Whether an op is the one of the pair, and not a barrier that was put before it."""
    effects = own_effects(op)
    kind = program.pair.anchor if mark == "anchor" else program.pair.mover
    is_fence = isinstance(kind, Kind) and kind.op == "memory_fence_alias_tko"
    return bool(effects if is_fence else effects & ~Effect.FENCE)


def _mark(lines: dict[int, str], op: Operation) -> str | None:
    location = op.location
    return lines.get(location.line.data) if isinstance(location, FileLineColLoc) else None


def movement(before: Sequence[Position], after: Sequence[Position]) -> str | None:
    """How a pass has changed where ops are; `None` if it has not."""
    if before == after:
        return None
    runs = [_runs(before), _runs(after)]
    if set(runs[0]) > set(runs[1]):
        return "dropped"
    if len(after) < len(before):
        return "merged"
    if runs[0] != runs[1]:
        return "reordered"
    if len(before) != len(after):
        return "copied"
    return "out of loop" if _depth(after) < _depth(before) else "into loop"


def _runs(found: Sequence[Position]) -> list[str]:
    """The marks without repetitions."""
    marks = [each.mark for each in found]
    return [mark for number, mark in enumerate(marks) if not number or marks[number - 1] != mark]


def _depth(found: Sequence[Position]) -> int:
    return sum(each.depth for each in found)


def fingerprint(module: ModuleOp) -> tuple[int, ...]:
    """Changes if a pass moves, removes, replaces or rewires anything."""
    found: list[int] = []
    for op in module.walk():
        found.append(id(op))
        found += map(id, op.operands)
    return tuple(found)


# All passes


@dataclass
class Report:
    """What came of a pair."""

    pair: AnyPair
    verdict: str
    """`ordered`, `free`, or `undefined` if the program itself races."""
    reason: str = ""
    """Why it is undefined."""
    findings: list[str] = field(default_factory=list[str])
    moved: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The passes that moved an op of the pair, and how."""
    changed: list[str] = field(default_factory=list[str])
    """The passes that did anything to the program."""
    runs: int = 0
    misdeclared: list[str] = field(default_factory=list[str])
    """What ops of level 1 declare that is not what they do."""

    def __str__(self) -> str:
        found = [self.verdict, *self.misdeclared, *self.findings]
        return f"{self.pair}: {'; '.join(found)}"

    @property
    def is_wrong(self) -> bool:
        return bool(self.misdeclared or self.findings)


def seeds_of(pair: AnyPair) -> tuple[int | None, ...]:
    """
    Of the orders in which accesses are performed that no token orders. An assertion takes no
    token: what comes before it in the program is performed before it.
    """
    kinds = [pair.anchor, pair.mover]
    is_assert = any(isinstance(kind, Kind) and kind.op == "assert" for kind in kinds)
    return (None,) if is_assert else (1, 2)


def write(pair: AnyPair, *, is_overtaken: bool = False) -> AnyProgram:
    """The program of a pair."""
    if isinstance(pair, GemmPair):
        return write_gemm(pair, is_overtaken=is_overtaken)
    return write_pair(pair, is_overtaken=is_overtaken)


def judge(pair: AnyPair) -> tuple[str, str, Outcome | None, AnyProgram, ModuleOp]:
    """Whether the order of a pair can be seen, by the interpreter on tiles."""
    program, seeds = write(pair), seeds_of(pair)
    module = load(program.text)
    found = [outcome(program, module, seed) for seed in seeds]
    for each in found:
        if each.wrong is not None:
            return "undefined", each.wrong, None, program, module
    if any(each != found[0] for each in found):
        return "undefined", "depends on who comes first", None, program, module
    overtaken = write(pair, is_overtaken=True)
    other = load(overtaken.text)
    is_seen = any(outcome(overtaken, other, seed) != found[0] for seed in seeds)
    return "ordered" if is_seen else "free", "", found[0], program, module


@contextmanager
def few_spins() -> Generator[None]:
    """A flag that nobody sets is waited for a while only, as many programs are undefined."""
    kept, environment.MOST_SPINS = environment.MOST_SPINS, 500
    try:
        yield
    finally:
        environment.MOST_SPINS = kept


def examine_pair(pair: AnyPair, opt: int = 3) -> Report:
    """Runs the program of a pair on tiles, and after each pass that changes it."""
    arch = pair.arch if isinstance(pair, GemmPair) else ARCH
    with paused_collection(), few_spins():
        verdict, reason, expected, program, module = judge(pair)
        report = Report(pair, verdict, reason)
        if expected is not None:
            _compile(report, expected, program, module, select_steps(opt, arch=arch), arch)
        return report


def _compile(
    report: Report,
    expected: Outcome,
    program: AnyProgram,
    module: ModuleOp,
    steps: Sequence[PipelinePass],
    arch: str,
) -> None:
    last, where = fingerprint(module), positions(program, module)
    is_due, seeds = False, seeds_of(report.pair)
    for number, step in enumerate(steps):
        try:
            make_pass(step, arch).apply(context(), module)
        except DiagnosticException as error:
            # It is small, and what it does is defined.
            report.findings.append(f"refused by {step.name}: {error}")
            return
        now = fingerprint(module)
        if now != last:
            report.changed.append(step.name)
            is_due = True
        last = now
        if step.name == LEVEL_1:
            report.misdeclared += misdeclared(program, module)
        if step.stage != "nvvm":
            after = positions(program, module)
            _note_movement(report, step, movement(where, after))
            where = after
        is_end = number + 1 == len(steps)
        if not is_due or step.name in UNFINISHED or (step.stage == "nvvm" and not is_end):
            continue
        is_due = False
        report.runs += 1
        found = outcome(program, module, seeds[report.runs % len(seeds)])
        if found != expected:
            report.findings.append(f"after {step.name}: {difference(expected, found)}")
            return


def kinds_of(pair: AnyPair) -> dict[str, Kind]:
    """The kinds of a pair that are written by `emit`, by their marks."""
    found = {"anchor": pair.anchor}
    if isinstance(pair.mover, Kind):
        found["mover"] = pair.mover
    return found


def meant_order(pair: Pair) -> Ordering:
    """When the two ops have to stay in order, by what they mean."""
    first, second = meaning(pair.anchor), meaning(pair.mover)
    return ordering(first, second) if pair.is_after else ordering(second, first)


def misdeclared(program: AnyProgram, module: ModuleOp) -> list[str]:
    """What ops of a pair declare on level 1 that is not what they mean."""
    effects = dict.fromkeys(kinds_of(program.pair), Effect.NONE)
    for op in module.walk():
        if (mark := _mark(program.lines, op)) in effects:
            effects[mark] |= own_effects(op)
    return [
        f"{kind} declares {effects[mark].name}, not {meaning(kind).name}"
        for mark, kind in kinds_of(program.pair).items()
        if effects[mark] != meaning(kind)
    ]


def _shown(value: bool | str | tuple[bytes, ...]) -> str:
    """What is left behind, of arrays the first numbers."""
    if not isinstance(value, tuple):
        return repr(value)
    return str([np.frombuffer(each, np.int32)[:20].tolist() for each in value])


def _note_movement(report: Report, step: PipelinePass, how: str | None) -> None:
    """A pass may have moved an op; none may where the order is fixed."""
    is_lowering = step.name.startswith("convert") and how in ("copied", "merged")
    if how is None or is_lowering:
        return
    report.moved.append((step.name, how))
    pair = report.pair
    if isinstance(pair, GemmPair) or pair.story == "apart":
        # What other warps do is seen by running it, and without tokens there is no order.
        return
    is_fixed = report.verdict == "ordered" or meant_order(pair) is Ordering.ALWAYS
    if how in ("reordered", "dropped") and is_fixed:
        report.findings.append(f"{step.name} has {how} ops that must stay in order")


def difference(expected: Outcome, found: Outcome) -> str:
    """How two outcomes differ."""
    if found.wrong is not None:
        return found.wrong
    for name in ("stopped", "printed", "arrays", "reads"):
        if getattr(expected, name) != getattr(found, name):
            values = (getattr(found, name), getattr(expected, name))
            return f"{name}: {', not '.join(map(_shown, values))}"
    return "nothing differs"
