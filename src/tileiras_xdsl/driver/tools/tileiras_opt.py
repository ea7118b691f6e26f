"""
`tileiras-opt`: `xdsl-opt` for our tests, with diagnostics, output and input of our own.

- Whatever goes wrong is one line on standard error and exit code 1.
- Output appears only when everything went well, and may be binary.
- Input is recognised by its content, and every op of it knows its place.
- The verifier checks dominance, too.
"""

import argparse
import inspect
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from io import BytesIO
from typing import IO, ClassVar, Final, NoReturn, Protocol, cast, runtime_checkable

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass, PassPipeline
from xdsl.targets.mlir import MLIRTarget
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline, parse_spec
from xdsl.utils.exceptions import (
    DiagnosticException,
    ParseError,
    ShrinkException,
)
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

import tileiras_xdsl
from tileiras_xdsl.driver.compiler.pass_plan import find_universe, locate_error
from tileiras_xdsl.driver.tools.command import (
    PrintForm,
    add_print_options,
    print_module,
    run_command,
    wrap_for,
    write_file,
)
from tileiras_xdsl.frontend.load import STDIN_NAME, Program, parse_bytes
from tileiras_xdsl.universe import PASSES
from tileiras_xdsl.xdsl_extras.aliases import AliasedMlirTarget, ShortMlirTarget
from tileiras_xdsl.xdsl_extras.diagnostics import describe
from tileiras_xdsl.xdsl_extras.dominance import verify_module
from tileiras_xdsl.xdsl_extras.reading import BriefMlirTarget
from tileiras_xdsl.xdsl_extras.usage import UsageError

# A pass works on one level of IR. On a module of another level it finds nothing to do, which is
# right in a pipeline and seldom what is meant on a command line.

_LEVELS: Final = {
    "tt": ("tt",),
    "cuda_tile": ("cuda_tile",),
    "nv_tileaa": ("nv_tileaa",),
    "nv_tileas": ("nv_tileas",),
    "nvgpu": ("nvgpu", "nvvm", "llvm"),
}
"""The levels, each with the dialects that no other has; the last is the code of a thread."""
_FOLDERS: Final = {
    "tt": "tt",
    "cuda_tile": "cuda_tile",
    "tileaa": "nv_tileaa",
    "tileas": "nv_tileas",
    "nvgpu": "nvgpu",
    "nvvm": "nvgpu",
}
"""The level of the passes in each folder of `transforms`, but for conversions into that level."""
_CONVERSIONS: Final = {
    "cpu-lower-tiles": "nv_tileaa",
    "convert-cuda-tile-to-tileaa": "cuda_tile",
    "convert-tileaa-to-tileas": "nv_tileaa",
    "convert-tileas-to-nvgpu": "nv_tileas",
}

_WIDTH: Final = 100
"""Characters of what is said of a pass."""


def find_level(name: str) -> str | None:
    """The level that a pass works on; nothing is known of passes that are not ours."""
    if name not in PASSES:
        return None
    return _CONVERSIONS.get(name) or _FOLDERS[PASSES[name].partition(".")[0]]


def find_other_level(name: str, module: ModuleOp) -> str | None:
    """The levels of a module if a pass works on none of them; `None` if it has something to do."""
    level = find_level(name)
    if level is None:
        return None
    dialects = {op.dialect_name() for op in module.walk()}
    found = [each for each, names in _LEVELS.items() if not dialects.isdisjoint(names)]
    return None if level in found or not found else " and ".join(found)


def list_passes(passes: Mapping[str, Callable[[], type[ModulePass]]]) -> str:
    """Our passes by level, and those of plugins, with a sentence for each; names of xDSL's."""
    known = {*PASSES, *XDSL_UNIVERSE.all_passes}
    groups = {
        f"on {level}": [name for name in PASSES if find_level(name) == level] for level in _LEVELS
    }
    groups["of plugins"] = list(set(passes) - known)
    lines: list[str] = []
    for title, names in groups.items():
        if names:
            lines.append(f"{title}:")
        for name in sorted(names):
            text = textwrap.shorten(_describe(name, passes[name]), _WIDTH, placeholder=" …")
            lines.append(f"  {name:36}{text}".rstrip())
    names = textwrap.wrap(", ".join(sorted(known - set(PASSES))), 98, break_on_hyphens=False)
    return "\n".join((*lines, "of xDSL:", *(f"  {line}" for line in names)))


def _describe(name: str, load: Callable[[], type[ModulePass]]) -> str:
    """The first sentence about a pass: of the file of one of ours, of the class of another."""
    try:
        found = load()
    except Exception as error:
        return f"cannot be imported: {locate_error(error)}"
    text = (sys.modules[found.__module__] if name in PASSES else found).__doc__ or ""
    words = " ".join(text.split())
    if words.startswith(f"{found.__name__}("):
        return ""  # What a dataclass says of itself.
    end = words.find(". ")
    return (words if end < 0 else words[:end]).rstrip(".")


TARGETS: Final[dict[PrintForm, type[Target]]] = {
    "aliases": AliasedMlirTarget,
    "local": MLIRTarget,
    "short": ShortMlirTarget,
    "brief": BriefMlirTarget,
}
"""What prints MLIR in each form."""


