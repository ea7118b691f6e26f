"""
Dialect conversion: rewriting the ops of some dialects into those of others, types included.

xDSL's greedy driver knows neither legality nor types; a failed pass leaves the module half
converted. Here, as in MLIR,

- a `ConversionTarget` says what may be left: dialects and ops are legal, illegal, or legal
  under a predicate;
- a `TypeConverter` says what becomes of types, and bridges values whose definition and use
  have not been converted alike with `builtin.unrealized_conversion_cast`;
- a `ConversionPattern` rewrites one op class and sees its operands already converted;
- `apply_partial_conversion` visits every op once, outer ops before inner ones, on a copy that
  replaces the module only if nothing illegal is left, unless the module is `disposable`. Ops that
  patterns make are converted in the same run if they have to be.

Limits: one value becomes one value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Generic, NoReturn, cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import (
    FunctionType,
    ModuleOp,
    UnknownLoc,
    UnrealizedConversionCastOp,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from .walking import find_all, walk

OpT = TypeVar("OpT", bound=Operation)
StateT = TypeVar("StateT")


class ConversionError(PassFailedException):
    """Why an op could not be converted."""


class Legality(Enum):
    """Whether an op may be left after a conversion."""

    LEGAL = auto()
    ILLEGAL = auto()
    UNKNOWN = auto()
    """Nothing was said of it: it is converted if there is a pattern, and may stay."""


def get_name(op: Operation) -> str:
    """The name of an op, also of one whose dialect is not registered."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


Predicate = Callable[[Operation], bool]


@dataclass
class ConversionTarget:
    """What may be left. What is said of an op wins over what is said of its dialect."""

    default: Legality = Legality.UNKNOWN
    """What holds for dialects that nothing is said of."""
    _dialects: dict[str, Legality | Predicate] = field(
        default_factory=dict[str, "Legality | Predicate"]
    )
    _ops: dict[type[Operation], Legality | Predicate] = field(
        default_factory=dict[type[Operation], "Legality | Predicate"]
    )
    _rules: dict[type[Operation], Legality | Predicate] = field(
        default_factory=dict[type[Operation], "Legality | Predicate"]
    )
    """The rules of classes that were asked for."""

    def add_legal_dialect(self, *names: str) -> None:
        self._add_dialects(names, Legality.LEGAL)

    def add_illegal_dialect(self, *names: str) -> None:
        self._add_dialects(names, Legality.ILLEGAL)

    def add_dynamically_legal_dialect(self, name: str, is_legal: Predicate) -> None:
        self._add_dialects((name,), is_legal)

    def add_legal_op(self, *classes: type[Operation]) -> None:
        self._add_ops(classes, Legality.LEGAL)

    def add_illegal_op(self, *classes: type[Operation]) -> None:
        self._add_ops(classes, Legality.ILLEGAL)

    def add_dynamically_legal_op(self, op_class: type[Operation], is_legal: Predicate) -> None:
        self._add_ops((op_class,), is_legal)

    def _add_dialects(self, names: Iterable[str], rule: Legality | Predicate) -> None:
        self._dialects.update(dict.fromkeys(names, rule))
        self._rules.clear()

    def _add_ops(self, classes: Iterable[type[Operation]], rule: Legality | Predicate) -> None:
        self._ops.update(dict.fromkeys(classes, rule))
        self._rules.clear()

    def legality(self, op: Operation) -> Legality:
        """Whether this op may be left."""
        rule = self._rules.get(type(op))
        if rule is None:
            rule = self._find_rule(op)
        if isinstance(rule, Legality):
            return rule
        return Legality.LEGAL if rule(op) else Legality.ILLEGAL

    def _find_rule(self, op: Operation) -> Legality | Predicate:
        rule = self._ops.get(type(op))
        if rule is None:
            rule = self._dialects.get(get_name(op).partition(".")[0], self.default)
        # Ops of one such class are of different dialects.
        if not isinstance(op, UnregisteredOp):
            self._rules[type(op)] = rule
        return rule


Materialization = Callable[[SSAValue, Attribute], UnrealizedConversionCastOp | None]
TypeConversion = Callable[[Any], Attribute | None]
TypeConversions = Mapping[type[Attribute], TypeConversion]


def cast_value(value: SSAValue, ty: Attribute) -> UnrealizedConversionCastOp | None:
    """The usual bridge between two types."""
    cast_op, _ = UnrealizedConversionCastOp.cast_one(value, ty)
    return cast_op


