"""
xDSL's `llvm` with what it lacks, spelled as upstream spells it: atomics and fences; volatile and
scoped accesses; casts between address spaces, and between floats and integers; elements of
vectors; comparisons, selections and address computations on vectors; more intrinsics.

The dialect takes the place of xDSL's in every context (see `universe.py`). Each op that replaces
one is a subclass of it, so that passes and patterns of xDSL find it.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    I1,
    I32,
    I64,
    AnyFloatConstr,
    BoolAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    SignlessIntegerConstraint,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.llvm import FastMathAttr, LLVMPointerType, LLVMStructType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Dialect, Operation, ParametrizedAttribute
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_successor_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import (
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileiras_xdsl.dialects.building import (
    BuiltOperation,
    OpMeta,
    TypeOf,
    Value,
    define,
    value_type,
)
from tileiras_xdsl.dialects.memory_order import Assumes
from tileiras_xdsl.dialects.nvvm.base import element_of

# Enumerations that are integers in the generic form

ORDERINGS = ("not_atomic", "unordered", "monotonic", "", "acquire", "release", "acq_rel", "seq_cst")
"""Orderings of atomic accesses by number; there is none with number 3."""


class AtomicOrdering(StrEnum):
    """How an atomic access orders others."""

    NOT_ATOMIC = "not_atomic"
    UNORDERED = "unordered"
    MONOTONIC = "monotonic"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"

    @property
    def attr(self) -> IntegerAttr[IntegerType]:
        return IntegerAttr(ORDERINGS.index(self.value), i64)

    @staticmethod
    def of(attribute: IntegerAttr) -> AtomicOrdering:
        number = attribute.value.data
        if number not in range(len(ORDERINGS)) or not ORDERINGS[number]:
            raise VerifyException(f"unknown atomic ordering {number}")
        return AtomicOrdering(ORDERINGS[number])


class AtomicBinOp(StrEnum):
    """What an atomic operation does, in the order of upstream's numbers."""

    XCHG = "xchg"
    ADD = "add"
    SUB = "sub"
    AND = "_and"
    NAND = "nand"
    OR = "_or"
    XOR = "_xor"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    FADD = "fadd"
    FSUB = "fsub"
    FMAX = "fmax"
    FMIN = "fmin"
    UINC_WRAP = "uinc_wrap"
    UDEC_WRAP = "udec_wrap"
    USUB_COND = "usub_cond"
    USUB_SAT = "usub_sat"
    FMAXIMUM = "fmaximum"
    FMINIMUM = "fminimum"

    @property
    def attr(self) -> IntegerAttr[IntegerType]:
        return IntegerAttr(list(AtomicBinOp).index(self), i64)

    @staticmethod
    def of(attribute: IntegerAttr) -> AtomicBinOp:
        number = attribute.value.data
        if number not in range(len(AtomicBinOp)):
            raise VerifyException(f"unknown atomic operation {number}")
        return list(AtomicBinOp)[number]


FLOAT_BIN_OPS = (
    *(AtomicBinOp.FADD, AtomicBinOp.FSUB, AtomicBinOp.FMAX, AtomicBinOp.FMIN),
    *(AtomicBinOp.FMAXIMUM, AtomicBinOp.FMINIMUM),
)


# Pieces of syntax of accesses


class WordDirective(CustomDirective, ABC):
    """A word for a property that is a number: `acq_rel`."""

    attribute: AttributeVariable
    WORDS: ClassVar[type[AtomicOrdering | AtomicBinOp]]

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.attribute.set(state, parser.parse_str_enum(self.WORDS).attr)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_string(self.WORDS.of(cast(IntegerAttr, self.attribute.get(op))).value)


@irdl_custom_directive
class OrderingWord(WordDirective):
    """How an access orders others: `acq_rel`."""

    attribute: AttributeVariable
    WORDS: ClassVar = AtomicOrdering


@irdl_custom_directive
class BinOpWord(WordDirective):
    """What an atomic operation does: `add`."""

    attribute: AttributeVariable
    WORDS: ClassVar = AtomicBinOp


@irdl_custom_directive
class AtomicClause(CustomDirective):
    """`atomic syncscope("device") acquire`; absent means `not_atomic`."""

    syncscope: AttributeVariable
    ordering: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        ordering = AtomicOrdering.NOT_ATOMIC
        if parser.parse_optional_keyword("atomic") is not None:
            if parser.parse_optional_keyword("syncscope") is not None:
                with parser.in_parens():
                    self.syncscope.set(state, StringAttr(parser.parse_str_literal()))
            ordering = parser.parse_str_enum(AtomicOrdering)
        self.ordering.set(state, ordering.attr)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        ordering = AtomicOrdering.of(cast(IntegerAttr, self.ordering.get(op)))
        if ordering is AtomicOrdering.NOT_ATOMIC:
            return
        state.print_whitespace(printer)
        printer.print_string("atomic")
        if (scope := self.syncscope.get(op)) is not None:
            printer.print_string(f" syncscope({scope})")
        printer.print_string(f" {ordering.value}")


