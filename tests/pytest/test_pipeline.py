"""The list of passes, and what it promises."""

import itertools

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl import pipeline
from tileiras_xdsl.compiler.compilation import Compilation
from tileiras_xdsl.compiler.options import Options
from tileiras_xdsl.demos import __file__ as demos
from tileiras_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileiras_xdsl.frontend import Program, load
from tileiras_xdsl.pipeline import (
    MODULE_STAGES,
    PIPELINE,
    STAGES,
    Step,
    find_stage,
    make_pass,
    pipeline_spec,
    select_steps,
)

from .backend.level3 import EXAMPLES

VECTOR_ADD = demos.replace("__init__.py", "vector_add.tileirbc")


def lower(path: str, to: pipeline.ModuleStage, opt: int = 3) -> ModuleOp:
    return Compilation(Program.of(path), Options("sm_90", opt)).lower(to)


def test_j_11_stages_come_in_the_documented_order():
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
        "convert-scf-to-cf",
        "convert-gpu-to-nvvm",
        "convert-nvgpu-to-nvvm",
        "convert-to-llvm",
    ]


@pytest.mark.parametrize("opt", pipeline.OPT_LEVELS)
def test_j_17_tokens_are_flattened_on_the_way_to_tileas_only(opt: int):
    def tokens(module: ModuleOp) -> int:
        types = (type for op in module.walk() for type in op.result_types)
        return sum(isinstance(type, MemTokenType) for type in types)

    module = lower(VECTOR_ADD, "tileaa", opt)
    # Two loads and a store, each of which has a successor.
    assert tokens(module) >= 3
    late = [step.name for step in select_steps(opt, after="tileaa")]
    assert late[:2] == ["discharge-mem-tokens", "convert-tileaa-to-tileas"]
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
        "verify-no-cuda-tile"
    )
    assert pipeline_spec("sm_90", after="nvgpu").split(",")[0] == "convert-scf-while-to-cf"
    for abi in ("device-maps", "host-maps"):
        spec = pipeline_spec("sm_90", after="tileas", to="nvgpu", abi=abi)
        assert spec == f"convert-tileas-to-nvgpu{{abi={abi}}}"


def test_a_pass_that_is_missing():
    with pytest.raises(
        DiagnosticException,
        match="no pass 'nonsense' yet: programs can be compiled up to the stage tileas",
    ):
        make_pass(Step("nonsense", "nvgpu"), "sm_90")


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
