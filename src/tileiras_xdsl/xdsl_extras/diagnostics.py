"""
What users are told when something goes wrong: one line, `file:line:col: error: message`.

The place comes from the exception alone: from the span of a parse error, else from the op whose
`verify` or `emit_error` is on the traceback, else from the parser that is. So no pass has to carry
locations along, and exceptions of xDSL's own passes are placed as well as ours.
"""

import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from types import FrameType

from xdsl.dialects.builtin import ArrayAttr, FileLineColLoc, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute
from xdsl.parser import Parser
from xdsl.utils.diagnostic import Diagnostic
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError
from xdsl.utils.lexer import Span

from .usage import DEBUG_VARIABLE, UsageError

MAX_LENGTH = 2000
"""Characters of a diagnostic."""


@dataclass(frozen=True)
class ErrorLocation:
    """Where something is wrong: a position in a file, or only a file or a tool."""

    name: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return self.name if self.line is None else f"{self.name}:{self.line}:{self.column}"


@dataclass(frozen=True)
class ErrorReport:
    """An error, internal error or warning, as it is reported."""

    place: ErrorLocation
    kind: str
    """`error`, `internal error` or `warning`."""
    message: str
    reproducer: str | None = None
    """The file that repeats it, if one was written."""

    def __str__(self) -> str:
        """`file:line:col: error: message`."""
        return self._fold(f"{self.place}: {self.kind}: {self.message}")

    def for_cutile(self) -> str:
        """
        `file:line:col: error: message`, without the first part if no line is known.

        cuTile keeps such a line as it is. Of MLIR's form, `loc("file":line:col): error: message`,
        it makes a location without a function, and then fails where it prints the function's name.
        """
        if self.place.line is None:
            return self._fold(f"{self.kind}: {self.message}")
        return str(self)

    def _fold(self, text: str) -> str:
        """On one line, with the place of the reproducer, which is never cut off."""
        end = "" if self.reproducer is None else f" (reproducer: {self.reproducer})"
        return f"{fold(text)}{end}"


def describe(
    error: BaseException, *, tool: str, input_name: str, context: str = "", root: Operation | None
) -> str:
    """The one line that reports `error`, see `make_error_report`."""
    return str(
        make_error_report(error, tool=tool, input_name=input_name, context=context, root=root)
    )


def make_error_report(
    error: BaseException, *, tool: str, input_name: str, context: str = "", root: Operation | None
) -> ErrorReport:
    """
    What is to be said about `error`.

    - tool: the place of a mistake on the command line;
    - input_name: the place if nothing more exact is known;
    - context: words after the message, such as the pass that was running;
    - root: the module at hand, if any.
    """
    op = find_op(error)
    kind = "error"
    match original := _original_error(error):
        case UsageError():
            place, message, context = ErrorLocation(tool), str(original), ""
        case ArgSpecParseError():
            place, message, context = ErrorLocation(tool), _describe_spec_error(original), ""
        case ParseError():
            place, message, context = _place_of_span(original.span), original.msg, ""
        case OSError():
            place = ErrorLocation(
                input_name if original.filename is None else str(original.filename)
            )
            message = original.strerror or str(original)
        case RecursionError():
            if op is None and root is not None:
                op = _deepest_op(root)
            place = _place(error, op, input_name)
            message = _name_op("nesting is too deep", op)
        case DiagnosticException():
            place = _place(error, op, input_name)
            message = _name_op(str(original), op)
        case _:
            place = _place(error, op, input_name)
            kind = "internal error"
            message = _name_op(f"{type(original).__name__}: {original}", op)
            context = f"{context} (set {DEBUG_VARIABLE}=1 for the traceback)"
    return ErrorReport(place, kind, f"{message}{context}")


def fold(text: str) -> str:
    """`text` on one line, without the end of texts that print whole functions."""
    line = " ".join(stripped for line in text.splitlines() if (stripped := line.strip()))
    return line if len(line) <= MAX_LENGTH else f"{line[:MAX_LENGTH]} …"


def source_location(op: Operation) -> FileLineColLoc | None:
    """The place in a file of `op`, or of the nearest op around it that has one."""
    enclosing: Operation | None = op
    while enclosing is not None:
        if (location := first_file_location(enclosing.location)) is not None:
            return location
        enclosing = enclosing.parent_op()
    return None


def first_file_location(attribute: Attribute) -> FileLineColLoc | None:
    """The first place in a file in a location of any kind: fused, named, called or plain."""
    pending = [attribute]
    while pending:
        match pending.pop():
            case FileLineColLoc() as location:
                return location
            case ArrayAttr() as array:
                elements: Iterable[Attribute] = array.data
                pending.extend(reversed(tuple(elements)))
            case ParametrizedAttribute() as parametrized:
                pending.extend(reversed(parametrized.parameters))
            case _:
                pass
    return None


def _frames(error: BaseException) -> Iterable[FrameType]:
    """The frames that `error` went through, innermost first."""
    return reversed([frame for frame, _ in traceback.walk_tb(error.__traceback__)])


def _original_error(error: BaseException) -> BaseException:
    """
    `error`, or the one that was being reported when `error` came up: xDSL prints the module into
    a note of what it reports, and that may fail on a module that does not verify.
    """
    for frame in _frames(error):
        if frame.f_code is Diagnostic.raise_exception.__code__:
            return frame.f_locals["underlying_error"]
    return error


def find_op(error: BaseException) -> Operation | None:
    """The op that `error` is about: the innermost one that was verified or reported."""
    for frame in _frames(error):
        if frame.f_code in (Operation.emit_error.__code__, Operation.verify.__code__):
            return frame.f_locals["self"]
        if frame.f_code is Block.verify.__code__:
            return frame.f_locals["self"].parent_op()
    return None


def _deepest_op(root: Operation) -> Operation:
    """The op in the most regions, without recursion."""
    deepest, deepest_level = root, 0
    pending = [(root, 0)]
    while pending:
        op, level = pending.pop()
        if level > deepest_level:
            deepest, deepest_level = op, level
        for region in op.regions:
            for block in region.blocks:
                pending.extend((inner, level + 1) for inner in block.ops)
    return deepest


def _place(error: BaseException, op: Operation | None, input_name: str) -> ErrorLocation:
    if op is not None and (location := source_location(op)) is not None:
        return _place_of_location(location)
    for frame in _frames(error):
        parser = frame.f_locals.get("self")
        if isinstance(parser, Parser):
            return _place_of_span(Span(parser.pos, parser.pos, parser.lexer.input))
    return ErrorLocation(input_name)


def _place_of_location(location: FileLineColLoc) -> ErrorLocation:
    return ErrorLocation(location.filename.data, location.line.data, location.column.data)


def _place_of_span(span: Span[str] | Span[bytes]) -> ErrorLocation:
    location = span.get_location()
    return ErrorLocation(location.file, location.line, location.col)


def _name_op(message: str, op: Operation | None) -> str:
    """`message` with the name of the op in front, unless it is somewhere in it."""
    if op is None:
        return message
    name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
    return message if name in message else f"'{name}' op {message}"


def _describe_spec_error(error: ArgSpecParseError) -> str:
    """xDSL gives a heading, the place, the text, carets and the message, a line each."""
    _, place, *_, message = str(error).splitlines()
    column = place.rpartition(":")[2]
    return f"malformed pass or target specification: {message.strip()} (column {column})"
