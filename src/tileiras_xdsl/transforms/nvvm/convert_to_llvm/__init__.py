"""The conversion `convert-to-llvm`."""
