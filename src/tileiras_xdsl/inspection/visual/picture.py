"""
Pictures, and the canvas that they are drawn on.

A picture is SVG text with a form in words. All colours are variables of the stylesheet, with one
set for light and one for dark; a page that lets its reader choose says so by the attribute
`data-theme` of an element around the picture, or as Jupyter does. Rules apply inside of pictures
only, so that many of them can be part of one page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.nv_tileas.layout import with_layout

MarksOf = Callable[[Operation], Sequence[int]]
"""The numbers that tell where an op comes from."""

CHARACTER: Final = 6.7
"""The width of a character in pixels."""
SMALL_CHARACTER: Final = 5.5
"""Of the class `small`."""
LINE: Final = 15
"""The height of a line of text."""
MARGIN: Final = 12
HUES: Final = 8
TONES: Final = 4


@dataclass(frozen=True)
class Picture:
    """Something to look at: notebooks show the SVG, terminals the text."""

    title: str
    kind: str
    """
    `layout`, `shared`, `tensor-memory`, `tokens`, `schedule`, `profile`, `memory`,
    `control-flow` or `roofline`.
    """
    svg: str
    text: str
    marks: tuple[int, ...] = ()
    """The numbers of all ops that are in it."""

    def __str__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Writes the SVG to a file."""
        Path(path).write_text(self.svg, encoding="utf-8")


class Pictures(list[Picture]):
    """Pictures that are shown together, or where there are some instead."""

    def __init__(self, pictures: Iterable[Picture] = (), elsewhere: Sequence[str] = ()):
        super().__init__(pictures)
        self.elsewhere = tuple(elsewhere)
        """Names of passes that have pictures."""

    @property
    def _none(self) -> str:
        found = ", ".join(self.elsewhere)
        return f"no pictures; there are some after {found}" if found else "no pictures"

    def __str__(self) -> str:
        texts = (
            each.text if each.text.startswith(each.title) else f"{each.title}\n{each.text}"
            for each in self
        )
        return "\n\n".join(texts) or self._none

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        figures = (
            f'<figure style="overflow-x:auto">{each.svg}<figcaption>{escape(each.title)}'
            "</figcaption></figure>"
            for each in self
        )
        return "".join(figures) or f"<p>{escape(self._none)}</p>"


def no_marks(op: Operation) -> Sequence[int]:
    """Marks of modules that have none."""
    return ()


_LIGHT: Final = (
    "--paper:#fff;--ink:#1b1f24;--dim:#59636e;--rule:#c4cbd3;--strong:#1b1f24;--box:#f3f5f8;"
    "--shade:#e6eaf0;--accent:#0b5fce;--warm:#b3470b;--saturation:62%;--tone:72%;--gap:6%"
)
_DARK: Final = (
    "--paper:#12161c;--ink:#e8ecf1;--dim:#a0abb8;--rule:#4a5462;--strong:#f2f5f8;--box:#1c232c;"
    "--shade:#283240;--accent:#7db5ff;--warm:#ffab78;--saturation:42%;--tone:22%;--gap:4.5%"
)
_FILL: Final = "hsl(var(--hue) var(--saturation) calc(var(--tone) + var(--step)))"

STYLE: Final = "\n".join(
    (
        f".tx-picture{{{_LIGHT};background:var(--paper);"
        "font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}",
        f"@media (prefers-color-scheme: dark){{.tx-picture{{{_DARK}}}}}",
        f'[data-theme="light"] .tx-picture,[data-jp-theme-light="true"] .tx-picture{{{_LIGHT}}}',
        f'[data-theme="dark"] .tx-picture,[data-jp-theme-light="false"] .tx-picture{{{_DARK}}}',
        ".tx-picture text{fill:var(--ink);stroke:none}",
        ".tx-picture text.m{text-anchor:middle}",
        ".tx-picture text.e{text-anchor:end}",
        ".tx-picture text.dim{fill:var(--dim)}",
        ".tx-picture text.head{font-size:13px;font-weight:600}",
        ".tx-picture text.small{font-size:9px}",
        ".tx-picture text.accent{fill:var(--accent)}",
        ".tx-picture .box{fill:var(--box);stroke:var(--rule)}",
        ".tx-picture .frame{fill:none;stroke:var(--rule)}",
        ".tx-picture .shade{fill:var(--shade);stroke:var(--rule)}",
        ".tx-picture .rule{fill:none;stroke:var(--rule)}",
        ".tx-picture .strong{fill:none;stroke:var(--strong);stroke-width:2}",
        ".tx-picture .window{fill:none;stroke:var(--accent);stroke-width:2;stroke-dasharray:5 3}",
        ".tx-picture .edge{fill:none;stroke:var(--dim);stroke-width:1.3}",
        ".tx-picture .back{fill:none;stroke:var(--warm);stroke-width:1.3;stroke-dasharray:5 3}",
        ".tx-picture .tip{fill:var(--dim)}",
        ".tx-picture .backtip{fill:var(--warm)}",
        f".tx-picture .c{{--step:0%;fill:{_FILL};stroke:var(--paper)}}",
        *(f".tx-picture .h{n}{{--hue:{(210 + 45 * n) % 360}}}" for n in range(HUES)),
        *(f".tx-picture .s{n}{{--step:calc({n} * var(--gap))}}" for n in range(1, TONES)),
        ".tx-picture g:hover>.c,.tx-picture g:hover>.box{stroke:var(--strong);stroke-width:2}",
    )
)


