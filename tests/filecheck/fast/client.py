"""
Stands for a tool of the FileCheck tests: see `server.py`. Without a server it is the tool.

It imports little: `json` and `socket` would take as long as all the rest.
"""

import _socket
import array
import marshal
import os
import sys

NAME = os.path.basename(sys.argv[0])
TOOL = os.path.join(os.environ["TILEIRAS_LIT_BIN"], NAME)


def main() -> int:
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
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
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)]
    content = marshal.dumps(request)
    data = len(content).to_bytes(4, "little") + content
    sent = connection.sendmsg([data], rights)
    connection.sendall(data[sent:])
    answer = connection.recv(1)
    return answer[0] if answer else 1


if __name__ == "__main__":
    sys.exit(main())
