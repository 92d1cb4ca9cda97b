"""What the machine refuses: ports, permissions, space; and what wants credentials."""

from typing import Final

from fugue_tui.output_analysis.outcome.rules.rule import JS_STACK, Clue, Rule, line
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.output_analysis.word_set import word_set

_FILE: Final = Clue(
    '  File "', line(r' +File "(?P<file>[^"<>]{1,300})", line (?P<line>\d{1,7})(?:, in .*)?'), deepest=True
)
_PORT: Final = ("ss -ltnp {sport}",)
_WHO: Final = r"(?P<program>[\w./+-]{1,100}): (?:line \d+: |\d+: )?"

RULES: Final = (
    Rule(
        "Node port",
        Meaning.PORT_IN_USE,
        0.97,
        "EADDRINUSE",
        line(
            r"(?:Uncaught )?Error: listen EADDRINUSE: address already in use (?P<host>[^\s]{0,100}):(?P<port>\d{1,5})"
        ),
        clues=(JS_STACK,),
        actions=_PORT,
    ),
    Rule(
        "Python port",
        Meaning.PORT_IN_USE,
        0.97,
        "ddress already in use",
        line(r"OSError: \[Errno (?:98|48)\] (?:Address already in use|error while attempting to bind on address .*)"),
        clues=(_FILE,),
    ),
    Rule(
        "asyncio port",
        Meaning.PORT_IN_USE,
        0.96,
        "error while attempting to bind on address",
        line(
            r".{0,100}\[Errno (?:98|48)\] error while attempting to bind on address \('(?"
            r"P<host>[^']{0,100})', (?P<port>\d{1,5})\).*"
        ),
        actions=_PORT,
    ),
    Rule(
        "bind",
        Meaning.PORT_IN_USE,
        0.95,
        "address already in use",
        line(r"(?:.{0,200} )?listen \w{1,6} (?P<host>[^\s]{0,100}?):(?P<port>\d{1,5}): bind: address already in use"),
        actions=_PORT,
    ),
    Rule(
        "server's port",
        Meaning.PORT_IN_USE,
        0.95,
        " in use",
        line(
            r"(?:nginx: \[emerg\] bind\(\) to|.{0,200}TCP listening socket|.{0,200}\[ERROR\] Connection in use:"
            r"|Address already in use - bind\(2\) for|Web server failed to start\. Port) .{0,100}?\b(?P<port>\d{1,5})"
            r"(?: failed \(\d+: Address already in use\)|: bind: Address already in use|\)| \(Errno::EADDRINUSE\)"
            r"| was already in use\.)"
        ),
        actions=_PORT,
    ),
    Rule(
        "Rust port",
        Meaning.PORT_IN_USE,
        0.95,
        "kind: AddrInUse",
        line(r".{0,300}\bOs \{ code: \d+, kind: AddrInUse, message: \"[^\"]{1,100}\" \}.{0,100}"),
    ),
    Rule(
        "port taken",
        Meaning.PORT_IN_USE,
        0.93,
        " in use",
        line(r"(?:Error: |\[\w+\] |⚠ )?Port (?P<port>\d{1,5}) is (?:already )?in use\b.{0,200}"),
        actions=_PORT,
    ),
    Rule(
        "docker port",
        Meaning.PORT_IN_USE,
        0.96,
        "port is already allocated",
        line(r".{0,400}Bind for (?P<host>[^\s]{0,100}):(?P<port>\d{1,5}) failed: port is already allocated.*"),
        programs=word_set("docker docker-compose podman"),
        actions=_PORT,
    ),
    Rule(
        "credentials over ssh",
        Meaning.AUTH_REQUIRED,
        0.96,
        "Permission denied (",
        line(
            r"(?:(?P<host>[\w.@-]{1,200}): )?Permission denied \((?:publickey|password|"
            r"keyboard-interactive|gssapi)[\w,-]{0,100}\)\."
        ),
        programs=word_set("ssh scp sftp rsync git"),
    ),
    Rule(
        "host key",
        Meaning.AUTH_REQUIRED,
        0.95,
        "Host key verification failed.",
        line(r"Host key verification failed\."),
        programs=word_set("ssh scp sftp rsync git"),
    ),
    Rule(
        "credentials for git",
        Meaning.AUTH_REQUIRED,
        0.96,
        "fatal: ",
        line(r"fatal: (?:Authentication failed for '.*'|could not read (?:Username|Password) for '.*': .*)"),
        programs=word_set("git"),
        actions=("git remote -v",),
    ),
    Rule(
        "credentials for a tool",
        Meaning.AUTH_REQUIRED,
        0.93,
        "",
        line(
            r"npm (?:ERR!|error) code (?:E401|ENEEDAUTH)|error: You must be logged in to the server \(.*\)"
            r"|Unable to locate credentials\. You can configure credentials by running \"aws configure\"\."
            r"|To get started with GitHub CLI, please run: +gh auth login|denied: requested access "
            r"to the resource is denied"
            r"|remote: Permission to \S{1,200} denied to .{1,100}|gh: .{1,200}set the GH_TOKEN environment variable\."
            r"|sudo: a (?:terminal|password) is required.*|(?P<user>[\w.-]{1,60}) is not in the sudoers file\..*"
        ),
    ),
    Rule(
        "permission",
        Meaning.PERMISSION_DENIED,
        0.93,
        "ermission denied",
        line(_WHO + r"(?:cannot [\w ]{1,40} )?[‘'\"]?(?P<path>[^‘’'\"]{1,300}?)[’'\"]?: Permission denied"),
        actions=("ls -ld {path}",),
    ),
    Rule(
        "Python permission",
        Meaning.PERMISSION_DENIED,
        0.95,
        "Error: [Errno 1",
        line(
            r"(?:PermissionError|ERROR: Could not install packages due to an OSError): \[Errno 1?3?\] "
            r"(?:Permission denied|Operation not permitted)(?:: '(?"
            r"P<path>[^']{1,300})')?"
        ),
        clues=(_FILE,),
        actions=("ls -ld {path}",),
    ),
    Rule(
        "Node permission",
        Meaning.PERMISSION_DENIED,
        0.95,
        "EACCES: ",
        line(r"(?:Error: |npm (?:ERR!|error) )+EACCES: permission denied, \w{1,20} '(?P<path>[^']{1,300})'.*"),
        actions=("ls -ld {path}",),
    ),
    Rule(
        "docker permission",
        Meaning.PERMISSION_DENIED,
        0.96,
        "permission denied while trying to connect to the",
        line(r".{0,100}permission denied while trying to connect to the (?:Docker daemon socket|docker API) .*"),
        programs=word_set("docker docker-compose"),
        actions=("id",),
    ),
    Rule(
        "not permitted",
        Meaning.PERMISSION_DENIED,
        0.9,
        "Operation not permitted",
        line(_WHO + r"(?:[\w ]{1,40} )?[‘'\"]?(?P<path>[^‘’'\"]{1,300}?)[’'\"]?: Operation not permitted"),
        actions=("ls -ld {path}",),
    ),
    Rule(
        "space",
        Meaning.DISK_FULL,
        0.97,
        "o space left on device",
        line(
            r"(?:(?P<program>-?[\w./+-]{1,100}): .{0,300}: |OSError: \[Errno 28\] |"
            r".{0,200}ENOSPC: |failed to register layer: .{0,200}: )[Nn]o space left on device.{0,200}"
        ),
        actions=("df -h",),
    ),
    Rule(
        "quota",
        Meaning.DISK_FULL,
        0.95,
        "Disk quota exceeded",
        line(r"(?:(?P<program>-?[\w./+-]{1,100}): .{0,300}: |OSError: \[Errno 122\] )Disk quota exceeded.{0,200}"),
        actions=("df -h",),
    ),
)
"""Ports, credentials, permissions, space."""
