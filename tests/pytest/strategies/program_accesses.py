"""Accesses to memory of random programs that can be run; see `programs.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import (
    IntegerType,
    StringAttr,
    f4E2M1FN,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, SSAValue

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile import (
    AtomicMode,
    DenseElementsAttr,
    MemoryOrdering,
    MemoryScope,
    PaddingValue,
    PtrAttr,
    PtrType,
    Signedness,
    TensorViewType,
    TileType,
    TileViewType,
)
from tileiras_xdsl.interpreter.elements import memory_bytes

from .functions import I32, TOKEN, atomic_elements, tile_of
from .program_builder import (
    ADDRESSABLE,
    SAME_SIZE,
    WIDE_INTEGERS,
    ProgramBuilder,
    Results,
)
from .types import FLOATS, INTEGERS, NUMBERS, fits, i4, shapes

SLOT_ALIGNMENT = 16
COMMUTATIVE = (
    AtomicMode.ADD,
    AtomicMode.AND,
    AtomicMode.OR,
    AtomicMode.XOR,
    AtomicMode.MAX,
    AtomicMode.MIN,
    AtomicMode.UMAX,
    AtomicMode.UMIN,
)
SHARED_SIZE = 8
GLOBAL_PART = 16
"""Elements of a global variable that a CTA may write to."""
VIEW_SCOPES = (MemoryScope.TL_BLK, MemoryScope.GPU)
SCOPES = (*VIEW_SCOPES, MemoryScope.SYS)
ORDERINGS = (
    MemoryOrdering.RELAXED,
    MemoryOrdering.ACQUIRE,
    MemoryOrdering.RELEASE,
    MemoryOrdering.ACQ_REL,
)
MODES = tuple(mode for mode in AtomicMode if mode not in (AtomicMode.ADDU, AtomicMode.CMPXCHG))
"""Scopes, orderings and modes that bytecode has too."""


@dataclass(frozen=True)
class Slot:
    """Memory that only one CTA touches: where it is, and how it may be touched."""

    pointer: SSAValue
    size: int
    is_chained: bool


@dataclass(frozen=True)
class Dims:
    """Sizes and strides of a tensor, and the part of memory it needs."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def reach(self) -> int:
        extents = zip(self.sizes, self.strides, strict=True)
        return sum((size - 1) * stride for size, stride in extents) + 1


@dataclass(frozen=True)
class View:
    """A view, the tensor it is of, and how many tiles it has along each dimension."""

    value: SSAValue
    type: TileViewType
    tensor: SSAValue
    counts: list[int]


