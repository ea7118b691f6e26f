"""What random programs have exercised: ops × element types × passes that changed something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Operation

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile.types import element_name
from tileiras_xdsl.pipeline import PIPELINE, PipelinePass
from tileiras_xdsl.xdsl_extras.walking import walk

from ..strategies.coverage import Feature, expected_features, features
from ..strategies.program_coverage import CONTROL_FLOW, OPS, control_flow

T = TypeVar("T")

LEFT_OUT_OPS = {
    ct.TestingFuncOp.name: "kernels cannot call functions, so nothing runs it",
    ct.FPowFOp.name: "another spelling of `pow`; there are no such ops",
    ct.ModuleOp.name: "every program has one",
}
"""Ops that no generator of programs makes, and why."""

LEFT_OUT_PREFIXES: dict[tuple[str, ...], str] = {
    ("location",): "places in files change nothing that is computed",
    ("attribute",): "discardable attributes change nothing that is computed",
    ("literal",): "forms of literals belong to printers and readers",
    ("op", ct.TestingFuncOp.name): "see LEFT_OUT_OPS",
    ("property", ct.TestingFuncOp.name): "see LEFT_OUT_OPS",
    ("end", ct.TestingFuncOp.name): "see LEFT_OUT_OPS",
    ("property", ct.EntryOp.name, "arg_attrs"): "attributes of parameters change nothing",
    ("property", ct.EntryOp.name, "res_attrs"): "kernels have no results",
    ("rank", "24"): "tiles of rank 24 are for printers and readers; programs go to rank 8",
    ("end", ct.ForOp.name, ct.ContinueOp.name, "without"): "rare, and the same code path",
}
"""Features of `strategies/coverage.py` that mean nothing for programs, and why."""


def expected() -> set[Feature]:
    """What programs should exercise."""
    return {
        feature
        for feature in expected_features()
        if not any(feature[: len(prefix)] == prefix for prefix in LEFT_OUT_PREFIXES)
    }


def fingerprint(module: Operation) -> int:
    """
    A number that changes when a pass changes a module, cheaper than its text: of attributes, those
    of kernels have values.
    """
    return hash(
        tuple(
            (
                op.name,
                len(op.operands),
                tuple(op.properties),
                tuple(op.attributes.values() if isinstance(op, FuncOp) else op.attributes),
            )
            for op in walk(module)
        )
    )


@dataclass
class Coverage:
    """Counts, by what was seen."""

    programs: int = 0
    typed_ops: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """By op and element type of its operands and results."""
    passes: Counter[str] = field(default_factory=Counter[str])
    """In how many compilations a pass changed something."""
    ops_of_passes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """By op and pass that changed a program with it."""
    features: Counter[Feature] = field(default_factory=Counter[Feature])
    forms: Counter[str] = field(default_factory=Counter[str])
    """Forms of control flow."""

    def watch(self, module: ModuleOp) -> tuple[set[object], Callable[..., None]]:
        """What is new in a program, and what to tell after every pass of its compilation."""
        new: set[object] = set()
        self.programs += 1
        ops = {op.name for op in walk(module)}
        for key in set(typed_ops(module)):
            self._count(self.typed_ops, key, new)
        for key in set(features(module)):
            self._count(self.features, key, new)
        for key in {form for op in walk(module) for form in control_flow(op)}:
            self._count(self.forms, key, new)
        last: list[int] = []

        def after_pass(step: PipelinePass | None, lowered: ModuleOp) -> None:
            current = fingerprint(lowered)
            if step is not None and last and current != last[-1]:
                self._count(self.passes, step.name, new)
                for op in ops:
                    self._count(self.ops_of_passes, (op, step.name), new)
            last[:] = [current]

        return new, after_pass

    def _count(self, counter: Counter[T], key: T, new: set[object]) -> None:
        counter[key] += 1
        if counter[key] == 1:
            new.add(key)

    def merge(self, other: Coverage) -> None:
        """Adds what another process has seen."""
        self.programs += other.programs
        self.typed_ops.update(other.typed_ops)
        self.passes.update(other.passes)
        self.ops_of_passes.update(other.ops_of_passes)
        self.features.update(other.features)
        self.forms.update(other.forms)

    def missing_ops(self) -> set[str]:
        """Ops that no program had."""
        return {name for name in OPS if ("op", name) not in self.features} - set(LEFT_OUT_OPS)

    def missing_features(self) -> list[Feature]:
        return sorted(expected() - set(self.features))

    def report(self) -> Iterator[str]:
        """Lines to print: a table of ops by types, passes, and what is missing."""
        ops = sorted({op for op, _ in self.typed_ops})
        elements = sorted({element for _, element in self.typed_ops})
        pairs = len(self.typed_ops)
        yield f"{self.programs} programs, {len(ops)} ops, {pairs} pairs of op and element type"
        yield f"{'op':30} {' '.join(f'{name[:6]:>6}' for name in elements)} passes"
        fired = {op: len({p for o, p in self.ops_of_passes if o == op}) for op in ops}
        for op in ops:
            counts = " ".join(f"{self.typed_ops[op, name] or '.':>6}" for name in elements)
            yield f"{op.removeprefix('cuda_tile.'):30} {counts} {fired[op]:6}"
        yield "passes, and in how many compilations they changed a program:"
        for name in dict.fromkeys(step.name for step in PIPELINE):
            yield f"  {name:40}{self.passes[name]:7}"
        yield f"forms of control flow never seen: {_listed(set(CONTROL_FLOW) - set(self.forms))}"
        yield f"ops never seen: {_listed(self.missing_ops())}"
        missing = self.missing_features()
        yield f"{len(expected()) - len(missing)} of {len(expected())} features seen; not these:"
        yield from (f"  {' '.join(feature)}" for feature in missing)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def typed_ops(module: Operation) -> Iterator[tuple[str, str]]:
    """Pairs of an op and an element type that it has to do with."""
    for op in walk(module):
        for value in (*op.operands, *op.results):
            if isinstance(value.type, ct.TileType):
                element = value.type.element_type
                is_pointer = isinstance(element, ct.PtrType)
                yield op.name, "ptr" if is_pointer else element_name(element)
