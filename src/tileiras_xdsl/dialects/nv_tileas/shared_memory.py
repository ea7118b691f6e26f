"""
Shared memory buffers and the synchronization of their accesses in `nv_tileas`.

    gpu.func @f … attributes {nv_tileas.shared_memory = #nv_tileas.shared_memory<17408, 16384,
        232448>}
    nv_tileas.barrier
    %y = nv_tileas.convert_layout %x {nv_tileas.buffers = [#nv_tileas.buffer<16384, 1024>]} : …

`tileas-allocate-shared-memory` assigns offsets to the buffers of each op, `tileas-insert-barriers`
inserts the barriers, waits and proxy fences of this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, UnitAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Data, Operation
from xdsl.irdl import irdl_attr_definition, opt_prop_def, traits_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import diagnosed_op
from tileiras_xdsl.dialects.memory_order import Fences
from tileiras_xdsl.dialects.nv_tileaa.attributes import TileaaOperation
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.targets.tma import SWIZZLE_ATOM_ROWS, SWIZZLES
from tileiras_xdsl.xdsl_extras.discardable_attributes import DiscardableAttribute

from .pipeline import AgentSwitchOp

WAITS: Final = ("", "threads", "copies")
"""What threads wait for before they write a buffer again, between two exchanges of one op."""
SYNCS: Final = ("threads", "warp", "copies", "next")
"""
The synchronization between the writes and the reads of a buffer: a barrier of all threads, one of
the warp, one of all threads with a proxy fence for the bulk copies that read; or that of the next
buffer, which is live together with this one.
"""


@irdl_attr_definition
class BufferAttr(Data[tuple[int, int, str, str]]):
    """
    Bytes of shared memory that an op uses, as offset and size: `#nv_tileas.buffer<0, 1024>`.

    An op that reuses its scratch memory may have to wait in between, for its own threads
    (`#nv_tileas.buffer<0, 1024, threads>`), or for bulk copies that read the memory as well
    (`#nv_tileas.buffer<0, 1024, copies>`).

    Between the writes and the reads of scratch memory there is a barrier of all threads, unless a
    barrier of the warp is enough (`#nv_tileas.buffer<0, 1024, sync = warp>`), bulk copies are the
    readers (`sync = copies`), or the buffer is live together with the next (`sync = next`).
    """

    name = "nv_tileas.buffer"

    @staticmethod
    def of(offset: int, size: int, wait: str = "", sync: str = "threads") -> BufferAttr:
        """The buffer of some bytes."""
        return BufferAttr((offset, size, wait, sync))

    def after(self, wait: str) -> BufferAttr:
        """The same buffer, before whose writes threads wait."""
        return BufferAttr((self.offset, self.size, wait, self.sync))

    @property
    def offset(self) -> int:
        return self.data[0]

    @property
    def size(self) -> int:
        return self.data[1]

    @property
    def end(self) -> int:
        return self.offset + self.size

    @property
    def wait(self) -> str:
        return self.data[2]

    @property
    def sync(self) -> str:
        return self.data[3]

    def overlaps(self, other: BufferAttr) -> bool:
        """Whether two buffers have bytes in common."""
        return self.offset < other.end and other.offset < self.end

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, int, str, str]:
        with parser.in_angle_brackets():
            offset = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            size = parser.parse_integer(allow_boolean=False)
            wait, sync = "", "threads"
            while parser.parse_optional_punctuation(",") is not None:
                if parser.parse_optional_keyword("sync") is None:
                    wait = parser.parse_identifier(", what to wait for,")
                else:
                    parser.parse_punctuation("=")
                    sync = parser.parse_identifier(", what comes before reads,")
        return offset, size, wait, sync

    def print_parameter(self, printer: Printer) -> None:
        wait = f", {self.wait}" if self.wait else ""
        sync = f", sync = {self.sync}" if self.sync != "threads" else ""
        printer.print_string(f"<{self.offset}, {self.size}{wait}{sync}>")

    def verify(self) -> None:
        if self.offset < 0 or self.size < 1:
            raise VerifyException(
                f"expects an offset from 0 on and a size from 1 on, but got {self.offset} and "
                f"{self.size}"
            )
        if self.wait not in WAITS:
            raise VerifyException(f"unknown wait '{self.wait}' (expected {' or '.join(WAITS[1:])})")
        if self.sync not in SYNCS:
            raise VerifyException(f"unknown sync '{self.sync}' (expected {' or '.join(SYNCS)})")


@irdl_attr_definition
class SharedMemoryAttr(Data[tuple[int, int, int]]):
    """
    The shared memory of a kernel: its size, the offset of scratch memory, which is after the
    buffers that are live all the time, and the limit of a CTA:
    `#nv_tileas.shared_memory<17408, 16384, 232448>`.
    """

    name = "nv_tileas.shared_memory"

    @staticmethod
    def of(size: int, scratch: int, limit: int) -> SharedMemoryAttr:
        """This many bytes of what there is, of which scratch memory is what is after an offset."""
        return SharedMemoryAttr((size, scratch, limit))

    @property
    def size(self) -> int:
        return self.data[0]

    @property
    def scratch(self) -> int:
        return self.data[1]

    @property
    def limit(self) -> int:
        return self.data[2]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, int, int]:
        with parser.in_angle_brackets():
            size = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            scratch = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            limit = parser.parse_integer(allow_boolean=False)
        return size, scratch, limit

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.size}, {self.scratch}, {self.limit}>")

    def verify(self) -> None:
        if not 0 <= self.scratch <= self.size:
            raise VerifyException(
                f"scratch memory begins at {self.scratch}, which is not in {self.size} bytes"
            )
        if self.size > self.limit:
            raise VerifyException(
                f"a CTA can have {self.limit} bytes of shared memory, not {self.size}"
            )


def _why_not_buffers(op: Operation, buffers: ArrayAttr[Attribute]) -> str | None:
    wrong = next((each for each in buffers if not isinstance(each, BufferAttr)), None)
    return None if wrong is None else f"has to be a list of #{BufferAttr.name}<…>, but has {wrong}"


BUFFERS: Final = DiscardableAttribute(
    "nv_tileas.buffers",
    ArrayAttr,
    "The shared memory that an op uses, in the order in which it does.",
    written_by=("tileas-allocate-shared-memory", "tileas-insert-barriers"),
    read_by=(
        "tileas-allocate-shared-memory",
        "tileas-insert-barriers",
        "convert-tileas-to-nvgpu",
    ),
    why_not=_why_not_buffers,
)
SHARED_MEMORY: Final = DiscardableAttribute(
    "nv_tileas.shared_memory",
    SharedMemoryAttr,
    "How much shared memory a kernel has, and where scratch memory begins in it.",
    carriers=(FuncOp,),
    written_by=("tileas-allocate-shared-memory",),
    read_by=("tileas-choose-occupancy", "tileas-insert-barriers", "convert-tileas-to-nvgpu"),
)


def get_buffers(op: Operation) -> Sequence[BufferAttr]:
    """The buffers in shared memory that are allocated to an op."""
    listed = BUFFERS.get(op) or ()
    return tuple(each for each in listed if isinstance(each, BufferAttr))


def set_buffers(op: Operation, buffers: Sequence[BufferAttr]) -> None:
    """Allocates buffers in shared memory to an op."""
    BUFFERS.set(op, ArrayAttr(buffers))


def get_shared_memory(kernel: Operation) -> SharedMemoryAttr | None:
    """The shared memory of a kernel, if it was allocated."""
    return SHARED_MEMORY.get(kernel)


def verify_agent(op: Operation) -> None:
    """Checks that all threads of the agent around a barrier reach it."""
    inner, outer = op, op.parent_op()
    while outer is not None:
        # An invalid agent switch is verified after the ops in it.
        if isinstance(outer, AgentSwitchOp) and isinstance(outer.warp_id, DenseArrayBase):
            region = inner.parent_region()
            number = next(n for n, each in enumerate(outer.agents) if each is region)
            first = next(iter(outer.warp_id.get_values()[number:]), 0)
            if first:
                raise VerifyException(
                    f"agent {number} begins with warp {first}: one thread of it runs, and the "
                    "others never arrive"
                )
        inner, outer = outer, outer.parent_op()


@diagnosed_op
class BarrierOp(TileaaOperation):
    """
    A barrier, after which threads see what all of them have written: in an agent a named barrier
    of the agent's threads, otherwise a CTA barrier.
    """

    name = "nv_tileas.barrier"

    traits = traits_def(Fences())
    assembly_format = "attr-dict"

    def verify_(self) -> None:
        verify_agent(self)


@diagnosed_op
class WaitCopiesOp(TileaaOperation):
    """
    The threads that issued bulk copies from shared to global memory wait until these have read
    shared memory, or with `written` have written global memory. Other threads need a barrier
    after it.
    """

    name = "nv_tileas.wait_copies"

    written = opt_prop_def(UnitAttr)

    traits = traits_def(Fences())
    assembly_format = "(`written` $written^)? attr-dict"

    def verify_(self) -> None:
        verify_agent(self)


@diagnosed_op
class FenceProxyOp(TileaaOperation):
    """
    A proxy fence: bulk copies and WGMMAs after it, which use the async proxy, see what a thread
    wrote by the generic proxy, and vice versa. Without it not even a barrier orders accesses of two
    proxies. With `shared` it orders accesses to shared memory only.
    """

    name = "nv_tileas.fence_proxy"

    shared = opt_prop_def(UnitAttr)

    traits = traits_def(Fences())
    assembly_format = "(`shared` $shared^)? attr-dict"


SCRATCH_ALIGNMENT: Final = 128
BUFFER_ALIGNMENT: Final = 1024
"""Of permanent buffers, and of all shared memory of a CTA."""
ADDRESS_BYTES: Final = 4
"""An address in tensor memory."""
BARRIER_BYTES: Final = 8
"""Of an mbarrier."""
SLOT_NUMBER_BYTES: Final = 4
"""Of the number of the slot that holds the tensor maps of a CTA."""
MAP_STATE_BYTES: Final = 8
"""Of what is known about a tensor map that is rebuilt: two numbers."""

TMA_TILE_ALIGNMENT = max(SWIZZLES) * SWIZZLE_ATOM_ROWS
"""Of TMA tiles in shared memory."""


def is_on_heap(op: AllocaOp) -> bool:
    """Whether an `alloca` comes from the device heap, not from shared memory."""
    return op.global_ is not None
