"""
All rules, and what is known of each: the table in docs/reference/proofs.md.

    python -m tests.pytest.proofs [--write] [PART…]

Parts are `canonicalization`, `axis`, `views`, `lowering`, `loops`, `atomics` and `floats`. All of
them take minutes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import process_time

from tileiras_xdsl.analysis.privatization import IDENTITIES

from . import axis_rules, canonicalization, float_rules, loops, lowering, views
from .identities import prove_identity
from .programs import WIDTHS, own_programs
from .smt import Verdict

DOCS = Path(__file__).parents[3] / "docs" / "reference" / "proofs.md"
START = "<!-- rules -->"


@dataclass
class Row:
    """What is known of a rule."""

    part: str
    rule: str
    answers: Counter[str] = field(default_factory=Counter[str])
    widths: dict[str, None] = field(default_factory=dict[str, None])
    seconds: float = 0.0
    note: str = ""

    def add(self, answer: str, width: str, seconds: float) -> None:
        self.answers[answer] += 1
        self.seconds += seconds
        if answer in ("proven", "exhausted") and width:
            self.widths.update(dict.fromkeys(width.split(", ")))

    @property
    def status(self) -> str:
        """Proven, tried for all values of few bits, or neither for some of the cases."""
        if self.answers["refuted"]:
            return "**wrong**"
        kinds: list[str] = []
        if self.answers["proven"]:
            kinds.append("proven")
        if self.answers["exhausted"]:
            kinds.append("exhaustive")
        if self.answers["unknown"]:
            kinds.append("bounded")
        return ", ".join(kinds) or self.note

    def text(self) -> str:
        counts = [
            f"{count} {word}"
            for word, count in (
                ("", self.answers["proven"] + self.answers["exhausted"]),
                ("open", self.answers["unknown"]),
            )
            if count
        ]
        widths = ", ".join(self.widths)
        cases = ", ".join(each.strip() for each in counts)
        cells = (f"`{self.rule}`", widths, self.status, cases, f"{self.seconds:.1f}", self.note)
        return f"| {' | '.join(cells)} |"


class Table:
    """Rows by part and rule."""

    def __init__(self):
        self.rows: dict[tuple[str, str], Row] = {}

    def row(self, part: str, rule: str) -> Row:
        return self.rows.setdefault((part, rule), Row(part, rule))


def add_canonicalization(table: Table) -> None:
    part = "canonicalization"
    for rule in canonicalization.find_rules():
        table.row(part, rule).note = canonicalization.BY_REQUIREMENT.get(rule, "")
    last = process_time()
    for program, step in canonicalization.steps_of(own_programs(WIDTHS), timeout=10.0):
        now = process_time()
        if step.rule in canonicalization.find_rules() and step.verdict is not None:
            answer = step.verdict.answer
            if answer != "proven" and step.rule in canonicalization.BY_REQUIREMENT:
                answer = "meant"
            table.row(part, step.rule).add(answer, program.width, now - last)
        last = now


def add_axis(table: Table) -> None:
    part = "axis info"
    for rule in axis_rules.find_rules():
        row = table.row(part, rule)
        row.note = axis_rules.TRIVIAL.get(rule, "")
        for width in axis_rules.WIDTHS if rule in axis_rules.TEMPLATES else ():
            for case in axis_rules.cases_of(rule, width):
                verdict = axis_rules.prove_rule(case, None, 0, 2.0)
                row.add(verdict.answer, width, verdict.seconds)
    for case in axis_rules.small_cases():
        verdict = axis_rules.exhaust_rule(case)
        answer = "exhausted" if verdict.answer == "proven" else verdict.answer
        table.row(part, case.name).add(answer, case.width, verdict.seconds)


def add_views(table: Table) -> None:
    random = Random(0)
    row = table.row("views", "vectors, alignment and bounds of tiles")
    for _ in range(100):
        verdict = views.prove_view(views.draw_case(random))
        row.add(verdict.answer, "i64", verdict.seconds)


def add_lowering(table: Table) -> None:
    for case in (*lowering.cases(), *lowering.constant_divisions()):
        verdict = lowering.prove_lowering(case, "nvvm", 3.0)
        is_small = verdict.answer == "proven" and lowering.is_exhausted(case)
        answer = "exhausted" if is_small else verdict.answer
        row = table.row("lowering to nvvm", case.rule)
        row.add(answer, case.width, verdict.seconds)


def add_loops(table: Table) -> None:
    part = "loops"

    def add(rule: str, verdict: Verdict | None, width: str, *, is_small: bool = False) -> None:
        if verdict is not None:
            answer = "exhausted" if is_small and verdict.answer == "proven" else verdict.answer
            table.row(part, rule).add(answer, width, verdict.seconds)

    for split in loops.split_cases():
        verdict = loops.prove_split(split, 3.0)
        name = "loop-split" if split.step == "1" else "loop-split, other steps than one"
        add(name, verdict, split.width, is_small=split.step == "?")
    for loop in loops.while_cases(400, 11):
        add("uplift-while-to-for", loops.prove_uplift(loop, 6.0), loop.width)
    for derived in loops.derived_cases():
        add("simplify-loops", loops.prove_derived(derived, 6.0), derived.width)


def add_atomics(table: Table) -> None:
    for mode in IDENTITIES:
        verdict = prove_identity(mode)
        table.row("atomics", f"identity of {mode}").add(verdict.answer, "i32", verdict.seconds)


def add_floats(table: Table) -> None:
    part = "floats"
    for name, rule in (("fpAdd", "sums commute"), ("fpMul", "products commute")):
        row = table.row(part, rule)
        for sort, width in (((4, 4), "f8"), ((5, 11), "f16")):
            verdict = float_rules.prove_commutes(name, sort, is_flushed=False)
            row.add(verdict.answer, width, verdict.seconds)
        for dtype in float_rules.SMALL_FLOATS:
            answer = "exhausted" if float_rules.exhaust_commutes(dtype) else "refuted"
            row.add(answer, dtype.__name__, 0.0)
    for mode in float_rules.MODES:
        for step in float_rules.fused_steps(mode):
            if step.verdict is not None and step.rule == "FuseMultiplication":
                row = table.row(part, "FuseMultiplication")
                row.note = "but for the rounding of the product, which it is for"
                row.add(step.verdict.answer, "any", step.verdict.seconds)


PARTS: dict[str, Callable[[Table], None]] = {
    "canonicalization": add_canonicalization,
    "axis": add_axis,
    "views": add_views,
    "lowering": add_lowering,
    "loops": add_loops,
    "atomics": add_atomics,
    "floats": add_floats,
}


def make_table(parts: Iterable[str]) -> Table:
    """Proves all rules of some parts."""
    table = Table()
    for part in parts:
        PARTS[part](table)
    return table


def format_table(table: Table) -> str:
    """The table as text, a section for each part."""
    sections: dict[str, list[Row]] = defaultdict(list)
    for row in table.rows.values():
        sections[row.part].append(row)
    parts: list[str] = []
    for name, rows in sections.items():
        parts.append(f"### {name[0].upper()}{name[1:]}\n")
        parts.append(
            "| Rule | Types | Result | Cases | CPU s | |\n| --- | --- | --- | --- | --- | --- |"
        )
        parts += [row.text() for row in rows]
        parts.append("")
    answers = sum((row.answers for row in table.rows.values()), Counter[str]())
    statuses = Counter(row.status for row in table.rows.values())
    known = sum(count for status, count in statuses.items() if status.startswith(("prov", "exh")))
    total = (
        f"{len(table.rows)} rules, {known} of them proven or tried for all values; "
        f"{answers['proven']} proofs, {answers['exhausted']} exhaustive checks, "
        f"{answers['unknown']} questions that the solver left open, {answers['refuted']} wrong.\n"
    )
    return "\n".join([total, *parts])


def known_rules() -> set[str]:
    """The rules that have to be in the table, found without proving any."""
    return {
        *canonicalization.find_rules(),
        *axis_rules.find_rules(),
        *(case.rule for case in lowering.cases(("i8",))),
        *(case.rule for case in lowering.constant_divisions(("i8",))),
        *(f"identity of {mode}" for mode in IDENTITIES),
        *("loop-split", "uplift-while-to-for", "simplify-loops", "FuseMultiplication"),
    }
