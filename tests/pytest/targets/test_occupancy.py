"""How many CTAs fit on an SM."""

import pytest

from tileiras_xdsl.targets.blackwell_datacenter import TARGETS
from tileiras_xdsl.targets.hopper import SM_90A
from tileiras_xdsl.targets.target import find_occupancy


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("threads", "registers", "shared", "ctas", "limit"),
    [
        (288, 90, 198016, 1, "shared memory"),
        (256, 210, 32768, 1, "registers"),
        (128, 32, 0, 16, "threads"),
        (32, 16, 0, 32, "CTAs"),
        (128, 255, 0, 2, "registers"),
        # Nine warps share four sub-partitions: three of them on one.
        (288, 168, 0, 1, "registers"),
        (128, None, 100_000, 2, "shared memory"),
    ],
)
def test_what_limits(threads: int, registers: int | None, shared: int, ctas: int, limit: str):
    found = find_occupancy(SM_90A, threads, registers, shared)
    assert (found.ctas, found.limit) == (ctas, limit)
    assert found.warps == ctas * -(-threads // 32)
    assert str(found).startswith(f"{ctas} CTA")


def test_tensor_memory():
    (target, *_) = (each for each in TARGETS if each.tensor_memory is not None)
    assert find_occupancy(target, 192, 64, 1000, columns=256).limit == "tensor memory"
