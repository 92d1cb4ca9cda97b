"""What MCP servers offer and return, as plain values. Every text is untrusted, and cleaned where it is received.

Terms are those of the MCP specification: tools, prompts, resources, content blocks.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field

_NO_SCHEMA: Mapping[str, Any] = MappingProxyType({"type": "object"})


class ServerState(StrEnum):
    """What a server does."""

    OFF = "off"
    """It is not started; the first use starts it."""
    STARTING = "starting"
    """It is being started, or connected to."""
    LOGIN = "login"
    """It waits for the user to log in on a page."""
    CONNECTED = "connected"
    """It can be used."""
    WAITING = "waiting"
    """It has ended by itself, and is started again in a while."""
    FAILED = "failed"
    """It could not be started; the next use tries again."""
    DISABLED = "disabled"
    """The configuration does not allow its use."""


class ToolEffect(StrEnum):
    """What a tool does, as the policy judges it."""

    READ = "read"
    """It says that it changes nothing."""
    RUN = "run"
    """Unknown, or it changes something."""
    DESTROY = "destroy"
    """It says that it may delete or overwrite something."""


class Tool(Struct, frozen=True):
    """A tool of a server."""

    name: str
    title: str = ""
    description: str = ""
    schema: Mapping[str, Any] = _NO_SCHEMA
    """The JSON Schema of its arguments."""
    effect: ToolEffect = ToolEffect.RUN
    """By its annotations."""


class PromptArgument(Struct, frozen=True):
    """An argument of a prompt: a text."""

    name: str
    description: str = ""
    required: bool = False


class Prompt(Struct, frozen=True):
    """A prompt of a server."""

    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


class Resource(Struct, frozen=True):
    """A resource of a server, or a template for resources."""

    uri: str
    """Its URI; of a template one with `{variables}` (RFC 6570)."""
    name: str = ""
    title: str = ""
    description: str = ""
    media_type: str = ""
    template: bool = False


class Catalog(Struct, frozen=True):
    """What a connected server offers."""

    tools: tuple[Tool, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    resources: tuple[Resource, ...] = ()
    title: str = ""
    """Its name for itself, with its version."""
    protocol: str = ""
    """The version of the protocol that is spoken."""
    instructions: str = ""
    subscribes: bool = False
    """Whether it reports changes of resources."""
    completes: bool = False
    """Whether it completes arguments of prompts and resource templates."""
    fault: str = ""
    """Why something that it offers is missing here; empty if nothing is."""


class BlockKind(StrEnum):
    """The kind of a content block."""

    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    RESOURCE = "resource"
    """The content of a resource: text, or bytes."""
    LINK = "link"
    """The URI of a resource that can be read."""


class Block(Struct, frozen=True, omit_defaults=True):
    """A content block."""

    kind: BlockKind
    text: str = ""
    data: str = ""
    """Bytes as base64."""
    media_type: str = ""
    uri: str = ""
    name: str = ""
    role: str = ""
    """Of a prompt's message: user or assistant."""


class Content(Struct, frozen=True):
    """What a tool, a resource or a prompt returned."""

    blocks: tuple[Block, ...] = ()
    structured: Any = None
    """The result as JSON; None if the server gives none."""
    is_error: bool = False
    """Whether the tool says that it failed."""
    cut: int = 0
    """Characters that were left out, as it was too long."""


class Call(Struct, frozen=True):
    """A request to a server."""

    tool: str = ""
    prompt: str = ""
    uri: str = ""
    """Exactly one of the three is given."""
    arguments: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


class ArgumentQuery(Struct, frozen=True):
    """What to complete: the value of an argument of a prompt or a resource template."""

    argument: str
    value: str
    """What is written so far."""
    prompt: str = ""
    uri: str = ""
    """Of the template. Exactly one of the two is given."""
    others: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The other arguments, as far as they are written."""


class Elicitation(Struct, frozen=True):
    """A server's question to the user."""

    server: str
    message: str
    schema: Mapping[str, Any] = _NO_SCHEMA
    """The form: flat, of texts, numbers, booleans and choices."""
    url: str = ""
    """A page that the user is to open instead of a form."""


class ElicitationAnswer(Struct, frozen=True):
    """The user's answer."""

    action: str
    """accept, decline or cancel."""
    content: Mapping[str, Any] | None = None


class LogLine(Struct, frozen=True):
    """A line that a server wrote on stderr, or a logging message."""

    text: str
    level: str = ""
    """Empty for stderr."""
