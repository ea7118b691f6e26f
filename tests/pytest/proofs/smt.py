"""The solver: what it is asked, and what it answers."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from time import process_time
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


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


# Claims about few bits, checked for every value: the term is computed with arrays of all values.
#
# This is for what is hard for the solver, such as products and quotients of two unknown numbers,
# at a width that still has them all.


MAX_BITS = 26
"""The most bits that all variables may have together."""
CHUNK_BITS = 20
"""Values are computed this many at a time."""
MAX_WIDTH = 31
"""Products of wider numbers do not fit."""


class TermValues:
    """The values of terms, given those of variables. Numbers are not negative."""

    def __init__(self, variables: dict[str, Any]):
        self.variables = variables
        self.known: dict[int, Any] = {}

    def get(self, term: Term) -> Any:
        """The value of a term; operands come first, as terms may be deep."""
        stack = [term]
        while stack:
            each = stack[-1]
            key = each.get_id()
            if key in self.known:
                stack.pop()
                continue
            missing = [child for child in each.children() if child.get_id() not in self.known]
            if missing:
                stack += missing
                continue
            values = [self.known[child.get_id()] for child in each.children()]
            self.known[key] = self.compute(each, values)
            stack.pop()
        return self.known[term.get_id()]

    def compute(self, term: Term, values: Sequence[Any]) -> Any:
        import numpy as np

        kind, name = term.decl().kind(), term.decl().name()
        if z3.is_bv_value(term):
            return term.as_long()
        if z3.is_true(term) or z3.is_false(term):
            return z3.is_true(term)
        if kind == z3.Z3_OP_UNINTERPRETED and not values:
            return self.variables[name]
        booleans: dict[int, Callable[..., Any]] = {
            z3.Z3_OP_AND: lambda *x: np.logical_and.reduce(np.broadcast_arrays(*x)),
            z3.Z3_OP_OR: lambda *x: np.logical_or.reduce(np.broadcast_arrays(*x)),
            z3.Z3_OP_NOT: np.logical_not,
            z3.Z3_OP_IMPLIES: np.less_equal,
            z3.Z3_OP_EQ: np.equal,
            z3.Z3_OP_DISTINCT: np.not_equal,
            z3.Z3_OP_ITE: np.where,
            z3.Z3_OP_ULEQ: np.less_equal,
            z3.Z3_OP_UGEQ: np.greater_equal,
            z3.Z3_OP_ULT: np.less,
            z3.Z3_OP_UGT: np.greater,
        }
        if kind in booleans:
            return booleans[kind](*values)
        width = term.children()[0].size()
        signed: dict[int, Callable[..., Any]] = {
            z3.Z3_OP_SLEQ: np.less_equal,
            z3.Z3_OP_SGEQ: np.greater_equal,
            z3.Z3_OP_SLT: np.less,
            z3.Z3_OP_SGT: np.greater,
        }
        if kind in signed:
            return signed[kind](*(_signed(value, width) for value in values))
        half = 1 << (width - 1)
        match kind:
            case z3.Z3_OP_BSMUL_NO_OVFL:
                return _signed(values[0], width) * _signed(values[1], width) < half
            case z3.Z3_OP_BSMUL_NO_UDFL:
                return _signed(values[0], width) * _signed(values[1], width) >= -half
            case z3.Z3_OP_BUMUL_NO_OVFL:
                return values[0] * values[1] < 2 * half
            case _:
                pass
        if not z3.is_bv(term) or term.size() > MAX_WIDTH:
            raise ValueError(f"'{term.decl()}' of {width} bits cannot be evaluated")
        return self.number(kind, term, values, width) & ((1 << term.size()) - 1)

    def number(self, kind: int, term: Term, values: Sequence[Any], width: int) -> Any:
        import numpy as np

        where: Any = np.where
        match kind:
            case z3.Z3_OP_BADD:
                return sum(values[1:], values[0])
            case z3.Z3_OP_BMUL:
                product = values[0]
                for value in values[1:]:
                    product = (product * value) & ((1 << width) - 1)
                return product
            case z3.Z3_OP_BSUB:
                return values[0] - sum(values[2:], values[1])
            case z3.Z3_OP_BNEG:
                return -values[0]
            case z3.Z3_OP_BNOT:
                return ~values[0]
            case z3.Z3_OP_BAND:
                return np.bitwise_and.reduce(np.broadcast_arrays(*values))
            case z3.Z3_OP_BOR:
                return np.bitwise_or.reduce(np.broadcast_arrays(*values))
            case z3.Z3_OP_BXOR:
                return np.bitwise_xor.reduce(np.broadcast_arrays(*values))
            case z3.Z3_OP_BUDIV | z3.Z3_OP_BUDIV_I:
                divisor = np.where(np.equal(values[1], 0), 1, values[1])
                return np.where(np.equal(values[1], 0), -1, values[0] // divisor)
            case z3.Z3_OP_BUREM | z3.Z3_OP_BUREM_I:
                divisor = np.where(np.equal(values[1], 0), 1, values[1])
                return where(np.equal(values[1], 0), values[0], values[0] % divisor)
            case z3.Z3_OP_BSDIV | z3.Z3_OP_BSDIV_I | z3.Z3_OP_BSREM | z3.Z3_OP_BSREM_I:
                first, second = (np.asarray(_signed(value, width)) for value in values)
                divisor = np.where(second == 0, 1, second)
                quotient = np.abs(first) // np.abs(divisor) * np.sign(first) * np.sign(divisor)
                if kind in (z3.Z3_OP_BSDIV, z3.Z3_OP_BSDIV_I):
                    return np.where(second == 0, np.where(first < 0, 1, -1), quotient)
                return np.where(second == 0, first, first - quotient * divisor)
            case z3.Z3_OP_BSHL:
                shifted = values[0] << np.minimum(values[1], width)
                return np.where(np.greater_equal(values[1], width), 0, shifted)
            case z3.Z3_OP_BLSHR:
                return values[0] >> np.minimum(values[1], width)
            case z3.Z3_OP_BASHR:
                numbers: Any = _signed(values[0], width)
                return numbers >> np.minimum(values[1], width)
            case z3.Z3_OP_EXTRACT:
                return values[0] >> term.params()[1]
            case z3.Z3_OP_ZERO_EXT:
                return values[0]
            case z3.Z3_OP_SIGN_EXT:
                return _signed(values[0], width)
            case z3.Z3_OP_CONCAT:
                total = values[0]
                for value, child in zip(values[1:], term.children()[1:], strict=True):
                    total = (total << child.size()) | value
                return total
            case _:
                raise ValueError(f"'{term.decl()}' cannot be evaluated")


def _signed(value: Any, width: int) -> Any:
    import numpy as np

    half = 1 << (width - 1)
    numbers: Any = np.asarray(value)
    where: Any = np.where
    return where(numbers >= half, numbers - 2 * half, numbers)


def find_variables(terms: Sequence[Term]) -> dict[str, int]:
    """The variables of terms, and how many bits they have."""
    found: dict[str, int] = {}
    seen: set[int] = set()
    stack = list(terms)
    while stack:
        term = stack.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        stack += term.children()
        if term.decl().kind() == z3.Z3_OP_UNINTERPRETED and not term.children():
            found[term.decl().name()] = term.size() if z3.is_bv(term) else 1
    return dict(sorted(found.items()))


def exhaust(claim: Term, assumptions: Sequence[Term] = ()) -> Verdict:
    """Whether a claim holds for all values with which the assumptions hold, by trying each."""
    import numpy as np

    start = process_time()
    wrong = z3.simplify(z3.And(*assumptions, z3.Not(claim)))
    variables = find_variables([wrong])
    total = sum(variables.values())
    if total > MAX_BITS:
        raise ValueError(
            f"{total} bits of values are too many to try each, at most {MAX_BITS} are not"
        )
    size = 1 << min(total, CHUNK_BITS)
    for chunk in range(1 << max(0, total - CHUNK_BITS)):
        number: Numbers = np.arange(chunk * size, (chunk + 1) * size, dtype=np.int64)
        known: dict[str, Any] = {}
        for name, width in variables.items():
            known[name] = number & ((1 << width) - 1)
            number = number >> width
        with np.errstate(all="ignore"):
            found = np.broadcast_to(TermValues(known).get(wrong), (size,))
        if found.any():
            place = int(np.argmax(found))
            text = ", ".join(f"{name} = {int(values[place])}" for name, values in known.items())
            return Verdict("refuted", process_time() - start, text)
    return Verdict("proven", process_time() - start)
