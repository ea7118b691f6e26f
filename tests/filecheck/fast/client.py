"""Stands for a tool of the FileCheck tests: see `server.py`. Without a server it is the tool."""

import array
import json
import os
import socket
import sys

NAME = os.path.basename(sys.argv[0])
TOOL = os.path.join(os.environ["TILEIRAS_LIT_BIN"], NAME)


def main() -> int:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(os.environ["TILEIRAS_LIT_SERVER"])
    except OSError:
        os.execv(TOOL, [TOOL, *sys.argv[1:]])
    request = {
        "tool": NAME,
        "arguments": [TOOL, *sys.argv[1:]],
        "directory": os.getcwd(),
        "environment": dict(os.environ),
    }
    streams = array.array("i", [0, 1, 2])
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)]
    data = json.dumps(request).encode() + b"\n"
    sent = connection.sendmsg([data], rights)
    connection.sendall(data[sent:])
    answer = connection.recv(1)
    return answer[0] if answer else 1


if __name__ == "__main__":
    sys.exit(main())
