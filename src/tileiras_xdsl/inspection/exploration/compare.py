"""
Two programs side by side, or one for two GPUs, optimization levels or schedules.

    a = tx.explore("gemm.tileirbc")
    tx.compare(a, tx.explore("gemm.tileirbc", gpu="sm_100"))

Steps are aligned by stage and pass; two modules are the same if their text is once values are
numbered in the order in which they occur. For two GPUs, that modules name their target is not
reported as where they differ first.
"""

from __future__ import annotations

import json
import os
import re
import sys
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.dialects.nv_tileaa.decisions import COMPUTE_CAPABILITY, TARGET_SPEC
from tileiras_xdsl.driver.compiler.compiled import Compiled
from tileiras_xdsl.driver.compiler.pass_plan import as_list
from tileiras_xdsl.pipeline import CPU_STAGES, MODULE_STAGES

from .diff import Diff, DiffRow, line_key, number_names
from .exploration import Exploration, ExplorationError, StepKey, explore
from .report import Strings, differences, fill_page
from .resources import NOTE, Table, cells_of, join_cells
from .steps import PassStep
from .texts import MarkedText

if TYPE_CHECKING:
    from tileiras_xdsl.driver.compiler.pass_plan import PassLike
    from tileiras_xdsl.frontend.load import Source


SIDES: Final = ("A", "B")
MOST_LINES: Final = 12
"""Of the first difference, in a summary."""
_TARGET: Final = re.compile(
    rf"(?:{'|'.join(re.escape(each.name) for each in (COMPUTE_CAPABILITY, TARGET_SPEC))}) = [^,}}]+"
)
_ALIAS: Final = re.compile(r"[!#]\w+ = ")


def _without_target(line: str) -> str:
    """What a line is compared by, without the attributes that name the target."""
    return _TARGET.sub("", line_key(line))


@dataclass(frozen=True, eq=False)
class StepPair:
    """A pass that ran for both programs, or for one of them."""

    name: str
    stage: str
    a: PassStep | None
    b: PassStep | None

    @cached_property
    def changes(self) -> tuple[int, int]:
        """How many lines only A has, and only B, wherever they are."""
        if self.a is None or self.b is None or self.a.snapshot is self.b.snapshot:
            return 0, 0
        mine, theirs = (Counter(map(line_key, each.lines)) for each in (self.a, self.b))
        return (mine - theirs).total(), (theirs - mine).total()

    @cached_property
    def is_same(self) -> bool:
        """Whether both have the same module."""
        if self.a is None or self.b is None:
            return False
        return number_names(self.a.lines) == number_names(self.b.lines)

    @cached_property
    def differs_in_target(self) -> bool:
        """Whether both have the same module but for the name of the target."""
        if self.a is None or self.b is None or self.is_same:
            return False
        a, b = (
            [_TARGET.sub("", line) for line in number_names(each.lines)]
            for each in (self.a, self.b)
        )
        return a == b

    @property
    def status(self) -> str:
        """In a word or two."""
        if self.a is None or self.b is None:
            return f"{SIDES[self.a is None]} only"
        if self.is_same:
            return "same"
        if self.differs_in_target:
            return "target"
        gone, new = self.changes
        if gone or new:
            return f"-{gone} +{new}"
        keys = ([*map(line_key, each.lines)] for each in (self.a, self.b))
        return "values" if next(keys) == next(keys) else "order"


class SideBySide(Diff):
    """What differs between two programs after a pass; see `Diff`."""

    @property
    def summary(self) -> str:
        """One line."""
        name = self.after.name
        if not self:
            if self.has_unseen_change:
                return f"{name}: the modules of A and B differ, but no line of their texts"
            return f"{name}: A and B are the same"
        moved = f", {self.moved} elsewhere" if self.moved else ""
        return f"{name}: {self.removed} lines only in A, {self.added} only in B{moved}"


