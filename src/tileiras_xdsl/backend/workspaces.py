"""
Workspaces, in which CTAs of a kernel hand tiles over to each other.

Launches on a stream run one after the other, and leave all flags zero, so that all kernels share
one workspace for each stream. If a kernel needs a larger one, that takes its place, and the one
before stays, as launches may still run with it. Where a stream is captured, the graph keeps the
address, and may run beside whatever else is launched: for graphs, each kernel has others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Final

from tileiras_xdsl.backend.driver import NON_BLOCKING
from tileiras_xdsl.transforms.common.abi import WORKSPACE_FLAGS

if TYPE_CHECKING:
    from tileiras_xdsl.backend.cuda import Device, Kernel

_STREAM_PER_THREAD: Final = 2
"""The handle of the default stream of a thread, in all threads."""

Key = tuple[int, int, int]


@dataclass(eq=False)
class Workspace:
    """Memory of a GPU whose flags are zero whenever no launch with it runs."""

    address: int
    size: int
    """In bytes."""
    users: int = 0
    """Kernels that were launched with it, and are not closed."""


@dataclass
class Workspaces:
    """Those of a GPU."""

    _lock: Lock = field(default_factory=Lock)
    _newest: dict[Key, Workspace] = field(default_factory=dict[Key, Workspace])
    """
    By stream; by thread, if each has another stream of that handle; and by the module of the kernel
    in graphs, else 0.
    """

    def get(self, kernel: Kernel, stream: int) -> Workspace:
        """
        What a kernel is launched with on a stream. It stays until all kernels are closed that it
        was given to.
        """
        device = kernel.device
        size = kernel.record.workspace_bytes(device.sm_count)
        thread = get_ident() if stream == _STREAM_PER_THREAD else 0
        key = stream, thread, kernel.module if device.driver.is_capturing(stream) else 0
        with self._lock:
            found = self._newest.get(key)
            if found is None or found.size < size:
                found = self._newest[key] = Workspace(_allocate(device, size), size)
            if found not in kernel.workspaces:
                kernel.workspaces.add(found)
                found.users += 1
            return found

    def release(self, kernel: Kernel) -> None:
        """Frees what only this kernel was launched with."""
        unused: list[Workspace] = []
        with self._lock:
            while kernel.workspaces:
                workspace = kernel.workspaces.pop()
                workspace.users -= 1
                if not workspace.users:
                    unused.append(workspace)
            self._newest = {key: each for key, each in self._newest.items() if each.users}
        for workspace in unused:
            kernel.device.driver.call("cuMemFree", workspace.address)


def _allocate(device: Device, size: int) -> int:
    """
    The address of memory whose flags are zero. A stream may be captured, mostly after a first
    launch on another one: what is done here is no part of the graph.
    """
    driver = device.driver
    driver.call("cuCtxSetCurrent", device.context)
    with driver.relaxed_capture():
        address = driver.call("cuMemAlloc", size)
        stream = driver.call("cuStreamCreate", NON_BLOCKING)
        driver.call("cuMemsetD32Async", address, 0, WORKSPACE_FLAGS // 4, stream)
        driver.call("cuStreamSynchronize", stream)
        driver.call("cuStreamDestroy", stream)
    return address
