"""
Rules about floats: by the solver's theory in half precision, and by trying all pairs of numbers of
eight bits.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tileiras_xdsl.transforms.cuda_tile.canonicalization.patterns import MoveProductToLeft
from tileiras_xdsl.transforms.cuda_tile.fuse_fma import FuseMultiplication

from .canonicalization import parse
from .floats import IS_CONTRACTED, flush, to_bits, to_float
from .programs import Program
from .rewrites import Step, prove_steps
from .smt import Term, Verdict, prove, z3

ROUNDINGS = ("RNE", "RTZ", "RTN", "RTP")


def prove_commutes(name: str, sort: tuple[int, int], *, is_flushed: bool) -> Verdict:
    """Whether the sum or the product does not depend on the order of operands, in every mode."""
    total = z3.FPSort(*sort)
    bits = [z3.BitVec(each, sum(sort)) for each in "ab"]
    values = [to_float(each, total) for each in bits]
    if is_flushed:
        values = [flush(value) for value in values]
    claims: list[Term] = []
    for mode in ROUNDINGS:
        both = [getattr(z3, name)(getattr(z3, mode)(), *order) for order in (values, values[::-1])]
        claims.append(to_bits(both[0]) == to_bits(both[1]))
    return prove(z3.And(*claims), (), 60.0)


def exhaust_commutes(dtype: Any) -> bool:
    """Whether sums and products of all pairs of a format of eight bits commute."""
    numbers = np.arange(256, dtype=np.uint8).view(dtype)
    left, right = numbers[:, None], numbers[None, :]
    with np.errstate(all="ignore"):
        pairs = [(left + right, right + left), (left * right, right * left)]
    return all(is_same(first, second) for first, second in pairs)


def is_same(first: Any, second: Any) -> bool:
    """Whether arrays have the same bits, all NaNs being one."""
    nans = np.isnan(first.astype(np.float32)) & np.isnan(second.astype(np.float32))
    return bool(((first.view(np.uint8) == second.view(np.uint8)) | nans).all())


SMALL_FLOATS: tuple[Any, ...] = (
    ml_dtypes.float8_e5m2,
    ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e4m3,
    ml_dtypes.float8_e3m4,
)


FUSED = """cuda_tile.module @m {
testing$func @left(%a: V, %b: V, %c: V) -> V {
  %m = mulf %a, %b{M} : T
  %r = addf %m, %c{M} : T
  return %r : T
}
testing$func @right(%a: V, %b: V, %c: V) -> V {
  %m = mulf %a, %b{M} : T
  %r = addf %c, %m{M} : T
  return %r : T
}
testing$func @difference(%a: V, %b: V, %c: V) -> V {
  %m = mulf %a, %b{M} : T
  %r = subf %m, %c{M} : T
  return %r : T
}
}"""
MODES = ("", " rounding<zero>", " rounding<negative_inf>", " flush_to_zero")


def fused_steps(mode: str, element: str = "f32") -> list[Step]:
    """What `fuse-fma` does; `fma` is taken for a product and a sum, each of them rounded."""
    text = FUSED.replace("{M}", mode).replace("V", "!cuda_tile.T")
    program = Program("fma", element, text.replace("T", f"tile<{element}>"))
    reset = IS_CONTRACTED.set(True)
    try:
        return list(prove_steps(parse(program), [MoveProductToLeft(), FuseMultiplication()]))
    finally:
        IS_CONTRACTED.reset(reset)
