"""
cuTile: its kernels as programs, and this compiler in the place of NVIDIA's in its process.

    import tileiras_xdsl.cutile as open_tileiras

    open_tileiras.use()                     # from here on cuTile compiles with this compiler
    ct.launch(stream, grid, kernel, args)
    open_tileiras.last.ptx

| file | does |
| --- | --- |
| `exported` | a kernel of cuTile as bytecode, for `tileiras_xdsl.compile` |
| `described` | arguments and kernels as words of a command line |
| `redirect` | `use` and `restore`: which kernels are compiled here |
| `stand_in` | the compiler, as cuTile calls one |
| `supported` | the versions of cuda-tile that this was tested with |
| `history` | what was compiled: `last`, `compiled` |
| `launcher` | `use(launcher=True)`: our launcher behind `cuda.tile.launch` |
| `startup` | what the environment variable does |

Importing the package imports none of them, and does not need cuda-tile.
"""

# `typing` takes longer to import than all of this; type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tileiras_xdsl.compiler.compiled import Compiled

    from .exported import (
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
"""Where names are that are not in `exported`."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name == "last":
        # Not an attribute of the package: it changes.
        return import_module(".history", __name__).HISTORY.last
    found: object = getattr(import_module(f".{_MODULES.get(name, 'exported')}", __name__), name)
    globals()[name] = found
    return found
