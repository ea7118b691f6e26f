"""The command line of `tileiras-xdsl`, in this process where that shows the same."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pytest

import tileiras_xdsl
from tileiras_xdsl.backend.launch_record import records_from_json
from tileiras_xdsl.driver.compiler import cache
from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.driver.tools import tileiras_opt
from tileiras_xdsl.driver.tools.tileiras_xdsl import STAND_IN, main
from tileiras_xdsl.frontend.bytecode import LATEST, VERSIONS, format_version, write
from tileiras_xdsl.frontend.load import load
from tileiras_xdsl.pipeline import PIPELINE, STAGES, pipeline_spec

from ..backend.level3 import EXAMPLES
from ..backend.test_worker import FATAL
from ..harness.commands import Directory, Result, Run, python

VECTOR_ADD = str(files("tileiras_xdsl.driver.demos") / "vector_add.tileirbc")
SAXPY = str(EXAMPLES["saxpy"].path)

WRONG = """\
cuda_tile.module @m {
  entry @k(%n: tile<i32>) {
    %x = addi %n, %n : tile<i64>
    return
  }
}
"""


@pytest.fixture
def run(directory: Directory) -> Run:
    """Runs the tool for sm_90."""
    return lambda *arguments: directory.run(main, ["--gpu-name=sm_90", *arguments])


def assert_fails(result: Result, message: str) -> None:
    """One line on standard error that starts so, nothing on standard output or on disk."""
    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith(message), result.err
    assert result.err.count("\n") == 1
    assert "Traceback" not in result.err
    assert os.listdir() in ([], ["in.mlir"])


def test_python_is_no_input(run: Run, tmp_path: Path):
    """A line of Python is no Tile IR, wherever it comes from."""
    path = tmp_path / "mine.py"
    path.write_text("import cuda.tile as ct\n")
    expected = (
        f"error: '{path}' is Python, and Tile IR is expected: use 'tileiras-explore "
        f"{path}:KERNEL --args …', or tileiras_xdsl.compile(KERNEL, …) in Python"
    )
    assert run(str(path)).err == f"{expected}\n"
    with pytest.raises(CompileError) as caught:
        tileiras_xdsl.compile(path, "sm_90")
    assert str(caught.value) == expected
    with pytest.raises(CompileError, match=r"'<bytes>' is Python.*-explore FILE.py:KERNEL --args"):
        tileiras_xdsl.compile(path.read_bytes(), "sm_90")


# What it writes


def test_cubin(run: Run):
    assert run(SAXPY, "-o", "k.cubin") == Result(0, "", "")
    assert Path("k.cubin").read_bytes().startswith(b"\x7fELF")
    (record,) = records_from_json(Path("k.cubin.json").read_bytes())
    assert record.entry == "saxpy"
    assert sorted(os.listdir()) == ["k.cubin", "k.cubin.json"]


def test_default_output(run: Run):
    assert run(SAXPY, "--no-launch-record").code == 0
    assert os.listdir() == ["elf.o"]


@pytest.mark.parametrize(
    ("stage", "word"),
    [
        ("nvgpu", "scf.for"),
        ("nvvm", "llvm.func @saxpy"),
        ("llvm", "define ptx_kernel void @saxpy"),
        ("ptx", ".visible .entry saxpy"),
    ],
)
def test_emit(run: Run, stage: str, word: str):
    result = run(SAXPY, f"--emit={stage}")
    assert (result.code, result.err) == (0, "")
    assert word in result.out


def test_emit_tile_ir(run: Run):
    assert "cuda_tile.entry @vector_add" in run(VECTOR_ADD, "--emit=cuda-tile").out
    assert "nv_tileaa.tiled_load" in run(VECTOR_ADD, "--emit", "tileaa").out


def test_emit_is_what_the_passes_of_the_pipeline_make(run: Run, capsys: pytest.CaptureFixture[str]):
    passes = run("--print-pipeline", "--emit=tileaa", "-O2").out.strip()
    assert passes == pipeline_spec("sm_90a", 2, to="tileaa")
    assert tileiras_opt.main([VECTOR_ADD, "-p", passes]) == 0
    expected = capsys.readouterr().out
    assert run(VECTOR_ADD, "--emit=tileaa", "-O2").out.strip() == expected.strip()


def test_pipeline_of_an_unknown_architecture(run: Run):
    assert "unsupported GPU target 'sm_7'" in run("--print-pipeline", "--gpu-name=sm_7").err


def test_text_and_bytecode_give_the_same(run: Run):
    assert tileiras_opt.main([VECTOR_ADD, "-o", "in.mlir"]) == 0
    from_text = run("in.mlir", "--emit=tileaa").out
    assert from_text == run(VECTOR_ADD, "--emit=tileaa").out


def test_standard_input_and_output(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(SAXPY).read_bytes())))
    assert ".entry saxpy" in run("-", "--emit=ptx", "-o", "-").out
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output))
    assert run(SAXPY, "-o", "-").code == 0
    assert output.getvalue().startswith(b"\x7fELF")


@pytest.mark.parametrize(
    "options",
    [
        ("-gpu-name=sm_80",),
        ("--arch=sm_80",),
        ("--arch", "sm_80"),
        ("-arch", "sm_80"),
        ("--gpu-name", "sm_80"),
    ],
)
def test_spellings_of_the_architecture(run: Run, options: Sequence[str]):
    assert ".target sm_80" in run(SAXPY, "--emit=ptx", *options).out


@pytest.mark.parametrize("options", [("-O0",), ("-O", "0"), ("--opt-level=0",), ("-opt-level=0",)])
def test_spellings_of_the_level(run: Run, options: Sequence[str]):
    assert ".loc" in run(SAXPY, "--emit=ptx", "-g", *options).out


def test_what_tileiras_takes_is_taken(run: Run):
    result = run(
        *(SAXPY, "--lineinfo", "--host-arch=x86_64", "--host-os=linux"),
        *("--remark-format=yaml", "--remarks=all"),
        *("--remarks-output-file=r.yaml", "-o", "k.cubin"),
    )
    assert result == Result(0, "", "")
    assert "Function:        'saxpy'" in Path("r.yaml").read_text()


def test_remarks_on_the_command_line(run: Run):
    result = run(SAXPY, "--remarks=all", "--remark-format=command-line", "-o", "k.cubin")
    assert result.code == 0
    assert "ptxas: 32 registers per thread, no spills" in result.err


# To look inside


def test_print_ir_after(run: Run):
    result = run(VECTOR_ADD, "--emit=tileaa", "--print-ir-after=canonicalize,licm")
    heads = re.findall(r"IR Dump After (\S+)", result.err)
    assert heads == ["canonicalize", "licm"]
    assert "cuda_tile.entry" in result.err
    assert "nv_tileaa.tiled_load" in result.err


def test_print_ir_after_all(run: Run):
    result = run(VECTOR_ADD, "--emit=tileaa", "--print-ir-after-all", "--verify-each")
    heads = re.findall(r"IR Dump After (\S+)", result.err)
    steps = [step.name for step in PIPELINE if STAGES.index(step.stage) < 2]
    assert heads == ["read", *steps]


def test_time_passes(run: Run):
    result = run(SAXPY, "--time-passes", "-o", "k.cubin")
    rows = [(line.split()[-1], float(line.split()[0])) for line in result.err.splitlines()]
    for name in ("import-frontend", "convert-to-llvm", "llvm-codegen", "ptxas"):
        assert name in dict(rows)
    *parts, (name, total) = rows
    assert name == "total"
    assert sum(seconds for _, seconds in parts) == pytest.approx(total, abs=2)


# The cache


def test_cache(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE", "1")
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE_DIR", str(tmp_path / "cache"))
    run(SAXPY, "-o", "a", "--no-cache")
    assert not (tmp_path / "cache").exists()
    run(SAXPY, "-o", "a")
    assert len([path for path in (tmp_path / "cache").rglob("*") if path.is_file()]) == 1

    def fail(compilation: object) -> None:
        raise AssertionError("compiled once more")

    monkeypatch.setattr("tileiras_xdsl.driver.compiler.compiled.run", fail)
    assert run(SAXPY, "-o", "b").code == 0
    assert Path("a").read_bytes() == Path("b").read_bytes()
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    assert ".entry saxpy" in run(SAXPY, "--emit=ptx").out


@pytest.mark.part("processes")
def test_nothing_of_xdsl_is_imported_where_the_cache_has_the_result(tmp_path: Path):
    environment = {
        "TILEIRAS_XDSL_CACHE": "1",
        "TILEIRAS_XDSL_CACHE_DIR": str(tmp_path / "cache"),
    }
    code = (
        "import sys; from tileiras_xdsl.driver.tools.tileiras_xdsl import main; "
        "assert main(sys.argv[1:]) == 0; print(*(m for m in sys.modules if m.startswith('xdsl.')))"
    )
    arguments = [SAXPY, "--arch=sm_90", "-o", str(tmp_path / "k.cubin")]
    for is_warm in (False, True):
        imported = python("-c", code, *arguments, environment=environment).out.split()
        assert ("xdsl.dialects.builtin" in imported) != is_warm


# Errors


def test_errors_have_a_place(run: Run):
    Path("in.mlir").write_text(WRONG)
    assert_fails(run("in.mlir", "-o", "k.cubin"), "in.mlir:3:")


def test_errors_in_passes_have_a_place(run: Run):
    Path("in.mlir").write_text(
        '"test.op"() : () -> ()\ncuda_tile.module @m { entry @k() { return } }\n'
    )
    result = run("in.mlir", "-o", "k.cubin")
    assert_fails(result, "in.mlir:1:1: error: ")
    assert "[in pass 'verify-cuda-tile-input']" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "error: no input file provided"),
        (("missing",), "error: unable to read input file 'missing': No such file or directory"),
        (("k.py:scale",), "error: 'k.py:scale' is Python, and Tile IR is expected: use 'tileiras-"),
        (
            (SAXPY, "--gpu-name=sm_75"),
            "error: unsupported GPU target 'sm_75' (expected one of sm_80, ",
        ),
        ((SAXPY, "-O4"), "error: invalid optimization level '4' (expected 0 to 3)"),
        ((SAXPY, "-Ox"), "error: invalid optimization level 'x' "),
        (
            (SAXPY, "-g"),
            "error: optimized debugging is not supported, change optimization level to 0 or "
            "disable full debug info\n",
        ),
        ((SAXPY, "--nonsense"), "error: unrecognized arguments: --nonsense"),
        ((SAXPY, "--emit=nonsense"), "error: argument --emit: invalid choice"),
        ((SAXPY, "--emit=tileaa"), "error: the program is at stage nvgpu already, "),
        ((SAXPY, "--print-ir-after=nonsense"), "error: there is no pass 'nonsense' in the"),
        ((SAXPY, "--preview=simt"), "error: the preview feature 'simt' is not supported"),
        ((SAXPY, "--sanitize=memcheck"), "error: --sanitize=memcheck is not supported: no checks"),
        ((SAXPY, "-l", "lib"), "error: libraries of tiles (-l) cannot be linked"),
        ((SAXPY, "--gpu-name="), "error: no GPU target is given"),
        (
            (SAXPY, "-o", "missing/k.cubin"),
            "error: unable to write output file 'missing/k.cubin': No such file or directory",
        ),
    ],
)
def test_mistakes(run: Run, arguments: Sequence[str], message: str):
    assert_fails(run(*arguments), message)


@pytest.mark.parametrize("data", [b"\x7fTile", b"\x7f", b"\x7fELF\0", b"\xff\xfe"])
def test_input_that_is_no_program(run: Run, data: bytes):
    Path("in.mlir").write_bytes(data)
    result = run("in.mlir", "-o", "k.cubin")
    assert_fails(result, "in.mlir: error: input does not correspond to Tile IR bytecode")


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (0, "in.mlir: error: input buffer is null: it is empty\n"),
        (40, "in.mlir: error: header section at byte 0x10: "),
    ],
)
def test_truncated_input_is_named(run: Run, size: int, message: str):
    Path("in.mlir").write_bytes(Path(VECTOR_ADD).read_bytes()[:size])
    assert_fails(run("in.mlir", "-o", "k.cubin"), message)


@pytest.mark.parametrize("stage", ["ptx", "cubin"])
@pytest.mark.parametrize("body", ["", "  global @g <i32: [1]> : tile<1xi32>\n"])
def test_a_module_without_kernels(run: Run, stage: str, body: str):
    # cuTile compiles one to find out which versions of bytecode a compiler reads.
    Path("in.mlir").write_text(f"\ncuda_tile.module @m {{\n{body}}}\n")
    assert run("in.mlir", f"--emit={stage}", "-o", "k").code == 0
    assert Path("k").read_bytes().startswith(b"\x7fELF" if stage == "cubin" else b"//")


READER_GONE = """
import os, runpy, sys

