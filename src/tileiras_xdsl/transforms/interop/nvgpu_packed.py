"""Packed arithmetic and conversions: one instruction each, on whole vectors."""

from __future__ import annotations

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.transforms.nvvm.convert_nvgpu_to_nvvm.one_to_one import ConvertToSameNvvmOp
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)


class ConvertRcp(ConversionPattern[nvgpu.RcpOp]):
    """
    `%r = nvgpu.rcp %x : vector<4xf32>` → `%r = nvvm.rcp.approx.ftz.f %x : vector<4xf32>`
    """

    def convert(self, op: nvgpu.RcpOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, nvvm.RcpApproxFtzOp(rewriter.value(op.arg)))


def populate_packed(patterns: PatternSet) -> None:
    patterns.add(nvgpu.RcpOp, ConvertRcp())
    patterns.add(nvgpu.CvtFptruncOp, ConvertToSameNvvmOp.to(nvvm.CvtFptruncX2Op))
    patterns.add(nvgpu.CvtFpextOp, ConvertToSameNvvmOp.to(nvvm.CvtFpextX2Op))
    patterns.add(nvgpu.FmaPackedF32x2Op, ConvertToSameNvvmOp.to(nvvm.FmaPackedF32x2Op))
    patterns.add(nvgpu.MulPackedF32x2Op, ConvertToSameNvvmOp.to(nvvm.MulPackedF32x2Op))
