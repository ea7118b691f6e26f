"""
Random valid modules, built through the constructors of the ops.

`cuda_tile_modules()` is the strategy, `random_module(seed)` the faster way to many modules
without shrinking. What the choices cover is asserted by the tests of the round trip.
"""

from collections.abc import Sequence
from itertools import count
from typing import TypeVar

from hypothesis import strategies as st
from xdsl.dialects import builtin
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Operation, Region

from tileiras_xdsl.dialects import cuda_tile as ct
from tileiras_xdsl.dialects.cuda_tile import PtrType, TileType

from .attributes import Locations, dense_elements, dictionaries, hints, subprograms
from .draws import Draws
from .functions import FunctionBuilder, Surroundings
from .types import any_types, carried_types, fits, tile_types

OpT = TypeVar("OpT", bound=Operation)


class ModuleBuilder:
    """Builds a module of globals and functions."""

    def __init__(self, draws: Draws):
        self.draws = draws
        self.symbols = count()

    def symbol(self, stem: str) -> str:
        """A name of which there is only one, which may need quotes."""
        ending = self.draws.choose(("", "", ".x", "$", " é", '"\\', "-0"))
        return f"{stem}{next(self.symbols)}{ending}"

    def finish(self, op: OpT, locations: Locations) -> OpT:
        """Gives a symbol a location and now and then attributes."""
        op.location = locations.function()
        if self.draws.flag(20):
            op.attributes = dictionaries(self.draws)
        return op

    def global_(self) -> ct.GlobalOp:
        draws = self.draws
        ty = tile_types(draws, min_rank=1, max_rank=1)
        return self.finish(
            ct.GlobalOp(
                self.symbol("g"),
                dense_elements(draws, ty),
                draws.choose((0, 16, 2**63 - 1)),
                constant=draws.flag(),
                symbol_visibility=draws.choose(tuple(ct.SymbolVisibility)),
            ),
            Locations(draws),
        )

    def body(
        self,
        arguments: Sequence[Attribute],
        results: Sequence[Attribute],
        global_ops: Sequence[ct.GlobalOp],
        locations: Locations,
    ) -> Region:
        around = Surroundings(returned=results, depth=-1)
        builder = FunctionBuilder(self.draws, locations, global_ops, around)
        with builder.nested(arguments, around) as block:
            builder.fill()
            builder.add(ct.ReturnOp(*builder.values(results)))
        return Region(block)

    def locations(self, function_name: str) -> Locations:
        has_scope = self.draws.flag()
        scope = subprograms(self.draws, function_name) if has_scope else None
        return Locations(self.draws, scope)

    def entry(self, global_ops: Sequence[ct.GlobalOp]) -> ct.EntryOp:
        draws = self.draws
        name = self.symbol("k")
        locations = self.locations(name)
        arguments = [self.argument() for _ in range(draws.integer(0, 4))]
        body = self.body(arguments, (), global_ops, locations)
        entry = ct.EntryOp(name, body, hints(draws) if draws.flag(40) else None)
        if draws.flag(20):
            # There are no results to have attributes.
            entry.properties["res_attrs"] = ArrayAttr([])
            entry.properties["arg_attrs"] = ArrayAttr(
                [DictionaryAttr(dictionaries(draws, 1)) for _ in arguments]
            )
        return self.finish(entry, locations)

    def argument(self) -> Attribute:
        """The type of a parameter of a kernel: a scalar, or no tile at all."""
        ty = any_types(self.draws)
        if not isinstance(ty, TileType) or not ty.rank:
            return ty
        element = ty.element_type
        return TileType(element) if fits(element, ()) else TileType(PtrType(element))

    def testing_func(self, global_ops: Sequence[ct.GlobalOp]) -> ct.TestingFuncOp:
        draws = self.draws
        name = self.symbol("f")
        locations = self.locations(name)
        arguments = [any_types(draws) for _ in range(draws.integer(0, 3))]
        results = [carried_types(draws) for _ in range(draws.integer(0, 2))]
        body = self.body(arguments, results, global_ops, locations)
        return self.finish(ct.TestingFuncOp(name, body, results), locations)

    def module(self, name: str) -> ct.ModuleOp:
        draws = self.draws
        global_ops = [self.global_() for _ in range(draws.integer(0, 2))]
        functions = [
            self.testing_func(global_ops) if draws.flag(30) else self.entry(global_ops)
            for _ in range(draws.integer(1, 2))
        ]
        members: list[Operation] = draws.shuffled([*global_ops, *functions])
        return self.finish(
            ct.ModuleOp(name, members, draws.text() if draws.flag() else None), Locations(draws)
        )


def _build(draws: Draws) -> builtin.ModuleOp:
    builder = ModuleBuilder(draws)
    modules = [builder.module(draws.choose(("kernels", "m", "a b")))]
    if draws.flag(10):
        modules.append(builder.module("second"))
    module = builtin.ModuleOp(modules)
    module.location = Locations(draws).plain()
    return module


@st.composite
def cuda_tile_modules(draw: st.DrawFn) -> builtin.ModuleOp:
    """A `builtin.module` with one or two `cuda_tile.module`s that verify."""
    return _build(Draws.from_strategy(draw))


def random_module(seed: int | str) -> builtin.ModuleOp:
    """A module like those of `cuda_tile_modules`, the same for the same seed."""
    return _build(Draws.from_seed(seed))
