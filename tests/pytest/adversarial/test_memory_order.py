"""
Memory order down to PTX: the orders and scopes of loads, stores and atomics, and strong loads that
are neither merged, nor moved out of loops, nor served by caches that are not coherent.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import product

import pytest

from tileiras_xdsl import load
from tileiras_xdsl.backend import nvptx
from tileiras_xdsl.backend.target import NvptxTarget
from tileiras_xdsl.backend.translate import translate_module

from ..harness.cases import covering
from ..harness.passes import lower

SCOPES = {"tl_blk": "cta", "device": "gpu", "sys": "sys"}
LOADS, STORES = ("relaxed", "acquire"), ("relaxed", "release")
UPDATES = ("relaxed", "acquire", "release", "acq_rel")
WAYS = covering(("sm_80", "sm_90", "sm_120"), (0, 3))
POINTER, TILE = "tile<ptr<i32>>", "tile<i32>"


def kernel(lines: list[str], parameters: str = "%p: tile<ptr<i32>>, %q: tile<ptr<i32>>") -> str:
    """A kernel of some accesses, in the order of a token."""
    body = "\n    ".join(lines)
    return f"""
cuda_tile.module @m {{
  entry @k({parameters}) {{
    %one = constant <i32: 1> : tile<i32>
    %t0 = make_token : token
    {body}
    return
  }}
}}"""


@cache
def ptx_of(text: str, arch: str, opt: int) -> str:
    target = NvptxTarget.parse(arch)
    module = lower(load(text), "nvvm", arch=arch, opt=opt)
    return nvptx.compile_to_ptx(translate_module(module, target), target)


def count(ptx: str, pattern: str) -> Counter[str]:
    """The words of instructions on global memory that match."""
    return Counter(match.group(0) for match in re.finditer(pattern, ptx))


@pytest.mark.parametrize(("arch", "opt"), WAYS)
def test_orders_and_scopes_of_accesses(arch: str, opt: int):
    """Each is there once, results that nobody needs included."""
    lines: list[str] = []
    token = "%t0"
    for number, (order, scope) in enumerate(product(LOADS, SCOPES)):
        lines.append(
            f"%l{number}, %lt{number} = load_ptr_tko {order} {scope} %p token={token} : {POINTER} "
            f"-> {TILE}, token"
        )
        token = f"%lt{number}"
    for number, (order, scope) in enumerate(product(STORES, SCOPES)):
        lines.append(
            f"%st{number} = store_ptr_tko {order} {scope} %p, %one token={token} : {POINTER}, "
            f"{TILE} -> token"
        )
        token = f"%st{number}"
    ptx = ptx_of(kernel(lines), arch, opt)
    for name, orders in (("ld", LOADS), ("st", STORES)):
        wanted = {f"{name}.{o}.{SCOPES[s]}.global": 1 for o, s in product(orders, SCOPES)}
        assert count(ptx, rf"\b{name}\.(relaxed|acquire|release)\.\w+\.global") == wanted


@pytest.mark.parametrize(("arch", "opt"), WAYS)
@pytest.mark.parametrize("is_used", [True, False])
def test_orders_and_scopes_of_atomics(arch: str, opt: int, is_used: bool):
    """What acquires has to read, even if nobody needs what it reads."""
    lines: list[str] = []
    token = "%t0"
    for number, (order, scope) in enumerate(product(UPDATES, SCOPES)):
        lines.append(
            f"%a{number}, %at{number} = atomic_rmw_tko {order} {scope} %p, add, %one "
            f"token={token} : {POINTER}, {TILE} -> {TILE}, token"
        )
        token = f"%at{number}"
        if is_used:
            lines.append(
                f"%u{number} = store_ptr_tko weak %q, %a{number} token={token} : {POINTER}, "
                f"{TILE} -> token"
            )
            token = f"%u{number}"
    ptx = ptx_of(kernel(lines), arch, opt)
    wanted: dict[str, int] = {}
    for order, scope in product(UPDATES, SCOPES):
        word = "red" if not is_used and order in ("relaxed", "release") else "atom"
        wanted[f"{word}.{order}.{SCOPES[scope]}.global.add"] = 1
    assert count(ptx, r"\b(atom|red)\.\w+\.\w+\.global\.add") == wanted


@pytest.mark.parametrize(("arch", "opt"), WAYS)
def test_strong_loads_are_not_merged(arch: str, opt: int):
    """Three of the same address in a row, and weak ones that an acquire stands between."""
    lines = [
        f"%l{n}, %lt{n} = load_ptr_tko relaxed device %p : {POINTER} -> {TILE}, token"
        for n in range(3)
    ]
    lines += [
        f"%w0, %wt0 = load_ptr_tko weak %q : {POINTER} -> {TILE}, token",
        f"%f, %ft = load_ptr_tko acquire device %p token=%wt0 : {POINTER} -> {TILE}, token",
        f"%w1, %wt1 = load_ptr_tko weak %q token=%ft : {POINTER} -> {TILE}, token",
    ]
    values = ["%l0", "%l1", "%l2", "%w0", "%f", "%w1"]
    sums = [
        f"%s{n} = addi {values[0] if n == 0 else f'%s{n - 1}'}, {value} : {TILE}"
        for n, value in enumerate(values[1:])
    ]
    end = f"%done = store_ptr_tko weak %r, %s{len(sums) - 1} : {POINTER}, {TILE} -> token"
    parameters = "%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %r: tile<ptr<i32>>"
    ptx = ptx_of(kernel([*lines, *sums, end], parameters), arch, opt)
    assert len(re.findall(r"\bld\.relaxed\.gpu\.global", ptx)) == 3
    assert len(re.findall(r"\bld\.global\.", ptx)) == 2
    assert ".nc" not in ptx
    first, second = (match.start() for match in re.finditer(r"\bld\.global\.", ptx))
    assert first < ptx.index("ld.acquire.gpu.global") < second


@pytest.mark.parametrize(("arch", "opt"), WAYS)
def test_strong_loads_stay_in_loops(arch: str, opt: int):
    """A loop that waits for a flag loads it in each iteration."""
    lines = [
        "%seen = loop iter_values(%n = %one) : tile<i32> -> tile<i32> {",
        f"%l, %lt = load_ptr_tko relaxed sys %p : {POINTER} -> {TILE}, token",
        "%is = cmpi equal %l, %one, signed : tile<i32> -> tile<i1>",
        "if %is {",
        "break %n : tile<i32>",
        "}",
        "%more = addi %n, %one : tile<i32>",
        "continue %more : tile<i32>",
        "}",
        f"%done = store_ptr_tko weak %q, %seen : {POINTER}, {TILE} -> token",
    ]
    ptx = ptx_of(kernel(lines), arch, opt)
    place = ptx.index("ld.relaxed.sys.global")
    before = re.findall(r"^\$?(\w+):", ptx[:place], re.MULTILINE)
    assert any(re.search(rf"\bbra[.\w]*\s+\$?{label};", ptx[place:]) for label in before)
