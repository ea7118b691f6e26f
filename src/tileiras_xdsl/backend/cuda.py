"""
Loads compiled kernels and launches them, through the CUDA driver.

    with load_file("saxpy.cubin") as kernel:
        kernel.launch(16, [2.0, x, y, n])

`load_file` reads the launch record beside the cubin, `load` is given both.

A launch may be prepared: its arguments are bound once, and it then costs a call of the driver.

    launch = kernel.prepare(grid, [a, b, c], stream)
    for _ in range(1000):
        launch()

A call packs nothing, allocates nothing and waits for nothing, so a CUDA graph can capture it. That
of a kernel that may overlap with the one ahead of it in a graph asks whether it is captured.

Importing this needs neither GPU nor driver; calling it says what is missing.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

from tileiras_xdsl.backend.arguments import LaunchArguments, is_numpy
from tileiras_xdsl.backend.driver import (
    NAME_BYTES,
    NON_BLOCKING,
    Captures,
    CudaError,
    Driver,
    get_driver,
    stream_handle,
)
from tileiras_xdsl.backend.errors import BackendError, MissingToolError
from tileiras_xdsl.backend.launch_record import (
    RECORD_SUFFIX,
    LaunchRecord,
    records_from_json,
    select_record,
)
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.targets.tma import EMPTY_BYTES

# Prepared launches

_LOST_CONTEXT: Final = (201, 400)
"""What the driver says in a thread that has no context, or that of another GPU."""


class LaunchAttribute(ctypes.Structure):
    """`CUlaunchAttribute`, of whose value three numbers are used at most."""

    _fields_ = (
        ("id", ctypes.c_int),
        ("padding", ctypes.c_char * 4),
        ("value", ctypes.c_int * 3),
        ("rest", ctypes.c_char * 52),
    )


PROGRAMMATIC_LAUNCH: Final = 6
"""
The number of the attribute by which a kernel may start before those ahead of it on the stream have
ended.
"""

_PROGRAMMATIC: Final = LaunchAttribute(PROGRAMMATIC_LAUNCH, value=(1,))
"""It stays where it is: launches have its address."""


class LaunchConfig(ctypes.Structure):
    """`CUlaunchConfig`."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("threads", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("attribute_count", ctypes.c_uint),
    )

    @staticmethod
    def of(
        kernel: Kernel,
        grid: tuple[int, int, int],
        stream: int,
        *,
        programmatic: bool,
    ) -> LaunchConfig:
        """That of the launch of a kernel which does the work of a grid."""
        record = kernel.record
        assert record.threads is not None
        assert record.shared is not None
        return LaunchConfig(
            record.launched_grid(grid, kernel.device.sm_count),
            record.threads,
            record.shared,
            stream,
            ctypes.addressof(_PROGRAMMATIC) if programmatic else None,
            int(programmatic),
        )


def _on_stream(config: LaunchConfig, stream: int) -> LaunchConfig:
    """The same launch on another stream."""
    other = LaunchConfig.from_buffer_copy(config)
    other.stream = stream
    return other


