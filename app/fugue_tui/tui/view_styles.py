"""The style sheet of a view, which begins with what another view has parsed."""

import os
from pathlib import PurePath

from textual._styles_cache import StylesCache
from textual.css.stylesheet import Stylesheet


class ViewStyles(Stylesheet):
    """Textual's style sheet, that parses nothing again unless a variable or a source has changed."""

    def adopt(self, other: Stylesheet) -> None:
        """Begin with the variables, sources and rules of another."""
        super().set_variables(other._variables)
        self.source, self._rules = dict(other.source), list(other.rules)
        self._require_parse, self._rules_map = False, None

    def set_variables(self, variables: dict[str, str]) -> None:
        """Set the variables; the next `reparse` parses everything if any differs."""
        if variables != self._variables:
            super().set_variables(variables)
            self._require_parse = True

    def reparse(self) -> None:
        """Parse everything, if anything has changed."""
        if self._require_parse:
            super().reparse()

    def read(self, filename: str | PurePath) -> None:
        """Read a file, once: it does not change while the program runs."""
        if not self.has_source(os.path.abspath(os.path.expanduser(filename))):
            super().read(filename)


def keep_no_removed_widgets() -> None:
    """Have Textual free what removed widgets have drawn: its cache of two colours is declared for a class, but is one
    for objects, of which it keeps the last 1,024."""
    method = vars(StylesCache)["get_inner_outer"]
    if not isinstance(method, classmethod):
        StylesCache.get_inner_outer = classmethod(method)  # pyright: ignore[reportAttributeAccessIssue]
