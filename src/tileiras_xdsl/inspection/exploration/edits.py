"""
Edits of a program on its way through the pipeline, as passes: what follows them is what the edited
program becomes, explorations show them as they show other passes, and `check` runs them.

| pass | changes |
| --- | --- |
| `edit-schedule` | what `tileas-generate-schedule` chose: buffer stages, warps, the order of ops |
| `edit-layouts` | layouts that passes have chosen for ops |
| `edit-text` | the whole module, to that of a text |
| `edit-ops` | whatever a function does to the module |

Each verifies what it made, so that errors name the op that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, Final, cast

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.analysis.memory_order import Ordering, may_move_above, ordering
from tileiras_xdsl.dialects.memory_order import effects_of
from tileiras_xdsl.dialects.nv_tileas import decisions
from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05
from tileiras_xdsl.dialects.nv_tileas.layout import Encoding, LayoutAttr, encode
from tileiras_xdsl.frontend.load import make_context, parse_bytes
from tileiras_xdsl.inspection.visual.picture import plural
from tileiras_xdsl.pipeline import find_stage
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.dominance import verify_module
from tileiras_xdsl.xdsl_extras.public import CallerError
from tileiras_xdsl.xdsl_extras.walking import walk

from .diff import Lines, match_lines, pair_changes
from .search import IrLine
from .steps import Listing

PREFIX: Final = "edit-"
TEXT_NAME: Final = "<edited>"
"""What errors call a text."""


class EditError(CallerError, DiagnosticException):
    """An edit that makes no sense."""


@dataclass(frozen=True, eq=False)
class EditSchedule(ModulePass):
    """
    Changes the schedule of kernels.

    - stages: the number of buffer stages, of each pipeline or of all;
    - producer_warps, mma_warps: the number of warps of an agent; `mma_warps=0` for no MMA agent,
      which only kernels with `tcgen05` have;
    - ping_pong: the number of consumer warpgroups that issue WGMMAs alternately, 0 if they do not;
    - exclusive: whether a warpgroup keeps its turn until its WGMMAs are done;
    - registers: of a producer and of a consumer thread (`setmaxnreg`), `()` for no reallocation;
    - order: ops of a software-pipelined loop in their new order, by the lines of the step or as
      `search` found them. Those that have to come earlier move up, with the definitions of their
      operands; other ops stay where they are. Memory order is kept;
    - pipelined: False for no software pipelining;
    - entry: the kernel to change (default: all).
    """

    name = "edit-schedule"

    stages: int | Sequence[int] | None = None
    producer_warps: int | None = None
    mma_warps: int | None = None
    ping_pong: int | None = None
    exclusive: bool | None = None
    registers: Sequence[int] | None = None
    order: Sequence[int | IrLine] = ()
    pipelined: bool = True
    entry: str | None = None

    def __post_init__(self) -> None:
        for name in ("stages", "registers"):
            given: object = getattr(self, name)
            if not isinstance(given, int if name == "stages" else ()) and not _is_numbers(given):
                example = "stages=3 or stages=[4, 2]" if name == "stages" else "registers=(24, 240)"
                raise EditError(f"{name} cannot be {given!r}, expected such as {example}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = [
            function
            for function in kernels(op)
            if decisions.SCHEDULE.get(function) is not None
            and self.entry in (None, function.sym_name.data)
        ]
        if not found:
            what = "no kernel" if self.entry is None else f"no kernel @{self.entry}"
            raise EditError(
                f"{what} has a schedule: only loops whose dots read tiles that TMA loads have one"
            )
        for function in found:
            self._change(function)
        if not self.pipelined and not self._drop_stages(found):
            fail(found[0], "no loop is software-pipelined, so 'pipelined' has nothing to change")
        if self.order:
            self._reorder(op)
        verify_module(op)

    def _change(self, function: FuncOp) -> None:
        schedule = decisions.SCHEDULE.get(function)
        assert schedule is not None
        old = schedule.data
        try:
            changed = decisions.ScheduleAttr(replace(old, **self._fields(function, old)))
        except VerifyException as error:
            fail(function, f"'{function.name}' op @{function.sym_name.data}: {error}")
        decisions.SCHEDULE.set(function, changed)
        if self.mma_warps and not any(map(is_tcgen05, walk(function))):
            fail(function, "only kernels with 'tcgen05.mma' have an MMA agent, so no 'mma_warps'")

    def _drop_stages(self, functions: Sequence[FuncOp]) -> bool:
        """Undoes software pipelining; whether there was any."""
        dropped = [decisions.STAGE.drop(op) for function in functions for op in walk(function)]
        return any(stage is not None for stage in dropped)

    def _fields(self, function: FuncOp, old: decisions.KernelSchedule) -> dict[str, Any]:
        changed: dict[str, Any] = {}
        if self.stages is not None:
            count = len(old.stages)
            stages = [self.stages] * count if isinstance(self.stages, int) else [*self.stages]
            if len(stages) != count:
                loads = [op for op in walk(function) if decisions.PIPE.get(op) is not None]
                fail(
                    loads[0] if loads else function,
                    f"the schedule has {plural(count, 'pipeline')}, but 'stages' has "
                    f"{plural(len(stages), 'number')}",
                )
            changed["stages"] = tuple(stages)
        if self.producer_warps is not None:
            changed["producer_warps"] = self.producer_warps
        if self.mma_warps is not None:
            changed["mma_warps"] = self.mma_warps or None
        if self.ping_pong is not None:
            changed["ping_pong"] = self.ping_pong or None
        if self.exclusive is not None:
            changed["exclusive"] = 1 if self.exclusive else None
        elif self.ping_pong == 0:
            # Without turns there is nothing to keep.
            changed["exclusive"] = None
        if self.registers is not None:
            changed["registers"] = tuple(self.registers) or None
        return changed

    def _reorder(self, module: ModuleOp) -> None:
        lines = [each if isinstance(each, int) else each.line for each in self.order]
        ops = [_op_at(module, line) for line in lines]
        if (twice := next((op for op in ops if ops.count(op) > 1), None)) is not None:
            fail(twice, f"'{twice.name}' op is in 'order' twice")
        loop = ops[0].parent_op()
        if not isinstance(loop, scf.ForOp) or any(op.parent_op() is not loop for op in ops):
            fail(ops[0], f"'{ops[0].name}' op is not in one loop with the other ops to be ordered")
        body = [op for op in loop.body.block.ops if op is not loop.body.block.last_op]
        stages = {op: stage.data for op in body if (stage := decisions.STAGE.get(op)) is not None}
        if len(stages) != len(body):
            fail(loop, "the loop is not software-pipelined, so 'order' has nothing to change")
        before = sorted(body, key=lambda op: stages[op].order)
        after = _in_order(before, ops, {op: stage.stage for op, stage in stages.items()})
        for order, op in enumerate(after):
            decisions.STAGE.set(op, decisions.StageAttr(decisions.Stage(stages[op].stage, order)))
        places = {op: place for place, op in enumerate(after)}
        for later, op in enumerate(before):
            for other in before[:later]:
                if places[op] < places[other] and not _may_swap(other, op):
                    fail(op, f"'{op.name}' op may not be moved above '{other.name}'")


def _in_order(
    before: Sequence[Operation], wanted: Sequence[Operation], stages: Mapping[Operation, int]
) -> list[Operation]:
    """
    The ops of a software-pipelined loop, some of them in the order that is wanted. Before an op
    come those wanted before it and, of its own stage, the definitions of its operands, which move
    up with it; other ops stay where they are.
    """
    previous = {op: other for other, op in pairwise(wanted)}
    after: dict[Operation, None] = {}
    visiting: set[Operation] = set()

    def visit(op: Operation) -> None:
        if op in after:
            return
        if op in visiting:
            fail(op, f"'{op.name}' op cannot come after an op that uses its result")
        visiting.add(op)
        sources = [value.owner for value in op.operands]
        for source in (previous.get(op), *sources):
            if isinstance(source, Operation) and stages.get(source) is not None:
                if source is previous.get(op) or stages[source] == stages[op]:
                    visit(source)
        after[op] = None

    for op in before:
        visit(op)
    return list(after)


def _is_numbers(given: object) -> bool:
    """Whether something is a list of numbers, or nothing."""
    if given is None:
        return True
    numbers = isinstance(given, Sequence) and not isinstance(given, str)
    return numbers and all(isinstance(each, int) for each in cast("Sequence[object]", given))


def _may_swap(first: Operation, second: Operation) -> bool:
    """Whether memory order lets an op move above one that precedes it."""
    free = ordering(effects_of(first), effects_of(second)) is Ordering.FREE
    return free or may_move_above(second, first)


Layout = LinearLayout | Encoding | str
"""What people may call a layout: the string is that of an attribute."""


@dataclass(frozen=True, eq=False)
class EditLayouts(ModulePass):
    """
    Changes layouts. The key is an alias of the listing, `#blocked0`, for all tensors that have this
    layout; or the line of an op, from 1, for the layout that a pass has chosen and not yet given to
    tensors (`nv_tileas.layout`).
    """

    name = "edit-layouts"

    layouts: Mapping[int | str, Layout] = field(default_factory=dict[int | str, Layout])

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lines = {key: layout for key, layout in self.layouts.items() if isinstance(key, int)}
        found = {line: _op_at(op, line) for line in lines}
        for line, changed in found.items():
            if decisions.LAYOUT.get(changed) is None:
                fail(changed, f"'{changed.name}' op has no '{decisions.LAYOUT.name}' to change")
            layout = as_layout(lines[line])
            if not isinstance(layout, LayoutAttr):
                raise EditError(f"{layout} is no layout of registers, lanes and warps")
            decisions.LAYOUT.set(changed, layout)
        aliases = {key: layout for key, layout in self.layouts.items() if isinstance(key, str)}
        if aliases:
            EditText(_with_aliases(Listing.of(op).text, aliases)).apply(ctx, op)
        verify_module(op)


def _with_aliases(text: str, aliases: Mapping[str, Layout]) -> str:
    """The text of a module with other definitions of aliases."""
    for alias, layout in aliases.items():
        definition = re.compile(rf"^{re.escape(alias)} = #nv_tileas\.\w+<[^<>]*>", re.MULTILINE)
        if definition.search(text) is None:
            known = ", ".join(re.findall(r"^(#\w+) = #nv_tileas\.\w+<", text, re.MULTILINE))
            raise EditError(f"there is no layout '{alias}' (there are {known or 'none'})")
        text = definition.sub(f"{alias} = {as_layout(layout)}", text)
    return text


def as_layout(given: Layout) -> Encoding:
    """A layout as an attribute."""
    if isinstance(given, LinearLayout):
        return encode(given)
    if isinstance(given, Encoding):
        return given
    try:
        found = Parser(make_context(), given, "<layout>").parse_attribute()
    except ParseError as error:
        raise EditError(f"'{given}' is no layout: {error}") from None
    if not isinstance(found, Encoding):
        raise EditError(f"'{given}' is no layout")
    return found


@dataclass(frozen=True, eq=False)
class EditOps(ModulePass):
    """Runs a function on the module."""

    name = "edit-ops"

    function: Callable[[ModuleOp], object]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.function(op)
        verify_module(op)


@dataclass(frozen=True, eq=False)
class EditText(ModulePass):
    """Replaces the module by that of a text of the same stage; lines that stay keep marks."""

    name = "edit-text"

    text: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        new = parse_bytes(make_context(), self.text.encode(), TEXT_NAME)
        verify_module(new)
        if (stage := find_stage(new)) != find_stage(op):
            raise EditError(f"the text is of the stage {stage}, not of {find_stage(op)}")
        _copy_locations(op, new)
        for region in op.regions:
            for block in [*region.blocks]:
                for each in [*block.ops]:
                    each.detach()
                    each.drop_all_references()
        block = op.body.block
        for each in [*new.body.block.ops]:
            each.detach()
            block.add_op(each)
        op.attributes = dict(new.attributes)
        op.properties = dict(new.properties)


def _copy_locations(old: ModuleOp, new: ModuleOp) -> None:
    """Gives ops the locations of those on lines that are the same, or that they replace."""
    listings = [Listing.of(each) for each in (old, new)]
    a, b = (Lines(each.lines, [()] * len(each.lines)) for each in listings)
    pairs = match_lines(a, b)
    i = j = 0
    changed: dict[int, int] = {}
    for p, q in (*pairs, (len(a), len(b))):
        changed |= pair_changes(a, range(i, p), b, range(j, q))
        i, j = p + 1, q + 1
    for p, q in (*pairs, *changed.items()):
        for source, target in zip(listings[0].ops.get(p, ()), listings[1].ops.get(q, ())):
            target.location = source.location


def _op_at(module: ModuleOp, line: int) -> Operation:
    """The op of a line, from 1, also if that continues the one before."""
    listing = Listing.of(module)
    start = max((each for each in listing.starts if each < line), default=0)
    ops = listing.ops.get(start) if line <= len(listing.lines) else None
    if not ops:
        raise EditError(f"there is no op on line {line}")
    return ops[0]


def make_edit(step: str, change: object, options: Mapping[str, Any]) -> ModulePass:
    """The pass for what somebody wants to change after a step."""
    if change is not None and options:
        raise EditError("an edit is a function, a text, or options, not several of them")
    if callable(change):
        return EditOps(change)
    if isinstance(change, str):
        return EditText(change)
    if change is not None:
        raise EditError(f"an edit is a function or a text, not '{type(change).__name__}'")
    if set(options) == {"layouts"}:
        layouts = options["layouts"]
        if not isinstance(layouts, Mapping):
            raise EditError(f"layouts are by alias or line, as in {{'#mma0': …}}, not {layouts!r}")
        return EditLayouts(**options)
    known = [each.name for each in fields(EditSchedule)]
    unknown = [name for name in options if name not in known]
    known.append("layouts")
    if not options:
        what = ", ".join(known)
        raise EditError(f"say what to edit after {step}: a function, a text, or one of {what}")
    if unknown:
        close = get_close_matches(unknown[0], known, 1)
        hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(known)}"
        raise EditError(f"an edit has no option '{unknown[0]}', {hint}")
    return EditSchedule(**options)
