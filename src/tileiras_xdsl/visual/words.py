"""Short words for ops and values, as labels and tooltips of pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileiras_xdsl.dialects.cuda_tile.elements import DenseElementsAttr
from tileiras_xdsl.dialects.nv_tileas.layout import with_layout

FUNCTIONS: Final = frozenset({"cuda_tile.entry", "gpu.func", "func.func", "llvm.func"})
LOOPS: Final = frozenset({"cuda_tile.for", "cuda_tile.loop", "scf.for", "scf.while"})
BRANCHES: Final = frozenset({"cuda_tile.if", "scf.if", "scf.index_switch"})
AGENTS: Final = frozenset({"nv_tileas.async.pipeline.agent_switch", "nv_tileaa.execute"})
TERMINATORS: Final = frozenset(
    {
        *("cuda_tile.yield", "cuda_tile.continue", "cuda_tile.break", "cuda_tile.return"),
        *("scf.yield", "scf.condition", "gpu.return", "func.return"),
        *("nv_tileaa.yield", "nv_tileas.async.pipeline.yield"),
    }
)

HIDDEN: Final = frozenset(TERMINATORS - {"cuda_tile.continue", "cuda_tile.break"})
"""Terminators that every region has."""
TELLING: Final = (
    *("load", "store", "atomic", "dot", "mma", "cp.async", "reduce", "scan", "shuffle", "print"),
    *("barrier", "bar.", "fence", "wait", "acquire", "write", "commit", "read", "release"),
    *("convert_layout", "alloc", "copy", "call", "exp", "matrix"),
)
"""Parts of op names that say what a piece of code does."""


def functions(module: Operation) -> Iterator[Operation]:
    """The functions of a module that have a body; a function itself."""
    for op in module.walk():
        if op.name in FUNCTIONS and any(region.blocks for region in op.regions):
            yield op


def symbol(op: Operation) -> str:
    """The name of a function."""
    name = op.properties.get("sym_name") or op.attributes.get("sym_name")
    return name.data if isinstance(name, StringAttr) else op.name


def title_of(what: str, module: Operation) -> str:
    """The title of a picture of some kernels."""
    names = ", ".join(map(symbol, functions(module)))
    return f"{what} of {names}" if names else what


def short_name(op: Operation) -> str:
    """The name of an op without its dialect."""
    return op.name.partition(".")[2].removeprefix("async.pipeline.") or op.name


def constant_of(value: SSAValue) -> int | None:
    """The value of an integer constant."""
    owner = value.owner
    if not isinstance(owner, Operation) or not owner.name.endswith(".constant"):
        return None
    found = owner.properties.get("value", owner.attributes.get("value"))
    if isinstance(found, IntegerAttr):
        return found.value.data
    if isinstance(found, DenseElementsAttr):
        number = found.get_splat_value()
        return number if isinstance(number, int) else None
    return None


def value_name(value: SSAValue) -> str:
    """`%x`, the value of a constant, or `…` without a name."""
    number = constant_of(value)
    if number is not None:
        return str(number)
    if isinstance(value.owner, Operation) and value.owner.name == "cuda_tile.constant":
        return "constant"  # Its name depends on what was printed before.
    return f"%{value.name_hint}" if value.name_hint else "…"


def type_name(ty: Attribute) -> str:
    """A type without layouts."""
    if isinstance(ty, TensorType):
        return str(with_layout(ty, None))
    text = str(ty)
    return text if len(text) <= 40 else f"{text[:39]}…"


def describe(op: Operation) -> str:
    """An op in a line, without attributes: `%s = nv_tileaa.addf %a, %b : tensor<8xf32>`."""
    results = ", ".join(map(value_name, op.results)) + " = " if op.results else ""
    operands = ", ".join(map(value_name, op.operands))
    types = f" : {', '.join(type_name(each) for each in op.result_types)}" if op.results else ""
    text = f"{results}{op.name} {operands}".rstrip() + types
    return text if len(text) <= 160 else f"{text[:159]}…"


def header(op: Operation) -> str:
    """The head of a loop or branch: `for %x = 0 to %n step 1`."""
    names = [value_name(value) for value in op.operands]
    match op.name:
        case "cuda_tile.for" | "scf.for":
            variable = value_name(op.regions[0].blocks[0].args[0])
            return f"for {variable} = {names[0]} to {names[1]} step {names[2]}"
        case "scf.while":
            return "while"
        case "cuda_tile.loop":
            return "loop"
        case "scf.index_switch":
            return f"switch {names[0]}"
        case _ if op.name in BRANCHES:
            return f"if {names[0]}"
        case _ if op.name in AGENTS:
            return "agents"
        case _ if op.name in FUNCTIONS:
            return symbol(op)
        case _:
            return short_name(op)


def region_name(op: Operation, index: int) -> str:
    """The label of a region of an op that has several."""
    if isinstance(op, scf.IndexSwitchOp):
        return "default" if index == 0 else f"case {op.cases.get_values()[index - 1]}"
    if op.name in BRANCHES:
        return ("then", "else")[index]
    if op.name == "scf.while":
        return ("condition", "body")[index]
    if op.name in AGENTS:
        warps = op.properties.get("num_warps")
        counts = [int(each) for each in getattr(warps, "get_values", tuple)()]
        count = f": {counts[index]} warp{'s' if counts[index] != 1 else ''}" if counts else ""
        names = op.attributes.get("nv_tileas.agents")
        name = names.data[index] if isinstance(names, ArrayAttr) else None
        is_named = isinstance(name, StringAttr)
        return f"{name.data} agent{count}" if is_named else f"agent {index}{count}"
    return f"region {index}"


def tally(ops: Iterable[Operation], limit: int) -> str:
    """`load ×2, dot, …`: names of ops with how often they occur; what costs most comes first."""
    counts = Counter(short_name(op) for op in ops)
    names = sorted(counts, key=lambda name: not any(word in name for word in TELLING))
    counts = {name: counts[name] for name in names}
    parts = [name if count == 1 else f"{name} ×{count}" for name, count in counts.items()]
    return ", ".join(parts[:limit]) + (", …" if len(parts) > limit else "")
