"""In which order tile blocks should start: those with most iterations first."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.gpu import BlockIdOp, DimensionEnum, FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.analysis.scalar_evolution import DIMENSIONS, trip_direction
from tileiras_xdsl.dialects.memory_order import own_effects
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nvgpu.persistence import get_cluster_ctas, get_persistent_ctas
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from .persistence import SHARED_EFFECTS, find_resident_ctas


@dataclass(frozen=True)
class BlockOrder:
    """How the trip counts of a kernel depend on the tile block."""

    along: DimensionEnum
    """The coordinate that they depend on."""
    is_reversed: bool
    """Whether they grow with it, so that the last have to be the first."""
    beside: DimensionEnum | None
    """The coordinate of neighbours that are taken together, if any."""

    @property
    def is_change(self) -> bool:
        """Whether tile blocks do not start in this order anyway."""
        return self.is_reversed or self.beside is not None


def choose_order(function: FuncOp) -> BlockOrder | str | None:
    """
    The order of tile blocks; a reason why there is none although trip counts differ; or None if
    they do not, as in persistent kernels.
    """
    if get_persistent_ctas(function) or find_resident_ctas(function) is not None:
        return None
    loops = [loop for loop in find_all(function, scf.ForOp) if find_all(loop, DotOp)]
    directions = {
        dimension: {trip_direction(loop, dimension) for loop in loops} - {0}
        for dimension in DIMENSIONS
    }
    along = [dimension for dimension, found in directions.items() if found]
    if not along:
        return None
    if len(along) > 1 or len(directions[along[0]]) > 1 or None in directions[along[0]]:
        return "it is not known which tile blocks have most iterations"
    if (reason := why_not_ordered(function)) is not None:
        return reason
    used = {op.dimension.data for op in find_all(function, BlockIdOp)}
    others = [dimension for dimension in DIMENSIONS if dimension in used - {along[0]}]
    beside = others[0] if others and along[0] is DIMENSIONS[0] else None
    return BlockOrder(along[0], directions[along[0]] == {1}, beside)


def why_not_ordered(function: FuncOp) -> str | None:
    """Why the order of tile blocks has to stay; None if nobody can tell."""
    if get_cluster_ctas(function) > 1:
        return "CTAs are in clusters"

    def forbids(op: Operation) -> bool:
        return bool(own_effects(op) & SHARED_EFFECTS) or isinstance(op, scf.WhileOp)

    for op in walk(function):
        if forbids(op):
            return f"other tile blocks may wait for '{op.name}', or see its order"
    return None
