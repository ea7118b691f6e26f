"""
Code of a cubin for the CPU, by which the driver encodes tensor maps.

With the ABI `driver-maps` tensor maps are hidden parameters of a kernel: its launches pass the
arguments of the entry and know nothing of them. The section `.nv.host` of the cubin has object code
for the CPU of the launching machine. The driver loads it with the cubin, and calls a function of it
whenever the arguments of a kernel are others than before, also of nodes of graphs. That function
gets the memory of all parameters, where arguments are in place, and writes the maps behind them.

What is here was read off cubins that NVIDIA's `tileiras` makes of our kernels, and tried on an H200
with driver 580.159 (`tests/gpu/check_driver_maps.py`):

    struct Function {
        char *name; void *unused[4];
        int (*change)(void *, void *, void *, char *parameters); void *unused_too[2];
    };
    struct Callbacks {
        long version = 2, unused[3], size = sizeof(Function);
        Function *functions; long count, unknown = 2; void *on_load;
    };
    int __CUDA_TILEIR_ON_PRE_LOAD(void *driver, void *context, int version, Callbacks **result);

The last one, an exported symbol, is where the driver begins; 0 means success. Position and encoding
of a map are those of `targets.tma`; ptxas places the parameter as its alignment says, beginning at
`Target.parameter_base` of constant memory.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Final

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.llvm import FuncOp

from tileiras_xdsl.backend.entries import PtxEntry, parse_entries
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.host import emit_relocatable
from tileiras_xdsl.dialects.nvgpu.types import (
    HostMap,
    LaunchNumber,
    get_host_maps,
    has_hidden_maps,
)
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.targets.tma import (
    ENCODED_WORDS,
    MAP_BYTES,
    MAX_RANK,
    STRIDE_UNIT_BITS,
    encode_box,
    encode_layout,
    map_element,
)
from tileiras_xdsl.transforms.common.abi import DRIVER_MAPS_ABI, abi_of_cubins
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import walk

ON_LOAD: Final = "__CUDA_TILEIR_ON_PRE_LOAD"
CALLBACKS: Final = "__CUDA_TILEIR_CALLBACKS"
PROMOTION: Final = 128
"""Bytes that a miss brings into L2, as with our own launcher."""
HALF: Final = (1 << 32) - 1

_MODULE: Final = f"""\
%Function = type {{{{ ptr, [4 x i64], ptr, [2 x i64] }}}}
%Callbacks = type {{{{ i64, [3 x i64], i64, ptr, i64, i64, ptr }}}}

@functions = internal global [{{count}} x %Function] [{{functions}}]
@{CALLBACKS} = global %Callbacks {{{{
  i64 2, [3 x i64] zeroinitializer, i64 64, ptr @functions, i64 {{count}}, i64 2, ptr @{ON_LOAD}
}}}}, align 16
@copy = internal global %Callbacks zeroinitializer, align 16

