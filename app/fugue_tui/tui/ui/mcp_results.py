"""Shows what MCP servers returned, over the panes and in panes, with keys to copy, save, paste and pipe it. Main thread
only."""

import asyncio
import json
import os
import shlex
import tempfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

from textual.widget import Widget

from fugue_tui.control.commands.buffers import SetBuffer
from fugue_tui.control.commands.call_server import CallServer, GetPrompt, ReadResource, ServerAnswer, answer_of
from fugue_tui.control.commands.panes import ClosePane, SplitPane
from fugue_tui.control.commands.send_keys import SendInput
from fugue_tui.control.commands.show_servers import SaveResult, ShowResult, content_text, follow, register
from fugue_tui.control.core.command import Command
from fugue_tui.control.core.deferred import spawn
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.mcp_servers.model import BlockKind, Call, Content
from fugue_tui.multiplexer.mcp_servers.shown import LOG, RESOURCE, RESULT, Shown
from fugue_tui.sanitize import clean
from fugue_tui.tui.app_context import AppContext
from fugue_tui.workspace.model import OnExit
from fugue_tui_widgets.dialogs import Ask

if TYPE_CHECKING:
    from fugue_tui_widgets.result_view import ResultKey, ResultModel, ResultPart, ResultView

_LOG_ROWS = 1_000


class McpResults:
    """The results that are shown."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._views: dict[str, list[ResultView]] = {}
        self._connected = False

    def show(self, title: str, answer: ServerAnswer, again: Callable[[], None]) -> None:
        """Show a result over the panes."""
        from fugue_tui_widgets.result_view import ResultKey, ResultScreen

        keys = {
            **self._keys(answer.text, answer.result),
            "s": ResultKey("saves", lambda: self._save(answer.result)),
            "o": ResultKey("keeps it in a pane", lambda: self._keep(answer.result)),
            "r": ResultKey("runs again", lambda: self._again(again)),
        }
        model = self._model(title, answer.server, answer.content, keys, self._close)
        self._app.push_screen(ResultScreen(model))

    def content(self, pane: PaneId, what: str) -> Widget | None:
        """What is shown in a pane; None if it is nothing of an MCP server."""
        if not what.startswith((f"{RESULT} ", f"{RESOURCE} ", f"{LOG} ")):
            return None
        from fugue_tui_widgets.result_view import ResultView

        self._connect()
        register(self._app.mux, what)
        view = ResultView(self._pane_model(pane, what))
        kept = [each for each in self._views.get(what, []) if each.is_attached]
        self._views[what] = [*kept, view]
        return view

    def _connect(self) -> None:
        """Follow what is shown, from the first pane on."""
        if self._connected:
            return
        self._connected = True
        servers = self._app.mux.mcp_servers
        servers.shown.on_change.connect(self._changed)
        servers.on_logged.connect(lambda server: self._changed(f"{LOG} {server}"))

    def _changed(self, what: str) -> None:
        for view in self._views.get(what, []):
            pane = self._app.grid.pane_of(view) if view.is_attached else None
            if pane is not None:
                view.run_worker(view.show(self._pane_model(pane, what)), exclusive=True)

    def _pane_model(self, pane: PaneId, what: str) -> "ResultModel":
        from fugue_tui_widgets.result_view import ResultKey, ResultModel, ResultPart

        def close() -> None:
            self._app.commands.run(ClosePane(pane=str(pane)))

        shown = self._app.mux.mcp_servers.shown.panes.get(what)
        if shown is not None:
            text = answer_of(shown.server, shown.content).text
            keys = {**self._keys(text, 0), "r": ResultKey("reads again", lambda: self._read_again(what, shown))}
            return self._model(what, shown.server, shown.content, keys, close, shown.error)
        text = content_text(self._app.mux, what, Size(4_000, _LOG_ROWS))
        keys = self._keys(text, 0)
        if what.startswith(RESOURCE):
            server, _, uri = what.removeprefix(f"{RESOURCE} ").partition(" ")
            unknown = Shown(server, Call(uri=uri), Content())
            keys["r"] = ResultKey("reads it again", lambda: self._read_again(what, unknown))
        parts = [ResultPart("text", text)]
        return ResultModel(what, parts, keys, lambda uri: None, close, follows=what.startswith(LOG))

    def _model(
        self,
        title: str,
        server: str,
        content: Content,
        keys: "dict[str, ResultKey]",
        close: Callable[[], None],
        error: str = "",
    ) -> "ResultModel":
        from fugue_tui_widgets.result_view import ResultModel, ResultPart

        parts = [*([ResultPart("note", error)] if error else []), *_parts(content)]

        def read(uri: str) -> None:
            command = ReadResource(server=server, uri=uri)
            self._app.commands.run(command, then=lambda answer: self.show(uri, answer, lambda: read(uri)))

        return ResultModel(clean(title, 200), parts, keys, read, close, content.is_error)

    # Keys

    def _keys(self, text: str, result: int) -> "dict[str, ResultKey]":
        from fugue_tui_widgets.result_view import ResultKey

        return {
            "c": ResultKey("copies", lambda: self._copy(text)),
            "p": ResultKey("pastes", lambda: self._paste(text)),
            "vertical_line": ResultKey("pipes", lambda: self._pipe(text)),
        }

    def _close(self) -> None:
        self._app.screen.dismiss()

    def _again(self, again: Callable[[], None]) -> None:
        self._close()
        again()

    def _copy(self, text: str) -> None:
        if text:
            self._app.commands.run(SetBuffer(text=text), then=lambda _: self._app.alert("copied"))

    def _paste(self, text: str) -> None:
        """Type a result into the focused pane; never what a program would run by itself."""
        mux = self._app.mux
        pane = mux.focused
        text = text.rstrip("\n")
        if not self._app.on_panes:
            self._close()
        if pane is None or mux.workspace.panes[pane].content:
            pane = next((each for each in (mux.last_pane,) if each is not None), None)
        if pane is None or not text:
            return
        if "\n" in text and not mux.terminals[pane].modes.bracketed_paste:
            self._copy(text)
            self._app.alert(f"copied, not pasted: the program in {pane} would read each line break as Enter")
        else:
            self._app.commands.run(SendInput(pane=str(pane), text=text))

    def _pipe(self, text: str) -> None:
        """Run a command in a new pane that reads the result."""

        def answered(line: str | None) -> None:
            if line and line.strip():
                spawn(self._piped(text, line))

        self._app.push_screen(Ask("pipe into a command"), answered)

    async def _piped(self, text: str, line: str) -> None:
        try:
            path = await asyncio.to_thread(_written, text)
        except OSError as error:
            self._app.alert(f"not piped: {error.strerror}")
            return
        piped = f"{{ rm -f {shlex.quote(path)}; {line}\n}} <{shlex.quote(path)}"
        if not self._app.on_panes:
            self._close()

        def failed(error: str) -> None:
            os.unlink(path)
            self._app.alert(error)

        self._app.commands.run(
            SplitPane(command=("/bin/sh", "-c", piped), on_exit=OnExit.KEEP), then=lambda _: None, failed=failed
        )

    def _save(self, result: int) -> None:
        def answered(path: str | None) -> None:
            if path and path.strip():
                command = SaveResult(result=result, output=path.strip())
                self._app.commands.run(command, then=lambda saved: self._app.alert(f"written to {saved.path}"))

        self._app.push_screen(Ask("save as"), answered)

    def _keep(self, result: int) -> None:
        self._close()
        self._app.commands.run(ShowResult(result=result))

    def _read_again(self, what: str, shown: Shown) -> None:
        mux = self._app.mux

        def then(answer: ServerAnswer) -> None:
            now = Shown(shown.server, shown.call, answer.content)
            mux.mcp_servers.shown.put(what, now)
            if shown.call.uri:
                spawn(follow(mux, what, now))

        self._app.commands.confirm(_command(shown), then=then)


def _written(text: str) -> str:
    """The path of a new file of the user's own with a text. Raises OSError."""
    descriptor, path = tempfile.mkstemp(prefix="fugue-tui-")
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    return path


