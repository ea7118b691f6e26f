"""
xDSL's IR with the same behaviour in less time, for processes that do nothing but compile.

A compilation makes and looks at some thousand ops, and much of what that takes is what xDSL asks
about classes and definitions every time anew. Here it is asked once:

| of xDSL | here |
| --- | --- |
| `isinstance` of an abstract class looks into the caches of `ABCMeta` | looks at the bases |
| properties, hashes and equality that are functions | are those of Python's core |
| `Operation.__init__` makes operands, results and successors by setters | makes them at once |
| `IRDLOperation.__init__` asks definitions and arguments whether they are lists | asks arguments |
| `IRDLOperation.__post_init__` looks for defaults of properties | knows which ops have some |
| accessors of operands and results go through a view | index the tuple |
| accessors of segments unpack the sizes of all | remember sizes |
| `SSAValue.get` makes a generic type to cast to | does not |
| `get_trait` and the like go through all traits | remember what they have found |
| `Block.ops` and `walk` ask an iterator for every op | are generators |
| `Block._attach_op` goes through all ancestors | not for an op that contains nothing |
| `SSAValue.erase` makes a value for users that there are not | does not |
| `name_hint` is matched with patterns whenever it is set | remembers names |
| `Attribute.__post_init__` makes a union to ask what kind a class is | asks each class once |
| `ParamAttrDef.verify` makes a context for variables | not if there are none |
| and asks constraints for the class of parameters | looks at the class first |
| `get_effects` makes a set of what traits say | not of what one says |
| `cse` hashes ops with all their attributes and types | by operands, if there are any |
| `verify_variadic_size` looks for what a definition has | knows it |
| `OpDef.verify` makes lists of types, and asks traits that verify nothing | does not |
| `IsolatedFromAbove.verify` goes up from every operand | not from those of the same block |
| `IntegerType` is hashed from all that it consists of | once |
| `AnyOf.get` compares all constraints with each other | compares their classes |

Ops of our dialects are made, asked for their traits and verified so in any process
(`quick_operations`, `quick_verification`). What is wrong takes the way that xDSL has for it, so
messages are the same.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, cast

import xdsl.irdl.operations as irdl_operations  # noqa: TID251
from xdsl import traits
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    BlockOps,
    Data,
    IRUses,
    Operation,
    OpOperands,
    OpResult,
    ParametrizedAttribute,
    Region,
    SSAValue,
    SSAValues,
    Use,
)
from xdsl.irdl import (
    AnyOf,
    AttrConstraint,
    AttrSizedSegments,
    BaseAttr,
    IRDLOperation,
    IRDLOption,
    OpDef,
    OptionalDef,
    ParamAttrDef,
    RangeConstraint,
    VariadicDef,
    VerificationContext,
    irdl_to_attr_constraint,
)
from xdsl.traits import EffectInstance, IsolatedFromAbove, MemoryEffect
from xdsl.utils.exceptions import VerifyException

from .identity_cache import identity_cache
from .quick_operations import (
    PlainMeta,
    finish_operation,
    get_item,
    get_trait,
    get_traits_of_type,
    has_trait,
    init_irdl_operation,
    init_operation,
    traits_of,
)
from .quick_verification import NO_VARIABLES, Check, unpack_sizes, verify_op, verify_operation

# xDSL's modules for IR say nothing about who may look inside; this file does what they do.
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false


def _subclasses(root: type) -> Iterator[type]:
    yield root
    for each in type.__subclasses__(root):
        yield from _subclasses(each)


def use_plain_checks() -> None:
    """Makes classes of IR, and those that will be derived from them, plain."""
    roots = {
        base
        for each in (Attribute, Block, Operation, Region, SSAValue, AttrConstraint, RangeConstraint)
        for base in each.__mro__
        if type(base) is ABCMeta and base.__module__.startswith("xdsl.")
    }
    for root in (*roots, IRDLOption, OptionalDef, VariadicDef):
        for each in _subclasses(root):
            if type(each) is ABCMeta:
                each.__class__ = PlainMeta  # pyright: ignore[reportAttributeAccessIssue]


def _get_value(self: SSAValues, idx: Any) -> Any:
    """`SSAValues.__getitem__`."""
    if isinstance(idx, int):
        return get_item(self, idx)
    return SSAValues(get_item(self, idx))


_OPERAND: Final = irdl_operations.VarIRConstruct.OPERAND
_RESULT: Final = irdl_operations.VarIRConstruct.RESULT
_REGION: Final = irdl_operations.VarIRConstruct.REGION


def _constructs(op: Operation, construct: irdl_operations.VarIRConstruct) -> tuple[Any, ...]:
    """`get_op_constructs`, without a view that could change the op."""
    if construct is _OPERAND:
        return op._operands
    if construct is _RESULT:
        return op.results
    return op.regions if construct is _REGION else op._successors


def _get_accessed(self: irdl_operations.BaseAccessor, obj: Operation, objtype: Any = None) -> Any:
    """`BaseAccessor.__get__`."""
    return self.index(_constructs(obj, self.construct))


def _get_single(
    self: irdl_operations.BeforeVariadicSingleAccessor, obj: Operation, objtype: Any = None
) -> Any:
    """`BaseAccessor.__get__` of what comes before all lists, which is what most ops have."""
    construct = self.construct
    if construct is _OPERAND:
        return get_item(obj._operands, self.idx)
    if construct is _RESULT:
        return get_item(obj.results, self.idx)
    return _constructs(obj, construct)[self.idx]


def _get_segment(
    self: irdl_operations.BaseAttrAccessor, obj: Operation, objtype: Any = None
) -> Any:
    """`BaseAttrAccessor.__get__`."""
    attribute: Any = self.option.container(obj)[self.option.attribute_name]
    element = attribute.elt_type
    if element.width.data == 32:
        sizes = unpack_sizes(attribute.data.data)
    else:
        sizes = attribute.get_values()
    return self.index(sizes, _constructs(obj, self.construct))


_get_checked: Final = SSAValue.get


def _get_ssa_value(arg: Any, *, type: Any = Attribute) -> Any:  # noqa: A002
    """`SSAValue.get`."""
    if type is Attribute:
        if isinstance(arg, SSAValue):
            return arg
        if isinstance(arg, Operation) and len(arg.results) == 1:
            return get_item(arg.results, 0)
    return _get_checked(arg, type=type)


def _ops_from(following: Operation | None) -> Iterator[Operation]:
    """An op and those behind it. It may be erased when one has it, but not the next."""
    while following is not None:
        op = following
        following = op._next_op
        yield op


def _iterate_ops(self: BlockOps) -> Iterator[Operation]:
    """`BlockOps.__iter__`."""
    return _ops_from(self.block._first_op)


def _ops_until(preceding: Operation | None) -> Iterator[Operation]:
    """The same backwards."""
    while preceding is not None:
        op = preceding
        preceding = op._prev_op
        yield op


def _iterate_ops_backwards(self: BlockOps) -> Iterator[Operation]:
    """`BlockOps.__reversed__`."""
    return _ops_until(self.block._last_op)


def _walk(
    self: Operation, *, reverse: bool = False, region_first: bool = False
) -> Iterator[Operation]:
    """`Operation.walk`."""
    if not region_first:
        yield self
    if self.regions:
        yield from _walk_inside(self, reverse, region_first)
    if region_first:
        yield self


def _walk_inside(root: Operation, reverse: bool, region_first: bool) -> Iterator[Operation]:
    for region in reversed(root.regions) if reverse else root.regions:
        for block in reversed(region.blocks) if reverse else region.blocks:
            ops = _ops_until(block._last_op) if reverse else _ops_from(block._first_op)
            for op in ops:
                if not region_first:
                    yield op
                if op.regions:
                    yield from _walk_inside(op, reverse, region_first)
                if region_first:
                    yield op


def _attach_op(self: Block, operation: Operation) -> None:
    """`Block._attach_op`."""
    if operation.parent:
        raise ValueError("Can't add to a block an operation already attached to a block.")
    if operation.regions and operation.is_ancestor(self):
        raise ValueError("Can't add an operation to a block contained in the operation.")
    operation.parent = self


_erase_used: Final = SSAValue.erase


def _erase(self: SSAValue, safe_erase: bool = True) -> None:
    """`SSAValue.erase`."""
    if self.first_use is not None:
        _erase_used(self, safe_erase)


def _result_types(self: Operation) -> Sequence[Attribute]:
    """`Operation.result_types`."""
    return tuple([result._type for result in self.results])


@lru_cache(maxsize=4096)
def _valid_name(cls: type[SSAValue], name: str) -> str:
    return cls.extract_valid_name(name)


def _set_name_hint(self: Any, name: str | None) -> None:
    """The setter of `IRWithName.name_hint`."""
    self._name = None if name is None else _valid_name(self.__class__, name)


_OF_A_KIND: Final[set[type[Attribute]]] = set()


def _finish_attribute(self: Attribute) -> None:
    """`Attribute.__post_init__`."""
    self._verify()
    if type(self) not in _OF_A_KIND:
        if not isinstance(self, Data | ParametrizedAttribute):
            raise TypeError("Attributes should only be Data or ParametrizedAttribute")
        _OF_A_KIND.add(type(self))


@dataclass(frozen=True)
class _ParameterPlan:
    """What there is to verify of the parameters of an attribute."""

    definition: ParamAttrDef
    """So that it keeps its identity."""
    parameters: tuple[tuple[str, type[Attribute] | None, Check], ...]
    """Names, with the class that a parameter needs to have, if that is all there is to it."""
    has_variables: bool


_PARAMETER_PLANS: Final[dict[int, _ParameterPlan]] = {}
"""By the identity of a definition."""


def _parameter_plan(definition: ParamAttrDef) -> _ParameterPlan:
    constraints = [(name, each.constr) for name, each in definition.parameters]
    return _ParameterPlan(
        definition,
        tuple(
            (name, each.attr if type(each) is BaseAttr else None, each.verify)
            for name, each in constraints
        ),
        any(each.variables() for _, each in constraints),
    )


def _verify_parameters(self: ParamAttrDef, attr: ParametrizedAttribute) -> None:
    """`ParamAttrDef.verify`."""
    plan = _PARAMETER_PLANS.get(id(self))
    if plan is None:
        plan = _PARAMETER_PLANS[id(self)] = _parameter_plan(self)
    context = VerificationContext() if plan.has_variables else NO_VARIABLES
    for field, base, verify in plan.parameters:
        value = getattr(attr, field)
        if base is not None and isinstance(value, base):
            continue
        try:
            verify(value, context)
        except VerifyException as error:
            text = f"parameter '{field}' does not verify:\n{error}"
            raise VerifyException(text) from error


def _use_quick_integer_types() -> None:
    from xdsl.dialects.builtin import IntegerType

    hash_anew, are_equal = IntegerType.__hash__, IntegerType.__eq__

    def is_equal(self: IntegerType, other: object) -> bool:
        return self is other or are_equal(self, other)

    hash_once = identity_cache(cast("Callable[[Attribute], int]", hash_anew))
    type.__setattr__(IntegerType, "__hash__", hash_once)
    type.__setattr__(IntegerType, "__eq__", is_equal)
    IntegerType.bitwidth = property(attrgetter("width.data"))  # pyright: ignore[reportAttributeAccessIssue]


_relax_other: Final = BaseAttr.relax_constraint


def _relax_base(self: BaseAttr[Any], other: AttrConstraint) -> AttrConstraint | None:
    """`BaseAttr.relax_constraint`, which `AnyOf.get` calls for all pairs of its constraints."""
    if type(other) is BaseAttr and type(self) is BaseAttr:
        return self if self.attr is other.attr else None
    return _relax_other(self, other)


_get_any_other: Final[Callable[..., Any]] = AnyOf.get


def _get_any_of(*attr_constrs: Any) -> Any:
    """`AnyOf.get`, which compares all pairs. Those of classes are the same if the classes are."""
    constraints: list[Any] = []
    for each in map(irdl_to_attr_constraint, attr_constrs):
        constraints += each.attr_constrs if type(each) is AnyOf else (each,)
    if not constraints or any(type(each) is not BaseAttr for each in constraints):
        return _get_any_other(*attr_constrs)
    by_class: dict[type, Any] = {}
    for each in constraints:
        by_class.setdefault(each.attr, each)
    first, *others = by_class.values()
    return AnyOf((first, *others)) if others else first


_verify_size: Final = irdl_operations.verify_variadic_size
_FIXED_SIZES: Final[dict[tuple[int, int], tuple[OpDef, int | None]]] = {}
"""
By the identities of a definition and a construct, whose own hashes take longer than all the rest;
the definition is there so that it keeps its identity.
"""


def _verify_variadic_size(
    op: Operation, op_def: OpDef, construct: irdl_operations.VarIRConstruct
) -> None:
    """`verify_variadic_size`."""
    try:
        _, size = _FIXED_SIZES[id(op_def), id(construct)]
    except KeyError:
        defined = irdl_operations.get_construct_defs(op_def, construct)
        is_fixed = not any(isinstance(each, VariadicDef) for _, each in defined) and not any(
            isinstance(option, AttrSizedSegments) for option in op_def.options
        )
        size = len(defined) if is_fixed else None
        _FIXED_SIZES[id(op_def), id(construct)] = (op_def, size)
    if size is None or len(_constructs(op, construct)) != size:
        _verify_size(op, op_def, construct)


_collect_effects: Final = traits.get_effects


def _get_effects(op: Operation) -> AbstractSet[EffectInstance] | None:
    """`get_effects`."""
    found = traits_of(type(op), MemoryEffect)
    if len(found) == 1:
        return cast("MemoryEffect", found[0]).get_effects(op)
    return _collect_effects(op)


def _use_quick_elimination() -> None:
    """Ops that are compared by `cse` are told apart by what is quick to hash."""
    from xdsl.transforms.common_subexpression_elimination import OperationInfo

    hash_all = OperationInfo.__hash__

    def hash_operands(self: OperationInfo) -> int:
        operands = self.op._operands
        return hash((self.op.name, operands)) if operands else hash_all(self)

    OperationInfo.__hash__ = hash_operands


_verify_isolation: Final = IsolatedFromAbove.verify


def _verify_isolated(self: IsolatedFromAbove, op: Operation) -> None:
    """`IsolatedFromAbove.verify`. What an op and its operand share a block with needs no search."""
    regions = list(op.regions)
    while regions:
        for block in regions.pop().blocks:
            for child in _ops_from(block._first_op):
                for operand in child._operands:
                    owner = operand.owner
                    if owner is not block and (
                        (owner.parent is not block and not op.is_ancestor(owner)) or owner is op
                    ):
                        # That one says it.
                        return _verify_isolation(self, op)
                if child.regions and not child.has_trait(IsolatedFromAbove):
                    regions += child.regions
    return None


_PROPERTIES: Final[Mapping[type, Mapping[str, str]]] = {
    SSAValue: {"type": "_type", "name_hint": "_name"},
    OpResult: {"owner": "op"},
    BlockArgument: {"owner": "block"},
    Use: {"operation": "_operation", "index": "_index"},
    Operation: {"next_op": "_next_op", "prev_op": "_prev_op", "parent_node": "parent"},
    Block: {
        **{"next_block": "_next_block", "args": "_args", "parent_node": "parent"},
        **{"first_op": "_first_op", "last_op": "_last_op"},
    },
    Region: {"first_block": "_first_block", "last_block": "_last_block", "parent_node": "parent"},
}
"""By class: properties that give a field, and the field."""

_BY_IDENTITY: Final[tuple[type, ...]] = (SSAValue, Use, Operation.__mro__[1], IRDLOperation)
"""Classes whose objects are equal to themselves only."""


def use_quick_ir() -> None:
    """Makes all of the above so, in the whole process."""
    use_plain_checks()
    for each, names in _PROPERTIES.items():
        for name, field in names.items():
            # A property may have a setter.
            setattr(each, name, getattr(each, name).getter(attrgetter(field)))
    for each in _BY_IDENTITY:
        type.__setattr__(each, "__hash__", object.__hash__)
        type.__setattr__(each, "__eq__", object.__eq__)
    SSAValue.get = staticmethod(_get_ssa_value)
    SSAValues.__getitem__ = _get_value
    Operation.__init__ = init_operation
    Operation.walk = _walk
    Operation.verify = verify_operation
    OpDef.verify = verify_op
    IsolatedFromAbove.verify = _verify_isolated
    Operation.result_types = property(_result_types)  # pyright: ignore[reportAttributeAccessIssue]
    Operation.get_trait = classmethod(get_trait)  # pyright: ignore[reportAttributeAccessIssue]
    Operation.has_trait = classmethod(has_trait)  # pyright: ignore[reportAttributeAccessIssue]
    Operation.get_traits_of_type = classmethod(get_traits_of_type)  # pyright: ignore[reportAttributeAccessIssue]
    Operation.operands = Operation.operands.getter(OpOperands)  # pyright: ignore
    SSAValue.uses = Block.uses = property(IRUses)  # pyright: ignore[reportAttributeAccessIssue]
    SSAValue.name_hint = SSAValue.name_hint.setter(_set_name_hint)  # pyright: ignore
    SSAValue.erase = _erase
    BlockOps.__iter__ = _iterate_ops  # pyright: ignore[reportAttributeAccessIssue]
    BlockOps.__reversed__ = _iterate_ops_backwards  # pyright: ignore[reportAttributeAccessIssue]
    Block._attach_op = _attach_op
    ParamAttrDef.verify = _verify_parameters
    BaseAttr.relax_constraint = _relax_base
    AnyOf.get = staticmethod(_get_any_of)
    traits.get_effects = _get_effects
    _use_quick_integer_types()
    _use_quick_elimination()
    IRDLOperation.__init__ = init_irdl_operation
    IRDLOperation.__post_init__ = finish_operation
    Attribute.__post_init__ = _finish_attribute
    irdl_operations.BaseAccessor.__get__ = _get_accessed
    irdl_operations.BeforeVariadicSingleAccessor.__get__ = _get_single
    irdl_operations.BaseAttrAccessor.__get__ = _get_segment
    irdl_operations.verify_variadic_size = _verify_variadic_size
