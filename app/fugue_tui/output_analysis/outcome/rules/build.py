"""What compilers and build tools say of code that they cannot build, and interpreters of code that they cannot read."""

import re
from typing import Final

from fugue_tui.output_analysis.outcome.rules.rule import COLUMN, PLACE, Clue, Rule, Side, line
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.output_analysis.word_set import word_set

_C = word_set("cc c++ gcc g++ clang clang++ make gmake cmake ninja meson bear ccache bazel")
_ERROR_ABOVE: Final = line(r"error(?:\[(?P<code>E\d{4})\])?: (?P<message>.+)")
_LOOK: Final = "sed -n {around} {file}"

RULES: Final = (
    Rule(
        "C compiler",
        Meaning.BUILD_ERROR,
        0.95,
        "error: ",
        line(r"(?!.{0,300}\.(?:pyi?|java):)" + PLACE + rf"(?:{COLUMN})?: (?:fatal )?error: (?P<message>.+)"),
        programs=_C,
        clues=(Clue("error: ", line(PLACE + rf"(?:{COLUMN})?: (?:fatal )?error: (?P<message>.+)")),),
        actions=(_LOOK,),
    ),
    Rule(
        "linker",
        Meaning.BUILD_ERROR,
        0.95,
        "ld",
        line(r"collect2: error: ld returned \d+ exit status|clang(?:\+\+)?: error: linker command failed .*"),
        programs=_C | word_set("rustc cargo go"),
        clues=(
            Clue("undefined reference to ", line(r".{1,600}: undefined reference to [`'](?P<symbol>[^'`]{1,200})'")),
        ),
    ),
    Rule(
        "rustc",
        Meaning.BUILD_ERROR,
        0.96,
        "error: ",
        line(r"error: (?:could not compile `[^`]{1,100}`.*|aborting due to .*)"),
        programs=word_set("cargo rustc"),
        clues=(Clue("--> ", line(rf" *--> {PLACE}{COLUMN}"), above=_ERROR_ABOVE),),
        tally=(" previous error", re.compile(r"(?P<count>\d+) previous (?P<what>errors?)")),
        actions=("rustc --explain {code}", _LOOK),
    ),
    Rule(
        "cargo manifest",
        Meaning.BUILD_ERROR,
        0.9,
        "error: failed to parse manifest",
        line(r"error: failed to parse manifest at `(?P<path>[^`]{1,300})`"),
        programs=word_set("cargo"),
    ),
    Rule(
        "tsc",
        Meaning.BUILD_ERROR,
        0.96,
        ": error TS",
        line(
            r"(?P<file>[^\s()][^()]{0,300})\((?P<line>\d{1,7}),(?P<column>\d{1,6})\): error (?"
            r"P<code>TS\d+): (?P<message>.+)"
        ),
        programs=word_set("tsc vue-tsc"),
        clues=(
            Clue(
                ": error TS",
                line(
                    r"(?P<file>[^\s()][^()]{0,300})\((?P<line>\d{1,7}),(?P<column>\d{1,6})\): error (?P<code>TS\d+)"
                    r": (?P<message>.+)"
                ),
            ),
        ),
        actions=(_LOOK,),
    ),
    Rule(
        "tsc pretty",
        Meaning.BUILD_ERROR,
        0.96,
        " - error TS",
        line(PLACE + COLUMN + r" - error (?P<code>TS\d+): (?P<message>.+)"),
        programs=word_set("tsc vue-tsc"),
        clues=(Clue(" - error TS", line(PLACE + COLUMN + r" - error (?P<code>TS\d+): (?P<message>.+)")),),
        actions=(_LOOK,),
    ),
    Rule(
        "go compiler",
        Meaning.BUILD_ERROR,
        0.93,
        ".go:",
        line(r"(?:vet: )?(?P<file>[\w./-]{1,300}\.go):(?P<line>\d{1,7}):(?P<column>\d{1,6}): (?P<message>.+)"),
        programs=word_set("go gopls golangci-lint"),
        clues=(
            Clue(
                ".go:",
                line(r"(?:vet: )?(?P<file>[\w./-]{1,300}\.go):(?P<line>\d{1,7}):(?P<column>\d{1,6}): (?P<message>.+)"),
            ),
        ),
        actions=(_LOOK,),
    ),
    Rule(
        "javac",
        Meaning.BUILD_ERROR,
        0.96,
        ".java:",
        line(r"(?P<file>[^\s:][^:]{0,300}\.java):(?P<line>\d{1,7}): error: (?P<message>.+)"),
        programs=word_set("javac gradle gradlew mvn ant"),
        clues=(Clue(".java:", line(r"(?P<file>[^\s:][^:]{0,300}\.java):(?P<line>\d{1,7}): error: (?P<message>.+)")),),
        tally=(" error", re.compile(r"^(?P<count>\d+) (?P<what>errors?)$")),
        actions=(_LOOK,),
    ),
    Rule(
        "make",
        Meaning.BUILD_ERROR,
        0.85,
        ": *** ",
        line(rf"(?:g?make(?:\[\d+\])?|{PLACE}): \*\*\* (?P<message>.+)"),
        programs=word_set("make gmake"),
        details={"tool": "make"},
    ),
    Rule(
        "cmake",
        Meaning.BUILD_ERROR,
        0.93,
        "CMake Error",
        line(r"CMake Error at " + PLACE + r" \(.*|CMake Error: .*"),
        programs=word_set("cmake"),
        clues=(Clue("CMake Error at ", line(r"CMake Error at " + PLACE + r" \(.*")),),
    ),
    Rule(
        "esbuild",
        Meaning.BUILD_ERROR,
        0.9,
        "[ERROR] ",
        line(r"[✘X] \[ERROR\] (?P<message>.+)"),
        programs=word_set("esbuild vite wrangler tsup"),
    ),
    Rule(
        "Python syntax",
        Meaning.SYNTAX_ERROR,
        0.92,
        "Error: ",
        line(r"(?:E +)?(?:SyntaxError|IndentationError|TabError): (?P<message>.+)"),
        programs=word_set("python python3 pytest unittest"),
        needs='  File "',
        clues=(Clue('  File "', line(r' +File "(?P<file>[^"<>]{1,300})", line (?P<line>\d{1,7})'), deepest=True),),
        actions=(_LOOK,),
    ),
    Rule(
        "Node syntax",
        Meaning.SYNTAX_ERROR,
        0.92,
        "SyntaxError: ",
        line(r"SyntaxError: (?P<message>.+)"),
        programs=word_set("node"),
        needs="\nNode.js v",
        clues=(Clue(":", line(r"(?P<file>(?!node:)[^\s:()]{1,300}):(?P<line>\d{1,7})"), Side.BEFORE),),
        actions=(_LOOK,),
    ),
    Rule(
        "shell syntax",
        Meaning.SYNTAX_ERROR,
        0.9,
        "syntax error",
        line(r"-?[\w./-]{1,100}: (?:-c: )?(?:eval: )?(?:line )?\d+: (?P<message>[Ss]yntax error.*)"),
    ),
    Rule(
        "JSON for npm",
        Meaning.SYNTAX_ERROR,
        0.9,
        "EJSONPARSE",
        line(r"npm (?:ERR!|error) code EJSONPARSE"),
        programs=word_set("npm npx"),
        clues=(Clue("JSON.parse ", line(r"npm (?:ERR!|error) (?P<message>JSON\.parse (?:Invalid|Unexpected).*)")),),
    ),
)
"""The builders: C compilers and linkers, rustc and cargo, tsc, go, javac, make, cmake, esbuild; Python and shells."""
