"""What a kernel is given: grids, arrays and numbers of Python, checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from operator import index
from random import Random
from typing import Any, overload

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import IntegerType, MemRefType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.types import PtrType, TileType, element_name, is_float
from tileiras_xdsl.dialects.nvgpu.types import (
    BLOCKS_ARE_CLUSTERS,
    get_cluster_ctas,
    get_persistent_ctas,
)
from tileiras_xdsl.frontend.cutile_kernels import ArrayList
from tileiras_xdsl.targets.machine import MAX_GRID_SIZE

from .elements import dtype_of, from_bits, is_packed, round_to, storage_dtype
from .errors import ExecutionError, TileBlocksError
from .memory import (
    Array,
    Memory,
    PagedArray,
    SparseArray,
    Uninitialized,
    bytes_at,
    first_byte,
)
from .values import Value, element_of

Grid = int | Sequence[int]

SM_COUNT = 2
"""SMs of the simulated device; few, so that CTAs of persistent kernels have several iterations."""
MOST_SMS = 1 << 15
"""Of a device on which each of some tile blocks has a CTA of its own."""
RESIDENTS = ("nv_tileas.resident_ctas", "nvvm.read.ptx.sreg.nsmid")
"""Ops that ask how many CTAs a device holds: others than these have no work."""
CPU_DEVICES = (1, 3)
"""DLPack's numbers of memory that the CPU can use: its own, and pinned memory of CUDA."""


def full_grid(grid: Grid) -> tuple[int, int, int]:
    """A grid of three sizes."""
    try:
        sizes = [index(size) for size in (grid if isinstance(grid, Iterable) else [grid])]
    except TypeError:
        sizes = []
    if not 1 <= len(sizes) <= 3 or any(size < 1 for size in sizes):
        raise ExecutionError(f"a grid has one to three positive sizes, but got {grid!r}")
    if max(sizes) > MAX_GRID_SIZE:
        raise ExecutionError(f"a grid has at most {MAX_GRID_SIZE} CTAs a side, but got {grid!r}")
    x, y, z = sizes + [1] * (3 - len(sizes))
    return x, y, z


