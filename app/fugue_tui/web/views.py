"""The views of all pages: each tab has one, which waits a while for a page that lost its connection."""

import asyncio
from functools import partial
from typing import Final

from fugue_tui.attach_protocol import Extent
from fugue_tui.web.attached_view import AttachedView, Target
from fugue_tui.web.page_link import PageLink

KEEP_SECONDS: Final = 60.0
"""How long a view is kept for a page that is gone."""

Key = tuple[str, str]
"""A session's id, and the word of a tab."""


class Views:
    """The views by session and tab. Belongs to the loop of the server."""

    def __init__(self, target: Target, keep_seconds: float = KEEP_SECONDS) -> None:
        self._target, self._keep_seconds = target, keep_seconds
        self._views: dict[Key, AttachedView] = {}
        self._expiry: dict[Key, asyncio.TimerHandle] = {}

    async def show(self, key: Key, page: PageLink, extent: Extent) -> AttachedView:
        """Show a tab's view on a page: the one that it had, or a new one. Raises FugueError."""
        self._keep(key)
        if (view := self._views.get(key)) is not None:
            await view.resume(page, extent)
            return view
        view = AttachedView(self._target, partial(self._remove, key))
        await view.open(page, extent)
        self._views[key] = view
        return view

    async def leave(self, key: Key, view: AttachedView, page: PageLink) -> None:
        """A page is gone; its view is kept for a while if no other page shows it."""
        if self._views.get(key) is view and await view.suspend(page):
            self._keep(key)
            expiry = asyncio.get_running_loop().call_later(self._keep_seconds, self._expire, key)
            self._expiry[key] = expiry

    def close(self) -> None:
        """Detach all."""
        for key in list(self._views):
            self._expire(key)

    def _keep(self, key: Key) -> None:
        if (expiry := self._expiry.pop(key, None)) is not None:
            expiry.cancel()

    def _expire(self, key: Key) -> None:
        self._keep(key)
        if (view := self._views.pop(key, None)) is not None:
            view.close()

    def _remove(self, key: Key, view: AttachedView) -> None:
        if self._views.get(key) is view:
            self._keep(key)
            del self._views[key]