@dataclass(frozen=True)
class Difference:
    """Where two programs differ first: lines, or a pass that changes one of them."""

    pair: StepPair
    rows: Sequence[DiffRow]
    """The first lines that differ, and those around them."""

    @property
    def summary(self) -> str:
        """One line."""
        pair = self.pair
        if not self.rows:
            return f"differs first at {pair.name} ({pair.stage}): {pair.status}"
        after = "as read" if pair.name == "read" else f"after {pair.name}"
        return f"differs first {after} ({pair.stage})"

    def __str__(self) -> str:
        signs = {"gone": "A", "new": "B", "from": "A", "to": "B"}
        lines = [
            f"  {signs.get(row.kind, ' ')} {row.text.strip()[:160]}"
            for row in self.rows
            if row.kind != "fold"
        ]
        return "\n".join((self.summary, *lines[:MOST_LINES]))


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """
    Two programs side by side.

        c = tileiras_xdsl.compare(a, b)
        c.first                   the pass after which they differ first, and how
        c.diff("tileas")          what differs at a stage, after a pass, in "ptx"
        c.table                   resources and cost
        c.save("compare.html")    a page
    """

    a: Exploration = field(repr=False)
    b: Exploration = field(repr=False)

    @property
    def titles(self) -> tuple[str, str]:
        """What A and B are called; by what differs, if their programs are called the same."""
        return _title(self.a), _title(self.b)

    @property
    def _texts(self) -> Mapping[str, str]:
        """The code that both have, with the attribute of `Texts` that has it."""
        return dict(self.a.TEXTS.items() & self.b.TEXTS.items())

    @cached_property
    def pairs(self) -> tuple[StepPair, ...]:
        """The steps of both, aligned."""
        return tuple(_align(self.a.steps, self.b.steps))

    @cached_property
    def is_same_program(self) -> bool:
        """Whether both began with the same module, so that ops have the same marks."""
        first, other = self.a.steps[0], self.b.steps[0]
        return first.snapshot.module.is_structurally_equivalent(other.snapshot.module)

    @cached_property
    def first(self) -> Difference | None:
        """Where they differ first; none if they never do."""
        for pair in self.pairs:
            if pair.a is None or pair.b is None:
                alone = pair.a or pair.b
                if alone is not None and alone.changed:
                    return Difference(pair, ())
            elif not pair.is_same and not pair.differs_in_target:
                diff = self._compare(pair.a, pair.b)
                rows, at = diff.shown, _find_change(diff)
                end = next((n for n in range(at, len(rows)) if rows[n].kind == "fold"), len(rows))
                return Difference(pair, rows[max(0, at - 1) : end])
        return None

    def diff(self, step: StepKey) -> Diff:
        """What differs at the end of a stage, after a pass, or in the texts that follow."""
        if isinstance(step, str) and step in self._texts:
            name = self._texts[step]
            return self._compare(*(getattr(each.texts, name) for each in (self.a, self.b)))
        found: list[PassStep] = []
        for side, exploration in zip(SIDES, (self.a, self.b), strict=True):
            try:
                found.append(exploration.step(step))
            except ExplorationError as error:
                raise ExplorationError(f"{side}: {error}") from None
        return self._compare(*found)

    def _compare(self, a: PassStep | MarkedText, b: PassStep | MarkedText) -> SideBySide:
        return SideBySide(a, b, has_same_marks=self.is_same_program)

    @cached_property
    def table(self) -> Table:
        """Resources and cost of both, kernel by kernel in their order."""
        columns: list[dict[str, str]] = []
        both = [each.resources() if each.is_complete else () for each in (self.a, self.b)]
        for kernels in both:
            cells: dict[str, str] = {}
            for at, kernel in enumerate(kernels):
                head = f"{kernel.kernel}: " if max(map(len, both)) > 1 else ""
                cells |= {f"{head}{name}": text for name, text in cells_of(kernel).items()}
                if not head and at == 0:
                    cells = {"kernel": kernel.kernel, **cells}
            columns.append(cells)
        rows = [(*row, _change(row[1], row[2])) for row in join_cells(columns)]
        return Table(("", *SIDES, "change"), rows)

    @property
    def steps(self) -> Table:
        """The passes that change something in one of them, with what differs after them."""
        rows: list[tuple[str, ...]] = []
        stage = ""
        for pair in self.pairs:
            both = (pair.a, pair.b)
            if not any(each is not None and each.changed for each in both):
                continue
            shown = pair.stage if pair.stage != stage else ""
            ops = (str(each.ops) if each is not None else "" for each in both)
            rows.append((f"{shown:10}{pair.name}", *ops, pair.status))
            stage = pair.stage
        return Table((f"{'stage':10}pass", "ops A", "ops B", "lines"), rows)

    def _head(self) -> Iterator[str]:
        for side, title, exploration in zip(SIDES, self.titles, (self.a, self.b), strict=True):
            yield f"{side}  {title}"
            if exploration.error is not None:
                yield f"   {exploration.error}"
        yield "A and B are the same after every pass" if self.first is None else str(self.first)

    def __str__(self) -> str:
        parts = ["\n".join(self._head()), str(self.steps)]
        if self.table.rows:
            parts.append(f"{self.table}\n{NOTE}")
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
            return str(self)
        colours = {"  A ": "31", "  B ": "32"}
        return "\n".join(
            f"\x1b[{colours[line[:4]]}m{line}\x1b[0m" if line[:4] in colours else line
            for line in str(self).splitlines()
        )

    def _repr_html_(self) -> str:
        """Cost, and what differs stage by stage, to be opened."""
        head = "".join(f"<div>{escape(line)}</div>" for line in "\n".join(self._head()).split("\n"))
        parts = [f'<div style="font-family:monospace;white-space:pre-wrap">{head}</div>']
        if self.table.rows:
            table = self.table._repr_html_()  # pyright: ignore[reportPrivateUsage]
            parts.append(f"{table}<p><small>{NOTE}</small></p>")
        for stage in (each for each in self.a.stages if each in self.b.stages):
            diff = self.diff(stage)
            shown = diff._repr_html_()  # pyright: ignore[reportPrivateUsage]
            summary = f"at the end of {stage}: {diff.summary}"
            parts.append(f"<details><summary>{escape(summary)}</summary>{shown}</details>")
        return "".join(parts)

    def to_data(self) -> dict[str, Any]:
        """All of it as lists, strings and numbers, for the page."""
        return make_data(self)

    @property
    def page(self) -> str:
        """A web page that needs nothing but itself."""
        return make_page(self.to_data())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        Path(path).write_text(self.page, encoding="utf-8")


