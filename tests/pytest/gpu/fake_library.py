"""The CUDA driver's library without a GPU: Tile IR text in place of cubins, run on the CPU."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import tileiras_xdsl
from tileiras_xdsl.backend.launch_record import LaunchRecord, Parameter

Array = np.ndarray[Any, Any]

_DTYPES: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "i32": np.int32, "i64": np.int64}
_ALIGNMENT = 256
_ATTRIBUTES = {16: 132, 75: 9, 76: 0}


def parameter_types(text: str) -> list[str]:
    """The types of the parameters of the entry: `f32`, or `ptr<f32>`."""
    signature = text[text.index("entry @") : text.index("%start")]
    return re.findall(r": tile<(ptr<\w+>|\w+)>", signature)


def entry_name(text: str) -> str:
    """What the entry is called."""
    return re.findall(r"entry @(\w+)", text)[0]


def record_of(text: str) -> LaunchRecord:
    """A launch record with what the launcher needs to pack arguments."""
    parameters = [Parameter("ptr" if "ptr" in each else each) for each in parameter_types(text)]
    return LaunchRecord(entry_name(text), "sm_90", tuple(parameters), (128, 1, 1))


def _memory(address: int, size: int, dtype: Any = np.uint8) -> Array:
    """Memory of this process as an array."""
    return np.ctypeslib.as_array((ctypes.c_ubyte * size).from_address(address)).view(dtype)


@dataclass
class FakeLibrary:
    """Functions return 0, as those of the driver do; launches are done when they return."""

    after: Callable[[str, list[Any]], None] = lambda entry, arguments: None
    """What is done to the arguments of a kernel when it is done."""
    launches: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """The entries that were launched, and whether they were dependent."""
    _memory: dict[int, tuple[int, Any]] = field(default_factory=dict[int, tuple[int, Any]])
    _modules: list[tuple[str, ModuleOp]] = field(default_factory=list[tuple[str, ModuleOp]])

    def __getattr__(self, name: str) -> Callable[..., int]:
        """Functions whose effects do not matter here."""
        if not name.startswith("cu"):
            raise AttributeError(name)
        return lambda *arguments: 0

    def cuDeviceGetCount(self, count: Any) -> int:
        count._obj.value = 1
        return 0

    def cuDeviceGetAttribute(self, value: Any, attribute: Any, device: Any) -> int:
        value._obj.value = _ATTRIBUTES[attribute.value]
        return 0

    def cuMemAlloc_v2(self, address: Any, size: Any) -> int:
        buffer = (ctypes.c_ubyte * (size.value + _ALIGNMENT))()
        start = -(-ctypes.addressof(buffer) // _ALIGNMENT) * _ALIGNMENT
        self._memory[start] = size.value, buffer
        address._obj.value = start
        return 0

    def cuMemHostAlloc(self, address: Any, size: Any, flags: Any) -> int:
        return self.cuMemAlloc_v2(address, size)

    def cuMemFree_v2(self, address: Any) -> int:
        del self._memory[address.value]
        return 0

    def cuMemcpyHtoD_v2(self, target: Any, source: Any, size: Any) -> int:
        ctypes.memmove(target.value, source.value, size.value)
        return 0

    cuMemcpyDtoH_v2 = cuMemcpyHtoD_v2

    def cuMemcpyHtoDAsync_v2(self, target: Any, source: Any, size: Any, stream: Any) -> int:
        return self.cuMemcpyHtoD_v2(target, source, size)

    cuMemcpyDtoHAsync_v2 = cuMemcpyHtoDAsync_v2

    def cuMemsetD8Async(self, address: Any, value: Any, count: Any, stream: Any) -> int:
        width = ctypes.sizeof(value)
        _memory(address.value, count.value * width, f"u{width}")[:] = value.value
        return 0

    cuMemsetD16Async = cuMemsetD32Async = cuMemsetD8Async

    def cuModuleLoadData(self, module: Any, image: Any) -> int:
        text = ctypes.string_at(image.value).decode()
        self._modules.append((text, tileiras_xdsl.load(text)))
        module._obj.value = len(self._modules)
        return 0

    def cuModuleGetFunction(self, function: Any, module: Any, name: Any) -> int:
        function._obj.value = module.value
        return 0

    def cuLaunchKernel(self, function: Any, *rest: Any) -> int:
        x, y, z = (each.value for each in rest[:3])
        self._launch(function.value, (x, y, z), rest[8].value, is_dependent=False)
        return 0

    def cuLaunchKernelEx(self, config: Any, function: Any, addresses: Any, extra: Any) -> int:
        fields = config._obj
        attribute = (ctypes.c_int * 3).from_address(fields.attributes)
        assert fields.count == 1
        assert tuple(attribute) == (6, 0, 1)
        assert tuple(fields.block) == (128, 1, 1)
        x, y, z = fields.grid
        self._launch(function.value, (x, y, z), addresses.value, is_dependent=True)
        return 0

    def _launch(
        self, function: int, grid: tuple[int, int, int], addresses: int, *, is_dependent: bool
    ) -> None:
        text, module = self._modules[function - 1]
        types = parameter_types(text)
        pointers = (ctypes.c_void_p * len(types)).from_address(addresses)
        arguments = [
            self._argument(ty, pointer or 0) for ty, pointer in zip(types, pointers, strict=True)
        ]
        tileiras_xdsl.run(module, grid=grid, args=arguments)
        self.launches.append((entry_name(text), is_dependent))
        self.after(entry_name(text), arguments)

    def _argument(self, ty: str, address: int) -> Any:
        """What the interpreter takes for the bytes of an argument."""
        if not ty.startswith("ptr"):
            dtype = np.dtype(_DTYPES[ty])
            return _memory(address, dtype.itemsize, dtype)[0].item()
        target = int(_memory(address, 8, np.uint64)[0])
        size, _ = self._memory[target]
        dtype = np.dtype(_DTYPES[ty[4:-1]])
        return _memory(target, size // dtype.itemsize * dtype.itemsize, dtype)
