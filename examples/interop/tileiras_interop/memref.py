"""
`memref`: a reference is the address of its element at zeros, so that the offset of a layout is
in the address already. Strides must be known when it is compiled; offsets and extents need not.

Ops may have the attributes of LLVM's accesses: `alignment`, `volatile_`, `ordering`,
`syncscope`, `nontemporal`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    MemRefType,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.dialects.llvm import AtomicBinOp, AtomicOrdering
from tileiras_xdsl.dialects.nvvm import GENERIC_SPACE, pointer_to
from tileiras_xdsl.transforms.nvvm.convert_to_llvm.building import (
    get_access_options,
    get_atomic_options,
    get_index,
    get_integer,
    get_offset,
    get_ordering,
    get_strides,
    make_integer,
    with_type,
)
from tileiras_xdsl.transforms.nvvm.llvm_types import LOCAL_SPACE, convert_memory_space
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

# Accesses


def get_type(value: SSAValue) -> MemRefType:
    """The type of a reference."""
    assert isinstance(value.type, MemRefType)
    return value.type


def require_contiguous(ty: Attribute) -> None:
    """Raises unless elements whose last indices follow each other do so in memory."""
    if get_strides(ty)[-1:] not in ([], [1]):
        raise ConversionError(f"the elements of '{ty}' do not lie one after the other")


def get_element(rewriter: ConversionRewriter, reference: SSAValue) -> Attribute:
    """The type of what a reference refers to."""
    return rewriter.type(get_type(reference).get_element_type())


def move(
    rewriter: ConversionRewriter, address: SSAValue, index: int | SSAValue, element: Attribute
) -> SSAValue:
    """The address this many elements further."""
    if index == 0:
        return address
    assert isinstance(address.type, llvm.LLVMPointerType)
    if isinstance(index, int):
        # Constants in the op have 32 bits.
        index = make_integer(rewriter, index)
    new = own_llvm.GEPOp(
        address, [llvm.GEP_USE_SSA_VAL], element, [index], address.type, inbounds=True
    )
    return rewriter.insert(new).result


def get_address(
    rewriter: ConversionRewriter,
    reference: SSAValue,
    indices: Sequence[int | SSAValue],
    strides: Sequence[int] | None = None,
    start: int = 0,
) -> SSAValue:
    """The address of an element, `start` elements after that at the indices."""
    address = rewriter.value(reference)
    strides = get_strides(reference.type) if strides is None else strides
    known: list[int | SSAValue] = []
    for index in indices:
        value = index if isinstance(index, int) else rewriter.value(index)
        number = value if isinstance(value, int) else get_integer(value)
        known.append(value if number is None else number)
    index = get_index(rewriter, known, strides, start)
    if index == 0:
        return address
    return move(rewriter, address, index, get_element(rewriter, reference))


class ConvertMemrefLoad(ConversionPattern[memref.LoadOp]):
    """
    %x = memref.load %m[%i, %j] : memref<8x4xf32, 3>
    →
    %0 = llvm.mul %i, %c4 : i64
    %1 = llvm.add %0, %j : i64
    %2 = llvm.getelementptr inbounds %m[%1] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    %x = llvm.load %2 : !llvm.ptr<3> -> f32
    """

    def convert(self, op: memref.LoadOp, rewriter: ConversionRewriter) -> None:
        address = get_address(rewriter, op.memref, op.indices)
        ty = rewriter.type(op.res.type)
        rewriter.replace(op, own_llvm.LoadOp(address, ty, **get_access_options(op)))


class ConvertMemrefStore(ConversionPattern[memref.StoreOp]):
    """
    memref.store %x, %m[%i] : memref<8xf32, 3>
    →
    %0 = llvm.getelementptr inbounds %m[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    llvm.store %x, %0 : f32, !llvm.ptr<3>
    """

    def convert(self, op: memref.StoreOp, rewriter: ConversionRewriter) -> None:
        address = get_address(rewriter, op.memref, op.indices)
        value = rewriter.value(op.value)
        rewriter.replace(op, own_llvm.StoreOp(value, address, **get_access_options(op)))


ATOMICS = {
    0: AtomicBinOp.FADD,
    1: AtomicBinOp.ADD,
    2: AtomicBinOp.XCHG,
    3: AtomicBinOp.FMAXIMUM,
    4: AtomicBinOp.MAX,
    5: AtomicBinOp.UMAX,
    6: AtomicBinOp.FMINIMUM,
    7: AtomicBinOp.MIN,
    8: AtomicBinOp.UMIN,
    11: AtomicBinOp.OR,
    12: AtomicBinOp.AND,
    13: AtomicBinOp.FMAX,
    14: AtomicBinOp.FMIN,
    15: AtomicBinOp.XOR,
}
"""`arith.atomic_rmw_kind` by number; LLVM cannot multiply, 9 and 10."""


class ConvertAtomicRMW(ConversionPattern[memref.AtomicRMWOp]):
    """
    %r = "memref.atomic_rmw"(%x, %m, %i) <{kind = 1 : i64}> {syncscope = "device"}
        : (i32, memref<8xi32, 1>, index) -> i32
    →
    %0 = llvm.getelementptr inbounds %m[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %r = llvm.atomicrmw add %0, %x syncscope("device") acq_rel : !llvm.ptr<1>, i32
    """

    def convert(self, op: memref.AtomicRMWOp, rewriter: ConversionRewriter) -> None:
        kind = ATOMICS.get(op.kind.value.data)
        if kind is None:
            raise ConversionError(f"kind {op.kind.value.data} cannot be done atomically")
        address = get_address(rewriter, op.memref, op.indices)
        new = own_llvm.AtomicRMWOp(
            address,
            rewriter.value(op.value),
            kind.attr,
            get_ordering(op, AtomicOrdering.ACQ_REL).attr,
            **get_atomic_options(op),
        )
        rewriter.replace(op, new)


# Memory


class ConvertAlloca(ConversionPattern[memref.AllocaOp]):
    """
    %m = memref.alloca() {alignment = 16 : i64} : memref<4x4xf32, #gpu.address_space<private>>
    →
    %0 = llvm.mlir.constant(1 : i32) : i32
    %1 = llvm.alloca %0 x !llvm.array<16 x f32> {alignment = 16 : i64} : (i32) -> !llvm.ptr
    %m = llvm.addrspacecast %1 : !llvm.ptr to !llvm.ptr<5>
    """

    def convert(self, op: memref.AllocaOp, rewriter: ConversionRewriter) -> None:
        ty = op.memref.type
        assert isinstance(ty, MemRefType)
        if op.dynamic_sizes or op.symbol_operands or DYNAMIC_INDEX in ty.get_shape():
            raise ConversionError(f"the size of '{ty}' is not known when it is compiled")
        space = convert_memory_space(ty.memory_space)
        if space not in (GENERIC_SPACE, LOCAL_SPACE):
            raise ConversionError(f"the stack is not in the memory of '{ty}'")
        one = make_integer(rewriter, 1, i32)
        alloca = llvm.AllocaOp.create(
            operands=[one],
            properties={"elem_type": get_array(rewriter, ty)}
            | ({} if op.alignment is None else {"alignment": op.alignment}),
            result_types=[pointer_to(GENERIC_SPACE)],
        )
        if space == GENERIC_SPACE:
            rewriter.replace(op, alloca)
        else:
            rewriter.insert(alloca)
            rewriter.replace(op, own_llvm.AddrSpaceCastOp(alloca.res, pointer_to(LOCAL_SPACE)))


def get_array(rewriter: ConversionRewriter, ty: MemRefType) -> llvm.LLVMArrayType:
    """All that a reference with a static shape refers to."""
    extents, strides = ty.get_shape(), get_strides(ty)
    last = sum((extent - 1) * stride for extent, stride in zip(extents, strides, strict=True))
    count = last + 1 if prod(extents) else 0
    return llvm.LLVMArrayType(count, rewriter.type(ty.get_element_type()))


class ConvertGlobal(ConversionPattern[memref.GlobalOp]):
    """
    "memref.global"() <{sym_name = "g", type = memref<4x4xf32, 3>, initial_value,
        sym_visibility = "private", alignment = 128 : i64}> : () -> ()
    →
    llvm.mlir.global internal @g() {addr_space = 3 : i32, alignment = 128 : i64}
        : !llvm.array<16 x f32>

    What is not initialized has no value: any is right.
    """

    def convert(self, op: memref.GlobalOp, rewriter: ConversionRewriter) -> None:
        ty = op.type
        assert isinstance(ty, MemRefType)
        space = convert_memory_space(ty.memory_space)
        if space is None or DYNAMIC_INDEX in ty.get_shape():
            raise ConversionError(f"no memory can be set aside for '{ty}'")
        array = get_array(rewriter, ty)
        is_public = op.sym_visibility.data == "public"
        value = None
        if isinstance(op.initial_value, DenseIntOrFPElementsAttr):
            tensor = TensorType(array.type, [array.size.data])
            value = with_type(op.initial_value, tensor)
        new = llvm.GlobalOp(
            array,
            op.sym_name,
            "external" if is_public else "internal",
            space,
            constant=op.constant is not None,
            value=value,
            alignment=None if op.alignment is None else op.alignment.value.data,
        )
        rewriter.replace(op, new)


class ConvertGetGlobal(ConversionPattern[memref.GetGlobalOp]):
    """
    %m = memref.get_global @g : memref<4x4xf32, 3>
    →
    %m = llvm.mlir.addressof @g : !llvm.ptr<3>
    """

    def convert(self, op: memref.GetGlobalOp, rewriter: ConversionRewriter) -> None:
        ty = rewriter.type(op.memref.type)
        assert isinstance(ty, llvm.LLVMPointerType)
        rewriter.replace(op, llvm.AddressOfOp(op.name_, ty))


class ConvertHeap(ConversionPattern[Operation]):
    """`memref.alloc` and `memref.dealloc` → an error that says what to use."""

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        raise ConversionError(
            "the GPU has no heap: use memref.alloca for memory of a thread, and memref.global in "
            "memory space 3, or gpu.dynamic_shared_memory, for memory of a CTA"
        )


# Views


class ConvertToSource(ConversionPattern[Operation]):
    """`memref.cast` and others that only change what is known → nothing"""

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        get_strides(op.results[0].type)
        rewriter.replace(op, rewriter.value(op.operands[0]))


class ConvertMemorySpaceCast(ConversionPattern[memref.MemorySpaceCastOp]):
    """
    %r = memref.memory_space_cast %m : memref<8xf32, 3> to memref<8xf32>
    →
    %r = llvm.addrspacecast %m : !llvm.ptr<3> to !llvm.ptr
    """

    def convert(self, op: memref.MemorySpaceCastOp, rewriter: ConversionRewriter) -> None:
        value, ty = rewriter.value(op.source), rewriter.type(op.dest.type)
        new = value if value.type == ty else own_llvm.AddrSpaceCastOp(value, ty)
        rewriter.replace(op, new)


def get_mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[int | SSAValue]:
    """Numbers, and values where they are not static."""
    values = iter(dynamic)
    return [next(values) if number == DYNAMIC_INDEX else number for number in static]


class ConvertSubview(ConversionPattern[memref.SubviewOp]):
    """
    %r = memref.subview %m[%i, 2] [4, 2] [1, 1]
        : memref<8x4xf32> to memref<4x2xf32, strided<[4, 1], offset: ?>>
    →
    %0 = llvm.mul %i, %c4 : i64
    %1 = llvm.add %0, %c2 : i64
    %r = llvm.getelementptr inbounds %m[%1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    """

    def convert(self, op: memref.SubviewOp, rewriter: ConversionRewriter) -> None:
        get_strides(op.result.type)
        offsets = get_mixed(op.static_offsets.get_values(), op.offsets)
        rewriter.replace(op, get_address(rewriter, op.source, offsets))


class ConvertReinterpretCast(ConversionPattern[memref.ReinterpretCastOp]):
    """
    %r = memref.reinterpret_cast %m to offset: [%o], sizes: [4, 4], strides: [4, 1]
        : memref<64xf32> to memref<4x4xf32, strided<[4, 1], offset: ?>>
    →
    %r = llvm.getelementptr inbounds %m[%o] : (!llvm.ptr, i64) -> !llvm.ptr, f32

    The offset counts from the base of the source, which lies its own offset in front of its
    first element.
    """

    def convert(self, op: memref.ReinterpretCastOp, rewriter: ConversionRewriter) -> None:
        get_strides(op.result.type)
        offsets = get_mixed(op.static_offsets.get_values(), op.offsets)
        start = -get_offset(op.source.type)
        rewriter.replace(op, get_address(rewriter, op.source, offsets, [1], start))


class ConvertView(ConversionPattern[memref.ViewOp]):
    """
    %r = memref.view %m[%i][] : memref<2048xi8, 3> to memref<64x4xf32, 3>
    →
    %r = llvm.getelementptr inbounds %m[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
    """

    def convert(self, op: memref.ViewOp, rewriter: ConversionRewriter) -> None:
        get_strides(op.result.type)
        base, shift = rewriter.value(op.source), rewriter.value(op.byte_shift)
        rewriter.replace(op, move(rewriter, base, shift, get_element(rewriter, op.source)))


class ConvertDim(ConversionPattern[memref.DimOp]):
    """
    %r = memref.dim %m, %c1 : memref<8x4xf32>
    →
    %r = llvm.mlir.constant(4 : i64) : i64
    """

    def convert(self, op: memref.DimOp, rewriter: ConversionRewriter) -> None:
        ty, axis = get_type(op.source), get_integer(rewriter.value(op.index))
        if axis is None:
            raise ConversionError("the dimension is not known when it is compiled")
        shape = ty.get_shape()
        if axis not in range(len(shape)) or shape[axis] == DYNAMIC_INDEX:
            raise ConversionError(f"extent {axis} of '{ty}' is not known when it is compiled")
        rewriter.replace(op, make_integer(rewriter, shape[axis]))


class ConvertRank(ConversionPattern[memref.RankOp]):
    """
    %r = memref.rank %m : memref<8x4xf32>
    →
    %r = llvm.mlir.constant(2 : i64) : i64
    """

    def convert(self, op: memref.RankOp, rewriter: ConversionRewriter) -> None:
        rank = len(get_type(op.source).get_shape())
        rewriter.replace(op, make_integer(rewriter, rank))


class ConvertExtractPointer(ConversionPattern[memref.ExtractAlignedPointerAsIndexOp]):
    """
    %r = memref.extract_aligned_pointer_as_index %m : memref<8xf32, 3> -> index
    →
    %r = llvm.ptrtoint %m : !llvm.ptr<3> to i64

    Only if the layout has no offset: the base is not known otherwise.
    """

    def convert(
        self, op: memref.ExtractAlignedPointerAsIndexOp, rewriter: ConversionRewriter
    ) -> None:
        if get_offset(op.source.type):
            raise ConversionError(f"the base of '{op.source.type}' is not known")
        rewriter.replace(op, own_llvm.PtrToIntOp(rewriter.value(op.source), i64))


def populate_memref(patterns: PatternSet) -> None:
    """Adds a pattern for each op of `memref` that a GPU can run."""
    patterns.add(memref.LoadOp, ConvertMemrefLoad())
    patterns.add(memref.StoreOp, ConvertMemrefStore())
    patterns.add(memref.AtomicRMWOp, ConvertAtomicRMW())
    patterns.add(memref.AllocaOp, ConvertAlloca())
    patterns.add(memref.AllocOp, ConvertHeap())
    patterns.add(memref.DeallocOp, ConvertHeap())
    patterns.add(memref.GlobalOp, ConvertGlobal())
    patterns.add(memref.GetGlobalOp, ConvertGetGlobal())
    patterns.add(memref.CastOp, ConvertToSource())
    patterns.add(memref.AssumeAlignmentOp, ConvertToSource())
    patterns.add(memref.ExpandShapeOp, ConvertToSource())
    patterns.add(memref.CollapseShapeOp, ConvertToSource())
    patterns.add(memref.MemorySpaceCastOp, ConvertMemorySpaceCast())
    patterns.add(memref.SubviewOp, ConvertSubview())
    patterns.add(memref.ReinterpretCastOp, ConvertReinterpretCast())
    patterns.add(memref.ViewOp, ConvertView())
    patterns.add(memref.DimOp, ConvertDim())
    patterns.add(memref.RankOp, ConvertRank())
    patterns.add(memref.ExtractAlignedPointerAsIndexOp, ConvertExtractPointer())
