"""What is said of modules, packages, programs and files that are not there.

Nothing is suggested that would install what an output names: anybody can print a name.
"""

from typing import Final

from fugue_tui.output_analysis.outcome.rules.rule import JS_STACK, Clue, Rule, line
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.output_analysis.word_set import word_set

_FILE: Final = Clue(
    '  File "', line(r' +File "(?P<file>[^"<>]{1,300})", line (?P<line>\d{1,7})(?:, in .*)?'), deepest=True
)

RULES: Final = (
    Rule(
        "Python module",
        Meaning.DEPENDENCY_MISSING,
        0.94,
        "No module named ",
        line(r"(?:E +)?(?:ModuleNotFoundError|ImportError): No module named '?(?P<module>[\w.]{1,200})'?.*"),
        programs=word_set("python python3 pytest unittest"),
        clues=(_FILE,),
        actions=("python -m pip show {package_of}",),
    ),
    Rule(
        "Python -m",
        Meaning.DEPENDENCY_MISSING,
        0.94,
        ": No module named ",
        line(r"\S{1,300}python[\d.]*: No module named (?P<module>[\w.]{1,200})"),
        actions=("python -m pip show {package_of}",),
    ),
    Rule(
        "command in a shell",
        Meaning.DEPENDENCY_MISSING,
        0.95,
        "not found",
        line(r"-?[\w./-]{1,100}: (?:line \d+: |\d+: )?(?P<module>[\w.+@-]{1,100}): (?:command )?not found(?:\.\.\.)?"),
        actions=("command -v {module}",),
        details={"missing": "command"},
    ),
    Rule(
        "command in zsh or fish",
        Meaning.DEPENDENCY_MISSING,
        0.95,
        "ommand",
        line(r"(?:zsh: command not found|fish: Unknown command): (?P<module>[\w.+@-]{1,100})"),
        actions=("command -v {module}",),
        details={"missing": "command"},
    ),
    Rule(
        "npx or env",
        Meaning.DEPENDENCY_MISSING,
        0.93,
        "No such file or directory",
        line(r"(?:/usr/bin/)?env: [‘'](?P<module>[\w.+@-]{1,100})[’']: No such file or directory"),
        actions=("command -v {module}",),
        details={"missing": "command"},
    ),
    Rule(
        "Node module",
        Meaning.DEPENDENCY_MISSING,
        0.95,
        "Cannot find ",
        line(r"(?:\w{0,20}Error(?: \[\w{1,60}\])?: )Cannot find (?:module|package) '(?P<module>[^']{1,200})'.*"),
        programs=word_set("node npm npx tsx ts-node jest vitest mocha yarn pnpm"),
        clues=(JS_STACK,),
        actions=("npm ls {module}",),
    ),
    Rule(
        "npm registry",
        Meaning.DEPENDENCY_MISSING,
        0.92,
        "npm ",
        line(
            r"npm (?:ERR!|error) (?:404 {1,3}'(?P<module>[^'@]{1,100})@[^']{0,60}' is not in this "
            r"registry\.?|code E404)"
        ),
        programs=word_set("npm npx"),
    ),
    Rule(
        "Rust package",
        Meaning.DEPENDENCY_MISSING,
        0.97,
        "error: no matching package",
        line(r"error: no matching package(?: named `(?P<module>[^`]{1,100})`)? found"),
        programs=word_set("cargo"),
        actions=("cargo tree",),
    ),
    Rule(
        "Rust crate",
        Meaning.DEPENDENCY_MISSING,
        0.9,
        "error[E0",
        line(r"error\[E0(?:432|433|463)\]: (?:unresolved import|can't find crate for) `(?P<module>[\w:]{1,100})`.*"),
        programs=word_set("cargo rustc"),
        needs="unlinked crate",
        actions=("cargo tree",),
    ),
    Rule(
        "Go module",
        Meaning.DEPENDENCY_MISSING,
        0.97,
        "package ",
        line(
            r"(?P<file>[\w./-]{1,300}\.go):(?P<line>\d{1,7}):(?P<column>\d{1,6}): (?P<message>"
            r"(?:cannot find module providing package|no required module provides package) (?"
            r"P<module>[\w./~-]{1,200}).*)"
        ),
        programs=word_set("go"),
        actions=("go list -m all",),
    ),
    Rule(
        "pip requirement",
        Meaning.DEPENDENCY_MISSING,
        0.96,
        "No matching distribution",
        line(r"ERROR: No matching distribution found for (?P<module>[\w.\[\]<>=~!,-]{1,200})(?: .*)?"),
        programs=word_set("pip pip3 uv"),
    ),
    Rule(
        "apt package",
        Meaning.DEPENDENCY_MISSING,
        0.95,
        "E: Unable to locate package ",
        line(r"E: Unable to locate package (?P<module>[\w.+-]{1,100})"),
        programs=word_set("apt apt-get"),
        actions=("apt-cache policy {module}",),
    ),
    Rule(
        "C header",
        Meaning.DEPENDENCY_MISSING,
        0.96,
        "fatal error: ",
        line(
            r"(?P<file>[^\s:][^:]{0,300}):(?P<line>\d{1,7})(?::(?P<column>\d{1,6}))?: fatal error: "
            r"(?P<module>[\w./+-]{1,200})(?:: No such file or directory|' file not found)"
        ),
        programs=word_set("cc c++ gcc g++ clang clang++ make cmake ninja"),
    ),
    Rule(
        "shared library",
        Meaning.DEPENDENCY_MISSING,
        0.96,
        "error while loading shared libraries",
        line(r"\S{1,300}: error while loading shared libraries: (?P<module>[\w.+-]{1,100}): cannot open .*"),
    ),
    Rule(
        "file",
        Meaning.NOT_FOUND,
        0.9,
        "No such file or directory",
        line(
            r"(?P<program>-?[\w./+-]{1,100}): (?:line \d+: |\d+: )?(?:cd: |exec: )?"
            r"(?:cannot \w{1,20} (?:\w{1,20} )?|can't open (?:file )?)?"
            r"(?:\[Errno 2\] )?[‘'\"]?(?P<path>[^‘’'\"]{1,300}?)[’'\"]?: (?:Cannot \w{1,20}: )?"
            r"(?:\[Errno 2\] )?No such file or directory"
        ),
        actions=("ls -ld {parent}",),
    ),
    Rule(
        "folder",
        Meaning.NOT_FOUND,
        0.93,
        "can't cd to ",
        line(r"(?P<program>-?[\w./+-]{1,100}): (?:line \d+: |\d+: )?cd: can't cd to (?P<path>.{1,300})"),
        actions=("ls -ld {parent}",),
    ),
    Rule(
        "Node script",
        Meaning.NOT_FOUND,
        0.96,
        "Cannot find module '",
        line(r"(?:\w{0,20}Error(?: \[\w{1,60}\])?: )Cannot find module '(?P<path>\.{0,2}/[^']{1,300})'.*"),
        programs=word_set("node tsx ts-node"),
        clues=(JS_STACK,),
        actions=("ls -ld {parent}",),
    ),
    Rule(
        "Python file",
        Meaning.NOT_FOUND,
        0.93,
        "[Errno 2] No such file or directory: '",
        line(
            r"(?:FileNotFoundError|OSError|E(?:rror|RROR: .{1,100})): \[Errno 2\] "
            r"No such file or directory: '(?P<path>[^']{1,300})'"
        ),
        clues=(_FILE,),
        actions=("ls -ld {parent}",),
    ),
    Rule(
        "Node file",
        Meaning.NOT_FOUND,
        0.93,
        "ENOENT: ",
        line(
            r"(?:Error: |npm (?:ERR!|error) )(?:enoent )?(?:Could not read package\.json: Error: )?"
            r"ENOENT: no such file or directory, \w{1,20} "
            r"'(?P<path>[^']{1,300})'.*"
        ),
        actions=("ls -ld {parent}",),
    ),
    Rule(
        "tests of pytest",
        Meaning.NOT_FOUND,
        0.94,
        "not found: ",
        line(r"ERROR: (?:file or directory )?not found: (?P<path>.{1,300})"),
        programs=word_set("pytest"),
        actions=("ls -ld {parent}",),
    ),
    Rule(
        "Cargo project",
        Meaning.NOT_FOUND,
        0.95,
        "could not find `Cargo.toml`",
        line(r"error: could not find `Cargo\.toml` in `(?P<path>[^`]{1,300})` or any parent directory"),
        programs=word_set("cargo"),
        actions=("ls -ld {path}",),
    ),
    Rule(
        "Go module file",
        Meaning.NOT_FOUND,
        0.95,
        "go.mod file not found",
        line(r"go: go\.mod file not found in current directory.*"),
        programs=word_set("go"),
        actions=("go env GOMOD",),
    ),
    Rule(
        "npm script",
        Meaning.NOT_FOUND,
        0.96,
        "issing script",
        line(r"npm (?:ERR!|error) [Mm]issing script: \"?(?P<script>[\w:.-]{1,100})\"?"),
        programs=word_set("npm"),
        actions=("npm run",),
    ),
    Rule(
        "Git's other repository",
        Meaning.NOT_FOUND,
        0.96,
        "fatal: ",
        line(
            r"fatal: repository '(?P<path>[^']{1,300})' (?:does not exist|not found)"
            r"|fatal: '(?P<remote>[^']{1,300})' does not appear to be a git repository"
        ),
        programs=word_set("git gh"),
        actions=("git remote -v",),
    ),
    Rule(
        "Git name",
        Meaning.NOT_FOUND,
        0.95,
        "",
        line(
            r"error: pathspec '(?P<name>[^']{1,300})' did not match any file\(s\) known to git"
            r"|fatal: ambiguous argument '(?P<argument>[^']{1,300})': unknown revision or path not in .{1,60}"
            r"|merge: (?P<branch>.{1,300}) - not something we can merge|fatal: bad revision '(?P<revision>[^']{1,300})'"
            r"|fatal: invalid (?:reference|upstream)[: ]+'?(?P<reference>[^']{1,300}?)'?"
            r"|error: src refspec (?P<source>\S{1,300}) does not match any"
        ),
        programs=word_set("git"),
        actions=("git branch -a",),
    ),
    Rule(
        "Git repository",
        Meaning.NOT_FOUND,
        0.96,
        "fatal: not a git repository",
        line(r"fatal: not a git repository.*"),
        programs=word_set("git gh"),
        actions=("git rev-parse --show-toplevel",),
    ),
)
"""Modules of Python, Node, Rust and Go, headers, libraries, commands; files, scripts, repositories."""
