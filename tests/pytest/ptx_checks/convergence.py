"""
Instructions that all lanes of a warp have to execute together, where lanes may have parted.

Lanes part at a branch whose predicate may differ between them, and meet at its post-dominator. What
differs is found from `%tid.x` and `%laneid` by values of an abstract domain: the bits of a lane's
number that a value depends on. `UNIFORM` is none of them and `DIVERGENT` all. `LANE` is a uniform
multiple of 32 plus the number of the lane, as the index of a thread: shifted by five, masked or
compared with multiples of 32, it is uniform. What a lane combines with what it gets from its
neighbour across a bit does not depend on that bit.

Where lanes meet again, registers that they have written on their ways are divergent.
"""

from __future__ import annotations

from collections import ChainMap, Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import TypeAlias

from .dataflow import forward, post_dominators
from .program import Finding, Function, Instruction, Operand

WARP = 32


Value: TypeAlias = int
UNIFORM, DIVERGENT, LANE = 0, WARP - 1, WARP

LANE_INDICES = ("%tid.x", "%laneid")
DIFFERING = ("%tid.y", "%tid.z", "%clock", "%clock64", "%globaltimer", "%lanemask")
"""Other special registers that lanes may see differently."""
DIVERGENT_RESULTS = (
    "activemask",
    "atom.",
    "ldmatrix.",
    "match.",
    "mbarrier.",
    "mma.",
    "tcgen05.ld.",
    "wgmma.",
)
UNIFORM_RESULTS = ("bar.red", "barrier.cta.red", "ld.param", "redux.", "vote.")
COPIES = ("mov.", "cvt.u64.u32", "cvt.s64.s32", "cvt.u32.u64")
COMMUTATIVE = ("add.", "mul.", "min.", "max.", "and.", "or.", "xor.")
MASKED = ("shfl.", "vote.", "elect.", "redux.", "match.", "bar.warp.")
ALL_LANES = (-1, 0xFFFFFFFF)


def is_aligned(instruction: Instruction) -> bool:
    """Whether all lanes have to execute an instruction together."""
    opcode = instruction.opcode
    if opcode.startswith(("bar.sync", "bar.arrive", "bar.red")) or ".aligned" in opcode:
        return True
    if opcode.startswith(MASKED) and ".sync" in opcode:
        # The mask of lanes is the last operand.
        return instruction.operands[-1].number in ALL_LANES
    return False


def find_divergent(function: Function) -> list[Finding]:
    """Aligned instructions that only some lanes of a warp may get to."""
    convergence = _Convergence(function)
    found: list[Finding] = []
    for number, block in enumerate(function.blocks):
        for instruction in block.instructions:
            if not is_aligned(instruction):
                continue
            branch = convergence.region_of.get(number)
            if branch is not None:
                what = f"lanes may have parted at {branch}"
                found.append(Finding(function.name, instruction, what))
            elif instruction.line in convergence.divergent_guards:
                what = f"its predicate {instruction.guard} may differ between lanes"
                found.append(Finding(function.name, instruction, what))
    return found


