"""
The library of the CUDA driver in Python, for cuTile's own launcher and for ours: callbacks that say
yes to everything, and keep what is launched.

cuTile asks for the addresses of the driver's functions once in a process, and calls them from C++.
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

_pointer = ctypes.c_void_p
_ARGUMENTS = 12
_Function = ctypes.CFUNCTYPE(ctypes.c_int, *[_pointer] * _ARGUMENTS)
_Finder = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_char_p, _pointer, ctypes.c_int, ctypes.c_uint64, _pointer
)
_MODULE = "cuda.tile._load_libcuda"
_CAPABILITY = {16: 132, 75: 9, 76: 0}
"""Attributes of the device: SMs, and a compute capability of 9.0."""
_HANDLES = (
    "cuLibraryLoadData",
    "cuLibraryGetKernel",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuDevicePrimaryCtxRetain",
    "cuEventCreate",
    "cuStreamCreate",
)
_MEMORY = ("cuMemAlloc", "cuMemAlloc_v2", "cuMemAllocHost")


class Config(ctypes.Structure):
    """`CUlaunchConfig`, as the header has it."""

    _fields_ = (
        ("gridDimX", ctypes.c_uint),
        ("gridDimY", ctypes.c_uint),
        ("gridDimZ", ctypes.c_uint),
        ("blockDimX", ctypes.c_uint),
        ("blockDimY", ctypes.c_uint),
        ("blockDimZ", ctypes.c_uint),
        ("sharedMemBytes", ctypes.c_uint),
        ("hStream", ctypes.c_void_p),
        ("attrs", ctypes.c_void_p),
        ("numAttrs", ctypes.c_uint),
    )


@dataclass
class Launch:
    """A launch."""

    grid: tuple[int, int, int]
    threads: tuple[int, int, int]
    stream: int
    attributes: dict[int, int]
    """The first word of the value of each, by its number."""
    parameters: list[bytes]


@dataclass
class FakeLibrary:
    """The driver's functions, as attributes; a call of one is kept in `calls`."""

    sizes: list[int] = field(default_factory=list[int])
    """Bytes of the parameters of the kernel that is launched next."""
    calls: list[str] = field(default_factory=list[str])
    launches: list[Launch] = field(default_factory=list[Launch])
    failures: list[int] = field(default_factory=list[int])
    """What the next launches return."""
    device: int = 0
    """The GPU whose context the thread has, of two."""
    _functions: dict[str, Any] = field(default_factory=dict[str, Any])
    _memory: list[Any] = field(default_factory=list[Any])
    _handles: int = 0x1000

    def reset(self) -> None:
        """Forgets what happened."""
        for kept in (self.calls, self.launches, self.sizes, self.failures):
            kept.clear()
        self.device = 0

    def find(self, name: str) -> Any:
        """The callback of a function."""
        if name not in self._functions:

            def call(*arguments: int | None) -> int:
                self.calls.append(name)
                return self._act(name, [argument or 0 for argument in arguments])

            self._functions[name] = _Function(call)
        return self._functions[name]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cu"):
            raise AttributeError(name)
        function = self.find(name)

        def call(*arguments: Any) -> int:
            values = [getattr(argument, "value", argument) for argument in arguments]
            return function(*values, *[None] * (_ARGUMENTS - len(values)))

        return call

    def _act(self, name: str, arguments: list[int]) -> int:
        first = arguments[0]
        if name in _HANDLES:
            self._handles += 0x1000
            _write(first, ctypes.c_uint64, self._handles)
        elif name in _MEMORY:
            self._memory.append((ctypes.c_ubyte * arguments[1])())
            _write(first, ctypes.c_uint64, ctypes.addressof(self._memory[-1]))
        elif name == "cuStreamIsCapturing":
            _write(arguments[1], ctypes.c_int, 0)
        elif name in ("cuDeviceGetCount", "cuDriverGetVersion"):
            _write(first, ctypes.c_int, 2 if name == "cuDeviceGetCount" else 13040)
        elif name == "cuCtxGetDevice":
            _write(first, ctypes.c_int, self.device)
        elif name == "cuDeviceGet":
            _write(first, ctypes.c_int, arguments[1])
        elif name == "cuDeviceGetAttribute":
            _write(first, ctypes.c_int, _CAPABILITY.get(arguments[1], 1024))
        elif name in ("cuGetErrorName", "cuGetErrorString"):
            _write(arguments[1], ctypes.c_char_p, b"CUDA_ERROR_FAKE")
        elif name == "cuTensorMapEncodeTiled":
            ctypes.memset(first, 0x5A, 128)
        elif name == "cuLaunchKernelEx":
            if self.failures and (status := self.failures.pop(0)):
                return status
            self.launches.append(self._launch(Config.from_address(first), arguments[2]))
        return 0

    def _launch(self, config: Config, parameters: int) -> Launch:
        addresses = (_pointer * max(1, len(self.sizes))).from_address(parameters)
        attributes: dict[int, int] = {}
        for index in range(config.numAttrs):
            # An attribute is 72 bytes: a number, padding, and a union of 64 bytes.
            words = (ctypes.c_int * 3).from_address(config.attrs + 72 * index)
            attributes[words[0]] = words[2]
        return Launch(
            (config.gridDimX, config.gridDimY, config.gridDimZ),
            (config.blockDimX, config.blockDimY, config.blockDimZ),
            config.hStream or 0,
            attributes,
            [ctypes.string_at(addresses[i] or 0, size) for i, size in enumerate(self.sizes)],
        )


def _write(address: int, ty: Any, value: Any) -> None:
    ty.from_address(address).value = value


LIBRARY = FakeLibrary()


@_Finder
def _find(name: bytes, address: int, version: int, flags: int, status: int | None) -> int:
    """`cuGetProcAddress`."""
    del version, flags
    _write(address, ctypes.c_uint64, ctypes.cast(LIBRARY.find(name.decode()), _pointer).value)
    if status:
        _write(status, ctypes.c_int, 0)
    return 0


def give_to_cutile() -> FakeLibrary:
    """Has cuTile take this for the driver, if it has none yet; it keeps it for good."""
    if _MODULE not in sys.modules:
        module: Any = ModuleType(_MODULE)
        module.cuGetProcAddress_v2_ptrptr = ctypes.addressof(_find)
        sys.modules[_MODULE] = module
    return LIBRARY


class GpuArray:
    """An array that is said to be on the GPU; nobody reads it."""

    def __init__(
        self,
        shape: tuple[int, ...],
        address: int,
        typestr: str = "<f4",
        strides: tuple[int, ...] | None = None,
    ):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (address, False),
            "strides": strides,
            "version": 3,
        }
