"""
Writes the reference of dialects and passes from their definitions:

    python docs/generate_reference.py            # writes docs/reference
    python docs/generate_reference.py --check    # fails if that would change something

What is written comes from docstrings, constraints, assembly formats and options. A dialect of xDSL
that is extended here is listed with what is added to it.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from xdsl.dialects import builtin
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    AllOf,
    AnyAttr,
    AnyOf,
    AttrConstraint,
    AttrSetConstraint,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    MessageConstraint,
    OpDef,
    OptionalDef,
    ParamAttrConstraint,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    RangeVarConstraint,
    VarConstraint,
    VariadicDef,
)
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE

from tileiras_xdsl.dialects.building import EnumAttr
from tileiras_xdsl.dialects.cuda_tile.base import AttributeKind, TypeSet
from tileiras_xdsl.dialects.nv_tileaa.attributes import TileLike, Word
from tileiras_xdsl.dialects.nv_tileas.types import Atom
from tileiras_xdsl.dialects.nvvm.base import FloatLike, Fragment, PointerTo
from tileiras_xdsl.pipeline import PIPELINE
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE
from tileiras_xdsl.xdsl_extras.discardable_attributes import DECLARED

PACKAGE = "tileiras_xdsl"
FOLDER = Path(__file__).parent / "reference"
OTHERS = ("operations.md", "proofs.md")
"""Pages there that `generate_support.py` and `tests/pytest/proofs` write."""
NOTICE = "<!-- Written by docs/generate_reference.py; change the definitions, not this file. -->"

EXTENDED = ("arith", "gpu", "llvm", "scf", "vector")
"""Dialects of xDSL that have more here."""

DIALECTS = {
    "cuda_tile": "level 0: public Tile IR",
    "nv_tileaa": "level 1: memory is explicit, its order a graph of tokens",
    "nv_tileas": "level 2: tensors have layouts, work has a schedule",
    "nvgpu": "level 3: what NVIDIA's GPUs can do, of one thread",
    "nvvm": "level 4: instructions",
    "cute": "layouts as shapes and strides, as hints name them",
    "tileiras": "remarks: what passes decide, and why",
    "tt": "kernels of Triton",
    "ttg": "what they use of Triton's next level",
    "arith": "xDSL's, on tensors and vectors too",
    "gpu": "xDSL's, with more ops",
    "llvm": "xDSL's, with more ops",
    "scf": "xDSL's, with loops that carry nothing",
    "vector": "xDSL's, with more ops",
}

PHRASES: dict[type[Attribute], str] = {
    builtin.ArrayAttr: "array",
    builtin.BFloat16Type: "`bf16`",
    builtin.DenseArrayBase: "dense array",
    builtin.DictionaryAttr: "dictionary",
    builtin.Float16Type: "`f16`",
    builtin.Float32Type: "`f32`",
    builtin.Float64Type: "`f64`",
    builtin.FunctionType: "function type",
    builtin.IndexType: "`index`",
    builtin.IntAttr: "number",
    builtin.IntegerAttr: "integer attribute",
    builtin.IntegerType: "integer",
    builtin.MemRefType: "memref",
    builtin.NoneAttr: "nothing",
    builtin.StringAttr: "string",
    builtin.SymbolRefAttr: "symbol",
    builtin.TensorType: "tensor",
    builtin.UnitAttr: "flag",
    builtin.VectorType: "vector",
}


# Constraints as phrases


def describe(constraint: AttrConstraint | RangeConstraint) -> str:
    """What a constraint allows, in words."""
    match constraint:
        case RangeLengthConstraint() | RangeVarConstraint():
            return describe(constraint.constraint)
        case RangeOf():
            return describe(constraint.constr)
        case VarConstraint():
            return f"`{constraint.name}`: {describe(constraint.constraint)}"
        case MessageConstraint():
            return describe(constraint.constr)
        case TypeSet() | AttributeKind():
            return constraint.phrase
        case TileLike():
            return f"scalar or tensor of {constraint.phrase}"
        case PointerTo():
            return f"pointer to {constraint.phrase}"
        case FloatLike():
            return f"{_any(map(_code, constraint.names))}, or a vector of it"
        case Fragment():
            return f"{'descriptor, ' if constraint.or_descriptor else ''}struct or vector"
        case Word():
            return _any(_code(f'"{word}"') for word in constraint.words)
        case Atom():
            return f"`#nv_tileas.atom` of {_any(map(_code, constraint.kinds))}"
        case _:
            return _describe_irdl(constraint)


def _describe_irdl(constraint: AttrConstraint | RangeConstraint) -> str:
    match constraint:
        case AnyAttr():
            return "anything"
        case EqAttrConstraint():
            return _code(str(constraint.attr))
        case AttrSetConstraint():
            return _any(sorted(_code(str(attribute)) for attribute in constraint.values))
        case BaseAttr():
            return _phrase(constraint.attr)
        case AllOf():
            parts = dict.fromkeys(map(describe, constraint.attr_constrs))
            return " and ".join(part for part in parts if part != "anything")
        case AnyOf():
            return _describe_choice(constraint.attr_constrs)
        case ParamAttrConstraint():
            return _describe_parameters(constraint)
        case builtin.ArrayOfConstraint():
            return f"array of {describe(constraint.elem_range_constraint)}"
        case _:
            return _first_sentence(constraint)


def _describe_choice(constraints: Sequence[AttrConstraint]) -> str:
    """One of some; all floats that there are are called so."""
    phrases = dict.fromkeys(map(describe, constraints))
    floats = list(map(_phrase, get_args(builtin.AnyFloat)))
    if all(each in phrases for each in floats):
        phrases = dict.fromkeys(["float", *(each for each in phrases if each not in floats)])
    return _any(phrases)


def _describe_parameters(constraint: ParamAttrConstraint[Any]) -> str:
    base = _phrase(constraint.base_attr)
    parameters = [describe(parameter) for parameter in constraint.param_constrs]
    known = [each for each in parameters if each not in ("anything", "number", "nothing")]
    return f"{base} of {' and '.join(known)}" if known else base


def _phrase(attribute: type[Attribute]) -> str:
    if (phrase := PHRASES.get(attribute)) is not None:
        return phrase
    sigil = "!" if issubclass(attribute, TypeAttribute) else "#"
    name = getattr(attribute, "name", attribute.__name__)
    return _code(f"{sigil}{name}")


def _first_sentence(constraint: object) -> str:
    """What the docstring of a constraint says, as part of a sentence."""
    text = inspect.cleandoc(type(constraint).__doc__ or "").partition("\n\n")[0]
    sentence = " ".join(text.split()).rstrip(".")
    for article in ("A ", "An "):
        sentence = sentence.removeprefix(article)
    return sentence[:1].lower() + sentence[1:]


def _code(text: str) -> str:
    return f"`{text}`"


def _any(parts: Iterable[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} or {last}" if most else last


# Docstrings as Markdown


def markdown(text: str | None) -> str:
    """A docstring as Markdown: code that is indented, or shown before and after, is fenced."""
    paragraphs = inspect.cleandoc(text or "").split("\n\n")
    parts: list[str] = []
    for number, paragraph in enumerate(paragraphs):
        is_code = paragraph.startswith("    ") and number > 0
        if is_code or paragraph.startswith(("Before:", "Accepted:")):
            code = inspect.cleandoc("\n" + paragraph) if is_code else paragraph
            if parts and parts[-1].endswith("```") and is_code:
                parts[-1] = f"{parts[-1].removesuffix('```')}\n{code}\n```"
            else:
                parts.append(f"```{'mlir' if is_code else 'text'}\n{code}\n```")
        else:
            parts.append(paragraph)
    return "\n\n".join(parts)


def summary(text: str | None) -> str:
    """The first sentence of a docstring."""
    paragraph = inspect.cleandoc(text or "").partition("\n\n")[0]
    return _cell(" ".join(paragraph.split()).partition(". ")[0].rstrip(".:"))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


# Dialects

Definition = TypeVar("Definition", Attribute, Operation)


def own(definitions: Iterable[type[Definition]]) -> list[type[Definition]]:
    """What this package defines, in the order of names."""
    mine = (each for each in definitions if each.__module__.startswith(PACKAGE))
    return sorted(mine, key=lambda each: each.name)


def get_dialect(name: str) -> Dialect:
    """A dialect of this package, or one of xDSL that it replaces."""
    factories = XDSL_UNIVERSE.all_dialects | TILEIRAS_UNIVERSE.all_dialects
    return factories[name]()


def dialect_page(name: str) -> str:
    """All types, attributes and ops of a dialect."""
    dialect = get_dialect(name)
    attributes, operations = own(dialect.attributes), own(dialect.operations)
    types = [each for each in attributes if issubclass(each, TypeAttribute)]
    others = [each for each in attributes if each not in types]
    lines = [NOTICE, "", f"# `{name}`", "", f"{_sentence(DIALECTS[name])} {_source(dialect)}"]
    if name in EXTENDED:
        lines += ["", "What xDSL has is not listed here."]
    for title, members in (("Types", types), ("Attributes", others)):
        lines += ["", f"## {title}"] if members else []
        for member in members:
            lines += ["", *_attribute(member)]
    lines += ["", "## Operations"] if operations else []
    for operation in operations:
        lines += ["", *_operation(operation)]
    lines += _decisions(name)
    return "\n".join(lines) + "\n"


def _decisions(name: str) -> Iterator[str]:
    """The discardable attributes that a dialect declares, with the passes that they are for."""
    declared = [each for each in DECLARED.values() if each.name.startswith(f"{name}.")]
    if not declared:
        return
    yield from ("", "## What passes write down", "")
    yield "Discardable attributes, by which passes tell those that follow what they decided."
    yield from ("", "| attribute | type | of | says | written by | read by |", "|" + " --- |" * 6)
    for each in declared:
        ty = "anything" if each.type is Attribute else _phrase(each.type)
        carriers = _any(map(_carrier, each.carriers)) if each.carriers else "any op"
        cells = (ty, carriers, each.summary)
        passes = (", ".join(map(_code, names)) for names in (each.written_by, each.read_by))
        yield f"| {' | '.join(map(_cell, (_code(each.name), *cells, *passes)))} |"


def _carrier(operation: type[Operation]) -> str:
    """An op, or the first sentence of what ops are that have a base in common."""
    name = getattr(operation, "name", None)
    return _code(name) if name else summary(operation.__doc__).rstrip(".")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _source(dialect: Dialect) -> str:
    definitions = [*own(dialect.operations), *own(dialect.attributes)]
    path = definitions[0].__module__.removeprefix(f"{PACKAGE}.").split(".")
    return f"Defined in `src/{PACKAGE}/{'/'.join(path[:2])}`."


def _attribute(attribute: type[Attribute]) -> Iterator[str]:
    sigil = "!" if issubclass(attribute, TypeAttribute) else "#"
    yield f"### `{sigil}{attribute.name}`"
    yield ""
    yield markdown(attribute.__doc__)
    if issubclass(attribute, ParametrizedAttribute):
        parameters = attribute.get_irdl_definition().parameters
        if parameters:
            yield from ("", "| parameter | is |", "| --- | --- |")
            for name, parameter in parameters:
                yield f"| `{name}` | {_cell(describe(parameter.constr))} |"
    elif issubclass(attribute, EnumAttribute | EnumAttr):
        words = [_code(str(word.value)) for word in attribute.enum_type]
        yield from ("", f"One of {_any(words)}.")


def _operation(operation: type[Operation]) -> Iterator[str]:
    assert issubclass(operation, IRDLOperation)
    definition = operation.get_irdl_definition()
    yield f"### `{definition.name}`"
    yield ""
    yield markdown(operation.__doc__)
    yield ""
    yield f"`{_python_name(operation)}`"
    yield ""
    yield from _syntax(operation, definition)
    rows = list(_rows(definition))
    if rows:
        yield from ("", "| | name | is |", "| --- | --- | --- |")
        yield from (f"| {kind} | `{name}` | {_cell(text)} |" for kind, name, text in rows)
    facts = list(_axis_info(operation, definition))
    if facts:
        yield from ("", "  \n".join(facts))


def _python_name(operation: type[Operation]) -> str:
    """Where Python finds the class: as a name of its module, or in a table of that."""
    module = operation.__module__
    names: dict[str, Any] = vars(sys.modules[module])
    if names.get(operation.__name__) is operation:
        return f"{module}.{operation.__name__}"
    for name, table in names.items():
        for key, value in cast("dict[object, Any]", table).items() if type(table) is dict else ():
            if value is operation:
                return f"{module}.{name}[{key!r}]"
    raise KeyError(operation)


def _syntax(operation: type[Operation], definition: OpDef) -> Iterator[str]:
    if definition.assembly_format is not None:
        words = " ".join(definition.assembly_format.split())
        yield from ("```text", f"{definition.name} {words}", "```")
    elif operation.print is not Operation.print:
        yield "Written in a form of its own."
    else:
        yield "Written in the generic form."


def _rows(definition: OpDef) -> Iterator[tuple[str, str, str]]:
    for name, operand in definition.operands:
        yield _kind("operand", operand), name, describe(operand.constr)
    hidden = set[str]()
    for option in definition.options:
        if (attribute := getattr(option, "attribute_name", None)) is not None:
            hidden.add(attribute)
    for name, attribute in sorted((definition.properties | definition.attributes).items()):
        if name not in hidden:
            yield _kind("attribute", attribute), name, describe(attribute.constr)
    for name, result in definition.results:
        yield _kind("result", result), name, describe(result.constr)
    for name, region in definition.regions:
        yield _kind("region", region), name, ""
    for name, successor in definition.successors:
        yield _kind("successor", successor), name, ""


def _kind(what: str, definition: object) -> str:
    match definition:
        case OptionalDef():
            return f"{what}, optional"
        case VariadicDef():
            return f"{what}s, any number"
        case _:
            return what


def _axis_info(operation: type[Operation], definition: OpDef) -> Iterator[str]:
    names = sorted({type(trait).__name__ for trait in definition.traits.traits})
    if names:
        yield f"Traits: {', '.join(map(_code, names))}."
    since = getattr(operation, "SINCE", None)
    if since is not None:
        yield f"In bytecode since version {since}."


def dialects_page() -> str:
    """The dialects, and a line for each of their ops."""
    lines = [
        NOTICE,
        "",
        "# Dialects",
        "",
        "One page for each dialect; the pages, and this one, are made from the definitions. In",
        "their tables a name such as `T` in front of a constraint stands for one type or",
        "attribute wherever an op has it; a *flag* is an attribute without a value. Formats are",
        "those of xDSL's `assembly_format`.",
        "",
        "| dialect | is | types and attributes | ops |",
        "| --- | --- | --- | --- |",
    ]
    for name, text in DIALECTS.items():
        dialect = get_dialect(name)
        attributes, operations = own(dialect.attributes), own(dialect.operations)
        lines.append(f"| [`{name}`]({name}.md) | {text} | {len(attributes)} | {len(operations)} |")
    for name in DIALECTS:
        if operations := own(get_dialect(name).operations):
            lines += ["", f"## {name}", "", "| op | |", "| --- | --- |"]
            lines += [
                f"| [`{each.name}`]({name}.md#{_anchor(each.name)}) | {summary(each.__doc__)} |"
                for each in operations
            ]
    return "\n".join(lines) + "\n"


def _anchor(name: str) -> str:
    """The fragment that a heading gets: letters, digits, dashes and underscores stay."""
    return "".join(c for c in name.lower() if c.isalnum() or c in "-_")


# Passes


def passes_page() -> str:
    """All passes, first those that a compilation runs, in that order."""
    places: dict[str, list[str]] = {}
    for step in PIPELINE:
        places.setdefault(step.name, []).append(f"`{step.stage}` from `-O{step.level}` on")
    factories = TILEIRAS_UNIVERSE.all_passes
    ordered = [name for name in places if name in factories]
    ordered += sorted(set(factories) - set(ordered))
    lines = [
        NOTICE,
        "",
        "# Passes",
        "",
        "What `tileiras-opt -p` and `xdsl-opt -p` take, beside the passes of xDSL. Those that a",
        "compilation runs come first, in the order of `pipeline.py`.",
        "",
        "| pass | leads to | does |",
        "| --- | --- | --- |",
    ]
    for step in PIPELINE:
        if step.name in factories:
            text = summary(sys.modules[factories[step.name]().__module__].__doc__)
            link = f"[`{step.name}`](#{_anchor(step.name)})"
        else:
            text, link = "xDSL's", f"`{step.name}`"
        lines.append(f"| {link} | `{step.stage}`, `-O{step.level}` | {text} |")
    for name in ordered:
        lines += ["", f"## `{name}`", "", *_pass(factories[name](), places.get(name, []))]
    return "\n".join(lines) + "\n"


def _pass(factory: type[ModulePass], places: Sequence[str]) -> Iterator[str]:
    yield markdown(sys.modules[factory.__module__].__doc__)
    yield ""
    yield markdown(factory.__doc__)
    options = dataclasses.fields(factory)
    if options:
        yield from ("", "| option | type | default |", "| --- | --- | --- |")
        for option in options:
            kind = _cell(str(option.type)).removeprefix("Final ")
            default = "none" if option.default is None else f"`{option.default}`"
            yield f"| `{option.name.replace('_', '-')}` | `{kind}` | {default} |"
    yield ""
    file = factory.__module__.removeprefix(f"{PACKAGE}.").replace(".", "/") + ".py"
    ran = f"Leads to {' and '.join(places)}." if places else "Not part of a compilation."
    yield f"{ran} Defined in `{file}`."


# Files


def pages() -> dict[str, str]:
    """The text of each file of the reference."""
    texts: dict[str, Callable[[], str]] = {"dialects.md": dialects_page, "passes.md": passes_page}
    made = {name: write() for name, write in texts.items()}
    return made | {f"{name}.md": dialect_page(name) for name in DIALECTS}


def outdated(folder: Path) -> list[str]:
    """The names of files that are not what they should be, or should not be there."""
    made = pages()
    there = {
        path.name: path.read_text(encoding="utf-8")
        for path in folder.glob("*.md")
        if path.name not in OTHERS
    }
    return sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes docs/reference from the definitions.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if it differs")
    if parser.parse_args().check:
        names = outdated(FOLDER)
        if names:
            print(f"run python docs/generate_reference.py, out of date: {', '.join(names)}")
        return 1 if names else 0
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for path in FOLDER.glob("*.md"):
        if path.name not in (*made, *OTHERS):
            path.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
