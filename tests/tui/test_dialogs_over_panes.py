"""Below a dialog the panes stay visible, whoever reads the screen first: the compositor or a test."""

from tests.tui.conftest import Open
from tests.tui.conftest import open_stage as open_stage

from fugue_tui_widgets.dialogs import Confirm


async def test_panes_are_visible_below_a_dialog_that_a_timer_opened_and_that_was_read_before_it_was_drawn(
    open_stage: Open,
) -> None:
    """Textual keeps what it draws below a dialog, which was nothing where no screens were named."""
    async with open_stage("sh", "-c", "echo below; exec cat") as stage:
        await stage.until_text("below")
        await stage.until(lambda: "below" in stage.text)
        stage.app.set_timer(0.001, lambda: stage.app.push_screen(Confirm("Really?")) and None)
        await stage.until(lambda: "Really?" in stage.text)
        stage.app.screen.refresh()
        for _ in range(2):
            assert "below" in stage.text
            await stage.pilot.pause()
