"""
Tiles in memory: what cannot be computed part by part where it is used is stored as a whole first.

Before:  %x, %t1 = nv_tileaa.tiled_load %v[%i] token(%t0) : … -> tensor<1048576xf32>, …
         %t2 = nv_tileaa.tiled_store %y, %v[%j] token(%t1) : …        // comes after all of the load
         … %x …
After:   %p = nv_tileaa.alloca {num_elem = 1048576, global, …} : !llvm.ptr<1>
         %m = a memref at %p, and %w a view of it as one tile
         %x, %t1 = nv_tileaa.tiled_load %v[%i] token(%t0) : …
         %t3 = nv_tileaa.tiled_store %x, %w[%c0] token(%t) : …
         %x2 = nv_tileaa.tiled_load %w[%c0] token(%t3) : …
         %t2 = nv_tileaa.tiled_store %y, %v[%j] token(%t1) : …
         … %x2 …

Then `strip-mine-tiles` cuts the store together with what it stores, and the load together with what
needs it, so that the tile exists in memory only. The memory is that of `nv_tileaa.alloca` in global
memory: the heap of the device, on which each CTA has its own for as long as it runs.

Tiles that loops carry have memory for two: an iteration reads one and writes the other.

| tile of | is stored | is loaded |
| --- | --- | --- |
| an op | behind it | behind that |
| `scf.if` | in both branches | behind the op |
| `scf.for` | before the loop, and at the end of the body | in the body, and behind the loop |
| `scf.while` | where it is passed on | in the regions, and behind the loop |

No token orders a store behind loads of an earlier iteration of a loop around it, so a barrier does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    IntAttr,
    IntegerAttr,
    TensorType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.gpu import BarrierOp
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    get_element,
    get_shape,
    is_pointer,
    with_shape,
)
from tileiras_xdsl.dialects.nv_tileaa.elementwise import IntToPtrOp, PtrToIntOp
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp, CreateMemTokenOp, enclosing_function
from tileiras_xdsl.dialects.nv_tileaa.shape import ViewOp
from tileiras_xdsl.dialects.nv_tileaa.types import (
    GLOBAL_SPACE,
    MEM_TOKEN,
    MemRefType,
    TiledViewType,
)
from tileiras_xdsl.dialects.nv_tileaa.views import (
    BlockTileOp,
    MakeMemrefOp,
    TiledLoadOp,
    TiledStoreOp,
)
from tileiras_xdsl.dialects.scf import WhileOp
from tileiras_xdsl.dialects.tileiras import remark
from tileiras_xdsl.xdsl_extras.walking import condition_of, last_of

ALIGNMENT = 16
"""Of the memory of a tile: the widest access of a thread."""

IsTooLarge = Callable[[SSAValue], bool]


@dataclass
class TileMemory:
    """Memory of a CTA for tiles of a type, one behind the other."""

    type: Attribute
    """Of the tile."""
    view: SSAValue
    zero: SSAValue
    token: SSAValue
    """Nothing comes before it."""

    @staticmethod
    def of(value: SSAValue, like: Operation, count: int = 1) -> TileMemory:
        """Memory for tiles like a value, at the start of the function around an op."""
        function = enclosing_function(like)
        assert isinstance(function, FuncOp)
        stored = _stored_type(value.type)
        shape, element = get_shape(stored), get_element(stored)
        whole = (count * shape[0], *shape[1:])
        strides = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
        alloca = AllocaOp.create(
            result_types=[LLVMPointerType(IntAttr(GLOBAL_SPACE))],
            properties={
                "num_elem": IntegerAttr(prod(whole), i64),
                "alignment": IntegerAttr(ALIGNMENT, i64),
                "elem_type": element,
                "global": UnitAttr(),
            },
        )
        size = prod(whole) * max(8, element_bit_width(element)) // 8
        remark(
            like,
            "Missed",
            "Resources",
            f"a tile of '{value.type}' does not fit in registers and cannot be computed in parts "
            f"where it is needed: each CTA keeps it in {size} bytes of the device heap",
        )
        memref = MakeMemrefOp(alloca.result, [], [], MemRefType(element, whole, strides))
        view = BlockTileOp(memref.result, TiledViewType(shape, memref.result.type))
        zero = arith.ConstantOp(IntegerAttr(0, i32))
        token = CreateMemTokenOp()
        ops = [alloca, memref, view, zero, token]
        for op in ops:
            op.location = like.location
        Rewriter.insert_op(ops, InsertPoint.at_start(function.body.block))
        return TileMemory(value.type, view.result, zero.result, token.result)

    def reshaped(self, ty: Attribute, like: Operation) -> TileMemory:
        """The same memory for a tile of another shape."""
        view = self.view.owner
        assert isinstance(view, BlockTileOp)
        memref = view.memref.owner
        assert isinstance(memref, MakeMemrefOp)
        stored = _stored_type(ty)
        shape, element = get_shape(stored), get_element(stored)
        strides = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
        new_memref = MakeMemrefOp(memref.base, [], [], MemRefType(element, shape, strides))
        new_view = BlockTileOp(new_memref.result, TiledViewType(shape, new_memref.result.type))
        _insert([new_memref, new_view], InsertPoint.after(view), like)
        return replace(self, type=ty, view=new_view.result)

    def store(
        self,
        value: SSAValue,
        place: InsertPoint,
        like: Operation,
        number: SSAValue | None = None,
        token: SSAValue | None = None,
    ) -> SSAValue:
        """Stores a tile as the one of a number, the first if there is none; returns the token."""
        ops: list[Operation] = []
        if _is_in_loop(place.block):
            ops.append(BarrierOp())
        if (stored := _stored_type(self.type)) != self.type:
            ops.append(PtrToIntOp.create(operands=[value], result_types=[stored]))
            value = ops[-1].results[0]
        store = TiledStoreOp(
            value, self.view, self._indices(number), mask=None, token=token or self.token
        )
        ops.append(store)
        _insert(ops, place, like)
        assert store.result_token is not None
        return store.result_token

    def load(
        self,
        token: SSAValue,
        place: InsertPoint,
        like: Operation,
        number: SSAValue | None = None,
    ) -> SSAValue:
        """Loads the tile of a number, the first if there is none, behind its store."""
        stored = _stored_type(self.type)
        load = TiledLoadOp(self.view, self._indices(number), token=token, result_type=stored)
        ops: list[Operation] = [load]
        if stored != self.type:
            ops.append(IntToPtrOp.create(operands=[load.result], result_types=[self.type]))
        _insert(ops, place, like)
        return ops[-1].results[0]

    def _indices(self, number: SSAValue | None) -> list[SSAValue]:
        return [number or self.zero, *[self.zero] * (len(get_shape(self.type)) - 1)]


def _stored_type(ty: Attribute) -> Attribute:
    """The type of a tile in memory: pointers are addresses."""
    return (
        TensorType(i64, get_shape(ty))
        if is_pointer(get_element(ty))
        else with_shape(ty, get_shape(ty))
    )


def _insert(ops: Sequence[Operation], place: InsertPoint, like: Operation) -> None:
    for op in ops:
        op.location = like.location
    Rewriter.insert_op(list(ops), place)


def _is_in_loop(block: Block) -> bool:
    """Whether a block is executed repeatedly."""
    op = block.parent_op()
    while op is not None and not isinstance(op, scf.ForOp | scf.WhileOp):
        op = op.parent_op()
    return op is not None


def spill_result(value: SSAValue) -> None:
    """Stores the result of an op behind it, and loads it for all who need it."""
    owner = value.owner
    assert isinstance(owner, Operation)
    memory = TileMemory.of(value, owner)
    uses = list(value.uses)
    place = InsertPoint.after(owner)
    token = memory.store(value, place, owner)
    store = token.owner
    assert isinstance(store, Operation)
    loaded = memory.load(token, InsertPoint.after(store), owner)
    for use in uses:
        use.operation.operands[use.index] = loaded


def spill_view(op: ViewOp) -> None:
    """A tile in another shape: the same memory, in row-major order, as another tensor."""
    memory = TileMemory.of(op.source, op)
    token = memory.store(op.source, InsertPoint.before(op), op)
    result = memory.reshaped(op.result.type, op).load(token, InsertPoint.before(op), op)
    op.result.replace_all_uses_with(result)
    Rewriter.erase_op(op)


def spill_branches(op: scf.IfOp, is_too_large: IsTooLarge) -> bool:
    """Keeps results of `scf.if` that are too large in memory; whether there are any."""
    large = [index for index, result in enumerate(op.results) if is_too_large(result)]
    if not large:
        return False
    memories = [TileMemory.of(op.results[index], op) for index in large]
    regions: list[Region] = []
    for region in list(op.regions):
        end = last_of(region.block)
        tokens = [
            memory.store(end.operands[index], InsertPoint.before(end), op)
            for memory, index in zip(memories, large, strict=True)
        ]
        _replace_terminator(end, large, tokens)
        regions.append(op.detach_region(region))
    types = [MEM_TOKEN if index in large else ty for index, ty in enumerate(op.result_types)]
    new = scf.IfOp(op.cond, types, regions[0], regions[1])
    _replace(op, new, large, memories, [None] * len(large))
    return True


def _replace_terminator(end: Operation, large: Sequence[int], values: Sequence[SSAValue]) -> None:
    """Passes other values on, at some places."""
    for index, value in zip(large, values, strict=True):
        end.operands[index] = value


def _replace(
    op: Operation,
    new: Operation,
    large: Sequence[int],
    memories: Sequence[TileMemory],
    numbers: Sequence[SSAValue | None],
) -> None:
    """Replaces an op by one with tokens for its large results, which are loaded behind it."""
    new.location = op.location
    new.attributes.update(op.attributes)
    Rewriter.insert_op(new, InsertPoint.before(op))
    results: list[SSAValue] = list(new.results[: len(op.results)])
    for index, memory, number in zip(large, memories, numbers, strict=True):
        results[index] = memory.load(new.results[index], InsertPoint.before(op), op, number)
    Rewriter.replace_op(op, [], results)


def spill_for(op: scf.ForOp, is_too_large: IsTooLarge) -> bool:
    """Keeps tiles that a loop carries and that are too large in memory; whether there are any."""
    large = [index for index, result in enumerate(op.results) if is_too_large(result)]
    if not large:
        return False
    block = op.body.block
    end = last_of(block)
    memories = [TileMemory.of(op.results[index], op, 2) for index in large]
    zero, one = (arith.ConstantOp(IntegerAttr(number, i32)) for number in (0, 1))
    _insert([zero, one], InsertPoint.before(op), op)
    starts: list[SSAValue] = list(op.iter_args)
    for memory, index in zip(memories, large, strict=True):
        starts[index] = memory.store(starts[index], InsertPoint.before(op), op)
    # Which of two tiles an iteration reads.
    number = block.insert_arg(i32, len(block.args))
    first = block.first_op
    assert first is not None
    other = arith.XOrIOp(number, one.result)
    _insert([other], InsertPoint.before(first), op)
    tokens: list[SSAValue] = []
    for memory, index in zip(memories, large, strict=True):
        token = _load_argument(block, 1 + index, memory, op, number)
        tokens.append(
            memory.store(end.operands[index], InsertPoint.before(end), op, other.result, token)
        )
    _replace_terminator(end, large, tokens)
    end.operands = [*end.operands, other.result]
    region = op.detach_region(op.body)
    new = scf.ForOp(op.lb, op.ub, op.step, [*starts, zero.result], region)
    _replace(op, new, large, memories, [new.results[-1]] * len(large))
    return True


def _load_argument(
    block: Block, index: int, memory: TileMemory, like: Operation, number: SSAValue | None = None
) -> SSAValue:
    """Makes the argument of a block a token, behind which the tile that it was is loaded."""
    old = block.args[index]
    token = block.insert_arg(MEM_TOKEN, index)
    old.replace_all_uses_with(memory.load(token, InsertPoint.at_start(block), like, number))
    block.erase_arg(old)
    return token


def spill_while(op: scf.WhileOp, is_too_large: IsTooLarge) -> bool:
    """
    Keeps tiles that a loop passes between its regions and that are too large in memory; whether
    there are any. What one region reads the other one writes.
    """
    before, after = op.before_region.block, op.after_region.block
    condition, end = condition_of(op), last_of(after)
    arguments = [index for index, value in enumerate(before.args) if is_too_large(value)]
    results = [index for index, value in enumerate(op.results) if is_too_large(value)]
    if not arguments and not results:
        return False
    kept = [TileMemory.of(before.args[index], op) for index in arguments]
    passed = [TileMemory.of(op.results[index], op) for index in results]
    starts: list[SSAValue] = list(op.arguments)
    for memory, index in zip(kept, arguments, strict=True):
        starts[index] = memory.store(starts[index], InsertPoint.before(op), op)
        end.operands[index] = memory.store(end.operands[index], InsertPoint.before(end), op)
        _load_argument(before, index, memory, op)
    for memory, index in zip(passed, results, strict=True):
        # The first operand is the condition.
        value = condition.operands[1 + index]
        condition.operands[1 + index] = memory.store(value, InsertPoint.before(condition), op)
        _load_argument(after, index, memory, op)
    types = [MEM_TOKEN if index in results else ty for index, ty in enumerate(op.result_types)]
    regions = [op.detach_region(region) for region in (op.before_region, op.after_region)]
    new = WhileOp(starts, types, regions[0], regions[1])
    _replace(op, new, results, passed, [None] * len(results))
    return True
