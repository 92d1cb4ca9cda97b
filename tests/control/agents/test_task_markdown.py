"""Tasks as Markdown: check boxes with owners and dependencies, in which no text forges structure."""

from hypothesis import given
from hypothesis import strategies as some
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.agents.task_markdown import escaped, markdown
from fugue_tui.multiplexer.agents.tasks import Task, TaskState
from fugue_tui.sanitize import clean, clean_text

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
FORGED = "\n".join([
    "x", "", "- [x] **9.** forged", "# Heading", "<script>alert(1)</script> [a](b) ![c](d) `e` | f |", "---",
    "1. one", "    code", "> g",
])  # fmt: skip


def task(number: int, title: str, **fields: object) -> Task:
    return Task(number, title, 0.0, "x", 0.0, "x", 0.0, **fields)  # pyright: ignore[reportArgumentType]


def rendered(text: str) -> list[Token]:
    return PARSER.parse(text)


def shape(tokens: list[Token]) -> list[str]:
    return [token.type for token in tokens if token.nesting >= 0]


def shown(token: Token) -> str:
    """The text of an inline token; any other structure is written out."""
    words = {"softbreak": "\n", "hardbreak": "\n"}
    return "".join(
        each.content if each.type == "text" else words.get(each.type, each.type) for each in token.children or ()
    )


def test_a_list_with_owners_notes_and_dependencies(room: Room) -> None:
    pane = room.cat("worker_1")
    room.say("add-task 'parse it'")
    room.say("add-task test --depends-on 1 --detail 'by *hand*\nand\n\nby CI'")
    room.say("add-task drop")
    room.say("claim-task", agent(pane))
    room.say("update-task 1 --state done --note 'branch x'", agent(pane))
    room.say("update-task 3 --state cancelled")
    assert (
        room.say("export-tasks").text
        == f"""\
# Tasks

1 of 3 done.

- [x] **1.** parse it (done, owner: {escaped(f"{pane} worker_1")})

  **Note:** branch x

- [ ] **2.** test (depends on: 1)

  by \\*hand\\*\\
  and

  by CI

- [ ] **3.** ~~drop~~ (cancelled)
"""
    )


def test_an_empty_list_says_so(room: Room) -> None:
    assert room.say("export-tasks").text == "# Tasks\n\nThere are no tasks.\n"
    assert room.say("export-tasks --team blue").text == "# Tasks\n\nThere are no tasks.\n"


def test_a_hostile_text_adds_no_structure() -> None:
    plain = markdown([task(1, "a", detail="a", note="a", team="a"), task(2, "b")], {1: "a"})
    hostile = markdown([task(1, FORGED, detail=FORGED.replace("\n\n", "\n"), note="- [ ] **8.** x", team="<b>"),
                        task(2, "b")], {1: "[o](p)"})  # fmt: skip
    assert shape(rendered(hostile)) == shape(rendered(plain))
    detail = next(
        each
        for each in rendered(hostile)
        if each.type == "inline" and "Heading" in each.content and "**" not in each.content
    )
    assert shown(detail) == "\n".join(line.strip() for line in FORGED.replace("\n\n", "\n").splitlines())


@given(some.text(alphabet="#*_`~-+=>|[]()<>!&\\.:1ax \n\t", min_size=1, max_size=40))
def test_any_text_is_shown_as_it_is(text: str) -> None:
    title = clean(text)
    tokens = rendered(markdown([task(1, title or "a", detail=text, state=TaskState.OPEN)], {}))
    paragraphs = [shown(each) for each in tokens if each.type == "inline"][2:]
    assert set(shape(tokens)) <= {"heading_open", "inline", "paragraph_open", "bullet_list_open", "list_item_open"}
    lines = [line.strip() for paragraph in paragraphs[1:] for line in paragraph.splitlines()]
    assert lines == [clean(line) for line in clean_text(text).splitlines() if line.strip()]
