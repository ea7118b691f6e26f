"""
Whether two versions of the compiler generate the same code.

    python benchmarks/same_code.py [REVISION] [--only SUBSTRING] [--gpu sm_90,sm_100] [--sample N]
        [--jobs 2] [--diff]

Compiles the kernels of `benchmarks/gpu/bytecode` and of `tests/corpus/bytecode` to PTX, for both
ABIs and several architectures, with the compiler of a git revision (default: HEAD) and with that of
the working tree, and lists what differs: another text, an error in one of them only, another
message. The exit code is 1 if something does.

What a revision generates is kept in `build/same_code`, so that only the working tree is compiled
again. `--sample` takes every so many-th pair of kernel and target. `--diff` prints the first
lines that differ. ptxas is not run.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from itertools import islice, product
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "benchmarks/gpu/bytecode", ROOT / "tests/corpus/bytecode/13.4")
KEPT = ROOT / "build/same_code"
GPUS = "sm_80,sm_90,sm_100,sm_120"
ABIS = ("device-maps", "host-maps")
DIFF_LINES = 20


@dataclass(frozen=True)
class Case:
    """A kernel, and what it is compiled for."""

    path: Path
    gpu: str
    abi: str

    def __str__(self) -> str:
        return f"{self.path.stem} {self.gpu} {self.abi}"

    @property
    def file(self) -> str:
        """The name of the file that keeps the code."""
        return f"{self.path.parent.name}-{self.path.stem}-{self.gpu}-{self.abi}.gz"


def find_cases(gpus: Sequence[str], only: str, sample: int) -> list[Case]:
    """All cases whose description contains a text, or every so many-th of them."""
    paths = [path for folder in FOLDERS for path in sorted(folder.glob("*.tileirbc"))]
    cases = (Case(*choice) for choice in product(paths, gpus, ABIS))
    return [case for case in cases if only in str(case)][::sample]


def work() -> None:
    """Compiles what standard input names with the compiler that is importable, a line each."""
    try:
        main = import_module("tileiras_xdsl.driver.tools.tileiras_xdsl").main
    except ModuleNotFoundError:
        # Where a revision before 0.2.0 has it.
        main = import_module("tileiras_xdsl.tools.tileiras_xdsl").main

    # The compiler may print; answers go to what was standard output.
    answers, sys.stdout = sys.stdout, sys.stderr
    with TemporaryDirectory() as folder:
        output = Path(folder, "code.ptx")
        for line in sys.stdin:
            path, gpu, abi = json.loads(line)
            output.unlink(missing_ok=True)
            said = io.StringIO()
            options = ["--emit=ptx", f"--gpu-name={gpu}", f"--abi={abi}", "--no-cache"]
            with contextlib.redirect_stderr(said):
                code = main([path, *options, "-o", str(output)])
            text = output.read_text() if code == 0 else f"error: {said.getvalue()}"
            answers.write(json.dumps(text) + "\n")
            answers.flush()


class Compiler:
    """The compiler of one source folder, in several processes."""

    def __init__(self, source: Path, jobs: int):
        self.source = source
        self.free: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()
        for _ in range(jobs):
            self.free.put(self._start())

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, __file__, "--work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(self.source)},
        )

    def compile(self, case: Case) -> str:
        """PTX, or the error message."""
        process = self.free.get()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([str(case.path), case.gpu, case.abi]) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            process.wait()
            self.free.put(self._start())
            return f"error: the compiler ended with code {process.returncode}"
        self.free.put(process)
        return json.loads(answer)

    def close(self) -> None:
        """Ends the processes."""
        while not self.free.empty():
            self.free.get().communicate()


def git(*arguments: str) -> bytes:
    """What git prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


@contextlib.contextmanager
def source_of(revision: str) -> Generator[Path]:
    """A folder with the sources of a revision."""
    with TemporaryDirectory() as folder:
        archive = git("archive", revision, "src")
        subprocess.run(["tar", "x", "-C", folder], input=archive, check=True)
        yield Path(folder, "src")


def compile_revision(revision: str, cases: Sequence[Case], jobs: int) -> Path:
    """The folder that keeps what a revision generates for some cases, compiled where missing."""
    kept = KEPT / git("rev-parse", f"{revision}^{{commit}}").decode().strip()
    kept.mkdir(parents=True, exist_ok=True)
    missing = [case for case in cases if not (kept / case.file).exists()]
    if missing:
        with source_of(revision) as source, ThreadPoolExecutor(jobs) as threads:
            compiler = Compiler(source, jobs)
            for case, text in zip(missing, threads.map(compiler.compile, missing), strict=True):
                (kept / case.file).write_bytes(gzip.compress(text.encode()))
            compiler.close()
    return kept


def describe_difference(before: str, after: str) -> str:
    """What differs, in a line."""
    for text, when in ((before, "before"), (after, "now")):
        if text.startswith("error: "):
            return f"{when}: {text.splitlines()[0]}"
    lines = (before.splitlines(), after.splitlines())
    changed = sum(line[0] in "+-" for line in islice(difflib.unified_diff(*lines, n=0), 2, None))
    return f"{changed} lines differ, {len(lines[0])} before, {len(lines[1])} now"


def main() -> int:
    """Compares, and says what differs."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument("--only", default="", metavar="SUBSTRING")
    parser.add_argument("--gpu", default=GPUS)
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--diff", action="store_true")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work()
        return 0
    cases = find_cases(given.gpu.split(","), given.only, given.sample)
    kept = compile_revision(given.revision, cases, given.jobs)
    different = 0
    with ThreadPoolExecutor(given.jobs) as threads:
        compiler = Compiler(ROOT / "src", given.jobs)
        for case, after in zip(cases, threads.map(compiler.compile, cases), strict=True):
            before = gzip.decompress((kept / case.file).read_bytes()).decode()
            if before == after:
                continue
            different += 1
            print(f"{case}: {describe_difference(before, after)}", flush=True)
            if given.diff:
                lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=1)
                print("\n".join(islice(lines, 2, DIFF_LINES)))
        compiler.close()
    print(f"{len(cases)} compared, {different} differ")
    return min(different, 1)


if __name__ == "__main__":
    sys.exit(main())
