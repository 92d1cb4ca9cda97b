"""The palette of the tools, prompts and resources of all MCP servers: find one, fill in its form, run it. Main thread
only."""

import asyncio
import base64
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from textual.fuzzy import Matcher

from fugue_tui import trusted_files
from fugue_tui.control.commands.call_server import CallServer, CompleteArgument, GetPrompt, ReadResource, ServerAnswer
from fugue_tui.control.commands.mcp_servers import ConnectServer
from fugue_tui.control.commands.read_pane import ReadPane, Source
from fugue_tui.control.core.command import Command
from fugue_tui.errors import FugueError
from fugue_tui.multiplexer.mcp_servers.model import Prompt, Resource, ServerState, Tool
from fugue_tui.sanitize import clean
from fugue_tui.terminal.screen.cells import Row, Run
from fugue_tui.terminal.screen.width import columns
from fugue_tui.tui.app_context import AppContext
from fugue_tui.validation.json_form import FieldKind, FormField, fields, value_of

if TYPE_CHECKING:
    from fugue_tui_widgets.finder_screen import FinderScreen
    from fugue_tui_widgets.row_list import ListRow
    from fugue_tui_widgets.schema_form import Done, Show, Written

MOST_RECENT: Final = 20
"""Calls that are remembered."""
VALUES: Final = {
    "@pane": "the text of the pane",
    "@selection": "what is selected",
    "@cwd": "the pane's directory",
    "@last-command": "the output of its last command",
}
"""What may be written in a field for something of the focused pane; `@file:PATH` stands for a file's content."""
FILE: Final = "@file:"
FILE_LIMIT: Final = 4 << 20
_HINTS: Final = ("Enter opens it", "Escape closes", "Tab scope", "↑ ↓ choose")
_NO_SERVER: Final = ("Name them in [mcp.servers], or have", "import-servers take over those of", "other MCP clients.")
_ABOUT_VALUES: Final = "@pane @selection @cwd @last-command and @file:PATH stand for what they name; @@ for an @."
_SCOPES: Final[tuple[tuple[str, tuple[type, ...]], ...]] = (
    ("everything", (Tool, Prompt, Resource)),
    ("tools", (Tool,)),
    ("prompts", (Prompt,)),
    ("resources", (Resource,)),
)


class Entry(Struct, frozen=True):
    """Something that a server offers."""

    server: str
    what: Tool | Prompt | Resource
    effect: str
    """read, run or destroy."""

    @property
    def key(self) -> str:
        """What it is known by."""
        return f"{self.server} {type(self.what).__name__} {self.name}"

    @property
    def name(self) -> str:
        """Its name, or its URI."""
        return self.what.uri if isinstance(self.what, Resource) else self.what.name

    @property
    def words(self) -> str:
        """What it does, on a line."""
        what = self.what
        title = f"{what.name}: " if isinstance(what, Resource) and what.name else ""
        return title + " ".join((what.description or what.title).split())

    @property
    def form(self) -> tuple[FormField, ...]:
        """The fields for its arguments."""
        match self.what:
            case Tool(schema=schema):
                return fields(schema)
            case Prompt(arguments=arguments):
                return tuple(
                    FormField((each.name,), FieldKind.TEXT, each.required, description=each.description)
                    for each in arguments
                )
            case Resource(template=template, uri=uri):
                names = _variables(uri) if template else []
                return tuple(FormField((name,), FieldKind.TEXT, required=True) for name in names)

    def query(self, field: FormField, written: "Written") -> CompleteArgument | None:
        """The command that asks for the values of an argument; None if nothing completes it."""
        name = field.path[0] if field.path else ""
        value, others = written.get(field.path, ""), {path[0]: text for path, text in written.items() if text}
        others.pop(name, "")
        match self.what:
            case Prompt(name=prompt) if not value.startswith("@"):
                return CompleteArgument(server=self.server, prompt=prompt, argument=name, value=value, arguments=others)
            case Resource(uri=uri, template=True) if not value.startswith("@"):
                return CompleteArgument(server=self.server, uri=uri, argument=name, value=value, arguments=others)
            case _:
                return None

    def command(self, arguments: Mapping[str, Any]) -> Command[ServerAnswer]:
        """The command that uses it."""
        match self.what:
            case Tool(name=name):
                return CallServer(server=self.server, tool=name, arguments=arguments)
            case Prompt(name=name):
                return GetPrompt(server=self.server, prompt=name, arguments=arguments)
            case Resource(uri=uri):
                return ReadResource(server=self.server, uri=_filled(uri, arguments))


