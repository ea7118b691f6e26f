"""The command line of `tileiras-explore`."""

import io
import json
import re
import sys
import zlib
from base64 import b64decode
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tileiras_xdsl.backend.sass import NVDISASM_VARIABLE
from tileiras_xdsl.driver.tools.tileiras_explore import main

from ..harness.commands import Directory, Result, Run

VECTOR_ADD = Path(str(files("tileiras_xdsl.driver.demos") / "vector_add.tileirbc"))

NO_PROGRAM = """\
cuda_tile.module @m {
  entry @k(%n: tile<i32>) {
    %x = addi %n, %n : tile<i64>
    return
  }
}
"""

NO_CODE = '"test.op"() : () -> ()\ncuda_tile.module @m { entry @k() { return } }\n'


@pytest.fixture
def run(directory: Directory) -> Run:
    """Runs the tool."""
    return lambda *arguments: directory.run(main, arguments)


@pytest.fixture
def no_disassembler(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes longer than all the rest of a small program."""
    monkeypatch.setenv(NVDISASM_VARIABLE, "none")


def data_of(page: str) -> dict[str, Any]:
    (packed,) = re.findall(r'<script id="data"[^>]*>([^<]*)</script>', page)
    return json.loads(zlib.decompress(b64decode(packed)))


def test_page(run: Run):
    assert run(str(VECTOR_ADD), "-o", "page.html", "--quiet") == Result(0, "", "")
    data = data_of(Path("page.html").read_text())
    assert [data["steps"][0]["name"], data["steps"][-1]["name"]] == ["read", "convert-to-llvm"]
    assert data["error"] is None
    assert {text["name"] for text in data["texts"]} >= {"llvm", "ptx"}


@pytest.mark.usefixtures("no_disassembler")
def test_default_output_and_progress(run: Run):
    """It says what it is doing, and what it wrote."""
    result = run(str(VECTOR_ADD))
    assert (result.code, result.out) == (0, "")
    assert [each.name for each in Path().iterdir()] == ["vector_add.html"]
    first, *_, last = result.err.splitlines()
    assert first == "tileiras-explore: passes of stage cuda-tile"
    assert "tileiras-explore: LLVM IR, PTX and machine code" in result.err
    assert re.fullmatch(
        r"tileiras-explore: wrote vector_add\.html \(\d+ passes, \d+ kB\): open it in a browser",
        last,
    )


KERNELS = """
import cuda.tile as ct
from scale_helpers import double


@ct.kernel
def scale(x, out, factor, tile: ct.Constant[int] = 128):
    block = ct.bid(0)
    ct.store(out, block, double(ct.load(x, block, (tile,))) * factor)


@ct.kernel
def wrong(x):
    ct.store(x, 0, nothing)
"""


@pytest.mark.usefixtures("no_disassembler")
def test_kernel_of_cutile(run: Run):
    pytest.importorskip("cuda.tile")
    Path("kernels.py").write_text(KERNELS)
    Path("scale_helpers.py").write_text("def double(x):\n    return x + x\n")
    Path("raises.py").write_text("raise ValueError('not today')\n")
    Path("leaves.py").write_text("import sys\nsys.exit(0)\n")
    result = run("kernels.py:scale", "--args", "f32[4096], out=f32[?], factor=f32", "-q")
    assert result == Result(0, "", "")
    data = data_of(Path("scale.html").read_text())
    (source,) = [text for text in data["texts"] if text["name"] == "python"]
    assert [Path(file).name for file in source["files"]] == ["kernels.py", "scale_helpers.py"]
    lines = [[0, number] for number in range(6, 10)]
    assert source["places"] == [*lines, [1, 0], [1, 1], [1, 2]]
    for name, message in {
        "kernels.py:scalle": "error: there is no kernel 'scalle' in kernels.py: did you mean",
        "kernels.py": "error: say which kernel, as in 'kernels.py:name': kernels.py has scale, w",
        "raises.py:scale": "error: raises.py cannot be imported: ValueError: not today",
        "leaves.py:scale": "error: leaves.py cannot be imported: SystemExit: 0",
        "other.py:scale": "error: there is no file 'other.py'",
        "kernels.py:scale": "error: --args says nothing about parameter 'x' of scale(x, out, ",
    }.items():
        result = run(name)
        assert (result.code, result.out) == (1, "")
        assert result.err.startswith(message)
        assert result.err.count("\n") == 1
    result = run("kernels.py:wrong", "--args=f32[16]")
    assert result.code == 1
    assert re.match(r"\S*kernels\.py:14:20: error: .*nothing.*\n\Z", result.err), result.err


def test_kernel_without_cuda_tile(run: Run, monkeypatch: pytest.MonkeyPatch):
    Path("kernels.py").write_text(KERNELS)
    monkeypatch.setitem(sys.modules, "cuda.tile", None)
    monkeypatch.setitem(sys.modules, "cuda", None)
    result = run("kernels.py:scale", "--args=f32[16], f32[16], 1.0")
    assert result.code == 1
    assert re.fullmatch(
        r"error: kernels in Python are read by cuda-tile, which is not installed: "
        r"pip install 'cuda-tile>=.*'\n",
        result.err,
    )


def test_arguments_are_those_of_kernels(run: Run):
    result = run(str(VECTOR_ADD), "--args=f32[16]")
    assert result.code == 1
    assert result.err.startswith("error: --args are those of a kernel in Python, but '")


@pytest.mark.usefixtures("no_disassembler")
def test_options(run: Run):
    options = ("--gpu-name=sm_80", "-O0", "--abi=host-maps")
    assert run(str(VECTOR_ADD), "-o", "page.html", *options).code == 0
    data = data_of(Path("page.html").read_text())
    assert data["options"] == {"gpu": "sm_80", "opt": 0, "abi": "host-maps"}


def test_compare(run: Run):
    result = run("--compare", str(VECTOR_ADD), "-O", "0,3")
    assert (result.code, result.err) == (0, "")
    assert "A  vector_add.tileirbc for sm_90 at -O0" in result.out
    assert re.search(r"^registers +\d+ +\d+", result.out, re.MULTILINE)
    assert run("--compare", str(VECTOR_ADD), str(VECTOR_ADD), "-o", "page.html").code == 0
    data = data_of(Path("page.html").read_text())
    assert {pair["status"] for pair in data["pairs"]} == {"same"}


@pytest.mark.usefixtures("no_disassembler")
def test_standard_input_and_output(run: Run, monkeypatch: pytest.MonkeyPatch):
    text = (VECTOR_ADD.parent / "vector_add.mlir").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    result = run("-")
    assert result.code == 0
    assert data_of(result.out)["steps"]
    assert list(Path().iterdir()) == []


def test_standard_input_is_compared_with_itself(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(VECTOR_ADD.read_bytes())))
    result = run("--compare", "-", "-O", "0,1")
    assert (result.code, result.err) == (0, "")
    assert "for sm_90 at -O1" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "error: the following arguments are required: input"),
        (("missing.tileirbc",), "error: unable to read input file 'missing.tileirbc': No such"),
        ((".",), "error: unable to read input file '.': Is a directory"),
        ((str(VECTOR_ADD), "-O7"), "error: argument -O/--opt-level: invalid choice: 7"),
        ((str(VECTOR_ADD), "--compare"), "error: --compare takes two programs, architectures or"),
        ((str(VECTOR_ADD), str(VECTOR_ADD)), "error: 2 programs are given: compare two with"),
        ((str(VECTOR_ADD), "--gpu-name=sm_1"), "error: unsupported GPU target 'sm_1'"),
        ((str(VECTOR_ADD), "--abi=none"), "error: argument --abi: invalid choice: 'none'"),
        ((str(VECTOR_ADD), "-o", "no/page.html"), "error: unable to write output file"),
        (
            (str(VECTOR_ADD), "--compare", "-O", "0,3", "-o", "no/page.html"),
            "error: unable to write output file",
        ),
    ],
)
def test_mistakes(run: Run, arguments: Sequence[str], message: str):
    result = run(*arguments)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(message)
    assert result.err.count("\n") == 1
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "bad: error: input buffer is null"),
        (b"\x7fELF\0", "bad: error: input does not correspond to Tile IR bytecode"),
        (b"\x7fTileIR\x00\x0d", "bad: error: "),
        (NO_PROGRAM.encode(), "bad:3:"),
    ],
)
def test_input_that_is_no_program(run: Run, data: bytes, message: str):
    Path("bad").write_bytes(data)
    Path("page.html").write_text("as it was")
    result = run("bad", "-o", "page.html")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(message)
    assert result.err.count("\n") == 1
    assert Path("page.html").read_text() == "as it was"


def test_program_that_cannot_be_compiled(run: Run):
    """There is no page of it unless that is asked for; then it goes as far as the passes do."""
    Path("in.mlir").write_text(NO_CODE)
    result = run("in.mlir", "-o", "page.html")
    assert (result.code, result.out) == (1, "")
    assert result.err.splitlines()[-1].startswith("in.mlir:1:1: error: ")
    assert "[in pass 'verify-cuda-tile-input']" in result.err
    assert not Path("page.html").exists()

    kept = run("in.mlir", "-o", "page.html", "--keep-going")
    assert (kept.code, kept.out) == (1, "")
    assert kept.err.splitlines()[-1] == result.err.splitlines()[-1]
    data = data_of(Path("page.html").read_text())
    assert [step["name"] for step in data["steps"]] == ["read"]
    assert data["error"] == result.err.splitlines()[-1]
