"""
Ops of `nvvm`: tensor memory, `tcgen05.mma`, cluster launch control.

LLVM 22 declares that its intrinsic of an MMA writes the accumulator and does not read it, so that
two equal ones become one; and that loads and waits for them access different memory. So all that is
asynchronous is inline assembly with side effects, which stays where it is.

Constants are added inside of it: to addresses in tensor memory, which instructions can do, and to
descriptors of shared memory. LLVM would compute the sums of all K steps of all MMAs before the
loops that they are in, and keep two registers for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from tileiras_xdsl.backend.guard import (
    LAUNCH_CONTROL,
    TCGEN05_I8,
    TCGEN05_LD_RED,
    TCGEN05_SHIFT,
    TENSOR_MEMORY,
)
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.llvm import IntToPtrOp
from tileiras_xdsl.dialects.nvvm.tcgen05 import AccessOperation, GroupOperation, MmaOperation
from tileiras_xdsl.targets.target import Requirement

from .constants import integer, is_number, most_of, split_descriptor, split_sum
from .nvvm_matrix import Operand, as_operands, as_outputs, list_of, restore
from .types import pointer, registers_of, scalar_type
from .writer import LlvmFunctionWriter, calls, fail, translates

SHARED: Final = pointer(3)

SCALE_INPUT_D: Final = Requirement.of("tcgen05.scale_input_d")
LONG_K: Final = Requirement.of("tcgen05.k96")
WORD: Final = (1 << 32) - 1
LARGEST_OFFSET: Final = (1 << 31) - 1
"""What an instruction can add to an address."""


def _group(writer: LlvmFunctionWriter, op: GroupOperation) -> int:
    """CTAs of the group of an op, which must be the same in all of a kernel [P]."""
    group = op.cta_group
    if writer.cta_group is None:
        writer.cta_group = group
    elif writer.cta_group != group:
        fail(
            op,
            f"'{op.name}' has cta_group::{group}, but others of the kernel have "
            f"cta_group::{writer.cta_group}: a kernel cannot have both",
        )
    return group


# Allocation and order


calls(
    nvvm.Tcgen05AllocOp,
    lambda writer, op: f"tcgen05.alloc.shared.cg{_group(writer, op)}",
    TENSOR_MEMORY,
)
calls(
    nvvm.Tcgen05DeallocOp,
    lambda writer, op: f"tcgen05.dealloc.cg{_group(writer, op)}",
    TENSOR_MEMORY,
)
calls(
    nvvm.Tcgen05RelinquishAllocPermitOp,
    lambda writer, op: f"tcgen05.relinq.alloc.permit.cg{_group(writer, op)}",
    TENSOR_MEMORY,
)
calls(
    nvvm.Tcgen05FenceOp,
    lambda _, op: f"tcgen05.fence.{op.kind.data.value}.thread.sync",
    TENSOR_MEMORY,
)
calls(
    nvvm.Tcgen05CommitOp,
    lambda writer, op: (
        f"tcgen05.commit{'' if op.multicast_mask is None else '.mc'}.shared.cg{_group(writer, op)}"
    ),
    TENSOR_MEMORY,
)


@translates(nvvm.Tcgen05WaitOp, needs=TENSOR_MEMORY)
def _wait(writer: LlvmFunctionWriter, op: nvvm.Tcgen05WaitOp) -> None:
    word = "ld" if op.kind.data is nvvm.Tcgen05Wait.LOAD else "st"
    writer.assembly(f"tcgen05.wait::{word}.sync.aligned;", [], [], clobbers_memory=True)


# Loads, stores, copies


def _address(writer: LlvmFunctionWriter, value: SSAValue, step: int = 0) -> tuple[Operand, str]:
    """An address in tensor memory as an operand, and what an instruction adds to it."""
    operand, constant = writer.address(value), step
    if isinstance(value.owner, IntToPtrOp) and value.owner.input.type == i32:
        base, known = split_sum(value.owner.input)
        if 0 <= known + step <= LARGEST_OFFSET:
            operand, constant = ("r", "i32", writer.scalar(base)), known + step
    return operand, f"+{constant}" if constant else ""


def _offset(op: AccessOperation) -> str:
    return "" if op.offset is None else f", {op.offset.value.data}"


@translates(nvvm.Tcgen05LdOp, needs=TENSOR_MEMORY)
def _ld(writer: LlvmFunctionWriter, op: nvvm.Tcgen05LdOp) -> None:
    registers = registers_of(op.result.type)
    pack = "" if op.pack is None else ".pack::16b"
    count = len(registers)
    address, constant = _address(writer, op.address)
    texts = writer.assembly(
        f"tcgen05.ld.sync.aligned.{op.shape.data.ptx}.x{op.num}{pack}.b32 "
        f"{list_of(0, count)}, [${count}{constant}]{_offset(op)};",
        as_outputs(registers),
        [address],
    )
    writer.set(op.result, *restore(writer, registers, texts))


@translates(nvvm.Tcgen05LdRedOp)
def _ld_red(writer: LlvmFunctionWriter, op: nvvm.Tcgen05LdRedOp) -> None:
    writer.require(op, TCGEN05_LD_RED, "tcgen05.ld.red")
    registers = [*registers_of(op.result.type), *registers_of(op.reduced.type)]
    absolute = "" if op.abs is None else ".abs"
    nan = "" if op.nan is None else ".NaN"
    ty = "f32" if scalar_type(op.reduced.type) == "float" else "s32"
    count = len(registers)
    address, constant = _address(writer, op.address)
    *texts, reduced = writer.assembly(
        f"tcgen05.ld.red.sync.aligned.{op.shape.data.ptx}.x{op.num}"
        f".{op.op.data.value}{absolute}{nan}.{ty} "
        f"{list_of(0, count - 1)}, ${count - 1}, [${count}{constant}]{_offset(op)};",
        as_outputs(registers),
        [address],
    )
    writer.set(op.result, *restore(writer, registers[:-1], texts))
    writer.set(op.reduced, reduced)


@translates(nvvm.Tcgen05StOp, needs=TENSOR_MEMORY)
def _st(writer: LlvmFunctionWriter, op: nvvm.Tcgen05StOp) -> None:
    operands = as_operands(writer, op, [op.value])
    unpack = "" if op.unpack is None else ".unpack::16b"
    address, constant = _address(writer, op.address)
    writer.assembly(
        f"tcgen05.st.sync.aligned.{op.shape.data.ptx}.x{op.num}{unpack}.b32 "
        f"[$0{constant}]{_offset(op)}, {list_of(1, len(operands))};",
        [],
        [address, *operands],
    )


@translates(nvvm.Tcgen05CpOp, needs=TENSOR_MEMORY)
def _cp(writer: LlvmFunctionWriter, op: nvvm.Tcgen05CpOp) -> None:
    multicast = ""
    if op.multicast is not None:
        multicast = f".{op.multicast.data.value.replace('x2_', 'x2::')}"
    source = "" if op.src_format is None else f".b8x16.{op.src_format.data.value}"
    group = _group(writer, op)
    writer.assembly(
        f"tcgen05.cp.cta_group::{group}.{op.shape.data.ptx}{multicast}{source} [$0], $1;",
        [],
        [writer.address(op.address), ("l", "i64", writer.scalar(op.descriptor))],
    )


@translates(nvvm.Tcgen05ShiftOp)
def _shift(writer: LlvmFunctionWriter, op: nvvm.Tcgen05ShiftOp) -> None:
    writer.require(op, TCGEN05_SHIFT, "tcgen05.shift")
    group = _group(writer, op)
    writer.assembly(
        f"tcgen05.shift.cta_group::{group}.down [$0];", [], [writer.address(op.address)]
    )


# MMA


def _grown(writer: LlvmFunctionWriter, ty: str, text: str, amount: int) -> str:
    """A number that grew."""
    if amount == 0:
        return text
    if is_number(text):
        return integer(int(text) + amount, int(ty[1:]))
    return writer.define(f"add {ty} {text}, {amount}")


def _issue(
    writer: LlvmFunctionWriter,
    op: MmaOperation,
    qualifiers: str,
    between: Sequence[Operand],
    layout: str,
    idesc_step: int = 0,
    after: str = "",
) -> None:
    """
    All instructions of an op. `between` comes between the instruction descriptor and the predicate,
    laid out as `layout` says, where `{n}` is the number of an operand.
    """
    kind = op.kind.data.value
    if kind == "i8":
        writer.require(op, TCGEN05_I8, "tcgen05.mma of kind::i8")
    if (descriptor := op.get_descriptor()) is not None and descriptor.long_k:
        writer.require(op, LONG_K, f"tcgen05.mma of kind::{kind} with K = {descriptor.k}")
    d, d_constant = _address(writer, op.d)
    idesc, enable = writer.scalar(op.idesc), writer.scalar(op.enable_input_d)
    a_step = 0 if op.a_step is None else op.a_step.value.data
    b_step = 0 if op.b_step is None else op.b_step.value.data
    collector = "" if op.collector_op is None else f".collector::a::{op.collector.value}"
    numbers = [f"${4 + index}" for index in range(len(between))]
    group = _group(writer, op)
    for step in range(op.steps):
        if op.is_a_in_tensor_memory:
            a, constant = _address(writer, op.a, step * a_step)
            a_place, before = f"[$1{constant}]", ""
        else:
            a, before, a_place = _descriptor(writer, op.a, step * a_step, 1)
        b, again, b_place = _descriptor(writer, op.b, step * b_step, 2)
        before += again
        mma = (
            f"tcgen05.mma.cta_group::{group}.kind::{kind}{qualifiers}{collector} "
            f"[$0{d_constant}], {a_place}, {b_place}, $3, "
            f"{layout.format(*numbers)}${4 + len(between)}{after};"
        )
        writer.assembly(
            f"{{ {before}{mma} }}" if before else mma,
            [],
            [
                d,
                a,
                b,
                ("r", "i32", _grown(writer, "i32", idesc, step * idesc_step)),
                *between,
                ("b", "i1", enable if step == 0 else "true"),
            ],
        )


def _descriptor(
    writer: LlvmFunctionWriter, value: SSAValue, step: int, number: int
) -> tuple[Operand, str, str]:
    """
    The descriptor of a matrix in shared memory, as operand `number`: what is passed on, what
    makes the descriptor of it, and its name.
    """
    base, constant = split_descriptor(value)
    is_wide = base.type == i64
    operand = ("l", "i64", writer.scalar(base)) if is_wide else ("r", "i32", writer.scalar(base))
    constant = (constant + step) % (1 << 64)
    if is_wide and not constant:
        return operand, "", f"${number}"
    name = f"d{number}"
    low, high = constant & WORD, constant >> 32
    if is_wide:
        before = f".reg .b64 {name}; add.u64 {name}, ${number}, {constant:#x}; "
    elif low + most_of(base) <= WORD:
        # Nothing is carried from the low half to the high one.
        before = (
            f".reg .b64 {name}; .reg .b32 l{number}; add.u32 l{number}, ${number}, {low:#x}; "
            f"mov.b64 {name}, {{l{number}, {high:#x}}}; "
        )
    else:
        before = (
            f".reg .b64 {name}; cvt.u64.u32 {name}, ${number}; "
            f"add.u64 {name}, {name}, {constant:#x}; "
        )
    return operand, before, name


@translates(nvvm.Tcgen05MmaOp, needs=TENSOR_MEMORY)
def _mma(writer: LlvmFunctionWriter, op: nvvm.Tcgen05MmaOp) -> None:
    after = ""
    if op.scale_input_d is not None:
        writer.require(op, SCALE_INPUT_D, "tcgen05.mma with scale-input-d")
        after = f", {op.scale_input_d.value.data}"
    masks = [] if op.mask is None else as_operands(writer, op, [op.mask])
    layout = ""
    if masks:
        layout = "{{" + ", ".join(f"{{{index}}}" for index in range(len(masks))) + "}}, "
    _issue(writer, op, "" if op.a_shift is None else ".ashift", masks, layout, after=after)


@translates(nvvm.Tcgen05MmaBlockScaleOp, needs=TENSOR_MEMORY)
def _mma_block_scale(writer: LlvmFunctionWriter, op: nvvm.Tcgen05MmaBlockScaleOp) -> None:
    block = "" if op.block_scale is None else f".{op.block_scale.data.value}"
    scales = [writer.address(op.scale_a), writer.address(op.scale_b)]
    step = 0 if op.idesc_step is None else op.idesc_step.value.data
    _issue(writer, op, f".block_scale{block}", scales, "[{0}], [{1}], ", step)


# Cluster launch control

QUERIES: Final = {
    nvvm.CancelQuery.IS_CANCELED: "is_canceled",
    nvvm.CancelQuery.FIRST_CTA_ID_X: "get_first_ctaid.x",
    nvvm.CancelQuery.FIRST_CTA_ID_Y: "get_first_ctaid.y",
    nvvm.CancelQuery.FIRST_CTA_ID_Z: "get_first_ctaid.z",
}


calls(
    nvvm.TryCancelOp,
    lambda _, op: (
        f"clusterlaunchcontrol.try_cancel.async{'' if op.multicast is None else '.multicast'}"
        ".shared"
    ),
    LAUNCH_CONTROL,
)
calls(
    nvvm.QueryCancelOp,
    lambda _, op: f"clusterlaunchcontrol.query_cancel.{QUERIES[op.query.data]}",
    LAUNCH_CONTROL,
)