@dataclass
class TypeConverter:
    """
    What becomes of types. A type that there is no conversion for stays as it is.

    `target_materialization` bridges from an old type to a new one, for a converted user of an
    unconverted value; `source_materialization` from new to old, for the opposite. `None`
    means that there is no bridge, which fails the conversion.
    """

    conversions: TypeConversions = field(default_factory=dict[type[Attribute], TypeConversion])
    """What becomes of a class of types; `None` means that a type cannot be kept."""
    target_materialization: Materialization = cast_value
    source_materialization: Materialization = cast_value
    _cache: dict[Attribute, Attribute] = field(default_factory=dict[Attribute, Attribute])
    _by_identity: dict[int, tuple[Attribute, Attribute]] = field(
        default_factory=dict[int, tuple[Attribute, Attribute]]
    )
    """
    The same by the identity of the old type, which is kept alive along with the new one: xDSL
    computes the hash of a type again each time, from all that it consists of.
    """

    def convert(self, ty: Attribute) -> Attribute:
        """The new type; `ConversionError` if there is none."""
        convert = self.conversions.get(ty.__class__)
        if convert is None:
            return ty
        known = self._by_identity.get(id(ty))
        if known is not None:
            return known[1]
        converted = self._cache.get(ty)
        if converted is None:
            converted = convert(ty)
            if converted is None:
                raise ConversionError(f"type '{ty}' cannot be converted")
            self._cache[ty] = converted
        if converted == ty:
            converted = ty
        self._by_identity[id(ty)] = (ty, converted)
        return converted

    def convert_all(self, types: Iterable[Attribute]) -> list[Attribute]:
        return [self.convert(each) for each in types]

    def convert_function_type(self, ty: FunctionType) -> FunctionType:
        return FunctionType.from_lists(self.convert_all(ty.inputs), self.convert_all(ty.outputs))

    def is_legal(self, ty: Attribute) -> bool:
        """Whether a type stays as it is."""
        try:
            return self.convert(ty) is ty
        except ConversionError:
            return False


class ConversionPattern(ABC, Generic[OpT]):
    """Converts the ops of one class. A pattern either replaces its op or raises."""

    @abstractmethod
    def convert(self, op: OpT, rewriter: ConversionRewriter) -> None:
        """
        Replaces `op` through `rewriter`; `ConversionError` if it cannot be done. Operands are
        asked for by `rewriter.value`, types by `rewriter.type`.
        """


