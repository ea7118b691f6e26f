"""
`tileiras-xdsl --batch`: many programs with one command.

The list is a JSON array of objects, whose keys are the names of options:

    [{"input": "a.tileirbc", "output": "a.cubin", "gpu-name": "sm_90"},
     {"input": "b.mlir", "output": "b.cubin", "gpu-name": "sm_100", "opt-level": 2}]

What an object does not say, the command line does. Each program is one line of JSON on standard
output as soon as it is done, and each error also one line on standard error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from tileiras_xdsl.driver.tools.command import write_output
from tileiras_xdsl.xdsl_extras.usage import UsageError

if TYPE_CHECKING:
    from tileiras_xdsl.backend.launch_record import Abi
    from tileiras_xdsl.driver.compiler.many import Outcome

SUFFIX: Final = ".cubin"
"""Of outputs that are not named."""


@dataclass(frozen=True)
class BatchEntry:
    """One object of the list."""

    input: str
    output: str
    gpu: str | None
    opt: int
    lineinfo: bool
    device_debug: bool
    abi: Abi
    deterministic: bool


KEYS: Final[Mapping[str, tuple[str, type | tuple[type, ...]]]] = {
    "input": ("input", str),
    "output": ("output", str),
    "gpu-name": ("gpu", str),
    "opt-level": ("opt", int),
    "lineinfo": ("lineinfo", bool),
    "device-debug": ("device_debug", bool),
    "abi": ("abi", str),
    "deterministic": ("deterministic", bool),
}
"""The keys of an object, the fields that they are, and their types."""


def read_list(path: str, defaults: BatchEntry) -> list[BatchEntry]:
    """The entries of a list, - for standard input; `UsageError` for what is none."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as stream:
                data = stream.read()
        objects: Any = json.loads(data)
    except OSError as error:
        raise UsageError(f"unable to read batch file '{path}': {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"batch file '{path}' is not JSON: {error}") from None
    if not isinstance(objects, list):
        raise UsageError(f"batch file '{path}' is not a JSON array")
    entries = [
        _entry(each, f"entry {number} of batch file '{path}'", defaults)
        for number, each in enumerate(cast("list[Any]", objects))
    ]
    outputs: dict[str, int] = {}
    for number, entry in enumerate(entries):
        first = outputs.setdefault(os.path.realpath(entry.output), number)
        if first != number:
            raise UsageError(
                f"entries {first} and {number} of batch file '{path}' have the same output "
                f"'{entry.output}'"
            )
    return entries


def _entry(given: Any, what: str, defaults: BatchEntry) -> BatchEntry:
    if not isinstance(given, dict):
        raise UsageError(f"{what} is not a JSON object")
    fields: dict[str, Any] = {}
    for key, value in cast("dict[str, Any]", given).items():
        if key not in KEYS:
            raise UsageError(f"{what} has unknown key '{key}' (expected {', '.join(KEYS)})")
        name, ty = KEYS[key]
        # A bool is an int to Python.
        if not isinstance(value, ty) or (ty is int and isinstance(value, bool)):
            raise UsageError(f"{what}: '{key}' is {value!r}")
        if isinstance(value, str) and (fault := _fault_of_name(value)):
            raise UsageError(f"{what}: '{key}' has {fault}")
        fields[name] = value
    if "input" not in fields:
        raise UsageError(f"{what} has no 'input'")
    fields.setdefault("output", os.path.splitext(fields["input"])[0] + SUFFIX)
    return replace(defaults, **fields)


def _fault_of_name(name: str) -> str:
    """What no name of a file may have, but JSON can say; empty if it has none of that."""
    if "\0" in name:
        return "a null character"
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return "half of a surrogate pair"
    return ""


@dataclass(frozen=True)
class Batch:
    """A list of programs, and what holds for all of them."""

    entries: Sequence[BatchEntry]
    jobs: int | None
    timeout: float | None
    cache: bool | None
    has_records: bool
    """Whether launch records are written beside cubins."""

    def run(self) -> int:
        """Compiles all programs; returns the exit code."""
        from tileiras_xdsl.driver.compiler.many import Variant, compile_many

        variants = [
            Variant(
                # A name, though it may look like text.
                _path(entry.input),
                gpu=entry.gpu,
                opt=entry.opt,
                abi=entry.abi,
                lineinfo=entry.lineinfo,
                device_debug=entry.device_debug,
                deterministic=entry.deterministic,
            )
            for entry in self.entries
        ]
        failed = False
        with compile_many(
            variants, jobs=self.jobs, timeout=self.timeout, cache=self.cache
        ) as outcomes:
            for outcome in outcomes:
                failed |= not self._report(outcome)
        return 1 if failed else 0

    def _report(self, outcome: Outcome) -> bool:
        """Writes the result of a program, and says so; returns whether all went well."""
        entry = self.entries[outcome.index]
        line: dict[str, Any] = {
            "index": outcome.index,
            "input": entry.input,
            "output": entry.output,
            "ok": True,
            "seconds": round(outcome.seconds, 3),
            "cached": outcome.is_cached,
        }
        try:
            compiled = outcome.get()
            for text in compiled.warnings:
                print(text, file=sys.stderr)
            line["entries"] = [record.entry for record in compiled.records]
            write_output(entry.output, compiled.cubin, self._companions(outcome))
        except Exception as error:
            # The other programs go on; what is our own fault is called an internal error.
            text = _describe(error, entry.input)
            print(text, file=sys.stderr)
            line |= {"ok": False, "error": text}
        print(json.dumps(line), flush=True)
        return line["ok"]

    def _companions(self, outcome: Outcome) -> dict[str, bytes]:
        from tileiras_xdsl.backend.launch_record import RECORD_SUFFIX, records_to_json

        if not self.has_records:
            return {}
        return {RECORD_SUFFIX: records_to_json(outcome.get().records).encode()}


def _path(name: str) -> os.PathLike[str]:
    from pathlib import Path

    return Path(name)


def _describe(error: Exception, name: str) -> str:
    """The one line about an error, with the input that it is about."""
    from tileiras_xdsl.driver.compiler.compiled import CompileError
    from tileiras_xdsl.xdsl_extras.diagnostics import make_error_report

    if isinstance(error, CompileError):
        text = str(error)
    elif isinstance(error, OSError):
        text = f"error: unable to read input file '{name}': {error.strerror}"
    else:
        report = make_error_report(error, tool="tileiras-xdsl", input_name=name, root=None)
        text = report.for_cutile()
    return f"{name}: {text}" if text.startswith("error:") else text
