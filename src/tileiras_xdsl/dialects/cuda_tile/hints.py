"""
Which optimization hints there are: for which architectures, on which ops, and with which values.

Hints never change what a program computes, so those that mean nothing are kept and have no effect.
The public tools report them on request, and so do ours:

    optimization_hints=<sm_90 = {num_cta_in_cga = 3}>
    → power-of-2 expected for sm_90.num_cta_in_cga
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i1
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from .types import is_power_of_two

NO_CLUSTERS: Final = ("sm_80", "sm_86", "sm_87", "sm_88", "sm_89")
"""The architectures without clusters."""
ARCHITECTURES: Final = (
    *NO_CLUSTERS,
    *("sm_90", "sm_100", "sm_103", "sm_107", "sm_110", "sm_120", "sm_121", "default"),
)
"""What hints may be for; `default` is for all that have no hints of their own."""

CLUSTER: Final = "num_cta_in_cga"
WARPS: Final = "num_worker_warps_per_cta"
ALLOW_TMA: Final = "allow_tma"
MAX_WARPS: Final = 32
"""How many warps our kernels may have; the public tools expect 4 or 8."""

HINTS_OF_OPS: Final[Mapping[str, tuple[str, ...]]] = {
    "cuda_tile.entry": (CLUSTER, WARPS, "occupancy"),
    "cuda_tile.load_ptr_tko": ("latency",),
    "cuda_tile.store_ptr_tko": ("latency",),
    "cuda_tile.load_view_tko": ("latency", ALLOW_TMA),
    "cuda_tile.store_view_tko": ("latency", ALLOW_TMA),
}
"""The hints that mean something, by the ops that they are on."""


@dataclass(frozen=True)
class IntegerHint:
    """The values of a hint that is a number."""

    minimum: int
    maximum: int
    is_power_of_two: bool = False


_INTEGER_HINTS: Final = {
    CLUSTER: IntegerHint(1, 16, is_power_of_two=True),
    WARPS: IntegerHint(4, 8, is_power_of_two=True),
    "occupancy": IntegerHint(1, 32),
    "latency": IntegerHint(1, 10),
}
_ONE_CTA: Final = IntegerHint(1, 1, is_power_of_two=True)


def get_integer(value: Attribute) -> int | None:
    """The number that a hint is; none if it is something else, such as a boolean."""
    if not isinstance(value, IntegerAttr) or value.type == i1:
        return None
    return value.value.data


def find_fault(arch: str, key: str, value: Attribute) -> str | None:
    """What is wrong with the value of a hint, as the public tools see it; hints have other keys."""
    place = f"{arch}.{key}"
    if key == ALLOW_TMA:
        is_bool = isinstance(value, IntegerAttr) and value.type == i1
        return None if is_bool else f"boolean value expected for {place}"
    rule = _ONE_CTA if key == CLUSTER and arch in NO_CLUSTERS else _INTEGER_HINTS[key]
    number = get_integer(value)
    if number is None:
        return f"integer value expected for {place}"
    if rule.is_power_of_two and not is_power_of_two(number):
        return f"power-of-2 expected for {place}"
    if not rule.minimum <= number <= rule.maximum:
        return f"value {number} for {place} is not in [{rule.minimum}, {rule.maximum}]"
    return None


def is_used(arch: str, key: str, value: Attribute) -> bool:
    """Whether we follow a hint if we can; of keys that are not known there is no saying."""
    if key == WARPS:
        number = get_integer(value)
        return number is not None and is_power_of_two(number) and number <= MAX_WARPS
    known = key == ALLOW_TMA or key in _INTEGER_HINTS
    return not known or find_fault(arch, key, value) is None


def find_faults(op: Operation) -> Iterator[str]:
    """What the public tools say about the hints of an op."""
    hints = op.properties.get("optimization_hints")
    entries = getattr(hints, "value", None)
    if not isinstance(entries, DictionaryAttr):
        return
    known = HINTS_OF_OPS.get(op.name, ())
    for arch, entry in sorted(entries.data.items()):
        if arch not in ARCHITECTURES:
            yield f"unknown hint key {arch}"
            continue
        assert isinstance(entry, DictionaryAttr)
        for key, value in sorted(entry.data.items()):
            if key not in known:
                yield f"{key} is not known hint for current Operation"
            elif (fault := find_fault(arch, key, value)) is not None:
                yield fault


def verify_hints(module: Operation) -> None:
    """Fails on the first op with hints that the public tools do not understand."""
    for op in module.walk():
        if faults := list(find_faults(op)):
            message = f"Optimization hints verification failed: {'; '.join(faults)}"
            op.emit_error(message, VerifyException(message))
