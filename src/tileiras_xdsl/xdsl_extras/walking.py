"""A walk over ops, for code of threads, where xDSL's costs more than what is done on the way."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation


def walk(root: Operation) -> Iterator[Operation]:
    """
    The ops of `root.walk()` in its order; that one passes every op through three generators for
    each level of nesting. Nothing may be changed on the way.
    """
    yield root
    for region in root.regions:
        for block in region.blocks:
            op = block.first_op
            while op is not None:
                if op.regions:
                    yield from walk(op)
                else:
                    yield op
                op = op.next_op
