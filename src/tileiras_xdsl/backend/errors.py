"""What the back end reports to its user."""

from __future__ import annotations

from xdsl.utils.exceptions import DiagnosticException


class BackendError(DiagnosticException):
    """Something that the user can change: the program, an option, or what is installed."""


class MissingToolError(BackendError):
    """A program or library that the back end needs was not found."""


def excerpt(text: str, line: int, context: int = 2) -> str:
    """
    Lines of `text` around number `line` (from 1), that one marked; empty if there is no such line.
    """
    lines = text.splitlines()
    if not 1 <= line <= len(lines):
        return ""
    numbers = range(max(1, line - context), min(len(lines), line + context) + 1)
    width = len(str(numbers[-1]))
    return "\n".join(
        f"{'>' if number == line else ' '} {number:{width}} | {lines[number - 1]}"
        for number in numbers
    )
