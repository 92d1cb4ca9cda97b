"""For widgets that must live as long as the app: a bug in one of their handlers is reported, and they go on."""

from textual.message import Message
from textual.message_pump import MessagePump


class ErrorBoundary(MessagePump):
    """Comes before `Widget` or `Screen` in the bases. Without it a widget handles no more messages after a bug."""

    async def _dispatch_message(self, message: Message) -> None:
        try:
            await super()._dispatch_message(message)
        except Exception as error:  # noqa: BLE001  (an error boundary: reported to the app, which logs and shows it)
            self.app._handle_exception(error)  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType]
