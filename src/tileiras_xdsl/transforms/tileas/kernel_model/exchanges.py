"""
Which ops exchange elements between threads through scratch memory, and how much of it they need.

    %y = nv_tileas.convert_layout %x       Exchange([4096]): write, wait, read
    %i, %v = nv_tileas.reduce %a, %b       Exchange([512, 512]): a buffer for each operand
    nv_tileas.tiled_store %x, %v[%i]       Exchange([16384], "copies") for each part of the tile,
                                           from where bulk copies read it

The lowering of an op goes through just these buffers in just this order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import prod
from typing import Final, Literal

from xdsl.dialects.builtin import IntegerType, TensorType, f32
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.analysis.access_layouts import coalesced
from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis, analyze
from tileiras_xdsl.analysis.layout_conversion import ThroughShared
from tileiras_xdsl.analysis.linear_layout import LinearLayout, unflatten
from tileiras_xdsl.analysis.tma_tiles import TmaTile, may_begin_outside
from tileiras_xdsl.analysis.view_axis_info import TileAxisInfo
from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
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
from tileiras_xdsl.dialects.nv_tileas.decisions import GROUP_STORE
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import GatherLoadOp, TiledAtomicRMWOp, TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.targets.tma import ALIGNMENT
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

from .conversions import Room, conversion_steps
from .layout_rules import cat_layout, result_layout
from .shared_memory import BOX_STORES, has_atom
from .tensor_maps import can_map, map_dims
from .thread_types import NATIVE_FLOATS, memory_type, register_type, width_of
from .tma_stores import (
    PART_BYTES,
    Parts,
    TmaAccess,
    reduction_kind,
)

Sync = Literal["threads", "warp", "copies"]
"""
What comes between the writes and the reads of an exchange: all threads wait for each other, those
of a warp do, or all threads do and bulk copies read.
"""

HEAP_POINTER_BYTES: Final = 8
PRINT_ALIGNMENT: Final = 16
ROW_BYTES: Final = 16
"""How far rows of a factor are moved apart, so that they begin at different banks."""


@dataclass(frozen=True)
class Exchange:
    """Elements that threads write to scratch memory, wait, and read."""

    sizes: Sequence[int]
    """Bytes of the buffers that are in use together."""
    sync: Sync = "threads"

    @property
    def syncs(self) -> Sequence[str]:
        """What comes between the writes and the reads of each buffer, as their attributes say."""
        return [*("next" for _ in self.sizes[1:]), self.sync]


EXCHANGING: Final = (
    *(ConvertLayoutOp, AggregateOperation, ViewOperation, ExpandDimsOperation, PermuteOp),
    *(BroadcastOp, CatOp, ExtractOp, InsertOp, PackOp, UnpackOp, DotOp),
    *(PointerLoad, TiledLoadOp, GatherLoadOp, AtomicRMWOp, AtomicCASOp, PrintOp, TmaAccess),
)
"""Ops that may exchange something, as `KernelModel.exchanges` tells them apart."""


@cache
def may_exchange(kind: type[Operation]) -> bool:
    """Whether ops of a kind may exchange something; most do not, which is known once for all."""
    return issubclass(kind, EXCHANGING)


@dataclass
class KernelModel:
    """What the ops of a kernel need, given what there is."""

    function: FuncOp
    warps: int
    room: Room

    @property
    def threads(self) -> int:
        return 32 * self.warps

    @cached_property
    def facts(self) -> AxisInfoAnalysis:
        """What is known of the kernel's values."""
        return analyze(self.function)

    def exchanges(self, op: Operation) -> Sequence[Exchange]:
        """What an op, without those in its regions, exchanges through scratch memory."""
        if not may_exchange(type(op)):
            return ()
        match op:
            case ConvertLayoutOp():
                source, result = need_layout(op.operands[0]), need_layout(op.results[0])
                return self.conversion(get_element(op.results[0].type), source, result)
            case AggregateOperation():
                return list(self._aggregate(op))
            case ViewOperation() | ExpandDimsOperation() | PermuteOp():
                return self._rename(op)
            case BroadcastOp():
                return self._broadcast(op)
            case CatOp():
                return self._cat(op)
            case ExtractOp() | InsertOp() | PackOp() | UnpackOp():
                return self._share_tile(op)
            case DotOp():
                return self._multiply(op)
            case PointerLoad() | TiledLoadOp() | GatherLoadOp():
                return self._load(op)
            case AtomicRMWOp() | AtomicCASOp():
                return self._share(op.result) if any(op.result.uses) else ()
            case PrintOp():
                return self._print(op)
            case _:
                return self._store(op) if isinstance(op, TmaAccess) else ()

    # Layouts

    def conversion(
        self, element: Attribute, source: LinearLayout, target: LinearLayout
    ) -> list[Exchange]:
        """A conversion between layouts."""
        if source == target:
            return []
        steps = conversion_steps(source, target, register_bits(element), self.room)
        return [
            Exchange((step.plan.bytes,), "warp" if step.plan.within_warps else "threads")
            for step in steps
            if isinstance(step.plan, ThroughShared)
        ]

    def _rename(self, op: ViewOperation | ExpandDimsOperation | PermuteOp) -> list[Exchange]:
        """The layout of the source with another shape, and a conversion if that is not wanted."""
        source, result = op.operands[0], op.results[0]
        if not isinstance(source.type, TensorType) or not isinstance(result.type, TensorType):
            return []
        layout = result_layout(op, need_layout(source))
        assert layout is not None
        return self.conversion(get_element(result.type), layout, need_layout(result))

    def _broadcast(self, op: BroadcastOp) -> list[Exchange]:
        needed = need_layout(op.result).restricted(get_shape(op.source.type))
        return self.conversion(get_element(op.result.type), need_layout(op.source), needed)

    def _cat(self, op: CatOp) -> list[Exchange]:
        element, layout = get_element(op.result.type), need_layout(op.lhs)
        joined = cat_layout(layout, op.dim.value.data)
        return [
            *self.conversion(element, need_layout(op.rhs), layout),
            *self.conversion(element, joined, need_layout(op.result)),
        ]

    # Reductions and scans

    def _aggregate(self, op: AggregateOperation) -> Iterator[Exchange]:
        elements = [get_element(operand.type) for operand in op.operands]
        layout, number = need_layout(op.operands[0]), op.get_axis()
        axis = Axis(layout, number)
        if not axis.is_simple:
            plain = coalesced(layout.shape, self.warps)
            for element in elements:
                yield from self.conversion(element, layout, plain)
            layout, axis = plain, Axis(plain, number)
        sizes = [register_bits(element) // 8 for element in elements]
        if op.name.endswith(".reduce"):
            sliced = layout.slice(number)
            if axis.warp:
                count = sliced.elements << len(axis.warp)
                yield Exchange([count * size for size in sizes])
            layout = sliced
        else:
            count = layout.registers >> axis.run_bits
            for _ in range(axis.steps_across_warps):
                yield Exchange([count * self.threads * size for size in sizes])
        for element, result in zip(elements, op.results, strict=True):
            if isinstance(result.type, TensorType):
                yield from self.conversion(element, layout, need_layout(result))

    # Tiles as a whole

    def _share_tile(self, op: ExtractOp | InsertOp | PackOp | UnpackOp) -> list[Exchange]:
        source = op.destination if isinstance(op, InsertOp) else op.source
        layout = need_layout(source)
        if isinstance(op, ExtractOp) and layout.elements == 1:
            return []
        return [Exchange((layout.elements * register_bits(get_element(source.type)) // 8,))]

    def _share(self, value: SSAValue) -> list[Exchange]:
        """What one thread has of each element, for all that hold it."""
        size = width_of(memory_type(get_element(value.type))) // 8
        if not isinstance(value.type, TensorType):
            return [Exchange((size,))]
        layout = need_layout(value).compressed()
        if not layout.free_bits("lane") and not layout.free_bits("warp"):
            return []
        return [Exchange((layout.elements * size,))]

    def _load(self, op: PointerLoad | TiledLoadOp | GatherLoadOp) -> list[Exchange]:
        return [] if own_effects(op) == Effect.READ else self._share(op.result)

    def _print(self, op: PrintOp) -> list[Exchange]:
        size = 0
        for value in op.arguments:
            if isinstance(value.type, TensorType):
                bits = width_of(memory_type(printed_element(get_element(value.type))))
                num_bytes = need_layout(value).elements * bits // 8
                size += -(-num_bytes // PRINT_ALIGNMENT) * PRINT_ALIGNMENT
        return [Exchange((size,))] if size else []

    # Products of single operations

    def _multiply(self, op: DotOp) -> list[Exchange]:
        if op.atom is not None and op.atom.data != "fma":
            return []
        part = FmaDotParts.of(op, self.room)
        return [Exchange((part.bytes,))] * (part.depth // part.part)

    # Bulk copies

    def _store(self, op: TmaAccess) -> list[Exchange]:
        parts = self.store_parts(op)
        return [] if parts is None else [Exchange((parts.bytes,), "copies")] * len(parts.parts)

    def store_parts(self, op: TmaAccess) -> Parts | None:
        """
        How a store by the tensor memory accelerator goes through scratch memory; none if it does
        not, because it has a buffer of its own or threads do it themselves.
        """
        if not has_atom(op, *BOX_STORES) or GROUP_STORE.is_on(op):
            return None
        box = TmaTile.of(op.view_type)
        if isinstance(op, TiledAtomicRMWOp):
            element = get_element(op.value.type)
            if reduction_kind(op.rmw_mode.data, element) is None:
                return None
        if box is None or not can_map(op.view) or may_begin_outside(self.tile_axis_info(op)):
            return None
        limit = min(PART_BYTES, self.room.bytes)
        return Parts.of(box, need_layout(op.value).compressed(), limit)

    def tile_axis_info(self, op: TmaAccess) -> TileAxisInfo:
        """What is known of the tile of a store or an atomic."""
        return TileAxisInfo.of(op.view, op.indices, self.facts, op.get_in_bounds())

    def is_conditional(self, op: Operation) -> bool:
        """
        Whether it is not known before the kernel runs that an op goes through scratch memory. Bulk
        copies write whole units of 16 bytes, so they may not be used for a tensor whose rows may
        end in the midst of one.
        """
        if not isinstance(op, TmaAccess):
            return isinstance(op, PrintOp)
        ty = op.view_type
        at = ty.get_dim_map().index(map_dims(op.view)[0])
        size = width_of(memory_type(ty.element_type)) // 8
        tile = self.tile_axis_info(op)
        return not tile.is_in_bounds(at) and tile.size(at).divisor * size % ALIGNMENT != 0


def register_bits(element: Attribute) -> int:
    """The bits of an element of a register in shared memory."""
    return max(8, width_of(register_type(element)))


def printed_element(element: Attribute) -> Attribute:
    """The type in which elements are printed: floats that no register has are widened to f32."""
    if isinstance(element, IntegerType | LLVMPointerType):
        return element
    return register_type(element) if register_type(element) in NATIVE_FLOATS else f32


def need_layout(value: SSAValue) -> LinearLayout:
    """The layout of a tensor that has one."""
    layout = layout_of(value.type)
    if layout is None:
        owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
        assert owner is not None
        fail(owner, f"'{value.type}' has no layout")
    return layout


@dataclass(frozen=True)
class FmaDotParts:
    """A product of single operations, a part of the summed dimension in shared memory at a time."""

    batches: int
    m: int
    n: int
    depth: int
    sizes: tuple[int, int]
    """Bytes of an element of each factor."""
    part: int

    @staticmethod
    def of(op: DotOp, room: Room) -> FmaDotParts:
        """The largest parts that there is room for."""
        shape = need_layout(op.result).shape
        sizes = [register_bits(get_element(value.type)) // 8 for value in (op.a, op.b)]
        depth = part = get_shape(op.a.type)[-1]
        while True:
            parts = FmaDotParts(
                prod(shape[:-2]), shape[-2], shape[-1], depth, (sizes[0], sizes[1]), part
            )
            if part == 1 or parts.bytes <= room.goal:
                return parts
            part //= 2

    @property
    def stride(self) -> int:
        """How far rows of A are apart, in elements: each begins at a multiple of 16 bytes."""
        return self.part + ROW_BYTES // self.sizes[0]

    @property
    def left_bytes(self) -> int:
        return self.batches * self.m * self.stride * self.sizes[0]

    @property
    def bytes(self) -> int:
        """Of both factors."""
        return self.left_bytes + self.batches * self.part * self.n * self.sizes[1]


class Axis:
    """Which bits of the places of a layout are bits of the coordinate along an axis."""

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
        """How many bits of registers, from the lowest on, are the lowest of the coordinate."""
        run = 0
        while run in self.register and self.register[run] == run:
            run += 1
        return run

    @property
    def other_bits(self) -> list[tuple[str, int]]:
        """Bits of places beyond runs in registers, by the bit of the coordinate, lowest first."""
        found: list[tuple[int, str, int]] = []
        for bit, along in self.register.items():
            if bit >= self.run_bits:
                found.append((along, "register", bit - self.run_bits))
        for name, bits in (("lane", self.lane), ("warp", self.warp)):
            found += [(along, name, bit) for bit, along in bits.items()]
        return [(name, bit) for _, name, bit in sorted(found)]

    @property
    def steps_across_warps(self) -> int:
        """How many steps of a scan over these bits take something from other warps."""
        names = [name for name, _ in self.other_bits]
        return len(names) - names.index("warp") if "warp" in names else 0
