"""docs/mcp.md says what there is."""

import re
from pathlib import Path

from fugue_tui.config.model import McpSettings, SecuritySettings
from fugue_tui.control.commands import stream_output
from fugue_tui.control.core.command import Toolset
from fugue_tui.control.dispatch.idempotency import REMEMBERED
from fugue_tui.control.introspection import KEY, SHORTENED
from fugue_tui.validation.field_docs import field_docs
from fugue_tui_mcp.bridge import workspace_tools
from fugue_tui_mcp.protocol import prompts, resources, subscriptions, tools
from fugue_tui_mcp.protocol.resource_handlers import MOST
from fugue_tui_mcp.protocol.toolsets import CALL, NAME

MANUAL = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text()


def test_it_names_every_set_resource_and_prompt() -> None:
    rows = dict(re.findall(r"^\| `([^`]+)`.*\| ([^|]*) \|$", MANUAL, re.MULTILINE))
    assert {each.value for each in Toolset} - {"other"} <= set(rows)
    for plan in prompts.PLANS.values():
        assert rows[plan.name] == ", ".join(plan.arguments)
    for template in resources.templates():
        assert f"`{template.uri_template}`" in MANUAL
    for uri in (resources.PANES, resources.LAYOUT):
        assert f"`{uri}`" in MANUAL


def test_it_says_of_a_set_what_the_set_says_of_itself() -> None:
    about = field_docs(Toolset)
    for each in Toolset:
        if each is not Toolset.OTHER:
            first = about[each.name].split(":")[0].rstrip(".").lower()
            assert first in MANUAL.lower(), each


def test_it_names_no_tool_and_no_setting_that_there_is_not() -> None:
    named = set(re.findall(r"`(fugue_[a-z_]+)`", MANUAL))
    assert named <= {NAME, CALL, *(str(tool["name"]) for tool in workspace_tools.TOOLS), *tools.by_name()}
    settings = set(re.findall(r"^    (\w+) = ", MANUAL, re.MULTILINE))
    assert settings <= {*McpSettings.__struct_fields__, *SecuritySettings.__struct_fields__}
    assert f"max_panes = {SecuritySettings().max_panes}\n" in MANUAL
    assert f"`{KEY}`" in MANUAL
    assert f"`{SHORTENED}`" in MANUAL
    assert f"{McpSettings().longest_answer:,}" in MANUAL


def test_its_figures_are_those_of_the_program() -> None:
    assert f"{MOST} resources at a time" in MANUAL.replace("\n", " ")
    assert (subscriptions.PACE, stream_output.REPORT_INTERVAL, REMEMBERED) == (0.5, 0.25, 600)
    for said in ("twice a second at most", "at most four times a second", "within ten minutes"):
        assert said in MANUAL.replace("\n", " ")