class _Convergence:
    """
    Values of registers, and blocks that only some lanes may get to.

    Registers that are written once have one value. Of the others, which LLVM has for what it calls
    phis, it depends on the place. Both follow from the branches at which lanes part, which follow
    from them: all are found in turns, until there is nothing new.
    """

    def __init__(self, function: Function):
        self.function = function
        self.meetings = post_dominators(function.blocks)
        self.values: dict[str, Value] = {}
        """Of registers that are written once."""
        self.region_of: dict[int, Instruction] = {}
        """By block, a branch where lanes may have parted."""
        self.parted: dict[int, set[str]] = {}
        """By block, registers that lanes which meet there have written on their ways."""
        writes = Counter(each for one in function.instructions for each in one.writes)
        self.variables = {register for register, count in writes.items() if count > 1}
        self.divergent_guards: set[int] = set()
        """Lines of instructions whose predicate may differ between lanes."""
        self.has_news = True
        while self.has_news:
            self.has_news = False
            forward(function, {}, self._transfer, _join)

    def _transfer(self, state: Mapping[str, Value], number: int) -> dict[str, Value]:
        after = {**state, **dict.fromkeys(self.parted.get(number, ()), DIVERGENT)}
        known = ChainMap(after, self.values)
        shuffles: dict[tuple[str, str], int] = {}
        for instruction in self.function.blocks[number].instructions:
            if instruction.guard is not None and known.get(instruction.guard, UNIFORM) != UNIFORM:
                self._part(number, instruction)
            found = combined(instruction, shuffles, known) or list(results(instruction, known))
            note_shuffle(instruction, shuffles)
            for register, value in found:
                if register in self.variables:
                    # What is not written in all lanes is left as it was in the others.
                    guarded = instruction.guard is not None and register in after
                    after[register] = _higher(after[register], value) if guarded else value
                else:
                    value = _higher(self.values.get(register, value), value)
                    self.has_news |= self.values.get(register) != value
                    self.values[register] = value
        return after

    def _part(self, number: int, instruction: Instruction) -> None:
        """Notes that lanes may part at an instruction, and where they are until they meet."""
        if instruction.line in self.divergent_guards:
            return
        self.divergent_guards.add(instruction.line)
        self.has_news = True
        blocks = self.function.blocks
        if instruction is not blocks[number].instructions[-1] or not blocks[number].successors:
            return
        meeting = self.meetings[number]
        pending, region = (
            [each for each in blocks[number].successors if each != meeting],
            set[int](),
        )
        while pending:
            each = pending.pop()
            if each in region:
                continue
            region.add(each)
            self.region_of.setdefault(each, instruction)
            pending += [after for after in blocks[each].successors if after != meeting]
        if meeting is not None:
            parted = self._parted_by(number, region)
            self.parted.setdefault(meeting, set()).update(parted & self.variables)

    def _parted_by(self, number: int, region: set[int]) -> set[str]:
        """Registers that lanes may have written differently between a branch and their meeting."""
        blocks = self.function.blocks
        writers: defaultdict[str, list[Instruction]] = defaultdict(list)
        for each in region:
            for instruction in blocks[each].instructions:
                for register in instruction.writes:
                    writers[register].append(instruction)
        # In a loop that lanes leave at different times, all of them have come by the branch.
        own = blocks[number].instructions if number in region else []
        shared = {id(each) for each in own}
        return {
            register
            for register, instructions in writers.items()
            if len(set(map(_constant, instructions))) > 1
            or _constant(instructions[0]) is None
            or not any(id(each) in shared for each in instructions)
        }


def _constant(instruction: Instruction) -> str | None:
    """What an instruction writes, whenever it is executed."""
    if instruction.opcode.startswith("mov.") and not instruction.reads:
        text = instruction.operands[1].text
        return None if text.startswith("%") else text
    return None


def _higher(a: Value, b: Value) -> Value:
    """What depends on all that one of two values does."""
    if a == b:
        return a
    return DIVERGENT if LANE in (a, b) else a | b


def _join(a: Mapping[str, Value], b: Mapping[str, Value]) -> dict[str, Value]:
    return {
        each: _higher(a.get(each, b.get(each, UNIFORM)), b.get(each, a.get(each, UNIFORM)))
        for each in {**a, **b}
    }


def note_shuffle(instruction: Instruction, shuffles: dict[tuple[str, str], int]) -> None:
    """
    Keeps, by two registers, the bit across which the second one has the first one of a neighbour,
    as long as both have not changed.
    """
    for pair in [each for each in shuffles if not {*each}.isdisjoint(instruction.writes)]:
        del shuffles[pair]
    if instruction.opcode.startswith("shfl.sync.bfly") and is_aligned(instruction):
        bit = instruction.operands[2].number
        if bit is not None:
            shuffles[instruction.operands[1].text, instruction.writes[0]] = bit


