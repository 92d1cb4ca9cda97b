"""Sets of names, written as one would say them."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())
