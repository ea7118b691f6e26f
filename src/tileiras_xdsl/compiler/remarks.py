"""
What is told about the code that was generated, in lines or as YAML documents like those of
`tileiras`.

    loc("matmul.py":14:12): passed[memory]: TMA load of 128x64xf16; boxes of 128x64, 4 stages

    --- !Passed
    Pass:            Memory
    Name:            RemarkMemoryTmaLoad
    DebugLoc:        { File: 'matmul.py', Line: 14, Column: 12 }
    Function:        'matmul'
    Args:
      - Remark:      'TMA load of 128x64xf16'
      - Reason:      'boxes of 128x64, 4 stages'
    ...
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from tileiras_xdsl.backend.ptxas import PtxasResult

Kind = Literal["Passed", "Missed", "Failure", "Analysis"]
"""Something was done, was not done though it may be better, failed, or is just told."""

GROUPS: Final = {"memory": ("Memory",), "tensorcore": ("TensorCore", "Pipeline")}
"""What the command line calls categories; `all` has others as well."""


@dataclass(frozen=True)
class Remark:
    """Something to be told about a kernel."""

    kind: Kind
    category: str
    """`Memory`, `TensorCore`, `Pipeline`, `Hints`, `Resources` or `Ptxas`."""
    name: str
    """What it is about within the category, `TmaLoad`."""
    function: str
    arguments: Mapping[str, str]
    """Usually `Remark`, and `Reason` if there is one."""
    file: str = ""
    line: int | None = None
    column: int | None = None

    @staticmethod
    def at(
        op: Operation, kind: Kind, category: str, message: str, *, name: str = "", reason: str = ""
    ) -> Remark:
        """What is to be told about an op, at its place and of the function that it is in."""
        from tileiras_xdsl.xdsl_extras.diagnostics import source_location

        arguments = {"Remark": message}
        if reason:
            arguments["Reason"] = reason
        remark = Remark(kind, category, name, _function_of(op), arguments)
        if (location := source_location(op)) is None:
            return remark
        file, line, column = location.filename.data, location.line.data, location.column.data
        return replace(remark, file=file, line=line, column=column)

    @property
    def message(self) -> str:
        """What it says, without the reason."""
        return self.arguments.get("Remark", "")

    @property
    def reason(self) -> str:
        """Why; empty if it does not say."""
        return self.arguments.get("Reason", "")

    @property
    def warning(self) -> str:
        """The line for those who did not ask: `loc("file":line:col): warning: message`."""
        from tileiras_xdsl.xdsl_extras.diagnostics import ErrorLocation, ErrorReport

        place = ErrorLocation(self.file, self.line, self.column)
        return ErrorReport(place, "warning", self.message).with_mlir_location()

    def is_in(self, group: str) -> bool:
        """Whether `none`, `all` or one of the groups has it."""
        return group == "all" or self.category in GROUPS.get(group, ())

    def __str__(self) -> str:
        """A line for people to read."""
        head = "" if self.line is None else f'loc("{self.file}":{self.line}:{self.column}): '
        text = "; ".join(
            value if key in ("Remark", "Reason") else f"{key} = {value}"
            for key, value in self.arguments.items()
        )
        return f"{head}{self.kind.lower()}[{self.category.lower()}]: {text}"

    def to_yaml(self) -> str:
        """A document."""
        head = {"Pass": self.category, "Name": f"Remark{self.category}{self.name}"}
        if self.line is not None:
            file = _quote(self.file)
            head["DebugLoc"] = f"{{ File: {file}, Line: {self.line}, Column: {self.column} }}"
        head["Function"] = _quote(self.function)
        lines = [f"--- !{self.kind}", *(f"{key + ':':16} {value}" for key, value in head.items())]
        lines += ["Args:"]
        lines += [f"  - {key + ':':12} {_quote(value)}" for key, value in self.arguments.items()]
        return "\n".join((*lines, "...", ""))


def to_json(remarks: Iterable[Remark]) -> str:
    """Remarks as text that `from_json` reads."""
    return json.dumps([asdict(remark) for remark in remarks])


def from_json(text: str) -> list[Remark]:
    """The remarks of a text."""
    return [Remark(**fields) for fields in json.loads(text or "[]")]


def to_yaml(remarks: Iterable[Remark]) -> str:
    """Remarks as documents, one behind the other."""
    return "".join(remark.to_yaml() for remark in remarks)


def _function_of(op: Operation) -> str:
    """The name of the function that an op is, or is in; of the module if it is in none."""
    from xdsl.dialects.builtin import StringAttr

    enclosing: Operation | None = op
    while enclosing is not None:
        if isinstance(name := enclosing.attributes.get("sym_name"), StringAttr) and name.data:
            return name.data
        enclosing = enclosing.parent_op()
    return ""


def of_ptxas(result: PtxasResult) -> Iterator[Remark]:
    """What ptxas had to say."""
    for function, usage in result.functions.items():
        arguments = {
            "Registers": str(usage.registers),
            "SharedMemory": str(usage.shared),
            "Stack": str(usage.stack),
            "SpillStores": str(usage.spill_stores),
            "SpillLoads": str(usage.spill_loads),
        }
        yield Remark("Analysis", "Resources", "", function, arguments)
    for message in result.messages:
        yield Remark("Missed", "Ptxas", "", "", {"Remark": message.text})


def _quote(text: str) -> str:
    """A YAML string on one line."""
    return "'" + " ".join(text.split()).replace("'", "''") + "'"
