"""
Kinds of ops with a place in the memory order, found among the registered ops of `cuda_tile`: each
op that declares effects, in each form, with each memory ordering and scope that its verifier takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Final

from xdsl.ir import Operation
from xdsl.traits import MemoryEffect, NoMemoryEffect, RecursiveMemoryEffect
from xdsl.utils.exceptions import DiagnosticException, ParseError

from tileiras_xdsl import load
from tileiras_xdsl.dialects.cuda_tile import CudaTile
from tileiras_xdsl.dialects.cuda_tile.enums import MemoryOrdering, MemoryScope
from tileiras_xdsl.dialects.cuda_tile.memory import TokenOrderedOperation
from tileiras_xdsl.dialects.memory_order import Effect

TENSOR: Final = "tensor_view<{rows}x4xi32, strides=[4,1]>"
VIEWS: Final = MappingProxyType(
    {
        "partition": ("partition_view<tile=(4x4), {tensor}>", "[{four}, {zero}]", "tile<i32>"),
        "strided": (
            "strided_view<tile=(4x4), traversal_strides=[8,4], {tensor}>",
            "[{eight}, {zero}]",
            "tile<i32>",
        ),
        "gather": (
            "gather_scatter_view<tile=(4x4), {tensor}, sparse_dim=0>",
            "[{rows}, {zero}]",
            "tile<4xi32>, tile<i32>",
        ),
    }
)
"""Views of 4 × 4 elements: their types, and how they are indexed."""
ROWS: Final = 8
"""Rows of a datum, of which accesses touch the first four, or the first element."""


@dataclass(frozen=True)
class Kind:
    """An op of `cuda_tile` that has effects, in one of its forms."""

    op: str
    form: str = ""
    """How an access says where: by a pointer, pointers, or a view."""
    order: str = ""
    scope: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.op, self.form, self.order, self.scope)))

    @staticmethod
    def parse(words: str) -> Kind:
        """The kind of a name."""
        return Kind(*words.split())

    @property
    def is_access(self) -> bool:
        return bool(self.form)

    @property
    def reads(self) -> bool:
        """Whether it yields what is in memory."""
        return self.op.startswith(("load", "atomic_rmw", "atomic_cas"))


@dataclass
class Text:
    """The lines of a kernel, and those of ops that are looked for later."""

    lines: list[str] = field(default_factory=list[str])
    names: int = 0
    marked: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """The numbers of lines, in `lines`, by what they are marked with."""

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def add(self, line: str, mark: str = "") -> None:
        if mark:
            self.marked.setdefault(mark, []).append(len(self.lines))
        self.lines.append(line)

    def op(self, text: str) -> str:
        """The name of what an op yields."""
        name = self.name()
        self.add(f"{name} = {text}")
        return name

    def constant(self, value: int, shape: str = "") -> str:
        return self.op(f"constant <i32: {value}> : tile<{shape}i32>")

    def join(self, *tokens: str) -> str:
        kept = list(dict.fromkeys(tokens))
        return kept[0] if len(kept) == 1 else self.op(f"join_tokens {', '.join(kept)} : token")


@dataclass(frozen=True)
class Datum:
    """Where an access goes: the rows of a round in an array, of which rounds have one each."""

    array: str
    rounds: int = 1
    at: str | None = None
    """The number of the round; none if all rounds use the same rows."""


@dataclass(frozen=True)
class Done:
    """An op that was written: its token, and what it has read with the type of that."""

    token: str
    value: str = ""
    shape: str = ""


Emit = Callable[[Text, Kind, Datum, str, int, str], Done]
"""Writes an op: behind a token, with a number that tells it from others, and a mark."""


def _first(text: Text, datum: Datum, factor: int) -> str:
    """The number of a round, times a factor."""
    if datum.at is None:
        return text.constant(0)
    return text.op(f"muli {datum.at}, {text.constant(factor)} : tile<i32>")


def _pointer(text: Text, kind: Kind, datum: Datum) -> tuple[str, str]:
    """A pointer or pointers to a datum, and the shape."""
    first = _first(text, datum, ROWS * 4)
    place = text.op(f"offset {datum.array}, {first} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>")
    if kind.form == "scalar":
        return place, ""
    one = text.op(f"reshape {place} : tile<ptr<i32>> -> tile<1xptr<i32>>")
    all_ = text.op(f"broadcast {one} : tile<1xptr<i32>> -> tile<16xptr<i32>>")
    lanes = text.op("iota : tile<16xi32>")
    ty = "tile<16xptr<i32>>"
    return text.op(f"offset {all_}, {lanes} : {ty}, tile<16xi32> -> {ty}"), "16x"


def _view(text: Text, kind: Kind, datum: Datum) -> tuple[str, str, str]:
    """A view of a datum with its index, its type, and the types of the index."""
    rows = ROWS * datum.rounds
    tensor = TENSOR.format(rows=rows)
    whole = text.op(
        f"make_tensor_view {datum.array}, shape = [{rows}, 4], strides = [4, 1] : {tensor}"
    )
    ty, index, index_types = VIEWS[kind.form]
    ty = ty.format(tensor=tensor)
    words = {"zero": text.constant(0)}
    match kind.form:
        case "partition":
            words["four"] = _first(text, datum, ROWS // 4)
        case "strided":
            words["eight"] = _first(text, datum, 1)
        case _:
            start = text.op(f"reshape {_first(text, datum, ROWS)} : tile<i32> -> tile<1xi32>")
            starts = text.op(f"broadcast {start} : tile<1xi32> -> tile<4xi32>")
            numbers = text.op("iota : tile<4xi32>")
            words["rows"] = text.op(f"addi {starts}, {numbers} : tile<4xi32>")
    made = "gather_scatter" if kind.form == "gather" else kind.form
    view = text.op(f"make_{made}_view {whole} : {ty}")
    return f"{view}{index.format_map(words)}", ty, index_types


def _semantics(kind: Kind) -> str:
    return " ".join(filter(None, (kind.order, kind.scope)))


def _load_ptr(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    place, shape = _pointer(text, kind, datum)
    value, done = text.name(), text.name()
    text.add(
        f"{value}, {done} = load_ptr_tko {_semantics(kind)} {place} token={token} : "
        f"tile<{shape}ptr<i32>> -> tile<{shape}i32>, token",
        mark,
    )
    return Done(done, value, shape)


def _store_ptr(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    place, shape = _pointer(text, kind, datum)
    value, done = text.constant(number, shape), text.name()
    text.add(
        f"{done} = store_ptr_tko {_semantics(kind)} {place}, {value} token={token} : "
        f"tile<{shape}ptr<i32>>, tile<{shape}i32> -> token",
        mark,
    )
    return Done(done)


def _rmw(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    place, shape = _pointer(text, kind, datum)
    argument, value, done = text.constant(number, shape), text.name(), text.name()
    text.add(
        f"{value}, {done} = atomic_rmw_tko {_semantics(kind)} {place}, add, {argument} "
        f"token={token} : tile<{shape}ptr<i32>>, tile<{shape}i32> -> tile<{shape}i32>, token",
        mark,
    )
    return Done(done, value, shape)


def _cas(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    # From 0 to 1, which is what a flag is and becomes, or from what a datum starts with.
    place, shape = _pointer(text, kind, datum)
    expected = text.constant(0, shape)
    new, value, done = text.constant(number, shape), text.name(), text.name()
    ty = f"tile<{shape}i32>"
    text.add(
        f"{value}, {done} = atomic_cas_tko {_semantics(kind)} {place}, {expected}, {new} "
        f"token={token} : tile<{shape}ptr<i32>>, {ty} -> {ty}, token",
        mark,
    )
    return Done(done, value, shape)


def _load_view(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    view, ty, indices = _view(text, kind, datum)
    value, done = text.name(), text.name()
    text.add(
        f"{value}, {done} = load_view_tko {_semantics(kind)} {view} token={token} : "
        f"{ty}, {indices} -> tile<4x4xi32>, token",
        mark,
    )
    return Done(done, value, "4x4x")


def _store_view(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    view, ty, indices = _view(text, kind, datum)
    value, done = text.constant(number, "4x4x"), text.name()
    text.add(
        f"{done} = store_view_tko {_semantics(kind)} {value}, {view} token={token} : "
        f"tile<4x4xi32>, {ty}, {indices} -> token",
        mark,
    )
    return Done(done)


def _red_view(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    view, ty, indices = _view(text, kind, datum)
    value, done = text.constant(number, "4x4x"), text.name()
    text.add(
        f"{done} = atomic_red_view_tko {_semantics(kind)} {view}, add, {value} token={token} : "
        f"tile<4x4xi32>, {ty}, {indices} -> token",
        mark,
    )
    return Done(done)


def _fence(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    done = text.name()
    text.add(f"{done} = memory_fence_alias_tko {token} -> token", mark)
    return Done(done)


def _grid(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    done = text.name()
    text.add(f"{done} = {kind.op} token={token} -> token", mark)
    return Done(done)


def _print_tko(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    done = text.name()
    text.add(f'{done} = print_tko "{number}\\0A" token={token} -> token', mark)
    return Done(done)


def _print(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    text.add(f'print "{number}\\0A"', mark)
    return Done(token)


def _assert(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str) -> Done:
    condition = text.op(f"cmpi not_equal %ok, {text.constant(0)}, signed : tile<i32> -> tile<i1>")
    text.add(f'assert {condition}, "{number}" : tile<i1>', mark)
    return Done(token)


POINTERS: Final = ("scalar", "tile")
TEMPLATES: Final[Mapping[str, tuple[tuple[str, ...], Emit]]] = MappingProxyType(
    {
        "load_ptr_tko": (POINTERS, _load_ptr),
        "store_ptr_tko": (POINTERS, _store_ptr),
        "atomic_rmw_tko": (POINTERS, _rmw),
        "atomic_cas_tko": (POINTERS, _cas),
        "load_view_tko": (tuple(VIEWS), _load_view),
        "store_view_tko": (tuple(VIEWS), _store_view),
        "atomic_red_view_tko": (("partition",), _red_view),
        "memory_fence_alias_tko": (("",), _fence),
        "gdc_wait_tko": (("",), _grid),
        "gdc_launch_dependents_tko": (("",), _grid),
        "print_tko": (("",), _print_tko),
        "print": (("",), _print),
        "assert": (("",), _assert),
    }
)
"""How each op is written, and in which forms."""

ACCESSES: Final = MappingProxyType(
    {
        "load_ptr_tko": Effect.READ,
        "load_view_tko": Effect.READ,
        "store_ptr_tko": Effect.WRITE,
        "store_view_tko": Effect.WRITE,
        "atomic_rmw_tko": Effect.READ | Effect.WRITE,
        "atomic_cas_tko": Effect.READ | Effect.WRITE,
        "atomic_red_view_tko": Effect.READ | Effect.WRITE,
    }
)
OTHER_EFFECTS: Final = MappingProxyType(
    {
        "memory_fence_alias_tko": Effect.FENCE,
        "gdc_wait_tko": Effect.GRID_WAIT,
        "gdc_launch_dependents_tko": Effect.GRID_LAUNCH,
        "print_tko": Effect.PRINT,
        "print": Effect.PRINT,
        "assert": Effect.ASSERT,
    }
)
ACQUIRES, RELEASES = ("acquire", "acq_rel", "seq_cst"), ("release", "acq_rel", "seq_cst")


def meaning(kind: Kind) -> Effect:
    """What a kind of op does by the definition of Tile IR, whatever ops of level 1 declare."""
    if kind.op in OTHER_EFFECTS:
        return OTHER_EFFECTS[kind.op]
    found = ACCESSES[kind.op]
    if kind.order != "weak":
        found |= Effect.ATOMIC
    if kind.order in ACQUIRES:
        found |= Effect.ACQUIRE
    if kind.order in RELEASES:
        found |= Effect.RELEASE
    return found


WITHOUT_ORDER: Final = MappingProxyType(
    {
        "assume": "says something about a value, and has no effect; `nv_tileaa.assume` is pure",
        "alloca": "reserves memory of its own: nothing is in order with it "
        "(`test_allocations_are_not_merged`)",
    }
)
"""Ops that declare effects so as to stay where they are, and why no pair has them."""


def is_effect(op: type[Operation]) -> bool:
    """Whether an op declares effects of its own."""
    traits = [trait for trait in op.traits.traits if isinstance(trait, MemoryEffect)]
    return any(not isinstance(trait, NoMemoryEffect | RecursiveMemoryEffect) for trait in traits)


def effects_of_dialect() -> frozenset[str]:
    """The registered ops of `cuda_tile` that declare effects."""
    return frozenset(op.name.partition(".")[2] for op in CudaTile.operations if is_effect(op))


def emit_spin(text: Text, how: str, place: str, token: str) -> str:
    """Reads a flag until it is set; the token of the last load."""
    result, inner, value, done = (text.name() for _ in range(4))
    text.add(f"{result} = loop iter_values({inner} = {token}) : token -> token {{")
    text.add(
        f"{value}, {done} = load_ptr_tko {how} {place} token={inner} : tile<ptr<i32>> -> "
        "tile<i32>, token"
    )
    met = text.op(f"cmpi not_equal {value}, %zero, signed : tile<i32> -> tile<i1>")
    text.add(f"if {met} {{ break {done} : token }}")
    text.add(f"continue {done} : token")
    text.add("}")
    return result


def emit(text: Text, kind: Kind, datum: Datum, token: str, number: int, mark: str = "") -> Done:
    """Writes an op of a kind."""
    return TEMPLATES[kind.op][1](text, kind, datum, token, number, mark)


PARAMETERS: Final = "%x: tile<ptr<i32>>, %flag: tile<ptr<i32>>, %ack: tile<ptr<i32>>, "
PARAMETERS_AFTER: Final = (
    "%out: tile<ptr<i32>>, %seen: tile<ptr<i32>>, %ok: tile<i32>, %n: tile<i32>"
)


def module_text(lines: list[str]) -> str:
    """A module of one kernel, the lines of which begin with the fourth of the text."""
    body = "\n".join([*lines, "return"])
    head = "cuda_tile.module @kernels {\n"
    return f"{head}entry @kernel({PARAMETERS}{PARAMETERS_AFTER}) {{\n{body}\n}}\n}}\n"


HEAD_LINES: Final = 3
"""The number of the line of the text that `lines[0]` is."""


def is_valid(kind: Kind) -> bool:
    """Whether the verifier takes a kind of op."""
    text = Text()
    text.add("%token = make_token : token")
    emit(text, kind, Datum("%x"), "%token", 1)
    try:
        load(module_text(text.lines))
    except (DiagnosticException, ParseError):
        return False
    return True


@cache
def all_kinds() -> tuple[Kind, ...]:
    """All kinds of ops: with each memory ordering and scope that verifiers take."""
    return tuple(_kinds())


def _kinds() -> Iterator[Kind]:
    orders = list(MemoryOrdering.keywords())
    scopes = ["", *MemoryScope.keywords()]
    by_name = {op.name.partition(".")[2]: op for op in CudaTile.operations}
    for name in sorted(effects_of_dialect() & TEMPLATES.keys()):
        forms = TEMPLATES[name][0]
        if not issubclass(by_name[name], TokenOrderedOperation):
            yield from (Kind(name, form) for form in forms)
            continue
        # Verifiers ask for order and scope whatever the form is.
        first = [Kind(name, forms[0], order, scope) for order in orders for scope in scopes]
        for kind in filter(is_valid, first):
            yield from (replace(kind, form=form) for form in forms)
