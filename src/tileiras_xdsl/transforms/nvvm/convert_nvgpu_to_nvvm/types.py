"""
What becomes of `nvgpu` types:

    !nvgpu.mbarrier, !nvgpu.mbarrier.group    !llvm.ptr<3>
    !nvgpu.tensormap.descriptor               !llvm.ptr
    !nvgpu.mbarrier.token                     i64
    !nvgpu.device.async.token                 i32
    !nvgpu.token                              what its definition yields, i64 or i32
    !nvgpu.tensor_memory                      !llvm.ptr<6>
    !nvgpu.warpgroup.descriptor<…>            i64
    !nvgpu.warpgroup.accumulator<fragmented = vector<64x8xf32>>    vector<4xf32>
    memref<64x64xf16, 3>                      !llvm.ptr<3>
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    IntegerType,
    MemRefType,
    UnrankedMemRefType,
    UnrealizedConversionCastOp,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.nvgpu import (
    DeviceAsyncTokenType,
    MBarrierGroupType,
    MBarrierTokenType,
    MBarrierType,
    ParameterizedType,
    TensorMapDescriptorType,
    TensorMemoryType,
    WarpgroupAccumulatorType,
    WarpgroupDescriptorType,
    is_barrier,
)
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER, TENSOR_POINTER
from tileiras_xdsl.targets.machine import WARPGROUP_THREADS
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionRewriter,
    TypeConverter,
)
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from ..llvm_types import convert_memref
from ..reconcile_casts import get_source


def convert_accumulator(ty: WarpgroupAccumulatorType) -> VectorType | None:
    """The accumulator fragment of a thread."""
    whole = ty.get("fragmented")
    if whole is None:
        whole = ty.get("0")
    if not isinstance(whole, VectorType) or len(whole.get_shape()) != 2:
        return None
    m, n = whole.get_shape()
    return VectorType(whole.get_element_type(), [m * n // WARPGROUP_THREADS])


def convert_memory(ty: MemRefType | UnrankedMemRefType) -> Attribute:
    """A pointer; memory of an unknown space stays as it is."""
    return convert_memref(ty) or ty


def make_type_converter() -> TypeConverter:
    """The conversion of all types but `!nvgpu.token`, which depends on the value."""
    converter = TypeConverter()
    for barrier in (MBarrierType, MBarrierGroupType):
        converter.add_conversion(barrier, lambda ty: SHARED_POINTER if is_barrier(ty) else None)
    converter.add_conversion(TensorMapDescriptorType, lambda ty: LLVMPointerType())
    converter.add_conversion(TensorMemoryType, lambda ty: TENSOR_POINTER)
    converter.add_conversion(MBarrierTokenType, lambda ty: i64)
    converter.add_conversion(DeviceAsyncTokenType, lambda ty: i32)
    converter.add_conversion(WarpgroupDescriptorType, lambda ty: i64)
    converter.add_conversion(WarpgroupAccumulatorType, convert_accumulator)
    converter.add_conversion(MemRefType, convert_memory)
    converter.add_conversion(UnrankedMemRefType, convert_memory)
    return converter


def get_barrier(rewriter: ConversionRewriter, value: SSAValue, index: int) -> SSAValue:
    """
    The address of a barrier. One that was cast from a pointer must have been one to shared
    memory: a cast of the address space would change which memory is meant.
    """
    source = get_source(value)
    if isinstance(source.type, LLVMPointerType) and source.type != SHARED_POINTER:
        raise ConversionError(
            f"operand #{index} must be mbarrier barrier type, but got '{source.type}'"
        )
    converted = rewriter.value(value)
    if converted.type != SHARED_POINTER:
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


def has_bridges(root: Operation) -> bool:
    """Whether values of `nvgpu` types, or casts of such, may be left; our kernels have none."""
    return bool(find_all(root, UnrealizedConversionCastOp, func.FuncOp)) or any(
        isinstance(argument.type, ParameterizedType)
        for op in walk(root)
        for region in op.regions
        for block in region.blocks
        for argument in block.args
    )
