"""
The compile service: a server that has the compiler imported, and the command that asks it.

Most of what a cold `tileiras-xdsl` does is to import Python modules. The command is therefore a
small client: it hands its command line, environment, working directory and file descriptors to a
server of the same user, which forks a process for it. See docs/service.md.

`client`, `endpoint` and `request` are imported by every call of the command and import nothing but
built-in modules of Python.

Modules:

    client: The command `tileiras-xdsl`: hands itself over to a server, or compiles in this process
    control: `tileiras-xdsl --server start`, `status` and `stop`
    endpoint: Where the socket of a server is, whether client and server can trust each other
    job: What a process that the server has forked does: it becomes the twin of a client
    request: What a client sends to a server, and what it is answered
    server: The compile server: has everything imported and forks a process for every command
"""
