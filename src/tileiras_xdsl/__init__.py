"""An open Tile IR compiler on xDSL; importing the package imports nothing else."""

# `typing` would be the only import of this package; type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tileiras_xdsl.compiler.compiled import compile
    from tileiras_xdsl.compiler.many import Variant, compile_many
    from tileiras_xdsl.cutile import array
    from tileiras_xdsl.explore.exploration import explore
    from tileiras_xdsl.frontend import load
    from tileiras_xdsl.interpreter.run import run
    from tileiras_xdsl.tuning.tune import tune
    from tileiras_xdsl.validation.validate import validate

__all__ = [
    "Variant",
    "array",
    "compile",
    "compile_many",
    "explore",
    "load",
    "run",
    "tune",
    "validate",
]

__version__ = "0.1.0"
"""The one place of the version; the build reads it here."""


def __getattr__(name: str) -> object:
    if name == "array":
        from tileiras_xdsl.cutile import array

        return array
    if name == "compile":
        from tileiras_xdsl.compiler.compiled import compile

        return compile
    if name in ("Variant", "compile_many"):
        from tileiras_xdsl.compiler import many

        return getattr(many, name)
    if name == "explore":
        from importlib import import_module

        return import_module("tileiras_xdsl.explore")
    if name == "load":
        from tileiras_xdsl.frontend import load

        return load
    if name == "run":
        from tileiras_xdsl.interpreter.run import run

        return run
    if name == "tune":
        from tileiras_xdsl.tuning.tune import tune

        return tune
    if name == "validate":
        from tileiras_xdsl.validation.validate import validate

        return validate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
