"""`builtin.unrealized_conversion_cast` that earlier conversions have left, and xDSL's pointers."""

from __future__ import annotations

from xdsl.dialects import llvm, ptr
from xdsl.dialects.builtin import UnrealizedConversionCastOp, i8
from xdsl.ir import Operation

from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .access_options import get_access_options
from .building import make_integer
from .types import get_size


class ConvertUnrealizedCast(ConversionPattern[UnrealizedConversionCastOp]):
    """
    %b = builtin.unrealized_conversion_cast %a : index to i64
    →
    %a in place of %b

    A cast between types that stay different is kept, for another that undoes it.
    """

    def convert(self, op: UnrealizedConversionCastOp, rewriter: ConversionRewriter) -> None:
        values = rewriter.values(op.operands)
        types = [rewriter.type(ty) for ty in op.result_types]
        if [value.type for value in values] == types:
            rewriter.replace(op, values)
            return
        new = UnrealizedConversionCastOp.create(operands=values, result_types=types)
        rewriter.replace(op, new)


class ConvertCastToSource(ConversionPattern[Operation]):
    """`ptr_xdsl.to_ptr`, `ptr_xdsl.from_ptr` → a change of the address space, if any"""

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        value, ty = rewriter.value(op.operands[0]), rewriter.type(op.results[0].type)
        new = value if value.type == ty else own_llvm.AddrSpaceCastOp(value, ty)
        rewriter.replace(op, new)


class ConvertPtrAdd(ConversionPattern[ptr.PtrAddOp]):
    """
    %r = ptr_xdsl.ptradd %p, %o : (!ptr_xdsl.ptr, index) -> !ptr_xdsl.ptr
    →
    %r = llvm.getelementptr %p[%o] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    """

    def convert(self, op: ptr.PtrAddOp, rewriter: ConversionRewriter) -> None:
        base, offset = rewriter.value(op.addr), rewriter.value(op.offset)
        rewriter.replace(op, own_llvm.GEPOp(base, [llvm.GEP_USE_SSA_VAL], i8, [offset]))


class ConvertPtrLoad(ConversionPattern[ptr.LoadOp]):
    """
    %x = ptr_xdsl.load volatile %p : !ptr_xdsl.ptr -> f32
    →
    %x = llvm.load volatile %p : !llvm.ptr -> f32
    """

    def convert(self, op: ptr.LoadOp, rewriter: ConversionRewriter) -> None:
        require_order(op)
        address, ty = rewriter.value(op.addr), rewriter.type(op.res.type)
        options, is_invariant = get_access_options(op), op.invariant is not None
        rewriter.replace(op, own_llvm.LoadOp(address, ty, **options, invariant=is_invariant))


class ConvertPtrStore(ConversionPattern[ptr.StoreOp]):
    """
    ptr_xdsl.store %x, %p : f32, !ptr_xdsl.ptr
    →
    llvm.store %x, %p : f32, !llvm.ptr
    """

    def convert(self, op: ptr.StoreOp, rewriter: ConversionRewriter) -> None:
        require_order(op)
        value, address = rewriter.value(op.value), rewriter.value(op.addr)
        rewriter.replace(op, own_llvm.StoreOp(value, address, **get_access_options(op)))


def require_order(op: ptr.LoadOp | ptr.StoreOp) -> None:
    """xDSL's flags say that an access is atomic, but not how."""
    if (op.ordering or op.syncscope) is not None:
        raise ConversionError("the ordering of an atomic access is not given")


class ConvertTypeOffset(ConversionPattern[ptr.TypeOffsetOp]):
    """
    %r = ptr_xdsl.type_offset f32 : index
    →
    %r = llvm.mlir.constant(4) : i64
    """

    def convert(self, op: ptr.TypeOffsetOp, rewriter: ConversionRewriter) -> None:
        size, ty = get_size(rewriter.type(op.elem_type)), rewriter.type(op.offset.type)
        rewriter.replace(op, make_integer(rewriter, size, ty))


def populate_casts(patterns: PatternSet) -> None:
    """Adds patterns for casts and pointers."""
    patterns.add(UnrealizedConversionCastOp, ConvertUnrealizedCast())
    patterns.add(ptr.ToPtrOp, ConvertCastToSource())
    patterns.add(ptr.FromPtrOp, ConvertCastToSource())
    patterns.add(ptr.PtrAddOp, ConvertPtrAdd())
    patterns.add(ptr.LoadOp, ConvertPtrLoad())
    patterns.add(ptr.StoreOp, ConvertPtrStore())
    patterns.add(ptr.TypeOffsetOp, ConvertTypeOffset())
