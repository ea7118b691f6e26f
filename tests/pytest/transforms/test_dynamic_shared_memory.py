"""More shared memory than there is without asking: launches of ours ask for it."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import GlobalOp

from tileiras_xdsl import compile, load, run
from tileiras_xdsl.dialects.nv_tileaa.attributes import get_shape
from tileiras_xdsl.dialects.nv_tileas.memory import AllocTensorOp
from tileiras_xdsl.dialects.nvgpu.types import get_dynamic_shared
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.threads.run import run_threads
from tileiras_xdsl.pipeline import ModuleStage
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.targets.target import target_of

from .test_tileas_unspecialized_pipeline import Gemm

KERNEL = Gemm("f16", "f32", 64, 64, 64)
"""Four stages of its tiles are 64 KiB."""
ASKING = ("sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_100f", "sm_121f")
"""Architectures with more than there is without asking."""


def lower(text: str, stage: ModuleStage) -> ModuleOp:
    """A kernel for our own launches."""
    options = Options("sm_80", abi="host-maps")
    return Compilation(Program.of(text), options, isolate=False).lower(stage)


@pytest.mark.every(7, first=6)
@pytest.mark.parametrize("gpu", ASKING)
def test_launches_of_ours_ask(gpu: str):
    shared = target_of(ComputeCapability.parse(gpu)).shared
    own = compile(KERNEL.text(), gpu, abi="host-maps")
    record = own.launch_record
    assert record.shared is not None
    assert shared.static < record.shared <= shared.opt_in
    assert record.static_shared == 0
    assert ".extern .shared .align 1024 .b8 global_smem[]" in own.ptx


@pytest.mark.every(9, first=8)
@pytest.mark.parametrize("gpu", [*ASKING, "sm_90", "sm_100"])
def test_launches_of_others_do_not(gpu: str):
    shared = target_of(ComputeCapability.parse(gpu)).shared
    record = compile(KERNEL.text(), gpu).launch_record
    assert record.shared == 0
    assert 0 < record.static_shared <= shared.static


@pytest.mark.every(2)
@pytest.mark.parametrize("stage", ["nvgpu", "nvvm"])
def test_results_are_the_same(stage: ModuleStage):
    module = lower(KERNEL.text(), stage)
    arguments, expected = KERNEL.arguments(80, 64, 320), KERNEL.arguments(80, 64, 320)
    run(load(KERNEL.text()), grid=(2, 1), args=expected)
    run(module, grid=(2, 1), args=arguments, check=["races"])
    assert isinstance(arguments[2], np.ndarray)
    assert isinstance(expected[2], np.ndarray)
    assert arguments[2].any()
    assert np.array_equal(arguments[2], expected[2])


def test_too_little_is_noticed():
    """The interpreter gives a kernel what it asks for, and no more."""
    module = lower(KERNEL.text(), "nvgpu")
    with pytest.raises(ExecutionError, match="of shared memory, which has 1024 bytes"):
        run_threads(module, args=KERNEL.arguments(64, 64, 64), dynamic_shared=1024)


def test_kernels_of_a_module_ask_each_for_its_own():
    """They share one part of shared memory, so that one which asks makes all ask."""
    small = Gemm("f16", "f32", 16, 16, 16).text()
    inside = small[small.index("entry @kernel") : small.rindex("}")]
    text = KERNEL.text()
    end = text.rindex("}")
    text = text[:end] + inside.replace("@kernel", "@small") + text[end:]
    module = lower(text, "nvgpu")
    sizes = {
        op.sym_name.data: get_dynamic_shared(op) for op in module.walk() if isinstance(op, FuncOp)
    }
    assert sizes["kernel"] is not None
    assert sizes["small"] is not None
    assert 0 < sizes["small"] < 48 * 1024 < sizes["kernel"]
    (memory,) = (op for op in module.walk() if isinstance(op, GlobalOp))
    assert memory.linkage.linkage.data == "external"


OWN = "%own = alloca num_elem = 12288, alignment = 16 : tile<ptr<f32>>"
"""48 KiB of the program's own, which it writes."""


@pytest.mark.parametrize(
    ("own", "depths"), [("", {4}), (OWN, set[int]())], ids=["without-own-memory", "with-own-memory"]
)
def test_pipelines_leave_others_what_these_need(own: str, depths: set[int]):
    """
    Nothing is exchanged, so that four stages of 32 KiB fit 163 KiB. Memory of the program's own
    makes pointers generic, and `cp.async` copies from global memory only.
    """
    text = Gemm("f16", "f32", 128, 128, 64).text()
    store = "%filled = store_ptr_tko weak %own, %word : tile<ptr<f32>>, tile<f32> -> token"
    word = f"%word = constant <f32: 1.0> : tile<f32>\n{own}\n{store}\n"
    module = lower(text.replace("%zero = ", f"{word if own else ''}%zero = ", 1), "tileas")
    rings = [op.result.type for op in module.walk() if isinstance(op, AllocTensorOp)]
    assert {get_shape(ty)[0] for ty in rings} == depths
