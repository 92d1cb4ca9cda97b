"""What an input method commits for typed letters: Hangul syllables for jamo, kana for romaji. Pure.

Hangul follows the two-set keyboard (KS X 5002): a consonant before a vowel begins the next syllable. Romaji are those
of Hepburn and Kunrei, and the spellings of small kana that input methods accept.
"""

import re
import unicodedata
from enum import StrEnum
from typing import Final

from fugue_tui.errors import InvalidArgument

_INITIALS: Final = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS: Final = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS: Final = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_VOWEL_PAIRS: Final = {"ㅗㅏ": "ㅘ", "ㅗㅐ": "ㅙ", "ㅗㅣ": "ㅚ", "ㅜㅓ": "ㅝ", "ㅜㅔ": "ㅞ", "ㅜㅣ": "ㅟ", "ㅡㅣ": "ㅢ"}
_FINAL_PAIRS: Final = {
    "ㄱㅅ": "ㄳ", "ㄴㅈ": "ㄵ", "ㄴㅎ": "ㄶ", "ㄹㄱ": "ㄺ", "ㄹㅁ": "ㄻ", "ㄹㅂ": "ㄼ", "ㄹㅅ": "ㄽ",
    "ㄹㅌ": "ㄾ", "ㄹㅍ": "ㄿ", "ㄹㅎ": "ㅀ", "ㅂㅅ": "ㅄ",
}  # fmt: skip
_SPLIT: Final = str.maketrans({final: pair for pair, final in _FINAL_PAIRS.items()})
_SYLLABLE: Final = re.compile(
    rf"([{_INITIALS}])({'|'.join(_VOWEL_PAIRS)}|[{_VOWELS}])(?:({'|'.join(_FINAL_PAIRS)}|[{_FINALS}])(?![{_VOWELS}]))?"
)
_JAMO: Final = re.compile("[\u1100-\u11ff\uffa1-\uffdc]")
_KIND: Final = re.compile(r"^(?:HALFWIDTH )?HANGUL (?:LETTER|CHOSEONG|JUNGSEONG|JONGSEONG) ")

_ROWS: Final = {
    "": "あいうえお", "k": "かきくけこ", "g": "がぎぐげご", "s": "さしすせそ", "z": "ざじずぜぞ",
    "t": "たちつてと", "d": "だぢづでど", "n": "なにぬねの", "h": "はひふへほ", "b": "ばびぶべぼ",
    "p": "ぱぴぷぺぽ", "m": "まみむめも", "r": "らりるれろ", "y": "や ゆ よ", "x": "ぁぃぅぇぉ",
    "l": "ぁぃぅぇぉ", "xy": "ゃ ゅ ょ", "ly": "ゃ ゅ ょ",
}  # fmt: skip
"""The kana of a consonant before a, i, u, e and o; a blank where there is none."""
_GLIDES: Final = {
    "ky": "き", "gy": "ぎ", "sy": "し", "sh": "し", "zy": "じ", "jy": "じ", "j": "じ", "ty": "ち", "ch": "ち",
    "cy": "ち", "dy": "ぢ", "ny": "に", "hy": "ひ", "by": "び", "py": "ぴ", "my": "み", "ry": "り",
}  # fmt: skip
"""The kana of a consonant with y; the vowel i adds nothing if the spelling has no y."""
_SINGLE: Final = {
    "wa": "わ", "wi": "うぃ", "we": "うぇ", "wo": "を", "fu": "ふ", "tsu": "つ", "xtu": "っ", "xtsu": "っ",
    "ltu": "っ", "ltsu": "っ", "xwa": "ゎ", "lwa": "ゎ", "va": "ゔぁ", "vi": "ゔぃ", "vu": "ゔ", "ve": "ゔぇ",
    "vo": "ゔぉ", "fa": "ふぁ", "fi": "ふぃ", "fe": "ふぇ", "fo": "ふぉ", "tsa": "つぁ", "tsi": "つぃ",
    "tse": "つぇ", "tso": "つぉ", "thi": "てぃ", "dhi": "でぃ", "twu": "とぅ", "dwu": "どぅ", "ye": "いぇ",
    "-": "ー", ",": "、", ".": "。", "[": "「", "]": "」", "n'": "ん", "xn": "ん",
}  # fmt: skip
_CHARACTERS: Final = 4
"""Letters of the longest spelling."""


