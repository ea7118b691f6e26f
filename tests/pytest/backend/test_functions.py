"""
Which function of libdevice, or instruction, each function of each type is, so that results are
those of NVIDIA's compiler bit for bit; and that what is written out is what libdevice has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Final

import pytest
from tests.gpu.elementary_functions import FLOATS, UNARY, Case, arithmetic, module_of

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.frontend.load import load

from ..harness.passes import lower
from .test_translate import SM_90, translate

EXP: Final = (
    *("llvm.fma.f32", "llvm.nvvm.saturate.f", "llvm.nvvm.fma.rm.f"),
    "llvm.nvvm.ex2.approx.ftz.f32",
)
"""libdevice's `__nv_expf`, as `functions.py` writes it."""

FUNCTIONS: Final[dict[str, tuple[str | tuple[str, ...], str]]] = {
    "exp": (EXP, "__nv_exp"),
    "exp2": ("llvm.nvvm.ex2.approx.f32", "__nv_exp2"),
    "log": ("llvm.fma.f32", "__nv_log"),
    "log2": ("__nv_log2f", "__nv_log2"),
    "sqrt": ("llvm.sqrt.f32", "llvm.sqrt.f64"),
    "rsqrt": ("llvm.nvvm.rsqrt.approx.f", "__nv_rsqrt"),
    **{
        name: (f"__nv_{name}f", f"__nv_{name}")
        for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "pow", "atan2")
    },
    "remf": ("__nv_fmodf", "__nv_fmod"),
    "fpowi": ("__nv_powif", "__nv_powi"),
}
"""
What functions of f32, and of f16 and bf16 by way of it, and of f64 call. NVIDIA's compiler takes
the same: the instructions of cubins that it makes of such kernels say so.
"""

OWN: Final[dict[tuple[str, str], str]] = {
    # Without care for numbers that are subnormal in f32, which no f16 is.
    ("exp2", "f16"): "llvm.nvvm.ex2.approx.ftz.f32",
    ("rsqrt", "f16"): "llvm.nvvm.rsqrt.approx.ftz.f",
    # LLVM widens it.
    ("sqrt", "f16"): "llvm.sqrt.v2f16",
    ("sqrt", "bf16"): "llvm.sqrt.v2bf16",
}
"""What narrow types call in place of the function of f32."""

ASKED_FOR: Final = {
    "exp rounding<approx>": "llvm.nvvm.ex2.approx.f32",
    "tanh rounding<approx>": "llvm.nvvm.tanh.approx.f32",
    "exp2 flush_to_zero": "llvm.nvvm.ex2.approx.ftz.f32",
    "rsqrt flush_to_zero": "llvm.nvvm.rsqrt.approx.ftz.f",
    "sqrt rounding<approx>": "llvm.nvvm.sqrt.approx.f",
    "sqrt rounding<approx> flush_to_zero": "llvm.nvvm.sqrt.approx.ftz.f",
    "divf rounding<approx>": "llvm.nvvm.div.approx.f",
    "divf rounding<approx> flush_to_zero": "llvm.nvvm.div.approx.ftz.f",
    "divf rounding<full>": "llvm.nvvm.div.full",
    "divf rounding<full> flush_to_zero": "llvm.nvvm.div.full.ftz",
}
"""Approximations of f32 that ops ask for."""

PLACES: Final = re.compile(r"llvm\.nvvm\.read\.ptx\.sreg\.")


def calls_of(cases: list[Case]) -> dict[str, set[str]]:
    """What kernels call, by entry, apart from the indices of threads and blocks."""
    module = lower(load(module_of(cases)), "nvvm", arch="sm_90")
    text = translate_module(module, NvptxTarget.parse("sm_90"))
    found: dict[str, set[str]] = {}
    for entry, body in re.findall(r"^define [^\n]*@(\w+)\((.*?)^}", text, re.DOTALL | re.MULTILINE):
        names = re.findall(r"\bcall\b[^\n@]*@([\w.]+)\(", body)
        found[entry] = {name for name in names if not PLACES.match(name)}
    return found


@pytest.mark.part("kernels")
def test_functions_are_those_of_libdevice():
    """Of all types, unless an op asks for something else."""
    cases = [
        case
        for case in arithmetic()
        if case.op in FUNCTIONS and not case.modifier and "i8" not in case.operands
    ]
    found = calls_of(cases)
    for case in cases:
        ty = case.operands[0]
        expected = FUNCTIONS[case.op][ty == "f64"]
        expected = OWN.get((case.op, ty), expected)
        names = {expected} if isinstance(expected, str) else {*expected}
        assert found[case.entry] == names, case.name


def test_all_functions_are_listed():
    exact = {"absf", "negf", "ceil", "floor"}
    assert {*UNARY} - exact <= FUNCTIONS.keys()
    assert {case.operands[0] for case in arithmetic() if case.op == "tanh"} == {*FLOATS}


def test_approximations_are_asked_for():
    """One instruction, where the op says so."""
    words = {f"{case.op} {case.modifier}": case for case in arithmetic() if "f32" in case.operands}
    cases = {name: words[name] for name in ASKED_FOR}
    found = calls_of([*cases.values()])
    for name, case in cases.items():
        assert found[case.entry] == {ASKED_FOR[name]}, name


def instructions(ptx: str) -> Counter[str]:
    """The instructions of PTX, with constants, whatever registers they have."""
    body = ptx[ptx.index("{") :]
    lines = re.findall(r"^\t(\w[^;\n]*);", body, re.MULTILINE)
    return Counter(re.sub(r"%\w+", "%", re.sub(r"\s+", " ", line)) for line in lines)


@pytest.mark.parametrize("name", ["exp", "log"])
def test_what_is_written_out_is_libdevice(name: str, oracle_module: Callable[[str], ModuleType]):
    oracle_module("nvidia.cu13.nvvm")
    body = f"%t = llvm.intr.{name}(%f) : (f32) -> f32\nllvm.store %t, %g : f32, !llvm.ptr<1>"
    written = translate(body, "%g: !llvm.ptr<1>, %f: f32")
    called = f"""
declare float @__nv_{name}f(float)
define ptx_kernel void @f(ptr addrspace(1) %g, float %f) {{
  %t = call float @__nv_{name}f(float %f)
  store float %t, ptr addrspace(1) %g
  ret void
}}
"""
    assert instructions(nvptx.compile_to_ptx(written, SM_90)) == instructions(
        nvptx.compile_to_ptx(called, SM_90)
    )
