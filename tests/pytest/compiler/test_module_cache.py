"""The bytecode of modules in one file: what Python would have imported, and only one's own."""

from __future__ import annotations

import ast
import json
import marshal
import os
import time
import zlib
from pathlib import Path

import pytest

from tileiras_xdsl.compiler import cache, code_files

from ..harness.commands import python

PROGRAM = """
import json, sys
sys.path[:] = [each for each in sys.path if each]
sys.path.insert(0, sys.argv[1])
from tileiras_xdsl.compiler.module_cache import KnownLoader, save_module_cache, use_module_cache
use_module_cache()
import alone
from pack import member
from pack.inner import deep
import pack
found = [alone, pack, member, deep, pack.inner]
print(json.dumps({
    "values": [alone.VALUE, member.VALUE, deep.VALUE],
    "known": [type(each.__spec__.loader) is KnownLoader for each in found],
    "damaged": [getattr(each.__loader__, "is_damaged", False) for each in found],
    "places": [[each.__file__, each.__cached__, each.__name__, each.__package__] for each in found],
    "packages": [pack.__path__, pack.inner.__path__, pack.__spec__.submodule_search_locations],
    "lines": [deep.__loader__.get_source("pack.inner.deep"), deep.function.__code__.co_filename],
}))
save_module_cache()
"""


