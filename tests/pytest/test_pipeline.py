"""The list of passes, and what it promises."""

import itertools
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl import pipeline
from tileiras_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.driver.demos import __file__ as demos
from tileiras_xdsl.frontend.load import Program, load, make_context
from tileiras_xdsl.pipeline import (
    MODULE_STAGES,
    PIPELINE,
    STAGES,
    PipelinePass,
    find_last_decision,
    find_stage,
    make_pass,
    pipeline_spec,
    select_steps,
)

from .backend.level3 import EXAMPLES

VECTOR_ADD = demos.replace("__init__.py", "vector_add.tileirbc")
MATMUL = demos.replace("__init__.py", "matmul.tileirbc")


def lower(path: str, to: pipeline.ModuleStage, opt: int = 3) -> ModuleOp:
    return Compilation(Program.of(path), Options("sm_90", opt)).lower(to)


@pytest.mark.requirement("J-11")
def test_stages_come_in_the_documented_order():
    assert STAGES == ("cuda-tile", "tileaa", "tileas", "nvgpu", "nvvm", "llvm", "ptx", "cubin")
    order = [STAGES.index(step.stage) for step in PIPELINE]
    assert order == sorted(order)
    assert {step.stage for step in PIPELINE} == set(MODULE_STAGES)
    conversions = [step.name for step in PIPELINE if step.name.startswith("convert-")]
    assert conversions == [
        "convert-cuda-tile-to-tileaa",
        "convert-tileaa-to-tileas",
        "convert-tileas-to-nvgpu",
        "convert-scf-while-to-cf",
        "convert-gpu-to-nvvm",
        "convert-nvgpu-to-nvvm",
        "convert-to-llvm",
    ]


@pytest.mark.parametrize("opt", pipeline.OPT_LEVELS)
@pytest.mark.requirement("J-17")
def test_tokens_are_flattened_on_the_way_to_tileas_only(opt: int):
    def tokens(module: ModuleOp) -> int:
        types = (ty for op in module.walk() for ty in op.result_types)
        return sum(isinstance(ty, MemTokenType) for ty in types)

    module = lower(VECTOR_ADD, "tileaa", opt)
    # Two loads and a store, each of which has a successor.
    assert tokens(module) >= 3
    late = [step.name for step in select_steps(opt, after="tileaa")]
    hoists = ["hoist-loads"] if opt >= 2 else []
    expected = ["discharge-mem-tokens", *hoists, "convert-tileaa-to-tileas"]
    assert late[: len(expected)] == expected
    assert "discharge-mem-tokens" not in [step.name for step in select_steps(opt, to="tileaa")]


def test_levels_add_passes():
    names = [[step.name for step in select_steps(opt)] for opt in pipeline.OPT_LEVELS]
    for less, more in itertools.pairwise(names):
        assert set(less) < set(more)
    assert "canonicalize" not in names[0]
    assert "licm" not in names[1]
    assert "loop-split" not in names[2]
    assert "loop-split" in names[3]


def test_conversions_run_at_every_level():
    for step in PIPELINE:
        if step.name.startswith(("convert-", "verify-")):
            assert step.level == 0


def test_specifications():
    spec = pipeline_spec("sm_90", 0, to="tileaa")
    assert spec == (
        "verify-cuda-tile-input,convert-cuda-tile-to-tileaa{compute-capability=sm_90},"
        "verify-no-cuda-tile,strip-mine-tiles"
    )
    spec = pipeline_spec("sm_90", after="nvgpu")
    assert spec.split(",")[0] == "convert-scf-while-to-cf{all=true}"
    for abi in ("device-maps", "host-maps"):
        spec = pipeline_spec("sm_90", after="tileas", to="nvgpu", abi=abi)
        assert spec == f"convert-tileas-to-nvgpu{{abi={abi}}},sink-scalars"


ASYNC_MMA_ONLY = (
    "merge-loads",
    "split-operands",
    "tileas-prepare-for-scheduling",
    "tileas-dynamic-persistent",
    "tileas-coarsen-thread-blocks",
    "tileas-order-tile-blocks",
)
FROM_HOPPER_ON = (
    "recover-views",
    "hoist-views",
    "split-tiles",
    "tileas-generate-schedule",
    "tileas-materialize-schedule",
    "tileas-overlap-launches",
    "sink-scalars",
)
WITH_TENSOR_MEMORY = (
    "tileas-slice-epilogues",
    "tileas-assign-tensor-memory",
    "tileas-pair-ctas",
    "tileas-allocate-tensor-memory",
)


def test_architectures_run_what_they_have():
    every = [step.name for step in select_steps()]
    assert [step.name for step in select_steps(arch="sm_100a")] == every
    for arch in ("sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_121f"):
        names = [step.name for step in select_steps(arch=arch)]
        missing = {*WITH_TENSOR_MEMORY}
        if arch != "sm_90a":
            missing |= {*ASYNC_MMA_ONLY}
        if arch in ("sm_80", "sm_89"):
            missing |= {*FROM_HOPPER_ON}
        assert {name for name in every if name not in names} == missing
        assert not any(name in pipeline_spec(arch) for name in missing)


@pytest.mark.every(3, first=2)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_120a"])
def test_what_does_not_run_would_change_nothing(arch: str):
    module = load(Path(MATMUL))
    for step in select_steps(arch=arch, to="tileas"):
        make_pass(step, arch).apply(make_context(), module)
    whole = load(Path(MATMUL))
    for step in select_steps(to="tileas"):
        before = str(whole)
        make_pass(step, arch).apply(make_context(), whole)
        assert step in select_steps(arch=arch) or str(whole) == before
    assert str(whole) == str(module)


@pytest.mark.parametrize(
    ("arch", "name"),
    [("sm_90a", "tileas-generate-schedule"), ("sm_80", "tileas-resolve-cluster-hints")],
)
def test_the_last_decision(arch: str, name: str):
    last = find_last_decision(select_steps(arch=arch))
    assert last is not None
    assert last.name == name
    assert find_last_decision(select_steps(after="tileas")) is None


def test_a_pass_that_is_missing():
    with pytest.raises(
        DiagnosticException,
        match="no pass 'nonsense' yet: programs can be compiled up to the stage tileas",
    ):
        make_pass(PipelinePass("nonsense", "nvgpu"), "sm_90")


def test_stages_are_recognized():
    assert find_stage(load(VECTOR_ADD)) == "cuda-tile"
    assert find_stage(lower(VECTOR_ADD, "tileaa")) == "tileaa"
    for example in EXAMPLES.values():
        assert find_stage(load(example.path)) == "nvgpu"
        assert find_stage(lower(str(example.path), "nvvm")) == "nvvm"


def test_what_was_printed_goes_on_from_there():
    module = lower(str(EXAMPLES["saxpy"].path), "nvvm")
    compilation = Compilation(Program.of(module), Options("sm_90"))
    assert compilation.lower("nvvm").is_structurally_equivalent(module)
    with pytest.raises(DiagnosticException, match="at stage nvvm already, nvgpu comes before"):
        compilation.lower("nvgpu")
