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
from typing import Any, Final

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from tileiras_xdsl.analysis.linear_layout import LinearLayout
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    LAYOUT,
    PIPE,
    SCHEDULE,
    STAGE,
    KernelSchedule,
    ScheduleAttr,
    Stage,
    StageAttr,
)
from tileiras_xdsl.dialects.nv_tileas.layout import Encoding, LayoutAttr, encode
from tileiras_xdsl.frontend import make_context, parse_bytes
from tileiras_xdsl.pipeline import find_stage
from tileiras_xdsl.transforms.common.kernel_spec import kernels
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.verification import verify_module
from tileiras_xdsl.xdsl_extras.walking import walk

from .line_matching import Lines, match_lines, pair_changes
from .listing import Listing

PREFIX: Final = "edit-"
TEXT_NAME: Final = "<edited>"
"""What errors call a text."""


class EditError(DiagnosticException):
    """An edit that makes no sense."""


@dataclass(frozen=True, eq=False)
class EditSchedule(ModulePass):
    """
    Changes the schedule of kernels.

    - stages: buffer stages of each pipeline, or of all if it is one number;
    - producer_warps, mma_warps: warps of agents; `mma_warps=0` for no agent for MMAs;
    - registers: of a producer and of a consumer thread, `()` if they are not reallocated;
    - order: lines of the step, from 1, in the order that their ops are to have in their loop; other
      ops stay where they are;
    - pipelined: False if loops are not to be software-pipelined;
    - kernel: the name of the kernel, if not all are meant.
    """

    name = "edit-schedule"

    stages: int | Sequence[int] | None = None
    producer_warps: int | None = None
    mma_warps: int | None = None
    registers: Sequence[int] | None = None
    order: Sequence[int] = ()
    pipelined: bool = True
    kernel: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = [
            function
            for function in kernels(op)
            if SCHEDULE.get(function) is not None and self.kernel in (None, function.sym_name.data)
        ]
        if not found:
            what = "no kernel" if self.kernel is None else f"no kernel @{self.kernel}"
            raise EditError(
                f"{what} has a schedule: only loops whose dots read tiles that TMA loads have one"
            )
        for function in found:
            self._change(function)
        if self.order:
            self._reorder(op)
        verify_module(op)

    def _change(self, function: FuncOp) -> None:
        schedule = SCHEDULE.get(function)
        assert schedule is not None
        old = schedule.data
        try:
            changed = ScheduleAttr(replace(old, **self._fields(function, old)))
        except VerifyException as error:
            fail(function, f"'{function.name}' op @{function.sym_name.data}: {error}")
        SCHEDULE.set(function, changed)
        if not self.pipelined:
            for op in walk(function):
                STAGE.drop(op)

    def _fields(self, function: FuncOp, old: KernelSchedule) -> dict[str, Any]:
        changed: dict[str, Any] = {}
        if self.stages is not None:
            count = len(old.stages)
            stages = [self.stages] * count if isinstance(self.stages, int) else [*self.stages]
            if len(stages) != count:
                loads = [op for op in walk(function) if PIPE.get(op) is not None]
                fail(
                    loads[0] if loads else function,
                    f"the schedule has {count} pipelines, so it takes {count} numbers of stages, "
                    f"not {len(stages)}",
                )
            changed["stages"] = tuple(stages)
        if self.producer_warps is not None:
            changed["producer_warps"] = self.producer_warps
        if self.mma_warps is not None:
            changed["mma_warps"] = self.mma_warps or None
        if self.registers is not None:
            changed["registers"] = tuple(self.registers) or None
        return changed

    def _reorder(self, module: ModuleOp) -> None:
        ops = [_op_at(module, line) for line in self.order]
        loop = ops[0].parent_op()
        if not isinstance(loop, scf.ForOp) or any(op.parent_op() is not loop for op in ops):
            fail(ops[0], f"'{ops[0].name}' op is not in one loop with the other ops to be ordered")
        body = [op for op in loop.body.block.ops if op is not loop.body.block.last_op]
        stages = {op: stage.data for op in body if (stage := STAGE.get(op)) is not None}
        if len(stages) != len(body):
            fail(loop, "the loop is not software-pipelined, so its ops have no order to change")
        before = sorted(body, key=lambda op: stages[op].order)
        # The places that the ops have together are dealt out anew.
        places = sorted(stages[op].order for op in ops)
        for op, order in zip(ops, places, strict=True):
            STAGE.set(op, StageAttr(Stage(stages[op].stage, order)))
        after = sorted(body, key=lambda op: _order(op))
        effects = [[op for op in each if not is_side_effect_free(op)] for each in (before, after)]
        for old, new in zip(*effects, strict=True):
            if old is not new:
                fail(new, f"'{new.name}' op may not be moved before '{old.name}'")


def _order(op: Operation) -> int:
    stage = STAGE.get(op)
    assert stage is not None
    return stage.data.order


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
            if LAYOUT.get(changed) is None:
                fail(changed, f"'{changed.name}' op has no '{LAYOUT.name}' to change")
            layout = as_layout(lines[line])
            if not isinstance(layout, LayoutAttr):
                raise EditError(f"{layout} is no layout of registers, lanes and warps")
            LAYOUT.set(changed, layout)
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
    listing = Listing.of(module)
    ops = listing.ops.get(line - 1)
    if not ops:
        raise EditError(f"no op begins on line {line}")
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
    names = ", ".join((*known, "layouts"))
    if not options:
        raise EditError(f"say what to edit of {step}: a function, a text, or one of {names}")
    if unknown:
        raise EditError(f"'{unknown[0]}' of {step} cannot be edited (there are {names})")
    return EditSchedule(**options)
