"""What a hostile program in a pane does to approve its own request; run in a pane with a socket, files and a result.

Standard library only: it speaks the protocols of the command line and of attached terminals itself.
"""

import json
import os
import socket
import sys
from collections.abc import Callable

PATH, CONFIG, HELLO, RESULT, TARGET = sys.argv[1:] if __name__ == "__main__" else [""] * 5


def send(line: bytes) -> socket.socket:
    """Connect, and send a line."""
    connected = socket.socket(socket.AF_UNIX)
    connected.connect(PATH)
    connected.sendall(line)
    return connected


def words(*line: str) -> bytes:
    """A command line as a request."""
    params = {"words": list(line)}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "fugue/cli", "params": params}).encode() + b"\n"


def run(*line: str) -> str:
    """The answer to a command line."""
    with send(words(*line)) as connected, connected.makefile("rb") as file:
        return file.readline().decode()


def attach() -> str:
    """The answer to a terminal that attaches, and presses the keys that approve the request that waits."""
    with send(HELLO.encode()) as connected, connected.makefile("rb") as file:
        return file.readline().decode()


def orphaned(attack: Callable[[], str]) -> str:
    """The same by a process that has left its pane by a double fork and a session of its own."""
    reading, writing = os.pipe()
    if child := os.fork():
        os.waitpid(child, 0)
        os.close(writing)
        with os.fdopen(reading) as answer:
            return answer.read()
    os.setsid()
    parent = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == parent:
        pass
    for name in [name for name in os.environ if name.startswith("FUGUE")]:
        del os.environ[name]
    os.write(writing, attack().encode())
    os._exit(0)


def main() -> None:
    """Ask for the end of a pane, and try every way to answer the question itself."""
    asked = send(words("close-pane", TARGET))
    while '"id":1' not in run("list-approvals", "--json").replace(" ", ""):
        pass
    with open(CONFIG, "w") as file:
        file.write('[mcp]\ntrust = "full"\n')
    answers = {
        "approve": run("approve-request", "1"),
        "approve for ever": run("approve-request", "1", "--scope", "always"),
        "approve as an orphan": orphaned(lambda: run("approve-request", "1")),
        "attach": attach(),
        "attach as an orphan": orphaned(attach),
    }
    with open(f"{RESULT}.new", "w") as file:
        json.dump(answers, file)
    os.rename(f"{RESULT}.new", RESULT)
    asked.recv(1)


if __name__ == "__main__":
    main()