class PreparedLaunch:
    """
    A launch with its arguments; calling it launches. It keeps the arguments alive, and sees what
    is in their memory when it runs. `Kernel.prepare` makes it.
    """

    __slots__ = (
        "_config",
        "_config_address",
        "_early_config",
        "_function",
        "_kept",
        "_launch",
        "_parameters",
        "kernel",
    )

    def __init__(
        self,
        kernel: Kernel,
        grid: tuple[int, int, int],
        arguments: Sequence[object],
        stream: int,
        *,
        programmatic: bool = False,
    ):
        for index, value in enumerate(arguments):
            if is_numpy(value):
                raise BackendError(
                    f"argument {index} of {kernel.record.entry} is a NumPy array, which would have "
                    "to be copied at every launch: a launch is prepared with arrays on the GPU"
                )
        device, record = kernel.device, kernel.record
        self.kernel = kernel
        programmatic = programmatic and record.can_wait
        packed = LaunchArguments(device.driver, record, arguments, stream, grid, device.get_zeros)
        addresses = packed.__enter__()
        self._kept: tuple[object, ...] = (packed, addresses)
        self._launch = device.driver.raw_launch()
        # Objects that ctypes passes as they are; it would have to convert integers at every call.
        self._function = ctypes.c_void_p(kernel.function)
        self._parameters = ctypes.c_void_p(ctypes.addressof(addresses))
        self._set_config(LaunchConfig.of(kernel, grid, stream, programmatic=programmatic))
        self._early_config: LaunchConfig | None = None
        """With it, a kernel that nobody asked to start early does so; see `driver.Captures`."""
        if record.programmatic and not programmatic:
            self._early_config = LaunchConfig.of(kernel, grid, stream, programmatic=True)

    def keep(self, *objects: object) -> None:
        """Keeps objects alive as long as the launch, such as arrays that it has the address of."""
        self._kept = (*self._kept, *objects)

    def _set_config(self, config: LaunchConfig) -> None:
        self._config = config
        self._config_address = ctypes.c_void_p(ctypes.addressof(config))

    def __call__(self) -> None:
        """Launches; returns as soon as the launch is on the stream."""
        if status := self._try():
            self._launch_again(status)

    def on(self, stream: Any) -> Self:
        """The same launch on another stream, such as one that is captured."""
        other = copy(self)
        handle = stream_handle(stream)
        other._set_config(_on_stream(self._config, handle))
        if self._early_config is not None:
            other._early_config = _on_stream(self._early_config, handle)
        return other

    def _try(self) -> int:
        """Launches; returns what the driver says."""
        early, device = self._early_config, self.kernel.device
        stream = self._config.stream or 0
        if early is None or not device.driver.is_capturing(stream):
            return self._launch(self._config_address, self._function, self._parameters, None)

        def launch(is_early: bool) -> int:
            config = ctypes.c_void_p(ctypes.addressof(early)) if is_early else self._config_address
            return self._launch(config, self._function, self._parameters, None)

        return device.captures.launch(device.driver, stream, launch)

    def _launch_again(self, status: int) -> None:
        """Only a launch that failed looks whether the thread has the context."""
        device = self.kernel.device
        if status in _LOST_CONTEXT:
            device.driver.call("cuCtxSetCurrent", device.context)
            status = self._try()
        if status:
            raise device.driver.error("cuLaunchKernelEx", status)


# Kernels

_SM_COUNT: Final = 16
_CAPABILITY_MAJOR: Final = 75
_CAPABILITY_MINOR: Final = 76
_L2_BYTES: Final = 38
_MAX_DYNAMIC_SHARED: Final = 8
_HEAP_LIMIT: Final = 2
"""The number of the limit that is the size of the heap of the device."""
_HEAP_SHARE: Final = 8
"""The heap gets one part in this many of the free memory."""
_DEFAULT_SHARED: Final = 48 * 1024
"""Bytes of dynamic shared memory that a kernel may have without asking."""
_OPEN: Final = {"threads": "threads", "shared": "bytes of dynamic shared memory"}
"""What a launch record may leave open, in words."""


def is_available() -> bool:
    """Whether this machine can run kernels."""
    try:
        get_driver()
    except MissingToolError:
        return False
    return True


def find_architecture(default: str) -> str:
    """
    The architecture of this machine's first GPU, such as `sm_100`, or the default where there is
    none. A process of its own asks the driver: one that has done so must not fork.
    """
    code = f"from {__name__} import Device; print(Device.get().capability.name)"
    path = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    child = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, env=environment
    )
    return child.stdout.strip() or default


