"""
From TTIR to a cubin for Triton's launcher, and which kernels come here.

Triton's backend for NVIDIA GPUs says which stages a kernel goes through: `ttir`, `ttgir`, `llir`,
`ptx`, `cubin`. While some `Use` is in force, what follows `ttir` is replaced by `cuda_tile`, `ptx`
and `cubin` of this compiler, and the key of Triton's cache says so. A kernel that this compiler
refuses goes through Triton's own stages.
"""

from __future__ import annotations

import functools
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl import __version__
from tileiras_xdsl.frontend import uses
from tileiras_xdsl.xdsl_extras.diagnostics import describe as describe_error

if TYPE_CHECKING:
    from tileiras_xdsl.backend.launch_record import LaunchRecord
    from tileiras_xdsl.driver.compiler.compiled import Compiled

_BACKEND: Final = "triton.backends.nvidia.compiler"
_STAGES: Final = ("ttir", "cuda_tile", "ptx", "cubin")
_KERNEL: Final = re.compile(r"tt\.func public @(?:\"([^\"]+)\"|([\w$.]+))")
_SCRATCH: Final = 2
"""Pointers to memory that Triton's launcher passes after the arguments."""
_FLAGS: Final = {(3, 6): 1, (3, 7): 2, (3, 8): 2, (3, 9): 2}
"""
Flags that Triton's launcher passes with a tensor descriptor, by its version: whether it pads with
NaN and, since 3.7, whether it rounds f32 to tf32.
"""

_compiled: dict[str, Compiled] = {}


class RefusedWarning(UserWarning):
    """A kernel that Triton compiled, because this compiler refused it."""


class ClusterError(DiagnosticException):
    """A kernel that needs another launcher than Triton's."""


class UnsupportedVersionError(DiagnosticException):
    """A version of Triton whose launcher is not known."""


def compiled(kernel: Any) -> Compiled | None:
    """What was compiled last for a kernel, given by its name or itself; none if Triton did it."""
    return _compiled.get(_name(kernel))


def _name(kernel: Any) -> str:
    """The name of a kernel, within what Triton wraps around it."""
    while not isinstance(kernel, str) and hasattr(kernel, "fn") and not hasattr(kernel, "src"):
        kernel = kernel.fn
    return kernel if isinstance(kernel, str) else kernel.__name__


def find_flags() -> int:
    """How many flags the launcher of the Triton at hand passes with a tensor descriptor."""
    version: str = import_module("triton").__version__
    major, minor = map(int, version.split(".")[:2])
    known = major, minor
    if known not in _FLAGS:
        names = ", ".join(".".join(map(str, each)) for each in _FLAGS)
        raise UnsupportedVersionError(f"Triton {version} is not known here (expected {names})")
    return _FLAGS[known]


class Stages:
    """The stages of one kernel, in the order in which Triton calls them."""

    def __init__(
        self,
        theirs: Mapping[str, Callable[..., Any]],
        arch: int,
        options: Any,
        *,
        strict: bool,
        everything: bool = False,
    ):
        self._theirs = dict(theirs)
        self._everything = everything
        """Whether all kernels come here, or those that some `Use` covers."""
        self._gpu = f"sm_{arch}"
        self._options = options
        """Triton's, for this kernel."""
        self._strict = strict
        self._compiled: Compiled | None = None
        self._module: Any = None
        """TTIR that goes through Triton's stages."""

    def stages(self) -> dict[str, Callable[..., Any]]:
        """By name, which is also the ending of the file in Triton's cache."""
        ours = (self._theirs["ttir"], self.cuda_tile, self.ptx, self.cubin)
        return dict(zip(_STAGES, ours, strict=True))

    def cuda_tile(self, module: Any, metadata: Any) -> str:
        """The kernel in public Tile IR, and its machine code in store."""
        from tileiras_xdsl.triton.kernels import print_ttir

        text = print_ttir(module, self._options)
        found = _KERNEL.search(text)
        name = "" if found is None else found[1] or found[2]
        if not self._everything and not any(use.covers(name) for use in _uses):
            self._module = module
            return "// compiled by Triton\n"
        try:
            program, self._compiled = compile_ttir(text, self._gpu)
        except DiagnosticException as error:
            if self._strict:
                raise
            first = describe_error(error, tool=name, input_name=name, root=None)
            # Triton calls from its own files: what matters is the kernel.
            warnings.warn(f"'{name}' is compiled by Triton: {first}", RefusedWarning, stacklevel=2)
            self._module = module
            _compiled.pop(name, None)
            return f"// compiled by Triton: {first}\n"
        _compiled[name] = self._compiled
        return program

    def ptx(self, text: str, metadata: Any) -> str:
        """PTX, of Triton where it compiles."""
        if self._compiled is not None:
            return self._compiled.ptx
        module = self._module
        for name in [each for each in self._theirs if each not in ("ttir", "cubin")]:
            module = self._theirs[name](module, metadata)
        return module

    def cubin(self, text: str, metadata: Any) -> bytes:
        """Machine code, and what Triton's launcher has to know of it."""
        if self._compiled is None:
            return self._theirs["cubin"](text, metadata)
        record = self._compiled.record()
        metadata.update(describe(record))
        return self._compiled.cubin


