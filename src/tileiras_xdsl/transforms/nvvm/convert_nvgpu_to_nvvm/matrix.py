"""`ldmatrix`, `stmatrix` and WGMMA."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import FixedBitwidthType, VectorType, i32
from xdsl.dialects.llvm import BitcastOp, ExtractValueOp
from xdsl.ir import SSAValue

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.nvvm import MatrixLayout
from tileiras_xdsl.dialects.vector import ExtractOp, FromElementsOp, ShapeCastOp
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from ..llvm_symbols import position


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


# Matrices in shared memory


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

    Loads from several addresses stay one op.

        %v = nvgpu.ldmatrix %rows {num = 4 : i32, transpose = false}
            : vector<2x!llvm.ptr<3>> -> vector<16xf16>
        →
        %v = nvvm.fragment.ldmatrix %rows {num = 4 : i64}
            : vector<2x!llvm.ptr<3>> -> vector<16xf16>
    """

    def convert(self, op: nvgpu.LdMatrixOp, rewriter: ConversionRewriter) -> None:
        num, transpose = op.num.value.data, bool(op.transpose.value.data)
        if op.has_pieces:
            rows, ty = rewriter.value(op.src), get_vector(op.result)
            rewriter.replace(op, nvvm.FragmentLdMatrixOp(rows, ty, num=num, trans=transpose))
            return
        loaded = nvvm.LdMatrixOp(rewriter.value(op.src), num, trans=transpose)
        result = rewriter.insert(loaded).result
        registers = [result]
        if num > 1:
            registers = [
                rewriter.insert(ExtractValueOp(position(index), result, i32)).res
                for index in range(num)
            ]
        rewriter.replace(op, FromElementsOp(registers, VectorType(i32, [num])))


class ConvertStMatrix(ConversionPattern[nvgpu.StMatrixOp]):
    """
    Stores matrices; `transpose` is the layout `col`.

        nvgpu.stmatrix %v, %dst {transpose = false} : vector<2xi32>, memref<256xi32, 3>
        →
        … vector.extract of each register
        nvvm.stmatrix %dst, %r0, %r1 {layout = #nvvm.mma_layout<row>} : !llvm.ptr<3>, i32, i32

    Stores to several addresses stay one op, `nvvm.fragment.stmatrix`.
    """

    def convert(self, op: nvgpu.StMatrixOp, rewriter: ConversionRewriter) -> None:
        transpose = bool(op.transpose.value.data)
        if op.num is not None:
            value, rows = rewriter.value(op.value), rewriter.value(op.dst)
            num = op.num.value.data
            rewriter.replace(op, nvvm.FragmentStMatrixOp(value, rows, num=num, trans=transpose))
            return
        registers = to_registers(rewriter, rewriter.value(op.value))
        layout = MatrixLayout.COL if transpose else MatrixLayout.ROW
        rewriter.replace(op, nvvm.StMatrixOp(rewriter.value(op.dst), registers, layout))


# Four warps


class ConvertWarpgroupWait(ConversionPattern[nvgpu.WarpgroupWaitOp]):
    """
    Waits for WGMMAs; the accumulators that are complete then pass through.

        %d = nvgpu.warpgroup.wait %c {groups = 0 : i32} : vector<4xf32>
        →
        %d = nvvm.wgmma.wait.group.sync.aligned 0, %c : vector<4xf32>
    """

    def convert(self, op: nvgpu.WarpgroupWaitOp, rewriter: ConversionRewriter) -> None:
        values = rewriter.values(op.accumulators)
        copies = op.copies is not None
        rewriter.replace(op, nvvm.WgmmaWaitGroupOp(op.groups.value.data, values, copies=copies))


def populate_matrix(patterns: PatternSet) -> None:
    patterns.add(nvgpu.LdMatrixOp, ConvertLdMatrix())
    patterns.add(nvgpu.StMatrixOp, ConvertStMatrix())
    patterns.add(nvgpu.WarpgroupWaitOp, ConvertWarpgroupWait())
