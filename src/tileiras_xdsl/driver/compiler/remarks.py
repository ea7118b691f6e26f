"""
Remarks: what the compiler did, or could not do, and why. In lines or as YAML documents like those
of `tileiras`.

    matmul.py:14:12: remark: passed[memory]: TMA load of 128x64xf16; TMA tiles of 128x64, 4 stages

    --- !Passed
    Pass:            Memory
    Name:            RemarkMemoryTmaLoad
    DebugLoc:        { File: 'matmul.py', Line: 14, Column: 12 }
    Function:        'matmul'
    Args:
      - Remark:      'TMA load of 128x64xf16'
      - Reason:      'TMA tiles of 128x64, 4 stages'
    ...
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, cast

from .options import OptionError

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from tileiras_xdsl.backend.ptxas import PtxasResult
    from tileiras_xdsl.dialects.tileiras import RemarkAttr, RemarkKind

GROUPS: Final = {"memory": ("Memory",), "tensorcore": ("TensorCore", "Pipeline")}
"""Remark categories of each group of the command line; `all` has others as well."""

CATEGORIES: Final = (
    "Memory",
    "TensorCore",
    "Pipeline",
    "Tiles",
    "Plan",
    "Hints",
    "Resources",
    "Validation",
    "Cache",
    "Ptxas",
)
"""What remarks are about."""

_ORDER: Final = ("Failure", "Missed", "Passed", "Analysis")


@dataclass(frozen=True)
class Remark:
    """One remark about a kernel."""

    kind: RemarkKind
    category: str
    """One of `CATEGORIES`, or what a pass of somebody else has."""
    name: str
    """The subject within the category, `TmaLoad`."""
    function: str
    arguments: Mapping[str, str]
    """`Remark`, `Reason` if there is one, and figures for programs that read YAML."""
    file: str = ""
    line: int | None = None
    column: int | None = None
    origin: str = ""
    """The name that the location of the op has, if any: explorations keep track of ops by it."""

    @staticmethod
    def at(
        op: Operation,
        kind: RemarkKind,
        category: str,
        message: str,
        *,
        name: str = "",
        reason: str = "",
    ) -> Remark:
        """A remark at the location of an op, about the function that it is in."""
        from tileiras_xdsl.dialects.tileiras import make_remark

        return Remark.of(make_remark(op, kind, category, message, name=name, reason=reason))

    @staticmethod
    def of(remark: RemarkAttr) -> Remark:
        """A remark of the IR."""
        from xdsl.dialects.builtin import NameLoc

        from tileiras_xdsl.xdsl_extras.diagnostics import first_file_location

        arguments = {"Remark": remark.message.data}
        if remark.reason.data:
            arguments["Reason"] = remark.reason.data
        place, file = remark.place, first_file_location(remark.place)
        return Remark(
            cast("RemarkKind", remark.kind.data),
            remark.category.data,
            remark.subject.data,
            remark.function.data,
            arguments,
            "" if file is None else file.filename.data,
            None if file is None else file.line.data,
            None if file is None else file.column.data,
            place.desc.data if isinstance(place, NameLoc) else "",
        )

    @property
    def message(self) -> str:
        """The message, without the reason."""
        return self.arguments.get("Remark", "")

    @property
    def reason(self) -> str:
        """The reason; empty if there is none."""
        return self.arguments.get("Reason", "")

    @property
    def warning(self) -> str:
        """The remark as a warning: `file:line:col: warning: message`."""
        from tileiras_xdsl.xdsl_extras.diagnostics import ErrorLocation, ErrorReport

        place = ErrorLocation(self.file, self.line, self.column)
        return ErrorReport(place, "warning", self.message).for_cutile()

    def is_in(self, group: str) -> bool:
        """Whether `none`, `all` or one of the groups includes it."""
        return group == "all" or self.category in GROUPS.get(group, ())

    @property
    def text(self) -> str:
        """All that it says, but not where."""
        return "; ".join(filter(None, (self.message, self.reason)))

    @property
    def place(self) -> str:
        """Where in the source: `matmul.py:14:12`; empty if that is not known."""
        return "" if self.line is None else f"{self.file}:{self.line}:{self.column}"

    def __str__(self) -> str:
        """One line of text."""
        head = f"{self.place}: remark" if self.place else "remark"
        return f"{head}: {self.kind.lower()}[{self.category.lower()}]: {self.text}"

    def to_yaml(self) -> str:
        """A YAML document."""
        head = {"Pass": self.category, "Name": f"Remark{self.category}{self.name}"}
        if self.line is not None:
            file = _quote(self.file)
            head["DebugLoc"] = f"{{ File: {file}, Line: {self.line}, Column: {self.column} }}"
        head["Function"] = _quote(self.function)
        lines = [f"--- !{self.kind}", *(f"{key + ':':16} {value}" for key, value in head.items())]
        lines += ["Args:"]
        lines += [f"  - {key + ':':12} {_quote(value)}" for key, value in self.arguments.items()]
        return "\n".join((*lines, "...", ""))


class Remarks(tuple[Remark, ...]):
    """
    Remarks of a compilation: as a string a line for each, in a notebook a table.

        [each.message for each in k.remarks.select("Missed")]
        "TMA load" in k.remarks                       whether one of them has the text
        k.remarks.yaml                                as `tileiras` writes them
    """

    __slots__ = ()

    def select(self, kind: str | None = None, category: str | None = None) -> Remarks:
        """Those of a kind, of a category; in capitals or not."""
        # Passes of others may have categories of their own.
        categories = (*CATEGORIES, *(each.category for each in self))
        kind = _choose("kind", kind, _ORDER)
        category = _choose("category", category, categories)
        return Remarks(
            each for each in self if kind in (None, each.kind) and category in (None, each.category)
        )

    @property
    def yaml(self) -> str:
        """Consecutive YAML documents."""
        return to_yaml(self)

    def __contains__(self, wanted: object) -> bool:
        if isinstance(wanted, str):
            return any(wanted in str(each) for each in self)
        return super().__contains__(wanted)

    def __str__(self) -> str:
        return "\n".join(to_lines(self))

    def __repr__(self) -> str:
        return str(self) or "no remarks"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            "<tr>"
            + "".join(
                f'<td style="text-align:left">{escape(cell)}</td>'
                for cell in (each.kind, each.category, each.text, each.place)
            )
            + "</tr>"
            for each in in_order(self)
        )
        head = "".join(
            f'<th style="text-align:left">{name}</th>' for name in ("kind", "about", "remark", "at")
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _choose(what: str, wanted: str | None, known: Sequence[str]) -> str | None:
    """A name as it is written; `OptionError` if there is none like it."""
    if wanted is None:
        return None
    found = next((each for each in known if each.lower() == wanted.lower()), None)
    if found is None:
        names = ", ".join(dict.fromkeys(known))
        raise OptionError(f"remarks have no {what} '{wanted}', but {names}")
    return found


def in_order(remarks: Iterable[Remark]) -> list[Remark]:
    """Those that a reader can do something about first; of equal ones one."""
    seen = {str(remark): remark for remark in remarks}
    return sorted(seen.values(), key=lambda remark: _ORDER.index(remark.kind))


def to_lines(remarks: Iterable[Remark]) -> list[str]:
    """A line for each, in this order."""
    return list(map(str, in_order(remarks)))


def to_paragraphs(remarks: Iterable[Remark]) -> str:
    """As `tileiras` prints them: a paragraph for each, by function and category."""
    lines: list[str] = []
    ordered = sorted(in_order(remarks), key=lambda each: (each.function, each.category))
    for function, of_function in groupby(ordered, lambda each: each.function):
        lines += [f"in function: {function}:", ""]
        for category, group in groupby(of_function, lambda each: each.category):
            lines.append(f"  category: {category}")
            for each in group:
                lines.append(f"    remark[{each.kind.lower()}]: {each.message}")
                if each.line is not None:
                    lines.append(f'      --> "{each.file}":{each.line}:{each.column}')
                lines += ["       |", f"       = name: Remark{each.category}{each.name}"]
                notes = (item for item in each.arguments.items() if item[0] != "Remark")
                lines += [f"       = note: {key} = {value}" for key, value in notes]
                lines.append("")
            lines.append("")
    return "".join(f"{line}\n" for line in lines)


def to_json(remarks: Iterable[Remark]) -> str:
    """Remarks as text that `from_json` reads."""
    return json.dumps([asdict(remark) for remark in remarks])


def from_json(text: str) -> list[Remark]:
    """The remarks in a JSON text."""
    return [Remark(**fields) for fields in json.loads(text or "[]")]


def to_yaml(remarks: Iterable[Remark]) -> str:
    """Remarks as consecutive YAML documents."""
    return "".join(remark.to_yaml() for remark in remarks)


def of_ptxas(result: PtxasResult) -> Iterator[Remark]:
    """Resource usage and messages of ptxas. A function that spills missed something."""
    for function, usage in result.functions.items():
        spilled = usage.spill_stores + usage.spill_loads
        spills = f"{spilled} bytes of spills" if spilled else "no spills"
        message = f"ptxas: {usage.registers} registers per thread, {spills}"
        arguments = {"Remark": message}
        if spilled:
            arguments["Reason"] = "more values are live than registers"
        arguments |= {
            "Registers": str(usage.registers),
            "SharedMemory": str(usage.shared),
            "Stack": str(usage.stack),
            "SpillStores": str(usage.spill_stores),
            "SpillLoads": str(usage.spill_loads),
        }
        kind: RemarkKind = "Missed" if spilled else "Analysis"
        yield Remark(kind, "Resources", "", function, arguments)
    for message in result.messages:
        yield Remark("Missed", "Ptxas", "", "", {"Remark": message.text})


def _quote(text: str) -> str:
    """A YAML string on one line."""
    return "'" + " ".join(text.split()).replace("'", "''") + "'"
