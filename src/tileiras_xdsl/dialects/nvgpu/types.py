"""
Types and attributes of `nvgpu`.

A type may have parameters, which are kept and printed back. Those of upstream are known:

    !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 4>
    !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b>
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
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
    MemRefType,
    StringAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    Operation,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    TypeAttribute,
)
from xdsl.irdl import ParsePropInAttrDict, irdl_attr_definition, traits_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa
from xdsl.utils.str_enum import StrEnum

from tileiras_xdsl.dialects.building import BuiltOperation, spaced_enum_attribute
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER, SHARED_SPACE
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
        "cpu-lower-tiles",
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


# Tensor maps that a launcher encodes and passes after the other arguments of a kernel, or that code
# of the cubin writes there.
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

HIDDEN_PARAMETER: Final = "nvvm.hidden"
"""
The attribute of a parameter that launches do not pass: the driver runs code of the cubin that
writes it.
"""

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


def has_hidden_maps(kernel: Operation) -> bool:
    """Whether the tensor maps of a kernel are parameters that the driver writes."""
    given = kernel.attributes.get("arg_attrs", kernel.properties.get("arg_attrs"))
    return isa(given, ArrayAttr[DictionaryAttr]) and any(
        HIDDEN_PARAMETER in each.data for each in given
    )


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


# What the operations of `nvgpu` share.


class NvgpuOperation(BuiltOperation, ABC):
    """Base of the dialect's operations: properties print in the attribute dictionary."""

    irdl_options = (ParsePropInAttrDict(),)


class OrderedOperation(NvgpuOperation, ABC):
    """An operation that is never removed, moved across another, or merged with one."""

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


class ParameterizedType(ParametrizedAttribute, TypeAttribute, ABC):
    """
    A type with parameters of any kind, `!nvgpu.name<key = value, value>`. A value is an integer,
    a word, a type or an attribute; one without key has its position as key.
    """

    parameters_: DictionaryAttr

    def __init__(self, parameters: Mapping[str, Attribute] | DictionaryAttr | None = None):
        if not isinstance(parameters, DictionaryAttr):
            parameters = DictionaryAttr(dict(parameters or {}))
        super().__init__(parameters)

    def get(self, name: str) -> Attribute | None:
        """A parameter, or none."""
        return self.parameters_.data.get(name)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        entries: dict[str, Attribute] = {}

        def parse_entry() -> None:
            key = parser.parse_optional_identifier()
            if key is None:
                entries[str(len(entries))] = _parse_value(parser)
            elif parser.parse_optional_punctuation("=") is not None:
                entries[key] = _parse_value(parser)
            else:
                entries[str(len(entries))] = StringAttr(key)

        parser.parse_optional_comma_separated_list(parser.Delimiter.ANGLE, parse_entry)
        return [DictionaryAttr(entries)]

    def print_parameters(self, printer: Printer) -> None:
        if not self.parameters_.data:
            return

        def print_entry(entry: tuple[str, Attribute]) -> None:
            key, value = entry
            if not key.isdigit():
                printer.print_string(f"{key} = ")
            match value:
                case StringAttr() if value.data.isidentifier():
                    printer.print_string(value.data)
                case IntegerAttr() if value.type == i64:
                    printer.print_string(str(value.value.data))
                case _:
                    printer.print_attribute(value)

        with printer.in_angle_brackets():
            printer.print_list(self.parameters_.data.items(), print_entry)


def _parse_value(parser: AttrParser) -> Attribute:
    integer = parser.parse_optional_integer(allow_boolean=False)
    if integer is not None:
        if parser.parse_optional_punctuation(":") is None:
            return IntegerAttr(integer, i64)
        position = parser.pos
        ty = parser.parse_type()
        if not isinstance(ty, IntegerType):
            parser.raise_error(f"expected an integer type, but got '{ty}'", position)
        return IntegerAttr(integer, ty)
    attribute = parser.parse_optional_attribute()
    return StringAttr(parser.parse_identifier()) if attribute is None else attribute


def is_shared_space(space: Attribute) -> bool:
    """Whether a memory space is shared memory: 3, or `#gpu.address_space<workgroup>`."""
    match space:
        case IntegerAttr():
            return space.value.data == SHARED_SPACE
        case StringAttr():
            return space.data == "workgroup"
        case _:
            return str(space) == "#gpu.address_space<workgroup>"


@irdl_attr_definition(init=False)
class MBarrierType(ParameterizedType):
    """A barrier in shared memory: `!nvgpu.mbarrier`."""

    name = "nvgpu.mbarrier"


@irdl_attr_definition(init=False)
class MBarrierGroupType(ParameterizedType):
    """Barriers in shared memory: `!nvgpu.mbarrier.group<num_barriers = 4>`."""

    name = "nvgpu.mbarrier.group"

    @property
    def num_barriers(self) -> int:
        count = self.get("num_barriers")
        return count.value.data if isinstance(count, IntegerAttr) else 1

    def verify(self) -> None:
        if self.num_barriers < 1:
            raise VerifyException(f"num_barriers must be positive, but got {self.num_barriers}")


