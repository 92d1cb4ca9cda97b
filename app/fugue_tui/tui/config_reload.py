"""Applies the configuration at the start and whenever its file changes, and reports its errors."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from fugue_tui.config import model
from fugue_tui.config.model import Bindings, ClaudeSettings, Config, HookSettings
from fugue_tui.config.servers import Servers, described
from fugue_tui.config.status import StatusSettings
from fugue_tui.config.values import toml
from fugue_tui.control import hooks
from fugue_tui.control.core.command import Effect
from fugue_tui.control.core.deferred import spawn
from fugue_tui.control.dispatch.policy import loosened, tightened
from fugue_tui.control.keymap import Keymap, is_harmless, keymap
from fugue_tui.errors import ConfigError, Refused
from fugue_tui.multiplexer.access.approvals import Question
from fugue_tui.multiplexer.access.grants import Grantee, Scope
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.sanitize import clean
from fugue_tui.tui.app_context import ServerContext
from fugue_tui.workspace.model import OnExit

POLL_SECONDS: Final = 2.0
"""How often the file is polled."""
_CLIPBOARD: Final = ("off", "ask", "on")
_RERUN: Final = ("never", "shells", "all")
_LOOSEN_SECONDS: Final = 86_400.0
"""How long it waits for the user's approval that the file loosens the rules for agents."""


def without_risks(old: Config, new: Config) -> tuple[Config, list[str]]:
    """A configuration without changes by which a file could run commands or let programs do more, and these in lines.

    They are bindings that do more than arrange, a prefix that is typed as text, the shell, the clipboard, what runs
    again by itself, and what is done about agents."""
    lines, keys, terminal, session = list[str](), new.keys, new.terminal, new.session
    if keys.prefix != old.keys.prefix and len(keys.prefix) == 1:
        lines.append(f"[keys] prefix = {keys.prefix!a}")
        keys = replace(keys, prefix=old.keys.prefix)
    for name in ("bindings", "direct"):
        bindings, held = _without_risky(getattr(old.keys, name), getattr(keys, name), f"keys.{name}", is_harmless)
        keys = replace(keys, **{name: bindings})
        lines += held
    on, held = _without_risky(old.hooks.on, new.hooks.on, "hooks.on", hooks.is_harmless)
    lines += held
    if terminal.shell != old.terminal.shell:
        lines.append(f"[terminal] shell = {list(terminal.shell)!a}")
        terminal = replace(terminal, shell=old.terminal.shell)
    if _CLIPBOARD.index(terminal.clipboard) > _CLIPBOARD.index(old.terminal.clipboard):
        lines.append(f"[terminal] clipboard = {terminal.clipboard!a}")
        terminal = replace(terminal, clipboard=old.terminal.clipboard)
    status, commands = _without_new_commands(old.status, new.status)
    lines += commands
    claude, loosened = _without_more_tags(old.claude, new.claude)
    lines += loosened
    if _RERUN.index(session.rerun) > _RERUN.index(old.session.rerun):
        lines.append(f"[session] rerun = {session.rerun!a}")
        session = replace(session, rerun=old.session.rerun)
    agents = new.agents
    if agents.monitor != old.agents.monitor and agents.monitor.active:
        lines.append(f"[agents.monitor] {clean(agents.monitor.described())}")
        agents = replace(agents, monitor=old.agents.monitor)
    servers, added = _without_new_servers(old.mcp.servers, new.mcp.servers)
    lines += added
    new = replace(new, mcp=replace(new.mcp, servers=servers))
    kept = replace(new, keys=keys, hooks=HookSettings(on=on), terminal=terminal, session=session, status=status)
    return replace(kept, claude=claude, agents=agents), lines


def _without_risky(
    before: Bindings, after: Bindings, section: str, harmless: Callable[[str | tuple[str, ...]], bool]
) -> tuple[Bindings, list[str]]:
    """Bindings or hooks without the new ones that do more than arrange, and these in lines."""
    risky = {key for key, line in after.items() if line != before.get(key) and not harmless(line)}
    lines = [f"[{section}] {clean(key)} = {ascii(toml(after[key]))[1:-1]}" for key in sorted(risky)]
    bindings = {key: line for key, line in after.items() if key not in risky}
    kept = {key: before[key] for key in risky if key in before}
    return MappingProxyType(bindings | kept), lines


