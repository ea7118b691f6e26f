"""Mistakes on the command line and in what is installed; importing this imports nothing of xDSL."""

DEBUG_VARIABLE = "TILEIRAS_DEBUG"
"""The environment variable that asks for tracebacks."""


class UsageError(Exception):
    """A mistake on the command line, which has no place in a file."""


class RefusedError(UsageError):
    """An option that is known and refused, or an output that cannot be written."""


class PluginWarning(UserWarning):
    """A plugin is left out; a command prints that as one line."""
