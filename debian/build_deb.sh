#!/bin/sh
# Builds fugue-tui_VERSION_ARCHITECTURE.deb in the directory that is given, or in dist/. The package is a virtual
# environment in /opt/fugue-tui, as Debian does not have all that the program needs; it works with the minor version of
# Python that builds it (PYTHON, /usr/bin/python3 if unset). Needs dpkg-deb and Python's venv.
set -eu
cd "$(dirname "$0")/.."
out=${1:-dist}
python=${PYTHON:-/usr/bin/python3}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
environment=$root/opt/fugue-tui

"$python" -m venv --without-pip "$environment"
"$python" -m pip --python "$environment/bin/python" install --quiet .
version=$("$environment/bin/fugue-tui" --version | cut -d' ' -f2)
minor=$("$python" -c 'import sys; print(sys.version_info[1])')
find "$environment" -name __pycache__ -prune -exec rm -rf {} +
grep -rlI "$root" "$environment/bin" "$environment/pyvenv.cfg" | xargs sed -i "s|$root||g"

mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/share/man/man1" "$root/usr/share/doc/fugue-tui"
ln -s /opt/fugue-tui/bin/fugue-tui "$root/usr/bin/fugue-tui"
gzip -9nc docs/fugue-tui.1 >"$root/usr/share/man/man1/fugue-tui.1.gz"
cat LICENSE THIRD-PARTY-LICENSES >"$root/usr/share/doc/fugue-tui/copyright"
cat >"$root/DEBIAN/control" <<CONTROL
Package: fugue-tui
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: the authors of Fugue <fugue-tui@localhost>
Depends: python3 (>= 3.$minor), python3 (<< 3.$((minor + 1)))
Section: utils
Priority: optional
Description: terminal workspace that you share with AI agents
 You work in panes, as in tmux; MCP clients such as Claude Code see the same
 panes, read them, type into them and arrange them, while you stay in control.
CONTROL
# Compiled when it is installed, so that the first start is as fast as every other; removed with it.
cat >"$root/DEBIAN/postinst" <<'SCRIPT'
#!/bin/sh
/opt/fugue-tui/bin/python -m compileall -q /opt/fugue-tui/lib || true
SCRIPT
cat >"$root/DEBIAN/prerm" <<'SCRIPT'
#!/bin/sh
find /opt/fugue-tui -name __pycache__ -prune -exec rm -rf {} +
SCRIPT
chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm"
mkdir -p "$out"
dpkg-deb --root-owner-group --build "$root" "$out"
