"""To `nvvm` and `llvm`, which are translated to LLVM IR."""
