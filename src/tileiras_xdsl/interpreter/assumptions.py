"""
What a program of `cuda_tile` promises of its values, and what is said if a promise is broken: the
predicates of `assume`, and steps of loops, which are positive. What a program does that breaks one
is undefined, and passes may make anything of it.

Only the program as it was written is checked: what it promises may be moved to where it is not
needed, and not be true there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from xdsl.ir import Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.attributes import BoundedAttr, DivByAttr, SameElementsAttr
from tileiras_xdsl.dialects.cuda_tile.types import PtrType

from .accesses import StridedArray
from .elements import memory_bytes, signed
from .errors import ExecutionError
from .memory import Array
from .types import element_of, pointee_of
from .values import Value


def check_predicate(op: ct.AssumeOp, cta: object, value: Value) -> None:
    """A predicate holds for a value."""
    predicate = op.predicate
    if isinstance(value, StridedArray):
        value = np.array(value.address)
    numbers = signed(np.asarray(value)).astype(np.int64)
    match predicate:
        case BoundedAttr():
            lower, upper = predicate.lower, predicate.upper
            wrong = np.zeros(numbers.shape, np.bool_)
            if lower is not None:
                wrong |= numbers < lower
            if upper is not None:
                wrong |= numbers > upper
        case DivByAttr():
            wrong = _indivisible(predicate, op, numbers)
        case SameElementsAttr():
            wrong = _unequal(predicate, numbers)
        case _:
            return
    if wrong.any():
        lane = [int(number) for number in np.argwhere(wrong)[0]]
        found = int(numbers[tuple(lane)])
        kind = predicate.name.partition(".")[2]
        raise ExecutionError(f"is not true: {found} breaks '{kind}'", op, lane=lane or None)


def _indivisible(predicate: DivByAttr, op: ct.AssumeOp, numbers: Array) -> Array:
    """Which elements are not divisible, or do not count up from one that is."""
    every, along = predicate.every, predicate.along
    if every is None or along is None:
        return np.asarray(numbers % predicate.divisor != 0)
    is_pointer = isinstance(element_of(op.value.type), PtrType)
    unit = memory_bytes(pointee_of(op.value.type)) if is_pointer else 1
    places = np.indices(numbers.shape)[along]
    first = _first_of_groups(numbers, along, every)
    return np.asarray((first % predicate.divisor != 0) | (numbers - first != places % every * unit))


def _unequal(predicate: SameElementsAttr, numbers: Array) -> Array:
    """Which elements differ from the first of their group."""
    first = numbers
    for dim, size in enumerate(predicate.data):
        first = _first_of_groups(first, dim, size)
    return np.asarray(numbers != first)


def _first_of_groups(numbers: Array, dim: int, size: int) -> Array:
    """The first elements of groups of so many along a dimension, in the place of all of them."""
    count = max(size, 1)
    places = np.array([place // count * count for place in range(numbers.shape[dim])], np.int64)
    return np.take(numbers, places, axis=dim)


def check_step(
    op: ct.ForOp, cta: object, lower: Value, upper: Value, step: Value, *_: Value
) -> None:
    """The step of a loop is positive."""
    number = int(np.asarray(step))
    if number == 0 or (number < 0 and op.unsigned_cmp is None):
        raise ExecutionError(f"the step of a loop must be positive, but is {number}", op)


def guard_promise(op: Operation) -> Callable[..., None] | None:
    """Looks at the CTA and the values of the operands of an op before it; `None` if it need not."""
    match op:
        case ct.ForOp():
            return partial(check_step, op)
        case ct.AssumeOp():
            return partial(check_predicate, op)
        case _:
            return None
