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

    from .compilation import CompilerWarning


def make_remarks(warnings: Iterable[CompilerWarning], result: PtxasResult) -> str:
    """What passes and ptxas had to say."""
    return "".join((*_of_warnings(warnings), *_of_ptxas(result)))


def _of_warnings(warnings: Iterable[CompilerWarning]) -> Iterator[str]:
    for warning in warnings:
        arguments = {"Remark": warning.report.message}
        yield _document("Missed", "Hints", "RemarkHintIgnored", warning.function, arguments)


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
    kind: str, category: str, name: str, function: str, arguments: Mapping[str, str]
) -> str:
    head = {"Pass": category, "Name": name, "Function": _quote(function)}
    lines = [f"--- !{kind}", *(f"{key + ':':16} {value}" for key, value in head.items()), "Args:"]
    lines += [f"  - {key + ':':12} {_quote(value)}" for key, value in arguments.items()]
    return "\n".join((*lines, "...", ""))


def _quote(text: str) -> str:
    """A YAML string on one line."""
    return "'" + " ".join(text.split()).replace("'", "''") + "'"
