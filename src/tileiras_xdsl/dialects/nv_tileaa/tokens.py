"""Memory tokens: the order of effects, as values."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import IntAttr, IntegerAttr, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import eq, opt_prop_def, result_def, traits_def, var_operand_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects.building import Value
from tileiras_xdsl.dialects.diagnosed import diagnosed_op

from .base import TileaaOperation, get_element
from .types import MEM_TOKEN, MemRefType, MemTokenType, PtrType, TiledViewType


class TokenPatterns(HasCanonicalizationPatternsTrait):
    """The algebra of joins."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tileiras_xdsl.transforms.tileaa.canonicalization import tokens as patterns

        return patterns.TOKEN_PATTERNS


AliasSet = tuple[int, int]
"""Memory that nothing outside aliases: an address space, and an alias scope in it."""


def get_scope(values: Sequence[SSAValue]) -> frozenset[AliasSet]:
    """The alias sets that values point into; none at all stands for all memory."""
    scope: set[AliasSet] = set()
    for value in values:
        match get_element(value.type):
            case MemRefType() as memref:
                scope.add((memref.address_space.data, memref.alias_scope.data))
            case TiledViewType(memref=memref):
                scope.add((memref.address_space.data, memref.alias_scope.data))
            case PtrType() as pointer:
                scope.add((pointer.address_space.data, 0))
            case LLVMPointerType(addr_space=IntAttr(data=space)):
                scope.add((space, 0))
            case _:
                pass
    return frozenset(scope)


class TokenTypes:
    """
    The token types of functions, by scope, so that one function uses one object for a scope.
    All scopes share a type as long as the type has no parameters. A function that is gone
    takes its types along: scopes hold no values, which would keep it.
    """

    _of_function: WeakKeyDictionary[Operation, dict[frozenset[AliasSet], MemTokenType]]

    def __init__(self) -> None:
        self._of_function = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._of_function)

    def get(self, function: Operation | None, values: Sequence[SSAValue]) -> MemTokenType:
        """The type of tokens that order accesses to what values point to."""
        if function is None:
            return MEM_TOKEN
        types = self._of_function.setdefault(function, {})
        return types.setdefault(get_scope(values), MEM_TOKEN)


TOKEN_TYPES = TokenTypes()


def enclosing_function(op: Operation | None) -> Operation | None:
    """The function around an op."""
    while op is not None and not op.name.endswith(".func"):
        op = op.parent_op()
    return op


@diagnosed_op
class CreateMemTokenOp(TileaaOperation):
    """
    A token with nothing before it: `create_mem_token : !nv_tileaa.mem_token`. Operands, in
    `scope(%a : i32)` if any, are what the scope of the token consists of. `num_producers`
    (1 if absent) effects arrive on its barrier when it is lowered to one.
    """

    name = "nv_tileaa.create_mem_token"

    scope = var_operand_def()
    result = result_def(MemTokenType)
    num_producers = opt_prop_def(IntegerAttr.constr(type=eq(i32)))

    traits = traits_def(Pure())
    assembly_format = "(`scope` `(` $scope^ `:` type($scope) `)`)? attr-dict `:` type($result)"

    def __init__(
        self,
        scope: Sequence[Value] = (),
        result_type: MemTokenType | None = None,
        num_producers: int | None = None,
        *,
        function: Operation | None = None,
    ):
        values = [SSAValue.get(value) for value in scope]
        if result_type is None:
            result_type = TOKEN_TYPES.get(function or _function_of(values), values)
        super().__init__(
            operands=[values],
            result_types=[result_type],
            properties={
                "num_producers": None if num_producers is None else IntegerAttr(num_producers, i32)
            },
        )

    def get_num_producers(self) -> int:
        return 1 if self.num_producers is None else self.num_producers.value.data

    def verify_(self) -> None:
        if self.get_num_producers() < 1:
            raise VerifyException(
                f"expects at least one producer, but got {self.get_num_producers()}"
            )


def _function_of(values: Sequence[SSAValue]) -> Operation | None:
    for value in values:
        owner = value.owner
        found = enclosing_function(owner if isinstance(owner, Operation) else owner.parent_op())
        if found is not None:
            return found
    return None


@diagnosed_op
class JoinMemTokenOp(TileaaOperation):
    """A token complete once all of its tokens are: `join_mem_token [%a, %b] : …`."""

    name = "nv_tileaa.join_mem_token"

    tokens = var_operand_def(eq(MEM_TOKEN))
    result = result_def(eq(MEM_TOKEN))

    traits = traits_def(Pure(), TokenPatterns())
    assembly_format = "` ` `[` $tokens `]` attr-dict `:` type($result)"

    def __init__(self, *tokens: Value):
        super().__init__(operands=[tokens], result_types=[MEM_TOKEN])


def is_token(ty: Attribute) -> bool:
    """Whether values of a type are memory tokens."""
    return isinstance(ty, MemTokenType)