def launch_of(
    kernel: Operation, grid: Grid, sm_count: int = SM_COUNT
) -> tuple[tuple[int, int, int], tuple[int, ...]]:
    """
    The grid of the launch of a kernel, and what the launcher passes after the arguments: of a
    persistent kernel fewer CTAs than were asked for, and the sizes that were.
    """
    sizes = full_grid(grid)
    if (ctas := get_persistent_ctas(kernel)) == 0:
        return sizes, ()
    if sm_count < 1:
        raise ExecutionError(f"a device has SMs, but got {sm_count}")
    cluster = get_cluster_ctas(kernel)
    running = max(1, ctas * sm_count // cluster)
    if BLOCKS_ARE_CLUSTERS.is_on(kernel):
        return (min(prod(sizes), running), 1, 1), sizes
    return (min(-(-prod(sizes) // cluster), running) * cluster, 1, 1), sizes


Index = tuple[int, int, int]


class ChosenBlocks:
    """
    Some of the tile blocks of a grid, to be run without the others. So that each has a CTA of its
    own, the device has as many SMs as there are tile blocks.
    """

    def __init__(self, kernel: Operation, grid: Grid, blocks: Sequence[Index]):
        self.grid, self.blocks = full_grid(grid), blocks
        self.total = prod(self.grid)
        if any(not 0 <= n < size for each in blocks for n, size in zip(each, self.grid)):
            raise ExecutionError(f"not all tile blocks of {blocks} are in a grid of {self.grid}")
        if self.total > MOST_SMS and any(op.name in RESIDENTS for op in kernel.walk()):
            raise TileBlocksError(
                f"only the first CTAs of the kernel have work, which are fewer than {self.total}"
            )

    def find_ctas(
        self, launched: Index, cluster: Index, *, is_persistent: bool, are_clusters: bool
    ) -> list[Index]:
        """
        The CTAs of a launch that do the tile blocks, and all CTAs of their clusters. CTAs of a
        persistent kernel lie in a row. A cluster may do one tile block, if `are_clusters`.
        """
        found: list[Index] = []
        sizes = cluster if are_clusters else (1, 1, 1)
        for x, y, z in self.blocks:
            if is_persistent:
                x, y, z = (z * self.grid[1] + y) * self.grid[0] + x, 0, 0
            found += [
                (x * sizes[0] + i, y * sizes[1] + j, z * sizes[2] + k)
                for i, j, k in CtaIndices(sizes)
            ]
        if any(n >= size for index in found for n, size in zip(index, launched)):
            raise TileBlocksError("tile blocks have no CTAs of their own")
        groups = {tuple(n // by for n, by in zip(index, cluster)) for index in found}
        if len(groups) * prod(cluster) != len(set(found)):
            raise TileBlocksError(f"clusters of {prod(cluster)} CTAs do other tile blocks, too")
        return found


class CtaIndices(Sequence[tuple[int, int, int]]):
    """The indices of the CTAs of a grid in the order in which they run."""

    def __init__(self, sizes: tuple[int, int, int], seed: int | None = None):
        self.sizes = sizes
        self.order: Sequence[int] = range(prod(sizes))
        if seed is not None:
            self.order = list(self.order)
            Random(seed).shuffle(self.order)

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, index: int) -> tuple[int, int, int]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[int, int, int]]: ...
    def __getitem__(
        self, index: int | slice
    ) -> tuple[int, int, int] | Sequence[tuple[int, int, int]]:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        number, x = divmod(self.order[index], self.sizes[0])
        z, y = divmod(number, self.sizes[1])
        return x, y, z


def choose_kernel(found: Mapping[str, Operation], name: str | None) -> Operation:
    """The kernel of a name, or the only one."""
    names = ", ".join(f"@{each}" for each in found) or "no kernel"
    if name is not None:
        if name not in found:
            raise ExecutionError(f"there is no kernel @{name}, but {names}")
        return found[name]
    if len(found) != 1:
        raise ExecutionError(f"expected one kernel, or a name, but found {names}")
    return next(iter(found.values()))


class BoundArguments:
    """The arguments of a kernel: arrays become addresses, numbers become scalars."""

    def __init__(
        self,
        kernel: Operation,
        args: Sequence[Any],
        memory: Memory,
        grid: Sequence[int] = (),
        lead: tuple[int, ...] = (),
        *,
        more: int = 0,
    ):
        """`grid`: what the launcher passes after them, before this many `more`."""
        parameters = kernel.regions[0].blocks[0].args
        expected = len(parameters) - len(grid) - more
        if len(args) != expected:
            raise ExecutionError(f"takes {expected} arguments, but got {len(args)}", kernel)
        args = [*args, *grid]
        self.values: list[Value] = [None] * len(args)
        self.arrays: list[Array] = []
        """Keeps the memory of the arguments alive."""
        places: list[int] = []
        known = name_parameters(parameters[: len(args)])
        names: list[str] = []
        unwritten: list[int] = []
        tables: list[tuple[int, Array]] = []
        """Of addresses of arrays, and which of all arrays the first one is."""
        paged: dict[int, int] = {}
        """The addresses of arrays of which only pages are held."""
        for number, argument in enumerate(args):
            parameter = parameters[number]
            described = describe_argument(number, parameter.name_hint)
            ty = scalar_type(parameter.type)
            if isinstance(ty, POINTERS):
                if isinstance(argument, Uninitialized):
                    argument = argument.array
                    unwritten.append(len(places))
                name = known[number]
                if isinstance(argument, SparseArray):
                    for part in argument.parts.values():
                        as_array(part, ty, described, kernel)
                    address = memory.add_sparse(argument, name)
                    self.values[number] = np.full(lead, address, np.int64)
                    continue
                if isinstance(argument, PagedArray):
                    if id(argument) not in paged:
                        paged[id(argument)] = memory.add_paged(argument, name)
                    self.values[number] = np.full(lead, paged[id(argument)], np.int64)
                    continue
                if isinstance(argument, ArrayList):
                    table = argument.make_table([0] * len(argument.rows))
                    tables.append((len(self.arrays), table))
                    for place, (array, *_) in enumerate(argument.rows):
                        places.append(number)
                        self.arrays.append(as_array(array, ADDRESS, described, kernel))
                        names.append(f"{name}[{place}]")
                    argument = table
                places.append(number)
                self.arrays.append(as_array(argument, ty, described, kernel))
                names.append(name)
            else:
                scalar = as_scalar(argument, element_of(ty), described, kernel)
                self.values[number] = scalar.reshape(lead)
        addresses = memory.add_arrays(self.arrays, names)
        for first, table in tables:
            table[:, 0] = addresses[first : first + len(table)]
        # The table of a list comes after its arrays, so its address is the one that stays.
        for number, address in zip(places, addresses, strict=True):
            self.values[number] = np.full(lead, address, np.int64)
        for position in unwritten:
            allocation = memory.find(addresses[position])
            if allocation is not None:
                allocation.poison(self.arrays[position])


def check_types(kernel: Operation, args: Sequence[Any]) -> None:
    """`ExecutionError` for arguments whose types are not those of the parameters of a kernel."""
    BoundArguments(kernel, args, Memory())


# Arrays


POINTERS = PtrType | LLVMPointerType | MemRefType
ADDRESS = LLVMPointerType()
"""Of elements of any type."""


def scalar_type(ty: Attribute) -> Attribute:
    """The type of a parameter, which is a tile of no dimensions at level 0."""
    return ty.element_type if isinstance(ty, TileType) else ty


def name_parameters(parameters: Sequence[SSAValue]) -> list[str]:
    """
    The names of parameters. Bytecode has none, nor do its locations: there a pointer is
    `argument 5 (array 2 of 3)`, for sizes and strides of arrays are arguments as well.
    """
    pointers = [each for each in parameters if isinstance(scalar_type(each.type), POINTERS)]
    names = [each.name_hint or f"argument {number}" for number, each in enumerate(parameters)]
    for number, pointer in enumerate(pointers, 1):
        if pointer.name_hint is None:
            names[parameters.index(pointer)] += f" (array {number} of {len(pointers)})"
    return names


def describe_argument(number: int, name: str | None) -> str:
    """What messages call an argument."""
    return f"argument {number} '{name}'" if name else f"argument {number}"


def as_array(argument: Any, pointer: Attribute, described: str, entry: Operation) -> Array:
    """An array that shares the memory of an argument; its elements fit the pointer."""
    if isinstance(argument, np.ndarray):
        array: Array = argument
    elif hasattr(argument, "__array_interface__") and not isinstance(argument, np.generic):
        array = np.asarray(argument)
    elif hasattr(argument, "__dlpack__"):
        array = _from_dlpack(argument, described, entry)
    else:
        raise ExecutionError(
            f"{described} is a pointer and takes an array, but got {type(argument).__name__}",
            entry,
        )
    if array.dtype.hasobject or array.dtype.kind in "SUMm" or array.dtype.names is not None:
        raise ExecutionError(f"{described} is an array of {array.dtype}, not numbers", entry)
    if not array.dtype.isnative:
        raise ExecutionError(f"{described} has its bytes in the wrong order", entry)
    if isinstance(pointer, PtrType) and not _holds(array.dtype, pointer.pointee):
        wanted = storage_dtype(pointer.pointee)
        if dtype_of(pointer.pointee) == np.bool_:
            wanted = np.dtype(np.bool_)
        packed = ", two in a byte" if is_packed(pointer.pointee) else ""
        raise ExecutionError(
            f"{described} points to {element_name(pointer.pointee)}, which an array of "
            f"{wanted} holds{packed}, but got one of {array.dtype}",
            entry,
        )
    return array


def _holds(dtype: np.dtype[Any], pointee: Attribute) -> bool:
    """Whether an array holds elements: of their type, as integers of their bits, or as bytes."""
    stored = storage_dtype(pointee)
    if dtype == np.uint8 or (dtype == dtype_of(pointee) and not is_packed(pointee)):
        return True
    return dtype.kind in "iu" and dtype.itemsize == stored.itemsize


def _from_dlpack(argument: Any, described: str, entry: Operation) -> Array:
    device = argument.__dlpack_device__()[0]
    is_tensor = hasattr(argument, "data_ptr")
    # Tensors of the device `meta` have no memory at all.
    is_nowhere = is_tensor and 0 not in argument.shape and not argument.data_ptr()
    if device not in CPU_DEVICES or is_nowhere:
        raise ExecutionError(f"{described} is not in the memory of the CPU", entry)
    if is_tensor:
        return _from_pytorch(argument)
    try:
        array = np.from_dlpack(argument)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ExecutionError(f"{described} cannot be used: {error}", entry) from None
    if array.flags.writeable or _says_read_only(argument):
        return array
    # Without versions nobody can say that an array must not be written to, so NumPy is careful.
    return _array_at(first_byte(array), array.shape, array.dtype, array.strides)


def _from_pytorch(tensor: Any) -> Array:
    """NumPy takes neither bfloat16 by DLPack, nor what needs a gradient."""
    name = str(tensor.dtype).rpartition(".")[2]
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    strides = [stride * dtype.itemsize for stride in tensor.stride()]
    return _array_at(tensor.data_ptr(), tuple(tensor.shape), dtype, strides)


def _array_at(
    address: int, shape: Sequence[int], dtype: np.dtype[Any], strides: Sequence[int]
) -> Array:
    """An array in the memory of this process."""
    reaches = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    before = -sum(reach for reach in reaches if reach < 0) if 0 not in shape else 0
    after = sum(reach for reach in reaches if reach > 0) + dtype.itemsize if 0 not in shape else 0
    buffer: Any = bytes_at(address - before, before + after)
    return np.ndarray(tuple(shape), dtype, buffer, before, tuple(strides))


def _says_read_only(argument: Any) -> bool:
    """Whether a DLPack object, of which NumPy makes an array to read from, meant that."""
    try:
        capsule = argument.__dlpack__(max_version=(1, 0))
    except TypeError:
        return False
    return "dltensor_versioned" in repr(capsule)


# Numbers


def as_scalar(argument: Any, element: Attribute, described: str, entry: Operation) -> Array:
    """A scalar of the type of a parameter."""
    value = argument
    if isinstance(argument, np.generic | np.ndarray) and np.ndim(argument) == 0:
        value = argument.item()
    if not isinstance(value, int | float):
        raise ExecutionError(f"{described} is a scalar, but got {type(argument).__name__}", entry)
    if isinstance(element, IntegerType):
        width = element.width.data
        is_whole = isinstance(value, int) or value.is_integer()
        if not is_whole or not -(1 << (width - 1)) <= value < 1 << width:
            raise ExecutionError(
                f"{described} is an integer of {width} bits, but got {value}", entry
            )
        return from_bits(np.array(int(value) % (1 << width), np.uint64), element)
    if is_float(element):
        return round_to(np.asarray(_to_float(value)), element)
    raise ExecutionError(f"{described} of type '{element}' cannot be given", entry)


def _to_float(value: float) -> float:
    """A float; infinity for integers beyond all floats."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
