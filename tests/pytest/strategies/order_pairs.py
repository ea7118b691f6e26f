"""
Programs about pairs of ops: one that must not be overtaken, and one that a pass might move.

Each pair is put into *stories*, in which it would be seen that one of them overtakes the other, at
*places* at which passes move code. Whether the order matters is not said here: the interpreter runs
the program, and the one in which the second op has overtaken the first, on the tile level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np

from tileiras_xdsl.interpreter.environment import (
    AwaitAcquire,
    Other,
    OtherBlock,
    PreviousGrid,
    Read,
    Release,
    Write,
)

from .order_kinds import (
    HEAD_LINES,
    ROWS,
    Datum,
    Done,
    Kind,
    Text,
    all_kinds,
    emit,
    emit_spin,
    module_text,
)

Story: TypeAlias = Literal["same memory", "awaited", "published", "previous grid", "apart"]
"""
- same memory: both access the same bytes, or print, or one of them is an assertion that fails;
- awaited: the anchor acquires a flag behind which another CTA has written what the mover accesses;
- published: the anchor releases a flag, behind which another CTA reads what the mover has accessed
  and writes it;
- previous grid: it is still writing what the mover accesses;
- apart: they access different memory, and no token orders anything: a twin, for passes to move.
"""
Place: TypeAlias = Literal["straight", "twice", "loop", "from loop", "into loop", "halves"]
"""
- straight: one after the other;
- twice: the same two ops again behind them, as CSE merges them;
- loop: two rounds of a loop, out of which LICM hoists;
- from loop: the first is in a loop, the second behind it;
- into loop: the first is before a loop, the second in it;
- halves: the first is in early iterations of a loop, the second in late ones, as loops are split.
"""
STORIES: Final[tuple[Story, ...]] = get_args(Story)
PLACES: Final[tuple[Place, ...]] = get_args(Place)
FIRST_ANCHOR, FIRST_MOVER = 10, 20
"""Numbers that ops of the first round write."""


@dataclass(frozen=True)
class Pair:
    """Two kinds of ops, and the program that has both."""

    anchor: Kind
    mover: Kind
    is_after: bool
    """Whether the mover follows the anchor, which it must not overtake, or precedes it."""
    story: Story
    place: Place = "straight"

    def __str__(self) -> str:
        where = "after" if self.is_after else "before"
        return f"{self.mover} {where} {self.anchor}: {self.story}, {self.place}"

    @property
    def rounds(self) -> int:
        return 2 if self.place in ("twice", "loop") else 1

    @property
    def is_known_apart(self) -> bool:
        """Whether flags are in the same array as data, known not to overlap with them."""
        return self.rounds == 1


@dataclass(frozen=True)
class Setting:
    """The arguments of a run, and who else takes part."""

    arguments: list[Any]
    others: list[Other]
    reads: list[Any]
    """What others have read."""
    compared: tuple[int, ...]
    """The arguments that belong to the result."""


@dataclass(frozen=True)
class PairProgram:
    """The program of a pair."""

    pair: Pair
    text: str
    lines: dict[int, str]
    """The lines of the text at which the ops of the pair are: `anchor` or `mover`."""

    @property
    def grid(self) -> int:
        return 1

    def setting(self) -> Setting:
        """What a run is given."""
        pair, rounds = self.pair, self.pair.rounds
        reads: list[Any] = []
        # The whole first array is an argument.
        first = np.zeros((ROWS * 3, 4), np.int32)
        x = first[:ROWS]
        flag = np.zeros((rounds * ROWS, 4), np.int32)
        if pair.is_known_apart:
            flag = first[ROWS * 2 :]
        ack = np.zeros(rounds + 1, np.int32)
        ack[0] = pair.story == "published"
        out, seen = (np.zeros((rounds * 2, 16), np.int32) for _ in range(2))
        # Elsewhere one that fails would end the kernel before anything can go wrong.
        fails = pair.story == "same memory"
        arguments = [
            first,
            np.zeros(1, np.int32) if pair.is_known_apart else flag,
            ack,
            out,
            seen,
            int(not fails),
            1,
        ]
        compared: tuple[int, ...] = (0, 3, 4)
        others: list[Other] = []
        part = 0 if pair.anchor.form == "scalar" else slice(4)
        column = 0 if pair.anchor.form == "scalar" else slice(None)
        match pair.story:
            case "awaited":
                steps: list[Any] = []
                for number in range(rounds):
                    where = _rows(number)
                    steps.append(Write(x, ..., 5 + number))
                    steps.append(Release(flag, where, 1))
                    if rounds > 1:
                        steps.append(AwaitAcquire(ack, number, 1))
                others.append(OtherBlock(steps))
            case "published":
                steps = []
                for number in range(rounds):
                    rows = _rows(number)
                    place = (rows.start, 0) if part == 0 else (rows, column)
                    steps.append(AwaitAcquire(flag, place, 1))
                    steps.append(Read(x, ..., into=lambda value: reads.append(np.array(value))))
                    steps.append(Write(x, ..., 7 + number))
                    if rounds > 1:
                        steps.append(Release(ack, number + 1, 1))
                others.append(OtherBlock(steps))
            case "previous grid":
                x[...] = 3
                others.append(PreviousGrid([x]))
            case "same memory" | "apart":
                pass
        return Setting(arguments, others, reads, compared)


def _rows(number: int) -> slice:
    """The rows of a round that accesses touch."""
    return slice(number * ROWS, number * ROWS + 4)


class PairWriter:
    """Writes the program of a pair, or the one in which the mover has overtaken the anchor."""

    def __init__(self, pair: Pair, *, is_overtaken: bool = False):
        self.pair, self.is_overtaken = pair, is_overtaken
        self.text = Text()
        self.flag, self.start = "%flag", ""
        self.kept: list[tuple[str, Done, str]] = []
        """What is stored at the end: stores in between would keep equal ops from being merged."""

    def program(self) -> PairProgram:
        text = self.text
        text.add("%zero = constant <i32: 0> : tile<i32>")
        text.add("%one = constant <i32: 1> : tile<i32>")
        text.add("%two = constant <i32: 2> : tile<i32>")
        if self.pair.is_known_apart:
            self.flag = self.offset("%x", text.constant(ROWS * 2 * 4))
        token = self.start = text.op("make_token : token")
        match self.pair.place:
            case "straight":
                self.round("%zero", token, self.both)
            case "twice":
                token = self.round("%zero", token, self.both)
                self.round("%one", token, self.both)
                for which, done, at in self.kept:
                    self.keep(which, done, at)
            case "loop":
                self.counted("%two", token, lambda at, inner: self.round(at, inner, self.both))
            case "from loop":
                self.round("%zero", token, self.from_loop)
            case "into loop":
                self.round("%zero", token, self.into_loop)
            case "halves":
                self.round("%zero", token, self.halves)
        lines = {
            number + HEAD_LINES: mark for mark, found in text.marked.items() for number in found
        }
        return PairProgram(self.pair, module_text(text.lines), lines)

    # A round

    def round(self, at: str, token: str, ops: Callable[[str, str], str]) -> str:
        """What comes before and after the two ops; the token behind all of it."""
        text, story, rounds = self.text, self.pair.story, self.pair.rounds
        if story == "awaited":
            token = self.spin("relaxed gpu", self.flag, at, ROWS * 4, token)
        elif story == "published" and rounds > 1:
            token = self.spin("acquire gpu", "%ack", at, 1, token)
        token = ops(at, token)
        if story == "awaited" and rounds > 1:
            place = self.offset("%ack", at)
            token = text.op(
                f"store_ptr_tko release gpu {place}, %one token={token} : tile<ptr<i32>>, "
                "tile<i32> -> token"
            )
        return token

    def spin(self, how: str, array: str, at: str, factor: int, token: str) -> str:
        """Reads a flag until it is set."""
        scaled = self.text.op(f"muli {at}, {self.text.constant(factor)} : tile<i32>")
        return emit_spin(self.text, how, self.offset(array, scaled), token)

    def offset(self, array: str, by: str) -> str:
        ty = "tile<ptr<i32>>"
        return self.text.op(f"offset {array}, {by} : {ty}, tile<i32> -> {ty}")

    # The two ops

    def write(self, which: str, at: str, token: str) -> Done:
        """Writes one of the two."""
        is_anchor = which == "anchor"
        kind = self.pair.anchor if is_anchor else self.pair.mover
        story, rounds = self.pair.story, self.pair.rounds
        number = FIRST_ANCHOR if is_anchor else FIRST_MOVER
        datum = Datum("%x")
        if is_anchor and story in ("awaited", "published", "apart"):
            datum = Datum(self.flag, rounds, at)
            number = int(story != "awaited")
        if story == "apart":
            token = self.start
        return emit(self.text, kind, datum, token, number, which)

    def keep(self, which: str, done: Done, at: str) -> None:
        """Stores what one of them has read, for which no order is asked."""
        if not done.value:
            return
        text, pair = self.text, self.pair
        rows = pair.rounds * 2
        tensor = f"tensor_view<{rows}x16xi32, strides=[16,1]>"
        array = "%seen" if which == "anchor" else "%out"
        if not done.shape:
            place = self.offset(array, text.op(f"muli {at}, {text.constant(16)} : tile<i32>"))
            text.op(
                f"store_ptr_tko weak {place}, {done.value} : tile<ptr<i32>>, tile<i32> -> token"
            )
            return
        value = text.op(f"reshape {done.value} : tile<{done.shape}i32> -> tile<1x16xi32>")
        whole = text.op(
            f"make_tensor_view {array}, shape = [{rows}, 16], strides = [16, 1] : {tensor}"
        )
        ty = f"partition_view<tile=(1x16), {tensor}>"
        view = text.op(f"make_partition_view {whole} : {ty}")
        text.op(
            f"store_view_tko weak {value}, {view}[{at}, %zero] : tile<1x16xi32>, {ty}, tile<i32> "
            "-> token"
        )

    @property
    def names(self) -> tuple[str, str]:
        """The two ops in their order."""
        return ("anchor", "mover") if self.pair.is_after else ("mover", "anchor")

    def both(self, at: str, token: str) -> str:
        """One after the other, or as if the one had never been behind the other."""
        first, second = self.names
        if self.is_overtaken:
            ahead = self.write(second, at, token)
            behind = self.write(first, at, token)
            found = {second: ahead, first: behind}
            end = self.text.join(ahead.token, behind.token)
        else:
            ahead = self.write(first, at, token)
            behind = self.write(second, at, ahead.token)
            found = {first: ahead, second: behind}
            end = behind.token
        for name, done in found.items():
            if self.pair.place == "twice":
                self.kept.append((name, done, at))
            else:
                self.keep(name, done, at)
        return end

    def counted(
        self, high: str, token: str, body: Callable[[str, str], str], low: str = "%zero"
    ) -> str:
        """A loop."""
        text = self.text
        result, inner, at = (text.name() for _ in range(3))
        text.add(
            f"{result} = for {at} in ({low} to {high}, step %one) : tile<i32> "
            f"iter_values({inner} = {token}) -> (token) {{"
        )
        done = body(at, inner)
        text.add(f"continue {done} : token")
        text.add("}")
        return result

    def _one(self, which: str) -> Callable[[str, str], str]:
        def write(at: str, token: str) -> str:
            done = self.write(which, at, token)
            self.keep(which, done, at)
            return done.token

        return write

    def in_order(
        self, first: Callable[[str], str], second: Callable[[str], str], token: str
    ) -> str:
        """Two parts, or the second before the first, and neither behind the other."""
        if self.is_overtaken:
            return self.text.join(second(token), first(token))
        return second(first(token))

    def from_loop(self, at: str, token: str) -> str:
        first, second = map(self._one, self.names)
        return self.in_order(
            lambda before: self.counted("%n", before, first), lambda t: second(at, t), token
        )

    def into_loop(self, at: str, token: str) -> str:
        first, second = map(self._one, self.names)
        return self.in_order(
            lambda before: first(at, before), lambda t: self.counted("%n", t, second), token
        )

    def halves(self, at: str, token: str) -> str:
        """The first in iteration 0, the second in iteration 1."""
        first, second = map(self._one, self.names)
        if self.is_overtaken:
            first, second = second, first
        text = self.text

        def body(turn: str, inner: str) -> str:
            early = text.op(f"cmpi less_than {turn}, %n, signed : tile<i32> -> tile<i1>")
            result = text.name()
            text.add(f"{result} = if {early} -> (token) {{")
            text.add(f"yield {first('%zero', inner)} : token")
            text.add("} else {")
            text.add(f"yield {second('%zero', inner)} : token")
            text.add("}")
            return result

        return self.counted("%two", token, body)


def write_pair(pair: Pair, *, is_overtaken: bool = False) -> PairProgram:
    """The program of a pair."""
    return PairWriter(pair, is_overtaken=is_overtaken).program()


# Which there are

WIDE: Final = ("", "gpu")
"""Scopes of kinds that are paired with everything."""


def movers() -> Sequence[Kind]:
    """Kinds that passes may move: all forms of weak accesses, other ones of scalars, effects."""
    return [
        kind
        for kind in all_kinds()
        if kind.scope in WIDE
        and (kind.order in ("", "weak") or kind.form in ("scalar", "partition"))
        and not (kind.op in ("load_view_tko", "store_view_tko") and kind.order != "weak")
    ]


def weak_movers() -> Sequence[Kind]:
    """Kinds that passes do move or merge somewhere, and one of each that none moves."""
    kept = ("atomic_rmw_tko scalar relaxed gpu", "print_tko")
    return [
        kind
        for kind in movers()
        if (kind.order == "weak" and kind.form != "strided") or str(kind) in kept
    ]


def anchors(place: Place) -> Iterator[tuple[Kind, Sequence[Kind]]]:
    """
    Kinds that may have to stay, with those that might move across them. Straight ones come in all
    forms, those of scalars with every scope; at other places there is one form of strong accesses.
    """
    few, many = weak_movers(), movers()
    for kind in all_kinds():
        is_usual = kind.form in ("", "scalar", "partition")
        if kind.scope in WIDE:
            if place == "straight":
                yield kind, many
            elif is_usual or kind.order == "weak":
                yield kind, few
        elif place == "straight" and is_usual and not kind.op.endswith("_view_tko"):
            yield kind, few


def all_pairs() -> Iterator[Pair]:
    """All pairs."""
    for place in PLACES:
        for anchor, paired in anchors(place):
            for mover in paired:
                for story in STORIES:
                    for is_after in (True, False):
                        if story == ("published" if is_after else "awaited"):
                            continue
                        if story == "apart" and (place == "straight" or not is_after):
                            continue
                        if story == "previous grid" and anchor.is_access:
                            continue
                        yield Pair(anchor, mover, is_after, story, place)
