"""
Traces in the format of Chrome, which Perfetto reads as well: a process for each CTA, and one for
what was predicted; a thread for each warp.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .profile import Profile, Track

COLOURS: Final = {
    "start": "grey",
    "wait": "terrible",
    "load": "thread_state_iowait",
    "mma": "good",
    "compute": "thread_state_running",
    "store": "vsync_highlight_color",
}
"""What Chrome calls the colours of kinds of events."""

PREDICTED: Final = 1_000_000
"""The number of the process of what was predicted."""


def make_trace(profile: Profile) -> dict[str, Any]:
    """What a trace file has, as dictionaries and lists."""
    gigahertz = profile.gigahertz or 1.0
    times = [track.begin_time for track in profile.tracks if track.begin_time]
    first = min(times, default=0)
    events: list[dict[str, Any]] = []
    for cta in profile.ctas:
        tracks = [track for track in profile.tracks if track.cta == cta]
        sm = "" if tracks[0].sm is None else f" on SM {tracks[0].sm}"
        events += _process(cta, f"CTA {cta}{sm}", tracks)
        # Clocks of an SM are exact, the timer of the GPU tells when they began.
        begin = tracks[0].begin_time - first if tracks[0].begin_time else 0
        start = begin - tracks[0].clocks[0] / gigahertz if tracks[0].clocks else begin
        for track in tracks:
            events += _spans(profile, track, cta, start / 1000, gigahertz)
    if profile.predicted:
        events += _process(PREDICTED, "predicted", profile.predicted)
        for track in profile.predicted:
            events += _spans(profile, track, PREDICTED, 0.0, gigahertz)
    return {
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {"title": "; ".join(profile.describe())},
    }


def _process(number: int, name: str, tracks: Sequence[Track]) -> Iterator[dict[str, Any]]:
    yield {"ph": "M", "name": "process_name", "pid": number, "args": {"name": name}}
    for track in tracks:
        label = f"{track.role}, warp {track.warp}"
        place = {"pid": number, "tid": track.warp}
        yield {"ph": "M", "name": "thread_name", **place, "args": {"name": label}}


def _spans(
    profile: Profile, track: Track, process: int, start: float, gigahertz: float
) -> Iterator[dict[str, Any]]:
    """Complete events, in microseconds."""
    scale = 1 / (1000 * gigahertz)
    for span in profile.spans(track):
        if span.event.kind != "end":
            yield {
                "ph": "X",
                "name": span.event.name,
                "cat": span.event.kind,
                "cname": COLOURS[span.event.kind],
                "pid": process,
                "tid": track.warp,
                "ts": start + span.start * scale,
                "dur": span.clocks * scale,
                "args": {"clocks": span.clocks, "place": span.event.place},
            }
