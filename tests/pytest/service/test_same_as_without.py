"""A command that a server runs does what it does without: output, files, exit code."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from .conftest import PROGRAM, Service, prepend_path

# One server is for all of them.
pytestmark = pytest.mark.xdist_group("warm_service")

CASES: dict[str, Sequence[str]] = {
    "version": ("--version",),
    "help": ("--help",),
    "list-versions": ("--list-versions",),
    "cubin": ("k.tileirbc", "--gpu-name", "sm_90", "-o", "out/k.cubin"),
    "default output": ("k.tileirbc", "--gpu-name=sm_90"),
    "ptx": ("k.tileirbc", "--gpu-name", "sm_90", "--emit", "ptx"),
    "tileas": ("k.tileirbc", "--gpu-name", "sm_80", "--emit", "tileas", "-o", "-"),
    "llvm": ("k.tileirbc", "--gpu-name", "sm_90", "--emit", "llvm"),
    "schedule": ("k.tileirbc", "--gpu-name", "sm_90", "--emit", "schedule"),
    "dumps": ("k.tileirbc", "--gpu-name", "sm_90", "--emit", "tileaa", "--print-ir-after-all"),
    "remarks": (
        *("k.tileirbc", "--gpu-name", "sm_90", "--remark-format=yaml", "--remarks=all"),
        "--remarks-output-file=remarks.yaml",
    ),
    "no target": ("k.tileirbc",),
    "unknown option": ("k.tileirbc", "--nonsense"),
    "unknown target": ("k.tileirbc", "--gpu-name", "sm_1"),
    "missing file": ("missing", "--gpu-name", "sm_90"),
    "bad text": ("bad.mlir", "--gpu-name", "sm_90"),
    "damaged bytecode": ("damaged.tileirbc", "--gpu-name", "sm_90"),
    "no such folder": ("k.tileirbc", "--gpu-name", "sm_90", "-o", "nowhere/k.cubin"),
    "full disk": ("k.tileirbc", "--gpu-name", "sm_90", "--emit", "ptx", "-o", "/dev/full"),
    "name that is not UTF-8": (os.fsdecode(b"k\xff.tileirbc"), "--gpu-name", "sm_90"),
    "empty argument": ("", "--gpu-name", "sm_90"),
}


@pytest.fixture
def fill(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a folder to run commands in."""

    def make(name: str) -> Path:
        folder = tmp_path / name
        (folder / "out").mkdir(parents=True)
        data = PROGRAM.read_bytes()
        (folder / "k.tileirbc").write_bytes(data)
        (folder / "damaged.tileirbc").write_bytes(data[: len(data) // 2])
        (folder / "bad.mlir").write_text("cuda_tile.module @m {\n  nonsense\n}\n")
        return folder

    return make


def outcome(result: subprocess.CompletedProcess[bytes], folder: Path) -> tuple[Any, ...]:
    files = {
        str(path.relative_to(folder)): (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return result.returncode, result.stdout, result.stderr, files


@pytest.mark.every(11, first=3)
@pytest.mark.parametrize("name", CASES)
def test_same_outcome(name: str, warm_service: Service, fill: Callable[[str], Path]):
    outcomes = [
        outcome(warm_service.run(*CASES[name], mode=mode, cwd=folder), folder)
        for mode, folder in (("require", fill("served")), ("0", fill("alone")))
    ]
    assert outcomes[0] == outcomes[1]


def compare(service: Service, run: Callable[[str], tuple[Any, ...]]) -> tuple[Any, ...]:
    served, alone = run("require"), run("0")
    assert served == alone
    return served


def test_standard_input(warm_service: Service):
    def run(mode: str) -> tuple[Any, ...]:
        with PROGRAM.open("rb") as stream:
            arguments = ("-", "--gpu-name", "sm_90", "--emit", "cuda-tile")
            result = warm_service.run(*arguments, mode=mode, stdin=stream)
        return result.returncode, result.stdout, result.stderr

    assert compare(warm_service, run)[0] == 0


def test_closed_standard_streams(warm_service: Service, tmp_path: Path):
    def run(mode: str) -> tuple[Any, ...]:
        command = 'exec "$0" -m tileiras_xdsl.driver.service.client "$@" 0<&- 2>&- > out'
        arguments = (sys.executable, PROGRAM, "--gpu-name", "sm_90", "--emit", "ptx")
        result = subprocess.run(
            ["sh", "-c", command, *map(str, arguments)],
            env=warm_service.env(mode=mode),
            cwd=tmp_path,
            check=False,
        )
        return result.returncode, (tmp_path / "out").read_bytes()

    code, ptx = compare(warm_service, run)
    assert code == 0
    assert b".visible .entry" in ptx


@pytest.mark.long
def test_process_substitution(warm_service: Service):
    def run(mode: str) -> tuple[Any, ...]:
        with PROGRAM.open("rb") as stream:
            result = warm_service.run(
                *(f"/dev/fd/{stream.fileno()}", "--gpu-name", "sm_90", "--emit", "ptx"),
                mode=mode,
                pass_fds=(stream.fileno(),),
            )
        return result.returncode, result.stdout, result.stderr

    assert compare(warm_service, run)[0] == 0


@pytest.mark.long
def test_umask(warm_service: Service, tmp_path: Path):
    def run(mode: str) -> tuple[Any, ...]:
        path = tmp_path / mode
        assert warm_service.run(
            *(PROGRAM, "--gpu-name=sm_90", "--emit=ptx", "-o", path), mode=mode, umask=0o137
        )
        return (stat.S_IMODE(path.stat().st_mode),)

    assert compare(warm_service, run) == (0o640,)


def test_limits(warm_service: Service, tmp_path: Path):
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    def run(mode: str) -> tuple[Any, ...]:
        folder = tmp_path / mode
        folder.mkdir()
        result = warm_service.run(
            *(PROGRAM, "--gpu-name=sm_90", "--emit=ptx", "-o", "k.ptx"),
            mode=mode,
            cwd=folder,
            preexec_fn=limit,
        )
        return outcome(result, folder)

    assert compare(warm_service, run)[0] == 1


def test_folder_that_is_gone(warm_service: Service, tmp_path: Path):
    folder = tmp_path / "gone"
    folder.mkdir()
    result = warm_service.run(
        *(PROGRAM, "--gpu-name=sm_90", "--emit=ptx", "-o", "k.ptx"),
        cwd=folder,
        preexec_fn=folder.rmdir,
        env={"PYTHONPATH": prepend_path(Path(__file__).parents[3] / "src")},
    )
    message = b"error: unable to write output file 'k.ptx': No such file or directory\n"
    assert (result.returncode, result.stderr) == (1, message)


def test_environment(warm_service: Service, tmp_path: Path):
    """What tools a command finds is a matter of its own environment."""
    fake = tmp_path / "ptxas"
    fake.write_text("#!/bin/sh\necho 'ptxas fatal   : from the fake one' >&2\nexit 1\n")
    fake.chmod(0o755)
    arguments = (PROGRAM, "--gpu-name=sm_90", "-o", tmp_path / "k.cubin")
    result = warm_service.run(*arguments, env={"TILEIRAS_XDSL_PTXAS": str(fake)})
    assert result.returncode == 1
    assert b"from the fake one" in result.stderr
    folder = tmp_path / "reproducers"
    tools = {"TILEIRAS_XDSL_PTXAS": str(fake), "TILEIRAS_XDSL_REPRODUCERS": str(folder)}
    result = warm_service.run(*arguments, env=tools)
    (reproducer,) = folder.iterdir()
    assert result.stderr.endswith(f" (reproducer: {reproducer})\n".encode())
    repeated = warm_service.run("--replay", reproducer, env=tools)
    assert (repeated.returncode, b"from the fake one" in repeated.stderr) == (1, True)
    assert warm_service.run(*arguments).returncode == 0
    missing = warm_service.run(*arguments, env={"TILEIRAS_XDSL_PTXAS": "/nonsense"})
    assert b"/nonsense" in missing.stderr
