"""
Memory: pointers, accesses through them, globals, and the other effects that tokens order.

Every access takes an optional token it comes after, and yields a token that comes after it;
the result is absent only where tokens have been lowered. An absent `mem_semantic` is weak.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import (
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    bf16,
    f16,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    VarConstraint,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from tileiras_xdsl.dialects import memory_order
from tileiras_xdsl.dialects.building import TypeOf, Value, diagnosed_op
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.cuda_tile.types import is_float

from .attributes import (
    MEM_SCOPE,
    RMW_MODE,
    BoolLike,
    ElementLike,
    IntegerLike,
    NumberLike,
    PointerLike,
    TileaaOperation,
    TypeKind,
    Word,
    get_element,
    get_shape,
    word,
)
from .types import MEM_TOKEN, MemRefType, MemTokenType, PtrType, TiledViewType

TOKEN = eq(MEM_TOKEN)
LOAD_SEMANTIC = Word("mem_semantic", ("weak", "relaxed", "acquire"))
STORE_SEMANTIC = Word("mem_semantic", ("weak", "relaxed", "release"))
ATOMIC_SEMANTIC = Word("mem_semantic", ("relaxed", "acquire", "release", "acq_rel", "seq_cst"))


class MemoryPatterns(HasCanonicalizationPatternsTrait):
    """The folds of masked accesses, atomics and pointer arithmetic."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tileiras_xdsl.transforms.tileaa.canonicalization import memory as patterns

        return patterns.MEMORY_PATTERNS


def verify_order(semantic: StringAttr | None, scope: StringAttr | None) -> None:
    """A scope belongs to an access that is not weak, and to no other."""
    is_weak = word(semantic, "weak") == "weak"
    if is_weak and scope is not None:
        raise VerifyException("mem_scope not supported when mem_semantic is weak")
    if not is_weak and scope is None:
        raise VerifyException("mem_scope required when mem_semantic is not weak")


def verify_shapes(pointer: SSAValue, *values: SSAValue | None) -> None:
    """Pointers and what belongs to them have one shape."""
    shape = get_shape(pointer.type)
    for value in values:
        if value is not None and get_shape(value.type) != shape:
            raise VerifyException(f"expects the shape of '{pointer.type}', but got '{value.type}'")


def verify_pointee(pointer: SSAValue, element: Attribute) -> None:
    """A pointer that knows its pointee is used for nothing else."""
    ty = get_element(pointer.type)
    if isinstance(ty, PtrType) and ty.pointee != element:
        raise VerifyException(f"'{ty}' does not point to '{element}'")


@diagnosed_op
class AddPtrOp(TileaaOperation):
    """Pointers moved by numbers of elements of `elem_type`."""

    name = "nv_tileaa.addptr"

    P: ClassVar = VarConstraint("P", PointerLike)
    base = operand_def(P)
    offset = operand_def(IntegerLike)
    result = result_def(P)
    elem_type = prop_def(TypeKind())

    traits = traits_def(Pure(), MemoryPatterns())
    assembly_format = "$base `,` $offset attr-dict `:` type($base) `,` type($offset)"

    def verify_(self) -> None:
        verify_shapes(self.base, self.offset)
        verify_pointee(self.base, self.elem_type)


