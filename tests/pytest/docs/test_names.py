"""What looks like code in the prose of pages is the name of something."""

import importlib
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.pytest.harness.pages import ROOT, blocks_of, commands_of, find_pages, prose_of
from xdsl.passes import PassPipeline
from xdsl.xdsl_opt_main import xDSLOptMain

import tileiras_xdsl as tx
from tileiras_xdsl.inspection.exploration.exploration import Exploration
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE

PAGES = find_pages()
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
"""Code in prose."""

FOLDERS = ("src", "benchmarks", "tests/pytest", "tests/gpu", "docs", "examples")
NAMES = {
    "path": r"(?:[\w.-]+/)*[\w-]+\.(?:py|md|ipynb|js|css)|"
    r"(?:src|benchmarks|tests|docs|examples)/[\w./-]*\w",
    "op, attribute or type": r"[!#]?(?:cuda_tile|nv_tileaa|nv_tileas|nvgpu|nvvm)(?:\.\w+)+\b",
    "pass": r"(?:tileas|convert|canonicalize|verify|insert|fuse)(?:-[a-z0-9]+)+(?:\{[^}…]*\})?",
    "name of Python": r"(?:tx|s|tileiras_xdsl)(?:\.[A-Za-z_]\w*)+",
    "option": r"--[a-z][a-z-]*[a-z]",
    "variable": r"TILEIRAS_[A-Z_]*[A-Z]",
    "word": r"[A-Za-z]\w*_\w*[A-Za-z0-9]|[A-Z][a-z0-9]+[A-Z]\w*",
}
"""What looks like code, in the order in which it is looked for."""

NAME = re.compile(
    "|".join(rf"(?<![\w./$-])({pattern})(?![\w-]|\.\w)" for pattern in NAMES.values())
)

OTHERS = frozenset(
    """
    CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION CUDA_TILE_LOGS CUTILE_TILEIRAS_PATH
    TILECPP_NVCC_PATH
    Copy_Atom MMA_Atom PipelineTmaAsync F2FP
    evict_first evict_last evict_unchanged no_allocate
    descriptor_gather do_bench IntegerRangeAnalysis ConversionValueMapping
    --editable --enable-tile file.py TILEIRAS_PARSE_INVALID
    search_space grid_fn args_fn hints_fn
    """.split()
)
"""Names of CUDA, CUTLASS, Triton, MLIR and cuTile that our code does not have, or puts together."""

PLACEHOLDER = re.compile(
    r"(?<![A-Za-z])[A-Z]{3,}\.|[A-Z]{4,}/|_[A-Z]{4,}\.|\d+x\d+|(?:sm|compute)_\d+[af]?$"
)
"""What stands for a name of the reader's, or is made of numbers."""


@cache
def words() -> frozenset[str]:
    """All words of the code; those with dots and dashes in them, and the parts of these."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    paths += [*(ROOT / "tests/filecheck").glob("*.*"), ROOT / "pyproject.toml"]
    paths.remove(Path(__file__))
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    found = set(re.findall(r"[\w-]+(?:\.\w+)*", text))
    return frozenset(found | {part for name in found for part in re.split(r"\W", name)})


@cache
def paths() -> frozenset[str]:
    """All files and folders, by every end of their paths."""
    folders = ("src", "benchmarks", "tests", "docs", "examples")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    parts = [path.relative_to(ROOT).parts for path in (*found, *ROOT.iterdir())]
    return frozenset("/".join(each[first:]) for each in parts for first in range(len(each)))


@cache
def passes() -> dict[str, Any]:
    return xDSLOptMain(args=[os.devnull]).available_passes


@cache
def ir_names() -> frozenset[str]:
    """All ops, attributes and types of our dialects."""
    dialects = [factory() for factory in TILEIRAS_UNIVERSE.all_dialects.values()]
    return frozenset(each.name for one in dialects for each in (*one.operations, *one.attributes))


def is_pass(text: str) -> bool:
    try:
        PassPipeline.parse_spec(passes(), text)
    except Exception:
        return False
    return True


def is_python(text: str) -> bool:
    first, *rest = text.split(".")
    value: Any = {"s": Exploration, "tx": tx, "tileiras_xdsl": tx}[first]
    for number, name in enumerate(rest):
        if not hasattr(value, name):
            module = ".".join(("tileiras_xdsl", *rest[: number + 1]))
            try:
                importlib.import_module(module)
            except ImportError:
                return name in getattr(value, "__dataclass_fields__", ())
        value = getattr(value, name)
        if isinstance(value, property | staticmethod) or not hasattr(value, "__name__"):
            return True
    return True


def is_path(text: str, page: Path) -> bool:
    written = {block.marks.get("file") for block in blocks_of(page)}
    return (
        text in paths()
        or text in written
        or PLACEHOLDER.search(text) is not None
        or (page.parent / text).exists()
    )


def exists(kind: str, text: str, page: Path) -> bool:
    match kind:
        case "op, attribute or type":
            return text.lstrip("!#") in ir_names() | words()
        case "pass":
            return is_pass(text)
        case "name of Python":
            return is_python(text)
        case "path":
            return is_path(text, page) or text in OTHERS
        case _:
            return text in words() or text in OTHERS or PLACEHOLDER.search(text) is not None


def unknown_names(page: Path) -> Iterator[str]:
    """What the prose and the commands of a page name and nothing has."""
    texts = [(line, code[2]) for line, text in prose_of(page) for code in SPAN.finditer(text)]
    texts += [
        (block.line, command)
        for block in blocks_of(page)
        if block.language == "console"
        for command, _ in commands_of(block.text)
    ]
    for line, text in texts:
        for found in NAME.finditer(text):
            kind = list(NAMES)[(found.lastindex or 0) - 1]
            rest = text[found.end() :]
            if not rest.startswith(("…", "*", ".…", ".*", "_…", "_*")) and not exists(
                kind, found[0], page
            ):
                yield f"{page.name}:{line}: no {kind} {found[0]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_exist(page: Path):
    assert list(unknown_names(page)) == []


def test_what_is_noticed(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(
        "`nv_tileaa.dot` `nv_tileaa.dote` `!nv_tileas.pipes<2>` `nv_tileas.async.…`\n"
        "`fuse-fma` `fuse-fmas` `tileas-generate-schedule{turn=9}` `s.diff(1)` `s.dif(1)`\n"
        "<!-- `tileas-no` -->\n"
        "`tx.explore` `tx.explor` `tileiras-opt --list-pass` `tileiras-opt --emit=x`\n"
        "`TILEIRAS_XDSL_CACHE` `TILEIRAS_XDSL_CASH` `docs/NAME.md` `docs/none.md` `FuseFmaPas`\n"
        "```console\n$ tileiras-xdsl --no-remark\n```\n"
    )
    assert [each.partition(": no ")[2] for each in unknown_names(page)] == [
        "op, attribute or type nv_tileaa.dote",
        "op, attribute or type !nv_tileas.pipes",
        "pass fuse-fmas",
        "pass tileas-generate-schedule{turn=9}",
        "name of Python s.dif",
        "name of Python tx.explor",
        "option --list-pass",
        "variable TILEIRAS_XDSL_CASH",
        "path docs/none.md",
        "word FuseFmaPas",
        "option --no-remark",
    ]
