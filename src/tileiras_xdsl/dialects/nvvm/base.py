"""What the operations of `nvvm` share: pointers by address space, enumerations, effects."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, FixedBitwidthType, IntAttr, IntegerType, VectorType, i64
from xdsl.dialects.llvm import LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import (
    ParsePropInAttrDict,
    VerificationContext,
    irdl_attr_definition,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileiras_xdsl.dialects.building import (
    BuiltOperation,
    Kind,
    enum_attribute,
    spaced_enum_attribute,
)

# Address spaces

GENERIC_SPACE = 0
GLOBAL_SPACE = 1
SHARED_SPACE = 3
CONSTANT_SPACE = 4
CLUSTER_SPACE = 7
PARAMETER_SPACE = 101


def pointer_to(space: int) -> LLVMPointerType:
    """The type of pointers into an address space."""
    return LLVMPointerType(IntAttr(space)) if space else LLVMPointerType()


SHARED_POINTER = pointer_to(SHARED_SPACE)
GLOBAL_POINTER = pointer_to(GLOBAL_SPACE)
CLUSTER_POINTER = pointer_to(CLUSTER_SPACE)


@dataclass(frozen=True)
class PointerTo(Kind[LLVMPointerType]):
    """A pointer into one address space."""

    space: int
    phrase: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if attr != pointer_to(self.space):
            raise VerifyException(
                f"must be a pointer to {self.phrase}, '{pointer_to(self.space)}', but got '{attr}'"
            )


SharedPointer = PointerTo(SHARED_SPACE, "shared memory")
GlobalPointer = PointerTo(GLOBAL_SPACE, "global memory")
ClusterPointer = PointerTo(CLUSTER_SPACE, "shared memory of the cluster")


@dataclass(frozen=True)
class TensorMapPointer(Kind[LLVMPointerType]):
    """A pointer to a tensor map: generic, global, constant, or to a kernel's parameter."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        spaces = (GENERIC_SPACE, GLOBAL_SPACE, CONSTANT_SPACE, PARAMETER_SPACE)
        if attr not in [pointer_to(space) for space in spaces]:
            raise VerifyException(f"must be a pointer to a tensor map, but got '{attr}'")


# Types of values


def element_of(ty: Attribute) -> Attribute:
    """The element type of a vector; a scalar is its own element."""
    return ty.get_element_type() if isinstance(ty, VectorType) else ty


@dataclass(frozen=True)
class FloatLike(Kind):
    """A float of one of some types, or a vector of rank 1 of such floats."""

    names: tuple[str, ...]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        element = element_of(attr)
        if (
            not isinstance(element, AnyFloat)
            or str(element) not in self.names
            or (isinstance(attr, VectorType) and len(attr.get_shape()) != 1)
        ):
            raise VerifyException(
                f"must be {' or '.join(self.names)}, or a vector of it, but got '{attr}'"
            )


