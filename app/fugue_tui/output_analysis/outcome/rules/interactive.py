"""Programs that run on: those that wait for a person, and servers that are up. Nothing is suggested to be typed."""

import re
from typing import Final

from fugue_tui.output_analysis.outcome.rules.rule import Clue, Ending, Rule, line
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.output_analysis.word_set import word_set

_URL: Final = r"(?P<url>https?://[\w.:\[\]*-]{1,200}(?:/[\w./-]{0,100})?)(?=[\s,;)'\"]|$)"


def _asks(name: str, sure: float, hint: str, pattern: str, kind: str, programs: str = "") -> Rule:
    """A rule for a last line at which a program waits."""
    return Rule(
        name,
        Meaning.PROMPT_WAITING,
        sure,
        hint,
        line(pattern),
        Ending.RUNNING,
        programs=word_set(programs),
        last=True,
        details={"prompt": kind},
    )


def _chooses(name: str, sure: float, hint: str, pattern: str, above: re.Pattern[str] | None = None) -> Rule:
    """A rule for a question with its answers below it."""
    details = {"prompt": "choice"}
    return Rule(name, Meaning.PROMPT_WAITING, sure, hint, line(pattern), Ending.RUNNING, above=above, details=details)


def _serves(name: str, sure: float, hint: str, pattern: str, programs: str = "") -> Rule:
    """A rule for a line with which a server says that it is up."""
    return Rule(
        name,
        Meaning.SERVER_READY,
        sure,
        hint,
        line(pattern),
        Ending.RUNNING,
        programs=word_set(programs),
        clues=(Clue("://", line(rf".{{0,200}}?(?<![\w]){_URL}.{{0,200}}")),),
        actions=("curl -sI {loopback}",),
    )


