"""Example programs; `python -m tileiras_xdsl.demos` compiles the first."""