def _without_new_commands(old: StatusSettings, new: StatusSettings) -> tuple[StatusSettings, list[str]]:
    """The status bar without commands that are new or run something else, and these in lines."""
    changed = {
        name for name, each in new.commands.items() if (was := old.commands.get(name)) is None or was.run != each.run
    }
    lines = [f"[status.commands.{clean(name)}] run = {list(new.commands[name].run)!a}" for name in sorted(changed)]
    kept = {name: old.commands[name] for name in changed if name in old.commands}
    commands = {name: each for name, each in new.commands.items() if name not in changed} | kept
    return replace(new, commands=MappingProxyType(commands)), lines


def _without_new_servers(old: Servers, new: Servers) -> tuple[Servers, list[str]]:
    """MCP servers without those that are new or differ, and these in lines."""
    changed = {name for name, each in new.items() if old.get(name) != each}
    lines = [f"[mcp.servers.{clean(name)}] {clean(toml(described(new[name])), 2_000)}" for name in sorted(changed)]
    kept = {name: old[name] for name in changed if name in old}
    return MappingProxyType({name: each for name, each in new.items() if name not in changed} | kept), lines


def _without_more_tags(old: ClaudeSettings, new: ClaudeSettings) -> tuple[ClaudeSettings, list[str]]:
    """Settings that let no more programs print tags than before, and what is left out, in lines."""
    before, after = old.communication, new.communication
    looser = {
        "sideband_enabled": after.sideband_enabled and not before.sideband_enabled,
        "prefer": after.prefer == "sideband" != before.prefer,
        "require_key": before.require_key and not after.require_key,
        "panes": bool(set(after.panes) - set(before.panes)),
    }
    kept = {name: getattr(before, name) for name, is_looser in looser.items() if is_looser}
    lines = [f"[claude.communication] {name} = {toml(getattr(after, name))}" for name in kept]
    return replace(new, communication=replace(after, **kept)), lines


def brief(fault: str, file: Path | None) -> str:
    """A fault as the status bar shows it: with the name of the file instead of its path."""
    return fault.replace(clean(str(file)), file.name, 1) if file is not None else fault


