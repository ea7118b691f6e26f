"""
The arguments of a launch, as the driver takes them.

NumPy arrays are copied to the GPU before the launch and back after it, on its stream: other copies
are ordered with those streams only that wait for the default one. A kernel that has written to one
that is read-only is an error. Arrays that share memory share it on the GPU too. Objects that are on
the GPU already are passed by their address.

Tensor maps are the descriptors by which TMA accesses tensors in global memory. The driver refuses
one that the hardware cannot use, but does not say why. The rules are checked here first; they were
found by trying on an H200.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from math import prod
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from tileiras_xdsl.backend.driver import CudaError, Driver, TensorMapArguments
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.launch_record import (
    PROMOTION_WORDS,
    RAW,
    SWIZZLE_WORDS,
    LaunchRecord,
    Quantity,
    TensorMapRecord,
)
from tileiras_xdsl.targets.tma import (
    ALIGNMENT,
    EMPTY_SIZE,
    FILLS,
    MAP_BYTES,
    MAX_BOX,
    MAX_BOX_BYTES,
    MAX_ELEMENT_STRIDE,
    MAX_EXTENT,
    STRIDE_LIMIT,
    SWIZZLES,
    TYPES,
    MapElement,
    find_map_element,
)

if TYPE_CHECKING:
    import numpy as np

# Tensor maps


def encode_tensor_map(
    driver: Driver,
    record: TensorMapRecord,
    base: int,
    argument: Callable[[int], int],
    get_zero: Callable[[], int],
) -> bytes:
    """
    The map of a tensor at address `base`; `argument` gives the integer arguments by index.

    There is no map of a tensor without elements. Such a one is replaced by a single zero, whose
    address `get_zero` gives, so that what is outside of the tensor still reads as zero. Kernels do
    not store to tensors without elements, so it stays zero.
    """

    def number(quantity: Quantity) -> int:
        if quantity.parameter is None:
            return quantity.value
        return quantity.value * argument(quantity.parameter)

    sizes, strides = ([number(each) for each in part] for part in (record.sizes, record.strides))
    if 0 in sizes:
        base, sizes = get_zero(), [EMPTY_SIZE] * len(sizes)
    return driver.encode_tensor_map(tensor_map_arguments(record, base, sizes, strides))


def tensor_map_arguments(
    record: TensorMapRecord, base: int, sizes: Sequence[int], strides: Sequence[int]
) -> TensorMapArguments:
    """What the driver takes; `BackendError` where the hardware cannot have such a map."""
    element = find_map_element(record.element)
    if element is None:
        known = ", ".join(TYPES)
        raise BackendError(f"no tensor map has elements {record.element} (expected one of {known})")
    element_strides = record.element_strides or (1,) * len(sizes)
    problems = _problems(record, base, sizes, strides, element_strides, element)
    if problem := next((text for wrong, text in problems if wrong), None):
        raise BackendError(f"a tensor map of parameter {record.base} cannot be made: {problem}")
    return TensorMapArguments(
        data_type=element.driver,
        base=base,
        sizes=sizes,
        strides=strides,
        box=record.box,
        element_strides=element_strides,
        swizzle=SWIZZLE_WORDS.index(record.swizzle),
        l2_promotion=PROMOTION_WORDS.index(record.l2_promotion),
        fill=FILLS.index("nan" if record.nan_fill else "zero"),
    )


def _problems(
    record: TensorMapRecord,
    base: int,
    sizes: Sequence[int],
    strides: Sequence[int],
    element_strides: Sequence[int],
    element: MapElement,
) -> list[tuple[bool, str]]:
    inner = record.box[0] * element.bytes
    moved = (-(-box // max(1, step)) for box, step in zip(record.box, element_strides, strict=True))
    total = prod(moved) * element.bytes
    span = SWIZZLES[SWIZZLE_WORDS.index(record.swizzle)]
    problems = [
        (base % ALIGNMENT != 0, f"the address {base:#x} is no multiple of {ALIGNMENT}"),
        (
            inner % ALIGNMENT != 0,
            f"the innermost extent of the TMA tile is {inner} bytes, no multiple of {ALIGNMENT}",
        ),
        (
            span > 0 and inner > span,
            f"the innermost extent of the TMA tile is {inner} bytes, the swizzle {span}",
        ),
        (total > MAX_BOX_BYTES, f"the TMA tile is {total} bytes, more than shared memory has"),
        (record.nan_fill and not element.is_float, f"{record.element} has no NaN"),
    ]
    for i, (size, box, step, stride) in enumerate(
        zip_longest(sizes, record.box, element_strides, strides, fillvalue=0)
    ):
        problems += [
            (not 1 <= size <= MAX_EXTENT, f"size {i} is {size}, not 1 to {MAX_EXTENT}"),
            (not 1 <= box <= MAX_BOX, f"box size {i} is {box}, not 1 to {MAX_BOX}"),
            (
                not 1 <= step <= MAX_ELEMENT_STRIDE,
                f"element stride {i} is {step}, not 1 to {MAX_ELEMENT_STRIDE}",
            ),
            (
                not 0 <= stride < STRIDE_LIMIT or stride % ALIGNMENT != 0,
                f"stride {i} is {stride} bytes, no multiple of {ALIGNMENT} from 0 to "
                f"{STRIDE_LIMIT}",
            ),
        ]
    return problems


# Arguments

_CUDA_DEVICES: Final = (2, 13)
"""What DLPack calls memory of the GPU, and managed memory."""

_LEGACY_STREAM: Final = 1
"""What the array interfaces call the default stream; the driver calls it 0."""


@dataclass
class _Span:
    """A piece of host memory that NumPy arrays are in, and its copy on the GPU."""

    start: int
    end: int
    writable: bool
    device: int = 0


@dataclass
class LaunchArguments:
    """Arguments on the GPU, from `__enter__` to `__exit__`."""

    driver: Driver
    record: LaunchRecord
    values: Sequence[object]
    stream: int
    grid: tuple[int, int, int] = (1, 1, 1)
    """That was asked for; a persistent kernel is told."""
    zeros: Callable[[], int] | None = None
    """Gives the address of zeros on the GPU that stay there; needed for empty tensors only."""
    _spans: list[_Span] = field(default_factory=list[_Span], init=False)
    _keep: list[object] = field(default_factory=list[object], init=False)

    def __enter__(self) -> ctypes.Array[ctypes.c_void_p]:
        """What `cuLaunchKernel` takes: the addresses of the arguments."""
        parameters = self.record.parameters
        if len(self.values) != len(parameters):
            raise BackendError(
                f"{self.record.entry} takes {len(parameters)} arguments, not {len(self.values)}"
            )
        try:
            self._copy_arrays()
            packed = [self._pack(index) for index in range(len(parameters))]
            if self.record.persistent:
                packed += [pack_scalar("i32", size) for size in self.grid]
            packed += [self._tensor_map(index) for index in range(len(self.record.tensor_maps))]
        except BaseException:
            self._abandon()
            raise
        addresses = (ctypes.c_void_p * max(1, len(packed)))()
        for index, data in enumerate(packed):
            addresses[index] = self._store(data)
        return addresses

    def __exit__(self, error: object, *_: object) -> None:
        if error is not None:
            self._abandon()
            return
        try:
            if self._spans:
                copies = list(self._copy_back())
                self.driver.call("cuStreamSynchronize", self.stream)
                for span, copy in copies:
                    if copy.raw != ctypes.string_at(span.start, span.end - span.start):
                        self._refuse_write(span)
        finally:
            self._free()

    def _copy_back(self) -> Iterator[tuple[_Span, ctypes.Array[ctypes.c_char]]]:
        """Copies what may have been written; of what is read-only, to elsewhere, to compare."""
        for span in self._spans:
            size = span.end - span.start
            if not size:
                continue
            to = span.start
            if not span.writable:
                copy = ctypes.create_string_buffer(size)
                to = ctypes.addressof(copy)
                yield span, copy
            self.driver.call("cuMemcpyDtoHAsync", to, span.device, size, self.stream)

    def _refuse_write(self, span: _Span) -> NoReturn:
        for index, value in enumerate(self.values):
            if is_numpy(value) and span.start <= cast("Any", value).ctypes.data < span.end:
                parameter = self.record.parameters[index]
                raise BackendError(
                    f"{self.record.entry} has written to {parameter.describe(index)}, a NumPy "
                    "array that is read-only"
                )
        raise AssertionError(span)

    def _abandon(self) -> None:
        """Frees everything after an error, when copies that have begun do not use it any more."""
        try:
            if self._spans:
                self.driver.call("cuStreamSynchronize", self.stream)
        except CudaError:
            # What is reported is the first error.
            pass
        finally:
            self._free()

    def _free(self) -> None:
        for span in self._spans:
            if span.device:
                self.driver.call("cuMemFree", span.device)
        self._spans.clear()
        self._keep.clear()

    def _store(self, data: bytes) -> int:
        """Puts bytes where the driver can read them, on a multiple of 64, and keeps them."""
        buffer = (ctypes.c_ubyte * (len(data) + 64))()
        self._keep.append(buffer)
        address = (ctypes.addressof(buffer) + 63) & ~63
        ctypes.memmove(address, data, len(data))
        return address

    def _copy_arrays(self) -> None:
        spans = sorted(
            (
                _span_of(value)
                for value, parameter in zip(self.values, self.record.parameters, strict=True)
                if parameter.type == "ptr" and is_numpy(value)
            ),
            key=lambda span: span.start,
        )
        for span in spans:
            last = self._spans[-1] if self._spans else None
            if last is not None and span.start < last.end:
                last.end = max(last.end, span.end)
                last.writable |= span.writable
            else:
                self._spans.append(span)
        for span in self._spans:
            # The driver allocates no empty memory.
            span.device = self.driver.call("cuMemAlloc", max(1, span.end - span.start))
            if span.end > span.start:
                self._copy_to(span.device, span.start, span.end - span.start)

    def _copy_to(self, device: int, host: int, size: int) -> None:
        """Copies bytes to the GPU before anything that follows on the stream."""
        self.driver.call("cuMemcpyHtoDAsync", device, host, size, self.stream)

    def _pack(self, index: int) -> bytes:
        """An argument as the bytes that the kernel reads."""
        parameter, value = self.record.parameters[index], self.values[index]
        try:
            if parameter.type == "ptr":
                return self._address(value).to_bytes(8, "little")
            if parameter.type == "tensor-map":
                if not isinstance(value, bytes) or len(value) != MAP_BYTES:
                    raise BackendError(f"expected the {MAP_BYTES} bytes of a tensor map")
                return value
            if parameter.type == RAW:
                if not isinstance(value, bytes) or len(value) != parameter.size:
                    raise BackendError(f"expected {parameter.size} bytes")
                return value
            return pack_scalar(parameter.type, value)
        except BackendError as error:
            raise BackendError(
                f"{parameter.describe(index)} of {self.record.entry} ({parameter.type}): {error}"
            ) from None

    def _address(self, value: object) -> int:
        if value is None:
            return 0
        if isinstance(value, int):
            return value
        if is_numpy(value):
            address = int(cast(Any, value).ctypes.data)
            for span in self._spans:
                if span.start <= address < max(span.end, span.start + 1):
                    return span.device + address - span.start
        if (address := self._from_array_interface(value)) is not None:
            return address
        if (address := self._from_dlpack(value)) is not None:
            return address
        if hasattr(value, "__index__"):
            return _integer(value)
        raise BackendError(
            f"expected a NumPy array, an array on the GPU, an address or None, not a "
            f"{type(value).__name__}"
        )

    def _from_array_interface(self, value: object) -> int | None:
        """PyTorch's interface fails for types that it has no word for; DLPack then has one."""
        try:
            interface: Any = getattr(value, "__cuda_array_interface__", None)
        except (KeyError, RuntimeError, TypeError, ValueError):
            return None
        if interface is None:
            return None
        producer = interface.get("stream")
        if producer is not None and producer != (self.stream or _LEGACY_STREAM):
            self.driver.call("cuStreamSynchronize", producer)
        return int(interface["data"][0])

    def _from_dlpack(self, value: Any) -> int | None:
        if not hasattr(value, "__dlpack_device__"):
            return None
        device, _ = value.__dlpack_device__()
        if int(device) not in _CUDA_DEVICES:
            raise BackendError(
                f"the {type(value).__name__} is not on the GPU: move it there, or pass a NumPy "
                "array, which is copied"
            )
        detached = value.detach() if hasattr(value, "detach") else value
        capsule = detached.__dlpack__(stream=self.stream or _LEGACY_STREAM)
        self._keep.append(capsule)
        return _dlpack_address(capsule)

    def _tensor_map(self, index: int) -> bytes:
        record = self.record.tensor_maps[index]
        base = self._address(self.values[record.base])
        return encode_tensor_map(self.driver, record, base, self._number, self._get_zero)

    def _number(self, parameter: int) -> int:
        """An argument that is a number or an address, or one of the sizes of the grid."""
        value = (*self.values, *self.grid)[parameter]
        parameters = self.record.parameters
        if parameter < len(parameters) and parameters[parameter].type == "ptr":
            return self._address(value)
        return _integer(value)

    def _get_zero(self) -> int:
        assert self.zeros is not None
        return self.zeros()


