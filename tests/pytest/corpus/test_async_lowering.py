"""
What is asynchronous has one road: `convert-tileas-to-nvgpu` says it in `nvvm`, or in `nvgpu` where
an op is several instructions; `convert-nvgpu-to-nvvm` needs nothing of `tileiras_interop` for that.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

import tileiras_xdsl
from tileiras_xdsl.dialects import nvgpu
from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.nvvm.convert_nvgpu_to_nvvm import ConvertNvgpuToNvvmPass
from tileiras_xdsl.xdsl_extras.dialect_conversion import disposable

from ..harness.cases import every

# What all programs consist of is counted once.
pytestmark = pytest.mark.xdist_group("one_road")

ROOT = Path(__file__).parents[3]
CORPUS = sorted((ROOT / "tests" / "corpus" / "bytecode" / "13.4").glob("*.tileirbc"))
BENCHMARKS = sorted((ROOT / "benchmarks" / "gpu" / "bytecode").glob("*.tileirbc"))
FEW = (*CORPUS[::32], *BENCHMARKS[::8])
MORE = (*CORPUS[::8], *BENCHMARKS[::2])
TARGETS = (("sm_80", "device-maps"), ("sm_90a", "device-maps"), ("sm_100a", "host-maps"))

OPS = {
    "nvgpu.ldmatrix",
    "nvgpu.tma.encode.descriptor",
    *(f"nvgpu.device_async_{word}" for word in ("create_group", "wait")),
}
"""The ops of `nvgpu` that kernels have: each is several instructions, or upstream has it."""


def lower(path: Path, arch: str, abi: str) -> ModuleOp:
    """A program at the stage `nvgpu`."""
    module, context = tileiras_xdsl.load(path), make_context()
    with disposable(module):
        for step in select_steps(to="nvgpu"):
            make_pass(step, arch, abi).apply(context, module)
    return module


@lru_cache
def count_ops(programs: tuple[Path, ...], arch: str, abi: str) -> Counter[str]:
    """How many ops of each name programs have at the stage `nvgpu`."""
    found = Counter[str]()
    for path in programs:
        found.update(op.name for op in lower(path, arch, abi).walk())
    return found


@pytest.mark.part("kernels")
@pytest.mark.every(5)
@pytest.mark.parametrize("programs", every(2, [FEW, MORE]), ids=len)
def test_one_instruction_is_one_op_of_nvvm(programs: tuple[Path, ...]):
    """Kernels have no other name for an op of `nvvm`."""
    found = {name for target in TARGETS for name in count_ops(programs, *target)}
    assert {name for name in found if name.startswith("nvgpu.")} == OPS


def test_no_ops_of_nvgpu_are_left():
    """What a kernel with all kinds of copies becomes has none of the dialect."""
    path = next(path for path in BENCHMARKS if path.stem == "matmul_split_128x128x64")
    module = lower(path, "sm_90a", "device-maps")
    before = Counter(op.name for op in module.walk())
    maps = before[nvgpu.TmaEncodeDescriptorOp.name]
    assert maps > 0
    assert before["nvvm.tensormap.cp_fenceproxy"] == maps
    ConvertNvgpuToNvvmPass().apply(make_context(), module)
    after = Counter(op.name for op in module.walk())
    assert not any(name.startswith("nvgpu.") for name in after)
    assert after["nvvm.tensormap.replace"] > maps
    assert after["nvvm.wgmma.mma_async"] == before["nvvm.wgmma.mma_async"] > 0


LOADED = """
import sys
from pathlib import Path
import tileiras_xdsl
from tileiras_xdsl.frontend.load import make_context
from tileiras_xdsl.pipeline import make_pass, select_steps

module = tileiras_xdsl.load(Path(sys.argv[1]))
for step in select_steps(to="nvvm"):
    make_pass(step, "sm_90a").apply(make_context(), module)
print([name for name in sys.modules if "interop." in name])
"""


@pytest.mark.long
@pytest.mark.every(2)
@pytest.mark.parametrize("kernel", ["matmul_128x128x64", "layer_norm"])
def test_what_others_need_is_not_loaded(kernel: str):
    path = next(path for path in BENCHMARKS if path.stem == kernel)
    command = [sys.executable, "-c", LOADED, str(path)]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "[]\n"
