"""A shell beside your own widgets: `Terminal` is a drop-in for textual-terminal's widget of that name."""

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Footer, Header, Static

from fugue_tui_widgets.terminal import Terminal


class ShellInYourApp(App[None]):
    """Two terminals and a note."""

    TITLE = "A shell in your app"
    CSS = """
    Terminal { width: 2fr; border: round $primary; }
    Terminal:focus { border: round $accent; }
    Static { width: 1fr; padding: 1 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+f2", "quit", "Quit")]

    def compose(self) -> ComposeResult:
        """A header, a shell and a note, a footer."""
        yield Header()
        with Horizontal():
            yield Terminal(command="bash --norc", default_colors="textual", id="shell")
            yield Static("Type in the shell.\n\nCtrl+F1 gives the focus back to the app.")
        yield Footer()

    def on_ready(self) -> None:
        """Start once there is a size to start at."""
        self.query_one("#shell", Terminal).start()

    def on_terminal_ended(self, event: Terminal.Ended) -> None:
        """Say how the shell ended."""
        self.notify(f"The shell ended: {event.exit.words}")


if __name__ == "__main__":
    ShellInYourApp().run()
