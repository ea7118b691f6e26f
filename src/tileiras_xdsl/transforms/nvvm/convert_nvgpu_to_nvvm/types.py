"""
What becomes of `nvgpu` types:

    !nvgpu.mbarrier, !nvgpu.mbarrier.group    !llvm.ptr<3>
    !nvgpu.tensormap.descriptor               !llvm.ptr
    !nvgpu.mbarrier.token                     i64
    !nvgpu.device.async.token                 i32
    !nvgpu.token                              what its definition yields, i64 or i32
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
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import LLVMPointerType, TruncOp, ZExtOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.nvgpu import (
    DeviceAsyncTokenType,
    MBarrierGroupType,
    MBarrierTokenType,
    MBarrierType,
    ParameterizedType,
    TensorMapDescriptorType,
    TokenType,
    WarpgroupAccumulatorType,
    WarpgroupDescriptorType,
    is_barrier,
)
from tileiras_xdsl.dialects.nvvm import SHARED_POINTER
from tileiras_xdsl.targets.machine import GROUP_THREADS
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionRewriter,
    TypeConverter,
)
from tileiras_xdsl.xdsl_extras.walking import walk

from ..llvm_types import convert_memref
from ..reconcile_casts import get_source


def convert_accumulator(type: WarpgroupAccumulatorType) -> VectorType | None:
    """What each thread holds of a product."""
    whole = type.get("fragmented")
    if whole is None:
        whole = type.get("0")
    if not isinstance(whole, VectorType) or len(whole.get_shape()) != 2:
        return None
    m, n = whole.get_shape()
    return VectorType(whole.get_element_type(), [m * n // GROUP_THREADS])


def convert_memory(type: MemRefType | UnrankedMemRefType) -> Attribute:
    """A pointer; memory of an unknown space stays as it is."""
    return convert_memref(type) or type


def make_type_converter() -> TypeConverter:
    """The conversion of all types but `!nvgpu.token`, which depends on the value."""
    converter = TypeConverter()
    for barrier in (MBarrierType, MBarrierGroupType):
        converter.add_conversion(barrier, lambda type: SHARED_POINTER if is_barrier(type) else None)
    converter.add_conversion(TensorMapDescriptorType, lambda type: LLVMPointerType())
    converter.add_conversion(MBarrierTokenType, lambda type: i64)
    converter.add_conversion(DeviceAsyncTokenType, lambda type: i32)
    converter.add_conversion(WarpgroupDescriptorType, lambda type: i64)
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


def get_token(rewriter: ConversionRewriter, value: SSAValue, type: IntegerType) -> SSAValue:
    """The integer that a token is."""
    converted = rewriter.value(value)
    if converted.type == type:
        return converted
    return rewriter.insert(UnrealizedConversionCastOp.get([converted], [type])).results[0]


# What no pattern reaches


STRUCTURAL = ("arith", "cf", "func", "llvm", "scf")
"""Dialects whose ops pass on values of any type."""


def retype_values(root: Operation, converter: TypeConverter) -> None:
    """
    Gives the values that control flow passes on their converted types, so that the casts at both
    ends vanish. Functions of `gpu` keep their arguments: they say what a kernel is passed.
    """
    token = _get_token_type(root)

    def convert(type: Attribute) -> Attribute:
        if not isinstance(type, ParameterizedType):
            return type
        return token if isinstance(type, TokenType) else converter.convert(type)

    for op in tuple(walk(root)):
        if isinstance(op, func.FuncOp):
            types = op.function_type
            inputs, outputs = map(convert, types.inputs), map(convert, types.outputs)
            op.properties["function_type"] = types.from_lists(list(inputs), list(outputs))
        values = [arg for region in op.regions for block in region.blocks for arg in block.args]
        for value in (*op.results, *values):
            if isinstance(value.type, ParameterizedType) and _is_passed_on(op, value):
                _retype(value, convert(value.type))


def _is_structural(op: Operation) -> bool:
    return op.name.partition(".")[0] in STRUCTURAL


def _is_passed_on(op: Operation, value: SSAValue) -> bool:
    """Whether control flow, or a cast for it, defines a value, so that its type may change."""
    if isinstance(op, FuncOp) and isinstance(value.owner, Block):
        return value.owner.prev_block is not None
    return isinstance(op, UnrealizedConversionCastOp) or _is_structural(op)


def _retype(value: SSAValue, type: Attribute) -> None:
    """Changes the type of a value; users that do not just pass it on get a cast back."""
    old = value.type
    new = Rewriter.replace_value_with_new_type(value, type)
    for use in tuple(new.uses):
        user = use.operation
        if not isinstance(user, UnrealizedConversionCastOp) and not _is_structural(user):
            cast = UnrealizedConversionCastOp.get([new], [old])
            Rewriter.insert_op(cast, InsertPoint.before(user))
            user.operands[use.index] = cast.results[0]


def _get_token_type(root: Operation) -> IntegerType:
    """Tokens that control flow passes on are states of barriers if one of them is."""
    for op in walk(root):
        if isinstance(op, UnrealizedConversionCastOp):
            types = {value.type for value in (*op.operands, *op.results)}
            if i64 in types and any(isinstance(type, TokenType) for type in types):
                return i64
    return i32


def resize_tokens(root: Operation) -> None:
    """A token of a copy says nothing, so it can stand where a state of a barrier could."""
    for op in tuple(walk(root)):
        if isinstance(op, UnrealizedConversionCastOp) and len(op.operands) == 1:
            source, result = op.operands[0].type, op.results[0].type
            if {source, result} == {i32, i64}:
                new = (ZExtOp if result == i64 else TruncOp)(op.operands[0], result)
                Rewriter.replace_op(op, new)
