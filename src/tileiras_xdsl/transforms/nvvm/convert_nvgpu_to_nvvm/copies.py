"""`cp.async`: copies of elements from global to shared memory."""

from __future__ import annotations

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.llvm import AddrSpaceCastOp
from tileiras_xdsl.dialects.nvvm.fragment_matrices import COPY_BYTES
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)
from tileiras_xdsl.xdsl_extras.structure import integer_of


def make_token() -> ConstantOp:
    """A token, which carries no information: the hardware counts groups of copies."""
    return ConstantOp(IntegerAttr(0, i32))


def replace_by(rewriter: ConversionRewriter, op: Operation, new: Operation) -> None:
    """Puts an op in the place of one that yields a token, which is made only if it is used."""
    if op.results[0].first_use is None:
        rewriter.replace(op, new, [None])
    else:
        rewriter.replace(op, new, make_token())


class ConvertAsyncCopy(ConversionPattern[nvgpu.DeviceAsyncCopyOp]):
    """
    Copies bytes; the destination comes first.

        %tok = nvgpu.device_async_copy %gmem, %smem, %size
            : memref<1024xf32, 1>, memref<1024xf32, 3>, i32 -> !nvgpu.token
        →
        nvvm.cp.async.shared.global %smem, %gmem, %size : !llvm.ptr<3>, !llvm.ptr<1>, i32
        %tok = arith.constant 0 : i32

    Several copies stay one op.

        %tok = nvgpu.device_async_copy %src, %dst, %c16 mask(%m : vector<4xi1>)
            : vector<4x!llvm.ptr<1>>, vector<4x!llvm.ptr<3>>, i32 -> !nvgpu.token
        →
        nvvm.fragment.cp_async %dst, %src mask(%m : vector<4xi1>) {bytes = 16 : i64}
            : vector<4x!llvm.ptr<3>>, vector<4x!llvm.ptr<1>>
        %tok = arith.constant 0 : i32
    """

    def convert(self, op: nvgpu.DeviceAsyncCopyOp, rewriter: ConversionRewriter) -> None:
        src = rewriter.value(op.src)
        if op.has_pieces:
            size = _get_size(op)
            mask = rewriter.optional(op.mask)
            copies = nvvm.FragmentCpAsyncOp(rewriter.value(op.dst), src, bytes=size, mask=mask)
            replace_by(rewriter, op, copies)
            return
        if src.type != nvvm.GLOBAL_POINTER:
            src = rewriter.insert(AddrSpaceCastOp(src, nvvm.GLOBAL_POINTER)).result
        copy = nvvm.CpAsyncSharedGlobalOp(
            rewriter.value(op.dst),
            src,
            rewriter.value(op.size),
            modifier=None if op.bypass_l1 is None else nvvm.CacheModifier.CG,
        )
        replace_by(rewriter, op, copy)


def _get_size(op: nvgpu.DeviceAsyncCopyOp) -> int:
    """The bytes of each copy, which have to be constant."""
    size = integer_of(op.size)
    if size is not None and size in COPY_BYTES:
        return size
    raise ConversionError("has copies whose size is not a constant of 4, 8 or 16")


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
        replace_by(rewriter, op, nvvm.CpAsyncCommitGroupOp())


class ConvertAsyncWait(ConversionPattern[nvgpu.DeviceAsyncWaitOp]):
    """
    Waits until at most so many groups are in flight.

        nvgpu.device_async_wait %group {numGroups = 1 : i32} : !nvgpu.token
        →
        nvvm.cp.async.wait.group 1
    """

    def convert(self, op: nvgpu.DeviceAsyncWaitOp, rewriter: ConversionRewriter) -> None:
        groups = 0 if op.num_groups is None else op.num_groups.value.data
        rewriter.replace(op, nvvm.CpAsyncWaitGroupOp(groups))


def populate_copies(patterns: PatternSet) -> None:
    patterns.add(nvgpu.DeviceAsyncCopyOp, ConvertAsyncCopy())
    patterns.add(nvgpu.DeviceAsyncCreateGroupOp, ConvertCreateGroup())
    patterns.add(nvgpu.DeviceAsyncWaitOp, ConvertAsyncWait())
