"""`fugue-tui say` prints tags that are parsed as they were meant."""

import json
from pathlib import Path

import pytest

from fugue_tui.cli.main import run
from fugue_tui.sideband.stream_parser import StreamParser
from fugue_tui.sideband.tag import Tag


@pytest.fixture(autouse=True)
def pane(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("FUGUE_SIDEBAND_KEY", "k3y")
    monkeypatch.setenv("FUGUE_SIDEBAND_REPLY", str(tmp_path / "reply.json"))
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str]) -> list[Tag]:
    return [each for each in StreamParser().feed(capsys.readouterr().out.encode()) if isinstance(each, Tag)]


@pytest.mark.parametrize("form", [(), ("--form", "xml"), ("--form=osc",)])
def test_what_is_said_is_parsed(capsys: pytest.CaptureFixture[str], form: tuple[str, ...]) -> None:
    assert run(["say", *form, "spawn", "--command", "echo \"a\" 'b' <c> & d", "--direction=vertical", "--id", "1"]) == 0
    [tag] = printed(capsys)
    wanted = {"command": "echo \"a\" 'b' <c> & d", "direction": "vertical", "id": "1", "key": "k3y"}
    assert (tag.name, tag.attributes, tag.text) == ("spawn", wanted, "")


def test_text_and_an_id_of_its_own(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FUGUE_SIDEBAND_KEY")
    run(["say", "input", "--target", "%3", "--", "make", "--always-make", "é<"])
    run(["say", "input", "--target", "%3", "x"])
    one, two = printed(capsys)
    assert (one.text, two.text) == ("make --always-make é<", "x")
    assert one.attributes.keys() == {"target", "id"}
    assert one.attributes["id"] != two.attributes["id"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "say: requires one of"),
        (["explode"], "say: requires one of"),
        (["list", "--reply"], "'--reply' requires a value"),
        (["list", "--form", "json"], "'json' is not one of osc, xml"),
        (["notify", "x" * 5_000], "longer than 4096 bytes"),
        (["notify", "a\x1b[2J"], "no control characters"),
        (["notify", "--te xt", "a"], 'the attributes are not name="value"'),
    ],
)
def test_what_no_tag_can_say_is_an_error(words: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["say", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert reason in captured.err


def test_waiting_needs_a_pane(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FUGUE_SIDEBAND_REPLY")
    assert run(["say", "--wait", "list"]) == 1
    assert "FUGUE_SIDEBAND_REPLY is not set" in capsys.readouterr().err


def test_the_answer_is_printed_and_its_file_deleted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, pane: Path
) -> None:
    (pane / "r1.json").write_text(json.dumps({"ok": True}) + "\n")
    monkeypatch.setattr("fugue_tui.cli.say_command._print", lambda text, tty: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert run(["say", "--wait", "list", "--id", "r1"]) == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True}
    assert list(pane.iterdir()) == []
