"""
Profiles: what the warps of a kernel did, and when.

Modules:

    measure: `tileiras_xdsl.profile`: what the warps of a kernel do, and when
    picture: What warps did over what was predicted, as a picture
    profile: What warps did, and when
"""

from xdsl.utils.exceptions import DiagnosticException

from tileiras_xdsl.xdsl_extras.public import CallerError


class ProfileError(CallerError, DiagnosticException):
    """A kernel that cannot be profiled, or a file that is no profile."""
