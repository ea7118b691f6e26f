"""Ops of `nvvm`: approximations, rounded arithmetic, packed conversions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute

from tileiras_xdsl.backend.guard import SM_89, SM_90, SM_100
from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.nvvm import RoundingMode

from .types import Register, registers_of, scalar_type
from .writer import NVVM, LlvmFunctionWriter, fail, translates

Write = Callable[[Sequence[str], Sequence[str], str], str]

PACKED: Final = {
    **{"half": "f16", "<2 x half>": "f16x2"},
    **{"bfloat": "bf16", "<2 x bfloat>": "bf16x2"},
}
SMALL_FLOATS: Final = {"f8E4M3FN": "e4m3x2", "f8E5M2": "e5m2x2"}


def _ftz(op: nvvm.NvvmOperation) -> str:
    return ".ftz" if "ftz" in op.properties else ""


# Approximations


def _through_float(writer: LlvmFunctionWriter, name: str) -> Write:
    """An intrinsic of `float`; narrow floats are widened for it."""

    def write(types: Sequence[str], texts: Sequence[str], result: str) -> str:
        if result != "float":
            texts = [writer.define(f"fpext {result} {text} to float") for text in texts]
        value = writer.call(name, "float", [("float", text) for text in texts])
        return value if result == "float" else f"fptrunc float {value} to {result}"

    return write


@translates(nvvm.Ex2ApproxOp)
def _ex2(writer: LlvmFunctionWriter, op: nvvm.UnaryApproxOp) -> None:
    element = scalar_type(op.result.type)
    if element == "float":
        write = _through_float(writer, f"{NVVM}ex2.approx{_ftz(op)}.f32")
        writer.elementwise(op.result, [op.arg], write)
        return
    # Of f16 there is no flushing form, of bf16 no other.
    if element == "bfloat":
        writer.require(op, SM_90)

    def write_packed(types: Sequence[str], texts: Sequence[str], result: str) -> str:
        suffix = PACKED[result].removesuffix("x2")
        suffix = f"v2{suffix}" if result.startswith("<") else suffix
        name = f"{NVVM}ex2.approx.{'ftz.' if element == 'bfloat' else ''}{suffix}"
        return writer.call(name, result, [(types[0], texts[0])])

    writer.elementwise(op.result, [op.arg], write_packed)


@translates(nvvm.TanhApproxOp)
def _tanh(writer: LlvmFunctionWriter, op: nvvm.UnaryApproxOp) -> None:
    element = scalar_type(op.result.type)
    if element == "float":
        writer.elementwise(op.result, [op.arg], _through_float(writer, f"{NVVM}tanh.approx.f32"))
        return
    if element == "bfloat":
        writer.require(op, SM_90)

    def write(types: Sequence[str], texts: Sequence[str], result: str) -> str:
        bits = "i32" if result.startswith("<") else "i16"
        constraint = "r" if bits == "i32" else "h"
        value = writer.define(f"bitcast {result} {texts[0]} to {bits}")
        (value,) = writer.assembly(
            f"tanh.approx.{PACKED[result]} $0, $1;",
            [(constraint, bits)],
            [(constraint, bits, value)],
            effects=False,
        )
        return f"bitcast {bits} {value} to {result}"

    writer.elementwise(op.result, [op.arg], write)


@translates(
    *(nvvm.Lg2ApproxOp, nvvm.RsqrtApproxOp, nvvm.SqrtApproxOp, nvvm.SinApproxOp),
    nvvm.CosApproxOp,
)
def _unary_approx(writer: LlvmFunctionWriter, op: nvvm.UnaryApproxOp) -> None:
    word = op.name.removeprefix("nvvm.").removesuffix(".f")
    write = _through_float(writer, f"{NVVM}{word}{_ftz(op)}.f")
    writer.elementwise(op.result, [op.arg], write, one_by_one=True)


@translates(nvvm.RcpApproxFtzOp)
def _rcp_approx(writer: LlvmFunctionWriter, op: nvvm.RcpApproxFtzOp) -> None:
    writer.elementwise(op.result, [op.arg], _through_float(writer, f"llvm.{op.name}"))


@translates(nvvm.DivApproxOp, nvvm.DivFullOp)
def _div_approx(writer: LlvmFunctionWriter, op: nvvm.BinaryApproxOp) -> None:
    is_full = isinstance(op, nvvm.DivFullOp)
    name = f"{NVVM}div.full{_ftz(op)}" if is_full else f"{NVVM}div.approx{_ftz(op)}.f"
    writer.elementwise(op.result, op.operands, _through_float(writer, name))


# Rounded arithmetic


@translates(nvvm.SqrtOp, nvvm.RcpOp, nvvm.AddOp, nvvm.MulOp, nvvm.DivOp, nvvm.FmaOp)
def _rounded(
    writer: LlvmFunctionWriter, op: nvvm.UnaryRoundedOp | nvvm.BinaryRoundedOp | nvvm.FmaOp
) -> None:
    word = op.name.removeprefix("nvvm.").removesuffix(".f")
    letter = "d" if scalar_type(op.result.type) == "double" else "f"
    name = f"{NVVM}{word}.{op.rnd.data.value}{_ftz(op)}.{letter}"
    writer.elementwise(
        op.result,
        op.operands,
        lambda types, texts, result: writer.call(
            name, result, list(zip(types, texts, strict=True))
        ),
    )


@translates(nvvm.SubOp)
def _sub(writer: LlvmFunctionWriter, op: nvvm.BinaryRoundedOp) -> None:
    # LLVM has no intrinsic for it.
    is_double = scalar_type(op.result.type) == "double"
    suffix, constraint = ("f64", "d") if is_double else ("f32", "f")
    instruction = f"sub.{op.rnd.data.value}{_ftz(op)}.{suffix} $0, $1, $2;"
    writer.elementwise(
        op.result,
        op.operands,
        lambda types, texts, result: writer.assembly(
            instruction,
            [(constraint, result)],
            [(constraint, result, text) for text in texts],
            effects=False,
        )[0],
    )


@translates(nvvm.FmaPackedF32x2Op, nvvm.MulPackedF32x2Op, needs=SM_100)
def _packed_f32(
    writer: LlvmFunctionWriter, op: nvvm.FmaPackedF32x2Op | nvvm.MulPackedF32x2Op
) -> None:
    word = "fma" if isinstance(op, nvvm.FmaPackedF32x2Op) else "mul"
    rounding = "rn" if op.rnd is None else op.rnd.data.value
    inputs = [
        ("l", "i64", writer.define(f"bitcast <2 x float> {writer.packed(value)} to i64"))
        for value in op.operands
    ]
    operands = ", ".join(f"${number}" for number in range(len(inputs) + 1))
    (text,) = writer.assembly(
        f"{word}.{rounding}{_ftz(op)}.f32x2 {operands};", [("l", "i64")], inputs, effects=False
    )
    writer.set_packed(op.result, writer.define(f"bitcast i64 {text} to <2 x float>"))


# Conversions


def _element_name(ty: Attribute) -> str:
    return str(ty.get_element_type() if isinstance(ty, VectorType) else ty)


@translates(nvvm.CvtFptruncX2Op)
def _fptrunc(writer: LlvmFunctionWriter, op: nvvm.CvtFptruncX2Op) -> None:
    source, result = scalar_type(op.arg.type), scalar_type(op.result.type)
    rounding = RoundingMode.RN if op.rnd is None else op.rnd.data
    flags = ".relu" if op.relu is not None else ""
    small = SMALL_FLOATS.get(_element_name(op.result.type))
    low, high = writer.lanes(op.arg)
    if small is not None:
        writer.require(op, SM_89)
        if rounding is not RoundingMode.RN:
            fail(op, f"a conversion to '{op.result.type}' rounds to nearest even only")
        name = f"{NVVM}{'f16x2' if source == 'half' else 'ff'}.to.{small}.rn{flags}"
        if source == "half":
            arguments = [("<2 x half>", writer.scalar(op.arg))]
        else:
            if source != "float":
                word = "fptrunc" if source == "double" else "fpext"
                low, high = (
                    writer.define(f"{word} {source} {text} to float") for text in (low, high)
                )
            arguments = [("float", high), ("float", low)]
        text = writer.call(name, "i16", arguments)
        writer.set(op.result, writer.define(f"bitcast i16 {text} to <2 x i8>"))
        return
    if result == "i8":
        fail(op, f"a conversion to '{op.result.type}' does not exist")
    is_plain = rounding is RoundingMode.RN and op.relu is None and op.satfinite is None
    if is_plain or source == "double":
        if not is_plain:
            fail(op, f"a conversion from '{op.arg.type}' rounds to nearest even only")
        types = f"<2 x {source}>", f"<2 x {result}>"
        text = writer.define(f"fptrunc {types[0]} {writer.packed(op.arg)} to {types[1]}")
        writer.set_packed(op.result, text)
        return
    if rounding not in (RoundingMode.RN, RoundingMode.RZ):
        fail(op, f"a conversion to '{op.result.type}' has no rounding '{rounding.value}'")
    flags += ".satfinite" if op.satfinite is not None else ""
    packed = PACKED[f"<2 x {result}>"]
    (text,) = writer.assembly(
        f"cvt.{rounding.value}{flags}.{packed}.f32 $0, $1, $2;",
        [("r", "i32")],
        [("f", "float", high), ("f", "float", low)],
        effects=False,
    )
    writer.set(op.result, writer.cast_back(text, registers_of(op.result.type)[0]))


@translates(nvvm.CvtFpextX2Op)
def _fpext(writer: LlvmFunctionWriter, op: nvvm.CvtFpextX2Op) -> None:
    source, result = scalar_type(op.arg.type), scalar_type(op.result.type)
    text = writer.packed(op.arg)
    small = SMALL_FLOATS.get(_element_name(op.arg.type))
    if small is not None:
        writer.require(op, SM_89)
        bits = writer.define(f"bitcast <2 x i8> {text} to i16")
        text = writer.call(f"{NVVM}{small}.to.f16x2.rn", "<2 x half>", [("i16", bits)])
        source = "half"
        if result == "bfloat":
            text = writer.define(f"fpext <2 x half> {text} to <2 x float>")
            text = writer.define(f"fptrunc <2 x float> {text} to <2 x bfloat>")
            source = "bfloat"
    elif source == "i8":
        fail(op, f"a conversion from '{op.arg.type}' does not exist")
    if source != result:
        text = writer.define(f"fpext <2 x {source}> {text} to <2 x {result}>")
    writer.set_packed(op.result, text)


@translates(nvvm.FragmentFptruncOp, needs=SM_89)
def _fragment_fptrunc(writer: LlvmFunctionWriter, op: nvvm.FragmentFptruncOp) -> None:
    small = SMALL_FLOATS[str(op.format)]
    is_half = scalar_type(op.arg.type) == "half"
    pairs: list[str] = []
    for low, high in _pairs(writer.lanes(op.arg)):
        arguments = [("float", high), ("float", low)]
        name = f"{NVVM}ff.to.{small}.rn"
        if is_half:
            text = writer.join(Register("half", 2), [low, high])
            arguments = [("<2 x half>", text)]
            name = f"{NVVM}f16x2.to.{small}.rn"
        pairs.append(writer.call(name, "i16", arguments))
    registers: list[str] = []
    for register in registers_of(op.result.type):
        count = register.lanes // 2
        words, pairs = pairs[:count], pairs[count:]
        text = writer.join(Register("i16", count), words)
        source = "i16" if count == 1 else f"<{count} x i16>"
        registers.append(writer.define(f"bitcast {source} {text} to {register.type}"))
    writer.set(op.result, *registers)


@translates(nvvm.FragmentFpextOp, needs=SM_89)
def _fragment_fpext(writer: LlvmFunctionWriter, op: nvvm.FragmentFpextOp) -> None:
    name = f"{NVVM}{SMALL_FLOATS[str(op.format)]}.to.f16x2.rn"
    registers: list[str] = []
    for register, text in writer.typed_registers(op.arg):
        count = register.lanes // 2
        held = Register("i16", count)
        words = writer.define(f"bitcast {register.type} {text} to {held.type}")
        registers.extend(
            writer.call(name, "<2 x half>", [("i16", word)]) for word in writer.split(held, words)
        )
    writer.set(op.result, *registers)


def _pairs(lanes: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(lanes[::2], lanes[1::2], strict=True))


@translates(nvvm.ConvertFloatToTF32Op)
def _to_tf32(writer: LlvmFunctionWriter, op: nvvm.ConvertFloatToTF32Op) -> None:
    rounding = op.rnd.data
    relu = ".relu" if op.relu is not None else ""
    if rounding is RoundingMode.RNA and not relu:
        writer.elementwise(
            op.result,
            [op.arg],
            lambda types, texts, result: writer.assembly(
                "cvt.rna.tf32.f32 $0, $1;",
                [("r", result)],
                [("f", types[0], texts[0])],
                effects=False,
            )[0],
        )
        return
    if rounding is RoundingMode.RNA:
        fail(op, "rounding 'rna' does not go with relu")
    writer.require(op, SM_90)
    name = f"{NVVM}f2tf32.{rounding.value}{relu}"
    writer.elementwise(
        op.result,
        [op.arg],
        lambda types, texts, result: writer.call(name, result, [(types[0], texts[0])]),
    )
