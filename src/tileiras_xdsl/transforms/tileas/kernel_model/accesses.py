"""What accesses to memory have in common."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import TiledAccess, TileLoad, TileStore, TileUpdate
from tileiras_xdsl.dialects.nv_tileas.attributes import AtomAttr

VECTOR_BYTES = 16
BOX_STORE = AtomAttr("tma_store")
BOX_UPDATE = AtomAttr("tma_redg")


def get_indices(op: TiledAccess) -> Sequence[SSAValue]:
    """The coordinates of the tile that an op accesses."""
    assert isinstance(op, TileLoad | TileStore | TileUpdate)
    return op.indices


def get_view_type(op: TiledAccess) -> TiledViewType:
    """The type of the view that an op accesses."""
    assert isinstance(op, TileLoad | TileStore | TileUpdate)
    assert isinstance(op.view.type, TiledViewType)
    return op.view.type
