"""Compiled regular expressions on disk: the same patterns, and only one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tileiras_xdsl.compiler import cache
from tileiras_xdsl.compiler.pattern_cache import file_name, load, store

from ..harness.commands import python

PROGRAM = r"""
import re, sys
import re._compiler
calls = []
code_of = re._compiler._code
re._compiler._code = lambda *a: (calls.append(a), code_of(*a))[1]
from tileiras_xdsl.compiler.pattern_cache import save_pattern_cache, use_pattern_cache
use_pattern_cache()
calls.clear()
PATTERNS = [
    (r"(?P<name>\w+)\s*=\s*(\d+|[a-f]*?)(?=;)", 0), (r"^x|y$", re.M), (r"(?i)straße|[k-ſ]", 0),
    (r"a{2,5}(?:b|c)+(?P<tail>.)(?P=tail)", re.S), (r"(?x) a  b # c", 0), ("", 0),
    (r"(?a)\w\bé", 0),
    (r"((((a)|b)|c)|d)*", re.I | re.A), (r"[^\s,]+(?<!q)(?<=z)", 0), (b"by(te)s", re.I),
    (r"(?>a+)b++", 0), ("[a-z]" * 30, 0),
]
TEXTS = ["name = 12;", "x\ny", "STRASSE straße K", "aaabXX", "ab", "", "wé é", "ABCDabcd", "qz, z"]
for pattern, flags in PATTERNS:
    made = re.compile(pattern, flags)
    texts = TEXTS if isinstance(pattern, str) else [b"BYTES bytes"]
    print(made, made.flags, made.groups, dict(made.groupindex))
    for text in texts:
        print([(m.span(), m.groups(), m.groupdict(), m.lastgroup) for m in made.finditer(text)])
    print([made.sub(r"<\g<0>>" if isinstance(pattern, str) else rb"<\g<0>>", t) for t in texts])
try:
    re.compile("(a")
except re.error as error:
    print(error, error.pos)
save_pattern_cache()
print(len(calls), file=sys.stderr)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the file is."""
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "code"


def run(**environment: str) -> tuple[str, int]:
    """What the program prints, and how many patterns were compiled for it."""
    variables = {"PYTHONDONTWRITEBYTECODE": "", cache.ENABLE_VARIABLE: "1", **environment}
    result = python("-c", PROGRAM, environment=variables)
    return result.out, int(result.err)


def test_patterns_are_the_same_and_are_not_compiled_again(folder: Path):
    without, _ = run(TILEIRAS_XDSL_CACHE="0")
    assert not folder.exists()
    (first, compiled_first), (second, compiled_second) = run(), run()
    assert without == first == second
    # Of bytes.
    assert (compiled_first, compiled_second) == (12, 1)
    assert [path.name for path in folder.iterdir()] == [file_name()]


def test_a_damaged_file_counts_as_missing(folder: Path):
    patterns = {("x+", 32): (32, (1, 2, 3), 0, dict[str, int](), (None,))}
    store(patterns)
    assert load() == patterns
    file = folder / file_name()
    data = file.read_bytes()
    for damaged in (
        b"",
        data[:3],
        data[:-1],
        data + b"\0",
        data[:20] + b"\1" + data[21:],
        bytes(4),
    ):
        file.write_bytes(damaged)
        assert load() == {}


def test_a_file_that_others_can_write_is_not_read(folder: Path):
    run()
    (folder / file_name()).chmod(0o620)
    assert load() == {}


def test_nothing_is_written_where_python_may_not_write_bytecode(folder: Path):
    run(PYTHONDONTWRITEBYTECODE="1")
    assert not folder.exists()
