"""How kernels are launched, which decides what a launch can be asked for."""

from __future__ import annotations

from typing import Final, Literal

Abi = Literal["device-maps", "host-maps"]
ABIS: Final[tuple[Abi, ...]] = ("device-maps", "host-maps")
HOST_MAPS_ABI: Final = "host-maps"
"""The ABI of our own launcher, which passes tensor maps and asks for shared memory."""
