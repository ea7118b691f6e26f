"""The passes, one module each."""