_, name, *sys.argv = sys.argv
reader, writer = os.pipe()
os.close(reader)
os.dup2(writer, 1)
sys.argv.insert(0, name)
runpy.run_module(f"tileiras_xdsl.{name}", run_name="__main__")
"""


@pytest.mark.part("processes")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("driver.tools.tileiras_xdsl", ["--help"]),
        ("driver.tools.tileiras_xdsl", [SAXPY, "--gpu-name=sm_90", "--emit=nvvm"]),
        ("driver.tools.tileiras_opt", ["--help"]),
        ("driver.tools.tileiras_explore", ["--help"]),
        ("driver.tools.tileiras_reduce", ["--help"]),
        ("driver.demos", ["--help"]),
        ("cutile", ["--help"]),
    ],
)
def test_a_reader_that_is_gone(name: str, arguments: Sequence[str]):
    """`… | head` ends a command without a word."""
    result = python("-c", READER_GONE, name, *arguments, check=False)
    assert (result.code in (0, 1), result.err) == (True, "")


def test_no_architecture(capsys: pytest.CaptureFixture[str]):
    assert main([SAXPY]) == 1
    assert capsys.readouterr().err.startswith("error: no GPU target is given")
    assert main([VECTOR_ADD, "--emit=cuda-tile"]) == 0


def test_failures_inside_are_reported_as_such(run: Run, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise KeyError("so and so")

    monkeypatch.setattr("tileiras_xdsl.driver.compiler.compilation.find_stage", fail)
    assert_fails(run(SAXPY), "internal error: KeyError: 'so and so'")
    monkeypatch.setenv("TILEIRAS_DEBUG", "1")
    assert "Traceback" in run(SAXPY).err


@pytest.mark.part("processes")
def test_fatal_errors_of_llvm_are_errors_like_others(run: Run, monkeypatch: pytest.MonkeyPatch):
    def translate(compilation: Compilation) -> str:
        compilation.lower("nvvm")
        return FATAL

    monkeypatch.setattr(Compilation, "translate", translate)
    message = "LLVM cannot generate code for sm_90a: Invalid"
    assert_fails(run(SAXPY, "-o", "k.cubin"), f"error: {message}")
    with pytest.raises(CompileError, match=message):
        tileiras_xdsl.compile(SAXPY, gpu="sm_90")


def test_an_old_file_survives_an_error(run: Run):
    Path("in.mlir").write_text(WRONG)
    Path("k.cubin").write_text("old")
    assert run("in.mlir", "-o", "k.cubin").code == 1
    assert Path("k.cubin").read_text() == "old"


# Standing in for tileiras


@pytest.fixture
def tileiras(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Our command under the name of NVIDIA's, in a folder of its own."""
    folder = tmp_path / "bin"
    assert main(["--install-as-tileiras", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder / STAND_IN}\n"
    return folder / STAND_IN


def call(command: Path, *arguments: str, folder: Path) -> Result:
    child = subprocess.run(
        [str(command), *arguments], capture_output=True, text=True, check=False, cwd=folder
    )
    return Result(child.returncode, child.stdout, child.stderr)


@pytest.mark.part("processes")
def test_installed_command(tileiras: Path, tmp_path: Path):
    arguments = (SAXPY, "-o", "k.cubin", "--gpu-name", "sm_90", "-O3", "--lineinfo")
    assert call(tileiras, *arguments, folder=tmp_path) == Result(0, "", "")
    assert (tmp_path / "k.cubin").read_bytes().startswith(b"\x7fELF")
    assert not (tmp_path / "k.cubin.json").exists()
    result = call(tileiras, "missing", "--gpu-name", "sm_90", folder=tmp_path)
    assert result.err == "error: unable to read input file 'missing': No such file or directory\n"
    assert result.code == 1


def test_installing_again_and_over_something_else(tileiras: Path, run: Run):
    assert run("--install-as-tileiras", str(tileiras.parent)).code == 0
    tileiras.write_text("something else")
    result = run("--install-as-tileiras", str(tileiras.parent))
    assert result.err == f"error: {tileiras} is something else already\n"
    assert tileiras.read_text() == "something else"


def test_version(run: Run):
    out = run("--version").out
    assert re.fullmatch(
        r"tileiras-xdsl: .*\nrelease \S+\nBuild [0-9a-f]{16}\ncompatible .* V13\.4\.0\n", out
    )
    assert run("--version").out == out


def test_list_versions(run: Run):
    assert run("--list-versions").out == "13.1\n13.2\n13.3\n13.4\n"


@pytest.mark.parametrize("version", VERSIONS)
def test_version_probe_is_read(run: Run, version: tuple[int, int]):
    """cuTile finds the newest version by modules without functions."""
    module = load("cuda_tile.module @m {\n}")
    Path("in.mlir").write_bytes(write(module, format_version(version)))
    assert run("in.mlir", "--gpu-name=sm_120", "--emit=tileaa").code == 0


def test_newest_version_is_that_of_the_front_end():
    assert LATEST == (13, 4)


def test_cache_commands(directory: Directory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """They say where the cache is and what is in it, empty it, and limit it."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE", "1")
    monkeypatch.setenv("TILEIRAS_XDSL_CACHE_DIR", str(folder))

    def ask(*words: str) -> str:
        result = directory.run(main, ["--cache", *words])
        assert (result.code, result.err) == (0, "")
        return result.out

    empty = f"folder  {folder}\nfiles   0\nsize    0.0 MiB\nlimit   512.0 MiB\n"
    assert ask("info") == empty
    for number in range(3):
        cache.store(f"{number}{'0' * 63}", cache.CacheEntry(b"x" * 2**20, "", "[]"))
    assert "files   3\nsize    3.0 MiB" in ask("info")
    assert "files   2\nsize    2.0 MiB\nlimit   2.5 MiB" in ask("limit", "2560k")
    assert (folder / "limit").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv(cache.LIMIT_VARIABLE, "1G")
    assert "limit   1024.0 MiB" in ask("info")
    assert ask("clear") == f"2 files removed from {folder}\n"
    assert "files   0" in ask("info")
    for words, message in (
        (["limit", "much"], "'much' is no size: write 800M or 2G"),
        (["limit"], "--cache is followed by info, clear or limit SIZE, not 'limit'"),
    ):
        result = directory.run(main, ["--cache", *words])
        assert (result.code, result.out, result.err) == (1, "", f"error: {message}\n")
