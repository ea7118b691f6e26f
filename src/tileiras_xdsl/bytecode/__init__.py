"""
Tile IR bytecode: what cuTile Python writes and what NVIDIA's `tileiras` reads.

`read` and `write` convert between bytes and modules of the `cuda_tile` dialect; the encoding
of every op is one line of `encodings.py`.

Modules:

    attributes: Self-contained attributes: a tag, then a payload that needs nothing else to be read
    budget: How much may be made from a file
    debug: The debug section: locations of functions and ops, and the scopes they lie in
    encodings: How every op is written: opcode, op class and layout of its record, one line each
    errors: The one error of the bytecode reader and writer
    fields: The fields of an op record, each able to read and to write itself
    primitives: Integers, varints and padding: the letters the format is written in
    reader: Reads Tile IR bytecode into the `cuda_tile` dialect
    target: The output target `tileir-bytecode`
    types: Types: a tag, then a payload that refers to other types of the table by index
    versions: The bytecode versions this package reads and writes
    writer: Writes modules of the `cuda_tile` dialect as Tile IR bytecode
"""

from .errors import BytecodeError
from .reader import read
from .versions import LATEST, MAGIC, VERSIONS, format_version
from .writer import write

__all__ = ["LATEST", "MAGIC", "VERSIONS", "BytecodeError", "format_version", "read", "write"]
