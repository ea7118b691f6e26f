"""WGMMA as upstream has it: whole tiles, from matrix descriptors to memory."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import (
    AddOp,
    AndOp,
    ExtractValueOp,
    LLVMPointerType,
    LLVMStructType,
    LShrOp,
    MulOp,
    OrOp,
    ShlOp,
    ZeroOp,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.llvm import GEPOp, PoisonOp, PtrToIntOp, StoreOp
from tileiras_xdsl.dialects.nvgpu import SwizzleKind, WarpgroupDescriptorType
from tileiras_xdsl.dialects.nvvm import MatrixShapeAttr
from tileiras_xdsl.dialects.vector import ExtractOp, ExtractStridedSliceOp, InsertStridedSliceOp
from tileiras_xdsl.targets.tma import DESCRIPTOR_SWIZZLES, size_words
from tileiras_xdsl.transforms.nvvm.llvm_symbols import position
from tileiras_xdsl.transforms.nvvm.llvm_types import element_of_memref
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

ADDRESS_MASK = 0x3FFFF
"""Of an address in shared memory, without the rank of the CTA in its cluster."""


SWIZZLES = size_words(DESCRIPTOR_SWIZZLES, "{}B")
"""The words of the dialect, in the order of their numbers."""


PTX_TYPES = {
    **{"f16": "f16", "bf16": "bf16", "f32": "tf32", "tf32": "tf32", "f8E4M3FN": "e4m3"},
    **{"f8E5M2": "e5m2", "i8": "s8", "si8": "s8", "ui8": "u8"},
}


def encode_descriptor(leading: int, stride: int, swizzle: SwizzleKind) -> int:
    """
    The bits of a descriptor but for the address, as a signed integer of 64 bits.

    | bits | field |
    | --- | --- |
    | 0-13 | address, in units of 16 bytes |
    | 16-29 | leading-dimension offset, in units of 16 bytes |
    | 32-45 | stride-dimension offset, in units of 16 bytes |
    | 49-51 | base offset: 0, since the pattern of the swizzle begins on its boundary |
    | 62-63 | swizzle |
    """
    bits = (
        (leading & ADDRESS_MASK) >> 4 << 16
        | (stride & ADDRESS_MASK) >> 4 << 32
        | SWIZZLES.index(swizzle) << 62
    )
    return bits - (1 << 64) if bits >> 63 else bits


def constant(rewriter: ConversionRewriter, value: int, ty: IntegerType) -> SSAValue:
    return rewriter.insert(arith.ConstantOp(IntegerAttr(value, ty))).result


class ConvertGenerateDescriptor(ConversionPattern[nvgpu.WarpgroupGenerateDescriptorOp]):
    """
    Packs the descriptor of a matrix in shared memory. All but the address is a constant.

        %desc = nvgpu.warpgroup.generate.descriptor %base {leading_byte_offset = 16 : i64,
            matrix_stride = 64 : i64, swizzle_base = 128 : i64, swizzle_mode = #nvgpu<swizzle 128B>}
            : !llvm.ptr<3> -> i64
        →
        %bits = arith.constant 4611686035607322624 : i64
        %int = llvm.ptrtoint %base : !llvm.ptr<3> to i64
        %m = llvm.and %int, %mask : i64
        %a = llvm.lshr %m, %c4 : i64
        %desc = llvm.or %bits, %a : i64
    """

    def convert(
        self, op: nvgpu.WarpgroupGenerateDescriptorOp, rewriter: ConversionRewriter
    ) -> None:
        bits = encode_descriptor(
            op.leading_byte_offset.value.data, op.matrix_stride.value.data, op.swizzle_mode.data
        )
        constants = [constant(rewriter, value, i64) for value in (bits, ADDRESS_MASK, 4)]
        address = rewriter.insert(PtrToIntOp(rewriter.value(op.base), i64)).results[0]
        masked = rewriter.insert(AndOp(address, constants[1])).res
        shifted = rewriter.insert(LShrOp(masked, constants[2])).res
        rewriter.replace(op, OrOp(constants[0], shifted))


class Tiling:
    """How many instructions a dot takes, and the distance of their matrix descriptors."""

    def __init__(self, op: nvgpu.WarpgroupMmaOp):
        self.shape: MatrixShapeAttr | None = None
        self.types: ArrayAttr[StringAttr] | None = op.types
        self.m_tiles = 1 if op.m_tiles is None else op.m_tiles.value.data
        self.k_steps = None if op.k_steps is None else op.k_steps.value.data
        self.a_step = None if op.a_step is None else op.a_step.value.data
        self.b_step = None if op.b_step is None else op.b_step.value.data
        self.a_tile_step = 0 if op.a_tile_step is None else op.a_tile_step.value.data
        if op.shape is not None:
            m, n, k = (extent.value.data for extent in op.shape)
            self.shape = MatrixShapeAttr.of(m, n, k)
        elif isinstance(op.a.type, WarpgroupDescriptorType):
            self.infer(op)

    def infer(self, op: nvgpu.WarpgroupMmaOp) -> None:
        """From types of upstream, which tell the shapes of whole tiles."""
        a, b = get_tile(op.a), get_tile(op.b)
        accumulator = op.accumulator.type
        whole = (
            accumulator.get("fragmented")
            if isinstance(accumulator, nvgpu.WarpgroupAccumulatorType)
            else None
        )
        if a is None or b is None or not isinstance(whole, VectorType):
            return
        (m, k), (_, n) = a.get_shape(), whole.get_shape()
        names = [str(ty.element_type) for ty in (a, b)]
        if m % 64 or not set(names) <= set(PTX_TYPES):
            raise ConversionError(f"has no instruction for tiles '{a}' and '{b}'")
        d = str(whole.get_element_type())
        size = getattr(a.element_type, "bitwidth", 0) // 8
        step = 32 // size
        words = [{"i32": "s32"}.get(d, d), *(PTX_TYPES[name] for name in names)]
        self.shape = MatrixShapeAttr.of(64, n, step)
        self.types = ArrayAttr(StringAttr(word) for word in words)
        self.m_tiles, self.k_steps = m // 64, k // step
        self.a_step = 32 >> 4
        self.b_step = (32 if op.trans_b is None else b.get_shape()[0] * 32) >> 4
        self.a_tile_step = 64 * k * size >> 4


def get_tile(descriptor: SSAValue) -> MemRefType | None:
    """The matrix that a descriptor of upstream's describes."""
    if not isinstance(descriptor.type, WarpgroupDescriptorType):
        return None
    tile = descriptor.type.get("tensor")
    return tile if isinstance(tile, MemRefType) and tile.get_num_dims() == 2 else None


class ConvertMma(ConversionPattern[nvgpu.WarpgroupMmaOp]):
    """
    A dot of whole tiles: fence, WGMMAs, commit, wait. An `async` one does not wait.

        %d = nvgpu.warpgroup.mma %a, %b, %c : i64, i64, !llvm.struct<(f32, f32)>
        →
        nvvm.wgmma.fence.aligned
        %d = nvvm.wgmma.mma_async %a, %b, %c : i64, i64, !llvm.struct<(f32, f32)>
        nvvm.wgmma.commit.group.sync.aligned
        nvvm.wgmma.wait.group.sync.aligned 0

    Steps along K are left to one `mma_async`; each tile of 64 rows is one.
    """

    def convert(self, op: nvgpu.WarpgroupMmaOp, rewriter: ConversionRewriter) -> None:
        tiling = Tiling(op)
        a, b = rewriter.value(op.a), rewriter.value(op.b)
        accumulator = rewriter.value(op.accumulator)
        parts = split(rewriter, accumulator, tiling.m_tiles)
        lefts = [a]
        for tile in range(1, tiling.m_tiles):
            if a.type != i64:
                raise ConversionError("has several tiles of rows, but A in registers")
            offset = constant(rewriter, tile * tiling.a_tile_step, i64)
            lefts.append(rewriter.insert(AddOp(a, offset)).res)
        rewriter.insert(nvvm.WgmmaFenceAlignedOp())
        results = [
            rewriter.insert(
                nvvm.WgmmaMmaAsyncOp(
                    left,
                    b,
                    part,
                    shape=tiling.shape,
                    types=tiling.types,
                    trans_a=op.trans_a is not None,
                    trans_b=op.trans_b is not None,
                    k_steps=tiling.k_steps,
                    a_step=_step(tiling.a_step),
                    b_step=_step(tiling.b_step),
                )
            ).result
            for left, part in zip(lefts, parts, strict=True)
        ]
        rewriter.insert(nvvm.WgmmaCommitGroupOp())
        if op.is_async is None:
            rewriter.insert(nvvm.WgmmaWaitGroupOp(0))
        rewriter.replace(op, join(rewriter, accumulator, results))


def _step(step: int | None) -> IntegerAttr | None:
    return None if step is None else IntegerAttr(step, i64)


def split(rewriter: ConversionRewriter, value: SSAValue, count: int) -> list[SSAValue]:
    """The accumulators of tiles of rows."""
    if count == 1:
        return [value]
    ty = value.type
    if not isinstance(ty, VectorType) or ty.get_shape()[0] % count:
        raise ConversionError(f"has {count} tiles of rows, but an accumulator of type '{ty}'")
    size = ty.get_shape()[0] // count
    return [
        rewriter.insert(ExtractStridedSliceOp(value, [index * size], [size])).result
        for index in range(count)
    ]


def join(rewriter: ConversionRewriter, whole: SSAValue, parts: Sequence[SSAValue]) -> SSAValue:
    """The opposite of `split`."""
    if len(parts) == 1:
        return parts[0]
    for index, part in enumerate(parts):
        assert isinstance(part.type, VectorType)
        offset = index * part.type.get_shape()[0]
        whole = rewriter.insert(InsertStridedSliceOp(part, whole, [offset])).result
    return whole


class ConvertInitAccumulator(ConversionPattern[nvgpu.WarpgroupMmaInitAccumulatorOp]):
    """
    The accumulator to begin with.

        %c = nvgpu.warpgroup.mma.init.accumulator -> !llvm.struct<(f32, f32)>
        →
        %c = llvm.mlir.zero : !llvm.struct<(f32, f32)>
    """

    def convert(
        self, op: nvgpu.WarpgroupMmaInitAccumulatorOp, rewriter: ConversionRewriter
    ) -> None:
        ty = rewriter.type(op.accumulator.type)
        rewriter.replace(op, PoisonOp(ty) if op.poison is not None else make_zero(ty))


def make_zero(ty: Attribute) -> Operation:
    """Zeros of a struct or vector."""
    if isa(ty, VectorType[IntegerType]):
        return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(ty, [0]))
    if isa(ty, VectorType[AnyFloat]):
        return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(ty, [0.0]))
    return ZeroOp.create(result_types=[ty])


