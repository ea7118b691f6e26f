"""Tensor memory, and MMAs with accumulators there."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32, i64
from xdsl.dialects.llvm import AndOp, LShrOp, OrOp
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.llvm import IntToPtrOp, PtrToIntOp
from tileiras_xdsl.targets.tcgen05 import ADDRESS_MASK, UNIT
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .types import get_barrier


def constant(rewriter: ConversionRewriter, value: int, ty: IntegerType) -> SSAValue:
    """The constant with these bits."""
    width = ty.width.data
    signed = value - (1 << width) if value >> (width - 1) else value
    return rewriter.insert(arith.ConstantOp(IntegerAttr(signed, ty))).result


class ConvertTensorMemoryAt(ConversionPattern[nvgpu.TensorMemoryAtOp]):
    """
    Tensor memory is its address.

        %t = nvgpu.tensor_memory.at %address : i32 -> !nvgpu.tensor_memory
        →
        %t = llvm.inttoptr %address : i32 to !llvm.ptr<6>
    """

    def convert(self, op: nvgpu.TensorMemoryAtOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, IntToPtrOp(rewriter.value(op.address), nvvm.TENSOR_POINTER))


class ConvertAlloc(ConversionPattern[nvgpu.Tcgen05AllocOp]):
    """
    The number of columns is an operand.

        nvgpu.tcgen05.alloc %slot {columns = 128 : i32} : !llvm.ptr<3>
        →
        %c128 = arith.constant 128 : i32
        nvvm.tcgen05.alloc %slot, %c128 : !llvm.ptr<3>, i32
    """

    def convert(self, op: nvgpu.Tcgen05AllocOp, rewriter: ConversionRewriter) -> None:
        columns = constant(rewriter, op.columns.value.data, i32)
        rewriter.replace(op, nvvm.Tcgen05AllocOp(rewriter.value(op.address), columns, op.group))


class ConvertDealloc(ConversionPattern[nvgpu.Tcgen05DeallocOp]):
    """
    The number of columns is an operand.

        nvgpu.tcgen05.dealloc %t {columns = 128 : i32} : !nvgpu.tensor_memory
        →
        %c128 = arith.constant 128 : i32
        nvvm.tcgen05.dealloc %t, %c128 : !llvm.ptr<6>, i32
    """

    def convert(self, op: nvgpu.Tcgen05DeallocOp, rewriter: ConversionRewriter) -> None:
        columns = constant(rewriter, op.columns.value.data, i32)
        rewriter.replace(op, nvvm.Tcgen05DeallocOp(rewriter.value(op.address), columns, op.group))


class ConvertGenerateDescriptor(ConversionPattern[nvgpu.Tcgen05GenerateDescriptorOp]):
    """
    Packs the descriptor of a matrix in shared memory. All but the address is a constant.

        %desc = nvgpu.tcgen05.generate.descriptor %base {leading_byte_offset = 16 : i64,
            stride_byte_offset = 1024 : i64, swizzle = "128B"} : !llvm.ptr<3> -> i64
        →
        %int = llvm.ptrtoint %base : !llvm.ptr<3> to i32
        … the 18 bits of the address, in units of 16 bytes, extended to i64
        %desc = llvm.or %bits, %a : i64
    """

    def convert(self, op: nvgpu.Tcgen05GenerateDescriptorOp, rewriter: ConversionRewriter) -> None:
        address = rewriter.insert(PtrToIntOp(rewriter.value(op.base), i32)).results[0]
        mask = constant(rewriter, ADDRESS_MASK, i32)
        shift = constant(rewriter, UNIT.bit_length() - 1, i32)
        masked = rewriter.insert(AndOp(address, mask)).res
        shifted = rewriter.insert(LShrOp(masked, shift)).res
        wide = rewriter.insert(arith.ExtUIOp(shifted, i64)).result
        bits = constant(rewriter, op.get_constant().encode(), i64)
        rewriter.replace(op, OrOp(bits, wide))


class ConvertMma(ConversionPattern[nvgpu.Tcgen05MmaOp]):
    """
    Types and shape become an instruction descriptor.

        nvgpu.tcgen05.mma %d, %a, %b, %enable {kind = #nvvm.tcgen05_mma_kind<f16>,
            shape = #nvvm.shape<m = 128, n = 128, k = 16>, types = ["f32", "f16", "f16"]}
            : !nvgpu.tensor_memory, i64
        →
        %idesc = arith.constant 136314896 : i32
        nvvm.tcgen05.mma %d, %a, %b, %idesc, %enable {kind = #nvvm.tcgen05_mma_kind<f16>}
            : !llvm.ptr<6>, i64
    """

    def convert(self, op: nvgpu.Tcgen05MmaOp, rewriter: ConversionRewriter) -> None:
        idesc = constant(rewriter, op.get_descriptor().encode(), i32)
        d, a, b, enable = rewriter.values((op.d, op.a, op.b, op.enable_input_d))
        mask = rewriter.optional(op.mask)
        new = nvvm.Tcgen05MmaOp(
            operands=[d, a, b, idesc, enable, mask],
            result_types=[],
            properties=_kept(op, nvvm.Tcgen05MmaOp),
        )
        rewriter.replace(op, new)


class ConvertMmaBlockScale(ConversionPattern[nvgpu.Tcgen05MmaBlockScaleOp]):
    """
    The same with scale factors, whose places are in the instruction descriptor and grow with it.

        nvgpu.tcgen05.mma.block_scale %d, %a, %b, %enable, %sfa, %sfb {k_steps = 4 : i32, …}
        →
        nvvm.tcgen05.mma.block_scale %d, %a, %b, %idesc, %enable, %sfa, %sfb
            {k_steps = 4 : i32, idesc_step = 536870928 : i32, …}
    """

    def convert(self, op: nvgpu.Tcgen05MmaBlockScaleOp, rewriter: ConversionRewriter) -> None:
        idesc = constant(rewriter, op.get_descriptor().encode(), i32)
        d, a, b, enable = rewriter.values((op.d, op.a, op.b, op.enable_input_d))
        scales = rewriter.values((op.scale_a, op.scale_b))
        properties = _kept(op, nvvm.Tcgen05MmaBlockScaleOp)
        if op.steps > 1:
            step = op.scales << 29 | op.scales << 4
            properties["idesc_step"] = IntegerAttr(step - (step >> 31 << 32), i32)
        new = nvvm.Tcgen05MmaBlockScaleOp(
            operands=[d, a, b, idesc, enable, *scales], result_types=[], properties=properties
        )
        rewriter.replace(op, new)


def _kept(
    op: nvgpu.Tcgen05MmaOp | nvgpu.Tcgen05MmaBlockScaleOp,
    new: type[nvvm.Tcgen05MmaOp | nvvm.Tcgen05MmaBlockScaleOp],
) -> dict[str, Attribute]:
    """The properties that the instruction has, too."""
    names = new.get_irdl_definition().properties
    return {name: value for name, value in op.properties.items() if name in names}


class ConvertTryCancel(ConversionPattern[nvgpu.TryCancelOp]):
    """
    The mbarrier is its address.

        nvgpu.cluster_launch.try_cancel %answer, %bar : !llvm.ptr<3>, !nvgpu.mbarrier
        →
        nvvm.clusterlaunchcontrol.try.cancel %answer, %bar : !llvm.ptr<3>, !llvm.ptr<3>
    """

    def convert(self, op: nvgpu.TryCancelOp, rewriter: ConversionRewriter) -> None:
        barrier = get_barrier(rewriter, op.barrier, 1)
        cancel = nvvm.TryCancelOp(rewriter.value(op.address), barrier, op.multicast)
        rewriter.replace(op, cancel)


def populate_tcgen05(patterns: PatternSet) -> None:
    patterns.add(nvgpu.TensorMemoryAtOp, ConvertTensorMemoryAt())
    patterns.add(nvgpu.Tcgen05AllocOp, ConvertAlloc())
    patterns.add(nvgpu.Tcgen05DeallocOp, ConvertDealloc())
    patterns.add(nvgpu.Tcgen05GenerateDescriptorOp, ConvertGenerateDescriptor())
    patterns.add(nvgpu.Tcgen05MmaOp, ConvertMma())
    patterns.add(nvgpu.Tcgen05MmaBlockScaleOp, ConvertMmaBlockScale())
    patterns.add(nvgpu.TryCancelOp, ConvertTryCancel())
