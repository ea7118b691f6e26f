"""
IR as a person reads it: without types, with long signatures, assumptions and aliases folded away,
wrapped.

    ⋯ 7 aliases
    builtin.module {
      cuda_tile.module @kernels {
        cuda_tile.entry @gemm(⋯ 21 parameters) {
          ⋯ %21 … %36: 16 × cuda_tile.assume
          %view = cuda_tile.make_tensor_view %21, shape = [%38, %40], strides = [%42, 1]

This is no text to be parsed: `aliases.print_ir(module, short=True)` makes the same lines in full.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from io import StringIO
from typing import IO, Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.targets.mlir import MLIRTarget

from .aliases import AliasPrinter, assign_aliases, drop_unused, wrap_line

FOLD: Final = "⋯"
"""What stands for lines that are left out."""
MIN_FOLDED: Final = 3
"""Lines from which on assumptions are folded."""
MAX_PARAMETERS: Final = 8
"""More of them are folded."""
MAX_STRING: Final = 80
"""Characters of a string; of longer ones, which are bytes of constants, the first are shown."""

_ASSUME: Final = re.compile(r"\s*(%[\w$.-]+) = (\w+\.assume)\b")
_ALIAS: Final = re.compile(r"([!#][A-Za-z_]\w*) = ")
_NAME: Final = re.compile(r"!?[A-Za-z_][\w$.]*")
_SIGNATURE: Final = re.compile(r"\s*[\w.]+\.(?:entry|func)\b[^@]*@[\w$.-]+(?=\()")
_PARAMETER: Final = re.compile(r"%[\w$.-]+(?=: )")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_USE: Final = re.compile(r"[!#][A-Za-z_]\w*")

STYLE: Final = """\
.tileiras-ir pre { line-height: 1.4; max-height: 40em; overflow: auto; white-space: pre; }
.tileiras-ir .line { display: block; }
.tileiras-ir:has(.wrap:checked) pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.tileiras-ir:has(.wrap:checked) .line {
  padding-left: calc((var(--indent) + 4) * 1ch); text-indent: calc((var(--indent) + 4) * -1ch); }
.tileiras-ir:not(:has(.types:checked)) .type, .tileiras-ir:has(.types:checked) .hint {
  display: none; }
