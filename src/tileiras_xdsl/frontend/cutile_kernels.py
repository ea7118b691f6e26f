"""
Kernels of cuTile as programs: functions that `cuda.tile.kernel` decorates. The package `cuda-tile`
reads them and writes bytecode; it needs no GPU for that.

A kernel is specialized for its arguments: types, ranks, and assumptions such as strides of 1 and
divisibility. They come from arguments, or from `array`, which has no elements:

    export(vector_add, [a, b, c, 1024])
    export(vector_add, [array("float32", 1)] * 3 + [1024])

The assumptions are kept (`Promise`), and a kernel refuses arguments that violate them.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import reduce
from importlib import import_module
from inspect import getsourcelines
from inspect import signature as signature_of
from io import BytesIO
from itertools import combinations
from math import gcd
from typing import Any, Final, NoReturn, TypeGuard, cast

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.frontend.bytecode.primitives import VERSIONS, format_version
from tileiras_xdsl.xdsl_extras.public import CallerError

_PACKAGE: Final = "cuda.tile"

_MOST_WORK: Final = 100_000
"""Of finding out whether two arrays have an element in common."""
_DIVISOR: Final = 16
"""Sizes, strides and addresses that are multiples of it are assumed to be, as cuTile does."""

_DLPACK_CPU: Final = 1
"""DLPack's number of memory of the CPU."""

