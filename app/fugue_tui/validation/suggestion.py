"""Suggests what a misspelled word means. Apart from the kinds, as the client uses it and imports little."""

from collections.abc import Iterable


def suggestion(word: object, choices: Iterable[str]) -> str:
    """`; did you mean ...?` if one of the choices is similar to a word; else empty."""
    from difflib import get_close_matches

    found = get_close_matches(str(word)[:64].lower(), list(choices), n=1)
    return f"; did you mean {found[0]}?" if found else ""
