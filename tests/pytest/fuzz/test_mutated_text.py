"""
Damaged text ends in one diagnostic with a place, never in a traceback, a hang or a full memory.

The environment variable `TILEIRAS_FUZZ_CASES` asks for so many cases in place of the usual ones,
and `TILEIRAS_FUZZ_SEED` for others than usual:

    TILEIRAS_FUZZ_CASES=50000 TILEIRAS_FUZZ_SEED=7 \
        python -m pytest -n 2 tests/pytest/fuzz/test_mutated_text.py
"""

import io
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType

import pytest
from xdsl.dialects import builtin, test
from xdsl.utils.exceptions import ParseError, VerifyException

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.driver.tools.tileiras_opt import main
from tileiras_xdsl.frontend.text import TextParser
from tileiras_xdsl.xdsl_extras.usage import DEBUG_VARIABLE

from ..harness.cases import every
from ..harness.forks import ForkServer
from ..harness.modules import context_of, print_module
from ..strategies.corruptions import corrupt
from ..strategies.draws import Draws
from ..strategies.modules import random_module
from ..strategies.mutations import mutate

CASES = int(os.environ.get("TILEIRAS_FUZZ_CASES", "120"))
IS_LONG_RUN = "TILEIRAS_FUZZ_CASES" in os.environ
SEED = os.environ.get("TILEIRAS_FUZZ_SEED", "0")
CHUNKS = 8
"""How many tests there are for the cases, to run on several processors."""

MAX_SECONDS = 10
"""Processor time of a case."""
MAX_WAIT = 120
"""Seconds until a case counts as hanging, on a busy machine."""
MAX_GROWTH = 1 << 29
"""Bytes by which a case may let the process grow."""

MAX_OPS = 30
"""Ops of a module that is damaged: many small modules find more than a few large ones."""

DIAGNOSTIC = re.compile(r".*:\d+:\d+: error: \S.*\n")

CORPUS = Path(__file__).parents[2] / "corpus"
CORPUS_FILES = (
    *("text/13.4/all_entry_hints", "text/13.4/assertions", "text/13.4/atomic_half"),
    *("text/13.4/dependent_launch", "text/13.4/e5m3_scales", "text/13.4/for_with_break"),
    *("text/13.4/gather_1d", "text/13.4/insertions", "text/13.4/nan_propagation"),
    *("text/13.4/pack_tiles", "text/13.4/rounding_modes", "text/13.4/running_maximum"),
    *("text/13.4/skipping_view", "text/13.4/tuple_carried", "text/13.4/unchecked_views"),
    *("text_debug/13.4/vector_add", "text_debug/13.4/prints"),
)
OUTPUTS: tuple[tuple[str, ...], ...] = (
    (),
    ("--print-op-generic",),
    ("--print-debuginfo",),
    ("-t", "cuda-tile-public"),
    ("-t", "cuda-tile-public{module=true debuginfo=true}"),
)


# Seeds


def print_public(module: builtin.ModuleOp) -> bytes:
    stream = io.StringIO()
    printer = ct.PublicPrinter(stream, print_wrapper=True, print_debuginfo=True)
    printer.print_module(*(op for op in module.body.ops if isinstance(op, ct.ModuleOp)))
    return stream.getvalue().encode()


@cache
def seed_texts() -> tuple[bytes, ...]:
    """Texts of the public disassembler, and random modules in all forms."""
    texts = [(CORPUS / f"{name}.mlir").read_bytes() for name in CORPUS_FILES]
    for seed in range(6):
        module = random_module(f"mutated {seed}")
        texts.append(print_module(module, generic=False, debuginfo=seed % 2 == 0).encode())
        texts.append(print_module(module, generic=True, debuginfo=seed % 2 == 1).encode())
        texts.append(print_public(module))
    return tuple(texts)


def damaged_text(random: Random) -> bytes:
    text, donor = random.choices(seed_texts(), k=2)
    return mutate(random, text, donor)


