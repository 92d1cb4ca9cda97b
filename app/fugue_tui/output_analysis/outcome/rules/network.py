"""What the network refuses: names, connections, answers in time."""

from typing import Final

from fugue_tui.output_analysis.outcome.rules.rule import Rule, line
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.output_analysis.word_set import word_set

_HOST: Final = ("getent hosts {host}",)

RULES: Final = (
    Rule(
        "curl",
        Meaning.NETWORK_ERROR,
        0.96,
        "curl: (",
        line(
            r"curl: \((?:5|6|7|28|35|52|56)\) (?P<message>.*?(?:host: |connect to )?(?"
            r"P<host>[\w.-]{1,200})?(?: port \d+.*)?)"
        ),
        programs=word_set("curl"),
    ),
    Rule(
        "host name",
        Meaning.NETWORK_ERROR,
        0.96,
        "ould not resolve host",
        line(
            r"(?:curl: \(6\) |ssh: |fatal: .{1,300}: )Could not resolve host(?:name)?:? (?"
            r"P<host>[\w.-]{1,200})(?:: .*)?"
        ),
        programs=word_set("curl ssh scp git rsync"),
        actions=_HOST,
    ),
    Rule(
        "name service",
        Meaning.NETWORK_ERROR,
        0.94,
        "",
        line(
            r"(?:.{0,300}(?:socket\.gaierror|: \[Errno -[235]\]).{0,20}|ping: (?P<host>[\w.-]{1,200}): |wget: .{0,200})"
            r"(?:Name or service not known|Temporary failure in name resolution|unable to resolve host address.*)"
            r"|(?:.{0,100}Error: )?getaddrinfo (?:ENOTFOUND|EAI_AGAIN) [\w.-]{1,200}"
        ),
    ),
    Rule(
        "refused",
        Meaning.NETWORK_ERROR,
        0.94,
        "efused",
        line(
            r"ssh: connect to host (?P<host>[\w.:-]{1,200}) port \d+: Connection refused"
            r"|The connection to the server (?P<server>[\w.:-]{1,200}) was refused - .*"
            r"|(?:psql: error: |.{0,100}OperationalError: )?connection to server at .{1,200} failed: Connection refused"
            r"|ConnectionRefusedError: \[Errno (?:111|61)\] Connection refused"
            r"|Connecting to .{1,200}\.\.\. failed: Connection refused\."
            r"|(?:.{0,40}Error: )?connect ECONNREFUSED \S{1,100}"
            r"|.{0,300}dial \w{1,6} \S{1,100}: connect: connection refused"
        ),
    ),
    Rule(
        "timed out",
        Meaning.NETWORK_ERROR,
        0.93,
        "",
        line(
            r"ssh: connect to host (?P<host>[\w.:-]{1,200}) port \d+: (?:Connection timed out|No route to host)"
            r"|kex_exchange_identification: (?:Connection closed|read: Connection reset) by .{1,200}"
            r"|(?:.{0,40}Error: )?connect ETIMEDOUT \S{1,100}|.{0,300}dial \w{1,6} \S{1,100}: i/o timeout"
        ),
    ),
    Rule(
        "docker daemon",
        Meaning.NETWORK_ERROR,
        0.95,
        "Cannot connect to the Docker daemon",
        line(
            r"(?:ERROR: )?Cannot connect to the Docker daemon at (?P<server>\S{1,200})\. Is the docker daemon running\?"
        ),
        programs=word_set("docker docker-compose"),
        actions=("docker context ls",),
    ),
    Rule(
        "npm network",
        Meaning.NETWORK_ERROR,
        0.94,
        "npm ",
        line(r"npm (?:ERR!|error) (?:code E(?:CONNREFUSED|CONNRESET|NOTFOUND|NOTCACHED|TIMEDOUT|AI_AGAIN)|network .*)"),
        programs=word_set("npm npx"),
    ),
)
"""Name service, connections refused and timed out."""
