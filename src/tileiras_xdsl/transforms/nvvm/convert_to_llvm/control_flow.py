"""`cf` and `ub`: branches, poison and what is never reached."""

from __future__ import annotations

from typing import Final

from xdsl.dialects import cf, llvm, ub
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block, SSAValue
from xdsl.irdl import AttrSizedOperandSegments

from tileiras_xdsl.dialects import llvm as own_llvm
from tileiras_xdsl.xdsl_extras.dialect_conversion import (
    ConversionError,
    ConversionPattern,
    ConversionRewriter,
    PatternSet,
)

SEGMENTS: Final = AttrSizedOperandSegments.attribute_name


class ConvertBranch(ConversionPattern[cf.BranchOp]):
    """
    cf.br ^bb1(%x : index)
    →
    llvm.br ^bb1(%x : i64)
    """

    def convert(self, op: cf.BranchOp, rewriter: ConversionRewriter) -> None:
        operands = rewriter.values(op.operands)
        rewriter.replace(op, llvm.BrOp.create(operands=operands, successors=op.successors))


class ConvertConditionalBranch(ConversionPattern[cf.ConditionalBranchOp]):
    """
    cf.cond_br %c, ^bb1(%x : index), ^bb2
    →
    llvm.cond_br %c, ^bb1(%x : i64), ^bb2
    """

    def convert(self, op: cf.ConditionalBranchOp, rewriter: ConversionRewriter) -> None:
        new = llvm.CondBrOp.create(
            operands=rewriter.values(op.operands),
            # Both count the values for either block in the same way.
            properties={SEGMENTS: op.properties[SEGMENTS]},
            successors=op.successors,
        )
        rewriter.replace(op, new)


class ConvertSwitch(ConversionPattern[cf.SwitchOp]):
    """
    cf.switch %x : i32, [default: ^bb1, 7: ^bb2(%y : index)]
    →
    "llvm.switch"(%x, %y)[^bb1, ^bb2] <{case_values = dense<7> : vector<1xi32>, …}>
        : (i32, i64) -> ()
    """

    def convert(self, op: cf.SwitchOp, rewriter: ConversionRewriter) -> None:
        values: tuple[int, ...] = ()
        if isinstance(op.case_values, DenseIntOrFPElementsAttr):
            values = tuple(int(value) for value in op.case_values.get_values())
        cases: list[tuple[int, Block, list[SSAValue]]] = [
            (value, block, rewriter.values(operands))
            for value, block, operands in zip(values, op.case_blocks, op.case_operand, strict=True)
        ]
        default = (op.default_block, rewriter.values(op.default_operands))
        rewriter.replace(op, own_llvm.SwitchOp(rewriter.value(op.flag), default, cases))


class RefuseAssert(ConversionPattern[cf.AssertOp]):
    """An assertion that `convert-gpu-to-nvvm` has not seen."""

    def convert(self, op: cf.AssertOp, rewriter: ConversionRewriter) -> None:
        raise ConversionError("'convert-gpu-to-nvvm' should have made a call of it")


class ConvertPoison(ConversionPattern[ub.PoisonOp]):
    """
    %r = ub.poison : index
    →
    %r = llvm.mlir.poison : i64
    """

    def convert(self, op: ub.PoisonOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, own_llvm.PoisonOp(rewriter.type(op.result.type)))


class ConvertUnreachable(ConversionPattern[ub.UnreachableOp]):
    """`ub.unreachable` → `llvm.unreachable`"""

    def convert(self, op: ub.UnreachableOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, llvm.UnreachableOp())


def populate_control_flow(patterns: PatternSet) -> None:
    """Adds a pattern for each op of `cf` and `ub`."""
    patterns.add(cf.BranchOp, ConvertBranch())
    patterns.add(cf.ConditionalBranchOp, ConvertConditionalBranch())
    patterns.add(cf.SwitchOp, ConvertSwitch())
    patterns.add(cf.AssertOp, RefuseAssert())
    patterns.add(ub.PoisonOp, ConvertPoison())
    patterns.add(ub.UnreachableOp, ConvertUnreachable())
