"""
The public text form: what NVIDIA's 13.4 disassembler prints for a module.

```
// Producer: demo 1.0
global  @g <f32: 1.000000e+00> : tile<2xf32>
entry @k(%arg0: tile<ptr<f32>>) {
  %0 = get_global @g : tile<ptr<f32>>
  return
}
```

Values are named as MLIR names them: a block's ops first, then its regions; a clashing name
hint gets the next number of one counter; results of one op without hints of their own share
a name (`%0:2`, used as `%0#1`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ArrayAttr, LocationAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from .aggregate import ReduceOp
from .base import CudaTileOperation
from .control_flow import ForOp
from .debug_info import DILocAttr, DIScopeAttr
from .printing import PREFIX, PublicSyntaxPrinter
from .symbols import ModuleOp


@dataclass
class _Scope:
    """Counters and used names of a region; nested regions start from a copy."""

    next_value: int = 0
    next_argument: int = 0
    next_conflict: int = 0
    used: frozenset[str] = frozenset()


@dataclass
class ValueNames:
    """Names of the values of a function."""

    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """How a value is used: `cst_0`, `2#1`."""
    groups: dict[Operation, tuple[str, ...]] = field(
        default_factory=dict[Operation, tuple[str, ...]]
    )
    """How an op's results are bound: `tile`, `result_token`, or `2:3`."""

    def name_function(self, function: Operation) -> None:
        """Names everything in the regions of an isolated op."""
        pending = [(region, _Scope()) for region in function.regions]
        while pending:
            region, scope = pending.pop(0)
            self._name_region(region, scope)
            for block in region.blocks:
                for op in block.ops:
                    pending.extend(
                        (
                            nested,
                            _Scope(
                                scope.next_value,
                                scope.next_argument,
                                scope.next_conflict,
                                scope.used,
                            ),
                        )
                        for nested in op.regions
                    )

    def _name_region(self, region: Region, scope: _Scope) -> None:
        used = set(scope.used)
        for block in region.blocks:
            self._name_arguments(block, scope, used)
            for op in block.ops:
                self._name_results(op, scope, used)
        scope.used = frozenset(used)

    def _name_arguments(self, block: Block, scope: _Scope, used: set[str]) -> None:
        hints = _argument_hints(block)
        for index, argument in enumerate(block.args):
            if index < len(hints):
                hint = hints[index]
            else:
                hint = f"arg{scope.next_argument}"
                scope.next_argument += 1
            self.names[argument] = _unique(hint, scope, used)

    def _name_results(self, op: Operation, scope: _Scope, used: set[str]) -> None:
        if not op.results:
            return
        hints = list(op.public_names()) if isinstance(op, CudaTileOperation) else []
        starts = [index for index, hint in enumerate(hints[: len(op.results)]) if hint is not None]
        if not starts or starts[0]:
            starts.insert(0, 0)
        bound: list[str] = []
        for start, end in zip(starts, [*starts[1:], len(op.results)], strict=True):
            hint = hints[start] if start < len(hints) else None
            if hint is None:
                name = str(scope.next_value)
                scope.next_value += 1
            else:
                name = _unique(hint, scope, used)
            size = end - start
            bound.append(name if size == 1 else f"{name}:{size}")
            for index, result in enumerate(op.results[start:end]):
                self.names[result] = name if size == 1 else f"{name}#{index}"
        self.groups[op] = tuple(bound)


def _unique(hint: str, scope: _Scope, used: set[str]) -> str:
    name = hint
    while name in used:
        name = f"{hint}_{scope.next_conflict}"
        scope.next_conflict += 1
    used.add(name)
    return name


def _argument_hints(block: Block) -> Sequence[str]:
    match block.parent_op():
        case ForOp():
            return ("loopIdx", *(f"iterArg{index}" for index in range(len(block.args) - 1)))
        case ReduceOp() as reduce:
            if len(reduce.operands) == 1:
                return ("reduce_lhs", "reduce_rhs")
            return tuple(
                f"reduce_{side}{index}"
                for index in range(len(reduce.operands))
                for side in ("lhs", "rhs")
            )
        case _:
            return ()


