"""
The part of the CUDA driver that the launcher uses, with types: one call for each function.

It goes through the package `cuda-bindings` where that is installed, else through ctypes. Nothing
is loaded before `get_driver` is called; on a machine without a GPU that says what is missing.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import Any, ClassVar, Final, Protocol

from tileiras_xdsl.backend.errors import BackendError, MissingToolError
from tileiras_xdsl.targets.tma import MAP_ALIGNMENT, MAP_BYTES


class CudaError(BackendError):
    """A call of the CUDA driver that failed."""

    name: str
    """Such as `CUDA_ERROR_ILLEGAL_ADDRESS`."""

    def __init__(self, message: str, name: str):
        super().__init__(message)
        self.name = name


@dataclass(frozen=True)
class Signature:
    """The C types of a function of the driver: the results, which C passes first, then the rest."""

    results: tuple[Any, ...] = ()
    arguments: tuple[Any, ...] = ()
    symbol: str = ""
    """What the library calls it, where that differs."""
    enums: tuple[tuple[int, str], ...] = ()
    """Arguments that `cuda-bindings` wants as a class of its own."""


NAME_BYTES: Final = 128
"""For the name of a GPU."""
NON_BLOCKING: Final = 1
"""A stream that is in no order with the default one."""
_RELAXED: Final = 2
"""The capture mode of a thread that may do everything while streams are captured."""

_ACTIVE: Final = 1
"""The status of a stream that is captured."""

_int, _uint, _size = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t
_ptr, _u64, _float = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_float

SIGNATURES: Final[dict[str, Signature]] = {
    "cuInit": Signature((), (_uint,)),
    "cuDeviceGetCount": Signature((_int,)),
    "cuDeviceGet": Signature((_int,), (_int,)),
    "cuDriverGetVersion": Signature((_int,)),
    "cuDeviceGetName": Signature((ctypes.c_char * NAME_BYTES,), (_int, _int)),
    "cuDeviceGetAttribute": Signature((_int,), (_int, _int), enums=((0, "CUdevice_attribute"),)),
    "cuDevicePrimaryCtxRetain": Signature((_ptr,), (_int,)),
    "cuCtxSetCurrent": Signature((), (_ptr,)),
    "cuCtxGetDevice": Signature((_int,)),
    "cuCtxGetLimit": Signature((_size,), (_int,), enums=((0, "CUlimit"),)),
    "cuCtxSetLimit": Signature((), (_int, _size), enums=((0, "CUlimit"),)),
    "cuModuleLoadData": Signature((_ptr,), (_ptr,)),
    "cuModuleUnload": Signature((), (_ptr,)),
    "cuModuleGetFunction": Signature((_ptr,), (_ptr, ctypes.c_char_p)),
    "cuFuncSetAttribute": Signature((), (_ptr, _int, _int), enums=((1, "CUfunction_attribute"),)),
    "cuMemGetInfo": Signature((_size, _size), (), "cuMemGetInfo_v2"),
    "cuMemAlloc": Signature((_u64,), (_size,), "cuMemAlloc_v2"),
    "cuMemFree": Signature((), (_u64,), "cuMemFree_v2"),
    "cuMemcpyHtoDAsync": Signature((), (_u64, _ptr, _size, _ptr), "cuMemcpyHtoDAsync_v2"),
    "cuMemcpyDtoHAsync": Signature((), (_ptr, _u64, _size, _ptr), "cuMemcpyDtoHAsync_v2"),
    "cuMemsetD32Async": Signature((), (_u64, _uint, _size, _ptr)),
    "cuLaunchKernel": Signature((), (_ptr, *(_uint,) * 7, _ptr, _ptr, _ptr)),
    "cuStreamCreate": Signature((_ptr,), (_uint,)),
    "cuStreamDestroy": Signature((), (_ptr,), "cuStreamDestroy_v2"),
    "cuStreamSynchronize": Signature((), (_ptr,)),
    "cuEventCreate": Signature((_ptr,), (_uint,)),
    "cuEventDestroy": Signature((), (_ptr,), "cuEventDestroy_v2"),
    "cuEventRecord": Signature((), (_ptr, _ptr)),
    "cuEventSynchronize": Signature((), (_ptr,)),
    "cuEventElapsedTime": Signature((_float,), (_ptr, _ptr)),
}


@dataclass(frozen=True)
class TensorMapArguments:
    """What `cuTensorMapEncodeTiled` takes, with the numbers of its enumerations."""

    data_type: int
    base: int
    sizes: Sequence[int]
    strides: Sequence[int]
    box: Sequence[int]
    element_strides: Sequence[int]
    swizzle: int
    l2_promotion: int
    fill: int


CapturedNode = tuple[int, int]
"""The number of a capture, which no other one of the process has, and a node of its graph."""


class Driver(Protocol):
    """A way to call the driver."""

    source: ClassVar[str]
    """Where it comes from, to be shown."""

    def call(self, name: str, *arguments: Any) -> Any:
        """The result of a function of `SIGNATURES`, if it has one; `CudaError` if it fails."""
        ...

    def encode_tensor_map(self, arguments: TensorMapArguments) -> bytes:
        """The 128 bytes of a tensor map."""
        ...

    def raw_launch(self) -> Callable[[Any, Any, Any, Any], int]:
        """`cuLaunchKernelEx` itself, which takes structures and addresses and gives a status."""
        ...

    def relaxed_capture(self) -> AbstractContextManager[None]:
        """Meanwhile this thread may allocate memory, even if a stream is captured."""
        ...

    def is_capturing(self, stream: int) -> bool:
        """Whether what is launched on a stream becomes part of a graph."""
        ...

    def captured_node(self, stream: int) -> CapturedNode | None:
        """The only node that what is launched next on a captured stream will depend on, if any."""
        ...

    def error(self, name: str, status: int) -> CudaError:
        """What a status of a function means."""
        ...


@dataclass(frozen=True)
class CtypesDriver:
    """The driver's library itself."""

    library: Any
    source: ClassVar[str] = "ctypes"

    def call(self, name: str, *arguments: Any) -> Any:
        signature = SIGNATURES[name]
        function = getattr(self.library, signature.symbol or name)
        results = [ty() for ty in signature.results]
        values = [ty(value) for ty, value in zip(signature.arguments, arguments, strict=True)]
        self._check(name, function(*map(ctypes.byref, results), *values))
        return (results[0].value or 0) if results else None

    def encode_tensor_map(self, arguments: TensorMapArguments) -> bytes:
        # The driver wants the map aligned.
        buffer = (ctypes.c_ubyte * (MAP_BYTES + MAP_ALIGNMENT))()
        address = -(-ctypes.addressof(buffer) // MAP_ALIGNMENT) * MAP_ALIGNMENT
        rank = len(arguments.sizes)
        status = self.library.cuTensorMapEncodeTiled(
            _ptr(address),
            _int(arguments.data_type),
            _uint(rank),
            _ptr(arguments.base),
            (_u64 * rank)(*arguments.sizes),
            (_u64 * max(1, rank - 1))(*arguments.strides),
            (ctypes.c_uint32 * rank)(*arguments.box),
            (ctypes.c_uint32 * rank)(*arguments.element_strides),
            _int(0),
            _int(arguments.swizzle),
            _int(arguments.l2_promotion),
            _int(arguments.fill),
        )
        self._check("cuTensorMapEncodeTiled", status)
        return ctypes.string_at(address, MAP_BYTES)

    def raw_launch(self) -> Callable[[Any, Any, Any, Any], int]:
        return raw_launch(self.library)

    def relaxed_capture(self) -> AbstractContextManager[None]:
        return relaxed_capture(self.library)

    def is_capturing(self, stream: int) -> bool:
        return is_capturing(self.library, stream)

    def captured_node(self, stream: int) -> CapturedNode | None:
        return captured_node(self.library, stream)

    def error(self, name: str, status: int) -> CudaError:
        texts: list[str] = []
        for query in (self.library.cuGetErrorName, self.library.cuGetErrorString):
            text = ctypes.c_char_p()
            query(_int(status), ctypes.byref(text))
            texts.append((text.value or b"unknown").decode(errors="replace"))
        return _cuda_error(name, *texts)

    def _check(self, name: str, status: int) -> None:
        if status != 0:
            raise self.error(name, status)


@dataclass(frozen=True)
class BindingsDriver:
    """The package `cuda-bindings`."""

    module: Any
    source: ClassVar[str] = "cuda-bindings"

    @cached_property
    def library(self) -> Any:
        """What the package calls, too."""
        return load_library()

    def call(self, name: str, *arguments: Any) -> Any:
        values = list(arguments)
        for index, ty in SIGNATURES[name].enums:
            values[index] = getattr(self.module, ty)(values[index])
        result = self._results(name, *values)
        if not result:
            return None
        return result[0] if isinstance(result[0], float | bytes) else int(result[0])

    def encode_tensor_map(self, arguments: TensorMapArguments) -> bytes:
        module = self.module
        wide: Callable[[int], Any] = module.cuuint64_t
        narrow: Callable[[int], Any] = module.cuuint32_t
        (map_,) = self._results(
            "cuTensorMapEncodeTiled",
            module.CUtensorMapDataType(arguments.data_type),
            len(arguments.sizes),
            arguments.base,
            [wide(size) for size in arguments.sizes],
            # The driver takes no null pointer, which an empty list becomes.
            [wide(stride) for stride in arguments.strides or (0,)],
            [narrow(size) for size in arguments.box],
            [narrow(stride) for stride in arguments.element_strides],
            module.CUtensorMapInterleave(0),
            module.CUtensorMapSwizzle(arguments.swizzle),
            module.CUtensorMapL2promotion(arguments.l2_promotion),
            module.CUtensorMapFloatOOBfill(arguments.fill),
        )
        return ctypes.string_at(int(map_.getPtr()), MAP_BYTES)

    def raw_launch(self) -> Callable[[Any, Any, Any, Any], int]:
        # The package converts what it is given at every call; its library is the same.
        return raw_launch(self.library)

    def relaxed_capture(self) -> AbstractContextManager[None]:
        return relaxed_capture(self.library)

    def is_capturing(self, stream: int) -> bool:
        return is_capturing(self.library, stream)

    def captured_node(self, stream: int) -> CapturedNode | None:
        return captured_node(self.library, stream)

    def error(self, name: str, status: int) -> CudaError:
        result = self.module.CUresult(status)
        _, text = self.module.cuGetErrorString(result)
        return _cuda_error(name, result.name, bytes(text or b"unknown").decode(errors="replace"))

    def _results(self, name: str, *arguments: Any) -> tuple[Any, ...]:
        status, *results = getattr(self.module, name)(*arguments)
        if int(status) != 0:
            raise self.error(name, int(status))
        return tuple(results)


def raw_launch(library: Any) -> Callable[[Any, Any, Any, Any], int]:
    """`cuLaunchKernelEx` of the driver's library, for structures and `c_void_p` as they are."""
    return library.cuLaunchKernelEx


@contextmanager
def relaxed_capture(library: Any) -> Generator[None]:
    """Changes the capture mode of the thread, and back; the driver swaps it with a number."""
    mode = _int(_RELAXED)
    library.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode))
    try:
        yield
    finally:
        library.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode))


