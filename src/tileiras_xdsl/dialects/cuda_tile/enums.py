"""
Enumerations of the `cuda_tile` dialect.

Two kinds exist, as in the public dialect: attributes of their own
(`#cuda_tile.rounding<zero>`), whose integer in bytecode is the member's `code`; and plain
`i32` attributes with named values (memory ordering, memory scope, atomic mode).
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, ClassVar, Self

from typing_extensions import TypeVar
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.utils.str_enum import StrEnum

from tileiras_xdsl.dialects.building import EnumAttr, derive_enum_attribute


class CodedEnum(StrEnum):
    """A keyword with an integer code; members are declared in the order of their codes."""

    @property
    def code(self) -> int:
        return tuple(type(self)).index(self)

    @classmethod
    def from_code(cls, code: int) -> Self:
        """The member with this code; `ValueError` if there is none."""
        members = tuple(cls)
        if not 0 <= code < len(members):
            raise ValueError(f"no {cls.__name__} has code {code}")
        return members[code]


class Signedness(CodedEnum):
    """How an integer operation reads its operands."""

    UNSIGNED = "unsigned"
    SIGNED = "signed"


class Overflow(CodedEnum):
    """What an integer operation may assume about overflow."""

    NONE = "none"
    NO_SIGNED_WRAP = "no_signed_wrap"
    NO_UNSIGNED_WRAP = "no_unsigned_wrap"
    NO_WRAP = "no_wrap"


class Rounding(CodedEnum):
    """Rounding modes of floating-point and conversion operations."""

    NEAREST_EVEN = "nearest_even"
    ZERO = "zero"
    NEGATIVE_INF = "negative_inf"
    POSITIVE_INF = "positive_inf"
    APPROX = "approx"
    FULL = "full"
    NEAREST_INT_TO_ZERO = "nearest_int_to_zero"
    NEAREST_AWAY = "nearest_away"


class ComparisonPredicate(CodedEnum):
    """The relation tested by `cmpi` and `cmpf`."""

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    LESS_THAN = "less_than"
    LESS_THAN_OR_EQUAL = "less_than_or_equal"
    GREATER_THAN = "greater_than"
    GREATER_THAN_OR_EQUAL = "greater_than_or_equal"


class ComparisonOrdering(CodedEnum):
    """Whether a comparison with NaN is true (unordered) or false (ordered)."""

    UNORDERED = "unordered"
    ORDERED = "ordered"


class SymbolVisibility(CodedEnum):
    """Visibility of a `global`."""

    PUBLIC = "public"
    PRIVATE = "private"


class PaddingValue(CodedEnum):
    """What a view load yields outside the tensor."""

    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


class PtrAttr(CodedEnum):
    """Attribute of a pointer's memory (13.4)."""

    NONE = "none"


EnumT = TypeVar("EnumT", bound=CodedEnum, covariant=True)


class CodedEnumAttr(EnumAttr[EnumT]):
    """An attribute holding one keyword, spelled `#cuda_tile.<mnemonic><keyword>`."""

    enum_type: ClassVar[type[CodedEnum]]  # pyright: ignore[reportIncompatibleVariableOverride]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        with parser.in_angle_brackets():
            position = parser.pos
            word = parser.parse_identifier()
            if word not in tuple(cls.enum_type):
                expected = ", ".join(cls.enum_type)
                parser.raise_error(f"expected one of: {expected}, got: '{word}'", position)
            return cls.enum_type(word)


def coded_attribute(name: str, enum_type: type[EnumT]) -> type[CodedEnumAttr[EnumT]]:
    """The attribute of an enumeration, whose name ends in `Attr`."""
    text = f"#{name}<{next(iter(enum_type)).value}>"
    return derive_enum_attribute(CodedEnumAttr, name, enum_type, text)


SignednessAttr = coded_attribute("cuda_tile.signedness", Signedness)
OverflowAttr = coded_attribute("cuda_tile.overflow", Overflow)
RoundingAttr = coded_attribute("cuda_tile.rounding", Rounding)
ComparisonPredicateAttr = coded_attribute("cuda_tile.comparison_predicate", ComparisonPredicate)
ComparisonOrderingAttr = coded_attribute("cuda_tile.comparison_ordering", ComparisonOrdering)
SymbolVisibilityAttr = coded_attribute("cuda_tile.symbol_visibility", SymbolVisibility)


@irdl_attr_definition
class PaddingValueAttr(CodedEnumAttr[PaddingValue]):
    """Padding of a view type."""

    name = "cuda_tile.padding_value"
    enum_type = PaddingValue


@irdl_attr_definition
class PtrAttrAttr(CodedEnumAttr[PtrAttr]):
    """Memory attribute of a pointer or tensor view."""

    name = "cuda_tile.ptr_attr"
    enum_type = PtrAttr


class NamedInt(IntEnum):
    """Named values of a plain `i32` attribute; the keyword is the name in lower case."""

    @property
    def keyword(self) -> str:
        return self.name.lower()

    @classmethod
    def keywords(cls) -> dict[str, Self]:
        return {member.keyword: member for member in cls}


class MemoryOrdering(NamedInt):
    """
    Memory ordering of a token-ordered access. `SEQ_CST` is accepted in text only: bytecode has
    no number for it.
    """

    WEAK = 0
    RELAXED = 1
    ACQUIRE = 2
    RELEASE = 3
    ACQ_REL = 4
    SEQ_CST = 5


class MemoryScope(NamedInt):
    """
    Threads an access is ordered with. `GPU` is the public `device`; `CLUSTER` is accepted in
    text only: bytecode has no number for it.
    """

    TL_BLK = 0
    GPU = 1
    SYS = 2
    CLUSTER = 3


class AtomicMode(NamedInt):
    """
    Combination performed by an atomic. `ADDU` and `CMPXCHG` are accepted in text only: bytecode
    has no number for them.
    """

    AND = 0
    OR = 1
    XOR = 2
    ADD = 3
    ADDF = 4
    MAX = 5
    MIN = 6
    UMAX = 7
    UMIN = 8
    XCHG = 9
    ADDU = 10
    CMPXCHG = 11
