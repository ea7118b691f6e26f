"""The choices for Hopper, at the points that were measured and at the ends."""

from dataclasses import replace

import pytest

from tileiras_xdsl.targets.hopper import WARPGROUPS
from tileiras_xdsl.targets.warpgroups import IterationCycles, MultiStageBuffer

register_cap = WARPGROUPS.registers.cap
shared_bytes = WARPGROUPS.shared.per_cta
choose_num_warpgroups = WARPGROUPS.choose_num_warpgroups
choose_stages = WARPGROUPS.choose_stages
reallocates_registers = WARPGROUPS.reallocates_registers
why_not_occupancy = WARPGROUPS.why_not_occupancy
LOAD_CYCLES, MAX_STAGES = WARPGROUPS.load_cycles, WARPGROUPS.max_stages
SHARED_BYTES = WARPGROUPS.shared.opt_in


def test_registers():
    caps = {4: 255, 8: 255, 9: 168, 12: 168, 13: 128, 16: 128, 18: 96}
    assert {warps: register_cap(warps) for warps in caps} == caps
    assert not reallocates_registers(8, 128)
    assert reallocates_registers(8, 192)
    assert not reallocates_registers(8, 192, occupancy=2)


def test_warpgroups():
    assert choose_num_warpgroups([[(64, 128)]]) == 1
    assert choose_num_warpgroups([[(128, 128)]]) == 2
    assert choose_num_warpgroups([[(128, 256)]]) == 2
    assert choose_num_warpgroups([[(128, 128), (128, 128)]]) == 2
    assert choose_num_warpgroups([[(128, 128)], [(128, 128)]]) == 2
    assert choose_num_warpgroups([[(128, 256), (128, 64)]]) == 2
    assert choose_num_warpgroups([[(128, 256), (128, 128)]]) is None
    assert choose_num_warpgroups([]) == 1


def test_rows_for_one_warpgroup():
    """Two CTAs share an SM: attention in tiles of 64 rows, and what does not fit twice."""
    assert choose_num_warpgroups([[(64, 128), (64, 128)]], 41152, 4096) == 1
    assert choose_num_warpgroups([[(64, 64), (64, 128)]], 45632, 2048) == 1
    assert choose_num_warpgroups([[(64, 256), (64, 32)]], 51648, 1024) == 1
    assert choose_num_warpgroups([[(64, 256), (64, 32)]], 51648, 0) == 2
    assert choose_num_warpgroups([[(128, 128), (128, 64)]], 41152, 4096) == 2
    assert [WARPGROUPS.default_occupancy(warps) for warps in (4, 8, 16)] == [2, 1, 1]
    assert reallocates_registers(4, 192, occupancy=2)
    assert WARPGROUPS.reallocated_registers(4, copies=0, occupancy=2) == (24, 232)


@pytest.mark.parametrize("occupancy", [1, 2])
@pytest.mark.parametrize("given", [0, 16, 48])
@pytest.mark.parametrize("warps", [4, 8, 12, 16])
def test_reallocated_registers_are_those_of_the_launch(warps: int, given: int, occupancy: int):
    """Threads that ask for more than their CTA was launched with wait for ever."""
    all_warps = warps + 4
    consumers = WARPGROUPS.registers_of_consumers(warps, given, occupancy)
    kept = WARPGROUPS.producer_registers + given
    assert consumers % 8 == 0
    assert consumers * warps + kept * 4 <= register_cap(all_warps * occupancy) * all_warps
    assert consumers <= WARPGROUPS.consumer_registers - given // 2


def test_registers_of_two_and_of_four_warpgroups():
    assert WARPGROUPS.reallocated_registers(8, copies=0) == (24, 240)
    assert WARPGROUPS.reallocated_registers(8, copies=0, chooses=True) == (40, 232)
    assert WARPGROUPS.reallocated_registers(8, copies=1) == (72, 216)
    assert WARPGROUPS.reallocated_registers(8, copies=2) == (120, 192)
    assert WARPGROUPS.reallocated_registers(16, copies=0) == (24, 112)


