"""
Printing, by the first thread of a CTA.

A conversion specification of the format gets numbers as C passes them: 64 bits where elements have
them, floats as `double`, what it does not take converted first. A tile is put into shared memory
and printed as a list, `[[1, 2], [3, 4]]`: in one call with all else if that has few enough
arguments, element by element otherwise, and other CTAs may print in between. Tiles that do not fit
in shared memory go through it in windows, one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerType,
    TensorType,
    VectorType,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, Block, Region, SSAValue

from tileiras_xdsl.dialects import llvm
from tileiras_xdsl.dialects.arith import (
    FPToSIOp,
    IndexCastOp,
    SIToFPOp,
    UIToFPOp,
)
from tileiras_xdsl.dialects.gpu import BlockIdOp, PrintfOp
from tileiras_xdsl.dialects.llvm import TrapOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileaa.elementwise import FpToFpOp
from tileiras_xdsl.dialects.nv_tileaa.memory import AssertOp, PrintOp
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of, with_layout
from tileiras_xdsl.dialects.nvvm import NanosleepOp
from tileiras_xdsl.dialects.vector import ReductionOp
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    NATIVE_FLOATS,
    memory_type,
    register_type,
)
from tileiras_xdsl.xdsl_extras.diagnostics import source_location

from .accesses import move, scratch_bytes, write_scratch
from .barriers import only_if, sync_threads, take_scratch
from .exchange import Window, write_shared_tile
from .lowering_registry import lower_op, lowers
from .thread_builder import ThreadBuilder, element_of, extend_index
from .thread_index import get_thread, is_first_thread, is_owner

# Assertions: a message on standard output, then a trap, which fails the launch.
#
# Device code has `__assertfail` for this, but the driver prints its messages to standard error,
# and what reads them (cuTile's tests, as with NVIDIA's compiler) looks at standard output. The
# message has the form of `__assertfail`:
#
#     kernel.py:12: kernel: block: [3,0,0], thread: [17,0,0] Assertion `x is positive` failed.
#
# Of all threads that hold a false element only the one that owns it prints and traps: another
# could end the grid before anything is printed.

DELAY = 1_000_000
"""Nanoseconds, the most that a thread can sleep: other threads that fail print in this time."""


@lowers(AssertOp)
def lower_assert(builder: ThreadBuilder, op: AssertOp) -> None:
    holds = builder.lookup(op.condition)
    if isinstance(holds.type, VectorType):
        holds = builder.emit(ReductionOp(holds, CombiningKindAttr(CombiningKindFlag.AND))).dest
    fails = builder.binary("xor", holds, 1)
    is_tile = isinstance(op.condition.type, TensorType)
    owner = is_owner(builder, builder.layout(op.condition)) if is_tile else is_first_thread(builder)
    if owner is not None:
        fails = builder.binary("and", fails, owner)
    with only_if(builder, fails):
        builder.emit(
            PrintfOp(_message_format(builder, op), [*_block_index(builder), get_thread(builder)])
        )
        builder.emit(NanosleepOp(builder.constant(DELAY)))
        builder.emit(TrapOp())


def _message_format(builder: ThreadBuilder, op: AssertOp) -> str:
    """The message as a format for the index of a block and the number of a thread."""
    location = source_location(op)
    place = "" if location is None else f"{location.filename.data}:{location.line.data}: "
    what = f"Assertion `{op.message.data}` failed." if op.message.data else "Assertion failed."
    head, tail = f"{place}{builder.kernel.function.sym_name.data}: ", f" {what}\n"
    index = "block: [%d,%d,%d], thread: [%d,0,0]"
    return head.replace("%", "%%") + index + tail.replace("%", "%%")


def _block_index(builder: ThreadBuilder) -> list[SSAValue]:
    indices = [builder.emit(BlockIdOp(DimensionAttr(each))).result for each in DimensionEnum]
    return [builder.emit(IndexCastOp(index, i32)).result for index in indices]


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

    def load(self, builder: ThreadBuilder, linear_index: SSAValue) -> SSAValue:
        """One of its elements."""
        address = move(builder, self.address, linear_index, memory_type(self.element))
        value = builder.emit(llvm.LoadOp(address, memory_type(self.element))).dereferenced_value
        if self.element == i1:
            return builder.cast("trunc", value, i1)
        return value


@dataclass
class Output:
    """What is printed: a format and arguments that have not been printed yet."""

    builder: ThreadBuilder
    format: str = ""
    arguments: list[SSAValue] = field(default_factory=list[SSAValue])

    def add_number(self, flags: str, kind: str, value: SSAValue) -> None:
        """One conversion of a number."""
        if len(self.arguments) == MAX_ARGUMENTS:
            self.flush()
        text, argument = convert(self.builder, flags, kind, value)
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
            self._add_loops(flags, kind, tile, self.builder.constant(0), 0)

    def _add_elements(self, flags: str, kind: str, tile: Tile, linear_index: int, dim: int) -> None:
        if dim == len(tile.shape):
            self.add_number(
                flags, kind, tile.load(self.builder, self.builder.constant(linear_index))
            )
            return
        self.format += "["
        for index in range(tile.shape[dim]):
            if index:
                self.format += ", "
            self._add_elements(flags, kind, tile, linear_index * tile.shape[dim] + index, dim + 1)
        self.format += "]"

    def _add_loops(self, flags: str, kind: str, tile: Tile, start: SSAValue, dim: int) -> None:
        """The list of a part of a tile whose elements start at a linear index."""
        builder = self.builder
        if dim == len(tile.shape):
            self.add_number(flags, kind, tile.load(builder, start))
            return
        self.format += "["
        self.flush()
        step = prod(tile.shape[dim + 1 :])
        first, end, one = (builder.constant(each, IndexType()) for each in (0, tile.shape[dim], 1))
        body = Block(arg_types=[IndexType()])
        with builder.at_end_of(body):
            index = builder.emit(IndexCastOp(body.args[0], i32)).result
            is_first = builder.compare("eq", index, 0)
            comma = Block()
            with builder.at_end_of(comma):
                builder.emit(PrintfOp(", "))
                builder.emit(scf.YieldOp())
            nothing = Block()
            with builder.at_end_of(nothing):
                builder.emit(scf.YieldOp())
            builder.emit(scf.IfOp(is_first, [], Region(nothing), Region(comma)))
            offset = builder.binary("mul", index, step)
            inner = Output(builder)
            linear_index = builder.binary("add", start, offset)
            inner._add_loops(flags, kind, tile, linear_index, dim + 1)
            inner.flush()
            builder.emit(scf.YieldOp())
        builder.emit(scf.ForOp(first, end, one, [], Region(body)))
        self.format += "]"

    def flush(self) -> None:
        """Prints what has been collected."""
        if self.format:
            self.builder.emit(PrintfOp(self.format, self.arguments))
        self.format, self.arguments = "", []


def convert(
    builder: ThreadBuilder, flags: str, kind: str, value: SSAValue
) -> tuple[str, SSAValue | None]:
    """A conversion for the device's `printf`, and the number as it takes it."""
    size = SIZES.search(flags)
    flags = SIZES.sub("", flags)
    if kind == "n":
        return "", None
    if isinstance(value.type, LLVMPointerType):
        value = builder.emit(llvm.PtrToIntOp(value, i64)).results[0]
    is_integer = isinstance(value.type, IntegerType)
    if kind in "sS":
        kind = "d" if is_integer else "g"
    if kind in FLOATS:
        return f"%{flags}{kind}", as_float(builder, value)
    value = as_integer(builder, value)
    if kind == "p":
        return (f"%{flags}p" if flags else "0x%llx"), extend_index(builder, value)
    if size is not None and size.group() in ("h", "hh"):
        if value.type == i64:
            value = builder.cast("trunc", value, i32)
        return f"%{flags}{size.group()}{kind}", value
    if kind == "c" and value.type == i64:
        value = builder.cast("trunc", value, i32)
    return f"%{flags}{'ll' if value.type == i64 else ''}{kind}", value


