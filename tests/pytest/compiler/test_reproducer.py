"""Files that repeat what went wrong inside the compiler, and `--replay`."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

import tileiras_xdsl
from tileiras_xdsl.backend.ptxas import PTXAS_VARIABLE
from tileiras_xdsl.driver.compiler import reproducer
from tileiras_xdsl.driver.compiler.compiled import CompileError
from tileiras_xdsl.driver.compiler.reproducer import VARIABLE, Reproducer, find_folder
from tileiras_xdsl.driver.demos import kernels as demo_kernels
from tileiras_xdsl.driver.tools import tileiras_opt
from tileiras_xdsl.driver.tools.tileiras_xdsl import main
from tileiras_xdsl.transforms.nvgpu.convert_tileas_to_nvgpu import conversion_pass as to_nvgpu
from tileiras_xdsl.transforms.tileaa.canonicalize_tileaa import CanonicalizeTileaaPass

from ..harness.commands import Directory, Result
from ..harness.kernels import block_size, gpu_kernel, gpu_module
from ..tools.conftest import directory as directory

VECTOR_ADD = str(Path(str(demo_kernels.__file__)).parent / "vector_add.tileirbc")

DEADLY = gpu_module(
    gpu_kernel(
        'llvm.inline_asm has_side_effects asm_dialect = att "mov.u32 %r1, $3;", "r" %n '
        ": (i32) -> ()",
        ["%n: i32"],
        attributes=[block_size(32)],
    )
)
"""LLVM ends the process that generates code for it."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where reproducers go."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "reproducers"))
    return tmp_path / "reproducers"


def run(directory: Directory, *arguments: object) -> Result:
    return directory.run(main, ["--gpu-name=sm_90", *map(str, arguments)])


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def message_of(result: Result) -> str:
    """The line on standard error, without places in files."""
    assert result.code == 1
    assert result.err.count("\n") == 1
    line = re.sub(r" \(reproducer: \S+\)", "", result.err)
    return re.sub(r"\S+\.(mlir|py):\d+:\d+(: )?", "", line)


def assert_repeats(directory: Directory, folder: Path, failed: Result, name: str) -> str:
    """The message names the one file, and a replay says the same; returns the file's text."""
    path = only_file(folder)
    assert failed.err.endswith(f" (reproducer: {path})\n")
    assert re.fullmatch(rf"{name}-[0-9a-f]{{12}}\.mlir", path.name)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    replayed = directory.run(main, ["--replay", str(path)])
    assert message_of(replayed) == message_of(failed)
    assert replayed.out == ""
    assert "reproducer:" not in replayed.err
    assert only_file(folder) == path
    return path.read_text()


def fail(*_: object) -> None:
    raise KeyError("so and so")


