"""The layouts of memory accesses, and of loads whose layout follows from how their tile is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, TensorType, i1
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from tileiras_xdsl.analysis.axis_info_analysis import (
    VECTOR_BYTES,
    AxisInfoAnalysis,
    TileAxisInfo,
    max_vector_width,
)
from tileiras_xdsl.analysis.layout_conversion import ThroughShared, plan_conversion
from tileiras_xdsl.analysis.linear_layout import LinearLayout, flatten, unflatten
from tileiras_xdsl.analysis.matrix_layouts import (
    coalesced,
    coalesced_bytes,
    contiguous_run,
    widest_atomic_add,
)
from tileiras_xdsl.dialects.cuda_tile.elements import memory_bits
from tileiras_xdsl.dialects.memory_order import is_plain_load
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_element
from tileiras_xdsl.dialects.nv_tileaa.memory import (
    AtomicRMWOp,
    OrderedAccess,
    PointerLoad,
    PointerStore,
)
from tileiras_xdsl.dialects.nv_tileaa.shape import BroadcastOp, CatOp
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import TileLoad, TileStore, TileUpdate
from tileiras_xdsl.dialects.nv_tileas.atoms import TMA_STORES, has_atom, is_wgmma
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    LAYOUT,
    LAYOUT_A,
    VECTOR,
    Vector,
    VectorAttr,
    get_vector,
)
from tileiras_xdsl.dialects.nv_tileas.layout import layout_of
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.dialects.nv_tileas.memory import TiledLoadOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp, ScanOp
from tileiras_xdsl.targets.choices import BROADCAST_ACCESSES, SHORTENED_BYTES
from tileiras_xdsl.transforms.common.kernel_spec import get_target
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import (
    get_anchor_layout,
    is_cheap,
    is_root,
    is_tensor,
    operand_layout,
    set_anchor_layout,
    tensors,
)
from tileiras_xdsl.transforms.tileas.kernel_model.registers import is_made
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

from ..kernel_model.copied_loads import copied_width, is_by_tma

Access: TypeAlias = "PointerLoad | PointerStore | TileLoad | TileStore"

# The layouts of memory accesses.
#
#     nv_tileas.tiled_load %v[%i] {nv_tileas.layout = #nv_tileas.layout<…>,
#         nv_tileas.vector = #nv_tileas.vector<width = 8, dim = 1>} : …
#
# A store or an atomic by TMA (`tma_store_selection`) takes any layout and is no anchor.


@dataclass(frozen=True)
class MemoryAnchors:
    """Selects layouts and vector widths of the memory accesses of a kernel."""

    axis_info: AxisInfoAnalysis
    warps: int

    def assign(self, op: Operation) -> None:
        """Puts layout and vector width of an access into its attributes."""
        if isinstance(op, TileLoad | TileStore | TileUpdate):
            self._assign_tile(op)
        elif isinstance(op, OrderedAccess):
            self._assign_pointers(op)

    def _set(self, op: OrderedAccess, layout: LinearLayout, vector: int, dim: int) -> None:
        set_anchor_layout(op, LAYOUT, layout)
        VECTOR.set(op, VectorAttr(Vector(vector, dim)))

    # Views

    def _assign_tile(self, op: TileLoad | TileStore | TileUpdate) -> None:
        if has_atom(op, *TMA_STORES):
            return
        ty = op.view_type
        tile = TileAxisInfo.of(op.view, op.indices, self.axis_info, op.get_in_bounds())
        proven = [*map(tile.is_in_bounds, range(ty.rank))]
        fastest = self._fastest(ty)
        vector = 1
        limit = _widest(op, ty.element_type)
        if fastest is not None and limit > 1:
            if isinstance(op, TiledLoadOp) and not is_by_tma(op):
                vector = copied_width(op, tile, fastest)
            else:
                vector = min(tile.vector_width(fastest), limit)
        dim = ty.rank - 1 if fastest is None else fastest
        if any(proven):
            op.properties["in_bounds"] = DenseArrayBase.from_list(i1, [*map(int, proven)])
        layout = coalesced(ty.get_tile_shape(), self.warps, vector, dim)
        self._set(op, layout, vector, dim)

    @staticmethod
    def _fastest(ty: TiledViewType) -> int | None:
        """The contiguous dimension of a tile: consecutive elements in memory."""
        for dim, source in enumerate(ty.get_dim_map()):
            if ty.memref.strides.data[source] == 1 and ty.get_tile_shape()[dim] > 1:
                return dim
        return None

    # Pointers

    def _assign_pointers(self, op: OrderedAccess) -> None:
        pointer = op.operands[0]
        if not is_tensor(pointer):
            return
        ty = pointer.type
        assert isinstance(ty, TensorType)
        shape = ty.get_shape()
        info = self.axis_info[pointer]
        if all(run == 1 for run in info.contiguity):
            # Scattered accesses do not coalesce in any layout: keep that of the pointers.
            return
        element = self._pointee(op)
        mask = getattr(op, "mask", None)
        mask_info = None if mask is None else self.axis_info[mask]
        best, dim = 1, len(shape) - 1
        if memory_bits(element) >= 8:
            size = memory_bits(element) // 8
            for candidate in reversed(range(len(shape))):
                width = max_vector_width(info, mask_info, candidate, size)
                if width > best:
                    best, dim = width, candidate
            if best == 1:
                # Along the dimension of greatest contiguity, for coalescing.
                dim = max(reversed(range(len(shape))), key=lambda each: info.contiguity[each])
            best = min(best, _widest(op, element))
        self._set(op, coalesced(shape, self.warps, best, dim), best, dim)

    @staticmethod
    def _pointee(op: OrderedAccess) -> Attribute:
        values = [*tensors(op.results), *op.operands[1:2]]
        ty = values[0].type
        return ty.get_element_type() if isinstance(ty, TensorType) else ty


def _widest(op: OrderedAccess, element: Attribute) -> int:
    """How many elements one instruction can access in the memory order of an op."""
    if not isinstance(op, AtomicRMWOp | TileUpdate):
        return VECTOR_BYTES if op.get_semantic() == "weak" else 1
    if isinstance(op, AtomicRMWOp) and op.result.first_use is not None:
        return 1
    module = op.get_toplevel_object()
    is_sum = op.rmw_mode.data == "addf" and op.get_semantic() in ("relaxed", "release")
    if not is_sum or not isinstance(module, ModuleOp):
        return 1
    return widest_atomic_add(element, get_target(module))


# Loads whose tiles reach an op by reshapes and ops on single elements only.


def find_load(
    value: SSAValue, layout: LinearLayout, *, is_shared: bool = False
) -> tuple[TiledLoadOp | None, LinearLayout | None]:
    """
    The load that a value is made of, by ops on single elements and reshapes, and the layout of it
    that gives the value some layout. Unless it may be shared, nothing else is made of it.
    """
    while isinstance(op := value.owner, Operation) and (is_shared or value.has_one_use()):
        if isinstance(op, TiledLoadOp):
            return (op, layout) if is_plain_load(op) and op.atom is None else (None, None)
        tiles = _computed_tiles(op)
        if not is_cheap(op) or len(tiles) != 1:
            break
        (value,) = tiles
        wanted = operand_layout(op, value, layout)
        if wanted is None:
            break
        layout = wanted
    return None, None


def _computed_tiles(op: Operation) -> list[SSAValue]:
    """The tiles that an op is computed from, but for those that are made of scalars only."""
    tiles = filter(is_tensor, op.operands)
    return [tile for tile in tiles if isinstance(tile.owner, Block) or not is_root(tile.owner)]


def find_loads(value: SSAValue, layout: LinearLayout) -> dict[TiledLoadOp, LinearLayout] | None:
    """
    All loads that a value is made of, with nothing but ops on single elements, reshapes, broadcasts
    and constants, and the layouts of them that give the value some layout; None if there is more
    to it, or if that takes a load in two layouts.
    """
    found: dict[TiledLoadOp, LinearLayout] = {}
    seen = {(value, layout)}
    pending = [(value, layout)]
    while pending:
        value, layout = pending.pop()
        op = value.owner
        if isinstance(op, TiledLoadOp):
            if not is_plain_load(op) or op.atom is not None:
                return None
            if found.setdefault(op, layout) != layout:
                return None
            continue
        if not isinstance(op, Operation):
            return None
        if is_root(op):
            continue
        if not is_cheap(op) and not isinstance(op, BroadcastOp | CatOp | ConvertLayoutOp):
            return None
        for operand in filter(is_tensor, op.operands):
            is_same = isinstance(op, ConvertLayoutOp)
            wanted = layout if is_same else operand_layout(op, operand, layout)
            if wanted is None:
                return None
            if (operand, wanted) not in seen:
                seen.add((operand, wanted))
                pending.append((operand, wanted))
    return found


# Loads of small tiles that are broadcast take the layout of what they are broadcast to.
#
# Before:  %b = nv_tileas.tiled_load %v[%j] : … -> tensor<128xf16, #one_each>
#          %c = nv_tileas.convert_layout %b : … -> tensor<128xf16, #slice>  // by shared memory
#          %d = nv_tileaa.broadcast (a view of %c) : … -> tensor<64x128xf16, #rows>
# After:   %c = nv_tileas.tiled_load %v[%j] : … -> tensor<128xf16, #slice>  // eight each
#          %d = nv_tileaa.broadcast (a view of %c) : … -> tensor<64x128xf16, #rows>
#
# Threads load copies of elements, which the first level of caches has: that is faster than to
# store each once to shared memory, wait for all threads, and load it from there. Weak loads only:
# others are done once for each element. If broadcasts need a tile in several layouts, or more is
# made of it, it is loaded once for each. In a loop, `tileas-unspecialized-pipeline` copies tiles to
# shared memory ahead of time, if no two threads copy the same element: there loads keep their
# layout, unless WGMMAs of the loop have a producer warp. Beside these, what is broadcast may be
# computed from several tiles, as scales of both operands.


def anchor_broadcast_loads(function: FuncOp) -> bool:
    """
    Gives loads of a kernel with layouts the layouts of broadcasts; whether there are any. The
    kernel has no dots.
    """
    found = False
    for conversion, target in _find_broadcasts(function):
        load, layout = find_load(conversion.operands[0], target, is_shared=True)
        if load is None or layout is None or not isinstance(load.parent_op(), FuncOp):
            continue
        if _is_cheap_load(load, layout):
            set_anchor_layout(_load_for(conversion, target), LAYOUT, layout)
            found = True
    return found


def _chain_to_load(value: SSAValue) -> Iterator[Operation]:
    """The ops of one tile each that make a value of what a load gives, the last one first."""
    while isinstance(op := value.owner, Operation):
        yield op
        if isinstance(op, TiledLoadOp):
            return
        (value,) = _computed_tiles(op)


def _load_for(conversion: Operation, target: LinearLayout) -> TiledLoadOp:
    """The load of which a conversion's operand alone is made: a copy if more is made of it."""
    value = conversion.operands[0]
    load, _ = find_load(value, target)
    if load is not None:
        return load
    ops = [*_chain_to_load(value)]
    copies = dict[SSAValue, SSAValue]()
    for op in reversed(ops):
        Rewriter.insert_op(copy := op.clone(copies), InsertPoint.after(op))
        if isinstance(copy, TiledLoadOp):
            load = copy
    conversion.operands[0] = copies[value]
    assert load is not None
    return load


