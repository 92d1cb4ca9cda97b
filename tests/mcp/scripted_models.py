"""A fake model API for Claude Code, Codex and Gemini CLI: responds by a script and records the requests."""

import base64
import json
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, cast

Call: TypeAlias = tuple[str, Mapping[str, Any] | Callable[[Sequence[str]], Mapping[str, Any]]]
"""A tool and its arguments, which may depend on the results so far."""

MOST_REPEATS = 60
REPEAT_SECONDS = 0.25
"""Clients connect and list tools while the model already runs: a call that is too early is repeated."""


class Turn(NamedTuple):
    """What a model responds with: a text, a call, or both."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = MappingProxyType({})


class Model:
    """Responds with one call per turn, and a final text."""

    def __init__(self, script: Sequence[Call | Turn], final: str = "all done", *, prompt: str = "") -> None:
        """It responds to conversations that have `prompt` in their first messages."""
        self.script, self.final, self.prompt = script, final, prompt
        self.requests = list[dict[str, Any]]()
        """The received requests."""
        self.may_answer = threading.Event()
        """Cleared, it lets conversations wait."""
        self.may_answer.set()
        self.fails = False
        """Whether it refuses every request."""
        self._lock = threading.Lock()

    @property
    def tools(self) -> list[str]:
        """The names of the tools in the last request."""
        return [tool["name"] for tool in self._main()[-1]["tools"] if "name" in tool]

    @property
    def results(self) -> list[str]:
        """The results of its calls."""
        return [result for result in _results(self._main()[-1]) if not _too_early(result)]

    @property
    def images(self) -> list[tuple[str, bytes]]:
        """The images in the results: media type and data."""
        sources = [part["source"] for part in _result_parts(self._main()[-1]) if part.get("type") == "image"]
        return [(source["media_type"], base64.b64decode(source["data"])) for source in sources]

    @property
    def said(self) -> list[str]:
        """The texts of the user and of prompts."""
        messages = cast("list[Any]", self._main()[-1].get("messages") or [])
        parts = [part for message in messages for part in _parts(message["content"])]
        return [part["text"] for part in parts if part.get("type") == "text"]

    def answer(self, path: str, body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The events of a streamed response."""
        with self._lock:
            self.requests.append(body)
        results = list(_results(body))
        turn = sum(not _too_early(result) for result in results)
        if results and _too_early(results[-1]):
            time.sleep(REPEAT_SECONDS)
        continues = turn < len(self.script) and _is_main(body) and len(results) - turn < MOST_REPEATS
        response = (
            self._turn(turn, [result for result in results if not _too_early(result)])
            if continues
            else Turn(self.final)
        )
        if "GenerateContent" in path:
            return iter([("", _contents(response))])
        events = _responses(response, len(results)) if "responses" in path else _messages(response, len(results))
        return ((name, {"type": name, **data}) for name, data in events)

    def _turn(self, number: int, results: Sequence[str]) -> Turn:
        found = self.script[number]
        if isinstance(found, Turn):
            return found
        tool, arguments = found
        return Turn("", tool, arguments(results) if callable(arguments) else arguments)

    def _main(self) -> list[dict[str, Any]]:
        return [body for body in self.requests if _is_main(body)]


@contextmanager
def listening(*models: Model) -> Generator[str]:
    """Serve models, each for the conversations with its prompt; the URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            return

        def do_HEAD(self) -> None:
            self._send(200, b"", "application/json")

        def do_GET(self) -> None:
            self._send(200, b'{"data": [], "models": []}', "application/json")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
            path = self.path.split("?")[0]
            if "count_tokens" in path or not path.endswith(("/messages", "/responses", ":streamGenerateContent")):
                self._send(200, b'{"input_tokens": 1, "totalTokens": 1}', "application/json")
                return
            said = json.dumps(body.get("messages") or body.get("input") or body.get("contents") or [])
            model = next((each for each in models if each.prompt in said), models[0])
            if model.fails:
                error = {"type": "invalid_request_error", "code": 400, "message": "no such model"}
                self._send(400, json.dumps({"type": "error", "error": error}).encode(), "application/json")
                return
            if _is_main(body):
                model.may_answer.wait(60)
            events = model.answer(self.path, body)
            lines = [f"{name and f'event: {name}'}\ndata: {json.dumps(data)}\n\n".lstrip() for name, data in events]
            self._send(200, "".join(lines).encode(), "text/event-stream")

        def _send(self, status: int, data: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, name="model")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _is_main(body: dict[str, Any]) -> bool:
    """Whether it belongs to the conversation, and is no auxiliary request such as one for a title."""
    tools = cast("list[Any]", body.get("tools") or [])
    return len(tools) > 1 or "functionDeclarations" in json.dumps(tools)


def _results(body: dict[str, Any]) -> Iterator[str]:
    for item in cast("list[Any]", body.get("input") or []):
        if item.get("type") == "function_call_output":
            yield json.dumps(item["output"])
    for content in cast("list[Any]", body.get("contents") or []):
        for part in cast("list[dict[str, Any]]", content.get("parts") or []):
            if "functionResponse" in part:
                yield json.dumps(part["functionResponse"].get("response"))
    for part in _tool_results(body):
        yield "\n".join(each["text"] for each in _parts(part.get("content")) if "text" in each)


def _tool_results(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in cast("list[Any]", body.get("messages") or []):
        yield from (part for part in _parts(message["content"]) if part.get("type") == "tool_result")


def _result_parts(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for result in _tool_results(body):
        yield from _parts(result.get("content"))


def _parts(content: Any) -> list[dict[str, Any]]:
    """The parts of a message or of a result, which may be a plain string."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return cast("list[dict[str, Any]]", content or [])


def _too_early(result: str) -> bool:
    return "No such tool available" in result or "unsupported call" in result


def _messages(turn: Turn, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    usage = {"input_tokens": 1, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message: dict[str, Any] = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    yield "message_start", {"message": message}
    blocks: list[tuple[dict[str, Any], dict[str, Any]]] = []
    if turn.text:
        blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": turn.text}))
    if turn.tool:
        block: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{number}", "name": turn.tool, "input": {}}
        blocks.append((block, {"type": "input_json_delta", "partial_json": json.dumps(dict(turn.arguments))}))
    for index, (block, delta) in enumerate(blocks):
        yield "content_block_start", {"index": index, "content_block": block}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    stop = "tool_use" if turn.tool else "end_turn"
    yield "message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 1}}
    yield "message_stop", {}


def _contents(turn: Turn) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": turn.text}] if turn.text else []
    parts += [{"functionCall": {"name": turn.tool, "args": dict(turn.arguments)}}] if turn.tool else []
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}


def _responses(turn: Turn, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "response.created", {"response": {"id": f"response_{number}"}}
    if not turn.tool:
        text = {"type": "output_text", "text": turn.text}
        item = {"type": "message", "role": "assistant", "id": f"message_{number}", "content": [text]}
    else:
        item = {
            "type": "function_call", "id": f"call_{number}", "call_id": f"call_{number}",
            "name": turn.tool, "arguments": json.dumps(dict(turn.arguments)),
            **({"namespace": "mcp__fugue"} if turn.tool.startswith("fugue_") else {}),
        }  # fmt: skip
    yield "response.output_item.done", {"output_index": 0, "item": item}
    usage = {
        "input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None,
        "total_tokens": 2,
    }  # fmt: skip
    yield "response.completed", {"response": {"id": f"response_{number}", "usage": usage}}
