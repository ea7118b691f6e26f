"""Barriers in place of tokens keep their order, on random programs, and never wait for ever."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from tileiras_interop.tokens import TokenBarriers
from tileiras_xdsl.transforms.tileas.convert_tileaa_to_tileas import (
    ConvertTileaaToTileasPass,
)

from ..harness.cases import every
from ..harness.modules import parse
from ..harness.passes import applied
from .barrier_simulator import Deadlock, Disorder, Misuse, simulate

TOKEN = "!nv_tileaa.mem_token"
PROGRAMS = 60
RUNS = 4


class Generator:
    """Random structured programs with tokens, one op a line."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.lines: list[str] = []
        self.names = 0
        self.slots = 0

    def program(self) -> str:
        self.lines = []
        tokens: list[str] = []
        self.statements(tokens, 3, self.random.randint(3, 8))
        body = "\n".join(self.lines)
        return f"""
func.func @f(%p: !llvm.ptr<1>, %v: i32) {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
{body}
func.return
}}
"""

    def name(self) -> str:
        self.names += 1
        return f"%t{self.names}"

    def statements(self, tokens: list[str], depth: int, count: int) -> None:
        for _ in range(count):
            self.statement(tokens, depth)

    def statement(self, tokens: list[str], depth: int) -> None:
        kinds = ["create", "announce", "access", "access", "access", "join", "select"]
        if depth:
            kinds += ["for", "for", "if", "if", "while"]
        kind = self.random.choice(kinds)
        if kind in ("create", "announce") or not tokens:
            self.create(tokens, announce=kind == "announce")
        else:
            getattr(self, f"{kind}_")(tokens, depth)

    def create(self, tokens: list[str], *, announce: bool) -> None:
        if self.slots == 30 and tokens:
            return
        self.slots += 1
        token = self.name()
        count = f"{{num_producers = {self.random.randint(1, 3)} : i32}} " if announce else ""
        self.lines.append(f"{token} = nv_tileaa.create_mem_token {count}: {TOKEN}")
        tokens.append(token)
        if announce:
            # Else a join would wait for others.
            self.access(tokens, token)

    def access(self, tokens: list[str], token: str | None) -> None:
        result = self.name()
        operand = "" if token is None else f" token({token})"
        if self.random.random() < 0.5:
            self.lines.append(
                f"{result} = nv_tileaa.store %p, %v{operand} : !llvm.ptr<1>, i32 -> {TOKEN}"
            )
        else:
            self.lines.append(
                f"%x{self.names}, {result} = nv_tileaa.load %p{operand} "
                f": !llvm.ptr<1> -> i32, {TOKEN}"
            )
        tokens.append(result)

    def access_(self, tokens: list[str], depth: int) -> None:
        if self.slots < 30 and self.random.random() < 0.15:
            self.slots += 1
            self.access(tokens, None)
        else:
            self.access(tokens, self.random.choice(tokens))

    def join_(self, tokens: list[str], depth: int) -> None:
        joined = [self.random.choice(tokens) for _ in range(self.random.randint(1, 3))]
        result = self.name()
        self.lines.append(f"{result} = nv_tileaa.join_mem_token [{', '.join(joined)}] : {TOKEN}")
        tokens.append(result)

    def select_(self, tokens: list[str], depth: int) -> None:
        result, (left, right) = self.name(), self.random.choices(tokens, k=2)
        self.lines += [
            f'%b{self.names} = "test.op"() : () -> i1',
            f"{result} = arith.select %b{self.names}, {left}, {right} : {TOKEN}",
        ]
        tokens.append(result)

    def for_(self, tokens: list[str], depth: int) -> None:
        inits = self.random.choices(tokens, k=self.random.randint(0, 2))
        number = self.names = self.names + 1
        arguments, results = self.new_names(inits), self.new_names(inits)
        carried = ""
        if inits:
            pairs = ", ".join(f"{a} = {i}" for a, i in zip(arguments, inits, strict=True))
            carried = f" iter_args({pairs}) -> ({self.types(inits)})"
        self.lines += [
            f'%n{number} = "test.op"() : () -> index',
            f"{self.assign(results)}scf.for %i{number} = %c0 to %n{number} step %c1{carried} {{",
        ]
        inner = [*tokens, *arguments]
        self.statements(inner, depth - 1, self.random.randint(1, 4))
        self.end("scf.yield", inner, len(inits))
        self.lines.append("}")
        tokens += results

    def while_(self, tokens: list[str], depth: int) -> None:
        inits = self.random.choices(tokens, k=self.random.randint(0, 2))
        number = self.names = self.names + 1
        before, after, results = (self.new_names(inits) for _ in range(3))
        pairs = ", ".join(f"{a} = {i}" for a, i in zip(before, inits, strict=True))
        types = self.types(inits)
        self.lines.append(f"{self.assign(results)}scf.while ({pairs}) : ({types}) -> ({types}) {{")
        inner = [*tokens, *before]
        self.statements(inner, depth - 1, self.random.randint(0, 3))
        self.lines.append(f'%w{number} = "test.op"() : () -> i1')
        self.end(f"scf.condition(%w{number})", inner, len(inits))
        arguments = ", ".join(f"{argument}: {TOKEN}" for argument in after)
        self.lines += ["} do {", f"^bb0({arguments}):"]
        inner = [*tokens, *after]
        self.statements(inner, depth - 1, self.random.randint(0, 3))
        self.end("scf.yield", inner, len(inits))
        self.lines.append("}")
        tokens += results

    def if_(self, tokens: list[str], depth: int) -> None:
        number = self.names = self.names + 1
        count = self.random.randint(0, 2)
        results = [self.name() for _ in range(count)]
        arrow = f" -> ({self.types(results)})" if count else ""
        self.lines += [
            f'%d{number} = "test.op"() : () -> i1',
            f"{self.assign(results)}scf.if %d{number}{arrow} {{",
        ]
        for arm in range(2 if count or self.random.random() < 0.5 else 1):
            if arm:
                self.lines.append("} else {")
            inner = list(tokens)
            self.statements(inner, depth - 1, self.random.randint(0, 3))
            self.end("scf.yield", inner, count)
        self.lines.append("}")
        tokens += results

    def new_names(self, like: list[str]) -> list[str]:
        return [self.name() for _ in like]

    def types(self, tokens: list[str]) -> str:
        return ", ".join(TOKEN for _ in tokens)

    def assign(self, results: list[str]) -> str:
        return f"{', '.join(results)} = " if results else ""

    def end(self, terminator: str, tokens: list[str], count: int) -> None:
        values = [self.random.choice(tokens) for _ in range(count)]
        operands = f" {', '.join(values)} : {self.types(values)}" if values else ""
        self.lines.append(f"{terminator}{operands}")


