"""
Compares what a tool printed with the file that it read: a line is printed as it is written, unless
a comment above it says otherwise.

    tileiras-opt %s --split-input-file --print-local-scope | %verbatim %s

    %0 = cuda_tile.negf %x : tile<4xf32>
    // PRINTS: %1 = cuda_tile.addf %x, %x : tile<4xf32>
    %1 = cuda_tile.addf %x, %x rounding<nearest_even> : tile<4xf32>

A test of a parser and a printer is half as long so, and no line of it goes unchecked. Types of
`cuda_tile`, and ops in its modules, may be written without their prefix, in comments as well, and
are printed with it. Whitespace is free, and so is the module around everything. Types and
attributes may be written by aliases, in comments as well, and are printed in full. Chunks with
lines for `filecheck` are left to it: what was printed for them goes on to standard output.
"""

import re
import sys
from difflib import unified_diff

SEPARATOR = re.compile(r"^// -----$\n?", re.MULTILINE)
PRINTS = re.compile(r"// PRINTS:(.*)")
CHECK = re.compile(r"// [A-Z-]*CHECK[A-Z0-9-]*:")
SHORT_TYPE = re.compile(
    r"(?<![\w.!$#%@=\"-])"
    r"((?:tile|ptr|tensor_view|partition_view|strided_view|gather_scatter_view)(?=<)"
    r"|token(?=[\s,)]|$)(?!\s*=)|string(?=[\s,)]|$))"
)
SHORT_OP = re.compile(r"((?:%[^=]*= )?)([a-z][a-z_0-9$]*)(?=[\s(]|$)")
ALIAS = re.compile(r"^([!#][\w$]+) = (.*)$", re.MULTILINE)
MODULE = "builtin.module {"


def expand_types(line: str) -> str:
    """
    The line with the prefix of `cuda_tile` before its types. Of what is in them, only tensor views
    are printed with it.
    """
    parts: list[str] = []
    depth = 0
    end = 0
    for match in SHORT_TYPE.finditer(line):
        for bracket in re.findall(r"(?<!-)>|<", line[end : match.start()]):
            depth += 1 if bracket == "<" else -1
        parts.append(line[end : match.start()])
        has_prefix = depth == 0 or match[0] == "tensor_view"
        parts.append(f"!cuda_tile.{match[0]}" if has_prefix else match[0])
        end = match.end()
    return "".join((*parts, line[end:]))


def expand(chunk: str) -> list[tuple[str, str]]:
    """The lines of a chunk, and each as it is printed if no comment above it says otherwise."""
    lines: list[tuple[str, str]] = []
    is_public = False
    for line in map(str.strip, chunk.split("\n")):
        match = PRINTS.fullmatch(line)
        full = line if match is None else match[1].strip()
        if '"test.' in full:
            full = re.sub(r"(?<=, )tensor_view(?=<)", "!cuda_tile.tensor_view", full)
        else:
            full = expand_types(full)
            if is_public and SHORT_OP.match(full):
                full = SHORT_OP.sub(r"\1cuda_tile.\2", full, count=1)
            is_public = is_public or line.startswith("cuda_tile.module ")
        lines.append((line, full))
    return [(line, full) for line, full in lines if line]


def expect(chunk: str) -> list[str]:
    """The lines that a chunk is printed as."""
    aliases = ALIAS.findall(chunk)
    chunk = ALIAS.sub("", chunk)
    for name, definition in reversed(aliases):
        chunk = re.sub(rf"{name}\b", lambda _, text=definition: text, chunk)
    lines: list[str] = []
    instead: list[str] = []
    for line, full in expand(chunk):
        if PRINTS.fullmatch(line) is not None:
            instead.append(full)
        elif not line.startswith("//"):
            lines += instead or [full]
            instead = []
    return normalise(lines)


def normalise(lines: list[str]) -> list[str]:
    """The lines with single spaces, without the module around them."""
    lines = [" ".join(line.split()) for line in lines if line.strip()]
    return lines[1:-1] if lines and lines[0] == MODULE else lines


def main() -> int:
    with open(sys.argv[1]) as file:
        chunks = SEPARATOR.split(file.read())
    printed = SEPARATOR.split(sys.stdin.read())
    if len(printed) != len(chunks):
        sys.stderr.write(f"expected {len(chunks)} chunks, but got {len(printed)}\n")
        return 1
    differences: list[str] = []
    for chunk, output in zip(chunks, printed):
        if CHECK.search(chunk) is not None:
            sys.stdout.write(f"{output}// -----\n")
        else:
            actual = normalise(output.split("\n"))
            differences += unified_diff(expect(chunk), actual, "expected", "printed", "", "", 1, "")
    sys.stderr.write("".join(f"{line}\n" for line in differences))
    return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main())
