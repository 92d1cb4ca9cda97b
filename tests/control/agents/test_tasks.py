"""The list of tasks: claimed by one at a time, changed by those whose they are, kept over restarts."""

import asyncio
import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace
from tests.control.agents.test_agent_monitor import Fleet
from tests.multiplexer.conftest import Room, agent

from fugue_tui.config.model import McpSettings
from fugue_tui.control.agents.receivers import with_role
from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.policy import Decision, judge
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, Refused, SaveError, TimedOut
from fugue_tui.multiplexer.agents import journal as journals
from fugue_tui.multiplexer.agents.journal import Journal
from fugue_tui.multiplexer.agents.mailboxes import box_of
from fugue_tui.multiplexer.agents.tasks import MOST, Task, Tasks, TaskState, cycle
from fugue_tui.workspace import edit


@pytest.fixture
def fleet(room: Room) -> Fleet:
    return Fleet(room)


def state(room: Room, number: int) -> str:
    return room.say(f"list-tasks --numbers {number}").tasks[0].state


def claims(room: Room, origin: Origin = USER) -> tuple[int, ...]:
    return room.say("list-tasks", origin).claimable


def test_tasks_are_claimed_in_order_and_done_by_their_owner(room: Room) -> None:
    pane = room.cat("worker")
    for title in ("first", "second"):
        assert room.say(f"add-task {title}").by == "the user"
    found = room.say("claim-task", agent(pane))
    assert (found.number, found.state, found.owner, found.pane) == (1, "claimed", f"{pane} worker", str(pane))
    assert room.say("claim-task", agent(pane)).number == 2
    done = room.say("update-task 1 --state done --note 'branch x'", agent(pane))
    assert (done.state, done.note, done.owner, done.changed_by) == (
        "done",
        "branch x",
        f"{pane} worker",
        f"{pane} worker",
    )
    assert [each.number for each in room.say("list-tasks --states claimed").tasks] == [2]
    assert [each.number for each in room.say(f"list-tasks --owner {pane}").tasks] == [1, 2]
    assert room.say("list-tasks --owner nobody").tasks == ()
    with pytest.raises(NotFound, match="no task can be claimed: 0 are open"):
        room.say("claim-task", agent(pane))


def test_of_two_claims_at_once_one_gets_the_task(room: Room, tmp_path: Path) -> None:
    room.mux.tasks.journal = Journal(tmp_path, "main", room.mux.tasks.records, area="tasks")
    panes = [room.cat() for _ in range(4)]
    for number in range(3):
        room.say(f"add-task {number}")
    later = [parse("claim-task").run(room.mux, agent(pane)) for pane in panes]
    assert all(map(is_deferred, later))
    room.until(lambda: all(each.done for each in later))
    assert sorted(each.result().number for each in later if each.error is None) == [1, 2, 3]
    assert [type(each.error) for each in later if each.error] == [NotFound]
    again = [parse("claim-task 1").run(room.mux, agent(pane)) for pane in panes]
    room.until(lambda: all(each.done for each in again))
    assert [each.error is None for each in again].count(True) == 1


def test_what_depends_on_others_waits_for_them(room: Room) -> None:
    pane = room.cat()
    room.say("add-task first")
    room.say("add-task second --depends-on 1")
    assert claims(room, agent(pane)) == (1,)
    with pytest.raises(Refused, match="task 2 waits for task 1; list-tasks"):
        room.say("claim-task 2", agent(pane))
    room.say("update-task 1 --state cancelled")
    assert room.say("list-tasks --numbers 2").tasks[0].waits_for == (1,)
    room.say("update-task 1 --state done")
    assert claims(room, agent(pane)) == (2,)


def test_a_claim_waits_until_there_is_a_task(room: Room) -> None:
    pane = room.cat()
    room.say("add-task first --owner user")
    room.say("add-task second --depends-on 1")
    later = parse("claim-task --wait 100").run(room.mux, agent(pane))
    room.turn(0.0)
    assert not later.done
    room.say("update-task 1 --state done")
    assert room.awaited(later).number == 2
    late = parse("claim-task --wait 100").run(room.mux, agent(pane))
    room.turn(0.0)
    room.skip(101)
    with pytest.raises(TimedOut, match="after 100 seconds, no task can be claimed"):
        room.awaited(late)
    for number, message in ((9, "no task 9"), (1, "task 1 is done")):
        with pytest.raises((NotFound, Refused), match=message):
            room.say(f"claim-task {number} --wait 100", agent(pane))


