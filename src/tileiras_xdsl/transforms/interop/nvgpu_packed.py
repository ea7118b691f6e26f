"""Packed arithmetic and conversions: one instruction each, on whole vectors."""

from __future__ import annotations

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.transforms.nvvm.convert_nvgpu_to_nvvm.one_to_one import OneToOne
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


class ConvertCvtFptrunc(OneToOne[nvgpu.CvtFptruncOp]):
    """Narrows two floats."""

    op_class = nvvm.CvtFptruncX2Op


class ConvertCvtFpext(OneToOne[nvgpu.CvtFpextOp]):
    """Widens two floats."""

    op_class = nvvm.CvtFpextX2Op


class ConvertFmaPacked(OneToOne[nvgpu.FmaPackedF32x2Op]):
    """`a * b + c` of two `f32`."""

    op_class = nvvm.FmaPackedF32x2Op


class ConvertMulPacked(OneToOne[nvgpu.MulPackedF32x2Op]):
    """`a * b` of two `f32`."""

    op_class = nvvm.MulPackedF32x2Op


def populate_packed(patterns: PatternSet) -> None:
    patterns.add(nvgpu.RcpOp, ConvertRcp())
    patterns.add(nvgpu.CvtFptruncOp, ConvertCvtFptrunc())
    patterns.add(nvgpu.CvtFpextOp, ConvertCvtFpext())
    patterns.add(nvgpu.FmaPackedF32x2Op, ConvertFmaPacked())
    patterns.add(nvgpu.MulPackedF32x2Op, ConvertMulPacked())
