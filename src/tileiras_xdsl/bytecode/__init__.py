"""
Tile IR bytecode: what cuTile Python writes and what NVIDIA's `tileiras` reads.

`read` and `write` convert between bytes and modules of the `cuda_tile` dialect; the encoding
of every op is one line of `encodings.py`.
"""

from .errors import BytecodeError
from .reader import read
from .versions import LATEST, MAGIC, VERSIONS, format_version
from .writer import write

__all__ = ["LATEST", "MAGIC", "VERSIONS", "BytecodeError", "format_version", "read", "write"]
