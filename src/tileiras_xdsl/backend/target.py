"""
The architectures that LLVM's NVPTX back end compiles for here, and their PTX versions.

LLVM takes any name: it falls back to an old architecture for one it does not know, to the lowest
PTX version for a version it does not know, and ends the process for a version that is too low for
the architecture. So the names that reach it are those of `targets` and no others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tileiras_xdsl.backend.errors import BackendError
from tileiras_xdsl.targets.machine import CapabilityOption, ComputeCapability
from tileiras_xdsl.targets.target import Target, target_of, with_suffix

TRIPLE: Final = "nvptx64-nvidia-cuda"

PTX_VERSIONS: Final = (
    *(70, 71, 72, 73, 74, 75, 76, 77, 78),
    *(80, 81, 82, 83, 84, 85, 86, 87, 88, 90),
)
"""The versions that this LLVM can write."""

DEFAULT_PTX_VERSION: Final = 86
"""The first that has all TMA copies; CUDA 12.7 and later read it."""

MAX3_PTX_VERSION: Final = 88
"""The first that has the minimum and maximum of three, where the architecture has it."""


@dataclass(frozen=True)
class NvptxTarget:
    """An architecture and a PTX version that go together; made by `parse`."""

    machine: Target
    """With its suffix: code for sm_90 is compiled for sm_90a."""
    ptx_version: int
    """86 is PTX 8.6."""
    is_version_given: bool = field(default=False, compare=False)
    """
    Whether one was asked for that is not the default. If not, a program may need a later one and
    get it. (Processes that compile for others pass all versions on, so the default says nothing.)
    """

    @staticmethod
    def parse(
        option: CapabilityOption | ComputeCapability, ptx_version: int | None = None
    ) -> NvptxTarget:
        """
        From `sm_90`, `sm_90a`, `90`, `9.0` or a capability. From sm_90 on, names without a suffix
        mean the variants with the suffix `a`.
        """
        try:
            if not isinstance(option, ComputeCapability):
                option = ComputeCapability.parse(option)
            machine = target_of(with_suffix(option))
        except ValueError as error:
            raise BackendError(str(error)) from error
        lowest = machine.ptx_version
        default = max(lowest, DEFAULT_PTX_VERSION)
        if machine.has("max3"):
            default = max(default, MAX3_PTX_VERSION)
        if ptx_version is None:
            ptx_version = default
        if ptx_version not in PTX_VERSIONS:
            known = ", ".join(map(str, PTX_VERSIONS))
            raise BackendError(f"cannot write PTX version {ptx_version} (expected one of {known})")
        if ptx_version < lowest:
            raise BackendError(f"{machine} needs PTX version {lowest} or later, not {ptx_version}")
        return NvptxTarget(machine, ptx_version, ptx_version != default)

    @property
    def cpu(self) -> str:
        """What ptxas calls the architecture: `sm_90a`."""
        return self.machine.name

    @property
    def features(self) -> str:
        """What tells LLVM the PTX version: `+ptx86`."""
        return f"+ptx{self.ptx_version}"

    def __str__(self) -> str:
        return self.cpu