@dataclass(frozen=True)
class RegisterWords(Kind):
    """A scalar of 32 bits, or a vector that fills registers of 32 bits."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        element = element_of(attr)
        size = 1
        if isinstance(attr, VectorType):
            for extent in attr.get_shape():
                size *= extent
        if not isinstance(element, FixedBitwidthType) or size * element.bitwidth % 32 != 0:
            raise VerifyException(
                f"must be a 32-bit scalar, or a vector of a multiple of 32 bits, but got '{attr}'"
            )


@dataclass(frozen=True)
class Fragment(Kind):
    """
    The part of a matrix that a thread holds, a struct, or a vector of rank 1; or, where it is
    said to be possible, the descriptor of a matrix in shared memory.
    """

    or_descriptor: bool = False

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        match attr:
            case LLVMStructType():
                return
            case VectorType() if len(attr.get_shape()) == 1:
                return
            case IntegerType() if self.or_descriptor and attr == i64:
                return
            case _:
                descriptor = "a descriptor of type i64, " if self.or_descriptor else ""
                raise VerifyException(
                    f"must be {descriptor}a struct, or a vector of rank 1, but got '{attr}'"
                )


# Attributes


class BarrierReduction(StrEnum):
    """What a barrier computes of the predicates of its threads."""

    POPC = "popc"
    AND = "and"
    OR = "or"


class LoadMode(StrEnum):
    """How a tensor copy finds its elements."""

    TILE = "tile"
    IM2COL = "im2col"


class CacheModifier(StrEnum):
    """Which caches an asynchronous copy goes through: all, or the one of the GPU."""

    CA = "ca"
    CG = "cg"


class ReductionKind(StrEnum):
    """What a tensor copy does with the element that is there."""

    ADD = "add"
    MIN = "min"
    MAX = "max"
    INC = "inc"
    DEC = "dec"
    AND = "and"
    OR = "or"
    XOR = "xor"


class MemScope(StrEnum):
    """The threads that memory operations are ordered for."""

    CTA = "cta"
    CLUSTER = "cluster"
    GPU = "gpu"
    SYS = "sys"


class TensorMapField(StrEnum):
    """What a tensor map consists of, as PTX names it."""

    GLOBAL_ADDRESS = "global_address"
    RANK = "rank"
    BOX_DIM = "box_dim"
    GLOBAL_DIM = "global_dim"
    GLOBAL_STRIDE = "global_stride"
    ELEMENT_STRIDE = "element_stride"
    ELEMTYPE = "elemtype"
    INTERLEAVE_LAYOUT = "interleave_layout"
    SWIZZLE_MODE = "swizzle_mode"
    FILL_MODE = "fill_mode"

    @property
    def has_dimension(self) -> bool:
        """Whether there is one for each dimension."""
        return self.value in ("box_dim", "global_dim", "global_stride", "element_stride")

    @property
    def is_constant(self) -> bool:
        """Whether the value has to be known."""
        return self.value in ("elemtype", "interleave_layout", "swizzle_mode", "fill_mode")

    @property
    def is_wide(self) -> bool:
        """Whether it has 64 bits."""
        return self.value in ("global_address", "global_stride")


class ProxyKind(StrEnum):
    """The kind of accesses that a proxy fence orders with ordinary ones."""

    ALIAS = "alias"
    ASYNC = "async"
    ASYNC_GLOBAL = "async.global"
    ASYNC_SHARED = "async.shared"


class SharedSpace(StrEnum):
    """Whose shared memory is meant."""

    CTA = "cta"
    CLUSTER = "cluster"


class MatrixLayout(StrEnum):
    """Order of a matrix."""

    ROW = "row"
    COL = "col"


class MatrixType(StrEnum):
    """Elements of a matrix, as PTX names them."""

    F16 = "f16"
    BF16 = "bf16"
    TF32 = "tf32"
    F32 = "f32"
    F64 = "f64"
    E4M3 = "e4m3"
    E5M2 = "e5m2"
    E3M2 = "e3m2"
    E2M3 = "e2m3"
    E2M1 = "e2m1"
    UE8M0 = "ue8m0"
    UE4M3 = "ue4m3"
    S8 = "s8"
    U8 = "u8"
    S4 = "s4"
    U4 = "u4"
    B1 = "b1"
    S32 = "s32"


class RegisterAction(StrEnum):
    """Whether a warp asks for registers or gives them back."""

    INCREASE = "increase"
    DECREASE = "decrease"


class ShuffleKind(StrEnum):
    """Which lane a lane reads from."""

    BFLY = "bfly"
    UP = "up"
    DOWN = "down"
    IDX = "idx"


class VoteKind(StrEnum):
    """What lanes agree on."""

    ANY = "any"
    ALL = "all"
    BALLOT = "ballot"
    UNI = "uni"


class MatchKind(StrEnum):
    """Which lanes have equal values."""

    ANY = "any"
    ALL = "all"


class ReduxKind(StrEnum):
    """How lanes combine their values."""

    ADD = "add"
    MIN = "min"
    MAX = "max"
    UMIN = "umin"
    UMAX = "umax"
    AND = "and"
    OR = "or"
    XOR = "xor"
    FMIN = "fmin"
    FMAX = "fmax"


class RoundingMode(StrEnum):
    """Rounding: nearest even, zero, down, up, nearest away."""

    RN = "rn"
    RZ = "rz"
    RM = "rm"
    RP = "rp"
    RNA = "rna"


BarrierReductionAttr = spaced_enum_attribute("nvvm.reduction", BarrierReduction)
LoadModeAttr = enum_attribute("nvvm.load_mode", LoadMode)
CacheModifierAttr = spaced_enum_attribute("nvvm.load_cache_modifier", CacheModifier)
ReductionKindAttr = enum_attribute("nvvm.tma_redux_kind", ReductionKind)
MemScopeAttr = enum_attribute("nvvm.mem_scope", MemScope)
TensorMapFieldAttr = enum_attribute("nvvm.tensormap_field", TensorMapField)
ProxyKindAttr = enum_attribute("nvvm.proxy_kind", ProxyKind)
SharedSpaceAttr = enum_attribute("nvvm.shared_space", SharedSpace)
MatrixLayoutAttr = enum_attribute("nvvm.mma_layout", MatrixLayout)
MatrixTypeAttr = enum_attribute("nvvm.mma_type", MatrixType)
RegisterActionAttr = spaced_enum_attribute("nvvm.action", RegisterAction)
ShuffleKindAttr = spaced_enum_attribute("nvvm.shfl_kind", ShuffleKind)
VoteKindAttr = spaced_enum_attribute("nvvm.vote_sync_kind", VoteKind)
MatchKindAttr = spaced_enum_attribute("nvvm.match_sync_kind", MatchKind)
ReduxKindAttr = spaced_enum_attribute("nvvm.redux_kind", ReduxKind)
RoundingModeAttr = enum_attribute("nvvm.fp_rnd_mode", RoundingMode)


@irdl_attr_definition
class MatrixShapeAttr(ParametrizedAttribute):
    """`#nvvm.shape<m = 64, n = 256, k = 16>`"""

    name = "nvvm.shape"

    m: IntAttr
    n: IntAttr
    k: IntAttr

    @staticmethod
    def of(m: int, n: int, k: int) -> MatrixShapeAttr:
        return MatrixShapeAttr(IntAttr(m), IntAttr(n), IntAttr(k))

    @property
    def extents(self) -> tuple[int, int, int]:
        return self.m.data, self.n.data, self.k.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[IntAttr]:
        extents: list[IntAttr] = []
        with parser.in_angle_brackets():
            for name in ("m", "n", "k"):
                if extents:
                    parser.parse_punctuation(",")
                parser.parse_keyword(name)
                parser.parse_punctuation("=")
                extents.append(IntAttr(parser.parse_integer(allow_boolean=False)))
        return extents

    def print_parameters(self, printer: Printer) -> None:
        m, n, k = self.extents
        with printer.in_angle_brackets():
            printer.print_string(f"m = {m}, n = {n}, k = {k}")

    def verify(self) -> None:
        if min(self.extents) < 1:
            raise VerifyException(f"extents of a shape must be positive, but got {self}")


# Operations


class NvvmOperation(BuiltOperation, ABC):
    """Base of the dialect's operations: properties print in the attribute dictionary."""

    irdl_options = (ParsePropInAttrDict(),)


class OrderedOperation(NvvmOperation, ABC):
    """
    An operation that orders other accesses, or threads: none is removed, moved across another,
    or merged with one.
    """

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


class PlainOperation(OrderedOperation, ABC):
    """An instruction without operands, `nvvm.op`."""

    assembly_format = "attr-dict"