define i32 @{ON_LOAD}(ptr %driver, ptr %context, i32 %version, ptr %result) {{{{
  %is_unknown = icmp eq i32 %version, 0
  br i1 %is_unknown, label %refuse, label %accept
refuse:
  ret i32 1
accept:
  %callbacks = load %Callbacks, ptr @{CALLBACKS}
  store %Callbacks %callbacks, ptr @copy
  store ptr @copy, ptr %result
  ret i32 0
}}}}
"""


def make_host_code(module: ModuleOp, ptx: str, target: Target) -> bytes | None:
    """
    The object code that encodes the hidden maps of the kernels of a module, for machines like this
    one; `None` if they have none.
    """
    kernels = [op for op in walk(module) if isinstance(op, FuncOp) and has_hidden_maps(op)]
    if not kernels:
        return None
    if abi_of_cubins() != DRIVER_MAPS_ABI:
        where = f"{platform.system()} on {platform.machine()}"
        fail(
            kernels[0], f"--abi {DRIVER_MAPS_ABI} needs Linux on x86_64 or aarch64, this is {where}"
        )
    entries = parse_entries(ptx)
    parts: list[str] = []
    functions: list[str] = []
    for number, kernel in enumerate(kernels):
        entry = entries[kernel.sym_name.data]
        name = f"{entry.name}\0".encode()
        text = "".join(f"\\{byte:02X}" for byte in name)
        parts.append(f'@name{number} = internal constant [{len(name)} x i8] c"{text}"\n')
        function = _Function(entry, entry.offsets(target.parameter_base))
        parts.append(function.define(number, get_host_maps(kernel)))
        functions.append(
            f"%Function {{ ptr @name{number}, [4 x i64] zeroinitializer, ptr @change{number}, "
            "[2 x i64] zeroinitializer }"
        )
    head = _MODULE.format(count=len(functions), functions=", ".join(functions))
    return emit_relocatable("\n".join((head, *parts)))


class _Function:
    """The body of a function that encodes the maps of a kernel, as LLVM IR."""

    def __init__(self, entry: PtxEntry, offsets: Sequence[int]):
        self.entry = entry
        self.offsets = offsets
        self.lines: list[str] = []
        self._numbers = count()

    def define(self, number: int, maps: Sequence[HostMap]) -> str:
        """The function of a number; maps are the last parameters."""
        places = self.offsets[len(self.offsets) - len(maps) :]
        for place, tensor_map in zip(places, maps, strict=True):
            words = self._encode(tensor_map)
            for word in range(MAP_BYTES // 8):
                value = words[word] if word < ENCODED_WORDS else "0"
                address = self._emit(f"getelementptr i8, ptr %parameters, i64 {place + 8 * word}")
                self.lines.append(f"  store i64 {value}, ptr {address}, align 8")
        arguments = "ptr %driver, ptr %context, ptr %kernel, ptr %parameters"
        body = "\n".join(self.lines)
        return f"define internal i32 @change{number}({arguments}) {{\n{body}\n  ret i32 0\n}}\n"

    def _emit(self, operation: str) -> str:
        name = f"%v{next(self._numbers)}"
        self.lines.append(f"  {name} = {operation}")
        return name

    def _binary(self, operation: str, left: str, right: str | int) -> str:
        return self._emit(f"{operation} i64 {left}, {right}")

    def _or(self, values: Iterable[str]) -> str:
        first, *others = values
        for other in others:
            first = self._binary("or", first, other)
        return first

    def _load(self, parameter: int) -> str:
        """An argument as an i64."""
        size = self.entry.sizes[parameter]
        if size not in (1, 2, 4, 8):
            raise BackendError(f"a tensor map of '{self.entry.name}' uses parameter {parameter}")
        address = self._emit(f"getelementptr i8, ptr %parameters, i64 {self.offsets[parameter]}")
        value = self._emit(f"load i{8 * size}, ptr {address}, align {size}")
        return value if size == 8 else self._emit(f"sext i{8 * size} {value} to i64")

    def _number(self, number: LaunchNumber) -> str:
        factor, parameter = number
        if parameter is None:
            return str(factor)
        return self._binary("mul", self._load(parameter), factor)

    def _encode(self, tensor_map: HostMap) -> list[str]:
        """The words of a map; an empty tensor has the size 1, which no load relies on."""
        rank = len(tensor_map.sizes)
        element = map_element(str(tensor_map.element))
        layout = encode_layout(element, rank, tensor_map.swizzle, PROMOTION)
        steps, boxes = encode_box(tensor_map.box, tensor_map.element_strides or (1,) * rank)
        missing = MAX_RANK - rank
        strides = [
            self._binary("lshr", self._number(each), STRIDE_UNIT_BITS)
            for each in tensor_map.strides
        ]
        strides += ["0"] * (MAX_RANK - 1 - len(strides))
        sizes: list[str] = []
        for each in tensor_map.sizes:
            size = self._number(each)
            sizes.append(self._binary("sub", self._at_least_one(size), 1))
        sizes += ["0"] * missing
        low_strides = [self._binary("and", each, HALF) for each in strides]
        low_sizes = [self._binary("and", each, HALF) for each in sizes]
        high_strides = [
            self._binary("shl", self._binary("lshr", each, 32), 32 + 4 * dim)
            for dim, each in enumerate(strides)
        ]

        def pair(low: str, high: str) -> str:
            return self._or((low, self._binary("shl", high, 32)))

        return [
            self._load(tensor_map.base),
            pair(str(layout), low_strides[0]),
            pair(low_strides[1], low_strides[2]),
            self._or((low_strides[3], *high_strides)),
            pair(low_sizes[0], low_sizes[1]),
            pair(low_sizes[2], low_sizes[3]),
            self._or((low_sizes[4], str(steps))),
            str(boxes),
        ]

    def _at_least_one(self, size: str) -> str:
        is_some = self._emit(f"icmp sgt i64 {size}, 1")
        return self._emit(f"select i1 {is_some}, i64 {size}, i64 1")
