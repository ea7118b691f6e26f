"""
cuTile: its kernels as programs, and this compiler in the place of NVIDIA's in its process.

    import tileiras_xdsl.cutile as open_tileiras

    open_tileiras.use()                     # from here on cuTile compiles with this compiler
    ct.launch(stream, grid, kernel, args)
    open_tileiras.last.ptx

Kernels become bytecode in `frontend/cutile_kernels.py`. Importing the package imports no
module of it, and does not need cuda-tile.

Modules:

    cpu: Kernels of cuTile on the CPU: `use(device="cpu")`
    described: Kernels of cuTile and their arguments as words of a command line
    history: What this process compiled for cuTile: `last`, and `compiled` by kernel
    launcher: Our launcher behind `cuda.tile.launch`: `use(launcher=True)`
    redirect: Which kernels of this process cuTile compiles with this compiler
    startup: What the environment says about cuTile in programs that say nothing themselves
    supported: The versions of cuda-tile whose internals `redirect` and `launcher` know
"""

# `typing` takes longer to import than all of this; type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tileiras_xdsl.driver.compiler.compiled import Compiled
    from tileiras_xdsl.frontend.cutile_kernels import (
        Array,
        ArrayPromise,
        Exported,
        KernelError,
        Promise,
        PromiseMaker,
        array,
        export,
        is_kernel,
    )

    from .history import compiled
    from .launcher import prepare
    from .redirect import Use, restore, use
    from .supported import UnsupportedVersionError

    last: Compiled | None
    """What was launched last through our launcher, or else compiled last for cuTile."""

__all__ = [
    "Array",
    "ArrayPromise",
    "Exported",
    "KernelError",
    "Promise",
    "PromiseMaker",
    "UnsupportedVersionError",
    "Use",
    "array",
    "compiled",
    "export",
    "is_kernel",
    "last",
    "prepare",
    "restore",
    "use",
]

_MODULES = {
    "compiled": "history",
    "prepare": "launcher",
    "Use": "redirect",
    "restore": "redirect",
    "use": "redirect",
    "UnsupportedVersionError": "supported",
}
"""Where names are that are not in `frontend.cutile_kernels`."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name == "last":
        # Not an attribute of the package: it changes.
        return import_module(".history", __name__).HISTORY.last
    own = _MODULES.get(name)
    place = "tileiras_xdsl.frontend.cutile_kernels" if own is None else f"{__name__}.{own}"
    found: object = getattr(import_module(place), name)
    globals()[name] = found
    return found
