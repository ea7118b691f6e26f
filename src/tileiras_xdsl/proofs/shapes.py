"""What ops mean that change shapes or pick parts, and assumptions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType
from xdsl.ir import Operation

from tileiras_xdsl.dialects.cuda_tile.predicates import Bounded, DivBy, SameElements

from .machine import Machine, means
from .smt import Term, z3
from .values import (
    Lane,
    Tile,
    Unsupported,
    constant,
    count_lanes,
    element_of,
    shape_of,
    splat,
    width_of,
)


def coordinates(shape: Sequence[int]) -> list[tuple[int, ...]]:
    """The places of a shape, row-major."""
    return list(product(*map(range, shape)))


def flat(place: Sequence[int], shape: Sequence[int]) -> int:
    """The number of a place."""
    number = 0
    for index, size in zip(place, shape, strict=True):
        number = number * size + index
    return number


@means(
    *("cuda_tile.reshape", "nv_tileaa.view", "nv_tileaa.expand_dims"),
    *("nv_tileas.view", "nv_tileas.expand_dims"),
)
def _reshape(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    count_lanes(op.results[0].type)
    return [Tile(shape_of(op.results[0].type), operands[0].lanes)]


@means("nv_tileaa.splat", "vector.broadcast")
def _splat(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    return [splat(operands[0].scalar, op.results[0].type)]


@means("cuda_tile.broadcast", "nv_tileaa.broadcast")
def _broadcast(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    source, shape = operands[0], shape_of(op.results[0].type)
    count_lanes(op.results[0].type)
    if not source.shape:
        return [splat(source.scalar, op.results[0].type)]
    places: list[int] = []
    for place in coordinates(shape):
        origin = [0 if size == 1 else i for i, size in zip(place, source.shape, strict=True)]
        places.append(flat(origin, source.shape))
    return [source.pick(shape, places)]


@means("cuda_tile.permute", "nv_tileaa.permute")
def _permute(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    source, shape = operands[0], shape_of(op.results[0].type)
    attribute = cast("DenseArrayBase[IntegerType]", op.properties["permutation"])
    order = [int(dim) for dim in attribute.get_values()]
    places: list[int] = []
    for place in coordinates(shape):
        origin = [0] * len(order)
        for dim, index in zip(order, place, strict=True):
            origin[dim] = index
        places.append(flat(origin, source.shape))
    return [source.pick(shape, places)]


@means("cuda_tile.iota", "nv_tileaa.make_range")
def _range(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    ty = op.results[0].type
    width = width_of(element_of(ty))
    start = operands[0].scalar if operands else constant(0, width)
    lanes = tuple(Lane(start.bits + number, start.poison) for number in range(count_lanes(ty)))
    return [Tile(shape_of(ty), lanes)]


@means("cuda_tile.extract", "nv_tileaa.extract")
def _extract(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    source, *indices = operands
    shape = shape_of(op.results[0].type)
    part = shape or (1,) * len(source.shape)
    counts = [whole // size for whole, size in zip(source.shape, part, strict=True)]
    lanes = [index.scalar for index in indices]
    poison = z3.Or(*(lane.poison for lane in lanes))
    # An index beyond the last slice gives anything.
    for lane, count in zip(lanes, counts, strict=True):
        if count < 1 << min(lane.bits.size(), 32):
            poison = z3.Or(poison, z3.UGE(lane.bits, count))
    found: list[Lane] = []
    for place in coordinates(part):
        chosen: Lane | None = None
        for number in coordinates(counts):
            origin = [n * size + i for n, size, i in zip(number, part, place, strict=True)]
            lane = source.lanes[flat(origin, source.shape)]
            if chosen is None:
                chosen = lane
                continue
            here = z3.And(*(x.bits == n for x, n in zip(lanes, number, strict=True)))
            chosen = Lane(
                z3.If(here, lane.bits, chosen.bits), z3.If(here, lane.poison, chosen.poison)
            )
        assert chosen is not None
        found.append(Lane(chosen.bits, z3.Or(poison, chosen.poison)))
    assert len(found) == prod(part)
    return [Tile(shape, tuple(found))]


# Assumptions


def divisible(bits: Term, divisor: int) -> Term:
    """Whether an integer is a multiple of a power of two."""
    width = bits.size()
    if divisor >= 1 << width:
        return bits == 0
    return bits & z3.BitVecVal(divisor - 1, width) == 0


@means("cuda_tile.assume", "nv_tileaa.assume")
def _assume(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    predicate, tile = op.properties["predicate"], operands[0]
    fails: list[Term] = []
    for place, lane in zip(coordinates(tile.shape), tile.lanes, strict=True):
        fails.append(lane.poison)
        match predicate:
            case DivBy(data=(divisor, None, None)):
                fails.append(z3.Not(divisible(lane.bits, divisor)))
            case DivBy(data=(divisor, int() as every, int() as along)):
                start = place[along] // max(every, 1) * every
                first = [*place]
                first[along] = start
                bits = tile.lanes[flat(first, tile.shape)].bits
                fails.append(z3.Not(divisible(bits, divisor)))
                fails.append(lane.bits != bits + (place[along] - start))
            case Bounded(data=(lower, upper)):
                if lower is not None:
                    fails.append(lane.bits < lower)
                if upper is not None:
                    fails.append(lane.bits > upper)
            case SameElements(data=groups):
                first = [i // max(g, 1) * max(g, 1) for i, g in zip(place, groups, strict=True)]
                fails.append(lane.bits != tile.lanes[flat(first, tile.shape)].bits)
            case _:
                raise Unsupported(f"assumption {predicate}")
    machine.state = machine.state.fail_if(z3.Or(*fails))
    return [tile]


@means("llvm.insertelement")
def _insert_element(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    # llvm.insertelement %value, %vector[%place]
    first, second, place = operands
    value, whole = (first, second) if not first.shape else (second, first)
    index = z3.simplify(place.scalar.bits)
    if not z3.is_bv_value(index):
        raise Unsupported("an unknown place in a vector")
    lanes = list(whole.lanes)
    lanes[index.as_long()] = value.scalar
    return [Tile(whole.shape, tuple(lanes))]


def integer_property(op: Operation, name: str, default: int = 0) -> int:
    """A number among the properties of an op."""
    found = op.properties.get(name)
    return found.value.data if isinstance(found, IntegerAttr) else default


@means("nv_tileaa.cat")
def _cat(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    first, second = operands
    dim = integer_property(op, "dim")
    shape = shape_of(op.results[0].type)
    lanes: list[Lane] = []
    for place in coordinates(shape):
        behind = place[dim] - first.shape[dim]
        source = first if behind < 0 else second
        inside = [*place] if behind < 0 else [*place[:dim], behind, *place[dim + 1 :]]
        lanes.append(source.lanes[flat(inside, source.shape)])
    return [Tile(shape, tuple(lanes))]


@means("nv_tileaa.insert")
def _insert(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    part, whole, *indices = operands
    numbers = [index.scalar for index in indices]
    lanes: list[Lane] = []
    for place, lane in zip(coordinates(whole.shape), whole.lanes, strict=True):
        inside = [i % size for i, size in zip(place, part.shape, strict=True)]
        slices = [i // size for i, size in zip(place, part.shape, strict=True)]
        here = z3.And(*(x.bits == n for x, n in zip(numbers, slices, strict=True)))
        new = part.lanes[flat(inside, part.shape)]
        lanes.append(Lane(z3.If(here, new.bits, lane.bits), z3.If(here, new.poison, lane.poison)))
    poison = z3.Or(*(number.poison for number in numbers))
    return [Tile(whole.shape, tuple(Lane(bits, z3.Or(poison, bad)) for bits, bad in lanes))]


@means("nv_tileaa.int_to_ptr", "nv_tileaa.ptr_to_int")
def _address(machine: Machine, op: Operation, operands: Sequence[Tile]) -> Sequence[Tile]:
    width = width_of(element_of(op.results[0].type))

    def apply(lane: Lane) -> Lane:
        source = lane.bits.size()
        if width > source:
            return Lane(z3.ZeroExt(width - source, lane.bits), lane.poison)
        return Lane(z3.Extract(width - 1, 0, lane.bits), lane.poison)

    return [operands[0].map(apply)]
