"""
Ops of `llvm` that make addresses, load and store, also by atomics.

LLVM's NVPTX back end drops the ordering and the scope of `atomicrmw`: all become relaxed, for the
GPU. So what is more than that, or for others, is inline assembly. Those that the GPU has no
instruction for become loops over `cmpxchg`, which keeps both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.backend.guard import SM_90
from tileiras_xdsl.dialects import llvm as extra
from tileiras_xdsl.dialects.llvm import AtomicBinOp, AtomicOrdering

from .types import (
    Register,
    are_vectors_whole,
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
    registers = writer.values[value]
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


# Atomics

PTX_SCOPES: Final = {"": "sys", "device": "gpu", "cluster": "cluster", "block": "cta"}
PTX_ORDERINGS: Final = {
    AtomicOrdering.MONOTONIC: "relaxed",
    AtomicOrdering.ACQUIRE: "acquire",
    AtomicOrdering.RELEASE: "release",
    AtomicOrdering.ACQ_REL: "acq_rel",
    AtomicOrdering.SEQ_CST: "acq_rel",
}
PTX_SPACES: Final = {0: "", 1: ".global", 3: ".shared", 7: ".shared::cluster"}

INTEGER_INSTRUCTIONS: Final = {
    **{"xchg": ("exch", "b"), "add": ("add", "u"), "sub": ("add", "u")},
    **{word: (word, "b") for word in ("and", "or", "xor")},
    **{word: (word, "s") for word in ("max", "min")},
    **{f"u{word}": (word, "u") for word in ("max", "min")},
    **{"uinc_wrap": ("inc", "u"), "udec_wrap": ("dec", "u")},
}
"""The words of PTX, and the letter of the type, by those of LLVM."""
FLOAT_ADDITIONS: Final = {
    "float": "add.f32",
    "double": "add.f64",
    "half": "add.noftz.f16",
    "<2 x half>": "add.noftz.f16x2",
    "bfloat": "add.noftz.bf16",
    "<2 x bfloat>": "add.noftz.bf16x2",
}
ONLY_32_BITS: Final = (AtomicBinOp.UINC_WRAP, AtomicBinOp.UDEC_WRAP)
CONSTRAINTS: Final = {8: "h", 16: "h", 32: "r", 64: "l"}


def _instruction(op: extra.AtomicRMWOp, register: Register) -> str | None:
    """The PTX of an operation, if there is any."""
    kind = op.get_bin_op()
    if kind is AtomicBinOp.FADD:
        return FLOAT_ADDITIONS.get(register.type)
    found = INTEGER_INSTRUCTIONS.get(kind.value.strip("_"))
    if register.bits not in (32, 64) or found is None:
        return None
    if kind in ONLY_32_BITS and register.bits != 32:
        return None
    word, letter = found
    return f"{word}.{letter}{register.bits}"


@translates(extra.AtomicRMWOp)
def _atomicrmw(writer: LlvmFunctionWriter, op: extra.AtomicRMWOp) -> None:
    held = registers_of(op.val.type)
    if len(held) != 1:
        fail(op, f"an access to '{op.val.type}' cannot be atomic")
    register = held[0]
    scope = scope_name(op, None if op.syncscope is None else op.syncscope.data)
    ordering = op.get_ordering()
    instruction = _instruction(op, register)
    packed = register.lanes > 1
    if scope == "cluster":
        writer.require(op, SM_90)
    # A CPU takes LLVM's instruction, whose vectors are whole.
    if scope in PTX_SCOPES and instruction is not None and not are_vectors_whole():
        if packed or scope != "device" or ordering is not AtomicOrdering.MONOTONIC:
            if "bf16" in instruction:
                writer.require(op, SM_90)
            _assembly(writer, op, register, scope, instruction)
            return
    if packed:
        fail(op, f"the GPU has no atomic '{op.get_bin_op().value}' of '{op.val.type}'")
    word = op.get_bin_op().value.strip("_")
    volatile = "volatile " if op.volatile_ is not None else ""
    target = f"{scalar_type(op.ptr.type)} {writer.scalar(op.ptr)}"
    suffix = f", align {op.alignment.value.data}" if op.alignment is not None else ""
    scope_text = f'syncscope("{scope}") ' if scope else ""
    text = writer.define(
        f"atomicrmw {volatile}{word} {target}, {register.type} {writer.scalar(op.val)} "
        f"{scope_text}{ordering.value}{suffix}"
    )
    writer.set(op.res, text)


def _assembly(
    writer: LlvmFunctionWriter,
    op: extra.AtomicRMWOp,
    register: Register,
    scope: str,
    instruction: str,
) -> None:
    ty = f"i{register.bits}"
    constraint = CONSTRAINTS[register.bits]
    value = writer.scalar(op.val)
    if register.element.startswith("ptr"):
        value = writer.define(f"ptrtoint {register.type} {value} to i64")
    else:
        value = writer.cast(register, value, ty)
    if op.get_bin_op() is AtomicBinOp.SUB:
        value = writer.define(f"sub {ty} 0, {value}")
    if (space := space_of(op.ptr.type)) not in PTX_SPACES:
        fail(op, f"there are no atomic accesses to address space {space}")
    ordering = op.get_ordering()
    text = (
        f"atom.{PTX_ORDERINGS[ordering]}.{PTX_SCOPES[scope]}{PTX_SPACES[space]}.{instruction} "
        "$0, [$1], $2;"
    )
    if ordering is AtomicOrdering.SEQ_CST:
        text = f"fence.sc.{PTX_SCOPES[scope]}; {text}"
    (old,) = writer.assembly(
        text,
        [(constraint, ty)],
        [writer.address(op.ptr), (constraint, ty, value)],
        clobbers_memory=True,
    )
    if register.element.startswith("ptr"):
        writer.set(op.res, writer.define(f"inttoptr i64 {old} to {register.type}"))
    else:
        writer.set(op.res, writer.cast_back(old, register, ty))


@translates(extra.AtomicCmpXchgOp)
def _cmpxchg(writer: LlvmFunctionWriter, op: extra.AtomicCmpXchgOp) -> None:
    held = registers_of(op.val.type)
    if len(held) != 1:
        fail(op, f"an access to '{op.val.type}' cannot be atomic")
    register = held[0]
    is_plain = register.lanes == 1 and register.element[0] in "ip"
    ty = register.type if is_plain else f"i{register.bits}"

    def operand(value: SSAValue) -> str:
        return f"{ty} {writer.cast(register, writer.scalar(value), ty)}"

    scope = syncscope(op, None if op.syncscope is None else op.syncscope.data)
    if "cluster" in scope:
        writer.require(op, SM_90)
    words = "weak " if op.weak is not None else ""
    words += "volatile " if op.volatile_ is not None else ""
    orderings = " ".join(
        AtomicOrdering.of(each).value for each in (op.success_ordering, op.failure_ordering)
    )
    suffix = f", align {op.alignment.value.data}" if op.alignment is not None else ""
    text = writer.define(
        f"cmpxchg {words}{scalar_type(op.ptr.type)} {writer.scalar(op.ptr)}, {operand(op.cmp)}, "
        f"{operand(op.val)} {scope}{orderings}{suffix}"
    )
    old = writer.define(f"extractvalue {{ {ty}, i1 }} {text}, 0")
    success = writer.define(f"extractvalue {{ {ty}, i1 }} {text}, 1")
    writer.set(op.res, writer.cast_back(old, register, ty), success)


@translates(extra.FenceOp)
def _fence(writer: LlvmFunctionWriter, op: extra.FenceOp) -> None:
    scope = syncscope(op, None if op.syncscope is None else op.syncscope.data)
    if "cluster" in scope:
        writer.require(op, SM_90)
    writer.emit(f"fence {scope}{AtomicOrdering.of(op.ordering).value}")
