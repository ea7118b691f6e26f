"""
Aliases: long attributes and types are defined once, above the module that uses them.

    #mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0]], lane = …, warp = …>
    builtin.module {
      %0 = arith.addf %a, %b : tensor<16x8xf32, #mma0>
    }

This is how MLIR prints, and how its parser and xDSL's read. An attribute takes part by inheriting
from `AliasedAttribute`, which asks it for a name; a number follows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import takewhile
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.printer import Printer
from xdsl.targets.mlir import MLIRTarget

MAX_COLUMNS = 160
"""Longer lines are wrapped."""
_NUMBER = re.compile(r"(%[A-Za-z_]*)\d{1,4}\b")
_CONTINUATION = 4
"""By how much the rest of a wrapped line is indented."""


class AliasedAttribute:
    """A mixin of attributes and types that are printed by an alias."""

    name: ClassVar[str]

    def alias_prefix(self) -> str:
        """What the alias is called, without `#` or `!` and without its number: `mma`."""
        return self.name.rpartition(".")[2]


def assign_aliases(module: Operation) -> dict[Attribute, str]:
    """
    The aliases of all attributes in a module that have one, in the order in which they must be
    defined: each after those that it uses.
    """
    aliases: dict[Attribute, str] = {}
    counts: Counter[str] = Counter()
    # Attributes are shared, and hashing a layout takes longer than looking at it: what was seen is
    # known by identity, and kept alive by the module meanwhile.
    seen: set[int] = set()

    def visit(attribute: Attribute) -> None:
        if id(attribute) in seen:
            return
        seen.add(id(attribute))
        for part in _parts(attribute):
            visit(part)
        if isinstance(attribute, AliasedAttribute) and attribute not in aliases:
            sigil = "!" if isinstance(attribute, TypeAttribute) else "#"
            prefix = sigil + attribute.alias_prefix()
            aliases[attribute] = f"{prefix}{counts[prefix]}"
            counts[prefix] += 1

    for attribute in _attributes_of(module):
        visit(attribute)
    return aliases


def _attributes_of(module: Operation) -> Iterator[Attribute]:
    """The attributes and types that stand at ops and blocks, in the order of the text."""
    for op in module.walk():
        yield from op.properties.values()
        yield from op.attributes.values()
        for value in (*op.operands, *op.results):
            yield value.type
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    yield argument.type


def _parts(attribute: Attribute) -> Iterable[Attribute]:
    match attribute:
        case ParametrizedAttribute():
            return attribute.parameters
        case ArrayAttr():
            return attribute.data
        case DictionaryAttr():
            return attribute.data.values()
        case _:
            return ()


class AliasPrinter(Printer):
    """
    A printer that knows aliases. It is faster than xDSL's: it writes without the detours of
    `print`, and makes the text of a type once.
    """

    def __init__(
        self,
        stream: IO[str],
        aliases: dict[Attribute, str],
        *,
        print_generic_format: bool = False,
        print_properties_as_attributes: bool = False,
        print_debuginfo: bool = False,
    ):
        super().__init__(
            stream=stream,
            print_generic_format=print_generic_format,
            print_properties_as_attributes=print_properties_as_attributes,
            print_debuginfo=print_debuginfo,
        )
        self._aliases = aliases
        self._write: Callable[[str], object] = stream.write
        self._types: dict[int, tuple[Attribute, str]] = {}
        self._is_in_type = False

    def print_module(self, module: Operation) -> None:
        """A line for each alias, then the module."""
        for attribute, alias in self._aliases.items():
            self.print_string(f"{alias} = ")
            super().print_attribute(attribute)
            self._print_new_line()
        self.print_op(module)

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, AliasedAttribute):
            alias = self._aliases.get(attribute)
            if alias is not None:
                self.print_string(alias)
                return
        # What is in a type may look otherwise than alone.
        if self._is_in_type or not isinstance(attribute, TypeAttribute):
            super().print_attribute(attribute)
            return
        if (known := self._types.get(id(attribute))) is not None:
            self.print_string(known[1])
            return
        parts: list[str] = []
        write, self._write, self._is_in_type = self._write, parts.append, True
        super().print_attribute(attribute)
        self._write, self._is_in_type = write, False
        text = "".join(parts)
        write(text)
        self._types[id(attribute)] = attribute, text

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            super().print_string(text, indent=indent)
            return
        self._current_column += len(text)
        self._write(text)


def print_ir(module: ModuleOp, *, local_scope: bool = False) -> str:
    """
    The text of a module as tools show it: with aliases, and long lines wrapped. With
    `local_scope`, each op says everything itself, on one line.
    """
    if local_scope:
        return str(module)
    output = StringIO()
    AliasPrinter(output, assign_aliases(module)).print_module(module)
    return wrap(output.getvalue())


def wrap(text: str) -> str:
    """The text with lines of at most `MAX_COLUMNS`, where it has places to break them."""
    return "\n".join(part for line in text.split("\n") for part in wrap_line(line))


def wrap_line(line: str, *, stable: bool = False) -> list[str]:
    """
    A line in parts. It is broken after a comma, or before an arrow, a colon or `iter_args`, where
    the fewest brackets are open, so that what belongs together stays together.

    Where texts are compared (`stable`), numbers of values count as if they had four digits: a pass
    that renumbers values then breaks no line elsewhere.
    """
    if len(line) <= MAX_COLUMNS // 2:
        return [line]
    if stable:
        line = _NUMBER.sub(lambda name: name[0].ljust(len(name[1]) + 4, "\0"), line)

    def is_near(place: tuple[int, int]) -> bool:
        return place[0] <= MAX_COLUMNS

    parts: list[str] = []
    indent = " " * (len(line) - len(line.lstrip()) + _CONTINUATION)
    start = 0
    while len(line) > MAX_COLUMNS:
        breaks = [
            (depth, -column)
            for column, depth in takewhile(is_near, _breaks(line, start))
            if len(indent) < column and line[:column].strip()
        ]
        if not breaks:
            break
        # Not where next to nothing would stand on the line.
        late = [each for each in breaks if -each[1] > MAX_COLUMNS // 2]
        start, column = min(late or breaks)
        column = -column
        parts.append(line[:column].rstrip())
        line = indent + line[column:].lstrip()
    parts.append(line)
    return [part.replace("\0", "") for part in parts]


def _breaks(line: str, depth: int) -> Iterator[tuple[int, int]]:
    """
    Where a line may be broken, and within how many brackets that is. It begins within `depth`
    brackets.
    """
    is_quoted = is_escaped = False
    previous = ""
    for column, character in enumerate(line):
        if is_escaped:
            is_escaped = False
        elif character == '"':
            is_quoted = not is_quoted
        elif is_quoted:
            is_escaped = character == "\\"
        elif character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and previous != "-"):
            depth -= 1
        elif character == " " and (
            previous == ","
            or line.startswith((" -> ", " iter_args("), column)
            # Within brackets, a colon stands before the type of an attribute: `0 : i64`.
            or (depth == 0 and line.startswith(" : ", column))
        ):
            yield column, depth
        previous = character


@dataclass(frozen=True)
class AliasedMlirTarget(MLIRTarget):
    """MLIR with aliases and wrapped lines."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.syntax_highlight:
            super().emit(ctx, module, output)
            return
        text = StringIO()
        printer = AliasPrinter(
            text,
            assign_aliases(module),
            print_generic_format=self.print_generic_format,
            print_properties_as_attributes=self.print_properties_as_attributes,
            print_debuginfo=self.print_debuginfo,
        )
        printer.print_module(module)
        printer.print_metadata(ctx.loaded_dialects)
        print(wrap(text.getvalue()), end="\n\n", file=output)
