"""The bf16 of a register as f32: the bits of both halves, without a conversion."""

import re

import numpy as np
import pytest

from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module

from .translate_cases import Case, build

TARGET = NvptxTarget.parse("sm_90")


@pytest.mark.parametrize("count", [2, 3, 8])
@pytest.mark.parametrize(
    ("op", "operands"),
    [
        ("fpext %v{0}bf16 : vector<{0}xbf16> to vector<{0}xf32>", 1),
        ("fdiv %v{0}bf16, %v{0}bf16 : vector<{0}xbf16>", 2),
    ],
)
def test_both_halves_become_floats(count: int, op: str, operands: int):
    text = f"%0 = llvm.{op.format(count)}"
    code = translate_module(build([Case(text, (), "sm_90")]), TARGET)
    assert code.count("@llvm.nvvm.div.full(float %") == count * (operands - 1)
    assert "fdiv" not in code
    # A third element has a register of its own.
    assert len(re.findall(r"fpext \S+ \S+ to float", code)) == operands * (count % 2)
    words = np.arange(1 << 16, dtype=np.uint32) << 16 | np.arange(1 << 16, dtype=np.uint32)[::-1]
    lower = re.findall(r"shl i32 %\w+, (\d+)", code)
    upper = re.findall(r"and i32 %\w+, (-\d+)", code)
    assert len(lower) == len(upper) == operands * (count // 2)
    for shift, mask in zip(lower, upper, strict=True):
        # An f32 begins with the bits of the bf16, and ends with zeros.
        np.testing.assert_array_equal(words << np.uint32(shift), (words & 0xFFFF) << 16)
        np.testing.assert_array_equal(words & np.uint32(int(mask) % 2**32), words >> 16 << 16)


def test_others_are_divided_by_llvm():
    text = "%0 = llvm.fdiv %v2f16, %v2f16 : vector<2xf16>"
    code = translate_module(build([Case(text, (), "sm_90")]), TARGET)
    assert "fdiv <2 x half>" in code


def test_wider_ones_are_converted():
    text = "%0 = llvm.fpext %v2bf16 : vector<2xbf16> to vector<2xf64>"
    code = translate_module(build([Case(text, (), "sm_90")]), TARGET)
    assert "fpext" in code
    assert "shl i32" not in code
