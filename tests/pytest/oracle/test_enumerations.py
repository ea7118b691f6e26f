"""
Enumerations of ops: words that do not exist, codes in bytecode that do not, and rounding modes
that an op does not have. We refuse what NVIDIA's disassembler refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError

from tileiras_xdsl.frontend.bytecode import write

from ..harness.modules import parse_unverified
from .verdicts import Agreement, Oracle, compare, our_verdict

CODES = range(12)
"""More than any enumeration has."""
FLOATS = ("f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN", "f8E5M2")


def module(arguments: str, line: str) -> str:
    return f"cuda_tile.module @m {{\n  entry @k({arguments}) {{\n    {line}\n    return\n  }}\n}}\n"


@dataclass(frozen=True)
class Enumeration:
    """An op as text, with a place for a word, and two of the words that may stand there."""

    arguments: str
    line: str
    words: tuple[str, str]

    def __str__(self) -> str:
        return self.line

    def variants(self) -> Iterator[bytes]:
        """The op in bytecode with every code in this place, those that do not exist included."""
        first, second = (
            write(parse_unverified(module(self.arguments, self.line.replace("?", word))))
            for word in self.words
        )
        (place,) = (i for i, pair in enumerate(zip(first, second, strict=True)) if len({*pair}) > 1)
        for code in CODES:
            yield first[:place] + bytes([code]) + first[place + 1 :]


INTEGERS = "%a: tile<i32>, %b: tile<i32>"
NUMBERS = "%a: tile<f32>, %b: tile<f32>"
ENUMERATIONS = [
    Enumeration(
        INTEGERS, "%c = cmpi ? %a, %b, signed : tile<i32> -> tile<i1>", ("equal", "not_equal")
    ),
    Enumeration(
        INTEGERS, "%c = cmpi equal %a, %b, ? : tile<i32> -> tile<i1>", ("signed", "unsigned")
    ),
    Enumeration(
        NUMBERS, "%c = cmpf ? ordered %a, %b : tile<f32> -> tile<i1>", ("equal", "not_equal")
    ),
    Enumeration(
        NUMBERS, "%c = cmpf equal ? %a, %b : tile<f32> -> tile<i1>", ("ordered", "unordered")
    ),
    *(
        Enumeration(NUMBERS, f"%c = {op} %a, %b rounding<?> : tile<f32>", ("zero", "nearest_even"))
        for op in ("addf", "subf", "mulf", "divf")
    ),
    Enumeration("%a: tile<f32>", "%c = sqrt %a rounding<?> : tile<f32>", ("zero", "nearest_even")),
    *(
        Enumeration("%a: tile<f32>", f"%c = {op} %a rounding<?> : tile<f32>", ("approx", "full"))
        for op in ("exp", "tanh")
    ),
    *(
        Enumeration(
            "%a: tile<i32>",
            f"%c = itof %a signed rounding<?> : tile<i32> -> tile<{to}>",
            ("zero", "nearest_even"),
        )
        for to in ("f16", "f32", "f64")
    ),
    *(
        Enumeration(
            f"%a: tile<{source}>",
            f"%c = ftof %a rounding<?> : tile<{source}> -> tile<{to}>",
            ("zero", "nearest_even"),
        )
        for source in FLOATS
        for to in FLOATS
        if source != to
    ),
    Enumeration(
        INTEGERS, "%c = divi %a, %b signed rounding<?> : tile<i32>", ("zero", "positive_inf")
    ),
]


@pytest.mark.part("sweeps")
@pytest.mark.oracle
def test_codes(oracle_program: Callable[[str], Path], tmp_path: Path):
    cases = [(each, data) for each in ENUMERATIONS for data in each.variants()]
    theirs = Oracle(oracle_program("tileirdisasm"), tmp_path).verdicts([data for _, data in cases])
    wrong = [
        f"{enumeration} {number % len(CODES)}: {ours} {their}"
        for number, ((enumeration, data), their) in enumerate(zip(cases, theirs, strict=True))
        if compare(ours := our_verdict(data), their) not in (Agreement.SAME, Agreement.TEXT)
    ]
    assert wrong == []
    refused = sum(not their.accepted for their in theirs)
    assert len(theirs) // 4 < refused < len(theirs)


@pytest.mark.parametrize("enumeration", ENUMERATIONS[:9], ids=str)
@pytest.mark.parametrize("word", ["nonsense", "signless", "EQUAL", "0", '"equal"', ""])
def test_words(enumeration: Enumeration, word: str):
    text = module(enumeration.arguments, enumeration.line.replace("?", word))
    with pytest.raises(ParseError, match=r"to be one of|xpected"):
        parse_unverified(text)
