"""
Seconds and megabytes that `tileiras-xdsl` takes for kernels with very large tiles.

    python benchmarks/compile_limits.py [KERNEL …] [--gpu sm_90] [--seconds 20] [--megabytes 2048]

Each kernel of `tests/pytest/harness/stress_kernels.py` is compiled to a cubin by a command of its
own, without a cache.

| column | is |
| --- | --- |
| seconds | wall time of the command |
| cpu | processor time of the command and its children |
| passes, llvm, ptxas | where it went, as `--time-passes` says |
| MB | the most memory that the command and its children had at once |

The exit code is 1 if a kernel is refused, or is above a limit. A command is killed after `--kill`
seconds, so that its row is `timeout`.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.pytest.harness.stress_kernels import KERNELS, make

POLL_SECONDS = 0.05
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Outcome:
    """What became of a compilation."""

    seconds: float = 0.0
    cpu: float = 0.0
    megabytes: float = 0.0
    parts: dict[str, float] = field(default_factory=dict[str, float])
    error: str = ""


def process_tree(root: int) -> Iterator[int]:
    """A process and all that it started."""
    yield root
    for children in Path(f"/proc/{root}/task").glob("*/children"):
        try:
            found = children.read_text().split()
        except OSError:
            continue
        for child in found:
            yield from process_tree(int(child))


def resident_megabytes(root: int) -> float:
    """The memory of a process and its children, now."""
    pages = 0
    for process in process_tree(root):
        try:
            pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
        except OSError:
            continue
    return pages * PAGE / 2**20


def children_seconds() -> float:
    """Processor time of all processes that ended so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compile_kernel(name: str, gpu: str, kill: float) -> Outcome:
    """Compiles a kernel by the command, and watches it."""
    outcome = Outcome()
    with TemporaryDirectory() as folder:
        source, log = Path(folder, "kernel.mlir"), Path(folder, "log")
        source.write_text(make(name).text())
        command = [sys.executable, "-m", "tileiras_xdsl.driver.tools.tileiras_xdsl", str(source)]
        command += ["--gpu-name", gpu, "--no-cache", "--time-passes"]
        start, before = perf_counter(), children_seconds()
        with log.open("w") as stream:
            child = subprocess.Popen(
                [*command, "-o", f"{folder}/kernel.cubin"],
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )
            while child.poll() is None:
                outcome.megabytes = max(outcome.megabytes, resident_megabytes(child.pid))
                if perf_counter() - start > kill:
                    for process in reversed([*process_tree(child.pid)]):
                        os.kill(process, 9)
                    child.wait()
                    outcome.error = "timeout"
                sleep(POLL_SECONDS)
        outcome.seconds = perf_counter() - start
        outcome.cpu = children_seconds() - before
        text = log.read_text()
        if child.returncode and not outcome.error:
            lines = [line for line in text.splitlines() if "error" in line]
            outcome.error = (lines or text.splitlines() or ["failed"])[-1]
        outcome.parts = split_times(text)
    return outcome


def split_times(log: str) -> dict[str, float]:
    """Seconds of passes, LLVM and ptxas, of what `--time-passes` printed."""
    parts = {"passes": 0.0, "llvm": 0.0, "ptxas": 0.0}
    for line in log.splitlines():
        words = line.split()
        if len(words) < 2 or not re.fullmatch(r"[\d.]+", words[0]):
            continue
        name = words[-1]
        if name == "total":
            continue
        part = "ptxas" if name == "ptxas" else "llvm" if name.startswith("llvm-") else "passes"
        parts[part] += float(words[0]) / 1000
    return parts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", help="names, or parts of names; all without")
    parser.add_argument("--gpu", default="sm_90")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--megabytes", type=float, default=2048.0)
    parser.add_argument("--kill", type=float, default=120.0)
    parser.add_argument(
        "--busy",
        action="store_true",
        help="limit processor time instead of wall time, on a machine that does other things",
    )
    options = parser.parse_args()
    names = [
        name
        for name in KERNELS
        if not options.kernels or any(part in name for part in options.kernels)
    ]
    columns = ("seconds", "cpu", "passes", "llvm", "ptxas", "MB")
    print(f"{'kernel':28}", *(f"{column:>8}" for column in columns))
    failed = False
    for name in names:
        outcome = compile_kernel(name, options.gpu, options.kill)
        taken = outcome.cpu if options.busy else outcome.seconds
        over = taken > options.seconds or outcome.megabytes > options.megabytes
        failed |= over or bool(outcome.error)
        cells = [f"{outcome.seconds:8.1f}", f"{outcome.cpu:8.1f}"]
        cells += [f"{outcome.parts[part]:8.1f}" for part in ("passes", "llvm", "ptxas")]
        cells += [f"{outcome.megabytes:8.0f}"]
        print(f"{name:28}", *cells, outcome.error or ("over" if over else ""), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