def corrupt_text(random: Random) -> bytes:
    """The generic text of a module that may be anything but valid."""
    module = random_module(random.randint(0, 2**64))
    while len(list(module.walk())) > MAX_OPS:
        module = random_module(random.randint(0, 2**64))
    corrupt(Draws.from_seed(random.randint(0, 2**64)), module)
    return print_module(module, generic=True, debuginfo=False).encode()


# The driver


class HangsError(Exception):
    """A case takes too long."""


@contextmanager
def alarm(seconds: int) -> Generator[None]:
    """Raises `HangsError` in the main thread after so many seconds."""

    def ring(signal_number: int, frame: FrameType | None) -> None:
        raise HangsError(f"not finished after {seconds} seconds")

    previous = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def run_driver(data: bytes, *args: str) -> tuple[int, bytes, str]:
    """Exit code, standard output and standard error of the tool on `data`."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    stdin = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(["-", *args])
    finally:
        sys.stdin = stdin
    out.flush()
    buffer = out.buffer
    assert isinstance(buffer, io.BytesIO)
    return code, buffer.getvalue(), err.getvalue()


def check_driver(data: bytes, *args: str) -> None:
    """The tool ends in success, or in one diagnostic and nothing else."""
    code, out, err = run_driver(data, *args)
    if code == 0:
        assert err == ""
    else:
        assert code == 1
        assert out == b""
        assert DIAGNOSTIC.fullmatch(err), err


CONTEXT = context_of(builtin.Builtin, test.Test, ct.CudaTile)


def check_parser(data: bytes) -> None:
    """Parser and verifier end in success or in one of their own exceptions."""
    with suppress(ParseError, VerifyException):
        TextParser(CONTEXT, data, "in.mlir").parse_module().verify()


def memory_peak() -> int:
    """The most bytes of memory that this process has had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


@contextmanager
def limited() -> Generator[None]:
    """Fails if what is done takes too much time or memory."""
    memory, start = memory_peak(), time.process_time()
    with alarm(MAX_WAIT):
        yield
    assert time.process_time() - start < MAX_SECONDS
    assert memory_peak() - memory < MAX_GROWTH


