"""The command line of `tileiras-reduce`."""

import sys
from pathlib import Path

import pytest

from tileiras_xdsl import load
from tileiras_xdsl.driver.tools.tileiras_reduce import main
from tileiras_xdsl.frontend.bytecode import write

from ..harness.commands import Directory, Run

PROGRAM = """
cuda_tile.module @m {
  entry @kernel(%n: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    %sum = addi %n, %one : tile<i32>
    %product = muli %sum, %n : tile<i32>
    print_tko "%d", %product : tile<i32> -> token
    return
  }
}
"""


@pytest.fixture
def run(directory: Directory) -> Run:
    """Runs the tool."""
    Path("program.mlir").write_text(PROGRAM)
    return lambda *arguments: directory.run(main, arguments)


def write_test(condition: str) -> str:
    """A test in Python without xDSL, which would take its time to start."""
    Path("test.py").write_text(
        f"import sys\ndata = open(sys.argv[-1], 'rb').read()\nsys.exit(not ({condition}))\n"
    )
    return f"{sys.executable} -S test.py"


def test_text(run: Run):
    result = run("--test", write_test("b'muli' in data"), "program.mlir", "-o", "small.mlir")
    assert (result.code, result.out) == (0, "")
    assert result.err.startswith("tileiras-reduce: 7 ops became ")
    text = Path("small.mlir").read_text()
    assert "muli" in text
    assert "addi" not in text
    assert "print" not in text
    load("small.mlir")


def test_bytecode(run: Run):
    Path("program.tileirbc").write_bytes(write(load(PROGRAM)))
    test = write_test("data.startswith(b'\\x7fTileIR') and b'%d' in data")
    result = run("--test", test, "program.tileirbc", "-q", "-o", "small.tileirbc")
    assert (result.code, result.err) == (0, "")
    small = Path("small.tileirbc").read_bytes()
    assert small.startswith(b"\x7fTileIR")
    assert "addi" not in str(load(small))


def test_arguments_of_the_test(run: Run):
    test = write_test("sys.argv[1].encode() in data")
    result = run("--test", test, "--test-arg=addi", "program.mlir", "-j2", "-q")
    assert result.code == 0
    assert "addi" in result.out
    assert "muli" not in result.out


def test_not_interesting(run: Run):
    result = run("--test", write_test("False"), "program.mlir", "-o", "small.mlir")
    assert result.code == 1
    assert "error: the test does not find the input interesting: '" in result.err
    assert result.err.count("\n") == 1
    assert not Path("small.mlir").exists()


def test_slow_test(run: Run):
    test = write_test("__import__('time').sleep(60)")
    result = run("--test", test, "program.mlir", "--timeout=0.2")
    assert result.code == 1
    assert "does not exit with 0 within 0.2 s" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--test", "./missing", "program.mlir"), "unable to run './missing': No such file"),
        (("--test", "", "program.mlir"), "the test is a command, and this one is empty"),
        (("--test", "true", "missing.mlir"), "unable to read input file 'missing.mlir'"),
        (("program.mlir",), "the test is --test COMMAND, or --passes"),
        (("--test", "true", "program.mlir", "-j0"), "there is at least one job, not 0"),
    ],
)
def test_mistakes(run: Run, arguments: tuple[str, ...], message: str):
    result = run(*arguments)
    assert result.code == 1
    assert message in result.err
    assert result.err.count("\n") == 1


def test_invalid_program(run: Run):
    Path("program.mlir").write_text(PROGRAM.replace("muli %sum, %n", "muli %sum, %sum, %n"))
    result = run("--test", "true", "program.mlir")
    assert result.code == 1
    assert "program.mlir:6" in result.err


def test_passes_in_this_process(run: Run):
    """Passes that fail are a test by themselves: none is started for each candidate."""
    passes = ("-p", "canonicalize,verify-no-cuda-tile", "--error")
    result = run(*passes, "cuda_tile.module", "program.mlir", "-o", "small.mlir")
    assert (result.code, result.out) == (0, "")
    assert result.err.startswith("tileiras-reduce: 7 ops became 1 in ")
    assert str(load("small.mlir")).count("cuda_tile.") == 1
    result = run(*passes, "something else", "program.mlir")
    assert result.code == 1
    assert "'canonicalize,verify-no-cuda-tile' does not fail with 'something else'" in result.err


def test_a_test_is_one_or_the_other(run: Run):
    for given in ((), ("-p", "cse"), ("--error", "x"), ("--test", "true", "-p", "cse")):
        result = run(*given, "program.mlir")
        assert (result.code, result.out) == (1, "")
        assert "the test is --test COMMAND, or --passes PASSES with --error TEXT" in result.err