def combined(
    instruction: Instruction,
    shuffles: Mapping[tuple[str, str], int],
    values: Mapping[str, Value],
) -> list[tuple[str, Value]]:
    """The value of what a lane combines with what its neighbour has; nothing for others."""
    if not instruction.opcode.startswith(COMMUTATIVE) or instruction.guard is not None:
        return []
    a, b = (each.text for each in instruction.operands[1:3])
    for own, other in ((a, b), (b, a)):
        if (bit := shuffles.get((own, other))) is not None:
            value = values.get(own, UNIFORM)
            value = DIVERGENT if value == LANE else value
            return [(instruction.writes[0], value & ~bit)]
    return []


def results(instruction: Instruction, values: Mapping[str, Value]) -> Iterable[tuple[str, Value]]:
    """The values that an instruction gives registers, as far as its operands are known."""
    if not instruction.writes:
        return
    opcode, sources = instruction.opcode, instruction.operands[1:]
    if opcode.startswith("elect."):
        leader, *predicates = instruction.writes
        yield leader, UNIFORM if predicates else DIVERGENT
        yield from ((each, DIVERGENT) for each in predicates)
        return
    known = [value_of(operand, values) for operand in sources]
    guard = UNIFORM if instruction.guard is None else values.get(instruction.guard, UNIFORM)
    value = _result(instruction, known)
    value = _higher(value, guard) if guard else value
    yield from ((register, value) for register in instruction.writes)


def value_of(operand: Operand, values: Mapping[str, Value]) -> Value:
    """The value of an operand; registers that nothing has written yet are uniform."""
    special = operand.text.partition("[")[0]
    if special in LANE_INDICES:
        return LANE
    if special.startswith(DIFFERING):
        return DIVERGENT
    found = [values.get(register, UNIFORM) for register in operand.registers]
    if len(found) == 1 and operand.text == operand.registers[0]:
        return found[0]
    return reduce(_higher, found, UNIFORM)


def _result(instruction: Instruction, known: list[Value]) -> Value:
    opcode, numbers = instruction.opcode, [each.number for each in instruction.operands[1:]]
    if opcode.startswith(UNIFORM_RESULTS):
        return UNIFORM
    if opcode.startswith("shfl.sync.idx"):
        # The lane that all read from, of the whole warp.
        return UNIFORM if known[1] == UNIFORM and numbers[2] == WARP - 1 else DIVERGENT
    if opcode.startswith("shfl.sync.bfly"):
        return DIVERGENT if known[0] == LANE or numbers[2] != WARP - 1 else known[0]
    if opcode.startswith(("shfl.", *DIVERGENT_RESULTS)):
        return DIVERGENT
    if known and known[0] == LANE and all(each == UNIFORM for each in known[1:]):
        if opcode.startswith(COPIES):
            return LANE
        if len(numbers) > 1 and numbers[1] is not None:
            return _of_lane(opcode, numbers[1])
    return reduce(_higher, known, UNIFORM) if LANE not in known else DIVERGENT


def _of_lane(opcode: str, number: int) -> Value:
    """The result of an instruction on the index of a thread and a number."""
    if opcode.startswith("shr.") or opcode.startswith("bfe."):
        return UNIFORM if number >= 5 else DIVERGENT
    if opcode.startswith("and."):
        low = number % WARP
        return LANE if low == WARP - 1 else low
    if opcode.startswith(("add.", "sub.")):
        return LANE if number % WARP == 0 else DIVERGENT
    if opcode.startswith(("setp.lt.", "setp.ge.")):
        return UNIFORM if number % WARP == 0 else DIVERGENT
    if opcode.startswith(("setp.gt.", "setp.le.")):
        return UNIFORM if number % WARP == WARP - 1 else DIVERGENT
    return DIVERGENT
