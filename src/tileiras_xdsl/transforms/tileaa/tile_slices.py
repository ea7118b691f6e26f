"""
Parts of values, on demand: how a part of a tile is computed from parts of what it depends on.

`SlicePlan` looks back from the operands of an op, the root, to loads, constants and ranges, by what
`tiling.py` says of each op on the way. Then it builds the ops of one part, whose number is known
at run time. Passes say, by what they override, which ops may be done in parts at the root.
`find_slice_plan` is for roots that `strip-mine-tiles` cuts: parts of what they need may be in
loops and branches, and may be computed in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import prod
from typing import Final, Self

from typing_extensions import override
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, TensorType, i32
from xdsl.dialects.gpu import BarrierOp
from xdsl.ir import Block, Operation, Region, SSAValue, Use
from xdsl.traits import is_side_effect_free

from tileiras_xdsl.dialects.arith import CmpiOp
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.memory_order import Effect, effects_of, own_effects
from tileiras_xdsl.dialects.nv_tileaa.aggregate import ScanOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape, is_pointer
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOp, MmaFScaledOp
from tileiras_xdsl.dialects.nv_tileaa.memory import (
    AtomicCASOp,
    AtomicRMWOp,
    JoinMemTokenOp,
    LoadOp,
    is_token,
)
from tileiras_xdsl.dialects.nv_tileaa.shape import CatOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import BlockTileOp, TiledLoadOp, TiledStoreOp
from tileiras_xdsl.xdsl_extras.walking import integer_of, last_of, walk

from .canonicalization.shape import is_elementwise
from .tiling import (
    PieceBuilder,
    Store,
    ViewAccess,
    add_op,
    can_cut_view,
    continue_scan,
    copy_with,
    is_in_reverse,
    needed_pieces,
    operand_dims,
    piece_type,
)

INSTRUCTIONS: Final[Mapping[str, int]] = {
    "nv_tileaa.divi": 24,
    "nv_tileaa.remi": 24,
    "nv_tileaa.divf": 12,
    "nv_tileaa.exp": 4,
    "nv_tileaa.tanh": 24,
    "nv_tileaa.remf": 80,
    "nv_tileaa.pow": 80,
    "nv_tileaa.fpowi": 80,
    "nv_tileaa.atan2": 80,
    **dict.fromkeys(
        (
            "nv_tileaa.log",
            "nv_tileaa.log2",
            "nv_tileaa.log10",
            "nv_tileaa.log1p",
            "nv_tileaa.expm1",
        ),
        16,
    ),
    **dict.fromkeys(
        ("nv_tileaa.sinh", "nv_tileaa.cosh", "nv_tileaa.atan", "nv_tileaa.asin", "nv_tileaa.acos"),
        40,
    ),
    **dict.fromkeys(("nv_tileaa.sin", "nv_tileaa.cos", "nv_tileaa.tan"), 80),
}
"""About how many instructions an element of 32 bits takes; 1 for ops that are not here."""

DOUBLE: Final = 4
"""How many times as many one of 64 bits takes."""

Cut = Mapping[SSAValue, int]
"""The dimension along which each of some tiles is cut."""

Pinned = TiledLoadOp | LoadOp | AtomicRMWOp | AtomicCASOp


class NotSliced(Exception):
    """Why a tile cannot be computed in parts."""


@dataclass
class SlicePlan:
    """How a part of the operands of an op is computed."""

    root: Operation
    cut: dict[SSAValue, int]
    """Of the operands of the root."""
    pieces: int
    dims: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """All tiles that are cut, and along which dimension."""
    ops: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """The ops that compute them, in order."""

    def find(self) -> Self:
        """Finds all that a part is computed from; raises `NotSliced` if there is no way."""
        if isinstance(self.root, ViewAccess) and not can_cut_view(
            self.root, self.root_dim, self.pieces
        ):
            raise NotSliced("the tiles of its view cannot be cut")
        pending = [*self.cut.items()][::-1]
        while pending:
            value, dim = pending.pop()
            if self.dims.get(value, dim) != dim:
                raise NotSliced("a tile is needed by rows and by columns")
            if value not in self.dims:
                if get_shape(value.type)[dim] % self.pieces:
                    raise NotSliced(f"'{value.type}' has no {self.pieces} equal slices")
                pending += reversed(self.require(value, dim))
        self._sort()
        return self

    @property
    def root_dim(self) -> int:
        """The dimension along which what a root stores is cut."""
        return next(iter(self.cut.values()))

    def require(self, value: SSAValue, dim: int) -> Sequence[tuple[SSAValue, int]]:
        """Adds the op that computes parts of a tile; returns what else has to be cut for that."""
        owner = value.owner
        if not isinstance(owner, Operation):
            raise NotSliced("what a loop carries is not cut")
        needed = self.needed_pieces(owner, dim)
        if needed is None:
            raise NotSliced(f"'{owner.name}' is not cut")
        self.add(owner, dim)
        return needed

    def add(self, op: Operation, dim: int) -> None:
        """Adds an op whose results are cut."""
        self.ops[op] = None
        for result in op.results:
            if isinstance(result.type, TensorType):
                self.dims[result] = dim

    def needed_pieces(self, op: Operation, dim: int) -> Sequence[tuple[SSAValue, int]] | None:
        """What has to be cut for the results of an op to be cut; None if they cannot be."""
        return needed_pieces(op, dim, self.pieces)

    def _sort(self) -> None:
        """Puts each op behind all that it needs, in the order in which the root needs them."""
        ordered: dict[Operation, None] = {}
        seen = set[Operation]()
        # The last one is next. An op is there once more, below what it needs.
        pending = [*reversed(self.ops), *(value.owner for value in reversed(self.cut))]
        while pending:
            op = pending.pop()
            if isinstance(op, Block) or op not in self.ops:
                continue
            if op in seen:
                ordered[op] = None
                continue
            seen.add(op)
            pending.append(op)
            owners = [operand.owner for each in walk(op) for operand in each.operands]
            pending += reversed(owners)
        self.ops = ordered

    # Building

    def build(
        self, number: SSAValue, before: list[Operation], inside: list[Operation]
    ) -> PieceBuilder:
        """
        Builds what computes the part of a number, with what does not depend on it in `before`;
        returns what knows the part of each tile.
        """
        builder = self.start(number, before, inside)
        for op in self.ops:
            self.build_op(op, builder, inside)
        return builder

    def start(
        self, number: SSAValue, before: list[Operation], inside: list[Operation]
    ) -> PieceBuilder:
        """What builds the part of a number, with what is there without an op of the plan."""
        return PieceBuilder(self.pieces, number, before, inside, self.dims)

    def build_op(self, op: Operation, builder: PieceBuilder, ops: list[Operation]) -> None:
        """Builds the part of an op, and notes what its results are."""
        built = builder.build(op, self.dim_of(op), ops, builder.before)
        builder.values.update(zip(op.results, built.results, strict=True))

    def dim_of(self, op: Operation) -> int:
        """The dimension along which the results of an op are cut."""
        return next(self.dims[result] for result in op.results if result in self.dims)

    def build_root(self, builder: PieceBuilder) -> Operation:
        """Builds a part of the root."""
        root = self.root
        if isinstance(root, Store):
            return builder.build(root, self.root_dim, builder.head)
        operands = [builder.values.get(operand, operand) for operand in root.operands]
        return add_op(builder.head, copy_with(root, operands, root.result_types))


# Parts that strip-mining computes


def find_slice_plan(
    root: Operation, cut: Cut, pieces: int, *, in_order: bool = False
) -> StripPlan | None:
    """
    How to compute a root in this many parts, with its operands cut; `None` if there is no way.
    Parts that are computed `in_order`, each once, may depend on those before them, and have
    effects.
    """
    try:
        plan = StripPlan(root, dict(cut), pieces, in_order=in_order).find()
    except NotSliced:
        return None
    return plan if plan.has_whole_operands() and plan.is_consistent() else None


def instructions_per_element(op: Operation) -> int:
    """About how many instructions an element of the result of an elementwise op takes."""
    element = get_element(op.results[0].type)
    if is_pointer(element):
        return 0
    return INSTRUCTIONS.get(op.name, 1) * (DOUBLE if element_bit_width(element) == 64 else 1)


@dataclass
class Running:
    """What parts that are computed in order carry from one to the next."""

    is_first: SSAValue
    """Whether a part is the first one."""
    totals: dict[ScanOp, list[SSAValue]]
    """Of scans along the dimension that is cut: before a part, then behind it."""


@dataclass
class StripPlan(SlicePlan):
    """How a part of a root that is strip-mined is computed."""

    in_order: bool = False
    halves: dict[CatOp, list[StripPlan]] = field(
        default_factory=lambda: dict[CatOp, list[StripPlan]]()
    )
    """How both operands of a `cat` along the cut dimension are cut, in half as many parts."""
    pinned: Pinned | None = None
    """An access that other ops may be ordered behind. It is done in parts where it was."""

    @property
    def scans(self) -> list[ScanOp]:
        """The scans that are cut along their own axis."""
        return [
            op
            for op in self.ops
            if isinstance(op, ScanOp) and self.dims[op.results[0]] == op.get_axis()
        ]

    def is_consistent(self) -> bool:
        """
        Whether all scans along the cut dimension go in one direction, and neither they nor a `cat`
        along it are in the body of a loop, which is executed for each part; and nothing needs a
        tile as a whole that the root overwrites part by part.
        """
        bodies = {op.body.block for op in self.ops if isinstance(op, scf.ForOp)}
        scans = self.scans
        if self.pinned is not None and not self._can_do_in_pieces(self.pinned):
            return False
        if not all(map(self._is_needed_in_pieces, self._overwritten)):
            return False
        return len({is_in_reverse(op) for op in scans}) <= 1 and not any(
            op.parent in bodies for op in (*scans, *self.halves)
        )

    def _can_do_in_pieces(self, op: Pinned) -> bool:
        """
        Whether the loop can stand for a pinned access: nothing else needs its tile as a whole, and
        neither the root nor anything between them is ordered behind it.
        """
        if not self._is_needed_in_pieces(op):
            return False
        following = op.next_op
        while following is not None and following is not self.root:
            is_cut = following in self.ops or isinstance(following, BarrierOp)
            is_behind = op.result_token is not None and op.result_token in following.operands
            if is_behind or (not is_cut and effects_of(following) != Effect.NONE):
                return False
            following = following.next_op
        return following is self.root and self.root not in token_users(op)

    @property
    def _overwritten(self) -> list[Pinned]:
        """The loads of what the root overwrites: it is ordered behind them."""
        return [op for op in self.ops if isinstance(op, Pinned) and self.root in token_users(op)]

    def _is_needed_in_pieces(self, op: Operation) -> bool:
        """Whether nothing needs a result of an op, or what is computed from it, as a whole."""
        needed = {op: None}
        pending = [op]
        while pending:
            for result in pending.pop().results:
                if is_token(result.type):
                    continue
                for use in result.uses:
                    user = use.operation
                    if user is self.root:
                        continue
                    if user not in self.ops or self._is_whole(use):
                        return False
                    if user not in needed:
                        needed[user] = None
                        pending.append(user)
        return True

    def _is_whole(self, use: Use) -> bool:
        """Whether a part of an op has a whole tile as this operand."""
        dims = operand_dims(use.operation, self.dim_of(use.operation), self.pieces)
        return dims is not None and use.index not in dims

    def tiles_outside_dots(self) -> list[SSAValue]:
        """The tiles that are cut, but for operands of dots and what these are computed from."""
        inside: set[SSAValue] = set()
        for op in reversed(self.ops):
            if isinstance(op, DotOp):
                inside |= {op.a, op.b}
            elif isinstance(op, MmaFScaledOp):
                inside |= {op.lhs, op.rhs, op.lhs_scale, op.rhs_scale}
            elif inside.intersection(op.results):
                inside.update(op.operands)
        tiles = [value for value in self.dims if value not in inside]
        for half in self._all_halves():
            tiles += half.tiles_outside_dots()
        return tiles

    def _all_halves(self) -> Iterator[StripPlan]:
        return chain.from_iterable(self.halves.values())

    def elements(self, value: SSAValue) -> int:
        """The number of elements of a part."""
        for half in self._all_halves():
            if value in half.dims:
                return half.elements(value)
        return prod(get_shape(value.type)) // (self.pieces if value in self.dims else 1)

    def instructions(self) -> int:
        """About how many instructions the threads need for a part, all together."""
        count = sum(
            instructions_per_element(op) * self.elements(op.results[0])
            for op in self.ops
            if is_elementwise(op)
        )
        return count + sum(half.instructions() for half in self._all_halves())

    def keeps_dots(self, least: int) -> bool:
        """Whether no dot is cut to fewer rows or columns."""
        for op in self.ops:
            if isinstance(op, DotOp | MmaFScaledOp):
                shape = get_shape(op.result.type)
                dim = self.dims[op.result]
                if dim >= len(shape) - 2 and shape[dim] // self.pieces < min(least, shape[dim]):
                    return False
        return True

    def coarsened(self) -> StripPlan:
        """The same plan with a single part."""
        halves = {op: [half.coarsened() for half in each] for op, each in self.halves.items()}
        return replace(self, pieces=1, halves=halves)

    @override
    def require(self, value: SSAValue, dim: int) -> Sequence[tuple[SSAValue, int]]:
        owner = value.owner
        loop = owner if isinstance(owner, Operation) else owner.parent_op()
        if isinstance(loop, scf.ForOp):
            return self._require_carried(loop, value, dim)
        if isinstance(owner, CatOp) and dim == owner.dim.value.data:
            self._require_halves(owner, dim)
            return ()
        if isinstance(owner, ScanOp) and dim == owner.get_axis() and not self.in_order:
            raise NotSliced("parts of a scan depend on those before them")
        if isinstance(owner, Pinned) and not self._can_move(owner, dim):
            self._pin(owner)
        return super().require(value, dim)

    def _require_halves(self, op: CatOp, dim: int) -> None:
        """
        Adds a `cat` along the cut dimension: the first half of the parts are those of its first
        operand, the others those of its second one.
        """
        pieces = max(1, self.pieces // 2)
        halves = [find_slice_plan(op, {operand: dim}, pieces) for operand in op.operands]
        found = [half for half in halves if half is not None]
        if get_shape(op.lhs.type) != get_shape(op.rhs.type) or len(found) != len(halves):
            raise NotSliced("its halves cannot be cut alike")
        self.halves[op] = found
        self.add(op, dim)

    def _pin(self, op: Pinned) -> None:
        """Notes an access that may not be moved; there is at most one, in the block of the root."""
        if not self.in_order or self.pinned is not None or op.parent is not self.root.parent:
            raise NotSliced(f"'{op.name}' may not be moved")
        self.pinned = op

    def _can_move(self, load: Pinned, dim: int) -> bool:
        """
        Whether an access may be done in parts at the root: it is a load that nothing is ordered
        behind, or nothing but the root, which overwrites the same part of the same tile.
        """
        if own_effects(load) != Effect.READ:
            return False
        users = token_users(load)
        return not users or (users == {self.root} and self._is_overwritten(load, dim))

    def _is_overwritten(self, load: Pinned, dim: int) -> bool:
        root = self.root
        if not isinstance(load, TiledLoadOp) or not isinstance(root, TiledStoreOp):
            return False
        source, target = load.view.owner, root.view.owner
        return (
            self.cut.get(root.value) == dim
            and isinstance(source, BlockTileOp)
            and isinstance(target, BlockTileOp)
            and source.memref is target.memref
            and _without_padding(load.view_type) == _without_padding(root.view_type)
            and all(map(_is_same, load.indices, root.indices))
        )

    def _require_carried(
        self, loop: scf.ForOp, value: SSAValue, dim: int
    ) -> Sequence[tuple[SSAValue, int]]:
        """
        Adds a loop that carries a tile. The loop of a part does nothing but compute what it
        carries, so other effects in its body are in the way.
        """
        if loop not in self.ops and not all(map(_is_repeatable, loop.body.block.ops)):
            raise NotSliced("the loop may not be repeated")
        arguments = loop.body.block.args
        is_inside = isinstance(value.owner, Block)
        number = arguments.index(value) - 1 if is_inside else loop.results.index(value)
        self.dims[arguments[1 + number]] = self.dims[loop.results[number]] = dim
        following = last_of(loop.body.block).operands[number]
        self.ops[loop] = None
        return [(loop.iter_args[number], dim), (following, dim)]

    def has_whole_operands(self) -> bool:
        """
        Whether tiles that parts need as a whole can be had: in the body of a loop, none of them
        depends on one that is cut.
        """
        bodies = {op.body.block for op in self.ops if isinstance(op, scf.ForOp)}
        pending = [
            operand
            for op in self.ops
            if op.parent in bodies
            for operand in op.operands
            if operand not in self.dims
        ]
        for op in self.ops:
            if op.parent in bodies and not isinstance(op, scf.ForOp):
                dims = operand_dims(op, self.dim_of(op), self.pieces) or range(len(op.operands))
                pending += [each for at, each in enumerate(op.operands) if at not in dims]
        seen: set[SSAValue] = set()
        while pending:
            value = pending.pop()
            owner = value.owner
            if value in seen:
                continue
            seen.add(value)
            if value in self.dims:
                return False
            if isinstance(owner, Operation) and owner.parent in bodies:
                pending.extend(owner.operands)
            elif owner in bodies and isinstance(value.type, TensorType):
                return False
        return True

    # Building

    @override
    def build(
        self,
        number: SSAValue,
        before: list[Operation],
        inside: list[Operation],
        running: Running | None = None,
    ) -> PieceBuilder:
        builder = self.start(number, before, inside)
        bodies = {op.body.block for op in self.ops if isinstance(op, scf.ForOp)}
        for op in self.ops:
            if op.parent in bodies:
                continue
            self.build_op(op, builder, inside)
            if running is not None and op in running.totals:
                assert isinstance(op, ScanOp)
                scanned = [builder.values[result] for result in op.results]
                results, running.totals[op] = continue_scan(
                    op, scanned, running.totals[op], running.is_first, inside
                )
                builder.values.update(zip(op.results, results, strict=True))
        return builder

    @override
    def build_op(self, op: Operation, builder: PieceBuilder, ops: list[Operation]) -> None:
        if isinstance(op, scf.ForOp):
            self._build_loop(op, builder, ops)
        elif isinstance(op, CatOp) and op in self.halves:
            builder.values[op.result] = self._build_halves(op, builder)
        else:
            super().build_op(op, builder, ops)

    def _build_halves(self, op: CatOp, builder: PieceBuilder) -> SSAValue:
        """Builds a part of a `cat`, which is one of its first or of its second operand."""
        halves, number, before = self.halves[op], builder.number, builder.before
        count = add_op(before, arith.ConstantOp(IntegerAttr(halves[0].pieces, i32))).result
        is_first = add_op(builder.head, CmpiOp(number, count, "slt")).result
        regions: list[Region] = []
        for half, operand in zip(halves, op.operands, strict=True):
            ops: list[Operation] = []
            index = number if not regions else add_op(ops, arith.SubiOp(number, count)).result
            add_op(ops, scf.YieldOp(half.build(index, before, ops).values[operand]))
            for each in ops:
                each.location = op.location
            regions.append(Region(Block(ops)))
        ty = piece_type(op.result.type, self.dims[op.result], self.pieces)
        return add_op(builder.head, scf.IfOp(is_first, [ty], regions[0], regions[1])).results[0]

    def _build_loop(self, loop: scf.ForOp, builder: PieceBuilder, ops: list[Operation]) -> None:
        """Builds a loop over the same iterations that carries parts, and what is no tile."""
        block = loop.body.block
        kept = [
            index
            for index, result in enumerate(loop.results)
            if result in self.dims or not isinstance(result.type, TensorType)
        ]
        starts = [loop.iter_args[index] for index in kept]
        starts = [builder.values.get(start, start) for start in starts]
        body = Block(arg_types=[block.args[0].type, *(start.type for start in starts)])
        inside: list[Operation] = []
        inner = PieceBuilder(
            self.pieces, builder.number, inside, inside, self.dims, {**builder.values}
        )
        inner.values[block.args[0]] = body.args[0]
        for index, argument in zip(kept, body.args[1:], strict=True):
            inner.values[block.args[1 + index]] = argument
        for op in block.ops:
            if op in self.ops:
                self.build_op(op, inner, inside)
            elif not isinstance(op, scf.YieldOp) and self._has_all(op, block, inner.values):
                operands = [inner.get(operand) for operand in op.operands]
                built = add_op(inside, copy_with(op, operands, op.result_types))
                inner.values.update(zip(op.results, built.results, strict=True))
        ends = [last_of(block).operands[index] for index in kept]
        inside.append(scf.YieldOp(*(inner.values.get(end, end) for end in ends)))
        for op in inside:
            op.location = op.location or loop.location
        body.add_ops(inside)
        new = add_op(ops, scf.ForOp(loop.lb, loop.ub, loop.step, starts, Region(body)))
        for index, result in zip(kept, new.results, strict=True):
            builder.values[loop.results[index]] = result

    def _has_all(self, op: Operation, block: Block, values: Mapping[SSAValue, SSAValue]) -> bool:
        """Whether all operands of an op in the body of a loop are there as a whole."""
        return not any(
            operand in self.dims or (_is_defined_in(operand, block) and operand not in values)
            for operand in op.operands
        )


def _is_same(first: SSAValue, second: SSAValue) -> bool:
    """Whether two integers are one value, or equal constants."""
    known = integer_of(first)
    return first is second or (known is not None and known == integer_of(second))


def token_users(load: Pinned) -> set[Operation]:
    """What is ordered behind an access, but for what just joins tokens."""
    users: set[Operation] = set()
    pending = [] if load.result_token is None else [load.result_token]
    while pending:
        for use in pending.pop().uses:
            if isinstance(use.operation, JoinMemTokenOp):
                pending.append(use.operation.result)
            else:
                users.add(use.operation)
    return users


def _without_padding(view: TiledViewType) -> TiledViewType:
    """The view without what it reads outside of the tensor."""
    return TiledViewType(
        view.get_tile_shape(),
        view.memref,
        view.get_dim_map(),
        view.get_steps(),
        sparse_dim=view.get_sparse_dim(),
    )


def _is_repeatable(op: Operation) -> bool:
    """Whether an op may be done once more for each part, in a loop of its own."""
    if isinstance(op, scf.YieldOp) or is_side_effect_free(op):
        return True
    return (
        isinstance(op, TiledLoadOp | LoadOp)
        and own_effects(op) == Effect.READ
        and not token_users(op)
    )


def _is_defined_in(value: SSAValue, block: Block) -> bool:
    owner = value.owner
    return owner is block or (isinstance(owner, Operation) and owner.parent is block)
