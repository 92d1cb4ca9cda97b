"""Classifies the outcome of a command by rules on its output, and by how it ended."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from msgspec import Struct

from fugue_tui.output_analysis.command_line import Stage, stages, word_set
from fugue_tui.output_analysis.outcome.extract import context, evidence, extract
from fugue_tui.output_analysis.outcome.output_index import Output
from fugue_tui.output_analysis.outcome.rules.loader import rules
from fugue_tui.output_analysis.outcome.rules.rule import Ending, Rule
from fugue_tui.output_analysis.outcome.suggestions import suggestions
from fugue_tui.output_analysis.results import Context, Evidence, Intent, Meaning, Other
from fugue_tui.shell_names import SHELLS

MIN_CONFIDENCE: Final = 0.5
"""A meaning with a lower confidence is not reported."""
_READERS: Final = word_set(
    "ack ag awk base64 bat batcat bzcat cat column comm curl cut delta diff dmesg echo egrep env expand fc fgrep find "
    "fmt fold fzf glow grep gunzip head hexdump history join jq journalctl less ls man mdcat more most nl paste "
    "printenv printf rg sed sort strings tac tail tee tree type uniq wc which xxd xzcat zcat zgrep zless zstdcat"
)
_VIEWERS: Final = word_set(
    "aider btop claude code codex emacs emacsclient gemini gitui helix htop hx k9s kak lazydocker lazygit micro "
    "multitail nano nvim opencode screen tig tmux top vi view vim vimdiff zellij"
)
"""Editors, agents and other full-screen programs."""
_SILENT: Final = word_set(": [ cd exit export false popd pushd return set sleep test true unset wait")
_READING_SUBCOMMANDS: Final = word_set("blame diff grep log logs reflog shortlog show view")
_WITH_SUBCOMMANDS: Final = word_set("docker docker-compose gh git heroku kubectl podman")

_RUNNERS: Final = word_set("just make ninja nox npm npx pnpm task tox yarn")


@cache
def _known_programs() -> frozenset[str]:
    return frozenset(program for rule in rules() for program in rule.programs) - _RUNNERS


class Run(Struct, frozen=True):
    """A command line and how it ended."""

    command: str
    stages: tuple[Stage, ...]
    exit_code: int | None
    """None if unknown, or while it runs."""
    ended: bool

    def stage(self, rule: Rule) -> Stage | None:
        """The first stage whose program a rule is for."""
        return next((stage for stage in self.stages if stage.program in rule.programs), None)

    @property
    def known(self) -> bool:
        """Whether there is a rule for one of the programs, other than those that only run programs."""
        return any(stage.program in _known_programs() for stage in self.stages)

    @property
    def only_shows_text(self) -> bool:
        """Whether it only prints text from elsewhere, such as files or logs."""
        effective = [stage for stage in self.stages if stage.program not in _SILENT]
        return bool(effective) and all(_is_reader(stage) for stage in effective)


class _Verdict(Struct, frozen=True):
    confidence: float
    meaning: Meaning
    rule: Rule | None = None
    line: int = 0
    details: tuple[tuple[str, str], ...] = ()


def detect(command: str, output: str, exit_code: int | None, *, ended: bool = False) -> Intent:
    """The meaning of an output. An empty `command` is unknown; so is an `exit_code` of None, or the command still runs,
    unless it has `ended`.

    Bounded: only the last megabyte of the output is read.
    """
    read = Output(output)
    command = command or read.command
    run = Run(command, stages(command), exit_code, ended or exit_code is not None or read.at_prompt)
    verdicts = sorted([*_by_rules(read, run), *_by_exit(run)], key=lambda verdict: -verdict.confidence)
    if not verdicts or verdicts[0].confidence < MIN_CONFIDENCE:
        return _unknown(read, run)
    return _result(verdicts, read, run)


def _by_rules(output: Output, run: Run) -> Iterator[_Verdict]:
    for rule in rules():
        confidence = _confidence(rule, run)
        if confidence < MIN_CONFIDENCE or not output.contains(rule.hint):
            continue
        if (rule.needs and not output.contains(rule.needs)) or (rule.unless and output.contains(rule.unless)):
            continue
        found = _evidence_line(output, rule, run)
        if found is not None:
            yield _Verdict(round(confidence, 2), rule.meaning, rule, found)


def _evidence_line(output: Output, rule: Rule, run: Run) -> int | None:
    """The last line that matches a rule."""
    last = output.last
    lines = ([last] if last is not None else []) if rule.last else output.lines_with(rule.hint)
    for at in lines:
        found = rule.line.fullmatch(output.lines[at])
        if found and _has_above(output, rule, at) and (not run.only_shows_text or _is_own_message(found, rule, run)):
            return at
    return None


def _has_above(output: Output, rule: Rule, at: int) -> bool:
    return rule.above is None or any(rule.above.fullmatch(each) for each in output.lines[max(0, at - 3) : at])


def _is_own_message(found: re.Match[str], rule: Rule, run: Run) -> bool:
    """Whether a program that only shows text printed the line as a message of its own, or its shell did."""
    if rule.meaning is Meaning.PROMPT_WAITING or run.stage(rule) is not None:
        return True
    program = (found.groupdict().get("program") or "").rpartition("/")[2].removeprefix("-")
    return program in SHELLS or any(stage.program == program for stage in run.stages)


def _confidence(rule: Rule, run: Run) -> float:
    """The confidence in a rule by the command's programs and ending alone."""
    confidence = rule.confidence
    stage = run.stage(rule)
    if not run.stages:
        confidence *= 0.85
    elif rule.programs and stage is None:
        confidence *= 0.9 if run.known else 0.95
    own = stage is None or stage.last
    match rule.ending:
        case Ending.RUNNING:
            return 0.0 if run.ended else confidence
        case Ending.ANY:
            return confidence
        case Ending.FAILED if run.exit_code == 0:
            return 0.0 if own else confidence * 0.93
        case Ending.PASSED if run.exit_code:
            return 0.0 if own else confidence * 0.9
        case _:
            return confidence if run.exit_code is not None else confidence * 0.98


