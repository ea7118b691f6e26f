"""
The arguments of a launch on the CPU: in memory as compiled code reads them, and whether they are
what the kernel takes for granted.

Compiled code believes what `assume` says of parameters, and that arrays are as large as its views
of them, of which it masks the edges. What is known before a launch is compared with the arrays;
where it does not hold, the interpreter can still run the kernel.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

import numpy as np
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.cuda_tile.enums import Signedness
from tileiras_xdsl.dialects.cuda_tile.types import TensorViewType
from tileiras_xdsl.frontend.cutile_kernels import ArrayList
from tileiras_xdsl.interpreter.arguments import (
    ADDRESS,
    POINTERS,
    as_array,
    as_scalar,
    describe_argument,
    name_parameters,
    scalar_type,
)
from tileiras_xdsl.interpreter.checks import check_predicate
from tileiras_xdsl.interpreter.elements import signed
from tileiras_xdsl.interpreter.errors import ExecutionError, JitLaunchError
from tileiras_xdsl.interpreter.memory import (
    PagedArray,
    SparseArray,
    Uninitialized,
    byte_bounds,
    first_byte,
)
from tileiras_xdsl.interpreter.tiles import elements_of
from tileiras_xdsl.interpreter.values import element_of, shape_of

Array: TypeAlias = np.ndarray[Any, Any]

WORD: Final = 8
"""Bytes of an argument."""
NO_RESERVE: Final = 0x4000 if sys.platform == "linux" else 0
"""`MAP_NORESERVE`: memory that is never touched does not count."""
IN_LISTS: Final = -1
"""Stands for the arrays of lists among the numbers of parameters."""


class Arguments:
    """The arguments of a kernel in memory as its function reads them, 8 bytes each."""

    def __init__(
        self,
        kernel: Operation,
        args: Sequence[Any],
        written: Sequence[int],
        *,
        has_extents: bool = False,
    ):
        parameters = kernel.regions[0].block.args
        if len(args) != len(parameters):
            raise ExecutionError(f"takes {len(parameters)} arguments, but got {len(args)}", kernel)
        names = name_parameters(parameters)
        packed = bytearray()
        self.arrays: dict[SSAValue, Array] = {}
        """By parameter; keeps their memory alive."""
        self.tables: list[Array] = []
        """Of addresses of arrays in lists; they have to live as long as a launch."""
        self.sparse: list[tuple[SparseArray, Array]] = []
        """Those that are held in parts, and where all of them are."""
        self.numbers: dict[SSAValue, int] = {}
        """Addresses of arrays, and integers with their signs."""
        for number, (parameter, argument) in enumerate(zip(parameters, args, strict=True)):
            ty = scalar_type(parameter.type)
            described = describe_argument(number, parameter.name_hint)
            if not isinstance(ty, POINTERS):
                element = element_of(ty)
                scalar = as_scalar(argument, element, described, kernel)
                packed += scalar.tobytes().ljust(WORD, b"\0")
                if scalar.dtype.kind in "iu":
                    self.numbers[parameter] = int(signed(scalar))
                continue
            if isinstance(argument, Uninitialized):
                argument = argument.array
            if isinstance(argument, PagedArray):
                raise JitLaunchError(
                    f"{described} is not all in memory, as compiled code needs it", kernel
                )
            if isinstance(argument, SparseArray):
                argument = self._reserve(argument, described, kernel)
            if isinstance(argument, ArrayList):
                items = [as_array(array, ADDRESS, described, kernel) for array, *_ in argument.rows]
                for place, item in enumerate(items):
                    if IN_LISTS in written and not item.flags.writeable:
                        name = f"{names[number]}[{place}]"
                        raise ExecutionError(f"may write to '{name}', which is read-only", kernel)
                argument = argument.make_table([first_byte(item) for item in items])
                self.tables.append(argument)
            array = as_array(argument, ty, described, kernel)
            if number in written and not array.flags.writeable:
                raise ExecutionError(f"writes to '{names[number]}', which is read-only", kernel)
            self.arrays[parameter] = array
            self.numbers[parameter] = first_byte(array)
            packed += first_byte(array).to_bytes(WORD, "little")
        for array in self.arrays.values() if has_extents else ():
            # The parameters of `insert-runtime-checks`.
            low, high = byte_bounds(array)
            for extent in (first_byte(array) - low, high - first_byte(array)):
                packed += extent.to_bytes(WORD, "little")
        self.packed = bytes(packed)

    def _reserve(self, sparse: SparseArray, described: str, kernel: Operation) -> Array:
        """All of an array that is held in parts, in memory that there is where it is touched."""
        for known, array in self.sparse:
            if known is sparse:
                return array
        dtype = np.dtype(sparse.dtype)
        try:
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
            memory = mmap.mmap(-1, max(1, sparse.size * dtype.itemsize), flags)
        except (AttributeError, OSError, OverflowError) as error:
            raise JitLaunchError(f"{described} cannot be in memory: {error}", kernel) from None
        array = np.frombuffer(memory, dtype)[: sparse.size]
        for place, part in sparse.parts.items():
            array[place : place + len(part)] = part
        array.flags.writeable = all(part.flags.writeable for part in sparse.parts.values())
        self.sparse.append((sparse, array))
        return array

    def put_back(self) -> None:
        """Gives the parts of sparse arrays what a launch has written."""
        for sparse, array in self.sparse:
            for place, part in sparse.parts.items() if array.flags.writeable else ():
                part[:] = array[place : place + len(part)]


class Words:
    """What the function of a kernel reads: packed arguments, and what a launch adds to them."""

    def __init__(self, packed: bytes, reporter: int, pause: int):
        """
        The functions that compiled code calls: to print, and if an assertion fails; and to let
        other threads run while a tile block may wait for others.
        """
        self._packed = np.frombuffer(bytearray(packed) + bytes(3 * WORD), np.uint8)
        self._words = self._packed[-3 * WORD :].view(np.int64)
        self._words[0], self._words[2] = reporter, pause

    def stop(self) -> None:
        """Ends loops that may wait for other tile blocks."""
        self._words[1] = 1

    @property
    def address(self) -> int:
        return first_byte(self._packed)


def launch_key(args: Sequence[Any]) -> Hashable:
    """
    What arguments are packed and checked by: where arrays are, with their shapes and types, and
    numbers; `TypeError` for others.
    """
    return tuple(map(_key, args))


def _key(argument: Any) -> Hashable:
    # Numbers of different types may be equal.
    kind = cast("type[Any]", type(argument))
    if kind is np.ndarray:
        place = argument.__array_interface__["data"]
        return place, argument.shape, argument.strides, argument.dtype
    if kind in (int, bool, str, type(None)):
        return kind, argument
    if kind is float:
        # Zeros are equal, whatever their sign, and a NaN is not equal to itself.
        return argument.hex()
    if kind is tuple:
        return kind, launch_key(argument)
    if callable(stride := getattr(argument, "stride", None)):
        where = str(getattr(argument, "device", "")), argument.data_ptr()
        return *where, tuple(argument.shape), cast("Any", stride()), argument.dtype
    raise TypeError


class Promises:
    """What a kernel takes for granted of its arguments, as far as it is known before a launch."""

    def __init__(self, kernel: Operation):
        self._known: dict[SSAValue, int] = {}
        """Constants."""
        self._ops: list[ct.ExtIOp | ct.AssumeOp | ct.MakeTensorViewOp] = []
        for op in kernel.regions[0].block.ops:
            match op:
                case ct.ConstantOp() if not shape_of(op.result.type):
                    number = elements_of(op.elements)
                    if number.dtype.kind in "iu":
                        self._known[op.result] = int(signed(number))
                case ct.AssumeOp() | ct.MakeTensorViewOp():
                    self._ops.append(op)
                case ct.ExtIOp() if op.signedness.data is Signedness.SIGNED:
                    self._ops.append(op)
                case _:
                    pass

    def check(self, arguments: Arguments) -> None:
        """Compares them with the arguments of a launch: a `JitLaunchError` says what is wrong."""
        known = self._known | arguments.numbers
        arrays = dict(arguments.arrays)
        for op in self._ops:
            if isinstance(op, ct.MakeTensorViewOp):
                if (array := arrays.get(op.base)) is not None:
                    check_view(op, known, array)
                continue
            value, result = op.operands[0], op.results[0]
            if (number := known.get(value)) is None:
                continue
            known[result] = number
            if (array := arrays.get(value)) is not None:
                arrays[result] = array
            if isinstance(op, ct.AssumeOp):
                try:
                    check_predicate(op, None, np.array(number))
                except ExecutionError as error:
                    raise JitLaunchError(error.message, op) from None


def check_view(op: ct.MakeTensorViewOp, known: Mapping[SSAValue, int], array: Array) -> None:
    """A view lies in its array, if it is known before the launch how large it is."""
    ty = op.result.type
    assert isinstance(ty, TensorViewType)
    try:
        sizes = _numbers(ty.shape.data, op.dynamic_shape, known)
        strides = _numbers(ty.strides.data, op.dynamic_strides, known)
    except KeyError:
        return
    if any(size < 1 for size in sizes):
        return
    reaches = [(size - 1) * stride for size, stride in zip(sizes, strides, strict=True)]
    bits = memory_bits(ty.element_type)
    first = sum(each for each in reaches if each < 0) * bits // 8
    end = -(-(sum(each for each in reaches if each > 0) + 1) * bits // 8)
    low, high = byte_bounds(array)
    before, after = low - first_byte(array), high - first_byte(array)
    if first < before or end > after:
        raise JitLaunchError(
            f"is a view of bytes {first} to {end} of an array that has {before} to {after}", op
        )


def _numbers(
    static: Sequence[int | None], dynamic: Sequence[SSAValue], known: Mapping[SSAValue, int]
) -> list[int]:
    rest = iter(dynamic)
    return [known[next(rest)] if number is None else number for number in static]