.tileiras-ir .hint, .tileiras-ir summary { opacity: 0.6; }
.tileiras-ir summary { cursor: pointer; }
.tileiras-ir label { margin-right: 1em; }"""


def find_types(line: str) -> list[tuple[int, int]]:
    """
    Where the types of operands and results stand in a line of an op: after a colon or an arrow
    outside of all brackets. Those of arguments of blocks are not among them.
    """
    if _ALIAS.match(line) is not None:
        return []
    found: list[tuple[int, int]] = []
    depth = at = 0
    while at < len(line):
        character = line[at]
        if character == '"' and (string := _STRING.match(line, at)) is not None:
            at = string.end()
            continue
        if depth == 0 and character == " " and line.startswith((" : ", " -> "), at):
            end = _skip_types(line, line.index(" ", at + 1) + 1)
            if end is not None:
                found.append((at, end))
                at = end
                continue
        if character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and line[at - 1] != "-"):
            depth -= 1
        at += 1
    return found


def _skip_types(line: str, at: int) -> int | None:
    """Where a list of types ends that begins in a place; `None` if there is none."""
    end = _skip_type(line, at)
    while end is not None:
        separator = next((s for s in (", ", " -> ", " to ") if line.startswith(s, end)), None)
        following = None if separator is None else _skip_type(line, end + len(separator))
        # What is said after a comma may be something else: `, padding = 0`.
        if following is None or line.startswith(" = ", following):
            return end
        end = following
    return None


def _skip_type(line: str, at: int) -> int | None:
    if not line.startswith("(", at):
        name = _NAME.match(line, at)
        if name is None:
            return None
        at = name.end()
        if not line.startswith("<", at):
            return at
    depth = 0
    for end in range(at, len(line)):
        if line[end] in "(<[{":
            depth += 1
        elif line[end] in ")]}" or (line[end] == ">" and line[end - 1] != "-"):
            depth -= 1
            if not depth:
                return end + 1
    return None


def find_hidden(line: str) -> list[tuple[int, int, str]]:
    """What of a line is not shown, with what stands for it: types, and parameters if many."""
    hidden = [(start, end, "") for start, end in find_types(line)]
    signature = _SIGNATURE.match(line)
    end = None if signature is None else _skip_type(line, signature.end())
    if signature is not None and end is not None:
        start = signature.end() + 1
        count = len(_PARAMETER.findall(line[start : end - 1]))
        if count > MAX_PARAMETERS:
            hidden.insert(0, (start, end - 1, f"{FOLD} {count} parameters"))
    return hidden


def hide_types(line: str) -> str:
    """A line of an op without the types of its operands and results, and many parameters."""
    for start, end, title in reversed(find_hidden(line)):
        line = line[:start] + title + line[end:]
    return line


def shorten_strings(line: str) -> str:
    """A line with the beginnings of long strings."""
    return _STRING.sub(
        lambda match: (
            match[0] if len(match[0]) <= MAX_STRING else f'{match[0][: MAX_STRING // 2]}…"'
        ),
        line,
    )


@dataclass(frozen=True)
class Fold:
    """Lines that a line stands for."""

    title: str
    lines: tuple[str, ...]
    indent: int = 0

    def __str__(self) -> str:
        return f"{' ' * self.indent}{FOLD} {self.title}"


@dataclass(frozen=True)
class Reading:
    """
    Lines of IR, one for each op, for somebody to read. As a string, text for a terminal; in a
    notebook, the same with switches for types and wrapping, and folds to be opened.
    """

    lines: tuple[str, ...]
    types: bool = False
    """Whether types of operands and results are shown, and signatures of many parameters."""
    assumes: bool = False
    """Whether assumptions are, of which there are three or more in a row."""
    aliases: bool = False
    """Whether definitions of aliases are."""
    wrap: bool = True
    limit: int | None = None
    """How many lines are shown, if not all."""
    definitions: tuple[str, ...] = ()
    """Of aliases that are not among the lines."""

    @cached_property
    def rows(self) -> tuple[str | Fold, ...]:
        """The lines, of which some are folded."""
        return tuple(self._fold())

    def _fold(self) -> Iterator[str | Fold]:
        at = 0
        lines = self.lines
        while at < len(lines):
            end = at
            is_alias = _ALIAS.match(lines[at]) is not None
            if not (self.aliases if is_alias else self.assumes):
                pattern = _ALIAS if is_alias else _ASSUME
                while end < len(lines) and pattern.match(lines[end]) is not None:
                    end += 1
            if end - at >= (1 if is_alias else MIN_FOLDED):
                yield _make_fold(lines[at:end], is_alias)
                at = end
            else:
                yield lines[at]
                at += 1

    def __str__(self) -> str:
        return "\n".join(self._text())

    def _text(self) -> Iterator[str]:
        rows = self.rows[: self.limit]
        for row in rows:
            if isinstance(row, Fold):
                yield str(row)
                continue
            line = shorten_strings(row if self.types else hide_types(row))
            yield from wrap_line(line) if self.wrap else (line,)
        if len(rows) < len(self.rows):
            yield f"{FOLD} {len(self.rows) - len(rows)} more lines"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """The same, for notebooks."""
        definitions = {
            match[1]: line
            for line in (*self.definitions, *self.lines)
            if (match := _ALIAS.match(line)) is not None
        }
        rows = self.rows[: self.limit]
        body = "".join(
            _html_fold(row, definitions) if isinstance(row, Fold) else _html_line(row, definitions)
            for row in rows
        )
        if len(rows) < len(self.rows):
            body += f'<span class="hint">{FOLD} {len(self.rows) - len(rows)} more lines</span>'
        switches = "".join(
            f'<label><input type="checkbox" class="{name}"{" checked" if value else ""}> '
            f"{name}</label>"
            for name, value in (("types", self.types), ("wrap", self.wrap))
        )
        style = f"<style>{STYLE}</style>"
        return f'<div class="tileiras-ir">{style}{switches}<pre>{body}</pre></div>'


def _make_fold(lines: Sequence[str], is_alias: bool) -> Fold:
    if is_alias:
        plural = "es" if len(lines) > 1 else ""
        return Fold(f"{len(lines)} alias{plural}", tuple(lines))
    found = [match for line in lines if (match := _ASSUME.match(line)) is not None]
    title = f"{found[0][1]} … {found[-1][1]}: {len(lines)} × {found[0][2]}"
    return Fold(title, tuple(lines), _indent(lines[0]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _html_fold(fold: Fold, definitions: dict[str, str]) -> str:
    lines = "".join(_html_line(line, definitions) for line in fold.lines)
    return f"<details><summary>{escape(str(fold))}</summary>{lines}</details>"


def _html_line(line: str, definitions: dict[str, str]) -> str:
    def clean(text: str) -> str:
        text = escape(shorten_strings(text), quote=False)
        return _USE.sub(
            lambda match: (
                f'<span title="{escape(shorten_strings(definitions[match[0]]))}">{match[0]}</span>'
                if match[0] in definitions
                else match[0]
            ),
            text,
        )

    pieces: list[str] = []
    at = 0
    for start, end, title in find_hidden(line):
        types = line[start:end]
        pieces += [
            clean(line[at:start]),
            f'<span class="hint" title="{escape(types.strip())}">{escape(title) or " : …"}</span>',
            f'<span class="type">{clean(types)}</span>',
        ]
        at = end
    pieces.append(clean(line[at:]))
    return f'<span class="line" style="--indent:{_indent(line)}">{"".join(pieces)}\n</span>'


def read_ir(module: ModuleOp, *, types: bool = False, wrap: bool = True) -> Reading:
    """A module for somebody to read."""
    output = StringIO()
    AliasPrinter(output, assign_aliases(module, short=True)).print_module(module)
    return Reading(tuple(drop_unused(output.getvalue().split("\n"))), types, wrap=wrap)


@dataclass(frozen=True)
class BriefMlirTarget(MLIRTarget):
    """MLIR for somebody to read."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        print(read_ir(module, wrap=False), end="\n\n", file=output)
