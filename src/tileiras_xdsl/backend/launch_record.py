"""
What a launcher has to know about a compiled kernel, in a form that JSON can hold.

The kernel takes the parameters of the entry, in order. With the ABIs `device-maps` and
`driver-maps` that is all a launch passes. With `host-maps` the sizes of the grid follow, three i32,
if the kernel is persistent. Last is a tensor map for each of `tensor_maps`, which the launcher
encodes.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import prod
from typing import Any, Final, cast, get_args

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.targets.target import all_targets, find_occupancy
from tileiras_xdsl.targets.tma import MAP_BYTES, MAX_RANK, PROMOTIONS, SWIZZLES, size_words
from tileiras_xdsl.transforms.common.abi import Abi

SWIZZLE_WORDS: Final = size_words(SWIZZLES)
PROMOTION_WORDS: Final = size_words(PROMOTIONS)
"""Settings of a tensor map, in the order of their numbers in the driver."""

PARAMETER_SIZES: Final[dict[str, int]] = {
    "ptr": 8,
    **{"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8},
    **{"f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "f64": 8},
    **{"f8E4M3FN": 1, "f8E5M2": 1, "f8E8M0FNU": 1},
    "tensor-map": MAP_BYTES,
}
"""The types of parameters, with their sizes in bytes."""

RECORD_SUFFIX: Final = ".json"
"""What the name of a file of launch records ends with, after that of the cubin."""

GRID_SIZES: Final = 3
"""How many parameters of a persistent kernel are the sizes of the grid."""

MAX_GRID: Final = ((1 << 31) - 1, 65535, 65535)
"""What the driver launches, and a persistent kernel relies on."""

MAX_NUMBER: Final = (1 << 31) - 1
"""The largest tile block index that a persistent kernel can count to."""

RAW: Final = "bytes"
"""The type of a parameter that is none of these: a struct or a vector, passed as its bytes."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel."""

    type: str
    name: str = ""
    size: int = 0
    """In bytes; needed for the type `bytes` only."""

    def __post_init__(self):
        if self.type != RAW and self.type not in PARAMETER_SIZES:
            known = ", ".join((*PARAMETER_SIZES, RAW))
            raise BackendError(f"'{self.type}' is no type of a parameter (expected one of {known})")
        size = PARAMETER_SIZES.get(self.type, self.size)
        if size < 1 or self.size not in (0, size):
            raise BackendError(f"a parameter of type '{self.type}' has no size {self.size}")
        object.__setattr__(self, "size", size)

    def describe(self, index: int) -> str:
        """What messages call the parameter of an index."""
        return f"argument {index} '{self.name}'" if self.name else f"argument {index}"


@dataclass(frozen=True)
class Quantity:
    """A number that is known at launch: a constant, or a multiple of an argument."""

    value: int
    """The number; of an argument, what it is multiplied by."""
    parameter: int | None = None
    """The index of the argument; those after the last are the sizes of the grid."""


@dataclass(frozen=True)
class TensorMapRecord:
    """How the launcher encodes a tensor map; dimensions from the innermost outwards."""

    element: str
    """As in MLIR: `f16`, `bf16`, `i32`, …"""
    base: int
    """The index of the parameter that is the address of the tensor."""
    sizes: tuple[Quantity, ...]
    """In elements."""
    strides: tuple[Quantity, ...]
    """In bytes, of all dimensions but the innermost."""
    box: tuple[int, ...]
    """In elements, what one copy moves, and what is between that."""
    element_strides: tuple[int, ...] = ()
    """Every how many elements it moves along a dimension; all 1 if empty."""
    swizzle: str = "none"
    """One of `SWIZZLE_WORDS`."""
    l2_promotion: str = "128"
    """The bytes that a miss brings into the second-level cache, a line by default."""
    nan_fill: bool = False
    """What is outside of the tensor reads as NaN and not as zero."""

    def __post_init__(self):
        rank = len(self.sizes)
        if not 1 <= rank <= MAX_RANK:
            raise BackendError(f"a tensor map has rank 1 to {MAX_RANK}, not {rank}")
        if len(self.box) != rank or len(self.strides) != rank - 1:
            raise BackendError(
                f"a tensor map of rank {rank} has {rank} box sizes and {rank - 1} strides, not "
                f"{len(self.box)} and {len(self.strides)}"
            )
        if self.element_strides and len(self.element_strides) != rank:
            raise BackendError(f"a tensor map of rank {rank} has {rank} element strides")
        if self.swizzle not in SWIZZLE_WORDS:
            raise BackendError(f"a tensor map has no swizzle '{self.swizzle}'")
        if self.l2_promotion not in PROMOTION_WORDS:
            raise BackendError(f"a tensor map has no L2 promotion '{self.l2_promotion}'")


