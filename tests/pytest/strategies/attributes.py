"""Random discardable attributes, hints and locations."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    DenseArrayBase,
    DictionaryAttr,
    FileLineColLoc,
    FloatAttr,
    FunctionType,
    FusedLoc,
    IntAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnknownLoc,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute

from tileiras_xdsl.dialects.cuda_tile import (
    BoundedAttr,
    ComparisonOrdering,
    ComparisonOrderingAttr,
    ComparisonPredicate,
    ComparisonPredicateAttr,
    DenseElementsAttr,
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DILocAttr,
    DISubprogramAttr,
    DivByAttr,
    OptimizationHintsAttr,
    Overflow,
    OverflowAttr,
    PaddingValue,
    PaddingValueAttr,
    PtrAttr,
    PtrAttrAttr,
    Rounding,
    RoundingAttr,
    SameElementsAttr,
    Signedness,
    SignednessAttr,
    SymbolVisibility,
    SymbolVisibilityAttr,
    TileType,
)
from tileiras_xdsl.dialects.cuda_tile.debug_info import MAX_LINE, DILocalScopeAttr

from .draws import Draws
from .types import NUMBERS, any_types, element_bits, fnv8E5M3FNU

# Discardable attributes


def keys(draws: Draws) -> str:
    """A key of a dictionary; no op has a property called like it."""
    if draws.flag(20):
        return f"key {draws.text()}"
    return draws.choose(("note", "x", "my.attr", "_a$1", "cuda_tile.loop_split", "tile", "true1"))


def integers(draws: Draws) -> IntegerAttr:
    """An integer of some width and sign."""
    width = draws.choose((1, 8, 32, 64, 3, 128))
    low, high = (0, 1) if width == 1 else (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    value = draws.choose((0, 1, low, high, draws.integer(low, high)))
    return IntegerAttr(value, IntegerType(width))


def floats(draws: Draws) -> FloatAttr:
    """A finite or infinite number; the NaNs of xDSL's attributes have no payload."""
    ty = draws.choose((f32, f64, f16, bf16))
    values = (0.0, -0.0, 1.0, 0.1, -2.5, 3e-42, float("inf"), -float("inf"), 65504.0)
    if ty != f16:
        values = (*values, 16777216.0, 1e30)
    return FloatAttr(draws.choose(values), ty)


def dense_elements(draws: Draws, ty: TileType) -> DenseElementsAttr:
    """Elements for a tile: a splat, a list, or more than a list shows."""
    element, count = ty.element_type, ty.element_count()
    if count == 1 or count > 4096 or draws.flag(40):
        return DenseElementsAttr.from_bits(ty, [element_bits(draws, element)])
    # A few patterns repeated in a random order: drawing thousands would take too long.
    patterns = [element_bits(draws, element) for _ in range(min(count, 4))]
    order = draws.integer(0, 2**64 - 1)
    steps = (order >> (index % 61) for index in range(count))
    return DenseElementsAttr.from_bits(ty, [patterns[step % len(patterns)] for step in steps])


def _enum_attributes(draws: Draws) -> Attribute:
    return draws.choose(
        (
            SignednessAttr(draws.choose(tuple(Signedness))),
            OverflowAttr(draws.choose(tuple(Overflow))),
            RoundingAttr(draws.choose(tuple(Rounding))),
            ComparisonPredicateAttr(draws.choose(tuple(ComparisonPredicate))),
            ComparisonOrderingAttr(draws.choose(tuple(ComparisonOrdering))),
            SymbolVisibilityAttr(draws.choose(tuple(SymbolVisibility))),
            PaddingValueAttr(draws.choose(tuple(PaddingValue))),
            PtrAttrAttr(PtrAttr.NONE),
        )
    )


def _predicates(draws: Draws) -> Attribute:
    return draws.choose(
        (
            DivByAttr((2 ** draws.integer(0, 63), draws.optional(4), draws.optional(1))),
            SameElementsAttr(tuple(draws.integer(-1, 4) for _ in range(draws.integer(0, 3)))),
            BoundedAttr((draws.optional(-(2**63)), draws.optional(2**63 - 1))),
        )
    )


_LEAVES: tuple[Callable[[Draws], Attribute], ...] = (
    lambda draws: StringAttr(draws.text()),
    lambda draws: UnitAttr(),
    integers,
    floats,
    any_types,
    _enum_attributes,
    _predicates,
    lambda draws: dense_elements(draws, TileType(draws.choose(NUMBERS[:-2]), (2,))),
    lambda draws: SymbolRefAttr(draws.choose(("f", "a b", "é")), draws.choose(([], ["g"]))),
    lambda draws: FunctionType.from_lists([any_types(draws)], [i1] * draws.integer(0, 2)),
    lambda draws: DenseArrayBase.from_list(draws.choose((i8, i32, i64)), [1, -2, 3]),
    lambda draws: DenseArrayBase.from_list(f32, [1.0, -0.0]),
    lambda draws: fnv8E5M3FNU,
    lambda draws: hints(draws),
    # Scopes and locations
    lambda draws: files(draws),
    lambda draws: DICompileUnitAttr(files(draws)),
    lambda draws: _local_scopes(draws, subprograms(draws, "f")),
)
_LOCATIONS: tuple[Callable[[Draws], Attribute], ...] = (
    lambda draws: Locations(draws).foreign(),
    lambda draws: Locations(draws).plain(1),
)


