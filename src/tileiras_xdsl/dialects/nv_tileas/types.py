"""
Types and attributes of `nv_tileas`. Values are tensors, whose encoding is their layout. These are
types of what orders work on them:

- `!nv_tileas.async_token`: a copy that is under way;
- `!nv_tileas.async<tensor<64x64xf32>>`: a value that is;
- `!nv_tileas.pipeline<tensor<64x64xf16>>`: a multi-stage buffer of such values, with barriers;
- `!nv_tileas.iterator<producer, tensor<64x64xf16>>`: the stage that an agent is at;
- `!nv_tileas.producer_token`, `!nv_tileas.consumer_token`: a stage that is owned;
- `!nv_tileas.tma_desc<64x64xf16>`: a tensor map (TMA descriptor) with its TMA tile.

Attributes: copy and MMA atoms, memory spaces, ignored hints, hints of accesses.

    #nv_tileas.atom<ldgsts>      cp.async, from global to shared memory
    #nv_tileas.memory<shared>    where a buffer lies
    #nv_tileas.ignored_hint<"num_cta_in_cga = 2", "every tile has one CTA">
                                 a hint that is not followed, and why

Layouts, the encodings of tensors, are in `layout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, TensorType
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Data, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import VerificationContext, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Kind
from tileiras_xdsl.dialects.cuda_tile.types import DimsAttr, parse_shape
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC
from tileiras_xdsl.dialects.tileiras import HINTS, remark
from tileiras_xdsl.targets.hopper import SM_90A
from tileiras_xdsl.xdsl_extras.aliases import AliasedAttribute

COPY_ATOMS = {
    "ldg": ("global", "register"),
    "stg": ("register", "global"),
    "lds": ("shared", "register"),
    "sts": ("register", "shared"),
    "ldsm": ("shared", "register"),
    "stsm": ("register", "shared"),
    "ldgsts": ("global", "shared"),
    "tma_load": ("global", "shared"),
    "tma_store": ("shared", "global"),
    "tma_redg": ("shared", "global"),
}
"""Instructions that copy, with the memory they read and the memory they write."""


ANY_COPY = "unknown_copy"
"""A copy whose instruction is chosen later."""

DOT_ATOMS = ("mma.sm80", "mma.sm90", "mma.sm100", "fma")

ATOMS = (*COPY_ATOMS, ANY_COPY, *DOT_ATOMS)

MEMORIES = ("register", "shared", "global", "tmem")

MEMORY_PAIRS = frozenset(
    {
        *(("global", "register"), ("global", "shared"), ("register", "global")),
        *(("register", "shared"), ("register", "tmem"), ("shared", "global")),
        *(("shared", "register"), ("shared", "tmem"), ("tmem", "register")),
        # A copy between registers moves data between threads or renames it.
        ("register", "register"),
    }
)
"""Which memory can be copied to which."""


def _parse_word(parser: AttrParser, what: str, words: tuple[str, ...]) -> str:
    with parser.in_angle_brackets():
        position = parser.pos
        word = parser.parse_identifier(f", the {what},")
        if word not in words:
            parser.raise_error(
                f"unknown {what} '{word}' (expected one of {', '.join(words)})", position
            )
    return word


@irdl_attr_definition
class AtomAttr(Data[str]):
    """The copy or MMA instruction that an op is lowered to: `#nv_tileas.atom<mma.sm80>`."""

    name = "nv_tileas.atom"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        return _parse_word(parser, "atom", ATOMS)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


@irdl_attr_definition
class MemoryAttr(Data[str]):
    """A kind of memory: `#nv_tileas.memory<shared>`."""

    name = "nv_tileas.memory"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        return _parse_word(parser, "memory", MEMORIES)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


@dataclass(frozen=True)
class Atom(Kind[AtomAttr]):
    """An atom that an op can be lowered to."""

    kinds: tuple[str, ...]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, AtomAttr) or attr.data not in self.kinds:
            raise VerifyException(
                f"unsupported atom: {attr} (expected one of {', '.join(self.kinds)})"
            )


LOAD_ATOM = Atom(("ldg", "ldgsts", "tma_load", ANY_COPY))
STORE_ATOM = Atom(("stg", "tma_store", ANY_COPY))
UPDATE_ATOM = Atom(("tma_redg", ANY_COPY))
COPY_ATOM = Atom((*COPY_ATOMS, ANY_COPY))
DOT_ATOM = Atom(DOT_ATOMS)

_MEMORY_OF_ENCODING = {
    "nv_tileas.layout": "register",
    "nv_tileas.shared": "shared",
    "nv_tileas.tensor_memory": "tmem",
}


def get_memory(ty: Attribute) -> str | None:
    """The memory that a layout puts a tensor into; `None` if it has no layout."""
    encoding = ty.encoding if isinstance(ty, TensorType) else None
    return None if encoding is None else _MEMORY_OF_ENCODING.get(encoding.name)


# Optimization hints of a kernel, which are fields of `nv_tileaa.kernel_spec`.
#
# A pass that follows a cluster hint removes it from the specification, and so does one that
# cannot, with a remark that says why.


def get_kernel_hint(function: FuncOp, name: str) -> int:
    """An optimization hint of a kernel; 1 if it has none."""
    spec = KERNEL_SPEC.get(function)
    return 1 if spec is None else spec.get_fields().get(name, 1)


def take_cluster_hint(function: FuncOp) -> int:
    """Removes the cluster hint from the specification; returns the CTAs per cluster it asks for."""
    blocks = get_kernel_hint(function, "num_ctas")
    if (spec := KERNEL_SPEC.get(function)) is not None:
        KERNEL_SPEC.set(function, spec.replaced(num_ctas=None))
    return blocks


def ignore_cluster_hint(function: FuncOp, reason: str) -> None:
    """Removes the cluster hint from the specification; a remark says why it is ignored."""
    text = f"num_cta_in_cga = {take_cluster_hint(function)} is ignored, {reason}"
    remark(function, "Missed", HINTS, text)


# Optimization hints of memory accesses.
#
#     nv_tileas.tiled_load %v[%i] {optimization_hints = {default = {allow_tma = false},
#         sm_90 = {latency = 4 : i64}}} : …
#
# `latency` (1 to 10) is the expected cost of an access; a multi-stage buffer gets one stage more
# than that. `allow_tma = false` forbids TMA.

ACCESS_HINTS: Final = "optimization_hints"
ARCHITECTURE: Final = SM_90A.capability.base_name
"""The only one whose passes look at these hints."""


def get_hint(op: Operation, key: str) -> int | None:
    """The value of a hint for the architecture, else the default one."""
    hints = op.properties.get(ACCESS_HINTS)
    if not isinstance(hints, DictionaryAttr):
        return None
    for name in (ARCHITECTURE, "default"):
        entry = hints.data.get(name)
        if isinstance(entry, DictionaryAttr):
            if isinstance(value := entry.data.get(key), IntegerAttr):
                return value.value.data
    return None


def allows_tma(op: Operation) -> bool:
    """Whether no hint forbids TMA."""
    return get_hint(op, "allow_tma") != 0


ROLES = ("producer", "consumer")


class Bare(ParametrizedAttribute, TypeAttribute):
    """A type without parameters."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return ()


