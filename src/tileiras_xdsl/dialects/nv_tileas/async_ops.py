"""
Asynchronous copies into and out of buffers, asynchronous dots, and waits. A buffer may be accessed
again once the token of its copy has been waited for.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, IntegerType, TensorType, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    base,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import TypeOf, Value, diagnosed_op, value_type
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.memory_order import UnknownEffects
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    PADDING,
    BoolLike,
    IntegerLike,
    NumberLike,
    PointerLike,
    TensorConstraint,
    TileaaOperation,
    Word,
    get_element,
    get_shape,
)
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation
from tileiras_xdsl.dialects.nv_tileaa.memory import verify_shapes
from tileiras_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import TiledAccess
from tileiras_xdsl.targets.tma import SWIZZLES, size_words

from .memory import verify_copy
from .types import (
    ANY_COPY,
    ASYNC_TOKEN,
    COPY_ATOM,
    DOT_ATOM,
    PRODUCER_TOKEN,
    AsyncTokenType,
    AsyncType,
    Atom,
    TmaDescType,
)

TOKEN = eq(ASYNC_TOKEN)
INTEGER = IntegerAttr.constr(type=eq(i32))
ASYNC_LOAD_ATOM = Atom(("ldgsts", "tma_load", ANY_COPY))
TMA_LOAD_ATOM = Atom(("tma_load",))
TMA_STORE_ATOM = Atom(("tma_store",))
TMA_ATOM = Atom(("tma_load", "tma_store", "tma_redg"))
SWIZZLE_MODE = Word("swizzle_mode", size_words(SWIZZLES, "{}B"))
OOB_MODE = Word("oob_mode", ("zero", "nan", "constant"))
TMA_ROW_BYTES = 16
"""Rows of a TMA tile are multiples of this."""


@diagnosed_op
class AsyncLoadOp(TileaaOperation):
    """
    Reads through pointers into a buffer, as `load` does into registers.

        %t = nv_tileas.async.load %p into %b mask(%m : tensor<64xi1>)
            : tensor<64x!llvm.ptr<1>>, tensor<64xf32>
    """

    name = "nv_tileas.async.load"

    pointer = operand_def(PointerLike)
    destination = operand_def(TensorConstraint())
    mask = opt_operand_def(BoolLike)
    other = opt_operand_def(NumberLike)
    result = result_def(TOKEN)
    atom = opt_prop_def(ASYNC_LOAD_ATOM)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(UnknownEffects())
    assembly_format = (
        "$pointer `into` $destination (`mask` `(` $mask^ `:` type($mask) `)`)? "
        "(`other` `(` $other^ `:` type($other) `)`)? attr-dict `:` "
        "type($pointer) `,` type($destination)"
    )

    def verify_(self) -> None:
        verify_shapes(self.pointer, self.destination, self.mask, self.other)


@diagnosed_op
class AsyncTiledLoadOp(TiledAccess):
    """
    Reads a tile of a view into a buffer, as `tiled_load` does into registers.

        %t = nv_tileas.async.tiled_load %v[%i, %j] into %b
            : !nv_tileaa.tiled_view<…>, tensor<64x64xf16>, i32, i32
    """

    name = "nv_tileas.async.tiled_load"

    view = operand_def(TiledViewType)
    indices = var_operand_def(IntegerLike)
    destination = operand_def(TensorConstraint())
    result = result_def(TOKEN)
    atom = opt_prop_def(ASYNC_LOAD_ATOM)

    traits = traits_def(UnknownEffects())
    assembly_format = (
        "$view `[` $indices `]` `into` $destination attr-dict `:` type($view) `,` "
        "type($destination) (`,` type($indices)^)?"
    )

    def verify_(self) -> None:
        self.verify_tile(self.view, self.indices, self.destination)
        self.verify_coordinates(self.indices)


@diagnosed_op
class AsyncCopyOp(TileaaOperation):
    """Copies a tensor into a buffer: `async.copy %s into %b : tensor<…>, tensor<…>`."""

    name = "nv_tileas.async.copy"

    source = operand_def(TensorConstraint())
    destination = operand_def(TensorConstraint())
    result = result_def(TOKEN)
    atom = opt_prop_def(COPY_ATOM)

    traits = traits_def(UnknownEffects())
    assembly_format = (
        "$source `into` $destination attr-dict `:` type($source) `,` type($destination)"
    )

    def verify_(self) -> None:
        verify_copy(self.atom, self.source.type, self.destination.type)


@diagnosed_op
class AsyncDotOp(DotOperation):
    """
    An asynchronous dot (WGMMA), whose result is a future:

        %f = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas.atom<mma.sm90>}
            : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
            -> !nv_tileas.async<tensor<64x64xf32>>

    The accumulator may be a future, too: the MMAs then execute one after the other.
    """

    name = "nv_tileas.async.dot"

    a = operand_def(TensorConstraint())
    b = operand_def(TensorConstraint())
    accumulator = operand_def(base(TensorType) | base(AsyncType))
    accumulate = opt_operand_def(IntegerType)
    result = result_def(AsyncType)
    atom = opt_prop_def(DOT_ATOM)

    traits = traits_def(Pure())
    assembly_format = (
        "$a `,` $b `,` $accumulator (`,` $accumulate^)? attr-dict `:` type($a) `,` type($b) `,` "
        "type($accumulator) (`,` type($accumulate)^)? `->` type($result)"
    )

    DEFAULTS: ClassVar = {"result_type": TypeOf("accumulator", lambda ty: AsyncType(_settled(ty)))}

    def get_accumulator_type(self) -> Attribute:
        """The type of the accumulator, and of the result once it has been waited for."""
        return _settled(self.accumulator.type)

    def get_types(self) -> list[Attribute]:
        return [self.a.type, self.b.type, self.get_accumulator_type()]

    def verify_(self) -> None:
        super().verify_()
        _verify_future(self.result.type, self.get_accumulator_type())


def _settled(ty: Attribute) -> Attribute:
    """The type of a future's value, or of a value itself."""
    return ty.value_type if isinstance(ty, AsyncType) else ty


