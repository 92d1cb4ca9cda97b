"""What test runners print when they are done.

What further test runners print when tests fail; that they passed, their exit codes tell.
"""

import re
from typing import Final

from fugue_tui.output_analysis.outcome.rules.rule import COLUMN, JS_STACK, PLACE, Clue, Ending, Rule, Side, line
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.output_analysis.word_set import word_set

_NAMED: Final = re.compile(r"(?P<what>Failed|Passed|Failures|Errors|Skipped): +(?P<count>\d+)")

FURTHER_RULES: Final = (
    Rule(
        "rspec failed",
        Meaning.TEST_FAILURE,
        0.96,
        " failure",
        line(r"\d+ examples?, [1-9]\d* failures?(?:, \d+ .{1,100})?"),
        programs=word_set("rspec rake"),
        clues=(Clue("rspec ", line(r"rspec (?P<test>\S{1,300}) # .*"), Side.AFTER),),
        tally=("", re.compile(r"(?P<count>\d+) (?P<what>failures|pending)")),
        actions=("rspec {test}",),
    ),
    Rule(
        "ctest failed",
        Meaning.TEST_FAILURE,
        0.97,
        "tests passed, ",
        line(r"\d+% tests passed, [1-9]\d* tests? failed out of (?P<total>\d{1,9})"),
        programs=word_set("ctest make ninja cmake"),
        clues=(Clue(" - ", line(r"\s*\d+ - (?P<test>\S{1,300}) \([A-Z].{1,40}\).*"), Side.AFTER),),
        tally=("", re.compile(r"(?P<count>\d+) tests? (?P<what>failed)")),
        actions=("ctest --rerun-failed --output-on-failure",),
    ),
    Rule(
        "Maven tests failed",
        Meaning.TEST_FAILURE,
        0.96,
        "Tests run: ",
        line(r"\[ERROR\] Tests run: (?P<total>\d{1,9}), Failures: \d+, Errors: \d+, Skipped: \d+"),
        programs=word_set("mvn mvnw"),
        needs="BUILD FAILURE",
        tally=("", _NAMED),
    ),
    Rule(
        "Gradle tests failed",
        Meaning.TEST_FAILURE,
        0.96,
        " tests completed, ",
        line(r"(?P<total>\d{1,9}) tests? completed, [1-9]\d* failed(?:, \d+ skipped)?"),
        programs=word_set("gradle gradlew"),
        clues=(Clue(" FAILED", line(r"(?P<test>\S{1,200} > .{1,200}) FAILED")),),
        tally=("", re.compile(r"(?P<count>\d+) (?P<what>failed|skipped)")),
    ),
    Rule(
        "PHPUnit failed",
        Meaning.TEST_FAILURE,
        0.96,
        "Assertions: ",
        line(r"Tests: (?P<total>\d{1,9}), Assertions: \d+(?:, [A-Z][\w ]{1,20}: \d+){1,8}\."),
        programs=word_set("phpunit"),
        above=line(r"(?:FAILURES|ERRORS)!"),
        clues=(Clue(") ", line(r"\d{1,6}\) (?P<test>[\w\\]{1,200}::\w{1,200}).*")),),
        tally=("", _NAMED),
    ),
    Rule(
        "dotnet tests failed",
        Meaning.TEST_FAILURE,
        0.96,
        "Failed!  - ",
        line(r"Failed!  - Failed: +[1-9]\d*, Passed: +\d+, Skipped: +\d+, Total: +(?P<total>\d{1,9}).*"),
        programs=word_set("dotnet"),
        tally=("", _NAMED),
    ),
    Rule(
        "bun tests failed",
        Meaning.TEST_FAILURE,
        0.95,
        " fail",
        line(r" +[1-9]\d* fail"),
        programs=word_set("bun"),
        clues=(Clue("(fail) ", line(r"\(fail\) (?P<test>.{1,300}?)(?: \[\d[\d.]*m?s\])?")),),
        tally=(" ", re.compile(r"^ +(?P<count>\d+) (?P<what>pass|fail|skip)$")),
    ),
    Rule(
        "Playwright failed",
        Meaning.TEST_FAILURE,
        0.95,
        " failed",
        line(r"  [1-9]\d* failed"),
        programs=word_set("playwright"),
        needs="] › ",
        clues=(Clue("] › ", line(r"    \[[\w -]{1,60}\] › (?P<test>.{1,300}?)[ ─]*"), Side.AFTER),),
        tally=("ed", re.compile(r"^  (?P<count>\d+) (?P<what>failed|passed|skipped)(?: \(.*\))?$")),
    ),
)
"""The runners: rspec, ctest, Maven, Gradle, PHPUnit, dotnet, bun, Playwright."""


