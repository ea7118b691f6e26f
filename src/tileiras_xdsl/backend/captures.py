"""
Launches that may start before the one ahead of them has ended (programmatic dependent launch).

A kernel whose record has `programmatic` waits by itself for what is ahead of it on the stream, on
every path. But that is the grid directly ahead, and whoever launched that may have let it start
early as well, and it need not have waited: it may end before what is ahead of it. What is ahead on
a stream, the driver does not say, so there our launchers start kernels one after the other.

Of a stream that is captured it does: the nodes that the next one depends on. If that is a single
one, the last that was launched here, a kernel may overlap with it. All that is ahead of that one
has ended when it has: either it was not launched early, or it has waited for such a one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tileiras_xdsl.backend.driver import CapturedNode, Driver


@dataclass
class Captures:
    """The last launches in captured streams of kernels that wait by themselves."""

    _last: dict[int, CapturedNode] = field(default_factory=dict[int, CapturedNode])
    """
    By stream. An entry is of use as long as it is what the stream depends on: no two captures of a
    process have the same number.
    """

    def launch(self, driver: Driver, stream: int, launch: Callable[[bool], int]) -> int:
        """
        Launches a kernel that waits by itself on a stream that is captured, by a function that is
        told whether it may start early, and returns what that returns, the status of the driver.
        """
        ahead = driver.captured_node(stream)
        status = launch(ahead is not None and self._last.get(stream) == ahead)
        if (own := driver.captured_node(stream)) is not None and own != ahead:
            self._last[stream] = own
        return status
