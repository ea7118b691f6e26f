"""
Types and attributes of `nvgpu`.

A type may have parameters, which are kept and printed back. Those of upstream are known:

    !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 4>
    !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b>
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping

from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute, TypeAttribute
from xdsl.irdl import ParsePropInAttrDict, irdl_attr_definition, traits_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileiras_xdsl.dialects.building import BuiltOperation, spaced_enum_attribute
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER, SHARED_SPACE

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
