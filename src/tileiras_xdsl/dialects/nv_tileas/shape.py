"""
Reductions, scans and pragmas, as in `nv_tileaa`; other shapes, other layouts, parts of tensors, and
tensors made element by element.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import lazy_traits_def, operand_def, region_def, result_def, traits_def
from xdsl.traits import HasParent, IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import diagnosed_op
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.memory_order import UnknownEffects
from tileiras_xdsl.dialects.nv_tileaa.aggregate import PrefixOperation, ReductionOperation, Yield
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    TensorConstraint,
    TileaaOperation,
    get_element,
    get_encoding,
    get_shape,
    is_number,
)
from tileiras_xdsl.dialects.nv_tileaa.queues import Pragma
from tileiras_xdsl.dialects.nv_tileaa.shape import (
    ExpandDimsOperation,
    SliceExtraction,
    SliceInsertion,
    ViewOperation,
)

from .types import get_buffered


@diagnosed_op
class YieldOp(Yield):
    """Ends the body of `reduce`, `scan`, `generate` or `pragma` with its values."""

    name = "nv_tileas.yield"

    traits = lazy_traits_def(
        lambda: (IsTerminator(), Pure(), HasParent(ReduceOp, ScanOp, PragmaOp, GenerateOp))
    )


@diagnosed_op
class ReduceOp(ReductionOperation):
    """All elements along `axis` combined, as by `nv_tileaa.reduce`."""

    name = "nv_tileas.reduce"
    YIELD: ClassVar[type[Yield]] = YieldOp


@diagnosed_op
class ScanOp(PrefixOperation):
    """Each element combined with all before it along `axis`, as by `nv_tileaa.scan`."""

    name = "nv_tileas.scan"
    YIELD: ClassVar[type[Yield]] = YieldOp


@diagnosed_op
class PragmaOp(Pragma):
    """Instructions for later passes about a region, in attributes of any name."""

    name = "nv_tileas.pragma"
    YIELD: ClassVar[type[Yield]] = YieldOp

    traits = traits_def(UnknownEffects())


@diagnosed_op
class ViewOp(ViewOperation):
    """The same elements in row-major order under another shape."""

    name = "nv_tileas.view"

    traits = traits_def(Pure())


@diagnosed_op
class ExpandDimsOp(ExpandDimsOperation):
    """Inserts a dimension of size one at `axis`."""

    name = "nv_tileas.expand_dims"

    traits = traits_def(Pure())


class Relayout(TileaaOperation, ABC):
    """The same tensor in another layout."""

    source = operand_def(TensorConstraint())
    result = result_def(TensorConstraint())

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def verify_(self) -> None:
        if get_buffered(self.source.type) != get_buffered(self.result.type):
            raise VerifyException(
                f"expects the shape and the elements of '{self.source.type}', but got "
                f"'{self.result.type}'"
            )
        if get_encoding(self.source.type) == get_encoding(self.result.type):
            raise VerifyException(f"expects another layout than that of '{self.source.type}'")


@diagnosed_op
class ConvertLayoutOp(Relayout):
    """
    The same tensor in another layout:

        %y = nv_tileas.convert_layout %x : tensor<64x64xf16, #a> -> tensor<64x64xf16, #b>

    How the data moves (registers renamed, shuffles, a trip through shared memory) is decided
    when it is materialized.
    """

    name = "nv_tileas.convert_layout"


@diagnosed_op
class ShuffleOp(Relayout):
    """The same tensor in another layout of the same warps: no thread reads another warp's data."""

    name = "nv_tileas.shuffle"


@diagnosed_op
class ReinterpretOp(TileaaOperation):
    """The same bits as elements of another type; the last dimension grows or shrinks for it."""

    name = "nv_tileas.reinterpret"

    source = operand_def(TensorConstraint())
    result = result_def(TensorConstraint())

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def verify_(self) -> None:
        source, result = self.source.type, self.result.type
        if not (is_number(get_element(source)) and is_number(get_element(result))):
            raise VerifyException(f"expects numbers, but got '{source}' and '{result}'")
        if _row_bits(source) != _row_bits(result):
            raise VerifyException(f"'{source}' and '{result}' have different sizes in bits")


def _row_bits(ty: Attribute) -> tuple[tuple[int, ...], int]:
    shape = get_shape(ty)
    return shape[:-1], prod(shape[-1:]) * element_bit_width(get_element(ty))


def verify_slice(part: Attribute, whole: Attribute, indices: Sequence[SSAValue]) -> None:
    """
    Checks that a tensor can be cut into such parts, which may lack leading dimensions, of which
    one index is taken then.
    """
    if get_element(part) != get_element(whole):
        raise VerifyException(
            f"expects one element type, but got '{get_element(part)}', '{get_element(whole)}'"
        )
    sizes, steps = get_shape(whole), get_shape(part)
    if len(indices) != len(sizes):
        raise VerifyException(f"expects {len(sizes)} indices, but got {len(indices)}")
    steps = (*(1,) * (len(sizes) - len(steps)), *steps)
    if len(steps) != len(sizes) or any(
        size % step for size, step in zip(sizes, steps, strict=True)
    ):
        raise VerifyException(f"'{part}' is not a slice of '{whole}'")


@diagnosed_op
class ExtractSliceOp(SliceExtraction):
    """
    One of the parts that a tensor can be cut into; indices count parts along each dimension.
    Leading dimensions of size one may be left out of the part, as those of the stages here:

        %s = nv_tileas.extract_slice %b[%stage, %c0, %c0]
            : (tensor<3x64x64xf16>, i32, i32, i32) -> tensor<64x64xf16>
    """

    name = "nv_tileas.extract_slice"

    result = result_def(TensorConstraint())

    def verify_(self) -> None:
        verify_slice(self.result.type, self.source.type, self.indices)


@diagnosed_op
class InsertSliceOp(SliceInsertion):
    """
    The destination with one of its parts replaced; indices count parts. It is a new tensor: a
    buffer is changed by `copy` instead.
    """

    name = "nv_tileas.insert_slice"

    def verify_(self) -> None:
        verify_slice(self.source.type, self.destination.type, self.indices)


@diagnosed_op
class GenerateOp(TileaaOperation):
    """
    A tensor whose elements its body computes from their coordinates:

        %d = nv_tileas.generate : tensor<8x8xi32> {
        ^bb0(%i: i32, %j: i32):
          %s = arith.addi %i, %j : i32
          nv_tileas.yield %s : i32
        }
    """

    name = "nv_tileas.generate"

    result = result_def(TensorConstraint())
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())
    assembly_format = "attr-dict `:` type($result) $body"

    def verify_(self) -> None:
        ty = self.result.type
        assert isinstance(ty, TensorType)
        rank = len(ty.get_shape())
        found = [argument.type for argument in self.body.block.args]
        if found != [i32] * rank:
            raise VerifyException(
                f"expects {rank} coordinates of type 'i32' as body arguments, but got "
                f"({', '.join(map(str, found))})"
            )
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException(f"expects regions to end with '{YieldOp.name}'")
        yielded = [value.type for value in last.operands]
        if yielded != [get_element(ty)]:
            raise VerifyException(
                f"expects the body to yield ({get_element(ty)}), but got "
                f"({', '.join(map(str, yielded))})"
            )
