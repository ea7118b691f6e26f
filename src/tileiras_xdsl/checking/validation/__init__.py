"""
Translation validation: a kernel is run on the CPU as it was written and after passes, on small
inputs made for it, and must compute the same.

- `kernel_facts`: what a kernel says about its parameters;
- `inputs`: arguments as recipes, which can be written to a file;
- `search`: inputs that a kernel can be run with;
- `runner`: runs them, and says what counts as the same;
- `validator`: runs kernels while they are compiled, and names the pass that is wrong.

Modules:

    inputs: The arguments of a run as a recipe: small enough to be written into a comment
    kernel_facts: What a kernel says about its parameters
    runner: Runs a kernel at any stage under all checks
    search: Inputs that a kernel can be run with, found by trying
    validate: `tileiras_xdsl.validate`, and what it returns
    validator: Runs kernels while they are compiled
"""