class AccessBuilder(ProgramBuilder):
    """Adds accesses to memory, and what else has an effect."""

    scopes: Sequence[MemoryScope] = SCOPES
    view_scopes: Sequence[MemoryScope] = VIEW_SCOPES
    orderings: Sequence[MemoryOrdering] = ORDERINGS
    modes: Sequence[AtomicMode] = MODES

    # Tokens

    def ordering(self, last: MemoryOrdering) -> tuple[MemoryOrdering, MemoryScope | None]:
        ordering = self.draws.choose((MemoryOrdering.WEAK, MemoryOrdering.RELAXED, last))
        weak = ordering is MemoryOrdering.WEAK
        return ordering, None if weak else self.draws.choose(self.scopes)

    def may_access(self) -> bool:
        """Whether an access that writes can be put here at all."""
        return self.place.is_ordered or not self.place.repeats

    def before(self, slot: Slot) -> SSAValue | None:
        """The token an access to a slot comes after."""
        if slot.is_chained or self.place.repeats:
            return self.order
        return self.token()

    def after(self, slot: Slot, token: SSAValue) -> None:
        """The token of an access to a slot."""
        if slot.is_chained or self.place.repeats:
            self.order = token
        else:
            self.show([token])

    def join_order(self) -> None:
        """Makes all that follows come after some other tokens too, or after a fence."""
        if not self.place.is_ordered:
            return
        match self.draws.integer(0, 4):
            case 0:
                self.order = self.hide(ct.MemoryFenceAliasOp(self.order)).result_token
            case 1:
                self.order = self.hide(ct.GdcWaitOp(self.order)).results[0]
            case 2:
                self.order = self.hide(ct.GdcLaunchDependentsOp(self.order)).results[0]
            case 3:
                self.order = self.hide(ct.TokenJoinOp([self.order])).results[0]
            case _:
                tokens = [self.order, self.value(TOKEN)]
                self.order = self.hide(ct.JoinTokensOp(self.draws.shuffled(tokens))).result

    def fork(self) -> None:
        """Two chains of accesses to different slots, joined again."""
        if not self.place.is_ordered:
            return
        start = self.order
        slots: list[tuple[Attribute, Slot]] = []
        for _ in range(2):
            element = self.draws.choose(ADDRESSABLE)
            slots.append((element, self.new_slot(element, 16, is_chained=True)))
        ends: list[SSAValue] = []
        for element, slot in slots:
            self.order = start
            ty = TileType(element, (self.draws.choose((2, 4, 8)),))
            for _ in range(self.draws.integer(1, 3)):
                self.touch(slot, ty)
            ends.append(self.order)
        self.order = self.hide(ct.JoinTokensOp(ends)).result

    # Slots

    def result_array(self, element: Attribute) -> Results:
        """The array that results of an element type go to."""
        if element not in self.results:
            # The size is known in the end.
            base = self.parameters.add(TileType(PtrType(element)), np.empty(0))
            stride = self.parameters.add(I32, 0)
            self.results[element] = Results(base, stride)
        return self.results[element]

    def finish_results(self) -> None:
        """Gives the arrays of results their sizes, and fills them."""
        values, blocks = self.parameters.values, prod(self.grid)
        for element, results in self.results.items():
            assert isinstance(results.base, BlockArgument)
            number = results.base.index
            used = max(results.used, SLOT_ALIGNMENT)
            values[number] = self.parameters.elements(element, used * blocks)
            values[number + 1] = used

    def new_slot(self, element: Attribute, size: int, *, is_chained: bool) -> Slot:
        results = self.result_array(element)
        offset = results.used
        results.used += -(-size // SLOT_ALIGNMENT) * SLOT_ALIGNMENT
        if is_chained:
            results.chained.append((offset, size))
        return self.slot_at(results, offset, size, is_chained=is_chained)

    def slot_at(self, results: Results, offset: int, size: int, *, is_chained: bool) -> Slot:
        part = self.hide(ct.MulIOp(self.block_number, results.stride)).result
        if self.draws.flag():
            place = self.hide(ct.AddIOp(part, self.splat(I32, offset))).result
            pointer = self.hide(ct.OffsetOp(results.base, place)).result
        else:
            start = self.hide(ct.OffsetOp(results.base, part)).result
            element = self.draws.choose((i16, i32, i64))
            more = self.splat(TileType(element), offset)
            pointer = self.hide(ct.OffsetOp(start, more)).result
        return Slot(pointer, size, is_chained)

    def slot(self, element: Attribute, size: int) -> Slot:
        """A slot for an access here: a new one, or one that has been touched before."""
        if not self.place.is_ordered:
            return self.new_slot(element, size, is_chained=False)
        results = self.result_array(element)
        old = [(offset, held) for offset, held in results.chained if held >= size]
        if old and self.draws.flag(60):
            offset, held = self.draws.choose(old)
            return self.slot_at(results, offset, held, is_chained=True)
        is_chained = self.place.repeats or self.draws.flag(60)
        return self.new_slot(element, size, is_chained=is_chained)

    def lanes(self, pointer: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A pointer for each element of a tile, to different elements of a slot."""
        count = prod(shape)
        pointers = self.spread(pointer, shape)
        if not shape:
            return pointers
        element = self.draws.choose((i16, i32, i64))
        numbers = self.hide(ct.IotaOp(TileType(element, (count,)))).result
        match self.draws.integer(0, 3):
            case 0:
                turn = self.splat(tile_of(numbers), self.draws.integer(0, count - 1))
                numbers = self.hide(ct.XOrIOp(numbers, turn)).result
            case 1:
                last = self.splat(tile_of(numbers), count - 1)
                numbers = self.hide(ct.SubIOp(last, numbers)).result
            case _:
                pass
        if len(shape) > 1:
            numbers = self.hide(ct.ReshapeOp(numbers, tile_of(numbers).with_shape(shape))).result
        if self.draws.flag(30):
            # In two steps, the second one back.
            eight = self.splat(tile_of(numbers), 8)
            numbers = self.hide(ct.AddIOp(numbers, eight)).result
            pointers = self.hide(ct.OffsetOp(pointers, numbers)).result
            back = self.splat(TileType(self.draws.choose(WIDE_INTEGERS), shape), -8)
            return self.hide(ct.OffsetOp(pointers, back)).result
        return self.hide(ct.OffsetOp(pointers, numbers)).result

    def some_mask(self, shape: Sequence[int]) -> SSAValue | None:
        """A mask: none, any, or one that is true up to a number of lanes."""
        if self.draws.flag(40):
            return None
        ty = TileType(i1, shape)
        if self.draws.flag() or len(shape) != 1:
            return self.value(ty)
        numbers = self.hide(ct.IotaOp(TileType(i32, shape))).result
        limit = self.spread(self.value(I32), shape)
        below = ct.ComparisonPredicate.LESS_THAN
        return self.add(ct.CmpIOp(numbers, limit, below, self.signedness())).result

    # Pointers to inputs

    def base_pointer(self, pointer: PtrType) -> SSAValue:
        """A pointer to the first element of something that is only read."""
        element = pointer.pointee
        known = [
            symbol
            for symbol in self.symbols
            if symbol.elements.element_type == element and symbol.constant is not None
        ]
        if self.draws.flag(20):
            if not known or self.draws.flag(30):
                known = [self.new_global(element, self.input_size, is_constant=True)]
            return self.global_pointer(self.draws.choose(known), pointer)
        relatives = next((group for group in SAME_SIZE if element in group), (element,))
        source = self.draws.choose(relatives)
        base = self.input(source)
        if base.type == TileType(pointer):
            return base
        return self.hide(ct.PtrToPtrOp(base, TileType(pointer))).result

    def make_pointers(self, ty: TileType, pointer: PtrType) -> SSAValue:
        """Pointers to elements that may be read."""
        shape, draws = ty.get_shape(), self.draws
        base = self.base_pointer(pointer)
        if draws.flag(15):
            number = self.hide(ct.PtrToIntOp(base, TileType(i64))).result
            base = self.hide(ct.IntToPtrOp(number, TileType(pointer))).result
        if not self.place.is_pure and draws.flag(15):
            base = self.hide(ct.AssumeOp(base, ct.DivByAttr((16, None, None)))).result
        pointers = self.spread(base, shape)
        index = TileType(draws.choose(WIDE_INTEGERS), shape)
        if draws.flag(20):
            pointers = self.move_bytes(pointers)
        if draws.flag(60):
            indices = self.masked(self.value(index), 127)
            pointers = self.hide(ct.OffsetOp(pointers, indices)).result
        else:
            # Forth, then back.
            indices = self.masked(self.value(index), 63)
            indices = self.hide(ct.AddIOp(indices, self.splat(index, 64))).result
            pointers = self.hide(ct.OffsetOp(pointers, indices)).result
            other = TileType(draws.choose(INTEGERS), shape)
            back = self.hide(ct.OrIOp(self.value(other), self.splat(other, -64))).result
            pointers = self.hide(ct.OffsetOp(pointers, back)).result
        self.show([pointers])
        return pointers

    def move_bytes(self, pointers: SSAValue) -> SSAValue:
        """Pointers moved by up to eight elements, which are counted in bytes."""
        ty = tile_of(pointers)
        pointer = ty.element_type
        assert isinstance(pointer, PtrType)
        steps = self.masked(self.value(ty.with_element(i32)), 7)
        size = self.splat(tile_of(steps), memory_bytes(pointer.pointee))
        steps = self.hide(ct.MulIOp(steps, size)).result
        to_bytes = self.hide(ct.PtrToPtrOp(pointers, ty.with_element(PtrType(i8)))).result
        moved = self.hide(ct.OffsetOp(to_bytes, steps)).result
        return self.hide(ct.PtrToPtrOp(moved, ty)).result

    def offset(self) -> None:
        self.make(self.pointer_type())

    def pointer_number(self) -> None:
        """How far a pointer is from another, in bytes."""
        element = self.draws.choose(ADDRESSABLE)
        base = self.base_pointer(PtrType(element))
        step = self.masked(self.value(TileType(self.draws.choose(WIDE_INTEGERS))), 63)
        moved = self.hide(ct.OffsetOp(base, step)).result
        first, second = (
            self.hide(ct.PtrToIntOp(pointer, TileType(i64))).result for pointer in (base, moved)
        )
        self.add(ct.SubIOp(second, first))

    def pointer_cast(self) -> None:
        """Pointers with another attribute, and back."""
        element = self.draws.choose(ADDRESSABLE)
        pointers = self.value(TileType(PtrType(element), shapes(self.draws, limit=8)))
        other = tile_of(pointers).with_element(PtrType(element, PtrAttr.NONE))
        cast = self.hide(ct.PtrToPtrOp(pointers, other)).result
        self.add(ct.PtrToPtrOp(cast, tile_of(pointers)))

    def load_ptr(self) -> None:
        shape = shapes(self.draws, max_rank=self.max_rank, limit=self.limit)
        self.load_pointers(self.value(TileType(PtrType(self.draws.choose(ADDRESSABLE)), shape)))

    def load_pointers(self, source: SSAValue) -> SSAValue:
        ty = tile_of(source)
        pointer = ty.element_type
        assert isinstance(pointer, PtrType)
        mask = self.some_mask(ty.get_shape())
        padding = None if mask is None else self.value(ty.with_element(pointer.pointee))
        ordering, scope = self.ordering(MemoryOrdering.ACQUIRE)
        return self.add(
            ct.LoadPtrOp(
                source,
                mask,
                padding,
                self.token(),
                memory_ordering_semantics=ordering,
                memory_scope=scope,
                optimization_hints=self.hints(),
            )
        ).result

    def load_input(self, ty: TileType) -> SSAValue:
        element = ty.element_type
        if ty.rank and (element == f4E2M1FN or self.draws.flag(60)):
            return self.load_whole(ty)
        if element == f4E2M1FN:
            return self.make_constant(ty)
        source = self.make_pointers(ty.with_element(PtrType(element)), PtrType(element))
        return self.add(ct.LoadPtrOp(source)).result

    def load_whole(self, ty: TileType) -> SSAValue:
        """A tile at the beginning of an input, read through a view."""
        tile = ty.get_shape()
        steps = [prod(tile[dim + 1 :]) for dim in range(len(tile))]
        view = TensorViewType(ty.element_type, list(tile), steps)
        tensor = self.hide(ct.MakeTensorViewOp(self.input(ty.element_type), [], [], view))
        partition = ct.PartitionViewType(list(tile), view)
        source = self.hide(ct.MakePartitionViewOp(tensor, partition))
        zeros = [self.splat(I32, 0)] * len(tile)
        return self.add(ct.LoadViewOp(source, zeros)).tile

    # Views

    def dims(self, sizes: Sequence[int], room: int) -> Dims:
        """A layout of a tensor: dimensions in some order, possibly with gaps between them."""
        order = self.draws.shuffled(range(len(sizes)))
        strides = [1] * len(sizes)
        step = 1
        for dim in order:
            gap = self.draws.choose((0, 0, 0, 1, 2))
            if (step + gap) * prod(sizes[d] for d in order[order.index(dim) :]) <= room:
                step += gap
            strides[dim] = step
            step *= sizes[dim]
        found = Dims(tuple(sizes), tuple(strides))
        if found.reach > room:
            contiguous = [prod(sizes[dim + 1 :]) for dim in range(len(sizes))]
            found = Dims(tuple(sizes), tuple(contiguous))
        assert found.reach <= room
        return found

    def tensor(self, base: SSAValue, dims: Dims) -> SSAValue:
        """A tensor view; sizes and strides are a part of its type or not."""
        draws = self.draws
        pointer = tile_of(base).element_type
        assert isinstance(pointer, PtrType)

        def hidden(numbers: Sequence[int]) -> list[int | None]:
            return [None if draws.flag(35) else number for number in numbers]

        sizes, strides = hidden(dims.sizes), hidden(dims.strides)
        ty = TensorViewType(pointer.pointee, sizes, strides)
        kind = TileType(draws.choose((i16, i32, i64)))

        def given(numbers: Sequence[int], known: Sequence[int | None]) -> list[SSAValue]:
            pairs = zip(numbers, known, strict=True)
            return [self.size(kind, number) for number, fixed in pairs if fixed is None]

        view = self.hide(
            ct.MakeTensorViewOp(base, given(dims.sizes, sizes), given(dims.strides, strides), ty)
        ).result
        if draws.flag(10) and not self.place.is_pure:
            view = self.hide(ct.AssumeOp(view, ct.DivByAttr((1, None, None)))).result
        self.sizes[view] = dims.sizes
        return view

    def size(self, ty: TileType, number: int) -> SSAValue:
        """A number that the program is called with, or knows."""
        if self.draws.flag(30):
            return self.splat(ty, number)
        return self.parameters.add(ty, number)

    def tile_shape(self, element: Attribute) -> list[int]:
        shape = shapes(self.draws, min_rank=1, max_rank=self.max_rank - 1, limit=self.limit)
        return shape if fits(element, shape) else [2, *shape[1:]]

    def input_view(self, kind: type[TileViewType], element: Attribute, padded: bool) -> View:
        """A view of an input."""
        draws = self.draws
        tile = self.tile_shape(element)
        rank = len(tile)
        dim_map = draws.shuffled(range(rank)) if draws.flag() else list(range(rank))
        if kind is ct.GatherScatterViewType:
            dim_map = list(range(rank))
        sizes = [1] * rank
        for size, dim in zip(tile, dim_map, strict=True):
            room = self.input_size // prod(sizes)
            if padded:
                sizes[dim] = min(draws.integer(1, 2 * size + 1), room)
            else:
                sizes[dim] = size * draws.choose((1, 2, 3))
        if prod(sizes) > self.input_size:
            sizes = [tile[dim_map.index(dim)] for dim in range(rank)]
        base = (
            self.base_pointer(PtrType(element)) if element in ADDRESSABLE else self.input(element)
        )
        tensor = self.tensor(base, self.dims(sizes, self.input_size))
        return self.view_of(kind, tensor, tile, dim_map, padded)

    def view_of(
        self,
        kind: type[TileViewType],
        tensor: SSAValue,
        tile: Sequence[int],
        dim_map: Sequence[int],
        padded: bool,
    ) -> View:
        draws, ty = self.draws, tensor.type
        assert isinstance(ty, TensorViewType)
        padding = None
        if padded:
            is_float = ty.element_type in FLOATS
            padding = draws.choose(tuple(PaddingValue) if is_float else (PaddingValue.ZERO,))
        sizes = [self.sizes[tensor][dim] for dim in dim_map]
        if kind is ct.PartitionViewType:
            view = ct.PartitionViewType(list(tile), ty, list(dim_map), padding)
            steps = list(tile)
        elif kind is ct.StridedViewType:
            steps = [draws.choose((1, 2, 3, size)) for size in tile]
            view = ct.StridedViewType(list(tile), steps, ty, list(dim_map), padding)
        else:
            view = ct.GatherScatterViewType(
                list(tile), ty, draws.integer(0, len(tile) - 1), padding
            )
            steps = [1] * len(tile)
        pairs = list(zip(sizes, tile, steps, strict=True))
        if padded:
            counts = [-(-size // step) + 1 for size, _, step in pairs]
        else:
            counts = [(size - part) // step + 1 for size, part, step in pairs]
        return View(self.hide(make_view(tensor, view)).result, view, tensor, counts)

    def view_indices(
        self, view: TileViewType, sizes: Sequence[int], counts: Sequence[int], *, unique: bool
    ) -> list[SSAValue]:
        """Indices of a tile of a view."""
        element = self.draws.choose(WIDE_INTEGERS)
        indices: list[SSAValue] = []
        for dim, count in enumerate(counts):
            if isinstance(view, ct.GatherScatterViewType) and dim == view.sparse_dim:
                size = view.get_tile_shape()[dim]
                room = sizes[dim] + (3 if view.padding is not None else 0)
                indices.append(self.sparse_index(size, room, unique=unique))
            elif self.draws.flag(20) and element == i32 and count > 1:
                number = self.block_id.results[self.draws.integer(0, 2)]
                limit = self.splat(I32, count)
                indices.append(self.hide(ct.RemIOp(number, limit, Signedness.UNSIGNED)).result)
            else:
                indices.append(self.bounded(element, count))
        return indices

    def sparse_index(self, size: int, room: int, *, unique: bool) -> SSAValue:
        """Places along a dimension, each below `room`."""
        ty = TileType(self.draws.choose(WIDE_INTEGERS), (size,))
        if not unique:
            limit = self.splat(ty, room)
            return self.hide(ct.RemIOp(self.value(ty), limit, Signedness.UNSIGNED)).result
        numbers = self.hide(ct.IotaOp(ty)).result
        if self.draws.flag():
            turn = self.splat(ty, self.draws.integer(0, size - 1))
            numbers = self.hide(ct.XOrIOp(numbers, turn)).result
        return numbers

    def inside_all(self, rank: int, padded: bool) -> list[bool] | None:
        return None if padded or self.draws.flag() else [self.draws.flag() for _ in range(rank)]

    def load_view(self) -> None:
        draws = self.draws
        element, padded = draws.choose(NUMBERS), draws.flag(60)
        kind = draws.choose((ct.PartitionViewType, ct.StridedViewType, ct.GatherScatterViewType))
        view = self.input_view(kind, element, padded)
        sizes = self.sizes[view.tensor]
        ordering, scope = self.ordering(MemoryOrdering.ACQUIRE)
        if draws.flag(30):
            self.show_shapes(view)
        self.add(
            ct.LoadViewOp(
                view.value,
                self.view_indices(view.type, sizes, view.counts, unique=False),
                self.token(),
                memory_ordering_semantics=ordering,
                memory_scope=scope,
                optimization_hints=self.hints(),
                inbounds=self.inside_all(view.type.rank, padded),
            )
        )

    def show_shapes(self, view: View) -> None:
        """The sizes of a view as numbers of the program."""
        types = [TileType(self.draws.choose((i16, i32, i64)))] * view.type.rank
        if self.draws.flag():
            self.add(ct.GetTensorShapeOp(view.tensor, types))
        else:
            self.add(ct.GetIndexSpaceShapeOp(view.value, types))

    def view_sizes(self) -> None:
        kind = self.draws.choose((ct.PartitionViewType, ct.StridedViewType))
        element = self.draws.choose(NUMBERS)
        self.show_shapes(self.input_view(kind, element, self.draws.flag()))

    # Writing

    def observe_unused(self, values: Sequence[SSAValue], limit: int) -> None:
        unused = [
            value
            for value in values
            if value.first_use is None
            and isinstance(value.type, TileType)
            and not isinstance(value.type.element_type, PtrType)
        ]
        for value in unused[-limit:]:
            if self.may_access():
                self.observe(value)

    def observe(self, value: SSAValue) -> None:
        """Makes a tile of numbers a part of the results."""
        ty = tile_of(value)
        if ty.element_type == i4:
            ty = ty.with_element(i8)
            value = self.hide(ct.ExtIOp(value, ty, self.signedness())).to
        if ty.element_type == f4E2M1FN or (ty.rank and self.draws.flag(30)):
            self.store_tile(value)
            return
        slot = self.slot(ty.element_type, max(ty.element_count(), 8))
        self.store_lanes(slot, value)

    def store_lanes(self, slot: Slot, value: SSAValue) -> None:
        """Writes a tile through pointers."""
        shape = tile_of(value).get_shape()
        mask = self.some_mask(shape) if self.draws.flag(30) else None
        ordering, scope = self.ordering(MemoryOrdering.RELEASE)
        pointers = self.lanes(slot.pointer, shape)
        op = self.hide(
            ct.StorePtrOp(
                pointers,
                value,
                mask,
                self.before(slot),
                memory_ordering_semantics=ordering,
                memory_scope=scope,
                optimization_hints=self.hints(),
            )
        )
        self.after(slot, op.result_token)

    def load_lanes(self, slot: Slot, ty: TileType) -> SSAValue:
        """Reads a tile of a slot through pointers."""
        assert slot.is_chained
        pointers = self.lanes(slot.pointer, ty.get_shape())
        op = self.hide(ct.LoadPtrOp(pointers, None, None, self.order))
        self.order = op.result_token
        self.show([op.result])
        return op.result

    def touch(self, slot: Slot, ty: TileType) -> None:
        """Reads or writes a slot in order."""
        element = ty.element_type
        modes = [mode for mode in self.modes if element in atomic_elements(mode)]
        match self.draws.integer(0, 3):
            case 0:
                self.load_lanes(slot, ty)
            case 1 if modes:
                self.update_lanes(slot, ty, self.draws.choose(modes))
            case _:
                self.store_lanes(slot, self.value(ty))

    def writable_view(
        self, kind: type[TileViewType], ty: TileType
    ) -> tuple[Slot, View, list[SSAValue]]:
        """A slot, a view of it, and indices of one of its tiles."""
        draws, tile = self.draws, list(ty.get_shape())
        rank = len(tile)
        dim_map = draws.shuffled(range(rank)) if draws.flag() else list(range(rank))
        if kind is ct.GatherScatterViewType:
            dim_map = list(range(rank))
        sizes = [1] * rank
        for size, dim in zip(tile, dim_map, strict=True):
            # What does not fit into the tensor is not written.
            sizes[dim] = draws.choose((size, size, max(size - 1, 1), size + 1, 2 * size))
        room = prod(sizes) + 8 * (ty.element_type != f4E2M1FN)
        slot = self.slot(ty.element_type, room)
        tensor = self.tensor(slot.pointer, self.dims(sizes, room))
        view = self.view_of(kind, tensor, tile, dim_map, padded=False)
        counts = [
            max(-(-sizes[dim] // step), 1)
            for dim, step in zip(dim_map, steps_of(view.type), strict=True)
        ]
        return slot, view, self.view_indices(view.type, sizes, counts, unique=True)

    def store_tile(self, value: SSAValue) -> None:
        """Writes a tile through a view."""
        kinds = (ct.PartitionViewType, ct.StridedViewType, ct.GatherScatterViewType)
        kind = self.draws.choose(kinds)
        slot, view, indices = self.writable_view(kind, tile_of(value))
        ordering, scope = self.ordering(MemoryOrdering.RELEASE)
        op = self.hide(
            ct.StoreViewOp(
                value,
                view.value,
                indices,
                self.view_mask(tile_of(value)),
                self.before(slot),
                memory_ordering_semantics=ordering,
                memory_scope=scope,
                optimization_hints=self.hints(),
            )
        )
        self.after(slot, op.result_token)

    def view_mask(self, ty: TileType) -> SSAValue | None:
        """The mask of an access through a view, which bytecode has none of."""
        return None

    def store_ptr(self) -> None:
        if self.may_access():
            value = self.tile(ADDRESSABLE)
            slot = self.slot(tile_of(value).element_type, max(tile_of(value).element_count(), 8))
            self.store_lanes(slot, value)

    def store_view(self) -> None:
        if self.may_access():
            self.store_tile(self.tile(NUMBERS, min_rank=1, max_rank=self.max_rank - 1))

    def read_back(self) -> None:
        """Reads what may have been written before."""
        if not self.place.is_ordered:
            return
        element = self.draws.choose(ADDRESSABLE)
        slot = self.slot(element, 16)
        if not slot.is_chained:
            slot = self.new_slot(element, 16, is_chained=True)
        for _ in range(self.draws.integer(1, 3)):
            self.touch(slot, TileType(element, shapes(self.draws, limit=8)))
        self.load_lanes(slot, TileType(element, shapes(self.draws, limit=8)))

    # Atomics

    def update_lanes(self, slot: Slot, ty: TileType, mode: AtomicMode) -> None:
        pointers = self.lanes(slot.pointer, ty.get_shape())
        op = self.hide(
            ct.AtomicRMWOp(
                pointers,
                self.value(ty),
                self.some_mask(ty.get_shape()),
                self.before(slot),
                mode=mode,
                memory_ordering_semantics=self.draws.choose(self.orderings),
                memory_scope=self.draws.choose(self.scopes),
            )
        )
        self.after(slot, op.result_token)
        self.show([op.result])

    def atomic_rmw(self) -> None:
        if not self.may_access():
            return
        mode = self.draws.choose(self.modes)
        ty = self.tile_type(atomic_elements(mode))
        slot = self.slot(ty.element_type, max(ty.element_count(), 8))
        self.update_lanes(slot, ty, mode)

    def atomic_cas(self) -> None:
        if not self.may_access():
            return
        ty = self.tile_type(atomic_elements(AtomicMode.XCHG))
        slot = self.slot(ty.element_type, max(ty.element_count(), 8))
        pointers = self.lanes(slot.pointer, ty.get_shape())
        compared = self.value(ty)
        if slot.is_chained and self.draws.flag(60):
            # Where the mask is true, memory holds what is compared with.
            op = self.hide(ct.LoadPtrOp(pointers, None, None, self.order))
            self.order = op.result_token
            mask = self.value(ty.with_element(i1))
            compared = self.hide(ct.SelectOp(mask, op.result, compared)).result
        op = self.hide(
            ct.AtomicCASOp(
                pointers,
                compared,
                self.value(ty),
                self.some_mask(ty.get_shape()),
                self.before(slot),
                memory_ordering_semantics=self.draws.choose(self.orderings),
                memory_scope=self.draws.choose(self.scopes),
            )
        )
        self.after(slot, op.result_token)
        self.show([op.result])

    def atomic_red_view(self) -> None:
        if not self.may_access():
            return
        mode = self.draws.choose([mode for mode in self.modes if mode is not AtomicMode.XCHG])
        element = self.draws.choose(atomic_elements(mode))
        ty = TileType(element, self.tile_shape(element))
        kind = self.draws.choose((ct.PartitionViewType, ct.StridedViewType))
        slot, view, indices = self.writable_view(kind, ty)
        value = self.value(ty)
        op = self.hide(
            ct.AtomicRedViewOp(
                view.value,
                indices,
                value,
                self.before(slot),
                mode=mode,
                memory_scope=self.draws.choose(self.view_scopes),
            )
        )
        self.after(slot, op.result_token)

    def count_shared(self) -> None:
        """Changes counters that all CTAs share; what they were is not looked at."""
        mode = self.draws.choose(COMMUTATIVE)
        element = self.draws.choose((i32, i64))
        key = (element, mode)
        if key not in self.shared:
            data = self.parameters.elements(element, SHARED_SIZE)
            self.shared[key] = self.parameters.add(TileType(PtrType(element)), data)
        shape = shapes(self.draws, max_rank=2, limit=16)
        pointers = self.spread(self.shared[key], shape)
        index = self.masked(self.value(TileType(i32, shape)), SHARED_SIZE - 1)
        pointers = self.hide(ct.OffsetOp(pointers, index)).result
        self.hide(
            ct.AtomicRMWOp(
                pointers,
                self.value(TileType(element, shape)),
                self.some_mask(shape),
                None,
                mode=mode,
                memory_ordering_semantics=MemoryOrdering.RELAXED,
                memory_scope=MemoryScope.GPU,
            )
        )

    # Memory of the program

    def alloca(self) -> None:
        if not self.place.is_ordered:
            return
        draws = self.draws
        element = draws.choose(ADDRESSABLE)
        alignment = draws.choose((8, 16, 128))
        op = ct.AllocaOp(TileType(PtrType(element)), 32, alignment, global_=draws.flag(30))
        slot = Slot(self.hide(op).result, 32, is_chained=True)
        whole = TileType(element, (32,))
        numbers = self.hide(ct.IotaOp(TileType(i32, (32,)))).result
        pointers = self.hide(ct.OffsetOp(self.spread(slot.pointer, (32,)), numbers)).result
        store = self.hide(ct.StorePtrOp(pointers, self.value(whole), None, self.order))
        self.order = store.result_token
        for _ in range(draws.integer(0, 2)):
            self.touch(slot, TileType(element, shapes(draws, limit=8)))
        self.load_lanes(slot, TileType(element, shapes(draws, limit=16)))

    def new_global(self, element: Attribute, size: int, *, is_constant: bool) -> ct.GlobalOp:
        ty = TileType(element, (size,))
        patterns = [self.bits(element) for _ in range(8)]
        bits = [self.draws.choose(patterns) for _ in range(size)]
        symbol = ct.GlobalOp(
            f"g{len(self.symbols)}",
            DenseElementsAttr.from_bits(ty, bits),
            self.draws.choose((16, 128) if is_constant else (0, 16, 128)),
            constant=is_constant,
            symbol_visibility=self.draws.choose(tuple(ct.SymbolVisibility)),
        )
        self.symbols.append(symbol)
        return symbol

    def global_pointer(self, symbol: ct.GlobalOp, pointer: PtrType) -> SSAValue:
        assert isinstance(symbol.sym_name, StringAttr)
        return self.hide(ct.GetGlobalOp(TileType(pointer), symbol.sym_name.data)).result

    def write_global(self) -> None:
        """Each CTA has its own part of a variable."""
        if not self.place.is_ordered:
            return
        element = self.draws.choose(ADDRESSABLE)
        blocks = 1 << (prod(self.grid) - 1).bit_length()
        symbol = self.new_global(element, GLOBAL_PART * blocks, is_constant=False)
        base = self.global_pointer(symbol, PtrType(element))
        start = self.hide(ct.MulIOp(self.block_number, self.splat(I32, GLOBAL_PART))).result
        pointer = self.hide(ct.OffsetOp(base, start)).result
        slot = Slot(pointer, GLOBAL_PART, is_chained=True)
        for _ in range(self.draws.integer(1, 2)):
            self.touch(slot, TileType(element, shapes(self.draws, limit=8)))
        self.load_lanes(slot, TileType(element, shapes(self.draws, limit=16)))

    # Text

    def format(self) -> tuple[StringAttr, list[SSAValue]]:
        pieces, arguments = list[str](), list[SSAValue]()
        for _ in range(self.draws.integer(0, 2)):
            value = self.tile(NUMBERS, max_rank=2)
            is_integer = isinstance(tile_of(value).element_type, IntegerType)
            conversions = ("%d", "%5i", "%x", "%lld") if is_integer else ("%f", "%.3e", "%g")
            pieces.append(self.draws.choose(conversions))
            arguments.append(value)
        pieces += self.draws.choose((["%%"], ["\n"], [" é\t"], ['"']))
        return StringAttr(" ".join(pieces)), arguments

    def print_tko(self) -> None:
        if self.place.is_ordered:
            fmt, arguments = self.format()
            op = self.hide(ct.PrintTkoOp(fmt, arguments, self.order))
            self.order = op.results[0]

    def print(self) -> None:
        if self.place.is_ordered:
            self.add(ct.PrintOp(*self.format()))


def make_view(
    tensor: SSAValue, ty: TileViewType
) -> ct.MakePartitionViewOp | ct.MakeStridedViewOp | ct.MakeGatherScatterViewOp:
    """The op that makes a view of a tensor."""
    if isinstance(ty, ct.PartitionViewType):
        return ct.MakePartitionViewOp(tensor, ty)
    if isinstance(ty, ct.StridedViewType):
        return ct.MakeStridedViewOp(tensor, ty)
    return ct.MakeGatherScatterViewOp(tensor, ty)


def steps_of(ty: TileViewType) -> Sequence[int]:
    """How far tiles of a view are apart."""
    if isinstance(ty, ct.StridedViewType):
        return ty.get_traversal_strides()
    if isinstance(ty, ct.GatherScatterViewType):
        return [1] * ty.rank
    return ty.get_tile_shape()