@pytest.fixture(autouse=True)
def _no_tracebacks(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.delenv(DEBUG_VARIABLE, raising=False)


@pytest.mark.parametrize("chunk", range(CHUNKS) if IS_LONG_RUN else every(4, range(CHUNKS)))
def test_damaged_text(chunk: int):
    for case in range(chunk, CASES, CHUNKS):
        random = Random(f"{SEED} {case}")
        kind = random.randrange(4)
        data = corrupt_text(random) if kind == 0 else damaged_text(random)
        output = random.choice(OUTPUTS)
        try:
            with limited():
                check_driver(data, *output)
                if kind == 1:
                    check_parser(data)
        except Exception as error:
            error.add_note(f"case {case} of seed {SEED}, output {output}:\n{data[:5000]!r}")
            raise


def test_seeds_are_valid():
    for text in seed_texts():
        code, out, err = run_driver(text)
        assert (code, err) == (0, "")
        assert out


@pytest.mark.every(3)
@pytest.mark.parametrize("first", [0, 5, 10])
def test_every_prefix_is_refused(first: int):
    """Truncated text is an error, but for the end of the last line."""
    text = KERNEL.encode()
    assert run_driver(text)[0] == 0
    for end in range(first, len(text) - 1, 15):
        code, out, err = run_driver(text[:end])
        assert (code, out) == (1, b"")
        # An empty file has no place to name.
        assert DIAGNOSTIC.fullmatch(err) or (end == 0 and "it is empty" in err), err


# Bad input by name, each in a process of its own with little memory

KERNEL = """\
cuda_tile.module @m {
  global constant @g alignment = 16 <f32: [1.000000e+00, 0x7FC00001]> : tile<2xf32>
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<sm_90 = {latency = 2}> {
    %c = constant <i32: 1> : tile<i32>
    %s = for %i in (%c to %n, step %c) : tile<i32> iter_values(%a = %c) -> (tile<i32>) {
      %b = addi %a, %i overflow<no_wrap> {note = "x\\0A"} : tile<i32>
      continue %b : tile<i32>
    }
    %v = make_tensor_view %p, shape = [%n], strides = [1]
      : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %w = make_partition_view %v : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
    %t, %k = load_view_tko weak %w[%s]
      : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    return
  }
}
"""

MEMORY = 2 << 30
"""Bytes of address space, of which the stack takes an eighth."""

DEEP = 10_000
HUGE = 1 << 40


def in_entry(*lines: str) -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"entry @k(%c: tile<i1>, %n: tile<i32>) {{\n{body}  return\n}}\n"


def in_attribute(text: str) -> str:
    return f'\n"test.op"() {{a = {text}}} : () -> ()\n'


BAD: dict[str, tuple[str, str, str]] = {
    # Name: text, place (`line:column`), part of the message
    "unknown op": (in_entry("%x = addq %n, %n : tile<i32>"), "2:8", "Operation addq is not regist"),
    "unknown generic op": (
        in_entry('"cuda_tile.addq"(%n) : (!cuda_tile.tile<i32>) -> ()'),
        "2:3",
        "Operation cuda_tile.addq is not registered",
    ),
    "unknown dialect": ("\nnonsense.op", "2:1", "nonsense.op is not registered"),
    "unknown attribute": (in_attribute("#cuda_tile.nonsense<1>"), "2:", "nonsense"),
    "unknown property": (
        in_entry(
            '%x = "cuda_tile.absi"(%n) <{nonsense = 1}>'
            " : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>"
        ),
        "2:8",
        "nonsense",
    ),
    "unknown keyword": (
        in_entry("%x = addi %n, %n overflow<never> : tile<i32>"),
        "2:29",
        "expected overflow to be one of",
    ),
    "unknown type": (in_entry("%x = iota : tail<4xi32>"), "2:15", "type expected"),
    "wrong type of an operand": (
        in_entry("%x = addf %n, %n : tile<i32>"),
        "2:8",
        "'cuda_tile.addf' op operand #0 must be tile of f16 or bf16 or f32 or f64 values",
    ),
    "two types of a value": (
        in_entry("%x = addi %n, %c : tile<i32>"),
        "2:17",
        "operand is used with type",
    ),
    "wrong type of a parameter": (
        "entry @k(%a: tile<4xf32>) {}",
        "1:1",
        "entry op must have scalar types",
    ),
    "undefined value": (in_entry("%x = absi %y : tile<i32>"), "", "%y"),
    "truncated text": (KERNEL[:-60], "", ""),
    # Too large
    "huge tile": (in_entry(f"%x = iota : tile<{HUGE}xi32>"), "2:15", "maximum element count"),
    "huge product": (
        in_entry("%x = iota : tile<65536x65536x65536xi32>"),
        "2:15",
        "maximum element count",
    ),
    "huge splat": (
        in_entry(f"%x = constant <f32: 1.0> : tile<{HUGE}xf32>"),
        "2:30",
        "maximum element count",
    ),
    "huge global": (
        f"global @g <f32: 1.0> : tile<{HUGE}xf32>",
        "1:24",
        "maximum element count",
    ),
    "huge dense tile": (
        in_attribute(f"dense<1> : !cuda_tile.tile<{HUGE}xi8>"),
        "2:29",
        "maximum element count",
    ),
    "huge dense vector": (
        in_attribute(f"dense<1> : vector<{HUGE}xi8>"),
        "2:29",
        "dense literals are limited",
    ),
    "huge view": (
        in_entry(f"%x = iota : partition_view<tile=({HUGE}), tensor_view<?xf32, strides=[1]>>"),
        "2:36",
        "exceeds i32",
    ),
    "huge width": (in_entry("%x = iota : tile<4xi99999999999>"), "2:22", "bitwidth is limited"),
    "huge number": (in_attribute("1" + "0" * 5000), "2:18", "integer literal is too long"),
    "huge number of results": (
        in_entry("%x:99999999999 = iota : tile<4xi32>"),
        "2:3",
        "results",
    ),
    "exponential aliases": (
        "\n".join(f"#a{index} = [#a{index + 1}, #a{index + 1}]" for index in range(60))
        + "\n#a60 = 1",
        "",
        "aliases expand to too much",
    ),
    "exponential types": (
        in_attribute("!t0")
        + "\n".join(f"!t{index} = tuple<!t{index + 1}, !t{index + 1}>" for index in range(60))
        + "\n!t60 = i32",
        "",
        "aliases expand to too much",
    ),
    "aliases used too often": (
        "\n".join(f"#a{index} = [#a{index + 1}, #a{index + 1}]" for index in range(14))
        + "\n#a14 = 1"
        + in_attribute("#a0") * 1000,
        "52:18",
        "aliases expand to too much",
    ),
    # Too deep
    "deep ifs": (in_entry("if %c {" * DEEP, "}" * DEEP), "", "nesting is too deep"),
    "deep open ifs": (in_entry("if %c {" * DEEP), "", "nesting is too deep"),
    "deep loops": (in_entry("loop {" * DEEP, "}" * DEEP), "", "nesting is too deep"),
    "deep generic ifs": (
        in_entry('"cuda_tile.if"(%c) ({' * DEEP, "}, {}) : (!cuda_tile.tile<i1>) -> ()" * DEEP),
        "",
        "nesting is too deep",
    ),
    "deep literal": (
        in_entry(f"%x = constant <i32: {'[' * DEEP}1{']' * DEEP}> : tile<i32>"),
        "",
        "inferred shape of elements literal",
    ),
    "deep open literal": (
        in_entry(f"%x = constant <i32: {'[' * DEEP}> : tile<i32>"),
        "2:10023",
        "expected integer value",
    ),
    "deep dense attribute": (
        in_attribute(f"dense<{'[' * DEEP}1{']' * DEEP}> : tensor<1xi32>"),
        "",
        "nesting is too deep",
    ),
    "deep array": (in_attribute("[" * DEEP + "]" * DEEP), "", "nesting is too deep"),
    "deep dictionary": (in_attribute("{a = " * DEEP + "}" * DEEP), "", "nesting is too deep"),
    "deep type": (in_entry(f"%x = iota : {'tile<' * DEEP}"), "", "nesting is too deep"),
    "deep location": (
        in_entry(f"return loc({'fused[' * 2 * DEEP}{']' * 2 * DEEP})"),
        "",
        "nesting is too deep",
    ),
    "deep aliases": (
        "\n".join(f"#a{index} = [#a{index + 1}]" for index in range(DEEP)),
        "",
        "nesting is too deep",
    ),
}


@pytest.fixture(scope="module")
def opt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    first = tmp_path_factory.mktemp("first") / "in.mlir"
    first.write_text(in_entry())
    with ForkServer(main.__module__, first, "-o", os.devnull) as server:
        yield server


@pytest.mark.every(3)
@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str, opt: ForkServer, tmp_path: Path):
    text, place, message = BAD[name]
    (tmp_path / "in.mlir").write_text(text)
    result = opt.run(tmp_path, ["in.mlir"], memory=MEMORY, seconds=MAX_WAIT)
    assert DIAGNOSTIC.fullmatch(result.err), result.err
    assert result.err.startswith(f"in.mlir:{place}")
    assert message in result.err
    assert (result.code, result.out) == (1, "")
    assert result.seconds < MAX_SECONDS
