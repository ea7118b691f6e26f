"""Random loops compute the same when they carry less."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tileiras_xdsl import load
from tileiras_xdsl.interpreter.run import run
from tileiras_xdsl.transforms.tileaa.simplify_loops import SimplifyLoopsPass

from ..harness.modules import context

PROGRAMS = 40
CARRIED = 5
RESULTS = 3
"""How many of the results are used."""


@dataclass
class Writer:
    """Writes a loop over small integers, with an inner loop or branch in some."""

    rng: random.Random
    names: int = 0
    lines: list[str] = field(default_factory=list[str])

    def define(self, text: str) -> str:
        """A new value."""
        self.names += 1
        self.lines.append(f"%v{self.names} = {text}")
        return f"%v{self.names}"

    def constant(self, low: int, high: int) -> str:
        return self.define(f"arith.constant {self.rng.randint(low, high)} : i8")

    def following(self, carried: str, others: list[str], depth: int) -> str:
        """The next value of a carried one."""
        rng = self.rng
        kind = rng.choice(["same", "step", "step", "step", "mixed", "branch", "loop"])
        if kind == "same":
            return carried
        if kind == "step":
            step = self.constant(-6, 6)
            name = rng.choice(["nv_tileaa.addi", "arith.addi", "nv_tileaa.subi"])
            return self.define(f"{name} {carried}, {step} : i8")
        if kind == "mixed" or depth > 1:
            other = rng.choice(others)
            return self.define(f"nv_tileaa.muli {carried}, {other} : i8")
        if kind == "loop":
            return self.loop(rng.sample(others, 3), depth + 1)[0]
        first, second = rng.choice(others), rng.choice(others)
        test = self.define(f"arith.cmpi slt, {first}, {second} : i8")
        self.names += 2
        unused, used = f"%v{self.names - 1}", f"%v{self.names}"
        self.lines.append(f"{unused}, {used} = scf.if {test} -> (i8, i8) {{")
        ends = [carried, first, second]
        inner = self.following(carried, others, 2)
        self.lines.append(f"scf.yield {inner}, {rng.choice([*ends, inner])} : i8, i8")
        self.lines.append("} else {")
        poison = self.define("ub.poison : i8")
        inner = self.following(carried, others, 2)
        self.lines.append(f"scf.yield {poison}, {rng.choice([*ends, inner])} : i8, i8")
        self.lines.append("}")
        return used

    def loop(self, inits: list[str], depth: int) -> list[str]:
        """A loop that carries values; its results."""
        bounds = [self.constant(-9, 3), self.constant(-4, 12)]
        step = self.constant(1, self.rng.choice([1, 3]))
        self.names += 1
        number, count = self.names, len(inits)
        results = [f"%r{number}_{index}" for index in range(count)]
        carried = [f"%c{number}_{index}" for index in range(count)]
        pairs = ", ".join(f"{c} = {i}" for c, i in zip(carried, inits, strict=True))
        types = ", ".join(["i8"] * count)
        self.lines.append(
            f"{', '.join(results)} = scf.for %i{number} = {bounds[0]} to {bounds[1]} "
            f"step {step} iter_args({pairs}) -> ({types}) : i8 {{"
        )
        scope = [*carried, f"%i{number}"]
        ends = [self.following(each, scope, depth) for each in carried]
        self.lines += [f"scf.yield {', '.join(ends)} : {types}", "}"]
        return results

    def module(self) -> ModuleOp:
        inits = [self.rng.choice(["%a", "%b"]) for _ in range(CARRIED)]
        results = self.loop([*inits[1:], self.constant(-9, 9)], 0)
        used = self.rng.sample(results, RESULTS)
        for number, result in enumerate(used):
            self.lines.append(f"%o{number} = arith.constant {number} : i64")
            self.lines.append(
                f"%p{number} = nv_tileaa.addptr %out, %o{number} "
                "{elem_type = i8} : !llvm.ptr<1>, i64"
            )
            self.lines.append(
                f"%t{number} = nv_tileaa.store %p{number}, {result} token(%t) "
                ": !llvm.ptr<1>, i8 -> !nv_tileaa.mem_token"
            )
        body = "\n".join(self.lines)
        return load(f"""
        "gpu.module"() <{{sym_name = "m"}}> ({{
          "gpu.func"() <{{function_type = (!llvm.ptr<1>, i8, i8) -> (), kernel}}> ({{
          ^bb0(%out: !llvm.ptr<1>, %a: i8, %b: i8):
            %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
            {body}
            "gpu.return"() : () -> ()
          }}) {{sym_name = "k"}} : () -> ()
        }}) : () -> ()
        """)


def results(module: ModuleOp, first: int, second: int) -> list[int]:
    out = np.zeros(RESULTS, np.int8)
    run(module, grid=1, args=[out, first, second])
    return out.tolist()


def count_carried(module: ModuleOp) -> int:
    return sum(len(op.results) for op in module.walk() if isinstance(op, scf.ForOp))


def test_loops_compute_the_same():
    dropped = 0
    for seed in range(PROGRAMS):
        module = Writer(random.Random(seed)).module()
        simplified = module.clone()
        SimplifyLoopsPass().apply(context(), simplified)
        simplified.verify()
        dropped += count_carried(module) - count_carried(simplified)
        rng = random.Random(seed)
        for _ in range(2):
            numbers = rng.randint(-128, 127), rng.randint(-128, 127)
            assert results(simplified, *numbers) == results(module, *numbers), f"seed {seed}"
    assert dropped > 3 * PROGRAMS
