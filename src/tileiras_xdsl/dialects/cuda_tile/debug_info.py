"""
Debug information of `cuda_tile`: scopes, and locations inside a scope.

    #cuda_tile.di_file<"a.py" in "/t">
    #cuda_tile.di_compile_unit<file = <"a.py" in "/t">>
    #cuda_tile.di_subprogram<file = …, line = 3, name = "k", linkageName = "k",
                             compileUnit = …, scopeLine = 3>
    #cuda_tile.di_lexical_block<scope = …, file = …, line = 4, column = 2>
    loc(#cuda_tile.di_loc<loc("/t/a.py":5:1) in #cuda_tile.di_subprogram<…>>)

A scope whose kind is fixed prints without its prefix inside another; one of several kinds
(the scope of a block or of a location) keeps it.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias, cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    NameLoc,
    StringAttr,
    UnknownLoc,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.mlir_lexer import MLIRTokenKind

from .printing import is_public

MAX_LINE = 2**32 - 1
"""Largest line or column number."""

AttrT = TypeVar("AttrT", bound=ParametrizedAttribute)
FieldParser: TypeAlias = Callable[[AttrParser], Attribute]


def _parse_string(parser: AttrParser) -> StringAttr:
    return StringAttr(parser.parse_str_literal())


def _parse_number(parser: AttrParser) -> IntAttr:
    position = parser.pos
    value = parser.parse_integer(allow_boolean=False, allow_negative=False)
    if value > MAX_LINE:
        parser.raise_error("integer value too large", position)
    return IntAttr(value)


def _parse_kind(parser: AttrParser, kind: type[AttrT]) -> AttrT:
    """An attribute of a known kind: an alias, the full spelling, or its parameters alone."""
    token = parser._current_token  # pyright: ignore[reportPrivateUsage]
    if token.kind is MLIRTokenKind.LESS:
        return kind.new(kind.parse_parameters(parser))
    attribute = parser.parse_attribute()
    if not isinstance(attribute, kind):
        parser.raise_error(
            f"invalid kind of attribute specified: expected {kind.name}, got {attribute}",
            token.span,
        )
    return attribute


def _parse_struct(
    parser: AttrParser, fields: Mapping[str, FieldParser], optional: Mapping[str, Attribute] = {}
) -> list[Attribute]:
    """
    Parses `<name = value, …>` in any order; the result is in the order of `fields`, those
    left out taken from `optional`.
    """
    values: dict[str, Attribute] = {}

    def parse_field() -> None:
        position = parser.pos
        if (name := parser.parse_optional_identifier()) is None:
            parser.raise_error("expected a parameter name in struct")
        if name in values or name not in fields:
            parser.raise_error(f"duplicate or unknown struct parameter name: {name}", position)
        parser.parse_punctuation("=")
        values[name] = fields[name](parser)

    with parser.in_angle_brackets():
        parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_field)
        values = {**optional, **values}
        for name in fields:
            if name not in values:
                parser.raise_error(f"struct is missing required parameter: {name}")
    return [values[name] for name in fields]


def _print_field(printer: Printer, value: Attribute, *, stripped: bool) -> None:
    if isinstance(value, IntAttr):
        printer.print_int(value.data)
    elif stripped and isinstance(value, ParametrizedAttribute) and not is_public(printer):
        value.print_parameters(printer)
    else:
        printer.print_attribute(value)


def _print_struct(
    printer: Printer, fields: Mapping[str, Attribute], *, full: Sequence[str] = ()
) -> None:
    """Prints `<name = value, …>`, the fields in `full` with their prefix."""
    with printer.in_angle_brackets():
        for index, (name, value) in enumerate(fields.items()):
            printer.print_string(f", {name} = " if index else f"{name} = ")
            _print_field(printer, value, stripped=name not in full)


def _with_optional(fields: dict[str, Attribute], name: str, value: IntAttr) -> dict[str, Attribute]:
    return {**fields, name: value} if value.data else fields


class DIScopeAttr(ParametrizedAttribute, ABC):
    """Anything source text can lie in: a file, a compile unit, or a local scope."""


class DILocalScopeAttr(DIScopeAttr, ABC):
    """A scope that holds code: a subprogram, or a lexical block inside one."""

    def get_subprogram(self) -> DISubprogramAttr:
        """The subprogram this scope lies in."""
        scope: DILocalScopeAttr = self
        while isinstance(scope, DILexicalBlockAttr):
            scope = scope.scope
        assert isinstance(scope, DISubprogramAttr)
        return scope


@irdl_attr_definition
class DIFileAttr(DIScopeAttr):
    """A source file, `di_file<"a.py" in "/t">`."""

    name = "cuda_tile.di_file"

    file_name: StringAttr
    directory: StringAttr

    def __init__(self, file_name: str, directory: str):
        super().__init__(StringAttr(file_name), StringAttr(directory))

    @staticmethod
    def from_path(path: str) -> DIFileAttr:
        """The file of a path: its last component, in the directory before it."""
        directory, slash, file_name = path.rpartition("/")
        return DIFileAttr(file_name, directory.rstrip("/") or slash)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            file_name = _parse_string(parser)
            parser.parse_keyword("in")
            return [file_name, _parse_string(parser)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.file_name.data)
            printer.print_string(" in ")
            printer.print_string_literal(self.directory.data)


@irdl_attr_definition
class DICompileUnitAttr(DIScopeAttr):
    """What was compiled together, named by its main file: `di_compile_unit<file = …>`."""

    name = "cuda_tile.di_compile_unit"

    file: DIFileAttr

    def __init__(self, file: DIFileAttr):
        super().__init__(file)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return _parse_struct(parser, {"file": lambda parser: _parse_kind(parser, DIFileAttr)})

    def print_parameters(self, printer: Printer) -> None:
        _print_struct(printer, {"file": self.file})


@irdl_attr_definition
class DISubprogramAttr(DILocalScopeAttr):
    """
    A function of the source program. `linkage_name` is the symbol of the function that
    holds its code; `scope_line` is where its body begins, 0 if that is not known.
    """

    name = "cuda_tile.di_subprogram"

    file: DIFileAttr
    line: IntAttr
    function_name: StringAttr
    linkage_name: StringAttr
    compile_unit: DICompileUnitAttr
    scope_line: IntAttr

    def __init__(
        self,
        file: DIFileAttr,
        line: int,
        function_name: str,
        linkage_name: str,
        compile_unit: DICompileUnitAttr,
        scope_line: int = 0,
    ):
        super().__init__(
            file,
            IntAttr(line),
            StringAttr(function_name),
            StringAttr(linkage_name),
            compile_unit,
            IntAttr(scope_line),
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return _parse_struct(
            parser,
            {
                "file": lambda parser: _parse_kind(parser, DIFileAttr),
                "line": _parse_number,
                "name": _parse_string,
                "linkageName": _parse_string,
                "compileUnit": lambda parser: _parse_kind(parser, DICompileUnitAttr),
                "scopeLine": _parse_number,
            },
            optional={"scopeLine": IntAttr(0)},
        )

    def print_parameters(self, printer: Printer) -> None:
        fields: dict[str, Attribute] = {
            "file": self.file,
            "line": self.line,
            "name": self.function_name,
            "linkageName": self.linkage_name,
            "compileUnit": self.compile_unit,
        }
        _print_struct(printer, _with_optional(fields, "scopeLine", self.scope_line))

    def with_linkage_name(self, linkage_name: str) -> DISubprogramAttr:
        """The same subprogram for a function of another symbol name."""
        return DISubprogramAttr(
            self.file,
            self.line.data,
            self.function_name.data,
            linkage_name,
            self.compile_unit,
            self.scope_line.data,
        )


@irdl_attr_definition
class DILexicalBlockAttr(DILocalScopeAttr):
    """A block inside a subprogram or another block; column 0 means not known."""

    name = "cuda_tile.di_lexical_block"

    scope: DILocalScopeAttr
    file: DIFileAttr
    line: IntAttr
    column: IntAttr

    def __init__(self, scope: DILocalScopeAttr, file: DIFileAttr, line: int, column: int = 0):
        super().__init__(scope, file, IntAttr(line), IntAttr(column))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return _parse_struct(
            parser,
            {
                "scope": _parse_local_scope,
                "file": lambda parser: _parse_kind(parser, DIFileAttr),
                "line": _parse_number,
                "column": _parse_number,
            },
            optional={"column": IntAttr(0)},
        )

    def print_parameters(self, printer: Printer) -> None:
        fields: dict[str, Attribute] = {
            "scope": self.scope,
            "file": self.file,
            "line": self.line,
        }
        _print_struct(printer, _with_optional(fields, "column", self.column), full=("scope",))


def _parse_local_scope(parser: AttrParser) -> DILocalScopeAttr:
    position = parser.pos
    attribute = parser.parse_attribute()
    if not isinstance(attribute, DILocalScopeAttr):
        parser.raise_error(
            "invalid kind of attribute specified: expected a local scope "
            f"(di_subprogram or di_lexical_block), got {attribute}",
            position,
        )
    return attribute


class _Subclassable:
    """
    Placed in front of a final xDSL attribute class, lets it be subclassed: the hook by
    which the final class refuses is not reached.
    """

    def __init_subclass__(cls) -> None:
        pass


@irdl_attr_definition
class DILocAttr(_Subclassable, FusedLoc):
    """
    A location inside a scope, `loc(#cuda_tile.di_loc<loc("a.py":3:1) in #di_subprogram>)`.

    The locations xDSL knows are a closed union: the fields `location` of ops and block
    arguments, the nested locations of call sites, names and fusions, and the parser all ask
    for one of its classes. A `di_loc` is therefore a `FusedLoc` of one location with the
    scope as its metadata, which is also how other MLIR dialects attach scopes. Code that
    knows nothing of debug information still finds the source position in it; code that
    tells the kinds apart must ask for `DILocAttr` before `FusedLoc`.
    """

    name = "cuda_tile.di_loc"

    def __init__(self, source: FileLineColLoc, scope: DILocalScopeAttr):
        super().__init__((source,), scope)

    def verify(self) -> None:
        sources = cast(ArrayAttr[Attribute], self.locations).data
        if len(sources) != 1 or not isinstance(sources[0], FileLineColLoc):
            raise VerifyException(f"{self.name} needs one file location")
        if not isinstance(self.metadata, DILocalScopeAttr):
            raise VerifyException(f"{self.name} needs a local scope, got {self.metadata}")

    @property
    def source(self) -> FileLineColLoc:
        """The position in the source file."""
        return cast(ArrayAttr[FileLineColLoc], self.locations).data[0]

    @property
    def scope(self) -> DILocalScopeAttr:
        """The scope the position lies in."""
        return cast(DILocalScopeAttr, self.metadata)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            position = parser.pos
            source = parser.parse_optional_location()
            if source is None:
                source = parser._parse_location()  # pyright: ignore[reportPrivateUsage]
            if not isinstance(source, FileLineColLoc):
                parser.raise_error(
                    f"invalid kind of attribute specified: expected a file location, got {source}",
                    position,
                )
            parser.parse_keyword("in")
            return [ArrayAttr([source]), _parse_local_scope(parser)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets(), _outside_location(printer):
            printer.print_attribute(self.source)
            printer.print_string(" in ")
            printer.print_attribute(self.scope)

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            printer.print_string(f"#{self.name}")
            self.print_parameters(printer)


@contextmanager
def _outside_location(printer: Printer) -> Generator[None]:
    """What is printed is not part of a location's own syntax: locations need `loc(…)`."""
    printing_location = printer.printing_location
    printer.printing_location = False
    yield
    printer.printing_location = printing_location


