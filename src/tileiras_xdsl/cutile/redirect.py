"""
Which kernels of this process cuTile compiles with this compiler.

Every cuTile kernel goes through the function `compile_tile`, from launches, exports and
autotuning alike. While some `Use` is in force, that function is replaced by one that looks whether
the kernel is to be compiled here, and the functions which it asks for the compiler and its version
are replaced by ones that answer accordingly. When none is in force, all are what they were.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from tileiras_xdsl.cutile.history import COMPILED, HISTORY, Specialization, StandIn
from tileiras_xdsl.cutile.supported import (
    BENCHMARK,
    PACKAGE,
    REPLACED,
    import_compile_module,
    import_tuner,
)
from tileiras_xdsl.frontend import uses
from tileiras_xdsl.frontend.cutile_kernels import KernelError, is_kernel
from tileiras_xdsl.transforms.common.abi import abi_of_cubins

if TYPE_CHECKING:
    from tileiras_xdsl.cutile.launcher import Launcher


Device = Literal["cpu"]


class Use(uses.Use):
    """A call of `use`."""

    def __init__(self, only: Iterable[object] | None, launcher: bool, device: Device | None):
        super().__init__(only, REDIRECTION.remove)
        self.launcher = launcher
        self.device = device
        """Where kernels run: on the GPU of their stream, or on the CPU."""

    @property
    def replaces_launch(self) -> bool:
        """Whether it needs another `cuda.tile.launch`."""
        return self.launcher or self.device is not None


class Redirection:
    """The calls of `use` that are in force, and what they replaced in cuTile."""

    def __init__(self):
        self._lock = threading.RLock()
        self._uses: tuple[Use, ...] = ()
        self._replaced: list[tuple[Any, str, Any, Any]] = []
        """Module, name, what was there, and what is there now."""
        self._launcher: Launcher | None = None

    def add(self, new: Use) -> None:
        """Puts a call of `use` in force, before older ones."""
        module = import_compile_module()
        with self._lock:
            self._uses = (*self._uses, new)
            self._replace_compiler(module)
            if new.replaces_launch:
                self._replace_launch()
            if self._launcher is not None:
                self._launcher.forget()

    def remove(self, *uses: Use) -> None:
        """Takes calls of `use` back; all without arguments."""
        with self._lock:
            gone = uses or self._uses
            self._uses = tuple(use for use in self._uses if use not in gone)
            if not self._uses:
                self._put_back(REPLACED)
            if not any(use.replaces_launch for use in self._uses):
                self._put_back(("launch", BENCHMARK))
            if self._launcher is not None:
                self._launcher.forget()

    def find(self, function: Any) -> Use | None:
        """The newest call of `use` that covers the kernel of a function."""
        return next((use for use in reversed(self._uses) if use.covers(function)), None)

    def _has_replaced(self, module: Any, name: str) -> bool:
        return any(entry[0] is module and entry[1] == name for entry in self._replaced)

    def _replace_compiler(self, module: Any) -> None:
        functions = Functions(self, module)
        for name in [name for name in REPLACED if not self._has_replaced(module, name)]:
            ours = getattr(functions, name.removeprefix("_"))
            self._replace(module, name, _dress(ours, getattr(module, name)))

    def _replace_launch(self) -> None:
        from tileiras_xdsl.cutile.launcher import Launcher

        package = import_module(PACKAGE)
        if not self._has_replaced(package, "launch"):
            tuner = import_tuner()
            self._launcher = Launcher(package.launch, getattr(tuner, BENCHMARK), self.find)
            self._replace(package, "launch", self._launcher.launch)
            self._replace(tuner, BENCHMARK, self._launcher.benchmark)

    def _replace(self, module: Any, name: str, new: Callable[..., Any]) -> None:
        self._replaced.append((module, name, getattr(module, name), new))
        setattr(module, name, new)

    def _put_back(self, names: Iterable[str]) -> None:
        for entry in [entry for entry in self._replaced if entry[1] in names]:
            module, name, old, new = entry
            # Whoever replaced it after us keeps what they have, and ours then passes calls on.
            if getattr(module, name) is new:
                setattr(module, name, old)
                self._replaced.remove(entry)


class Functions:
    """What takes the place of cuTile's functions, by their names without the underscore."""

    def __init__(self, redirection: Redirection, module: Any):
        self._redirection = redirection
        self._stand_in = StandIn(module)
        self._module = module
        self._original = {name: getattr(module, name) for name in REPLACED}
        self._signature = signature(self._original["compile_tile"])

    def compile_tile(self, *args: Any, **kwargs: Any) -> Any:
        original = self._original["compile_tile"]
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        function = getattr(given["ann_func"], "pyfunc", given["ann_func"])
        if self._redirection.find(function) is None:
            token = COMPILED.set(None)
            try:
                return original(*args, **kwargs)
            finally:
                COMPILED.reset(token)
        wants_bytecode = given["return_bytecode"]
        given["return_bytecode"] = wants_bytecode or given["return_cubin"]
        made: list[Specialization] = []
        token = COMPILED.set(made)
        try:
            result = original(*bound.args, **bound.kwargs)
        finally:
            COMPILED.reset(token)
        if given["return_cubin"]:
            HISTORY.add(function, made[0] if made else self._cached(result.bytecode, given))
        if not wants_bytecode:
            result.bytecode = None
        return result

    def _cached(self, bytecode: bytes, given: dict[str, Any]) -> Specialization:
        """What this compiler made of a program some time ago, and cuTile found in its own cache."""
        from tileiras_xdsl.driver.compiler.options import Options
        from tileiras_xdsl.frontend.load import Program

        gpu = given["sm_arch"] or self._module.get_sm_arch()
        level, debug = self._module._tileiras_effective_opt_and_device_debug(
            given["compiler_options"], gpu
        )
        abi = abi_of_cubins()
        options = Options(gpu, level, lineinfo=not debug, device_debug=debug, abi=abi)
        return Specialization(Program.of(bytes(bytecode)), options)

    def find_compiler_bin(self) -> Any:
        return self._or_theirs("_find_compiler_bin", lambda: self._stand_in)

    def get_compiler_version_string(self) -> Any:
        def version() -> str:
            from tileiras_xdsl.driver.tools.tileiras_xdsl import version_text

            return version_text()

        return self._or_theirs("_get_compiler_version_string", version)

    def get_max_supported_bytecode_version(self, temp_dir: str, allow_dev: bool = False) -> Any:
        return self._or_theirs(
            "_get_max_supported_bytecode_version",
            lambda: self._stand_in.newest_bytecode_version(allow_dev=allow_dev),
            temp_dir,
            allow_dev,
        )

    def bytecode_to_mlir_text(self, bytecode: bytes, **options: Any) -> Any:
        def text() -> str:
            from tileiras_xdsl.frontend.load import load

            return str(load(bytes(bytecode)))

        return self._or_theirs("_bytecode_to_mlir_text", text, bytecode, **options)

    def _or_theirs(self, name: str, ours: Callable[[], Any], *args: Any, **kwargs: Any) -> Any:
        """Our answer while a kernel is compiled here, else cuTile's."""
        return self._original[name](*args, **kwargs) if COMPILED.get() is None else ours()


