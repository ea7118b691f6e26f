"""Matrices and packed arithmetic of `nvgpu`."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    I32,
    I64,
    ArrayAttr,
    BoolAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
    i16,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute
from xdsl.irdl import (
    AnyAttr,
    RangeOf,
    RangeVarConstraint,
    VarConstraint,
    eq,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects import nvvm
from tileiras_xdsl.dialects.building import TypeOf, diagnosed_op
from tileiras_xdsl.dialects.nvvm.base import element_of

from .types import (
    NvgpuOperation,
    OrderedOperation,
    RcpRounding,
    RcpRoundingAttr,
    SwizzleAttr,
    WarpgroupAccumulatorType,
    WarpgroupDescriptorType,
    verify_shared,
)

ShapeAttr = ArrayAttr[IntegerAttr[I64]]
"""`[16, 8, 16]`: extents m, n and k."""


def get_extents(shape: ArrayAttr[IntegerAttr[I64]]) -> tuple[int, int, int]:
    """The extents m, n and k of a shape, which must be three positive numbers."""
    extents = tuple(extent.value.data for extent in shape)
    if len(extents) != 3 or min(extents) < 1:
        raise VerifyException(f"shape must be three positive extents m, n and k, but got {shape}")
    return extents[0], extents[1], extents[2]


# Four warps


@diagnosed_op
class WarpgroupGenerateDescriptorOp(NvgpuOperation):
    """
    Describes a matrix in shared memory to `warpgroup.mma`. Offsets are bytes.

        %desc = nvgpu.warpgroup.generate.descriptor %base {leading_byte_offset = 16 : i64,
            matrix_stride = 64 : i64, swizzle_base = 128 : i64, swizzle_mode = #nvgpu<swizzle 128B>}
            : !llvm.ptr<3> -> i64
    """

    name = "nvgpu.warpgroup.generate.descriptor"

    base = operand_def()
    leading_byte_offset = prop_def(IntegerAttr[I64])
    matrix_stride = prop_def(IntegerAttr[I64])
    swizzle_base = prop_def(IntegerAttr[I64])
    swizzle_mode = prop_def(SwizzleAttr)
    descriptor = result_def()

    traits = traits_def(Pure())

    assembly_format = "$base attr-dict `:` type($base) `->` type($descriptor)"

    DEFAULTS: ClassVar = {"swizzle_base": 0, "descriptor_type": i64}

    def verify_(self) -> None:
        verify_shared(0, self.base.type)
        if not is_descriptor(self.descriptor.type):
            raise VerifyException(f"result #0 must be an i64, but got '{self.descriptor.type}'")
        for name, attribute in (
            ("leading_byte_offset", self.leading_byte_offset),
            ("matrix_stride", self.matrix_stride),
        ):
            value = attribute.value.data
            if not 0 <= value < 1 << 18 or value % 16 != 0:
                raise VerifyException(
                    f"{name} must be a multiple of 16 bytes below 262144, but got {value}"
                )


def is_descriptor(ty: Attribute) -> bool:
    """Whether a type is that of a matrix descriptor."""
    return ty == i64 or isinstance(ty, WarpgroupDescriptorType)


def is_accumulator(ty: Attribute) -> bool:
    """Whether a type is that of a WGMMA accumulator: a struct, or a vector of rank 1."""
    match ty:
        case LLVMStructType() | WarpgroupAccumulatorType():
            return True
        case VectorType():
            return len(ty.get_shape()) == 1
        case _:
            return False


def get_part(accumulator: Attribute, count: int) -> Attribute:
    """The type of one of some equal parts of an accumulator, which must be a vector."""
    if not isinstance(accumulator, VectorType):
        raise VerifyException(f"m_tiles needs a vector, but got '{accumulator}'")
    size = accumulator.get_shape()[0]
    if count < 1 or size % count != 0:
        raise VerifyException(f"m_tiles = {count} does not divide '{accumulator}'")
    return VectorType(element_of(accumulator), [size // count])


def verify_accumulator(index: int, ty: Attribute) -> None:
    """Raises if an operand is no accumulator."""
    if not is_accumulator(ty):
        raise VerifyException(
            f"operand #{index} must be an accumulator, a struct or a vector of rank 1, "
            f"but got '{ty}'"
        )


@diagnosed_op
class WarpgroupMmaOp(OrderedOperation):
    """
    `d = a * b + c` for four warps; `b` is the descriptor of a matrix in shared memory, `a` such a
    descriptor, or registers.

    - `shape`: of one instruction; `types`: of d, a and b, as PTX names them
    - `trans_a`, `trans_b`: the matrix is stored with M, or N, innermost
    - `k_steps`: this many instructions, whose descriptors grow by `a_step` and `b_step`
    - `m_tiles`: this many times 64 rows, for which the descriptor of A grows by `a_tile_step`; the
      accumulator holds one tile after the other
    - `async`: the result is ready after a `warpgroup.wait` only

        %d = nvgpu.warpgroup.mma %a, %b, %c {shape = [64, 8, 16], types = ["f32", "f16", "f16"],
            trans_b, k_steps = 4 : i32, async} : i64, i64, vector<4xf32>
    """

    name = "nvgpu.warpgroup.mma"

    T: ClassVar = VarConstraint("T", AnyAttr())

    a = operand_def()
    b = operand_def()
    accumulator = operand_def(T)
    shape = opt_prop_def(ShapeAttr)
    types = opt_prop_def(ArrayAttr[StringAttr])
    trans_a = opt_prop_def(UnitAttr)
    trans_b = opt_prop_def(UnitAttr)
    k_steps = opt_prop_def(IntegerAttr[I32])
    a_step = opt_prop_def(IntegerAttr[I64])
    b_step = opt_prop_def(IntegerAttr[I64])
    m_tiles = opt_prop_def(IntegerAttr[I32])
    a_tile_step = opt_prop_def(IntegerAttr[I64])
    is_async = opt_prop_def(UnitAttr, prop_name="async")
    result = result_def(T)

    assembly_format = (
        "$a `,` $b `,` $accumulator attr-dict `:` type($a) `,` type($b) `,` type($accumulator)"
    )

    def verify_(self) -> None:
        if not is_descriptor(self.a.type) and not is_accumulator(self.a.type):
            raise VerifyException(
                f"operand #0 must be a descriptor or registers, but got '{self.a.type}'"
            )
        if not is_descriptor(self.b.type):
            raise VerifyException(f"operand #1 must be a descriptor, but got '{self.b.type}'")
        verify_accumulator(2, self.accumulator.type)
        nvvm.verify_types(self.types)
        accumulator = self.accumulator.type
        if self.m_tiles is not None:
            accumulator = get_part(accumulator, self.m_tiles.value.data)
        if self.shape is not None:
            nvvm.verify_wgmma(get_extents(self.shape), accumulator, self.types)
        if self.k_steps is not None and self.k_steps.value.data < 1:
            raise VerifyException(f"k_steps must be positive, but got {self.k_steps.value.data}")


@diagnosed_op
class WarpgroupWaitOp(OrderedOperation):
    """
    Waits until at most this many groups of WGMMAs are in flight; yields the accumulators that are
    complete then.

        %d = nvgpu.warpgroup.wait %c {groups = 0 : i32} : vector<4xf32>
    """

    name = "nvgpu.warpgroup.wait"

    T: ClassVar = RangeVarConstraint("T", RangeOf(AnyAttr()))

    accumulators = var_operand_def(T)
    groups = prop_def(IntegerAttr[IntegerType])
    results_ = var_result_def(T)

    assembly_format = "($accumulators^)? attr-dict (`:` type($accumulators)^)?"

    def verify_(self) -> None:
        for index, value in enumerate(self.accumulators):
            verify_accumulator(index, value.type)
        if self.groups.value.data < 0:
            raise VerifyException(
                f"number of groups must not be negative, but got {self.groups.value.data}"
            )


@diagnosed_op
class WarpgroupMmaStoreOp(OrderedOperation):
    """
    Each thread stores its fragment of an accumulator.

        nvgpu.warpgroup.mma.store %d, %dst : vector<4xf32> to memref<64x8xf32, 3>
    """

    name = "nvgpu.warpgroup.mma.store"

    accumulator = operand_def()
    dst = operand_def()

    assembly_format = "$accumulator `,` $dst attr-dict `:` type($accumulator) `to` type($dst)"

    def verify_(self) -> None:
        verify_accumulator(0, self.accumulator.type)


@diagnosed_op
class WarpgroupMmaInitAccumulatorOp(NvgpuOperation):
    """
    An accumulator of zeros, or, with `poison`, of anything.

        %c = nvgpu.warpgroup.mma.init.accumulator -> !llvm.struct<(f32, f32)>
    """

    name = "nvgpu.warpgroup.mma.init.accumulator"

    poison = opt_prop_def(UnitAttr)
    accumulator = result_def()

    traits = traits_def(Pure())

    assembly_format = "attr-dict `->` type($accumulator)"

    def verify_(self) -> None:
        if not is_accumulator(self.accumulator.type):
            raise VerifyException(
                "result #0 must be an accumulator, a struct or a vector of rank 1, "
                f"but got '{self.accumulator.type}'"
            )


# One warp


class WarpMmaOperation(NvgpuOperation, ABC):
    """`d = a * b + c` for one warp."""

    traits = traits_def(Pure())

    def verify_registers(self, mma_shape: ArrayAttr[IntegerAttr[I64]], sparsity: int) -> None:
        """Raises if vectors have not as many elements as each lane holds of the matrices."""
        m, n, k = get_extents(mma_shape)
        sizes = (m * k // sparsity, n * k, m * n)
        for index, (name, size) in enumerate(zip("ABC", sizes, strict=True)):
            ty = self.operands[index].type
            if not isinstance(ty, VectorType):
                raise VerifyException(f"operand #{index} must be a vector, but got '{ty}'")
            count = 1
            for extent in ty.get_shape():
                count *= extent
            if count * 32 != size:
                raise VerifyException(
                    f"operand #{index} must have {size // 32} elements of {name} for each lane, "
                    f"but got '{ty}'"
                )
        if self.results[0].type != self.operands[2].type:
            raise VerifyException(
                f"result must have the type of C, '{self.operands[2].type}', "
                f"but got '{self.results[0].type}'"
            )


@diagnosed_op
class MmaSyncOp(WarpMmaOperation):
    """
    `d = a * b + c` for one warp.

        %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]}
            : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    """

    name = "nvgpu.mma.sync"

    a = operand_def()
    b = operand_def()
    c = operand_def()
    mma_shape = prop_def(ShapeAttr, prop_name="mmaShape")
    tf32_enabled = opt_prop_def(UnitAttr, prop_name="tf32Enabled")
    types = opt_prop_def(ArrayAttr[StringAttr])
    result = result_def()

    assembly_format = "`` `(` $a `,` $b `,` $c `)` attr-dict `:` functional-type(operands, results)"

    DEFAULTS: ClassVar = {"result_type": TypeOf("c")}

    def verify_(self) -> None:
        nvvm.verify_types(self.types)
        self.verify_registers(self.mma_shape, 1)


@diagnosed_op
class MmaSparseSyncOp(WarpMmaOperation):
    """
    `d = a * b + c` for one warp, where of four neighbours in a row of `a` only two are given.

        %d = nvgpu.mma.sp.sync(%a, %b, %c) metadata(%meta) {mmaShape = [16, 8, 16]}
            : (vector<2x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
    """

    name = "nvgpu.mma.sp.sync"

    a = operand_def()
    b = operand_def()
    c = operand_def()
    sparse_metadata = operand_def(eq(VectorType(i16, [2])))
    mma_shape = prop_def(ShapeAttr, prop_name="mmaShape")
    sparsity_selector = opt_prop_def(IntegerAttr[I32], prop_name="sparsitySelector")
    tf32_enabled = opt_prop_def(UnitAttr, prop_name="tf32Enabled")
    types = opt_prop_def(ArrayAttr[StringAttr])
    result = result_def()

    assembly_format = (
        "`` `(` $a `,` $b `,` $c `)` `metadata` `` `(` $sparse_metadata `)` attr-dict `:` "
        "`(` type($a) `,` type($b) `,` type($c) `)` `->` type($result)"
    )

    DEFAULTS: ClassVar = {"result_type": TypeOf("c")}

    def verify_(self) -> None:
        nvvm.verify_types(self.types)
        self.verify_registers(self.mma_shape, 2)
        selector = self.sparsity_selector
        if selector is not None and not 0 <= selector.value.data <= 3:
            raise VerifyException(
                f"sparsitySelector must be from 0 to 3, but got {selector.value.data}"
            )


@diagnosed_op
class LdMatrixOp(NvgpuOperation):
    """
    Loads 1, 2 or 4 matrices of 8 x 8 16-bit elements; each lane gives the address of a row.

        %v = nvgpu.ldmatrix %src {num = 4 : i32, transpose = false}
            : memref<256xi32, 3> -> vector<4xi32>
    """

    name = "nvgpu.ldmatrix"

    src = operand_def()
    num = prop_def(IntegerAttr[I32])
    transpose = prop_def(BoolAttr)
    result = result_def()

    traits = traits_def(MemoryReadEffect())

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    DEFAULTS: ClassVar = {
        "result_type": TypeOf("num", lambda num: VectorType(i32, [num.value.data])),
        "transpose": False,
    }

    def verify_(self) -> None:
        verify_shared(0, self.src.type)
        num = self.num.value.data
        nvvm.verify_matrix_count(num)
        expected = VectorType(i32, [num])
        if self.result.type != expected:
            raise VerifyException(
                f"num = {num} yields '{expected}', but the result is '{self.result.type}'"
            )


# Packed arithmetic


@diagnosed_op
class RcpOp(NvgpuOperation):
    """
    Approximate reciprocals that flush denormals.

        %r = nvgpu.rcp %x {rounding = #nvgpu<rcp_rounding_mode approx>, ftz} : vector<4xf32>
    """

    name = "nvgpu.rcp"

    T: ClassVar = VarConstraint("T", AnyAttr())

    arg = operand_def(T)
    rounding = opt_prop_def(RcpRoundingAttr)
    ftz = opt_prop_def(UnitAttr)
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$arg attr-dict `:` type($arg)"

    DEFAULTS: ClassVar = {"rounding": RcpRounding.APPROX, "ftz": True}

    def verify_(self) -> None:
        ty = self.arg.type
        element = ty.get_element_type() if isinstance(ty, VectorType) else ty
        if str(element) != "f32":
            raise VerifyException(f"operand #0 must be f32, or a vector of it, but got '{ty}'")
        if (self.rounding is None) != (self.ftz is None) or (
            self.rounding is not None and self.rounding.data is not RcpRounding.APPROX
        ):
            raise VerifyException("only the approximation that flushes denormals is supported")


class CvtOperation(NvgpuOperation, ABC):
    """A conversion of two floats."""

    NARROWS: ClassVar[bool]

    arg = operand_def()
    result = result_def()

    traits = traits_def(Pure())

    assembly_format = "$arg attr-dict `:` type($arg) `to` type($result)"

    def verify_(self) -> None:
        nvvm.verify_packed_conversion(self.arg.type, self.result.type, self.NARROWS)


@diagnosed_op
class CvtFptruncOp(CvtOperation):
    """Narrows two floats: `%r = nvgpu.cvt_fptrunc %x : vector<2xf32> to vector<2xf16>`."""

    name = "nvgpu.cvt_fptrunc"
    NARROWS: ClassVar = True


@diagnosed_op
class CvtFpextOp(CvtOperation):
    """Widens two floats: `%r = nvgpu.cvt_fpext %x : vector<2xf16> to vector<2xf32>`."""

    name = "nvgpu.cvt_fpext"
    NARROWS: ClassVar = False


class PackedF32x2Operation(NvgpuOperation, ABC):
    """Arithmetic on vectors of two `f32`."""

    traits = traits_def(Pure())


@diagnosed_op
class FmaPackedF32x2Op(PackedF32x2Operation):
    """`a * b + c` of two `f32`: `%r = nvgpu.fma.packed.f32x2 %a, %b, %c : vector<2xf32>`."""

    name = "nvgpu.fma.packed.f32x2"

    a = operand_def(eq(nvvm.F32X2))
    b = operand_def(eq(nvvm.F32X2))
    c = operand_def(eq(nvvm.F32X2))
    result = result_def(eq(nvvm.F32X2))

    assembly_format = "$a `,` $b `,` $c attr-dict `:` type($result)"


@diagnosed_op
class MulPackedF32x2Op(PackedF32x2Operation):
    """`a * b` of two `f32`: `%r = nvgpu.mul.packed.f32x2 %a, %b : vector<2xf32>`."""

    name = "nvgpu.mul.packed.f32x2"

    a = operand_def(eq(nvvm.F32X2))
    b = operand_def(eq(nvvm.F32X2))
    result = result_def(eq(nvvm.F32X2))

    assembly_format = "$a `,` $b attr-dict `:` type($result)"
