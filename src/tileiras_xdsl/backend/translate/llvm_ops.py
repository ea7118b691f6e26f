"""
Ops of `llvm`: arithmetic, casts, vectors, aggregates, calls, control flow, intrinsics. Also those
that the conversion to `llvm` and `nvvm` may leave: `arith.constant` and `arith.index_cast` of
`index`, `vector.extract` and `vector.from_elements` of fragments.

`exp` and `log` of `float` are written out, with the instructions that libdevice has for them. They
are the ones that nearly every kernel with a function uses. To write nine instructions is cheaper
than to cut libdevice to the function, which takes a new process a quarter of a second, and to link
it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Final

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, VectorType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation

from tileiras_xdsl.backend.guard import intrinsic_requirement, missing_instruction
from tileiras_xdsl.dialects import llvm as extra
from tileiras_xdsl.dialects import vector

from .constants import constant_registers, escape, integer, is_number, scalar, symbol, zero
from .types import (
    are_vectors_whole,
    function_type,
    lanes_of,
    member,
    native_type,
    registers_of,
    scalar_bits,
    scalar_type,
    vector_of,
)
from .writer import Lane, LlvmFunctionWriter, fail, intrinsic_suffix, translates

# `exp` and `log`

Function = Callable[[LlvmFunctionWriter, str], str]
"""Writes a function of a value, and returns the name of the result."""


def number(bits: int) -> str:
    """The constant of the bits of a float."""
    (value,) = struct.unpack("<f", bits.to_bytes(4, "little"))
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _fma(writer: LlvmFunctionWriter, x: str, y: str, z: str) -> str:
    return writer.call("llvm.fma.f32", "float", [("float", each) for each in (x, y, z)])


def _polynomial(writer: LlvmFunctionWriter, x: str, coefficients: Sequence[int]) -> str:
    """The highest power first."""
    first, *rest = map(number, coefficients)
    for coefficient in rest:
        first = _fma(writer, first, x, coefficient)
    return first


def write_exp(writer: LlvmFunctionWriter, x: str) -> str:
    """
    2^n * 2^f, with x = (n + f) * ln(2) and n limited to what a scale factor can have; f takes
    the rest, so that results overflow, or become subnormal, by the last multiplication.
    """
    share = _fma(writer, x, number(0x3BBB989D), number(0x3F000000))
    share = writer.call("llvm.nvvm.saturate.f", "float", [("float", share)])
    arguments = [("float", each) for each in (share, number(0x437C0000), number(0x4B400001))]
    shifted = writer.call("llvm.nvvm.fma.rm.f", "float", arguments)
    whole = writer.define(f"fadd float {shifted}, {number(0xCB40007F)}")
    whole = writer.define(f"fneg float {whole}")
    rest = _fma(writer, x, number(0x3FB8AA3B), whole)
    rest = _fma(writer, x, number(0x32A57060), rest)
    bits = writer.define(f"bitcast float {shifted} to i32")
    bits = writer.define(f"shl i32 {bits}, 23")
    scale = writer.define(f"bitcast i32 {bits} to float")
    power = writer.call("llvm.nvvm.ex2.approx.ftz.f32", "float", [("float", rest)])
    return writer.define(f"fmul float {power}, {scale}")


LOG_COEFFICIENTS: Final = (
    *(0xBE055027, 0x3E1039F6, 0xBDF8CDCC, 0x3E0F2955, 0xBE2AD8B9),
    *(0x3E4CED0B, 0xBE7FFF22, 0x3EAAAA78, 0xBF000000),
)


def write_log(writer: LlvmFunctionWriter, x: str) -> str:
    """e * ln(2) + log(1 + m), with m between -1/3 and 1/3, by a polynomial."""
    small = writer.define(f"fcmp olt float {x}, {number(0x00800000)}")
    scaled = writer.define(f"fmul float {x}, {number(0x4B000000)}")
    scaled = writer.define(f"select i1 {small}, float {scaled}, float {x}")
    less = writer.define(f"select i1 {small}, float {number(0xC1B80000)}, float 0.0")
    bits = writer.define(f"bitcast float {scaled} to i32")
    moved = writer.define(f"add i32 {bits}, -1059760811")
    exponent = writer.define(f"and i32 {moved}, -8388608")
    mantissa = writer.define(f"sub i32 {bits}, {exponent}")
    exponent = writer.define(f"sitofp i32 {exponent} to float")
    exponent = _fma(writer, exponent, number(0x34000000), less)
    mantissa = writer.define(f"bitcast i32 {mantissa} to float")
    mantissa = writer.define(f"fadd float {mantissa}, {number(0xBF800000)}")
    value = _polynomial(writer, mantissa, LOG_COEFFICIENTS)
    value = writer.define(f"fmul float {mantissa}, {value}")
    value = _fma(writer, value, mantissa, mantissa)
    value = _fma(writer, exponent, number(0x3F317218), value)
    infinity = number(0x7F800000)
    special = writer.define(f"icmp ugt i32 {bits}, 2139095039")
    other = _fma(writer, scaled, infinity, infinity)
    value = writer.define(f"select i1 {special}, float {other}, float {value}")
    is_zero = writer.define(f"fcmp oeq float {scaled}, 0.0")
    return writer.define(f"select i1 {is_zero}, float {number(0xFF800000)}, float {value}")


WRITTEN_OUT: Final[dict[str, Function]] = {"exp": write_exp, "log": write_log}
"""By the name in libdevice."""


NO_SIGNED_WRAP: Final = 1
NO_UNSIGNED_WRAP: Final = 2


def fast_math(op: Operation) -> str:
    """Flags of an op on floats, and a space."""
    attribute = op.properties.get("fastmathFlags")
    if not isinstance(attribute, llvm.FastMathAttr) or not attribute.data:
        return ""
    flags = set(attribute.data)
    if len(flags) == len(FastMathFlag):
        return "fast "
    return "".join(f"{flag.value} " for flag in FastMathFlag if flag in flags)


def is_approximate(op: Operation) -> bool:
    """Whether functions of an op may be approximated."""
    return any(word in fast_math(op).split() for word in ("afn", "fast"))


# Arithmetic

BINARY: Final = (
    *(llvm.AddOp, llvm.SubOp, llvm.MulOp, llvm.ShlOp),
    *(llvm.UDivOp, llvm.SDivOp, llvm.LShrOp, llvm.AShrOp, llvm.URemOp, llvm.SRemOp),
    *(llvm.AndOp, llvm.OrOp, llvm.XOrOp),
    *(llvm.FAddOp, llvm.FSubOp, llvm.FMulOp),
)


def _integer_flags(op: Operation) -> str:
    match op.properties.get("overflowFlags"):
        case IntegerAttr() as bits:
            number = bits.value.data
        case llvm.OverflowAttr() as words:
            number = words.to_int()
        case _:
            number = 0
    flags = "nuw " if number & NO_UNSIGNED_WRAP else ""
    flags += "nsw " if number & NO_SIGNED_WRAP else ""
    for name, word in (("isExact", "exact "), ("isDisjoint", "disjoint "), ("nonNeg", "nneg ")):
        if name in op.properties:
            flags += word
    return flags


PAIRED: Final = (llvm.FAddOp, llvm.FSubOp, llvm.FMulOp, llvm.FMAOp)
"""What some architectures do with two f32 at a time, each rounded as it is alone."""


def _of_two(writer: LlvmFunctionWriter, op: Operation, instruction: str) -> None:
    """An instruction of two operands of one type."""
    writer.elementwise(
        op.results[0],
        op.operands,
        lambda types, texts, _: f"{instruction}{types[0]} {texts[0]}, {texts[1]}",
        in_pairs=isinstance(op, PAIRED),
    )


@translates(*BINARY)
def _binary(writer: LlvmFunctionWriter, op: IRDLOperation) -> None:
    word = op.name.removeprefix("llvm.")
    _of_two(writer, op, f"{word} {_integer_flags(op)}{fast_math(op)}")


@translates(llvm.FDivOp)
def _divide(writer: LlvmFunctionWriter, op: llvm.FDivOp) -> None:
    """
    A quotient of bf16 is further from what lies between two bf16 than twice the error of
    `div.full`, which has no slow path.
    """
    if scalar_type(op.res.type) != "bfloat" or are_vectors_whole():
        _of_two(writer, op, f"fdiv {fast_math(op)}")
        return

    def write(texts: Sequence[str]) -> str:
        return writer.call("llvm.nvvm.div.full", "float", [("float", text) for text in texts])

    _by_floats(writer, op.res, op.operands, write)


@translates(llvm.FNegOp, extra.FreezeOp)
def _unary(writer: LlvmFunctionWriter, op: IRDLOperation) -> None:
    instruction = f"{op.name.removeprefix('llvm.')} {fast_math(op)}"
    if not isinstance(op.operands[0].type, VectorType):
        registers = [
            writer.define(f"{instruction}{register.type} {text}")
            for register, text in writer.typed_registers(op.operands[0])
        ]
        writer.set(op.results[0], *registers)
        return
    writer.elementwise(
        op.results[0],
        op.operands,
        lambda types, texts, _: f"{instruction}{types[0]} {texts[0]}",
    )


@translates(llvm.ICmpOp, extra.ICmpOp)
def _icmp(writer: LlvmFunctionWriter, op: llvm.ICmpOp) -> None:
    word = llvm.ICmpPredicateFlag.from_int(op.predicate.value.data).value
    _of_two(writer, op, f"icmp {word} ")


@translates(llvm.FCmpOp, extra.FCmpOp)
def _fcmp(writer: LlvmFunctionWriter, op: llvm.FCmpOp) -> None:
    word = llvm.FCmpPredicateFlag.from_int(op.predicate.value.data).value.strip("_")
    _of_two(writer, op, f"fcmp {fast_math(op)}{word} ")


@translates(llvm.SelectOp, extra.SelectOp)
def _select(writer: LlvmFunctionWriter, op: llvm.SelectOp) -> None:
    is_float = isinstance(op.res.type, VectorType) or native_type(op.res.type) in _FLOATS
    flags = fast_math(op) if is_float else ""
    if isinstance(op.cond.type, VectorType):
        writer.elementwise(
            op.res,
            op.operands,
            lambda types, texts, _: (
                f"select {flags}{types[0]} {texts[0]}, {types[1]} {texts[1]}, {types[2]} {texts[2]}"
            ),
        )
        return
    condition = writer.scalar(op.cond)
    registers = [
        writer.define(
            f"select {flags}i1 {condition}, {register.type} {left}, {register.type} {right}"
        )
        for (register, left), right in zip(
            writer.typed_registers(op.lhs), writer.values[op.rhs], strict=True
        )
    ]
    writer.set(op.res, *registers)


_FLOATS: Final = ("half", "bfloat", "float", "double")

# Casts

CASTS: Final = (
    *(llvm.TruncOp, llvm.ZExtOp, llvm.SExtOp, llvm.FPTruncOp),
    *(extra.FPToSIOp, extra.FPToUIOp),
    *(extra.AddrSpaceCastOp, extra.IntToPtrOp, extra.PtrToIntOp, llvm.IntToPtrOp, llvm.PtrToIntOp),
)


BYTES: Final = "<4 x i8>"
MAGIC: Final = {"half": 1 << 10, "float": 1 << 23}
"""The power of two whose last bits are ones."""


def _convert_bytes(writer: LlvmFunctionWriter, op: llvm.SIToFPOp | extra.UIToFPOp) -> None:
    """
    Bytes as floats. Special function units would convert 16 a clock. Instead, a byte becomes the
    last bits of a large number, which is subtracted; a signed one is made positive before.

        %1 = xor i32 %bytes, 0x80808080
        %2 = prmt %1, 0x64646464, 0x4140       1024 + 128 + byte, two of them
        %3 = fsub <2 x half> %2, 1152
    """
    is_signed, result = isinstance(op, llvm.SIToFPOp), registers_of(op.result.type)[0]
    number = float(MAGIC[result.element] + 128 * is_signed)
    if result.element == "half":
        upper, selectors, text = 0x64646464, (0x4140, 0x4342), f"<half {number:e}, half {number:e}>"
    else:
        upper, selectors, text = 0x4B000000, (0x7440, 0x7441, 0x7442, 0x7443), f"{number:e}"
    floats: list[str] = []
    for held in writer.values[op.arg]:
        word = writer.define(f"bitcast {BYTES} {held} to i32")
        if is_signed:
            word = writer.define(f"xor i32 {word}, {0x80808080 - (1 << 32)}")
        for selector in selectors:
            arguments = [("i32", each) for each in (word, str(upper), str(selector))]
            bits = writer.call("llvm.nvvm.prmt", "i32", arguments)
            large = writer.define(f"bitcast i32 {bits} to {result.type}")
            floats.append(writer.define(f"fsub {result.type} {large}, {text}"))
    writer.set(op.result, *floats)


@translates(llvm.SIToFPOp, extra.UIToFPOp)
def _convert_integers(writer: LlvmFunctionWriter, op: llvm.SIToFPOp | extra.UIToFPOp) -> None:
    are_bytes = all(register.type == BYTES for register in registers_of(op.arg.type))
    if are_bytes and scalar_type(op.result.type) in MAGIC and not are_vectors_whole():
        _convert_bytes(writer, op)
    else:
        _write_cast(writer, op)


PAIR: Final = "<2 x bfloat>"
UPPER_HALF: Final = -(1 << 16)


@translates(llvm.FPExtOp)
def _extend(writer: LlvmFunctionWriter, op: llvm.FPExtOp) -> None:
    is_pair = registers_of(op.arg.type)[0].type == PAIR
    if is_pair and registers_of(op.result.type)[0].type == "float":
        writer.set(op.result, *_as_floats(writer, op.arg))
    else:
        _write_cast(writer, op)


def _as_floats(writer: LlvmFunctionWriter, value: SSAValue) -> list[str]:
    """
    Elements of at most 32 bits as f32. A bf16 is the upper half of one. ptxas extracts that of the
    second bf16 of a pair with two instructions if it is converted by itself.

        %1 = bitcast <2 x bfloat> %pair to i32
        %2 = shl i32 %1, 16
        %3 = and i32 %1, 0xffff0000
    """
    floats: list[str] = []
    for register, held in writer.typed_registers(value):
        if register.type == PAIR:
            word = writer.define(f"bitcast {PAIR} {held} to i32")
            for text in (f"shl i32 {word}, 16", f"and i32 {word}, {UPPER_HALF}"):
                floats.append(writer.define(f"bitcast i32 {writer.define(text)} to float"))
        elif register.element == "float":
            floats.extend(writer.split(register, held))
        else:
            floats.extend(
                writer.define(f"fpext {register.element} {lane} to float")
                for lane in writer.split(register, held)
            )
    return floats


def _by_floats(
    writer: LlvmFunctionWriter,
    result: SSAValue,
    operands: Sequence[SSAValue],
    write: Callable[[Sequence[str]], str],
) -> None:
    """Computes elements of at most 32 bits as f32, and rounds them."""
    element = scalar_type(result.type)
    lanes = [
        write(texts) for texts in zip(*(_as_floats(writer, each) for each in operands), strict=True)
    ]
    if element != "float":
        lanes = [writer.define(f"fptrunc float {lane} to {element}") for lane in lanes]
    writer.set(result, *writer.group(registers_of(result.type), lanes))


@translates(*CASTS)
def _cast(writer: LlvmFunctionWriter, op: IRDLOperation) -> None:
    _write_cast(writer, op)


def _write_cast(writer: LlvmFunctionWriter, op: IRDLOperation) -> None:
    instruction = f"{op.name.removeprefix('llvm.')} {_integer_flags(op)}"
    writer.elementwise(
        op.results[0],
        op.operands,
        lambda types, texts, result: (
            texts[0] if types[0] == result else f"{instruction}{types[0]} {texts[0]} to {result}"
        ),
    )


@translates(extra.FPToSISatOp, extra.FPToUISatOp)
def _saturating_cast(writer: LlvmFunctionWriter, op: extra.SaturatingCastOp) -> None:
    """
    The conversions of PTX saturate, but for what LLVM knows of `fptosi` a number out of range is
    poison, and its own intrinsics compare and select. To 64 bits, or from them, PTX makes another
    number of NaN than 0.
    """
    is_signed = isinstance(op, extra.FPToSISatOp)
    own = {"i32": "i" if is_signed else "ui", "i64": "ll" if is_signed else "ull"}

    def write(types: Sequence[str], texts: Sequence[str], result: str) -> str:
        (source,), (text,) = types, texts
        if result not in own:
            name = f"llvm.fpto{'s' if is_signed else 'u'}i.sat"
            name = f"{name}.{intrinsic_suffix(result)}.{intrinsic_suffix(source)}"
            return writer.call(name, result, [(source, text)])
        if source not in ("float", "double"):
            text = writer.define(f"fpext {source} {text} to float")
            source = "float"
        letter = "f" if source == "float" else "d"
        value = writer.call(f"llvm.nvvm.{letter}2{own[result]}.rz", result, [(source, text)])
        if source == "float" and result == "i32":
            return value
        is_nan = writer.define(f"fcmp uno {source} {text}, 0.0")
        return f"select i1 {is_nan}, {result} 0, {result} {value}"

    writer.elementwise(op.res, [op.arg], write, one_by_one=True)


@translates(llvm.BitcastOp)
def _bitcast(writer: LlvmFunctionWriter, op: llvm.BitcastOp) -> None:
    source, result = registers_of(op.arg.type), registers_of(op.result.type)
    if [each.bits for each in source] == [each.bits for each in result]:
        registers = [
            writer.cast(each, text, wanted.type)
            for each, text, wanted in zip(source, writer.values[op.arg], result, strict=True)
        ]
        writer.set(op.result, *registers)
        return
    text = writer.packed(op.arg)
    types = native_type(op.arg.type), native_type(op.result.type)
    writer.set_packed(op.result, writer.define(f"bitcast {types[0]} {text} to {types[1]}"))


# Constants


@translates(llvm.ConstantOp)
def _constant(writer: LlvmFunctionWriter, op: llvm.ConstantOp) -> None:
    writer.set(op.result, *constant_registers(op.value, op.result.type))


@translates(llvm.ZeroOp)
def _zero(writer: LlvmFunctionWriter, op: llvm.ZeroOp) -> None:
    writer.set(op.res, *map(zero, registers_of(op.res.type)))


@translates(llvm.UndefOp, extra.PoisonOp)
def _undefined(writer: LlvmFunctionWriter, op: llvm.UndefOp | extra.PoisonOp) -> None:
    word = op.name.removeprefix("llvm.mlir.")
    writer.set(op.res, *[word] * len(registers_of(op.res.type)))


@translates(llvm.AddressOfOp)
def _addressof(writer: LlvmFunctionWriter, op: llvm.AddressOfOp) -> None:
    name = op.global_name.string_value()
    if name not in writer.module.symbols:
        fail(op, f"there is no symbol @{name}")
    writer.set(op.result, symbol(name))


# Aggregates and vectors


@translates(llvm.ExtractValueOp)
def _extractvalue(writer: LlvmFunctionWriter, op: llvm.ExtractValueOp) -> None:
    start, ty = member(op.container.type, tuple(op.position.get_values()))
    count = len(registers_of(ty))
    writer.set(op.res, *writer.values[op.container][start : start + count])


@translates(llvm.InsertValueOp)
def _insertvalue(writer: LlvmFunctionWriter, op: llvm.InsertValueOp) -> None:
    start, ty = member(op.container.type, tuple(op.position.get_values()))
    count = len(registers_of(ty))
    registers = list(writer.values[op.container])
    registers[start : start + count] = writer.values[op.value]
    writer.set(op.res, *registers)


@translates(extra.ExtractElementOp)
def _extractelement(writer: LlvmFunctionWriter, op: extra.ExtractElementOp) -> None:
    position = writer.scalar(op.position)
    if is_number(position):
        index = int(position)
        is_there = 0 <= index < lanes_of(op.vector.type)
        writer.set(op.res, writer.lane(op.vector, index) if is_there else "poison")
        return
    text = writer.typed(op.vector)
    index = f"{scalar_type(op.position.type)} {position}"
    writer.set(op.res, writer.define(f"extractelement {text}, {index}"))


@translates(llvm.InsertElementOp)
def _insertelement(writer: LlvmFunctionWriter, op: llvm.InsertElementOp) -> None:
    position = writer.scalar(op.index)
    element = scalar_type(op.res.type)
    value = writer.scalar(op.value)
    if is_number(position):
        index = int(position)
        if not 0 <= index < lanes_of(op.res.type):
            fail(op, f"vector '{op.res.type}' has no element {index}")
        held = registers_of(op.res.type)
        registers = list(writer.values[op.vector])
        number, lane = divmod(index, held[0].lanes)
        register = held[number]
        if register.lanes == 1:
            registers[number] = value
        else:
            registers[number] = writer.define(
                f"insertelement {register.type} {registers[number]}, {element} {value}, i32 {lane}"
            )
        writer.set(op.res, *registers)
        return
    text = writer.define(
        f"insertelement {writer.typed(op.vector)}, {element} {value}, "
        f"{scalar_type(op.index.type)} {position}"
    )
    writer.set_packed(op.res, text)


@translates(llvm.ShuffleVectorOp)
def _shufflevector(writer: LlvmFunctionWriter, op: llvm.ShuffleVectorOp) -> None:
    if are_vectors_whole() and lanes_of(op.res.type) > 1:
        lanes = ", ".join(f"i32 {'poison' if i < 0 else i}" for i in op.mask.get_values())
        text = f"shufflevector {writer.typed(op.v1)}, {writer.typed(op.v2)}, "
        text = writer.define(f"{text}<{lanes_of(op.res.type)} x i32> <{lanes}>")
        writer.set(op.res, text)
        return
    first = lanes_of(op.v1.type)
    lanes = [
        None if index < 0 else (op.v1, index) if index < first else (op.v2, index - first)
        for index in op.mask.get_values()
    ]
    writer.set(op.res, *writer.gather(op.res.type, lanes))


# Calls


@translates(llvm.CallOp)
def _call(writer: LlvmFunctionWriter, op: llvm.CallOp) -> None:
    if op.op_bundle_operands:
        fail(op, "operand bundles have no translation to LLVM IR")
    arguments = list(op.args)
    result = "void" if op.returned is None else native_type(op.returned.type)
    ty = None if op.var_callee_type is None else function_type(op.var_callee_type)
    convention = writer.module.convention(op, op.CConv)
    if op.callee is None:
        callee = writer.scalar(arguments.pop(0))
    else:
        name = op.callee.string_value()
        function = writer.module.functions.get(name)
        if function is None:
            fail(op, f"there is no function @{name}")
        if function.function_type.is_variadic:
            ty = function_type(function.function_type)
        convention = writer.module.convention(op, function.CConv)
        callee = symbol(name)
    flags = fast_math(op) if result.split(" ")[-1].strip("<>") in _FLOATS else ""
    values = ", ".join(map(writer.typed, arguments))
    text = f"call {flags}{convention}{ty or result} {callee}({values})"
    if op.returned is None:
        writer.emit(text)
    else:
        writer.set_packed(op.returned, writer.define(text))


@translates(llvm.CallIntrinsicOp)
def _call_intrinsic(writer: LlvmFunctionWriter, op: llvm.CallIntrinsicOp) -> None:
    if op.op_bundle_operands:
        fail(op, "operand bundles have no translation to LLVM IR")
    target, needs = writer.module.target, intrinsic_requirement(op.intrin.data)
    if needs is not None and not target.machine.meets(needs):
        fail(op, f"'{op.name}' needs {needs} for '{op.intrin.data}', the target is {target}")
    arguments = [(native_type(value.type), writer.packed(value)) for value in op.args]
    result = "void" if op.ress is None else native_type(op.ress.type)
    is_float = result.split(" ")[-1].strip("<>") in _FLOATS
    if ".constrained." in op.intrin.data:
        arguments += [("metadata", f'!"{word}"') for word in ("round.dynamic", "fpexcept.strict")]
    text = writer.call(op.intrin.data, result, arguments, fast_math(op) if is_float else "")
    if op.ress is not None:
        writer.set_packed(op.ress, text)


@translates(llvm.InlineAsmOp)
def _inline_asm(writer: LlvmFunctionWriter, op: llvm.InlineAsmOp) -> None:
    target = writer.module.target
    if (missing := missing_instruction(op.asm_string.data, target)) is not None:
        instruction, needs = missing
        fail(op, f"'{op.name}' needs {needs} for '{instruction}', the target is {target}")
    result = "void" if op.res is None else native_type(op.res.type)
    words = "sideeffect " if op.has_side_effects is not None else ""
    if op.is_align_stack is not None:
        words += "alignstack "
    values = ", ".join(map(writer.typed, op.operands_))
    attributes = "convergent nounwind" if op.has_side_effects is not None else "nounwind"
    text = (
        f'call {result} asm {words}"{escape(op.asm_string.data)}", '
        f'"{escape(op.constraints.data)}"({values}) {attributes}'
    )
    if op.res is None:
        writer.emit(text)
    else:
        writer.set_packed(op.res, writer.define(text))


# Control flow


@translates(llvm.ReturnOp)
def _return(writer: LlvmFunctionWriter, op: llvm.ReturnOp) -> None:
    writer.emit("ret void" if op.arg is None else f"ret {writer.typed(op.arg)}")


@translates(llvm.UnreachableOp)
def _unreachable(writer: LlvmFunctionWriter, op: llvm.UnreachableOp) -> None:
    writer.emit("unreachable")


@translates(llvm.BrOp)
def _br(writer: LlvmFunctionWriter, op: llvm.BrOp) -> None:
    writer.emit(f"br {writer.jump(op.successor, op.arguments)}")


@translates(llvm.CondBrOp)
def _cond_br(writer: LlvmFunctionWriter, op: llvm.CondBrOp) -> None:
    then = writer.jump(op.then_block, op.then_arguments)
    otherwise = writer.jump(op.else_block, op.else_arguments)
    writer.emit(f"br i1 {writer.scalar(op.cond)}, {then}, {otherwise}")


@translates(extra.SwitchOp)
def _switch(writer: LlvmFunctionWriter, op: extra.SwitchOp) -> None:
    ty = scalar_type(op.value.type)
    default = writer.jump(op.default_block, op.default_operands)
    values = () if op.case_values is None else op.case_values.get_attrs()
    cases: list[str] = []
    start = 0
    for value, block, count in zip(
        values, op.case_blocks, op.case_operand_segments.get_values(), strict=True
    ):
        label = writer.jump(block, op.case_operands[start : start + count])
        cases.append(f"{ty} {scalar(value, op.value.type)}, {label}")
        start += count
    writer.emit(f"switch {ty} {writer.scalar(op.value)}, {default} [ {' '.join(cases)} ]")


# Intrinsics

INTRINSICS: Final = (
    *(llvm.FAbsOp, llvm.FCeilOp, llvm.FSqrtOp, llvm.FFloorOp),
    *(extra.FTruncOp, extra.RoundOp, extra.RoundEvenOp, extra.RintOp, extra.NearbyintOp),
    *(llvm.VectorFMaxOp, llvm.VectorFMinOp, extra.MinimumOp, extra.MaximumOp),
    *(llvm.FCopySignOp, llvm.FMAOp),
    *(extra.SMinOp, extra.SMaxOp, extra.UMinOp, extra.UMaxOp),
    *(extra.CtPopOp, extra.ByteSwapOp, extra.BitReverseOp, extra.FshlOp, extra.FshrOp),
)
"""Intrinsics of LLVM whose operands and result have one type."""


def call_on(
    writer: LlvmFunctionWriter, name: str, flags: str = "", *extra_arguments: tuple[str, str]
) -> Callable[[Sequence[str], Sequence[str], str], str]:
    """What writes a call of an intrinsic for `elementwise`."""

    def write(types: Sequence[str], texts: Sequence[str], result: str) -> str:
        full = f"{name}.{intrinsic_suffix(result)}"
        return writer.call(full, result, [*zip(types, texts, strict=True), *extra_arguments], flags)

    return write


def _intrinsic_name(op: Operation) -> str:
    return f"llvm.{op.name.removeprefix('llvm.intr.')}"


@translates(*INTRINSICS)
def _intrinsic(writer: LlvmFunctionWriter, op: IRDLOperation) -> None:
    write = call_on(writer, _intrinsic_name(op), fast_math(op))
    writer.elementwise(op.results[0], op.operands, write, in_pairs=isinstance(op, PAIRED))


@translates(extra.AbsOp, extra.CountLeadingZerosOp, extra.CountTrailingZerosOp)
def _with_poison(writer: LlvmFunctionWriter, op: extra.AbsOp | extra.CountZerosOp) -> None:
    is_poison = op.is_int_min_poison if isinstance(op, extra.AbsOp) else op.is_zero_poison
    flag = ("i1", str(int(bool(is_poison.value.data))))
    writer.elementwise(op.res, op.operands, call_on(writer, _intrinsic_name(op), "", flag))


@translates(extra.AssumeOp)
def _assume(writer: LlvmFunctionWriter, op: extra.AssumeOp) -> None:
    writer.call("llvm.assume", "void", [("i1", writer.scalar(op.cond))])


@translates(extra.TrapOp)
def _trap(writer: LlvmFunctionWriter, op: extra.TrapOp) -> None:
    writer.call("llvm.trap", "void", [])


@translates(llvm.StackSaveOp)
def _stacksave(writer: LlvmFunctionWriter, op: llvm.StackSaveOp) -> None:
    ty = scalar_type(op.res.type)
    writer.set(op.res, writer.call(f"llvm.stacksave.{intrinsic_suffix(ty)}", ty, []))


@translates(llvm.StackRestoreOp)
def _stackrestore(writer: LlvmFunctionWriter, op: llvm.StackRestoreOp) -> None:
    ty = scalar_type(op.ptr.type)
    name = f"llvm.stackrestore.{intrinsic_suffix(ty)}"
    writer.call(name, "void", [(ty, writer.scalar(op.ptr))])


# Functions that the GPU has no instruction for, or an approximation only

LIBDEVICE: Final = {
    **{f"llvm.intr.{name}": (name, True) for name in ("exp", "log", "log2", "log10")},
    **{f"llvm.intr.{name}": (name, True) for name in ("pow", "sin", "cos", "tan")},
    **{f"llvm.intr.{name}": (name, False) for name in ("exp2", "sinh", "cosh", "tanh", "atan2")},
    "llvm.frem": ("fmod", False),
}
"""The functions of libdevice, and whether there is a fast one for `float`."""

APPROXIMATE: Final = ("llvm.intr.exp2", "llvm.intr.sin", "llvm.intr.cos", "llvm.intr.tanh")
"""What is one instruction for `float` where it may be approximate."""


@translates(
    *(llvm.FExpOp, llvm.FExp2Op, llvm.FLogOp, llvm.FLog2Op, llvm.FPowOp, llvm.FSinOp),
    *(llvm.FCosOp, extra.TanOp, extra.SinhOp, extra.CoshOp, extra.TanhOp, extra.ATan2Op),
    *(llvm.FRemOp, extra.Log10Op),
)
def _function(writer: LlvmFunctionWriter, op: IRDLOperation) -> None:
    result = op.results[0]
    if isinstance(op, llvm.FRemOp) and are_vectors_whole():
        _of_two(writer, op, "frem ")
        return
    flags = fast_math(op)
    approximate = is_approximate(op)
    function, has_fast = LIBDEVICE[op.name]

    if scalar_type(result.type) == "double":
        name = f"__nv_{function}"
        writer.elementwise(
            result,
            op.operands,
            lambda types, texts, ty: writer.call(name, ty, list(zip(types, texts, strict=True))),
            one_by_one=True,
        )
        return

    def write(texts: Sequence[str]) -> str:
        arguments = [("float", text) for text in texts]
        if approximate and op.name in APPROXIMATE:
            return writer.call(f"{_intrinsic_name(op)}.f32", "float", arguments, flags)
        if function in WRITTEN_OUT and not (approximate and has_fast):
            return WRITTEN_OUT[function](writer, texts[0])
        name = f"__nv_fast_{function}f" if approximate and has_fast else f"__nv_{function}f"
        return writer.call(name, "float", arguments)

    _by_floats(writer, result, op.operands, write)


@translates(extra.PowIOp)
def _powi(writer: LlvmFunctionWriter, op: extra.PowIOp) -> None:
    power = writer.scalar(op.power)
    power_type = scalar_type(op.power.type)
    if power_type != "i32":
        if is_number(power):
            power = integer(int(power), 32)
        else:
            cast = "trunc" if scalar_bits(power_type) > 32 else "sext"
            power = writer.define(f"{cast} {power_type} {power} to i32")

    def write(types: Sequence[str], texts: Sequence[str], ty: str) -> str:
        if ty == "double":
            return writer.call("__nv_powi", ty, [(ty, texts[0]), ("i32", power)])
        text = texts[0] if ty == "float" else writer.define(f"fpext {ty} {texts[0]} to float")
        value = writer.call("__nv_powif", "float", [("float", text), ("i32", power)])
        return value if ty == "float" else f"fptrunc float {value} to {ty}"

    writer.elementwise(op.res, [op.val], write, one_by_one=True)


# Reductions of a vector

REDUCTIONS: Final = ("add", "mul", "and", "or", "xor", "fadd", "fmul")
REDUCTION_INTRINSICS: Final = {
    **{word: f"llvm.{word}" for word in ("smin", "smax", "umin", "umax")},
    **{"fmin": "llvm.minnum", "fmax": "llvm.maxnum"},
    **{"fminimum": "llvm.minimum", "fmaximum": "llvm.maximum"},
}


def _combine(
    writer: LlvmFunctionWriter, word: str, flags: str, ty: str, left: str, right: str
) -> str:
    if word in REDUCTIONS:
        return writer.define(f"{word} {flags}{ty} {left}, {right}")
    name = f"{REDUCTION_INTRINSICS[word]}.{intrinsic_suffix(ty)}"
    return writer.call(name, ty, [(ty, left), (ty, right)])


def _tree(writer: LlvmFunctionWriter, word: str, flags: str, ty: str, texts: Sequence[str]) -> str:
    """Combines neighbours first: ptxas makes the best code of that."""
    values = list(texts)
    while len(values) > 1:
        pairs = [
            _combine(writer, word, flags, ty, values[i], values[i + 1])
            for i in range(0, len(values) - 1, 2)
        ]
        values = [*pairs, *values[len(pairs) * 2 :]]
    return values[0]


def reduce_vector(writer: LlvmFunctionWriter, word: str, flags: str, vector: SSAValue) -> str:
    """The combination of all elements, in any order."""
    held = list(registers_of(vector.type))
    registers = list(writer.values[vector])
    element = held[0].element
    tail = registers.pop() if len(held) > 1 and held[-1] != held[0] else None
    text = _tree(writer, word, flags, vector_of(element, held[0].lanes), registers)
    lanes = writer.split(held[0], text)
    if tail is not None:
        lanes.extend(writer.split(held[-1], tail))
    return _tree(writer, word, flags, element, lanes)


@translates(
    *(extra.VectorReduceAddOp, extra.VectorReduceMulOp, extra.VectorReduceAndOp),
    *(extra.VectorReduceOrOp, extra.VectorReduceXorOp, extra.VectorReduceSMinOp),
    *(extra.VectorReduceSMaxOp, extra.VectorReduceUMinOp, extra.VectorReduceUMaxOp),
    *(extra.VectorReduceFMinOp, extra.VectorReduceFMaxOp),
    *(extra.VectorReduceFMinimumOp, extra.VectorReduceFMaximumOp),
)
def _vector_reduce(writer: LlvmFunctionWriter, op: extra.ReduceIntrinsicOp) -> None:
    word = op.name.rpartition(".")[2]
    writer.set(op.res, reduce_vector(writer, word, "", op.vector))


@translates(llvm.VectorReduceFAddOp, llvm.VectorReduceFMulOp)
def _vector_reduce_float(
    writer: LlvmFunctionWriter, op: llvm.VectorReduceFAddOp | llvm.VectorReduceFMulOp
) -> None:
    word = op.name.rpartition(".")[2]
    flags = fast_math(op)
    ty = scalar_type(op.res.type)
    value = writer.scalar(op.start_value)
    if any(flag in ("reassoc", "fast") for flag in flags.split()):
        text = reduce_vector(writer, word, flags, op.vector)
        writer.set(op.res, _combine(writer, word, flags, ty, value, text))
        return
    for lane in writer.lanes(op.vector):
        value = _combine(writer, word, flags, ty, value, lane)
    writer.set(op.res, value)


# Ops that conversions may leave


@translates(arith.ConstantOp)
def _arith_constant(writer: LlvmFunctionWriter, op: arith.ConstantOp) -> None:
    writer.set(op.result, *constant_registers(op.value, op.result.type))


@translates(arith.IndexCastOp)
def _index_cast(writer: LlvmFunctionWriter, op: arith.IndexCastOp) -> None:
    before, after = (scalar_bits(scalar_type(each.type)) for each in (op.input, op.result))
    if before == after:
        writer.set(op.result, *writer.values[op.input])
        return
    word = "sext" if before < after else "trunc"
    writer.elementwise(
        op.result,
        [op.input],
        lambda types, texts, result: f"{word} {types[0]} {texts[0]} to {result}",
    )


@translates(vector.FromElementsOp)
def _from_elements(writer: LlvmFunctionWriter, op: vector.FromElementsOp) -> None:
    lanes = [writer.scalar(element) for element in op.elements]
    writer.set(op.dest, *writer.group(registers_of(op.dest.type), lanes))


@translates(vector.ExtractOp)
def _vector_extract(writer: LlvmFunctionWriter, op: vector.ExtractOp) -> None:
    ty = op.vector.type
    assert isinstance(ty, VectorType)
    shape = ty.get_shape()
    dynamic = iter(op.dynamic_position)
    positions: list[int | None] = []
    names: list[str] = []
    for position in op.static_position.get_values():
        if position == DYNAMIC_INDEX:
            text = writer.scalar(next(dynamic))
            positions.append(int(text) if is_number(text) else None)
            names.append(text)
        else:
            positions.append(position)
            names.append(str(position))
    if None in positions:
        if len(positions) != 1 or len(shape) != 1:
            fail(op, "an element that is not known can be taken of a vector of rank 1 only")
        text = writer.define(f"extractelement {writer.typed(op.vector)}, i64 {names[0]}")
        writer.set(op.result, text)
        return
    start, count = 0, lanes_of(ty)
    for position, extent in zip(positions, shape, strict=False):
        count //= extent
        start += (position or 0) * count
    if not isinstance(op.result.type, VectorType):
        writer.set(op.result, writer.lane(op.vector, start))
        return
    lanes: list[Lane] = [(op.vector, start + lane) for lane in range(count)]
    writer.set(op.result, *writer.gather(op.result.type, lanes))