class Tree:
    """Modules on disk, and processes that import them."""

    def __init__(self, root: Path):
        self.root = root
        for name, value in {"alone": 1, "pack/member": 2, "pack/inner/deep": 3}.items():
            self.write(name, value)
        for name in ("pack", "pack/inner"):
            (root / name / "__init__.py").write_text("")

    def write(self, name: str, value: int) -> None:
        path = self.root / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"VALUE = {value}\ndef function(): pass\n")

    def run(self, **environment: str) -> dict[str, list[object]]:
        variables = {"PYTHONDONTWRITEBYTECODE": "", cache.ENABLE_VARIABLE: "1", **environment}
        result = python("-c", PROGRAM, str(self.root), environment=variables)
        return json.loads(result.out)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the file is."""
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "code"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "tree")


def test_modules_are_the_same(tree: Tree, folder: Path):
    without = tree.run(TILEIRAS_XDSL_CACHE="0")
    assert not folder.exists()
    first, second = tree.run(), tree.run()
    assert not any(first["known"])
    assert all(second["known"])
    for key in ("values", "places", "packages", "lines"):
        assert without[key] == first[key] == second[key]


def test_only_the_user_can_write(tree: Tree, folder: Path):
    tree.run()
    (file,) = folder.iterdir()
    assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    file.chmod(0o620)
    assert not any(tree.run()["known"])


def test_a_source_that_changed_is_read_again(tree: Tree, folder: Path):
    tree.run()
    tree.write("pack/member", 20)
    changed = tree.run()
    assert changed["values"] == [1, 20, 3]
    assert changed["known"] == [True, True, False, True, True]
    assert all(tree.run()["known"])
    # The same size; the time is another.
    path = tree.root / "alone.py"
    path.write_text(path.read_text().replace("1", "7"))
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 2_000_000_000))
    assert tree.run()["values"] == [7, 20, 3]


def test_a_source_of_the_same_size_and_time_is_read_again(tree: Tree, folder: Path):
    tree.run()
    path = tree.root / "alone.py"
    before = path.stat()
    path.write_text(path.read_text().replace("1", "7"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    for compiled in tree.root.glob("__pycache__/alone.*"):
        compiled.unlink()
    assert tree.run()["values"] == [7, 2, 3]


def test_a_folder_beside_a_module_may_become_a_package(tree: Tree, folder: Path):
    (tree.root / "pack" / "member").mkdir()
    (tree.root / "alone").mkdir()
    tree.run()
    assert tree.run()["known"] == [False, True, False, True, True]
    tree.write("pack/member/__init__", 9)
    tree.write("alone/__init__", 8)
    assert tree.run()["values"] == [8, 9, 3]


def test_a_module_that_comes_before_is_found(tree: Tree, folder: Path):
    tree.run()
    # A package comes before a module of the same name.
    tree.write("pack/member/__init__", 9)
    assert tree.run()["values"] == [1, 9, 3]
    tree.write("alone/__init__", 8)
    assert tree.run()["values"] == [8, 9, 3]
    assert all(tree.run()["known"])


def test_a_module_that_is_gone_is_not_found(tree: Tree, folder: Path):
    tree.run()
    (tree.root / "alone.py").unlink()
    with pytest.raises(AssertionError, match="alone"):
        tree.run()


def test_another_path_is_searched(tree: Tree, folder: Path, tmp_path: Path):
    tree.run()
    other = Tree(tmp_path / "other")
    other.write("alone", 5)
    other.write("pack/member", 6)
    answer = other.run()
    assert answer["values"] == [5, 6, 3]
    assert not any(answer["known"])
    assert tree.run()["values"] == [1, 2, 3]


def test_a_damaged_index_counts_as_missing(tree: Tree, folder: Path):
    tree.run()
    (file,) = folder.iterdir()
    data = file.read_bytes()
    for damaged in (
        b"",
        data[:5],
        data[:100],
        data[:-1],
        data[:50] + b"\1" + data[51:],
        bytes(100),
    ):
        file.write_bytes(damaged)
        answer = tree.run(PYTHONDONTWRITEBYTECODE="1")
        assert (answer["values"], any(answer["known"])) == ([1, 2, 3], False)


def test_damaged_bytecode_is_read_from_elsewhere(tree: Tree, folder: Path):
    tree.run()
    (file,) = folder.iterdir()
    data = file.read_bytes()
    start = 8 + int.from_bytes(data[4:8], "little")
    # Zeros, an unknown type, and what is no code.
    for damage in (b"\0", b"?", b"N"):
        file.write_bytes(data[:start] + damage * (len(data) - start))
        answer = tree.run(PYTHONDONTWRITEBYTECODE="1")
        assert (answer["values"], all(answer["damaged"])) == ([1, 2, 3], True)
    assert tree.run()["values"] == [1, 2, 3]
    repaired = tree.run()
    assert (all(repaired["known"]), any(repaired["damaged"])) == (True, False)


def test_a_file_of_another_format_counts_as_missing(tree: Tree, folder: Path):
    tree.run()
    (file,) = folder.iterdir()
    texts = ("()", "(0, 0, {}, {})", "({}, {})", "'text'", "(4, 1, {}, {})", "(3, 0, [], {})", "7")
    for text in texts:
        content = marshal.dumps(ast.literal_eval(text))
        head = zlib.crc32(content).to_bytes(4, "little") + len(content).to_bytes(4, "little")
        file.write_bytes(head + content)
        answer = tree.run(PYTHONDONTWRITEBYTECODE="1")
        assert (answer["values"], any(answer["known"])) == ([1, 2, 3], False)
    tree.run()
    assert all(tree.run()["known"])


def test_nothing_is_written_where_python_may_not_write_bytecode(tree: Tree, folder: Path):
    tree.run(PYTHONDONTWRITEBYTECODE="1")
    assert not folder.exists()


def test_a_disk_that_cannot_be_written_to_is_no_error(tree: Tree, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(cache.FOLDER_VARIABLE, "/proc/nowhere")
    assert tree.run()["values"] == [1, 2, 3]


def test_what_killed_writers_left_is_removed(folder: Path):
    code_files.write_file("first", [b"1"])
    abandoned, new = folder / ".first.00000000", folder / ".first.11111111"
    abandoned.touch()
    new.touch()
    old = time.time() - 2 * code_files.ABANDONED_SECONDS
    os.utime(abandoned, (old, old))
    os.utime(folder / "first", (old, old))
    code_files.write_file("second", [b"2"])
    assert {path.name for path in folder.iterdir()} == {"first", "second", new.name}


def test_files_of_few_installations_are_kept(folder: Path):
    for number in range(6):
        code_files.write_file(f"modules.{number}", (b"",))
        os.utime(folder / f"modules.{number}", ns=(number, number))
    code_files.write_file("dataclasses", (b"",))
    code_files.remove_files("modules.", 4)
    assert sorted(path.name for path in folder.iterdir()) == [
        "dataclasses",
        *(f"modules.{number}" for number in range(2, 6)),
    ]
