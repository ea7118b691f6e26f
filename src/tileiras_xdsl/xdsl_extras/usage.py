"""Mistakes on the command line; importing this imports nothing of xDSL."""

DEBUG_VARIABLE = "TILEIRAS_DEBUG"
"""The environment variable that asks for tracebacks."""


class UsageError(Exception):
    """A mistake on the command line, which has no place in a file."""
