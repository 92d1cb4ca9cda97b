"""An agent sees a pane as an image, and reads on from a cursor, through the bridge."""

import asyncio
import json
from base64 import b64decode
from io import BytesIO

import pytest
from mcp_types import CallToolResult, ImageContent, TextContent
from PIL import Image
from tests.mcp.conftest import Served
from tests.mcp.protocol.test_session import ERAS, client

pytestmark = pytest.mark.parametrize("era", ERAS)


def texts(result: CallToolResult) -> list[str]:
    return [content.text for content in result.content if isinstance(content, TextContent)]


@pytest.mark.slow
async def test_a_screenshot_is_an_image_with_a_line_of_text(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        result = await agent.call_tool("fugue_screenshot_pane", {"pane": "%1"})
    image = result.content[0]
    assert isinstance(image, ImageContent)
    assert image.mime_type == "image/png"
    with Image.open(BytesIO(b64decode(image.data))) as picture:
        assert picture.format == "PNG"
    told, known = texts(result)
    assert told.startswith("a screenshot of %1, ")
    assert json.loads(known)["shows"] == "%1"


@pytest.mark.slow
async def test_a_pane_is_read_on_from_the_cursor_that_came_with_its_text(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        first = await agent.call_tool("fugue_read_pane", {"pane": "%1"})
        cursor = json.loads(texts(first)[1])["cursor"]
        await agent.call_tool("fugue_send_input", {"pane": "%1", "text": "hello 👩🏽‍🚀", "submit": True})
        async with asyncio.timeout(40):
            while True:
                text, known = texts(await agent.call_tool("fugue_read_pane", {"cursor": cursor}))
                if text.splitlines()[2:-1] == ["hello 👩🏽‍🚀", "hello 👩🏽‍🚀"]:
                    break
                await asyncio.sleep(0.01)
        refused = await agent.call_tool("fugue_read_pane", {"cursor": "c0000.1.1"})
    assert text.startswith("untrusted output of pane %1, ")
    assert json.loads(known)["source"] == "since"
    assert refused.is_error
    assert texts(refused)[0].startswith("invalid_argument: cursor: c0000.1.1 is not known")


@pytest.mark.slow
async def test_keys_are_pressed_between_two_pictures_and_the_difference_is_an_image(served: Served, era: str) -> None:
    async with client(served, era) as agent:
        fields = {"pane": "%1", "keys": ["h", "i", "Enter"]}
        result = await agent.call_tool("fugue_visual_diff", fields)
        refused = await agent.call_tool("fugue_visual_diff", {"pane": "%1", "command": "ls"})
    image = result.content[0]
    assert isinstance(image, ImageContent)
    with Image.open(BytesIO(b64decode(image.data))) as picture:
        assert picture.format == "PNG"
    told, known = texts(result)
    assert "the keys were pressed\n" in told
    assert "“hi”" in told
    assert json.loads(known)["cells"] > 0
    assert refused.is_error
    assert texts(refused)[0].startswith("refused: no shell waits for a command in %1")