def test_internal_errors_of_passes(
    directory: Directory, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(CanonicalizeTileaaPass, "apply", fail)
    failed = run(directory, VECTOR_ADD)
    assert "internal error: KeyError: 'so and so' [in pass 'canonicalize-tileaa']" in failed.err
    text = assert_repeats(directory, folder, failed, "canonicalize-tileaa")
    assert "nv_tileaa." in text
    path = only_file(folder)
    monkeypatch.undo()
    replayed = directory.run(main, ["--replay", str(path)])
    assert (replayed.code, replayed.err) == (0, "")
    assert replayed.out == f"{path}: 'canonicalize-tileaa' does not fail\n"


def test_other_tools_read_them(directory: Directory, folder: Path, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patched:
        patched.setattr(to_nvgpu.ConvertTileasToNvgpuPass, "apply", fail)
        run(directory, VECTOR_ADD)
    path = only_file(folder)
    (line,) = re.findall(r"^// passes: tileiras-opt FILE -p '(.*)'$", path.read_text(), re.M)
    assert line.startswith(
        "convert-tileas-to-nvgpu{abi=device-maps},sink-scalars,convert-scf-while"
    )
    lowered = directory.run(tileiras_opt.main, [str(path), "-p", line])
    assert lowered.code == 0
    assert run(directory, VECTOR_ADD, "--emit=nvvm").out.strip() == lowered.out.strip()


def test_modules_that_are_not_valid(
    directory: Directory, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    def spoil(_: object, ctx: Context, module: ModuleOp) -> None:
        for op in module.walk():
            if op.name == "gpu.return":
                Rewriter.erase_op(op)

    monkeypatch.setattr(CanonicalizeTileaaPass, "apply", spoil)
    failed = run(directory, VECTOR_ADD, "--verify-each")
    assert "[after pass 'canonicalize-tileaa']" in failed.err
    assert_repeats(directory, folder, failed, "canonicalize-tileaa")


def test_nothing_of_the_user_is_in_them(
    directory: Directory, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(CanonicalizeTileaaPass, "apply", fail)
    secret = directory.path / "secret"
    secret.mkdir()
    (secret / "k.tileirbc").write_bytes(Path(VECTOR_ADD).read_bytes())
    assert run(directory, "secret/k.tileirbc", "--lineinfo").code == 1
    text = only_file(folder).read_text()
    for word in ("secret", str(directory.path), "loc(", ".py", os.getcwd()):
        assert word not in text
    assert set(re.findall(r'"(\w[\w-]*)": ', text.splitlines()[1])) == {
        *("abi", "device_debug", "failed", "format", "gpu", "lineinfo", "opt", "pipeline"),
        *("verify_each", "versions", "llvmlite", "ptxas", "python", "tileiras-xdsl", "xdsl"),
    }


@pytest.mark.part("kernels")
def test_deaths_of_llvm(directory: Directory, folder: Path):
    Path("in.mlir").write_text(DEADLY)
    failed = run(directory, "in.mlir")
    assert "LLVM cannot generate code for sm_90a: Invalid" in failed.err
    assert_repeats(directory, folder, failed, "llvm")


def test_refusals_of_ptxas(directory: Directory, folder: Path):
    Path("in.mlir").write_text(DEADLY.replace("mov.u32 %r1, $3", "nonsense $0"))
    failed = run(directory, "in.mlir", "-O1")
    assert "nonsense" in failed.err
    text = assert_repeats(directory, folder, failed, "ptxas")
    assert '"opt": 1' in text


def test_from_python(folder: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(CompileError, match=r"\(reproducer: .*/llvm-\w+\.mlir\)$") as caught:
        tileiras_xdsl.compile(DEADLY, gpu="sm_90")
    assert caught.value.report.reproducer == str(only_file(folder))
    monkeypatch.setattr(CanonicalizeTileaaPass, "apply", fail)
    with pytest.raises(KeyError) as internal:
        tileiras_xdsl.compile(VECTOR_ADD, gpu="sm_90")
    assert re.search(r"reproducer: .*/canonicalize-tileaa-", internal.value.__notes__[0])


def test_faults_of_programs_and_machines_leave_no_file(
    directory: Directory, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    Path("in.mlir").write_text("cuda_tile.module @m { entry @k() { return %x } }")
    assert run(directory, "in.mlir").code == 1
    monkeypatch.setenv(PTXAS_VARIABLE, "/nonsense")
    assert run(directory, VECTOR_ADD).code == 1
    assert not folder.exists()


def test_the_default_folder_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = tmp_path / f"tileiras-xdsl-{os.getuid()}"
    assert find_folder() == found
    assert stat.S_IMODE(found.stat().st_mode) == 0o700
    found.chmod(0o755)
    assert find_folder() is None
    found.rmdir()
    found.symlink_to(tmp_path)
    assert find_folder() is None


def test_old_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """In the default folder; one that the user names keeps what is there."""
    monkeypatch.setattr(reproducer, "MOST_FILES", 2)
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(reproducer, "find_folder", lambda: tmp_path)
    options: Any = reproducer.Options("sm_90")
    paths = [Reproducer(f"// {n}", options, (), "llvm").write() for n in range(3)]
    assert sorted(map(str, tmp_path.iterdir())) == sorted(map(str, paths[1:]))
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    paths += [Reproducer(f"// {n}", options, (), "llvm").write() for n in range(3, 5)]
    assert sorted(map(str, tmp_path.iterdir())) == sorted(map(str, paths[1:]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("builtin.module {}\n", "'r.mlir' is no reproducer of tileiras-xdsl"),
        ("// tileiras-xdsl reproducer: x\n// configuration: [1]\n", "is no reproducer"),
        (
            '// tileiras-xdsl reproducer: x\n// configuration: {"format": 9}\n',
            "the reproducer has format 9, this version reads 1",
        ),
    ],
)
def test_other_files_are_refused(directory: Directory, text: str, message: str):
    Path("r.mlir").write_text(text)
    replayed = directory.run(main, ["--replay", "r.mlir"])
    assert replayed.code == 1
    assert message in replayed.err


def test_replay_takes_nothing_else(directory: Directory):
    assert "--replay names the input" in directory.run(main, ["--replay", "r", "in.mlir"]).err
