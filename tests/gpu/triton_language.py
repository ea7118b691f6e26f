# pyright: basic
"""
The language of Triton, op by op, on a GPU: by Triton's launcher, compiled by this compiler.

    python tests/gpu/triton_language.py

Prints what is refused or wrong, and how many cases were right. It needs torch and Triton.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
import triton

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.pytest.triton.language import CASES, check, prepare

import tileiras_xdsl.triton as open_triton


def main() -> None:
    """Runs the cases."""
    right = 0
    triton.set_allocator(lambda size, _, __: torch.empty(size, dtype=torch.int8, device="cuda"))
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder, open_triton.use(fallback=False):
            kernel, args, expected = prepare(case, Path(folder))
            given = [torch.from_numpy(a).cuda() if isinstance(a, np.ndarray) else a for a in args]
            try:
                kernel[(1,)](*given)
                torch.cuda.synchronize()
                check(case, given[2].cpu().numpy(), expected)
            except Exception as error:
                print(f"{case[0]}: {type(error).__name__}: {str(error).strip()[:300]}", flush=True)
                continue
        right += 1
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}: {right} of {len(CASES)}")


if __name__ == "__main__":
    main()
