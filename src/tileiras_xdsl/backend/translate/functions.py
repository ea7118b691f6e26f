"""
`exp` and `log` of `float` written out, with the instructions that libdevice has for them.

They are the ones that nearly every kernel with a function uses. To write nine instructions is
cheaper than to cut libdevice to the function, which takes a new process a quarter of a second, and
to link it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Final

from .writer import LlvmFunctionWriter

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
