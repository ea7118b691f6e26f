"""
Files that repeat what went wrong inside the compiler.

    // tileiras-xdsl reproducer: canonicalize-tileaa
    // configuration: {"abi": "device-maps", "failed": "canonicalize-tileaa", …}
    // run: tileiras-xdsl --replay FILE
    // passes: tileiras-opt FILE -p 'canonicalize-tileaa,cse,…'
    builtin.module {
      …

A reproducer is the module before the pass that failed, as text that all tools of MLIR read, below
comments with the rest of the pipeline, the options and the versions. Where LLVM or ptxas failed it
is the module of the last stage. Of whoever compiled it nothing else is in it: no paths, locations,
environment or names of machines.

    TILEIRAS_XDSL_REPRODUCERS    the folder that they are written to, 0 for none (default: a
                                 private one in the folder of temporary files)
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException

from tileiras_xdsl.frontend.load import InputError, Program
from tileiras_xdsl.pipeline import MODULE_STAGES, PipelinePass, select_steps

from .compilation import Compilation
from .options import OptionError, Options

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

VARIABLE: Final = "TILEIRAS_XDSL_REPRODUCERS"
FORMAT: Final = 1
"""Of the configuration; one with another number is refused."""
MOST_FILES: Final = 64
"""In the default folder; the oldest go first."""

_OFF: Final = ("0", "off", "false", "no")
_TITLE: Final = "// tileiras-xdsl reproducer: "
_CONFIGURATION: Final = "// configuration: "
_OPTIONS: Final = ("gpu", "opt", "lineinfo", "device_debug", "abi")


@dataclass(frozen=True)
class Reproducer:
    """A module, the passes that are left for it, and what failed."""

    text: str = field(repr=False)
    """The module."""
    options: Options
    steps: Sequence[PipelinePass]
    """The passes that are left, the one that failed first."""
    failed: str
    """A pass, or the part of the compiler after them."""
    verify_each: bool = False
    validation: Mapping[str, Any] | None = None
    """The inputs with which the module computes something else after the pass, if it is that."""

    @property
    def pipeline(self) -> str:
        """The passes that are left, as `tileiras-opt -p` takes them."""
        options = self.options
        return ",".join(step.spec(options.arch, options.abi) for step in self.steps)

    def __str__(self) -> str:
        configuration: dict[str, Any] = {
            "format": FORMAT,
            "failed": self.failed,
            "pipeline": self.pipeline,
            "verify_each": self.verify_each,
            **{name: getattr(self.options, name) for name in _OPTIONS},
            "versions": find_versions(),
        }
        if self.validation is not None:
            configuration["validation"] = self.validation
        lines = [
            f"{_TITLE}{self.failed}",
            f"{_CONFIGURATION}{json.dumps(configuration, sort_keys=True)}",
            "// run: tileiras-xdsl --replay FILE",
        ]
        if self.steps:
            lines.append(f"// passes: tileiras-opt FILE -p '{self.pipeline}'")
        return "\n".join((*lines, self.text, ""))

    def write(self, path: str | None = None) -> str | None:
        """
        Writes it where only its user may read it, and returns where that is: to a path, or to the
        folder that the environment names; `None` if there is none.
        """
        data = str(self).encode()
        folder = None
        if path is None:
            folder = find_folder()
            if folder is None:
                return None
            digest = hashlib.sha256(data).hexdigest()[:12]
            path = str(folder / f"{self.failed}-{digest}.mlir")
        try:
            with suppress(FileNotFoundError):
                os.remove(path)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
        except OSError:
            # What went wrong before is to be reported, not this.
            return None
        if folder is not None and not os.environ.get(VARIABLE):
            _remove_oldest(folder)
        return path

    @staticmethod
    def read(path: str) -> Reproducer:
        """From a file; `InputError` if it is none."""
        program = Program.read(path)
        assert program.data is not None
        try:
            text = program.data.decode()
            head, _, rest = text.partition("\n")
            line = rest.partition("\n")[0]
            if not head.startswith(_TITLE) or not line.startswith(_CONFIGURATION):
                raise ValueError
            return _from_json(json.loads(line.removeprefix(_CONFIGURATION)), text)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(f"'{path}' is no reproducer of tileiras-xdsl") from None

    def resume(self, name: str) -> Compilation:
        """A compilation that has only the rest to do."""
        return Compilation(
            Program(name, self.text.encode()),
            self.options,
            verify_each=self.verify_each,
            resume=self.steps,
        )

    def replay(self, compilation: Compilation) -> None:
        """Does what failed, in a compilation that `resume` gave: the passes, or what follows."""
        compilation.lower(MODULE_STAGES[-1])
        if not self.steps:
            compilation.assemble(compilation.generate(compilation.translate()))


def _from_json(configuration: Mapping[str, Any], text: str) -> Reproducer:
    if configuration["format"] != FORMAT:
        raise InputError(
            f"the reproducer has format {configuration['format']}, this version reads {FORMAT}"
        )
    options = Options(**{name: configuration[name] for name in _OPTIONS})
    return Reproducer(
        text,
        options,
        _steps_of(str(configuration["pipeline"]), options),
        str(configuration["failed"]),
        bool(configuration["verify_each"]),
        configuration.get("validation"),
    )


def _steps_of(pipeline: str, options: Options) -> Sequence[PipelinePass]:
    """The passes of a text: those that come last in the pipeline of the options."""
    if not pipeline:
        return ()
    steps = select_steps(options.opt, arch=options.arch)
    for count in range(len(steps)):
        if pipeline == ",".join(step.spec(options.arch, options.abi) for step in steps[count:]):
            return steps[count:]
    raise OptionError("the reproducer was made by a version with other passes, run its last line")


def find_versions() -> dict[str, str]:
    """The versions of all that takes part."""
    import platform

    import tileiras_xdsl
    from tileiras_xdsl.backend.errors import MissingToolError
    from tileiras_xdsl.backend.ptxas import Ptxas

    from .cache import find_version, fingerprint

    versions = {
        "tileiras-xdsl": f"{tileiras_xdsl.__version__} ({fingerprint()[:16]})",
        "python": platform.python_version(),
        "xdsl": find_version("xdsl"),
        "llvmlite": find_version("llvmlite"),
    }
    with suppress(MissingToolError):
        versions["ptxas"] = Ptxas.find().version
    return versions


def find_folder() -> Path | None:
    """Where reproducers go, made if it is missing; `None` if they are not wanted, or not safe."""
    given = os.environ.get(VARIABLE, "")
    if given.lower() in _OFF:
        return None
    if not given and sys.platform == "win32":
        # The folder of temporary files is the user's own.
        given = str(Path(tempfile.gettempdir(), "tileiras-xdsl"))
    path = Path(given) if given else Path(tempfile.gettempdir(), f"tileiras-xdsl-{os.getuid()}")
    try:
        if given:
            path.mkdir(parents=True, exist_ok=True)
            return path
        path.mkdir(mode=0o700, exist_ok=True)
        status = path.lstat()
    except OSError:
        return None
    is_private = stat.S_ISDIR(status.st_mode) and not status.st_mode & 0o077
    return path if is_private and status.st_uid == os.getuid() else None


def _remove_oldest(folder: Path) -> None:
    with suppress(OSError):
        files = sorted(folder.glob("*.mlir"), key=lambda file: file.stat().st_mtime_ns)
        for file in files[:-MOST_FILES]:
            file.unlink()


def is_inside(compilation: Compilation, error: BaseException) -> bool:
    """
    Whether an error is about the compiler and not about the program: an exception that is no
    diagnostic, a module that is not valid after a pass, code that LLVM or ptxas refuses.
    """
    from tileiras_xdsl.backend.errors import MissingToolError

    if compilation.part == "read":
        return False
    if isinstance(error, MissingToolError | OSError | MemoryError | RecursionError | ParseError):
        return False
    if not isinstance(error, Exception):
        return False
    if isinstance(error, DiagnosticException):
        is_verified = compilation.activity.startswith(" [after pass")
        return compilation.part != "passes" or (is_verified and isinstance(error, VerifyException))
    return True


def make_reproducer(compilation: Compilation) -> Reproducer | None:
    """What repeats the failure of a compilation; `None` if its module cannot be made again."""
    try:
        module, steps = _module_before(compilation)
        text = print_program(module)
    except Exception:
        # A program that fails in another way the second time is not one that can be repeated.
        return None
    current = compilation.current
    failed = compilation.part if current is None else current.name
    return Reproducer(text, compilation.options, steps, failed, verify_each=compilation.verify_each)


def _module_before(compilation: Compilation) -> tuple[ModuleOp, Sequence[PipelinePass]]:
    """The module before the pass that failed, and what is left to do: no pass keeps a copy."""
    options = replace(compilation.options, unsupported_hints="ignore")
    again = Compilation(compilation.program, options, isolate=compilation.isolate)
    module = again.read()
    steps = again.steps_to(MODULE_STAGES[-1])
    for place, step in enumerate(steps):
        if step is compilation.current:
            return module, steps[place:]
        again.run_pass(step, module)
    return module, ()


def print_program(module: ModuleOp) -> str:
    """The text of a module without locations."""
    from tileiras_xdsl.xdsl_extras.aliases import print_ir

    return print_ir(module)


def report_inside(compilation: Compilation, error: BaseException) -> str | None:
    """Writes the reproducer of an error inside the compiler; returns where it is."""
    if (finding := getattr(error, "finding", None)) is not None:
        # Validation has written it already.
        return finding.reproducer
    if compilation.resume is not None or not is_inside(compilation, error):
        return None
    if find_folder() is None:
        return None
    reproducer = make_reproducer(compilation)
    return None if reproducer is None else reproducer.write()