class RecentCall(Struct, frozen=True):
    """A call of the user."""

    entry: Entry
    written: "Written"


class McpTools:
    """The palette, and the calls of the user."""

    def __init__(self, app: AppContext, show: Callable[[Entry, ServerAnswer, Callable[[], None]], None]) -> None:
        """`show` shows a result, and gets what runs the same again."""
        self._app, self._show = app, show
        self._recent = deque[RecentCall](maxlen=MOST_RECENT)

    def open(self) -> None:
        """Show the palette, and start the servers that do not run."""
        from fugue_tui_widgets.finder_screen import FinderModel, FinderScreen, Scope

        scopes = [Scope(name, name) for name, _ in _SCOPES]
        palette = _Palette(self._app, self._recent, self.use)
        model = FinderModel("tool, prompt or resource", scopes, _HINTS)
        palette.screen = FinderScreen(model, palette)
        self._app.push_screen(palette.screen, lambda _: palette.end())
        palette.begin()

    def use(self, entry: Entry, written: "Written | None" = None) -> None:
        """Ask for what it needs, and run it; `written` stands in the form at first."""
        form = entry.form
        if not form:
            self._run(entry, {}, {})
            return
        from fugue_tui_widgets.schema_form import SchemaForm

        def submit(now: "Written", done: "Done") -> None:
            asyncio.get_running_loop().create_task(self._submit(entry, form, now, done))

        same = [each.written for each in self._recent if each.entry.key == entry.key]
        earlier = [written, *(each for each in same if each != written)] if written is not None else same
        about = f"{entry.words}\n{_ABOUT_VALUES}"
        title = f"{entry.server}: {entry.name} ({entry.effect})"
        completes = self._app.mux.mcp_servers.status(entry.server).catalog.completes
        complete = partial(self._complete, entry) if completes and not isinstance(entry.what, Tool) else None
        screen = SchemaForm(title, about, form, submit, earlier=earlier, complete=complete)
        self._app.push_screen(screen)
        if written is not None:
            screen.call_after_refresh(screen.action_recall, 1)

    def _complete(self, entry: Entry, field: FormField, written: "Written", show: "Show") -> None:
        """Ask the server for the values of a field; an error offers none."""
        query = entry.query(field, written)
        if query is None:
            show(())
        else:
            run = self._app.commands.run
            run(query, then=lambda found: show(found.values), failed=lambda _: show(()), quiet=True)

    async def _submit(self, entry: Entry, form: Sequence[FormField], written: "Written", done: "Done") -> None:
        values, faults = dict[tuple[str, ...], str](), dict[str, str]()
        for field in form:
            try:
                values[field.path] = await self._value(written.get(field.path, ""))
            except (FugueError, OSError, ValueError) as error:
                faults[field.label] = f"cannot be read: {_words(error)}"
        arguments, wrong = value_of(form, values)
        if faults | wrong:
            done(wrong | faults)
            return
        done(None)
        self._run(entry, arguments, written)

    def _run(self, entry: Entry, arguments: Mapping[str, Any], written: "Written") -> None:
        call = RecentCall(entry, written)
        kept = [each for each in self._recent if each != call]
        self._recent.clear()
        self._recent.extend([call, *kept][:MOST_RECENT])
        again = lambda: self.use(entry, written)  # noqa: E731
        self._app.commands.confirm(entry.command(arguments), then=lambda answer: self._show(entry, answer, again))

    async def _value(self, text: str) -> str:
        """What was written, or what it stands for. Raises FugueError, OSError or UntrustedFile."""
        mux, pane = self._app.mux, self._app.mux.focused
        if text.startswith("@@"):
            return text[1:]
        cwd = mux.cwd(pane) if pane is not None else ""
        if text.startswith(FILE):
            path = Path(os.path.join(cwd, os.path.expanduser(text.removeprefix(FILE).strip())))
            content = await asyncio.to_thread(trusted_files.content, path, FILE_LIMIT)
            try:
                return content.decode()
            except UnicodeDecodeError:
                return base64.b64encode(content).decode()
        sources = {"@pane": Source.SCREEN, "@selection": Source.SELECTION, "@last-command": Source.LAST_COMMAND}
        if text == "@cwd":
            return cwd
        if pane is None or text not in sources:
            return text
        reading: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        command = ReadPane(pane=str(pane), source=sources[text])
        self._app.commands.run(
            command, then=lambda found: reading.set_result(found.text), failed=lambda error: _fail(reading, error)
        )
        return await reading


