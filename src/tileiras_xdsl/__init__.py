"""
An open Tile IR compiler on xDSL.

| name | does |
| --- | --- |
| `compile`, `compile_many` | compiles programs: bytecode, text, modules, cuTile kernels |
| `export` | compiles programs ahead of time, with a launcher in C |
| `run` | runs a program on NumPy arrays, at any level |
| `explore` | the IR after every pass |
| `compare` | two programs, GPUs or schedules side by side |
| `validate` | runs a program after every pass and compares |
| `profile` | what the warps of a kernel do on a GPU, and when |
| `tune` | finds the fastest configuration of a kernel |
| `load` | the module of a program |
| `array` | stands for an array of which only type and rank are known |
| `CompileOptions`, `TuneOptions` | the options of `compile` and `tune` |
| `examples` | programs to try |
| `visual` | pictures of programs and layouts |

`run`, `validate`, `explore` and `profile` take `(program, grid, args)`, `tune` a `space` after
them; all else goes by name. What knows its program takes `(grid, args)`: `compiled.launch`,
`explored.run`, `explored.check`, `explored.predict`.

Importing the package imports nothing else.

Modules:

    analysis: Analyses, which change no IR: layouts, axis info and integer ranges, alias analysis
    backend: From modules of `llvm` and `nvvm` to LLVM IR, PTX, a cubin and a launch
    checking: What checks the compiler: validation of each pass, and reduction of what fails
    cost: Static estimates: how long a kernel takes, from its schedule, and what limits it
    cutile: cuTile: its kernels as programs
    dialects: The dialects of every level, `cuda_tile` first
    driver: What drives the compiler: `compile`, the command-line tools, the compile service
    frontend: What programs come as: bytecode, text, and `load`, which takes either
    inspection: What looks at a compilation: the explorer, pictures and profiles
    interpreter: Runs tile programs on the CPU, on whole tiles through NumPy
    pipeline: The ordered list of passes, the single definition of the pipeline
    plan: Plans: what a kernel could be instead, what each would cost, and which is best
    targets: What architectures are: `target` says what passes can ask
    transforms: The passes, in folders by the level that they lead to
    triton: Triton: its kernels as programs, and this compiler in the place of Triton's own
    universe: What plain `xdsl-opt` finds through the `xdsl.universe` entry point
    xdsl_extras: What this project needs from xDSL and xDSL 0.74 does not have; meant to go upstream
"""

# `typing` would be the only import of this package; type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tileiras_xdsl.checking.validation.validate import validate
    from tileiras_xdsl.driver.compiler.compiled import compile
    from tileiras_xdsl.driver.compiler.engine import run
    from tileiras_xdsl.driver.compiler.export import export
    from tileiras_xdsl.driver.compiler.many import Variant, compile_many
    from tileiras_xdsl.driver.compiler.options import CompileOptions
    from tileiras_xdsl.driver.demos.examples import examples
    from tileiras_xdsl.driver.tuning.tune import TuneOptions, tune
    from tileiras_xdsl.frontend.cutile_kernels import array
    from tileiras_xdsl.frontend.load import load
    from tileiras_xdsl.inspection import visual
    from tileiras_xdsl.inspection.exploration.compare import compare
    from tileiras_xdsl.inspection.exploration.exploration import explore
    from tileiras_xdsl.inspection.profiling.measure import profile
    from tileiras_xdsl.inspection.profiling.profile import Profile

__all__ = [
    "CompileOptions",
    "Profile",
    "TuneOptions",
    "Variant",
    "array",
    "compare",
    "compile",
    "compile_many",
    "examples",
    "explore",
    "export",
    "load",
    "profile",
    "run",
    "tune",
    "validate",
    "visual",
]

__version__ = "0.2.0"
"""The one place of the version; the build reads it here."""

_MODULES = {
    "CompileOptions": "driver.compiler.options",
    "Profile": "inspection.profiling.profile",
    "TuneOptions": "driver.tuning.tune",
    "Variant": "driver.compiler.many",
    "array": "frontend.cutile_kernels",
    "compare": "inspection.exploration.compare",
    "compile": "driver.compiler.compiled",
    "compile_many": "driver.compiler.many",
    "examples": "driver.demos.examples",
    "export": "driver.compiler.export",
    "explore": "inspection.exploration.exploration",
    "load": "frontend.load",
    "profile": "inspection.profiling.measure",
    "run": "driver.compiler.engine",
    "tune": "driver.tuning.tune",
    "validate": "checking.validation.validate",
    "visual": "inspection.visual",
}
"""Where each name is, to be imported when it is used."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"{__name__}.{_MODULES[name]}")
    return module if name == "visual" else getattr(module, name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
