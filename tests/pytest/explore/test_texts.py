"""LLVM IR, PTX and machine code, and the ops that their lines came from."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tileiras_xdsl.backend import libdevice
from tileiras_xdsl.backend.errors import BackendError, MissingToolError
from tileiras_xdsl.backend.sass import NVDISASM_VARIABLE, SassInstruction
from tileiras_xdsl.driver.compiler.compiled import compile
from tileiras_xdsl.inspection.exploration.exploration import Exploration, explore
from tileiras_xdsl.inspection.exploration.texts import (
    MarkedText,
    mark_wgmma,
    read_ptx,
    read_sass,
)

from .test_exploration import PROGRAM


@pytest.fixture(scope="module")
def explored() -> Exploration:
    return explore(PROGRAM)


def origins(explored: Exploration, text: MarkedText, wanted: str) -> set[str]:
    """The ops that lines with a text came from."""
    return {
        place.text.partition(" = ")[2].split()[0]
        for line, marks in zip(text.lines, text.marks, strict=True)
        if wanted in line
        for mark in marks
        for place in explored.origins(mark)
    }


def test_llvm(explored: Exploration):
    assert "!dbg" not in explored.llvm
    assert origins(explored, explored.texts.llvm, " fmul ") == {"cuda_tile.mulf"}
    assert origins(explored, explored.texts.llvm, "target triple") == set()


def test_ptx(explored: Exploration):
    assert origins(explored, explored.texts.ptx, "ld.global") == {"cuda_tile.load_view_tko"}
    assert origins(explored, explored.texts.ptx, ".version") == set()
    line = 1 + next(i for i, line in enumerate(explored.texts.ptx.lines) if "ld.global" in line)
    assert explored.where(("ptx", line)).origins[0].op is not None


PTX = """\
.version 8.7
.visible .entry k(
)
{
	.reg .b32 %r<2>;
$L__func_begin0:
	.loc	1 1 0
	ld.param.b32 %r1, [k_param_0];
	.loc	1 2 0
	// begin inline asm
wgmma.fence.sync.aligned;
	// end inline asm
$L__BB0_1:
	@%p1 bra $L__BB0_1;
$L__tmp0:
}
.visible .func g()
	ret;
	.file	1 "marks"
	.section	.debug_macinfo	{	}
"""


def test_lines_of_ptx():
    text = read_ptx(PTX, [((3,), ()), ((4, 5), (0, 2))])
    assert [(line.strip(), marks) for line, marks in zip(text.lines, text.marks)] == [
        (".version 8.7", ()),
        (".visible .entry k(", ()),
        (")", ()),
        ("{", ()),
        (".reg .b32 %r<2>;", ()),
        ("ld.param.b32 %r1, [k_param_0];", (3,)),
        ("// begin inline asm", ()),
        ("wgmma.fence.sync.aligned;", (4, 5)),
        ("// end inline asm", ()),
        ("$L__BB0_1:", ()),
        ("@%p1 bra $L__BB0_1;", (4, 5)),
        ("}", ()),
        (".visible .func g()", ()),
        ("ret;", ()),
    ]


def test_line_tables_change_nothing(explored: Exploration):
    compiled = compile(PROGRAM, "sm_90")
    assert explored.llvm == compiled.llvm_ir
    assert explored.ptx.splitlines() == compiled.ptx.splitlines()


SASS = """\
	.target	sm_90a
	.section	.text.scale,"ax",@progbits
.text.scale:
	//## File "marks", line 1
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "marks", line 2
        /*0010*/                   FMUL R2, R2, 2 ;
        /*0020*/                   EXIT ;
.L_x_1:
"""


@pytest.fixture
def disassembler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a program in the place of nvdisasm."""

    def put(script: str) -> None:
        path = tmp_path / "nvdisasm"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv(NVDISASM_VARIABLE, str(path))

    return put


def test_sass(tmp_path: Path, disassembler: Callable[[str], None]):
    explored = explore(PROGRAM)
    (tmp_path / "code").write_text(SASS)
    disassembler(f"cat {tmp_path}/code")
    text = explored.texts.sass
    assert explored.sass() == "".join(
        line for line in SASS.splitlines(keepends=True) if "##" not in line
    )
    assert [bool(marks) for marks in text.marks] == [*[False] * 3, *[True] * 3, False]
    assert text.marks[3] != text.marks[4] == text.marks[5]
    texts = explored.to_data()["texts"]
    assert [each["name"] for each in texts] == ["llvm", "ptx", "sass"]
    assert texts[-1]["control"] == [[]] * 7


def test_instructions_of_sass():
    load = SassInstruction("scale", 0, "LDC", 0x000E3000 << 96, registers=12)
    add = SassInstruction("scale", 16, "FMUL", 0x001FE200 << 96, registers=13)
    other = SassInstruction("other", 32, "EXIT", 0, registers=0)
    text = read_sass(SASS, [(1,), (2,)], [load, add, other])
    assert text.instructions == (None, None, None, load, add, None, None)


def wgmma_marks(ptx_shapes: str, sass_shapes: str) -> list[tuple[int, ...]]:
    """The marks of WGMMAs in machine code, where they all have the line of another op."""
    ptx = [
        f"wgmma.mma_async.sync.aligned.{shape}.f32.f16.f16 {{%r1}};" for shape in ptx_shapes.split()
    ]
    sass = [f"HGMMA.{shape}.F32 R24, gdesc[UR8].tnspB, R24 ;" for shape in sass_shapes.split()]
    text = mark_wgmma(
        MarkedText(
            "sass",
            ('\t.section\t.text.k,"ax",@progbits', *sass, "EXIT ;"),
            ((), *[(1,) for _ in sass], (1,)),
        ),
        MarkedText(
            "ptx",
            (".visible .entry k(", *ptx, ".visible .entry other(", "ret;"),
            ((), *[(2, number) for number, _ in enumerate(ptx)], (), (9,)),
        ),
    )
    assert not text.marks[0]
    assert text.marks[-1] == (1,)
    return list(text.marks[1:-1])


def test_wgmmas_have_the_marks_of_ptx():
    """ptxas gives them no lines."""
    shapes = "m64n128k16 m64n128k16 m64n64k16"
    assert wgmma_marks(shapes, "64x128x16 64x128x16 64x64x16") == [(2, 0), (2, 1), (2, 2)]
    # Not if ptxas has changed their number or order.
    assert wgmma_marks(shapes, "64x128x16 64x64x16 64x128x16") == [(1,)] * 3
    assert wgmma_marks(shapes, "64x128x16 64x128x16") == [(1,)] * 2


def test_a_disassembler_that_fails(disassembler: Callable[[str], None]):
    disassembler("echo no such architecture >&2; exit 3")
    with pytest.raises(BackendError, match="nvdisasm failed: no such architecture"):
        explore(PROGRAM).sass()


def test_without_a_disassembler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(libdevice, "nvidia_package_folders", lambda: iter(()))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv(NVDISASM_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    explored = explore(PROGRAM)
    with pytest.raises(MissingToolError, match="nvdisasm was not found, which shows machine code"):
        explored.sass()
    assert [each["name"] for each in explored.to_data()["texts"]] == ["llvm", "ptx"]
