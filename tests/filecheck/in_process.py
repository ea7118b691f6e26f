"""
A format of lit's tests that runs the tools in one process per test.

The imports of a tool take longer than what most tests do with it. So lit imports the tools once and
compiles a kernel with them, and a fork of its process is where all RUN lines of a test run: tools
have a `main` that is called, and what one prints is kept for the next one of a pipeline. Programs
that are no tools of ours run as processes. Of the shell there are `|`, `&&`, `not`, and `<`, `>`
and `2>&1`.
"""

from __future__ import annotations

import functools
import gc
import importlib
import io
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lit.formats
import lit.Test
from lit import TestRunner
from lit.ShCommands import Command, Pipeline, Seq
from lit.ShUtil import ShParser
from xdsl.universe import Universe

from tileiras_xdsl.backend.worker import POOL

TOOLS = {
    "filecheck": "filecheck.main",
    "shared": "shared",
    "tileiras-opt": "tileiras_xdsl.driver.tools.tileiras_opt",
    "verbatim": "verbatim",
    "xdsl-opt": "xdsl.tools.xdsl_opt",
}
"""The modules whose `main` is the program of that name."""
PACKAGES = ("dialects", "frontend", "transforms", "backend", "xdsl_extras")

WARM_UP = """\
cuda_tile.module @kernels {
  entry @kernel(%a: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %view = make_tensor_view %a, shape = [%n], strides = [1]
      : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %tiles = make_partition_view %view : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %token = make_token : token
    %last = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%t = %token) -> (token) {
      %tile, %loaded = load_view_tko weak %tiles[%i] token=%t
        : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32>
        -> tile<128xf32>, token
      %sum = addf %tile, %tile rounding<nearest_even> : tile<128xf32>
      %stored = store_view_tko weak %sum, %tiles[%i] token=%loaded
        : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32>
        -> token
      continue %stored : token
    }
    return
  }
}
"""
"""A kernel that is compiled before the first fork."""


class InProcessTest(lit.formats.ShTest):
    """A test with RUN lines, all of which run in a fork of the process that runs tests."""

    def execute(self, test: Any, lit_config: Any) -> lit.Test.Result:
        script = TestRunner.parseIntegratedTestScript(test)
        if isinstance(script, lit.Test.Result):
            return script
        if lit_config.noExecute:
            return lit.Test.Result(lit.Test.PASS)
        folder, base = TestRunner.getTempPaths(test)
        Path(base).parent.mkdir(parents=True, exist_ok=True)
        substitutions = TestRunner.getDefaultSubstitutions(test, folder, base)
        lines = TestRunner.applySubstitutions(script, substitutions)
        directory = os.path.dirname(test.getExecPath())
        failed, output = run_forked(lines, directory, test.config.environment)
        return lit.Test.Result(lit.Test.FAIL if failed else lit.Test.PASS, output)


def run_forked(lines: list[str], directory: str, environment: dict[str, str]) -> tuple[bool, str]:
    """Runs the lines in a fork: whether one failed, and what was printed."""
    warm_up()
    reader, writer = os.pipe()
    if not (child := os.fork()):
        code, output = 1, ""
        try:
            # A test ends before there is garbage to speak of.
            gc.disable()
            os.chdir(directory)
            os.environ.clear()
            os.environ.update(environment)
            code, output = run_lines(lines)
        except Exception as error:
            output = f"{type(error).__name__}: {error}\n"
        finally:
            POOL.kill()
            with open(writer, "w", errors="backslashreplace") as file:
                file.write(output)
            os._exit(int(code != 0))
    os.close(writer)
    with open(reader, errors="backslashreplace") as file:
        output = file.read()
    _, status = os.waitpid(child, 0)
    return status != 0, output


