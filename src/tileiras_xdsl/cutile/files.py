"""Kernels of cuTile that are named by their file: `kernels.py:matmul`."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from tileiras_xdsl.frontend.cutile_kernels import KernelError

from .supported import BEYOND, OLDEST, PACKAGE


def split_name(text: str) -> tuple[str, str | None] | None:
    """The file and the name of a kernel; none if the text is not about a file of Python."""
    path, separator, name = text.rpartition(":")
    if separator and path.endswith(".py"):
        return path, name
    return (text, None) if text.endswith(".py") else None


def load_kernel(path: str, name: str | None) -> Any:
    """
    A kernel of a file, which is imported; without a name its only one. `KernelError` if there is
    none, or no cuda-tile.
    """
    if not Path(path).is_file():
        raise KernelError(f"there is no file '{path}'")
    try:
        package: Any = import_module(PACKAGE)
    except ModuleNotFoundError as error:
        if error.name not in ("cuda", PACKAGE):
            raise
        raise KernelError(
            "kernels in Python are read by cuda-tile, which is not installed: pip install "
            "'cuda-tile>={}.{},<{}.{}'".format(*OLDEST, *BEYOND)
        ) from None
    found: dict[str, Any] = {
        each: value
        for each, value in vars(_import(Path(path))).items()
        if isinstance(value, package.kernel)
    }
    known = f"{path} has {', '.join(found)}" if found else f"{path} has no kernels"
    if name is None:
        if len(found) != 1:
            raise KernelError(f"say which kernel, as in '{path}:name': {known}")
        (name,) = found
    if name not in found:
        close = get_close_matches(name, found, 1)
        hint = f"did you mean '{close[0]}'?" if close else known
        raise KernelError(f"there is no kernel '{name}' in {path}: {hint}")
    return found[name]


def _import(path: Path) -> ModuleType:
    """The module of a file, which may import those beside it."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        # Whatever a file does that is imported, it is no error of ours.
        raise KernelError(f"{path} cannot be imported: {type(error).__name__}: {error}") from None
    finally:
        sys.path.remove(folder)
        if sys.modules.get(path.stem) is module:
            del sys.modules[path.stem]
    return module