def anchor_loads_beside_mmas(function: FuncOp) -> bool:
    """
    The same for loads of loops whose dots are WGMMAs. What is broadcast may be computed from
    several tiles, and a tile be part of several broadcasts of one layout.
    """
    wanted: dict[TiledLoadOp, LinearLayout] = {}
    for conversion, target in _find_broadcasts(function):
        loads = find_loads(conversion.operands[0], target) or {}
        if all(
            _is_beside_mmas(load.parent_op())
            and _is_cheap_load(load, layout)
            and wanted.get(load, layout) == layout
            for load, layout in loads.items()
        ):
            wanted |= loads
    for load, layout in wanted.items():
        set_anchor_layout(load, LAYOUT, layout)
    return bool(wanted)


def anchor_made_operands(function: FuncOp) -> bool:
    """
    Gives loads that operands A of WGMMAs are made of in registers the layouts in which threads make
    them: a buffer stage is read in any layout. Whether there are any.
    """
    found = False
    for dot in filter(is_made, find_all(function, DotOp)):
        layout = get_anchor_layout(dot, LAYOUT_A, dot.a.type)
        assert layout is not None
        for load, own in (find_loads(dot.a, layout) or {}).items():
            set_anchor_layout(load, LAYOUT, own)
            found = True
    return found


