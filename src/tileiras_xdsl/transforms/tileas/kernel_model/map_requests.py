"""Which tensor maps the bulk copies of a kernel use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation, Region

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.tma_tiles import TmaTiling
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType
from tileiras_xdsl.dialects.nv_tileaa.views import MakeMemrefOp
from tileiras_xdsl.dialects.nv_tileas.decisions import MULTICAST, TMA_ELEMENT_TYPE, WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.xdsl_extras.walking import walk

from .shared_memory import TMA_ATOMS, has_atom
from .tensor_maps import MapKey, find_host_map, find_memref, is_at_start, stored_element
from .tma_loads import halve, loaded_tiling
from .tma_stores import TmaAccess
from .warpgroup_stores import WarpgroupTmaTiles


def find_built_maps(function: FuncOp, *, host_maps: bool) -> list[MapKey]:
    """The tensor maps that a kernel builds itself, because no launcher does or can."""
    known: AxisInfoAnalysis | None = None

    def get_axis_info() -> AxisInfoAnalysis:
        nonlocal known
        if known is None:
            known = analyze(function)
        return known

    found = dict.fromkeys(requested_maps(function))
    return [
        key
        for key, op in ((key, key.memref.owner) for key in found)
        if isinstance(op, MakeMemrefOp)
        and not (host_maps and find_host_map(op, key, get_axis_info) is not None)
    ]


def count_rebuilt_maps(keys: Collection[MapKey], code: Operation, warpgroups: int) -> int:
    """
    How many maps are rebuilt: one of a load, by the thread that loads, and one of a store for each
    warpgroup, by its thread that stores.
    """
    rebuilt = {key for key in keys if is_rebuilt(key)}
    if not rebuilt:
        return 0
    stored = {key for op in walk(code) if isinstance(op, TmaAccess) for key in requested_maps(op)}
    return sum(warpgroups if key in stored else 1 for key in rebuilt)


def is_rebuilt(key: MapKey) -> bool:
    """
    Whether a map is of a tensor that is defined inside of a loop or branch: then it is built
    there, each time that the tensor is another one.
    """
    op = key.memref.owner
    assert isinstance(op, MakeMemrefOp)
    return not is_at_start(op)


def requested_maps(
    code: Operation | Region, is_copied: Callable[[TmaAccess], bool] | None = None
) -> Iterator[MapKey]:
    """
    The tensor maps of the bulk copies of a kernel or of some of its code, in their order; of stores
    only those that are copies, if `is_copied` tells.
    """
    for op in walk(code):
        if has_atom(op, *TMA_ATOMS) and isinstance(op, TiledLoadOp | TmaAccess):
            if is_copied is not None and isinstance(op, TmaAccess) and not is_copied(op):
                continue
            tiling = _tma_tiling_of(op)
            memref = find_memref(op.view)
            if tiling is not None and memref is not None:
                element = TMA_ELEMENT_TYPE.get(op) or _element_of(memref)
                yield MapKey(
                    memref.result,
                    tiling.traversed,
                    tiling.swizzle,
                    element,
                    tiling.element_strides,
                )


def _tma_tiling_of(op: TiledLoadOp | TmaAccess) -> TmaTiling | None:
    """The TMA tiling of an op's copies."""
    ty = op.view_type
    if isinstance(op, TmaAccess) and WARPGROUP_STORE.is_on(op):
        layout = layout_of(op.value.type)
        tiles = None if layout is None else WarpgroupTmaTiles.of(ty, layout)
        return None if tiles is None else tiles.tiling
    tiling = loaded_tiling(op) if isinstance(op, TiledLoadOp) else TmaTiling.of(ty)
    return halve(tiling) if tiling is not None and MULTICAST.is_on(op) else tiling


def _element_of(memref: Operation) -> Attribute:
    ty = memref.results[0].type
    assert isinstance(ty, MemRefType)
    return stored_element(ty.element_type)
