"""`examples/c`: a client in C gets from the server what the command gets."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import CLIENT, PROGRAM, Service, wait_until

FOLDER = Path(__file__).parents[3] / "examples" / "c"
FLAGS = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        assert not os.environ.get("CI"), "there is no C compiler"
        pytest.skip("there is no C compiler")
    path = tmp_path / "compile"
    subprocess.run([compiler, *FLAGS, *FOLDER.glob("*.c"), "-o", path], check=True)
    return path


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """The command, in a folder whose name has a blank."""
    path = tmp_path / "our tools" / "tileiras-xdsl"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {" ".join(CLIENT[1:])} "$@"\n')
    path.chmod(0o755)
    return path


def test_same_as_the_command(service: Service, program: Path, command: Path, tmp_path: Path):
    def run(source: Path, *options: str) -> subprocess.CompletedProcess[str]:
        words = [program, command, source, tmp_path / "c.cubin", "2", *options]
        return subprocess.run(
            words, env=service.env(), capture_output=True, text=True, check=False, timeout=120
        )

    options = ("--gpu-name=sm_90", "--no-cache", "-O1", "--remarks=memory")
    found = run(PROGRAM, *options)
    assert found.returncode == 0, found.stderr
    first = service.server()
    expected = service.run(PROGRAM, *options, "-o", tmp_path / "command.cubin", mode="0")
    cubin = (tmp_path / "command.cubin").read_bytes()
    assert (tmp_path / "c.cubin").read_bytes() == cubin
    assert found.stdout.count(f"{len(cubin)} bytes in") == 2
    assert found.stderr == expected.stderr.decode() * 2

    # Errors are those of `tileiras`, and nothing is written.
    (tmp_path / "c.cubin").unlink()
    text = tmp_path / "k.mlir"
    text.write_text("cuda_tile.module @m { nonsense }")
    for source, option, code, message in (
        (text, "--gpu-name=sm_90", 3, "<stdin>:1:"),
        (PROGRAM, "--gpu-name=sm_91", 2, "error: unsupported GPU target 'sm_91'"),
        (PROGRAM, "--nonsense", 1, "error: unrecognized arguments: --nonsense"),
    ):
        found = run(source, option)
        assert (found.returncode, found.stdout) == (code, "")
        assert found.stderr.startswith(message)
        assert not (tmp_path / "c.cubin").exists()

    # A server that is gone is replaced by another.
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{first}").exists(), "the end of the server")
    assert run(PROGRAM, *options).returncode == 0
    assert service.server() != first
    # There may be none.
    found = subprocess.run(
        [program, command, PROGRAM, tmp_path / "x", "1"],
        env=service.env(mode="0"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 1
    assert found.stderr.endswith("there is no compile server\n")


def test_from_rust(service: Service, command: Path, tmp_path: Path):
    """The same functions, called by a program in Rust."""
    rust, compiler = shutil.which("rustc"), shutil.which("cc")
    if rust is None or compiler is None:
        pytest.skip("there is no compiler of Rust")
    found = tmp_path / "tileiras_compile.o"
    subprocess.run([compiler, *FLAGS, "-c", FOLDER / "tileiras_compile.c", "-o", found], check=True)
    source, path = FOLDER.with_name("rust") / "compile.rs", tmp_path / "from_rust"
    flags = ("--edition=2021", "-Dwarnings", f"-Clink-arg={found}")
    subprocess.run([rust, *flags, source, "-o", path], check=True)

    def run(gpu: str) -> subprocess.CompletedProcess[str]:
        words = [path, command, PROGRAM, tmp_path / "rust.cubin", "--no-cache", f"--gpu-name={gpu}"]
        return subprocess.run(
            words, env=service.env(), capture_output=True, text=True, check=False, timeout=120
        )

    assert run("sm_90").returncode == 0
    options = ("--no-cache", "--gpu-name=sm_90")
    service.run(PROGRAM, *options, "-o", tmp_path / "command.cubin", mode="0")
    assert (tmp_path / "rust.cubin").read_bytes() == (tmp_path / "command.cubin").read_bytes()
    refused = run("sm_75")
    assert refused.returncode == 2
    assert "unsupported GPU target 'sm_75'" in refused.stderr
