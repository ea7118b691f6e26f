"""Canonicalizes the tiled vector addition and prints what is left of it."""

import sys
from importlib.resources import as_file, files

from tileiras_xdsl.tools import tileiras_opt


def main() -> int:
    with as_file(files("tileiras_xdsl.demos") / "vector_add.mlir") as path:
        return tileiras_opt.main([str(path), "-p", "canonicalize"])


if __name__ == "__main__":
    sys.exit(main())
