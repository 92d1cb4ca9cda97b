"""How programs fall over."""

from typing import Final

from fugue_tui.output_analysis.outcome.rules.rule import COLUMN, JS_STACK, PLACE, Clue, Ending, Rule, line
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.output_analysis.word_set import word_set

_FILE: Final = Clue(
    '  File "', line(r' +File "(?P<file>[^"<>]{1,300})", line (?P<line>\d{1,7})(?:, in .*)?'), deepest=True
)
_TRACEBACK: Final = "Traceback (most recent call last):"
_LOOK: Final = "sed -n {around} {file}"

RULES: Final = (
    Rule(
        "Python interrupt",
        Meaning.INTERRUPTED,
        0.95,
        "KeyboardInterrupt",
        line(r"KeyboardInterrupt"),
        needs=_TRACEBACK,
    ),
    Rule(
        "Python memory",
        Meaning.CRASH,
        0.95,
        "MemoryError",
        line(r"MemoryError(?:: .*)?"),
        needs=_TRACEBACK,
        clues=(_FILE,),
        details={"cause": "out of memory"},
    ),
    Rule(
        "Python exception",
        Meaning.CRASH,
        0.9,
        "",
        line(
            r"(?P<message>(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Exit|Warning|"
            r"Timeout|Failure|NotFound)(?:: .*)?)"
        ),
        needs=_TRACEBACK,
        clues=(_FILE,),
        actions=(_LOOK,),
    ),
    Rule(
        "Rust panic",
        Meaning.CRASH,
        0.93,
        "panicked at ",
        line(rf"thread '[^']{{1,300}}' (?:\(\d+\) )?panicked at {PLACE}{COLUMN}:"),
        clues=(
            Clue(
                "panicked at ",
                line(rf"thread '[^']{{1,300}}' (?:\(\d+\) )?panicked at {PLACE}{COLUMN}:"),
                below=line(r"(?P<message>.+)"),
            ),
        ),
        actions=(_LOOK,),
    ),
    Rule(
        "Go panic",
        Meaning.CRASH,
        0.95,
        "panic: ",
        line(r"panic: (?P<message>.+)"),
        needs="\ngoroutine ",
        clues=(Clue(".go:", line(r"\s+(?P<file>[\w./-]{1,300}\.go):(?P<line>\d{1,7})(?: \+0x[0-9a-f]+)?")),),
        actions=(_LOOK,),
    ),
    Rule(
        "Node exception",
        Meaning.CRASH,
        0.9,
        "Error",
        line(r"(?:Uncaught |node:internal.{0,100} )?(?P<message>[A-Z]\w{0,60}Error(?: \[\w{1,60}\])?: .+|Error: .+)"),
        needs="\nNode.js v",
        clues=(JS_STACK,),
        actions=(_LOOK,),
    ),
    Rule(
        "JVM exception",
        Meaning.CRASH,
        0.94,
        "Exception in thread ",
        line(r'Exception in thread "[^"]{1,200}" (?P<message>.+)'),
        clues=(Clue(".java:", line(r"\s+at [\w.$<>/]{1,300}\((?P<file>\w{1,100}\.java):(?P<line>\d{1,7})\)")),),
    ),
    Rule(
        "Ruby exception",
        Meaning.CRASH,
        0.92,
        ".rb:",
        line(r"(?P<file>[^\s:]{1,300}\.rb):(?P<line>\d{1,7}):in [`'].{1,200}': (?P<message>.+ \([A-Z][\w:]{1,80}\))"),
        actions=(_LOOK,),
    ),
    Rule(
        "segmentation fault",
        Meaning.CRASH,
        0.95,
        "egmentation fault",
        line(r"(?:.{0,200}\s|zsh: )?[Ss]egmentation fault(?: +\(core dumped\))?(?:\s.{0,200})?"),
        details={"signal": "SEGV"},
    ),
    Rule(
        "assertion",
        Meaning.CRASH,
        0.94,
        "Assertion ",
        line(
            r"[\w./-]{1,200}: (?P<file>[^\s:]{1,300}):(?P<line>\d{1,7}): .{0,200}: (?"
            r"P<message>Assertion [`'].{1,300}' failed\.)"
        ),
        actions=(_LOOK,),
    ),
    Rule(
        "aborted",
        Meaning.CRASH,
        0.9,
        "Aborted",
        line(r"(?:.{0,100}\s\d+ )?Aborted(?: +\(core dumped\))?(?:\s.{0,200})?"),
        details={"signal": "ABRT"},
    ),
    Rule(
        "out of memory",
        Meaning.CRASH,
        0.95,
        "emory",
        line(
            r"(?:.{0,100})?(?:Out of memory: Killed process \d+.*|FATAL ERROR: .{0,100}JavaScript heap out of memory.*)"
            r"|.{0,100}java\.lang\.OutOfMemoryError.*|fatal error: runtime: out of memory"
        ),
        details={"cause": "out of memory"},
    ),
    Rule(
        "killed",
        Meaning.CRASH,
        0.85,
        "Killed",
        line(r"(?:.{0,100}\s\d+ )?Killed(?:\s.{0,200})?"),
        Ending.FAILED,
        programs=word_set(""),
        details={"signal": "KILL", "cause": "perhaps out of memory"},
    ),
)
"""Exceptions of Python, Rust, Go, Node, Java and Ruby; signals; memory."""
