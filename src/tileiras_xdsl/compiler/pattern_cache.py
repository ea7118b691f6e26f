"""
Compiled regular expressions on disk.

Modules compile their patterns when they are imported, some seventy of them in a command, by a
compiler that is written in Python: no `.pyc` file has what comes out. Here it is in one file, found
by the pattern and its flags. The file is one of `code_files`, and is not written where Python may
not write bytecode. One that is damaged counts as missing; Python checks what it is given, too.
"""

from __future__ import annotations

import re
import sys
from _thread import allocate_lock
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from . import code_files

Key = tuple[str, int]
"""A pattern and its flags."""
Compiled = tuple[Any, ...]
"""What `_sre.compile` is given behind the pattern."""

_SRE: Final[Any] = import_module("_sre")
"""What runs patterns."""

LIMIT: Final = 1000
"""Entries; a file with more is written anew, with what was used last."""

_UNUSUAL: Final = re.DEBUG | re.LOCALE


class PatternCache:
    """Patterns by their text, with what was used in this process told from what was loaded."""

    def __init__(self, known: dict[Key, Compiled], compile_anew: Callable[..., Any]):
        self.known = known
        self.used: dict[Key, Compiled] = {}
        self.is_complete = True
        """Whether all that was used was known before."""
        self._compile_anew = compile_anew
        self._lock = allocate_lock()

    def compile(self, pattern: Any, flags: int = 0) -> Any:
        """`re._compiler.compile`."""
        if type(pattern) is not str or flags & _UNUSUAL:
            return self._compile_anew(pattern, flags)
        key = (pattern, int(flags))
        compiled = self.known.get(key)
        if compiled is None:
            made, compiled = self._compile_and_watch(pattern, flags)
            if compiled is not None:
                self.used[key] = compiled
                self.is_complete = False
            return made
        self.used[key] = compiled
        all_flags, code, groups, group_index, index_group = compiled
        return _SRE.compile(pattern, all_flags, list(code), groups, dict(group_index), index_group)

    def _compile_and_watch(self, pattern: str, flags: int) -> tuple[Any, Compiled | None]:
        """A pattern that is compiled, and what Python's compiler gave for it."""
        seen: list[Compiled] = []

        class Watched:
            """`_sre`, as that compiler sees it."""

            @staticmethod
            def compile(text: Any, *compiled: Any) -> Any:
                seen.append(compiled)
                return _SRE.compile(text, *compiled)

            def __getattr__(self, name: str) -> Any:
                return getattr(_SRE, name)

        module = sys.modules["re._compiler"].__dict__
        with self._lock:
            module["_sre"] = Watched()
            try:
                made = self._compile_anew(pattern, flags)
            finally:
                module["_sre"] = _SRE
        if len(seen) != 1 or len(seen[0]) != 5:
            return made, None
        all_flags, code, groups, group_index, index_group = seen[0]
        numbers = tuple(map(int, code))
        return made, (int(all_flags), numbers, int(groups), dict(group_index), index_group)

    def all(self) -> dict[Key, Compiled]:
        """What to keep on disk."""
        merged = {**self.known, **self.used}
        return merged if len(merged) <= LIMIT else self.used


def file_name() -> str:
    """Differs for interpreters that compile the same pattern to something else."""
    return f"patterns.{code_files.interpreter_tag()}-{_SRE.MAGIC}"


def load() -> dict[Key, Compiled]:
    """What was stored; nothing if there is no file that can be trusted."""
    return code_files.load_values(file_name())


def store(patterns: dict[Key, Compiled]) -> None:
    """Replaces what was stored."""
    code_files.store_values(file_name(), patterns)


_IN_USE: list[PatternCache] = []


def use_pattern_cache() -> None:
    """Makes regular expressions of this process come from the cache, where there is one."""
    module = sys.modules.get("re._compiler")
    if _IN_USE or module is None or not code_files.may_be_used():
        return
    names = module.__dict__
    if names.get("_sre") is not _SRE or not callable(names.get("compile")):
        return
    _IN_USE.append(PatternCache(load(), names["compile"]))
    names["compile"] = _IN_USE[0].compile


def save_pattern_cache() -> None:
    """Keeps what this process had to compile."""
    if _IN_USE and not (_IN_USE[0].is_complete or sys.dont_write_bytecode):
        store(_IN_USE[0].all())
        _IN_USE[0].is_complete = True