def _find_broadcasts(function: FuncOp) -> Iterator[tuple[ConvertLayoutOp, LinearLayout]]:
    """What takes tiles through shared memory to be broadcast, with the layout that they get."""
    for conversion in find_all(function, ConvertLayoutOp):
        layouts = _layouts_through_shared(conversion)
        if layouts is not None and _is_broadcast(conversion.results[0]):
            yield conversion, layouts[1]


def _layouts_through_shared(
    conversion: ConvertLayoutOp,
) -> tuple[LinearLayout, LinearLayout] | None:
    """The layouts before and after a conversion, if that is by shared memory."""
    value, result = conversion.operands[0], conversion.results[0]
    source, target = layout_of(value.type), layout_of(result.type)
    if source is None or target is None:
        return None
    plan = plan_conversion(source, target, memory_bits(get_element(value.type)))
    return (source, target) if isinstance(plan, ThroughShared) else None


def _is_beside_mmas(loop: Operation | None) -> bool:
    """Whether dots of a loop are WGMMAs, whose operands a producer warp loads."""
    return isinstance(loop, scf.ForOp) and any(map(is_wgmma, loop.body.block.ops))


def _is_broadcast(value: SSAValue) -> bool:
    """Whether a value is broadcast, and nothing else is done with it."""
    if value.first_use is None:
        return False
    return all(isinstance(use.operation, BroadcastOp) for use in value.uses)


