"""Layouts of two tiles that are put one behind the other."""

from __future__ import annotations

from tileiras_xdsl.analysis.linear_layout import LinearLayout, flatten, unflatten


def cat_layout(part: LinearLayout, dim: int) -> LinearLayout:
    """
    The layout of two tiles of one layout, the second behind the first along a dimension: twice
    the registers, those of the first tile before those of the second.
    """
    shape = list(part.shape)
    shape[dim] *= 2

    def embed(number: int) -> int:
        return flatten(unflatten(number, part.shape), shape)

    second = [0] * len(shape)
    second[dim] = part.shape[dim]
    inputs = tuple((name, tuple(map(embed, bases))) for name, bases in part.inputs)
    layout = LinearLayout(tuple(shape), inputs)
    return layout.replaced(register=(*layout.register, flatten(second, shape)))
