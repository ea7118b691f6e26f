"""
Pictures, and the canvas that they are drawn on.

A picture is SVG text with a form in words. All colours are variables of the stylesheet, with one
set for light and one for dark; a page that lets its reader choose says so by the attribute
`data-theme` of an element around the picture, or as Jupyter does. Rules apply inside of pictures
only, so that many of them can be part of one page.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Final

from xdsl.ir import Operation

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
