"""
Kernels with tiles that do not fit become little code: how long LLVM and ptxas take, and how much
memory, grows faster than the number of instructions.
"""

from __future__ import annotations

import pytest

from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program

from ..harness.stress_kernels import make

MOST_LINES = 20_000
"""Of LLVM IR. ptxas takes about a minute for 50,000 that hold values of a tile."""

REASONS = ("does not fit", "do not fit", "too many instructions")

OFFENDERS = (
    "dot_f32_256x256x256",
    "dot_f16_64x64x4096",
    "dot_mxfp8_256x256x128",
    "scan_64x4096_last",
    "scan_4096x64_first",
    "softmax_64x4096",
    "sum_512x2048_i8",
    "transpose_1024x1024_i8",
    "add_4096x4096_f32",
    "sin_64x4096_f64",
    "matmul_f16_1024x1024x64",
    "scan_1048576_i64",
    "cat_524288_i8",
    "pow_256x256_f32",
    "transpose_in_place_1024",
    "atomics_twice_256x1024_i32",
    "carried_512x512_i32",
    "repeated_512x512_i32",
    "extract_1024x1024_f64",
)


@pytest.mark.every(7)
@pytest.mark.parametrize("name", OFFENDERS)
def test_code_size(name: str):
    program = Program.of(make(name).text())
    compilation = Compilation(program, Options("sm_90"))
    assert compilation.translate().count("\n") <= MOST_LINES
    assert any(
        any(reason in remark.message for reason in REASONS) for remark in compilation.remarks
    )


def test_windows_are_remarked_on():
    """A tile that goes through scratch memory in windows says so."""
    program = Program.of(make("print_256x256_f32").text())
    compilation = Compilation(program, Options("sm_90"))
    compilation.lower("tileas")
    (remark,) = [each for each in compilation.remarks if "windows" in each.message]
    assert (remark.kind, remark.category) == ("Missed", "Resources")
    assert "'tensor<256x256xf32>' does not fit in scratch memory" in remark.message