class ConversionRewriter:
    """What a pattern may do: it builds ops in front of the op being converted."""

    def __init__(self, converter: TypeConverter):
        self.converter = converter
        self._values: dict[SSAValue, SSAValue] = {}
        self._bridges: dict[tuple[SSAValue, Attribute], SSAValue] = {}
        self._op: Operation | None = None
        self._replaced: list[Operation] = []
        self._inserted: list[Operation] = []
        self._old_arguments: list[BlockArgument] = []
        self.pending_regions: list[Region] = []
        self.shared: dict[Hashable, SSAValue] = {}
        """Values that patterns make once and use again, by keys of their own."""
        self._states: dict[Callable[[], object], object] = {}

    # For patterns

    @property
    def block(self) -> Block:
        """Where the op being converted is."""
        block = self._current().parent_block()
        assert block is not None
        return block

    def type(self, ty: Attribute) -> Attribute:
        """The converted type."""
        return self.converter.convert(ty)

    def types(self, types: Iterable[Attribute]) -> list[Attribute]:
        return self.converter.convert_all(types)

    def state(self, state_class: Callable[[], StateT]) -> StateT:
        """
        What patterns know of the conversion at hand: one object of a class, which all of them
        share. Patterns have no state of their own, they are made once for all conversions.
        """
        known = self._states.get(state_class)
        if known is None:
            known = self._states[state_class] = state_class()
        return cast("StateT", known)

    def value(self, value: SSAValue) -> SSAValue:
        """The converted value of an operand."""
        # A replacement may have been replaced in turn.
        while (known := self._values.get(value)) is not None:
            value = known
        ty = self.converter.convert(value.type)
        if ty is value.type:
            return value
        return self._bridge(value, ty, self.converter.target_materialization)

    def values(self, values: Iterable[SSAValue]) -> list[SSAValue]:
        return [self.value(each) for each in values]

    def optional(self, value: SSAValue | None) -> SSAValue | None:
        return None if value is None else self.value(value)

    def insert(self, op: OpT) -> OpT:
        """
        Puts an op in front of the one being converted, with its location; so are the ops that
        the pattern made in its regions.
        """
        current = self._current()
        self._locate(op, current)
        for region in op.regions:
            if region not in self.pending_regions:
                for nested in region.walk():
                    self._locate(nested, current)
        self.block.insert_op_before(op, current)
        self._inserted.append(op)
        return op

    @staticmethod
    def _locate(new: Operation, old: Operation) -> None:
        if isinstance(new.location, UnknownLoc):
            new.location = old.location

    def replace(
        self, op: Operation, *new: Operation | SSAValue | Sequence[SSAValue | None]
    ) -> None:
        """
        Replaces `op`: ops are inserted in order, and the results of the last item, or it
        itself if it is a value, or a sequence of values, take the place of its results.
        `None` stands for a result that is not used.
        """
        results: Sequence[SSAValue | None] = ()
        for item in new:
            if isinstance(item, Operation):
                results = self.insert(item).results
            else:
                results = (item,) if isinstance(item, SSAValue) else item
        if len(results) != len(op.results):
            raise ConversionError(
                f"{len(op.results)} results are replaced by {len(results)} values"
            )
        for old, value in zip(op.results, results, strict=True):
            if value is None:
                if old.first_use is not None:
                    raise ConversionError("a result that is used is not replaced")
                continue
            if value.name_hint is None:
                value.name_hint = old.name_hint
            self._values[old] = value
        self._replaced.append(op)

    def move_region(self, region: Region) -> Region:
        """
        Takes a region from its op, with the arguments of its blocks converted; the ops in it
        are converted later.
        """
        owner = region.parent
        assert owner is not None
        owner.detach_region(region)
        # The op keeps its shape until it is erased.
        owner.add_region(Region())
        for block in region.blocks:
            self.convert_arguments(block)
        self.pending_regions.append(region)
        return region

    def convert_region(self, region: Region) -> Region:
        """The ops of a region that a pattern made are converted later."""
        self.pending_regions.append(region)
        return region

    def move_rest(self, op: Operation, block: Block) -> None:
        """Moves the ops after `op`, which are not converted yet, to the end of a block."""
        while (following := op.next_op) is not None:
            following.detach()
            block.add_op(following)

    def erase_rest(self, op: Operation) -> None:
        """Erases the ops after `op`, which nothing else uses."""
        block = op.parent_block()
        assert block is not None
        while (last := block.last_op) is not None and last is not op:
            last.detach()
            last.erase(safe_erase=False)

    def convert_arguments(self, block: Block) -> None:
        """Gives the arguments of a block their converted types."""
        for argument in tuple(block.args):
            ty = self.converter.convert(argument.type)
            if ty is argument.type:
                continue
            new = block.insert_arg(ty, argument.index + 1, argument.location)
            new.name_hint = argument.name_hint
            self._values[argument] = new
            self._old_arguments.append(argument)

    # For the driver

    def run(self, op: Operation, pattern: ConversionPattern[Operation]) -> list[Operation]:
        """Converts an op; returns the ops that were made for it."""
        self._op = op
        self._inserted = []
        pattern.convert(op, self)
        self._op = None
        if self._replaced[-1:] != [op]:
            raise ConversionError("was not replaced by its pattern")
        return self._inserted

    def finish(self) -> None:
        """Bridges what unconverted ops still use, and erases what was replaced."""
        replaced = set(self._replaced)
        for old, new in self._values.items():
            if old.first_use is None:
                continue
            users = [use for use in old.uses if use.operation not in replaced]
            if not users:
                continue
            if new.type == old.type:
                bridge = new
            else:
                bridge = self._source_bridge(new, old.type)
            for use in users:
                use.operation.operands[use.index] = bridge
        for op in reversed(self._replaced):
            _erase_replaced(op)
        for argument in self._old_arguments:
            argument.block.erase_arg(argument)

    def _current(self) -> Operation:
        assert self._op is not None, "no op is being converted"
        return self._op

    def _bridge(self, value: SSAValue, ty: Attribute, materialize: Materialization) -> SSAValue:
        """A cast of a value after its definition, so that all users can share it."""
        key = (value, ty)
        if key not in self._bridges:
            cast_op = materialize(value, ty)
            if cast_op is None:
                raise ConversionError(f"no value of type '{ty}' can be made of '{value.type}'")
            _insert_behind(cast_op, value)
            self._bridges[key] = cast_op.results[0]
        return self._bridges[key]

    def _source_bridge(self, value: SSAValue, ty: Attribute) -> SSAValue:
        owner = value.owner
        if isinstance(owner, UnrealizedConversionCastOp) and owner.operands[0].type == ty:
            return owner.operands[0]
        return self._bridge(value, ty, self.converter.source_materialization)


