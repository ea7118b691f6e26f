"""What this process compiled for cuTile: `last`, and `compiled` by kernel."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from tileiras_xdsl.driver.compiler.compiled import Compiled
from tileiras_xdsl.driver.compiler.compiled import compile as compile_program
from tileiras_xdsl.frontend.bytecode.primitives import VERSIONS, format_version
from tileiras_xdsl.transforms.common.abi import abi_of_cubins
from tileiras_xdsl.xdsl_extras.deep_stack import call_with_deep_stack

if TYPE_CHECKING:
    from tileiras_xdsl.driver.compiler.compiled import Compiled
    from tileiras_xdsl.driver.compiler.options import Options
    from tileiras_xdsl.frontend.load import Program


@dataclass(eq=False)
class Specialization:
    """A kernel that was compiled for a signature, or whose cubin cuTile found in its own cache."""

    program: Program = field(repr=False)
    options: Options
    found: Compiled | None = field(default=None, repr=False)

    @property
    def compiled(self) -> Compiled:
        """The result, compiled now if cuTile had it already."""
        if self.found is None:
            options = self.options
            self.found = compile_program(
                self.program,
                options.gpu,
                opt=options.opt,
                lineinfo=options.lineinfo,
                device_debug=options.device_debug,
                abi=options.abi,
                explain=True,
            )
        return self.found


class History:
    """What was compiled, as long as the functions of the kernels live."""

    def __init__(self):
        self._lock = threading.Lock()
        self._by_function: WeakKeyDictionary[Any, dict[Any, Specialization]] = WeakKeyDictionary()
        self.newest: Specialization | None = None
        """What was compiled last, or launched last by our launcher."""

    def add(self, function: Any, specialization: Specialization) -> None:
        """Keeps what was compiled for a function; the same again takes the place of the first."""
        key = (specialization.program.data, specialization.options)
        with self._lock:
            kept = self._by_function.setdefault(function, {})
            kept.pop(key, None)
            kept[key] = specialization
            self.newest = specialization

    def of(self, function: Any) -> tuple[Specialization, ...]:
        """What was compiled for a function, the oldest first."""
        with self._lock:
            return tuple(self._by_function.get(function, {}).values())

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._by_function.clear()
            self.newest = None

    @property
    def last(self) -> Compiled | None:
        """The `Compiled` of the newest, if there is one."""
        newest = self.newest
        return None if newest is None else newest.compiled


HISTORY = History()


def compiled(kernel: Any) -> tuple[Compiled, ...]:
    """
    What was compiled for a cuTile kernel in this process, one for each of its signatures and
    options, the oldest first.
    """
    return tuple(each.compiled for each in HISTORY.of(kernel._annotated_function.pyfunc))


# The compiler as cuTile calls one: an object with a method `run`, in the place of the one that
# starts the command `tileiras`. It takes the same flags and raises cuTile's own errors.

COMPILED: Final[ContextVar[list[Specialization] | None]] = ContextVar("COMPILED", default=None)
"""What `run` compiled, for the kernel that is being compiled here; none if NVIDIA's compiler is."""


@dataclass(frozen=True)
class StandIn:
    """Has the members of cuTile's `_CompilerBinary` that others use."""

    cutile: Any
    """The module `cuda.tile._compile`."""
    path: str = "tileiras-xdsl"

    def run(
        self, args: Sequence[str], flags: Sequence[str], timeout_sec: float | None = None
    ) -> None:
        """Compiles a file to a file, as the command does."""
        from tileiras_xdsl.driver.compiler.options import Options
        from tileiras_xdsl.driver.tools.command import write_output
        from tileiras_xdsl.driver.tools.tileiras_xdsl import parse_arguments
        from tileiras_xdsl.frontend.load import Program

        def compile_file() -> None:
            command = parse_arguments([*args, *flags], owns_process=False)
            assert command is not None
            options = Options(
                command.gpu_name or "",
                int(command.opt_level),
                command.lineinfo,
                command.device_debug,
                abi_of_cubins(command.host_arch, command.host_os),
            )
            program = Program.read(command.input)
            compiled = self._compile(program, options, timeout_sec)
            if command.remarks_to not in (None, "-"):
                write_output(command.remarks_to, compiled.remarks.yaml.encode())
            write_output(command.output, compiled.cubin)
            if (made := COMPILED.get()) is not None:
                made.append(Specialization(program, options, compiled))

        self._translate_errors(compile_file, " ".join(flags), timeout_sec)

    def compile(
        self, program: Program, options: Options, timeout_sec: float | None
    ) -> Specialization:
        """Compiles a program; what is wrong is raised as by `run`."""

        def compile_program() -> Specialization:
            return Specialization(program, options, self._compile(program, options, timeout_sec))

        return self._translate_errors(compile_program, str(options), timeout_sec)

    def newest_bytecode_version(self, *, allow_dev: bool = False) -> Any:
        """The newest version that cuTile writes and this compiler reads, as cuTile has it."""
        known = {format_version(version) for version in VERSIONS}
        offered = reversed(list(self.cutile._all_bytecode_versions(allow_dev)))
        return next(version for version in offered if version.as_string() in known)

    def _compile(self, program: Program, options: Options, timeout_sec: float | None) -> Compiled:
        from tileiras_xdsl.driver.compiler.compiled import compile

        return call_with_deep_stack(
            lambda: compile(
                program,
                options.gpu,
                opt=options.opt,
                lineinfo=options.lineinfo,
                device_debug=options.device_debug,
                abi=options.abi,
                explain=True,
                timeout=timeout_sec,
            ),
            timeout_sec,
        )

    def _translate_errors(self, work: Any, flags: str, timeout_sec: float | None) -> Any:
        from tileiras_xdsl.driver.tools.tileiras_xdsl import PROGRAM, version_text
        from tileiras_xdsl.xdsl_extras.diagnostics import make_error_report

        try:
            return work()
        except TimeoutError:
            raise self.cutile.TileCompilerTimeoutError(
                f"{PROGRAM} exceeded timeout {timeout_sec}s. Using a smaller tile size may reduce "
                "compilation time.",
                flags,
                version_text(),
            ) from None
        except Warning:
            # Somebody wants warnings to be errors.
            raise
        except Exception as error:
            # As the command would: one line and an exit code, whatever is wrong.
            report = getattr(error, "report", None) or make_error_report(
                error, tool=PROGRAM, input_name=PROGRAM, root=None
            )
            message, place = self.cutile._parse_tileir_stderr(report.for_cutile())
            raise self.cutile.TileCompilerExecutionError(
                1, message, place, flags, version_text()
            ) from error
