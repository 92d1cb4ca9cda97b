"""Resolves targets: the words by which callers name a pane, a window or a session.

A pane: `active`, `self`, `focused`, `marked`, `last`, `next`, `previous`, `left`, `right`, `up`, `down`, `%3`, `3`, or
a name; names are unique in a session, and those of the caller's session come first.
A window: `active`, `self`, `focused`, `last`, `next`, `previous`, `@2`, `2`, `:1` (the first tab), a name, a pane's id;
tabs, and what is last, next and previous, are those of the caller's session.
A session: `active`, `last`, `next`, `previous` or its name. `active` is the caller's own pane where it has one, and the
focused pane for the user: never the focused pane for a program that runs in another one.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Annotated, Final, TypeVar

from msgspec import Meta

from fugue_tui.control.core.command import Kind, Origin
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.geometry import Side
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.workspace import find
from fugue_tui.workspace.model import Window, Workspace

ACTIVE: Final = "active"
"""The default target."""
MARKED: Final = "marked"
"""The pane that the user has marked."""
LONGEST_NAME: Final = 64
"""Characters that a pane's, window's or session's name may have."""

WaitForUser = Annotated[float, Meta(ge=0, le=110)]
"""Seconds for which an agent's input waits until the user leaves the pane; 0 refuses it at once."""
T = TypeVar("T")
_WORDS: Final = frozenset({ACTIVE, MARKED, "self", "focused", "last", "next", "previous", *Side})
_Id = TypeVar("_Id", PaneId, WindowId)
_PANE: Final = re.compile(r"%?(\d{1,9})", re.ASCII)
_WINDOW: Final = re.compile(r"@?(\d{1,9})", re.ASCII)
_TAB: Final = re.compile(r":(\d{1,4})", re.ASCII)


def named(name: str) -> str:
    """A name, cleaned to one line. Raises InvalidArgument if it is too long or would be parsed as a target."""
    if len(name) > LONGEST_NAME:
        raise InvalidArgument(f"name: {len(name)} characters are too many; {LONGEST_NAME} fit")
    label = visible_word(name, "name")
    if is_target(label):
        raise InvalidArgument(f"name: {label} would be read as a target; choose another")
    return label


def visible_word(text: str, where: str) -> str:
    """A text on one line, cleaned; empty only if it was. Raises InvalidArgument if nothing printable is left."""
    label = clean(text)
    if text and not label:
        raise InvalidArgument(f"{where}: nothing printable is left of it; use letters and digits")
    return label


def is_target(name: str) -> bool:
    """Whether a name would be parsed as another target."""
    return name in _WORDS or re.fullmatch(r"[%@:]?\d+", name) is not None


def pane(mux: Multiplexer, target: str, origin: Origin, *, source: PaneId | None = None) -> PaneId:
    """The pane that a target names, with the text of one that Fugue itself draws up to date; sides start from
    `source`, or the caller's own pane. Raises NotFound or InvalidArgument."""
    found = _pane(mux, target, origin, source)
    mux.contents.refresh(found)
    return found


def _pane(mux: Multiplexer, target: str, origin: Origin, source: PaneId | None) -> PaneId:
    word = target.strip()
    match word:
        case "" | "active" | "self":
            return _own(mux, origin, strict=word == "self")
        case "focused":
            return _focused(mux)
        case "marked":
            return _marked(mux)
        case "last":
            return _last(mux)
        case "next" | "previous":
            return _along(mux, source or _own(mux, origin), 1 if word == "next" else -1)
        case "left" | "right" | "up" | "down":
            return _beside(mux, source or _own(mux, origin), Side(word))
        case _:
            return _named_pane(mux, word, origin)


def pane_to_close(mux: Multiplexer, target: str, origin: Origin) -> PaneId:
    """The pane to close: an agent must give its exact id."""
    _exact(target, origin, "%3", "list-panes")
    return pane(mux, target, origin)


def typed_pane(mux: Multiplexer, target: str, origin: Origin) -> PaneId:
    """The pane to type into, which an agent must name: its own has its own prompt."""
    if target.strip() in ("", ACTIVE) and origin.pane is None and origin.is_agent:
        raise InvalidArgument("pane: name the one to type into; list-panes shows what is open")
    if target.strip() in ("", ACTIVE) and origin.kind is Kind.AGENT:
        raise Refused(
            f"{origin.pane} is your own pane: this would be typed into your own input; name another pane, or self to "
            "do that"
        )
    return pane(mux, target, origin)


def window(mux: Multiplexer, target: str, origin: Origin) -> Window:
    """The window that a target names. Raises NotFound or InvalidArgument."""
    word = target.strip()
    match word:
        case "" | "active" | "self":
            return mux.window_of(_own(mux, origin, strict=word == "self"))
        case "focused":
            return mux.window_of(_focused(mux))
        case "last":
            return _last_window(mux, origin)
        case "next" | "previous":
            return _round(_tabs(mux, origin), mux.window_of(_own(mux, origin)), 1 if word == "next" else -1)
        case _:
            return _named_window(mux, word, origin)


def window_in(workspace: Workspace, session: str) -> Window:
    """The window of a session that was active last, or its first."""
    mine = {window.id: window for window in workspace.windows if window.session == session}
    seen = (workspace.active, *workspace.recent)
    return next((mine[window] for window in seen if window in mine), next(iter(mine.values())))


def window_to_close(mux: Multiplexer, target: str, origin: Origin) -> Window:
    """The window to close: an agent must give its exact id."""
    _exact(target, origin, "@2", "list-windows")
    return window(mux, target, origin)


