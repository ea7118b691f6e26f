"""
Kernels with tiles that do not fit become little code: how long LLVM and ptxas take, and how much
memory, grows faster than the number of instructions.
"""

from __future__ import annotations

import pytest

from tileiras_xdsl.compiler.compilation import Compilation
from tileiras_xdsl.compiler.options import Options
from tileiras_xdsl.frontend import Program

from ..harness.stress_kernels import make

MOST_LINES = 20_000
"""Of LLVM IR. ptxas takes about a minute for 50,000 that hold values of a tile."""

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
    "extract_1024x1024_f64",
)


@pytest.mark.parametrize("name", OFFENDERS)
def test_code_size(name: str):
    program = Program.of(make(name).text())
    compilation = Compilation(program, Options("sm_90"))
    assert compilation.translate().count("\n") <= MOST_LINES
    assert "extract" in name or any(
        "does not fit" in remark.message or "do not fit" in remark.message
        for remark in compilation.remarks
    )
