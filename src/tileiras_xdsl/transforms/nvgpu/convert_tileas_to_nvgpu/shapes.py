"""Changes of shape: most only rename registers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, TensorType, VectorType
from xdsl.ir import SSAValue

from tileiras_xdsl.analysis.linear_layout import BitMap, LinearLayout, flatten
from tileiras_xdsl.dialects.arith import ExtSIOp, ExtUIOp, TruncIOp
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    AssumeOp,
    BroadcastOp,
    CatOp,
    ExpandDimsOperation,
    ExtractOp,
    InsertOp,
    MakeRangeOp,
    PermuteOp,
    ViewOperation,
)
from tileiras_xdsl.dialects.nvvm.fragments import FragmentStoreOp, count_lanes, element_bits
from tileiras_xdsl.transforms.tileas.kernel_model.layout_rules import cat_layout, result_layout

from .barriers import sync_threads
from .convert_layout import convert_value
from .exchange import (
    ElementOffsets,
    as_i32,
    emit_offsets,
    read_elements,
    read_tile,
    share_tile,
    storable,
)
from .patterns import lowers
from .thread_builder import ThreadBuilder
from .thread_index import get_coordinates, is_owner
from .vectors import concatenate, element_of, extract, index_pointers, select_registers, splat


@lowers(
    *("nv_tileaa.view", "nv_tileas.view", "nv_tileaa.expand_dims", "nv_tileas.expand_dims"),
    "nv_tileaa.permute",
)
def lower_renaming(
    code: ThreadBuilder, op: ViewOperation | ExpandDimsOperation | PermuteOp
) -> None:
    """The registers of the source, whose layout in the other shape may not be the one wanted."""
    value, result = code.value(op.source), op.results[0]
    if not isinstance(result.type, TensorType):
        code.set(result, extract(code, value, 0))
    elif not isinstance(op.source.type, TensorType):
        code.set(result, splat(code, value, code.layout(result).registers))
    else:
        layout = result_layout(op, code.layout(op.source))
        assert layout is not None
        code.set(result, convert_value(code, value, layout, code.layout(result)))


@lowers("nv_tileaa.broadcast")
def lower_broadcast(code: ThreadBuilder, op: BroadcastOp) -> None:
    shape = get_shape(op.source.type)
    result = code.layout(op.result)
    needed = result.restricted(shape)
    value = convert_value(code, code.value(op.source), code.layout(op.source), needed)
    code.set(op.result, select_registers(code, value, broadcast_indices(result, needed)))


def broadcast_indices(result: LinearLayout, source: LinearLayout) -> list[int]:
    """For each register of a broadcast, the register of the source that it repeats."""
    crop = BitMap.cropping(result.shape, source.shape)
    places = {source.element(register=index): index for index in range(source.registers)}
    return [places[crop.apply(result.element(register=index))] for index in range(result.registers)]


@lowers("nv_tileaa.cat")
def lower_cat(code: ThreadBuilder, op: CatOp) -> None:
    layout = code.layout(op.lhs)
    rhs = convert_value(code, code.value(op.rhs), code.layout(op.rhs), layout)
    both = concatenate(code, [code.value(op.lhs), rhs])
    joined = cat_layout(layout, op.dim.value.data)
    code.set(op.result, convert_value(code, both, joined, code.layout(op.result)))


@lowers("nv_tileaa.assume")
def lower_assume(code: ThreadBuilder, op: AssumeOp) -> None:
    code.set(op.result, *code.parts(op.value))


@lowers("nv_tileaa.make_range")
def lower_make_range(code: ThreadBuilder, op: MakeRangeOp) -> None:
    layout = code.layout(op.result)
    numbers = get_coordinates(code, layout, 0)
    ty = code.type(op.result)
    assert isinstance(ty, VectorType)
    element = ty.get_element_type()
    assert isinstance(element, IntegerType)
    if element.width.data < 32:
        numbers = code.emit(TruncIOp(numbers, ty)).result
    elif element.width.data > 32:
        numbers = code.emit(ExtUIOp(numbers, ty)).result
    start = resize(code, code.value(op.start), element)
    code.set(op.result, code.emit(arith.AddiOp(numbers, splat(code, start, layout.registers))))


def resize(code: ThreadBuilder, value: SSAValue, ty: IntegerType) -> SSAValue:
    """A scalar integer in another width, with its sign."""
    source = value.type
    assert isinstance(source, IntegerType)
    if source.width.data < ty.width.data:
        return code.emit(ExtSIOp(value, ty)).result
    if source.width.data > ty.width.data:
        return code.emit(TruncIOp(value, ty)).result
    return value


def _slice_start(
    code: ThreadBuilder, indices: Sequence[SSAValue], part: Sequence[int], whole: Sequence[int]
) -> SSAValue:
    """The number of the first element of a slice, as an i32."""
    start = code.constant(0)
    for dim, index in enumerate(indices):
        position = [0] * len(whole)
        position[dim] = 1
        step = flatten(position, whole) * (part[dim] if part else 1)
        term = arith.MuliOp(as_i32(code, code.value(index)), code.constant(step))
        start = code.emit(arith.AddiOp(start, code.emit(term))).result
    return start


def _embedded(layout: LinearLayout, whole: Sequence[int]) -> ElementOffsets:
    """Where the elements of a slice at the start of a tile are in it."""

    def embed(number: int) -> int:
        return flatten(layout.coordinates(number), whole)

    return ElementOffsets(
        [embed(basis) for basis in layout.lane],
        [embed(basis) for basis in layout.warp],
        [embed(layout.element(register=index)) for index in range(layout.registers)],
    )


@lowers("nv_tileaa.extract")
def lower_extract(code: ThreadBuilder, op: ExtractOp) -> None:
    """The tile goes through shared memory, where every thread finds what it wants."""
    value, whole = code.value(op.source), code.layout(op.source)
    is_scalar = not isinstance(op.result.type, TensorType)
    if whole.elements == 1:
        code.set(op.result, extract(code, value, 0) if is_scalar else value)
        return
    scratch = share_tile(code, value, whole)
    part = () if is_scalar else get_shape(op.result.type)
    start = _slice_start(code, op.indices, part, whole.shape)
    if is_scalar:
        elements = read_elements(code, scratch, element_of(value.type), splat(code, start, 1))
        code.set(op.result, extract(code, elements, 0))
        return
    layout = code.layout(op.result)
    numbers = emit_offsets(code, _embedded(layout, whole.shape))
    lanes = splat(code, start, layout.registers)
    numbers = code.emit(arith.AddiOp(numbers, lanes)).result
    code.set(op.result, read_elements(code, scratch, element_of(value.type), numbers))


@lowers("nv_tileaa.insert")
def lower_insert(code: ThreadBuilder, op: InsertOp) -> None:
    """The slice is written over the tile in shared memory."""
    value, whole = code.value(op.destination), code.layout(op.destination)
    scratch = share_tile(code, value, whole)
    layout = code.layout(op.source)
    part = storable(code, code.value(op.source))
    start = _slice_start(code, op.indices, layout.shape, whole.shape)
    numbers = emit_offsets(code, _embedded(layout, whole.shape))
    numbers = code.emit(arith.AddiOp(numbers, splat(code, start, count_lanes(part.type)))).result
    element = element_of(part.type)
    addresses = index_pointers(code, scratch, numbers, element)
    owner = is_owner(code, layout)
    mask = None if owner is None else splat(code, owner, count_lanes(part.type))
    code.emit(FragmentStoreOp(part, addresses, mask=mask, alignment=element_bits(element) // 8))
    sync_threads(code)
    result = code.layout(op.result)
    read = read_tile(code, scratch, element_of(value.type), ElementOffsets.of(result))
    code.set(op.result, read)
