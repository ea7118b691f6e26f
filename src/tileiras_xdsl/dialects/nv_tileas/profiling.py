"""
Marks of a profile: when warps begin to do something else.

    gpu.func @k(…, %profile: !llvm.ptr<1>) … attributes {nv_tileas.profile =
        #nv_tileas.profile<ctas = 4, every = 1, warps = 9, records = 1024>}
    nv_tileas.profile.begin %profile {warps = array<i32: 8>} : !llvm.ptr<1>
    %n = nv_tileas.profile.mark %profile[%m] {event = 2 : i32, kind = "wait", label = "p0 empty",
        warps = array<i32: 8>} : !llvm.ptr<1>
    nv_tileas.profile.end %profile[%n] {warps = array<i32: 8>} : !llvm.ptr<1>

The buffer is one of 64-bit words, with a row for each warp of a CTA that is recorded. A row begins
with `HEADER` words, after which each word is a record: the number of an event, times 2**32, and
`%clock`, the clock of the SM. What a mark names lasts until the next mark of the same warp. How
many marks there were is a value, which loops carry; those that do not fit are counted, not written.

`tileas-insert-profiling` puts them in.
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, i32
from xdsl.dialects.gpu import FuncOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.irdl import (
    eq,
    irdl_attr_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import diagnosed_op
from tileiras_xdsl.dialects.memory_order import Writes
from tileiras_xdsl.dialects.nv_tileaa.attributes import TileaaOperation
from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

from .decisions import FieldsAttr, kernel_of

KINDS: Final = ("start", "wait", "load", "mma", "compute", "store", "end")
"""What warps do."""

HEADER: Final = ("begin time", "begin", "entry", "end time", "end", "marks")
"""
The words of a row before its records: `%globaltimer` and `%clock` where an agent begins, the latter
with `%smid` times 2**32; `%clock` where the kernel does; both times where the agent ends; how many
marks there were.
"""

EVENT_SHIFT: Final = 32
"""What an event, or an SM, is shifted by in its word."""


@dataclass(frozen=True)
class ProfileLayout:
    """Who is recorded in a profile, and how its buffer is laid out."""

    ctas: int
    """How many CTAs are recorded."""
    every: int
    """Of how many each that is recorded is the first."""
    warps: int
    """Of a CTA."""
    records: int
    """Of a warp."""

    @property
    def row(self) -> int:
        """The words of a row."""
        return len(HEADER) + self.records

    @property
    def words(self) -> int:
        """Those of the buffer."""
        return self.ctas * self.warps * self.row


MOST_WORDS: Final = 1 << 27
"""A gigabyte, which an i32 can count."""


@irdl_attr_definition
class ProfileAttr(FieldsAttr[ProfileLayout]):
    """
    The profile of a kernel: `#nv_tileas.profile<ctas = 4, every = 2, warps = 9, records = 1024>`
    has 4 CTAs, every second one, with 9 warps each, and room for 1024 marks of each warp.
    """

    name = "nv_tileas.profile"
    FIELDS = ProfileLayout

    def problem(self) -> str | None:
        layout = self.data
        for name in ("ctas", "every", "warps", "records"):
            number = getattr(layout, name)
            if not isinstance(number, int) or number < 1:
                return f"needs {name}, a positive number"
        if layout.words > MOST_WORDS:
            return f"needs {layout.words} words, but can have {MOST_WORDS}"
        return None


PROFILE: Final = DiscardableAttribute(
    "nv_tileas.profile",
    ProfileAttr,
    "The CTAs that a kernel records, and the layout of the buffer.",
    carriers=(FuncOp,),
    written_by=("tileas-insert-profiling",),
    read_by=("convert-tileas-to-nvgpu",),
)


class ProfileOperation(TileaaOperation, ABC):
    """Writes to the rows of some warps of a profile, whose buffer is the first operand."""

    warps = prop_def(DenseArrayBase.constr(i32))

    def get_warps(self) -> list[int]:
        """The warps of the CTA that write."""
        return [int(each) for each in self.warps.get_values()]

    def get_layout(self) -> ProfileLayout:
        """The layout of the buffer."""
        kernel = kernel_of(self)
        layout = None if kernel is None else PROFILE.get(kernel)
        if layout is None:
            raise VerifyException(f"needs '{PROFILE.name}' at the kernel")
        return layout.data

    def verify_(self) -> None:
        layout, warps = self.get_layout(), self.get_warps()
        if not warps or not all(0 <= warp < layout.warps for warp in warps):
            raise VerifyException(f"expects warps from 0 to {layout.warps - 1}, but got {warps}")


@diagnosed_op
class ProfileBeginOp(ProfileOperation):
    """Writes when warps begin, and on which SM: `nv_tileas.profile.begin %p {…} : !llvm.ptr<1>`."""

    name = "nv_tileas.profile.begin"

    buffer = operand_def(LLVMPointerType)

    traits = traits_def(Writes())
    assembly_format = "$buffer attr-dict `:` type($buffer)"


@diagnosed_op
class ProfileMarkOp(ProfileOperation):
    """
    Writes that warps begin something else, and gives the number of the next mark:
    `%n = nv_tileas.profile.mark %p[%m] {event = 2 : i32, …} : !llvm.ptr<1>`. Warps that run it at
    the same time write the same event, with clocks of their own.
    """

    name = "nv_tileas.profile.mark"

    buffer = operand_def(LLVMPointerType)
    count = operand_def(eq(i32))
    event = prop_def(IntegerAttr.constr(type=eq(i32)))
    kind = prop_def(StringAttr)
    label = prop_def(StringAttr)
    result = result_def(eq(i32))

    traits = traits_def(Writes())
    assembly_format = "$buffer `[` $count `]` attr-dict `:` type($buffer)"

    def verify_(self) -> None:
        super().verify_()
        if self.event.value.data < 1:
            raise VerifyException(f"expects an event from 1 on, but got {self.event.value.data}")
        if self.kind.data not in KINDS:
            raise VerifyException(f"unknown kind '{self.kind.data}' (expected {', '.join(KINDS)})")


@diagnosed_op
class ProfileEndOp(ProfileOperation):
    """Writes when warps end: `nv_tileas.profile.end %p[%n] {…} : !llvm.ptr<1>`."""

    name = "nv_tileas.profile.end"

    buffer = operand_def(LLVMPointerType)
    count = operand_def(eq(i32))

    traits = traits_def(Writes())
    assembly_format = "$buffer `[` $count `]` attr-dict `:` type($buffer)"