def _command(shown: Shown) -> Command[ServerAnswer]:
    call = shown.call
    if call.uri:
        return ReadResource(server=shown.server, uri=call.uri)
    if call.prompt:
        return GetPrompt(server=shown.server, prompt=call.prompt, arguments=call.arguments)
    return CallServer(server=shown.server, tool=call.tool, arguments=call.arguments)


def _parts(content: Content) -> "Iterator[ResultPart]":
    """The parts of a result: its structure in place of a text that says the same, unless it is but a text."""
    from fugue_tui_widgets.result_view import ResultPart, text_part

    structured = None if _is_text(content) else content.structured
    if structured is not None:
        yield ResultPart("json", value=structured)
    for block in content.blocks:
        match block.kind:
            case BlockKind.IMAGE:
                yield ResultPart("image", data=block.data)
            case BlockKind.LINK:
                yield ResultPart("link", block.uri)
                yield ResultPart("note", " ".join(part for part in (block.name, block.text, block.media_type) if part))
            case BlockKind.AUDIO:
                yield ResultPart("note", f"audio, {block.media_type}: s saves it")
            case BlockKind.RESOURCE if block.data:
                yield ResultPart("note", f"{block.uri} {block.media_type}: bytes, s saves them")
            case _ if structured is not None and _says(block.text, structured):
                continue
            case _:
                if block.role or block.uri:
                    yield ResultPart("note", block.role or block.uri)
                yield (
                    ResultPart("markdown", block.text) if block.media_type == "text/markdown" else text_part(block.text)
                )
    if content.cut:
        yield ResultPart("note", f"{content.cut} characters were left out: it is too long")


def _is_text(content: Content) -> bool:
    """Whether the structure is one of the texts under a name."""
    structured: object = content.structured
    values = [*cast("dict[str, object]", structured).values()] if isinstance(structured, dict) else []
    return len(values) == 1 and any(
        block.kind is BlockKind.TEXT and block.text == values[0] for block in content.blocks
    )


def _says(text: str, value: object) -> bool:
    try:
        return bool(json.loads(text) == value)
    except (ValueError, RecursionError):
        return False
