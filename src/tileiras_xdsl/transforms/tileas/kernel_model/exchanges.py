"""
Which ops exchange elements between threads through scratch memory, and how much of it they need.

    %y = nv_tileas.convert_layout %x       Exchange([4096]): write, wait, read
    %i, %v = nv_tileas.reduce %a, %b       Exchange([512, 512]): a buffer for each operand
    nv_tileas.tiled_store %x, %v[%i]       Exchange([16384], "copies") for each subtile,
                                           from where bulk copies read it

The lowering of an op goes through just these buffers in just this order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import prod
from typing import Final, Literal

from xdsl.dialects.builtin import IntegerType, TensorType, f32
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, TileAxisInfo, analyze
from tileiras_xdsl.analysis.layout_conversion import ThroughShared
from tileiras_xdsl.analysis.linear_layout import LinearLayout, unflatten
from tileiras_xdsl.analysis.matrix_layouts import coalesced
from tileiras_xdsl.analysis.tma_tiles import TmaTiling, may_begin_outside
from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import PackOp, UnpackOp
from tileiras_xdsl.dialects.nv_tileaa.memory import (
    AtomicCASOp,
    AtomicRMWOp,
    PointerLoad,
    PrintOp,
)
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    BroadcastOp,
    CatOp,
    ExpandDimsOperation,
    ExtractOp,
    InsertOp,
    PermuteOp,
    ViewOperation,
)
from tileiras_xdsl.dialects.nv_tileas.atoms import TMA_STORES, has_atom
from tileiras_xdsl.dialects.nv_tileas.decisions import WARPGROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import GatherLoadOp, TiledAtomicRMWOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.targets.choices import MAX_SUBTILE_BYTES
from tileiras_xdsl.targets.tma import ALIGNMENT
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .layout_rules import (
    NATIVE_FLOATS,
    ScratchBudget,
    cat_layout,
    conversion_steps,
    find_extracted,
    memory_type,
    register_type,
    result_layout,
    width_of,
)
from .tma_loads import can_map, map_dims
from .tma_stores import StoreSubtiles, TmaAccess, reduction_kind

Sync = Literal["threads", "warp", "copies"]
"""
How the writes and the reads of an exchange are synchronized: by a CTA barrier, by a warp barrier,
or by a CTA barrier after which bulk copies read.
"""

HEAP_POINTER_BYTES: Final = 8
PRINT_ALIGNMENT: Final = 16
ROW_BYTES: Final = 16
"""Padding of rows of an operand, so that they begin at different banks."""


@dataclass(frozen=True)
class Exchange:
    """Elements that threads exchange through scratch memory: write, synchronize, read."""

    sizes: Sequence[int]
    """Bytes of the buffers that are live together."""
    sync: Sync = "threads"

    @property
    def syncs(self) -> Sequence[str]:
        """The synchronization of each buffer, as attributes spell it."""
        return [*("next" for _ in self.sizes[1:]), self.sync]


EXCHANGING: Final = (
    *(ConvertLayoutOp, AggregateOperation, ViewOperation, ExpandDimsOperation, PermuteOp),
    *(BroadcastOp, CatOp, ExtractOp, InsertOp, PackOp, UnpackOp, DotOp),
    *(PointerLoad, TiledLoadOp, GatherLoadOp, AtomicRMWOp, AtomicCASOp, PrintOp, TmaAccess),
)
"""Ops that may need scratch memory; `KernelModel.exchanges` tells them apart."""


@cache
def may_exchange(kind: type[Operation]) -> bool:
    """Whether ops of a class may need scratch memory; cached, for most do not."""
    return issubclass(kind, EXCHANGING)


@dataclass
class KernelModel:
    """The scratch memory that the ops of a kernel need, given what is available."""

    function: FuncOp
    warps: int
    scratch_budget: ScratchBudget

    @property
    def threads(self) -> int:
        return 32 * self.warps

    @cached_property
    def axis_info(self) -> AxisInfoAnalysis:
        """Axis info of the kernel's values."""
        return analyze(self.function)

    def exchanges(self, op: Operation) -> Sequence[Exchange]:
        """The exchanges through scratch memory of an op, without those in its regions."""
        if not may_exchange(type(op)):
            return ()
        match op:
            case ConvertLayoutOp():
                source, result = require_layout(op.operands[0]), require_layout(op.results[0])
                return self.conversion(get_element(op.results[0].type), source, result)
            case AggregateOperation():
                return list(self._aggregate(op))
            case ViewOperation() | ExpandDimsOperation() | PermuteOp():
                return self._reshape(op)
            case BroadcastOp():
                return self._broadcast(op)
            case CatOp():
                return self._cat(op)
            case ExtractOp() | InsertOp() | PackOp() | UnpackOp():
                return self._exchange_tile(op)
            case DotOp() if op.atom is None or op.atom.data == "fma":
                tiling = FmaDotTiling.of(op, self.scratch_budget)
                return [Exchange((tiling.bytes,))] * (tiling.k // tiling.k_block)
            case PointerLoad() | TiledLoadOp() | GatherLoadOp():
                is_weak = own_effects(op) == Effect.READ
                return () if is_weak else self._broadcast_from_owners(op.result)
            case AtomicRMWOp() | AtomicCASOp():
                return self._broadcast_from_owners(op.result) if any(op.result.uses) else ()
            case PrintOp():
                return self._print(op)
            case _:
                store = self.store_subtiles(op) if isinstance(op, TmaAccess) else None
                if store is None:
                    return ()
                return [Exchange((store.bytes,), "copies")] * len(store.subtiles)

    # Layouts

    def conversion(
        self, element: Attribute, source: LinearLayout, target: LinearLayout
    ) -> list[Exchange]:
        """The exchanges of a layout conversion."""
        if source == target:
            return []
        steps = conversion_steps(source, target, register_bits(element), self.scratch_budget)
        return [
            Exchange((step.plan.bytes,), "warp" if step.plan.within_warps else "threads")
            for step in steps
            if isinstance(step.plan, ThroughShared)
        ]

    def _reshape(self, op: ViewOperation | ExpandDimsOperation | PermuteOp) -> list[Exchange]:
        """The source's layout in another shape, and a conversion if the result has another."""
        source, result = op.operands[0], op.results[0]
        if not isinstance(source.type, TensorType) or not isinstance(result.type, TensorType):
            return []
        layout = result_layout(op, require_layout(source))
        assert layout is not None
        return self.conversion(get_element(result.type), layout, require_layout(result))

    def _broadcast(self, op: BroadcastOp) -> list[Exchange]:
        needed = require_layout(op.result).restricted(get_shape(op.source.type))
        return self.conversion(get_element(op.result.type), require_layout(op.source), needed)

    def _cat(self, op: CatOp) -> list[Exchange]:
        element, layout = get_element(op.result.type), require_layout(op.lhs)
        joined = cat_layout(layout, op.dim.value.data)
        return [
            *self.conversion(element, require_layout(op.rhs), layout),
            *self.conversion(element, joined, require_layout(op.result)),
        ]

    # Reductions and scans

    def _aggregate(self, op: AggregateOperation) -> Iterator[Exchange]:
        elements = [get_element(operand.type) for operand in op.operands]
        layout, dim = require_layout(op.operands[0]), op.get_axis()
        axis = Axis(layout, dim)
        if not axis.is_simple:
            plain = coalesced(layout.shape, self.warps)
            for element in elements:
                yield from self.conversion(element, layout, plain)
            layout, axis = plain, Axis(plain, dim)
        sizes = [register_bits(element) // 8 for element in elements]
        if op.name.endswith(".reduce"):
            sliced = layout.slice(dim)
            if axis.warp:
                groups, count = reduction_groups(sliced, axis.warp, sizes, self.scratch_budget)
                for _ in range(groups):
                    yield Exchange([count * size for size in sizes])
                if groups == 1 and direct_layout(op) is not None:
                    return
            layout = sliced
        else:
            layout = with_runs_first(layout, dim)
            axis = Axis(layout, dim)
            count = layout.registers >> axis.run_bits
            group = scan_group(count, self.threads, sizes, self.scratch_budget)
            for _ in range(axis.steps_across_warps * (count // group)):
                yield Exchange([group * self.threads * size for size in sizes])
        for element, result in zip(elements, op.results, strict=True):
            if isinstance(result.type, TensorType):
                yield from self.conversion(element, layout, require_layout(result))

    # Tiles as a whole

    def _exchange_tile(self, op: ExtractOp | InsertOp | PackOp | UnpackOp) -> list[Exchange]:
        source = op.destination if isinstance(op, InsertOp) else op.source
        layout = require_layout(source)
        if isinstance(op, ExtractOp):
            result = layout_of(op.result.type)
            if layout.elements == 1 or (result and find_extracted(op, layout, result) is not None):
                return []
        size = register_bits(get_element(source.type)) // 8
        return window_exchanges(layout.elements, size, self.scratch_budget)

    def _broadcast_from_owners(self, value: SSAValue) -> list[Exchange]:
        """Broadcasts results that one thread has to all threads that hold the element."""
        size = width_of(memory_type(get_element(value.type))) // 8
        if not isinstance(value.type, TensorType):
            return [Exchange((size,))]
        layout = require_layout(value).compressed()
        if not layout.free_bits("lane") and not layout.free_bits("warp"):
            return []
        return [Exchange((layout.elements * size,))]

    def _print(self, op: PrintOp) -> list[Exchange]:
        tiles = [
            (require_layout(value).elements, width_of(memory_type(printed_element(element))) // 8)
            for value in op.arguments
            if isinstance(value.type, TensorType)
            for element in (get_element(value.type),)
        ]
        size = print_bytes([elements * size for elements, size in tiles])
        if size > self.scratch_budget.bytes:
            return [
                exchange
                for elements, size in tiles
                for exchange in window_exchanges(elements, size, self.scratch_budget)
            ]
        return [Exchange((size,))] if size else []

    # Bulk copies

    def store_subtiles(self, op: TmaAccess) -> StoreSubtiles | None:
        """
        The subtiles in which a TMA store goes through scratch memory; None if it does not, because
        it has a staging buffer of its own or threads store.
        """
        if not has_atom(op, *TMA_STORES) or WARPGROUP_STORE.is_on(op):
            return None
        tiling = TmaTiling.of(op.view_type)
        if isinstance(op, TiledAtomicRMWOp):
            element = get_element(op.value.type)
            if reduction_kind(op.rmw_mode.data, element) is None:
                return None
        if tiling is None or not can_map(op.view) or may_begin_outside(self.tile_axis_info(op)):
            return None
        limit = min(MAX_SUBTILE_BYTES, self.scratch_budget.bytes)
        return StoreSubtiles.of(tiling, require_layout(op.value).compressed(), limit)

    def tile_axis_info(self, op: TmaAccess) -> TileAxisInfo:
        """Axis info of the tile of a store or an atomic."""
        return TileAxisInfo.of(op.view, op.indices, self.axis_info, op.get_in_bounds())

    def is_conditional(self, op: Operation) -> bool:
        """
        Whether it is decided at run time that an op goes through scratch memory. TMA writes whole
        units of 16 bytes, so it must not be used for a tensor whose rows may end in the midst of
        one.
        """
        if not isinstance(op, TmaAccess):
            return isinstance(op, PrintOp)
        ty = op.view_type
        at = ty.get_dim_map().index(map_dims(op.view)[0])
        size = width_of(memory_type(ty.element_type)) // 8
        tile = self.tile_axis_info(op)
        return not tile.is_in_bounds(at) and tile.size(at).divisor * size % ALIGNMENT != 0


def window_elements(elements: int, size: int, scratch_budget: ScratchBudget) -> int:
    """
    How many elements of a row-major tile are in scratch memory at once: all of them if they fit,
    else as many as fit of a power of two.
    """
    while elements > 1 and elements * size > scratch_budget.bytes:
        elements //= 2
    return elements


def window_exchanges(elements: int, size: int, scratch_budget: ScratchBudget) -> list[Exchange]:
    """The exchanges of a row-major tile, one window of it after the other."""
    window = window_elements(elements, size, scratch_budget)
    return [Exchange((window * size,))] * (elements // window)


def print_bytes(sizes: Sequence[int]) -> int:
    """Scratch memory for some tiles, which are printed at once."""
    return sum(-(-size // PRINT_ALIGNMENT) * PRINT_ALIGNMENT for size in sizes)


def reduction_groups(
    sliced: LinearLayout, warp_bits: Collection[int], sizes: Sequence[int], budget: ScratchBudget
) -> tuple[int, int]:
    """
    In how many groups of registers the warps along some bits exchange what they have reduced, for
    operands of these sizes, and how many elements a group has in scratch memory: one group of all
    elements if that fits.
    """
    whole = sliced.elements << len(warp_bits)
    if whole * sum(sizes) <= budget.bytes:
        return 1, whole
    slots = sum(1 for basis in (*sliced.lane, *sliced.warp) if basis) + len(warp_bits)
    count = sliced.registers
    while count > 1 and (count << slots) * sum(sizes) > budget.bytes:
        count //= 2
    return sliced.registers // count, count << slots


def direct_layout(op: AggregateOperation) -> LinearLayout | None:
    """
    The layout in which threads read the results of a reduction from scratch memory, if warps
    exchange all of them at once: that of all results.
    """
    layouts = {layout_of(result.type) for result in op.results}
    return layouts.pop() if len(layouts) == 1 else None


def with_runs_first(layout: LinearLayout, axis: int) -> LinearLayout:
    """
    The same elements in other registers of a thread: neighbours along an axis come first, so that
    a scan has long runs of them.
    """
    along = Axis(layout, axis).register
    order = sorted(
        range(len(layout.register)), key=lambda bit: (bit not in along, along.get(bit, bit))
    )
    return layout.replaced(register=[layout.register[bit] for bit in order])


def scan_group(
    count: int, threads: int, sizes: Sequence[int], scratch_budget: ScratchBudget
) -> int:
    """Of how many runs the threads exchange totals at once, for operands of these sizes."""
    while count > 1 and count * threads * sum(sizes) > scratch_budget.bytes:
        count //= 2
    return count


def register_bits(element: Attribute) -> int:
    """The bits in shared memory of an element in a register."""
    return max(8, width_of(register_type(element)))


def printed_element(element: Attribute) -> Attribute:
    """The type in which elements are printed: floats that no register has are widened to f32."""
    if isinstance(element, IntegerType | LLVMPointerType):
        return element
    return register_type(element) if register_type(element) in NATIVE_FLOATS else f32


def require_layout(value: SSAValue) -> LinearLayout:
    """The layout of a tensor; fails if it has none."""
    layout = layout_of(value.type)
    if layout is None:
        owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
        assert owner is not None
        fail(owner, f"'{value.type}' has no layout")
    return layout


@dataclass(frozen=True)
class FmaDotTiling:
    """A dot by FMAs, tiled along K: one K block of both operands is in shared memory at a time."""

    batches: int
    m: int
    n: int
    k: int
    sizes: tuple[int, int]
    """Bytes of an element of each operand."""
    k_block: int
    """How much of K."""

    @staticmethod
    def of(op: DotOp, scratch_budget: ScratchBudget) -> FmaDotTiling:
        """The largest K blocks that fit."""
        shape = require_layout(op.result).shape
        sizes = [register_bits(get_element(value.type)) // 8 for value in (op.a, op.b)]
        k = k_block = get_shape(op.a.type)[-1]
        while True:
            tiling = FmaDotTiling(
                prod(shape[:-2]), shape[-2], shape[-1], k, (sizes[0], sizes[1]), k_block
            )
            if k_block == 1 or tiling.bytes <= scratch_budget.soft_limit:
                return tiling
            k_block //= 2

    @property
    def stride(self) -> int:
        """How far rows of A are apart, in elements: each begins at a multiple of 16 bytes."""
        return self.k_block + ROW_BYTES // self.sizes[0]

    @property
    def a_bytes(self) -> int:
        return self.batches * self.m * self.stride * self.sizes[0]

    @property
    def bytes(self) -> int:
        """Bytes of both operands."""
        return self.a_bytes + self.batches * self.k_block * self.n * self.sizes[1]


class Axis:
    """Which bits of register, lane and warp are bits of the coordinate along an axis."""

    def __init__(self, layout: LinearLayout, axis: int):
        self.register: dict[int, int] = {}
        self.lane: dict[int, int] = {}
        self.warp: dict[int, int] = {}
        self.is_simple = True
        seen: set[int] = set()
        for name, bits in (("register", self.register), ("lane", self.lane), ("warp", self.warp)):
            for bit, basis in enumerate(layout.bases(name)):
                position = unflatten(basis, layout.shape)
                along = position[axis]
                if not along:
                    continue
                others = any(each for dim, each in enumerate(position) if dim != axis)
                if others or along.bit_count() > 1 or along in seen:
                    self.is_simple = False
                seen.add(along)
                bits[bit] = along.bit_length() - 1

    @property
    def run_bits(self) -> int:
        """How many of the lowest register bits are the lowest bits of the coordinate."""
        run = 0
        while run in self.register and self.register[run] == run:
            run += 1
        return run

    @property
    def other_bits(self) -> list[tuple[str, int]]:
        """The other bits, by the bit of the coordinate, lowest first."""
        found: list[tuple[int, str, int]] = []
        for bit, along in self.register.items():
            if bit >= self.run_bits:
                found.append((along, "register", bit - self.run_bits))
        for name, bits in (("lane", self.lane), ("warp", self.warp)):
            found += [(along, name, bit) for bit, along in bits.items()]
        return [(name, bit) for _, name, bit in sorted(found)]

    @property
    def steps_across_warps(self) -> int:
        """How many steps of a scan over these bits exchange between warps."""
        names = [name for name, _ in self.other_bits]
        return len(names) - names.index("warp") if "warp" in names else 0
