"""
What is asynchronous has one road: `convert-tileas-to-nvgpu` says it in `nvgpu`, and the conversions
of `convert-nvgpu-to-nvvm` are what every kernel takes.
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
from tileiras_xdsl.frontend import make_context
from tileiras_xdsl.pipeline import make_pass, select_steps
from tileiras_xdsl.transforms.nvvm.convert_nvgpu_to_nvvm.conversion_pass import (
    ConvertNvgpuToNvvmPass,
)
from tileiras_xdsl.xdsl_extras.dialect_conversion import disposable

from ..harness.cases import every

# What all programs consist of is counted once.
pytestmark = pytest.mark.xdist_group("one_road")

ROOT = Path(__file__).parents[3]
CORPUS = sorted((ROOT / "tests" / "corpus" / "bytecode" / "13.4").glob("*.tileirbc"))
BENCHMARKS = sorted((ROOT / "benchmarks" / "gpu" / "bytecode").glob("*.tileirbc"))
FEW = (*CORPUS[::32], *BENCHMARKS[::8])
MORE = (*CORPUS[::8], *BENCHMARKS[::2])
TARGETS = (("sm_80", "device-maps"), ("sm_90a", "host-maps"), ("sm_100a", "host-maps"))

DIRECT = {
    # Elements of one thread's fragments: accesses, products of a warp, conversions.
    *("nvvm.fragment.load", "nvvm.fragment.store", "nvvm.fragment.mma"),
    *("nvvm.fragment.atomicrmw", "nvvm.fragment.cmpxchg"),
    *("nvvm.fragment.fptrunc", "nvvm.fragment.fpext"),
    # Arithmetic that `arith` and `math` lack.
    *(f"nvvm.{word}.f" for word in ("add", "sub", "mul", "div", "fma", "sqrt", "rcp")),
    *(f"nvvm.{word}.approx.f" for word in ("ex2", "rsqrt", "sqrt", "div", "tanh")),
    "nvvm.div.full.f",
    # Threads that meet, and lanes that exchange values.
    *("nvvm.barrier", "nvvm.barrier.arrive", "nvvm.bar.warp.sync", "nvvm.shfl.sync"),
    *("nvvm.elect.sync", "nvvm.vote.sync"),
    *("nvvm.cluster.arrive", "nvvm.cluster.wait"),
    # Other grids, registers, and where a thread is.
    *("nvvm.griddepcontrol.wait", "nvvm.griddepcontrol.launch.dependents"),
    *("nvvm.setmaxregister", "nvvm.read.ptx.sreg.smid", "nvvm.read.ptx.sreg.cluster.ctarank"),
}
"""The ops of `nvvm` that code of one thread is made of directly: none of them goes on by itself."""

LACKING = {
    # Copies of producer threads arrive at an mbarrier, or are waited for, committed or not.
    *("nvvm.cp.async.mbarrier.arrive.shared", "nvvm.cp.async.wait.all"),
    # A fence that only releases, and what ptxas moves nothing across.
    *("nvvm.fence.proxy.release", "nvvm.pmevent"),
}
"""Those that have to do with what is asynchronous, but for which `nvgpu` has no op."""


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


@pytest.mark.every(5)
@pytest.mark.parametrize("programs", every(2, [FEW, MORE]), ids=len)
@pytest.mark.parametrize(("arch", "abi"), TARGETS)
def test_nothing_asynchronous_is_nvvm(arch: str, abi: str, programs: tuple[Path, ...]):
    found = {name for name in count_ops(programs, arch, abi) if name.startswith("nvvm.")}
    assert found <= DIRECT | LACKING


@pytest.mark.parametrize("programs", every(2, [FEW, MORE]), ids=len)
def test_kernels_are_made_of_nvgpu(programs: tuple[Path, ...]):
    """What the dialect has for our kernels is used by some."""
    found = {name for target in TARGETS for name in count_ops(programs, *target)}
    assert {name for name in found if name.startswith("nvgpu.")} >= {
        *(f"nvgpu.mbarrier.{word}" for word in ("at", "init", "init.fence", "arrive")),
        *("nvgpu.mbarrier.arrive.expect_tx", "nvgpu.mbarrier.try_wait.parity"),
        *(f"nvgpu.tma.{word}" for word in ("async.load", "async.store")),
        *("nvgpu.tma.commit_group", "nvgpu.tma.wait_group", "nvgpu.tma.prefetch.descriptor"),
        *(f"nvgpu.warpgroup.{word}" for word in ("fence", "mma.async", "commit", "wait")),
        *(f"nvgpu.tcgen05.{word}" for word in ("alloc", "dealloc", "relinquish_alloc_permit")),
        *(f"nvgpu.tcgen05.{word}" for word in ("generate.descriptor", "mma", "commit", "ld")),
        *("nvgpu.tcgen05.wait", "nvgpu.tcgen05.fence", "nvgpu.tensor_memory.at"),
        *("nvgpu.ldmatrix", "nvgpu.stmatrix", "nvgpu.fence.proxy"),
        *(f"nvgpu.device_async_{word}" for word in ("copy", "create_group", "wait")),
    }


def test_no_ops_of_nvgpu_are_left():
    """What a kernel with all kinds of copies becomes has none of the dialect."""
    path = next(path for path in BENCHMARKS if path.stem == "matmul_split_128x128x64")
    module = lower(path, "sm_90a", "device-maps")
    before = Counter(op.name for op in module.walk())
    maps = before[nvgpu.TmaEncodeDescriptorOp.name]
    assert maps > 0
    assert before[nvgpu.TmaPublishDescriptorOp.name] == maps
    ConvertNvgpuToNvvmPass().apply(make_context(), module)
    after = Counter(op.name for op in module.walk())
    assert not any(name.startswith("nvgpu.") for name in after)
    assert after["nvvm.tensormap.cp_fenceproxy"] == maps
    assert after["nvvm.wgmma.mma_async"] == before["nvgpu.warpgroup.mma.async"] > 0


LOADED = """
import sys
from pathlib import Path
import tileiras_xdsl
from tileiras_xdsl.frontend import make_context
from tileiras_xdsl.pipeline import make_pass, select_steps

module = tileiras_xdsl.load(Path(sys.argv[1]))
for step in select_steps(to="nvvm"):
    make_pass(step, "sm_90a").apply(make_context(), module)
print([name for name in sys.modules if ".interop" in name])
"""


@pytest.mark.long
@pytest.mark.every(2)
@pytest.mark.parametrize("kernel", ["matmul_128x128x64", "layer_norm"])
def test_what_others_need_is_not_loaded(kernel: str):
    path = next(path for path in BENCHMARKS if path.stem == kernel)
    command = [sys.executable, "-c", LOADED, str(path)]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "[]\n"
