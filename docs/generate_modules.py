"""
Writes the list of modules at the end of the docstring of every package in src, a line for each:

    python docs/generate_modules.py

The line is the first sentence of the module's own docstring, as far as it fits. `make reference`
writes the lists, too.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1] / "src" / "tileiras_xdsl"
HEAD: Final = "Modules:"
WIDTH: Final = 100
_PART: Final = re.compile(r"[,:;] | \(")
_SENTENCE: Final = re.compile(r"(.+?)(?:\.(?=\s|$)|$)", re.DOTALL)


def summary(path: Path) -> str:
    """The first sentence of the docstring of a module, without its end."""
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    found = _SENTENCE.match(" ".join(text.partition("\n\n")[0].split()))
    assert found, f"{path} needs a docstring"
    return found[1].rstrip(":")


def modules_of(folder: Path) -> dict[str, Path]:
    """The files of modules and of packages in a folder, by name."""
    files = [path for path in folder.glob("*.py") if not path.name.startswith("__")]
    found = {path.stem: path for path in files}
    found |= {path.parent.name: path for path in folder.glob("*/__init__.py")}
    return dict(sorted(found.items()))


def make_list(folder: Path) -> str:
    """What the docstring of a package ends with."""
    names = modules_of(folder)
    return "\n".join([HEAD, "", *(_line(name, summary(path)) for name, path in names.items())])


def _line(name: str, text: str) -> str:
    """A line of the list; a sentence that is too long ends with a part that is not."""
    room = WIDTH - len(f"    {name}: ")
    if len(text) > room:
        ends = [match.start() for match in _PART.finditer(text) if match.start() <= room]
        text = text[: ends[-1]] if ends else f"{text[: room - 2].rpartition(' ')[0]} …"
    return f"    {name}: {text}"


def with_list(path: Path) -> str:
    """The source of a package, with the list in its docstring."""
    source = path.read_text()
    first = ast.parse(source).body[0]
    assert isinstance(first, ast.Expr)
    assert first.end_lineno is not None
    lines = source.splitlines(keepends=True)
    text = "".join(lines[: first.end_lineno]).strip().removeprefix('"""').removesuffix('"""')
    text = text.partition(f"\n{HEAD}\n")[0].strip()
    rest = "".join(lines[first.end_lineno :])
    if not modules_of(path.parent):
        return source
    return f'"""\n{text}\n\n{make_list(path.parent)}\n"""\n{rest}'


def find_packages() -> list[Path]:
    """The files of all packages that have modules."""
    return [path for path in sorted(ROOT.rglob("__init__.py")) if modules_of(path.parent)]


def main() -> None:
    for path in find_packages():
        made = with_list(path)
        if made != path.read_text():
            path.write_text(made)


if __name__ == "__main__":
    main()
