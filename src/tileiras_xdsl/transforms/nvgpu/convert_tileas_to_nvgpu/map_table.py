"""The tensor maps of a kernel that is being lowered, and where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import MapKey


@dataclass(frozen=True)
class RebuiltMap:
    """A map that one thread builds anew while copies by means of older ones are in flight."""

    slots: SSAValue
    """The address of the first of the map's slots in global memory, which it takes by turns."""
    count: int
    """How many slots it has."""
    source: int
    """The offset in shared memory where it is encoded."""
    state: int
    """
    The offset in shared memory of two i32: the index of the slot that it has, and whether the
    tensor is another one since.
    """
    by_warpgroups: bool = False
    """Whether each warpgroup has such a map, all of this for one behind that for another."""


def _nothing() -> dict[MapKey, SSAValue]:
    return {}


@dataclass(frozen=True)
class TensorMaps:
    """The tensor maps of a kernel."""

    parameters: Mapping[MapKey, SSAValue] = field(default_factory=_nothing)
    """Addresses of maps that the launcher makes."""
    built: Mapping[MapKey, SSAValue] = field(default_factory=_nothing)
    """Addresses of maps that the kernel makes, in the slot of the CTA."""
    rebuilt: Mapping[MapKey, RebuiltMap] = field(default_factory=dict[MapKey, RebuiltMap])
    """Maps that the kernel makes again and again."""
    current: dict[MapKey, SSAValue] = field(default_factory=_nothing)
    """Addresses of these, where they are up to date."""
