"""The products of the benchmark kernels are done by `tcgen05` on datacentre Blackwell."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import pytest

import tileiras_xdsl
from tileiras_xdsl.dialects.nv_tileas.atoms import is_tcgen05
from tileiras_xdsl.dialects.nv_tileas.matmul import DotOp
from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.cases import every

BENCHMARKS = Path(__file__).parents[3] / "benchmarks/gpu/bytecode"
KERNELS = sorted(
    path.stem for word in ("matmul", "attention") for path in BENCHMARKS.glob(f"{word}_*.tileirbc")
)
LAST = "tileas-assign-dot-layouts"


def select_dots(name: str, arch: str) -> list[DotOp]:
    """The dots of a kernel after it was decided what does them."""
    module, context = tileiras_xdsl.load(BENCHMARKS / f"{name}.tileirbc"), make_context()
    steps = select_steps(to="tileas", arch=arch)
    before = list(takewhile(lambda step: step.name != LAST, steps))
    for step in steps[: len(before) + 1]:
        make_pass(step, arch, "host-maps").apply(context, module)
    return find_all(module, DotOp)


@pytest.mark.every(9)
@pytest.mark.parametrize("arch", ["sm_100a", "sm_103a"])
@pytest.mark.parametrize("name", every(5, KERNELS))
def test_products_use_tcgen05(name: str, arch: str) -> None:
    dots = select_dots(name, arch)
    assert dots
    has_instruction = not (arch == "sm_103a" and "_i8_" in name)
    # TMA cannot load rows that are not multiples of 16 bytes.
    is_loaded = "_unaligned" not in name
    assert {is_tcgen05(dot) for dot in dots} == {has_instruction and is_loaded}
