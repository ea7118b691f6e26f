"""
The `nvgpu` dialect: what NVIDIA's GPUs can do beyond `gpu`, on values of one thread.

Names are those of upstream; operands are in the order that `convert-nvgpu-to-nvvm` expects. An op
that is one instruction, and that upstream does not have, is in `nvvm` only.

Modules:

    base: What the operations of `nvgpu` share
    copies: Barriers in shared memory and asynchronous copies of `nvgpu`
    dependent_launch: Programmatic dependent launch
    dynamic_shared: Kernels with dynamic shared memory, which the launcher has to request
    heap: Kernels whose CTAs have memory on the heap of the device
    host_maps: Tensor maps that a launcher encodes and passes after the other arguments of a kernel
    loops: What is known of loops when they become branches
    matrix: Matrices and packed arithmetic of `nvgpu`
    persistence: Persistent kernels: a launch has as many CTAs as the device holds at once
    types: Types and attributes of `nvgpu`
"""

from __future__ import annotations

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.definitions import attributes_in, operations_in

from . import copies, matrix, types
from . import dependent_launch as dependent_launch
from . import heap as heap
from . import host_maps as host_maps
from . import persistence as persistence
from .copies import *
from .matrix import *
from .types import *

Nvgpu = Dialect("nvgpu", [*operations_in(copies, matrix)], [*attributes_in(types)])
