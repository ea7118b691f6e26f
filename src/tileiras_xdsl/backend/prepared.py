"""
A launch whose arguments are bound once, and which then costs a call of the driver.

    launch = kernel.prepare(grid, [a, b, c], stream)
    for _ in range(1000):
        launch()

A call packs nothing, allocates nothing and waits for nothing, so a CUDA graph can capture it. That
of a kernel that may overlap with the one ahead of it in a graph asks whether it is captured.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Final, Self

from tileiras_xdsl.backend.arguments import LaunchArguments, is_numpy
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.streams import stream_handle

if TYPE_CHECKING:
    from tileiras_xdsl.backend.cuda import Kernel

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
        """With it, a kernel that nobody asked to start early does so; see `captures`."""
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