def _verify_future(future: Attribute, value: Attribute) -> None:
    assert isinstance(future, AsyncType)
    if future.value_type != value:
        raise VerifyException(f"'{future}' does not become '{value}'")


@diagnosed_op
class AsyncWaitOp(TileaaOperation):
    """
    Waits for tokens; for all but the last `pending` groups of copies that are under way, if
    that is given: `async.wait [%t, %u] {pending = 1 : i32}`.
    """

    name = "nv_tileas.async.wait"

    tokens = var_operand_def(TOKEN)
    pending = opt_prop_def(INTEGER)

    traits = traits_def(UnknownEffects())
    assembly_format = "` ` `[` $tokens `]` attr-dict"

    def verify_(self) -> None:
        if self.pending is not None and self.pending.value.data < 0:
            raise VerifyException("pending must not be negative")


@diagnosed_op
class AsyncFutureWaitOp(TileaaOperation):
    """Waits for the value of a future: `async.future_wait %f : !nv_tileas.async<T> -> T`."""

    name = "nv_tileas.async.future_wait"

    source = operand_def(AsyncType)
    result = result_def()

    traits = traits_def(UnknownEffects())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: Value):
        ty = value_type(source)
        assert isinstance(ty, AsyncType)
        super().__init__(operands=[source], result_types=[ty.value_type])

    def verify_(self) -> None:
        _verify_future(self.source.type, self.result.type)


@diagnosed_op
class ToAsyncOp(TileaaOperation):
    """A future that is complete: `async.to_async %v : T -> async<T>`."""

    name = "nv_tileas.async.to_async"

    source = operand_def()
    result = result_def(AsyncType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: Value):
        super().__init__(operands=[source], result_types=[AsyncType(value_type(source))])

    def verify_(self) -> None:
        _verify_future(self.result.type, self.source.type)


@diagnosed_op
class TokenToAsyncOp(TileaaOperation):
    """The completion of a buffer stage as an async token."""

    name = "nv_tileas.async.token_to_async"

    source = operand_def(eq(PRODUCER_TOKEN))
    result = result_def(TOKEN)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source)"


@diagnosed_op
class CreateNoneOp(TileaaOperation):
    """A complete token: `create_none : !nv_tileas.async_token`."""

    name = "nv_tileas.create_none"

    result = result_def(AsyncTokenType)

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"


# Tensor memory accelerator


@diagnosed_op
class MakeTiledTmaDescOp(TileaaOperation):
    """
    A tensor map (TMA descriptor) of a tensor in global memory.

        %d = nv_tileas.make_tiled_tma_desc %m {swizzle_mode = "128B", tmaIdx = 0 : i32}
            : !nv_tileaa.memref<?x?xf16, strides = [?, 1]> -> !nv_tileas.tma_desc<64x64xf16>
    """

    name = "nv_tileas.make_tiled_tma_desc"

    memref = operand_def(MemRefType)
    result = result_def(TmaDescType)
    atom = opt_prop_def(TMA_ATOM)
    swizzle_mode = opt_prop_def(SWIZZLE_MODE)
    oob_mode = opt_prop_def(OOB_MODE)
    tma_idx = opt_prop_def(INTEGER, prop_name="tmaIdx")

    traits = traits_def(Pure())
    assembly_format = "$memref attr-dict `:` type($memref) `->` type($result)"

    def verify_(self) -> None:
        memref, box = self.memref.type, self.result.type
        assert isinstance(memref, MemRefType)
        assert isinstance(box, TmaDescType)
        if memref.rank != box.rank:
            raise VerifyException(f"expects a TMA tile of rank {memref.rank}, but got '{box}'")
        if memref.element_type != box.element_type:
            raise VerifyException(
                f"view elementType not equal with tensor element type: '{memref.element_type}'"
                f" vs '{box.element_type}'"
            )
        if memref.strides.data[-1] != 1:
            raise VerifyException(f"expects unit element stride, but got '{memref}'")
        row = box.get_box()[-1] * element_bit_width(box.element_type)
        if row % (8 * TMA_ROW_BYTES):
            raise VerifyException(
                f"expects rows of a multiple of {TMA_ROW_BYTES} bytes, but got '{box}'"
            )