@dataclass(frozen=True)
class LaunchRecord:
    """A kernel from outside."""

    entry: str
    arch: str
    """Such as `sm_90a`."""
    parameters: tuple[Parameter, ...]
    threads: tuple[int, int, int] | None
    """In a CTA; `None` if the kernel leaves it open."""
    shared: int | None = 0
    """
    Bytes of dynamic shared memory, which a launch has to ask for; `None` if the kernel uses it and
    does not say how much.
    """
    static_shared: int = 0
    registers: int | None = None
    """Of a thread."""
    spill_stores: int = 0
    """Bytes of registers that a thread writes to memory for want of registers."""
    spill_loads: int = 0
    cluster: tuple[int, int, int] = (1, 1, 1)
    """CTAs in a cluster; the kernel requires it by itself."""
    blocks_are_clusters: bool = False
    """Whether the grid of a launch counts clusters and not CTAs."""
    abi: Abi = "device-maps"
    tensor_maps: tuple[TensorMapRecord, ...] = ()
    persistent: int = 0
    """
    CTAs per SM of a persistent kernel, each of which loops over tile blocks of the grid; 0 if the
    kernel is not persistent.
    """
    programmatic: bool = False
    """
    Whether the kernel waits by itself for those ahead of it on the stream, so that a launch may
    begin before these have ended.
    """
    heap: int = 0
    """Bytes on the heap of the device that each CTA allocates when it starts."""
    deterministic: bool = False
    """Whether it gives the same bits whatever the grid, the GPU and what else runs."""
    ptxas_version: str | None = None

    @property
    def resources(self) -> dict[str, object]:
        """What people ask for first, by name."""
        return {
            "kernel": self.entry,
            "registers": "?" if self.registers is None else self.registers,
            "spills (bytes)": self.spill_stores + self.spill_loads,
            "shared memory (bytes)": self.static_shared + (self.shared or 0),
            "threads": "?" if self.threads is None else prod(self.threads),
            "cluster": prod(self.cluster),
            "CTAs per SM, persistent": self.persistent or "-",
        }

    @property
    def can_wait(self) -> bool:
        """Whether code of this architecture can wait for kernels ahead of it on the stream."""
        target = all_targets().get(self.arch)
        return target is not None and target.has("griddepcontrol")

    def resident_ctas(self, sm_count: int) -> int:
        """How many CTAs a GPU holds at once, at most."""
        target = all_targets().get(self.arch)
        if target is None or self.threads is None:
            return sm_count
        shared = self.static_shared + (self.shared or 0)
        occupancy = find_occupancy(target, prod(self.threads), self.registers, shared)
        return sm_count * max(1, occupancy.ctas)

    def __post_init__(self):
        if self.abi not in get_args(Abi):
            raise BackendError(f"'{self.abi}' is no ABI of a kernel")
        if self.abi != "host-maps" and self.tensor_maps:
            raise BackendError("a kernel with tensor maps to encode has the ABI host-maps")
        if self.persistent < 0:
            raise BackendError(f"an SM cannot run {self.persistent} CTAs")
        if self.persistent and self.abi != "host-maps":
            raise BackendError("a persistent kernel has the ABI host-maps")
        if self.persistent and self.cluster[1:] != (1, 1):
            raise BackendError("clusters of a persistent kernel are along x")
        known = len(self.parameters) + (GRID_SIZES if self.persistent else 0)
        for tensor_map in self.tensor_maps:
            used = (
                tensor_map.base,
                *(quantity.parameter for quantity in (*tensor_map.sizes, *tensor_map.strides)),
            )
            for index in used:
                if index is not None and not 0 <= index < known:
                    raise BackendError(f"a tensor map uses parameter {index}, which is not there")
            if (
                tensor_map.base >= len(self.parameters)
                or self.parameters[tensor_map.base].type != "ptr"
            ):
                raise BackendError(
                    f"a tensor map is based on parameter {tensor_map.base}, no pointer"
                )

    def launched_grid(self, grid: tuple[int, int, int], sm_count: int) -> tuple[int, int, int]:
        """The grid of the launch that does the work of a grid."""
        if not self.persistent:
            return grid
        if any(size > limit for size, limit in zip(grid, MAX_GRID, strict=True)):
            raise BackendError(f"the grid {grid} is larger than {MAX_GRID}")
        size = self.cluster[0]
        total = prod(grid) * (size if self.blocks_are_clusters else 1)
        running = max(1, self.persistent * sm_count // size)
        clusters = min(-(-total // size), running)
        launched = clusters * size
        # A CTA computes its next tile block index before it sees that there are no more.
        if total + launched > MAX_NUMBER:
            raise BackendError(
                f"the grid {grid} has {total} tile blocks, but {self.entry} cannot do more than "
                f"{MAX_NUMBER - launched}"
            )
        return clusters if self.blocks_are_clusters else launched, 1, 1

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return cast("dict[str, Any]", json.loads(self.to_json()))

    def to_json(self) -> str:
        """One line of JSON; the same record gives the same text."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str | bytes) -> LaunchRecord:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BackendError(f"the launch record is no JSON: {error}") from None
        return LaunchRecord.from_dict(data)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> LaunchRecord:
        """The inverse of `to_dict`; `BackendError` for what is no launch record."""
        try:
            fields = dict(data)
            fields["parameters"] = tuple(Parameter(**each) for each in data["parameters"])
            threads = data["threads"]
            fields["threads"] = None if threads is None else _triple(threads)
            fields["cluster"] = _triple(data.get("cluster", (1, 1, 1)))
            fields["tensor_maps"] = tuple(map(_tensor_map, data.get("tensor_maps", ())))
            record = LaunchRecord(**fields)
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise BackendError(f"the launch record is malformed: {error!r}") from None
        _check_fields(record)
        return record


def records_to_json(records: Sequence[LaunchRecord]) -> str:
    """All kernels of a cubin: a list, a line for each."""
    lines = ",\n".join(record.to_json() for record in records)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def records_from_json(text: str | bytes) -> tuple[LaunchRecord, ...]:
    """The inverse of `records_to_json`; `BackendError` for what is no list of launch records."""
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BackendError(f"the launch records are no JSON: {error}") from None
    if not isinstance(data, list):
        raise BackendError("the launch records are malformed: expected a list")
    return tuple(map(LaunchRecord.from_dict, cast("list[dict[str, Any]]", data)))


def select_record(records: Sequence[LaunchRecord], entry: str | None = None) -> LaunchRecord:
    """The record of a kernel; without a name, of the only one."""
    names = ", ".join(record.entry for record in records)
    if entry is None:
        if len(records) != 1:
            raise BackendError(f"there are {len(records)} kernels, name one of them: {names}")
        return records[0]
    for record in records:
        if record.entry == entry:
            return record
    raise BackendError(f"there is no kernel '{entry}' (expected one of {names})")


MAX_FIELD: Final = (1 << 63) - 1
"""The largest number in a launch record."""


def _check_fields(record: LaunchRecord) -> None:
    """What a record from outside says has to have the types and ranges that launches rely on."""
    _check_type("entry", record.entry, str, "text")
    _check_type("arch", record.arch, str, "text")
    try:
        is_known = ComputeCapability.parse(record.arch).name == record.arch
    except ValueError:
        is_known = False
    if not is_known:
        raise _malformed("arch", record.arch, "architecture such as sm_90a")
    if record.ptxas_version is not None:
        _check_type("ptxas_version", record.ptxas_version, str, "text")
    for name in ("blocks_are_clusters", "programmatic", "deterministic"):
        _check_type(name, getattr(record, name), bool, "boolean")
    for name in ("shared", "registers"):
        if (number := getattr(record, name)) is not None:
            _check_number(name, number, 0)
    for name in ("static_shared", "spill_stores", "spill_loads", "persistent", "heap"):
        _check_number(name, getattr(record, name), 0)
    for name, sizes in (("threads", record.threads), ("cluster", record.cluster)):
        for size in sizes or ():
            _check_number(name, size, 1)
    for parameter in record.parameters:
        _check_number("size", parameter.size, 1)
        _check_type("name", parameter.name, str, "text")
    for tensor_map in record.tensor_maps:
        _check_type("element", tensor_map.element, str, "text")
        _check_type("nan_fill", tensor_map.nan_fill, bool, "boolean")
        for name in ("box", "element_strides"):
            for number in getattr(tensor_map, name):
                _check_number(name, number, 1)
        _check_number("base", tensor_map.base, 0)
        for quantity in (*tensor_map.sizes, *tensor_map.strides):
            _check_number("value", quantity.value, -MAX_FIELD)
            if quantity.parameter is not None:
                _check_number("parameter", quantity.parameter, 0)


def _check_number(name: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MAX_FIELD:
        raise _malformed(name, value, f"number from {least}")


def _check_type(name: str, value: object, ty: type, kind: str) -> None:
    if not isinstance(value, ty):
        raise _malformed(name, value, kind)


def _malformed(name: str, value: object, kind: str) -> BackendError:
    # Which may be of any depth.
    shown = reprlib.repr(value)
    return BackendError(f"the launch record is malformed: '{name}' is {shown}, no {kind}")


def _triple(values: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = map(int, values)
    return x, y, z


def _tensor_map(data: Mapping[str, Any]) -> TensorMapRecord:
    fields = dict(data)
    for name in ("sizes", "strides"):
        fields[name] = tuple(Quantity(**each) for each in data[name])
    for name in ("box", "element_strides"):
        fields[name] = tuple(map(int, data.get(name, ())))
    return TensorMapRecord(**fields)
