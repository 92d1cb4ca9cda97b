"""Builds the documentation as a site, offline: `sphinx-build -W docs build/site`.

A link to a page, a heading or a file that does not exist fails the build.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import reference  # noqa: E402

from fugue_tui import __version__  # noqa: E402

project = "Fugue"
release = __version__
extensions = ["myst_parser"]
myst_heading_anchors = 4
exclude_patterns = ["examples"]
html_theme = "furo"
html_title = f"Fugue {release}"
html_copy_source = False
html_show_sphinx = False

reference.write(HERE / "reference")
