"""
Aliases: long attributes and types are defined once, above the module that uses them.

    #mma0 = #nv_tileas.layout<register = [[0, 1], [8, 0]], lane = …, warp = …>
    builtin.module {
      %0 = arith.addf %a, %b : tensor<16x8xf32, #mma0>
    }

This is how MLIR prints, and how its parser and xDSL's read. An attribute takes part by inheriting
from `AliasedAttribute`, which asks it for a name; a number follows.

The *short* form has aliases for all long types of values and attributes of ops. Where a name can
say what it stands for, it does:

    !tile_64x64xf16 = !cuda_tile.tile<64x64xf16>
    !async_128x128xf32_mma0 = !nv_tileas.async<tensor<128x128xf32, #mma0>>
    #dense_1f0c = dense<"0x00000000010000000200…"> : vector<128xi32>
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import takewhile
from typing import IO, ClassVar, Final
from zlib import crc32

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, DictionaryAttr, ModuleOp
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.printer import Printer
from xdsl.targets.mlir import MLIRTarget

MAX_COLUMNS = 160
"""Longer lines are wrapped where somebody looks at them; in files and pipes an op is one line."""
_NUMBER = re.compile(r"(%[A-Za-z_]*)\d{1,4}\b")
CONTINUATION: Final = 4
"""By how much the rest of a wrapped line is indented; a region is indented by less."""

_MIN_ATTRIBUTE: Final = 60
"""Characters from which on an attribute has an alias in the short form."""
_MIN_SAVED: Final = 8
"""By how many characters the alias of a type is shorter."""
_MAX_NAME: Final = 28
"""Characters of parameters that the name of a type repeats."""
_SAYABLE: Final = re.compile(r"[\w<>,#() ]+")
"""Parameters without signs that a name would have to leave out."""
_ALIAS: Final = re.compile(r"[!#][A-Za-z_]\w*")


class AliasedAttribute:
    """A mixin of attributes and types that are printed by an alias."""

    name: ClassVar[str]

    def alias_prefix(self) -> str:
        """What the alias is called, without `#` or `!` and without its number: `mma`."""
        return self.name.rpartition(".")[2]


def assign_aliases(module: Operation, *, short: bool = False) -> dict[Attribute, str]:
    """
    The aliases of all attributes in a module that have one, in the order in which they must be
    defined: each after those that it uses.
    """
    aliases: dict[Attribute, str] = {}
    counts: Counter[str] = Counter()
    taken: set[str] = set()
    standing = {id(each): each for each in (_attributes_of(module) if short else ())}
    shortened = {each for each in standing.values() if _may_be_shortened(each)}
    # Attributes are shared, and hashing a layout takes longer than looking at it: what was seen is
    # known by identity, and kept alive by the module meanwhile.
    seen: set[int] = set()

    def give(attribute: Attribute, name: str, *, needs_number: bool) -> None:
        number = counts[name]
        alias = f"{name}{number}" if number or needs_number else name
        # Names may end in numbers themselves.
        while alias in taken:
            number += 1
            alias = f"{name}{number}"
        counts[name] = number + 1
        taken.add(alias)
        aliases[attribute] = alias

    def visit(attribute: Attribute) -> None:
        if id(attribute) in seen:
            return
        seen.add(id(attribute))
        for part in _parts(attribute):
            visit(part)
        if isinstance(attribute, AliasedAttribute) and attribute not in aliases:
            sigil = "!" if isinstance(attribute, TypeAttribute) else "#"
            prefix = sigil + attribute.alias_prefix()
            give(attribute, prefix, needs_number=True)
        elif short and _may_be_shortened(attribute) and attribute in shortened:
            shortened.remove(attribute)
            name, is_unique = _short_name(attribute, aliases)
            if name:
                give(attribute, name, needs_number=not is_unique)

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


def _may_be_shortened(attribute: Attribute) -> bool:
    """Whether an attribute has no name that everybody knows, such as `tensor`."""
    return "." in attribute.name or isinstance(attribute, DenseIntOrFPElementsAttr)


def _short_name(attribute: Attribute, aliases: dict[Attribute, str]) -> tuple[str, bool]:
    """
    The name of an attribute in the short form, empty if it has none, and whether it needs no
    number, since it tells the attribute from others.
    """
    output = StringIO()
    AliasPrinter(output, aliases).print_attribute(attribute)
    text = output.getvalue()
    name = attribute.name.rpartition(".")[2]
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        # Numbers would change with every constant that a pass adds.
        name, is_unique = f"#{name}_{crc32(text.encode()) & 0xFFFF:04x}", True
        return (name, is_unique) if len(text) >= _MIN_ATTRIBUTE else ("", False)
    if not isinstance(attribute, TypeAttribute):
        return (f"#{name}", False) if len(text) >= _MIN_ATTRIBUTE else ("", False)
    said = _say_parameters(text)
    name, is_unique = (f"!{name}", False) if said is None else (f"!{name}{said}", True)
    return (name, is_unique) if len(text) >= len(name) + _MIN_SAVED else ("", False)


def _say_parameters(text: str) -> str | None:
    """The parameters of a type as a part of a name: `_64x64xf16`; `None` if they are too long."""
    _, opening, parameters = text.partition("<")
    if not opening:
        return ""
    # Fields of a structure are mostly all the same.
    fields = parameters.removesuffix(">").strip("()").split(", ")
    if len(fields) > 2 and len(set(fields)) == 1:
        parameters = f"{len(fields)}x{fields[0]}"
    parameters = parameters.replace("tensor<", "")
    if len(parameters) > _MAX_NAME or not _SAYABLE.fullmatch(parameters):
        return None
    return "_" + re.sub(r"[^0-9A-Za-z]+", "_", parameters).strip("_")


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
        if not self._is_in_type and (known := self._types.get(id(attribute))) is not None:
            self.print_string(known[1])
            return
        if isinstance(attribute, AliasedAttribute) or _may_be_shortened(attribute):
            alias = self._aliases.get(attribute)
            if alias is not None:
                self.print_string(alias)
                return
        # What is in a type may look otherwise than alone.
        if self._is_in_type or not isinstance(attribute, TypeAttribute):
            super().print_attribute(attribute)
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


def print_ir(module: ModuleOp, *, local_scope: bool = False, short: bool = False) -> str:
    """
    The text of a module as tools print it: with aliases, and a line for each op. With
    `local_scope`, each op says everything itself; with `short`, there are more aliases.
    """
    if local_scope:
        return ModuleOp.__str__(module)
    output = StringIO()
    AliasPrinter(output, assign_aliases(module, short=short)).print_module(module)
    return "\n".join(drop_unused(output.getvalue().split("\n")))


def drop_unused(lines: Sequence[str]) -> Sequence[str]:
    """
    Lines of a module without definitions of aliases that nothing uses: ops do not print all types
    and attributes that they have.
    """
    count = next((n for n, line in enumerate(lines) if line[:1] not in ("!", "#")), len(lines))
    used = {name for line in lines[count:] for name in _ALIAS.findall(line)}
    kept: list[str] = []
    for line in reversed(lines[:count]):
        name, _, definition = line.partition(" = ")
        if name in used:
            kept.append(line)
            used.update(_ALIAS.findall(definition))
    return [*reversed(kept), *lines[count:]]


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
    indent = " " * (len(line) - len(line.lstrip()) + CONTINUATION)
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
    """MLIR with aliases."""

    short: ClassVar[bool] = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.syntax_highlight:
            super().emit(ctx, module, output)
            return
        text = StringIO()
        printer = AliasPrinter(
            text,
            assign_aliases(module, short=self.short),
            print_generic_format=self.print_generic_format,
            print_properties_as_attributes=self.print_properties_as_attributes,
            print_debuginfo=self.print_debuginfo,
        )
        printer.print_module(module)
        printer.print_metadata(ctx.loaded_dialects)
        lines = drop_unused(text.getvalue().split("\n"))
        print("\n".join(lines), end="\n\n", file=output)


@dataclass(frozen=True)
class ShortMlirTarget(AliasedMlirTarget):
    """MLIR with aliases for all that is long."""

    short: ClassVar[bool] = True