def as_float(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A number for a conversion of floats; the call itself widens floats."""
    if not isinstance(value.type, IntegerType):
        return value
    convert = UIToFPOp if value.type == i1 else SIToFPOp
    return builder.emit(convert(value, f64)).result


def as_integer(builder: ThreadBuilder, value: SSAValue) -> SSAValue:
    """A number for a conversion of integers; a float is cut, 0 if it is not finite."""
    ty = value.type
    if ty == i1:
        return builder.cast("zext", value, i32)
    if isinstance(ty, IntegerType):
        return value if ty.width.data >= 32 else builder.cast("sext", value, i32)
    zero = builder.emit(arith.ConstantOp(FloatAttr(0.0, ty))).result  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportCallIssue]
    rest = builder.binary("fsub", value, value)
    is_finite = builder.compare("oeq", rest, zero)
    finite = builder.select(is_finite, value, zero)
    return builder.emit(FPToSIOp(finite, i64)).result


def _readable(builder: ThreadBuilder, value: SSAValue) -> tuple[SSAValue, Attribute]:
    """A value whose floats `printf` can take, and its element."""
    element = get_element(value.type)
    is_small = not isinstance(element, IntegerType | LLVMPointerType)
    if not is_small or register_type(element) in NATIVE_FLOATS:
        return builder.lookup(value), register_type(element)
    target: Attribute = f32
    if isinstance(value.type, TensorType):
        shaped = TensorType(f32, value.type.get_shape())
        target = with_layout(shaped, layout_of(value.type))
    widened = FpToFpOp(value, target)
    widened.location = builder.location
    lower_op(builder, widened)
    result = builder.lookup(widened.results[0])
    widened.drop_all_references()
    return result, f32


@lowers(PrintOp)
def lower_print(builder: ThreadBuilder, op: PrintOp) -> None:
    values = [_readable(builder, value) for value in op.arguments]
    is_tensor = [isinstance(value.type, TensorType) for value in op.arguments]
    size, starts = 0, [0] * len(values)
    for index, value in enumerate(op.arguments):
        if is_tensor[index]:
            starts[index] = size
            num_bytes = scratch_bytes(builder.layout(value), values[index][1])
            size += -(-num_bytes // ALIGNMENT) * ALIGNMENT
    if size > builder.kernel.model.scratch_budget.bytes:
        _print_windows(builder, op, [value for value, _ in values])
        return
    scratch = take_scratch(builder, size) if size else None
    shown: list[SSAValue | Tile] = []
    for index, value in enumerate(op.arguments):
        held, element = values[index]
        if scratch is None or not is_tensor[index]:
            shown.append(held)
            continue
        layout = builder.layout(value)
        address = move(builder, scratch, builder.constant(starts[index]), IntegerType(8))
        write_scratch(builder, address, held, layout, element)
        shown.append(Tile(address, layout.shape, element))
    if scratch is not None:
        sync_threads(builder)
    with only_if(builder, is_first_thread(builder)):
        _print_all(builder, op.str_.data, shown)


def _print_windows(builder: ThreadBuilder, op: PrintOp, values: Sequence[SSAValue]) -> None:
    """Prints all arguments one after the other, and tiles window by window."""
    first, position = is_first_thread(builder), 0
    for match, argument, value in _conversions(op, values):
        text = op.str_.data[position : match.start()]
        position = match.end()
        if not isinstance(argument.type, TensorType):
            with only_if(builder, first):
                output = Output(builder, text)
                output.add_number(match.group(1), match.group(2), value)
                output.flush()
            continue
        layout = builder.layout(argument)
        with only_if(builder, first):
            Output(builder, text).flush()
        for window in write_shared_tile(builder, value, layout):
            with only_if(builder, first):
                tile = Tile(window.scratch, layout.shape, element_of(value.type))
                _print_window(builder, match.group(1), match.group(2), tile, window)
    with only_if(builder, first):
        Output(builder, op.str_.data[position:]).flush()


def _conversions(
    op: PrintOp, values: Sequence[SSAValue]
) -> Iterator[tuple[re.Match[str], SSAValue, SSAValue]]:
    """The conversions of a format, with the argument of each and what it became."""
    arguments = zip(op.arguments, values, strict=True)
    for match in CONVERSION.finditer(op.str_.data):
        if match.group() != "%%":
            yield match, *next(arguments)


def _print_window(
    builder: ThreadBuilder, flags: str, kind: str, tile: Tile, window: Window
) -> None:
    """A loop over the elements of a window of a tile, with the brackets around them."""
    spans = [prod(tile.shape[dim:]) for dim in range(len(tile.shape))]
    index = IndexType()
    bounds = [builder.constant(bound, index) for bound in (0, window.elements, 1)]
    body = Block(arg_types=[index])
    with builder.at_end_of(body):
        place = builder.emit(IndexCastOp(body.args[0], i32)).result
        start = builder.constant(window.index * window.elements)
        linear_index = builder.binary("add", start, place)
        following = builder.binary("add", linear_index, 1)
        is_start = _divides(builder, spans[0], linear_index)
        with only_if(builder, builder.binary("xor", is_start, 1)):
            builder.emit(PrintfOp(", "))
        for span in spans:
            with only_if(builder, _divides(builder, span, linear_index)):
                builder.emit(PrintfOp("["))
        output = Output(builder)
        output.add_number(flags, kind, tile.load(builder, place))
        output.flush()
        for span in reversed(spans):
            with only_if(builder, _divides(builder, span, following)):
                builder.emit(PrintfOp("]"))
        builder.emit(scf.YieldOp())
    builder.emit(scf.ForOp(bounds[0], bounds[1], bounds[2], [], Region(body)))


def _divides(builder: ThreadBuilder, span: int, number: SSAValue) -> SSAValue:
    """Whether a number is a multiple of a power of two."""
    rest = builder.binary("and", number, span - 1)
    return builder.compare("eq", rest, 0)


def _print_all(builder: ThreadBuilder, fmt: str, values: Sequence[SSAValue | Tile]) -> None:
    output, remaining, position = Output(builder), iter(values), 0
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
