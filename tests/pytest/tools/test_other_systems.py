"""
What needs Linux says so, and nothing else does: commands on a Linux without what only POSIX has.

Modules of others are imported first; they have code of their own for each system.
"""

import pytest

from ..harness.commands import python

SYSTEM = """
import llvmlite.binding, multiprocessing.connection, multiprocessing.sharedctypes, numpy, tempfile
import os, signal, socket, subprocess, sys
subprocess.Popen.kill = subprocess.Popen.terminate
for module, names in {
    os: "fork getuid geteuid killpg setsid sched_getaffinity sched_setaffinity sysconf uname",
    signal: "SIGALRM SIGHUP SIGKILL SIGPIPE setitimer",
    socket: "AF_UNIX socketpair",
}.items():
    for name in names.split():
        delattr(module, name)
sys.modules |= dict.fromkeys(("fcntl", "grp", "pwd", "resource", "termios"))
sys.platform = sys.argv.pop(1)
"""
RUN = """
import tileiras_xdsl as tx
example = tx.examples["softmax"]
# Compiled code calls a function of Windows there.
for engine in ("interpreter", "jit") if sys.platform == "darwin" else ("interpreter",):
    arguments = example.make_args()
    tx.run(example, example.grid, arguments, engine=engine)
    example.check(arguments)
"""
COMMAND = """
from tileiras_xdsl.driver.service.client import main
sys.exit(main())
"""
PROGRAM = "src/tileiras_xdsl/driver/demos/softmax.tileirbc"


@pytest.mark.part("processes")
@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_what_needs_linux_says_so(system: str):
    python("-c", SYSTEM + RUN, system)
    words = (system, PROGRAM, "--gpu-name=sm_90", "--emit=ptx", "-o", "-")
    assert ".visible .entry softmax(" in python("-c", SYSTEM + COMMAND, *words).out
    for verb in ("status", "stop"):
        ran = python("-c", SYSTEM + COMMAND, system, "--server", verb, check=False)
        assert (ran.code, "compile servers need Linux" in ran.err) == (1, True)
