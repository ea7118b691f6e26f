"""
The compile service: a server that has the compiler imported, and the command that asks it.

Most of what a cold `tileiras-xdsl` does is to import Python modules. The command is therefore a
small client: it hands its command line, environment, working directory and file descriptors to a
server of the same user, which forks a process for it. See docs/service.md.

| module | has |
| --- | --- |
| `client` | the command: asks a server, starts one if there is none, or compiles by itself |
| `endpoint` | where the socket is, and whether it can be trusted |
| `request` | what the client sends, and what it is answered |
| `server` | the loop that accepts requests, forks and hands out CPU slots |
| `job` | what a forked process does: becomes the client's twin and runs its command line |

`client`, `endpoint` and `request` are imported by every call of the command and import nothing but
built-in modules of Python.
"""