RULES: Final = (
    _asks("sudo", 0.97, "password for ", r"\[sudo\] password for (?P<user>[\w.-]{1,60}): ?", "password"),
    _asks(
        "password", 0.95, "assword", r"(?:.{0,120}[ '\"])?[Pp]assword(?: for .{1,120}| \([^()]{1,60}\))?: ?", "password"
    ),
    _asks("passphrase", 0.96, "assphrase", r"(?:Enter )?(?:same )?[Pp]assphrase(?: .{1,240})?: ?", "password"),
    _asks("user name", 0.95, "sername", r"(?:Username|username|Login|login)(?: for '.{1,200}')?: ?", "text"),
    _asks(
        "code",
        0.9,
        "code",
        r"(?:.{0,80} )?(?:[Vv]erification|[Oo]ne-time|2FA|OTP|[Aa]uthentication) (?:pass)?code:? ?",
        "password",
    ),
    _asks(
        "host key",
        0.98,
        "continue connecting",
        r"Are you sure you want to continue connecting \(yes/no(?:/\[fingerprint\])?\)\? ?",
        "host_key",
    ),
    _asks(
        "yes or no", 0.95, "/", r".{0,300}[\[(](?:[yY]/[nN]|[yY]es/[nN]o|y/n/[\w/?]{1,20})[\])] ?[?:>]? ?", "confirm"
    ),
    _asks("proceed", 0.94, "proceed?", r".{0,80}[Oo]k to proceed\? \(y\) ?", "confirm", "npm npx"),
    _asks(
        "npm init",
        0.95,
        ":",
        r"(?:package name|version|entry point|license|type): \(.{0,200}\) ?"
        r"|(?:description|test command|git repository|keywords|author):(?: \(.{0,200}\))? ?",
        "text",
        "npm pnpm yarn",
    ),
    _asks("is this OK", 0.96, "Is this OK?", r"Is this OK\? \(yes\) ?", "confirm", "npm pnpm yarn"),
    _asks("remove or overwrite", 0.95, "?", r"(?:cp|ln|mv|rm): .{1,400}\? ?", "confirm", "cp ln mv rm"),
    _asks("enter", 0.85, "nter ", r"(?:.{0,40} )?(?:Please e|E)nter .{1,200}: ?", "text"),
    _asks("hunk", 0.96, "this hunk [", r"(?:\(\d+/\d+\) )?Stage this hunk \[[\w,/?]{1,40}\]\? ?", "confirm", "git"),
    _asks("any key", 0.93, "ress ", r".{0,80}\b[Pp]ress (?:any key|ENTER|Enter|RETURN|\[?Enter\]?)\b.{0,80}", "key"),
    _asks("pager's end", 0.93, "(END)", r"(?:.{0,200} )?\(END\)", "pager"),
    _asks("pager", 0.9, ":", r":", "pager", "less man git systemctl journalctl gh psql"),
    _asks("manual", 0.96, "Manual page ", r" ?Manual page .{1,100} line \d+.{0,100}", "pager", "man"),
    _asks("lines of a pager", 0.93, "lines ", r"lines \d+-\d+(?:/\d+.{0,40})?", "pager"),
    _asks("more", 0.95, "--More--", r"--More--(?:\(.{1,40}\))?", "pager"),
    _asks("Python", 0.95, ">>>", r">>> ?", "repl"),
    _asks("Python goes on", 0.9, "...", r"\.\.\. ?", "repl", "python python3"),
    _asks("fdisk", 0.96, " for help", r"(?:Expert c|C)ommand \(m for help\): ?", "repl"),
    _asks("Python debugger", 0.97, "db", r"(?:\(Pdb\)|ipdb>|\(gdb\)|\(lldb\)|\(dlv\)) ?", "debugger"),
    _asks(
        "console",
        0.94,
        ">",
        r"(?:mysql|sqlite|MariaDB \[[^\]]{1,60}\]|irb\(.{1,60}\)(?::\d+)*|julia|iex\(\d+\)|redis|[\d.]+:\d+|ghci)> ?",
        "repl",
    ),
    _asks("IPython", 0.96, "In [", r"In \[\d+\]: ?", "repl"),
    _asks("psql", 0.94, "", r"[\w-]{1,60}[=('\"*!^-][#>] ?", "repl", "psql"),
    _asks("Node", 0.93, ">", r"> ?", "repl", "node"),
    _asks("answer", 0.85, "?", r"\? .{1,200}(?: \([^()]{1,60}\)| ›.{0,80}|:) ?", "text"),
    _chooses("arrows", 0.93, "rrow", r".{0,200}\b(?:[Uu]se (?:the )?arrows?\b|arrow[ -]keys\b).{0,120}"),
    _chooses("clack", 0.9, "◆", r"◆  \S.{0,300}"),
    _chooses("numbered", 0.9, "❯ 1. ", r"[\s│]{0,20}❯ 1\. \S.{0,200}", line(r".{1,300}\?[\s│]{0,200}")),
    _serves("Flask", 0.96, " * Running on ", rf" \* Running on (?:all addresses .*|{_URL}.*)"),
    _serves("uvicorn", 0.97, "Uvicorn running on ", rf"(?:INFO: +)?.{{0,60}}Uvicorn running on {_URL}.*"),
    _serves(
        "http.server", 0.97, "Serving HTTP on ", r"Serving HTTP on (?P<host>[\w.:]{1,100}) port (?P<port>\d{1,5}) .*"
    ),
    _serves("Django", 0.97, "Starting development server at ", rf"Starting development server at {_URL}"),
    _serves(
        "ready in",
        0.95,
        "eady in ",
        r"(?: *(?:VITE v[\d.]+ +|✓ |▲ .{0,40} |\[\w{1,20}\] )?)[Rr]eady in \d[\d.]*\s?m?s.{0,60}",
    ),
    _serves("local address", 0.93, "Local: ", rf"(?: *[➜-] +)Local: +{_URL}.*"),
    _serves(
        "listening",
        0.9,
        "istening",
        r"(?:.{0,100}[\s\]:*])?(?:[Ss]erver (?:is )?|[Aa]pp )?[Ll]istening (?:on|at) (?:port |address )?"
        r"(?P<address>[\w.:/\[\]*-]{2,200})[.!]?(?: .{0,60})?",
    ),
    _serves(
        "running at",
        0.9,
        "unning ",
        rf"(?:.{{0,80}}\b)?(?:[Ss]erver|[Aa]pp(?:lication)?|[Ss]ite) (?:is )?(?:now )?running (?"
        rf":at|on) (?:{_URL}|port \d{{2,5}}).{{0,60}}",
    ),
    _serves("Postgres", 0.96, "ready to accept connections", r".{0,120}database system is ready to accept connections"),
    _serves("Redis", 0.93, "eady to accept connections", r".{0,80}\* Ready to accept connections.*"),
    _serves(
        "Spring", 0.94, "Tomcat started on port", r".{0,200}Tomcat started on port(?:\(s\))?:? (?P<port>\d{1,5}).*"
    ),
)
"""Passwords, confirmations, pagers, consoles; web servers, development servers, databases."""
