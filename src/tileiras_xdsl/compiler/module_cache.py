"""
The bytecode of modules in one file.

A command imports some five hundred modules. For each of them Python looks through folders, compares
the time of the source with that in the `.pyc` file, and opens and reads that: as long as it takes
to understand the bytecode. Here the contents of the `.pyc` files are one file, which is mapped into
memory.

A module is taken from the file if Python would have found the same: the source is the same file,
with the same times and size, nothing was added to its folder, and that is where Python would look:
the `__path__` of the package, or the first of `sys.path` that has something of this name. All else
is imported as ever, and written to the file at the end of the process. The file is one of
`code_files`, and is not written where Python may not write bytecode.

    crc32 of the index, its size | index: format, stamps of folders, modules by name | bytecode
"""

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, PathFinder, SourceFileLoader

from . import code_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Any, Final

    Stamp = tuple[int, int, int] | None
    """Of a folder: when it and its inode were modified, and that inode; none if it is not there."""
    State = tuple[int, int, int, int]
    """Of a source: the same, and its size."""
    Entry = tuple[str, bool, State, int, int]
    """
    Of a module: its folder, whether it is a package, its source, and where its bytecode is:
    position and size.
    """
    Index = tuple[dict[str, Stamp], dict[str, Entry]]

FORMAT: "Final" = 4
"""Another one for every change of what is in the file."""
MAX_FILES: "Final" = 4
"""So many are kept, for as many installations of this package; the oldest goes first."""

_HEAD_BYTES: "Final" = 8
_PYC_BYTES: "Final" = 16
_PREFIX: "Final" = "modules."


def file_name() -> str:
    """Differs for interpreters and installations."""
    from zlib import crc32

    return f"{_PREFIX}{code_files.interpreter_tag()}-{crc32(__file__.encode()):08x}"


class ModuleCache:
    """Finds modules whose bytecode is known; asked before Python's own finder."""

    def __init__(self, data: "memoryview", index: "Index | None"):
        self.data = data
        self.stamps, self.modules = index or ({}, {})
        self._same: dict[str, bool] = {}
        self._names: dict[str, set[str] | None] = {}

    def is_same_folder(self, folder: str) -> bool:
        """Whether nothing was added to a folder, or removed from it, since the file was written."""
        is_same = self._same.get(folder)
        if is_same is None:
            is_same = folder in self.stamps and folder_stamp(folder) == self.stamps[folder]
            self._same[folder] = is_same
        return is_same

    def is_first(self, name: str, folder: str) -> bool:
        """Whether a folder is the first of `sys.path` that has something of a name."""
        for each in sys.path:
            if each == folder:
                return True
            if each not in self._names:
                self._names[each] = find_names(each)
            names = self._names[each]
            if names is None or name in names:
                return False
        return False

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> ModuleSpec | None:
        """What Python's own finder would find, if that is in the file."""
        entry = self.modules.get(name)
        if entry is None:
            return None
        folder, is_package, state, position, length = entry
        if path is None:
            if not self.is_first(name, folder):
                return None
        elif len(path) != 1 or path[0] != folder:
            return None
        if not self.is_same_folder(folder):
            return None
        tail = name.rpartition(".")[2]
        if is_package:
            folder = f"{folder}/{tail}"
            tail = "__init__"
        source = f"{folder}/{tail}.py"
        if source_state(source) != state:
            return None
        loader = KnownLoader(name, source, self.data[position : position + length])
        spec = ModuleSpec(name, loader, origin=source, is_package=is_package)
        spec.has_location = True
        spec.cached = f"{folder}/__pycache__/{tail}.{sys.implementation.cache_tag}.pyc"
        if is_package:
            spec.submodule_search_locations = [folder]
        return spec

    def find_new(self) -> "dict[str, tuple[Entry, bytes]]":
        """The modules that have been imported and are not in the file as they are."""
        found: dict[str, tuple[Entry, bytes]] = {}
        for name, module in list(sys.modules.items()):
            spec = getattr(module, "__spec__", None)
            # Not those that were renamed, such as the one that is run.
            if spec is None or spec.name != name:
                continue
            is_damaged = isinstance(spec.loader, KnownLoader) and spec.loader.is_damaged
            if not is_damaged and type(spec.loader) is not SourceFileLoader:
                continue
            entry = make_entry(name, spec)
            if entry is None or (not is_damaged and self.is_same_entry(name, entry)):
                continue
            if (code := read_bytecode(spec.cached, entry)) is not None:
                found[name] = entry, code
        return found

    def is_same_entry(self, name: str, entry: "Entry") -> bool:
        """Whether a module is in the file; some are imported before that is there."""
        known = self.modules.get(name)
        return known is not None and known[:3] == entry[:3] and self.is_same_folder(entry[0])

    def collect(self, new: "dict[str, tuple[Entry, bytes]]") -> "tuple[Index, list[bytes]]":
        """What to write: what is new, and what was in the file and is still right."""
        modules: dict[str, Entry] = {}
        parts: list[bytes] = []
        end = 0
        kept = {
            name: (entry, bytes(self.data[entry[3] : entry[3] + entry[4]]))
            for name, entry in self.modules.items()
            if name not in new and self.is_same_folder(entry[0])
        }
        for name, (entry, code) in (new | kept).items():
            modules[name] = (*entry[:3], end, len(code))
            parts.append(code)
            end += len(code)
        stamps = {folder: folder_stamp(folder) for folder, *_ in modules.values()}
        return (stamps, modules), parts


