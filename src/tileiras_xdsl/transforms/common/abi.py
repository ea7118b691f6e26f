"""How kernels are launched, which decides what a launch can be asked for."""

from __future__ import annotations

from typing import Final, Literal

Abi = Literal["device-maps", "host-maps"]
ABIS: Final[tuple[Abi, ...]] = ("device-maps", "host-maps")
HOST_MAPS_ABI: Final = "host-maps"
"""The ABI of our own launcher, which passes tensor maps and asks for shared memory."""
WORKSPACE_FLAGS: Final = 1 << 20
"""
Bytes in front of a workspace in which kernels have flags, behind which they have tiles: so what a
kernel leaves behind is no flag of another one. There are flags for 1024 CTAs of 256 threads.
"""
