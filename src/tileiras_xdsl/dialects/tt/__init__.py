"""
The `tt` dialect of Triton 3.6 to 3.9 (`TTIR`), the program of one instance of a kernel on tiles.

Triton's text (`kernel.asm["ttir"]`) parses, and is printed back so that Triton reads it.
Arithmetic is that of `arith` and `math`, control flow that of `scf` and `cf`; `ttg` has the barrier
alone.

Modules:

    base: What the ops of `tt` share: their base, and checks of shapes and elements
    control: Functions and calls of `tt`, and ops with a region that combines elements
    elementwise: Ops of `tt` that work element by element, on tensors or scalars
    memory: Ops of `tt` that access memory: through pointers, by atomics, and through descriptors
    shape: Ops of `tt` that make, arrange and combine tensors
    ttg: What TTIR uses of Triton's `ttg` dialect: the barrier
    types: Types of `tt`
    words: Enumerations of `tt`, which are `i32` attributes whose values have names in text
"""

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.building import attributes_in, operations_in

from . import control, elementwise, memory, shape, types, words
from .base import *
from .control import *
from .elementwise import *
from .memory import *
from .shape import *
from .types import *
from .words import *

Tt = Dialect(
    "tt",
    list(operations_in(control, elementwise, memory, shape)),
    list(attributes_in(types, words)),
)
