"""Options of a compilation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL, OPT_LEVELS
from tileiras_xdsl.targets.gpu_names import gpu_name
from tileiras_xdsl.transforms.common.abi import ABIS, Abi
from tileiras_xdsl.xdsl_extras.public import CallerError

if TYPE_CHECKING:
    from tileiras_xdsl.backend.target import NvptxTarget

HintMode = Literal["ignore", "warn", "error"]
"""As the public tools do by default, with `-Wunsupported-hints`, and with `-Werr-hints` as well."""

OPTIMIZED_DEBUGGING: Final = (
    "optimized debugging is not supported, change optimization level to 0 or disable full debug "
    "info"
)


class OptionError(CallerError, DiagnosticException):
    """An option that does not exist, or that does not go with the others."""


@dataclass(frozen=True)
class Options:
    """What changes the result of a compilation; everything here is part of the cache's key."""

    gpu: str
    """Such as `sm_90`; `sm_90a` means the same, and so do `90` and `H200`."""
    opt: int = DEFAULT_OPT_LEVEL
    lineinfo: bool = False
    """Whether instructions know their place in the source."""
    device_debug: bool = False
    """The same, for debuggers; needs `opt` 0."""
    abi: Abi = "device-maps"
    unsupported_hints: HintMode = "ignore"
    """What is done about optimization hints that the public tools do not understand."""

    check: bool = False
    """
    Whether accesses out of bounds and undefined divisions fail an assertion, and accesses to
    tensor memory that is not allocated, or of other warps, end the kernel.
    """

    def __post_init__(self):
        object.__setattr__(self, "gpu", gpu_name(self.gpu))
        if self.opt not in OPT_LEVELS:
            raise OptionError(f"invalid optimization level {self.opt} (expected 0 to 3)")
        if self.device_debug and self.opt != 0:
            raise OptionError(OPTIMIZED_DEBUGGING)
        if self.abi not in ABIS:
            known = " or ".join(ABIS)
            raise OptionError(f"there is no ABI '{self.abi}' (expected {known})")
        _ = self.target

    @property
    def ptxas_level(self) -> int:
        """How much ptxas is to optimize."""
        return 0 if self.opt == 0 else 3

    @cached_property
    def target(self) -> NvptxTarget:
        """The architecture, as the back end has it; every pass asks for it."""
        from tileiras_xdsl.backend.errors import BackendError
        from tileiras_xdsl.backend.target import NvptxTarget
        from tileiras_xdsl.targets.target import expected_names

        try:
            return NvptxTarget.parse(self.gpu)
        except BackendError:
            name = re.fullmatch(r"sm_(\d+)[af]?", self.gpu)
            expected = expected_names(None if name is None else int(name[1]))
            raise OptionError(f"unsupported GPU target '{self.gpu}' {expected}") from None

    @property
    def arch(self) -> str:
        """The architecture as passes have it, `sm_90a`."""
        return self.target.cpu
