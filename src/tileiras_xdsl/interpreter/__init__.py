"""Runs tile programs on the CPU, on whole tiles through NumPy."""
