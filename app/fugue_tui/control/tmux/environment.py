"""The commands of tmux that set and show variables for new panes.

To set one is to decide what runs in those panes (PATH, LD_PRELOAD), so it needs what running something in the panes of
its sessions needs; and what a program sets without the user's consent holds only in panes that the program opens.
"""

import re
from collections.abc import Iterable
from functools import partial
from typing import Final

from fugue_tui.control.core.command import Effect, StartedCommand
from fugue_tui.control.core.new_pane import environment
from fugue_tui.control.dispatch.policy import Decision, is_made_by, rule
from fugue_tui.control.tmux.call import Call, Translation
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer.tmux_environment import GLOBAL
from fugue_tui.sanitize import clean
from fugue_tui.workspace.secret_filter import SecretFilter

_QUOTED: Final = re.compile(r'[$`"\\]')


def set_environment(call: Call) -> Translation:
    """A variable of new panes. Raises InvalidArgument, NotFound and Refused."""
    if not 1 <= len(call.words) <= 2:
        raise InvalidArgument("command set-environment: requires a variable and its value")
    name, given = call.words[0], call.words[1:]
    if not name:
        raise InvalidArgument("empty variable name")
    if "=" in name:
        raise InvalidArgument("variable name contains =")
    for flag in ("u", "r"):
        if call.has(flag) and given:
            raise InvalidArgument(f"can't specify a value with -{flag}")
    scope = _scope(call)
    reached = _panes(call, scope)
    owner = owner_of(call, reached)
    if call.has("u"):
        return Translation(act=partial(call.mux.tmux_environment.remove, scope, owner, name), targets=reached)
    if not given and not call.has("r"):
        raise InvalidArgument("no value specified")
    value = call.expanded(given[0], call.targets.pane()) if given and call.has("F") else next(iter(given), None)
    env = environment({name: value or ""})
    return Translation(
        act=partial(call.mux.tmux_environment.set, scope, owner, name, value),
        targets=reached,
        started=(StartedCommand((), env=env),),
    )


def show_environment(call: Call) -> Translation:
    """The variables of new panes, without those that others have set and that may be secret. Raises InvalidArgument and
    NotFound."""
    if len(call.words) > 1:
        raise InvalidArgument("command show-environment: requires at most one variable")
    scope, origin, set_here = _scope(call), call.origin, call.mux.tmux_environment
    values, unset = call.mux.client_environment.of_new_pane() if scope != GLOBAL else ({}, ())
    found: dict[str, str | None] = {**values, **dict.fromkeys(unset), **set_here.layer(scope, "")}
    if not origin.kind.acts_for_user:
        secret = SecretFilter(call.mux.secrets).secret
        found = {name: value for name, value in found.items() if not secret(name)}
    found |= set_here.layer(scope, origin.owner)
    wanted = call.words[0] if call.words else ""
    if wanted and wanted not in found:
        raise NotFound(f"unknown variable: {clean(wanted, 60)}")
    line = _for_shell if call.has("s") else _line
    lines = [line(name, found[name]) for name in ([wanted] if wanted else sorted(found))]
    return Translation((), lambda results: lines)


def owner_of(call: Call, reached: Iterable[PaneId]) -> str:
    """Whose new panes get what a call sets; empty for all: the user's call, or one that the user or the configuration
    allows for the panes of others."""
    origin = call.origin
    if rule(call.mux.permissions, origin.kind, Effect.RUN) is Decision.ALLOW:
        return ""
    return origin.owner if all(is_made_by(call.mux, pane, origin.owner) for pane in reached) else ""


def _scope(call: Call) -> str:
    return GLOBAL if call.has("g") else call.targets.session(call.value("t"))


def _panes(call: Call, scope: str) -> tuple[PaneId, ...]:
    """The panes of the sessions whose new panes get a variable."""
    windows = call.mux.workspace.windows if scope == GLOBAL else call.targets.windows(scope)
    return tuple(pane for window in windows for pane in panes(window.layout))


def _line(name: str, value: str | None) -> str:
    return f"-{name}" if value is None else f"{name}={value}"


def _for_shell(name: str, value: str | None) -> str:
    if value is None:
        return f"unset {name};"
    quoted = _QUOTED.sub(r"\\\g<0>", value)
    return f'{name}="{quoted}"; export {name};'
