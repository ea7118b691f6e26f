"""The choices for Hopper, at the points that were measured and at the ends."""

import pytest

from tileiras_xdsl.targets.hopper import WARPGROUPS
from tileiras_xdsl.targets.warpgroups import Ring, StageClocks

register_cap = WARPGROUPS.registers.cap
shared_bytes = WARPGROUPS.shared.of_block
choose_groups = WARPGROUPS.choose_groups
choose_stages = WARPGROUPS.choose_stages
exchanges_registers = WARPGROUPS.exchanges_registers
why_not_blocks = WARPGROUPS.why_not_blocks
LOAD_CLOCKS, MAX_STAGES = WARPGROUPS.load_clocks, WARPGROUPS.max_stages
SHARED_BYTES = WARPGROUPS.shared.opt_in


def test_registers():
    caps = {4: 255, 8: 255, 9: 168, 12: 168, 13: 128, 16: 128, 18: 96}
    assert {warps: register_cap(warps) for warps in caps} == caps
    assert not exchanges_registers(2, 128)
    assert exchanges_registers(2, 192)
    assert not exchanges_registers(2, 192, blocks=2)


def test_warpgroups():
    assert choose_groups([[(64, 128)]]) == 1
    assert choose_groups([[(128, 128)]]) == 2
    assert choose_groups([[(128, 256)]]) == 2
    assert choose_groups([[(128, 128), (128, 128)]]) == 2
    assert choose_groups([[(128, 128)], [(128, 128)]]) == 2
    assert choose_groups([[(128, 256), (128, 64)]]) == 2
    assert choose_groups([[(128, 256), (128, 128)]]) is None
    assert choose_groups([]) == 1


@pytest.mark.parametrize(
    ("m", "n", "k", "bits", "clocks", "stages"),
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
    m: int, n: int, k: int, bits: int, clocks: int, stages: int
):
    found = WARPGROUPS.stage_clocks([(m * n * k, bits)], (m + n) * k * bits // 8)
    assert max(found.tensor, found.l2) == clocks
    assert WARPGROUPS.needed_stages(found) == stages
    assert stages == MAX_STAGES or (stages - 1) * clocks >= LOAD_CLOCKS


def test_stages_fit_shared_memory():
    once = Ring(32768, None)
    deep = Ring(32768, StageClocks(512, 0, 0))
    shallow = Ring(16384, StageClocks(512, 0, 0), latency=1)
    for rings in ([deep], [once, deep], [once, deep, shallow], [once, shallow]):
        depths = choose_stages(rings, 20000)
        assert depths is not None
        assert depths.bytes == sum(r.bytes * n for r, n in zip(rings, depths.stages, strict=True))
        assert depths.bytes <= SHARED_BYTES - 20000
        assert depths.is_cut == (
            list(depths.stages) != [WARPGROUPS.wanted_stages(ring) for ring in rings]
        )
    assert choose_stages([once, shallow], 0) is not None
    assert choose_stages([Ring(SHARED_BYTES, None)], 1) is None
    assert choose_stages([], 0) is not None


def test_blocks_share_a_multiprocessor():
    assert shared_bytes(1) == 227 * 1024
    assert shared_bytes(2) == 113 * 1024
    ring = Ring(32768, StageClocks(512, 0, 0))
    assert why_not_blocks(2, 5, 64, [ring], 20000) is None
    assert "registers" in (why_not_blocks(2, 9, 128, [ring], 20000) or "")
    assert "shared memory" in (why_not_blocks(3, 5, 32, [ring], 20000) or "")
