"""
What only programs of others reach: IR of this compiler's levels, and of upstream MLIR's, that is
written by hand or made by another front end. `docs/interop.md` says who would use what.

Passes import it where a program needs it, inside of functions, so that no other pays for it. It may
import all levels.
"""
