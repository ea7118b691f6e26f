"""Matrices of `nvvm`: of a warp (`mma.sync`, `ldmatrix`) and of four warps (`wgmma`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I32,
    ArrayAttr,
    BoolAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
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
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import TypeOf, diagnosed_op

from .base import (
    Fragment,
    MatrixLayout,
    MatrixLayoutAttr,
    MatrixShapeAttr,
    MatrixType,
    MatrixTypeAttr,
    NvvmOperation,
    OrderedOperation,
    PlainOperation,
    RegisterActionAttr,
    SharedPointer,
)
from .copies import verify_groups

MATRIX_COUNTS = (1, 2, 4)
MATRIX_TYPES = tuple(ty.value for ty in MatrixType)

# Four warps


@diagnosed_op
class WgmmaFenceAlignedOp(PlainOperation):
    """Orders accesses to registers and shared memory before wgmma: `nvvm.wgmma.fence.aligned`."""

    name = "nvvm.wgmma.fence.aligned"


@diagnosed_op
class WgmmaMmaAsyncOp(OrderedOperation):
    """
    Begins `d = a * b + c` for four warps. `b` is the descriptor of a matrix in shared memory, `a`
    such a descriptor, or registers. The result may be used after a wait only.

    - `shape`: of one instruction; `types`: of d, a and b, as PTX names them
    - `trans_a`, `trans_b`: the matrix is stored with M, or N, innermost
    - `scale_d = false`: `d = a * b`
    - `k_steps`: this many instructions, whose descriptors grow by `a_step` and `b_step`; steps of
      i32 are added to their low words, which takes fewer instructions than 64-bit additions

        %d = nvvm.wgmma.mma_async %a, %b, %c
            {shape = #nvvm.shape<m = 64, n = 8, k = 16>, types = ["f32", "f16", "f16"]}
            : i64, i64, vector<4xf32>
    """

    name = "nvvm.wgmma.mma_async"

    T: ClassVar = VarConstraint("T", Fragment())

    a = operand_def(Fragment(or_descriptor=True))
    b = operand_def(eq(i64))
    accumulator = operand_def(T)
    shape = opt_prop_def(MatrixShapeAttr)
    types = opt_prop_def(ArrayAttr[StringAttr])
    trans_a = opt_prop_def(UnitAttr)
    trans_b = opt_prop_def(UnitAttr)
    scale_d = opt_prop_def(BoolAttr)
    k_steps = opt_prop_def(IntegerAttr[I32])
    a_step = opt_prop_def(IntegerAttr[IntegerType])
    b_step = opt_prop_def(IntegerAttr[IntegerType])
    result = result_def(T)

    assembly_format = (
        "$a `,` $b `,` $accumulator attr-dict `:` type($a) `,` type($b) `,` type($accumulator)"
    )

    def verify_(self) -> None:
        verify_types(self.types)
        if self.shape is not None:
            verify_wgmma(self.shape.extents, self.accumulator.type, self.types)
        if self.k_steps is not None and self.k_steps.value.data < 1:
            raise VerifyException(f"k_steps must be positive, but got {self.k_steps.value.data}")


def verify_types(types: ArrayAttr[StringAttr] | None) -> None:
    """Raises if the types of an MMA are not three that PTX has."""
    if types is None:
        return
    words = [ty.data for ty in types]
    if len(words) != 3 or not set(words) <= set(MATRIX_TYPES):
        raise VerifyException(
            f"types must be those of d, a and b, each one of {', '.join(MATRIX_TYPES)}, "
            f"but got {types}"
        )


TYPE_BITS = {
    **{"f64": 64, "f32": 32, "tf32": 32, "s32": 32, "f16": 16, "bf16": 16},
    **{"e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1},
    **{"e3m2": 8, "e2m3": 8, "e2m1": 8},
}
"""Bits of an element in a register; those of 6 and 4 bits have a byte each in `kind::f8f6f4`."""


def verify_wgmma(
    shape: tuple[int, int, int], accumulator: Attribute, types: ArrayAttr[StringAttr] | None
) -> None:
    """Raises if there is no WGMMA of this shape, or not with this accumulator."""
    m, n, k = shape
    if m != 64 or not 8 <= n <= 256 or n % 8 != 0:
        raise VerifyException(
            f"shape must have m = 64 and n a multiple of 8 up to 256, but got m = {m}, n = {n}"
        )
    if types is not None:
        expected = 256 // TYPE_BITS[types.data[1].data]
        if k != expected:
            raise VerifyException(
                f"k must be {expected} for '{types.data[1].data}', but got k = {k}"
            )
    elements = m * n // 128
    if isinstance(accumulator, VectorType):
        count = accumulator.get_shape()[0]
        if count != elements:
            raise VerifyException(
                f"WGMMA with m = {m}, n = {n} has {elements} accumulators for each thread, "
                f"but the accumulator is '{accumulator}'"
            )


@diagnosed_op
class WgmmaCommitGroupOp(PlainOperation):
    """Commits the WGMMAs issued so far as a group: `nvvm.wgmma.commit.group.sync.aligned`."""

    name = "nvvm.wgmma.commit.group.sync.aligned"


@diagnosed_op
class WgmmaWaitGroupOp(OrderedOperation):
    """
    Waits until at most this many groups are in flight. It may take and yield the accumulators that
    are complete then, so that no use of them can be moved in front of it. Integers may pass through
    as well, which are computed before the wait then, and not where they are used.

        nvvm.wgmma.wait.group.sync.aligned 0
        %d = nvvm.wgmma.wait.group.sync.aligned 0, %c : vector<4xf32>

    With `copies` accumulators are in other registers afterwards, which nothing but WGMMAs writes:
    ptxas serializes WGMMAs with accumulators that are loaded in a branch, but not with copies of
    these.
    """

    name = "nvvm.wgmma.wait.group.sync.aligned"

    T: ClassVar = RangeVarConstraint("T", RangeOf(AnyAttr()))

    accumulators = var_operand_def(T)
    groups = prop_def(IntegerAttr[I32])
    copies = opt_prop_def(UnitAttr)
    results_ = var_result_def(T)

    assembly_format = "$groups (`,` $accumulators^ `:` type($accumulators))? attr-dict"

    def verify_(self) -> None:
        verify_groups(self.groups)


@diagnosed_op
class PMEventOp(OrderedOperation):
    """
    Triggers performance monitor events, which nobody sees but a profiler. ptxas moves no
    instruction across it. It may take and yield values, so that no use of them can be moved in
    front of it.

        nvvm.pmevent 1
        %y = nvvm.pmevent 1, %x : vector<4xf32>
    """

    name = "nvvm.pmevent"

    T: ClassVar = RangeVarConstraint("T", RangeOf(AnyAttr()))

    values = var_operand_def(T)
    mask = prop_def(IntegerAttr[I32])
    results_ = var_result_def(T)

    assembly_format = "$mask (`,` $values^ `:` type($values))? attr-dict"

    DEFAULTS: ClassVar = {"mask": 1}


@diagnosed_op
class SetMaxRegisterOp(OrderedOperation):
    """
    Sets how many registers each thread of the warps may use: `nvvm.setmaxregister increase 240`.
    """

    name = "nvvm.setmaxregister"

    action = prop_def(RegisterActionAttr)
    count = prop_def(IntegerAttr[I32])

    assembly_format = "$action $count attr-dict"

    def verify_(self) -> None:
        count = self.count.value.data
        if count % 8 != 0 or not 24 <= count <= 256:
            raise VerifyException(
                f"number of registers must be a multiple of 8 from 24 to 256, but got {count}"
            )


# One warp


@diagnosed_op
class MmaSyncOp(NvvmOperation):
    """
    `d = a * b + c` for one warp. Operands are registers, as PTX lists them, or one vector each
    that has them all.

        %d = nvvm.mma.sync A[%a] B[%b] C[%c] {shape = #nvvm.shape<m = 16, n = 8, k = 16>,
            layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>}
            : (vector<8xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
    """

    name = "nvvm.mma.sync"

    a = var_operand_def()
    b = var_operand_def()
    c = var_operand_def()
    shape = prop_def(MatrixShapeAttr)
    layout_a = opt_prop_def(MatrixLayoutAttr, prop_name="layoutA")
    layout_b = opt_prop_def(MatrixLayoutAttr, prop_name="layoutB")
    type_a = opt_prop_def(MatrixTypeAttr, prop_name="multiplicandAPtxType")
    type_b = opt_prop_def(MatrixTypeAttr, prop_name="multiplicandBPtxType")
    satfinite = opt_prop_def(UnitAttr)
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(Pure())

    DEFAULTS: ClassVar = {"layout_a": MatrixLayout.ROW, "layout_b": MatrixLayout.COL}

    def verify_(self) -> None:
        for name, values in self.groups:
            if len({value.type for value in values}) != 1:
                raise VerifyException(
                    f"expects registers of {name}, all of one type, "
                    f"but got ({', '.join(str(value.type) for value in values)})"
                )

    @property
    def groups(self) -> tuple[tuple[str, Sequence[SSAValue]], ...]:
        """The registers of each matrix."""
        return ("A", self.a), ("B", self.b), ("C", self.c)

    def print(self, printer: Printer) -> None:
        for name, values in self.groups:
            printer.print_string(f" {name}[")
            printer.print_list(values, printer.print_operand)
            printer.print_string("]")
        hidden = ("operandSegmentSizes",)
        printer.print_op_attributes(
            {**self.properties, **self.attributes}, reserved_attr_names=hidden
        )
        printer.print_string(" : ")
        printer.print_function_type(
            [values[0].type for _, values in self.groups], [self.result.type]
        )

    @classmethod
    def parse(cls, parser: Parser) -> MmaSyncOp:
        groups: list[list[UnresolvedOperand]] = []
        for name in ("A", "B", "C"):
            parser.parse_keyword(name)
            groups.append(
                parser.parse_comma_separated_list(
                    parser.Delimiter.SQUARE, parser.parse_unresolved_operand
                )
            )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_function_type()
        if len(types.inputs) != 3 or len(types.outputs) != 1:
            parser.raise_error("expected one type for each of A, B and C, and a result", position)
        properties = {
            name: attributes.pop(name)
            for name in cls.get_irdl_definition().properties
            if name in attributes
        }
        return cls.build(
            operands=[
                parser.resolve_operands(group, [ty] * len(group), position)
                for group, ty in zip(groups, types.inputs, strict=True)
            ],
            result_types=[types.outputs.data[0]],
            properties=properties,
            attributes=attributes,
        )


def verify_matrix_count(count: int) -> None:
    """Raises if no instruction moves this many matrices."""
    if count not in MATRIX_COUNTS:
        raise VerifyException(f"num must be 1, 2 or 4, but got {count}")


@diagnosed_op
class LdMatrixOp(NvvmOperation):
    """
    Loads 1, 2 or 4 matrices of 8 x 8 16-bit elements; each lane gives the address of a row. One
    matrix is an `i32`, more are a struct of them.

        %p = nvvm.ldmatrix.sync %src {num = 2 : i32, trans = false}
            : !llvm.ptr<3> -> !llvm.struct<(i32, i32)>
    """

    name = "nvvm.ldmatrix.sync"

    src = operand_def(SharedPointer)
    num = prop_def(IntegerAttr[I32])
    trans = prop_def(BoolAttr)
    result = result_def()

    traits = traits_def(MemoryReadEffect())

    assembly_format = "$src attr-dict `:` type($src) `->` type($result)"

    DEFAULTS: ClassVar = {
        "result_type": TypeOf("num", lambda num: LdMatrixOp.result_type(num.value.data)),
        "trans": False,
    }

    @staticmethod
    def result_type(num: int) -> Attribute:
        """The type of this many matrices."""
        return i32 if num == 1 else LLVMStructType.from_type_list([i32] * num)

    def verify_(self) -> None:
        num = self.num.value.data
        verify_matrix_count(num)
        if self.result.type != self.result_type(num):
            raise VerifyException(
                f"num = {num} yields '{self.result_type(num)}', "
                f"but the result is '{self.result.type}'"
            )


@diagnosed_op
class StMatrixOp(OrderedOperation):
    """
    Stores 1, 2 or 4 matrices of 8 x 8 16-bit elements; each lane gives the address of a row.
    Layout `col` transposes.

        nvvm.stmatrix %dst, %r0, %r1 {layout = #nvvm.mma_layout<row>} : !llvm.ptr<3>, i32, i32
    """

    name = "nvvm.stmatrix"

    dst = operand_def(SharedPointer)
    sources = var_operand_def(eq(i32))
    layout = prop_def(MatrixLayoutAttr)

    assembly_format = "$dst `,` $sources attr-dict `:` type($dst) `,` type($sources)"

    DEFAULTS: ClassVar = {"layout": MatrixLayout.ROW}

    def verify_(self) -> None:
        verify_matrix_count(len(self.sources))
