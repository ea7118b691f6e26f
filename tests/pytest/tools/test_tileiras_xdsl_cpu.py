"""Commands for this CPU: what they write, and the options that they do not take."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

import pytest

from tileiras_xdsl.backend.host import host
from tileiras_xdsl.driver.tools import tileiras_explore, tileiras_opt
from tileiras_xdsl.driver.tools.tileiras_opt import find_level
from tileiras_xdsl.driver.tools.tileiras_xdsl import compiles, main
from tileiras_xdsl.pipeline import cpu_steps
from tileiras_xdsl.targets.cpu import CPUS

from ..harness.commands import Directory, Run

VECTOR_ADD = str(files("tileiras_xdsl.driver.demos") / "vector_add.tileirbc")


@pytest.fixture
def run(directory: Directory) -> Run:
    """Runs the tool for this CPU."""
    return lambda *arguments: directory.run(main, ["--target=cpu", *arguments])


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("tileaa", "nv_tileaa.tiled_load"),
        ("cpu", "llvm.func @vector_add"),
        ("llvm", "define void @vector_add"),
        ("asm", "vector_add:"),
    ],
)
def test_emit(run: Run, form: str, word: str):
    result = run(VECTOR_ADD, f"--emit={form}")
    assert (result.code, result.err) == (0, "")
    assert word in result.out
    assert run(VECTOR_ADD, f"--emit={form}", "-o", "file").code == 0
    # On a terminal, which this is not, text of modules would be wrapped.
    assert Path("file").read_text() == result.out


def test_object_code_is_the_default(run: Run):
    assert run(VECTOR_ADD) == run(VECTOR_ADD, "--emit=object", "-o", "k.o", "--no-cache")
    assert sorted(os.listdir()) == ["elf.o", "k.o"]
    assert Path("elf.o").read_bytes() == Path("k.o").read_bytes()
    assert b"vector_add" in Path("k.o").read_bytes()


@pytest.mark.parametrize(
    ("target", "word", "machine"),
    [("aarch64", "fadd\tv", 183), ("x86-64-v3", "ymm", 62), ("x86-64-v4", "zmm", 62)],
)
def test_other_cpus(directory: Directory, target: str, word: str, machine: int):
    arguments = [VECTOR_ADD, f"--target={target}", "--no-cache"]
    assert word in directory.run(main, [*arguments, "--emit=asm"]).out
    assert directory.run(main, [*arguments, "-o", "k.o"]).code == 0
    # What ELF calls the machine.
    assert int.from_bytes(Path("k.o").read_bytes()[18:20], "little") == machine
    bits = CPUS[target].vector_bits
    pipeline = directory.run(main, [f"--target={target}", "--print-pipeline"]).out
    assert f"cpu-lower-tiles{{vector-bits={bits} " in pipeline


def test_the_pipeline_does_the_same(run: Run, capsys: pytest.CaptureFixture[str]):
    pipeline = run("--print-pipeline", "--emit=cpu").out.strip()
    assert f"cpu-lower-tiles{{vector-bits={host().vector_bits} " in pipeline
    wanted = run(VECTOR_ADD, "--emit=cpu").out
    tileiras_opt.main([VECTOR_ADD, "-p", pipeline])
    assert capsys.readouterr().out.strip() == wanted.strip()


def test_ir_after_passes(run: Run):
    result = run(VECTOR_ADD, "--print-ir-after=read,cpu-lower-tiles", "--emit=asm")
    assert result.code == 0
    first, second = result.err.split("// -----// IR Dump After ")[1:]
    assert first.startswith("read //----- //")
    assert "cuda_tile.entry @vector_add" in first
    assert second.startswith("cpu-lower-tiles //----- //")
    everything = run(VECTOR_ADD, "--print-ir-after-all", "--emit=object").err
    assert everything.count("IR Dump After") == len(cpu_steps()) + 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--emit=ptx"], "--emit=ptx is not for a CPU (expected one of tileaa, cpu, llvm, asm, "),
        (["--gpu-name=sm_90"], "--gpu-name is not for a CPU"),
        (["-O2"], "--opt-level is not for a CPU"),
        (["--validate"], "--validate is not for a CPU"),
        (["--remarks=all"], "--remarks is not for a CPU"),
        (["--print-ir-after=convert-tileas-to-nvgpu"], "there is no pass 'convert-tileas-to-"),
    ],
)
def test_options_of_gpus(run: Run, arguments: list[str], message: str):
    result = run(VECTOR_ADD, *arguments)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"error: {message}")
    assert result.err.count("\n") == 1
    assert not compiles(["--target=cpu", VECTOR_ADD, *arguments])


def test_forms_of_cpus_are_not_for_gpus(directory: Directory):
    result = directory.run(main, [VECTOR_ADD, "--gpu-name=sm_90", "--emit=asm"])
    assert result.code == 1
    assert result.err.startswith("error: --emit=asm is not for GPUs (expected one of ")


def test_compile_servers_take_it():
    assert compiles(["--target=cpu", VECTOR_ADD])


def test_errors_are_one_line(run: Run):
    Path("in.mlir").write_text("cuda_tile.module @m { what }\n")
    result = run("in.mlir")
    assert (result.code, result.out) == (1, "")
    assert result.err == "in.mlir:1:23: error: Operation what is not registered\n"
    assert os.listdir() == ["in.mlir"]


def test_the_list_of_passes_has_it():
    assert find_level("cpu-lower-tiles") == "nv_tileaa"


def test_explore(directory: Directory):
    options = [VECTOR_ADD, "--gpu-name=cpu"]
    result = directory.run(tileiras_explore.main, [*options, "-o", "page.html"])
    assert result.code == 0
    assert "wrote page.html (10 passes, " in result.err
    result = directory.run(tileiras_explore.main, [*options, "-O1", "-o", "other.html"])
    assert (result.code, result.out) == (1, "")
    assert result.err.endswith("error: opt, abi, passes and insert are for GPUs only\n")
    assert os.listdir() == ["page.html"]
