"""
Our launcher behind `cuda.tile.launch`: `use(launcher=True)`.

Kernels are compiled with the ABI `host-maps`, which cuTile's own launcher cannot launch: tensor
maps are encoded here and passed behind the arguments, and kernels may be persistent. A kernel is
specialized for the same facts about its arguments as by cuTile, which says what they are.

A launch with the same numbers and with arrays in the same places, of the same shapes, is a call of
the driver; `prepare` does without the look at the arguments too. What this launcher cannot pass
(lists of arrays, dataclasses, arrays known by DLPack only) is launched by cuTile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, cast
from weakref import WeakKeyDictionary

import numpy as np

from tileiras_xdsl.backend import cuda
from tileiras_xdsl.backend.cuda import PreparedLaunch
from tileiras_xdsl.backend.driver import CudaError, stream_handle
from tileiras_xdsl.cutile.cpu import CPU_KERNELS
from tileiras_xdsl.cutile.history import HISTORY, Specialization, StandIn
from tileiras_xdsl.cutile.supported import import_compile_module

if TYPE_CHECKING:
    from tileiras_xdsl.cutile.redirect import Use

MAX_KEPT: Final = 1024
"""Launches of a kernel that are kept, for arguments that come again."""

_PLAIN: Final = (int, str, Enum, type(None))
"""Other constants, which are equal if they compare so."""

_NO_CONTEXT: Final = "CUDA_ERROR_INVALID_CONTEXT"


class CannotLaunchError(Exception):
    """Arguments that only cuTile's own launcher knows how to pass."""


class Specializer:
    """cuTile kernels compiled with the ABI `host-maps`, as long as they live."""

    def __init__(self):
        self._lock = threading.RLock()
        self._known: WeakKeyDictionary[Any, dict[tuple[str, int], Specialization]]
        self._known = WeakKeyDictionary()

    def prepare(
        self,
        stream: int,
        grid: Sequence[int],
        kernel: Any,
        arguments: Sequence[Any],
        *,
        programmatic: bool,
    ) -> tuple[PreparedLaunch, Specialization]:
        """A launch, which has the addresses of arrays and does not keep them alive."""
        compilation: Any = import_module("cuda.tile.compilation")
        signature = compilation.KernelSignature.from_kernel_args(
            kernel, arguments, compilation.CallingConvention.cutile_python_v2()
        )
        values = list(_values(arguments, signature.parameters, compilation))
        device = _current_device()
        found = self._specialize(kernel, signature, device)
        code = found.compiled.kernel(device=device)
        return code.prepare(grid, values, stream, programmatic=programmatic), found

    def _specialize(self, kernel: Any, signature: Any, device: int) -> Specialization:
        """The symbol of a signature has all facts about the arguments in it."""
        with self._lock:
            known = self._known.setdefault(kernel, {})
            if (found := known.get((signature.symbol, device))) is None:
                found = specialize(kernel, signature, cuda.Device.get(device).capability.name)
                known[signature.symbol, device] = found
            return found


SPECIALIZER: Final = Specializer()


def specialize(kernel: Any, signature: Any, gpu: str) -> Specialization:
    """A cuTile kernel for a signature, compiled with the ABI `host-maps`."""
    from tileiras_xdsl.driver.compiler.options import Options
    from tileiras_xdsl.frontend.load import Program

    module = import_compile_module()
    compiler, hints = StandIn(module), kernel._compiler_options
    context = module.default_tile_context
    # cuTile names architectures without the letter.
    arch = gpu.rstrip("af")
    result = module.compile_tile(
        kernel._annotated_function,
        (signature,),
        arch,
        hints,
        context,
        bytecode_version=compiler.newest_bytecode_version(),
        return_bytecode=True,
        return_cubin=False,
    )
    level, debug = module._tileiras_effective_opt_and_device_debug(hints, arch)
    options = Options(arch, level, lineinfo=not debug, device_debug=debug, abi="host-maps")
    program = Program.of(bytes(result.bytecode))
    made = compiler.compile(program, options, context.config.compiler_timeout_sec)
    HISTORY.add(kernel._annotated_function.pyfunc, made)
    return made


