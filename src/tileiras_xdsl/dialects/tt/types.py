"""
Types of `tt`. Tiles are builtin tensors, also of pointers, and scalars.

- `!tt.ptr<f32>`: a pointer to global memory; `!tt.ptr<tensor<8x64xf32>>` to a block of it;
- `!tt.tensordesc<8x64xf16>`: a tensor in memory that is accessed by blocks; Triton up to 3.7 writes
  `!tt.tensordesc<tensor<8x64xf16>>`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, IntegerType, TensorType, i1
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.nv_tileaa.types import GLOBAL_SPACE, PointerType


@irdl_attr_definition
class PtrType(PointerType):
    """A pointer with its pointee: `!tt.ptr<f32>`, in another address space `!tt.ptr<f32, 3>`."""

    name = "tt.ptr"

    SHOWS_GLOBAL = False

    def __init__(self, pointee: Attribute, address_space: int = GLOBAL_SPACE):
        super().__init__(pointee, IntAttr(address_space))


@irdl_attr_definition
class TensorDescType(ParametrizedAttribute, TypeAttribute):
    """
    A tensor in memory that is accessed by blocks of one shape: `!tt.tensordesc<8x64xf16>`. Text of
    Triton up to 3.7 shows the block as a tensor, and is printed so again.
    """

    name = "tt.tensordesc"

    block: TensorType
    shows_tensor: IntAttr

    def __init__(self, block: TensorType, shows_tensor: bool = False):
        super().__init__(block, IntAttr(int(shows_tensor)))

    @property
    def tensor(self) -> TensorType:
        """A block that was loaded: its integers have no sign, which they may have in the type."""
        element = self.block.get_element_type()
        if isinstance(element, IntegerType):
            element = IntegerType(element.width)
        return TensorType(element, self.block.get_shape())

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            position = parser.pos
            ty = parser.parse_optional_type()
            if ty is not None and not isinstance(ty, TensorType):
                parser.raise_error(f"expected the type of a block, but got '{ty}'", position)
            if ty is not None:
                return [ty, IntAttr(1)]
            dims, element = parser.parse_ranked_shape()
        return [TensorType(element, dims), IntAttr(0)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            if self.shows_tensor.data:
                printer.print_attribute(self.block)
                return
            printer.print_string("".join(f"{dim}x" for dim in self.block.get_shape()))
            printer.print_attribute(self.block.get_element_type())

    def verify(self) -> None:
        if not self.block.get_shape():
            raise VerifyException("expects a block of at least one dimension")


def shape_of(ty: Attribute) -> tuple[int, ...]:
    """The shape of a tensor; a scalar has none."""
    return tuple(ty.get_shape()) if isinstance(ty, TensorType) else ()


def element_of(ty: Attribute) -> Attribute:
    """The type of the elements of a tensor, or of a scalar."""
    return ty.get_element_type() if isinstance(ty, TensorType) else ty


def with_element(ty: Attribute, element: Attribute) -> Attribute:
    """A tensor of the same shape, or a scalar, of other elements."""
    return TensorType(element, ty.get_shape()) if isinstance(ty, TensorType) else element


def with_shape(ty: Attribute, shape: Sequence[int]) -> Attribute:
    """A tensor of the same elements in another shape; a scalar if that is empty."""
    element = element_of(ty)
    return TensorType(element, shape) if shape else element


def pointee_of(ty: Attribute) -> Attribute:
    """What lies behind a pointer, a tensor of pointers, or a pointer to a block."""
    element = element_of(ty)
    if not isinstance(element, PtrType):
        raise VerifyException(f"expects pointers, but got '{ty}'")
    return with_element(ty, element.pointee)


def mask_of(ty: Attribute) -> Attribute:
    """The type of the mask of an access through pointers, or to a block."""
    return with_element(pointee_of(ty), i1)


def is_integer(ty: Attribute, *widths: int) -> bool:
    """Whether a value has integers, of one of some widths."""
    element = element_of(ty)
    return isinstance(element, IntegerType) and (not widths or element.width.data in widths)


def block_of(value: SSAValue) -> TensorType:
    """The type of the blocks that are loaded through a tensor descriptor."""
    if not isinstance(value.type, TensorDescType):
        raise VerifyException(f"expects a tensor descriptor, but got '{value.type}'")
    return value.type.tensor