def compare(
    a: Exploration | Compiled | Source, b: Exploration | Compiled | Source, **options: Any
) -> Comparison:
    """
    Two programs side by side: stages aligned by pass, what differs first, cost and resources.
    Explorations, what `compile` returned, or programs, which are explored with the options given:

        tx.compare("old.tileirbc", "new.tileirbc", gpu="sm_90")
        tx.compare(tx.explore(kernel, opt=1), tx.explore(kernel, opt=3))
    """
    if options and all(isinstance(each, Exploration | Compiled) for each in (a, b)):
        names = ", ".join(options)
        raise ExplorationError(f"both programs are compiled already, so {names} would change none")
    return Comparison(*(_as_exploration(each, options) for each in (a, b)))


def _find_change(diff: Diff) -> int:
    """
    Which of the lines shown is the first of an op that differs in more than the target, or of an
    alias if there is none.
    """
    changed = [row for row in diff.shown if row.kind not in ("same", "fold")]
    a, b = (
        {_without_target(row.text) for row in changed if row.kind == kind}
        for kind in ("gone", "new")
    )
    changed = [
        row
        for row in changed
        if not _TARGET.search(row.text) or _without_target(row.text) not in a & b
    ] or changed
    ops = {id(row) for row in _lines_of_ops(diff.rows)}
    first = next((row for row in changed if id(row) in ops), changed[0])
    return next(n for n, row in enumerate(diff.shown) if row is first)


def _lines_of_ops(rows: Sequence[DiffRow]) -> Iterator[DiffRow]:
    """Without the aliases, which both sides begin with."""
    begun = set[str]()
    for row in rows:
        sides = {"gone": "A", "from": "A", "new": "B", "to": "B"}.get(row.kind, "AB")
        if not row.text.startswith(" ") and not _ALIAS.match(row.text):
            begun.update(sides)
        if begun.issuperset(sides):
            yield row


def _as_exploration(given: Any, options: dict[str, Any]) -> Exploration:
    match given:
        case Exploration():
            return given
        case Compiled():
            return given.explore()
        case _:
            return explore(given, **options)


def _title(exploration: Exploration) -> str:
    options = exploration.options
    inserted = ", ".join(
        f"{name} {where}"
        for where, given in (exploration.plan.insert or {}).items()
        for name in _names(given)
    )
    text = exploration.headline
    text += f", {options.abi}" if options.abi != "device-maps" else ""
    return f"{text}, with {inserted}" if inserted else text


def _names(given: PassLike | Sequence[PassLike]) -> list[str]:
    return [
        each if isinstance(each, str) else str(getattr(each, "name", each))
        for each in as_list(given)
    ]


