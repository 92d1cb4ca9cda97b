"""What servers send, as plain values: checked, cleaned and bounded. No I/O."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import mcp_types as types

from fugue_tui.multiplexer.mcp_servers.model import (
    Block,
    BlockKind,
    Catalog,
    Content,
    Prompt,
    PromptArgument,
    Resource,
    Tool,
    ToolEffect,
)
from fugue_tui.sanitize import clean, clean_text

MOST: Final = 1_000
"""Tools, prompts or resources of one server."""
LONGEST_DESCRIPTION: Final = 4_000
LONGEST_SCHEMA: Final = 100_000
"""Characters of a tool's schema as JSON; a longer one counts as unknown."""
LONGEST_TEXT: Final = 1_000_000
"""Characters of all texts of a result."""
LONGEST_DATA: Final = 16_000_000
"""Characters of an image or another file as base64."""
MOST_VALUES: Final = 100
"""Values by which an argument is completed."""
LONGEST_VALUE: Final = 1_000
DEEPEST: Final = 40
"""Levels of a JSON value."""


def tool(given: types.Tool) -> Tool | None:
    """A tool; None if its name is none."""
    if not _is_name(given.name):
        return None
    hints = given.annotations
    title = given.title or (hints.title if hints is not None else "") or ""
    return Tool(given.name, clean(title), _description(given.description), schema(given.input_schema), _effect(hints))


def prompt(given: types.Prompt) -> Prompt | None:
    """A prompt; None if its name is none."""
    if not _is_name(given.name):
        return None
    arguments = tuple(
        PromptArgument(each.name, _description(each.description), bool(each.required))
        for each in given.arguments or ()
        if _is_name(each.name)
    )
    return Prompt(given.name, clean(given.title or ""), _description(given.description), arguments)


def resource(given: types.Resource | types.ResourceTemplate) -> Resource | None:
    """A resource or a template; None if its URI is none."""
    template = isinstance(given, types.ResourceTemplate)
    uri = given.uri_template if isinstance(given, types.ResourceTemplate) else given.uri
    if not uri or len(uri) > 2_000 or not uri.isprintable():
        return None
    words = clean(given.name), clean(given.title or ""), _description(given.description), clean(given.mime_type or "")
    return Resource(uri, *words, template)


def found(given: Iterable[Any]) -> tuple[Any, ...]:
    """What is not None, the first of each name or URI, up to the limit."""
    named = {each.uri if isinstance(each, Resource) else each.name: each for each in reversed([*given]) if each}
    return tuple(reversed([*named.values()]))[:MOST]


def catalog(
    tools: Sequence[Tool],
    prompts: Sequence[Prompt],
    resources: Sequence[Resource],
    info: types.Implementation | None,
    protocol: str,
    instructions: str | None,
    *,
    subscribes: bool,
    completes: bool,
    fault: str,
) -> Catalog:
    """What a server offers."""
    title = clean(f"{info.title or info.name} {info.version}") if info is not None else ""
    description = _description(instructions)
    offers = tuple(tools), tuple(prompts), tuple(resources)
    return Catalog(*offers, title, clean(protocol, 20), description, subscribes, completes, fault)


def schema(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A JSON Schema with clean texts; one that is none, too large or too deep admits everything."""
    value = plain(given)
    if not isinstance(value, dict) or len(json.dumps(value)) > LONGEST_SCHEMA:
        return {"type": "object", "additionalProperties": True}
    return cast("dict[str, Any]", value)


def plain(value: Any, levels: int = DEEPEST) -> Any:
    """A JSON value with clean texts; what lies too deep is null."""
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return clean_text(value, LONGEST_TEXT)
        case Mapping() if levels:
            pairs = cast("Mapping[Any, Any]", value)
            return {str(name): plain(each, levels - 1) for name, each in pairs.items() if str(name).isprintable()}
        case list() | tuple() if levels:
            return [plain(each, levels - 1) for each in cast("Sequence[Any]", value)]
        case _:
            return None


def of_tool(given: types.CallToolResult) -> Content:
    """The result of a tool."""
    structured = plain(given.structured_content)
    if structured is not None and len(json.dumps(structured)) > LONGEST_TEXT:
        structured = None
    return bounded(map(block, given.content), structured, is_error=bool(given.is_error))


def of_resource(given: types.ReadResourceResult) -> Content:
    """The contents of a resource."""
    return bounded(map(contents, given.contents))


def of_prompt(given: types.GetPromptResult) -> Content:
    """The messages of a prompt."""
    return bounded(block(each.content, clean(each.role, 20)) for each in given.messages)


def completions(given: types.CompleteResult) -> tuple[str, ...]:
    """The values of an argument, without those that hold control characters."""
    values = given.completion.values[:MOST_VALUES]
    return tuple(dict.fromkeys(each for each in values if len(each) <= LONGEST_VALUE and each.isprintable()))


def bounded(blocks: Iterable[Block], structured: Any = None, *, is_error: bool = False) -> Content:
    """Content of bounded length; `cut` counts what was left out."""
    kept, left, cut = list[Block](), LONGEST_TEXT, 0
    for each in blocks:
        if len(each.data) > LONGEST_DATA or len(kept) >= MOST:
            cut += len(each.data) + len(each.text)
            continue
        text = clean_text(each.text, max(left, 1))
        cut += max(0, len(each.text) - left)
        left = max(0, left - len(text))
        kept.append(Block(each.kind, text, each.data, each.media_type, each.uri, each.name, each.role))
    return Content(tuple(kept), structured, is_error, cut)


def block(given: types.ContentBlock, role: str = "") -> Block:
    """A content block."""
    match given:
        case types.TextContent():
            return Block(BlockKind.TEXT, given.text, role=role)
        case types.ImageContent():
            return Block(BlockKind.IMAGE, data=given.data, media_type=clean(given.mime_type), role=role)
        case types.AudioContent():
            return Block(BlockKind.AUDIO, data=given.data, media_type=clean(given.mime_type), role=role)
        case types.ResourceLink():
            words = given.title or given.name
            media_type = clean(given.mime_type or "")
            text = _description(given.description)
            return Block(BlockKind.LINK, text, "", media_type, clean(given.uri, 2_000), clean(words), role)
        case types.EmbeddedResource():
            found = contents(given.resource)
            return Block(found.kind, found.text, found.data, found.media_type, found.uri, found.name, role)


def contents(given: types.TextResourceContents | types.BlobResourceContents) -> Block:
    """The contents of a resource."""
    media_type, uri = clean(given.mime_type or ""), clean(given.uri, 2_000)
    if isinstance(given, types.TextResourceContents):
        return Block(BlockKind.RESOURCE, given.text, "", media_type, uri)
    kind = BlockKind.IMAGE if media_type.startswith("image/") else BlockKind.RESOURCE
    return Block(kind, "", given.blob, media_type, uri)


def _effect(hints: types.ToolAnnotations | None) -> ToolEffect:
    """The effect by the annotations: without any, a tool may do anything."""
    if hints is None:
        return ToolEffect.RUN
    if hints.read_only_hint:
        return ToolEffect.READ
    return ToolEffect.DESTROY if hints.destructive_hint else ToolEffect.RUN


def _is_name(name: str) -> bool:
    return 0 < len(name) <= 200 and name.isprintable()


def _description(text: str | None) -> str:
    return clean_text(text or "", LONGEST_DESCRIPTION).strip()
