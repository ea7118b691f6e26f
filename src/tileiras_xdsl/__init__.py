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

Modules:

    analysis: Analyses, which change no IR: layouts, axis info and integer ranges, alias analysis
    backend: From modules of `llvm` and `nvvm` to LLVM IR, PTX, a cubin and a launch
    bytecode: Tile IR bytecode: what cuTile Python writes and what NVIDIA's `tileiras` reads
    compiler: The compiler as a whole: from a program to a cubin that can be launched
    cutile: cuTile: its kernels as programs
    demos: Example programs; `python -m tileiras_xdsl.demos` compiles and runs two of them
    dialects: The dialects of every level, `cuda_tile` first
    estimate: Static estimates: how long a kernel takes, from its schedule, and what limits it
    exploration: Exploration: the IR after every pass, and the provenance of each op
    frontend: The one door programs come in by: Tile IR bytecode or either text form
    interpreter: Runs tile programs on the CPU, on whole tiles through NumPy
    pipeline: The ordered list of passes, the single definition of the pipeline
    profiling: Profiles: what the warps of a kernel did, and when
    proofs: Proofs that a rewrite keeps the meaning of a program, by the SMT solver z3
    reduction: A smaller program with the same fault: what `tileiras-reduce` does, for Python
    service: The compile service: a server that has the compiler imported
    targets: What architectures are: `target` says what passes can ask
    text: The text form of `cuda_tile`: reading it, and writing what the public tools write
    tools: The command line
    transforms: The passes, in folders by the level that they lead to
    tuning: Tuning: which tile sizes and hints make a kernel fastest
    universe: What plain `xdsl-opt` finds through the `xdsl.universe` entry point
    validation: Translation validation
    visual: Pictures of what the compiler does: SVG for notebooks and pages, text for terminals
    xdsl_extras: What this project needs from xDSL and xDSL 0.74 does not have; meant to go upstream
"""

# `typing` would be the only import of this package; type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tileiras_xdsl.compiler.compiled import compile
    from tileiras_xdsl.compiler.many import Variant, compile_many
    from tileiras_xdsl.demos.examples import examples
    from tileiras_xdsl.exploration.compare import compare
    from tileiras_xdsl.exploration.exploration import explore
    from tileiras_xdsl.frontend import load
    from tileiras_xdsl.frontend.cutile_kernels import array
    from tileiras_xdsl.interpreter.run import run
    from tileiras_xdsl.profiling.measure import profile
    from tileiras_xdsl.profiling.profile import Profile
    from tileiras_xdsl.tuning.tune import tune
    from tileiras_xdsl.validation.validate import validate

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
    "array": "frontend.cutile_kernels",
    "compare": "exploration.compare",
    "compile": "compiler.compiled",
    "compile_many": "compiler.many",
    "examples": "demos.examples",
    "explore": "exploration.exploration",
    "load": "frontend",
    "profile": "profiling.measure",
    "run": "interpreter.run",
    "tune": "tuning.tune",
    "validate": "validation.validate",
}
"""Where each name is, to be imported when it is used."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