@functools.cache
def warm_up() -> None:
    """
    Imports what the tools import when they run, compiles a kernel down to the code of threads, and
    prints it after every level: what a first run makes, such as options, parsers of types and
    caches of constraints, is then there in every fork.
    """
    for module in TOOLS.values():
        importlib.import_module(module)
    for name in PACKAGES:
        package = importlib.import_module(f"tileiras_xdsl.{name}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(found.name)
    from tileiras_xdsl.driver.tools.tileiras_opt import main
    from tileiras_xdsl.pipeline import select_steps

    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "in.mlir")
        Path(path).write_text(WARM_UP)
        for stage in ("cuda-tile", "tileaa", "tileas", "nvgpu"):
            passes = ",".join(step.spec("sm_90") for step in select_steps(3, to=stage))
            if main([path, "-p", passes, "-o", os.path.join(directory, "out.mlir")]):
                raise RuntimeError("the kernel to warm up with does not compile")
    # What is installed stays the same, and each tool would look for it three times.
    Universe.get_multiverse = staticmethod(functools.cache(Universe.get_multiverse))
    # LLVM runs in copies of the process of a test.
    POOL.use_forks()
    gc.collect()
    gc.freeze()


def run_lines(lines: list[str]) -> tuple[int, str]:
    """Runs lines until one fails: its exit code, and what it and the others printed."""
    log: list[str] = []
    for line in lines:
        match = re.fullmatch(TestRunner.kPdbgRegex, line)
        assert match is not None, line
        where, text = match.groups()
        log.append(f"# {where}\n{text}\n")
        if code := run_command(ShParser(text, pipefail=True).parse(), log):
            log.append(f"# exit code {code}\n")
            return code, "".join(log)
    return 0, "".join(log)


def run_command(command: Seq | Pipeline, log: list[str]) -> int:
    """Runs what a shell would run; says in `log` what was printed."""
    if isinstance(command, Seq):
        if command.op != "&&":
            raise ValueError(f"{command.op} is not supported")
        return run_command(command.lhs, log) or run_command(command.rhs, log)
    code, data = 0, b""
    for part in command.commands:
        # The last one that fails says how the pipeline ends.
        failure, data = run_part(part, data, log)
        code = failure or code
    log.append(data.decode(errors="backslashreplace"))
    return code


def run_part(command: Command, data: bytes, log: list[str]) -> tuple[int, bytes]:
    """Runs a program on what it reads: its exit code, and what the next one reads."""
    errors, target = io.BytesIO(), None
    output = io.BytesIO()
    for operator, name in command.redirects:
        if operator == ("<",):
            data = Path(name).read_bytes()
        elif operator == (">",):
            target = Path(name)
        elif operator == (">&", 2) and name == "1":
            errors = output
        else:
            raise ValueError(f"{operator} {name} is not supported")
    name, *arguments = command.args
    if is_negated := name == "not":
        name, *arguments = arguments
    run = run_tool if name in TOOLS else run_program
    code = run([name, *arguments], data, output, errors)
    if is_negated:
        code = int(not code)
    if errors is not output:
        log.append(errors.getvalue().decode(errors="backslashreplace"))
    if target is None:
        return code, output.getvalue()
    target.write_bytes(output.getvalue())
    return code, b""


def run_program(command: list[str], data: bytes, output: io.BytesIO, errors: io.BytesIO) -> int:
    """Runs a program as a process; returns its exit code."""
    run = subprocess.run(command, input=data, capture_output=True)
    output.write(run.stdout)
    errors.write(run.stderr)
    return run.returncode


def run_tool(command: list[str], data: bytes, output: io.BytesIO, errors: io.BytesIO) -> int:
    """Runs a tool in this process; returns its exit code."""
    sys.argv = command
    with standard_streams(data, output, errors):
        try:
            code = importlib.import_module(TOOLS[command[0]]).main()
        except SystemExit as ending:
            code = ending.code
        except BaseException:
            sys.excepthook(*sys.exc_info())
            code = 1
        if isinstance(code, str):
            print(code, file=sys.stderr)
            code = 1
    return int(code or 0)


@contextmanager
def standard_streams(data: bytes, output: io.BytesIO, errors: io.BytesIO) -> Iterator[None]:
    """Has Python's standard streams read from and write to memory."""
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(output, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(errors, "utf-8", "backslashreplace", write_through=True)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            stream.detach()
        sys.stdin, sys.stdout, sys.stderr = streams
