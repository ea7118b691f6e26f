"""Linear expressions of integers: they are what programs compute, also where that wraps."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from tileiras_xdsl.analysis.axis_info_analysis import analyze
from tileiras_xdsl.analysis.scalar_evolution import LinearAnalysis
from tileiras_xdsl.targets.machine import MAX_GRID_SIZE
from tileiras_xdsl.transforms.tileaa.simplify_loops import SimplifyLoopsPass
from tileiras_xdsl.xdsl_extras.walking import find_all

from ..harness.modules import context, parse

WIDTHS = (8, 16, 32, 64)


def wrap(number: int, bits: int) -> int:
    """The signed integer of so many bits."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
}
ROUNDINGS: dict[str, Callable[[int, int], int]] = {
    "negative_inf": lambda a, b: a // b,
    "positive_inf": lambda a, b: -(-a // b),
    "zero": lambda a, b: abs(a) // b * (1 if a >= 0 else -1),
}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "less_than": lambda a, b: a < b,
    "less_than_or_equal": lambda a, b: a <= b,
    "greater_than": lambda a, b: a > b,
    "greater_than_or_equal": lambda a, b: a >= b,
}


@dataclass
class Program:
    """A random function of scalars of several widths, and what each value is for some inputs."""

    random: random.Random
    lines: list[str] = field(default_factory=list[str])
    values: list[tuple[str, int, Callable[[dict[str, int]], int]]] = field(
        default_factory=list[tuple[str, int, Callable[[dict[str, int]], int]]]
    )
    inputs: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def add(self, text: str, bits: int, compute: Callable[[dict[str, int]], int]) -> None:
        name = f"%v{len(self.values)}"
        self.lines.append(f"{name} = {text}")
        self.values.append((name, bits, compute))

    def pick(self, bits: int | None = None) -> tuple[str, int, Callable[[dict[str, int]], int]]:
        return self.random.choice([each for each in self.values if bits in (None, each[1])])

    def start(self) -> None:
        """Two bounded parameters of each width, and constants."""
        for bits in WIDTHS:
            for _ in range(2):
                low, high = sorted(
                    wrap(self.random.getrandbits(self.random.randint(1, bits)), bits)
                    for _ in range(2)
                )
                parameter = f"%p{len(self.inputs)}"
                self.inputs[parameter] = (low, high)
                predicate = f"#nv_tileaa.bounded<{low}, {high}>"
                self.add(
                    f"nv_tileaa.assume {parameter} {{predicate = {predicate}}} : i{bits}",
                    bits,
                    lambda env, key=parameter: env[key],
                )
            for number in (1, self.random.randint(-5, 100), 1 << self.random.randint(1, 6)):
                self.add(f"arith.constant {number} : i{bits}", bits, lambda _, n=number: n)

    def extend(self) -> None:
        """One more op."""
        kind = self.random.choice(
            ("addi", "addi", "subi", "muli", "divi", "divi", "extsi", "trunci", "ext", "select")
        )
        name, bits, first = self.pick()
        other, _, second = self.pick(bits)
        match kind:
            case "addi" | "subi" | "muli":
                function = ARITHMETIC[kind]
                self.add(
                    f"nv_tileaa.{kind} {name}, {other} : i{bits}",
                    bits,
                    lambda env: wrap(function(first(env), second(env)), bits),
                )
            case "divi":
                rounding = self.random.choice(sorted(ROUNDINGS))
                divisor = self.random.choice((1, 2, 3, 4, 8, 64))
                self.add(f"arith.constant {divisor} : i{bits}", bits, lambda _: divisor)
                self.add(
                    f"nv_tileaa.divi {name}, %v{len(self.values) - 1} "
                    f'{{signedness = "signed", rounding = "{rounding}"}} : i{bits}',
                    bits,
                    lambda env: ROUNDINGS[rounding](first(env), divisor),
                )
            case "extsi" if bits < WIDTHS[-1]:
                wider = self.random.choice([each for each in WIDTHS if each > bits])
                self.add(f"arith.extsi {name} : i{bits} to i{wider}", wider, first)
            case "trunci" if bits > WIDTHS[0]:
                narrow = self.random.choice([each for each in WIDTHS if each < bits])
                self.add(
                    f"nv_tileaa.trunci {name} : i{bits} to i{narrow}",
                    narrow,
                    lambda env: wrap(first(env), narrow),
                )
            case "ext":
                extremum = self.random.choice((max, min))
                self.add(
                    f"arith.{extremum.__name__}si {name}, {other} : i{bits}",
                    bits,
                    lambda env: extremum(first(env), second(env)),
                )
            case _:
                predicate = self.random.choice(sorted(COMPARISONS))
                chosen, _, third = self.pick(bits)
                self.lines.append(
                    f"%c{len(self.lines)} = nv_tileaa.cmpi {name}, {other} "
                    f'{{comparison_predicate = "{predicate}", signedness = "signed"}} '
                    f": i{bits} -> i1"
                )
                self.add(
                    f"arith.select %c{len(self.lines) - 1}, {name}, {chosen} : i{bits}",
                    bits,
                    lambda env: (
                        first if COMPARISONS[predicate](first(env), second(env)) else third
                    )(env),
                )

    def parse(self) -> ModuleOp:
        parameters = ", ".join(f"{key}: i{bits}" for key, bits in self.types().items())
        uses = ", ".join(name for name, _, _ in self.values)
        types = ", ".join(f"i{bits}" for _, bits, _ in self.values)
        end = f'"test.op"({uses}) : ({types}) -> ()'
        body = "\n".join((*self.lines, end, "func.return"))
        return parse(f"func.func @f({parameters}) {{\n{body}\n}}")

    def types(self) -> dict[str, int]:
        return {key: WIDTHS[number // 2] for number, key in enumerate(self.inputs)}


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int):
    """Each value is what its linear expression says, of symbols that have the values they have."""
    program = Program(random.Random(seed))
    program.start()
    for _ in range(60):
        program.extend()
    module = program.parse()
    (function,) = find_all(module, FuncOp)
    linear = LinearAnalysis(analyze(function))
    (end,) = find_all(module, test_dialect.TestOp)
    computed = dict(zip(end.operands, (each[2] for each in program.values), strict=True))
    parameters = dict(zip(function.body.block.args, program.inputs, strict=True))
    for _ in range(6):
        env = {key: program.random.randint(*ends) for key, ends in program.inputs.items()}
        numbers: dict[SSAValue, int] = {value: find(env) for value, find in computed.items()}
        numbers |= {argument: env[key] for argument, key in parameters.items()}
        for value in computed:
            expression = linear[value]
            found = expression.constant + sum(
                coefficient * numbers[symbol] for symbol, coefficient in expression.terms.items()
            )
            assert found == numbers[value]
            low, high = linear.range_of(expression)
            assert low <= found <= high


def difference(lines: str) -> int | None:
    """What the first operand of a last op is always more than the second one."""
    module = parse(f"func.func @f() {{\n{lines}\nfunc.return\n}}")
    (function,) = find_all(module, FuncOp)
    *_, end = find_all(module, test_dialect.TestOp)
    return LinearAnalysis(analyze(function)).difference(*end.operands)


CAUSAL = """
%x = gpu.block_id x
%block = arith.index_cast %x : index to i32
%one = arith.constant 1 : i32
%size = arith.constant {size} : i32
%rows = nv_tileaa.muli %block, %size : i32
%first = nv_tileaa.divi %rows, %size {{signedness = "signed", rounding = "negative_inf"}} : i32
%next = nv_tileaa.addi %block, %one : i32
%more = nv_tileaa.muli %next, %size : i32
%end = nv_tileaa.divi %more, %size {{signedness = "signed", rounding = "positive_inf"}} : i32
"test.op"(%end, %first) : (i32, i32) -> ()
"""


@pytest.mark.parametrize(("size", "expected"), [(128, 1), (129, None), (256, None)])
def test_grid_coordinates(size: int, expected: int | None):
    """With 2^24 - 1 tile blocks of 128 rows nothing overflows, with more rows something might."""
    assert MAX_GRID_SIZE * 128 < 1 << 31 <= MAX_GRID_SIZE * 129
    assert difference(CAUSAL.format(size=size)) == expected


TOWARDS_ZERO = """
%x = "test.op"() : () -> i32
%n = nv_tileaa.assume %x {{predicate = #nv_tileaa.bounded<{low}, {high}>}} : i32
%four = arith.constant 4 : i32
%two = arith.constant 2 : i32
%product = nv_tileaa.muli %n, %four : i32
%sum = nv_tileaa.addi %product, %two : i32
%quotient = nv_tileaa.divi %sum, %four {{signedness = "signed"}} : i32
"test.op"(%quotient, %n) : (i32, i32) -> ()
"""


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(0, 3, 0), (-3, -1, 1), (-3, 3, None), (-1, 0, None)]
)
def test_division_towards_zero(low: int, high: int, expected: int | None):
    """(4 * n + 2) / 4 is n, or n + 1 if n is negative."""
    assert difference(TOWARDS_ZERO.format(low=low, high=high)) == expected


