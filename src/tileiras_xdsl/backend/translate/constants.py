"""
Constants as LLVM IR writes them, and what is known of integers.

These are sums with a constant, and those that are 0 or 1 whatever happens.

Sums with a constant are what an address or a descriptor is made of, so that an instruction, or
inline assembly, can add the constant by itself.

    %c = llvm.mlir.constant(64 : i32) : i32
    %s = llvm.add %x, %c : i32                     split_sum(%s) = %x, 64

    %m = llvm.and %address, %mask : i32            mask 0x3ffff
    %u = llvm.lshr %m, %four : i32                 less than 0x4000
    %w = llvm.zext %u : i32 to i64
    %d = llvm.or %bits, %w : i64                   bits 0x4000404000010000
    %e = llvm.add %d, %two : i64                   split_descriptor(%e) = %u, 0x4000404000010002

The parity of the phase of an mbarrier is 0 or 1:

    ^head(%parity: i32):                       // 0 comes in at first, and what follows later
      %p = llvm.trunc %parity : i32 to i1      // nothing is lost
      …
      %flipped = llvm.xor %parity, %one : i32
      %next = llvm.select %wraps, %flipped, %parity : i1, i32
      llvm.br ^head(%next : i32)

`zext (trunc %parity to i1) to i32` is `%parity` then, without an instruction.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMStructType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.dialects import llvm as extra

from .types import Register, lanes_of, native_type, registers_of, scalar_bits, scalar_type

_PLAIN_NAME = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*")
_NUMBER = re.compile(r"-?\d+")


def symbol(name: str) -> str:
    """`@name`, in quotes where it needs them."""
    return f"@{name}" if _PLAIN_NAME.fullmatch(name) else f'@"{escape(name)}"'


_ESCAPES: Final = {
    byte: f"\\{byte:02X}" for byte in range(256) if not 32 <= byte < 127 or byte in b'"\\'
}


@lru_cache(maxsize=128)
def escape(text: str | bytes) -> str:
    """
    The inside of a string: what is not plain text as `\\0A`. Kernels have the same long assembly in
    several places.
    """
    if isinstance(text, str):
        if text.isascii() and text.isprintable() and not {'"', "\\"}.intersection(text):
            return text
        data = text.encode()
    else:
        data = text
    return data.decode("latin-1").translate(_ESCAPES)


def is_number(text: str) -> bool:
    """Whether a register is an integer that is known."""
    return _NUMBER.fullmatch(text) is not None


def integer(value: int, bits: int) -> str:
    """An integer, wrapped to its width; signed, but for one bit."""
    value &= (1 << bits) - 1
    return str(value - (1 << bits) if bits > 1 and value >> (bits - 1) else value)


def floating(value: float, ty: str) -> str:
    """A float, rounded to its type, by its bits."""
    match ty:
        case "double":
            return f"0x{_bits(value, 'd'):016X}"
        case "float":
            return f"0x{_bits(_round(value, 'f'), 'd'):016X}"
        case "half":
            return f"0xH{_bits(_round(value, 'e'), 'e'):04X}"
        case "bfloat":
            bits = _bits(_round(value, "f"), "f")
            if not math.isnan(value):
                bits += 0x7FFF + (bits >> 16 & 1)
            return f"0xR{bits >> 16:04X}"
        case _:
            raise BackendError(f"there is no float constant of type {ty}")


def _round(value: float, code: str) -> float:
    try:
        return struct.unpack(f"<{code}", struct.pack(f"<{code}", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _bits(value: float, code: str) -> int:
    return int.from_bytes(struct.pack(f"<{code}", value), "little")


def small_float(value: float, ty: Attribute) -> int:
    """The bits of a float of 8 bits, rounded to nearest even; beyond the range is the largest."""
    if isinstance(ty, Float8E8M0FNUType):
        if math.isnan(value):
            return 0xFF
        return min(max(round(math.log2(value)) + 127, 0), 0xFE) if value > 0 else 0
    if not isinstance(ty, Float8E4M3FNType | Float8E5M2Type):
        raise BackendError(f"there is no constant of type {ty}")
    if math.isnan(value):
        return 0xFF if math.copysign(1.0, value) < 0 else 0x7F
    bits = ty.encode_bits(value)
    is_finite = math.isfinite(ty.unpack(bytes([bits]), 1)[0])
    has_value = is_finite or (math.isinf(value) and isinstance(ty, Float8E5M2Type))
    return bits if has_value else bits - 1


def zero(register: Register) -> str:
    """The zero of a register."""
    if register.lanes > 1:
        return "zeroinitializer"
    if register.element.startswith("ptr"):
        return "null"
    return "0" if register.element.startswith("i") else "0.0"


def scalar(value: Attribute, ty: Attribute) -> str:
    """A number, as a scalar or an element of a type."""
    element = scalar_type(ty)
    match value:
        case IntegerAttr():
            return number(value.value.data, element)
        case FloatAttr():
            if element == "i8":
                kind = ty.get_element_type() if isinstance(ty, VectorType) else ty
                return integer(small_float(value.value.data, kind), 8)
            if element.startswith("i"):
                raise BackendError(f"constant {value} is no value of type '{ty}'")
            return floating(value.value.data, element)
        case _:
            raise BackendError(f"constant {value} has no translation to LLVM IR")


def number(value: float, element: str) -> str:
    """A number of an LLVM type."""
    if element.startswith("i"):
        return integer(int(value), scalar_bits(element))
    if element.startswith("ptr"):
        if value != 0:
            raise BackendError("a pointer can be no constant but null")
        return "null"
    return floating(float(value), element)


def group(register: Register, lanes: Sequence[str]) -> str:
    """The constant of a register with these lanes."""
    if register.lanes == 1:
        return lanes[0]
    return f"<{', '.join(f'{register.element} {lane}' for lane in lanes)}>"


def constant_registers(value: Attribute, ty: Attribute) -> list[str]:
    """The registers of a constant."""
    registers = registers_of(ty)
    match value:
        case DenseIntOrFPElementsAttr():
            leaf = ty
            while isinstance(leaf, LLVMArrayType):
                leaf = leaf.type
            kind = value.get_element_type()
            if isinstance(kind, IntegerType | IndexType):
                # To make an attribute of each takes longer than all else here.
                element = scalar_type(leaf)
                numbers = kind.unpack(value.data.data, len(value))
                elements = [number(each, element) for each in numbers]
            else:
                elements = _floats(value, kind, leaf)
            count = lanes_of(ty) if isinstance(ty, VectorType) else len(registers)
            if len(elements) == 1:
                elements *= count
            if len(elements) != count:
                raise BackendError(f"constant {value} is no value of type '{ty}'")
        case StringAttr():
            elements = [integer(byte, 8) for byte in value.data.encode()]
            if len(elements) != len(registers):
                raise BackendError(f"a string of {len(elements)} bytes is no value of '{ty}'")
        case ArrayAttr():
            if not isinstance(ty, LLVMStructType | LLVMArrayType):
                raise BackendError(f"constant {value} is no value of type '{ty}'")
            types = ty.types.data if isinstance(ty, LLVMStructType) else None
            return [
                register
                for index, each in enumerate(value)
                for register in constant_registers(
                    each, types[index] if types is not None else _element(ty)
                )
            ]
        case UnitAttr():
            raise BackendError(f"constant {value} has no translation to LLVM IR")
        case _:
            elements = [scalar(value, ty)] * lanes_of(ty)
    result: list[str] = []
    start = 0
    for register in registers:
        result.append(group(register, elements[start : start + register.lanes]))
        start += register.lanes
    return result


def _floats(value: DenseIntOrFPElementsAttr, kind: Any, ty: Attribute) -> list[str]:
    """The elements of a dense constant of floats; most are the same, and each is written once."""
    data = value.data.data
    size = kind.size
    parts = [data[start : start + size] for start in range(0, len(data), size)]
    texts = {
        part: scalar(FloatAttr(kind.unpack(part, 1)[0], kind), ty) for part in dict.fromkeys(parts)
    }
    return [texts[part] for part in parts]


def _element(ty: LLVMStructType | LLVMArrayType) -> Attribute:
    assert isinstance(ty, LLVMArrayType)
    return ty.type


def initializer(ty: Attribute, registers: Sequence[str]) -> str:
    """A value of constant registers as one constant."""
    match ty:
        case LLVMStructType():
            parts = _members(tuple(ty.types), registers)
            return f"{{ {', '.join(parts)} }}"
        case LLVMArrayType():
            if all(register in ("0", "0.0", "zeroinitializer") for register in registers):
                return "zeroinitializer"
            return f"[{', '.join(_members((ty.type,) * ty.size.data, registers))}]"
        case VectorType():
            lanes: list[str] = []
            for register, text in zip(registers_of(ty), registers, strict=True):
                if register.lanes == 1:
                    lanes.append(f"{register.element} {text}")
                elif text.startswith("<"):
                    lanes.append(text[1:-1])
                else:
                    each = "0" if text == "zeroinitializer" else text
                    each = "0.0" if each == "0" and register.element[0] != "i" else each
                    lanes.append(", ".join([f"{register.element} {each}"] * register.lanes))
            return f"<{', '.join(lanes)}>"
        case _:
            return registers[0]


def _members(types: Sequence[Attribute], registers: Sequence[str]) -> list[str]:
    parts: list[str] = []
    start = 0
    for ty in types:
        count = len(registers_of(ty))
        text = initializer(ty, registers[start : start + count])
        parts.append(f"{native_type(ty)} {text}")
        start += count
    return parts


_ADDS = (arith.AddiOp, llvm.AddOp)
_ORS = (arith.OrIOp, llvm.OrOp)
_ANDS = (arith.AndIOp, llvm.AndOp)
_SHIFTS = (arith.ShRUIOp, llvm.LShrOp)
_EXTENSIONS = (arith.ExtUIOp, llvm.ZExtOp)


def constant_of(value: SSAValue) -> int | None:
    """What an integer is, if it is a constant."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case llvm.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case _:
            return None


