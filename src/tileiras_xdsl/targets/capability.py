"""The name of an architecture, `sm_90a`, as options, attributes and launch records have it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = re.compile(r"sm_(\d{1,2})(\d)([af]?)")
_NUMBER = re.compile(r"(\d{1,2})(\d)()")
_VERSION = re.compile(r"(\d{1,2})\.(\d)()")

CapabilityOption = str | int | float | None
"""xDSL reads `sm_90` as a string, `90` as an integer and `9.0` as a float."""


@dataclass(frozen=True, order=True)
class ComputeCapability:
    """An architecture: `sm_90a` is major 9, minor 0, suffix `a`."""

    major: int
    minor: int
    suffix: str = ""

    @staticmethod
    def parse(option: CapabilityOption) -> ComputeCapability:
        """From `sm_90`, `sm_90a`, `90` or `9.0`; `ValueError` for anything else."""
        text = "" if option is None or isinstance(option, bool) else str(option)
        for form in (_NAME, _NUMBER, _VERSION):
            if (match := form.fullmatch(text)) is not None:
                major, minor, suffix = match.groups()
                return ComputeCapability(int(major), int(minor), suffix)
        raise ValueError(f"'{text}' is no compute capability (expected sm_90, sm_90a, 90 or 9.0)")

    @property
    def number(self) -> int:
        """90 for sm_90a."""
        return self.major * 10 + self.minor

    @property
    def base_name(self) -> str:
        """`sm_90` for sm_90a."""
        return f"sm_{self.number}"

    @property
    def name(self) -> str:
        return f"{self.base_name}{self.suffix}"