@dataclass(frozen=True)
class Device:
    """A GPU, with the context that other libraries of this process use too."""

    driver: Driver
    capability: ComputeCapability
    sm_count: int
    context: int
    handle: int = 0
    captures: Captures = field(default_factory=Captures, init=False, repr=False, compare=False)
    _zeros: list[int] = field(default_factory=list[int], init=False, repr=False, compare=False)

    @staticmethod
    @cache
    def get(index: int = 0) -> Device:
        """A GPU by its number; `MissingToolError` if there is none."""
        driver = get_driver()
        count = driver.call("cuDeviceGetCount")
        if not 0 <= index < count:
            raise MissingToolError(f"there is no GPU {index}, this machine has {count}")
        handle = driver.call("cuDeviceGet", index)
        major, minor, sm_count = (
            driver.call("cuDeviceGetAttribute", attribute, handle)
            for attribute in (_CAPABILITY_MAJOR, _CAPABILITY_MINOR, _SM_COUNT)
        )
        context = driver.call("cuDevicePrimaryCtxRetain", handle)
        return Device(driver, ComputeCapability(major, minor), sm_count, context, handle)

    @property
    def name(self) -> str:
        """Such as `NVIDIA H200`."""
        name: bytes = self.driver.call("cuDeviceGetName", NAME_BYTES, self.handle)
        return name.partition(b"\0")[0].decode(errors="replace")

    @property
    def driver_version(self) -> str:
        """The CUDA version of the driver, such as `13.0`."""
        major, rest = divmod(self.driver.call("cuDriverGetVersion"), 1000)
        return f"{major}.{rest // 10}"

    @property
    def l2_bytes(self) -> int:
        return self.driver.call("cuDeviceGetAttribute", _L2_BYTES, self.handle)

    def get_zeros(self) -> int:
        """
        The address of zeros, which launches have for tensors without elements. They stay, and are
        never written again. A stream may be captured: what is done here is no part of the graph.
        """
        driver = self.driver
        if not self._zeros:
            with driver.relaxed_capture():
                address = driver.call("cuMemAlloc", EMPTY_BYTES)
                stream = driver.call("cuStreamCreate", NON_BLOCKING)
                driver.call("cuMemsetD32Async", address, 0, EMPTY_BYTES // 4, stream)
                driver.call("cuStreamSynchronize", stream)
                driver.call("cuStreamDestroy", stream)
            self._zeros.append(address)
        return self._zeros[0]

    def reserve_heap(self, record: LaunchRecord) -> None:
        """
        Makes the heap of the device large enough for all CTAs of a kernel that run at once, as far
        as there is memory. That is possible only before code is loaded that uses it. Otherwise CTAs
        wait for each other.
        """
        free = self.driver.call("cuMemGetInfo")
        size = min(record.heap * record.resident_ctas(self.sm_count), free // _HEAP_SHARE)
        if self.driver.call("cuCtxGetLimit", _HEAP_LIMIT) >= size:
            return
        with suppress(CudaError):
            self.driver.call("cuCtxSetLimit", _HEAP_LIMIT, size)

    def check_runs(self, arch: str, *, is_ptx: bool) -> None:
        """Raises `BackendError` if code for an architecture does not run here."""
        code = ComputeCapability.parse(arch)
        own = (self.capability.major, self.capability.minor)
        needs = (code.major, code.minor)
        if code.suffix == "a":
            runs = needs == own
        elif code.suffix == "f":
            runs = needs <= own and code.major == self.capability.major
        else:
            runs = needs <= own and (is_ptx or code.major == self.capability.major)
        if not runs:
            raise BackendError(
                f"code for {arch} does not run on this GPU, which is {self.capability.name}"
            )


def load(image: bytes | str, record: LaunchRecord, device: int = 0) -> Kernel:
    """
    The kernel of a cubin (bytes) or of PTX (a string), which the driver then compiles.
    """
    if record.threads is None or record.shared is None:
        missing = "threads" if record.threads is None else "shared"
        raise BackendError(
            f"the launch record of {record.entry} leaves open how many {_OPEN[missing]} a CTA "
            f"has: set its field '{missing}'"
        )
    gpu = Device.get(device)
    gpu.check_runs(record.arch, is_ptx=isinstance(image, str))
    driver = gpu.driver
    driver.call("cuCtxSetCurrent", gpu.context)
    data = image.encode() if isinstance(image, str) else image
    buffer = ctypes.create_string_buffer(data)
    # It may be the first launch of a kernel that is captured.
    with driver.relaxed_capture():
        if record.heap:
            gpu.reserve_heap(record)
        module = driver.call("cuModuleLoadData", ctypes.addressof(buffer))
    try:
        function = driver.call("cuModuleGetFunction", module, record.entry.encode())
        if record.shared > _DEFAULT_SHARED:
            driver.call("cuFuncSetAttribute", function, _MAX_DYNAMIC_SHARED, record.shared)
    except CudaError as error:
        driver.call("cuModuleUnload", module)
        if error.name == "CUDA_ERROR_NOT_FOUND":
            raise BackendError(f"the code has no kernel '{record.entry}'") from None
        raise
    return Kernel(gpu, record, module, function)


def load_file(path: str | Path, entry: str | None = None, device: int = 0) -> Kernel:
    """
    The kernel of a file that `tileiras-opt -t cubin` wrote, with the launch record beside it; the
    one called `entry` where there are several.
    """
    path = Path(path)
    records = records_from_json(Path(f"{path}{RECORD_SUFFIX}").read_bytes())
    return load(path.read_bytes(), select_record(records, entry), device)


@dataclass
class Kernel:
    """A kernel on a GPU, until it is closed."""

    device: Device
    record: LaunchRecord
    module: int
    function: int

    def launch(
        self, grid: int | Sequence[int], arguments: Sequence[object], stream: Any = None
    ) -> None:
        """
        Launches the kernel on a stream: a handle, one of PyTorch or CuPy, or the default one.

        Of a persistent kernel fewer CTAs are launched, which loop over the grid.

        With NumPy arrays among the arguments it returns when the results are in them, otherwise as
        soon as the launch is on the stream.
        """
        dimensions, handle = self._dimensions(grid), stream_handle(stream)
        packed = self._arguments(arguments, dimensions, handle)
        with packed as addresses:
            self.launch_packed(dimensions, addresses, handle)

    def prepare(
        self,
        grid: int | Sequence[int],
        arguments: Sequence[object],
        stream: Any = None,
        *,
        programmatic: bool = False,
    ) -> PreparedLaunch:
        """
        A launch with its arguments bound, which are on the GPU. With `programmatic`
        it may start before the kernel ahead of it on the stream has ended (programmatic dependent
        launch), and the kernel has to wait for that by itself. Code for an architecture that cannot
        starts when it has. If its record says that it waits (`LaunchRecord.programmatic`), it
        overlaps without asking where that is known to be right; see `driver.Captures`.
        """
        if not self.module:
            raise BackendError(f"the kernel {self.record.entry} is closed")
        self.device.driver.call("cuCtxSetCurrent", self.device.context)
        return PreparedLaunch(
            self,
            self._dimensions(grid),
            arguments,
            stream_handle(stream),
            programmatic=programmatic,
        )

    def time(
        self,
        grid: int | Sequence[int],
        arguments: Sequence[object],
        repeat: int = 10,
        warmup: int = 3,
        stream: Any = None,
        *,
        flush_l2: bool = False,
    ) -> list[float]:
        """
        Milliseconds of each of `repeat` launches, measured on the GPU, after some that are not.

        The copies of NumPy arrays are not part of it. With `flush_l2`, each launch finds other data
        in L2 than its own; it also finds the launch queued, however slow the CPU is.
        """
        driver, handle = self.device.driver, stream_handle(stream)
        dimensions = self._dimensions(grid)
        packed = self._arguments(arguments, dimensions, handle)
        with packed as addresses:
            for _ in range(warmup):
                self.launch_packed(dimensions, addresses, handle)
            words = 2 * self.device.l2_bytes // 4 if flush_l2 else 0
            other = driver.call("cuMemAlloc", 4 * words) if words else 0
            events: list[int] = []
            try:
                for _ in range(2 * repeat):
                    events.append(driver.call("cuEventCreate", 0))
                for start, end in zip(events[::2], events[1::2], strict=True):
                    if other:
                        driver.call("cuMemsetD32Async", other, 0, words, handle)
                    driver.call("cuEventRecord", start, handle)
                    self.launch_packed(dimensions, addresses, handle)
                    driver.call("cuEventRecord", end, handle)
                driver.call("cuStreamSynchronize", handle)
                return [
                    driver.call("cuEventElapsedTime", start, end)
                    for start, end in zip(events[::2], events[1::2], strict=True)
                ]
            finally:
                for event in events:
                    driver.call("cuEventDestroy", event)
                if other:
                    driver.call("cuMemFree", other)

    def synchronize(self, stream: Any = None) -> None:
        """Waits for what is on a stream; reports what went wrong there."""
        self.device.driver.call("cuCtxSetCurrent", self.device.context)
        self.device.driver.call("cuStreamSynchronize", stream_handle(stream))

    def close(self) -> None:
        """Unloads the code; the kernel must not run any more."""
        if self.module:
            module, self.module = self.module, 0
            self.device.driver.call("cuCtxSetCurrent", self.device.context)
            self.device.driver.call("cuModuleUnload", module)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        try:
            self.close()
        except CudaError:
            # After a fault nothing can be unloaded; what is reported is the fault.
            if error is None:
                raise

    def _arguments(
        self, values: Sequence[object], grid: tuple[int, int, int], stream: int
    ) -> LaunchArguments:
        if not self.module:
            raise BackendError(f"the kernel {self.record.entry} is closed")
        self.device.driver.call("cuCtxSetCurrent", self.device.context)
        return LaunchArguments(
            self.device.driver,
            self.record,
            values,
            stream,
            grid,
            self.device.get_zeros,
        )

    def _dimensions(self, grid: int | Sequence[int]) -> tuple[int, int, int]:
        sizes = (grid,) if isinstance(grid, int) else tuple(grid)
        if not 1 <= len(sizes) <= 3 or any(size < 1 for size in sizes):
            raise BackendError(f"a grid is one to three positive numbers, not {sizes}")
        x, y, z = (*sizes, 1, 1)[:3]
        for size, cluster in zip((x, y, z), self.record.cluster, strict=True):
            is_free = self.record.blocks_are_clusters or self.record.persistent
            if size % cluster != 0 and not is_free:
                raise BackendError(
                    f"the grid {(x, y, z)} is no multiple of the cluster {self.record.cluster}"
                )
        return x, y, z

    def launch_packed(
        self,
        grid: tuple[int, int, int],
        addresses: ctypes.Array[ctypes.c_void_p],
        stream: int,
        *,
        programmatic: bool = False,
    ) -> None:
        """
        Launches with arguments that are packed already, as `LaunchArguments` does; `programmatic`
        as in `prepare`.
        """
        record, driver = self.record, self.device.driver
        if record.programmatic or programmatic:
            programmatic &= record.can_wait

            def launch(is_early: bool) -> int:
                config = LaunchConfig.of(self, grid, stream, programmatic=is_early)
                given = (ctypes.addressof(config), self.function, ctypes.addressof(addresses))
                at, function, parameters = (ctypes.c_void_p(each) for each in given)
                return driver.raw_launch()(at, function, parameters, None)

            if record.programmatic and not programmatic and driver.is_capturing(stream):
                status = self.device.captures.launch(driver, stream, launch)
            else:
                status = launch(programmatic)
            if status:
                raise driver.error("cuLaunchKernelEx", status)
            return
        assert record.threads is not None
        driver.call(
            "cuLaunchKernel",
            self.function,
            *record.launched_grid(grid, self.device.sm_count),
            *record.threads,
            record.shared,
            stream,
            ctypes.addressof(addresses),
            0,
        )
