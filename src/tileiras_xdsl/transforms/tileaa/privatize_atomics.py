"""
Privatizes atomics: each CTA combines what it updates in shared memory, and updates global memory
when it ends.

Before:  %x = gpu.block_id x
         … index of tile block %x …
         %p = nv_tileaa.addptr %base, %index {elem_type = i32} : …
         nv_tileaa.atomic_rmw %p, %ones mask(%index < %n) {rmw_mode = "add", …relaxed…} : …
After:   %private = arith.andi (%n is at most 4096), (many updates for each element)
         %copy = nv_tileaa.alloca {num_elem = 4096, elem_type = i32, …} : !llvm.ptr<3>
         if %private, and the block id is less than %ctas: zeros to %copy, barrier
         scf.for %x = block_id x to %rest step 4 * %ctas {      // never if it is not %private
           … indices of tile blocks %x, %x + %ctas, … : four loads are in flight
           nv_tileaa.atomic_rmw %copy + %index, %ones mask(%index < %n) …      // of scope tl_blk
           …
         }
         scf.for %x = %rest to grid_dim x step %ctas {          // once if it is not %private
           … index of tile block %x …
           scf.if %private {
             nv_tileaa.atomic_rmw %copy + %index, %ones mask(%index < %n) …
           } else {
             nv_tileaa.atomic_rmw %p, %ones mask(%index < %n) …
           }
         }
         if %private, and the block id is less than %ctas: barrier, and elements of %copy that are
         not zero are added to those of %base

One tile updates too few elements for a copy of its own to pay, so %ctas CTAs share the work of all
tile blocks with the same y and z, and the others have no iteration. That is correct for any number
of CTAs. Whether it pays is decided by the grid and the size of the array when the kernel starts,
and the same way in all CTAs.

Atomics that add nothing are left out, so memory that the program does not touch is not touched.
Which atomics may be privatized is said in `analysis/privatization.py`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from typing import TypeVar

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.gpu import DimensionAttr, DimensionEnum, FuncOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.analysis.axis_info_analysis import analyze
from tileiras_xdsl.analysis.privatization import (
    ELEMENT_BITS,
    Bound,
    Constant,
    PrivateAtomics,
    Scalar,
    find_private_atomics,
    find_uniform_scalars,
    is_scattered,
)
from tileiras_xdsl.dialects.arith import CmpiOp, IndexCastOp
from tileiras_xdsl.dialects.gpu import BarrierOp, BlockIdOp, GridDimOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC, PRIVATIZED, UNROLLED
from tileiras_xdsl.dialects.nv_tileaa.elementwise import AddIOp, CmpIOp
from tileiras_xdsl.dialects.nv_tileaa.memory import (
    AddPtrOp,
    AllocaOp,
    AtomicRMWOp,
    CreateMemTokenOp,
)
from tileiras_xdsl.dialects.nv_tileaa.shape import MakeRangeOp, SplatOp
from tileiras_xdsl.dialects.nv_tileaa.types import MEM_TOKEN, MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import (
    BlockTileOp,
    MakeMemrefOp,
    TiledLoadOp,
    TiledStoreOp,
)
from tileiras_xdsl.dialects.nv_tileas.decisions import NUM_WARPS
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.targets.choices import PRIVATIZED_OPS
from tileiras_xdsl.targets.target import Privatization
from tileiras_xdsl.transforms.common.kernel_spec import get_target, kernels, set_warps
from tileiras_xdsl.xdsl_extras.walking import find_all, last_of, walk

from .discharge_mem_tokens import TokenOrder

OpT = TypeVar("OpT", bound=Operation)

SHARED_POINTER = LLVMPointerType(IntAttr(3))
ALIGNMENT = 4
"""
Of the copy, one element: vectors of it would have neighbouring lanes update elements of the array
that are not neighbours, so that one instruction would touch four times as many sectors.
"""
MOST_BLOCKS = 1 << 30
"""Block ids plus a step do not overflow."""


@dataclass(frozen=True)
class PrivatizeAtomicsPass(ModulePass):
    """
    Combines atomics on integers in shared memory where their indices are bounded, few CTAs share
    the work, and each of them updates elements several times. All other kernels are unchanged;
    scattered atomics that stay say why.

    - compute-capability: `sm_90`, `sm_90a`, `90` or `9.0`; the module's attribute
      `nv_tileaa.compute_capability` if it is not given, else sm_80.
    - ctas: how many CTAs share the work; as many as suit the GPU without it.
    - copy-bytes: of the copy at most; as many as suit the GPU without it.
    """

    name = "privatize-atomics"

    compute_capability: str | int | float | None = None
    ctas: int | None = None
    copy_bytes: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = get_target(op, self.compute_capability)
        rules = target.privatization
        most_bytes = min(self.copy_bytes or rules.bytes, target.shared.static // 2)
        rules = replace(rules, bytes=most_bytes)
        ctas = self.ctas or rules.ctas * target.rates.sm_count
        for function in kernels(op):
            atomics = find_all(function, AtomicRMWOp)
            if function.kernel is not None and any(map(is_scattered, atomics)):
                privatize(function, rules, ctas)


def privatize(function: FuncOp, rules: Privatization, ctas: int) -> None:
    """Privatizes the atomics of a kernel, or says at each of them why not."""
    uniform = find_uniform_scalars(function)
    largest = find_largest(rules)
    order = TokenOrder(function)

    def followers(op: Operation) -> list[Operation]:
        later = order.after.get(op, 0)
        return [each for each in order.effects if later & order.bit[each]]

    found = find_private_atomics(function, analyze(function), uniform, followers, largest)
    if isinstance(found, PrivateAtomics):
        PrivateCopy(function, found, rules, ctas).build(uniform)
        spec = KERNEL_SPEC.get(function)
        if not NUM_WARPS.is_on(function) and (spec is None or "num_warps" not in spec.get_fields()):
            set_warps(function, rules.warps)
    elif found is not None:
        for op in walk(function):
            if is_scattered(op):
                text = f"every update of the atomic goes to global memory: {found}"
                remark(op, "Missed", "Memory", text)


def find_largest(rules: Privatization) -> int:
    """How many elements a copy has at most, a power of two."""
    return 1 << (rules.bytes * 8 // ELEMENT_BITS).bit_length() - 1


class PrivateCopy:
    """Rewrites a kernel so that atomics update a copy in shared memory first."""

    def __init__(self, function: FuncOp, atomics: PrivateAtomics, rules: Privatization, ctas: int):
        self.function = function
        self.atomics = atomics
        self.rules = rules
        self.ctas = ctas
        self.element = atomics.element
        self.size = find_largest(rules)
        known = [bound.value for bound in atomics.bounds if isinstance(bound, Constant)]
        if len(known) == len(atomics.bounds):
            self.size = 1 << max(known).bit_length()
        tile = max(prod(get_shape(op.value.type)) for op in atomics.ops)
        self.piece = min(self.size, tile)
        """Elements that are initialized, or added to the array, at once."""
        self.builder = Builder(InsertPoint.at_end(function.body.block))
        self.checks: list[SSAValue] = []
        """What has to hold for bounds."""

    def build(self, uniform: set[Operation]) -> None:
        """Puts everything that depends on the tile block into a loop."""
        block = self.function.body.block
        last = last_of(block)
        inside = [op for op in block.ops if op not in uniform and op is not last]
        self.builder.insertion_point = InsertPoint.before(last)
        body = Block(arg_types=[i32])
        for op in inside:
            op.detach()
        body.add_ops(inside)
        number, count = self._block_id(), self._as_i32(self._grid_dim(DimensionEnum.X))
        extent = self._extent()
        ctas = self._count_ctas(count)
        is_private = self._decide(count, ctas, extent)
        has_work = self._add(CmpiOp(number, ctas, "ult")).result
        is_used = self._add(arith.AndIOp(is_private, has_work)).result
        base, view = self._make_copy()
        pieces = self._count_pieces(extent)
        token = self._initialize(is_used, view, pieces)
        one = self._constant(1, i32)
        next_number = self._add(arith.AddiOp(number, one)).result
        # Others have no iteration; without a copy all have one.
        end = self._add(arith.SelectOp(has_work, count, number)).result
        end = self._add(arith.SelectOp(is_private, end, next_number)).result
        step = self._add(arith.SelectOp(is_private, ctas, one)).result
        body.add_op(self._located(scf.YieldOp()))
        for op in [op for op in body.walk() if isinstance(op, BlockIdOp)]:
            if op.dimension.data == DimensionEnum.X:
                cast = IndexCastOp(body.args[0], IndexType())
                cast.location = op.location
                Rewriter.replace_op(op, cast)
        first = number
        if (tiles := self._count_tiles(body)) > 1:
            first = self._add_main_loop(body, tiles, (number, end, ctas, is_used), base, token)
        for op in self.atomics.ops:
            self._update_either(op, is_private, base, token)
        UNROLLED.set(self._add(scf.ForOp(first, end, step, [], Region(body))), UnitAttr())
        self._finish(is_used, view, pieces, token)

    def _count_tiles(self, body: Block) -> int:
        """How many tile blocks an iteration of the main loop works on."""
        if any(op.parent_block() is not body for op in self.atomics.ops):
            return 1
        num_ops = sum(1 for _ in body.walk())
        return max(1, min(self.rules.elements // self.atomics.updates, PRIVATIZED_OPS // num_ops))

    def _add_main_loop(
        self,
        body: Block,
        tiles: int,
        bounds: tuple[SSAValue, SSAValue, SSAValue, SSAValue],
        base: SSAValue,
        token: SSAValue,
    ) -> SSAValue:
        """
        A loop over several tile blocks at a time, so that their loads are in flight together; the
        number of the first one that is left.
        """
        number, end, ctas, is_used = bounds
        step = self._add(arith.MuliOp(ctas, self._constant(tiles, i32))).result
        then, otherwise = Block(), Block()
        with self._at_end_of(then):
            count = self._add(arith.SubiOp(end, number))
            count = self._add(arith.DivUIOp(count, step))
            length = self._add(arith.MuliOp(count, step))
            self._add(scf.YieldOp(self._add(arith.AddiOp(number, length))))
        with self._at_end_of(otherwise):
            self._add(scf.YieldOp(number))
        branch = self._add(scf.IfOp(is_used, [i32], Region(then), Region(otherwise)))
        rest = branch.results[0]
        main = Block(arg_types=[i32])
        copies: list[dict[SSAValue, SSAValue]] = []
        with self._at_end_of(main):
            for tile in range(tiles):
                moved = self._add(arith.MuliOp(ctas, self._constant(tile, i32)))
                place = self._add(arith.AddiOp(main.args[0], moved)).result
                # What has a token of an atomic does not touch what that updates.
                tokens = {op.results[1]: token for op in self.atomics.ops}
                copies.append({body.args[0]: place, **tokens})
            # All loads before any op that waits for one.
            for op in body.ops:
                if op not in self.atomics.ops and op is not body.last_op:
                    for values in copies:
                        self.builder.insert(op.clone(value_mapper=values))
            for values in copies:
                for op in self.atomics.ops:
                    self._update_copy(op, base, token, values)
            self._add(scf.YieldOp())
        UNROLLED.set(self._add(scf.ForOp(number, rest, step, [], Region(main))), UnitAttr())
        return rest

    # Ops

    def _located(self, op: OpT) -> OpT:
        op.location = self.atomics.ops[0].location
        return op

    def _add(self, op: OpT) -> OpT:
        return self.builder.insert(self._located(op))

    def _constant(self, number: int, ty: IntegerType) -> SSAValue:
        return self._add(arith.ConstantOp(IntegerAttr(number, ty))).result

    def _grid_dim(self, dimension: DimensionEnum) -> SSAValue:
        return self._add(GridDimOp(DimensionAttr(dimension))).results[0]

    def _block_id(self) -> SSAValue:
        return self._as_i32(self._add(BlockIdOp(DimensionAttr(DimensionEnum.X))).results[0])

    def _as_i32(self, value: SSAValue) -> SSAValue:
        return self._add(IndexCastOp(value, i32)).result

    def _splat(self, value: SSAValue) -> SSAValue:
        return self._add(SplatOp(value, TensorType(value.type, [self.piece]))).result

    # Whether it pays

    def _extent(self) -> SSAValue:
        """How many elements from the base on may be updated, if the checks hold."""
        bounds = [self._emit(bound) for bound in self.atomics.bounds]
        most = bounds[0]
        for each in bounds[1:]:
            most = self._add(arith.MaxUIOp(most, each)).result
        return self._add(arith.AddiOp(most, self._constant(1, i64))).result

    def _emit(self, bound: Bound) -> SSAValue:
        match bound:
            case Constant():
                return self._constant(bound.value, i64)
            case Scalar():
                value = bound.value
                if value.type != i64:
                    kind = arith.ExtUIOp if bound.is_limit else arith.ExtSIOp
                    value = self._add(kind(value, i64)).result
                if bound.is_limit:
                    value = self._add(arith.SubiOp(value, self._constant(1, i64))).result
            case _:
                first, second = self._emit(bound.first), self._emit(bound.second)
                kind = arith.MuliOp if bound.is_product else arith.AddiOp
                value = self._add(kind(first, second)).result
        size = self._constant(self.size, i64)
        self.checks.append(self._add(CmpiOp(value, size, "ult")).result)
        return value

    def _count_ctas(self, count: SSAValue) -> SSAValue:
        """
        How many CTAs with the same y and z share the work. Most grids have one dimension; those
        CTAs that have no work end the sooner without a division.
        """
        rows = [self._as_i32(self._grid_dim(each)) for each in (DimensionEnum.Y, DimensionEnum.Z)]
        # Each is less than 2^16, but their product may be more than a signed integer holds.
        row_count = self._add(arith.MuliOp(rows[0], rows[1])).result
        one = self._constant(1, i32)
        has_rows = self._add(CmpiOp(row_count, one, "ne")).result
        then, otherwise = Block(), Block()
        with self._at_end_of(then):
            share = self._add(arith.DivUIOp(self._constant(self.ctas, i32), row_count))
            self._add(scf.YieldOp(self._add(arith.MaxUIOp(share, one))))
        with self._at_end_of(otherwise):
            self._add(scf.YieldOp(self._constant(self.ctas, i32)))
        branch = self._add(scf.IfOp(has_rows, [i32], Region(then), Region(otherwise)))
        share = branch.results[0]
        return self._add(arith.MinUIOp(share, count)).result

    def _decide(self, count: SSAValue, ctas: SSAValue, extent: SSAValue) -> SSAValue:
        """Whether the copies hold all that is updated, and are updated often enough."""
        wide_count, wide_ctas = (self._add(arith.ExtUIOp(v, i64)).result for v in (count, ctas))
        updates = self._constant(self.atomics.updates, i64)
        all_updates = self._add(arith.MuliOp(wide_count, updates)).result
        elements = self._add(arith.MuliOp(wide_ctas, extent)).result
        all_updates = self._add(
            arith.MuliOp(all_updates, self._constant(self.rules.additions, i64))
        ).result
        result = self._add(CmpiOp(elements, all_updates, "ule")).result
        is_small = self._add(CmpiOp(count, self._constant(MOST_BLOCKS, i32), "ule")).result
        for check in (is_small, *self.checks):
            result = self._add(arith.AndIOp(result, check)).result
        return result

    # The copy

    def _make_copy(self) -> tuple[SSAValue, SSAValue]:
        """Shared memory, and a view of its parts."""
        alloca = AllocaOp.create(
            result_types=[SHARED_POINTER],
            properties={
                "num_elem": IntegerAttr(self.size, i64),
                "alignment": IntegerAttr(ALIGNMENT, i64),
                "elem_type": self.element,
            },
        )
        text = (
            f"atomics update a copy of up to {self.size} elements in shared memory first, in "
            f"{self.ctas} CTAs, where that makes at most {self.rules.additions} additions to "
            "global memory of each update"
        )
        PRIVATIZED.set(alloca, UnitAttr())
        self._add(alloca)
        remark(alloca, "Passed", "Memory", text)
        memref = self._add(
            MakeMemrefOp(alloca.result, [], [], MemRefType(self.element, [self.size], [1]))
        )
        view = self._add(
            BlockTileOp(memref.result, TiledViewType([self.piece], memref.result.type))
        )
        return alloca.result, view.result

    @contextmanager
    def _at_end_of(self, block: Block) -> Generator[None]:
        """Moves the insertion point to the end of a block, for the body of a `with`."""
        outer = self.builder.insertion_point
        self.builder.insertion_point = InsertPoint.at_end(block)
        yield
        self.builder.insertion_point = outer

    def _count_pieces(self, extent: SSAValue) -> SSAValue:
        """How many parts of the copy may be updated."""
        rest, size = self._constant(self.piece - 1, i64), self._constant(self.piece, i64)
        count = self._add(arith.AddiOp(extent, rest))
        count = self._add(arith.DivUIOp(count, size))
        count = self._add(arith.MinUIOp(count, self._constant(self.size // self.piece, i64)))
        return self._add(arith.TruncIOp(count, i32)).result

    def _initialize(self, is_used: SSAValue, view: SSAValue, pieces: SSAValue) -> SSAValue:
        """Fills the copy with what changes nothing; a token that comes after that."""
        token = self._add(CreateMemTokenOp()).result
        body = Block(arg_types=[i32, MEM_TOKEN])
        with self._at_end_of(body):
            value = self._splat(self._constant(self.atomics.identity, self.element))
            number, before = body.args
            store = self._add(TiledStoreOp(value, view, [number], mask=None, token=before))
            self._add(scf.YieldOp(*store.results))
        then, otherwise = Block(), Block()
        with self._at_end_of(then):
            zero, one = self._constant(0, i32), self._constant(1, i32)
            loop = self._add(scf.ForOp(zero, pieces, one, [token], Region(body)))
            self._add(BarrierOp())
            self._add(scf.YieldOp(*loop.results))
        with self._at_end_of(otherwise):
            self._add(scf.YieldOp(token))
        branch = scf.IfOp(is_used, [MEM_TOKEN], Region(then), Region(otherwise))
        return self._add(branch).results[0]

    def _update_either(
        self, op: AtomicRMWOp, is_private: SSAValue, base: SSAValue, token: SSAValue
    ) -> None:
        """An atomic updates the copy, or does what it did."""
        then, otherwise = Block(), Block()
        branch = scf.IfOp(is_private, [MEM_TOKEN], Region(then), Region(otherwise))
        branch.location = op.location
        Rewriter.insert_op(branch, InsertPoint.before(op))
        assert op.result_token is not None
        op.result_token.replace_all_uses_with(branch.results[0])
        op.detach()
        with self._at_end_of(then):
            self._add(scf.YieldOp(self._update_copy(op, base, token, {})))
        otherwise.add_ops([op, self._located(scf.YieldOp(op.result_token))])

    def _update_copy(
        self,
        op: AtomicRMWOp,
        base: SSAValue,
        token: SSAValue,
        values: Mapping[SSAValue, SSAValue],
    ) -> SSAValue:
        """An atomic on the copy like another one, with other values for some; its token."""
        pointers = op.pointer.owner
        assert isinstance(pointers, AddPtrOp)
        offset, value = (values.get(each, each) for each in (pointers.offset, op.value))
        mask = None if op.mask is None else values.get(op.mask, op.mask)
        bases = SplatOp(base, TensorType(base.type, get_shape(op.pointer.type)))
        moved = AddPtrOp(self._add(bases), offset, elem_type=pointers.elem_type)
        return self._update(self._add(moved).result, value, mask, token, "tl_blk")

    def _update(
        self,
        pointer: SSAValue,
        value: SSAValue,
        mask: SSAValue | None,
        token: SSAValue,
        scope: str,
        semantic: str = "relaxed",
    ) -> SSAValue:
        """An atomic of the same kind; its token."""
        op = AtomicRMWOp(
            pointer,
            value,
            mask,
            token,
            rmw_mode=self.atomics.mode,
            mem_semantic=semantic,
            mem_scope=scope,
        )
        return self._add(op).results[1]

    def _finish(self, is_used: SSAValue, view: SSAValue, pieces: SSAValue, token: SSAValue) -> None:
        """
        Updates the array by the elements of the copy that have changed, once all threads have
        updated the copy: a barrier says so, as tokens of atomics in loops do not leave these.
        """
        tile = TensorType(self.element, [self.piece])
        body = Block(arg_types=[i32])
        with self._at_end_of(body):
            (number,) = body.args
            value = self._add(TiledLoadOp(view, [number], token=token, result_type=tile)).result
            nothing = self._splat(self._constant(self.atomics.identity, self.element))
            changed = CmpIOp(value, nothing, comparison_predicate="not_equal")
            mask = self._add(changed).result
            piece = self._constant(self.piece, i32)
            start = self._splat(self._add(arith.MuliOp(number, piece)).result)
            first = self._constant(0, i32)
            numbers = MakeRangeOp(first, piece, TensorType(i32, [self.piece]))
            index = AddIOp(start, self._add(numbers))
            bases = self._splat(self.atomics.base)
            pointers = AddPtrOp(bases, self._add(index), elem_type=self.element)
            order = self.atomics.scope, self.atomics.semantic
            self._update(self._add(pointers).result, value, mask, token, *order)
            self._add(scf.YieldOp())
        then = Block()
        with self._at_end_of(then):
            self._add(BarrierOp())
            zero, one = self._constant(0, i32), self._constant(1, i32)
            self._add(scf.ForOp(zero, pieces, one, [], Region(body)))
            self._add(scf.YieldOp())
        self._add(scf.IfOp(is_used, [], Region(then)))
