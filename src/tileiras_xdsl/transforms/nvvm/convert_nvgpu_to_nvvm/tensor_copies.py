"""TMA copies and tensor maps."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32, i64
from xdsl.ir import Attribute, Block, SSAValue

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.nvvm import TensorMapField, TensorMapFieldAttr
from tileiras_xdsl.targets import tma
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .types import get_barrier


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
        load.group, load.leader_barrier = op.group, op.leader_barrier
        rewriter.replace(op, load)


class ConvertTmaGather4(ConversionPattern[nvgpu.TmaGather4Op]):
    """
    TMA load of four rows.

        nvgpu.tma.gather4 %dst, %bar, %map[%x, %r0, %r1, %r2, %r3]
            : !llvm.ptr<3>, !nvgpu.mbarrier, !llvm.ptr
        →
        nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile.gather4 %dst, %map, %x, %r0, %r1,
            %r2, %r3, %bar : !llvm.ptr<3>, !llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr<3>
    """

    def convert(self, op: nvgpu.TmaGather4Op, rewriter: ConversionRewriter) -> None:
        load = nvvm.BulkTensorGather4Op(
            rewriter.value(op.dst),
            rewriter.value(op.descriptor),
            *rewriter.values(op.coordinates),
            get_barrier(rewriter, op.barrier, 1),
            multicast_mask=rewriter.optional(op.multicast_mask),
            cache_hint=rewriter.optional(op.l2_cache_hint),
        )
        load.group, load.leader_barrier = op.group, op.leader_barrier
        rewriter.replace(op, load)


class ConvertTmaScatter4(ConversionPattern[nvgpu.TmaScatter4Op]):
    """
    TMA store of four rows.

        nvgpu.tma.scatter4 %src, %map[%x, %r0, %r1, %r2, %r3] : !llvm.ptr<3>, !llvm.ptr
        →
        nvvm.cp.async.bulk.tensor.2d.global.shared.cta.tile.scatter4 %map, %x, %r0, %r1, %r2, %r3,
            %src : !llvm.ptr, i32, i32, i32, i32, i32, !llvm.ptr<3>
    """

    def convert(self, op: nvgpu.TmaScatter4Op, rewriter: ConversionRewriter) -> None:
        store = nvvm.BulkTensorScatter4Op(
            rewriter.value(op.descriptor),
            *rewriter.values(op.coordinates),
            rewriter.value(op.src),
            cache_hint=rewriter.optional(op.l2_cache_hint),
        )
        rewriter.replace(op, store)


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


class ConvertReduce(ConversionPattern[nvgpu.TmaReduceOp]):
    """
    TMA reduction.

        nvgpu.tma.reduce %src, %map[%x, %y] {red_op = #nvvm.tma_redux_kind<add>}
            : !llvm.ptr<3>, !llvm.ptr
        →
        nvvm.cp.async.bulk.tensor.reduce %map, %x, %y, %src {red_op = #nvvm.tma_redux_kind<add>}
            : !llvm.ptr, i32, i32, !llvm.ptr<3>
    """

    def convert(self, op: nvgpu.TmaReduceOp, rewriter: ConversionRewriter) -> None:
        reduce = nvvm.BulkTensorReduceOp(
            rewriter.value(op.descriptor),
            *rewriter.values(op.coordinates),
            rewriter.value(op.src),
            cache_hint=rewriter.optional(op.l2_cache_hint),
            red_op=op.red_op,
        )
        rewriter.replace(op, reduce)


class ConvertFenceDescriptor(ConversionPattern[nvgpu.TmaFenceDescriptorOp]):
    """
    Shows what was written to a tensor map to copies.

        nvgpu.tma.fence.descriptor %map : !nvgpu.tensormap.descriptor
        →
        nvvm.fence.proxy.acquire.sync %map : !llvm.ptr

    With a scope, all bytes of the map are named.

        nvgpu.tma.fence.descriptor %map {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr
        →
        nvvm.fence.proxy.acquire %map, %c128 {scope = #nvvm.mem_scope<gpu>} : !llvm.ptr, i32
    """

    def convert(self, op: nvgpu.TmaFenceDescriptorOp, rewriter: ConversionRewriter) -> None:
        descriptor = rewriter.value(op.descriptor)
        if op.scope is None:
            rewriter.replace(op, nvvm.FenceProxyAcquireSyncOp(descriptor))
        else:
            size = constant(rewriter, tma.MAP_BYTES, i32)
            rewriter.replace(op, nvvm.FenceProxyAcquireOp(descriptor, size, op.scope.data))


class ConvertEncodeDescriptor(ConversionPattern[nvgpu.TmaEncodeDescriptorOp]):
    """
    Writes the fields of a tensor map, one by one.

        nvgpu.tma.encode.descriptor %map, %address dims[%d0, %d1] strides[%s1] {
            box = array<i32: 64, 128>, element = "f16", swizzle = 128 : i32} : !llvm.ptr<3>
        →
        nvvm.tensormap.replace %map, %address {field = #nvvm.tensormap_field<global_address>} : …
        nvvm.tensormap.replace %map, %c1 {field = #nvvm.tensormap_field<rank>} : …
        nvvm.tensormap.replace %map, %c64 {field = #nvvm.tensormap_field<box_dim>, ord = 0 : i32} …
        … of each dimension its extents, and strides in bytes
        … element type, interleave, swizzle, fill
    """

    def __init__(self) -> None:
        self.constants: dict[tuple[Block | None, int], SSAValue] = {}
        """Those of maps that were written before in a block."""

    def convert(self, op: nvgpu.TmaEncodeDescriptorOp, rewriter: ConversionRewriter) -> None:
        place, element = rewriter.value(op.descriptor), op.get_element()
        block = op.parent

        def write(field: TensorMapField, value: SSAValue | int, dimension: int | None = None):
            if isinstance(value, int):
                known = self.constants.get((block, value))
                if known is None:
                    known = constant(rewriter, value, i32)
                    self.constants[block, value] = known
                value = known
            properties: dict[str, Attribute] = {"field": TensorMapFieldAttr(field)}
            if dimension is not None:
                properties["ord"] = IntegerAttr(dimension, i32)
            # An instruction for each field: `create` is much faster than the constructor.
            replace = nvvm.TensorMapReplaceOp.create(operands=[place, value], properties=properties)
            rewriter.insert(replace)

        write(TensorMapField.GLOBAL_ADDRESS, rewriter.value(op.address))
        write(TensorMapField.RANK, len(op.dims) - 1)
        gaps = op.get_element_strides()
        for index, (extent, size) in enumerate(
            zip(op.get_box(), rewriter.values(op.dims), strict=True)
        ):
            own = extent if isinstance(extent, int) else rewriter.value(extent)
            write(TensorMapField.BOX_DIM, own, index)
            write(TensorMapField.GLOBAL_DIM, size, index)
            write(TensorMapField.ELEMENT_STRIDE, gaps[index], index)
        for index, stride in enumerate(rewriter.values(op.strides)):
            width = constant(rewriter, element.bytes, i64)
            stride = rewriter.insert(arith.MuliOp(stride, width)).result
            write(TensorMapField.GLOBAL_STRIDE, stride, index)
        write(TensorMapField.ELEMTYPE, element.device)
        write(TensorMapField.INTERLEAVE_LAYOUT, tma.INTERLEAVES.index(0))
        write(TensorMapField.SWIZZLE_MODE, tma.SWIZZLES.index(op.swizzle_bytes))
        fill = tma.FILLS.index("zero" if op.fill_nan is None else "nan")
        write(TensorMapField.FILL_MODE, fill)
        rewriter.replace(op, [])


def constant(rewriter: ConversionRewriter, value: int, ty: IntegerType) -> SSAValue:
    return rewriter.insert(arith.ConstantOp(IntegerAttr(value, ty))).result


def populate_tensor_copies(patterns: PatternSet) -> None:
    patterns.add(nvgpu.TmaAsyncLoadOp, ConvertTmaLoad())
    patterns.add(nvgpu.TmaAsyncStoreOp, ConvertTmaStore())
    patterns.add(nvgpu.TmaGather4Op, ConvertTmaGather4())
    patterns.add(nvgpu.TmaScatter4Op, ConvertTmaScatter4())
    patterns.add(nvgpu.TmaReduceOp, ConvertReduce())
    patterns.add(nvgpu.TmaEncodeDescriptorOp, ConvertEncodeDescriptor())
    patterns.add(nvgpu.TmaFenceDescriptorOp, ConvertFenceDescriptor())