def _is_cheap_load(load: TiledLoadOp, layout: LinearLayout) -> bool:
    """Whether a thread loads what it needs in a layout by few instructions."""
    ty, vector = load.result.type, get_vector(load)
    if vector is None or not isinstance(ty, TensorType):
        return False
    width = min(vector.width, contiguous_run(layout, vector.dim))
    return layout.registers // width <= BROADCAST_ACCESSES


# Accesses to elements of several sizes take vectors of as many elements.
#
# Before:  %x = nv_tileas.load … : … -> tensor<2048xf16, eight elements of a thread>
#          %w = nv_tileas.load … : … -> tensor<2048xf32, four>
#          %c = nv_tileas.convert_layout %w : … -> tensor<2048xf32, eight>  // by shared memory
# After:   %x = nv_tileas.load … : … -> tensor<2048xf16, four>
#          %w = nv_tileas.load … : … -> tensor<2048xf32, four>
#
# Warps access the same bytes by twice as many instructions. To change layouts, threads would store
# to shared memory what they have loaded, and wait for each other.


def anchor_equal_vectors(function: FuncOp) -> bool:
    """
    Gives accesses of a kernel with layouts the layouts of accesses with shorter vectors, if tiles
    go through shared memory between the two; whether there are any.
    """
    accesses = dict[LinearLayout, list[Access]]()
    for op in find_all(function, PointerLoad, PointerStore, TileLoad, TileStore):
        layout = get_anchor_layout(op, LAYOUT, _accessed(op).type)
        if layout is not None:
            accesses.setdefault(layout, []).append(op)
    found = False
    for conversion in find_all(function, ConvertLayoutOp):
        pair = _layouts_through_shared(conversion)
        for long, short in () if pair is None else (pair, pair[::-1]):
            if long not in accesses or short not in accesses:
                continue
            if all(_may_shorten(op, long, short) for op in accesses[long]):
                for op in accesses[long]:
                    set_anchor_layout(op, LAYOUT, short)
                accesses[short] += accesses.pop(long)
                found = True
    return found


def _accessed(op: Access) -> SSAValue:
    """The tile that an access loads or stores."""
    return op.result if isinstance(op, PointerLoad | TileLoad) else op.value


def _may_shorten(op: Access, long: LinearLayout, short: LinearLayout) -> bool:
    """Whether an access has shorter vectors in a layout, which are long enough."""
    vector = get_vector(op)
    if vector is None:
        return False
    run = contiguous_run(short, vector.dim)
    size = run * memory_bits(get_element(_accessed(op).type)) // 8
    return run < contiguous_run(long, vector.dim) and size >= SHORTENED_BYTES


