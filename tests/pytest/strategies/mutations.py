"""
Damage to text: small changes that a tired author, a bad disk or an attacker would make.

Everything works on bytes, as the result need not be valid in UTF-8.
"""

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

Mutation: TypeAlias = Callable[[Random, bytes, bytes], bytes]
"""Damages the second argument; the third is another text to take parts from."""

_TOKEN = re.compile(
    rb'"(?:[^"\\\n]|\\.)*"|//[^\n]*|[%#!@^]?[\w$.]+(?:[+-]\d+)?|->|\s+|.', re.DOTALL
)
_NUMBER = re.compile(rb"(?<![\w.%#@^])-?\d[\w.]*(?:[+-]\d+)?")
_DIMENSION = re.compile(rb"\d+(?=x)")
_ELEMENT = re.compile(rb"\b(?:i1|i4|i8|i16|i32|i64|f16|bf16|f32|f64|tf32|f8\w+|f4\w+)\b")
_TYPE = re.compile(rb"(?:!cuda_tile\.)?\b(?:tile|ptr|tensor_view|\w+_view)<[^<>]*>|\btoken\b")

NUMBERS: tuple[bytes, ...] = (
    *(b"0", b"-0", b"-1", b"1", b"3", b"255", b"256", b"-129", b"2.0", b"0.1", b"-1.0e+400"),
    *(
        str(sign * (2**power + delta)).encode()
        for power in (31, 32, 63, 64)
        for sign in (1, -1)
        for delta in (-1, 0, 1)
    ),
    b"1" + b"0" * 5000,
    *(b"0x0", b"0xFFFFFFFF", b"0x" + b"F" * 40, b"0x" + b"F" * 4000, b"1e5", b"1.5E", b"4x4", b"?"),
    *(b"1099511627776", b"18446744073709551616", b"true", b"1099511627776x1099511627776"),
)
BRACKETS: tuple[bytes, ...] = (b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"{-#", b"#-}")
NESTS: tuple[bytes, ...] = (
    *(b"(", b"[", b"{", b"<", b"tile<", b"ptr<", b"callsite(", b"fused[", b"[[", b"{a = ", b"-"),
    *(b"!cuda_tile.tile<", b"tuple<", b"#cuda_tile.dense<i32: [", b'"test.op"() ({', b"if %0 {"),
    *(b"loop {", b"!cuda_tile.ptr<", b"array<i32: ", b"dense<[", b'"name"(', b"loc(", b"^bb:"),
)
ELEMENTS: tuple[bytes, ...] = (
    *(b"i1", b"i4", b"i8", b"i32", b"i64", b"i0", b"i99999999999", b"si32", b"index", b"f16"),
    *(
        b"f32",
        b"f64",
        b"tf32",
        b"f8E4M3FN",
        b"f4E2M1FN",
        b"f8E8M0FNU",
        b"ptr<f32>",
        b"f80",
        b"none",
    ),
)
TYPES: tuple[bytes, ...] = (
    *(b"token", b"tile<i32>", b"tile<f32>", b"tile<4x8xf32>", b"tile<ptr<f32>>", b"string"),
    *(b"tile<1099511627776xf32>", b"tile<0xf32>", b"tile<3xf32>", b"tile<?xf32>", b"tile<-4xf32>"),
    *(b"tensor_view<?x64xf32, strides=[64,1]>", b"tensor_view<f32>", b"i32", b"tensor<4xf32>"),
    b"partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>",
    b"gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=9>",
    *(b"vector<1099511627776xf32>", b"!undefined", b"!cuda_tile.undefined", b"!cuda_tile", b"()"),
)
GARBAGE: tuple[str, ...] = (
    *("é", "λ", "😀", "²", "٣", "\u2028", "\u00a0", "\ufeff", "ﬁ", "\x85", "\x0b", "\x0c", "\r"),
    *("\0", "\x7f", "\t", "\n", "\\", '"', "'", "`", "$", "@", "%", "#", "!", "^", "...", "// "),
)
INVALID_UTF8: tuple[bytes, ...] = (
    *(b"\xff", b"\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xc0\x80", b"\xed\xa0\x80"),
    b"\xf4\x90\x80\x80",
)
ATTRIBUTES: tuple[bytes, ...] = (
    b"{a = dense<0> : tensor<1099511627776xf32>}",
    b"{a = dense<0> : !cuda_tile.tile<1099511627776xf32>}",
    b'{a = dense<"0x00"> : !cuda_tile.tile<4xf32>}',
    b"{a, a}",
    b'{overflow = 5, a = @"\\FF"}',
    b"{a = #cuda_tile.dense<f32: [[1.0], 2.0] : tile<2xf32>>}",
    b"<{value = 1 : i32}>",
    b"loc(#undefined)",
    b"{operandSegmentSizes = array<i32: 9, 9>}",
    b"{a = 99999999999 : i32}",
    b"{a = affine_map<(d0) -> (d0 floordiv 0)>}",
)


def _tokens(text: bytes) -> list[bytes]:
    return _TOKEN.findall(text)


def _words(tokens: Sequence[bytes]) -> list[int]:
    """The positions of the tokens that are not blank."""
    return [index for index, token in enumerate(tokens) if not token.isspace()] or [0]


def _position(random: Random, text: bytes) -> int:
    return random.randint(0, len(text))


def _insert(random: Random, text: bytes, part: bytes) -> bytes:
    position = _position(random, text)
    return text[:position] + part + text[position:]