@dataclass(eq=False)
class KernelLaunches:
    """The launches of a cuTile kernel."""

    is_ours: bool
    is_on_cpu: bool = False
    kept: dict[Any, tuple[PreparedLaunch, Specialization]] = field(
        default_factory=dict[Any, tuple[PreparedLaunch, Specialization]]
    )
    """By grid, GPU, stream and arguments; what was added first goes first."""


class Launcher:
    """What takes the place of `cuda.tile.launch`, for kernels that a call of `use` covers."""

    def __init__(
        self,
        theirs: Callable[..., None],
        their_benchmark: Callable[..., float],
        find: Callable[[Any], Use | None],
    ):
        self._theirs = theirs
        self._their_benchmark = their_benchmark
        self._find = find
        self._lock = threading.Lock()
        self._kernels: WeakKeyDictionary[Any, KernelLaunches] = WeakKeyDictionary()

    def launch(
        self,
        stream: Any,
        grid: Sequence[int],
        kernel: Any,
        kernel_args: Sequence[Any],
        /,
        *,
        programmatic_dependent_launch: bool = False,
    ) -> None:
        """What `cuda.tile.launch` does."""
        known = self._know(kernel)
        if known.is_on_cpu:
            return CPU_KERNELS.launch(grid, kernel, kernel_args)
        if known.is_ours:
            try:
                handle = stream_handle(stream)
                # The default stream has the same handle on all GPUs.
                where = (_current_device(), handle, programmatic_dependent_launch)
                key = (tuple(grid), *where, *map(_key, kernel_args))
                if (found := known.kept.get(key)) is None:
                    found = SPECIALIZER.prepare(
                        handle,
                        grid,
                        kernel,
                        kernel_args,
                        programmatic=programmatic_dependent_launch,
                    )
                    self._keep(known, key, found)
            except CannotLaunchError:
                pass
            else:
                launch, HISTORY.newest = found
                return launch()
        return self._theirs(
            stream,
            grid,
            kernel,
            kernel_args,
            programmatic_dependent_launch=programmatic_dependent_launch,
        )

    def benchmark(
        self,
        stream: Any,
        grid: Sequence[int],
        kernel: Any,
        kernel_args: Sequence[Any],
        *options: Any,
    ) -> float:
        """What cuTile's tuner calls: runs a kernel, and says how many microseconds that took."""
        if not self._know(kernel).is_on_cpu:
            return self._their_benchmark(stream, grid, kernel, kernel_args, *options)
        start = perf_counter()
        CPU_KERNELS.launch(grid, kernel, kernel_args)
        return 1e6 * (perf_counter() - start)

    def forget(self) -> None:
        """Looks again which kernels are launched here; what was compiled for them is kept."""
        with self._lock:
            self._kernels = WeakKeyDictionary()

    def _know(self, kernel: Any) -> KernelLaunches:
        try:
            if (known := self._kernels.get(kernel)) is not None:
                return known
        except TypeError:
            # It is no kernel, and cuTile says so.
            return KernelLaunches(is_ours=False)
        if not hasattr(kernel, "_annotated_function"):
            return KernelLaunches(is_ours=False)
        use = self._find(kernel._annotated_function.pyfunc)
        with self._lock:
            is_on_cpu = use is not None and use.device == "cpu"
            new = KernelLaunches(use is not None and use.launcher, is_on_cpu)
            return self._kernels.setdefault(kernel, new)

    def _keep(self, known: KernelLaunches, key: Any, found: Any) -> None:
        with self._lock:
            if len(known.kept) >= MAX_KEPT:
                del known.kept[next(iter(known.kept))]
            known.kept[key] = found