_PYTEST = word_set("pytest py.test")
_PYTEST_WORD: Final = (
    r"\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|subtests passed)"
)
_PYTEST_ENDS: Final = rf"{_PYTEST_WORD}(?:, {_PYTEST_WORD}){{0,8}} in \d[\d.]*s(?: \(\d+:\d\d:\d\d\))?(?: =+)?"
_PYTEST_TALLY: Final = ("", re.compile(r"(?P<count>\d+) (?P<what>failed|passed|skipped|xfailed|xpassed|errors?)"))
_PYTEST_CLUES: Final = (
    Clue("::", line(r"(?:FAILED|ERROR) (?P<test>[^\s:]{1,300}::.{1,400}?)(?: - (?P<why>.*))?")),
    Clue(": ", line(PLACE + r": (?P<message>[A-Z]\w*(?:Error|Exception|Failed|Exit|Interrupt)(?:: .*)?)")),
)
_UNITTEST: Final = word_set("unittest python python3")
_CARGO = word_set("cargo")
_CARGO_TALLY: Final = ("test result: ", re.compile(r"(?P<count>\d+) (?P<what>passed|failed|ignored)"))
_JEST_TALLY: Final = ("", re.compile(r"(?P<count>\d+) (?P<what>failed|passed|skipped|todo)"))
_VITEST_TALLY: Final = ("", re.compile(r"(?P<count>\d+) (?P<what>failed|passed|skipped|todo)"))
_NODE_TALLY: Final = (" ", re.compile(r"^(?:#|ℹ) (?P<what>pass|fail|skipped|todo) (?P<count>\d+)$"))
_MOCHA_TALLY: Final = ("ing", re.compile(r"^  (?P<count>\d+) (?P<what>passing|failing|pending)(?: \(.*\))?$"))
_GO_TALLY: Final = ("--- ", re.compile(r"^ *--- (?P<what>PASS|SKIP): \S+ \(\d[\d.]*s\)(?P<count>)$"))

