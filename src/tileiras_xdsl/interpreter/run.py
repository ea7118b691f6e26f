"""Running a kernel over a grid."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects import gpu
from xdsl.dialects.builtin import IntegerType, ModuleOp, StringAttr
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.types import PtrType, is_float
from tileiras_xdsl.dialects.nv_tileaa.memory import GlobalOp

from . import control_flow as _control_flow
from . import cuda_tile as _cuda_tile
from . import nv_tileaa as _nv_tileaa
from .blocks import BlockState
from .elements import round_to, to_bytes
from .errors import ExecutionError
from .machine import Body, Frame, Program, Value
from .memory import Array, Memory
from .types import element_of

# The modules register what ops do.
REGISTERED = (_control_flow, _cuda_tile, _nv_tileaa)

Grid = int | Sequence[int]


def entries_of(module: ModuleOp) -> dict[str, Operation]:
    """The kernels of a module by name."""
    found: dict[str, Operation] = {}
    for op in module.walk():
        if isinstance(op, ct.EntryOp) or (isinstance(op, gpu.FuncOp) and op.kernel is not None):
            name = op.properties.get("sym_name", op.attributes.get("sym_name"))
            assert isinstance(name, StringAttr)
            found[name.data] = op
    return found


def choose_entry(module: ModuleOp, name: str | None) -> Operation:
    """The kernel of a name, or the only one."""
    found = entries_of(module)
    if name is not None:
        if name not in found:
            raise ExecutionError(f"there is no kernel @{name}, but {_names(found)}")
        return found[name]
    if len(found) != 1:
        raise ExecutionError(f"expected one kernel, or a name, but found {_names(found)}")
    return next(iter(found.values()))


def _names(found: dict[str, Operation]) -> str:
    return ", ".join(f"@{name}" for name in found) or "no kernel"


def full_grid(grid: Grid) -> tuple[int, int, int]:
    """A grid of three sizes."""
    sizes = [grid] if isinstance(grid, int | np.integer) else list(grid)
    if not 1 <= len(sizes) <= 3 or any(int(size) < 1 for size in sizes):
        raise ExecutionError(f"a grid has one to three positive sizes, but got {grid}")
    padded = [int(size) for size in sizes] + [1] * (3 - len(sizes))
    return padded[0], padded[1], padded[2]


class Arguments:
    """The arguments of a kernel: arrays become addresses, numbers become scalars."""

    def __init__(self, entry: Operation, args: Sequence[Any], memory: Memory):
        parameters = entry.regions[0].block.args
        if len(args) != len(parameters):
            raise ExecutionError(f"takes {len(parameters)} arguments, but got {len(args)}", entry)
        self.values: list[Value] = [None] * len(args)
        pointers: list[int] = []
        arrays: list[Array] = []
        names: list[str] = []
        for number, (parameter, argument) in enumerate(zip(parameters, args, strict=True)):
            element = element_of(parameter.type)
            name = parameter.name_hint or f"argument {number}"
            if isinstance(element, PtrType | LLVMPointerType):
                pointers.append(number)
                arrays.append(as_array(argument, number, entry))
                names.append(name)
            else:
                self.values[number] = as_scalar(argument, element, number, entry)
        addresses = memory.add_arrays(arrays, names)
        for number, address in zip(pointers, addresses, strict=True):
            self.values[number] = np.asarray(address, np.int64)
        self.arrays = arrays


def as_array(argument: Any, number: int, entry: Operation) -> Array:
    """An array that shares the memory of an argument."""
    if isinstance(argument, np.ndarray):
        return argument
    if hasattr(argument, "__array_interface__"):
        return np.asarray(argument)
    if hasattr(argument, "__dlpack__"):
        return np.from_dlpack(argument)
    raise ExecutionError(
        f"argument {number} is a pointer and takes an array, but got {type(argument).__name__}",
        entry,
    )


def as_scalar(argument: Any, element: Attribute, number: int, entry: Operation) -> Array:
    """A scalar of the type of a parameter."""
    array = np.asarray(argument)
    if array.ndim or not isinstance(argument, int | float | np.generic | np.ndarray):
        raise ExecutionError(
            f"argument {number} is a scalar, but got {type(argument).__name__}", entry
        )
    if isinstance(element, IntegerType):
        bits = int(array) & ((1 << element.width.data) - 1)
        from .elements import from_bits

        return from_bits(np.array(bits, np.uint64), element)
    if is_float(element):
        return round_to(np.asarray(float(array)), element)
    raise ExecutionError(f"argument {number} of type '{element}' cannot be given", entry)


def add_globals(module: ModuleOp, memory: Memory) -> dict[str, int]:
    """Gives global variables memory; returns their addresses by name."""
    addresses: dict[str, int] = {}
    for op in module.walk():
        if isinstance(op, ct.GlobalOp):
            value, element = _cuda_tile.elements_of(op.elements), op.elements.element_type
        elif isinstance(op, GlobalOp):
            value = _nv_tileaa.literal_of(op.value)
            element = element_of(op.value.get_type())  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
        else:
            continue
        name = op.properties["sym_name"]
        assert isinstance(name, StringAttr)
        data = to_bytes(np.ascontiguousarray(value), element)
        allocation = memory.allocate(np.array(data), f"@{name.data}")
        allocation.writable = "constant" not in op.properties
        addresses[name.data] = allocation.base
    return addresses


def load_module(module: ModuleOp | str | bytes | Path) -> ModuleOp:
    """A module, or what can be read as one."""
    if isinstance(module, ModuleOp):
        return module
    from tileiras_xdsl.frontend import load

    return load(module)


def run(
    module: ModuleOp | str | bytes | Path,
    entry: str | None = None,
    *,
    grid: Grid,
    args: Sequence[Any],
    check: Sequence[str] | bool = (),
    seed: int | None = None,
    processes: int = 1,
    progress: bool | None = None,
) -> None:
    """
    Runs a kernel over a grid on the CPU; arrays are changed in place.

    `args` has one entry for each parameter: an array for a pointer (anything with
    `__array_interface__` or DLPack), a number for a scalar. The module may be at level 0
    (`cuda_tile`) or 1 (`nv_tileaa`), and may be given as a path, text or bytecode.
    """
    module = load_module(module)
    kernel = choose_entry(module, entry)
    sizes = full_grid(grid)
    memory = Memory()
    arguments = Arguments(kernel, args, memory)
    addresses = add_globals(module, memory)
    program = Program()
    body = program.bind_block(kernel.regions[0].block)
    with np.errstate(all="ignore"):
        for z, y, x in product(*(range(size) for size in reversed(sizes))):
            block = BlockState((x, y, z), sizes, memory, addresses, sys.stdout.write)
            run_block(body, program, block, arguments.values)


def run_block(body: Body, program: Program, block: BlockState, arguments: Sequence[Value]) -> None:
    """Runs one block of the grid."""
    frame = Frame(len(program.registers), block)
    body.run(frame, arguments)
    block.finish()
