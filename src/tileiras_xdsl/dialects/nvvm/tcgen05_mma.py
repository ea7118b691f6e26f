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
from xdsl.ir import Attribute, SSAValue
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
    CtaGroupAttr,
    Tcgen05BlockScale,
    Tcgen05BlockScaleAttr,
    Tcgen05Collector,
    Tcgen05CollectorAttr,
    Tcgen05MmaKindAttr,
    TensorPointer,
    group_size,
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
        verify_a(self.a, i64)
        verify_kind(self.kind, self.IS_SCALED)
        verify_steps(self.k_steps)
        try:
            descriptor = self.get_descriptor()
        except ValueError as error:
            raise VerifyException(str(error)) from error
        if descriptor is not None:
            verify_descriptor(descriptor, self.group, self.is_a_in_tensor_memory)


def verify_a(a: SSAValue, descriptor: Attribute) -> None:
    """Raises unless A is a descriptor, or in tensor memory."""
    if a.type not in (descriptor, TENSOR_POINTER):
        raise VerifyException(
            f"A must be a descriptor, '{descriptor}', or a pointer to tensor memory, "
            f"'{TENSOR_POINTER}', but got '{a.type}'"
        )


def verify_kind(kind: Tcgen05MmaKindAttr, is_scaled: bool) -> None:
    """Raises unless an op with scale factors, or without, has the right kind."""
    if KINDS[kind.data.value].is_scaled != is_scaled:
        words = ", ".join(name for name, each in KINDS.items() if each.is_scaled == is_scaled)
        with_scales = "with" if is_scaled else "without"
        raise VerifyException(
            f"kind of an MMA {with_scales} scale factors must be one of {words}, "
            f"but got {kind.data.value}"
        )


def verify_steps(k_steps: IntegerAttr | None) -> None:
    """Raises if a number of steps is not positive."""
    if k_steps is not None and k_steps.value.data < 1:
        raise VerifyException(f"k_steps must be positive, but got {k_steps.value.data}")


def verify_descriptor(
    descriptor: InstructionDescriptor, group: CtaGroupAttr | None, a_in_tensor_memory: bool
) -> None:
    """Raises if the hardware has no instruction of this type and shape."""
    if (reason := descriptor.why_not(group_size(group))) is not None:
        raise VerifyException(reason)
    if a_in_tensor_memory and descriptor.trans_a:
        raise VerifyException("A in tensor memory must be K-major")


def verify_options(
    kind: Tcgen05MmaKindAttr,
    group: CtaGroupAttr | None,
    mask: SSAValue | None,
    scale: IntegerAttr | None,
    shifts_a: bool,
    a_in_tensor_memory: bool,
    collector: Tcgen05CollectorAttr | None,
) -> None:
    """Raises unless an MMA without scale factors can do what it is asked to."""
    if scale is not None:
        if kind.data.value not in ("f16", "tf32"):
            raise VerifyException(
                f"scale_input_d is for kind::f16 and kind::tf32, not for kind::{kind.data.value}"
            )
        if not 0 <= scale.value.data <= MAX_SCALE_INPUT:
            raise VerifyException(
                f"scale_input_d must be from 0 to {MAX_SCALE_INPUT}, but got {scale.value.data}"
            )
    if mask is not None:
        expected = VectorType(i32, [4 * group_size(group)])
        if mask.type != expected:
            raise VerifyException(
                f"mask of cta_group::{group_size(group)} must be '{expected}', but got "
                f"'{mask.type}'"
            )
    if shifts_a:
        if not a_in_tensor_memory:
            raise VerifyException("a_shift is for A in tensor memory")
        if collector is not None and collector.data in (
            Tcgen05Collector.USE,
            Tcgen05Collector.FILL,
        ):
            raise VerifyException(f"a_shift excludes collector '{collector.data.value}'")


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
        verify_options(
            self.kind,
            self.group,
            self.mask,
            self.scale_input_d,
            self.a_shift is not None,
            self.is_a_in_tensor_memory,
            self.collector_op,
        )


def get_block_size(kind: MmaKind, block_scale: Tcgen05BlockScaleAttr | None) -> int:
    """Elements along K that share a scale factor; raises if the kind has no such blocks."""
    assert kind.blocks is not None
    if block_scale is None:
        if len(kind.blocks) > 1:
            raise VerifyException(f"kind::{kind.name} needs block_scale, block16 or block32")
        return Tcgen05BlockScale.BLOCK32.size
    if block_scale.data.size not in kind.blocks:
        words = " or ".join(f"block{size}" for size in kind.blocks)
        raise VerifyException(
            f"block_scale of kind::{kind.name} must be {words}, but got {block_scale.data.value}"
        )
    return block_scale.data.size


def verify_scale_type(kind: MmaKind, block_size: int, scale: str | None) -> None:
    """Raises unless scale factors of blocks of a size can have a type."""
    assert kind.blocks is not None
    if scale not in kind.blocks[block_size]:
        words = " or ".join(kind.blocks[block_size])
        raise VerifyException(
            f"scale factors of kind::{kind.name} with block{block_size} must be {words}, "
            f"but got {scale}"
        )


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
        """Elements along K that share a scale factor."""
        return get_block_size(self.mma_kind, self.block_scale)

    def verify_(self) -> None:
        super().verify_()
        block_size = self.block_size
        descriptor = self.get_descriptor()
        if descriptor is not None:
            verify_scale_type(self.mma_kind, block_size, descriptor.scale)
