"""
What a launcher has to know about a compiled kernel, in a form that JSON can hold.

The kernel takes the parameters of the entry, in order. With the ABI `device-maps` that is all;
with `host-maps` a tensor map for each of `tensor_maps` follows, which the launcher encodes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, cast, get_args

from tileiras_xdsl.backend.errors import BackendError

Abi = Literal["device-maps", "host-maps"]
Swizzle = Literal["none", "32", "64", "128"]
Promotion = Literal["none", "64", "128", "256"]

PARAMETER_SIZES: Final[dict[str, int]] = {
    "ptr": 8,
    **{"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8},
    **{"f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "f64": 8},
    **{"f8E4M3FN": 1, "f8E5M2": 1, "f8E8M0FNU": 1},
    "tensor-map": 128,
}
"""The types of parameters, with their sizes in bytes."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel."""

    type: str
    name: str = ""

    def __post_init__(self):
        if self.type not in PARAMETER_SIZES:
            known = ", ".join(PARAMETER_SIZES)
            raise BackendError(f"'{self.type}' is no type of a parameter (expected one of {known})")


@dataclass(frozen=True)
class Quantity:
    """A number that is known at launch: a constant, or a multiple of an argument."""

    value: int
    """The number; of an argument, what it is multiplied by."""
    parameter: int | None = None
    """The index of the argument."""


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
    """In elements, what one copy moves."""
    element_strides: tuple[int, ...] = ()
    """All 1 if empty."""
    swizzle: Swizzle = "none"
    l2_promotion: Promotion = "256"
    nan_fill: bool = False
    """What is outside of the tensor reads as NaN and not as zero."""

    def __post_init__(self):
        rank = len(self.sizes)
        if not 1 <= rank <= 5:
            raise BackendError(f"a tensor map has rank 1 to 5, not {rank}")
        if len(self.box) != rank or len(self.strides) != rank - 1:
            raise BackendError(
                f"a tensor map of rank {rank} has {rank} box sizes and {rank - 1} strides, not "
                f"{len(self.box)} and {len(self.strides)}"
            )
        if self.element_strides and len(self.element_strides) != rank:
            raise BackendError(f"a tensor map of rank {rank} has {rank} element strides")
        if self.swizzle not in get_args(Swizzle):
            raise BackendError(f"a tensor map has no swizzle '{self.swizzle}'")
        if self.l2_promotion not in get_args(Promotion):
            raise BackendError(f"a tensor map has no L2 promotion '{self.l2_promotion}'")


@dataclass(frozen=True)
class LaunchRecord:
    """A kernel from outside."""

    entry: str
    arch: str
    """Such as `sm_90a`."""
    parameters: tuple[Parameter, ...]
    threads: tuple[int, int, int]
    """In a block."""
    shared: int = 0
    """Bytes of dynamic shared memory, which a launch has to ask for."""
    static_shared: int = 0
    registers: int | None = None
    cluster: tuple[int, int, int] = (1, 1, 1)
    """Blocks in a cluster; the kernel requires it by itself."""
    abi: Abi = "device-maps"
    tensor_maps: tuple[TensorMapRecord, ...] = ()
    ptxas_version: str | None = None

    def __post_init__(self):
        if self.abi not in get_args(Abi):
            raise BackendError(f"'{self.abi}' is no ABI of a kernel")
        if self.abi == "device-maps" and self.tensor_maps:
            raise BackendError("a kernel with tensor maps to encode has the ABI host-maps")
        for map in self.tensor_maps:
            used = (map.base, *(quantity.parameter for quantity in (*map.sizes, *map.strides)))
            for index in used:
                if index is not None and not 0 <= index < len(self.parameters):
                    raise BackendError(f"a tensor map uses parameter {index}, which is not there")
            if self.parameters[map.base].type != "ptr":
                raise BackendError(f"a tensor map is based on parameter {map.base}, no pointer")

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
        except ValueError as error:
            raise BackendError(f"the launch record is no JSON: {error}") from None
        return LaunchRecord.from_dict(data)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> LaunchRecord:
        """The inverse of `to_dict`; `BackendError` for what is no launch record."""
        try:
            fields = dict(data)
            fields["parameters"] = tuple(Parameter(**each) for each in data["parameters"])
            fields["threads"] = _triple(data["threads"])
            fields["cluster"] = _triple(data.get("cluster", (1, 1, 1)))
            fields["tensor_maps"] = tuple(map(_tensor_map, data.get("tensor_maps", ())))
            return LaunchRecord(**fields)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BackendError(f"the launch record is malformed: {error!r}") from None


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
