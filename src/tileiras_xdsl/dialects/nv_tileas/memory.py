"""
Memory: accesses as in `nv_tileaa`, with the instruction they are made of, buffers, and copies
between kinds of memory.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import TypeOf, diagnosed_op
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    IntegerLike,
    TensorConstraint,
    TileaaOperation,
)
from tileiras_xdsl.dialects.nv_tileaa.memory import PointerLoad, PointerStore
from tileiras_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileiras_xdsl.dialects.nv_tileaa.views import TiledAccess, TileLoad, TileStore, TileUpdate

from .types import (
    COPY_ATOM,
    COPY_ATOMS,
    LOAD_ATOM,
    MEMORY_PAIRS,
    STORE_ATOM,
    UPDATE_ATOM,
    AtomAttr,
    MemoryAttr,
    get_buffered,
    get_memory,
)


@diagnosed_op
class LoadOp(PointerLoad):
    """Reads through pointers, as `nv_tileaa.load` does."""

    name = "nv_tileas.load"

    atom = opt_prop_def(LOAD_ATOM)


@diagnosed_op
class StoreOp(PointerStore):
    """Writes through pointers, as `nv_tileaa.store` does."""

    name = "nv_tileas.store"

    atom = opt_prop_def(STORE_ATOM)


@diagnosed_op
class TiledLoadOp(TileLoad):
    """Reads a tile of a view, as `nv_tileaa.tiled_load` does."""

    name = "nv_tileas.tiled_load"

    atom = opt_prop_def(LOAD_ATOM)


@diagnosed_op
class GatherLoadOp(TileLoad):
    """Reads rows of a view, as `nv_tileaa.gather_load` does."""

    name = "nv_tileas.gather_load"
    SPARSE: ClassVar[bool] = True

    atom = opt_prop_def(LOAD_ATOM)


@diagnosed_op
class TiledStoreOp(TileStore):
    """Writes a tile of a view, as `nv_tileaa.tiled_store` does."""

    name = "nv_tileas.tiled_store"

    atom = opt_prop_def(STORE_ATOM)


@diagnosed_op
class ScatterStoreOp(TileStore):
    """Writes rows of a view, as `nv_tileaa.scatter_store` does."""

    name = "nv_tileas.scatter_store"
    SPARSE: ClassVar[bool] = True

    atom = opt_prop_def(STORE_ATOM)


@diagnosed_op
class TiledAtomicRMWOp(TileUpdate):
    """Combines a tile of a view with a value, as `nv_tileaa.tiled_atomic_rmw` does."""

    name = "nv_tileas.tiled_atomic_rmw"

    atom = opt_prop_def(UPDATE_ATOM)


class Allocates(MemoryEffect):
    """The effect of an allocation, which may be removed but not merged with another."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.ALLOC, op.results[0])}


@diagnosed_op
class AllocTensorOp(TileaaOperation):
    """
    A buffer without contents, in the memory that the layout of its type, or `memory`, says:

        %b = nv_tileas.alloc_tensor {memory = #nv_tileas.memory<shared>} : tensor<3x64x64xf16>
    """

    name = "nv_tileas.alloc_tensor"

    result = result_def(TensorConstraint())
    memory = opt_prop_def(MemoryAttr)

    traits = traits_def(Allocates())
    assembly_format = "attr-dict `:` type($result)"

    def get_memory(self) -> str | None:
        """Where the buffer lies; `None` if nothing says so yet."""
        return get_memory(self.result.type) if self.memory is None else self.memory.data

    def verify_(self) -> None:
        laid_out = get_memory(self.result.type)
        if self.memory is not None and laid_out not in (None, self.memory.data):
            raise VerifyException(
                f"memory is {self.memory.data}, but '{self.result.type}' lies in {laid_out} memory"
            )


def verify_copy(atom: AtomAttr | None, source: Attribute, target: Attribute) -> None:
    """Checks a copy between tensors: what is copied, from and to which memory, and how."""
    if get_buffered(source) != get_buffered(target):
        raise VerifyException(
            f"expects the shape and the elements of '{source}', but got '{target}'"
        )
    pair = get_memory(source), get_memory(target)
    if None not in pair and pair not in MEMORY_PAIRS:
        raise VerifyException(f"cannot copy from {pair[0]} to {pair[1]} memory")
    if atom is None or atom.data not in COPY_ATOMS:
        return
    for found, expected in zip(pair, COPY_ATOMS[atom.data], strict=True):
        if found not in (None, expected):
            raise VerifyException(
                f"atom {atom.data} copies from {COPY_ATOMS[atom.data][0]} to "
                f"{COPY_ATOMS[atom.data][1]} memory, but got '{source}' and '{target}'"
            )


class CopyEffects(MemoryEffect):
    """A copy into a buffer writes it; any copy reads."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        effects = {EffectInstance(MemoryEffectKind.READ)}
        if len(op.operands) > 1:
            effects.add(EffectInstance(MemoryEffectKind.WRITE))
        return effects


@diagnosed_op
class PadOp(TiledAccess):
    """
    A tile of a view, with padding where it lies outside of its tensor, whatever was there before:

        %y = nv_tileas.pad %x, %v[%i, %j] {padding_value = "neg_inf"}
            : tensor<64x64xf16>, !nv_tileaa.tiled_view<…>, i32, i32 -> tensor<64x64xf16>
    """

    name = "nv_tileas.pad"

    source = operand_def(TensorConstraint())
    view = operand_def(TiledViewType)
    indices = var_operand_def(IntegerLike)
    result = result_def(TensorConstraint())

    traits = traits_def(Pure())
    assembly_format = (
        "$source `,` $view `[` $indices `]` attr-dict `:` type($source) `,` type($view) "
        "(`,` type($indices)^)? `->` type($result)"
    )

    DEFAULTS: ClassVar = {"result_type": TypeOf("source")}

    def verify_(self) -> None:
        self.verify_tile(self.view, self.indices, self.source)
        self.verify_coordinates(self.indices)
        self.verify_sparse(self.view, is_sparse=False)
        if self.result.type != self.source.type:
            raise VerifyException(
                f"expects the type of the tile '{self.source.type}', but yields "
                f"'{self.result.type}'"
            )


@diagnosed_op
class CopyOp(TileaaOperation):
    """
    Copies a tensor to another memory or layout, into a buffer if one is given; the result is
    the buffer with its new contents:

        %r = nv_tileas.copy %s : tensor<64x64xf16, #shared> -> tensor<64x64xf16, #layout>
        %b1 = nv_tileas.copy %r into(%b : tensor<64x64xf16, #shared>)
            : tensor<64x64xf16, #layout> -> tensor<64x64xf16, #shared>
    """

    name = "nv_tileas.copy"

    source = operand_def(TensorConstraint())
    destination = opt_operand_def(TensorConstraint())
    result = result_def(TensorConstraint())
    atom = opt_prop_def(COPY_ATOM)

    traits = traits_def(CopyEffects())
    assembly_format = (
        "$source (`into` `(` $destination^ `:` type($destination) `)`)? attr-dict `:` "
        "type($source) `->` type($result)"
    )

    def verify_(self) -> None:
        verify_copy(self.atom, self.source.type, self.result.type)
        if self.destination is not None and self.destination.type != self.result.type:
            raise VerifyException(
                f"expects the type of the buffer '{self.destination.type}', but yields "
                f"'{self.result.type}'"
            )