class _Palette:
    """One palette, as the owner of its screen."""

    screen: "FinderScreen"

    def __init__(
        self, app: AppContext, recent: Sequence[RecentCall], use: Callable[[Entry, "Written | None"], None]
    ) -> None:
        self._app, self._recent, self._use = app, recent, use
        self._text, self._scope, self._first = "", 0, ""
        self._chosen: tuple[Entry, Written | None] | None = None
        self._entries = dict[str, tuple[Entry, "Written | None"]]()
        self._errors = dict[str, str]()
        self._stop: Callable[[], None] = lambda: None

    def begin(self) -> None:
        """Follow the servers, and start those that do not run."""
        servers = self._app.mux.mcp_servers
        self._stop = servers.on_change.connect(lambda server: self._show())
        for name in servers.all():
            if servers.status(name).state in (ServerState.OFF, ServerState.FAILED):
                self._app.commands.run(
                    ConnectServer(server=name), then=lambda _: None, failed=lambda _: None, quiet=True
                )

    def end(self) -> None:
        """The screen was closed: use what was chosen."""
        self._stop()
        if self._chosen is not None:
            self._use(*self._chosen)

    def changed(self, text: str, scope: int) -> None:
        """Show what matches, the best match under the cursor."""
        self._text, self._scope = text, scope
        self._show(anew=True)

    def chosen(self, key: str) -> None:
        """Use something."""
        self._chosen = self._entries.get(key)
        if self._chosen is not None:
            self.screen.dismiss()

    def pressed(self, press: str, key: str) -> None:
        """No other key means anything."""

    def preview(self, key: str) -> None:
        """Show the whole description of an entry."""
        from fugue_tui_widgets.cell_preview import Shown

        size = self.screen.preview_size
        if size is None:
            return
        entry, _ = self._entries.get(key, (None, None))
        lines = list(_about(entry, size.width)) if entry is not None else []
        self.screen.show_preview(Shown([_row(line) for line in lines], title=entry.name[:60] if entry else ""))

    def _show(self, *, anew: bool = False) -> None:
        from fugue_tui_widgets.row_list import ListRow

        if not self.screen.is_attached:
            return
        self._entries.clear()
        servers = self._app.mux.mcp_servers.all()
        if not servers:
            rows = [ListRow("", ((f" {line}", "dim"),)) for line in _NO_SERVER]
        elif self._text.strip():
            rows = self._matches()
        else:
            rows = [*self._recent_rows(), *self._rows()]
        count = sum(bool(row.key) for row in rows)
        title = f"MCP tools: {count}" if servers else "no MCP server"
        first = next((row.key for row in rows if row.key), "")
        stays = not anew and self.screen.key not in ("", self._first)  # Where the user has moved the cursor.
        self._first = first
        self.screen.show_rows(rows, title, "" if stays else first)
        self.preview(self.screen.key)

    def _offered(self) -> Iterator[tuple[str, list[Entry]]]:
        """The servers with what they offer in the scope."""
        servers, kinds = self._app.mux.mcp_servers, _SCOPES[self._scope][1]
        for name in sorted(servers.all()):
            catalog = servers.status(name).catalog
            offered = (*catalog.tools, *catalog.prompts, *catalog.resources)
            yield name, [_entry(self._app, name, each) for each in offered if type(each) in kinds]

    def _rows(self) -> "Iterator[ListRow]":
        from fugue_tui_widgets.row_list import ListRow

        for name, entries in self._offered():
            status = self._app.mux.mcp_servers.status(name)
            state = status.shown.value if status.shown is not ServerState.CONNECTED else status.catalog.fault
            summary = f"{status.catalog.title}  {status.reason or state}".strip()
            yield ListRow("", ((name, "heading"), (f"  {summary}", "dim")))
            yield from map(self._row, entries)

    def _recent_rows(self) -> "Iterator[ListRow]":
        from fugue_tui_widgets.row_list import ListRow

        kinds = _SCOPES[self._scope][1]
        recent = [each for each in self._recent if type(each.entry.what) in kinds][:5]
        if recent:
            yield ListRow("", (("recent", "heading"),))
        for number, each in enumerate(recent):
            key = f"recent {number}"
            self._entries[key] = each.entry, each.written
            with_values = ", ".join(f"{path[-1]}={value[:30]}" for path, value in each.written.items() if value)
            name = f"  {each.entry.server}: {each.entry.name}"
            yield ListRow(key, ((name, ""), (f"  {with_values}", "dim")))

    def _matches(self) -> "list[ListRow]":
        matcher = Matcher(self._text.strip())
        scored = [(_score(matcher, entry), entry) for _, entries in self._offered() for entry in entries]
        found = sorted(((score, entry) for score, entry in scored if score > 0), key=lambda pair: -pair[0])
        return [self._row(entry, with_server=True) for _, entry in found]

    def _row(self, entry: Entry, *, with_server: bool = False) -> "ListRow":
        from fugue_tui_widgets.row_list import ListRow

        self._entries[entry.key] = entry, None
        server = f"{entry.server}: " if with_server else "  "
        effect = "" if entry.effect == "read" else f"  {entry.effect}"
        tone = "match" if entry.effect == "destroy" else "dim"
        return ListRow(entry.key, ((server, "dim"), (entry.name, ""), (effect, tone), (f"  {entry.words}", "dim")))


