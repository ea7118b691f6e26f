"""
Encodings of tensors: where their elements are.

    tensor<8x4xf32, #nv_tileas.layout<register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0],
                                      [0, 0], [0, 0]], warp = []>>
    tensor<8x4xf32, #nv_tileas.shared<offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>>
    tensor<128x4xf32, #nv_tileas.tensor_memory<element = [], row = [[1, 0], …, [64, 0]],
                                               column = [[0, 1], [0, 2]]>>

Each list has, for every bit of an input, the coordinates that it flips: see
`analysis.linear_layout`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar, Final

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.analysis.linear_layout import (
    LANE,
    LANE_BITS,
    OFFSET,
    REGISTER,
    WARP,
    LinearLayout,
    flatten,
    unflatten,
)
from tileiras_xdsl.xdsl_extras.aliases import AliasedAttribute
from tileiras_xdsl.xdsl_extras.bare_types import VerifiableTensorEncoding
from tileiras_xdsl.xdsl_extras.identity_cache import MAX_SIZE, identity_cache

ROW, COLUMN, ELEMENT = "row", "column", "element"
"""Inputs of layouts in tensor memory: its lanes, its columns, and the elements of a word."""

Rows = tuple[tuple[int, ...], ...]
LayoutData = tuple[tuple[str, Rows], ...]
"""For each input its bases, as coordinates."""


class Encoding(Data[LayoutData], AliasedAttribute, VerifiableTensorEncoding, ABC):
    """A layout in an attribute; the shape is that of the tensor it belongs to."""

    inputs: ClassVar[tuple[str, ...]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> LayoutData:
        data: list[tuple[str, Rows]] = []
        with parser.in_angle_brackets():
            for name in cls.inputs:
                if data:
                    parser.parse_punctuation(",")
                parser.parse_keyword(name)
                parser.parse_punctuation("=")
                rows = parser.parse_comma_separated_list(
                    parser.Delimiter.SQUARE, lambda: _parse_row(parser)
                )
                data.append((name, tuple(rows)))
        return tuple(data)

    def print_parameter(self, printer: Printer) -> None:
        parts = [f"{name} = {[list(row) for row in rows]}" for name, rows in self.data]
        with printer.in_angle_brackets():
            printer.print_string(", ".join(parts))

    def verify(self) -> None:
        ranks = {len(row) for _, rows in self.data for row in rows}
        if len(ranks) > 1:
            raise VerifyException("expects bases of one rank")
        for name, rows in self.data:
            if name == LANE and len(rows) != LANE_BITS:
                raise VerifyException(f"expects {LANE_BITS} bases for lanes, but got {len(rows)}")

    def verify_shape(self, shape: Sequence[int]) -> None:
        _verify_shape(self, tuple(shape))

    def get_layout(self, shape: Sequence[int]) -> LinearLayout:
        """The layout of a tensor of a shape."""
        return _decode(self.data, tuple(shape))


@lru_cache(maxsize=4096)
def _decode(data: LayoutData, shape: tuple[int, ...]) -> LinearLayout:
    return LinearLayout(
        shape, tuple((name, tuple(flatten(row, shape) for row in rows)) for name, rows in data)
    )


@lru_cache(maxsize=4096)
def _verify_shape(encoding: Encoding, shape: tuple[int, ...]) -> None:
    if any(extent < 1 or extent & (extent - 1) for extent in shape):
        raise VerifyException(f"the shape {list(shape)} is not of powers of two")
    for name, rows in encoding.data:
        for row in rows:
            if len(row) != len(shape) or any(
                not 0 <= each < extent for each, extent in zip(row, shape)
            ):
                raise VerifyException(
                    f"basis {list(row)} of {name} is not within the shape {list(shape)}"
                )
    if not encoding.get_layout(shape).is_surjective():
        raise VerifyException(f"the layout has no place for some elements of {list(shape)}")


def _parse_row(parser: AttrParser) -> tuple[int, ...]:
    numbers = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
    )
    return tuple(numbers)


@irdl_attr_definition
class LayoutAttr(Encoding):
    """A tensor distributed over the registers of the threads of a CTA."""

    name = "nv_tileas.layout"
    inputs = (REGISTER, LANE, WARP)

    def alias_prefix(self) -> str:
        """
        `mma` for the accumulators and operands of tensor cores, in which four lanes share a row
        and hold two neighbours each; `slice` for what several threads hold copies of; `blocked`
        for all others.
        """
        lanes, (register, *_) = self._rows(LANE), self._rows(REGISTER) or ((),)
        if not all(map(any, (*lanes, *self._rows(WARP)))):
            return "slice"
        strides = [_stride(row) for row in (register, *lanes)]
        if None not in strides:
            (dim, first), *others = (stride for stride in strides if stride is not None)
            pair = [(dim, 2 * first), (dim, 4 * first)]
            if first == 1 and others[:2] == pair and all(each != dim for each, _ in others[2:]):
                return "mma"
        return "blocked"

    def _rows(self, name: str) -> Rows:
        return dict(self.data)[name]


@irdl_attr_definition
class SharedLayoutAttr(Encoding):
    """A tensor in shared memory, by offsets in elements."""

    name = "nv_tileas.shared"
    inputs = (OFFSET,)

    def alias_prefix(self) -> str:
        """`swizzled` if an address depends on two coordinates at once, else `shared`."""
        ((_, rows),) = self.data
        return "swizzled" if any(_stride(row) is None for row in rows if any(row)) else "shared"


@irdl_attr_definition
class TensorMemoryLayoutAttr(Encoding):
    """
    A tensor in tensor memory: rows are its lanes, columns are words of 32 bits, and a word may
    hold several elements. A basis of zero is a row that holds nothing: MMAs of 64 rows use 16 of
    each 32.
    """

    name = "nv_tileas.tensor_memory"
    inputs = (ELEMENT, ROW, COLUMN)

    def alias_prefix(self) -> str:
        """`tmem`"""
        return "tmem"

    @property
    def columns(self) -> int:
        """How many columns a tensor takes."""
        return 1 << len(dict(self.data)[COLUMN])


def _stride(row: tuple[int, ...]) -> tuple[int, int] | None:
    """The only dimension along which a basis goes, and how far."""
    moves = [(dim, step) for dim, step in enumerate(row) if step]
    return moves[0] if len(moves) == 1 else None


@lru_cache(maxsize=4096)
def encode(layout: LinearLayout) -> LayoutAttr | SharedLayoutAttr | TensorMemoryLayoutAttr:
    """The attribute of a layout."""
    data = tuple(
        (name, tuple(unflatten(basis, layout.shape) for basis in bases))
        for name, bases in layout.inputs
    )
    if layout.bases(ROW):
        return TensorMemoryLayoutAttr(data)
    return SharedLayoutAttr(data) if layout.offset or not layout.lane else LayoutAttr(data)


@identity_cache
def layout_of(ty: Attribute) -> LinearLayout | None:
    """The layout of a tensor, if it has one."""
    if isinstance(ty, TensorType) and isinstance(ty.encoding, Encoding):
        return ty.encoding.get_layout(ty.get_shape())
    return None


_WITH_LAYOUT: Final[dict[tuple[int, LinearLayout | None], tuple[TensorType, TensorType]]] = {}
"""By identity of a type, as in `identity_cache`, and by layout."""


def with_layout(ty: TensorType, layout: LinearLayout | None) -> TensorType:
    """A tensor type with a layout, or without one."""
    key = (id(ty), layout)
    if (known := _WITH_LAYOUT.get(key)) is not None:
        return known[1]
    if len(_WITH_LAYOUT) >= MAX_SIZE:
        _WITH_LAYOUT.clear()
    if layout is None:
        made = TensorType(ty.element_type, ty.get_shape())
    else:
        made = TensorType(ty.element_type, ty.get_shape(), encode(layout))
    # The type must stay alive, or another one could get its identity.
    _WITH_LAYOUT[key] = (ty, made)
    return made
