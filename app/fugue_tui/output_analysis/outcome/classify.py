"""What became of a command: every rule has a look, and how the command ended decides which of them can be right."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from fugue_tui.output_analysis.command_line import Stage, stages, word_set
from fugue_tui.output_analysis.outcome.extract import context, evidence, gather
from fugue_tui.output_analysis.outcome.output_index import Output
from fugue_tui.output_analysis.outcome.rules.loader import rules
from fugue_tui.output_analysis.outcome.rules.rule import Ending, Rule
from fugue_tui.output_analysis.outcome.suggestions import suggestions
from fugue_tui.output_analysis.results import Context, Evidence, Intent, Meaning, Other
from fugue_tui.shell_names import SHELLS

ENOUGH: Final = 0.5
"""Below this belief a meaning is not reported."""
_READERS: Final = word_set(
    "ack ag awk base64 bat batcat bzcat cat column comm curl cut delta diff dmesg echo egrep env expand fc fgrep find "
    "fmt fold fzf glow grep gunzip head hexdump history join jq journalctl less ls man mdcat more most nl paste "
    "printenv printf rg sed sort strings tac tail tee tree type uniq wc which xxd xzcat zcat zgrep zless zstdcat"
)
_SHOWING: Final = word_set(
    "aider btop claude code codex emacs emacsclient gemini gitui helix htop hx k9s kak lazydocker lazygit micro "
    "multitail nano nvim opencode screen tig tmux top vi view vim vimdiff zellij"
)
"""Editors, agents, and others that paint what they show."""
_SILENT: Final = word_set(": [ cd exit export false popd pushd return set sleep test true unset wait")
_READING: Final = word_set("blame diff grep log logs reflog shortlog show view")
_MANY: Final = word_set("docker docker-compose gh git heroku kubectl podman")

_RUNNERS: Final = word_set("just make ninja nox npm npx pnpm task tox yarn")


@cache
def _known_programs() -> frozenset[str]:
    return frozenset(program for rule in rules() for program in rule.programs) - _RUNNERS


@dataclass(frozen=True, slots=True)
class Run:
    """How a command ended, as far as that is known."""

    command: str
    stages: tuple[Stage, ...]
    exit_code: int | None
    over: bool
    """Whether it has ended."""

    def stage(self, rule: Rule) -> Stage | None:
        """The part of the command that a rule is about."""
        return next((stage for stage in self.stages if stage.program in rule.programs), None)

    @property
    def known(self) -> bool:
        """Whether a rule knows one of the programs, and it does not just run others."""
        return any(stage.program in _known_programs() for stage in self.stages)

    @property
    def reads(self) -> bool:
        """Whether it only shows what is written elsewhere."""
        loud = [stage for stage in self.stages if stage.program not in _SILENT]
        return bool(loud) and all(_is_reader(stage) for stage in loud)


@dataclass(frozen=True, slots=True)
class _Verdict:
    belief: float
    intent: Meaning
    rule: Rule | None = None
    proof: int = 0
    details: tuple[tuple[str, str], ...] = ()


def detect(command: str, output: str, exit_code: int | None, *, over: bool = False) -> Intent:
    """What an output means. `command` may be empty and `exit_code` None: unknown, or not over yet, unless `over` says
    that it is.

    Bounded: the last megabyte of the output is looked at.
    """
    read = Output(output)
    command = command or read.typed
    run = Run(command, stages(command), exit_code, over or exit_code is not None or read.returned)
    verdicts = sorted([*_by_rules(read, run), *_by_exit(run)], key=lambda verdict: -verdict.belief)
    if not verdicts or verdicts[0].belief < ENOUGH:
        return _unknown(read, run)
    return _told(verdicts, read, run)


def _by_rules(output: Output, run: Run) -> Iterator[_Verdict]:
    for rule in rules():
        belief = _belief(rule, run)
        if belief < ENOUGH or not output.holds(rule.hint):
            continue
        if (rule.needs and not output.holds(rule.needs)) or (rule.unless and output.holds(rule.unless)):
            continue
        found = _proof(output, rule, run)
        if found is not None:
            yield _Verdict(round(belief, 2), rule.meaning, rule, found)


def _proof(output: Output, rule: Rule, run: Run) -> int | None:
    """The last line that proves a rule."""
    last = output.last
    lines = ([last] if last is not None else []) if rule.last else output.holding(rule.hint)
    for at in lines:
        found = rule.line.fullmatch(output.lines[at])
        if found and _has_above(output, rule, at) and (not run.reads or _speaks(found, rule, run)):
            return at
    return None


def _has_above(output: Output, rule: Rule, at: int) -> bool:
    return rule.above is None or any(rule.above.fullmatch(each) for each in output.lines[max(0, at - 3) : at])


def _speaks(found: re.Match[str], rule: Rule, run: Run) -> bool:
    """Whether a line is said by a program that else only shows what is written elsewhere, or by its shell."""
    if rule.meaning is Meaning.PROMPT_WAITING or run.stage(rule) is not None:
        return True
    said = (found.groupdict().get("program") or "").rpartition("/")[2].removeprefix("-")
    return said in SHELLS or any(stage.program == said for stage in run.stages)


def _belief(rule: Rule, run: Run) -> float:
    """How far a rule can be believed of a command that ended like this, before a line is looked at."""
    sure = rule.confidence
    stage = run.stage(rule)
    if not run.stages:
        sure *= 0.85
    elif rule.programs and stage is None:
        sure *= 0.9 if run.known else 0.95
    own = stage is None or stage.last
    match rule.ending:
        case Ending.RUNNING:
            return 0.0 if run.over else sure
        case Ending.ANY:
            return sure
        case Ending.FAILED if run.exit_code == 0:
            return 0.0 if own else sure * 0.93
        case Ending.PASSED if run.exit_code:
            return 0.0 if own else sure * 0.9
        case _:
            return sure if run.exit_code is not None else sure * 0.98


def _by_exit(run: Run) -> Iterator[_Verdict]:
    """What the exit code alone says."""
    code = run.exit_code
    if code is None:
        return
    if code == 0:
        yield _Verdict(0.9 if len(run.stages) < 2 else 0.6, Meaning.SUCCESS)
    elif code == 124 and any("timeout" in stage.start for stage in run.stages):
        yield _Verdict(0.95, Meaning.TIMED_OUT)
    elif found := _EXITS.get(128 - code if code < 0 else code):
        belief, meaning, detail = found
        yield _Verdict(belief, meaning, details=(detail,))


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


def _told(verdicts: Sequence[_Verdict], output: Output, run: Run) -> Intent:
    best = verdicts[0]
    others = {each.intent: each.belief for each in reversed(verdicts) if each.intent is not best.intent}
    also = sorted((Other(intent, belief) for intent, belief in others.items()), key=lambda other: -other.confidence)[:3]
    if best.rule is None:
        summary = "" if best.intent is Meaning.SUCCESS else f"exit code {run.exit_code}"
        told = Context(error_summary=summary, details=dict(best.details))
        proof = (Evidence("exit code", 0, f"exit code {run.exit_code}"),)
        return Intent(best.intent, best.belief, told, evidence=proof, also=tuple(also))
    facts = gather(output, best.rule, best.proof)
    actions = suggestions(facts, run.stage(best.rule), run.command)
    return Intent(best.intent, best.belief, context(facts, output), actions, evidence(facts, output), tuple(also))


def _unknown(output: Output, run: Run) -> Intent:
    last = output.last
    shown = (Evidence("last line", output.offset + last + 1, output.lines[last][:200]),) if last is not None else ()
    summary = f"exit code {run.exit_code}" if run.exit_code else ""
    return Intent(Meaning.UNKNOWN, 0.0, Context(error_summary=summary), evidence=shown if summary else ())


def _is_reader(stage: Stage) -> bool:
    words = (stage.subcommand, *stage.words[1:3])
    return stage.program in _READERS | _SHOWING or (stage.program in _MANY and not _READING.isdisjoint(words))
