"""Code generation in a process that LLVM may end."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from types import ModuleType

import pytest

from tileiras_xdsl.backend import nvptx, worker
from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.backend.libdevice import LIBDEVICE_VARIABLE
from tileiras_xdsl.backend.target import NvptxTarget

from ..harness.commands import python
from .kernels import kernel

SM_90 = NvptxTarget.parse("sm_90")

FATAL = (
    "define ptx_kernel void @k(i32 %n) {\n"
    '  call void asm sideeffect "mov.u32 %r1, $3;", "r"(i32 %n)\n'
    "  ret void\n}\n"
)
"""LLVM ends the process that generates code for it."""


def test_the_worker_gives_what_llvm_gives_here():
    source = kernel("reverse")
    assert worker.compile_to_ptx(source, SM_90).ptx == nvptx.compile_to_ptx(source, SM_90)


def test_llvm_may_end_the_worker():
    for _ in range(2):
        with pytest.raises(
            BackendError, match=r"LLVM cannot generate code for sm_90a: Invalid .* operand number"
        ):
            worker.compile_to_ptx(FATAL, SM_90)
        assert ".entry" in worker.compile_to_ptx(kernel("reverse"), SM_90).ptx


def test_the_worker_passes_errors_on():
    with pytest.raises(BackendError, match=r"^LLVM IR does not parse, line 1:1: "):
        worker.compile_to_ptx("nonsense", SM_90)


@pytest.mark.oracle
def test_workers_have_the_surroundings_of_the_request(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, oracle_module: Callable[[str], ModuleType]
):
    """Whatever they were when the worker was started, and for libdevice before."""
    oracle_module("nvidia.cu13.nvvm")
    monkeypatch.setattr(worker, "POOL", worker.WorkerPool())
    try:
        assert ".entry" in worker.compile_to_ptx(kernel("sine"), SM_90).ptx
        monkeypatch.setenv(LIBDEVICE_VARIABLE, str(tmp_path / "nothing.bc"))
        with pytest.raises(BackendError, match=f"{LIBDEVICE_VARIABLE} is .*nothing.bc, which is"):
            worker.compile_to_ptx(kernel("sine"), SM_90)
        monkeypatch.chdir(tmp_path)
        (tmp_path / "own.bc").write_bytes(b"no bitcode")
        monkeypatch.setenv(LIBDEVICE_VARIABLE, "own.bc")
        with pytest.raises(BackendError, match=r"own\.bc is not libdevice"):
            worker.compile_to_ptx(kernel("sine"), SM_90)
        monkeypatch.delenv(LIBDEVICE_VARIABLE)
        assert ".entry" in worker.compile_to_ptx(kernel("sine"), SM_90).ptx
    finally:
        worker.POOL.close()


def test_workers_are_used_again_and_end_with_the_process():
    code = (
        "from tileiras_xdsl.backend.worker import POOL, compile_to_ptx; import sys; "
        "from tileiras_xdsl.backend.target import NvptxTarget; "
        "ptx = [compile_to_ptx(sys.argv[1], NvptxTarget.parse('sm_90')).ptx for _ in range(3)]; "
        "assert len(POOL._idle) == 1; print(POOL._idle[0]._process.pid)"
    )
    child = python("-W", "error", "-c", code, kernel("reverse"))
    assert child.err == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(child.out), 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_processes_do_not_share_workers():
    code = """
import os, sys
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.worker import compile_to_ptx
ptx = lambda: compile_to_ptx(sys.argv[1], NvptxTarget.parse("sm_90")).ptx
expected = ptx()
child = os.fork()
if child == 0:
    os._exit(0 if ptx() == expected else 1)
assert ptx() == expected
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    python("-c", code, kernel("reverse"))


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_workers_end_when_the_process_is_killed():
    # Another process holds the pipe, so the worker does not see its end, as if LLVM were busy.
    code = (
        "import os, subprocess; from tileiras_xdsl.backend.worker import SpawnedWorker; "
        "worker = SpawnedWorker()._process; holder = subprocess.Popen(['sleep', '30'], "
        "stdout=subprocess.DEVNULL, pass_fds=[worker.stdin.fileno()]); "
        "print(worker.pid, holder.pid, flush=True); import time; time.sleep(1); "
        "os.kill(os.getpid(), 9)"
    )
    child = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pid, holder = map(int, child.stdout.split())

    def lives() -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    try:
        deadline = monotonic() + 60
        while lives() and monotonic() < deadline:
            sleep(0.1)
        assert not lives()
    finally:
        os.kill(holder, 9)