class KnownLoader(SourceFileLoader):
    """Loads a module whose bytecode is there."""

    def __init__(self, name: str, path: str, data: "memoryview"):
        super().__init__(name, path)
        self._data = data
        self.is_damaged = False
        """Whether the bytecode turned out to be none, and was taken from elsewhere."""

    def get_code(self, fullname: str) -> "CodeType | None":
        from marshal import loads

        try:
            code = loads(self._data)
        except (EOFError, TypeError, ValueError):
            code = None
        if type(code) is type(folder_stamp.__code__):
            return code
        self.is_damaged = True
        return super().get_code(fullname)


def folder_stamp(folder: str) -> "Stamp":
    """Changes when a file is added to a folder or removed from it."""
    state = source_state(folder or ".")
    return None if state is None else state[:3]


def source_state(path: str) -> "State | None":
    """Changes when a file does, even if its time is set back; none if it is not there."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_size


def find_names(folder: str) -> set[str] | None:
    """What modules in a folder may be called; none if it is something else, such as a zip file."""
    try:
        return {name.partition(".")[0] for name in os.listdir(folder or ".")}
    except FileNotFoundError:
        return set()
    except OSError:
        return None


def make_entry(name: str, spec: "Any") -> "Entry | None":
    """
    The entry of a module, without its place in the file. None if its name is not its place, or
    could be that of a package: of a folder beside it, Python asks each time what is in there.
    """
    folder, file = os.path.split(spec.origin)
    parent, _, tail = name.rpartition(".")
    is_package = spec.submodule_search_locations is not None
    if is_package:
        folder, package = os.path.split(folder)
        is_plain = file == "__init__.py" and package == tail
    else:
        is_plain = file == f"{tail}.py" and not os.path.lexists(f"{folder}/{tail}")
    if parent:
        is_searched = list(getattr(sys.modules.get(parent), "__path__", ())) == [folder]
    else:
        is_searched = folder in sys.path
    if not (is_plain and is_searched):
        return None
    state = source_state(spec.origin)
    return None if state is None else (folder, is_package, state, 0, 0)


def read_bytecode(path: str | None, entry: "Entry") -> bytes | None:
    """
    What is in a `.pyc` file. None if that is missing, is about another source, or is checked by
    something else than time and size.
    """
    if path is None:
        return None
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError:
        return None
    numbers = [int.from_bytes(data[start : start + 4], "little") for start in (4, 8, 12)]
    modified, _, _, size = entry[2]
    expected = [0, modified // 1_000_000_000 & 0xFFFFFFFF, size & 0xFFFFFFFF]
    return data[_PYC_BYTES:] if data[:4] == MAGIC_NUMBER and numbers == expected else None


def load() -> "tuple[memoryview, Index | None]":
    """The bytecode and the index of the file; nothing if there is none that can be trusted."""
    from marshal import loads
    from mmap import ACCESS_READ, mmap
    from zlib import crc32

    try:
        file = code_files.open_file(file_name())
        try:
            data = memoryview(mmap(file, 0, access=ACCESS_READ))
        finally:
            os.close(file)
    except (OSError, ValueError):
        return memoryview(b""), None
    checksum, size = (int.from_bytes(data[start : start + 4], "little") for start in (0, 4))
    index = data[_HEAD_BYTES : _HEAD_BYTES + size]
    # A file of zeros has the checksum of nothing.
    if size == 0 or len(index) != size or crc32(index) != checksum:
        return memoryview(b""), None
    code = data[_HEAD_BYTES + size :]
    try:
        found: tuple[Any, ...] = loads(index)
        # The bytecode itself is read as Python reads its own files.
        if len(found) != 4 or found[:2] != (FORMAT, len(code)):
            return memoryview(b""), None
    except (EOFError, TypeError, ValueError):
        return memoryview(b""), None
    return code, (found[2], found[3])


def store(index: "Index", parts: "list[bytes]") -> None:
    """Replaces what was stored."""
    from marshal import dumps
    from zlib import crc32

    content = dumps((FORMAT, sum(map(len, parts)), *index))
    head = crc32(content).to_bytes(4, "little") + len(content).to_bytes(4, "little")
    code_files.write_file(file_name(), (head, content, *parts))
    code_files.remove_files(_PREFIX, MAX_FILES)


_IN_USE: "list[ModuleCache]" = []


def use_module_cache() -> None:
    """Makes this process take modules from the file, where there is one."""
    if not _IN_USE and code_files.may_be_used() and PathFinder in sys.meta_path:
        _IN_USE.append(ModuleCache(*load()))
        # Those that come before Python's own still do.
        sys.meta_path.insert(sys.meta_path.index(PathFinder), _IN_USE[0])


def save_module_cache() -> None:
    """Keeps the modules that this process had to look for."""
    if _IN_USE and not sys.dont_write_bytecode and (new := _IN_USE[0].find_new()):
        store(*_IN_USE[0].collect(new))
