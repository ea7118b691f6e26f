"""
The CUDA driver as the provocations use it: memory, streams, and launches that may overlap.

Kernels are loaded and launched by `tileiras_xdsl.backend.cuda`, with the launcher that belongs to
the compiler of the bundle. What that has no word for, such as dependent launches, is called here.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

_PROGRAMMATIC_STREAM_SERIALIZATION = 6
_NON_BLOCKING = 1
_PRESSURE_BYTES = 64 << 20
_PINNED_BYTES = 256 << 20


class _LaunchAttribute(ctypes.Structure):
    """`CUlaunchAttribute`: its number, padding to 8 bytes, and a union of 64 bytes."""

    _fields_ = (("id", ctypes.c_uint), ("pad", ctypes.c_uint), ("value", ctypes.c_int * 16))


class _LaunchConfig(ctypes.Structure):
    """`CUlaunchConfig`."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("count", ctypes.c_uint),
    )


@dataclass
class Buffer:
    """Memory of the GPU, as long as the process lives."""

    gpu: Gpu
    address: int
    size: int
    """In bytes."""

    def upload(self, array: np.ndarray, offset: int = 0) -> None:
        """Copies an array to it, and waits for that."""
        data = np.ascontiguousarray(array)
        self.gpu.call(
            "cuMemcpyHtoD_v2",
            ctypes.c_uint64(self.address + offset),
            ctypes.c_void_p(data.ctypes.data),
            ctypes.c_size_t(data.nbytes),
        )
        self.gpu.synchronize()

    def download(self, dtype: Any, count: int) -> np.ndarray:
        """Its first elements; what may write them has to be waited for before."""
        data = np.empty(count, dtype)
        self.gpu.call(
            "cuMemcpyDtoH_v2",
            ctypes.c_void_p(data.ctypes.data),
            ctypes.c_uint64(self.address),
            ctypes.c_size_t(data.nbytes),
        )
        return data

    def fill(self, value: int, width: int, stream: int = 0) -> None:
        """Sets all elements of `width` bytes, on a stream."""
        self.gpu.call(
            f"cuMemsetD{8 * width}Async",
            ctypes.c_uint64(self.address),
            {1: ctypes.c_ubyte, 2: ctypes.c_ushort, 4: ctypes.c_uint}[width](value),
            ctypes.c_size_t(self.size // width),
            ctypes.c_void_p(stream),
        )


@dataclass
class Gpu:
    """The GPU, the kernels of a bundle for one ABI, and streams that do not wait for each other."""

    library: Any
    folder: Path
    abi: str
    kernels: dict[str, Any] = field(default_factory=dict[str, Any])
    streams: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        from tileiras_xdsl.backend import cuda, driver

        way = driver.Driver(self.library)
        cuda.get_driver = lambda: way
        self.call("cuInit", ctypes.c_uint(0))
        self.device = cuda.Device.get(0)
        self.call("cuCtxSetCurrent", ctypes.c_void_p(self.device.context))
        for _ in range(3):
            stream = ctypes.c_void_p()
            self.call("cuStreamCreate", ctypes.byref(stream), ctypes.c_uint(_NON_BLOCKING))
            self.streams.append(stream.value or 0)
        self._pressure: list[Buffer] = []
        self._transfer: tuple[Buffer, Buffer] | None = None

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function of the driver; `RuntimeError` if it fails."""
        status = getattr(self.library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(ctypes.c_int(status), ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'unknown').decode()} ({status})")

    def allocate(self, size: int) -> Buffer:
        """Memory of so many bytes."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return Buffer(self, address.value, size)

    def allocate_on_host(self, size: int) -> Buffer:
        """Pinned memory of the host, which the GPU reaches by the same address, and slowly."""
        address = ctypes.c_void_p()
        self.call("cuMemHostAlloc", ctypes.byref(address), ctypes.c_size_t(size), ctypes.c_uint(0))
        return Buffer(self, address.value or 0, size)

    def release(self, buffer: Buffer) -> None:
        """Frees memory."""
        self.call("cuMemFree_v2", ctypes.c_uint64(buffer.address))

    def array(self, values: np.ndarray) -> Buffer:
        """Memory with what an array holds."""
        buffer = self.allocate(max(16, values.nbytes))
        buffer.upload(values)
        return buffer

    def zeros(self, count: int, dtype: Any) -> Buffer:
        """Memory of zeros."""
        return self.array(np.zeros(count, dtype))

    def synchronize(self) -> None:
        """Waits for everything."""
        self.call("cuCtxSynchronize")

    def kernel(self, name: str) -> Any:
        """A kernel of the bundle, loaded once."""
        if name not in self.kernels:
            from tileiras_xdsl.backend import cuda
            from tileiras_xdsl.backend.launch_record import LaunchRecord

            path = self.folder / f"{name}.{self.abi}.cubin"
            record = LaunchRecord.from_dict(json.loads(path.with_suffix(".json").read_text()))
            self.kernels[name] = cuda.load(path.read_bytes(), record)
        return self.kernels[name]

    def launch(
        self,
        name: str,
        grid: int | Sequence[int],
        arguments: Sequence[object],
        stream: int = 0,
        *,
        dependent: bool = False,
    ) -> None:
        """
        Launches a kernel on a stream of this object, by its number. A dependent grid may start
        before the one in front of it on the stream is done.
        """
        kernel, handle = self.kernel(name), self.streams[stream]
        values = [each.address if isinstance(each, Buffer) else each for each in arguments]
        if not dependent:
            kernel.launch(grid, values, handle)
            return
        sizes = (grid,) if isinstance(grid, int) else tuple(grid)
        x, y, z = (*sizes, 1, 1)[:3]
        attribute = _LaunchAttribute(_PROGRAMMATIC_STREAM_SERIALIZATION)
        attribute.value[0] = 1
        record = kernel.record
        config = _LaunchConfig(
            record.launched_grid((x, y, z), self.device.sm_count),
            record.threads,
            record.shared,
            handle,
            ctypes.addressof(attribute),
            1,
        )
        with kernel._arguments(values, (x, y, z), handle) as addresses:
            self.call(
                "cuLaunchKernelEx",
                ctypes.byref(config),
                ctypes.c_void_p(kernel.function),
                ctypes.c_void_p(ctypes.addressof(addresses)),
                ctypes.c_void_p(0),
            )

    def press(self, copies: int = 4) -> None:
        """Keeps the L2 cache and the memory busy for a while, on a stream of its own."""
        if not self._pressure:
            self._pressure = [self.allocate(_PRESSURE_BYTES) for _ in range(4)]
        for turn in range(copies):
            self.call(
                "cuMemcpyDtoDAsync_v2",
                ctypes.c_uint64(self._pressure[turn % 4].address),
                ctypes.c_uint64(self._pressure[(turn + 1) % 4].address),
                ctypes.c_size_t(_PRESSURE_BYTES),
                ctypes.c_void_p(self.streams[2]),
            )

    def press_host_copies(self) -> None:
        """Keeps the copies from the host to the GPU busy for some milliseconds."""
        if self._transfer is None:
            self._transfer = self.allocate(_PINNED_BYTES), self.allocate_on_host(_PINNED_BYTES)
        target, source = self._transfer
        self.call(
            "cuMemcpyHtoDAsync_v2",
            ctypes.c_uint64(target.address),
            ctypes.c_void_p(source.address),
            ctypes.c_size_t(_PINNED_BYTES),
            ctypes.c_void_p(self.streams[2]),
        )
