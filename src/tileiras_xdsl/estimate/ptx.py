"""
Kinds of instructions of PTX.

    wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16   tensor cores
    cp.async.bulk.tensor.2d.shared::cluster.global.tile   TMA
    @%p1 bra $L__BB0_2;                                   branches
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, Literal, get_args

PtxKind = Literal[
    "tensor cores",
    "TMA",
    "global memory",
    "shared memory",
    "tensor memory",
    "local memory",
    "atomics",
    "synchronization",
    "warp shuffles",
    "special functions",
    "conversions",
    "floats",
    "integers",
    "moves",
    "branches",
    "other",
]
"""What an instruction is about; `warp shuffles` are all exchanges between lanes of a warp."""
KINDS: Final[tuple[PtxKind, ...]] = get_args(PtxKind)

_CODE: Final = re.compile(
    r"(?:\$?[\w$]+:\s+)?(?:\{\s*)?(?:@!?%?\w+\s+)?([a-z][a-z\d_]*(?:[.:][\w.:]+)?)"
)
_NO_CODE: Final = re.compile(r"(?:[{(]\s*)?(?:\.|//|\}|\)|$|\$?[\w$]+:\s*$)")
_ENTRY: Final = re.compile(r"^(?:\.\w+\s+)*\.(?:entry|func)\b[^\n]*?\b([\w$]+)\s*\(", re.MULTILINE)

_NAMES: Final[tuple[tuple[str, PtxKind], ...]] = (
    (r"wgmma\.mma|mma\.|tcgen05\.mma", "tensor cores"),
    (
        r"bar\.|barrier|mbarrier|fence|membar|griddepcontrol|elect\."
        r"|wgmma|tcgen05\.(?:wait|commit|alloc|dealloc|relinquish|fence)|cp\.async\.(?:bulk\.)?"
        r"(?:commit|wait|mbarrier)|cp\.reduce\.async\.bulk\.commit|setmaxnreg|nanosleep|pmevent"
        r"|prefetch|discard|tensormap",
        "synchronization",
    ),
    (r"cp\.(?:reduce\.)?async\.bulk", "TMA"),
    (r"tcgen05\.(?:ld|st|cp|shift)", "tensor memory"),
    (r"atom|red\.(?!ux)", "atomics"),
    (r"(?:ld|st)\.local", "local memory"),
    (r"ld\.param|ld\.const|mov|st\.param|cvta|isspacep|mapa", "moves"),
    (r"cp\.async|(?:ld|st)[\w.:]*\.global", "global memory"),
    (r"ldmatrix|stmatrix|(?:ld|st)[\w.:]*\.shared|st\.bulk|st\.async", "shared memory"),
    (r"(?:ld|st)\.", "global memory"),
    (r"shfl|redux|vote|match|activemask", "warp shuffles"),
    (r"(?:ex2|lg2|sin|cos|tanh|rcp|r?sqrt|div[\w.]*\.f)", "special functions"),
    (r"cvt", "conversions"),
    (r"bra|ret|exit|call|trap|brx", "branches"),
    (r"[\w.]+\.b?f(?:16|32|64)", "floats"),
    (
        r"(?:add|sub|mul|mad|shl|shr|and|or|xor|not|setp?|selp|min|max|neg|abs|rem|div|bfe|bfi"
        r"|prmt|lop3|shf|popc|clz|brev|dp[24]a|slct|fns|addc|subc|bmsk|szext|cnot|mad24|mul24)"
        r"\b",
        "integers",
    ),
)
_PATTERNS: Final[tuple[tuple[re.Pattern[str], PtxKind], ...]] = tuple(
    (re.compile(pattern), kind) for pattern, kind in _NAMES
)


def instructions_of(line: str) -> Iterator[str]:
    """The instructions on a line, with their suffixes: one, or several of inline code."""
    for part in line.partition("//")[0].split(";"):
        text = part.strip()
        if _NO_CODE.match(text) is None and (match := _CODE.match(text)) is not None:
            yield match[1]


@lru_cache(maxsize=4096)
def kind_of(instruction: str) -> PtxKind:
    """What an instruction is about."""
    for pattern, kind in _PATTERNS:
        if pattern.match(instruction) is not None:
            return kind
    return "other"


def functions_of(ptx: str) -> Iterator[tuple[str, list[str]]]:
    """The lines of each function, by its name."""
    starts = [(match[1], match.start()) for match in _ENTRY.finditer(ptx)]
    ends = [start for _, start in starts[1:]] + [len(ptx)]
    for (name, start), end in zip(starts, ends, strict=True):
        yield name, ptx[start:end].splitlines()


def count_kinds(lines: Iterable[str]) -> dict[PtxKind, int]:
    """How many instructions of each kind there are, in the order of kinds."""
    counts = Counter(kind_of(found) for line in lines for found in instructions_of(line))
    return {kind: counts[kind] for kind in KINDS if counts[kind]}