def colour(number: int) -> str:
    """The classes of the fill of a number, different for numbers up to 32."""
    tone = number // HUES % TONES
    return f"c h{number % HUES}" + (f" s{tone}" if tone else "")


def character_width(kind: str) -> float:
    """The width of a character of text of some classes of the stylesheet."""
    return SMALL_CHARACTER if "small" in kind.split() else CHARACTER


def fit(text: str, width: float, kind: str = "") -> str:
    """As much of a text of some classes as fits into a width."""
    room = max(0, int(width / character_width(kind)))
    return text if len(text) <= room else text[: max(0, room - 1)] + "…"


def plural(count: int, noun: str) -> str:
    """`1 lane`, `2 lanes`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


@dataclass
class Canvas:
    """SVG in the making; it grows to hold all that is drawn."""

    width: float = 0
    height: float = 0
    marks: set[int] = field(default_factory=set[int])
    _lines: list[str] = field(default_factory=list[str])

    def _grow(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)

    def rectangle(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """A rectangle of a class of the stylesheet."""
        self._grow(x + width, y + height)
        corner, across, down = f"M{_number(x)} {_number(y)}", _number(width), _number(height)
        self._lines.append(f'<path class="{kind}" d="{corner}h{across}v{down}h-{across}z"/>')

    def line(self, kind: str, *points: tuple[float, float]) -> None:
        """Straight lines from point to point."""
        for x, y in points:
            self._grow(x, y)
        path = "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
        self._lines.append(f'<path class="{kind}" d="M{path}"/>')

    def curve(self, kind: str, *points: tuple[float, float]) -> None:
        """A cubic curve: a point, and three more for each piece."""
        for x, y in points:
            self._grow(x, y)
        path = "C".join(
            " ".join(f"{_number(x)} {_number(y)}" for x, y in part)
            for part in (points[:1], points[1:])
        )
        self._lines.append(f'<path class="{kind}" d="M{path}"/>')

    def triangle(self, kind: str, *points: tuple[float, float]) -> None:
        """The head of an arrow."""
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._lines.append(f'<polygon class="{kind}" points="{path}"/>')

    def head(self, title: str) -> float:
        """A title at the top; where its base line is."""
        y = MARGIN + 12.0
        self.text(MARGIN, y, title, "head")
        return y

    def notes(self, lines: Iterable[str], y: float) -> None:
        """Lines below each other, at the left."""
        for line in lines:
            y += LINE
            self.text(MARGIN, y, line, "dim")

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        """Text whose base line is at `y`."""
        width = len(text) * character_width(kind)
        self._grow(x + width * {"start": 1, "middle": 0.5, "end": 0}[anchor], y + 4)
        kinds = " ".join(filter(None, (kind, {"start": "", "middle": "m", "end": "e"}[anchor])))
        kinds = f' class="{kinds}"' if kinds else ""
        self._lines.append(
            f'<text{kinds} x="{_number(x)}" y="{_number(y)}">{escape(text, quote=False)}</text>'
        )

    @contextmanager
    def group(self, tip: str, marks: Sequence[int] = ()) -> Generator[None]:
        """Things that one tooltip explains, and that come from some ops."""
        self.marks.update(marks)
        data = f' data-marks="{" ".join(map(str, marks))}"' if marks else ""
        self._lines.append(f"<g{data}><title>{escape(tip, quote=False)}</title>")
        yield
        self._lines.append("</g>")

    def finish(self, title: str, kind: str, text: str) -> Picture:
        """The picture."""
        width, height = int(self.width + MARGIN + 1), int(self.height + MARGIN + 1)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tx-picture" role="img" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        )
        name = f"<title>{escape(title, quote=False)}</title>"
        svg = "\n".join((head, name, f"<style>{STYLE}</style>", *self._lines, "</svg>", ""))
        return Picture(title, kind, svg, text, tuple(sorted(self.marks)))


# Short words for ops and values, as labels and tooltips of pictures.


FUNCTIONS: Final = frozenset({"cuda_tile.entry", "gpu.func", "func.func", "llvm.func"})
LOOPS: Final = frozenset({"cuda_tile.for", "cuda_tile.loop", "scf.for", "scf.while"})
BRANCHES: Final = frozenset({"cuda_tile.if", "scf.if", "scf.index_switch"})
AGENTS: Final = frozenset({"nv_tileas.async.pipeline.agent_switch", "nv_tileaa.execute"})
TERMINATORS: Final = frozenset(
    {
        *("cuda_tile.yield", "cuda_tile.continue", "cuda_tile.break", "cuda_tile.return"),
        *("scf.yield", "scf.condition", "gpu.return", "func.return"),
        *("nv_tileaa.yield", "nv_tileas.async.pipeline.yield"),
    }
)

HIDDEN: Final = frozenset(TERMINATORS - {"cuda_tile.continue", "cuda_tile.break"})
"""Terminators that every region has."""
TELLING: Final = (
    *("load", "store", "atomic", "dot", "mma", "cp.async", "reduce", "scan", "shuffle", "print"),
    *("barrier", "bar.", "fence", "wait", "acquire", "write", "commit", "read", "release"),
    *("convert_layout", "alloc", "copy", "call", "exp", "matrix"),
)
"""Parts of op names that say what a piece of code does."""


def functions(module: Operation) -> Iterator[Operation]:
    """The functions of a module that have a body; a function itself."""
    for op in module.walk():
        if op.name in FUNCTIONS and any(region.blocks for region in op.regions):
            yield op


def symbol(op: Operation) -> str:
    """The name of a function."""
    name = op.properties.get("sym_name") or op.attributes.get("sym_name")
    return name.data if isinstance(name, StringAttr) else op.name


def title_of(what: str, module: Operation) -> str:
    """The title of a picture of some kernels."""
    names = ", ".join(map(symbol, functions(module)))
    return f"{what} of {names}" if names else what


def short_name(op: Operation) -> str:
    """The name of an op without its dialect."""
    return op.name.partition(".")[2].removeprefix("async.pipeline.") or op.name


def constant_of(value: SSAValue) -> int | None:
    """The value of an integer constant."""
    owner = value.owner
    if not isinstance(owner, Operation) or not owner.name.endswith(".constant"):
        return None
    found = owner.properties.get("value", owner.attributes.get("value"))
    if isinstance(found, IntegerAttr):
        return found.value.data
    if isinstance(found, DenseElementsAttr):
        number = found.get_splat_value()
        return number if isinstance(number, int) else None
    return None


def value_name(value: SSAValue) -> str:
    """`%x`, the value of a constant, or `…` without a name."""
    number = constant_of(value)
    if number is not None:
        return str(number)
    if isinstance(value.owner, Operation) and value.owner.name == "cuda_tile.constant":
        return "constant"  # Its name depends on what was printed before.
    return f"%{value.name_hint}" if value.name_hint else "…"


def type_name(ty: Attribute) -> str:
    """A type without layouts."""
    if isinstance(ty, TensorType):
        return str(with_layout(ty, None))
    text = str(ty)
    return text if len(text) <= 40 else f"{text[:39]}…"


def describe(op: Operation) -> str:
    """An op in a line, without attributes: `%s = nv_tileaa.addf %a, %b : tensor<8xf32>`."""
    results = ", ".join(map(value_name, op.results)) + " = " if op.results else ""
    operands = ", ".join(map(value_name, op.operands))
    types = f" : {', '.join(type_name(each) for each in op.result_types)}" if op.results else ""
    text = f"{results}{op.name} {operands}".rstrip() + types
    return text if len(text) <= 160 else f"{text[:159]}…"


def header(op: Operation) -> str:
    """The head of a loop or branch: `for %x = 0 to %n step 1`."""
    names = [value_name(value) for value in op.operands]
    match op.name:
        case "cuda_tile.for" | "scf.for":
            variable = value_name(op.regions[0].blocks[0].args[0])
            return f"for {variable} = {names[0]} to {names[1]} step {names[2]}"
        case "scf.while":
            return "while"
        case "cuda_tile.loop":
            return "loop"
        case "scf.index_switch":
            return f"switch {names[0]}"
        case _ if op.name in BRANCHES:
            return f"if {names[0]}"
        case _ if op.name in AGENTS:
            return "agents"
        case _ if op.name in FUNCTIONS:
            return symbol(op)
        case _:
            return short_name(op)


def region_name(op: Operation, index: int) -> str:
    """The label of a region of an op that has several."""
    if isinstance(op, scf.IndexSwitchOp):
        return "default" if index == 0 else f"case {op.cases.get_values()[index - 1]}"
    if op.name in BRANCHES:
        return ("then", "else")[index]
    if op.name == "scf.while":
        return ("condition", "body")[index]
    if op.name in AGENTS:
        warps = op.properties.get("num_warps")
        counts = [int(each) for each in getattr(warps, "get_values", tuple)()]
        count = f": {counts[index]} warp{'s' if counts[index] != 1 else ''}" if counts else ""
        names = op.attributes.get("nv_tileas.agents")
        name = names.data[index] if isinstance(names, ArrayAttr) else None
        is_named = isinstance(name, StringAttr)
        return f"{name.data} agent{count}" if is_named else f"agent {index}{count}"
    return f"region {index}"


def tally(ops: Iterable[Operation], limit: int) -> str:
    """`load ×2, dot, …`: names of ops with how often they occur; what costs most comes first."""
    counts = Counter(short_name(op) for op in ops)
    names = sorted(counts, key=lambda name: not any(word in name for word in TELLING))
    counts = {name: counts[name] for name in names}
    parts = [name if count == 1 else f"{name} ×{count}" for name, count in counts.items()]
    return ", ".join(parts[:limit]) + (", …" if len(parts) > limit else "")
