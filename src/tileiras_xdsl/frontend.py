"""
The one door programs come in by: Tile IR bytecode, or either text form, told apart by what
the bytes are and not by what the file is called.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.xdsl_extras.dominance import verify_dominance

MAGIC = b"\x7fTileIR\x00"
_MLIR_MAGIC = b"ML\xefR"


def parse_bytes(
    ctx: Context, data: bytes, name: str, *, allow_implicit_module: bool = True
) -> ModuleOp:
    """
    The module in `data`, not yet verified. `ParseError` for text that is no program,
    `BytecodeError` for bytecode that is none.
    """
    if data.startswith((MAGIC, _MLIR_MAGIC)):
        from tileiras_xdsl.bytecode import read

        return read(data, verify=False)
    from tileiras_xdsl.text.parser import TextParser

    return TextParser(ctx, data, name).parse_module(allow_implicit_module)


def make_context() -> Context:
    """A context that knows the dialects of xDSL and of this package, loaded when used."""
    from xdsl.universe import XDSL_UNIVERSE

    from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

    ctx = Context()
    for universe in (XDSL_UNIVERSE, TILEIRAS_UNIVERSE):
        for dialect, factory in universe.all_dialects.items():
            ctx.register_dialect(dialect, factory)
    return ctx


def load(source: str | bytes | PathLike[str]) -> ModuleOp:
    """
    The verified module of a program: the path of a file, bytecode as bytes, or text (as a
    string with a line break or a bracket in it, or as bytes).

    Raises `BytecodeError` for malformed bytecode, `ParseError` for malformed text and
    `VerifyException` for an invalid program; `OSError` if a file cannot be read.
    """
    if isinstance(source, bytes):
        data, name = source, "<bytes>"
    elif isinstance(source, str) and _is_text(source):
        data, name = source.encode(), "<text>"
    else:
        data, name = Path(source).read_bytes(), str(source)
    module = parse_bytes(make_context(), data, name)
    module.verify()
    verify_dominance(module)
    return module


def _is_text(source: str) -> bool:
    """Programs have a body in braces, or at least a line break; paths have neither."""
    return "\n" in source or "{" in source
