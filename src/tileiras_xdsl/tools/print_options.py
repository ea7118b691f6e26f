"""In which form commands print IR."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from argparse import _ActionsContainer  # pyright: ignore[reportPrivateUsage]

    from xdsl.dialects.builtin import ModuleOp

PrintForm = Literal["aliases", "local", "short", "brief"]
"""
With aliases for layouts and the like; without any; with aliases for all that is long; and for
somebody to read, see `xdsl_extras.reading`. All but the last can be parsed.
"""


def add_print_options(options: _ActionsContainer) -> None:
    """Adds the options; `print_form` is set by the last of them."""
    forms: tuple[tuple[str, PrintForm, str], ...] = (
        (
            "--print-local-scope",
            "local",
            "print attributes and types in full where they are used, without aliases",
        ),
        ("--print-short", "short", "print aliases for all long attributes and types"),
        (
            "--print-brief",
            "brief",
            "print IR to be read, not parsed: no types, assumptions and aliases folded",
        ),
    )
    for name, form, text in forms:
        options.add_argument(
            name,
            action="store_const",
            dest="print_form",
            const=form,
            default="aliases",
            help=text,
        )


def print_module(module: ModuleOp, form: PrintForm) -> str:
    """The text of a module in a form: a line for each op."""
    if form == "brief":
        from tileiras_xdsl.xdsl_extras.reading import read_ir

        return str(read_ir(module, wrap=False))
    from tileiras_xdsl.xdsl_extras.aliases import print_ir

    return print_ir(module, local_scope=form == "local", short=form == "short")


def wrap_for(stream: IO[Any], text: str) -> str:
    """The text with long lines wrapped, if it is for a terminal."""
    if not stream.isatty():
        return text
    from tileiras_xdsl.xdsl_extras.aliases import wrap

    return wrap(text)