FLAGS = """
%x = "test.op"() : () -> i32
%y = "test.op"() : () -> i32
%zero = arith.constant 0 : i32
%c = arith.cmpi slt, %x, %y : i32
%no = arith.constant false
%yes = arith.constant true
%n = arith.extsi %c : i1 to i32
{line}
"test.op"(%found, %zero) : (i32, i32) -> ()
"""


@pytest.mark.parametrize(
    "line",
    [
        "%found = arith.minsi %n, %zero : i32",
        "%is = arith.cmpi sge, %c, %no : i1\n%found = arith.select %is, %zero, %n : i32",
        "%most = arith.maxsi %c, %yes : i1\n%found = arith.extsi %most : i1 to i32",
    ],
)
def test_flags(line: str):
    """As a signed number, a flag that is one is minus one."""
    assert difference(FLAGS.format(line=line)) is None


def test_indices():
    """Loops over indices stay as they are."""
    module = parse("""
func.func @f(%n: index) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %next = arith.addi %n, %one overflow<nsw> : index
  %end = arith.addi %next, %zero overflow<nsw> : index
  scf.for %i = %n to %end step %one {
    "test.op"(%i) : (index) -> ()
  }
  func.return
}""")
    before = str(module)
    SimplifyLoopsPass().apply(context(), module)
    assert str(module) == before
