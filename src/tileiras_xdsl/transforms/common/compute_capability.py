"""The architecture a program is compiled for, as pass options and module attributes give it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

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


DEFAULT_CAPABILITY: Final = ComputeCapability(8, 0)


def get_capability(module: ModuleOp, option: CapabilityOption) -> ComputeCapability:
    """
    The architecture that an option asks for, else that of the module, else sm_80. The number in
    a module does not say which variant of an architecture it is, the name beside it does.
    """
    # The back end parses names of architectures before it is known whether xDSL is needed at all.
    from xdsl.dialects.builtin import IntegerAttr, StringAttr

    from tileiras_xdsl.dialects.nv_tileaa.decisions import COMPUTE_CAPABILITY, TARGET_SPEC
    from tileiras_xdsl.xdsl_extras.dialect_conversion import fail

    if option is None and (name := TARGET_SPEC.get(module)) is not None:
        option = name.data
    if option is None:
        match COMPUTE_CAPABILITY.get(module):
            case None:
                return DEFAULT_CAPABILITY
            case IntegerAttr() as number:
                option = number.value.data
            case StringAttr() as name:
                option = name.data
            case other:
                option = str(other)
    try:
        return ComputeCapability.parse(option)
    except ValueError as error:
        fail(module, f"invalid or missing --compute-capability option: {error}")
