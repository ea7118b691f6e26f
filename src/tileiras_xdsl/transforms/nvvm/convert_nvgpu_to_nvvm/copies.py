"""Copies of elements from global to shared memory, as sm_80 has them."""

from __future__ import annotations

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, i32

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.llvm import AddrSpaceCastOp
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)


def make_token() -> ConstantOp:
    """A token, which says nothing: the hardware counts groups of copies by itself."""
    return ConstantOp(IntegerAttr(0, i32))


class ConvertCopy(ConversionPattern[nvgpu.DeviceAsyncCopyOp]):
    """
    Copies bytes; the destination comes first.

        %tok = nvgpu.device_async_copy %gmem, %smem, %size
            : memref<1024xf32, 1>, memref<1024xf32, 3>, i32 -> !nvgpu.token
        →
        nvvm.cp.async.shared.global %smem, %gmem, %size : !llvm.ptr<3>, !llvm.ptr<1>, i32
        %tok = arith.constant 0 : i32
    """

    def convert(self, op: nvgpu.DeviceAsyncCopyOp, rewriter: ConversionRewriter) -> None:
        src = rewriter.value(op.src)
        if src.type != nvvm.GLOBAL_POINTER:
            src = rewriter.insert(AddrSpaceCastOp(src, nvvm.GLOBAL_POINTER)).result
        copy = nvvm.CpAsyncSharedGlobalOp(
            rewriter.value(op.dst),
            src,
            rewriter.value(op.size),
            modifier=None if op.bypass_l1 is None else nvvm.CacheModifier.CG,
        )
        rewriter.replace(op, copy, make_token())


class ConvertCreateGroup(ConversionPattern[nvgpu.DeviceAsyncCreateGroupOp]):
    """
    A group of all copies so far, whatever the tokens are.

        %group = nvgpu.device_async_create_group %t0, %t1
            : (!nvgpu.token, !nvgpu.token) -> !nvgpu.token
        →
        nvvm.cp.async.commit.group
        %group = arith.constant 0 : i32
    """

    def convert(self, op: nvgpu.DeviceAsyncCreateGroupOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, nvvm.CpAsyncCommitGroupOp(), make_token())


class ConvertWait(ConversionPattern[nvgpu.DeviceAsyncWaitOp]):
    """
    Waits until at most so many groups are under way.

        nvgpu.device_async_wait %group {numGroups = 1 : i32} : !nvgpu.token
        →
        nvvm.cp.async.wait.group 1
    """

    def convert(self, op: nvgpu.DeviceAsyncWaitOp, rewriter: ConversionRewriter) -> None:
        groups = 0 if op.num_groups is None else op.num_groups.value.data
        rewriter.replace(op, nvvm.CpAsyncWaitGroupOp(groups))


def populate_copies(patterns: PatternSet) -> None:
    patterns.add(nvgpu.DeviceAsyncCopyOp, ConvertCopy())
    patterns.add(nvgpu.DeviceAsyncCreateGroupOp, ConvertCreateGroup())
    patterns.add(nvgpu.DeviceAsyncWaitOp, ConvertWait())