def prepare(
    stream: Any,
    grid: Sequence[int],
    kernel: Any,
    kernel_args: Sequence[Any],
    /,
    *,
    programmatic_dependent_launch: bool = False,
) -> PreparedLaunch:
    """
    A launch of a cuTile kernel, with the arguments of `cuda.tile.launch`, that happens whenever
    it is called; it keeps the arguments alive. It needs no `use`.
    """
    try:
        launch, _ = SPECIALIZER.prepare(
            stream_handle(stream),
            grid,
            kernel,
            kernel_args,
            programmatic=programmatic_dependent_launch,
        )
    except CannotLaunchError as error:
        raise TypeError(f"the launch cannot be prepared: {error}") from None
    launch.keep(*kernel_args)
    return launch


def _current_device() -> int:
    """The GPU whose context the thread has; the first if it has none."""
    driver = cuda.get_driver()
    try:
        return driver.call("cuCtxGetDevice")
    except CudaError as error:
        if error.name != _NO_CONTEXT:
            raise
        return 0


def _key(argument: Any) -> Any:
    """What of an argument decides how a kernel is launched; `CannotLaunchError` if unknown."""
    # Numbers of different types may be equal, and are compiled differently.
    kind = cast("type[Any]", type(argument))
    if kind is int or kind is bool:
        return kind, argument
    if kind is float:
        # Zeros are equal, whatever their sign, and a NaN is not equal to itself.
        return argument.hex()
    if hasattr(argument, "data_ptr"):
        return argument.data_ptr(), argument.shape, argument.stride(), argument.dtype
    if isinstance(argument, tuple):
        return kind, *map(_key, cast("tuple[Any, ...]", argument))
    if (interface := getattr(argument, "__cuda_array_interface__", None)) is not None:
        strides = interface.get("strides")
        return interface["data"][0], interface["shape"], strides, interface["typestr"]
    if isinstance(argument, _PLAIN):
        return kind, argument
    raise _unknown(argument)


def _unknown(argument: object) -> CannotLaunchError:
    return CannotLaunchError(f"a {type(argument).__name__} is not known to this launcher")


def _values(
    arguments: Sequence[Any], constraints: Sequence[Any], compilation: Any
) -> Iterator[Any]:
    """
    What a kernel takes for arguments by cuTile's calling convention: of an array its address, sizes
    and strides, nothing for constants.
    """
    for argument, constraint in zip(arguments, constraints, strict=True):
        match constraint:
            case compilation.ConstantConstraint():
                continue
            case compilation.ScalarConstraint():
                yield argument
            case compilation.TupleConstraint():
                yield from _values(argument, constraint.items, compilation)
            case compilation.ArrayConstraint():
                address, *numbers = _array_values(argument)
                bits = constraint.index_dtype.bitwidth
                if any(not -(1 << bits - 1) <= number < 1 << bits - 1 for number in numbers):
                    raise ValueError(
                        f"an array has sizes and strides {tuple(numbers)}, which do not all fit "
                        f"into {constraint.index_dtype.name}: annotate the parameter with "
                        "cuda.tile.IndexedWithInt64"
                    )
                yield address
                yield from numbers
            case _:
                raise _unknown(argument)


def _array_values(argument: Any) -> Iterator[int]:
    if hasattr(argument, "data_ptr"):
        yield argument.data_ptr()
        yield from argument.shape
        yield from argument.stride()
        return
    interface = cast("dict[str, Any]", argument.__cuda_array_interface__)
    shape, size = interface["shape"], np.dtype(interface["typestr"]).itemsize
    strides = interface.get("strides")
    yield interface["data"][0]
    yield from shape
    if strides is not None:
        yield from (stride // size for stride in strides)
        return
    steps = [1]
    for extent in reversed(shape[1:]):
        steps.append(steps[-1] * extent)
    yield from reversed(steps[: len(shape)])
