"""Bytecode on the command line of `tileiras-opt`, and `tileiras_xdsl.load`."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

import tileiras_xdsl
from tileiras_xdsl.driver.tools.tileiras_opt import main
from tileiras_xdsl.frontend.bytecode import BytecodeError, read, write

from ..harness.modules import print_public
from .support import CORPUS, VERSIONS

BIN = Path(sys.executable).parent

KERNEL = CORPUS / "bytecode" / "13.4" / "vector_add.tileirbc"
TEXT = (CORPUS / "text" / "13.4" / "vector_add.mlir").read_text()


@dataclass
class Result:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        assert self.code == 0, self.err
        return self.out.decode()


Run = Callable[..., Result]


@pytest.fixture
def run(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Runs the tool in an empty directory, with the given bytes as the file `in`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TILEIRAS_DEBUG", raising=False)

    def run(data: bytes, *args: str, name: str = "in") -> Result:
        Path(name).write_bytes(data)
        code = main([name, *args])
        captured = capfdbinary.readouterr()
        return Result(code, captured.out, captured.err.decode())

    return run


def assert_fails(result: Result, message: str) -> None:
    """Exactly `message` on standard error, nothing on standard output, exit code 1."""
    assert result.err == f"{message}\n"
    assert result.out == b""
    assert result.code == 1


# Input


@pytest.mark.parametrize("name", ["k.tileirbc", "k", "k.mlir", "k.py", "k.cubin"])
def test_bytecode_is_recognised_by_its_magic(run: Run, name: str):
    assert run(KERNEL.read_bytes(), "-t", "cuda-tile-public", name=name).text == TEXT


def test_text_is_recognised_under_the_name_of_bytecode(run: Run):
    result = run(TEXT.encode(), "-t", "cuda-tile-public", name="k.tileirbc")
    assert result.text == TEXT


def test_disassembles_to_the_default_text(run: Run):
    text = run(KERNEL.read_bytes()).text
    assert text.startswith("builtin.module {\n  cuda_tile.module @kernels {\n")
    assert tileiras_xdsl.load(text).is_structurally_equivalent(read(KERNEL.read_bytes()))


def test_reads_standard_input(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(KERNEL.read_bytes())))
    assert main(["-", "-t", "cuda-tile-public"]) == 0
    assert capfdbinary.readouterr().out.decode() == TEXT


def test_locations_can_be_printed(run: Run):
    path = CORPUS / "bytecode_debug" / "13.4" / "prints.tileirbc"
    expected = (CORPUS / "text_debug" / "13.4" / f"{path.stem}.mlir").read_text()
    result = run(path.read_bytes(), "-t", "cuda-tile-public{debuginfo=true}")
    assert result.text == expected


# Output


@pytest.mark.parametrize("version", VERSIONS)
def test_assembles(run: Run, version: str):
    result = run(TEXT.encode(), "-t", f"tileir-bytecode{{version={version}}}", "-o", "out")
    assert result == Result(0, b"", "")
    data = Path("out").read_bytes()
    assert data == write(tileiras_xdsl.load(TEXT), version)
    assert print_public(read(data)) == TEXT


def test_the_newest_version_is_the_default(run: Run):
    result = run(TEXT.encode(), "-t", "tileir-bytecode")
    assert result.out == write(tileiras_xdsl.load(TEXT), VERSIONS[-1])
    quoted = run(TEXT.encode(), "-t", f'tileir-bytecode{{version="{VERSIONS[-1]}"}}')
    assert quoted.out == result.out


def test_converts_between_versions(run: Run):
    result = run(KERNEL.read_bytes(), "-t", "tileir-bytecode{version=13.1}")
    assert result.out[8:12] == b"\x0d\x01\x00\x00"
    assert print_public(read(result.out)) == TEXT


def test_runs_passes_on_bytecode(run: Run):
    result = run(KERNEL.read_bytes(), "-p", "canonicalize,cse", "-t", "tileir-bytecode")
    assert result.code == 0
    read(result.out)


@pytest.mark.parametrize("version", ["13.5", "13", "latest"])
def test_unknown_version(run: Run, version: str):
    assert_fails(
        run(TEXT.encode(), "-t", f"tileir-bytecode{{version={version}}}", "-o", "out"),
        f"in: error: unsupported Tile version {version}, supported are 13.1, 13.2, 13.3, 13.4",
    )
    assert not Path("out").exists()


def test_unknown_option(run: Run):
    result = run(TEXT.encode(), "-t", "tileir-bytecode{versions=13.1}")
    assert_fails(
        result,
        "tileiras-opt: error: target 'tileir-bytecode': Provided arguments [\"versions\"] not "
        'found in expected arguments ["version"]',
    )


def test_refusals_name_the_op(run: Run):
    text = b"entry @k(%a: tile<f32>) {\n  %0 = atan2 %a, %a : tile<f32>\n  return\n}\n"
    assert_fails(
        run(text, "-t", "tileir-bytecode{version=13.1}", "-o", "out"),
        "in: error: 'cuda_tile.atan2' op requires bytecode version 13.2+, targeting 13.1",
    )
    assert not Path("out").exists()


def test_binary_output_is_one_module(run: Run):
    text = f"{TEXT}// -----\n{TEXT}".encode()
    assert_fails(
        run(text, "--split-input-file", "-t", "tileir-bytecode"),
        "tileiras-opt: error: binary output holds one module, --split-input-file makes several",
    )


def test_list_versions(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as info:
        main(["--list-versions"])
    assert info.value.code == 0
    assert capsys.readouterr().out == "13.1\n13.2\n13.3\n13.4\n"


@pytest.mark.part("processes")
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_binary_output_is_not_written_to_a_terminal(tmp_path: Path):
    """In a process of its own whose standard output is a terminal."""
    controller, terminal = os.openpty()
    try:
        result = subprocess.run(
            [BIN / "tileiras-opt", KERNEL, "-t", "tileir-bytecode"],
            stdout=terminal,
            stderr=subprocess.PIPE,
            check=False,
            cwd=tmp_path,
        )
    finally:
        os.close(terminal)
        os.close(controller)
    assert result.returncode == 1
    assert result.stderr.decode() == (
        "tileiras-opt: error: binary output is not written to a terminal, give -o FILE\n"
    )


# Malformed bytecode


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (KERNEL.read_bytes()[:100], "header section at byte 0x"),
        (
            KERNEL.read_bytes()[:8] + b"\x0e\x01" + KERNEL.read_bytes()[10:],
            "header section at byte 0x8: unsupported Tile version 14.1.0, ",
        ),
        (
            b"ML\xefR\x06MLIR\x00",
            "header section at byte 0x0: this is MLIR bytecode, not Tile IR bytecode",
        ),
        (KERNEL.read_bytes() + b"\0", "header section at byte 0x"),
    ],
    ids=["truncated", "version", "mlir", "trailing"],
)
def test_malformed_bytecode(run: Run, data: bytes, message: str):
    for target in ("mlir", "cuda-tile-public", "tileir-bytecode"):
        result = run(data, "-t", target, "-o", "out")
        assert (result.code, result.out) == (1, b"")
        assert result.err.startswith(f"in: error: {message}")
        assert result.err.count("\n") == 1
        assert os.listdir() == ["in"]


def test_an_old_output_file_stays(run: Run):
    Path("out").write_text("old")
    assert run(KERNEL.read_bytes()[:100], "-t", "tileir-bytecode", "-o", "out").code == 1
    assert Path("out").read_text() == "old"


def test_programs_that_do_not_verify(run: Run):
    path = CORPUS / "rejected" / "13.4" / "unsigned_floor_division.tileirbc"
    result = run(path.read_bytes())
    assert_fails(
        result,
        "in: error: 'cuda_tile.divi' op rounding mode 'negative_inf' is not allowed with "
        "'unsigned' flag",
    )
    assert run(path.read_bytes(), "--disable-verify").code == 0


# Python


def test_load_takes_every_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    data = KERNEL.read_bytes()
    module = read(data)
    Path("bytecode").write_bytes(data)
    Path("text.bin").write_text(TEXT)
    for source in (
        data,
        TEXT,
        TEXT.encode(),
        str(module),
        "bytecode",
        Path("bytecode"),
        "text.bin",
        Path("text.bin"),
        tmp_path / "text.bin",
    ):
        assert tileiras_xdsl.load(source).is_structurally_equivalent(module)


def test_load_of_malformed_bytecode():
    with pytest.raises(BytecodeError) as info:
        tileiras_xdsl.load(KERNEL.read_bytes()[:100])
    assert info.value.section == "header"
    assert info.value.offset is not None


def test_load_of_malformed_text(tmp_path: Path):
    path = tmp_path / "in.mlir"
    path.write_text("entry @k() {\n  nonsense\n}\n")
    with pytest.raises(ParseError) as info:
        tileiras_xdsl.load(path)
    assert str(info.value.span.get_location()) == f"{path}:2:3"
    with pytest.raises(ParseError, match="<text>:1"):
        tileiras_xdsl.load("entry {}")
    with pytest.raises(ParseError, match="<bytes>:1"):
        tileiras_xdsl.load(b"entry {}")
    with pytest.raises(ParseError, match="not UTF-8"):
        tileiras_xdsl.load(b"\xff\xfe")


def test_load_of_invalid_programs():
    text = """
entry @k(%a: tile<i32>) {
  %0 = divi %a, %a unsigned rounding<negative_inf> : tile<i32>
  return
}
"""
    with pytest.raises(VerifyException, match="not allowed with 'unsigned' flag"):
        tileiras_xdsl.load(text)
    path = CORPUS / "rejected" / "13.4" / "unsigned_floor_division.tileirbc"
    with pytest.raises(VerifyException, match="not allowed with 'unsigned' flag"):
        tileiras_xdsl.load(path)


def test_load_checks_dominance():
    text = """
entry @k(%a: tile<f32>) {
  %0 = negf %1 : tile<f32>
  %1 = negf %a : tile<f32>
  return
}
"""
    with pytest.raises(VerifyException):
        tileiras_xdsl.load(text)


def test_load_of_missing_files():
    with pytest.raises(FileNotFoundError):
        tileiras_xdsl.load("no/such/file.tileirbc")
    with pytest.raises(FileNotFoundError):
        tileiras_xdsl.load(Path("no/such/file"))
