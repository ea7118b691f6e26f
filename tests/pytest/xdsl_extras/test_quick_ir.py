"""IR that is quicker behaves as xDSL's."""

from pathlib import Path

from ..harness.commands import python

SCENES = Path(__file__).with_name("quick_ir_scenes.py")

COMPILE = """
import sys
from importlib.resources import files
from tileiras_xdsl.compiler.compilation import Compilation
from tileiras_xdsl.compiler.options import Options
from tileiras_xdsl.frontend import Program
if sys.argv[1:] == ["quick"]:
    from tileiras_xdsl.xdsl_extras.quick_ir import use_quick_ir
    from tileiras_xdsl.xdsl_extras.quick_verification import NO_VARIABLES
    use_quick_ir()
demos = files("tileiras_xdsl.demos")
for name in ("softmax", "matmul"):
    program = Program.of(demos.joinpath(f"{name}.tileirbc").read_bytes())
    compilation = Compilation(program, Options("sm_90"), isolate=False)
    for stage in ("cuda-tile", "tileaa", "tileas", "nvgpu", "nvvm"):
        print(compilation.lower(stage))
    print(compilation.translate())
if sys.argv[1:] == ["quick"]:
    # No attribute has left a variable in the context that all share.
    assert not any(vars(NO_VARIABLES).values())
"""


def test_the_same_happens():
    plain, quick, quick_ops = (
        python(SCENES, *mode).out.splitlines() for mode in ((), ("quick",), ("ops",))
    )
    assert len(plain) > 60
    assert quick == plain
    assert quick_ops == plain


def test_programs_are_compiled_to_the_same():
    plain, quick = (python("-c", COMPILE, *mode).out for mode in ((), ("quick",)))
    assert "wgmma.mma_async" in plain
    assert quick == plain
