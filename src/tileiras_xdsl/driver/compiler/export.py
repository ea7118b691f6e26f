"""
`tileiras_xdsl.export`: compiles versions of a kernel for several architectures.

All versions of a kernel, for arrays that are aligned and for any others, are kernels of one module,
which is compiled for each architecture with the ABI `host-maps`. Kernels are named after version
and architecture, so that a launcher sees by the names which image the driver has chosen.

The launcher in C consists of `exported.c`, which all libraries share, tables of the launch records
of all architectures, and a function for each kernel that puts its arguments into an array. The one
for Python is `exported.py` and a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from xdsl.dialects.builtin import StringAttr, UnknownLoc

from tileiras_xdsl.backend.errors import BackendError, MissingToolError
from tileiras_xdsl.backend.launch_record import (
    GRID_SIZES,
    PROMOTION_WORDS,
    SWIZZLE_WORDS,
    LaunchRecord,
    Quantity,
    TensorMapRecord,
)
from tileiras_xdsl.backend.libdevice import run_program
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.dialects.cuda_tile.symbols import EntryOp
from tileiras_xdsl.frontend.cutile_kernels import (
    ArrayPromise,
    ConstantPromise,
    ListPromise,
    Promise,
    ScalarPromise,
    TuplePromise,
    export_versions,
    integer_range,
)
from tileiras_xdsl.frontend.load import Program, print_bytes
from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL
from tileiras_xdsl.targets.machine import ComputeCapability, gpu_name
from tileiras_xdsl.targets.tma import FILLS, map_element
from tileiras_xdsl.xdsl_extras.diagnostics import first_file_location
from tileiras_xdsl.xdsl_extras.public import public

from .compiled import compile
from .options import CompileOptions, OptionError, Options

if TYPE_CHECKING:
    from tileiras_xdsl.frontend.load import Source

PTX: Final = "sm_86"
"""
The architecture of PTX. One with a suffix runs nowhere else; GPUs from this one on have the shared
memory that code for it asks for.
"""

_DLPACK_CODES: Final = {
    **{"int": 0, "uint": 1, "float": 2, "bfloat": 4, "bool": 6},
    **{"float8_e4m3fn": 10, "float8_e5m2": 12, "float8_e8m0fnu": 14},
}


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

FOLDER: Final = files("tileiras_xdsl.driver.compiler")

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


@dataclass(frozen=True)
class Image:
    """A program compiled for an architecture, as a fat binary takes it."""

    kind: str
    """`elf` or `ptx`."""
    arch: str
    """Without the `sm_`."""
    data: bytes
    records: tuple[LaunchRecord, ...]


@public
def export(
    program: Source,
    signatures: Sequence[Sequence[object]] | None = None,
    *,
    gpus: Sequence[str | int],
    out: str | PathLike[str],
    opt: int = DEFAULT_OPT_LEVEL,
    ptx: str | None = PTX,
    deterministic: bool = False,
    cache: bool | None = None,
) -> tuple[Path, ...]:
    """
    Writes a library for programs that have no compiler: `out.c` and `out.h`, a launcher in C11 with
    a fat binary in it, `out.py` for Python, and `out.fatbin`. Returns their paths.

    - program: what `compile` takes: bytecode, text, a path, a module, or a cuTile kernel;
    - signatures: of a cuTile kernel, the arguments of each version, where `array` stands for an
      array. A launch runs the first version that its arguments allow;
    - gpus: the architectures to compile for;
    - ptx: the architecture of PTX, which the driver compiles for all later GPUs; `None` for no PTX;
    - opt, deterministic, cache: as in `compile`.
    """
    path = Path(out)
    if not (path.name.isascii() and path.name.isidentifier()):
        raise OptionError(f"'{path.name}' is no name in C, and functions of the library have it")
    names = list(dict.fromkeys(map(gpu_name, gpus)))
    if not names and ptx is None:
        raise OptionError("say which GPUs to compile for: gpus=['sm_90']")
    if ptx is not None and not (arch := Options(ptx).arch)[-1].isdecimal():
        raise OptionError(f"PTX for {arch} runs on no later GPU (expected sm_80, sm_86 or sm_89)")
    makers = Versions(program, signatures)
    options = CompileOptions(opt=opt, abi="host-maps", deterministic=deterministic, cache=cache)
    images = [_compile(makers, gpu, options, is_ptx=False) for gpu in names]
    if ptx is not None:
        images.append(_compile(makers, gpu_name(ptx), options, is_ptx=True))
    library = Library(
        path.name,
        tuple(makers.functions(images[0].records)),
        tuple(image.records for image in images),
        _make_fat_binary(images),
    )
    texts = {".c": write_source, ".h": write_header, ".py": write_module}
    contents = {suffix: write(library).encode() for suffix, write in texts.items()}
    contents[".fatbin"] = library.fat_binary
    path.parent.mkdir(parents=True, exist_ok=True)
    for suffix, content in contents.items():
        path.with_suffix(suffix).write_bytes(content)
    return tuple(path.with_suffix(suffix) for suffix in contents)


class Versions:
    """A program, and what its kernels are called in C."""

    def __init__(self, program: Source, signatures: Sequence[Sequence[object]] | None):
        self.program = program
        self.signatures = signatures
        self.promises: Sequence[Sequence[Promise]] = ()
        """Of each version of a cuTile kernel."""

    def make(self, gpu: str) -> Program:
        """The program for an architecture, in whose kernels' names that is."""
        if self.signatures is None:
            source = Program.of(self.program)
        else:
            versions = export_versions(self.program, self.signatures, gpu)
            self.promises = [each.promises for each in versions]
            source = Program(f"<{versions[0].name}>", versions[0].bytecode)
        module = source.load_verified()
        entries = [op for op in module.walk() if isinstance(op, EntryOp)]
        if not entries:
            raise OptionError("only Tile IR can be exported: the program has no cuda_tile.entry")
        for op in entries:
            name = op.sym_name.data
            if not (name.isascii() and name.isidentifier()):
                op.emit_error(f"'{name}' is no name in C", OptionError(f"'{name}' is no name in C"))
            op.properties["sym_name"] = StringAttr(f"{name}_{gpu}")
        for op in module.walk():
            # Scopes of debug info have the old names.
            op.location = first_file_location(op.location) or UnknownLoc()
        return Program(source.name, print_bytes(module))

    def functions(self, records: Sequence[LaunchRecord]) -> Iterator[Function]:
        """The functions in C, given the records of one architecture."""
        names = [record.entry.removesuffix(f"_{_base(record)}") for record in records]
        if not self.promises:
            for name, record in zip(names, records, strict=True):
                arguments = [
                    Argument(each.name or f"arg{i}", each.type)
                    for i, each in enumerate(record.parameters)
                ]
                yield Function(name, tuple(arguments), ((Fact(),) * len(arguments),))
            return
        arguments = [tuple(_arguments(each, records[0])) for each in self.promises]
        for i, other in enumerate(arguments):
            if other != arguments[0]:
                raise OptionError(
                    f"version {i} of {names[0]} takes other types than version 0: versions differ "
                    "in sizes, strides, addresses and constants only"
                )
        facts = tuple(
            tuple(fact for promise in each for fact in _facts(promise)) for each in self.promises
        )
        yield Function(names[0], arguments[0], facts)


