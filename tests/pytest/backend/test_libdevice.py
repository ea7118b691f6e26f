"""The math functions of libdevice."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tileiras_xdsl.backend import libdevice, nvptx
from tileiras_xdsl.backend.errors import BackendError, MissingToolError
from tileiras_xdsl.backend.llvmlite_binding import create_target_machine
from tileiras_xdsl.backend.target import NvptxTarget

from .kernels import kernel

SM_90 = NvptxTarget.parse("sm_90")


@pytest.fixture(autouse=True)
def installed(oracle_module: Callable[[str], ModuleType]):
    """The packages of NVIDIA, or no test of this file."""
    oracle_module("nvidia.cu13.nvvm")


def hide_packages(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setattr(libdevice, "nvidia_package_folders", lambda: iter(()))
    monkeypatch.setenv("CUDA_HOME", str(home))
    monkeypatch.delenv(libdevice.LIBDEVICE_VARIABLE, raising=False)


def test_only_what_is_used_is_linked():
    compilation = nvptx.parse(kernel("sine"), SM_90)
    machine = create_target_machine(SM_90, 1)
    libdevice.link_libdevice(compilation.module, compilation.session, machine)
    defined = {
        function.name: re.findall(r"^define (\w+) ", str(function), re.MULTILINE)
        for function in compilation.module.functions
        if not function.is_declaration
    }
    assert defined.pop("sine") == ["ptx_kernel"]
    assert "__nv_sinf" in defined
    assert all(linkage == ["internal"] for linkage in defined.values())
    assert len(defined) < 10


def test_all_is_inlined():
    ir = nvptx.optimized_ir(kernel("sine"), SM_90)
    assert re.findall(r"^(?:define|declare) .*@(__nv\w*)", ir, re.MULTILINE) == []


def test_it_is_not_looked_for_without_need(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    hide_packages(monkeypatch, tmp_path)
    monkeypatch.setenv(libdevice.LIBDEVICE_VARIABLE, str(tmp_path / "nothing"))
    nvptx.compile_to_ptx(kernel("saxpy"), SM_90)


def test_flush_to_zero_is_chosen():
    flag = '!llvm.module.flags = !{!0}\n!0 = !{i32 4, !"nvvm-reflect-ftz", i32 1}\n'
    kept = nvptx.compile_to_ptx(kernel("sine"), SM_90)
    flushed = nvptx.compile_to_ptx(kernel("sine"), SM_90, ftz=True)
    assert ".ftz" not in kept
    assert ".ftz" in flushed
    assert nvptx.compile_to_ptx(kernel("sine"), SM_90, ftz=False) == kept
    assert nvptx.compile_to_ptx(kernel("sine") + flag, SM_90) == flushed
    with pytest.raises(BackendError, match="the module's flag nvvm-reflect-ftz says no"):
        nvptx.compile_to_ptx(kernel("sine") + flag, SM_90, ftz=False)


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("name", ["__nv_sqrtf", "__nv_hypotf", "__nv_norm3df"])
def test_square_roots_are_rounded_correctly(name: str, level: int):
    count = {"__nv_sqrtf": 1, "__nv_hypotf": 2, "__nv_norm3df": 3}[name]
    types, values = ", ".join(["float"] * count), ", ".join(["float %v"] * count)
    source = f"""
declare float @{name}({types})
define ptx_kernel void @root(ptr addrspace(1) %p) {{
  %v = load float, ptr addrspace(1) %p
  %r = call float @{name}({values})
  store float %r, ptr addrspace(1) %p
  ret void
}}
"""
    ptx = nvptx.compile_to_ptx(source, SM_90, level)
    assert "sqrt.rn.f32" in ptx
    assert "sqrt.approx" not in ptx
    assert "sqrt.rn.ftz.f32" in nvptx.compile_to_ptx(source, SM_90, level, ftz=True)


def test_a_function_that_is_not_there():
    source = kernel("sine").replace("__nv_sinf", "__nv_sinff")
    with pytest.raises(
        BackendError, match=r"libdevice has no function @__nv_sinff \(there is .*__nv_sinf"
    ):
        nvptx.compile_to_ptx(source, SM_90)


def test_a_function_of_another_type():
    source = "declare double @__nv_sinf(double)\n"
    message = r"@__nv_sinf is declared as double \(double\), in libdevice it is float \(float\)"
    with pytest.raises(BackendError, match=message):
        nvptx.compile_to_ptx(source, SM_90)


def test_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    hide_packages(monkeypatch, tmp_path)
    monkeypatch.setattr(libdevice, "_USUAL_PLACES", ())
    with pytest.raises(MissingToolError, match="pip install 'tileiras-xdsl\\[cubin\\]', or set"):
        nvptx.compile_to_ptx(kernel("sine"), SM_90)


def test_a_variable_that_names_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv(libdevice.LIBDEVICE_VARIABLE, str(tmp_path / "nothing.bc"))
    with pytest.raises(MissingToolError, match=r"nothing\.bc, which is not a file"):
        nvptx.compile_to_ptx(kernel("sine"), SM_90)


def test_a_variable_that_names_something_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "text.bc").write_text("no bitcode")
    monkeypatch.setenv(libdevice.LIBDEVICE_VARIABLE, str(tmp_path / "text.bc"))
    with pytest.raises(MissingToolError, match="is not libdevice"):
        nvptx.compile_to_ptx(kernel("sine"), SM_90)


def test_order_of_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    package = libdevice.find_libdevice()
    home = tmp_path / "home"
    file = home / "nvvm" / "libdevice" / "libdevice.10.bc"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"")
    monkeypatch.setenv("CUDA_HOME", str(home))
    assert libdevice.find_libdevice() == package
    hide_packages(monkeypatch, home)
    assert libdevice.find_libdevice() == file
    monkeypatch.setenv(libdevice.LIBDEVICE_VARIABLE, str(package))
    assert libdevice.find_libdevice() == package