class ConvertMmaStore(ConversionPattern[nvgpu.WarpgroupMmaStoreOp]):
    """
    Each thread stores what it holds. Of tile t of 64 rows, element i is in row
    64 t + 16 warp + lane / 4 + 8 (i / 2 % 2) and column 8 (i / 4) + 2 (lane % 4) + i % 2.

        nvgpu.warpgroup.mma.store %d, %dst : vector<4xf32> to memref<64x8xf32, 3>
        →
        %t = nvvm.read.ptx.sreg.tid.x : i32
        … the address of the first element of the thread
        llvm.store %d0, %p0 : f32, !llvm.ptr<3>
        … a store of each element
    """

    def convert(self, op: nvgpu.WarpgroupMmaStoreOp, rewriter: ConversionRewriter) -> None:
        accumulator = rewriter.value(op.accumulator)
        elements = get_elements(rewriter, accumulator)
        ty = op.dst.type
        if not isinstance(ty, MemRefType):
            raise ConversionError(f"needs a memref of rank 2, but got '{ty}'")
        strides = ty.get_strides()
        if strides is None or ty.get_num_dims() != 2:
            raise ConversionError(f"needs a memref of rank 2, but got '{ty}'")
        (m, n), (row_stride, column_stride) = ty.get_shape(), strides
        if row_stride is None or column_stride is None or min(m, n, row_stride, column_stride) < 0:
            raise ConversionError(f"needs a memref of static shape and strides, but got '{ty}'")
        if m % 64 or n % 8 or m * n != len(elements) * 128:
            raise ConversionError(f"cannot store {len(elements)} elements per thread to '{ty}'")
        element_type = element_of_memref(ty)
        if elements[0].type != element_type:
            raise ConversionError(f"cannot store elements '{elements[0].type}' to '{ty}'")
        pointer = rewriter.value(op.dst)
        pointer_type = pointer.type
        assert isinstance(pointer_type, LLVMPointerType)
        base = self.get_base(rewriter, pointer, element_type, row_stride, column_stride)
        per_tile = 64 * n // 128
        for number, element in enumerate(elements):
            tile, i = divmod(number, per_tile)
            row, column = 64 * tile + 8 * (i // 2 % 2), 8 * (i // 4) + i % 2
            offset = row * row_stride + column * column_stride
            address = base
            if offset:
                address = rewriter.insert(
                    GEPOp.from_mixed_indices(base, [offset], element_type, result_type=pointer_type)
                ).results[0]
            rewriter.insert(StoreOp(element, address))
        rewriter.replace(op, [])

    @staticmethod
    def get_base(
        rewriter: ConversionRewriter,
        pointer: SSAValue,
        element: Attribute,
        row_stride: int,
        column_stride: int,
    ) -> SSAValue:
        """The address of the first element of a thread."""
        pointer_type = pointer.type
        assert isinstance(pointer_type, LLVMPointerType)

        def combine(op: type[AddOp | MulOp | AndOp | LShrOp | ShlOp], value: SSAValue, number: int):
            return rewriter.insert(op(value, constant(rewriter, number, i32))).results[0]

        thread = rewriter.insert(nvvm.read_register("tid.x")).result
        thread = combine(AndOp, thread, 127)
        warp = combine(LShrOp, thread, 5)
        row = combine(ShlOp, warp, 4)
        lane = combine(AndOp, thread, 31)
        row = rewriter.insert(AddOp(row, combine(LShrOp, lane, 2))).res
        column = combine(ShlOp, combine(AndOp, lane, 3), 1)
        rows = combine(MulOp, row, row_stride)
        columns = combine(MulOp, column, column_stride)
        index = rewriter.insert(AddOp(rows, columns)).res
        return rewriter.insert(
            GEPOp.from_mixed_indices(pointer, [index], element, result_type=pointer_type)
        ).results[0]


def get_elements(rewriter: ConversionRewriter, value: SSAValue) -> list[SSAValue]:
    """The elements of a struct or vector."""
    match value.type:
        case LLVMStructType():
            return [
                rewriter.insert(ExtractValueOp(position(index), value, ty)).res
                for index, ty in enumerate(value.type.types)
            ]
        case VectorType():
            count = value.type.get_shape()[0]
            return [rewriter.insert(ExtractOp(value, [lane])).result for lane in range(count)]
        case _:
            raise ConversionError(f"has an accumulator of type '{value.type}'")


class ConvertWarpgroupWait(ConversionPattern[nvgpu.WarpgroupWaitOp]):
    """
    Waits for WGMMAs; the accumulators that are complete then pass through.

        %d = nvgpu.warpgroup.wait %c {groups = 0 : i32} : vector<4xf32>
        →
        %d = nvvm.wgmma.wait.group.sync.aligned 0, %c : vector<4xf32>
    """

    def convert(self, op: nvgpu.WarpgroupWaitOp, rewriter: ConversionRewriter) -> None:
        values = rewriter.values(op.accumulators)
        rewriter.replace(op, nvvm.WgmmaWaitGroupOp(op.groups.value.data, values))


def populate_whole_mma(patterns: PatternSet) -> None:
    patterns.add(nvgpu.WarpgroupGenerateDescriptorOp, ConvertGenerateDescriptor())
    patterns.add(nvgpu.WarpgroupMmaOp, ConvertMma())
    patterns.add(nvgpu.WarpgroupMmaInitAccumulatorOp, ConvertInitAccumulator())
    patterns.add(nvgpu.WarpgroupMmaStoreOp, ConvertMmaStore())
    patterns.add(nvgpu.WarpgroupWaitOp, ConvertWarpgroupWait())