def _base(record: LaunchRecord) -> str:
    return ComputeCapability.parse(record.arch).base_name


def _compile(makers: Versions, gpu: str, options: CompileOptions, *, is_ptx: bool) -> Image:
    base = ComputeCapability.parse(gpu).base_name
    compiled = compile(makers.make(base), base, options=options)
    for record in compiled.records:
        check_record(record)
    arch = compiled.options.arch.removeprefix("sm_")
    if not is_ptx:
        return Image("elf", arch, compiled.cubin, compiled.records)
    return Image("ptx", arch, compiled.ptx.encode(), compiled.records)


def check_record(record: LaunchRecord) -> None:
    """Refuses what the launcher in C does not do."""
    if record.threads is None or record.shared is None:
        raise BackendError(f"the kernel {record.entry} leaves open how it is launched")
    if record.heap:
        raise BackendError(
            f"the kernel {record.entry} keeps tiles on the heap of the device, which a launcher "
            "would have to make larger: use smaller tiles"
        )
    for parameter in record.parameters:
        if parameter.type not in C_TYPES:
            raise BackendError(f"the kernel {record.entry} takes a {parameter.type}")


def _arguments(promises: Sequence[Promise], record: LaunchRecord) -> Iterator[Argument]:
    """The arguments of a function of cuTile; those that are constants are in the code."""
    types = iter(record.parameters)

    def flatten(promise: Promise) -> Iterator[Argument]:
        name = promise.name.replace("[", "_").replace("]", "")
        match promise:
            case TuplePromise():
                for item in promise.items:
                    yield from flatten(item)
            case ArrayPromise():
                made = Argument(name, "array", (*_dlpack_type(promise.dtype), len(promise.shape)))
                for _ in range(made.parameters):
                    next(types)
                yield made
            case ScalarPromise():
                yield Argument(name, next(types).type)
            case ListPromise():
                raise BackendError(f"argument '{name}' is a list of arrays; these are not exported")
            case _:
                assert isinstance(promise, ConstantPromise)

    for promise in promises:
        yield from flatten(promise)


