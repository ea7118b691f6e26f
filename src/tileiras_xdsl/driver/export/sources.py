"""
The launcher in C: types, tables and functions of exported kernels.

The tables are the launch records of all architectures. Everything that does something is in
`runtime.c`; a function for each kernel puts its arguments into an array and calls that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate
from typing import Final

from tileiras_xdsl.backend.launch_record import (
    GRID_SIZES,
    PROMOTION_WORDS,
    SWIZZLE_WORDS,
    LaunchRecord,
    Quantity,
    TensorMapRecord,
)
from tileiras_xdsl.targets.tma import FILLS, map_element

C_TYPES: Final = {
    "array": "const DLTensor *",
    "ptr": "const void *",
    "i1": "bool ",
    **{f"i{bits}": f"int{bits}_t " for bits in (8, 16, 32, 64)},
    **{
        "f32": "float ",
        "tf32": "float ",
        "f64": "double ",
        "f16": "uint16_t ",
        "bf16": "uint16_t ",
    },
    **{name: "uint8_t " for name in ("f8E4M3FN", "f8E5M2", "f8E8M0FNU")},
}
"""What C has for the types of parameters; of small floats the bits."""

FOLDER: Final = files("tileiras_xdsl.driver.export")

_TAKEN: Final = frozenset(
    """
    alignas alignof auto bool break case catch char class const continue count default delete do
    double else enum explicit export extern false float for friend goto grid if inline int long
    mutable namespace new next operator private protected public register restrict return short
    signed sizeof static status stream struct switch template this throw true try typedef typename
    union unsigned using values versions virtual void volatile while
    """.split()
)
"""Words that are no names of arguments in C or C++, or have a meaning in our functions."""


@dataclass(frozen=True)
class Fact:
    """What a version relies on: a parameter is a multiple of a number, and in a range."""

    divisor: int = 1
    low: int = -(1 << 63)
    high: int = (1 << 63) - 1


@dataclass(frozen=True)
class Argument:
    """An argument of a function."""

    name: str
    type: str
    """That of a parameter, or `array`."""
    dlpack: tuple[int, int, int] = (0, 0, 0)
    """Of an array: the code and the bits of elements, and the rank."""

    @property
    def parameters(self) -> int:
        """How many parameters of the kernel it becomes: of an array address, sizes, strides."""
        return 1 + 2 * self.dlpack[2]


@dataclass(frozen=True)
class Function:
    """A kernel, with versions to choose from."""

    name: str
    arguments: tuple[Argument, ...]
    versions: tuple[tuple[Fact, ...], ...]
    """For each version a fact for each parameter."""


@dataclass(frozen=True)
class Library:
    """What is exported together."""

    name: str
    functions: tuple[Function, ...]
    images: tuple[tuple[LaunchRecord, ...], ...]
    """For each architecture the records of all versions of all functions, in their order."""
    fat_binary: bytes


def write_header(library: Library) -> str:
    """The header: functions and error codes."""
    guard = f"{library.name.upper()}_H"
    prototypes = "\n".join(f"{_prototype(each)};" for each in library.functions)
    return f"""\
/* Kernels compiled by tileiras-xdsl. Functions return 0, a positive error of the CUDA driver
   (CUresult), or a negative one of these. Arrays lie on the GPU whose context the thread has, and
   do not overlap. Launches are on `stream`, a CUstream or cudaStream_t; the grid counts tile
   blocks along x, y and z. */

#ifndef {guard}
#define {guard}

#include <stdbool.h>
#include <stdint.h>

#ifndef TILEIRAS_EXPORT
#define TILEIRAS_EXPORT
enum {{
    TILEIRAS_SUCCESS = 0,
    TILEIRAS_NO_DRIVER = -1,
    TILEIRAS_OLD_DRIVER = -2,
    TILEIRAS_NO_CODE = -3,
    TILEIRAS_BAD_GRID = -4,
    TILEIRAS_BAD_ARRAY = -5,
    TILEIRAS_NOT_ON_GPU = -6,
    TILEIRAS_NO_VERSION = -7,
    TILEIRAS_EMPTY_ARRAY = -8
}};

