"""
Kernels of Triton as programs: functions that `triton.jit` decorates. The package `triton` reads
them and writes TTIR; it needs no GPU for that.

A kernel is specialized for its arguments as Triton does it when it launches: types, constants,
integers that are 1, and those that are multiples of 16. For `f(x, y, n, BLOCK: tl.constexpr)`:

    export(f, [x, y, 1000, 128])

An array is a NumPy array, a tensor, or what `tileiras_xdsl.array` makes. Meta-parameters that an
autotuner or a heuristic would choose are given like all others.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard, cast

from tileiras_xdsl.frontend.cutile_kernels import (
    Exported,
    KernelError,
    check_count,
    describe_argument,
)
from tileiras_xdsl.frontend.load import make_context, parse_bytes
from tileiras_xdsl.xdsl_extras.dominance import verify_module

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

_DTYPES: Final = {
    "bool": "i1",
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"fp{bits}" for bits in (16, 32, 64)},
    "bfloat16": "bf16",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
}
"""Triton's names of types."""
_MODULE: Final = re.compile(r"^module (?:attributes \{)?", re.MULTILINE)
_DEFAULT_WARPS: Final = 4
"""What Triton takes if `num_warps` is not given; nobody has asked for them."""
_DIVISOR: Final = 16
"""What Triton finds out about addresses, in bytes, and about integers."""


Kind: TypeAlias = "str | tuple[Kind, ...]"
"""Triton's name of a type, `constexpr` for constants, or those of the parts of a tuple."""


@dataclass(frozen=True)
class TritonKernel(Exported):
    """A kernel of Triton, specialized. Its program is TTIR, optimized by Triton."""

    names: Sequence[str] = ()
    """Names of all arguments."""
    kinds: Sequence[Kind] = ()
    """Triton's types of them."""
    given: Sequence[object] = field(default=(), repr=False)
    """What it was specialized for."""

    def flatten(self, arguments: Sequence[object]) -> list[Any]:
        """
        What the kernel takes for the arguments of the function: all but constants. Those that are
        left out have their defaults.
        """
        arguments = [*arguments, *self.given[len(arguments) :]]
        check_count(self.name, self.names, arguments)
        pairs = zip(self.kinds, arguments, strict=True)
        return [part for kind, value in pairs for part in _flatten(kind, value)]

    def name_parameters(self, module: ModuleOp) -> None:
        """Parameters have the names of arguments already: they come from TTIR."""


def is_kernel(program: object) -> TypeGuard[Callable[..., object]]:
    """Whether a program is a kernel of Triton, or what an autotuner makes of one."""
    return find_function(program) is not None


def find_function(program: Any) -> Any:
    """The function of `triton.jit` within what Triton wraps around it."""
    package = sys.modules.get("triton")
    if package is None:
        return None
    while not isinstance(program, package.JITFunction):
        if not type(program).__module__.startswith("triton.") or not hasattr(program, "fn"):
            return None
        program = program.fn
    return program


def convert(text: str, *, scratch: int = 0, descriptor_flags: int = -1) -> ModuleOp:
    """The program in public Tile IR of a kernel in TTIR."""
    ctx = make_context()
    module = parse_bytes(ctx, text.encode(), "<ttir>")
    lower(ctx, module, scratch=scratch, descriptor_flags=descriptor_flags)
    module.verify()
    return module


def lower(
    ctx: Context,
    module: ModuleOp,
    *,
    scratch: int = 0,
    descriptor_flags: int = -1,
    explain: bool = False,
) -> None:
    """
    Makes public Tile IR of a module of TTIR that was just read; if asked to explain, the module has
    remarks.
    """
    from tileiras_xdsl.dialects.tileiras import ask_for_remarks
    from tileiras_xdsl.transforms.tt.convert_tt_to_cuda_tile import ConvertTtToCudaTilePass
    from tileiras_xdsl.transforms.tt.tt_recover_views import TtRecoverViewsPass

    verify_module(module)
    if explain:
        ask_for_remarks(module, explain=True)
    TtRecoverViewsPass().apply(ctx, module)
    ConvertTtToCudaTilePass(scratch=scratch, descriptor_flags=descriptor_flags).apply(ctx, module)


def export(kernel: Any, arguments: Sequence[object] | None, gpu: str | None = None) -> TritonKernel:
    """
    A kernel for such arguments, as TTIR. What Triton has to say about the function is raised as it
    is.
    """
    function = find_function(kernel)
    names = list(function.arg_names)
    if arguments is None:
        raise KernelError(
            f"say what {function.__name__} is to be made for: args=[…], with arrays or "
            f"tileiras_xdsl.array(dtype, ndim) for pointers, and all constants: {', '.join(names)}"
        )
    defaults = inspect.signature(function.fn).parameters
    given = list(arguments)
    for name in names[len(given) :]:
        if defaults[name].default is inspect.Parameter.empty:
            raise KernelError(f"{function.__name__} has no argument for '{name}'")
        given.append(defaults[name].default)
    if len(given) > len(names):
        raise KernelError(f"{function.__name__} has {len(names)} parameters: {', '.join(names)}")
    found = Specialization()
    kinds = [
        found.constant((index,), value)
        if parameter.is_constexpr
        else found.describe(value, (index,), parameter.name, not parameter.do_not_specialize)
        for index, (parameter, value) in enumerate(zip(function.params, given, strict=True))
    ]
    signature = dict(zip(names, kinds, strict=True))
    text = make_ttir(function, signature, found, gpu or "sm_90")
    return TritonKernel(function.__name__, text.encode(), (), names, kinds, given)


