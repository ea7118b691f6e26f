"""Plans for conversions between layouts, executed and compared with enumeration."""

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.analysis.layout_conversion import (
    Identity,
    LocalSelect,
    Plan,
    Renaming,
    Select,
    SharedAccess,
    Shuffles,
    ThroughShared,
    bits_in_memory,
    count_wavefronts,
    plan_conversion,
)
from tileiras_xdsl.analysis.linear_layout import (
    LinearLayout,
    blocked,
    least_wavefronts,
    rank,
    stays_in_warp,
    xor_all,
)
from tileiras_xdsl.analysis.matrix_layouts import MatrixAccess, mma_a, mma_accumulator, mma_b

from ..harness.cases import every
from .layout_simulation import apply_plan, moved_offsets

ELEMENT_BITS = (1, 4, 8, 16, 19, 32, 64)


def numbers(layout: LinearLayout) -> NDArray[np.int64]:
    """The number of the element in each register of each thread."""
    registers = [layout.element(register=index) for index in range(layout.registers)]
    threads = [
        layout.element(lane=thread % 32, warp=thread // 32) for thread in range(layout.threads)
    ]
    return np.array(threads, np.int64)[:, None] ^ np.array(registers, np.int64)[None, :]


def check(plan: Plan, source: LinearLayout, target: LinearLayout):
    result = apply_plan(plan, numbers(source))
    np.testing.assert_array_equal(result, numbers(target))


def draw_layout(random: Random, bits: int, warp_bits: int, mixed: bool) -> LinearLayout:
    """
    A layout of so many elements with a place for each: single bits in random places, or any
    independent sums. Threads and registers may hold copies.
    """
    while True:
        columns = [random.randrange(1, 1 << bits) for _ in range(bits)]
        if not mixed:
            columns = [1 << bit for bit in range(bits)]
            random.shuffle(columns)
        if rank(columns) == bits:
            break
    slots = 5 + warp_bits
    used = min(bits, random.choice([slots, slots, random.randint(0, slots)]))
    threads = [0] * slots
    for position, basis in zip(random.sample(range(slots), used), columns):
        threads[position] = basis
    registers = columns[used:]
    if mixed:
        threads = [basis or random.choice([0, 0, random.randrange(1 << bits)]) for basis in threads]
    for _ in range(random.choice([0, 0, 0, 1, 2])):
        copy = random.randrange(1 << bits) if mixed else 0
        registers.insert(random.randint(0, len(registers)), copy)
    return LinearLayout.distributed((1 << bits,), registers, threads[:5], threads[5:])


def draw_relative(random: Random, source: LinearLayout) -> LinearLayout:
    """A layout that differs from another only within warps, or within threads."""
    bases = list(source.register)
    within_warps = random.random() < 0.7
    if within_warps:
        bases += source.lane
    random.shuffle(bases)
    count = len(source.register)
    if within_warps:
        return source.replaced(register=bases[:count], lane=bases[count:])
    return source.replaced(register=bases)


def draw_pairs(seed: int, count: int) -> Iterator[tuple[Random, LinearLayout, LinearLayout]]:
    random = Random(seed)
    while count:
        bits, warp_bits, mixed = random.randint(0, 12), random.randint(0, 3), random.random() < 0.3
        source = draw_layout(random, bits, warp_bits, mixed)
        if random.random() < 0.5:
            target = draw_layout(random, bits, warp_bits, mixed)
        else:
            target = draw_relative(random, source)
        if source.registers <= 256 and target.registers <= 256:
            count -= 1
            yield random, source, target


@pytest.mark.every(2)
@pytest.mark.parametrize("seed", every(4, range(8)))
def test_random_conversions(seed: int):
    for random, source, target in draw_pairs(seed, 200):
        bits = random.choice(ELEMENT_BITS)
        plan = plan_conversion(
            source,
            target,
            bits,
            ldmatrix=random.random() < 0.5,
            stmatrix=random.random() < 0.5,
            max_bytes=random.choice([None, 1024, 8192]),
        )
        check(plan, source, target)
        check_well_formed(plan, source, bits)


@pytest.mark.part("kernels")
@pytest.mark.parametrize("seed", every(4, range(4)))
def test_every_way_is_right(seed: int, monkeypatch: pytest.MonkeyPatch):
    """What is too expensive to be chosen must be right as well."""
    module = "tileiras_xdsl.analysis.layout_conversion"
    costs = [
        {"SHUFFLE_COST": 0.0, "BLOCK_SYNC_COST": 1e9, "WARP_SYNC_COST": 1e9},
        {"SHUFFLE_COST": 1e9, "SELECT_COST": 1e9},
        {"SHUFFLE_COST": 1e9, "SELECT_COST": 0.0, "WARP_SYNC_COST": 1e9},
    ]
    seen = set[type[Plan]]()
    for cost in costs:
        plan_conversion.cache_clear()
        with monkeypatch.context() as patch:
            for name, value in cost.items():
                patch.setattr(f"{module}.{name}", value)
            for random, source, target in draw_pairs(100 + seed, 150):
                bits = random.choice(ELEMENT_BITS)
                matrices = random.random() < 0.7
                plan = plan_conversion(source, target, bits, ldmatrix=matrices, stmatrix=matrices)
                check(plan, source, target)
                check_well_formed(plan, source, bits)
                seen.add(type(plan))
    plan_conversion.cache_clear()
    assert seen == {Identity, Renaming, LocalSelect, Shuffles, ThroughShared}


def check_selects(selects: tuple[Select, ...], registers: int, warps: int) -> int:
    for select in selects:
        assert select.lane < 32
        assert select.warp < warps
        assert select.lane or select.warp
        assert len(select.when_true) == len(select.when_false)
        assert max((*select.when_true, *select.when_false)) < registers
        registers = len(select.when_true)
    return registers


def check_well_formed(plan: Plan, source: LinearLayout, bits: int):
    match plan:
        case LocalSelect():
            registers = check_selects(plan.selects, source.registers, source.warps)
            assert max(plan.indices) < registers
        case Shuffles():
            registers = check_selects(plan.before, source.registers, source.warps)
            for word in plan.words:
                assert max(word.registers) < registers
                assert len(word.registers) == 1 or len(word.registers) * bits_in_memory(bits) <= 32
            got = sum(len(word.registers) for word in plan.words)
            assert max(plan.indices) < check_selects(plan.after, got, source.warps)
        case ThroughShared():
            assert plan.memory_bits == bits_in_memory(bits)
            size = 1 << len(plan.shared.offset)
            assert plan.bytes == size * plan.memory_bits // 8
            for access in (plan.store, plan.load):
                if isinstance(access, SharedAccess):
                    assert access.width * plan.memory_bits <= 128
                    starts = (*access.register, *access.lane, *access.warp)
                    assert all(start % access.width == 0 for start in starts)
                for lane, warp in ((0, 0), (31, source.warps - 1)):
                    offsets = moved_offsets(access, lane, warp, plan.memory_bits)
                    assert max(offsets) < size
        case _:
            pass


def test_memory_holds_what_the_plan_says():
    """The shared layout names the elements where the source stores them."""
    for _, source, target in draw_pairs(7, 60):
        plan = plan_conversion(source, target, 32)
        if isinstance(plan, ThroughShared):
            held = numbers(source)[:, plan.gather[0]]
            for thread in range(source.threads):
                offsets = moved_offsets(plan.store, thread % 32, thread // 32, 32)
                elements = [xor_all(plan.shared.offset, offset) for offset in offsets]
                assert elements == held[thread].tolist()


def conflicts(access: SharedAccess | MatrixAccess, element_bytes: int) -> int:
    """How many more wavefronts than necessary."""
    if isinstance(access, MatrixAccess):
        return access.wavefronts(element_bytes) - access.count
    least = least_wavefronts(32, access.width * element_bytes)
    return access.wavefronts(element_bytes) - least


@pytest.mark.every(4, first=3)
@pytest.mark.parametrize("seed", range(4))
def test_no_bank_conflicts(seed: int):
    """Layouts of single bits, which are all that the compiler makes, never have any."""
    random = Random(seed)
    for _ in range(60):
        bits, warp_bits = random.randint(5, 12), random.randint(0, 3)
        source = draw_layout(random, bits, warp_bits, False)
        target = draw_layout(random, bits, warp_bits, False)
        element_bits = random.choice(ELEMENT_BITS)
        plan = plan_conversion(source, target, element_bits, ldmatrix=True, stmatrix=True)
        if isinstance(plan, ThroughShared):
            assert conflicts(plan.store, plan.memory_bits // 8) <= 0
            assert conflicts(plan.load, plan.memory_bits // 8) <= 0


def test_wavefronts_of_copies():
    """Lanes that read a column of rows of 128 bytes read one bank."""
    bits = [1 << bit for bit in range(10)]
    shared = LinearLayout.shared((32, 32), bits)
    columns, rows = bits[:5], bits[5:]
    by_column = LinearLayout.distributed((32, 32), columns, rows, ())
    assert count_wavefronts(by_column, shared, 32) == 8 * 32
    by_row = LinearLayout.distributed((32, 32), rows, columns, ())
    assert count_wavefronts(by_row, shared, 32) == 32
    swizzled = LinearLayout.shared(
        (32, 32), [*columns, *(row | column for row, column in zip(rows, columns, strict=True))]
    )
    assert count_wavefronts(by_column, swizzled, 32) == 32


def test_wavefronts_of_plans():
    """A conversion through shared memory is a copy to it and one from it."""
    trips = 0
    for _, source, target in draw_pairs(5, 60):
        plan = plan_conversion(source, target, 32, ldmatrix=True, stmatrix=True)
        copies = source.free_bits("lane") or source.free_bits("warp")
        if isinstance(plan, ThroughShared) and not copies:
            both = (count_wavefronts(each, plan.shared, 32) for each in (source, target))
            assert plan.wavefronts == sum(both)
            trips += 1
    assert trips


def test_cheap_plans():
    layout = blocked((32, 64), 4, vector=4)
    assert plan_conversion(layout, layout, 32) == Identity()
    turned = layout.replaced(register=layout.register[::-1])
    assert plan_conversion(layout, turned, 32) == Renaming(
        (0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15)
    )
    # Registers that hold copies are only renamed.
    doubled = layout.replaced(register=(0, *layout.register))
    assert isinstance(plan_conversion(layout, doubled, 32), Renaming)
    assert isinstance(plan_conversion(doubled, layout, 32), Renaming)


def test_accumulator_becomes_operand_as_it_is():
    source, target = mma_accumulator((64, 64), 4, 1), mma_a((64, 64), 4, 1, 16)
    assert source is not None
    assert target is not None
    assert plan_conversion(source, target, 16) == Identity()


def test_replicated_source_selects():
    everywhere = LinearLayout.distributed((4,), [1, 2], [0] * 5, [0, 0])
    spread = LinearLayout.distributed((4,), [], [0, 1, 0, 0, 0], [0, 2])
    plan = plan_conversion(everywhere, spread, 32)
    assert isinstance(plan, LocalSelect)
    assert plan.selects == (
        Select(2, 0, (0, 2), (1, 3)),
        Select(0, 2, (0,), (1,)),
    )
    check(plan, everywhere, spread)


def test_transpose_of_register_and_lane_is_one_butterfly():
    source = LinearLayout.distributed((64,), [1], [2, 4, 8, 16, 32], [])
    target = LinearLayout.distributed((64,), [2], [1, 4, 8, 16, 32], [])
    plan = plan_conversion(source, target, 32)
    assert isinstance(plan, Shuffles)
    assert plan.keeps_lanes
    assert [word.xor for word in plan.words] == [0, 1]
    assert len(plan.before) == len(plan.after) == 1
    check(plan, source, target)


def test_small_elements_share_words():
    source = LinearLayout.distributed((256,), [1, 2, 4], [8, 16, 32, 64, 128], [])
    target = source.replaced(lane=[16, 8, 32, 64, 128])
    for bits, words in ((8, 2), (16, 4), (32, 8), (64, 8)):
        plan = plan_conversion(source, target, bits)
        assert isinstance(plan, Shuffles)
        assert len(plan.words) == words
        assert not plan.before
        assert not plan.after


def test_operands_by_matrices():
    source, target = blocked((64, 128), 4, vector=8), mma_b((64, 128), 2, 2, 16)
    assert target is not None
    plain = plan_conversion(source, target, 16)
    assert isinstance(plain, ThroughShared)
    assert isinstance(plain.load, SharedAccess)
    plan = plan_conversion(source, target, 16, ldmatrix=True)
    assert isinstance(plan, ThroughShared)
    assert isinstance(plan.store, SharedAccess)
    assert plan.store.width == 8
    assert isinstance(plan.load, MatrixAccess)
    assert plan.load.transposed
    assert plan.cost < plain.cost
    check(plan, source, target)
    # Matrices are stored by whole warps, so no warp may hold a copy.
    back = plan_conversion(target, source, 16, stmatrix=True)
    assert isinstance(back, ThroughShared)
    assert isinstance(back.store, SharedAccess)
    owned = mma_b((64, 128), 1, 4, 16)
    assert owned is not None
    back = plan_conversion(owned, source, 16, stmatrix=True)
    assert isinstance(back, ThroughShared)
    assert isinstance(back.store, MatrixAccess)
    check(back, owned, source)


def test_rounds_keep_memory_small():
    source, target = mma_accumulator((128, 128), 2, 2), blocked((128, 128), 4, vector=4)
    assert source is not None
    whole = plan_conversion(source, target, 32)
    assert isinstance(whole, ThroughShared)
    assert (whole.bytes, len(whole.gather)) == (65536, 1)
    plan = plan_conversion(source, target, 32, max_bytes=20000)
    assert isinstance(plan, ThroughShared)
    assert (plan.bytes, len(plan.gather)) == (16384, 4)
    check(plan, source, target)


def test_warps_wait_only_for_those_they_need():
    source = LinearLayout.distributed((2048,), [1, 2, 4, 8, 16], [32, 64, 128, 256, 512], [1024])
    target = source.replaced(register=source.lane, lane=source.register)
    assert stays_in_warp(source, target)
    plan = plan_conversion(source, target, 32)
    assert isinstance(plan, ThroughShared)
    assert plan.within_warps


def test_only_one_copy_is_stored():
    source = LinearLayout.distributed((512,), [1, 2, 4, 8], [16, 32, 64, 128, 0], [0, 256])
    target = LinearLayout.distributed((512,), [16, 32], [64, 128, 256, 1, 2], [4, 8])
    plan = plan_conversion(source, target, 32)
    assert isinstance(plan, ThroughShared)
    assert (plan.copy_lanes, plan.copy_warps, plan.within_warps) == (16, 1, False)
    check(plan, source, target)


def test_layouts_must_be_of_one_block():
    with pytest.raises(DiagnosticException, match="layouts of 2 and 4 warps"):
        plan_conversion(blocked((64,), 2), blocked((64,), 4), 32)
    with pytest.raises(AssertionError):
        plan_conversion(blocked((64,), 4), blocked((128,), 4), 32)
