"""
Accesses of a thread to its part of a tile.

A fragment is a vector that is read or written in parts of equal size, each at an address of its
own, maybe under a mask. One operation stands for all parts; PTX has an instruction for each.
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FixedBitwidthType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    ParsePropInAttrDict,
    VarConstraint,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Argument, diagnosed_op

from .base import (
    GLOBAL_POINTER,
    SHARED_POINTER,
    MatrixShapeAttr,
    MatrixTypeAttr,
    NvvmOperation,
    OrderedOperation,
)
from .matrix import TYPE_BITS, verify_matrix_count

Addresses = VectorType.constr(BaseAttr(LLVMPointerType))
Mask = VectorType.constr(eq(i1))
MaskOrBytes = VectorType.constr(eq(i1) | eq(i32))
"""Whether parts are copied, or how many bytes of each."""
AnyVector = VectorType.constr()

SEMANTICS = ("weak", "relaxed", "acquire", "release", "mmio")
ATOMIC_SEMANTICS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
SCOPES = ("cta", "cluster", "gpu", "sys")
INTEGER_UPDATES = ("add", "and", "or", "xor", "max", "min", "umax", "umin")
FLOAT_UPDATES = ("fadd", "fmax", "fmin")
UPDATES = ("xchg", *INTEGER_UPDATES, *FLOAT_UPDATES)
"""What atomics do, in the words of LLVM."""
MAX_VECTOR_BITS = 128


class FragmentOperation(NvvmOperation, ABC):
    """An access in parts, each `alignment` bytes aligned."""

    alignment = opt_prop_def(IntegerAttr.constr(type=eq(i64)))
    volatile_ = opt_prop_def(UnitAttr)
    semantic = opt_prop_def(StringAttr)
    """The memory order, `weak` if it is not given."""
    scope = opt_prop_def(StringAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    SEMANTICS: ClassVar[tuple[str, ...]] = SEMANTICS

    def __init__(self, *arguments: Argument, **named: Any):
        if named.get("semantic") == "weak":
            del named["semantic"]
        super().__init__(*arguments, **named)

    def verify_pieces(self, addresses: Attribute, mask: SSAValue | None, value: Attribute) -> None:
        """Checks that a fragment divides into parts that instructions can access."""
        pieces, lanes = count_lanes(addresses), count_lanes(value)
        if lanes % pieces:
            raise VerifyException(f"'{value}' does not divide into {pieces} parts")
        width = lanes // pieces * element_bits(value)
        if width % 8 or width & (width - 1) or width > MAX_VECTOR_BITS:
            raise VerifyException(f"a part of '{value}' has {width} bits")
        if mask is not None and count_lanes(mask.type) != pieces:
            raise VerifyException(f"expects a mask of {pieces} lanes, but got '{mask.type}'")
        if self.semantic is not None and self.semantic.data not in self.SEMANTICS:
            raise VerifyException(f"there is no memory order '{self.semantic.data}'")
        if self.scope is not None and self.scope.data not in SCOPES:
            raise VerifyException(f"there is no scope '{self.scope.data}'")

    def get_semantic(self) -> str:
        """The memory order."""
        return "weak" if self.semantic is None else self.semantic.data


def count_lanes(ty: Attribute) -> int:
    """The number of elements of a vector of rank 1."""
    if not isinstance(ty, VectorType) or len(ty.get_shape()) != 1:
        raise VerifyException(f"expects a vector of rank 1, but got '{ty}'")
    return ty.get_shape()[0]


def element_bits(ty: Attribute) -> int:
    """The size of an element of a vector; pointers have 64 bits."""
    element = ty.get_element_type() if isinstance(ty, VectorType) else ty
    match element:
        case LLVMPointerType():
            return 64
        case FixedBitwidthType():
            return element.bitwidth
        case _:
            raise VerifyException(f"'{element}' has no size in memory")


@diagnosed_op
class FragmentLoadOp(FragmentOperation):
    """
    Reads a fragment. Vectors whose mask is false are taken from `other`, or are 0.

        %v = nvvm.fragment.load %ptrs mask(%m : vector<4xi1>) {alignment = 16 : i64}
            : vector<4x!llvm.ptr<1>> -> vector<32xf16>
    """

    name = "nvvm.fragment.load"

    addresses = operand_def(Addresses)
    mask = opt_operand_def(Mask)
    other = opt_operand_def(AnyVector)
    result = result_def(AnyVector)
    invariant = opt_prop_def(UnitAttr)
    """Whether nothing writes this memory while the kernel runs."""

    traits = traits_def(MemoryReadEffect())
    assembly_format = (
        "$addresses (`mask` `(` $mask^ `:` type($mask) `)`)? "
        "(`other` `(` $other^ `:` type($other) `)`)? attr-dict "
        "`:` type($addresses) `->` type($result)"
    )

    def verify_(self) -> None:
        self.verify_pieces(self.addresses.type, self.mask, self.result.type)
        if self.other is not None and self.other.type != self.result.type:
            raise VerifyException(
                f"expects '{self.result.type}' instead of what is read, but got '{self.other.type}'"
            )


@diagnosed_op
class FragmentStoreOp(FragmentOperation):
    """
    Writes a fragment, except for parts whose mask is false.

        nvvm.fragment.store %v, %ptrs {alignment = 16 : i64}
            : vector<32xf16>, vector<4x!llvm.ptr<1>>
    """

    name = "nvvm.fragment.store"

    value = operand_def(AnyVector)
    addresses = operand_def(Addresses)
    mask = opt_operand_def(Mask)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$value `,` $addresses (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict "
        "`:` type($value) `,` type($addresses)"
    )

    def verify_(self) -> None:
        self.verify_pieces(self.addresses.type, self.mask, self.value.type)


class FragmentAtomic(FragmentOperation, ABC):
    """Accesses to elements, each of which nothing comes between."""

    SEMANTICS: ClassVar = ATOMIC_SEMANTICS

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def get_semantic(self) -> str:
        return "relaxed" if self.semantic is None else self.semantic.data

    def verify_elements(
        self, addresses: Attribute, mask: SSAValue | None, value: Attribute
    ) -> None:
        """Checks that there is an address for each element."""
        self.verify_pieces(addresses, mask, value)
        if count_lanes(addresses) != count_lanes(value):
            raise VerifyException(f"expects an address for each element of '{value}'")


@diagnosed_op
class FragmentAtomicRMWOp(FragmentAtomic):
    """
    Combines each element in memory with one of a fragment, except where the mask is false, and
    yields what was there, or 0 there; without a result nothing is read.

        %old = nvvm.fragment.atomicrmw %v, %ptrs {bin_op = "add", semantic = "acq_rel",
            scope = "gpu"} : vector<4xi32>, vector<4x!llvm.ptr<1>> -> vector<4xi32>

    Vectors have one element each, except for an `fadd` without a result, which some GPUs do on
    several neighbours at once. `fmax` and `fmin` ignore a NaN if there is another number; -0 is
    less than +0.
    """

    name = "nvvm.fragment.atomicrmw"

    value = operand_def(AnyVector)
    addresses = operand_def(Addresses)
    mask = opt_operand_def(Mask)
    result = opt_result_def(AnyVector)
    bin_op = prop_def(StringAttr)

    assembly_format = (
        "$value `,` $addresses (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict "
        "`:` type($value) `,` type($addresses) (`->` type($result)^)?"
    )

    DEFAULTS: ClassVar = {"semantic": "relaxed", "scope": "gpu"}

    def verify_(self) -> None:
        if self.result is None and self.bin_op.data == "fadd":
            self.verify_pieces(self.addresses.type, self.mask, self.value.type)
        else:
            self.verify_elements(self.addresses.type, self.mask, self.value.type)
        if self.result is not None and self.result.type != self.value.type:
            raise VerifyException(
                f"expects a result of type '{self.value.type}', but got '{self.result.type}'"
            )
        assert isinstance(self.value.type, VectorType)
        element, kind = self.value.type.get_element_type(), self.bin_op.data
        if kind not in UPDATES:
            raise VerifyException(f"there is no atomic '{kind}'")
        is_integer = isinstance(element, IntegerType)
        if kind in (FLOAT_UPDATES if is_integer else INTEGER_UPDATES):
            raise VerifyException(f"there is no atomic '{kind}' of '{element}'")
        smallest = 16 if kind in FLOAT_UPDATES else 32
        if not smallest <= element_bits(element) <= 64:
            raise VerifyException(f"there is no atomic '{kind}' of '{element}'")


@diagnosed_op
class FragmentCmpXchgOp(FragmentAtomic):
    """
    Replaces each element in memory that has the bits of `compare`, except where the mask is
    false, and yields what was there, or what it was compared with there.

        %old = nvvm.fragment.cmpxchg %compare, %value, %ptrs {semantic = "acq_rel", scope = "gpu"}
            : vector<4xi32>, vector<4x!llvm.ptr<1>>
    """

    name = "nvvm.fragment.cmpxchg"

    T: ClassVar = VarConstraint("T", AnyVector)
    compare = operand_def(T)
    value = operand_def(T)
    addresses = operand_def(Addresses)
    mask = opt_operand_def(Mask)
    result = result_def(T)

    assembly_format = (
        "$compare `,` $value `,` $addresses (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict "
        "`:` type($value) `,` type($addresses)"
    )

    DEFAULTS: ClassVar = {"semantic": "relaxed", "scope": "gpu"}

    def verify_(self) -> None:
        self.verify_elements(self.addresses.type, self.mask, self.value.type)
        if element_bits(self.value.type) not in (16, 32, 64):
            raise VerifyException(f"elements of '{self.value.type}' cannot be compared")


# MMAs and copies of whole matrix fragments.
#
# A tile of many instructions of a warp is one operation here; the translation to LLVM IR writes an
# instruction for each part. Registers are in the order of `analysis.matrix_layouts`.

WARP_SIZE = 32
COPY_BYTES = (4, 8, 16)

_TINY = [(16, 8, 16), (16, 8, 32)]
MMA_SHAPES = {
    "f16": [(16, 8, 8), (16, 8, 16)],
    "bf16": [(16, 8, 8), (16, 8, 16)],
    "tf32": [(16, 8, 4), (16, 8, 8)],
    "f64": [(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)],
    **{"e4m3": _TINY, "e5m2": _TINY, "s8": _TINY, "u8": _TINY},
    **{"e3m2": [(16, 8, 32)], "e2m3": [(16, 8, 32)], "e2m1": [(16, 8, 32)]},
}
"""The instruction shapes of `mma.sync`, by PTX's names of the element types of the operands."""


