"""
A folder with all that a machine with a GPU needs: the kernels of one compiler, and its launcher.

The launcher comes along because some of what is provoked is in it, and it has to belong to the
compiler. It needs no xDSL but for one class, see `use_launcher`.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from .kernels import all_kernels

INDEX = "index.json"
LAUNCHER = "launcher"
_MODULES = ("cuda", "arguments", "driver", "launch_record", "tensor_map")
"""What is imported on the other machine, of `tileiras_xdsl.backend`."""
_LIST_FILES = f"""
import sys
{"".join(f"import tileiras_xdsl.backend.{name};" for name in _MODULES)}
for name, module in sorted(sys.modules.items()):
    if name.split(".")[0] == "tileiras_xdsl" and module.__file__:
        print(name, module.__file__, sep="\\t")
"""
_TRY_IMPORTS = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
sys.modules["xdsl"] = None
from provocations.bundle import use_launcher
from pathlib import Path
use_launcher(Path(sys.argv[2]).parent, replace=True)
"""
_TOLD = (
    r"cp\.async\.bulk\.tensor\.\d+d\.\w+|cp\.reduce\.async\.bulk\.tensor|"
    r"cp\.async\.bulk\.wait_group(?:\.read)?|(?:red|atom|st)\.(?:release|acq)\w*|st\.relaxed|"
    r"ld\.(?:acquire|relaxed)|griddepcontrol\.\w+|wgmma\.mma_async|bar\.sync|"
    r"ld\.global|multicast|mapa|mbarrier\.arrive\S*cluster"
)
"""Instructions that tell whether a kernel is what it was written to be."""


def instructions(ptx: str) -> str:
    """The instructions that matter in the order of the code, without repetitions."""
    found = re.findall(_TOLD, ptx)
    return " ".join(each for i, each in enumerate(found) if not i or found[i - 1] != each)


def make(folder: Path, gpu: str = "sm_90") -> dict[str, Any]:
    """Writes a bundle with whatever compiler is importable; returns its index."""
    from .cases import CASES

    folder.mkdir(parents=True, exist_ok=True)
    wanted = {(name, abi) for case in CASES for name in case.kernels for abi in case.abis}
    index: dict[str, Any] = {}
    for name, text in all_kernels().items():
        for abi in sorted(abi for known, abi in wanted if known == name):
            index[f"{name}.{abi}"] = _compile(folder, name, abi, text, gpu)
    _copy_launcher(folder)
    (folder / INDEX).write_text(json.dumps(index, indent=1))
    return index


def _compile(folder: Path, name: str, abi: Any, text: str, gpu: str) -> dict[str, str]:
    """Writes the cubin and the launch record of a kernel, or says why there is none."""
    import tileiras_xdsl

    try:
        with warnings.catch_warnings(action="ignore"):
            compiled = tileiras_xdsl.compile(text, gpu=gpu, abi=abi, cache=False)
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
    path = folder / f"{name}.{abi}.cubin"
    path.write_bytes(compiled.cubin)
    path.with_suffix(".json").write_text(json.dumps(compiled.record().to_dict()))
    return {
        "sha256": hashlib.sha256(compiled.cubin).hexdigest(),
        "instructions": instructions(compiled.ptx),
    }


def _copy_launcher(folder: Path) -> None:
    """Copies the modules that launch kernels, and tries whether they do without xDSL."""
    shutil.rmtree(folder / LAUNCHER, ignore_errors=True)
    command = [sys.executable, "-c", _LIST_FILES]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in found.splitlines():
        name, source = line.split("\t")
        parts = name.split(".")
        inner = [*parts, "__init__"] if Path(source).stem == "__init__" else parts
        target = folder.joinpath(LAUNCHER, *inner).with_suffix(".py")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    here = Path(__file__).parents[1]
    command = [sys.executable, "-c", _TRY_IMPORTS, str(here), str(folder / LAUNCHER)]
    subprocess.run(command, check=True)


def use_launcher(folder: Path, *, replace: bool = False) -> None:
    """Makes the launcher of a bundle importable; where xDSL is not installed, it needs no more."""
    folder = folder.resolve()
    sys.path.insert(0, str(folder / LAUNCHER))
    if replace or importlib.util.find_spec("xdsl") is None:
        names = ("xdsl", "xdsl.utils", "xdsl.utils.exceptions")
        modules = {name: ModuleType(name) for name in names}
        error = type("DiagnosticException", (Exception,), {})
        vars(modules[names[-1]])["DiagnosticException"] = error
        sys.modules.update(modules)
    for name in _MODULES:
        module = importlib.import_module(f"tileiras_xdsl.backend.{name}")
        assert Path(str(module.__file__)).is_relative_to(folder), module.__file__
