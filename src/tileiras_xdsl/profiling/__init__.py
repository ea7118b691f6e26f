"""
Profiles: what the warps of a kernel did, and when.

Modules:

    measure: `tileiras_xdsl.profile`: what the warps of a kernel do, and when
    picture: What warps did over what was predicted, as a picture
    prediction: The tracks that the model of `estimate` expects, which runs the same kernel
    profile: What warps did, and when
    records: The events of a kernel with marks, and the tracks of the records in its buffer
    summary: Shares of time, by role and activity
    trace: Traces in the format of Chrome, which Perfetto reads as well: a process for each CTA
"""

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.xdsl_extras.public import CallerError


class ProfileError(CallerError, DiagnosticException):
    """A kernel that cannot be profiled, or a file that is no profile."""