def _dress(ours: Callable[..., Any], old: Callable[..., Any]) -> Callable[..., Any]:
    """Our method as a function with the name, the text and the cache of the old one."""

    @functools.wraps(old)
    def function(*args: Any, **kwargs: Any) -> Any:
        return ours(*args, **kwargs)

    for attribute in ("cache_clear", "cache_info"):
        if hasattr(old, attribute):
            setattr(function, attribute, getattr(old, attribute))
    return function


REDIRECTION: Final = Redirection()


def use(only: Any = None, *, launcher: bool = False, device: Device | None = None) -> Use:
    """
    From now on cuTile compiles with this compiler in this process, in all threads; what it has
    compiled already it keeps.

    - only: a kernel or the name of one, or several; other kernels are compiled as before;
    - launcher: whether `cuda.tile.launch` is replaced as well, so that tensor maps are encoded on
      the host, see `launcher`;
    - device: `"cpu"` to run kernels on this CPU: `cuda.tile.launch` takes arrays of NumPy and
      tensors of the CPU, and needs neither a stream nor a GPU, see `cpu`.

    Returns what takes it back: `use().restore()`, or `with use(): …`. Where calls overlap, the
    newest that covers a kernel decides.
    """
    if device not in (None, "cpu"):
        raise KernelError(f"device= is 'cpu', or left out for GPUs, not {device!r}")
    if device is not None and launcher:
        raise KernelError("launcher=True is for GPUs, so leave it out, or device='cpu'")
    new = Use(None if only is None else _functions(only), launcher, device)
    REDIRECTION.add(new)
    return new


def restore() -> None:
    """Takes back all calls of `use`."""
    REDIRECTION.remove()


def _functions(only: Any) -> frozenset[object]:
    """Names as they are, kernels as their functions."""
    functions: set[object] = set()
    for each in uses.list_kernels(only):
        if isinstance(each, str):
            functions.add(each)
        elif is_kernel(each):
            functions.add(cast("Any", each)._annotated_function.pyfunc)
        else:
            raise KernelError(f"only= takes kernels and their names, not {each!r}")
    return frozenset(functions)
