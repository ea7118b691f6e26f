"""Lines of the IR: where something occurs, and what other passes made of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import Final, overload

from xdsl.ir import Operation

from tileiras_xdsl.xdsl_extras.reading import hide_types

from .provenance import Marks
from .steps import PassStep
from .texts import MarkedText

# How much of a kernel's time ops and instructions are likely to stand for, as far as their names
# say it: what an op was lowered to is shown with the heaviest first.


WEIGHTS: Final = tuple(
    (re.compile(pattern), weight)
    for pattern, weight in (
        # Bookkeeping of what follows, which has similar names.
        (r"descriptor|fence|commit|\bwait|wait_|_wait|try_wait|create|init|_pipeline\.|alloc", 2),
        (r"mma|\bdot\b|[.]dot|scaled_dot|\bQMMA|HGMMA|UTC.?MMA|HMMA|IMMA", 9),
        (
            r"tma\.|bulk\.tensor|tiled_load|tiled_store|view_tko|UTMA|tensor_memory_|tcgen05\.(ld|st)",
            8,
        ),
        (r"cp\.async|ldmatrix|stmatrix|fragment|LDSM|STSM|LDGSTS", 7),
        (r"atomic|\bred\b|RED|ATOM", 7),
        (r"reduce|scan|shfl|SHFL|shuffle", 6),
        (r"load|store|\bld\b|\bst\b|ld\.|st\.|LDG|STG|LDS|STS", 6),
        (r"exp|log|sin|cos|tanh|sqrt|div|rem|MUFU", 5),
        (r"fma|mulf|addf|subf|max|min|FFMA|FMUL|FADD|fp_to|convert_layout", 4),
        (r"barrier|mbarrier|bar\.|BAR|SYNCS", 3),
        (r"constant|cast|extract|insert|mov|MOV|undef|poison|yield|return|branch|\bbr\b", 0),
    )
)
"""The first pattern that a name has decides; the page has the same ones."""
OTHERS: Final = 1


@lru_cache(maxsize=4096)
def weight_of_name(name: str) -> int:
    """The weight of an op or instruction of a name, from 0 to 9."""
    return next((weight for pattern, weight in WEIGHTS if pattern.search(name)), OTHERS)


def weight_of(op: Operation) -> int:
    """The weight of an op; of one with regions, which others stand for, 1."""
    has_body = any(region.blocks for region in op.regions)
    return OTHERS if has_body else weight_of_name(op.name)


WIDTH: Final = 110
"""Characters of a line that are shown."""
_INSTRUCTION: Final = re.compile(r"(?:/\*\w+\*/\s*)?(?:%\S+ = )?(?:@!?\S+\s+)?(\S+)")
"""The name of the instruction of a line, behind its address, result or predicate."""
MOST_ORIGINS: Final = 4
MOST_KINDS: Final = 5


@dataclass(frozen=True)
class IrLine:
    """A line of the IR after a pass, or of what comes after the last one."""

    step: PassStep | MarkedText = field(repr=False)
    line: int
    """From 1."""

    @property
    def text(self) -> str:
        """The line without indentation."""
        return self.step.lines[self.line - 1].strip()

    @property
    def ops(self) -> tuple[Operation, ...]:
        """The ops that begin on the line; none of them may be changed."""
        if isinstance(self.step, MarkedText):
            return ()
        return self.step.snapshot.listing.ops.get(self.line - 1, ())

    @property
    def op(self) -> Operation | None:
        """The op that begins on the line, if there is one."""
        return self.ops[0] if self.ops else None

    @property
    def marks(self) -> Marks:
        """Which ops of the first module the line came from."""
        return self.step.marks[self.line - 1]

    @property
    def weight(self) -> int:
        """How heavy its heaviest op is, see `WEIGHTS`."""
        if isinstance(self.step, MarkedText):
            found = _INSTRUCTION.match(self.text)
            return 0 if found is None else weight_of_name(found[1])
        return max(map(weight_of, self.ops), default=0)

    def __str__(self) -> str:
        if isinstance(self.step, MarkedText):
            return f"{self.step.name:44} {self.line:5}  {shorten(self.text)}"
        return f"{self.step.stage:9} {self.step.name:34} {self.line:5}  {shorten(self.text)}"


def shorten(text: str) -> str:
    """As much of a line as is shown: of a long one, no types."""
    if len(text) > WIDTH:
        text = hide_types(text)
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


class IrLines(Sequence[IrLine]):
    """Lines of the IR; as a string, a line for each."""

    def __init__(self, places: Iterable[IrLine]):
        self._places = tuple(places)

    @overload
    def __getitem__(self, index: int) -> IrLine: ...
    @overload
    def __getitem__(self, index: slice) -> IrLines: ...
    def __getitem__(self, index: int | slice) -> IrLine | IrLines:
        if isinstance(index, slice):
            return IrLines(self._places[index])
        return self._places[index]

    def __len__(self) -> int:
        return len(self._places)

    def by_weight(self) -> IrLines:
        """The same lines, the heaviest first."""
        return IrLines(sorted(self._places, key=lambda place: -place.weight))

    @property
    def summary(self) -> str:
        """How many lines there are of each kind of op, the heaviest first."""
        kinds = Counter(place.op.name for place in self._places if place.op is not None)
        names = sorted(kinds, key=lambda name: (-weight_of_name(name), -kinds[name]))
        shown = [f"{kinds[name]} {name}" for name in names[:MOST_KINDS]]
        if len(names) > MOST_KINDS:
            rest = sum(kinds[name] for name in names[MOST_KINDS:])
            shown.append("1 other" if rest == 1 else f"{rest} others")
        return ", ".join(shown) or "nothing"

    def __repr__(self) -> str:
        return "\n".join(map(str, self._places)) or "nowhere"


def search_steps(steps: Iterable[PassStep], wanted: str | re.Pattern[str]) -> Iterator[IrLine]:
    """The lines with a text, whatever the case of its letters, or a match of a pattern."""
    pattern = wanted
    if isinstance(pattern, str):
        pattern = re.compile(re.escape(pattern), re.IGNORECASE)
    for step in steps:
        for number, line in enumerate(step.lines, 1):
            if pattern.search(line):
                yield IrLine(step, number)


def places_of_marks(step: PassStep, marks: Iterable[int]) -> Iterator[IrLine]:
    """The lines of a step that came from ops of the first module."""
    lines = step.snapshot.listing.lines_of_marks
    numbers = {line for mark in marks for line in lines.get(mark, ())}
    return (IrLine(step, line + 1) for line in sorted(numbers))


def places_in_text(text: MarkedText, marks: Iterable[int]) -> Iterator[IrLine]:
    """The same of LLVM IR, PTX or machine code."""
    wanted = set(marks)
    for number, found in enumerate(text.marks, 1):
        if wanted.intersection(found):
            yield IrLine(text, number)


@dataclass(frozen=True)
class Provenance:
    """
    Where something came from, and what became of it. As a string, for each stage what there is of
    each kind, and the heaviest line; `full` has all lines.
    """

    marks: Marks
    origins: IrLines
    """In the first module."""
    became: dict[str, IrLines]
    """In the last module of each stage."""
    gone: PassStep | None
    """The pass that removed it, if one did."""

    @property
    def full(self) -> str:
        """All lines."""
        parts = ["came from", *map(str, self.origins)]
        for stage, places in self.became.items():
            parts += [f"in {stage}", *map(str, places)]
        return "\n".join((*parts, *self._end()))

    def _end(self) -> Iterator[str]:
        if self.gone is not None:
            yield f"removed by {self.gone.name}"

    def __str__(self) -> str:
        parts = ["came from"]
        heaviest = self.origins.by_weight()
        parts += [f"  {shorten(line.text)}" for line in heaviest[:MOST_ORIGINS]]
        if len(heaviest) > MOST_ORIGINS:
            parts.append(f"  … {len(heaviest) - MOST_ORIGINS} more")
        for stage, places in self.became.items():
            parts.append(f"in {stage}: {places.summary}")
            if places:
                first = places.by_weight()[0]
                parts.append(f"  {first.line:5}  {shorten(first.text)}")
        return "\n".join((*parts, *self._end()))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """The same, to be opened stage by stage."""
        style = "white-space:pre;overflow-x:auto;margin:0"
        parts = [
            f'<p>came from</p><pre style="{style}">{escape(repr(self.origins.by_weight()))}</pre>'
        ]
        for stage, places in self.became.items():
            parts.append(
                f"<details><summary>in {stage}: {escape(places.summary)}</summary>"
                f'<pre style="{style}">{escape(repr(places.by_weight()))}</pre></details>'
            )
        return "".join((*parts, *(f"<p>{escape(text)}</p>" for text in self._end())))
