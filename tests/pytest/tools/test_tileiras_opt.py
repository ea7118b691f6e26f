"""The command line of `tileiras-opt`, in this process where that shows the same."""

import io
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import IO, TypeVar

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.arith import AddiOp
from xdsl.dialects.builtin import FileLineColLoc, FusedLoc, IntAttr, ModuleOp, NameLoc, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.printer import Printer
from xdsl.utils.exceptions import (
    DiagnosticException,
    PassFailedException,
    ShrinkException,
)
from xdsl.utils.target import Target

import tileiras_xdsl
from tileiras_xdsl import universe
from tileiras_xdsl.driver.tools import tileiras_opt
from tileiras_xdsl.driver.tools.command import write_file
from tileiras_xdsl.driver.tools.tileiras_opt import TileirasOptMain, main
from tileiras_xdsl.frontend.load import parse_bytes
from tileiras_xdsl.xdsl_extras import deep_stack
from tileiras_xdsl.xdsl_extras.diagnostics import MAX_LENGTH, fold, source_location

from ..harness.commands import OPT, Directory, Result, Run, python

GOOD = """\
func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  func.return %b : i32
}
"""
GOOD_OUTPUT = """\
builtin.module {
  func.func @f(%a: i32) -> i32 {
    %b = arith.addi %a, %a : i32
    func.return %b : i32
  }
}

"""
CHAIN = """\
func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  %c = arith.addi %a, %b : i32
  func.return %c : i32
}
"""
KERNEL_IN_PYTHON = """\
import cuda.tile as ct

@ct.kernel
def scale(x):
    pass
"""
UNPARSABLE = """\
func.func @f(%a: i32) {
  func.return %a i32
}
"""
UNVERIFIABLE = """\
func.func @f(%a: i32) {
  %b = "arith.addi"(%a, %a) : (i32, i32) -> i64
  func.return
}
"""


T = TypeVar("T")


@pytest.fixture
def run(directory: Directory) -> Run:
    """Runs the tool with the given text as the file `in.mlir`."""

    def run(text: str, *args: str) -> Result:
        (directory.path / "in.mlir").write_text(text)
        return directory.run(main, ["in.mlir", *args])

    return run


def assert_fails(result: Result, message: str) -> None:
    """Exactly `message` on standard error, nothing on standard output, exit code 1."""
    assert result.err == f"{message}\n"
    assert result.out == ""
    assert result.code == 1


# Passes and targets for the tests


