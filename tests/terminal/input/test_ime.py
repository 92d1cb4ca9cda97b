"""Letters become what an input method commits."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.errors import InvalidArgument
from fugue_tui.terminal.input.ime import Kana, hangul, kana


@pytest.mark.parametrize(
    ("typed", "committed"),
    [
        ("ㅎㅏㄴㄱㅡㄹ", "한글"),
        ("ㅎㅏㄴㅏ", "하나"),
        ("ㄷㅏㄹㄱㅇㅣ", "닭이"),
        ("ㄷㅏㄹㄱㅣ", "달기"),
        ("ㄱㅏㅂㅅㅣ", "갑시"),
        ("ㄱㅏㅄㅣ", "갑시"),
        ("ㅇㅓㅄㅇㅓ", "없어"),
        ("ㄱㅗㅏㄴ", "관"),
        ("ㄱㅘㄴ", "관"),
        ("ㅇㅡㅣㅅㅏ", "의사"),
        ("ㄲㅏㅉㅏ", "까짜"),
        ("ㅇㅣㅆㄷㅏ", "있다"),
        ("하ㅋㅋㅋ", "하ㅋㅋㅋ"),
        ("ㅠㅠ", "ㅠㅠ"),
        ("\u1112\u1161\u11ab", "한"),
        ("\u1112\u1161\u11ab\u1100", "한ㄱ"),
        ("\uffbe\uffc2\uffa4", "한"),
        ("ls ㅏ.txt", "ls ㅏ.txt"),
    ],
)
def test_jamo_become_syllables(typed: str, committed: str) -> None:
    assert hangul(typed) == committed


@given(st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3)))
def test_syllables_come_back_from_their_conjoining_jamo(text: str) -> None:
    assert hangul(unicodedata.normalize("NFD", text)) == text
    assert hangul(text) == text


@pytest.mark.parametrize(
    ("typed", "committed"),
    [
        ("konnichiha", "こんにちは"),
        ("konnnichiha", "こんにちは"),
        ("toukyou", "とうきょう"),
        ("shinbun", "しんぶん"),
        ("shin'ya", "しんや"),
        ("sinnya", "しんにゃ"),
        ("honn", "ほん"),
        ("gakkou", "がっこう"),
        ("matcha", "まっちゃ"),
        ("maccha", "まっちゃ"),
        ("syatyotuhuzi", "しゃちょつふじ"),
        ("shachotsufuji", "しゃちょつふじ"),
        ("jaja zya", "じゃじゃ じゃ"),
        ("ra-men, 2.", "らーめん、 2。"),
        ("fairu thi vaiorin", "ふぁいる てぃ ゔぁいおりん"),
        ("xtuxyaltu", "っゃっ"),
        ("[wo]", "「を」"),
        ("漢字 desu", "漢字 です"),
        ("KA", "か"),
    ],
)
def test_romaji_become_kana(typed: str, committed: str) -> None:
    assert kana(typed, Kana.HIRAGANA) == committed
    katakana = kana(typed, Kana.KATAKANA)
    assert [unicodedata.name(char).replace("KATAKANA", "HIRAGANA") for char in katakana] == [
        unicodedata.name(char).replace("KATAKANA", "HIRAGANA") for char in committed
    ]


@pytest.mark.parametrize("typed", ["k", "kak", "q", "shh", "hhx", "yi"])
def test_what_is_no_whole_syllable_is_refused(typed: str) -> None:
    with pytest.raises(InvalidArgument, match="no whole syllable"):
        kana(typed, Kana.HIRAGANA)
