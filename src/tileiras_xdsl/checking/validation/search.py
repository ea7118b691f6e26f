"""
Inputs that a kernel can be run with, found by trying.

Sizes come from what the kernel says about its parameters. Each *plan* makes one kind of inputs:
whole tiles, partial ones, loops without an iteration, special floats. Inputs are valid if the
kernel as it was written runs with them under all checks. Others are drawn again, with what is in
the way changed: arrays behind raw pointers grow, grids shrink, another CTA sets the flag that is
waited for, other numbers are drawn for parameters that are neither sizes nor strides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import lcm, prod
from typing import Final

from xdsl.dialects.builtin import IntegerType

from tileiras_xdsl.interpreter.elements import memory_bytes
from tileiras_xdsl.interpreter.memory import ALIGNMENT
from tileiras_xdsl.targets.machine import MAX_GRID_SIZE

from .inputs import ArrayRecipe, Fill, Inputs, Recipe, random_bits
from .kernel_facts import DimClass, KernelFacts, Parameter, Tensor

FIRST_ELEMENTS: Final = 64
"""Of an array behind a raw pointer, before it grows."""
MOST_ELEMENTS: Final = 1 << 33
OUT_OF_TIME: Final = "the time for runs on the CPU is over"
MOST_TRIES: Final = 32
"""Inputs of a plan that are tried."""
MOST_DRAWS: Final = 8
"""How often the numbers of a plan that are neither sizes nor strides are drawn."""
DRAWN: Final = (1, 2, 3, 4, 8, 16, 5, 32, 64, 128, 0, -1)
"""What they are drawn from, likely ones first."""


@dataclass(frozen=True)
class Plan:
    """One kind of inputs."""

    name: str
    tiles: int = 2
    """Of dimensions that CTAs share."""
    iterations: int = 2
    """Of loops that count tiles."""
    partial: bool = False
    """Whether the last tiles are not full, and rows lie apart."""
    fill: Fill = "whole"
    scalar: int = 72
    """What other integers are."""
    below: int = 4
    """What the integers in arrays are less than; 0 for any."""
    in_place: bool = False
    """Whether two arrays are the same."""
    is_far: bool = False
    """Whether a few tile blocks of the whole grid are run, the last one among them."""
    seed: int | None = None


MANY_ITERATIONS: Final = 14
"""More than the stages of any pipeline that has 16 KB for each."""

PLANS: Final = (
    Plan("partial tiles", partial=True),
    Plan("far tile blocks", is_far=True),
    Plan("many iterations", tiles=1, iterations=MANY_ITERATIONS, partial=True, scalar=200),
    Plan("one tile", tiles=1, iterations=1, scalar=16),
    Plan("special floats", tiles=1, iterations=2, partial=True, fill="special", seed=2),
    Plan("no iterations", tiles=1, iterations=0, scalar=0),
    Plan("fractions", iterations=3, fill="fraction", below=2, scalar=64, seed=1),
    Plan("in place", in_place=True, partial=True),
    Plan("any integers", tiles=1, iterations=1, partial=True, below=0, scalar=40),
    Plan("less than a tile", tiles=0, iterations=0, partial=True, scalar=1),
    Plan("whole tiles", tiles=3, iterations=4, scalar=128, seed=3),
)
"""What shows most first: time may not be enough for all."""


class Rejected(Exception):
    """Why inputs of a plan cannot be made."""


@dataclass(frozen=True)
class _Attempt:
    """A plan, and what was changed because the kernel could not be run."""

    plan: Plan
    raw_elements: int = FIRST_ELEMENTS
    flag: int | None = None
    is_single: bool = False
    """Whether there is one CTA."""
    odd: bool = False
    """Whether integers in arrays are odd."""
    is_aligned: bool = False
    """Whether arrays begin at multiples of 256 bytes, instead of where the plan says."""
    draw: int = 0
    """How often other numbers than those of the plan have been drawn for parameters."""


class InputFinder:
    """Makes inputs for a kernel."""

    def __init__(
        self, facts: KernelFacts, attempt: Callable[[Inputs], str | None], *, most_ctas: int
    ):
        """`attempt`: runs the kernel with inputs, and says what is wrong with them."""
        self.facts = facts
        self.most_ctas = most_ctas
        self.odd = False
        """Whether the last inputs that were found had only odd integers in arrays."""
        self.is_slow = False
        """Whether runs with several CTAs have taken too long."""
        self.attempt = attempt
        self.rejected: dict[str, str] = {}
        """Why there are no inputs of a plan."""
        self.redrawn: dict[str, str] = {}
        """Why those that a plan made first are not valid, if others were found."""

    def find(self, plan: Plan) -> Inputs | None:
        """Inputs of a plan."""
        current = _Attempt(plan, odd=self.odd, is_single=self.is_slow)
        reason, first = "", ""
        tried: set[Inputs] = set()
        for _ in range(MOST_TRIES):
            try:
                inputs = self._make(current)
            except Rejected as rejected:
                self.rejected[plan.name] = str(rejected)
                return None
            if inputs in tried and not current.draw:
                break
            found = reason if inputs in tried else self.attempt(inputs)
            tried.add(inputs)
            if found is None:
                self.odd = current.odd
                if first:
                    self.redrawn[plan.name] = first
                return inputs
            reason = found
            if reason != OUT_OF_TIME:
                first = first or reason
            following = self._change(current, found)
            if following is None:
                break
            current = following
        self.rejected[plan.name] = reason
        return None

    def _change(self, current: _Attempt, reason: str) -> _Attempt | None:
        """What to try next, given what went wrong."""
        if self.facts.flags and ("again and again" in reason or reason == OUT_OF_TIME):
            # It waits for a flag; memory is as likely to hold something else than what it awaits.
            values = sorted({value for values in self.facts.flags.values() for value in values})
            left = [value for value in values if current.flag is None or value > current.flag]
            if left:
                return replace(current, flag=left[0])
        if "out of bounds" in reason and self._has_raw and current.raw_elements < MOST_ELEMENTS:
            return replace(current, raw_elements=8 * current.raw_elements)
        plan = current.plan
        if "is not true" in reason and not current.is_aligned:
            # What is assumed may be about an address that follows from that of an array.
            return replace(current, is_aligned=True)
        is_of_numbers = "step of a loop" in reason or "is not true" in reason
        is_of_numbers |= "divides" in reason and (current.odd or plan.scalar < 1)
        if is_of_numbers and (drawn := self._draw(current)) is not None:
            return drawn
        if not current.odd and ("divides" in reason or reason == OUT_OF_TIME):
            # A loop may wait until a number in memory is not zero.
            if "divides" in reason or self._has_integers:
                return replace(current, odd=True, flag=None)
        if reason == OUT_OF_TIME:
            if current.is_single:
                return None
            self.is_slow = True
        if not current.is_single:
            return replace(current, is_single=True)
        if plan.partial and not plan.in_place:
            whole = replace(plan, partial=False)
            return replace(current, plan=whole, is_single=self.is_slow, odd=False)
        return self._draw(current)

    def _draw(self, current: _Attempt) -> _Attempt | None:
        """The same with other numbers for parameters, if there are such, and draws are left."""
        if not self.facts.scalars or current.draw == MOST_DRAWS:
            return None
        return replace(current, draw=current.draw + 1)

    @property
    def _has_integers(self) -> bool:
        return any(
            each.is_pointer and isinstance(each.element, IntegerType)
            for each in self.facts.parameters
        )

    @property
    def _has_raw(self) -> bool:
        return any(each.is_raw for each in self.facts.parameters)

    # Sizes

    def _make(self, current: _Attempt) -> Inputs:
        plan = current.plan
        sizes = {id(each): self._size_of(each, plan) for each in self.facts.classes}
        numbers: dict[int, Recipe] = {}
        extents: dict[int, int] = {}
        for tensor in self.facts.tensors:
            needed = self._lay_out(tensor, sizes, plan, numbers)
            number = tensor.base.number
            extents[number] = max(extents.get(number, 1), needed)
        for parameter in self.facts.parameters:
            number = parameter.number
            if parameter.is_pointer:
                elements = extents.get(number, 1)
                if parameter.is_raw or number not in extents:
                    elements = max(elements, current.raw_elements if parameter.is_used else 1)
                if elements > MOST_ELEMENTS:
                    raise Rejected(f"an array of {elements} elements is too large")
                place = 0 if current.is_aligned else _place_of(parameter, plan)
                numbers[number] = ArrayRecipe(
                    elements, plan.fill, plan.below, current.odd, number, place=place
                )
            elif number not in numbers:
                numbers[number] = _scalar_of(parameter, plan, current.draw)
        arguments = [numbers[parameter.number] for parameter in self.facts.parameters]
        if plan.in_place:
            arguments = self._share(arguments)
        whole = self._grid(sizes, plan)
        grid, blocks = _fewer(whole, self.most_ctas), None
        if plan.is_far:
            if grid == whole:
                raise Rejected("all tile blocks are run with other inputs")
            if self.facts.is_uneven:
                raise Rejected(
                    "tile blocks take different times, and may be done by CTAs in another order"
                )
            grid, blocks = whole, _far_blocks(whole, 1 if current.is_single else self.most_ctas)
        elif current.is_single:
            grid = (1, 1, 1)
        flags: tuple[tuple[int, int], ...] = ()
        if current.flag is not None:
            flags = tuple((number, current.flag) for number in sorted(self.facts.flags))
        return Inputs(plan.name, grid, tuple(arguments), flags, plan.seed, blocks)

    def _size_of(self, dim: DimClass, plan: Plan) -> int:
        """The elements of a dimension."""
        if not dim.is_indexed:
            whole = dim.needed or dim.tile
            # Rows that one tile covers are shorter than it, where anything is partial.
            return dim.fit(whole - whole // 8 if plan.partial and whole >= 8 else whole)
        count = plan.iterations if dim.is_counted and not dim.is_strided else plan.tiles
        if dim.tile == 1:
            count = max(count, 1) if not dim.is_counted else count
        whole = max(0, (count - 1) * dim.step + dim.tile if count else 0)
        if not plan.partial or dim.tile == 1:
            return dim.fit(max(whole, dim.needed))
        last = max(1, dim.tile // 2 - 1)
        found = dim.fit(max(0, whole - dim.tile) + last)
        return max(found, dim.fit(dim.needed)) if found % dim.tile else dim.fit(whole)

    def _lay_out(
        self, tensor: Tensor, sizes: dict[int, int], plan: Plan, numbers: dict[int, Recipe]
    ) -> int:
        """Gives sizes and strides of a tensor numbers; returns how many elements it spans."""
        shape: list[int] = []
        for dim in tensor.dims:
            size = sizes[id(dim.of)]
            if isinstance(dim.size, Parameter):
                # A parameter that is the size of several dimensions has one value.
                known = numbers.setdefault(dim.size.number, dim.size.fit(size))
                assert isinstance(known, int)
                size = known
            elif isinstance(dim.size, int):
                size = dim.size
            shape.append(size)
        strides = [0] * len(shape)
        span = 1
        # The dimension with a stride of 1 is the innermost, then the last ones.
        order = sorted(range(len(shape)), key=lambda n: (tensor.dims[n].stride != 1, -n))
        for place in order:
            stride = tensor.dims[place].stride
            if isinstance(stride, Parameter):
                apart = 1 if plan.partial and span > 1 else 0
                wanted = stride.fit(span + apart)
                known = numbers.setdefault(stride.number, wanted)
                assert isinstance(known, int)
                strides[place] = known
            else:
                strides[place] = span if stride is None else stride
            span = max(span, strides[place] * max(1, shape[place]))
        if not all(shape):
            return 1
        return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))

    def _grid(self, sizes: dict[int, int], plan: Plan) -> tuple[int, int, int]:
        """
        This many CTAs that all tiles are somebody's. Dimensions of a tensor that depend on the same
        dimension of the grid depend on different parts of it: otherwise most tiles are nobody's.
        """
        counts: dict[int, int] = {}
        for tensor in self.facts.tensors:
            own: dict[int, int] = {}
            for dim in {id(each.of): each.of for each in tensor.dims}.values():
                if len(dim.axes) != 1 or dim.is_looked_up:
                    continue
                (axis,) = dim.axes
                # Single elements may be many where their number is rounded up.
                is_free = dim.tile == 1 and dim.static is None
                size = plan.tiles if is_free else -(-sizes[id(dim)] // dim.step)
                tiles = max(1, size)
                own[axis] = own.get(axis, 1) * (max(1, tiles // 2) if dim.is_strided else tiles)
            for axis, count in own.items():
                counts[axis] = max(count, counts.get(axis, 1))
        for axis in self.facts.grid_axes.difference(counts):
            counts[axis] = max(1, plan.tiles)
        x, y, z = (min(counts.get(axis, 1), MAX_GRID_SIZE) for axis in range(3))
        return x, y, z

    def _share(self, arguments: Sequence[Recipe]) -> list[Recipe]:
        """The first two arrays that are as large as each other are one."""
        shared = list(arguments)
        parameters = self.facts.parameters
        for second, recipe in enumerate(arguments):
            for first in range(second):
                other = arguments[first]
                if (
                    isinstance(recipe, ArrayRecipe)
                    and isinstance(other, ArrayRecipe)
                    and recipe.elements == other.elements
                    and parameters[first].element == parameters[second].element
                    and not isinstance(parameters[first].element, IntegerType)
                ):
                    shared[second] = replace(recipe, same_as=first)
                    return shared
        raise Rejected("no two arrays are as large as each other")


def _fewer(grid: tuple[int, int, int], most: int) -> tuple[int, int, int]:
    """A grid of at most this many CTAs, which has the shape of a larger one if it can."""
    counts = [min(count, most) for count in grid]
    while prod(counts) > most:
        largest = max(range(3), key=lambda axis: counts[axis])
        counts[largest] -= 1
    x, y, z = counts
    return x, y, z


def _far_blocks(grid: tuple[int, int, int], most: int) -> tuple[tuple[int, int, int], ...]:
    """Tile blocks of a grid: the last and the first one, one in the middle, random ones."""
    total = prod(grid)
    drawn = (random_bits(number, total) % total for number in range(most))
    numbers = dict.fromkeys((total - 1, 0, total // 2, *drawn))
    return tuple(
        (number % grid[0], number // grid[0] % grid[1], number // grid[0] // grid[1])
        for number in list(numbers)[:most]
    )


def _place_of(parameter: Parameter, plan: Plan) -> int:
    """
    Where an array begins, modulo 256 bytes: a multiple of what is assumed of its address, and of
    what an element takes. It is no multiple of more if the plan has partial tiles, and any
    otherwise.
    """
    step = lcm(parameter.divisor, memory_bytes(parameter.element))
    bits = random_bits(parameter.number, len(plan.name))
    return (bits | plan.partial) * step % ALIGNMENT


def _scalar_of(parameter: Parameter, plan: Plan, draw: int) -> int | float:
    """A number that is no size or stride: that of the plan, or one that is drawn."""
    if not parameter.is_integer:
        return 0.5
    wanted = plan.scalar
    if draw:
        # The first draw gives all the first number: of many reasons to refuse 0, that is the cure.
        bits = random_bits(parameter.number, draw)
        wanted = DRAWN[0 if draw == 1 else bits % min(len(DRAWN), 3 * draw)]
    element = parameter.element
    assert isinstance(element, IntegerType)
    return wanted % 2 if element.width.data == 1 else parameter.fit(wanted)
