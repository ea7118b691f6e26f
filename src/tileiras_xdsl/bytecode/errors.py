"""The one error of the bytecode reader and writer."""

from __future__ import annotations

from xdsl.utils.exceptions import DiagnosticException


class BytecodeError(DiagnosticException):
    """
    Bytes that are no Tile IR bytecode, or a module that a version cannot express.

    `offset` is the position in the file and `section` the name of the section it lies in,
    where there are such.
    """

    def __init__(self, message: str, *, offset: int | None = None, section: str | None = None):
        self.message = message
        self.offset = offset
        self.section = section
        place = "" if section is None else f"{section} section"
        if offset is not None:
            place = f"{place} at byte {offset:#x}" if place else f"byte {offset:#x}"
        super().__init__(f"{place}: {message}" if place else message)


class UnrepresentableError(BytecodeError):
    """A type, attribute or value that cannot be written, from code that does not know the op."""

    def named(self, op_name: str) -> BytecodeError:
        """The error with the name of the op."""
        return BytecodeError(f"'{op_name}' op {self.message}")
