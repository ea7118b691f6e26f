"""Example programs; `python -m tileiras_xdsl.demos` compiles and runs two of them."""
