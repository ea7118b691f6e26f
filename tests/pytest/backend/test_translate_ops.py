"""Every op of `llvm` and `nvvm`, to LLVM IR, PTX and a cubin."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tileiras_xdsl import load
from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.dialects.llvm import LLVM
from tileiras_xdsl.dialects.nvvm import Nvvm

from . import translate_cases
from .tcgen05_cases import FORMS, form_kernel
from .translate_cases import CASES, Case, build, op_names, sections

GROUP_NAMES = (
    *("ARITHMETIC", "CASTS", "VECTOR_OPS", "MEMORY", "ATOMICS", "INTRINSICS", "CONTROL", "BRIDGES"),
    *("THREADS", "COPIES", "MATRICES", "WARPS", "MATH", "FRAGMENTS", "REGISTERS"),
)
GROUPS = [
    pytest.param(cases, arch, id=f"{name.lower()}-{arch}")
    for name in GROUP_NAMES
    for arch in dict.fromkeys(case.arch for case in getattr(translate_cases, name))
    if (cases := [case for case in getattr(translate_cases, name) if case.arch == arch])
]


@pytest.mark.every(10)
@pytest.mark.oracle
@pytest.mark.parametrize(("cases", "arch"), GROUPS)
def test_ops_reach_ptx_and_a_cubin(
    cases: list[Case], arch: str, oracle_program: Callable[[str], Path]
):
    target = NvptxTarget.parse(arch)
    ptx = nvptx.compile_to_ptx(translate_module(build(cases), target), target)
    parts = sections(ptx)
    for index, case in enumerate(cases):
        for expected in case.expected:
            assert re.search(expected, parts[f"k{index}"]), case.text
    assert Ptxas(oracle_program("ptxas")).compile(ptx, target).cubin.startswith(b"\x7fELF")


def test_every_op_has_a_case():
    used = op_names(build(CASES))
    for body, _, _ in FORMS.values():
        used |= op_names(load(form_kernel(body)))
    ops = {op.name for dialect in (LLVM, Nvvm) for op in dialect.operations}
    assert ops - used == set()
