"""How agents are gone on with: the command that takes up the conversation which an agent in a pane was having.

The rules are data. Where an agent keeps its conversations was seen with Claude Code 2.1.197, Codex 0.169.0 and Gemini
CLI 0.61.0. What an agent left on disk is looked at from outside, in bounded pieces, and only a UUID of it is used.
Any thread; never raises.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fugue_tui.control.restore.agent_sessions import UUID, AgentProcess, claude_ids, codex_ids, gemini_ids
from fugue_tui.shell_names import SHELLS, program_name
from fugue_tui.terminal.pty import process

_LAUNCHERS: Final = SHELLS | {"env", "npx", "bunx"}
_RUNTIMES: Final = frozenset({"node", "bun", "deno"})
_DEEPEST: Final = 3
"""How far below a shell's line its agent is looked for."""


@dataclass(frozen=True, slots=True)
class Agent:
    """What is known of one agent's command line."""

    again: tuple[str, ...]
    """What goes between the program and the id of a conversation."""
    picks: bool
    """Whether it lets the person choose if it is given no id."""
    named: frozenset[str]
    """The words before the id of a conversation."""
    valued: frozenset[str]
    """Options that stay, with the word that follows."""
    many: frozenset[str]
    """Options that stay, with all words that follow up to the next option."""
    flags: frozenset[str]
    """Options that stay, by themselves."""
    once: frozenset[str]
    """Words that make it no conversation: asked once, or something else entirely."""


AGENTS: Final = {
    "claude": Agent(
        again=("--resume",),
        picks=True,
        named=frozenset({"--resume", "-r", "--session-id"}),
        valued=frozenset(
            {
                *("--model", "--permission-mode", "--agent", "--effort", "--settings", "--append-system-prompt"),
                *("--system-prompt", "--fallback-model", "--setting-sources", "--plugin-dir", "--plugin-url"),
            }
        ),
        many=frozenset(
            {
                *("--add-dir", "--mcp-config", "--allowedTools", "--allowed-tools", "--disallowedTools"),
                *("--disallowed-tools", "--tools", "--betas"),
            }
        ),
        flags=frozenset(
            {
                *("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--strict-mcp-config"),
                *("--verbose", "--ide", "--chrome", "--no-chrome", "--bare", "--brief", "--ax-screen-reader"),
                *("--safe-mode", "--disable-slash-commands"),
            }
        ),
        once=frozenset(
            {
                *("-p", "--print", "--bg", "--background", "--help", "-h", "--version", "-v"),
                *("mcp", "doctor", "update", "upgrade", "install", "plugin", "setup-token", "agents", "auth"),
            }
        ),
    ),
    "codex": Agent(
        again=("resume",),
        picks=True,
        named=frozenset({"resume"}),
        valued=frozenset(
            {
                *("-m", "--model", "-p", "--profile", "-s", "--sandbox", "-a", "--ask-for-approval", "-C", "--cd"),
                *("-c", "--config", "--add-dir", "--local-provider", "--enable", "--disable", "--remote"),
            }
        ),
        many=frozenset(),
        flags=frozenset(
            {
                *("--oss", "--search", "--no-alt-screen", "--no-daemon", "--approve-for-me", "--strict-config"),
                *("--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"),
            }
        ),
        once=frozenset(
            {
                *("exec", "e", "review", "login", "logout", "mcp", "plugin", "app-server", "completion", "update"),
                *("doctor", "sandbox", "debug", "apply", "cloud", "exec-server", "features", "remote-control"),
                *("help", "-h", "--help", "-V", "--version"),
            }
        ),
    ),
    "gemini": Agent(
        again=("--resume",),
        picks=False,
        named=frozenset({"--resume", "-r", "--session-id"}),
        valued=frozenset(
            {"-m", "--model", "--approval-mode", "--policy", "--include-directories", "--extensions", "-e"}
        ),
        many=frozenset(),
        flags=frozenset({"-s", "--sandbox", "-y", "--yolo", "--skip-trust", "--screen-reader", "-d", "--debug"}),
        once=frozenset(
            {
                *("mcp", "extensions", "skills", "hooks", "gemma", "-p", "--prompt", "--acp", "--experimental-acp"),
                *("-l", "--list-extensions", "--list-sessions", "--delete-session", "-h", "--help", "-v", "--version"),
            }
        ),
    ),
}
_TRACES: Final = {"claude": claude_ids, "codex": codex_ids, "gemini": gemini_ids}


