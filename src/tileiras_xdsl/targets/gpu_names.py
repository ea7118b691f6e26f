"""What people call GPUs: `sm_90`, `sm90`, `90`, `9.0`, `H200`."""

from __future__ import annotations

import re
from typing import Final

from .capability import ComputeCapability

PRODUCTS: Final = {
    "sm_80": ("A30", "A100", "A800"),
    "sm_86": ("A10", "A16", "A40", "RTX 30"),
    "sm_87": ("Orin",),
    "sm_89": ("L4", "L40", "L40S", "RTX 40"),
    "sm_90": ("H20", "H100", "H200", "H800", "GH200"),
    "sm_100": ("B100", "B200", "GB200"),
    "sm_103": ("B300", "GB300"),
    "sm_110": ("Thor",),
    "sm_120": ("RTX 50", "RTX PRO 6000"),
    "sm_121": ("GB10", "DGX Spark"),
}
"""
GPUs by architecture, as NVIDIA's table of CUDA GPUs lists them. Of GeForce cards the series: an
RTX 4090 is of `RTX 40`.
"""


DEFAULT_GPU: Final = "sm_90"
"""What programs are looked at for if nobody says which."""


def gpu_name(gpu: str | int) -> str:
    """
    The name of an architecture, for whatever names it; what names none is returned as it is, for
    others to refuse.
    """
    text = str(gpu)
    if (match := re.fullmatch(r"(?:sm[_-]?)?(\d{2,3}[af]?)", text, re.IGNORECASE)) is not None:
        return f"sm_{match[1].lower()}"
    try:
        return ComputeCapability.parse(text).name
    except ValueError:
        return _BY_PRODUCT.get(_key(text), text)


def _key(name: str) -> str:
    """A product without what is not needed to tell it from others."""
    # Drivers also say how much memory there is: H100 80GB HBM3, A100-SXM4-80GB.
    key = re.sub(r"\b\d+ ?gb\b.*$", "", name.lower())
    key = re.sub(r"nvidia|geforce|[\s_-]", "", key)
    if (series := re.fullmatch(r"rtx([345])0\d0(ti|super|tisuper|d)?", key)) is not None:
        return f"rtx{series[1]}0"
    return re.sub(r"(?<=\d)(sxm|pcie|nvl)\d?$", "", key)


_BY_PRODUCT: Final = {
    _key(product): arch for arch, products in PRODUCTS.items() for product in products
}
