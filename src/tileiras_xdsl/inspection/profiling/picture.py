"""
What warps did over what was predicted, as a picture.

    clocks          0         1000      2000      3000
    producer 8      LLLLL········L······L······L
      predicted     LLL·······L······L······L···
    consumer 0      lllllllllMmmmmmMmmmmmmCCCCMm

Each row is a warp; below it is the row of the model. Warps that wait for tensor cores, or for
tiles, are drawn lighter than those that work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tileiras_xdsl.inspection.profiling import ProfileError
from tileiras_xdsl.inspection.visual.picture import LINE, MARGIN, Canvas, Picture, colour, fit

if TYPE_CHECKING:
    from .profile import Profile, Span, Track

WIDTH: Final = 900.0
LEFT: Final = 150.0
BOX: Final = 22
ROW: Final = 26
TEXT_WIDTH: Final = 96
TEXT_LEFT: Final = 16
BEATS: Final = 8
"""The iterations of the main loop that are shown."""
MOST_BOXES: Final = 400
"""In a row; shorter events are left out of pictures with more."""

HUES: Final = {"start": 9, "load": 0, "mma": 5, "compute": 1, "store": 3}
"""The colours of kinds; waits for others have none."""
LETTERS: Final = {"start": "s", "load": "L", "mma": "M", "compute": "C", "store": "S", "wait": "·"}
LEGEND: Final = (
    *("load", "mma", "compute", "store"),
    *(("wait", "mma"), ("wait", "load"), ("wait", "wait")),
)
WORDS: Final = {"mma": "wait for MMA", "load": "wait for loads", "wait": "wait"}
LIGHTER: Final = 16
"""What a colour becomes lighter by, in steps of `colour`."""


@dataclass(frozen=True)
class _Row:
    name: str
    track: Track
    shift: int = 0
    """How many clocks later than its track says a row is drawn."""


def draw(profile: Profile, cta: int | None, start: int, clocks: int | None) -> Picture:
    """The picture of a CTA; by default of the first one."""
    known = profile.ctas
    if not known:
        raise ProfileError("the profile has no records")
    chosen = known[0] if cta is None else cta
    if chosen not in known:
        numbers = ", ".join(map(str, known))
        raise ProfileError(f"CTA {chosen} was not recorded (recorded are {numbers})")
    tracks = [track for track in profile.tracks if track.cta == chosen]
    if clocks is None:
        clocks = max(1, max(_some_iterations(profile, track) for track in tracks) - start)
    if start < 0 or clocks < 1:
        raise ProfileError(f"a picture begins at clock 0 or later, not of {clocks} from {start} on")
    shift = _find_shift(profile, tracks, start)
    rows = list(_rows(profile, tracks, shift))
    what = {"GPU": "measured", "CPU": "the order of events", "model": "predicted"}[profile.origin]
    if profile.predicted:
        what += " over predicted"
    if shift:
        what += f", which is drawn {abs(shift)} clocks {'later' if shift > 0 else 'earlier'}"
    title = f"{profile.kernel}: CTA {chosen}, {what}"
    canvas = Canvas()
    _draw_rows(canvas, profile, rows, title, start, clocks)
    text = "\n".join(_text(profile, rows, title, start, clocks))
    return canvas.finish(title, "profile", text)


def _rows(profile: Profile, tracks: Sequence[Track], shift: int) -> Iterator[_Row]:
    predicted = {track.warp: track for track in profile.predicted}
    for track in tracks:
        yield _Row(f"{track.role} {track.warp}", track)
        if track.warp in predicted:
            yield _Row("  predicted", predicted[track.warp], shift)


def _find_shift(profile: Profile, tracks: Sequence[Track], start: int) -> int:
    """
    The clocks by which the prediction is drawn later, so that a window that begins later shows the
    same iterations of both: the first event of a warp that is not a producer is in one place.
    """
    predicted = {track.warp: track for track in profile.predicted}
    for track in reversed(tracks) if start else ():
        other = predicted.get(track.warp)
        first = next((n for n, time in enumerate(track.clocks) if time >= start), None)
        if other is not None and first is not None and first < len(other.clocks):
            if track.events[first] == other.events[first]:
                return track.clocks[first] - other.clocks[first]
    return 0


def _some_iterations(profile: Profile, track: Track) -> int:
    """When the first iterations of the main loop are over."""
    beat = track.find_beat()
    times = [t for n, t in zip(track.events, track.clocks, strict=True) if n == beat]
    if len(times) > BEATS:
        return times[BEATS]
    return track.end if track.is_complete else max(track.clocks, default=0)


def _visible(profile: Profile, row: _Row, start: int, clocks: int) -> list[Span]:
    """The spans of a row in a window, cut off at its ends."""
    end, shift = start + clocks, row.shift
    spans = [
        replace(span, start=max(span.start + shift, start), end=min(span.end + shift, end))
        for span in profile.spans(row.track)
        if span.event.kind != "end" and span.start + shift < end and span.end + shift > start
    ]
    if len(spans) > MOST_BOXES:
        least = sorted(span.clocks for span in spans)[-MOST_BOXES]
        spans = [span for span in spans if span.clocks >= least]
    return spans


def _draw_rows(
    canvas: Canvas, profile: Profile, rows: Sequence[_Row], title: str, start: int, clocks: int
) -> None:
    scale = WIDTH / clocks
    canvas.text(MARGIN, MARGIN + 12, title, "head")
    x = LEFT
    for each in LEGEND:
        kind, awaited = (each, "") if isinstance(each, str) else each
        word = WORDS.get(awaited, kind)
        canvas.rectangle(x, MARGIN + 22, 12, 12, _fill(kind, awaited))
        canvas.text(x + 17, MARGIN + 32, word, "dim")
        x += 32 + 6.7 * len(word)
    y = MARGIN + 44.0
    for row in rows:
        is_prediction = row.name.startswith(" ")
        canvas.text(MARGIN, y + 15, row.name, "dim" if is_prediction else "")
        for span in _visible(profile, row, start, clocks):
            _draw_span(canvas, span, LEFT + (span.start - start) * scale, span.clocks * scale, y)
        y += ROW if not is_prediction else ROW + 6
    canvas.line("rule", (LEFT, y), (LEFT + WIDTH, y))
    for quarter in range(5):
        number = str(start + quarter * clocks // 4)
        canvas.text(LEFT + quarter * WIDTH / 4, y + LINE, number, "dim", "middle")
    canvas.text(MARGIN, y + LINE, "clocks", "dim")


def _draw_span(canvas: Canvas, span: Span, x: float, width: float, y: float) -> None:
    fill = _fill(span.event.kind, span.event.awaited)
    place = f", {span.event.place}" if span.event.place else ""
    with canvas.group(f"{span.event.name}: {span.clocks} clocks{place}"):
        canvas.rectangle(x, y, max(0.7, width), BOX, fill)
        waits = span.event.kind == "wait"
        text = fit(span.event.label if waits else span.event.name, width - 6)
        if len(text) > 2:
            canvas.text(x + 3, y + 15, text, "dim" if waits else "")


def _fill(kind: str, awaited: str) -> str:
    """The classes of the fill of an event."""
    if kind != "wait":
        return colour(HUES[kind])
    return "frame" if awaited == "wait" else colour(HUES[awaited] + LIGHTER)


def _text(
    profile: Profile, rows: Sequence[_Row], title: str, start: int, clocks: int
) -> Iterator[str]:
    """The picture in letters: what takes most of the time of each."""
    yield title
    marks = [" "] * (TEXT_WIDTH + 8)
    for fifth in range(5):
        number = str(start + fifth * clocks // 5)
        at = fifth * TEXT_WIDTH // 5
        marks[at : at + len(number)] = number
    yield f"{'clocks':{TEXT_LEFT}}{''.join(marks).rstrip()}"
    step = clocks / TEXT_WIDTH
    for row in rows:
        cells: list[dict[str, float]] = [{} for _ in range(TEXT_WIDTH)]
        for span in _visible(profile, row, start, clocks):
            first, last = (span.start - start) / step, (span.end - start) / step
            for cell in range(int(first), min(TEXT_WIDTH, int(last) + 1)):
                part = min(last, cell + 1) - max(first, cell)
                letter, letters = _letter(span), cells[cell]
                letters[letter] = letters.get(letter, 0.0) + part
        line = "".join(
            max(cell, key=lambda letter: cell[letter]) if cell else " " for cell in cells
        )
        yield f"{row.name:{TEXT_LEFT}}{line}".rstrip()
    yield (
        f"{'':{TEXT_LEFT}}L load, M issue MMAs, C compute, S store; waits: m for MMAs, "
        "l for loads, · others"
    )


def _letter(span: Span) -> str:
    kind = span.event.kind
    if kind != "wait" or span.event.awaited == "wait":
        return LETTERS[kind]
    return LETTERS[span.event.awaited].lower()
