"""
Enumerations of `tt`, which are `i32` attributes whose values have names in text, and the pieces of
syntax that show them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import new_class
from typing import ClassVar, cast

from xdsl.dialects.builtin import IntegerAttr, TensorType, i1, i32, i64
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import IRDLOperation, irdl_attr_definition
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OptionalOperandVariable,
    ParsingState,
    PrintingState,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.cuda_tile.enums import NamedInt

from .types import PtrType, TensorDescType, element_of, mask_of, pointee_of, with_element


class CacheModifier(NamedInt):
    """How caches are used by an access."""

    NONE = 1
    CA = 2
    CG = 3
    WB = 4
    CS = 5
    WT = 6
    CV = 7


class EvictionPolicy(NamedInt):
    """How soon a cache line may be evicted."""

    EVICT_NORMAL = 1
    EVICT_FIRST = 2
    EVICT_LAST = 3


class PaddingOption(NamedInt):
    """What is read outside of a tensor."""

    PAD_ZERO = 1
    PAD_NAN = 2


class MemSemantic(NamedInt):
    """The memory order of an atomic."""

    RELAXED = 1
    ACQUIRE = 2
    RELEASE = 3
    ACQ_REL = 4


class MemSyncScope(NamedInt):
    """The threads that an atomic is ordered with."""

    GPU = 1
    CTA = 2
    SYS = 3


class RMWOp(NamedInt):
    """What an atomic does to memory."""

    AND = 1
    OR = 2
    XOR = 3
    ADD = 4
    FADD = 5
    MAX = 6
    MIN = 7
    UMAX = 8
    UMIN = 9
    EXCH = 10


class DescriptorReduceKind(NamedInt):
    """How a block is combined with a tensor in memory."""

    ADD = 1
    MIN = 2
    MAX = 3
    INC = 4
    DEC = 5
    AND = 6
    OR = 7
    XOR = 8


class ProgramIDDim(NamedInt):
    """A dimension of the grid."""

    X = 0
    Y = 1
    Z = 2


class RoundingMode(NamedInt):
    """How floats are rounded: towards zero, or to nearest even."""

    RTZ = 0
    RTNE = 1


class PropagateNan(NamedInt):
    """Whether a NaN among the operands is the result."""

    NONE = 0
    ALL = 0xFFFF


class InputPrecision(NamedInt):
    """How exactly the operands of a dot of f32 are multiplied."""

    TF32 = 0
    TF32X3 = 1
    IEEE = 2
    BF16X3 = 3
    BF16X6 = 4


class ScaleDotElemType(NamedInt):
    """The elements of an operand of a scaled dot, which may be packed as integers."""

    E4M3 = 0
    E5M2 = 1
    E2M3 = 2
    E3M2 = 3
    E2M1 = 4
    BF16 = 5
    FP16 = 6


def make_word(word: NamedInt) -> IntegerAttr:
    """The attribute of a word."""
    return IntegerAttr(int(word), i32)


def find_word(attribute: Attribute | None, words: type[NamedInt], name: str) -> NamedInt:
    """The word that an attribute stands for."""
    value = attribute.value.data if isinstance(attribute, IntegerAttr) else None
    for word in words:
        if word.value == value:
            return word
    raise VerifyException(f"'{name}' must be one of {', '.join(words.keywords())}")


def parse_word(parser: AttrParser, words: type[NamedInt]) -> IntegerAttr:
    """The attribute of the word that comes next."""
    position = parser.pos
    known = words.keywords()
    word = parser.parse_optional_identifier()
    if word not in known:
        parser.raise_error(f"expected one of {', '.join(known)}", position)
    return make_word(known[word])


def parse_named_word(parser: AttrParser, name: str, words: type[NamedInt]) -> IntegerAttr:
    """The same behind its name: `lhs = e4m3`."""
    parser.parse_keyword(name)
    parser.parse_punctuation("=")
    return parse_word(parser, words)


class WordDirective(CustomDirective):
    """A word, with something in front of it; optional if that is not there."""

    attribute: AttributeVariable
    WORDS: ClassVar[type[NamedInt]]
    INTRODUCTION: ClassVar[tuple[str, ...]]
    """Words and punctuation before it."""
    DEFAULT: ClassVar[NamedInt | None]
    """What it is if nothing is written."""

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if self.INTRODUCTION:
            first, *rest = self.INTRODUCTION
            if parser.parse_optional_characters(first) is None:
                if self.DEFAULT is None:
                    return
                self.attribute.set(state, make_word(self.DEFAULT))
                return
            for each in rest:
                parser.parse_characters(each)
        self.attribute.set(state, parse_word(parser, self.WORDS))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attribute = self.attribute.get(op)
        if attribute is None:
            return
        word = find_word(attribute, self.WORDS, self.attribute.name)
        if self.INTRODUCTION and word is self.DEFAULT:
            return
        comma, text = self.INTRODUCTION[:1] == (",",), " ".join(self.INTRODUCTION)
        if comma:
            printer.print_string(text)
        elif text:
            state.print_whitespace(printer)
            printer.print_string(text)
        state.should_emit_space = True
        state.print_whitespace(printer)
        printer.print_string(word.keyword)


def word_directive(
    words: type[NamedInt], introduction: str = "", default: NamedInt | None = None
) -> type[WordDirective]:
    """The directive `custom<Word…>($attribute)` of an enumeration."""
    members: dict[str, object] = {
        "WORDS": words,
        "INTRODUCTION": tuple(introduction.split()),
        "DEFAULT": default,
        "__annotations__": {"attribute": AttributeVariable},
        "__doc__": f"`{introduction} {next(iter(words)).keyword}`".replace("` ", "`"),
        "__module__": __name__,
    }
    name = f"Word{words.__name__}"
    made = new_class(name, (WordDirective,), exec_body=lambda body: body.update(members))
    return cast(type[WordDirective], irdl_custom_directive(made))


WordAxis = word_directive(ProgramIDDim)
WordRMWOp = word_directive(RMWOp)
WordSem = word_directive(MemSemantic)
WordScope = word_directive(MemSyncScope)
WordKind = word_directive(DescriptorReduceKind)
WordRounding = word_directive(RoundingMode, ", rounding =")
WordNan = word_directive(PropagateNan, ", propagateNan =")
WordPrecision = word_directive(InputPrecision, ", inputPrecision =", InputPrecision.IEEE)
WordCache = word_directive(CacheModifier, "cacheModifier =", CacheModifier.NONE)
WordEvict = word_directive(EvictionPolicy, "evictionPolicy =", EvictionPolicy.EVICT_NORMAL)


@irdl_custom_directive
class ElementTypes(CustomDirective):
    """`lhs = e4m3 rhs = e5m2`: the elements of the operands of a scaled dot."""

    lhs: AttributeVariable
    rhs: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        for keyword, attribute in (("lhs", self.lhs), ("rhs", self.rhs)):
            attribute.set(state, parse_named_word(parser, keyword, ScaleDotElemType))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for keyword, attribute in (("lhs", self.lhs), ("rhs", self.rhs)):
            word = find_word(attribute.get(op), ScaleDotElemType, attribute.name)
            printer.print_string(f" {keyword} = {word.keyword}")
        state.should_emit_space, state.last_was_punctuation = True, False


class TypesDirective(CustomDirective, ABC):
    """Types of which one is written, and the others follow."""

    @abstractmethod
    def set_all(self, state: ParsingState, given: Attribute) -> None:
        """Sets the types that follow."""

    def first(self) -> TypeDirective:
        """The one that is written."""
        return cast(TypeDirective, next(iter(vars(self).values())))

    def parse(self, parser: Parser, state: ParsingState) -> None:
        position = parser.pos
        ty = parser.parse_type()
        self.first().set(state, (ty,))
        try:
            self.set_all(state, ty)
        except VerifyException as error:
            parser.raise_error(str(error), position)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_attribute(self.first().get(op)[0])

    @staticmethod
    def set_optional(directive: TypeDirective, state: ParsingState, ty: Attribute) -> None:
        """Sets the type of an operand if that is there."""
        variable = directive.inner
        assert isinstance(variable, OptionalOperandVariable)
        directive.set(state, (ty,) if state.operands[variable.index] else ())


@irdl_custom_directive
class LoadTypes(TypesDirective):
    """The type of the pointers; those of the mask and the values follow."""

    ptr: TypeDirective
    mask: TypeDirective
    other: TypeDirective
    result: TypeDirective

    def set_all(self, state: ParsingState, given: Attribute) -> None:
        self.set_optional(self.mask, state, mask_of(given))
        self.set_optional(self.other, state, pointee_of(given))
        self.result.set(state, (pointee_of(given),))


@irdl_custom_directive
class StoreTypes(TypesDirective):
    """The type of the pointers; those of the values and the mask follow."""

    ptr: TypeDirective
    value: TypeDirective
    mask: TypeDirective

    def set_all(self, state: ParsingState, given: Attribute) -> None:
        self.value.set(state, (pointee_of(given),))
        self.set_optional(self.mask, state, mask_of(given))


@irdl_custom_directive
class HistogramTypes(TypesDirective):
    """The type of the integers that are counted; that of the mask follows."""

    src: TypeDirective
    mask: TypeDirective

    def set_all(self, state: ParsingState, given: Attribute) -> None:
        self.set_optional(self.mask, state, with_element(given, i1))


@irdl_custom_directive
class UnsplatTypes(TypesDirective):
    """The type of the tensor; that of its element follows."""

    src: TypeDirective
    result: TypeDirective

    def set_all(self, state: ParsingState, given: Attribute) -> None:
        if not isinstance(given, TensorType):
            raise VerifyException(f"expects a tensor, but got '{given}'")
        self.result.set(state, (given.get_element_type(),))


@irdl_custom_directive
class ShortTypes(CustomDirective):
    """`<f16>, <8x64xf16>`: a pointer and a descriptor, without their names."""

    base: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.base.set(state, (PtrType.new(PtrType.parse_parameters(parser)),))
        parser.parse_punctuation(",")
        self.result.set(state, (TensorDescType.new(TensorDescType.parse_parameters(parser)),))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        for index, directive in enumerate((self.base, self.result)):
            if index:
                printer.print_string(", ")
            ty = directive.get(op)[0]
            assert isinstance(ty, PtrType | TensorDescType)
            ty.print_parameters(printer)


def _count(directive: TypeDirective, state: ParsingState) -> int:
    """How many operands there are of a list."""
    variable = directive.inner
    assert isinstance(variable, VariadicOperandVariable)
    return len(state.operands[variable.index] or ())


class BlockDirective(CustomDirective, ABC):
    """`<tensor<8x64xf16>>`: a pointer to a block, without its name; other types follow."""

    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        ty = PtrType.new(PtrType.parse_parameters(parser))
        self.result.set(state, (ty,))
        self.set_operands(state, ty)

    @abstractmethod
    def set_operands(self, state: ParsingState, ty: PtrType) -> None:
        """Sets the types that follow."""

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        ty = self.result.get(op)[0]
        assert isinstance(ty, PtrType)
        ty.print_parameters(printer)


@irdl_custom_directive
class BlockTypes(BlockDirective):
    """The pointer to a block that is made of a pointer, sizes, strides and offsets."""

    result: TypeDirective
    base: TypeDirective
    shape: TypeDirective
    strides: TypeDirective
    offsets: TypeDirective

    def set_operands(self, state: ParsingState, ty: PtrType) -> None:
        self.base.set(state, (PtrType(element_of(ty.pointee)),))
        for directive, element in ((self.shape, i64), (self.strides, i64), (self.offsets, i32)):
            directive.set(state, (element,) * _count(directive, state))


@irdl_custom_directive
class AdvanceTypes(BlockDirective):
    """The pointer to a block that is made of another."""

    result: TypeDirective
    ptr: TypeDirective

    def set_operands(self, state: ParsingState, ty: PtrType) -> None:
        self.ptr.set(state, (ty,))


@irdl_attr_definition
class CachePolicyAttr(ParametrizedAttribute):
    """
    How caches are used by an access, since Triton 3.9:
    `#tt.cache_policy<cache_modifier = cs, eviction_policy = evict_first>`.
    """

    name = "tt.cache_policy"

    cache_modifier: IntegerAttr
    eviction_policy: IntegerAttr

    FIELDS: ClassVar = (("cache_modifier", CacheModifier), ("eviction_policy", EvictionPolicy))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        found: list[Attribute] = []
        with parser.in_angle_brackets():
            for index, (name, words) in enumerate(cls.FIELDS):
                if index:
                    parser.parse_punctuation(",")
                found.append(parse_named_word(parser, name, words))
        return found

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            for index, ((name, words), attribute) in enumerate(
                zip(self.FIELDS, self.parameters, strict=True)
            ):
                word = find_word(attribute, words, name)
                printer.print_string(f"{', ' if index else ''}{name} = {word.keyword}")
