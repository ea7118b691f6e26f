"""Registers of inline assembly: what is written early shares none with what is read late."""

import re

import pytest

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module

from ..harness.modules import parse

SM_90A = NvptxTarget.parse("sm_90a")

WGMMA = """
llvm.func @f(%out: !llvm.ptr<1>, %b: i64, %x: i32)
    attributes {{nvvm.kernel, nvvm.reqntid = array<i32: 128>}} {{
  %acc = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
  %zero = llvm.mlir.constant(0 : i32) : i32
  %undef = llvm.mlir.undef : vector<{count}xi32>
  {fragments}
  nvvm.wgmma.fence.aligned
  %d = nvvm.wgmma.mma_async %a, %b, %acc {{shape = #nvvm.shape<m = 64, n = 8, k = 16>,
    types = ["f32", "f16", "f16"], k_steps = {steps} : i32, b_step = 2 : i64{scale}}}
    : vector<{count}xi32>, i64, vector<4xf32>
  nvvm.wgmma.commit.group.sync.aligned
  %w = nvvm.wgmma.wait.group.sync.aligned 0, %d : vector<4xf32>
  llvm.store %w, %out {{alignment = 16 : i64}} : vector<4xf32>, !llvm.ptr<1>
  llvm.return
}}
"""


@pytest.mark.parametrize("scale", ["", ", scale_d = 0 : i1"])
@pytest.mark.parametrize("steps", [1, 2])
def test_zeros_of_operand_a_are_not_the_accumulators(steps: int, scale: str):
    """
    Operand A ends in zeros, as P of attention does behind the end of a sequence, and accumulators
    begin with them. One register for both would be overwritten by the first of two WGMMAs.
    """
    count = 4 * steps
    lines, last = list[str](), "%undef"
    for index in range(count):
        name = "%a" if index == count - 1 else f"%a{index}"
        value = "%x" if index < count - 2 else "%zero"
        lines.append(f"%i{index} = llvm.mlir.constant({index} : i32) : i32")
        lines.append(
            f"{name} = llvm.insertelement {value}, {last}[%i{index} : i32] : vector<{count}xi32>"
        )
        last = name
    source = WGMMA.format(count=count, steps=steps, fragments="\n  ".join(lines), scale=scale)
    ptx = nvptx.compile_to_ptx(translate_module(parse(source), SM_90A), SM_90A)
    found = re.findall(r"wgmma\.mma_async\S* \{(.*?)\}, \{(.*?)\}", ptx)
    assert len(found) == steps
    for accumulators, a in found:
        assert not set(accumulators.split(", ")) & set(a.split(", "))
