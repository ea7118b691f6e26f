"""
The arguments of a run as a recipe: small enough to be written into a comment, and the same numbers
wherever it is followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile.types import TileType, element_name, is_float
from tileiras_xdsl.interpreter.elements import (
    bit_width,
    dtype_of,
    from_bits,
    is_packed,
    round_to,
    storage_dtype,
)
from tileiras_xdsl.interpreter.environment import Other, OtherBlock, Release
from tileiras_xdsl.interpreter.memory import ALIGNMENT, PagedArray, empty_bytes

Array: TypeAlias = npt.NDArray[Any]
Fill = Literal["whole", "fraction", "special"]
"""
What floats are: whole numbers, so that sums of them are exact in any order; any numbers; or these
with infinities, NaNs, zeros of both signs and denormals among them.
"""

WHOLE = (0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 1.0)
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0)
SPECIAL_SHARE = 32
"""One in this many floats is special."""


MOST_ELEMENTS: Final = 1 << 36
"""Of an array in a file."""
MOST_FLAGS: Final = 1 << 20
"""Elements of an array that another CTA fills."""
DENSE_BYTES: Final = 1 << 21
"""Of an array that is made as a whole; larger ones are made page by page."""


@dataclass(frozen=True)
class ArrayRecipe:
    """An array of random elements."""

    elements: int
    fill: Fill = "whole"
    below: int = 4
    """How many integers there are to choose from; 0 for all."""
    odd: bool = False
    """Whether integers are odd, so that none is zero."""
    seed: int = 0
    same_as: int | None = None
    """The argument whose memory it is."""
    place: int = 0
    """Where it begins, in bytes modulo 256."""

    def make(self, element: Attribute) -> Array:
        """The array, for a pointer to elements of a type."""
        values = self._values(element, np.arange(self.elements))
        made = empty_bytes(values.nbytes, self.place).view(values.dtype)
        made[:] = values
        return made

    def make_argument(self, element: Attribute) -> Array | PagedArray:
        """The same, of which only pages are held if it is large."""
        dtype = self._values(element, np.zeros(1, np.int64)).dtype
        if self.elements * dtype.itemsize <= DENSE_BYTES:
            return self.make(element)
        return PagedArray(dtype, self.elements, partial(self._values, element), self.place)

    def _values(self, element: Attribute, numbers: npt.NDArray[np.int64]) -> Array:
        """The elements of some numbers."""
        bits = random_bits_at(numbers, self.seed)
        if is_packed(element) or not (is_float(element) or is_integer(element)):
            return (bits & np.uint64(0xFF)).astype(np.uint8)
        if is_integer(element):
            width = min(bit_width(element), 62)
            top = self.below or 1 << width
            integers = bits % np.uint64(min(top, 1 << width))
            return from_bits(integers | np.uint64(self.odd), element)
        floats = _floats(bits, self.fill)
        if self.fill == "special":
            tiny = float(np.float64(2.0) ** _lowest_exponent(element))
            floats = np.where(bits % np.uint64(SPECIAL_SHARE) == np.uint64(7), tiny, floats)
        with np.errstate(all="ignore"):
            made = round_to(floats.astype(np.float64), element, saturate=False)
        stored = storage_dtype(element)
        return made.astype(dtype_of(element)) if made.dtype.kind not in "u" else made.astype(stored)


def is_integer(element: Attribute) -> bool:
    """Whether elements are integers."""
    return isinstance(element, IntegerType)


def _lowest_exponent(element: Attribute) -> int:
    """Of a denormal number that the type has."""
    return {16: -20, 32: -130, 64: -1030}.get(bit_width(element), -8)


def _floats(bits: npt.NDArray[np.uint64], fill: Fill) -> npt.NDArray[np.float64]:
    if fill == "whole":
        return np.array(WHOLE)[(bits >> np.uint64(7)) % np.uint64(len(WHOLE))]
    # The sum of four numbers of [-1/2, 1/2) is about as normal as it has to be.
    parts = [(bits >> np.uint64(16 * n)) & np.uint64(0xFFFF) for n in range(4)]
    floats = sum((part.astype(np.float64) for part in parts), np.zeros(len(bits))) / 65536 - 2
    floats = floats * 1.7
    if fill == "special":
        chosen = bits % np.uint64(SPECIAL_SHARE) == np.uint64(3)
        which = (bits >> np.uint64(9)) % np.uint64(len(SPECIAL))
        floats = np.where(chosen, np.array(SPECIAL)[which], floats)
    return floats


def random_bits(number: int, seed: int) -> int:
    """A random number of 64 bits."""
    return int(random_bits_at(np.array([number]), seed)[0])


def random_bits_at(numbers: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.uint64]:
    """Random numbers of 64 bits by SplitMix64, which no version of NumPy changes."""
    with np.errstate(over="ignore"):
        state = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        state += np.uint64((seed * 0xD1342543DE82EF95 + 0x2545F4914F6CDD1D) % (1 << 64))
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return state ^ (state >> np.uint64(31))


def name_element(element: Attribute) -> str:
    """What an element type is called in a file."""
    return element_name(element)


def named_element(name: str) -> Attribute:
    """The element type of a name; `ValueError` if there is none."""
    from xdsl.utils.exceptions import ParseError

    from tileiras_xdsl.frontend.load import make_context
    from tileiras_xdsl.frontend.text import TextParser

    try:
        found = TextParser(make_context(), f"!cuda_tile.tile<{name}>").parse_type()
    except ParseError:
        raise ValueError(f"there is no type '{name}'") from None
    assert isinstance(found, TileType)
    return found.element_type


Recipe: TypeAlias = "ArrayRecipe | int | float"


GIVEN: Final = "the given arguments"
"""The name of inputs that are not made but those of the caller."""


@dataclass(frozen=True)
class Inputs:
    """A launch: the grid, what the arguments are, and what other CTAs do meanwhile."""

    name: str
    """What is special about them."""
    grid: tuple[int, int, int]
    arguments: tuple[Recipe, ...]
    flags: tuple[tuple[int, int], ...] = ()
    """Arguments that another CTA fills with a number, which the kernel waits for."""
    seed: int | None = None
    """Of the order of CTAs, and of accesses that nothing orders."""
    blocks: tuple[tuple[int, int, int], ...] | None = None
    """The tile blocks of the grid that are run; `None` for all."""

    def make(self, elements: Sequence[Attribute]) -> list[Any]:
        """Arguments of their own for one run, given what parameters are or point to."""
        made: list[Any] = []
        flags = {number for number, _ in self.flags}
        for number, (recipe, element) in enumerate(zip(self.arguments, elements, strict=True)):
            if not isinstance(recipe, ArrayRecipe):
                made.append(recipe)
            elif recipe.same_as is not None:
                made.append(made[recipe.same_as])
            elif number in flags:
                if recipe.elements > MOST_FLAGS:
                    raise ValueError(f"{recipe.elements} flags are too many")
                made.append(recipe.make(element))
            else:
                made.append(recipe.make_argument(element))
        return made

    def others(self, arguments: Sequence[Any]) -> list[Other]:
        """Who else touches the arguments."""
        return [
            OtherBlock([Release(arguments[number], slice(None), value)])
            for number, value in self.flags
        ]

    def __str__(self) -> str:
        shown = [
            f"[{recipe.elements}]" if isinstance(recipe, ArrayRecipe) else str(recipe)
            for recipe in self.arguments
        ]
        grid = "x".join(map(str, self.grid))
        if self.blocks is not None:
            grid += f", tile blocks {', '.join(map(str, self.blocks))}"
        arguments = f", arguments {', '.join(shown)}" if shown else ""
        name = self.name if self.name.startswith(GIVEN) else f"inputs '{self.name}'"
        return f"{name} (grid {grid}{arguments})"

    def to_json(self) -> dict[str, Any]:
        """As what JSON has."""
        return asdict(self)

    def check(self, parameters: int) -> None:
        """Raises a `ValueError` if a kernel of this many parameters cannot be run with these."""
        arrays = [each for each in self.arguments if isinstance(each, ArrayRecipe)]
        places = [each.same_as for each in arrays if each.same_as is not None]
        places += [number for number, _ in self.flags]
        if (
            len(self.arguments) != parameters
            or not all(0 <= place < parameters for place in places)
            or not all(0 <= each.elements <= MOST_ELEMENTS for each in arrays)
            or not all(0 <= each.place < ALIGNMENT for each in arrays)
        ):
            raise ValueError("inputs of another kernel")

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Inputs:
        """From that."""
        x, y, z = map(int, data["grid"])
        return Inputs(
            str(data["name"]),
            (x, y, z),
            tuple(
                ArrayRecipe(**cast(dict[str, Any], each)) if isinstance(each, dict) else each
                for each in data["arguments"]
            ),
            tuple((int(number), int(value)) for number, value in data["flags"]),
            None if data["seed"] is None else int(data["seed"]),
            _blocks_from(data.get("blocks")),
        )


def _blocks_from(data: Any) -> tuple[tuple[int, int, int], ...] | None:
    """Tile blocks, from what JSON has."""
    if data is None:
        return None
    return tuple((int(x), int(y), int(z)) for x, y, z in data)
