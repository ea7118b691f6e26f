"""Assertions, and calls of functions that the device has: output, and those of libdevice."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
from xdsl.dialects.builtin import f64, i32, i64
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.interpreter.arithmetic import LIBDEVICE
from tileiras_xdsl.interpreter.attributes import property_of, word
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS, BoundProgram, Function, InCta
from tileiras_xdsl.interpreter.printing import CONVERSION, format_values
from tileiras_xdsl.interpreter.types import element_of
from tileiras_xdsl.interpreter.values import Array, alike, from_rows, row_bits

from . import accesses
from .accesses import GENERIC, How, lanes_of
from .state import CtaThreads

LONG = re.compile(r"l|j|z|t")
"""Sizes of integers that have 64 bits."""


def _fail(cta: CtaThreads, message: str, failed: Array) -> None:
    thread = cta.names.thread(cta.numbers[np.argmax(failed)])
    raise ExecutionError(f"failed: {message} ({thread})")


@THREADS.runs("cf.assert", message=word("msg"))
def run_assert(cta: CtaThreads, condition: Array, *, message: str) -> None:
    """Ends the program unless a condition holds for all threads."""
    failed = ~cta.full(condition) & cta.active_mask()
    if failed.any():
        _fail(cta, message, failed)


@THREADS.runs("llvm.intr.trap")
def run_trap(cta: CtaThreads) -> None:
    """Ends the program; what it printed before says why."""
    _fail(cta, cta.last_line.strip() or "trap", cta.active_mask())


@THREADS.binds("llvm.call", "func.call")
def bind_call(op: Operation, program: BoundProgram) -> Function | InCta:
    """A function that the device has."""
    callee = property_of(op, "callee")
    name = "" if callee is None else str(callee).removeprefix("@").strip('"')
    if name == "vprintf":
        return InCta(partial(_vprintf, How(op, GENERIC)))
    if name == "__assertfail":
        return InCta(_assertfail)
    if name == "malloc":
        return InCta(_malloc)
    if name == "free":
        return InCta(_free)
    function = LIBDEVICE.get(name) or LIBDEVICE.get(name.removesuffix("f"))
    if function is None or not op.operands:
        raise ExecutionError(f"a call of '{name}' cannot be run on the CPU", op)
    element = element_of(op.operands[0].type)
    return lambda *values: function(element, *alike(values))


def _malloc(cta: CtaThreads, size: Array) -> Array:
    """Memory on the heap of the device, for each thread that executes; it holds nothing yet."""
    sizes, addresses = cta.full(size), np.zeros(cta.threads, np.int64)
    for thread in np.flatnonzero(cta.active_mask()):
        addresses[thread] = cta.memory.allocate(int(sizes[thread]), "the heap of the device")
    return addresses


def _free(cta: CtaThreads, address: Array) -> None:
    """Gives memory back."""
    for place in cta.full(address)[cta.active_mask()]:
        if not cta.memory.free(int(place)):
            raise ExecutionError(f"frees address {int(place):#x}, where no memory begins")


def _text_at(cta: CtaThreads, address: Array) -> str:
    """The characters in memory up to a zero."""
    place = cta.uniform(address, "the address of a text")
    piece = cta.memory.find(place)
    if piece is None:
        raise ExecutionError(f"there is no text at address {place:#x}")
    return piece.data[place - piece.base :].tobytes().partition(b"\0")[0].decode(errors="replace")


def _types_of(fmt: str) -> list[Attribute]:
    """The types of the values that a format takes."""
    types: list[Attribute] = []
    for conversion in CONVERSION.findall(fmt):
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


def _vprintf(how: How, cta: CtaThreads, fmt: Array, values: Array) -> Array:
    """Prints values that lie in memory one after the other, each aligned to its size."""
    text = _text_at(cta, fmt)
    types = _types_of(text)
    arrays: list[Array] = []
    offset = 0
    for ty in types:
        size = row_bits(ty) // 8
        offset = -(-offset // size) * size
        lanes = lanes_of(cta, values + offset, None)
        arrays.append(from_rows(accesses.load(how, cta, lanes, size), ty))
        offset += size
    for thread in np.flatnonzero(cta.active_mask()):
        cta.write(format_values(text, [array[thread] for array in arrays], types))
    return np.array([len(types)], np.int32)


def _assertfail(cta: CtaThreads, message: Array, *place: Array) -> None:
    """Ends the program."""
    _fail(cta, _text_at(cta, message), cta.active_mask())


@THREADS.binds("llvm.inline_asm")
def bind_inline_asm(op: Operation, program: BoundProgram) -> Function:
    """PTX, which has no meaning here."""
    text = property_of(op, "asm_string")
    raise ExecutionError(f"inline assembly cannot be run on the CPU: {text}", op)
