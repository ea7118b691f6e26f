"""PTX to a cubin, and what ptxas says."""

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from time import sleep

import pytest

from tileiras_xdsl.backend import libdevice, nvptx, ptxas
from tileiras_xdsl.backend.errors import MissingToolError
from tileiras_xdsl.backend.ptxas import (
    FunctionUsage,
    Ptxas,
    PtxasError,
    PtxasMessage,
    PtxasRun,
    abandon_runs,
    parse_log,
)
from tileiras_xdsl.backend.target import NvptxTarget

from .kernels import CASES, kernel

# pyright: reportPrivateUsage=false

SM_90 = NvptxTarget.parse("sm_90")


@pytest.fixture
def assembler(oracle_program: Callable[[str], Path]) -> Ptxas:
    return Ptxas(oracle_program("ptxas"))


def asm_kernel(code: str) -> str:
    """PTX of a kernel with inline assembly."""
    source = (
        "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
        f'  %v = call i32 asm sideeffect "{code}", "=r"()\n'
        "  store i32 %v, ptr addrspace(1) %p\n  ret void\n}\n"
    )
    return nvptx.compile_to_ptx(source, SM_90)


@pytest.mark.every(7)
@pytest.mark.parametrize(("name", "arch"), CASES)
def test_kernels(name: str, arch: str, assembler: Ptxas):
    target = NvptxTarget.parse(arch)
    result = assembler.compile(nvptx.compile_to_ptx(kernel(name), target), target)
    assert result.cubin.startswith(b"\x7fELF")
    assert result.messages == ()
    usage = result.functions[name]
    assert usage.registers > 0
    assert usage.spill_stores == usage.spill_loads == 0
    if name == "reverse":
        assert usage.shared == 512
        assert usage.barriers == 1


def test_the_cubin_is_the_same_every_time(assembler: Ptxas):
    ptx = nvptx.compile_to_ptx(kernel("saxpy"), SM_90)
    assert assembler.compile(ptx, SM_90).cubin == assembler.compile(ptx, SM_90).cubin


def sleeper(folder: Path) -> Ptxas:
    """A program that does not end by itself."""
    program = folder / "ptxas"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o755)
    return Ptxas(program)


def test_what_is_open_is_abandoned_by_its_process_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with PtxasRun(sleeper(tmp_path), SM_90) as run:
        process, folder = run._start_process(), Path(run._folder.name)
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: 0)
            abandon_runs()
        assert folder.exists()
        assert process.poll() is None
        abandon_runs()
        assert not folder.exists()
        assert process.poll() == -signal.SIGKILL
        process.communicate()


def test_one_that_is_being_started_is_abandoned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The process is there before the thread that started it knows it."""
    started: list[subprocess.Popen[str]] = []
    is_there = Event()

    def start(path: Path, arguments: Sequence[str]) -> subprocess.Popen[str]:
        started.append(libdevice.start_program(path, arguments))
        is_there.set()
        sleep(0.2)
        return started[0]

    monkeypatch.setattr(ptxas, "start_program", start)
    with PtxasRun(sleeper(tmp_path), SM_90) as run:
        thread = Thread(target=run._start_process)
        thread.start()
        assert is_there.wait(60)
        run.abandon()
        assert started[0].returncode == -signal.SIGKILL
        thread.join()
        with pytest.raises(KeyboardInterrupt):
            run._start_process()
    assert len(started) == 1
    started[0].communicate()


def test_version(assembler: Ptxas):
    assert assembler.version.startswith("13.")


def test_version_of_a_cubin(assembler: Ptxas, monkeypatch: pytest.MonkeyPatch):
    """A cubin says who made it; one that does not, such as those of CUDA 12, asks ptxas."""
    result = assembler.compile(asm_kernel("mov.u32 $0, 1;"), SM_90)
    version = assembler.version
    with monkeypatch.context() as patch:
        patch.setattr(Ptxas, "version", "asked")
        assert assembler.version_of(result) == version
        assert assembler.version_of(replace(result, cubin=b"\x7fELF")) == "asked"


def test_an_error_shows_the_line(assembler: Ptxas):
    with pytest.raises(PtxasError) as error:
        assembler.compile(asm_kernel("mov.u32 $0, %xyz;"), SM_90)
    text = str(error.value)
    assert "ptxas refused the PTX, line " in text
    assert "Unknown symbol '%xyz'" in text
    assert "> " in text
    assert "mov.u32 %r1, %xyz;" in text
    assert error.value.messages[0].line is not None


def test_an_error_shows_the_origin(assembler: Ptxas):
    ptx = (
        ".version 8.6\n.target sm_90a\n.address_size 64\n"
        '.file 1 "/src/kernel.mlir"\n'
        ".visible .entry k()\n{\n  .loc 1 7 3\n  foo;\n  ret;\n}\n"
    )
    with pytest.raises(PtxasError) as error:
        assembler.compile(ptx, SM_90)
    assert str(error.value).endswith("made from /src/kernel.mlir:7:3")


def test_an_error_without_a_line(assembler: Ptxas):
    with pytest.raises(PtxasError, match="ptxas refused the PTX: Unknown option '-nonsense'"):
        assembler.compile(asm_kernel("mov.u32 $0, 1;"), SM_90, options=["--nonsense"])


def test_slow_code_is_flagged(assembler: Ptxas):
    ptx = asm_kernel("setmaxnreg.inc.sync.aligned.u32 240; mov.u32 $0, 1;")
    (message,) = assembler.compile(ptx, SM_90).slow
    assert (message.kind, message.code, message.is_slow) == ("info", "C7508", True)


@pytest.mark.parametrize(
    ("code", "text", "is_slow"),
    [
        ("C7512", "Potential Performance Loss: wgmma.mma_async instructions are serialized", True),
        ("C7518", "Potential Performance Loss: wgmma.mma_async instructions are serialized", True),
        ("C7508", "Potential Performance Loss: 'setmaxnreg' ignored; unable to determine", True),
        ("C7517", "wgmma.wait_group is injected in around line 546 by compiler to allow", True),
        (None, "Instruction 'x' is old", False),
    ],
)
def test_what_is_slow(code: str | None, text: str, is_slow: bool):
    assert PtxasMessage("info", text, code=code).is_slow == is_slow


def test_log():
    log = """\
