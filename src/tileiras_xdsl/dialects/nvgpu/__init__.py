"""
The `nvgpu` dialect: what NVIDIA's GPUs can do beyond `gpu`, on values of one thread.

Names are those of upstream; operands are in the order that `convert-nvgpu-to-nvvm` expects. An op
that is one instruction, and that upstream does not have, is in `nvvm` only.
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
