"""
What a kernel was asked to be: hints of an entry are fields of `nv_tileaa.kernel_spec`.

Who follows a hint for clusters takes it out of the specification; who does not may say why, in
`nv_tileas.ignored_hint`.
"""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.gpu import FuncOp

from tileiras_xdsl.dialects.nv_tileaa.decisions import KERNEL_SPEC

from .attributes import IgnoredHintAttr
from .decisions import IGNORED_HINT


def get_kernel_hint(function: FuncOp, name: str) -> int:
    """A hint that a kernel was given; 1 without it."""
    spec = KERNEL_SPEC.get(function)
    return 1 if spec is None else spec.get_fields().get(name, 1)


def take_cluster_hint(function: FuncOp) -> int:
    """How many blocks are to be in a cluster, which the specification then says no more."""
    blocks = get_kernel_hint(function, "num_ctas")
    if (spec := KERNEL_SPEC.get(function)) is not None:
        KERNEL_SPEC.set(function, spec.replaced(num_ctas=None))
    return blocks


def ignore_cluster_hint(function: FuncOp, reason: str) -> None:
    """Takes the hint out of the specification and says why."""
    hint = f"num_cta_in_cga = {take_cluster_hint(function)}"
    IGNORED_HINT.set(function, IgnoredHintAttr(StringAttr(hint), StringAttr(reason)))
