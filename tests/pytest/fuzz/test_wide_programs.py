"""Random programs down to code of threads; `benchmarks/random_programs.py` runs them for hours."""

from collections.abc import Iterator
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl.checking.reduction.search import count_ops
from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.nv_tileaa.elementwise import SubIOp
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.interpreter import SparseArray
from tileiras_xdsl.pipeline import ModuleStage

from ..harness.cases import every
from ..strategies.wide_programs import WideProgram, random_wide_program
from .wide_coverage import Coverage, expected
from .wide_runs import Configuration, findings, random_configuration, reduced

COUNT = 24
MAX_PROGRAMS = 300
"""In how many programs every op has to occur."""


@pytest.mark.every(6, first=3)
@pytest.mark.parametrize("seed", every(6, range(COUNT)))
def test_programs(seed: int):
    program = random_wide_program(seed)
    configuration = random_configuration(seed)
    stages: tuple[ModuleStage, ...] = ("tileaa", "nvgpu") if seed % 2 else ("tileas", "nvvm")
    found = list(findings(program, program.module, configuration, stages=stages))
    assert not found, f"program {seed} ({configuration}): {found[0]}"


def kinds(program: WideProgram) -> Iterator[str]:
    """What a program has that others do not."""
    if any(isinstance(value, SparseArray) for value in program.values):
        yield "more than 2^31 elements"
    if any(isinstance(value, int) and value < 0 for value in program.values):
        yield "negative strides"
    if len(program.values) > 100:
        yield "hundreds of parameters"
    for op in program.module.walk():
        for result in op.results:
            if isinstance(result.type, ct.TileType) and result.type.rank > 6:
                yield "high ranks"


def test_every_op_is_reached():
    """An op that no program has would be lowered without a random test; see `LEFT_OUT_OPS`."""
    coverage, seen = Coverage(), set[str]()
    for seed in range(MAX_PROGRAMS):
        program = random_wide_program(seed)
        coverage.watch(program.module)
        seen.update(kinds(program))
        if len(seen) == 4 and not coverage.missing_ops():
            break
    assert not coverage.missing_ops()
    assert len(seen) == 4
    assert len(coverage.missing_features()) < len(expected()) // 3


@pytest.mark.long
def test_bug_is_found_and_reduced(monkeypatch: pytest.MonkeyPatch):
    """A lowering that swaps operands of subtractions is noticed, and comes down to few ops."""
    lower = Compilation.lower

    def wrong(self: Compilation, stage: ModuleStage, *arguments: Any) -> ModuleOp:
        module = lower(self, stage, *arguments)
        for op in list(module.walk()):
            if isinstance(op, SubIOp):
                op.operands = tuple(reversed(op.operands))
        return module

    monkeypatch.setattr(Compilation, "lower", wrong)
    configuration = Configuration("sm_90", 0, "device-maps")
    for seed in range(COUNT):
        program = random_wide_program(seed)
        found = next(findings(program, program.module, configuration, stages=("tileaa",)), None)
        if found is not None and found.kind == "differs":
            break
    else:
        pytest.fail("no program subtracts")
    small, finding = reduced(program, configuration, found)
    assert finding.stage == "tileaa"
    assert any(isinstance(op, ct.SubIOp) for op in small.walk())
    assert count_ops(small) < 25