def split_sum(value: SSAValue) -> tuple[SSAValue, int]:
    """An integer as a value and a constant that is added to it, which may be 0."""
    constant = 0
    while isinstance(value.owner, _ADDS):
        left, right = value.owner.operands
        if (known := constant_of(right)) is not None:
            value = left
        elif (known := constant_of(left)) is not None:
            value = right
        else:
            break
        constant += known
    return value, constant


def split_descriptor(value: SSAValue) -> tuple[SSAValue, int]:
    """
    The same of 64 bits. Fields that are constant are added to those that are not, if these have
    no bits in common; what is extended is left as it was before.
    """
    base, constant = split_sum(value)
    if isinstance(base.owner, _ORS):
        left, right = base.owner.operands
        for bits, other in ((constant_of(left), right), (constant_of(right), left)):
            if bits is not None and not bits & most_of(other):
                base, constant = other, constant + bits
                break
    if isinstance(base.owner, _EXTENSIONS) and base.owner.operands[0].type == IntegerType(32):
        base = base.owner.operands[0]
    return base, constant


def most_of(value: SSAValue) -> int:
    """All bits that an integer may have."""
    owner = value.owner
    if isinstance(owner, _EXTENSIONS):
        return most_of(owner.operands[0])
    if isinstance(owner, _SHIFTS) and (amount := constant_of(owner.operands[1])) is not None:
        return most_of(owner.operands[0]) >> amount
    if isinstance(owner, _ANDS):
        masks = [mask for each in owner.operands if (mask := constant_of(each)) is not None]
        if masks and masks[0] >= 0:
            return masks[0]
    assert isinstance(value.type, IntegerType)
    return (1 << value.type.width.data) - 1


