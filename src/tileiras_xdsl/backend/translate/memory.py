"""Ops of `llvm` that make addresses, load and store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import llvm as extra
from tileiras_xdsl.dialects.llvm import AtomicOrdering

from .types import (
    lanes_of,
    name_of,
    native_type,
    pointer,
    registers_of,
    scalar_bits,
    scalar_type,
    space_of,
)
from .writer import LlvmFunctionWriter, fail, translates

SYNCSCOPES: Final = {
    "": "",
    "sys": "",
    "system": "",
    "gpu": "device",
    "device": "device",
    "cluster": "cluster",
    "cta": "block",
    "block": "block",
    "singlethread": "singlethread",
}
"""Scopes by their names in the IR, PTX's or LLVM's."""

NO_WRAP_FLAGS: Final = ((1, "inbounds"), (2, "nusw"), (4, "nuw"))


def syncscope(op: Operation, name: str | None) -> str:
    """`syncscope("device") `, or nothing for the system."""
    scope = scope_name(op, name)
    return f'syncscope("{scope}") ' if scope else ""


def scope_name(op: Operation, name: str | None) -> str:
    """LLVM's name of a scope."""
    scope = SYNCSCOPES.get(name or "")
    if scope is None:
        known = ", ".join(word for word in SYNCSCOPES if word)
        fail(op, f"there is no syncscope '{name}' (expected one of {known})")
    return scope


# Values in memory


def memory_type(ty: Attribute) -> str:
    """The type that a value is loaded as: registers of 32 bits that share one are words."""
    if isinstance(ty, VectorType):
        held = registers_of(ty)
        if len(held) == 1:
            return held[0].type
        if all(each.bits == 32 and each.lanes > 1 for each in held):
            return f"<{len(held)} x i32>"
    return native_type(ty)


def to_memory(writer: LlvmFunctionWriter, value: SSAValue) -> str:
    """A value as it is stored."""
    ty = value.type
    registers = writer.registers(value)
    if isinstance(ty, VectorType):
        held = registers_of(ty)
        if len(held) == 1:
            return registers[0]
        if all(each.bits == 32 and each.lanes > 1 for each in held):
            words = [
                writer.cast(each, text, "i32") for each, text in zip(held, registers, strict=True)
            ]
            return writer.insert_all(f"<{len(held)} x i32>", "i32", words)
    return writer.pack(ty, registers)


def from_memory(writer: LlvmFunctionWriter, ty: Attribute, text: str) -> Sequence[str]:
    """The registers of a value that was loaded."""
    if isinstance(ty, VectorType):
        held = registers_of(ty)
        if len(held) == 1:
            return (text,)
        if all(each.bits == 32 and each.lanes > 1 for each in held):
            words = f"<{len(held)} x i32>"
            return [
                writer.cast_back(writer.define(f"extractelement {words} {text}, i32 {i}"), each)
                for i, each in enumerate(held)
            ]
    return writer.unpack(ty, text)


