"""Tools run in this process, and Python in processes of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

OPT = ("-m", "tileiras_xdsl.driver.tools.tileiras_opt")
"""Arguments of Python that make it `tileiras-opt`."""


@dataclass
class Result:
    """What a tool returned and printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


@dataclass(frozen=True)
class Directory:
    """An empty directory to run tools in."""

    path: Path
    capture: pytest.CaptureFixture[str]

    def run(self, main: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> Result:
        """What a tool does with a command line."""
        code = main(arguments)
        captured = self.capture.readouterr()
        return Result(code, captured.out, captured.err)


def python(
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    stdin: str = "",
    cwd: Path | None = None,
    check: bool = True,
) -> Result:
    """
    Runs Python in a process of its own, with `environment` on top of that of this process; what
    fails is an error if `check` is set.
    """
    child = subprocess.run(
        [sys.executable, *arguments],
        input=stdin,
        env={**os.environ, **(environment or {})},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not check or child.returncode == 0, child.stderr
    return Result(child.returncode, child.stdout, child.stderr)


def python_with_seed(seed: int, *arguments: str | Path, stdin: str = "") -> str:
    """What a process prints whose sets have the order of a seed."""
    return python(*arguments, environment={"PYTHONHASHSEED": str(seed)}, stdin=stdin).out