def pack_scalar(ty: str, value: object) -> bytes:
    """A number as the bytes of a parameter; `BackendError` for one that the type has not."""
    if ty[0] == "i":
        bits = int(ty[1:])
        number = _integer(value)
        low, high = -(1 << (bits - 1)) if bits > 1 else 0, (1 << bits) - 1
        if not low <= number <= high:
            raise BackendError(f"{number} is not from {low} to {high}")
        return (number & high).to_bytes((bits + 7) // 8, "little")
    import ml_dtypes
    import numpy as np

    floats: dict[str, Any] = {
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "f32": np.float32,
        "tf32": np.float32,
        "f64": np.float64,
        "f8E4M3FN": ml_dtypes.float8_e4m3fn,
        "f8E5M2": ml_dtypes.float8_e5m2,
        "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    }
    try:
        number = float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError):
        raise BackendError(f"expected a number, not a {_type_name(value)}") from None
    with np.errstate(over="ignore"):
        return np.asarray(number).astype(floats[ty]).tobytes()


def _integer(value: object) -> int:
    try:
        return operator.index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise BackendError(f"expected an integer, not a {_type_name(value)}") from None


def _type_name(value: object) -> str:
    return type(value).__name__


def is_numpy(value: object) -> bool:
    """Without an import of NumPy, which a program without NumPy arrays does not need."""
    return type(value).__module__.split(".")[0] == "numpy" and hasattr(value, "ctypes")


def _span_of(value: Any) -> _Span:
    import numpy as np

    array: np.ndarray[Any, Any] = value
    if not array.dtype.isnative:
        raise BackendError(f"an array has elements of type '{array.dtype.str}', not little-endian")
    start, end = np.lib.array_utils.byte_bounds(array)
    return _Span(start, end if array.size else start, bool(array.flags.writeable))


class _DLTensor(ctypes.Structure):
    """The head of DLPack's structure, as far as it is needed."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


def _dlpack_address(capsule: object) -> int:
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
    tensor = _DLTensor.from_address(get_pointer(capsule, b"dltensor"))
    return int(tensor.data or 0) + int(tensor.byte_offset)


# How far arrays reach, as kernels with checks at run time take it

UNKNOWN: Final = 1 << 62
"""Bytes on either side of a pointer whose array is not known."""


def get_extents(array: Any) -> tuple[int, int]:
    """
    How many bytes of an array lie before its first element and how many follow, as the parameters
    of a checked kernel; of what is no array, but an address, all that there are.
    """
    if hasattr(array, "element_size"):
        # PyTorch has no word for some types in the other interfaces.
        shape, size = tuple(array.shape), array.element_size()
        strides = [stride * size for stride in array.stride()]
    else:
        interface = getattr(array, "__array_interface__", None)
        if interface is None:
            interface = getattr(array, "__cuda_array_interface__", None)
        if interface is None:
            return UNKNOWN, UNKNOWN
        shape, size = interface["shape"], int(interface["typestr"][2:])
        strides = interface.get("strides")
    if strides is None or 0 in shape:
        return 0, prod(shape) * size
    reaches = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    before = -sum(reach for reach in reaches if reach < 0)
    return before, sum(reach for reach in reaches if reach > 0) + size
