"""Analyses, which change no IR: layouts, axis info and integer ranges, alias analysis, slices."""
