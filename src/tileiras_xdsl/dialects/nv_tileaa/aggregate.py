"""Reductions and scans, whose body combines two elements of each operand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, IntegerAttr, i32
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    eq,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import HasParent, IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value, diagnosed_op

from .attributes import ElementLike, TileaaOperation, get_element, get_shape

YIELD_PARENTS: Final[list[type[Operation]]] = []
"""The ops whose bodies end with a yield; modules add theirs."""


class Yield(TileaaOperation, ABC):
    """Ends a body with its values."""

    arguments = var_operand_def()

    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"

    def __init__(self, *arguments: Value):
        super().__init__(operands=[arguments])


@diagnosed_op
class YieldOp(Yield):
    """Ends the body of `reduce`, `scan` or `pragma` with its values."""

    name = "nv_tileaa.yield"

    traits = lazy_traits_def(lambda: (IsTerminator(), Pure(), HasParent(*YIELD_PARENTS)))


class AggregateOperation(TileaaOperation, ABC):
    """
    Combines elements along `axis`; the body takes two scalars for each operand, and yields
    their combination.
    """

    YIELD: ClassVar[type[Yield]] = YieldOp

    operands_ = var_operand_def(ElementLike)
    results_ = var_result_def(ElementLike)
    axis = prop_def(IntegerAttr.constr(type=eq(i32)))
    identities = opt_prop_def(ArrayAttr)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())
    assembly_format = "$operands_ attr-dict `:` type($operands_) `->` type($results_) $body"

    def get_axis(self) -> int:
        return self.axis.value.data

    def verify_(self) -> None:
        shapes = {get_shape(operand.type) for operand in self.operands}
        if len(shapes) != 1:
            raise VerifyException("expects operands of one shape, at least one of them")
        (shape,) = shapes
        axis = self.get_axis()
        if not 0 <= axis < len(shape):
            raise VerifyException(f"axis {axis} is not a dimension of rank {len(shape)}")
        elements = [get_element(operand.type) for operand in self.operands]
        self._verify_results(elements, self.result_shape(shape, axis))
        if self.identities is not None and len(self.identities) != len(elements):
            raise VerifyException(
                f"expects an identity for each of {len(elements)} operands, but got "
                f"{len(self.identities)}"
            )
        self._verify_body(elements)

    def _verify_results(self, elements: Sequence[Attribute], shape: Sequence[int]) -> None:
        found = [(get_element(result.type), get_shape(result.type)) for result in self.results]
        if found != [(element, tuple(shape)) for element in elements]:
            raise VerifyException(
                f"expects results of shape {list(shape)} with the elements of the operands"
            )

    def _verify_body(self, elements: Sequence[Attribute]) -> None:
        expected = [element for element in elements for _ in range(2)]
        found = [argument.type for argument in self.body.block.args]
        if found != expected:
            raise VerifyException(
                f"expects body arguments ({_join(expected)}), but got ({_join(found)})"
            )
        last = self.body.block.last_op
        if not isinstance(last, self.YIELD):
            raise VerifyException(f"expects regions to end with '{self.YIELD.name}'")
        yielded = [value.type for value in last.operands]
        if yielded != list(elements):
            raise VerifyException(
                f"expects the body to yield ({_join(elements)}), but got ({_join(yielded)})"
            )

    @abstractmethod
    def result_shape(self, shape: Sequence[int], axis: int) -> tuple[int, ...]:
        """The shape of the results."""


def _join(types: Sequence[Attribute]) -> str:
    return ", ".join(str(ty) for ty in types)


class ReductionOperation(AggregateOperation, ABC):
    """All elements along `axis` combined."""

    def result_shape(self, shape: Sequence[int], axis: int) -> tuple[int, ...]:
        return (*shape[:axis], *shape[axis + 1 :])


@diagnosed_op
class ReduceOp(ReductionOperation):
    """
    All elements along `axis` combined, in no particular order:

        %sum = nv_tileaa.reduce %x {axis = 1 : i32, identities = [0.0 : f32]}
            : tensor<8x64xf32> -> tensor<8xf32> {
        ^bb0(%a: f32, %b: f32):
          %s = nv_tileaa.addf %a, %b : f32
          nv_tileaa.yield %s : f32
        }
    """

    name = "nv_tileaa.reduce"


class PrefixOperation(AggregateOperation, ABC):
    """All elements along `axis` combined with those before them."""

    inclusive = opt_prop_def(BoolAttr)
    reverse = opt_prop_def(BoolAttr)

    def result_shape(self, shape: Sequence[int], axis: int) -> tuple[int, ...]:
        return tuple(shape)


@diagnosed_op
class ScanOp(PrefixOperation):
    """
    Each element combined with all before it along `axis`, or after it if `reverse`; itself
    included if `inclusive`. The accumulator is the first of the two body arguments.
    """

    name = "nv_tileaa.scan"


YIELD_PARENTS.extend((ReduceOp, ScanOp))