def find_di_loc(location: Attribute) -> DILocAttr | None:
    """
    The `di_loc` that tells the scope of an op: of a call site the caller's, of a fusion
    the first.
    """
    while True:
        match location:
            case FileLineColLoc() | UnknownLoc():
                return None
            case DILocAttr():
                return location
            case CallSiteLoc():
                location = location.caller
            case NameLoc():
                location = location.location
            case FusedLoc():
                members = cast(ArrayAttr[Attribute], location.locations)
                found = (find_di_loc(member) for member in members)
                return next((loc for loc in found if loc is not None), None)
            case _:
                return None


def contains_di_loc(location: Attribute) -> bool:
    """Whether there is a `di_loc` anywhere in a location."""
    match location:
        case DILocAttr():
            return True
        case ArrayAttr():
            return any(contains_di_loc(member) for member in location)
        case ParametrizedAttribute():
            return any(contains_di_loc(parameter) for parameter in location.parameters)
        case _:
            return False


def verify_function_debug_info(function: Operation, symbol_name: str) -> None:
    """
    Checks the location of a function and those of all ops in it: the function's scope must
    be a subprogram of its name, and the scope of every op must lie in that subprogram.
    """
    verify_function_location(function, symbol_name)
    verify_op_scopes(function)


def verify_function_location(function: Operation, symbol_name: str) -> None:
    """Checks the function itself."""
    if isinstance(function.location, CallSiteLoc):
        raise VerifyException(
            f"{_prefix(function)}invalid function debug info location: {function.location}. "
            "Function location must not be a CallSiteLoc."
        )
    if (di_loc := find_di_loc(function.location)) is None:
        return
    subprogram = di_loc.scope
    if not isinstance(subprogram, DISubprogramAttr):
        raise VerifyException(
            f"{_prefix(function)}invalid function debug info scope: {subprogram}. Function "
            f"location must have {DISubprogramAttr.name} debug info scope."
        )
    if subprogram.linkage_name.data != symbol_name:
        raise VerifyException(
            f"{_prefix(function)}invalid function debug info scope: {subprogram}. Function "
            f'name "{symbol_name}" does not match subprogram scope linkage name '
            f"{subprogram.linkage_name}."
        )


