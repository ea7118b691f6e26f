"""
The `nvgpu` dialect: what NVIDIA's GPUs can do beyond `gpu`, on values of one thread.

Names are those of upstream; operands are in the order that `convert-nvgpu-to-nvvm` expects. An op
that is one instruction, and that upstream does not have, is in `nvvm` only.

Modules:

    copies: Barriers in shared memory and asynchronous copies of `nvgpu`
    matrix: Matrices and packed arithmetic of `nvgpu`
    types: Types and attributes of `nvgpu`
"""

from __future__ import annotations

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.building import attributes_in, operations_in

from . import copies, matrix, types
from .copies import *
from .matrix import *
from .types import *

Nvgpu = Dialect("nvgpu", [*operations_in(copies, matrix)], [*attributes_in(types)])
