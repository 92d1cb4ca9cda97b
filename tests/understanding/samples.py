"""A sample for each rule that no recording proves, written after the programs' documentation and source.

A rule, the command, the exit code (None while it runs), and the output.
"""

from typing import Final

SAMPLES: Final[list[tuple[str, str, int | None, str]]] = [
    (
        "nextest failed",
        "cargo nextest run",
        100,
        "        FAIL [   0.004s] mux tests::resizes\n------------\n     Summary [   0.012s] "
        "17 tests run: 15 passed, 2 failed, 0 skipped\n",
    ),
    ("jest suite failed", "npx jest", 1, "Test Suites: 1 failed, 1 total\nTests:       0 total\n"),
    ("node test passed", "node --test", 0, "# tests 2\n# pass 2\n# fail 0\n"),
    ("npm test failed", "npm test", 1, "npm ERR! Test failed.  See above for more details.\n"),
    (
        "cargo manifest",
        "cargo build",
        101,
        "error: failed to parse manifest at `/src/Cargo.toml`\n\nCaused by:\n  could not parse\n",
    ),
    ("cmake", "cmake .", 1, "CMake Error at CMakeLists.txt:3 (find_package):\n  Could not find Foo\n"),
    ("esbuild", "npx esbuild a.ts", 1, '✘ [ERROR] Could not resolve "./nope"\n'),
    ("Python -m", "python3 -m nope", 1, "/usr/bin/python3: No module named nope\n"),
    ("command in zsh or fish", "frobnicate", 127, "zsh: command not found: frobnicate\n"),
    ("npx or env", "./script", 127, "/usr/bin/env: ‘nodejs’: No such file or directory\n"),
    (
        "npm registry",
        "npm i nope-nope",
        1,
        "npm error code E404\nnpm error 404 Not Found - GET https://registry/nope-nope\n",
    ),
    (
        "C header",
        "gcc -c a.c",
        1,
        "a.c:1:10: fatal error: nope.h: No such file or directory\n    1 | #include <nope.h>\n",
    ),
    (
        "shared library",
        "./tool",
        127,
        "./tool: error while loading shared libraries: libnope.so.1: cannot open shared "
        "object file: No such file or directory\n",
    ),
    (
        "Python file",
        "python3 a.py",
        1,
        'Traceback (most recent call last):\n  File "a.py", line 1, in '
        "<module>\nFileNotFoundError: [Errno 2] No such file or directory: 'data/nope.csv'\n",
    ),
    (
        "Node file",
        "node a.js",
        1,
        "Error: ENOENT: no such file or directory, open 'nope.json'\n    at Object.openSync "
        "(node:fs:601:3)\n\nNode.js v20.20.2\n",
    ),
    (
        "asyncio port",
        "uvicorn app:app",
        1,
        "ERROR:    [Errno 98] error while attempting to bind on address ('127.0.0.1', 8000): address already in use\n",
    ),
    ("bind", "./server", 1, "2026/01/01 10:00:00 listen tcp :8080: bind: address already in use\n"),
    ("port taken", "npm run dev", 1, "Error: Port 5173 is already in use\n"),
    (
        "docker port",
        "docker run -p 80:80 nginx",
        125,
        "docker: Error response from daemon: driver failed programming external connectivity: "
        "Bind for 0.0.0.0:80 failed: port is already allocated.\n",
    ),
    ("credentials over ssh", "ssh git@github.com", 255, "git@github.com: Permission denied (publickey).\n"),
    ("host key", "ssh host", 255, "Host key verification failed.\n"),
    ("credentials for git", "git push", 128, "fatal: Authentication failed for 'https://example.com/x.git/'\n"),
    ("credentials for a tool", "sudo -n true", 1, "sudo: a password is required\n"),
    (
        "Python permission",
        "python3 a.py",
        1,
        'Traceback (most recent call last):\n  File "a.py", line 1, in '
        "<module>\nPermissionError: [Errno 13] Permission denied: '/etc/shadow'\n",
    ),
    (
        "Node permission",
        "npm i -g x",
        243,
        "npm error Error: EACCES: permission denied, mkdir '/usr/lib/node_modules/x'\n",
    ),
    (
        "docker permission",
        "docker ps",
        1,
        "permission denied while trying to connect to the Docker daemon socket at "
        "unix:///var/run/docker.sock: Get ...\n",
    ),
    ("not permitted", "chown root a", 1, "chown: changing ownership of 'a': Operation not permitted\n"),
    ("quota", "cp a b", 1, "cp: error writing 'b': Disk quota exceeded\n"),
    ("name service", "ping nope", 2, "ping: nope.invalid: Name or service not known\n"),
    ("timed out", "ssh 192.0.2.1", 255, "ssh: connect to host 192.0.2.1 port 22: Connection timed out\n"),
    ("npm network", "npm i", 1, "npm error code ECONNREFUSED\nnpm error syscall connect\n"),
    (
        "JVM exception",
        "java Main",
        1,
        'Exception in thread "main" java.lang.NullPointerException: x is null\n\tat demo.Main.main(Main.java:5)\n',
    ),
    (
        "Ruby exception",
        "ruby a.rb",
        1,
        "a.rb:3:in `work': undefined method `x' for nil:NilClass (NoMethodError)\n\tfrom a.rb:6:in `<main>'\n",
    ),
    ("aborted", "./tool", 134, "Aborted (core dumped)\n"),
    (
        "out of memory",
        "npm run build",
        134,
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n",
    ),
    ("killed", "./hungry", 137, "Killed\n"),
    ("sudo", "sudo true", None, "[sudo] password for anna: "),
    ("password", "mysql -p", None, "Enter password: "),
    ("passphrase", "ssh host", None, "Enter passphrase for key '/home/user/.ssh/id_ed25519': "),
    ("user name", "git push", None, "Username for 'https://github.com': "),
    ("code", "npm publish", None, "Enter one-time code: "),
    (
        "host key",
        "ssh host",
        None,
        "The authenticity of host 'host (192.0.2.1)' can't be established.\nAre you sure you "
        "want to continue connecting (yes/no/[fingerprint])? ",
    ),
    ("yes or no", "apt install x", None, "After this operation, 1 MB will be used.\nDo you want to continue? [Y/n] "),
    (
        "proceed",
        "npx create-app",
        None,
        "Need to install the following packages:\ncreate-app@1.0.0\nOk to proceed? (y) ",
    ),
    ("hunk", "git add -p", None, "(1/1) Stage this hunk [y,n,q,a,d,e,?]? "),
    ("any key", "./menu", None, "Press any key to continue"),
    ("pager's end", "git log", None, "commit 1\n(END)"),
    ("pager", "git log", None, "commit 1\n:"),
    ("more", "more a.txt", None, "text\n--More--(45%)"),
    ("Python", "python3", None, "Python 3.11.7\n>>> "),
    ("Python debugger", "python3 -m pdb a.py", None, "> a.py(1)<module>()\n(Pdb) "),
    ("console", "sqlite3", None, "sqlite> "),
    ("IPython", "ipython", None, "In [1]: "),
    ("psql", "psql shop", None, "psql (15.5)\nshop=# "),
    ("Node", "node", None, "Welcome to Node.js v20.\n> "),
    ("answer", "npm init @eslint/config", None, "? What format do you want your config file to be in? … (Use arrows)"),
    (
        "Django",
        "python manage.py runserver",
        None,
        "Starting development server at http://127.0.0.1:8000/\nQuit the server with CONTROL-C.\n",
    ),
    ("ready in", "npm run dev", None, "  VITE v5.0.0  ready in 312 ms\n\n  ➜  Local:   http://localhost:5173/\n"),
    ("local address", "npx next dev", None, "   - Local:        http://localhost:3000\n"),
    ("listening", "cargo run", None, "Listening on 0.0.0.0:8080\n"),
    ("running at", "node app.js", None, "Server running at http://localhost:3000/\n"),
    (
        "Postgres",
        "docker run postgres",
        None,
        "2026-01-01 10:00:00.000 UTC [1] LOG:  database system is ready to accept connections\n",
    ),
    ("Redis", "redis-server", None, "1:M 01 Jan 2026 10:00:00.000 * Ready to accept connections tcp\n"),
    (
        "Spring",
        "./mvnw spring-boot:run",
        None,
        "2026-01-01 INFO 1 --- [main] o.s.b.w.e.t.TomcatWebServer : Tomcat started on port 8080 (http)\n",
    ),
    (
        "tests of pytest",
        "python -m pytest -q nothere.py",
        4,
        "\nno tests ran in 0.00s\nERROR: file or directory not found: nothere.py\n\n",
    ),
    (
        "Cargo project",
        "cargo build",
        101,
        "error: could not find `Cargo.toml` in `/home/me` or any parent directory\n",
    ),
    (
        "Go module file",
        "go build",
        1,
        "go: go.mod file not found in current directory or any parent directory; see 'go help modules'\n",
    ),
    ("apt package", "sudo apt-get install nope", 100, "Reading package lists...\nE: Unable to locate package nope\n"),
    (
        "Node syntax",
        "node x.js",
        1,
        "/home/me/x.js:1\nconst a = ;\n          ^\n\nSyntaxError: Unexpected token ';'\n"
        "    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n\nNode.js v20.19.0\n",
    ),
    (
        "Node file",
        "npm run nope",
        254,
        "npm error code ENOENT\nnpm error enoent Could not read package.json: Error: "
        "ENOENT: no such file or directory, open '/home/me/package.json'\n",
    ),
    ("Python file", "python3 -m venv /proc/x", 1, "Error: [Errno 2] No such file or directory: '/proc/x'\n"),
]
