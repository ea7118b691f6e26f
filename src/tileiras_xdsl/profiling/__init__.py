"""
Profiles: what the warps of a kernel did, and when.

| module | has |
| --- | --- |
| `measure` | `tileiras_xdsl.profile`: compiles a kernel with marks, and runs it |
| `records` | tracks of the records in a buffer |
| `prediction` | the same tracks, from the model of `estimate` |
| `profile` | `Profile`, which can be saved and loaded |
| `summary` | shares of time, by role and activity |
| `picture` | the picture |
| `trace` | traces for Perfetto and Chrome |
"""

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.xdsl_extras.public import CallerError


class ProfileError(CallerError, DiagnosticException):
    """A kernel that cannot be profiled, or a file that is no profile."""
