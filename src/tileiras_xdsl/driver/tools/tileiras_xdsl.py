"""
`tileiras-xdsl`: the compiler as a command, with the options of NVIDIA's `tileiras`.

Every cuTile kernel is a process of its own, so nothing is imported before it is needed, and
what can be done at once is: LLVM starts in another process while passes run here.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NoReturn

from tileiras_xdsl.driver.service.request import SERVER_OPTION
from tileiras_xdsl.driver.tools.command import (
    Parser,
    PrintForm,
    add_print_options,
    name_input,
    print_module,
    run_command,
    wrap_for,
    write_output,
)
from tileiras_xdsl.pipeline import (
    CPU_STAGES,
    DEFAULT_ABI,
    DEFAULT_OPT_LEVEL,
    MODULE_STAGES,
    PIPELINE,
    STAGES,
    PipelinePass,
    Stage,
    cpu_steps,
    find_last_decision,
    pipeline_spec,
    select_steps,
)
from tileiras_xdsl.targets.cpu import CPUS
from tileiras_xdsl.transforms.common.abi import ABIS, DRIVER_MAPS_CPUS, abi_of_cubins
from tileiras_xdsl.xdsl_extras.usage import RefusedError, UsageError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tileiras_xdsl.backend.launch_record import Abi
    from tileiras_xdsl.checking.validation.validator import Validator
    from tileiras_xdsl.dialects.tileiras import RemarkKind
    from tileiras_xdsl.driver.compiler.cache import CacheEntry
    from tileiras_xdsl.driver.compiler.compilation import Compilation
    from tileiras_xdsl.driver.compiler.options import HintMode, Options, ValidationMode
    from tileiras_xdsl.driver.compiler.remarks import Remark
    from tileiras_xdsl.driver.service.job import CpuSlot
    from tileiras_xdsl.frontend.load import Program

PROGRAM: Final = "tileiras-xdsl"
STAND_IN: Final = "tileiras"
"""The name under which nothing but the cubin is written."""
DISASSEMBLER: Final = "tileirdisasm"
NEWEST_BYTECODE: Final = "13.4"
"""`LATEST` of the bytecode; `--version` says it without importing xDSL."""
PACKAGE: Final = __name__.partition(".")[0].encode()
CLIENT: Final = "tileiras_xdsl.driver.service.client"
"""The module of the command that asks a server first."""

DEFAULT_OUTPUT: Final = "elf.o"
DEFAULT_REMARKS: Final = "tileir_remarks.yaml"
SCHEDULE: Final = "schedule"
"""What `--emit` calls a timeline of the schedule."""
GPU_FORMS: Final = (SCHEDULE, *STAGES)
"""What `--emit` names."""
CPU_FORMS: Final = (*CPU_STAGES, "asm", "object")
"""The same with `--target=cpu`."""
BINARY: Final = ("cubin", "object")
"""The forms that are no text."""
BOTH: Final = (
    *("input", "output_file", "emit", "target", "print_ir_after", "print_ir_after_all"),
    *("print_form", "print_pipeline", "no_cache", "cpu_slot"),
)
"""The options that `--target=cpu` has, too."""
EXPORTED: Final = frozenset(
    (
        *("input", "export", "gpu_name", "opt_level", "deterministic", "no_cache", "emit"),
        *("cpu_slot", "print_form"),
    )
)
"""The options that `--export` has."""

REMARK_KINDS: Final[Mapping[str, tuple[RemarkKind, ...]]] = {
    "remarks": ("Passed", "Missed", "Failure", "Analysis"),
    "remarks-analysis": ("Analysis",),
    "remarks-failed": ("Failure",),
    "remarks-missed": ("Missed",),
    "remarks-passed": ("Passed",),
}
REMARK_CATEGORIES: Final = ("none", "all", "memory", "tensorcore")


class CompilerParser(Parser):
    """Lists the architectures below the options, as `tileiras` does: some clients look for one."""

    def format_help(self) -> str:
        from tileiras_xdsl.targets.target import base_names

        lines = "".join(f"  ={name}\n" for name in base_names())
        return f"{super().format_help()}\nvalues of --gpu-name:\n{lines}"


@cache
def make_parser() -> Parser:
    """The options."""
    parser = CompilerParser(
        prog=PROGRAM,
        description="Compiles Tile IR, as bytecode or text, for NVIDIA GPUs or this CPU.",
        allow_abbrev=False,
    )
    parser.add_argument("input", nargs="?", help="a file, or - for standard input")
    parser.add_argument(
        "-o", "--output-file", help=f"a file, or - for standard output ({DEFAULT_OUTPUT})"
    )
    parser.add_argument("--gpu-name", "--arch", help="the architecture, such as sm_90")
    parser.add_argument(
        "-O",
        "--opt-level",
        default=str(DEFAULT_OPT_LEVEL),
        help="the optimization level, 0 to 3 (3)",
    )
    parser.add_argument("--lineinfo", action="store_true", help="keep line numbers for profilers")
    parser.add_argument(
        "-g",
        "--device-debug",
        action="store_true",
        help="keep line numbers for debuggers; needs -O0",
    )
    parser.add_argument("--help-list", "--help-hidden", action="help", help="the same as --help")
    parser.add_argument("--version", action="store_true")
    parser.add_argument(
        "--list-versions", action="store_true", help="print the supported bytecode versions"
    )

    ours = parser.add_argument_group("tileiras-xdsl only")
    ours.add_argument(
        "--emit",
        choices=(*STAGES, SCHEDULE, *(each for each in CPU_FORMS if each not in STAGES)),
        help="the stage to write (cubin; object for a CPU)",
    )
    ours.add_argument(
        "--target",
        choices=("cpu", *CPUS),
        help="compile for the CPU of this machine, or another one, and not for a GPU",
    )
    ours.add_argument(
        "--print-ir-after",
        action="append",
        default=[],
        metavar="PASS",
        help="print the IR to stderr",
    )
    ours.add_argument("--print-ir-after-all", action="store_true")
    add_print_options(ours)
    ours.add_argument(
        "--print-pipeline", action="store_true", help="print it as tileiras-opt -p takes it"
    )
    ours.add_argument(
        "--insert",
        action="append",
        default=[],
        metavar="WHERE=PASSES",
        help="insert passes, as in 'after:licm=my-pass{option=1}'; nothing is cached",
    )
    ours.add_argument("--verify-each", action="store_true", help="verify after every pass")
    ours.add_argument(
        "--validate",
        nargs="?",
        const="quick",
        choices=("quick", "full"),
        help="run kernels on the CPU after passes and compare results (quick)",
    )
    ours.add_argument(
        "--replay",
        metavar="FILE",
        help="run a reproducer again",
    )
    ours.add_argument("--time-passes", action="store_true", help="print times to stderr")
    ours.add_argument(
        "--abi",
        choices=ABIS,
        dest="given_abi",
        help="who encodes tensor maps (device-maps; driver-maps in the place of tileiras)",
    )
    ours.add_argument(
        "--deterministic",
        action="store_true",
        help="refuse kernels that need not give the same bits at every launch",
    )
    ours.add_argument("--batch", metavar="LIST", help="compile the programs of a JSON list")
    ours.add_argument(
        "--export",
        metavar="NAME",
        help="write NAME.c, .h, .py and .fatbin for the architectures of --gpu-name: sm_90,sm_100",
    )
    ours.add_argument("--jobs", type=int, help="processes of --batch (one per core)")
    ours.add_argument("--timeout", type=float, help="seconds for each program of --batch")
    ours.add_argument("--no-cache", action="store_true", help="neither read nor write the cache")
    ours.add_argument(
        "--no-launch-record", action="store_true", help="write no .json beside a cubin"
    )
    ours.add_argument(
        f"--{SERVER_OPTION}",
        choices=("start", "status", "stop"),
        help="start, show or end the compile servers of this environment",
    )
    ours.add_argument(
        "--cache",
        nargs="+",
        metavar=("ACTION", "SIZE"),
        help="info: show the cache; clear: empty it; limit SIZE: bound its size, such as 2G",
    )
    ours.add_argument(
        "--install-as-tileiras",
        metavar="DIR",
        help="install commands called tileiras and tileirdisasm into a folder",
    )
    ours.add_argument(
        "--install-as-toolkit",
        metavar="DIR",
        help="make a folder a CUDA toolkit whose nvcc runs this compiler",
    )

    theirs = parser.add_argument_group("as in NVIDIA's tileiras")
    theirs.add_argument("--remark-format", choices=("command-line", "yaml"))
    theirs.add_argument("--remarks-output-file", default=DEFAULT_REMARKS)
    for kind in REMARK_KINDS:
        theirs.add_argument(f"--{kind}", choices=REMARK_CATEGORIES, default="none")
    theirs.add_argument(
        "--Wunsupported-hints", action="store_true", help="warn of invalid optimization hints"
    )
    theirs.add_argument(
        "--Werr-hints",
        action="store_true",
        help="refuse invalid optimization hints, with --Wunsupported-hints",
    )
    theirs.add_argument("--preview", action="append", default=[], help="refused")
    theirs.add_argument(
        "--host-arch",
        choices=DRIVER_MAPS_CPUS,
        help="the CPU that launches; for another than this one kernels encode tensor maps",
    )
    theirs.add_argument(
        "--host-os",
        choices=("linux", "windows"),
        help="the system that launches; for windows kernels encode tensor maps",
    )
    theirs.add_argument("--sanitize", choices=("memcheck",), help="refused")
    theirs.add_argument("-l", action="append", default=[], dest="libraries", help="refused")
    return parser


class Command(Namespace):
    """A command line: its options by their names, and what follows from them."""

    input: str
    output_file: str | None
    emit: Stage | Literal["schedule", "cpu", "asm", "object"] | None
    target: str | None
    gpu_name: str | None
    opt_level: str
    lineinfo: bool
    device_debug: bool
    given_abi: Abi | None
    host_arch: str | None
    host_os: str | None
    print_ir_after: Sequence[str]
    print_ir_after_all: bool
    print_form: PrintForm
    insert: Sequence[str]
    deterministic: bool
    verify_each: bool
    time_passes: bool
    no_cache: bool
    no_launch_record: bool
    Wunsupported_hints: bool
    Werr_hints: bool
    validate: ValidationMode | None
    validator: Validator | None = None
    replay: str | None
    batch: str | None
    export: str | None
    jobs: int | None
    timeout: float | None
    cpu_slot: CpuSlot | None = None
    """What the compile server lets this process have from when the input is read to the output."""
    remarks_to: str | None
    """The file that remarks go to, - for standard error, or standard output in the stand-in."""
    stands_in: bool = False
    """Whether this is `tileiras` for whoever runs it."""
    wanted_remarks: Mapping[RemarkKind, set[str]]
    """The categories of each kind that are asked for."""
    compilation: Compilation | None = None

    @property
    def output(self) -> str:
        """Where the result goes, - for standard output."""
        return self.output_file or (DEFAULT_OUTPUT if self.emit in BINARY else "-")

    @property
    def abi(self) -> Abi:
        """What is asked for, or what suits launchers of cubins by `tileiras`."""
        if self.given_abi is not None:
            return self.given_abi
        if self.stands_in and self.emit in (None, "cubin"):
            return abi_of_cubins(self.host_arch, self.host_os)
        return DEFAULT_ABI

    @property
    def unsupported_hints(self) -> HintMode:
        """What is done about optimization hints that the public tools do not understand."""
        if not self.Wunsupported_hints:
            return "ignore"
        return "error" if self.Werr_hints else "warn"

    @property
    def input_name(self) -> str:
        """What diagnostics call the input."""
        from tileiras_xdsl.frontend.load import STDIN_NAME

        if self.batch is not None:
            return self.batch
        if self.replay is not None:
            return self.replay
        return STDIN_NAME if self.input == "-" else self.input

    def run(self) -> int:
        """Compiles and writes, or raises what is wrong; returns the exit code."""
        if self.batch is not None:
            return self._run_batch(self.batch)
        if self.replay is not None:
            self._run_replay(self.replay)
            return 0
        if self.export is not None:
            self._run_export(self.export)
            return 0
        self._run_one()
        if self.validator is not None:
            self._report_validation(self.validator)
        return 0

    def _report_validation(self, validator: Validator) -> None:
        """Says what was validated, if that was asked for, and what was not."""
        for check in validator.kernels:
            if self.validate is not None or not check.is_complete:
                print(f"remark: {check}", file=sys.stderr)

    def _run_batch(self, path: str) -> int:
        from tileiras_xdsl.driver.tools.batch import Batch, BatchEntry, read_list

        defaults = BatchEntry(
            "",
            "",
            self.gpu_name,
            int(self.opt_level),
            self.lineinfo,
            self.device_debug,
            self.abi,
            self.deterministic,
        )
        return Batch(
            read_list(path, defaults),
            self.jobs,
            self.timeout,
            False if self.no_cache else None,
            not self.no_launch_record,
        ).run()

    def _run_export(self, out: str) -> None:
        from tileiras_xdsl.driver.compiler.export import export
        from tileiras_xdsl.frontend.load import Program

        program = Program.read(self.input)
        gpus = (self.gpu_name or "").split(",")
        paths = export(
            program,
            gpus=gpus,
            out=out,
            opt=int(self.opt_level),
            deterministic=self.deterministic,
            cache=False if self.no_cache else None,
        )
        print(*paths, sep="\n")

    def _run_replay(self, path: str) -> None:
        from tileiras_xdsl.driver.compiler.reproducer import Reproducer

        reproducer = Reproducer.read(path)
        self.compilation = reproducer.resume(path)
        if reproducer.validation is not None:
            from tileiras_xdsl.checking.validation.validator import replay

            replay(reproducer, self.compilation)
        else:
            reproducer.replay(self.compilation)
        print(f"{path}: '{reproducer.failed}' does not fail")

    def _run_one(self) -> None:
        from tileiras_xdsl.frontend.load import Program

        options = None if self.target is not None else self.make_options()
        program = Program.read(self.input)
        if self.cpu_slot is not None:
            self.cpu_slot.acquire()
        if options is None:
            self._write_for_cpu(program)
        elif self.emit in ("ptx", "cubin"):
            self._write_code(program, options)
        else:
            self._write_text(program, options)

    def make_options(self) -> Options:
        """The options of the compilation; `OptionError` if they are wrong."""
        from tileiras_xdsl.driver.compiler.options import OptionError, Options

        gpu = self.gpu_name
        if not gpu and self.emit != "cuda-tile":
            raise OptionError("no GPU target is given, say --gpu-name=sm_90 or another")
        opt = int(self.opt_level)
        return Options(
            gpu or "sm_90",
            opt,
            self.lineinfo,
            self.device_debug,
            self.abi,
            self.unsupported_hints,
            deterministic=self.deterministic,
        )

    def _make_compilation(self, program: Program, options: Options) -> Compilation:
        from tileiras_xdsl.driver.compiler.compilation import Compilation, Time
        from tileiras_xdsl.driver.compiler.options import find_mode
        from tileiras_xdsl.driver.compiler.pass_plan import PassPlan, join_insertions

        start = time.perf_counter()
        prints = self.print_ir_after or self.print_ir_after_all
        self.compilation = Compilation(
            program,
            options,
            verify_each=self.verify_each,
            explain=self.remarks_to is not None,
            plan=PassPlan(insert=join_insertions(self.insert)),
            after_pass=self._print_module if prints else None,
        )
        if (mode := find_mode(self.validate)) is not None:
            from tileiras_xdsl.checking.validation.validator import Validator

            self.validator = Validator(self.compilation, mode)
        self.compilation.times.append(Time("import-xdsl", "", time.perf_counter() - start))
        return self.compilation

    def _write_code(self, program: Program, options: Options) -> None:
        from tileiras_xdsl.driver.compiler import cache as disk
        from tileiras_xdsl.driver.compiler.compiled import cache_key, run, with_faults
        from tileiras_xdsl.driver.compiler.options import find_mode

        prints = self.print_ir_after or self.print_ir_after_all
        key = None
        is_unusual = prints or self.insert or self.verify_each or self.time_passes
        if not (self.no_cache or is_unusual) and disk.is_enabled():
            key = cache_key(program, options, explain=self.remarks_to is not None)
        faults: list[str] = []
        entry = None if key is None or find_mode(self.validate) else disk.load(key, faults)
        if entry is None:
            compilation = self._make_compilation(program, options)
            if self.emit == "ptx":
                compilation.prepare()
                self._write(compilation.generate(compilation.translate()).encode())
                self._write_diagnostics(compilation)
                return
            entry = run(compilation)
            if key is not None:
                disk.store(key, entry)
            entry = with_faults(entry, faults)
        for text in entry.warnings:
            print(text, file=sys.stderr)
        self._write_entry(entry)

    def _write_for_cpu(self, program: Program) -> None:
        from tileiras_xdsl.driver.compiler.cpu import compile_for_cpu, lower_for_cpu

        prints = self.print_ir_after or self.print_ir_after_all
        after_pass = self._print_module if prints else None
        target = CPUS.get(self.target or "")
        if self.emit in ("tileaa", "cpu"):
            self._write_module(lower_for_cpu(program, target, self.emit, after_pass))
            return
        cache = False if self.no_cache else None
        compiled = compile_for_cpu(program, target=target, cache=cache, after_pass=after_pass)
        if self.emit == "object":
            self._write(compiled.object)
        else:
            self._write((compiled.asm if self.emit == "asm" else compiled.llvm).encode())

    def _write_module(self, module: ModuleOp) -> None:
        text = print_module(module, self.print_form)
        text = wrap_for(sys.stdout, text) if self.output == "-" else text
        self._write(f"{text}\n".encode())

    def _write_entry(self, entry: CacheEntry) -> None:
        if self.remarks_to is not None:
            from tileiras_xdsl.driver.compiler.remarks import from_json

            self._write_remarks(from_json(entry.remarks))
        if self.emit == "ptx":
            self._write(entry.ptx.encode())
        else:
            self._write(entry.cubin, None if self.no_launch_record else entry.records.encode())

    def _write_diagnostics(self, compilation: Compilation) -> None:
        """Writes warnings, and those remarks that are asked for."""
        for warning in compilation.warnings:
            print(warning.warning, file=sys.stderr)
        self._write_remarks((*compilation.warnings, *compilation.remarks))

    def _write_remarks(self, remarks: Sequence[Remark]) -> None:
        """Writes those remarks that are asked for."""
        from tileiras_xdsl.driver.compiler.remarks import to_lines, to_paragraphs, to_yaml

        wanted = [
            remark
            for remark in remarks
            if any(map(remark.is_in, self.wanted_remarks.get(remark.kind, ())))
        ]
        if self.remarks_to == "-" and self.stands_in and self.output != "-":
            print(to_paragraphs(wanted), end="")
        elif self.remarks_to == "-":
            sys.stderr.writelines(f"{line}\n" for line in to_lines(wanted))
        elif self.remarks_to is not None:
            write_output(self.remarks_to, to_yaml(wanted).encode())

    def _write_text(self, program: Program, options: Options) -> None:
        compilation = self._make_compilation(program, options)
        stage = self.emit
        if stage == SCHEDULE:
            self._write(self._draw_schedule(compilation).encode())
        elif stage == "llvm":
            self._write(compilation.translate().encode())
        else:
            assert stage in MODULE_STAGES
            self._write_module(compilation.end_at(stage))
        self._write_diagnostics(compilation)

    def _draw_schedule(self, compilation: Compilation) -> str:
        """Timelines of all kernels: a picture if the output is called one, else text."""
        from tileiras_xdsl.inspection.visual.timeline import Timeline, module_timelines

        drawn: list[Timeline] = []
        inner, options = compilation.after_pass, compilation.options
        steps = select_steps(options.opt, arch=options.arch, to="tileas")
        decision = find_last_decision(steps)

        def watch(step: PipelinePass | None, module: ModuleOp) -> None:
            if inner is not None:
                inner(step, module)
            if step is not None and step is decision:
                drawn.extend(module_timelines(module))

        compilation.after_pass = watch
        compilation.end_at("tileas")
        if not drawn:
            raise UsageError("the program has no kernel that is yet to be scheduled")
        if self.output.endswith(".svg"):
            if len(drawn) != 1:
                raise UsageError(f"a picture shows one kernel, and there are {len(drawn)}")
            return drawn[0].to_svg()
        return "\n\n".join(map(str, drawn)) + "\n"

    def _print_module(self, step: PipelinePass | None, module: ModuleOp) -> None:
        name = "read" if step is None else step.name
        if self.print_ir_after_all or name in self.print_ir_after:
            print(f"// -----// IR Dump After {name} //----- //", file=sys.stderr)
            text = print_module(module, self.print_form)
            print(f"{wrap_for(sys.stderr, text)}\n", file=sys.stderr)

    def _write(self, data: bytes, record: bytes | None = None) -> None:
        if self.output == "-" and self.emit in BINARY and sys.stdout.isatty():
            what = "a cubin" if self.emit == "cubin" else "object code"
            raise UsageError(f"{what} is not written to a terminal, give -o FILE")
        if self.cpu_slot is not None:
            self.cpu_slot.release()
        write_output(self.output, data, {} if record is None else {".json": record})


def parse_arguments(
    arguments: Sequence[str], *, owns_process: bool, cpu_slot: CpuSlot | None = None
) -> Command | None:
    """The command, `None` if all that was asked for has been done."""
    stands_in = owns_process and Path(sys.argv[0]).stem == STAND_IN
    parser = make_parser()
    initial = Command(cpu_slot=cpu_slot)
    given = parser.parse_args(parser.normalize(arguments), initial)
    if given.version:
        print(version_text())
        return None
    if given.list_versions:
        from tileiras_xdsl.frontend.bytecode.primitives import VERSIONS, format_version

        print("\n".join(map(format_version, VERSIONS)))
        return None
    if given.server is not None:
        from tileiras_xdsl.driver.service import control

        if given.server == "start":
            print(control.start())
        else:
            said = control.status() if given.server == "status" else control.stop()
            print(f"{PROGRAM}: {said}")
        return None
    if given.cache is not None:
        print(_manage_cache(given.cache))
        return None
    if given.install_as_tileiras is not None:
        print(install_as_tileiras(Path(given.install_as_tileiras)))
        return None
    if given.install_as_toolkit is not None:
        print(install_as_toolkit(Path(given.install_as_toolkit)))
        return None
    _check_level(given)
    _check_target(given)
    if given.insert and (given.print_pipeline or given.batch is not None or given.replay):
        raise UsageError("--insert is for compiling one program")
    if given.print_pipeline:
        if given.target is not None:
            from tileiras_xdsl.backend.host import host
            from tileiras_xdsl.driver.compiler.cpu import step_spec

            target = CPUS.get(given.target) or host()
            print(",".join(step_spec(step, target) for step in _steps(given)))
            return None
        from tileiras_xdsl.driver.compiler.options import OptionError, Options

        try:
            arch = Options(given.gpu_name or "sm_90").arch
        except OptionError as error:
            raise UsageError(str(error)) from None
        stage = given.emit if given.emit in STAGES else "tileas"
        print(pipeline_spec(arch, int(given.opt_level), to=stage, abi=given.abi))
        return None
    _check_command(given)
    wanted: dict[RemarkKind, set[str]] = {}
    for option, kinds in REMARK_KINDS.items():
        category: str = getattr(given, option.replace("-", "_"))
        for kind in kinds if category != "none" else ():
            wanted.setdefault(kind, set()).add(category)
    to_file = given.remark_format == "yaml"
    given.remarks_to = (given.remarks_output_file if to_file else "-") if wanted else None
    given.wanted_remarks = wanted
    given.stands_in = stands_in
    given.no_launch_record |= stands_in
    return given


def _check_level(given: Command) -> None:
    given.opt_level = given.opt_level.removeprefix("=")
    if given.opt_level not in ("0", "1", "2", "3"):
        raise RefusedError(f"invalid optimization level '{given.opt_level}' (expected 0 to 3)")


def _check_target(given: Command) -> None:
    """Refuses options of GPUs for a CPU, and chooses what is written if nothing is said."""
    is_cpu = given.target is not None
    forms = CPU_FORMS if is_cpu else GPU_FORMS
    given.emit = given.emit or ("object" if is_cpu else "cubin")
    if given.emit not in forms:
        where = "a CPU" if is_cpu else "GPUs"
        raise UsageError(
            f"--emit={given.emit} is not for {where} (expected one of {', '.join(forms)})"
        )
    if is_cpu:
        _refuse_all_but(BOTH, given, "a CPU")


def _refuse_all_but(names: Collection[str], given: Command, where: str) -> None:
    """Refuses all other options that are not as they are by default."""
    parser = make_parser()
    for name, value in vars(given).items():
        if name not in names and value != parser.get_default(name):
            raise UsageError(f"--{name.replace('_', '-')} is not for {where}")


def _steps(given: Command) -> Sequence[PipelinePass]:
    """The passes that may be run."""
    if given.target is None:
        return PIPELINE
    return cpu_steps(given.emit if given.emit in CPU_STAGES else CPU_STAGES[-1])


def refuse_preview(features: Sequence[str]) -> None:
    """Refuses preview features: there are none."""
    if features:
        raise UsageError(f"the preview feature '{features[0]}' is not supported")


def _check_command(given: Command) -> None:
    """Refuses options that do not go together, or name what there is not."""
    if given.batch is not None:
        _check_batch(given)
    elif given.jobs is not None or given.timeout is not None:
        raise UsageError("--jobs and --timeout are for --batch")
    elif given.replay is not None:
        if given.input is not None or given.output_file is not None:  # pyright: ignore[reportUnnecessaryComparison]
            raise UsageError("--replay names the input, and writes nothing")
    elif given.input is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise UsageError("no input file provided")
    if given.export is not None:
        _check_export(given)
    refuse_preview(given.preview)
    if given.sanitize is not None:
        raise UsageError(
            f"--sanitize={given.sanitize} is not supported: no checks are put into the code, "
            "but --validate finds accesses out of bounds on the CPU"
        )
    if given.libraries:
        raise UsageError("libraries of tiles (-l) cannot be linked")
    given.print_ir_after = [name for names in given.print_ir_after for name in names.split(",")]
    passes = {"read", *(step.name for step in _steps(given))}
    if given.insert:
        from tileiras_xdsl.driver.compiler.pass_plan import as_list, join_insertions

        for texts in join_insertions(given.insert).values():
            passes |= {str(each).partition("{")[0] for each in as_list(texts)}
    if unknown := sorted(set(given.print_ir_after) - passes):
        raise UsageError(f"there is no pass '{unknown[0]}' in the pipeline")


def compiles(arguments: Sequence[str]) -> bool:
    """
    Whether a command line compiles something; false if it has a mistake or names a file that cannot
    be read, which is reported by whoever runs it. Prints help, and ends the process, if that is
    asked for.
    """
    parser = make_parser()
    try:
        given = parser.parse_args(parser.normalize(arguments), Command())
        if given.version or given.list_versions or given.print_pipeline:
            return False
        _check_level(given)
        _check_target(given)
        _check_command(given)
    except UsageError:
        return False
    file = given.batch or given.replay or given.input
    if file != "-" and (os.path.isdir(file) or not os.access(file, os.R_OK)):
        return False
    if not (given.batch or given.replay or given.export or given.target):
        from tileiras_xdsl.driver.compiler.options import OptionError

        try:
            given.make_options()
        except OptionError:
            return False
    return True


def _manage_cache(words: Sequence[str]) -> str:
    """Does what `--cache` asks for, and returns what is to be said about it."""
    from tileiras_xdsl.driver.compiler import cache as disk

    match words:
        case ["info"]:
            return disk.describe()
        case ["clear"]:
            return f"{disk.clear()} files removed from {disk.folder()}"
        case ["limit", size]:
            try:
                disk.set_limit(size)
            except ValueError as error:
                raise UsageError(str(error)) from None
            except OSError as error:
                raise UsageError(f"unable to write '{error.filename}': {error.strerror}") from None
            return disk.describe()
        case _:
            raise UsageError(
                f"--cache is followed by info, clear or limit SIZE, not '{' '.join(words)}'"
            )


def _check_batch(given: Command) -> None:
    """Refuses options that are about one program, and numbers that make no sense."""
    if given.input is not None or given.output_file is not None:  # pyright: ignore[reportUnnecessaryComparison]
        raise UsageError("--batch names inputs and outputs, so give no other")
    if given.emit != "cubin":
        raise UsageError("--batch writes cubins, so give no --emit")
    if given.validate is not None:
        raise UsageError("--batch validates nothing, so give no --validate")
    if given.jobs is not None and given.jobs < 1:
        raise UsageError(f"invalid number of jobs {given.jobs}")
    if given.timeout is not None and not given.timeout > 0:
        raise UsageError(f"invalid timeout {given.timeout:g}")


def _check_export(given: Command) -> None:
    """Refuses options of what is not written, and an export for no GPU."""
    _refuse_all_but(EXPORTED, given, "--export")
    if given.emit != "cubin":
        raise UsageError("--export writes a launcher with a fat binary, so give no --emit")
    if not given.gpu_name:
        raise UsageError("say what to export for: --gpu-name=sm_90,sm_100")


def version_text(program: str = PROGRAM) -> str:
    """
    What `--version` prints. cuTile makes it part of the keys of its cache, so it changes whenever
    the compiler does. cuTile.jl looks for the release that the last line names.
    """
    import tileiras_xdsl
    from tileiras_xdsl.driver.compiler.cache import fingerprint

    return (
        f"{program}: an open Tile IR compiler on xDSL\n"
        f"release {tileiras_xdsl.__version__}\n"
        f"Build {fingerprint()[:16]}\n"
        f"compatible with release {NEWEST_BYTECODE}, V{NEWEST_BYTECODE}.0"
    )


def install_as_tileiras(folder: Path) -> Path:
    """
    Writes a command `tileiras` that is this compiler, run by this Python, and `tileirdisasm` beside
    it; returns the path of the first.
    """
    disassembler = f"tileiras_xdsl.driver.tools.{DISASSEMBLER}"
    _install(folder / DISASSEMBLER, disassembler, "sys.exit(main())")
    # Without `site`, which is a third of Python's start; `client.run_here` makes up for it.
    return _install(folder / STAND_IN, CLIENT, "main()", " -S")


def install_as_toolkit(folder: Path) -> Path:
    """
    Makes a folder a CUDA toolkit: links to the files of the one that ptxas belongs to, but its
    `tileiras` is this compiler. nvcc runs the one beside it. Returns the path of nvcc.
    """
    from tileiras_xdsl.backend.ptxas import Ptxas

    toolkit = Ptxas.find().path.resolve().parents[1]
    programs = toolkit / "bin"
    # nvcc reads its profile from the folder that it is in; a script that starts it has none.
    if not ((programs / "nvcc").exists() and (programs / "nvcc.profile").exists()):
        raise UsageError(f"there is no nvcc with an nvcc.profile in '{programs}'")
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    for source in (*toolkit.iterdir(), *programs.iterdir()):
        if source == programs or source.name in (STAND_IN, DISASSEMBLER):
            continue
        link = folder / source.relative_to(toolkit)
        if link.is_symlink():
            link.unlink()
        elif link.exists():
            raise UsageError(f"{link} is something else already")
        link.symlink_to(source)
    install_as_tileiras(folder / "bin")
    return folder / "bin" / "nvcc"


def _install(path: Path, module: str, call: str, flag: str = "") -> Path:
    """Writes a command that runs a function of a module, after a flag for Python."""
    from tileiras_xdsl.driver.tools.command import write_file

    parent = str(Path(__file__).parents[3])
    code = f"import sys; sys.path.append({parent!r})\nfrom {module} import main; {call}"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and PACKAGE not in path.read_bytes():
        raise UsageError(f"{path} is something else already")
    # The kernel reads one line only, and not all of it if it is long or has blanks.
    if len(sys.executable) < 120 and not any(map(str.isspace, sys.executable)):
        script = f"#!{sys.executable}{flag}\n{code}\n"
    else:
        quoted = sys.executable.replace("'", "'\\''")
        script = f"#!/bin/sh\n'''exec' '{quoted}'{flag} \"$0\" \"$@\"\n' '''\n{code}\n"
    write_file(str(path), script.encode())
    path.chmod(0o755)
    return path


def print_times(compilation: Compilation, start: float, before: float) -> None:
    """Where the time went, on standard error; imports count apart from what they are for."""
    total = time.perf_counter() - start
    rows = [("start of Python", "", before)]
    rows += [(each.name, each.stage, each.seconds) for each in compilation.times]
    known = sum(each.seconds for each in compilation.times)
    rows += [("other", "", max(0.0, total - known)), ("total", "", total + before)]
    for name, stage, seconds in rows:
        print(f"{seconds * 1e3:9.1f} ms  {stage:10}{name}", file=sys.stderr)


def report(error: BaseException, command: Command | None) -> str:
    """The one line that is printed for an error."""
    from tileiras_xdsl.xdsl_extras.diagnostics import make_error_report

    compilation = None if command is None else command.compilation
    made = make_error_report(
        error,
        tool=PROGRAM,
        input_name=PROGRAM if command is None else command.input_name,
        context="" if compilation is None else compilation.activity,
        root=None if compilation is None else compilation.module,
    )
    if compilation is not None:
        from dataclasses import replace

        from tileiras_xdsl.driver.compiler.reproducer import report_inside

        made = replace(made, reproducer=report_inside(compilation, error))
    stands_in = Path(sys.argv[0]).stem == STAND_IN
    return made.for_cutile() if stands_in else name_input(made, error)


def exit_code(error: BaseException) -> int:
    """
    The exit code for an error: 1, but in the stand-in that of `tileiras`, which is 1 for a mistake
    on the command line or a file that cannot be read, 2 for what is refused or cannot be written,
    3 for input that is no Tile IR, and 5 for a program that cannot be compiled.
    """
    if Path(sys.argv[0]).stem != STAND_IN:
        return 1
    from xdsl.utils.exceptions import ParseError

    from tileiras_xdsl.driver.compiler.options import OptionError
    from tileiras_xdsl.frontend.bytecode.primitives import BytecodeError
    from tileiras_xdsl.frontend.load import InputError

    match error:
        case RefusedError() | OptionError():
            return 2
        case UsageError() | OSError():
            return 1
        case InputError() if isinstance(error.__context__, OSError):
            return 1
        case InputError() | BytecodeError() | ParseError():
            return 3
        case _:
            return 5


def main(
    arguments: Sequence[str] | None = None,
    *,
    owns_process: bool = False,
    cpu_slot: CpuSlot | None = None,
) -> int:
    """Runs the command line `arguments`, by default that of the process."""
    given = sys.argv[1:] if arguments is None else arguments
    start, before = time.perf_counter(), time.process_time()
    command: Command | None = None

    def run() -> int:
        nonlocal command
        command = parse_arguments(given, owns_process=owns_process, cpu_slot=cpu_slot)
        if command is None:
            return 0
        code = command.run()
        if command.time_passes and command.compilation is not None:
            print_times(command.compilation, start, before)
        return code

    return run_command(PROGRAM, run, lambda error: report(error, command), exit_code)


def finish() -> None:
    """Writes what is left to be written, and ends what was started, by a process that is to end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # pyright: ignore[reportUnnecessaryComparison]
                stream.flush()
        except (OSError, ValueError):
            # Whoever was to read it is gone.
            continue
    if (worker := sys.modules.get("tileiras_xdsl.backend.worker")) is not None:
        worker.POOL.kill()
    _abandon_runs()


def _abandon_runs() -> None:
    """Removes the files of ptxas."""
    if (ptxas := sys.modules.get("tileiras_xdsl.backend.ptxas")) is not None:
        ptxas.abandon_runs()


def clean_up_when_terminated() -> None:
    """Makes SIGTERM remove the files of ptxas before it ends the process."""
    import signal

    def end(number: int, _: object) -> None:
        _abandon_runs()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    # Who starts a command may have it ignore the signal.
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end)


def run_as_command() -> NoReturn:
    """Runs the command line of the process and ends it, without taking all modules apart."""
    import gc

    # The process ends before there would be enough garbage to be worth the search.
    gc.disable()
    clean_up_when_terminated()
    code = main(owns_process=True)
    finish()
    os._exit(code)


if __name__ == "__main__":
    run_as_command()
