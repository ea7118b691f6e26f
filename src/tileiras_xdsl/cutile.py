"""
Kernels of cuTile as programs: functions that `cuda.tile.kernel` decorates. The package `cuda-tile`
reads them and writes bytecode; it needs no GPU for that.

What a kernel is made for depends on what it is called with: types and numbers of dimensions, and
facts such as strides of 1. They come from arguments, or from `array`, which has no elements:

    export(vector_add, [a, b, c, 1024])
    export(vector_add, [array("float32", 1)] * 3 + [1024])
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from io import BytesIO
from math import gcd
from typing import Any, Final, TypeGuard, cast

import ml_dtypes
import numpy as np
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.bytecode.versions import VERSIONS, format_version

_PACKAGE: Final = "cuda.tile"

_DIVISOR: Final = 16
"""Sizes, strides and addresses that are multiples of it are told to be; so does cuTile."""

_INT32: Final = range(-(1 << 31), 1 << 31)


class KernelError(DiagnosticException):
    """A function that is no kernel, or arguments that it cannot be made for."""


@dataclass(frozen=True)
class Array:
    """What is known of an array before there is one."""

    dtype: str
    """As NumPy or ml_dtypes names it: `float32`, `bfloat16`, `float8_e4m3fn`."""
    ndim: int
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    """In elements; none where that may be anything."""
    divisor: int = 1
    """What sizes and strides that are not known are multiples of."""
    memory: range | None = field(default=None, repr=False, compare=False)
    """The bytes from its first element to its last, if there is an array."""
    address: int = 0
    """Of its element at 0, if that is where kernels find it; 0 if it is copied for them."""


def array(dtype: object, ndim: int, *, divisor: int = _DIVISOR) -> Array:
    """
    Stands for a row-major array, of a type that NumPy knows or the name of one; its sizes and
    strides are multiples of `divisor`.
    """
    strides = (*[None] * (ndim - 1), *([1] if ndim else []))
    return Array(_dtype_name(dtype), ndim, (None,) * ndim, strides, divisor)


@dataclass(frozen=True)
class Exported:
    """A kernel as bytecode."""

    name: str
    bytecode: bytes = field(repr=False)
    _annotations: Sequence[Any] = field(repr=False)

    def flatten(self, arguments: Sequence[object]) -> list[Any]:
        """
        What the kernel takes for the arguments of the function: for an array its pointer, sizes
        and strides; nothing for constants.
        """
        _check_count(self.name, self._annotations, arguments)
        return [
            value
            for argument, annotation in zip(arguments, self._annotations, strict=True)
            for value in _flatten(argument, annotation)
        ]


def is_kernel(program: object) -> TypeGuard[Callable[..., object]]:
    """Whether a program is a kernel; functions that are none are a `KernelError`."""
    package = sys.modules.get(_PACKAGE)
    if package is not None and isinstance(program, package.kernel):
        return True
    if callable(program):
        name = getattr(program, "__name__", type(program).__name__)
        raise KernelError(
            f"'{name}' is no kernel: decorate it with cuda.tile.kernel, of the package cuda-tile"
        )
    return False


def export(kernel: Any, arguments: Sequence[object] | None, gpu: str | None = None) -> Exported:
    """
    The bytecode of a kernel for such arguments: arrays or what `array` makes, numbers, tuples.
    What cuTile has to say about the function is raised as it is.
    """
    compilation: Any = import_module(f"{_PACKAGE}.compilation")
    function = kernel._annotated_function.pyfunc
    annotations = kernel._annotated_function.parameter_annotations
    if arguments is None:
        raise KernelError(
            f"say what {function.__name__} is to be made for: arguments=[…], with arrays or "
            "tileiras_xdsl.array(dtype, ndim) for arrays, and all constants"
        )
    _check_count(function.__name__, annotations, arguments)
    maker = _ConstraintMaker(compilation, arguments)
    signature = compilation.KernelSignature(
        [maker.make(*pair) for pair in zip(arguments, annotations, strict=True)],
        compilation.CallingConvention.cutile_python_v2(),
        function.__name__,
    )
    output = BytesIO()
    compilation.export_kernel(
        kernel,
        [signature],
        output,
        gpu_code=None if gpu is None else gpu.removesuffix("a"),
        output_format="tileir_bytecode",
        bytecode_version=format_version(VERSIONS[-1]),
    )
    return Exported(function.__name__, output.getvalue(), annotations)


class _ConstraintMaker:
    """Says to cuTile what is known of arguments."""

    def __init__(self, compilation: Any, arguments: Sequence[object]):
        self.compilation = compilation
        self.types: Any = import_module(_PACKAGE)
        self.arrays = [found for each in arguments for found in _arrays(each)]

    def make(self, argument: Any, annotation: Any) -> Any:
        if annotation.KIND != "leaf":
            return tuple(self.make(*pair) for pair in _pairs(argument, annotation))
        if annotation.constant:
            return argument
        if (known := _describe(argument)) is not None:
            return self.make_array(known, annotation)
        dtype = _scalar_name(argument)
        if annotation.scalar is not None:
            return self.compilation.ScalarConstraint(annotation.scalar.dtype)
        return self.compilation.ScalarConstraint(self.type(dtype))

    def make_array(self, known: Array, annotation: Any) -> Any:
        said = annotation.array
        shape_constant: list[int | None] = [None] * known.ndim
        stride_constant: list[int | None] = [1 if each == 1 else None for each in known.strides]
        if said is not None:
            static_sizes = cast("Sequence[int]", said.static_shape_dims)
            static_strides = cast("Sequence[int]", said.static_stride_dims)
            if static_strides:
                stride_constant = [None] * known.ndim
            for dim in static_sizes:
                shape_constant[dim] = _need(known.shape[dim], "size")
            for dim in static_strides:
                stride_constant[dim] = _need(known.strides[dim], "stride")
        return self.compilation.ArrayConstraint(
            self.type(known.dtype),
            known.ndim,
            index_dtype=self.types.int32 if said is None else said.index_dtype,
            stride_lower_bound_incl=0 if all((s or 0) >= 0 for s in known.strides) else None,
            alias_groups=("shared",) if self.is_shared(known) else (),
            may_alias_internally=0 in known.strides,
            stride_constant=stride_constant,
            shape_constant=shape_constant if any(s is not None for s in shape_constant) else None,
            stride_divisible_by=[
                1 if constant is not None else _divisor(stride, known)
                for stride, constant in zip(known.strides, stride_constant, strict=True)
            ],
            shape_divisible_by=[
                1 if constant is not None else _divisor(size, known)
                for size, constant in zip(known.shape, shape_constant, strict=True)
            ],
            base_addr_divisible_by=self.alignment(known),
        )

    def type(self, name: str) -> Any:
        """cuTile's name of a type."""
        found = getattr(self.types, "bool_" if name == "bool" else name, None)
        if found is None:
            raise KernelError(f"cuTile has no type '{name}'")
        return found

    def alignment(self, known: Array) -> int:
        """Memory of the CPU is copied to where it is aligned, arrays that share some together."""
        if known.memory is None or known.address:
            return gcd(known.address, _DIVISOR)
        return 1 if self.is_shared(known) else _DIVISOR

    def is_shared(self, known: Array) -> bool:
        """Whether another array may have memory in common."""
        mine = known.memory
        if mine is None:
            return False
        others = [each.memory for each in self.arrays if each.memory is not None]
        return sum(mine.start < each.stop and each.start < mine.stop for each in others) > 1


