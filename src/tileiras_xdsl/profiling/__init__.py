"""
Profiles: what the warps of a kernel did, and when.

| module | has |
| --- | --- |
| `measure` | `tileiras_xdsl.profile`: compiles a kernel with marks, runs it, and reads its tracks |
| `profile` | `Profile`, which can be saved and loaded; shares of time, traces for Perfetto |
| `picture` | the picture |
"""
