"""
An open Tile IR compiler on xDSL.

| name | does |
| --- | --- |
| `compile`, `compile_many` | compiles programs: bytecode, text, modules, kernels of cuTile |
| `run` | runs a program on NumPy arrays, at any level |
| `explore` | the IR after every pass |
| `compare` | two programs, GPUs or schedules side by side |
| `validate` | runs a program after every pass and compares |
| `profile` | what the warps of a kernel do on a GPU, and when |
| `tune` | finds the fastest configuration of a kernel |
| `load` | the module of a program |
| `array` | stands for an array of which only type and rank are known |
| `examples` | programs to try |

Importing the package imports nothing else.
"""

# `typing` would be the only import of this package; type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tileiras_xdsl.compiler.compiled import compile
    from tileiras_xdsl.compiler.many import Variant, compile_many
    from tileiras_xdsl.cutile.exported import array
    from tileiras_xdsl.demos.examples import examples
    from tileiras_xdsl.exploration.compare import compare
    from tileiras_xdsl.exploration.exploration import explore
    from tileiras_xdsl.frontend import load
    from tileiras_xdsl.interpreter.run import run
    from tileiras_xdsl.profiling.measure import profile
    from tileiras_xdsl.profiling.profile import Profile
    from tileiras_xdsl.tuning.tune import tune
    from tileiras_xdsl.validation.validator import validate

__all__ = [
    "Profile",
    "Variant",
    "array",
    "compare",
    "compile",
    "compile_many",
    "examples",
    "explore",
    "load",
    "profile",
    "run",
    "tune",
    "validate",
]

__version__ = "0.1.0"
"""The one place of the version; the build reads it here."""

_MODULES = {
    "Profile": "profiling.profile",
    "Variant": "compiler.many",
    "array": "cutile.exported",
    "compare": "exploration.compare",
    "compile": "compiler.compiled",
    "compile_many": "compiler.many",
    "examples": "demos.examples",
    "explore": "exploration.exploration",
    "load": "frontend",
    "profile": "profiling.measure",
    "run": "interpreter.run",
    "tune": "tuning.tune",
    "validate": "validation.validator",
}
"""Where each name is, to be imported when it is used."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
