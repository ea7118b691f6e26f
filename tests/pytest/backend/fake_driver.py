"""
A CUDA driver without a GPU: it keeps memory in the host and records launches.

What is asynchronous happens as late as it may: a copy on a stream when a kernel is launched on that
stream, or when somebody waits for it. No stream waits for another.
"""

import ctypes
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tileiras_xdsl.backend.cuda import LaunchAttribute, LaunchConfig
from tileiras_xdsl.backend.driver import SIGNATURES, CapturedNode, CudaError, TensorMapArguments
from tileiras_xdsl.backend.launch_record import LaunchRecord

NOT_CAPTURED = ("cuMemAlloc", "cuStreamCreate", "cuModuleLoadData", "cuCtxSetLimit")
"""What allocates memory, or may do so: not while a stream is captured."""
POISON = 0xA5
"""What is in memory before anybody writes there."""


@dataclass
class FakeDriver:
    """Calls `kernel` with the bytes of the arguments in place of a launch."""

    record: LaunchRecord
    kernel: Callable[[list[bytes]], None] = lambda arguments: None
    capability: tuple[int, int] = (9, 0)
    sm_count: int = 4
    calls: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    memory: dict[int, Any] = field(default_factory=dict[int, Any])
    maps: list[TensorMapArguments] = field(default_factory=list[TensorMapArguments])
    pending: list[tuple[int, int, int, int]] = field(
        default_factory=list[tuple[int, int, int, int]]
    )
    """Copies that have not happened yet: where to, where from, bytes, stream."""
    zeros: dict[int, Any] = field(default_factory=dict[int, Any])
    """That are copied to clear memory, by the number of words."""
    captured: set[int] = field(default_factory=set[int])
    """Streams that are: most of what is no part of the graph is an error meanwhile."""
    is_relaxed: bool = False
    capture: int = 0
    """How often a stream began to be captured."""
    nodes: dict[int, CapturedNode] = field(default_factory=dict[int, CapturedNode])
    """By stream, what the next launch depends on."""
    heap: int = 8 << 20
    """Bytes of the heap of the device, which are fixed once code that uses it is loaded."""
    is_heap_used: bool = False
    free: int = 64 << 30
    """Bytes of memory that are free."""
    attributes: list[dict[int, int]] = field(default_factory=list[dict[int, int]])
    """Of launches that may have some: their values."""

    def call(self, name: str, *arguments: Any) -> Any:
        assert len(arguments) == len(SIGNATURES[name].arguments)
        self.calls.append((name, *arguments))
        if self.captured:
            assert self.is_relaxed or name not in NOT_CAPTURED, name
            if name in ("cuMemsetD32Async", "cuMemcpyHtoDAsync", "cuStreamSynchronize"):
                assert arguments[-1] not in (0, *self.captured), name
        match name, arguments:
            case "cuDeviceGetCount", ():
                return 1
            case "cuDeviceGetAttribute", (16, _):
                return self.sm_count
            case "cuDeviceGetAttribute", (38, _):
                return 4096
            case "cuDeviceGetName", (size, _):
                return b"a GPU\0".ljust(size, b"?")  # The rest is left as it was.
            case "cuDriverGetVersion", ():
                return 13010
            case "cuDeviceGetAttribute", (int(attribute), _):
                return self.capability[attribute - 75]
            case "cuMemAlloc", (size,):
                buffer = (ctypes.c_ubyte * size)()
                ctypes.memset(buffer, POISON, size)
                self.memory[ctypes.addressof(buffer)] = buffer
                return ctypes.addressof(buffer)
            case "cuMemFree", (address,):
                assert not any(address in copy[:2] for copy in self.pending), "is still copied"
                del self.memory[address]
            case (("cuMemcpyHtoDAsync" | "cuMemcpyDtoHAsync"), (to, source, size, stream)):
                self.pending.append((to, source, size, stream))
            case "cuMemsetD32Async", (to, 0, words, stream):
                zeros = self.zeros.setdefault(words, (ctypes.c_uint32 * words)())
                self.pending.append((to, ctypes.addressof(zeros), 4 * words, stream))
            case "cuCtxGetLimit", (2,):
                return self.heap
            case "cuCtxSetLimit", (2, size):
                if self.is_heap_used:
                    raise CudaError("too late", "CUDA_ERROR_INVALID_VALUE")
                self.heap = size
            case "cuMemGetInfo", ():
                return self.free
            case "cuModuleLoadData", _:
                self.is_heap_used |= self.record.heap > 0
                return 0x100 + len(self.named(name))
            case "cuStreamCreate", _:
                return 0x1000 + len(self.named(name))
            case "cuStreamSynchronize", (stream,):
                self._reach(stream)
            case "cuModuleGetFunction", (_, entry):
                if entry.decode() != self.record.entry:
                    raise CudaError("not found", "CUDA_ERROR_NOT_FOUND")
                return 7
            case "cuEventElapsedTime", _:
                return 0.5
            case "cuLaunchKernel", (*_, stream, addresses, _):
                self.add_node(stream)
                self._reach(stream)
                self.kernel(self._arguments(addresses))
            case _:
                return 1 if SIGNATURES[name].results else None

    def _reach(self, stream: int) -> None:
        """All copies on a stream happen, in their order."""
        for to, source, size, _ in [copy for copy in self.pending if copy[3] == stream]:
            ctypes.memmove(to, source, size)
        self.pending = [copy for copy in self.pending if copy[3] != stream]

    def encode_tensor_map(self, arguments: TensorMapArguments) -> bytes:
        self.maps.append(arguments)
        return bytes(range(128))

    def raw_launch(self) -> Callable[[Any, Any, Any, Any], int]:
        def launch(config: Any, function: Any, addresses: Any, extra: Any) -> int:
            del extra
            given = LaunchConfig.from_address(config.value)
            stream = given.stream or 0
            self.calls.append(
                ("cuLaunchKernelEx", function.value, *given.grid, *given.threads, given.shared)
            )
            found: dict[int, int] = {}
            for number in range(given.attribute_count):
                at = given.attributes + number * ctypes.sizeof(LaunchAttribute)
                attribute = LaunchAttribute.from_address(at)
                found[attribute.id] = attribute.value[0]
            self.attributes.append(found)
            self.add_node(stream)
            self._reach(stream)
            self.kernel(self._arguments(addresses.value))
            return 0

        return launch

    @contextmanager
    def relaxed_capture(self) -> Generator[None]:
        self.is_relaxed = True
        yield
        self.is_relaxed = False

    def is_capturing(self, stream: int) -> bool:
        return stream in self.captured

    def captured_node(self, stream: int) -> CapturedNode | None:
        return self.nodes.get(stream) if stream in self.captured else None

    def begin_capture(self, stream: int) -> None:
        """What follows on a stream becomes part of a graph, which has no nodes yet."""
        self.capture += 1
        self.captured.add(stream)
        self.nodes.pop(stream, None)

    def end_capture(self, stream: int) -> None:
        self.captured.remove(stream)

    def add_node(self, stream: int) -> None:
        """Somebody launches something on a stream. Graphs may have nodes of the same address."""
        if stream in self.captured:
            _, last = self.nodes.get(stream, (0, 0x500))
            self.nodes[stream] = self.capture, last + 0x10

    def error(self, name: str, status: int) -> CudaError:
        return CudaError(f"{name} failed: {status}", "CUDA_ERROR_FAKE")

    def named(self, name: str) -> list[list[Any]]:
        """The arguments of the calls of a function."""
        return [arguments for called, *arguments in self.calls if called == name]

    def _arguments(self, addresses: int) -> list[bytes]:
        sizes = [parameter.size for parameter in self.record.parameters]
        sizes += [4, 4, 4] if self.record.persistent else []
        sizes += [128] * len(self.record.tensor_maps)
        pointers = (ctypes.c_void_p * max(1, len(sizes))).from_address(addresses)
        return [ctypes.string_at(pointers[index] or 0, size) for index, size in enumerate(sizes)]
