"""Products of four warps."""

from __future__ import annotations

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)


class ConvertFence(ConversionPattern[nvgpu.WarpgroupFenceOp]):
    """
    Begins a group of products.

        nvgpu.warpgroup.fence
        →
        nvvm.wgmma.fence.aligned
    """

    def convert(self, op: nvgpu.WarpgroupFenceOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, nvvm.WgmmaFenceAlignedOp())


class ConvertMmaAsync(ConversionPattern[nvgpu.WarpgroupMmaAsyncOp]):
    """
    A product of a group; all it says means the same.

        %d = nvgpu.warpgroup.mma.async %a, %b, %c {…} : i64, i64, vector<4xf32>
        →
        %d = nvvm.wgmma.mma_async %a, %b, %c {…} : i64, i64, vector<4xf32>
    """

    def convert(self, op: nvgpu.WarpgroupMmaAsyncOp, rewriter: ConversionRewriter) -> None:
        product = nvvm.WgmmaMmaAsyncOp.create(
            operands=rewriter.values(op.operands),
            result_types=[op.result.type],
            properties=op.properties.copy(),
        )
        rewriter.replace(op, product)


class ConvertCommit(ConversionPattern[nvgpu.WarpgroupCommitOp]):
    """
    Ends a group of products.

        nvgpu.warpgroup.commit
        →
        nvvm.wgmma.commit.group.sync.aligned
    """

    def convert(self, op: nvgpu.WarpgroupCommitOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, nvvm.WgmmaCommitGroupOp())


class ConvertWait(ConversionPattern[nvgpu.WarpgroupWaitOp]):
    """
    Waits for products; the accumulators that are ready then pass through.

        %d = nvgpu.warpgroup.wait %c {groups = 0 : i32} : vector<4xf32>
        →
        %d = nvvm.wgmma.wait.group.sync.aligned 0, %c : vector<4xf32>
    """

    def convert(self, op: nvgpu.WarpgroupWaitOp, rewriter: ConversionRewriter) -> None:
        values = rewriter.values(op.accumulators)
        rewriter.replace(op, nvvm.WgmmaWaitGroupOp(op.groups.value.data, values))


def populate_warpgroup(patterns: PatternSet) -> None:
    patterns.add(nvgpu.WarpgroupFenceOp, ConvertFence())
    patterns.add(nvgpu.WarpgroupMmaAsyncOp, ConvertMmaAsync())
    patterns.add(nvgpu.WarpgroupCommitOp, ConvertCommit())
    patterns.add(nvgpu.WarpgroupWaitOp, ConvertWait())
