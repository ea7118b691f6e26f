"""The state of lowering a kernel to the code of one thread, with its tensor maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.dialects.nv_tileas.decisions import (
    PAIR,
    TENSOR_MEMORY,
)
from tileiras_xdsl.dialects.nv_tileas.shared_memory import SharedMemoryAttr, get_shared_memory
from tileiras_xdsl.dialects.nvgpu.attributes import get_cluster_ctas
from tileiras_xdsl.targets.machine import WARP_THREADS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.kernel_spec import count_warps, get_warps
from tileiras_xdsl.transforms.common.rewriting import SymbolNames
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import make_model
from tileiras_xdsl.transforms.tileas.kernel_model.tensor_maps import MapKey

from .delayed_arrivals import DelayedArrival


@dataclass(frozen=True)
class RebuiltMap:
    """A map that one thread builds anew while copies by means of older ones are in flight."""

    slots: SSAValue
    """The address of the first of the map's slots in global memory, which it takes by turns."""
    count: int
    """How many slots it has."""
    source: int
    """The offset in shared memory where it is encoded."""
    state: int
    """
    The offset in shared memory of two i32: the index of the slot that it has, and whether the
    tensor is another one since.
    """
    by_warpgroups: bool = False
    """Whether each warpgroup has such a map, all of this for one behind that for another."""


@dataclass(frozen=True)
class TensorMaps:
    """The tensor maps of a kernel."""

    parameters: Mapping[MapKey, SSAValue] = field(default_factory=dict[MapKey, SSAValue])
    """Addresses of maps that the launcher makes."""
    built: Mapping[MapKey, SSAValue] = field(default_factory=dict[MapKey, SSAValue])
    """Addresses of maps that the kernel makes, in the slot of the CTA."""
    rebuilt: Mapping[MapKey, RebuiltMap] = field(default_factory=dict[MapKey, RebuiltMap])
    """Maps that the kernel makes again and again."""
    current: dict[MapKey, SSAValue] = field(default_factory=dict[MapKey, SSAValue])
    """Addresses of these, where they are up to date."""


SHARED_NAME = "global_smem"


class KernelSymbols:
    """Fresh symbol names for what lowering adds to a module next to its kernels."""

    def __init__(self, module: Operation | None):
        self._names = SymbolNames(module)
        self.shared = self._names.take(SHARED_NAME)
        """The shared memory of all kernels."""
        self.shared_reference = SymbolRefAttr(self.shared)
        self._of_kernels: dict[tuple[Operation, str], str] = {}

    def new_table(self, prefix: str) -> str:
        """A name for the next table of a series."""
        return self._names.take_number(prefix)

    def of_kernel(self, kernel: Operation, wanted: str) -> str:
        """The name of something that a kernel has one of; the same each time."""
        key = (kernel, wanted)
        if key not in self._of_kernels:
            self._of_kernels[key] = self._names.take(wanted)
        return self._of_kernels[key]


class KernelLowering:
    """
    A kernel that is being lowered: what its attributes say, and the mapping to converted values.
    What only some of its ops need to know is an attribute of them, or follows from where they are.
    """

    def __init__(self, function: FuncOp, target: Target, symbols: KernelSymbols):
        self.function = function
        self.target = target
        self.symbols = symbols
        self.consumer_warps = get_warps(function)
        self.consumer_threads = WARP_THREADS * self.consumer_warps
        """The threads that hold tiles: of the consumer warps, or all of a CTA without agents."""
        self.warps = count_warps(function)
        """The warps of the CTA, with those of all agents."""
        self.pair_ctas = get_cluster_ctas(function) if PAIR.is_on(function) else 1
        """How many CTAs of a cluster multiply together; 1 if each does for itself."""
        self.memory = get_shared_memory(function) or SharedMemoryAttr.of(0, 0, 0)
        """Shared memory of the CTA."""
        self.model = make_model(function, target, self.memory.scratch, self.memory.limit)
        """The scratch memory that each op needs, the budget for it, and axis info."""
        self.block = Block()
        """The entry block of the lowered kernel: the code of a thread."""
        self.hoisted: dict[object, SSAValue] = {}
        """
        Results, by a key, of ops at the start of the entry block: constants, and what depends on
        nothing but the thread index. As in MLIR's OperationFolder they are uniqued, and stand in
        front of all other code in the order in which they were first requested.
        """
        self.last_hoisted: Operation | None = None
        self.maps = TensorMaps()
        """Those of `tensor_maps.make_maps`, from before any op is lowered."""
        self.mapping: dict[SSAValue, tuple[SSAValue, ...]] = {}
        """The converted values of each `nv_tileas` value (1:N)."""
        columns = TENSOR_MEMORY.get(function)
        self.columns = None if columns is None else columns.data
        """The columns of tensor memory that the kernel allocates, if any."""
        self.computed: dict[tuple[object, ...], SSAValue] = {}
        """Results of ops without effects, by block, op and operands."""
        self.delayed_arrivals: list[DelayedArrival] = []
        """Arrivals of ping-pong scheduling that are delayed."""

    def add_argument(self, ty: Attribute) -> SSAValue:
        """Appends a parameter to the kernel."""
        return self.block.insert_arg(ty, len(self.block.args))
