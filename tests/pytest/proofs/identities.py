"""What `privatize-atomics` fills private copies with changes nothing, and order does not matter."""

from __future__ import annotations

from tileiras_xdsl.analysis.privatization import ELEMENT_BITS, IDENTITIES

from .accesses import MODES
from .smt import Verdict, prove, z3


def prove_identity(mode: str) -> Verdict:
    """An operation with its identity gives the other operand; it commutes and is associative."""
    combine = MODES[mode]
    a, b, c = (z3.BitVec(name, ELEMENT_BITS) for name in "abc")
    identity = z3.BitVecVal(IDENTITIES[mode](ELEMENT_BITS), ELEMENT_BITS)
    claim = z3.And(
        combine(a, identity) == a,
        combine(a, b) == combine(b, a),
        combine(combine(a, b), c) == combine(a, combine(b, c)),
    )
    return prove(claim)
