"""
What patterns share: types, constants, shuffles, flags of accesses, and ops that become one op.

What becomes of types:

    index                       i64
    vector<4xindex>             vector<4xi64>
    vector<4x2xf16>             vector<8xf16>, in row-major order
    f8E4M3FN                    i8, as the other floats of 8 bits
    memref<64x64xf16, 3>        !llvm.ptr<3>, the address of the element at zeros
    !ptr_xdsl.ptr               !llvm.ptr
    tensor<…>                   nothing
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, TypedDict, cast

from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyDenseElement,
    AnyFloat,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    FloatAttr,
    FloatTF32Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import (
    AddOp,
    ConstantOp,
    FastMathAttr,
    InsertElementOp,
    LLVMPointerType,
    MulOp,
    ShuffleVectorOp,
)
from xdsl.dialects.ptr import PtrType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from tileiras_xdsl.dialects.building import dense_array, vector_of
from tileiras_xdsl.dialects.llvm import AtomicOrdering, PoisonOp
from tileiras_xdsl.dialects.nvvm.base import element_of
from tileiras_xdsl.transforms.nvvm.llvm_types import convert_memref
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    OpT,
    PatternSet,
    TypeConversions,
)

FLOATS = (BFloat16Type, Float16Type, Float32Type, Float64Type)
"""The floats that LLVM computes with."""


def _small_floats() -> tuple[type[Attribute], ...]:
    classes = AnyFloat.__args__
    kept = (*FLOATS, Float80Type, Float128Type)
    return tuple(float_class for float_class in classes if float_class not in kept)


_SMALL_FLOATS = _small_floats()
"""tf32, and the floats of 8 bits and less."""


def convert_element(ty: Attribute) -> Attribute:
    """The element of a vector, or a scalar."""
    match ty:
        case IndexType():
            return i64
        case FloatTF32Type():
            return i32
        case _ if isinstance(ty, _SMALL_FLOATS):
            return i8
        case _:
            return ty


def convert_vector(ty: VectorType) -> Attribute | None:
    """A vector of rank 1 of all elements."""
    if ty.get_num_scalable_dims():
        return None
    old, shape = ty.get_element_type(), ty.get_shape()
    element = convert_element(old)
    if element is old and len(shape) == 1:
        return ty
    return VectorType(element, [prod(shape)])


CONVERSIONS: Final[TypeConversions] = {
    IndexType: lambda _: i64,
    VectorType: convert_vector,
    MemRefType: convert_memref,
    UnrankedMemRefType: lambda _: None,
    PtrType: lambda _: LLVMPointerType(),
    TensorType: lambda _: None,
    UnrankedTensorType: lambda _: None,
    **dict.fromkeys(_SMALL_FLOATS, convert_element),
}
"""What becomes of all types."""


def require_floats(*types: Attribute) -> None:
    """Raises unless LLVM computes with these types."""
    for ty in types:
        if not isinstance(element_of(ty), FLOATS):
            raise ConversionError(f"LLVM cannot compute with '{ty}'")


def get_vector(ty: Attribute) -> VectorType:
    """A type known to be a vector."""
    assert isinstance(ty, VectorType)
    return ty


def get_width(ty: Attribute) -> int:
    """The bits of an integer, or of each of a vector."""
    element = element_of(ty)
    assert isinstance(element, IntegerType)
    return element.width.data


def with_element(ty: Attribute, element: Attribute) -> Attribute:
    """A type with other elements."""
    return VectorType(element, ty.get_shape()) if isinstance(ty, VectorType) else element


def row_major(shape: Sequence[int]) -> list[int]:
    """The strides of elements that lie one after the other."""
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def get_strides(ty: Attribute) -> list[int]:
    """The strides of a memory reference, in elements; `ConversionError` if one is not known."""
    assert isinstance(ty, MemRefType)
    strides: list[int | None]
    match ty.layout:
        case NoneAttr():
            # The extent of the first dimension does not count.
            shape = ty.get_shape()
            strides = [
                None if DYNAMIC_INDEX in shape[axis + 1 :] else prod(shape[axis + 1 :])
                for axis in range(len(shape))
            ]
        case StridedLayoutAttr():
            strides = list(ty.layout.get_strides())
        case _:
            raise ConversionError(f"the layout of '{ty}' is not given by strides")
    known = [stride for stride in strides if stride is not None]
    if len(known) != len(strides):
        raise ConversionError(f"'{ty}' has strides that are not known when it is compiled")
    return known


def get_offset(ty: Attribute) -> int:
    """Where the element at zeros lies after the base of a memory reference."""
    assert isinstance(ty, MemRefType)
    match ty.layout:
        case NoneAttr():
            return 0
        case StridedLayoutAttr(offset=offset) if not isinstance(offset, NoneAttr):
            return offset.data
        case _:
            raise ConversionError(f"'{ty}' has an offset that is not known when it is compiled")


def get_size(ty: Attribute) -> int:
    """The bytes between two elements of a type in memory."""
    match ty:
        case IntegerType():
            return max(1, 1 << (ty.width.data - 1).bit_length() >> 3)
        case VectorType():
            count = prod(ty.get_shape())
            return 1 << (get_size(ty.get_element_type()) * count - 1).bit_length()
        case LLVMPointerType():
            return 8
        case _ if isa(ty, AnyFloat):
            return ty.bitwidth // 8
        case _:
            raise ConversionError(f"the size of '{ty}' is not known")


Properties = Callable[[Operation], Mapping[str, Attribute]]

NO_FLAGS = FastMathAttr(None)
EXACT = ("isExact", "exact")
NON_NEGATIVE = ("nonNeg", "nneg")


def get_fast_math(op: Operation) -> FastMathAttr:
    """`arith.fastmath` as `llvm.fastmath`."""
    flags = op.properties.get("fastmath", op.attributes.get("fastmath"))
    return FastMathAttr(flags.data) if isinstance(flags, FastMathFlagsAttr) else NO_FLAGS


def fast_math(op: Operation) -> Mapping[str, Attribute]:
    return {"fastmathFlags": get_fast_math(op)}


def overflow(op: Operation) -> Mapping[str, Attribute]:
    """`arith.overflow` as the bits of `llvm.overflow`."""
    flags = op.properties.get("overflowFlags")
    if not isinstance(flags, IntegerOverflowAttr):
        return {}
    bits = (IntegerOverflowFlag.NSW in flags.data) + 2 * (IntegerOverflowFlag.NUW in flags.data)
    return {"overflowFlags": IntegerAttr(bits, i32)} if bits else {}


def exact(op: Operation) -> Mapping[str, Attribute]:
    """Whether a division or a shift leaves no rest."""
    return {"isExact": UnitAttr()} if any(name in op.attributes for name in EXACT) else {}


def non_negative(op: Operation) -> Mapping[str, Attribute]:
    """Whether an integer is not negative."""
    has_flag = any(name in op.attributes for name in NON_NEGATIVE)
    return {"nonNeg": UnitAttr()} if has_flag else {}


def get_discardable(op: Operation) -> dict[str, Attribute]:
    """The attributes of an op that are no flags."""
    if not op.attributes:
        return {}
    flags = (*EXACT, *NON_NEGATIVE, "fastmath")
    return {name: value for name, value in op.attributes.items() if name not in flags}


def with_type(value: DenseIntOrFPElementsAttr, ty: Attribute) -> DenseIntOrFPElementsAttr:
    """The same bytes as elements of another type."""
    assert isinstance(ty, VectorType | TensorType)
    # A check of the elements as well would take longer than all else that is done here.
    return DenseIntOrFPElementsAttr(
        cast("VectorType[AnyDenseElement] | TensorType[AnyDenseElement]", ty), value.data
    )


def no_properties(op: Operation) -> Mapping[str, Attribute]:
    return {}


@dataclass(frozen=True)
class ConvertOneToOne(ConversionPattern[Operation]):
    """
    %r = arith.addi %a, %b overflow<nsw> : index
    →
    %r = llvm.add %a, %b overflow<nsw> : i64
    """

    op_class: type[Operation]
    properties: Properties = no_properties

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        new = self.op_class.create(
            operands=rewriter.values(op.operands),
            result_types=rewriter.types(op.result_types),
            properties=dict(self.properties(op)),
            attributes=get_discardable(op),
        )
        rewriter.replace(op, new)


@dataclass(frozen=True)
class FloatOneToOne(ConvertOneToOne):
    """
    %r = arith.addf %a, %b fastmath<contract> : vector<4xf32>
    →
    %r = llvm.fadd %a, %b {fastmathFlags = #llvm.fastmath<contract>} : vector<4xf32>
    """

    properties: Properties = fast_math

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        require_floats(*(value.type for value in (*op.operands, *op.results)))
        super().convert(op, rewriter)


def make_constant(rewriter: ConversionRewriter, value: Attribute) -> SSAValue:
    """
    A constant, which is made once in each block: ops of a block are converted in their order, so
    it stands in front of all that use it.
    """
    assert isinstance(value, IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr)
    key = (rewriter.block, value)
    if (known := rewriter.shared.get(key)) is None:
        known = rewriter.insert(ConstantOp(value, value.get_type())).result
        rewriter.shared[key] = known
    return known


def make_integer(rewriter: ConversionRewriter, value: int, ty: Attribute = i64) -> SSAValue:
    """An integer, or a vector of equal ones."""
    element = element_of(ty)
    assert isinstance(element, IntegerType)
    if isinstance(ty, VectorType):
        attribute = DenseIntOrFPElementsAttr.from_list(VectorType(element, ty.shape), [value])
    else:
        attribute = IntegerAttr(value, element)
    return make_constant(rewriter, attribute)


def get_integer(value: SSAValue) -> int | None:
    """The integer that a converted value is, if that is known."""
    if isinstance(value.owner, ConstantOp) and isinstance(value.owner.value, IntegerAttr):
        return value.owner.value.value.data
    return None


def make_splat(rewriter: ConversionRewriter, value: SSAValue, ty: VectorType) -> SSAValue:
    """
    %0 = llvm.mlir.poison : vector<4xf32>
    %1 = llvm.insertelement %x, %0[%zero : i64] : vector<4xf32>
    %r = llvm.shufflevector %1, %1 [0, 0, 0, 0] : vector<4xf32>
    """
    one = make_vector(rewriter, [value], ty)
    count = ty.get_shape()[0]
    return one if count == 1 else make_shuffle(rewriter, one, one, [0] * count)


def make_vector(
    rewriter: ConversionRewriter, values: Sequence[SSAValue], ty: VectorType
) -> SSAValue:
    """A vector that begins with these elements."""
    vector = rewriter.insert(PoisonOp(ty)).res
    for position, value in enumerate(values):
        index = make_integer(rewriter, position)
        vector = rewriter.insert(InsertElementOp(vector, value, index)).res
    return vector


def make_shuffle(
    rewriter: ConversionRewriter, first: SSAValue, second: SSAValue, mask: Sequence[int]
) -> SSAValue:
    """
    Elements of two vectors by number, -1 for any. Nothing is made if they are the first vector.
    """
    ty = get_vector(first.type)
    if list(mask) == list(range(ty.get_shape()[0])):
        return first
    result_type = vector_of(ty.get_element_type(), len(mask))
    attribute = dense_array(i32, tuple(mask))
    shuffle = ShuffleVectorOp.create(
        operands=[first, second],
        result_types=[result_type],
        properties={"mask": attribute},
    )
    return rewriter.insert(shuffle).res


def widen(rewriter: ConversionRewriter, vector: SSAValue, count: int) -> SSAValue:
    """A vector with any elements after its own."""
    own = get_vector(vector.type).get_shape()[0]
    return make_shuffle(rewriter, vector, vector, [*range(own), *[-1] * (count - own)])


def get_index(
    rewriter: ConversionRewriter,
    indices: Sequence[int | SSAValue],
    strides: Sequence[int],
    start: int = 0,
) -> int | SSAValue:
    """How many elements lie in front of one, `start` of them in any case."""
    number, total = start, None
    for index, stride in zip(indices, strides, strict=True):
        if isinstance(index, int):
            number += index * stride
            continue
        scaled = rewriter.value(index)
        if stride != 1:
            scaled = rewriter.insert(MulOp(scaled, make_integer(rewriter, stride))).res
        total = scaled if total is None else rewriter.insert(AddOp(total, scaled)).res
    if total is None:
        return number
    if number == 0:
        return total
    return rewriter.insert(AddOp(total, make_integer(rewriter, number))).res


def add(patterns: PatternSet, op_class: type[OpT], pattern: ConversionPattern[OpT]) -> None:
    """Adds a pattern for an op, and for the op of xDSL whose place it takes."""
    for base in op_class.__mro__:
        is_op = getattr(base, "name", None) == op_class.name and issubclass(base, Operation)
        if is_op and base not in patterns:
            patterns.add(cast("type[OpT]", base), pattern)


class AtomicOptions(TypedDict, total=False):
    """What atomic operations have, too."""

    alignment: int | None
    volatile: bool
    syncscope: str | None


class AccessOptions(AtomicOptions, total=False):
    """How LLVM loads and stores."""

    ordering: IntegerAttr[IntegerType]
    nontemporal: bool


def get_flag(op: Operation, *names: str) -> bool:
    """Whether an op has a flag, as a property or as an attribute."""
    values = (op.properties.get(name, op.attributes.get(name)) for name in names)
    return any(
        isinstance(value, UnitAttr) or (isinstance(value, IntegerAttr) and value.value.data != 0)
        for value in values
    )


def get_ordering(op: Operation, default: AtomicOrdering) -> AtomicOrdering:
    """The ordering that an op asks for."""
    match op.attributes.get("ordering"):
        case IntegerAttr() as number:
            return AtomicOrdering.of(number)
        case StringAttr(data=word):
            return AtomicOrdering(word)
        case _:
            return default


def get_atomic_options(op: Operation, alignment: int | None = None) -> AtomicOptions:
    """What an op asks for, of what LLVM's atomic operations have."""
    given = op.properties.get("alignment", op.attributes.get("alignment"))
    scope = op.attributes.get("syncscope")
    return {
        "alignment": given.value.data if isinstance(given, IntegerAttr) else alignment,
        "volatile": get_flag(op, "volatile", "volatile_"),
        "syncscope": scope.data if isinstance(scope, StringAttr) else None,
    }


def get_access_options(op: Operation, alignment: int | None = None) -> AccessOptions:
    """What an op asks for, of what LLVM's accesses have."""
    return {
        **get_atomic_options(op, alignment),
        "ordering": get_ordering(op, AtomicOrdering.NOT_ATOMIC).attr,
        "nontemporal": get_flag(op, "nontemporal"),
    }
