"""
How much of a kernel's time ops and instructions are likely to stand for, as far as their names say
it: what an op was lowered to is shown with the heaviest first.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from xdsl.ir import Operation

WEIGHTS: Final = tuple(
    (re.compile(pattern), weight)
    for pattern, weight in (
        # Bookkeeping of what follows, which has similar names.
        (r"descriptor|fence|commit|\bwait|wait_|_wait|try_wait|create|init|_pipeline\.|alloc", 2),
        (r"mma|\bdot\b|[.]dot|scaled_dot|\bQMMA|HGMMA|UTC.?MMA|HMMA|IMMA", 9),
        (
            r"tma\.|bulk\.tensor|tiled_load|tiled_store|view_tko|UTMA|tensor_memory_|tcgen05\.(ld|st)",
            8,
        ),
        (r"cp\.async|ldmatrix|stmatrix|fragment|LDSM|STSM|LDGSTS", 7),
        (r"atomic|\bred\b|RED|ATOM", 7),
        (r"reduce|scan|shfl|SHFL|shuffle", 6),
        (r"load|store|\bld\b|\bst\b|ld\.|st\.|LDG|STG|LDS|STS", 6),
        (r"exp|log|sin|cos|tanh|sqrt|div|rem|MUFU", 5),
        (r"fma|mulf|addf|subf|max|min|FFMA|FMUL|FADD|fp_to|convert_layout", 4),
        (r"barrier|mbarrier|bar\.|BAR|SYNCS", 3),
        (r"constant|cast|extract|insert|mov|MOV|undef|poison|yield|return|branch|\bbr\b", 0),
    )
)
"""The first pattern that a name has decides; the page has the same ones."""
OTHERS: Final = 1


@lru_cache(maxsize=4096)
def weight_of_name(name: str) -> int:
    """The weight of an op or instruction of a name, from 0 to 9."""
    return next((weight for pattern, weight in WEIGHTS if pattern.search(name)), OTHERS)


def weight_of(op: Operation) -> int:
    """The weight of an op; of one with regions, which others stand for, 1."""
    has_body = any(region.blocks for region in op.regions)
    return OTHERS if has_body else weight_of_name(op.name)
