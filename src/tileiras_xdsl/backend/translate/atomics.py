"""
Atomic ops of `llvm`.

LLVM's NVPTX back end drops the ordering and the scope of `atomicrmw`: all become relaxed, for the
GPU. So what is more than that, or for others, is inline assembly. Those that the GPU has no
instruction for become loops over `cmpxchg`, which keeps both.
"""

from __future__ import annotations

from typing import Final

from xdsl.ir import SSAValue

from tileiras_xdsl.backend.guard import SM_90
from tileiras_xdsl.dialects import llvm as extra
from tileiras_xdsl.dialects.llvm import AtomicBinOp, AtomicOrdering

from .memory import scope_name, syncscope
from .types import Register, registers_of, scalar_type, space_of
from .writer import LlvmFunctionWriter, fail, translates

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
    if scope in PTX_SCOPES and instruction is not None:
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
