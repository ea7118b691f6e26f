"""What lanes of a warp do together: shuffles, votes and reductions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.errors import ExecutionError

from .attributes import integer_of, property_of, word_of
from .machine import InBlock, Program, binds
from .names import WARP
from .state import BlockState
from .values import Array, Integers, Mask, Value, element_of
from .vectors import combiner

ALL_LANES = np.array([0xFFFFFFFF], np.int64)

# Shuffles


def shuffle(
    block: BlockState, kind: str, value: Array, offset: Array, clamp: Array
) -> tuple[Array, Mask]:
    """What a lane gets from another, and whether that one was in range, as PTX defines it."""
    lane = block.lanes
    distance = block.full(offset).astype(np.int64) & 31
    limit, segment = (
        block.full(clamp).astype(np.int64) & 31,
        block.full(clamp).astype(np.int64) >> 8,
    )
    segment = segment & 31
    lowest = lane & segment
    highest = lowest | (limit & ~segment)
    match kind:
        case "up":
            source = lane - distance
            valid = source >= highest
        case "down":
            source = lane + distance
            valid = source <= highest
        case "bfly" | "xor":
            source = lane ^ distance
            valid = source <= highest
        case _:
            source = lowest | (distance & ~segment)
            valid = source <= highest
    source = np.where(valid, source, lane)
    thread = block.rows // WARP * WARP + source
    _check_sources(block, thread)
    return block.full(value)[np.minimum(thread, block.threads - 1)], valid


def _check_sources(block: BlockState, source: Integers) -> None:
    """Raises if a thread asks one that does not answer."""
    present = block.active_mask()
    missing = source >= block.threads
    missing |= ~present[np.minimum(source, block.threads - 1)]
    missing &= present
    if missing.any():
        thread = int(np.argmax(missing))
        raise ExecutionError(
            f"{block.names.thread(block.numbers[thread])} reads the value of "
            f"{block.names.thread(source[thread] + block.numbers[0])}, which is not here"
        )


@binds("nvvm.shfl.sync")
def bind_shfl(op: Operation, program: Program) -> InBlock:
    """The value of another lane."""
    kind = word_of(op, "kind") or ""
    with_valid = property_of(op, "return_value_and_is_valid") is not None

    def apply(block: BlockState, lanes: Array, value: Array, offset: Array, clamp: Array) -> Value:
        block.check_lanes(lanes)
        found = shuffle(block, kind, value, offset, clamp)
        return found if with_valid else found[0]

    return InBlock(apply)


@binds("gpu.shuffle")
def bind_shuffle(op: Operation, program: Program) -> InBlock:
    """The value of another lane among the first `width`."""
    kind = word_of(op, "mode") or ""

    def apply(block: BlockState, value: Array, offset: Array, width: Array) -> Value:
        clamp = WARP - width if kind == "up" else width - 1
        return shuffle(block, kind, value, offset, clamp)

    return InBlock(apply)


# Votes


def per_warp(block: BlockState, value: Array) -> Array:
    """A value as warps by lanes; lanes that are no threads hold zeros."""
    whole = block.full(value)
    warps = -(-block.threads // WARP)
    padded = np.zeros((warps * WARP, *whole.shape[1:]), whole.dtype)
    padded[: block.threads] = whole
    return padded.reshape(warps, WARP, *whole.shape[1:])


def per_thread(block: BlockState, value: Array) -> Array:
    """A value of each warp as one of its threads."""
    return value[block.rows // WARP]


def members(block: BlockState, lanes: Array) -> Mask:
    """For each thread the lanes of its warp that are in its mask and are here."""
    block.check_lanes(lanes)
    present = per_warp(block, block.active_mask())[block.rows // WARP]
    wanted = block.full(lanes).astype(np.int64)
    return present & (wanted[:, None] >> np.arange(WARP) & 1 != 0)


@binds("nvvm.vote.sync")
def bind_vote(op: Operation, program: Program) -> InBlock:
    """What lanes agree on."""
    kind = word_of(op, "kind")

    def apply(block: BlockState, lanes: Array, predicate: Array) -> Array:
        among = members(block, lanes)
        flags = per_warp(block, predicate)[block.rows // WARP] & among
        match kind:
            case "ballot":
                bits = (flags.astype(np.int64) << np.arange(WARP)).sum(axis=1)
                return bits.astype(np.uint32).view(np.int32)
            case "any":
                return np.asarray(flags.any(axis=1))
            case "all":
                return np.asarray((flags == among).all(axis=1))
            case _:
                agree = (flags == among).all(axis=1)
                return np.asarray(agree | ~flags.any(axis=1))

    return InBlock(apply)


@binds("nvvm.activemask")
def bind_activemask(op: Operation, program: Program) -> InBlock:
    """The lanes that are here."""

    def apply(block: BlockState) -> Array:
        present = per_warp(block, block.active_mask()).astype(np.int64)
        bits = (present << np.arange(WARP)).sum(axis=1)
        return per_thread(block, bits.astype(np.uint32).view(np.int32))

    return InBlock(apply)


@binds("nvvm.elect.sync")
def bind_elect(op: Operation, program: Program) -> InBlock:
    """True in one lane."""

    def apply(block: BlockState, *lanes: Array) -> Array:
        among = members(block, lanes[0] if lanes else ALL_LANES)
        return np.argmax(among, axis=1) == block.lanes

    return InBlock(apply)


@binds("nvvm.match.sync")
def bind_match(op: Operation, program: Program) -> InBlock:
    """The lanes that have the same value."""
    kind = word_of(op, "kind")

    def apply(block: BlockState, lanes: Array, value: Array) -> Value:
        among = members(block, lanes)
        others = per_warp(block, value)[block.rows // WARP]
        same = among & (others == block.full(value)[:, None])
        bits = (same.astype(np.int64) << np.arange(WARP)).sum(axis=1)
        mask = bits.astype(np.uint32).view(np.int32)
        if kind == "any":
            return mask
        everyone = (same == among).all(axis=1)
        return np.where(everyone, mask, np.int32(0)), everyone

    return InBlock(apply)


# Reductions


REDUX = {"min": "minsi", "max": "maxsi", "umin": "minui", "umax": "maxui"}


@binds("nvvm.redux.sync")
def bind_redux(op: Operation, program: Program) -> InBlock:
    """Combines the values of the lanes of a mask."""
    kind, element = word_of(op, "kind") or "", element_of(op.results[0].type)
    nan, absolute = property_of(op, "nan") is not None, property_of(op, "abs") is not None
    if kind in ("fmin", "fmax"):
        kind = {"fmin": "minimumf", "fmax": "maximumf"}[kind] if nan else kind
    combine = combiner(REDUX.get(kind, kind), element)

    def apply(block: BlockState, value: Array, lanes: Array) -> Array:
        among = members(block, lanes)
        values = numerics.absf(element, value) if absolute else value
        others = per_warp(block, values)[block.rows // WARP]
        return _combine_lanes(combine, others, among)

    return InBlock(apply)


def _combine_lanes(combine: Callable[[Array, Array], Array], values: Array, among: Mask) -> Array:
    """Combines the columns of some lanes; each thread has one at least, or the result is void."""
    result = values[np.arange(len(values)), np.argmax(among, axis=1)]
    started = np.zeros(len(values), np.bool_)
    for lane in range(values.shape[1]):
        here = among[:, lane]
        column = values[:, lane]
        combined = np.where(started, combine(result, column), column)
        result = np.where(here, combined, result)
        started |= here
    return result


@binds("gpu.subgroup_reduce")
def bind_subgroup_reduce(op: Operation, program: Program) -> InBlock:
    """Combines the values of the lanes of a warp, or of clusters of them."""
    element = element_of(op.results[0].type)
    combine = combiner(word_of(op, "op") or "", element)
    size, stride = integer_of(op, "cluster_size", WARP), integer_of(op, "cluster_stride", 1)

    def apply(block: BlockState, value: Array) -> Array:
        total = block.full(value)
        distance = stride
        # As the shuffles do it that this becomes: floats are added in their order.
        while distance < size * stride:
            source = np.minimum(
                block.rows // WARP * WARP + (block.lanes ^ distance), block.threads - 1
            )
            _check_sources(block, block.rows // WARP * WARP + (block.lanes ^ distance))
            total = combine(total, total[source])
            distance *= 2
        return total

    return InBlock(apply)