def _suffix(writer: LlvmFunctionWriter, op: extra.AccessOperation, bits: int | None) -> str:
    """Scope, ordering, alignment and metadata of an access; `bits` of it if it is atomic."""
    text = ""
    alignment = None if op.alignment is None else op.alignment.value.data
    if bits is not None:
        scope = syncscope(op, None if op.syncscope is None else op.syncscope.data)
        text = f" {scope}{op.get_ordering().value}"
        alignment = alignment or max(1, bits // 8)
    if alignment is not None:
        text += f", align {alignment}"
    if op.nontemporal is not None:
        text += f", !nontemporal {writer.module.node('!{i32 1}')}"
    if isinstance(op, extra.LoadOp) and op.invariant is not None:
        text += f", !invariant.load {writer.module.node('!{}')}"
    return text


def _words(op: extra.AccessOperation) -> str:
    return "volatile " if op.volatile_ is not None else ""


def _atomic_bits(op: extra.AccessOperation, ty: Attribute) -> int | None:
    """The size of an atomic access, which one register has to hold."""
    if op.get_ordering() is AtomicOrdering.NOT_ATOMIC:
        return None
    held = registers_of(ty)
    if len(held) != 1:
        fail(op, f"an access to '{ty}' cannot be atomic")
    return held[0].bits


@translates(extra.LoadOp)
def _load(writer: LlvmFunctionWriter, op: extra.LoadOp) -> None:
    result = op.dereferenced_value
    source = f"{scalar_type(op.ptr.type)} {writer.scalar(op.ptr)}"
    bits = _atomic_bits(op, result.type)
    suffix = _suffix(writer, op, bits)
    if bits is None:
        ty = memory_type(result.type)
        text = writer.define(f"load {_words(op)}{ty}, {source}{suffix}")
        writer.set(result, *from_memory(writer, result.type, text))
        return
    (held,) = registers_of(result.type)
    ty = held.type if held.lanes == 1 else f"i{bits}"
    text = writer.define(f"load atomic {_words(op)}{ty}, {source}{suffix}")
    writer.set(result, writer.cast_back(text, held, ty))


@translates(extra.StoreOp)
def _store(writer: LlvmFunctionWriter, op: extra.StoreOp) -> None:
    target = f"{scalar_type(op.ptr.type)} {writer.scalar(op.ptr)}"
    bits = _atomic_bits(op, op.value.type)
    suffix = _suffix(writer, op, bits)
    if bits is None:
        value = f"{memory_type(op.value.type)} {to_memory(writer, op.value)}"
        writer.emit(f"store {_words(op)}{value}, {target}{suffix}")
        return
    (held,) = registers_of(op.value.type)
    ty = held.type if held.lanes == 1 else f"i{bits}"
    value = f"{ty} {writer.cast(held, writer.scalar(op.value), ty)}"
    writer.emit(f"store atomic {_words(op)}{value}, {target}{suffix}")


@translates(llvm.AllocaOp)
def _alloca(writer: LlvmFunctionWriter, op: llvm.AllocaOp) -> None:
    text = f"alloca {native_type(op.elem_type)}, {writer.typed(op.size)}"
    if op.alignment is not None and op.alignment.value.data:
        text += f", align {op.alignment.value.data}"
    name = writer.define(text)
    if space := space_of(op.res.type):
        name = writer.define(f"addrspacecast ptr {name} to {pointer(space)}")
    writer.set(op.res, name)


@translates(llvm.GEPOp, extra.GEPOp)
def _getelementptr(writer: LlvmFunctionWriter, op: llvm.GEPOp) -> None:
    flags = op.noWrapFlags.value.data | (1 if op.inbounds is not None else 0)
    # Whatever is inbounds does not wrap.
    flags &= ~2 if flags & 1 else ~0
    words = "".join(f"{word} " for bit, word in NO_WRAP_FLAGS if flags & bit)
    element = native_type(op.elem_type)
    is_vector = isinstance(op.result.type, VectorType)
    count = lanes_of(op.result.type)
    operands = [op.ptr, *op.ssa_indices]
    lanes = [
        writer.lanes(value)
        if isinstance(value.type, VectorType)
        else [writer.scalar(value)] * count
        for value in operands
    ]
    registers: list[str] = []
    for lane in range(count if is_vector else 1):
        indices: list[str] = []
        dynamic = iter(range(1, len(operands)))
        for raw in op.rawConstantIndices.get_values():
            if raw == llvm.GEP_USE_SSA_VAL:
                number = next(dynamic)
                indices.append(f"{scalar_type(operands[number].type)} {lanes[number][lane]}")
            else:
                indices.append(f"i32 {raw}")
        base = f"{scalar_type(op.ptr.type)} {lanes[0][lane]}"
        registers.append(_address(writer, words, element, base, indices))
    writer.set(op.result, *registers)


def _address(
    writer: LlvmFunctionWriter, words: str, element: str, base: str, indices: Sequence[str]
) -> str:
    operands = [text.split(" ")[-1] for text in (base, *indices)]
    text = f"getelementptr {words}{element}, {base}, {', '.join(indices)}"
    return writer.compute(text, operands)


@translates(llvm.MaskedStoreOp)
def _masked_store(writer: LlvmFunctionWriter, op: llvm.MaskedStoreOp) -> None:
    ty = op.value.type
    element, count = scalar_type(ty), lanes_of(ty)
    space = space_of(op.data.type)
    alignment = op.alignment.value.data or scalar_bits(element) // 8
    value, mask = writer.packed(op.value), writer.packed(op.mask)
    native, mask_type = native_type(ty), native_type(op.mask.type)
    name = f"llvm.masked.store.{name_of(element, count)}.p{space}"
    writer.module.declare(
        name, f"declare void @{name}({native}, {pointer(space)}, i32, {mask_type})"
    )
    writer.emit(
        f"call void @{name}({native} {value}, {pointer(space)} {writer.scalar(op.data)}, "
        f"i32 {alignment}, {mask_type} {mask})"
    )