@diagnosed_op
class FragmentMmaOp(NvvmOperation):
    """
    `d = a * b + c` for the tile of a warp, by this many instructions along the batch, M, N and K:

        %d = nvvm.fragment.mma %a, %b, %c {shape = #nvvm.shape<m = 16, n = 8, k = 16>,
            tiles = array<i64: 1, 2, 4, 2>, type_a = #nvvm.mma_type<f16>,
            type_b = #nvvm.mma_type<f16>} : vector<32xf16>, vector<32xf16>, vector<32xf32>
    """

    name = "nvvm.fragment.mma"

    C: ClassVar = VarConstraint("C", AnyVector)

    a = operand_def(AnyVector)
    b = operand_def(AnyVector)
    c = operand_def(C)
    shape = prop_def(MatrixShapeAttr)
    tiles = prop_def(DenseArrayBase.constr(i64))
    type_a = prop_def(MatrixTypeAttr)
    type_b = prop_def(MatrixTypeAttr)
    result = result_def(C)

    traits = traits_def(Pure())
    assembly_format = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c)"

    def get_tiles(self) -> tuple[int, int, int, int]:
        """How many instructions there are along the batch, m, n and k."""
        batch, m, n, k = self.tiles.get_values()
        return batch, m, n, k

    def verify_(self) -> None:
        types = (self.type_a.data.value, self.type_b.data.value)
        m, n, k = self.shape.extents
        for ty in types:
            if self.shape.extents not in MMA_SHAPES.get(ty, []):
                raise VerifyException(f"there is no MMA of {self.shape} for '{ty}'")
        if TYPE_BITS[types[0]] != TYPE_BITS[types[1]]:
            raise VerifyException(f"operands of '{types[0]}' and '{types[1]}' do not fit together")
        if len(self.tiles) != 4 or min(self.tiles.get_values()) < 1:
            raise VerifyException(f"tiles must be four positive numbers, but got {self.tiles}")
        batch, along_m, along_n, along_k = self.get_tiles()
        counts = (
            ("A", self.a.type, types[0], along_m * along_k * m * k),
            ("B", self.b.type, types[1], along_k * along_n * k * n),
            ("C", self.c.type, None, along_m * along_n * m * n),
        )
        for name, fragment, ty, elements in counts:
            expected = batch * elements // WARP_SIZE
            if count_lanes(fragment) != expected:
                raise VerifyException(
                    f"a lane has {expected} elements of {name}, but got '{fragment}'"
                )
            if ty is not None and element_bits(fragment) != TYPE_BITS[ty]:
                raise VerifyException(f"'{fragment}' does not hold elements of '{ty}'")


