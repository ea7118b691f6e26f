"""
Tensor maps: the descriptors by which TMA accesses tensors in global memory.

The driver refuses a map that the hardware cannot use, but does not say why. The rules are checked
here first; they were found by trying on an H200.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import prod

from tileiras_xdsl.backend.driver import Driver, TensorMapArguments
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.launch_record import (
    PROMOTION_WORDS,
    SWIZZLE_WORDS,
    Quantity,
    TensorMapRecord,
)
from tileiras_xdsl.targets.tma import (
    ALIGNMENT,
    EMPTY_SIZE,
    FILLS,
    MAX_BOX,
    MAX_BOX_BYTES,
    MAX_ELEMENT_STRIDE,
    MAX_EXTENT,
    STRIDE_LIMIT,
    SWIZZLES,
    TYPES,
    MapElement,
    find_map_element,
)


def encode_tensor_map(
    driver: Driver,
    record: TensorMapRecord,
    base: int,
    argument: Callable[[int], int],
    get_zero: Callable[[], int],
) -> bytes:
    """
    The map of a tensor at address `base`; `argument` gives the integer arguments by index.

    There is no map of a tensor without elements. Such a one is replaced by a single zero, whose
    address `get_zero` gives, so that what is outside of the tensor still reads as zero. Kernels do
    not store to tensors without elements, so it stays zero.
    """

    def number(quantity: Quantity) -> int:
        if quantity.parameter is None:
            return quantity.value
        return quantity.value * argument(quantity.parameter)

    sizes, strides = ([number(each) for each in part] for part in (record.sizes, record.strides))
    if 0 in sizes:
        base, sizes = get_zero(), [EMPTY_SIZE] * len(sizes)
    return driver.encode_tensor_map(tensor_map_arguments(record, base, sizes, strides))


def tensor_map_arguments(
    record: TensorMapRecord, base: int, sizes: Sequence[int], strides: Sequence[int]
) -> TensorMapArguments:
    """What the driver takes; `BackendError` where the hardware cannot have such a map."""
    element = find_map_element(record.element)
    if element is None:
        known = ", ".join(TYPES)
        raise BackendError(f"no tensor map has elements {record.element} (expected one of {known})")
    element_strides = record.element_strides or (1,) * len(sizes)
    problems = _problems(record, base, sizes, strides, element_strides, element)
    if problem := next((text for wrong, text in problems if wrong), None):
        raise BackendError(f"a tensor map of parameter {record.base} cannot be made: {problem}")
    return TensorMapArguments(
        data_type=element.driver,
        base=base,
        sizes=sizes,
        strides=strides,
        box=record.box,
        element_strides=element_strides,
        swizzle=SWIZZLE_WORDS.index(record.swizzle),
        l2_promotion=PROMOTION_WORDS.index(record.l2_promotion),
        fill=FILLS.index("nan" if record.nan_fill else "zero"),
    )


def _problems(
    record: TensorMapRecord,
    base: int,
    sizes: Sequence[int],
    strides: Sequence[int],
    element_strides: Sequence[int],
    element: MapElement,
) -> list[tuple[bool, str]]:
    inner = record.box[0] * element.bytes
    moved = (-(-box // max(1, step)) for box, step in zip(record.box, element_strides, strict=True))
    total = prod(moved) * element.bytes
    span = SWIZZLES[SWIZZLE_WORDS.index(record.swizzle)]
    problems = [
        (base % ALIGNMENT != 0, f"the address {base:#x} is no multiple of {ALIGNMENT}"),
        (
            inner % ALIGNMENT != 0,
            f"the innermost extent of the TMA tile is {inner} bytes, no multiple of {ALIGNMENT}",
        ),
        (
            span > 0 and inner > span,
            f"the innermost extent of the TMA tile is {inner} bytes, the swizzle {span}",
        ),
        (total > MAX_BOX_BYTES, f"the TMA tile is {total} bytes, more than shared memory has"),
        (record.nan_fill and not element.is_float, f"{record.element} has no NaN"),
    ]
    for i, (size, box, step, stride) in enumerate(
        zip_longest(sizes, record.box, element_strides, strides, fillvalue=0)
    ):
        problems += [
            (not 1 <= size <= MAX_EXTENT, f"size {i} is {size}, not 1 to {MAX_EXTENT}"),
            (not 1 <= box <= MAX_BOX, f"box size {i} is {box}, not 1 to {MAX_BOX}"),
            (
                not 1 <= step <= MAX_ELEMENT_STRIDE,
                f"element stride {i} is {step}, not 1 to {MAX_ELEMENT_STRIDE}",
            ),
            (
                not 0 <= stride < STRIDE_LIMIT or stride % ALIGNMENT != 0,
                f"stride {i} is {stride} bytes, no multiple of {ALIGNMENT} from 0 to "
                f"{STRIDE_LIMIT}",
            ),
        ]
    return problems
