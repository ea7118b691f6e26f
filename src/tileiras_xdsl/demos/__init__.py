"""Example programs; `python -m tileiras_xdsl.demos` compiles, shows and runs two of them."""
