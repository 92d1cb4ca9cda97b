"""Failed test runs are reported with the failed tests and a command that reruns the first of them."""

import pytest
from tests.output_analysis.classifying import classified
from tests.output_analysis.conftest import recorded

from fugue_tui.output_analysis.outcome.classify import detect
from fugue_tui.output_analysis.results import Meaning


def test_a_failed_test_run_is_classified_as_documented() -> None:
    found = recorded("intent/cargo-test-failed-full")
    result = detect("cargo test", found.output, found.exit_code)
    assert result.intent is Meaning.TEST_FAILURE
    assert result.confidence >= 0.95
    assert result.context.failed_tests == ("test_pane_creation", "test_resize")
    assert result.context.error_summary == "2 tests failed, 15 passed"
    assert result.suggested_actions == ("cargo test test_pane_creation -- --nocapture",)


TESTS: list[tuple[str, tuple[str, ...], str]] = [
    (
        "pytest-failed",
        ("tests/test_shop.py::test_total[2]", "tests/test_shop.py::TestCart::test_empty"),
        "python -m pytest 'tests/test_shop.py::test_total[2]' -vv",
    ),
    (
        "unittest-failed",
        ("test_u.Thing.test_broken", "test_u.Thing.test_bad"),
        "python3 -m unittest test_u.Thing.test_broken",
    ),
    ("go-test-failed", ("TestBad", "TestTable/empty"), "go test -v -run '^TestBad$' ./..."),
    ("jest-failed", ("cart › fails when empty", "top level"), "npx jest -t 'cart fails when empty'"),
    ("vitest-failed", ("cart > fails when empty",), "npx vitest run a.test.ts -t 'cart fails when empty'"),
    ("mocha-failed", ("fails on purpose",), "npx mocha -g 'fails on purpose'"),
    ("node-test-failed", ("bad sum",), "node --test --test-name-pattern 'bad sum'"),
]


@pytest.mark.parametrize(("name", "tests", "action"), TESTS, ids=[name for name, _, _ in TESTS])
def test_failed_tests_are_named_with_a_rerun_of_the_first(name: str, tests: tuple[str, ...], action: str) -> None:
    found = classified(name)
    assert found.context.failed_tests == tests
    assert found.suggested_actions == (action,)


def test_the_exit_code_excludes_results_that_contradict_it() -> None:
    passed = recorded("intent/pytest-passed").output
    assert detect("pytest", passed, 1).intent is Meaning.UNKNOWN
    assert detect("", passed, None).intent is Meaning.TEST_SUCCESS


def test_a_rerun_is_suggested_with_the_runner_of_the_command() -> None:
    output = recorded("intent/unittest-failed").output
    own = detect(".venv/bin/python -m unittest", output, 1).suggested_actions[0]
    assert own.startswith(".venv/bin/python -m unittest ")
    for runner in ("./run-tests", "make test", "tox -e py311", "npm test"):
        found = detect(runner, output, 1)
        assert found.intent is Meaning.TEST_FAILURE, runner
        assert found.suggested_actions == ("python -m unittest test_u.Thing.test_broken",)


def test_a_test_file_run_as_a_script_is_a_failed_test_run_and_no_crash() -> None:
    output = (
        "F\n" + "=" * 70 + "\nFAIL: test_x (__main__.T.test_x)\n" + "-" * 70 + "\n"
        "Traceback (most recent call last):\n"
        '  File "/home/me/test_u.py", line 3, in test_x\n'
        "    def test_x(self): self.assertEqual(1,2)\n"
        "AssertionError: 1 != 2\n\n" + "-" * 70 + "\nRan 1 test in 0.000s\n\nFAILED (failures=1)\n"
    )
    found = detect("python test_u.py", output, 1)
    assert (found.intent, found.context.failed_tests) == (Meaning.TEST_FAILURE, ("__main__.T.test_x",))
    assert found.suggested_actions == ("python test_u.py T.test_x",)
    assert detect("", output, 1).suggested_actions == ()
    assert detect("python a.py b", output.replace("FAILED (", "failed ("), 1).intent is Meaning.CRASH


def test_a_test_module_that_cannot_be_imported_is_named_without_the_loader() -> None:
    output = (
        "E\n" + "=" * 70 + "\nERROR: test_imp (unittest.loader._FailedTest.test_imp)\n" + "-" * 70 + "\n"
        "ImportError: Failed to import test module: test_imp\n"
        "Traceback (most recent call last):\n"
        '  File "/home/me/test_imp.py", line 1, in <module>\n'
        "    import nope\n"
        "ModuleNotFoundError: No module named 'nope'\n\n" + "-" * 70 + "\nRan 1 test in 0.000s\n\nFAILED (errors=1)\n"
    )
    found = detect("python -m unittest test_imp", output, 1)
    assert found.context.failed_tests == ("test_imp",)
    assert found.suggested_actions == ("python -m unittest test_imp",)
    assert Meaning.DEPENDENCY_MISSING in [other.intent for other in found.also]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cargo test nope", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n"),
        ("go test -run Nope ./...", "ok  \tx\t0.002s [no tests to run]\n"),
        ("npx jest", "Test Suites: 1 skipped, 0 of 1 total\nTests:       1 skipped, 1 total\n"),
        ("node --test", "# tests 0\n# pass 0\n# fail 0\n"),
        ("pytest -k nope", "============ 3 deselected in 0.01s ============\n"),
        ("python -m unittest", "\n" + "-" * 70 + "\nRan 0 tests in 0.000s\n\nOK\n"),
    ],
)
def test_a_run_without_a_test_is_no_success_of_tests(command: str, output: str) -> None:
    assert detect(command, output, 0).intent is Meaning.SUCCESS


def test_a_test_in_documentation_is_named() -> None:
    output = (
        "test src/lib.rs - add (line 2) ... FAILED\n\nfailures:\n\n---- src/lib.rs - add (line 2) stdout ----\n"
        "Test executable failed (exit status: 101).\n\n\nfailures:\n    src/lib.rs - add (line 2)\n\n"
        "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n"
    )
    found = detect("cargo test", output, 101)
    assert (found.intent, found.context.failed_tests) == (Meaning.TEST_FAILURE, ("src/lib.rs - add (line 2)",))


def test_a_go_test_that_took_too_long_is_named() -> None:
    output = (
        "panic: test timed out after 1s\n\trunning tests:\n\t\tTestSlow (1s)\n\ngoroutine 17 [running]:\n"
        "testing.(*M).startAlarm.func1()\n\t/go/src/testing/testing.go:2240 +0x3b9\nFAIL\tx\t1.007s\nFAIL\n"
    )
    found = detect("go test -timeout 1s ./...", output, 1)
    assert (found.intent, found.context.failed_tests) == (Meaning.TEST_FAILURE, ("TestSlow",))
