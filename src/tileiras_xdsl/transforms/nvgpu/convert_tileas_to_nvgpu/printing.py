"""
Printing, by the first thread of a CTA.

A conversion of the format gets numbers as C passes them: 64 bits where elements have them, floats
as `double`, what it does not take converted first. A tile is put into shared memory and printed as
a list, `[[1, 2], [3, 4]]`: in one call with all else if that has few enough arguments, element by
element otherwise, and other CTAs may print in between.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerType,
    TensorType,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Region, SSAValue

from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.arith import (
    CmpfOp,
    CmpiOp,
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    IndexCastOp,
    SelectOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
from tileiras_xdsl.dialects.gpu import PrintfOp
from tileiras_xdsl.dialects.nv_tileaa.base import get_element
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.memory import PrintOp
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of, with_layout
from tileiras_xdsl.transforms.tileas.kernel_model.thread_types import (
    NATIVE_FLOATS,
    memory_type,
    register_type,
)

from .accesses import move, scratch_bytes, write_scratch
from .barriers import only_if, sync_threads, take_scratch
from .patterns import lower_op, lowers
from .thread_builder import ThreadBuilder
from .thread_index import is_first_thread
from .vectors import extend_index

MAX_ARGUMENTS = 32
"""What one call of the device's `printf` takes."""

CONVERSION = re.compile(r"%(?:%|([^diuoxXeEfFgGaAcsSpn%]*)([diuoxXeEfFgGaAcsSpn]))")
SIZES = re.compile(r"[hlLqjzt]+$")
INTEGERS, FLOATS = "diuoxXc", "eEfFgGaA"
ALIGNMENT = 16


@dataclass(frozen=True)
class Tile:
    """A tile in shared memory."""

    address: SSAValue
    shape: Sequence[int]
    element: Attribute
    """As it is in registers."""

    def load(self, code: ThreadBuilder, number: SSAValue) -> SSAValue:
        """One of its elements."""
        address = move(code, self.address, number, memory_type(self.element))
        value = code.emit(llvm.LoadOp(address, memory_type(self.element))).dereferenced_value
        if self.element == i1:
            return code.emit(TruncIOp(value, i1)).result
        return value


@dataclass
class Output:
    """What is printed: a format and arguments that have not been printed yet."""

    code: ThreadBuilder
    format: str = ""
    arguments: list[SSAValue] = field(default_factory=list[SSAValue])

    def add_number(self, flags: str, kind: str, value: SSAValue) -> None:
        """One conversion of a number."""
        if len(self.arguments) == MAX_ARGUMENTS:
            self.flush()
        text, argument = convert(self.code, flags, kind, value)
        self.format += text
        if argument is not None:
            self.arguments.append(argument)

    def add_tile(self, flags: str, kind: str, tile: Tile) -> None:
        """One conversion of all elements of a tile."""
        count = prod(tile.shape)
        if count + len(self.arguments) > MAX_ARGUMENTS:
            self.flush()
        if count <= MAX_ARGUMENTS:
            self._add_elements(flags, kind, tile, 0, 0)
        else:
            self._add_loops(flags, kind, tile, self.code.constant(0), 0)

    def _add_elements(self, flags: str, kind: str, tile: Tile, number: int, dim: int) -> None:
        if dim == len(tile.shape):
            self.add_number(flags, kind, tile.load(self.code, self.code.constant(number)))
            return
        self.format += "["
        for index in range(tile.shape[dim]):
            if index:
                self.format += ", "
            self._add_elements(flags, kind, tile, number * tile.shape[dim] + index, dim + 1)
        self.format += "]"

    def _add_loops(self, flags: str, kind: str, tile: Tile, start: SSAValue, dim: int) -> None:
        """The list of a part of a tile whose elements begin at a number."""
        code = self.code
        if dim == len(tile.shape):
            self.add_number(flags, kind, tile.load(code, start))
            return
        self.format += "["
        self.flush()
        step = prod(tile.shape[dim + 1 :])
        first, end, one = (code.constant(each, IndexType()) for each in (0, tile.shape[dim], 1))
        body = Block(arg_types=[IndexType()])
        with code.branch(body):
            index = code.emit(IndexCastOp(body.args[0], i32)).result
            is_first = code.emit(CmpiOp(index, code.constant(0), "eq")).result
            comma = Block()
            with code.branch(comma):
                code.emit(PrintfOp(", "))
                code.emit(scf.YieldOp())
            nothing = Block()
            with code.branch(nothing):
                code.emit(scf.YieldOp())
            code.emit(scf.IfOp(is_first, [], Region(nothing), Region(comma)))
            offset = code.emit(arith.MuliOp(index, code.constant(step))).result
            inner = Output(code)
            number = code.emit(arith.AddiOp(start, offset)).result
            inner._add_loops(flags, kind, tile, number, dim + 1)
            inner.flush()
            code.emit(scf.YieldOp())
        code.emit(scf.ForOp(first, end, one, [], Region(body)))
        self.format += "]"

    def flush(self) -> None:
        """Prints what has been collected."""
        if self.format:
            self.code.emit(PrintfOp(self.format, self.arguments))
        self.format, self.arguments = "", []