ptxas kernel.ptx, line 12; warning : Instruction 'x' is old
ptxas info    : (C7512) Potential Performance Loss: wgmma.mma_async instructions are serialized
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k2' for 'sm_90a'
ptxas info    : Function properties for k2
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 256 bytes smem
ptxas info    : Compile time = 13.595 ms
ptxas info    : Function properties for g
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'k' for 'sm_90a'
ptxas info    : Function properties for k
    256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 256 bytes cumulative stack size
"""
    messages, functions = parse_log(log)
    assert messages == (
        PtxasMessage("warning", "Instruction 'x' is old", 12),
        PtxasMessage(
            "info",
            "Potential Performance Loss: wgmma.mma_async instructions are serialized",
            code="C7512",
        ),
    )
    assert [message.is_slow for message in messages] == [False, True]
    assert functions == {
        "k2": FunctionUsage(10, 1, 256, 16, 4, 8),
        "g": FunctionUsage(),
        "k": FunctionUsage(registers=8, stack=256),
    }


def fake_ptxas(folder: Path) -> Path:
    path = folder / "ptxas"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\necho nonsense\n")
    path.chmod(0o755)
    return path


def test_order_of_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, assembler: Ptxas):
    variable, home, path = (fake_ptxas(tmp_path / name / "bin") for name in ("v", "home", "path"))
    monkeypatch.setenv("PATH", str(path.parent))
    monkeypatch.setenv("CUDA_HOME", str(home.parent.parent))
    monkeypatch.setenv(ptxas.PTXAS_VARIABLE, str(variable))
    assert Ptxas.find().path == variable
    monkeypatch.delenv(ptxas.PTXAS_VARIABLE)
    assert Ptxas.find().path == assembler.path
    monkeypatch.setattr(libdevice, "nvidia_package_folders", lambda: iter(()))
    assert Ptxas.find().path == home
    monkeypatch.delenv("CUDA_HOME")
    assert Ptxas.find().path == path
    with pytest.raises(MissingToolError, match="is not ptxas, its version cannot be read"):
        _ = Ptxas.find().version
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match="pip install 'tileiras-xdsl\\[cubin\\]', or set"):
        Ptxas.find()


def test_a_variable_that_names_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv(ptxas.PTXAS_VARIABLE, str(tmp_path / "nothing"))
    with pytest.raises(MissingToolError, match=r"^TILEIRAS_XDSL_PTXAS is .*, which is not a file"):
        Ptxas.find()


def test_a_file_that_does_not_run(tmp_path: Path):
    (tmp_path / "ptxas").write_text("")
    with pytest.raises(MissingToolError, match="ptxas cannot be run: "):
        Ptxas(tmp_path / "ptxas").compile("", SM_90)
