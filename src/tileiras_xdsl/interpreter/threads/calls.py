"""Assertions, and calls of functions that the device has: output, and those of libdevice."""

from __future__ import annotations

import re

import numpy as np
from xdsl.dialects.builtin import StringAttr, f64, i32, i64
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.printing import CONVERSION, format_values

from . import accesses
from .accesses import GENERIC, lanes_of
from .arithmetic import LIBDEVICE, alike
from .attributes import property_of
from .machine import Function, InBlock, Program, binds
from .state import BlockState
from .values import Array, element_of, from_rows, row_bits

LONG = re.compile(r"l|j|z|t")
"""Sizes of integers that have 64 bits."""


def _fail(op: Operation, block: BlockState, message: str, failed: Array) -> None:
    thread = block.names.thread(block.numbers[np.argmax(failed)])
    raise ExecutionError(f"failed: {message} ({thread})", op)


@binds("cf.assert")
def bind_assert(op: Operation, program: Program) -> InBlock:
    """Ends the program unless a condition holds for all threads."""
    message = property_of(op, "msg")
    text = message.data if isinstance(message, StringAttr) else ""

    def apply(block: BlockState, condition: Array) -> tuple[()]:
        failed = ~block.full(condition) & block.active_mask()
        if failed.any():
            _fail(op, block, text, failed)
        return ()

    return InBlock(apply)


@binds("llvm.call", "func.call")
def bind_call(op: Operation, program: Program) -> Function | InBlock:
    """A function that the device has."""
    callee = property_of(op, "callee")
    name = "" if callee is None else str(callee).removeprefix("@").strip('"')
    if name == "vprintf":
        return _bind_vprintf(op)
    if name == "__assertfail":
        return _bind_assertfail(op)
    word = name.removeprefix("__nv_")
    function = LIBDEVICE.get(word) or LIBDEVICE.get(word.removesuffix("f"))
    if word == name or function is None or not op.operands:
        raise ExecutionError(f"a call of '{name}' cannot be run on the CPU", op)
    element = element_of(op.operands[0].type)
    return lambda *values: function(element, *alike(values))


def _text_at(block: BlockState, address: Array) -> str:
    """The characters in memory up to a zero."""
    place = block.uniform(address, "the address of a text")
    piece = block.memory.find(place)
    if piece is None:
        raise ExecutionError(f"there is no text at address {place:#x}")
    return piece.data[place - piece.base :].tobytes().partition(b"\0")[0].decode(errors="replace")


def _types_of(format: str) -> list[Attribute]:
    """The types of the values that a format takes."""
    types: list[Attribute] = []
    for conversion in CONVERSION.findall(format):
        match conversion[-1]:
            case "%":
                continue
            case kind if kind in "eEfFgGaA":
                types.append(f64)
            case kind if kind in "ps" or LONG.search(conversion):
                types.append(i64)
            case _:
                types.append(i32)
    return types


def _bind_vprintf(op: Operation) -> InBlock:
    """Prints values that lie in memory one after the other, each aligned to its size."""

    def apply(block: BlockState, format: Array, values: Array) -> Array:
        text = _text_at(block, format)
        types = _types_of(text)
        arrays: list[Array] = []
        offset = 0
        for type in types:
            size = row_bits(type) // 8
            offset = -(-offset // size) * size
            lanes = lanes_of(block, values + offset, None)
            arrays.append(from_rows(accesses.load(op, block, GENERIC, lanes, size), type))
            offset += size
        for thread in np.flatnonzero(block.active_mask()):
            block.write(format_values(text, [array[thread] for array in arrays], types))
        return np.array([len(types)], np.int32)

    return InBlock(apply)


def _bind_assertfail(op: Operation) -> InBlock:
    """Ends the program."""

    def apply(block: BlockState, message: Array, *place: Array) -> tuple[()]:
        _fail(op, block, _text_at(block, message), block.active_mask())
        return ()

    return InBlock(apply)


@binds("llvm.inline_asm")
def bind_inline_asm(op: Operation, program: Program) -> Function:
    """PTX, which has no meaning here."""
    text = property_of(op, "asm_string")
    raise ExecutionError(f"inline assembly cannot be run on the CPU: {text}", op)
