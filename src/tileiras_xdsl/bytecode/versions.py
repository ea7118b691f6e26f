"""The bytecode versions this package reads and writes."""

from __future__ import annotations

from typing import TypeAlias

from .errors import BytecodeError

MAGIC = b"\x7fTileIR\x00"

Version: TypeAlias = tuple[int, int]

V13_1: Version = (13, 1)
V13_2: Version = (13, 2)
V13_3: Version = (13, 3)
V13_4: Version = (13, 4)

VERSIONS: tuple[Version, ...] = (V13_1, V13_2, V13_3, V13_4)
LATEST = VERSIONS[-1]


def format_version(version: Version) -> str:
    """`13.4`."""
    return f"{version[0]}.{version[1]}"


def parse_version(text: str) -> Version:
    """The version named by `text`; `BytecodeError` if it is not supported."""
    for version in VERSIONS:
        if text == format_version(version):
            return version
    supported = ", ".join(map(format_version, VERSIONS))
    raise BytecodeError(f"unsupported Tile version {text}, supported are {supported}")
