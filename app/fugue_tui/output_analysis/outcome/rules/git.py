"""What git will not do before somebody decides."""

from typing import Final

from fugue_tui.output_analysis.outcome.rules.rule import Clue, Ending, Rule, line
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.output_analysis.word_set import word_set

RULES: Final = (
    Rule(
        "conflict in a merge",
        Meaning.GIT_CONFLICT,
        0.98,
        "CONFLICT (",
        line(r"CONFLICT \([a-z/ ]{1,40}\): .{1,500}"),
        programs=word_set("git gh"),
        clues=(Clue("CONFLICT (", line(r"CONFLICT \([a-z/ ]{1,40}\): Merge conflict in (?P<path>.{1,300})")),),
        actions=("git status", "git diff --name-only --diff-filter=U"),
    ),
    Rule(
        "unmerged paths",
        Meaning.GIT_CONFLICT,
        0.95,
        "You have unmerged paths.",
        line(r"You have unmerged paths\."),
        Ending.ANY,
        programs=word_set("git"),
        clues=(Clue("both ", line(r"\s+both (?:modified|added|deleted): +(?P<path>.{1,300})")),),
        actions=("git diff --name-only --diff-filter=U",),
    ),
    Rule(
        "changes in the way",
        Meaning.GIT_CONFLICT,
        0.93,
        "would be overwritten by",
        line(
            r"error: (?:Your local changes to the following files|The following untracked working "
            r"tree files) would be overwritten by .*"
        ),
        programs=word_set("git"),
        actions=("git status", "git diff --stat"),
    ),
    Rule(
        "push rejected",
        Meaning.GIT_REJECTED,
        0.98,
        "rejected] ",
        line(r" ! \[(?:remote )?rejected\] +.{1,300}"),
        programs=word_set("git"),
        actions=("git fetch", "git log --oneline HEAD..FETCH_HEAD"),
    ),
    Rule(
        "branches apart",
        Meaning.GIT_REJECTED,
        0.95,
        "fatal: N",
        line(
            r"fatal: (?:Not possible to fast-forward, aborting\.|Need to specify how to reconcile divergent branches\.)"
        ),
        programs=word_set("git"),
        actions=("git status", "git log --oneline --left-right HEAD...@{upstream}"),
    ),
)
"""Conflicts, changes in the way, pushes that are rejected."""
