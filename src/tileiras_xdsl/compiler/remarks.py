"""
What is told about the code that was generated, as YAML documents like those of `tileiras`.

    --- !Analysis
    Pass:            Resources
    Name:            RemarkResources
    Function:        'matmul'
    Args:
      - Registers:   '168'
    ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tileiras_xdsl.backend.ptxas import PtxasResult
    from tileiras_xdsl.xdsl_extras.diagnostics import Place

    from .compilation import Notice


def make_remarks(notices: Iterable[Notice], result: PtxasResult) -> str:
    """What passes and ptxas had to say."""
    return "".join((*_of_notices(notices), *_of_ptxas(result)))


def _of_notices(notices: Iterable[Notice]) -> Iterator[str]:
    for notice in notices:
        name, message = f"Remark{notice.category}", notice.report.message
        arguments = {"Remark": message}
        place = notice.report.place
        yield _document("Missed", notice.category, name, notice.function, arguments, place)


def _of_ptxas(result: PtxasResult) -> Iterator[str]:
    for function, usage in result.functions.items():
        yield _document(
            "Analysis",
            "Resources",
            "RemarkResources",
            function,
            {
                "Registers": str(usage.registers),
                "SharedMemory": str(usage.shared),
                "Stack": str(usage.stack),
                "SpillStores": str(usage.spill_stores),
                "SpillLoads": str(usage.spill_loads),
            },
        )
    for message in result.messages:
        yield _document("Missed", "Ptxas", "RemarkPtxas", "", {"Remark": message.text})


def _document(
    kind: str,
    category: str,
    name: str,
    function: str,
    arguments: Mapping[str, str],
    place: Place | None = None,
) -> str:
    head = {"Pass": category, "Name": name}
    if place is not None and place.line is not None:
        file = _quote(place.name)
        head["DebugLoc"] = f"{{ File: {file}, Line: {place.line}, Column: {place.column} }}"
    head["Function"] = _quote(function)
    lines = [f"--- !{kind}", *(f"{key + ':':16} {value}" for key, value in head.items()), "Args:"]
    lines += [f"  - {key + ':':12} {_quote(value)}" for key, value in arguments.items()]
    return "\n".join((*lines, "...", ""))


def _quote(text: str) -> str:
    """A YAML string on one line."""
    return "'" + " ".join(text.split()).replace("'", "''") + "'"
