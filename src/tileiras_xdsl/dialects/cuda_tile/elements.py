"""
Dense literals: the values of `constant` and `global`.

Text form `<f32: [1.000000e+00, 0x7FC00000]>`; a value given once is a splat. Literals are
kept as bytes, one element for a splat, so that a 4096x4096 zero costs four bytes and NaN
payloads survive.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    BFloat16Type,
    BytesAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
    ReducedPrecisionFloatType,
    i1,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Position
from xdsl.utils.mlir_lexer import MLIRTokenKind

from tileiras_xdsl.xdsl_extras.identity_cache import identity_cache

from .printing import print_nested_type
from .types import (
    FloatElement,
    TileType,
    element_name,
    is_float,
    is_integer,
    is_number,
    parse_cuda_tile_type,
)

MAX_LISTED_ELEMENTS = 100
"""Longer literals print as one string of hexadecimal bytes."""

DENSE_PHRASE = (
    "i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 "
    "or f8E8M0FNU or f4E2M1FN or fnv8E5M3FNU"
)

_PACK_CODES = {Float16Type: "<e", Float32Type: "<f", Float64Type: "<d"}
_SIGNIFICANT_DIGITS = {Float32Type: 9, Float64Type: 17}


def element_bytes(element: Attribute) -> int:
    """Bytes of one element in a literal: i1 and the 4-bit types take a whole one."""
    if isinstance(element, IntegerType):
        return (element.width.data + 7) // 8
    return element_bit_width(element) // 8 + (element_bit_width(element) % 8 > 0)


@identity_cache
def element_bit_width(element: Attribute) -> int:
    """Bits of an element: 1 for i1, 19 for tf32."""
    if isinstance(element, IntegerType):
        return element.width.data
    assert isinstance(element, FloatElement)
    return element.bitwidth


def memory_bits(element: Attribute) -> int:
    """The size of an element in memory, where an i1 is a byte and a tf32 is a word."""
    if isinstance(element, FloatTF32Type):
        return 32
    if isinstance(element, LLVMPointerType):
        return 64
    return 8 if element == i1 else element_bit_width(element)


def float_to_bits(value: float, element: Attribute) -> int:
    """The bit pattern of `value` rounded to nearest even; overflow becomes infinity."""
    if isinstance(element, ReducedPrecisionFloatType):
        return element.encode_bits(value)
    if isinstance(element, BFloat16Type):
        return int.from_bytes(element.pack((value,)), "little")
    code = _PACK_CODES[type(element)]  # pyright: ignore[reportArgumentType]
    try:
        packed = struct.pack(code, value)
    except OverflowError:
        packed = struct.pack(code, math.copysign(math.inf, value))
    return int.from_bytes(packed, "little")


def bits_to_float(bits: int, element: Attribute) -> float:
    """The value of a bit pattern."""
    assert isinstance(element, FloatElement)
    return element.unpack(bits.to_bytes(element_bytes(element), "little"), 1)[0]


def is_nan_bits(bits: int, element: Attribute) -> bool:
    """Whether a bit pattern of this floating-point type is a NaN."""
    return math.isnan(bits_to_float(bits, element))


def format_float(bits: int, element: Attribute) -> str:
    """
    A float as MLIR prints it: six significant digits if they read back exactly, else all
    digits of an f32 or f64 if those contain a dot, else (and for inf and NaN) the bits.
    """
    value = bits_to_float(bits, element)
    if math.isfinite(value):
        short = _format_short(value)
        if float_to_bits(float(short), element) == bits:
            return short
        digits = _SIGNIFICANT_DIGITS.get(type(element))  # pyright: ignore[reportArgumentType]
        if digits is not None and "." in (full := _format_full(value, digits)):
            return full
    return f"0x{bits:X}"


def _decimal_digits(value: float, precision: int) -> tuple[str, int]:
    """
    At most `precision` digits of a finite magnitude and the exponent of the last of them.
    The digits are cut before they are rounded, as in LLVM: 0.9 as f32 is 8.99999e-1 here.
    """
    numerator, denominator = abs(value).as_integer_ratio()
    exponent = -(denominator.bit_length() - 1)
    significand = numerator * 5**-exponent
    # 196/59 is a little more than the bits of a decimal digit.
    spare_bits = significand.bit_length() - (precision * 196 + 58) // 59
    if spare_bits > 0:
        removable = spare_bits * 59 // 196
        significand //= 10**removable
        exponent += removable
    digits = str(significand)
    if len(digits) > precision:
        exponent += len(digits) - precision
        kept, dropped = digits[:precision], digits[precision]
        digits = str(int(kept) + (dropped >= "5"))
    stripped = digits.rstrip("0") or "0"
    return stripped, exponent + len(digits) - len(stripped)


def _sign(value: float) -> str:
    return "-" if math.copysign(1.0, value) < 0 else ""


def _format_short(value: float) -> str:
    """Six significant digits, then a zero: `1.500000e+00`."""
    digits, exponent = _decimal_digits(value, 6) if value else ("0", 0)
    exponent += len(digits) - 1
    return f"{_sign(value)}{digits[0]}.{digits[1:]:0<6}e{exponent:+03d}"


def _format_full(value: float, significant: int) -> str:
    """All significant digits, scientific only with more than three padding zeros."""
    digits, last = _decimal_digits(value, significant)
    first = last + len(digits) - 1
    sign = _sign(value)
    if last >= 0 and last <= 3 and len(digits) + last <= significant:
        return f"{sign}{digits}{'0' * last}"
    if last < 0 <= first:
        return f"{sign}{digits[: first + 1]}.{digits[first + 1 :]}"
    if last < 0 and -first <= 3:
        return f"{sign}0.{'0' * (-first - 1)}{digits}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{first:+d}"


def format_element(bits: int, element: Attribute) -> str:
    """One element of a literal as text."""
    if not isinstance(element, IntegerType):
        return format_float(bits, element)
    width = element.width.data
    if width == 1:
        return "true" if bits else "false"
    return str(bits - (1 << width) if bits >> (width - 1) else bits)


@irdl_attr_definition
class DenseElementsAttr(ParametrizedAttribute):
    """
    The elements of a tile, row-major; the bytes of one element if all are equal.

    In the generic form it is spelled `#cuda_tile.dense<i32: [1, 2] : tile<2xi32>>`;
    `tileiras-opt` also reads MLIR's `dense<[1, 2]> : !cuda_tile.tile<2xi32>`.
    """

    name = "cuda_tile.dense"

    type: TileType
    data: BytesAttr

    @staticmethod
    def from_bits(ty: TileType, bits: Sequence[int]) -> DenseElementsAttr:
        """From the bit pattern of each element, or of the one of a splat."""
        size = element_bytes(ty.element_type)
        if len(set(bits)) == 1:
            bits = bits[:1]
        data = b"".join(pattern.to_bytes(size, "little") for pattern in bits)
        return DenseElementsAttr(ty, BytesAttr(data))

    @staticmethod
    def from_values(ty: TileType, values: Sequence[int | float]) -> DenseElementsAttr:
        """From Python numbers: one for a splat, else one for each element, row-major."""
        element = ty.element_type
        if isinstance(element, IntegerType):
            mask = (1 << element.width.data) - 1
            return DenseElementsAttr.from_bits(ty, [int(value) & mask for value in values])
        return DenseElementsAttr.from_bits(
            ty, [float_to_bits(float(value), element) for value in values]
        )

    @staticmethod
    def from_bytes(ty: TileType, data: bytes) -> DenseElementsAttr:
        """From the little-endian bytes of all elements, or of one."""
        size = element_bytes(ty.element_type)
        if data and data == data[:size] * (len(data) // size):
            data = data[:size]
        return DenseElementsAttr(ty, BytesAttr(data))

    def verify(self) -> None:
        element = self.type.element_type
        if not is_number(element):
            raise VerifyException(
                f"expect element type to be one of {DENSE_PHRASE} values, "
                f"but got '{element_name(element)}'"
            )
        size, length = element_bytes(element), len(self.data.data)
        if length not in (size, size * self.type.element_count()):
            raise VerifyException(
                f"{length} bytes of elements do not fill a '{self.type}' "
                f"of {self.type.element_count()} elements"
            )
        spare_bits = 8 * size - element_bit_width(element)
        if max(self.data.data[size - 1 :: size]) >> (8 - spare_bits):
            raise VerifyException(
                f"an element has more than the {element_bit_width(element)} bits of a "
                f"'{element_name(element)}'"
            )

    @property
    def element_type(self) -> Attribute:
        return self.type.element_type

    @property
    def is_splat(self) -> bool:
        """Whether all elements are equal."""
        return len(self.data.data) == element_bytes(self.type.element_type)

    def get_bits(self) -> tuple[int, ...]:
        """Bit pattern of each element; of one for a splat."""
        size, data = element_bytes(self.type.element_type), self.data.data
        return tuple(
            int.from_bytes(data[start : start + size], "little")
            for start in range(0, len(data), size)
        )

    def get_values(self) -> tuple[int | float, ...]:
        """Value of each element (integers signed, i1 as 0 and 1); of one for a splat."""
        element = self.type.element_type
        if not isinstance(element, IntegerType):
            return tuple(bits_to_float(bits, element) for bits in self.get_bits())
        width = element.width.data
        if width == 1:
            return self.get_bits()
        return tuple(
            bits - (1 << width) if bits >> (width - 1) else bits for bits in self.get_bits()
        )

    def get_splat_value(self) -> int | float | None:
        """The common value of all elements, if there is one."""
        return self.get_values()[0] if self.is_splat else None

    def print_literal(self, printer: Printer) -> None:
        """`f32: [1.000000e+00, …]`, without the brackets around it."""
        element = self.type.element_type
        printer.print_string(f"{element_name(element)}: ")
        if self.is_splat:
            printer.print_string(format_element(self.get_bits()[0], element))
        elif self.type.element_count() > MAX_LISTED_ELEMENTS:
            printer.print_string(f'"0x{self.data.data.hex().upper()}"')
        else:
            texts = [format_element(bits, element) for bits in self.get_bits()]
            printer.print_string(_nest(texts, self.type.get_shape()))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_literal(printer)
            printer.print_string(" : ")
            print_nested_type(printer, self.type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            literal = parse_literal(parser)
            parser.parse_punctuation(":")
            position = parser.pos
            ty = parse_cuda_tile_type(parser)
            if not isinstance(ty, TileType):
                parser.raise_error(f"expected 'tile' type, but got '{ty}'", position)
        return literal.resolve(parser, ty).parameters


def _nest(texts: Sequence[str], shape: Sequence[int]) -> str:
    if len(shape) <= 1:
        return f"[{', '.join(texts)}]"
    step = len(texts) // shape[0]
    rows = (_nest(texts[row * step : (row + 1) * step], shape[1:]) for row in range(shape[0]))
    return f"[{', '.join(rows)}]"


@dataclass
class DenseLiteral:
    """A parsed literal that still has to meet its tile type."""

    element: Attribute
    bits: list[int]
    shape: list[int] | None
    """`None` for a splat."""
    hex_data: bytes | None
    position: Position

    def resolve(self, parser: AttrParser, ty: TileType) -> DenseElementsAttr:
        """Checks the literal against `type`."""
        if ty.element_type != self.element:
            parser.raise_error(
                f"mismatch between the element type: '{element_name(self.element)}' and the "
                f"tile element type '{element_name(ty.element_type)}'",
                self.position,
            )
        if self.hex_data is not None:
            return self._resolve_hex(parser, ty, self.hex_data)
        if self.shape is None:
            return DenseElementsAttr.from_bits(ty, self.bits)
        if tuple(self.shape) != ty.get_shape():
            parser.raise_error(
                f"inferred shape of elements literal ({self.shape}) does not match type "
                f"({list(ty.get_shape())})",
                self.position,
            )
        return DenseElementsAttr.from_bits(ty, self.bits)

    def _resolve_hex(self, parser: AttrParser, ty: TileType, data: bytes) -> DenseElementsAttr:
        expected = ty.element_count() * element_bytes(self.element)
        if len(data) != expected:
            parser.raise_error(
                f"elements hex data size is invalid for '{ty}': expected {expected} bytes, "
                f"got {len(data)}",
                self.position,
            )
        return DenseElementsAttr.from_bytes(ty, data)


def parse_literal(parser: AttrParser) -> DenseLiteral:
    """`f32: values`, without the brackets around it."""
    position = parser.pos
    element = parse_cuda_tile_type(parser)
    if not (is_integer(element) or is_float(element)):
        parser.raise_error(
            f"expect element type to be one of {DENSE_PHRASE} values, "
            f"but got '{element_name(element)}'",
            position,
        )
    parser.parse_punctuation(":")
    position = parser.pos
    if (text := parser.parse_optional_str_literal()) is not None:
        try:
            data = bytes.fromhex(text.removeprefix("0x"))
        except ValueError:
            parser.raise_error("elements hex string is invalid", position)
        return DenseLiteral(element, [], None, data, position)
    bits: list[int] = []
    shape = _parse_nested(parser, element, bits)
    return DenseLiteral(element, bits, shape, None, position)


def _parse_nested(parser: AttrParser, element: Attribute, bits: list[int]) -> list[int] | None:
    """
    Appends the elements of a scalar or a nested list to `bits` and returns the list's
    shape. Iterative: the depth of hostile input is not the depth of the Python stack.
    """
    counts: list[int] = []
    """Elements seen so far at each open bracket."""
    shape: dict[int, int] = {}
    """Elements of the closed lists of each depth."""
    leaf_depth: int | None = None
    while True:
        if parser.parse_optional_punctuation("[") is not None:
            counts.append(0)
            if parser.parse_optional_punctuation("]") is None:
                continue
        else:
            if leaf_depth is None:
                leaf_depth = len(counts)
            if leaf_depth != len(counts):
                _raise_ranks(parser)
            bits.append(_parse_element(parser, element))
            if not counts:
                return None
            counts[-1] += 1
            if parser.parse_optional_punctuation(",") is not None:
                continue
            parser.parse_punctuation("]")
        while True:
            depth, count = len(counts), counts.pop()
            if shape.setdefault(depth, count) != count:
                _raise_ranks(parser)
            if not counts:
                return [shape[depth] for depth in sorted(shape)]
            counts[-1] += 1
            if parser.parse_optional_punctuation(",") is not None:
                break
            parser.parse_punctuation("]")


def _raise_ranks(parser: AttrParser) -> None:
    parser.raise_error("tensor literal is invalid; ranks are not consistent between elements")


def _parse_element(parser: AttrParser, element: Attribute) -> int:
    position = parser.pos
    if isinstance(element, IntegerType):
        return _parse_integer(parser, element.width.data, position)
    negative = parser.parse_optional_punctuation("-") is not None
    token = parser._current_token  # pyright: ignore[reportPrivateUsage]
    if token.kind is MLIRTokenKind.INTEGER_LIT:
        if not token.text.startswith("0x") or negative:
            parser.raise_error(
                "unexpected decimal integer literal for a floating point value", position
            )
        bits = parser.parse_integer(allow_boolean=False, allow_negative=False)
        if bits >> element_bit_width(element):
            parser.raise_error("hexadecimal float constant out of range for type", position)
        return bits
    value = parser.parse_optional_float(allow_negative=False)
    if value is None:
        parser.raise_error("expected floating point literal", position)
    try:
        return float_to_bits(-value if negative else value, element)
    except ValueError:
        parser.raise_error(f"'{element_name(element)}' has no negative values", position)


def _parse_integer(parser: AttrParser, width: int, position: Position) -> int:
    value = parser.parse_optional_integer(allow_boolean=width == 1)
    if value is None:
        parser.raise_error("expected integer value", position)
    if not -(1 << (width - 1)) <= value < (1 << width):
        parser.raise_error("integer constant out of range for type", position)
    return value & ((1 << width) - 1)