def describe(record: LaunchRecord) -> dict[str, Any]:
    """A launch record in the words of Triton's launcher."""
    assert record.threads is not None
    return {
        "name": record.entry,
        "shared": record.shared or 0,
        "num_warps": record.threads[0] // 32,
        "num_ctas": 1,
        "tmem_size": None,
        "global_scratch_size": 0,
        "global_scratch_align": 1,
        "profile_scratch_size": 0,
        "profile_scratch_align": 1,
        "tensordesc_meta": None,
    }


def compile_ttir(text: str, gpu: str) -> tuple[str, Compiled]:
    """The Tile IR and the machine code of a kernel in TTIR, for Triton's launcher."""
    from tileiras_xdsl.driver.compiler.compiled import compile
    from tileiras_xdsl.triton.kernels import convert

    module = convert(text, scratch=_SCRATCH, descriptor_flags=find_flags())
    made = compile(module, gpu)
    record = made.record()
    if record.cluster != (1, 1, 1):
        raise ClusterError("its tile blocks are clusters, which Triton does not launch")
    return str(module), made


class Use(uses.Use):
    """A call of `use`."""

    def __init__(self, only: Iterable[object] | None, *, strict: bool):
        super().__init__(only, _remove)
        self.strict = strict

    @property
    def key(self) -> str:
        """What Triton's cache has to know."""
        return "all" if self.only is None else ",".join(sorted(map(str, self.only)))


_uses: list[Use] = []
_lock: Final = threading.RLock()
_replaced: list[tuple[Any, str, Any]] = []
"""Class, name, and what was there."""


def use(only: Any = None, *, fallback: bool = True) -> Use:
    """
    From here on, Triton compiles with this compiler. Kernels that were launched before stay.

    - only: a kernel or its name, or several (default: all);
    - fallback: whether Triton compiles what is refused; if not, the error is raised.
    """
    find_flags()
    names = None if only is None else map(_name, uses.list_kernels(only))
    new = Use(names, strict=not fallback)
    with _lock:
        _uses.append(new)
        if not _replaced:
            _replace(import_module(_BACKEND).CUDABackend)
    return new


def restore() -> None:
    """Takes back all calls of `use`."""
    _remove(*_uses)


def _remove(*gone: Use) -> None:
    with _lock:
        for each in gone:
            if each in _uses:
                _uses.remove(each)
        if not _uses:
            while _replaced:
                owner, name, value = _replaced.pop()
                setattr(owner, name, value)


def identify() -> str:
    """What Triton's cache has to know of this compiler."""
    from tileiras_xdsl.driver.compiler.cache import fingerprint

    return f"tileiras-xdsl-{__version__}-{fingerprint()}"


def _replace(backend: Any) -> None:
    """Replaces the methods of Triton's backend that name the stages and that identify it."""
    add_stages, hash_ = backend.add_stages, backend.hash

    @functools.wraps(add_stages)
    def add(self: Any, stages: dict[str, Any], options: Any, *rest: Any) -> None:
        add_stages(self, stages, options, *rest)
        if _uses and "ttir" in stages:
            strict = any(use.strict for use in _uses)
            ours = Stages(stages, self.target.arch, options, strict=strict).stages()
            stages.clear()
            stages.update(ours)

    def identify_both(self: Any) -> str:
        keys = ";".join(use.key for use in _uses)
        return f"{hash_(self)}-{identify()}-{keys}"

    for name, value in (("add_stages", add), ("hash", identify_both)):
        _replaced.append((backend, name, getattr(backend, name)))
        setattr(backend, name, value)
