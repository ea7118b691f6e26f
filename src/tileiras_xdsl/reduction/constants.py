"""Makes constants simpler: zero, one, the same element everywhere, half of a number."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
)
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.reduction.edits import Edit, Strategy
from tileiras_xdsl.xdsl_extras.walking import walk


def constant_bits(attribute: Attribute) -> int:
    """How much there is to say about a constant: bits of the elements that are not all equal."""
    match attribute:
        case ct.DenseElementsAttr():
            return sum(bits.bit_length() for bits in attribute.get_bits())
        case IntegerAttr():
            number = attribute.value.data
            return abs(number).bit_length() + (number < 0)
        case FloatAttr():
            return len(repr(attribute.value.data))
        case DenseIntOrFPElementsAttr():
            return 0 if set(attribute.data.data) == {0} else len(attribute.data.data)
        case _:
            return 0


def simpler_constants(attribute: Attribute) -> Iterator[Attribute]:
    """Constants of the same type with less to say, the simplest first."""
    match attribute:
        case ct.DenseElementsAttr():
            ty, bits = attribute.type, attribute.get_bits()
            yield ct.DenseElementsAttr.from_bits(ty, [0])
            if isinstance(ty.element_type, IntegerType):
                yield ct.DenseElementsAttr.from_bits(ty, [1])
                yield ct.DenseElementsAttr.from_bits(ty, [number >> 1 for number in bits])
            yield ct.DenseElementsAttr.from_bits(ty, bits[:1])
            if not isinstance(ty.element_type, IntegerType):
                yield ct.DenseElementsAttr.from_values(ty, [1.0])
        case IntegerAttr():
            ty, number = attribute.type, attribute.value.data
            for simpler in (0, 1, number // 2 if number > 0 else -(-number // 2)):
                yield IntegerAttr(simpler, ty)
        case FloatAttr():
            for simple in (0.0, 1.0):
                yield FloatAttr(simple, attribute.type)
        case DenseIntOrFPElementsAttr():
            yield DenseIntOrFPElementsAttr.new(
                [attribute.type, BytesAttr(bytes(len(attribute.data.data)))]
            )
        case _:
            return


def find_constants(module: ModuleOp) -> list[Edit]:
    """Simpler values of constants and of global variables."""

    def put(op: Operation, name: str, value: Attribute) -> None:
        op.properties[name] = value

    return [
        partial(put, op, name, value)
        for op in walk(module)
        if not op.operands and (op.results or "sym_name" in op.properties)
        for name, attribute in op.properties.items()
        for value in simpler_constants(attribute)
        if constant_bits(value) < constant_bits(attribute)
    ]


CONSTANTS = Strategy("constants", find_constants)
