"""Every op of `nvvm`, and atomics, on every architecture: it compiles, or it is refused."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.guard import check_before_emission
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module
from tileiras_xdsl.xdsl_extras.diagnostics import describe

from . import translate_cases
from .kernels import ARCHITECTURES
from .translate_cases import Case, build, sections

CASES = [
    case for case in translate_cases.CASES if "nvvm." in case.text or case.arch != ARCHITECTURES[0]
]
LACKING = [case for case in CASES if set(case.architectures) != set(ARCHITECTURES)]


def refusal(target: NvptxTarget) -> str:
    """What is said of an op that the architecture lacks; the op is the group."""
    return (
        r"cases.mlir:\d+:\d+: error: '([\w.]+)' needs sm_\d+a?( or (later|sm_\d+a))?, "
        f"the target is {target}"
    )


def check(source: str, target: NvptxTarget) -> None:
    """Has the guard look at LLVM IR, and generates no code."""
    compilation = nvptx.parse(source, target)
    check_before_emission(compilation.module, source, target)


@pytest.mark.part("kernels")
@pytest.mark.every(11, first=8)
@pytest.mark.oracle
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_what_an_architecture_has_compiles(arch: str, oracle_program: Callable[[str], Path]):
    cases = [case for case in CASES if arch in case.architectures and arch != case.arch]
    target = NvptxTarget.parse(arch)
    if not cases:
        return
    ptx = nvptx.compile_to_ptx(translate_module(build(cases), target), target, 1)
    parts = sections(ptx)
    assert len(parts) == len(cases)
    # A message of ptxas quotes the line and names the op.
    ptxas = Ptxas(oracle_program("ptxas"))
    assert ptxas.compile(ptx, target, 0).cubin.startswith(b"\x7fELF")


@pytest.mark.every(6)
@pytest.mark.parametrize("case", LACKING, ids=lambda case: case.text.splitlines()[-1][:60])
def test_what_an_architecture_lacks_is_refused(case: Case):
    module = build([case])
    own = NvptxTarget.parse(case.arch)
    source = translate_module(module, own)
    for arch in ARCHITECTURES:
        if arch in case.architectures:
            continue
        target = NvptxTarget.parse(arch)
        with pytest.raises(DiagnosticException) as error:
            translate_module(module, target)
        message = describe(error.value, tool="", input_name="", root=module)
        match = re.fullmatch(refusal(target), message)
        assert match is not None, message
        assert match[1] in case.text
        # The guard knows as much, of LLVM IR from elsewhere.
        with pytest.raises(BackendError, match=r"needs? sm_\d+"):
            check(source, target)


def test_most_of_it_is_somewhere_lacking():
    assert len(LACKING) > 60
