"""
Parallel dimensions: tiles that can be cut together, so that no piece needs another one.

    %s = nv_tileaa.dot %q, %k, %zero : …                     dim 0: %q, %s
    %m = nv_tileaa.reduce %s {axis = 1} … -> tensor<256xf32>   dim 0: %s, %m
    %o = nv_tileaa.dot %p, %v, %acc : …                        dim 0: %p, %acc, %o

`find_parallel_tiles` starts at a dimension of the result of a dot. From each tile that is cut it
goes to what the tile is computed from and to what is computed from it, through loops and branches,
to loads and stores (`piece_ops.py` says which operands and results of an op are cut together). The
dimension is parallel if that ends without a conflict: nothing is reduced, scanned, concatenated or
multiplied along it. Rows of attention are parallel, its columns are not.

Constants, ranges, and what is computed from nothing else are computed once more wherever a piece of
them is needed, so that one range can be cut for rows and be whole for columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue, Use
from xdsl.traits import is_side_effect_free

from tileiras_xdsl.analysis.slices import operands_first
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation, ScanOp
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicRMWOp, StoreOp
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    BroadcastOp,
    CatOp,
    ExpandDimsOp,
    MakeRangeOp,
    PermuteOp,
    SplatOp,
    ViewOp,
)
from tileiras_xdsl.dialects.nv_tileaa.views import TiledAtomicRMWOp, TiledStoreOp
from tileiras_xdsl.xdsl_extras.structure import last_of, splat_of

from .canonicalization.shape import is_elementwise
from .piece_ops import can_cut_view, operands_to_cut, whole_operands

RESHAPES = (BroadcastOp, ExpandDimsOp, PermuteOp, ViewOp)
Store = TiledStoreOp | StoreOp | TiledAtomicRMWOp | AtomicRMWOp
"""What writes a tile: an atomic does, too, if nothing needs what was there before."""


class NotParallel(Exception):
    """An op needs several pieces at once, or cannot be done in pieces."""

    def __init__(self, op: Operation, reason: str):
        super().__init__(f"'{op.name}' {reason}")
        self.op = op


def find_parallel_tiles(tile: SSAValue, dim: int) -> ParallelTiles:
    """What is cut together with a tile along a dimension; raises `NotParallel` if that is not."""
    found = ParallelTiles()
    found.add(tile, dim)
    return found


def _cheap_operands(value: SSAValue) -> list[SSAValue]:
    """The tiles that one is computed from, if it may be computed wherever it is needed."""
    op = value.owner
    if not isinstance(op, Operation):
        return []
    if not isinstance(op, RESHAPES) and not (is_elementwise(op) and is_side_effect_free(op)):
        return []
    return [operand for operand in op.operands if isinstance(operand.type, TensorType)]


@dataclass
class ParallelTiles:
    """Tiles that are cut together, along a dimension each."""

    dims: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The dimension of each, but for those that are computed where they are needed."""
    stores: dict[Store, int] = field(default_factory=lambda: dict[Store, int]())
    """Of what is stored in pieces."""
    cheap_dims: dict[SSAValue, set[int]] = field(default_factory=dict[SSAValue, set[int]])
    """The dimensions along which pieces of those are needed."""
    extent: int = 0
    """The number of pieces at most."""
    _pending: list[SSAValue] = field(default_factory=list[SSAValue])
    _cheap: dict[SSAValue, bool] = field(default_factory=dict[SSAValue, bool])

    def add(self, tile: SSAValue, dim: int) -> None:
        """Adds a tile, and all that is cut with it."""
        self._mark(tile, dim)
        while self._pending:
            value = self._pending.pop()
            self._add_sources(value)
            for use in [*value.uses]:
                self._add_user(value, use)

    def is_cheap(self, value: SSAValue) -> bool:
        """Whether a tile is computed from constants, ranges and scalars only."""
        for each in operands_first(value, _cheap_operands, self._cheap):
            op = each.owner
            self._cheap[each] = isinstance(op, Operation) and self._is_cheap_op(op)
        return self._cheap[value]

    def _is_cheap_op(self, op: Operation) -> bool:
        if isinstance(op, arith.ConstantOp):
            return isinstance(op.value, DenseIntOrFPElementsAttr) and splat_of(op.value) is not None
        if isinstance(op, SplatOp | MakeRangeOp):
            return True
        tiles = _cheap_operands(op.results[0])
        return bool(tiles) and all(self._cheap[tile] for tile in tiles)

    def dim_of(self, op: Operation) -> int | None:
        """The dimension along which the results of an op, or what it stores, are cut."""
        if isinstance(op, Store):
            return self.stores.get(op)
        return next((self.dims[result] for result in op.results if result in self.dims), None)

    def owners(self) -> Iterator[Operation]:
        """The ops, loops and branches that tiles are cut in."""
        yield from self.stores
        for value in self.dims:
            op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
            assert op is not None
            yield op

    # How far it reaches

    def _mark(self, value: SSAValue, dim: int) -> None:
        """Adds a tile; of one that is computed anew for each piece, what it is computed from."""
        pending = [(value, dim)]
        while pending:
            value, dim = pending.pop()
            owner = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
            assert owner is not None
            if self.dims.get(value, dim) != dim:
                raise NotParallel(owner, "has a tile that would be cut along two dimensions")
            size = get_shape(value.type)[dim]
            if size == 1:
                raise NotParallel(owner, "has a tile of size 1 there")
            self.extent = min(self.extent or size, size)
            if value in self.dims:
                continue
            if not self.is_cheap(value):
                self.dims[value] = dim
                self._pending.append(value)
                continue
            needed = self.cheap_dims.setdefault(value, set[int]())
            if dim not in needed:
                needed.add(dim)
                pending += reversed(self._needed(owner, dim))

    def _needed(self, op: Operation, dim: int) -> list[tuple[SSAValue, int]]:
        """The operands that are cut with the results of an op."""
        if isinstance(op, ScanOp) and op.get_axis() == dim:
            raise NotParallel(op, "scans along it")
        if isinstance(op, CatOp) and op.dim.value.data == dim:
            raise NotParallel(op, "concatenates along it")
        needed = operands_to_cut(op, dim, 1)
        if needed is None:
            raise NotParallel(op, "cannot be done in pieces")
        return [*needed]

    def _add_sources(self, value: SSAValue) -> None:
        """Adds what a tile is computed from, and the other results of its op."""
        dim, owner = self.dims[value], value.owner
        loop = owner.parent_op() if isinstance(owner, Block) else owner
        match loop:
            case scf.ForOp():
                self._add_carried(loop, _carried_number(loop, value), dim)
            case scf.IfOp():
                number = loop.results.index(value)
                self._add_branches(loop, number, dim)
            case _:
                assert loop is not None
                is_aggregate = isinstance(loop, AggregateOperation)
                if not isinstance(owner, Operation) or (owner.regions and not is_aggregate):
                    raise NotParallel(loop, "passes tiles on")
                for result in owner.results:
                    if isinstance(result.type, TensorType):
                        self._mark(result, dim)
                for operand, along in self._needed(owner, dim):
                    self._mark(operand, along)

    def _add_carried(self, loop: scf.ForOp, number: int, dim: int) -> None:
        """Adds a tile that a loop carries."""
        for value in (
            loop.results[number],
            loop.body.block.args[1 + number],
            loop.iter_args[number],
            last_of(loop.body.block).operands[number],
        ):
            self._mark(value, dim)

    def _add_branches(self, branch: scf.IfOp, number: int, dim: int) -> None:
        """Adds a tile that a branch yields."""
        self._mark(branch.results[number], dim)
        for region in branch.regions:
            self._mark(last_of(region.block).operands[number], dim)

    def _add_user(self, value: SSAValue, use: Use) -> None:
        """Adds what is computed from a tile, or stored."""
        op, dim = use.operation, self.dims[value]
        match op:
            case scf.ForOp():
                self._add_carried(op, use.index - 3, dim)
            case scf.YieldOp():
                around = op.parent_op()
                if isinstance(around, scf.ForOp):
                    self._add_carried(around, use.index, dim)
                elif isinstance(around, scf.IfOp):
                    self._add_branches(around, use.index, dim)
                else:
                    raise NotParallel(op, "passes tiles on")
            case TiledStoreOp() | StoreOp() | TiledAtomicRMWOp() | AtomicRMWOp():
                is_view = isinstance(op, TiledStoreOp | TiledAtomicRMWOp)
                if is_view and not can_cut_view(op, dim, 1):
                    raise NotParallel(op, "has a view without pieces")
                if isinstance(op, AtomicRMWOp) and any(op.result.uses):
                    raise NotParallel(op, "yields a tile")
                if self.stores.setdefault(op, dim) != dim:
                    raise NotParallel(op, "has a tile that would be cut along two dimensions")
                for operand in op.operands:
                    if isinstance(operand.type, TensorType):
                        self._mark(operand, dim)
            case _:
                self._mark(*self._result_of(op, use, value, dim))

    def _result_of(
        self, op: Operation, use: Use, value: SSAValue, dim: int
    ) -> tuple[SSAValue, int]:
        """The tile that an op computes from a piece of another, and its dimension."""
        for result in op.results:
            if isinstance(result.type, TensorType):
                for along, size in enumerate(get_shape(result.type)):
                    needed = operands_to_cut(op, along, 1) if size > 1 else None
                    if use.index in whole_operands(op, along):
                        continue
                    if needed is not None and (value, dim) in needed:
                        return result, along
        raise NotParallel(op, "needs all pieces of a tile")


def _carried_number(loop: scf.ForOp, value: SSAValue) -> int:
    """Which of the tiles that a loop carries a value is."""
    if isinstance(value, BlockArgument):
        return value.index - 1
    return loop.results.index(value)