def convert(
    code: ThreadBuilder, flags: str, kind: str, value: SSAValue
) -> tuple[str, SSAValue | None]:
    """A conversion for the device's `printf`, and the number as it takes it."""
    size = SIZES.search(flags)
    flags = SIZES.sub("", flags)
    if kind == "n":
        return "", None
    if isinstance(value.type, LLVMPointerType):
        value = code.emit(llvm.PtrToIntOp(value, i64)).results[0]
    is_integer = isinstance(value.type, IntegerType)
    if kind in "sS":
        kind = "d" if is_integer else "g"
    if kind in FLOATS:
        return f"%{flags}{kind}", as_float(code, value)
    value = as_integer(code, value)
    if kind == "p":
        return (f"%{flags}p" if flags else "0x%llx"), extend_index(code, value)
    if size is not None and size.group() in ("h", "hh"):
        if value.type == i64:
            value = code.emit(TruncIOp(value, i32)).result
        return f"%{flags}{size.group()}{kind}", value
    if kind == "c" and value.type == i64:
        value = code.emit(TruncIOp(value, i32)).result
    return f"%{flags}{'ll' if value.type == i64 else ''}{kind}", value


def as_float(code: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A number for a conversion of floats; the call itself widens floats."""
    if not isinstance(value.type, IntegerType):
        return value
    convert = UIToFPOp if value.type == i1 else SIToFPOp
    return code.emit(convert(value, f64)).result


def as_integer(code: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A number for a conversion of integers; a float is cut, 0 if it is not finite."""
    ty = value.type
    if ty == i1:
        return code.emit(ExtUIOp(value, i32)).result
    if isinstance(ty, IntegerType):
        return value if ty.width.data >= 32 else code.emit(ExtSIOp(value, i32)).result
    zero = code.emit(arith.ConstantOp(FloatAttr(0.0, ty))).result  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportCallIssue]
    rest = code.emit(arith.SubfOp(value, value)).result
    is_finite = code.emit(CmpfOp(rest, zero, "oeq")).result
    finite = code.emit(SelectOp(is_finite, value, zero)).result
    return code.emit(FPToSIOp(finite, i64)).result


def _readable(code: ThreadBuilder, value: SSAValue) -> tuple[SSAValue, Attribute]:
    """A value whose floats `printf` can take, and its element."""
    element = get_element(value.type)
    is_small = not isinstance(element, IntegerType | LLVMPointerType)
    if not is_small or register_type(element) in NATIVE_FLOATS:
        return code.value(value), register_type(element)
    target: Attribute = f32
    if isinstance(value.type, TensorType):
        shaped = TensorType(f32, value.type.get_shape())
        target = with_layout(shaped, layout_of(value.type))
    widened = FpToFpOp(value, target)
    widened.location = code.location
    lower_op(code, widened)
    result = code.value(widened.results[0])
    widened.drop_all_references()
    return result, f32


@lowers("nv_tileaa.print")
def lower_print(code: ThreadBuilder, op: PrintOp) -> None:
    values = [_readable(code, value) for value in op.arguments]
    is_tensor = [isinstance(value.type, TensorType) for value in op.arguments]
    size, starts = 0, [0] * len(values)
    for index, value in enumerate(op.arguments):
        if is_tensor[index]:
            starts[index] = size
            num_bytes = scratch_bytes(code.layout(value), values[index][1])
            size += -(-num_bytes // ALIGNMENT) * ALIGNMENT
    scratch = take_scratch(code, size) if size else None
    shown: list[SSAValue | Tile] = []
    for index, value in enumerate(op.arguments):
        held, element = values[index]
        if scratch is None or not is_tensor[index]:
            shown.append(held)
            continue
        layout = code.layout(value)
        address = move(code, scratch, code.constant(starts[index]), IntegerType(8))
        write_scratch(code, address, held, layout, element)
        shown.append(Tile(address, layout.shape, element))
    if scratch is not None:
        sync_threads(code)
    with only_if(code, is_first_thread(code)):
        _print_all(code, op.str_.data, shown)


def _print_all(code: ThreadBuilder, fmt: str, values: Sequence[SSAValue | Tile]) -> None:
    output, remaining, position = Output(code), iter(values), 0
    for match in CONVERSION.finditer(fmt):
        output.format += fmt[position : match.start()]
        position = match.end()
        if match.group() == "%%":
            output.format += "%%"
            continue
        value = next(remaining)
        if isinstance(value, Tile):
            output.add_tile(match.group(1), match.group(2), value)
        else:
            output.add_number(match.group(1), match.group(2), value)
    output.format += fmt[position:]
    output.flush()
