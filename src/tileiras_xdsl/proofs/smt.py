"""The solver: what it is asked, and what it answers."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from time import process_time
from typing import Any, Literal, TypeAlias

Term: TypeAlias = Any
"""An expression of the solver."""

Answer: TypeAlias = Literal["proven", "refuted", "unknown"]

DEFAULT_TIMEOUT = 20.0
"""How many seconds the solver may take for one question."""


class SolverIsMissing(ImportError):
    """There is no z3."""


@cache
def load_solver() -> Any:
    """The module `z3`; where it is not installed, the error says what to install."""
    try:
        return importlib.import_module("z3")
    except ImportError as error:
        raise SolverIsMissing(
            "proofs need the SMT solver z3: pip install 'tileiras-xdsl[prove]'"
        ) from error


class _Solver:
    """The functions of `z3`, which is imported by the first use of one."""

    def __getattr__(self, name: str) -> Any:
        return getattr(load_solver(), name)


z3: Any = _Solver()


@dataclass(frozen=True)
class Verdict:
    """What the solver says about a claim."""

    answer: Answer
    seconds: float
    counterexample: str = ""
    """Values with which the claim does not hold."""

    def __str__(self) -> str:
        return f"{self.answer}: {self.counterexample}" if self.counterexample else self.answer


def prove(
    claim: Term, assumptions: Sequence[Term] = (), timeout: float = DEFAULT_TIMEOUT
) -> Verdict:
    """Whether a claim holds for all values with which the assumptions hold."""
    start = process_time()
    negated = z3.simplify(z3.Not(claim))
    if z3.is_false(negated):
        return Verdict("proven", process_time() - start)
    result, solver = z3.unknown, z3.Solver()
    for solver in _solvers(negated):
        solver.set("timeout", int(timeout * 1000))
        solver.add(*assumptions, negated)
        try:
            result = solver.check()
        except z3.Z3Exception:  # a tactic that does not apply
            continue
        if result != z3.unknown:
            break
    seconds = process_time() - start
    if result == z3.unsat:
        return Verdict("proven", seconds)
    if result == z3.sat:
        model = solver.model()
        found = sorted(f"{each.name()} = {model[each]}" for each in model.decls())
        return Verdict("refuted", seconds, ", ".join(found))
    return Verdict("unknown", seconds)


def _solvers(claim: Term) -> Iterator[Term]:
    """Solvers to try: with floats, first one that makes bit-vectors of them at once."""
    if "fp." in claim.sexpr():
        yield z3.Then("simplify", "fpa2bv", "simplify", "qfufbv").solver()
    yield z3.Solver()
