"""
The `cuda_tile` dialect: the public contract, what front ends write and what everything else
here starts from. One module for each family of ops; this one gathers them.
"""

from xdsl.ir import Dialect

from tileiras_xdsl.dialects.definitions import attributes_in, operations_in
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
    testing,
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
from .testing import *
from .types import *
from .views import *

CudaTile = Dialect(
    "cuda_tile",
    [
        *operations_in(symbols, control_flow, integer, floating, conversion, shape, aggregate),
        *operations_in(matmul, memory, views, testing),
    ],
    [*types.BARE_TYPES.values(), *attributes_in(attributes, enums, elements, debug_info)],
    [BareTypes(types.BARE_TYPES.values())],
)