@dataclass(frozen=True)
class BlockScaledMma:
    """A kind of block-scaled `mma.sync`: its shape, types, and scales for a row or column."""

    shape: tuple[int, int, int]
    types: tuple[str, ...]
    scales: tuple[tuple[str, int], ...]
    """Types of scales, with how many there are for each instruction (`.scale_vec`)."""


BLOCK_SCALED_MMAS: Final = {
    "mxf8f6f4": BlockScaledMma(
        (16, 8, 32), ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1"), (("ue8m0", 1),)
    ),
    "mxf4": BlockScaledMma((16, 8, 64), ("e2m1",), (("ue8m0", 2),)),
    "mxf4nvf4": BlockScaledMma((16, 8, 64), ("e2m1",), (("ue8m0", 2), ("ue4m3", 4))),
}
"""By the name of the kind in PTX."""
BYTE_BITS = 8


@diagnosed_op
class FragmentScaledMmaOp(NvvmOperation):
    """
    `d = (a * scale_a) * (b * scale_b) + c` for the tile of a warp, by block-scaled instructions
    along the batch, M, N and K:

        %d = nvvm.fragment.scaled_mma %a, %b, %c, %sa, %sb {kind = "mxf8f6f4",
            shape = #nvvm.shape<m = 16, n = 8, k = 32>, tiles = array<i64: 1, 2, 4, 1>, first = 1,
            steps = 4, type_a = #nvvm.mma_type<e4m3>, type_b = #nvvm.mma_type<e4m3>,
            scale_type = #nvvm.mma_type<ue8m0>, scales = 1}
            : vector<32xi8>, vector<32xi8>, vector<32xf32>, vector<8xi8>, vector<16xi8>

    Each instruction takes `scales` bytes for a row of A and a column of B: one, or as many as it
    has blocks along K. A lane has those of all `steps` along K, of which the op begins at the
    `first`, for each of its tiles along M or N: lanes 4 r and 4 r + 1 those of rows r and r + 8,
    lane 4 c those of column c; others are not read. In `mxf8f6f4`, an element of A and B has a
    byte; in the others, a byte has two.
    """

    name = "nvvm.fragment.scaled_mma"

    C: ClassVar = VarConstraint("C", AnyVector)

    a = operand_def(AnyVector)
    b = operand_def(AnyVector)
    c = operand_def(C)
    scale_a = operand_def(VectorType.constr(eq(i8)))
    scale_b = operand_def(VectorType.constr(eq(i8)))
    kind = prop_def(StringAttr)
    shape = prop_def(MatrixShapeAttr)
    tiles = prop_def(DenseArrayBase.constr(i64))
    first = prop_def(IntegerAttr.constr(type=eq(i64)))
    steps = prop_def(IntegerAttr.constr(type=eq(i64)))
    type_a = prop_def(MatrixTypeAttr)
    type_b = prop_def(MatrixTypeAttr)
    scale_type = prop_def(MatrixTypeAttr)
    scales = prop_def(IntegerAttr.constr(type=eq(i64)))
    result = result_def(C)

    traits = traits_def(Pure())
    assembly_format = (
        "$a `,` $b `,` $c `,` $scale_a `,` $scale_b attr-dict `:` type($a) `,` type($b) `,` "
        "type($c) `,` type($scale_a) `,` type($scale_b)"
    )

    def get_tiles(self) -> tuple[int, int, int, int]:
        """How many instructions there are along the batch, m, n and k."""
        batch, m, n, k = self.tiles.get_values()
        return batch, m, n, k

    def get_scales(self) -> tuple[int, int, int]:
        """The first step along K, the number of all, and scales for each."""
        return self.first.value.data, self.steps.value.data, self.scales.value.data

    def verify_(self) -> None:
        kind = BLOCK_SCALED_MMAS.get(self.kind.data)
        types = (self.type_a.data.value, self.type_b.data.value)
        scale = self.scale_type.data.value
        first, steps, scales = self.get_scales()
        if kind is None or self.shape.extents != kind.shape:
            raise VerifyException(f"there is no MMA of kind '{self.kind.data}' and {self.shape}")
        if not set(types) <= set(kind.types) or (scale, scales) not in kind.scales:
            raise VerifyException(
                f"an MMA of kind '{self.kind.data}' has no operands of {types[0]} and {types[1]} "
                f"with {scales} scales of {scale}"
            )
        if len(self.tiles) != 4 or min(self.tiles.get_values()) < 1:
            raise VerifyException(f"tiles must be four positive numbers, but got {self.tiles}")
        batch, along_m, along_n, along_k = self.get_tiles()
        if first < 0 or first + along_k > steps:
            raise VerifyException(f"steps {first} to {first + along_k - 1} of {steps} do not exist")
        m, n, k = kind.shape
        elements = k if kind.shape[2] == 32 else k // 2
        counts = (
            ("A", self.a.type, batch * along_m * along_k * m * elements // WARP_SIZE),
            ("B", self.b.type, batch * along_n * along_k * n * elements // WARP_SIZE),
            ("C", self.c.type, batch * along_m * along_n * m * n // WARP_SIZE),
            ("the scales of A", self.scale_a.type, batch * along_m * steps * scales),
            ("the scales of B", self.scale_b.type, batch * along_n * steps * scales),
        )
        for name, fragment, expected in counts:
            bits = 32 if name == "C" else BYTE_BITS
            if count_lanes(fragment) != expected or element_bits(fragment) != bits:
                raise VerifyException(
                    f"a lane has {expected} elements of {bits} bits of {name}, but got '{fragment}'"
                )


@diagnosed_op
class FragmentLdMatrixOp(NvvmOperation):
    """
    Reads a fragment by `ldmatrix`, 1, 2 or 4 matrices of 8 rows of 16 bytes for each address.
    The words of matrices follow each other.

        %v = nvvm.fragment.ldmatrix %rows {num = 4 : i64, trans}
            : vector<2x!llvm.ptr<3>> -> vector<16xf16>
    """

    name = "nvvm.fragment.ldmatrix"

    addresses = operand_def(VectorType.constr(eq(SHARED_POINTER)))
    num = prop_def(IntegerAttr.constr(type=eq(i64)))
    trans = opt_prop_def(UnitAttr)
    result = result_def(AnyVector)

    traits = traits_def(MemoryReadEffect())
    assembly_format = "$addresses attr-dict `:` type($addresses) `->` type($result)"

    DEFAULTS: ClassVar = {"num": 4}

    def verify_(self) -> None:
        num = self.num.value.data
        expected = count_matrix_elements(self.addresses, self.result, num, self.trans is not None)
        if count_lanes(self.result.type) != expected:
            raise VerifyException(
                f"a lane gets {expected} elements, but the result is '{self.result.type}'"
            )


@diagnosed_op
class FragmentStMatrixOp(OrderedOperation):
    """
    Writes a fragment by `stmatrix`, 1, 2 or 4 matrices of 8 rows of 16 bytes for each address.
    The words of matrices follow each other.

        nvvm.fragment.stmatrix %v, %rows {num = 4 : i64, trans}
            : vector<16xf16>, vector<2x!llvm.ptr<3>>
    """

    name = "nvvm.fragment.stmatrix"

    value = operand_def(AnyVector)
    addresses = operand_def(VectorType.constr(eq(SHARED_POINTER)))
    num = prop_def(IntegerAttr.constr(type=eq(i64)))
    trans = opt_prop_def(UnitAttr)

    assembly_format = "$value `,` $addresses attr-dict `:` type($value) `,` type($addresses)"

    DEFAULTS: ClassVar = {"num": 4}

    def verify_(self) -> None:
        num = self.num.value.data
        expected = count_matrix_elements(self.addresses, self.value, num, self.trans is not None)
        if count_lanes(self.value.type) != expected:
            raise VerifyException(
                f"a lane has {expected} elements, but the value is '{self.value.type}'"
            )


def count_matrix_elements(
    addresses: SSAValue, fragment: SSAValue, num: int, is_transposed: bool
) -> int:
    """How many elements a lane has of `num` matrices for each address, if there are such."""
    verify_matrix_count(num)
    bits = element_bits(fragment.type)
    if bits not in (8, 16, 32):
        raise VerifyException(f"matrices have no elements as in '{fragment.type}'")
    if is_transposed and bits != 16:
        raise VerifyException("only matrices of elements of 16 bits can be transposed")
    return count_lanes(addresses.type) * num * 32 // bits


@diagnosed_op
class FragmentCpAsyncOp(OrderedOperation):
    """
    Begins to copy parts from global to shared memory; zeros where the mask is false. A mask of i32
    says how many bytes of a part are read; the others are zeros.

        nvvm.fragment.cp_async %dst, %src mask(%m : vector<4xi1>) {bytes = 16 : i64}
            : vector<4x!llvm.ptr<3>>, vector<4x!llvm.ptr<1>>
    """

    name = "nvvm.fragment.cp_async"

    dst = operand_def(VectorType.constr(eq(SHARED_POINTER)))
    src = operand_def(VectorType.constr(eq(GLOBAL_POINTER)))
    mask = opt_operand_def(MaskOrBytes)
    bytes = prop_def(IntegerAttr.constr(type=eq(i64)))

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$dst `,` $src (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict "
        "`:` type($dst) `,` type($src)"
    )

    def verify_(self) -> None:
        copies = count_lanes(self.dst.type)
        if self.bytes.value.data not in COPY_BYTES:
            raise VerifyException(f"a copy has 4, 8 or 16 bytes, not {self.bytes.value.data}")
        for value in (self.src, self.mask):
            if value is not None and count_lanes(value.type) != copies:
                raise VerifyException(
                    f"'{self.dst.type}' and '{value.type}' have different numbers of elements"
                )