def test_interleaved_warpgroups():
    """Scores and results of attention with 256 queries, and weights of f16 in registers."""

    def can_interleave(keys: int, d: int, rows: int = 256) -> bool:
        return WARPGROUPS.can_interleave([[(rows, keys), (rows, d)]], rows * keys // 2)

    assert can_interleave(64, 64)
    assert can_interleave(64, 32)
    assert not can_interleave(128, 64)
    assert not can_interleave(64, 128)
    # Other rows than those of an instruction for each warpgroup.
    assert not can_interleave(64, 64, rows=128)
    assert not can_interleave(16, 16, rows=512)


def test_ctas_that_alternate():
    """Two CTAs of two warpgroups have 104 registers per thread: for 128 queries with d = 64."""
    assert WARPGROUPS.registers_of_consumers(8, occupancy=2) == 104
    assert WARPGROUPS.can_alternate(80, 8)
    assert not WARPGROUPS.can_alternate(96, 8)
    # One warpgroup has a rule of its own, and four are one CTA.
    assert not WARPGROUPS.can_alternate(80, 4)
    assert not WARPGROUPS.can_alternate(80, 16)
    assert WARPGROUPS.reallocates_registers(8, 128, 2, alternates=True)
    assert not WARPGROUPS.reallocates_registers(8, 128, 2)
    assert why_not_occupancy(2, 8, 1, 80, [], 20000, alternates=True) is None
    assert "registers" in (why_not_occupancy(2, 8, 1, 80, [], 20000) or "")


@pytest.mark.parametrize(
    ("m", "n", "k", "bits", "cycles", "stages"),
    [
        (128, 256, 64, 16, 1024, 4),
        (128, 128, 64, 16, 512, 5),
        (128, 256, 128, 8, 1024, 4),
        (64, 64, 64, 16, 256, 8),
        (32, 32, 32, 16, 64, 12),
        (256, 256, 256, 16, 8192, 4),
    ],
)
def test_stages_cover_the_latency_of_loads(
    m: int, n: int, k: int, bits: int, cycles: int, stages: int
):
    found = WARPGROUPS.iteration_cycles([(m * n * k, bits)], (m + n) * k * bits // 8)
    assert max(found.tensor, found.l2) == cycles
    assert WARPGROUPS.needed_stages(found) == stages
    assert stages == MAX_STAGES or (stages - 1) * cycles >= LOAD_CYCLES


def test_stages_fit_shared_memory():
    once = MultiStageBuffer(32768, None)
    deep = MultiStageBuffer(32768, IterationCycles(512, 0, 0))
    shallow = MultiStageBuffer(16384, IterationCycles(512, 0, 0), latency=1)
    for buffers in ([deep], [once, deep], [once, deep, shallow], [once, shallow]):
        chosen = choose_stages(buffers, 20000)
        assert chosen is not None
        assert chosen.bytes == sum(r.bytes * n for r, n in zip(buffers, chosen.stages, strict=True))
        assert chosen.bytes <= SHARED_BYTES - 20000
        wanted = map(WARPGROUPS.wanted_stages, buffers)
        assert all(0 < n <= most for n, most in zip(chosen.stages, wanted, strict=True))
    assert choose_stages([once, shallow], 0) is not None
    assert choose_stages([MultiStageBuffer(SHARED_BYTES, None)], 1) is None
    assert choose_stages([], 0) is not None


def test_a_buffer_in_the_memory_of_another():
    """It has the memory of the other one, and what is left: a stage more here than would fit."""
    cycles = IterationCycles(256, 0, 0)
    large, small = MultiStageBuffer(48 * 1024, cycles), MultiStageBuffer(32 * 1024, cycles)
    for reserved, stages, size in ((64, [3, 5], 160), (72, [3, 4], 144), (32, [4, 6], 192)):
        chosen = choose_stages([large, replace(small, overlay=0)], reserved * 1024)
        assert chosen is not None
        assert [list(chosen.stages), chosen.bytes] == [stages, size * 1024]
        assert chosen.bytes <= SHARED_BYTES - reserved * 1024


def test_ctas_share_an_sm():
    assert shared_bytes(1) == 227 * 1024
    assert shared_bytes(2) == 113 * 1024
    buffer = MultiStageBuffer(32768, IterationCycles(512, 0, 0))
    assert why_not_occupancy(2, 4, 1, 64, [buffer], 20000) is None
    assert "registers" in (why_not_occupancy(2, 8, 1, 128, [buffer], 20000) or "")
    assert "shared memory" in (why_not_occupancy(3, 4, 1, 32, [buffer], 20000) or "")


def test_small_buffers_have_two_stages_beside_a_large_one():
    """One stage of the large buffer fits; the small one is filled while it is used."""
    cycles = IterationCycles(1000, 1000, 1000)
    large, small = MultiStageBuffer(128 * 1024, cycles), MultiStageBuffer(16 * 1024, cycles)
    once = MultiStageBuffer(16 * 1024, None)
    chosen = choose_stages([once, large, small], 40 * 1024)
    assert chosen is not None
    assert list(chosen.stages) == [1, 1, 2]
    assert chosen.bytes == (128 + 3 * 16) * 1024
    chosen = choose_stages([once, large, small], 60 * 1024)
    assert chosen is not None
    assert list(chosen.stages) == [1, 1, 1]