def session(mux: Multiplexer, target: str, origin: Origin) -> str:
    """The name of the session that a target names. Raises NotFound."""
    word, names = target.strip(), tuple(dict.fromkeys(window.session for window in mux.workspace.windows))
    match word:
        case "" | "active":
            return mux.window_of(_own(mux, origin)).session
        case "next" | "previous":
            return _round(names, mux.window_of(_own(mux, origin)).session, 1 if word == "next" else -1)
        case "last":
            return _last_session(mux, origin)
        case _ if word in names:
            return word
        case _:
            raise NotFound(f"no session {clean(word)}; list-sessions shows what there is")


def session_to_kill(mux: Multiplexer, target: str, origin: Origin) -> str:
    """The session to kill: an agent must name it."""
    if origin.is_agent and target.strip() in ("", ACTIVE, "last", "next", "previous"):
        raise Refused("an agent must name the session to kill; list-sessions shows what there is")
    return session(mux, target, origin)


def _exact(target: str, origin: Origin, example: str, listing: str) -> None:
    if origin.is_agent and not re.fullmatch(rf"{example[0]}\d+", target.strip(), re.ASCII):
        raise Refused(f"an agent must give the exact id, such as {example}, of what it ends; {listing} shows the ids")


def _own(mux: Multiplexer, origin: Origin, *, strict: bool = False) -> PaneId:
    if origin.pane is not None and origin.pane in mux.workspace.panes:
        return origin.pane
    if origin.pane is not None and origin.is_agent:
        raise NotFound(f"your own pane {origin.pane} is closed; name a pane, list-panes shows what is open")
    if strict and not origin.is_user:
        raise NotFound("you are in no pane of this workspace; name one, list-panes shows what is open")
    return _focused(mux)


def _focused(mux: Multiplexer) -> PaneId:
    focused = mux.focused
    if focused is None:
        raise NotFound("no pane is open; create-pane opens one")
    return focused


def _last(mux: Multiplexer) -> PaneId:
    last = mux.last_pane
    if last is None:
        raise NotFound("no other pane had the focus yet; list-panes shows what is open")
    return last


def _marked(mux: Multiplexer) -> PaneId:
    marked = mux.user_options.marked
    if marked is None:
        raise NotFound("no pane is marked; mark-pane marks one, or name a pane")
    return marked


def _last_window(mux: Multiplexer, origin: Origin) -> Window:
    """The window of the caller's session that was active before the latest one."""
    tabs = {window.id: window for window in _tabs(mux, origin)}
    seen = [tabs[window] for window in (mux.workspace.active, *mux.workspace.recent) if window in tabs]
    if len(seen) < 2:
        session = clean(next(iter(tabs.values())).session)
        raise NotFound(f"no other window of session {session} was in front yet; list-windows shows what is open")
    return seen[1]


def _last_session(mux: Multiplexer, origin: Origin) -> str:
    """The session that was shown before the caller's."""
    own, by_id = mux.window_of(_own(mux, origin)).session, {window.id: window for window in mux.workspace.windows}
    seen = (by_id[window].session for window in (mux.workspace.active, *mux.workspace.recent) if window in by_id)
    found = next((session for session in seen if session != own), None)
    if found is None:
        raise NotFound("no other session was shown yet; list-sessions shows what there is")
    return found


def _along(mux: Multiplexer, source: PaneId, step: int) -> PaneId:
    return _round(list(panes(mux.window_of(source).layout)), source, step)


def _tabs(mux: Multiplexer, origin: Origin) -> tuple[Window, ...]:
    """The windows of the caller's session, in the order of their tabs."""
    session = mux.window_of(_own(mux, origin)).session
    return tuple(window for window in mux.workspace.windows if window.session == session)


def _round(order: Sequence[T], present: T, step: int) -> T:
    """The item some steps after the present one, cyclically."""
    return order[(order.index(present) + step) % len(order)]


_WHERE: Final = {Side.LEFT: "left of", Side.RIGHT: "right of", Side.UP: "above", Side.DOWN: "below"}


def _beside(mux: Multiplexer, source: PaneId, side: Side) -> PaneId:
    found = mux.neighbour(source, side)
    if found is None:
        raise NotFound(f"no pane {_WHERE[side]} {source}; get-layout shows where panes are")
    return found


def _named_pane(mux: Multiplexer, word: str, origin: Origin) -> PaneId:
    """The pane with that id or name; of several, that of the caller's session."""
    if match := _PANE.fullmatch(word):
        return find.pane_of(mux.workspace, PaneId(match[1])).id
    found = [pane.id for pane in mux.workspace.panes.values() if pane.name == word]
    if len(found) > 1:
        with suppress(NotFound):
            session = mux.window_of(_own(mux, origin)).session
            found = [pane for pane in found if mux.window_of(pane).session == session] or found
    return _one(found, "pane", word)


def _named_window(mux: Multiplexer, word: str, origin: Origin) -> Window:
    """The window with that id, tab number or name, or of that pane."""
    windows = mux.workspace.windows
    if word.startswith("%"):
        return mux.window_of(pane(mux, word, origin))
    if match := _WINDOW.fullmatch(word):
        return mux.window(WindowId(match[1]))
    if match := _TAB.fullmatch(word):
        tabs = _tabs(mux, origin)
        if not 1 <= int(match[1]) <= len(tabs):
            raise NotFound(f"no tab {word}; session {clean(tabs[0].session)} has {len(tabs)}, from :1")
        return tabs[int(match[1]) - 1]
    return mux.window(_one((window.id for window in windows if window.name == word), "window", word))


def _one(found: Iterable[T], kind: str, word: str) -> T:
    several = list(found)
    if not several:
        raise NotFound(f"no {kind} {clean(word)}; list-{kind}s shows what is open")
    if len(several) > 1:
        raise InvalidArgument(f"{clean(word)} names {len(several)} {kind}s: {', '.join(map(str, several))}; use an id")
    return several[0]