def decisions(random: Random) -> list[int]:
    """Small numbers: odd ones take a branch, and a loop runs as often as they say."""
    return [random.choice((0, 1, 1, 2, 3)) for _ in range(200)]


@pytest.mark.parametrize("seed", every(4, range(PROGRAMS)))
@pytest.mark.requirement("E-09", "E-10", "E-12", "E-13", "I-17")
def test_the_order_of_effects_is_kept(seed: int):
    module = parse(Generator(seed).program())
    lowered = applied(module, ConvertTileaaToTileasPass())
    random = Random(seed)
    for _ in range(RUNS):
        simulate(module, lowered, decisions(random), random.randrange(2**32))


BREAKAGES: dict[str, Callable[..., None]] = {
    "_wait": lambda *_: None,
    "_complete": lambda *_: None,
    "_restore": lambda *_: None,
    "_reach": lambda *_: None,
}


@pytest.mark.every(3)
@pytest.mark.parametrize("method", BREAKAGES)
def test_the_simulator_notices_what_is_broken(method: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(TokenBarriers, method, BREAKAGES[method])
    random = Random(0)
    for seed in range(PROGRAMS):
        module = parse(Generator(seed).program())
        lowered = applied(module, ConvertTileaaToTileasPass())
        try:
            for _ in range(RUNS):
                simulate(module, lowered, decisions(random), random.randrange(2**32))
        except (Deadlock, Disorder, Misuse):
            return
    pytest.fail("no program was found wrong")
