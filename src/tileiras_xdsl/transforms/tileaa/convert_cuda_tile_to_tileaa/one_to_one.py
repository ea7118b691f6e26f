"""The default shape of a rewrite: the same op under another name, with converted types."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from xdsl.ir import Operation, SSAValue

from tileiras_xdsl.dialects.nv_tileaa import NvTileaa
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

from .attributes import convert_properties

OWN: Final = "cuda_tile."
"""What the names of attributes begin with that only ops of `cuda_tile` can have."""


def carry_attributes(source: Operation, target: Operation) -> None:
    """
    Copies the discardable attributes, `fastmath` among them, but not those that `cuda_tile` has
    for its own ops (`dialects/cuda_tile/decisions.py`).
    """
    for name, attribute in source.attributes.items():
        if not name.startswith(OWN):
            target.attributes[name] = attribute


@dataclass(frozen=True)
class OneToOne(ConversionPattern[Operation]):
    """
    %r = cuda_tile.addi %a, %b overflow<no_signed_wrap> : tile<8xi32>
    →
    %r = nv_tileaa.addi %a, %b {overflow = "no_signed_wrap"} : tensor<8xi32>
    """

    op_class: type[Operation]

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, self.build(op, rewriter))

    def build(self, op: Operation, rewriter: ConversionRewriter) -> Operation:
        """The new op."""
        return self.op_class.create(
            operands=rewriter.values(op.operands),
            result_types=[rewriter.type(ty) for ty in op.result_types],
            properties=convert_properties(op),
            attributes=dict(op.attributes),
        )


@dataclass(frozen=True)
class ByFunction(ConversionPattern[Operation]):
    """What a function makes of an op: another one, which keeps the attributes, or a value."""

    build: Callable[..., Operation | SSAValue]

    def convert(self, op: Operation, rewriter: ConversionRewriter) -> None:
        new = self.build(op, rewriter)
        if isinstance(new, Operation):
            carry_attributes(op, new)
        rewriter.replace(op, new)


def add_same_names(patterns: PatternSet, ops: Iterable[type[Operation]]) -> None:
    """Adds patterns for ops that keep their name in the other dialect."""
    new = {op.name.partition(".")[2]: op for op in NvTileaa.operations}
    for op in ops:
        patterns.add(op, OneToOne(new[op.name.partition(".")[2]]))
