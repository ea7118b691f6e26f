"""
Tiles of `nv_tileaa` become loops over vectors.

    gpu.func @k(%p: !llvm.ptr<1>, %n: i32) kernel { … }
    →
    llvm.func @k(%arguments: !llvm.ptr, %first: i64, %end: i64, %grid_x: i64, %grid_y: i64,
                 %grid_z: i64, %scratch: !llvm.ptr) {
      scf.for %cta = %first to %end step %c1 : i64 { … }
      llvm.return
    }

The function runs a range of CTAs one after the other. `%arguments` has 8 bytes for each parameter
of the kernel, for the function that `print` and `assert` call (see `reports`), for a number that
is not zero once loops that may wait for other CTAs are to end, and for the function that these
call in each round, so that other threads run. `%scratch` has as many bytes as the attribute
`cpu.scratch_bytes` says, for each thread.

A tile is a function of an index that yields vectors of 16 elements along the last dimension, of
more where each takes a long chain of ops (see `tiles`). It is stored in scratch memory where a loop
carries it, where a dot reads it, and where several places need it and it is costly. A load is done
where its tile is used, unless something may write memory in between; accesses at the edge of an
array have masks, in a second version of each nest of loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from xdsl.context import Context
from xdsl.dialects import arith, llvm, scf, ub
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    UnitAttr,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.gpu import DimensionEnum
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import NoMemoryEffect

from tileiras_xdsl.analysis.scalar_evolution import STAYS, UNKNOWN, Change, ScalarChanges
from tileiras_xdsl.dialects import gpu
from tileiras_xdsl.dialects import llvm as own
from tileiras_xdsl.dialects.cuda_tile.elements import float_to_bits, memory_bits
from tileiras_xdsl.dialects.cuda_tile.types import is_float
from tileiras_xdsl.dialects.llvm import AtomicOrdering
from tileiras_xdsl.dialects.nv_tileaa import aggregate, matmul, memory, shape, views
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.types import PADDINGS, MemTokenType, ViewLayout
from tileiras_xdsl.dialects.scf import WhileOp
from tileiras_xdsl.targets.cpu import (
    CACHE_LINE,
    CHAINS,
    MOST_SCRATCH,
    READ_AHEAD,
    SHORT_ROW,
    STORED_COST,
    UNROLL,
)
from tileiras_xdsl.transforms.common.globals import convert_global
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from . import atomics, dots, reports
from .arithmetic import (
    AA,
    COSTLY,
    ELEMENTWISE,
    POLYNOMIALS,
    Unsupported,
    bits_of,
    bytes_of,
    i4,
    modes,
    stored,
)
from .atomics import order_of
from .emitter import POINTER, WIDTH, Emitter, Index, suffix, vector
from .tiles import ALIGNMENT, LANES, Ahead, Guard, Pending, Tile, Tiles, most_lanes

SHAPE_OPS: Final = (
    *(shape.SplatOp, shape.BroadcastOp, shape.ExpandDimsOp, shape.ViewOp, shape.PermuteOp),
    *(shape.ExtractOp, shape.MakeRangeOp, shape.AssumeOp),
)
WRITERS: Final = (
    *(memory.StoreOp, memory.AtomicRMWOp, memory.AtomicCASOp, memory.PrintOp),
    *(views.TiledStoreOp, views.ScatterStoreOp, views.TiledAtomicRMWOp),
)
LOADS: Final = (memory.LoadOp, views.TiledLoadOp, views.GatherLoadOp)
WIDENING: Final = {
    **{arith.ExtSIOp.name: "sext", arith.ExtUIOp.name: "zext"},
    **{arith.IndexCastOp.name: "sext", memory.AddPtrOp.name: "sext"},
}
"""What makes integers wider, of which neighbours may then be far apart."""


IDENTITIES: Final[dict[str, float]] = {
    **{f"{AA}{op}": 0 for op in ("addi", "ori", "xori")},
    **{f"arith.{op}": 0 for op in ("addi", "ori", "xori")},
    **{f"{AA}muli": 1, f"{AA}andi": -1, "arith.muli": 1, "arith.andi": -1},
    **{f"{AA}addf": -0.0, f"{AA}mulf": 1.0},
}
"""What leaves every number as it is."""
EXTREMA: Final = {f"{AA}maxf": -1, f"{AA}minf": 1}
INTEGER_EXTREMA: Final = {
    f"arith.{word[1:]}{word[0]}i": word for word in ("smax", "smin", "umax", "umin")
}
"""The others by their names; a NaN gives way to a number, where it does not propagate."""


@dataclass(eq=False)
class Array:
    """A strided array in memory."""

    base: SSAValue
    sizes: list[Index]
    strides: list[Index]


@dataclass(eq=False)
class View:
    """An array that is cut into tiles."""

    array: Array
    layout: ViewLayout


def lanes_of(op: memory.OrderedAccess, tiles: Sequence[Tile] = ()) -> int:
    """How many elements of tiles an access takes at once."""
    return most_lanes(tiles) if op.get_semantic() == "weak" else 1


def is_strong_read(op: Operation) -> bool:
    """Whether an access sees what other CTAs write meanwhile."""
    is_read = any(not isinstance(each.type, MemTokenType) for each in op.results)
    return is_read and isinstance(op, memory.OrderedAccess) and op.get_semantic() != "weak"


def is_lazy(op: Operation) -> bool:
    """Whether the result of an op is computed where it is used."""
    return op.name in ELEMENTWISE or isinstance(op, SHAPE_OPS) or is_stored_in_order(op)


def is_inclusive(op: aggregate.ScanOp) -> bool:
    """Whether each element takes part in its own result."""
    return op.inclusive is None or bool(op.inclusive.value.data)


def is_along_rows(op: aggregate.ScanOp) -> bool:
    """Whether a scan takes the elements of a row in whole vectors."""
    whole = get_shape(op.operands[0].type)
    return op.get_axis() == len(whole) - 1 and is_inclusive(op) and whole[-1] % LANES == 0


def is_stored_in_order(op: Operation) -> bool:
    """Whether it is a scan whose vectors are stored one by one, as nothing else needs them."""
    if not isinstance(op, aggregate.ScanOp) or len(op.results) != 1 or not is_along_rows(op):
        return False
    users = [use.operation for use in op.results[0].uses]
    return len(users) == 1 and (
        isinstance(users[0], views.TiledStoreOp)
        and users[0].parent is op.parent
        and lanes_of(users[0]) > 1
    )


def has_short_rows(tile: Tile) -> bool:
    """Whether a tile has rows that are a small part of a page of memory."""
    return len(tile.shape) > 1 and tile.shape[-1] * bytes_of(tile.element) <= SHORT_ROW < (
        tile.count * bytes_of(tile.element)
    )


class KernelLowering:
    """Lowers one kernel."""

    def __init__(self, kernel: Operation, options: CpuLowerTilesPass):
        self.kernel = kernel
        self.options = options
        source: Any = kernel
        name: str = source.sym_name.data
        block: Block = source.body.blocks.first
        types = [POINTER, i64, i64, i64, i64, i64, POINTER]
        entry = Block(arg_types=types)
        self.e = e = Emitter(entry, options.vector_bits)
        self.t = Tiles(e, entry.args[-1])
        self.values: dict[SSAValue, Any] = {}
        self.block_id: list[SSAValue] = []
        self.carried: set[SSAValue] = set()
        """What loops carry."""
        arguments, first, end, *grid, _ = entry.args
        self.grid: list[SSAValue] = list(grid)
        self.reports: list[Attribute] = []
        """What the kernel reports: `print` or `assert`, a text, the types of values."""
        self.block, self.cta = block, first
        self.current: Operation = kernel
        """What is being lowered."""
        for number, argument in enumerate(block.args):
            address = e.element_pointer(arguments, number, i64)
            try:
                self.values[argument] = e.load(stored(argument.type), address, 8)
            except Unsupported:
                fail(kernel, f"parameters of type '{argument.type}' are not supported on a CPU")
        reporter, self.stop, pause = (
            e.element_pointer(arguments, len(block.args) + number, i64) for number in range(3)
        )
        self.reporter, self.pause = (e.load(POINTER, each, 8) for each in (reporter, pause))

        for op in find_all(kernel, memory.AllocaOp):
            size = -(-op.num_elem.value.data * memory_bits(op.elem_type) // 8)
            if size > MOST_SCRATCH:
                fail(op, f"'{op.name}' op is not supported on a CPU: {size} bytes")
            self.values[op.result] = self.set_aside(size, op.alignment.value.data)

        def cta(index: Index, _: Sequence[SSAValue]) -> Sequence[SSAValue]:
            self.cta = place = e.value(index)
            rest = e.binary("udiv", place, grid[0])
            self.block_id = [
                e.binary("urem", place, grid[0]),
                e.binary("urem", rest, grid[1]),
                e.binary("udiv", rest, grid[1]),
            ]
            self.ops(block)
            return ()

        e.loop(first, end, 1, (), cta)
        e.append(llvm.ReturnOp())
        e.finish()
        noalias = DictionaryAttr({"llvm.noalias": UnitAttr()})
        nothing = DictionaryAttr({})
        self.function = llvm.FuncOp(
            name,
            llvm.LLVMFunctionType(types, None),
            llvm.LinkageAttr("external"),
            body=Region(entry),
            other_props={
                "passthrough": ArrayAttr([WIDTH]),
                "arg_attrs": ArrayAttr([nothing] * 6 + [noalias]),
            },
            extra_attrs={
                "cpu.reports": ArrayAttr(self.reports),
                "cpu.scratch_bytes": IntegerAttr(self.t.scratch.most, i64),
            },
        )

    def set_aside(self, size: int, alignment: int) -> SSAValue:
        """The address of scratch memory that starts at a multiple of a power of two."""
        e, spare = self.e, max(alignment, ALIGNMENT) - ALIGNMENT
        address = e.at_start(own.PtrToIntOp(self.t.scratch.reserve(size + spare), i64))
        if not spare:
            return address
        moved = e.at_start(llvm.AddOp(address, e.constant(alignment - 1, i64)))
        return e.at_start(llvm.AndOp(moved, e.constant(-alignment, i64)))

    # Ops

    @staticmethod
    def is_shape(op: Operation) -> bool:
        """Whether an op moves elements, and computes none."""
        return isinstance(op, SHAPE_OPS)

    def ops(self, block: Block, first: Operation | None = None) -> None:
        """Lowers the ops of a block from one on, but for its terminator."""
        op = first or block.first_op
        while op is not None and op is not block.last_op:
            self.e.location, self.current = op.location, op
            try:
                if isinstance(op, memory.AssertOp):
                    reports.lower_assert(self, op)
                    if block is self.block:
                        return
                else:
                    self.op(op)
            except Unsupported as error:
                message = f"'{op.name}' op is not supported on a CPU: {error}"
                fail(op, message)
            op = op.next_op

    def op(self, op: Operation) -> None:
        """Lowers one op."""
        if op.name in ELEMENTWISE:
            self.elementwise(op)
            return
        handler = HANDLERS.get(op.name)
        if handler is None:
            raise Unsupported("there is no lowering of it")
        handler(self, op)

    def give(self, value: SSAValue, result: Any) -> None:
        """Says what a value is; a tile may be stored for those who need it."""
        if isinstance(result, Tile) and result.buffer is None and self.is_stored(value):
            result = self.t.materialize(result)
        self.values[value] = result

    def scalar(self, value: SSAValue) -> SSAValue:
        """A scalar, or the one element of a tile."""
        found = self.values[value]
        return found.get([0] * len(found.shape), 1) if isinstance(found, Tile) else found

    def index(self, value: SSAValue) -> Index:
        """An integer as an index."""
        owner = value.owner
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
            return owner.value.value.data
        return self.e.cast("sext", self.scalar(value), i64)

    def tile(self, value: SSAValue) -> Tile:
        """A value as a tile; a scalar has one element everywhere."""
        found = self.values[value]
        if isinstance(found, Tile):
            return found
        tile = self.t.tile(
            (), get_element(value.type), lambda index, width: self.splat(found, width)
        )
        tile.step = 0
        return tile

    def splat(self, x: SSAValue, width: int) -> SSAValue:
        return self.e.splat(x, width)

    # What is stored

    def sinks(self, value: SSAValue) -> tuple[set[Operation], bool]:
        """The ops that a tile is computed for, and whether on the way its elements are repeated."""
        found: set[Operation] = set()
        is_repeated = False
        pending = [value]
        while pending:
            for use in pending.pop().uses:
                op = use.operation
                if is_lazy(op) and isinstance(op.results[0].type, TensorType):
                    is_repeated |= isinstance(op, shape.BroadcastOp)
                    pending.append(op.results[0])
                else:
                    found.add(op)
        return found, is_repeated

    def cost(self, value: SSAValue) -> int:
        """What an element of a tile costs that is computed where it is used."""
        op = value.owner
        found = self.values.get(value)
        if not isinstance(op, Operation) or (isinstance(found, Tile) and found.buffer is not None):
            return 1
        if not is_lazy(op) or (
            isinstance(op, shape.BroadcastOp) and get_shape(op.source.type)[-1:] == (1,)
        ):
            return 1
        own_cost = COSTLY.get(op.name, 1)
        return own_cost + sum(
            self.cost(each) for each in op.operands if isinstance(each.type, TensorType)
        )

    def is_stored(self, value: SSAValue) -> bool:
        """Whether a tile is stored once, rather than computed by each that needs it."""
        op = value.owner
        if not isinstance(op, Operation) or isinstance(op, shape.SplatOp | shape.MakeRangeOp):
            return False
        if isinstance(op, LOADS):
            return self.is_overtaken(op, value)
        cost = self.cost(value)
        if cost < STORED_COST:
            return False
        sinks, is_repeated = self.sinks(value)
        block = op.parent
        elsewhere = any(each.parent is not block for each in sinks)
        return len(sinks) > 1 or elsewhere or (is_repeated and cost >= 2 * STORED_COST)

    def is_overtaken(self, load: Operation, value: SSAValue) -> bool:
        """
        Whether memory may be written between a load and where its tile is needed. A store of what
        was loaded, which is before other elements are loaded, sees to that itself (see `Pending`).
        """
        block = load.parent
        assert block is not None
        sinks, is_repeated = self.sinks(value)
        inner = {block.find_ancestor_op_in_block(each) for each in sinks}
        if is_repeated or None in inner or any(each.parent is not block for each in sinks):
            return True
        left = {each for each in inner if each is not None}
        op = load.next_op
        while op is not None and left:
            left.discard(op)
            if isinstance(op, views.TiledStoreOp) and not left and self.has_ends(load):
                return lanes_of(op) == 1
            if isinstance(op, WRITERS) or (
                op.regions and any(isinstance(each, WRITERS) for each in walk(op))
            ):
                return True
            op = op.next_op
        return bool(left)

    @staticmethod
    def has_ends(op: Operation) -> bool:
        """Whether it is easy to say which piece of memory an access is in."""
        return isinstance(op, views.TiledLoadOp | views.TiledStoreOp)

    def ends_of(self, op: views.TileLoad | views.TileStore) -> tuple[SSAValue, SSAValue]:
        """The first byte of a tile, all of which is in its array, and the one after its last."""
        e, view = self.e, self.values[op.view]
        first: Index = 0
        last: Index = 0
        for dim, index, step, extent in zip(
            *(view.layout.dim_map, op.indices, view.layout.steps, view.layout.tile_shape),
            strict=True,
        ):
            stride = view.array.strides[dim]
            first = e.add(first, e.mul(e.mul(self.index(index), step), stride))
            last = e.add(last, e.mul(extent - 1, stride))
        size = bytes_of(view.layout.element)
        low = e.add(view.array.base, e.mul(first, size))
        return e.value(low), e.value(e.add(low, e.add(e.mul(last, size), size)))

    # Elementwise ops and shapes

    def elementwise(self, op: Operation) -> None:
        """An op on each element."""
        compute, result = ELEMENTWISE[op.name], op.results[0]
        if not isinstance(result.type, TensorType):
            self.values[result] = compute(self.e, op, [self.scalar(each) for each in op.operands])
            return
        operands = [self.tile(each) for each in op.operands]
        location = op.location

        def get(index: Sequence[Index], width: int) -> SSAValue:
            args = [
                each.get(index if each.shape else (), width)
                if not (number == 0 and op.name == arith.SelectOp.name and not each.shape)
                else each.get((), 1)
                for number, each in enumerate(operands)
            ]
            before, self.e.location = self.e.location, location
            value = compute(self.e, op, args)
            self.e.location = before
            return value

        tile = self.t.tile(get_shape(result.type), get_element(result.type), get, *operands)
        tile.step = self.step(op, operands)
        tile.lanes = most_lanes(operands)
        if op.name in POLYNOMIALS and tile.element != f64:
            tile.lanes = max(LANES, CHAINS * self.options.vector_bits // 32)
        tile.per_row = tuple(row for each in operands for row in each.per_row)
        tile.across = next((each.across for each in operands if each.across is not None), None)
        if tile.step and (widens := WIDENING.get(op.name)) is not None:
            tile.guards += self.no_wrap(operands[-1], widens)
        # What has no lowering for these types says so here, not where it is used.
        stored(tile.element)
        self.give(result, tile)

    def no_wrap(self, tile: Tile, cast: str) -> tuple[Guard, ...]:
        """Integers that grow along the last dimension do not wrap around in any row."""
        e, by = self.e, (tile.step or 0) * (tile.shape[-1] - 1)
        if tile.element in (i64, IndexType()) or not by:
            return ()

        def rows(outer: list[Index], flag: SSAValue) -> SSAValue:
            if len(outer) < len(tile.shape) - 1:
                size = tile.shape[len(outer)]
                (flag,) = e.loop(0, size, 1, [flag], lambda i, held: [rows([*outer, i], held[0])])
                return flag
            first = tile.get([*outer, 0], 1)
            last = e.binary("add", first, e.constant(by, first.type))
            wanted = e.binary("add", e.cast(cast, first, i64), e.constant(by, i64))
            return e.binary("and", flag, e.compare("eq", e.cast(cast, last, i64), wanted))

        return (Guard(rows([], e.constant(1, i1))),)

    def step(self, op: Operation, operands: Sequence[Tile]) -> int | None:
        """By how much an integer grows along the last dimension."""
        steps = [each.step for each in operands]
        if any(each is None for each in steps):
            return None
        first, *rest = [each for each in steps if each is not None]
        match op.name.partition(".")[2]:
            case "addi":
                return first + rest[0]
            case "subi":
                return first - rest[0]
            case "addptr":
                element = op.properties["elem_type"]
                is_packed = memory_bits(element) == 4
                return None if is_packed else first + rest[0] * bytes_of(element)
            case "extsi" | "extui" | "index_cast":
                return first
            case _:
                return 0 if not any(steps) else None

    def constant(self, op: arith.ConstantOp) -> None:
        ty, value = op.result.type, op.value
        numbers: Sequence[Any]
        if isinstance(value, IntegerAttr | FloatAttr):
            numbers = [value.value.data]
        elif isinstance(value, DenseIntOrFPElementsAttr):
            numbers = [value.get_values()[0]] if value.is_splat() else list(value.get_values())
        else:
            raise Unsupported(f"constant {value}")
        element = get_element(ty)

        def make(number: Any, width: int = 1) -> SSAValue:
            return self.splat(self.number(number, element), width)

        if not isinstance(ty, TensorType):
            self.values[op.result] = make(numbers[0])
            return
        if len(numbers) == 1:
            tile = self.t.tile(
                ty.get_shape(),
                ty.get_element_type(),
                lambda index, width: make(numbers[0], width),
            )
            tile.step = 0
            self.values[op.result] = tile
            return
        target = self.t.reserve(ty.get_shape(), ty.get_element_type())
        assert target.buffer is not None
        for number, each in enumerate(numbers):
            self.t.write(make(each), target.buffer, number, target.element)
        self.values[op.result] = target

    def number(self, number: Any, element: Attribute) -> SSAValue:
        """A number of an element type; floats that LLVM has no type for are known by their bits."""
        held = stored(element)
        if isinstance(held, IntegerType) and is_float(element):
            return self.e.constant(float_to_bits(number, element), held)
        return self.e.constant(number, held)

    def poison(self, op: ub.PoisonOp) -> None:
        ty = op.result.type
        if isinstance(ty, MemTokenType):
            self.values[op.result] = None
            return
        zero = self.e.constant(0, stored(get_element(ty)))
        self.values[op.result] = zero
        if isinstance(ty, TensorType):
            self.splat_to(op.result, zero)

    def splat_to(self, result: SSAValue, source: SSAValue) -> None:
        tile = self.t.tile(
            get_shape(result.type),
            get_element(result.type),
            lambda index, width: self.splat(source, width),
        )
        tile.step = 0
        self.values[result] = tile

    def splat_op(self, op: shape.SplatOp) -> None:
        self.splat_to(op.result, self.scalar(op.source))

    def broadcast(self, op: shape.BroadcastOp) -> None:
        source = self.tile(op.source)

        def get(index: Sequence[Index], width: int) -> SSAValue:
            inner = [0 if size == 1 else i for size, i in zip(source.shape, index, strict=True)]
            if width > 1 and source.shape[-1] == 1:
                return self.splat(source.get(inner, 1), width)
            return source.get(inner, width)

        tile = self.t.tile(get_shape(op.result.type), source.element, get, source)
        is_flat = bool(source.shape) and source.shape[-1] == 1
        tile.step = 0 if is_flat else source.step
        if is_flat:
            tile.per_row = (tile,)
        self.give(op.result, tile)

    def reshape(self, op: shape.ViewOp | shape.ExpandDimsOp) -> None:
        source = self.tile(op.source)
        new = get_shape(op.result.type)
        if not isinstance(op.result.type, TensorType):
            self.values[op.result] = source.get([0] * len(source.shape), 1)
            return
        kept = [size for size in source.shape if size != 1]
        if kept != [size for size in new if size != 1] or source.buffer is not None:
            buffer = self.t.materialize(source).buffer
            assert buffer is not None
            self.values[op.result] = self.t.in_memory(new, source.element, buffer)
            return

        def get(index: Sequence[Index], width: int) -> SSAValue:
            left = [i for i, size in zip(index, new, strict=True) if size != 1]
            inner: list[Index] = [0 if size == 1 else left.pop(0) for size in source.shape]
            if width == 1 or (source.shape and source.shape[-1] == new[-1]):
                return source.get(inner, width)
            # The last dimension of the source has one element: vectors run along another.
            lanes = [source.get(self.moved(index, new, source, lane), 1) for lane in range(width)]
            return self.e.from_lanes(lanes)

        tile = self.t.tile(new, source.element, get, source)
        tile.step = source.step if source.shape and source.shape[-1] == new[-1] else None
        if source.across is not None and source.shape[-1] == new[-1] != 1:
            rank = sum(size != 1 for size in source.shape[: source.across])
            tile.across = [dim for dim, size in enumerate(new) if size != 1][rank]
        self.give(op.result, tile)

    def moved(
        self, index: Sequence[Index], new: Sequence[int], source: Tile, lane: int
    ) -> list[Index]:
        """Where an element of a vector is in another shape."""
        moved = [*index[:-1], self.e.add(index[-1], lane)]
        left = [i for i, size in zip(moved, new, strict=True) if size != 1]
        return [0 if size == 1 else left.pop(0) for size in source.shape]

    def permute(self, op: shape.PermuteOp) -> None:
        source = self.tile(op.source)
        order = op.get_permutation()
        if self.cost(op.source) >= STORED_COST or source.guards:
            source = self.t.materialize(source)

        def place(index: Sequence[Index]) -> list[Index]:
            inner: list[Index] = [0] * len(order)
            for number, dim in enumerate(order):
                inner[dim] = index[number]
            return inner

        is_turned = order[-1] != len(order) - 1

        def get(index: Sequence[Index], width: int) -> SSAValue:
            if width == 1 or not is_turned:
                return source.get(place(index), width)
            return self.e.from_lanes(
                [
                    source.get(place([*index[:-1], self.e.add(index[-1], lane)]), 1)
                    for lane in range(width)
                ]
            )

        tile = self.t.tile(get_shape(op.result.type), source.element, get, source)
        tile.across = None
        if is_turned:
            dim = order.index(len(order) - 1)
            self.t.turn(tile, dim, lambda index: source.get(place(index), LANES))
        self.give(op.result, tile)

    def cat(self, op: shape.CatOp) -> None:
        parts = [self.tile(op.lhs), self.tile(op.rhs)]
        target = self.t.reserve(get_shape(op.result.type), parts[0].element)
        start = [0] * len(target.shape)
        for part in parts:
            self.copy_to(part, target, list(start))
            start[op.dim.value.data] += part.shape[op.dim.value.data]
        self.values[op.result] = target

    def copy_to(self, part: Tile, target: Tile, start: Sequence[Index]) -> None:
        """Writes a tile into a larger one."""
        buffer = target.buffer
        assert buffer is not None

        def body(index: Sequence[Index], width: int) -> None:
            place = [self.e.add(a, b) for a, b in zip(index, start, strict=True)]
            value = part.get(index, width)
            self.t.write(value, buffer, self.t.flat(target.shape, place), part.element)

        self.t.versions(part.guards, lambda: self.t.loops(part.shape, body))

    def starts(self, op: shape.ExtractOp | shape.InsertOp, part: Sequence[int]) -> list[Index]:
        return [
            self.e.mul(self.index(each), size) for each, size in zip(op.indices, part, strict=True)
        ]

    def extract(self, op: shape.ExtractOp) -> None:
        source = self.tile(op.source)
        new = get_shape(op.result.type)
        start = self.starts(op, new or (1,) * len(source.shape))
        if not isinstance(op.result.type, TensorType):
            self.values[op.result] = source.get(start, 1)
            return

        def get(index: Sequence[Index], width: int) -> SSAValue:
            return source.get([self.e.add(a, b) for a, b in zip(start, index, strict=True)], width)

        tile = self.t.tile(new, source.element, get, source)
        tile.step = source.step
        self.give(op.result, tile)

    def insert(self, op: shape.InsertOp) -> None:
        part, whole = self.tile(op.source), self.tile(op.destination)
        target = self.t.store(whole, self.t.reserve(whole.shape, whole.element))
        self.copy_to(part, target, self.starts(op, part.shape))
        self.values[op.result] = target

    def make_range(self, op: shape.MakeRangeOp) -> None:
        element = get_element(op.result.type)
        start = self.index(op.start)

        def get(index: Sequence[Index], width: int) -> SSAValue:
            e = self.e
            first = e.value(e.add(start, index[0]))
            first = e.cast("trunc", first, element)
            return e.binary("add", e.splat(first, width), e.lanes_from(width, element))

        tile = self.t.tile(get_shape(op.result.type), element, get)
        tile.step = 1
        self.values[op.result] = tile

    def same(self, op: Operation) -> None:
        self.values[op.results[0]] = self.values[op.operands[0]]

    # Identity of the CTA, tokens

    def block_index(self, op: gpu.DimensionQueryOp) -> None:
        self.values[op.result] = self.block_id["xyz".index(str(op.dimension.data.value))]

    def grid_size(self, op: gpu.DimensionQueryOp) -> None:
        self.values[op.result] = self.grid["xyz".index(str(op.dimension.data.value))]

    def nothing(self, op: Operation) -> None:
        for result in op.results:
            self.values[result] = None

    # Arrays and views

    def make_memref(self, op: views.MakeMemrefOp) -> None:
        ty = op.result.type
        sizes, strides = list(op.sizes), list(op.strides)
        base = self.scalar(op.base)
        if op.offset is not None:
            if memory_bits(ty.element_type) == 4:
                raise Unsupported("an offset of elements of 4 bits")
            distance = self.e.mul(self.index(op.offset), bytes_of(ty.element_type))
            base = self.e.binary("add", base, self.e.value(distance))
        self.values[op.result] = Array(
            base,
            [self.index(sizes.pop(0)) if each is None else each for each in ty.shape.data],
            [self.index(strides.pop(0)) if each is None else each for each in ty.strides.data],
        )

    def alloca(self, op: memory.AllocaOp) -> None:
        """Memory of the CTA was set aside before its first op."""

    def get_global(self, op: memory.GetGlobalOp) -> None:
        address = self.e.append(llvm.AddressOfOp(op.global_name, POINTER))
        self.values[op.result] = self.e.append(own.PtrToIntOp(address, i64))

    def block_tile(self, op: views.BlockTileOp) -> None:
        self.values[op.result] = View(self.values[op.memref], ViewLayout.of(op.result.type))

    def tensor_shape(self, op: views.GetTensorShapeOp) -> None:
        array: Array = self.values[op.source]
        for result, size in zip(op.sizes, array.sizes, strict=True):
            self.values[result] = self.e.cast("trunc", self.e.value(size), result.type)

    def index_space(self, op: views.GetIndexSpaceShapeOp) -> None:
        view: View = self.values[op.source]
        layout = view.layout
        for dim, result in enumerate(op.counts):
            size, step = view.array.sizes[layout.dim_map[dim]], layout.steps[dim]
            count = self.e.value(self.e.add(size, step - 1))
            count = self.e.binary("sdiv", count, self.e.constant(step, i64))
            self.values[result] = self.e.cast("trunc", count, result.type)

    def place(
        self, op: views.TileLoad | views.TileStore | views.TileUpdate
    ) -> tuple[
        Callable[[Sequence[Index], int], tuple[SSAValue, SSAValue | None]],
        Callable[[Sequence[Index], int], SSAValue],
        tuple[Guard, ...],
    ]:
        """
        Where elements of a tile are: the address of the first of a vector and, if they are not
        beside each other, of all; which are in the array; and when all of the tile is, which is
        not known of rows that are gathered.
        """
        e = self.e
        view: View = self.values[op.view]
        layout, array = view.layout, view.array
        sparse = layout.sparse_dim
        rows = None if sparse is None else self.t.materialize(self.tile(op.indices[sparse]))
        starts: list[Index] = [
            0 if dim == sparse else e.mul(self.index(each), step)
            for dim, (each, step) in enumerate(zip(op.indices, layout.steps, strict=True))
        ]
        # Masks are unsigned comparisons, and a negative size is as good as none.
        sizes = [e.at_least_zero(array.sizes[dim]) for dim in layout.dim_map]
        strides = [array.strides[dim] for dim in layout.dim_map]
        # Of elements of 4 bits, addresses count halves of bytes.
        is_packed = memory_bits(layout.element) == 4
        size_of = bytes_of(layout.element)
        base = array.base
        if is_packed:
            base = e.binary("shl", base, e.constant(1, i64))
        last_dim = len(starts) - 1
        flag = e.constant(1, i1)
        for start, extent, size in zip(starts, layout.tile_shape, sizes, strict=True):
            first, last = e.value(start), e.value(e.add(start, extent))
            flag = e.binary("and", flag, e.compare("sle", last, e.value(size)))
            if not isinstance(start, int) or start < 0:
                flag = e.binary("and", flag, e.compare("sge", first, e.constant(0, i64)))

        def along(dim: int, i: Index, width: int) -> SSAValue:
            """Where elements of a tile are along a dimension of the array."""
            if rows is not None and dim == sparse:
                return e.cast("sext", rows.get([i], width), i64)
            first = e.splat(e.value(e.add(starts[dim], i)), width)
            return first if width == 1 else e.binary("add", first, e.lanes_from(width))

        def address(index: Sequence[Index], width: int) -> tuple[SSAValue, SSAValue | None]:
            place: Index = 0
            for dim, (i, stride) in enumerate(zip(index, strides, strict=True)):
                if width == 1 or dim != last_dim or sparse != dim:
                    at = along(dim, i, 1) if dim == sparse else e.add(starts[dim], i)
                    place = e.add(place, e.mul(at, stride))
            first = e.binary("add", base, e.value(e.mul(place, size_of)))
            if width == 1 or (strides[-1] == 1 and sparse != last_dim and not is_packed):
                return first, None
            distance = e.splat(e.value(e.mul(strides[-1], size_of)), width)
            steps = along(last_dim, index[-1], width) if sparse == last_dim else e.lanes_from(width)
            lanes = e.binary("mul", steps, distance)
            return first, e.binary("add", e.splat(first, width), lanes)

        def mask(index: Sequence[Index], width: int) -> SSAValue:
            flag: SSAValue | None = None
            for dim, (i, size) in enumerate(zip(index[:-1], sizes, strict=False)):
                inside = e.compare("ult", along(dim, i, 1), e.value(size))
                flag = inside if flag is None else e.binary("and", flag, inside)
            lanes = along(last_dim, index[-1], width)
            inside = e.compare("ult", lanes, e.splat(e.value(sizes[-1]), width))
            return inside if flag is None else e.binary("and", inside, e.splat(flag, width))

        return address, mask, (Guard(flag),) if sparse is None else ()

    def read_lanes(
        self,
        element: Attribute,
        width: int,
        address: tuple[SSAValue, SSAValue | None],
        mask: SSAValue | None,
        other: SSAValue,
        order: AtomicOrdering,
    ) -> SSAValue:
        """Elements in memory, those of a mask; one at a time if they are in an order."""
        e, held = self.e, stored(element)
        if held == i4:
            other = e.cast("zext", other, i8)
            return e.cast("trunc", self.read_lanes(i8, width, address, mask, other, order), i4)
        if held == i1:
            value = self.read_lanes(i8, width, address, mask, e.cast("zext", other, i8), order)
            return e.compare("ne", value, e.constant(0, value.type))
        ty, size = vector(held, width), bytes_of(element)
        first, lanes = address
        pointer = e.append(own.IntToPtrOp(first))
        if lanes is None and mask is None:
            return e.load(ty, pointer, size, order)
        if width == 1:
            assert mask is not None
            (value,) = e.branch(
                mask, lambda: (e.load(ty, pointer, size, order),), lambda: (other,), [held]
            )
            return value
        where, rest = self.masked(pointer, lanes, mask, size, width)
        kind = "load" if lanes is None else "gather"
        return e.call(f"llvm.masked.{kind}.{suffix(ty)}.{where}", ty, *rest, other)

    def masked(
        self,
        pointer: SSAValue,
        lanes: SSAValue | None,
        mask: SSAValue | None,
        size: int,
        width: int,
    ) -> tuple[str, tuple[SSAValue, SSAValue, SSAValue]]:
        """
        Of an access to a vector of elements: the end of the name of LLVM's intrinsic; where they
        are, beside each other or not, their alignment, and which of them.
        """
        e = self.e
        if mask is None:
            mask = e.constant(1, vector(i1, width))
        align = e.constant(size, i32)
        if lanes is None:
            return "p0", (pointer, align, mask)
        pointers = e.append(own.IntToPtrOp(lanes, vector(POINTER, width)))
        return f"v{width}p0", (pointers, align, mask)

    def write_lanes(
        self,
        value: SSAValue,
        element: Attribute,
        width: int,
        address: tuple[SSAValue, SSAValue | None],
        mask: SSAValue | None,
        order: AtomicOrdering,
    ) -> None:
        """Writes elements, those of a mask; one at a time if they are in an order."""
        e, held = self.e, stored(element)
        if held in (i1, i4):
            value, held = e.cast("zext", value, i8), i8
        ty, size = vector(held, width), bytes_of(element)
        first, lanes = address
        pointer = e.append(own.IntToPtrOp(first))
        if lanes is None and mask is None:
            e.store(value, pointer, size, order)
            return
        if width == 1:
            assert mask is not None

            def store() -> Sequence[SSAValue]:
                e.store(value, pointer, size, order)
                return ()

            e.branch(mask, store)
            return
        where, rest = self.masked(pointer, lanes, mask, size, width)
        kind = "store" if lanes is None else "scatter"
        e.call(f"llvm.masked.{kind}.{suffix(ty)}.{where}", None, value, *rest)

    def halves(
        self, address: tuple[SSAValue, SSAValue | None]
    ) -> tuple[tuple[SSAValue, SSAValue | None], SSAValue]:
        """The addresses of the bytes that hold elements of 4 bits, and by how much to shift."""
        e = self.e
        bytes_at: list[SSAValue] = []
        for places in address:
            if places is not None:
                bytes_at.append(e.binary("lshr", places, e.constant(1, places.type)))
        places = address[0] if address[1] is None else address[1]
        half = e.binary("and", places, e.constant(1, places.type))
        shift = e.cast("trunc", e.binary("shl", half, e.constant(2, half.type)), i8)
        return (bytes_at[0], bytes_at[1] if len(bytes_at) > 1 else None), shift

    def read_halves(
        self,
        width: int,
        address: tuple[SSAValue, SSAValue | None],
        mask: SSAValue | None,
        other: SSAValue,
        order: AtomicOrdering,
    ) -> SSAValue:
        """Elements of which a byte has two, by their places in halves of bytes."""
        e = self.e
        place, shift = self.halves(address)
        found = self.read_lanes(i8, width, place, mask, e.constant(0, vector(i8, width)), order)
        value = e.cast("trunc", e.binary("lshr", found, shift), i4)
        return value if mask is None else e.select(mask, value, other)

    def write_half(
        self,
        value: SSAValue,
        address: tuple[SSAValue, SSAValue | None],
        mask: SSAValue | None,
        order: AtomicOrdering,
    ) -> None:
        """Writes one half of a byte."""
        e = self.e
        (place, _), shift = self.halves(address)

        def write() -> Sequence[SSAValue]:
            is_weak = order == AtomicOrdering.NOT_ATOMIC
            before = order if is_weak else AtomicOrdering.MONOTONIC
            old = self.read_lanes(i8, 1, (place, None), None, value, before)
            kept = e.binary("and", old, e.binary("lshr", e.constant(0xF0, i8), shift))
            new = e.binary("or", kept, e.binary("shl", e.cast("zext", value, i8), shift))
            self.write_lanes(new, i8, 1, (place, None), None, order)
            return ()

        if mask is None:
            write()
        else:
            e.branch(mask, write)

    def give_loaded(self, op: memory.PointerLoad | views.TileLoad, tile: Tile) -> None:
        """Says what a load yields; one in an order is done at once, element by element."""
        if op.result_token is not None:
            self.values[op.result_token] = None
        if order_of(op) != AtomicOrdering.NOT_ATOMIC:
            tile = self.t.store(tile, self.t.reserve(tile.shape, tile.element), lanes=1)
        self.give(op.result, tile)

    def tiled_load(self, op: views.TileLoad) -> None:
        e = self.e
        address, mask, guards = self.place(op)
        element, held = get_element(op.result.type), stored(get_element(op.result.type))
        layout: ViewLayout = self.values[op.view].layout
        name = layout.padding if op.padding_value is None else op.padding_value.data
        scalar = e.constant(0, held)
        if name not in (None, "zero"):
            scalar = self.number(PADDINGS[name], element)

        pending: list[Pending] = []

        def get(index: Sequence[Index], width: int) -> SSAValue:
            for each in pending:
                if each.copy is not None:
                    return each.copy.get(index, width)
            lanes = None if self.is_inside(guards) else mask(index, width)
            place, rest = address(index, width), e.splat(scalar, width)
            if memory_bits(element) == 4:
                return self.read_halves(width, place, lanes, rest, order_of(op))
            if pending and lanes is None and place[1] is None and width > 1:
                for line in range(0, width * bytes_of(element), CACHE_LINE):
                    self.prefetch_again(pending[0], e.value(e.add(place[0], line)))
            return self.read_lanes(element, width, place, lanes, rest, order_of(op))

        tile = self.t.tile(get_shape(op.result.type), element, get)
        tile.guards = guards
        if self.has_ends(op):
            pending.append(Pending(tile, self.ends_of(op)))
            tile.pending = (*pending,)
            tile.ahead = self.find_ahead(op, pending[0].ends[0])
            pending[0].store = self.find_store(op, pending[0].ends[0])
        strides = [self.values[op.view].array.strides[dim] for dim in layout.dim_map]
        if pending and strides[-1] != 1 and 1 in strides and lanes_of(op) > 1:

            def along(index: Sequence[Index]) -> SSAValue | None:
                if pending[0].copy is not None or not self.is_inside(guards):
                    return None
                place, zero = (address(index, 1)[0], None), scalar
                return self.read_lanes(element, LANES, place, None, zero, order_of(op))

            self.t.turn(tile, strides.index(1), along)
        self.give_loaded(op, tile)

    def distance_ahead(self, op: views.TileLoad | views.TileStore) -> Index:
        """
        How many bytes further the next iteration of the loop around an access, or the next CTA,
        reads or writes; 0 if that is not easy to say.
        """
        e, block, loop = self.e, op.parent, op.parent_op()
        view: View = self.values[op.view]
        layout = view.layout
        loop = loop if isinstance(loop, scf.ForOp) else None
        if layout.sparse_dim is not None or (block is not self.block and loop is None):
            return 0
        counter = None if loop is None else loop.body.block.args[0]

        def given(value: SSAValue) -> Change | None:
            owner = value.owner
            if value is counter:
                return Change.by(1)
            if isinstance(owner, Block):
                return UNKNOWN if owner is block and loop is not None else STAYS
            if isinstance(owner, gpu.BlockIdOp) and loop is None:
                return Change.by(owner.dimension.data == DimensionEnum.X)
            if loop is not None and loop.body.block.find_ancestor_op_in_block(owner) is None:
                return STAYS
            return None if owner.has_trait(NoMemoryEffect) else UNKNOWN

        changes = ScalarChanges(given)
        amounts = [changes[each].amount for each in op.indices]
        if None in amounts:
            return 0
        distance: Index = 0
        for dim, amount, step in zip(layout.dim_map, amounts, layout.steps, strict=True):
            change = (amount or 0) * step * bytes_of(layout.element)
            distance = e.add(distance, e.mul(view.array.strides[dim], change))
        return e.mul(distance, 1 if loop is None else self.index(loop.step))

    def find_ahead(self, op: views.TileLoad, first: SSAValue) -> tuple[Ahead, ...]:
        """What is read in so many bytes from where a tile is, if all of it is to be prefetched."""
        e, distance = self.e, self.distance_ahead(op)
        view: View = self.values[op.view]
        strides = [view.array.strides[dim] for dim in view.layout.dim_map]
        if distance == 0 or 1 not in strides:
            return ()
        size, extents = bytes_of(view.layout.element), list(view.layout.tile_shape)
        dense = len(strides) - 1 - strides[::-1].index(1)
        per_row = -(-extents.pop(dense) * size // CACHE_LINE)
        del strides[dense]
        start = e.binary("add", first, e.value(distance))

        def address(line: Index) -> SSAValue:
            line, part = e.divide(line, per_row)
            place = e.mul(part, CACHE_LINE)
            for extent, stride in zip(reversed(extents), reversed(strides), strict=True):
                line, i = e.divide(line, extent)
                place = e.add(place, e.mul(i, e.mul(stride, size)))
            return e.binary("add", start, e.value(place))

        return (Ahead(math.prod(extents) * per_row, address, distance),)

    def prefetch_again(self, load: Pending, place: SSAValue) -> None:
        """
        What reads a tile for the second time has it in cache: it prefetches what the next iteration
        will read, so that memory does not rest. So does who computes for long. Of short rows, CPUs
        do not prefetch the next one by themselves, so their first reader does that. Who reads a
        long row first is helped by a prefetch of what soon follows in it.
        """
        load.first_reader = load.first_reader or self.current
        is_first = load.first_reader is self.current
        if not is_first or load.is_slow or has_short_rows(load.source):
            for lines in load.source.ahead:
                lines.prefetch_beyond(self.e, place)
            return
        self.e.prefetch(self.e.binary("add", place, self.e.value(READ_AHEAD)), cache=1)
        if load.store is not None and load.store[0] is not self.current:
            # Then it also has time to bring the row that will be written.
            self.e.prefetch(self.e.binary("add", place, load.store[1]), write=True)

    def find_store(
        self, load: views.TileLoad, first: SSAValue
    ) -> tuple[Operation, SSAValue] | None:
        """
        Where a row of the length of one that is loaded will be stored, if that is known. Who reads
        a row twice has time for that when it is in cache.
        """
        shape, op = get_shape(load.result.type), load.next_op
        while op is not None and not (
            isinstance(op, views.TiledStoreOp) and get_shape(op.value.type) == shape
        ):
            op = op.next_op
        if op is None or math.prod(shape) != shape[-1] or len(self.sinks(load.result)[0]) > 1:
            return None
        assert isinstance(op, views.TiledStoreOp)
        cut = op.view.owner
        if op.view not in self.values and isinstance(cut, views.BlockTileOp):
            if cut.memref in self.values:
                self.block_tile(cut)
        if any(each not in self.values for each in (op.view, *op.indices)):
            return None
        view: View = self.values[op.view]
        if view.array.strides[view.layout.dim_map[-1]] != 1:
            return None
        return op, self.e.binary("sub", self.ends_of(op)[0], first)

    def is_inside(self, guards: Sequence[Guard]) -> bool:
        """Whether a tile that has guards needs no mask where code is being written."""
        return bool(guards) and self.t.inside.issuperset(guards)

    def tiled_store(self, op: views.TileStore) -> None:
        address, mask, inside = self.place(op)
        tile = self.tile(op.value)
        chosen = None if op.mask is None else self.tile(op.mask)

        def body(index: Sequence[Index], width: int) -> None:
            lanes = None if self.is_inside(inside) else mask(index, width)
            if chosen is not None:
                asked = chosen.get(index, width)
                lanes = asked if lanes is None else self.e.binary("and", lanes, asked)
            value, place = tile.get(index, width), address(index, width)
            if tile.buffer is not None and lanes is None:
                # The tile is in cache, and memory rests.
                for each in tile.ahead:
                    share = max(1, tile.count // each.count)
                    line, _ = self.e.divide(self.t.flat(tile.shape, index), share)
                    each.prefetch(self.e, line)
            if is_packed:
                self.write_half(value, place, lanes, order_of(op))
                return
            if further != 0 and lanes is None and place[1] is None and width > 1:
                for line in range(0, width * bytes_of(tile.element), CACHE_LINE):
                    where = self.e.add(place[0], self.e.add(further, line))
                    self.e.prefetch(self.e.value(where), write=True)
            self.write_lanes(value, tile.element, width, place, lanes, order_of(op))

        is_slow = tile.lanes > LANES
        further = self.distance_ahead(op) if has_short_rows(tile) or is_slow else 0
        is_packed = memory_bits(tile.element) == 4
        sources = [each for each in (tile, chosen) if each is not None]
        lanes = 1 if is_packed else lanes_of(op, sources)
        pending = dict.fromkeys(each for source in sources for each in source.pending)
        guards = [*(guard for source in sources for guard in source.guards), *inside]
        guards += [Guard(self.are_apart(each.ends, op)) for each in pending]

        def nest() -> None:
            is_apart = not pending or self.is_inside(guards)
            for each in pending:
                each.copy = None if is_apart else self.t.materialize(each.source)
                each.is_slow = is_slow
            if tile.in_order is None:
                self.t.loops(tile.shape, body, lanes, sources)
            else:
                tile.in_order(body)
            for each in pending:
                each.copy = None

        self.t.versions(guards, nest)
        if op.result_token is not None:
            self.values[op.result_token] = None

    def are_apart(self, ends: tuple[SSAValue, SSAValue], store: views.TileStore) -> SSAValue:
        """Whether a piece of memory and the one that is written to do not overlap."""
        if not self.has_ends(store):
            return self.e.constant(0, i1)
        e, (first, last) = self.e, self.ends_of(store)
        return e.binary("or", e.compare("ule", ends[1], first), e.compare("ule", last, ends[0]))

    # Pointers

    def pointers(self, tile: Tile, size: int) -> Callable[..., tuple[SSAValue, SSAValue | None]]:
        """The addresses of elements that pointers lead to."""

        def address(index: Sequence[Index], width: int) -> tuple[SSAValue, SSAValue | None]:
            is_dense = tile.step == size and self.t.inside.issuperset(tile.guards)
            if width == 1 or is_dense:
                return tile.get(index if tile.shape else (), 1), None
            lanes = tile.get(index, width)
            return self.e.lane(lanes, 0), lanes

        return address

    def load(self, op: memory.LoadOp) -> None:
        e = self.e
        pointer, element = self.tile(op.pointer), get_element(op.result.type)
        chosen = None if op.mask is None else self.tile(op.mask)
        other = None if op.other is None else self.tile(op.other)
        address = self.pointers(pointer, bytes_of(element))

        def get(index: Sequence[Index], width: int) -> SSAValue:
            lanes = None if chosen is None else chosen.get(index if chosen.shape else (), width)
            zero = e.constant(0, vector(stored(element), width))
            rest = zero if other is None else other.get(index if other.shape else (), width)
            place = address(index, width)
            return self.read_lanes(element, width, place, lanes, rest, order_of(op))

        if not isinstance(op.result.type, TensorType):
            if op.result_token is not None:
                self.values[op.result_token] = None
            self.values[op.result] = get((), 1)
            return
        sources = [each for each in (pointer, chosen, other) if each is not None]
        tile = self.t.tile(get_shape(op.result.type), element, get, *sources)
        self.give_loaded(op, tile)

    def store(self, op: memory.StoreOp) -> None:
        pointer, value = self.tile(op.pointer), self.tile(op.value)
        chosen = None if op.mask is None else self.tile(op.mask)
        element = get_element(op.value.type)
        address = self.pointers(pointer, bytes_of(element))

        def body(index: Sequence[Index], width: int) -> None:
            lanes = None if chosen is None else chosen.get(index if chosen.shape else (), width)
            data = value.get(index if value.shape else (), width)
            self.write_lanes(data, element, width, address(index, width), lanes, order_of(op))

        sources = [each for each in (pointer, value, chosen) if each is not None]
        guards = tuple(guard for each in sources for guard in each.guards)
        whole, lanes = get_shape(op.value.type), lanes_of(op, sources)
        self.t.versions(guards, lambda: self.t.loops(whole, body, lanes, sources))
        if op.result_token is not None:
            self.values[op.result_token] = None

    # Reductions and scans

    def combine(
        self, op: Any, first: Sequence[SSAValue], second: Sequence[SSAValue], width: int
    ) -> list[SSAValue]:
        """The body of an aggregate, on vectors if all that takes its arguments is elementwise."""
        block: Block = op.body.block
        inner: dict[SSAValue, SSAValue] = {}
        for number, (x, y) in enumerate(zip(first, second, strict=True)):
            inner[block.args[2 * number]] = x
            inner[block.args[2 * number + 1]] = y

        def value(each: SSAValue) -> SSAValue:
            return inner[each] if each in inner else self.splat(self.scalar(each), width)

        for each in block.ops:
            if isinstance(each, aggregate.YieldOp):
                return [value(operand) for operand in each.operands]
            if not any(operand in inner for part in each.walk() for operand in part.operands):
                self.op(each)
                continue
            compute = ELEMENTWISE.get(each.name)
            if compute is None or isinstance(each.results[0].type, TensorType):
                return self.combine_one_by_one(op, first, second, width)
            inner[each.results[0]] = compute(self.e, each, [value(x) for x in each.operands])
        raise AssertionError

    def combine_one_by_one(
        self, op: Any, first: Sequence[SSAValue], second: Sequence[SSAValue], width: int
    ) -> list[SSAValue]:
        """The body of an aggregate on each lane."""
        block: Block = op.body.block
        last = block.last_op
        assert last is not None
        lanes: list[list[SSAValue]] = []
        for lane in range(width):
            for number, pair in enumerate(zip(first, second, strict=True)):
                for place, each in enumerate(pair):
                    self.values[block.args[2 * number + place]] = self.e.lane(each, lane)
            self.ops(block)
            lanes.append([self.scalar(each) for each in last.operands])
        return [self.e.from_lanes(parts) for parts in zip(*lanes, strict=True)]

    def identity(self, op: Any, width: int) -> list[SSAValue] | None:
        """
        The identity of an aggregate whose elements may be combined in any order, in all lanes: its
        body is one op of both elements, whose identity changes no element.
        """
        block: Block = op.body.block
        first = block.first_op
        if len(op.operands) != 1 or first is None or first.next_op is not block.last_op:
            return None
        element = get_element(op.operands[0].type)
        is_plain = modes(first) == ("nearest_even", False)
        if {*first.operands} != {*block.args} or not is_plain or not first.results[0].uses:
            return None
        number = IDENTITIES.get(first.name)
        if number is None and first.name in EXTREMA and is_float(element):
            sign, propagates = EXTREMA[first.name], "propagate_nan" in first.properties
            number = sign * math.inf if propagates else math.nan
        if number is None and first.name in INTEGER_EXTREMA:
            top = 1 << (bits_of(element) - 1)
            number = {"smax": top, "smin": top - 1, "umax": 0, "umin": -1}[
                INTEGER_EXTREMA[first.name]
            ]
        if number is None:
            return None
        return [self.splat(self.number(number, element), width)]

    def reduce(self, op: aggregate.ReduceOp) -> None:
        e, t = self.e, self.t
        sources = [
            each if each.across is None else t.materialize(each)
            for each in map(self.tile, op.operands)
        ]
        whole, axis = sources[0].shape, op.get_axis()
        new = (*whole[:axis], *whole[axis + 1 :])
        targets = [t.reserve(new, each.element) for each in sources]
        guards = tuple(dict.fromkeys(guard for each in sources for guard in each.guards))
        count = whole[axis]

        def put(index: Sequence[Index], values: Sequence[SSAValue]) -> None:
            for target, value in zip(targets, values, strict=True):
                assert target.buffer is not None
                t.write(value, target.buffer, t.flat(new, index), target.element)

        def halve(
            parts: Sequence[SSAValue], low: Sequence[int], high: Sequence[int]
        ) -> list[SSAValue]:
            first, second = ([e.shuffle(x, x, lanes) for x in parts] for lanes in (low, high))
            return self.combine(op, first, second, len(low))

        def in_any_order(index: Sequence[Index], width: int, start: Sequence[SSAValue]) -> None:
            streams = math.gcd(count // width, UNROLL * LANES // width)

            def step(i: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
                result: list[SSAValue] = []
                for stream in range(streams):
                    place = [*index, e.add(i, stream * width)]
                    values = [each.get(place, width) for each in sources]
                    result.extend(self.combine(op, [carried[stream]], values, width))
                return result

            parts = list(e.loop(0, count, width * streams, [*start] * streams, step))
            while len(parts) > 1:
                half = len(parts) // 2
                pairs = zip(parts[:half], parts[half:], strict=True)
                parts = [self.combine(op, [x], [y], width)[0] for x, y in pairs]
            while width > 1:
                width //= 2
                parts = halve(parts, range(width), range(width, 2 * width))
            put(index, parts)

        def in_order(index: Sequence[Index], width: int) -> None:
            def part(i: Index) -> list[SSAValue]:
                """So many elements combined, neighbours first."""
                parts, left = [each.get([*index, i], width) for each in sources], width
                while left > 1:
                    parts = halve(parts, range(0, left, 2), range(1, left, 2))
                    left //= 2
                return parts

            put(index, self.fold(count, width, part, lambda x, y: self.combine(op, x, y, 1)))

        def along_last(index: Sequence[Index], _: int) -> None:
            width = math.gcd(count, most_lanes(sources))
            t.compute_rows(sources, index, width)
            start = self.identity(op, width)
            if start is None:
                in_order(index, math.gcd(count, LANES))
            else:
                in_any_order(index, width, start)

        def along_other(index: Sequence[Index], width: int) -> None:
            def part(i: Index) -> list[SSAValue]:
                place = [*index[:axis], i, *index[axis:]]
                return [each.get(place, width) for each in sources]

            start = self.identity(op, width)
            put(index, self.fold(count, 1, part, lambda x, y: self.combine(op, x, y, width), start))

        if axis == len(whole) - 1:
            t.versions(guards, lambda: t.loops(new, along_last, lanes=1))
        else:
            t.versions(guards, lambda: t.loops(new, along_other))
        for result, target in zip(op.results, targets, strict=True):
            ty = result.type
            self.values[result] = target if isinstance(ty, TensorType) else target.get((), 1)

    def fold(
        self,
        count: int,
        step: int,
        part: Callable[[Index], Sequence[SSAValue]],
        combine: Callable[[Sequence[SSAValue], Sequence[SSAValue]], Sequence[SSAValue]],
        start: Sequence[SSAValue] | None = None,
    ) -> Sequence[SSAValue]:
        """Parts combined one after the other: the first, or what to start with, and all others."""
        first = 0 if start is not None else step
        start = part(0) if start is None else start
        if first == count:
            return start
        return self.e.loop(first, count, step, start, lambda i, sums: combine(sums, part(i)))

    def scan(self, op: aggregate.ScanOp) -> None:
        t = self.t
        sources = [self.tile(each) for each in op.operands]
        whole = sources[0].shape
        if is_stored_in_order(op):
            last: list[SSAValue] = []
            tile = t.tile(whole, sources[0].element, lambda i, n: last.pop(), *sources)

            def in_order(store: Callable[[Sequence[Index], int], None]) -> None:
                def put(place: Sequence[Index], values: Sequence[SSAValue]) -> None:
                    last.extend(values)
                    store(place, LANES)

                self.scan_into(op, sources, put)

            tile.in_order = in_order
            self.values[op.results[0]] = tile
            return
        targets = [t.reserve(whole, each.element) for each in sources]

        def put(place: Sequence[Index], values: Sequence[SSAValue]) -> None:
            for target, value in zip(targets, values, strict=True):
                assert target.buffer is not None
                t.write(value, target.buffer, t.flat(whole, place), target.element)

        guards = tuple(dict.fromkeys(guard for each in sources for guard in each.guards))
        t.versions(guards, lambda: self.scan_into(op, sources, put))
        for source, result, target in zip(sources, op.results, targets, strict=True):
            target.ahead = source.ahead
            self.values[result] = target

    def scan_into(
        self,
        op: aggregate.ScanOp,
        sources: Sequence[Tile],
        put: Callable[[Sequence[Index], Sequence[SSAValue]], None],
    ) -> None:
        """The vectors of a scan, in order."""
        e, t = self.e, self.t
        whole, axis = sources[0].shape, op.get_axis()
        is_reverse = op.reverse is not None and bool(op.reverse.value.data)

        def body(index: Sequence[Index], width: int) -> None:
            def part(i: Index) -> tuple[list[Index], list[SSAValue]]:
                if is_reverse:
                    i = e.add(whole[axis] - 1, e.mul(i, -1))
                place = [*index[:axis], i, *index[axis:]]
                return place, [each.get(place, width) for each in sources]

            def step(i: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
                place, values = part(i)
                following = self.combine(op, carried, values, width)
                put(place, following if is_inclusive(op) else carried)
                return following

            place, start = part(0)
            put(place, start if is_inclusive(op) else self.identities(op, width))
            if whole[axis] > 1:
                e.loop(1, whole[axis], 1, start, step)

        def row(index: Sequence[Index], _: int) -> None:
            backwards = range(LANES - 1, -1, -1)

            def part(i: Index) -> tuple[list[Index], list[SSAValue]]:
                """A vector, in which each element is combined with those before it."""
                place = [*index, e.add(whole[axis] - LANES, e.mul(i, -1)) if is_reverse else i]
                values = [each.get(place, LANES) for each in sources]
                if is_reverse:
                    values = [e.shuffle(each, each, backwards) for each in values]
                for distance in (1, 2, 4, 8):
                    if nothing is not None:
                        moved = range(LANES - distance, 2 * LANES - distance)
                        before = [e.shuffle(*each, moved) for each in zip(nothing, values)]
                        values = self.combine(op, before, values, LANES)
                        continue
                    moved = [max(lane - distance, 0) for lane in range(LANES)]
                    before = [e.shuffle(each, each, moved) for each in values]
                    after = self.combine(op, before, values, LANES)
                    # The first lanes have nothing in front of them.
                    kept = [lane + LANES * (lane >= distance) for lane in range(LANES)]
                    values = [e.shuffle(*each, kept) for each in zip(values, after, strict=True)]
                return place, values

            def put_forwards(place: Sequence[Index], values: Sequence[SSAValue]) -> None:
                put(place, [e.shuffle(x, x, backwards) for x in values] if is_reverse else values)

            def last_of(values: Sequence[SSAValue]) -> list[SSAValue]:
                """The last element of vectors, in all lanes."""
                return [e.shuffle(each, each, [LANES - 1] * LANES) for each in values]

            def step(i: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
                place, values = part(i)
                result = self.combine(op, carried, values, LANES)
                put_forwards(place, result)
                if nothing is None:
                    return last_of(result)
                # The same, with one op from each iteration to the next.
                return self.combine(op, carried, last_of(values), LANES)

            nothing = self.identity(op, LANES)
            place, start = part(0)
            put_forwards(place, start)
            if whole[axis] > LANES:
                e.loop(LANES, whole[axis], LANES, last_of(start), step)

        if is_along_rows(op):
            t.loops(whole[:-1], row, lanes=1)
        else:
            outer, last = (*whole[:axis], *whole[axis + 1 :]), axis == len(whole) - 1
            t.loops(outer, body, lanes=1 if last else LANES)

    def identities(self, op: Any, width: int) -> list[SSAValue]:
        """What an exclusive scan begins with."""
        elements = [get_element(each.type) for each in op.operands]
        numbers: list[Any] = [0] * len(elements)
        if op.identities is not None:
            numbers = [each.value.data for each in op.identities]
        pairs = zip(numbers, elements, strict=True)
        return [self.splat(self.number(*each), width) for each in pairs]

    # Bytes

    def pack(self, op: matmul.PackOp) -> None:
        """Elements as bytes; of elements narrower than a byte, the first is lowest."""
        source, result = self.tile(op.source), op.result
        (count,) = get_shape(result.type)
        bits = bits_of(source.element)
        if bits >= 8:
            buffer = self.t.materialize(source).buffer
            assert buffer is not None
            self.values[result] = self.t.in_memory((count,), i8, buffer)
            return

        def get(index: Sequence[Index], width: int) -> SSAValue:
            e, share = self.e, 8 // bits
            lanes: list[SSAValue] = []
            for lane in range(width):
                place = e.mul(e.add(index[0], lane), share)
                byte = e.constant(0, i8)
                for part in range(share):
                    each = e.cast("zext", source.get([e.add(place, part)], 1), i8)
                    byte = e.binary("or", byte, e.binary("shl", each, e.constant(part * bits, i8)))
                lanes.append(byte)
            return e.from_lanes(lanes)

        self.give(result, self.t.tile((count,), i8, get, source))

    def unpack(self, op: matmul.UnpackOp) -> None:
        """The elements that bytes hold."""
        source, shape = self.t.materialize(self.tile(op.source)), get_shape(op.result.type)
        element = get_element(op.result.type)
        bits = bits_of(element)
        if bits >= 8:
            assert source.buffer is not None
            self.values[op.result] = self.t.in_memory(shape, element, source.buffer)
            return

        def get(index: Sequence[Index], width: int) -> SSAValue:
            e = self.e
            lanes: list[SSAValue] = []
            for lane in range(width):
                byte, part = e.divide(e.add(index[0], lane), 8 // bits)
                amount = e.cast("trunc", e.value(e.mul(part, bits)), i8)
                shifted = e.binary("lshr", source.get([byte], 1), amount)
                lanes.append(e.cast("trunc", shifted, stored(element)))
            return e.from_lanes(lanes)

        self.give(op.result, self.t.tile(shape, element, get, source))

    # Control flow

    def carry(
        self,
        values: Sequence[SSAValue],
        targets: Sequence[Tile | Attribute | None],
        *,
        is_first: bool = False,
    ) -> list[SSAValue]:
        """
        Writes tiles to the scratch memory of those that a loop or branch yields, all of them
        computed before the first is overwritten, unless nothing has been there; the scalars.
        """
        scalars: list[SSAValue] = []
        moves: list[tuple[Tile, Tile]] = []
        for value, target in zip(values, targets, strict=True):
            if target is None:
                continue
            if not isinstance(target, Tile):
                scalars.append(self.scalar(value))
                continue
            tile = self.tile(value)
            if tile.buffer is not None and tile.buffer is target.buffer:
                continue
            moves.append((tile, target))
        if is_first or (len(moves) == 1 and moves[0][0].buffer is not None):
            for move in moves:
                self.t.store(*move)
            return scalars
        copies = [
            (self.t.store(tile, self.t.reserve(tile.shape, tile.element)), target)
            for tile, target in moves
        ]
        for tile, target in copies:
            self.t.store(tile, target)
        return scalars

    def places(self, types: Sequence[Attribute]) -> list[Tile | Attribute | None]:
        """What carries values of these types: scratch memory, a scalar, or nothing for tokens."""
        return [
            self.t.reserve(ty.get_shape(), ty.get_element_type())
            if isinstance(ty, TensorType)
            else None
            if isinstance(ty, MemTokenType)
            else stored(ty)
            for ty in types
        ]

    def bind(
        self,
        names: Sequence[SSAValue],
        places: Sequence[Tile | Attribute | None],
        scalars: Sequence[SSAValue],
    ) -> None:
        """Says what carried values are."""
        rest = list(scalars)
        for name, place in zip(names, places, strict=True):
            is_scalar = place is not None and not isinstance(place, Tile)
            self.values[name] = rest.pop(0) if is_scalar else place

    def inside(self, block: Block, places: Sequence[Tile | Attribute | None]) -> list[SSAValue]:
        """The ops of a region, whose scratch memory is free again after it."""
        used = self.t.scratch.used
        self.ops(block)
        last = block.last_op
        assert last is not None
        values = last.operands[1:] if isinstance(last, scf.ConditionOp) else last.operands
        scalars = self.carry(values, places)
        if isinstance(last, scf.ConditionOp):
            scalars = [self.scalar(last.operands[0]), *scalars]
        self.t.scratch.used = used
        return scalars

    def for_loop(self, op: scf.ForOp) -> None:
        e = self.e
        block = op.body.block
        places = self.places([each.type for each in op.iter_args])
        start = self.carry(op.iter_args, places, is_first=True)
        self.carried |= {*block.args[1:]}
        low, high, by = (self.index(each) for each in (op.lb, op.ub, op.step))

        def body(i: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            ty = block.args[0].type
            self.values[block.args[0]] = e.cast("trunc", e.value(i), stored(ty))
            self.bind(block.args[1:], places, carried)
            return self.inside(block, places)

        is_empty = isinstance(low, int) and isinstance(high, int) and high <= low
        may_wrap = stored(op.lb.type) == i64
        results = start if is_empty else e.loop(low, high, by, start, body, may_wrap=may_wrap)
        self.bind(op.results, places, results)

    def if_else(self, op: scf.IfOp) -> None:
        places = self.places(op.result_types)
        types = [each for each in places if each is not None and not isinstance(each, Tile)]

        def region(body: Region) -> Callable[[], Sequence[SSAValue]]:
            if body.blocks.first is None:
                return lambda: ()
            return lambda: self.inside(body.block, places)

        results = self.e.branch(
            self.scalar(op.cond), region(op.true_region), region(op.false_region), types
        )
        self.bind(op.results, places, results)

    def while_loop(self, op: scf.WhileOp) -> None:
        e = self.e
        before, after = op.before_region.block, op.after_region.block
        entering = self.places([each.type for each in op.arguments])
        leaving = self.places(op.result_types)
        start = self.carry(op.arguments, entering, is_first=True)
        self.carried |= {*before.args, *after.args}

        def region(
            block: Block,
            names: Sequence[Tile | Attribute | None],
            targets: Sequence[Tile | Attribute | None],
            end: Callable[[Sequence[SSAValue]], Operation],
        ) -> Region:
            types = [each for each in names if each is not None and not isinstance(each, Tile)]
            new = Block(arg_types=types)
            outer, e.block = e.block, new
            e.scopes.append({})
            self.bind(block.args, names, new.args)
            e.append(end(self.inside(block, targets)))
            e.scopes.pop()
            e.block = outer
            return Region(new)

        waits = any(is_strong_read(each) for each in walk(op))

        def condition(values: Sequence[SSAValue]) -> Operation:
            goes_on, *rest = values
            if waits:
                stop = e.load(i64, self.stop, 8, AtomicOrdering.MONOTONIC)
                goes_on = e.binary("and", goes_on, e.compare("eq", stop, e.constant(0, i64)))
            return scf.ConditionOp(goes_on, *rest)

        def again(values: Sequence[SSAValue]) -> Operation:
            if waits:
                e.call_pointer(self.pause)
            return scf.YieldOp(*values)

        first = region(before, entering, leaving, condition)
        second = region(after, leaving, entering, again)
        types = [each for each in leaving if each is not None and not isinstance(each, Tile)]
        loop = WhileOp(start, types, first, second)
        e.append(loop)
        self.bind(op.results, leaving, loop.results)


Handler = Callable[[KernelLowering, Any], None]
L = KernelLowering
HANDLERS_BY_TYPE: Final[dict[type[Operation], Handler]] = {
    arith.ConstantOp: L.constant,
    ub.PoisonOp: L.poison,
    shape.SplatOp: L.splat_op,
    shape.BroadcastOp: L.broadcast,
    shape.ViewOp: L.reshape,
    shape.ExpandDimsOp: L.reshape,
    shape.PermuteOp: L.permute,
    shape.CatOp: L.cat,
    shape.ExtractOp: L.extract,
    shape.InsertOp: L.insert,
    shape.MakeRangeOp: L.make_range,
    shape.AssumeOp: L.same,
    gpu.BlockIdOp: L.block_index,
    gpu.GridDimOp: L.grid_size,
    memory.CreateMemTokenOp: L.nothing,
    memory.JoinMemTokenOp: L.nothing,
    memory.GdcWaitOp: L.nothing,
    memory.MemoryFenceAliasOp: L.nothing,
    memory.GdcLaunchDependentsOp: L.nothing,
    memory.PrintOp: reports.lower_print,
    memory.LoadOp: L.load,
    memory.StoreOp: L.store,
    views.MakeMemrefOp: L.make_memref,
    views.BlockTileOp: L.block_tile,
    views.GetTensorShapeOp: L.tensor_shape,
    views.GetIndexSpaceShapeOp: L.index_space,
    views.TiledLoadOp: L.tiled_load,
    views.TiledStoreOp: L.tiled_store,
    views.GatherLoadOp: L.tiled_load,
    views.ScatterStoreOp: L.tiled_store,
    views.TiledAtomicRMWOp: atomics.tiled_atomic_rmw,
    memory.AtomicRMWOp: atomics.atomic_rmw,
    memory.AtomicCASOp: atomics.atomic_cas,
    memory.AllocaOp: L.alloca,
    memory.GetGlobalOp: L.get_global,
    matmul.PackOp: L.pack,
    matmul.UnpackOp: L.unpack,
    matmul.MmaFScaledOp: dots.lower_scaled_dot,
    aggregate.ReduceOp: L.reduce,
    aggregate.ScanOp: L.scan,
    matmul.DotOp: dots.lower_dot,
    scf.ForOp: L.for_loop,
    scf.IfOp: L.if_else,
    scf.WhileOp: L.while_loop,
}
"""How ops that are not elementwise are lowered."""
HANDLERS: Final = {op.name: handler for op, handler in HANDLERS_BY_TYPE.items()}


@dataclass(frozen=True)
class CpuLowerTilesPass(ModulePass):
    """
    Lowers kernels of `nv_tileaa` to loops over vectors of `llvm` and `scf`.

    - vector-bits: of the vectors that dots compute with;
    - byte-dots: whether there are instructions that multiply bytes and add four products
      (`vpdpbusd`), for vectors of 512 bits;
    - rows: of the block of an accumulator that a dot keeps in registers, two vectors wide.

    Elements of a reduction or scan are combined in order, unless the body is one sum, product,
    extremum or op on bits. Rounding in a direction is a call of a function that sets the mode of
    the CPU.
    """

    name = "cpu-lower-tiles"

    vector_bits: int = 512
    rows: int = 8
    byte_dots: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels: list[Operation] = [
            each for each in find_all(op, gpu.FuncOp) if "kernel" in each.properties
        ]
        symbols: list[Operation] = [
            convert_global(each, 0) for each in find_all(op, memory.GlobalOp)
        ]
        lowerings = [KernelLowering(kernel, self) for kernel in kernels]
        helpers = {name: each for k in lowerings for name, each in k.e.helpers.items()}
        symbols += [*helpers.values(), *(each.function for each in lowerings)]
        for each in list(op.body.ops):
            Rewriter.erase_op(each, safe_erase=False)
        op.body.block.add_ops(symbols)