def is_capturing(library: Any, stream: int) -> bool:
    """
    Whether a stream is captured. The driver fails where that cannot be: for the default stream,
    while others are captured that wait for it.
    """
    status = _int()
    failed = library.cuStreamIsCapturing(_ptr(stream), ctypes.byref(status))
    return not failed and status.value != 0


def captured_node(library: Any, stream: int) -> CapturedNode | None:
    """
    The only node that the next one of a captured stream depends on. The driver fails if that is by
    more than the end of the node.
    """
    status, number, graph, count = _int(), _u64(), _ptr(), _size()
    nodes = ctypes.POINTER(_ptr)()
    results = map(ctypes.byref, (status, number, graph, nodes, count))
    failed = library.cuStreamGetCaptureInfo_v2(_ptr(stream), *results)
    if failed or status.value != _ACTIVE or count.value != 1:
        return None
    return number.value, nodes[0] or 0


def _cuda_error(function: str, name: str, text: str) -> CudaError:
    return CudaError(f"{function} failed: {text} ({name})", name)


def load_library() -> Any:
    """The driver's library; `MissingToolError` where there is none."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise MissingToolError(
            f"the CUDA driver was not found ({error}): kernels run on machines with an NVIDIA GPU "
            "and its driver; without one, tileiras_xdsl.run runs programs on the CPU"
        ) from None


def load_bindings() -> Any | None:
    """The module of the package `cuda-bindings`, if it is installed and fits this machine."""
    try:
        return import_module("cuda.bindings.driver")
    except (ImportError, RuntimeError):
        return None


@cache
def get_driver() -> Driver:
    """The driver, ready to be used; `MissingToolError` without a driver or a GPU."""
    library = load_library()
    bindings = load_bindings()
    driver: Driver = CtypesDriver(library) if bindings is None else BindingsDriver(bindings)
    try:
        driver.call("cuInit", 0)
        count = driver.call("cuDeviceGetCount")
    except CudaError as error:
        raise MissingToolError(f"the CUDA driver has no GPU to run on: {error}") from None
    if count == 0:
        raise MissingToolError("the CUDA driver has no GPU to run on")
    return driver
