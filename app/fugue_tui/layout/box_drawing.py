"""Box-drawing characters by the weight of their four arms."""

import unicodedata
from functools import cache

Arms = tuple[int, int, int, int]
"""The weights of the arms up, right, down and left: 0 none, 1 light, 2 heavy."""

_INDEX = {"UP": (0,), "RIGHT": (1,), "DOWN": (2,), "LEFT": (3,), "VERTICAL": (0, 2), "HORIZONTAL": (1, 3)}
_WEIGHT = {"LIGHT": 1, "HEAVY": 2}


def box(arms: Arms) -> str:
    """The character whose arms have these weights; a single arm is drawn as the whole line."""
    up, right, down, left = arms
    if sum(1 for arm in arms if arm) == 1:
        arms = (up or down, right or left, down or up, left or right)
    return _table().get(arms, " ")


@cache
def _table() -> dict[Arms, str]:
    """Every light and heavy line, corner and crossing, derived from the characters' Unicode names."""
    table: dict[Arms, str] = {(1, 0, 2, 0): "╽", (2, 0, 1, 0): "╿", (0, 2, 0, 1): "╼", (0, 1, 0, 2): "╾"}
    for code in range(0x2500, 0x254C):
        words = unicodedata.name(chr(code)).removeprefix("BOX DRAWINGS ").split()
        if "DASH" not in words:
            table.setdefault(_arms(words), chr(code))
    return table


def _arms(words: list[str]) -> Arms:
    """`DOWN LIGHT AND RIGHT UP HEAVY` and `LIGHT DOWN AND RIGHT` as weights."""
    arms = [0, 0, 0, 0]
    leading = _WEIGHT.get(words[0])
    waiting: list[int] = []
    for word in words:
        if word in _INDEX:
            waiting += _INDEX[word]
        elif word in _WEIGHT and leading is None:
            for index in waiting:
                arms[index] = _WEIGHT[word]
            waiting = []
    for index in waiting:
        arms[index] = leading or 0
    return (arms[0], arms[1], arms[2], arms[3])
