"""What further test runners print when tests fail; that they passed, their exit codes tell."""

import re
from typing import Final

from fugue_tui.output_analysis.outcome.rules.rule import Clue, Rule, Side, line
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.output_analysis.word_set import word_set

_NAMED: Final = re.compile(r"(?P<what>Failed|Passed|Failures|Errors|Skipped): +(?P<count>\d+)")

RULES: Final = (
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