# Loads of tiles that are scanned give each thread consecutive elements along the axis of the scan.
#
# Before:  %x = nv_tileas.tiled_load … : … -> tensor<128x128xf32, rows 0, 8, 16, … of a thread>
#          %y = nv_tileas.scan %x {axis = 0} …            // warps exchange totals sixteen times
# After:   %x = nv_tileas.tiled_load … : … -> tensor<128x128xf32, rows 0, 1, 2, … of a thread>
#          %y = nv_tileas.scan %x {axis = 0} …            // once
#
# Which rows a warp loads makes no difference to memory, as long as rows themselves are loaded as
# before. A scan along the contiguous dimension is left alone: there lanes have neighbours.


def anchor_scanned_loads(function: FuncOp) -> bool:
    """Gives loads of a kernel with layouts those that suit scans; whether there are any."""
    found = False
    for op in find_all(function, ScanOp):
        for operand in op.operands:
            layout = layout_of(operand.type)
            if layout is None or (wanted := with_runs_along(layout, op.get_axis())) == layout:
                continue
            load, own = find_load(operand, wanted)
            if load is None or own is None or not _keeps_vectors(load, own):
                continue
            set_anchor_layout(load, LAYOUT, own)
            found = True
    return found


def with_runs_along(layout: LinearLayout, axis: int) -> LinearLayout:
    """
    A layout with the same bits along an axis in another order: those of registers count
    neighbours, then those of lanes, then those of warps.
    """
    bits: list[tuple[str, int]] = []
    steps: list[int] = []
    for name in ("register", "lane", "warp"):
        for bit, basis in enumerate(layout.bases(name)):
            place = unflatten(basis, layout.shape)
            if place[axis] and not any(place[:axis]) and not any(place[axis + 1 :]):
                bits.append((name, bit))
                steps.append(place[axis])
    bases = {name: list(layout.bases(name)) for name in ("register", "lane", "warp")}
    for (name, bit), step in zip(bits, sorted(steps), strict=True):
        place = [0] * len(layout.shape)
        place[axis] = step
        bases[name][bit] = flatten(place, layout.shape)
    return layout.replaced(**{name: tuple(each) for name, each in bases.items()})


def _keeps_vectors(load: TiledLoadOp, layout: LinearLayout) -> bool:
    """Whether a load in a layout accesses as wide vectors, of as many neighbours, as before."""
    before, vector = layout_of(load.result.type), get_vector(load)
    if before is None or vector is None:
        return False
    bits = memory_bits(get_element(load.result.type))
    return coalesced_bytes(layout, vector.dim, bits) >= coalesced_bytes(before, vector.dim, bits)


# Tiles in the bodies of reductions and scans.
#
# A body works on single elements, and each thread runs it for its own. A tile in it that depends
# on none of them is loop-invariant: it is hoisted, and computed by all threads together.


def hoist_tiles(function: Operation) -> None:
    """Hoists tiles out of bodies, with their backward slices."""
    for op in walk(function):
        # A nested one may have been hoisted out of its parent already, which changes nothing.
        if isinstance(op, AggregateOperation) and any(map(_has_tile, op.body.walk())):
            _hoist(op, op.body.block)
            for each in op.body.walk():
                if _has_tile(each):
                    fail(
                        each,
                        f"'{each.name}' op has a tile that depends on the elements of "
                        f"'{op.name}', which cannot be lowered to threads",
                    )


def _hoist(outer: AggregateOperation, block: Block) -> None:
    for op in tuple(block.ops):
        if not op.has_trait(IsTerminator) and not _depends(op, outer):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(outer))
            continue
        for region in op.regions:
            for nested in region.blocks:
                _hoist(outer, nested)


def _depends(op: Operation, outer: AggregateOperation) -> bool:
    """Whether an op depends on values that another op defines inside."""
    return any(
        outer.is_ancestor(operand.owner) and not op.is_ancestor(operand.owner)
        for each in walk(op)
        for operand in each.operands
    )


def _has_tile(op: Operation) -> bool:
    return any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results))
