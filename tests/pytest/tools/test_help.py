"""What `--help` prints is what the commands take."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import pytest

from tileiras_xdsl.cutile.__main__ import main as run_cutile
from tileiras_xdsl.driver.demos.__main__ import main as run_demos
from tileiras_xdsl.driver.tools.tileiras_explore import main as run_explore
from tileiras_xdsl.driver.tools.tileiras_opt import main as run_opt
from tileiras_xdsl.driver.tools.tileiras_reduce import main as run_reduce
from tileiras_xdsl.driver.tools.tileiras_xdsl import main as run_xdsl

Main = Callable[[Sequence[str]], int]

REST: dict[str, tuple[Main, Sequence[str], str]] = {
    "tileiras-xdsl": (run_xdsl, ["kernel.mlir"], "-o --output-file --validate --emit"),
    "tileiras-opt": (run_opt, ["kernel.mlir"], "-p --passes -t --target"),
    "tileiras-explore": (run_explore, ["kernel.mlir"], "-p --passes --args --compare"),
    "tileiras-reduce": (run_reduce, ["kernel.mlir", "--test", "true"], "--test -j --jobs"),
    "cutile": (run_cutile, ["program.py"], "--only --launcher -m"),
    "demos": (run_demos, [], "--report -o"),
}
"""Commands, what each of them needs after its options, and some options that it has."""


class Parsed(SystemExit):
    """A command line was accepted; no command catches this."""

    def __init__(self, given: argparse.Namespace):
        super().__init__(0)
        self.given = given


def parse(monkeypatch: pytest.MonkeyPatch, main: Main, arguments: Sequence[str]) -> Any:
    """What a command reads from a command line, which it does not run; `None` if it ends there."""
    right = argparse.ArgumentParser.parse_args

    def parse_args(self: argparse.ArgumentParser, *given: Any, **named: Any) -> Any:
        raise Parsed(right(self, *given, **named))

    with monkeypatch.context() as patched:
        patched.setattr(argparse.ArgumentParser, "parse_args", parse_args)
        try:
            code = main(arguments)
        except Parsed as parsed:
            return parsed.given
        except SystemExit as ended:
            code = ended.code
    return pytest.fail(f"{arguments} is refused with {code}") if code else None


def forms(text: str) -> Iterator[list[str]]:
    """Every way in which help says that an option is given."""
    for line in re.findall(r"^  (-.*?)(?:   *\S.*)?$", text, re.M):
        for option in re.split(r", (?=-)", line):
            name, *values = option.split(" ")
            for chosen in product(*map(choices, values)):
                yield [name, *(each for each in chosen if each is not None)]


def choices(value: str) -> list[str | None]:
    """What may stand where help has the name of a value, or a list."""
    if value.startswith("["):
        return [None, *choices(value[1:-1])]
    if value.startswith("{"):
        return [*value[1:-1].split(",")]
    return ["1"]


@pytest.mark.parametrize("name", REST)
def test_printed_options_are_taken(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    main, rest, some = REST[name]
    monkeypatch.setenv("COLUMNS", "1000")
    with pytest.raises(SystemExit):
        main(["--help"])
    found = list(forms(capsys.readouterr().out))
    assert {each[0] for each in found} >= set(some.split())
    for form in found:
        parse(monkeypatch, main, [*form, *rest])


def test_optional_values(monkeypatch: pytest.MonkeyPatch):
    """A value that may be left out is the next argument if it can be one."""
    for given, mode, path in (
        (["--validate", "quick", "k.mlir"], "quick", "k.mlir"),
        (["-validate", "full", "k.mlir"], "full", "k.mlir"),
        (["k.mlir", "--validate", "full"], "full", "k.mlir"),
        (["--validate", "k.mlir"], "quick", "k.mlir"),
        (["--validate", "./full"], "quick", "./full"),
        (["--validate=full", "quick"], "full", "quick"),
        (["k.mlir", "--validate"], "quick", "k.mlir"),
    ):
        found = parse(monkeypatch, run_xdsl, given)
        assert (found.validate, found.input) == (mode, path)
