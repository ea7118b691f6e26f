"""
How many warps a kernel runs with, and how it is launched (`Abi`).

    "gpu.func"() <{…, kernel}> ({ … tensor<64x64xf32> … }) {…}
    →
    "gpu.func"() <{…, kernel}> ({ … })
        {…, nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<>, nv_tileas.num_warps = 4 : i32}
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    i32,
)
from xdsl.dialects.gpu import FuncOp
from xdsl.ir import Attribute, Operation

from tileiras_xdsl.analysis.live_tiles import LiveTiles
from tileiras_xdsl.dialects.cuda_tile.elements import element_bit_width
from tileiras_xdsl.dialects.memory_order import Effect, own_effects
from tileiras_xdsl.dialects.nv_tileaa.aggregate import AggregateOperation
from tileiras_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr, get_element, get_shape
from tileiras_xdsl.dialects.nv_tileaa.decisions import COMPUTE_CAPABILITY, KERNEL_SPEC, TARGET_SPEC
from tileiras_xdsl.dialects.nv_tileaa.matmul import DotOperation, MmaFScaledOp
from tileiras_xdsl.dialects.nv_tileas.decisions import NUM_WARPS
from tileiras_xdsl.dialects.nv_tileas.pipeline import AgentSwitchOp
from tileiras_xdsl.dialects.nv_tileas.plan import get_plan
from tileiras_xdsl.targets.hopper import WARPGROUPS
from tileiras_xdsl.targets.machine import (
    WARP_THREADS,
    WORD_BITS,
    CapabilityOption,
    ComputeCapability,
)
from tileiras_xdsl.targets.target import Target, UnknownTarget, WarpChoice, target_of
from tileiras_xdsl.targets.warpgroups import Warpgroups
from tileiras_xdsl.xdsl_extras.dialect_conversion import fail
from tileiras_xdsl.xdsl_extras.walking import find_all, walk

# The target a program is compiled for, as pass options and module attributes give it.

DEFAULT_CAPABILITY: Final = ComputeCapability(8, 0)
BAD_OPTION: Final = "the pass option 'compute-capability' is invalid or missing"


def get_target(op: Operation, option: CapabilityOption = None) -> Target:
    """
    The target that an option asks for, else that of the module that an op is in, else sm_80. The
    number in a module does not say which variant of an architecture it is, the name beside it does.
    """
    module = op.get_toplevel_object()
    if option is None and isinstance(module, ModuleOp):
        option = _given(module)
    if option is None:
        return target_of(DEFAULT_CAPABILITY)
    try:
        return target_of(ComputeCapability.parse(option))
    except UnknownTarget as error:
        fail(op, str(error))
    except ValueError as error:
        fail(op, f"{BAD_OPTION}: {error}")


def _given(module: ModuleOp) -> CapabilityOption:
    for given in (TARGET_SPEC, COMPUTE_CAPABILITY):
        match given.get(module):
            case None:
                pass
            case IntegerAttr() as number:
                return number.value.data
            case StringAttr() as text:
                return text.data
            case other:
                return str(other)
    return None


def get_warpgroups(op: Operation) -> Warpgroups:
    """
    The WGMMA scheduling parameters of the target of an op. If its module has no target, it is
    Hopper: no other architecture has WGMMA.
    """
    module = op.get_toplevel_object()
    if not isinstance(module, ModuleOp) or _given(module) is None:
        return WARPGROUPS
    target = get_target(op)
    if target.warpgroups is None:
        fail(op, f"'{op.name}' op needs WGMMA, which {target} does not have")
    return target.warpgroups


DEFAULT_WARPS = 4


def get_warps(function: FuncOp) -> int:
    """How many warps a kernel has, 4 if it does not say."""
    number = NUM_WARPS.get(function)
    return DEFAULT_WARPS if number is None else number.value.data


def count_warps(function: FuncOp) -> int:
    """The warps of the CTAs of a kernel, with those of all agents."""
    for switch in find_all(function, AgentSwitchOp):
        if switch.num_warps is not None:
            return sum(map(int, switch.num_warps.get_values()))
    return get_warps(function)


def set_warps(function: FuncOp, warps: int) -> None:
    """Says how many warps a kernel has."""
    NUM_WARPS.set(function, IntegerAttr(warps, i32))


def attach_kernel_specs(module: ModuleOp, target: Target) -> None:
    """Gives every kernel what its later lowering reads: a specification, and its warps."""
    for op in kernels(module):
        if op.kernel is not None:
            spec = KERNEL_SPEC.get(op)
            if spec is None:
                KERNEL_SPEC.set(op, spec := KernelSpecAttr())
            if not NUM_WARPS.is_on(op):
                set_warps(op, choose_num_warps(op, spec, target))


def choose_num_warps(function: FuncOp, spec: KernelSpecAttr, target: Target) -> int:
    """
    The warps that a plan or hints ask for, else enough for the largest tensor or dot. Without a dot
    they are doubled as long as an SM has registers for as many CTAs as before: these load as much,
    and more warps wait for it.
    """
    if asked := get_plan(function).warps or spec.get_fields().get("num_warps"):
        return asked
    rules = target.warps
    warps, has_dots = find_enough_warps(function, rules)
    if has_dots:
        return warps
    most = rules.most_combining if find_all(function, AggregateOperation) else rules.most
    words = count_live_words(function)
    while warps < most and count_ctas(words, 2 * warps, target) >= count_ctas(words, warps, target):
        warps *= 2
    return warps


def count_live_words(function: FuncOp) -> int:
    """
    The registers of the tiles that are live at once, of all threads together. What loops carry does
    not count: more warps for that are slower (docs/journal/2026-11-19-candidates-without-dots.md).
    """
    return LiveTiles(lambda tile: count_words(tile.type), carried=False).in_function(function)


def count_ctas(words: int, warps: int, target: Target) -> int:
    """How many CTAs of some warps an SM has registers for, if their tiles take so many."""
    streaming = target.streaming
    needed = -(-words // (WARP_THREADS * warps)) + streaming.registers
    most = streaming.resident_warps // warps
    return next((n for n in range(most, 0, -1) if target.registers.cap(n * warps) >= needed), 0)


def leaves_enough(
    words: int, before: int, loaded: int, warps: int, target: Target, least: int
) -> bool:
    """
    Whether an SM has registers for enough CTAs if the tiles of each take so many: as many CTAs as
    before, or some with `least` warps that keep memory busy while one of them computes. Each loads
    `loaded` words.
    """
    ctas = count_ctas(words, warps, target)
    if ctas >= count_ctas(before, warps, target):
        return True
    has_warps = ctas * warps >= least
    return has_warps and target.streaming.hides_loads(target.rates, WORD_BITS // 8 * loaded, ctas)


def count_words(ty: Attribute) -> int:
    """The registers of a tile, of all threads together."""
    if not isinstance(ty, TensorType):
        return 0
    element = get_element(ty)
    bits = element_bit_width(element) if isinstance(element, IntegerType | AnyFloat) else 64
    return -(-prod(ty.get_shape()) * bits // WORD_BITS)


def find_enough_warps(function: Operation, rules: WarpChoice) -> tuple[int, bool]:
    """Enough warps for the largest tensor or dot, and whether there is a dot."""
    max_dot, max_k, bits, largest, words, combines = 0, 0, 0, 1, 0, False
    for op in walk(function):
        combines = combines or isinstance(op, AggregateOperation)
        for ty in op.result_types:
            if isinstance(ty, TensorType):
                size = prod(ty.get_shape())
                largest = max(largest, size)
                if own_effects(op) & Effect.READ:
                    words = max(words, count_words(ty))
                if isinstance(op, DotOperation | MmaFScaledOp):
                    max_dot = max(max_dot, size)
                    k = get_shape(op.operands[0].type)[-1]
                    max_k = max(max_k, k)
                    bits = max(bits, k * element_bit_width(get_element(op.operands[0].type)))
    if max_dot:
        is_small = max_dot <= rules.small_dot
        is_flat = max_dot <= rules.flat_dot and max_k <= rules.flat_k and bits <= rules.flat_bits
        return (4 if is_small or is_flat else 8), True
    # A kernel that loads nothing is judged by what it computes.
    least = 8 if (words or largest) >= rules.large_copy and not combines else 1
    enough = (warps for elements, warps in rules.elements if largest >= elements)
    return max(least, next(enough, 1)), False


def kernels(module: Operation) -> Iterator[FuncOp]:
    """The kernels of a module, or of one in it; none is in another, so theirs is not searched."""
    for region in module.regions:
        for block in region.blocks:
            for op in tuple(block.ops):
                if isinstance(op, FuncOp):
                    yield op
                else:
                    yield from kernels(op)
