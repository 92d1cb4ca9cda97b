"""An MCP server without an SDK, which does what the protocol forbids; its argument says what."""

import json
import os
import sys
import threading
import time
from typing import Any

MODE = sys.argv[1]
ESCAPES = "\x1b]0;owned\x07\x1b[31mred\x1b[?1049l\u202e\u200b"
NESTED = {f"p{number}": {"$ref": "#/$defs/N"} for number in range(100)}
SCHEMAS: dict[str, dict[str, Any]] = {
    "cycle": {"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/properties/b"}}},
    "remote": {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}},
    "wide": {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(10_000)}},
    "bomb": {"type": "object", "properties": NESTED, "$defs": {"N": {"properties": NESTED}}},
}
TOOLS: list[dict[str, Any]] = [
    {"name": "same", "description": "the first", "inputSchema": {"type": "object"}},
    {"name": "same", "description": "the second", "inputSchema": {"type": "object"}},
    {"name": f"bad{ESCAPES}", "inputSchema": {"type": "object"}},
    {"name": "escapes", "title": ESCAPES, "description": ESCAPES * 100, "inputSchema": {"type": "object"}},
    *({"name": name, "inputSchema": schema} for name, schema in SCHEMAS.items()),
    *({"name": name, "inputSchema": {"type": "object"}} for name in ("deep", "ignore", "storm", "wrong", "shut")),
]
if MODE == "wrong-list":
    TOOLS.append({"name": "odd", "inputSchema": {"type": "object", "properties": {"x": 5}}})


def send(message: dict[str, Any]) -> None:
    """Send a message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def raw(text: str) -> None:
    """Send what may be no message."""
    sys.stdout.buffer.write(text.encode("latin-1"))
    sys.stdout.buffer.flush()


def initialize(number: int) -> None:
    """Answer the handshake, or not."""
    match MODE:
        case "mute":
            time.sleep(600)
        case "garbage":
            raw('\x1b]0;owned\x07 no JSON\n{"jsonrpc": 3}\n[1,2]\n{}\n\x00\xff\n')
        case "closed":
            os.close(1)
            time.sleep(600)
        case "hundred":
            for _ in range(1_600):
                raw("x" * 65_536)
        case _:
            pass
    can = {"tools": {"listChanged": True}}
    who = {"name": f"hostile{ESCAPES}", "version": ESCAPES}
    send({"id": number, "result": {"protocolVersion": "2025-11-25", "capabilities": can, "serverInfo": who}})


def call(number: int, params: dict[str, Any]) -> None:
    """Answer a call, or not."""
    words = {"content": [{"type": "text", "text": f"{ESCAPES} done"}]}
    match params["name"]:
        case "ignore":
            return
        case "deep":
            raw(f'{{"jsonrpc":"2.0","id":{number},"result":{"[" * 50_000}{"]" * 50_000}}}\n')
        case "wrong":
            send({"id": number + 1_000, "result": {}})
            send({"id": number, "result": {"content": 5}})
            return
        case "shut":
            os.close(1)
            return
        case "storm":
            token = params.get("_meta", {}).get("progressToken")
            for step in range(300):
                send({"method": "notifications/tools/list_changed"})
                report = {"progressToken": token, "progress": step * 1e300, "total": -1, "message": ESCAPES}
                send({"method": "notifications/progress", "params": report})
        case _:
            pass
    send({"id": number, "result": words})


for line in sys.stdin:
    request = json.loads(line)
    number, method = request.get("id"), request.get("method")
    if method == "initialize":
        initialize(number)
    elif method == "tools/list":
        more = {"nextCursor": "again"} if MODE == "endless-list" else {}
        send({"id": number, "result": {"tools": TOOLS, **more}})
    elif method == "tools/call":
        threading.Thread(target=call, args=(number, request["params"]), daemon=True).start()
    elif number is not None:
        send({"id": number, "error": {"code": -32601, "message": f"no {ESCAPES}"}})
