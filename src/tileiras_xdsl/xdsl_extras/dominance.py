"""
SSA dominance: every use of a value is dominated by its definition.

xDSL 0.74 does not check it in `verify()`. The rules are those of MLIR:

- in a block, a definition comes before its uses, the uses in nested regions included;
- between blocks of one region, the defining block dominates the using one;
- a value is not visible outside the region that defines it, nor inside the regions of the op
  that defines it;
- in a graph region the order of ops is free, the other rules hold;
- an op that is isolated from above sees no value from outside;
- code in a block that the entry does not reach is exempt, and so are uses nested in such a block
  of values that other blocks define.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.traits import IsolatedFromAbove, NoTerminator, OpTrait, SymbolTable
from xdsl.utils.exceptions import VerifyException

from .discardable_attributes import verify_discardable_attributes


@dataclass(frozen=True)
class GraphRegion(OpTrait):
    """The regions of the op are graph regions: the order of ops in a block means nothing."""


@dataclass(frozen=True)
class SSADominance(OpTrait):
    """
    Makes the verifier of an op check dominance in its regions.

    Meant for function-like ops, so that plain `xdsl-opt` checks it too.
    """

    def verify(self, op: Operation) -> None:
        verify_dominance(op)


def has_graph_regions(op: Operation) -> bool:
    """Whether the regions of `op` are graph regions, as those of a symbol table like a module."""
    return op.has_trait(GraphRegion, value_if_unregistered=False) or (
        op.has_trait(NoTerminator, value_if_unregistered=False)
        and op.has_trait(SymbolTable, value_if_unregistered=False)
    )


def immediate_dominators(region: Region) -> dict[Block, Block]:
    """
    Maps every block that the entry reaches to its immediate dominator, dominators first.

    The entry block is mapped to itself, unreachable blocks are not in the map. The method is the
    one of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
    """
    if (entry := region.first_block) is None:
        return {}

    postorder = _postorder(entry)
    number = {block: index for index, block in enumerate(postorder)}
    predecessors: list[list[int]] = [[] for _ in postorder]
    for index, block in enumerate(postorder):
        for successor in _successors(block):
            predecessors[number[successor]].append(index)

    root = len(postorder) - 1
    unknown = -1
    dominator = [unknown] * len(postorder)
    dominator[root] = root
    changed = True
    while changed:
        changed = False
        for index in range(root - 1, -1, -1):
            new = unknown
            for predecessor in predecessors[index]:
                if dominator[predecessor] == unknown:
                    continue
                if new == unknown:
                    new = predecessor
                    continue
                # Climb from both to the closest common dominator.
                other = predecessor
                while new != other:
                    if new < other:
                        new = dominator[new]
                    else:
                        other = dominator[other]
            if dominator[index] != new:
                dominator[index] = new
                changed = True

    return {
        postorder[index]: postorder[dominator[index]] for index in range(len(postorder) - 1, -1, -1)
    }


def verify_dominance(op: Operation) -> None:
    """
    Raises a `VerifyException` on the first use in the regions of `op`, at any depth, that is not
    dominated by its definition. Values from outside `op` count as defined.
    """
    checker = _Checker(op)
    # One suspended walk per level of nesting, so that depth costs no recursion.
    walks = [checker.walk(op)]
    while walks:
        if (nested := next(walks[-1], None)) is None:
            walks.pop()
        else:
            walks.append(checker.walk(nested))


@dataclass
class _Checker:
    root: Operation
    visible: set[SSAValue] = field(default_factory=set[SSAValue])
    """The values that dominate the point the walk has reached."""
    trail: list[SSAValue] = field(default_factory=list[SSAValue])
    """The members of `visible` in order of definition, to close scopes."""
    unreachable: set[Block] = field(default_factory=set[Block])
    """The unreachable blocks of the regions seen so far."""

    def walk(self, op: Operation) -> Iterator[Operation]:
        """Checks the blocks of `op`; yields nested ops at the points where to walk them."""
        outer = self.visible, self.trail
        if op.has_trait(IsolatedFromAbove, value_if_unregistered=False):
            self.visible, self.trail = set(), []

        is_graph = has_graph_regions(op)
        for region in op.regions:
            region_mark = len(self.trail)
            if is_graph:
                for block in region.blocks:
                    self.define(block.args)
                    for inner in block.ops:
                        self.define(inner.results)

            block_marks: list[int] = []
            for block, depth in self.blocks_by_dominance(region):
                if len(block_marks) > depth:
                    self.close_scope(block_marks[depth])
                    del block_marks[depth:]
                block_marks.append(len(self.trail))

                is_reachable = block not in self.unreachable
                if not is_graph:
                    self.define(block.args)
                for inner in block.ops:
                    if is_reachable:
                        self.check_operands(inner)
                    if inner.regions:
                        yield inner
                    if not is_graph:
                        self.define(inner.results)
            self.close_scope(region_mark)

        self.visible, self.trail = outer

    def blocks_by_dominance(self, region: Region) -> Sequence[tuple[Block, int]]:
        """
        The blocks in preorder of the dominator tree, each with its depth in the tree, then the
        unreachable blocks as trees of their own.
        """
        entry = region.first_block
        if entry is None:
            return ()
        if entry.next_block is None:
            return ((entry, 0),)

        dominators = immediate_dominators(region)
        children: dict[Block, list[Block]] = {block: [] for block in dominators}
        for block, dominator in dominators.items():
            if block is not entry:
                children[dominator].append(block)

        preorder: list[tuple[Block, int]] = []
        pending = [(entry, 0)]
        while pending:
            block, depth = pending.pop()
            preorder.append((block, depth))
            pending.extend((child, depth + 1) for child in reversed(children[block]))

        for block in region.blocks:
            if block not in dominators:
                self.unreachable.add(block)
                preorder.append((block, 0))
        return preorder

    def define(self, values: Sequence[SSAValue]) -> None:
        self.visible.update(values)
        self.trail.extend(values)

    def close_scope(self, mark: int) -> None:
        self.visible.difference_update(self.trail[mark:])
        del self.trail[mark:]

    def check_operands(self, op: Operation) -> None:
        for index, operand in enumerate(op.operands):
            if operand in self.visible:
                continue
            if (complaint := self.complaint(operand, op)) is not None:
                message = f"operand #{index}{complaint}"
                op.emit_error(message, VerifyException(message))

    def complaint(self, value: SSAValue, user: Operation) -> str | None:
        """What is wrong with a use of a value that is not in `visible`, if anything is."""
        defining_block = _defining_block(value)
        isolated: Operation | None = None
        is_outside_root = False
        using_block = user.parent
        # Climb from the use to the region that defines the value.
        while using_block is not None and defining_block is not None:
            if using_block.parent is defining_block.parent:
                if isolated is not None:
                    return (
                        ": using value defined outside the region "
                        f"('{isolated.name}' is isolated from above)"
                    )
                is_other_block = using_block is not defining_block
                if is_outside_root or (is_other_block and using_block in self.unreachable):
                    return None
                break
            if (parent := using_block.parent_op()) is None:
                break
            if isolated is None and parent.has_trait(
                IsolatedFromAbove, value_if_unregistered=False
            ):
                isolated = parent
            is_outside_root |= parent is self.root
            using_block = parent.parent
        return " does not dominate this use"


def _defining_block(value: SSAValue) -> Block | None:
    match value:
        case OpResult():
            return value.op.parent
        case BlockArgument():
            return value.block
        case _:
            return None


def _successors(block: Block) -> Sequence[Block]:
    """The successors of `block`; those in other regions are left to the verifier of the op."""
    if (last_op := block.last_op) is None:
        return ()
    return [successor for successor in last_op.successors if successor.parent is block.parent]


def _postorder(entry: Block) -> list[Block]:
    """The blocks reachable from `entry`, in postorder of a depth-first search."""
    postorder: list[Block] = []
    seen = {entry}
    pending = [(entry, iter(_successors(entry)))]
    while pending:
        block, successors = pending[-1]
        for successor in successors:
            if successor not in seen:
                seen.add(successor)
                pending.append((successor, iter(_successors(successor))))
                break
        else:
            pending.pop()
            postorder.append(block)
    return postorder


# All that is verified in a module, whoever made it.


def verify_module(module: ModuleOp) -> None:
    """Fails at the first op that is wrong, uses a value too early, or has a wrong attribute."""
    try:
        module.verify()
    except Exception as error:
        # What `scf.while` of xDSL 0.74 raises for block arguments of other types.
        if type(error) is not Exception:
            raise
        _fail_at_op(module)
        raise
    verify_dominance(module)
    verify_discardable_attributes(module)


def _fail_at_op(module: ModuleOp) -> None:
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except Exception as error:
            reason = VerifyException(str(error))
            op.emit_error(f"Operation does not verify: {error}", reason)
