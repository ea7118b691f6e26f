"""
Conversions of the ops of `nvgpu` that upstream has, and our kernels are not made of: barriers in
shared memory, copies, packed arithmetic. Matrices, tensor maps and whole tiles have files of their
own.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar, cast

from xdsl.dialects.builtin import IntegerType, UnrealizedConversionCastOp, i64
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.llvm import AddrSpaceCastOp
from tileiras_xdsl.transforms.nvvm.llvm_symbols import RuntimeSymbols, address_of, replace_by
from tileiras_xdsl.transforms.nvvm.reconcile_casts import get_source
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .nvgpu_matrix import populate_warp_mma
from .nvgpu_tensor_maps import populate_tensor_maps
from .nvgpu_warpgroup import populate_whole_mma

STORAGE = "mbar_storage"

# Ops that `nvvm` has under another name

TOKENS = (nvgpu.TokenType, nvgpu.MBarrierTokenType, nvgpu.DeviceAsyncTokenType)


class ConvertToSameNvvmOp(ConversionPattern[Operation]):
    """
    All that the op says means the same.

        %r = nvgpu.fma.packed.f32x2 %a, %b, %c : vector<2xf32>
        →
        %r = nvvm.fma.packed.f32x2 %a, %b, %c : vector<2xf32>
    """

    op_class: ClassVar[type[Operation]]

    @classmethod
    @cache
    def to(cls, op_class: type[Operation]) -> ConvertToSameNvvmOp:
        """The pattern, of a class of its own, that makes these ops."""
        derived = type(f"ConvertTo{op_class.__name__}", (cls,), {"op_class": op_class})
        return cast(ConvertToSameNvvmOp, derived())

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        new = self.op_class.create(
            operands=self.get_operands(op, rewriter),
            # The token of an arrival is the state of the barrier.
            result_types=[i64 if isinstance(t, TOKENS) else t for t in op.result_types],
            properties=op.properties.copy(),
        )
        rewriter.replace(op, new)

    def get_operands(self, op: Operation, rewriter: ConversionRewriter) -> list[SSAValue]:
        """The operands of the new op."""
        return rewriter.values(op.operands)


class BarrierOneToOne(ConvertToSameNvvmOp):
    """
    The same of an op on a barrier in shared memory, which is its address.

        %tok = nvgpu.mbarrier.arrive %bar : !nvgpu.mbarrier -> !nvgpu.token
        →
        %tok = nvvm.mbarrier.arrive.shared %bar : !llvm.ptr<3> -> i64
    """

    def get_operands(self, op: Operation, rewriter: ConversionRewriter) -> list[SSAValue]:
        barrier, *others = op.operands
        return [get_barrier(rewriter, barrier, 0), *rewriter.values(others)]


BARRIER_OPS: dict[type[Operation], type[Operation]] = {
    nvgpu.MBarrierInitOp: nvvm.MBarrierInitSharedOp,
    nvgpu.MBarrierArriveOp: nvvm.MBarrierArriveSharedOp,
    nvgpu.MBarrierArriveNocompleteOp: nvvm.MBarrierArriveNocompleteSharedOp,
    nvgpu.MBarrierArriveExpectTxOp: nvvm.MBarrierArriveExpectTxSharedOp,
    nvgpu.MBarrierTryWaitParityOp: nvvm.MBarrierTryWaitParitySharedOp,
}
OTHER_OPS: dict[type[Operation], type[Operation]] = {
    nvgpu.TmaPrefetchDescriptorOp: nvvm.PrefetchTensorMapOp,
    nvgpu.CvtFptruncOp: nvvm.CvtFptruncX2Op,
    nvgpu.CvtFpextOp: nvvm.CvtFpextX2Op,
    nvgpu.FmaPackedF32x2Op: nvvm.FmaPackedF32x2Op,
    nvgpu.MulPackedF32x2Op: nvvm.MulPackedF32x2Op,
}

# Barriers in shared memory


def get_barrier(rewriter: ConversionRewriter, value: SSAValue, index: int) -> SSAValue:
    """
    The address of a barrier. One that was cast from a pointer must have been one to shared
    memory: a cast of the address space would change which memory is meant.
    """
    source = get_source(value)
    if isinstance(source.type, LLVMPointerType) and source.type != nvvm.SHARED_POINTER:
        raise ConversionError(
            f"operand #{index} must be mbarrier barrier type, but got '{source.type}'"
        )
    converted = rewriter.value(value)
    if converted.type != nvvm.SHARED_POINTER:
        raise ConversionError(
            f"operand #{index} must be mbarrier barrier type, but got '{value.type}'"
        )
    return converted


def get_token(rewriter: ConversionRewriter, value: SSAValue, ty: IntegerType) -> SSAValue:
    """The integer that a token is."""
    converted = rewriter.value(value)
    if converted.type == ty:
        return converted
    return rewriter.insert(UnrealizedConversionCastOp.get([converted], [ty])).results[0]


class ConvertCreate(ConversionPattern[nvgpu.MBarrierCreateOp]):
    """
    Barriers of its own in shared memory.

        %bar = nvgpu.mbarrier.create : !nvgpu.mbarrier
        →
        llvm.mlir.global internal @mbar_storage() {addr_space = 3 : i32, alignment = 8 : i64} : i64
        %bar = llvm.mlir.addressof @mbar_storage : !llvm.ptr<3>
    """

    def __init__(self, symbols: RuntimeSymbols):
        self.symbols = symbols

    def convert(self, op: nvgpu.MBarrierCreateOp, rewriter: ConversionRewriter) -> None:
        rewriter.type(op.barrier.type)
        ty: Attribute = i64
        if isinstance(op.barrier.type, nvgpu.MBarrierGroupType):
            ty = LLVMArrayType(op.barrier.type.num_barriers, i64)
        storage = self.symbols.add_global(op, STORAGE, ty, space=nvvm.SHARED_SPACE, alignment=8)
        rewriter.replace(op, address_of(storage))


class ConvertTestWait(ConversionPattern[nvgpu.MBarrierTestWaitOp]):
    """
    Whether the phase of a token is complete.

        %done = nvgpu.mbarrier.test.wait %bar, %tok : !nvgpu.mbarrier, !nvgpu.token -> i1
        →
        %done = nvvm.mbarrier.test.wait.shared %bar, %tok : !llvm.ptr<3>, i64 -> i1
    """

    def convert(self, op: nvgpu.MBarrierTestWaitOp, rewriter: ConversionRewriter) -> None:
        barrier = get_barrier(rewriter, op.barrier, 0)
        state = get_token(rewriter, op.token, i64)
        rewriter.replace(op, nvvm.MBarrierTestWaitSharedOp(barrier, state))


# Copies


class ConvertTmaLoad(ConversionPattern[nvgpu.TmaAsyncLoadOp]):
    """
    TMA load. Optional operands have a slot only if they are present.

        nvgpu.tma.async.load %dst[%x, %y], %bar, %map multicastMask = %mask
            : memref<64x64xf16, 3>, !nvgpu.mbarrier, !nvgpu.tensormap.descriptor
        →
        nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %dst, %map, %x, %y, %bar, %mask
            {multicastEnable, mode = #nvvm.load_mode<tile>}
            : !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>, i16
    """

    def convert(self, op: nvgpu.TmaAsyncLoadOp, rewriter: ConversionRewriter) -> None:
        load = nvvm.BULK_TENSOR_LOADS[len(op.coordinates)](
            rewriter.value(op.dst),
            rewriter.value(op.descriptor),
            *rewriter.values(op.coordinates),
            get_barrier(rewriter, op.barrier, 1),
            multicast_mask=rewriter.optional(op.multicast_mask),
            cache_hint=rewriter.optional(op.l2_cache_hint),
        )
        load.mode = nvvm.LoadModeAttr(nvvm.LoadMode.TILE)
        rewriter.replace(op, load)


class ConvertTmaStore(ConversionPattern[nvgpu.TmaAsyncStoreOp]):
    """
    TMA store.

        nvgpu.tma.async.store %src, %map[%x, %y]
            : memref<64x64xf16, 3>, !nvgpu.tensormap.descriptor
        →
        nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile %map, %x, %y, %src
            : !llvm.ptr, i32, i32, !llvm.ptr<3>
    """

    def convert(self, op: nvgpu.TmaAsyncStoreOp, rewriter: ConversionRewriter) -> None:
        store = nvvm.BULK_TENSOR_STORES[len(op.coordinates)](
            rewriter.value(op.descriptor),
            *rewriter.values(op.coordinates),
            rewriter.value(op.src),
            cache_hint=rewriter.optional(op.l2_cache_hint),
        )
        rewriter.replace(op, store)


class ConvertFenceDescriptor(ConversionPattern[nvgpu.TmaFenceDescriptorOp]):
    """
    Shows what was written to a tensor map to copies.

        nvgpu.tma.fence.descriptor %map : !nvgpu.tensormap.descriptor
        →
        nvvm.fence.proxy.acquire.sync %map : !llvm.ptr
    """

    def convert(self, op: nvgpu.TmaFenceDescriptorOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, nvvm.FenceProxyAcquireSyncOp(rewriter.value(op.descriptor)))


class ConvertAsyncCopy(ConversionPattern[nvgpu.DeviceAsyncCopyOp]):
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
        replace_by(rewriter, op, copy)


# Arithmetic


class ConvertRcp(ConversionPattern[nvgpu.RcpOp]):
    """
    `%r = nvgpu.rcp %x : vector<4xf32>` → `%r = nvvm.rcp.approx.ftz.f %x : vector<4xf32>`
    """

    def convert(self, op: nvgpu.RcpOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, nvvm.RcpApproxFtzOp(rewriter.value(op.arg)))


def populate_upstream(patterns: PatternSet) -> None:
    """Adds a pattern for each of them."""
    for source, target in BARRIER_OPS.items():
        patterns.add(source, BarrierOneToOne.to(target))
    for source, target in OTHER_OPS.items():
        patterns.add(source, ConvertToSameNvvmOp.to(target))
    patterns.add(nvgpu.MBarrierCreateOp, ConvertCreate(RuntimeSymbols()))
    patterns.add(nvgpu.MBarrierTestWaitOp, ConvertTestWait())
    patterns.add(nvgpu.TmaAsyncLoadOp, ConvertTmaLoad())
    patterns.add(nvgpu.TmaAsyncStoreOp, ConvertTmaStore())
    patterns.add(nvgpu.TmaFenceDescriptorOp, ConvertFenceDescriptor())
    patterns.add(nvgpu.DeviceAsyncCopyOp, ConvertAsyncCopy())
    patterns.add(nvgpu.RcpOp, ConvertRcp())
    populate_tensor_maps(patterns)
    populate_warp_mma(patterns)
    populate_whole_mma(patterns)
