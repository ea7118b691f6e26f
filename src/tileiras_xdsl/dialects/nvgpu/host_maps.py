"""
Tensor maps that a launcher encodes and passes after the other arguments of a kernel.

A kernel says how in the attribute `nvgpu.host_maps`, a list with a dictionary for each of its last
parameters, dimensions from the innermost outwards:

    {element = f16, base = 0 : i64, box = array<i64: 64, 128>, swizzle = 128 : i64,
     sizes = [array<i64: 1, 4>, array<i64: 512>], strides = [array<i64: 2, 5>]}

A number is a constant, `array<i64: 512>`, or a multiple of a parameter: `array<i64: 2, 5>` is twice
the argument 5. Sizes count elements, strides bytes. A map that copies every second element along a
dimension has `element_strides = array<i64: 1, 2>`, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

HOST_MAPS: Final = DiscardableAttribute(
    "nvgpu.host_maps",
    ArrayAttr,
    "The tensor maps among the parameters of a kernel, and how its launcher encodes them.",
    written_by=("convert-tileas-to-nvgpu",),
)

LaunchNumber = tuple[int, int | None]
"""What is known at launch: a constant and none, or the multiple of a parameter and its index."""


@dataclass(frozen=True)
class HostMap:
    """A tensor map that a launcher encodes; dimensions from the innermost outwards."""

    element: Attribute
    base: int
    """The index of the parameter that is the address of the tensor."""
    sizes: tuple[LaunchNumber, ...]
    """In elements."""
    strides: tuple[LaunchNumber, ...]
    """In bytes, of all dimensions but the innermost."""
    box: tuple[int, ...]
    """The shape of the TMA tile, in elements, with those that are not copied."""
    swizzle: int
    """In bytes, 0 if there is none."""
    element_strides: tuple[int, ...] = ()
    """Every how many elements are copied; all of them if empty."""

    def to_attribute(self) -> DictionaryAttr:
        """As in the attribute of a kernel."""
        fields: dict[str, Attribute] = {
            "element": self.element,
            "base": IntegerAttr(self.base, i64),
            "sizes": _from_numbers(self.sizes),
            "strides": _from_numbers(self.strides),
            "box": DenseArrayBase.from_list(i64, self.box),
            "swizzle": IntegerAttr(self.swizzle, i64),
        }
        if self.element_strides:
            fields["element_strides"] = DenseArrayBase.from_list(i64, self.element_strides)
        return DictionaryAttr(fields)

    @staticmethod
    def from_attribute(attribute: Attribute) -> HostMap:
        """The inverse of `to_attribute`."""
        match attribute:
            case DictionaryAttr(
                data={
                    "element": Attribute() as element,
                    "base": IntegerAttr() as base,
                    "sizes": ArrayAttr() as sizes,
                    "strides": ArrayAttr() as strides,
                    "box": Attribute() as box,
                    "swizzle": IntegerAttr() as swizzle,
                } as fields
            ):
                gaps = fields.get("element_strides")
                return HostMap(
                    element,
                    base.value.data,
                    _to_numbers(sizes),
                    _to_numbers(strides),
                    _to_integers(box),
                    swizzle.value.data,
                    () if gaps is None else _to_integers(gaps),
                )
            case _:
                raise VerifyException(f"'{HOST_MAPS.name}' has no map {attribute}")


def get_host_maps(kernel: Operation) -> list[HostMap]:
    """The maps that the launcher of a kernel encodes."""
    return [HostMap.from_attribute(each) for each in HOST_MAPS.get(kernel) or ()]


def set_host_maps(kernel: Operation, maps: Sequence[HostMap]) -> None:
    """Says which maps the launcher of a kernel encodes."""
    HOST_MAPS.set(kernel, ArrayAttr([each.to_attribute() for each in maps]))


def _from_numbers(numbers: Sequence[LaunchNumber]) -> ArrayAttr[DenseArrayBase]:
    return ArrayAttr(
        DenseArrayBase.from_list(i64, [value] if parameter is None else [value, parameter])
        for value, parameter in numbers
    )


def _to_numbers(attribute: ArrayAttr[Attribute]) -> tuple[LaunchNumber, ...]:
    numbers: list[LaunchNumber] = []
    for each in attribute:
        match _to_integers(each):
            case (value,):
                numbers.append((value, None))
            case (value, parameter):
                numbers.append((value, parameter))
            case _:
                raise VerifyException(f"'{HOST_MAPS.name}' has no number {each}")
    return tuple(numbers)


def _to_integers(attribute: Attribute) -> tuple[int, ...]:
    return attribute.get_values() if isa(attribute, DenseArrayBase[I64]) else ()
