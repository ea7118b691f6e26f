"""LLVM IR text to PTX."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.target import NvptxTarget

from ..harness.commands import python, python_with_seed
from .kernels import ARCHITECTURES, CASES, kernel

SM_80 = NvptxTarget.parse("sm_80")
SM_90 = NvptxTarget.parse("sm_90")


@pytest.mark.every(3)
@pytest.mark.parametrize(("name", "arch"), CASES)
def test_kernels(name: str, arch: str, oracle_module: Callable[[str], ModuleType]):
    if name == "sine":
        oracle_module("nvidia.cu13.nvvm")
    target = NvptxTarget.parse(arch)
    ptx = nvptx.compile_to_ptx(kernel(name), target)
    assert f".target {target.cpu}\n" in ptx
    relative = target.machine.relative
    version = target.ptx_version if relative is None else relative.ptx_version
    assert f".version {version // 10}.{version % 10}\n" in ptx
    assert f".entry {name}(" in ptx
    instructions = {
        "saxpy": ("fma.rn.f32", "ld.global.nc.b32", ".reqntid 128"),
        "sine": ("fma.rn.f32",),
        "reverse": ("bar.sync", ".shared .align 16 .b8 buffer[512]"),
        "mma": ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",),
        "tma": ("cp.async.bulk.tensor.2d.shared::cluster.global", "mbarrier.try_wait.parity"),
    }
    for instruction in instructions[name]:
        assert instruction in ptx
    assert ".extern" not in ptx


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("level", range(4))
def test_levels(arch: str, level: int):
    assert ".entry reverse" in nvptx.compile_to_ptx(
        kernel("reverse"), NvptxTarget.parse(arch), level
    )


def test_there_is_no_level_four():
    with pytest.raises(BackendError, match=re.escape("no optimization level 4 (expected 0 to 3)")):
        nvptx.compile_to_ptx(kernel("saxpy"), SM_90, 4)


def test_optimized_ir_has_the_data_layout():
    ir = nvptx.optimized_ir(kernel("saxpy"), SM_90)
    assert 'target triple = "nvptx64-nvidia-cuda"' in ir
    assert re.search(r'target datalayout = "e-.*i128:128.*n16:32:64"', ir)


def test_no_vectorizer_runs():
    stores = "".join(
        f"  %v{i} = load float, ptr %p{i}\n  %w{i} = fmul float %v{i}, 3.0\n"
        f"  store float %w{i}, ptr %q{i}\n"
        for i in range(4)
    )
    addresses = "".join(
        f"  %p{i} = getelementptr float, ptr %x, i64 {i}\n"
        f"  %q{i} = getelementptr float, ptr %y, i64 {i}\n"
        for i in range(4)
    )
    source = (
        "define ptx_kernel void @k(ptr noalias align 16 %x, ptr noalias align 16 %y) {\n"
        f"{addresses}{stores}  ret void\n}}\n"
    )
    assert "x float>" not in nvptx.optimized_ir(source, SM_90)


def test_addresses_that_repeat_are_computed_once_without_optimization():
    # The code generator compares all pairs of equal addresses of a block.
    count = 50
    source = (
        "define ptx_kernel void @many(ptr addrspace(3) %base, i32 %index, float %x) {\n"
        + "".join(
            f"  %p{n} = getelementptr float, ptr addrspace(3) %base, i32 %index\n"
            f"  %q{n} = getelementptr float, ptr addrspace(3) %p{n}, i32 {n}\n"
            f"  store float %x, ptr addrspace(3) %q{n}\n"
            for n in range(count)
        )
        + "  ret void\n}\n"
    )
    assert nvptx.optimized_ir(source, SM_90, 0).count("i32 %index\n") == 1


@pytest.mark.part("processes")
def test_output_is_the_same_in_every_process():
    script = (
        "import hashlib, sys\n"
        "from tileiras_xdsl.backend import nvptx\n"
        "from tileiras_xdsl.backend.target import NvptxTarget\n"
        "ptx = nvptx.compile_to_ptx(sys.stdin.read(), NvptxTarget.parse('sm_90'))\n"
        "print(hashlib.sha256(ptx.encode()).hexdigest())\n"
    )
    source = kernel("tma")
    first = nvptx.compile_to_ptx(source, SM_90)
    nvptx.compile_to_ptx(kernel("saxpy"), SM_90)
    assert nvptx.compile_to_ptx(source, SM_90) == first
    for seed in (0, 1):
        other = python_with_seed(seed, "-c", script, stdin=source)
        assert other.strip() == hashlib.sha256(first.encode()).hexdigest()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "  %x = add i32 1, %y\n",
            "LLVM IR does not parse, line 2:19: use of undefined value '%y'\n"
            "  1 | define void @f(i1 %c) {\n"
            "> 2 |   %x = add i32 1, %y\n"
            "  3 |   ret void\n"
            "  4 | }",
        ),
        (
            "  br i1 %c, label %a, label %b\na:\n  %x = add i32 1, 2\n  br label %b\nb:\n"
            "  %z = add i32 %x, 1\n",
            "LLVM IR is invalid, line 4: Instruction does not dominate all uses!\n",
        ),
    ],
)
def test_bad_ir(body: str, message: str):
    with pytest.raises(BackendError) as error:
        nvptx.parse(f"define void @f(i1 %c) {{\n{body}  ret void\n}}\n", SM_90)
    assert message in str(error.value)


@pytest.mark.part("processes")
def test_nothing_is_imported_early():
    modules = sorted(
        f"tileiras_xdsl.backend.{path.stem}"
        for path in Path(nvptx.__file__).parent.glob("*.py")
        # Measures this CPU, which takes arrays.
        if path.stem not in ("__init__", "host_rates")
    )
    script = f"import {', '.join(modules)}, sys\nprint(*sys.modules)"
    loaded = {name.split(".")[0] for name in python("-c", script).out.split()}
    assert not loaded & {"llvmlite", "numpy", "ml_dtypes", "cuda"}
