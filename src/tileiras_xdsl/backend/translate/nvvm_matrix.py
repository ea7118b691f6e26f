"""Ops of `nvvm`: products of matrices, of one warp and of four."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nvvm import MatrixLayout, RegisterAction

from .types import Register, native_type, registers_of
from .writer import NVVM, SM_89, SM_90, SM_90A, FunctionWriter, Table, fail, handles

MATRIX_OPS: Final[Table] = {}

CONSTRAINTS: Final = {"float": "f", "double": "d", "i64": "l"}
"""Of registers in inline assembly; all others are words of 32 bits."""

PTX_TYPES: Final = {
    **{"f16": "f16", "bf16": "bf16", "f32": "tf32", "f64": "f64", "tf32": "tf32"},
    **{"i8": "s8", "f8E4M3FN": "e4m3", "f8E5M2": "e5m2"},
}
"""What PTX calls the elements of a factor, where nothing else is said."""

ACCUMULATORS: Final = {"float": "f32", "half": "f16", "double": "f64", "i32": "s32"}
SMALL_FLOATS: Final = ("e4m3", "e5m2")
INTEGERS: Final = ("s8", "u8", "s4", "u4")
TRANSPOSABLE: Final = ("f16", "bf16")

Operand = tuple[str, str, str]


def _operand(writer: FunctionWriter, register: Register, text: str) -> Operand:
    """A register as an operand of inline assembly: constraint, type, value."""
    if register.type in CONSTRAINTS:
        return CONSTRAINTS[register.type], register.type, text
    return "r", "i32", writer.cast(register, text, "i32")


def as_operands(writer: FunctionWriter, op: Operation, values: Sequence[SSAValue]) -> list[Operand]:
    operands: list[Operand] = []
    for value in values:
        for register, text in writer.typed_registers(value):
            if register.bits not in (32, 64):
                fail(op, f"'{value.type}' does not fill registers of 32 bits")
            operands.append(_operand(writer, register, text))
    return operands


def as_outputs(registers: Sequence[Register]) -> list[tuple[str, str]]:
    return [
        (CONSTRAINTS[each.type], each.type) if each.type in CONSTRAINTS else ("r", "i32")
        for each in registers
    ]


def restore(
    writer: FunctionWriter, registers: Sequence[Register], texts: Sequence[str]
) -> list[str]:
    """What inline assembly yields, as registers of a value."""
    return [
        text if register.type in CONSTRAINTS else writer.cast_back(text, register)
        for register, text in zip(registers, texts, strict=True)
    ]


def list_of(start: int, count: int) -> str:
    return "{" + ", ".join(f"${number}" for number in range(start, start + count)) + "}"


# One warp


def _factor_type(op: nvvm.MmaSyncOp, value: SSAValue, given: nvvm.MatrixTypeAttr | None) -> str:
    if given is not None:
        return given.data.value
    type = value.type
    element = str(type.get_element_type() if isinstance(type, VectorType) else type)
    if element not in PTX_TYPES:
        fail(op, f"'{op.name}' with registers of '{type}' must say the PTX type of its factors")
    return PTX_TYPES[element]


@handles(MATRIX_OPS, nvvm.MmaSyncOp)
def _mma_sync(writer: FunctionWriter, op: nvvm.MmaSyncOp) -> None:
    m, n, k = op.shape.extents
    types = [_factor_type(op, op.a[0], op.type_a), _factor_type(op, op.b[0], op.type_b)]
    result = registers_of(op.result.type)
    sums = [ACCUMULATORS.get(registers_of(op.c[0].type)[0].element, "")]
    sums.insert(0, ACCUMULATORS.get(result[0].element, ""))
    if "" in sums or "b1" in types:
        fail(op, f"'{op.name}' of {types[0]} and {types[1]} into '{op.result.type}' does not exist")
    if set(types) & set(SMALL_FLOATS):
        writer.require(op, SM_89)
    layouts = [
        default if layout is None else layout.data
        for layout, default in (
            (op.layout_a, MatrixLayout.ROW),
            (op.layout_b, MatrixLayout.COL),
        )
    ]
    groups = [as_operands(writer, op, values) for _, values in op.groups]
    lists = [list_of(0, len(result))]
    start = len(result)
    for group in groups:
        lists.append(list_of(start, len(group)))
        start += len(group)
    satfinite = "" if op.satfinite is None else ".satfinite"
    instruction = (
        f"mma.sync.aligned.m{m}n{n}k{k}.{layouts[0].value}.{layouts[1].value}{satfinite}"
        f".{sums[0]}.{types[0]}.{types[1]}.{sums[1]}"
    )
    texts = writer.assembly(
        f"{instruction} {', '.join(lists)};",
        as_outputs(result),
        [operand for group in groups for operand in group],
    )
    writer.set(op.result, *restore(writer, result, texts))


@handles(MATRIX_OPS, nvvm.LdMatrixOp)
def _ldmatrix(writer: FunctionWriter, op: nvvm.LdMatrixOp) -> None:
    trans = ".trans" if op.trans.value.data else ""
    name = f"{NVVM}ldmatrix.sync.aligned.m8n8.x{op.num.value.data}{trans}.b16.p3"
    arguments = [("ptr addrspace(3)", writer.scalar(op.src))]
    writer.set_packed(op.result, writer.call(name, native_type(op.result.type), arguments))


@handles(MATRIX_OPS, nvvm.StMatrixOp)
def _stmatrix(writer: FunctionWriter, op: nvvm.StMatrixOp) -> None:
    writer.require(op, SM_90)
    trans = ".trans" if op.layout.data is MatrixLayout.COL else ""
    name = f"{NVVM}stmatrix.sync.aligned.m8n8.x{len(op.sources)}{trans}.b16.p3"
    arguments = [
        ("ptr addrspace(3)", writer.scalar(op.dst)),
        *(("i32", writer.scalar(source)) for source in op.sources),
    ]
    writer.call(name, "void", arguments)


# Four warps


@handles(MATRIX_OPS, nvvm.WgmmaWaitGroupOp)
def _wgmma_wait(writer: FunctionWriter, op: nvvm.WgmmaWaitGroupOp) -> None:
    writer.require(op, SM_90A)
    groups = op.groups.value.data
    operands = as_operands(writer, op, op.accumulators)
    if not operands:
        arguments = [("i64", str(groups))]
        writer.call(f"{NVVM}wgmma.wait_group.sync.aligned", "void", arguments)
        return
    registers = [each for value in op.accumulators for each in registers_of(value.type)]
    texts = writer.assembly(
        f"wgmma.wait_group.sync.aligned {groups};",
        as_outputs(registers),
        [(str(index), type, text) for index, (_, type, text) in enumerate(operands)],
        clobbers_memory=True,
    )
    texts = restore(writer, registers, texts)
    for value in op.results_:
        count = len(registers_of(value.type))
        writer.set(value, *texts[:count])
        texts = texts[count:]


@handles(MATRIX_OPS, nvvm.WgmmaMmaAsyncOp)
def _wgmma(writer: FunctionWriter, op: nvvm.WgmmaMmaAsyncOp) -> None:
    writer.require(op, SM_90A)
    if op.shape is None or op.types is None:
        fail(
            op,
            f"'{op.name}' without shape and types has no translation to LLVM IR: give the product "
            "a shape, such as #nvvm.shape<m = 64, n = 128, k = 16>, and types",
        )
    m, n, k = op.shape.extents
    d_type, a_type, b_type = (type.data for type in op.types)
    steps = 1 if op.k_steps is None else op.k_steps.value.data
    accumulator = registers_of(op.accumulator.type)
    expected = m * n // 128 // (2 if d_type == "f16" else 1)
    if len(accumulator) != expected or accumulator[0].bits != 32:
        fail(
            op,
            f"a product with m = {m}, n = {n} has {expected} registers of {d_type}, "
            f"but the accumulator is '{op.accumulator.type}'",
        )
    keeps = op.scale_d is None or bool(op.scale_d.value.data)
    inputs: list[Operand] = []
    if keeps:
        held = as_operands(writer, op, [op.accumulator])
        inputs.extend((str(i), type, text) for i, (_, type, text) in enumerate(held))
    first = len(accumulator) + len(inputs)
    is_descriptor = isinstance(op.a.type, IntegerType)
    a_operands: list[Operand]
    if is_descriptor:
        a_operands = [("l", "i64", writer.scalar(op.a))]
    else:
        a_operands = as_operands(writer, op, [op.a])
        if len(a_operands) != 4 * steps:
            fail(op, f"{steps} steps need {4 * steps} registers of A, but A is '{op.a.type}'")
    b_number = first + len(a_operands)
    inputs.extend((*a_operands, ("l", "i64", writer.scalar(op.b))))
    instruction = f"wgmma.mma_async.sync.aligned.m{m}n{n}k{k}.{d_type}.{a_type}.{b_type}"
    tail = _wgmma_tail(op, a_type, is_descriptor)
    lines: list[str] = []
    for step in range(steps):
        b = _advance(op, lines, "b", b_number, step, op.b_step)
        if is_descriptor:
            a = _advance(op, lines, "a", first, step, op.a_step)
        else:
            a = list_of(first + 4 * step, 4)
        scale = "1" if keeps or step else "0"
        lines.append(f"{instruction} {list_of(0, len(accumulator))}, {a}, {b}, {scale}{tail};")
    if steps > 1:
        lines = ["{", ".reg .b64 ad, bd;", *lines, "}"]
    texts = writer.assembly("\n".join(lines), as_outputs(accumulator), inputs, clobbers_memory=True)
    writer.set(op.result, *restore(writer, accumulator, texts))


def _advance(
    op: nvvm.WgmmaMmaAsyncOp,
    lines: list[str],
    name: str,
    number: int,
    step: int,
    growth: IntegerAttr[IntegerType] | None,
) -> str:
    """The descriptor of a step."""
    if step == 0:
        return f"${number}"
    if growth is None:
        fail(op, f"'{op.name}' with several steps must say {name}_step")
    lines.append(f"add.s64 {name}d, ${number}, {growth.value.data * step};")
    return f"{name}d"


def _wgmma_tail(op: nvvm.WgmmaMmaAsyncOp, a_type: str, is_descriptor: bool) -> str:
    """What follows whether to accumulate: signs, then transpositions, where there are any."""
    trans_a, trans_b = op.trans_a is not None, op.trans_b is not None
    if a_type in TRANSPOSABLE:
        if not is_descriptor and trans_a:
            fail(op, "A in registers cannot be transposed")
        flags = [trans_a, trans_b] if is_descriptor else [trans_b]
        return ", 1, 1" + "".join(f", {int(flag)}" for flag in flags)
    if trans_a or trans_b:
        fail(op, f"matrices of {a_type} cannot be transposed, only those of f16 and bf16")
    return "" if a_type in INTEGERS else ", 1, 1"


@handles(MATRIX_OPS, nvvm.SetMaxRegisterOp)
def _setmaxregister(writer: FunctionWriter, op: nvvm.SetMaxRegisterOp) -> None:
    writer.require(op, SM_90)
    word = "inc" if op.action.data is RegisterAction.INCREASE else "dec"
    arguments = [("i32", str(op.count.value.data))]
    writer.call(f"{NVVM}setmaxnreg.{word}.sync.aligned.u32", "void", arguments)
