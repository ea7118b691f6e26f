"""
Types of `nv_tileas`. Values are tensors, whose encoding is their layout; these are what
orders work on them:

- `!nv_tileas.async_token`: a copy that is under way;
- `!nv_tileas.async<tensor<64x64xf32>>`: a value that is;
- `!nv_tileas.pipeline<tensor<64x64xf16>>`: a multi-stage buffer of such values, with barriers;
- `!nv_tileas.iterator<producer, tensor<64x64xf16>>`: the stage that an agent is at;
- `!nv_tileas.producer_token`, `!nv_tileas.consumer_token`: a stage that is owned;
- `!nv_tileas.tma_desc<64x64xf16>`: a tensor map (TMA descriptor) with its TMA tile.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.cuda_tile.types import DimsAttr, parse_shape
from tileiras_xdsl.xdsl_extras.aliases import AliasedAttribute

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
