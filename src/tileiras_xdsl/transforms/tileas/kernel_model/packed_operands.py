"""
Operands of 4-bit elements as the bytes that they are in memory, two elements to a byte along K.

Before:  %x = nv_tileaa.unpack %flat : tensor<16384xi8> -> tensor<32768xf4E2M1FN>
         %a = nv_tileas.view %x : tensor<32768xf4E2M1FN> -> tensor<128x256xf4E2M1FN>
         nv_tileas.scaled_dot %a, …
After:   nv_tileas.scaled_dot %bytes, … {packed = f4E2M1FN} : tensor<128x128xi8>, …

MMAs read pairs of elements as bytes, so nothing is unpacked, and tiles that were loaded are read
from shared memory where the loads put them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i8
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from tileiras_xdsl.dialects.nv_tileaa.base import get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.matmul import PackOp, UnpackOp
from tileiras_xdsl.dialects.nv_tileaa.shape import PermuteOp, ViewOperation
from tileiras_xdsl.dialects.nv_tileas.matmul import PER_BYTE, ScaledDotOp
from tileiras_xdsl.dialects.nv_tileas.shape import ViewOp


def is_unpacked(op: ScaledDotOp) -> bool:
    """Whether both operands of a dot, of two dimensions, are bytes that were unpacked along K."""
    a, b = op.a, op.b
    if len(get_shape(op.result.type)) != 2 or op.packed is not None:
        return False
    if not isinstance(owner := b.owner, PermuteOp) or owner.get_permutation() != (1, 0):
        return False
    return all(find_unpacking(value) is not None for value in (a, owner.source))


def find_unpacking(value: SSAValue) -> UnpackOp | None:
    """The op that unpacked a tile from bytes, two elements from each; None if there is none."""
    while isinstance(owner := value.owner, ViewOperation):
        value = owner.operands[0]
    if not isinstance(owner, UnpackOp):
        return None
    size = get_shape(owner.source.type)[0]
    return owner if get_shape(owner.result.type)[0] == PER_BYTE * size else None


def pack_operands(op: ScaledDotOp) -> None:
    """Lets a dot multiply the bytes that its operands were unpacked from."""
    packing, old = OperandPacking(op), (op.a, op.b)
    op.properties["packed"] = op.elements[0]
    op.operands[0] = packing.pack(op.a)
    op.operands[1] = packing.transpose(packing.pack(packing.transpose(op.b)))
    for value in old:
        while isinstance(owner := value.owner, Operation) and is_trivially_dead(owner):
            value = owner.operands[0]
            Rewriter.erase_op(owner)


class OperandPacking:
    """Packs operands of a dot."""

    def __init__(self, op: ScaledDotOp):
        self.op = op

    def insert(self, op: Operation) -> SSAValue:
        """Inserts an op before the dot."""
        op.location = self.op.location
        Rewriter.insert_op(op, InsertPoint.before(self.op))
        return op.results[0]

    def transpose(self, value: SSAValue) -> SSAValue:
        """A matrix transposed; what it was transposed from, if it was."""
        if isinstance(owner := value.owner, PermuteOp) and owner.get_permutation() == (1, 0):
            return owner.source
        return self.insert(PermuteOp(value, (1, 0)))

    def pack(self, value: SSAValue) -> SSAValue:
        """The bytes of a tile, which may have been unpacked from them."""
        rows, columns = get_shape(value.type)
        shape = (rows, columns // PER_BYTE)
        source: SSAValue = value
        while isinstance(owner := source.owner, ViewOperation):
            source = owner.operands[0]
        if isinstance(owner := source.owner, UnpackOp):
            return self._view(owner.source, shape)
        flat = self._view(value, (rows * columns,))
        size = rows * columns // PER_BYTE
        return self._view(self.insert(PackOp(flat, TensorType(i8, (size,)))), shape)

    def _view(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A tile in another shape; what it was a view of, if that has the shape."""
        while tuple(get_shape(value.type)) != tuple(shape):
            if not isinstance(owner := value.owner, ViewOperation):
                return self.insert(ViewOp(value, TensorType(get_element(value.type), shape)))
            value = owner.operands[0]
        return value
