"""Tiles of terms: the value of an SSA value, for all inputs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType, IntegerType, TensorType, VectorType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.cuda_tile.types import PtrType, TileType, is_float
from tileiras_xdsl.dialects.nv_tileaa.base import is_pointer

from .smt import Term, z3

POINTER_BITS = 64
MAX_LANES = 64
"""Larger tiles are not translated: what holds for a few lanes holds for many."""

TOKEN_BITS = 16
"""A token is the set of the accesses before it, of so many."""


HANDLES = ("nv_tileaa.queue",)
"""Types whose values are passed on and nothing else."""


class Unsupported(Exception):
    """There is no translation."""


class Lane(NamedTuple):
    """An element: its bits, and whether it is poison."""

    bits: Term
    poison: Term


class Tile(NamedTuple):
    """The elements of a scalar (of rank 0), tile, tensor or vector, row-major."""

    shape: tuple[int, ...]
    lanes: tuple[Lane, ...]

    @property
    def scalar(self) -> Lane:
        """The only element."""
        assert len(self.lanes) == 1
        return self.lanes[0]

    def map(self, function: Callable[[Lane], Lane]) -> Tile:
        """A function of each element."""
        return Tile(self.shape, tuple(map(function, self.lanes)))

    def pick(self, shape: Sequence[int], places: Sequence[int]) -> Tile:
        """The elements of these places in another shape."""
        return Tile(tuple(shape), tuple(self.lanes[place] for place in places))


def shape_of(ty: Attribute) -> tuple[int, ...]:
    """The shape of a type; a scalar has rank 0."""
    return ty.get_shape() if isinstance(ty, TileType | TensorType | VectorType) else ()


def element_of(ty: Attribute) -> Attribute:
    """The element type; a scalar is its own."""
    is_tile = isinstance(ty, TileType | TensorType | VectorType)
    return ty.get_element_type() if is_tile else ty


def is_token(ty: Attribute) -> bool:
    """Whether a type is that of memory tokens, of either dialect."""
    return ty.name in ("cuda_tile.token", "nv_tileaa.mem_token")


def width_of(element: Attribute) -> int:
    """The bits of an element, or of a token."""
    if isinstance(element, IntegerType):
        return element.width.data
    if isinstance(element, IndexType | LLVMPointerType | PtrType) or is_pointer(element):
        return POINTER_BITS
    if is_float(element):
        return element_bit_width(element)
    if is_token(element):
        return TOKEN_BITS
    if element.name in HANDLES:
        return POINTER_BITS
    raise Unsupported(f"type {element}")


def count_lanes(ty: Attribute) -> int:
    """The elements of a type, unless there are too many."""
    count = prod(shape_of(ty))
    if count > MAX_LANES:
        raise Unsupported(f"{count} elements")
    return count


def constant(bits: int, width: int) -> Lane:
    """An element that is known."""
    return Lane(z3.BitVecVal(bits, width), z3.BoolVal(False))


def unknown(ty: Attribute, name: str, *, may_be_poison: bool = True) -> Tile:
    """Any value of a type."""
    width = width_of(element_of(ty))
    may_be_poison = may_be_poison and not is_token(ty)
    lanes = tuple(
        Lane(
            z3.BitVec(f"{name}[{number}]", width),
            z3.Bool(f"{name}[{number}] is poison") if may_be_poison else z3.BoolVal(False),
        )
        for number in range(count_lanes(ty))
    )
    return Tile(shape_of(ty), lanes)


def splat(lane: Lane, ty: Attribute) -> Tile:
    """A tile whose elements are one."""
    return Tile(shape_of(ty), (lane,) * count_lanes(ty))


def choose(condition: Term, first: Tile, second: Tile) -> Tile:
    """One of two tiles of a type."""
    lanes = tuple(
        Lane(z3.If(condition, a.bits, b.bits), z3.If(condition, a.poison, b.poison))
        for a, b in zip(first.lanes, second.lanes, strict=True)
    )
    return Tile(first.shape, lanes)


def elementwise(function: Callable[..., Lane], *tiles: Tile) -> Tile:
    """A function of elements at the same place; scalars belong to each of them."""
    shape = max((tile.shape for tile in tiles), key=len)
    count = max(len(tile.lanes) for tile in tiles)
    spread = [tile.lanes * (count if len(tile.lanes) == 1 else 1) for tile in tiles]
    return Tile(shape, tuple(function(*lanes) for lanes in zip(*spread, strict=True)))
