"""Resuming agents: the command that continues the conversation of an agent in a pane.

The rules are data. Where agents keep their conversations was seen with Claude Code 2.1.197, Codex 0.169.0 and Gemini
CLI 0.61.0. Of their files bounded parts are read, and only a UUID is used.
Any thread; never raises.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from fugue_tui.control.restore.agent_sessions import UUID, AgentProcess, claude_ids, codex_ids, gemini_ids
from fugue_tui.shell_names import SHELLS, program_name
from fugue_tui.terminal.pty import process
from fugue_tui.tmux_shim.install import FOLDER

_LAUNCHERS: Final = SHELLS | {"env", "npx", "bunx", "uv", "uvx"}
_RUNTIMES: Final = frozenset({"node", "bun", "deno"})
_PYTHON: Final = re.compile(r"python[0-9.]*")
_DEEPEST: Final = 3
"""Generations of child processes that are searched for an agent."""


class Agent(Struct, frozen=True):
    """One agent's command line."""

    again: tuple[str, ...]
    """The words between the program and the id of a conversation."""
    picks: bool
    """Whether it lets the user choose a conversation if no id is given."""
    named: frozenset[str]
    """The words before the id of a conversation."""
    valued: frozenset[str]
    """Options that are kept, with one value."""
    many: frozenset[str]
    """Options that are kept, with all values up to the next option."""
    flags: frozenset[str]
    """Options that are kept, without a value."""
    once: frozenset[str]
    """Words of calls that are no conversation: one-shot prompts and other subcommands."""


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
OTHERS: Final = frozenset({"aider", "amp", "copilot", "cursor-agent", "goose", "opencode", "qwen"})
"""Further agents, whose conversations are not continued here."""
_SHARED: Final[Mapping[str, frozenset[str]]] = {
    "copilot": frozenset(),
    "goose": frozenset({"session", "s", "run"}),
}
"""Names that other programs have, too, with the first words of the agents' calls; without a word it is the agent."""
_SESSIONS: Final = {"claude": claude_ids, "codex": codex_ids, "gemini": gemini_ids}


def agent_of(argv: Sequence[str]) -> str:
    """The agent's name, such as claude; empty for other programs."""
    return _found(argv)[0]


def agent_in(group: int) -> str:
    """The name of the agent that a process group runs: its leader, or what a script or a launcher that leads it has
    started in it."""
    argv = process.argv(group)
    generation = [group] if program_name(argv) in _LAUNCHERS else []
    found = agent_of(argv)
    for _ in range(_DEEPEST):
        if found:
            break
        generation = [child for parent in generation for child in process.members_below(parent, group)]
        found = next(filter(None, (agent_of(process.argv(child)) for child in generation)), "")
    return found


def resume_argv(argv: Sequence[str], pid: int, cwd: str, home: str = "") -> tuple[str, ...]:
    """The command that continues the conversation of the agent with process `pid`, started as `argv` in `cwd`.

    Of several possible conversations the agent lets the user choose. Empty if it is no agent, cannot be resumed, or
    has no conversation yet. `home` overrides HOME in the process's environment."""
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
    """The agent, and how many words name it: `claude` has one, `node /usr/bin/codex` two."""
    python = bool(_PYTHON.fullmatch(program_name(argv)))
    for length, word in enumerate(argv, 1):
        name = os.path.basename(word).removesuffix(".exe")
        if name in AGENTS.keys() | OTHERS and _is_agent(name, argv[length:], python=python):
            return name, length
        if (length == 1 and (python or name in _RUNTIMES)) or (length > 1 and word.startswith("-")):
            continue
        break
    return "", 0


def _is_agent(name: str, following: Sequence[str], *, python: bool) -> bool:
    """Whether a call with these words after the name is the agent's, and not that of another program of the name."""
    if python:
        return name == "aider"
    first = next(iter(following), "-")
    return name not in _SHARED or first.startswith("-") or first in _SHARED[name]


def _below(pid: int) -> tuple[tuple[str, ...], int]:
    """The argv and pid of the agent among a shell's descendants; empty if there is none, or more than one."""
    generation = [pid]
    for _ in range(_DEEPEST):
        parents = set(generation)
        generation = [each.pid for each in process.processes() if each.parent in parents]
        agents = [(words, child) for child in generation if agent_of(words := process.argv(child))]
        if agents:
            return agents[0] if len(agents) == 1 else ((), 0)
    return (), 0


def _resumed(name: str, program: tuple[str, ...], rest: tuple[str, ...], where: AgentProcess) -> tuple[str, ...]:
    agent = AGENTS.get(name)
    if agent is None:
        return ()
    kept, loose, given = _sorted(agent, rest)
    if agent.once.intersection((*loose[:1], *(word for word in loose if word.startswith("-")))):
        return ()
    ids = _SESSIONS[name](where, given)
    if not ids or (len(ids) > 1 and not agent.picks):
        return ()
    starts = _with_teams() if name == "claude" and FOLDER in where.env else program
    return (*starts, *agent.again, *((ids[0],) if len(ids) == 1 else ()), *kept)


def _with_teams() -> tuple[str, ...]:
    """`fugue-tui claude`, which gives Claude Code the variables by which its teams open panes."""
    beside = os.path.join(os.path.dirname(sys.executable), "fugue-tui")
    return (beside, "claude") if os.access(beside, os.X_OK) else (sys.executable, "-m", "fugue_tui", "claude")


def _sorted(agent: Agent, words: tuple[str, ...]) -> tuple[list[str], list[str], str]:
    """The options that are kept, the other words, and the id of a conversation if one was given."""
    kept: list[str] = []
    loose: list[str] = []
    given, at = "", 0
    while at < len(words):
        option, equals, value = words[at].partition("=")
        count = 1 + _values(agent, option, words[at + 1 :]) if not equals else 1
        following = value if equals else next(iter(words[at + 1 :]), "")
        if option in agent.named and UUID.fullmatch(following):
            given, count = following, 1 if equals else 2
        elif option in agent.valued | agent.many | agent.flags:
            kept += words[at : at + count]
        elif words[at] != "--":
            loose.append(words[at])
        else:
            break  # The rest is a prompt, which was sent already.
        at += count
    return kept, loose, given


def _values(agent: Agent, option: str, following: tuple[str, ...]) -> int:
    """The number of values of an option that is kept."""
    if option in agent.valued:
        return min(1, len(following))
    if option not in agent.many:
        return 0
    return next((at for at, word in enumerate(following) if word.startswith("-")), len(following))