class TmaAccess(TileaaOperation, ABC):
    """A TMA copy."""

    SPARSE: ClassVar[bool] = False

    tma_idx = opt_prop_def(INTEGER, prop_name="tmaIdx")

    traits = traits_def(UnknownEffects())

    def verify_box(
        self, descriptor: SSAValue, buffer: SSAValue, indices: Sequence[SSAValue]
    ) -> None:
        """Checks buffer and coordinates against the descriptor."""
        box = descriptor.type
        assert isinstance(box, TmaDescType)
        if len(indices) != box.rank:
            raise VerifyException(f"expects {box.rank} coordinates, but got {len(indices)}")
        if self.SPARSE != any(get_shape(index.type) for index in indices):
            raise VerifyException(
                f"expects {'one coordinate' if self.SPARSE else 'no coordinate'} to be a tensor"
            )
        shape = get_shape(buffer.type)
        if prod(shape) != prod(box.get_box()) or (not self.SPARSE and shape != box.get_box()):
            raise VerifyException("requires the same shape for tileSize and tensor value")
        if get_element(buffer.type) != box.element_type:
            raise VerifyException(
                f"view elementType not equal with tensor element type: '{box.element_type}'"
                f" vs '{get_element(buffer.type)}'"
            )


class TmaLoad(TmaAccess, ABC):
    """A TMA load: copies a TMA tile from global memory into a buffer."""

    descriptor = operand_def(TmaDescType)
    destination = operand_def(TensorConstraint())
    indices = var_operand_def(IntegerLike)
    barrier = opt_operand_def(LLVMPointerType)
    result = result_def(TOKEN)
    atom = opt_prop_def(TMA_LOAD_ATOM)
    padding_value = opt_prop_def(PADDING)
    tx_count = opt_prop_def(INTEGER)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$descriptor `[` $indices `]` `into` $destination "
        "(`barrier` `(` $barrier^ `:` type($barrier) `)`)? attr-dict `:` "
        "type($descriptor) `,` type($destination) (`,` type($indices)^)?"
    )

    def verify_(self) -> None:
        self.verify_box(self.descriptor, self.destination, self.indices)
        if self.padding_value is not None and self.padding_value.data != "zero":
            raise VerifyException("TmaLoad only support zero padding now")
        if self.tx_count is not None and self.tx_count.value.data <= 0:
            raise VerifyException("failed to get expected tx-count")


@diagnosed_op
class TiledTmaLoadOp(TmaLoad):
    """
    A TMA load of a TMA tile into a buffer; `tx_count` bytes arrive on the mbarrier.

        %t = nv_tileas.async.tiled_tma_load %d[%i, %j] into %b barrier(%slot : !llvm.ptr<3>)
            {tx_count = 8192 : i32} : !nv_tileas.tma_desc<64x64xf16>, tensor<64x64xf16>, i32, i32
    """

    name = "nv_tileas.async.tiled_tma_load"


@diagnosed_op
class GatherTmaLoadOp(TmaLoad):
    """A TMA gather of rows into a buffer; one coordinate is a tensor of row numbers."""

    name = "nv_tileas.async.gather_tma_load"
    SPARSE: ClassVar[bool] = True


class TmaStore(TmaAccess, ABC):
    """A TMA store: copies a buffer to a TMA tile in global memory."""

    source = operand_def(TensorConstraint())
    descriptor = operand_def(TmaDescType)
    indices = var_operand_def(IntegerLike)
    result = result_def(TOKEN)
    atom = opt_prop_def(TMA_STORE_ATOM)

    assembly_format = (
        "$source `,` $descriptor `[` $indices `]` attr-dict `:` type($source) `,` "
        "type($descriptor) (`,` type($indices)^)?"
    )

    def verify_(self) -> None:
        self.verify_box(self.descriptor, self.source, self.indices)


@diagnosed_op
class TiledTmaStoreOp(TmaStore):
    """
    A TMA store of a buffer to a TMA tile.

        %t = nv_tileas.async.tiled_tma_store %b, %d[%i, %j]
            : tensor<64x64xf16>, !nv_tileas.tma_desc<64x64xf16>, i32, i32
    """

    name = "nv_tileas.async.tiled_tma_store"


@diagnosed_op
class ScatterTmaStoreOp(TmaStore):
    """A TMA scatter of a buffer to rows; one coordinate is a tensor of row numbers."""

    name = "nv_tileas.async.scatter_tma_store"
    SPARSE: ClassVar[bool] = True
