"""Has a workspace saved, where this user's things are saved. Imports what that needs, so it is loaded late."""

from collections.abc import Callable

from fugue_tui.config.model import SessionSettings
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.autosave.saver import Saver
from fugue_tui.multiplexer.autosave.writer import Recorder
from fugue_tui.store.store import Store, state_dir


def keep(mux: Multiplexer, settings: SessionSettings, inform: Callable[[str], None]) -> Saver:
    """Give a workspace what saves it, which has not begun yet; what goes wrong with that is told by `inform`."""
    mux.saver = saver = Saver(mux, Recorder(Store(state_dir()), settings, _resume), settings)
    saver.on_news.connect(inform)
    return saver


def _resume(argv: tuple[str, ...], pid: int, cwd: str) -> tuple[str, ...]:
    from fugue_tui.control.restore.agent_resume import (
        resume_argv,  # It takes 10 ms to load, which the saver's thread has.
    )

    return resume_argv(argv, pid, cwd)
