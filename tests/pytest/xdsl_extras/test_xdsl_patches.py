"""xDSL does the same with our patches, and nothing but what they name has changed."""

from importlib.resources import files
from pathlib import Path

import pytest
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format_parser import FormatParser

from tileiras_xdsl.driver.compiler.compilation import Compilation
from tileiras_xdsl.driver.compiler.options import Options
from tileiras_xdsl.frontend.load import Program
from tileiras_xdsl.pipeline import MODULE_STAGES
from tileiras_xdsl.universe import TILEIRAS_UNIVERSE
from tileiras_xdsl.xdsl_extras.xdsl_patches import PATCHES, patched_attributes, plain_xdsl

from ..harness.commands import python

SCENES = Path(__file__).with_name("xdsl_scenes.py")
DEMOS = files("tileiras_xdsl.driver.demos")
MOST_PATCHES = 12

CHANGES = """
import sys
from importlib import import_module
from tileiras_xdsl.driver.compiler.processes import import_compiler

def contents():
    found = {}
    for module in [*known]:
        for name, value in vars(sys.modules[module]).items():
            found[module, name] = value
            if isinstance(value, type) and value.__module__ == module:
                found[module, name, "the metaclass"] = type(value)
                for part, inside in vars(value).items():
                    found[module, name, part] = inside
    return found

for name in ("builtin", "arith", "cf", "func", "gpu", "llvm", "math", "memref", "scf", "vector"):
    import_module(f"xdsl.dialects.{name}")
for name in (
    "abc", "ast", "codecs", "collections", "contextlib", "copy", "dataclasses", "enum", "functools",
    "gc", "importlib", "inspect", "io", "itertools", "json", "marshal", "os", "pickle", "re",
    "re._compiler", "struct", "subprocess", "sys", "threading", "types", "typing", "xdsl.parser",
    "xdsl.irdl.declarative_assembly_format_parser", "xdsl.pattern_rewriter", "xdsl.printer",
    "xdsl.traits", "xdsl.transforms.common_subexpression_elimination", "xdsl.utils.hints",
):
    import_module(name)
known = [name for name in sys.modules if not name.startswith("tileiras_xdsl")]
before, finders = contents(), [*sys.meta_path]
import_compiler()
assert sys.meta_path == finders
# What Python itself changes when a class or module is used.
usual = {"__abstractmethods__", "_abc_impl", "__annotations__", "__doc__", "__warningregistry__"}
missing = object()
for key, value in contents().items():
    was = before.get(key, missing)
    if was is value or key[-1] in usual or (was is missing and len(key) == 2):
        continue
    print(".".join(key))
"""


def test_scenes_are_the_same():
    plain, patched = (python(SCENES, *mode).out.splitlines() for mode in ((), ("patched",)))
    assert len(plain) > 90
    assert patched == plain


def lower_all(name: str) -> list[str]:
    """A demo at every stage, as text."""
    program = Program.of(DEMOS.joinpath(f"{name}.tileirbc").read_bytes())
    compilation = Compilation(program, Options("sm_90"), isolate=False)
    texts = [str(compilation.lower(stage)) for stage in MODULE_STAGES]
    return [*texts, compilation.translate()]


@pytest.mark.part("processes")
@pytest.mark.parametrize("name", ["softmax", "matmul"])
def test_programs_are_compiled_to_the_same(name: str):
    patched = lower_all(name)
    with plain_xdsl():
        assert not any(patch.is_applied for patch in PATCHES)
        plain = lower_all(name)
    assert patched == plain


def test_few_functions_are_patched_in_every_process():
    assert all(patch.is_applied for patch in PATCHES)
    assert len(PATCHES) <= MOST_PATCHES


@pytest.mark.part("processes")
def test_nothing_else_is_changed():
    """Neither of xDSL, nor of the standard library, nor how modules are imported."""
    changed = python("-c", CHANGES).out.split()
    assert sorted(changed) == sorted(patched_attributes())


def test_bytecode_needs_no_formats():
    code = "import sys\nfrom tileiras_xdsl.frontend.load import load\nload(sys.argv[1])\n"
    check = "assert 'xdsl.irdl.declarative_assembly_format_parser' not in sys.modules"
    python("-c", code + check, str(DEMOS / "matmul.tileirbc"))


def test_formats_are_right():
    """Each is parsed when it is first used, so a wrong one would be found late."""
    formats = 0
    for make in TILEIRAS_UNIVERSE.all_dialects.values():
        for op in make().operations:
            if issubclass(op, IRDLOperation) and op.assembly_format is not None:
                FormatParser(op.assembly_format, op.get_irdl_definition()).parse_format()
                formats += 1
    assert formats > 300