def agent_of(argv: Sequence[str]) -> str:
    """The agent that a program is: claude, codex or gemini; empty if none."""
    return _found(argv)[0]


def resume_argv(argv: Sequence[str], pid: int, cwd: str, home: str = "") -> tuple[str, ...]:
    """What takes up the conversation that the agent of process `pid`, started as `argv`, has in `cwd`.

    Where several conversations might be its own, the agent is told to let the person choose. Empty if it is no agent
    that can go on, or if nothing was said in it yet. `home` goes before the one in the process's environment."""
    try:
        if program_name(argv) in _LAUNCHERS:
            argv, pid = _below(pid)
        name, length = _found(argv)
        return (
            _resumed(name, tuple(argv[:length]), tuple(argv[length:]), AgentProcess.of(pid, cwd, home)) if name else ()
        )
    except (OSError, ValueError, RecursionError):
        return ()


def _found(argv: Sequence[str]) -> tuple[str, int]:
    """The agent, and how many words name it: `claude` is one, `node /usr/bin/codex` two."""
    for length, word in enumerate(argv, 1):
        name = os.path.basename(word)
        if name in AGENTS:
            return name, length
        if (length == 1 and name in _RUNTIMES) or (length > 1 and word.startswith("-")):
            continue
        break
    return "", 0


def _below(pid: int) -> tuple[tuple[str, ...], int]:
    """The agent among what a shell runs: its words and its process; nothing if there is none, or more than one."""
    generation = [pid]
    for _ in range(_DEEPEST):
        parents = set(generation)
        generation = [each.pid for each in process.processes() if each.parent in parents]
        agents = [(words, child) for child in generation if agent_of(words := process.argv(child))]
        if agents:
            return agents[0] if len(agents) == 1 else ((), 0)
    return (), 0


def _resumed(name: str, program: tuple[str, ...], rest: tuple[str, ...], where: AgentProcess) -> tuple[str, ...]:
    agent = AGENTS[name]
    kept, loose, said = _sorted(agent, rest)
    if agent.once.intersection((*loose[:1], *(word for word in loose if word.startswith("-")))):
        return ()
    ids = _TRACES[name](where, said)
    if not ids or (len(ids) > 1 and not agent.picks):
        return ()
    return (*program, *agent.again, *((ids[0],) if len(ids) == 1 else ()), *kept)


def _sorted(agent: Agent, words: tuple[str, ...]) -> tuple[list[str], list[str], str]:
    """The options that stay, what else there is, and the id of a conversation if one was given."""
    kept: list[str] = []
    loose: list[str] = []
    said, at = "", 0
    while at < len(words):
        option, equals, value = words[at].partition("=")
        taken = 1 + _values(agent, option, words[at + 1 :]) if not equals else 1
        following = value if equals else next(iter(words[at + 1 :]), "")
        if option in agent.named and UUID.fullmatch(following):
            said, taken = following, 1 if equals else 2
        elif option in agent.valued | agent.many | agent.flags:
            kept += words[at : at + taken]
        elif words[at] != "--":
            loose.append(words[at])
        else:
            break  # What follows is a prompt, which was asked already.
        at += taken
    return kept, loose, said


def _values(agent: Agent, option: str, following: tuple[str, ...]) -> int:
    """How many words belong to an option that stays."""
    if option in agent.valued:
        return min(1, len(following))
    if option not in agent.many:
        return 0
    return next((at for at, word in enumerate(following) if word.startswith("-")), len(following))