@irdl_attr_definition(init=False)
class TensorMapDescriptorType(ParameterizedType):
    """A tensor map: `!nvgpu.tensormap.descriptor`."""

    name = "nvgpu.tensormap.descriptor"


@irdl_attr_definition(init=False)
class TokenType(ParameterizedType):
    """An arrival on a barrier, a copy, or a group of copies: `!nvgpu.token`."""

    name = "nvgpu.token"


@irdl_attr_definition(init=False)
class MBarrierTokenType(ParameterizedType):
    """An arrival on a barrier, as upstream has it: `!nvgpu.mbarrier.token`."""

    name = "nvgpu.mbarrier.token"


@irdl_attr_definition(init=False)
class DeviceAsyncTokenType(ParameterizedType):
    """A copy, or a group of copies, as upstream has it: `!nvgpu.device.async.token`."""

    name = "nvgpu.device.async.token"


@irdl_attr_definition(init=False)
class WarpgroupDescriptorType(ParameterizedType):
    """A matrix in shared memory, as upstream has it: `!nvgpu.warpgroup.descriptor<tensor = …>`."""

    name = "nvgpu.warpgroup.descriptor"


@irdl_attr_definition(init=False)
class WarpgroupAccumulatorType(ParameterizedType):
    """An accumulator as upstream has it: `!nvgpu.warpgroup.accumulator<fragmented = vector<…>>`."""

    name = "nvgpu.warpgroup.accumulator"


class SwizzleKind(StrEnum):
    """Bytes after which the order of 16-byte chunks in shared memory repeats."""

    NONE = "none"
    B32 = "32B"
    B64 = "64B"
    B128 = "128B"


@irdl_attr_definition
class SwizzleAttr(EnumAttribute[SwizzleKind], SpacedOpaqueSyntaxAttribute):
    """`#nvgpu<swizzle 128B>`"""

    name = "nvgpu.swizzle"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> SwizzleKind:
        position = parser.pos
        size = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
        word = parser.parse_identifier()
        text = word if size is None else f"{size}{word}"
        for kind in SwizzleKind:
            if kind.value == text:
                return kind
        words = ", ".join(kind.value for kind in SwizzleKind)
        parser.raise_error(f"unknown swizzle '{text}' (expected one of {words})", position)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data.value)


class RcpRounding(StrEnum):
    """How a reciprocal is rounded."""

    APPROX = "approx"
    RN = "rn"
    RZ = "rz"
    RM = "rm"
    RP = "rp"


RcpRoundingAttr = spaced_enum_attribute("nvgpu.rcp_rounding_mode", RcpRounding)

# What operands must be


def is_barrier(ty: Attribute) -> bool:
    """Whether a type is that of a barrier, or of several, in shared memory."""
    if not isinstance(ty, MBarrierType | MBarrierGroupType):
        return False
    space = ty.get("memorySpace")
    return space is None or is_shared_space(space)


def verify_barrier(index: int, ty: Attribute) -> None:
    """Raises if an operand is no barrier."""
    if not is_barrier(ty):
        raise VerifyException(f"operand #{index} must be mbarrier barrier type, but got '{ty}'")


def verify_shared(index: int, ty: Attribute) -> None:
    """Raises if an operand is not in shared memory: a memref, or a pointer, of space 3."""
    if ty == SHARED_POINTER:
        return
    if isinstance(ty, MemRefType) and is_shared_space(ty.memory_space):
        return
    raise VerifyException(
        f"operand #{index} must be a memref or pointer to shared memory, but got '{ty}'"
    )


def verify_global(index: int, ty: Attribute) -> None:
    """Raises if an operand is in no space that holds global memory: none, 0 or 1."""
    match ty:
        case LLVMPointerType() if str(ty) in ("!llvm.ptr<1>", "!llvm.ptr"):
            return
        case MemRefType():
            space = ty.memory_space
            if not isinstance(space, IntegerAttr) or space.value.data in (0, 1):
                if not is_shared_space(space):
                    return
        case _:
            pass
    raise VerifyException(
        f"operand #{index} must be a memref or pointer to global memory, but got '{ty}'"
    )


def verify_descriptor(index: int, ty: Attribute) -> None:
    """Raises if an operand is no tensor map, nor a pointer to one."""
    if not isinstance(ty, TensorMapDescriptorType) and not (
        isinstance(ty, LLVMPointerType) and ty != SHARED_POINTER
    ):
        raise VerifyException(f"operand #{index} must be a tensor map descriptor, but got '{ty}'")


def verify_token(index: int, ty: Attribute) -> None:
    """Raises if an operand is no token."""
    if not isinstance(ty, TokenType | MBarrierTokenType | DeviceAsyncTokenType):
        raise VerifyException(f"operand #{index} must be a token, but got '{ty}'")