def _align(a: Sequence[PassStep], b: Sequence[PassStep]) -> Iterator[StepPair]:
    stages = (*MODULE_STAGES, *CPU_STAGES)
    keys = [[(step.stage, step.name) for step in each] for each in (a, b)]
    i = j = 0
    blocks = SequenceMatcher(None, *keys, autojunk=False).get_matching_blocks()
    for block in blocks:
        # By stages, where both have passes of their own.
        for step in sorted(
            (*a[i : block.a], *b[j : block.b]), key=lambda each: stages.index(each.stage)
        ):
            pair = (step, None) if step in a[i : block.a] else (None, step)
            yield StepPair(step.name, step.stage, *pair)
        for k in range(block.size):
            mine, theirs = a[block.a + k], b[block.b + k]
            yield StepPair(mine.name, mine.stage, mine, theirs)
        i, j = block.a + block.size, block.b + block.size


def _change(a: str, b: str) -> str:
    """How a number differs from another."""
    try:
        x, y = (float(each.replace(",", "").rstrip("%")) for each in (a, b))
    except ValueError:
        return "" if a == b else "≠"
    if x == y:
        return ""
    if a.endswith("%"):
        return f"{y - x:+.0f}"
    if not x:
        return f"{y - x:+,.0f}"
    return f"×{y / x:.3g}" if y >= 2 * x else f"{(y - x) / x:+.1%}"


# A comparison as lists, strings and numbers, which JSON can hold, and as a web page made of it.
#
#     {"titles": [str, str],
#      "first": str,                          where they differ first
#      "cost": {"head": [str, …], "rows": [[str, …], …], "note": str},
#      "strings": [str, …],                   all lines, each once
#      "documents": [[number of a string, …], …],
#      "pairs": [{"name", "stage", "status", "is_step",
#                 "a": {"ops", "document": number} or None, "b": …}, …]}


SCRIPTS: Final = (
    "unpack.js",
    "diff.js",
    "highlight.js",
    "list.js",
    "folding.js",
    "compare.js",
)
"""In the order in which they use each other."""
STYLES: Final = ("report.css", "compare.css")


def make_data(comparison: Comparison) -> dict[str, Any]:
    """See above."""
    strings, documents = Strings(), dict[tuple[int, ...], int]()

    def add(step: PassStep | MarkedText | None, ops: int | None = None) -> dict[str, Any] | None:
        if step is None:
            return None
        lines = tuple(strings.add(step.lines))
        return {"ops": ops, "document": documents.setdefault(lines, len(documents))}

    pairs: list[dict[str, Any]] = []
    for pair in comparison.pairs:
        head = {"name": pair.name, "stage": pair.stage, "status": pair.status, "is_step": True}
        ops = [None if each is None else each.ops for each in (pair.a, pair.b)]
        pairs.append({**head, "a": add(pair.a, ops[0]), "b": add(pair.b, ops[1])})
    for name in (each for each in comparison.a.TEXTS if each in comparison.b.TEXTS):
        if name == "sass":
            # Registers and addresses differ everywhere.
            continue
        try:
            both = [getattr(each.texts, each.TEXTS[name]) for each in (comparison.a, comparison.b)]
        except (DiagnosticException, ValueError):
            continue
        keys = [number_names(text.lines) for text in both]
        head = {"name": name, "stage": name, "is_step": False}
        head["status"] = "same" if keys[0] == keys[1] else "differs"
        pairs.append({**head, "a": add(both[0]), "b": add(both[1])})
    table, first = comparison.table, comparison.first
    return {
        "titles": list(comparison.titles),
        "first": "A and B are the same after every pass" if first is None else first.summary,
        "cost": {
            "head": list(table.head),
            "rows": [list(row) for row in table.rows],
            "note": NOTE,
        },
        "pairs": pairs,
        "documents": [list(lines) for lines in documents],
        "strings": strings.all(),
    }


def make_page(data: Mapping[str, Any]) -> str:
    """The text of the web page of a comparison."""
    packed = {
        **data,
        "strings": "\n".join(data["strings"]),
        "documents": [differences(lines) for lines in data["documents"]],
    }
    text = json.dumps(packed, ensure_ascii=False, separators=(",", ":"))
    title = escape(f"{data['titles'][0]} beside {data['titles'][1]}")
    body = b64encode(zlib.compress(text.encode(), 6)).decode()
    return fill_page("compare.html", title, body, SCRIPTS, STYLES)