def test_a_task_with_an_owner_or_a_team_is_not_claimed_by_others(room: Room) -> None:
    lead, worker, other = room.cat("lead"), room.cat("worker"), room.cat("other")
    for pane in (lead, worker):
        record = with_role(room.mux.workspace.panes[pane], "", "blue")
        room.mux.assign(edit.update_pane(room.mux.workspace, record))
    assert room.say("add-task a", agent(lead)).team == "blue"
    room.say("add-task b --owner worker --team ''", agent(lead))
    assert claims(room, agent(worker)) == (1, 2)
    assert claims(room, agent(lead)) == (1,)
    assert claims(room, agent(other)) == ()
    with pytest.raises(Refused, match=f"task 2 is for {worker} worker"):
        room.say("claim-task 2", agent(lead))
    with pytest.raises(Refused, match="task 1 is for the team blue"):
        room.say("claim-task 1", agent(other))
    room.say("claim-task 1", agent(worker))
    counts = room.say("team-status blue").teams[0].tasks
    assert (counts.open, counts.claimed, counts.done) == (0, 1, 0)


def test_a_task_whose_owner_is_gone_can_be_claimed_and_released_by_others(room: Room) -> None:
    one, two, three = room.cat("one"), room.cat("two"), room.cat("three")
    for pane in (one, two):
        room.say("add-task x")
        room.say("claim-task", agent(pane))
    with pytest.raises(Refused, match="not yours"):
        room.say("release-task 1", agent(three))
    room.say("add-task open")
    assert claims(room, agent(three)) == (3,)
    room.say(f"close-pane {one}")
    found = room.say("list-tasks --numbers 1").tasks[0]
    assert (found.state, found.owner, found.pane, found.gone) == ("claimed", f"{one} one", None, "its pane is closed")
    assert claims(room, agent(three)) == (3, 1)
    assert room.say("release-task 1", agent(three)).state == "open"
    room.mux.terminals[two].write(b"\x04")
    room.ended(two)
    assert room.say("claim-task 2", agent(three)).pane == str(three)


def test_an_agent_that_has_ended_is_distinguished_from_one_that_runs_another_program(fleet: Fleet) -> None:
    room, pane = fleet.room, fleet.agent("claude")
    room.say("add-task x")
    room.say("claim-task", agent(pane))
    assert room.say("list-tasks").tasks[0].gone == ""
    fleet.mux.agents.set_program(pane, "")
    assert room.say("list-tasks").tasks[0].gone == "its agent has ended"
    late = parse("claim-task 1 --wait 100").run(room.mux, agent(room.cat()))
    assert room.awaited(late).state == "claimed"


def test_a_closed_pane_that_comes_back_has_its_task_again(room: Room) -> None:
    room.cat()
    pane = room.cat()
    room.say("add-task x")
    room.say("claim-task", agent(pane))
    room.say(f"close-pane {pane}")
    room.say("undo-change")
    assert room.say("list-tasks").tasks[0].gone == ""


def asked(room: Room, line: str, origin: Origin) -> bool:
    """Whether the user is asked about a call, which is run otherwise."""
    decisions = {each.decision for each in judge(room.mux, parse(line), origin)}
    if Decision.ASK not in decisions:
        room.awaited(Dispatcher(room.mux).run(parse(line), origin))
    return Decision.ASK in decisions


def test_agents_change_their_own_and_the_user_is_asked_about_others(room: Room) -> None:
    room.mux.permissions = McpSettings()
    mine, other = room.cat(), room.cat()
    room.say("add-task users")
    room.say("add-task mine", agent(mine))
    room.say("add-task others", agent(other))
    for line in ("add-task x", "claim-task 1", "update-task 1 --state done --note x", "update-task 2 --title y",
                 "update-task 2 --force --title z", "list-tasks", "export-tasks", "remove-task 4"):  # fmt: skip
        assert not asked(room, line, agent(mine)), line
    for line in ("update-task 1 --title x", "update-task 3 --state done", "update-task 3 --note x"):
        with pytest.raises(Refused, match="with force the user is asked"):
            room.say(line, agent(mine))
        assert asked(room, f"{line} --force", agent(mine)), line
    for line in ("remove-task 1", "remove-task 3", "remove-task 2 1", "remove-task 2 3"):
        assert asked(room, line, agent(mine)), line
    outside = Origin(Interface.MCP, process="1@2", client="desktop")
    assert not asked(room, "add-task outside", outside)
    assert asked(room, "remove-task 5", outside)
    with pytest.raises(Refused, match="you are in no pane"):
        room.say("claim-task", outside)


