"""Secrets are not saved, and that something was withheld is."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.workspace.saved_workspaces import SECRETS, kept, sample

from fugue_tui.ids import PaneId
from fugue_tui.workspace.save_codec import decode
from fugue_tui.workspace.save_model import SavedPane, SavedWorkspace
from fugue_tui.workspace.secret_filter import WITHHELD, SecretFilter


def of_pane(**changes: Any) -> SavedWorkspace:
    """A workspace with one pane."""
    saved = sample(1)
    pane = replace(saved.workspace.panes[PaneId(1)], **changes)
    return replace(saved, workspace=replace(saved.workspace, panes={pane.id: pane}))


def test_values_of_secret_variables_are_not_saved_but_their_names_are() -> None:
    saved = of_pane(env={"GITHUB_TOKEN": "hunter2", "my_password": "hunter2", "EDITOR": "vim"})
    manifest = kept(saved, SECRETS)
    assert "hunter2" not in json.dumps(manifest)
    back, faults = decode(manifest)
    assert not faults
    assert back.workspace.panes[PaneId(1)].env == {"EDITOR": "vim"}
    assert back.seen[PaneId(1)].withheld == ("env.GITHUB_TOKEN", "env.my_password")


def test_what_was_withheld_once_stays_marked_until_it_is_there_again() -> None:
    back, _ = decode(kept(of_pane(env={"API_TOKEN": "hunter2"}), SECRETS))
    again, _ = decode(kept(back, SECRETS))
    assert again.seen[PaneId(1)].withheld == ("env.API_TOKEN",)
    pane = replace(again.workspace.panes[PaneId(1)], env={"API_TOKEN": "new"})
    given = replace(again, workspace=replace(again.workspace, panes={pane.id: pane}))
    assert decode(kept(given, ()))[0].seen[PaneId(1)].withheld == ()


def test_secrets_in_metadata_and_tags_are_not_saved() -> None:
    metadata = {"api_token": "hunter2", "deep": [{"db_password": "hunter2", "kind": "x"}], "line": "a --token hunter2"}
    saved = of_pane(metadata=metadata, tags=frozenset({"SECRET=hunter2", "blue"}))
    manifest = kept(saved, SECRETS)
    assert "hunter2" not in json.dumps(manifest)
    pane = decode(manifest)[0].workspace.panes[PaneId(1)]
    assert pane.metadata == {"deep": [{"kind": "x"}], "line": f"a --token {WITHHELD}"}
    assert pane.tags == {f"SECRET={WITHHELD}", "blue"}
    assert decode(manifest)[0].seen[PaneId(1)].withheld == ("metadata.api_token", "tags")


@pytest.mark.parametrize(
    "argv",
    [
        ("curl", "--token", "hunter2"),
        ("prog", "--db-password=hunter2"),
        ("env", "API_TOKEN=hunter2", "make"),
        ("sh", "-c", "FOO_SECRET='hunter2 x' make && deploy --api-key hunter2"),
        ("curl", "-H", "Authorization: Bearer hunter2"),
        ("sh", "-c", 'curl -H "X-Api-Key: hunter2" http://host/'),
        ("psql", "postgres://me:hunter2@host/db"),
        ("curl", "https://host/?access_token=hunter2"),
        ("curl", "-d", '{"password": "hunter2"}'),
        ("sh", "-c", "login --token 'hunter2"),
        ("sh", "-c", "API_TOKEN=\"hunter2\"'hunter2'hunter2 make"),
        ("mysql", "-u", "root", "-phunter2", "db"),
        ("sudo", "/usr/bin/mysqldump", "-phunter2"),
        ("sh", "-c", "cd /tmp && mysql -uroot -p'hunter2 x' db | less"),
        ("sh", "-c", "ssh host 'mysql -phunter2 db'"),
        ("curl", "-u", "me:hunter2", "http://host/"),
        ("curl", "--user=me:hunter2", "http://host/"),
        ("curl", "-ume:hunter2"),
        ("sshpass", "-p", "hunter2", "ssh", "host"),
        ("sshpass", "-phunter2", "ssh", "host"),
        ("redis-cli", "-a", "hunter2"),
        ("redis-cli", "--pass", "hunter2"),
        ("docker", "login", "-u", "me", "-p", "hunter2", "registry"),
        ("sh", "-c", "true; podman login -p hunter2 registry"),
        ("smbclient", "//host/share", "-U", "me%hunter2"),
        ("7z", "x", "-phunter2", "a.7z"),
        ("unzip", "-P", "hunter2", "a.zip"),
        ("ldapsearch", "-x", "-w", "hunter2"),
        ("openssl", "rsa", "-passin", "pass:hunter2"),
        ("aws", "configure", "set", "aws_secret_access_key", "hunter2"),
        ("nmcli", "device", "wifi", "connect", "net", "password", "hunter2"),
        ("vault", "login", "hunter2"),
        ("http", "-a", "me:hunter2", "host"),
        ("mount", "-o", "username=me,password=hunter2", "//host/share"),
        ("curl", "https://host/?user=me&access_token=hunter2&x=1"),
        ("curl", "-d", "{'password': 'hunter2'}"),
        ("sh", "-c", 'curl -d "{\\"password\\": \\"hunter2\\"}"'),
        ("prog", "--authToken=hunter2"),
        ("prog", "--pass", "hunter2"),
        ("psql", "postgres://me:hunter2@x@host/db"),
        ("curl", "-H", "apikey: hunter2"),
        ("grpcurl", "Bearer hunter2hunter2"),
        ("git", "clone", "https://ghp_hunter2hunter2hunter2hunter2@github.com/a/b"),
        ("agent", "sk-ant-hunter2hunter2hunter2"),
        ("decode", "eyJhunter2hunter2.eyJhunter2hunter2.hunter2hunter2"),
    ],
)
def test_secrets_that_say_what_they_are_stay_out_of_command_lines(argv: tuple[str, ...]) -> None:
    saved = of_pane(argv=argv)
    seen = SavedPane(argv=argv, title=" ".join(argv), resume=argv)
    manifest = kept(replace(saved, seen={PaneId(1): seen}), SECRETS)
    assert "hunter2" not in json.dumps(manifest)
    back, faults = decode(manifest)
    assert not faults
    assert back.seen[PaneId(1)].withheld == ("argv", "foreground", "resume", "title")
    assert kept(back, SECRETS) == manifest


@pytest.mark.parametrize(
    "argv",
    [
        ("git", "log", "--author=me"),
        ("ssh", "-p22", "host"),
        ("make", "-j4", "CC=clang"),
        ("docker", "login", "--password-stdin"),
        ("vim", "src/token.py"),
        ("curl", "http://host:80/a@b"),
        ("pytest", "-k", "token or secret"),
        ("prog", "--password", "--verbose"),
        ("mysql", "-p", "db"),
        ("mysql", "-P3306", "-uroot", "db"),
        ("docker", "run", "-p", "80:80", "nginx"),
        ("docker", "compose", "-p", "shop", "up"),
        ("mkdir", "-p", "a/b"),
        ("curl", "-u", "me", "http://host/"),
        ("curl", "http://host:80?to=a@b"),
        ("sh", "-c", "mysql db; mkdir -p hunter2 && cp -a x y"),
        ("prog", "--bypass=1", "--max-tokens", "100", "--tokenizer", "x"),
        ("vim", "sk-learn-notes.md", "task-list.txt"),
        ("sh", "-c", "FOO=1 BAR=2 make"),
        ("redis-cli", "-p", "6379"),
        ("sh", "-c", "echo 'a  b'  \"c d\"  e\n\nf"),
    ],
)
def test_ordinary_command_lines_are_saved_as_they_are(argv: tuple[str, ...]) -> None:
    saved = of_pane(argv=argv)
    assert decode(kept(saved, SECRETS))[0].workspace.panes[PaneId(1)].argv == argv


@given(st.lists(st.text("ab =:'\"-@/?tokenTOKEN_", max_size=40), max_size=4))
def test_filtering_twice_is_filtering_once(argv: list[str]) -> None:
    sieve = SecretFilter(SECRETS)
    once = sieve.words(argv)
    assert sieve.words(once) == once


WORDS = ["mysql", "-p", "-px", "curl", "-u", "a:b", "'", '"', ";", "|", "login", "docker", "\n", "TOKEN=", "x"]
LINE = st.lists(st.sampled_from(WORDS))


@pytest.mark.slow
@given(LINE.map(" ".join))
def test_filtering_the_words_of_programs_twice_is_filtering_once(line: str) -> None:
    sieve = SecretFilter(SECRETS)
    once = sieve.line(line)
    assert sieve.line(once) == once
    words = sieve.words(line.split(" "))
    assert sieve.words(words) == words


@given(st.text("ab \t\n'\"|;&()`", max_size=60))
def test_text_without_secrets_is_left_as_it_is(line: str) -> None:
    assert SecretFilter(SECRETS).line(line) == line


@pytest.mark.slow
def test_filtering_takes_no_longer_for_hostile_text() -> None:
    sieve = SecretFilter(SECRETS)
    for part in (
        "--a-",
        "a",
        "://",
        ":// :",
        "TOKEN=",
        "x-a-",
        "'",
        '"',
        '"a',
        "--token '",
        '--token "',
        "cookie ",
        "\n ",
        "mysql ",
        "mysql -p",
        "'mysql -p ",
        "curl -u a:",
        "ghp_",
        "eyJaaaaaaaaaaaa.",
        "-----BEGIN ",
        "bearer ",
        "://a:b",
        "://a:b?",
        '\\"a\\":\\"',
        "a=",
        "--pw-",
        "a.",
        "a.b-",
    ):
        start = time.process_time()
        once = sieve.line(part * 20_000)
        assert sieve.line(once) == once, part
        assert time.process_time() - start < 5, part


@pytest.mark.parametrize(
    ("line", "without"),
    [
        ("db.API_TOKEN=a", "db.API_TOKEN=[withheld]"),
        (".API_TOKEN=a", ".API_TOKEN=[withheld]"),
        ("-c.API_TOKEN=a", "-c.API_TOKEN=[withheld]"),
        ("1.API_TOKEN=a", "1.API_TOKEN=[withheld]"),
        ("é.API_TOKEN=a", "é.API_TOKEN=[withheld]"),
        ("1API_TOKEN=a", "1API_TOKEN=a"),
    ],
)
def test_a_dotted_name_counts_from_its_first_letter(line: str, without: str) -> None:
    assert SecretFilter(SECRETS).line(line) == without


def test_metadata_that_is_no_json_is_not_saved() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    metadata = {"nan": float("nan"), "object": object(), "deep": deep, "huge": 10**400, "fine": (1, 2)}
    assert decode(kept(of_pane(metadata=metadata)))[0].workspace.panes[PaneId(1)].metadata == {"fine": [1, 2]}
