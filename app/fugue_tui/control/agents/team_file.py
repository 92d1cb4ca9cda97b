"""Team files: the members of a team with their programs, roles and tasks, as TOML. Reads files; any thread.

    version = 1
    name = "pair"
    description = "one writes, one reviews"
    layout = "even_horizontal"                # a preset of select-layout; the first member is the main one
    [variables]
    task = ""                                 # empty: has to be given; {task} in a member's texts
    [[members]]
    name = "driver"
    role = "driver"
    program = "claude"
    arguments = ["--permission-mode", "acceptEdits"]
    model = ""
    cwd = ""
    worktree = ""                             # the name of a git worktree to start in
    env = {}
    briefing = "You are the driver. {task}"   # or briefing_file, beside this file
    talks_to = ["navigator"]                  # roles or names that it may type to without asking; or ["all"]
    after = ["navigator"]                     # roles or names of those that do their tasks before it gets its own
    [members.monitor]                         # what is done about this member, besides [monitor]
    gone = ["restart", "tell"]
    [monitor]                                 # what is done about all members, as monitor-agent has it
    idle = ["nudge", "escalate"]

The members are started in this order. Unknown keys are errors.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from fugue_tui import trusted_files
from fugue_tui.config.monitor import OFF, MonitorRules
from fugue_tui.control.core.send_input import typeable
from fugue_tui.control.core.target import is_target
from fugue_tui.errors import ConfigError, InvalidArgument, NotFound
from fugue_tui.layout import presets
from fugue_tui.multiplexer.agents.mailboxes import LONGEST
from fugue_tui.sanitize import clean
from fugue_tui.user_dirs import config_file
from fugue_tui.validation.annotations import Record

MOST: Final = 16
"""Members of a team."""
_LIMIT: Final = 1 << 18
_RECEIVERS: Final = ("all", "user", "nobody")
"""Words for receivers of messages and owners of tasks, which no member is called by."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,47}")
_VARIABLE: Final = re.compile(r"\{([a-z][a-z0-9_]{0,40})\}")

_Short = Annotated[str, Meta(max_length=1_000)]


class Member(Struct, frozen=True, forbid_unknown_fields=True):
    """One member of a team."""

    name: Annotated[str, Meta(pattern=f"^{_NAME.pattern}$", max_length=48)]
    role: Annotated[str, Meta(max_length=64)] = ""
    program: Annotated[str, Meta(min_length=1, max_length=1_000)] = "claude"
    arguments: tuple[_Short, ...] = ()
    model: _Short = ""
    cwd: _Short = ""
    worktree: _Short = ""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    briefing: Annotated[str, Meta(max_length=LONGEST)] = ""
    briefing_file: _Short = ""
    talks_to: tuple[_Short, ...] = ()
    after: tuple[_Short, ...] = ()
    monitor: Mapping[str, Any] = field(default_factory=dict[str, Any])
    rules: MonitorRules = OFF
    """The rules by which it is monitored: those of the team with its own."""


class Team(Struct, frozen=True, forbid_unknown_fields=True):
    """A team, as its file has it."""

    version: int
    name: Annotated[str, Meta(pattern=f"^{_NAME.pattern}$", max_length=48)]
    members: Annotated[tuple[Member, ...], Meta(min_length=1, max_length=MOST)]
    description: _Short = ""
    layout: _Short = "tiled"
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    monitor: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def partners(self, member: Member) -> list[str]:
        """The names of the members that one may type to."""
        return [each.name for each in self._called(member, {*member.talks_to})]

    def before(self, member: Member) -> list[str]:
        """The names of the members that have to do their tasks before one gets its own."""
        return [each.name for each in self._called(member, {*member.after})]

    def order(self) -> dict[str, list[str]]:
        """The names of the members, each after those that it waits for, and those. Of a cycle no member is there."""
        left, found = {each.name: self.before(each) for each in self.members}, dict[str, list[str]]()
        while ready := [name for name, before in left.items() if not left.keys() & {*before}]:
            found |= {name: left.pop(name) for name in ready}
        return found

    def _called(self, member: Member, words: set[str]) -> list[Member]:
        """The other members that are called by a name, a role, or all."""
        others = [each for each in self.members if each.name != member.name]
        return [each for each in others if words & {"all", each.name, *((each.role,) if each.role else ())}]


def own_dir() -> Path:
    """The directory of the user's teams, beside the configuration."""
    return Path(config_file()).parent / "teams"


def shipped_dir() -> Path:
    """The directory of the teams that ship with the program."""
    return Path(__file__).with_name("teams")


def names() -> list[str]:
    """The names of all teams, sorted."""
    found = {path.stem for folder in (own_dir(), shipped_dir()) if folder.is_dir() for path in folder.glob("*.toml")}
    return sorted(name for name in found if _NAME.fullmatch(name))


