"""
How heavy the compiler is: how much there is to read, and how much of it one compilation visits.

    python benchmarks/weight.py [--details]

Prints a table with what each measure was at `5b4d998a`, what it is in the working tree, and what it
should become. The measures:

- lines and files of Python in `src`, and lines of text in `tests`;
- files and functions of `src` that run while the plain GEMM is compiled to PTX for `sm_90a`, in a
  process that has compiled it once before. Lambdas and comprehensions count as functions, the
  bodies of modules and classes do not. From Python 3.12 on comprehensions are no functions, so
  compare numbers of one version of Python;
- functions, classes and descriptors of xDSL, and of the standard library, that are others after a
  compilation than they were before the compiler was imported;
- groups of modules that import each other, and imports of a higher layer by a lower one, as
  `weight_imports.py` finds them.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import os
import runpy
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGE = "tileiras_xdsl"
KERNEL = "benchmarks/gpu/bytecode/matmul_128x128x64.tileirbc"

MEASURES = (
    ("lines of Python in src", 161_208, 130_000),
    ("files in src", 723, 480),
    ("lines of tests", 209_936, 175_000),
    ("files that a GEMM visits", 303, 200),
    ("functions that a GEMM visits", 2_879, 2_200),
    ("patched attributes of xDSL", 63, 12),
    ("patched attributes of the standard library", 5, 0),
    ("import circles", 8, 0),
    ("imports of a higher layer", 5, 0),
)
"""What is measured, what it was at `5b4d998a`, and what it should not exceed."""


# Lines and files


def python_files(tree: Path) -> list[Path]:
    return sorted((tree / "src").rglob("*.py"))


def text_lines(folder: Path) -> int:
    """The lines of all text files."""
    contents = (
        path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    return sum(content.count(b"\n") for content in contents if b"\0" not in content)


# What runs: in a process that has the compiler of the tree


def compile_kernel(path: str, *, owns_process: bool = False) -> None:
    """Compiles as the command does, in a process of its own or in that of others."""
    from tileiras_xdsl.driver.tools.tileiras_xdsl import main

    with TemporaryDirectory() as folder:
        options = ["--emit=ptx", "--gpu-name=sm_90a", "--no-cache"]
        command = [path, *options, "-o", f"{folder}/kernel.ptx"]
        assert main(command, owns_process=owns_process) == 0


def visit(kernel: str) -> dict[str, Any]:
    """The files and functions that a compilation visits, and all modules that it needs."""
    compile_kernel(kernel)
    visited = set[CodeType]()

    def on_event(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            visited.add(frame.f_code)

    # Passes run on a thread that has a deep stack.
    threading.setprofile(on_event)
    sys.setprofile(on_event)
    compile_kernel(kernel)
    sys.setprofile(None)
    threading.setprofile(None)
    source = os.environ["PYTHONPATH"]
    functions = [
        code
        for code in visited
        if code.co_filename.startswith(source) and code.co_flags & inspect.CO_OPTIMIZED
    ]
    return {
        "files": len({code.co_filename for code in functions}),
        "functions": len(functions),
        "modules": sorted(filter(is_foreign, sys.modules)),
    }


def is_foreign(module: str) -> bool:
    """Whether a module is xDSL's, or of the standard library."""
    package = module.partition(".")[0]
    return package == "xdsl" or (package in sys.stdlib_module_names and package != "__main__")


def patchable(modules: list[str]) -> dict[tuple[str, ...], object]:
    """The functions, classes and descriptors of modules and of their classes, by name."""
    found: dict[tuple[str, ...], object] = {}
    for module in modules:
        for name, value in vars(sys.modules[module]).items():
            if callable(value) or inspect.ismodule(value):
                found[module, name] = value
            if not inspect.isclass(value) or value.__module__ != module:
                continue
            for key, member in vars(value).items():
                if callable(member) or hasattr(member, "__get__"):
                    found[module, name, key] = member
    return found


def find_patches(kernel: str, modules: list[str]) -> list[str]:
    """What a compilation replaces in modules, or adds to their classes."""
    for module in modules:
        importlib.import_module(module)
    before = patchable(modules)
    metaclasses = [(value, type(value)) for value in before.values() if inspect.isclass(value)]
    compile_kernel(kernel, owns_process=True)
    after = patchable(modules)
    changed = {name for name, value in before.items() if after.get(name) is not value}
    # A submodule that is imported later is a new attribute of its package.
    added = {name for name in after.keys() - before.keys() if len(name) > 2}
    exchanged = {
        (value.__module__.partition(".")[0], f"metaclass {old.__name__}")
        for value, old in metaclasses
        if type(value) is not old
    }
    return sorted(".".join(name) for name in changed | added | exchanged)


def run_inside(tree: Path, *arguments: str) -> Any:
    """What a function of this file returns in a process with the compiler of a tree."""
    process = subprocess.run(
        [sys.executable, __file__, "--inside", str(tree / KERNEL), *arguments],
        env={**os.environ, "PYTHONPATH": str(tree / "src"), "TILEIRAS_XDSL_SERVER": "0"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(process.stdout)


# The table


def weigh(tree: Path) -> tuple[list[int], dict[str, list[str]]]:
    """All measures of a tree, and what is behind the last of them."""
    files = python_files(tree)
    visited = run_inside(tree)
    patches: list[str] = run_inside(tree, *visited["modules"])
    imports = runpy.run_path(str(tree / "benchmarks/weight_imports.py"))
    circles, arrows = imports["find_circles"](), imports["find_back_arrows"]()
    details = {
        "patched attributes of xDSL": [each for each in patches if each.startswith("xdsl.")],
        "patched attributes of the standard library": [
            each for each in patches if not each.startswith("xdsl.")
        ],
        "import circles": [" ".join(circle) for circle in circles],
        "imports of a higher layer": [" -> ".join(arrow) for arrow in arrows],
    }
    values = [
        sum(path.read_bytes().count(b"\n") for path in files),
        len(files),
        text_lines(tree / "tests"),
        visited["files"],
        visited["functions"],
        *map(len, details.values()),
    ]
    return values, details


def print_table(values: list[int]) -> None:
    print("| measure | 5b4d998a | now | to reach |")
    print("| --- | --: | --: | --: |")
    for (name, before, aim), value in zip(MEASURES, values, strict=True):
        mark = "" if value <= aim else " !"
        print(f"| {name} | {before:,} | {value:,}{mark} | {aim:,} |")


def main() -> None:
    parser = argparse.ArgumentParser(description="How heavy the compiler is.")
    parser.add_argument("--details", action="store_true", help="name patches, circles and imports")
    options = parser.parse_args()
    values, details = weigh(ROOT)
    print_table(values)
    if options.details:
        for name, lines in details.items():
            print(f"\n{name}:", *lines, sep="\n  ")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        _, _, gemm, *names = sys.argv
        print(json.dumps(find_patches(gemm, names) if names else visit(gemm)))
    else:
        main()
