"""
Slices epilogues: values that are computed from an accumulator in tensor memory are computed and
stored some columns at a time.

Before:  %d = scf.for … -> (tensor<128x256xf32>) { … nv_tileas.dot … {atom = mma.sm100} }
         %e = nv_tileaa.mulf %d, %s : tensor<128x256xf32>
         nv_tileas.store %pointers, %e : …
After:   %d = scf.for …
         %d0 = nv_tileaa.extract %d[%c0, %c0] {nv_tileas.layout = …} … -> tensor<128x128xf32>
         %e0 = nv_tileaa.mulf %d0, %s0 : tensor<128x128xf32>
         nv_tileas.store %pointers0, %e0 : …
         %d1 = nv_tileaa.extract %d[%c0, %c1] … and so on
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from math import prod

from typing_extensions import override
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, UnitAttr, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from tileiras_xdsl.analysis.memory_order import is_invariant
from tileiras_xdsl.analysis.slices import reachable
from tileiras_xdsl.analysis.tensor_memory_layouts import choose_row_grid, row_layout
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import AtomicRMWOp
from tileiras_xdsl.dialects.nv_tileaa.shape import ExtractOp
from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05
from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT, SLICED
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import StoreOp, TiledLoadOp, TiledStoreOp
from tileiras_xdsl.dialects.nv_tileas.shape import ViewOp
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.targets.machine import WARP_THREADS, WARPGROUP_WARPS
from tileiras_xdsl.targets.tcgen05 import SLICE_REGISTERS
from tileiras_xdsl.transforms.common.kernel_spec import get_warps, kernels
from tileiras_xdsl.transforms.tileaa.tile_slices import NotSliced, SlicePlan
from tileiras_xdsl.transforms.tileaa.tiling import (
    PieceBuilder,
    add_op,
    find_same_rows,
    piece_type,
)
from tileiras_xdsl.transforms.tileaa.uplift_while_to_for import erase_dead
from tileiras_xdsl.xdsl_extras.walking import find_all, integer_of, last_of

from .kernel_model.layout_rules import set_anchor_layout

Root = StoreOp | AtomicRMWOp | TiledStoreOp
COLUMNS = 1
"""The dimension of an accumulator that is cut."""


@dataclass(frozen=True)
class TileasSliceEpiloguesPass(ModulePass):
    """
    Slices the epilogues of accumulators in tensor memory. A thread reads a row of an accumulator,
    or half of one, into registers: 128 of them, beside which there are results, and addresses and
    masks of what it stores. In slices of 64 registers there is room for these.

    Each store or atomic is done in slices where it was, so the order of accesses stays; what it
    stores is computed by elementwise ops from accumulators, ranges, scalars and tiles that are
    loaded, also in slices, and nothing else needs it. The buffer from which TMA stores a slice is
    smaller than that of a tile, and all slices share it.
    """

    name = "tileas-slice-epilogues"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernels(op):
            if any(map(is_tcgen05, find_all(function, DotOp))):
                slice_epilogues(function)


def slice_epilogues(function: FuncOp) -> None:
    """Slices the epilogues of a kernel."""
    changed = False
    for root in find_all(function, StoreOp, AtomicRMWOp, TiledStoreOp):
        if SLICED.is_on(root):
            continue
        try:
            slicing = find_slicing(function, root)
        except NotSliced as reason:
            text = "the epilogue of an accumulator is not sliced"
            remark(root, "Missed", "Resources", text, reason=str(reason))
            continue
        if slicing is not None:
            slicing.apply()
            changed = True
    if changed:
        erase_dead(function.walk())


def find_slicing(function: FuncOp, root: Root) -> Slicing | None:
    """
    How a root is sliced; None if it does not come from an accumulator, or that has few columns.
    Raises `NotSliced` if it ought to be and cannot.
    """
    accumulators = find_accumulators(root.value)
    if not accumulators:
        return None
    threads = get_warps(function) * WARP_THREADS
    registers = max(prod(get_shape(each.type)) for each in accumulators) // threads
    pieces = registers // SLICE_REGISTERS
    if pieces <= 1:
        return None
    slicing = Slicing(root, {}, pieces, function=function, accumulators=accumulators)
    dim = slicing.find_dim(root.value)
    if isinstance(root, AtomicRMWOp) and any(root.result.uses):
        raise NotSliced("what the atomic reads is used")
    if root.token is not None or root.result_token is not None:
        raise NotSliced("it is ordered with other accesses")
    slicing.cut = {value: dim for value in root.operands if isinstance(value.type, TensorType)}
    slicing.find()
    slicing.check_uses()
    return slicing


def find_accumulators(value: SSAValue) -> list[SSAValue]:
    """The accumulators in tensor memory from which a tile is computed by ops without effects."""
    found: dict[SSAValue, None] = {}
    pending, seen = [value], set[SSAValue]()
    while pending:
        each = pending.pop()
        if each in seen or not isinstance(each.type, TensorType):
            continue
        seen.add(each)
        if is_accumulator(each):
            found[each] = None
        elif isinstance(each.owner, Operation) and not each.owner.regions:
            pending.extend(each.owner.operands)
    return list(found)


def is_accumulator(value: SSAValue) -> bool:
    """Whether a tile is the result of a dot by `tcgen05`, or what a loop leaves of one."""
    owner = value.owner
    while isinstance(owner, scf.ForOp):
        value = last_of(owner.body.block).operands[owner.results.index(value)]
        owner = value.owner
    return isinstance(owner, DotOp) and is_tcgen05(owner)


@dataclass
class Slicing(SlicePlan):
    """How a root, and what it depends on, is done in slices of accumulators."""

    _: KW_ONLY
    function: FuncOp
    accumulators: Sequence[SSAValue]

    def find_dim(self, value: SSAValue) -> int:
        """The dimension of a tile that the columns of accumulators become."""
        if value in self.accumulators:
            return COLUMNS
        rank = len(get_shape(value.type))
        for dim in range(rank):
            if get_shape(value.type)[dim] % self.pieces == 0 and self._leads_to_columns(value, dim):
                return dim
        raise NotSliced("the columns of the accumulator are no dimension of the stored tile")

    def _leads_to_columns(self, value: SSAValue, dim: int) -> bool:
        def follow(cut: tuple[SSAValue, int]) -> Sequence[tuple[SSAValue, int]]:
            value, dim = cut
            if value in self.accumulators or not isinstance(value.owner, Operation):
                return ()
            return self.needed_pieces(value.owner, dim) or ()

        return any(
            each in self.accumulators and along == COLUMNS
            for each, along in reachable([(value, dim)], follow)
        )

    @override
    def needed_pieces(self, op: Operation, dim: int) -> Sequence[tuple[SSAValue, int]] | None:
        if isinstance(op, TiledLoadOp):
            if not is_plain_load(op) or op.token is not None or op.result_token is not None:
                return None
        elif not is_side_effect_free(op) or op.regions:
            return None
        if isinstance(op, ViewOp):
            source, result = get_shape(op.source.type), get_shape(op.result.type)
            along = find_same_rows(source, result, dim)
            if along is None or source[along] != result[dim]:
                return None
        return super().needed_pieces(op, dim)

    @override
    def require(self, value: SSAValue, dim: int) -> Sequence[tuple[SSAValue, int]]:
        if value not in self.accumulators:
            return super().require(value, dim)
        if dim != COLUMNS:
            raise NotSliced("an accumulator is needed by rows")
        self.dims[value] = dim
        return ()

    def check_uses(self) -> None:
        """Raises `NotSliced` if something else needs what is computed from accumulators."""
        inside = {*self.ops, self.root}
        computed = set(self.accumulators)
        for op in self.ops:
            if not computed.intersection(op.operands):
                continue
            computed.update(op.results)
            for use in (use for result in op.results for use in result.uses):
                if use.operation not in inside:
                    raise NotSliced(f"'{use.operation.name}' needs '{op.name}' as a whole")

    def apply(self) -> None:
        """Does the root in slices."""
        root = self.root
        assert isinstance(root, Root)
        remark(
            root,
            "Passed",
            "Resources",
            f"the epilogue that stores '{root.value.type}' is computed in {self.pieces} slices of "
            "the columns of its accumulator",
        )
        for number in range(self.pieces):
            ops: list[Operation] = []
            index = add_op(ops, arith.ConstantOp(IntegerAttr(number, i32))).result
            piece = self.build_root(self.build(index, ops, ops))
            assert isinstance(piece, Root)
            SLICED.set(piece, UnitAttr())
            for op in ops:
                op.location = op.location or root.location
            Rewriter.insert_op(ops, InsertPoint.before(root))
        Rewriter.erase_op(root)

    @override
    def start(
        self, number: SSAValue, before: list[Operation], inside: list[Operation]
    ) -> PieceBuilder:
        builder = super().start(number, before, inside)
        for value in self.accumulators:
            if value in self.dims:
                builder.values[value] = self._extract(value, number, inside)
        return builder

    @override
    def build_op(self, op: Operation, builder: PieceBuilder, ops: list[Operation]) -> None:
        if not isinstance(op, TiledLoadOp) or is_invariant(op):
            super().build_op(op, builder, ops)
            return
        # It stays where the load is: slices that are stored before may be the same memory.
        known = integer_of(builder.number)
        assert known is not None
        early: list[Operation] = []
        number = add_op(early, arith.ConstantOp(IntegerAttr(known, i32))).result
        super().build_op(
            op, PieceBuilder(self.pieces, number, early, early, self.dims, builder.values), early
        )
        for each in early:
            each.location = op.location
        Rewriter.insert_op(early, InsertPoint.before(op))

    def _extract(self, value: SSAValue, number: SSAValue, ops: list[Operation]) -> SSAValue:
        """The columns of an accumulator, as threads read them from tensor memory."""
        zero = add_op(ops, arith.ConstantOp(IntegerAttr(0, i32))).result
        ty = piece_type(value.type, COLUMNS, self.pieces)
        extract = add_op(ops, ExtractOp(value, [zero, number], ty))
        shape = get_shape(ty)
        grid = choose_row_grid(shape, get_warps(self.function) // WARPGROUP_WARPS)
        layout = row_layout(shape, grid)
        assert layout is not None
        set_anchor_layout(extract, LAYOUT, layout)
        return extract.result