def _insert_between(random: Random, text: bytes, part: bytes) -> bytes:
    tokens = _tokens(text)
    tokens.insert(random.randint(0, len(tokens)), part)
    return b"".join(tokens)


def _replace_match(
    random: Random, text: bytes, pattern: re.Pattern[bytes], options: Sequence[bytes]
) -> bytes:
    matches = list(pattern.finditer(text))
    if not matches:
        return text
    start, end = random.choice(matches).span()
    return text[:start] + random.choice(options) + text[end:]


# Tokens


def delete_tokens(random: Random, text: bytes, donor: bytes) -> bytes:
    tokens = _tokens(text) or [b""]
    start = random.choice(_words(tokens))
    del tokens[start : start + random.choice((1, 1, 1, 2, 5))]
    return b"".join(tokens)


def duplicate_tokens(random: Random, text: bytes, donor: bytes) -> bytes:
    tokens = _tokens(text) or [b""]
    start = random.choice(_words(tokens))
    copy = tokens[start : start + random.choice((1, 1, 3, 8))]
    return b"".join((*tokens[:start], *copy, b" ", *tokens[start:]))


def swap_tokens(random: Random, text: bytes, donor: bytes) -> bytes:
    tokens = _tokens(text) or [b""]
    words = _words(tokens)
    first = random.randrange(len(words))
    near = min(len(words) - 1, first + random.randint(1, 4))
    second = random.choice((near, random.randrange(len(words))))
    first, second = words[first], words[second]
    tokens[first], tokens[second] = tokens[second], tokens[first]
    return b"".join(tokens)


def replace_token(random: Random, text: bytes, donor: bytes) -> bytes:
    tokens, others = _tokens(text) or [b""], _tokens(random.choice((text, donor))) or [b""]
    tokens[random.choice(_words(tokens))] = others[random.choice(_words(others))]
    return b"".join(tokens)


# Lines


def _lines(text: bytes) -> list[bytes]:
    return text.splitlines(keepends=True) or [b""]


def delete_line(random: Random, text: bytes, donor: bytes) -> bytes:
    lines = _lines(text)
    del lines[random.randrange(len(lines))]
    return b"".join(lines)


def duplicate_line(random: Random, text: bytes, donor: bytes) -> bytes:
    lines = _lines(text)
    lines.insert(random.randint(0, len(lines)), random.choice(lines))
    return b"".join(lines)


def swap_lines(random: Random, text: bytes, donor: bytes) -> bytes:
    lines = _lines(text)
    first, second = random.randrange(len(lines)), random.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"".join(lines)


def graft_line(random: Random, text: bytes, donor: bytes) -> bytes:
    lines = _lines(text)
    lines.insert(random.randint(0, len(lines)), random.choice(_lines(donor)))
    return b"".join(lines)


# Characters


def change_character(random: Random, text: bytes, donor: bytes) -> bytes:
    position = _position(random, text)
    return text[:position] + bytes((random.randrange(32, 127),)) + text[position + 1 :]


def flip_bit(random: Random, text: bytes, donor: bytes) -> bytes:
    if not text:
        return text
    position = random.randrange(len(text))
    flipped = bytes((text[position] ^ 1 << random.randrange(8),))
    return text[:position] + flipped + text[position + 1 :]


def truncate(random: Random, text: bytes, donor: bytes) -> bytes:
    return text[: _position(random, text)]


def behead(random: Random, text: bytes, donor: bytes) -> bytes:
    return text[_position(random, text) :]


def splice(random: Random, text: bytes, donor: bytes) -> bytes:
    return text[: _position(random, text)] + donor[_position(random, donor) :]


def insert_garbage(random: Random, text: bytes, donor: bytes) -> bytes:
    return _insert(random, text, random.choice(GARBAGE).encode() * random.choice((1, 1, 30)))


def insert_invalid_utf8(random: Random, text: bytes, donor: bytes) -> bytes:
    return _insert(random, text, random.choice(INVALID_UTF8))


# Meaning


def change_number(random: Random, text: bytes, donor: bytes) -> bytes:
    return _replace_match(random, text, random.choice((_NUMBER, _DIMENSION)), NUMBERS)


def change_element(random: Random, text: bytes, donor: bytes) -> bytes:
    return _replace_match(random, text, _ELEMENT, ELEMENTS)


def change_type(random: Random, text: bytes, donor: bytes) -> bytes:
    return _replace_match(random, text, _TYPE, TYPES)


def insert_bracket(random: Random, text: bytes, donor: bytes) -> bytes:
    return _insert_between(random, text, random.choice(BRACKETS))


def insert_attribute(random: Random, text: bytes, donor: bytes) -> bytes:
    return _insert_between(random, text, b" " + random.choice(ATTRIBUTES) + b" ")


def nest(random: Random, text: bytes, donor: bytes) -> bytes:
    return _insert_between(random, text, random.choice(NESTS) * random.choice((2, 50, 1500)))


MUTATIONS: tuple[Mutation, ...] = (
    *(delete_tokens, duplicate_tokens, swap_tokens, replace_token),
    *(delete_line, duplicate_line, swap_lines, graft_line),
    *(change_character, flip_bit, truncate, behead, splice),
    *(insert_garbage, insert_invalid_utf8),
    *(change_number, change_number, change_element, change_type),
    *(insert_bracket, insert_attribute, nest),
)


def mutate(random: Random, text: bytes, donor: bytes) -> bytes:
    """One to three mutations; one, most of the time, as the first fault hides the others."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        text = random.choice(MUTATIONS)(random, text, donor)
    return text