/* An array as in DLPack, whose own header comes before this one if both are used. */
#if !defined(DLPACK_VERSION) && !defined(DLPACK_MAJOR_VERSION)
typedef enum {{ kDLCPU = 1, kDLCUDA = 2, kDLCUDAManaged = 13 }} DLDeviceType;
typedef struct {{
    DLDeviceType device_type;
    int32_t device_id;
}} DLDevice;
typedef struct {{
    uint8_t code, bits;
    uint16_t lanes;
}} DLDataType;
typedef struct {{
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
}} DLTensor;
#endif
#endif

#ifdef __cplusplus
extern "C" {{
#endif

{prototypes}

/* Loads the code, which else the first launch does; a stream may not be captured meanwhile. */
int {library.name}_load(void);
int {library.name}_unload(void);
const char *{library.name}_error_text(int status);

#ifdef __cplusplus
}}
#endif
#endif
"""


def write_source(library: Library) -> str:
    """The source: the part that is always the same, tables, and functions."""
    records = [record for image in library.images for record in image]
    maps = max(1, *(len(record.tensor_maps) for record in records))
    counts = [_parameter_count(each) for each in library.functions]
    runtime = FOLDER.joinpath("runtime.c").read_text()
    return "\n".join(
        (
            f'#include "{library.name}.h"\n',
            f"enum {{ IMAGES = {len(library.images)}, KERNELS = {len(library.images[0])} }};",
            f"enum {{ MAX_MAPS = {maps}, PARAMETERS = {max(counts) + GRID_SIZES + maps} }};",
            f"enum {{ FAT_BINARY_BYTES = {len(library.fat_binary)} }};\n",
            runtime,
            *_record_tables(library),
            *_functions(library, counts),
            f"int {library.name}_load(void) {{ return load(); }}",
            f"int {library.name}_unload(void) {{ return unload(); }}",
            f"const char *{library.name}_error_text(int status) {{ return text_of(status); }}\n",
            "_Alignas(16) static const unsigned char fat_binary[FAT_BINARY_BYTES] = {",
            *_bytes(library.fat_binary),
            "};\n",
        )
    )


def write_module(library: Library) -> str:
    """The Python module, whose functions are those of the C source."""
    kernels = {each.name: [a.type for a in each.arguments] for each in library.functions}
    loader = FOLDER.joinpath("loader.py").read_text().replace("NAME", library.name)
    return (
        f"{loader}\n\nKERNELS = {kernels!r}\n"
        f'PATH = Path(__file__).with_name("lib{library.name}.so")\n'
        f'globals().update(load(PATH, "{library.name}", KERNELS))\n'
    )


def _parameter_count(function: Function) -> int:
    return sum(argument.parameters for argument in function.arguments)


def _name(argument: Argument) -> str:
    name = re.sub(r"\W", "_", argument.name, flags=re.ASCII) or "argument"
    name = f"_{name}" if name[0].isdigit() else name
    return f"{name}_" if name in _TAKEN else name


def _names(function: Function) -> list[str]:
    """The names of arguments, all of them different."""
    names = list(map(_name, function.arguments))
    return [name if names.count(name) == 1 else f"{name}{i}" for i, name in enumerate(names)]


def _prototype(function: Function) -> str:
    types = (C_TYPES[each.type] for each in function.arguments)
    arguments = ", ".join(map("".join, zip(types, _names(function), strict=True)))
    comma = ", " if arguments else ""
    return f"int {function.name}_launch(const uint32_t grid[3], void *stream{comma}{arguments})"


def _record_tables(library: Library) -> Iterator[str]:
    rows: list[str] = []
    for i, image in enumerate(library.images):
        cells: list[str] = []
        for j, record in enumerate(image):
            maps = "NULL"
            if record.tensor_maps:
                maps = f"maps_{i}_{j}"
                yield f"static const tensor_map {maps}[] = {{"
                yield from (f"    {_tensor_map(each)}," for each in record.tensor_maps)
                yield "};"
            assert record.threads is not None
            numbers = (record.shared or 0, record.persistent, int(record.blocks_are_clusters))
            cells.append(
                f'{{"{record.entry}", {_list(record.threads)}, {_list(record.cluster)}, '
                f"{', '.join(map(str, numbers))}, {len(record.tensor_maps)}, {maps}}}"
            )
        rows.append(f"    {{{', '.join(cells)}}},")
    yield "static const record image_records[IMAGES][KERNELS] = {"
    yield from rows
    yield "};\n"


def _tensor_map(record: TensorMapRecord) -> str:
    steps = record.element_strides or (1,) * len(record.box)
    fields = (
        map_element(record.element).driver,
        len(record.sizes),
        record.base,
        _list(map(_quantity, record.sizes)),
        _list(map(_quantity, record.strides)) if record.strides else "{{0, -1}}",
        _list(record.box),
        _list(steps),
        SWIZZLE_WORDS.index(record.swizzle),
        PROMOTION_WORDS.index(record.l2_promotion),
        FILLS.index("nan" if record.nan_fill else "zero"),
    )
    return _list(fields)


def _quantity(quantity: Quantity) -> str:
    parameter = -1 if quantity.parameter is None else quantity.parameter
    return f"{{{_number(quantity.value)}, {parameter}}}"


def _functions(library: Library, counts: Sequence[int]) -> Iterator[str]:
    # The kernels of the library are the versions of all functions.
    firsts = accumulate((len(each.versions) for each in library.functions), initial=0)
    for function, count, first in zip(library.functions, counts, firsts, strict=False):
        yield f"{_prototype(function)} {{"
        versions: list[str] = []
        for i, facts in enumerate(function.versions):
            if all(fact == Fact() for fact in facts):
                versions.append(f"{{{first + i}, NULL}}")
                continue
            numbers = [f"{_number(f.divisor)}, {_number(f.low)}, {_number(f.high)}" for f in facts]
            lines = ",\n        ".join(f"{{{each}}}" for each in numbers)
            yield f"    static const fact facts_{i}[] = {{\n        {lines}}};"
            versions.append(f"{{{first + i}, facts_{i}}}")
        yield f"    static const version versions[] = {_list(versions)};"
        yield f"    int64_t values[{count + GRID_SIZES}], *next = values;"
        names = _names(function)
        checks: list[str] = []
        for name, argument in zip(names, function.arguments, strict=True):
            yield from _put(name, argument, checks)
        yield f"    return launch(versions, {len(versions)}, {count}, values, grid, stream);\n}}\n"


def _put(name: str, argument: Argument, checks: list[str]) -> Iterator[str]:
    if argument.type == "array":
        code, bits, rank = argument.dlpack
        if not checks:
            yield "    int status;"
        checks.append(name)
        yield f"    status = put_array(&next, {name}, {code}, {bits}, {rank});"
        yield "    if (status != 0) return status;"
    elif argument.type == "ptr":
        yield f"    *next++ = (int64_t)(uintptr_t){name};"
    elif argument.type[0] == "i":
        yield f"    *next++ = {name};"
    else:
        yield f"    put_bytes(&next, &{name}, sizeof {name});"


def _bytes(data: bytes) -> Iterator[str]:
    for start in range(0, len(data), 32):
        yield f"    {','.join(map(str, data[start : start + 32]))},"


def _number(value: int) -> str:
    if value == -(1 << 63):
        return "INT64_MIN"
    return str(value) if abs(value) < 1 << 31 else f"INT64_C({value})"


def _list(items: Iterable[object]) -> str:
    return f"{{{', '.join(map(str, items))}}}"
