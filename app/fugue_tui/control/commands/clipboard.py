"""What was copied in the workspace: list it, forget it, paste it adapted to the program that gets it."""

from datetime import datetime
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.control.commands.send_keys import MAX_TEXT, SendInput
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.deferred import Deferred, finished, is_deferred, run_task
from fugue_tui.control.core.send_input import Input, Sent, send
from fugue_tui.control.shell_exec.dialects import dialect_of
from fugue_tui.control.shell_exec.prompt_detection import running
from fugue_tui.control.shell_exec.smart_paste import Adapted, Lines, adapt
from fugue_tui.errors import NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.clipboard import MOST, CopySource
from fugue_tui.output_analysis.text_form import TextForm, form_of
from fugue_tui.sanitize import clean_text, visible
from fugue_tui.terminal.pty import process
from fugue_tui.workspace.secret_filter import SecretFilter

LONGEST: Final = 4_000
"""Characters of one entry that are listed."""


class CopiedText(Struct, frozen=True):
    """One text that was copied."""

    text: str
    """The text without secrets, at most 4,000 characters: untrusted."""
    characters: int
    """How many characters it has as a whole."""
    form: TextForm
    """What it looks like."""
    source: CopySource
    """selection (the user, with the mouse or in copy mode), program (with OSC 52) or command (set-buffer)."""
    pane: str
    """The pane that it was copied from, which may be closed; empty for none."""
    at: str
    """When, in local time."""


class ClipboardHistory(Struct, frozen=True):
    """What was copied, newest first."""

    entries: tuple[CopiedText, ...]
    """The texts."""


class ClipboardCleared(Struct, frozen=True):
    """The history is empty."""

    forgotten: int
    """How many entries it had."""


class Pasted(Struct, frozen=True):
    """What was pasted, or would be."""

    pane: str
    """The pane's id."""
    text: str
    """The text as pasted: untrusted."""
    form: TextForm
    """What the text looked like before."""
    changes: tuple[str, ...]
    """What was changed, in words."""
    sent: Sent | None = None
    """What was sent; null for a preview."""


class ClipboardContext(
    Command[ClipboardHistory], name="clipboard-context", effect=Effect.CLIPBOARD, toolset=Toolset.READING
):
    """List what was copied in this workspace, newest first, with the pane, the time and what it looks like.

    It holds what the user selected and what programs copied (OSC 52): 50 texts at most, in memory only, without
    secrets, and without what was copied while a pane hid its input. Agents need the user's permission each time, or a
    grant.
    """

    limit: Annotated[int, Meta(ge=1, le=MOST)] = 10
    """How many texts at most."""
    pane: str = ""
    """Only what was copied from this pane; omitted, from any."""

    def run(self, mux: Multiplexer, origin: Origin) -> ClipboardHistory:
        """The newest texts. Raises NotFound."""
        pane = target.pane(mux, self.pane, origin) if self.pane else None
        found = [each for each in mux.clipboard.entries if pane in (None, each.pane)][: self.limit]
        return ClipboardHistory(
            tuple(
                CopiedText(
                    text=clean_text(redacted(mux, each.text), LONGEST),
                    characters=len(each.text),
                    form=form_of(each.text),
                    source=each.source,
                    pane=str(each.pane or ""),
                    at=datetime.fromtimestamp(each.at).isoformat(" ", "seconds"),
                )
                for each in found
            )
        )


class ClearClipboard(
    Command[ClipboardCleared], name="clear-clipboard", effect=Effect.CLIPBOARD, user_only=True, repeatable=True
):
    """Forget what was copied in this workspace; the clipboard of your terminal is left alone."""

    def run(self, mux: Multiplexer, origin: Origin) -> ClipboardCleared:
        """How many entries were forgotten."""
        forgotten = len(mux.clipboard.entries)
        mux.clipboard.clear()
        return ClipboardCleared(forgotten)


