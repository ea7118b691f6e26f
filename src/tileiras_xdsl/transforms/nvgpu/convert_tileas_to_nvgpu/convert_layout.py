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
from tileiras_xdsl.dialects.nvgpu import LdMatrixOp, StMatrixOp
from tileiras_xdsl.dialects.nvvm import BarWarpSyncOp, ShflOp, ShuffleKind
from tileiras_xdsl.dialects.nvvm.fragments import (
    FragmentLoadOp,
    FragmentStoreOp,
    count_lanes,
    element_bits,
)
from tileiras_xdsl.targets.machine import WORD_BITS
from tileiras_xdsl.transforms.tileas.kernel_model.conversions import (
    ConversionStep,
    conversion_steps,
)

from .barriers import sync_threads, take_scratch
from .exchange import loaded, storable
from .patterns import lowers
from .thread_builder import ThreadBuilder
from .thread_index import apply_bases, is_owner
from .vectors import (
    concatenate,
    element_of,
    extract,
    index_pointer,
    index_pointers,
    select_registers,
    splat,
)

ALL_LANES = -1
LAST_LANE = 31


def convert_value(
    code: ThreadBuilder, value: SSAValue, source: LinearLayout, target: LinearLayout
) -> SSAValue:
    """A fragment in another layout."""
    if source == target:
        return value
    element = element_of(value.type)
    for step in conversion_steps(source, target, element_bits(element), code.kernel.room):
        value = _convert_step(code, value, step, element)
    return value


def _convert_step(
    code: ThreadBuilder, value: SSAValue, step: ConversionStep, element: Attribute
) -> SSAValue:
    plan = step.plan
    match plan:
        case Identity():
            return value
        case Renaming():
            return select_registers(code, value, plan.indices)
        case LocalSelect():
            chosen = _choose(code, storable(code, value), plan.selects)
            result = select_registers(code, chosen, plan.indices)
        case Shuffles():
            result = _shuffle(code, storable(code, value), plan)
        case ThroughShared():
            owner = is_owner(code, step.source)
            result = _through_shared(code, storable(code, value), plan, owner)
    return loaded(code, result, element)


@lowers("nv_tileas.convert_layout")
def lower_convert_layout(code: ThreadBuilder, op: ConvertLayoutOp) -> None:
    source, result = op.operands[0], op.results[0]
    value = convert_value(code, code.value(source), code.layout(source), code.layout(result))
    code.set(result, value)


# Within a thread


def _choose(code: ThreadBuilder, value: SSAValue, selects: Iterable[Select]) -> SSAValue:
    """Selects between registers by bits of the thread index."""
    for select in selects:
        value = code.emit(
            SelectOp(
                _condition(code, select),
                select_registers(code, value, select.when_true),
                select_registers(code, value, select.when_false),
            )
        ).result
    return value


def _condition(code: ThreadBuilder, select: Select) -> SSAValue:
    """Whether the parity of some bits of lane and warp index is odd."""
    lane = [select.lane >> bit & 1 for bit in range(select.lane.bit_length())]
    warp = [select.warp >> bit & 1 for bit in range(select.warp.bit_length())]
    parity = apply_bases(code, lane, warp)
    assert parity is not None
    return code.hoist(CmpiOp(parity, code.constant(0), "ne")).result


# Within a warp


def _shuffle(code: ThreadBuilder, value: SSAValue, plan: Shuffles) -> SSAValue:
    """
    Moves registers between lanes, all that come from the same lane with one op. Selects before and
    after make what a lane sends and receives the same registers in all lanes.
    """
    value = _choose(code, value, plan.before)
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
        parts.append(_from_lane(code, select_registers(code, value, published), plan, xor))
    got = concatenate(code, parts)
    if width < full:
        count = count_lanes(got.type)
        kept = [index for index in range(count) if index % full < width]
        got = select_registers(code, got, kept)
    return select_registers(code, _choose(code, got, plan.after), plan.indices)