def _check_count(name: str, annotations: Sequence[Any], arguments: Sequence[object]) -> None:
    if len(annotations) != len(arguments):
        raise KernelError(f"{name} takes {len(annotations)} arguments, but got {len(arguments)}")


def _pairs(argument: Any, annotation: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a tuple with their annotations."""
    if not isinstance(argument, tuple):
        raise KernelError(f"expected a tuple, but got {type(argument).__name__}")
    items = cast("tuple[Any, ...]", argument)
    if annotation.KIND == "homogeneous_tuple":
        return ((item, annotation.each) for item in items)
    if len(items) != len(annotation.items):
        raise KernelError(f"expected a tuple of {len(annotation.items)}, but got {len(items)}")
    return zip(items, annotation.items, strict=True)


def _arrays(argument: Any) -> Iterator[Array]:
    if isinstance(argument, tuple):
        for item in cast("tuple[Any, ...]", argument):
            yield from _arrays(item)
    elif (known := _describe(argument)) is not None:
        yield known


def _describe(argument: Any) -> Array | None:
    """What is known of an array; none for what is no array."""
    if isinstance(argument, Array):
        return argument
    if isinstance(argument, np.generic):
        return None
    if isinstance(argument, np.ndarray) or hasattr(argument, "__array_interface__"):
        given: np.ndarray[Any, Any] = np.asarray(argument)
        known = _known(given.dtype, given.shape, _elements(given), given.ctypes.data)
        return replace(known, address=0)
    if callable(stride := getattr(argument, "stride", None)):
        dtype = _numpy_type(str(argument.dtype).rpartition(".")[2])
        strides = cast("tuple[int, ...]", stride())
        return _known(dtype, argument.shape, strides, argument.data_ptr())
    if (interface := getattr(argument, "__cuda_array_interface__", None)) is not None:
        dtype = np.dtype(interface["typestr"])
        shape = interface["shape"]
        steps = interface.get("strides")
        strides = _row_major(shape) if steps is None else [step // dtype.itemsize for step in steps]
        return _known(dtype, shape, strides, interface["data"][0])
    return None


def _known(
    dtype: np.dtype[Any], shape: Sequence[int], strides: Sequence[int], address: int
) -> Array:
    steps = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    memory = range(address, address)
    if 0 not in shape:
        last = sum(step for step in steps if step > 0) + 1
        first = sum(step for step in steps if step < 0)
        memory = range(address + first * dtype.itemsize, address + last * dtype.itemsize)
    return Array(dtype.name, len(shape), tuple(shape), tuple(strides), 1, memory, address)


def _numpy_type(name: str) -> np.dtype[Any]:
    """The type that NumPy or ml_dtypes has for a name."""
    return np.dtype(getattr(ml_dtypes, name, name))


def _elements(given: np.ndarray[Any, Any]) -> list[int]:
    """Strides in elements."""
    return [stride // given.itemsize for stride in given.strides]


def _row_major(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return strides[: len(shape)]


def _divisor(number: int | None, known: Array) -> int:
    return known.divisor if number is None else gcd(number, _DIVISOR)


def _need(number: int | None, what: str) -> int:
    if number is None:
        raise KernelError(f"the kernel is made for a {what}, so give an array that has one")
    return number


def _scalar_name(argument: Any) -> str:
    match argument:
        case np.generic():
            return argument.dtype.name
        case bool():
            return "bool"
        case int():
            return "int32" if argument in _INT32 else "int64"
        case float():
            return "float32"
        case _:
            raise KernelError(
                f"arguments are arrays, numbers and tuples, not {type(argument).__name__}"
            )


def _dtype_name(dtype: object) -> str:
    if isinstance(dtype, str):
        return dtype
    if isinstance(name := getattr(dtype, "name", None), str):
        return name
    return np.dtype(cast(Any, dtype)).name


def _flatten(argument: Any, annotation: Any) -> Iterator[Any]:
    if annotation.KIND != "leaf":
        for pair in _pairs(argument, annotation):
            yield from _flatten(*pair)
    elif annotation.constant:
        return
    elif (known := _describe(argument)) is None:
        yield argument
    elif argument is known:
        raise KernelError("what array() makes has no elements, so nothing can be run on it")
    else:
        yield argument
        yield from known.shape
        yield from known.strides