def _dlpack_type(dtype: str) -> tuple[int, int]:
    """The code and the bits of a type."""
    if dtype in _DLPACK_CODES:
        return _DLPACK_CODES[dtype], 8
    kind = dtype.rstrip("0123456789")
    return _DLPACK_CODES[kind], int(dtype.removeprefix(kind))


def _facts(promise: Promise) -> Iterator[Fact]:
    """What a version relies on, for each parameter that an argument becomes."""
    match promise:
        case TuplePromise():
            for item in promise.items:
                yield from _facts(item)
        case ArrayPromise():
            yield Fact(promise.alignment)
            limits = integer_range(promise.index_dtype)
            least = limits.start if promise.has_negative_strides else 0
            for numbers, divisors, low in (
                (promise.shape, promise.shape_divisors, 0),
                (promise.strides, promise.stride_divisors, least),
            ):
                for number, divisor in zip(numbers, divisors, strict=True):
                    if number is None:
                        yield Fact(divisor, low, limits.stop - 1)
                    else:
                        yield Fact(1, number, number)
        case ScalarPromise():
            yield Fact()
        case _:
            assert isinstance(promise, ConstantPromise)


def _make_fat_binary(images: Sequence[Image]) -> bytes:
    """One file with all images, by NVIDIA's `fatbinary`, which is where ptxas is."""
    program = Ptxas.find().path.with_name("fatbinary")
    if not program.exists():
        raise MissingToolError(f"there is no fatbinary beside ptxas in '{program.parent}'")
    with TemporaryDirectory(prefix="tileiras-") as folder:
        arguments = [f"--create={folder}/all", "-64"]
        for index, image in enumerate(images):
            file = Path(folder, f"{index}.{image.kind}")
            file.write_bytes(image.data)
            arguments.append(f"--image3=kind={image.kind},sm={image.arch},file={file}")
        result = run_program(program, arguments)
        if result.returncode != 0:
            raise BackendError(f"fatbinary failed: {result.stderr.strip()}")
        return Path(folder, "all").read_bytes()


# The launcher in C


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
    runtime = FOLDER.joinpath("exported.c").read_text()
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
    loader = FOLDER.joinpath("exported.py").read_text().replace("NAME", library.name)
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