Path: TypeAlias = "tuple[int, ...]"
"""The index of an argument, and those of parts of tuples in it."""


class Specialization:
    """What Triton knows of arguments: which are constants, and which are multiples of 16."""

    def __init__(self) -> None:
        self.constants: dict[Path, Any] = {}
        self.attributes: dict[Path, list[list[Any]]] = {}

    def constant(self, path: Path, value: object) -> Kind:
        """A constant."""
        self.constants[path] = value
        return "constexpr"

    def describe(self, value: Any, path: Path, name: str, specializes: bool) -> Kind:
        """The type of an argument; integers that are 1 are constants."""
        if isinstance(value, tuple):
            parts = enumerate(cast("tuple[Any, ...]", value))
            return tuple(
                self.describe(part, (*path, index), f"{name}[{index}]", specializes)
                for index, part in parts
            )
        if _is_descriptor(value):
            element, _ = _describe(value.base, name)
            return f"tensordesc<{element[1:]}{list(value.block_shape)}>"
        if value is None or type(value).__module__.startswith("triton."):
            return self.constant(path, value)
        kind, divisible = _describe(value, name)
        if specializes and kind.startswith(("i", "u")) and value == 1:
            return self.constant(path, 1)
        if specializes and divisible:
            self.attributes[path] = [["tt.divisibility", _DIVISOR]]
        return kind


def _is_descriptor(value: object) -> TypeGuard[Any]:
    """Whether an argument is a tensor descriptor that the host made."""
    return hasattr(value, "block_shape") and hasattr(value, "base")


def _flatten(kind: Kind, value: Any) -> list[Any]:
    """What a kernel takes for an argument: of a descriptor its base, sizes and strides."""
    if kind == "constexpr":
        return []
    if isinstance(kind, tuple):
        return [part for pair in zip(kind, value, strict=True) for part in _flatten(*pair)]
    return [value.base, *value.shape, *value.strides] if _is_descriptor(value) else [value]


def make_ttir(
    function: Any,
    signature: dict[str, Kind],
    known: Specialization,
    gpu: str,
) -> str:
    """What Triton's front end and its passes on TTIR make of a function."""
    compiler = import_module("triton.compiler.compiler")
    targets = import_module("triton.backends.compiler")
    ir = import_module("triton._C.libtriton").ir
    source = compiler.ASTSource(
        function, signature, constexprs=known.constants, attrs=known.attributes
    )
    digits = "".join(character for character in gpu if character.isdigit())
    target = targets.GPUTarget("cuda", int(digits), 32)
    backend = compiler.make_backend(target)
    options = backend.parse_options(dict(source.parse_options()))
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions = backend.get_codegen_implementation(options)
    module = source.make_ir(target, options, functions, backend.get_module_map(), context)
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, source.language)
    return print_ttir(stages["ttir"](module, {}), options)


def print_ttir(module: Any, options: Any) -> str:
    """TTIR of Triton's, which has on its module what else was asked for by its options."""
    attributes = ["tt.enable_fp_fusion"] if options.enable_fp_fusion else []
    if options.num_warps != _DEFAULT_WARPS:
        attributes.append(f"tt.num_warps = {options.num_warps} : i32")
    if not attributes:
        return str(module)
    text = ", ".join(attributes)
    return _MODULE.sub(
        lambda found: f"module attributes {{{text}{', ' if '{' in found[0] else '} '}",
        str(module),
        count=1,
    )


def _describe(value: Any, name: str) -> tuple[str, bool]:
    """Triton's name of the type of an argument, and whether 16 divides it."""
    if isinstance(value, bool):
        return "i1", False
    if isinstance(value, int):
        for kind, bits in (("i32", 31), ("i64", 63)):
            if -(1 << bits) <= value < 1 << bits:
                return kind, value % _DIVISOR == 0
        return "u64", value % _DIVISOR == 0
    if isinstance(value, float):
        return "fp32", False
    array = describe_argument(value, name)
    if array is None:
        raise KernelError(f"'{name}' is neither an array nor a number, but {value!r}")
    if array.dtype not in _DTYPES:
        raise KernelError(f"'{name}' is an array of {array.dtype}, which Triton lacks")
    return f"*{_DTYPES[array.dtype]}", array.address % _DIVISOR == 0
