"""Bad text ends in one diagnostic with a place; `input_fuzzing.py` damages text at random."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tileiras_xdsl.driver.tools.tileiras_opt import main
from tileiras_xdsl.xdsl_extras.usage import DEBUG_VARIABLE

from ..harness.forks import ForkServer
from .input_fuzzing import DIAGNOSTIC, run_driver

MAX_SECONDS = 10
"""Processor time of a case."""
MAX_WAIT = 120
"""Seconds until a case counts as hanging, on a busy machine."""


@pytest.fixture(autouse=True)
def _no_tracebacks(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.delenv(DEBUG_VARIABLE, raising=False)


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
