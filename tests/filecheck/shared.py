"""
Prints a test whose chunks share lines. After the first `// -----`, each paragraph is a chunk; the
lines of the head before it stand before every chunk that uses what they define. Tiles need no
definition: their names say what they are. Checks may use the names of types as well.

    // RUN: TILEIRAS_VERIFY_INVALID

    !view = !cuda_tile.tensor_view<?x64xf32, strides=[64,1]>
    %view = "test.op"() : () -> !view

    // -----

    // CHECK: 'cuda_tile.addf' op operand #0 must be tile of float values, but got '!t4xi32'
    %0 = cuda_tile.addf %t4xi32, %t4xi32_1 : !t4xi32

    // CHECK: 'cuda_tile.make_partition_view' op result #0 must be view, but got '!ptr_f32'
    %0 = "cuda_tile.make_partition_view"(%view) : (!view) -> !ptr_f32
"""

import re
import sys

SEPARATOR = "// -----\n"
NAME = re.compile(r"[%#!][\w$]+")
TILE = re.compile(
    r"[%!](?:(?:t((?:\d+x)+))?(ptr_)?(i\d+|t?f32|bf16|f16|f64|f8E\w+?|f4E\w+?|fnv\w+?)|(token))(?:_\d+)?"
)


def get_tile(name: str) -> str | None:
    """The type that a name of a tile says: `!t4xptr_f32` is `tile<4xptr<f32>>`."""
    if (match := TILE.fullmatch(name)) is None:
        return None
    shape, pointer, element, token = match.groups()
    if token is not None:
        return "!cuda_tile.token"
    return f"!cuda_tile.tile<{shape or ''}{f'ptr<{element}>' if pointer else element}>"


def is_defined(name: str, text: str) -> bool:
    """Whether a line of the text, or a block of it, defines a name."""
    if name[0] == "!":
        return f"{name} = " in text
    pattern = rf"^[^=/\"(]*{name}\b[^=(]* = |{name}(?: =|:)"
    return re.search(pattern, text, re.MULTILINE) is not None


def define_tiles(used: set[str], text: str) -> list[str]:
    """The lines that define the tiles that are used in the text and not defined there."""
    lines: list[str] = []
    for name in sorted(used):
        if (tile := get_tile(name)) is not None and not is_defined(name, text):
            lines.append(
                f'{name} = "test.op"() : () -> {tile}\n' if name[0] == "%" else f"{name} = {tile}\n"
            )
    return lines


def name_types(line: str, types: dict[str, str]) -> str:
    """A comment with the types in full that it names."""
    return re.sub(r"![\w$]+\b(?!\.)", lambda m: types.get(m[0]) or get_tile(m[0]) or m[0], line)


def complete(chunk: str, shared: list[str]) -> str:
    """A chunk with the definitions of what it uses."""
    lines = chunk.split("\n")
    code = "\n".join(line for line in lines if not line.startswith("//"))
    used = set(NAME.findall(code))
    definitions: list[str] = []
    for line in reversed(shared):
        defined, _, rest = line.partition(" = ")
        if not used.isdisjoint(NAME.findall(defined)):
            definitions.insert(0, f"{line}\n")
            used.update(NAME.findall(rest))
    tiles = define_tiles(used, "".join((*definitions, code)))
    types = dict(line.split(" = ", 1) for line in shared if line.startswith("!"))
    texts = (name_types(line, types) if line.startswith("//") else line for line in lines)
    return "".join((*tiles, *definitions, "\n".join(texts), "\n"))


def is_title(paragraph: str) -> bool:
    """Whether a paragraph is a comment on those that follow."""
    return all(line.startswith("//") and "CHECK" not in line for line in paragraph.split("\n"))


def main() -> None:
    with open(sys.argv[1]) as file:
        head, _, text = file.read().partition(SEPARATOR)
    shared = [line for line in head.split("\n") if line and not line.startswith("//")]
    paragraphs = re.split(r"\n\n+", text.strip("\n"))
    chunks = (complete(each, shared) for each in paragraphs if not is_title(each))
    sys.stdout.write(SEPARATOR.join(chunks))


if __name__ == "__main__":
    main()
