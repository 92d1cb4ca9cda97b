"""One client's many jobs do not delay those of others."""

from fugue_tui.control.core.fair_queue import FairQueue, current_client, on_behalf_of


def test_clients_take_turns_and_each_keeps_its_order() -> None:
    queue = FairQueue[str]()
    for number in range(4):
        queue.put("a", f"a{number}")
    queue.put("b", "b0")
    assert [queue.take(), queue.take()] == ["a0", "b0"]
    queue.put("c", "c0")
    queue.put("b", "b1")
    assert [queue.take() for _ in range(6)] == ["a1", "c0", "b1", "a2", "a3", None]


def test_the_client_is_known_where_its_command_runs() -> None:
    assert current_client() is None
    with on_behalf_of("a"):
        with on_behalf_of("b"):
            assert current_client() == "b"
        assert current_client() == "a"
    assert current_client() is None
