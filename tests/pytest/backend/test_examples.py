"""The kernels of examples/level3 become PTX and cubins that do what they were written for."""

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.convert_scf_to_cf import ConvertScfToCf
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.targets import PtxTarget
from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.targets.machine import ComputeCapability
from tileiras_xdsl.targets.target import target_of
from tileiras_xdsl.transforms.nvvm.convert_gpu_to_nvvm.conversion_pass import ConvertGpuToNvvmPass
from tileiras_xdsl.transforms.nvvm.convert_nvgpu_to_nvvm import ConvertNvgpuToNvvmPass
from tileiras_xdsl.transforms.nvvm.convert_scf_while_to_cf import ConvertScfWhileToCfPass
from tileiras_xdsl.transforms.nvvm.convert_to_llvm.conversion_pass import ConvertToLlvmPass

from ..harness.commands import python
from ..harness.passes import apply
from .level3 import EXAMPLES, FOLDER

ROOT = Path(__file__).parents[3]
CASES = [(name, arch) for name, example in EXAMPLES.items() for arch in example.architectures]


@cache
def lower(name: str) -> ModuleOp:
    """An example as `llvm` and `nvvm`."""
    return apply(
        load(EXAMPLES[name].path),
        ConvertScfWhileToCfPass(),
        ConvertScfToCf(),
        ConvertGpuToNvvmPass(),
        ConvertNvgpuToNvvmPass(),
        ConvertToLlvmPass(),
    )


@cache
def compile_example(name: str, arch: str) -> str:
    """The PTX of an example."""
    return PtxTarget(arch=arch).compile(lower(name))


def test_every_file_is_an_example():
    assert {path.stem for path in FOLDER.glob("*.mlir")} == set(EXAMPLES)


@pytest.mark.every(7, first=1)
@pytest.mark.parametrize(("name", "arch"), CASES)
def test_ptx(name: str, arch: str):
    ptx = compile_example(name, arch)
    assert f".entry {name}(" in ptx
    threads = EXAMPLES[name].record.threads
    assert threads is not None
    assert f".reqntid {threads[0]}" in ptx
    # Only the arguments of printf are on the stack.
    assert (".local" in ptx) == (name == "assert_printf")
    has_clusters = not target_of(ComputeCapability.parse(arch)).has("tma.cta")
    for instruction in EXAMPLES[name].instructions:
        if target_of(ComputeCapability.parse(arch)).has("f32x2"):
            # Pairs of f32 are loaded and added together.
            instruction = instruction.replace("global.v4.b32", "global.v2.b64")
            instruction = instruction.replace("fma.rn.f32", "fma.rn.f32x2")
        if not has_clusters:
            instruction = instruction.replace("shared::cluster.global", "shared::cta.global")
        assert instruction in ptx


@pytest.mark.every(65)
@pytest.mark.parametrize(("name", "arch"), CASES)
def test_cubin(name: str, arch: str, oracle_program: Callable[[str], Path]):
    ptxas = Ptxas(oracle_program("ptxas"))
    result = ptxas.compile(compile_example(name, arch), NvptxTarget.parse(arch))
    assert result.cubin.startswith(b"\x7fELF")
    assert not result.messages
    usage = result.functions[name]
    assert usage.spill_stores == usage.spill_loads == 0


@pytest.mark.parametrize(
    ("name", "arch"),
    [
        (name, arch)
        for name, example in EXAMPLES.items()
        for arch in ("sm_89", "sm_100")
        if arch not in example.architectures
    ],
)
def test_other_architectures_are_refused(name: str, arch: str):
    with pytest.raises(DiagnosticException, match=f"needs sm_90.*, the target is {arch}"):
        compile_example(name, arch)


@pytest.mark.long
def test_the_ptx_is_the_same_for_every_hash_seed():
    program = "from tests.pytest.backend.test_examples import print_all\nprint_all()\n"
    seed = "77" if os.environ.get("PYTHONHASHSEED") != "77" else "1"
    other = python("-c", program, environment={"PYTHONHASHSEED": seed}, cwd=ROOT).out
    assert other == "".join(compile_example(name, "sm_90") for name in EXAMPLES)


def print_all() -> None:
    """What the process with another seed does."""
    sys.stdout.writelines(compile_example(name, "sm_90") for name in EXAMPLES)
