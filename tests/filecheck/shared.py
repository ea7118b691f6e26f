"""
Prints a test whose chunks share lines: those of its first chunk stand before every other that uses
what they define.

    %shared %s | tileiras-opt --verify-diagnostics --split-input-file | filecheck %s

    !f32 = !cuda_tile.tile<f32>
    %f32, %f32_1 = "test.op"() : () -> (!f32, !f32)

    // -----

    %0 = cuda_tile.addf %f32, %f32_1 : !f32
"""

import re
import sys

SEPARATOR = "// -----\n"
NAME = re.compile(r"[%#!][\w$]+")


def main() -> None:
    with open(sys.argv[1]) as file:
        first, *chunks = file.read().split(SEPARATOR)
    shared = [line for line in first.split("\n") if line and not line.startswith("//")]
    for index, chunk in enumerate(chunks):
        used = set(NAME.findall(chunk))
        lines: list[str] = []
        for line in reversed(shared):
            defined, _, rest = line.partition(" = ")
            if not used.isdisjoint(NAME.findall(defined)):
                lines.insert(0, f"{line}\n")
                used.update(NAME.findall(rest))
        if index:
            sys.stdout.write(SEPARATOR)
        sys.stdout.write("".join((*lines, chunk)))


if __name__ == "__main__":
    main()
