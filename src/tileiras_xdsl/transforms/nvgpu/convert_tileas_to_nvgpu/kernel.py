"""The state of lowering a kernel to the code of one thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import AxisInfoAnalysis
from tileiras_xdsl.dialects.nv_tileaa.base import get_shape
from tileiras_xdsl.dialects.nv_tileaa.memory import AllocaOp
from tileiras_xdsl.dialects.nv_tileas.async_ops import AsyncDotOp
from tileiras_xdsl.dialects.nv_tileas.decisions import (
    AGENTS,
    MULTICAST,
    PAIR,
    WARPGROUP_STORE,
)
from tileiras_xdsl.dialects.nv_tileas.memory import CopyOp
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.dialects.nv_tileas.shared_memory import SharedMemoryAttr, get_shared_memory
from tileiras_xdsl.dialects.nvgpu.persistence import get_cluster_ctas
from tileiras_xdsl.targets.machine import WARP_THREADS
from tileiras_xdsl.targets.target import Target
from tileiras_xdsl.transforms.common.kernel_spec import get_warps
from tileiras_xdsl.transforms.common.symbol_names import SymbolNames
from tileiras_xdsl.transforms.tileas.kernel_model.allocation import make_model
from tileiras_xdsl.transforms.tileas.kernel_model.copied_loads import is_copied
from tileiras_xdsl.transforms.tileas.kernel_model.layout_conversions import ScratchBudget
from tileiras_xdsl.transforms.tileas.kernel_model.scratch_use import leaves_shared_memory
from tileiras_xdsl.transforms.tileas.kernel_model.shared_memory import TMA_ATOMS, has_atom
from tileiras_xdsl.xdsl_extras.walking import walk

from .hoisted_ops import HoistedOps
from .late_passes import LatePass
from .map_table import TensorMaps

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
    """A kernel that is being lowered: its properties, and the mapping to converted values."""

    def __init__(self, function: FuncOp, target: Target, symbols: KernelSymbols):
        self.function = function
        self.ops: Sequence[Operation] = walk(function)
        """All ops, in their order."""
        self.target = target
        self.symbols = symbols
        self.consumer_warps = get_warps(function)
        self.memory = get_shared_memory(function) or SharedMemoryAttr.of(0, 0, 0)
        """Shared memory of the CTA."""
        self.model = make_model(function, target, self.memory.scratch, self.memory.limit)
        """The scratch memory that each op needs, the budget for it, and axis info."""
        self.block = Block()
        """The entry block of the lowered kernel: the code of a thread."""
        self.hoisted_ops = HoistedOps(self.block)
        self.maps = TensorMaps()
        """Those of `tensor_maps.make_maps`, from before any op is lowered."""
        self.mapping: dict[SSAValue, tuple[SSAValue, ...]] = {}
        """The converted values of each `nv_tileas` value (1:N)."""
        self.tensor_memory: SSAValue | None = None
        """The address of the tensor memory that was allocated, in the code of consumer warps."""
        self.is_mma_agent = False
        """Whether the code of the MMA agent is being lowered."""
        self.computed: dict[tuple[object, ...], SSAValue] = {}
        """Results of ops without effects, by block, op and operands."""
        self.late_passes: list[LatePass] = []
        """Where turns are passed on late."""

    @property
    def consumer_threads(self) -> int:
        """The threads that hold tiles: of the consumer warps, or all of a CTA without agents."""
        return 32 * self.consumer_warps

    @cached_property
    def agent_switch(self) -> AgentSwitchOp | None:
        """Where warps specialize, which is after a CTA barrier."""
        return next((op for op in self.ops if isinstance(op, AgentSwitchOp)), None)

    @cached_property
    def has_mma_agent(self) -> bool:
        """Whether a warp of its own issues MMAs."""
        return self.agent_switch is not None and AGENTS.is_on(self.agent_switch)

    @cached_property
    def warps(self) -> int:
        """The warps of the CTA, with those of all agents."""
        switch = self.agent_switch
        if switch is None or switch.num_warps is None:
            return self.consumer_warps
        return sum(int(each) for each in switch.num_warps.get_values())

    @cached_property
    def copying_threads(self) -> int:
        """The threads of producer warps, if all of them copy tiles; 0 if one issues TMA loads."""
        switch = self.agent_switch
        if switch is None or switch.num_warps is None or not any(map(is_copied, self.ops)):
            return 0
        return WARP_THREADS * (self.warps - self.consumer_warps)

    @property
    def axis_info(self) -> AxisInfoAnalysis:
        """The axis info of the kernel's `nv_tileas` values."""
        return self.model.axis_info

    @property
    def scratch_budget(self) -> ScratchBudget:
        """The shared memory that ops may take as scratch memory."""
        return self.model.scratch_budget

    @cached_property
    def allocas(self) -> Sequence[AllocaOp]:
        """The `alloca` ops of the kernel."""
        return [op for op in self.ops if isinstance(op, AllocaOp)]

    @cached_property
    def uses_tma(self) -> bool:
        """Whether the kernel uses TMA."""
        return any(has_atom(op, *TMA_ATOMS) for op in self.ops)

    @cached_property
    def has_warpgroup_stores(self) -> bool:
        """Whether single warpgroups of the kernel issue TMA stores."""
        return any(WARPGROUP_STORE.is_on(op) for op in self.ops)

    @cached_property
    def multicast_ctas(self) -> int:
        """How many CTAs of a cluster share loads by multicast; 1 if there is no multicast."""
        if not any(MULTICAST.is_on(op) for op in self.ops):
            return 1
        return get_cluster_ctas(self.function)

    @cached_property
    def pair_ctas(self) -> int:
        """How many CTAs of a cluster multiply together; 1 if each does for itself."""
        return get_cluster_ctas(self.function) if PAIR.is_on(self.function) else 1

    @cached_property
    def reads_stages(self) -> bool:
        """Whether threads read tiles of buffer stages, not only WGMMAs."""
        return any(isinstance(op, CopyOp) and leaves_shared_memory(op) for op in self.ops)

    @cached_property
    def has_high_register_pressure(self) -> bool:
        """
        Whether the accumulators of a loop take so many registers that not even one more address
        may be live across it: `attention_causal_d128` would spill it.
        """
        loops: Counter[Operation | None] = Counter()
        for op in self.ops:
            if isinstance(op, AsyncDotOp):
                loops[op.parent_op()] += get_shape(op.a.type)[0] * get_shape(op.b.type)[1]
        warpgroups, most = self.target.warpgroups, max(loops.values(), default=0)
        if warpgroups is None:
            return False
        return most >= warpgroups.high_pressure_accumulator_registers * self.consumer_threads

    def add_argument(self, ty: Attribute) -> SSAValue:
        """Appends a parameter to the kernel."""
        return self.block.insert_arg(ty, len(self.block.args))
