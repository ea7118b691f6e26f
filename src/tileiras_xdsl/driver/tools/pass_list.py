"""
What `tileiras-opt` says about passes: a line for each, and a warning for one of another level.

A pass works on one level of IR. On a module of another level it finds nothing to do, which is right
in a pipeline and seldom what is meant on a command line.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from tileiras_xdsl.universe import PASSES, TILEIRAS_UNIVERSE

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

_LEVELS: Final = {
    "cuda_tile": ("cuda_tile",),
    "nv_tileaa": ("nv_tileaa",),
    "nv_tileas": ("nv_tileas",),
    "nvgpu": ("nvgpu", "nvvm", "llvm"),
}
"""The levels, each with the dialects that no other has; the last is the code of a thread."""
_FOLDERS: Final = {
    "cuda_tile": "cuda_tile",
    "tileaa": "nv_tileaa",
    "tileas": "nv_tileas",
    "nvgpu": "nvgpu",
    "nvvm": "nvgpu",
}
"""The level of the passes in each folder of `transforms`, but for conversions into that level."""
_CONVERSIONS: Final = {
    "cpu-lower-tiles": "nv_tileaa",
    "convert-cuda-tile-to-tileaa": "cuda_tile",
    "convert-tileaa-to-tileas": "nv_tileaa",
    "convert-tileas-to-nvgpu": "nv_tileas",
}

_WIDTH: Final = 100
"""Characters of what is said of a pass."""


def find_level(name: str) -> str | None:
    """The level that a pass works on; nothing is known of passes that are not ours."""
    if name not in PASSES:
        return None
    return _CONVERSIONS.get(name) or _FOLDERS[PASSES[name].partition(".")[0]]


def find_other_level(name: str, module: ModuleOp) -> str | None:
    """The levels of a module if a pass works on none of them; `None` if it has something to do."""
    level = find_level(name)
    if level is None:
        return None
    dialects = {op.dialect_name() for op in module.walk()}
    found = [each for each, names in _LEVELS.items() if not dialects.isdisjoint(names)]
    return None if level in found or not found else " and ".join(found)


def list_passes(others: Iterable[str]) -> str:
    """Our passes by level, each with the first sentence of its file; names of others."""
    lines: list[str] = []
    for level in _LEVELS:
        lines.append(f"on {level}:")
        for name in sorted(PASSES):
            if find_level(name) == level:
                module = sys.modules[TILEIRAS_UNIVERSE.all_passes[name]().__module__]
                text = _first_sentence(module.__doc__ or "")
                sentence = textwrap.shorten(text, _WIDTH, placeholder=" …")
                lines.append(f"  {name:36}{sentence}")
    names = textwrap.wrap(", ".join(sorted(set(others) - set(PASSES))), 98, break_on_hyphens=False)
    return "\n".join((*lines, "of xDSL and of plugins:", *(f"  {line}" for line in names)))


def _first_sentence(text: str) -> str:
    words = " ".join(text.split())
    end = words.find(". ")
    return (words if end < 0 else words[:end]).rstrip(".")