@irdl_attr_definition
class AsyncTokenType(Bare):
    """The token of an asynchronous operation."""

    name = "nv_tileas.async_token"


@irdl_attr_definition
class ProducerTokenType(Bare):
    """An empty buffer stage, owned by the producer."""

    name = "nv_tileas.producer_token"


@irdl_attr_definition
class ConsumerTokenType(Bare):
    """A full buffer stage, owned by a consumer."""

    name = "nv_tileas.consumer_token"


ASYNC_TOKEN = AsyncTokenType()
PRODUCER_TOKEN = ProducerTokenType()
CONSUMER_TOKEN = ConsumerTokenType()


@irdl_attr_definition
class AsyncType(ParametrizedAttribute, TypeAttribute):
    """A future: `!nv_tileas.async<tensor<64x64xf32>>`."""

    name = "nv_tileas.async"

    value_type: Attribute

    def __init__(self, value_type: Attribute):
        super().__init__(value_type)


@irdl_attr_definition
class PipelineType(ParametrizedAttribute, TypeAttribute, AliasedAttribute):
    """A multi-stage buffer with full and empty barriers; each stage holds values of some types."""

    name = "nv_tileas.pipeline"

    element_types: ArrayAttr[Attribute]

    def __init__(self, element_types: Sequence[Attribute] = ()):
        super().__init__(ArrayAttr(element_types))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        types = parser.parse_optional_comma_separated_list(
            parser.Delimiter.ANGLE, parser.parse_type
        )
        return [ArrayAttr(types or ())]

    def print_parameters(self, printer: Printer) -> None:
        if self.element_types.data:
            with printer.in_angle_brackets():
                printer.print_list(self.element_types, printer.print_attribute)


@irdl_attr_definition
class IteratorType(ParametrizedAttribute, TypeAttribute, AliasedAttribute):
    """A pipeline iterator: stage index and phase of a producer or consumer."""

    name = "nv_tileas.iterator"

    role: StringAttr
    element_types: ArrayAttr[Attribute]

    def __init__(self, role: str, element_types: Sequence[Attribute] = ()):
        super().__init__(StringAttr(role), ArrayAttr(element_types))

    def alias_prefix(self) -> str:
        return self.role.data

    def verify(self) -> None:
        if self.role.data not in ROLES:
            raise VerifyException(
                f"unsupported role: {self.role.data} (expected one of {', '.join(ROLES)})"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            role = parser.parse_identifier()
            types: Sequence[Attribute] = ()
            if parser.parse_optional_punctuation(",") is not None:
                types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return [StringAttr(role), ArrayAttr(types)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.role.data)
            for ty in self.element_types:
                printer.print_string(", ")
                printer.print_attribute(ty)


@irdl_attr_definition
class TmaDescType(ParametrizedAttribute, TypeAttribute):
    """A tensor map (TMA descriptor) with its TMA tile: `!nv_tileas.tma_desc<64x64xf16>`."""

    name = "nv_tileas.tma_desc"

    box: DimsAttr
    element_type: Attribute

    def __init__(self, box: Sequence[int], element_type: Attribute):
        super().__init__(DimsAttr(tuple(box)), element_type)

    @property
    def rank(self) -> int:
        return len(self.box.data)

    def get_box(self) -> tuple[int, ...]:
        return self.box.data  # pyright: ignore[reportReturnType]

    def verify(self) -> None:
        if not self.box.data or any(dim is None or dim <= 0 for dim in self.box.data):
            raise VerifyException(
                f"all dimensions must be positive constants, got {list(self.box.data)}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            box = parse_shape(parser, trailing_x=True)
            return [DimsAttr(box), parser.parse_type()]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("".join(f"{dim}x" for dim in self.box.data))
            printer.print_attribute(self.element_type)


def get_buffered(ty: Attribute) -> tuple[tuple[int, ...], Attribute] | None:
    """The shape and element of a tensor."""
    return (ty.get_shape(), ty.get_element_type()) if isinstance(ty, TensorType) else None
