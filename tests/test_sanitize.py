"""Nothing that hides, reorders or commands survives cleaning, and what people write does."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.sanitize import MARKS_LIMIT, clean, clean_styled, clean_text, spelled

VISIBLE_FORMATS = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
"""Format characters that are drawn: signs that enclose digits and names."""

NASTY = st.text(
    alphabet=st.one_of(
        st.sampled_from("\x00\x07\x1b\x7f\x80\x84\x85\x90\x9b\x9c\x9d\r\n\t\v\f[]P_m0;\\ "),
        st.sampled_from("\u200b\u200c\u200d\u200e\u202e\u2066\u2028\ufe0f\ufe0e\ufeff\U000e0041\u20e3\u0301\u0489"),
        st.sampled_from("1#👩👧❤🏽🏳🌈🇩🇪é漢"),
        st.characters(),
    ),
    max_size=200,
)


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("plain title", "plain title"),
        ("two\nlines\r\nand\ttabs", "two lines and tabs"),
        ("  ends  ", "ends"),
        ("/home/a  b/ü", "/home/a  b/ü"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b1;31mred", "red"),
        ("\x1b]0;title\x07shown", "shown"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP+q\x1b\\a\x1b_G\x9cb", "ab"),
        ("\x1b]52;c;Zm9v", ""),
        ("\x1b\x1b[0m[31m", "[31m"),
        ("\x1b(0x\x1b7\x1b=", "x"),
        ("a\x00\x08\x7f\x84b", "ab"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("zero\u200bwidth\u200c\u200d\ufeff", "zerowidth"),
        ("tag\U000e0041\U000e0042", "tag"),
        ("smuggled\ufe00\ufe01\U000e0101", "smuggled"),
        ("lone\ud800\udfffsurrogate", "lonesurrogate"),
        ("\ue0b0 powerline \U000f0001", "\ue0b0 powerline \U000f0001"),
    ],
)
def test_a_title_is_one_line_of_visible_text(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@pytest.mark.parametrize(
    "emoji",
    ["👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "1️⃣ #️⃣ *️⃣", "❤️", "❤︎", "👍🏽", "🏳️‍🌈", "👩🏽‍💻", "🧑🏿‍🤝‍🧑🏻", "☠️", "🏴‍☠️", "❤️‍🔥", "🫱🏻‍🫲🏿", "👁️‍🗨️"],
)
def test_emoji_sequences_survive_whole(emoji: str) -> None:
    assert clean(emoji) == emoji
    assert clean_text(f"a {emoji}\n{emoji}") == f"a {emoji}\n{emoji}"


@pytest.mark.parametrize("word", ["नमस्ते", "ภาษาไทย", "Tiếng Việt", "עִבְרִית", "العربية", "한국어", "e\u0301\u0323"])
def test_living_languages_survive_whole(word: str) -> None:
    assert clean(word) == word


@pytest.mark.parametrize("hidden", ["a\u200db", "a\ufe0fb", "👩\u200d", "\u200d👩", "👩\u200d\u200d👩", "1\ufe0f2"])
def test_joiners_and_selectors_outside_emoji_are_removed(hidden: str) -> None:
    assert clean(hidden) == hidden.replace("\u200d", "").replace("\ufe0f", "")


def test_text_keeps_tabs_and_newlines_and_unifies_line_breaks() -> None:
    assert clean_text("a\tb\r\nc\rd\x85e\u2028f\n") == "a\tb\nc\nd\ne\nf\n"


def test_an_unterminated_string_takes_no_more_than_its_line() -> None:
    assert clean_text("\x1b]0;never ended\nnext") == "\nnext"


@pytest.mark.slow
def test_every_control_format_and_surrogate_of_unicode_is_removed() -> None:
    hidden = (chr(code) for code in range(0x110000) if code not in VISIBLE_FORMATS)
    suspects = [char for char in hidden if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert [char for char in suspects if clean(f"ab{char}") != "ab"] == []


def test_signs_that_are_drawn_survive() -> None:
    assert all(clean(f"{chr(code)}1") == f"{chr(code)}1" for code in VISIBLE_FORMATS)


def test_a_long_title_ends_in_an_ellipsis() -> None:
    assert clean("x" * 300, 10) == "x" * 9 + "…"
    assert clean("x" * 10, 10) == "x" * 10
    assert clean("xyz", 1) == "…"
    assert clean("xyz", 0) == ""


def test_truncating_an_emoji_sequence_leaves_no_joiner() -> None:
    assert clean("👩‍👩‍👧‍👦 family", 5) == "👩‍👩…"


@pytest.mark.slow
def test_stacked_combining_marks_are_limited() -> None:
    assert clean_text("a" + "\u0301" * 2_000_000 + "b") == "a" + "\u0301" * MARKS_LIMIT + "b"


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["\x1b[", "\x1b]", "\x1b", "👩\u200d", "\u0301", " \n", "\r", "\u202e", "0;", "\x9b1;", "1\ufe0f"]
)
def test_a_long_run_of_anything_is_cleaned_to_its_end(unit: str) -> None:
    once = clean_text(unit * 500_000)
    assert clean_text(once) == once


@given(NASTY, st.integers(0, 40))
def test_cleaning_twice_is_cleaning_once(text: str, limit: int) -> None:
    once = clean(text, limit)
    assert clean(once, limit) == once
    assert len(once) <= limit
    many = clean_text(text, limit)
    assert clean_text(many, limit) == many
    assert len(many) <= limit


@given(NASTY)
def test_no_forbidden_character_survives(text: str) -> None:
    allowed = {"\u200d", "\n", "\t"}
    left = {char for char in clean_text(text) if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert {char for char in left if ord(char) not in VISIBLE_FORMATS} <= allowed
    assert not {"\n", "\t"} & set(clean(text))
    clean_text(text).encode()


@given(NASTY)
def test_styled_text_has_no_sequence_but_colours_and_attributes(text: str) -> None:
    assert "\x1b" not in re.sub(r"\x1b\[[0-9;:]*m", "", clean_styled(text))
    assert "\x1b" not in spelled(text)
    assert clean_styled(text).replace("\x1b", "\u241b") == spelled(text)


def test_colours_stay_for_terminal_and_are_spelled_for_model() -> None:
    text = "\x1b[1;38:5:9mred\x1b[0m \x1b]0;title\x07\x1b[2Jleft 👨‍👩‍👧 \u202eback\n"
    kept = "\x1b[1;38:5:9mred\x1b[0m left \U0001f468\u200d\U0001f469\u200d\U0001f467 back\n"
    assert clean_styled(text) == kept
    assert spelled(text) == kept.replace("\x1b", "\u241b")
