"""Texts to modules and back, and the ops of a module."""

from __future__ import annotations

from functools import cache
from io import StringIO
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.printer import Printer

from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.frontend.targets import CudaTilePublicTarget
from tileiras_xdsl.frontend.text import TextParser

OpT = TypeVar("OpT", bound=Operation)


@cache
def context() -> Context:
    """The context of all tests that do not ask for one of their own: it knows every dialect."""
    return make_context()


def context_of(*dialects: Dialect, allow_unregistered: bool = False) -> Context:
    """A context that knows some dialects only."""
    ctx = Context(allow_unregistered=allow_unregistered)
    for dialect in dialects:
        ctx.load_dialect(dialect)
    return ctx


def parse_unverified(
    text: str | bytes, name: str = "in.mlir", *, ctx: Context | None = None
) -> ModuleOp:
    """The module of a text in either form, which need not be valid."""
    return TextParser(ctx or context(), text, name).parse_module()


def parse(text: str | bytes, name: str = "in.mlir", *, ctx: Context | None = None) -> ModuleOp:
    """The verified module of a text in either form; `tileiras_xdsl.load` looks at dominance too."""
    module = parse_unverified(text, name, ctx=ctx)
    module.verify()
    return module


def parse_type(text: str) -> Attribute:
    """A type as it is written."""
    return TextParser(context(), text).parse_type()


def parse_attribute(text: str) -> Attribute:
    """An attribute or a type as it is written."""
    return TextParser(context(), text).parse_attribute()


def print_module(op: Operation, *, generic: bool = False, debuginfo: bool = False) -> str:
    """A module as xDSL prints it."""
    output = StringIO()
    Printer(output, print_generic_format=generic, print_debuginfo=debuginfo).print_op(op)
    return output.getvalue()


def print_public(module: ModuleOp, *, debuginfo: bool = False) -> str:
    """A module of `cuda_tile` as NVIDIA's disassembler prints it."""
    output = StringIO()
    CudaTilePublicTarget(debuginfo=debuginfo).emit(context(), module, output)
    return output.getvalue()


def ops_of(module: Operation, kind: type[OpT]) -> list[OpT]:
    """The ops of a class, in their order."""
    return [op for op in module.walk() if isinstance(op, kind)]


def ops_named(module: Operation, name: str) -> list[Operation]:
    """The ops of a name, in their order."""
    return [op for op in module.walk() if op.name == name]


def count(module: Operation, name: str) -> int:
    """How many ops have a name."""
    return len(ops_named(module, name))