def attributes(draws: Draws, depth: int = 2) -> Attribute:
    """An attribute; arrays and dictionaries nest up to `depth` times."""
    if depth and draws.flag(30):
        if draws.flag():
            return DictionaryAttr(dictionaries(draws, depth - 1))
        return ArrayAttr([attributes(draws, depth - 1) for _ in range(draws.integer(0, 3))])
    return draws.choose((*_LEAVES, *_LOCATIONS))(draws)


def dictionaries(draws: Draws, depth: int = 2) -> dict[str, Attribute]:
    """Named attributes."""
    return {keys(draws): attributes(draws, depth) for _ in range(draws.integer(0, 3))}


# Hints


def hints(draws: Draws) -> OptimizationHintsAttr:
    """Hints with known and unknown architectures, keys and values."""

    def value() -> int | bool | Attribute:
        match draws.integer(0, 3):
            case 0:
                return draws.flag()
            case 1:
                return StringAttr(draws.text())
            case 2 if draws.flag():
                return ArrayAttr([IntegerAttr(3, i32), IntegerAttr(draws.integer(-4, 4), i64)])
            case _:
                return draws.choose((1, 2, 5, 0, -1, 2**63 - 1))

    def entry() -> dict[str, int | bool | Attribute]:
        names = ("latency", "allow_tma", "num_cta_in_cga", "occupancy", "no such", "x")
        return {draws.choose(names): value() for _ in range(draws.integer(0, 3))}

    archs = ("sm_80", "sm_90", "sm_100", "default", "sm_100a", "a b")
    return OptimizationHintsAttr.from_dict(
        {draws.choose(archs): entry() for _ in range(draws.integer(0, 3))}
    )


# Locations


def _lines(draws: Draws) -> int:
    return draws.choose((1, 0, 17, MAX_LINE, draws.integer(0, 1000)))


def files(draws: Draws) -> DIFileAttr:
    """A source file."""
    return DIFileAttr(draws.choose(("a.py", "", 'q"\\é')), draws.choose(("/t", "", "/x y")))


def subprograms(draws: Draws, linkage_name: str) -> DISubprogramAttr:
    """A subprogram for the function of this name."""
    return DISubprogramAttr(
        files(draws),
        _lines(draws),
        draws.text(),
        linkage_name,
        DICompileUnitAttr(files(draws)),
        draws.choose((0, 3)),
    )


def _local_scopes(draws: Draws, subprogram: DISubprogramAttr) -> DILocalScopeAttr:
    scope: DILocalScopeAttr = subprogram
    for _ in range(draws.integer(0, 2)):
        scope = DILexicalBlockAttr(scope, files(draws), _lines(draws), draws.choose((0, 9)))
    return scope


def _file_locations(draws: Draws) -> FileLineColLoc:
    name = draws.choose(("a.py", "", 'dir/q"\\é.py'))
    return FileLineColLoc(StringAttr(name), IntAttr(_lines(draws)), IntAttr(_lines(draws)))


@dataclass(frozen=True)
class Locations:
    """Random locations for a function, which lies in a subprogram or in no scope."""

    draws: Draws
    subprogram: DISubprogramAttr | None = None

    def plain(self, depth: int = 2) -> LocationAttr:
        """A location that tells no scope."""
        draws = self.draws
        match draws.integer(0, 5 if depth else 1):
            case 0:
                return UnknownLoc()
            case 1:
                return _file_locations(draws)
            case 2:
                child = self.plain(depth - 1) if draws.flag() else NoneAttr()
                return NameLoc(StringAttr(draws.text()), child)
            case 3:
                # What was called may lie in any subprogram, the caller tells the scope.
                return CallSiteLoc(self.foreign(), self.plain(depth - 1))
            case 4:
                # xDSL prints a location in there in a way that cannot be read again.
                metadata = draws.choose(_LEAVES)(draws) if draws.flag() else NoneAttr()
                count = draws.integer(0, 2)
                return FusedLoc(tuple(self.plain(depth - 1) for _ in range(count)), metadata)
            case _:
                return _file_locations(draws)

    def foreign(self) -> LocationAttr:
        """A location in another function."""
        other = subprograms(self.draws, "callee")
        return DILocAttr(_file_locations(self.draws), _local_scopes(self.draws, other))

    def _scoped(self, scope: DILocalScopeAttr) -> LocationAttr:
        return DILocAttr(_file_locations(self.draws), scope)

    def op(self, depth: int = 2) -> LocationAttr:
        """The location of an op in the function."""
        draws = self.draws
        if self.subprogram is None or draws.flag(40):
            return self.plain(depth)
        match draws.integer(0, 3 if depth else 0):
            case 0:
                return self._scoped(_local_scopes(draws, self.subprogram))
            case 1:
                return CallSiteLoc(self.foreign(), self.op(depth - 1))
            case 2:
                return NameLoc(StringAttr(draws.text()), self.op(depth - 1))
            case _:
                locations = (self.plain(0), self.op(depth - 1), *self._after(depth))
                return FusedLoc(locations, NoneAttr())

    def _after(self, depth: int) -> tuple[LocationAttr, ...]:
        """Of a fusion the first scope counts, so the rest lies in the same one."""
        return (self.op(depth - 1),) if self.draws.flag() else ()

    def function(self) -> LocationAttr:
        """The location of the function itself."""
        draws = self.draws
        if self.subprogram is None:
            location = self.plain()
            return UnknownLoc() if isinstance(location, CallSiteLoc) else location
        location = self._scoped(self.subprogram)
        match draws.integer(0, 2):
            case 0:
                return location
            case 1:
                return NameLoc(StringAttr(draws.text()), location)
            case _:
                return FusedLoc((_file_locations(draws), location), NoneAttr())
