"""
MMAs of `nvvm` with accumulators in tensor memory.

One op is `k_steps` instructions with the same accumulator, whose descriptors grow: the way in which
a tile of shared memory is multiplied. `targets/tcgen05.py` says what descriptors mean. Where an
instruction descriptor is a constant, the verifier reads it; the interpreter of threads reads all.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import I32, I64, IntegerAttr, UnitAttr, VectorType, i1, i32, i64
from xdsl.irdl import (
    AnyAttr,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.diagnosed import diagnosed_op
from tileiras_xdsl.targets.tcgen05 import KINDS, InstructionDescriptor, MmaKind

from .tcgen05 import GroupOperation
from .tcgen05_attributes import (
    TENSOR_POINTER,
    Tcgen05BlockScale,
    Tcgen05BlockScaleAttr,
    Tcgen05Collector,
    Tcgen05CollectorAttr,
    Tcgen05MmaKindAttr,
    TensorPointer,
    known_integer,
)

MAX_SCALE_INPUT = 15


class MmaOperation(GroupOperation, ABC):
    """What MMAs with and without scale factors share."""

    IS_SCALED: ClassVar[bool]

    d = operand_def(TensorPointer)
    a = operand_def(AnyAttr())
    b = operand_def(eq(i64))
    idesc = operand_def(eq(i32))
    enable_input_d = operand_def(eq(i1))
    kind = prop_def(Tcgen05MmaKindAttr)
    collector_op = opt_prop_def(Tcgen05CollectorAttr)
    k_steps = opt_prop_def(IntegerAttr[I32])
    a_step = opt_prop_def(IntegerAttr[I64])
    b_step = opt_prop_def(IntegerAttr[I64])

    @property
    def is_a_in_tensor_memory(self) -> bool:
        """Whether A is in tensor memory, and not in shared memory."""
        return self.a.type == TENSOR_POINTER

    @property
    def mma_kind(self) -> MmaKind:
        return KINDS[self.kind.data.value]

    @property
    def steps(self) -> int:
        """How many instructions this is."""
        return 1 if self.k_steps is None else self.k_steps.value.data

    @property
    def collector(self) -> Tcgen05Collector:
        """What becomes of A in the collector buffer."""
        return Tcgen05Collector.DISCARD if self.collector_op is None else self.collector_op.data

    def get_descriptor(self) -> InstructionDescriptor | None:
        """What the instruction descriptor says, if it is a constant."""
        bits = known_integer(self.idesc)
        return None if bits is None else InstructionDescriptor.decode(self.mma_kind.name, bits)

    def verify_(self) -> None:
        if self.a.type not in (i64, TENSOR_POINTER):
            raise VerifyException(
                f"A must be a descriptor, 'i64', or a pointer to tensor memory, "
                f"'{TENSOR_POINTER}', but got '{self.a.type}'"
            )
        if self.mma_kind.is_scaled != self.IS_SCALED:
            words = ", ".join(
                name for name, each in KINDS.items() if each.is_scaled == self.IS_SCALED
            )
            with_scales = "with" if self.IS_SCALED else "without"
            raise VerifyException(
                f"kind of an MMA {with_scales} scale factors must be one of {words}, "
                f"but got {self.mma_kind.name}"
            )
        if self.steps < 1:
            raise VerifyException(f"k_steps must be positive, but got {self.steps}")
        try:
            descriptor = self.get_descriptor()
        except ValueError as error:
            raise VerifyException(str(error)) from error
        if descriptor is None:
            return
        if (reason := descriptor.why_not(self.cta_group)) is not None:
            raise VerifyException(reason)
        if self.is_a_in_tensor_memory and descriptor.trans_a:
            raise VerifyException("A in tensor memory must be K-major")


@diagnosed_op
class Tcgen05MmaOp(MmaOperation):
    """
    Issues `d = a * b + d`, or `d = a * b` if `enable_input_d` is false. D is in tensor memory; B is
    the descriptor of a matrix in shared memory, A such a descriptor, or in tensor memory. It is
    complete when the mbarrier of a later `tcgen05.commit` says so.

    - `kind`, `idesc`: what is multiplied, and its types and shape
    - `mask`: lanes, one bit each, that are not written
    - `scale_input_d`: D is divided by two to the power of this first
    - `a_shift`: rows of A are taken one lane further down, but for the last
    - `collector_op`: whether A stays in the collector buffer for the next MMA
    - `k_steps`: so many instructions. A and B grow by `a_step` and `b_step`, in units of 16 bytes,
      or in columns for A in tensor memory; from the second one on, D is added to

        nvvm.tcgen05.mma %d, %a, %b, %idesc, %enable {kind = #nvvm.tcgen05_mma_kind<f16>,
            k_steps = 4 : i32, a_step = 2 : i64, b_step = 2 : i64} : !llvm.ptr<6>, i64
    """

    name = "nvvm.tcgen05.mma"
    IS_SCALED: ClassVar = False

    # Operands of a subclass come before those of its base, unless it lists all.
    d = operand_def(TensorPointer)
    a = operand_def(AnyAttr())
    b = operand_def(eq(i64))
    idesc = operand_def(eq(i32))
    enable_input_d = operand_def(eq(i1))
    mask = opt_operand_def(AnyAttr())
    scale_input_d = opt_prop_def(IntegerAttr[I32])
    a_shift = opt_prop_def(UnitAttr)

    assembly_format = (
        "$d `,` $a `,` $b `,` $idesc `,` $enable_input_d (`mask` `=` $mask^ `:` type($mask))? "
        "attr-dict `:` type($d) `,` type($a)"
    )

    def verify_(self) -> None:
        super().verify_()
        if self.scale_input_d is not None:
            if self.mma_kind.name not in ("f16", "tf32"):
                raise VerifyException(
                    "scale_input_d is for kind::f16 and kind::tf32, not for "
                    f"kind::{self.mma_kind.name}"
                )
            scale = self.scale_input_d.value.data
            if not 0 <= scale <= MAX_SCALE_INPUT:
                raise VerifyException(
                    f"scale_input_d must be from 0 to {MAX_SCALE_INPUT}, but got {scale}"
                )
        if self.mask is not None:
            expected = VectorType(i32, [4 * self.cta_group])
            if self.mask.type != expected:
                raise VerifyException(
                    f"mask of cta_group::{self.cta_group} must be '{expected}', but got "
                    f"'{self.mask.type}'"
                )
        if self.a_shift is not None:
            if not self.is_a_in_tensor_memory:
                raise VerifyException("a_shift is for A in tensor memory")
            if self.collector in (Tcgen05Collector.USE, Tcgen05Collector.FILL):
                raise VerifyException(f"a_shift excludes collector '{self.collector.value}'")


@diagnosed_op
class Tcgen05MmaBlockScaleOp(MmaOperation):
    """
    Issues `d = (a * scale_a) * (b * scale_b) + d`, where blocks of elements along K share a scale
    factor. The factors are in tensor memory, where `tcgen05.cp` puts them, and `idesc` says which
    bytes of their words they are. See `tcgen05.mma` for all else.

    - `block_scale`: elements of a block; kinds that have one size need not say it
    - `idesc_step`: what `idesc` grows by with each of `k_steps`, so that it names the next bytes

        nvvm.tcgen05.mma.block_scale %d, %a, %b, %idesc, %enable, %sfa, %sfb
            {kind = #nvvm.tcgen05_mma_kind<mxf8f6f4>} : !llvm.ptr<6>, i64
    """

    name = "nvvm.tcgen05.mma.block_scale"
    IS_SCALED: ClassVar = True

    # Operands of a subclass come before those of its base, unless it lists all.
    d = operand_def(TensorPointer)
    a = operand_def(AnyAttr())
    b = operand_def(eq(i64))
    idesc = operand_def(eq(i32))
    enable_input_d = operand_def(eq(i1))
    scale_a = operand_def(eq(TENSOR_POINTER))
    scale_b = operand_def(eq(TENSOR_POINTER))
    block_scale = opt_prop_def(Tcgen05BlockScaleAttr)
    idesc_step = opt_prop_def(IntegerAttr[I32])

    assembly_format = (
        "$d `,` $a `,` $b `,` $idesc `,` $enable_input_d `,` $scale_a `,` $scale_b "
        "attr-dict `:` type($d) `,` type($a)"
    )

    @property
    def block_size(self) -> int:
        """Elements along K that share a scale factor; raises if the kind has no such blocks."""
        kind = self.mma_kind
        assert kind.blocks is not None
        if self.block_scale is None:
            if len(kind.blocks) > 1:
                raise VerifyException(f"kind::{kind.name} needs block_scale, block16 or block32")
            return Tcgen05BlockScale.BLOCK32.size
        block = self.block_scale.data
        if block.size not in kind.blocks:
            words = " or ".join(f"block{size}" for size in kind.blocks)
            raise VerifyException(
                f"block_scale of kind::{kind.name} must be {words}, but got {block.value}"
            )
        return block.size

    def verify_(self) -> None:
        super().verify_()
        kind, block_size, descriptor = self.mma_kind, self.block_size, self.get_descriptor()
        assert kind.blocks is not None
        if descriptor is not None and descriptor.scale not in kind.blocks[block_size]:
            raise VerifyException(
                f"scale factors of kind::{kind.name} with block{block_size} must be "
                f"{' or '.join(kind.blocks[block_size])}, but got {descriptor.scale}"
            )
