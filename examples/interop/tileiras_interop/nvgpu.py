"""
Conversions of the ops of `nvgpu` that upstream has, and our kernels are not made of: barriers in
shared memory, copies, packed arithmetic. Matrices, tensor maps and whole tiles have files of their
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import ClassVar, cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    I64,
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    Float32Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    UnrealizedConversionCastOp,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import (
    AddOp,
    AndOp,
    BitcastOp,
    ExtractValueOp,
    InlineAsmOp,
    LLVMArrayType,
    LLVMPointerType,
    LLVMStructType,
    LShrOp,
    MulOp,
    OrOp,
    ShlOp,
    TruncOp,
    ZeroOp,
    ZExtOp,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.llvm import AddrSpaceCastOp, GEPOp, PoisonOp, PtrToIntOp, StoreOp
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nvgpu import (
    ParameterizedType,
    SwizzleKind,
    TokenType,
    WarpgroupDescriptorType,
)
from tileiras_xdsl.dialects.nvvm import MatrixShapeAttr, MatrixType, MemScope
from tileiras_xdsl.dialects.vector import (
    ExtractOp,
    ExtractStridedSliceOp,
    FromElementsOp,
    InsertStridedSliceOp,
    ShapeCastOp,
)
from tileiras_xdsl.targets import tma
from tileiras_xdsl.targets.tma import DESCRIPTOR_SWIZZLES, size_words
from tileiras_xdsl.transforms.nvvm.llvm_types import (
    RuntimeSymbols,
    address_of,
    allocate,
    constant,
    element_of_memref,
    get_element_address,
    get_function,
    get_integers,
    position,
    replace_by,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
    TypeConverter,
    get_source,
    reconcile_casts,
)
from tileiras_xdsl.xdsl_extras.walking import walk

# `mma.sync` on fragments as upstream has them.

ELEMENT_TYPES = {
    **{"f16": "f16", "bf16": "bf16", "f64": "f64", "f8E4M3FN": "e4m3", "f8E5M2": "e5m2"},
    **{"i8": "s8", "si8": "s8", "ui8": "u8", "i4": "s4", "si4": "s4", "ui4": "u4", "i1": "b1"},
}
"""How PTX names the elements of A and B."""


def count_of(ty: VectorType) -> int:
    """The elements of a vector."""
    return prod(ty.get_shape())


def get_vector(value: SSAValue) -> VectorType:
    """The type of a vector."""
    if not isinstance(value.type, VectorType):
        raise ConversionError(f"needs vectors, but got '{value.type}'")
    return value.type


def flatten(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    """A vector of rank 1 of the same elements."""
    ty = get_vector(value)
    if ty.get_num_dims() == 1:
        return value
    flat = VectorType(ty.get_element_type(), [count_of(ty)])
    return rewriter.insert(ShapeCastOp(value, flat)).result


def to_registers(rewriter: ConversionRewriter, value: SSAValue) -> list[SSAValue]:
    """The registers of a fragment: `f32` and `i32` as they are, others packed into `i32`."""
    flat = flatten(rewriter, value)
    ty = get_vector(flat)
    element = ty.get_element_type()
    assert isinstance(element, FixedBitwidthType)
    if element.bitwidth != 32:
        packed = VectorType(i32, [count_of(ty) * element.bitwidth // 32])
        flat = rewriter.insert(BitcastOp(flat, packed)).result
    count = get_vector(flat).get_shape()[0]
    return [rewriter.insert(ExtractOp(flat, [index])).result for index in range(count)]


def unflatten(rewriter: ConversionRewriter, value: SSAValue, ty: Attribute) -> SSAValue:
    """The opposite of `flatten`."""
    if value.type == ty:
        return value
    assert isinstance(ty, VectorType)
    return rewriter.insert(ShapeCastOp(value, ty)).result


def get_ptx_types(op: nvgpu.MmaSyncOp | nvgpu.MmaSparseSyncOp) -> tuple[str, str]:
    """How PTX names the elements of A and B: as is said, or by their types."""
    if op.types is not None:
        _, a, b = (ty.data for ty in op.types)
        return a, b
    names: list[str] = []
    for value in (op.a, op.b):
        element = get_vector(value).get_element_type()
        if isinstance(element, Float32Type):
            if op.tf32_enabled is None:
                raise ConversionError("multiplies f32, which needs tf32Enabled")
            names.append("tf32")
        elif str(element) in ELEMENT_TYPES:
            names.append(ELEMENT_TYPES[str(element)])
        else:
            raise ConversionError(f"cannot multiply elements of type '{element}'")
    return names[0], names[1]


def get_shape(shape: ArrayAttr[IntegerAttr[I64]]) -> MatrixShapeAttr:
    """The extents of an instruction."""
    m, n, k = (extent.value.data for extent in shape)
    return MatrixShapeAttr.of(m, n, k)


class ConvertMmaSync(ConversionPattern[nvgpu.MmaSyncOp]):
    """
    An MMA of one warp; fragments are flat vectors.

        %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]}
            : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
        →
        … vector.shape_cast of A, B and C
        %r = nvvm.mma.sync A[%a1] B[%b1] C[%c1] {shape = #nvvm.shape<m = 16, n = 8, k = 16>,
            layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
            multiplicandAPtxType = #nvvm.mma_type<f16>, multiplicandBPtxType = #nvvm.mma_type<f16>}
            : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
        %d = vector.shape_cast %r : vector<4xf32> to vector<2x2xf32>
    """

    def convert(self, op: nvgpu.MmaSyncOp, rewriter: ConversionRewriter) -> None:
        type_a, type_b = get_ptx_types(op)
        a, b, c = (flatten(rewriter, rewriter.value(value)) for value in (op.a, op.b, op.c))
        mma = nvvm.MmaSyncOp(
            [a],
            [b],
            [c],
            c.type,
            shape=get_shape(op.mma_shape),
            type_a=MatrixType(type_a),
            type_b=MatrixType(type_b),
        )
        result = rewriter.insert(mma).result
        rewriter.replace(op, unflatten(rewriter, result, op.result.type))


def from_registers(
    rewriter: ConversionRewriter, registers: Sequence[SSAValue], ty: VectorType
) -> SSAValue:
    """The opposite of `to_registers`."""
    value = rewriter.insert(FromElementsOp(registers)).results[0]
    flat = VectorType(ty.get_element_type(), [count_of(ty)])
    if value.type != flat:
        value = rewriter.insert(BitcastOp(value, flat)).result
    return unflatten(rewriter, value, ty)


class ConvertMmaSparseSync(ConversionPattern[nvgpu.MmaSparseSyncOp]):
    """
    An MMA of one warp with a sparse operand A, for which there is no op: inline PTX.

        %d = nvgpu.mma.sp.sync(%a, %b, %c) metadata(%meta) {mmaShape = [16, 8, 16]}
            : (vector<2x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
        →
        %r = llvm.inline_asm has_side_effects "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
            {$0, $1}, {$2, $3}, {$4, $5}, {$6, $7}, $8, 0x0;", "=r,=r,r,r,r,r,r,r,r" …
            : (i32, …) -> !llvm.struct<(i32, i32)>
    """

    def convert(self, op: nvgpu.MmaSparseSyncOp, rewriter: ConversionRewriter) -> None:
        type_a, type_b = get_ptx_types(op)
        ty = op.result.type
        assert isinstance(ty, VectorType)
        element = ty.get_element_type()
        type_c = "s32" if isinstance(element, IntegerType) else str(element)
        groups = [to_registers(rewriter, rewriter.value(v)) for v in (op.a, op.b, op.c)]
        metadata = rewriter.insert(BitcastOp(rewriter.value(op.sparse_metadata), i32)).result
        results = groups[2]

        text: list[str] = []
        number = 0
        for group in (results, *groups):
            names = (f"${number + index}" for index in range(len(group)))
            text.append(f"{{{', '.join(names)}}}")
            number += len(group)
        m, n, k = get_shape(op.mma_shape).extents
        saturate = ".satfinite" if isinstance(element, IntegerType) else ""
        name = (
            f"mma.sp.sync.aligned.m{m}n{n}k{k}.row.col{saturate}"
            f".{type_c}.{type_a}.{type_b}.{type_c}"
        )
        selector = 0 if op.sparsity_selector is None else op.sparsity_selector.value.data
        operands = [*groups[0], *groups[1], *groups[2], metadata]
        constraints = [f"={_constraint(value.type)}" for value in results]
        constraints += [_constraint(value.type) for value in operands]
        types = [value.type for value in results]
        struct = types[0] if len(types) == 1 else LLVMStructType.from_type_list(types)
        asm = rewriter.insert(
            InlineAsmOp(
                f"{name} {', '.join(text)}, ${number}, {selector:#x};",
                ",".join(constraints),
                operands,
                [struct],
                has_side_effects=True,
            )
        )
        result = asm.results[0]
        registers = [result]
        if len(types) > 1:
            registers = [
                rewriter.insert(ExtractValueOp(position(index), result, register)).res
                for index, register in enumerate(types)
            ]
        rewriter.replace(op, from_registers(rewriter, registers, ty))


def _constraint(ty: Attribute) -> str:
    return "f" if isinstance(ty, Float32Type) else "r"


def populate_warp_mma(patterns: PatternSet) -> None:
    patterns.add(nvgpu.MmaSyncOp, ConvertMmaSync())
    patterns.add(nvgpu.MmaSparseSyncOp, ConvertMmaSparseSync())


# Tensor maps that the driver encodes, and those that are pointed to another tensor.

POINTER = LLVMPointerType()

MAP_SWIZZLE_NAMES = tma.size_words(tma.SWIZZLES, "swizzle_{}b")
INTERLEAVES = tma.size_words(tma.INTERLEAVES, "interleave_{}b")
PROMOTIONS = tma.size_words(tma.PROMOTIONS, "l2promo_{}b")
"""The words of the dialect for settings of a map, in the order of their numbers."""


RANK, DATA_TYPE, INTERLEAVE, SWIZZLE, PROMOTION, FILL = range(8, 32, 4)
EXTENTS, BOX, STRIDES = 32, 52, 72
"""Offsets of fields in the parameter block; the address of the tensor is at 0."""


def get_setting(ty: nvgpu.TensorMapDescriptorType, name: str, words: Sequence[str]) -> int:
    """The number of a setting; what the type does not say is 0."""
    value = ty.get(name)
    if value is None:
        return 0
    # `none` is read as the type of that name.
    word = value.data if isinstance(value, StringAttr) else str(value)
    if word in words:
        return words.index(word)
    raise ConversionError(f"has an unknown {name} '{word}' (expected one of {', '.join(words)})")


class ConvertCreateDescriptor(ConversionPattern[nvgpu.TmaCreateDescriptorOp]):
    """
    Writes down what the driver has to know to encode a tensor map, on the stack: address, rank,
    element type, interleave, swizzle, promotion, fill, extents, box and strides in bytes. The
    innermost dimension comes first.

        %map = nvgpu.tma.create.descriptor %tensor box[%h, %w]
            : memref<64x128xf16> -> !nvgpu.tensormap.descriptor<swizzle = swizzle_128b>
        →
        %map = llvm.alloca %c1 x !llvm.array<128 x i8> {alignment = 64 : i64} : (i32) -> !llvm.ptr
        … a store of each field
    """

    def convert(self, op: nvgpu.TmaCreateDescriptorOp, rewriter: ConversionRewriter) -> None:
        tensor = op.tensor
        if isinstance(tensor.owner, memref.CastOp):
            tensor = tensor.owner.source
        ty, map_type = tensor.type, op.descriptor.type
        if not isinstance(ty, MemRefType):
            raise ConversionError(
                f"needs a memref whose rank is known, or a cast of one, but got '{ty}'"
            )
        rank = ty.get_num_dims()
        if rank != len(op.box_dimensions):
            raise ConversionError(f"has a box of rank {len(op.box_dimensions)} of '{ty}'")
        element = tma.find_map_element(str(ty.element_type))
        if element is None:
            raise ConversionError(f"has elements '{ty.element_type}', which no tensor map has")
        assert isinstance(map_type, nvgpu.TensorMapDescriptorType)

        array = LLVMArrayType(tma.MAP_BYTES, i8)
        block = allocate(op, array, tma.MAP_ALIGNMENT)

        def store(offset: int, value: SSAValue) -> None:
            address = rewriter.insert(get_element_address(block, i8, offset))
            rewriter.insert(StoreOp(value, address))

        pointer = rewriter.value(tensor)
        if pointer.type != POINTER:
            pointer = rewriter.insert(AddrSpaceCastOp(pointer, POINTER)).result
        store(0, rewriter.insert(PtrToIntOp(pointer, i64)).results[0])
        for offset, number in (
            (RANK, rank),
            (DATA_TYPE, element.driver),
            (INTERLEAVE, get_setting(map_type, "interleave", INTERLEAVES)),
            (SWIZZLE, get_setting(map_type, "swizzle", MAP_SWIZZLE_NAMES)),
            (PROMOTION, get_setting(map_type, "l2promo", PROMOTIONS)),
            (FILL, get_setting(map_type, "oob", tma.FILLS)),
        ):
            store(offset, constant(rewriter, number, i32))
        extents, strides = get_extents(tensor, ty, rewriter)
        for index, axis in enumerate(reversed(range(rank))):
            store(EXTENTS + 4 * index, _resize(rewriter, extents[axis], i32))
            box = rewriter.insert(arith.IndexCastOp(op.box_dimensions[axis], i32)).result
            store(BOX + 4 * index, box)
            if index:
                store(STRIDES + 8 * (index - 1), _resize(rewriter, strides[axis], i64))
        rewriter.replace(op, block)


def get_extents(
    tensor: SSAValue, ty: MemRefType, rewriter: ConversionRewriter
) -> tuple[list[SSAValue | int], list[SSAValue | int]]:
    """Extents, and strides in bytes, as far as they are known; the others as `index` values."""
    known = ty.get_strides()
    if known is None:
        raise ConversionError(f"needs strides, but '{ty}' has none")
    element = ty.element_type
    width = getattr(element, "bitwidth", 0) // 8
    extents: list[SSAValue | int] = []
    strides: list[SSAValue | int] = []
    metadata = None
    for axis, extent in enumerate(ty.get_shape()):
        if extent >= 0:
            extents.append(extent)
        else:
            index = rewriter.insert(arith.ConstantOp(IntegerAttr(axis, IndexType())))
            extents.append(rewriter.insert(memref.DimOp(tensor, index)).result)
    for axis, stride in enumerate(known):
        if stride is not None and stride >= 0:
            strides.append(stride * width)
            continue
        if metadata is None:
            metadata = rewriter.insert(memref.ExtractStridedMetaDataOp(tensor))
        size = rewriter.insert(arith.ConstantOp(IntegerAttr(width, IndexType())))
        stride = arith.MuliOp(metadata.strides[axis], size)
        strides.append(rewriter.insert(stride).result)
    return extents, strides


def _resize(rewriter: ConversionRewriter, value: SSAValue | int, ty: IntegerType) -> SSAValue:
    if isinstance(value, int):
        return constant(rewriter, value, ty)
    return rewriter.insert(arith.IndexCastOp(value, ty)).result


def is_in_cluster(op: Operation) -> bool:
    """Whether the kernel of an op runs in clusters of several CTAs."""
    function = get_function(op)
    for name in ("nvvm.cluster_dim", "gpu.known_cluster_size"):
        extents = get_integers(function.attributes.get(name))
        if extents is not None:
            return max(extents) > 1
    spec = KERNEL_SPEC.get(function)
    return spec is not None and spec.get_fields().get("num_ctas", 1) > 1


class ConvertRebindDescriptor(ConversionPattern[nvgpu.TmaRebindDescriptorOp]):
    """
    Points a tensor map to another tensor: address, extents, strides, in this order, between an
    acquiring and a releasing fence.

        nvgpu.tma.rebind.descriptor %map, %address dims[%d0, %d1] strides[%s0]
            : !nvgpu.tensormap.descriptor, !llvm.ptr<1>
        →
        nvvm.fence.proxy.acquire %map, %c128 {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr, i32
        llvm.inline_asm has_side_effects
            "tensormap.replace.tile.global_address.b1024.b64 [$0], $1;", "l,l,~{memory}" …
        llvm.inline_asm … "tensormap.replace.tile.global_dim.b1024.b32 [$0], 0, $1;" …
        llvm.inline_asm … "tensormap.replace.tile.global_dim.b1024.b32 [$0], 1, $1;" …
        llvm.inline_asm … "tensormap.replace.tile.global_stride.b1024.b64 [$0], 0, $1;" …
        nvvm.fence.proxy.release {scope = #nvvm.mem_scope<gpu>}
    """

    def convert(self, op: nvgpu.TmaRebindDescriptorOp, rewriter: ConversionRewriter) -> None:
        scope = MemScope.GPU if op.scope is None else op.scope.data
        if scope is MemScope.CTA and is_in_cluster(op):
            raise ConversionError("has scope 'cta', but other CTAs of the cluster see the map")
        pointer = rewriter.value(op.descriptor)
        space = ".global" if pointer.type == nvvm.GLOBAL_POINTER else ""

        def replace(field: str, ty: str, constraint: str, value: SSAValue, ordinal: str) -> None:
            text = f"tensormap.replace.tile.{field}{space}.b1024.{ty} [$0], {ordinal}$1;"
            constraints = f"l,{constraint},~{{memory}}"
            rewriter.insert(InlineAsmOp(text, constraints, [pointer, value], has_side_effects=True))

        size = constant(rewriter, tma.MAP_BYTES, i32)
        rewriter.insert(nvvm.FenceProxyAcquireOp(pointer, size, scope))
        address = rewriter.value(op.address)
        if isinstance(address.type, LLVMPointerType):
            address = rewriter.insert(PtrToIntOp(address, i64)).results[0]
        replace("global_address", "b64", "l", address, "")
        for axis, extent in enumerate(rewriter.values(op.dims)):
            replace("global_dim", "b32", "r", extent, f"{axis}, ")
        for axis, stride in enumerate(rewriter.values(op.strides)):
            replace("global_stride", "b64", "l", stride, f"{axis}, ")
        rewriter.replace(op, nvvm.FenceProxyReleaseOp(scope))


def populate_tensor_maps(patterns: PatternSet) -> None:
    patterns.add(nvgpu.TmaCreateDescriptorOp, ConvertCreateDescriptor())
    patterns.add(nvgpu.TmaRebindDescriptorOp, ConvertRebindDescriptor())


# WGMMA as upstream has it: whole tiles, from matrix descriptors to memory.

ADDRESS_MASK = 0x3FFFF
"""Of an address in shared memory, without the rank of the CTA in its cluster."""


DESCRIPTOR_SWIZZLE_NAMES = size_words(DESCRIPTOR_SWIZZLES, "{}B")
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
        | DESCRIPTOR_SWIZZLE_NAMES.index(swizzle) << 62
    )
    return bits - (1 << 64) if bits >> 63 else bits


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
            rewriter.insert(nvvm.WgmmaWaitGroupOp([], 0))
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
        rewriter.replace(op, nvvm.WgmmaWaitGroupOp(values, op.groups.value.data))


def populate_whole_mma(patterns: PatternSet) -> None:
    patterns.add(nvgpu.WarpgroupGenerateDescriptorOp, ConvertGenerateDescriptor())
    patterns.add(nvgpu.WarpgroupMmaOp, ConvertMma())
    patterns.add(nvgpu.WarpgroupMmaInitAccumulatorOp, ConvertInitAccumulator())
    patterns.add(nvgpu.WarpgroupMmaStoreOp, ConvertMmaStore())
    patterns.add(nvgpu.WarpgroupWaitOp, ConvertWarpgroupWait())


# Values of `nvgpu` types that control flow, or functions, pass on.

STRUCTURAL = ("arith", "cf", "func", "llvm", "scf")
"""Dialects whose ops pass on values of any type."""


def retype_values(root: Operation, converter: TypeConverter) -> None:
    """Lets values that are passed on have converted types, and removes casts that cancel out."""
    reconcile_casts(root)
    _retype_all(root, converter)
    reconcile_casts(root)
    _resize_tokens(root)


def _retype_all(root: Operation, converter: TypeConverter) -> None:
    """
    Gives the values that control flow passes on their converted types, so that the casts at both
    ends vanish. Functions of `gpu` keep their arguments: they say what a kernel is passed.
    """
    token = _get_token_type(root)

    def convert(ty: Attribute) -> Attribute:
        if not isinstance(ty, ParameterizedType):
            return ty
        return token if isinstance(ty, TokenType) else converter.convert(ty)

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


def _retype(value: SSAValue, ty: Attribute) -> None:
    """Changes the type of a value; users that do not just pass it on get a cast back."""
    old = value.type
    new = Rewriter.replace_value_with_new_type(value, ty)
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
            if i64 in types and any(isinstance(ty, TokenType) for ty in types):
                return i64
    return i32


def _resize_tokens(root: Operation) -> None:
    """A token of a copy says nothing, so it can stand where a state of a barrier could."""
    for op in tuple(walk(root)):
        if isinstance(op, UnrealizedConversionCastOp) and len(op.operands) == 1:
            source, result = op.operands[0].type, op.results[0].type
            if {source, result} == {i32, i64}:
                new = (ZExtOp if result == i64 else TruncOp)(op.operands[0], result)
                Rewriter.replace_op(op, new)


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

    def convert(self, op: nvgpu.MBarrierCreateOp, rewriter: ConversionRewriter) -> None:
        rewriter.type(op.barrier.type)
        ty: Attribute = i64
        if isinstance(op.barrier.type, nvgpu.MBarrierGroupType):
            ty = LLVMArrayType(op.barrier.type.num_barriers, i64)
        symbols = rewriter.state(RuntimeSymbols)
        storage = symbols.add_global(op, STORAGE, ty, space=nvvm.SHARED_SPACE, alignment=8)
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
    patterns.add(nvgpu.MBarrierCreateOp, ConvertCreate())
    patterns.add(nvgpu.MBarrierTestWaitOp, ConvertTestWait())
    patterns.add(nvgpu.TmaAsyncLoadOp, ConvertTmaLoad())
    patterns.add(nvgpu.TmaAsyncStoreOp, ConvertTmaStore())
    patterns.add(nvgpu.TmaFenceDescriptorOp, ConvertFenceDescriptor())
    patterns.add(nvgpu.DeviceAsyncCopyOp, ConvertAsyncCopy())
    patterns.add(nvgpu.RcpOp, ConvertRcp())
    populate_tensor_maps(patterns)
    populate_warp_mma(patterns)
    populate_whole_mma(patterns)
