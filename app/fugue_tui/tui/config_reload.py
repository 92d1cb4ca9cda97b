"""Brings a configuration into force, at the start and whenever the file changes."""

from collections.abc import Sequence
from pathlib import Path

from fugue_tui.config.model import Config
from fugue_tui.control.core.command import Effect
from fugue_tui.control.dispatch.policy import Policy, policy
from fugue_tui.control.keymap import Keymap, keymap
from fugue_tui.multiplexer.spawner import Launcher
from fugue_tui.tui.app_context import Wearer
from fugue_tui.tui.config_watch import Following, brief
from fugue_tui.workspace.model import OnExit


class Outfit:
    """What the configuration decides besides the look. Main thread only."""

    def __init__(self, app: Wearer, config: Config, launcher: Launcher | None) -> None:
        self._app = app
        self._launcher = launcher
        self._following: Following | None = None
        self._host_colours: dict[bool, int] = {}
        self.keymap, self._faults = self._keys(config)

    def _keys(self, config: Config) -> tuple[Keymap, list[str]]:
        keys, faults = keymap(config.keys)
        return keys, list(faults)

    def follow(self, file: Path | None, faults: Sequence[str]) -> None:
        """Tell what was wrong in the configuration once there is a screen, and take what changes in the file."""
        self._faults += [brief(fault, file) for fault in faults]
        self._following = Following(file, self.change, self._app.alert) if file is not None else None

    def tell(self) -> None:
        """Say what is wrong in the configuration, to who looks first."""
        if self._faults:
            more = f" (1 of {len(self._faults)} mistakes; see fugue-tui config check)" if len(self._faults) > 1 else ""
            self._app.inform(self._faults[0] + more)

    def begin(self) -> None:
        """There is a screen now."""
        if self._following is not None:
            self._following.start()

    def change(self, config: Config) -> None:
        """Another configuration; a new engine, shell or scrollback holds for new panes."""
        self.keymap, self._faults = self._keys(config)
        if self._launcher is not None:
            self._launcher.equip(config.terminal)
        self._app.mux.on_exit = OnExit(config.terminal.on_exit)
        if self._app.mux.saver is not None:
            self._app.mux.saver.equip(config.session)
        self._app.mux.secrets, self._app.mux.rerun = config.session.secrets, config.session.rerun
        self._app.wear(config, self.keymap, policy_of(config))
        self._app.alert(self._faults[0] if self._faults else "configuration reloaded")

    def host_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        """Programs that ask for the default colours are told the host's own."""
        self._host_colours[foreground] = int.from_bytes(bytes(colour), "big")
        if len(self._host_colours) == 2 and self._launcher is not None:
            self._launcher.colours = colours = (self._host_colours[True], self._host_colours[False])
            for terminal in self._app.mux.terminals.values():
                terminal.set_colours(*colours)


def policy_of(config: Config) -> Policy:
    """What the configuration lets agents do."""
    return policy({effect.value: getattr(config.mcp, effect.value) for effect in Effect})
