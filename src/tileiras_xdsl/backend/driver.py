"""
The part of the CUDA driver that the launcher uses, with types: one call for each function.

Nothing is loaded before `get_driver` is called; on a machine without a GPU that says what is
missing.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

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
    "cuDeviceGetAttribute": Signature((_int,), (_int, _int)),
    "cuDevicePrimaryCtxRetain": Signature((_ptr,), (_int,)),
    "cuCtxSetCurrent": Signature((), (_ptr,)),
    "cuCtxGetDevice": Signature((_int,)),
    "cuCtxGetLimit": Signature((_size,), (_int,)),
    "cuCtxSetLimit": Signature((), (_int, _size)),
    "cuModuleLoadData": Signature((_ptr,), (_ptr,)),
    "cuModuleUnload": Signature((), (_ptr,)),
    "cuModuleGetFunction": Signature((_ptr,), (_ptr, ctypes.c_char_p)),
    "cuFuncSetAttribute": Signature((), (_ptr, _int, _int)),
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


@dataclass(frozen=True)
class Driver:
    """The driver, by its library."""

    library: Any

    def call(self, name: str, *arguments: Any) -> Any:
        """The result of a function of `SIGNATURES`, if it has one; `CudaError` if it fails."""
        signature = SIGNATURES[name]
        function = getattr(self.library, signature.symbol or name)
        results = [ty() for ty in signature.results]
        values = [ty(value) for ty, value in zip(signature.arguments, arguments, strict=True)]
        self._check(name, function(*map(ctypes.byref, results), *values))
        return (results[0].value or 0) if results else None

    def encode_tensor_map(self, arguments: TensorMapArguments) -> bytes:
        """The 128 bytes of a tensor map."""
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
        """`cuLaunchKernelEx` itself, which takes structures and `c_void_p`, and gives a status."""
        return self.library.cuLaunchKernelEx

    @contextmanager
    def relaxed_capture(self) -> Generator[None]:
        """
        Meanwhile this thread may allocate memory, even if a stream is captured: changes its capture
        mode, and back; the driver swaps it with a number.
        """
        mode = _int(_RELAXED)
        self.library.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode))
        try:
            yield
        finally:
            self.library.cuThreadExchangeStreamCaptureMode(ctypes.byref(mode))

    def is_capturing(self, stream: int) -> bool:
        """
        Whether what is launched on a stream becomes part of a graph. The driver fails where that
        cannot be: for the default stream, while others are captured that wait for it.
        """
        status = _int()
        failed = self.library.cuStreamIsCapturing(_ptr(stream), ctypes.byref(status))
        return not failed and status.value != 0

    def captured_node(self, stream: int) -> CapturedNode | None:
        """
        The only node that what is launched next on a captured stream will depend on, if any. The
        driver fails if that is by more than the end of the node.
        """
        status, number, graph, count = _int(), _u64(), _ptr(), _size()
        nodes = ctypes.POINTER(_ptr)()
        results = map(ctypes.byref, (status, number, graph, nodes, count))
        failed = self.library.cuStreamGetCaptureInfo_v2(_ptr(stream), *results)
        if failed or status.value != _ACTIVE or count.value != 1:
            return None
        return number.value, nodes[0] or 0

    def error(self, name: str, status: int) -> CudaError:
        """What a status of a function means."""
        texts: list[str] = []
        for query in (self.library.cuGetErrorName, self.library.cuGetErrorString):
            text = ctypes.c_char_p()
            query(_int(status), ctypes.byref(text))
            texts.append((text.value or b"unknown").decode(errors="replace"))
        return CudaError(f"{name} failed: {texts[1]} ({texts[0]})", texts[0])

    def _check(self, name: str, status: int) -> None:
        if status != 0:
            raise self.error(name, status)


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


@cache
def get_driver() -> Driver:
    """The driver, ready to be used; `MissingToolError` without a driver or a GPU."""
    driver = Driver(load_library())
    try:
        driver.call("cuInit", 0)
        count = driver.call("cuDeviceGetCount")
    except CudaError as error:
        raise MissingToolError(f"the CUDA driver has no GPU to run on: {error}") from None
    if count == 0:
        raise MissingToolError("the CUDA driver has no GPU to run on")
    return driver


def stream_handle(stream: Any) -> int:
    """The driver's handle of a stream: an integer, PyTorch's, CuPy's, or the default one."""
    if stream is None:
        return 0
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for attribute in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, attribute):
            return int(getattr(stream, attribute))
    raise BackendError(f"a {type(stream).__name__} is no CUDA stream")


@dataclass
class Captures:
    """
    The last launches in captured streams of kernels that wait by themselves.

    Launches may start before the one ahead of them has ended (programmatic dependent launch). A
    kernel whose record has `programmatic` waits by itself for what is ahead of it on the stream, on
    every path. But that is the grid directly ahead, and whoever launched that may have let it start
    early as well, and it need not have waited: it may end before what is ahead of it. What is ahead
    on a stream, the driver does not say, so there our launchers start kernels one after the other.

    Of a stream that is captured it does: the nodes that the next one depends on. If that is a
    single one, the last that was launched here, a kernel may overlap with it. All that is ahead of
    that one has ended when it has: either it was not launched early, or it has waited for such a
    one.
    """

    _last: dict[int, CapturedNode] = field(default_factory=dict[int, CapturedNode])
    """
    By stream. An entry is of use as long as it is what the stream depends on: no two captures of a
    process have the same number.
    """

    def launch(self, driver: Driver, stream: int, launch: Callable[[bool], int]) -> int:
        """
        Launches a kernel that waits by itself on a stream that is captured, by a function that is
        told whether it may start early, and returns what that returns, the status of the driver.
        """
        ahead = driver.captured_node(stream)
        status = launch(ahead is not None and self._last.get(stream) == ahead)
        if (own := driver.captured_node(stream)) is not None and own != ahead:
            self._last[stream] = own
        return status
