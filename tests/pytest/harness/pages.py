"""
Runs what a page of the documentation shows, as it is printed.

A page is Markdown. Its blocks run from the first to the last in one folder, those of Python in one
namespace. What a reader does not need to see is in comments of HTML:

    <!-- files: gemm.tileirbc=docs/notebooks/gemm.tileirbc -->   what lies in the folder
    <!-- setup: from kernels import scale -->                    Python that runs here
    <!-- file: sums.mlir -->        above a block: it is written to that file, and not run
    <!-- from: src/PATH.py -->      above a block: it stands in that file, and is not run
    <!-- not run: needs a GPU -->   above a block or `setup`: the reason is required

Each page runs in a process with a home of its own, which ends with all that it has started when
time is up.

    python -m tests.pytest.harness.pages docs/usage.md    # prints what does not hold
    python -m tests.pytest.harness.pages --gpu            # pages with blocks that need a GPU
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tileiras_xdsl.frontend.load import load

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"

RUN = ("python", "pycon", "console")
"""Languages that are run. A block of `mlir` is parsed and verified."""

SHOWN = ("bash", "c", "json", "llvm", "mlir", "ptx", "text", "toml", "yaml")
"""Languages that are not run."""

GPU = "needs a GPU"
"""The reason of blocks that run on a machine with a GPU only."""

SECONDS = 300
"""The limit for a page. The longest takes 48 seconds of a processor, and others may use it, too."""

OF_THE_USER = ("XDG_", "TILEIRAS_XDSL_CACHE", "TILEIRAS_XDSL_REPRODUCERS", "TILEIRAS_XDSL_SERVER")
"""Beginnings of variables that name folders and settings of the user, which no page sees."""

NOT_RUN = re.compile(r"(?:^|[;&|({`]\s*|\s-m\s*)(?:\S*/)?(?:make|pip|git|rm)\b")
"""
Commands that change the environment, remove files or run all tests, wherever they are in a line:
`pip uninstall` after a semicolon removes the package from the environment that runs the tests.
"""

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w-]*)[^`]*$")
COMMENT = re.compile(r"<!--\s*(file|files|from|setup|not run):\s*(.*?)\s*-->", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block, or a comment `files` or `setup`."""

    page: Path
    line: int
    language: str
    text: str
    marks: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.line}"

    @property
    def reason(self) -> str | None:
        """Why the block is not run."""
        return self.marks.get("not run")

    @property
    def needs_gpu(self) -> bool:
        return (self.reason or "").startswith(GPU)


def find_pages() -> list[Path]:
    """All pages that people write, without dated ones."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
    return [page for page in pages if not {"reference", "journal"} & set(page.parts)]


def blocks_of(page: Path) -> Iterator[Block]:
    """The blocks of a page, and its comments `files` and `setup`, in order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    marks: dict[str, str] = {}
    number = 0
    while number < len(lines):
        first, number = number, number + 1
        if (fence := FENCE.match(lines[first])) is not None:
            end = f"{fence['indent']}```"
            while lines[number] != end:
                number += 1
            inside = (line.removeprefix(fence["indent"]) for line in lines[first + 1 : number])
            text = "".join(f"{line}\n" for line in inside)
            yield Block(page, first + 2, fence["language"], text, marks)
            marks, number = {}, number + 1
        elif lines[first].startswith("<!--"):
            while "-->" not in lines[number - 1]:
                number += 1
            comment = COMMENT.match("\n".join(lines[first:number]))
            if comment is not None and comment[1] in ("files", "setup"):
                yield Block(page, first + 1, comment[1], comment[2], marks)
                marks = {}
            elif comment is not None:
                marks = {**marks, comment[1]: comment[2]}
        elif lines[first]:
            marks = {}


