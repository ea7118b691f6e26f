"""What lanes of a warp do together: shuffles, votes and reductions."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.interpreter import numerics
from tileiras_xdsl.interpreter.arithmetic import Combine, combiner
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.machine import THREADS
from tileiras_xdsl.interpreter.values import (
    Array,
    Integers,
    Mask,
    Value,
    element_of,
    flag,
    has,
    integer,
    result_element,
    word,
    word_of,
)

from .shadow import WARP
from .state import CtaThreads

ALL_LANES = np.array([0xFFFFFFFF], np.int64)

# Shuffles


def shuffle(
    cta: CtaThreads, kind: str, value: Array, offset: Array, clamp: Array
) -> tuple[Array, Mask]:
    """What a lane gets from another, and whether that one was in range, as PTX defines it."""
    lane = cta.lanes
    distance = cta.full(offset).astype(np.int64) & 31
    bounds = cta.full(clamp).astype(np.int64)
    limit, segment = bounds & 31, bounds >> 8 & 31
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
    thread = cta.rows // WARP * WARP + source
    _check_sources(cta, thread)
    return cta.full(value)[np.minimum(thread, cta.threads - 1)], valid


def _check_sources(cta: CtaThreads, source: Integers) -> None:
    """Raises if a thread asks one that does not answer."""
    present = cta.active_mask()
    missing = source >= cta.threads
    missing |= ~present[np.minimum(source, cta.threads - 1)]
    missing &= present
    if missing.any():
        thread = int(np.argmax(missing))
        raise ExecutionError(
            f"{cta.names.thread(cta.numbers[thread])} reads the value of "
            f"{cta.names.thread(source[thread] + cta.numbers[0])}, which is not here"
        )


@THREADS.runs("nvvm.shfl.sync", kind=word("kind"), with_valid=flag("return_value_and_is_valid"))
def run_shfl(
    cta: CtaThreads,
    lanes: Array,
    value: Array,
    offset: Array,
    clamp: Array,
    *,
    kind: str,
    with_valid: bool,
) -> Value:
    """The value of another lane."""
    cta.check_lanes(lanes)
    found = shuffle(cta, kind, value, offset, clamp)
    return found if with_valid else found[0]


@THREADS.runs("gpu.shuffle", kind=word("mode"))
def run_shuffle(cta: CtaThreads, value: Array, offset: Array, width: Array, *, kind: str) -> Value:
    """The value of another lane among the first `width`."""
    clamp = WARP - width if kind == "up" else width - 1
    return shuffle(cta, kind, value, offset, clamp)


# Votes


def per_warp(cta: CtaThreads, value: Array) -> Array:
    """A value as warps by lanes; lanes that are no threads hold zeros."""
    whole = cta.full(value)
    warps = -(-cta.threads // WARP)
    padded = np.zeros((warps * WARP, *whole.shape[1:]), whole.dtype)
    padded[: cta.threads] = whole
    return padded.reshape(warps, WARP, *whole.shape[1:])


def _bits(flags: Mask) -> Array:
    """Flags of lanes as the bits of a number."""
    bits = (flags.astype(np.int64) << np.arange(WARP)).sum(axis=1)
    return bits.astype(np.uint32).view(np.int32)


def members(cta: CtaThreads, lanes: Array) -> Mask:
    """For each thread the lanes of its warp that are in its mask and are here."""
    cta.check_lanes(lanes)
    present = per_warp(cta, cta.active_mask())[cta.rows // WARP]
    wanted = cta.full(lanes).astype(np.int64)
    return present & (wanted[:, None] >> np.arange(WARP) & 1 != 0)


@THREADS.runs("nvvm.vote.sync", kind=word("kind"))
def run_vote(cta: CtaThreads, lanes: Array, predicate: Array, *, kind: str) -> Array:
    """What lanes agree on."""
    among = members(cta, lanes)
    flags = per_warp(cta, predicate)[cta.rows // WARP] & among
    match kind:
        case "ballot":
            return _bits(flags)
        case "any":
            return np.asarray(flags.any(axis=1))
        case "all":
            return np.asarray((flags == among).all(axis=1))
        case _:
            agree = (flags == among).all(axis=1)
            return np.asarray(agree | ~flags.any(axis=1))


@THREADS.runs("nvvm.activemask")
def run_activemask(cta: CtaThreads) -> Array:
    """The lanes that are here."""
    return _bits(per_warp(cta, cta.active_mask()))[cta.rows // WARP]


@THREADS.runs("nvvm.elect.sync")
def run_elect(cta: CtaThreads, *lanes: Array) -> Array:
    """True in one lane."""
    among = members(cta, lanes[0] if lanes else ALL_LANES)
    return np.argmax(among, axis=1) == cta.lanes


@THREADS.runs("nvvm.match.sync", kind=word("kind"))
def run_match(cta: CtaThreads, lanes: Array, value: Array, *, kind: str) -> Value:
    """The lanes that have the same value."""
    among = members(cta, lanes)
    others = per_warp(cta, value)[cta.rows // WARP]
    same = among & (others == cta.full(value)[:, None])
    mask = _bits(same)
    if kind == "any":
        return mask
    everyone = (same == among).all(axis=1)
    return np.where(everyone, mask, np.int32(0)), everyone


# Reductions


def _redux(op: Operation) -> Combine:
    kind = word_of(op, "kind")
    if has(op, "nan"):
        kind = {"fmin": "minimumf", "fmax": "maximumf"}.get(kind, kind)
    return combiner(kind, element_of(op.results[0].type))


@THREADS.runs("nvvm.redux.sync", element=result_element, absolute=flag("abs"), combine=_redux)
def run_redux(
    cta: CtaThreads,
    value: Array,
    lanes: Array,
    *,
    element: Attribute,
    absolute: bool,
    combine: Combine,
) -> Array:
    """Combines the values of the lanes of a mask."""
    among = members(cta, lanes)
    values = numerics.absf(element, value) if absolute else value
    others = per_warp(cta, values)[cta.rows // WARP]
    return _combine_lanes(combine, others, among)


def _combine_lanes(combine: Combine, values: Array, among: Mask) -> Array:
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


@THREADS.runs(
    "gpu.subgroup_reduce",
    combine=lambda op: combiner(word_of(op, "op"), element_of(op.results[0].type)),
    size=integer("cluster_size", WARP),
    stride=integer("cluster_stride", 1),
)
def run_subgroup_reduce(
    cta: CtaThreads, value: Array, *, combine: Combine, size: int, stride: int
) -> Array:
    """Combines the values of the lanes of a warp, or of clusters of them."""
    total = cta.full(value)
    distance = stride
    # As the shuffles do it that this becomes: floats are added in their order.
    while distance < size * stride:
        source = cta.rows // WARP * WARP + (cta.lanes ^ distance)
        _check_sources(cta, source)
        total = combine(total, total[np.minimum(source, cta.threads - 1)])
        distance *= 2
    return total