def test_strict_rules_leave_agents_their_own_tasks(room: Room) -> None:
    room.mux.permissions = McpSettings(destroy="refuse", input="refuse", run="refuse", admin="refuse")
    pane = room.cat()
    room.say("add-task x")
    for line in ("claim-task", "update-task 1 --state done"):
        assert not asked(room, line, agent(pane))
    assert state(room, 1) == "done"
    with pytest.raises(Refused, match="destroy"):
        Dispatcher(room.mux).run(parse("update-task 1 --title y --force"), agent(pane))


def test_an_owner_that_is_changed_has_to_claim_it(room: Room) -> None:
    one, two = room.cat(), room.cat("two")
    room.say("add-task x")
    room.say("claim-task", agent(one))
    found = room.say("update-task 1 --owner two")
    assert (found.state, found.pane) == ("open", str(two))
    assert claims(room, agent(one)) == ()
    room.say("claim-task", agent(two))
    found = room.say("update-task 1 --state open", agent(two))
    assert (found.state, found.owner) == ("open", "")
    assert room.say("claim-task").owner == "user"
    assert room.say("update-task 1 --state done").owner == "user"


def test_faults_are_named(room: Room) -> None:
    room.say("add-task a")
    room.say("add-task b --depends-on 1")
    room.say("add-task c --depends-on 2 --depends-on 2")
    assert room.say("list-tasks --numbers 3").tasks[0].depends_on == (2,)
    for line, message in (
        ("update-task 1 --depends-on 3", "depends_on: tasks would wait for each other: 1 -> 3 -> 2 -> 1; leave one"),
        ("update-task 1 --depends-on 1", "wait for each other: 1 -> 1"),
        ("add-task x --depends-on 9", "depends_on: there is no task 9"),
        ("add-task ''", "title"),
        ("add-task '\x1b[31m'", "title: nothing printable is left"),
        (f"add-task {'x' * 201}", "title"),
        (f"add-task x --detail {'x' * 4001}", "detail"),
        ("add-task x --depends-on 0", "depends_on"),
        ("add-task x --owner %99", "no pane %99"),
        ("claim-task 9", "no task 9; list-tasks shows"),
        ("update-task 9 --state done", "no task 9"),
        ("update-task 1 --state finished", "state"),
        ("remove-task 1", "task 1 stays: task 2 depends on it; change that first, or cancel it"),
        ("remove-task 3 9", "no task 9"),
    ):
        with pytest.raises((InvalidArgument, NotFound, Refused), match=message):
            room.say(line)
    assert [each.number for each in room.say("list-tasks").tasks] == [1, 2, 3]
    room.say("update-task 3 --depends-on []")
    assert room.say("remove-task 2 1").numbers == (2, 1)
    assert room.say("add-task d").number == 4


