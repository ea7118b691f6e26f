"""
Tensor memory: tiles that are there, and what threads and MMAs have to wait for.

    %t = nv_tileas.alloc_tensor : tensor<128x128xf32, #tmem>
    %s = nv_tileas.tensor_memory_store %c into %t : tensor<128x128xf32, #row>, …
    %d = nv_tileas.dot %a, %b, %s {atom = #nv_tileas.atom<mma.sm100>} : …
    %p = nv_tileas.commit_dots
    nv_tileas.wait_dots %p
    %r = nv_tileas.tensor_memory_load %d : tensor<128x128xf32, #tmem> -> tensor<128x128xf32, #row>

A tile in tensor memory is a value as any other: an op that writes one gives a new value, which
takes the place of the one that it was written to, and that one may not be used any more. Dots by
`tcgen05` are asynchronous. Before threads read what a dot has written, or overwrite what it reads,
they wait for it (`wait_dots`); before a dot reads or overwrites what threads accessed, these have
to be done with it (`tensor_memory_fence`, and a barrier). `tileas-allocate-tensor-memory` gives
tiles their columns, and inserts the waits. Where an agent of its own issues dots, it hands tiles to
threads, and they to it, by pipelines whose stages are in tensor memory.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I32, IntegerAttr, TensorType, f32
from xdsl.irdl import VarConstraint, eq, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import TypeOf, diagnosed_op
from tileiras_xdsl.dialects.memory_order import Fences
from tileiras_xdsl.dialects.nv_tileaa.attributes import (
    TensorConstraint,
    TileaaOperation,
    get_element,
    get_shape,
)

from .shared_memory import verify_agent
from .types import ASYNC_TOKEN, get_buffered, get_memory

TMEM = "tmem"
"""The kind of memory."""


def _verify_memory(ty: object, memory: str, what: str) -> None:
    assert isinstance(ty, TensorType)
    if get_memory(ty) not in (None, memory):
        raise VerifyException(f"expects {what}, but got '{ty}'")


@diagnosed_op
class TensorMemoryLoadOp(TileaaOperation):
    """
    Reads a tile from tensor memory into registers (`tcgen05.ld`):

        %r = nv_tileas.tensor_memory_load %t : tensor<128x64xf32, #tmem> -> tensor<128x64xf32, #row>

    With `column`, those of its columns that begin there:

        %r = nv_tileas.tensor_memory_load %t {column = 64 : i32}
            : tensor<128x256xf32, #tmem> -> tensor<128x64xf32, #row>
    """

    name = "nv_tileas.tensor_memory_load"

    source = operand_def(TensorConstraint())
    result = result_def(TensorConstraint())
    column = opt_prop_def(IntegerAttr[I32])

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def verify_(self) -> None:
        if self.column is not None:
            self._verify_slice(self.column.value.data)
        elif get_buffered(self.source.type) != get_buffered(self.result.type):
            raise VerifyException(
                f"expects the shape and the elements of '{self.source.type}', but got "
                f"'{self.result.type}'"
            )
        _verify_memory(self.source.type, TMEM, "a tile in tensor memory")
        _verify_memory(self.result.type, "register", "a tile in registers")

    def _verify_slice(self, column: int) -> None:
        whole, part = get_shape(self.source.type), get_shape(self.result.type)
        is_slice = (
            len(whole) == len(part) == 2
            and whole[0] == part[0]
            and column % part[1] == 0
            and 0 <= column <= whole[1] - part[1]
            and get_element(self.source.type) == get_element(self.result.type)
        )
        if not is_slice:
            raise VerifyException(
                f"'{self.result.type}' is no slice of '{self.source.type}' from column {column} on"
            )


@diagnosed_op
class TensorMemoryStoreOp(TileaaOperation):
    """
    Writes a tile from registers to the place of another one in tensor memory (`tcgen05.st`):

        %s = nv_tileas.tensor_memory_store %r into %t
            : tensor<128x64xf32, #row>, tensor<128x64xf32, #tmem>
    """

    name = "nv_tileas.tensor_memory_store"

    T: ClassVar = VarConstraint("T", TensorConstraint())
    source = operand_def(TensorConstraint())
    destination = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$source `into` $destination attr-dict `:` type($source) `,` type($result)"

    DEFAULTS: ClassVar = {"result_type": TypeOf("destination", lambda ty: ty)}

    def verify_(self) -> None:
        if get_buffered(self.source.type) != get_buffered(self.result.type):
            raise VerifyException(
                f"expects the shape and the elements of '{self.result.type}', but got "
                f"'{self.source.type}'"
            )
        _verify_memory(self.source.type, "register", "a tile in registers")
        _verify_memory(self.result.type, TMEM, "a tile in tensor memory")


@diagnosed_op
class TensorMemoryScaleOp(TileaaOperation):
    """
    Multiplies each row of a tile of f32 in tensor memory by a factor:

        %s = nv_tileas.tensor_memory_scale %t by %f
            : tensor<128x64xf32, #tmem>, tensor<128x1xf32, #row>

    This is what `tensor_memory_load`, a product and `tensor_memory_store` to the same place do; but
    threads need registers for a few columns only, and none of them does anything if the factors of
    its warp are all one.
    """

    name = "nv_tileas.tensor_memory_scale"

    T: ClassVar = VarConstraint("T", TensorConstraint())
    destination = operand_def(T)
    factors = operand_def(TensorConstraint())
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$destination `by` $factors attr-dict `:` type($result) `,` type($factors)"

    DEFAULTS: ClassVar = {"result_type": TypeOf("destination", lambda ty: ty)}

    def verify_(self) -> None:
        ty = self.result.type
        assert isinstance(ty, TensorType)
        shape = ty.get_shape()
        if ty.get_element_type() != f32 or len(shape) != 2:
            raise VerifyException(f"expects a matrix of f32, but got '{ty}'")
        if get_buffered(self.factors.type) != ((shape[0], 1), f32):
            raise VerifyException(
                f"expects {shape[0]} factors for '{ty}', but got '{self.factors.type}'"
            )
        _verify_memory(self.factors.type, "register", "a tile in registers")
        _verify_memory(self.result.type, TMEM, "a tile in tensor memory")


TensorMemoryWrite = TensorMemoryStoreOp | TensorMemoryScaleOp
"""What threads write to the place of another tile, `destination`."""


@diagnosed_op
class CommitDotsOp(TileaaOperation):
    """
    A token for all dots by `tcgen05` that have been issued so far: `%t = nv_tileas.commit_dots`.
    """

    name = "nv_tileas.commit_dots"

    result = result_def(eq(ASYNC_TOKEN))

    traits = traits_def(Fences())
    assembly_format = "attr-dict"

    def verify_(self) -> None:
        verify_agent(self)


@diagnosed_op
class WaitDotsOp(TileaaOperation):
    """Waits for the dots of a token: `nv_tileas.wait_dots %t`. Each token is waited for once."""

    name = "nv_tileas.wait_dots"

    token = operand_def(eq(ASYNC_TOKEN))

    traits = traits_def(Fences())
    assembly_format = "$token attr-dict"

    def verify_(self) -> None:
        verify_agent(self)


@diagnosed_op
class TensorMemoryFenceOp(TileaaOperation):
    """
    Each thread waits for its own accesses of tensor memory. After a barrier that follows, dots may
    read what threads have written, and overwrite what they have read.
    """

    name = "nv_tileas.tensor_memory_fence"

    traits = traits_def(Fences())
    assembly_format = "attr-dict"

    def verify_(self) -> None:
        verify_agent(self)
