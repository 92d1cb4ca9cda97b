"""Git worktrees for agents: one beside the repository, removed only if nothing is lost. Threads, not the main one."""

import os
import re
import subprocess
from typing import Final, NamedTuple

from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.sanitize import clean

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SECONDS: Final = 60.0
_OWN_BRANCH: Final = "branch.{}.fugue"
"""The entry of the repository's configuration for a branch that was made here; git removes it with the branch."""


class Worktree(NamedTuple):
    """A worktree for an agent."""

    path: str
    added: bool
    """Whether it was made now, and was not there before."""


def add(directory: str, name: str) -> Worktree:
    """The worktree of the repository around a directory, on a branch of that name: `REPOSITORY.worktrees/NAME`. One
    that is there is used again, and a submodule is a repository. Raises InvalidArgument or Refused."""
    if not _NAME.fullmatch(name) or name.endswith((".lock", ".")) or ".." in name:
        raise InvalidArgument("worktree: a name has letters, digits and . _ -, and begins with a letter or a digit")
    path = f"{_main_worktree(directory)}.worktrees/{name}"
    if os.path.lexists(path):
        if os.path.realpath(_git(path, "rev-parse", "--show-toplevel")) != os.path.realpath(path):
            raise Refused(f"worktree: {path} is there, and is no worktree; choose another name")
        return Worktree(path, added=False)
    if _succeeds(directory, "show-ref", "--verify", "--quiet", f"refs/heads/{name}"):
        _git(directory, "worktree", "add", path, name)
    else:
        _git(directory, "config", _OWN_BRANCH.format(name), "true")  # First: no branch is left that none made.
        try:
            _git(directory, "worktree", "add", "-b", name, path)
        except Refused:
            _succeeds(directory, "config", "--remove-section", f"branch.{name}")
            raise
    return Worktree(path, added=True)


def remove(path: str) -> str:
    """Remove a worktree, and its branch if `add` has made it, unless something would be lost: why it was kept, empty if
    it was removed."""
    try:
        if _git(path, "status", "--porcelain", "--ignored"):
            return f"{path} is kept: it has files that are not committed, or that git ignores"
        branch = _git(path, "rev-parse", "--abbrev-ref", "HEAD")
        others = (f"--exclude={branch}", "--branches", "--remotes", "--tags")
        if _git(path, "log", "--oneline", "-n", "1", "HEAD", "--not", *others):
            return f"{path} is kept: it has commits that are on no other branch"
        common = _git(path, "rev-parse", "--path-format=absolute", "--git-common-dir")
        _git(common, "worktree", "remove", path)
        if _succeeds(common, "config", "--get", _OWN_BRANCH.format(branch)):
            _git(common, "branch", "-D", branch)
    except Refused as error:
        return f"{path} is kept: {error}"
    return ""


def _main_worktree(directory: str) -> str:
    """Where the files of the repository are; the repository itself if it is bare."""
    common = _git(directory, "rev-parse", "--path-format=absolute", "--git-common-dir")
    if _succeeds(common, "config", "core.worktree"):  # A submodule.
        return os.path.normpath(os.path.join(common, _git(common, "config", "core.worktree")))
    return os.path.dirname(common) if os.path.basename(common) == ".git" else common


def _git(directory: str, *words: str) -> str:
    try:
        found = subprocess.run(
            ("git", "-C", directory, *words),
            capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Refused(f"worktree: git {words[0]}: {clean(str(error), 200)}") from None
    if found.returncode:
        raise Refused(f"worktree: git {words[0]}: {clean(found.stderr.strip(), 300) or f'exit {found.returncode}'}")
    return found.stdout.strip()


def _succeeds(directory: str, *words: str) -> bool:
    try:
        _git(directory, *words)
    except Refused:
        return False
    return True
