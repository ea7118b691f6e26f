"""
Tensor maps: what the tensor memory accelerator has to know about a tensor in global memory.

The driver refuses a map that the hardware cannot use, but does not say why. The rules are checked
here first; they were found by trying on an H200.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import prod
from typing import Final

from tileiras_xdsl.backend.driver import Driver, TensorMapArguments
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.launch_record import Quantity, TensorMapRecord

DATA_TYPES: Final[dict[str, tuple[int, int]]] = {
    **{"i8": (0, 1), "i16": (1, 2), "i32": (3, 4), "i64": (5, 8)},
    **{"f16": (6, 2), "f32": (7, 4), "f64": (8, 8), "bf16": (9, 2), "tf32": (11, 4)},
    **{"f8E4M3FN": (0, 1), "f8E5M2": (0, 1)},
}
"""For each element type, its number in the driver and its size in bytes."""

SWIZZLES: Final = {"none": 0, "32": 1, "64": 2, "128": 3}
PROMOTIONS: Final = {"none": 0, "64": 1, "128": 2, "256": 3}

_FLOATS: Final = ("f16", "f32", "f64", "bf16", "tf32")
_LARGEST_BOX: Final = 256
_LARGEST_ELEMENT_STRIDE: Final = 8
_SHARED_BYTES: Final = 227 * 1024


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
    address `get_zero` gives, so that what is outside of the tensor still reads as zero.
    """

    def number(quantity: Quantity) -> int:
        if quantity.parameter is None:
            return quantity.value
        return quantity.value * argument(quantity.parameter)

    sizes, strides = ([number(each) for each in part] for part in (record.sizes, record.strides))
    if 0 in sizes:
        base, sizes = get_zero(), [1] * len(sizes)
    return driver.encode_tensor_map(tensor_map_arguments(record, base, sizes, strides))


def tensor_map_arguments(
    record: TensorMapRecord, base: int, sizes: Sequence[int], strides: Sequence[int]
) -> TensorMapArguments:
    """What the driver takes; `BackendError` where the hardware cannot have such a map."""
    if record.element not in DATA_TYPES:
        known = ", ".join(DATA_TYPES)
        raise BackendError(f"no tensor map has elements {record.element} (expected one of {known})")
    data_type, width = DATA_TYPES[record.element]
    element_strides = record.element_strides or (1,) * len(sizes)
    problems = _problems(record, base, sizes, strides, element_strides, width)
    if problem := next((text for wrong, text in problems if wrong), None):
        raise BackendError(f"a tensor map of parameter {record.base} cannot be made: {problem}")
    return TensorMapArguments(
        data_type=data_type,
        base=base,
        sizes=sizes,
        strides=strides,
        box=record.box,
        element_strides=element_strides,
        swizzle=SWIZZLES[record.swizzle],
        l2_promotion=PROMOTIONS[record.l2_promotion],
        fill=int(record.nan_fill),
    )


def _problems(
    record: TensorMapRecord,
    base: int,
    sizes: Sequence[int],
    strides: Sequence[int],
    element_strides: Sequence[int],
    width: int,
) -> list[tuple[bool, str]]:
    inner = record.box[0] * width
    span = 0 if record.swizzle == "none" else int(record.swizzle)
    problems = [
        (base % 16 != 0, f"the address {base:#x} is no multiple of 16"),
        (inner % 16 != 0, f"the innermost box is {inner} bytes, no multiple of 16"),
        (span > 0 and inner > span, f"the innermost box is {inner} bytes, the swizzle {span}"),
        (
            prod(record.box) * width > _SHARED_BYTES,
            f"the box is {prod(record.box) * width} bytes, more than shared memory has",
        ),
        (record.nan_fill and record.element not in _FLOATS, f"{record.element} has no NaN"),
    ]
    for i, (size, box, step, stride) in enumerate(
        zip_longest(sizes, record.box, element_strides, strides, fillvalue=0)
    ):
        problems += [
            (not 1 <= size <= 2**32, f"size {i} is {size}, not 1 to 2^32"),
            (not 1 <= box <= _LARGEST_BOX, f"box size {i} is {box}, not 1 to {_LARGEST_BOX}"),
            (not 1 <= step <= _LARGEST_ELEMENT_STRIDE, f"element stride {i} is {step}, not 1 to 8"),
            (
                not 0 <= stride < 2**40 or stride % 16 != 0,
                f"stride {i} is {stride} bytes, no multiple of 16 from 0 to 2^40",
            ),
        ]
    return problems