def prose_of(page: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page that are not in blocks or comments, with their numbers."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    is_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if FENCE.match(line) is not None:
            is_code = not is_code
        elif not is_code:
            yield number, line


def matches(expected: str, printed: str) -> bool:
    """Whether a text is the expected one; `…` is any text, and white space a space."""
    parts = (re.escape(" ".join(part.split())) for part in expected.split("…"))
    pattern = r"\s*.*\s*".join(parts).replace(r"\ ", r"\s+")
    return re.fullmatch(rf"\s*{pattern}\s*", printed, re.DOTALL) is not None


def commands_of(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a block `console`, each with what it prints, if that is shown."""
    command, output = "", ""
    for line in text.splitlines(keepends=True):
        if command.endswith("\\\n"):
            command += line
        elif line.startswith("$ "):
            if command:
                yield command, output
            command, output = line.removeprefix("$ "), ""
        else:
            output += line
    yield command, output


class PageRun:
    """The blocks of a page, run in a folder."""

    def __init__(self, folder: Path, *, gpu: bool = False):
        self.folder = folder
        self.gpu = gpu
        self.scope: dict[str, Any] = {"__name__": "page"}
        for name in ("benchmarks", "docs", "examples", "src", "tests"):
            (folder / name).symlink_to(ROOT / name)
        (folder / ".venv").symlink_to(sys.prefix)

    def problems(self, page: Path) -> Iterator[str]:
        """What does not do as the page says."""
        sys.path.insert(0, str(self.folder))
        try:
            with contextlib.chdir(self.folder):
                for block in blocks_of(page):
                    if block.reason is None or (self.gpu and block.needs_gpu):
                        yield from (f"{block.place}: {text}" for text in self.run(block))
        finally:
            sys.path.remove(str(self.folder))

    def run(self, block: Block) -> Iterator[str]:
        """Runs a block."""
        if "from" in block.marks:
            return
        if "file" in block.marks:
            (self.folder / block.marks["file"]).write_text(block.text, encoding="utf-8")
        elif block.language == "files":
            for entry in block.text.split():
                name, _, source = entry.rpartition("=")
                path = ROOT / source
                shutil.copyfile(path, self.folder / (name or path.name))
        elif block.language == "setup":
            yield from self.run_python(block)
        elif block.language in ("python", "pycon"):
            is_session = block.text.startswith(">>>")
            yield from self.run_session(block) if is_session else self.run_python(block)
        elif block.language == "console":
            yield from self.run_commands(block)

    def run_python(self, block: Block) -> Iterator[str]:
        """Runs code from a file: the sources of kernels are read."""
        path = self.folder / f"{block.page.stem}_{block.line}.py"
        path.write_text(block.text, encoding="utf-8")
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.text, path, "exec"), self.scope)
        except Exception:
            yield traceback.format_exc(limit=-2)

    def run_session(self, block: Block) -> Iterator[str]:
        """Runs a session of the interpreter, and compares what it prints."""
        for example in doctest.DocTestParser().get_examples(block.text):
            printed = io.StringIO()
            try:
                with contextlib.redirect_stdout(printed):
                    exec(compile(example.source, block.place, "single"), self.scope)
            except Exception as error:
                printed.write("".join(traceback.format_exception_only(error)))
            if not matches(example.want, printed.getvalue()):
                yield f"{example.source}prints:\n{printed.getvalue()}"

    def run_commands(self, block: Block) -> Iterator[str]:
        """
        Runs commands by one shell, and compares what each prints, where that is shown. One that is
        shown to end with an error has to fail.
        """
        commands = list(commands_of(block.text))
        mark = f"end of {block.place}"
        script = "".join(
            "" if NOT_RUN.search(command) else f'{{ {command}}} 2>&1\necho "{mark} $?"\n'
            for command, _ in commands
        )
        text = subprocess.run(
            ["bash", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        ).stdout
        outputs = re.split(rf"{re.escape(mark)} (\d+)\n", text)
        ends = iter(zip(outputs[::2], outputs[1::2], strict=False))
        for command, expected in commands:
            if NOT_RUN.search(command):
                continue
            printed, code = next(ends, (text, "no"))
            should_fail = re.search(r"\berror:", expected) is not None
            if should_fail == (code == "0"):
                yield f"{command}exits with {code}:\n{printed[-2000:]}"
            elif expected and not matches(expected, printed):
                yield f"{command}prints:\n{printed[:4000]}"


def environment_in(folder: Path) -> dict[str, str]:
    """The environment of a page: its files and the sockets of its servers are in a folder."""
    places = {
        "HOME": folder / ".home",
        "XDG_CACHE_HOME": folder / ".home" / ".cache",
        "XDG_RUNTIME_DIR": folder / ".run",
        "TMPDIR": folder / ".tmp",
    }
    for place in places.values():
        place.mkdir(mode=0o700, parents=True)
    return {
        **{name: text for name, text in os.environ.items() if not name.startswith(OF_THE_USER)},
        **{name: str(place) for name, place in places.items()},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        # A server leaves the process group of its command, and would outlive the page.
        "TILEIRAS_XDSL_SERVER_IDLE": "10",
    }


def run_page(page: Path, *, gpu: bool = False, seconds: float = SECONDS) -> str:
    """Runs a page in a process and a folder of its own; returns what does not do as it says."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        inside = [*(["--gpu"] if gpu else []), "--folder", folder, str(page.resolve())]
        with subprocess.Popen(
            [sys.executable, "-m", "tests.pytest.harness.pages", *inside],
            cwd=ROOT,
            env=environment_in(Path(folder)),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                text, _ = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                text, _ = process.communicate()
                return f"{text}{page.name} takes more than {seconds} seconds\n"
            finally:
                # What the page has started is not to outlive it.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        # Libraries may log something where all is well.
        return "" if process.returncode == 0 else text or f"{page.name} ends its process\n"


def source_problems(page: Path) -> Iterator[str]:
    """Blocks that do not stand in the file they are from; a line `…` leaves something out."""
    for block in blocks_of(page):
        if "from" in block.marks:
            source = (ROOT / block.marks["from"]).read_text(encoding="utf-8")
            parts = re.split(r"^\s*(?:# )?…$", block.text, flags=re.MULTILINE)
            if not all(part.strip("\n") in source for part in parts):
                yield f"{block.place}: not in {block.marks['from']}"


def ir_problems(page: Path) -> Iterator[str]:
    """Blocks of `mlir` that do not parse or verify."""
    for block in blocks_of(page):
        if block.language == "mlir" and block.reason is None:
            try:
                load(block.text).verify()
            except Exception as error:
                yield f"{block.place}: {error}"


def language_problems(page: Path) -> Iterator[str]:
    """Blocks without a language, and reasons that are none."""
    for block in blocks_of(page):
        if block.language not in (*RUN, *SHOWN, "files", "setup"):
            yield f"{block.place}: language {block.language!r}"
        if block.reason is not None and len(block.reason) < 5:
            yield f"{block.place}: no reason why it is not run"


def main() -> int:
    """Runs pages, and prints what goes wrong."""
    parser = argparse.ArgumentParser(description="Runs the blocks of pages of the documentation.")
    parser.add_argument("--gpu", action="store_true", help="run blocks that need a GPU as well")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="the limit for a page")
    parser.add_argument("--folder", type=Path, help="run one page in this process, in this folder")
    parser.add_argument("pages", nargs="*", type=Path, help="those with such blocks by default")
    arguments = parser.parse_args()
    failed = False
    if arguments.folder:
        (page,) = arguments.pages
        for problem in PageRun(arguments.folder, gpu=arguments.gpu).problems(page):
            print(problem, flush=True)
            failed = True
        return int(failed)
    pages: list[Path] = arguments.pages or [
        page for page in find_pages() if any(block.needs_gpu for block in blocks_of(page))
    ]
    for page in pages:
        problems = run_page(page, gpu=arguments.gpu, seconds=arguments.seconds)
        print(problems, end="")
        failed |= problems != ""
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