class ConfigWatch:
    """Polls one file; on a fault the old configuration stays. Main thread only."""

    def __init__(self, file: Path, on_change: Callable[[Config], None], on_fault: Callable[[str], None]) -> None:
        self._file = file
        self._on_change = on_change
        self._on_fault = on_fault
        self._stamp = model.stamp(file)
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start polling."""
        self._timer = asyncio.get_running_loop().call_later(POLL_SECONDS, self._poll)

    def stop(self) -> None:
        """Stop polling."""
        if self._timer is not None:
            self._timer.cancel()

    def _poll(self) -> None:
        self.start()
        self.poll()

    def poll(self) -> None:
        """Read the file if it has changed."""
        stamp = model.stamp(self._file)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._on_change(model.load(self._file))
        except ConfigError as error:
            faults = "; ".join(brief(fault, self._file) for fault in error.faults)
            self._on_fault(f"{faults}; the old configuration stays")


class ConfigApplier:
    """Applies a configuration to keys, panes and the saver. Main thread only."""

    def __init__(self, app: ServerContext, config: Config, launcher: Launcher | None) -> None:
        self._app = app
        self._launcher = launcher
        self._watch: ConfigWatch | None = None
        self.file = model.path()
        """The file that the configuration is read from."""
        self._loosening: asyncio.Task[None] | None = None
        self._default_colours: dict[bool, int] = {}
        self.keymap, self._faults = self._keys(config)

    def _keys(self, config: Config) -> tuple[Keymap, list[str]]:
        keys, faults = keymap(config.keys)
        return keys, [*faults, *hooks.faults(config.hooks)]

    def watch(self, file: Path | None, faults: Sequence[str]) -> None:
        """Watch the file; its `faults` are reported with the first screen."""
        self._faults += [brief(fault, file) for fault in faults]
        self.file = file or self.file
        self._watch = ConfigWatch(file, self.change, self._app.warn) if file is not None else None

    def report_faults(self) -> None:
        """Report the errors in the configuration to the first client."""
        if self._faults:
            more = f" (1 of {len(self._faults)} mistakes; see fugue-tui config check)" if len(self._faults) > 1 else ""
            self._app.inform(self._faults[0] + more)

    def begin(self) -> None:
        """Start watching."""
        if self._watch is not None:
            self._watch.start()

    def change(self, config: Config) -> None:
        """Apply another configuration; what it lets others do more waits for the user's approval."""
        old = self._app.settings
        used = replace(old, mcp=replace(old.mcp, servers=self._app.mux.permissions.servers))
        safe, held = without_risks(used, config)
        audit = self._app.dispatcher.audit
        audit.record_event("config", None, ", ".join(model.changed_keys(old, config)))
        self._apply(safe)
        self._change_permissions(config, held)
        audit.required = self._app.mux.permissions.audit_required
        if self._faults:
            self._app.warn(self._faults[0])
        else:
            self._app.alert("configuration reloaded")

    def _apply(self, config: Config) -> None:
        """Engine, shell and scrollback affect new panes only."""
        self.keymap, self._faults = self._keys(config)
        if self._launcher is not None:
            self._launcher.configure(config.terminal)
            self._allow_images()
        self._app.mux.on_exit = OnExit(config.terminal.on_exit)
        if self._app.mux.saver is not None:
            self._app.mux.saver.configure(config.session)
        self._app.mux.rerun = config.session.rerun
        self._app.mux.client_environment.names = config.session.update_environment
        self._app.mux.tmux_options.configure(self._app.mux.socket if config.agents.tmux_shim else "")
        self._app.mux.sideband.settings = config.claude.communication
        self._app.mux.agents.set_rules(config.agents.monitor)
        self._app.apply_config(config, self.keymap)

    def _change_permissions(self, config: Config, held: Sequence[str]) -> None:
        """Tighten what agents may do at once, and loosen it, with what is held, once the user has approved that."""
        mux = self._app.mux
        lines = [*loosened(mux.permissions, config.mcp), *held]
        if dropped := [name for name in mux.secrets if name not in config.session.secrets]:
            lines.append(f"[session] secrets without {', '.join(map(clean, dropped))}")
        servers, _ = _without_new_servers(mux.permissions.servers, config.mcp.servers)
        mux.permissions = replace(tightened(mux.permissions, config.mcp), servers=servers)
        mux.secrets = (*config.session.secrets, *dropped)
        mux.on_permissions()
        mux.approvals.review()
        if self._loosening is not None:
            self._loosening.cancel()
            self._loosening = None
        if lines:
            self._loosening = spawn(self._loosen(config, lines))

    async def _loosen(self, config: Config, lines: Sequence[str]) -> None:
        mux = self._app.mux
        grantee = Grantee("the configuration", "", "the configuration file")
        effects = frozenset((Effect.ADMIN.value,))
        question = Question(grantee, effects, (), "\n".join(lines), "", (Scope.ONCE,))
        try:
            await mux.approvals.ask(question, _LOOSEN_SECONDS)
        except Refused as error:
            self._app.warn(f"the configuration stays as it was in part: {error}")
            return
        mux.permissions, mux.secrets = config.mcp, config.session.secrets
        self._app.dispatcher.audit.required = config.mcp.audit_required
        self._apply(config)
        mux.on_permissions()
        mux.approvals.review()

    def set_graphics(self, *, shown: bool, cell: tuple[int, int]) -> None:
        """Whether a client shows images, and the size of its cells in pixels, which programs can query."""
        if self._launcher is not None:
            self._launcher.graphics = replace(self._launcher.graphics, shown=shown, cell=cell)
            self._allow_images()

    def _allow_images(self) -> None:
        if self._launcher is not None:
            for terminal in self._app.mux.terminals.values():
                terminal.set_graphics(self._launcher.graphics)

    def set_default_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        """A default colour of the latest client's terminal, which programs can query."""
        self._default_colours[foreground] = int.from_bytes(bytes(colour), "big")
        if len(self._default_colours) == 2 and self._launcher is not None:
            self._launcher.colours = colours = (self._default_colours[True], self._default_colours[False])
            for terminal in self._app.mux.terminals.values():
                terminal.set_colours(*colours)
