"""
The compiled methods of dataclasses on disk.

`dataclass` writes the source of `__init__`, `__eq__` and the like and has Python compile it, for
every class in every process: no `.pyc` file has them. The classes of a compilation are some
hundreds, and their methods a quarter of what its imports take. Here the code of all of them is one
file, found by the source itself, so nothing in it can be out of date.

The file is one of `code_files`, and is not written where Python may not write bytecode. One that is
damaged counts as missing.
"""

from __future__ import annotations

import dataclasses
import sys
from builtins import exec as run_code
from types import CodeType
from typing import Any, Final

from . import code_files

LIMIT: Final = 10_000
"""Entries; a file with more is written anew, with what was used last."""


class CodeCache:
    """Code by its source, with what was used in this process told from what was only loaded."""

    def __init__(self, known: dict[str, CodeType]):
        self.known = known
        self.used: dict[str, CodeType] = {}
        self.is_complete = True
        """Whether all that was used was known before."""

    def run(self, source: str, variables: dict[str, Any], local_variables: dict[str, Any]) -> None:
        """What `exec` does with a source."""
        code = self.known.get(source)
        if code is None:
            # The `__future__` imports of this file are none of the source's.
            code = compile(source, "<string>", "exec", dont_inherit=True)
            self.is_complete = False
        self.used[source] = code
        run_code(code, variables, local_variables)

    def all(self) -> dict[str, CodeType]:
        """What to keep on disk."""
        merged = {**self.known, **self.used}
        return merged if len(merged) <= LIMIT else self.used


def file_name() -> str:
    """Differs for interpreters that compile the same source to other code."""
    return f"dataclasses.{code_files.interpreter_tag()}"


def load() -> dict[str, CodeType]:
    """What was stored; nothing if there is no file that can be trusted."""
    return code_files.load_values(file_name())


def store(codes: dict[str, CodeType]) -> None:
    """Replaces what was stored."""
    code_files.store_values(file_name(), codes)


_IN_USE: list[CodeCache] = []


def use_code_cache() -> None:
    """Makes dataclasses of this process take their code from the cache, where there is one."""
    if _IN_USE or not code_files.may_be_used():
        return
    _IN_USE.append(CodeCache(load()))
    # A name of the module comes before the one of Python that `dataclasses` means.
    dataclasses.__dict__["exec"] = _IN_USE[0].run


def save_code_cache() -> None:
    """Keeps what this process had to compile."""
    if _IN_USE and not (_IN_USE[0].is_complete or sys.dont_write_bytecode):
        store(_IN_USE[0].all())
        _IN_USE[0].is_complete = True