def _by_exit(run: Run) -> Iterator[_Verdict]:
    """The meanings of the exit code alone."""
    code = run.exit_code
    if code is None:
        return
    if code == 0:
        yield _Verdict(0.9 if len(run.stages) < 2 else 0.6, Meaning.SUCCESS)
    elif code == 124 and any("timeout" in stage.start for stage in run.stages):
        yield _Verdict(0.95, Meaning.TIMED_OUT)
    elif found := _EXITS.get(128 - code if code < 0 else code):
        confidence, meaning, detail = found
        yield _Verdict(confidence, meaning, details=(detail,))


_EXITS: Final = {
    126: (0.75, Meaning.PERMISSION_DENIED, ("cause", "the command was found and cannot be run")),
    127: (0.75, Meaning.DEPENDENCY_MISSING, ("missing", "command")),
    130: (0.95, Meaning.INTERRUPTED, ("signal", "INT")),
    134: (0.85, Meaning.CRASH, ("signal", "ABRT")),
    135: (0.9, Meaning.CRASH, ("signal", "BUS")),
    136: (0.9, Meaning.CRASH, ("signal", "FPE")),
    137: (0.7, Meaning.CRASH, ("signal", "KILL")),
    139: (0.93, Meaning.CRASH, ("signal", "SEGV")),
    143: (0.85, Meaning.INTERRUPTED, ("signal", "TERM")),
}


def _result(verdicts: Sequence[_Verdict], output: Output, run: Run) -> Intent:
    best = verdicts[0]
    others = {each.meaning: each.confidence for each in reversed(verdicts) if each.meaning is not best.meaning}
    also = tuple(sorted((Other(*each) for each in others.items()), key=lambda other: -other.confidence)[:3])
    if best.rule is None:
        exit_code = f"exit code {run.exit_code}"
        found = Context(error_summary="" if best.meaning is Meaning.SUCCESS else exit_code, details=dict(best.details))
        return Intent(best.meaning, best.confidence, found, evidence=(Evidence("exit code", 0, exit_code),), also=also)
    findings = extract(output, best.rule, best.line)
    actions = suggestions(findings, run.stage(best.rule), run.command)
    return Intent(best.meaning, best.confidence, context(findings, output), actions, evidence(findings, output), also)


def _unknown(output: Output, run: Run) -> Intent:
    last = output.last
    shown = (Evidence("last line", output.offset + last + 1, output.lines[last][:200]),) if last is not None else ()
    summary = f"exit code {run.exit_code}" if run.exit_code else ""
    return Intent(Meaning.UNKNOWN, 0.0, Context(error_summary=summary), evidence=shown if summary else ())


def _is_reader(stage: Stage) -> bool:
    words = (stage.subcommand, *stage.words[1:3])
    if stage.program in _WITH_SUBCOMMANDS:
        return not _READING_SUBCOMMANDS.isdisjoint(words)
    return stage.program in _READERS | _VIEWERS
