"""Attributes of kernels in `nvgpu` that launchers and later passes read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

# Kernels with dynamic shared memory, which the launcher has to request, so only our own launcher
# runs them. The attribute `tileiras.dynamic_shared_bytes` says how much; launch records carry it.

DYNAMIC_SHARED_ATTRIBUTE: Final = "tileiras.dynamic_shared_bytes"


def get_dynamic_shared(kernel: Operation) -> int | None:
    """
    Bytes of dynamic shared memory of a kernel; `None` without the attribute, or if its value is not
    a number of bytes.
    """
    attribute = kernel.attributes.get(DYNAMIC_SHARED_ATTRIBUTE)
    if not isinstance(attribute, IntegerAttr) or attribute.value.data < 0:
        return None
    return attribute.value.data


def set_dynamic_shared(kernel: Operation, size: int) -> None:
    """Sets the bytes of dynamic shared memory of a kernel."""
    kernel.attributes[DYNAMIC_SHARED_ATTRIBUTE] = IntegerAttr(size, i64)


# Kernels whose CTAs have memory on the heap of the device, from when they start until they end.
#
# The attribute `nvgpu.heap` says how many bytes each of them allocates, so that a launcher can
# make the heap large enough. Where it is not, CTAs wait until others have ended.

HEAP: Final = DiscardableAttribute(
    "nvgpu.heap",
    IntegerAttr,
    "Bytes on the heap of the device that each CTA allocates when it starts.",
    written_by=("convert-tileas-to-nvgpu",),
)


def get_heap_bytes(kernel: Operation) -> int:
    """Bytes on the heap of the device that each CTA of a kernel allocates."""
    size = HEAP.get(kernel)
    return 0 if size is None else size.value.data


# Programmatic dependent launch: a kernel may start before those ahead of it on the stream have
# ended.
#
# One with the attribute `nvgpu.programmatic` waits for these by itself, before it accesses memory
# and in any case before it ends. Launches of it may have the attribute of the driver that allows
# this; without, its waits take no time.

PROGRAMMATIC: Final = DiscardableAttribute(
    "nvgpu.programmatic",
    UnitAttr,
    "The kernel waits by itself for those ahead of it on the stream.",
    written_by=("tileas-overlap-launches",),
    read_by=("tileas-overlap-launches",),
)


# What is known of loops when they become branches.

NO_WRAP: Final = DiscardableAttribute(
    "nvgpu.no_wrap",
    UnitAttr,
    "The step after the last iteration of the loop leads to no number that its type does not have.",
    carriers=(scf.ForOp,),
    written_by=(
        "tileas-dynamic-persistent",
        "tileas-materialize-schedule",
        "convert-tileas-to-nvgpu",
        "tileas-coarsen-thread-blocks",
    ),
    read_by=(
        "convert-scf-while-to-cf",
        "tileas-coarsen-thread-blocks",
    ),
)

INDEX_BITS: Final = 64


def ends_before_wrapping(ty: Attribute, end: int, step: int) -> bool:
    """
    Whether a loop of a type that ends before a number, in steps of at most another, gets to none
    that the type does not have.
    """
    bits = ty.width.data if isinstance(ty, IntegerType) else INDEX_BITS
    return step == 1 or end - 1 + step < 1 << (bits - 1)


# Persistent kernels: a launch has as many CTAs as the device holds at once, and each of them loops
# over output tiles.
#
# Such a kernel has the attribute `nvgpu.persistent`, the CTAs per SM. The sizes of the requested
# grid, three i32, are after its other parameters and before tensor maps.
#
# A cluster of a kernel with the attribute `nvgpu.blocks_are_clusters` does the work of a tile
# block, and a launch says how many clusters there are.

PERSISTENT: Final = DiscardableAttribute(
    "nvgpu.persistent",
    IntegerAttr,
    "CTAs per SM of a persistent kernel.",
    written_by=("tileas-dynamic-persistent", "tileas-generate-schedule"),
    read_by=(
        "tileas-dynamic-persistent",
        "tileas-order-tile-blocks",
        "tileas-generate-schedule",
        "tileas-coarsen-thread-blocks",
        "tileas-overlap-launches",
    ),
)
BLOCKS_ARE_CLUSTERS: Final = DiscardableAttribute(
    "nvgpu.blocks_are_clusters",
    UnitAttr,
    "The CTAs of a cluster share a tile block, so grids count clusters.",
    written_by=("split-tiles",),
    read_by=(
        "tileas-pair-ctas",
        "tileas-dynamic-persistent",
        "convert-gpu-to-nvvm",
    ),
)
CLUSTER_SIZES: Final = ("gpu.known_cluster_size", "nvvm.cluster_dim")
"""The attributes that may have the cluster size, in order of precedence."""
GRID_PARAMETERS: Final = 3


def get_persistent_ctas(kernel: Operation) -> int:
    """CTAs per SM of a persistent kernel; 0 if the kernel is not persistent."""
    ctas = PERSISTENT.get(kernel)
    return 0 if ctas is None else ctas.value.data


def set_persistent_ctas(kernel: Operation, ctas: int) -> None:
    """Marks a kernel as persistent with this many CTAs per SM."""
    PERSISTENT.set(kernel, IntegerAttr(ctas, i32))


def get_cluster_ctas(kernel: Operation) -> int:
    """CTAs in a cluster of a kernel; 1 if it has no clusters."""
    for name in CLUSTER_SIZES:
        sizes = kernel.attributes.get(name)
        if isa(sizes, DenseArrayBase[IntegerType]):
            return prod(sizes.get_values())
    return 1


# Tensor maps that a launcher encodes and passes after the other arguments of a kernel.
#
# A kernel says how in the attribute `nvgpu.host_maps`, a list with a dictionary for each of its
# last parameters, dimensions from the innermost outwards:
#
#     {element = f16, base = 0 : i64, box = array<i64: 64, 128>, swizzle = 128 : i64,
#      sizes = [array<i64: 1, 4>, array<i64: 512>], strides = [array<i64: 2, 5>]}
#
# A number is a constant, `array<i64: 512>`, or a multiple of a parameter: `array<i64: 2, 5>` is
# twice the argument 5. Sizes count elements, strides bytes. A map that copies every second element
# along a dimension has `element_strides = array<i64: 1, 2>`, too.

HOST_MAPS: Final = DiscardableAttribute(
    "nvgpu.host_maps",
    ArrayAttr,
    "The tensor maps among the parameters of a kernel, and how its launcher encodes them.",
    written_by=("convert-tileas-to-nvgpu",),
)

LaunchNumber = tuple[int, int | None]
"""What is known at launch: a constant and none, or the multiple of a parameter and its index."""


@dataclass(frozen=True)
class HostMap:
    """A tensor map that a launcher encodes; dimensions from the innermost outwards."""

    element: Attribute
    base: int
    """The index of the parameter that is the address of the tensor."""
    sizes: tuple[LaunchNumber, ...]
    """In elements."""
    strides: tuple[LaunchNumber, ...]
    """In bytes, of all dimensions but the innermost."""
    box: tuple[int, ...]
    """The shape of the TMA tile, in elements, with those that are not copied."""
    swizzle: int
    """In bytes, 0 if there is none."""
    element_strides: tuple[int, ...] = ()
    """Every how many elements are copied; all of them if empty."""

    def to_attribute(self) -> DictionaryAttr:
        """As in the attribute of a kernel."""
        fields: dict[str, Attribute] = {
            "element": self.element,
            "base": IntegerAttr(self.base, i64),
            "sizes": _from_numbers(self.sizes),
            "strides": _from_numbers(self.strides),
            "box": DenseArrayBase.from_list(i64, self.box),
            "swizzle": IntegerAttr(self.swizzle, i64),
        }
        if self.element_strides:
            fields["element_strides"] = DenseArrayBase.from_list(i64, self.element_strides)
        return DictionaryAttr(fields)

    @staticmethod
    def from_attribute(attribute: Attribute) -> HostMap:
        """The inverse of `to_attribute`."""
        match attribute:
            case DictionaryAttr(
                data={
                    "element": Attribute() as element,
                    "base": IntegerAttr() as base,
                    "sizes": ArrayAttr() as sizes,
                    "strides": ArrayAttr() as strides,
                    "box": Attribute() as box,
                    "swizzle": IntegerAttr() as swizzle,
                } as fields
            ):
                gaps = fields.get("element_strides")
                return HostMap(
                    element,
                    base.value.data,
                    _to_numbers(sizes),
                    _to_numbers(strides),
                    _to_integers(box),
                    swizzle.value.data,
                    () if gaps is None else _to_integers(gaps),
                )
            case _:
                raise VerifyException(f"'{HOST_MAPS.name}' has no map {attribute}")


def get_host_maps(kernel: Operation) -> list[HostMap]:
    """The maps that the launcher of a kernel encodes."""
    return [HostMap.from_attribute(each) for each in HOST_MAPS.get(kernel) or ()]


def set_host_maps(kernel: Operation, maps: Sequence[HostMap]) -> None:
    """Says which maps the launcher of a kernel encodes."""
    HOST_MAPS.set(kernel, ArrayAttr([each.to_attribute() for each in maps]))


def _from_numbers(numbers: Sequence[LaunchNumber]) -> ArrayAttr[DenseArrayBase]:
    return ArrayAttr(
        DenseArrayBase.from_list(i64, [value] if parameter is None else [value, parameter])
        for value, parameter in numbers
    )


def _to_numbers(attribute: ArrayAttr[Attribute]) -> tuple[LaunchNumber, ...]:
    numbers: list[LaunchNumber] = []
    for each in attribute:
        match _to_integers(each):
            case (value,):
                numbers.append((value, None))
            case (value, parameter):
                numbers.append((value, parameter))
            case _:
                raise VerifyException(f"'{HOST_MAPS.name}' has no number {each}")
    return tuple(numbers)


def _to_integers(attribute: Attribute) -> tuple[int, ...]:
    return attribute.get_values() if isa(attribute, DenseArrayBase[I64]) else ()