class Kana(StrEnum):
    """What romaji become."""

    HIRAGANA = "hiragana"
    KATAKANA = "katakana"


def hangul(text: str) -> str:
    """The text with its jamo composed to syllables (NFC), as an input method commits them; others stay as letters."""
    text = unicodedata.normalize("NFC", text)
    return _SYLLABLE.sub(_composed, _JAMO.sub(_letter, text).translate(_SPLIT))


def kana(text: str, kind: Kana) -> str:
    """The text with its romaji as kana; n before a consonant or at the end is ん, a doubled consonant begins with っ.

    `nn` before a vowel is ん and a syllable with n, as in konnichiha; write n' for ん alone. Raises InvalidArgument for
    letters that are no whole syllable."""
    found, at, lower = list[str](), 0, text.lower()
    while at < len(lower):
        letters, syllable = _syllable(lower, at)
        if not letters:
            raise InvalidArgument(f"text: {lower[at : at + _CHARACTERS]!a} at {at} is no whole syllable in romaji")
        found.append(syllable)
        at += letters
    joined = "".join(found)
    return joined if kind is Kana.HIRAGANA else "".join(map(_katakana, joined))


def _letter(found: re.Match[str]) -> str:
    """The independent letter for a conjoining or half-width one that is in no syllable."""
    name = unicodedata.name(found[0], "")
    try:
        return unicodedata.lookup(_KIND.sub("HANGUL LETTER ", name))
    except KeyError:
        return found[0]  # An archaic one, which only NFC composes.


def _composed(found: re.Match[str]) -> str:
    """The syllable of an initial, a vowel and a final (Unicode 3.12, Hangul Syllable Composition)."""
    initial, vowel, final = found.groups(default="")
    vowel, final = _VOWEL_PAIRS.get(vowel, vowel), _FINAL_PAIRS.get(final, final)
    last = _FINALS.index(final) + 1 if final else 0
    return chr(0xAC00 + (_INITIALS.index(initial) * len(_VOWELS) + _VOWELS.index(vowel)) * 28 + last)


def _syllables() -> dict[str, str]:
    """The kana of every spelling of a syllable."""
    found = {consonant + vowel: row[at] for consonant, row in _ROWS.items() for at, vowel in enumerate("aiueo")}
    for spelling, first in _GLIDES.items():
        small = "ゃぃゅぇょ" if spelling.endswith("y") else "ゃ ゅぇょ"
        found |= {spelling + vowel: (first + small[at]).strip() for at, vowel in enumerate("aiueo")}
    return {spelling: word for spelling, word in found.items() if word.strip()} | _SINGLE


_SYLLABLES: Final = _syllables()


def _syllable(text: str, at: int) -> tuple[int, str]:
    """How many letters are the next syllable, and its kana; 0 if the letters are none."""
    for length in range(_CHARACTERS, 0, -1):
        if (spelling := text[at : at + length]) in _SYLLABLES and len(spelling) == length:
            return length, _SYLLABLES[spelling]
    letter, after = text[at], text[at + 1 : at + 2]
    if not ("a" <= letter <= "z"):
        return 1, letter
    if letter == "n" and after not in ("a", "i", "u", "e", "o", "y"):
        doubled = after == "n" and not re.match(r"n'|[aiueoy]", text[at + 2 : at + 4])
        return (2 if doubled else 1), "ん"
    if letter == after or (letter == "t" and text[at + 1 : at + 3] == "ch"):
        return 1, "っ"
    return 0, ""


def _katakana(char: str) -> str:
    return chr(ord(char) + 0x60) if "ぁ" <= char <= "ゖ" else char