class RejectAddi(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if isinstance(op, AddiOp):
            raise PassFailedException("additions are\n  not wanted")


class RejectAddiPass(ModulePass):
    name = "reject-addi"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(RejectAddi()).rewrite_module(op)


class RejectModulePass(ModulePass):
    name = "reject-module"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise DiagnosticException("no such luck")


class CrashPass(ModulePass):
    name = "crash"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise KeyError("some\nkey")


class CrashOnAddi(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if isinstance(op, AddiOp):
            raise TypeError("broken")


class CrashOnAddiPass(ModulePass):
    name = "crash-on-addi"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(CrashOnAddi()).rewrite_module(op)


class SwapOpsPass(ModulePass):
    """Moves the definition of a value behind its use."""

    name = "swap-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        first, second = (inner for inner in op.walk() if isinstance(inner, AddiOp))
        block = second.parent
        assert block is not None
        first.detach()
        block.insert_op_after(first, second)


class NestPass(ModulePass):
    """Recurses without end."""

    name = "recurse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.apply(ctx, op)


class ShrinkPass(ModulePass):
    name = "shrink"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise ShrinkException


class BytesTarget(Target):
    name = "bytes"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        raise NotImplementedError

    def emit_bytes(self, ctx: Context, module: ModuleOp) -> bytes:
        return b"\x00\xff\r\n" + str(len(list(module.walk()))).encode()


class FailingBytesTarget(Target):
    name = "failing-bytes"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write("half of it")
        raise DiagnosticException("no output today")


PASSES: tuple[type[ModulePass], ...] = (
    CrashOnAddiPass,
    CrashPass,
    NestPass,
    RejectAddiPass,
    RejectModulePass,
    ShrinkPass,
    SwapOpsPass,
)
TARGETS: tuple[type[Target], ...] = (BytesTarget, FailingBytesTarget)


def constant(value: T) -> Callable[[], T]:
    return lambda: value


@pytest.fixture(autouse=True)
def _extensions(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    register_all_passes = TileirasOptMain.register_all_passes
    register_all_targets = TileirasOptMain.register_all_targets

    def register_passes(self: TileirasOptMain) -> None:
        register_all_passes(self)
        for pass_type in PASSES:
            self.register_pass(pass_type.name, constant(pass_type))

    def register_targets(self: TileirasOptMain) -> None:
        register_all_targets(self)
        for target_type in TARGETS:
            self.available_targets[target_type.name] = constant(target_type)

    monkeypatch.setattr(TileirasOptMain, "register_all_passes", register_passes)
    monkeypatch.setattr(TileirasOptMain, "register_all_targets", register_targets)


# Success


def test_prints_the_module(run: Run):
    assert run(GOOD) == Result(0, GOOD_OUTPUT, "")


def test_runs_passes(run: Run):
    result = run(GOOD, "-p", "canonicalize,cse,dce")
    assert result == Result(0, GOOD_OUTPUT, "")


def test_generic_format_and_debug_info(run: Run):
    result = run(GOOD, "--print-op-generic", "--print-debuginfo")
    assert result.code == 0
    assert '"arith.addi"(%a, %a)' in result.out
    assert 'loc("in.mlir":2:8)' in result.out


def test_print_between_passes(run: Run):
    result = run(GOOD, "-p", "cse,dce", "--print-between-passes", "--time-passes")
    assert result.code == 0
    assert "IR after cse:\nbuiltin.module {\n" in result.out
    assert len(re.findall(r"^Pass (cse|dce) took \S+ seconds$", result.out, re.M)) == 2
    assert result.out.endswith(GOOD_OUTPUT)


def test_no_implicit_module(run: Run):
    assert run(GOOD_OUTPUT, "--no-implicit-module").code == 0
    assert_fails(
        run(GOOD, "--no-implicit-module"),
        "in.mlir:1:1: error: builtin.module operation expected",
    )


def test_unregistered_dialects(run: Run):
    result = run('"my.op"() : () -> ()', "--allow-unregistered-dialect")
    assert result.code == 0
    assert '"my.op"() : () -> ()' in result.out


def test_version(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as info:
        main(["--version"])
    assert info.value.code == 0
    out = capsys.readouterr().out
    assert re.fullmatch(r"tileiras-opt \S+ on xDSL 0\.74\.\d+\n", out)
    assert tileiras_xdsl.__version__ in out


def test_help(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as info:
        main(["--help"])
    assert info.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: tileiras-opt ")
    assert "cuda-tile-public" in re.sub(r"\s", "", out)


# Input


def run_on_stdin(data: bytes, monkeypatch: pytest.MonkeyPatch, *args: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    return main(args)


@pytest.mark.parametrize("args", [(), ("-",)])
def test_standard_input(
    args: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    assert run_on_stdin(GOOD.encode(), monkeypatch, *args) == 0
    assert capsys.readouterr().out == GOOD_OUTPUT


def test_standard_input_is_named_in_errors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert run_on_stdin(UNPARSABLE.encode(), monkeypatch) == 1
    assert capsys.readouterr().err.startswith("<stdin>:2:18: error: ")


@pytest.mark.parametrize("name", ["kernel", "kernel.tileirbc", "kernel.py", "kernel.mlir.bak"])
def test_the_name_of_the_input_does_not_matter(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / name
    path.write_text(GOOD)
    assert main([str(path)]) == 0
    assert main([str(path), "-f", "mlir"]) == 0
    assert capsys.readouterr().out == GOOD_OUTPUT * 2


def test_missing_file(run: Run, capsys: pytest.CaptureFixture[str]):
    assert main(["no/such/file.mlir"]) == 1
    assert capsys.readouterr().err == (
        "no/such/file.mlir: error: unable to read input file 'no/such/file.mlir': "
        "No such file or directory\n"
    )


def test_directory_as_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith(f"{tmp_path}: error: ")
    assert captured.err.count("\n") == 1


def test_undecodable_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "in.mlir"
    path.write_bytes(GOOD.encode() + b'"\xff"')
    assert main([str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.err == f"{path}:5:2: error: input is not UTF-8 text\n"
    assert captured.out == ""


def test_empty_input(run: Run):
    assert_fails(run(""), "in.mlir: error: input buffer is null: it is empty")


@pytest.mark.parametrize("name", ["mine.py", "mine.py:scale"])
def test_python_is_no_input(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(KERNEL_IN_PYTHON)
    assert main([name]) == 1
    kernel = name if ":" in name else f"{name}:KERNEL"
    assert capsys.readouterr().err == (
        f"{name}: error: '{name}' is Python, and Tile IR is expected: use 'tileiras-explore "
        f"{kernel} --args …', or tileiras_xdsl.compile(KERNEL, …) in Python\n"
    )


def test_parse_bytes_is_an_api():
    ctx = Context()
    ctx.load_dialect(test.Test)
    module = parse_bytes(ctx, b'\n  "test.op"() : () -> ()', "name")
    op = module.body.block.first_op
    assert op is not None
    assert str(op.location) == 'loc("name":2:3)'


# Command line mistakes


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-p", "canonicalise"], "unknown pass 'canonicalise', did you mean 'canonicalize'?"),
        (["-p", "cse,qqqqqqqqqqqqq"], "unknown pass 'qqqqqqqqqqqqq'"),
        (
            ["-p", "cse{max-depth=3}"],
            "pass 'cse': Provided arguments [\"max_depth\"] not found in expected arguments []",
        ),
        (
            ["-p", "cse{max-depth"],
            "malformed pass or target specification: "
            "Expected equals, space or end of arguments here (column 14)",
        ),
        (
            ["-p", "cse}"],
            "malformed pass or target specification: "
            "Expected a comma or pass arguments here (column 4)",
        ),
        (["-t", "mlir{colour=red}"], "target 'mlir': Provided arguments [\"colour\"] not found"),
        (["-t", "{"], "malformed pass or target specification: Expected pass name here (column 1)"),
        (["-t", "nonsense"], "argument -t/--target: invalid choice: 'nonsense' (choose from "),
        (["-f", "nonsense"], "argument -f/--frontend: invalid choice: 'nonsense'"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["other.mlir"], "unrecognized arguments: other.mlir"),
        (["-p"], "argument -p/--passes: expected one argument"),
    ],
)
def test_usage_errors(args: list[str], message: str, run: Run):
    result = run(GOOD, *args)
    assert result.err.startswith(f"tileiras-opt: error: {message}")
    assert result.err.count("\n") == 1
    assert result.out == ""
    assert result.code == 1


# Diagnostics


def test_parse_error(run: Run):
    result = run(UNPARSABLE)
    assert result.err.startswith("in.mlir:2:18: error: ")
    assert result.err.count("\n") == 1
    assert (result.out, result.code) == ("", 1)


def test_verify_error_has_the_place_of_the_op(run: Run):
    assert_fails(
        run(UNVERIFIABLE),
        "in.mlir:2:8: error: 'arith.addi' op result 'result' at position 0 does not verify: "
        "attribute i32 expected from variable 'T', but got i64",
    )


def test_verify_error_in_a_nested_op(run: Run):
    text = """
    "test.op"() ({
      "test.op"() ({
        %0 = "test.op"() : () -> i32
        %1 = "arith.addi"(%0, %0) : (i32, i32) -> i64
        "test.termop"() : () -> ()
      }) : () -> ()
      "test.termop"() : () -> ()
    }) : () -> ()
    """
    assert run(text).err.startswith("in.mlir:5:14: error: 'arith.addi' op ")


def test_verify_error_of_the_block_structure(run: Run):
    assert_fails(
        run('\n "test.op"() ({\n   "test.op"() : () -> ()\n }) : () -> ()'),
        "in.mlir:3:4: error: Operation test.op terminates block in single-block region "
        "but is not a terminator",
    )


def test_verify_error_of_an_empty_block(run: Run):
    assert_fails(
        run('\n "test.op"() ({\n ^bb0(%a: i32):\n }) : () -> ()'),
        "in.mlir:2:2: error: Operation test.op contains empty block in single-block region "
        "that expects at least a terminator",
    )


def test_verify_error_uses_the_location_in_the_text(run: Run):
    text = '%0, %1 = "test.op"() : () -> (i32, i64)\n'
    text += '"arith.addi"(%0, %0) : (i32, i32) -> i64 loc(fused["model.py":7:9, unknown])'
    assert run(text).err.startswith("model.py:7:9: error: 'arith.addi' op ")


def test_verify_error_without_a_location_takes_that_of_the_op_around(run: Run):
    text = '"test.op"() ({\n  "test.op"() : () -> () loc(unknown)\n}) : () -> ()'
    assert run(text).err.startswith("in.mlir:1:1: error: Operation test.op terminates block")


def test_unregistered_op_is_named(run: Run):
    text = '"test.op"() ({ "my.op"(%x) : (i32) -> ()\n %x = "my.def"() : () -> i32\n'
    text += '"test.termop"() : () -> () }) : () -> ()'
    assert_fails(
        run(text, "--allow-unregistered-dialect"),
        "in.mlir:1:16: error: 'my.op' op operand #0 does not dominate this use",
    )


def test_dominance_is_verified(run: Run):
    text = """\
func.func @f(%a: i32) {
  %b = arith.addi %a, %c : i32
  %c = arith.addi %a, %a : i32
  func.return
}
"""
    assert_fails(
        run(text),
        "in.mlir:2:8: error: 'arith.addi' op operand #1 does not dominate this use",
    )
    assert run(text, "--disable-verify").code == 0


def test_attributes_are_verified_again_after_disable_verify(run: Run):
    text = "cuda_tile.module @m { entry @k(%a: tile<3xf32>) { return } }"
    assert run(text, "--disable-verify").code == 0
    assert_fails(
        run(text),
        "in.mlir:1:36: error: tile dimensions must be powers of two "
        "(all dimensions must be powers of two, got 3)",
    )


def test_dominance_is_verified_after_passes(run: Run):
    assert_fails(
        run(CHAIN, "-p", "swap-ops"),
        "in.mlir:3:8: error: 'arith.addi' op operand #1 does not dominate this use "
        "[after pass 'swap-ops']",
    )


def test_pass_failure_in_a_pattern(run: Run):
    assert_fails(
        run(GOOD, "-p", "cse,reject-addi"),
        "in.mlir:2:8: error: 'arith.addi' op additions are not wanted [in pass 'reject-addi']",
    )


def test_pass_failure_without_an_op(run: Run):
    assert_fails(
        run(GOOD, "-p", "reject-module"), "in.mlir: error: no such luck [in pass 'reject-module']"
    )


def test_unexpected_exception(run: Run):
    assert_fails(
        run(GOOD, "-p", "crash"),
        "in.mlir: internal error: KeyError: 'some\\nkey' [in pass 'crash'] "
        "(set TILEIRAS_DEBUG=1 for the traceback)",
    )


def test_unexpected_exception_in_a_pattern(run: Run):
    assert_fails(
        run(GOOD, "-p", "crash-on-addi"),
        "in.mlir:2:8: internal error: 'arith.addi' op TypeError: broken "
        "[in pass 'crash-on-addi'] (set TILEIRAS_DEBUG=1 for the traceback)",
    )


def test_traceback_on_demand(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TILEIRAS_DEBUG", "1")
    result = run(GOOD, "-p", "crash")
    assert result.err.startswith("Traceback (most recent call last):\n")
    assert result.err.splitlines()[-1].startswith("in.mlir: internal error: KeyError")
    assert result.code == 1


def test_failure_of_the_printer_does_not_hide_the_error(run: Run, monkeypatch: pytest.MonkeyPatch):
    """xDSL prints the module to report an error in it."""

    def fail(printer: Printer, op: Operation) -> None:
        raise AttributeError("cannot print")

    monkeypatch.setattr(Printer, "print_op", fail)
    assert run(UNVERIFIABLE).err.startswith("in.mlir:2:8: error: 'arith.addi' op result 'result'")


def test_long_messages_are_cut():
    assert fold("a\n  b\n\nc") == "a b c"
    assert len(fold("x" * 10 * MAX_LENGTH)) < MAX_LENGTH + 10


def test_source_location_of_composed_locations():
    place = FileLineColLoc(StringAttr("f"), IntAttr(1), IntAttr(2))
    op = test.TestOp()
    assert source_location(op) is None
    op.location = FusedLoc((NameLoc(StringAttr("n"), place),), StringAttr("metadata"))
    assert source_location(op) == place


# Deep input


def nested(depth: int) -> str:
    opening = '"test.termop"() ({\n' * depth
    return f'{opening}"test.termop"() : () -> ()\n' + "}) : () -> ()\n" * depth


@pytest.mark.part("processes")
def test_deep_nesting_works(run: Run):
    result = run(nested(1_000), "-p", "cse,dce")
    assert result.code == 0
    assert result.out.count("test.termop") == 1_001


def test_too_deep_nesting_of_regions(run: Run):
    result = run(nested(10_000))
    assert re.fullmatch(r"in\.mlir:\d+:\d+: error: nesting is too deep\n", result.err)
    assert result.code == 1


def test_too_deep_nesting_of_attributes(run: Run):
    result = run(f'"test.op"() {{a = {"[" * 10_000}{"]" * 10_000}}} : () -> ()')
    assert re.fullmatch(r"in\.mlir:1:\d+: error: nesting is too deep\n", result.err)
    assert result.code == 1


def test_too_deep_recursion_in_a_pass_names_the_deepest_op(run: Run):
    assert_fails(
        run(GOOD, "-p", "recurse"),
        "in.mlir:3:3: error: 'func.return' op nesting is too deep [in pass 'recurse']",
    )


def test_recursion_limit_is_restored():
    limit = sys.getrecursionlimit()
    assert deep_stack.call_with_deep_stack(sys.getrecursionlimit) >= deep_stack.RECURSION_LIMIT
    assert sys.getrecursionlimit() == limit


def test_deep_stack_passes_exceptions_on():
    def fail() -> None:
        raise ValueError("from inside")

    with pytest.raises(ValueError, match="from inside"):
        deep_stack.call_with_deep_stack(fail)


# Diagnostics on demand


def test_parsing_diagnostics(run: Run):
    result = run(UNPARSABLE, "--parsing-diagnostics")
    assert result.code == 0
    assert result.out.startswith("in.mlir:2:18\n  func.return %a i32\n")
    assert result.err == ""


def test_verify_diagnostics(run: Run):
    result = run(UNVERIFIABLE, "--verify-diagnostics")
    assert result.code == 0
    assert result.out.startswith("result 'result' at position 0 does not verify:\n")
    assert "| Operation does not verify: " in result.out
    assert result.err == ""


def test_verify_diagnostics_of_dominance(run: Run):
    text = '"test.op"() ({ "test.op"(%x) : (i32) -> ()\n'
    text += '%x = "test.op"() : () -> i32 "test.termop"() : () -> () }) : () -> ()'
    result = run(text, "--verify-diagnostics")
    assert result.code == 0
    assert result.out.startswith("operand #0 does not dominate this use\n")


def test_verify_diagnostics_of_a_pass(run: Run):
    result = run(GOOD, "--verify-diagnostics", "-p", "reject-addi")
    assert result.code == 0
    assert result.out.startswith("additions are\n  not wanted\n")


def test_verify_diagnostics_do_not_hide_crashes(run: Run):
    assert run(GOOD, "--verify-diagnostics", "-p", "crash").code == 1
    assert run(UNPARSABLE, "--verify-diagnostics").code == 1
    assert run(UNVERIFIABLE, "--parsing-diagnostics").code == 1


# Several modules in a file


def test_split_input_file(run: Run):
    result = run(f"{GOOD}// -----\n{GOOD}", "--split-input-file")
    assert result == Result(0, f"{GOOD_OUTPUT}// -----\n{GOOD_OUTPUT}", "")


def test_lines_of_later_chunks_are_those_of_the_file(run: Run):
    separator = "// -----\n"
    result = run(f"{GOOD}{separator}{UNPARSABLE}", "--split-input-file")
    assert result.err.startswith("in.mlir:7:18: error: ")
    result = run(f"{GOOD}{separator}{GOOD}{separator}{UNVERIFIABLE}", "--split-input-file")
    assert result.err.startswith("in.mlir:12:8: error: 'arith.addi' op ")
    result = run(f"{GOOD}{separator}{GOOD}", "--split-input-file", "--print-debuginfo")
    assert 'loc("in.mlir":7:8)' in result.out


def test_nothing_is_written_if_a_later_chunk_fails(run: Run):
    result = run(f"{GOOD}// -----\n{UNVERIFIABLE}", "--split-input-file")
    assert (result.code, result.out) == (1, "")


def test_diagnostics_stay_in_order(run: Run):
    result = run(
        f"{UNPARSABLE}// -----\n{GOOD}// -----\n{UNVERIFIABLE}",
        *("--split-input-file", "--parsing-diagnostics", "--verify-diagnostics"),
    )
    assert result.code == 0
    first, second, third = result.out.split("// -----\n")
    assert first.startswith("in.mlir:2:18\n")
    assert second == GOOD_OUTPUT
    assert third.startswith("result 'result'")


# Output files


def test_output_file(run: Run):
    assert run(GOOD, "-o", "out.mlir") == Result(0, "", "")
    assert Path("out.mlir").read_bytes() == GOOD_OUTPUT.encode()
    assert sorted(os.listdir()) == ["in.mlir", "out.mlir"]


def test_dash_as_output_is_standard_output(run: Run):
    assert run(GOOD, "-o", "-") == Result(0, GOOD_OUTPUT, "")
    assert os.listdir() == ["in.mlir"]


@pytest.mark.parametrize(
    ("text", "args"),
    [
        (UNPARSABLE, ()),
        (UNVERIFIABLE, ()),
        (GOOD, ("-p", "crash")),
        (CHAIN, ("-p", "swap-ops")),
        (GOOD, ("-t", "failing-bytes")),
        (GOOD, ("-p", "nonsense")),
        (f"{GOOD}// -----\n{UNPARSABLE}", ("--split-input-file",)),
    ],
)
def test_failure_leaves_output_files_alone(text: str, args: tuple[str, ...], run: Run):
    assert run(text, "-o", "out.mlir", *args).code == 1
    assert os.listdir() == ["in.mlir"]
    Path("out.mlir").write_text("precious")
    assert run(text, "-o", "out.mlir", *args).code == 1
    assert Path("out.mlir").read_text() == "precious"
    assert sorted(os.listdir()) == ["in.mlir", "out.mlir"]


def test_output_over_the_input(run: Run):
    assert run(GOOD, "-o", "in.mlir").code == 0
    assert Path("in.mlir").read_text() == GOOD_OUTPUT


def test_output_to_a_missing_directory(run: Run, tmp_path: Path):
    path = os.path.join(os.path.realpath(tmp_path), "missing", "out.mlir")
    assert_fails(run(GOOD, "-o", path), f"{path}: error: No such file or directory")


def test_output_to_a_directory(run: Run):
    os.mkdir("folder")
    assert run(GOOD, "-o", "folder").code == 1
    assert os.listdir("folder") == []


@pytest.mark.skipif(os.name != "posix", reason="modes and links of files are those of POSIX")
def test_output_keeps_mode_and_links(tmp_path: Path):
    path, link = tmp_path / "out", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_file(str(link), b"new")
    assert path.read_text() == "new"
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="the null device is a file on POSIX only")
def test_output_to_a_device(run: Run):
    assert run(GOOD, "-o", "/dev/null").code == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_failure_of_the_rename_removes_the_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(source: str, target: str) -> None:
        raise PermissionError(13, "not today", source)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="not today"):
        write_file(str(tmp_path / "out"), b"new")
    assert os.listdir(tmp_path) == []


# Binary targets


def test_binary_output_to_a_file(run: Run):
    assert run(GOOD, "-t", "bytes", "-o", "out.bin") == Result(0, "", "")
    assert Path("out.bin").read_bytes() == b"\x00\xff\r\n4"


def test_binary_output_to_standard_output(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
):
    path = tmp_path / "binary.mlir"
    path.write_text(GOOD)
    assert main([str(path), "-t", "bytes"]) == 0
    assert capfdbinary.readouterr().out == b"\x00\xff\r\n4"


def test_binary_output_to_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert_fails(
        run(GOOD, "-t", "bytes"),
        "tileiras-opt: error: binary output is not written to a terminal, give -o FILE",
    )
    assert run(GOOD, "-t", "bytes", "-o", "out.bin").code == 0
    assert run(GOOD).code == 0


def test_binary_output_of_several_modules(run: Run):
    assert_fails(
        run(GOOD, "-t", "bytes", "--split-input-file"),
        "tileiras-opt: error: binary output holds one module, --split-input-file makes several",
    )


# Test case reduction


def test_shrink(run: Run, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as info:
        run(GOOD, "-p", "shrink", "--shrink")
    assert info.value.code == 0
    with pytest.raises(SystemExit) as info:
        run(GOOD, "--shrink")
    assert info.value.code == 1
    assert capsys.readouterr().out == "Success, can shrink\nFailure, can't shrink\n"
    assert run(GOOD, "-p", "shrink").err.startswith("in.mlir: internal error: ShrinkException")


# As a program


def run_program(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tileiras_xdsl.driver.tools.tileiras_opt", *args]
    return subprocess.run(command, input=stdin, capture_output=True)


def test_program():
    result = run_program(stdin=GOOD.encode())
    assert result.stdout.decode() == GOOD_OUTPUT
    assert (result.returncode, result.stderr) == (0, b"")


@pytest.mark.part("processes")
def test_program_fails():
    result = run_program(stdin=UNVERIFIABLE.encode())
    assert result.stderr.startswith(b"<stdin>:2:8: error: 'arith.addi' op ")
    assert (result.returncode, result.stdout) == (1, b"")


@pytest.mark.part("processes")
def test_program_survives_deep_input():
    result = run_program(stdin=nested(10_000).encode())
    assert re.fullmatch(rb"<stdin>:\d+:\d+: error: nesting is too deep\n", result.stderr)
    assert result.returncode == 1


@pytest.mark.part("processes")
@pytest.mark.skipif(os.name != "posix", reason="needs a pipe that the reader closes")
def test_program_whose_reader_has_gone():
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "tileiras_xdsl.driver.tools.tileiras_opt"]
    result = subprocess.run(
        command, input=GOOD.encode(), stdout=write_end, stderr=subprocess.PIPE, check=False
    )
    os.close(write_end)
    assert (result.returncode, result.stderr) == (1, b"")


def test_interrupt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def interrupted(tool: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tileiras_opt.TileirasOptMain, "run", interrupted)
    assert main([]) == 130
    assert capsys.readouterr().err == "tileiras-opt: interrupted\n"


# Tile IR

DEMO = files("tileiras_xdsl.driver.demos") / "vector_add.mlir"


def entry(body: str) -> str:
    return f"entry @kernel(%a: tile<f32>, %p: tile<i1>) {{\n{body}\nreturn\n}}"


def test_demo_round_trips(run: Run):
    custom = run(DEMO.read_text())
    assert custom.code == 0
    generic = run(DEMO.read_text(), "--print-op-generic")
    assert generic.code == 0
    assert run(generic.out) == custom
    assert run(custom.out) == custom


@pytest.mark.parametrize(
    ("body", "place", "message"),
    [
        ("%0 = addf %a : tile<f32>", "2:", ""),
        ("%0 = nonsense %a : tile<f32>", "2:6", "Operation nonsense is not registered"),
        ("%0 = constant <f32: 1.0> : tile<3xf32>", "2:", ""),
        (
            '"test.op"() : () -> ()\nif %p {\n  %0 = addf %b, %a : tile<f32>\n}\n'
            "%b = absf %a : tile<f32>",
            "4:8",
            "'cuda_tile.addf' op operand #0 does not dominate this use",
        ),
        (
            "loop {\n  %0 = absf %a : tile<f32>\n  yield\n}",
            "4:3",
            "'cuda_tile.yield' op expects parent op",
        ),
    ],
)
def test_tile_ir_errors(body: str, place: str, message: str, run: Run):
    result = run(entry(body))
    assert result.err.startswith(f"in.mlir:{place}")
    assert f": error: {message}" in result.err
    assert result.err.count("\n") == 1
    assert (result.out, result.code) == ("", 1)


# What passes are, and which have nothing to do

TILES = """\
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    return
  }
}
"""


def test_help_is_short(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert len(text.splitlines()) < 80
    assert "--list-passes" in text
    assert "discharge-mem-tokens" not in text


def test_list_passes(capsys: pytest.CaptureFixture[str]):
    """Each of our passes has a line, below its level; each of a plugin, too; others their name."""
    with pytest.raises(SystemExit) as ended:
        main(["--list-passes"])
    assert ended.value.code == 0
    levels = re.split(r"^(\S.*):$", capsys.readouterr().out, flags=re.M)[1:]
    found = dict(zip(levels[::2], levels[1::2], strict=True))
    *ours, plugins, others = found
    assert ours == ["on tt", "on cuda_tile", "on nv_tileaa", "on nv_tileas", "on nvgpu"]
    lines = [line for level in ours for line in found[level].strip().splitlines()]
    assert sorted(line.split()[0] for line in lines) == sorted(universe.PASSES)
    assert all(len(line.split()) > 3 and len(line) < 140 for line in lines)
    assert "  discharge-mem-tokens  " in found["on nv_tileaa"]
    listed = [line.split()[0] for line in found[plugins].strip().splitlines()]
    assert listed == sorted(pass_type.name for pass_type in PASSES)
    assert "canonicalize," in found[others]
    assert "fuse-fma" not in found[others]


def test_a_pass_of_another_level_says_that_it_changes_nothing(run: Run):
    result = run(TILES, "-p", "discharge-mem-tokens,canonicalize,tileas-insert-barriers")
    assert result.code == 0
    assert result.err.splitlines() == [
        f"in.mlir: warning: pass '{name}' changes nothing: it works on {level}, "
        "and this is cuda_tile"
        for name, level in (
            ("discharge-mem-tokens", "nv_tileaa"),
            ("tileas-insert-barriers", "nv_tileas"),
        )
    ]


def test_passes_of_a_pipeline_say_nothing(run: Run):
    """Nor do passes on ops of no level, such as loops alone."""
    assert run(TILES, "-p", "convert-cuda-tile-to-tileaa{compute-capability=90}").err == ""
    assert run(GOOD, "-p", "simplify-loops,convert-to-llvm").err == ""


BROKEN_PLUGINS = {
    "import os\nos.no_such_name\n": (
        "it cannot be imported: {file}:2: AttributeError: module 'os' has no attribute "
        "'no_such_name'"
    ),
    "from missing_package import UNIVERSE\n": (
        "it cannot be imported: {file}:1: ModuleNotFoundError: No module named 'missing_package'"
    ),
    "UNIVERSE = 1\n": "'broken:UNIVERSE' is no Universe of xDSL",
    "from xdsl.universe import Universe\nUNIVERSE = Universe(all_passes={'fuse-fma': None})\n": (
        "the pass 'fuse-fma' is there already"
    ),
}
"""Plugins, and why they are left out."""


@pytest.fixture
def install(tmp_path: Path) -> Callable[[str], tuple[dict[str, str], str]]:
    """Installs a plugin; returns the environment that finds it, and the file."""

    def write(code: str) -> tuple[dict[str, str], str]:
        package = tmp_path / "broken-1.0.dist-info"
        package.mkdir()
        (package / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
        (package / "entry_points.txt").write_text("[xdsl.universe]\nmine = broken:UNIVERSE\n")
        file = tmp_path / "broken.py"
        file.write_text(code)
        path = os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", "")))
        return {"PYTHONPATH": path}, str(file)

    return write


@pytest.mark.part("processes")
@pytest.mark.parametrize("code", BROKEN_PLUGINS)
def test_a_broken_plugin_is_left_out(
    code: str, install: Callable[[str], tuple[dict[str, str], str]]
):
    """One line says which and why, and everything else goes on."""
    environment, file = install(code)
    reason = BROKEN_PLUGINS[code].format(file=file)
    warning = f"warning: plugin 'mine' of the package broken is left out: {reason}\n"
    result = python(*OPT, "-p", "fuse-fma", environment=environment, stdin=GOOD, check=False)
    assert (result.code, result.out) == (0, GOOD_OUTPUT)
    assert result.err == f"tileiras-opt: {warning}"


@pytest.mark.part("processes")
def test_passes_of_a_broken_plugin_are_unknown(
    install: Callable[[str], tuple[dict[str, str], str]],
):
    environment, _ = install("import missing_package\n")
    result = python(*OPT, "-p", "my-own", environment=environment, stdin=GOOD, check=False)
    assert (result.code, result.out) == (1, "")
    warning, error = result.err.splitlines()
    assert warning.startswith("tileiras-opt: warning: plugin 'mine' of the package broken ")
    assert error == "tileiras-opt: error: unknown pass 'my-own'"


@pytest.mark.part("processes")
@pytest.mark.parametrize(("name", "code"), [("canonicalize", 0), ("my-own", 1)])
def test_exploring_with_a_broken_plugin(
    name: str, code: int, install: Callable[[str], tuple[dict[str, str], str]], tmp_path: Path
):
    environment, _ = install("import missing_package\n")
    page = tmp_path / "page.html"
    program = files("tileiras_xdsl.driver.demos") / "vector_add.tileirbc"
    result = python(
        *("-m", "tileiras_xdsl.driver.tools.tileiras_explore", str(program), "-q"),
        *("--insert", f"after:licm={name}", "--insert", f"before:licm={name}"),
        *("-o", str(page)),
        environment=environment,
        check=False,
    )
    warning, *errors = result.err.splitlines()
    assert warning.startswith("tileiras-explore: warning: plugin 'mine' of the package broken is ")
    assert errors == [f"error: there is no pass '{name}'"] * code
    assert (result.code, page.exists()) == (code, not code)


def test_a_pass_that_cannot_be_imported(run: Run, monkeypatch: pytest.MonkeyPatch):
    def load() -> None:
        raise ImportError("no such thing")

    monkeypatch.setitem(universe.TILEIRAS_UNIVERSE.all_passes, "fuse-fma", load)
    result = run(GOOD, "-p", "fuse-fma")
    assert result.code == 1
    assert result.err.startswith("tileiras-opt: error: pass 'fuse-fma' cannot be imported: ")
    assert result.err.endswith("ImportError: no such thing\n")


def test_no_code_from_tiles(run: Run):
    result = run(TILES, "-t", "ptx")
    assert result.code == 1
    assert result.err.endswith(
        "'cuda_tile.module' has no translation to LLVM IR: passes lower it first, as "
        "'tileiras-xdsl --emit=ptx' does\n"
    )