class PasteSmart(
    Command[Pasted], name="paste-smart", effect=Effect.INPUT, also=Effect.CLIPBOARD, toolset=Toolset.RUNNING
):
    """Paste what was copied last, or a text, adapted to the program in a pane; nothing is run.

    JSON is formatted, paths and URLs are quoted for the shell, the `$ ` of a prompt, control characters and line breaks
    at the end are removed, and wrapped lines joined. The user sees the result first. As an agent, use preview for that;
    pasting what was copied needs the user's permission, or a grant.
    """

    pane: str = target.ACTIVE
    """The pane to paste into: an id or a name; agents must name it."""
    text: Annotated[str, Meta(max_length=MAX_TEXT)] = ""
    """The text; omitted, what was copied last."""
    lines: Lines = Lines.AUTO
    """What happens to line breaks: auto joins wrapped lines, keep, join, or split into a line for each word."""
    preview: bool = False
    """Whether to return the adapted text and paste nothing."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types in the pane; 0 refuses the call then."""

    @property
    def effects(self) -> frozenset[Effect]:
        """CLIPBOARD only without a text, INPUT only without a preview."""
        effects = ((Effect.CLIPBOARD, not self.text), (Effect.INPUT, not self.preview))
        return frozenset(effect for effect, holds in effects if holds) or frozenset((Effect.READ,))

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """The text before and after, unless only a preview is asked for."""
        if self.preview:
            return None
        call = self.pinned(mux, origin)
        pane = self._pane(mux, origin)
        adapted = call._adapted(mux, origin)
        heading = f"Paste into {pane}: {', '.join(adapted.changes) or 'unchanged'}"
        return Confirmation(heading, replace(call, pane=str(pane)), (visible(call.text), visible(adapted.text)))

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane, unless it is only a preview."""
        return () if self.preview else (self._pane(mux, origin),)

    def pinned(self, mux: Multiplexer, origin: Origin) -> "PasteSmart":
        """The same with the text that was copied last."""
        return replace(self, text=self._original(mux, origin))

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The text, if it has several lines and goes to a shell."""
        if self.preview:
            return ()
        return SendInput(pane=self.pane, text=self._adapted(mux, origin).text).started(mux, origin)

    def run(self, mux: Multiplexer, origin: Origin) -> Pasted | Deferred[Pasted]:
        """Paste it. Raises NotFound, Refused, TerminalGone or InputFull."""
        pane, adapted = self._pane(mux, origin), self._adapted(mux, origin)
        pasted = Pasted(str(pane), clean_text(adapted.text, MAX_TEXT), adapted.form, adapted.changes)
        if self.preview:
            return pasted
        if not adapted.text:
            raise Refused("there is nothing left to paste")
        sent = send(mux, origin, self.pane, (Input(adapted.text),), self.wait_for_user)
        return run_task(_later(pasted, sent)) if is_deferred(sent) else replace(pasted, sent=sent)

    def _pane(self, mux: Multiplexer, origin: Origin) -> PaneId:
        find = target.pane if self.preview else target.typed_pane
        return find(mux, self.pane, origin)

    def _original(self, mux: Multiplexer, origin: Origin) -> str:
        """The text that is given or was copied last, unless that has a secret that an agent must not see."""
        if self.text:
            return self.text
        if origin.kind.acts_for_user:
            if not mux.clipboard.text:
                raise NotFound("nothing was copied yet: select with the mouse or in copy mode")
            return mux.clipboard.text
        newest = next((each.text for each in mux.clipboard.entries), "")
        if not newest or newest != mux.clipboard.text:
            raise NotFound("nothing was copied that agents may paste; clipboard-context lists what was")
        if redacted(mux, newest) != newest:
            raise Refused("what was copied last has a secret in it, which only the user may paste; give a text")
        return newest

    def _adapted(self, mux: Multiplexer, origin: Origin) -> Adapted:
        """The text as it is pasted. Raises Refused if the shell would run its lines."""
        terminal = running(mux, self._pane(mux, origin))
        dialect, bracketed = dialect_of(process.argv(terminal.foreground_group)), terminal.modes.bracketed_paste
        adapted = adapt(self._original(mux, origin), dialect, bracketed=bracketed, lines=self.lines)
        if "\n" in adapted.text and dialect is not None and not bracketed:
            raise Refused(f"the shell ({dialect}) would run each line, as it has no bracketed paste; set lines to join")
        return adapted


async def _later(pasted: Pasted, sent: Deferred[Sent]) -> Pasted:
    return replace(pasted, sent=await finished(sent))


def redacted(mux: Multiplexer, text: str) -> str:
    """A text without secrets, of one line and of several."""
    secrets = SecretFilter(mux.secrets)
    return "\n".join(map(secrets.line, secrets.line(text).split("\n")))