def load(reference: str, here: str) -> tuple[Team, Path]:
    """The team of a name, the user's before those that are shipped, or at a path relative to `here`, and its file.

    Raises NotFound, or ConfigError that names the file and what is wrong in it."""
    path = _path(reference, here)
    try:
        text = trusted_files.text(path, _LIMIT)
        team = _with_rules(msgspec.convert(trusted_files.toml(text), Team))
    except (OSError, trusted_files.UntrustedFile) as error:
        raise ConfigError(trusted_files.describe(path, error)) from None
    except (msgspec.ValidationError, InvalidArgument) as error:
        raise ConfigError(f"{clean(str(path), 4096)}: {error}") from None
    if fault := _fault(team):
        raise ConfigError(f"{clean(str(path), 4096)}: {fault}")
    return team, path


def filled(team: Team, given: Mapping[str, str]) -> Team:
    """The team with its variables put in. Raises InvalidArgument for one that is missing or unknown."""
    if unknown := sorted(given.keys() - team.variables.keys()):
        there = ", ".join(sorted(team.variables)) or "none"
        raise InvalidArgument(f"variables: the team has no {clean(unknown[0], 40)}; it has {there}")
    values = {**team.variables, **given}
    if missing := next((name for name, value in values.items() if not value and _uses(team, name)), ""):
        raise InvalidArgument(f'variables: give {missing}, such as --variables \'{{"{missing}": "..."}}\'')
    return replace(team, members=tuple(_member(each, values) for each in team.members))


def _path(reference: str, here: str) -> Path:
    if "/" in reference or reference.endswith(".toml"):
        return Path(os.path.normpath(os.path.join(here or os.getcwd(), os.path.expanduser(reference))))
    if _NAME.fullmatch(reference):
        for folder in (own_dir(), shipped_dir()):
            if (path := folder / f"{reference}.toml").is_file():
                return path
    raise NotFound(f"no team {clean(reference, 60)}; there are {', '.join(names())}, and a path has a / in it")


def _fault(team: Team) -> str:
    """What is wrong in a team besides its types; empty if nothing is."""
    if team.version != 1:
        return f"version: {team.version} is not known here; 1 is"
    known = [each.name for each in team.members]
    if double := next((name for name in known if known.count(name) > 1), ""):
        return f"members: two are called {double}"
    for each in team.members:
        if is_target(each.name) or each.name in _RECEIVERS:
            return f"members.{each.name}: the name would be read as something else; choose another"
        if each.briefing and each.briefing_file:
            return f"members.{each.name}: briefing or briefing_file, not both"
        addressed = {"all", *known, *(other.role for other in team.members if other.role)}
        if unknown := next((word for word in each.talks_to if word not in addressed), ""):
            return f"members.{each.name}.talks_to: no member has the name or role {clean(unknown, 40)}"
        if fault := _order_fault(each, addressed):
            return f"members.{each.name}.after: {fault}"
    if cycle := [each.name for each in team.members if each.name not in team.order()]:
        return f"members: {', '.join(cycle)} wait for each other by after"
    try:
        presets.canonical(team.layout)
    except InvalidArgument as error:
        return str(error).replace("preset:", "layout:", 1)
    return ""


def _order_fault(member: Member, addressed: set[str]) -> str:
    """What is wrong in whom a member waits for; empty if nothing is."""
    if unknown := next((word for word in member.after if word not in addressed), ""):
        return f"no member has the name or role {clean(unknown, 40)}"
    if member.name in member.after:
        return "it cannot wait for itself"
    return "" if member.briefing or member.briefing_file or not member.after else "it has no briefing that could wait"


def _with_rules(team: Team) -> Team:
    """The team with the rules of each member. Raises InvalidArgument."""
    return replace(team, members=tuple(replace(each, rules=_rules(team, each)) for each in team.members))


def _rules(team: Team, member: Member) -> MonitorRules:
    where = f"members.{member.name}.monitor" if member.monitor else "monitor"
    if member.rules != OFF:
        raise InvalidArgument(f"members.{member.name}.rules: is no key; monitor is")
    rules: MonitorRules = Record(MonitorRules).check({**team.monitor, **member.monitor}, where)
    if rules.fault:
        raise InvalidArgument(f"{where}: {rules.fault}")
    return replace(rules, text=typeable(rules.text, f"{where}.text"))


def _texts(member: Member) -> Sequence[str]:
    return (*member.arguments, member.model, member.cwd, member.worktree, member.briefing, *member.env.values())


def _uses(team: Team, name: str) -> bool:
    return any(f"{{{name}}}" in text for member in team.members for text in _texts(member))


def _typed(text: str, where: str) -> str:
    """A briefing as it is typed. Raises InvalidArgument."""
    if len(text) > LONGEST:
        raise InvalidArgument(f"{where}: {len(text)} characters are too many; {LONGEST} fit")
    return typeable(text, where)


def _member(member: Member, values: Mapping[str, str]) -> Member:
    def put(text: str) -> str:
        return _VARIABLE.sub(lambda found: values.get(found[1], found[0]), text)

    changed: dict[str, Any] = {
        name: put(getattr(member, name)) for name in ("model", "cwd", "worktree", "briefing_file")
    }
    return replace(
        member,
        briefing=_typed(put(member.briefing), f"members.{member.name}.briefing"),
        arguments=tuple(map(put, member.arguments)),
        env={name: put(value) for name, value in member.env.items()},
        **changed,
    )