def _insert_behind(op: Operation, value: SSAValue) -> None:
    owner = value.owner
    if isinstance(owner, Block):
        first = owner.first_op
        owner.add_op(op) if first is None else owner.insert_op_before(op, first)
        return
    block = owner.parent_block()
    assert block is not None
    op.location = owner.location
    block.insert_op_after(op, owner)


Patterns = Mapping[type[Operation], ConversionPattern[Operation]]


class PatternSet:
    """
    Patterns by op class, in the order they were added; a class has one pattern. An op of another
    class of the same name, such as one of xDSL that a dialect here extends, gets it too.
    """

    def __init__(self, populate_rest: Callable[[PatternSet], None] | None = None) -> None:
        """
        `populate_rest` adds the patterns of ops that are seldom there, as soon as one of them
        must be converted.
        """
        self._patterns: dict[type[Operation], ConversionPattern[Operation]] = {}
        self._by_name: dict[str, ConversionPattern[Operation]] = {}
        self._populate_rest = populate_rest
        self.hint = ""
        """What is said of an op without a pattern."""

    def add(self, op_class: type[OpT], pattern: ConversionPattern[OpT]) -> None:
        if op_class in self._patterns:
            raise ValueError(f"'{op_class.name}' has a pattern already")
        self._patterns[op_class] = cast("ConversionPattern[Operation]", pattern)
        self._by_name[op_class.name] = self._patterns[op_class]

    def __contains__(self, op_class: type[Operation]) -> bool:
        """Whether there is one now, without those of ops that are seldom there."""
        return op_class in self._patterns

    def get(self, op: Operation) -> ConversionPattern[Operation] | None:
        return self._patterns.get(type(op)) or self._by_name.get(op.name)

    def get_of_all(self, op: Operation) -> ConversionPattern[Operation] | None:
        """The same, also among patterns of ops that are seldom there."""
        self._add_rest()
        return self.get(op)

    def _add_rest(self) -> None:
        if self._populate_rest is not None:
            populate, self._populate_rest = self._populate_rest, None
            populate(self)

    @property
    def op_classes(self) -> tuple[type[Operation], ...]:
        self._add_rest()
        return tuple(self._patterns)


def apply_partial_conversion(
    module: ModuleOp,
    target: ConversionTarget,
    converter: TypeConverter,
    patterns: PatternSet,
    failure: str = "",
) -> None:
    """
    Converts every op that is not legal; ops that nothing was said of may stay.
    `PassFailedException` on the first op that stays although it must not, with the module as
    it was unless it is disposable; its message begins with `failure`.
    """
    converted = working_copy(module)
    convert_in_place(converted, target, converter, patterns, failure)
    replace_contents(module, converted)


def convert_in_place(
    root: Operation,
    target: ConversionTarget,
    converter: TypeConverter,
    patterns: PatternSet,
    failure: str = "",
) -> None:
    """The same without a copy, for what can be thrown away if the conversion fails."""
    _Conversion(target, patterns, ConversionRewriter(converter), failure).run(root)


_DISPOSABLE: ContextVar[ModuleOp | None] = ContextVar("disposable", default=None)


@contextmanager
def disposable(module: ModuleOp) -> Generator[None]:
    """
    Says that a module will be thrown away if a pass fails, so that passes need not copy it to
    leave it as it was.
    """
    token = _DISPOSABLE.set(module)
    try:
        yield
    finally:
        _DISPOSABLE.reset(token)


def working_copy(module: ModuleOp) -> ModuleOp:
    """What a pass may change before it knows that it will not fail, see `replace_contents`."""
    return module if _DISPOSABLE.get() is module else module.clone()


