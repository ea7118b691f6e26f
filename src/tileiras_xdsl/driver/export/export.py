"""
`tileiras_xdsl.export`: compiles versions of a kernel for several architectures.

All versions of a kernel, for arrays that are aligned and for any others, are kernels of one module,
which is compiled for each architecture with the ABI `host-maps`. Kernels are named after version
and architecture, so that a launcher sees by the names which image the driver has chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from xdsl.dialects.builtin import StringAttr, UnknownLoc

from tileiras_xdsl.backend.errors import BackendError, MissingToolError
from tileiras_xdsl.backend.launch_record import LaunchRecord
from tileiras_xdsl.backend.libdevice import run_program
from tileiras_xdsl.backend.ptxas import Ptxas
from tileiras_xdsl.dialects.cuda_tile.symbols import EntryOp
from tileiras_xdsl.driver.compiler.compiled import compile
from tileiras_xdsl.driver.compiler.options import OptionError, Options
from tileiras_xdsl.frontend.cutile_kernels import (
    ArrayPromise,
    ConstantPromise,
    Promise,
    ScalarPromise,
    TuplePromise,
    export_versions,
    integer_range,
)
from tileiras_xdsl.frontend.load import Program, print_bytes
from tileiras_xdsl.pipeline import DEFAULT_OPT_LEVEL
from tileiras_xdsl.targets.machine import ComputeCapability, gpu_name
from tileiras_xdsl.transforms.cuda_tile.synthesize_debug_info_scopes import get_file_location
from tileiras_xdsl.xdsl_extras.public import public

from .sources import (
    C_TYPES,
    Argument,
    Fact,
    Function,
    Library,
    write_header,
    write_module,
    write_source,
)

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
    cache: bool | None = None,
) -> tuple[Path, ...]:
    """
    Writes a library for programs that have no compiler: `out.c` and `out.h`, a launcher in C11 with
    a fat binary in it, `out.py` for Python, and `out.fatbin`. Returns their paths.

    - program: what `compile` takes: bytecode, text, a path, a module, or a cuTile kernel;
    - signatures: of a cuTile kernel, the arguments of each version, where `array` stands for an
      array. A launch runs the first version that its arguments allow;
    - gpus: the architectures to compile for;
    - ptx: the architecture of PTX, which the driver compiles for all later GPUs; `None` for no PTX.
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
    images = [_compile(makers, gpu, opt, cache, is_ptx=False) for gpu in names]
    if ptx is not None:
        images.append(_compile(makers, gpu_name(ptx), opt, cache, is_ptx=True))
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
            op.location = get_file_location(op.location) or UnknownLoc()
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


def _compile(makers: Versions, gpu: str, opt: int, cache: bool | None, *, is_ptx: bool) -> Image:
    base = ComputeCapability.parse(gpu).base_name
    compiled = compile(makers.make(base), base, opt=opt, abi="host-maps", cache=cache)
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
