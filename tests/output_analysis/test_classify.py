"""A command's outcome is classified by its words, exit code and output, not by words that merely occur."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.output_analysis.classifying import classified
from tests.output_analysis.conftest import names, recorded
from tests.output_analysis.samples import SAMPLES

from fugue_tui.output_analysis.outcome.classify import detect
from fugue_tui.output_analysis.outcome.rules.loader import rules
from fugue_tui.output_analysis.results import Meaning

MEANINGS: list[tuple[str, Meaning, str]] = [
    ("assert-c", Meaning.CRASH, "Assertion `1==2' failed."),
    ("cargo-build-error", Meaning.BUILD_ERROR, "3 errors: unresolved import `serde`"),
    ("cargo-build-warning", Meaning.SUCCESS, ""),
    ("cargo-run-panic", Meaning.CRASH, "index out of bounds: the len is 0 but the index is 3"),
    ("cargo-test-failed", Meaning.TEST_FAILURE, "2 tests failed, 15 passed"),
    ("cargo-test-passed", Meaning.TEST_SUCCESS, ""),
    ("cargo-unresolved", Meaning.DEPENDENCY_MISSING, "error: no matching package named `nosuchcratefugue` found"),
    ("command-not-found", Meaning.DEPENDENCY_MISSING, "bash: line 1: frobnicate: command not found"),
    ("sh-not-found", Meaning.DEPENDENCY_MISSING, "sh: 1: frobnicate: not found"),
    ("curl-dns", Meaning.NETWORK_ERROR, "Could not resolve host: no-such-host.invalid"),
    ("disk-full", Meaning.DISK_FULL, "dd: error writing '/dev/full': No space left on device"),
    ("disk-full-python", Meaning.DISK_FULL, "OSError: [Errno 28] No space left on device"),
    ("eslint-error", Meaning.LINT_ERROR, "2 errors, 1 warning: 'a' is assigned a value but never used no-unused-vars"),
    ("flask-ready", Meaning.SERVER_READY, ""),
    ("http-server-ready", Meaning.SERVER_READY, ""),
    ("uvicorn-ready", Meaning.SERVER_READY, ""),
    ("gcc-error", Meaning.BUILD_ERROR, "2 errors: ‘y’ undeclared (first use in this function)"),
    ("gcc-link-error", Meaning.BUILD_ERROR, "collect2: error: ld returned 1 exit status"),
    ("gcc-g-link-error", Meaning.BUILD_ERROR, "1 error: undefined reference to `missing'"),
    ("gcc-warning", Meaning.SUCCESS, ""),
    ("git-merge-conflict", Meaning.GIT_CONFLICT, "CONFLICT (content): Merge conflict in f.txt"),
    ("git-rebase-conflict", Meaning.GIT_CONFLICT, "CONFLICT (content): Merge conflict in f.txt"),
    ("git-rebase-dirty", Meaning.GIT_CONFLICT, "error: cannot rebase: You have unstaged changes."),
    ("pip-externally-managed", Meaning.PERMISSION_DENIED, "error: externally-managed-environment"),
    ("git-status-conflict", Meaning.GIT_CONFLICT, "You have unmerged paths."),
    ("git-push-rejected", Meaning.GIT_REJECTED, "! [rejected] main -> main (fetch first)"),
    ("git-not-a-repository", Meaning.NOT_FOUND, "fatal: not a git repository (or any of the parent directories): .git"),
    (
        "go-build-error",
        Meaning.BUILD_ERROR,
        '2 errors: cannot use "x" (untyped string constant) as int value in return statement',
    ),
    ("go-test-failed", Meaning.TEST_FAILURE, "2 tests failed"),
    ("go-test-verbose-failed", Meaning.TEST_FAILURE, "2 tests failed, 1 passed"),
    ("go-test-passed", Meaning.TEST_SUCCESS, ""),
    ("go-panic", Meaning.CRASH, "assignment to entry in nil map"),
    ("javac-error", Meaning.BUILD_ERROR, "2 errors: incompatible types: String cannot be converted to int"),
    ("jest-failed", Meaning.TEST_FAILURE, "2 tests failed, 1 passed"),
    ("jest-passed", Meaning.TEST_SUCCESS, ""),
    ("keyboard-interrupt", Meaning.INTERRUPTED, "KeyboardInterrupt"),
    ("make-error", Meaning.BUILD_ERROR, "2 errors: ‘y’ undeclared (first use in this function)"),
    ("make-no-rule", Meaning.BUILD_ERROR, "No rule to make target 'nothing.x', needed by 'other'. Stop."),
    ("mocha-failed", Meaning.TEST_FAILURE, "1 test failed, 1 passed"),
    ("mocha-passed", Meaning.TEST_SUCCESS, ""),
    ("node-port-in-use", Meaning.PORT_IN_USE, "Error: listen EADDRINUSE: address already in use 127.0.0.1:8764"),
    ("node-test-failed", Meaning.TEST_FAILURE, "1 test failed, 1 passed"),
    ("node-type-error", Meaning.CRASH, "TypeError: Cannot read properties of null (reading 'x')"),
    ("permission-cat", Meaning.PERMISSION_DENIED, "cat: /etc/shadow: Permission denied"),
    ("permission-run", Meaning.PERMISSION_DENIED, "bash: line 1: ./noexec.sh: Permission denied"),
    ("pytest-failed", Meaning.TEST_FAILURE, "2 tests failed, 6 passed"),
    ("pytest-quiet-failed", Meaning.TEST_FAILURE, "2 tests failed, 6 passed"),
    ("pytest-passed", Meaning.TEST_SUCCESS, ""),
    ("python-oom", Meaning.CRASH, "MemoryError"),
    ("python-port-in-use", Meaning.PORT_IN_USE, "OSError: [Errno 98] Address already in use"),
    ("python-syntax-error", Meaning.SYNTAX_ERROR, "invalid syntax"),
    ("python-traceback", Meaning.CRASH, "ZeroDivisionError: division by zero"),
    ("segfault-c", Meaning.CRASH, "bash: line 1: 13921 Segmentation fault ./seg"),
    ("timeout", Meaning.TIMED_OUT, "exit code 124"),
    ("tsc-pretty-error", Meaning.BUILD_ERROR, "2 errors: Type 'string' is not assignable to type 'number'."),
    ("unittest-failed", Meaning.TEST_FAILURE, "1 test failed, 1 error, 1 passed"),
    ("unittest-passed", Meaning.TEST_SUCCESS, ""),
    ("vitest-failed", Meaning.TEST_FAILURE, "1 test failed, 1 passed"),
    ("vitest-passed", Meaning.TEST_SUCCESS, ""),
]


@pytest.mark.parametrize(("name", "meaning", "summary"), MEANINGS, ids=[name for name, _, _ in MEANINGS])
def test_a_recorded_output_is_classified(name: str, meaning: Meaning, summary: str) -> None:
    found = classified(name)
    assert (found.intent, found.context.error_summary) == (meaning, summary)
    assert found.confidence >= 0.85
    assert found.evidence


NEGATIVE = ["cat-log", "grep-log", "grep-source", "tail-log", "says-error", "configure-ok", "git-log-errors", "true"]


@pytest.mark.parametrize("name", NEGATIVE)
def test_text_about_failures_is_no_failure(name: str) -> None:
    found = classified(name)
    assert found.intent is Meaning.SUCCESS
    assert found.context.failed_tests == ()


@pytest.mark.parametrize("name", ["cat-log", "tail-log", "grep-log"])
def test_a_log_that_is_shown_is_no_evidence_even_before_its_end(name: str) -> None:
    found = recorded(f"intent/{name}")
    assert detect(found.command, found.output, None).intent is Meaning.UNKNOWN
    assert detect(found.command, found.output, 1).intent is Meaning.UNKNOWN


@pytest.mark.parametrize("name", ["git-commit-nothing", "pytest-no-tests", "npm-test-failed"])
def test_a_failure_without_a_rule_is_unknown(name: str) -> None:
    found = classified(name)
    assert (found.intent, found.confidence, found.suggested_actions) == (Meaning.UNKNOWN, 0.0, ())
    assert found.context.error_summary == f"exit code {recorded(f'intent/{name}').exit_code}"


def test_a_failure_is_found_though_a_pipe_hides_the_exit_code() -> None:
    output = recorded("intent/pytest-failed").output
    assert detect("pytest | tail -30", output, 0).intent is Meaning.TEST_FAILURE
    assert detect("pytest; echo done", output, 0).intent is Meaning.TEST_FAILURE
    assert detect("pytest", output, 0).intent is Meaning.SUCCESS


def test_the_confidence_is_lower_if_the_command_is_unknown() -> None:
    output = recorded("intent/pytest-failed").output
    known, script, unknown = (detect(command, output, 1).confidence for command in ("pytest", "make check", ""))
    assert known > script > unknown > 0.5


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (130, Meaning.INTERRUPTED),
        (-2, Meaning.INTERRUPTED),
        (139, Meaning.CRASH),
        (-11, Meaning.CRASH),
        (137, Meaning.CRASH),
        (127, Meaning.DEPENDENCY_MISSING),
        (126, Meaning.PERMISSION_DENIED),
        (0, Meaning.SUCCESS),
        (3, Meaning.UNKNOWN),
        (None, Meaning.UNKNOWN),
    ],
)
def test_an_exit_code_alone_is_classified(code: int | None, meaning: Meaning) -> None:
    assert detect("./tool", "", code).intent is meaning


@pytest.mark.parametrize("sample", SAMPLES, ids=[f"{name}: {command}" for name, command, _, _ in SAMPLES])
def test_a_documented_output_is_classified_by_its_rule(sample: tuple[str, str, int | None, str]) -> None:
    name, command, code, output = sample
    found = detect(command, output, code)
    assert found.evidence[0].rule == name
    assert found.intent in {rule.meaning for rule in rules() if rule.name == name}


def test_every_rule_matches_a_recording_or_a_sample() -> None:
    lines = {line.rstrip() for name in names("intent") for line in recorded(name).output.expandtabs(8).splitlines()}
    proved = {rule.name for rule in rules() if any(rule.line.fullmatch(line) for line in lines)}
    assert {rule.name for rule in rules()} == proved | {name for name, _, _, _ in SAMPLES}


def test_lines_are_numbered_as_in_the_output_that_was_given() -> None:
    output = "\n" * 5 + "x\n" * 30_000 + "bash: frobnicate: command not found\n"
    assert detect("frobnicate", output, 127).evidence[0].line == output.count("\n")


@pytest.mark.slow
@given(
    st.sampled_from(["pytest", "cargo test", "ls", "cat x", "", "make; true", "git status | cat"]),
    st.lists(
        st.sampled_from(
            [
                line
                for name in ("pytest-failed", "cargo-test-failed-full", "gcc-error", "node-type-error", "tail-log")
                for line in recorded(f"intent/{name}").output.splitlines()
            ]
        ),
        max_size=20,
    ),
    st.sampled_from([None, 0, 1, 101, -11]),
)
def test_any_mixture_of_lines_is_classified_without_an_error(command: str, lines: list[str], code: int | None) -> None:
    found = detect(command, "\n".join(lines), code)
    assert 0 <= found.confidence <= 1
    assert (found.intent is Meaning.UNKNOWN) == (found.confidence == 0)


@pytest.mark.parametrize(
    ("command", "output", "path"),
    [
        ("cd /nofile", "bash: line 1: cd: /nofile: No such file or directory\n", "/nofile"),
        ("cd /nofile", "bash: cd: /nofile: No such file or directory\n", "/nofile"),
        ("cd /nofile", "dash: 1: cd: can't cd to /nofile\n", "/nofile"),
        ("tar xf no", "tar: no: Cannot open: No such file or directory\ntar: Error is not recoverable\n", "no"),
        ("node a.js", "Error: Cannot find module '/home/me/a.js'\n    at x (y:1:1)\n\nNode.js v20\n", "/home/me/a.js"),
        ("git clone /no", "fatal: repository '/no' does not exist\n", "/no"),
        (
            "pip install -r no.txt",
            "ERROR: Could not open requirements file: [Errno 2] No such file or directory: 'no.txt'\n",
            "no.txt",
        ),
    ],
)
def test_a_missing_path_is_extracted_without_the_words_around_it(command: str, output: str, path: str) -> None:
    found = detect(command, output, 1)
    assert (found.intent, found.context.details["path"]) == (Meaning.NOT_FOUND, path)


@pytest.mark.parametrize(
    "command", ["cat old.log; exit 1", "cd logs && tail old.log; false", "cat old.log | less; [ -f x ]"]
)
def test_a_log_that_is_shown_before_something_silent_fails_is_no_failed_test_run(command: str) -> None:
    assert detect(command, recorded("intent/pytest-failed").output, 1).intent is Meaning.UNKNOWN


def test_a_write_error_of_the_shell_itself_is_classified() -> None:
    output = "bash: line 1: echo: write error: No space left on device\n"
    assert detect("echo x > /dev/full", output, 1).intent is Meaning.DISK_FULL
    assert detect("cat notes", output.replace("bash", "other"), 1).intent is Meaning.UNKNOWN


@pytest.mark.parametrize(
    "command",
    [
        "vim old.log",
        "claude",
        "nano old.log",
        "lazygit",
        "tmux attach",
        "docker compose logs -f",
        "gh run view --log",
        "curl x",
    ],
)
@pytest.mark.parametrize("code", [None, 1])
def test_text_in_an_editor_an_agent_or_a_log_viewer_is_no_evidence(command: str, code: int | None) -> None:
    for name in ("pytest-failed", "cargo-build-error", "node-port-in-use", "python-traceback"):
        assert detect(command, recorded(f"intent/{name}").output, code).intent is Meaning.UNKNOWN


@pytest.mark.parametrize(
    ("command", "output", "port"),
    [
        ("nginx", "nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)\n", "80"),
        (
            "redis-server",
            "# Could not create server TCP listening socket *:6379: bind: Address already in use\n",
            "6379",
        ),
        ("gunicorn a", "[2026-11-21 16:51:00 +0000] [1] [ERROR] Connection in use: ('127.0.0.1', 8000)\n", "8000"),
        ("rails s", 'Address already in use - bind(2) for "127.0.0.1" port 3000 (Errno::EADDRINUSE)\n', "3000"),
        ("java -jar x", "Web server failed to start. Port 8080 was already in use.\n", "8080"),
    ],
)
def test_the_port_in_use_is_extracted_for_servers(command: str, output: str, port: str) -> None:
    found = detect(command, output, 1)
    assert (found.intent, found.context.details["port"]) == (Meaning.PORT_IN_USE, port)
    assert found.suggested_actions == (f"ss -ltnp 'sport = :{port}'",)


@pytest.mark.parametrize(
    ("command", "output", "meaning"),
    [
        ("git pull", "fatal: Need to specify how to reconcile divergent branches.\n", Meaning.GIT_REJECTED),
        ("git push", "remote: Permission to a/b.git denied to c.\nfatal: unable to access\n", Meaning.AUTH_REQUIRED),
        ("ssh h", "ssh: connect to host h port 22: No route to host\n", Meaning.NETWORK_ERROR),
        ("docker pull x", "failed to register layer: write /x: no space left on device\n", Meaning.DISK_FULL),
        (
            "pip install x",
            "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/usr/lib/x'\n",
            Meaning.PERMISSION_DENIED,
        ),
    ],
)
def test_refusals_by_the_system_and_by_servers_are_classified(command: str, output: str, meaning: Meaning) -> None:
    assert detect(command, output, 1).intent is meaning


RUNNERS = {
    "rspec failed": (("./spec/a_spec.rb:3",), {"failed": 1}),
    "ctest failed": (("fits",), {"failed": 1, "total": 2, "passed": 1}),
    "Maven tests failed": ((), {"failed": 1, "errors": 0, "skipped": 0, "total": 3, "passed": 2}),
    "Gradle tests failed": (("ATest > fits()",), {"failed": 1, "total": 3, "passed": 2}),
    "PHPUnit failed": (("Shop\\ATest::testFits",), {"failed": 1, "total": 3, "passed": 2}),
    "dotnet tests failed": ((), {"failed": 1, "passed": 2, "skipped": 0, "total": 3}),
    "bun tests failed": (("adds",), {"failed": 1, "passed": 1}),
    "Playwright failed": (("a.spec.ts:3:1 › has title",), {"failed": 1, "passed": 2}),
}


@pytest.mark.parametrize("name", RUNNERS)
def test_failed_tests_and_counts_of_further_runners_are_extracted(name: str) -> None:
    _, command, code, output = next(sample for sample in SAMPLES if sample[0] == name)
    found = detect(command, output, code)
    assert (found.intent, found.context.failed_tests, found.context.counts) == (Meaning.TEST_FAILURE, *RUNNERS[name])


def test_an_error_of_the_linker_has_its_symbol_and_place() -> None:
    assert classified("gcc-link-error").context.details == {"symbol": "missing", "source": "und.c"}
    context = classified("gcc-g-link-error").context
    assert context.details["symbol"] == "missing"
    assert [(each.file, each.line) for each in context.locations] == [("/src/und.c", 2)]
