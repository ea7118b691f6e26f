"""Which pictures there are to see after a pass of the pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from math import prod
from typing import Final

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.dialects.nv_tileas.decisions import LAYOUT, LAYOUT_A, LAYOUT_B
from tileiras_xdsl.dialects.nv_tileas.layout import LayoutAttr, SharedLayoutAttr
from tileiras_xdsl.transforms.common.kernel_spec import kernels

from .graph import control_flow, is_token, token_graph
from .layouts import layout_picture, shared_picture
from .memory import shared_memory_over_time
from .picture import MarksOf, Picture, no_marks, tally
from .timeline import is_scheduled, schedule_timeline

MOST_LAYOUTS: Final = 4
"""Of a module; the largest tiles are shown."""
Source = Callable[[ModuleOp, MarksOf], Iterator[Picture]]


def collect(step: str, module: ModuleOp, *, marks_of: MarksOf = no_marks) -> list[Picture]:
    """
    The pictures of a module after a pass, or after `read`; few, and none for most passes.
    `marks_of` says where ops come from: pictures tell of which ops they are, and so do their
    parts by the attribute `data-marks`.
    """
    return [picture for source in SOURCES.get(step, ()) for picture in source(module, marks_of)]


def has_pictures(step: str, module: ModuleOp) -> bool:
    """Whether there are pictures of a module after a pass."""
    return any(True for source in SOURCES.get(step, ()) for _ in source(module, no_marks))


def _tokens(module: ModuleOp, marks_of: MarksOf) -> Iterator[Picture]:
    if any(is_token(ty) for op in module.walk() for ty in op.result_types):
        yield token_graph(module, marks_of=marks_of)


def _flow(module: ModuleOp, marks_of: MarksOf) -> Iterator[Picture]:
    yield control_flow(module, marks_of=marks_of)


def _schedules(module: ModuleOp, marks_of: MarksOf) -> Iterator[Picture]:
    for function in kernels(module):
        timeline = schedule_timeline(function)
        if timeline.loops:
            ops = [op for op in function.walk() if is_scheduled(op)]
            yield _with_marks(timeline.to_picture(marks_of), ops, marks_of)


def _memory(module: ModuleOp, marks_of: MarksOf) -> Iterator[Picture]:
    try:
        picture = shared_memory_over_time(module, marks_of=marks_of)
    except DiagnosticException:
        return  # The next pass will say why.
    yield picture


def _layouts(module: ModuleOp, marks_of: MarksOf) -> Iterator[Picture]:
    for ty, ops in _largest(module, LayoutAttr).items():
        shape = "x".join(map(str, ty.get_shape()))
        title = f"Layout of {shape} tiles: {tally(ops, MOST_LAYOUTS)}"
        yield _with_marks(layout_picture(ty, title), ops, marks_of)


def _shared(module: ModuleOp, marks_of: MarksOf) -> Iterator[Picture]:
    for ty, ops in _largest(module, SharedLayoutAttr).items():
        yield _with_marks(shared_picture(ty), ops, marks_of)


def _with_marks(picture: Picture, ops: list[Operation], marks_of: MarksOf) -> Picture:
    marks = {mark for op in ops for mark in marks_of(op)}
    return replace(picture, marks=tuple(sorted(marks)))


def _largest(
    module: ModuleOp, encoding: type[LayoutAttr | SharedLayoutAttr]
) -> dict[TensorType, list[Operation]]:
    """Types with different layouts, the largest, and the ops that give or choose them."""
    found: dict[tuple[object, ...], tuple[TensorType, dict[Operation, None]]] = {}
    for op in module.walk():
        for ty in (each for result in op.result_types for each in _tensors(result)):
            if isinstance(ty.encoding, encoding):
                key = ty.get_shape(), ty.encoding
                if encoding is SharedLayoutAttr:
                    key = *key, ty.element_type
                found.setdefault(key, (ty, {}))[1][op] = None
        for ty in _chosen(op):
            if isinstance(ty.encoding, encoding):
                found.setdefault((ty.get_shape(), ty.encoding), (ty, {}))[1][op] = None
    types = {ty: list(ops) for ty, ops in found.values() if _elements(ty) > 1}
    largest = sorted(types, key=_elements, reverse=True)[:MOST_LAYOUTS]
    return {ty: types[ty] for ty in largest}


def _elements(ty: TensorType) -> int:
    return prod(ty.get_shape())


def _chosen(op: Operation) -> Iterator[TensorType]:
    """Layouts that a pass has chosen for an op but not yet given to its tensors."""
    values = {
        LAYOUT: op.results,
        LAYOUT_A: op.operands[:1],
        LAYOUT_B: op.operands[1:2],
    }
    for anchor, values_ in values.items():
        layout = anchor.get(op)
        if layout is not None and values_:
            for ty in _tensors(values_[0].type):
                if ty.encoding != layout and len(layout.data[1][1][0]) == ty.get_num_dims():
                    yield TensorType(ty.element_type, ty.get_shape(), layout)


@cache
def _tensors(ty: Attribute) -> tuple[TensorType, ...]:
    """The tensor types in a type: those that a pipeline holds, for example."""
    match ty:
        case TensorType():
            return (ty,)
        case ArrayAttr():
            parts: tuple[Attribute, ...] = ty.data
        case ParametrizedAttribute():
            parts = ty.parameters
        case _:
            return ()
    return tuple(tensor for part in parts for tensor in _tensors(part))


SOURCES: Final[dict[str, tuple[Source, ...]]] = {
    "read": (_flow, _tokens),
    "convert-cuda-tile-to-tileaa": (_tokens,),
    "discharge-mem-tokens": (_tokens,),
    "tileas-assign-dot-layouts": (_layouts,),
    "tileas-assign-load-store-layouts": (_layouts,),
    "tileas-remove-layout-conversions": (_layouts,),
    "tileas-generate-schedule": (_schedules,),
    "tileas-materialize-schedule": (_flow, _tokens, _shared),
    "tileas-unspecialized-pipeline": (_flow, _shared),
    "tileas-materialize-convert-layout": (_memory,),
    "convert-tileas-to-nvgpu": (_flow,),
    "convert-scf-while-to-cf": (_flow,),
}
"""By the name of a pass."""
