"""`mma.sync` on fragments as upstream has them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    FixedBitwidthType,
    Float32Type,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
)
from xdsl.dialects.llvm import BitcastOp, ExtractValueOp, InlineAsmOp, LLVMStructType
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.dialects import nvgpu, nvvm
from tileiras_xdsl.dialects.nvvm import MatrixShapeAttr, MatrixType
from tileiras_xdsl.dialects.vector import ExtractOp, FromElementsOp, ShapeCastOp
from tileiras_xdsl.transforms.nvvm.llvm_symbols import position
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

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