def test_a_full_list_refuses(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fugue_tui.multiplexer.agents.tasks.MOST", 2)
    assert MOST > 2
    for _ in range(2):
        room.say("add-task x")
    with pytest.raises(Refused, match="has 2 tasks already; export-tasks"):
        room.say("add-task x")
    room.say("update-task 2 --title y")


def test_what_agents_write_is_cleaned(room: Room) -> None:
    pane = room.cat("a\x1b[2Jb")
    found = room.say("add-task 'x\x1b[31m\ny' --detail 'one\x07\ntwo'", agent(pane))
    assert (found.title, found.detail, found.by) == ("x y", "one\ntwo", f"{pane} ab")
    room.say(f"add-task y --detail {'z' * 300}")
    assert len(room.say("list-tasks").tasks[1].detail) == 200
    assert len(room.say("list-tasks --numbers 2").tasks[0].detail) == 300


def test_every_change_is_an_event(room: Room) -> None:
    pane = room.cat("worker")
    room.say("add-task x")
    waiting = parse("list-events --kinds task --wait-ms 1000").run(room.mux, USER)
    room.say("claim-task", agent(pane))
    seen = room.awaited(waiting).events[0]
    assert (seen.pane, seen.facts["state"], seen.facts["owner"]) == (str(pane), "claimed", f"{pane} worker")
    room.say("update-task 1 --state done", agent(pane))
    room.say("update-task 1 --state done", agent(pane))
    room.say("remove-task 1")
    found = room.say("list-events --after 0 --kinds task").events
    assert [(each.facts["before"], each.facts["state"]) for each in found] == [
        (None, "open"),
        ("open", "claimed"),
        ("claimed", "done"),
        ("done", "removed"),
    ]
    assert found[-1].facts["by"] == "the user"


# Over restarts


def kept(folder: Path) -> Tasks:
    """Tasks with a journal."""
    found = Tasks()
    found.journal = Journal(folder, "main", found.records, area="tasks", what="tasks")
    return found


async def loaded(folder: Path) -> Tasks:
    """The tasks of the next run."""
    found = kept(folder)
    assert found.journal is not None
    found.load(iter(await found.journal.load()))
    return found


async def added(tasks: Tasks, title: str, depends_on: tuple[int, ...] = ()) -> Task:
    def make() -> Task:
        return Task(tasks.next_number, title, 1.0, "x", 1.0, "x", 1.0, depends_on=depends_on)

    return await tasks.change(make, "x")


async def becomes(tasks: Tasks, number: int, state: TaskState) -> Task:
    return await tasks.change(lambda: replace(tasks.get(number), state=state), "y")


async def test_tasks_outlive_the_server_and_numbers_are_not_used_again(tmp_path: Path) -> None:
    before = kept(tmp_path)
    await asyncio.gather(*(added(before, f"task {number}") for number in range(20)))
    await becomes(before, 3, TaskState.DONE)
    await added(before, "last", (3, 20))
    await before.remove([20, 21], "x")
    after = await loaded(tmp_path)
    assert dict(after.all) == dict(before.all)
    assert list(after.all) == list(range(1, 20))
    assert (after.get(3).state, after.get(3).changed_by) == (TaskState.DONE, "y")
    assert (await added(after, "new")).number == 22


async def test_a_journal_that_lost_lines_keeps_a_sound_list(tmp_path: Path) -> None:
    before = kept(tmp_path)
    for number in range(1, 5):
        await added(before, "x", (number - 1,) if number > 1 else ())
    file = tmp_path / "tasks" / "main"
    lines = file.read_text().splitlines()
    lines[1] = '{"number": 2, "title'  # Task 3 depends on it.
    lines.append(json.dumps(json.loads(lines[0]) | {"depends_on": [4]}))
    lines.append(json.dumps(json.loads(lines[2]) | {"depends_on": [1, 2]}))
    file.write_text("\n".join([*lines, "[1]", "nonsense", '{"removed": ["x"]}', '{"numb']))
    after = await loaded(tmp_path)
    assert [(each.number, each.depends_on) for each in after.all.values()] == [(1, ()), (3, (1,)), (4, (3,))]
    await added(after, "new", (4,))
    assert dict((await loaded(tmp_path)).all) == dict(after.all)


async def test_a_compacted_journal_keeps_tasks_and_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "COMPACT", 2_000)
    before = kept(tmp_path)
    for number in range(30):
        await added(before, f"task {number}")
    for number in range(2, 31):
        await before.remove([number], "x")
    after = await loaded(tmp_path)
    assert dict(after.all) == dict(before.all)
    assert after.next_number == 31
    assert len((tmp_path / "tasks" / "main").read_text().splitlines()) < 30


