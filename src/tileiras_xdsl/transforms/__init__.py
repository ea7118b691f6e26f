"""
The passes, in folders by the level that they lead to, in the order of `pipeline.PIPELINE`.

| folder | has passes that lead to | may import |
| --- | --- | --- |
| `common` | (none; what several levels share) | |
| `cuda_tile` | `cuda-tile`: checked and simplified programs | `common` |
| `tileaa` | `tileaa`: accesses ordered by tokens | those above |
| `tileas` | `tileas`: layouts, warps, a schedule | those above |
| `nvgpu` | `nvgpu`: the code of one thread | those above |
| `nvvm` | `nvvm`: what LLVM IR is made of | those above |
| `interop` | (none; what only programs of others reach, see `docs/interop.md`) | those above |

Passes of the levels import `interop` inside of functions, where a program needs it.
"""
