"""The Python source of programs, and what is said about its lines."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import tileiras_xdsl as tx
from tileiras_xdsl.inspection.exploration.exploration import Exploration, ExplorationError, explore
from tileiras_xdsl.inspection.exploration.texts import Note, SourceText, find_source

from .test_exploration import FAILING

GEMM = tx.examples["gemm"]

Find = Callable[..., SourceText]


@pytest.fixture(scope="module")
def explored() -> Exploration:
    return explore(GEMM)


@pytest.fixture
def find(explored: Exploration, tmp_path: Path) -> Find:
    """The source of the program as if it were in an empty folder, with a file beside it."""
    program = tmp_path / "gemm.tileirbc"
    shutil.copy(GEMM.path, program)

    def find(text: str | None, age: float = 0.0) -> SourceText:
        path = tmp_path / "kernels.py"
        if text is not None:
            path.write_text(text)
            os.utime(path, (0, program.stat().st_mtime - age))
        return find_source(explored.steps[0].snapshot.module, str(program))

    return find


def test_debug_information_names_a_file(explored: Exploration):
    source = explored.source
    assert source is not None
    assert source.files == (str(GEMM.source),)
    lines = GEMM.source.read_text().splitlines()
    assert source.lines == tuple(lines[number - 1] for _, number in source.places)
    assert source.lines[0] == "@ct.kernel"
    assert source.lines[1].startswith("def matmul")
    assert source.faults == ()
    number = lines.index("        total = ct.mma(x, y, total)") + 1
    (product,) = explored.where(("python", number)).origins
    assert "cuda_tile.mmaf" in product.text
    with pytest.raises(ExplorationError, match="no function of the kernel has a line 1"):
        explored.where(("python", 1))


def test_a_line_of_python_became_wgmma(explored: Exploration):
    lines = GEMM.source.read_text().splitlines()
    number = lines.index("        total = ct.mma(x, y, total)") + 1
    found = explored.became(("python", number), "ptx").by_weight()
    assert "wgmma.mma_async" in found[0].text
    assert str(found[0]).startswith("ptx ")
    assert explored.where(found[0]).origins[0].text.startswith("%mm = cuda_tile.mmaf")


def test_files_that_are_missing_or_others(find: Find):
    text = GEMM.source.read_text()
    assert find(None).faults == ("The source file kernels.py is not there.",)
    assert find(None).lines == ()
    assert find(text, age=10).faults == ()
    for other in (f"import os\n{text}", "x = 1", "def ("):
        moved = find(other)
        assert moved.lines == ()
        (fault,) = moved.faults
        assert fault.startswith("kernels.py is not shown: the program was not made from /")
        assert "\n" not in fault
    assert find(text, age=-3600).faults == (
        "kernels.py is newer than the program: lines may have changed.",
    )


@pytest.mark.parametrize("decoy", ["x = 1", "import os\n{}", "def ("])
def test_files_of_the_working_folder_shadow_none(
    decoy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """What lies beside the program counts, wherever the user is."""
    monkeypatch.chdir(tmp_path)
    Path("kernels.py").write_text(decoy.format(GEMM.source.read_text()))
    source = tx.explore(GEMM).source
    assert source is not None
    assert source.files == (str(GEMM.source),)
    # A program that lies in the working folder, beside a file that it was not made from.
    shutil.copy(GEMM.path, "gemm.tileirbc")
    explored = tx.explore("gemm.tileirbc")
    assert explored.source is None
    assert "kernels.py is not shown" in explored.source_text.faults[0]
    assert explored.source_text.faults[0] in explored.to_data()["faults"]


def test_programs_without_debug_information():
    module = tx.load("cuda_tile.module @m { entry @k() { return } }")
    assert find_source(module, "in.mlir") == SourceText("python", (), ())


def about(explored: Exploration, name: str) -> list[Note]:
    return [note for note in explored.notes if note.about == name]


def test_notes(explored: Exploration):
    """What is said about lines: remarks, resources, occupancy, and what limits the kernel."""
    (product,) = [note for note in explored.notes if "wgmma" in note.text]
    assert [line.text for line in explored.where(product.marks[0]).origins] == [
        line.text for line in explored.search("mmaf", "read")
    ]
    assert product.file == "kernels.py"
    kernel, loop = about(explored, "estimate")
    assert "limited by" in kernel.text
    assert "static estimate, not measured" in kernel.reason
    assert "clocks" in loop.text
    assert "cuda_tile.for" in explored.where(loop.marks[0]).origins[0].text
    (resources,) = about(explored, "resources") or [None]
    if resources is not None:
        assert "registers per thread" in resources.text
        assert "cuda_tile.entry" in explored.where(resources.marks[0]).origins[0].text
        assert about(explored, "occupancy")[0].text.startswith("1 CTA per SM")


def test_notes_and_source_are_to_be_read(explored: Exploration):
    assert "kernels.py:" in repr(explored.notes)
    assert "Note(" not in repr(explored.notes)
    shown = explored.notes._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert shown.count("<tr>") == len(explored.notes) + 1
    assert explored.source is not None
    name, *lines = repr(explored.source).splitlines()
    assert name == str(GEMM.source)
    numbered = GEMM.source.read_text().splitlines()
    assert all(numbered[int(line.split()[0]) - 1] in line for line in lines if line)


def test_errors_know_their_op():
    explored = explore(FAILING)
    assert any(
        "agent_switch" in line.text
        for mark in explored.error_marks
        for line in explored.where(mark).origins
    )
    (note,) = [note for note in explored.notes if note.kind == "error"]
    assert note.marks == explored.error_marks
    assert "expects a consumer of 4 warps" in note.text


def test_save(explored: Exploration, tmp_path: Path):
    path = explored.save(tmp_path / "report.html")
    assert path == tmp_path / "report.html"
    assert "<title>gemm.tileirbc</title>" in path.read_text()