async def test_what_cannot_be_saved_changes_nothing(tmp_path: Path) -> None:
    found = kept(tmp_path)
    seen = list[object]()
    await added(found, "one")
    found.on_change.connect(lambda before, after: seen.append(after))
    os.chmod(tmp_path / "tasks", 0o755)
    for change in (added(found, "two"), becomes(found, 1, TaskState.DONE), found.remove([1], "x")):
        with pytest.raises(SaveError, match=r"tasks cannot be saved: .* elsewhere$"):
            await change
    assert ([each.state for each in found.all.values()], seen) == ([TaskState.OPEN], [])
    os.chmod(tmp_path / "tasks", 0o700)
    assert (await added(found, "three")).number == 2
    assert [each.title for each in (await loaded(tmp_path)).all.values()] == ["one", "three"]


async def test_what_the_disk_did_not_take_is_not_there_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = kept(tmp_path)
    await added(found, "one")
    fsync = os.fsync

    def full(fd: int) -> None:
        monkeypatch.setattr(os, "fsync", fsync)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SaveError, match="tasks cannot be saved: No space left on device"):
        await becomes(found, 1, TaskState.DONE)
    assert (await loaded(tmp_path)).get(1).state is found.get(1).state is TaskState.OPEN


async def test_a_change_of_a_caller_that_gave_up_is_the_same_in_memory_and_on_disk(tmp_path: Path) -> None:
    found = kept(tmp_path)
    await added(found, "one")
    change = asyncio.ensure_future(becomes(found, 1, TaskState.DONE))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    change.cancel()
    await asyncio.gather(change, return_exceptions=True)
    await added(found, "two")  # Comes after it.
    assert dict((await loaded(tmp_path)).all) == dict(found.all)
    assert found.get(1).state is TaskState.DONE


async def test_changes_wait_until_the_journal_was_read(tmp_path: Path) -> None:
    await added(kept(tmp_path), "one")
    found = kept(tmp_path)
    found.loaded.hold(lambda: None)
    early = asyncio.ensure_future(added(found, "two"))
    await asyncio.sleep(0)
    assert not early.done()
    assert found.journal is not None
    found.load(iter(await found.journal.load()))
    found.loaded.release()
    assert (await early).number == 2


def test_an_owner_is_known_by_its_pane_and_not_by_its_number(room: Room) -> None:
    pane = room.cat("one")
    room.say("add-task x")
    room.say("claim-task", agent(pane))
    key = box_of(room.mux.workspace.panes[pane])
    assert room.mux.tasks.get(1).owner == key
    assert len(key) == 12


# Invariants

NUMBER = some.integers(1, 8)
ACTIONS = some.lists(
    some.one_of(
        some.tuples(some.just("add"), some.lists(NUMBER, max_size=3)),
        some.tuples(some.just("depend"), some.lists(NUMBER, min_size=1, max_size=3)),
        some.tuples(some.sampled_from(["claim", "done", "open", "remove"]), some.lists(NUMBER, min_size=1, max_size=2)),
    ),
    max_size=25,
)  # fmt: skip


@given(ACTIONS)
def test_no_change_breaks_the_list(actions: list[tuple[str, list[int]]]) -> None:
    tasks, records, used = Tasks(), list[dict[str, Any]](), set[int]()

    class Memory:
        async def write(self, record: dict[str, Any]) -> None:
            records.append(json.loads(json.dumps(record)))

    tasks.journal = Memory()  # pyright: ignore[reportAttributeAccessIssue]

    async def act(action: str, numbers: list[int]) -> None:
        match action:
            case "add":
                task = await added(tasks, "x", tuple(numbers))
                assert task.number not in used
                used.add(task.number)
            case "depend":
                wanted = tuple(numbers[1:])
                await tasks.change(lambda: replace(tasks.get(numbers[0]), depends_on=wanted), "x")
            case "remove":
                await tasks.remove(numbers, "x")
            case _:
                states = {"claim": TaskState.CLAIMED, "done": TaskState.DONE, "open": TaskState.OPEN}
                await becomes(tasks, numbers[0], states[action])

    async def run() -> None:
        for action, numbers in actions:
            before = dict(tasks.all)
            try:
                await act(action, numbers)
            except FugueError:
                assert dict(tasks.all) == before
            for task in tasks.all.values():
                assert set(task.depends_on) <= tasks.all.keys()
                assert not cycle(tasks.all, task.number, task.depends_on)

    asyncio.run(run())
    for written in (records, tasks.records()):
        again = Tasks()
        again.load(iter(written))
        assert dict(again.all) == dict(tasks.all)
        assert again.next_number == tasks.next_number
