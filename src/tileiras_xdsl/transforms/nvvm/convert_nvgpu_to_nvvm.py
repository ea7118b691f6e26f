"""
Lowers `nvgpu` to `nvvm` and `llvm`.

    nvgpu.tma.async.load %dst[%x, %y], %bar, %map
        : memref<64x64xf16, 3>, !nvgpu.mbarrier, !nvgpu.tensormap.descriptor
    →
    %p = builtin.unrealized_conversion_cast %dst : memref<64x64xf16, 3> to !llvm.ptr<3>
    nvvm.cp.async.bulk.tensor.2d.shared.cluster.global.tile %p, %map, %x, %y, %bar
        {mode = #nvvm.load_mode<tile>} : !llvm.ptr<3>, !llvm.ptr, i32, i32, !llvm.ptr<3>

What becomes of types:

    !nvgpu.mbarrier, !nvgpu.mbarrier.group    !llvm.ptr<3>
    !nvgpu.tensormap.descriptor               !llvm.ptr
    !nvgpu.mbarrier.token                     i64
    !nvgpu.device.async.token                 i32
    !nvgpu.token                              what its definition yields, i64 or i32
    !nvgpu.warpgroup.descriptor<…>            i64
    !nvgpu.warpgroup.accumulator<fragmented = vector<64x8xf32>>    vector<4xf32>
    memref<64x64xf16, 3>                      !llvm.ptr<3>

Most of what our kernels do is said in `nvvm` from the start. Here are the conversions of the ops
that they have; those that only other front ends make are in `tileiras_interop`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    IntegerAttr,
    MemRefType,
    ModuleOp,
    UnrankedMemRefType,
    UnrealizedConversionCastOp,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import ExtractValueOp, LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.vector import FromElementsOp
from tileiras_xdsl.targets import tma
from tileiras_xdsl.targets.machine import WARPGROUP_THREADS
from tileiras_xdsl.transforms.common.interop import HINT, find_interop
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    ConversionTarget,
    PatternSet,
    TypeConversions,
    TypeConverter,
    apply_partial_conversion,
)
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .llvm_types import constant, convert_memref, position, replace_by

FAILURE = "failed to convert nvgpu to nvvm"

# Types


def convert_accumulator(ty: nvgpu.WarpgroupAccumulatorType) -> VectorType | None:
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


def convert_barrier(ty: Attribute) -> Attribute | None:
    """The address of an mbarrier, or of several, in shared memory."""
    return nvvm.SHARED_POINTER if nvgpu.is_barrier(ty) else None


CONVERSIONS: Final[TypeConversions] = {
    nvgpu.MBarrierType: convert_barrier,
    nvgpu.MBarrierGroupType: convert_barrier,
    nvgpu.TensorMapDescriptorType: lambda _: LLVMPointerType(),
    nvgpu.MBarrierTokenType: lambda _: i64,
    nvgpu.DeviceAsyncTokenType: lambda _: i32,
    nvgpu.WarpgroupDescriptorType: lambda _: i64,
    nvgpu.WarpgroupAccumulatorType: convert_accumulator,
    MemRefType: convert_memory,
    UnrankedMemRefType: convert_memory,
}
"""What becomes of all types but `!nvgpu.token`, which depends on the value."""


def has_bridges(root: Operation) -> bool:
    """Whether values of `nvgpu` types, or casts of such, may be left; our kernels have none."""
    return bool(find_all(root, UnrealizedConversionCastOp, func.FuncOp)) or any(
        isinstance(argument.type, nvgpu.ParameterizedType)
        for op in walk(root)
        for region in op.regions
        for block in region.blocks
        for argument in block.args
    )


# Patterns


class ConvertLdMatrix(ConversionPattern[nvgpu.LdMatrixOp]):
    """
    Loads matrices, and makes a vector of them.

        %v = nvgpu.ldmatrix %src {num = 2 : i32, transpose = false}
            : memref<256xi32, 3> -> vector<2xi32>
        →
        %p = nvvm.ldmatrix.sync %src {num = 2 : i32, trans = false}
            : !llvm.ptr<3> -> !llvm.struct<(i32, i32)>
        %v0 = llvm.extractvalue %p[0] : !llvm.struct<(i32, i32)>
        %v1 = llvm.extractvalue %p[1] : !llvm.struct<(i32, i32)>
        %v = vector.from_elements %v0, %v1 : vector<2xi32>
    """

    def convert(self, op: nvgpu.LdMatrixOp, rewriter: ConversionRewriter) -> None:
        num, transpose = op.num.value.data, bool(op.transpose.value.data)
        loaded = nvvm.LdMatrixOp(rewriter.value(op.src), num, trans=transpose)
        result = rewriter.insert(loaded).result
        registers = [result]
        if num > 1:
            registers = [
                rewriter.insert(ExtractValueOp(position(index), result, i32)).res
                for index in range(num)
            ]
        rewriter.replace(op, FromElementsOp(registers, VectorType(i32, [num])))


class ConvertCreateGroup(ConversionPattern[nvgpu.DeviceAsyncCreateGroupOp]):
    """
    A group of all copies so far, whatever the tokens are.

        %group = nvgpu.device_async_create_group %t0, %t1
            : (!nvgpu.token, !nvgpu.token) -> !nvgpu.token
        →
        nvvm.cp.async.commit.group
        %group = arith.constant 0 : i32
    """

    def convert(self, op: nvgpu.DeviceAsyncCreateGroupOp, rewriter: ConversionRewriter) -> None:
        replace_by(rewriter, op, nvvm.CpAsyncCommitGroupOp())


class ConvertAsyncWait(ConversionPattern[nvgpu.DeviceAsyncWaitOp]):
    """
    Waits until at most this many groups are in flight.

        nvgpu.device_async_wait %group {numGroups = 1 : i32} : !nvgpu.token
        →
        nvvm.cp.async.wait.group 1
    """

    def convert(self, op: nvgpu.DeviceAsyncWaitOp, rewriter: ConversionRewriter) -> None:
        groups = 0 if op.num_groups is None else op.num_groups.value.data
        rewriter.replace(op, nvvm.CpAsyncWaitGroupOp(groups))


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

    def convert(self, op: nvgpu.TmaEncodeDescriptorOp, rewriter: ConversionRewriter) -> None:
        place, element = rewriter.value(op.descriptor), op.get_element()
        block = op.parent

        def write(field: nvvm.TensorMapField, value: SSAValue | int, dimension: int | None = None):
            if isinstance(value, int):
                # Maps that are written in one block share constants.
                if (block, value) not in rewriter.shared:
                    rewriter.shared[block, value] = constant(rewriter, value, i32)
                value = rewriter.shared[block, value]
            properties: dict[str, Attribute] = {"field": nvvm.TensorMapFieldAttr(field)}
            if dimension is not None:
                properties["ord"] = IntegerAttr(dimension, i32)
            # An instruction for each field: `create` is much faster than the constructor.
            replace = nvvm.TensorMapReplaceOp.create(operands=[place, value], properties=properties)
            rewriter.insert(replace)

        write(nvvm.TensorMapField.GLOBAL_ADDRESS, rewriter.value(op.address))
        write(nvvm.TensorMapField.RANK, len(op.dims) - 1)
        gaps = op.get_element_strides()
        for index, (extent, size) in enumerate(
            zip(op.get_box(), rewriter.values(op.dims), strict=True)
        ):
            own = extent if isinstance(extent, int) else rewriter.value(extent)
            write(nvvm.TensorMapField.BOX_DIM, own, index)
            write(nvvm.TensorMapField.GLOBAL_DIM, size, index)
            write(nvvm.TensorMapField.ELEMENT_STRIDE, gaps[index], index)
        for index, stride in enumerate(rewriter.values(op.strides)):
            width = constant(rewriter, element.bytes, i64)
            stride = rewriter.insert(arith.MuliOp(stride, width)).result
            write(nvvm.TensorMapField.GLOBAL_STRIDE, stride, index)
        write(nvvm.TensorMapField.ELEMTYPE, element.device)
        write(nvvm.TensorMapField.INTERLEAVE_LAYOUT, tma.INTERLEAVES.index(0))
        write(nvvm.TensorMapField.SWIZZLE_MODE, tma.SWIZZLES.index(op.swizzle_bytes))
        fill = tma.FILLS.index("zero" if op.fill_nan is None else "nan")
        write(nvvm.TensorMapField.FILL_MODE, fill)
        rewriter.replace(op, [])


@cache
def make_patterns() -> PatternSet:
    """A pattern for each op; those that only other front ends make come from `tileiras_interop`."""
    patterns = PatternSet(_populate_rest)
    patterns.add(nvgpu.LdMatrixOp, ConvertLdMatrix())
    patterns.add(nvgpu.DeviceAsyncCreateGroupOp, ConvertCreateGroup())
    patterns.add(nvgpu.DeviceAsyncWaitOp, ConvertAsyncWait())
    patterns.add(nvgpu.TmaEncodeDescriptorOp, ConvertEncodeDescriptor())
    return patterns


def _populate_rest(patterns: PatternSet) -> None:
    if (interop := find_interop("nvgpu")) is None:
        patterns.hint = HINT
    else:
        interop.populate_upstream(patterns)


@cache
def make_target() -> ConversionTarget:
    """All of `nvgpu` must go."""
    target = ConversionTarget()
    target.add_legal_dialect("llvm", "nvvm")
    target.add_illegal_dialect(nvgpu.Nvgpu.name)
    return target


@dataclass(frozen=True)
class ConvertNvgpuToNvvmPass(ModulePass):
    """Converts all of `nvgpu` to `llvm` and `nvvm`. On failure the module is unchanged."""

    name = "convert-nvgpu-to-nvvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        converter = TypeConverter(CONVERSIONS)
        apply_partial_conversion(op, make_target(), converter, make_patterns(), FAILURE)
        if has_bridges(op) and (interop := find_interop("nvgpu")) is not None:
            interop.retype_values(op, converter)
