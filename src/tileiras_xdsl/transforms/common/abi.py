"""How kernels are launched, which decides what a launch can be asked for."""

from __future__ import annotations

import platform
from typing import Final, Literal

Abi = Literal["device-maps", "driver-maps", "host-maps"]
ABIS: Final[tuple[Abi, ...]] = ("device-maps", "driver-maps", "host-maps")
DEVICE_MAPS_ABI: Final = "device-maps"
"""The ABI of any launcher and of PTX: a kernel builds its tensor maps itself when it starts."""
DRIVER_MAPS_ABI: Final = "driver-maps"
"""
The ABI of any launcher of a cubin: the driver runs code of the cubin when arguments change, which
writes tensor maps to hidden parameters.
"""
HOST_MAPS_ABI: Final = "host-maps"
"""The ABI of our own launcher, which passes tensor maps and asks for shared memory."""

DRIVER_MAPS_CPUS: Final = ("x86_64", "aarch64")
"""CPUs for which cubins have code, where the system is Linux."""


def abi_of_cubins(cpu: str | None = None, system: str | None = None) -> Abi:
    """
    The ABI of cubins that other launchers launch: `driver-maps` if a cubin can have code for their
    CPU and system, by default those of this machine.
    """
    is_known = (cpu or platform.machine()) in DRIVER_MAPS_CPUS
    is_here = cpu in (None, platform.machine())
    is_linux = (system or platform.system()).lower() == "linux"
    return DRIVER_MAPS_ABI if is_known and is_here and is_linux else DEVICE_MAPS_ABI
