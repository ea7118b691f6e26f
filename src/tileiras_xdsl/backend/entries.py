"""
The kernels of a module as a launch sees them.

The bytes of arguments, the threads of a CTA and the CTAs of a cluster are read
from the PTX, which is what the driver goes by. The module knows types and names, and what a kernel
refers to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.llvm import FuncOp, GlobalOp, LLVMArrayType, LLVMPointerType
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.analysis.slices import reachable
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.launch_record import (
    PARAMETER_SIZES,
    RAW,
    SWIZZLE_WORDS,
    LaunchRecord,
    Parameter,
    Quantity,
    TensorMapRecord,
)
from tileiras_xdsl.backend.ptxas import FunctionUsage
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.dialects.nvgpu.types import (
    DYNAMIC_SHARED_ATTRIBUTE,
    GRID_PARAMETERS,
    PROGRAMMATIC,
    HostMap,
    get_dynamic_shared,
    get_heap_bytes,
    get_host_maps,
    get_persistent_ctas,
    has_hidden_maps,
)
from tileiras_xdsl.dialects.tileiras import DETERMINISTIC
from tileiras_xdsl.targets.tma import MAP_ALIGNMENT, SWIZZLES
from tileiras_xdsl.transforms.common.abi import Abi
from tileiras_xdsl.xdsl_extras.walking import walk

SHARED_SPACE: Final = 3

_ENTRY = re.compile(r"\.entry\s+([^\s(]+)\s*\(([^)]*)\)([^{]*)\{")
_PARAMETER = re.compile(
    r"(?:\.hidden\s+)?\.param\s+(?:\.align\s+(\d+)\s+)?\.[a-z]+(\d+)\s[^\[\]]*(?:\[(\d+)\])?\s*$"
)
_DIRECTIVE = re.compile(r"^\s*\.(\w+)[ \t]*([\d, \t]*)$", re.MULTILINE)


@dataclass(frozen=True)
class PtxEntry:
    """The head of a kernel in PTX."""

    name: str
    sizes: tuple[int, ...]
    """Bytes of each parameter."""
    alignments: tuple[int, ...]
    directives: Mapping[str, tuple[int, ...]]
    """What is said of launches: `{"reqntid": (128, 1, 1)}`."""

    def offsets(self, base: int) -> list[int]:
        """Where each parameter begins, from the first one on, which is at a base in memory."""
        found: list[int] = []
        end = base
        for size, alignment in zip(self.sizes, self.alignments, strict=True):
            start = -(-end // alignment) * alignment
            found.append(start - base)
            end = start + size
        return found

    def triple(self, directive: str) -> tuple[int, int, int] | None:
        """The numbers of a directive; those that are not written are 1."""
        if (numbers := self.directives.get(directive)) is None:
            return None
        x, y, z = (*numbers, 1, 1, 1)[:3]
        return x, y, z


def parse_entries(ptx: str) -> dict[str, PtxEntry]:
    """The heads of all kernels, by name."""
    entries: dict[str, PtxEntry] = {}
    for match in _ENTRY.finditer(ptx):
        name, parameters, directives = match.groups()
        sizes = [_size(text) for text in parameters.split(",") if text.strip()]
        numbers = {
            word: tuple(map(int, re.findall(r"\d+", values)))
            for word, values in _DIRECTIVE.findall(directives)
        }
        entries[name] = PtxEntry(
            name, tuple(size for size, _ in sizes), tuple(each for _, each in sizes), numbers
        )
    return entries


def _size(text: str) -> tuple[int, int]:
    """Bytes and alignment of a parameter."""
    if (match := _PARAMETER.match(text.strip())) is None:
        raise BackendError(f"the PTX has a parameter that is not understood: {text.strip()}")
    element = int(match[2]) // 8
    return element * int(match[3] or 1), int(match[1] or element)


def make_records(
    module: ModuleOp,
    ptx: str,
    target: NvptxTarget,
    usage: Mapping[str, FunctionUsage],
    ptxas_version: str | None = None,
) -> tuple[LaunchRecord, ...]:
    """The launch records of the kernels that PTX has, in its order."""
    named = (op for op in walk(module) if isinstance(op, FuncOp | GlobalOp))
    symbols: dict[str, Operation] = {op.sym_name.data: op for op in named}
    records: list[LaunchRecord] = []
    for name, entry in parse_entries(ptx).items():
        function = symbols.get(name)
        if not isinstance(function, FuncOp):
            raise BackendError(f"the PTX has a kernel '{name}', which the module has not")
        figures = usage.get(name, FunctionUsage())
        maps = tuple(map(_tensor_map, get_host_maps(function)))
        persistent = get_persistent_ctas(function)
        added = len(maps) + (GRID_PARAMETERS if persistent else 0)
        abi: Abi = "host-maps" if added else "device-maps"
        if has_hidden_maps(function):
            abi, maps = "driver-maps", ()
        parameters = tuple(_parameters(function, entry))
        records.append(
            LaunchRecord(
                entry=name,
                arch=target.cpu,
                parameters=parameters[: len(parameters) - added],
                threads=entry.triple("reqntid"),
                shared=_dynamic_shared(function, symbols),
                static_shared=figures.shared,
                registers=figures.registers or None,
                spill_stores=figures.spill_stores,
                spill_loads=figures.spill_loads,
                cluster=entry.triple("reqnctapercluster") or (1, 1, 1),
                blocks_are_clusters="blocksareclusters" in entry.directives,
                abi=abi,
                tensor_maps=maps,
                persistent=persistent,
                programmatic=PROGRAMMATIC.is_on(function),
                heap=get_heap_bytes(function),
                deterministic=DETERMINISTIC.is_on(function),
                ptxas_version=ptxas_version,
            )
        )
    return tuple(records)


def _parameters(function: FuncOp, entry: PtxEntry) -> Iterator[Parameter]:
    types = function.function_type.inputs.data
    if len(types) != len(entry.sizes):
        raise BackendError(
            f"kernel '{entry.name}' has {len(types)} parameters, in PTX {len(entry.sizes)}"
        )
    block = function.body.blocks.first
    for index, (ty, size) in enumerate(zip(types, entry.sizes, strict=True)):
        name = None if block is None else block.args[index].name_hint
        word = _type_word(ty, _argument_attributes(function, index))
        if PARAMETER_SIZES.get(word) != size:
            word = RAW
        yield Parameter(word, name or "", size)


def _tensor_map(tensor_map: HostMap) -> TensorMapRecord:
    """What the launcher encodes for a parameter that is not among those of the entry."""
    sizes, strides = (
        tuple(Quantity(value, parameter) for value, parameter in numbers)
        for numbers in (tensor_map.sizes, tensor_map.strides)
    )
    return TensorMapRecord(
        str(tensor_map.element),
        tensor_map.base,
        sizes,
        strides,
        tensor_map.box,
        tensor_map.element_strides,
        swizzle=SWIZZLE_WORDS[SWIZZLES.index(tensor_map.swizzle)],
    )


def _argument_attributes(function: FuncOp, index: int) -> Mapping[str, Attribute]:
    attributes = function.arg_attrs
    if attributes is None or index >= len(attributes.data):
        return {}
    return attributes.data[index].data


def _type_word(ty: Attribute, attributes: Mapping[str, Attribute]) -> str:
    match ty:
        case LLVMPointerType() if "llvm.byval" in attributes:
            # What is passed by value and is as large as a tensor map, but need not be aligned
            # like one, is something else.
            alignment = attributes.get("llvm.align")
            is_map = isinstance(alignment, IntegerAttr) and alignment.value.data >= MAP_ALIGNMENT
            return "tensor-map" if is_map else RAW
        case LLVMPointerType():
            return "ptr"
        case _:
            return str(ty)


def _dynamic_shared(function: FuncOp, symbols: Mapping[str, Operation]) -> int | None:
    if DYNAMIC_SHARED_ATTRIBUTE in function.attributes:
        if (given := get_dynamic_shared(function)) is None:
            message = f"attribute '{DYNAMIC_SHARED_ATTRIBUTE}' must be a number of bytes"
            function.emit_error(message, BackendError(message))
        return given
    # Most modules have no such variable, and to look at all ops takes long.
    if not any(map(_is_dynamic, symbols.values())):
        return 0
    return None if any(map(_is_dynamic, _reachable(function, symbols))) else 0


def _is_dynamic(op: Operation) -> bool:
    return (
        isinstance(op, GlobalOp)
        and op.addr_space.value.data == SHARED_SPACE
        and op.linkage.linkage.data == "external"
        and isinstance(op.global_type, LLVMArrayType)
        and op.global_type.size.data == 0
    )


def _reachable(function: Operation, symbols: Mapping[str, Operation]) -> Iterator[Operation]:
    """What a function refers to, and what that does."""

    def named(op: Operation) -> Iterator[Operation]:
        for each in walk(op):
            for attribute in (*each.properties.values(), *each.attributes.values()):
                if isinstance(attribute, SymbolRefAttr):
                    name = attribute.string_value()
                    if name in symbols:
                        yield symbols[name]

    return reachable(named(function), named)
