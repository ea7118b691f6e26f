"""Without the package `tileiras_interop`, a pass says that a program needs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[3] / "src"
PROGRAMS = {
    "convert-nvgpu-to-nvvm": "%b = nvgpu.mbarrier.create : !nvgpu.mbarrier",
    "convert-to-llvm": """
        func.func @f(%x: memref<8xf32>, %i: index) {
          %v = memref.load %x[%i] : memref<8xf32>
          func.return
        }
    """,
    "convert-tileaa-to-tileas": """
        func.func @f() {
          %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
          func.return
        }
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_package_is_named(name: str):
    command = [sys.executable, "-m", "tileiras_xdsl.driver.tools.tileiras_opt", "-p", name]
    run = subprocess.run(
        command,
        input=PROGRAMS[name],
        env={"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "need the package 'tileiras_interop', see docs/interop.md" in run.stderr