class LocationAliases:
    """
    Aliases of locations and debug-info attributes, defined after the module: sorted by how
    deep they refer to each other, then by kind, then by first use.
    """

    def __init__(self, ops: Iterable[Operation]):
        depths: dict[Attribute, int] = {}
        for op in ops:
            for nested in op.walk():
                _collect_aliases(nested.location, depths)
        ordered = sorted(depths, key=lambda attribute: (depths[attribute], _alias_kind(attribute)))
        counts: Counter[str] = Counter()
        self.names: dict[Attribute, str] = {}
        for attribute in ordered:
            kind = _alias_kind(attribute)
            number = counts[kind]
            self.names[attribute] = f"#{kind}{number}" if number else f"#{kind}"
            counts[kind] += 1


def _alias_kind(attribute: Attribute) -> str:
    """The stem of an alias: `di_file`; every location, `di_loc` included, is a `loc`."""
    kind = attribute.name.rpartition(".")[2]
    return kind if kind.startswith("di_") and kind != "di_loc" else "loc"


def _collect_aliases(attribute: Attribute, depths: dict[Attribute, int]) -> int:
    """Registers an attribute after the ones it refers to; the depth of a leaf is 0."""
    if isinstance(attribute, ArrayAttr):
        members: Iterable[Attribute] = attribute
        return max((_collect_aliases(member, depths) for member in members), default=-1)
    if not isinstance(attribute, LocationAttr | DIScopeAttr):
        return -1
    if attribute not in depths:
        deepest = max(
            (_collect_aliases(parameter, depths) for parameter in attribute.parameters),
            default=-1,
        )
        depths[attribute] = deepest + 1
    return depths[attribute]


@dataclass(eq=False, repr=False)
class PublicPrinter(PublicSyntaxPrinter):
    """
    Prints modules in the public form; with `print_debuginfo`, locations as aliases defined
    at the end. `print_wrapper` adds the `cuda_tile.module` line the disassembler leaves out.
    """

    print_wrapper: bool = field(default=False)
    _names: ValueNames = field(default_factory=ValueNames, init=False)
    _aliases: dict[Attribute, str] = field(default_factory=dict[Attribute, str], init=False)

    def print_module(self, *modules: ModuleOp) -> None:
        """Prints the contents of modules, in their wrappers if that is asked for."""
        members = [op for module in modules for op in module.body.block.ops]
        for function in members:
            self._names.name_function(function)
        printed = modules if self.print_wrapper else members
        if self.print_debuginfo:
            self._aliases = LocationAliases(printed).names
        if not self.print_wrapper:
            for module in modules:
                self._print_producer(module)
        for op in printed:
            self.print_op(op)
            self.print_string("\n")
        self._print_alias_definitions()

    def _print_producer(self, module: ModuleOp) -> None:
        if isinstance(module.producer, StringAttr):
            # It is a comment, which ends with the line.
            producer = re.sub(r"[\r\n]", " ", module.producer.data)
            self.print_string(f"// Producer: {producer}\n")

    def _print_alias_definitions(self) -> None:
        # The definitions are no part of the dialect's syntax: types have their prefix here.
        with self._dictionary():
            for attribute, name in self._aliases.items():
                self.print_string(f"{name} = ")
                if isinstance(attribute, DILocAttr):
                    self.print_string(f"#{attribute.name}")
                    attribute.print_parameters(self)
                else:
                    super().print_attribute(attribute)
                self.print_string("\n")

    def print_attribute(self, attribute: Attribute) -> None:
        if attribute not in self._aliases:
            super().print_attribute(attribute)
        else:
            self.print_string(self._aliases[attribute])

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self._names.names.get(value)
        if name is None:
            return super().print_ssa_value(value)
        self.print_string(f"%{name}")
        return name

    def print_op(self, op: Operation) -> None:
        if not isinstance(op, CudaTileOperation):
            super().print_op(op)
            return
        bound = self._names.groups.get(op, ())
        if bound:
            self.print_list(bound, lambda name: self.print_string(f"%{name}"))
            self.print_string(" = ")
        if isinstance(op, ModuleOp):
            self.print_string(op.name)
        else:
            self.print_string(op.PUBLIC_NAME or op.name.removeprefix(PREFIX))
        op.print(self)
        if self.print_debuginfo:
            with self.delimited(" loc(", ")"):
                self.print_attribute(op.location)
