"""
Tile IR bytecode: what cuTile Python writes and what NVIDIA's `tileiras` reads.

`read` and `write` convert between bytes and modules of the `cuda_tile` dialect; the encoding
of every op is one line of `encodings.py`.

Modules:

    attributes: Self-contained attributes: a tag, then a payload that needs nothing else to be read
    debug: The debug section: locations of functions and ops, and the scopes they lie in
    encodings: How every op is written: opcode, op class and layout of its record, one line each
    fields: The fields of an op record, each able to read and to write itself
    primitives: Integers, varints and padding: the letters the format is written in
    reader: Reads Tile IR bytecode into the `cuda_tile` dialect
    writer: Writes modules of the `cuda_tile` dialect as Tile IR bytecode
"""

from .primitives import LATEST, MAGIC, VERSIONS, BytecodeError, format_version
from .reader import read
from .writer import write

__all__ = ["LATEST", "MAGIC", "VERSIONS", "BytecodeError", "format_version", "read", "write"]