def replace_contents(module: ModuleOp, replacement: ModuleOp) -> None:
    """Puts the contents of a working copy into the module."""
    if replacement is module:
        return
    old = module.detach_region(0)
    module.add_region(replacement.detach_region(0))
    module.attributes = replacement.attributes
    old.drop_all_references()


@dataclass
class _Conversion:
    """One run of a conversion."""

    target: ConversionTarget
    patterns: PatternSet
    rewriter: ConversionRewriter
    failure: str

    def __post_init__(self) -> None:
        self.converts_types = bool(self.rewriter.converter.conversions)

    def run(self, root: Operation) -> None:
        regions = list(root.regions)
        while regions:
            # A pattern may move the ops after the one it converts, also to new blocks.
            block = regions.pop(0).first_block
            while block is not None:
                op = block.first_op
                while op is not None:
                    if pending := self.convert(op):
                        regions[:0] = pending
                    op = op.next_op
                block = block.next_block
        try:
            self.rewriter.finish()
        except ConversionError as error:
            self.fail(root, str(error))
        legality = self.target.legality
        for op in walk(root):
            if legality(op) is Legality.ILLEGAL:
                self.fail(op, "is left after the conversion")

    def convert(self, op: Operation) -> Sequence[Region]:
        """Converts an op if it must be; returns the regions to go on with."""
        legality = self.target.legality(op)
        pattern = None if legality is Legality.LEGAL else self.patterns.get(op)
        if pattern is None and legality is Legality.ILLEGAL:
            pattern = self.patterns.get_of_all(op)
        if pattern is None:
            if legality is Legality.ILLEGAL:
                self.fail(op, f"has no conversion{self.patterns.hint}")
            if self.converts_types:
                self.verify_types(op)
            return op.regions
        self.rewriter.pending_regions = []
        try:
            made = self.rewriter.run(op, pattern)
        except ConversionError as error:
            self.fail(op, str(error))
        regions = self.rewriter.pending_regions
        for new in made:
            # What a pattern makes of its own kind would be made again and again.
            illegal = self.target.legality(new) is Legality.ILLEGAL
            if illegal and self.patterns.get(new) is not pattern:
                regions[:0] = self.convert(new)
        return regions

    def verify_types(self, op: Operation) -> None:
        """An op that stays may have old types, for which there are bridges, or else fails."""
        convert = self.rewriter.converter.convert
        try:
            for result in op.results:
                convert(result.type)
            for region in op.regions:
                for block in region.blocks:
                    for argument in block.args:
                        convert(argument.type)
        except ConversionError as error:
            self.fail(op, str(error))

    def fail(self, op: Operation, message: str) -> NoReturn:
        fail(op, f"'{get_name(op)}' op {message}", self.failure)


def fail(op: Operation, message: str, failure: str = "") -> NoReturn:
    """Fails a conversion at an op."""
    text = f"{failure}: {message}" if failure else message
    op.emit_error(text, ConversionError(text))


def _erase_replaced(op: Operation) -> None:
    """Erases an op; results that nothing uses need no value in their place."""
    op.detach()
    op.drop_all_references()
    for result in op.results:
        if result.first_use is not None:
            result.erase(safe_erase=False)


# Pairs of casts that cancel out:
#
#     %b = builtin.unrealized_conversion_cast %a : T to U
#     %c = builtin.unrealized_conversion_cast %b : U to T
#     →
#     %a in place of %c


def get_source(value: SSAValue) -> SSAValue:
    """What a chain of casts of single values begins with."""
    while isinstance(value.owner, UnrealizedConversionCastOp) and len(value.owner.operands) == 1:
        value = value.owner.operands[0]
    return value


def reconcile_casts(root: Operation) -> None:
    """
    Replaces a cast at whose beginning there is a value of its type, and erases those that
    nothing uses any more.
    """
    casts = find_all(root, UnrealizedConversionCastOp)
    for op in casts:
        if len(op.results) != 1 or len(op.operands) != 1:
            continue
        result, source = op.results[0], op.operands[0]
        while source.type != result.type:
            owner = source.owner
            if not isinstance(owner, UnrealizedConversionCastOp) or len(owner.operands) != 1:
                break
            source = owner.operands[0]
        else:
            if source.name_hint is None:
                source.name_hint = result.name_hint
            result.replace_all_uses_with(source)
    for op in reversed(casts):
        if not any(result.uses for result in op.results):
            op.detach()
            op.erase()