def verify_op_scopes(function: Operation) -> None:
    """Checks the ops in a function whose own location is valid, inner ones first."""
    di_loc = find_di_loc(function.location)
    subprogram = None if di_loc is None else di_loc.scope.get_subprogram()
    for op in _inner_first(function):
        _verify_op_scope(op, subprogram)


def _inner_first(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                yield from _inner_first(inner)
    yield op


def _verify_op_scope(op: Operation, function_scope: DISubprogramAttr | None) -> None:
    if (di_loc := find_di_loc(op.location)) is None:
        return
    subprogram = di_loc.scope.get_subprogram()
    if subprogram is function_scope or subprogram == function_scope:
        return
    message = f"invalid operation debug info scope: {subprogram}. "
    if function_scope is None:
        message = (
            f"{_prefix(op)}{message}Operation has debug info scope, but function debug info "
            "scope is undefined."
        )
    else:
        message += (
            "Operation debug info scope does not match function debug info scope: "
            f"{function_scope}."
        )
    op.emit_error(message, VerifyException(message))


def verify_no_debug_scope(op: Operation) -> None:
    """Checks that an op of a module that is no function lies in no scope."""
    if (di_loc := find_di_loc(op.location)) is not None:
        text = str(di_loc).removeprefix("loc(").removesuffix(")")
        message = (
            f"{_prefix(op)}invalid operation debug info scope: {text}. "
            "Global variables must not have scope."
        )
        op.emit_error(message, VerifyException(message))


def _prefix(op: Operation) -> str:
    name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
    return f"'{name}' op "
