"""Packed arithmetic and conversions: one instruction each, on whole vectors."""

from __future__ import annotations

from xdsl.dialects.builtin import VectorType

from tileiras_xdsl.dialects import nvgpu, nvvm
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


class ConvertCvtFptrunc(ConversionPattern[nvgpu.CvtFptruncOp]):
    """
    Narrows two floats.

        %r = nvgpu.cvt_fptrunc %x : vector<2xf32> to vector<2xf16>
        →
        %r = nvvm.cvt.fptrunc.x2 %x : vector<2xf32> to vector<2xf16>
    """

    def convert(self, op: nvgpu.CvtFptruncOp, rewriter: ConversionRewriter) -> None:
        type = op.result.type
        assert isinstance(type, VectorType)
        rewriter.replace(op, nvvm.CvtFptruncX2Op(rewriter.value(op.arg), type))


class ConvertCvtFpext(ConversionPattern[nvgpu.CvtFpextOp]):
    """
    Widens two floats.

        %r = nvgpu.cvt_fpext %x : vector<2xf16> to vector<2xf32>
        →
        %r = nvvm.cvt.fpext.x2 %x : vector<2xf16> to vector<2xf32>
    """

    def convert(self, op: nvgpu.CvtFpextOp, rewriter: ConversionRewriter) -> None:
        type = op.result.type
        assert isinstance(type, VectorType)
        rewriter.replace(op, nvvm.CvtFpextX2Op(rewriter.value(op.arg), type))


class ConvertFmaPacked(ConversionPattern[nvgpu.FmaPackedF32x2Op]):
    """
    `a * b + c` of two `f32`.

        %r = nvgpu.fma.packed.f32x2 %a, %b, %c : vector<2xf32>
        →
        %r = nvvm.fma.packed.f32x2 %a, %b, %c : vector<2xf32>
    """

    def convert(self, op: nvgpu.FmaPackedF32x2Op, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, nvvm.FmaPackedF32x2Op(*rewriter.values(op.operands)))


class ConvertMulPacked(ConversionPattern[nvgpu.MulPackedF32x2Op]):
    """
    `a * b` of two `f32`.

        %r = nvgpu.mul.packed.f32x2 %a, %b : vector<2xf32>
        →
        %r = nvvm.mul.packed.f32x2 %a, %b : vector<2xf32>
    """

    def convert(self, op: nvgpu.MulPackedF32x2Op, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, nvvm.MulPackedF32x2Op(*rewriter.values(op.operands)))


def populate_packed(patterns: PatternSet) -> None:
    patterns.add(nvgpu.RcpOp, ConvertRcp())
    patterns.add(nvgpu.CvtFptruncOp, ConvertCvtFptrunc())
    patterns.add(nvgpu.CvtFpextOp, ConvertCvtFpext())
    patterns.add(nvgpu.FmaPackedF32x2Op, ConvertFmaPacked())
    patterns.add(nvgpu.MulPackedF32x2Op, ConvertMulPacked())
