"""A client whose call must be approved waits, hears why, and gets the result or a refusal of its own kind."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.mcp.conftest import Served, request, until

from fugue_tui.config.model import McpSettings
from fugue_tui.multiplexer.access.approvals import Request
from fugue_tui.multiplexer.access.grants import Scope

CALL = {"name": "fugue_send_input", "arguments": {"pane": "%1", "text": "hello", "submit": True}}


def waiting(served: Served) -> tuple[Request, ...]:
    return served.on_main(served.mux.approvals.waiting)


def asked(served: Served) -> Request:
    until(lambda: waiting(served))
    return waiting(served)[0]


def test_a_client_is_told_that_it_waits_and_gets_the_result_once_it_is_approved(served: Served) -> None:
    served.on_main(lambda: setattr(served.mux, "permissions", McpSettings()))
    link = served.link()
    link.initialize()
    link.send(request("tools/call", CALL | {"_meta": {"progressToken": "p"}}))
    assert "waits for the user's approval" in str(link.read())
    waits = asked(served)
    assert waits.question.panes == (1,)
    assert waits.question.grantee.words.endswith("outside")
    served.on_main(lambda: served.mux.approvals.approve(waits.id, Scope.SESSION))
    assert link.read()["result"]["structuredContent"]["submitted"]
    assert link.call("fugue_send_input", {"pane": "%1", "text": "again"})["structuredContent"]["bytes"] == 5
    other = served.link()
    other.initialize()
    assert other.call("fugue_send_input", {"pane": "%1", "text": "x"})["structuredContent"], "the same program again"


def test_a_denied_client_hears_so_by_a_code_of_its_own(served: Served) -> None:
    served.on_main(lambda: setattr(served.mux, "permissions", McpSettings(ask_seconds=1)))
    link = served.link()
    link.initialize()
    link.send(request("tools/call", CALL))
    waits = asked(served)
    served.on_main(lambda: served.mux.approvals.deny(waits.id))
    answer = link.read()["result"]
    assert answer["isError"]
    assert answer["content"][0]["text"].startswith("denied: ")


def test_an_unanswered_call_is_refused_by_a_code_of_its_own(served: Served) -> None:
    served.on_main(lambda: setattr(served.mux, "permissions", McpSettings(ask_seconds=1)))
    link = served.link()
    link.initialize()
    answer = link.call("fugue_close_pane", {"pane": "%1"})
    assert answer["content"][0]["text"].startswith("unanswered: ")


def test_a_client_that_goes_takes_its_request_along(served: Served) -> None:
    served.on_main(lambda: setattr(served.mux, "permissions", McpSettings()))
    link = served.link()
    link.initialize()
    link.send(request("tools/call", CALL))
    asked(served)
    link.close()
    until(lambda: not waiting(served))


def test_a_repeated_call_under_a_key_asks_once_and_does_not_pass_a_stricter_policy(served: Served) -> None:
    served.on_main(lambda: setattr(served.mux, "permissions", McpSettings(run="ask")))
    steps = [{"pane": "%1", "command": "true"}]
    call = {"name": "fugue_coordinate_panes", "arguments": {"steps": steps, "idempotency_key": "k"}}
    links = [served.link() for _ in range(2)]
    for link in links:
        link.initialize()
        link.send(request("tools/call", call))
    only = asked(served)
    served.on_main(lambda: served.mux.approvals.deny(only.id))
    assert {link.read()["result"]["content"][0]["text"].split(":")[0] for link in links} == {"denied"}


def test_approving_is_no_tool(served: Served) -> None:
    link = served.link()
    link.initialize()
    for name in ("fugue_approve_request", "fugue_deny_request", "fugue_revoke_grant"):
        assert "no tool" in link.call(name, {"id": 1})["content"][0]["text"]


def test_questions_of_many_clients_wait_side_by_side(served: Served) -> None:
    served.on_main(lambda: setattr(served.mux, "permissions", McpSettings()))

    def call(number: int) -> Any:
        link = served.link()
        link.initialize()
        return link.call("fugue_send_input", {"pane": "%1", "text": f"{number} "})

    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(call, number) for number in range(4)]
        until(lambda: len(waiting(served)) == 4)
        first = waiting(served)[0]
        served.on_main(lambda: served.mux.approvals.approve(first.id, Scope.SESSION))
        assert all(each.result()["structuredContent"]["bytes"] == 2 for each in calls)