@irdl_custom_directive
class UpdatedType(CustomDirective):
    """The type of what an operation changes, and yields."""

    value: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        ty = parser.parse_type()
        self.value.set(state, (ty,))
        self.result.set(state, (ty,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_attribute(self.value.get(op)[0])


@irdl_custom_directive
class ExchangedType(CustomDirective):
    """The type of what is compared and stored; the result is the old value and whether it was."""

    expected: TypeDirective
    value: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        ty = parser.parse_type()
        self.expected.set(state, (ty,))
        self.value.set(state, (ty,))
        self.result.set(state, (LLVMStructType.from_type_list([ty, i1]),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_attribute(self.value.get(op)[0])


SYNCSCOPE = "(`syncscope` `(` $syncscope^ `)`)?"


class OwnFormat(IRDLOperation, metaclass=OpMeta):
    """
    First base of an op that replaces one and is read and written by a format: takes away what
    the format of the replaced op was made into, so that constraints are those of the new op.
    """

    parse = classmethod(Operation.parse.__func__)  # pyright: ignore
    print = Operation.print


# Accesses


class AccessEffects(MemoryEffect):
    """A load reads, a store writes; one that is volatile or atomic keeps its place and number."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        assert isinstance(op, AccessOperation)
        if op.volatile_ is not None or op.get_ordering() is not AtomicOrdering.NOT_ATOMIC:
            kinds = (MemoryEffectKind.READ, MemoryEffectKind.WRITE)
        elif isinstance(op, LoadOp):
            kinds = (MemoryEffectKind.READ,)
        else:
            kinds = (MemoryEffectKind.WRITE,)
        return {EffectInstance(kind) for kind in kinds}


class AccessOperation(OwnFormat, BuiltOperation, ABC):
    """An access that may be volatile, atomic in a scope, aligned, or nontemporal."""

    alignment = opt_prop_def(IntegerAttr[I64])
    ordering = prop_def(IntegerAttr[I64], default_value=IntegerAttr(0, i64))
    syncscope = opt_prop_def(StringAttr)
    volatile_ = opt_prop_def(UnitAttr)
    nontemporal = opt_prop_def(UnitAttr)

    traits = traits_def(AccessEffects())

    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (AtomicClause,)

    DEFAULTS: ClassVar = {"ordering": 0}

    def get_ordering(self) -> AtomicOrdering:
        return AtomicOrdering.of(self.ordering)

    def verify_access(self, *refused: AtomicOrdering) -> None:
        ordering = self.get_ordering()
        if ordering in refused:
            raise VerifyException(f"unsupported ordering '{ordering.value}'")
        if ordering is AtomicOrdering.NOT_ATOMIC and self.syncscope is not None:
            raise VerifyException("expected syncscope to be null for non-atomic access")


@irdl_op_definition
class LoadOp(AccessOperation, llvm.LoadOp):
    """
    Loads a value; `invariant`: nothing writes it while the program runs.

        %x = llvm.load volatile %p atomic syncscope("device") acquire {alignment = 4 : i64}
            : !llvm.ptr<1> -> i32
    """

    name = "llvm.load"

    ptr = operand_def(LLVMPointerType)
    # Again, so that they come first among the arguments of the constructor.
    alignment = opt_prop_def(IntegerAttr[I64])
    ordering = prop_def(IntegerAttr[I64], default_value=IntegerAttr(0, i64))
    invariant = opt_prop_def(UnitAttr)
    dereferenced_value = result_def()

    assembly_format = (
        "(`volatile` $volatile_^)? $ptr custom<AtomicClause>($syncscope, $ordering) "
        "(`invariant` $invariant^)? attr-dict `:` type($ptr) `->` type($dereferenced_value)"
    )

    def verify_(self) -> None:
        self.verify_access(AtomicOrdering.RELEASE, AtomicOrdering.ACQ_REL)


@irdl_op_definition
class StoreOp(AccessOperation, llvm.StoreOp):
    """
    Stores a value.

        llvm.store volatile %x, %p atomic syncscope("block") release {alignment = 4 : i64}
            : i32, !llvm.ptr<3>
    """

    name = "llvm.store"

    value = operand_def()
    ptr = operand_def(LLVMPointerType)

    assembly_format = (
        "(`volatile` $volatile_^)? $value `,` $ptr custom<AtomicClause>($syncscope, $ordering) "
        "attr-dict `:` type($value) `,` type($ptr)"
    )

    def verify_(self) -> None:
        self.verify_access(AtomicOrdering.ACQUIRE, AtomicOrdering.ACQ_REL)


class AtomicOperation(BuiltOperation, ABC):
    """An operation that is never removed, moved across another access, or merged with one."""

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (OrderingWord, BinOpWord, UpdatedType, ExchangedType)


@irdl_op_definition
class AtomicRMWOp(AtomicOperation):
    """
    Changes a value in memory; yields the old one.

        %old = llvm.atomicrmw add %p, %x syncscope("device") acq_rel : !llvm.ptr<1>, i32
    """

    name = "llvm.atomicrmw"

    ptr = operand_def(LLVMPointerType)
    val = operand_def()
    bin_op = prop_def(IntegerAttr[I64])
    ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr[I64])
    volatile_ = opt_prop_def(UnitAttr)
    res = result_def()

    assembly_format = (
        "(`volatile` $volatile_^)? custom<BinOpWord>($bin_op) $ptr `,` $val "
        f"{SYNCSCOPE} custom<OrderingWord>($ordering) attr-dict `:` type($ptr) `,` "
        "custom<UpdatedType>(type($val), type($res))"
    )

    DEFAULTS: ClassVar = {"res_type": TypeOf("val")}

    def get_bin_op(self) -> AtomicBinOp:
        return AtomicBinOp.of(self.bin_op)

    def get_ordering(self) -> AtomicOrdering:
        return AtomicOrdering.of(self.ordering)

    def verify_(self) -> None:
        if self.res.type != self.val.type:
            raise VerifyException(
                f"expects a result of type '{self.val.type}', but got '{self.res.type}'"
            )
        bin_op = self.get_bin_op()
        is_integer = isinstance(self.val.type, IntegerType | LLVMPointerType)
        if bin_op is not AtomicBinOp.XCHG and is_integer == (bin_op in FLOAT_BIN_OPS):
            kind = "a float" if bin_op in FLOAT_BIN_OPS else "an integer"
            raise VerifyException(
                f"expected LLVM IR {kind[kind.index(' ') + 1 :]} type for '{bin_op.value}', "
                f"but got '{self.val.type}'"
            )
        if self.get_ordering() in (AtomicOrdering.NOT_ATOMIC, AtomicOrdering.UNORDERED):
            raise VerifyException("expected at least 'monotonic' ordering")


@irdl_op_definition
class AtomicCmpXchgOp(AtomicOperation):
    """
    Replaces a value in memory if it is the expected one; yields the old one, and whether it was.

        %r = llvm.cmpxchg %p, %expected, %new syncscope("device") acq_rel monotonic
            : !llvm.ptr<1>, i32
    """

    name = "llvm.cmpxchg"

    ptr = operand_def(LLVMPointerType)
    cmp = operand_def()
    val = operand_def()
    success_ordering = prop_def(IntegerAttr[I64])
    failure_ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr[I64])
    weak = opt_prop_def(UnitAttr)
    volatile_ = opt_prop_def(UnitAttr)
    res = result_def(LLVMStructType)

    assembly_format = (
        "(`weak` $weak^)? (`volatile` $volatile_^)? $ptr `,` $cmp `,` $val "
        f"{SYNCSCOPE} custom<OrderingWord>($success_ordering) "
        "custom<OrderingWord>($failure_ordering) attr-dict `:` type($ptr) `,` "
        "custom<ExchangedType>(type($cmp), type($val), type($res))"
    )

    DEFAULTS: ClassVar = {
        "res_type": TypeOf("val", lambda ty: LLVMStructType.from_type_list([ty, i1]))
    }

    def get_orderings(self) -> tuple[AtomicOrdering, AtomicOrdering]:
        """The ordering if the value was the expected one, and if not."""
        return AtomicOrdering.of(self.success_ordering), AtomicOrdering.of(self.failure_ordering)

    def verify_(self) -> None:
        ty = self.val.type
        if self.cmp.type != ty:
            raise VerifyException(f"compares '{self.cmp.type}', but stores '{ty}'")
        if not isinstance(ty, IntegerType | LLVMPointerType):
            raise VerifyException(f"unexpected LLVM IR type '{ty}'")
        if self.res.type != LLVMStructType.from_type_list([ty, i1]):
            raise VerifyException(
                f"yields a struct of '{ty}' and 'i1', but the result is '{self.res.type}'"
            )
        success, failure = self.get_orderings()
        weak = (AtomicOrdering.NOT_ATOMIC, AtomicOrdering.UNORDERED)
        if success in weak or failure in weak:
            raise VerifyException("ordering must be at least 'monotonic'")
        if failure in (AtomicOrdering.RELEASE, AtomicOrdering.ACQ_REL):
            raise VerifyException("failure ordering cannot be 'release' or 'acq_rel'")


@irdl_op_definition
class FenceOp(AtomicOperation):
    """Orders accesses: `llvm.fence syncscope("device") acq_rel`."""

    name = "llvm.fence"

    ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)

    assembly_format = f"{SYNCSCOPE} custom<OrderingWord>($ordering) attr-dict"

    def get_ordering(self) -> AtomicOrdering:
        return AtomicOrdering.of(self.ordering)

    def verify_(self) -> None:
        if self.get_ordering() in (
            AtomicOrdering.NOT_ATOMIC,
            AtomicOrdering.UNORDERED,
            AtomicOrdering.MONOTONIC,
        ):
            raise VerifyException(
                "can be given only acquire, release, acq_rel, and seq_cst orderings"
            )


# Pointers


def _is_pointer(ty: Attribute) -> bool:
    return isinstance(element_of(ty), LLVMPointerType)


def _is_integer(ty: Attribute) -> bool:
    return isinstance(element_of(ty), IntegerType)


@irdl_op_definition
class GEPOp(llvm.GEPOp):
    """
    An address, or a vector of addresses, by indices.

        %q = llvm.getelementptr inbounds %p[%i, 1] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    """

    name = "llvm.getelementptr"

    ptr = operand_def()
    ssa_indices = var_operand_def()
    elem_type = prop_def()
    noWrapFlags = prop_def(IntegerAttr[I32])
    rawConstantIndices = prop_def(DenseArrayBase.constr(i32))
    inbounds = opt_prop_def(UnitAttr)
    result = result_def()

    traits = traits_def(Pure())

    def verify_(self) -> None:
        for name, ty in (("operand #0", self.ptr.type), ("result", self.result.type)):
            if not _is_pointer(ty):
                raise VerifyException(
                    f"{name} must be a pointer, or a vector of pointers, but got '{ty}'"
                )
        for index in self.ssa_indices:
            if not _is_integer(index.type):
                raise VerifyException(
                    f"indices must be integers, or vectors of them, but got '{index.type}'"
                )
        dynamic = [
            index
            for index in self.rawConstantIndices.iter_values()
            if index == llvm.GEP_USE_SSA_VAL
        ]
        if len(dynamic) != len(self.ssa_indices):
            raise VerifyException(
                f"expects {len(dynamic)} dynamic indices, but got {len(self.ssa_indices)}"
            )
        if element_of(self.ptr.type) != element_of(self.result.type):
            raise VerifyException(
                f"'{self.result.type}' is not in the address space of '{self.ptr.type}'"
            )
        self._verify_path()

    def _verify_path(self) -> None:
        ty: Attribute = self.elem_type
        for number, index in enumerate(self.rawConstantIndices.iter_values()):
            if number == 0:
                continue
            match ty:
                case llvm.LLVMArrayType():
                    ty = ty.type
                case LLVMStructType():
                    if not 0 <= index < len(ty.types):
                        raise VerifyException(
                            f"index #{number} must be a constant below {len(ty.types)}"
                        )
                    ty = ty.types.data[index]
                case _:
                    raise VerifyException(f"index #{number}: cannot index into {ty}")


@irdl_op_definition
class IntToPtrOp(OwnFormat, llvm.IntToPtrOp):
    """An integer as an address: `%p = llvm.inttoptr %x : i64 to !llvm.ptr<3>`."""

    name = "llvm.inttoptr"

    input = operand_def()
    output = result_def()

    traits = traits_def(Pure())

    assembly_format = "$input attr-dict `:` type($input) `to` type($output)"

    def __init__(self, source: Value, result_type: Attribute | None = None):
        IRDLOperation.__init__(
            self, operands=[source], result_types=[result_type or LLVMPointerType()]
        )

    def verify_(self) -> None:
        if not _is_integer(self.input.type) or not _is_pointer(self.output.type):
            raise VerifyException(
                f"casts an integer to a pointer, not '{self.input.type}' to '{self.output.type}'"
            )


@irdl_op_definition
class PtrToIntOp(OwnFormat, llvm.PtrToIntOp):
    """An address as an integer: `%x = llvm.ptrtoint %p : !llvm.ptr<3> to i64`."""

    name = "llvm.ptrtoint"

    input = operand_def()
    output = result_def()

    traits = traits_def(Pure())

    assembly_format = "$input attr-dict `:` type($input) `to` type($output)"

    def verify_(self) -> None:
        if not _is_pointer(self.input.type) or not _is_integer(self.output.type):
            raise VerifyException(
                f"casts a pointer to an integer, not '{self.input.type}' to '{self.output.type}'"
            )


# Casts


def _is_kind(ty: Attribute, kind: str) -> bool:
    match kind:
        case "pointers":
            return _is_pointer(ty)
        case "integers":
            return _is_integer(ty)
        case _:
            return AnyFloatConstr.verifies(element_of(ty))


class CastOperation(llvm.GenericCastOp, ABC):
    """A cast of a value, or of each element of a vector."""

    traits = traits_def(Pure())

    FROM: ClassVar[str]
    TO: ClassVar[str]

    def verify_(self) -> None:
        source, result = self.arg.type, self.result.type
        shapes = [ty.get_shape() if isinstance(ty, VectorType) else None for ty in (source, result)]
        if shapes[0] != shapes[1]:
            raise VerifyException(f"'{source}' and '{result}' have different shapes")
        for ty, kind in ((source, self.FROM), (result, self.TO)):
            if not _is_kind(ty, kind):
                raise VerifyException(f"expects {kind}, but got '{ty}'")


@irdl_op_definition
class AddrSpaceCastOp(CastOperation):
    """
    A pointer to the same memory through another address space.

        %q = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr
    """

    name = "llvm.addrspacecast"
    FROM: ClassVar = "pointers"
    TO: ClassVar = "pointers"


@irdl_op_definition
class FPToSIOp(CastOperation):
    """A float, cut to a signed integer: `%r = llvm.fptosi %x : f32 to i32`."""

    name = "llvm.fptosi"
    FROM: ClassVar = "floats"
    TO: ClassVar = "integers"


@irdl_op_definition
class FPToUIOp(CastOperation):
    """A float, cut to an unsigned integer: `%r = llvm.fptoui %x : f32 to i32`."""

    name = "llvm.fptoui"
    FROM: ClassVar = "floats"
    TO: ClassVar = "integers"


@irdl_op_definition
class UIToFPOp(CastOperation):
    """An unsigned integer as a float: `%r = llvm.uitofp %x : i32 to f32`."""

    name = "llvm.uitofp"
    FROM: ClassVar = "integers"
    TO: ClassVar = "floats"


# Values


@irdl_op_definition
class ExtractElementOp(BuiltOperation):
    """An element of a vector: `%x = llvm.extractelement %v[%i : i32] : vector<4xf32>`."""

    name = "llvm.extractelement"

    T: ClassVar = VarConstraint("T", AnyAttr())

    vector = operand_def(VectorType.constr(T))
    position = operand_def(SignlessIntegerConstraint)
    res = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"

    DEFAULTS: ClassVar = {"res_type": TypeOf("vector", element_of)}


@irdl_op_definition
class SelectOp(OwnFormat, llvm.SelectOp):
    """
    One of two values by an i1, or element by element by a vector of them.

        %r = llvm.select %c, %a, %b : vector<4xi1>, vector<4xf32>
    """

    name = "llvm.select"

    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def()
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())

    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"

    def verify_(self) -> None:
        cond, ty = self.cond.type, self.res.type
        if element_of(cond) != i1:
            raise VerifyException(f"expects an i1 or a vector of i1, but got '{cond}'")
        if isinstance(cond, VectorType) and (
            not isinstance(ty, VectorType) or ty.get_shape() != cond.get_shape()
        ):
            raise VerifyException(f"'{cond}' has not the shape of '{ty}'")


class CompareOperation(IRDLOperation, metaclass=OpMeta):
    """A comparison of values, or of vectors element by element."""

    T: ClassVar = VarConstraint("T", AnyAttr())

    lhs = operand_def(T)
    rhs = operand_def(T)
    predicate = prop_def(IntegerAttr[I64])
    res = result_def()

    traits = traits_def(Pure())

    def verify_comparison(self, kind: str, is_right: bool) -> None:
        ty = self.lhs.type
        if not is_right:
            raise VerifyException(f"compares {kind}, but got '{ty}'")
        expected = comparison_type(ty)
        if self.res.type != expected:
            raise VerifyException(
                f"expects a result of type '{expected}', but got '{self.res.type}'"
            )


def comparison_type(ty: Attribute) -> Attribute:
    """The type of a comparison of values of this type."""
    return VectorType(i1, ty.get_shape()) if isinstance(ty, VectorType) else i1


@irdl_op_definition
class ICmpOp(CompareOperation, llvm.ICmpOp):
    """A comparison of integers or pointers: `%r = llvm.icmp "slt" %a, %b : vector<4xi32>`."""

    name = "llvm.icmp"

    def verify_(self, verify_nested_ops: bool = True) -> None:
        element = element_of(self.lhs.type)
        is_right = isinstance(element, IntegerType | LLVMPointerType)
        self.verify_comparison("integers or pointers", is_right)


@irdl_op_definition
class FCmpOp(CompareOperation, llvm.FCmpOp):
    """A comparison of floats: `%r = llvm.fcmp "olt" %a, %b : vector<4xf32>`."""

    name = "llvm.fcmp"

    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    irdl_options = (ParsePropInAttrDict(),)

    def __init__(
        self,
        lhs: Value,
        rhs: Value,
        predicate: str | IntegerAttr[IntegerType],
        attributes: dict[str, Attribute] | None = None,
        fast_math: FastMathAttr | FastMathFlag | None = None,
    ):
        if isinstance(predicate, str):
            predicate = IntegerAttr(llvm.FCmpPredicateFlag(predicate).to_int(), i64)
        attributes = dict(attributes or {})
        flags = attributes.pop("fastmathFlags", None)
        if flags is None:
            flags = fast_math if isinstance(fast_math, FastMathAttr) else FastMathAttr(fast_math)
        IRDLOperation.__init__(
            self,
            operands=[lhs, rhs],
            properties={"predicate": predicate, "fastmathFlags": flags},
            attributes=attributes,
            result_types=[comparison_type(value_type(lhs))],
        )

    def print(self, printer: Printer) -> None:
        flag = llvm.FCmpPredicateFlag.from_int(self.predicate.value.data)
        printer.print_string(f' "{flag}" ')
        printer.print_list((self.lhs, self.rhs), printer.print_operand)
        flags = self.fastmathFlags
        properties = {} if flags == FastMathAttr(None) else {"fastmathFlags": flags}
        printer.print_op_attributes({**properties, **self.attributes})
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)

    def verify_(self) -> None:
        is_right = AnyFloatConstr.verifies(element_of(self.lhs.type))
        self.verify_comparison("floats", is_right)


@irdl_op_definition
class FreezeOp(BuiltOperation):
    """Some value if it is poison, else the value: `%r = llvm.freeze %x : i32`."""

    name = "llvm.freeze"

    T: ClassVar = VarConstraint("T", AnyAttr())

    val = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$val attr-dict `:` type($val)"


@irdl_op_definition
class PoisonOp(BuiltOperation):
    """Any value: `%r = llvm.mlir.poison : vector<4xf32>`."""

    name = "llvm.mlir.poison"

    res = result_def()

    traits = traits_def(Pure())

    assembly_format = "attr-dict `:` type($res)"


# Control flow


@irdl_op_definition
class SwitchOp(BuiltOperation):
    """
    Goes to the block of a value. Printed in the generic form.

        "llvm.switch"(%x)[^default, ^one] <{case_values = dense<1> : vector<1xi32>,
            case_operand_segments = array<i32: 0>, operandSegmentSizes = array<i32: 1, 0, 0>}>
            : (i32) -> ()
    """

    name = "llvm.switch"

    value = operand_def(IntegerType)
    default_operands = var_operand_def()
    case_operands = var_operand_def()
    case_values = opt_prop_def(DenseIntOrFPElementsAttr)
    case_operand_segments = prop_def(DenseArrayBase.constr(i32))
    default_block = successor_def()
    case_blocks = var_successor_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator(), NoMemoryEffect())

    def __init__(
        self,
        value: Value,
        default: tuple[Block, Sequence[Value]],
        cases: Sequence[tuple[int, Block, Sequence[Value]]],
    ):
        ty = value_type(value)
        assert isinstance(ty, IntegerType)
        values = [number for number, _, _ in cases]
        super().__init__(
            operands=[value, default[1], [arg for _, _, args in cases for arg in args]],
            properties={
                "case_values": (
                    DenseIntOrFPElementsAttr.from_list(VectorType(ty, [len(values)]), values)
                    if values
                    else None
                ),
                "case_operand_segments": DenseArrayBase.from_list(
                    i32, [len(args) for _, _, args in cases]
                ),
            },
            successors=[default[0], [block for _, block, _ in cases]],
        )

    def verify_(self) -> None:
        count = len(self.case_blocks)
        values = 0 if self.case_values is None else len(self.case_values)
        segments = self.case_operand_segments.get_values()
        if values != count or len(segments) != count:
            raise VerifyException(
                f"{count} cases have {values} values and {len(segments)} operand segments"
            )
        if sum(segments) != len(self.case_operands):
            raise VerifyException(
                f"segments add up to {sum(segments)}, but there are "
                f"{len(self.case_operands)} operands of cases"
            )


# Intrinsics

FLOATS = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
INTEGERS = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)
CALL_FORMAT = "`(` operands `)` attr-dict `:` functional-type(operands, results)"


class FloatIntrinsicOp(BuiltOperation, ABC):
    """`%r = llvm.intr.… (%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32`"""

    T: ClassVar = VarConstraint("T", FLOATS)

    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = CALL_FORMAT

    DEFAULTS: ClassVar = {"fastmathFlags": FastMathAttr(None)}


class UnaryFloatIntrinsicOp(FloatIntrinsicOp, ABC):
    """`%r = llvm.intr.…(%x) : (f32) -> f32`"""

    arg = operand_def(FloatIntrinsicOp.T)
    res = result_def(FloatIntrinsicOp.T)


class BinaryFloatIntrinsicOp(FloatIntrinsicOp, ABC):
    """`%r = llvm.intr.…(%x, %y) : (f32, f32) -> f32`"""

    lhs = operand_def(FloatIntrinsicOp.T)
    rhs = operand_def(FloatIntrinsicOp.T)
    res = result_def(FloatIntrinsicOp.T)


class IntegerIntrinsicOp(BuiltOperation, ABC):
    """`%r = llvm.intr.…(%x, %y) : (i32, i32) -> i32`"""

    T: ClassVar = VarConstraint("T", INTEGERS)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = CALL_FORMAT


class UnaryIntegerIntrinsicOp(IntegerIntrinsicOp, ABC):
    """`%r = llvm.intr.…(%x) : (i32) -> i32`"""

    arg = operand_def(IntegerIntrinsicOp.T)
    res = result_def(IntegerIntrinsicOp.T)


class BinaryIntegerIntrinsicOp(IntegerIntrinsicOp, ABC):
    """`%r = llvm.intr.…(%x, %y) : (i32, i32) -> i32`"""

    lhs = operand_def(IntegerIntrinsicOp.T)
    rhs = operand_def(IntegerIntrinsicOp.T)
    res = result_def(IntegerIntrinsicOp.T)


class TernaryIntegerIntrinsicOp(IntegerIntrinsicOp, ABC):
    """`%r = llvm.intr.…(%x, %y, %z) : (i32, i32, i32) -> i32`"""

    a = operand_def(IntegerIntrinsicOp.T)
    b = operand_def(IntegerIntrinsicOp.T)
    c = operand_def(IntegerIntrinsicOp.T)
    res = result_def(IntegerIntrinsicOp.T)


class ReduceIntrinsicOp(BuiltOperation, ABC):
    """`%r = llvm.intr.vector.reduce.…(%v) : (vector<4xi32>) -> i32`"""

    T: ClassVar = VarConstraint("T", AnyAttr())

    vector = operand_def(VectorType.constr(T))
    res = result_def(T)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = CALL_FORMAT

    DEFAULTS: ClassVar = {"res_type": TypeOf("vector", element_of)}


@irdl_op_definition
class AbsOp(UnaryIntegerIntrinsicOp):
    """
    The absolute value; `is_int_min_poison`: that of the least integer is poison.

        %r = llvm.intr.abs(%x) {is_int_min_poison = false} : (i32) -> i32
    """

    name = "llvm.intr.abs"

    is_int_min_poison = prop_def(BoolAttr)

    DEFAULTS: ClassVar = {"is_int_min_poison": False}


class CountZerosOp(UnaryIntegerIntrinsicOp, ABC):
    """Counts zeros at an end of an integer; `is_zero_poison`: that of zero is poison."""

    is_zero_poison = prop_def(BoolAttr)

    DEFAULTS: ClassVar = {"is_zero_poison": False}


@irdl_op_definition
class CountLeadingZerosOp(CountZerosOp):
    """Zeros at the top: `%r = llvm.intr.ctlz(%x) {is_zero_poison = false} : (i32) -> i32`."""

    name = "llvm.intr.ctlz"


@irdl_op_definition
class CountTrailingZerosOp(CountZerosOp):
    """Zeros at the bottom: `%r = llvm.intr.cttz(%x) {is_zero_poison = false} : (i32) -> i32`."""

    name = "llvm.intr.cttz"


@irdl_op_definition
class PowIOp(FloatIntrinsicOp):
    """A float to the power of an integer: `%r = llvm.intr.powi(%x, %n) : (f32, i32) -> f32`."""

    name = "llvm.intr.powi"

    val = operand_def(FloatIntrinsicOp.T)
    power = operand_def(SignlessIntegerConstraint)
    res = result_def(FloatIntrinsicOp.T)


class SaturatingCastOp(BuiltOperation, ABC):
    """
    A float, cut to an integer: to the nearest one of its type if that is too large, to 0 if it
    is a NaN.
    """

    arg = operand_def()
    res = result_def()

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = CALL_FORMAT

    def verify_(self) -> None:
        source, result = self.arg.type, self.res.type
        for ty, kind in ((source, "floats"), (result, "integers")):
            if not _is_kind(ty, kind):
                raise VerifyException(f"expects {kind}, but got '{ty}'")
        shapes = {ty.get_shape() if isinstance(ty, VectorType) else None for ty in (source, result)}
        if len(shapes) > 1:
            raise VerifyException(f"'{source}' and '{result}' have different shapes")


@irdl_op_definition
class FPToSISatOp(SaturatingCastOp):
    """A signed integer: `%r = llvm.intr.fptosi.sat(%x) : (f32) -> i32`."""

    name = "llvm.intr.fptosi.sat"


@irdl_op_definition
class FPToUISatOp(SaturatingCastOp):
    """An unsigned integer: `%r = llvm.intr.fptoui.sat(%x) : (f32) -> i32`."""

    name = "llvm.intr.fptoui.sat"


@irdl_op_definition
class AssumeOp(AtomicOperation):
    """Says that a condition holds: `llvm.intr.assume %c : i1`."""

    name = "llvm.intr.assume"

    cond = operand_def(I1)

    traits = traits_def(Assumes())
    assembly_format = "$cond attr-dict `:` type($cond)"


@irdl_op_definition
class TrapOp(AtomicOperation):
    """Ends the grid with an error: `llvm.intr.trap`."""

    name = "llvm.intr.trap"

    assembly_format = "attr-dict"


def _unary_float(class_name: str, word: str, what: str) -> type[UnaryFloatIntrinsicOp]:
    doc = f"{what}: `%r = llvm.intr.{word}(%x) : (f32) -> f32`."
    return define(UnaryFloatIntrinsicOp, class_name, f"llvm.intr.{word}", doc)


def _binary_float(class_name: str, word: str, what: str) -> type[BinaryFloatIntrinsicOp]:
    doc = f"{what}: `%r = llvm.intr.{word}(%x, %y) : (f32, f32) -> f32`."
    return define(BinaryFloatIntrinsicOp, class_name, f"llvm.intr.{word}", doc)


def _unary_integer(class_name: str, word: str, what: str) -> type[UnaryIntegerIntrinsicOp]:
    doc = f"{what}: `%r = llvm.intr.{word}(%x) : (i32) -> i32`."
    return define(UnaryIntegerIntrinsicOp, class_name, f"llvm.intr.{word}", doc)


def _binary_integer(class_name: str, word: str, what: str) -> type[BinaryIntegerIntrinsicOp]:
    doc = f"{what}: `%r = llvm.intr.{word}(%x, %y) : (i32, i32) -> i32`."
    return define(BinaryIntegerIntrinsicOp, class_name, f"llvm.intr.{word}", doc)


def _ternary_integer(class_name: str, word: str, what: str) -> type[TernaryIntegerIntrinsicOp]:
    doc = f"{what}: `%r = llvm.intr.{word}(%x, %y, %z) : (i32, i32, i32) -> i32`."
    return define(TernaryIntegerIntrinsicOp, class_name, f"llvm.intr.{word}", doc)


def _reduce(class_name: str, word: str, what: str) -> type[ReduceIntrinsicOp]:
    name = f"llvm.intr.vector.reduce.{word}"
    doc = f"{what} of the elements of a vector: `%r = {name}(%v) : (vector<4xT>) -> T`."
    return define(ReduceIntrinsicOp, class_name, name, doc)


FTruncOp = _unary_float("FTruncOp", "trunc", "Rounds to zero")
RoundOp = _unary_float("RoundOp", "round", "Rounds to nearest, half away from zero")
RoundEvenOp = _unary_float("RoundEvenOp", "roundeven", "Rounds to nearest, half to even")
RintOp = _unary_float("RintOp", "rint", "Rounds as the processor does")
NearbyintOp = _unary_float("NearbyintOp", "nearbyint", "Rounds as the processor does")
TanOp = _unary_float("TanOp", "tan", "The tangent")
SinhOp = _unary_float("SinhOp", "sinh", "The hyperbolic sine")
CoshOp = _unary_float("CoshOp", "cosh", "The hyperbolic cosine")
TanhOp = _unary_float("TanhOp", "tanh", "The hyperbolic tangent")
ATan2Op = _binary_float("ATan2Op", "atan2", "The angle of a vector")
Log10Op = _unary_float("Log10Op", "log10", "The logarithm to base 10")
MinimumOp = _binary_float("MinimumOp", "minimum", "The minimum; NaN if one is")
MaximumOp = _binary_float("MaximumOp", "maximum", "The maximum; NaN if one is")
SMinOp = _binary_integer("SMinOp", "smin", "The signed minimum")
SMaxOp = _binary_integer("SMaxOp", "smax", "The signed maximum")
UMinOp = _binary_integer("UMinOp", "umin", "The unsigned minimum")
UMaxOp = _binary_integer("UMaxOp", "umax", "The unsigned maximum")
CtPopOp = _unary_integer("CtPopOp", "ctpop", "The number of ones")
ByteSwapOp = _unary_integer("ByteSwapOp", "bswap", "The bytes in reverse order")
BitReverseOp = _unary_integer("BitReverseOp", "bitreverse", "The bits in reverse order")
FshlOp = _ternary_integer("FshlOp", "fshl", "The top of two integers shifted left")
FshrOp = _ternary_integer("FshrOp", "fshr", "The bottom of two integers shifted right")
VectorReduceAddOp = _reduce("VectorReduceAddOp", "add", "The sum")
VectorReduceMulOp = _reduce("VectorReduceMulOp", "mul", "The product")
VectorReduceAndOp = _reduce("VectorReduceAndOp", "and", "The and")
VectorReduceOrOp = _reduce("VectorReduceOrOp", "or", "The or")
VectorReduceXorOp = _reduce("VectorReduceXorOp", "xor", "The exclusive or")
VectorReduceSMinOp = _reduce("VectorReduceSMinOp", "smin", "The signed minimum")
VectorReduceSMaxOp = _reduce("VectorReduceSMaxOp", "smax", "The signed maximum")
VectorReduceUMinOp = _reduce("VectorReduceUMinOp", "umin", "The unsigned minimum")
VectorReduceUMaxOp = _reduce("VectorReduceUMaxOp", "umax", "The unsigned maximum")
VectorReduceFMinOp = _reduce("VectorReduceFMinOp", "fmin", "The minimum that is a number")
VectorReduceFMaxOp = _reduce("VectorReduceFMaxOp", "fmax", "The maximum that is a number")
VectorReduceFMinimumOp = _reduce("VectorReduceFMinimumOp", "fminimum", "The minimum, or NaN,")
VectorReduceFMaximumOp = _reduce("VectorReduceFMaximumOp", "fmaximum", "The maximum, or NaN,")


class LoopOptionsAttr(ParametrizedAttribute):
    """Options of a loop, each an attribute."""

    options: DictionaryAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def parse_option() -> tuple[str, Attribute]:
            name = parser.parse_identifier()
            parser.parse_punctuation("=")
            return name, parser.parse_attribute()

        pairs = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_option)
        return [DictionaryAttr(dict(pairs))]

    def print_parameters(self, printer: Printer) -> None:
        def print_option(pair: tuple[str, Attribute]) -> None:
            printer.print_string(f"{pair[0]} = ")
            printer.print_attribute(pair[1])

        with printer.in_angle_brackets():
            printer.print_list(self.options.data.items(), print_option)


@irdl_attr_definition
class LoopAnnotationAttr(LoopOptionsAttr):
    """Hints to LLVM about a loop: `#llvm.loop_annotation<licm = #llvm.loop_licm<…>>`."""

    name = "llvm.loop_annotation"


@irdl_attr_definition
class LoopLicmAttr(LoopOptionsAttr):
    """Whether code may be moved out of a loop: `#llvm.loop_licm<disable = true>`."""

    name = "llvm.loop_licm"


ADDITIONS: tuple[type[IRDLOperation], ...] = (
    *(AtomicRMWOp, AtomicCmpXchgOp, FenceOp),
    *(AddrSpaceCastOp, FPToSIOp, FPToUIOp, UIToFPOp, FPToSISatOp, FPToUISatOp),
    *(ExtractElementOp, FreezeOp, PoisonOp, SwitchOp),
    *(AbsOp, CountLeadingZerosOp, CountTrailingZerosOp, PowIOp, AssumeOp, TrapOp),
    *(FTruncOp, RoundOp, RoundEvenOp, RintOp, NearbyintOp, TanOp, Log10Op),
    *(SinhOp, CoshOp, TanhOp, ATan2Op),
    *(MinimumOp, MaximumOp, SMinOp, SMaxOp, UMinOp, UMaxOp),
    *(CtPopOp, ByteSwapOp, BitReverseOp, FshlOp, FshrOp),
    *(VectorReduceAddOp, VectorReduceMulOp, VectorReduceAndOp, VectorReduceOrOp),
    *(VectorReduceXorOp, VectorReduceSMinOp, VectorReduceSMaxOp, VectorReduceUMinOp),
    *(VectorReduceUMaxOp, VectorReduceFMinOp, VectorReduceFMaxOp),
    *(VectorReduceFMinimumOp, VectorReduceFMaximumOp),
)

REPLACEMENTS: dict[str, type[Operation]] = {
    op.name: op for op in (LoadOp, StoreOp, GEPOp, IntToPtrOp, PtrToIntOp, SelectOp, ICmpOp, FCmpOp)
}

LLVM = Dialect(
    llvm.LLVM.name,
    [*(REPLACEMENTS.get(op.name, op) for op in llvm.LLVM.operations), *ADDITIONS],
    [*llvm.LLVM.attributes, LoopAnnotationAttr, LoopLicmAttr],
)