# 0 or 1

_SELECTS = (llvm.SelectOp, extra.SelectOp)


def is_bit(value: SSAValue) -> bool:
    """
    Whether an integer is 0 or 1: by what defines it, if all that comes in at a block, or that is
    stored to a variable of the thread, is so.
    """
    seen: set[SSAValue] = set()
    rest = [value]
    while rest:
        value = rest.pop()
        if value in seen:
            continue
        seen.add(value)
        if (sources := _sources(value)) is None:
            return False
        rest.extend(sources)
    return True


def _sources(value: SSAValue) -> list[SSAValue] | None:
    """The integers that have to be 0 or 1 for another to be so; `None` if it may be anything."""
    if isinstance(value, BlockArgument):
        return _incoming(value)
    match value.owner:
        case llvm.ConstantOp(value=IntegerAttr() as number):
            return [] if number.value.data in (0, 1) else None
        case llvm.XOrOp() | llvm.AndOp() | llvm.OrOp() as op:
            return list(op.operands)
        case llvm.ZExtOp() as op:
            return [] if op.arg.type == i1 else [op.arg]
        case llvm.LoadOp() as op:
            return _stored(op)
        case Operation() as op if isinstance(op, _SELECTS):
            return [op.lhs, op.rhs]
        case _:
            return None


def _incoming(argument: BlockArgument) -> list[SSAValue] | None:
    """What comes in as an argument of a block."""
    block = argument.owner
    region = block.parent
    if region is None or region.first_block is block:
        return None
    found: list[SSAValue] = []
    for use in block.uses:
        values = _passed(use.operation, use.index, block)
        if values is None:
            return None
        found.append(values[argument.index])
    return found


def _passed(branch: Operation, index: int, block: Block) -> list[SSAValue] | None:
    """What a branch passes to one of its successors."""
    assert branch.successors[index] is block
    match branch:
        case llvm.BrOp():
            return list(branch.arguments)
        case llvm.CondBrOp():
            return list(branch.else_arguments if index else branch.then_arguments)
        case _:
            return None


def _stored(load: llvm.LoadOp) -> list[SSAValue] | None:
    """What is stored to a variable that only such loads and stores know, and one of them first."""
    if not isinstance(load.ptr.owner, llvm.AllocaOp):
        return None
    found: list[SSAValue] = []
    for use in load.ptr.uses:
        match use.operation:
            case llvm.LoadOp():
                continue
            case llvm.StoreOp(value=value) if use.index and value.type == load.results[0].type:
                found.append(value)
            case _:
                return None
    return found