def _from_lane(code: ThreadBuilder, value: SSAValue, plan: Shuffles, xor: int) -> SSAValue:
    """The registers of another lane."""
    mask, clamp = code.constant(ALL_LANES), code.constant(LAST_LANE)
    if plan.keeps_lanes:
        if not xor:
            return value
        return code.emit(ShflOp(ShuffleKind.BFLY, mask, value, code.constant(xor), clamp)).result
    lane = apply_bases(code, plan.lane, plan.warp)
    if lane is None:
        lane = code.constant(xor)
    elif xor:
        lane = code.emit(arith.XOrIOp(lane, code.constant(xor))).result
    return code.emit(ShflOp(ShuffleKind.IDX, mask, value, lane, clamp)).result


# Through shared memory


def _through_shared(
    code: ThreadBuilder, value: SSAValue, plan: ThroughShared, owner: SSAValue | None
) -> SSAValue:
    scratch = take_scratch(code, plan.bytes)
    parts: list[SSAValue] = []
    for index, gather in enumerate(plan.gather):
        if index:
            _synchronize(code, plan)
        _store(code, select_registers(code, value, gather), scratch, plan.store, owner)
        _synchronize(code, plan)
        parts.append(_load(code, scratch, plan, element_of(value.type)))
    return select_registers(code, concatenate(code, parts), plan.spread)


def _synchronize(code: ThreadBuilder, plan: ThroughShared) -> None:
    if plan.within_warps:
        code.emit(BarWarpSyncOp(code.constant(ALL_LANES)))
    else:
        sync_threads(code)


def _store(
    code: ThreadBuilder,
    value: SSAValue,
    base: SSAValue,
    access: SharedAccess | MatrixAccess,
    owner: SSAValue | None,
) -> None:
    """Writes registers in the order of an access."""
    element, count = element_of(value.type), count_lanes(value.type)
    bits = element_bits(element)
    addresses = vector_addresses(code, base, access, element)
    if isinstance(access, SharedAccess):
        mask = None if owner is None else splat(code, owner, count_lanes(addresses.type))
        size = access.width * bits // 8
        code.emit(FragmentStoreOp(value, addresses, mask=mask, alignment=size))
        return
    words = code.emit(vector.BitcastOp(value, VectorType(i32, [count * bits // WORD_BITS]))).result
    for index in range(count_lanes(addresses.type)):
        matrices = range(index * access.count, (index + 1) * access.count)
        code.emit(
            StMatrixOp(
                select_registers(code, words, matrices),
                extract(code, addresses, index),
                transpose=access.transposed,
            )
        )


def _load(code: ThreadBuilder, base: SSAValue, plan: ThroughShared, element: Attribute) -> SSAValue:
    """Reads registers in the order of an access."""
    access = plan.load
    addresses = vector_addresses(code, base, access, element)
    vectors, bits = count_lanes(addresses.type), element_bits(element)
    if isinstance(access, SharedAccess):
        result = VectorType(element, [vectors * access.width])
        size = access.width * bits // 8
        return code.emit(FragmentLoadOp(addresses, result_type=result, alignment=size)).result
    words = concatenate(
        code,
        [
            code.emit(
                LdMatrixOp(
                    extract(code, addresses, index), access.count, transpose=access.transposed
                )
            ).result
            for index in range(vectors)
        ],
    )
    result = VectorType(element, [vectors * access.count * WORD_BITS // bits])
    return code.emit(vector.BitcastOp(words, result)).result


def vector_addresses(
    code: ThreadBuilder,
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
    thread = apply_bases(code, access.lane, access.warp, rematerialize=rematerialize)
    vectors = 1 << len(access.register)
    taken = 0
    for basis in (*access.lane, *access.warp):
        taken |= basis
    mixed = _closure(access.register, taken)
    xored = [xor_all([b if b in mixed else 0 for b in access.register], i) for i in range(vectors)]
    added = [xor_all([0 if b in mixed else b for b in access.register], i) for i in range(vectors)]
    offsets = code.constants(xored)
    if thread is not None:
        lanes = splat(code, thread, vectors)
        offsets = code.emit(arith.XOrIOp(lanes, offsets)).result if any(xored) else lanes
    addresses = index_pointers(code, base, offsets, element)
    if not any(added):
        return addresses
    distances = code.constants(added)
    return code.emit(index_pointer(addresses, distances, element, addresses.type)).result


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