@runtime_checkable
class BinaryTarget(Protocol):
    """What an output target that writes bytes has beside the members of `Target`."""

    def emit_bytes(self, ctx: Context, module: ModuleOp) -> bytes: ...


@runtime_checkable
class FilesTarget(Protocol):
    """What a binary target has beside `emit_bytes` if it writes more files than one."""

    def emit_files(self, ctx: Context, module: ModuleOp) -> dict[str, bytes]:
        """Files by what is put after the name of the output; that itself has the key ``""``."""
        ...


class ListAction(argparse.Action):
    """Prints the text that a function returns, and ends the command."""

    def __init__(
        self,
        option_strings: Sequence[str],
        dest: str,
        help: str,  # noqa: A002
        const: Callable[[], str],
    ):
        super().__init__(option_strings, dest, nargs=0, const=const, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(cast(Callable[[], str], self.const)())
        parser.exit()


def list_versions() -> str:
    """The bytecode versions that are read and written."""
    from tileiras_xdsl.frontend.bytecode import VERSIONS, format_version

    return "\n".join(map(format_version, VERSIONS))


class TileirasOptMain(xDSLOptMain):
    version_format: ClassVar[str] = (
        f"tileiras-opt {tileiras_xdsl.__version__} on xDSL {{xdsl_version}}"
    )

    target: Target | None
    """The output target, `None` if it is an old-style function."""

    module: ModuleOp | None = None
    """The module at hand."""

    stage: str = ""
    """What is going on, as words to put after a diagnostic."""

    pass_start: float = 0.0

    mismatch: tuple[str, ModuleOp] | None = None
    """The level of the module, and a copy, if the pass that runs works on another level."""

    companions: dict[str, bytes]
    """Files beside the output, by what is put after its name."""

    # Command line

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser):
        def fail(message: str) -> NoReturn:
            raise UsageError(message)

        arg_parser.prog = "tileiras-opt"
        arg_parser.error = fail
        super().register_all_arguments(arg_parser)
        for action in arg_parser._actions:  # pyright: ignore[reportPrivateUsage]
            if action.dest == "passes":
                action.help = "passes with commas between them, see --list-passes"
        arg_parser.add_argument(
            "--list-versions",
            action=ListAction,
            const=list_versions,
            help="Print the supported bytecode versions and exit",
        )
        arg_parser.add_argument(
            "--list-passes",
            action=ListAction,
            const=lambda: list_passes(self.available_passes),
            help="Print all passes, with a line for each that is not xDSL's, and exit",
        )
        add_print_options(arg_parser)

    @cached_property
    def universe(self) -> Universe:
        """All that can be registered; xDSL's own would raise for a broken plugin."""
        return find_universe()

    def register_all_dialects(self):
        for name, factory in self.universe.all_dialects.items():
            self.ctx.register_dialect(name, factory)

    def register_all_passes(self):
        for name, factory in self.universe.all_passes.items():
            self.register_pass(name, factory)

    def register_all_targets(self):
        self.available_targets.update(self.universe.all_targets)

        def choose() -> type[Target]:
            return TARGETS[self.args.print_form]

        self.available_targets["mlir"] = choose

    def setup_pipeline(self):
        passes = tuple(self.make_pass(spec) for spec in parse_pipeline(self.args.passes))
        self.pipeline = PassPipeline(passes, self.between_passes)
        self.target = self.make_target()

    def make_pass(self, spec: ArgSpec) -> ModulePass:
        if spec.name not in self.available_passes:
            raise UsageError(f"unknown pass '{spec.name}'{_hint(spec.name, self.available_passes)}")
        try:
            pass_type = self.available_passes[spec.name]()
        except Exception as error:
            raise UsageError(
                f"pass '{spec.name}' cannot be imported: {locate_error(error)}"
            ) from error
        try:
            return pass_type.from_spec(spec)
        except (ValueError, DiagnosticException) as error:
            raise UsageError(f"pass '{spec.name}': {error}") from error

    def make_target(self) -> Target | None:
        spec = parse_spec(self.args.target)
        entry = self.available_targets[spec.name]
        if inspect.signature(entry).parameters:
            return None
        target_type = cast(Callable[[], type[Target]], entry)()
        try:
            return target_type.from_spec(spec)
        except (ValueError, DiagnosticException) as error:
            raise UsageError(f"target '{spec.name}': {error}") from error

    # Input

    def get_input_name(self) -> str:
        name = self.args.input_file
        return STDIN_NAME if name is None or name == "-" else name

    def get_input_stream(self) -> tuple[IO[bytes], str]:
        program = Program.read(self.args.input_file or "-")
        program.check_file()
        assert program.data is not None
        return BytesIO(program.data), "mlir"

    def register_all_frontends(self):
        def parse(stream: IO[bytes]) -> ModuleOp:
            return parse_bytes(
                self.ctx,
                stream.read(),
                self.get_input_name(),
                allow_implicit_module=not self.args.no_implicit_module,
            )

        self.available_frontends["mlir"] = parse

    def parse_chunk(
        self, chunk: IO[bytes], file_extension: str, start_offset: int = 0
    ) -> ModuleOp | None:
        # The lines before the chunk come as empty ones: then all places are those of the file.
        data = b"\n" * start_offset + chunk.read()
        return super().parse_chunk(BytesIO(data), file_extension)

    # Verification

    def between_passes(
        self, previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
    ) -> None:
        if self.args.time_passes and previous is not None:
            seconds = time.perf_counter() - self.pass_start
            print(f"Pass {previous.name} took {seconds} seconds")

        if previous is not None and self.mismatch is not None:
            level, before = self.mismatch
            if module.is_structurally_equivalent(before):
                print(
                    f"{self.get_input_name()}: warning: pass '{previous.name}' changes nothing: it "
                    f"works on {find_level(previous.name)}, and this is {level}",
                    file=sys.stderr,
                )

        if not self.args.disable_verify:
            self.stage = "" if previous is None else f" [after pass '{previous.name}']"
            verify_module(module)

        if self.args.print_between_passes and previous is not None and following is not None:
            print(f"IR after {previous.name}:")
            print(wrap_for(sys.stdout, print_module(module, self.args.print_form)))
            print("\n\n\n")

        level = None if following is None else find_other_level(following.name, module)
        self.mismatch = None if level is None else (level, module.clone())
        self.stage = "" if following is None else f" [in pass '{following.name}']"
        self.pass_start = time.perf_counter()

    # Output

    def run(self):
        chunks, frontend = self.prepare_input()
        output: list[bytes] = []
        self.companions = {}
        try:
            for index, (chunk, offset) in enumerate(chunks):
                if index > 0:
                    output.append(b"// -----\n")
                with chunk:
                    output.append(self.compile_or_diagnose(chunk, frontend, offset))
        except ShrinkException:
            if not self.args.shrink:
                raise
            print("Success, can shrink")
            sys.exit(0)
        if self.args.shrink:
            print("Failure, can't shrink")
            sys.exit(1)
        self.write_output(b"".join(output))

    def compile_or_diagnose(self, chunk: IO[bytes], frontend: str, offset: int) -> bytes:
        """The output for one chunk, or the diagnostic if the command line asks for it."""
        try:
            self.module = None
            self.stage = ""
            self.module = self.parse_chunk(chunk, frontend, offset)
            if self.module is None:
                return b""
            self.apply_passes(self.module)
            self.stage = ""
            return self.emit(self.module)
        except ParseError as error:
            if not self.args.parsing_diagnostics:
                raise
            diagnostic = f"{error}\n"
        except DiagnosticException as error:
            if not self.args.verify_diagnostics:
                raise
            notes: list[str] = getattr(error, "__notes__", [])
            diagnostic = "".join(f"{part}\n" for part in (error, *notes))

        if self.writes_to_stdout:
            return diagnostic.encode()
        print(diagnostic, end="")
        return b""

    def emit(self, module: ModuleOp) -> bytes:
        if not isinstance(self.target, BinaryTarget):
            text = self.output_resulting_program(module)
            is_shown = self.writes_to_stdout and isinstance(self.target, MLIRTarget)
            return (wrap_for(sys.stdout, text) if is_shown else text).encode()
        if self.args.split_input_file:
            raise UsageError("binary output holds one module, --split-input-file makes several")
        if self.writes_to_stdout and sys.stdout.isatty():
            raise UsageError("binary output is not written to a terminal, give -o FILE")
        if isinstance(self.target, FilesTarget) and not self.writes_to_stdout:
            files = self.target.emit_files(self.ctx, module)
            self.companions = {suffix: data for suffix, data in files.items() if suffix}
            return files[""]
        return self.target.emit_bytes(self.ctx, module)

    @property
    def writes_to_stdout(self) -> bool:
        return self.args.output_file is None or self.args.output_file == "-"

    def write_output(self, data: bytes) -> None:
        if self.writes_to_stdout:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.flush()
        else:
            write_file(self.args.output_file, data, self.companions)


def _hint(name: str, known: Iterable[str]) -> str:
    import difflib

    similar = difflib.get_close_matches(name, known, n=1)
    return f", did you mean '{similar[0]}'?" if similar else ""


def main(args: Sequence[str] | None = None) -> int:
    """Runs the command line `args`, by default that of the process; returns the exit code."""
    tool: TileirasOptMain | None = None

    def run() -> int:
        nonlocal tool
        tool = TileirasOptMain("Runs passes on cuda_tile and everything below", args)
        tool.run()
        return 0

    def report(error: BaseException) -> str:
        return describe(
            error,
            tool="tileiras-opt",
            input_name="tileiras-opt" if tool is None else tool.get_input_name(),
            context="" if tool is None else tool.stage,
            root=None if tool is None else tool.module,
        )

    # xDSL implements `--disable-verify` by replacing this method for the whole process.
    verify_attribute = Attribute.__post_init__
    try:
        return run_command("tileiras-opt", run, report)
    finally:
        Attribute.__post_init__ = verify_attribute


if __name__ == "__main__":
    sys.exit(main())
