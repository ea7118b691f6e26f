"""
Assertions as threads execute them: what is printed, how often, and that the program ends there.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tileiras_xdsl import load
from tileiras_xdsl.frontend.bytecode import write
from tileiras_xdsl.interpreter.errors import ExecutionError
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.pipeline import ModuleStage

from ...harness.modules import parse
from ...harness.passes import compile_threads, lower

MESSAGE = "100% of `them`"

SCALAR = """
  entry @k(%p: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %x, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %c = cmpi greater_than %x, %zero, signed : tile<i32> -> tile<i1>
    assert %c, "MESSAGE" : tile<i1> loc("kernel.py":12:3)
    %u = store_ptr_tko weak %p, %zero token=%t : tile<ptr<i32>>, tile<i32> -> token
    return
  }
"""
TILE = """
  entry @k(%p: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<SIZExi32>
    %i = iota : tile<SIZExi32>
    %r = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %b = broadcast %r : tile<1xptr<i32>> -> tile<SIZExptr<i32>>
    %q = offset %b, %i : tile<SIZExptr<i32>>, tile<SIZExi32> -> tile<SIZExptr<i32>>
    %x, %t = load_ptr_tko weak %q : tile<SIZExptr<i32>> -> tile<SIZExi32>, token
    %c = cmpi greater_than %x, %zero, signed : tile<SIZExi32> -> tile<SIZExi1>
    assert %c, "MESSAGE" : tile<SIZExi1> loc("kernel.py":12:3)
    %u = store_ptr_tko weak %q, %zero token=%t : tile<SIZExptr<i32>>, tile<SIZExi32> -> token
    return
  }
"""
SIZES = (1, 2, 16, 128, 1024)


def program(size: int | None, message: str = MESSAGE) -> str:
    """A kernel that takes positive numbers, one or a tile of them, and makes them zeros."""
    body = SCALAR if size is None else TILE.replace("SIZE", str(size))
    return f"cuda_tile.module @m {{{body.replace('MESSAGE', message)}}}"


@pytest.mark.every(7)
@pytest.mark.parametrize("stage", ["nvgpu", "nvvm"])
@pytest.mark.parametrize("opt", [0, 3])
@pytest.mark.parametrize("size", [None, *SIZES])
def test_one_line_says_what_failed(
    size: int | None, opt: int, stage: ModuleStage, capsys: pytest.CaptureFixture[str]
):
    """Also where several threads hold the element that fails."""
    module = lower(load(program(size)), stage, opt=opt)
    numbers = np.ones(size or 1, np.int32)
    run(module, grid=1, args=[numbers])
    assert not numbers.any()
    assert capsys.readouterr().out == ""

    numbers[:] = 1
    numbers[-1] = -1
    with pytest.raises(ExecutionError, match=r"failed: kernel\.py:12: k: block: .*100% of `them`"):
        run(module, grid=(1, 2), args=[numbers])
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("kernel.py:12: k: block: [0,0,0], thread: [")
    assert line.endswith(f",0,0] Assertion `{MESSAGE}` failed.")


def test_every_thread_that_fails_prints(capsys: pytest.CaptureFixture[str]):
    module = lower(load(program(32)), "nvvm")
    with pytest.raises(ExecutionError, match="100% of `them`"):
        run(module, grid=1, args=[np.zeros(32, np.int32)])
    lines = capsys.readouterr().out.splitlines()
    assert len(set(lines)) == len(lines) > 1


def test_neither_message_nor_location(capsys: pytest.CaptureFixture[str]):
    text = program(None, "").replace('loc("kernel.py":12:3)', "loc(unknown)")
    module = parse(text)
    for op in module.walk():
        op.location = module.location
    with pytest.raises(ExecutionError, match="Assertion failed"):
        run(lower(module, "nvvm"), grid=1, args=[np.zeros(1, np.int32)])
    line = "k: block: [0,0,0], thread: [0,0,0] Assertion failed.\n"
    assert capsys.readouterr().out.endswith(line)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
def test_instructions(arch: str):
    """The driver prints messages of `__assertfail` to standard error."""
    ptx = compile_threads(lower(load(program(128)), "nvgpu", arch=arch), arch)
    body = ptx[ptx.index(".entry k(") :]
    assert body.index("vprintf") < body.index("nanosleep") < body.index("trap;")
    assert "__assertfail" not in ptx


@pytest.mark.oracle
def test_tileiras_prints_as_well(oracle_program: Callable[[str], Path], tmp_path: Path):
    """Of NVIDIA's compiler, only what its cubins ask of the driver is looked at."""
    (tmp_path / "in").write_bytes(write(load(program(128))))
    command = [oracle_program("tileiras"), "in", "--gpu-name=sm_90", "-o", "out"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    cubin = (tmp_path / "out").read_bytes()
    assert b"\0vprintf\0" in cubin
    assert b"__assertfail" not in cubin
    assert b"of `them`" in cubin
