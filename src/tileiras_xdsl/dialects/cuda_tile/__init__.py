"""
The `cuda_tile` dialect: the public contract, what front ends write and what everything else
here starts from. One module for each family of ops; this one gathers them.

Modules:

    aggregate: `reduce` and `scan`: a pure body combines elements along one dimension
    attributes: Attributes of the `cuda_tile` dialect that are not plain enumerations
    base: What all `cuda_tile` operations share: sets of types with the phrases diagnostics use
    control_flow: Structured control flow: branches, loops, their terminators, and `assert`
    conversion: Explicit conversions between element types, and between tiles and packed bytes
    debug_info: Debug information of `cuda_tile`: scopes, and locations inside a scope
    directives: Custom directives: the pieces of syntax the declarative format cannot say by itself
    elements: Dense literals: the values of `constant` and `global`
    enums: Enumerations of the `cuda_tile` dialect
    floating: Floating-point arithmetic and math functions, over tiles of f16, bf16, f32 and f64
    integer: Integer and bitwise arithmetic
    matmul: Matrix multiply-accumulate: `result = lhs @ rhs + acc`, with an optional batch dimension
    memory: Tokens, memory access through pointer tiles, atomics and `print`
    printing: The two printing modes
    public_printer: The public text form: what NVIDIA's 13.4 disassembler prints for a module
    shape: Shape algebra, selection, pointer offsets and assumptions
    symbols: Modules, kernels, globals and constants
    types: Types of the `cuda_tile` dialect
    views: Tensor views, tile views over them, and access to memory through views
"""

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.building import attributes_in, operations_in
from tileiras_xdsl.xdsl_extras.bare_types import BareTypes

from . import (
    aggregate,
    attributes,
    control_flow,
    conversion,
    debug_info,
    elements,
    enums,
    floating,
    integer,
    matmul,
    memory,
    shape,
    symbols,
    types,
    views,
)
from .aggregate import *
from .attributes import *
from .base import *
from .control_flow import *
from .conversion import *
from .debug_info import *
from .elements import *
from .enums import *
from .floating import *
from .integer import *
from .matmul import *
from .memory import *
from .public_printer import *
from .shape import *
from .symbols import *
from .types import *
from .views import *

CudaTile = Dialect(
    "cuda_tile",
    [
        *operations_in(symbols, control_flow, integer, floating, conversion, shape, aggregate),
        *operations_in(matmul, memory, views),
    ],
    [*types.BARE_TYPES.values(), *attributes_in(attributes, enums, elements, debug_info)],
    [BareTypes(types.BARE_TYPES.values()), symbols.MaterializeConstant()],
)