RULES: Final = (
    Rule(
        "pytest failed",
        Meaning.TEST_FAILURE,
        0.97,
        " failed",
        line(rf"(?:=+ )?(?=\d+ failed|.{{1,80}}, \d+ failed){_PYTEST_ENDS}"),
        programs=_PYTEST,
        clues=_PYTEST_CLUES,
        tally=_PYTEST_TALLY,
        actions=("{start} {test} -vv",),
    ),
    Rule(
        "pytest errors",
        Meaning.TEST_FAILURE,
        0.86,
        " error",
        line(rf"(?:=+ )?(?=\d+ error|.{{1,80}}, \d+ error){_PYTEST_ENDS}"),
        programs=_PYTEST,
        clues=(*_PYTEST_CLUES, Clue("ERROR ", line(r"ERROR (?P<test>[^\s:]{1,300}\.py)(?: - (?P<why>.*))?"))),
        tally=_PYTEST_TALLY,
        actions=("{start} {test} -vv",),
    ),
    Rule(
        "pytest passed",
        Meaning.TEST_SUCCESS,
        0.97,
        " passed",
        line(rf"(?:=+ )?(?!\d+ (?:failed|error)|.{{1,80}}, \d+ (?:failed|error)){_PYTEST_ENDS}"),
        Ending.PASSED,
        programs=_PYTEST,
        tally=_PYTEST_TALLY,
    ),
    Rule(
        "unittest failed",
        Meaning.TEST_FAILURE,
        0.97,
        "FAILED (",
        line(r"FAILED \((?:[a-z ]{1,30}=\d+(?:, )?){1,5}\)"),
        programs=_UNITTEST,
        needs="\nRan ",
        clues=(
            Clue(": ", line(r"(?:FAIL|ERROR): (?P<method>\w{1,200}) \((?P<test>[\w.]{1,300})\).*")),
            Clue("Ran ", line(r"Ran (?P<total>\d{1,9}) tests? in .*")),
            Clue(
                '  File "', line(r' +File "(?P<file>[^"<>]{1,300})", line (?P<line>\d{1,7})(?:, in .*)?'), deepest=True
            ),
        ),
        tally=("FAILED (", re.compile(r"(?P<what>failures|errors|skipped)=(?P<count>\d+)")),
        actions=("{start} {test}",),
    ),
    Rule(
        "unittest passed",
        Meaning.TEST_SUCCESS,
        0.96,
        "OK",
        line(r"OK(?: \((?:[a-z ]{1,30}=\d+(?:, )?){1,5}\))?"),
        Ending.PASSED,
        programs=_UNITTEST,
        above=line(r"Ran [1-9]\d* tests? in .*"),
        clues=(Clue("Ran ", line(r"Ran (?P<total>\d{1,9}) tests? in .*")),),
    ),
    Rule(
        "cargo test failed",
        Meaning.TEST_FAILURE,
        0.97,
        "test result: FAILED",
        line(r"test result: FAILED\. \d+ passed; \d+ failed;.*"),
        programs=_CARGO,
        clues=(
            Clue(" ... FAILED", line(r"test (?P<test>\S(?:.{0,300}\S)?) \.\.\. FAILED")),
            Clue(" --- FAILED", line(r"(?P<test>\S{1,300}) --- FAILED")),
            Clue(" stdout ----", line(r"---- (?P<test>\S(?:.{0,300}\S)?) stdout ----")),
            Clue(
                "panicked at ",
                line(rf"thread '[^']{{1,300}}' (?:\(\d+\) )?panicked at {PLACE}{COLUMN}:"),
                below=line(r"(?P<message>.+)"),
            ),
        ),
        tally=_CARGO_TALLY,
        actions=("cargo test {package} {test} -- --nocapture", "cargo test {test} -- --nocapture"),
    ),
    Rule(
        "cargo test passed",
        Meaning.TEST_SUCCESS,
        0.97,
        "test result: ok",
        line(r"test result: ok\. [1-9]\d* passed; 0 failed;.*"),
        Ending.PASSED,
        programs=_CARGO,
        unless="test result: FAILED",
        tally=_CARGO_TALLY,
    ),
    Rule(
        "nextest failed",
        Meaning.TEST_FAILURE,
        0.96,
        " tests run: ",
        line(r" +Summary \[ *\d[\d.]*s\] +\d+(?:/\d+)? tests run: (?=.*\d failed).*"),
        programs=_CARGO,
        clues=(Clue(" FAIL [", line(r" +FAIL \[ *\d[\d.]*s\] (?:\([^()]{1,40}\) )?\S{1,200} (?P<test>\S{1,300})")),),
        tally=(" tests run: ", re.compile(r"(?P<count>\d+) (?P<what>passed|failed|skipped)")),
        actions=("cargo nextest run {test} --no-capture",),
    ),
    Rule(
        "go test failed",
        Meaning.TEST_FAILURE,
        0.95,
        "FAIL",
        line(r"FAIL\s+\S{1,300}\s+\d[\d.]*s"),
        programs=word_set("go gotestsum"),
        clues=(
            Clue(" (", line(r"\s+(?P<test>\S{1,300}) \(\d[\dhm.]*s\)"), above=line(r"\s+running tests:"), reach=8),
            Clue("--- FAIL: ", line(r" *--- FAIL: (?P<test>\S{1,300}) \(\d[\d.]*s\)")),
            Clue(".go:", line(r"\s+(?P<file>[\w./-]{1,300}\.go):(?P<line>\d{1,7}): (?P<message>.*)")),
        ),
        tally=_GO_TALLY,
        actions=("go test -v -run {go_run} ./...",),
    ),
    Rule(
        "go test passed",
        Meaning.TEST_SUCCESS,
        0.94,
        "ok",
        line(r"ok\s+\S{1,300}\s+(?:\d[\d.]*s|\(cached\))(?:\s+(?!\[no tests to run\]).*)?"),
        Ending.PASSED,
        programs=word_set("go gotestsum"),
        unless="\nFAIL",
        tally=_GO_TALLY,
    ),
    Rule(
        "jest failed",
        Meaning.TEST_FAILURE,
        0.97,
        " failed, ",
        line(r"Tests: +(?=\d+ failed)(?:\d+ [a-z]{1,20}, ){1,6}\d+ total"),
        programs=word_set("jest react-scripts"),
        clues=(Clue("● ", line(r"  ● (?P<test>(?!Console$|Test suite failed).{1,300})")), JS_STACK),
        tally=_JEST_TALLY,
        actions=("npx jest -t {phrase}",),
    ),
    Rule(
        "jest suite failed",
        Meaning.TEST_FAILURE,
        0.9,
        "Test Suites: ",
        line(r"Test Suites: \d+ failed, .{0,80}\d+ total"),
        programs=word_set("jest react-scripts"),
        clues=(JS_STACK,),
    ),
    Rule(
        "jest passed",
        Meaning.TEST_SUCCESS,
        0.97,
        " passed, ",
        line(r"Tests: +(?!\d+ failed)(?=.{0,100}\b[1-9]\d* passed)(?:\d+ [a-z]{1,20}, ){1,6}\d+ total"),
        Ending.PASSED,
        programs=word_set("jest react-scripts"),
        tally=_JEST_TALLY,
    ),
    Rule(
        "vitest failed",
        Meaning.TEST_FAILURE,
        0.97,
        " failed",
        line(r" +Tests +\d+ failed(?: \| \d+ [a-z]{1,20}){0,5} \(\d+\)"),
        programs=word_set("vitest"),
        clues=(
            Clue(" FAIL  ", line(r" FAIL  (?:\|[^|]{1,60}\| )?(?P<path>[^\s>]{1,300}) > (?P<test>.{1,300})")),
            Clue(" ❯ ", line(r" +❯ (?:[^\s:]{1,200} )?(?P<file>[^\s:]{1,300}):(?P<line>\d{1,7}):(?P<column>\d{1,6})")),
        ),
        tally=_VITEST_TALLY,
        actions=("npx vitest run {path} -t {phrase}",),
    ),
    Rule(
        "vitest passed",
        Meaning.TEST_SUCCESS,
        0.97,
        " passed",
        line(r" +Tests +\d+ passed(?: \| \d+ [a-z]{1,20}){0,5} \(\d+\)"),
        Ending.PASSED,
        programs=word_set("vitest"),
        tally=_VITEST_TALLY,
    ),
    Rule(
        "mocha failed",
        Meaning.TEST_FAILURE,
        0.94,
        " failing",
        line(r"  [1-9]\d* failing"),
        programs=word_set("mocha"),
        needs=" passing (",
        clues=(Clue(") ", line(r" {3,}\d{1,4}\) (?P<test>.{1,300})"), Side.BEFORE), JS_STACK),
        tally=_MOCHA_TALLY,
        actions=("npx mocha -g {phrase}",),
    ),
    Rule(
        "mocha passed",
        Meaning.TEST_SUCCESS,
        0.93,
        " passing (",
        line(r"  [1-9]\d* passing \(\d+m?s\)"),
        Ending.PASSED,
        programs=word_set("mocha"),
        unless=" failing\n",
        tally=_MOCHA_TALLY,
    ),
    Rule(
        "node test failed",
        Meaning.TEST_FAILURE,
        0.96,
        " fail ",
        line(r"(?:#|ℹ) fail [1-9]\d*"),
        programs=word_set("node"),
        clues=(
            Clue("not ok ", line(r" *not ok \d+ - (?P<test>.{1,300})")),
            Clue("✖ ", line(r" *✖ (?P<test>.{1,300}?) \(\d[\d.]*ms\)(?: .*)?")),
            Clue("location: ", line(rf" +location: '{PLACE}{COLUMN}'")),
        ),
        tally=_NODE_TALLY,
        actions=("node --test --test-name-pattern {phrase}",),
    ),
    Rule(
        "node test passed",
        Meaning.TEST_SUCCESS,
        0.95,
        " pass ",
        line(r"(?:#|ℹ) pass [1-9]\d*"),
        Ending.PASSED,
        programs=word_set("node"),
        needs=" fail 0\n",
        tally=_NODE_TALLY,
    ),
    Rule(
        "npm test failed",
        Meaning.TEST_FAILURE,
        0.7,
        "Test failed.",
        line(r"npm (?:ERR!|error) Test failed\..*"),
        programs=word_set("npm"),
    ),
)
"""The runners: pytest, unittest, cargo, nextest, go, jest, vitest, mocha, node."""
