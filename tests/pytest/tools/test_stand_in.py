"""
The stand-in for `tileiras` and `tileirdisasm` beside NVIDIA's: `docs/clients.md` has a table of
command lines with the exit codes of both, and each line is run here.
"""

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from tileiras_xdsl.driver.tools import tileirdisasm
from tileiras_xdsl.driver.tools.tileiras_xdsl import (
    install_as_tileiras,
    install_as_toolkit,
    main,
)
from tileiras_xdsl.frontend.bytecode import write
from tileiras_xdsl.frontend.load import load

from ..harness.cases import every
from ..harness.commands import Directory, Result

ROOT = Path(__file__).parents[3]
GEMM = str(files("tileiras_xdsl.driver.demos") / "gemm.tileirbc")
ROW = re.compile(r"^\| `([^`]+)` \| (\d) \| (\d) \|", re.MULTILINE)
ROWS = ROW.findall((ROOT / "docs" / "clients.md").read_text())


PROBE = """
cuda_tile.module @probe {
  entry @probe(%pointer: tile<ptr<f32>>) {
    %token = make_token : token
    %view = make_tensor_view %pointer, shape = [128], strides = [1]
        : tensor_view<128xf32, strides=[1]>
    %parts = make_partition_view %view
        : partition_view<tile=(16), tensor_view<128xf32, strides=[1]>>
    %low = constant <i32: 0> : tile<i32>
    %high = constant <i32: 4> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    for %i in (%low to %high, step %step) : tile<i32> {
      %tile, %after = load_view_tko weak %parts[%i] token = %token
          : partition_view<tile=(16), tensor_view<128xf32, strides=[1]>>, tile<i32>
          -> tile<16xf32>, token
      continue
    }
    return
  }
}
"""
"""What cutile-rs compiles to find out which version of bytecode is understood."""


@pytest.fixture
def kernel(directory: Directory) -> None:
    """A file with bytecode, and one with a part of it."""
    data = Path(GEMM).read_bytes()
    Path("gemm.tilebc").write_bytes(data)
    Path("cut.tilebc").write_bytes(data[:300])


def code_of(program: Path, line: str) -> int:
    command = [str(program), *shlex.split(line)[1:]]
    data = Path("gemm.tilebc").read_bytes()
    return subprocess.run(command, input=data, capture_output=True, check=False).returncode


def test_the_table_has_every_kind_of_answer():
    assert {code for _, *codes in ROWS for code in codes} == {"0", "1", "2", "3"}


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("row", every(2, ROWS), ids=" ".join)
def test_exit_codes(
    row: tuple[str, str, str],
    oracle_program: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    line, theirs, ours = row
    assert code_of(oracle_program("tileiras"), line) == int(theirs)
    monkeypatch.setattr(sys, "argv", shlex.split(line))
    data = io.BytesIO(Path("gemm.tilebc").read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
    try:
        code = main(owns_process=True)
    except SystemExit as end:  # after `--help`
        code = int(end.code or 0)
    assert code == int(ours)
    assert bool(capsys.readouterr().err) == (code != 0)


def test_what_clients_look_for(capsys: pytest.CaptureFixture[str], directory: Directory):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    for number in (80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121):
        assert f"=sm_{number}\n" in text
    version = directory.run(main, ["--version"]).out
    found = re.search(r"V(\d+)\.(\d+)\.(\d+)", version)
    assert found is not None
    assert (int(found[1]), int(found[2])) >= (13, 4)


def test_versions_of_bytecode_are_those_of_the_assembler(
    directory: Directory, oracle_program: Callable[[str], Path]
):
    """cutile-rs takes the newest line that it can write."""
    command = [oracle_program("tileiras"), "--list-versions"]
    expected = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert directory.run(main, ["--list-versions"]) == Result(0, expected, "")


@pytest.mark.parametrize("version", every(4, [13.4, 13.3, 13.2, 13.1, 13.5]))
def test_clients_find_out_versions_by_a_program(
    version: float, directory: Directory, monkeypatch: pytest.MonkeyPatch
):
    """A version that is not known is refused, whatever is in the program."""
    path = directory.path / "probe.mlir"
    path.write_text(PROBE)
    known = version < 13.5
    data = bytearray(write(load(path), str(version if known else 13.4)))
    data[9] = round(10 * version) % 10
    Path("probe.bc").write_bytes(data)
    line = "tileiras --gpu-name sm_120 -o probe.cubin probe.bc"
    monkeypatch.setattr(sys, "argv", line.split())
    code = main(owns_process=True)
    assert (code, Path("probe.cubin").exists()) == ((0, True) if known else (3, False))
    message = directory.capture.readouterr().err
    assert ("unsupported Tile version 13.5" in message) != known


@pytest.mark.usefixtures("kernel")
def test_remarks_are_on_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    arguments = ["gemm.tilebc", "--gpu-name=sm_90", "-o", "k.cubin", "--remarks-passed=memory"]
    monkeypatch.setattr(sys, "argv", ["tileiras", *arguments])
    assert main(owns_process=True) == 0
    out, err = capsys.readouterr()
    assert err == ""
    head, *paragraphs = out.split("\n\n")
    assert head == "in function: gemm:"
    assert paragraphs[0].splitlines() == [
        "  category: Memory",
        "    remark[passed]: TMA store of 128x128xf16",
        '      --> "kernels.py":46:4',
        "       |",
        "       = name: RemarkMemoryTmaStore",
        "       = note: Reason = TMA tiles of 128x64, swizzle of 128 bytes",
    ]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("flags", [(), ("-g",), ("--print-debug-info",)])
def test_text_is_that_of_the_disassembler(
    flags: tuple[str, ...], directory: Directory, oracle_program: Callable[[str], Path]
):
    command = [oracle_program("tileirdisasm"), *flags, "gemm.tilebc"]
    expected = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert directory.run(tileirdisasm.main, [*flags, "gemm.tilebc"]) == Result(0, expected, "")


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "error: no input file provided"),
        (("missing",), "error: unable to read input file 'missing': No such file or directory"),
        (("gemm.tilebc", "--preview=simt"), "error: the preview feature 'simt' is not supported"),
        (("cut.tilebc",), "error: "),
    ],
)
def test_mistakes_of_the_disassembler(
    arguments: tuple[str, ...], message: str, directory: Directory
):
    result = directory.run(tileirdisasm.main, arguments)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert result.err.startswith(message)


def test_installed_disassembler(tmp_path: Path):
    command = install_as_tileiras(tmp_path).with_name("tileirdisasm")
    run = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("tileirdisasm: ")
    assert "V13.4." in run.stdout


def test_toolkit(tmp_path: Path, oracle_program: Callable[[str], Path]):
    """nvcc runs the compiler beside it, whatever the PATH says."""
    toolkit = oracle_program("nvcc").resolve().parents[1]
    nvcc = install_as_toolkit(tmp_path)
    assert install_as_toolkit(tmp_path) == nvcc
    assert (tmp_path / "include").resolve() == toolkit / "include"
    assert (tmp_path / "bin" / "ptxas").resolve() == toolkit / "bin" / "ptxas"
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k() {}\n")
    command = [nvcc, "--tile-only", "-tilecubin", "-std=c++20", "-arch=sm_90", "--dryrun", source]
    steps = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    (path,) = re.findall(r"^#\$ PATH=(.*)$", steps, re.MULTILINE)
    found = [Path(each) / "tileiras" for each in path.split(os.pathsep)]
    assert next(each for each in found if each.exists()).samefile(tmp_path / "bin" / "tileiras")
