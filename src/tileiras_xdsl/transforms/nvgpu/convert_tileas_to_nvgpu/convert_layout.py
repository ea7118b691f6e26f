"""
Layout conversions, as `analysis.layout_conversion` plans them: registers are permuted or selected,
shuffled within warps, or go through shared memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Attribute, SSAValue

from tileiras_xdsl.analysis.layout_conversion import (
    Identity,
    LocalSelect,
    Renaming,
    Select,
    SharedAccess,
    Shuffles,
    ThroughShared,
)
from tileiras_xdsl.analysis.linear_layout import LinearLayout, xor_all
from tileiras_xdsl.analysis.matrix_layouts import MatrixAccess
from tileiras_xdsl.dialects.arith import CmpiOp, SelectOp
from tileiras_xdsl.dialects.nv_tileas.shape import ConvertLayoutOp
from tileiras_xdsl.dialects.nvgpu import LdMatrixOp
from tileiras_xdsl.dialects.nvvm import BarWarpSyncOp, MatrixLayout, ShflOp, ShuffleKind, StMatrixOp
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentLoadOp,
    FragmentStoreOp,
    count_lanes,
    element_bits,
)
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.transforms.tileas.kernel_model.layout_conversions import (
    ConversionStep,
    conversion_steps,
)

from .barriers import sync_threads, take_scratch
from .exchange import from_shared_type, to_shared_type
from .lowering_registry import lowers
from .thread_builder import ThreadBuilder
from .thread_index import ALL_LANES, apply_bases, is_owner
from .vectors import (
    concatenate,
    element_of,
    extract,
    index_pointer,
    index_pointers,
    select_registers,
    splat,
)

LAST_LANE = 31


def convert_value(
    builder: ThreadBuilder, value: SSAValue, source: LinearLayout, target: LinearLayout
) -> SSAValue:
    """A fragment in another layout."""
    if source == target:
        return value
    element = element_of(value.type)
    for step in conversion_steps(
        source, target, element_bits(element), builder.kernel.scratch_budget
    ):
        value = _convert_step(builder, value, step, element)
    return value


def _convert_step(
    builder: ThreadBuilder, value: SSAValue, step: ConversionStep, element: Attribute
) -> SSAValue:
    plan = step.plan
    match plan:
        case Identity():
            return value
        case Renaming():
            return select_registers(builder, value, plan.indices)
        case LocalSelect():
            chosen = _apply_selects(builder, to_shared_type(builder, value), plan.selects)
            result = select_registers(builder, chosen, plan.indices)
        case Shuffles():
            result = _shuffle(builder, to_shared_type(builder, value), plan)
        case ThroughShared():
            owner = is_owner(builder, step.source)
            result = _through_shared(builder, to_shared_type(builder, value), plan, owner)
    return from_shared_type(builder, result, element)


@lowers("nv_tileas.convert_layout")
def lower_convert_layout(builder: ThreadBuilder, op: ConvertLayoutOp) -> None:
    source, result = op.operands[0], op.results[0]
    value = convert_value(
        builder, builder.lookup(source), builder.layout(source), builder.layout(result)
    )
    builder.map(result, value)


# Within a thread


def _apply_selects(builder: ThreadBuilder, value: SSAValue, selects: Iterable[Select]) -> SSAValue:
    """Selects between registers by bits of the thread index."""
    for select in selects:
        value = builder.emit(
            SelectOp(
                _condition(builder, select),
                select_registers(builder, value, select.when_true),
                select_registers(builder, value, select.when_false),
            )
        ).result
    return value


def _condition(builder: ThreadBuilder, select: Select) -> SSAValue:
    """Whether the parity of some bits of lane and warp index is odd."""
    lane = [select.lane >> bit & 1 for bit in range(select.lane.bit_length())]
    warp = [select.warp >> bit & 1 for bit in range(select.warp.bit_length())]
    parity = apply_bases(builder, lane, warp)
    assert parity is not None
    return builder.emit_in_entry(CmpiOp(parity, builder.constant(0), "ne")).result


# Within a warp


def _shuffle(builder: ThreadBuilder, value: SSAValue, plan: Shuffles) -> SSAValue:
    """
    Moves registers between lanes, all that come from the same lane with one op. Selects before and
    after make what a lane sends and receives the same registers in all lanes.
    """
    value = _apply_selects(builder, value, plan.before)
    full = max(1, WORD_BITS // element_bits(element_of(value.type)))
    width = len(plan.words[0].registers)
    parts: list[SSAValue] = []
    for xor, words in groupby(plan.words, lambda word: word.xor):
        # Shuffles move 32 bits: words of narrow elements are padded.
        published = [
            index
            for word in words
            for index in (*word.registers, *word.registers[:1] * full)[:full]
        ]
        parts.append(_from_lane(builder, select_registers(builder, value, published), plan, xor))
    got = concatenate(builder, parts)
    if width < full:
        count = count_lanes(got.type)
        kept = [index for index in range(count) if index % full < width]
        got = select_registers(builder, got, kept)
    return select_registers(builder, _apply_selects(builder, got, plan.after), plan.indices)


def _from_lane(builder: ThreadBuilder, value: SSAValue, plan: Shuffles, xor: int) -> SSAValue:
    """The registers of another lane."""
    mask, clamp = builder.constant(ALL_LANES), builder.constant(LAST_LANE)
    if plan.keeps_lanes:
        if not xor:
            return value
        return builder.emit(
            ShflOp(ShuffleKind.BFLY, mask, value, builder.constant(xor), clamp)
        ).result
    lane = apply_bases(builder, plan.lane, plan.warp)
    if lane is None:
        lane = builder.constant(xor)
    elif xor:
        lane = builder.emit(arith.XOrIOp(lane, builder.constant(xor))).result
    return builder.emit(ShflOp(ShuffleKind.IDX, mask, value, lane, clamp)).result


# Through shared memory


def _through_shared(
    builder: ThreadBuilder, value: SSAValue, plan: ThroughShared, owner: SSAValue | None
) -> SSAValue:
    scratch = take_scratch(builder, plan.bytes)
    parts: list[SSAValue] = []
    for index, gather in enumerate(plan.gather):
        if index:
            _synchronize(builder, plan)
        _store(builder, select_registers(builder, value, gather), scratch, plan.store, owner)
        _synchronize(builder, plan)
        parts.append(_load(builder, scratch, plan, element_of(value.type)))
    return select_registers(builder, concatenate(builder, parts), plan.spread)


def _synchronize(builder: ThreadBuilder, plan: ThroughShared) -> None:
    if plan.within_warps:
        builder.emit(BarWarpSyncOp(builder.constant(ALL_LANES)))
    else:
        sync_threads(builder)


def _store(
    builder: ThreadBuilder,
    value: SSAValue,
    base: SSAValue,
    access: SharedAccess | MatrixAccess,
    owner: SSAValue | None,
) -> None:
    """Writes registers in the order of an access."""
    element, count = element_of(value.type), count_lanes(value.type)
    bits = element_bits(element)
    addresses = vector_addresses(builder, base, access, element)
    if isinstance(access, SharedAccess):
        mask = None if owner is None else splat(builder, owner, count_lanes(addresses.type))
        size = access.width * bits // 8
        builder.emit(FragmentStoreOp(value, addresses, mask=mask, alignment=size))
        return
    words = builder.emit(
        vector.BitcastOp(value, VectorType(i32, [count * bits // WORD_BITS]))
    ).result
    layout = MatrixLayout.COL if access.transposed else MatrixLayout.ROW
    for index in range(count_lanes(addresses.type)):
        address = extract(builder, addresses, index)
        first = index * access.count
        matrices = [extract(builder, words, first + n) for n in range(access.count)]
        builder.emit(StMatrixOp(address, matrices, layout))


def _load(
    builder: ThreadBuilder, base: SSAValue, plan: ThroughShared, element: Attribute
) -> SSAValue:
    """Reads registers in the order of an access."""
    access = plan.load
    addresses = vector_addresses(builder, base, access, element)
    vectors, bits = count_lanes(addresses.type), element_bits(element)
    if isinstance(access, SharedAccess):
        result = VectorType(element, [vectors * access.width])
        size = access.width * bits // 8
        return builder.emit(FragmentLoadOp(addresses, result_type=result, alignment=size)).result
    words = concatenate(
        builder,
        [
            builder.emit(
                LdMatrixOp(
                    extract(builder, addresses, index), access.count, transpose=access.transposed
                )
            ).result
            for index in range(vectors)
        ],
    )
    result = VectorType(element, [vectors * access.count * WORD_BITS // bits])
    return builder.emit(vector.BitcastOp(words, result)).result


def vector_addresses(
    builder: ThreadBuilder,
    base: SSAValue,
    access: SharedAccess | MatrixAccess,
    element: Attribute,
    *,
    rematerialize: bool = False,
) -> SSAValue:
    """
    The address of each vector. Register bases that share no bits with those of the thread never
    carry into them, so XOR is an addition there: a constant offset, which is an immediate of the
    instruction. With `rematerialize`, addresses are not kept in registers across iterations of a
    loop.
    """
    thread = apply_bases(builder, access.lane, access.warp, rematerialize=rematerialize)
    vectors = 1 << len(access.register)
    taken = 0
    for basis in (*access.lane, *access.warp):
        taken |= basis
    mixed = _closure(access.register, taken)
    xored = [xor_all([b if b in mixed else 0 for b in access.register], i) for i in range(vectors)]
    added = [xor_all([0 if b in mixed else b for b in access.register], i) for i in range(vectors)]
    offsets = builder.constant_vector(xored)
    if thread is not None:
        splatted = splat(builder, thread, vectors)
        offsets = builder.emit(arith.XOrIOp(splatted, offsets)).result if any(xored) else splatted
    addresses = index_pointers(builder, base, offsets, element)
    if not any(added):
        return addresses
    distances = builder.constant_vector(added)
    return builder.emit(index_pointer(addresses, distances, element, addresses.type)).result


def _closure(bases: Sequence[int], taken: int) -> set[int]:
    """The bases that share bits with those taken before, or with each other, transitively."""
    mixed: set[int] = set()
    while True:
        more = {basis for basis in bases if basis & taken} - mixed
        if not more:
            return mixed
        mixed |= more
        for basis in more:
            taken |= basis