_INTEGERS: Final = {
    "bool": range(2),
    **{f"int{bits}": range(-(1 << bits - 1), 1 << bits - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": range(1 << bits) for bits in (8, 16, 32, 64)},
}
"""The integer range of a type."""


def integer_range(dtype: str) -> range:
    """The integer range of a type."""
    return _INTEGERS[dtype]


DTYPES: Final = {
    **{name: name for name in ("float16", "float32", "float64", "bfloat16", "bool")},
    **{f"{kind}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    "bf16": "bfloat16",
    "i1": "bool",
    "f8e4m3": "float8_e4m3fn",
    "e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "e5m2": "float8_e5m2",
    "float8_e4m3fn": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
    "f8e8m0": "float8_e8m0fnu",
    "float8_e8m0fnu": "float8_e8m0fnu",
}
"""What types may be called, and what NumPy calls them."""


class KernelError(CallerError, DiagnosticException):
    """A function that is no kernel, or arguments that it cannot be made for."""


@dataclass(frozen=True)
class Array:
    """What a kernel is specialized for in an array."""

    dtype: str
    """As NumPy or ml_dtypes names it: `float32`, `bfloat16`, `float8_e4m3fn`."""
    ndim: int
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    """In elements; `None` where that may be anything."""
    divisor: int = 1
    """What sizes and strides that are not known are multiples of."""
    memory: range | None = field(default=None, repr=False, compare=False)
    """The bytes from its first element to its last, if there is an array."""
    address: int = 0
    """Of its element at 0, if that is where kernels find it; 0 if it is copied for them."""
    offset: int = field(default=0, compare=False)
    """Bytes of `memory` before its element at 0, where strides are negative."""


def array(dtype: object, ndim: int, *, divisor: int = _DIVISOR, alignment: int = _DIVISOR) -> Array:
    """
    Stands for a row-major array, of a type that NumPy knows or the name of one; its sizes and
    strides are multiples of `divisor`, its address of `alignment` bytes.
    """
    strides = (*[None] * (ndim - 1), *([1] if ndim else []))
    return Array(
        _dtype_name(dtype), ndim, (None,) * ndim, strides, divisor, address=alignment % _DIVISOR
    )


@dataclass(frozen=True)
class Promise(ABC):
    """What a kernel was compiled for to find in an argument."""

    name: str
    """Of the argument; that of a part of a tuple has its index."""

    @property
    def parameters(self) -> Iterator[str]:
        """The names of the parameters of the kernel that an argument becomes."""
        yield re.sub(r"\W+", "_", self.name).strip("_")

    @abstractmethod
    def flatten(self, argument: Any, arrays: list[tuple[ArrayPromise, Array]]) -> Iterator[Any]:
        """
        What the kernel takes for an argument; `KernelError` if that breaks the promise. Arrays are
        added to a list.
        """

    def refuse(self, reason: str) -> NoReturn:
        """Raises the error that says why an argument is refused."""
        raise KernelError(
            f"argument '{self.name}' {reason}: compile the kernel for these arguments"
        )


@dataclass(frozen=True)
class TuplePromise(Promise):
    """A tuple of as many parts."""

    items: tuple[Promise, ...]

    @property
    def parameters(self) -> Iterator[str]:
        for item in self.items:
            yield from item.parameters

    def flatten(self, argument: Any, arrays: list[tuple[ArrayPromise, Array]]) -> Iterator[Any]:
        count = len(self.items)
        if not isinstance(argument, tuple) or len(cast("tuple[Any, ...]", argument)) != count:
            self.refuse(f"is no tuple of {count}, for which the kernel was compiled")
        for item, promise in zip(cast("tuple[Any, ...]", argument), self.items, strict=True):
            yield from promise.flatten(item, arrays)


@dataclass(frozen=True)
class ConstantPromise(Promise):
    """A number, or whatever else, that is part of the code."""

    value: Any

    @property
    def parameters(self) -> Iterator[str]:
        return iter(())

    def flatten(self, argument: Any, arrays: list[tuple[ArrayPromise, Array]]) -> Iterator[Any]:
        kinds = (bool, float)
        argument = _plain(argument)
        is_same = argument is self.value or (
            bool(argument == self.value or (argument != argument and self.value != self.value))
            and all(isinstance(argument, k) == isinstance(self.value, k) for k in kinds)
        )
        if not is_same:
            self.refuse(f"is {argument!r}, but the kernel was compiled for {self.value!r}")
        return iter(())


@dataclass(frozen=True)
class ScalarPromise(Promise):
    """A number of a type."""

    dtype: str
    is_converted: bool
    """Whether the function says which type it is, to which numbers of others are converted."""

    def flatten(self, argument: Any, arrays: list[tuple[ArrayPromise, Array]]) -> Iterator[Any]:
        if _describe(argument) is not None:
            self.refuse(f"is an array, but the kernel was compiled for a number of {self.dtype}")
        given = _scalar_name(argument, self.name)
        wanted = f"but the kernel was compiled for {self.dtype}"
        if isinstance(argument, np.generic) and given != self.dtype and not self.is_converted:
            self.refuse(f"is a number of {given}, {wanted}")
        if _is_float(given) and not _is_float(self.dtype):
            self.refuse(f"is {argument!r}, {wanted}")
        if (limits := _INTEGERS.get(self.dtype)) is not None and int(argument) not in limits:
            self.refuse(f"is {argument!r}, {wanted}")
        yield argument


@dataclass(frozen=True)
class ArrayPromise(Promise):
    """An array: its specialization, and the divisibility of its sizes, strides and address."""

    dtype: str
    index_dtype: str
    shape: tuple[int | None, ...]
    """Sizes that are part of the code, `None` for others; strides likewise, in elements."""
    strides: tuple[int | None, ...]
    shape_divisors: tuple[int, ...]
    stride_divisors: tuple[int, ...]
    alignment: int
    """Bytes that divide the address of its element at 0."""
    has_negative_strides: bool
    is_shared: bool
    """Whether other arrays may alias it."""
    overlaps_itself: bool
    """Whether several of its elements may be the same memory."""

    @property
    def parameters(self) -> Iterator[str]:
        for name in super().parameters:
            yield name
            yield from (f"{name}_shape{dim}" for dim in range(len(self.shape)))
            yield from (f"{name}_stride{dim}" for dim in range(len(self.strides)))

    def flatten(self, argument: Any, arrays: list[tuple[ArrayPromise, Array]]) -> Iterator[Any]:
        known = describe_argument(argument, self.name)
        if known is None:
            self.refuse(f"is no array of {self.dtype}, for which the kernel was compiled")
        if argument is known:
            raise KernelError("what array() makes has no elements, so nothing can be run on it")
        if (reason := self._why_not(known)) is not None:
            self.refuse(reason)
        arrays.append((self, known))
        yield argument
        yield from known.shape
        yield from known.strides

    def _why_not(self, known: Array) -> str | None:
        """Why an array breaks the promise; `None` if it does not."""
        made = "but the kernel was compiled for"
        if known.dtype != self.dtype:
            return f"has elements of {known.dtype}, {made} {self.dtype}"
        if known.ndim != len(self.shape):
            return f"has {known.ndim} dimensions, {made} {len(self.shape)}"
        limits = _INTEGERS[self.index_dtype]
        for what, numbers, constants, divisors in (
            ("size", known.shape, self.shape, self.shape_divisors),
            ("stride", known.strides, self.strides, self.stride_divisors),
        ):
            for dim, number in enumerate(numbers):
                assert number is not None
                if number not in limits:
                    return f"has a {what} {dim} of {number}, {made} {self.index_dtype}"
                if constants[dim] not in (None, number):
                    return f"has a {what} {dim} of {number}, {made} {constants[dim]}"
                if number % divisors[dim]:
                    return f"has a {what} {dim} of {number}, {made} multiples of {divisors[dim]}"
        if not self.has_negative_strides and any((stride or 0) < 0 for stride in known.strides):
            return f"has strides of {known.strides}, {made} none that are negative"
        if not self.overlaps_itself and _overlaps_itself(known):
            return f"has several elements in one place, {made} one that has not"
        return None


@dataclass(frozen=True)
class ArrayList:
    """
    What a kernel takes for a list of arrays: a pointer to a table, of integers of 64 bits, with the
    address, sizes and strides of each.
    """

    rows: Sequence[Sequence[Any]]
    """Each array, its sizes and its strides."""

    def make_table(self, addresses: Sequence[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The table for arrays at these addresses."""
        pairs = zip(addresses, self.rows, strict=True)
        return np.array([[address, *row[1:]] for address, row in pairs], np.int64)


@dataclass(frozen=True)
class ListPromise(Promise):
    """A list of arrays, of any length."""

    element: ArrayPromise
    """What all of them are."""

    @property
    def parameters(self) -> Iterator[str]:
        (name,) = super().parameters
        yield from (name, f"{name}_length")

    def flatten(self, argument: Any, arrays: list[tuple[ArrayPromise, Array]]) -> Iterator[Any]:
        if not isinstance(argument, list) or not argument:
            self.refuse("is not a list of arrays, for which the kernel was compiled")
        items = cast("list[Any]", argument)
        promises = (replace(self.element, name=f"{self.name}[{i}]") for i in range(len(items)))
        pairs = zip(promises, items, strict=True)
        yield ArrayList([[*promise.flatten(item, arrays)] for promise, item in pairs])
        yield len(items)


@dataclass(frozen=True)
class Exported:
    """A kernel as bytecode."""

    name: str
    bytecode: bytes = field(repr=False)
    promises: Sequence[Promise] = field(repr=False)
    """What it was compiled for, by argument."""

    def name_parameters(self, module: ModuleOp) -> None:
        """Names the parameters of the kernel in its module as in the function."""
        names = [name for promise in self.promises for name in promise.parameters]
        for op in module.walk():
            if isinstance(name := op.properties.get("sym_name"), StringAttr):
                parameters = op.regions[0].blocks[0].args if name.data == self.name else ()
                if len(parameters) == len(names):
                    for parameter, hint in zip(parameters, names, strict=True):
                        parameter.name_hint = hint

    def flatten(self, arguments: Sequence[object]) -> list[Any]:
        """
        What the kernel takes for the arguments of the function: for an array its pointer, sizes
        and strides; nothing for constants. `KernelError` for arguments that it was not compiled
        for.
        """
        check_count(self.name, [each.name for each in self.promises], arguments)
        arrays: list[tuple[ArrayPromise, Array]] = []
        flat = [
            value
            for argument, promise in zip(arguments, self.promises, strict=True)
            for value in promise.flatten(argument, arrays)
        ]
        given = [known for _, known in arrays]
        for promise, known in arrays:
            if _position(known, given) % promise.alignment:
                promise.refuse(
                    f"is not aligned to {promise.alignment} bytes, as the kernel was compiled for"
                )
        for (first, one), (second, other) in combinations(arrays, 2):
            if not (first.is_shared and second.is_shared) and _have_common(one, other):
                second.refuse(
                    f"has memory in common with '{first.name}', but the kernel was compiled for "
                    "arrays that have none"
                )
        return flat


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
    if arguments is None:
        name = kernel._annotated_function.pyfunc.__name__
        raise KernelError(
            f"say what {name} is to be made for: args=[…], with arrays or "
            "tileiras_xdsl.array(dtype, ndim) for arrays, and all constants"
        )
    return export_versions(kernel, [arguments], gpu)[0]


def export_versions(
    kernel: Any, versions: Sequence[Sequence[object]], gpu: str | None = None
) -> list[Exported]:
    """
    The same for several lists of arguments: kernels of one module, called after the function, from
    the second on with a number behind it.
    """
    compilation: Any = import_module(f"{_PACKAGE}.compilation")
    function = kernel._annotated_function.pyfunc
    try:
        getsourcelines(function)
    except OSError:
        raise KernelError(
            f"the source of kernel '{function.__name__}' cannot be read: cuTile compiles what is "
            "in a file or in a cell of a notebook, not what was typed into Python or run by exec"
        ) from None
    promises = [make_promises(kernel, arguments) for arguments in versions]
    names = [f"{function.__name__}_{i}" if i else function.__name__ for i in range(len(versions))]
    signatures = [
        compilation.KernelSignature(
            [_constraint(promise, _shared_groups(each), compilation) for promise in each],
            compilation.CallingConvention.cutile_python_v2(),
            name,
        )
        for each, name in zip(promises, names, strict=True)
    ]
    output = BytesIO()
    compilation.export_kernel(
        kernel,
        signatures,
        output,
        gpu_code=None if gpu is None else gpu.removesuffix("a"),
        output_format="tileir_bytecode",
        bytecode_version=format_version(VERSIONS[-1]),
    )
    bytecode = output.getvalue()
    return [Exported(*each) for each in zip(names, [bytecode] * len(names), promises, strict=True)]


def make_promises(kernel: Any, arguments: Sequence[object]) -> list[Promise]:
    """What a kernel is compiled for to find in such arguments."""
    function = kernel._annotated_function.pyfunc
    annotations = kernel._annotated_function.parameter_annotations
    names = list(signature_of(function).parameters)
    check_count(function.__name__, names, arguments)
    maker = PromiseMaker(dict(zip(names, arguments, strict=True)))
    return [maker.make(*each) for each in zip(names, arguments, annotations, strict=True)]


class PromiseMaker:
    """The assumptions of a kernel, given the arguments that it is compiled for."""

    def __init__(self, arguments: Mapping[str, object]):
        self.arrays = [found for name, each in arguments.items() for found in _arrays(each, name)]

    def make(self, name: str, argument: Any, annotation: Any) -> Promise:
        if annotation.KIND != "leaf":
            parts = enumerate(_pairs(argument, annotation))
            items = tuple(self.make(f"{name}[{index}]", *pair) for index, pair in parts)
            return TuplePromise(name, items)
        if annotation.constant:
            if describe_argument(argument, name) is not None:
                raise KernelError(f"argument '{name}' is a constant of the kernel, not an array")
            return ConstantPromise(name, _plain(argument))
        if (known := describe_argument(argument, name)) is not None:
            return self.make_array(name, known, annotation.array)
        if isinstance(argument, list):
            return self.make_list(name, cast("list[Any]", argument), annotation)
        dtype = _scalar_name(argument, name)
        if annotation.scalar is not None:
            return ScalarPromise(name, str(annotation.scalar.dtype), is_converted=True)
        return ScalarPromise(name, dtype, is_converted=False)

    def make_list(self, name: str, arguments: Sequence[Any], annotation: Any) -> ListPromise:
        """What holds of all arrays of a list."""
        if not arguments:
            raise KernelError(f"argument '{name}' is a list of no arrays, so its type is not known")
        said = None if annotation.list is None else annotation.list.element
        promises: list[ArrayPromise] = []
        for index, argument in enumerate(arguments):
            known = describe_argument(argument, item := f"{name}[{index}]")
            if known is None:
                raise KernelError(f"lists have arrays only, but '{item}' is not one")
            promises.append(self.make_array(item, known, said))
        return ListPromise(name, reduce(_join, promises))

    def make_array(self, name: str, known: Array, said: Any) -> ArrayPromise:
        shape: list[int | None] = [None] * known.ndim
        strides: list[int | None] = [1 if each == 1 else None for each in known.strides]
        if said is not None:
            static_sizes = cast("Sequence[int]", said.static_shape_dims)
            static_strides = cast("Sequence[int]", said.static_stride_dims)
            if static_strides:
                strides = [None] * known.ndim
            for dim in static_sizes:
                shape[dim] = _need(known.shape[dim], "size")
            for dim in static_strides:
                strides[dim] = _need(known.strides[dim], "stride")
        return ArrayPromise(
            name,
            known.dtype,
            "int32" if said is None else str(said.index_dtype),
            tuple(shape),
            tuple(strides),
            _divisors(known.shape, shape, known),
            _divisors(known.strides, strides, known),
            gcd(_DIVISOR, _position(known, self.arrays)),
            has_negative_strides=any((stride or 0) < 0 for stride in known.strides),
            is_shared=self.is_shared(known),
            overlaps_itself=_overlaps_itself(known),
        )

    def is_shared(self, known: Array) -> bool:
        """Whether another array may alias it."""
        return sum(_have_common(known, each) for each in self.arrays) > 1


def _join(one: ArrayPromise, other: ArrayPromise) -> ArrayPromise:
    """What holds of both arrays of a list."""
    if (one.dtype, len(one.shape)) != (other.dtype, len(other.shape)):
        raise KernelError(
            f"the arrays of a list have one type and one number of dimensions, but '{other.name}' "
            f"is of {other.dtype} with {len(other.shape)}, and '{one.name}' of {one.dtype} with "
            f"{len(one.shape)}"
        )

    def same(*pair: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return tuple(x if x == y else None for x, y in zip(*pair, strict=True))

    def common(*pair: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(map(gcd, *pair))

    return replace(
        one,
        shape=same(one.shape, other.shape),
        strides=same(one.strides, other.strides),
        shape_divisors=common(one.shape_divisors, other.shape_divisors),
        stride_divisors=common(one.stride_divisors, other.stride_divisors),
        alignment=gcd(one.alignment, other.alignment),
        has_negative_strides=one.has_negative_strides or other.has_negative_strides,
        is_shared=one.is_shared or other.is_shared,
        overlaps_itself=one.overlaps_itself or other.overlaps_itself,
    )


def _shared_groups(promises: Sequence[Promise]) -> tuple[str, ...]:
    """The name of the arrays that may alias each other, if these are several arguments."""

    def count(promise: Promise) -> int:
        match promise:
            case TuplePromise():
                return sum(map(count, promise.items))
            case ListPromise():
                return int(promise.element.is_shared)
            case _:
                return int(isinstance(promise, ArrayPromise) and promise.is_shared)

    return ("shared",) if sum(map(count, promises)) > 1 else ()


def _constraint(promise: Promise, shared: tuple[str, ...], compilation: Any) -> Any:
    """A promise as cuTile takes it."""
    match promise:
        case TuplePromise():
            return tuple(_constraint(each, shared, compilation) for each in promise.items)
        case ListPromise():
            return compilation.ListConstraint(
                _constraint(promise.element, shared, compilation),
                alias_groups=(),
                elements_may_alias=promise.element.is_shared,
            )
        case ConstantPromise():
            return promise.value
        case ScalarPromise():
            return compilation.ScalarConstraint(_cutile_type(promise.dtype))
        case ArrayPromise():
            return compilation.ArrayConstraint(
                _cutile_type(promise.dtype),
                len(promise.shape),
                index_dtype=_cutile_type(promise.index_dtype),
                stride_lower_bound_incl=None if promise.has_negative_strides else 0,
                alias_groups=shared if promise.is_shared else (),
                may_alias_internally=promise.overlaps_itself,
                stride_constant=promise.strides,
                shape_constant=promise.shape if any(s is not None for s in promise.shape) else None,
                stride_divisible_by=promise.stride_divisors,
                shape_divisible_by=promise.shape_divisors,
                base_addr_divisible_by=promise.alignment,
            )
        case _:
            raise AssertionError(promise)


def _cutile_type(name: str) -> Any:
    """cuTile's type of a name."""
    found = getattr(import_module(_PACKAGE), "bool_" if name == "bool" else name, None)
    if found is None:
        raise KernelError(f"cuTile has no type '{name}'")
    return found


def check_count(name: str, expected: Sequence[str], arguments: Sequence[object]) -> None:
    """Refuses arguments that are not as many as the parameters of a kernel."""
    if len(expected) != len(arguments):
        raise KernelError(
            f"{name} takes {len(expected)} arguments, but got {len(arguments)}: "
            f"it is {name}({', '.join(expected)})"
        )


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


def _arrays(argument: Any, name: str) -> Iterator[Array]:
    if isinstance(argument, tuple | list):
        for index, item in enumerate(cast("Sequence[Any]", argument)):
            yield from _arrays(item, f"{name}[{index}]")
    elif (known := describe_argument(argument, name)) is not None:
        yield known


def _plain(argument: Any) -> Any:
    """A number of NumPy as one of Python, as cuTile takes no others for constants."""
    is_number = isinstance(argument, np.bool_ | np.integer | np.floating)
    return cast("Any", argument).item() if is_number else argument


def describe_argument(argument: Any, name: str) -> Array | None:
    """What is known of an array; `None` if it is not one. Errors name the argument."""
    try:
        return _describe(argument)
    except KernelError as error:
        raise KernelError(f"argument '{name}' {error}") from None


def _describe(argument: Any) -> Array | None:
    """What is known of an array; `None` if it is not one, `KernelError` if it cannot be one."""
    if isinstance(argument, Array):
        return argument
    if isinstance(argument, np.generic):
        return None
    if isinstance(argument, np.ndarray) or hasattr(argument, "__array_interface__"):
        given: np.ndarray[Any, Any] = np.asarray(argument)
        strides = _elements(given.dtype, given.strides)
        known = _known(given.dtype, given.shape, strides, given.ctypes.data)
        return replace(known, address=0)
    if callable(stride := getattr(argument, "stride", None)):
        dtype = _numpy_type(str(argument.dtype).rpartition(".")[2])
        strides = cast("tuple[int, ...]", stride())
        return _known(dtype, argument.shape, strides, argument.data_ptr())
    if (interface := getattr(argument, "__cuda_array_interface__", None)) is not None:
        dtype = np.dtype(interface["typestr"])
        shape = interface["shape"]
        steps = interface.get("strides")
        strides = _row_major(shape) if steps is None else _elements(dtype, steps)
        return _known(dtype, shape, strides, interface["data"][0])
    if hasattr(argument, "__dlpack__") and argument.__dlpack_device__()[0] == _DLPACK_CPU:
        return _describe(np.from_dlpack(argument))
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
    if dtype.kind in "OSUVMm" and not hasattr(ml_dtypes, dtype.name):
        raise KernelError(f"has elements of type '{dtype.name}', which are no numbers")
    if not dtype.isnative:
        raise KernelError(f"has elements of type '{dtype.str}', which are not little-endian")
    offset = address - memory.start
    return Array(dtype.name, len(shape), tuple(shape), tuple(strides), 1, memory, address, offset)


def _position(known: Array, arrays: Sequence[Array]) -> int:
    """
    Where the element at 0 of an array is in memory, as far as that says how it is aligned: its
    address. Memory of the CPU is used where it is if a kernel is run there, and copied to where it
    is aligned for a device; arrays between whose first and last bytes others begin are copied
    together. What divides the position divides both its address and its place in what is copied.
    """
    if known.memory is None or known.address:
        return known.address
    start = known.memory.start
    spans = [each.memory for each in arrays if each.memory is not None and not each.address]
    for span in sorted(spans, key=lambda each: each.start, reverse=True):
        if span.start <= start < span.stop:
            start = span.start
    address = known.memory.start + known.offset
    return gcd(address, address - start)


def _have_common(one: Array, other: Array) -> bool:
    """Whether arrays may alias; conservatively true where that is hard to tell."""
    a, b = one.memory, other.memory
    if a is None or b is None or max(a.start, b.start) >= min(a.stop, b.stop):
        return False
    try:
        # Two slices of columns of one matrix have no bytes in common between first and last.
        places = (np.asarray(_Place(known)) for known in (one, other))
        return np.shares_memory(*places, max_work=cast("Any", _MOST_WORK))
    except np.exceptions.TooHardError:
        return True


class _Place:
    """Where the elements of an array are, for NumPy, which does not look there."""

    def __init__(self, known: Array):
        assert known.memory is not None
        size = _numpy_type(known.dtype).itemsize
        self.__array_interface__: dict[str, Any] = {
            "shape": known.shape,
            "strides": tuple(size * (stride or 0) for stride in known.strides),
            "typestr": f"|V{size}",
            "data": (known.memory.start + known.offset, True),
            "version": 3,
        }


def _overlaps_itself(known: Array) -> bool:
    """Whether several elements of an array may have the same address, as after a broadcast."""
    sizes = [2 if size is None else size for size in known.shape]
    if 0 in sizes:
        return False
    pairs = zip(sizes, known.strides, strict=True)
    steps = sorted((abs(s), size) for size, s in pairs if size > 1 and s is not None)
    reach = 0
    for step, size in steps:
        if step <= reach:
            return True
        if None not in known.shape:
            reach += step * (size - 1)
    return False


def _numpy_type(name: str) -> np.dtype[Any]:
    """The type that NumPy or ml_dtypes has for a name."""
    return np.dtype(getattr(ml_dtypes, name, name))


def _elements(dtype: np.dtype[Any], strides: Sequence[int]) -> list[int]:
    """Strides in elements, given those in bytes."""
    if any(stride % dtype.itemsize for stride in strides):
        raise KernelError(
            f"has strides of {tuple(strides)} bytes, no multiples of its elements of {dtype.name}"
        )
    return [stride // dtype.itemsize for stride in strides]


def _row_major(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return strides[: len(shape)]


def _divisors(
    numbers: Sequence[int | None], constants: Sequence[int | None], known: Array
) -> tuple[int, ...]:
    """What sizes or strides are multiples of; nothing is said of those that are constants."""
    return tuple(
        1 if constant is not None else known.divisor if number is None else gcd(number, _DIVISOR)
        for number, constant in zip(numbers, constants, strict=True)
    )


def _need(number: int | None, what: str) -> int:
    if number is None:
        raise KernelError(f"the kernel is made for a {what}, so give an array that has one")
    return number


def _scalar_name(argument: Any, name: str) -> str:
    match argument:
        case np.generic():
            return argument.dtype.name
        case bool():
            return "bool"
        case int():
            return "int32" if argument in _INTEGERS["int32"] else "int64"
        case float():
            return "float32"
        case _:
            raise KernelError(
                "arguments are arrays, lists of arrays, numbers and tuples, "
                f"but '{name}' is of type {type(argument).__name__}"
            )


def _is_float(dtype: str) -> bool:
    """Whether a type has numbers that are not whole."""
    return dtype not in _INTEGERS


def _dtype_name(dtype: object) -> str:
    if isinstance(dtype, str):
        if dtype in DTYPES:
            return DTYPES[dtype]
        try:
            return _numpy_type(dtype).name
        except TypeError:
            close = get_close_matches(dtype, DTYPES, 1)
            hint = f" (did you mean '{close[0]}'?)" if close else ""
            raise KernelError(f"there is no type '{dtype}'{hint}") from None
    if isinstance(name := getattr(dtype, "name", None), str):
        return name
    return np.dtype(cast(Any, dtype)).name
