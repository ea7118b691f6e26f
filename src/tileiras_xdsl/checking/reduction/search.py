"""
The search for a smaller program: which edits are tried, in which order, and which are kept.

A candidate is a copy of the program with some edits of one strategy. It is tried only if it is
smaller by `measure`, verifies, and has not been tried before; if the test finds it interesting, it
is the program from then on. Of each strategy all edits are tried at once, then halves of them, and
so on to single ones. Rounds through all strategies go on until one changes nothing, so that
reducing the result again gives the same program.

Tests of several candidates may run at the same time. The first one in order is kept, so what comes
out does not depend on how many do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Block
from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.checking.reduction import contents, structure
from tileiras_xdsl.checking.reduction.structure import Strategy, is_attached
from tileiras_xdsl.xdsl_extras.dominance import verify_dominance
from tileiras_xdsl.xdsl_extras.walking import walk

Test: TypeAlias = Callable[[ModuleOp], bool]
"""Whether a program shows what is looked for; it must not change the program."""

STRATEGIES: tuple[Strategy, ...] = (
    structure.SYMBOLS,
    structure.UNUSED,
    structure.INLINED,
    structure.TO_OPERANDS,
    structure.TO_ZEROS,
    structure.UNUSED,
    structure.BRANCHES,
    structure.CARRIED,
    structure.ELSE,
    structure.OPTIONAL,
    structure.TO_EARLIER,
    structure.BLOCK_ARGUMENTS,
    structure.PARAMETERS,
    contents.SHAPES,
    contents.ELEMENTS,
    contents.CONSTANTS,
    contents.ATTRIBUTES,
    contents.SIMPLER,
    contents.LOCATIONS,
)
"""In this order: what takes away most first."""


class NotInteresting(DiagnosticException):
    """The program to start from does not pass the test."""


@dataclass(frozen=True)
class Progress:
    """How far a reduction is."""

    module: ModuleOp
    """The smallest program so far."""
    strategy: str
    ops: int
    tried: int
    """Candidates that were tested."""
    kept: int


def measure(module: ModuleOp) -> tuple[int, ...]:
    """The size of a program; what comes first counts most."""
    ops = values = properties = bits = places = 0
    for op in walk(module):
        ops += 1 if structure.is_zero_maker(op) else 4 + len(op.results)
        ops += sum(3 if isinstance(value.owner, Block) else 1 for value in op.operands)
        ops += sum(3 * len(block.args) for region in op.regions for block in region.blocks)
        properties += len(op.attributes) + len(op.properties)
        places += not isinstance(op.location, UnknownLoc)
        for attribute in op.properties.values():
            bits += contents.constant_bits(attribute)
            properties += contents.attribute_size(attribute)
    for value in contents.values_of(module):
        values += contents.type_size(value.type)
    return ops, values, properties, bits, places


def count_ops(module: ModuleOp) -> int:
    """How many ops there are, the module itself not counted."""
    return len(walk(module)) - 1


def is_valid(module: ModuleOp) -> bool:
    """Whether a candidate verifies."""
    try:
        module.verify()
        verify_dominance(module)
    except Exception:
        # Verifiers of ops that edits have left in any state raise what they like.
        return False
    return True


class Search:
    """A reduction that is under way."""

    def __init__(
        self,
        module: ModuleOp,
        test: Test,
        jobs: int,
        on_progress: Callable[[Progress], None] | None,
    ):
        self.module = module
        self.size = measure(module)
        self.test = test
        self.jobs = jobs
        self.on_progress = on_progress
        self.tested = 0
        self.kept = 0
        self.seen: set[bytes] = {_key(module)}

    def run(self, strategies: Sequence[Strategy] = STRATEGIES) -> ModuleOp:
        """Reduces until nothing changes any more."""
        with ThreadPoolExecutor(self.jobs) as pool:
            changed = True
            while changed:
                before = self.size
                for strategy in strategies:
                    self._apply(strategy, pool)
                changed = self.size != before
        return self.module

    def _apply(self, strategy: Strategy, pool: ThreadPoolExecutor) -> None:
        count = len(strategy.find(self.module))
        chunk = count
        self._report(strategy)
        while chunk:
            start = 0
            while start < count:
                candidates = self._candidates(strategy, count, chunk, start)
                batch = list(islice(candidates, self.jobs))
                if not batch:
                    break
                outcomes = pool.map(self.test, [module for _, module, _ in batch])
                self.tested += len(batch)
                start = batch[-1][0] + chunk
                for (place, module, size), is_interesting in zip(batch, outcomes, strict=True):
                    if is_interesting:
                        self.module, self.size, self.kept = module, size, self.kept + 1
                        count, start = len(strategy.find(module)), place
                        # Those after it were not tried in this program.
                        break
                    self.seen.add(_key(module))
                self._report(strategy)
            chunk //= 2

    def _candidates(
        self, strategy: Strategy, count: int, chunk: int, start: int
    ) -> Iterator[tuple[int, ModuleOp, tuple[int, ...]]]:
        """Candidates that are worth a test, with their places and sizes."""
        for place in range(start, count, chunk):
            candidate = self.module.clone()
            try:
                for edit in strategy.find(candidate)[place : place + chunk]:
                    if is_attached(edit.op, candidate):
                        edit.apply()
                size = measure(candidate)
            except Exception:
                # An edit found the program otherwise than the edits before it should leave it.
                continue
            if size < self.size and is_valid(candidate) and _key(candidate) not in self.seen:
                yield place, candidate, size

    def _report(self, strategy: Strategy) -> None:
        if self.on_progress is not None:
            ops = count_ops(self.module)
            self.on_progress(Progress(self.module, strategy.name, ops, self.tested, self.kept))


def _key(module: ModuleOp) -> bytes:
    places = any(not isinstance(op.location, UnknownLoc) for op in walk(module))
    return hashlib.sha256(f"{places}{module}".encode()).digest()


def reduce(
    module: ModuleOp,
    is_interesting: Test,
    *,
    jobs: int = 1,
    on_progress: Callable[[Progress], None] | None = None,
    strategies: Sequence[Strategy] = STRATEGIES,
) -> ModuleOp:
    """
    A program for which `is_interesting` is still true and that no strategy makes smaller. With
    several jobs it is called by as many threads. `NotInteresting` if it is false to begin with.
    """
    if not is_interesting(module):
        raise NotInteresting("the program is not interesting to begin with")
    return Search(module.clone(), is_interesting, jobs, on_progress).run(strategies)
