"""Tensor maps that the driver encodes, and those that are pointed to another tensor."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import InlineAsmOp, LLVMArrayType, LLVMPointerType
from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.llvm import AddrSpaceCastOp, PtrToIntOp, StoreOp
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.nvvm import MemScope
from tileiras_xdsl.targets import tma
from tileiras_xdsl.transforms.nvvm.llvm_symbols import (
    allocate,
    constant,
    get_element_address,
    get_function,
)
from tileiras_xdsl.transforms.nvvm.llvm_types import get_integers
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

POINTER = LLVMPointerType()

SWIZZLES = tma.size_words(tma.SWIZZLES, "swizzle_{}b")
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
            (SWIZZLE, get_setting(map_type, "swizzle", SWIZZLES)),
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