class OrderedAccess(TileaaOperation, ABC):
    """An access with memory effects that tokens order."""

    mem_scope = opt_prop_def(MEM_SCOPE)
    volatile = opt_prop_def(UnitAttr)
    optimization_hints = opt_prop_def(DictionaryAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    def get_semantic(self) -> str:
        """The memory order, `weak` if it is not given."""
        semantic = self.properties.get("mem_semantic")
        return semantic.data if isinstance(semantic, StringAttr) else "weak"


class PointerLoad(OrderedAccess, ABC):
    """Reads through pointers."""

    pointer = operand_def(PointerLike)
    mask = opt_operand_def(BoolLike)
    other = opt_operand_def(NumberLike)
    token = opt_operand_def(TOKEN)
    result = result_def(NumberLike)
    result_token = opt_result_def(TOKEN)
    mem_semantic = opt_prop_def(LOAD_SEMANTIC)

    traits = traits_def(memory_order.Reads())
    assembly_format = (
        "$pointer (`mask` `(` $mask^ `:` type($mask) `)`)? "
        "(`other` `(` $other^ `:` type($other) `)`)? (`token` `(` $token^ `)`)? "
        "attr-dict `:` type($pointer) `->` type($result) (`,` type($result_token)^)?"
    )

    DEFAULTS: ClassVar = {"result_token_type": (MEM_TOKEN,)}

    def verify_(self) -> None:
        verify_order(self.mem_semantic, self.mem_scope)
        verify_shapes(self.pointer, self.result, self.mask, self.other)
        verify_pointee(self.pointer, get_element(self.result.type))


@diagnosed_op
class LoadOp(PointerLoad):
    """
    Reads through pointers. Lanes whose mask is false yield `other`, or anything.

        %v, %t1 = nv_tileaa.load %p mask(%m : tensor<8xi1>) other(%o : tensor<8xf32>) token(%t0)
            : tensor<8x!llvm.ptr<1>> -> tensor<8xf32>, !nv_tileaa.mem_token
    """

    name = "nv_tileaa.load"

    traits = traits_def(MemoryPatterns())


class PointerStore(OrderedAccess, ABC):
    """Writes through pointers."""

    pointer = operand_def(PointerLike)
    value = operand_def(NumberLike)
    mask = opt_operand_def(BoolLike)
    token = opt_operand_def(TOKEN)
    result_token = opt_result_def(TOKEN)
    mem_semantic = opt_prop_def(STORE_SEMANTIC)

    traits = traits_def(memory_order.Writes())
    assembly_format = (
        "$pointer `,` $value (`mask` `(` $mask^ `:` type($mask) `)`)? "
        "(`token` `(` $token^ `)`)? "
        "attr-dict `:` type($pointer) `,` type($value) (`->` type($result_token)^)?"
    )

    DEFAULTS: ClassVar = {"result_token_type": (MEM_TOKEN,)}

    def verify_(self) -> None:
        verify_order(self.mem_semantic, self.mem_scope)
        verify_shapes(self.pointer, self.value, self.mask)
        verify_pointee(self.pointer, get_element(self.value.type))


@diagnosed_op
class StoreOp(PointerStore):
    """
    Writes through pointers, in the lanes whose mask is true.

        %t1 = nv_tileaa.store %p, %v mask(%m : tensor<8xi1>) token(%t0)
            : tensor<8x!llvm.ptr<1>>, tensor<8xf32> -> !nv_tileaa.mem_token
    """

    name = "nv_tileaa.store"

    traits = traits_def(MemoryPatterns())


@diagnosed_op
class AtomicRMWOp(OrderedAccess):
    """
    An atomic read-modify-write by `rmw_mode`; yields the old value.

        %old, %t1 = nv_tileaa.atomic_rmw %p, %v token(%t0)
            {rmw_mode = "add", mem_semantic = "relaxed", mem_scope = "gpu"}
            : !llvm.ptr<1>, i32 -> i32, !nv_tileaa.mem_token
    """

    name = "nv_tileaa.atomic_rmw"

    pointer = operand_def(PointerLike)
    value = operand_def(NumberLike)
    mask = opt_operand_def(BoolLike)
    token = opt_operand_def(TOKEN)
    result = result_def(NumberLike)
    result_token = opt_result_def(TOKEN)
    rmw_mode = prop_def(RMW_MODE)
    mem_semantic = prop_def(ATOMIC_SEMANTIC)

    traits = traits_def(memory_order.Updates(), MemoryPatterns())
    assembly_format = (
        "$pointer `,` $value (`mask` `(` $mask^ `:` type($mask) `)`)? "
        "(`token` `(` $token^ `)`)? "
        "attr-dict `:` type($pointer) `,` type($value) `->` type($result) "
        "(`,` type($result_token)^)?"
    )

    DEFAULTS: ClassVar = {"result_type": TypeOf("value"), "result_token_type": (MEM_TOKEN,)}

    def verify_(self) -> None:
        verify_order(self.mem_semantic, self.mem_scope)
        verify_shapes(self.pointer, self.value, self.result, self.mask)
        verify_pointee(self.pointer, get_element(self.value.type))
        if self.result.type != self.value.type:
            raise VerifyException(
                f"expects the type of the value '{self.value.type}', but yields "
                f"'{self.result.type}'"
            )
        verify_rmw(self.rmw_mode.data, get_element(self.value.type))


FLOAT_MODES = ("addf", "max", "min")


def verify_rmw(mode: str, element: Attribute) -> None:
    """
    Checks that there is such an atomic on such elements: integers of 32 and 64 bits, floats
    of 16 to 64 bits for `add`, `min` and `max`, of 32 and 64 bits for `xchg`.
    """
    is_wide = element_bit_width(element) in (32, 64)
    if mode == "xchg":
        supported = is_wide
    elif is_float(element):
        supported = mode in FLOAT_MODES and element in (f16, bf16, f32, f64)
    else:
        supported = mode != "addf" and is_wide
    if not supported:
        raise VerifyException(f"rmw_mode {mode} is not supported on '{element}'")


@diagnosed_op
class AtomicCASOp(OrderedAccess):
    """An atomic compare-and-swap; yields the old value."""

    name = "nv_tileaa.atomic_cas"

    T: ClassVar = VarConstraint("T", NumberLike)
    pointer = operand_def(PointerLike)
    compare = operand_def(T)
    replacement = operand_def(T)
    mask = opt_operand_def(BoolLike)
    token = opt_operand_def(TOKEN)
    result = result_def(T)
    result_token = opt_result_def(TOKEN)
    mem_semantic = prop_def(ATOMIC_SEMANTIC)

    traits = traits_def(memory_order.Updates(), MemoryPatterns())
    assembly_format = (
        "$pointer `,` $compare `,` $replacement (`mask` `(` $mask^ `:` type($mask) `)`)? "
        "(`token` `(` $token^ `)`)? "
        "attr-dict `:` type($pointer) `->` type($result) (`,` type($result_token)^)?"
    )

    DEFAULTS: ClassVar = {"result_token_type": (MEM_TOKEN,)}

    def verify_(self) -> None:
        verify_order(self.mem_semantic, self.mem_scope)
        verify_shapes(self.pointer, self.compare, self.mask)
        verify_pointee(self.pointer, get_element(self.compare.type))
        if element_bit_width(get_element(self.compare.type)) not in (32, 64):
            raise VerifyException(
                "expect only float or integer types with 32 or 64 bit, but got "
                f"'{self.compare.type}'"
            )


class TokenOperation(TileaaOperation, ABC):
    """A memory effect without data, between two tokens."""

    token = opt_operand_def(TOKEN)
    result_token = opt_result_def(TOKEN)

    # In parentheses: without a token, the name of the next result would be read as one.
    assembly_format = "(`token` `(` $token^ `)`)? attr-dict (`->` type($result_token)^)?"

    DEFAULTS: ClassVar = {"result_token_type": (MEM_TOKEN,)}


@diagnosed_op
class MemoryFenceAliasOp(TokenOperation):
    """Orders accesses to memory that is seen through different pointers."""

    name = "nv_tileaa.memory_fence_alias_tko"

    traits = traits_def(memory_order.Fences())


@diagnosed_op
class GdcWaitOp(TokenOperation):
    """Waits for the grids this one depends on (`griddepcontrol.wait`)."""

    name = "nv_tileaa.gdc_wait_tko"

    traits = traits_def(memory_order.WaitsForGrids())


@diagnosed_op
class GdcLaunchDependentsOp(TokenOperation):
    """Lets dependent grids start (`griddepcontrol.launch_dependents`)."""

    name = "nv_tileaa.gdc_launch_dependents_tko"

    traits = traits_def(memory_order.LaunchesGrids())


@diagnosed_op
class AllocaOp(TileaaOperation):
    """Memory of a CTA for `num_elem` elements; `global` asks for global memory."""

    name = "nv_tileaa.alloca"

    result = result_def(PointerLike)
    num_elem = prop_def(IntegerAttr.constr(type=eq(i64)))
    alignment = prop_def(IntegerAttr.constr(type=eq(i64)))
    elem_type = prop_def(TypeKind())
    global_ = opt_prop_def(UnitAttr, prop_name="global")

    traits = traits_def(memory_order.ReservesMemory())
    assembly_format = "attr-dict `:` type($result)"


@diagnosed_op
class GlobalOp(TileaaOperation):
    """
    A variable in global memory, with its initial value. `elem_type` is the type of its
    elements where the value holds only their bits.
    """

    name = "nv_tileaa.global"

    sym_name = prop_def(SymbolNameConstraint())
    value = prop_def(AnyAttr())
    alignment = opt_prop_def(IntegerAttr.constr(type=eq(i64)))
    constant = opt_prop_def(UnitAttr)
    sym_visibility = opt_prop_def(Word("visibility", ("public", "private")))
    elem_type = opt_prop_def(AnyAttr())

    traits = traits_def(SymbolOpInterface())
    assembly_format = "$sym_name attr-dict"


@diagnosed_op
class GetGlobalOp(TileaaOperation):
    """The address of a global."""

    name = "nv_tileaa.get_global"

    global_name = prop_def(FlatSymbolRefAttrConstr, prop_name="name")
    result = result_def(LLVMPointerType)

    traits = traits_def(Pure())
    assembly_format = "$name attr-dict `:` type($result)"


@diagnosed_op
class PrintOp(TileaaOperation):
    """Prints values in a format as of `printf`."""

    name = "nv_tileaa.print"

    arguments = var_operand_def(ElementLike)
    token = opt_operand_def(TOKEN)
    result_token = opt_result_def(TOKEN)
    str_ = prop_def(StringAttr, prop_name="str")

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(memory_order.Prints())
    assembly_format = (
        "$str (`,` $arguments^ `:` type($arguments))? (`token` `(` $token^ `)`)? "
        "attr-dict (`->` type($result_token)^)?"
    )

    def __init__(
        self,
        fmt: StringAttr,
        arguments: Sequence[Value],
        token: Value | None = None,
        *,
        with_token: bool = True,
    ):
        super().__init__(
            operands=[arguments, token],
            result_types=[[MEM_TOKEN] if with_token else []],
            properties={"str": fmt},
        )


@diagnosed_op
class AssertOp(TileaaOperation):
    """Stops the program with a message unless all lanes of a condition are true."""

    name = "nv_tileaa.assert"

    condition = operand_def(BoolLike)
    message = prop_def(StringAttr)

    traits = traits_def(memory_order.Asserts())
    assembly_format = "$condition `,` $message attr-dict `:` type($condition)"


# Memory tokens: the order of effects, as values.


class TokenPatterns(HasCanonicalizationPatternsTrait):
    """The algebra of joins."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from tileiras_xdsl.transforms.tileaa.canonicalization import memory as patterns

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
        values = [SSAValue.get(each) for each in scope]
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
