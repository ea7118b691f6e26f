"""
What tests of all folders share, so that each of them is there once.

- `modules`: texts to modules and back, and the ops of a module
- `passes`: passes on a module, and the compiler's steps down to a stage
- `kernels`: the frames of kernels that tests write as text
- `stress_kernels`: kernels whose tiles are far too large
- `running`: modules run on copies of arrays, and their results compared
- `commands`: tools in this process, and programs in processes of their own

What only the tests of one folder need lies in that folder.
"""