def _entry(app: AppContext, server: str, what: Tool | Prompt | Resource) -> Entry:
    effect = app.mux.mcp_servers.effect(server, what.name).value if isinstance(what, Tool) else "read"
    return Entry(server, what, effect)


def _score(matcher: Matcher, entry: Entry) -> float:
    """How well an entry matches: its name before a fuzzy match of it, and that before words of what it does."""
    query, name = matcher.query.casefold(), f"{entry.server} {entry.name}".casefold()
    words = query.split()
    if all(word in name for word in words):
        return 10 + matcher.match(entry.name)
    fuzzy = matcher.match(entry.name)
    searched = f"{name} {entry.words.casefold()}"
    return fuzzy if fuzzy > 0 else 0.01 * all(word in searched for word in words)


def _about(entry: Entry, width: int) -> Iterator[str]:
    """The description of an entry, in lines."""
    kind = type(entry.what).__name__.lower()
    yield from wrap(f"{kind} of {entry.server}, {entry.effect}", width)
    yield ""
    for line in (entry.what.description or entry.words).splitlines()[:40]:
        yield from wrap(line, width) or [""]
    for field in entry.form:
        yield ""
        yield from wrap(f"{field.label}{' *' if field.required else ''}: {field.hint}", width)
        yield from wrap(field.description, width, initial_indent="  ", subsequent_indent="  ")


def _row(line: str) -> Row:
    from fugue_tui.terminal.screen.cells import Style

    return Row((Run(line, Style(), columns(line)),))


def _variables(uri: str) -> list[str]:
    """The variables of a URI template (RFC 6570)."""
    parts = [each.partition("}")[0] for each in uri.split("{")[1:]]
    return list(dict.fromkeys(name.strip("+#./;?&*") for part in parts for name in part.split(",") if name))


def _filled(uri: str, arguments: Mapping[str, Any]) -> str:
    """A URI template with its variables replaced; other characters than those of names are percent-encoded."""
    from urllib.parse import quote

    head, *parts = uri.split("{")
    filled = head
    for part in parts:
        names, _, rest = part.partition("}")
        operator = names[:1] if names[:1] in "+#./;?&" else ""
        safe = "/:?#[]@!$&'()*+,;=" if operator in ("+", "#") else ""
        values = [(name.strip("+#./;?&*"), name) for name in names.split(",")]
        written = [quote(str(arguments.get(name, "")), safe=safe) for name, _ in values]
        if operator in ("?", "&"):
            pairs = [f"{name}={value}" for (name, _), value in zip(values, written, strict=True)]
            filled += operator + "&".join(pairs) + rest
        else:
            filled += (operator if operator in ("#", ".", "/", ";") else "") + ",".join(written) + rest
    return filled


def _words(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or clean(str(error))


def _fail(reading: "asyncio.Future[str]", error: str) -> None:
    reading.set_exception(ValueError(error))
