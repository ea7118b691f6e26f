"""Running a tool in this process."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest


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
