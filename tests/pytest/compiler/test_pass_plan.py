"""Passes of other people in the pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

import tileiras_xdsl as tx
from tileiras_xdsl.backend.sass import NVDISASM_VARIABLE
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.driver.compiler.options import OptionError
from tileiras_xdsl.driver.compiler.pass_plan import join_insertions, split_passes
from tileiras_xdsl.driver.tools.tileiras_explore import main
from tileiras_xdsl.driver.tools.tileiras_xdsl import main as compile_command
from tileiras_xdsl.inspection.exploration.exploration import ExplorationError

PROGRAM = tx.examples["vector_add"].path


@dataclass(frozen=True)
class NotePass(ModulePass):
    """Leaves a note at all functions."""

    name = "note"
    text: str = "seen"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in op.walk():
            if each.name in ("cuda_tile.entry", "gpu.func", "llvm.func"):
                each.attributes["test.note"] = StringAttr(self.text)


@dataclass(frozen=True)
class BreakPass(ModulePass):
    """Takes the terminators away."""

    name = "break"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in list(op.walk()):
            if each.name in ("cuda_tile.return", "gpu.return"):
                each.detach()
                each.erase()


@dataclass(frozen=True)
class NeedyPass(ModulePass):
    """Does nothing, but has to be told something."""

    name = "needy"
    number: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


def names(**options: Any) -> list[str]:
    return [step.name for step in tx.explore(PROGRAM, **options).steps]


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("where", "neighbours"),
    [
        ("after:licm", ("licm", "recover-views")),
        ("before:licm", ("simplify-loops", "licm")),
        ("after:tileaa/cse", ("cse", "uplift-while-to-for")),
        ("after:tileaa", ("privatize-atomics", "discharge-mem-tokens")),
        ("before:cuda-tile", ("read", "verify-cuda-tile-input")),
        ("after:nvvm", ("convert-to-llvm", None)),
    ],
)
def test_insert(where: str, neighbours: tuple[str, str | None]):
    found = names(insert={where: NotePass()})
    index = found.index("note")
    assert found[index - 1] == neighbours[0]
    assert (found[index + 1] if index + 1 < len(found) else None) == neighbours[1]
    assert [name for name in found if name != "note"] == names()


def test_what_an_inserted_pass_does_is_shown():
    explored = tx.explore(PROGRAM, insert={"after:licm": [NotePass("one"), NotePass]})
    first, second = (step for step in explored.steps if step.name == "note")
    assert (first.stage, second.stage) == ("tileaa", "tileaa")
    assert explored.diff(first.index).added == explored.diff(second.index).added == 1
    assert 'test.note = "seen"' in second.text


def test_with_pass():
    explored = tx.explore(PROGRAM).with_pass(NotePass(), "after:licm")
    both = explored.with_pass("canonicalize-tileaa", "after:licm")
    found = [step.name for step in both.steps]
    index = found.index("note")
    assert found[index - 1 : index + 2] == ["licm", "note", "canonicalize-tileaa"]
    # What came after it is left.
    rest = tx.explore(explored.after("note"))
    assert [step.name for step in rest.steps][:2] == ["read", "recover-views"]
    assert "test.note" in rest.steps[0].text


def test_compile_runs_them():
    plain = tx.compile(PROGRAM, 90)
    noted = tx.compile(PROGRAM, 90, insert={"after:tileas": NotePass("mine")}, cache=True)
    assert 'test.note = "mine"' in str(noted.stages["tileas"])
    assert noted.ptx == plain.ptx
    assert "note" in [step.name for step in noted.explore().steps]
    first = tx.compile(PROGRAM, 90, passes=[NotePass(), ...])
    assert "test.note" in str(first.stages["cuda-tile"])
    assert first.ptx == plain.ptx


def test_other_pipelines():
    assert names(passes=["canonicalize", NotePass()]) == ["read", "canonicalize", "note"]
    assert names(passes=[..., NotePass]) == [*names(), "note"]
    explored = tx.explore(PROGRAM, passes=["canonicalize", "convert-cuda-tile-to-tileaa"])
    assert [step.stage for step in explored.steps] == ["cuda-tile", "cuda-tile", "tileaa"]
    assert not explored.is_complete
    assert [text["name"] for text in explored.to_data()["texts"]] == ["python"]
    with pytest.raises(ExplorationError, match="the passes do not lead to the stage nvvm"):
        _ = explored.ptx
    with pytest.raises(DiagnosticException, match="the passes do not lead to the stage nvvm"):
        tx.compile(PROGRAM, 90, passes=["canonicalize"])
    with pytest.raises(DiagnosticException, match=r"\('...' in passes= stands for those of the"):
        tx.compile(PROGRAM, 90, passes=[NotePass()])


def test_what_they_leave_is_verified():
    with pytest.raises(CompileError, match=r"after pass 'break'"):
        tx.compile(PROGRAM, 90, insert={"after:licm": BreakPass()})


@pytest.mark.part("kernels")
@pytest.mark.every(6)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"insert": {"licm": NotePass()}}, "'after:PASS' or 'before:PASS', not at 'licm'"),
        ({"insert": {"after:lcm": NotePass()}}, "no stage or pass 'lcm', did you mean 'licm'"),
        ({"insert": {"after:cse": NotePass()}}, "'after:cuda-tile/cse' or 'after:tileaa/cse'"),
        ({"insert": {"after:licm": NotePass()}, "opt": 0}, "'licm' does not run for this GPU"),
        ({"insert": {"after:licm": "canonicalise"}}, "did you mean 'canonicalize'"),
        ({"insert": {"after:licm": 3}}, "an object, a class or a name, not int"),
        ({"insert": {"after:licm": int}}, "an object, a class or a name, not int"),
        ({"insert": {"after:licm": ...}}, "an object, a class or a name, not ellipsis"),
        ({"insert": {"after:licm": NeedyPass}}, "the pass 'needy' needs options"),
        ({"insert": {"after:licm": "cse{"}}, "'cse{' is no pass with options"),
        ({"insert": {"after:licm": ""}}, "'' is no pass with options"),
        ({"insert": {"after:licm": "cse{a=1}"}}, "'cse{a=1}': "),
        ({"insert": ["cse"]}, "insert= says where each pass goes"),
        ({"insert": {3: "cse"}}, "'after:PASS' or 'before:PASS', not at '3'"),
        ({"insert": {"after:licm": "cse"}, "passes": ["cse"]}, "'licm' does not run, as the"),
        ({"passes": [..., ...]}, "can be there once"),
        ({"passes": "...,..."}, "can be there once"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str):
    with pytest.raises(OptionError, match=message):
        tx.explore(PROGRAM, **options)
    # As with other options, nothing is wrong with the program.
    with pytest.raises(OptionError, match=message):
        tx.compile(PROGRAM, 90, **options)
    with pytest.raises(OptionError, match=message):
        tx.validate(PROGRAM, gpu=90, **options)


def test_strings_of_several_passes():
    several = "canonicalize-tileaa,cse"
    found = names(insert={"after:licm": several})
    assert found[found.index("licm") + 1 :][:2] == ["canonicalize-tileaa", "cse"]
    assert names(insert={"after:licm": [several]}) == found
    assert names(passes="canonicalize,cse") == ["read", "canonicalize", "cse"]
    assert names(passes=iter(["cse", ...])) == names(passes="cse,...")


def test_passes_cannot_go_where_a_program_has_been():
    module = tx.explore(PROGRAM)["tileas"]
    with pytest.raises(OptionError, match="'licm' does not run, as the program is past it"):
        tx.compile(module, 90, insert={"after:licm": NotePass()})


def test_several_insertions_at_one_place():
    found = join_insertions(["after:licm=cse,licm", "before:licm=cse", "after:licm=canonicalize"])
    assert found == {"after:licm": ["cse,licm", "canonicalize"], "before:licm": ["cse"]}


def test_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    # Machine code takes longer than all the rest.
    monkeypatch.setenv(NVDISASM_VARIABLE, "none")
    assert list(split_passes("a{b=1,2 c=3},..., d")) == ["a{b=1,2 c=3}", ..., "d"]
    page = tmp_path / "page.html"
    assert main([str(PROGRAM), "-o", str(page), "--insert", "after:licm=canonicalize-tileaa"]) == 0
    assert page.exists()
    page.unlink()
    assert main([str(PROGRAM), "-o", str(page), "-p", "canonicalize,cse"]) == 0
    assert page.exists()
    page.unlink()
    assert main([str(PROGRAM), "-o", str(page), "--insert", "after:licm"]) == 1
    assert "--insert is WHERE=PASSES" in capsys.readouterr().err
    assert not page.exists()


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["after:licm=cse", "--print-ir-after=cse"], 0, "IR Dump After cse"),
        (["after:licm=canonicalize-tileaa", "--validate"], 0, "is validated after "),
        (["after:lcm=cse"], 1, "there is no stage or pass 'lcm', did you mean 'licm'?"),
        (["after:licm=cse", "--print-ir-after=canonicalise"], 1, "no pass 'canonicalise'"),
        (["after:licm=cse", "--print-pipeline"], 1, "--insert is for compiling one program"),
        (["after:licm=cse", "--target=cpu"], 1, "--insert is not for a CPU"),
    ],
)
def test_command_line_of_the_compiler(
    capsys: pytest.CaptureFixture[str], options: list[str], code: int, said: str
):
    gpu = [] if "--target=cpu" in options else ["--gpu-name=sm_90"]
    words = [str(PROGRAM), *gpu, "-o", "-", "--emit=tileaa", "--insert", *options]
    assert compile_command(words) == code
    assert said in capsys.readouterr().err


@dataclass(frozen=True)
class SwapPass(ModulePass):
    """A wrong pass: the first difference is the other way round."""

    name = "swap"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in op.walk():
            if each.name == "nv_tileaa.subf":
                each.operands = [each.operands[1], each.operands[0]]
                return


@pytest.mark.part("kernels")
def test_the_first_wrong_pass_is_found():
    example = tx.examples["softmax"]
    explored = tx.explore(example.path)
    args = example.make_args()
    before = [each.copy() if hasattr(each, "copy") else each for each in args]
    assert explored.check(example.grid, args).ok
    found = explored.with_pass(SwapPass(), "after:licm").check(example.grid, args)
    assert found.finding is not None
    assert found.finding.step.name == "swap"
    text = str(found)
    assert repr(found) == text
    assert "pass 'swap' of stage tileaa changes what @softmax computes" in text
    assert "element [0, 0]" in text
    assert "cuda_tile.store_view_tko" in text
    assert all((one == other).all() for one, other in zip(args[:1], before[:1], strict=True))
    assert str(tx.validate(example.path, args=args, grid=2, insert={"after:licm": SwapPass()}))
